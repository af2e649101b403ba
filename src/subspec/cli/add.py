"""``subspec add``."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import evolve

from subspec.cli.changing import (
    CannotRunError,
    change,
    changing_options,
    field_of_agent,
    finish,
    subject_of,
    text_from,
)
from subspec.cli.common import CONTEXT, PATH, PROBLEMS_FOUND, print_problems, watched
from subspec.cli.values import value_of
from subspec.problems import CONFLICT, ConflictError, has_errors, printable, quoted

if TYPE_CHECKING:
    from subspec.source.replace import Change
    from subspec.store.editing import Subject


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

    A file that is not there yet is made; one that holds nothing but comments keeps them.

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
    there, before = _what_is_there(path, input_format)
    if not there:
        _make(path, name, values, input_format, schema, before, dry_run=dry_run)
        return
    subject = subject_of(path, input_format, prompt_root)
    if name in subject.agents:
        msg = f"there is an agent {quoted(name)} in {path} already"
        raise CannotRunError(printable(msg))
    own = {_key_of(subject, field): value for field, value in values.items()}
    change(subject, {("agents", name): own}, dry_run=dry_run)


def _key_of(subject: "Subject", field: str) -> str:
    """Give the key of a field, which the program of the file may call otherwise."""
    path = field_of_agent(subject, field)
    return str(path[0]) if len(path) == 1 else field


def _what_is_there(path: Path, input_format: str | None) -> tuple[bool, bytes | None]:
    """Tell whether there is something to add to, and else what a new file replaces."""
    from subspec import formats  # noqa: PLC0415 - not needed for --help
    from subspec.source import read_file  # noqa: PLC0415
    from subspec.store.saving import is_blank  # noqa: PLC0415

    if not path.exists():
        return False, None
    spelling = formats.spelling_of(path, input_format)
    if spelling is not None:
        from subspec.store.spelled import files_in  # noqa: PLC0415 - for these only

        return not formats.is_directory(path) or bool(files_in(spelling, path)), None
    if formats.is_markdown(path, input_format):
        return True, None
    document = read_file(path)
    return not is_blank(document), document.raw


def _make(  # noqa: PLR0917 - what the command was given
    path: Path,
    name: str,
    values: dict[str, Any],
    input_format: str | None,
    schema: str | None,
    before: bytes | None,
    *,
    dry_run: bool,
) -> None:
    from subspec import check  # noqa: PLC0415 - not for --help
    from subspec.spec import ClaudeConfig, SubagentSpec  # noqa: PLC0415
    from subspec.store.saving import changes_for  # noqa: PLC0415

    def made() -> Any:
        config = ClaudeConfig(agents={name: SubagentSpec(**values)})
        update = changes_for(config, path, input_format, None)
        if any(change.before != before for change in update.changes):
            message = "somebody else has just written it, and nothing was written now"
            hint = "add the agent once more"
            raise ConflictError([CONFLICT.problem(message, file=str(path), hint=hint)])
        if schema is not None and path.suffix.lower() in (".yaml", ".yml"):
            update.changes = [_with_schema(change, schema) for change in update.changes]
        return update

    update = watched(made)
    print_problems(update.problems, err=True)
    finish(update, dry_run=dry_run, nothing="")
    if not dry_run:
        found = [each for each in check(path, format=input_format) if each.severity != "info"]
        print_problems(found, err=True)
        if has_errors(found):
            raise click.exceptions.Exit(PROBLEMS_FOUND)


def _with_schema(change: "Change", schema: str) -> "Change":
    from subspec.store import SCHEMA_LINE  # noqa: PLC0415 - not for --help

    line = f"{SCHEMA_LINE}{' '.join(schema.split())}\n"
    return evolve(change, after=line.encode() + (change.after or b""))
