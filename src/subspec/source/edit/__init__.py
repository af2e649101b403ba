"""A text in which some values are changed, and nothing else.

The data that is wanted is compared with what the text says, along the way it is written, and only
the text of what differs is made anew: in the style of what stood there, or of what stands around
it. The result is read back and compared; one that would say anything else is never given.
"""

import re
from collections.abc import Mapping
from typing import Any

from subspec.problems import UNKNOWN_ALIAS, Path, errors_in
from subspec.source.compare import Comparison, differing, same
from subspec.source.document import Document
from subspec.source.edit.blocks import Blocks
from subspec.source.edit.changes import IN_QUOTES, Changes
from subspec.source.edit.flow import Flow
from subspec.source.edit.places import Places
from subspec.source.edit.style import YamlStyle
from subspec.source.emit import checked
from subspec.source.frontmatter import FENCE, Fences, find_fences, read_front_matter
from subspec.source.json import read_json
from subspec.source.jsonstyle import JsonWriter
from subspec.source.tree import Tree, tree_of
from subspec.source.yaml import read_yaml

__all__ = ["NotFaithfulError", "rewrite"]

_ATTEMPTS = 6
_ALIAS = re.compile(r"\*([\w-]+)", re.ASCII)


class NotFaithfulError(Exception):
    """There is no way found to say what is wanted; :attr:`path` leads to it as far as known."""

    def __init__(self, path: Path = ()) -> None:
        self.path = path
        super().__init__(path)


def rewrite(
    document: Document,
    wanted: Any,
    *,
    fences: Fences | None = None,
    renames: Mapping[Path, str] | None = None,
) -> str:
    """Write a document so that it says something else.

    Args:
        document: The document, which can be read.
        wanted: The data that it is to hold. The order of a mapping is the order in which it is
            written; what its text says already is not touched.
        fences: Where its front matter stands, if the document is one.
        renames: Keys that are to be called otherwise, by their paths as they are now. In what is
            wanted they have their new names.

    Returns:
        The whole text.

    Raises:
        NotFaithfulError: What is wanted cannot be said there.
        TypeError: A value is none that a file can hold.
        ValueError: A number or a text is none that a file can hold.
    """
    compare = Comparison()
    if compare(document.data, wanted) and not renames:
        return document.text
    wanted = _checked(document.data, wanted, compare)
    tree = tree_of(document, fences)
    faults = len(errors_in(document.problems))
    forced: dict[Path, int] = {}
    wrong: list[Path] = []
    lost: set[str] | None = set()
    for _ in range(_ATTEMPTS):
        changes = Changes(
            document, tree, wanted, compare, renames=renames or {}, forced=forced, lost=lost
        )
        text = _written(document, tree, fences, changes)
        found = _read(text, document, fences)
        worse = len(errors_in(found.problems)) > faults
        if found.readable and not worse and same(found.data, wanted, ordered=False):
            return text
        if lost is not None and (worse or not found.readable):
            # An alias may stand before its anchor now, or have lost it.
            names = _without_anchor(found)
            lost = lost | names if names - lost else None
        elif found.readable:
            # What reads back wrong is made anew, in quotes if that is not enough. The order of
            # what a merge key takes in cannot be chosen, and says nothing.
            wrong = list(differing(found.data, wanted))
            for path in wrong:
                forced[path] = forced.get(path, 0) + 1
        else:
            forced[()] = IN_QUOTES
    raise NotFaithfulError(wrong[0] if wrong else ())


def _checked(old: Any, wanted: Any, compare: Comparison) -> Any:
    """Give what is wanted in the built-in types alone; what was read already has no others."""
    if compare(old, wanted):
        return wanted
    if not isinstance(old, dict) or type(wanted) is not dict:
        return checked(wanted)
    new: Any = checked({key: value for key, value in wanted.items() if key not in old})
    return {
        key: _checked(old[key], value, compare) if key in old else new[key]
        for key, value in wanted.items()
    }


def _written(document: Document, tree: Tree, fences: Fences | None, changes: Changes) -> str:
    text = document.text
    if document.media == "json":
        change, node = changes.top, tree.root
        flow = Flow(Places(text, 0, len(text)), changes, JsonWriter.of(text))
        return text[: node.start] + flow.value(change) + text[node.end :]
    if fences is None:
        places, forbidden = Places(text, 0, len(text)), None
    else:
        places, forbidden = Places(text, fences.start, fences.end), FENCE
    return Blocks(places, changes, YamlStyle.of(tree.root, places, forbidden)).document()


def _read(text: str, document: Document, fences: Fences | None) -> Document:
    if fences is None:
        return read_json(text) if document.media == "json" else read_yaml(text)
    found = find_fences(text, whole_lines=fences.whole_lines)
    if found is None or text[found.end :] != document.text[fences.end :]:
        # Dashes in a value have ended the front matter.
        return Document(text, readable=False)
    return read_front_matter(text, found)


def _without_anchor(found: Document) -> set[str]:
    """Give the names of the aliases of a text that have no anchor before them."""
    messages = [fault.message for fault in found.problems if fault.code == UNKNOWN_ALIAS.name]
    return {name for message in messages for name in re.findall(r"&([\w-]+)", message)}
