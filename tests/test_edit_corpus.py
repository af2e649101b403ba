"""Real files of others, where they are at hand, changed a little at each of their places."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from real_files import CASES, CORPUS, SHARED

from subspec.source import Document, read_json, read_yaml
from subspec.source.compare import same
from subspec.source.edit import rewrite
from subspec.source.frontmatter import Fences, find_fences, read_front_matter

ALL = sorted(path for root in (CORPUS, CASES) for path in root.rglob("*") if path.is_file())
FILES = [path for path in ALL if path.suffix in (".yaml", ".yml", ".json")]
FILES += [path for path in ALL if path.suffix == ".md"][::10]
SAMPLE = 40
OTHERS = {str: "another text", int: 123, float: 12.5, bool: None, type(None): True}

pytestmark = pytest.mark.corpus
files = pytest.mark.parametrize("path", FILES, ids=lambda path: path.relative_to(SHARED).as_posix())


def read(text: str, media: str) -> tuple[Document, Fences | None]:
    if media != "md":
        return (read_json if media == "json" else read_yaml)(text), None
    fences = find_fences(text)
    if fences is None:
        return Document(text, readable=False), None
    return read_front_matter(text, fences), fences


class File:
    """A file that holds data, and what can be made of it."""

    def __init__(self, path: Path) -> None:
        self.media = path.suffix.removeprefix(".")
        text = path.read_bytes().decode(errors="replace").removeprefix("\ufeff")
        self.document, self.fences = read(text, self.media)
        self.text, self.data = self.document.text, self.document.data
        if not self.document.readable or not isinstance(self.data, dict | list):
            pytest.skip("it cannot be read, or holds no more than a value")
        self.is_shared = any(sign in self.text for sign in (": &", "- &", "<<:"))

    def saved(self, wanted: Any) -> str:
        text = rewrite(self.document, wanted, fences=self.fences)
        again, _ = read(text, self.media)
        assert again.readable
        assert same(again.data, wanted, ordered=False)
        return text


def parts(data: Any, path: Any = ()) -> Any:
    """Give the path and the value of each part."""
    yield path, data
    if isinstance(data, dict | list):
        for key, value in data.items() if isinstance(data, dict) else enumerate(data):
            yield from parts(value, (*path, key))


def sample(paths: list[Any]) -> list[Any]:
    step = max(len(paths) // SAMPLE, 1)
    return paths[::step]


def changed(data: Any, path: Any, change: Any) -> Any:
    """Copy data, with one part of it changed."""
    if not path:
        return change(data)
    copy = data.copy()
    copy[path[0]] = changed(data[path[0]], path[1:], change)
    return copy


@files
def test_what_says_the_same_is_the_same(path):
    file = File(path)

    assert file.saved(changed(file.data, (), lambda data: data.copy())) == file.text


@files
def test_of_a_value_that_changes_its_lines_do(path):
    file = File(path)
    scalars = [at for at, value in parts(file.data) if not isinstance(value, dict | list)]
    for at in sample(scalars):
        text = file.saved(changed(file.data, at, lambda value: OTHERS[type(value)]))
        start, end = file.document.offsets(at, "key")[0], file.document.offsets(at)[1]
        before = file.text[: file.text.rfind("\n", 0, start) + 1]
        behind = file.text[end:].partition("\n")[2]
        if file.text[end - 1] == "\n":
            behind = file.text[end:]
        if not file.is_shared:
            assert text.startswith(before)
            assert text.endswith(behind)


@files
def test_each_key_can_go_and_is_all_that_goes(path):
    file = File(path)
    keys = [at for at, _ in parts(file.data) if at and isinstance(at[-1], str)]
    for at in sample(keys):
        without = lambda data, key=at[-1]: {name: data[name] for name in data if name != key}  # noqa: E731
        text = file.saved(changed(file.data, at[:-1], without))
        lines = file.text.splitlines()
        if file.media != "json" and not file.is_shared and len(lines) < 500:
            new = [line for line in text.splitlines() if line not in lines]
            assert len(new) <= 1, "the line of what is left empty"


@files
def test_each_mapping_can_have_one_key_more(path):
    file = File(path)
    mappings = [at for at, value in parts(file.data) if isinstance(value, dict)]
    for at in sample(mappings):
        text = file.saved(changed(file.data, at, lambda data: {**data, "new key": 1}))
        lines = text.splitlines()
        if file.media != "json" and not file.is_shared and "{" not in file.text:
            kept = [line for line in lines if line.strip() and "new key" not in line]
            assert kept == [line for line in file.text.splitlines() if line.strip()]
