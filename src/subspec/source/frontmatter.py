r"""Front matter of Markdown: YAML between two fences, as Claude Code reads it.

That differs from YAML in a file of its own. The first ``---`` behind the opening one ends the
front matter, wherever it stands. The last of two equal keys counts, tags say next to nothing, and
text that is not YAML gets a second chance, in which lines that look like the fault are quoted.

The reader of Claude Code keeps closer to YAML 1.2 than PyYAML does: what
only PyYAML takes is refused here.
"""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from typing import Any

import yaml
from attrs import define, evolve, field, frozen

from subspec.problems import (
    ALIAS_LIMIT,
    BAD_CHARACTER,
    BAD_MERGE,
    DUPLICATE_KEY,
    FRONT_MATTER_REPAIRED,
    RECURSIVE_ALIAS,
    TAG,
    TOO_DEEP,
    UNKNOWN_ALIAS,
    YAML_SYNTAX,
    Code,
    Fix,
    Problem,
    quoted,
)
from subspec.source.document import Document
from subspec.source.scalars import MAY_RESOLVE
from subspec.source.simple import fill_simple
from subspec.source.yaml import _Builder, _events, _Frame, _Stop, fill

BLANKS = (
    "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a"
    "\u2028\u2029\u202f\u205f\u3000\ufeff"
)
"""What JavaScript takes for white space. Python's own idea of it is another one."""

FENCE = "---"

OUR_BOUNDS = (ALIAS_LIMIT.name, TOO_DEEP.name)
"""Codes of what is refused here although Claude Code reads it."""

_OPENING = re.compile(rf"{FENCE}[{BLANKS}]*\n")
_SOME_BLANKS = re.compile(f"[{BLANKS}]+")


@frozen
class Fences:
    """Where the front matter and the body of a text stand, as offsets."""

    start: int
    """The start of the front matter, behind the line of the opening fence."""

    end: int
    """The end of the front matter, where the closing fence stands."""

    body_start: int
    """The start of the body, behind the blanks that follow the closing fence."""

    body_end: int
    """The end of the body, without the blanks at the end of the text."""

    whole_lines: bool = field(default=False, repr=False)
    """Whether only a line that begins with dashes ends the front matter."""


def find_fences(text: str, *, whole_lines: bool = False) -> Fences | None:
    r"""Find the front matter of a text; None where it has none.

    Args:
        text: The text.
        whole_lines: Whether only a line that begins with dashes ends it, as nearly every tool but
            Claude Code has it.

    >>> find_fences("---\nname: a\n---\n\nBody.\n")
    Fences(start=4, end=12, body_start=17, body_end=22)
    """
    opening = _OPENING.match(text)
    if opening is None:
        return None
    end = text.find(FENCE, opening.end())
    while whole_lines and end >= 0 and text[end - 1] != "\n":
        end = text.find(FENCE, end + 1)
    if end < 0:
        return None
    after = end + len(FENCE)
    blanks = _SOME_BLANKS.match(text, after)
    body_start = after if blanks is None else blanks.end()
    body_end = max(body_start, len(text.rstrip(BLANKS)))
    return Fences(opening.end(), end, body_start, body_end, whole_lines)


def read_front_matter(
    text: str, fences: Fences, file: str | None = None, reader: str = "Claude Code"
) -> Document:
    """Read the front matter of a text.

    All places are offsets into the whole text, also of what was read at the second chance.

    Args:
        text: The whole text, without a byte order mark.
        fences: Where its front matter stands.
        file: The name of the file for messages.
        reader: What the program is called in messages that reads it.
    """
    document = Document(text, span=(fences.start, fences.end), file=file)
    if fill_simple(document, fences.start, fences.end):
        return document
    _read(document, text[: fences.end], fences.start)
    if document.readable or document.problems[-1].code in OUR_BOUNDS:
        return document
    repaired, origins = _repair(text, fences)
    again = _Repaired(repaired, file=file, written=document, origins=origins)
    _read(again, repaired, fences.start)
    if not again.readable:
        # What is left at the second chance is what has to be mended: the rest is forgiven.
        document.problems = [
            *again.problems[:-1],
            _best_place(again.problems[-1], document, fences),
        ]
        document.data = None
        return document
    document.readable = True
    document.data = again.data
    document.span = origins[again.span[0]], origins[again.span[1]]
    document.marks = {
        part: [origins[offset] for offset in offsets] for part, offsets in again.marks.items()
    }
    document.problems = [_as_repaired(document.problems[-1], reader), *again.problems]
    return document


def front_matter_events(
    text: str, fences: Fences, *, repaired: bool
) -> tuple[str, list[Any], list[int] | None]:
    """Parse front matter that can be read once more, for how it is written.

    Returns:
        The text that was parsed, the events of the parser, and for a repaired text the offset of
        each of its characters in the text as it was written.
    """
    parsed, origins = _repair(text, fences) if repaired else (text[: fences.end], None)
    start = fences.start
    parsed = FENCE.ljust(start - 1) + "\n" + parsed[start:]
    if not parsed.endswith("\n"):
        parsed += "\n"
        if origins is not None:
            origins.append(origins[-1])
    stand_ins = _stand_ins(parsed)
    comma = stand_ins.pop(_COMMA, None)
    if comma is not None:
        parsed = _LEADING_COMMA.sub(lambda match: match[0][:-1] + chr(comma), parsed)
    parsed = parsed.translate(stand_ins)
    try:
        return parsed, list(_events(parsed)), origins
    except yaml.MarkedYAMLError:
        parsed = _TAB_LINE.sub(lambda match: " " * len(match[0]), parsed)
        return parsed, list(_events(parsed)), origins


def text_of(value: Any) -> str:
    """Write a value as JavaScript does where it wants text.

    >>> text_of(1.0), text_of([True, None, "a"]), text_of({})
    ('1', 'true,,a', '[object Object]')
    """
    if isinstance(value, str):
        return value
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return ",".join("" if item is None else text_of(item) for item in value)
    if isinstance(value, dict):
        return "[object Object]"
    return str(int(value) if value == int(value) else value)


def _read(document: Document, text: str, start: int) -> None:
    # In YAML the opening fence says that a document begins. So it can stay, and every offset with
    # it; only blanks behind it that YAML does not know cannot.
    end = len(text)
    nul = text.find("\0", start)
    if nul >= 0:
        document.readable = False
        problem = BAD_CHARACTER.problem("a NUL character makes a file unreadable", hint="remove it")
        document.problems.append(document.at(problem, nul, nul + 1))
        return
    text = FENCE.ljust(start - 1) + "\n" + text[start:]
    if not text.endswith("\n"):
        # Claude Code takes a last line for one even where the fence stands on it.
        text += "\n"
    _fill(document, text)
    if not document.readable and _TAB_LINE.search(text) is not None:
        # PyYAML minds tabs also where nothing follows them.
        document.readable = True
        document.problems.clear()
        document.marks.clear()
        _fill(document, _TAB_LINE.sub(lambda match: " " * len(match[0]), text), text)
    if len(text) > end:
        first, last = document.span
        document.span = first, min(last, end)
        for part, offsets in document.marks.items():
            document.marks[part] = [min(offset, end) for offset in offsets]


def _fill(document: Document, text: str, written: str | None = None) -> None:
    stand_ins = _stand_ins(text)
    meant = {stand_in: character for character, stand_in in stand_ins.items()}
    comma = stand_ins.pop(_COMMA, None)
    if comma is not None:
        text = _LEADING_COMMA.sub(lambda match: match[0][:-1] + chr(comma), text)
    tabs = []
    if "\t" in text or written is not None:
        tabs = [match.start() for match in _TAB_LINE.finditer(written or text)]
    fill(
        document,
        text.translate(stand_ins) if stand_ins else text,
        partial(_Reader, meant=meant, tabs=tabs, blanked=written is not None),
    )


_TAB_LINE = re.compile(r"^ *\t[ \t]*(?=\r?$|#)", re.MULTILINE)
"""What stands before nothing, or before a comment, with a tab in it."""

_SPECIAL = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]"
)
_LEADING_COMMA = re.compile(r"^ *(?:[\w-]+:|-)[ \t]+,", re.MULTILINE)
_SOME_COMMA = re.compile(r"[:-][ \t]+,")
_COMMA = ord(",")
_PRIVATE_PLANE = range(0xF0000, 0xFFFFE)


def _stand_ins(text: str) -> dict[int, int]:
    """Choose characters that the text does not hold for those that PyYAML does not leave alone.

    YAML 1.2 ends lines at LF and CR only and lets text begin with a comma, and Claude Code lets
    all characters pass but NUL.
    """
    special = {ord(character) for character in _SPECIAL.findall(text)}
    if _SOME_COMMA.search(text) is not None and _LEADING_COMMA.search(text) is not None:
        special.add(_COMMA)
    if not special:
        return {}
    present = set(map(ord, text))
    free = (code for code in _PRIVATE_PLANE if code not in present)
    return dict(zip(sorted(special), free, strict=False))


@define(eq=False)
class _Again:
    """Stands for a key that is given once more, until its mapping is complete."""

    key: str


_TEXT_TAGS = ("!", "tag:yaml.org,2002:str")
_OTHER_TAGS = tuple(f"tag:yaml.org,2002:{kind}" for kind in ("bool", "float", "int", "null"))
_FORGIVEN = (BAD_MERGE, DUPLICATE_KEY, TAG)
_FATAL = (RECURSIVE_ALIAS, UNKNOWN_ALIAS)
_QUOTES = ("'", '"')
_BLOCKS = ("|", ">")
_NOTHING = "nothing"
_NOT_CONTINUED = (*_QUOTES, _NOTHING)
_YAML_BLANKS = " \t\r\n"
_LINE_START = re.compile(r"(?:\r\n|\r|\n)( *)([\t ]*)([^\t\r\n ]?)")
_BLOCK_COMMENT = re.compile(r"(?:[!&][^ \t\r\n]*[ \t]+)*[|>][-+0-9]*#")
_MAY_STAND_OUT = ("", "#", ",", "]", "}")
_SIGNED = re.compile(r"([-+]?)(0x[0-9a-fA-F]+|0o[0-7]+|0[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?)")
_ZEROS = re.compile(r"^0+(?=[0-9])")
_LARGEST_BASED = 2**64 - 1


class _Reader(_Builder):
    """Builds data as Claude Code's reader of YAML does."""

    def __init__(
        self, document: Document, meant: dict[int, int], tabs: list[int], *, blanked: bool
    ) -> None:
        super().__init__(document)
        self.meant = meant
        # Where lines without content have tabs, and whether those were made blanks.
        self.tabs = tabs
        self.blanked = blanked
        # Where each scalar and each value in brackets stands, and how it is written.
        self.starts: list[int] = []
        self.ends: list[tuple[int, str]] = []
        # How far each block is indented that is open; what is in brackets is as far as its block.
        self.indents = [-1]
        self.flow: list[int] = []
        self.repeated: set[int] = set()

    def build(self, events: Iterator[Any]) -> None:
        """Build the data, and refuse tabs that PyYAML passes over."""
        super().build(events)
        if self.tabs:
            self.check_tabs()

    def scalar(self, event: Any) -> None:
        """Take a scalar, of which a tag says at most that it is text."""
        value = event.value
        start, end = event.start_mark.index, event.end_mark.index
        if self.tabs and not self.flow:
            content = self.document.text[start:end].rstrip(_YAML_BLANKS)
            self.starts.append(start)
            self.ends.append((start + len(content), event.style or ("" if value else _NOTHING)))
        frame = self.frame
        if event.style:
            check = self.check_quoted if event.style in _QUOTES else self.check_block
            check(event)
        elif value[:1] in MAY_RESOLVE and self.may_resolve(value, event.tag):
            value = self.resolved(value, None, start, end)
        if self.meant and type(value) is str:
            value = value.translate(self.meant)
        if value == "<<" and frame.key is None and type(frame.container) is dict:
            self.merge_key(start, end)
            return
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1, 0)
        self.add(frame, value, start, end)

    def may_resolve(self, text: str, tag: str | None) -> bool:
        """Tell whether a plain scalar may be something else than text."""
        if tag is None or tag in _OTHER_TAGS:
            return True
        # A tag of one's own makes text of everything but nothing.
        return not text and tag not in _TEXT_TAGS

    def resolved(self, text: str, tag: str | None, start: int, end: int) -> Any:
        """Give the value of a plain scalar; numbers may have signs and zeros in front."""
        match = _SIGNED.fullmatch(text)
        if match is None:
            return super().resolved(text, tag, start, end)
        sign, digits = match.groups()
        if digits[1] not in "xo":
            return super().resolved(sign + _ZEROS.sub("", digits), tag, start, end)
        size = int(digits[2:], 16 if digits[1] == "x" else 8)
        if size > _LARGEST_BASED:
            return text
        return -size if sign == "-" else size

    def open(self, container: dict[str, Any] | list[Any], own_tag: str, event: Any) -> None:
        """Open a mapping or a list, and note how far its block is indented."""
        super().open(container, own_tag, event)
        if event.flow_style:
            self.flow.append(event.start_mark.index)
            self.indents.append(self.indents[-1])
        else:
            self.indents.append(_column_of_block(event, self.document.text))

    def close(self, event: Any) -> None:
        """Close a mapping or a list; the last of equal keys counts."""
        indent = self.indents.pop()
        if self.flow:
            start, end = self.flow.pop(), event.end_mark.index
            if not self.flow:
                self.starts.append(start)
                self.ends.append((end, _NOTHING))
                self.check_flow(start, end, indent)
        if id(self.frame.container) in self.repeated:
            _keep_last(self.frame)
        super().close(event)

    def note(self, code: Code, message: str, start: int, end: int, hint: str | None = None) -> None:
        """Note what is wrong; an alias without its anchor stops all, other oddities are passed."""
        known = evolve(code, severity="warning") if code in _FORGIVEN else code
        super().note(known, message, start, end, hint)
        if code in _FATAL:
            raise _Stop

    def odd_key(self, frame: _Frame, key: Any, start: int, end: int) -> Any:
        """Take a key that is not text as JavaScript does, and one that is there already."""
        key = text_of(key)
        if key not in frame.container:
            return key
        hint = "remove the others; the last one counts"
        self.note(DUPLICATE_KEY, f"the key {quoted(key)} is given again", start, end, hint)
        self.repeated.add(id(frame.container))
        return _Again(key)

    def check_tabs(self) -> None:
        """Refuse tabs on a line without content, but behind text that is not quoted.

        There the reader looks for more of the text, and passes over blanks of every kind.
        """
        text, blank_to = self.document.text, 0
        for tab in self.tabs:
            last = bisect_right(self.starts, tab) - 1
            end, style = self.ends[last] if last >= 0 else (0, _NOTHING)
            if tab < end:
                # In a block it stands before the indentation, or PyYAML would not have minded it.
                refused = self.blanked and style in _BLOCKS
            else:
                between = text[max(end, blank_to) : tab]
                refused = style in _NOT_CONTINUED or bool(between.strip(_YAML_BLANKS))
            if refused:
                self.stop(YAML_SYNTAX, "a tab stands where only blanks may stand", tab, tab + 1)
            blank_to = tab

    def check_block(self, event: Any) -> None:
        """Refuse a block of text that PyYAML takes and Claude Code does not."""
        start = event.start_mark.index
        comment = _BLOCK_COMMENT.match(self.document.text, start)
        if comment is not None:
            self.stop_at_comment(comment.end() - 1)
        if event.start_mark.column <= self.indents[-1]:
            self.stop_at_indent(start)

    def check_quoted(self, event: Any) -> None:
        """Refuse quoted text that PyYAML takes and Claude Code does not."""
        start, end = event.start_mark.index, event.end_mark.index
        text = self.document.text
        if text[end : end + 1] == "#":
            self.stop_at_comment(end)
        for line in _LINE_START.finditer(text, start, end):
            if line[3] and len(line[1] + line[2]) <= self.indents[-1]:
                self.stop_at_indent(line.start(3))

    def check_flow(self, start: int, end: int, indent: int) -> None:
        """Refuse lines in brackets that PyYAML takes and Claude Code does not."""
        for line in _LINE_START.finditer(self.document.text, start, end):
            if line[3] not in _MAY_STAND_OUT and len(line[1]) <= indent:
                self.stop_at_indent(line.start(3))

    def stop_at_comment(self, start: int) -> None:
        """Stop at a comment that has no blank before it."""
        self.stop(YAML_SYNTAX, "a comment needs a blank before it", start, start + 1)

    def stop_at_indent(self, start: int) -> None:
        """Stop at a line that is not indented enough."""
        message = "a line that goes on with a value is indented no more than its key"
        self.stop(YAML_SYNTAX, message, start, start + 1, "indent it by two blanks")


def _column_of_block(event: Any, text: str) -> int:
    """Give how far a block is indented, whose anchor and tag may stand on the line above."""
    if event.anchor is None and event.tag is None:
        column: int = event.start_mark.column
        return column
    end = event.end_mark
    # In a list that stands no further in than its key the mark is behind the dash.
    behind_dash = type(event) is yaml.SequenceStartEvent and text[end.index - 1] == "-"
    return int(end.column) - behind_dash


def _keep_last(frame: _Frame) -> None:
    """Make the last of equal keys count, at the place where the first of them stood."""
    container: Any = frame.container
    last: dict[str, tuple[Any, list[int]]] = {}
    for position, (key, value) in enumerate(container.items()):
        name = key.key if isinstance(key, _Again) else key
        last[name] = value, frame.marks[position * 4 : position * 4 + 4]
    container.clear()
    frame.marks.clear()
    for name, (value, marks) in last.items():
        container[name] = value
        frame.marks += marks


@define
class _Repaired(Document):
    """A document whose text is a repaired one: what is wrong is noted at its place as written."""

    written: Document = field(kw_only=True)
    origins: list[int] = field(kw_only=True, repr=False)

    def at(self, problem: Problem, start: int, end: int) -> Problem:
        """Give a problem its place in the text as it was written."""
        last = len(self.origins) - 1
        return self.written.at(
            problem, self.origins[min(start, last)], self.origins[min(end, last)]
        )


_LINE = re.compile(rf"([a-zA-Z_-]+):[{BLANKS}]+([^{BLANKS}][^\n\r\u2028\u2029]*)")
_SUSPECT = re.compile(r"[{}\[\]*&#!|>%@`]|: ")
_PLAIN_LIST = re.compile(r"\[ *\w[\w.-]*(?:, *\w[\w.-]*)* *\]", re.ASCII)
"""A list that need not be read to be known as one: most are like that."""

_TABS = re.compile(r"(?:^|(?<=[\r\u2028\u2029]))\t+")


def _repair(text: str, fences: Fences) -> tuple[str, list[int]]:
    """Repair front matter as Claude Code does for its second chance.

    Returns:
        The text up to the closing fence, repaired, and for each of its characters and its end the
        offset in the text as written.
    """
    repaired = []
    origins = list(range(fences.start))
    start = fences.start
    for line in text[fences.start : fences.end].split("\n"):
        words, offsets = _repair_line(line)
        repaired.append(words)
        origins += [start + offset for offset in offsets]
        start += len(line) + 1
        # The line end; for the last line, which has none, that is the end.
        origins.append(start - 1)
    return text[: fences.start] + "\n".join(repaired), origins


def _repair_line(line: str) -> tuple[str, Iterable[int]]:
    match = _LINE.fullmatch(line)
    if match is not None and _is_suspect(match[2]):
        key, value = match[1], match[2]
        written = value.replace("\\", "\\\\").replace('"', '\\"')
        first = match.start(2)
        inside = [
            offset
            for offset, character in enumerate(value, first)
            for _ in range(2 if character in '\\"' else 1)
        ]
        offsets = chain(range(len(key) + 2), (first,), inside, (len(line),))
        return f'{key}: "{written}"', offsets
    tabs = {offset for run in _TABS.finditer(line) for offset in range(*run.span())}
    if not tabs:
        return line, range(len(line))
    words = "".join("  " if offset in tabs else line[offset] for offset in range(len(line)))
    return words, sorted(chain(range(len(line)), tabs))


def _is_suspect(value: str) -> bool:
    """Tell whether a value is one that Claude Code quotes at the second chance."""
    if value[0] in _QUOTES and value.endswith(value[0]):
        return False
    if _PLAIN_LIST.fullmatch(value):
        return False
    if value.startswith("[") and value.endswith("]"):
        text = f"{FENCE}\n{value}"
        document = Document(text)
        _read(document, text, len(FENCE) + 1)
        if document.readable and isinstance(document.data, list):
            return False
    return _SUSPECT.search(value) is not None


_IN_PLACE = re.compile(r"[ \t#\]}]|-(?:[ \t]|\r?$)|\r?$|.*:(?:[ \t]|\r?$)")


def _best_place(fault: Problem, document: Document, fences: Fences) -> Problem:
    """Give what PyYAML says of text that goes on at the margin the place where that begins."""
    start = fences.start
    for line in document.text[start : fences.end].split("\n"):
        if fault.code == YAML_SYNTAX.name and not _IN_PLACE.match(line):
            message = "a line at the margin is neither a key with a colon nor the end of a list"
            hint = "to write text in several lines, put '|' behind its key and indent them all"
            return document.at(YAML_SYNTAX.problem(message, hint=hint), start, start + len(line))
        start += len(line) + 1
    return fault


def guessed_by(reader: str) -> str:
    """Give what a message begins with where a program guesses what front matter means."""
    return f"this is not YAML, and {reader} guesses: "


def _as_repaired(fault: Problem, reader: str) -> Problem:
    message = guessed_by(reader) + fault.message
    code = FRONT_MATTER_REPAIRED
    return evolve(fault, code=code.name, severity=code.severity, message=message, fix=Fix("mend"))
