"""``subspec rename``."""

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
from subspec.problems import printable, quoted


@click.command(context_settings=CONTEXT)
@click.argument("path", type=PATH)
@click.argument("old")
@click.argument("new")
@changing_options
def rename(  # noqa: PLR0917 - one for each argument and option
    path: Path,
    old: str,
    new: str,
    dry_run: bool,
    input_format: str | None,
    prompt_root: Path | None,
) -> None:
    """Give an agent another name.

    A Markdown file keeps the name it has: Claude Code goes by what stands in it.

    \b
    Example:
      subspec rename team.yaml critic reviewer
    """
    subject = subject_of(path, input_format, prompt_root)
    if old not in subject.agents:
        raise CannotRunError(no_such_agent(subject, old))
    if new in subject.agents:
        msg = f"there is an agent {quoted(new)} in {path} already"
        raise CannotRunError(printable(msg))
    change(subject, {}, {old: new}, dry_run=dry_run)
