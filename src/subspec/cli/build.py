"""``subspec build``."""

from pathlib import Path

import click

from subspec.cli.common import CONTEXT, load_for_command, reading_options, watched


@click.command(context_settings=CONTEXT)
@click.argument("path", type=click.Path(path_type=Path))
@reading_options
def build(path: Path, input_format: str | None, prompt_root: Path | None) -> None:
    """Print the agents of a file as the JSON that `claude --agents` takes.

    What that JSON cannot say is named on standard error.

    \b
    Example:
      claude --agents "$(subspec build team.yaml)"
    """
    from subspec import dumps  # noqa: PLC0415 - not needed for --help

    config = load_for_command(path, input_format, prompt_root)
    text = watched(lambda: dumps(config, format="claude_cli", media="json"))
    click.echo(text, nl=False)
