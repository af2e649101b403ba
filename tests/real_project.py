"""What the Claude Code CLI that claude-agent-sdk bundles loads from the files of a project."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest
from real_cli import CLI, _environment, _sandbox


def needs_cli(test: Any) -> Any:
    """Mark a test that asks the CLI."""
    skip = pytest.mark.skipif(not CLI.is_file(), reason="this claude-agent-sdk bundles no CLI")
    return pytest.mark.real_cli(skip(test))


BUILT_IN = {
    *("Explore", "Plan", "claude", "claude-code-guide", "fork", "general-purpose"),
    *("output-style-setup", "statusline-setup", "web-fetch"),
}
"""The agents that Claude Code has by itself; a file can take the place of one."""

INITIALIZE = {
    "type": "control_request",
    "request_id": "r1",
    "request": {"subtype": "initialize", "hooks": None},
}

Listed = dict[str, tuple[str, str | None]]
"""Description and model by name."""


def listed_by_the_cli(files: dict[str, bytes]) -> Listed:
    """Give the agents that the CLI loads from a project with these files below its agents."""
    with _sandbox() as root:
        write(root / "work" / ".claude" / "agents", files)
        command = [str(CLI), "--print", "--verbose", "--setting-sources=project"]
        command += ["--input-format=stream-json", "--output-format=stream-json"]
        run = subprocess.run(
            command,
            cwd=root / "work",
            env=_environment(root, "http://127.0.0.1:9"),
            input=json.dumps(INITIALIZE) + "\n",
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=True,
        )
    answers = map(json.loads, run.stdout.splitlines())
    answer = next(line for line in answers if line["type"] == "control_response")
    agents = answer["response"]["response"]["agents"]
    return {
        agent["name"]: (agent["description"], agent.get("model"))
        for agent in agents
        if agent["name"] not in BUILT_IN
    }


def write(directory: Path, files: dict[str, bytes]) -> Path:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return directory
