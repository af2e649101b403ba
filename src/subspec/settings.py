"""What a project says of subspec in its ``pyproject.toml``, under ``[tool.subspec]``.

.. code-block:: toml

    [tool.subspec]
    paths = [".claude/agents", "team.yaml"]
    ignore = ["unlike-file"]
"""

import sys
from collections.abc import Iterable
from importlib import import_module
from pathlib import Path
from typing import Any

from attrs import evolve, field, fields, frozen

from subspec.problems import (
    CODES,
    NOT_A_CHOICE,
    UNKNOWN_KEY,
    WRONG_TYPE,
    Problem,
    SpecError,
    below,
    did_you_mean,
    quoted,
)
from subspec.shapes import check_of

FILE = "pyproject.toml"
TABLE = ("tool", "subspec")


def _texts(value: Iterable[str] | None) -> tuple[str, ...]:
    return tuple(value or ())


@frozen(kw_only=True)
class Settings:
    """What is said once for all runs of ``subspec check``."""

    paths: tuple[str, ...] = field(default=(), converter=_texts)
    """What is checked when no path is given, relative to the file."""

    select: tuple[str, ...] = field(default=(), converter=_texts)
    """The only codes to say anything about. Empty: all."""

    ignore: tuple[str, ...] = field(default=(), converter=_texts)
    """Codes to say nothing about."""

    prompt_root: str | None = None
    """The directory that prompt files may not leave, relative to the file."""

    directory: Path | None = None
    """Where the file lies; None where there is none."""


def find_settings(start: Path) -> Settings:
    """Read the settings of the project that a directory belongs to.

    They stand in the nearest ``pyproject.toml`` with the table, in the directory or above it.

    Raises:
        SpecError: A file is no TOML, or the table holds what nothing reads; all faults at once.
    """
    for directory in (start.absolute(), *start.absolute().parents):
        table = _table_in(directory / FILE)
        if table is not None:
            return _settings(table, directory)
    return Settings()


def _table_in(file: Path) -> Any:
    if not file.is_file():
        return None
    try:
        data = _toml(file.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        problem = WRONG_TYPE.problem(f"cannot read the settings: {error}", file=str(file))
        raise SpecError([problem]) from None
    for key in TABLE:
        data = data.get(key) if isinstance(data, dict) else None
    return data


def _toml(text: str) -> Any:
    # The standard library's reader is that package, from Python 3.11 on.
    name = "tomllib" if sys.version_info >= (3, 11) else "tomli"
    return import_module(name).loads(text)


def _settings(table: Any, directory: Path) -> Settings:
    known = {
        attribute.name.replace("_", "-"): attribute
        for attribute in fields(Settings)
        if attribute.name != "directory"
    }
    problems: list[Problem] = []
    values: dict[str, Any] = {}
    for key, value in table.items() if isinstance(table, dict) else ():
        if key not in known:
            hint = did_you_mean(key, known)
            message = f"unknown key {quoted(key)}"
            problems.append(UNKNOWN_KEY.problem(message, (key,), hint=hint))
            continue
        attribute: Any = known[key]
        faults = [*check_of(attribute.type)(value)]
        if not faults and key in ("select", "ignore"):
            faults = code_problems(value)
        problems += below((key,), faults)
        values[attribute.name] = value
    if problems:
        file = str(directory / FILE)
        raise SpecError(evolve(each, file=file) for each in below(TABLE, problems))
    return Settings(**values, directory=directory)


def code_problems(codes: Iterable[str]) -> list[Problem]:
    """Say which codes are none."""
    return [
        NOT_A_CHOICE.problem(
            f"there is no code {quoted(code)}", (index,), hint=did_you_mean(code, CODES)
        )
        for index, code in enumerate(codes)
        if code not in CODES
    ]
