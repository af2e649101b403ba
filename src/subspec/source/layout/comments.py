"""Where comments stand in a text: between its values, and behind the signs of blocks of text."""

import re
from collections.abc import Iterator

from subspec.source.frontmatter import Fences
from subspec.source.tree import Alias, Collection, Node, Scalar, nodes_in

_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*(#[^\r\n]*)?")
TOKEN = re.compile(
    r"""
    (?P<blanks> [ \t\r\n]+ )
    | (?P<comment> \#[^\r\n]* )
    | (?P<mark>                                  # a directive, or what begins or ends a document
        (?<! [^\r\n] ) (?: %[^\r\n]*? (?= [ \t]* (?: [ \t]\# | [\r\n] | \Z ) )
        | (?: --- | \.\.\. ) (?= [ \t\r\n] | \Z ) )
    )
    | (?P<sign> [-?] )                           # what begins an entry
    | [!&][^ \t\r\n]*
    | .
    """,
    re.VERBOSE,
)


def region(text: str, fences: Fences | None) -> tuple[int, int]:
    """Give where the data and its comments stand."""
    return (0, len(text)) if fences is None else (fences.start, fences.end)


def comments_in(text: str, tree: Node, fences: Fences | None) -> Iterator[str]:
    """Give all comments: what begins with a sign for one, and stands in no value."""
    position, bottom = region(text, fences)
    for node in nodes_in(tree):
        if isinstance(node, Collection):
            continue
        yield from _comments_between(text, position, words_start(node))
        if comment := header_comment(text, node):
            yield comment
        position = node.end
    yield from _comments_between(text, position, bottom)


def _comments_between(text: str, start: int, end: int) -> Iterator[str]:
    for token in TOKEN.finditer(text, start, end):
        if token["comment"] is not None:
            yield token[0]


def words_start(node: Scalar | Alias) -> int:
    """Give where a value begins, behind its anchor and its tag."""
    # Where nothing stands behind them, the place of that is one further on.
    return node.start if isinstance(node, Alias) else min(node.inner, node.end)


def header_comment(text: str, node: Scalar | Alias) -> str | None:
    """Give the comment behind the sign of a block of text, if there is one."""
    if isinstance(node, Alias) or node.style not in ("|", ">"):
        return None
    header = _HEADER.match(text, node.inner)
    return None if header is None else header[1]
