"""A program that runs, with its pipes, and how it is ended so that nothing of it is left."""

import asyncio
from collections.abc import Mapping, Sequence
from signal import strsignal
from typing import Final, cast, final

from subspec.delegation.processes.tree import MARK, ProcessTree, marked
from subspec.delegation.tasks import finished

LINE_LIMIT = 50 * 1024 * 1024
"""How many bytes a line of a program may have; the limit that other ACP clients have."""

LINGER = 0.5
"""Seconds that the pipes of a program may stay open, and its status unknown, after its end."""

KILL_PATIENCE = 5.0
"""Seconds that it may take until killed processes have ended."""

PAUSE = 0.02
"""Seconds from one look at processes that are to end to the next."""

_TAIL = 2000


@final
class Program:
    """A program that was started, and everything that it started in turn.

    It leads a process group of its own, and is marked as :class:`ProcessTree` has it.
    """

    pid: Final[int]
    """The id of the process."""

    def __init__(self, pipes: "_Pipes", mark: str) -> None:
        """Take over a program. :meth:`start` does it."""
        self.pid = pipes.transport.get_pid()
        self._pipes = pipes
        self._tree = ProcessTree(self.pid, mark)

    @classmethod
    async def start(
        cls, command: Sequence[str], *, cwd: str, environment: Mapping[str, str]
    ) -> "Program":
        """Start a program. When this is cancelled, it has ended again.

        Args:
            command: The program and its arguments.
            cwd: Where it runs.
            environment: All of its environment; the mark comes on top.

        Raises:
            OSError: It cannot be started.
            ValueError: There is a NUL in the command or the environment, or a bad name.
        """
        spawning = asyncio.create_task(cls._spawn(command, cwd, marked(environment)))
        try:
            return await asyncio.shield(spawning)
        except asyncio.CancelledError:
            await finished(asyncio.create_task(_end(spawning)))
            raise

    @classmethod
    async def _spawn(
        cls, command: Sequence[str], cwd: str, environment: Mapping[str, str]
    ) -> "Program":
        _, pipes = await asyncio.get_running_loop().subprocess_exec(
            _Pipes, *command, cwd=cwd, env=environment, start_new_session=True
        )
        return cls(pipes, environment[MARK])

    @property
    def said(self) -> str:
        """The last 2,000 bytes of what it wrote to its stderr."""
        return self._pipes.stderr.decode(errors="replace").strip()

    def write(self, data: bytes) -> None:
        """Write to its stdin. What it does not read any more is dropped.

        Raises:
            BufferError: It has left more than :data:`LINE_LIMIT` bytes unread.
        """
        if self._pipes.stdin.get_write_buffer_size() > LINE_LIMIT:
            msg = f"it reads nothing, and more than {LINE_LIMIT} bytes wait for it"
            raise BufferError(msg)
        if not self._pipes.stdin.is_closing():
            self._pipes.stdin.write(data)

    async def read_line(self) -> bytes | None:
        """Read a line of its stdout, with its end; None when there are no more.

        A last line without an end is none.

        Raises:
            ValueError: The line is longer than :data:`LINE_LIMIT`.
        """
        try:
            line = await self._pipes.stdout.readline()
        except ValueError as error:
            msg = f"a line of more than {LINE_LIMIT} bytes"
            raise ValueError(msg) from error
        return line if line.endswith(b"\n") else None

    async def ending(self) -> str:
        """Say how it ended, or that it still runs, in words that follow its name."""
        await asyncio.wait({self._pipes.closed}, timeout=2 * LINGER)
        status = self._pipes.transport.get_returncode()
        if status is None:
            return "closed its stdout"
        if status < 0:
            return f"was ended by signal {-status} ({strsignal(-status)})"
        return f"exited with status {status}"

    async def end(self, grace: float) -> None:
        """End it, and all that it started: by closing its stdin, by SIGTERM, and by SIGKILL.

        When this is cancelled, all of it is killed at once.

        Args:
            grace: Seconds that it has to end, after the first step and again after the second.

        Raises:
            OSError: There are processes that could not be ended.
        """
        self._pipes.discard()
        try:
            # While all are there to be seen: who descends from whom is lost with the parents.
            await asyncio.to_thread(self._tree.look)
            self._pipes.stdin.close()
            if await self._gone(grace):
                return
            await asyncio.to_thread(self._tree.terminate)
            if await self._gone(grace):
                return
            await killed(self._tree)
        except BaseException:
            self._tree.kill()
            raise
        finally:
            await self._pipes.close()

    async def _gone(self, grace: float) -> bool:
        clock = asyncio.get_running_loop().time
        deadline = clock() + grace
        await asyncio.wait({self._pipes.exited}, timeout=grace)
        while await asyncio.to_thread(self._tree.living):
            if clock() >= deadline:
                return False
            await asyncio.sleep(PAUSE)
        return True


async def killed(tree: ProcessTree) -> None:
    """Kill all processes of a tree, and wait until there are none.

    Raises:
        OSError: There are processes that do not end.
    """
    # Again and again: what is found may have started another one before it was hit.
    clock = asyncio.get_running_loop().time
    deadline = clock() + KILL_PATIENCE
    await asyncio.to_thread(tree.kill)
    while left := await asyncio.to_thread(tree.living):
        if clock() >= deadline:
            pids = ", ".join(sorted(str(process.pid) for process in left))
            msg = f"these processes do not end: {pids}"
            raise OSError(msg)
        await asyncio.sleep(PAUSE)
        await asyncio.to_thread(tree.kill)


async def _end(spawning: "asyncio.Task[Program]") -> None:
    await asyncio.wait({spawning})
    # What could not be started need not be ended.
    if not spawning.cancelled() and spawning.exception() is None:
        await spawning.result().end(0)


class _Pipes(asyncio.SubprocessProtocol):
    """The pipes of a program.

    The streams of asyncio would do, if they did not wait for the end of all who hold a pipe before
    they tell of the end of the program, in some versions of Python.
    """

    transport: asyncio.SubprocessTransport
    stdin: asyncio.WriteTransport

    def __init__(self) -> None:
        loop = asyncio.get_running_loop()
        self.stdout = asyncio.StreamReader(limit=LINE_LIMIT)
        self.stderr = bytearray()
        self.exited: asyncio.Future[None] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()
        self._discards = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast("asyncio.SubprocessTransport", transport)
        self.stdin = cast("asyncio.WriteTransport", self.transport.get_pipe_transport(0))
        self.stdout.set_transport(self._stdout)

    @property
    def _stdout(self) -> asyncio.ReadTransport:
        return cast("asyncio.ReadTransport", self.transport.get_pipe_transport(1))

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd != 1:
            self.stderr += data
            del self.stderr[:-_TAIL]
        elif not self._discards:
            self.stdout.feed_data(data)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == 1:
            self.stdout.feed_eof()

    def process_exited(self) -> None:
        self.exited.set_result(None)
        # Somebody else may hold the pipes, and keep them open for ever.
        asyncio.get_running_loop().call_later(LINGER, self.transport.close)

    def connection_lost(self, exc: Exception | None) -> None:
        self.closed.set_result(None)

    def discard(self) -> None:
        """Let it write on, for it may have to before it can end; but nobody reads that any more."""
        self._discards = True
        self._stdout.resume_reading()

    async def close(self) -> None:
        """Close all pipes."""
        if self.stdin.get_write_buffer_size():
            self.stdin.abort()  # it would wait until somebody reads that
        self.transport.close()
        await asyncio.wait({self.closed}, timeout=LINGER)
