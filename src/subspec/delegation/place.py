"""How deep the agent is that runs here, and how deep its own children may be."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar

from attrs import frozen

from subspec.delegation.absent import ABSENT, Absent


@frozen
class Place:
    """Where an agent stands below the one that nobody delegated to."""

    depth: int = 0
    """How deep the agent is: 0 for one that nobody delegated to."""

    max_depth: int | Absent = ABSENT
    """How deep its own children may be, counted from the top."""


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
