"""What a file holds, and everything that is wrong with it."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, repeat
from pathlib import Path

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
    TOOL_RULE_IGNORED,
    UNKNOWN_ALIAS,
    UNKNOWN_KEY,
    Problem,
    Span,
    SpecError,
    has_errors,
    warn,
)
from subspec.source import Document, read_file
from subspec.source.comments import without_ignored
from subspec.spec import ClaudeConfig, Origin
from subspec.structure import PromptFiles, Reading, structure_config
from subspec.structure.rules import bridged_tools


def _nobody(_path: Path) -> None:
    """Take note of a file for nobody."""


@frozen
class Finding:
    """What a file holds, and what is wrong with it."""

    config: ClaudeConfig | None
    problems: tuple[Problem, ...]

    def config_or_error(self) -> ClaudeConfig:
        """Give the configuration, and warn of what is odd.

        Raises:
            SpecError: Something is wrong.
        """
        if self.config is None or has_errors(self.problems):
            raise SpecError(self.problems)
        warn(self.problems)
        return self.config


def check_file(
    path: Path,
    format: str | None,
    prompt_root: str | Path | None,
    seen: Callable[[Path], None] = _nobody,
) -> tuple[Problem, ...]:
    """Say all that is wrong or odd in a file, or a directory with Markdown files.

    Other than reading, it also says what Claude Code will make of agents that are right by
    themselves. What a comment says to ignore is left out.

    Args:
        path: The file, or the directory.
        format: The name of its format. None: it is told from what it holds.
        prompt_root: The directory that prompt files may not leave, if any.
        seen: Is called with each file before it is read.

    Raises:
        ValueError: There is no format of that name.
    """
    spelling = formats.spelling_of(path, format)
    if spelling is not None:
        from subspec.store.spelled import check_spelled  # noqa: PLC0415 - for these only

        root = None if prompt_root is None else Path(prompt_root)
        return check_spelled(spelling, path, root, seen)
    if formats.is_markdown(path, format):
        from subspec.formats import claude_code  # noqa: PLC0415 - for Markdown only

        try:
            problems = claude_code.examine(path, seen)
        except SpecError as error:
            problems = error.problems
    else:
        seen(path)
        if format not in (None, formats.PYDANTIC_AI):
            formats.find(format)
        document = read_file(path)
        return tuple(problems_of_document(document, path, format, prompt_root))
    return tuple(map(_as_consequence, problems))


def problems_of_document(
    document: Document, path: Path, format: str | None, prompt_root: str | Path | None
) -> list[Problem]:
    """Say all that is wrong or odd in a document, what comes of it, and what is to be ignored."""
    if formats.is_toolset(document.data, format):
        from subspec.conversion.toolsets import problems_of  # noqa: PLC0415 - for this format only

        kept = without_ignored(problems_of(document, path), document)
        return sorted(kept, key=_in_reading_order)
    found = examine_document(document, path, format, prompt_root, consequences=True)
    kept = without_ignored(found.problems, document)
    return list(map(_as_consequence, sorted(kept, key=_in_reading_order)))


def _as_consequence(problem: Problem) -> Problem:
    # That a rule is ignored is odd to read, and grave to run.
    if problem.code == TOOL_RULE_IGNORED.name:
        return evolve(problem, severity="error")
    return problem


def examine_file(path: Path, format: str | None, prompt_root: str | Path | None) -> Finding:
    """Read a file, or a directory with files of one agent each.

    Raises:
        ValueError: There is no format of that name.
    """
    spelling = formats.spelling_of(path, format)
    if spelling is not None:
        from subspec.store.spelled import read_spelled  # noqa: PLC0415 - for these only

        return read_spelled(spelling, path, None if prompt_root is None else Path(prompt_root))
    if formats.is_markdown(path, format):
        from subspec.formats import claude_code  # noqa: PLC0415 - for Markdown only

        return Finding(*claude_code.read_config(path))
    if format not in (None, formats.PYDANTIC_AI):
        formats.find(format)
    document = read_file(path)
    if formats.is_toolset(document.data, format):
        return _of_toolset(document, path)
    return examine_document(document, path, format, prompt_root)


def _of_toolset(document: Document, path: Path) -> Finding:
    from subspec.conversion.toolsets import config_of  # noqa: PLC0415 - for this format only

    try:
        return Finding(config_of(document, path), ())
    except SpecError as error:
        return Finding(None, error.problems)


def examine_document(
    document: Document,
    path: Path,
    format: str | None,
    prompt_root: str | Path | None,
    instead: Mapping[Path, bytes] | None = None,
    *,
    consequences: bool = False,
) -> Finding:
    """Take a document for what was read from a file.

    Args:
        document: The document.
        path: The file.
        format: The name of its format. None: it is told from what the document holds.
        prompt_root: The directory that prompt files may not leave, if any.
        instead: What some prompt files, resolved, are taken to hold.
        consequences: Whether it is also said what Claude Code will make of the agents.
    """
    import hashlib  # noqa: PLC0415 - slow to import, and of no use to loads()

    root = None if prompt_root is None else Path(prompt_root)
    digest = None if document.raw is None else hashlib.sha256(document.raw).hexdigest()
    origin = Origin(path, digest=digest, saved={})
    prompts = PromptFiles(path.parent, root, instead or {})
    return examine(document, format, prompts, origin, consequences=consequences)


def examine(
    document: Document,
    format: str | None,
    prompts: PromptFiles,
    origin: Origin,
    *,
    consequences: bool = False,
) -> Finding:
    """Make a configuration of a document."""
    chosen = None if format is None else formats.find(format)
    if not document.readable:
        return Finding(None, tuple(document.problems))
    form = chosen or formats.detect(document.data)
    data, problems = form.read(document.data)
    spans: Iterator[Span | None] = document.value_spans(form.raw_agents(document.data))
    host = data.get("host") if isinstance(data, dict) else None
    reading = Reading(
        prompts=prompts,
        origin=evolve(origin, format=form.name),
        agent_spans=chain(spans, repeat(None)),
        bridged=bridged_tools(host),
        consequences=consequences,
    )
    config, faults = structure_config(data, reading)
    problems += [evolve(fault, path=form.file_path(fault.path)) for fault in faults]
    placed = [*document.problems, *_of_their_own(document.place(problems), document.problems)]
    return Finding(config, tuple(sorted(placed, key=_in_reading_order)))


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
