"""Ask the real Claude Code what it loads from directories, and compare that with `preview`.

Run as ``python tests/oracle.py DIR...``, it prints what differs, and exits with 1 if anything does.
No account and no network is needed, and nothing in the directories is changed. Their hooks and
servers are not started; other settings of a project count as ever: ask about none of strangers.
"""

from __future__ import annotations

import asyncio
import json
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from attrs import field, frozen
from claude_agent_sdk import ClaudeAgentOptions, ClaudeSDKClient, ResultMessage
from fake_messages_api import FakeMessagesApi
from real_cli import CLI, _environment, _sandbox

from subspec.facts import BUILT_IN_AGENTS
from subspec.project import LoadedAgent, preview

SECONDS = 120
LONGEST_LINE = 256 * 1024 * 1024
"""How long a line of the CLI may be; it says all descriptions in one."""


@frozen
class Answer:
    """What the CLI says of a directory."""

    agents: list[dict[str, Any]]
    """Name, description and model of each agent, its own included, in its order."""

    told: str | None = field(repr=False)
    """What it tells the main model, the list of agents with their tools in it; None if unasked."""


def ask(directory: Path, *, home: Path, user: bool = False, tools: bool = True) -> Answer:
    """Start a session in a directory, and stop it after its first request.

    Args:
        directory: Where to start it.
        home: The home directory, whose ``.claude`` is the user's.
        user: Whether the user's agents count.
        tools: Whether the tools are asked for too, which takes a request and three times as long.
    """
    with _sandbox() as root, FakeMessagesApi() as api:
        environment = _environment(root, api.url)
        environment |= {"HOME": str(home), "CLAUDE_CONFIG_DIR": str(home / ".claude")}
        options = ClaudeAgentOptions(
            cli_path=CLI,
            cwd=directory,
            env=environment,
            setting_sources=["user", "project"] if user else ["project"],
            settings=json.dumps({"disableAllHooks": True}),
            strict_mcp_config=True,
            max_buffer_size=LONGEST_LINE,
            stderr=lambda _: None,
        )
        # The SDK puts options.env on top of os.environ, so the latter has to be clean as well.
        with mock.patch.dict(os.environ, environment, clear=True):
            agents = asyncio.run(asyncio.wait_for(_talk(options, tools=tools), SECONDS))
        return Answer(agents, "\n".join(_texts(api.requests)) if tools else None)


def _texts(value: Any) -> Iterator[str]:
    """Give all the text in a request: the list of agents has been in one part and in another."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


async def _talk(options: ClaudeAgentOptions, *, tools: bool) -> list[dict[str, Any]]:
    async with ClaudeSDKClient(options) as client:
        info = await client.get_server_info() or {}
        if tools:
            await client.query("Say ok.")
            async for message in client.receive_messages():
                if isinstance(message, ResultMessage):
                    break
    agents: list[dict[str, Any]] = info["agents"]
    return agents


def differences(
    directory: Path, *, home: Path, user: bool = False, tools: bool = True
) -> list[str]:
    """Say what `preview` gets wrong about a directory; the arguments are those of `ask`.

    The names, their order, the descriptions, the models and, where asked for, the tools are
    compared.
    """
    answer = ask(directory, home=home, user=user, tools=tools)
    with mock.patch.dict(os.environ, {"HOME": str(home)}):
        os.environ.pop("CLAUDE_CONFIG_DIR", None)
        found = preview(directory, user=user)
    return list(_compared({agent.name: agent for agent in found.loaded}, answer))


def _compared(ours: dict[str, LoadedAgent], answer: Answer) -> Iterator[str]:
    theirs = {
        agent["name"]: agent
        for agent in answer.agents
        if agent["name"] in ours or agent["name"] not in BUILT_IN_AGENTS
    }
    for name in theirs.keys() - ours.keys():
        yield f"{name!r}: loaded by Claude Code only: {theirs[name]['description'][:60]!r}"
    for name in ours.keys() - theirs.keys():
        yield f"{name!r}: loaded by preview only: {ours[name].path}"
    if list(ours) != list(theirs) and ours.keys() == theirs.keys():
        yield f"the order is {list(theirs)}, not {list(ours)}"
    for name in ours.keys() & theirs.keys():
        agent, listed = ours[name], theirs[name]
        for what, said in (("description", agent.description), ("model", agent.model)):
            if listed.get(what) != said:
                yield f"{name!r}: the {what} is {listed.get(what)!r}, not {said!r}"
        line = f"- {name}: {agent.description} (Tools: {agent.listed_tools})"
        if answer.told is not None and line not in answer.told:
            yield f"{name!r}: the tools are not listed as {agent.listed_tools!r}"


def main() -> int:
    """Compare directories that are named on the command line."""
    if len(sys.argv) == 1:
        sys.stderr.write("usage: oracle.py DIR...\n")
        return 2
    any_differ = False
    # An empty home elsewhere: the CLI writes there, and what is in the real one is not asked about.
    with tempfile.TemporaryDirectory() as home:
        for directory in map(Path, sys.argv[1:]):
            found = differences(directory, home=Path(home))
            any_differ |= bool(found)
            sys.stdout.write("".join(f"{directory}: {line}\n" for line in found or ["the same"]))
    return int(any_differ)


if __name__ == "__main__":
    sys.exit(main())
