"""Text to plain data with a place for every key and value, and data to text.

Nothing here knows of subagents.
"""

from pathlib import Path
from typing import Literal

from subspec.problems import CANNOT_READ, NOT_UTF8
from subspec.source.document import Document
from subspec.source.files import NotUtf8Error, UnreadableError, decode, read_bytes
from subspec.source.json import read_json
from subspec.source.yaml import read_yaml

Media = Literal["yaml", "json"]

_MEDIA: dict[str, Media] = {".json": "json", ".yaml": "yaml", ".yml": "yaml"}

__all__ = ["Document", "Media", "read_file", "read_json", "read_text", "read_yaml"]


def read_text(text: str, *, media: Media | None = None, file: str | None = None) -> Document:
    """Read YAML or JSON.

    Args:
        text: The text.
        media: What it is. None: JSON if it begins as JSON does and is JSON, else YAML.
        file: The name of the file for messages.
    """
    text = text.removeprefix("\ufeff")
    if media == "json":
        return read_json(text, file)
    if media is None and text.lstrip()[:1] in ("{", "["):
        document = read_json(text, file)
        if document.readable:
            return document
        flow = read_yaml(text, file)
        # Text that fails as both was most likely meant as JSON when it quotes its first key.
        return flow if flow.readable or text.lstrip("{[ \t\r\n")[:1] != '"' else document
    return read_yaml(text, file)


def read_file(path: Path) -> Document:
    """Read a file: JSON when its name ends in ``.json``, YAML for ``.yaml`` and ``.yml``.

    A file that cannot be had gives a document with that problem.
    """
    file = str(path)
    try:
        raw = read_bytes(path)
        text = decode(raw)
    except UnreadableError as error:
        problem = CANNOT_READ.problem(f"cannot read it: {error}", file=file)
        return Document("", problems=[problem], readable=False, file=file)
    except NotUtf8Error as error:
        document = Document(error.before, readable=False, file=file)
        end = len(error.before)
        problem = NOT_UTF8.problem(f"the file is {error.reason}", hint="save it as UTF-8")
        document.problems.append(document.at(problem, end, end))
        return document
    document = read_text(text, media=_MEDIA.get(path.suffix.lower()), file=file)
    document.raw = raw
    return document
