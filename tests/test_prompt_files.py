"""Prompts in files of their own: where they are looked for, and which are taken."""

import json
import os
from pathlib import Path

import pytest

from subspec import Problem, SpecError, SpecWarning, check, load, loads
from subspec.structure.prompts import MAX_PROMPT_FILE, Prompt, PromptFiles

SPEC = "agents:\n  writer:\n    description: Writes.\n    prompt_file: {}\n"


@pytest.fixture
def team(tmp_path):
    """Give a spec in a directory of its own, which names a prompt file beside it."""
    path = tmp_path / "team" / "team.yaml"
    path.parent.mkdir()
    path.write_text(SPEC.format("writer.md"))
    return path


def put(path: Path, content: bytes = b"Write.") -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def only_problem(path: Path, **options: Path) -> Problem:
    (problem,) = check(path, **options)
    return problem


# What is read


def test_a_prompt_file_is_looked_up_beside_the_file_that_names_it(team, tmp_path, monkeypatch):
    put(team.parent / "writer.md", b"Write in plain words.\n")
    put(tmp_path / "writer.md", b"The wrong one.")
    monkeypatch.chdir(tmp_path)
    writer = load("team/team.yaml").agents["writer"]
    assert writer.prompt == "Write in plain words.\n"
    assert writer.origin.prompt_file == Path("team/writer.md")


def test_text_has_prompt_files_where_it_says(tmp_path):
    put(tmp_path / "prompts" / "writer.md")
    text = SPEC.format("./prompts/writer.md")
    for base_dir in (tmp_path, str(tmp_path)):
        writer = loads(text, base_dir=base_dir).agents["writer"]
        assert writer.prompt == "Write."
        assert writer.origin.prompt_file == tmp_path / "prompts" / "writer.md"


def test_a_prompt_in_the_file_itself_has_no_prompt_file():
    text = SPEC.replace("prompt_file", "prompt").format("Write.")
    assert loads(text).agents["writer"].origin.prompt_file is None


@pytest.mark.parametrize(
    ("content", "prompt"),
    [
        (b"\xef\xbb\xbfWrite.", "Write."),
        (b"One\r\n\r\nTwo\r\n", "One\n\nTwo\n"),
        (b"One\rTwo\n\r", "One\rTwo\n\r"),
        ("Écris 😀\u2028.\n\n".encode(), "Écris 😀\u2028.\n\n"),
        (b"  Write. \n", "  Write. \n"),
    ],
    ids=["bom", "crlf", "cr", "unicode", "blanks"],
)
def test_the_text_of_a_prompt_file_is_kept(team, content, prompt):
    put(team.parent / "writer.md", content)
    assert load(team).agents["writer"].prompt == prompt


def test_one_mebibyte_is_not_too_much(team):
    put(team.parent / "writer.md", b"w" * MAX_PROMPT_FILE)
    assert MAX_PROMPT_FILE == 2**20
    assert load(team).agents["writer"].prompt == "w" * 2**20


@pytest.mark.parametrize("other", ["", "    prompt: Write.\n"], ids=["alone", "with-prompt"])
def test_a_prompt_file_is_read_once(team, monkeypatch, other):
    put(team.parent / "writer.md")
    team.write_text(SPEC.format("writer.md") + other)
    opened = []
    real_open = os.open
    monkeypatch.setattr(os, "open", lambda path, *a: opened.append(path) or real_open(path, *a))
    check(team)
    assert opened == [team, team.parent / "writer.md"]


# Which of the two


def test_a_prompt_in_two_places_is_refused_at_the_second(team):
    put(team.parent / "writer.md")
    team.write_text(SPEC.format("writer.md") + "    prompt: Write.\n")
    problem = only_problem(team)
    assert problem.message == "prompt and prompt_file are mutually exclusive"
    assert problem.hint == "remove one of them"
    assert (problem.span.line, problem.span.column) == (4, 5)


def test_a_prompt_in_two_places_hides_what_is_wrong_with_each(team):
    team.write_text(SPEC.format("missing.md") + "    prompt: ' '\n")
    assert [problem.message for problem in check(team)] == [
        "prompt and prompt_file are mutually exclusive",
        f"prompt_file not found: {team.parent}/missing.md",
        "subagent requires a prompt that is not blank",
    ]


@pytest.mark.parametrize("lines", ["", "    prompt:\n", "    prompt: null\n    prompt_file: ~\n"])
def test_one_of_the_two_is_required(team, lines):
    team.write_text("agents:\n  writer:\n    description: Writes.\n" + lines)
    problem = only_problem(team)
    assert problem.message == "subagent requires either prompt or prompt_file"
    assert (problem.span.line, problem.span.column) == (2, 3)


def test_null_beside_a_prompt_file_is_no_second_prompt(team):
    put(team.parent / "writer.md")
    team.write_text(SPEC.format("writer.md") + "    prompt: null\n")
    assert load(team).agents["writer"].prompt == "Write."


# What is refused


def test_a_prompt_file_that_is_missing(team):
    problem = only_problem(team)
    assert problem.message == f"prompt_file not found: {team.parent}/writer.md"
    assert problem.code == "prompt-file-not-found"
    assert problem.path == ("agents", "writer", "prompt_file")
    assert (problem.span.line, problem.span.column) == (4, 18)


@pytest.mark.parametrize("content", [b"", b" \r\n\t", b"\xef\xbb\xbf \n"], ids=repr)
def test_a_prompt_file_that_is_blank(team, content):
    file = put(team.parent / "writer.md", content)
    problem = only_problem(team)
    assert (problem.code, problem.message) == ("blank-prompt", f"the prompt file {file} is blank")
    assert problem.path == ("agents", "writer", "prompt_file")


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"One\nTwo \xe9", "not UTF-8: byte 0xE9, on line 2"),
        ("One\nTwo".encode("utf-16"), "UTF-16, not UTF-8, on line 1"),
        (b"\xed\xa0\x80", "not UTF-8: byte 0xED, on line 1"),
    ],
    ids=["latin-1", "utf-16", "surrogate"],
)
def test_a_prompt_file_that_is_not_utf_8(team, content, reason):
    file = put(team.parent / "writer.md", content)
    problem = only_problem(team)
    assert problem.code == "prompt-file-unusable"
    assert problem.message == f"the prompt file {file} is {reason}"
    assert problem.hint == "save it as UTF-8"


def make_directory(path: Path) -> None:
    path.mkdir()


def make_loop(path: Path) -> None:
    path.symlink_to(path.name)


def make_large(path: Path) -> None:
    path.write_bytes(b"w" * 2 * 2**20)


def make_too_large_by_one(path: Path) -> None:
    path.write_bytes(b"w" * (2**20 + 1))


def make_endless(path: Path) -> None:
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (make_directory, "it is a directory, not a file"),
        (os.mkfifo, "it is a FIFO, not a file"),
        (make_endless, "it is a device, not a file"),
        (make_loop, "too many levels of symbolic links"),
        (make_large, "it is larger than 1 MiB"),
        (make_too_large_by_one, "it is larger than 1 MiB"),
    ],
)
def test_a_prompt_file_that_cannot_be_read(team, make, reason):
    file = team.parent / "writer.md"
    make(file)
    problem = only_problem(team, prompt_root=Path("/"))
    assert problem.code == "prompt-file-unusable"
    assert problem.message == f"cannot read the prompt file {file}: {reason}"
    assert problem.path == ("agents", "writer", "prompt_file")


def test_a_prompt_file_that_may_not_be_read(team, monkeypatch):
    file = put(team.parent / "writer.md")
    real_open = os.open

    def refuse(path, *arguments):
        if path == file:
            raise PermissionError(13, "Permission denied")
        return real_open(path, *arguments)

    monkeypatch.setattr(os, "open", refuse)
    message = f"cannot read the prompt file {file}: permission denied"
    assert only_problem(team).message == message


@pytest.mark.parametrize("reference", ['""', '"  "'])
def test_a_blank_name_is_said_to_be_blank(team, reference):
    team.write_text(SPEC.format(reference))
    assert only_problem(team).message == "prompt_file is blank"


def test_the_directory_itself_is_no_prompt_file(team):
    team.write_text(SPEC.format("."))
    message = f"cannot read the prompt file {team.parent}: it is a directory, not a file"
    assert only_problem(team).message == message


def test_a_file_that_lies_elsewhere_by_the_time_it_is_opened_is_refused(
    team, tmp_path, monkeypatch
):
    root, secret = team.parent, tmp_path / "secret.md"
    secret.write_text("secret")
    root.joinpath("in.md").write_text("inside")
    link = root / "link.md"
    link.symlink_to("in.md")
    team.write_text(SPEC.format("link.md"))
    real_open = os.open

    def turn_the_link(path, *arguments):
        if path != link:
            return real_open(path, *arguments)
        link.unlink()
        link.symlink_to(secret)
        descriptor = real_open(path, *arguments)
        link.unlink()
        link.symlink_to("in.md")
        return descriptor

    monkeypatch.setattr(os, "open", turn_the_link)
    (problem,) = check(team, prompt_root=root)
    assert problem.message == f"cannot read the prompt file {link}: it does not lie in {root}"


def test_a_file_that_leaves_the_root_while_it_is_opened_is_refused(team, tmp_path, monkeypatch):
    root, secret = team.parent, tmp_path / "secret.md"
    secret.write_text("secret")
    root.joinpath("in.md").write_text("inside")
    link = root / "link.md"
    link.symlink_to("in.md")
    team.write_text(SPEC.format("link.md"))
    real_open = os.open

    def turn_the_link(path, *arguments):
        if path == link:
            link.unlink()
            link.symlink_to(secret)
        return real_open(path, *arguments)

    monkeypatch.setattr(os, "open", turn_the_link)
    (problem,) = check(team, prompt_root=root)
    assert problem.message == f"cannot read the prompt file {link}: it does not lie in {root}"


def test_a_name_with_nul_is_the_name_of_no_file(team):
    team.write_text(SPEC.format('"a\\0b"'))
    problem = only_problem(team)
    assert problem.code == "prompt-file-not-found"
    assert problem.message.isprintable()


def test_a_reference_must_be_text(team):
    team.write_text(SPEC.format("[writer.md]"))
    assert only_problem(team).message == "must be the path of a file, not a list"


def test_text_of_no_file_has_no_prompt_files():
    with pytest.raises(SpecError) as caught:
        loads(SPEC.format("writer.md"))
    assert str(caught.value) == (
        "<text>:4:18: error: agents.writer.prompt_file: prompt_file cannot be looked up: the text"
        " came from no file; say where with base_dir= [prompt-file-unusable]"
    )


@pytest.mark.parametrize("name", ["a\x1b[31mb.md", "\u202egpj.md", "a\nb.md"])
@pytest.mark.parametrize(
    "content",
    [None, b"", b"\xff", b"w" * (2**20 + 1)],
    ids=["missing", "blank", "not-utf-8", "too-large"],
)
def test_a_name_cannot_reach_into_the_terminal(team, name, content):
    team.write_text(SPEC.format(json.dumps(name)))
    if content is not None:
        put(team.parent / name, content)
    for root in (None, team.parent, team.parent / "inner"):
        for problem in check(team, prompt_root=root):
            assert problem.message.isprintable()
            assert str(problem).isprintable()


# Where it may lie


@pytest.mark.parametrize("reference", ["../writer.md", "{outside}", "link.md"])
def test_a_prompt_file_that_leaves_the_directory_is_warned_of(team, tmp_path, reference):
    outside = put(tmp_path / "writer.md")
    (team.parent / "link.md").symlink_to(outside)
    team.write_text(SPEC.format(reference.format(outside=outside)))
    with pytest.warns(SpecWarning) as warned:
        writer = load(team).agents["writer"]
    assert writer.prompt == "Write."
    (warning,) = warned
    file = team.parent / reference.format(outside=outside)
    assert str(warning.message) == (
        f"{team}:4:18: warning: agents.writer.prompt_file: the prompt file {file} lies outside of"
        " the spec's directory; name the directory it may lie in with prompt_root="
        " [prompt-file-leaves]"
    )


def test_text_that_names_a_prompt_file_further_up_is_warned_of(tmp_path):
    put(tmp_path / "writer.md")
    (tmp_path / "team").mkdir()
    with pytest.warns(SpecWarning, match="outside of the spec's directory"):
        loads(SPEC.format("../writer.md"), base_dir=tmp_path / "team")


@pytest.mark.parametrize("reference", ["writer.md", "inner/../writer.md", "inner/up.md", "{here}"])
def test_a_prompt_file_that_stays_in_the_directory_is_not_warned_of(team, reference):
    here = put(team.parent / "writer.md")
    (team.parent / "inner").mkdir()
    (team.parent / "inner" / "up.md").symlink_to("../writer.md")
    team.write_text(SPEC.format(reference.format(here=here)))
    assert check(team) == ()
    assert check(team, prompt_root=team.parent) == ()


@pytest.mark.parametrize("reference", ["../writer.md", "{outside}", "link.md", "linked/writer.md"])
def test_a_prompt_file_outside_of_the_root_is_refused_unread(
    team, tmp_path, monkeypatch, reference
):
    outside = put(tmp_path / "writer.md")
    (team.parent / "link.md").symlink_to(outside)
    (team.parent / "linked").symlink_to(tmp_path, target_is_directory=True)
    reference = reference.format(outside=outside)
    team.write_text(SPEC.format(reference))
    opened = []
    real_open = os.open
    monkeypatch.setattr(os, "open", lambda path, *a: opened.append(path) or real_open(path, *a))
    problem = only_problem(team, prompt_root=team.parent)
    assert (problem.code, problem.severity) == ("prompt-file-outside", "error")
    message = f"the prompt file {team.parent / reference} lies outside of {team.parent}"
    assert problem.message == message
    assert (problem.span.line, problem.span.column) == (4, 18)
    assert opened == [team]


def test_a_prompt_file_inside_of_a_wider_root_is_not_warned_of(team, tmp_path):
    put(tmp_path / "writer.md")
    team.write_text(SPEC.format("../writer.md"))
    assert load(team, prompt_root=str(tmp_path)).agents["writer"].prompt == "Write."


def test_the_root_can_be_reached_by_a_link(team, tmp_path):
    put(team.parent / "writer.md")
    (tmp_path / "link").symlink_to(team.parent, target_is_directory=True)
    assert check(team, prompt_root=tmp_path / "link") == ()
    assert check(tmp_path / "link" / "team.yaml", prompt_root=team.parent) == ()


def test_a_directory_with_the_beginning_of_the_roots_name_is_not_inside(team, tmp_path):
    put(tmp_path / "team-2" / "writer.md")
    team.write_text(SPEC.format("../team-2/writer.md"))
    assert only_problem(team, prompt_root=team.parent).code == "prompt-file-outside"


def test_a_place_that_cannot_be_resolved_is_left_to_reading(team):
    make_loop(team.parent / "writer.md")
    (problem,) = PromptFiles(team.parent).read("writer.md").problems
    assert problem.code == "prompt-file-unusable"
    assert PromptFiles(team.parent).read("a\0b").text is None


def test_a_plain_prompt_is_not_looked_up():
    assert PromptFiles(None).prompt_of({"prompt": "Write."}) == Prompt("Write.")
