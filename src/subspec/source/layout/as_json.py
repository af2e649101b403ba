"""The lines of a document of JSON."""

from collections.abc import Iterator
from typing import Any

from subspec.problems import Path
from subspec.source.layout.as_yaml import STEP, WIDTH
from subspec.source.layout.order import Order
from subspec.source.tree import Collection, Node


class JsonLines:
    """Writes JSON; its texts and numbers stay as they are."""

    def __init__(self, text: str, order: Order) -> None:
        self.text = text
        self.order = order

    def of(self, head: str, node: Node, data: Any, path: Path, tail: str = "") -> Iterator[str]:
        """Give the lines of a value; `head` and `tail` are what stands around it."""
        line = self.on_one_line(node)
        if line is not None:
            line = f"{head}{line}{tail}"
            if len(line) <= WIDTH or not _has_entries(node):
                yield line
                return
        opening, closing = "{}" if isinstance(data, dict) else "[]"
        pad = " " * (len(head) - len(head.lstrip(" ")))
        yield head + opening
        entries = list(self.entries(node, data, path))
        for position, (label, value, part) in enumerate(entries, 1):
            comma = "," if position < len(entries) else ""
            inner = f"{pad}{' ' * STEP}{label}"
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
