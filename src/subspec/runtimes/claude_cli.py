"""The Claude Code on this machine: where it is, which version, and what it makes of agents.

It is started without an account and without a way out: what it is asked needs neither.
"""

import json
import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from subspec.facts import BUILT_IN_AGENTS

NOWHERE = "http://127.0.0.1:9"
TIMEOUT = 60
"""How long an answer may take, in seconds."""

_INITIALIZE = {
    "type": "control_request",
    "request_id": "1",
    "request": {"subtype": "initialize", "hooks": None},
}
_REFUSED = "Error: Invalid --agents configuration:"


class CannotAskError(Exception):
    """The program cannot be started, or answers something else; `str()` of it says what."""


def bundled_cli() -> Path | None:
    """Find the Claude Code that the installed claude-agent-sdk brings; None where there is none."""
    found = find_spec("claude_agent_sdk")
    if found is None or found.origin is None:
        return None
    name = "claude.exe" if os.name == "nt" else "claude"
    program = Path(found.origin).with_name("_bundled") / name
    return program if program.is_file() else None


def installed_cli() -> Path | None:
    """Find the Claude Code that a shell would start; None where there is none."""
    found = shutil.which("claude")
    return None if found is None else Path(found)


def version_of(program: Path) -> str:
    """Ask a program for its version.

    Raises:
        CannotAskError: It does not say.
    """
    with _sandbox() as root:
        output = _run([str(program), "--version"], root, "").stdout
    version = output.split(" ", 1)[0].strip()
    if not version[:1].isdigit():
        msg = f"{program} does not say its version"
        raise CannotAskError(msg)
    return version


def loaded_from(program: Path, files: Mapping[str, bytes]) -> dict[str, tuple[str, str | None]]:
    """Ask which agents are loaded from a project.

    Args:
        program: Claude Code.
        files: What lies in the directory for agents, by path.

    Returns:
        Description and model of each agent by its name, the built-in ones left out.

    Raises:
        CannotAskError: There is no answer.
    """
    with _sandbox() as root:
        for name, content in files.items():
            path = root / "work" / ".claude" / "agents" / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
        command = [str(program), "--print", "--verbose", "--setting-sources=project"]
        command += ["--input-format=stream-json", "--output-format=stream-json"]
        output = _run(command, root, json.dumps(_INITIALIZE) + "\n").stdout
    for line in output.splitlines():
        answer: Any = json.loads(line)
        if answer.get("type") == "control_response":
            return {
                agent["name"]: (agent["description"], agent.get("model"))
                for agent in answer["response"]["response"]["agents"]
                if agent["name"] not in BUILT_IN_AGENTS
            }
    msg = f"{program} does not say which agents it loads"
    raise CannotAskError(msg)


def refused_by(program: Path, agents: Mapping[str, Any]) -> set[str]:
    """Ask which definitions are refused that another program hands over.

    Args:
        program: Claude Code.
        agents: Definitions by names, which hold no dots.

    Raises:
        CannotAskError: There is no answer.
    """
    left = dict(agents)
    # It names some twenty faults at a time.
    while named := _refused_at_once(program, left):
        left = {name: agent for name, agent in left.items() if name not in named}
    return agents.keys() - left.keys()


def _refused_at_once(program: Path, agents: Mapping[str, Any]) -> set[str]:
    with _sandbox() as root:
        definitions = root / "agents.json"
        definitions.write_text(json.dumps(agents), encoding="utf-8")
        command = [str(program), "--print", "--verbose", "--setting-sources="]
        command += ["--input-format=stream-json", "--output-format=stream-json"]
        done = _run([*command, "--agents", str(definitions)], root, "", check=False)
    if not done.returncode:
        return set()
    headline, _, errors = done.stderr.partition("\n")
    named = {line.partition(":")[0].partition(".")[0] for line in errors.splitlines()}
    if headline != _REFUSED or not named & agents.keys():
        msg = f"{program} fails with {done.returncode}: {headline}"
        raise CannotAskError(msg)
    return named & agents.keys()


def _run(
    command: list[str], root: Path, standard_input: str, *, check: bool = True
) -> "subprocess.CompletedProcess[str]":
    try:
        return subprocess.run(  # noqa: S603 - the program is one that the user has
            command,
            cwd=root / "work",
            env=_environment(root),
            input=standard_input,
            capture_output=True,
            encoding="utf-8",
            errors="replace",
            timeout=TIMEOUT,
            check=check,
        )
    except (OSError, subprocess.SubprocessError) as error:
        msg = f"{command[0]} cannot be asked: {error}"
        raise CannotAskError(msg) from None


@contextmanager
def _sandbox() -> Generator[Path, None, None]:
    """Make a directory that holds all it may touch, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="subspec-") as name:
        root = Path(name).resolve()
        for part in ("home", "tmp", "work"):
            (root / part).mkdir()
        yield root


def _environment(root: Path) -> dict[str, str]:
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "CLAUDE_CODE_TMPDIR": str(root / "tmp"),
        "CLAUDE_CONFIG_DIR": str(root / "home" / ".claude"),
        "ANTHROPIC_BASE_URL": NOWHERE,
        "ANTHROPIC_API_KEY": "not-a-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        "DISABLE_TELEMETRY": "1",
    }
