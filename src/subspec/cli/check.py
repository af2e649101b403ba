"""``subspec check``."""

from collections.abc import Callable, Container, Iterable
from functools import partial
from pathlib import Path

import click

from subspec.cli.common import (
    CONTEXT,
    COULD_NOT_RUN,
    PATH,
    PROBLEMS_FOUND,
    echo,
    exit_status,
    reading_options,
    watched,
)
from subspec.cli.progress import watching
from subspec.cli.reports import REPORTS
from subspec.problems import CODES, Problem, did_you_mean


@click.command(context_settings=CONTEXT)
@click.argument("paths", nargs=-1, metavar="[PATH]...", type=PATH)
@reading_options
@click.option(
    "--format",
    "output_format",
    type=click.Choice(list(REPORTS)),
    default="text",
    show_default=True,
    help="How to print what was found.",
)
@click.option("--select", multiple=True, metavar="CODE", help="Say this only; may be repeated.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Do not say this; may be repeated.")
@click.option("--exit-zero", is_flag=True, help="Exit with 0 whatever was found.")
@click.option("--fix", is_flag=True, help="Mend what can be mended, and check again.")
@click.option(
    "--unsafe-fixes",
    is_flag=True,
    help="Mend also where an agent may then do something else than before.",
)
@click.option(
    "--diff", "only_diff", is_flag=True, help="Print what would be mended; write nothing."
)
def check(  # noqa: PLR0917 - one for each argument and option
    paths: tuple[Path, ...],
    input_format: str | None,
    prompt_root: Path | None,
    output_format: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    exit_zero: bool,
    fix: bool,
    unsafe_fixes: bool,
    only_diff: bool,
) -> None:
    """Say everything that is wrong in files of subagents, all at once, each with its place.

    Without a PATH it checks what `paths` names under [tool.subspec] in pyproject.toml, where
    `select`, `ignore` and `prompt-root` may stand as well. In YAML and in the front matter of
    Markdown a comment `# subspec: ignore[CODE]` silences a line.

    With --fix a key that is misspelt gets its right name, a text its quotes, a list its brackets,
    and a block that is no longer read goes; nothing else in a file changes. With --unsafe-fixes
    misspelt tools, models and other words are put right as well.

    The exit status is 0 when nothing is wrong, 1 when something is wrong or odd, and 2 when a
    file cannot be read.

    \b
    Examples:
      subspec check team.yaml
      subspec check --format json agent.yaml agents.json
      subspec check .claude/agents --ignore unlike-file
      subspec check --fix --diff team.yaml
    """
    from subspec.settings import find_settings  # noqa: PLC0415 - not needed for --help

    settings = watched(lambda: find_settings(Path.cwd()))
    directory = settings.directory or Path()
    chosen = paths or tuple(_from_here(directory / path) for path in settings.paths)
    if not chosen:
        msg = "give a PATH, or name some as paths under [tool.subspec] in pyproject.toml"
        raise click.UsageError(msg)
    if prompt_root is None and settings.prompt_root is not None:
        prompt_root = directory / settings.prompt_root
    wanted = _codes("--select", select) or set(settings.select) or set(CODES)
    unwanted = _codes("--ignore", ignore) | set(settings.ignore)
    if fix or unsafe_fixes or only_diff:
        codes = frozenset(wanted - unwanted)
        is_wanted = partial(_is_mended, codes=codes, unsafe=unsafe_fixes)
        _mend(chosen, input_format, prompt_root, is_wanted, only_diff=only_diff)
    found, files = _checked(chosen, input_format, prompt_root)
    problems = [each for each in found if each.code in wanted - unwanted]
    REPORTS[output_format](problems, files)
    status = exit_status(problems)
    raise click.exceptions.Exit(0 if exit_zero and status != COULD_NOT_RUN else status)


def _is_mended(problem: Problem, *, codes: Container[str], unsafe: bool) -> bool:
    return problem.code in codes and problem.fix is not None and (problem.fix.safe or unsafe)


def _mend(
    paths: Iterable[Path],
    input_format: str | None,
    prompt_root: Path | None,
    is_wanted: Callable[[Problem], bool],
    *,
    only_diff: bool,
) -> None:
    from subspec.cli.changing import show_diffs, write_each  # noqa: PLC0415 - to write files
    from subspec.store.fixing import Mending  # noqa: PLC0415

    mending = Mending()
    for path in paths:
        watched(partial(mending.add, path, input_format, prompt_root, is_wanted))
    if only_diff:
        show_diffs(mending.changes)
        raise click.exceptions.Exit(PROBLEMS_FOUND if mending.changes else 0)
    if problems := write_each(mending.changes):
        raise click.exceptions.Exit(exit_status(problems))
    echo(f"Mended {mending.count:,} problem{'' if mending.count == 1 else 's'}.", err=True)


def _checked(
    paths: Iterable[Path], input_format: str | None, prompt_root: Path | None
) -> tuple[list[Problem], int]:
    from subspec.store.reading import check_file  # noqa: PLC0415 - not needed for --help

    problems: list[Problem] = []
    with watching() as counter:
        for path in paths:
            problems += check_file(path, input_format, prompt_root, counter.seen)
        return problems, counter.count


def _codes(option: str, values: tuple[str, ...]) -> set[str]:
    codes = {code.strip() for value in values for code in value.split(",") if code.strip()}
    for code in sorted(codes - CODES.keys()):
        hint = did_you_mean(code, CODES)
        message = f"there is no code '{code}'"
        raise click.BadParameter(f"{message}; {hint}" if hint else message, param_hint=option)
    return codes


def _from_here(path: Path) -> Path:
    """Name a path as short as it can be: relative to where the command runs, if it is below."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path
