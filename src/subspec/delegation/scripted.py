"""A provider whose children do as they are told, for tests."""

import asyncio
import math
from collections.abc import Callable, Iterable, Iterator

from attrs import frozen

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.vocabulary import Capabilities, RunResult, StartRequest, StopReason

EVERYTHING = Capabilities(output_schema=True, depth_limit=True, tool_filter=True, persona=True)
"""All capabilities."""

FOREVER = math.inf
"""A delay that only disposal or cancellation ends."""


@frozen
class Answer:
    """What one child does."""

    text: str = ""
    """What it answers."""

    stop_reason: StopReason = "completed"
    """Why it stops."""

    diagnostic: str | Absent = ABSENT
    """What went wrong."""

    delay: float = 0
    """Seconds until it answers; :data:`FOREVER`: never."""

    start_delay: float = 0
    """Seconds until it exists."""

    error: Exception | SystemExit | None = None
    """What it raises instead of answering."""


Step = Answer | str | Exception | SystemExit
"""An answer, its text alone, or what the start raises."""

Script = Iterable[Step] | Callable[[StartRequest], Step]
"""Steps, one for each child; or a function that makes the step for a request."""


class ScriptedProvider:
    """Starts children that follow a script.

    >>> provider = ScriptedProvider(["first answer", Answer("half an ans", "max-tokens")])
    """

    def __init__(
        self,
        script: Script = (),
        *,
        name: str = "scripted",
        capabilities: Capabilities = EVERYTHING,
        inherits_conversation: bool = False,
    ) -> None:
        """Make one.

        Args:
            script: What the children do. A start beyond its last step fails.
            name: The name of the provider.
            capabilities: What it states; it heeds nothing of it, but records all requests.
            inherits_conversation: What it says of that; its children know nothing.
        """
        self.name = name
        self.capabilities = capabilities
        self.inherits_conversation = inherits_conversation
        self.requests: list[StartRequest] = []
        """What it was asked for, in order, whatever came of it."""

        self.children: list[ScriptedRun] = []
        """The children that came into being."""

        self._step = script if callable(script) else _steps(iter(script))

    async def start(self, request: StartRequest) -> "ScriptedRun":
        """Start a child.

        Raises:
            Exception: The one that the script says.
            AssertionError: The script is at its end.
        """
        self.requests.append(request)
        step = self._step(request)
        if isinstance(step, Exception | SystemExit):
            raise step
        answer = Answer(step) if isinstance(step, str) else step
        await _pause(answer.start_delay)
        child = ScriptedRun(answer)
        self.children.append(child)
        return child


class ScriptedRun:
    """A child that follows a script."""

    def __init__(self, answer: Answer) -> None:
        self.disposals = 0
        """How often it was disposed of."""

        self._answer = answer
        self._disposed = asyncio.Event()

    async def result(self) -> RunResult:
        """Give the answer after its delay; ``aborted`` when it is disposed of before.

        Raises:
            Exception: The one that the script says.
        """
        answer = self._answer
        delay = None if answer.delay == FOREVER else answer.delay
        try:
            await asyncio.wait_for(self._disposed.wait(), delay)
        except asyncio.TimeoutError:
            pass
        else:
            return RunResult("aborted", answer.text)
        if answer.error is not None:
            raise answer.error
        return RunResult(answer.stop_reason, answer.text, diagnostic=answer.diagnostic)

    async def dispose(self) -> None:
        """End it."""
        self.disposals += 1
        self._disposed.set()


def _steps(steps: Iterator[Step]) -> Callable[[StartRequest], Step]:
    def step(_: StartRequest) -> Step:
        try:
            return next(steps)
        except StopIteration:
            msg = "the script has no step for another child"
            raise AssertionError(msg) from None

    return step


async def _pause(seconds: float) -> None:
    if seconds == FOREVER:
        await asyncio.Event().wait()
    await asyncio.sleep(seconds)
