"""Front matter that is no YAML, and that Claude Code cannot guess either: what can be told of it.

The keys of an agent are known. A text that is cut at the lines that begin with one can be read
piece by piece: most pieces are YAML, and the one that is not is nearly always a description that
somebody wrote without quotes.
"""

import re
from collections.abc import Iterable
from typing import Any

from attrs import frozen

from subspec.formats.claude_keys import KEYS
from subspec.problems import FRONT_MATTER_REPAIRED
from subspec.source.document import Document
from subspec.source.emit import Layout, YamlWriter
from subspec.source.frontmatter import FENCE, Fences, find_fences, read_front_matter

_ANY_KEY = re.compile(r"[a-z_][\w-]*[ \t]*:(?:[ \t].*)?\r?\n")
_SPEAKER = re.compile(r"(?:user|assistant|commentary)\b")
_NOT_A_LINE_END = re.compile(r"[^\r\n]")


@frozen
class _Piece:
    """What belongs to one key, and whether it is YAML."""

    key: str
    start: int
    value: int
    """Offset behind the colon."""

    end: int
    is_yaml: bool


def readable_part(document: Document, fences: Fences) -> Document | None:
    """Read what is YAML in front matter that is none as a whole; None where nothing is.

    All places are those of the whole text.
    """
    text = document.text
    for piece in _pieces(text, fences, KEYS):
        if not piece.is_yaml:
            blank = _NOT_A_LINE_END.sub(" ", text[piece.start : piece.end])
            text = text[: piece.start] + blank + text[piece.end :]
    found = read_front_matter(text, fences, document.file)
    if not found.readable or not isinstance(found.data, dict):
        return None
    found.text = document.text
    return found


def repaired_text(
    text: str,
    fences: Fences,
    keys: Iterable[str] = KEYS,
    writer: type[YamlWriter] = YamlWriter,
) -> str | None:
    """Write front matter as YAML that says what was meant; None where that cannot be told.

    Args:
        text: The whole text of a file.
        fences: Where its front matter stands.
        keys: The keys that its program reads.
        writer: What writes the values that are no YAML.
    """
    layout = Layout(forbidden=FENCE, block_keys=frozenset())
    line_end = "\r\n" if "\r\n" in text[: fences.end] else "\n"
    result, position = "", fences.start
    for piece in _pieces(text, fences, keys):
        result += text[position : piece.start]
        position = piece.end
        if piece.is_yaml:
            result += text[piece.start : piece.end]
            continue
        lines = writer(layout)
        lines.mapping("", {piece.key: _meant(text[piece.value : piece.end])}, 0)
        result += line_end.join([*lines.lines, ""])
    result = text[: fences.start] + result + text[position:]
    again: Any = find_fences(result)
    found = read_front_matter(result, again)
    is_repaired = any(each.code == FRONT_MATTER_REPAIRED.name for each in found.problems)
    return result if found.readable and not is_repaired else None


def _pieces(text: str, fences: Fences, keys: Iterable[str]) -> list[_Piece]:
    key = re.compile(rf"^({'|'.join(map(re.escape, keys))})[ \t]*:", re.MULTILINE)
    matches = list(key.finditer(text, fences.start, fences.end))
    pieces = []
    for index, match in enumerate(matches):
        last = index == len(matches) - 1
        end = fences.end if last else matches[index + 1].start()
        whole = _is_yaml(text[match.start() : end])
        if not whole:
            end = _end_of_text(text, match.end(), end)
        pieces.append(_Piece(match[1], match.start(), match.end(), end, whole))
    return pieces


def _end_of_text(text: str, start: int, end: int) -> int:
    """Find where a value ends that is no YAML: at a line that begins with another key, if any."""
    position = text.find("\n", start, end) + 1
    first = position
    while 0 < position < end:
        rest = text[position:end]
        begins = _ANY_KEY.match(rest) and not _SPEAKER.match(rest)
        if begins and _is_yaml(rest) and not text[first:position].strip():
            return position
        position = text.find("\n", position, end) + 1
    return end


def _is_yaml(text: str) -> bool:
    document = f"{FENCE}\n{text}"
    fences = Fences(len(FENCE) + 1, len(document), len(document), len(document))
    found = read_front_matter(document, fences)
    is_guessed = any(each.code == FRONT_MATTER_REPAIRED.name for each in found.problems)
    return found.readable and isinstance(found.data, dict) and not is_guessed


def _meant(written: str) -> str:
    """Give the text that somebody wrote without saying that it is one."""
    lines = [line.strip() for line in written.strip().splitlines()]
    return "\n".join(lines)
