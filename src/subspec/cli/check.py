"""``subspec check``."""

import json
from collections import Counter
from pathlib import Path

import click

from subspec.cli.common import (
    CONTEXT,
    echo,
    exit_status,
    print_problems,
    reading_options,
)
from subspec.problems import Problem


@click.command(context_settings=CONTEXT)
@click.argument(
    "paths", nargs=-1, required=True, metavar="PATH...", type=click.Path(path_type=Path)
)
@reading_options
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print what was found.",
)
def check(
    paths: tuple[Path, ...], input_format: str | None, prompt_root: Path | None, output_format: str
) -> None:
    """Say everything that is wrong in files of subagents, all at once, each with its place.

    The exit status is 0 when nothing is, 1 when something is wrong or odd, and 2 when a file
    cannot be read.

    \b
    Examples:
      subspec check team.yaml
      subspec check --format json agent.yaml agents.json
    """
    from subspec import check as check_files  # noqa: PLC0415 - not needed for --help

    problems = check_files(*paths, format=input_format, prompt_root=prompt_root)
    if output_format == "json":
        echo(_as_json(problems, len(paths)))
    else:
        print_problems(problems)
        echo(_summary(problems, len(paths)))
    raise click.exceptions.Exit(exit_status(problems))


def _summary(problems: tuple[Problem, ...], files: int) -> str:
    counts = Counter(problem.severity for problem in problems)
    said = [
        f"{counts[severity]} {severity}{'s' if counts[severity] > 1 else ''}"
        for severity in ("error", "warning", "info")
        if counts[severity]
    ]
    where = f"{files} file{'s' if files > 1 else ''}"
    return f"{' and '.join(said) or 'No problems'} in {where}."


def _as_json(problems: tuple[Problem, ...], files: int) -> str:
    counts = Counter(problem.severity for problem in problems)
    report = {
        "files": files,
        "errors": counts["error"],
        "warnings": counts["warning"],
        "problems": [_fields(problem) for problem in problems],
    }
    return json.dumps(report, indent=2, ensure_ascii=True)


def _fields(problem: Problem) -> dict[str, object]:
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
