"""Files of subagents-pydantic-ai: their subagents loaded and saved."""

from collections.abc import Iterable
from pathlib import Path
from typing import cast

from subspec.formats.subagent_config import SubAgentSpec
from subspec.formats.toolset import Reading, twin
from subspec.problems import ConflictError, SpecError, dotted
from subspec.source import read_file, read_text
from subspec.source.replace import replace_files
from subspec.store.toolset import change_for
from subspec.store.update import Baseline, digest, identity


def load_subagents(path: str | Path) -> tuple[SubAgentSpec, ...]:
    """Load the subagents of a YAML or JSON file.

    Args:
        path: The file. One whose name ends in ``.json`` is read as JSON.

    Raises:
        SpecError: The file cannot be read, or something is wrong with it: every problem at once.
    """
    file = Path(path)
    document = read_file(file)
    return Reading.of(document, file).specs()


def loads_subagents(text: str) -> tuple[SubAgentSpec, ...]:
    """Load subagents from YAML or JSON.

    Raises:
        SpecError: Something is wrong with the text: every problem at once.
        TypeError: It is no text.

    >>> loads_subagents("- {name: coder, instructions: Write code.}")
    (SubAgentSpec(name='coder', instructions='Write code.'),)
    """
    if not isinstance(cast("object", text), str):
        kind = type(text).__name__
        msg = f"loads_subagents() takes text, not {kind}; load_subagents() takes the path of a file"
        raise TypeError(msg)
    return Reading.of(read_text(text), None).specs()


def save_subagents(
    specs: Iterable[SubAgentSpec], path: str | Path | None = None
) -> tuple[Path, ...]:
    """Write subagents to a file, in which only the text of what differs is replaced.

    Subagents are told apart by their names. New ones go into the list of the one before them;
    those that are not among `specs` are taken out.

    Args:
        specs: All subagents that the file shall hold, in their order.
        path: A YAML or JSON file; one that is not there is made. None: where they were loaded from.

    Returns:
        The files that were written; none where nothing differed.

    Raises:
        ConflictError: The file was changed by somebody else since the subagents were loaded.
        SpecError: The file cannot be read or written, or cannot say them; nothing was written.
        ValueError: There is no path to write to.
    """
    specs = tuple(specs)
    target = _target(specs) if path is None else Path(path)
    _refuse_twins(specs)
    change = change_for(target, specs)
    if change is None:
        return ()
    readings = _readings_of(specs, target)
    for baseline, _ in readings:
        if problems := baseline.see(target, change.before):
            raise ConflictError(problems)
    written = replace_files([change])
    for _, saved in readings:
        saved[identity(target)] = digest(change.after or b"")
    return written


def _target(specs: Iterable[SubAgentSpec]) -> Path:
    paths = {spec.origin.path for spec in specs if spec.origin and spec.origin.path}
    if len(paths) != 1:
        msg = "save_subagents() needs a path for subagents that did not all come from one file"
        raise ValueError(msg)
    return paths.pop()


def _refuse_twins(specs: Iterable[SubAgentSpec]) -> None:
    names: dict[str, int] = {}
    problems = [
        twin(spec.name, (index, "name"), dotted((names[spec.name],)))
        for index, spec in enumerate(specs)
        if names.setdefault(spec.name, index) != index
    ]
    if problems:
        raise SpecError(problems)


def _readings_of(
    specs: Iterable[SubAgentSpec], target: Path
) -> list[tuple[Baseline, dict[str, str | None]]]:
    """Give what a file held when subagents were read from it, and the notes of what became of it.

    The notes are shared by all subagents of one reading.
    """
    where = identity(target)
    readings: dict[int, tuple[Baseline, dict[str, str | None]]] = {}
    for spec in specs:
        origin = spec.origin
        if origin is None or origin.path is None or origin.saved is None:
            continue
        if id(origin.saved) not in readings and identity(origin.path) == where:
            baseline = Baseline({where: origin.digest} | origin.saved)
            readings[id(origin.saved)] = baseline, origin.saved
    return list(readings.values())
