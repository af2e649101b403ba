"""Drive the Claude Code CLI that claude-agent-sdk bundles, with no account and no network.

`run_session` shows what a session makes of its subagents: what it lists, and what each of them
sends to the model. `check_agents_json` asks the CLI's own schema about ``--agents`` JSON.
"""

from __future__ import annotations

import asyncio
import dataclasses
import os
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

import claude_agent_sdk
from attrs import field, frozen
from claude_agent_sdk import (
    ClaudeAgentOptions,
    ClaudeSDKClient,
    Message,
    PermissionResultAllow,
    ResultMessage,
    ToolResultBlock,
    UserMessage,
)
from fake_messages_api import (
    KICK_OFF,
    TOOL_USE_ID,
    FakeMessagesApi,
    JsonDict,
    block_texts,
    tool_names,
    user_texts,
)

# Named outright, because the SDK would fall back to whatever `claude` is on the PATH.
CLI = Path(claude_agent_sdk.__file__).with_name("_bundled") / "claude"


@frozen
class ModelRequest:
    """What one thread of a session sent to the model first.

    Attributes:
        model: The model's id as it travels, aliases resolved.
        system: The system prompt, the text of its blocks joined by blank lines.
        tools: The names of the tools on offer, in their order.
        user: The user's text, the text of its blocks joined by blank lines.
    """

    model: str
    system: str = field(repr=False)
    tools: tuple[str, ...]
    user: str = field(repr=False)


@frozen
class Session:
    """What a finished session made of its agents.

    Attributes:
        agents: Description by name, of all agents that the CLI says it has, its own included.
        main: The main thread's first request; None when nothing was delegated.
        subagents: The first request of each subagent that was delegated to, by name.
        refused: Why a delegation came to nothing, by name.
        stderr: The lines that the CLI wrote to stderr.
    """

    agents: dict[str, str]
    main: ModelRequest | None
    subagents: dict[str, ModelRequest]
    refused: dict[str, str]
    stderr: tuple[str, ...]


def run_session(
    options: ClaudeAgentOptions, *, delegate_to: Sequence[str] = (), timeout: float = 30
) -> Session:
    """Run one offline session in which the main model calls each agent of `delegate_to` once.

    `options` keep what they say about agents, tools and servers. Everything that would let the
    machine's own settings in, or the session out, is replaced; ``options.stderr`` hears nothing.

    Raises:
        TimeoutError: The session was not over after `timeout` seconds.
    """
    with _sandbox() as root, FakeMessagesApi(delegate_to) as api:
        stderr: list[str] = []
        environment = _environment(root, api.url)
        offline = _offline_options(options, root, environment, stderr)
        # The SDK puts options.env on top of os.environ, so the latter has to be clean as well.
        with mock.patch.dict(os.environ, environment, clear=True):
            try:
                agents, refused = asyncio.run(asyncio.wait_for(_talk(offline, api), timeout))
            except asyncio.TimeoutError:
                seen = sorted(api.subagent_requests())
                msg = f"no end after {timeout} s; subagents seen: {seen}; stderr: {stderr}"
                raise TimeoutError(msg) from None
        return _session(agents, refused, api, stderr)


def check_agents_json(text: str) -> list[str]:
    """The errors that the CLI's schema finds in ``--agents`` JSON; empty when it accepts it.

    Raises:
        RuntimeError: The CLI failed for another reason.
    """
    with _sandbox() as root:
        # In a file, because one argument of a command line holds no more than 128 KiB on Linux.
        definitions = root / "agents.json"
        definitions.write_text(text, encoding="utf-8")
        run = _start_and_stop(definitions, root)
        return _schema_errors(run, definitions)


async def _talk(
    options: ClaudeAgentOptions, api: FakeMessagesApi
) -> tuple[dict[str, str], dict[str, str]]:
    async with ClaudeSDKClient(options) as client:
        info = await client.get_server_info() or {}
        agents = {agent["name"]: agent["description"] for agent in info.get("agents", ())}
        refused = await _delegate(client, api) if api.delegate_to else {}
    return agents, refused


async def _delegate(client: ClaudeSDKClient, api: FakeMessagesApi) -> dict[str, str]:
    """Set the main model off, and read on until every delegation has come to its end."""
    refused: dict[str, str] = {}
    await client.query(KICK_OFF)
    async for message in client.receive_messages():
        refused.update(_refusals(message, api.delegate_to))
        # An agent may insist on the background. It then outlives the turn that started it, and
        # the CLI reports its end in a turn, and so in a result, of its own.
        pending = set(api.delegate_to) - set(refused) - set(api.subagent_requests())
        if isinstance(message, ResultMessage) and not pending:
            return refused
    msg = f"the CLI left before its result; refused so far: {refused}"
    raise RuntimeError(msg)


def _refusals(message: Message, delegate_to: Sequence[str]) -> Iterator[tuple[str, str]]:
    if not isinstance(message, UserMessage) or isinstance(message.content, str):
        return
    for block in message.content:
        if isinstance(block, ToolResultBlock) and block.is_error:
            name = _called_agent(block.tool_use_id, delegate_to)
            if name is not None:
                yield name, "\n".join(block_texts(block.content or ""))


def _called_agent(tool_use_id: str, delegate_to: Sequence[str]) -> str | None:
    _, ours, index = tool_use_id.partition(TOOL_USE_ID)
    return delegate_to[int(index)] if ours else None


def _offline_options(
    options: ClaudeAgentOptions, root: Path, environment: dict[str, str], stderr: list[str]
) -> ClaudeAgentOptions:
    return dataclasses.replace(
        options,
        cli_path=CLI,
        cwd=root / "work",
        env={**options.env, **environment},
        setting_sources=[],
        can_use_tool=_allow,
        stderr=stderr.append,
    )


async def _allow(*_: object) -> PermissionResultAllow:
    return PermissionResultAllow()


def _session(
    agents: dict[str, str], refused: dict[str, str], api: FakeMessagesApi, stderr: list[str]
) -> Session:
    main = api.main_request()
    return Session(
        agents=agents,
        main=_model_request(main) if main else None,
        subagents={name: _model_request(body) for name, body in api.subagent_requests().items()},
        refused=refused,
        stderr=tuple(stderr),
    )


def _model_request(body: JsonDict) -> ModelRequest:
    return ModelRequest(
        model=body["model"],
        system="\n\n".join(block_texts(body.get("system", ""))),
        tools=tool_names(body),
        user="\n\n".join(user_texts(body)),
    )


@contextmanager
def _sandbox() -> Iterator[Path]:
    """A directory that holds all a session may touch, gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="subspec-cli-") as name:
        # Resolved, because the CLI compares real paths and /tmp is a symlink on macOS.
        root = Path(name).resolve()
        for part in ("home", "tmp", "work"):
            (root / part).mkdir()
        yield root


def _environment(root: Path, base_url: str) -> dict[str, str]:
    """The whole environment of a CLI that shall find neither an account nor a way out."""
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "LANG": "C.UTF-8",
        "HOME": str(root / "home"),
        "TMPDIR": str(root / "tmp"),
        "CLAUDE_CODE_TMPDIR": str(root / "tmp"),
        "CLAUDE_CONFIG_DIR": str(root / "home" / ".claude"),
        "ANTHROPIC_BASE_URL": base_url,
        "ANTHROPIC_API_KEY": "not-a-key",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # Otherwise most tools hide behind a search tool, and requests do not list them.
        "ENABLE_TOOL_SEARCH": "false",
    }


def _start_and_stop(definitions: Path, root: Path) -> subprocess.CompletedProcess[str]:
    """Start a session that ends at once, for there is nothing on its stdin."""
    command: list[str | Path] = [CLI, "--print", "--verbose", "--setting-sources="]
    command += ["--input-format=stream-json", "--output-format=stream-json"]
    command += ["--agents", definitions]
    return subprocess.run(
        command,
        cwd=root / "work",
        env=_environment(root, "http://127.0.0.1:9"),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=30,
        check=False,
    )


def _schema_errors(run: subprocess.CompletedProcess[str], definitions: Path) -> list[str]:
    if run.returncode == 0:
        return []
    headline, _, errors = run.stderr.partition("\n")
    if headline != "Error: Invalid --agents configuration:":
        msg = f"the CLI exited with {run.returncode}: {run.stderr or run.stdout}"
        raise RuntimeError(msg)
    return [line for line in errors.splitlines() if line != f"(read from {definitions})"]
