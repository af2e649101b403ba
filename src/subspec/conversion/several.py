"""Conversion into several formats at once, of which each has a place of its own."""

from collections.abc import Iterable
from os.path import realpath
from pathlib import Path

from attrs import evolve

from subspec.conversion.result import Conversion
from subspec.problems import CANNOT_WRITE, NOT_FAITHFUL, Problem, SpecError, quoted
from subspec.source.replace import Change
from subspec.spec import ClaudeConfig
from subspec.store.update import agents_of, identity


def convert_all(
    config: ClaudeConfig, targets: Iterable[tuple[str, Path]], root: Path
) -> tuple[Conversion, ...]:
    """Say a configuration in several formats; nothing is written.

    Args:
        config: The configuration.
        targets: The name of each format, and the directory that it goes to.
        root: The directory that no file may lie outside of, symbolic links resolved.

    Raises:
        ImportError: A format needs a package that is not installed.
        SpecError: An agent cannot be said in a format, a file that is there cannot be read, lies
            elsewhere, is the source or is that of two formats; all faults at once.
    """
    from subspec.conversion import convert  # noqa: PLC0415 - the face of this package

    made: list[Conversion] = []
    problems: list[Problem] = []
    taken = {identity(path): "the source" for path in _files_of(config)}
    for to, directory in targets:
        if not _lies_in(directory, root):
            problems.append(_outside(directory, to))
            continue
        try:
            conversion = convert(config, to, into=directory)
        except SpecError as error:
            problems += [_for(to, each) for each in error.problems]
            continue
        faults = [_fault(change, to, taken, root) for change in conversion.changes]
        problems += [each for each in faults if each is not None]
        taken.update((identity(change.path), f"a file of {to}") for change in conversion.changes)
        made.append(conversion)
    if problems:
        raise SpecError(problems)
    return tuple(made)


def _files_of(config: ClaudeConfig) -> list[Path]:
    origin = config.origin
    if origin is None or origin.path is None:
        return []
    own = (spec.origin for spec in agents_of(config).values())
    prompts = (each.prompt_file for each in own if each is not None)
    return [origin.path, *(path for path, _ in origin.files), *filter(None, prompts)]


def _lies_in(path: Path, root: Path) -> bool:
    return Path(realpath(path)).is_relative_to(realpath(root))


def _for(to: str, problem: Problem) -> Problem:
    # A file of the target says by itself which format it is of; agents are those of the source.
    is_of_target = problem.file is not None and problem.path[:1] != ("agents",)
    return problem if is_of_target else evolve(problem, message=f"{to}: {problem.message}")


def _outside(path: Path, to: str) -> Problem:
    message = f"what is made for {to} would lie outside of the project"
    hint = "name a directory in the project, or use 'subspec convert -o'"
    return CANNOT_WRITE.problem(message, file=str(path), hint=hint)


def _fault(change: Change, to: str, taken: dict[str, str], root: Path) -> Problem | None:
    if not _lies_in(change.path, root):
        return _outside(change.path, to)
    other = taken.get(identity(change.path))
    if other is None:
        return None
    message = f"{quoted(change.path.name)} is {other} already, and cannot be one of {to} as well"
    hint = "give the target another directory"
    return NOT_FAITHFUL.problem(message, file=str(change.path), hint=hint)
