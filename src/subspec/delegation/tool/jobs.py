"""Jobs: delegations that are owned by something that can be closed."""

import asyncio
from typing import Final, final

from subspec.delegation.errors import DelegationError, ErrorCode, unknown
from subspec.delegation.registry import Registry
from subspec.delegation.runs import Run
from subspec.delegation.tasks import finished
from subspec.delegation.vocabulary import RunResult, StartRequest


@final
class Job:
    """One delegation: a task that has a child from before its start until it is put away."""

    request: Final[StartRequest]
    """The work."""

    run: Run | None = None
    """The child, once it has started."""

    failure: DelegationError | None = None
    """Why there is no child, or why it could not be put away."""

    collected: bool = False
    """Whether somebody got the result."""

    def __init__(self, registry: Registry, provider: str, request: StartRequest) -> None:
        """Begin to start a child.

        Args:
            registry: Starts it.
            provider: The name of its provider.
            request: The work.
        """
        self.request = request
        self._known = asyncio.Event()
        self._cancelled = False
        self.task: Final = asyncio.create_task(self._live(registry, provider))
        # A start that fails is over too.
        self.task.add_done_callback(lambda _: self._known.set())

    @property
    def outcome(self) -> RunResult | None:
        """How the child ended. None: it runs, or there is none."""
        return None if self.run is None else self.run.outcome

    def child(self) -> Run:
        """Give the child, once the start is over.

        Raises:
            DelegationError: There is none, and why.
        """
        if self.run is None:
            message = "the tool was closed during the start"
            raise self.failure or DelegationError(ErrorCode.CLOSED, message)
        return self.run

    @property
    def state(self) -> str:
        """Say in a word how it stands: ``running``, or why it stopped."""
        if not self.task.done():
            return "running"
        if self.outcome is None or self.failure is not None:
            return "error"
        return self.outcome.stop_reason

    async def started(self) -> None:
        """Wait until there is a child or the start has failed. To cancel this cancels the job."""
        try:
            await self._known.wait()
        except asyncio.CancelledError:
            await self.cancel()
            raise

    async def finished(self) -> None:
        """Wait until the child has ended and is put away. To cancel this cancels the job."""
        try:
            await self.ended()
        except asyncio.CancelledError:
            await self.cancel()
            raise

    async def ended(self) -> None:
        """Wait until the child has ended and is put away. To cancel this leaves the job alone."""
        await asyncio.wait({self.task})

    async def cancel(self) -> None:
        """Cancel the job, and wait until its child is put away."""
        if not self._cancelled:
            self._cancelled = True
            self.task.cancel()
        await finished(self.task)

    async def _live(self, registry: Registry, provider: str) -> None:
        try:
            async with await registry.start(provider, self.request) as run:
                self.run = run
                self._known.set()
                await run.result()
        except DelegationError as error:
            self.failure = error


@final
class Jobs:
    """The delegations that one owner has begun. None is left when it is closed."""

    def __init__(self, registry: Registry, provider: str) -> None:
        """Have none yet.

        Args:
            registry: Starts the children.
            provider: The name of their provider.
        """
        self._registry = registry
        self._provider = provider
        self._live: set[Job] = set()
        self._kept: dict[str, Job] = {}
        self._closing: asyncio.Task[None] | None = None

    @property
    def kept(self) -> dict[str, Job]:
        """The background jobs by id, in the order of their start."""
        return dict(self._kept)

    async def finish(self, request: StartRequest) -> Job:
        """Begin a job and wait for its end. To cancel this cancels the job.

        Raises:
            DelegationError: The child did not start, and why; or ``CLOSED``.
        """
        job = self._begin(request)
        await job.finished()
        job.child()
        return job

    async def start(self, request: StartRequest) -> str:
        """Begin a job and wait until it has started; keep it then, under the id that is returned.

        Raises:
            DelegationError: The child did not start, and why; or ``CLOSED``.
        """
        job = self._begin(request)
        await job.started()
        run = job.child()
        self._kept[run.id] = job
        return run.id

    def find(self, job_id: str) -> Job:
        """Give the background job of an id.

        Raises:
            DelegationError: ``UNKNOWN_JOB``.
        """
        if job_id not in self._kept:
            raise DelegationError(ErrorCode.UNKNOWN_JOB, unknown("job", job_id, self._kept))
        return self._kept[job_id]

    async def aclose(self) -> None:
        """Cancel all jobs, wait until their children are put away, and begin none any more.

        Raises:
            DelegationError: ``DISPOSAL_FAILED``: some could not be put away; all others were.
        """
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await finished(self._closing)
        self._closing.result()

    def _begin(self, request: StartRequest) -> Job:
        if self._closing is not None:
            raise DelegationError(ErrorCode.CLOSED, "the tool is closed")
        job = Job(self._registry, self._provider, request)
        self._live.add(job)
        job.task.add_done_callback(lambda _: self._live.discard(job))
        return job

    async def _close(self) -> None:
        jobs = {*self._live, *self._kept.values()}
        await asyncio.gather(*(job.cancel() for job in jobs))
        failures = [
            job.failure
            for job in jobs
            # Why one did not start has been told to who called.
            if job.failure is not None and job.failure.code is ErrorCode.DISPOSAL_FAILED
        ]
        if failures:
            message = "; ".join(sorted(failure.message for failure in failures))
            raise DelegationError(ErrorCode.DISPOSAL_FAILED, message) from failures[0]
