"""What the Claude Code CLI that claude-agent-sdk bundles loads from the files of a project."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from real_cli import CLI

from subspec.facts import BUILT_IN_AGENTS
from subspec.runtimes.claude_cli import loaded_from

BUILT_IN = BUILT_IN_AGENTS

Listed = dict[str, tuple[str, str | None]]
"""Description and model by name."""


def needs_cli(test: Any) -> Any:
    """Mark a test that asks the CLI."""
    skip = pytest.mark.skipif(not CLI.is_file(), reason="this claude-agent-sdk bundles no CLI")
    return pytest.mark.real_cli(skip(test))


def listed_by_the_cli(files: dict[str, bytes]) -> Listed:
    """Give the agents that the CLI loads from a project with these files below its agents."""
    return loaded_from(CLI, files)


def write(directory: Path, files: dict[str, bytes]) -> Path:
    """Write files below a directory, and give it back."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory
