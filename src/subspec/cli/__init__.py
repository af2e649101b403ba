"""The command ``subspec``: one module for each of its commands, imported when it is called."""

import io
import os
import sys
from importlib import import_module
from typing import Any

import click

from subspec.cli.common import CONTEXT, COULD_NOT_RUN

COMMANDS = {
    "add": "Add an agent to a file.",
    "build": "Print the JSON that `claude --agents` takes.",
    "check": "Say everything that is wrong in files of subagents.",
    "convert": "Write agents in the format of another program.",
    "doctor": "Say whether what subspec knows of Claude Code still holds.",
    "explain": "Say what a kind of problem means, or list all kinds.",
    "fmt": "Lay files out in the canonical way.",
    "preview": "Show what Claude Code loads from a directory, and what not.",
    "remove": "Remove agents from a file.",
    "rename": "Give an agent another name.",
    "run": "Have one agent of a file do a task.",
    "schema": "Print the JSON Schema of a format.",
    "set": "Change one field of an agent, and nothing else in the file.",
    "show": "Show the subagents of a file.",
    "sync": "Convert the agents of a project as its pyproject.toml says.",
    "unset": "Take fields out of a file.",
}
"""The commands, with what the list of them says. Each is a module here, with that function."""


INTERRUPTED = 128 + 2
"""Exit status: Ctrl-C, said as shells say it."""


class _LazyGroup(click.Group):
    """A group that imports a command when it is called, and lists all without importing any."""

    def main(self, *args: Any, **extra: Any) -> Any:
        try:
            try:
                return super().main(*args, **extra)
            finally:
                if sys.stdout is not None:
                    sys.stdout.flush()
        except OSError as error:
            # A full disk, say. What could not be written is not to be tried again at the exit.
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            click.echo(f"subspec: cannot write: {error.strerror}", err=True)
            sys.exit(COULD_NOT_RUN)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            # Not the status that says that files have problems.
            click.echo("\nInterrupted.", err=True)
            raise click.exceptions.Exit(INTERRUPTED) from None

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module = import_module(f"subspec.cli.{cmd_name}")
        # What has the name of a built-in function has a dash below behind it.
        command: click.Command = getattr(module, cmd_name, None) or getattr(module, f"{cmd_name}_")
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl(sorted(COMMANDS.items()))

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            from subspec.problems import did_you_mean  # noqa: PLC0415 - for a mistake only

            if hint := did_you_mean(args[0], COMMANDS):
                msg = f"{error.message} {hint.capitalize()}"
                raise click.UsageError(msg, ctx) from None
            raise


@click.group(cls=_LazyGroup, context_settings=CONTEXT)
@click.version_option(package_name="subspec")
def main() -> None:
    """Subagent definitions on disk: check them, look at them, build what runtimes take.

    \b
    Example:
      subspec check team.yaml
    """
    # Files hold what an old terminal cannot show, and names of files what is no text at all.
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
