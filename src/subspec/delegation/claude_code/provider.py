"""Children that the real Claude Code runs, each in a process of its own."""

import asyncio
import os
from contextlib import AsyncExitStack
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, final

from subspec.delegation.absent import ABSENT
from subspec.delegation.claude_code.options import ChildOptions
from subspec.delegation.claude_code.result import LEFT, Report
from subspec.delegation.errors import DelegationError, ErrorCode, described
from subspec.delegation.tasks import put_away
from subspec.delegation.vocabulary import Capabilities, RunResult, StartRequest
from subspec.problems import quoted
from subspec.spec import SubagentSpec

if TYPE_CHECKING:
    from claude_agent_sdk import ClaudeAgentOptions

INTERRUPTION = 2.0
"""Seconds that Claude Code has to say that it stops what it does, before it is killed."""

GRACE = 5.0
"""Seconds that it has to leave by itself, before it is killed."""


@final
class ClaudeCodeProvider:
    """Starts children in Claude Code, by claude-agent-sdk 0.2.158 or later (the extra ``claude``).

    Each child is one query, in a process of its own that leaves no session behind. It runs as the
    spec says: with its prompt, its tools, its model. Prompts for permission are denied unless
    ``permission_mode`` or another override says otherwise; that of a spec counts too, but for
    ``bypassPermissions``. The prompt reaches the model as it is: Claude Code neither runs commands
    in it nor reads files that it names.

    A tool filter needs a spec that lists its tools, and neither ``memory`` nor ``mcp_servers`` in
    it, which add some. A child that is limited in depth cannot use Claude Code's own agents, which
    know no such limit.
    """

    def __init__(
        self,
        spec: SubagentSpec | None = None,
        *,
        name: str = "claude_code",
        fork: bool = False,
        **overrides: Any,
    ) -> None:
        """Make one.

        Args:
            spec: What the children are. None: Claude Code as the overrides make it.
            name: The name of the provider.
            fork: Whether the children know the conversation of a parent that is a Claude session.
                Its callers give a :class:`ClaudeSession` as ``conversation``; without one, a child
                starts fresh.
            overrides: Fields of ``ClaudeAgentOptions``, such as ``cwd``, ``permission_mode`` and
                ``mcp_servers``.

        Raises:
            ImportError: claude-agent-sdk or psutil is not installed.
            SpecError: The installed release lacks something that is needed.
            TypeError: An override is no field of ``ClaudeAgentOptions``, or one that goes by the
                request.

        Warns:
            SpecWarning: The spec sets what cannot reach the child.
        """
        self.name = name
        self.inherits_conversation = fork
        _refuse_without_psutil()
        self._options = ChildOptions(spec, overrides, fork=fork)
        self.capabilities: Capabilities = self._options.capabilities

    def check(self, request: StartRequest) -> None:
        """Refuse what no start would heed.

        Raises:
            DelegationError: ``UNKNOWN_TOOL``; ``UNSUPPORTED_CAPABILITY``.
        """
        self._options.make(request)

    async def start(self, request: StartRequest) -> "ClaudeChild":
        """Start Claude Code, and wait until it is ready.

        Raises:
            DelegationError: ``START_FAILED``: it cannot be started, or does not know its agent.
                ``DISPOSAL_FAILED``: there are also processes of it that could not be ended.
                ``UNKNOWN_TOOL``; ``UNSUPPORTED_CAPABILITY``.
        """
        child = ClaudeChild(self._options.make(request), request)
        connecting = asyncio.create_task(child.connect(self._options.name))
        try:
            await asyncio.shield(connecting)
        except BaseException as error:
            await put_away(child.abandon(connecting), error)
            raise
        return child


@final
class ClaudeChild:
    """A child in Claude Code."""

    def __init__(self, options: "ClaudeAgentOptions", request: StartRequest) -> None:
        """Prepare a session. The provider does it."""
        from claude_agent_sdk import ClaudeSDKClient  # noqa: PLC0415

        from subspec.delegation.processes.tree import MARK, ProcessTree, marked  # noqa: PLC0415

        self._prompt = request.prompt
        self._report = Report(wants_data=request.output_schema is not ABSENT)
        self._options = options
        self._hear_too = options.stderr
        options.stderr = self._hear
        mark = marked({**os.environ, **options.env})[MARK]
        options.env = {**options.env, MARK: mark}
        self._tree = ProcessTree(None, mark)
        self._client = ClaudeSDKClient(options)
        self._runs = False
        self._disposed = False

    async def connect(self, name: str | None) -> None:
        """Start the session.

        Args:
            name: The agent that it is to know.

        Raises:
            DelegationError: ``START_FAILED``.
        """
        try:
            await self._client.connect()
            info = await self._client.get_server_info() or {}
        except Exception as error:
            message = self._report.explained(described(error))
            raise DelegationError(ErrorCode.START_FAILED, message) from error
        # It drops a definition that it does not like without a word, and runs with all tools.
        if name is not None and name not in [agent["name"] for agent in info.get("agents", ())]:
            message = f"Claude Code did not take the definition {quoted(name)}"
            raise DelegationError(ErrorCode.START_FAILED, message)

    async def result(self) -> RunResult:
        """Ask, and wait for the answer."""
        self._runs = True
        try:
            return await self._turn()
        except Exception as error:  # noqa: BLE001 - whatever it is, it is how the child ended
            return self._report.aborted() if self._disposed else self._report.broken(error)
        finally:
            self._runs = False

    async def abandon(self, connecting: "asyncio.Task[None]") -> None:
        """Cancel the start, and see to it that nothing is left.

        Raises:
            OSError: Processes of it do not end.
        """
        connecting.cancel()
        try:
            await self._close(connecting)
        finally:
            await self.dispose()

    async def dispose(self) -> None:
        """Stop it, close it, and kill what is left of it.

        Raises:
            OSError: Processes of it do not end.
        """
        self._disposed = True
        # While all are there to be seen: who descends from whom is lost with the parents.
        await asyncio.to_thread(self._tree.look)
        async with AsyncExitStack() as stack:
            # Each of them whatever the one before it raises.
            stack.push_async_callback(self._kill)
            stack.push_async_callback(self._disconnect)
            if self._runs:
                await self._interrupt()

    async def _interrupt(self) -> None:
        try:
            await asyncio.wait_for(self._client.interrupt(), INTERRUPTION)
        except Exception:  # noqa: BLE001 - whatever it is, it did not stop
            await self._kill()

    async def _disconnect(self) -> None:
        await self._close(asyncio.create_task(self._client.disconnect()))

    async def _close(self, closing: "asyncio.Task[None]") -> None:
        """Wait for the session to close, however it goes; kill it when it takes too long."""
        try:
            await asyncio.wait({closing}, timeout=GRACE)
            if not closing.done():
                await self._kill()
        finally:
            await asyncio.wait({closing})
            # What it raises is why there was a start to abandon.
            _ = closing.cancelled() or closing.exception()

    async def _kill(self) -> None:
        from subspec.delegation.processes.program import killed  # noqa: PLC0415

        await killed(self._tree)

    async def _turn(self) -> RunResult:
        from claude_agent_sdk import AssistantMessage, ResultMessage  # noqa: PLC0415

        await self._client.query(self._prompt)
        async for message in self._client.receive_messages():
            if isinstance(message, AssistantMessage):
                self._report.see(message)
            elif isinstance(message, ResultMessage):
                return self._report.aborted() if self._disposed else self._report.result(message)
        return self._report.aborted() if self._disposed else self._report.failed(LEFT)

    def _hear(self, line: str) -> None:
        self._report.hear(line)
        if self._hear_too is not None:
            self._hear_too(line)


def _refuse_without_psutil() -> None:
    if find_spec("psutil") is None:
        install = "pip install 'subspec[claude]'"
        msg = f"children in Claude Code need psutil; install it with: {install}"
        raise ImportError(msg)
