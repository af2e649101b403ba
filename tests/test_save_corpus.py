"""Real files of others, changed: only the lines of what was changed differ, and all reads back."""

from __future__ import annotations

import difflib
import shutil
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve
from real_files import CORPUS, SHARED

from subspec import SpecError, SpecWarning, load, save
from subspec.formats import PYDANTIC_AI, spelling_of
from subspec.formats.claude_code import AgentFile, read_agent
from subspec.formats.claude_keys import KEYS
from subspec.formats.claude_text import changed_text
from subspec.source.frontmatter import BLANKS

KEY_OF = {key.field: name for name, key in KEYS.items()} | {"prompt": "prompt"}

pytestmark = pytest.mark.corpus

EDITS: dict[str, dict[str, Any]] = {
    "model": {"model": "fable"},
    "description": {"description": "Other words: with 'signs' # in them"},
    "longer": {"description": None},
    "tools": {"tools": ("Read", "mcp__db__query")},
    "one tool more": {"tools": None},
    "prompt": {"prompt": "Another prompt.\n\n---\n\nOf three parts."},
    "added": {"max_turns": 77},
    "removed": {"model": None},
    "all tools": {"tools": None},
}


def markdown_files() -> list[AgentFile]:
    """The agents that can be changed: in files of Claude Code, of UTF-8."""
    files = []
    for path in sorted([*CORPUS.glob("claude-md/**/*.md"), *SHARED.glob("cases/*.md")]):
        file = read_agent(path.read_bytes().decode("utf-8", "replace"))
        if file.spec is not None:
            files.append(file)
    return files


def lines_that_differ(before: str, after: str) -> tuple[list[str], list[str]]:
    """The lines that went and those that came."""
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    codes = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    gone = [line for tag, i1, i2, _, _ in codes if tag != "equal" for line in old[i1:i2]]
    come = [line for tag, _, _, j1, j2 in codes if tag != "equal" for line in new[j1:j2]]
    return gone, come


def lines_of(file: AgentFile, key: str) -> set[str]:
    """The lines on which a value of the front matter stands, with its key."""
    document = file.document
    if key not in (document.data or {}):
        return set()
    start = document.offsets((key,), "key")[0]
    end = max(document.offsets((key,))[1], start + 1)
    first = document.text.rfind("\n", 0, start) + 1
    last = document.text.find("\n", end - 1)
    return set(document.text[first : last + 1].splitlines(keepends=True))


@pytest.mark.parametrize("edit", EDITS)
def test_one_field_of_each_real_agent_is_changed_and_no_other_line(edit):
    (field,) = EDITS[edit]
    key = KEY_OF[field]
    outcomes: Counter[str] = Counter()
    for file in markdown_files():
        assert file.spec is not None
        assert file.name is not None
        value = EDITS[edit][field]
        if edit == "longer":
            value = file.spec.description + " And more."
        elif edit == "one tool more":
            value = (*(file.spec.tools or ()), "mcp__db__query")
        spec = evolve(file.spec, **{field: value})
        if "\\n" in (value if field == "description" else ""):
            # Claude Code would read these two letters as the end of a line.
            with pytest.raises(SpecError, match="end of a line"):
                changed_text(file, file.name, spec)
            outcomes["refused"] += 1
            continue
        text, problems = changed_text(file, file.name, spec)
        assert problems == []
        again = read_agent(text)
        assert (again.name, again.spec) == (file.name, spec)
        before = file.document.text
        if field == "prompt":
            body = file.fences.body_start
            assert text[:body] == before[:body]
            assert text[body:].strip(BLANKS) == value
            assert text.endswith(before[file.fences.body_end :])
        else:
            gone, come = lines_that_differ(before, text)
            assert set(gone) <= lines_of(file, key)
            assert set(come) <= lines_of(again, key)
        outcomes["changed" if text != before else "the same"] += 1
        # And back again, where the way in which it was said is kept.
        if edit in ("added", "prompt"):
            assert changed_text(again, file.name, file.spec)[0] == before
    assert outcomes["changed"] > 300
    assert outcomes["refused"] <= 2


def test_what_is_not_changed_is_the_same_text():
    files = markdown_files()
    for file in files:
        assert changed_text(file, file.name, file.spec) == (file.document.text, [])
    assert len(files) > 800


def loadable() -> list[Path]:
    paths = [
        path
        for path in [*CORPUS.rglob("*.y*ml"), *CORPUS.rglob("*.json"), *SHARED.glob("cases/*.y*ml")]
        if path.is_file() and spelling_of(path, None) is None
    ]
    found = []
    for path in sorted(paths):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpecWarning)
            try:
                config = load(path)
            except SpecError:
                continue
        # To those of subagents-pydantic-ai the models are unknown that are tried here.
        is_ours = config.origin.format != "pydantic_ai"
        found += [path] if config.agents and is_ours else []
    return found


def test_real_files_of_yaml_and_json_are_saved_as_they_are_or_with_one_change(tmp_path):
    paths = loadable()
    for number, path in enumerate(paths):
        directory = tmp_path / str(number)
        shutil.copytree(path.parent, directory)
        copy = directory / path.name
        copy.chmod(0o644)
        before = copy.read_bytes()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", SpecWarning)
            config = load(copy)
            assert save(config) == ()
            for name, spec in config.agents.items():
                models = {"opus", "haiku"}
                if config.origin.format == PYDANTIC_AI:
                    models = {"openai:gpt-5", "openai:gpt-5-mini"}
                model = min(models - {spec.model})
                changed = evolve(config, agents={**config.agents, name: evolve(spec, model=model)})
                assert save(changed) == (copy,)
                gone, come = lines_that_differ(before.decode(), copy.read_bytes().decode())
                assert len(gone) <= 1
                assert [model in line for line in come] == [True]
                assert load(copy) == changed
                assert save(config) == (copy,)
                assert copy.read_bytes() == before
    assert len(paths) > 5
