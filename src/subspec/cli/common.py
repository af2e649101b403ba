"""What the commands share: options, loading, and how problems are printed."""

import os
import sys
import warnings
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import click
from attrs import evolve

from subspec.problems import Problem, SpecError, SpecWarning, printable

CONTEXT = {"help_option_names": ["-h", "--help"], "max_content_width": 100}

F = TypeVar("F", bound=Callable[..., Any])


class _NamedPath(click.Path):
    """A path that is not empty: what an unset variable leaves is not the directory one is in."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Refuse the empty text."""
        if value == "":
            self.fail("it is empty.", param, ctx)
        return super().convert(value, param, ctx)


class FormatName(click.types.StringParamType):
    """The name of a format; which there are is looked up when one is given."""

    name = "format"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is none."""
        from subspec.formats import SPELLINGS, names, unknown  # noqa: PLC0415 - not for --help

        if value not in names():
            self.fail(f"{unknown(value)}.", param, ctx)
        try:
            SPELLINGS.get(value)
        except ValueError as error:
            # That of another distribution, which is broken.
            self.fail(f"{error}.", param, ctx)
        return str(value)


PATH = _NamedPath(path_type=Path)
"""The type of an argument that names a file or a directory."""

PROBLEMS_FOUND = 1
"""Exit status: the files were read, and something is wrong with them."""

COULD_NOT_RUN = 2
"""Exit status: a file cannot be read or written, or the command was called wrongly."""

_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


def reading_options(function: F) -> F:
    """Add the options that say how files are read."""
    return format_option(
        click.option(
            "--prompt-root",
            type=click.Path(exists=True, file_okay=False, path_type=Path),
            help="The directory that prompt files may not leave.",
        )(function)
    )


def format_option(function: F) -> F:
    """Add the option that says which format files have."""
    return click.option(
        "--as",
        "input_format",
        type=FormatName(),
        help="The format of the files, such as codex; told from what they hold and where they lie.",
    )(function)


def load_for_command(path: Path, input_format: str | None, prompt_root: Path | None) -> Any:
    """Load a file; print what is odd to standard error, and stop when something is wrong."""
    from subspec import load  # noqa: PLC0415 - not needed for --help

    return watched(lambda: load(path, format=input_format, prompt_root=prompt_root))


def watched(action: Callable[[], Any]) -> Any:
    """Do something; print its warnings to standard error, and stop at its errors."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SpecWarning)
        try:
            result = action()
        except SpecError as error:
            fail(error.problems)
    noted = [each.message.problem for each in caught if isinstance(each.message, SpecWarning)]
    print_problems(noted, err=True)
    return result


def fail(problems: Iterable[Problem]) -> NoReturn:
    """Print problems to standard error and stop."""
    problems = list(problems)
    print_problems(problems, err=True)
    raise click.exceptions.Exit(exit_status(problems))


def exit_status(problems: Iterable[Problem]) -> int:
    """Give the exit status that problems lead to."""
    codes = {problem.code for problem in problems if problem.severity != "info"}
    if codes & {"cannot-read", "cannot-write"}:
        return COULD_NOT_RUN
    return PROBLEMS_FOUND if codes else 0


def print_problems(problems: Iterable[Problem], *, err: bool = False) -> None:
    """Print problems, each with its source line and a caret."""
    for found in problems:
        problem = _in_words_of_the_command(found)
        before, severity, after = str(problem).partition(f"{problem.severity}:")
        colour = _COLOURS[problem.severity]
        echo(f"{before}{click.style(severity, fg=colour, bold=True)}{after}", err=err)
        if problem.snippet is not None:
            line, caret = problem.snippet.split("\n")
            echo(f"    {line}", err=err)
            echo(f"    {click.style(caret, fg=colour)}", err=err)


def _in_words_of_the_command(problem: Problem) -> Problem:
    # What is an argument of a function in Python is an option here.
    if problem.hint is None:
        return problem
    return evolve(problem, hint=problem.hint.replace("prompt_root=", "--prompt-root"))


def echo(text: str, *, err: bool = False) -> None:
    """Print a line; in colour on a terminal, unless NO_COLOR is set."""
    click.echo(text, err=err, color=False if os.environ.get("NO_COLOR") else None)


def shown(text: str, *, err: bool = False) -> str:
    """Make text from a file safe for a terminal; elsewhere it goes out as it is."""
    if not (sys.stderr if err else sys.stdout).isatty():
        return text
    return "\n".join(printable(line) for line in text.split("\n"))
