"""New JSON inside of JSON that is there: indented, spaced and escaped like it."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from attrs import evolve, frozen

_LOOKED_AT = 50_000
_NESTED = re.compile(r"[{\[]\r?\n([ \t]+)")
_INLINE = re.compile(r"[{\[][ \t]*[^ \t\r\n{\[\]}]")
_INLINE_LIST = re.compile(r'\[[ \t]*["\-0-9tfn]')
_OPEN_LIST = re.compile(r"\[[ \t]*\r?\n")


@frozen
class JsonWriter:
    """Writes values as a document has them."""

    indent: str | None
    """What a level is indented with; None where all stands on one line."""

    line_end: str
    inline_lists: bool
    """Whether a list of nothing but scalars stands on one line."""

    colon: str
    item_gap: str
    """What stands behind the comma between two items of a line."""

    ascii: bool
    """Whether what is not ASCII is escaped."""

    @classmethod
    def of(cls, text: str) -> "JsonWriter":
        """Look at a document, or at the beginning of one that is long."""
        is_ascii, text = text.isascii(), text[:_LOOKED_AT]
        colons = Counter(re.findall(r'"[ \t]*:[ \t]*', text))
        colon = colons.most_common(1)[0][0][1:] if colons else ": "
        inline = len(_INLINE_LIST.findall(text)) >= len(_OPEN_LIST.findall(text))
        tight = re.search(r'["\]}0-9],["\[{0-9]', text) is not None
        indent = _step(text)
        return cls(
            indent=indent,
            line_end="\r\n" if "\r\n" in text else "\n",
            inline_lists=inline and _INLINE_LIST.search(text) is not None,
            colon=colon,
            item_gap="" if tight and indent is None else " ",
            ascii=is_ascii and re.search(r"\\u[0-9a-fA-F]{4}", text) is not None,
        )

    def scalar(self, value: Any, quote: str = "", *, flow: bool = True) -> str:
        """Write a value that is no container."""
        return json.dumps(value, ensure_ascii=self.ascii)

    def key(self, name: str, quote: str = "") -> str:
        """Write a key."""
        return self.scalar(name)

    def in_line(self) -> "JsonWriter":
        """Give a writer that puts all on one line."""
        return evolve(self, indent=None)

    def quote_among(self, nodes: Iterable[Any]) -> str:
        """Give nothing: there is one kind of quotes."""
        return ""

    def value(self, value: Any, pad: str, quote: str = "", key_quote: str = "") -> str:
        """Write a value; `pad` is what its line is indented with."""
        if isinstance(value, dict) and value:
            items = [
                f"{self.scalar(key)}{self.colon}{self.value(value[key], self.deeper(pad))}"
                for key in value
            ]
            return self.joined("{", items, "}", pad, inline=self.indent is None)
        if isinstance(value, list) and value:
            flat = not any(isinstance(item, dict | list) for item in value)
            items = [self.value(item, self.deeper(pad)) for item in value]
            inline = self.indent is None or (flat and self.inline_lists)
            return self.joined("[", items, "]", pad, inline=inline)
        return self.scalar(value)

    def deeper(self, pad: str) -> str:
        """Indent by one level more."""
        return pad + (self.indent or "")

    def joined(self, first: str, items: list[str], last: str, pad: str, *, inline: bool) -> str:
        """Put brackets around items."""
        if inline:
            return first + f",{self.item_gap}".join(items) + last
        inner = self.line_end + self.deeper(pad)
        return first + inner + f",{inner}".join(items) + self.line_end + pad + last


def _step(text: str) -> str | None:
    """Find what one level is indented with: the smallest indentation there is."""
    if _NESTED.search(text):
        indents = re.finditer(r"\n([ \t]+)[^ \t\r\n]", text)
        return min((indent[1] for indent in indents), key=len, default=None)
    # Where nothing tells, as in an empty document, lines are what people read best.
    return None if _INLINE.search(text) else "  "
