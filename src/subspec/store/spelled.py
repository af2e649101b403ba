"""Programs that have a file for each agent: files and directories to configurations, and back."""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from attrs import evolve

from subspec import formats
from subspec.formats.agent_files import SpelledFile, read_spelled_file, read_spelled_text
from subspec.formats.agent_text import changed_text, file_name, new_text, problems_of
from subspec.formats.spelling import Lost, Spelling
from subspec.problems import (
    CANNOT_READ,
    CANNOT_WRITE,
    NOT_IN_FORMAT,
    SHADOWED_AGENT,
    Problem,
    SpecError,
    errors_in,
    quoted,
)
from subspec.source.comments import without_ignored
from subspec.source.files import BOM, UnreadableError
from subspec.source.replace import Change
from subspec.source.walk import files_below
from subspec.spec import ClaudeConfig, Origin, SubagentSpec
from subspec.store.examine import Finding
from subspec.store.update import Update, agents_of, identity, only_agent, refuse_to_drop
from subspec.structure import plain

Seen = Callable[[Path], None]


def _nobody(_path: Path) -> None:
    """Take note of a file for nobody."""


def read_spelled(
    spelling: Spelling, path: Path, prompt_root: Path | None = None, seen: Seen = _nobody
) -> Finding:
    """Read a file, or those of a directory.

    Args:
        spelling: The table.
        path: The file, or the directory: of agents, or of a project.
        prompt_root: The directory that prompt files may not leave, if any.
        seen: Is called with each file before it is read.
    """
    if not formats.is_directory(path):
        seen(path)
        file = read_spelled_file(spelling, path, prompt_root)
        digest = None if file.spec is None or file.spec.origin is None else file.spec.origin.digest
        return _finding([file], Origin(path, format=spelling.name, digest=digest, saved={}))
    try:
        files = files_in(spelling, path, prompt_root, seen)
    except SpecError as error:
        return Finding(None, error.problems)
    if not files:
        message = f"there is no agent of {spelling.title} in it"
        hint = f"its files lie in {'/'.join(spelling.directories[0])}"
        problem = CANNOT_READ.problem(f"cannot read it: {message}", file=str(path), hint=hint)
        return Finding(None, (problem,))
    return _finding(files, Origin(path, format=spelling.name, saved={}))


def loads_spelled(spelling: Spelling, text: str, base_dir: Path | None) -> Finding:
    """Read the text of a file."""
    return _finding([read_spelled_text(spelling, text, base_dir=base_dir)], Origin())


def files_in(
    spelling: Spelling, directory: Path, prompt_root: Path | None = None, seen: Seen = _nobody
) -> list[SpelledFile]:
    """Read the files of a directory: of agents, or of a project.

    Raises:
        SpecError: There is too much below it.
    """
    read = []
    for path in paths_in(spelling, agents_directory(spelling, directory)):
        seen(path)
        read.append(read_spelled_file(spelling, path, prompt_root))
    return read


def paths_in(spelling: Spelling, directory: Path) -> list[Path]:
    """Give the files of a program in a directory of agents.

    Raises:
        SpecError: There is too much below it.
    """
    try:
        if spelling.is_deep:
            return files_below(directory, spelling.suffix)
        found = sorted(directory.iterdir()) if directory.is_dir() else []
    except (OSError, UnreadableError) as error:
        problem = CANNOT_READ.problem(f"cannot read it: {error}", file=str(directory))
        raise SpecError([problem]) from None
    hidden = spelling.hidden
    return [
        path
        for path in found
        if path.name.endswith(spelling.suffixes)
        and path.is_file()
        and not (hidden is not None and path.name.startswith(hidden))
    ]


def agents_directory(spelling: Spelling, directory: Path) -> Path:
    """Give the directory in which the agents lie: of a project, or that directory itself."""
    parts = directory.absolute().parts
    for inner in spelling.directories:
        if parts[-len(inner) :] == inner:
            return directory
        if parts[1 - len(inner) :] == inner[:-1] and (directory / inner[-1]).is_dir():
            return directory / inner[-1]
    for inner in spelling.directories:
        if (directory / Path(*inner)).is_dir():
            return directory / Path(*inner)
    return directory


def _finding(files: Iterable[SpelledFile], origin: Origin) -> Finding:
    files = list(files)
    problems: list[Problem] = []
    winners = {file.name: file for file in files if file.name is not None}
    for file in files:
        problems += file.problems
        if file.name is not None and winners[file.name] is not file:
            problems.append(_shadowed(file, winners[file.name]))
    specs = {name: file.spec for name, file in winners.items()}
    agents = {name: spec for name, spec in specs.items() if spec is not None}
    if origin.digest is None and origin.path is not None:
        origin = evolve(origin, files=tuple(map(_file_of, agents.values())))
    return Finding(ClaudeConfig(agents=agents, origin=origin), tuple(problems))


def _file_of(spec: SubagentSpec) -> tuple[Path, str]:
    origin = spec.origin or Origin()
    return origin.path or Path(), origin.digest or ""


def _shadowed(file: SpelledFile, winner: SpelledFile) -> Problem:
    message = f"{winner.path} gives an agent of the same name, and takes its place"
    problem = SHADOWED_AGENT.problem(message, ("name",), hint="give one of them another name")
    return file.document.place([problem])[0]


def check_spelled(
    spelling: Spelling, path: Path, prompt_root: Path | None, seen: Seen
) -> tuple[Problem, ...]:
    """Say all that is wrong or odd in a file, or in those of a directory."""
    if formats.is_directory(path):
        return read_spelled(spelling, path, prompt_root, seen).problems
    seen(path)
    file = read_spelled_file(spelling, path, prompt_root)
    return tuple(without_ignored(file.problems, file.document, file.fences))


def update_spelled(spelling: Spelling, path: Path, new: ClaudeConfig) -> Update:
    """Say how a file, or those of a directory, have to change.

    An agent goes to the file it was loaded from, else to the one that gives an agent of its name,
    else to a new file. A file goes when its agent was loaded and is there no more.

    Raises:
        SpecError: It cannot be said there.
    """
    update = Update(problems=_session_losses(spelling, new))
    if path.is_file() or (path.name.endswith(spelling.suffixes) and not path.is_dir()):
        _update_file(update, spelling, path, new)
        return update
    files = files_in(spelling, path)
    homes = homes_of(files, agents_of(new))
    directory = agents_directory(spelling, path)
    taken = names_in(directory)
    for name, spec in agents_of(new).items():
        home = homes.get(name)
        if home is not None and home.path is not None:
            _add(update, spelling, (home.path, home), name, spec)
            continue
        refuse_to_pass_by(files, file_name(spelling, name, lambda _: False))
        chosen = file_name(spelling, name, lambda each: each.lower() in taken)
        taken.add(chosen.lower())
        _add(update, spelling, (directory / chosen, None), name, spec)
    _remove(update, files, homes, new)
    return update


def only_text(spelling: Spelling, config: ClaudeConfig) -> tuple[str, list[Problem]]:
    """Write a configuration of one agent as the text of a new file.

    Returns:
        The text, and what it cannot say.

    Raises:
        SpecError: It cannot be said, or there is not one agent.
    """
    name, spec = only_agent(config, _holder(spelling), None)
    spec, left = _carried(spelling, spec)
    made = new_text(spelling, name, spec)
    problems = problems_of((*left, *made.losses), name, spelling.title)
    if errors_in(problems):
        raise SpecError(problems)
    return made.text, [*_session_losses(spelling, config), *problems]


def _update_file(update: Update, spelling: Spelling, path: Path, new: ClaudeConfig) -> None:
    agents = agents_of(new)
    file = read_spelled_file(spelling, path) if path.exists() else None
    came = None if new.origin is None else new.origin.path
    if not agents and file is not None and came is not None and identity(came) == identity(path):
        update.changes.append(Change(path, file.document.raw, None))
        return
    name, spec = only_agent(new, _holder(spelling), path)
    _add(update, spelling, (path, file), name, spec)


def homes_of(
    files: Iterable[SpelledFile], agents: Mapping[str, SubagentSpec]
) -> dict[str, SpelledFile]:
    """Find the file of each agent that has one."""
    usable = [file for file in files if file.path is not None and file.name is not None]
    by_name = {file.name: file for file in usable}
    by_path = {identity(file.path): file for file in by_name.values() if file.path is not None}
    homes: dict[str, SpelledFile] = {}
    for name, spec in agents.items():
        if name in by_name:
            homes[name] = by_name[name]
            continue
        # It has another name now, if nobody else has the one that it had.
        came = spec.origin.path if spec.origin is not None else None
        file = None if came is None else by_path.get(identity(came))
        if file is not None and file.name not in agents and file not in homes.values():
            homes[name] = file
    return homes


def names_in(directory: Path) -> set[str]:
    """Give the names that are taken in a directory: of whatever, in lower case.

    Some file systems take no second name that differs in nothing but its case.
    """
    try:
        return {path.name.lower() for path in directory.iterdir()}
    except FileNotFoundError:
        return set()
    except OSError as error:
        problem = CANNOT_READ.problem(f"cannot read it: {error.strerror}", file=str(directory))
        raise SpecError([problem]) from None


def refuse_to_pass_by(files: Iterable[SpelledFile], name: str) -> None:
    """Refuse to put a new file beside one that has its name and cannot be read.

    It may well be the file of the same agent, with a fault that somebody has just made.

    Raises:
        SpecError: There is one.
    """
    for file in files:
        has_name = file.path is not None and file.path.name.lower() == name.lower()
        # Of a broken file even the name that it gives may be a guess.
        if has_name and file.spec is None:
            raise SpecError(file.problems)


def _add(
    update: Update,
    spelling: Spelling,
    place: tuple[Path, SpelledFile | None],
    name: str,
    spec: SubagentSpec,
) -> None:
    """Note what has to be written for an agent."""
    path, file = place
    spec, left = _carried(spelling, spec)
    if file is None:
        made = new_text(spelling, name, spec, path.name)
    elif file.spec is None:
        raise SpecError(file.problems)
    else:
        made = changed_text(file, name, spec)
    problems = problems_of((*left, *made.losses), name, spelling.title)
    if errors_in(problems):
        raise SpecError(problems)
    problems = [evolve(problem, file=str(path)) for problem in problems]
    if file is not None and file.spec is not None:
        refuse_to_drop(problems, *(ClaudeConfig(agents={name: each}) for each in (file.spec, spec)))
    update.problems += problems
    if file is None:
        update.changes.append(Change(path, None, made.text.encode()))
    elif made.text != file.document.text:
        update.changes.append(changed_file(file, path, made.text))


def _carried(spelling: Spelling, spec: SubagentSpec) -> tuple[SubagentSpec, list[Lost]]:
    """Leave out what another program passes over, and what would be live here."""
    source = None if spec.origin is None else spec.origin.format
    if source in (None, spelling.name):
        return spec, []
    from subspec.formats.carrying import carried  # noqa: PLC0415 - for files of others only

    return carried(spec, source, spelling.name)


def changed_file(file: SpelledFile, path: Path, text: str) -> Change:
    """Make the change of a file to another text."""
    raw = file.document.raw or b""
    mark = BOM if raw.startswith(BOM.encode()) else ""
    return Change(path, raw, (mark + text).encode())


def _remove(
    update: Update,
    files: list[SpelledFile],
    homes: Mapping[str, SpelledFile],
    new: ClaudeConfig,
) -> None:
    """Note the files that go: those that agents were loaded from which are there no more."""
    loaded = {identity(path) for path, _ in (new.origin.files if new.origin else ())}
    kept = {identity(home.path) for home in homes.values() if home.path is not None}
    for file in files:
        if file.path is None or identity(file.path) in kept or identity(file.path) not in loaded:
            continue
        if file.path.is_symlink():
            message = f"{quoted(file.path.name)} is a link, and is not removed"
            problem = CANNOT_WRITE.problem(message, file=str(file.path), hint="remove it by hand")
            raise SpecError([problem])
        update.changes.append(Change(file.path, file.document.raw, None))


def _holder(spelling: Spelling) -> str:
    return f"a file of {spelling.title}"


def _session_losses(spelling: Spelling, new: ClaudeConfig) -> list[Problem]:
    return [
        NOT_IN_FORMAT.problem(f"{spelling.title} cannot say {key} here; it is left out", (key,))
        for key in plain(new)
        if key != "agents"
    ]
