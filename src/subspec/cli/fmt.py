"""``subspec fmt``."""

from pathlib import Path

import click

from subspec.cli.changing import show_diffs, write_each
from subspec.cli.common import (
    CONTEXT,
    PATH,
    PROBLEMS_FOUND,
    echo,
    exit_status,
    format_option,
    print_problems,
    watched,
)
from subspec.problems import printable


@click.command(context_settings=CONTEXT)
@click.argument("paths", nargs=-1, required=True, metavar="PATH...", type=PATH)
@click.option("--check", "only_check", is_flag=True, help="Write nothing; exit with 1 if it would.")
@click.option("--diff", "only_diff", is_flag=True, help="Write nothing; print what would change.")
@format_option
def fmt(
    paths: tuple[Path, ...], only_check: bool, only_diff: bool, input_format: str | None
) -> None:
    """Lay files out in the one canonical way, with the same data and the same comments.

    Keys stand in the order of the documentation, indented by two; prompts are literal blocks, short
    lists stand in brackets, and quotes only where they are needed. Comments, anchors and the order
    of agents stay. A file that cannot be read is left alone.

    \b
    Examples:
      subspec fmt team.yaml .claude/agents
      subspec fmt --check --diff team.yaml
    """
    from subspec.store.layout import Layout  # noqa: PLC0415 - not needed for --help

    layout = Layout()
    for path in paths:
        watched(lambda each=path: layout.add(each, input_format))  # type: ignore[misc]
    print_problems(layout.problems, err=True)
    show_diffs(layout.changes if only_diff else ())
    for change in layout.changes if only_check else ():
        echo(printable(f"Would lay out {change.path}."), err=only_diff)
    problems = list(layout.problems)
    if not (only_check or only_diff):
        problems += write_each(layout.changes)
    status = exit_status(problems)
    if only_check and layout.changes:
        status = max(status, PROBLEMS_FOUND)
    if not (layout.changes or layout.problems):
        echo(f"All is laid out in {layout.count:,} file{'' if layout.count == 1 else 's'}.")
    raise click.exceptions.Exit(status)
