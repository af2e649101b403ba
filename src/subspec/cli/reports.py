"""How what was found is printed: for people, for programs, for the annotations of a code host."""

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from subspec.cli.common import echo, print_problems
from subspec.problems import CODES, Problem, dotted, printable

Report = Callable[[Sequence[Problem], int], None]
"""Takes the problems and the number of files, and prints them."""


def print_text(problems: Sequence[Problem], files: int) -> None:
    """Print a line for each problem with its source line, and a summary."""
    print_problems(problems)
    echo(_summary(problems, files))


def print_json(problems: Sequence[Problem], files: int) -> None:
    """Print one JSON object."""
    counts = Counter(problem.severity for problem in problems)
    report = {
        "files": files,
        "errors": counts["error"],
        "warnings": counts["warning"],
        "problems": [fields_of(problem) for problem in problems],
    }
    echo(json.dumps(report, indent=2, ensure_ascii=True))


def print_sarif(problems: Sequence[Problem], _files: int) -> None:
    """Print a log of SARIF 2.1.0, which code hosts and editors take."""
    used = sorted({problem.code for problem in problems})
    rules = [_rule(code) for code in used]
    driver = {"name": "subspec", "version": _version(), "rules": rules}
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(problem, used.index(problem.code)) for problem in problems],
    }
    echo(json.dumps({"version": "2.1.0", "runs": [run]}, indent=2, ensure_ascii=True))


def print_github(problems: Sequence[Problem], files: int) -> None:
    """Print workflow commands, which GitHub Actions turns into annotations."""
    for problem in problems:
        values: dict[str, object] = {"file": problem.file}
        if problem.span is not None:
            span = problem.span
            values |= {"line": span.line, "col": span.column, "endLine": span.end_line}
            if span.end_line == span.line:
                values["endColumn"] = span.end_column
        values["title"] = problem.code
        place = ",".join(f"{key}={_property(value)}" for key, value in values.items() if value)
        level = _GITHUB_LEVELS[problem.severity]
        echo(f"::{level} {place}::{_command_text(_said(problem))}")
    echo(_summary(problems, files))


REPORTS: dict[str, Report] = {
    "text": print_text,
    "json": print_json,
    "sarif": print_sarif,
    "github": print_github,
}
"""The ways to print by their names."""

_GITHUB_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}
_SARIF_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def fields_of(problem: Problem) -> dict[str, object]:
    """Give what a problem says as plain data."""
    span = problem.span
    return {
        "code": problem.code,
        "severity": problem.severity,
        "message": problem.message,
        "hint": problem.hint,
        "path": list(problem.path),
        "file": problem.file,
        "line": span and span.line,
        "column": span and span.column,
        "end_line": span and span.end_line,
        "end_column": span and span.end_column,
    }


def _summary(problems: Iterable[Problem], files: int) -> str:
    counts = Counter(problem.severity for problem in problems)
    said = [
        f"{counts[severity]} {severity}{'s' if counts[severity] > 1 else ''}"
        for severity in ("error", "warning", "info")
        if counts[severity]
    ]
    *first, last = said or ["No problems"]
    found = f"{', '.join(first)} and {last}" if first else last
    return f"{found} in {files:,} file{'' if files == 1 else 's'}."


def _rule(code: str) -> dict[str, Any]:
    known = CODES[code]
    return {
        "id": code,
        "shortDescription": {"text": known.summary},
        "defaultConfiguration": {"level": _SARIF_LEVELS[known.severity]},
    }


def _result(problem: Problem, index: int) -> dict[str, Any]:
    result: dict[str, Any] = {
        "ruleId": problem.code,
        "ruleIndex": index,
        "level": _SARIF_LEVELS[problem.severity],
        "message": {"text": _said(problem)},
    }
    if problem.file is not None:
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(problem.file)}}
        if problem.span is not None:
            span = problem.span
            place["region"] = {
                "startLine": span.line,
                "startColumn": span.column,
                "endLine": span.end_line,
                "endColumn": span.end_column,
            }
        result["locations"] = [{"physicalLocation": place}]
    return result


def _said(problem: Problem) -> str:
    where = f"{dotted(problem.path)}: " if problem.path else ""
    hint = "" if problem.hint is None else f"; {problem.hint}"
    return printable(f"{where}{problem.message}{hint}")


def _uri(file: str) -> str:
    from urllib.parse import quote  # noqa: PLC0415 - slow to import, for this report only

    path = Path(file)
    if path.is_absolute():
        # Relative to where the command runs, as code hosts want it, if the file is below.
        path = Path(os.path.relpath(path)) if path.is_relative_to(Path.cwd()) else path
    name = quote(os.fsencode(path.as_posix()))
    return f"file://{name}" if path.is_absolute() else name


def _property(value: object) -> str:
    return _command_text(str(value)).replace(":", "%3A").replace(",", "%2C")


def _command_text(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _version() -> str:
    from importlib.metadata import version  # noqa: PLC0415 - slow to import, for this report only

    return version("subspec")
