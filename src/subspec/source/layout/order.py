"""The order of the keys of a document, and the blank lines between them."""

from collections.abc import Callable, Sequence
from itertools import chain
from typing import TypeAlias

from subspec.problems import Path
from subspec.source.layout.outline import Entry
from subspec.source.tree import Alias, is_merge, nodes_in

Order: TypeAlias = Callable[[Path], Sequence[str] | None]
"""Gives the order of the keys that are known of the mapping at a path; None: it stays."""


def arrange(entry: Entry, order: Order, path: Path) -> None:
    """Put the entries of a value in order, and those in them."""
    known = order(path)
    if known is not None and entry.is_a("mapping"):
        entry.entries = _in_order(entry.entries, known)
    for index, child in enumerate(entry.entries):
        arrange(child, order, (*path, index if child.key is None else child.name))


def _in_order(entries: list[Entry], known: Sequence[str]) -> list[Entry]:
    """Sort entries by their keys; an anchor stays before its aliases, whatever that takes."""
    ranks = {name: rank for rank, name in enumerate(known)}

    def rank(entry: Entry) -> int:
        merges = entry.key is not None and is_merge(entry.key)
        return -1 if merges else ranks.get(entry.name, len(ranks))

    ordered = sorted(entries, key=rank)
    tied = filter(_is_tied, entries)
    return ordered if list(filter(_is_tied, ordered)) == list(tied) else entries


def _is_tied(entry: Entry) -> bool:
    """Tell whether an anchor or an alias stands in an entry."""
    nodes = chain(nodes_in(entry.value), () if entry.key is None else nodes_in(entry.key))
    return any(isinstance(node, Alias) or node.anchor is not None for node in nodes)


def set_apart(root: Entry, path: Path) -> None:
    """Put blank lines between the entries at a path, and behind them, if they are large."""
    entry, behind = root, root.entries[:0]
    for name in path:
        names = [child.name for child in entry.entries]
        if name not in names:
            return
        position = names.index(str(name))
        behind = entry.entries[position + 1 : position + 2] or behind
        entry = entry.entries[position]
    if any(child.entries and child.is_a("mapping") for child in entry.entries[1:]):
        for child in (*entry.entries[1:], *behind):
            child.above.insert(0, "")
