"""A text laid out anew: the same data and the same comments, and one way to write them.

The values are found with the comments that belong to them, the keys are put in order, and all is
written again. The result is read back and compared; one that says anything else is never given.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import Any, TypeAlias

from attrs import define, field, frozen

from subspec.problems import DUPLICATE_KEY, Path, errors_in
from subspec.source.compare import MISSING, same, value_at
from subspec.source.document import Document
from subspec.source.edit import NotFaithfulError
from subspec.source.emit import Layout, YamlWriter, block_body, block_header
from subspec.source.frontmatter import FENCE, Fences, find_fences, read_front_matter
from subspec.source.json import read_json
from subspec.source.scalars import BadNumberError, resolve
from subspec.source.tree import Alias, Collection, Node, Scalar, is_merge, nodes_in, tree_of
from subspec.source.yaml import read_yaml

Order: TypeAlias = Callable[[Path], Sequence[str] | None]
"""Gives the order of the keys that are known of the mapping at a path; None: it stays."""

_STEP = 2
_WIDTH = 88
# What is longer is no simple key, for which readers look on one line only.
_LONGEST_KEY = 120

_OF_FILES = Layout()
_OF_FRONT_MATTER = Layout(forbidden=FENCE, block_keys=frozenset())

_LINE_END = re.compile(r"\r\n|\r|\n")
_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*(#[^\r\n]*)?")
# What may be more than text, and can be written as it is anywhere.
_WORD = re.compile(r"~|[-+.]?\w[-+.\w]*|")
_PROPERTY = re.compile(r"#[^\r\n]*|([!&][^ \t\r\n]*)")
_STANDARD_TAG = re.compile(r"!|(?:!!|!<tag:yaml\.org,2002:)(?:str|int|float|bool|null|map|seq)>?")
_TOKEN = re.compile(
    r"""
    (?P<blanks> [ \t\r\n]+ )
    | (?P<comment> \#[^\r\n]* )
    | (?P<mark>                                  # a directive, or what begins or ends a document
        (?<! [^\r\n] ) (?: %[^\r\n]*? (?= [ \t]* (?: [ \t]\# | [\r\n] | \Z ) )
        | (?: --- | \.\.\. ) (?= [ \t\r\n] | \Z ) )
    )
    | (?P<sign> [-?] )                           # what begins an entry
    | [!&][^ \t\r\n]*
    | .
    """,
    re.VERBOSE,
)


def laid_out(
    document: Document,
    order: Order,
    *,
    fences: Fences | None = None,
    apart: Path | None = None,
) -> str:
    """Write a document in the canonical layout: same data, same comments, one way to write them.

    Args:
        document: The document.
        order: Says in which order the keys of a mapping stand. Those that it does not name keep
            their order, and stand behind those that it does.
        fences: Where its front matter stands, if the document is one.
        apart: The path of a mapping whose entries a blank line sets apart, if one of them is
            itself a mapping.

    Returns:
        The whole text.

    Raises:
        NotFaithfulError: It cannot be read, or there is no way found to write it so.
    """
    if not document.readable or _repeats_keys(document):
        raise NotFaithfulError
    tree = tree_of(document, fences).root
    text = _written(document, tree, order, fences, apart)
    _see_that_it_says(text, document, tree, fences, apart)
    return text


def _written(
    document: Document, tree: Node, order: Order, fences: Fences | None, apart: Path | None
) -> str:
    """Write a document."""
    if document.media == "json":
        lines = list(_JsonLines(document.text, order).of("", tree, document.data, ()))
    else:
        outline = _Outline(document, tree, fences)
        _arrange(outline.root, order, ())
        if apart is not None:
            _set_apart(outline.root, apart)
        lines = _YamlLines(document.text, _OF_FILES if fences is None else _OF_FRONT_MATTER).of(
            outline
        )
    line_end = _line_end_of(document.text)
    text = line_end.join([*lines, ""])
    return text if fences is None else _between_fences(text, document.text, fences, line_end)


def _repeats_keys(document: Document) -> bool:
    """Tell whether a document of JSON has a key again, of which neither data nor tree knows."""
    codes = (problem.code for problem in document.problems)
    return document.media == "json" and DUPLICATE_KEY.name in codes


def _line_end_of(text: str) -> str:
    """Give the line end that most lines have."""
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"


def _between_fences(front: str, text: str, fences: Fences, line_end: str) -> str:
    """Put front matter between its fences, and the body behind them as it is."""
    before = text[fences.end + len(FENCE) : fences.body_start]
    # The blanks that indent the first line of the body are text to readers of Markdown.
    indent = before[before.rfind("\n") + 1 :] if "\n" in before else ""
    body = text[fences.body_start : fences.body_end]
    rest = f"{line_end}{indent}{body}{line_end}" if body else ""
    return f"{FENCE}{line_end}{front}{FENCE}{line_end}{rest}"


def _region(text: str, fences: Fences | None) -> tuple[int, int]:
    """Give where the data and its comments stand."""
    return (0, len(text)) if fences is None else (fences.start, fences.end)


# What was written is read back.


def _see_that_it_says(
    text: str, document: Document, tree: Node, fences: Fences | None, apart: Path | None
) -> None:
    """Refuse a text that says something else than a document.

    Raises:
        NotFaithfulError: It does.
    """
    found, found_fences = _read(text, document, fences)
    if not found.readable or len(errors_in(found.problems)) > len(errors_in(document.problems)):
        raise NotFaithfulError
    if not _same(document.data, found.data, apart):
        raise NotFaithfulError
    if document.media == "json":
        return
    written = Counter(_comments(found.text, tree_of(found, found_fences).root, found_fences))
    if written != Counter(_comments(document.text, tree, fences)):
        raise NotFaithfulError


def _read(text: str, document: Document, fences: Fences | None) -> tuple[Document, Fences | None]:
    """Read a text as what a document is; it is not readable where its body is another one."""
    if fences is None:
        return (read_json if document.media == "json" else read_yaml)(text), None
    found = find_fences(text)
    if found is None or _body(text, found) != _body(document.text, fences):
        return Document(text, readable=False), None
    return read_front_matter(text, found), found


def _body(text: str, fences: Fences) -> str:
    return text[fences.body_start : fences.body_end]


def _same(one: Any, other: Any, ordered: Path | None) -> bool:
    """Tell whether two values are the same, with the same order of keys at a path."""
    if not same(one, other, ordered=False):
        return False
    before, after = (value_at(each, ordered or ()) for each in (one, other))
    return ordered is None or not isinstance(before, dict) or list(before) == list(after)


def _comments(text: str, tree: Node, fences: Fences | None) -> Iterator[str]:
    """Give all comments: what begins with a sign for one, and stands in no value."""
    position, bottom = _region(text, fences)
    for node in nodes_in(tree):
        if isinstance(node, Collection):
            continue
        yield from _comments_between(text, position, _words_start(node))
        if comment := _header_comment(text, node):
            yield comment
        position = node.end
    yield from _comments_between(text, position, bottom)


def _comments_between(text: str, start: int, end: int) -> Iterator[str]:
    for token in _TOKEN.finditer(text, start, end):
        if token["comment"] is not None:
            yield token[0]


def _words_start(node: Scalar | Alias) -> int:
    """Give where a value begins, behind its anchor and its tag."""
    # Where nothing stands behind them, the place of that is one further on.
    return node.start if isinstance(node, Alias) else min(node.inner, node.end)


def _header_comment(text: str, node: Scalar | Alias) -> str | None:
    """Give the comment behind the sign of a block of text, if there is one."""
    if isinstance(node, Alias) or node.style not in ("|", ">"):
        return None
    header = _HEADER.match(text, node.inner)
    return None if header is None else header[1]


# Values, with the comments that belong to them.


@define(eq=False)
class _Entry:
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

    entries: "list[_Entry]" = field(factory=list)
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


_Block: TypeAlias = tuple[int, _Entry]
"""A mapping or a list without brackets, and the column from which on a comment is in it."""


class _Outline:
    """Goes through a document and makes entries of it, each with its comments."""

    def __init__(self, document: Document, tree: Node, fences: Fences | None) -> None:
        self.document = document
        self.text = document.text
        top, bottom = _region(self.text, fences)
        self.position = top
        self.keeps_tags = "%TAG" in self.text[top : tree.start]
        self.root = _Entry(None, tree)
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

    def fill(self, entry: _Entry, data: Any) -> None:
        """Take a value, and all that is in it."""
        node = entry.value
        if isinstance(node, Collection):
            self.fill_container(entry, node, data)
            return
        if isinstance(node, Scalar):
            words = _words_start(node)
            entry.prefix = self.take_properties(entry, node.start, words, keep=data is MISSING)
            is_odd = data is MISSING and not _WORD.fullmatch(self.text, words, node.end)
            entry.data = node.value if is_odd else data
        if comment := _header_comment(self.text, node):
            entry.remark(comment)
        self.position = node.end
        self.last = entry
        _hand_up(entry, entry.opening)

    def fill_container(self, entry: _Entry, node: Collection, data: Any) -> None:
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

    def children(self, node: Collection, data: Any) -> Iterator[tuple[_Entry, Any]]:
        """Give the entries of a container, each with its data."""
        if node.kind == "list":
            items = data if isinstance(data, list) else [MISSING] * len(node.values)
            for value, item in zip(node.values, items, strict=True):
                yield _Entry(None, value), item
            return
        for key, value in zip(node.keys, node.values, strict=True):
            name = self.document.key_at(data, key.start) if isinstance(data, dict) else None
            if name is None:
                name = str(getattr(key, "value", ""))
                yield _Entry(key, value, name, is_known=False), MISSING
            else:
                yield _Entry(key, value, name), data[name]

    def take_gap(self, entry: _Entry, ended: list[_Block]) -> None:
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

    def take_key(self, entry: _Entry) -> None:
        """Take a key, if there is one, and what stands between it and its value."""
        key = entry.key
        if key is None:
            return
        if isinstance(key, Collection):
            if _LINE_END.search(self.text, key.start, key.end):
                raise NotFaithfulError
        else:
            entry.key_prefix = self.take_properties(entry, key.start, _words_start(key), keep=True)
        self.position = key.end
        self.take_inside(entry, entry.value.start)

    def take_inside(self, entry: _Entry, end: int) -> None:
        """Take the comments that stand within an entry, before its value."""
        for token in self.tokens(end):
            if token.kind == "comment" and token.column is None:
                entry.remark(token.text)
            else:
                entry.opening.append(token.text)

    def take_properties(self, entry: _Entry, start: int, end: int, *, keep: bool = False) -> str:
        """Take an anchor and a tag with the comments between them; give how they are written."""
        self.position = start
        self.take_inside(entry, end)
        found = (match[1] for match in _PROPERTY.finditer(self.text, start, end) if match[1])
        keeps = self.keeps_tags or keep
        return " ".join(each for each in found if keeps or not _STANDARD_TAG.fullmatch(each))

    def take_closing(self, entry: _Entry, end: int) -> None:
        """Take what stands before a closing bracket."""
        for token in self.tokens(end - 1):
            if token.kind == "comment" and token.column is None:
                self.last.remark(token.text)
            elif token.kind == "comment":
                (entry.below if entry.entries else entry.above).append(token.text)
        self.position = end
        self.last = entry

    def blocks_ended(self, entry: _Entry, column: int) -> Iterator[_Block]:
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
        for match in _TOKEN.finditer(self.text, start, end):
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


def _hand_up(entry: _Entry, lines: list[str]) -> None:
    """Put comments above an entry that cannot stand in it."""
    comments = list(filter(None, lines))
    if comments and entry.behind:
        comments.insert(0, entry.behind)
        entry.behind = ""
    entry.above += comments
    lines.clear()


def _hand_down(entry: _Entry, lines: list[str]) -> None:
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


def _resolved(text: str) -> Any:
    try:
        return resolve(text)
    except BadNumberError:
        return 0


# The order of keys.


def _arrange(entry: _Entry, order: Order, path: Path) -> None:
    """Put the entries of a value in order, and those in them."""
    known = order(path)
    if known is not None and entry.is_a("mapping"):
        entry.entries = _in_order(entry.entries, known)
    for index, child in enumerate(entry.entries):
        _arrange(child, order, (*path, index if child.key is None else child.name))


def _in_order(entries: list[_Entry], known: Sequence[str]) -> list[_Entry]:
    """Sort entries by their keys; an anchor stays before its aliases, whatever that takes."""
    ranks = {name: rank for rank, name in enumerate(known)}

    def rank(entry: _Entry) -> int:
        merges = entry.key is not None and is_merge(entry.key)
        return -1 if merges else ranks.get(entry.name, len(ranks))

    ordered = sorted(entries, key=rank)
    tied = filter(_is_tied, entries)
    return ordered if list(filter(_is_tied, ordered)) == list(tied) else entries


def _is_tied(entry: _Entry) -> bool:
    """Tell whether an anchor or an alias stands in an entry."""
    nodes = chain(nodes_in(entry.value), () if entry.key is None else nodes_in(entry.key))
    return any(isinstance(node, Alias) or node.anchor is not None for node in nodes)


def _set_apart(root: _Entry, path: Path) -> None:
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


# What is written.


class _YamlLines:
    """Writes entries as lines of YAML."""

    def __init__(self, text: str, layout: Layout) -> None:
        self.text = text
        self.layout = layout
        self.writer = YamlWriter(layout)
        self.lines: list[str] = []
        # Whether a blank line may not come next: at the top, behind the key of a block, and
        # behind a text that keeps all blank lines behind it.
        self.packed = True

    def of(self, outline: _Outline) -> list[str]:
        """Give the lines of a document."""
        root = outline.root
        self.settle(root, -_STEP)
        self.remarks(self.above(root), 0)
        self.write("", root, -_STEP)
        self.remarks(outline.tail, 0)
        return self.lines

    # What has to be known before a line is written.

    def settle(self, entry: _Entry, indent: int) -> None:
        """Decide how keys are written, and which lists stand in brackets.

        The root has no head that it could be indented behind: it is taken for one level further
        out than its entries, which makes them begin at the margin.
        """
        if entry.key is not None:
            entry.label = self.label(entry, entry.key)
        for child in entry.entries:
            self.settle(child, indent + _STEP)
        if entry.is_a("list"):
            label = entry.label if len(entry.label) <= _LONGEST_KEY else ""
            room = _WIDTH if indent < 0 else _WIDTH - indent - len(label) - len(": ")
            entry.brackets = self.brackets(entry, room)

    def label(self, entry: _Entry, key: Node) -> str:
        """Write a key."""
        if isinstance(key, Collection):
            return self.text[key.start : key.end]
        written = self.text[_words_start(key) : key.end]
        if isinstance(key, Alias):
            # A colon could belong to its name.
            return f"{written} "
        is_text = entry.name == key.value and isinstance(_resolved(written), str)
        if key.style or (is_text and entry.is_known):
            written = self.writer.string(entry.name)
        return _joined(entry.key_prefix, written)

    def brackets(self, entry: _Entry, room: int) -> str | None:
        """Write a list in brackets; None where it does not fit, or is more than a few words."""
        if not entry.entries or entry.holds_comments() or not all(map(self.is_word, entry.entries)):
            return None
        words = ", ".join(self.on_one_line(child, flow=True) for child in entry.entries)
        written = _joined(entry.prefix, f"[{words}]")
        return written if len(written) <= room else None

    def is_word(self, entry: _Entry) -> bool:
        """Tell whether a value can stand in brackets with others."""
        return (
            not isinstance(entry.value, Collection)
            and "!" not in entry.prefix
            and not self.is_block(entry)
        )

    def is_block(self, entry: _Entry, *, root: bool = False) -> bool:
        """Tell whether a value becomes a block of text."""
        force = entry.key is not None and entry.name in self.layout.block_keys
        return isinstance(entry.data, str) and self.writer.goes_to_block(
            entry.data, force=force, root=root
        )

    def above(self, entry: _Entry) -> list[str]:
        """Give all that stands above the line on which an entry begins."""
        if not entry.is_compact:
            return entry.above
        inside = filter(None, (entry.behind, *entry.opening))
        return [*entry.above, *inside, *self.above(entry.entries[0])]

    # Lines.

    def line(self, text: str, behind: str = "") -> None:
        """Write a line, with the comment on it."""
        self.lines.append(f"{text}  {behind}" if behind else text)
        self.packed = False

    def remarks(self, lines: list[str], indent: int) -> None:
        """Write comments and blank lines."""
        for line in lines:
            if line:
                self.line(" " * indent + line)
                # No blank line follows what begins or ends a document.
                self.packed = line[0] != "#"
            elif self.lines and self.lines[-1] and not self.packed:
                self.lines.append("")

    def write(self, head: str, entry: _Entry, indent: int) -> None:
        """Write a value; `head` is what stands before it on its line, at `indent` or further in."""
        inner = indent + _STEP
        if entry.is_compact:
            self.entries(f"{head} " if head else "", entry, inner)
        elif entry.is_open:
            self.line(_joined(head, entry.prefix), entry.behind)
            self.packed = True
            self.remarks(entry.opening, inner)
            self.entries("", entry, inner)
        elif self.is_block(entry, root=not head):
            sign = _joined(entry.prefix, block_header(entry.data, _STEP))
            self.line(_joined(head, sign), entry.behind)
            self.lines.extend(block_body(entry.data, " " * (inner or _STEP)))
            self.packed = sign.endswith("+")
        else:
            written = entry.brackets or self.on_one_line(entry)
            self.line(_joined(head, written), entry.behind)

    def entries(self, lead: str, entry: _Entry, indent: int) -> None:
        """Write the entries of a value; `lead` is what stands on the line of the first already."""
        is_first = entry.is_compact
        for child in entry.entries:
            if not is_first:
                self.remarks(self.above(child), indent)
            lead = lead or " " * indent
            if child.key is None:
                lead += "-"
            elif len(child.label) > _LONGEST_KEY:
                self.line(f"{lead}? {child.label}")
                lead = " " * indent + ":"
            else:
                lead += f"{child.label}:"
            self.write(lead, child, indent)
            lead, is_first = "", False
        self.remarks(entry.below, indent)

    def on_one_line(self, entry: _Entry, *, flow: bool = False) -> str:
        """Write a value that is no container, or an empty one."""
        return _joined(entry.prefix, self.words(entry, flow=flow))

    def words(self, entry: _Entry, *, flow: bool) -> str:
        """Write it without its anchor and its tag."""
        node, data = entry.value, entry.data
        if isinstance(node, Collection):
            return "{}" if node.kind == "mapping" else "[]"
        written = self.text[_words_start(node) : node.end]
        is_number = isinstance(data, int | float) and not isinstance(data, bool)
        if data is MISSING or (is_number and written[0] not in "'\""):
            # How a number is spelt has its reasons.
            return written
        if "!" in entry.prefix and not written:
            return ""
        return self.writer.on_one_line(data, flow=flow)


def _joined(first: str, second: str) -> str:
    """Put a blank between two words, if there are two."""
    return f"{first} {second}" if first and second else first or second


class _JsonLines:
    """Writes JSON; its texts and numbers stay as they are."""

    def __init__(self, text: str, order: Order) -> None:
        self.text = text
        self.order = order

    def of(self, head: str, node: Node, data: Any, path: Path, tail: str = "") -> Iterator[str]:
        """Give the lines of a value; `head` and `tail` are what stands around it."""
        line = self.on_one_line(node)
        if line is not None:
            line = f"{head}{line}{tail}"
            if len(line) <= _WIDTH or not _has_entries(node):
                yield line
                return
        opening, closing = "{}" if isinstance(data, dict) else "[]"
        pad = " " * (len(head) - len(head.lstrip(" ")))
        yield head + opening
        entries = list(self.entries(node, data, path))
        for position, (label, value, part) in enumerate(entries, 1):
            comma = "," if position < len(entries) else ""
            inner = f"{pad}{' ' * _STEP}{label}"
            yield from self.of(inner, value, data[part], (*path, part), comma)
        yield f"{pad}{closing}{tail}"

    def on_one_line(self, node: Node) -> str | None:
        """Write a value on one line; None for a mapping, and for a list of more than scalars."""
        if not isinstance(node, Collection):
            return self.text[node.start : node.end]
        if node.keys or any(isinstance(value, Collection) for value in node.values):
            return None
        opening, closing = "{}" if node.kind == "mapping" else "[]"
        values = (self.text[value.start : value.end] for value in node.values)
        return f"{opening}{', '.join(values)}{closing}"

    def entries(self, node: Any, data: Any, path: Path) -> Iterator[tuple[str, Node, str | int]]:
        """Give how the key of each entry is written, its value and its key, in order."""
        if isinstance(data, list):
            yield from (("", value, index) for index, value in enumerate(node.values))
            return
        ranks = {name: rank for rank, name in enumerate(self.order(path) or ())}
        names = list(data)
        for place in sorted(range(len(names)), key=lambda at: ranks.get(names[at], len(ranks))):
            key = node.keys[place]
            yield f"{self.text[key.start : key.end]}: ", node.values[place], names[place]


def _has_entries(node: Node) -> bool:
    return isinstance(node, Collection) and bool(node.values)
