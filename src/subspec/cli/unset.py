"""``subspec unset``."""

from pathlib import Path

import click

from subspec.cli.changing import change, changing_options, subject_of, target_path
from subspec.cli.common import CONTEXT, PATH, echo
from subspec.problems import printable


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
    places = {target: target_path(subject, target) for target in targets}
    for target, place in places.items():
        if subject.value(place) is MISSING:
            echo(printable(f"{target} is not set."), err=True)
    change(subject, dict.fromkeys(places.values(), MISSING), dry_run=dry_run)
