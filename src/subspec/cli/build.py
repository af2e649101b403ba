"""``subspec build``."""

import json
import sys
from pathlib import Path

import click

from subspec.cli.common import CONTEXT, PATH, load_for_command, reading_options, watched


@click.command(context_settings=CONTEXT)
@click.argument("path", type=PATH)
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
    text = "".join(c if _can_be_printed(c) else json.dumps(c)[1:-1] for c in text)
    # "In colour", or what looks like one in a prompt would be taken out.
    click.echo(text, nl=False, color=True)


def _can_be_printed(character: str) -> bool:
    # What cannot stands in a string, where JSON has escapes for it: the data stays the same.
    if character.isascii():
        return True
    if sys.stdout.isatty() and not character.isprintable():
        return False
    encoding = sys.stdout.encoding or "utf-8"
    return character.encode(encoding, "ignore") != b""
