"""One value of a file changed: by subspec, and by the libraries that keep comments."""

from __future__ import annotations

import difflib
import io
from collections.abc import Callable, Iterable
from pathlib import Path

from attrs import evolve, frozen
from ruamel.yaml import YAML
from yaml_edit import Document

from subspec.formats.claude_code import read_agent
from subspec.formats.claude_text import changed_text
from subspec.problems import SpecError
from subspec.source import read_yaml
from subspec.source.compare import with_value
from subspec.source.edit import rewrite

FENCE = "---\n"
SHARED = Path(__file__).parents[3] / "shared" / "corpus" / "claude-md"

Editor = Callable[[str, tuple[str, ...], str], str]
"""Takes a text of YAML, the path of a value and another value, gives the new text."""


def by_subspec(text: str, path: tuple[str, ...], value: str) -> str:
    """Change a value as saving does, read back and compared."""
    document = read_yaml(text)
    return rewrite(document, with_value(document.data, path, value))


def by_ruamel(text: str, path: tuple[str, ...], value: str) -> str:
    """Change a value by a round trip of ruamel.yaml, in the settings that keep most."""
    yaml = YAML()
    yaml.preserve_quotes = True
    yaml.width = 2**31
    data = yaml.load(text)
    part = data
    for key in path[:-1]:
        part = part[key]
    part[path[-1]] = value
    written = io.StringIO()
    yaml.dump(data, written)
    return written.getvalue()


def by_yaml_edit(text: str, path: tuple[str, ...], value: str) -> str:
    """Change a value with yaml-edit."""
    document = Document.parse(text)
    document.set_path(".".join(path), value)
    return str(document)


RIVALS: dict[str, Editor] = {"ruamel.yaml": by_ruamel, "yaml-edit": by_yaml_edit}


def of_markdown(editor: Editor) -> Callable[[str, str], str]:
    """Make what changes the model in the front matter of a Markdown file."""

    def edit(text: str, model: str) -> str:
        start, matter, body = text.split(FENCE, 2)
        return FENCE.join([start, editor(matter, ("model",), model), body])

    return edit


def of_markdown_by_subspec(text: str, model: str) -> str:
    """Change the model of an agent as saving does, read back and compared."""
    file = read_agent(text)
    assert file.name is not None
    assert file.spec is not None
    return changed_text(file, file.name, evolve(file.spec, model=model))[0]


@frozen
class Tally:
    """What changing the model did to many files."""

    one_line: int
    """Files of which one line is another."""

    more: int
    """Files of which more than that is another."""

    failed: int
    """Files that were not changed."""

    lines: int
    """Lines that are another, in all files."""


def tally(edit: Callable[[str, str], str], texts: Iterable[str]) -> Tally:
    """Change the model of each file, and count the lines that differ."""
    counts = []
    failed = 0
    for text in texts:
        try:
            after = edit(text, "fable")
        except SpecError:
            failed += 1
        except Exception:  # noqa: BLE001 - each library has its own
            failed += 1
        else:
            counts.append(_lines(text, after))
    one = sum(count <= 1 for count in counts)
    return Tally(one, len(counts) - one, failed, sum(counts))


def real_texts() -> list[str]:
    """Give the texts of real agents that name a model; none where they are not at hand."""
    texts = [path.read_bytes().decode("utf-8", "replace") for path in SHARED.rglob("*.md")]
    return [text for text in texts if (file := read_agent(text)).spec and file.spec.model]


def _lines(before: str, after: str) -> int:
    old, new = before.splitlines(keepends=True), after.splitlines(keepends=True)
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    changed = (code for code in matcher.get_opcodes() if code[0] != "equal")
    return sum(max(i2 - i1, j2 - j1) for _, i1, i2, j1, j2 in changed)
