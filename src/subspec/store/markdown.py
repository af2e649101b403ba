"""From a configuration to the changes of Claude Code's Markdown files that make them say it."""

from collections.abc import Mapping
from pathlib import Path

from attrs import evolve

from subspec.formats.claude_code import (
    AGENTS,
    MAX_FILE,
    SUFFIX,
    AgentFile,
    agents_directory,
    read_files,
)
from subspec.formats.claude_text import changed_text, file_name, new_text
from subspec.problems import (
    CANNOT_WRITE,
    NOT_IN_FORMAT,
    NOT_UTF8,
    SHADOWED_AGENT,
    Problem,
    SpecError,
    quoted,
)
from subspec.source.files import BOM, UnreadableError, read_bytes
from subspec.source.replace import Change
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.store.update import Update, agents_of, identity, only_agent
from subspec.structure import plain

TITLE = "Claude Code's Markdown"
_HOLDER = "a Markdown file"


def update_markdown(path: Path, new: ClaudeConfig, files: list[AgentFile] | None = None) -> Update:
    """Say how a Markdown file, or those below a directory, have to change.

    Args:
        path: The file, or the directory.
        new: The agents that are to be there.
        files: What was read there, if it was read already.

    Raises:
        SpecError: It cannot be said there.
    """
    is_file = path.is_file() or (path.suffix == SUFFIX and not path.is_dir())
    if files is None:
        files = read_files(path) if path.exists() else []
    update = _update_file if is_file else _update_directory
    return update(path, new, files)


def _update_file(path: Path, new: ClaudeConfig, files: list[AgentFile]) -> Update:
    agents = agents_of(new)
    file = files[0] if files else None
    if not agents and file is not None and _was_loaded(path, new):
        return Update([Change(path, file.document.raw, None)], _session_losses(new))
    name, spec = only_agent(new, _HOLDER, path)
    update = Update(problems=_session_losses(new))
    _add(update, path, file, name, spec)
    return update


def _was_loaded(path: Path, new: ClaudeConfig) -> bool:
    origin = new.origin
    return (
        origin is not None and origin.path is not None and identity(origin.path) == identity(path)
    )


def _update_directory(path: Path, new: ClaudeConfig, files: list[AgentFile]) -> Update:
    # An agent goes to the file it was loaded from, else to the one that gives an agent of its name,
    # else to a new file. A file goes when its agent was loaded and is there no more.
    update = Update(problems=_session_losses(new))
    homes = _homes(files, new)
    directory = _directory_for_new(path, files)
    made: set[str] = set()
    for name, spec in agents_of(new).items():
        file = homes.get(name)
        if file is not None and file.path is not None:
            _add(update, file.path, file, name, spec)
            continue
        if spec.origin is not None and spec.origin.path is not None:
            # It was in a file that is gone, or is no agent's any more.
            update.seen.append((spec.origin.path, _now(spec.origin.path)))
        chosen = file_name(name, lambda each: each.lower() in made or (directory / each).exists())
        made.add(chosen.lower())
        _add(update, directory / chosen, None, name, spec)
    _remove(update, path, files, homes, new)
    return update


def _directory_for_new(path: Path, files: list[AgentFile]) -> Path:
    """Choose where new agents go: in a project to where Claude Code looks for them."""
    if not path.is_dir():
        return path
    found = agents_directory(path)
    is_project = found == path and any((path / name).exists() for name in (".claude", ".git"))
    return path / AGENTS if is_project and not any(file.name for file in files) else found


def only_text(config: ClaudeConfig) -> tuple[str, list[Problem]]:
    """Write a configuration of one agent as the text of a new Markdown file.

    Returns:
        The text, and what it cannot say.

    Raises:
        SpecError: It cannot be said, or there is not one agent.
    """
    name, spec = only_agent(config, _HOLDER, None)
    text, problems = new_text(name, spec)
    return text, [*_session_losses(config), *problems]


def _homes(files: list[AgentFile], new: ClaudeConfig) -> dict[str, AgentFile]:
    """Find the file of each agent that has one."""
    agents = agents_of(new)
    usable = [file for file in files if file.spec is not None and file.path is not None]
    winners = {file.name: file for file in usable}
    by_path = {identity(file.path): file for file in winners.values() if file.path is not None}
    homes: dict[str, AgentFile] = {}
    for name, spec in agents.items():
        if name in winners:
            homes[name] = winners[name]
            continue
        # It has another name now, if nobody else has the one that it had.
        origin = spec.origin
        file = by_path.get(identity(origin.path)) if origin and origin.path else None
        taken = file is None or file.name in agents or file in homes.values()
        if file is not None and not taken:
            homes[name] = file
    return homes


def _add(update: Update, path: Path, file: AgentFile | None, name: str, spec: SubagentSpec) -> None:
    """Note what has to be written for an agent."""
    if file is None:
        text, problems = new_text(name, spec)
        update.changes.append(Change(path, None, text.encode()))
    else:
        if file.spec is None:
            raise SpecError(file.problems)
        text, problems = changed_text(file, name, spec)
        if text != file.document.text:
            update.changes.append(_change(file, path, text))
    update.problems += [evolve(problem, file=str(path)) for problem in problems]


def _change(file: AgentFile, path: Path, text: str) -> Change:
    raw = file.document.raw or b""
    if any(problem.code == NOT_UTF8.name for problem in file.problems):
        message = "the file is not UTF-8, and what is not would be lost"
        raise SpecError([NOT_UTF8.problem(message, file=str(path), hint="save it as UTF-8 first")])
    mark = BOM if raw.startswith(BOM.encode()) else ""
    return Change(path, raw, (mark + text).encode())


def _remove(
    update: Update,
    root: Path,
    files: list[AgentFile],
    homes: Mapping[str, AgentFile],
    new: ClaudeConfig,
) -> None:
    """Note the files that go: those that agents were loaded from which are there no more."""
    loaded = {identity(path) for path, _ in (new.origin.files if new.origin else ())}
    if new.origin is not None:
        loaded |= {path for path, now in (new.origin.saved or {}).items() if now is not None}
    kept = {identity(home.path) for home in homes.values() if home.path is not None}
    winners = {file.name: file for file in files if file.name is not None}
    for file in winners.values():
        if file.path is None or identity(file.path) in kept or identity(file.path) not in loaded:
            continue
        if not file.path.parent.resolve().is_relative_to(root.resolve()):
            message = f"a link leads to it out of {root}, and it is not removed"
            problem = CANNOT_WRITE.problem(message, file=str(file.path), hint="remove it there")
            raise SpecError([problem])
        update.changes.append(Change(file.path, file.document.raw, None))
        for other in files:
            if other is not file and other.name == file.name:
                message = f"with {file.path} gone, this file gives the agent {quoted(file.name)}"
                update.problems.append(SHADOWED_AGENT.problem(message, file=str(other.path)))


def _now(path: Path) -> bytes | None:
    try:
        return read_bytes(path, MAX_FILE)
    except UnreadableError:
        return None


def _session_losses(new: ClaudeConfig) -> list[Problem]:
    said = plain(new)
    return [
        NOT_IN_FORMAT.problem(f"{TITLE} cannot say {key}; it is left out", (key,))
        for key in said
        if key != "agents"
    ]
