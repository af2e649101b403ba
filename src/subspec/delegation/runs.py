"""A child that runs: its one result, and how it is put away."""

import asyncio
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Any, Final, final

from subspec.delegation.errors import DelegationError, ErrorCode, described, no_exit
from subspec.delegation.tasks import finished
from subspec.delegation.vocabulary import (
    RunResult,
    StartRequest,
    SubagentProvider,
    SubagentRun,
)
from subspec.shapes import kind

PATIENCE = 1.0
"""Seconds that a child's result may take once the child has been disposed of."""


@final
class Run:
    """A child that was started. It is an asynchronous context manager that disposes of it.

    However the child ends, :meth:`result` says so. What it leaves is put away as soon as it has
    ended, and earlier when the run is disposed of, or when who waits for the result is cancelled.
    """

    id: Final[str]
    """Tells it from the registry's other runs."""

    provider: Final[str]
    """The name of the provider that started it."""

    request: Final[StartRequest]
    """What it was started with."""

    def __init__(
        self,
        run_id: str,
        provider: SubagentProvider,
        request: StartRequest,
    ) -> None:
        """Begin to start a child. Registries do it.

        Args:
            run_id: Tells it from others.
            provider: Starts the child.
            request: The work.
        """
        self.id = run_id
        self.provider = provider.name
        self.request = request
        loop = asyncio.get_running_loop()
        self._child: asyncio.Future[SubagentRun] = loop.create_future()
        self._published: asyncio.Future[None] = loop.create_future()
        self._settled: asyncio.Future[RunResult] = loop.create_future()
        # One task has the child from before its start until it is quiet: there is no moment at
        # which a cancellation, that of the whole loop included, could find it without an owner.
        self._life = loop.create_task(self._live(provider))
        self._disposing: asyncio.Task[None] | None = None
        self._ending: asyncio.Task[None] | None = None

    def __repr__(self) -> str:
        state = "running" if self.outcome is None else self.outcome.stop_reason
        return f"<Run {self.id}: {state}>"

    async def __aenter__(self) -> "Run":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.dispose()

    @property
    def outcome(self) -> RunResult | None:
        """How the child ended, or None while it runs."""
        return self._settled.result() if self._settled.done() else None

    async def result(self) -> RunResult:
        """Wait until the child has ended, and say how.

        To cancel this is to cancel the child, as it is with a task; ``asyncio.shield`` is the way
        to stop waiting and let the child go on. It may be called as often as one likes.
        """
        try:
            # Several may wait, and to cancel one is not to lose the result for the others.
            return await asyncio.shield(self._settled)
        except asyncio.CancelledError:
            await self.dispose()
            raise

    async def dispose(self) -> None:
        """Cancel what still runs, and wait until the child is quiet. It may be called twice.

        A caller that is cancelled meanwhile waits too: a child does not outlive its owner.

        Raises:
            DelegationError: ``DISPOSAL_FAILED``: the provider failed to put its child away.
        """
        if self._ending is None:
            self._ending = asyncio.create_task(self._end())
        await finished(self._ending)
        self._ending.result()

    async def begin(self) -> None:
        """Wait until there is a child, or until the start has failed. This is for the registry.

        Raises:
            asyncio.CancelledError: The caller was cancelled; what was begun is cleaned up.
            DelegationError: ``DISPOSAL_FAILED``: it was cancelled, and what was begun is not.
        """
        waiting: set[asyncio.Future[Any]] = {self._life, self._child}
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
        except asyncio.CancelledError:
            await self.abandon()
            raise

    async def abandon(self) -> None:
        """Cancel a start, and wait until what it began is cleaned up. This is for the registry.

        Raises:
            DelegationError: ``DISPOSAL_FAILED``: it is not.
        """
        # Only once: a second cancellation would hit the cleaning up.
        if self._published.cancel():
            self._life.cancel()
        try:
            await finished(self._life)
        finally:
            failure = None if self._life.cancelled() else self._life.exception()
        # Of all the ways in which it may have ended, only those count that leave something behind.
        if isinstance(failure, DelegationError) and failure.code is ErrorCode.DISPOSAL_FAILED:
            raise failure
        if self._disposing is not None:
            self._refuse_failed(self._disposing)

    def publish(self, *, settled: Callable[["Run"], None], quiet: Callable[["Run"], None]) -> None:
        """Let the child be known. This is for the registry.

        Args:
            settled: Called when there is a result, before anybody gets it.
            quiet: Called when nothing is left of the child.

        Raises:
            DelegationError: There is no child, and why.
        """
        if self._child.done():
            self._settled.add_done_callback(lambda _: settled(self))
            self._life.add_done_callback(lambda _: quiet(self))
            self._published.set_result(None)
        elif self._life.cancelled():
            message = "the provider cancelled the start"
            raise DelegationError(ErrorCode.START_FAILED, message)
        else:
            self._life.result()

    async def _live(self, provider: SubagentProvider) -> None:
        child = await _started(provider, self.request)
        self._child.set_result(child)
        # This is how it ends when it is given up, or its task or ours is cancelled.
        outcome = RunResult("aborted")
        with suppress(asyncio.CancelledError):
            await self._published
            outcome = await _outcome(child)
        self._settled.set_result(outcome)
        await finished(self._disposal())

    def _disposal(self) -> "asyncio.Task[None]":
        if self._disposing is None:
            self._disposing = asyncio.create_task(_disposed(self._child.result()))
        return self._disposing

    async def _end(self) -> None:
        disposal = self._disposal()
        await finished(disposal)
        await asyncio.wait({self._life}, timeout=PATIENCE)
        if not self._life.done():
            # The provider broke its promise that the result comes to an end.
            self._life.cancel()
            await asyncio.wait({self._life}, timeout=PATIENCE)
        if not self._life.done():
            # To wait on would be to wait for ever, for a child that disposes of itself.
            reason = "its result does not come to an end"
            raise self._failure(reason)
        self._refuse_failed(disposal)

    def _refuse_failed(self, disposal: "asyncio.Task[None]") -> None:
        # A child that was cancelled, and says so, has been put away.
        if not disposal.cancelled() and (error := disposal.exception()) is not None:
            raise self._failure(described(error)) from error

    def _failure(self, reason: str) -> DelegationError:
        message = f"{self.id} could not be put away: {reason}"
        return DelegationError(ErrorCode.DISPOSAL_FAILED, message)


async def _started(provider: SubagentProvider, request: StartRequest) -> SubagentRun:
    try:
        with no_exit():
            child: object = await provider.start(request)
    except DelegationError:
        raise
    except Exception as error:
        raise DelegationError(ErrorCode.START_FAILED, described(error)) from error
    if not isinstance(child, SubagentRun):
        message = f"the provider started no child, but gave {kind(child)}"
        raise DelegationError(ErrorCode.START_FAILED, message)
    return child


async def _outcome(child: SubagentRun) -> RunResult:
    try:
        with no_exit():
            result: object = await child.result()
    except Exception as error:  # noqa: BLE001 - whatever it is, it is how the child ended
        return RunResult("error", diagnostic=described(error))
    if isinstance(result, RunResult):
        return result
    return RunResult("error", diagnostic=f"the provider gave no result, but {result!r}")


async def _disposed(child: SubagentRun) -> None:
    with no_exit():
        await child.dispose()
