"""The ways to spell subagents on disk: one module each, with a table."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from subspec.formats import agents, claude_cli, holodeck, pydantic_ai
from subspec.formats.registry import SPELLINGS
from subspec.formats.table import Format, Key
from subspec.problems import did_you_mean, one_of, quoted

if TYPE_CHECKING:
    from subspec.formats.spelling import Spelling
else:

    def __getattr__(name: str) -> Any:
        """Import the class of tables when it is asked for: most files need none."""
        if name == "Spelling":
            from subspec.formats.spelling import Spelling  # noqa: PLC0415

            return Spelling
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)


__all__ = [
    "CLAUDE_CODE",
    "FORMATS",
    "PYDANTIC_AI",
    "SPELLINGS",
    "Format",
    "Key",
    "Spelling",
    "detect",
    "find",
    "is_directory",
    "is_markdown",
    "is_toolset",
    "names",
    "spelling_of",
]

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT for module in (claude_cli, holodeck, agents)
}
"""The formats by name, in the order in which a document is tried."""

PYDANTIC_AI = "pydantic_ai"
"""The files of subagents-pydantic-ai: see :mod:`subspec.pydantic_ai`."""

CLAUDE_CODE = "claude_code"
"""Markdown, one agent a file. It has no table: see :mod:`subspec.formats.claude_code`."""


def names() -> list[str]:
    """Give the names of all formats that can be read as subagents."""
    return sorted([*FORMATS, CLAUDE_CODE, PYDANTIC_AI, *SPELLINGS])


def find(name: str) -> Format:
    """Give the format of a name, of those that are documents with all agents in them.

    Raises:
        ValueError: There is none.
    """
    if name in FORMATS:
        return FORMATS[name]
    raise unknown(name)


def unknown(name: str) -> ValueError:
    """Say that there is no format of a name, and which there are."""
    hint = did_you_mean(name, names()) or f"there are {one_of(names())}"
    return ValueError(f"unknown format {quoted(name)}; {hint}")


def spelling_of(path: Path, name: str | None) -> "Spelling | None":
    """Give the table by which a file or a directory is read, where each agent has a file.

    Args:
        path: The file or the directory.
        name: The name of the format. None: it is told from where the file lies.

    Returns:
        None for documents, and for Claude Code's own Markdown.

    Raises:
        ValueError: There is no format of that name.
    """
    if name is None:
        return SPELLINGS.at(path)
    if name in FORMATS or name in (CLAUDE_CODE, PYDANTIC_AI):
        return None
    if name not in SPELLINGS:
        raise unknown(name)
    return SPELLINGS[name]


def detect(data: Any) -> Format:
    """Tell from the data of a document which format it is written in."""
    return next(fmt for fmt in FORMATS.values() if fmt.recognises(data))


def is_toolset(data: Any, name: str | None) -> bool:
    """Tell whether the data of a document is read as subagents of subagents-pydantic-ai."""
    return name == PYDANTIC_AI or (name is None and pydantic_ai.recognises(data))


def is_markdown(path: Path, name: str | None) -> bool:
    """Tell whether a file or a directory is read as Markdown, where the format has that name."""
    return name == CLAUDE_CODE or (name is None and (path.suffix == ".md" or is_directory(path)))


def is_directory(path: Path) -> bool:
    """Tell whether there is a directory of that name."""
    try:
        return path.is_dir()
    except OSError:
        # No file can have the name; reading it will say so.
        return False
