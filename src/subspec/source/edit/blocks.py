"""Mappings and lists without brackets: one entry a line, or more."""

import re
from collections.abc import Iterable
from itertools import islice

from attrs import frozen

from subspec.source.edit.changes import Change, Changes, Entry
from subspec.source.edit.flow import Flow, quote_of, written_key
from subspec.source.edit.places import Block, Part, Places, without_blank_start
from subspec.source.edit.style import LONGEST_KEY, SIBLINGS, YamlStyle
from subspec.source.emit import block_body, block_header
from subspec.source.folded import fold_text
from subspec.source.tree import BLOCK_SIGN, Alias, Collection, Node, Scalar

_BLOCKS = ("|", ">")
_COMMENT = re.compile(r"[ \t]+#[^\r\n]*")
_LAST_LINE_END = re.compile(r"(?:\r\n|\r|\n)\Z")
_ENDS_BLANK = re.compile(r"(?:\n|\r(?!\n))(?:\r\n|\r|\n)\Z")
_DASH = re.compile(r"-( +)[^ \t\r\n#]")
_DIGIT = re.compile("[0-9]")
_INDENTED = re.compile(r"(?<=[\r\n])( *)[^ \r\n]")


@frozen
class _Tail:
    """What follows a colon or a dash, up to the end of its entry."""

    change: Change
    start: int
    end: int
    column: int
    """The column of the entry."""

    key: str | None
    """Its key; None for an item of a list."""


class Blocks:
    """Writes blocks, and documents that are made of them.

    Args:
        places: The text as it stands.
        changes: What is to become of it.
        style: How it is written.
    """

    def __init__(self, places: Places, changes: Changes, style: YamlStyle) -> None:
        self.places = places
        self.text = places.text
        self.changes = changes
        self.style = style
        self.flow = Flow(places, changes, style)

    def document(self) -> str:
        """Write the document."""
        change, text = self.changes.top, self.text
        node = change.node
        if isinstance(node, Collection) and node.flow and node.values:
            return text[: node.start] + self.flow.value(change) + text[node.end :]
        if isinstance(node, Collection) and change.wanted and change.keeps_kind() and node.values:
            block = self.places.block(node)
            return text[: block.first] + self.block(node, change) + text[block.end :]
        writer = self.style.writer()
        writer.node("", change.wanted, 0)
        if isinstance(node, Collection) and not node.flow:
            block = self.places.block(node)
            part = block.part(0)
            written = self.finished(self.joined(writer.lines), block.end)
            return text[: part.first - len(part.indent)] + written + text[block.end :]
        if not isinstance(change.wanted, dict | list) and len(writer.lines) == 1:
            return text[: node.start] + writer.lines[0] + text[node.end :]
        line, stop = self.places.line_start(node.start), self.places.line_stop(node.end)
        around = f"{text[line : node.start].strip()} {text[node.end : stop].strip()}".strip()
        lines = [around, *writer.lines] if around else writer.lines
        return text[:line] + self.places.line_end.join(lines) + text[stop:]

    def block(self, node: Collection, change: Change) -> str:
        """Write a mapping or a list."""
        block = self.places.block(node)
        entries = self.changes.entries(node, change)
        if [entry.index for entry in entries] == list(range(len(node.values))):
            return self.in_place(block, entries)
        return self.assembled(block, entries)

    def in_place(self, block: Block, entries: list[Entry]) -> str:
        """Write entries where they stand."""
        pieces, position = [], block.first
        for index, entry in enumerate(entries):
            if not self.stays(entry):
                part = block.part(index)
                pieces.append(self.text[position : part.first])
                pieces.append(self.ended(self.entry(block, part, entry)))
                position = part.end
        pieces.append(self.text[position : block.end])
        whole = "".join(pieces)
        return self.finished(whole, block.end) if position == block.end else whole

    def assembled(self, block: Block, entries: list[Entry]) -> str:
        """Put entries one below the other, with what stood between those of now.

        What stands before an entry and is set apart from it keeps its place: it does not move
        with the entry, nor go with it.
        """
        order = sorted(entry.index for entry in entries if entry.index is not None)
        blank = self.places.line_end if block.is_spaced else ""
        pieces: list[str] = []
        taken, last = 0, None
        run: int | None = None
        for entry in entries:
            index = entry.index
            follows = index is not None and last is not None and index == last + 1 == order[taken]
            if follows and self.stays(entry):
                # What stays is taken in one piece: nobody has to know where each of it stands.
                run = last if run is None else run
                taken, last = taken + 1, index
                continue
            if run is not None:
                pieces.append(self.between(block, run, last))
                run = None
            if not pieces:
                gap = block.gap(0, order[0]) if order else block.apart(0, len(block.node.values))
                if without_blank_start(block.part(0).gap) == block.part(0).gap:
                    gap = without_blank_start(gap)
            elif index is None:
                gap = blank
            else:
                gap = block.gap(order[taken - 1] + 1, order[taken]) if taken else ""
                gap = gap if gap or follows else blank
            if pieces and _ENDS_BLANK.search(pieces[-1][-4:]):
                # Blank lines would become a part of the text that ends there.
                gap = without_blank_start(gap)
            if index is None:
                pieces.append(gap + block.indent + self.fresh_entry(block, entry))
            else:
                part = block.part(index)
                pieces.append(gap + part.indent + self.ended(self.entry(block, part, entry)))
                taken += 1
            last = index
        if run is not None:
            pieces.append(self.between(block, run, last))
        whole = "".join(pieces) + (block.left(order[-1] + 1) if order else "")
        return self.finished(whole.lstrip(" \t\r\n") if block.compact else whole, block.end)

    def between(self, block: Block, first: int, last: int | None) -> str:
        """Give the text behind an entry up to the end of a later one."""
        return self.ended(self.text[block.end_of(first) : block.end_of(last or 0)])

    def stays(self, entry: Entry) -> bool:
        """Tell whether an entry stays as it is written."""
        change = entry.change
        return change is None or (entry.name == entry.before and self.changes.stays(change))

    def finished(self, whole: str, end: int) -> str:
        """Take the line end off a block that had none; text in a block may need one."""
        if self.text[end - 1 : end] in ("\r", "\n") or self.changes.forced:
            return whole
        return whole.removesuffix(self.places.line_end)

    def joined(self, lines: Iterable[str]) -> str:
        """Make lines of a text."""
        return self.places.line_end.join(lines) + self.places.line_end

    def ended(self, piece: str) -> str:
        """Give a piece of text a line end if it has none."""
        return piece if piece.endswith(("\r", "\n")) else piece + self.places.line_end

    def fresh_entry(self, block: Block, entry: Entry) -> str:
        """Write an entry that was not there."""
        node, wanted = block.node, entry.wanted
        key_quote = self.style.quote_among(node.keys)
        quote = self.style.quote_among(node.values)
        writer = self.style.writer(entry.name or "", quote, key_quote)
        writer.in_quotes = self.changes.in_quotes(entry.path)
        in_brackets = wanted and isinstance(wanted, dict) and _are_flow(node.values)
        if entry.name is not None:
            if in_brackets:
                writer.lines.append(f"{writer.string(entry.name)}: {writer.flow(wanted)}")
            else:
                writer.mapping("", {entry.name: wanted}, block.column)
            return self.joined(writer.lines)
        dash = _DASH.match(self.text, block.part(0).head)
        head = "-" + (dash[1] if dash else " ")
        if in_brackets:
            writer.lines.append(head + writer.flow(wanted))
        elif isinstance(wanted, dict) and wanted:
            writer.mapping(head, wanted, block.column + len(head))
        else:
            writer.node("-", wanted, block.column)
            if not isinstance(wanted, list):
                writer.lines[0] = head + writer.lines[0][2:]
        return self.joined(writer.lines)

    def entry(self, block: Block, part: Part, entry: Entry) -> str:
        """Write an entry that was there, from its comment on."""
        text, node, change = self.text, block.node, entry.change
        if change is None:
            return text[part.first : part.end]
        if entry.name is None:
            start = part.head + 1
            tail = _Tail(change, start, part.end, block.column, None)
            return text[part.first : start] + self.tail(tail)
        key = node.keys[entry.index or 0]
        name = ""
        written = text[part.first : key.end]
        if entry.before != entry.name:
            name = self.style.key(entry.name, quote_of(key), flow=False)
            written = text[part.first : key.start] + written_key(text, key, name)
        colon = self.places.behind_colon(key.end)
        if colon is None:
            # A question mark makes a key of it, and its value is not said.
            written = self.ended(written + text[key.end : part.end])
            if change.wanted is None:
                return written
            tail = _Tail(change, part.end, part.end, block.column, entry.before)
            return f"{written}{' ' * block.column}: {self.joined(self.lines(tail))}"
        tail = _Tail(change, colon, part.end, block.column, entry.before)
        between = text[key.end : colon]
        if len(name) > LONGEST_KEY and part.head == key.start:
            # Readers take so long a key only behind a question mark, and then a line below.
            written = f"{text[part.first : part.head]}? {name}"
            between = f"{self.places.line_end}{' ' * block.column}:"
        return written + between + self.tail(tail)

    def tail(self, tail: _Tail) -> str:
        """Write what follows a colon or a dash."""
        change, text, start, end = tail.change, self.text, tail.start, tail.end
        node = change.node
        if self.changes.stays(change):
            return text[start:end]
        if isinstance(node, Collection) and change.wanted and change.keeps_kind() and node.values:
            if node.flow:
                return text[start : node.start] + self.flow.value(change) + text[node.end : end]
            block = self.places.block(node)
            return text[start : block.first] + self.block(node, change) + text[block.end : end]
        first, *others = self.lines(tail)
        comment, rest = self.around(node, start, end)
        anchor = f"&{node.anchor}" if not isinstance(node, Alias) and node.anchor else ""
        if written := f"{anchor} {first}".strip(" "):
            between = "" if is_block(node) else text[start : node.start]
            is_blank = between and node.end > node.start and not between.strip(" \t")
            if _has_comment_below(between):
                is_blank = True
            if tail.key is None and isinstance(change.wanted, dict | list):
                # The lines below are indented by what one blank takes.
                is_blank = False
            written = (between if is_blank else " ") + written
        return self.places.line_end.join([written + comment, *others]) + rest

    def around(self, node: Node, start: int, end: int) -> tuple[str, str]:
        """Give the comment on the first line of a value, and what follows its last line."""
        text, places = self.text, self.places
        if isinstance(node, Collection) and not node.flow:
            stop = places.line_stop(start)
            found = _COMMENT.search(text, start, stop)
            # Comments further below are about what goes.
            comment = found[0] if found and places.block(node).head >= stop else ""
            match = _LAST_LINE_END.search(text, max(end - 2, start), end)
            return comment, match[0] if match else ""
        if isinstance(node, Scalar) and node.style in _BLOCKS:
            sign = BLOCK_SIGN.match(text, node.inner)
            after = sign.end() if sign else node.inner
            return text[after : places.line_stop(after)].rstrip(" \t"), text[node.end : end]
        position = max(node.end, start)
        stop = min(places.line_stop(position), end)
        # A value may stand on a line of its own, below a comment.
        above = _COMMENT.search(text, start, min(places.line_stop(start), node.start))
        moves = above and not _has_comment_below(text[start : node.start])
        comment = (above[0] if above and moves else "") + text[position:stop]
        return comment.rstrip(" \t"), text[stop:end]

    def lines(self, tail: _Tail) -> list[str]:
        """Write a value anew; its first line is to follow a colon or a dash, and a blank."""
        node, wanted, column = tail.change.node, tail.change.wanted, tail.column
        writer = self.style.writer(tail.key or "")
        writer.in_quotes = self.changes.in_quotes(tail.change.path)
        if isinstance(wanted, str) and isinstance(node, Scalar) and not writer.in_quotes:
            lines = self.text_lines(node, tail, wanted)
            if lines is not None:
                return lines
        if tail.key is None and has_anchor(node) and isinstance(wanted, dict | list) and wanted:
            # Behind an anchor, on its line, the first of what it holds would get it.
            writer.node("", wanted, column + 2)
            pad = " " * (column + 2)
            first, *others = writer.lines
            return [first] if first.startswith("[") else ["", pad + first, *others]
        is_block_key = tail.key in writer.layout.block_keys
        writer.node("-" if tail.key is None else ":", wanted, column, block=is_block_key)
        first, *others = writer.lines
        return [first[1:].lstrip(" "), *others]

    def text_lines(self, node: Scalar, tail: _Tail, wanted: str) -> list[str] | None:
        """Write a text as the one that stands there; None where it looks best like a new one."""
        writer = self.style.writer(tail.key or "")
        if node.style in _BLOCKS:
            return self.block_text(node, tail, wanted) if writer.fits_block(wanted) else None
        is_block_key = tail.key in writer.layout.block_keys
        was_on_one_line = node.style == '"' and "\n" in str(tail.change.old)
        if writer.goes_to_block(wanted) and not was_on_one_line:
            return None
        if is_block_key and node.start == node.end:
            return None
        return [self.style.scalar(wanted, node.style, flow=False)]

    def block_text(self, node: Scalar, tail: _Tail, wanted: str) -> list[str]:
        """Write a text as the block that stands there."""
        pad = self.indent_of_block(node, tail.column)
        if node.style == ">" and (lines := self.folded(node, wanted, pad)):
            return lines
        return [block_header(wanted, len(pad) - tail.column), *block_body(wanted, pad)]

    def folded(self, node: Scalar, wanted: str, pad: str) -> list[str] | None:
        """Write a folded text; None where it cannot be folded."""
        lines = fold_text(self.text[node.inner : node.end], wanted)
        if lines is None:
            return None
        sign, *rest = lines
        return [sign, *(pad + line if line else "" for line in rest)]

    def indent_of_block(self, node: Scalar, column: int) -> str:
        """Give what the lines of a block of text are indented with."""
        sign = BLOCK_SIGN.match(self.text, node.inner)
        if sign and (digit := _DIGIT.search(sign[0])):
            return " " * (column + int(digit[0]))
        line = _INDENTED.search(self.text, self.places.line_stop(node.inner), node.end)
        return " " * (column + self.style.layout.step) if line is None else line[1]


def has_anchor(node: Node) -> bool:
    """Tell whether a value has an anchor."""
    return not isinstance(node, Alias) and node.anchor is not None


def is_block(node: Node) -> bool:
    """Tell whether a value is a mapping or a list without brackets."""
    return isinstance(node, Collection) and not node.flow


def _has_comment_below(between: str) -> bool:
    """Tell whether a comment stands between a key and its value, on a line of its own."""
    return "#" in between.partition("\n")[2]


def _are_flow(nodes: Iterable[Node]) -> bool:
    """Tell whether mappings stand in brackets, if there are any."""
    siblings = [node for node in islice(nodes, SIBLINGS) if isinstance(node, Collection)]
    mappings = [node.flow for node in siblings if node.kind == "mapping" and node.values]
    return bool(mappings) and all(mappings)
