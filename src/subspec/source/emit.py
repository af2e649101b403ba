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

from attrs import frozen

from subspec.shapes import MAX_DEPTH

__all__ = ["Layout", "YamlWriter", "emit_json", "emit_yaml"]

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
    writer = YamlWriter(Layout(block_keys=frozenset(block_keys)))
    writer.node("", checked(data), 0)
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
    return json.dumps(checked(data), indent=2, ensure_ascii=False) + "\n"


def checked(data: object) -> Plain:
    """Give data in the built-in types alone, so that no subclass decides how it prints.

    Raises:
        TypeError: A value of another type, or a key that is not a string.
        ValueError: A value that no file can hold, or that is nested too deep.
    """
    return _checked(data, ())


def _checked(data: object, path: Path) -> Plain:
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


@frozen
class Layout:
    """How a text is laid out."""

    step: int = 2
    """How far a mapping in a mapping is indented."""

    dash: int = 2
    """How far a list in a mapping is indented."""

    flow_lists: bool = True
    """Whether a short list stands in brackets."""

    block_keys: Collection[str] = frozenset({"prompt"})
    """Keys whose text becomes a literal block even when it is one line."""

    forbidden: str | None = None
    """What the text may hold nowhere: two dashes and more, to be written as an escape."""


class YamlWriter:
    """The lines of one document, or of a part of one.

    In its methods ``indent`` is the column of the collection that holds the value, and ``head``
    is the line up to the value: it ends with ``:`` or ``-``, or is empty for the whole document.
    """

    def __init__(self, layout: Layout) -> None:
        self.lines: list[str] = []
        self.layout = layout

    def node(self, head: str, value: Plain, indent: int, *, block: bool = False) -> None:
        """Write a value."""
        inner = indent + _inner_step(head, self.layout.step)
        if isinstance(value, dict) and value:
            self.mapping(self.lead(head, inner), value, inner)
        elif isinstance(value, list) and value:
            self.sequence(head, value, indent)
        elif isinstance(value, str) and self.goes_to_block(value, force=block, root=not head):
            self.lines.append(_after(head, block_header(value, inner - indent if head else 2)))
            # A block of text is indented even where nothing stands around it.
            self.lines.extend(block_body(value, " " * (inner if head else 2)))
        else:
            self.lines.append(_after(head, self.on_one_line(value)))

    def lead(self, head: str, indent: int) -> str:
        """Return what begins the first line of a block collection."""
        if head.endswith(":"):
            self.lines.append(head)
            return " " * indent
        return _after(head, "")

    def mapping(self, lead: str, mapping: dict[str, Plain], indent: int) -> None:
        """Write the pairs of a mapping."""
        for key, value in mapping.items():
            name = self.string(key)
            if len(name) > _MAX_SIMPLE_KEY:
                self.lines.append(f"{lead}? {name}")
                head = " " * indent + ":"
            else:
                head = f"{lead}{name}:"
            self.node(head, value, indent, block=key in self.layout.block_keys)
            lead = " " * indent

    def sequence(self, head: str, items: list[Plain], indent: int) -> None:
        """Write a list, in brackets where it is short."""
        line = self.flow_line(head, items) if self.layout.flow_lists else None
        if line is not None:
            self.lines.append(line)
            return
        inner = indent + _inner_step(head, self.layout.dash)
        lead = self.lead(head, inner)
        for item in items:
            self.node(f"{lead}-", item, inner)
            lead = " " * inner

    def flow_line(self, head: str, items: list[Plain]) -> str | None:
        """Write a list on one line; None where it does not fit."""
        if any(map(self.needs_own_lines, items)):
            return None
        line = _after(head, self.flow(items))
        return line if len(line) <= _MAX_FLOW_WIDTH else None

    def flow(self, value: Plain) -> str:
        """Write a value so that it can stand in brackets, on one line."""
        if isinstance(value, dict):
            pairs = (f"{self.string(key, flow=True)}: {self.flow(value[key])}" for key in value)
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(self.flow, value)) + "]"
        return self.on_one_line(value, flow=True)

    def needs_own_lines(self, item: Plain) -> bool:
        """Tell whether an item is too much for a list in brackets."""
        return isinstance(item, (dict, list)) or (
            isinstance(item, str) and self.goes_to_block(item)
        )

    def goes_to_block(self, text: str, *, force: bool = False, root: bool = False) -> bool:
        """Tell whether a text is written as a literal block."""
        if not force and "\n" not in text:
            return False
        # Readers differ on what an indentation indicator counts from outside any collection.
        if root and _NEEDS_INDICATOR.match(text):
            return False
        return self.fits_block(text)

    def fits_block(self, text: str) -> bool:
        """Tell whether a literal block can hold a text."""
        if self.layout.forbidden is not None and self.layout.forbidden in text:
            return False
        return bool(text.strip()) and not _NOT_IN_BLOCK.search(text)

    def on_one_line(self, value: Plain, *, flow: bool = False) -> str:
        """Write a value that is no collection on one line."""
        if isinstance(value, str):
            return self.string(value, flow=flow)
        text = json.dumps(value)
        # JSON's spellings are YAML's too, but a YAML 1.1 reader takes 1e+16 for a string.
        if isinstance(value, float) and "." not in text:
            return text.replace("e", ".0e")
        return text

    def string(self, text: str, *, flow: bool = False) -> str:
        """Write a text on one line, with quotes where it needs them."""
        return self.plain(text, flow=flow) or self.single(text, sparing=True) or self.double(text)

    def plain(self, text: str, *, flow: bool = False) -> str | None:
        """Write a text without quotes; None where that would be read as something else."""
        if not _PLAIN.match(text) or (flow and _ENDS_PLAIN_IN_FLOW.search(text)):
            return None
        return self.allowed(text)

    def single(self, text: str, *, sparing: bool = False) -> str | None:
        """Write a text in single quotes; None where they cannot hold it.

        Args:
            text: The text.
            sparing: Only where double quotes would take escapes.
        """
        if _NOT_IN_SINGLE_QUOTES.search(text) or (sparing and not re.search(r'["\\]', text)):
            return None
        return self.allowed("'" + text.replace("'", "''") + "'")

    def double(self, text: str) -> str:
        """Write a text in double quotes, which can hold every text."""
        written = '"' + _ESCAPED.sub(_escape, text) + '"'
        return written if self.allowed(written) else written.replace("--", r"-\x2d")

    def allowed(self, written: str) -> str | None:
        """Give what was written unless it may stand nowhere."""
        forbidden = self.layout.forbidden
        return None if forbidden is not None and forbidden in written else written


def block_header(text: str, step: int = 2) -> str:
    """Give the sign that begins a literal block, which is indented by `step`."""
    indicator = str(step) if _NEEDS_INDICATOR.match(text) else ""
    if not text.endswith("\n"):
        return f"|{indicator}-"
    return f"|{indicator}+" if text.endswith("\n\n") else f"|{indicator}"


def block_body(text: str, pad: str) -> Iterator[str]:
    """Give the lines of a literal block."""
    for line in text.removesuffix("\n").split("\n"):
        yield pad + line if line else ""


def _inner_step(head: str, step: int) -> int:
    """Give how far what follows a head is indented: behind a dash always by two."""
    if not head:
        return 0
    return 2 if head.endswith("-") else step


def _after(head: str, text: str) -> str:
    return f"{head} {text}" if head else text


def _escape(match: re.Match[str]) -> str:
    character = match.group()
    # JSON writes an astral character as two surrogates, which YAML readers do not join.
    if character > "\uffff":
        return f"\\U{ord(character):08x}"
    return json.dumps(character)[1:-1]
