"""Folded text: the blocks that begin with ``>``, of which a reader joins the lines."""

import re
import textwrap

NARROWEST = 40


def fold_text(written: str, wanted: str) -> list[str] | None:
    """Fold a text, with the lines of what stood there where it says the same.

    Args:
        written: What stands there, from its sign on.
        wanted: The text to be said.

    Returns:
        The sign, and the lines without their indentation; None where a text cannot be folded.
    """
    text = wanted.rstrip("\n")
    if not text or text[0] in " \t\n" or re.search(r"\n[ \t]|[ \t]\n|[ \t]$", text):
        return None
    lines = [line.strip() for line in re.split(r"\r\n|\r|\n", written)[1:]]
    width = max(NARROWEST, *map(len, lines)) if lines else NARROWEST
    known = _paragraphs(lines)
    ending = wanted[len(text) :]
    sign = ">-" if not ending else ">" if len(ending) == 1 else ">+"
    folded: list[str] = []
    for index, paragraph in enumerate(text.split("\n")):
        if index:
            folded.append("")
        if paragraph:
            folded += known.get(paragraph) or _wrapped(paragraph, width)
    return [sign, *folded, *[""] * (len(ending) - 1)]


def _paragraphs(lines: list[str]) -> dict[str, list[str]]:
    """Give the lines of each paragraph by its text."""
    found: dict[str, list[str]] = {}
    current: list[str] = []
    for line in [*lines, ""]:
        if line:
            current.append(line)
        elif current:
            found[" ".join(current)] = current
            current = []
    return found


def _wrapped(paragraph: str, width: int) -> list[str]:
    lines = textwrap.wrap(paragraph, width, break_long_words=False, break_on_hyphens=False)
    # Where blanks stand in a row, or anything else is odd, one line is what is safe.
    return lines if " ".join(lines) == paragraph else [paragraph]
