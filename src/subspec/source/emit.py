"""Plain data to new YAML or JSON text.

PyYAML's own emitter folds long lines and refuses literal blocks for texts with tabs, trailing
blanks or leading spaces, which prompts are full of. This one never folds, writes every text a
literal block can hold as a block, and quotes whatever a YAML 1.1 or a YAML 1.2 core reader would
take for something other than that very string.
"""

import json
import math
import re
from collections.abc import Collection, Iterator, Mapping
from typing import TypeAlias

from subspec.shapes import MAX_DEPTH

__all__ = ["emit_json", "emit_yaml"]

Plain: TypeAlias = "dict[str, Plain] | list[Plain] | str | int | float | bool | None"
Path: TypeAlias = tuple[str | int, ...]

_MAX_FLOW_WIDTH = 88
# Readers refuse a simple key of more than 1024 characters; a line stops being legible long before.
_MAX_SIMPLE_KEY = 120

_SURROGATE = re.compile("[\ud800-\udfff]")

_ASTRAL_NONCHARACTERS = "".join(
    chr(plane << 16 | 0xFFFE) + chr(plane << 16 | 0xFFFF) for plane in range(1, 17)
)
# Readers reject these, or take them for a line break (U+0085, U+2028, U+2029), or drop them
# (U+FEFF), so they appear as an escape only. Tab and newline are apart: a block can hold them.
_UNSAFE = (
    r"\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufdd0-\ufdef\ufffe\uffff"
    + _ASTRAL_NONCHARACTERS
)
_NOT_IN_BLOCK = re.compile(f"[{_UNSAFE}]")
_NOT_IN_SINGLE_QUOTES = re.compile(rf"[\t\n{_UNSAFE}]")
_ESCAPED = re.compile(rf'["\\\t\n{_UNSAFE}]')

_PLAIN = re.compile(
    rf"""
    (?! (?i:                                         # what a reader takes for another type
        ~ | = | << | null | true | false | yes | no | on | off | y | n
        | \. (?:inf|nan)
        | 0b[01_]+ | 0o[0-7_]+ | 0x[0-9a-f_]+
        | [0-9][0-9_]* (?: :[0-9]+ )+ (?: \.[0-9_]* )?
        | (?: [0-9][0-9_]* (?: \.[0-9_]* )? | \.[0-9_]+ ) (?: e[-+]?[0-9_]+ )?
        | [0-9]{{4}}-[0-9]{{1,2}}-[0-9]{{1,2}} (?: (?: t | \s+ ) [0-9].* )?
    ) \Z )
    (?! [\s\-+?:,\[\]{{}}\#&*!|>'"%@`] | \.\.\. )    # what begins a sign or some construct
    (?! .* (?: \s\# | :\s | :\Z | \s\Z ) )           # what ends a plain scalar early
    [^\t\n{_UNSAFE}]+ \Z
    """,
    re.VERBOSE,
)
# In a flow sequence PyYAML ends a plain scalar at a question mark too.
_ENDS_PLAIN_IN_FLOW = re.compile(r"[,?\[\]{}]")
# A reader cannot guess the indentation from a first line that itself begins with a blank.
_NEEDS_INDICATOR = re.compile(r"\n*[ \t]")


def emit_yaml(data: object, *, block_keys: Collection[str] = frozenset({"prompt"})) -> str:
    """Write data as a YAML document that YAML 1.1 and 1.2 core readers read back alike.

    Args:
        data: Mappings, lists, tuples, strings, integers, floats, booleans and None, nested.
        block_keys: Keys whose string values become literal blocks even when they are one line.

    Returns:
        The text, ending with one newline unless a final block has to keep more.

    Raises:
        TypeError: A value of another type, or a key that is not a string.
        ValueError: A NaN or infinite float, an integer too long to print, a lone surrogate in a
            string, or collections nested too deep (as they are in a cycle).
    """
    writer = _YamlWriter(block_keys)
    writer.node("", _checked(data, ()), -2)
    return "\n".join(writer.lines) + "\n"


def emit_json(data: object) -> str:
    """Write data as JSON, indented by two, with unicode as it is.

    Args:
        data: Mappings, lists, tuples, strings, integers, floats, booleans and None, nested.

    Returns:
        The text, ending with one newline.

    Raises:
        TypeError: A value of another type, or a key that is not a string.
        ValueError: A NaN or infinite float, an integer too long to print, a lone surrogate in a
            string, or collections nested too deep (as they are in a cycle).
    """
    return json.dumps(_checked(data, ()), indent=2, ensure_ascii=False) + "\n"


def _checked(data: object, path: Path) -> Plain:
    """Return data in the built-in types alone, so that no subclass decides how it prints."""
    if data is None or isinstance(data, bool):
        return data
    if isinstance(data, str):
        return _checked_text(data, path)
    if isinstance(data, int):
        return _checked_int(data, path)
    if isinstance(data, float):
        return _checked_float(data, path)
    if isinstance(data, (Mapping, list, tuple)) and len(path) >= MAX_DEPTH:
        msg = f"{_where(path[:4])}...: nested more than {MAX_DEPTH} levels deep"
        raise ValueError(msg)
    if isinstance(data, Mapping):
        return {
            _checked_key(key, path): _checked(value, (*path, key)) for key, value in data.items()
        }
    if isinstance(data, (list, tuple)):
        return [_checked(item, (*path, index)) for index, item in enumerate(data)]
    msg = f"{_where(path)}: cannot write a value of type {type(data).__name__}"
    raise TypeError(msg)


def _checked_key(key: object, path: Path) -> str:
    if isinstance(key, str):
        return _checked_text(key, (*path, key))
    msg = f"{_where(path)}: key {key!r} is not a string"
    raise TypeError(msg)


def _checked_text(text: str, path: Path) -> str:
    if _SURROGATE.search(text):
        msg = f"{_where(path)}: text with a lone surrogate"
        raise ValueError(msg)
    return str.__str__(text)


def _checked_int(number: int, path: Path) -> int:
    try:
        int.__repr__(number)
    except ValueError as error:
        msg = f"{_where(path)}: {error}"
        raise ValueError(msg) from error
    return int.__int__(number)


def _checked_float(number: float, path: Path) -> float:
    if not math.isfinite(number):
        msg = f"{_where(path)}: {float.__repr__(number)} is not a finite number"
        raise ValueError(msg)
    return float.__float__(number)


def _where(path: Path) -> str:
    # The quoted form also keeps a surrogate in a key from spoiling the message.
    return "data" + "".join(f"[{part!r}]" for part in path)


class _YamlWriter:
    """The lines of one document.

    In its methods ``indent`` is the column of the collection that holds the value, and ``head``
    is the line up to the value: it ends with ``:`` or ``-``, or is empty for the whole document.
    """

    def __init__(self, block_keys: Collection[str]) -> None:
        self.lines: list[str] = []
        self.block_keys = block_keys

    def node(self, head: str, value: Plain, indent: int, *, block: bool = False) -> None:
        if isinstance(value, dict) and value:
            self.mapping(self.lead(head, indent + 2), value, indent + 2)
        elif isinstance(value, list) and value:
            self.sequence(head, value, indent)
        elif isinstance(value, str) and _goes_to_block(value, force=block, root=not head):
            self.lines.append(_after(head, _block_header(value)))
            self.lines.extend(_block_body(value, " " * max(indent + 2, 2)))
        else:
            self.lines.append(_after(head, _on_one_line(value)))

    def lead(self, head: str, indent: int) -> str:
        """Return what begins the first line of a block collection."""
        if head.endswith(":"):
            self.lines.append(head)
            return " " * indent
        return _after(head, "")

    def mapping(self, lead: str, mapping: dict[str, Plain], indent: int) -> None:
        for key, value in mapping.items():
            name = _string(key)
            if len(name) > _MAX_SIMPLE_KEY:
                self.lines.append(f"{lead}? {name}")
                head = " " * indent + ":"
            else:
                head = f"{lead}{name}:"
            self.node(head, value, indent, block=key in self.block_keys)
            lead = " " * indent

    def sequence(self, head: str, items: list[Plain], indent: int) -> None:
        line = _flow_line(head, items)
        if line is not None:
            self.lines.append(line)
            return
        lead = self.lead(head, indent + 2)
        for item in items:
            self.node(f"{lead}-", item, indent + 2)
            lead = " " * (indent + 2)


def _after(head: str, text: str) -> str:
    return f"{head} {text}" if head else text


def _needs_own_lines(item: Plain) -> bool:
    return isinstance(item, (dict, list)) or (isinstance(item, str) and _goes_to_block(item))


def _flow_line(head: str, items: list[Plain]) -> str | None:
    if any(map(_needs_own_lines, items)):
        return None
    line = _after(head, "[" + ", ".join(_on_one_line(item, flow=True) for item in items) + "]")
    return line if len(line) <= _MAX_FLOW_WIDTH else None


def _goes_to_block(text: str, *, force: bool = False, root: bool = False) -> bool:
    if not force and "\n" not in text:
        return False
    # Readers differ on what an indentation indicator counts from outside any collection.
    if root and _NEEDS_INDICATOR.match(text):
        return False
    return bool(text.strip()) and not _NOT_IN_BLOCK.search(text)


def _block_header(text: str) -> str:
    indicator = "2" if _NEEDS_INDICATOR.match(text) else ""
    if not text.endswith("\n"):
        return f"|{indicator}-"
    return f"|{indicator}+" if text.endswith("\n\n") else f"|{indicator}"


def _block_body(text: str, pad: str) -> Iterator[str]:
    for line in text.removesuffix("\n").split("\n"):
        yield pad + line if line else ""


def _on_one_line(value: Plain, *, flow: bool = False) -> str:
    if isinstance(value, str):
        return _string(value, flow=flow)
    text = json.dumps(value)
    # JSON's spellings are YAML's too, but a YAML 1.1 reader takes 1e+16 for a string.
    if isinstance(value, float) and "." not in text:
        return text.replace("e", ".0e")
    return text


def _string(text: str, *, flow: bool = False) -> str:
    if _PLAIN.match(text) and not (flow and _ENDS_PLAIN_IN_FLOW.search(text)):
        return text
    if ('"' in text or "\\" in text) and not _NOT_IN_SINGLE_QUOTES.search(text):
        return "'" + text.replace("'", "''") + "'"
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    # JSON writes an astral character as two surrogates, which YAML readers do not join.
    if character > "\uffff":
        return f"\\U{ord(character):08x}"
    return json.dumps(character)[1:-1]
