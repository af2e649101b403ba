"""What a file of any format holds, and everything that is wrong with it."""

from collections.abc import Callable
from pathlib import Path

from attrs import evolve

from subspec import formats
from subspec.problems import TOOL_RULE_IGNORED, Problem, SpecError
from subspec.source import Document, read_file
from subspec.source.comments import without_ignored
from subspec.store.examine import Finding, examine_document
from subspec.structure.placing import in_reading_order


def _nobody(_path: Path) -> None:
    """Take note of a file for nobody."""


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
        from subspec.formats.toolset import problems_of  # noqa: PLC0415 - for this format only

        kept = without_ignored(problems_of(document, path), document)
        return sorted(kept, key=in_reading_order)
    found = examine_document(document, path, format, prompt_root, consequences=True)
    kept = without_ignored(found.problems, document)
    return list(map(_as_consequence, sorted(kept, key=in_reading_order)))


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
    from subspec.formats.toolset import config_of  # noqa: PLC0415 - for this format only

    try:
        return Finding(config_of(document, path), ())
    except SpecError as error:
        return Finding(None, error.problems)
