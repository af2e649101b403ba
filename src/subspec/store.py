"""Between files and configurations: load, check, and text for new files."""

from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path
from typing import cast

from attrs import evolve, frozen

from subspec import formats
from subspec.problems import (
    BAD_NUMBER,
    LEGACY_KEY,
    LONE_SURROGATE,
    MISSING_KEY,
    NOT_A_STRING_KEY,
    PROMPT_MISSING,
    RECURSIVE_ALIAS,
    TAG,
    UNKNOWN_ALIAS,
    UNKNOWN_KEY,
    Problem,
    Span,
    SpecError,
    has_errors,
    warn,
)
from subspec.source import Document, Media, read_file, read_text
from subspec.spec import ClaudeConfig, Origin
from subspec.structure import PromptFiles, Reading, structure_config
from subspec.structure.rules import bridged_tools


def load(
    path: str | Path, *, format: str | None = None, prompt_root: str | Path | None = None
) -> ClaudeConfig:
    """Load a file of subagents, or a directory with Claude Code's Markdown files.

    Args:
        path: A YAML or JSON file, of which one whose name ends in ``.json`` is read as JSON; a
            Markdown file, whose name ends in ``.md``; or a directory, with all Markdown files below
            it. The directory of a project stands for its ``.claude/agents``.
        format: The name of its format. None: it is told from what the file holds.
        prompt_root: The directory that a ``prompt_file`` may not leave, symbolic links resolved.
            None: one that leaves the directory of `path` is warned of.

    Raises:
        SpecError: The file cannot be read, or something is wrong with it: every problem at once.
        ValueError: There is no format of that name.

    Warns:
        SpecWarning: Something is odd and the file loads all the same, such as a tool's name that
            nothing knows. The warning is given at the line that called this function.
    """
    found = _examine_file(Path(path), format, prompt_root)
    return found.config_or_error()


def loads(
    text: str, *, format: str | None = "agents", base_dir: str | Path | None = None
) -> ClaudeConfig:
    """Load subagents from text.

    Args:
        text: YAML or JSON, or Markdown where the format is ``claude_code``.
        format: The name of the format. None: it is told from what the text holds.
        base_dir: The directory in which a ``prompt_file`` is looked up. None: naming one is an
            error.

    Raises:
        SpecError: Something is wrong with the text: every problem at once.
        ValueError: There is no format of that name.

    Warns:
        SpecWarning: Something is odd and the text loads all the same.

    >>> config = loads('''
    ... agents:
    ...   writer:
    ...     description: Writes the report.
    ...     prompt: Write in plain words.
    ...     tools: []
    ... ''')
    >>> config.agents["writer"].tools
    ()
    """
    if not isinstance(cast("object", text), str):
        msg = f"loads() takes text, not {type(text).__name__}; load() takes the path of a file"
        raise TypeError(msg)
    if format == formats.CLAUDE_CODE:
        from subspec.formats import claude_code  # noqa: PLC0415 - for Markdown only

        found = _Finding(*claude_code.config_of([claude_code.read_agent(text)]))
        return found.config_or_error()
    base = None if base_dir is None else Path(base_dir)
    found = _examine(read_text(text), format, PromptFiles(base), Origin())
    return found.config_or_error()


def check(
    *paths: str | Path, format: str | None = None, prompt_root: str | Path | None = None
) -> tuple[Problem, ...]:
    """Say everything that is wrong or odd in files of subagents.

    Never raises for what is in the files, nor for a file that cannot be read.

    Args:
        paths: YAML, JSON or Markdown files, or directories with Markdown files.
        format: The name of their format. None: it is told from what each file holds.
        prompt_root: The directory that prompt files may not leave, if any.

    Raises:
        ValueError: There is no format of that name.
    """
    found = (_examine_file(Path(path), format, prompt_root) for path in paths)
    return tuple(chain.from_iterable(each.problems for each in found))


def dumps(config: ClaudeConfig, *, format: str = "agents", media: Media = "yaml") -> str:
    """Write a configuration as the text of a new file.

    Prompts are literal blocks wherever YAML can say them so; what is not set is left out; nothing
    is folded or escaped that need not be. In the canonical format the text says all that the
    configuration does, and loads back as an equal one, if its models are such as load at all. A
    prompt that came from a file is written out.

    Args:
        config: The configuration.
        format: The name of the format to write.
        media: ``"yaml"`` or ``"json"``.

    Raises:
        SpecError: The format cannot say something without which an agent could do more.
        ValueError: There is no format or medium of that name.

    Warns:
        SpecWarning: The format cannot say something else, and it is left out.
    """
    from subspec.source.emit import emit_json, emit_yaml  # noqa: PLC0415 - not needed to load

    writers = {"yaml": emit_yaml, "json": emit_json}
    if media not in writers:
        msg = f"media must be 'yaml' or 'json', not {media!r}"
        raise ValueError(msg)
    data, problems = formats.find(format).write(config)
    if has_errors(problems):
        raise SpecError(problems)
    warn(problems)
    return writers[media](data)


@frozen
class _Finding:
    """What a file holds, and what is wrong with it."""

    config: ClaudeConfig | None
    problems: tuple[Problem, ...]

    def config_or_error(self) -> ClaudeConfig:
        if self.config is None or has_errors(self.problems):
            raise SpecError(self.problems)
        warn(self.problems)
        return self.config


def _examine_file(path: Path, format: str | None, prompt_root: str | Path | None) -> _Finding:
    if formats.is_markdown(path, format):
        from subspec.formats import claude_code  # noqa: PLC0415 - for Markdown only

        return _Finding(*claude_code.read_config(path))
    import hashlib  # noqa: PLC0415 - slow to import, and of no use to loads()

    if format is not None:
        formats.find(format)
    document = read_file(path)
    root = None if prompt_root is None else Path(prompt_root)
    digest = None if document.raw is None else hashlib.sha256(document.raw).hexdigest()
    origin = Origin(path, digest=digest)
    return _examine(document, format, PromptFiles(path.parent, root), origin)


def _examine(
    document: Document, format: str | None, prompts: PromptFiles, origin: Origin
) -> _Finding:
    chosen = None if format is None else formats.find(format)
    if not document.readable:
        return _Finding(None, tuple(document.problems))
    form = chosen or formats.detect(document.data)
    data, problems = form.read(document.data)
    spans: Iterator[Span | None] = document.value_spans(form.raw_agents(document.data))
    host = data.get("host") if isinstance(data, dict) else None
    reading = Reading(
        prompts=prompts,
        origin=evolve(origin, format=form.name),
        agent_spans=chain(spans, repeat(None)),
        bridged=bridged_tools(host),
    )
    config, faults = structure_config(data, reading)
    problems += [evolve(fault, path=form.file_path(fault.path)) for fault in faults]
    placed = [*document.problems, *_of_their_own(document.place(problems), document.problems)]
    return _Finding(config, tuple(sorted(placed, key=_in_reading_order)))


_STAND_INS = {
    code.name for code in (BAD_NUMBER, LONE_SURROGATE, RECURSIVE_ALIAS, TAG, UNKNOWN_ALIAS)
}


# Faults that are shown at the key of an agent, and are not of that key.
_ABOUT_OTHERS = {MISSING_KEY.name, PROMPT_MISSING.name}


def _of_their_own(faults: list[Problem], in_text: list[Problem]) -> list[Problem]:
    # Where the text itself is wrong a stand-in is read, whose faults are not the user's.
    noted = {(_start(problem), problem.code) for problem in in_text}
    stand_ins = {start for start, code in noted if code in _STAND_INS}
    odd_keys = {start for start, code in noted if code == NOT_A_STRING_KEY.name}
    return [
        fault
        for fault in faults
        if (_start(fault) not in stand_ins or fault.code in _ABOUT_OTHERS)
        and not (fault.code == UNKNOWN_KEY.name and _start(fault) in odd_keys)
    ]


def _start(problem: Problem) -> tuple[int, int]:
    return (0, 0) if problem.span is None else (problem.span.line, problem.span.column)


def _in_reading_order(problem: Problem) -> tuple[bool, tuple[int, int]]:
    # A legacy block comes first: whoever has one has the old version of the whole file.
    return problem.code != LEGACY_KEY.name, _start(problem)
