"""Values in brackets, in JSON, and scalars on the line of their key."""

import re
from itertools import islice
from typing import Any

from attrs import frozen

from subspec.problems import Path
from subspec.source.edit.changes import Change, Changes, Entry
from subspec.source.edit.places import Places
from subspec.source.edit.style import QUOTES, SIBLINGS, FlowStyle
from subspec.source.tree import Alias, Collection, Node, Scalar

_AFTER_ITEM = re.compile(r"([ \t\r\n]*,)?([ \t]+#[^\r\n]*)?")
_AFTER_BRACKET = re.compile(r"[ \t]*(?:#[^\r\n]*)?")
_HAS_LINE_END = re.compile(r"[\r\n]")
_LINE_END = re.compile(r"\r\n|\r|\n")


@frozen
class _Layout:
    """What stands around the items of a collection."""

    opening: str
    leads: list[str]
    """What stands before each item: blanks, line ends, and comments of its own."""

    commas: list[str]
    """The comma behind each item, with what stands before it; the last one may have none."""

    trails: list[str]
    """The comment on the line of each item."""

    closing: str


@frozen
class _Manner:
    """How a new value is written, so that it looks like those around it."""

    pad: str
    """What its line is indented with."""

    quote: str = ""
    key_quote: str = ""
    in_line: bool = False


class Flow:
    """Writes values in brackets.

    Args:
        places: The text as it stands.
        changes: What is to become of it.
        style: How it is written.
    """

    def __init__(self, places: Places, changes: Changes, style: FlowStyle) -> None:
        self.places = places
        self.text = places.text
        self.changes = changes
        self.style = style

    def value(self, change: Change, *, flow: bool = True) -> str:
        """Write what stands between the start and the end of a value."""
        node, wanted = change.node, change.wanted
        if self.changes.stays(change):
            return self.text[node.start : node.end]
        if isinstance(node, Collection) and change.keeps_kind() and wanted and node.values:
            return self.collection(node, change)
        anchor = "" if isinstance(node, Alias) or not node.anchor else f"&{node.anchor} "
        if isinstance(wanted, dict | list) or not isinstance(node, Scalar):
            manner = _Manner(self.places.indent(node.start))
            return anchor + self.fresh(wanted, change.path, manner)
        quote = '"' if self.changes.in_quotes(change.path) else node.style
        return anchor + self.style.scalar(wanted, quote, flow=flow)

    def fresh(self, wanted: Any, path: Path, manner: _Manner) -> str:
        """Write a value anew."""
        quote = '"' if self.changes.in_quotes(path) else manner.quote
        style = self.style.in_line() if manner.in_line else self.style
        return style.value(wanted, manner.pad, quote, manner.key_quote)

    def collection(self, node: Collection, change: Change) -> str:
        """Write a mapping or a list, neither of them empty."""
        text = self.text
        entries = self.changes.entries(node, change)
        if [entry.index for entry in entries] == list(range(len(node.values))):
            return self.in_place(node, entries)
        # A pair in a list needs no braces; more than one does.
        is_bare = text[node.inner] not in "[{"
        layout = _Layout("{", [""], [""], [""], "}") if is_bare else _layout(text, node)
        line_end, indent = self.places.line_end, self.places.indent(node.start)
        spacer = _Spacer(layout, entries, line_end, indent=indent, item_gap=self.style.item_gap)
        manner = self.manner(node, _last_line(layout.leads[-1]))
        pieces, trail = [text[node.start : node.inner], layout.opening], ""
        for position, entry in enumerate(entries):
            lead, comma, trail = spacer.around(position, entry.index)
            pieces += (lead, self.entry(node, entry, manner), comma, trail)
        return "".join(pieces) + spacer.closing(trail)

    def in_place(self, node: Collection, entries: list[Entry]) -> str:
        """Write items or pairs where they stand."""
        pieces: list[str] = []
        position = node.start
        for entry, part, value in zip(entries, node.keys or node.values, node.values, strict=True):
            change = entry.change
            if change is None or (entry.name == entry.before and self.changes.stays(change)):
                continue
            pieces += (self.text[position : part.start], self.entry(node, entry, _Manner("")))
            position = value.end
        return "".join(pieces) + self.text[position : node.end]

    def manner(self, node: Collection, pad: str | None) -> _Manner:
        """Find out how what is new in a mapping or a list is to look."""
        key_quote = self.style.quote_among(node.keys)
        quote = '"' if key_quote == '"' else self.style.quote_among(node.values)
        inner = [value for value in islice(node.values, SIBLINGS) if isinstance(value, Collection)]
        written = [self.text[value.start : value.end] for value in inner if value.values]
        in_line = bool(written) and not any(map(_HAS_LINE_END.search, written))
        pad = self.places.indent(node.start) if pad is None else pad
        return _Manner(pad, quote, key_quote, in_line)

    def entry(self, node: Collection, entry: Entry, manner: _Manner) -> str:
        """Write an item or a pair."""
        text, change = self.text, entry.change
        if entry.index is None:
            value = self.fresh(entry.wanted, entry.path, manner)
            if entry.name is None:
                return value
            return self.style.key(entry.name, manner.key_quote) + self.style.colon + value
        key, value_node = (node.keys or node.values)[entry.index], node.values[entry.index]
        if change is None:
            return text[key.start : value_node.end]
        if entry.name is None:
            return self.value(change)
        written = text[key.start : key.end]
        if entry.before != entry.name:
            written = written_key(text, key, self.style.key(entry.name, quote_of(key)))
        value = self.value(change)
        if not value or value_node.start < value_node.end:
            return written + text[key.end : value_node.start] + value
        # Nothing stands there, often not even a colon.
        colon = self.places.behind_colon(key.end)
        if colon is None or colon > value_node.start:
            return f"{written}: {value}{text[key.end : value_node.start]}"
        rest = text[colon : value_node.start]
        return f"{written}{text[key.end : colon]} {value}{rest if rest.strip(' ') else ''}"


def quote_of(node: Node) -> str:
    """Give the quote of a key."""
    return node.style if isinstance(node, Scalar) and node.style in QUOTES else ""


def written_key(text: str, key: Node, name: str) -> str:
    """Write another name for a key; its anchor stays."""
    return name if isinstance(key, Alias) else text[key.start : key.inner] + name


class _Spacer:
    """Puts blanks, commas and comments around items, as they stood around those of now."""

    def __init__(
        self, layout: _Layout, entries: list[Entry], line_end: str, *, indent: str, item_gap: str
    ) -> None:
        self.layout = layout
        self.count = len(entries)
        sources = [entry.index for entry in entries if entry.index is not None]
        self.moved = sources != sorted(sources)
        leads = layout.leads
        self.open_lines = all(map(_HAS_LINE_END.search, leads))
        gaps = leads[1:] or leads
        self.template = item_gap
        if all(map(_HAS_LINE_END.search, gaps)):
            self.template = line_end + (_last_line(gaps[-1]) or "")
        elif len(leads) > 1 and not _HAS_LINE_END.search(leads[1]):
            self.template = leads[1]
        self.line_end = line_end
        self.indent = indent
        self.after_comment = False

    def around(self, position: int, index: int | None) -> tuple[str, str, str]:
        """Give what stands before an item, the comma behind it, and its comment."""
        layout = self.layout
        lead = self.lead(position, index)
        if self.after_comment and not _HAS_LINE_END.search(lead):
            lead = f"{self.line_end}{self.indent}  "
        trail = "" if index is None else layout.trails[index]
        self.after_comment = bool(trail)
        last = len(layout.commas) - 1
        if position == self.count - 1:
            comma = layout.commas[-1]
        elif index is None or index == last:
            comma = layout.commas[0] or ","
        else:
            comma = layout.commas[index]
        return lead, comma, trail

    def lead(self, position: int, index: int | None) -> str:
        """Give what stands before an item."""
        leads = self.layout.leads
        own = "" if index is None else leads[index]
        if "#" in own or (self.open_lines and index is not None):
            return own
        if self.open_lines:
            return self.template
        if not position:
            return "" if "#" in leads[0] else leads[0]
        if self.moved:
            own = leads[position] if position < len(leads) else ""
            return self.template if "#" in own or not own else own
        return own if index else self.template

    def closing(self, trail: str) -> str:
        """Give what stands behind the last item, up to the bracket."""
        closing = self.layout.closing
        if trail and not _HAS_LINE_END.search(closing):
            return self.line_end + closing
        return closing


def _layout(text: str, node: Collection) -> _Layout:
    """Find out what stands around the items of a collection."""
    starts = [part.start for part in node.keys or node.values]
    first = _AFTER_BRACKET.match(text, node.inner + 1)
    # A comment behind the bracket is about all of it.
    opened = first.end() if first and "#" in first[0] else node.inner + 1
    leads, commas, trails = [text[opened : starts[0]]], [], []
    ends = [value.end for value in node.values]
    for end, following in zip(ends, [*starts[1:], node.end - 1], strict=True):
        match = _AFTER_ITEM.match(text, end, following)
        comma, comment = match.groups() if match else ("", "")
        commas.append(comma or "")
        trails.append(comment or "")
        leads.append(text[match.end() if match else end : following])
    closing = leads.pop() + text[node.end - 1]
    return _Layout(text[node.inner : opened], leads, commas, trails, closing)


def _last_line(lead: str) -> str | None:
    """Give what the line of an item begins with; None where that is not the item's own."""
    lines = _LINE_END.split(lead)
    return lines[-1] if len(lines) > 1 else None
