"""Comments that speak to us: ``# subspec: ignore[code]`` on a line, or on a line above it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from attrs import frozen

from subspec.problems import CODES, UNKNOWN_CODE, Problem, did_you_mean, quoted
from subspec.source.document import Document
from subspec.source.frontmatter import Fences

_IGNORE = re.compile(r"#[ \t]*subspec:[ \t]*ignore\[([^\]\r\n]*)\]")
_CODE = re.compile(r"[^\s,]+")


@frozen
class _Ignore:
    """One comment."""

    lines: tuple[int, ...]
    """The lines that it speaks of."""

    codes: dict[str, tuple[int, int]]
    """What it names, with the place of each."""


def without_ignored(
    problems: Iterable[Problem], document: Document, fences: Fences | None = None
) -> list[Problem]:
    """Take out the problems that a comment of the document says to ignore.

    A comment that names no code that there is becomes a problem itself.

    Args:
        problems: Problems with their places.
        document: The document that they were found in.
        fences: Where its front matter stands, if it is one.
    """
    problems = list(problems)
    found = list(_ignores_in(document, fences))
    if not found:
        return problems
    ignored = {(line, code) for each in found for line in each.lines for code in each.codes}
    kept = [
        problem
        for problem in problems
        if problem.span is None or (problem.span.line, problem.code) not in ignored
    ]
    return kept + [problem for each in found for problem in _unknown(each, document)]


def _ignores_in(document: Document, fences: Fences | None) -> Iterator[_Ignore]:
    text = document.text
    start, end = (0, len(text)) if fences is None else (fences.start, fences.end)
    matches = list(_IGNORE.finditer(text, start, end))
    if not matches or not document.readable or document.media == "json":
        return
    from subspec.source.tree import Scalar, nodes_in, tree_of  # noqa: PLC0415 - most have none

    texts = [
        (node.start, node.end)
        for node in nodes_in(tree_of(document, fences).root)
        if isinstance(node, Scalar)
    ]
    for match in matches:
        if not _is_inside(match.start(), texts):
            yield _ignore(document, match)


def _is_inside(offset: int, spans: Sequence[tuple[int, int]]) -> bool:
    # What looks like a comment in a text is a part of the text.
    return any(start <= offset < end for start, end in spans)


def _ignore(document: Document, match: "re.Match[str]") -> _Ignore:
    span = document.spell(match.start(), match.end())
    alone = not document.excerpt(span.line)[: span.column - 1].strip()
    codes = {
        each[0]: (match.start(1) + each.start(), match.start(1) + each.end())
        for each in _CODE.finditer(match[1])
    }
    return _Ignore((span.line, span.line + 1) if alone else (span.line,), codes)


def _unknown(ignore: _Ignore, document: Document) -> Iterator[Problem]:
    for code, place in ignore.codes.items():
        if code not in CODES:
            message = f"there is no code {quoted(code)} to ignore"
            problem = UNKNOWN_CODE.problem(message, hint=did_you_mean(code, CODES))
            yield document.at(problem, *place)
