"""What the commands that convert share: what is lost, for people and for programs, and writing."""

import json
import shutil
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click
from attrs import asdict

from subspec.cli.changing import CannotRunError, finish
from subspec.cli.common import echo, exit_status, print_problems, watched
from subspec.cli.reports import fields_of
from subspec.cli.show import WIDTH_OF_A_PIPE
from subspec.problems import Problem, SpecError, printable, quoted

allow_widening_option = click.option(
    "--allow-widening", is_flag=True, help="Write also what lets agents do more than they say."
)
losses_option = click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print what is lost.",
)

if TYPE_CHECKING:
    from subspec.conversion import Conversion, Loss, Override
    from subspec.source.replace import Change


T = TypeVar("T")


def refusal(conversion: "Conversion", *, strict: bool, allow_widening: bool) -> str | None:
    """Say why a conversion is not to be written, if that is so."""
    if strict and conversion.losses:
        count = len(conversion.losses)
        return f"{count:,} {'loss' if count == 1 else 'losses'}"
    wider = sorted({str(loss.agent or "the session") for loss in conversion.widens})
    if not wider or allow_widening:
        return None
    return f"more would be allowed to {', '.join(map(printable, wider))}"


def tried(action: Callable[[], T]) -> tuple[T | None, "Sequence[Problem]"]:
    """Make conversions; where there is no way to, give what is wrong instead."""

    def made() -> tuple[T | None, Sequence[Problem]]:
        try:
            return action(), ()
        except SpecError as error:
            return None, error.problems

    try:
        return watched(made)  # type: ignore[no-any-return]
    except ImportError as error:
        raise CannotRunError(str(error)) from None


def give_up(problems: "Sequence[Problem]", data: Mapping[str, Any] | None) -> NoReturn:
    """Say what is wrong, to programs together with the data that there is, and stop."""
    if data is not None:
        found = {**data, "problems": [fields_of(each) for each in problems]}
        echo(json.dumps(found, indent=2, ensure_ascii=True))
    print_problems(problems, err=True)
    echo("Nothing was written.", err=True)
    raise click.exceptions.Exit(exit_status(problems))


NOTHING: Mapping[str, Any] = {"files": {}, "losses": [], "overrides": [], "others": []}
"""The data of a conversion that there is not."""


def as_data(conversion: "Conversion") -> dict[str, Any]:
    """Give a conversion as JSON can hold it, under the names of its attributes."""
    return {
        "to": conversion.to,
        "files": dict(conversion.files),
        "losses": [asdict(loss) for loss in conversion.losses],
        "overrides": [asdict(each) for each in conversion.overrides],
        "others": list(conversion.others),
    }


def write(changes: "Iterable[Change]", *, quiet: bool, nothing: str) -> None:
    """Write files, all or none; say which unless that is not wanted."""
    from subspec.source.replace import replace_files  # noqa: PLC0415 - where files are written
    from subspec.store.update import Update  # noqa: PLC0415

    if quiet:
        watched(lambda: replace_files(changes))
        return
    finish(Update(list(changes)), dry_run=False, nothing=nothing)


def print_losses(losses: "Sequence[Loss]") -> None:
    """Print a table of what is lost."""
    if not losses:
        echo("Nothing is lost.")
        return
    rows = [
        (
            loss.agent or "(session)",
            loss.field,
            f"{loss.reason}; {loss.instead}",
            "widens" if loss.widens else "",
        )
        for loss in losses
    ]
    _print_table(("AGENT", "FIELD", "LOST", ""), rows)


def print_overrides(overrides: "Sequence[Override]") -> None:
    """Print what files said otherwise."""
    for each in overrides:
        found = "nothing" if each.found is None else quoted(each.found)
        written = "nothing" if each.written is None else quoted(each.written)
        text = f"{each.file}: {each.field} said {found}, and now says {written}."
        echo(printable(text))


def print_others(others: "Sequence[str]") -> None:
    """Print which agents are there without the source having them."""
    if others:
        names = ", ".join(map(printable, others))
        echo(f"Left as they are, since the source has no such agents: {names}.")


def _print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to import, for this picture only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for title, most in zip(titles, (24, 32, None, 6), strict=True):
        table.add_column(title, overflow="fold", max_width=most, ratio=None if most else 1)
    for row in rows:
        # As Text, or the square brackets of a reason would be read as styles.
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(width=width, highlight=False, soft_wrap=False).print(table)
