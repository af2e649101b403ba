"""``subspec doctor``."""

from importlib.metadata import version

import click

from subspec.cli.common import CONTEXT, COULD_NOT_RUN, PROBLEMS_FOUND, echo
from subspec.facts import CLAUDE_CODE
from subspec.problems import printable


@click.command(context_settings=CONTEXT)
def doctor() -> None:
    """Say whether what subspec knows of Claude Code holds for the one that is installed.

    Some fifty small agents are shown to it, without an account and without a network, and what it
    does with them is compared with what subspec says. The exit status is 1 when something differs,
    and 2 when there is no Claude Code to ask.

    \b
    Example:
      subspec doctor
    """
    from subspec.doctor import diagnose, programs, sdk_version  # noqa: PLC0415 - not for --help
    from subspec.runtimes.claude_cli import CannotAskError  # noqa: PLC0415

    echo(f"subspec {version('subspec')}, with facts of Claude Code {CLAUDE_CODE}")
    echo(f"claude-agent-sdk {sdk_version() or 'is not installed'}")
    found = programs()
    if not found:
        echo("Claude Code is not here: neither with claude-agent-sdk nor as `claude`.")
    status = 0 if found else COULD_NOT_RUN
    for program in found:
        try:
            diagnosis = diagnose(program)
        except CannotAskError as error:
            echo(printable(str(error)))
            status = max(status, COULD_NOT_RUN)
            continue
        same = "the same" if diagnosis.version == CLAUDE_CODE else "another version"
        echo(printable(f"Claude Code {diagnosis.version} ({same}): {program}"))
        for fact in diagnosis.differences:
            echo(f"  no longer so: {fact}")
        if diagnosis.differences:
            status = max(status, PROBLEMS_FOUND)
        else:
            echo("  all that was asked is as subspec says")
    raise click.exceptions.Exit(status)
