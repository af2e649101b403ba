"""JSON text to plain data with places.

A reader of our own, around the scanners of the standard library: those give no places, keep the
last of two equal keys in silence, and take ``NaN``.
"""

import re
from json import JSONDecodeError
from json.decoder import scanstring  # type: ignore[attr-defined]  # public, and in no stub
from typing import Any, NoReturn

from subspec.problems import (
    BAD_NUMBER,
    DUPLICATE_KEY,
    EMPTY,
    JSON_SYNTAX,
    LONE_SURROGATE,
    TOO_DEEP,
    Code,
    quoted,
)
from subspec.shapes import MAX_DEPTH
from subspec.source.document import Document
from subspec.source.scalars import BadNumberError, number

_BLANKS = re.compile(r"[ \t\n\r]*")
_NUMBER = re.compile(r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?")
_WORD = re.compile(r"-?[A-Za-z_]\w*")
_CONSTANTS = {"null": None, "true": True, "false": False}
_NOT_FINITE = {"NaN", "Infinity", "-Infinity"}
_SURROGATE = re.compile("[\ud800-\udfff]")


class _Stop(Exception):  # noqa: N818 - control flow: the problem is already noted
    """Reading cannot go on."""


def read_json(text: str, file: str | None = None) -> Document:
    """Read one JSON value.

    What is wrong is listed in :attr:`Document.problems`, never raised.

    Args:
        text: The text, without a byte order mark.
        file: The name of the file for messages.
    """
    document = Document(text, file=file, media="json")
    try:
        _Reader(document).read()
    except _Stop:
        document.readable, document.data = False, None
    return document


class _Reader:
    """Reads values; each method takes the offset where to begin and gives the one behind."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.text = document.text

    def read(self) -> None:
        start = self.skip_blanks(0)
        if start == len(self.text):
            self.stop(EMPTY, "the file holds no data", 0)
        self.document.data, end = self.value(start, 0)
        self.document.span = (start, end)
        rest = self.skip_blanks(end)
        if rest < len(self.text):
            self.stop(JSON_SYNTAX, "the value ends before this text", rest)

    def value(self, start: int, depth: int) -> tuple[Any, int]:
        first = self.text[start : start + 1]
        if first == '"':
            return self.string(start)
        if first == "{":
            return self.mapping(start, depth)
        if first == "[":
            return self.sequence(start, depth)
        if match := _NUMBER.match(self.text, start):
            return self.number(match[0], start), match.end()
        if match := _WORD.match(self.text, start):
            return self.word(match[0], start), match.end()
        return self.unexpected("a value", start)

    def mapping(self, start: int, depth: int) -> tuple[dict[str, Any], int]:
        container: dict[str, Any] = {}
        positions: dict[str, int] = {}
        marks = self.open(container, start, depth)
        position = self.skip_blanks(start + 1)
        if self.text[position : position + 1] == "}":
            return container, position + 1
        while True:
            if self.text[position : position + 1] != '"':
                self.unexpected("a key in double quotes", position)
            key, key_end = self.string(position)
            colon = self.skip_blanks(key_end)
            if self.text[colon : colon + 1] != ":":
                self.unexpected("':'", colon)
            value_start = self.skip_blanks(colon + 1)
            value, end = self.value(value_start, depth + 1)
            if key in container:
                first = marks[positions[key] * 4]
                self.note_duplicate(container, key, first, position, key_end)
            else:
                positions[key] = len(positions)
                container[key] = value
                marks += (position, key_end, value_start, end)
            position, closed = self.after_item(end, "}")
            if closed:
                return container, position

    def sequence(self, start: int, depth: int) -> tuple[list[Any], int]:
        container: list[Any] = []
        marks = self.open(container, start, depth)
        position = self.skip_blanks(start + 1)
        if self.text[position : position + 1] == "]":
            return container, position + 1
        while True:
            value, end = self.value(position, depth + 1)
            container.append(value)
            marks += (position, end)
            position, closed = self.after_item(end, "]")
            if closed:
                return container, position

    def open(self, container: Any, start: int, depth: int) -> list[int]:
        if depth == MAX_DEPTH:
            self.stop(TOO_DEEP, f"nested more than {MAX_DEPTH} levels deep", start)
        marks: list[int] = []
        self.document.marks[id(container)] = marks
        return marks

    def after_item(self, end: int, closing: str) -> tuple[int, bool]:
        """Find the next item, or the end of the container."""
        position = self.skip_blanks(end)
        character = self.text[position : position + 1]
        if character == closing:
            return position + 1, True
        if character != ",":
            self.unexpected(f"',' or '{closing}'", position)
        following = self.skip_blanks(position + 1)
        if self.text[following : following + 1] == closing:
            self.stop(JSON_SYNTAX, "a comma stands behind the last item", position, "remove it")
        return following, False

    def string(self, start: int) -> tuple[str, int]:
        try:
            value, end = scanstring(self.text, start + 1, True)  # noqa: FBT003 - its signature
        except JSONDecodeError as error:
            if error.msg.startswith("Unterminated"):
                self.stop(JSON_SYNTAX, "a quote is opened and never closed", start)
            if error.msg.startswith("Invalid control"):
                hint = "write it as an escape: \\n, \\t or \\u0000"
                self.stop(JSON_SYNTAX, "a control character stands in a string", error.pos, hint)
            # It counts from the backslash, but from the letter for one of four digits.
            backslash = self.text.rindex("\\", 0, error.pos + 1)
            message = "a backslash begins no valid escape"
            self.stop(JSON_SYNTAX, message, backslash, "write '\\\\'")
        if not value.isascii() and (half := _SURROGATE.search(value)):
            message = f"the string holds half of a surrogate pair (U+{ord(half[0]):04X})"
            self.note(LONE_SURROGATE, message, start, end)
            value = _SURROGATE.sub("\ufffd", value)
        return value, end

    def number(self, written: str, start: int) -> int | float:
        try:
            return number(written)
        except BadNumberError:
            message = f"{quoted(written)} is no number that can be kept"
            self.note(BAD_NUMBER, message, start, start + len(written))
            return 0

    def word(self, word: str, start: int) -> Any:
        if word in _NOT_FINITE:
            self.note(BAD_NUMBER, f"JSON has no {word}", start, start + len(word))
            return 0
        if word not in _CONSTANTS:
            self.stop(JSON_SYNTAX, f"{quoted(word)} is not a value", start, "quote it")
        return _CONSTANTS[word]

    def skip_blanks(self, start: int) -> int:
        match = _BLANKS.match(self.text, start)
        return start if match is None else match.end()

    def note_duplicate(
        self, container: dict[str, Any], key: str, first: int, start: int, end: int
    ) -> None:
        line = self.document.spell(first, first).line
        message = f"the key {quoted(key)} is given twice, first on line {line}"
        self.note(DUPLICATE_KEY, message, start, end, "remove one of the two")
        self.document.repeats[id(container), key] = self.document.problems[-1]

    def unexpected(self, wanted: str, start: int) -> NoReturn:
        if start >= len(self.text):
            self.stop(JSON_SYNTAX, f"the text ends where {wanted} should follow", start)
        hint = None
        if self.text.startswith(("//", "/*", "#"), start):
            hint = "JSON has no comments"
        elif self.text[start] == "'":
            hint = "use double quotes"
        self.stop(JSON_SYNTAX, f"{wanted} should stand here", start, hint)

    def note(self, code: Code, message: str, start: int, end: int, hint: str | None = None) -> None:
        problem = code.problem(message, hint=hint)
        self.document.problems.append(self.document.at(problem, start, end))

    def stop(self, code: Code, message: str, start: int, hint: str | None = None) -> NoReturn:
        problem = self.document.at(code.problem(message, hint=hint), start, start + 1)
        self.document.problems.append(problem)
        raise _Stop
