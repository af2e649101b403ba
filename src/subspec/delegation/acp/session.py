"""A session with an agent that speaks the Agent Client Protocol: one prompt, and what comes of it.

Source: the schema of version 1 of the protocol, https://agentclientprotocol.com/protocol/schema.
What an agent says is read as loosely as it can be understood: later versions add to it.
"""

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Literal, cast, final

from subspec.delegation.processes.program import Program
from subspec.delegation.vocabulary import RunResult, StopReason
from subspec.problems import printable, quoted
from subspec.shapes import kind

Permissions = Literal["reject", "allow"]
"""How an agent is answered that asks for permission."""

TEXT_LIMIT = 10_000_000
"""How many characters an answer may have."""

_STOP_REASONS: Mapping[str, StopReason] = {
    "end_turn": "completed",
    "max_tokens": "max-tokens",
    "refusal": "refusal",
    "cancelled": "aborted",
}
_ALLOW = ("allow_once", "allow_always")
_REJECT = ("reject_once", "reject_always")
_DECISIONS = {"reject": (_REJECT,), "allow": (_ALLOW, _REJECT)}
_AUTH_REQUIRED = -32000
_LINES = 10


class AgentError(Exception):
    """The agent ended, broke the protocol, or answered with an error."""


@final
class AcpSession:
    """A child: an agent in a process, with one session that has one turn."""

    def __init__(self, program: Program, *, permissions: Permissions, grace: float) -> None:
        """Connect to an agent.

        Args:
            program: The process it runs in.
            permissions: How it is answered when it asks for permission.
            grace: Seconds that it has to obey a cancellation, and to end.
        """
        from acp.core import Connection  # noqa: PLC0415 - of an extra

        self._program = program
        self._permissions: Permissions = permissions
        self._grace = grace
        self._messages = _Messages(program, self._hear)
        self._connection = Connection(self._handle, self._messages)
        self._id: object = None
        self._answer = _Answer()
        self._hears = False
        self._disposing = asyncio.Event()
        self._turn: asyncio.Future[None] | None = None

    async def open(self, cwd: str) -> None:
        """Initialize the agent, and open the session.

        Args:
            cwd: Where the session works: an absolute path.

        Raises:
            AgentError: It does not come about.
        """
        from acp import PROTOCOL_VERSION  # noqa: PLC0415

        agent = await self._ask(
            "initialize",
            {
                "protocolVersion": PROTOCOL_VERSION,
                "clientCapabilities": {
                    "fs": {"readTextFile": False, "writeTextFile": False},
                    "terminal": False,
                },
                "clientInfo": {"name": "subspec", "version": _version()},
            },
        )
        spoken = agent.get("protocolVersion")
        if spoken is None:
            msg = "does not say which version of the protocol it speaks"
            raise AgentError(msg)
        if spoken != PROTOCOL_VERSION:
            msg = f"speaks version {quoted(spoken)} of the protocol, not {PROTOCOL_VERSION}"
            raise AgentError(msg)
        session = await self._ask("session_new", {"cwd": cwd, "mcpServers": []})
        self._id = session.get("sessionId")
        if not isinstance(self._id, str):
            msg = "opened a session without an id"
            raise AgentError(msg)

    async def result(self, prompt: str) -> RunResult:
        """Send the prompt, and wait until the turn has ended."""
        self._turn = asyncio.get_running_loop().create_future()
        self._hears = True
        blocks = [{"type": "text", "text": prompt}]
        try:
            ending = await self._ask("session_prompt", {"sessionId": self._id, "prompt": blocks})
        except AgentError as error:
            # Not every agent knows how to end a turn that is cancelled.
            if self._disposing.is_set():
                return RunResult("aborted", self._answer.text)
            return RunResult("error", self._answer.text, diagnostic=f"the agent {error}")
        finally:
            self._turn.set_result(None)
        return self._answer.result(ending.get("stopReason"))

    async def dispose(self) -> None:
        """Cancel the turn that goes on, and end the agent and all its processes.

        Raises:
            OSError: Some of them did not end.
        """
        self._disposing.set()
        try:
            if self._turn is not None and not self._turn.done():
                await self._cancel(self._turn)
        finally:
            try:
                await self._connection.close()
            finally:
                await self._program.end(self._grace)

    async def _reason(self) -> str:
        return "was put away" if self._disposing.is_set() else await self._program.ending()

    def explained(self, message: str) -> str:
        """Add to a message what the agent wrote to its stderr last."""
        lines = self._program.said.splitlines()[-_LINES:]
        said = "\n".join(printable(line) for line in lines)
        return f"{message}; its stderr ends with:\n{said}" if said else message

    async def _cancel(self, turn: "asyncio.Future[None]") -> None:
        from acp import AGENT_METHODS  # noqa: PLC0415

        # A connection that is lost ends the turn as well.
        with suppress(ConnectionError):
            await self._connection.send_notification(
                AGENT_METHODS["session_cancel"], {"sessionId": self._id}
            )
        await asyncio.wait({turn}, timeout=self._grace)

    async def _ask(self, name: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        from acp import AGENT_METHODS, RequestError  # noqa: PLC0415

        method = AGENT_METHODS[name]
        try:
            answer = await self._connection.send_request(method, params)
        except RequestError as error:
            told = _told(error.code, error, error.data)
            msg = self.explained(f"answered {method} with an error: {told}")
            raise AgentError(msg) from error
        except ConnectionError as error:
            reason = self._messages.fault or await self._reason()
            raise AgentError(self.explained(f"{reason} during {method}")) from error
        if isinstance(answer, dict):
            return answer
        msg = f"answered {method} with {kind(answer)}"
        raise AgentError(msg)

    async def _handle(self, method: str, params: object, is_notification: bool) -> Any:  # noqa: FBT001
        from acp import CLIENT_METHODS, RequestError  # noqa: PLC0415

        if method == CLIENT_METHODS["session_request_permission"]:
            return {"outcome": self._decide(_mapping(params).get("options"))}
        if not is_notification:
            raise RequestError.method_not_found(method)
        return None

    def _hear(self, message: Mapping[str, Any]) -> None:
        from acp import CLIENT_METHODS  # noqa: PLC0415

        params = _mapping(message.get("params"))
        if "method" not in message and message.get("id") == self._messages.asked:
            # What comes behind the end of the turn is no answer, nor what came before the turn.
            self._hears = False
        if message.get("method") == CLIENT_METHODS["session_update"] and self._hears:
            if params.get("sessionId") == self._id:
                self._answer.add(_mapping(params.get("update")))
            if self._answer.length > TEXT_LIMIT:
                self._messages.fault = f"answered with more than {TEXT_LIMIT} characters"

    def _decide(self, options: object) -> Mapping[str, object]:
        given = [_mapping(each) for each in options] if isinstance(options, list) else []
        # A turn that is being cancelled is granted nothing any more.
        for kinds in () if self._disposing.is_set() else _DECISIONS[self._permissions]:
            for option in given:
                if option.get("kind") in kinds:
                    return {"outcome": "selected", "optionId": option.get("optionId")}
        return {"outcome": "cancelled"}


class _Answer:
    """What the agent has said so far."""

    def __init__(self) -> None:
        self.length = 0
        self._parts: list[str] = []
        self._message: object = None
        self._is_over = False
        self._left_out: dict[str, None] = {}

    @property
    def text(self) -> str:
        # Agents that count in UTF-16 may cut a character in two, and send each half by itself.
        units = "".join(self._parts).encode("utf-16-le", "surrogatepass")
        return units.decode("utf-16-le", "replace")

    def add(self, update: Mapping[str, Any]) -> None:
        """Take what an update adds to it: a part of a message. Other updates are only news."""
        if update.get("sessionUpdate") == "tool_call":
            self._is_over = True
        elif update.get("sessionUpdate") == "agent_message_chunk":
            content = _mapping(update.get("content"))
            if content.get("type") == "text" and isinstance(content.get("text"), str):
                self._add_text(content["text"], update.get("messageId"))
            else:
                self._left_out[quoted(content.get("type"))] = None

    def result(self, stop_reason: object) -> RunResult:
        """Say how the turn has ended, for the reason that the agent gave."""
        reason = _STOP_REASONS.get(stop_reason) if isinstance(stop_reason, str) else None
        if reason is None:
            why = "without a reason" if stop_reason is None else f"with {quoted(stop_reason)}"
            diagnostic = f"the agent stopped {why}"
            return RunResult("error", self.text, diagnostic=diagnostic)
        if self._left_out:
            diagnostic = f"the answer had parts that are no text: {', '.join(self._left_out)}"
            return RunResult(reason, self.text, diagnostic=diagnostic)
        return RunResult(reason, self.text)

    def _add_text(self, text: str, message: object) -> None:
        # What is said before a tool is called is a message of its own.
        if self._parts and (self._is_over or message != self._message):
            text = f"\n\n{text}"
        self._is_over = False
        self._message = message
        self._parts.append(text)
        self.length += len(text)


class _Messages:
    """What is sent and received, one message a line: a transport for the package's connection."""

    def __init__(self, program: Program, hear: Callable[[Mapping[str, Any]], None]) -> None:
        """Make one.

        Args:
            program: Who is at the other end.
            hear: Called with each message, in their order, which the connection does not keep.
        """
        self.fault: str | None = None
        """Why nothing is received any more, though the agent has not ended."""

        self.asked: object = None
        """The id of the last request that was sent."""

        self._program = program
        self._hear = hear

    async def send(self, message: Mapping[str, Any]) -> None:
        if "method" in message and "id" in message:
            self.asked = message["id"]
        try:
            self._program.write(json.dumps(message).encode() + b"\n")
        except BufferError:
            self.fault = "does not read what it is sent"

    async def receive(self) -> dict[str, Any] | None:
        line = await self._next_line()
        if line is None:
            return None
        message = _message(line)
        if message is None:
            self.fault = (
                f"wrote what is no message: {quoted(line.decode(errors='replace').strip())}"
            )
            return None
        self._hear(message)
        return None if self.fault else message

    async def close(self) -> None:
        """Nothing is its own."""

    async def _next_line(self) -> bytes | None:
        try:
            line = await self._program.read_line()
            while line is not None and not line.strip():
                line = await self._program.read_line()
        except ValueError as error:
            self.fault = f"wrote {error}"
            return None
        return line


def _message(line: bytes) -> dict[str, Any] | None:
    try:
        message: object = json.loads(line)
    except (ValueError, RecursionError):
        return None
    # The connection takes for granted what an id and an error are.
    sound = (
        isinstance(message, dict)
        and not isinstance(message.get("id"), dict | list)
        and isinstance(message.get("error"), dict | None)
    )
    return cast("dict[str, Any]", message) if sound else None


def _version() -> str:
    try:
        return version("subspec")
    except PackageNotFoundError:
        # It runs from a directory that nobody has installed it from.
        return "unknown"


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _told(code: object, message: object, data: object) -> str:
    hint = "; log in with the agent's own program, or give a key in env"
    more = f" ({quoted(data)})" if data else ""
    return f"{printable(str(message))}{more} [{code}]{hint if code == _AUTH_REQUIRED else ''}"
