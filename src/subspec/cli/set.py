"""``subspec set``."""

from pathlib import Path

import click

from subspec.cli.changing import (
    change,
    changing_options,
    subject_of,
    target_path,
    text_from,
)
from subspec.cli.common import PATH
from subspec.cli.values import value_of, words_in


class _WithoutShortOptions(click.Command):
    """A command to which ``-Bash`` is a tool to take away, and not ``-h`` among other letters."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        return super().parse_args(ctx, ["--help" if arg == "-h" else arg for arg in args])


@click.command(
    name="set",
    cls=_WithoutShortOptions,
    context_settings={
        "ignore_unknown_options": True,
        "help_option_names": ["--help"],
        "max_content_width": 100,
    },
)
@click.argument("path", type=PATH)
@click.argument("target", metavar="AGENT.FIELD")
@click.argument("value", nargs=-1, metavar="[VALUE]...")
@click.option("--from", "source", metavar="FILE", help="Read the value from FILE; - is stdin.")
@changing_options
def set_(  # noqa: PLR0917 - one for each argument and option
    path: Path,
    target: str,
    value: tuple[str, ...],
    source: str | None,
    dry_run: bool,
    input_format: str | None,
    prompt_root: Path | None,
) -> None:
    """Change one field of an agent, and nothing else in the file.

    FIELD is a field of the agent AGENT; without AGENT it is one of the session. A list is given
    with blanks or commas between its items, as [] for none, or as +NAME and -NAME for what is to
    change of it; in a FILE each item may stand on a line of its own. Numbers, true and false are
    written as in YAML, as are mappings.

    \b
    Examples:
      subspec set team.yaml writer.model opus
      subspec set team.yaml writer.tools Read,Grep
      subspec set .claude/agents writer.tools +WebFetch -Bash
      subspec set team.yaml writer.prompt --from prompt.md
      subspec set team.yaml permission_mode plan
    """
    if bool(value) == (source is not None):
        msg = "give a VALUE, or --from FILE"
        raise click.UsageError(msg)
    subject = subject_of(path, input_format, prompt_root)
    where = target_path(subject, target)
    words = value if source is None else words_in(where, text_from(source))
    value_now = subject.value(where)
    new = value_of(where, words, value_now, subject.kind, subject.own_lists)
    change(subject, {where: new}, dry_run=dry_run)
