"""How new text is written so that it looks like what stands around it."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import islice
from typing import Any, TypeAlias

from attrs import evolve, frozen

from subspec.source.edit.places import Places
from subspec.source.emit import Layout, YamlWriter
from subspec.source.jsonstyle import JsonWriter
from subspec.source.scalars import CONSTANTS
from subspec.source.tree import Collection, Node, Scalar, nodes_in

QUOTES = ("'", '"')
LONGEST_KEY = 1000
"""How long a key may be for which nobody has to look twice: for readers 1024 characters."""

_LOOKED_AT = 2_000
_ENTRIES = 100
SIBLINGS = 20
"""How many of those around something are looked at, to be like them."""


class QuotingWriter(YamlWriter):
    """Puts texts and keys in quotes, also where they need none.

    Args:
        layout: How a text is laid out.
        quote: The quote for texts; empty for quotes where they are needed.
        key_quote: The same for keys.
    """

    def __init__(self, layout: Layout, quote: str = "", key_quote: str = "") -> None:
        super().__init__(layout)
        self.quote = quote
        self.key_quote = key_quote
        self.in_quotes = False
        """Whether every text stands in double quotes, which hold all that there is."""

    def fits_block(self, text: str) -> bool:
        """Tell whether a literal block may hold a text."""
        return not self.in_quotes and super().fits_block(text)

    def on_one_line(self, value: Any, *, flow: bool = False) -> str:
        """Write a value that is no collection on one line."""
        if isinstance(value, str):
            return self.quoted(value, self.quote, flow=flow)
        return super().on_one_line(value, flow=flow)

    def string(self, text: str, *, flow: bool = False) -> str:
        """Write a key."""
        return self.quoted(text, self.key_quote, flow=flow)

    def quoted(self, text: str, quote: str, *, flow: bool = False) -> str:
        """Write a text in quotes of a kind if they can hold it."""
        if quote == '"' or self.in_quotes:
            return self.double(text)
        if quote == "'":
            return self.single(text) or self.double(text)
        return super().string(text, flow=flow)


@frozen
class YamlStyle:
    """How a YAML document is laid out, as far as it tells."""

    layout: Layout
    lists: Mapping[str, bool]
    """Whether the lists of a key stand in brackets."""

    colon: str = ": "
    item_gap: str = " "

    @classmethod
    def of(cls, root: Node, places: Places, forbidden: str | None) -> "YamlStyle":
        """Look at a document."""
        steps: Counter[int] = Counter()
        dashes: Counter[int] = Counter()
        flow: Counter[bool] = Counter()
        by_key: dict[str, Counter[bool]] = {}
        for node in islice(nodes_in(root), _LOOKED_AT):
            if not isinstance(node, Collection) or node.kind != "mapping":
                continue
            for key, value in islice(zip(node.keys, node.values, strict=True), _ENTRIES):
                if not isinstance(value, Collection) or not value.values:
                    continue
                if value.kind == "list":
                    flow[value.flow] += 1
                    by_key.setdefault(_name(key), Counter())[value.flow] += 1
                if not node.flow and not value.flow:
                    step = places.column(value.inner) - places.column(node.inner)
                    (steps if value.keys else dashes)[step] += 1
        step = max(_most(steps, 2), 1)
        layout = Layout(
            step=step,
            dash=max(_most(dashes, step), 0),
            flow_lists=_most(flow, otherwise=True),
            forbidden=forbidden,
        )
        return cls(layout, {key: _most(counts) for key, counts in by_key.items()})

    def writer(self, key: str = "", quote: str = "", key_quote: str = "") -> QuotingWriter:
        """Make a writer for the value of a key."""
        flow = self.lists.get(key, self.layout.flow_lists)
        return QuotingWriter(evolve(self.layout, flow_lists=flow), quote, key_quote)

    def scalar(self, value: Any, quote: str, *, flow: bool) -> str:
        """Write a value that is no container, a text in quotes of a kind if it can be."""
        return self.writer(quote=quote).on_one_line(value, flow=flow)

    def key(self, name: str, quote: str, *, flow: bool = True) -> str:
        """Write a key."""
        written = self.writer(key_quote=quote).string(name, flow=flow)
        return f"? {written}" if flow and len(written) > LONGEST_KEY else written

    def value(self, value: Any, pad: str, quote: str, key_quote: str) -> str:
        """Write a value in brackets."""
        return self.writer(quote=quote, key_quote=key_quote).flow(value)

    def in_line(self) -> "YamlStyle":
        """Give the style for what stands on one line; in brackets all of YAML does."""
        return self

    def quote_among(self, nodes: Iterable[Node]) -> str:
        """Give the quote in which texts stand that would not need it, if they all do."""
        found = set()
        for node in islice(nodes, SIBLINGS):
            if not isinstance(node, Scalar) or not isinstance(node.value, str):
                continue
            if node.style in QUOTES and self.writer().plain(node.value, flow=True):
                found.add(node.style)
            elif not node.style and not _may_be_no_text(node.value):
                found.add("")
        return found.pop() if len(found) == 1 else ""


FlowStyle: TypeAlias = YamlStyle | JsonWriter
"""Writes what stands in brackets."""


def _may_be_no_text(written: str) -> bool:
    return written in CONSTANTS or re.match(r"[-+.]?[0-9]", written) is not None


def _name(key: Node) -> str:
    return str(getattr(key, "value", ""))


def _most(counts: Counter[Any], otherwise: Any = None) -> Any:
    return counts.most_common(1)[0][0] if counts else otherwise
