"""Providers that other distributions offer, by entry point."""

from collections.abc import Callable, Iterable
from contextlib import ExitStack
from importlib.metadata import EntryPoint, entry_points

from subspec.delegation.errors import DelegationError, ErrorCode, described, unknown
from subspec.delegation.registry import Registry
from subspec.delegation.vocabulary import SubagentProvider
from subspec.problems import quoted

GROUP = "subspec.delegation"
"""The group of entry points. Each is named like its provider, and is what makes one when called."""


def installed() -> tuple[str, ...]:
    """Name the providers that other distributions offer, without importing any."""
    return tuple(sorted({point.name for point in entry_points(group=GROUP)}))


def register_installed(
    registry: Registry, names: Iterable[str] | None = None
) -> Callable[[], None]:
    """Register the providers of installed distributions, all of them or none.

    Args:
        registry: Takes them.
        names: Those that are wanted; only their code is imported. None: all.

    Returns:
        A function that takes them away again.

    Raises:
        DelegationError: ``UNKNOWN_PROVIDER``: none of this name is installed. ``BAD_PROVIDER``: one
            cannot be imported or made, or has another name. ``DUPLICATE_PROVIDER``.
    """
    found = entry_points(group=GROUP)
    wanted = found if names is None else _named(tuple(found), names)
    with ExitStack() as stack:
        for point in wanted:
            stack.callback(registry.register(_provider(point)))
        # Only now is there nothing left that could fail.
        return stack.pop_all().close


def _named(found: tuple[EntryPoint, ...], names: Iterable[str]) -> list[EntryPoint]:
    wanted = []
    for name in names:
        points = [point for point in found if point.name == name]
        if not points:
            known = [point.name for point in found]
            raise DelegationError(
                ErrorCode.UNKNOWN_PROVIDER, unknown("installed provider", name, known)
            )
        wanted += points
    return wanted


def _provider(point: EntryPoint) -> SubagentProvider:
    place = f"the provider {quoted(point.name)} ({point.value})"
    try:
        provider: SubagentProvider = point.load()()
        name = provider.name
    except Exception as error:
        message = f"{place} cannot be made: {described(error)}"
        raise DelegationError(ErrorCode.BAD_PROVIDER, message) from error
    if name != point.name:
        message = f"{place} calls itself {quoted(name)}"
        raise DelegationError(ErrorCode.BAD_PROVIDER, message)
    return provider
