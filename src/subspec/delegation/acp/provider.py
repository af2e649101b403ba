"""Children in processes of their own, which speak the Agent Client Protocol."""

import asyncio
import os
import shutil
from collections.abc import Iterable, Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, final

from attrs import field, frozen
from immutabledict import immutabledict

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.acp.environment import scrubbed
from subspec.delegation.errors import DelegationError, ErrorCode, described
from subspec.delegation.fields import verify
from subspec.delegation.tasks import put_away
from subspec.delegation.vocabulary import Capabilities, RunResult, StartRequest, Text
from subspec.problems import BLANK_VALUE, Problem, quoted
from subspec.shapes import MoreThan, freeze

if TYPE_CHECKING:
    from subspec.delegation.acp.session import AcpSession

Seconds = Annotated[float, MoreThan(0)]


@frozen
class _NamesAProgram:
    def __call__(self, value: Sequence[str], /) -> Sequence[Problem]:
        if value and value[0].strip():
            return ()
        return (BLANK_VALUE.problem("must begin with a program"),)


def _path(value: Any) -> Any:
    return os.fspath(value) if isinstance(value, os.PathLike) else value


def _command(value: Iterable[str]) -> Any:
    return tuple(map(_path, value)) if isinstance(value, list | tuple) else value


@final
@frozen
class AcpProvider:
    """Starts children that are agents in processes of their own, one process for each child.

    An agent is any program that speaks the Agent Client Protocol over its stdin and stdout. It gets
    the prompt and nothing else of a request: it states no capability, and a request with
    ``agent_options`` is refused, since the protocol has no way to heed them. The client side offers
    it neither files nor terminals.

    Its environment is that of this process without the variables that look like credentials; see
    :func:`~subspec.delegation.acp.looks_like_a_credential`. What it shall have of them, and of
    others, stands in ``env``.

    When a child is put away, its turn is cancelled first. Then its stdin is closed; when that does
    not end it, it gets a SIGTERM, and at last a SIGKILL, and with it all that it has started, also
    what has left its process group.

    It needs the extra ``acp``.

    >>> provider = AcpProvider(["my-agent", "--acp"], permissions="allow")

    Raises:
        SpecError: A value is wrong; all faults at once.
    """

    command: Annotated[tuple[str, ...], _NamesAProgram()] = field(converter=_command)
    """The program and its arguments. A bare name is looked for on the PATH of the child; a path
    that is not absolute begins at ``cwd``."""

    name: Text = field(default="acp", kw_only=True)
    """The name that callers pick the provider by."""

    cwd: Text | Absent = field(default=ABSENT, kw_only=True, converter=_path)
    """Where the children work: an absolute path. Absent: where this process is."""

    env: immutabledict[str, str] = field(
        factory=immutabledict, kw_only=True, converter=freeze, repr=False
    )
    """Variables that are laid over the environment."""

    permissions: Literal["reject", "allow"] = field(default="reject", kw_only=True)
    """How a child is answered that asks for permission: with the first option that rejects, or with
    the first that allows."""

    start_timeout: Seconds = field(default=60.0, kw_only=True)
    """Seconds that a child may take until it has a session."""

    grace: Seconds = field(default=2.0, kw_only=True)
    """Seconds that a child has for each step of being put away: to end its turn when that is
    cancelled, to end when its stdin is closed, and to end on a SIGTERM."""

    def __attrs_post_init__(self) -> None:
        """Refuse wrong values."""
        verify(self)

    @property
    def capabilities(self) -> Capabilities:
        """It states none."""
        return Capabilities()

    def check(self, request: StartRequest) -> None:
        """Refuse what no start would heed.

        Raises:
            DelegationError: ``UNSUPPORTED_CAPABILITY``: there are ``agent_options``.
        """
        if request.agent_options is not ABSENT:
            message = f"the provider {quoted(self.name)} does not support agent_options"
            raise DelegationError(ErrorCode.UNSUPPORTED_CAPABILITY, message)

    async def start(self, request: StartRequest) -> "AcpRun":
        """Start a process, initialize the agent in it, and open a session.

        Raises:
            DelegationError: ``UNSUPPORTED_CAPABILITY``: there are ``agent_options``.
                ``START_FAILED``: the program or ``cwd`` is not there, or the agent ended, broke the
                protocol, spoke another version of it, refused or took too long.
                ``DISPOSAL_FAILED``: there are also processes of it that could not be ended.
        """
        self.check(request)
        _refuse_without_extra()
        cwd = self._directory()
        session = await self._connect(cwd)
        try:
            await self._open(session, cwd)
        except BaseException as error:
            await put_away(session.dispose(), error)
            raise
        return AcpRun(session, request.prompt)

    async def _connect(self, cwd: str) -> "AcpSession":
        from subspec.delegation.acp.session import AcpSession  # noqa: PLC0415 - of an extra
        from subspec.delegation.processes.program import Program  # noqa: PLC0415 - of an extra

        environment = {**scrubbed(os.environ), **self.env}
        command = _found(self.command, cwd, environment.get("PATH"))
        try:
            program = await Program.start(command, cwd=cwd, environment=environment)
        except (OSError, ValueError) as error:
            message = f"cannot start {self._program}: {described(error)}"
            raise _failed(message) from error
        return AcpSession(program, permissions=self.permissions, grace=self.grace)

    async def _open(self, session: "AcpSession", cwd: str) -> None:
        from subspec.delegation.acp.session import AgentError  # noqa: PLC0415 - of an extra

        try:
            await asyncio.wait_for(session.open(cwd), self.start_timeout)
        except AgentError as error:
            message = f"{self._program} {error}"
            raise _failed(message) from error
        except asyncio.TimeoutError as error:
            late = f"has no session after {self.start_timeout} seconds"
            message = f"{self._program} {session.explained(late)}"
            raise _failed(message) from error

    @property
    def _program(self) -> str:
        return quoted(self.command[0], limit=len(self.command[0]))

    def _directory(self) -> str:
        try:
            cwd = str(Path.cwd()) if self.cwd is ABSENT else self.cwd
        except OSError as error:
            message = "the working directory of this process is gone; set cwd"
            raise _failed(message) from error
        if not Path(cwd).is_absolute():
            message = f"cwd must be an absolute path, not {quoted(cwd)}"
            raise _failed(message)
        if not (os.access(cwd, os.X_OK) and Path(cwd).is_dir()):
            message = f"cwd must be a directory that can be entered: {quoted(cwd)}"
            raise _failed(message)
        return cwd


@final
class AcpRun:
    """A child that runs as an agent in a process."""

    def __init__(self, session: "AcpSession", prompt: str) -> None:
        """Take over a session. Providers do it."""
        self._session = session
        self._prompt = prompt

    async def result(self) -> RunResult:
        """Send the prompt, and wait until the turn has ended."""
        return await self._session.result(self._prompt)

    async def dispose(self) -> None:
        """Cancel the turn that goes on, and end the process and all that it has started.

        Raises:
            OSError: There are processes that could not be ended.
        """
        await self._session.dispose()


def _failed(message: str) -> DelegationError:
    return DelegationError(ErrorCode.START_FAILED, message)


def _refuse_without_extra() -> None:
    try:
        for package in ("acp", "psutil"):
            import_module(package)
    except ImportError as error:
        install = "pip install 'subspec[acp]'"
        message = f"ACP agents need agent-client-protocol and psutil; install them with: {install}"
        raise _failed(message) from error


def _found(command: Sequence[str], cwd: str, path: str | None) -> list[str]:
    program, *arguments = command
    if Path(program).name != program:
        return [str(Path(cwd, program)), *arguments]
    found = shutil.which(program, path=path)
    if found is None:
        message = f"there is no program {quoted(program)} on the PATH of the child"
        raise _failed(message)
    return [str(Path(found).absolute()), *arguments]
