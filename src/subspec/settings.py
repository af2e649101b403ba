"""What a project says of subspec in its ``pyproject.toml``, under ``[tool.subspec]``.

.. code-block:: toml

    [tool.subspec]
    paths = [".claude/agents", "team.yaml"]
    ignore = ["unlike-file"]

    [tool.subspec.sync]
    source = "team.yaml"
    targets = ["codex", { to = "gemini", allow-widening = true }]
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import NOTHING, Attribute, AttrsInstance, field, fields, frozen

from subspec import formats
from subspec.problems import (
    CODES,
    MISSING_KEY,
    NOT_A_CHOICE,
    UNKNOWN_KEY,
    WRONG_TYPE,
    Problem,
    SpecError,
    below,
    did_you_mean,
    quoted,
)
from subspec.shapes import check_of, wrong_type
from subspec.source import Document
from subspec.source.toml import read_toml

FILE = "pyproject.toml"
TABLE = ("tool", "subspec")


def _texts(value: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(value or ())


@frozen(kw_only=True)
class Target:
    """One thing that ``subspec sync`` keeps up with its source."""

    to: str
    """The format."""

    directory: str = "."
    """The directory of the project that the files are for, relative to the file."""

    allow_widening: bool = False
    """Whether it is written also where an agent could then do more than it says."""

    strict: bool = False
    """Whether nothing may be lost."""


@frozen(kw_only=True)
class Sync:
    """What ``subspec sync`` converts."""

    source: str
    """The file or the directory that says what the agents are, relative to the file."""

    format: str | None = None
    """The format of the source. None: it is told from what it holds."""

    targets: tuple[Target, ...]
    """What is made of it."""


@frozen(kw_only=True)
class Settings:
    """What is said once for all runs of ``subspec check`` and ``subspec sync``."""

    paths: tuple[str, ...] = field(default=(), converter=_texts)
    """What is checked when no path is given, relative to the file."""

    select: tuple[str, ...] = field(default=(), converter=_texts)
    """The only codes to say anything about. Empty: all."""

    ignore: tuple[str, ...] = field(default=(), converter=_texts)
    """Codes to say nothing about."""

    prompt_root: str | None = None
    """The directory that prompt files may not leave, relative to the file."""

    sync: Sync | None = None
    """What is converted into what; None where nothing is."""

    directory: Path | None = None
    """Where the file lies; None where there is none."""


def find_settings(start: Path) -> Settings:
    """Read the settings of the project that a directory belongs to.

    They stand in the nearest ``pyproject.toml`` with the table, in the directory or above it.

    Raises:
        SpecError: A file is no TOML, or the table holds what nothing reads; all faults at once.
    """
    for directory in (start.absolute(), *start.absolute().parents):
        document = _document_in(directory / FILE)
        table = None if document is None else _table_of(document)
        if table is not None and document is not None:
            return _settings(table, document, directory)
    return Settings()


def _document_in(file: Path) -> Document | None:
    if not file.is_file():
        return None
    try:
        text = file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        problem = WRONG_TYPE.problem(f"cannot read the settings: {error}", file=str(file))
        raise SpecError([problem]) from None
    document = read_toml(text, str(file))
    if not document.readable:
        raise SpecError(document.problems)
    return document


def _table_of(document: Document) -> Any:
    data = document.data
    for key in TABLE:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _settings(table: Any, document: Document, directory: Path) -> Settings:
    problems: list[Problem] = []
    readers = {"select": _codes, "ignore": _codes, "sync": _sync}
    is_table = isinstance(table, dict)
    values = _values(Settings, table if is_table else {}, readers, problems)
    if problems:
        raise SpecError(document.place(below(TABLE, problems)))
    return Settings(**values, directory=directory)


Reader = Callable[[Any, list[Problem]], Any]
"""Reads the value of a key, and notes what is wrong with it."""


def _values(
    cls: type[AttrsInstance],
    table: Mapping[str, Any],
    readers: Mapping[str, Reader],
    problems: list[Problem],
) -> dict[str, Any]:
    """Read the keys of a table, which are the attributes of a class with dashes in them."""
    known = dict(_keys_of(cls))
    for key in table:
        if key not in known:
            message = f"unknown key {quoted(key)}"
            problems.append(UNKNOWN_KEY.problem(message, (key,), hint=did_you_mean(key, known)))
    values: dict[str, Any] = {}
    for key, attribute in known.items():
        if key not in table:
            if attribute.default is NOTHING:
                problems.append(MISSING_KEY.problem(f"it has no {quoted(key)}"))
            continue
        annotation: Any = attribute.type
        read = readers.get(key, lambda value, faults, of=annotation: _plain(of, value, faults))
        faults: list[Problem] = []
        values[attribute.name] = read(table[key], faults)
        problems += below((key,), faults)
    return values


def _keys_of(cls: type[AttrsInstance]) -> "Iterator[tuple[str, Attribute[Any]]]":
    for attribute in fields(cls):
        if (cls, attribute.name) != (Settings, "directory"):
            yield attribute.name.replace("_", "-"), attribute


def _plain(annotation: Any, value: Any, problems: list[Problem]) -> Any:
    problems += check_of(annotation)(value)
    return value


def _codes(value: Any, problems: list[Problem]) -> Any:
    _plain(tuple[str, ...], value, problems)
    if not problems:
        problems += code_problems(value)
    return value


def _sync(value: Any, problems: list[Problem]) -> Sync | None:
    if not isinstance(value, dict):
        problems.append(wrong_type("a table", value, "give it source and targets"))
        return None
    readers = {"source": _path, "format": _format, "targets": _targets}
    values = _values(Sync, value, readers, problems)
    return None if problems else Sync(**values)


def _targets(value: Any, problems: list[Problem]) -> tuple[Target, ...]:
    hint = 'write ["codex"], or [{ to = "codex", directory = "there" }]'
    if not isinstance(value, list):
        problems.append(wrong_type("a list of formats or tables", value, hint))
        return ()
    if not value:
        problems.append(MISSING_KEY.problem("there is no target in it", hint=hint))
    found: list[Target] = []
    for index, each in enumerate(value):
        faults: list[Problem] = []
        target = _target(each, faults)
        if target is not None and any(_is_same(target, other) for other in found):
            faults.append(NOT_A_CHOICE.problem(f"{quoted(target.to)} is a target already"))
        problems += below((index,), faults)
        found += [] if target is None else [target]
    return tuple(found)


def _target(value: Any, problems: list[Problem]) -> Target | None:
    if isinstance(value, str):
        _format(value, problems)
        return None if problems else Target(to=value)
    if not isinstance(value, dict):
        problems.append(wrong_type("a format or a table", value))
        return None
    readers = {"to": _format, "directory": _path}
    values = _values(Target, value, readers, problems)
    return None if problems else Target(**values)


def _is_same(one: Target, other: Target) -> bool:
    return one.to == other.to and Path(one.directory) == Path(other.directory)


def _format(value: Any, problems: list[Problem]) -> Any:
    _plain(str, value, problems)
    if problems:
        return value
    if value not in formats.names():
        problems.append(NOT_A_CHOICE.problem(str(formats.unknown(value))))
    try:
        formats.SPELLINGS.get(value)
    except ValueError as error:
        # That of another distribution, which is broken.
        problems.append(NOT_A_CHOICE.problem(str(error)))
    return value


def _path(value: Any, problems: list[Problem]) -> Any:
    _plain(str, value, problems)
    if value == "":
        problems.append(WRONG_TYPE.problem("must not be empty"))
    return value


def code_problems(codes: Iterable[str]) -> list[Problem]:
    """Say which codes are none."""
    return [
        NOT_A_CHOICE.problem(
            f"there is no code {quoted(code)}", (index,), hint=did_you_mean(code, CODES)
        )
        for index, code in enumerate(codes)
        if code not in CODES
    ]
