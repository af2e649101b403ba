"""The ways to spell subagents on disk: one module each, with a table."""

from pathlib import Path
from typing import Any

from subspec.formats import agents, claude_cli, holodeck
from subspec.formats.table import Format, Key
from subspec.problems import did_you_mean, one_of, quoted

__all__ = [
    "CLAUDE_CODE",
    "FORMATS",
    "Format",
    "Key",
    "detect",
    "find",
    "is_directory",
    "is_markdown",
]

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT for module in (claude_cli, holodeck, agents)
}
"""The formats by name, in the order in which a document is tried."""

CLAUDE_CODE = "claude_code"
"""Markdown, one agent a file. It has no table: see :mod:`subspec.formats.claude_code`."""


def find(name: str) -> Format:
    """Give the format of a name.

    Raises:
        ValueError: There is none.
    """
    if name in FORMATS:
        return FORMATS[name]
    hint = did_you_mean(name, FORMATS) or f"there are {one_of(sorted(FORMATS))}"
    msg = f"unknown format {quoted(name)}; {hint}"
    raise ValueError(msg)


def detect(data: Any) -> Format:
    """Tell from the data of a document which format it is written in."""
    return next(fmt for fmt in FORMATS.values() if fmt.recognises(data))


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
