"""``subspec sync``."""

import json
import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from subspec.cli.changing import CannotRunError, dry_run_option, show_diffs
from subspec.cli.common import CONTEXT, PROBLEMS_FOUND, echo, load_for_command, watched
from subspec.cli.conversions import (
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
from subspec.problems import printable

if TYPE_CHECKING:
    from subspec.conversion import Conversion
    from subspec.settings import Settings, Sync, Target
    from subspec.source.replace import Change

MISSING = """\
there is nothing to sync: name a source and targets in pyproject.toml, such as

    [tool.subspec.sync]
    source = "team.yaml"
    targets = ["codex", "gemini"]"""


@click.command(context_settings=CONTEXT)
@click.option(
    "--check",
    "only_check",
    is_flag=True,
    help="Write nothing; print what would change, and exit with 1 if anything would.",
)
@dry_run_option
@allow_widening_option
@losses_option
def sync(*, only_check: bool, dry_run: bool, allow_widening: bool, output_format: str) -> None:
    """Convert the agents of a project as its pyproject.toml says, and say what is lost.

    The table [tool.subspec.sync] names the `source`, a file or a directory, and the `targets`: each
    is the name of a format, or a table with the format under `to`, its `directory`, and
    `allow-widening` or `strict` as `subspec convert` knows them. Paths are relative to the
    pyproject.toml, and nothing is written outside of its directory.

    All targets are written or none. With --check nothing is: the exit status is 1 where a target
    does not say what the source does, so that a pipeline notices.

    \b
    Examples:
      subspec sync
      subspec sync --check

    \b
    In pyproject.toml:
      [tool.subspec.sync]
      source = "team.yaml"
      targets = ["codex", { to = "gemini", directory = "app", allow-widening = true }]
    """
    from subspec.settings import find_settings  # noqa: PLC0415 - not needed for --help

    settings: Settings = watched(lambda: find_settings(Path.cwd()))
    if settings.sync is None:
        raise CannotRunError(MISSING)
    plan, root = settings.sync, _from_here(settings.directory or Path())
    is_json = output_format == "json"
    conversions = _converted(settings, plan, root, is_json=is_json)
    if is_json:
        _print_data(plan.targets, conversions)
    else:
        for target, conversion in zip(plan.targets, conversions, strict=True):
            _print_conversion(target, conversion)
    refused = _refusals(plan.targets, conversions, allow_widening=allow_widening)
    changes = [change for conversion in conversions for change in conversion.changes]
    if only_check or (dry_run and not refused):
        show_diffs(() if is_json else changes)
    elif not refused:
        write(changes, quiet=is_json, nothing=_in_step(plan))
    for each in refused:
        echo(each, err=True)
    if refused and not only_check:
        echo("Nothing was written.", err=True)
    if only_check and not is_json:
        _print_verdict(plan, changes)
    raise click.exceptions.Exit(PROBLEMS_FOUND if refused or (only_check and changes) else 0)


def _from_here(directory: Path) -> Path:
    """Name a directory as short as it can be: relative to where the command runs."""
    try:
        return Path(os.path.relpath(directory))
    except ValueError:
        # Of another drive.
        return directory


def _converted(
    settings: "Settings", plan: "Sync", root: Path, *, is_json: bool
) -> "Sequence[Conversion]":
    from subspec.conversion.several import convert_all  # noqa: PLC0415 - not needed for --help

    prompts = None if settings.prompt_root is None else root / settings.prompt_root
    config = load_for_command(root / plan.source, plan.format, prompts)
    targets = [(target.to, root / target.directory) for target in plan.targets]
    conversions, problems = tried(lambda: convert_all(config, targets, root))
    if conversions is None:
        give_up(problems, {"targets": []} if is_json else None)
    return conversions


def _named(target: "Target") -> str:
    place = "" if target.directory == "." else f" in {target.directory}"
    return printable(f"{target.to}{place}")


def _print_conversion(target: "Target", conversion: "Conversion") -> None:
    echo(click.style(f"{_named(target)}:", bold=True))
    print_losses(conversion.losses)
    print_overrides(conversion.overrides)
    print_others(conversion.others)


def _print_data(targets: "Iterable[Target]", conversions: "Iterable[Conversion]") -> None:
    data: list[dict[str, Any]] = [
        {
            "directory": target.directory,
            **as_data(conversion),
            "changes": [str(change.path) for change in conversion.changes],
        }
        for target, conversion in zip(targets, conversions, strict=True)
    ]
    echo(json.dumps({"targets": data, "problems": []}, indent=2, ensure_ascii=True))


def _refusals(
    targets: "Iterable[Target]", conversions: "Iterable[Conversion]", *, allow_widening: bool
) -> list[str]:
    """Say why nothing is written, if that is so."""
    found = []
    for target, conversion in zip(targets, conversions, strict=True):
        allowed = allow_widening or target.allow_widening
        refused = refusal(conversion, strict=target.strict, allow_widening=allowed)
        if refused is not None:
            way_out = "" if target.strict else "; allow-widening = true allows it"
            found.append(f"{_named(target)}: {refused}{way_out}.")
    return found


def _in_step(plan: "Sync") -> str:
    return f"Every target says what {printable(plan.source)} does."


def _print_verdict(plan: "Sync", changes: "Sequence[Change]") -> None:
    if not changes:
        echo(_in_step(plan))
        return
    count = len(changes)
    files = "file does" if count == 1 else "files do"
    source = printable(plan.source)
    echo(f"{count:,} {files} not say what {source} does; 'subspec sync' writes it.", err=True)
