"""Which item of a list that is wanted comes of which one of now."""

from collections import defaultdict
from typing import Any

_FEW = 100
"""Of how many items that are new those are looked for that they resemble."""


def aligned(old: list[Any], wanted: list[Any]) -> list[tuple[int | None, Any]]:
    """Find for each item that is wanted the one of now that it is, or comes of.

    Equal items are the same, be they moved. What is left over comes of the one that it shares
    most with, or takes the place of the one that stood there.

    Returns:
        The place now of each item, None if it is new, and the item.

    >>> aligned(["a", "b"], ["b", "c"])
    [(1, 'b'), (None, 'c')]
    >>> aligned(["a", "b"], ["a", "c"])
    [(0, 'a'), (1, 'c')]
    """
    left, right = list(map(_frozen, old)), list(map(_frozen, wanted))
    start = _common(left, right)
    end = _common(left[start:][::-1], right[start:][::-1])
    between = range(start, len(wanted) - end)
    sources: list[int | None] = [*range(start), *[None] * len(between)]
    known: dict[Any, list[int]] = defaultdict(list)
    for index in range(len(old) - end - 1, start - 1, -1):
        known[left[index]].append(index)
    for position in between:
        if places := known[right[position]]:
            sources[position] = places.pop()
    sources += range(len(old) - end, len(old))
    free = {index for places in known.values() for index in places}
    _find_alike(left, right, sources, free)
    _find_replaced(sources, free)
    return list(zip(sources, wanted, strict=True))


def _common(left: list[Any], right: list[Any]) -> int:
    """Count the items that are the same at the start of two lists."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


def _frozen(value: Any) -> Any:
    """Give plain data in a form that can be compared and hashed, types and order included."""
    if isinstance(value, dict):
        return ("mapping", *((key, _frozen(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("list", *map(_frozen, value))
    return type(value), value


def _find_alike(
    left: list[Any], right: list[Any], sources: list[int | None], free: set[int]
) -> None:
    """Let mappings come of those with which they have most pairs in common."""
    new = [position for position, source in enumerate(sources) if source is None]
    if len(new) > _FEW or len(free) > _FEW:
        return
    scores = [
        (-_likeness(left[index], right[position]), abs(index - position), index, position)
        for position in new
        for index in free
    ]
    for score, _, index, position in sorted(scores):
        if score and index in free and sources[position] is None:
            sources[position] = index
            free.discard(index)


def _likeness(one: Any, other: Any) -> int:
    if not one[0] == other[0] == "mapping":
        return 0
    # The first pair tends to be the name.
    return 2 * len({*one[1:]} & {*other[1:]}) + bool(one[1:2] == other[1:2] != ())


def _find_replaced(sources: list[int | None], free: set[int]) -> None:
    """Let items come of those whose place they take."""
    before = -1
    for position, source in enumerate(sources):
        if source is None and before + 1 in free:
            source = sources[position] = before + 1  # noqa: PLW2901 - it has one now
            free.discard(source)
        if source is not None:
            before = source
