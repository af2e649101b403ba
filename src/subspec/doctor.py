"""Whether what subspec knows of Claude Code still holds, asked of the one that is installed.

Each probe is a small agent. What subspec says of it is compared with what Claude Code does with it,
so no answer is written down here that could grow old.
"""

import json
import warnings
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from attrs import frozen

from subspec.formats.claude_code import read_agent
from subspec.problems import UNKNOWN_MODEL, SpecError, SpecWarning
from subspec.runtimes import claude_cli
from subspec.store import loads

MARKDOWN = {
    "a colon in a description is guessed at": "description: Use it: now",
    "a list in brackets is kept when it is guessed at": "description: a: b\ntools: [Read, Grep]",
    "a comment becomes text when it is guessed at": "description: a: b\nmodel: haiku # cheap",
    "a description may begin with a sign": "description: '*all* of it'",
    "a description that ends in a colon is dropped": "description: Use this:",
    "escaped line ends are line ends": r"description: one\ntwo",
    "a number is no description": "description: 5",
    "yes is text": "description: yes",
    "a date is text": "description: 2024-01-01",
    "a blank description will do": "description: '   '",
    "an empty description will not": "description: ''",
    "three dashes cut": "description: a --- b\nmodel: opus",
    "three dashes in a comment cut": "# --- x\ndescription: d",
    "text at the margin is dropped": "description: a\n<b>\nc",
    "an indented mapping is dropped": "description: a\n  b: c",
    "the last of two keys counts": "description: a\ndescription: b",
    "an alias works": "x: &a d\ndescription: *a",
    "an alias without its anchor is dropped": "description: d\nx: *a",
    "a merge key works": "x: &a {description: d}\n<<: *a",
    "a tag says nothing": "description: !!str d",
    "a tab between key and value is a blank": "description:\td",
    "capital letters are another key": "Description: d",
    "a block is read as YAML says": "description: |\n  a\n  b",
    "a model that is a number is none": "description: d\nmodel: 5",
    "inherit is told in any case": "description: d\nmodel: INHERIT",
    "a hook that guards has to be right": "description: d\nhooks:\n  PreToolUse: x",
    "another hook has not": "description: d\nhooks:\n  Nonsense: x",
    "an unknown event is passed over": "description: d\nhooks: {Foo: []}",
    "an odd key is passed over": "description: d\nfoo: bar",
    "an unclosed list is text": "description: d\ntools: [Read",
}
"""Front matter, without a name, by what it shows."""

DEFINITIONS: dict[str, dict[str, Any]] = {
    "no turns": {"maxTurns": 0},
    "one turn": {"maxTurns": 1},
    "a level in capital letters": {"effort": "LOW"},
    "the highest level": {"effort": "max"},
    "a number for a level": {"effort": 3},
    "an empty model": {"model": ""},
    "a model that nobody knows": {"model": "nobody-knows"},
    "an empty description": {"description": ""},
    "an unknown permission mode": {"permissionMode": "yolo"},
    "a permission mode": {"permissionMode": "dontAsk"},
    "text for tools": {"tools": "Read"},
    "null for tools": {"tools": None},
    "an unknown scope of memory": {"memory": "global"},
    "a mapping for servers": {"mcpServers": {"a": {"command": "x"}}},
    "a server without a command": {"mcpServers": [{"a": {"type": "stdio"}}]},
    "an unknown isolation": {"isolation": "docker"},
    "a small window": {"autoCompactWindow": 99_999},
    "an unknown event": {"hooks": {"Foo": []}},
}
"""Fields of a definition that a program hands over, by what they show."""


@frozen
class Diagnosis:
    """One Claude Code, and what subspec says of it that is not so."""

    program: Path
    version: str
    differences: tuple[str, ...] = ()


def sdk_version() -> str | None:
    """Give the version of the installed claude-agent-sdk; None where there is none."""
    try:
        return version("claude-agent-sdk")
    except PackageNotFoundError:
        return None


def programs() -> list[Path]:
    """Find the Claude Codes of this machine, that of the SDK first."""
    found = [claude_cli.bundled_cli(), claude_cli.installed_cli()]
    return list(dict.fromkeys(each for each in found if each is not None))


def diagnose(program: Path) -> Diagnosis:
    """Compare what subspec says with what a Claude Code does.

    Raises:
        CannotAskError: It cannot be asked.
    """
    known = claude_cli.version_of(program)
    differences = (*_in_markdown(program), *_in_definitions(program))
    return Diagnosis(program, known, tuple(differences))


def _in_markdown(program: Path) -> Iterator[str]:
    texts = {
        f"probe-{number}": f"---\nname: probe-{number}\n{matter}\n---\nBody\n"
        for number, matter in enumerate(MARKDOWN.values())
    }
    theirs = claude_cli.loaded_from(
        program, {f"{name}.md": text.encode() for name, text in texts.items()}
    )
    for (name, text), fact in zip(texts.items(), MARKDOWN, strict=True):
        found = read_agent(text)
        ours = (found.values["description"], found.values.get("model")) if found.name else None
        if ours != theirs.get(name):
            yield fact


def _in_definitions(program: Path) -> Iterator[str]:
    agents = {
        f"probe-{number}": {"description": "d", "prompt": "p", **fields}
        for number, fields in enumerate(DEFINITIONS.values())
    }
    theirs = claude_cli.refused_by(program, agents)
    for (name, agent), fact in zip(agents.items(), DEFINITIONS, strict=True):
        if _is_refused({name: agent}) is not (name in theirs):
            yield fact


def _is_refused(agents: dict[str, Any]) -> bool:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        try:
            loads(json.dumps(agents), format="claude_cli")
        except SpecError as error:
            # That nobody has such a model is ours to say, not theirs.
            return any(problem.code != UNKNOWN_MODEL.name for problem in error.problems)
    return False
