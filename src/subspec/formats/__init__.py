"""The ways to spell subagents on disk: one module each, with a table."""

from typing import Any

from subspec.formats import agents, claude_cli, holodeck
from subspec.formats.table import Format, Key
from subspec.problems import did_you_mean, one_of, quoted

__all__ = ["FORMATS", "Format", "Key", "detect", "find"]

FORMATS: dict[str, Format] = {
    module.FORMAT.name: module.FORMAT for module in (claude_cli, holodeck, agents)
}
"""The formats by name, in the order in which a document is tried."""


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
