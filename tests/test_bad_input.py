"""Files that are broken, hostile or not there: each gets a clear problem, none hangs or crashes."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from threading import Thread

import pytest

from subspec import Problem, SpecError, check, load, loads

AGENT = "{description: Writes., prompt: Write.}"


def checked(path: Path, **options: object) -> tuple[Problem, ...]:
    """Check a file in a thread of its own, and fail if that takes more than a few seconds."""
    found: list[tuple[Problem, ...]] = []
    thread = Thread(target=lambda: found.append(check(path, **options)), daemon=True)
    thread.start()
    thread.join(10)
    assert found, f"checking {path} hangs or raises"
    return found[0]


def problems_in(content: str | bytes, path: Path) -> list[str]:
    """Check a file with some content; give each problem as text behind the file's name."""
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    problems = checked(path)
    assert all(problem.span is not None and problem.file == str(path) for problem in problems)
    if any(problem.severity == "error" for problem in problems):
        with pytest.raises(SpecError) as caught:
            load(path)
        assert caught.value.problems == problems
        assert str(caught.value).startswith(f"{path}:")
    return [str(problem).removeprefix(f"{path}:") for problem in problems]


# What is no file


def nothing(path: Path) -> None:
    """Leave no file there."""


def directory(path: Path) -> None:
    path.mkdir()


def fifo(path: Path) -> None:
    os.mkfifo(path)


def dev_zero(path: Path) -> None:
    path.symlink_to("/dev/zero")


def loop(path: Path) -> None:
    path.symlink_to(path.name)


def dangling(path: Path) -> None:
    path.symlink_to("nowhere.yaml")


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (nothing, "no such file"),
        (directory, "it is a directory, not a file"),
        (fifo, "it is a FIFO, not a file"),
        (dev_zero, "it is a device, not a file"),
        (loop, "too many levels of symbolic links"),
        (dangling, "no such file"),
    ],
)
def test_a_path_that_leads_to_no_file(tmp_path, make, reason):
    path = tmp_path / "team.yaml"
    make(path)
    (problem,) = checked(path)
    assert str(problem) == f"{path}: error: cannot read it: {reason} [cannot-read]"
    assert problem.span is None
    with pytest.raises(SpecError) as caught:
        load(path)
    assert caught.value.problems == (problem,)


@pytest.mark.parametrize("name", ["a\0b.yaml", "a" * 300, ""])
def test_a_name_of_no_file(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (problem,) = checked(Path(name))
    assert problem.code == "cannot-read"
    assert str(problem).isprintable()


def test_a_file_that_may_not_be_read(tmp_path, monkeypatch):
    def refuse(*_):
        raise PermissionError(13, "Permission denied")

    path = tmp_path / "team.yaml"
    path.write_text("model: opus")
    monkeypatch.setattr(os, "open", refuse)
    (problem,) = check(path)
    assert str(problem) == f"{path}: error: cannot read it: permission denied [cannot-read]"


def test_a_file_that_vanishes_between_two_loads(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text("model: opus")
    load(path)
    path.unlink()
    with pytest.raises(SpecError, match="no such file"):
        load(path)


@pytest.mark.parametrize("make", [directory, fifo, dev_zero, loop, dangling])
def test_a_prompt_file_that_is_no_file(tmp_path, make):
    make(tmp_path / "writer.md")
    path = tmp_path / "team.yaml"
    path.write_text("agents: {a: {description: Writes., prompt_file: writer.md}}")
    problem = checked(path)[-1]
    assert problem.code in ("prompt-file-unusable", "prompt-file-not-found")
    assert problem.path == ("agents", "a", "prompt_file")
    assert problem.span.line == 1


# What is no text


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (
            b"agents:\n  a: \xe9t\xe9\n",
            "2:6: error: the file is not UTF-8: byte 0xE9; save it as UTF-8 [not-utf8]",
        ),
        (b"\xff", "1:1: error: the file is not UTF-8: byte 0xFF; save it as UTF-8 [not-utf8]"),
        (
            "model: opus\n".encode("utf-16"),
            "1:1: error: the file is UTF-16, not UTF-8; save it as UTF-8 [not-utf8]",
        ),
        (
            b"a: \xed\xa0\x80\n",
            "1:4: error: the file is not UTF-8: byte 0xED; save it as UTF-8 [not-utf8]",
        ),
    ],
    ids=["latin-1", "byte", "utf-16", "surrogate"],
)
@pytest.mark.parametrize("name", ["team.yaml", "team.json"])
def test_a_file_that_is_not_utf_8(tmp_path, name, content, said):
    assert problems_in(content, tmp_path / name) == [said]


@pytest.mark.parametrize(
    "content", ["", "\n\n", "# only\n# comments\n", "\ufeff", "  \n", "---\n...\n"], ids=ascii
)
def test_a_file_without_data(tmp_path, content):
    (said,) = problems_in(content, tmp_path / "team.yaml")
    assert said.partition("error: ")[2] in (
        "the file holds no data [empty-document]",
        "must be a mapping, not null; write the agents under 'agents:' [wrong-type]",
    )


@pytest.mark.parametrize("content", ["", " \n", "\ufeff"], ids=ascii)
def test_a_json_file_without_data(tmp_path, content):
    (said,) = problems_in(content, tmp_path / "team.json")
    assert said.endswith(": error: the file holds no data [empty-document]")


@pytest.mark.parametrize("name", ["team.yaml", "team.json"])
@pytest.mark.parametrize("content", ["[]", "[1, 2]", '"text"', "1", "true", "null"])
def test_a_file_that_holds_no_mapping(tmp_path, name, content):
    (said,) = problems_in(content, tmp_path / name)
    assert said.startswith("1:1: error: must be a mapping, not ")
    assert said.endswith("; write the agents under 'agents:' [wrong-type]")


def test_several_documents(tmp_path):
    assert problems_in("model: opus\n---\nmodel: haiku\n", tmp_path / "team.yaml") == [
        (
            "2:1: error: a second document begins here; put it into a file of its own"
            " [several-documents]"
        )
    ]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("agents: {a: [}", "yaml-syntax"),
        ("agents:\n\ta: b", "yaml-syntax"),
        ("a: b: c", "yaml-syntax"),
        ("- :\n -", "yaml-syntax"),
        ('"a', "yaml-syntax"),
        ("%", "yaml-syntax"),
        ("&", "yaml-syntax"),
        ("a: \x00", "bad-character"),
        ("a: \x1b[31m", "bad-character"),
    ],
    ids=ascii,
)
def test_text_that_is_no_yaml(tmp_path, content, code):
    (said,) = problems_in(content, tmp_path / "team.yaml")
    assert said.endswith(f"[{code}]")


@pytest.mark.parametrize(
    "content",
    ["{", '{"a"', '{"a": 1,}', "{'a': 1}", "{a: 1}", '{"a": 1} x', '"\x00"', "nul", "\x00"],
)
def test_text_that_is_no_json(tmp_path, content):
    (said,) = problems_in(content, tmp_path / "team.json")
    assert said.endswith("[json-syntax]")


# What is too much


def laughs() -> str:
    lines = ["a0: &a0 [ha, ha, ha, ha, ha, ha, ha, ha, ha, ha]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 20)]
    return "\n".join(lines)


def merged_laughs() -> str:
    lines = ["a0: &a0 {x0: 1}"]
    for level in range(1, 40):
        keys = ", ".join(f"k{level}{n}: *a{level - 1}" for n in range(10))
        lines.append(f"a{level}: &a{level} {{{keys}}}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("make", "code"),
    [
        (laughs, "alias-limit"),
        (merged_laughs, "alias-limit"),
        (lambda: "[" * 100_000, "too-deep"),
        (lambda: "{a: " * 100_000, "too-deep"),
        (lambda: "- " * 100_000, "too-deep"),
        (lambda: "agents: " + "[" * 200 + "]" * 200, "too-deep"),
        (lambda: "a: &a [*a]", "recursive-alias"),
        (lambda: "a: &a {b: *a}", "recursive-alias"),
        (lambda: "agents: &a\n  <<: *a\n", "recursive-alias"),
        (lambda: "max_turns: " + "9" * 100_000, "bad-number"),
    ],
    ids=[
        "billion-laughs",
        "billion-laughs-in-mappings",
        "brackets",
        "braces",
        "dashes",
        "closed-brackets",
        "list-in-itself",
        "mapping-in-itself",
        "merge-of-itself",
        "digits",
    ],
)
def test_yaml_that_would_take_for_ever(tmp_path, make: Callable[[], str], code):
    said = problems_in(make(), tmp_path / "team.yaml")
    assert any(line.endswith(f"[{code}]") for line in said)
    assert all(len(line) < 500 for line in said)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("[" * 100_000, "too-deep"),
        ('{"a":' * 100_000, "too-deep"),
        ('{"max_turns": ' + "9" * 100_000 + "}", "bad-number"),
    ],
    ids=["brackets", "braces", "digits"],
)
def test_json_that_would_take_for_ever(tmp_path, content, code):
    said = problems_in(content, tmp_path / "team.json")
    assert any(line.endswith(f"[{code}]") for line in said)
    assert all(len(line) < 500 for line in said)


def test_brackets_in_text_of_no_file():
    with pytest.raises(SpecError, match="nested more than 100 levels deep"):
        loads("[" * 100_000)


@pytest.mark.parametrize("levels", [80, 90, 91, 97])
def test_what_is_nested_too_deeply_hides_nothing(tmp_path, levels):
    data = '{"in": ' * levels + "1" + "}" * levels
    text = f'{{"agents": {{"a": {{"extra": {data}, "tool": 1}}}}}}'
    codes = {line.rpartition("[")[2] for line in problems_in(text, tmp_path / "team.json")}
    expected = {"missing-key]", "prompt-missing]", "unknown-key]"}
    assert codes == expected | ({"too-deep]"} if levels > 90 else set())


@pytest.mark.parametrize("digits", [308, 309, 310, 400])
@pytest.mark.parametrize("name", ["team.yaml", "team.json"])
def test_a_number_of_many_digits_neither_crashes_nor_changes(tmp_path, name, digits):
    for sign in ("", "-"):
        number = sign + "9" * digits
        assert problems_in(f'{{"extra": {{"n": {number}}}}}', tmp_path / name) == []
        assert load(tmp_path / name).extra == {"n": int(number)}


# What is no team


SOMETHING_ELSE = [
    (
        "agents: {1: {description: D, prompt: P}}",
        '1:10: error: a key must be text, not the number 1; quote it: "1" [non-string-key]',
    ),
    (
        "true: x",
        '1:1: error: a key must be text, not true; quote it: "true" [non-string-key]',
    ),
    (
        "? [a]\n: x",
        "1:3: error: a key must be text, not a list [non-string-key]",
    ),
    (
        "agents: {a: }",
        (
            "1:13: error: agents.a: must be a mapping, not null;"
            " give it a description and a prompt [wrong-type]"
        ),
    ),
    (
        "agents:\n  - name: a\n",
        (
            "2:3: error: agents: must be a mapping of names to agents, not a list;"
            " write 'NAME:' instead of '- name: NAME' [wrong-type]"
        ),
    ),
    (
        f"agents: {{-x: {AGENT}}}",
        (
            "1:10: error: agents.-x: Claude Code drops an agent named '-x' without a message;"
            " give it another name [bad-agent-name]"
        ),
    ),
    (
        f"agents: {{__proto__: {AGENT}}}",
        (
            "1:10: error: agents.__proto__: Claude Code drops an agent named '__proto__' without"
            " a message; give it another name [bad-agent-name]"
        ),
    ),
    (
        "agents: {a: {description: D, prompt: P, tools: 'Read, Grep'}}",
        (
            "1:48: error: agents.a.tools: must be a list of text, not the text 'Read, Grep';"
            " write it as a list: [Read, Grep] [wrong-type]"
        ),
    ),
    (
        "agents: {a: {description: D, prompt: P, tools: [7]}}",
        (
            "1:49: error: agents.a.tools[0]: must be text, not the number 7;"
            ' to say that text, quote it: "7" [wrong-type]'
        ),
    ),
    (
        "agents: {a: {description: D, prompt: P, tools: [Read, ~]}}",
        "1:55: error: agents.a.tools[1]: must be text, not null [wrong-type]",
    ),
    (
        "max_budget_usd: .nan",
        "1:17: error: '.nan' is no number that can be kept [bad-number]",
    ),
    (
        "max_budget_usd: 1e400",
        "1:17: error: '1e400' is no number that can be kept [bad-number]",
    ),
    (
        "model: !!python/object/apply:os.system [id]",
        (
            "1:8: error: the tag '!!python/object/apply:os.system' is not evaluated; remove it,"
            " or quote the whole value to keep it as text [yaml-tag]"
        ),
    ),
]


@pytest.mark.parametrize(("text", "said"), SOMETHING_ELSE, ids=[text for text, _ in SOMETHING_ELSE])
def test_yaml_that_says_something_else(tmp_path, text, said):
    assert problems_in(text, tmp_path / "team.yaml") == [said]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("NaN", "1:20: error: JSON has no NaN [bad-number]"),
        ("-Infinity", "1:20: error: JSON has no -Infinity [bad-number]"),
        ("1e400", "1:20: error: '1e400' is no number that can be kept [bad-number]"),
    ],
)
def test_a_number_that_json_does_not_have(tmp_path, value, said):
    text = f'{{"max_budget_usd": {value}}}'
    assert problems_in(text, tmp_path / "team.json") == [said]


@pytest.mark.parametrize("escape", ["\\ud800", "\\udfff x", "x \\ud83d"])
def test_half_of_a_surrogate_pair_in_json(tmp_path, escape):
    text = f'{{"agents": {{"a": {{"description": "{escape}", "prompt": "P"}}}}}}'
    (said,) = problems_in(text, tmp_path / "team.json")
    assert said.startswith("1:34: error: the string holds half of a surrogate pair (U+D")
    assert said.isascii()


@pytest.mark.parametrize(
    "text",
    [
        '{"model": "\\ud800"}',
        '{"effort": "\\ud800"}',
        '{"\\ud800": 1}',
        '{"agents": {"a": {"description": "D", "prompt": "P", "\\ud800": 1}}}',
        '{"claude": {"permission_mode": "\\ud800"}}',
    ],
)
def test_half_of_a_surrogate_pair_is_one_fault(tmp_path, text):
    (said,) = problems_in(text, tmp_path / "team.json")
    assert said.endswith("[lone-surrogate]")


def test_half_of_a_surrogate_pair_in_text_of_no_file():
    with pytest.raises(SpecError) as caught:
        loads("agents: {a: {description: '\ud800', prompt: P}}")
    assert str(caught.value).isascii()


def test_a_whole_surrogate_pair_in_json_is_one_character():
    text = '{"agents": {"a": {"description": "\\ud83d\\ude00", "prompt": "P"}}}'
    assert loads(text).agents["a"].description == "😀"


def test_nul_as_an_escape_is_a_character_like_others():
    text = '{"agents": {"a": {"description": "a\\u0000b", "prompt": "P"}}}'
    assert loads(text).agents["a"].description == "a\0b"


# What would reach the terminal

HOSTILE = "\x1b[31m\u202e\u2066\x07\r\n\x9b"


@pytest.mark.parametrize(
    "data",
    [
        {HOSTILE: 1},
        {"agents": {HOSTILE: {"description": "D", "prompt": "P", "tools": [HOSTILE]}}},
        {"agents": {HOSTILE: 1, f"-{HOSTILE}": {"description": "D", "prompt": "P"}}},
        {"agents": {"a": {"description": "D", "prompt": "P", HOSTILE: 1}}},
        {"agents": {"a": {"description": "D", "prompt": "P", "model": HOSTILE}}},
        {"agents": {"a": {"description": "D", "prompt": "P", "model": f"7{HOSTILE[:4]}"}}},
        {"agents": {"a": {"description": "D", "prompt": "P", "effort": HOSTILE}}},
        {"agents": {"a": {"description": "D", "prompt": "P", "tools": HOSTILE}}},
        {"agents": {"a": {"description": "D", "prompt": "P", "tools": [f"Bash({HOSTILE})"]}}},
        {"agents": {"a": {"description": "D", "prompt": "P", "hooks": {HOSTILE: 1}}}},
        {"agents": {"a": {"description": "D", "prompt": "P", "mcp_servers": [{HOSTILE: 1}]}}},
        {"agents": {"a": {"description": "D", "prompt_file": f"{HOSTILE}.md"}}},
        {"agents": {"a": {"description": "D", "prompt_file": f"../{HOSTILE}.md"}}},
        {"agents": HOSTILE, "cli_path": HOSTILE, "max_turns": HOSTILE, "skills": HOSTILE},
        {"claude": {HOSTILE: 1, "permission_mode": HOSTILE, "effort": HOSTILE, "agents": HOSTILE}},
        {"claude": {"extended_thinking": {HOSTILE: 1}, "agents": {HOSTILE: {HOSTILE: None}}}},
        {"a": {"prompt": "P", "description": HOSTILE, HOSTILE: 1, "tools": None}},
    ],
    ids=lambda data: ascii(data).replace(ascii(HOSTILE)[1:-1], "HOSTILE"),
)
@pytest.mark.parametrize("name", ["team.yaml", "team.json"])
def test_no_escape_of_a_terminal_gets_into_a_message(tmp_path, name, data):
    path = tmp_path / name
    path.write_text(json.dumps(data))
    problems = checked(path)
    assert problems
    for problem in problems:
        assert str(problem).isprintable()
        assert problem.message.isprintable()
        assert (problem.hint or "").isprintable()
        assert all(line.isprintable() for line in problem.snippet.splitlines())


def test_no_escape_of_a_terminal_gets_out_of_a_files_name(tmp_path):
    path = tmp_path / f"{HOSTILE}.yaml"
    (missing,) = checked(path)
    path.write_text("modle: x")
    (unknown,) = checked(path)
    assert str(missing).isprintable()
    assert str(unknown).isprintable()


# Anything


@pytest.mark.parametrize("size", [1, 2, 3, 7, 50, 500])
def test_a_file_that_was_cut_off_never_raises_anything_else(tmp_path, size):
    root = Path(__file__).parents[1] / "fixtures"
    for source in (root / "broken" / "team.yaml", root / "claude-cli" / "agents.json"):
        content = source.read_bytes()
        for start in range(0, len(content), len(content) // 20):
            path = tmp_path / source.name
            path.write_bytes(content[start : start + size])
            for problem in check(path):
                assert str(problem).isprintable()
