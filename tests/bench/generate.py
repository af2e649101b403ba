"""A large file of specs, the same on every machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

TOOLS = ("Read", "Grep", "Glob", "WebFetch", "WebSearch", "mcp__db__query", "mcp__files__search")
MODELS = ("haiku", "sonnet", "opus", "inherit")


def specs(count: int) -> dict[str, dict[str, Any]]:
    """Make the agents, as plain data."""
    return {f"agent-{number:05}": _spec(number) for number in range(count)}


def write_yaml(path: Path, agents: dict[str, dict[str, Any]]) -> None:
    """Write them as people do: prompts as literal blocks, tools as lists in brackets."""
    text = "agents:\n" + "".join(_entry(name, spec) for name, spec in agents.items())
    path.write_text(text, encoding="utf-8")


def write_json(path: Path, agents: dict[str, dict[str, Any]]) -> None:
    """Write the same as JSON."""
    path.write_text(json.dumps({"agents": agents}, indent=2), encoding="utf-8")


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
