"""Where things stand in a text: its lines, and the entries of its blocks."""

import re
from functools import cached_property

from attrs import frozen

from subspec.source.tree import Collection, Node

LINE_END = re.compile(r"\r\n|\r|\n")
_EMPTY_LINE = re.compile(r"[ \t]*(#[^\r\n]*)?(\r\n|\r|\n|\Z)")
_COLON = re.compile(r"(?:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n))*[ \t]*:")
_LOOKED_AT = 30
_INDENT = re.compile(r"[ \t]*")


@frozen
class Part:
    """An entry of a block: what stands before it, its own comment, itself."""

    gap: str
    """Blank lines, and comments that a blank line sets apart."""

    indent: str
    """What its first line is indented with, be it that of its own comment."""

    first: int
    """Offset of its first character, that of its own comment if there is one."""

    head: int
    """Offset of its key, or of its dash."""

    end: int
    """Offset behind its last line."""

    compact: bool = False
    """Whether it begins on the line of what it stands in."""


class Places:
    """Finds places in a text.

    Args:
        text: The text.
        top: Where the part of it begins that holds data.
        bottom: Where that ends.
    """

    def __init__(self, text: str, top: int, bottom: int) -> None:
        self.text = text
        self.top = top
        self.bottom = bottom
        self.has_returns = "\r" in text
        self.blocks: dict[int, Block] = {}

    @cached_property
    def line_end(self) -> str:
        """What most lines end in."""
        text = self.text
        both = text.count("\r\n") if self.has_returns else 0
        counts = {
            "\n": text.count("\n") - both,
            "\r\n": both,
            "\r": text.count("\r") - both if self.has_returns else 0,
        }
        return max(counts, key=lambda end: counts[end])

    def line_start(self, offset: int) -> int:
        """Give where the line of an offset begins."""
        text = self.text
        if not self.has_returns:
            return text.rfind("\n", 0, offset) + 1
        if offset and text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1
        start = text.rfind("\n", 0, offset) + 1
        return max(start, text.rfind("\r", start, offset) + 1)

    def line_stop(self, offset: int) -> int:
        """Give where the line of an offset ends, before its line end."""
        match = LINE_END.search(self.text, offset)
        return len(self.text) if match is None else match.start()

    def next_line(self, offset: int) -> int:
        """Give where the line after that of an offset begins."""
        match = LINE_END.search(self.text, offset)
        return min(self.bottom, len(self.text) if match is None else match.end())

    def column(self, offset: int) -> int:
        """Give the column of an offset, from 0."""
        return offset - self.line_start(offset)

    def indent(self, offset: int) -> str:
        """Give what the line of an offset begins with."""
        return _blanks(self.text, self.line_start(offset))

    def behind_colon(self, key_end: int) -> int | None:
        """Give the offset behind the colon of a key; None where it has none."""
        match = _COLON.match(self.text, key_end)
        return None if match is None else match.end()

    def block(self, node: Collection) -> "Block":
        """Give a mapping or a list without brackets."""
        if id(node) not in self.blocks:
            self.blocks[id(node)] = Block(self, node)
        return self.blocks[id(node)]

    def end_of_entry(self, value: Node, column: int, position: int) -> int:
        """Give where an entry ends, with the comments that are indented as a part of it.

        Args:
            value: Its value.
            column: The column in which it stands.
            position: The end of its value, or of its key where that is empty.
        """
        if isinstance(value, Collection) and not value.flow:
            end = self.block(value).end
        else:
            end = self.next_line(position)
        position = end
        while position < self.bottom:
            match = _EMPTY_LINE.match(self.text, position)
            if match is None or match.end() == position:
                break
            if match[1] is not None:
                if match.start(1) - position <= column:
                    break
                end = match.end()
            position = match.end()
        return min(end, self.bottom)

    def start_of_lead(self, line: int) -> int:
        """Give where the comments and blank lines before a line begin."""
        while line > self.top:
            before = self.line_start(line - 1)
            match = _EMPTY_LINE.match(self.text, before)
            if before < self.top or match is None or match.end() != line:
                break
            line = before
        return line

    def start_of_comment(self, position: int, line: int) -> int:
        """Give where the comment begins that stands right before a line."""
        while line > position:
            before = self.line_start(line - 1)
            match = _EMPTY_LINE.match(self.text, before)
            if before < position or match is None or match[1] is None:
                break
            line = before
        return line

    def content_start(self, position: int) -> int:
        """Give where the first text stands that is no comment."""
        while (match := _EMPTY_LINE.match(self.text, position)) and match.end() > position:
            position = match.end()
        return position + len(_blanks(self.text, position))


class Block:
    """A mapping or a list without brackets, and where its entries stand.

    They are looked for once they are asked for: most blocks do not change.
    """

    def __init__(self, places: Places, node: Collection) -> None:
        self.places = places
        self.node = node
        head = node.inner
        line = places.line_start(head)
        self.compact = bool(places.text[line:head].strip(" \t"))
        self.column = head - line
        self.head = head
        self.first = head if self.compact else places.start_of_lead(line)
        self.found: dict[int, Part] = {}
        self.ends: dict[int, int] = {}

    @property
    def end(self) -> int:
        """Offset behind its last line."""
        return self.end_of(len(self.node.values) - 1)

    def part(self, index: int) -> Part:
        """Give an entry."""
        if index not in self.found:
            self.found[index] = self._part(index)
        return self.found[index]

    def end_of(self, index: int) -> int:
        """Give where an entry ends."""
        if index not in self.ends:
            self.ends[index] = self._end_of(index)
        return self.ends[index]

    @cached_property
    def indent(self) -> str:
        """What an entry is indented with."""
        if self.compact and len(self.node.values) == 1:
            return " " * self.column
        # That of the entry itself: a comment above it may stand elsewhere.
        head = self.part(1 if self.compact else 0).head
        return self.places.text[self.places.line_start(head) : head]

    @cached_property
    def is_spaced(self) -> bool:
        """Whether blank lines stand between most of its entries."""
        count = min(len(self.node.values), _LOOKED_AT)
        spaced = [
            any(map(_is_blank, self.part(index).gap.splitlines())) for index in range(1, count)
        ]
        return sum(spaced) * 2 > len(spaced)

    def gap(self, first: int, index: int) -> str:
        """Give what stands before an entry when those from `first` on are gone."""
        lasting, gap = self.apart(first, index), self.part(index).gap
        if lasting:
            return lasting + without_blank_start(gap)
        # What was set apart from the entry above is that also when it begins with another entry.
        return gap or self.part(first).gap

    def left(self, first: int) -> str:
        """Give what remains of the entries from `first` on when they are gone."""
        lines = self.apart(first, len(self.node.values)).splitlines(keepends=True)
        while lines and _is_blank(lines[-1]):
            del lines[-1]
        return "".join(lines)

    def apart(self, first: int, last: int) -> str:
        """Give the comments that are set apart from some entries, and outlast them."""
        lasting = ""
        for index in range(first, last):
            gap = self.part(index).gap
            if gap.strip():
                lasting += without_blank_start(gap) if lasting else gap
        return lasting

    def _end_of(self, index: int) -> int:
        value = self.node.values[index]
        position = value.end
        if self.node.kind == "mapping":
            key_end = self.node.keys[index].end
            # An empty value has its place at the next one, if no colon is there to have it behind.
            colon = self.places.behind_colon(key_end) if value.start == value.end else None
            position = max(key_end, value.end) if value.start < value.end else colon or key_end
        return self.places.end_of_entry(value, self.column, position)

    def _part(self, index: int) -> Part:
        places, text = self.places, self.places.text
        position = self.end_of(index - 1) if index else self.first
        head = places.content_start(position) if index else self.head
        end = self.end_of(index)
        if self.compact and not index:
            return Part("", " " * self.column, head, head, end, compact=True)
        line = places.line_start(head)
        is_top = not index and position == places.top
        own = line if is_top else places.start_of_comment(position, line)
        indent = _blanks(text, own)
        return Part(text[position:own], indent, own + len(indent), head, end)


def without_blank_start(gap: str) -> str:
    """Take away the blank lines with which something begins."""
    lines = gap.splitlines(keepends=True)
    while lines and _is_blank(lines[0]):
        del lines[0]
    return "".join(lines)


def _is_blank(line: str) -> bool:
    return not line.strip()


def _blanks(text: str, offset: int) -> str:
    match = _INDENT.match(text, offset)
    return "" if match is None else match[0]
