"""Bytes from files that strangers wrote, and which reader they are given to."""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from types import SimpleNamespace

import pytest

from subspec.source import read_file, read_text
from subspec.source.files import (
    MAX_FILE,
    NotFoundError,
    NotUtf8Error,
    UnreadableError,
    decode,
    read_bytes,
)

DESCRIPTORS = Path("/proc/self/fd")


def refusal(path: Path) -> str:
    """Read a file that cannot be had; give its one problem in one line, without the name."""
    document = read_file(path)
    (problem,) = document.problems
    assert (document.readable, document.data, document.raw) == (False, None, None)
    assert problem.file == document.file == str(path)
    return f"{problem.message} [{problem.code}]"


@pytest.fixture(autouse=True)
def descriptors():
    """See that nothing is left open."""
    if not DESCRIPTORS.is_dir():
        yield
        return
    before = len(list(DESCRIPTORS.iterdir()))
    yield
    assert len(list(DESCRIPTORS.iterdir())) == before


def test_a_file_is_read_with_its_bytes(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_bytes("\ufeffa: é\r\n".encode())
    document = read_file(path)
    assert (document.data, document.problems, document.readable) == ({"a": "é"}, [], True)
    assert document.text == "a: é\r\n"
    assert document.raw == b"\xef\xbb\xbfa: \xc3\xa9\r\n"
    assert document.file == str(path)


def test_a_symbolic_link_is_followed(tmp_path):
    (tmp_path / "real.yaml").write_text("a: 1\n")
    link = tmp_path / "link.yaml"
    link.symlink_to("real.yaml")
    assert read_file(link).data == {"a": 1}


def test_a_missing_file_is_not_found(tmp_path):
    assert refusal(tmp_path / "x.yaml") == "cannot read it: no such file [cannot-read]"
    with pytest.raises(NotFoundError):
        read_bytes(tmp_path / "x.yaml")


def test_a_link_to_nowhere_is_not_found(tmp_path):
    link = tmp_path / "link.yaml"
    link.symlink_to("nowhere")
    assert refusal(link) == "cannot read it: no such file [cannot-read]"


def test_a_file_from_which_nothing_can_be_read_is_refused(tmp_path, monkeypatch):
    # As /proc/kmsg is, which calls itself a regular file.
    path = tmp_path / "log.yaml"
    path.write_text("a: 1")

    def no(*_):
        raise BlockingIOError(11, "Resource temporarily unavailable")

    monkeypatch.setattr(os, "read", no)
    assert refusal(path) == "cannot read it: nothing can be read from it [cannot-read]"


def test_a_name_with_nul_is_not_found():
    name = Path("a\0b.yaml")
    assert refusal(name) == "cannot read it: the name holds a NUL character [cannot-read]"
    with pytest.raises(NotFoundError):
        read_bytes(name)


def test_a_name_that_no_file_can_have_is_not_blamed_on_nul():
    name = Path("a\ud800b.yaml")
    assert "NUL" not in refusal(name)
    with pytest.raises(UnreadableError):
        read_bytes(name)


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x" * 300, "file name too long"),
        ("file.yaml/below.yaml", "not a directory"),
        ("loop.yaml", "too many levels of symbolic links"),
    ],
    ids=["long", "below a file", "a loop of links"],
)
def test_what_the_system_refuses_is_said_in_its_words(tmp_path, name, reason):
    (tmp_path / "file.yaml").touch()
    (tmp_path / "loop.yaml").symlink_to("loop.yaml")
    assert refusal(tmp_path / name) == f"cannot read it: {reason} [cannot-read]"


def test_a_file_without_permission_is_refused(tmp_path, monkeypatch):
    def no(*_):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "open", no)
    assert refusal(tmp_path / "x") == "cannot read it: permission denied [cannot-read]"


def test_an_error_that_the_system_does_not_name_is_said_too(tmp_path, monkeypatch):
    def no(*_):
        msg = "The disk is on fire"
        raise OSError(msg)

    monkeypatch.setattr(os, "open", no)
    assert refusal(tmp_path / "x") == "cannot read it: the disk is on fire [cannot-read]"


def test_a_directory_is_refused(tmp_path):
    assert refusal(tmp_path) == "cannot read it: it is a directory, not a file [cannot-read]"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no FIFOs")
def test_a_fifo_that_nobody_writes_to_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "x")
    assert refusal(tmp_path / "x") == "cannot read it: it is a FIFO, not a file [cannot-read]"


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="this system has no /dev/zero")
def test_a_device_without_end_is_refused():
    assert refusal(Path("/dev/zero")) == "cannot read it: it is a device, not a file [cannot-read]"


@pytest.mark.parametrize(
    ("mode", "what"),
    [(stat.S_IFBLK, "a device"), (stat.S_IFSOCK, "something else")],
    ids=["block device", "socket"],
)
def test_what_tests_cannot_make_is_refused_too(tmp_path, monkeypatch, mode, what):
    path = tmp_path / "x"
    path.touch()
    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", lambda _: SimpleNamespace(st_mode=mode))
        found = refusal(path)
    assert found == f"cannot read it: it is {what}, not a file [cannot-read]"


def test_an_error_in_the_middle_of_reading_is_said(tmp_path, monkeypatch):
    path = tmp_path / "x.yaml"
    path.write_text("a: 1\n")

    def no(*_):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(os, "read", no)
    assert refusal(path) == "cannot read it: input/output error [cannot-read]"


@pytest.mark.parametrize("said", [0, 1, 100_000, 200_000, 300_000])
@pytest.mark.parametrize("limit", [200_000, 200_001, MAX_FILE])
def test_a_file_is_read_to_its_end_whatever_it_says_of_its_size(tmp_path, monkeypatch, said, limit):
    path = tmp_path / "x"
    path.write_bytes(bytes(range(200)) * 1_000)
    found = SimpleNamespace(st_mode=stat.S_IFREG, st_size=said)
    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", lambda _: found)
        assert read_bytes(path, limit) == path.read_bytes()


@pytest.mark.parametrize("said", [0, 1, 199_999, 200_000])
def test_no_more_is_read_of_a_file_than_it_may_hold(tmp_path, monkeypatch, said):
    path = tmp_path / "x"
    path.write_bytes(b"x" * 200_000)
    found = SimpleNamespace(st_mode=stat.S_IFREG, st_size=said)
    asked, read = [], os.read

    def counted(descriptor, size):
        asked.append(size)
        return read(descriptor, size)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fstat", lambda _: found)
        patch.setattr(os, "read", counted)
        with pytest.raises(UnreadableError, match=r"^it is larger than 0 MiB$"):
            read_bytes(path, 150_000)
    assert max(asked) <= 150_001


def test_a_file_that_has_to_lie_in_a_directory_may_lie_anywhere_below_it(tmp_path):
    (tmp_path / "a" / "b").mkdir(parents=True)
    (tmp_path / "a" / "b" / "x").write_text("here")
    (tmp_path / "a" / "link").symlink_to("b/x")
    (tmp_path / "other").symlink_to("a")
    for name in ("a/b/x", "a/link", "a/../a/b/x", "other/link"):
        assert read_bytes(tmp_path / name, inside=tmp_path / "a") == b"here"
        assert read_bytes(tmp_path / name, inside=tmp_path / "other") == b"here"


@pytest.mark.parametrize("name", ["a/../x", "a/link", "ab/x", "a/up/x"])
def test_a_file_that_has_to_lie_in_a_directory_may_lie_nowhere_else(tmp_path, name):
    for directory in ("a", "ab"):
        (tmp_path / directory).mkdir()
        (tmp_path / directory / "x").write_text("x")
    (tmp_path / "x").write_text("secret")
    (tmp_path / "a" / "link").symlink_to("../x")
    (tmp_path / "a" / "up").symlink_to("..")
    directory = tmp_path / "a"
    with pytest.raises(UnreadableError, match=f"^it does not lie in {re.escape(str(directory))}$"):
        read_bytes(tmp_path / name, inside=directory)


def test_a_link_that_is_turned_elsewhere_while_it_is_followed_is_refused(tmp_path, monkeypatch):
    directory = tmp_path / "a"
    directory.mkdir()
    (directory / "x").write_text("x")
    (tmp_path / "secret").write_text("secret")
    link = directory / "link"
    link.symlink_to("../secret")
    opened = os.open

    def turned(path, flags):
        descriptor = opened(path, flags)
        link.unlink()
        link.symlink_to("x")
        return descriptor

    monkeypatch.setattr(os, "open", turned)
    with pytest.raises(UnreadableError, match=r"^it does not lie in "):
        read_bytes(link, inside=directory)


def test_a_file_may_be_as_large_as_the_limit_and_no_larger(tmp_path):
    path = tmp_path / "x"
    path.write_bytes(b"x" * 1024 * 1024)
    assert len(read_bytes(path, 1024 * 1024)) == 1024 * 1024
    path.write_bytes(b"x" * (1024 * 1024 + 1))
    with pytest.raises(UnreadableError, match=r"^it is larger than 1 MiB$"):
        read_bytes(path, 1024 * 1024)


def test_a_file_of_specs_is_refused_when_it_is_very_large(tmp_path):
    path = tmp_path / "x.yaml"
    with path.open("wb") as file:
        file.truncate(MAX_FILE + 1)  # a hole: it takes no place on the disk
    assert refusal(path) == "cannot read it: it is larger than 64 MiB [cannot-read]"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"\xef\xbb\xbf", ""),
        (b"\xef\xbb\xbfa\xef\xbb\xbf", "a\ufeff"),
        (b"\xef\xbb\xbf\xef\xbb\xbfa", "\ufeffa"),
        ("a\r\nb\0é😀".encode(), "a\r\nb\0é😀"),
    ],
)
def test_utf8_is_decoded_and_one_mark_at_its_start_dropped(data, text):
    assert decode(data) == text


@pytest.mark.parametrize(
    ("data", "reason", "before"),
    [
        (b"a: b\nc: caf\xe9\n", "not UTF-8: byte 0xE9", "a: b\nc: caf"),
        (b"\xef\xbb\xbfa: \xc3", "not UTF-8: byte 0xC3", "a: "),
        (b"\xed\xa0\x80", "not UTF-8: byte 0xED", ""),
        (b"\xc0\x80", "not UTF-8: byte 0xC0", ""),
        ("a: b".encode("utf-16"), "UTF-16, not UTF-8", ""),
        ("a: b".encode("utf-16-le"), None, None),
        (b"\xfe\xff" + "a: b".encode("utf-16-be"), "UTF-16, not UTF-8", ""),
    ],
    ids=["latin-1", "cut off", "surrogate", "overlong", "utf-16", "utf-16 unmarked", "utf-16-be"],
)
def test_what_is_not_utf8_is_named(data, reason, before):
    if reason is None:
        assert "\0" in decode(data)  # is UTF-8 all the same, and refused for what it holds
        return
    with pytest.raises(NotUtf8Error) as caught:
        decode(data)
    assert (caught.value.reason, caught.value.before) == (reason, before)


def test_the_place_of_the_first_byte_that_is_wrong_is_given(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa9\r\nc: caf\xe9 \xff\nd: e\n")
    document = read_file(path)
    assert (document.readable, document.data) == (False, None)
    (problem,) = document.problems
    assert str(problem) == (
        f"{path}:2:7: error: the file is not UTF-8: byte 0xE9; save it as UTF-8 [not-utf8]"
    )
    assert problem.excerpt == "c: caf"


def test_utf16_is_named_at_the_start_of_the_file(tmp_path):
    path = tmp_path / "team.json"
    path.write_bytes("{}".encode("utf-16"))
    (problem,) = read_file(path).problems
    assert str(problem) == (
        f"{path}:1:1: error: the file is UTF-16, not UTF-8; save it as UTF-8 [not-utf8]"
    )


@pytest.mark.parametrize(
    ("name", "media"),
    [("a.yaml", "yaml"), ("a.YML", "yaml"), ("a.json", "json"), ("a.JSON", "json")],
)
def test_the_end_of_its_name_says_what_a_file_is(tmp_path, name, media):
    path = tmp_path / name
    path.write_text('{"a": 1,}')
    document = read_file(path)
    assert document.media == media
    assert document.readable == (media == "yaml")


def test_a_file_of_another_name_is_read_as_what_it_looks_like(tmp_path):
    path = tmp_path / "agents"
    path.write_text('{"a": NaN}')
    assert read_file(path).media == "json"
    path.write_text("a: 1")
    assert read_file(path).media == "yaml"


@pytest.mark.parametrize(
    ("text", "media", "data"),
    [
        ('{"a": 1e3}', "json", {"a": 1000.0}),
        ('\n  ["a"]\n', "json", ["a"]),
        ('\ufeff{"a": "\\ud83d\\ude00"}', "json", {"a": "😀"}),
        ('{"a": NaN}', "json", {"a": 0}),
        ("{a: 1}", "yaml", {"a": 1}),
        ('{"a": yes}', "yaml", {"a": "yes"}),
        ('{"a": 1,} # done', "yaml", {"a": 1}),
        ("[NaN, yes]", "yaml", ["NaN", "yes"]),
        ("a: {}", "yaml", {"a": {}}),
        ('"a"', "yaml", "a"),
        ("12", "yaml", 12),
        ("\ufeffa: 1", "yaml", {"a": 1}),
    ],
)
def test_text_is_json_when_it_begins_as_json_and_is_json(text, media, data):
    document = read_text(text)
    assert (document.media, document.data, document.readable) == (media, data, True)


@pytest.mark.parametrize(
    ("text", "media"),
    [
        ('{"a": [}', "json"),
        ('[{"a": 1', "json"),
        ('["', "json"),
        ("{a: [}", "yaml"),
        ("[}", "yaml"),
        ("{", "yaml"),
        ("", "yaml"),
        ("a: [", "yaml"),
    ],
)
def test_the_faults_of_broken_text_are_those_of_what_was_meant(text, media):
    document = read_text(text, file="x")
    assert (document.media, document.readable) == (media, False)
    assert {problem.file for problem in document.problems} == {"x"}
    assert all(problem.code.startswith((media, "empty")) for problem in document.problems)


@pytest.mark.parametrize("media", ["yaml", "json"])
def test_text_is_read_as_what_it_is_said_to_be(media):
    document = read_text('\ufeff{"a": 1e3, "b": []}', media=media)
    assert (document.media, document.data) == (media, {"a": 1000.0, "b": []})
    assert document.text[slice(*document.offsets(("a",)))] == "1e3"
