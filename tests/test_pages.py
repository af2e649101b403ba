"""The pages about the codes: each has its example, wrong and right, and `subspec explain`."""

from __future__ import annotations

import dataclasses
import re
import shlex
import warnings
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest
from command import run, terminal

import subspec
from subspec import Problem, SpecError, SpecWarning
from subspec.explain import page
from subspec.problems import CODES
from subspec.runtimes import claude_sdk

FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^## (\w+)$", re.MULTILINE)
CHECK_ONLY = "said by `subspec check` only"

LANGUAGES = {"yaml", "json", "markdown", "python", "console", "sh", "toml"}
USUAL_NAMES = {
    "yaml": "team.yaml",
    "json": "team.json",
    "markdown": "writer.md",
    "toml": "writer.toml",
}

ALSO = {
    # What is wrong with each of the tools is said as well.
    "no-usable-tools": {"unknown-tool"},
}
"""Codes that the wrong example of a page cannot but trigger beside its own."""

each_code = pytest.mark.parametrize("code", CODES)


def sections_of(code: str) -> dict[str, str]:
    """Give the sections of a page by their headings; what stands before the first is ''."""
    first, *rest = HEADING.split(page(code))
    return {"": first, **dict(zip(rest[::2], rest[1::2], strict=True))}


def severity_line(code: str) -> str:
    return sections_of(code)[""].splitlines()[2]


class Example:
    """A page that is tried: its sections one after another, as somebody would who reads it."""

    def __init__(self, code: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.sections = sections_of(code)
        self.tmp_path = tmp_path
        self.monkeypatch = monkeypatch
        self.names: dict[str, Any] = {"__name__": "example"}
        self.paths: list[str] = []
        """The files of the last section that agents are loaded from."""

    def problems_in(self, heading: str) -> list[Problem]:
        """Do what a section says, and give the problems that come of it."""
        fences = FENCE.findall(self.sections[heading])
        assert fences
        texts = [(language, text) for language, text in fences if language in USUAL_NAMES]
        if texts:
            self.write(heading, texts)
        done = [
            problem
            for language, text in fences
            if language in ("python", "console")
            for problem in getattr(self, language)(text)
        ]
        if len(texts) == len(fences):
            assert self.paths
            return list(subspec.check(*self.paths))
        return done

    def write(self, heading: str, texts: list[tuple[str, str]]) -> None:
        """Write the files of a section into a directory of their own."""
        folder = self.tmp_path / heading
        folder.mkdir()
        self.monkeypatch.chdir(folder)
        self.paths = []
        for language, text in texts:
            first, _, rest = text.partition("\n")
            name, written = USUAL_NAMES[language], text
            if match := re.fullmatch(r"# (\S+\.yaml)", first):
                name = match[1]
            elif match := re.fullmatch(r"<!-- (\S+\.md) -->", first):
                name, written = match[1], rest
            Path(name).parent.mkdir(parents=True, exist_ok=True)
            Path(name).write_text(written, encoding="utf-8")
            if language != "markdown" or written.startswith("---"):
                self.paths.append("." if name.startswith(".claude") else name)
        self.paths = list(dict.fromkeys(self.paths))

    def python(self, text: str) -> Iterator[Problem]:
        """Run Python; only our own warnings are allowed."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("error")
            warnings.simplefilter("always", SpecWarning)
            try:
                exec(text, self.names)  # noqa: S102 - it is an example of ours
            except SpecError as error:
                yield from error.problems
        yield from self.names.pop("problems", ())
        for each in caught:
            assert isinstance(each.message, SpecWarning)
            yield each.message.problem

    def console(self, text: str) -> Iterator[Problem]:
        """Run commands, and see that they print what the page says."""
        for session in text.removeprefix("$ ").split("\n$ "):
            command, _, wanted = session.partition("\n")
            program, *args = shlex.split(command)
            assert program == "subspec"
            result = run(*args)
            assert result.stderr + result.stdout == wanted
            for severity, code in re.findall(r": (\w+): .* \[([-\w]+)\]$", wanted, re.MULTILINE):
                yield Problem(code, severity, "as printed")

    def loaded(self) -> set[str]:
        """Load the files of the last section; give the codes of what is said."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                for path in self.paths:
                    subspec.load(path)
            except SpecError as error:
                return {problem.code for problem in error.problems}
        return {each.message.problem.code for each in caught}  # type: ignore[union-attr]


@pytest.fixture
def example(code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    if "build_" in page(code):
        pytest.importorskip("claude_agent_sdk")
    return Example(code, tmp_path, monkeypatch)


def age_the_sdk(monkeypatch):
    """Have a claude-agent-sdk that does not know the newest option."""
    import claude_agent_sdk  # noqa: PLC0415 - it need not be installed

    cls = claude_agent_sdk.ClaudeAgentOptions
    kept = [
        (known.name, known.type, dataclasses.field(default=None))
        for known in dataclasses.fields(cls)
        if known.name != "client_app"
    ]
    old = dataclasses.make_dataclass(cls.__name__, kept)
    monkeypatch.setattr(claude_agent_sdk, "ClaudeAgentOptions", old)
    monkeypatch.setattr(claude_sdk, "version", {"claude-agent-sdk": "0.2.180"}.__getitem__)


# The pages


def test_each_code_has_a_page_and_each_page_a_code():
    names = {each.name for each in (files("subspec") / "pages").iterdir()}

    assert names == {f"{code}.md" for code in CODES}


@each_code
def test_a_page_has_its_parts(code):
    lines = page(code).splitlines()
    sections = sections_of(code)

    assert lines[:2] == [f"# {code}", ""]
    assert lines[2].startswith(f"Severity: {CODES[code].severity}")
    assert lines[3] == ""
    assert list(sections) in (["", "Wrong", "Right"], ["", "Wrong", "Right", "Why"])
    assert {language for language, _ in FENCE.findall(page(code))} <= LANGUAGES
    assert all(len(line) <= 100 for line in FENCE.sub("", page(code)).splitlines())
    assert len(lines) <= 45


@each_code
def test_the_wrong_example_has_the_problem_and_the_right_one_has_none(code, example):
    if code == "sdk-too-old":
        age_the_sdk(example.monkeypatch)

    found = example.problems_in("Wrong")

    assert {problem.code for problem in found} == {code, *ALSO.get(code, ())}
    severities = {problem.severity for problem in found if problem.code == code}
    assert all(severity in severity_line(code) for severity in severities)

    assert example.problems_in("Right") == []


@each_code
def test_what_only_check_says_is_called_so(code, example):
    languages = {language for language, _ in FENCE.findall(example.sections["Wrong"])}
    if not languages <= set(USUAL_NAMES):
        # Only `check` is used in these.
        assert (CHECK_ONLY in severity_line(code)) == ("subspec.check(" in page(code))
        return

    example.problems_in("Wrong")

    assert (code not in example.loaded()) == (CHECK_ONLY in severity_line(code))


@pytest.mark.parametrize("code", sorted(CODES))
def test_each_code_marks_the_place_that_is_meant(code, example, snapshot):
    if code == "sdk-too-old":
        age_the_sdk(example.monkeypatch)
    marked = []
    for problem in example.problems_in("Wrong"):
        if problem.code != code:
            continue
        place, span = "nowhere", problem.span
        if span is not None:
            place = f"{span.line}:{span.column}-{span.end_line}:{span.end_column}"
        marked.append(
            "\n".join([f"{place} {problem.severity}", *(problem.snippet or "").splitlines()])
        )
    assert "\n".join(marked) == snapshot


def test_there_is_no_page_for_what_is_no_code():
    with pytest.raises(ValueError, match=r"^no code 'unknown-kye'; did you mean 'unknown-key'\?$"):
        page("unknown-kye")
    with pytest.raises(ValueError, match=r"^no code '\.\./x'; 'subspec explain' lists them all$"):
        page("../x")


# The command


@pytest.mark.parametrize(
    "code", ["no-effect", "no-usable-tools", "prompt-file-outside", "wrong-type"]
)
def test_explain_prints_a_page(code, snapshot):
    result = run("explain", code)

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == snapshot


def test_explain_prints_several_pages():
    pages = [run("explain", code).stdout for code in ("conflict", "widens")]

    assert run("explain", "conflict", "[widens]").stdout == "\n\n".join(pages)


def test_explain_lists_all_codes():
    result = run("explain")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout.splitlines() == [
        f"{code.name:22}  {code.severity:7}  {code.summary}" for code in CODES.values()
    ]


def test_explain_does_not_know_a_code():
    result = run("explain", "conflict", "wrong-tpye")

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: no code 'wrong-tpye'; did you mean 'wrong-type'?\n"


def test_explain_does_not_let_a_code_play_tricks():
    result = run("explain", "\x1b[31m")

    assert result.exit_code == 2
    assert result.stderr == "Error: no code '\\x1b[31m'; 'subspec explain' lists them all\n"


@pytest.mark.parametrize("columns", [60, 200])
def test_explain_on_a_terminal(columns, snapshot):
    assert terminal("explain", "no-effect", columns=columns) == snapshot(name="page")

    lines = terminal("explain", columns=columns).splitlines()
    # Each severity is in one of these.
    chosen = [lines.index(next(line for line in lines if line.startswith(code))) for code in CHOSEN]
    assert "\n".join(line for at in chosen for line in lines[at : at + 2]) == snapshot(name="list")


CHOSEN = ("not-in-format", "widens", "conditional-tool")


def test_explain_without_colour():
    written = terminal("explain", "conflict", NO_COLOR="1") + terminal("explain", NO_COLOR="1")

    assert "\x1b" not in written
