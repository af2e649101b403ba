"""Markdown that was saved, as the real Claude Code loads it: what was meant, every time."""

from __future__ import annotations

from itertools import cycle
from typing import Any

import pytest
from attrs import evolve

pytest.importorskip("claude_agent_sdk", reason="needs the extra subspec[claude]")

from hypothesis import HealthCheck, Phase, given, settings
from real_files import CORPUS
from real_project import BUILT_IN, Listed, listed_by_the_cli, needs_cli
from strategies import SOME_TEXTS

from subspec import SpecError, SubagentSpec, check
from subspec.formats.claude_code import AgentFile, read_agent
from subspec.formats.claude_text import changed_text, new_text
from subspec.store.fixing import Mending

STYLES = [
    "description: old\n",
    "description: old # comment\n",
    "description: 'old'\n",
    'description: "old\\nmore"\n',
    "description: |\n  old\n  more\n",
    "description: >-\n  old\n  more\n",
    "description: >+\n    old\n\n",
    "description: old\\nexample\n",
    "description: Use it: now. Example: (user: x)\n",
    "description:\n  old\n",
    "# first\ndescription: old\r\n# last\r\n",
    "{description: old, x: [y]}\n",
]
"""Ways to say a description, some of which are no YAML."""


def file_with(matter: str, number: int, body: str = "Body") -> AgentFile:
    name = f"n{number}"
    if matter.startswith("{"):
        return read_agent(f"---\n{{name: {name}, {matter[1:]}---\n{body}\n")
    return read_agent(f"---\nname: {name}\n{matter}model: haiku\ntools: Read, Grep\n---\n{body}\n")


def changed(file: AgentFile, **values: Any) -> tuple[str, SubagentSpec]:
    assert file.name is not None
    assert file.spec is not None
    spec = evolve(file.spec, **values)
    return changed_text(file, file.name, spec)[0], spec


@pytest.mark.exhaustive
@needs_cli
def test_descriptions_of_every_kind_arrive():
    texts: list[str] = []

    @settings(
        max_examples=1_500,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
        derandomize=True,
    )
    @given(SOME_TEXTS)
    def collect(text: str) -> None:
        texts.append(text)

    collect()
    files: dict[str, bytes] = {}
    wanted: Listed = {}
    refused = []
    for number, (text, style) in enumerate(zip(texts, cycle(STYLES))):
        file = file_with(style, number)
        assert file.name is not None, style
        try:
            written, spec = changed(file, description=text)
            fresh, _ = new_text(f"m{number}", spec)
        except SpecError:
            refused.append(text)
            continue
        files |= {f"{number}.md": written.encode(), f"new/{number}.md": fresh.encode()}
        wanted[f"n{number}"] = wanted[f"m{number}"] = text, spec.model

    assert listed_by_the_cli(files) == wanted
    # What reads as the end of a line to Claude Code cannot be said, and nothing else is refused.
    assert all("\\n" in text or "\0" in text for text in refused)
    assert len(wanted) > len(texts)


@needs_cli
@pytest.mark.corpus
def test_real_files_that_were_mended_load_as_what_was_meant(tmp_path):
    files: dict[str, bytes] = {}
    wanted: Listed = {}
    for path in sorted(CORPUS.glob("claude-md/**/*.md")):
        if not {each.code for each in check(path)} & {"yaml-syntax", "front-matter-repaired"}:
            continue
        copy = tmp_path / "copy.md"
        copy.write_bytes(path.read_bytes())
        mending = Mending()
        mending.add(copy, None, None, lambda problem: problem.fix.safe)
        (change,) = mending.changes
        assert change.after is not None
        file = read_agent(change.after.decode())
        if file.spec is None or file.name is None or file.name in {*wanted, *BUILT_IN}:
            continue
        files[f"{len(files)}.md"] = change.after
        wanted[file.name] = file.spec.description, file.spec.model

    assert listed_by_the_cli(files) == wanted
    assert len(wanted) > 60


EDITS = [
    {"model": "opus"},
    {"model": None},
    {"description": 'Use it: "now", --- and # here.\n\n<example>\nuser: x\n</example>'},
    {"tools": ("Read", "Bash(git log, git diff)", "mcp__a__b")},
    {"tools": None, "color": "red", "max_turns": 3},
    {"prompt": "---\nname: other\n---\n", "memory": None},
    {"extra": {"x-y": {"a": ["b: c", 1, None, True]}}},
]


@needs_cli
@pytest.mark.corpus
def test_real_files_that_were_changed_load_as_what_was_meant():
    files: dict[str, bytes] = {}
    wanted: Listed = {}
    for path, edit in zip(sorted(CORPUS.glob("claude-md/**/*.md")), cycle(EDITS)):
        file = read_agent(path.read_bytes().decode("utf-8", "replace"))
        if file.spec is None or file.name is None or file.name in {*wanted, *BUILT_IN}:
            continue
        text, spec = changed(file, **edit)
        files[f"{len(files)}.md"] = text.encode()
        wanted[file.name] = spec.description, spec.model

    assert listed_by_the_cli(files) == wanted
    assert len(wanted) > 400
