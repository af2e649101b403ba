"""How deep the agent is that runs here, how deep its own children may be, and what is its own."""

import asyncio
from collections.abc import Awaitable, Callable, Generator, Hashable
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol, TypeVar

from attrs import field, frozen

from subspec.delegation.absent import ABSENT, Absent


class Closeable(Protocol):
    """What has to be closed."""

    def aclose(self) -> Awaitable[None]:
        """Close it."""
        ...


T = TypeVar("T", bound=Closeable)


@frozen
class Place:
    """Where an agent stands below the one that nobody delegated to."""

    depth: int = 0
    """How deep the agent is: 0 for one that nobody delegated to."""

    max_depth: int | Absent = ABSENT
    """How deep its own children may be, counted from the top."""

    _own: dict[Hashable, Closeable] = field(factory=dict, init=False, eq=False, repr=False)

    def own(self, key: Hashable, make: Callable[[], T]) -> T:
        """Give what the agent has for itself, and make it where it has none yet.

        Args:
            key: What it is.
            make: Makes it. It is closed when the agent has come to its end.
        """
        if key not in self._own:
            self._own[key] = make()
        return self._own[key]  # type: ignore[return-value]  # one key is for one kind of things

    async def aclose(self) -> None:
        """Close all that the agent had for itself."""
        await asyncio.gather(*(each.aclose() for each in self._own.values()))


_TOP = Place()
_PLACE: ContextVar[Place] = ContextVar("subspec.delegation.place", default=_TOP)


def current_place() -> Place:
    """Tell where the agent stands in whose tool this is called.

    It is known of children of the in-process providers; all other code is at depth 0.
    """
    return _PLACE.get()


@contextmanager
def at_place(place: Place) -> Generator[None, None, None]:
    """Have what is called meanwhile run at a place."""
    token = _PLACE.set(place)
    try:
        yield
    finally:
        _PLACE.reset(token)
