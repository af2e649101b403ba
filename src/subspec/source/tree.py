"""How a text is written: its values as they stand, with quotes, brackets, anchors and aliases.

Reading needs none of this. To change a value and nothing else, it is what has to be known.
"""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Literal, TypeAlias

import yaml
from attrs import define, field, frozen

from subspec.problems import FRONT_MATTER_REPAIRED
from subspec.source.document import Document
from subspec.source.frontmatter import Fences, front_matter_events
from subspec.source.yaml import _events

BLOCK_SIGN = re.compile(r"[|>][-+0-9]*")
"""What a block of text begins with."""

_PROPERTIES = re.compile(
    r"(?:(?:!<[^>\r\n]*>|[!&][^\s,\[\]{}]*)(?:[ \t\r\n]+(?:#[^\r\n]*)?)*)*", re.ASCII
)
_ANCHOR = re.compile(r"(?<![^\s,\[\]{}:?-])&[A-Za-z0-9_-]")
_BLOCKS = ("|", ">")
_STYLES = ("'", '"', *_BLOCKS)
_INDENT = re.compile(r"[ \t]*")
_LINE_ENDS = "\r\n"
_BLANKS = " \t\r\n"


@define(eq=False)
class Scalar:
    """A value that is no container; an empty one where nothing is written."""

    start: int
    """Offset of its first character, its anchor and its tag included."""

    end: int
    """Offset behind its last character; blank lines behind a block do not count."""

    inner: int
    """Offset behind its anchor and its tag."""

    style: str = ""
    """The quote or the sign of a block with which it begins; empty for a plain one."""

    anchor: str | None = None
    value: Any = None
    """What stands there; for a plain one perhaps as it is written, perhaps what that means."""


@define(eq=False)
class Alias:
    """A reference to a value with an anchor."""

    start: int
    end: int
    target: "Node"


@define(eq=False)
class Collection:
    """A mapping or a list."""

    start: int
    last: int
    """Offset behind its closing bracket; without brackets, somewhere behind its last part."""

    inner: int
    kind: Literal["mapping", "list"]
    flow: bool
    """Whether it stands in brackets."""

    anchor: str | None = None
    _keys: "list[Node]" = field(factory=list)
    _values: "list[Node]" = field(factory=list)
    _find: "Callable[[], tuple[list[Node], list[Node]]] | None" = field(default=None, alias="find")
    """Finds the keys and the values, once somebody asks for them."""

    @property
    def keys(self) -> "list[Node]":
        """The keys of a mapping, in their order; none for a list."""
        return self._parts()[0]

    @property
    def values(self) -> "list[Node]":
        """The values of a mapping, or the items of a list."""
        return self._parts()[1]

    @property
    def end(self) -> int:
        """Offset behind its last character."""
        if self.flow:
            return self.last
        return max(part.end for part in (*self.keys[-1:], *self.values[-1:]))

    def _parts(self) -> "tuple[list[Node], list[Node]]":
        if self._find is not None:
            (self._keys, self._values), self._find = self._find(), None
        return self._keys, self._values


Node: TypeAlias = "Scalar | Alias | Collection"


@frozen
class Tree:
    """A document as it is written."""

    root: Node
    aliases: list[Alias]
    """Its aliases, in the order of the text."""


def tree_of(document: Document, fences: Fences | None = None) -> Tree:
    """Find out how a document that can be read is written.

    Args:
        document: The document.
        fences: Where its front matter stands, if it is one.
    """
    if fences is not None:
        repaired = any(problem.code == FRONT_MATTER_REPAIRED.name for problem in document.problems)
        text, events, origins = front_matter_events(document.text, fences, repaired=repaired)
        tree = _tree(text, events)
        if origins is not None:
            _move(tree.root, origins, document.text)
        return tree
    if document.media == "json" or _is_all_marked(document):
        return Tree(_Marked(document).node(document.data, *document.span), [])
    return _tree(document.text, _events(document.text))


def nodes_in(node: Node) -> Iterator[Node]:
    """Give a value and all that it holds, in the order of the text."""
    waiting = [node]
    while waiting:
        node = waiting.pop()
        yield node
        if isinstance(node, Collection):
            if node.keys:
                for key, value in zip(node.keys[::-1], node.values[::-1], strict=True):
                    waiting += (value, key)
            else:
                waiting += node.values[::-1]


def is_merge(key: Node) -> bool:
    """Tell whether a key takes in the keys of other mappings."""
    return isinstance(key, Scalar) and not key.style and key.value == "<<"


def _is_all_marked(document: Document) -> bool:
    """Tell whether the marks of a document say all of how it is written.

    They know of no anchors and merge keys, and not of what is wrong.
    """
    text = document.text
    if document.problems or "<<" in text:
        return False
    return "&" not in text or _ANCHOR.search(text) is None


class _Marked:
    """Makes the tree of a document by its marks, each part once it is asked for."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.marks = document.marks
        self.is_json = document.media == "json"

    def node(self, data: Any, start: int, end: int, *, in_flow: bool = False) -> Node:
        if not isinstance(data, dict | list):
            return self.scalar(data, start, end)
        inner = self.inner(start, end)
        kind: Literal["mapping", "list"] = "mapping" if isinstance(data, dict) else "list"
        flow = in_flow or self.text[inner] in "[{"
        return Collection(start, end, inner, kind, flow, find=lambda: self.parts(data, flow=flow))

    def parts(self, data: Any, *, flow: bool) -> "tuple[list[Node], list[Node]]":
        marks = self.marks[id(data)]
        if isinstance(data, list):
            spans = zip(data, marks[::2], marks[1::2], strict=True)
            return [], [self.node(*span, in_flow=flow) for span in spans]
        keys = zip(data, marks[::4], marks[1::4], strict=True)
        spans = zip(data.values(), marks[2::4], marks[3::4], strict=True)
        return (
            [self.scalar(*span) for span in keys],
            [self.node(*span, in_flow=flow) for span in spans],
        )

    def scalar(self, data: Any, start: int, end: int) -> Scalar:
        inner = self.inner(start, end)
        first = self.text[inner : min(inner + 1, end)]
        style = first if first in _STYLES else ""
        if style in _BLOCKS:
            end = _end_of_block(self.text, inner, end, data)
        return Scalar(start, end, inner, style, None, data)

    def inner(self, start: int, end: int) -> int:
        return start if self.is_json else _inner(self.text, start, end)


def _tree(text: str, events: Iterable[Any]) -> Tree:
    """Build the tree of a text from the events of its parser."""
    top = Collection(0, 0, 0, "list", flow=True)
    open_ = [top]
    anchors: dict[str, Node] = {}
    aliases: list[Alias] = []
    for event in events:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            node: Node = _scalar(text, event)
        elif kind is yaml.AliasEvent:
            node = Alias(event.start_mark.index, event.end_mark.index, anchors[event.anchor])
            aliases.append(node)
        elif kind in _STARTS:
            start, end = event.start_mark.index, event.end_mark.index
            inner = _inner(text, start) if event.anchor or event.tag else start
            node = Collection(start, end, inner, _STARTS[kind], bool(event.flow_style))
            node.anchor = event.anchor
        elif kind in _ENDS:
            open_.pop().last = event.end_mark.index
            continue
        else:
            continue
        if not isinstance(node, Alias) and node.anchor is not None:
            anchors[node.anchor] = node
        outer = open_[-1]
        is_key = outer.kind == "mapping" and len(outer.keys) == len(outer.values)
        (outer.keys if is_key else outer.values).append(node)
        if isinstance(node, Collection):
            open_.append(node)
    return Tree(top.values[0], aliases)


_STARTS: dict[Any, Literal["mapping", "list"]] = {
    yaml.MappingStartEvent: "mapping",
    yaml.SequenceStartEvent: "list",
}
_ENDS = (yaml.MappingEndEvent, yaml.SequenceEndEvent)


def _scalar(text: str, event: Any) -> Scalar:
    start, end = event.start_mark.index, event.end_mark.index
    style = event.style or ""
    inner = _inner(text, start, end) if event.anchor or event.tag else start
    if style in _BLOCKS:
        end = _end_of_block(text, inner, end, event.value)
    return Scalar(start, end, inner, style, event.anchor, event.value)


def _inner(text: str, start: int, end: int | None = None) -> int:
    """Find what follows an anchor and a tag."""
    if text[start : start + 1] not in ("!", "&"):
        return start
    match = _PROPERTIES.match(text, start)
    inner = start if match is None else match.end()
    return inner if end is None else min(inner, end)


def _end_of_block(text: str, start: int, end: int, value: str) -> int:
    """Find the end of a block of text, without blank lines that are no part of it."""
    header = BLOCK_SIGN.match(text, start)
    written = text[start:end]
    if header is not None and "+" in header[0]:
        lines = written.rstrip(" \t")
        # Blanks behind the last line end are the indentation of what follows.
        written = lines if lines.endswith(("\r", "\n")) else written
        return start + len(written.removesuffix("\n").removesuffix("\r"))
    last = value.rstrip("\n").rpartition("\n")[2]
    # A last line of nothing but blanks is text when it has more of them than the indentation.
    written = written.rstrip(_LINE_ENDS if last and not last.strip(" \t") else _BLANKS)
    if last.strip(" \t"):
        # Blanks at the end of the last line are text too.
        line = _INDENT.match(text, start + len(written))
        return start + len(written) if line is None else min(line.end(), end)
    return start + len(written)


def _move(root: Node, origins: list[int], text: str) -> None:
    """Turn offsets in a repaired text into those in the text as it is written."""
    for node in nodes_in(root):
        node.start = origins[node.start]
        if isinstance(node, Collection):
            node.last = origins[node.last]
        else:
            node.end = origins[node.end]
        if not isinstance(node, Alias):
            node.inner = origins[node.inner]
        if isinstance(node, Scalar) and not text.startswith(node.style, node.inner):
            # The quotes are those of the repair.
            node.style = ""
