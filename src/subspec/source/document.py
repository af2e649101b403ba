"""Data that was read from text, and where in the text every key and value stands."""

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from functools import cached_property
from itertools import accumulate
from typing import Any, Literal

from attrs import define, evolve, field

from subspec.problems import CODES, Path, Problem, Span

Marks = dict[int, list[int]]
"""Offsets of what a container holds, by the ``id`` of the container.

A list has two numbers for each item (start, end), a mapping four for each key in its order (start
and end of the key, start and end of the value). They count characters of the text from 0. Plain
numbers in one list are what makes it cheap enough to keep the place of everything.
"""

_BLANKS = "\r\n \t"
_LINE_END = re.compile(r"\r\n|\r|\n")


@define
class Document:
    """Plain data with the place of every key and value.

    Mappings are dicts with keys of text, lists are lists, and scalars are None, bool, int, float
    and str. A part that is reached through an alias is the same object in each place.
    """

    text: str
    """The text, without a byte order mark."""

    data: Any = None
    """What the text says, None when it cannot be read at all."""

    span: tuple[int, int] = (0, 0)
    """Where the data stands: offsets of its start and its end."""

    marks: Marks = field(factory=dict, repr=False)
    """Where its parts stand."""

    problems: list[Problem] = field(factory=list)
    """What is wrong with the text, with places."""

    readable: bool = True
    """Whether :attr:`data` is what the text says, up to the problems listed."""

    file: str | None = None
    """The name of the file for messages."""

    media: Literal["yaml", "json"] = "yaml"
    """What the text was read as."""

    raw: bytes | None = field(default=None, repr=False)
    """The bytes of the file, where there is one."""

    repeats: dict[tuple[int, str], Problem] = field(factory=dict, repr=False)
    """What was noted of keys that are given again, by the id of their mapping and the key."""

    _excerpts: dict[int, str] = field(factory=dict, repr=False)
    _indexes: dict[int, dict[str, int]] = field(factory=dict, repr=False)
    _keys: dict[int, dict[int, str]] = field(factory=dict, repr=False)

    @cached_property
    def _line_starts(self) -> list[int]:
        if "\r" in self.text:
            return [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        # The same in a tenth of the time, for the files that have no other line ends.
        return [0, *accumulate(map((1).__add__, map(len, self.text.split("\n"))))]

    def spell(self, start: int, end: int) -> Span:
        """Say a stretch of the text in lines and columns.

        A stretch that ends in line ends, as that of a block scalar does, is cut before them.
        """
        if self.text[end - 1 : end] in _BLANKS:
            end = start + len(self.text[start:end].rstrip(_BLANKS))
        starts = self._line_starts
        first = bisect_right(starts, start)
        last = bisect_right(starts, end, first - 1)
        return Span(first, start - starts[first - 1] + 1, last, end - starts[last - 1] + 1)

    def spell_once(self, start: int, end: int) -> Span:
        """Say the same of a stretch where no other is asked for, as in a file without faults.

        The lines behind it, which are most of a Markdown file, need not be counted.
        """
        text = self.text
        if "\r" in text:
            return self.spell(start, end)
        end = start + len(text[start:end].rstrip(_BLANKS))
        line = text.count("\n", 0, start) + 1
        last = line + text.count("\n", start, end)
        return Span(line, start - text.rfind("\n", 0, start), last, end - text.rfind("\n", 0, end))

    def excerpt(self, line: int) -> str:
        """Give the text of a line, counted from 1, without its end."""
        # A line can be long, and have many faults: each of them shows the same text.
        if line not in self._excerpts:
            starts = self._line_starts
            end = starts[line] if line < len(starts) else len(self.text)
            self._excerpts[line] = self.text[starts[line - 1] : end].rstrip("\r\n")
        return self._excerpts[line]

    def offsets(self, path: Path, at: Literal["key", "value"] = "value") -> tuple[int, int]:
        """Find a key or a value; where a part of the path is missing, the last key that is there.

        The items of a list have no key: their value is given for it.
        """
        node, found = self.data, self.span
        for depth, part in enumerate(path):
            position = self._position(node, part)
            if position is None:
                return found
            marks = self.marks[id(node)]
            node = node[part]
            if isinstance(part, int):
                found = marks[position * 2], marks[position * 2 + 1]
                continue
            # What is missing below is best shown by the key of what it is missing from.
            key_wanted = (
                at == "key" if depth == len(path) - 1 else self._is_missing(node, path[depth + 1])
            )
            offset = position * 4 + (0 if key_wanted else 2)
            found = marks[offset], marks[offset + 1]
        return found

    def repeats_on(self, path: Path) -> list[Problem]:
        """Give what was noted of the keys on a path that are given more than once."""
        found, node = [], self.data
        for part in path:
            found += [self.repeats[at] for at in [(id(node), str(part))] if at in self.repeats]
            node = node.get(part) if isinstance(node, dict) else None
        return found

    def value_spans(self, container: Any) -> Iterator[Span]:
        """Give the places of the values of a mapping, in its order."""
        marks = self.marks.get(id(container), [])
        for position in range(2, len(marks), 4):
            yield self.spell(marks[position], marks[position + 1])

    def place(self, problems: Iterable[Problem]) -> list[Problem]:
        """Give problems that have a path their file, span and source line."""
        return [self._placed(problem) for problem in problems]

    def _placed(self, problem: Problem) -> Problem:
        if problem.span is not None or not self.text:
            return problem if problem.file else evolve(problem, file=self.file)
        span = self.spell(*self.offsets(problem.path, CODES[problem.code].at))
        return evolve(problem, file=self.file, span=span, excerpt=self.excerpt(span.line))

    def at(self, problem: Problem, start: int, end: int) -> Problem:
        """Give a problem the place of a stretch of text."""
        span = self.spell(start, end)
        return evolve(problem, file=self.file, span=span, excerpt=self.excerpt(span.line))

    def key_at(self, mapping: dict[str, Any], offset: int) -> str | None:
        """Give the key of a mapping that stands at an offset, if one does."""
        if id(mapping) not in self._keys:
            marks = self.marks.get(id(mapping), [])
            self._keys[id(mapping)] = dict(zip(marks[::4], mapping, strict=False))
        return self._keys[id(mapping)].get(offset)

    def _is_missing(self, node: Any, part: str | int) -> bool:
        return self._position(node, part) is None

    def _position(self, node: Any, part: str | int) -> int | None:
        if isinstance(part, int):
            return part if isinstance(node, list) and part < len(node) else None
        if not isinstance(node, dict):
            return None
        index = self._indexes.get(id(node))
        if index is None:
            index = self._indexes[id(node)] = {key: i for i, key in enumerate(node)}
        return index.get(part)
