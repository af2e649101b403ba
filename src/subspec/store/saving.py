"""Saving: the changes that are needed, looked at once more, and made."""

from pathlib import Path

from subspec import formats
from subspec.facts import AGENTS_DIRECTORY
from subspec.problems import EMPTY, ConflictError, Problem, SpecError, errors_in, warn
from subspec.source import Document, Media, read_file
from subspec.source.files import exists
from subspec.source.replace import Change, replace_files
from subspec.spec import ClaudeConfig
from subspec.store.examine import examine_document
from subspec.store.update import (
    Baseline,
    Source,
    Update,
    digest,
    identity,
    update_document,
)


def save_config(
    config: ClaudeConfig, path: Path, format: str | None, prompt_root: Path | None
) -> tuple[Path, ...]:
    """Write a configuration; see :func:`subspec.save`."""
    update = changes_for(config, path, format, prompt_root)
    see_no_conflict(config, update)
    warn(update.problems)
    written = replace_files(update.changes)
    if config.origin is not None and config.origin.saved is not None:
        for change in update.changes:
            after = None if change.after is None else digest(change.after)
            config.origin.saved[identity(change.path)] = after
    return written


def changes_for(
    config: ClaudeConfig, path: Path, format: str | None, prompt_root: Path | None
) -> Update:
    """Say what has to be written so that a path says a configuration.

    Raises:
        SpecError: It cannot be said there, or what is there cannot be read.
        ValueError: There is no format of that name.
    """
    came_as = _came_as(config, path)
    spelling = formats.spelling_of(
        path, format or (came_as if came_as in formats.SPELLINGS else None)
    )
    if spelling is not None:
        from subspec.store.spelled import update_spelled  # noqa: PLC0415 - for these only

        return update_spelled(spelling, path, config)
    if formats.PYDANTIC_AI in (format, None if format else came_as):
        from subspec.store.toolset import update_for  # noqa: PLC0415 - for this format only

        return update_for(path, config)
    if _is_markdown(config, path, format):
        from subspec.store.markdown import update_markdown  # noqa: PLC0415 - for Markdown only

        return update_markdown(path, config)
    if not exists(path):
        return _new_file(config, path, format)
    document = read_file(path)
    if is_blank(document):
        return _new_file(config, path, format, before=document.raw)
    if formats.is_toolset(document.data, format):
        from subspec.store.toolset import update_for  # noqa: PLC0415 - for this format only

        return update_for(path, config)
    if format is not None:
        formats.find(format)
    found = examine_document(document, path, format, prompt_root)
    if found.config is None or errors_in(found.problems):
        raise SpecError(found.problems)
    form = formats.find(str(found.config.origin and found.config.origin.format))
    return update_document(Source(document, path, form, found.config, prompt_root), config)


def see_no_conflict(config: ClaudeConfig, update: Update) -> None:
    """Refuse changes of files that are no longer what was read.

    Raises:
        ConflictError: Some are not.
    """
    if not update.changes:
        return
    baseline = Baseline.of(config)
    problems: list[Problem] = []
    for path, now in [*((each.path, each.before) for each in update.changes), *update.seen]:
        problems += baseline.see(path, now)
    if problems:
        raise ConflictError(problems)


def _new_file(
    config: ClaudeConfig, path: Path, format: str | None, before: bytes | None = None
) -> Update:
    origin = config.origin
    name = format or (origin and origin.format) or "agents"
    if name == formats.CLAUDE_CODE:
        name = "agents"
    form = formats.find(name)
    media: Media = "json" if path.suffix.lower() == ".json" else "yaml"
    data, problems = form.write(config)
    if errors_in(problems):
        raise SpecError(problems)
    from subspec.source.emit import emit_json, emit_yaml  # noqa: PLC0415

    text = emit_json(data) if media == "json" else emit_yaml(data)
    if before:
        line_end = b"\r\n" if b"\r\n" in before else b"\n"
        above = before if before.endswith(b"\n") else before + line_end
        after = above + text.encode().replace(b"\n", line_end)
    else:
        after = text.encode()
    return Update([Change(path, before, after)], problems)


def is_blank(document: Document) -> bool:
    """Tell whether a file holds nothing, or nothing but comments."""
    return [problem.code for problem in document.problems] == [EMPTY.name]


def _came_as(config: ClaudeConfig, path: Path) -> str | None:
    """Give the format in which a configuration was read from a path, if it was."""
    origin = config.origin
    if origin is None or origin.path is None or identity(origin.path) != identity(path):
        return None
    return origin.format


def _is_markdown(config: ClaudeConfig, path: Path, format: str | None) -> bool:
    if formats.is_markdown(path, format):
        return True
    if format is not None or path.suffix or exists(path):
        return False
    came_as = config.origin.format if config.origin is not None else None
    # A new directory, if that is what Claude Code's agents lie in.
    return came_as == formats.CLAUDE_CODE or path.absolute().parts[-2:] == AGENTS_DIRECTORY
