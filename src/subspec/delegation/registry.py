"""The registry: named providers, the checks before a child exists, and the children there are."""

import asyncio
from collections.abc import Callable
from itertools import count
from types import TracebackType
from typing import Literal, final

from attrs import frozen

from subspec.delegation.absent import ABSENT
from subspec.delegation.errors import DelegationError, ErrorCode, described, no_exit, unknown
from subspec.delegation.runs import Run
from subspec.delegation.tasks import finished
from subspec.delegation.vocabulary import (
    Capabilities,
    RunResult,
    StartRequest,
    SubagentProvider,
)
from subspec.problems import quoted
from subspec.shapes import kind


@frozen
class Event:
    """Something that happened to a child: each is ``started`` once, and ``settled`` once."""

    kind: Literal["started", "settled"]
    """What happened."""

    run: Run
    """The child it happened to."""

    @property
    def result(self) -> RunResult | None:
        """How the child ended, or None while it runs."""
        return self.run.outcome


Listener = Callable[[Event], None]
"""Hears of events. What it raises goes to the event loop's exception handler."""


@final
class Registry:
    """Providers by name, and the children they started.

    It belongs to one event loop, and owns what it starts: it is an asynchronous context manager
    that disposes of all children at its end.

    .. code-block:: python

        async with Registry() as registry:
            registry.register(provider)
            result = await registry.delegate("spawn", StartRequest("Find the bug."))
    """

    def __init__(self) -> None:
        self._providers: dict[str, SubagentProvider] = {}
        self._listeners: dict[object, Listener] = {}
        self._runs: dict[str, Run] = {}
        self._starting: set[Run] = set()
        self._numbers = count(1)
        self._closing: asyncio.Task[None] | None = None

    async def __aenter__(self) -> "Registry":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    @property
    def providers(self) -> tuple[str, ...]:
        """The names of the providers, in the order of their registration."""
        return tuple(self._providers)

    @property
    def runs(self) -> tuple[Run, ...]:
        """The children that are not quiet yet, in the order of their start."""
        return tuple(self._runs.values())

    def register(self, provider: SubagentProvider) -> Callable[[], None]:
        """Add a provider, under its own name.

        Returns:
            A function that takes it away again. The children it started go on.

        Raises:
            DelegationError: ``DUPLICATE_PROVIDER``: there is one of this name. ``BAD_PROVIDER``:
                it is not a provider.
        """
        name = _checked(provider)
        if name in self._providers:
            message = f"a provider named {quoted(name)} is registered already"
            raise DelegationError(ErrorCode.DUPLICATE_PROVIDER, message)
        self._providers[name] = provider

        def unregister() -> None:
            # Another one may have taken the name since.
            if self._providers.get(name) is provider:
                del self._providers[name]

        return unregister

    def listen(self, listener: Listener) -> Callable[[], None]:
        """Have a function called for each event.

        Returns:
            A function that ends that.
        """
        key = object()
        self._listeners[key] = listener

        def stop() -> None:
            self._listeners.pop(key, None)

        return stop

    def inherits_conversation(self, name: str) -> bool:
        """Tell whether the children of a provider know the parent's conversation.

        Raises:
            DelegationError: ``UNKNOWN_PROVIDER``.
        """
        return _inherits(self._provider(name)) is True

    def check(self, name: str, request: StartRequest) -> None:
        """Refuse a request that no start would heed, however deep the parent is.

        Args:
            name: The name of the provider.
            request: The work.

        Raises:
            DelegationError: ``UNKNOWN_PROVIDER``, ``UNSUPPORTED_CAPABILITY``, or what the provider
                itself refuses, such as ``UNKNOWN_TOOL``.
        """
        provider = self._provider(name)
        _refuse_unsupported(provider, request)
        _refuse_unfit(provider, request)

    async def start(self, name: str, request: StartRequest) -> Run:
        """Start a child.

        To cancel this cancels the start, and waits until what it began is cleaned up. A start that
        fails emits no event.

        Args:
            name: The name of the provider.
            request: The work.

        Raises:
            DelegationError: Before there is a child: ``UNKNOWN_PROVIDER``,
                ``UNSUPPORTED_CAPABILITY`` when the provider would ignore a part of the request,
                ``DEPTH_EXCEEDED``, ``CLOSED``. ``START_FAILED``: the provider failed.
                ``DISPOSAL_FAILED``: it failed, or was cancelled, and could not clean up.
        """
        self._refuse_when_closed()
        provider = self._provider(name)
        _refuse_unsupported(provider, request)
        _refuse_too_deep(request)
        _refuse_unfit(provider, request)
        run = Run(f"{name}-{next(self._numbers)}", provider, request)
        self._starting.add(run)
        try:
            await run.begin()
            if self._closing is not None:
                await run.abandon()
                self._refuse_when_closed()
            run.publish(settled=self._settled, quiet=self._forget)
        finally:
            self._starting.remove(run)
        # Nothing has been waited for since: who is told of a child also gets it.
        self._runs[run.id] = run
        self._emit(Event("started", run))
        return run

    async def delegate(self, name: str, request: StartRequest) -> RunResult:
        """Start a child, wait until it has ended, and put it away.

        To cancel this is to cancel the child.

        Args:
            name: The name of the provider.
            request: The work.

        Raises:
            DelegationError: The child did not start, for the reasons that :meth:`start` names; or
                ``DISPOSAL_FAILED``, of which the message also holds how the child ended.
        """
        run = await self.start(name, request)
        try:
            async with run:
                return await run.result()
        except DelegationError as error:
            if run.outcome is None:
                raise
            message = f"{error.message}; {run.outcome.told()}"
            raise DelegationError(error.code, message) from error

    async def aclose(self) -> None:
        """Dispose of all children, those that are being started too, and start none any more.

        Raises:
            DelegationError: ``DISPOSAL_FAILED``: some could not be put away; all others were.
        """
        if self._closing is None:
            self._closing = asyncio.create_task(self._close())
        await finished(self._closing)
        self._closing.result()

    def _provider(self, name: str) -> SubagentProvider:
        if name not in self._providers:
            message = unknown("provider", name, self._providers)
            raise DelegationError(ErrorCode.UNKNOWN_PROVIDER, message)
        return self._providers[name]

    def _settled(self, run: Run) -> None:
        self._emit(Event("settled", run))

    def _forget(self, run: Run) -> None:
        del self._runs[run.id]

    def _emit(self, event: Event) -> None:
        for listener in tuple(self._listeners.values()):
            try:
                with no_exit():
                    listener(event)
            except Exception as error:  # noqa: BLE001 - a listener's fault is not the child's
                message = f"a listener failed on {event.kind!r} of {event.run.id}"
                context = {"message": message, "exception": error}
                asyncio.get_running_loop().call_exception_handler(context)

    def _refuse_when_closed(self) -> None:
        if self._closing is not None:
            raise DelegationError(ErrorCode.CLOSED, "the registry is closed")

    async def _close(self) -> None:
        endings = [run.abandon() for run in self._starting]
        endings += [run.dispose() for run in self.runs]
        found = await asyncio.gather(*endings, return_exceptions=True)
        failures = [each for each in found if isinstance(each, DelegationError)]
        if failures:
            message = "; ".join(failure.message for failure in failures)
            raise DelegationError(ErrorCode.DISPOSAL_FAILED, message) from failures[0]


def _checked(provider: object) -> str:
    if not isinstance(provider, SubagentProvider):
        raise DelegationError(ErrorCode.BAD_PROVIDER, f"{kind(provider)} is not a provider")
    name: object = provider.name
    if not isinstance(name, str) or not name.strip():
        message = f"the name of a provider must be text that is not blank, not {kind(name)}"
        raise DelegationError(ErrorCode.BAD_PROVIDER, message)
    capabilities: object = provider.capabilities
    if not isinstance(capabilities, Capabilities):
        message = f"the capabilities of {quoted(name)} must be Capabilities"
        raise DelegationError(ErrorCode.BAD_PROVIDER, message)
    if not isinstance(inherits := _inherits(provider), bool):
        message = f"inherits_conversation of {quoted(name)} must be a bool, not {kind(inherits)}"
        raise DelegationError(ErrorCode.BAD_PROVIDER, message)
    return name


def _inherits(provider: SubagentProvider) -> object:
    return getattr(provider, "inherits_conversation", False)


def _refuse_unsupported(provider: SubagentProvider, request: StartRequest) -> None:
    lacking = provider.capabilities.lacking(request)
    if request.conversation is not ABSENT and not _inherits(provider):
        lacking += ("conversation",)
    if lacking:
        message = f"the provider {quoted(provider.name)} does not support {', '.join(lacking)}"
        raise DelegationError(ErrorCode.UNSUPPORTED_CAPABILITY, message)


def _refuse_unfit(provider: SubagentProvider, request: StartRequest) -> None:
    check: Callable[[StartRequest], object] | None = getattr(provider, "check", None)
    if check is None:
        return
    try:
        with no_exit():
            check(request)
    except DelegationError:
        raise
    except Exception as error:
        raise DelegationError(ErrorCode.START_FAILED, described(error)) from error


def _refuse_too_deep(request: StartRequest) -> None:
    if request.max_depth is not ABSENT and request.depth > request.max_depth:
        message = f"the child would be {request.depth} deep, and the limit is {request.max_depth}"
        raise DelegationError(ErrorCode.DEPTH_EXCEEDED, message)
