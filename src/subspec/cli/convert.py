"""``subspec convert``."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from subspec.cli.changing import dry_run_option, show_diffs
from subspec.cli.common import (
    CONTEXT,
    PATH,
    PROBLEMS_FOUND,
    FormatName,
    echo,
    reading_options,
)
from subspec.cli.conversions import (
    NOTHING,
    allow_widening_option,
    as_data,
    give_up,
    losses_option,
    print_losses,
    print_others,
    print_overrides,
    refusal,
    tried,
    write,
)
from subspec.problems import NOT_AN_AGENT, SpecError

if TYPE_CHECKING:
    from subspec.conversion import Conversion
    from subspec.spec import ClaudeConfig


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
@allow_widening_option
@dry_run_option
@losses_option
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
    is_json = output_format == "json"

    def converted() -> "Conversion":
        from subspec import load  # noqa: PLC0415 - not needed for --help
        from subspec.conversion import convert as say  # noqa: PLC0415

        config = load(path, format=input_format, prompt_root=prompt_root)
        if not _says_something(config, to):
            message = "there is no agent in it, and nothing to convert"
            raise SpecError([NOT_AN_AGENT.problem(message, file=str(path))])
        return say(config, to, into=directory)

    conversion, problems = tried(converted)
    if conversion is None:
        give_up(problems, {"to": to, **NOTHING} if is_json else None)
    refused = refusal(conversion, strict=strict, allow_widening=allow_widening)
    if is_json:
        data = {**as_data(conversion), "problems": []}
        echo(json.dumps(data, indent=2, ensure_ascii=True))
    else:
        print_losses(conversion.losses)
        print_overrides(conversion.overrides)
        print_others(conversion.others)
    if refused is not None:
        way_out = "" if strict else " --allow-widening does it."
        echo(f"Nothing was written: {refused}.{way_out}", err=True)
    elif dry_run:
        show_diffs(() if is_json else conversion.changes)
    else:
        write(conversion.changes, quiet=is_json, nothing="Nothing to change.")
    raise click.exceptions.Exit(0 if refused is None else PROBLEMS_FOUND)


def _says_something(config: "ClaudeConfig", to: str) -> bool:
    from subspec.formats import FORMATS  # noqa: PLC0415 - not needed for --help
    from subspec.structure import plain  # noqa: PLC0415

    # A document can also say what holds for the session, without any agent.
    return bool(config.agents) or (to in FORMATS and bool(plain(config).keys() - {"agents"}))
