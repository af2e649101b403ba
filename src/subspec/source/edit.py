"""A text in which some values are changed, and nothing else.

The data that is wanted is compared with what the text says, along the way it is written, and only
the text of what differs is made anew: in the style of what stood there, or of what stands around
it. The result is read back and compared; one that would say anything else is never given.
"""

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Mapping
from difflib import SequenceMatcher
from typing import Any

from attrs import define, evolve, frozen

from subspec.problems import Path, errors_in
from subspec.source.compare import MISSING, differing, same
from subspec.source.document import Document
from subspec.source.emit import Layout, YamlWriter, block_body, block_header, checked
from subspec.source.folded import fold_text
from subspec.source.frontmatter import FENCE, Fences, find_fences, read_front_matter
from subspec.source.json import read_json
from subspec.source.jsonstyle import JsonWriter
from subspec.source.tree import Alias, Collection, Node, Scalar, is_merge, nodes_in, tree_of
from subspec.source.yaml import read_yaml

_ATTEMPTS = 5
_LOOKED_AT = 5_000
_LINE_END = re.compile(r"\r\n|\r|\n")
_EMPTY_LINE = re.compile(r"[ \t]*(#[^\r\n]*)?(\r\n|\r|\n|$)")
_INDENT = re.compile(r"[ \t]*")
_BLOCK_SIGN = re.compile(r"[|>][-+0-9]*")
_AFTER_ITEM = re.compile(r"([ \t\r\n]*,)?([ \t]+#[^\r\n]*)?")
_BLOCKS = ("|", ">")


class NotFaithfulError(Exception):
    """There is no way found to say what is wanted; :attr:`path` leads to it as far as known."""

    def __init__(self, path: Path = ()) -> None:
        self.path = path
        super().__init__(path)


def rewrite(
    document: Document,
    wanted: Any,
    *,
    fences: Fences | None = None,
    renames: Mapping[Path, str] | None = None,
) -> str:
    """Write a document so that it says something else.

    Args:
        document: The document, which can be read.
        wanted: The data that it is to hold. The order of a mapping is the order in which it is
            written; what its text says already is not touched.
        fences: Where its front matter stands, if the document is one.
        renames: Keys that are to be called otherwise, by their paths as they are now. In what is
            wanted they have their new names.

    Returns:
        The whole text.

    Raises:
        NotFaithfulError: What is wanted cannot be said there.
        TypeError: A value is none that a file can hold.
        ValueError: A number or a text is none that a file can hold.
    """
    checked(wanted)
    if same(document.data, wanted) and not renames:
        return document.text
    tree = tree_of(document, fences)
    forced: dict[Path, int] = {}
    expand, wrong = False, ()
    for _ in range(_ATTEMPTS):
        editor = _Editor(document, tree, wanted, fences, renames or {}, forced, expand=expand)
        text = editor.edited()
        found = _read(text, document, fences)
        worse = len(errors_in(found.problems)) > len(errors_in(document.problems))
        if found.readable and not worse and same(found.data, wanted, ordered=False):
            return text
        if found.readable and (expand or not worse):
            # What reads back wrong is made anew, in quotes if that is not enough. The order of
            # what a merge key takes in cannot be chosen, and says nothing.
            wrong = tuple(differing(found.data, wanted))
            for path in wrong:
                forced[path] = forced.get(path, 0) + 1
        elif not expand:
            # An alias may stand before its anchor now, or have lost it.
            expand = True
        else:
            forced[()] = 2
    raise NotFaithfulError(wrong[0] if wrong else ())


def _read(text: str, document: Document, fences: Fences | None) -> Document:
    if fences is None:
        return read_json(text) if document.media == "json" else read_yaml(text)
    found = find_fences(text)
    if found is None or text[found.end :] != document.text[fences.end :]:
        # Dashes in a value have ended the front matter.
        return Document(text, readable=False)
    return read_front_matter(text, found)


@frozen
class _Part:
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


@define
class _Result:
    """An entry as it is to be written."""

    text: str
    part: _Part | None = None


class _Editor:
    """Makes one text of another."""

    def __init__(
        self,
        document: Document,
        tree: Node,
        wanted: Any,
        fences: Fences | None,
        renames: Mapping[Path, str],
        forced: Mapping[Path, int],
        *,
        expand: bool,
    ) -> None:
        self.document = document
        self.text = document.text
        self.tree = tree
        self.wanted = wanted
        self.fences = fences
        self.renames = renames
        self.forced = forced
        self.expand = expand
        self.top = 0 if fences is None else fences.start
        self.bottom = len(self.text) if fences is None else fences.end
        self.is_json = document.media == "json"
        self.line_end = _line_end_of(self.text)
        self.parts_of: dict[int, list[_Part]] = {}
        self.style = _Style.of(self)
        self.json = JsonWriter.of(self.text) if self.is_json else None
        self.planned: dict[int, Any] = {}
        self.plan(tree, document.data, wanted, ())
        self.loose = self.loose_aliases()

    def edited(self) -> str:
        """Give the text."""
        node, text = self.tree, self.text
        wanted, old = self.wanted, self.document.data
        if _is_block(node) and type(wanted) is type(old):
            start, end = self.region(node)
            block = self.block(node, old, wanted, ())
            if block is not None:
                return text[:start] + block + text[end:]
            return text[:start] + self.style.writer().flow(wanted) + self.line_end + text[end:]
        if not self.is_json and isinstance(node, Collection) and not node.values:
            writer = self.style.writer()
            writer.node("", wanted, 0)
            return text[: node.start] + self.line_end.join(writer.lines) + text[node.end :]
        return text[: node.start] + self.inline(node, old, wanted, ()) + text[node.end :]

    # What is wanted where an anchor stands, which is what its aliases say.

    def plan(self, node: Node, old: Any, wanted: Any, path: Path) -> None:
        """Note what is wanted of each value with an anchor, at the place where it stands."""
        if isinstance(node, Alias):
            return
        if node.anchor is not None:
            self.planned[id(node)] = old, wanted
        if not isinstance(node, Collection) or type(old) is not type(wanted):
            return
        if node.kind == "mapping":
            for key, value in zip(node.keys, node.values, strict=True):
                name = self.name(key, old)
                new = self.renames.get((*path, name), name)
                if not is_merge(key) and name in old and new in wanted:
                    self.plan(value, old[name], wanted[new], (*path, name))
        else:
            for index, item in _aligned(old, wanted):
                if index is not None:
                    self.plan(node.values[index], old[index], item, (*path, index))

    def loose_aliases(self) -> list[int]:
        """Give where the aliases stand that no longer say what they did."""
        return sorted(
            node.start
            for node in nodes_in(self.tree)
            if isinstance(node, Alias)
            and (self.expand or not same(*self.planned.get(id(node.target), (MISSING, None))))
        )

    def said_by(self, alias: Alias) -> Any:
        """Give what an alias will say."""
        return MISSING if self.expand else self.planned.get(id(alias.target), (None, MISSING))[1]

    def name(self, key: Node, data: Mapping[str, Any]) -> str:
        """Give the name of a key, as the data has it."""
        found = self.document.key_at(data, key.start)
        # Of equal keys only the last one has a place.
        return str(getattr(key, "value", "")) if found is None else found

    def is_untouched(self, node: Node, old: Any, wanted: Any, path: Path) -> bool:
        """Tell whether the text of a value stays as it is."""
        if not same(old, wanted):
            return False
        if self.forced and any(
            path[: len(key)] == key or key[: len(path)] == path for key in self.forced if key
        ):
            return False
        if self.renames and any(key[: len(path)] == path for key in self.renames):
            return False
        position = bisect_left(self.loose, node.start)
        return not (position < len(self.loose) and self.loose[position] < max(node.end, 1))

    # Values in brackets, in JSON, or on the line of their key.

    def inline(self, node: Node, old: Any, wanted: Any, path: Path, *, flow: bool = True) -> str:
        """Write a value that stands in brackets."""
        text = self.text
        if self.is_untouched(node, old, wanted, path):
            return text[node.start : node.end]
        if isinstance(node, Alias):
            if not self.expand and same(self.said_by(node), wanted):
                return text[node.start : node.end]
            return self.fresh_flow(wanted, self.column(node.start))
        anchor = f"&{node.anchor} " if node.anchor is not None else ""
        if isinstance(node, Collection):
            if node.flow and type(old) is type(wanted) and wanted and node.values:
                return text[node.start : node.inner] + self.flow(node, old, wanted, path)
            return anchor + self.fresh_flow(wanted, self.column(node.start))
        if isinstance(wanted, dict | list):
            return anchor + self.fresh_flow(wanted, self.column(node.start))
        written = anchor + self.scalar(node, wanted, path, flow=flow)
        if node.start == node.end and not self.is_json:
            # Nothing stands there, often not even a colon.
            before = text[: node.start].rstrip(" \t")[-1:]
            return f" {written}" if before in (":", "-", ",", "[") else f": {written}"
        return written

    def scalar(self, node: Scalar, wanted: Any, path: Path, *, flow: bool) -> str:
        """Write a value on one line, in the quotes that stand there."""
        if self.json is not None:
            return self.json.scalar(wanted)
        writer = self.style.writer()
        if not isinstance(wanted, str):
            return writer.on_one_line(wanted, flow=flow)
        if self.force_of(path) > 1 or node.style == '"':
            return writer.double(wanted)
        if node.style == "'":
            return writer.single(wanted) or writer.double(wanted)
        return writer.string(wanted, flow=flow)

    def force_of(self, path: Path) -> int:
        """Tell how often a value has read back wrong."""
        return max(self.forced.get(path, 0), self.forced.get((), 0))

    def fresh_flow(self, wanted: Any, column: int) -> str:
        """Write a value that stood in brackets, or on the line of its key, anew."""
        if self.json is not None:
            return self.json.value(wanted, column)
        return self.style.writer().flow(wanted)

    def flow(self, node: Collection, old: Any, wanted: Any, path: Path) -> str:
        """Write a mapping or a list in brackets."""
        if node.kind == "mapping":
            entries = self.entries_of_mapping(node, old, wanted, path)
        else:
            entries = [(index, item, None) for index, item in _aligned(old, wanted)]
        text, starts = self.text, [part.start for part in node.keys or node.values]
        ends = [value.end for value in node.values]
        leads, trails, commas = [text[node.inner + 1 : starts[0]]], [], []
        for index, end in enumerate(ends):
            last = index == len(ends) - 1
            after = text[end : node.end - 1 if last else starts[index + 1]]
            match = _AFTER_ITEM.match(after)
            comma, comment = match.groups() if match else ("", "")
            commas.append(comma or "")
            trails.append(comment or "")
            rest = after[match.end() if match else 0 :]
            leads.append(rest)
        closing = leads.pop()
        open_lines = all("\n" in lead for lead in leads)
        travels = any("#" in lead for lead in leads)
        template = re.sub(r"#[^\r\n]*", "", leads[-1]) if open_lines else " "
        if open_lines:
            template = self.line_end + template.rpartition("\n")[2]
        if len(leads) > 1 and not open_lines:
            template = leads[1] if "\n" not in leads[1] else " "
        elif self.json is not None and not open_lines:
            template = self.json.item_gap
        pieces = [text[node.inner]]
        for position, (found, item, name) in enumerate(entries):
            last = position == len(entries) - 1
            is_new = found is None
            if is_new or not (travels or open_lines):
                lead = (
                    leads[0]
                    if position == 0 and not open_lines
                    else (
                        leads[position]
                        if position < len(leads) and not is_new and not open_lines
                        else template
                    )
                )
            else:
                lead = leads[found]
            column = self.column(starts[-1]) if open_lines else self.column(node.start)
            pieces.append(lead)
            pieces.append(self.flow_item(node, found, old, item, name, path, column))
            pieces.append((commas[-1] if last else ",") + ("" if is_new else trails[found]))
        if entries and entries[-1][0] is None and open_lines and "\n" not in closing:
            closing = self.line_end + closing.lstrip()
        return "".join(pieces) + closing + text[node.end - 1]

    def flow_item(
        self,
        node: Collection,
        found: int | None,
        old: Any,
        item: Any,
        name: str | None,
        path: Path,
        column: int,
    ) -> str:
        """Write an item of a list or a pair of a mapping that stands in brackets."""
        if found is None:
            value = self.fresh_flow(item, column)
            return value if name is None else f"{self.key(name)}{self.colon()}{value}"
        value_node = node.values[found]
        if name is None:
            return self.inline(value_node, old[found], item, (*path, found))
        key = node.keys[found]
        if item is MISSING:  # what is merged
            return self.text[key.start : value_node.end]
        before = self.name(key, old)
        written = self.text[key.start : key.end] if before == name else self.key(name)
        value = self.inline(value_node, old.get(before), item, (*path, before))
        return written + self.text[key.end : value_node.start] + value

    def key(self, name: str) -> str:
        """Write a key."""
        return (
            self.json.scalar(name)
            if self.json is not None
            else self.style.writer().string(name, flow=True)
        )

    def colon(self) -> str:
        """Give what stands between a key and its value in brackets."""
        return self.json.colon if self.json is not None else ": "

    # Which entries a mapping is to have.

    def entries_of_mapping(
        self, node: Collection, old: Any, wanted: Any, path: Path
    ) -> list[tuple[int | None, Any, str]]:
        """Give the pairs that a mapping is to have: their places now, values and names.

        What a merge key takes in and is wanted like that needs no pair. The merge key itself has
        the value :data:`MISSING`.
        """
        own: dict[str, int] = {}
        merges: list[int] = []
        earlier: dict[int, str] = {}
        for index, key in enumerate(node.keys):
            if is_merge(key):
                merges.append(index)
                continue
            name = self.name(key, old)
            new = self.renames.get((*path, name), name)
            if new in own:
                # Of equal keys the last one counts; the others stay as long as it does.
                earlier[own[new]] = new
            own[new] = index
        inherited = self.inherited([node.values[index] for index in merges], old)
        hidden = None if inherited is None else inherited.keys() - own.keys() - wanted.keys()
        back = inherited is not None and any(
            name in inherited for name in own if name not in wanted
        )
        if merges and (inherited is None or hidden or back):
            merges, inherited = [], {}
        needed = [
            name
            for name in wanted
            if name in own or not same((inherited or {}).get(name, MISSING), wanted[name])
        ]
        kept: list[tuple[int | None, Any, str]] = [
            (index, wanted[name], name) for name, index in own.items() if name in wanted
        ]
        kept += [(index, MISSING, "<<") for index in merges]
        kept += [(index, MISSING, name) for index, name in earlier.items() if name in wanted]
        kept.sort(key=lambda entry: entry[0] or 0)
        order = [name for _, value, name in kept if value is not MISSING]
        if order != [name for name in needed if name in own]:
            fixed = [entry for entry in kept if entry[1] is MISSING]
            moved: list[tuple[int | None, Any, str]] = [
                (own[name], wanted[name], name) for name in needed if name in own
            ]
            kept = fixed + moved
        for position, name in enumerate(needed):
            if name not in own:
                before = needed[position - 1] if position else None
                places = [place for place, entry in enumerate(kept) if entry[2] == before]
                place = (
                    places[-1] + 1 if places else sum(1 for entry in kept if entry[1] is MISSING)
                )
                kept.insert(place, (None, wanted[name], name))
        return kept

    def inherited(self, sources: list[Node], old: Mapping[str, Any]) -> dict[str, Any] | None:
        """Give what merge keys will take in; None where that is no longer what is meant."""
        found: dict[str, Any] = {}
        for source in sources:
            is_list = isinstance(source, Collection) and source.kind == "list"
            for each in source.values if is_list else [source]:  # type: ignore[union-attr]
                if isinstance(each, Alias):
                    said = self.said_by(each)
                    if not isinstance(said, dict):
                        return None
                else:
                    names = [self.text[key.start : key.end] for key in getattr(each, "keys", [])]
                    said = {name: old[name] for name in names if name in old}
                found = {**said, **found}
        return found

    # Blocks: one entry a line and more.

    def block(self, node: Collection, old: Any, wanted: Any, path: Path) -> str | None:
        """Write a mapping or a list without brackets; None where nothing is left of it."""
        if node.kind == "mapping":
            entries = self.entries_of_mapping(node, old, wanted, path)
        else:
            entries = [(index, item, None) for index, item in _aligned(old, wanted)]
        if not entries:
            return None
        parts = self.parts(node)
        column = self.column(parts[0].head)
        results = []
        for found, item, name in entries:
            if found is None:
                results.append(_Result(self.fresh_entry(name, item, column, path)))
            else:
                text = self.entry(node, found, old, item, name, path, column)
                results.append(_Result(text, parts[found]))
        return self.assembled(parts, results, column)

    def assembled(self, parts: list[_Part], results: list[_Result], column: int) -> str:
        """Put entries one below the other, with what stood between them."""
        kept = [result.part for result in results if result.part is not None]
        moved = kept != [part for part in parts if part in kept]
        gaps = [part.gap for part in parts if part in kept] if moved else []
        spaced = len(parts) > 1 and sum(map(_is_spaced, parts[1:])) * 2 > len(parts) - 1
        indent = next((part.indent for part in parts if not part.compact), " " * column)
        carried, position, pieces = "", 0, []
        for index, result in enumerate(results):
            part = result.part
            if part is None:
                gap = self.line_end if spaced and index else ""
            elif moved:
                gap = gaps.pop(0)
            else:
                # What is detached from an entry that goes stays.
                while parts[position] is not part:
                    carried += _without_blank_end(parts[position].gap)
                    position += 1
                position += 1
                gap, carried = carried + part.gap, ""
            if not index and not _starts_blank(parts[0].gap):
                gap = _without_blank_start(gap)
            elif index and moved and spaced and not gap:
                gap = self.line_end
            pieces.append(gap + (part.indent if part is not None else indent) + result.text)
        for part in parts[position:] if not moved else []:
            carried += _without_blank_end(part.gap)
        whole = "".join(map(self.ended, pieces)) + carried
        if parts[0].compact:
            whole = whole.lstrip(" \t\r\n")
        last = self.text[parts[-1].end - 1 : parts[-1].end]
        # A block of text may need the line end that was missing.
        ends = last in ("\r", "\n") or bool(self.forced)
        return whole if ends else whole.removesuffix(self.line_end)

    def ended(self, piece: str) -> str:
        """Give a piece of text a line end if it has none."""
        return piece if piece.endswith(("\r", "\n")) else piece + self.line_end

    def fresh_entry(self, name: str | None, value: Any, column: int, path: Path) -> str:
        """Write an entry that was not there."""
        writer = self.style.writer(name)
        if name is None:
            writer.node("-", value, column)
        else:
            writer.mapping("", {name: value}, column)
        return self.line_end.join(writer.lines) + self.line_end

    def entry(
        self,
        node: Collection,
        index: int,
        old: Any,
        wanted: Any,
        name: str | None,
        path: Path,
        column: int,
    ) -> str:
        """Write an entry of a block that was there."""
        part, value, text = self.parts(node)[index], node.values[index], self.text
        if wanted is MISSING:
            return text[part.first : part.end]
        if name is None:
            inner = (*path, index)
            return text[part.first : part.head + 1] + self.tail(
                value, part.head + 1, part.end, old[index], wanted, inner, column, "-"
            )
        key = node.keys[index]
        before = self.name(key, old)
        inner = (*path, before)
        written = text[key.start : key.end] if before == name else self.style.writer().string(name)
        colon = text.find(":", key.end) + 1
        if text[key.end : max(colon - 1, 0)].strip(" \t\r\n"):
            raise NotFaithfulError(inner)
        return (
            text[part.first : key.start]
            + written
            + text[key.end : colon]
            + self.tail(value, colon, part.end, old.get(before), wanted, inner, column, before)
        )

    def tail(
        self,
        node: Node,
        start: int,
        end: int,
        old: Any,
        wanted: Any,
        path: Path,
        column: int,
        key: str,
    ) -> str:
        """Write what follows a colon or a dash, up to the end of the entry."""
        text = self.text
        if self.is_untouched(node, old, wanted, path):
            return text[start:end]
        if isinstance(node, Alias) and not self.expand and same(self.said_by(node), wanted):
            return text[start:end]
        if isinstance(node, Collection) and type(old) is type(wanted):
            if node.flow and wanted and node.values:
                written = self.inline(node, old, wanted, path)
                return text[start : node.start] + written + text[node.end : end]
            if not node.flow:
                first, last = self.region(node)
                block = self.block(node, old, wanted, path)
                if block is not None:
                    return text[start:first] + block + text[last:end]
        lines = self.lines(node, wanted, path, column, key)
        comment, rest = self.comment_of(node, start, end)
        anchor = f" &{node.anchor}" if not isinstance(node, Alias) and node.anchor else ""
        first, *others = lines
        lead = re.match(r"[ \t]*", text[start:end])
        blank = lead[0] if lead and first and lead[0] and not _is_block(node) else " "
        if start >= node.start or "\n" in text[start : node.start]:
            blank = " "
        first = anchor + (blank + first if first else "") + comment
        return self.line_end.join([first, *others]) + rest

    def comment_of(self, node: Node, start: int, end: int) -> tuple[str, str]:
        """Give the comment on the first line of a value, and what follows its last line."""
        text = self.text
        if _is_block(node):
            stop = self.line_stop(start)
            where = start if node.anchor is None else node.start
            found = re.search(r"[ \t]+#[^\r\n]*", text[where:stop])
            comment = found[0] if found and node.inner >= stop else ""
            # Comments further below are about what goes.
            return comment, text[end - len(_last_line_end(text[:end])) : end]
        if isinstance(node, Scalar) and node.style in _BLOCKS:
            stop = self.line_stop(node.inner)
            sign = _BLOCK_SIGN.match(text, node.inner)
            after = text[sign.end() if sign else node.inner : stop]
            return after.rstrip(" \t"), text[node.end : end]
        position = max(node.end, start)
        stop = min(self.line_stop(position), end)
        return text[position:stop].rstrip(" \t"), text[stop:end]

    def lines(self, node: Node, wanted: Any, path: Path, column: int, key: str) -> list[str]:
        """Write a value anew, in lines; the first follows a colon or a dash and a blank."""
        force = self.force_of(path)
        writer = self.style.writer(key)
        if isinstance(node, Scalar) and isinstance(wanted, str) and force < 2:
            if node.style in _BLOCKS and (block := self.block_text(node, wanted, column)):
                return block
            many = "\n" in wanted and not (node.style == '"' and "\n" in str(node.value))
            if node.style not in _BLOCKS and not (many and writer.fits_block(wanted)):
                if not (key in writer.layout.block_keys and node.start == node.end):
                    return [self.scalar(node, wanted, path, flow=False)]
        if isinstance(wanted, str) and force > 1:
            return [writer.double(wanted)]
        writer.node(
            "-" if key == "-" else ":",
            wanted,
            column,
            block=key in writer.layout.block_keys and not isinstance(node, Scalar),
        )
        first, *others = writer.lines
        return [first[1:].lstrip(" "), *others]

    def block_text(self, node: Scalar, wanted: str, column: int) -> list[str] | None:
        """Write a text as the block that stands there; None where no block can say it."""
        writer = self.style.writer()
        if not writer.fits_block(wanted):
            return None
        pad = self.indent_of_block(node, column)
        if node.style == ">" and (lines := self.folded(node, wanted, pad)):
            return lines
        return [block_header(wanted, len(pad) - column), *block_body(wanted, pad)]

    def folded(self, node: Scalar, wanted: str, pad: str) -> list[str] | None:
        """Write a folded text; None where it cannot be folded."""
        body = self.text[node.inner : node.end]
        lines = fold_text(str(node.value), body, wanted)
        if lines is None:
            return None
        sign, *rest = lines
        snippet = "\n".join([f"a: {sign}", *(f"  {line}" if line else "" for line in rest)])
        read = read_yaml(snippet + "\n")
        if read.data != {"a": wanted}:
            return None
        return [sign, *(pad + line if line else "" for line in rest)]

    def indent_of_block(self, node: Scalar, column: int) -> str:
        """Give what the lines of a block of text are indented with."""
        sign = _BLOCK_SIGN.match(self.text, node.inner)
        digits = re.search("[0-9]", sign[0]) if sign else None
        if digits:
            return " " * (column + int(digits[0]))
        stop = self.line_stop(node.inner)
        for line in re.finditer(r"^( *)[^ \r\n]", self.text[stop : node.end], re.MULTILINE):
            if len(line[1]) > column:
                return line[1]
        return " " * (column + self.style.layout.step)

    # Where the entries of a block stand.

    def region(self, node: Collection) -> tuple[int, int]:
        """Give where a block stands, with the comments before its first entry."""
        parts = self.parts(node)
        start = parts[0].first - len(parts[0].indent)
        return (parts[0].first if parts[0].compact else start - len(parts[0].gap)), parts[-1].end

    def parts(self, node: Collection) -> list[_Part]:
        """Find the entries of a block."""
        if id(node) in self.parts_of:
            return self.parts_of[id(node)]
        first = (node.keys or node.values)[0].start if node.kind == "mapping" else node.inner
        first = self.content_before(first) if node.kind == "mapping" else first
        line = self.line_start(first)
        compact = bool(self.text[line:first].strip(" \t"))
        column = self.column(first)
        position = first if compact else self.start_of_lead(line)
        found = []
        for index, value in enumerate(node.values):
            is_compact = compact and index == 0
            head = position if is_compact else self.content_start(position)
            found.append(self.part(position, head, is_compact, node, index, value, column))
            position = found[-1].end
        self.parts_of[id(node)] = found
        return found

    def part(
        self,
        position: int,
        head: int,
        compact: bool,  # noqa: FBT001 - one of several facts
        node: Collection,
        index: int,
        value: Node,
        column: int,
    ) -> _Part:
        end = self.end_of_entry(max(value.end, head + 1), value, column)
        if node.kind == "mapping":
            end = max(end, self.next_line(node.keys[index].end))
        if compact:
            return _Part("", " " * column, head, head, end, compact=True)
        line = self.line_start(head)
        is_top = index == 0 and position == self.top
        own = line if is_top else self.start_of_comment(position, line)
        match = _INDENT.match(self.text, own)
        indent = match[0] if match else ""
        return _Part(self.text[position:own], indent, own + len(indent), head, end)

    def content_before(self, key_start: int) -> int:
        """Give where an entry begins whose key may have a question mark before it."""
        line = self.line_start(key_start)
        before = self.text[line:key_start]
        return line + before.index("?") if before.strip() == "?" else key_start

    def end_of_entry(self, position: int, value: Node, column: int) -> int:
        """Give where an entry ends, with the comments that are indented as a part of it."""
        if _is_block(value):
            end = self.region(value)[1]
        elif isinstance(value, Scalar) and value.start == value.end:
            end = self.next_line(position - 1)
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
            if before < self.top:
                break
            match = _EMPTY_LINE.match(self.text, before)
            if match is None or match.end() != line:
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
        while match := _EMPTY_LINE.match(self.text, position):
            if match.end() == position:
                break
            position = match.end()
        match = _INDENT.match(self.text, position)
        return position if match is None else match.end()

    def line_start(self, offset: int) -> int:
        """Give where the line of an offset begins."""
        if offset and self.text[offset - 1 : offset + 1] == "\r\n":
            offset -= 1
        return max(self.text.rfind("\n", 0, offset), self.text.rfind("\r", 0, offset)) + 1

    def line_stop(self, offset: int) -> int:
        """Give where the line of an offset ends, before its line end."""
        match = _LINE_END.search(self.text, offset)
        return len(self.text) if match is None else match.start()

    def next_line(self, offset: int) -> int:
        """Give where the line after that of an offset begins."""
        match = _LINE_END.search(self.text, offset)
        return min(self.bottom, len(self.text) if match is None else match.end())

    def column(self, offset: int) -> int:
        """Give the column of an offset, from 0."""
        return offset - self.line_start(offset)


@frozen
class _Style:
    """How a document is laid out, as far as it tells."""

    layout: Layout
    lists: Mapping[str, bool]
    """Whether the lists of a key stand in brackets."""

    @classmethod
    def of(cls, editor: _Editor) -> "_Style":
        """Look at a document."""
        steps: Counter[int] = Counter()
        dashes: Counter[int] = Counter()
        flow: Counter[bool] = Counter()
        by_key: dict[str, Counter[bool]] = {}
        for count, node in enumerate(nodes_in(editor.tree)):
            if count > _LOOKED_AT or editor.is_json:
                break
            if not isinstance(node, Collection) or node.kind != "mapping":
                continue
            for key, value in zip(node.keys, node.values, strict=True):
                if not isinstance(value, Collection) or not value.values:
                    continue
                if value.kind == "list":
                    flow[value.flow] += 1
                    by_key.setdefault(str(getattr(key, "value", "")), Counter())[value.flow] += 1
                if not node.flow and not value.flow:
                    first = value.keys[0].start if value.keys else value.inner
                    step = editor.column(first) - editor.column(node.keys[0].start)
                    (steps if value.keys else dashes)[step] += 1
        step = max(_most(steps, 2), 1)
        layout = Layout(
            step=step,
            dash=max(_most(dashes, step), 0),
            flow_lists=_most(flow, True),  # noqa: FBT003 - what it counts
            forbidden=None if editor.fences is None else FENCE,
        )
        return cls(layout, {key: _most(counts, True) for key, counts in by_key.items()})  # noqa: FBT003

    def writer(self, key: str | None = None) -> YamlWriter:
        """Make a writer for the value of a key."""
        flow = self.lists.get(key or "", self.layout.flow_lists)
        return YamlWriter(evolve(self.layout, flow_lists=flow))


def _most(counts: Counter[Any], otherwise: Any) -> Any:
    return counts.most_common(1)[0][0] if counts else otherwise


def _aligned(old: list[Any], wanted: list[Any]) -> list[tuple[int | None, Any]]:
    """Find for each item that is wanted the one of now that it is, or comes of."""
    left, right = list(map(_frozen, old)), list(map(_frozen, wanted))
    sources: list[int | None] = [None] * len(wanted)
    free = set(range(len(old)))
    pairs: list[tuple[int, int]] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            for i, j in zip(range(i1, i2), range(j1, j2), strict=True):
                sources[j] = i
                free.discard(i)
        elif tag == "replace":
            pairs += zip(range(i1, i2), range(j1, j2), strict=False)
    for j, source in enumerate(sources):
        if source is None:
            found = next((i for i in sorted(free) if left[i] == right[j]), None)
            if found is not None:
                sources[j] = found
                free.discard(found)
    for i, j in pairs:
        # What takes the place of another is a change of it.
        if sources[j] is None and i in free:
            sources[j] = i
            free.discard(i)
    return list(zip(sources, wanted, strict=True))


def _frozen(value: Any) -> Any:
    if isinstance(value, dict):
        return ("mapping", *((key, _frozen(item)) for key, item in value.items()))
    if isinstance(value, list):
        return ("list", *map(_frozen, value))
    return type(value), value


def _is_block(node: Node) -> bool:
    return isinstance(node, Collection) and not node.flow


def _line_end_of(text: str) -> str:
    ends = Counter(_LINE_END.findall(text))
    return ends.most_common(1)[0][0] if ends else "\n"


def _last_line_end(text: str) -> str:
    match = re.search(r"(?:\r\n|\r|\n)$", text)
    return "" if match is None else match[0]


def _is_spaced(part: _Part) -> bool:
    return any(not line.strip() for line in part.gap.splitlines())


def _starts_blank(gap: str) -> bool:
    return bool(gap) and not gap.splitlines()[0].strip()


def _without_blank_start(gap: str) -> str:
    lines = gap.splitlines(keepends=True)
    while lines and not lines[0].strip():
        del lines[0]
    return "".join(lines)


def _without_blank_end(gap: str) -> str:
    lines = gap.splitlines(keepends=True)
    while lines and not lines[-1].strip():
        del lines[-1]
    return "".join(lines)
