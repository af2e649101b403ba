"""How a text is written: its values as they stand, with quotes, brackets, anchors and aliases.

Reading needs none of this. To change a value and nothing else, it is what has to be known.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import count
from typing import Any, Literal, TypeAlias

import yaml
from attrs import define, field

from subspec.problems import FRONT_MATTER_REPAIRED
from subspec.source.document import Document
from subspec.source.frontmatter import Fences, front_matter_events
from subspec.source.yaml import _events

_PROPERTIES = re.compile(r"(?:[!&][^ \t\r\n]*(?:[ \t\r\n]+(?:#[^\r\n]*[\r\n]+)*|$))*")
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
    """What stands there, before it is resolved."""


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
    end: int
    inner: int
    kind: Literal["mapping", "list"]
    flow: bool
    """Whether it stands in brackets."""

    anchor: str | None = None
    keys: "list[Node]" = field(factory=list)
    """The keys of a mapping, in their order; empty for a list."""

    values: "list[Node]" = field(factory=list)


Node: TypeAlias = "Scalar | Alias | Collection"


def tree_of(document: Document, fences: Fences | None = None) -> Node:
    """Find out how a document that can be read is written.

    Args:
        document: The document.
        fences: Where its front matter stands, if it is one.
    """
    if document.media == "json":
        return _JsonTree(document).root()
    if fences is None:
        return _tree(document.text, _events(document.text))
    repaired = any(problem.code == FRONT_MATTER_REPAIRED.name for problem in document.problems)
    text, events, origins = front_matter_events(document.text, fences, repaired=repaired)
    root = _tree(text, events)
    if origins is not None:
        _move(root, origins, document.text)
    return root


def nodes_in(node: Node) -> Iterator[Node]:
    """Give a value and all that it holds, in the order of the text."""
    yield node
    if isinstance(node, Collection):
        if node.keys:
            for key, value in zip(node.keys, node.values, strict=True):
                yield from nodes_in(key)
                yield from nodes_in(value)
        else:
            for value in node.values:
                yield from nodes_in(value)


def is_merge(key: Node) -> bool:
    """Tell whether a key takes in the keys of other mappings."""
    return isinstance(key, Scalar) and not key.style and key.value == "<<"


def _tree(text: str, events: Iterable[Any]) -> Node:
    """Build the tree of a text from the events of its parser."""
    top: list[Node] = []
    open_: list[Collection] = []
    anchors: dict[str, Node] = {}
    odd_even: list[int] = []
    for event in events:
        kind = type(event)
        if kind is yaml.ScalarEvent:
            node: Node = _scalar(text, event)
        elif kind is yaml.AliasEvent:
            node = Alias(event.start_mark.index, event.end_mark.index, anchors[event.anchor])
        elif kind in (yaml.MappingStartEvent, yaml.SequenceStartEvent):
            start = event.start_mark.index
            inner = _inner(text, event)
            name: Any = "mapping" if kind is yaml.MappingStartEvent else "list"
            flow = bool(event.flow_style)
            open_.append(Collection(start, start, inner, name, flow, event.anchor))
            odd_even.append(0)
            if event.anchor is not None:
                anchors[event.anchor] = open_[-1]
            continue
        elif kind in (yaml.MappingEndEvent, yaml.SequenceEndEvent):
            node = _closed(open_.pop(), event.end_mark.index)
            odd_even.pop()
        else:
            continue
        if isinstance(node, Scalar) and node.anchor is not None:
            anchors[node.anchor] = node
        if not open_:
            top.append(node)
        elif open_[-1].kind == "mapping" and odd_even[-1] % 2 == 0:
            open_[-1].keys.append(node)
            odd_even[-1] += 1
        else:
            open_[-1].values.append(node)
            odd_even[-1] += 1
    return top[0]


def _scalar(text: str, event: Any) -> Scalar:
    start, end = event.start_mark.index, event.end_mark.index
    style = event.style or ""
    inner = _inner(text, event)
    if style in ("|", ">"):
        end = _end_of_block(text, inner, end, event.value)
    return Scalar(start, max(start, end), inner, style, event.anchor, event.value)


def _inner(text: str, event: Any) -> int:
    start: int = event.start_mark.index
    if event.anchor is None and event.tag is None:
        return start
    match = _PROPERTIES.match(text, start)
    return start if match is None else match.end()


def _end_of_block(text: str, start: int, end: int, value: str) -> int:
    """Find the end of a block of text, without blank lines that are no part of it."""
    header = re.match(r"[|>][-+0-9]*", text[start:])
    written = text[start:end].rstrip(" \t") if text[end - 1 : end] in " \t" else text[start:end]
    if header is not None and "+" in header[0]:
        written = written.removesuffix("\n").removesuffix("\r")
        return start + len(written)
    last = value.rstrip("\n").rpartition("\n")[2]
    # A last line of nothing but blanks is text when it has more of them than the indentation.
    written = written.rstrip(_LINE_ENDS if last and not last.strip(" \t") else _BLANKS)
    if last.strip(" \t"):
        # Blanks at the end of the last line are text too.
        line = re.compile(r"[ \t]*").match(text, start + len(written))
        return start + len(written) if line is None else min(line.end(), end)
    return start + len(written)


def _closed(node: Collection, end: int) -> Collection:
    """Close a mapping or a list; one without brackets ends where the last of its parts does."""
    if node.flow:
        node.end = end
    else:
        parts = [*node.keys[-1:], *node.values[-1:]]
        node.end = max(part.end for part in parts)
    return node


def _move(root: Node, origins: list[int], text: str) -> None:
    """Turn offsets in a repaired text into those in the text as it is written."""
    for node in nodes_in(root):
        node.start, node.end = origins[node.start], origins[node.end]
        if not isinstance(node, Alias):
            node.inner = origins[node.inner]
        if isinstance(node, Scalar) and not text.startswith(node.style, node.inner):
            # The quotes are those of the repair.
            node.style = ""


class _JsonTree:
    """Makes the tree of a JSON document, all of which is in its marks."""

    def __init__(self, document: Document) -> None:
        self.text = document.text
        self.data = document.data
        self.span = document.span
        self.marks: Mapping[int, list[int]] = document.marks

    def root(self) -> Node:
        return self.node(self.data, *self.span)

    def node(self, data: Any, start: int, end: int) -> Node:
        if isinstance(data, dict):
            marks = self.marks[id(data)]
            node = Collection(start, end, start, "mapping", flow=True)
            for value, offset in zip(data.values(), count(0, 4), strict=False):
                node.keys.append(Scalar(marks[offset], marks[offset + 1], marks[offset], '"'))
                node.values.append(self.node(value, marks[offset + 2], marks[offset + 3]))
            return node
        if isinstance(data, list):
            marks = self.marks[id(data)]
            node = Collection(start, end, start, "list", flow=True)
            node.values += [
                self.node(value, marks[offset], marks[offset + 1])
                for value, offset in zip(data, count(0, 2), strict=False)
            ]
            return node
        return Scalar(start, end, start, '"' if isinstance(data, str) else "", value=data)
