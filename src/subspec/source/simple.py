"""Front matter that is nothing but lines with a key and a value, read without a parser.

Most front matter is, and this takes a fraction of the time. What is read is read as the parser
reads it; a line on which the two could differ is no simple one, and all is left to the parser.
"""

import re
from typing import Any

from subspec.source.document import Document, Marks
from subspec.source.scalars import CONSTANTS

_LONGEST_WORD = 100
_WHOLE = re.compile(r"0|[1-9][0-9]{0,14}")
_QUOTED = re.compile(r'"([^"\\]*(?:\\["\\n][^"\\]*)*)"')
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {'"': '"', "\\": "\\", "n": "\n"}


def fill_simple(document: Document, start: int, end: int) -> bool:
    """Read the lines from `start` to `end` into a document, if all of them are simple.

    A simple line is a key that is one word, a colon with one blank, and a value: text that begins
    with a letter, text in double quotes with no escapes but the common ones, a whole number, or
    words in brackets. It is printable, which rules out tabs, other line ends, and all that PyYAML
    does not leave alone. No value goes on behind its line, for the next one has a key too.

    Returns:
        Whether they were read; if not, a parser has to, and nothing is known of what it will say.
    """
    *lines, rest = document.text[start:end].split("\n")
    if rest or not "".join(lines).isprintable():  # a rest has the closing fence on its line
        return False
    data: dict[str, Any] = {}
    places: list[int] = []
    marks: Marks = {id(data): places}
    for line in lines:
        key, _, written = line.partition(": ")
        key_end = start + len(key)
        value = _value(written, key_end + 2, marks)
        if value is None or key in data or not _is_word(key):
            return False
        data[key] = value
        line_end = start + len(line)
        places += (start, key_end, key_end + 2, line_end)
        start = line_end + 1
    if not data:
        return False
    document.data, document.marks = data, marks
    return True


def _is_word(text: str) -> bool:
    is_name = text[:1] != "-" and text.replace("-", "_").isidentifier()
    return is_name and len(text) <= _LONGEST_WORD and text not in CONSTANTS


def _value(written: str, start: int, marks: Marks) -> Any:
    """Give the value that is written in a simple line, None where it is none, or may be null."""
    first = written[:1]
    if first.isalpha():
        if ": " in written or " #" in written or written[-1] in ": ":
            return None
        return CONSTANTS.get(written, written)
    if first == '"':
        quoted = _QUOTED.fullmatch(written)
        return None if quoted is None else _ESCAPE.sub(_unescaped, quoted[1])
    if first == "[":
        return _words(written, start, marks)
    return int(written) if _WHOLE.fullmatch(written) else None


def _unescaped(escape: re.Match[str]) -> str:
    return _ESCAPED[escape[1]]


def _words(written: str, start: int, marks: Marks) -> list[str] | None:
    words = written[1:-1].split(", ")
    if written[-1] != "]" or not all(map(_is_word, words)):
        return None
    places: list[int] = []
    for word in words:
        start += 1 if not places else len(", ")
        places += (start, start + len(word))
        start += len(word)
    marks[id(words)] = places
    return words
