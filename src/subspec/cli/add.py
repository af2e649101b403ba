"""``subspec add``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from subspec.cli.changing import (
    CannotRunError,
    change,
    changing_options,
    finish,
    subject_of,
    text_from,
)
from subspec.cli.common import CONTEXT, PATH, PROBLEMS_FOUND, print_problems, watched
from subspec.cli.values import value_of
from subspec.problems import has_errors, printable, quoted

if TYPE_CHECKING:
    from subspec.source.replace import Change


@click.command(context_settings=CONTEXT)
@click.argument("path", type=PATH)
@click.argument("name")
@click.option("--description", required=True, help="When to hand work to the agent.")
@click.option("--prompt", help="Its system prompt.")
@click.option("--prompt-from", metavar="FILE", help="Read the prompt from FILE; - is stdin.")
@click.option("--tools", help="Its tools, with commas between; all of its parent's by default.")
@click.option("--model", help="Its model: an alias or an id.")
@click.option(
    "--schema", metavar="URL", help="Begin a new YAML file with a line that names its JSON Schema."
)
@changing_options
def add(  # noqa: PLR0917 - one for each argument and option
    path: Path,
    name: str,
    description: str,
    prompt: str | None,
    prompt_from: str | None,
    tools: str | None,
    model: str | None,
    schema: str | None,
    dry_run: bool,
    input_format: str | None,
    prompt_root: Path | None,
) -> None:
    """Add an agent to a file, or to a directory of Markdown files.

    A file that is not there yet is made.

    \b
    Examples:
      subspec add team.yaml critic --description "Finds faults." --prompt "Name three faults."
      subspec add .claude/agents critic --description "Finds faults." --prompt-from critic.txt
    """
    if (prompt is None) == (prompt_from is None):
        msg = "give --prompt, or --prompt-from FILE"
        raise click.UsageError(msg)
    text = prompt if prompt_from is None else text_from(prompt_from)
    values: dict[str, Any] = {"description": description, "prompt": text}
    if tools is not None:
        values["tools"] = value_of(("agents", name, "tools"), (tools,), None)
    if model is not None:
        values["model"] = model
    if not path.exists():
        _make(path, name, values, input_format, schema, dry_run=dry_run)
        return
    subject = subject_of(path, input_format, prompt_root)
    if name in subject.agents:
        msg = f"there is an agent {quoted(name)} in {path} already"
        raise CannotRunError(printable(msg))
    change(subject, {("agents", name): values}, dry_run=dry_run)


def _make(
    path: Path,
    name: str,
    values: dict[str, Any],
    input_format: str | None,
    schema: str | None,
    *,
    dry_run: bool,
) -> None:
    from subspec import check  # noqa: PLC0415 - not for --help
    from subspec.spec import ClaudeConfig, SubagentSpec  # noqa: PLC0415
    from subspec.store.saving import changes_for  # noqa: PLC0415

    def made() -> Any:
        config = ClaudeConfig(agents={name: SubagentSpec(**values)})
        update = changes_for(config, path, input_format, None)
        if schema is not None and path.suffix.lower() in (".yaml", ".yml"):
            update.changes = [_with_schema(change, schema) for change in update.changes]
        return update

    finish(watched(made), dry_run=dry_run, nothing="")
    if not dry_run:
        found = [each for each in check(path, format=input_format) if each.severity != "info"]
        print_problems(found, err=True)
        if has_errors(found):
            raise click.exceptions.Exit(PROBLEMS_FOUND)


def _with_schema(change: "Change", schema: str) -> "Change":
    from subspec.store import SCHEMA_LINE  # noqa: PLC0415 - not for --help

    line = f"{SCHEMA_LINE}{' '.join(schema.split())}\n"
    return evolve(change, after=line.encode() + (change.after or b""))
