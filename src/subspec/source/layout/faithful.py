"""What was written is read back, and has to say the same."""

from collections import Counter
from typing import Any

from subspec.problems import Path, errors_in
from subspec.source.compare import same, value_at
from subspec.source.document import Document
from subspec.source.edit import NotFaithfulError
from subspec.source.frontmatter import Fences, find_fences, read_front_matter
from subspec.source.json import read_json
from subspec.source.layout.comments import comments_in
from subspec.source.tree import Node, tree_of
from subspec.source.yaml import read_yaml


def see_that_it_says(
    text: str, document: Document, tree: Node, fences: Fences | None, apart: Path | None
) -> None:
    """Refuse a text that says something else than a document.

    Raises:
        NotFaithfulError: It does.
    """
    found, found_fences = _read(text, document, fences)
    if not found.readable or len(errors_in(found.problems)) > len(errors_in(document.problems)):
        raise NotFaithfulError
    if not _same(document.data, found.data, apart):
        raise NotFaithfulError
    if document.media == "json":
        return
    written = Counter(comments_in(found.text, tree_of(found, found_fences).root, found_fences))
    if written != Counter(comments_in(document.text, tree, fences)):
        raise NotFaithfulError


def _read(text: str, document: Document, fences: Fences | None) -> tuple[Document, Fences | None]:
    """Read a text as what a document is; it is not readable where its body is another one."""
    if fences is None:
        return (read_json if document.media == "json" else read_yaml)(text), None
    found = find_fences(text)
    if found is None or _body(text, found) != _body(document.text, fences):
        return Document(text, readable=False), None
    return read_front_matter(text, found), found


def _body(text: str, fences: Fences) -> str:
    return text[fences.body_start : fences.body_end]


def _same(one: Any, other: Any, ordered: Path | None) -> bool:
    """Tell whether two values are the same, with the same order of keys at a path."""
    if not same(one, other, ordered=False):
        return False
    before, after = (value_at(each, ordered or ()) for each in (one, other))
    return ordered is None or not isinstance(before, dict) or list(before) == list(after)
