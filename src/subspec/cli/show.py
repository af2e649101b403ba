"""``subspec show``."""

import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from subspec.cli.common import (
    CONTEXT,
    COULD_NOT_RUN,
    PATH,
    load_for_command,
    reading_options,
    shown,
)
from subspec.problems import did_you_mean, printable, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from subspec import SubagentSpec

WIDTH_OF_A_PIPE = 100
"""How wide the table is where there is no terminal, in columns."""


@click.command(context_settings=CONTEXT)
@click.argument("path", type=PATH)
@click.argument("name", required=False)
@reading_options
def show(path: Path, name: str | None, input_format: str | None, prompt_root: Path | None) -> None:
    """Show the subagents of a file: a table of all, or one in full with its prompt.

    \b
    Examples:
      subspec show team.yaml
      subspec show team.yaml writer
    """
    agents = load_for_command(path, input_format, prompt_root).agents or {}
    if name is None:
        _print_table(agents, path)
    elif name in agents:
        _print_agent(name, agents[name])
    else:
        hint = did_you_mean(name, agents) or f"there are: {', '.join(agents) or 'none'}"
        raise _NoSuchAgent(printable(f"no agent {quoted(name)} in {path}; {hint}"))


class _NoSuchAgent(click.ClickException):
    exit_code = COULD_NOT_RUN


def tools_in_words(spec: "SubagentSpec") -> str:
    """Say what an agent may use: all, none, or which."""
    said = "all" if spec.tools is None else ", ".join(spec.tools) or "none"
    return f"{said}, without {', '.join(spec.disallowed_tools)}" if spec.disallowed_tools else said


def _print_table(agents: "Mapping[str, SubagentSpec]", path: Path) -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to import, for this picture only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    if not agents:
        click.echo(f"No agents in {printable(str(path))}.")
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for title, most in (("NAME", 30), ("MODEL", 20), ("TOOLS", 34)):
        table.add_column(title, overflow="fold", max_width=most)
    # With a ratio the width is the least it has; the others are folded to leave room for it.
    table.add_column("DESCRIPTION", no_wrap=True, overflow="ellipsis", ratio=1, width=24)
    for name, spec in agents.items():
        first_line = spec.description.strip().partition("\n")[0]
        cells = (name, spec.model or "inherit", tools_in_words(spec), first_line)
        # As Text, or the square brackets of a description would be read as styles.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console(width=width, highlight=False, soft_wrap=False).print(table)


def _print_agent(name: str, spec: "SubagentSpec") -> None:
    from subspec.source.emit import emit_yaml  # noqa: PLC0415 - for one agent only
    from subspec.structure import plain  # noqa: PLC0415 - not needed for --help

    about = plain(spec)
    prompt = about.pop("prompt")
    about["tools"] = tools_in_words(spec)
    about.pop("disallowed_tools", None)
    if spec.origin is not None and spec.origin.prompt_file is not None:
        about["prompt_file"] = printable(str(spec.origin.prompt_file))
    end = "" if prompt.endswith("\n") else "\n"
    # "In colour", or what looks like one in a prompt would be taken out.
    text = shown(f"{emit_yaml({'name': name, **about})}\n{prompt}{end}")
    click.echo(text, nl=False, color=True)
