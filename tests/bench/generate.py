"""A large file of specs, and a directory of many small ones: the same on every machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TOOLS = ("Read", "Grep", "Glob", "WebFetch", "WebSearch", "mcp__db__query", "mcp__files__search")
MODELS = ("haiku", "sonnet", "opus", "inherit")
COLORS = ("red", "blue", "green", "yellow", "purple")
KINDS = ("queries", "schemas", "reports", "pull requests", "test failures", "release notes")

PLAIN, QUOTED, ALL = 40, 49, 50
"""Of so many descriptions the first are plain text, those up to the second are in quotes."""


def specs(count: int) -> dict[str, dict[str, Any]]:
    """Make the agents, as plain data."""
    return {f"agent-{number:05}": _spec(number) for number in range(count)}


def long_specs(count: int) -> dict[str, dict[str, Any]]:
    """Make agents as long as those that people write to files of their own."""
    return {f"agent-{number:05}": _long_spec(number) for number in range(count)}


def write_yaml(path: Path, agents: dict[str, dict[str, Any]]) -> None:
    """Write them as people do: prompts as literal blocks, tools as lists in brackets."""
    text = "agents:\n" + "".join(_entry(name, spec) for name, spec in agents.items())
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, agents: dict[str, dict[str, Any]]) -> None:
    """Write the same as JSON."""
    path.write_text(json.dumps({"agents": agents}, indent=2), encoding="utf-8")


def write_markdown(directory: Path, agents: dict[str, dict[str, Any]]) -> None:
    """Write each to a file of its own, as people do.

    Of 50 descriptions 40 are plain text, nine are in quotes with escapes, and one is a block; of
    50 lists of tools 49 are a text with commas. That is how it was with 848 real files.
    """
    directory.mkdir()
    for number, (name, spec) in enumerate(agents.items()):
        text = (
            "---\n"
            f"name: {name}\n"
            f"description: {_description(number, spec['description'])}\n"
            f"tools: {_tools(number, spec['tools'])}\n"
            f"model: {spec['model']}\n"
            f"color: {spec['color']}\n"
            f"maxTurns: {spec['max_turns']}\n"
            "---\n"
            "\n"
            f"{spec['prompt']}\n"
        )
        (directory / f"{name}.md").write_text(text, encoding="utf-8")


def _long_spec(number: int) -> dict[str, Any]:
    kind = KINDS[number % len(KINDS)]
    if number % ALL < PLAIN:
        description = (
            f"Looks after {kind} of kind {number} and knows what is usual. It reads what is there"
            f" (files, logs, {kind}), says what it would change and why, and changes nothing by"
            " itself. Use it PROACTIVELY when work is planned, and when it is handed on."
        )
    else:
        description = (
            f"Use this agent to look after {kind} of kind {number}.\n"
            "Examples:\n"
            f"- Context: somebody asks about {kind}. user: 'Can you look at these {kind}?'\n"
            f"- Context: a plan names {kind}. assistant: 'I will ask the agent for {kind}.'"
        )
    dash = "\u2013" if number % 3 == 0 else "-"
    return {
        **_spec(number),
        "description": description,
        "prompt": "\n\n".join(_section(part, kind, dash) for part in range(1, 16)),
        "color": COLORS[number % len(COLORS)],
    }


def _section(part: int, kind: str, dash: str) -> str:
    return (
        f"## {part}. What to do with {kind}\n"
        "\n"
        f"You handle {kind} with care {dash} those who wrote them are asked before they change.\n"
        "\n"
        "- **Read** what was asked, and read it again: `grep -n` finds what else there is.\n"
        "- **Answer** in two sentences, the important one first; then the details, if any.\n"
        "- **Say** what you do not know. Never guess the name of a file, a table or a person.\n"
        "\n"
        "```python\nfor each in found:\n    print(each.name, each.line)\n```"
    )


def _description(number: int, text: str) -> str:
    if number % ALL < PLAIN:
        return text
    if number % ALL < QUOTED:
        return '"' + text.replace("\n", "\\n") + '"'
    return "|-\n" + "\n".join(f"  {line}" for line in text.split("\n"))


def _tools(number: int, names: list[str]) -> str:
    return ", ".join(names) if number % ALL else f"[{', '.join(names)}]"


def _spec(number: int) -> dict[str, Any]:
    first = number % len(TOOLS)
    return {
        "description": f"Handles requests of kind {number}. Use it when no other agent fits.",
        "prompt": (
            f"You handle requests of kind {number}.\n"
            "\n"
            "- Read what was asked, and read it again.\n"
            "- Answer in two sentences, the important one first.\n"
            "- Say what you do not know.\n"
        ),
        "tools": [*TOOLS[first:], *TOOLS[:first]][:3],
        "model": MODELS[number % len(MODELS)],
        "max_turns": number % 20 + 1,
    }


def _entry(name: str, spec: dict[str, Any]) -> str:
    prompt = "".join(f"      {line}".rstrip(" ") + "\n" for line in spec["prompt"].splitlines())
    return (
        f"  {name}:\n"
        f"    description: {spec['description']}\n"
        f"    prompt: |\n{prompt}"
        f"    tools: [{', '.join(spec['tools'])}]\n"
        f"    model: {spec['model']}\n"
        f"    max_turns: {spec['max_turns']}\n"
    )
