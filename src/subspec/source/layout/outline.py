"""The values of a document, with the comments that belong to them."""

import re
from collections.abc import Iterator
from itertools import chain
from typing import Any, TypeAlias

from attrs import define, field, frozen

from subspec.source.compare import MISSING
from subspec.source.document import Document
from subspec.source.edit import NotFaithfulError
from subspec.source.frontmatter import Fences
from subspec.source.layout.comments import TOKEN, header_comment, region, words_start
from subspec.source.scalars import BadNumberError, resolve
from subspec.source.tree import Collection, Node, Scalar

_LINE_END = re.compile(r"\r\n|\r|\n")
# What may be more than text, and can be written as it is anywhere.
_WORD = re.compile(r"~|[-+.]?\w[-+.\w]*|")
_PROPERTY = re.compile(r"#[^\r\n]*|([!&][^ \t\r\n]*)")
_STANDARD_TAG = re.compile(r"!|(?:!!|!<tag:yaml\.org,2002:)(?:str|int|float|bool|null|map|seq)>?")


@define(eq=False)
class Entry:
    """A value, its key if it has one, and its comments."""

    key: "Node | None"
    value: Node
    name: str = ""
    """The key as the data has it, or as it is written."""

    is_known: bool = True
    """Whether the data has the key: not one that merges, nor one that is given again."""

    key_prefix: str = ""
    """The anchor and the tag of the key."""

    data: Any = MISSING
    """What a value says that is no container; missing where the data does not have it."""

    prefix: str = ""
    """Its anchor and its tag."""

    above: list[str] = field(factory=list)
    """The lines above it: comments, and an empty one for a blank line."""

    behind: str = ""
    """The comment on its line."""

    opening: list[str] = field(factory=list)
    """The lines between its key, or its dash, and its value."""

    entries: "list[Entry]" = field(factory=list)
    """The entries of a container."""

    below: list[str] = field(factory=list)
    """The lines behind the last of them."""

    label: str = ""
    """How the key is written."""

    brackets: str | None = None
    """How a list is written that stands in brackets."""

    def is_a(self, kind: str) -> bool:
        """Tell whether the value is a ``"mapping"`` or a ``"list"``."""
        return isinstance(self.value, Collection) and self.value.kind == kind

    @property
    def is_open(self) -> bool:
        """Whether its entries stand on lines of their own."""
        return bool(self.entries) and self.brackets is None

    @property
    def is_compact(self) -> bool:
        """Whether the first of its entries stands on its own line."""
        return self.is_open and self.key is None and not self.prefix

    def remark(self, comment: str) -> None:
        """Take a comment on the line of the entry; the last one stays there."""
        if self.behind:
            self.above.append(self.behind)
        self.behind = comment

    def holds_comments(self) -> bool:
        """Tell whether there are comments among the entries."""
        lines = chain(self.opening, self.below, *(child.lines() for child in self.entries))
        return any(lines)

    def lines(self) -> Iterator[str]:
        """Give the comments that stand around the value."""
        yield from (*self.above, self.behind, *self.opening)


@frozen
class _Token:
    """What stands between values, and matters here."""

    kind: str
    """``"blank"`` for a blank line, ``"comment"``, ``"mark"``, or ``"sign"`` of an entry."""

    text: str = ""
    column: int | None = None
    """Of a comment on a line of its own, the column; None for one behind something else."""


_Block: TypeAlias = tuple[int, Entry]
"""A mapping or a list without brackets, and the column from which on a comment is in it."""


class Outline:
    """Goes through a document and makes entries of it, each with its comments."""

    def __init__(self, document: Document, tree: Node, fences: Fences | None) -> None:
        self.document = document
        self.text = document.text
        top, bottom = region(self.text, fences)
        self.position = top
        self.keeps_tags = "%TAG" in self.text[top : tree.start]
        self.root = Entry(None, tree)
        self.tail: list[str] = []
        # To what a comment belongs that stands behind something on its line.
        self.last = self.root
        self.take_top(tree.start)
        self.fill(self.root, document.data)
        if self.root.is_a("mapping") and _has_title(self.root.above):
            _hand_down(self.root, self.root.above)
        self.take_rest(bottom)

    def take_top(self, end: int) -> None:
        """Take what stands before all data."""
        lines = self.root.above
        for token in self.tokens(end):
            if token.kind == "comment" and token.column is None:
                lines[-1] += f"  {token.text}"
            else:
                lines.append(token.text)

    def take_rest(self, end: int) -> None:
        """Take what stands behind all data."""
        ended = list(self.blocks_ended(self.root, -1))
        blank: list[str] = []
        for token in self.tokens(end):
            if token.kind == "blank":
                blank = [""]
                continue
            if token.kind == "mark":
                ended = []
                self.tail += [*blank, token.text]
            elif token.column is not None:
                _lines_for(ended, token.column, self.tail).extend([*blank, token.text])
            elif self.tail:
                self.tail[-1] += f"  {token.text}"
            else:
                self.last.remark(token.text)
            blank = []

    def fill(self, entry: Entry, data: Any) -> None:
        """Take a value, and all that is in it."""
        node = entry.value
        if isinstance(node, Collection):
            self.fill_container(entry, node, data)
            return
        if isinstance(node, Scalar):
            words = words_start(node)
            entry.prefix = self.take_properties(entry, node.start, words, keep=data is MISSING)
            is_odd = data is MISSING and not _WORD.fullmatch(self.text, words, node.end)
            entry.data = node.value if is_odd else data
        if comment := header_comment(self.text, node):
            entry.remark(comment)
        self.position = node.end
        self.last = entry
        _hand_up(entry, entry.opening)

    def fill_container(self, entry: Entry, node: Collection, data: Any) -> None:
        """Take a mapping or a list."""
        entry.prefix = self.take_properties(entry, node.start, _opening_of(node))
        if node.flow:
            self.position += 1
            self.last = entry
        column = self.column(_opening_of(node))
        ended: list[_Block] = []
        for child, inside in self.children(node, data):
            self.take_gap(child, ended)
            self.take_key(child)
            self.fill(child, inside)
            entry.entries.append(child)
            ended = list(self.blocks_ended(child, column))
        if node.flow:
            self.take_closing(entry, node.end)
        if node.keys:
            _hand_down(entry, entry.opening)
        elif not node.values:
            _hand_up(entry, entry.opening)
        elif entry.key is None and not entry.prefix:
            # The first item stands on the line of the list.
            _hand_up(entry, entry.opening)
            for child in entry.entries[:1]:
                _hand_up(entry, child.above)

    def children(self, node: Collection, data: Any) -> Iterator[tuple[Entry, Any]]:
        """Give the entries of a container, each with its data."""
        if node.kind == "list":
            items = data if isinstance(data, list) else [MISSING] * len(node.values)
            for value, item in zip(node.values, items, strict=True):
                yield Entry(None, value), item
            return
        for key, value in zip(node.keys, node.values, strict=True):
            name = self.document.key_at(data, key.start) if isinstance(data, dict) else None
            if name is None:
                name = str(getattr(key, "value", ""))
                yield Entry(key, value, name, is_known=False), MISSING
            else:
                yield Entry(key, value, name), data[name]

    def take_gap(self, entry: Entry, ended: list[_Block]) -> None:
        """Take what stands before an entry, and behind the blocks that have ended."""
        begun = False
        blank: list[str] = []
        for token in self.tokens((entry.key or entry.value).start):
            if token.kind == "blank":
                blank = [""]
                continue
            if token.kind != "comment":
                begun = True
                entry.above += blank
            elif token.column is None:
                (entry if begun else self.last).remark(token.text)
            else:
                lines = entry.opening if begun else _lines_for(ended, token.column, entry.above)
                lines += [*blank, token.text]
            blank = []
        if not begun:
            entry.above += blank

    def take_key(self, entry: Entry) -> None:
        """Take a key, if there is one, and what stands between it and its value."""
        key = entry.key
        if key is None:
            return
        if isinstance(key, Collection):
            if _LINE_END.search(self.text, key.start, key.end):
                raise NotFaithfulError
        else:
            entry.key_prefix = self.take_properties(entry, key.start, words_start(key), keep=True)
        self.position = key.end
        self.take_inside(entry, entry.value.start)

    def take_inside(self, entry: Entry, end: int) -> None:
        """Take the comments that stand within an entry, before its value."""
        for token in self.tokens(end):
            if token.kind == "comment" and token.column is None:
                entry.remark(token.text)
            else:
                entry.opening.append(token.text)

    def take_properties(self, entry: Entry, start: int, end: int, *, keep: bool = False) -> str:
        """Take an anchor and a tag with the comments between them; give how they are written."""
        self.position = start
        self.take_inside(entry, end)
        found = (match[1] for match in _PROPERTY.finditer(self.text, start, end) if match[1])
        keeps = self.keeps_tags or keep
        return " ".join(each for each in found if keeps or not _STANDARD_TAG.fullmatch(each))

    def take_closing(self, entry: Entry, end: int) -> None:
        """Take what stands before a closing bracket."""
        for token in self.tokens(end - 1):
            if token.kind == "comment" and token.column is None:
                self.last.remark(token.text)
            elif token.kind == "comment":
                (entry.below if entry.entries else entry.above).append(token.text)
        self.position = end
        self.last = entry

    def blocks_ended(self, entry: Entry, column: int) -> Iterator[_Block]:
        """Give the blocks that end with an entry, from the outside in."""
        while isinstance(entry.value, Collection) and entry.entries and not entry.value.flow:
            # A list may stand no further in than the key above it.
            column = max(self.column(_opening_of(entry.value)), column + 1)
            yield column, entry
            entry = entry.entries[-1]

    def column(self, offset: int) -> int:
        """Give the column of an offset, counted from 0."""
        return self.document.spell(offset, offset).column - 1

    def tokens(self, end: int) -> Iterator[_Token]:
        """Give what stands between here and a place, and go there."""
        start, self.position = self.position, max(self.position, end)
        for match in TOKEN.finditer(self.text, start, end):
            kind = match.lastgroup
            if kind == "blanks" and len(_LINE_END.findall(match[0])) > 1:
                yield _Token("blank")
            elif kind == "comment":
                column = self.column(match.start())
                before = self.text[match.start() - column : match.start()]
                yield _Token(kind, match[0], None if before.strip(" \t") else column)
            elif kind in ("mark", "sign"):
                yield _Token(kind, match[0])


def _opening_of(node: Collection) -> int:
    """Give where a container begins, behind its anchor and its tag, which may not be its key's."""
    return min([node.inner, *(key.start for key in node.keys[:1])])


def _lines_for(ended: list[_Block], column: int, otherwise: list[str]) -> list[str]:
    """Find where a comment of a line of its own belongs: to a block that is indented as it is.

    One that is not ends the block, so that all behind it stands outside too.
    """
    while ended and column < ended[-1][0]:
        ended.pop()
    return ended[-1][1].below if ended else otherwise


def _hand_up(entry: Entry, lines: list[str]) -> None:
    """Put comments above an entry that cannot stand in it."""
    comments = list(filter(None, lines))
    if comments and entry.behind:
        comments.insert(0, entry.behind)
        entry.behind = ""
    entry.above += comments
    lines.clear()


def _hand_down(entry: Entry, lines: list[str]) -> None:
    """Give the first of the entries the comment right above it, so that both move together."""
    cut = max((index for index, line in enumerate(lines, 1) if line[:1] != "#"), default=0)
    for first in entry.entries[:1]:
        first.above[:0] = lines[cut:]
        del lines[cut:]


def _has_title(lines: list[str]) -> bool:
    """Tell whether a file begins with a comment that is about the file, not about its first key.

    Where there is no blank line behind a comment there is but one, which is taken for the title.
    """
    comments = (index for index, line in enumerate(lines) if line[:1] == "#")
    return "" in lines[next(comments, len(lines)) :]


def resolved(text: str) -> Any:
    """Give what a word means; what is no number that can be kept counts as one."""
    try:
        return resolve(text)
    except BadNumberError:
        return 0
