"""TOML text to plain data with places, data to text, and changes of a text that is there.

Reading needs no more than Python has. Writing goes by tomlkit, which keeps what it does not change:
the extra ``toml`` installs it.
"""

import difflib
import re
import sys
from collections.abc import Mapping
from datetime import date, datetime, time
from importlib import import_module
from typing import Any

from attrs import define, field

from subspec.problems import BAD_NUMBER, TOML_SYNTAX, TOO_DEEP, Path, quoted
from subspec.shapes import MAX_DEPTH
from subspec.source.compare import same
from subspec.source.document import Document
from subspec.source.edit import NotFaithfulError
from subspec.source.emit import checked

_TOML: Any = import_module("tomllib" if sys.version_info >= (3, 11) else "tomli")

NEEDED = "writing TOML needs tomlkit: install subspec[toml]"

_NAME = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]|\\.)*"|'[^'\n]*')"""
_NAMES = rf"(?P<names>{_NAME}(?:[ \t]*\.[ \t]*{_NAME})*)"
_ONE_NAME = re.compile(_NAME)
_KEY = re.compile(rf"[ \t]*{_NAMES}[ \t]*=[ \t]*")
_HEADER = re.compile(rf"[ \t]*\[(?P<of_array>\[?)[ \t]*{_NAMES}[ \t]*\]")
_PART = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*"
    r"|[^\"'#\[\]{}\n]+"
    r"|.",
    re.DOTALL,
)
_PLACE = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f]")
_LONG_NUMBER = re.compile(r"(?<![\w\"'])[+-]?[0-9][0-9_]{4299,}")
_NOT_BARE = re.compile(r"[^A-Za-z0-9_-]")
_SURROGATE = re.compile("[\ud800-\udfff]")

Place = tuple[int, int, int, int]
"""The start and the end of a key, and of its value."""


@define
class TomlDocument(Document):
    """Plain data with the places of its keys and values, made out when one is asked for."""

    places: "dict[Path, Place] | None" = field(default=None, repr=False)
    """Where each key stands that has a line or a table."""

    def offsets(self, path: Path, at: str = "value") -> tuple[int, int]:
        """Find a key or a value; what is inside of a value is shown by the key above it."""
        if self.places is None:
            self.places = _places(self.text) if self.readable else {}
        for size in range(len(path), 0, -1):
            found = self.places.get(path[:size])
            if found is not None:
                return found[:2] if at == "key" or size < len(path) else found[2:]
        return self.span


def read_toml(text: str, file: str | None = None) -> Document:
    """Read TOML.

    What is wrong is listed in :attr:`Document.problems`, never raised. Dates are given as text.

    Args:
        text: The text, without a byte order mark.
        file: The name of the file for messages.
    """
    document = TomlDocument(text, file=file, span=(0, len(text)))
    try:
        document.data = _plain(_TOML.loads(text), 0)
    except RecursionError:
        document.readable = False
        message = f"the data is nested deeper than {MAX_DEPTH} levels"
        start = _deepest(text)
        document.problems.append(document.at(TOO_DEEP.problem(message), start, start + 1))
    except ValueError as error:
        document.readable = False
        _note_syntax(document, str(error))
    return document


def emit_toml(data: Mapping[str, Any]) -> str:
    """Write data as a new document.

    Raises:
        ImportError: tomlkit is not installed.
        TypeError: A value is none that TOML can hold.
        ValueError: A text, a number or a null that TOML cannot hold.
    """
    document = _tomlkit().document()
    tables = [key for key in data if isinstance(data[key], dict)]
    for key in [*(key for key in data if key not in tables), *tables]:
        document[key] = _item(checked(data[key]))
    return str(document.as_string())


def rewrite_toml(document: Document, wanted: Mapping[str, Any]) -> str:
    """Write a document so that it says something else; what is not changed stays as it is.

    Raises:
        ImportError: tomlkit is not installed.
        NotFaithfulError: There is no way found to say what is wanted there.
        TypeError: A value is none that TOML can hold.
        ValueError: A text, a number or a null that TOML cannot hold.
    """
    if same(document.data, wanted, ordered=False):
        return document.text
    parsed = _tomlkit().parse(document.text)
    line_end = "\r\n" if "\r\n" in document.text else "\n"
    if parsed.as_string() != document.text:
        # It would change more than is wanted.
        raise NotFaithfulError
    try:
        _change(parsed, document.data, wanted, line_end)
        text: str = parsed.as_string()
        if not document.text.endswith(2 * line_end):
            # What stood before a table that is gone.
            text = text.removesuffix(line_end) if text.endswith(2 * line_end) else text
    except _tomlkit().exceptions.TOMLKitError as error:
        raise NotFaithfulError from error
    found = read_toml(text)
    if not found.readable or not same(found.data, wanted, ordered=False):
        raise NotFaithfulError
    return text


def toml_text(text: str, like: str = "") -> str:
    """Write a text.

    Args:
        text: The text.
        like: How it is written now, for the quotes to stay what they are where they can.

    Raises:
        ValueError: It holds half of a surrogate pair.

    >>> toml_text("one"), toml_text("1 and 2", like="'one'")
    ('"one"', "'1 and 2'")
    """
    if _SURROGATE.search(text):
        return _quoted(text)
    has_lines = "\n" in text
    plain = not _CONTROL.search(text)
    if plain and like[:1] == "'" != like[1:2] and not has_lines and "'" not in text:
        return f"'{text}'"
    if not has_lines and not like.startswith(('"""', "'''")):
        return _quoted(text)
    may_be_literal = plain and "'''" not in text and not text.endswith("'")
    wants_literal = like.startswith("'") or (not like.startswith('"') and "\\" in text)
    if may_be_literal and wants_literal:
        return f"'''\n{text}'''"
    inner = _escaped(text).replace('"""', '""\\"')
    if inner.endswith('"'):
        inner = inner[:-1] + '\\"'
    return f'"""\n{inner}"""'


def _escaped(text: str) -> str:
    text = text.replace("\\", "\\\\")
    return _CONTROL.sub(lambda match: f"\\u{ord(match[0]):04X}", text)


def _tomlkit() -> Any:
    try:
        return import_module("tomlkit")
    except ImportError as error:
        raise ImportError(NEEDED) from error


def _item(value: Any, like: str = "", line_end: str = "\n") -> Any:
    tomlkit = _tomlkit()
    if isinstance(value, dict):
        table = tomlkit.table()
        for key, each in value.items():
            table[key] = _item(each)
        return table
    if isinstance(value, str):
        written = toml_text(value, like).replace("\n", line_end)
    else:
        written = _in_line(value)
    return tomlkit.parse(f"value = {written}\n")["value"]


def _in_line(value: Any) -> str:
    """Write a value on one line."""
    if value is None:
        msg = "TOML has no null"
        raise ValueError(msg)
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if isinstance(value, list):
        return f"[{', '.join(map(_in_line, value))}]"
    if isinstance(value, dict):
        pairs = (f"{_written_key(key)} = {_in_line(each)}" for key, each in value.items())
        return f"{{ {', '.join(pairs)} }}" if value else "{}"
    return repr(value)


def _written_key(key: str) -> str:
    return _quoted(key) if not key or _NOT_BARE.search(key) else key


def _quoted(text: str) -> str:
    if _SURROGATE.search(text):
        msg = "half of a surrogate pair"
        raise ValueError(msg)
    return '"' + _escaped(text).replace('"', '\\"').replace("\n", "\\n") + '"'


def _change(container: Any, old: Mapping[str, Any], new: Mapping[str, Any], line_end: str) -> None:
    for key in old:
        if key not in new:
            del container[key]
    for key, value in new.items():
        if key not in old:
            container[key] = _item(checked(value), line_end=line_end)
        elif isinstance(value, dict) and isinstance(old[key], dict):
            _change(container[key], old[key], value, line_end)
        elif isinstance(value, list) and isinstance(old[key], list):
            _change_array(container, key, old[key], value, line_end)
        elif not same(old[key], value):
            like = container[key].as_string() if isinstance(old[key], str) else ""
            container[key] = _item(checked(value), like, line_end)


def _change_array(container: Any, key: str, old: list[Any], new: list[Any], line_end: str) -> None:
    """Change a list, of which items that stay keep their lines and comments."""
    if same(old, new):
        return
    array = container[key]
    is_plain = not any(isinstance(item, dict | list) for item in [*old, *new])
    if not is_plain or "\n" not in array.as_string():
        container[key] = _item(checked(new), "", line_end)
        return
    pieces = difflib.SequenceMatcher(
        None, list(map(repr, old)), list(map(repr, new)), autojunk=False
    )
    # From the end, so that the places of what stands before stay what they are.
    for _, first, last, start, end in reversed(pieces.get_opcodes()):
        shared = min(last - first, end - start)
        if old[first : first + shared] != new[start : start + shared]:
            for offset in range(shared):
                array[first + offset] = _item(checked(new[start + offset]))
        for index in reversed(range(first + shared, last)):
            del array[index]
        for offset in range(shared, end - start):
            array.insert(first + offset, _item(checked(new[start + offset])))
    if read_toml(f"{_written_key(key)} = {array.as_string()}").data != {key: new}:
        # Comments at some places get into the way of its writer.
        container[key] = _item(checked(new), "", line_end)


def _plain(value: Any, depth: int) -> Any:
    if depth > MAX_DEPTH:
        raise RecursionError
    if isinstance(value, dict):
        return {key: _plain(each, depth + 1) for key, each in value.items()}
    if isinstance(value, list):
        return [_plain(each, depth + 1) for each in value]
    return value.isoformat() if isinstance(value, date | datetime | time) else value


def _note_syntax(document: Document, message: str) -> None:
    digits = _LONG_NUMBER.search(document.text)
    if "set_int_max_str_digits" in message and digits is not None:
        what = f"{quoted(digits[0])} is no number that can be kept"
        document.problems.append(document.at(BAD_NUMBER.problem(what), *digits.span()))
        return
    place = _PLACE.search(message)
    start = len(document.text)
    if place is not None and place["line"] is not None:
        lines = document.text.split("\n")
        before = sum(len(line) + 1 for line in lines[: int(place["line"]) - 1])
        start = min(before + int(place["column"]) - 1, start)
    what = message[: place.start()] if place is not None else message
    what = what[:1].lower() + what[1:]
    document.problems.append(document.at(TOML_SYNTAX.problem(f"not TOML: {what}"), start, start))


def _deepest(text: str) -> int:
    """Find where brackets open that are more than may stand in each other."""
    depth, start = 0, 0
    for part in _PART.finditer(text):
        if part[0] in ("[", "{"):
            depth += 1
            start = part.start()
            if depth > MAX_DEPTH:
                break
        elif part[0] in ("]", "}"):
            depth -= 1
    return start


def _places(text: str) -> dict[Path, Place]:
    """Find the keys of a text that is TOML, by their paths."""
    found: dict[Path, Place] = {}
    sizes: dict[Path, int] = {}
    table: Path = ()
    position = 0
    while position < len(text):
        header = _HEADER.match(text, position)
        statement = None if header is not None else _KEY.match(text, position)
        if header is not None:
            table = _note_table(header, found, sizes)
        if statement is None:
            position = _end_of_line(text, position)
            continue
        end, position = _end_of_value(text, statement.end())
        path = table
        for name, start, stop in _names_in(statement):
            path = (*path, name)
            found.setdefault(path, (start, stop, statement.end(), end))
    return found


def _note_table(header: re.Match[str], found: dict[Path, Place], sizes: dict[Path, int]) -> Path:
    """Note the keys of the header of a table, and give its path."""
    path: Path = ()
    *above, last = _names_in(header)
    for name, start, stop in above:
        path = (*path, name)
        found.setdefault(path, (start, stop, start, stop))
        if path in sizes:
            # Of an array the last table is meant.
            path = (*path, sizes[path] - 1)
    name, start, stop = last
    path = (*path, name)
    found.setdefault(path, (start, stop, start, stop))
    if header["of_array"]:
        sizes[path] = sizes.get(path, 0) + 1
        path = (*path, sizes[path] - 1)
        found[path] = (start, stop, start, stop)
    return path


def _names_in(match: re.Match[str]) -> list[tuple[str, int, int]]:
    first = match.start("names")
    return [
        (_name(each[0]), first + each.start(), first + each.end())
        for each in _ONE_NAME.finditer(match["names"])
    ]


def _name(key: str) -> str:
    if not _NOT_BARE.search(key):
        return key
    return str(next(iter(_TOML.loads(f"{key} = 0"))))


def _end_of_line(text: str, start: int) -> int:
    end = text.find("\n", start)
    return len(text) if end < 0 else end + 1


def _end_of_value(text: str, start: int) -> tuple[int, int]:
    """Give where a value ends, and where the line behind it begins."""
    depth, position, end = 0, start, start
    while position < len(text):
        part = _PART.match(text, position)
        piece = "" if part is None else part[0]
        position += len(piece)
        if piece == "\n" and not depth:
            break
        if piece in ("[", "{"):
            depth += 1
        elif piece in ("]", "}"):
            depth -= 1
        if piece.strip() and not piece.startswith("#"):
            end = position - (len(piece) - len(piece.rstrip()))
    return end, position
