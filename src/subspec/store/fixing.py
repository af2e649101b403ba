"""What a program can mend of what is wrong with files, and how the files have to change for it.

Problems say by themselves what can be done about them. A file is mended in rounds: what is mended
is read again, and may show what was hidden before.
"""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import define, evolve, field

from subspec import formats
from subspec.formats import Spelling, claude_code
from subspec.formats.agent_files import SpelledFile, known_keys, read_again, read_spelled_file
from subspec.formats.agent_text import writer_of
from subspec.formats.claude_code import AgentFile
from subspec.formats.claude_repair import repaired_text
from subspec.formats.claude_text import names_in_style
from subspec.problems import NOT_UTF8, Fix, Problem
from subspec.problems import Path as DataPath
from subspec.source import Document, read_file, read_text
from subspec.source.edit import NotFaithfulError, rewrite
from subspec.source.replace import Change
from subspec.source.toml import read_toml, rewrite_toml
from subspec.store.reading import problems_of_document
from subspec.store.spelled import files_in
from subspec.store.update import changed
from subspec.tools import split_entry

_ROUNDS = 20

Wanted = Callable[[Problem], bool]
"""Tells whether a problem is to be mended."""


@define
class Mending:
    """What has to be written, and how much of what was wrong is mended by it."""

    changes: list[Change] = field(factory=list)
    count: int = 0

    def add(self, path: Path, format: str | None, prompt_root: Path | None, wanted: Wanted) -> None:
        """Look at a file, or at the Markdown below a directory.

        Raises:
            SpecError: There is too much below a directory.
            ValueError: There is no format of that name.
        """
        spelling = formats.spelling_of(path, format)
        if spelling is not None:
            self._add_spelled(spelling, path, prompt_root, wanted)
            return
        if not formats.is_markdown(path, format):
            document = read_file(path)
            self._mend(_Text(document, path, format, prompt_root), wanted)
            return
        files = claude_code.read_agents(path) if formats.is_directory(path) else []
        for file in files or [claude_code.read_agent_file(path)]:
            # What is not UTF-8 would be lost.
            is_text = all(each.code != NOT_UTF8.name for each in file.problems)
            if file.fences is not None and is_text:
                self._mend(_Markdown(file, file.path or path), wanted)

    def _add_spelled(
        self, spelling: Spelling, path: Path, prompt_root: Path | None, wanted: Wanted
    ) -> None:
        if formats.is_directory(path):
            files = files_in(spelling, path, prompt_root)
        else:
            files = [read_spelled_file(spelling, path, prompt_root)]
        for file in files:
            if file.document.readable or file.fences is not None:
                self._mend(_Spelled(file, file.path or path, prompt_root), wanted)

    def _mend(self, subject: "_Text | _Markdown | _Spelled", wanted: Wanted) -> None:
        first: _Text | _Markdown | _Spelled = subject
        for _ in range(_ROUNDS):
            problems = [each for each in subject.problems if each.fix and wanted(each)]
            after = _mended(subject, problems)
            if after is None:
                break
            self.count += len(_without(subject.problems, after.problems))
            subject = after
        if subject is not first:
            self.changes.append(changed(first.document, first.path, subject.document.text))


@define
class _Text:
    """A YAML or JSON file on its way."""

    document: Document
    path: Path
    format: str | None
    prompt_root: Path | None
    problems: list[Problem] = field(init=False)

    def __attrs_post_init__(self) -> None:
        document = self.document
        found = problems_of_document(document, self.path, self.format, self.prompt_root)
        # To mend one of two keys that are the same would hide that there are two.
        self.problems = [
            evolve(each, fix=None) if each.fix and document.repeats_on(each.path) else each
            for each in found
        ]

    def with_fixes(self, problems: Iterable[Problem]) -> "_Text | None":
        """Give the file with problems mended."""
        document = self.document
        mender = _Mender(document)
        for problem, fix in _apart(problems):
            mender.mend(problem, fix)
        text = rewrite(document, mender.data, renames=mender.renames)
        if text == document.text:
            return None
        again = read_text(text, media=document.media, file=document.file)
        return _Text(again, self.path, self.format, self.prompt_root)


@define
class _Markdown:
    """A Markdown file on its way."""

    file: AgentFile
    path: Path
    problems: list[Problem] = field(init=False)

    def __attrs_post_init__(self) -> None:
        self.problems = list(claude_code.with_consequences(self.file).problems)

    @property
    def document(self) -> Document:
        """The front matter, with the text of the whole file."""
        return self.file.document

    def with_fixes(self, problems: Iterable[Problem]) -> "_Markdown | None":
        """Give the file with problems mended."""
        text = self._mended_whole() if _is_to_mend(problems) else self._mended_keys(problems)
        if text is None or text == self.document.text:
            return None
        return _Markdown(claude_code.read_agent_text(text, self.path), self.path)

    def _mended_whole(self) -> str | None:
        fences: Any = self.file.fences
        return repaired_text(self.document.text, fences)

    def _mended_keys(self, problems: Iterable[Problem]) -> str:
        document = self.document
        mender = _Mender(document)
        for problem, fix in _apart(problems):
            key, *rest = problem.path
            if key in claude_code.LISTS and rest:
                mender.data = {**mender.data, key: _with_name(mender.data[key], rest[0], fix)}
            else:
                mender.mend(problem, fix)
        fences = self.file.fences
        return rewrite(document, mender.data, fences=fences, renames=mender.renames)


@define
class _Spelled:
    """A file of one agent, in the spelling of some program, on its way."""

    file: SpelledFile
    path: Path
    prompt_root: Path | None

    @property
    def document(self) -> Document:
        """Its data, with the text of the whole file."""
        return self.file.document

    @property
    def problems(self) -> list[Problem]:
        """What is wrong or odd, as grave as it is for its program."""
        repeats = self.document.repeats_on
        return [
            evolve(each, fix=None) if each.fix and repeats(each.path) else each
            for each in self.file.problems
        ]

    def with_fixes(self, problems: Iterable[Problem]) -> "_Spelled | None":
        """Give the file with problems mended."""
        text = self._mended_whole() if _is_to_mend(problems) else self._mended_keys(problems)
        if text is None or text == self.document.text:
            return None
        again = read_again(self.file, text, self.path, self.prompt_root)
        return _Spelled(again, self.path, self.prompt_root)

    def _mended_whole(self) -> str | None:
        fences: Any = self.file.fences
        spelling = self.file.spelling
        keys = [*known_keys(spelling), *spelling.ignored]
        return repaired_text(self.document.text, fences, keys, writer_of(spelling))

    def _mended_keys(self, problems: Iterable[Problem]) -> str:
        document = self.document
        mender = _Mender(document)
        for problem, fix in _apart(problems):
            mender.mend(problem, fix)
        if self.file.spelling.medium != "toml":
            return rewrite(document, mender.data, fences=self.file.fences, renames=mender.renames)
        # Its writer would move a key that is renamed.
        text = document.text
        for path in sorted(mender.renames, key=lambda each: -document.offsets(each, "key")[0]):
            start, end = document.offsets(path, "key")
            text = f"{text[:start]}{mender.renames[path]}{text[end:]}"
        return rewrite_toml(read_toml(text, document.file), mender.data)


def _mended(
    subject: "_Text | _Markdown | _Spelled", problems: list[Problem]
) -> "_Text | _Markdown | _Spelled | None":
    """Mend all at once or, where that does not go, the first that can be; None for nothing."""
    whole = [each for each in problems if each.fix and each.fix.action == "mend"]
    attempts = [whole[:1]] if whole else [problems, *([each] for each in problems)]
    for attempt in attempts:
        if not attempt:
            continue
        try:
            after = subject.with_fixes(attempt)
        except NotFaithfulError:
            continue
        if after is not None and _is_better(subject.problems, after.problems):
            return after
    return None


def _is_better(before: list[Problem], after: list[Problem]) -> bool:
    # There may be more than before: what was hidden behind a fault comes to light.
    return bool(_without(before, after))


def _without(before: Iterable[Problem], after: Iterable[Problem]) -> list[Problem]:
    left = {(each.code, each.path, each.message) for each in after}
    return [each for each in before if (each.code, each.path, each.message) not in left]


def _is_to_mend(problems: Iterable[Problem]) -> bool:
    return any(each.fix is not None and each.fix.action == "mend" for each in problems)


def _apart(problems: Iterable[Problem]) -> Iterator[tuple[Problem, Fix]]:
    """Give the problems that do not get in each other's way, the innermost first."""
    taken: list[DataPath] = []
    for problem in sorted(problems, key=lambda each: -len(each.path)):
        path = problem.path
        clear = all(path[: len(other)] != other and other[: len(path)] != path for other in taken)
        if problem.fix is not None and clear:
            taken.append(path)
            yield problem, problem.fix


@define
class _Mender:
    """Mends the data of a document, and notes which keys get other names."""

    document: Document
    data: Any = field(init=False)
    renames: dict[DataPath, str] = field(factory=dict)

    def __attrs_post_init__(self) -> None:
        self.data = self.document.data

    def mend(self, problem: Problem, fix: Fix) -> None:
        """Mend what stands at the path of a problem."""
        self.data = self._with(self.data, problem.path, fix, problem.path)

    def _with(self, data: Any, path: DataPath, fix: Fix, whole: DataPath) -> Any:
        first, *rest = path
        if rest:
            return _put(data, first, self._with(data[first], tuple(rest), fix, whole))
        if fix.action == "remove":
            return {key: item for key, item in data.items() if key != first}
        if fix.action == "quote":
            return _put(data, first, _as_written(self.document, whole))
        if fix.action == "replace":
            return _put(data, first, fix.value)
        new = str(fix.value)
        if new in data:
            return data
        self.renames[whole] = new
        return {new if key == first else key: item for key, item in data.items()}


def _put(data: Any, where: str | int, value: Any) -> Any:
    if isinstance(data, list):
        return [value if index == where else item for index, item in enumerate(data)]
    return {key: value if key == where else item for key, item in data.items()}


def _as_written(document: Document, path: DataPath) -> str:
    start, end = document.offsets(path)
    return document.text[start:end]


def _with_name(written: Any, index: str | int, fix: Fix) -> Any:
    """Give a list of names, be it written as a text, with another name in it."""
    entries = written if isinstance(written, list) else [written]
    names = [name for entry in entries if isinstance(entry, str) for name in split_entry(entry)]
    names[int(index)] = str(fix.value)
    return names_in_style(names, written)
