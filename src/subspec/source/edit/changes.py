"""What is to become of each value: which entries its text is to have, and whether it stays."""

from bisect import bisect_left
from collections.abc import Collection as AnyOf
from collections.abc import Mapping
from typing import Any

from attrs import evolve, frozen

from subspec.problems import Path
from subspec.source.compare import MISSING, Comparison
from subspec.source.document import Document
from subspec.source.edit.align import aligned
from subspec.source.tree import Alias, Collection, Node, Tree, is_merge

IN_QUOTES = 2
"""How often a text may read back wrong before it is put in quotes."""


@frozen
class Change:
    """A value as it stands, and as it is to be."""

    node: Node
    old: Any
    wanted: Any
    now: Path = ()
    """Its path in what the text says."""

    path: Path = ()
    """Its path in what is wanted."""

    def inner(self, node: Node, key: str | int, wanted: Any, name: str | int) -> "Change":
        """Give the change of a part of it, by its key now and the one that is wanted."""
        return Change(node, self.old[key], wanted, (*self.now, key), (*self.path, name))

    def keeps_kind(self) -> bool:
        """Tell whether it is a mapping, or a list, and remains one."""
        return isinstance(self.node, Collection) and type(self.old) is type(self.wanted)


@frozen
class Entry:
    """An entry that a mapping or a list is to have."""

    path: Path
    """Its path in what is wanted."""

    name: str | None
    """Its key; None in a list."""

    wanted: Any
    """Its value."""

    index: int | None = None
    """Its place now; None if it is new."""

    before: str | None = None
    """Its key now."""

    change: Change | None = None
    """What is to become of its value; None if it is new, or stays as it is written."""


class Changes:
    """Compares what is wanted with what a text says.

    Args:
        document: The document.
        tree: How it is written.
        wanted: What it is to say.
        same: Compares parts of the one and the other.
        renames: Keys to be called otherwise, by their paths as they are now.
        forced: How often a value has read back wrong, by its path as it is now.
        lost: The anchors whose aliases have to be written out; None for all of them.
    """

    def __init__(
        self,
        document: Document,
        tree: Tree,
        wanted: Any,
        same: Comparison,
        *,
        renames: Mapping[Path, str],
        forced: Mapping[Path, int],
        lost: AnyOf[str] | None,
    ) -> None:
        self.document = document
        self.renames = renames
        self.forced = forced
        self.lost = lost
        self.same = same
        self.top = Change(tree.root, document.data, wanted)
        self.anchored: dict[int, tuple[Any, Any]] = {}
        self.loose: list[int] = []
        if tree.aliases:
            self._note_anchors(self.top)
            # Where the aliases stand that can no longer stay.
            self.loose = [alias.start for alias in tree.aliases if self._is_loose(alias)]

    def stays(self, change: Change) -> bool:
        """Tell whether the text of a value stays as it is."""
        node, path = change.node, change.path
        if isinstance(node, Alias):
            return not self.force_of(path) and self.same(self.said_by(node), change.wanted)
        if not self.same(change.old, change.wanted):
            return False
        if any(path[: len(key)] == key or key[: len(path)] == path for key in self.forced if key):
            return False
        position = bisect_left(self.loose, node.start) if self.loose else 0
        return position == len(self.loose) or self.loose[position] >= node.end

    def force_of(self, path: Path) -> int:
        """Tell how often a value, or a part of it, has read back wrong."""
        below = [self.forced[key] for key in self.forced if not key or key[: len(path)] == path]
        return max(below, default=0)

    def in_quotes(self, path: Path) -> bool:
        """Tell whether texts have to be in quotes, as nothing else has helped."""
        return self.force_of(path) >= IN_QUOTES

    def said_by(self, alias: Alias) -> Any:
        """Give what an alias will say; :data:`MISSING` if it has to go."""
        if self.lost is None or getattr(alias.target, "anchor", None) in self.lost:
            return MISSING
        return self.anchored.get(id(alias.target), (MISSING, MISSING))[1]

    def entries(self, node: Collection, change: Change) -> list[Entry]:
        """Give the entries that a mapping or a list is to have, in their order."""
        if node.kind == "mapping":
            return self._pairs(node, change)
        found = []
        for position, (index, item) in enumerate(aligned(change.old, change.wanted)):
            inner = None
            if index is not None:
                inner = change.inner(node.values[index], index, item, position)
            found.append(Entry((*change.path, position), None, item, index, None, inner))
        return found

    def _pairs(self, node: Collection, change: Change) -> list[Entry]:
        """Give the pairs that a mapping is to have.

        What a merge key takes in and is wanted like that needs no pair.
        """
        wanted, path = change.wanted, change.path
        own: dict[str, Entry] = {}
        as_written: list[Entry] = []
        merges: list[Entry] = []
        for index, key in enumerate(node.keys):
            if is_merge(key):
                merges.append(Entry(path, "<<", None, index, "<<"))
                continue
            before = self.name(key, change.old)
            name = self.renames.get((*change.now, before), before)
            if name not in wanted:
                own[name] = Entry(path, name, None, index, before)
                continue
            if name in own:
                # Of equal keys the last one counts; the others stay as long as it does.
                as_written.append(evolve(own[name], change=None))
            inner = change.inner(node.values[index], before, wanted[name], name)
            own[name] = Entry(inner.path, name, wanted[name], index, before, inner)
        inherited = self._inherited(node, change.old)
        if inherited is None or not inherited.keys() <= wanted.keys():
            # It would take in what is not wanted.
            merges, inherited = [], {}
        needed = [
            name
            for name, value in wanted.items()
            if name in own
            or self.force_of((*path, name))
            or not self.same(inherited.get(name, MISSING), value)
        ]
        kept = [own[name] for name in needed if name in own]
        in_place = [name for name in own if name in wanted]
        if [entry.name for entry in kept] == in_place:
            kept = sorted([*kept, *merges, *as_written], key=_index)
        else:
            kept = [*merges, *as_written, *kept]
        return _with_new(kept, needed, own, change)

    def _inherited(self, node: Collection, old: dict[str, Any]) -> dict[str, Any] | None:
        """Give what merge keys will take in; None where that is nothing that can be."""
        found: dict[str, Any] = {}
        for key, source in zip(node.keys, node.values, strict=True):
            if not is_merge(key):
                continue
            sources = [source]
            if isinstance(source, Collection) and source.kind == "list":
                sources = source.values
            for each in sources:
                said = self._taken_in(each, old)
                if not isinstance(said, dict):
                    return None
                found = {**said, **found}
        return found

    def _taken_in(self, source: Node, old: dict[str, Any]) -> Any:
        if isinstance(source, Alias):
            return self.said_by(source)
        names = [self.name(key, old) for key in getattr(source, "keys", ())]
        return {name: old[name] for name in names if name in old}

    def name(self, key: Node, data: dict[str, Any]) -> str:
        """Give the name of a key, as the data has it."""
        found = self.document.key_at(data, key.start)
        # Of equal keys only the last one has a place.
        return str(getattr(key, "value", "")) if found is None else found

    def _note_anchors(self, change: Change) -> None:
        """Note what is to become of each value with an anchor, at the place where it stands."""
        node = change.node
        if isinstance(node, Alias):
            return
        if node.anchor is not None:
            self.anchored[id(node)] = change.old, change.wanted
        if not (isinstance(node, Collection) and change.keeps_kind()):
            return
        if node.kind == "list":
            for entry in self.entries(node, change):
                if entry.change is not None:
                    self._note_anchors(entry.change)
            return
        for key, value in zip(node.keys, node.values, strict=True):
            before = self.name(key, change.old)
            name = self.renames.get((*change.now, before), before)
            if is_merge(key) or before not in change.old or name not in change.wanted:
                continue
            self.anchored[id(key)] = before, name
            self._note_anchors(change.inner(value, before, change.wanted[name], name))

    def _is_loose(self, alias: Alias) -> bool:
        said = self.anchored.get(id(alias.target), (MISSING, None))
        return self.said_by(alias) is MISSING or not self.same(*said)


def _index(entry: Entry) -> int:
    return entry.index or 0


def _with_new(kept: list[Entry], needed: list[str], own: AnyOf[str], change: Change) -> list[Entry]:
    """Put the pairs that are new behind those that they follow."""
    following: dict[str | None, list[Entry]] = {None: []}
    current = following[None]
    for name in needed:
        if name in own:
            current = following[name] = []
        else:
            current.append(Entry((*change.path, name), name, change.wanted[name]))
    result: list[Entry] = []
    first = following.pop(None)
    for entry in kept:
        if entry.change is None:
            result.append(entry)
            continue
        result += first
        first = []
        result.append(entry)
        result += following[entry.name]
    return result + first
