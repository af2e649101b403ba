"""``subspec preview``."""

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import AttrsInstance, asdict, evolve

from subspec.cli.common import CONTEXT, COULD_NOT_RUN, PATH, PROBLEMS_FOUND, echo, print_problems
from subspec.cli.reports import fields_of
from subspec.cli.show import WIDTH_OF_A_PIPE
from subspec.problems import SHADOWED_AGENT, Problem, printable, quoted

if TYPE_CHECKING:
    from subspec.project import LoadedAgent, Preview


@click.command(context_settings=CONTEXT)
@click.argument("directory", metavar="[DIR]", default=".", type=PATH)
@click.option("--user", is_flag=True, help="Count the agents in ~/.claude/agents as well.")
@click.option(
    "--format",
    "output_format",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="How to print what was found.",
)
def preview(directory: Path, user: bool, output_format: str) -> None:
    """Show which agents Claude Code loads when it is started in a directory, and which it drops.

    They come from .claude/agents in the directory and in those above it, up to the root of the
    repository. Claude Code is not run.

    The exit status is 0 when no file was dropped, 1 when one was, and 2 when there is no such
    directory.

    \b
    Examples:
      subspec preview
      subspec preview --user --format json ~/code/project
    """
    from subspec.project import preview as find  # noqa: PLC0415 - not needed for --help

    try:
        found = find(directory, user=user)
    except NotADirectoryError as error:
        raise _NoDirectory(str(error)) from None
    if output_format == "json":
        echo(json.dumps(_as_data(found), indent=2, ensure_ascii=True))
    else:
        _print(found, directory)
    raise click.exceptions.Exit(PROBLEMS_FOUND if found.dropped else 0)


class _NoDirectory(click.ClickException):
    exit_code = COULD_NOT_RUN


def _as_data(found: "Preview") -> dict[str, list[dict[str, Any]]]:
    """Give a preview as JSON can hold it, under the names of its attributes."""
    loaded = [
        {**_plain(agent), "replaces_built_in": agent.replaces_built_in} for agent in found.loaded
    ]
    dropped, shadowed = map(_plain, found.dropped), map(_plain, found.shadowed)
    return {"loaded": loaded, "dropped": list(dropped), "shadowed": list(shadowed)}


def _plain(found: AttrsInstance) -> dict[str, Any]:
    return {name: _plain_value(value) for name, value in asdict(found, recurse=False).items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, Problem):
        return fields_of(value)
    return str(value) if isinstance(value, Path) else value


def _print(found: "Preview", directory: Path) -> None:
    if found.loaded:
        _print_table(found.loaded)
        echo("")
    else:
        echo(f"Claude Code loads no agents in {quoted(str(directory), len(str(directory)))}.")
    print_problems(_replacement(agent) for agent in found.loaded if agent.replaces_built_in)
    print_problems(file.problem for file in found.dropped)
    print_problems(file.problem for file in found.shadowed)
    loaded, dropped, shadowed = map(len, (found.loaded, found.dropped, found.shadowed))
    echo(f"{loaded} loaded, {dropped} dropped, {shadowed} shadowed.")


def _replacement(agent: "LoadedAgent") -> Problem:
    message = f"{quoted(agent.name)} takes the place of an agent that Claude Code has by itself"
    return evolve(SHADOWED_AGENT.problem(message, file=str(agent.path)), severity="info")


def _print_table(agents: "tuple[LoadedAgent, ...]") -> None:
    from rich.console import Console  # noqa: PLC0415 - slow to import, for this picture only
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else WIDTH_OF_A_PIPE
    table = Table(box=None, pad_edge=False, header_style="bold", expand=True)
    for title, most in (("NAME", 24), ("MODEL", 16), ("TOOLS", 24)):
        table.add_column(title, overflow="fold", max_width=most)
    # With a ratio the width is the least it has; the others are folded to leave room for it.
    table.add_column("DESCRIPTION", no_wrap=True, overflow="ellipsis", ratio=1, width=20)
    table.add_column("PATH", overflow="fold", max_width=32)
    for agent in agents:
        first_line = agent.description.strip().partition("\n")[0]
        model, path = agent.model or "inherit", str(agent.path)
        cells = (agent.name, model, _tools_in_words(agent), first_line, path)
        # As Text, or the square brackets of a description would be read as styles.
        table.add_row(*(Text(printable(cell)) for cell in cells))
    Console(width=width, highlight=False, soft_wrap=False).print(table)


def _tools_in_words(agent: "LoadedAgent") -> str:
    if agent.tools is not None:
        return ", ".join(agent.tools) or "none"
    without = ", ".join(agent.disallowed_tools)
    return f"all, without {without}" if without else "all"
