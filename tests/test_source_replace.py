"""Files changed all at once or not at all, whatever comes in between."""

from __future__ import annotations

import errno
import itertools
import json
import os
import re
import stat
import subprocess
import sys
import threading
from collections import Counter
from contextlib import contextmanager
from pathlib import Path

import pytest

from subspec import SpecError
from subspec.problems import CODES, ConflictError
from subspec.source import replace
from subspec.source.files import read_bytes
from subspec.source.replace import Change, replace_files

try:
    import fcntl
except ImportError:
    fcntl = None

DESCRIPTORS = Path("/proc/self/fd")
TEMPORARY = re.compile(r"\..+\.subspec-[0-9a-f]{16}\.tmp", re.DOTALL)
RIGHTS = "system.posix_acl_access"

AS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
with_locks = pytest.mark.skipif(fcntl is None, reason="this system has no flock")


def open_descriptors() -> set[int]:
    """What is open, as far as this system tells."""
    paths = list(DESCRIPTORS.iterdir()) if DESCRIPTORS.is_dir() else []
    return {int(path.name) for path in paths if path.exists()}  # the list itself was open too


@pytest.fixture(autouse=True)
def descriptors():
    """See that nothing is left open."""
    before = open_descriptors()
    yield
    assert open_descriptors() == before


@pytest.fixture(autouse=True)
def place(tmp_path):
    """A directory to work in, in which nothing that is hidden may remain."""
    directory = tmp_path / "place"
    directory.mkdir()
    yield directory
    assert leftovers(tmp_path) == []


def leftovers(directory: Path) -> list[str]:
    return sorted(path.name for path in directory.rglob(".*"))


def snapshot(directory: Path) -> dict[str, object]:
    """All that there is below a directory."""
    found: dict[str, object] = {}
    for path in sorted(directory.rglob("*")):
        status = path.lstat()
        what: object = status.st_mode
        if path.is_symlink():
            what = str(path.readlink())
        elif path.is_file():
            what = (status.st_mode, status.st_nlink, status.st_mtime_ns, path.read_bytes())
        found[str(path.relative_to(directory))] = what
    return found


def refusal(*changes: Change) -> str:
    """Try what cannot be done; give the one problem without the name of its file."""
    with pytest.raises(SpecError) as caught:
        replace_files(changes)
    assert type(caught.value) is SpecError
    (problem,) = caught.value.problems
    assert (problem.code, problem.severity) == ("cannot-write", "error")
    assert problem.file in {str(change.path) for change in changes}
    return problem.message if problem.hint is None else f"{problem.message}; {problem.hint}"


def conflicts(*changes: Change) -> dict[str, str]:
    """Try what others have come in the way of; give the messages by the names of the files."""
    with pytest.raises(ConflictError) as caught:
        replace_files(changes)
    assert {problem.code for problem in caught.value.problems} == {"conflict"}
    assert {problem.hint for problem in caught.value.problems} == {
        "load it again and make the change there"
    }
    return {Path(problem.file or "").name: problem.message for problem in caught.value.problems}


def fail(error: int = errno.EIO):
    def function(*_args, **_options):
        raise OSError(error, os.strerror(error))

    return function


# What is done.


def test_files_are_written_made_and_removed_at_once(place):
    for name in "ab":
        (place / name).write_bytes(b"old")
    changes = [
        Change(place / "c", None, b"new c\r\n"),
        Change(place / "a", b"old", None),
        Change(place / "b", b"old", b"new b\n"),
    ]
    assert replace_files(iter(changes)) == (place / "c", place / "a", place / "b")
    assert sorted(path.name for path in place.iterdir()) == ["b", "c"]
    assert (place / "b").read_bytes() == b"new b\n"
    assert (place / "c").read_bytes() == b"new c\r\n"


def test_no_change_is_none(place):
    assert replace_files([]) == ()
    assert list(place.iterdir()) == []


@pytest.mark.parametrize("before", [b"", b"x", b"\0" * 100_000])
@pytest.mark.parametrize("after", [b"", b"y", bytes(range(256)) * 4096])
def test_bytes_are_written_as_they_are(place, before, after):
    path = place / "a"
    path.write_bytes(before)
    replace_files([Change(path, before, after)])
    assert path.read_bytes() == after


def test_what_a_reader_has_opened_stays_whole(place):
    path = place / "a"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        replace_files([Change(path, b"old", b"new")])
        assert reader.read() == b"old"


def test_a_file_that_shall_stay_as_it_is_is_not_touched(place, monkeypatch):
    for name in "ab":
        (place / name).write_bytes(b"old")
    (place / "a").chmod(0o444)
    os.link(place / "a", place / "a2")
    before = (place / "a").stat()
    made = []
    opened = os.open
    monkeypatch.setattr(os, "open", lambda path, *rest: made.append(path) or opened(path, *rest))
    same = [Change(place / "a", b"old", b"old"), Change(place / "none", None, None)]
    assert replace_files([*same, Change(place / "b", b"old", b"new")]) == (place / "b",)
    assert (place / "a").stat() == before
    assert not [path for path in made if str(path).startswith(str(place / ".a"))]
    assert replace_files(same) == ()
    assert replace_files([Change(place / "no" / "where", None, None)]) == ()
    assert not (place / "no").exists()


def test_a_file_that_shall_stay_as_it_is_is_looked_at_all_the_same(place):
    for name in ("a", "b", "made"):
        (place / name).write_bytes(b"old")
    state = snapshot(place)
    work = Change(place / "b", b"old", b"new")
    same = [Change(place / "a", b"other", b"other"), Change(place / "made", None, None)]
    assert conflicts(work, *same) == {
        "a": "it was changed by somebody else; nothing was written",
        "made": "it was created by somebody else; nothing was written",
    }
    assert snapshot(place) == state


def test_a_relative_name_is_taken_from_where_one_is(place, monkeypatch):
    (place / "sub").mkdir()
    (place / "a").write_bytes(b"old")
    monkeypatch.chdir(place / "sub")
    changes = [Change(Path("../a"), b"old", b"new"), Change(Path("b"), None, b"b")]
    assert replace_files(changes) == (Path("../a"), Path("b"))
    assert (place / "a").read_bytes() == b"new"
    assert (place / "sub" / "b").read_bytes() == b"b"


@pytest.mark.parametrize(
    "name",
    ["x" * 255, "é" * 127, "😀" * 63, "a b", "-", ".hidden", "...", "tab\tline\n", "[*]", "a.md"],
)
def test_a_file_may_have_any_name(place, monkeypatch, name):
    seen = []
    opened = os.open

    def seeing(path, flags, *rest):
        if flags & os.O_CREAT:
            seen.append((path, flags))
        return opened(path, flags, *rest)

    monkeypatch.setattr(os, "open", seeing)
    path = place / name
    replace_files([Change(path, None, b"1")])
    replace_files([Change(path, b"1", b"2")])
    assert path.read_bytes() == b"2"
    replace_files([Change(path, b"2", None)])
    assert not path.exists()

    assert len({temporary for temporary, _ in seen}) == 2
    for temporary, flags in seen:
        assert temporary.parent == Path(os.path.realpath(place))
        assert TEMPORARY.fullmatch(temporary.name)
        assert temporary.name.startswith(f".{name[:20]}")
        assert len(os.fsencode(temporary.name)) <= 143
        assert flags & os.O_EXCL
        assert flags & getattr(os, "O_NOFOLLOW", 0) == getattr(os, "O_NOFOLLOW", 0)


def test_it_is_written_by_and_by_when_the_system_takes_little(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    write = os.write
    monkeypatch.setattr(os, "write", lambda descriptor, data: write(descriptor, data[:3]))
    replace_files([Change(place / "a", b"old", b"0123456789")])
    assert (place / "a").read_bytes() == b"0123456789"


def test_text_and_names_are_on_the_disk_before_it_is_said_that_they_are(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    (place / "b").write_bytes(b"old")
    steps = []
    sync = os.fsync

    def syncing(descriptor):
        status = os.fstat(descriptor)
        what = "directory" if stat.S_ISDIR(status.st_mode) else os.pread(descriptor, 9, 0)
        steps.append((what, status.st_ino))
        sync(descriptor)

    def recording(name):
        method = getattr(Path, name)

        def function(self, *rest):
            steps.append((name, self.name[:1]))
            return method(self, *rest)

        monkeypatch.setattr(Path, name, function)

    opened = os.open
    monkeypatch.setattr(
        os,
        "open",
        # So that what was written can be read above.
        lambda path, flags, *rest: opened(
            path, (flags & ~os.O_WRONLY) | os.O_RDWR if flags & os.O_CREAT else flags, *rest
        ),
    )
    monkeypatch.setattr(os, "fsync", syncing)
    recording("replace")
    recording("rename")
    replace_files(
        [
            Change(place / "a", b"old", b"new a"),
            Change(place / "b", b"old", None),
            Change(place / "sub" / "deep" / "c", None, b"new c"),
        ]
    )
    directories = [place, place / "sub", place / "sub" / "deep"]
    assert steps[:2] == [
        (b"new a", (place / "a").stat().st_ino),
        (b"new c", (place / "sub" / "deep" / "c").stat().st_ino),
    ]
    assert steps[2:4] == [("replace", "."), ("rename", "b")]
    assert sorted(steps[4:]) == sorted(("directory", path.stat().st_ino) for path in directories)


@pytest.mark.parametrize("error", [errno.EINVAL, errno.ENOTSUP, errno.ENOSYS])
def test_a_system_that_cannot_sync_directories_does_without(place, monkeypatch, error):
    (place / "a").write_bytes(b"old")
    sync = os.fsync

    def syncing(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            fail(error)()
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", syncing)
    replace_files([Change(place / "a", b"old", b"new")])
    assert (place / "a").read_bytes() == b"new"


# What is kept.


@pytest.mark.parametrize("mode", [0o644, 0o600, 0o755, 0o666, 0o640, 0o220, 0o2755])
@pytest.mark.parametrize("umask", [0o022, 0o077, 0o000])
def test_the_mode_of_a_file_is_kept(place, mode, umask):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    mode = stat.S_IMODE(path.stat().st_mode)
    with the_umask(umask):
        replace_files([Change(path, b"old", b"new")])
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize("umask", [0o022, 0o077, 0o002, 0o000])
def test_a_new_file_gets_its_mode_by_the_umask_which_is_left_alone(place, monkeypatch, umask):
    with the_umask(umask):
        with monkeypatch.context() as patch:
            patch.setattr(os, "umask", fail())
            replace_files([Change(place / "sub" / "a", None, b"new")])
        (place / "usual").touch()
        (place / "directory").mkdir()
    assert (place / "sub" / "a").stat().st_mode == (place / "usual").stat().st_mode
    assert (place / "sub").stat().st_mode == (place / "directory").stat().st_mode


@contextmanager
def the_umask(umask):
    usual = os.umask(umask)
    try:
        yield
    finally:
        os.umask(usual)


@pytest.mark.parametrize("original", [0o600, 0o666])
def test_nobody_else_can_read_a_text_before_it_has_its_mode(place, monkeypatch, original):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(original)
    modes = []
    write = os.write

    def seeing(descriptor, data):
        modes.append(stat.S_IMODE(os.fstat(descriptor).st_mode))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", seeing)
    with the_umask(0):
        replace_files([Change(path, b"old", b"new")])
    assert modes == [0o600]


@pytest.mark.skipif(not AS_ROOT, reason="only the superuser may give files away")
def test_owner_and_group_of_a_file_are_kept(place):
    path = place / "a"
    path.write_bytes(b"old")
    os.chown(path, 12345, 54321)
    path.chmod(0o4750)
    replace_files([Change(path, b"old", b"new")])
    status = path.stat()
    assert (status.st_uid, status.st_gid) == (12345, 54321)
    assert stat.S_IMODE(status.st_mode) == 0o4750


def pretend_ownership(monkeypatch, uid, gid):
    """Let what is made by us seem to be owned by somebody else than the original."""
    fstat = os.fstat

    def seeming(descriptor):
        status = fstat(descriptor)
        owner = (status.st_uid + uid, status.st_gid + gid)
        return os.stat_result((*status[:4], *owner, *status[6:]))

    monkeypatch.setattr(os, "fstat", seeming)


def test_owner_and_group_are_given_to_the_new_text(place, monkeypatch):
    path = place / "a"
    path.write_bytes(b"old")
    status = path.stat()
    given = []
    monkeypatch.setattr(os, "fchown", lambda _, *owner: given.append(owner), raising=False)
    replace_files([Change(path, b"old", b"1")])
    for owner in ((1, 0), (0, 1)):
        with monkeypatch.context() as patch:
            pretend_ownership(patch, *owner)
            replace_files([Change(path, path.read_bytes(), b"2" * sum(owner) + bytes(owner))])
    assert given == [(status.st_uid, status.st_gid)] * 2


@pytest.mark.parametrize("error", [errno.EPERM, errno.EINVAL])
def test_an_owner_that_cannot_be_kept_is_not_lost(place, monkeypatch, error):
    path = place / "a"
    path.write_bytes(b"old")
    state = snapshot(place)
    monkeypatch.setattr(os, "fchown", fail(error), raising=False)
    pretend_ownership(monkeypatch, 1, 0)
    assert refusal(Change(path, b"old", b"new")) == (
        "cannot write it, and it is as it was: it belongs to somebody else, and would be yours"
    )
    assert snapshot(place) == state


@pytest.mark.parametrize(
    ("mode", "left"), [(0o660, 0o600), (0o664, 0o644), (0o2775, 0o755), (0o606, 0o606)]
)
def test_a_group_that_cannot_be_kept_gives_its_rights_to_no_other(place, monkeypatch, mode, left):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(mode)
    monkeypatch.setattr(os, "fchown", fail(errno.EPERM), raising=False)
    pretend_ownership(monkeypatch, 0, 1)
    replace_files([Change(path, b"old", b"new")])
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == left


def test_a_mode_is_set_by_name_where_the_system_knows_no_other_way(place, monkeypatch):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(0o640)
    monkeypatch.delattr(os, "fchmod", raising=False)
    replace_files([Change(path, b"old", b"new")])
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_mode_that_is_right_already_is_not_asked_for(place, monkeypatch):
    # File systems where all files have one mode refuse to set it.
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(0o600)
    monkeypatch.setattr(os, "fchmod", fail(errno.EPERM), raising=False)
    replace_files([Change(path, b"old", b"new")])
    path.chmod(0o640)
    assert refusal(Change(path, b"new", b"newer")) == (
        "cannot write it, and it is as it was: operation not permitted"
    )
    assert path.read_bytes() == b"new"


def with_attribute(path: Path, name: str, value: bytes) -> None:
    try:
        os.setxattr(path, name, value)
    except (AttributeError, OSError):
        pytest.skip(f"this file system has no {name}")


def rights(*entries: tuple[int, int, int]) -> bytes:
    """An access control list, as Linux keeps it."""
    data = (2).to_bytes(4, "little")
    for kind, allowed, who in entries:
        data += kind.to_bytes(2, "little") + allowed.to_bytes(2, "little")
        data += who.to_bytes(4, "little")
    return data


NOBODY = 0xFFFFFFFF
# The owner may read and write, so may user 12345; the group may nothing, and nobody else.
BUT_NOT_THE_GROUP = rights(
    (1, 6, NOBODY), (2, 6, 12345), (4, 0, NOBODY), (16, 6, NOBODY), (32, 0, NOBODY)
)


def test_extended_attributes_are_kept(place):
    path = place / "a"
    path.write_bytes(b"old")
    with_attribute(path, "user.origin", b"\0\1")
    replace_files([Change(path, b"old", b"new")])
    assert os.getxattr(path, "user.origin") == b"\0\1"


def test_an_access_control_list_is_kept(place):
    path = place / "a"
    path.write_bytes(b"old")
    with_attribute(path, RIGHTS, BUT_NOT_THE_GROUP)
    mode = path.stat().st_mode
    replace_files([Change(path, b"old", b"new")])
    assert os.getxattr(path, RIGHTS) == BUT_NOT_THE_GROUP
    assert path.stat().st_mode == mode


def test_an_access_control_list_that_is_lost_gives_its_rights_to_no_group(place, monkeypatch):
    path = place / "a"
    path.write_bytes(b"old")
    with_attribute(path, RIGHTS, BUT_NOT_THE_GROUP)
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    monkeypatch.setattr(os, "setxattr", fail(errno.ENOTSUP))
    replace_files([Change(path, b"old", b"new")])
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_the_rights_that_a_directory_gives_to_new_files_are_not_given_to_old_ones(place):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(0o660)
    with_attribute(place, "system.posix_acl_default", BUT_NOT_THE_GROUP)
    replace_files([Change(path, b"old", b"new"), Change(place / "b", None, b"new")])
    assert RIGHTS not in os.listxattr(path)
    assert stat.S_IMODE(path.stat().st_mode) == 0o660
    assert RIGHTS in os.listxattr(place / "b")
    (place / "usual").touch()
    assert (place / "b").stat().st_mode == (place / "usual").stat().st_mode


class Attributes:
    """Extended attributes of a system that we are not on."""

    def __init__(self, monkeypatch, original, new=None):
        self.original, self.new = dict(original), dict(new or {})
        monkeypatch.setattr(os, "listxattr", lambda what: list(self.of(what)), raising=False)
        monkeypatch.setattr(os, "getxattr", lambda what, key: self.of(what)[key], raising=False)
        monkeypatch.setattr(os, "setxattr", self.set, raising=False)
        monkeypatch.setattr(
            os, "removexattr", lambda what, key: self.of(what).pop(key), raising=False
        )

    def of(self, what):
        return self.new if isinstance(what, int) else self.original

    def set(self, what, key, value):
        self.of(what)[key] = value


def test_what_vouches_for_a_text_is_not_given_to_another_one(place, monkeypatch):
    path = place / "a"
    path.write_bytes(b"old")
    found = Attributes(
        monkeypatch,
        {"user.a": b"1", "security.ima": b"2", "security.capability": b"3", "security.evm": b"4"},
        {"security.selinux": b"5", "security.ima": b"6", RIGHTS: b"7"},
    )
    replace_files([Change(path, b"old", b"new")])
    assert found.new == {"user.a": b"1", "security.selinux": b"5", "security.ima": b"6"}


def test_attributes_that_are_right_already_are_not_asked_for(place, monkeypatch):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(0o664)
    both = {"security.selinux": b"5", RIGHTS: b"6"}
    Attributes(monkeypatch, both, both)
    monkeypatch.setattr(os, "setxattr", fail(errno.EPERM))
    replace_files([Change(path, b"old", b"new")])
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


def test_attributes_that_cannot_be_kept_do_not_stand_in_the_way(place, monkeypatch):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(0o664)
    Attributes(monkeypatch, {"user.a": b"1", "trusted.b": b"2", RIGHTS: b"3"}, {RIGHTS: b"3"})
    monkeypatch.setattr(os, "setxattr", fail(errno.EPERM))
    replace_files([Change(path, b"old", b"new")])
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o664
    with monkeypatch.context() as patch:
        patch.setattr(os, "listxattr", fail(errno.ENOTSUP))
        replace_files([Change(path, b"new", b"newer")])
    monkeypatch.delattr(os, "listxattr")
    replace_files([Change(path, b"newer", b"newest")])
    assert path.read_bytes() == b"newest"
    assert stat.S_IMODE(path.stat().st_mode) == 0o664


# What is refused.


def test_files_that_others_have_changed_are_all_named_and_nothing_is_written(place):
    for name in ("changed", "made", "same", "longer"):
        (place / name).write_bytes(b"theirs")
    state = snapshot(place)
    found = conflicts(
        Change(place / "same", b"theirs", b"ours"),
        Change(place / "new" / "one", None, b"ours"),
        Change(place / "changed", b"before", b"ours"),
        Change(place / "gone", b"before", b"ours"),
        Change(place / "gone as well", b"before", None),
        Change(place / "with its" / "directory", b"before", b"ours"),
        Change(place / "made", None, b"theirs"),
        Change(place / "longer", b"their", None),
    )
    assert found == {
        "changed": "it was changed by somebody else; nothing was written",
        "gone": "it is gone; nothing was written",
        "gone as well": "it is gone; nothing was written",
        "directory": "it is gone; nothing was written",
        "made": "it was created by somebody else; nothing was written",
        "longer": "it was changed by somebody else; nothing was written",
    }
    assert snapshot(place) == state


def test_a_problem_is_of_a_kind_that_the_catalogue_has(place):
    path = place / "a"
    with pytest.raises(SpecError) as caught:
        replace_files([Change(path, b"old", b"new")])
    assert str(caught.value) == (
        f"{path}: error: it is gone; nothing was written; "
        "load it again and make the change there [conflict]"
    )
    assert CODES["conflict"].severity == "error"


@pytest.mark.parametrize("theirs", [b"theirs", None])
def test_a_change_that_comes_while_we_write_is_seen(place, monkeypatch, theirs):
    path = place / "a"
    path.write_bytes(b"old")
    sync = os.fsync

    def interfering(descriptor):
        sync(descriptor)
        if theirs is None:
            path.unlink(missing_ok=True)
        else:
            path.write_bytes(theirs)

    monkeypatch.setattr(os, "fsync", interfering)
    found = conflicts(Change(path, b"old", b"new"), Change(place / "b", None, b"new"))
    assert list(found) == ["a"]
    assert sorted(path.name for path in place.iterdir()) == ["a"] * (theirs is not None)
    assert theirs is None or path.read_bytes() == theirs


@pytest.mark.parametrize("theirs", [b"theirs", b"ours"])
def test_a_file_that_somebody_makes_at_the_last_moment_stays_theirs(place, monkeypatch, theirs):
    (place / "b").write_bytes(b"old")
    link = Path.hardlink_to

    def interfering(self, target):
        if self == place / "a":
            self.write_bytes(theirs)
        link(self, target)

    monkeypatch.setattr(Path, "hardlink_to", interfering)
    assert conflicts(Change(place / "b", b"old", b"new"), Change(place / "a", None, b"ours")) == {
        "a": "it was created by somebody else; nothing was written"
    }
    assert (place / "a").read_bytes() == theirs
    assert (place / "b").read_bytes() == b"old"


@pytest.mark.parametrize("after", [b"new", None])
def test_a_read_only_file_is_refused(place, after):
    path = place / "a"
    path.write_bytes(b"old")
    path.chmod(0o444)
    state = snapshot(place)
    what = "write" if after else "remove"
    assert refusal(Change(path, b"old", after)) == (
        f"cannot {what} it, and it is as it was: it is read-only; make it writable first"
    )
    assert snapshot(place) == state


def test_a_file_that_we_may_not_write_is_refused(place, monkeypatch):
    path = place / "a"
    path.write_bytes(b"old")
    with monkeypatch.context() as patch:
        patch.setattr(os, "access", lambda _, mode: mode != os.W_OK)
        said = refusal(Change(path, b"old", b"new"))
    assert "it is read-only" in said
    assert path.read_bytes() == b"old"


def test_all_files_that_cannot_be_changed_are_named_at_once(place):
    for name in "abcd":
        (place / name).write_bytes(b"old")
    (place / "a").chmod(0o444)
    os.link(place / "b", place / "b2")
    os.link(place / "c", place / "c2")
    (place / "c").chmod(0o444)
    state = snapshot(place)
    with pytest.raises(SpecError) as caught:
        replace_files([Change(place / name, b"old", b"new") for name in "dabc"])
    assert [Path(problem.file or "").name for problem in caught.value.problems] == [
        "a",
        "b",
        "c",
        "c",
    ]
    assert snapshot(place) == state


def test_a_file_of_two_names_is_not_split(place):
    path = place / "a"
    path.write_bytes(b"old")
    os.link(path, place / "b")
    state = snapshot(place)
    assert refusal(Change(path, b"old", b"new")) == (
        "cannot write it, and it is as it was: "
        "it has another name (a hard link), which would keep the old text; "
        "remove the other name, or make it a symbolic link"
    )
    assert snapshot(place) == state
    assert replace_files([Change(path, b"old", None)]) == (path,)
    assert (place / "b").read_bytes() == b"old"


@pytest.mark.parametrize("before", [b"", None])
@pytest.mark.parametrize("after", [b"new", None])
def test_what_is_not_a_regular_file_is_refused(place, before, after):
    (place / "directory").mkdir()
    what = "write" if after else "remove"
    said = f"cannot {what} it, and it is as it was: "
    for name in ("directory", ".", "directory/.."):
        assert refusal(Change(place / name, before, after)) == (
            said + "it is a directory, not a file"
        )
    if hasattr(os, "mkfifo"):
        os.mkfifo(place / "fifo")
        assert refusal(Change(place / "fifo", before, after)) == said + "it is a FIFO, not a file"
        assert stat.S_ISFIFO((place / "fifo").stat().st_mode)
    assert "it is a directory" in refusal(Change(Path("/"), before, after))


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("x" * 256, "file name too long"),
        ("a\0b", "the name holds a NUL character"),
        ("a\ud800b", "no file can have that name"),
        ("file/x", "not a directory"),
        ("file/sub/x", "not a directory"),
        ("loop", "too many levels of symbolic links"),
        ("loop/x", "too many levels of symbolic links"),
        ("loop/sub/x", "too many levels of symbolic links"),
        ("nowhere/x", "the directory {place}/nowhere does not exist"),
        ("nowhere/sub/x", "the directory {place}/nowhere does not exist"),
        ("nowhere", "it is a symbolic link to nowhere"),
        ("sub\0/x", "the name holds a NUL character"),
        ("y" * 256 + "/x", "file name too long"),
    ],
)
def test_a_file_that_cannot_be_is_not_made(place, name, reason):
    (place / "file").touch()
    (place / "loop").symlink_to("loop")
    (place / "nowhere").symlink_to("not here")
    state = snapshot(place)
    other = Change(place / "new" / "other", None, b"other")
    assert refusal(other, Change(place / name, None, b"new")) == (
        "cannot write it, and it is as it was: " + reason.format(place=place)
    )
    assert snapshot(place) == state


def test_a_file_in_a_directory_in_which_none_can_be_made_is_refused(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    opened = os.open

    def opening(path, flags, *rest):
        if flags & os.O_CREAT:
            fail(errno.EACCES)()
        return opened(path, flags, *rest)

    monkeypatch.setattr(os, "open", opening)
    for name, before in (("a", b"old"), ("b", None)):
        assert refusal(Change(place / name, before, b"new")) == (
            "cannot write it, and it is as it was: "
            "no file can be made in its directory: permission denied"
        )


@pytest.mark.skipif(AS_ROOT, reason="the superuser may do everything")
def test_a_file_in_a_directory_that_is_not_ours_is_refused(place):
    (place / "a").write_bytes(b"old")
    place.chmod(0o555)
    try:
        assert refusal(Change(place / "a", b"old", b"new")) == (
            "cannot write it, and it is as it was: "
            "no file can be made in its directory: permission denied"
        )
        assert refusal(Change(place / "a", b"old", None)) == (
            "cannot remove it, and it is as it was: permission denied"
        )
    finally:
        place.chmod(0o755)
    assert (place / "a").read_bytes() == b"old"


def test_a_file_that_cannot_be_read_is_refused(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    monkeypatch.setattr("subspec.source.files.MAX_FILE", 2)
    opened = os.open

    def opening(path, flags, *rest):
        if path == place / "a":
            fail(errno.EACCES)()
        return opened(path, flags, *rest)

    monkeypatch.setattr(os, "open", opening)
    assert refusal(Change(place / "a", b"old", b"new")) == (
        "cannot write it, and it is as it was: permission denied"
    )


def test_what_was_changed_is_said_before_what_cannot_be_read(place):
    (place / "a").mkdir()
    found = conflicts(Change(place / "a", b"old", b"new"), Change(place / "b", b"old", b"new"))
    assert list(found) == ["b"]


def test_an_error_that_the_system_does_not_name_is_said_too(place, monkeypatch):
    (place / "a").write_bytes(b"old")

    def no(*_):
        msg = "The disk is on fire"
        raise OSError(msg)

    monkeypatch.setattr(os, "write", no)
    assert refusal(Change(place / "a", b"old", b"new")).endswith(": the disk is on fire")


@pytest.mark.parametrize("error", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_leaves_all_as_it_was(place, monkeypatch, error):
    for name in "ab":
        (place / name).write_bytes(b"old")
    state = snapshot(place)
    write = os.write
    room = [5]

    def writing(descriptor, data):
        if not room[0]:
            fail(error)()
        written = write(descriptor, data[: room[0]])
        room[0] -= written
        return written

    monkeypatch.setattr(os, "write", writing)
    said = refusal(*(Change(place / name, b"old", b"new") for name in "ab"))
    assert said == f"cannot write it, and it is as it was: {os.strerror(error).lower()}"
    assert snapshot(place) == state


def test_a_file_that_may_not_grow_leaves_all_as_it_was(place):
    resource = pytest.importorskip("resource")
    for name in "ab":
        (place / name).write_bytes(b"old")
    state = snapshot(place)
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
    try:
        said = refusal(
            Change(place / "a", b"old", b"new"), Change(place / "b", b"old", b"new" * 10_000)
        )
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert said == "cannot write it, and it is as it was: file too large"
    assert snapshot(place) == state


def test_two_changes_of_one_file_are_a_mistake(place):
    (place / "sub").mkdir()
    (place / "a").write_bytes(b"old")
    (place / "link").symlink_to("a")
    state = snapshot(place)
    for other in ("a", "sub/../a", "link"):
        changes = [Change(place / "a", b"old", b"1"), Change(place / other, b"old", b"2")]
        with pytest.raises(ValueError, match=r"^two changes are of the same file$") as caught:
            replace_files([Change(place / "n" / "new", None, b"new"), *changes])
        assert type(caught.value) is ValueError
    with pytest.raises(ValueError, match=r"^two changes are of the same file$"):
        replace_files([Change(place / "new", None, b"1"), Change(place / "new", None, b"2")])
    assert snapshot(place) == state


def test_a_directory_of_two_names_is_locked_once_and_its_files_told_apart(place, monkeypatch):
    # As where one directory is mounted twice, which no path tells.
    (place / "sub").mkdir()
    (place / "twin").symlink_to("sub")
    for name in "ab":
        (place / "sub" / name).write_bytes(b"old")
    monkeypatch.setattr(os.path, "realpath", lambda path, **_: os.path.abspath(path))  # noqa: PTH100
    changes = [
        Change(place / "sub" / "a", b"old", b"1"),
        Change(place / "twin" / "b", b"old", b"2"),
    ]
    assert len(replace_files(changes)) == 2
    with pytest.raises(ValueError, match=r"^two changes are of the same file$"):
        replace_files(
            [Change(place / "sub" / "a", b"1", b"3"), Change(place / "twin" / "a", b"1", b"4")]
        )
    assert (place / "sub" / "a").read_bytes() == b"1"
    assert (place / "sub" / "b").read_bytes() == b"2"


# Links.


def test_a_symbolic_link_is_written_through(place):
    for name in ("here", "there"):
        (place / name).mkdir()
    (place / "there" / "a").write_bytes(b"old")
    (place / "here" / "chain").symlink_to("../by")
    (place / "by").symlink_to(place / "there")
    (place / "here" / "a").symlink_to("chain/a")
    (place / "here").chmod(0o555)  # nothing is written here
    try:
        path = place / "here" / "a"
        assert replace_files([Change(path, b"old", b"new")]) == (path,)
    finally:
        (place / "here").chmod(0o755)
    assert str(path.readlink()) == "chain/a"
    assert (place / "there" / "a").read_bytes() == b"new"
    assert not (place / "there" / "a").is_symlink()


def test_of_a_symbolic_link_only_the_link_is_removed(place):
    (place / "there").mkdir()
    target = place / "there" / "a"
    target.write_bytes(b"old")
    target.chmod(0o444)
    (place / "a").symlink_to("there/a")
    assert conflicts(Change(place / "a", b"other", None)) == {
        "a": "it was changed by somebody else; nothing was written"
    }
    assert replace_files([Change(place / "a", b"old", None)]) == (place / "a",)
    assert not os.path.lexists(place / "a")
    assert target.read_bytes() == b"old"


def test_a_link_and_what_it_leads_to_are_two_names(place):
    (place / "a").write_bytes(b"old")
    (place / "link").symlink_to("a")
    changes = [Change(place / "link", b"old", None), Change(place / "a", b"old", b"new")]
    assert len(replace_files(changes)) == 2
    assert [path.name for path in place.iterdir()] == ["a"]
    assert (place / "a").read_bytes() == b"new"


def test_a_link_to_nowhere_leads_to_a_file_that_is_gone(place):
    (place / "a").symlink_to("nowhere")
    for after in (b"new", None):
        assert conflicts(Change(place / "a", b"old", after)) == {
            "a": "it is gone; nothing was written"
        }
    assert refusal(Change(place / "a", None, None)).endswith(": it is a symbolic link to nowhere")
    assert (place / "a").is_symlink()


@with_locks
def test_a_link_that_is_turned_elsewhere_while_we_wait_is_followed(place, monkeypatch):
    for name in ("one", "two"):
        (place / name).mkdir()
        (place / name / "a").write_bytes(b"old")
    link = place / "a"
    link.symlink_to("one/a")
    flock = fcntl.flock
    waited = []

    def waiting(descriptor, operation):
        flock(descriptor, operation)
        if operation == fcntl.LOCK_UN:
            return
        if not waited:
            link.unlink()
            link.symlink_to("two/a")
        waited.append(1)

    monkeypatch.setattr(fcntl, "flock", waiting)
    replace_files([Change(link, b"old", b"new")])
    assert (place / "one" / "a").read_bytes() == b"old"
    assert (place / "two" / "a").read_bytes() == b"new"
    assert len(waited) == 2


# Directories that are made.


def test_missing_directories_of_a_new_file_are_made(place):
    names = ["p/q/r/a", "p/q/b", "s/../c", "p/q/../d"]
    replace_files([Change(place / name, None, name.encode()) for name in names])
    assert all((place / name).read_bytes() == name.encode() for name in names)


def test_directories_that_were_made_in_vain_are_removed_again(place, monkeypatch):
    (place / "there").mkdir()
    state = snapshot(place)
    monkeypatch.setattr(os, "fsync", fail())
    refusal(
        Change(place / "there" / "p" / "q" / "a", None, b"a"), Change(place / "n" / "b", None, b"b")
    )
    assert snapshot(place) == state


def test_a_directory_that_others_have_put_something_in_stays(place, monkeypatch):
    def interfering(_):
        (place / "p" / "theirs").touch()
        fail()()

    monkeypatch.setattr(os, "fsync", interfering)
    refusal(Change(place / "p" / "q" / "a", None, b"a"))
    assert list(snapshot(place)) == ["p", "p/theirs"]


def test_a_directory_that_others_make_at_the_same_time_stays(place, monkeypatch):
    mkdir = Path.mkdir

    def interfering(self):
        mkdir(self)
        mkdir(self)

    monkeypatch.setattr(Path, "mkdir", interfering)
    monkeypatch.setattr(os, "write", fail())
    refusal(Change(place / "p" / "a", None, b"a"))
    assert (place / "p").is_dir()


def test_a_directory_that_goes_while_others_fail_is_made_again(place, monkeypatch):
    mkdir = Path.mkdir
    calls = []

    def interfering(self):
        calls.append(self)
        if len(calls) == 2:
            (place / "p").rmdir()
        mkdir(self)

    monkeypatch.setattr(Path, "mkdir", interfering)
    replace_files([Change(place / "p" / "q" / "a", None, b"a")])
    assert (place / "p" / "q" / "a").read_bytes() == b"a"
    assert len(calls) == 4


def test_a_directory_that_goes_again_and_again_is_given_up(place, monkeypatch):
    monkeypatch.setattr(Path, "mkdir", fail(errno.ENOENT))
    assert refusal(Change(place / "p" / "a", None, b"a")) == (
        f"cannot write it, and it is as it was: the directory {place} does not exist"
    )


# Others at the same time.


def is_free(directory: Path) -> bool:
    """Whether nobody has locked a directory, this process included."""
    if fcntl is None or not directory.exists():
        return True
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    finally:
        os.close(descriptor)
    return True


@with_locks
def test_the_directories_are_locked_while_files_are_changed(place, monkeypatch):
    names = [".", "one", "two", "three"]
    for name in names[1:]:
        (place / name).mkdir()
    (place / "one" / "a").write_bytes(b"old")
    (place / "three" / "a").write_bytes(b"same")
    (place / "link").symlink_to("one/a")
    free = []

    def watching(method):
        def function(*args, **options):
            free.append([name for name in names if is_free(place / name)])
            return method(*args, **options)

        return function

    for owner, name in ((os, "fsync"), (Path, "replace"), (Path, "hardlink_to"), (Path, "unlink")):
        monkeypatch.setattr(owner, name, watching(getattr(owner, name)))
    monkeypatch.setattr(replace, "read_bytes", watching(read_bytes))
    replace_files(
        [
            Change(place / "link", b"old", b"new"),
            Change(place / "two" / "b", None, b"new"),
            Change(place / "three" / "a", b"same", b"same"),
        ]
    )
    assert len(free) > 10
    assert {tuple(names) for names in free} == {(".",)}
    monkeypatch.undo()
    assert all(is_free(place / name) for name in names)


@with_locks
def test_directories_are_locked_in_one_order_whatever_they_are_called(place, monkeypatch):
    names = ["d", "b", "c", "a"]
    for name in names:
        (place / name).mkdir()
    orders = []
    flock = fcntl.flock

    def locking(descriptor, operation):
        if operation == fcntl.LOCK_EX:
            orders[-1].append(os.fstat(descriptor).st_ino)
        flock(descriptor, operation)

    monkeypatch.setattr(fcntl, "flock", locking)
    for order in itertools.permutations(names):
        orders.append([])
        replace_files([Change(place / name / "x", None, None) for name in order])
    assert len(set(map(tuple, orders))) == 1
    assert len(set(orders[0])) == 4


@with_locks
def test_a_directory_that_is_another_one_after_waiting_is_locked_anew(place, monkeypatch):
    directory = place / "p"
    directory.mkdir()
    (directory / "a").write_bytes(b"old")
    flock = fcntl.flock
    moved = []

    def waiting(descriptor, operation):
        flock(descriptor, operation)
        if operation == fcntl.LOCK_EX and len(moved) < limit:
            directory.rename(place / f"moved {len(moved)}")
            moved.append(directory)
            directory.mkdir()
            (directory / "a").write_bytes(b"old")

    monkeypatch.setattr(fcntl, "flock", waiting)
    limit = 2
    replace_files([Change(directory / "a", b"old", b"new")])
    assert len(moved) == 2
    assert (directory / "a").read_bytes() == b"new"
    assert (place / "moved 0" / "a").read_bytes() == b"old"

    limit = 1000
    assert refusal(Change(directory / "a", b"new", b"newer")) == (
        "cannot write it, and it is as it was: its directory comes and goes"
    )


@with_locks
def test_a_new_directory_that_was_removed_while_we_waited_is_made_again(place, monkeypatch):
    flock = fcntl.flock
    waited = []

    def waiting(descriptor, operation):
        flock(descriptor, operation)
        waited.append(descriptor)
        if len(waited) == 1:
            (place / "p").rmdir()

    monkeypatch.setattr(fcntl, "flock", waiting)
    replace_files([Change(place / "p" / "a", None, b"new")])
    assert (place / "p" / "a").read_bytes() == b"new"


def without_fcntl(monkeypatch):
    monkeypatch.setitem(sys.modules, "fcntl", None)


def without_flock(monkeypatch):
    if fcntl is None:
        pytest.skip("this system has none anyway")
    monkeypatch.setattr(fcntl, "flock", fail(errno.ENOLCK))


def without_open_directories(monkeypatch):
    opened = os.open

    def opening(path, flags, *rest):
        if os.path.isdir(path):  # noqa: PTH112 - it may be open already
            fail(errno.EACCES)()
        return opened(path, flags, *rest)

    monkeypatch.setattr(os, "open", opening)


@pytest.mark.parametrize("without", [without_fcntl, without_flock, without_open_directories])
def test_where_nothing_can_be_locked_it_is_done_without(place, monkeypatch, without):
    (place / "a").write_bytes(b"old")
    (place / "b").write_bytes(b"old")
    other = place / ".a.subspec-0123456789abcdef.tmp"
    other.write_bytes(b"of somebody who may be at work")
    with monkeypatch.context() as patch:
        without(patch)
        replace_files(
            [
                Change(place / "a", b"old", b"new"),
                Change(place / "b", b"old", None),
                Change(place / "p" / "c", None, b"new"),
            ]
        )
        assert conflicts(Change(place / "a", b"old", b"newer"))
    assert list(snapshot(place)) == [other.name, "a", "p", "p/c"]
    assert (place / "a").read_bytes() == b"new"
    other.unlink()


def test_what_killed_processes_have_left_is_removed(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    mine = [".a.subspec-0123456789abcdef.tmp", ".a.subspec-ffffffffffffffff.tmp"]
    for name in mine:
        (place / name).touch()
    # As a process leaves it that is killed right after it has made a backup of a file, or of a
    # link that it was to remove.
    os.link(place / "a", place / ".a.subspec-0000000000000000.tmp")
    (place / ".a.subspec-1111111111111111.tmp").symlink_to("a")
    theirs = [
        "..a.subspec-0123456789abcdef.tmp",
        ".a.subspec-0123456789abcde.tmp",
        ".a.subspec-0123456789abcdef0.tmp",
        ".a.subspec-0123456789ABCDEF.tmp",
        ".a.subspec-0123456789abcdef.tmp.md",
        ".a.subspec-0123456789abcdef.tmp\n",
        ".b.subspec-0123456789abcdef.tmp",
        ".a.b.subspec-0123456789abcdef.tmp",
        "a.subspec-0123456789abcdef.tmp",
        "x.a.subspec-0123456789abcdef.tmp",
    ]
    for name in theirs:
        (place / name).touch()
    directory = place / ".a.subspec-2222222222222222.tmp"
    directory.mkdir()
    replace_files([Change(place / "a", b"old", b"new")])
    assert sorted(path.name for path in place.iterdir()) == sorted([*theirs, "a", directory.name])
    for name in theirs:
        (place / name).unlink()
    directory.rmdir()

    leftover = place / mine[0]
    leftover.touch()
    with monkeypatch.context() as patch:
        patch.setattr(Path, "iterdir", fail())
        replace_files([Change(place / "a", b"new", b"newer")])
    assert leftover.exists()
    leftover.unlink()


@pytest.mark.parametrize("name", ["é" * 120, "two\nlines", "x"])
def test_what_was_left_of_a_name_is_removed(place, name):
    path = place / name
    seen = []
    with pytest.MonkeyPatch.context() as patch:
        # A process that cleans nothing up is as good as one that was killed.
        patch.setattr(replace, "_clean_up", lambda _: seen.extend(leftovers(place)))
        replace_files([Change(path, None, b"1")])
    assert len(seen) == 1
    assert path.stat().st_nlink == 2
    replace_files([Change(path, b"1", b"2")])
    assert [path.name for path in place.iterdir()] == [path.name]


@pytest.mark.parametrize("error", [OSError, KeyboardInterrupt])
def test_what_cannot_be_removed_now_is_removed_by_the_next(place, monkeypatch, error):
    path = place / "a"
    path.write_bytes(b"old")

    def unlinking(*_, **__):
        raise error

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", unlinking)
        if error is OSError:
            replace_files([Change(path, b"old", b"new")])
        else:
            with pytest.raises(KeyboardInterrupt):
                replace_files([Change(path, b"old", b"new")])
    assert path.read_bytes() == b"new"
    assert len(leftovers(place)) == 1
    replace_files([Change(path, b"new", b"newer")])
    assert [path.name for path in place.iterdir()] == ["a"]


# Where the file system has no links.


@pytest.mark.parametrize("error", [OSError(errno.EPERM, "no"), NotImplementedError("no")])
def test_without_hard_links_it_works_as_well(place, monkeypatch, error):
    def no(*_):
        raise error

    monkeypatch.setattr(Path, "hardlink_to", no)
    for name in "ab":
        (place / name).write_bytes(b"old")
        (place / name).chmod(0o640)
        os.utime(place / name, ns=(10**18, 10**18))
    state = snapshot(place)
    changes = [
        Change(place / "a", b"old", b"new"),
        Change(place / "b", b"old", None),
        Change(place / "c", None, b"new"),
    ]
    rename = Path.rename
    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", lambda *_: fail()())
        refusal(*changes)
    assert Path.rename is rename
    assert snapshot(place) == state
    assert len(replace_files(changes)) == 3
    assert (place / "a").read_bytes() == (place / "c").read_bytes() == b"new"
    assert list(snapshot(place)) == ["a", "c"]


def test_a_link_that_was_made_although_its_answer_was_lost_counts(place, monkeypatch):
    # As over a network.
    link = Path.hardlink_to

    def linking(self, target):
        link(self, target)
        fail(errno.EEXIST)()

    monkeypatch.setattr(Path, "hardlink_to", linking)
    assert replace_files([Change(place / "a", None, b"new")]) == (place / "a",)
    assert (place / "a").read_bytes() == b"new"


# All or none, whatever fails, and whenever.


def scene(place: Path) -> list[Change]:
    """One change of each kind."""
    (place / "sub").mkdir()
    (place / "a").write_bytes(b"old a")
    (place / "a").chmod(0o640)
    (place / "sub" / "b").write_bytes(b"old b")
    (place / "link").symlink_to("sub/b")
    (place / "gone").write_bytes(b"old gone")
    (place / "sub" / "gone").write_bytes(b"old gone too")
    (place / "same").write_bytes(b"same")
    (place / "dead link").symlink_to("same")
    for path in ("a", "sub/b", "gone", "sub/gone", "same"):
        os.utime(place / path, ns=(10**18, 10**18))
    return [
        Change(place / "gone", b"old gone", None),
        Change(place / "a", b"old a", b"new a"),
        Change(place / "same", b"same", b"same"),
        Change(place / "new", None, b"new new"),
        Change(place / "dead link", b"same", None),
        Change(place / "p" / "q" / "new", None, b"new below"),
        Change(place / "link", b"old b", b"new b"),
        Change(place / "sub" / "gone", b"old gone too", None),
    ]


OLD = {
    "a": b"old a",
    "gone": b"old gone",
    "same": b"same",
    "sub/b": b"old b",
    "sub/gone": b"old gone too",
    "link": b"old b",
    "dead link": b"same",
}
NEW = {
    "a": b"new a",
    "new": b"new new",
    "p/q/new": b"new below",
    "same": b"same",
    "sub/b": b"new b",
    "link": b"new b",
}
STEPS = {
    "open": (os, "open"),
    "write": (os, "write"),
    "fsync": (os, "fsync"),
    "close": (os, "close"),
    "fchmod": (os, "fchmod"),
    "replace": (Path, "replace"),
    "rename": (Path, "rename"),
    "hardlink_to": (Path, "hardlink_to"),
    "unlink": (Path, "unlink"),
    "mkdir": (Path, "mkdir"),
    "rmdir": (Path, "rmdir"),
    "lstat": (Path, "lstat"),
    "stat": (Path, "stat"),
    "read": (replace, "read_bytes"),
}


def texts(place: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(place)): path.read_bytes()
        for path in place.rglob("*")
        if path.is_file()
    }


class Failing:
    """A step that fails the n-th time, before or after it is done."""

    def __init__(self, step, number, error, *, after=False, times=1):
        self.owner, self.name = STEPS[step]
        self.method = getattr(self.owner, self.name)
        self.numbers = range(number, number + times)
        self.error, self.after = error, after
        self.count = itertools.count(1)
        self.failed = 0

    def patch(self, monkeypatch):
        def function(*args, **options):
            fails = next(self.count) in self.numbers
            self.failed += fails
            if fails and not self.after:
                raise self.error
            answer = self.method(*args, **options)
            if fails:
                if self.name == "open":
                    os.close(answer)
                raise self.error
            return answer

        monkeypatch.setattr(self.owner, self.name, function)
        return self


def check_all_or_none(place, changes, state, monkeypatch, *failing):
    """Run it with what fails; see that all is new or nothing is. Tell whether it failed."""
    with monkeypatch.context() as patch:
        for each in failing:
            each.patch(patch)
        try:
            done = replace_files(changes)
        except (SpecError, KeyboardInterrupt) as error:
            raised = error
        else:
            raised = None
            assert done == tuple(change.path for change in changes if change.before != change.after)
    assert leftovers(place) == []
    found = texts(place)
    if raised is None:
        assert found == NEW
    elif isinstance(raised, SpecError):
        assert snapshot(place) == state
        assert {problem.code for problem in raised.problems} == {"cannot-write"}
        assert all(problem.file for problem in raised.problems)
    else:
        assert found == NEW or snapshot(place) == state


@pytest.mark.exhaustive
@pytest.mark.parametrize("after", [False, True], ids=["instead of it", "after it"])
@pytest.mark.parametrize("kind", [OSError, KeyboardInterrupt])
@pytest.mark.parametrize("step", STEPS)
def test_all_is_changed_or_nothing_whichever_step_fails(tmp_path, monkeypatch, step, kind, after):
    if step == "close" and not after:
        pytest.skip("what is not closed is open")
    for number in itertools.count(1):
        place = tmp_path / f"{number}"
        place.mkdir()
        changes = scene(place)
        state = snapshot(place)
        assert texts(place) == OLD
        error = kind(errno.EIO, os.strerror(errno.EIO))
        failing = Failing(step, number, error, after=after)
        check_all_or_none(place, changes, state, monkeypatch, failing)
        if not failing.failed:
            assert texts(place) == NEW
            break
        if texts(place) == OLD:
            replace_files(changes)
            assert texts(place) == NEW
    assert number > 1 or (step, after) == ("rmdir", after)


@pytest.mark.exhaustive
@pytest.mark.parametrize("after", [False, True], ids=["instead of it", "after it"])
@pytest.mark.parametrize("step", ["replace", "rename", "unlink", "rmdir", "read", "fsync", "open"])
def test_an_interrupt_while_all_is_put_back_waits_until_it_is(tmp_path, monkeypatch, step, after):
    for number in itertools.count(1):
        place = tmp_path / f"{number}"
        place.mkdir()
        changes = scene(place)
        state = snapshot(place)
        second = Failing(step, number, KeyboardInterrupt(), after=after)
        with monkeypatch.context() as patch:
            Failing("rename", 3, OSError(errno.EIO, "no")).patch(patch)
            once_put_back_begins(patch, second)
            with pytest.raises((SpecError, KeyboardInterrupt)) as caught:
                replace_files(changes)
        assert isinstance(caught.value, KeyboardInterrupt) == bool(second.failed)
        assert leftovers(place) == []
        assert snapshot(place) == state
        if not second.failed:
            break
    assert number > 1


def once_put_back_begins(monkeypatch, failing):
    put_back = replace._put_back
    started = []

    def starting(*args):
        if not started:
            started.append(failing.patch(monkeypatch))
        put_back(*args)

    monkeypatch.setattr(replace, "_put_back", starting)


@pytest.mark.exhaustive
def test_all_is_changed_or_nothing_on_whichever_line_an_interrupt_comes(tmp_path):
    outcomes = Counter()
    for number in itertools.count(1):
        place = tmp_path / f"{number}"
        place.mkdir()
        for name in ("a", "gone"):
            (place / name).write_bytes(b"old")
        changes = [
            Change(place / "gone", b"old", None),
            Change(place / "a", b"old", b"new"),
            Change(place / "p" / "new", None, b"new"),
        ]
        state = snapshot(place)
        line = interrupted_at(number, changes)
        assert leftovers(place) == [], line
        is_new = texts(place) == {"a": b"new", "p/new": b"new"}
        assert is_new or snapshot(place) == state, line
        if line is None:
            break
        outcomes[is_new] += 1
    assert is_new
    assert min(outcomes.values()) > 10


def interrupted_at(number, changes):
    """Run it with an interrupt at the n-th place where one can come; say on which line."""
    # Not between the lines of these: Python looks for signals only where a function is called or a
    # loop goes round.
    apart = {"replace_files", "_replace_files"}
    places = itertools.count(1)
    hit = []

    def tracing(frame, event, _):
        if frame.f_code.co_filename != replace.__file__ or frame.f_code.co_name in apart:
            return None
        if event in {"call", "line", "return"} and next(places) == number:
            hit.append(f"{event} {frame.f_lineno}")
            raise KeyboardInterrupt
        return tracing

    usual = sys.gettrace()
    are_open = open_descriptors()
    try:
        sys.settrace(tracing)
        try:
            replace_files(changes)
        finally:
            sys.settrace(usual)
    except KeyboardInterrupt:
        pass
    # What is opened right before the interrupt has no name yet by which it could be closed; it
    # must not be locked.
    left = open_descriptors() - are_open
    assert all(is_free(change.path.parent) for change in changes), hit
    for descriptor in left:
        os.close(descriptor)
    return hit[0] if hit else None


def test_what_cannot_be_put_back_is_said_and_kept(place, monkeypatch):
    changes = scene(place)
    full = OSError(errno.EROFS, os.strerror(errno.EROFS))
    with monkeypatch.context() as patch:
        Failing("replace", 2, full, times=1000).patch(patch)
        with pytest.raises(SpecError) as caught:
            replace_files(changes)
    write, lost = caught.value.problems
    assert (write.file, write.message) == (
        str(place / "link"),
        "cannot write it, and it is as it was: read-only file system",
    )
    (backup,) = [path for path in place.iterdir() if path.name.startswith(".")]
    assert backup.read_bytes() == b"old a"
    assert str(lost) == (
        f"{place / 'a'}: error: cannot put it back: read-only file system; "
        f"what it held is in {os.path.realpath(backup)}; "
        "rename that file back before you save again [cannot-write]"
    )
    backup.rename(place / "a")
    assert texts(place) == OLD


def test_what_cannot_be_put_back_is_said_once_if_an_interrupt_comes_too(place, monkeypatch):
    changes = scene(place)
    clean_up = replace._clean_up
    cleaned = []

    def interrupted(jobs):
        cleaned.append(jobs)
        if len(cleaned) == 1:
            raise KeyboardInterrupt
        clean_up(jobs)

    with monkeypatch.context() as patch:
        Failing("replace", 2, OSError(errno.EIO, "no"), times=1000).patch(patch)
        patch.setattr(replace, "_clean_up", interrupted)
        with pytest.raises(SpecError) as caught:
            replace_files(changes)
    assert isinstance(caught.value.__cause__, KeyboardInterrupt)
    (problem,) = caught.value.problems
    assert problem.message.startswith("cannot put it back: no; what it held is in ")
    (backup,) = [path for path in place.iterdir() if path.name.startswith(".")]
    backup.rename(place / "a")
    assert texts(place) == OLD


@with_locks
def test_an_interrupt_leaves_no_directory_locked_that_it_keeps_open(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    kept = []
    close, unlock = os.close, replace._unlock

    def interrupted(descriptor):
        if kept:
            close(descriptor)
        else:
            kept.append(descriptor)
            raise KeyboardInterrupt

    def unlocking(locks):
        patch.setattr(os, "close", interrupted)
        unlock(locks)

    with monkeypatch.context() as patch:
        patch.setattr(replace, "_unlock", unlocking)
        with pytest.raises(KeyboardInterrupt):
            replace_files([Change(place / "a", b"old", b"new")])
    assert (place / "a").read_bytes() == b"new"
    assert len(kept) == 1
    assert is_free(place)
    os.close(kept[0])


def test_what_cannot_be_put_back_or_removed_again_is_said(place, monkeypatch):
    changes = scene(place)
    with monkeypatch.context() as patch:
        Failing("rename", 2, KeyboardInterrupt()).patch(patch)
        rename, unlink = Path.rename, Path.unlink

        def renaming(self, target):
            if self.name.startswith("."):
                fail(errno.EROFS)()
            rename(self, target)

        def unlinking(self, **options):
            if self.name == "new":
                fail(errno.EROFS)()
            unlink(self, **options)

        patch.setattr(Path, "rename", renaming)
        patch.setattr(Path, "unlink", unlinking)
        with pytest.raises(SpecError) as caught:
            replace_files(changes)
    assert isinstance(caught.value.__cause__, KeyboardInterrupt)
    (backup,) = [path for path in place.iterdir() if path.name.startswith(".")]
    assert backup.read_bytes() == b"old gone"
    gone, *others = map(str, caught.value.problems)
    assert gone == (
        f"{place / 'gone'}: error: cannot put it back: read-only file system; "
        f"what it held is in {os.path.realpath(backup)}; "
        "rename that file back before you save again [cannot-write]"
    )
    assert others == [
        f"{place / name}: error: cannot remove it again: read-only file system; "
        "remove it before you go on [cannot-write]"
        for name in ("new", "p/q/new")
    ]
    backup.rename(place / "gone")
    assert texts(place) == OLD | {"new": b"new new", "p/q/new": b"new below"}


def test_a_file_is_said_to_be_as_it_was_only_if_it_is(place, monkeypatch):
    # The file that fails is one that cannot be put back, too.
    (place / "a").write_bytes(b"old")
    sync = os.fsync

    def syncing(descriptor):
        if stat.S_ISDIR(os.fstat(descriptor).st_mode):
            patch.setattr(Path, "replace", fail(errno.EROFS))
            fail()()
        sync(descriptor)

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", syncing)
        said = refusal(Change(place / "a", b"old", b"new"))
    assert said.startswith("cannot put it back: read-only file system; what it held is in ")
    (backup,) = [path for path in place.iterdir() if path.name.startswith(".")]
    assert backup.read_bytes() == b"old"
    backup.unlink()


@pytest.mark.parametrize("theirs", [b"theirs", None])
def test_what_others_have_written_since_is_not_undone(place, monkeypatch, theirs):
    for name in ("a", "b", "c"):
        (place / name).write_bytes(b"old")
    rename = Path.rename

    def interfering(self, target):
        rename(self, target)
        for name in ("a", "b", "new"):
            if theirs is None:
                (place / name).unlink(missing_ok=True)
            else:
                (place / name).write_bytes(theirs)
        if theirs is None:
            (place / "b").write_bytes(b"made again")
        fail()()

    with monkeypatch.context() as patch:
        patch.setattr(Path, "rename", interfering)
        refusal(
            Change(place / "a", b"old", b"ours"),
            Change(place / "new", None, b"ours"),
            Change(place / "b", b"old", None),
        )
    if theirs is None:
        assert texts(place) == {"b": b"made again", "c": b"old"}
    else:
        assert texts(place) == {"a": theirs, "b": theirs, "new": theirs, "c": b"old"}


def test_a_file_that_cannot_be_read_any_more_is_put_back_all_the_same(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    (place / "b").write_bytes(b"old")
    state = snapshot(place)
    with monkeypatch.context() as patch:

        def interfering(*_):
            patch.setattr("subspec.source.files.os.fstat", fail())
            fail()()

        patch.setattr(Path, "rename", interfering)
        refusal(Change(place / "a", b"old", b"new"), Change(place / "b", b"old", None))
    assert snapshot(place) == state


# Processes.


def start(script: str, *arguments: object, **options) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", script, *map(str, arguments)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        **options,
    )


RACER = """
import sys
from pathlib import Path
from subspec.problems import ConflictError
from subspec.source.replace import Change, replace_files

place, name = Path(sys.argv[1]), sys.argv[2]
print("ready", flush=True)
for line in sys.stdin:
    number = int(line)
    before = (place / "a").read_bytes()
    print("read", flush=True)
    sys.stdin.readline()
    text = f"{number} {name}".encode()
    changes = [
        Change(place / "a", before, text * 1000),
        Change(place / "sub" / "b", (place / "sub" / "b").read_bytes(), text),
        Change(place / "new" / f"{number}", None, name.encode()),
    ]
    try:
        replace_files(changes if name < "c" else changes[::-1])
        print("won", flush=True)
    except ConflictError as error:
        print("conflict", flush=True)
"""


@pytest.mark.exhaustive
@with_locks
def test_of_processes_that_save_at_once_one_wins_and_the_others_are_told(place):
    (place / "sub").mkdir()
    (place / "a").write_bytes(b"start")
    (place / "sub" / "b").write_bytes(b"start")
    rounds, winners = 100, Counter()
    racers = {name: start(RACER, place, name) for name in "abc"}

    def hear():
        return {name: racer.stdout.readline().strip() for name, racer in racers.items()}

    def say(line):
        for racer in racers.values():
            racer.stdin.write(f"{line}\n")
            racer.stdin.flush()

    try:
        assert set(hear().values()) == {"ready"}
        for number in range(rounds):
            say(number)
            assert set(hear().values()) == {"read"}
            say("go")
            answers = hear()
            assert sorted(answers.values()) == ["conflict", "conflict", "won"]
            (winner,) = [name for name, answer in answers.items() if answer == "won"]
            winners[winner] += 1
            assert (place / "a").read_text() == f"{number} {winner}" * 1000
            assert (place / "sub" / "b").read_text() == f"{number} {winner}"
            assert (place / "new" / f"{number}").read_text() == winner
        assert leftovers(place) == []
    finally:
        for racer in racers.values():
            racer.communicate()
    assert sum(winners.values()) == rounds


@with_locks
def test_of_threads_that_save_at_once_one_wins(place):
    path = place / "new" / "a"
    outcomes = []
    barrier = threading.Barrier(8)

    def run(name):
        for number in range(10):
            barrier.wait()
            try:
                replace_files([Change(path.with_name(f"{number}"), None, name)])
                outcomes.append((number, "won"))
            except ConflictError:
                outcomes.append((number, "conflict"))

    threads = [threading.Thread(target=run, args=(b"%d" % number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Counter(outcomes) == Counter(
        {
            (number, answer): times
            for number in range(10)
            for answer, times in (("won", 1), ("conflict", 7))
        }
    )


VICTIMS = """
import json, os, random, signal, sys, time
from pathlib import Path
from subspec.source.replace import Change, replace_files

place, kills = Path(sys.argv[1]), int(sys.argv[2])
a, b, c = (place / name for name in ("a", "b", "c"))


def text(path):
    return path.read_bytes() if path.exists() else None


def save(number):
    replace_files([
        Change(a, text(a), b"%d " % number * 2000),
        Change(b, text(b), b"%d " % number * 2000),
        Change(c, text(c), None if c.exists() else b"%d " % number * 2000),
    ])


def is_whole(data):
    words = data.split()
    return len(words) == 2000 and len(set(words)) == 1


save(0)
left, nothing_left, mixed, number = 0, 0, 0, 0
for kill in range(kills):
    number += 1000
    ours, theirs = os.pipe()
    child = os.fork()
    if not child:
        try:
            for each in range(number, number + 1000):
                os.write(theirs, b".")
                save(each)
        finally:
            os._exit(1)
    os.read(ours, 1)
    time.sleep(random.random() * 0.01)
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(ours)
    os.close(theirs)
    assert os.WIFSIGNALED(status), status
    found = [path for path in place.iterdir() if path.name.startswith(".")]
    left, nothing_left = left + bool(found), nothing_left + (not found)
    assert is_whole(a.read_bytes()) and is_whole(b.read_bytes()), kill
    assert not c.exists() or is_whole(c.read_bytes()), kill
    mixed += a.read_bytes() != b.read_bytes()
    save(number + 1000)
    names = sorted(path.name for path in place.iterdir())
    assert names in (["a", "b"], ["a", "b", "c"]), names
    assert a.read_bytes() == b.read_bytes() == b"%d " % (number + 1000) * 2000
    assert a.stat().st_nlink == 1
print(json.dumps([left, nothing_left, mixed]))
"""


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system cannot fork")
def test_a_process_that_is_killed_leaves_whole_files_and_no_trace_after_the_next(place):
    killer = start(VICTIMS, place, 300)
    answer, _ = killer.communicate()
    assert killer.returncode == 0
    left, nothing_left, _ = json.loads(answer)
    assert left + nothing_left == 300
    assert left > 10  # it was hit where it hurts


def test_a_file_that_can_be_opened_and_not_read_is_refused(place, monkeypatch):
    (place / "a").write_bytes(b"old")
    monkeypatch.setattr(replace, "read_bytes", fail(errno.EIO))

    assert refusal(Change(place / "a", b"old", b"new")).startswith("cannot write it, and it is as")
