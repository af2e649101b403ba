"""``subspec remove``."""

from pathlib import Path

import click

from subspec.cli.changing import (
    CannotRunError,
    change,
    changing_options,
    no_such_agent,
    subject_of,
)
from subspec.cli.common import CONTEXT, PATH


@click.command(context_settings=CONTEXT)
@click.argument("path", type=PATH)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@changing_options
def remove(
    path: Path,
    names: tuple[str, ...],
    dry_run: bool,
    input_format: str | None,
    prompt_root: Path | None,
) -> None:
    """Remove agents from a file, with their comments; of Markdown, remove their files.

    \b
    Example:
      subspec remove team.yaml critic
    """
    from subspec.source.compare import MISSING  # noqa: PLC0415 - not needed for --help

    subject = subject_of(path, input_format, prompt_root)
    for name in names:
        if name not in subject.agents:
            raise CannotRunError(no_such_agent(subject, name))
    change(subject, {("agents", name): MISSING for name in names}, dry_run=dry_run)
