"""Whether two pieces of plain data say the same."""

from collections.abc import Iterator
from typing import Any

from subspec.problems import Path

MISSING = object()
"""Stands for a value that is not there."""


def same(one: Any, other: Any, *, ordered: bool = True) -> bool:
    """Tell whether two values are the same, in type too: 1 is neither 1.0 nor true.

    Args:
        one: A value.
        other: Another one.
        ordered: Whether the order of keys counts.
    """
    if one is other:
        return True
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        if list(one) != list(other) if ordered else one.keys() != other.keys():
            return False
        return all(same(one[key], other[key], ordered=ordered) for key in one)
    if isinstance(one, list):
        return len(one) == len(other) and all(
            same(left, right, ordered=ordered) for left, right in zip(one, other, strict=True)
        )
    return bool(one == other)


class Comparison:
    """Compares values, each two of them once; they have to live for as long as it does."""

    def __init__(self) -> None:
        self.known: dict[tuple[int, int], bool] = {}

    def __call__(self, one: Any, other: Any) -> bool:
        """Tell whether two values are the same, in type and in the order of keys too."""
        if one is other:
            return True
        if type(one) is not type(other):
            return False
        if not isinstance(one, dict | list):
            return bool(one == other)
        pair = id(one), id(other)
        if pair not in self.known:
            self.known[pair] = self.are_same(one, other)
        return self.known[pair]

    def are_same(self, one: Any, other: Any) -> bool:
        """Compare two mappings, or two lists."""
        if len(one) != len(other):
            return False
        if isinstance(one, list):
            return all(map(self, one, other))
        return list(one) == list(other) and all(map(self, one.values(), other.values()))


def differing(one: Any, other: Any, path: Path = ()) -> Iterator[Path]:
    """Give the paths of the smallest parts in which two values differ, the order of keys aside."""
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        for key in one:
            yield from differing(one[key], other[key], (*path, key))
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from differing(left, right, (*path, index))
    elif not same(one, other, ordered=False):
        yield path


def value_at(data: Any, path: Path) -> Any:
    """Give what stands at a path of keys, :data:`MISSING` where nothing does."""
    for part in path:
        if not isinstance(data, dict) or part not in data:
            return MISSING
        data = data[part]
    return data


def with_value(data: Any, path: Path, value: Any) -> Any:
    """Give data with another value at a path of keys, or without any for :data:`MISSING`.

    The place of a key among its neighbours stays.

    >>> with_value({"a": {"b": 1}, "c": 2}, ("a", "b"), 3)
    {'a': {'b': 3}, 'c': 2}
    """
    if not path:
        return value
    first, *rest = path
    mapping = data if isinstance(data, dict) else {}
    if value is MISSING:
        if first not in mapping:
            return data
        if not rest:
            return {key: item for key, item in mapping.items() if key != first}
    return {**mapping, first: with_value(mapping.get(first), tuple(rest), value)}


def merged(written: Any, old: Any, new: Any) -> Any:
    """Give what a file says, with the changes from one value to another made in it.

    What the file says and neither value does stays, as does the order of what is there.

    Args:
        written: What the file says.
        old: What was read from it.
        new: What is to be read from it.

    >>> merged({"a": None, "b": 1, "c": 2}, {"b": 1, "c": 2}, {"b": 1, "c": 3, "d": 4})
    {'a': None, 'b': 1, 'c': 3, 'd': 4}
    """
    if same(old, new, ordered=False):
        return written
    if not (isinstance(written, dict) and isinstance(old, dict) and isinstance(new, dict)):
        return new
    result = {
        key: merged(value, old.get(key, MISSING), new[key]) if key in new else value
        for key, value in written.items()
        if key in new or key not in old
    }
    return result | {key: value for key, value in new.items() if key not in written}
