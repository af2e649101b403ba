"""``subspec unset``."""

from pathlib import Path

import click

from subspec.cli.changing import change, changing_options, subject_of, target_path
from subspec.cli.common import CONTEXT, PATH


@click.command(context_settings=CONTEXT)
@click.argument("path", type=PATH)
@click.argument("targets", nargs=-1, required=True, metavar="AGENT.FIELD...")
@changing_options
def unset(
    path: Path,
    targets: tuple[str, ...],
    dry_run: bool,
    input_format: str | None,
    prompt_root: Path | None,
) -> None:
    """Take fields out of a file, with their comments.

    A field that is not there means what it means by default: an agent without `tools` has all the
    tools of its parent.

    \b
    Example:
      subspec unset team.yaml writer.max_turns
    """
    from subspec.source.compare import MISSING  # noqa: PLC0415 - not needed for --help

    subject = subject_of(path, input_format, prompt_root)
    edits = {target_path(subject, target): MISSING for target in targets}
    change(subject, edits, dry_run=dry_run)
