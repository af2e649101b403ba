"""``subspec convert``."""

import json
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import asdict

from subspec.cli.changing import CannotRunError, finish, show_diffs
from subspec.cli.common import (
    CONTEXT,
    PATH,
    PROBLEMS_FOUND,
    FormatName,
    echo,
    load_for_command,
    reading_options,
    watched,
)
from subspec.cli.show import WIDTH_OF_A_PIPE
from subspec.problems import printable, quoted

if TYPE_CHECKING:
    from subspec.conversion import Conversion, Loss, Override


@click.command(context_settings=CONTEXT)
@click.argument("path", metavar="SRC", type=PATH)
@click.option("--to", required=True, type=FormatName(), help="The format to write.")
@click.option(
    "-o",
    "--output",
    "directory",
    metavar="DIR",
    default=".",
    show_default=True,
    type=PATH,
    help="The directory of the project that the files are for.",
)
@click.option("--strict", is_flag=True, help="Write nothing if anything is lost.")
@click.option(
    "--allow-widening", is_flag=True, help="Write also what lets agents do more than they say."
)
@click.option(
    "--dry-run", is_flag=True, help="Print what would change as a unified diff, and stop."
)
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print what is lost.",
)
@reading_options
def convert(  # noqa: PLR0917 - click passes them by name
    path: Path,
    to: str,
    directory: Path,
    strict: bool,
    allow_widening: bool,
    dry_run: bool,
    output_format: str,
    input_format: str | None,
    prompt_root: Path | None,
) -> None:
    """Write agents in the format of another program, and say what it cannot say.

    Names of tools, models, permissions and efforts are translated where the other program has a
    word for them. What it has none for is left out, and listed. Files that are there are changed as
    little as can be.

    Nothing is written if an agent could do more than its text says, unless that is allowed. The
    exit status is then 1, as it is with --strict if anything is lost.

    \b
    Formats:
      agents, claude_cli, claude_code, codex, copilot, cursor, factory, gemini,
      holodeck, kiro, kiro_ide, opencode, pydantic_ai, qwen

    \b
    Examples:
      subspec convert team.yaml --to codex --dry-run
      subspec convert .claude/agents --to gemini
      subspec convert . --as codex --to claude_code -o ../other --strict
    """
    from subspec.conversion import convert as say  # noqa: PLC0415 - not needed for --help

    config = load_for_command(path, input_format, prompt_root)
    try:
        conversion: Conversion = watched(lambda: say(config, to, into=directory))
    except ImportError as error:
        raise CannotRunError(str(error)) from None
    refused = _refusal(conversion, strict=strict, allow_widening=allow_widening)
    if output_format == "json":
        echo(json.dumps(_as_data(conversion), indent=2, ensure_ascii=True))
    else:
        _print_losses(conversion.losses)
        _print_overrides(conversion.overrides)
    if refused is not None:
        echo(refused, err=True)
    elif dry_run:
        show_diffs(conversion.changes if output_format == "text" else ())
    else:
        _write(conversion, quiet=output_format == "json")
    raise click.exceptions.Exit(0 if refused is None else PROBLEMS_FOUND)


def _refusal(conversion: "Conversion", *, strict: bool, allow_widening: bool) -> str | None:
    """Say why nothing is written, if that is so."""
    if strict and conversion.losses:
        return f"Nothing was written: {_counted(len(conversion.losses), 'loss', 'losses')}."
    wider = sorted({str(loss.agent or "the session") for loss in conversion.widens})
    if not wider or allow_widening:
        return None
    names = ", ".join(map(printable, wider))
    return f"Nothing was written: more would be allowed to {names}. --allow-widening does it."


def _counted(count: int, one: str, many: str) -> str:
    return f"{count:,} {one if count == 1 else many}"


def _write(conversion: "Conversion", *, quiet: bool) -> None:
    from subspec.source.replace import replace_files  # noqa: PLC0415 - where files are written
    from subspec.store.update import Update  # noqa: PLC0415

    if quiet:
        watched(lambda: replace_files(conversion.changes))
        return
    finish(Update(list(conversion.changes)), dry_run=False, nothing="Nothing to change.")


def _as_data(conversion: "Conversion") -> dict[str, Any]:
    """Give a conversion as JSON can hold it, under the names of its attributes."""
    return {
        "to": conversion.to,
        "files": dict(conversion.files),
        "losses": [asdict(loss) for loss in conversion.losses],
        "overrides": [asdict(each) for each in conversion.overrides],
    }


def _print_losses(losses: "Sequence[Loss]") -> None:
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


def _print_overrides(overrides: "Sequence[Override]") -> None:
    for each in overrides:
        found = "nothing" if each.found is None else quoted(each.found)
        written = "nothing" if each.written is None else quoted(each.written)
        text = f"{each.file}: {each.field} said {found}, and now says {written}."
        echo(printable(text))


def _print_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to import, for this picture only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for title, most in zip(titles, (24, 20, None, 6), strict=True):
        table.add_column(title, overflow="fold", max_width=most, ratio=None if most else 1)
    for row in rows:
        # As Text, or the square brackets of a reason would be read as styles.
        table.add_row(*(Text(printable(cell)) for cell in row))
    Console(width=width, highlight=False, soft_wrap=False).print(table)
