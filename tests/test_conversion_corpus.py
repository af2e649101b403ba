"""Real files of other programs, where they are at hand: read, changed, converted and back."""

from __future__ import annotations

import difflib
import warnings
from functools import cache
from pathlib import Path

import pytest
from attrs import evolve
from real_files import CASES, CORPUS
from test_conversion import ALL, changed_fields, step
from test_conversion_carrying import errors_of

from subspec import ClaudeConfig, SpecError, check, load, save
from subspec.problems import errors_in
from subspec.pydantic_ai import load_subagents, save_subagents

pytest.importorskip("tomlkit")

pytestmark = pytest.mark.corpus

FOLDERS = {
    "codex-toml": "codex",
    "copilot-md": "copilot",
    "cursor-md": "cursor",
    "factory-md": "factory",
    "gemini-md": "gemini",
    "kiro-json": "kiro",
    "kiro-md": "kiro_ide",
    "opencode-md": "opencode",
    "qwen-md": "qwen",
}
LOADED = {
    "codex": 49,
    "copilot": 105,
    "cursor": 6,
    "factory": 6,
    "gemini": 6,
    "kiro": 16,
    "kiro_ide": 18,
    "opencode": 1,
    "qwen": 19,
}
"""How many of the real files load. The others break a rule of their own program."""

DEFENSIBLE = {
    # Codex: an agent wants a name, a description and developer_instructions.
    "codex": {"missing-key", "blank-description"},
    # Copilot: a description is required, and there are two targets.
    "copilot": {"blank-description", "not-a-choice"},
    # Cursor reads no tools: they would not hold the agent back.
    "cursor": {"widens"},
    # Gemini CLI: only its own tools and keys, and front matter.
    "gemini": {"unknown-tool", "unknown-key", "not-an-agent"},
    # opencode: tools are a mapping, and "permissions" is no key of it.
    "opencode": {"wrong-type", "widens"},
}
ALSO = {"claude-md": "claude_code", "pydantic-yaml": "pydantic_ai"}
each_folder = pytest.mark.parametrize("folder", FOLDERS)
every_folder = pytest.mark.parametrize("folder", [*FOLDERS, *ALSO])


@cache
def files_of(folder: str) -> list[Path]:
    return sorted(path for path in (CORPUS / folder).rglob("*") if path.is_file())


@cache
def real_agents(folder: str) -> dict[Path, ClaudeConfig]:
    """Give what loads."""
    found = {}
    for path in files_of(folder):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                found[path] = load(path, format=(FOLDERS | ALSO)[folder])
            except SpecError:
                continue
    return found


@each_folder
def test_real_files_load_or_break_a_rule_of_their_program(folder):
    name = FOLDERS[folder]
    loaded, codes = 0, set()
    for path in files_of(folder):
        errors = errors_in(check(path, format=name))
        codes |= {problem.code for problem in errors}
        assert all(problem.span is not None for problem in errors)
        loaded += not errors

    assert loaded == LOADED[name]
    assert codes <= DEFENSIBLE.get(name, set())


@every_folder
def test_real_files_stay_as_they_are_when_nothing_is_changed(folder):
    for path, config in real_agents(folder).items():
        before = path.read_bytes()

        assert save(config, path, format=(FOLDERS | ALSO)[folder]) == ()
        assert path.read_bytes() == before


def test_real_toolsets_stay_as_they_are_when_nothing_is_changed():
    loaded = 0
    for path in files_of("pydantic-yaml"):
        try:
            specs = load_subagents(path)
        except SpecError:
            continue
        loaded += 1
        assert save_subagents(specs, path) == ()

    assert loaded


@each_folder
def test_one_value_that_changes_is_all_that_changes(folder, tmp_path):
    for path, config in real_agents(folder).items():
        copy = tmp_path / path.name
        copy.write_bytes(path.read_bytes())
        ((name, spec),) = config.agents.items()
        changed = evolve(config, agents={name: evolve(spec, description="Now.")}, origin=None)
        assert save(changed, copy, format=FOLDERS[folder]) == (copy,)
        before, after = (each.read_bytes().decode() for each in (path, copy))

        old, new = before.split("\n"), after.split("\n")
        matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
        ((_, first, last, start, end),) = [
            each for each in matcher.get_opcodes() if each[0] != "equal"
        ]
        assert end - start == 1, path
        assert "Now." in new[start]
        assert "description" in old[first]
        # However many lines the text had, no other key stands in them.
        assert not any(line[:1].isalpha() for line in old[first + 1 : last]), path
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ((_, found),) = load(copy, format=FOLDERS[folder]).agents.items()
        assert changed_fields(spec, found) == {"description"}


def test_real_files_lose_nothing_that_is_not_said_on_the_way_and_back():
    specs = [
        (name, spec)
        for folder, name in (FOLDERS | ALSO).items()
        for config in real_agents(folder).values()
        for spec in config.agents.values()
    ]

    # Each goes to one other format, and each format has its share of all.
    for index, (first, spec) in enumerate(specs):
        to = ALL[index % len(ALL)]
        there, lost = step(spec, to)
        assert changed_fields(spec, there) <= lost, (first, to)
        back, more = step(there, first)
        assert changed_fields(spec, back) <= lost | more, (first, to)
    assert len(specs) > 900


@pytest.mark.parametrize("to", ALL)
def test_what_broke_other_tools_is_converted(to):
    read = 0
    for path in sorted(CASES.glob("*.md")):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                config = load(path, format="claude_code")
            except SpecError:
                continue
        ((_, spec),) = config.agents.items()
        if to == "qwen":
            spec = evolve(spec, prompt=f"{spec.prompt}\nIt is long enough.")
        found, lost = step(spec, to)
        read += 1

        assert changed_fields(spec, found) <= lost, path
    assert read > 20


@every_folder
def test_what_is_written_for_claude_code_is_right_or_a_loss(folder, tmp_path):
    for path, config in real_agents(folder).items():
        losses, errors = errors_of(config, tmp_path)

        assert errors <= losses, path
