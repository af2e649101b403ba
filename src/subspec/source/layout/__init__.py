"""A text laid out anew: the same data and the same comments, and one way to write them.

The values are found with the comments that belong to them, the keys are put in order, and all is
written again. The result is read back and compared; one that says anything else is never given.
"""

from subspec.problems import DUPLICATE_KEY, Path
from subspec.source.document import Document
from subspec.source.edit import NotFaithfulError
from subspec.source.emit import Layout
from subspec.source.frontmatter import FENCE, Fences
from subspec.source.layout.as_json import JsonLines
from subspec.source.layout.as_yaml import YamlLines
from subspec.source.layout.faithful import see_that_it_says
from subspec.source.layout.order import Order, arrange, set_apart
from subspec.source.layout.outline import Outline
from subspec.source.tree import Node, tree_of

__all__ = ["Order", "laid_out"]

_OF_FILES = Layout()
_OF_FRONT_MATTER = Layout(forbidden=FENCE, block_keys=frozenset())


def laid_out(
    document: Document,
    order: Order,
    *,
    fences: Fences | None = None,
    apart: Path | None = None,
) -> str:
    """Write a document in the canonical layout: same data, same comments, one way to write them.

    Args:
        document: The document.
        order: Says in which order the keys of a mapping stand. Those that it does not name keep
            their order, and stand behind those that it does.
        fences: Where its front matter stands, if the document is one.
        apart: The path of a mapping whose entries a blank line sets apart, if one of them is
            itself a mapping.

    Returns:
        The whole text.

    Raises:
        NotFaithfulError: It cannot be read, or there is no way found to write it so.
    """
    if not document.readable or _repeats_keys(document):
        raise NotFaithfulError
    tree = tree_of(document, fences).root
    text = _written(document, tree, order, fences, apart)
    see_that_it_says(text, document, tree, fences, apart)
    return text


def _written(
    document: Document, tree: Node, order: Order, fences: Fences | None, apart: Path | None
) -> str:
    """Write a document."""
    if document.media == "json":
        lines = list(JsonLines(document.text, order).of("", tree, document.data, ()))
    else:
        outline = Outline(document, tree, fences)
        arrange(outline.root, order, ())
        if apart is not None:
            set_apart(outline.root, apart)
        lines = YamlLines(document.text, _OF_FILES if fences is None else _OF_FRONT_MATTER).of(
            outline
        )
    line_end = _line_end_of(document.text)
    text = line_end.join([*lines, ""])
    return text if fences is None else _between_fences(text, document.text, fences, line_end)


def _repeats_keys(document: Document) -> bool:
    """Tell whether a document of JSON has a key again, of which neither data nor tree knows."""
    codes = (problem.code for problem in document.problems)
    return document.media == "json" and DUPLICATE_KEY.name in codes


def _line_end_of(text: str) -> str:
    """Give the line end that most lines have."""
    windows = text.count("\r\n")
    return "\r\n" if windows > text.count("\n") - windows else "\n"


def _between_fences(front: str, text: str, fences: Fences, line_end: str) -> str:
    """Put front matter between its fences, and the body behind them as it is."""
    before = text[fences.end + len(FENCE) : fences.body_start]
    # The blanks that indent the first line of the body are text to readers of Markdown.
    indent = before[before.rfind("\n") + 1 :] if "\n" in before else ""
    body = text[fences.body_start : fences.body_end]
    rest = f"{line_end}{indent}{body}{line_end}" if body else ""
    return f"{FENCE}{line_end}{front}{FENCE}{line_end}{rest}"
