"""The files below a directory, found as Claude Code finds its Markdown."""

import os
from pathlib import Path

from subspec.source.files import UnreadableError

MAX_DIRECTORIES = 10_000
"""How many directories may lie below one that is looked at."""

_Identity = tuple[int, int]


def files_below(directory: Path, suffix: str) -> list[Path]:
    """Give the files below a directory whose names end in `suffix`, sorted by their whole path.

    Hidden files and directories count, and symbolic links are followed. A directory is visited
    once, however many links lead to it, and of several hard links to a file the first is given.
    What cannot be looked at is left out.

    Raises:
        UnreadableError: There are more than :data:`MAX_DIRECTORIES` directories.
    """
    found: list[tuple[Path, _Identity]] = []
    visited: set[_Identity] = set()
    waiting = [directory]
    while waiting:
        place = waiting.pop()
        files, directories = _entries(place, suffix, visited)
        found += files
        # The last of them is visited next. Which name of a directory is the one to be depends on
        # the file system's own order, as it does for Claude Code.
        waiting += reversed(directories)
        if len(visited) > MAX_DIRECTORIES:
            # As below a link to the root of the file system.
            msg = f"it holds more than {MAX_DIRECTORIES:,} directories"
            raise UnreadableError(msg)
    first: dict[_Identity, Path] = {}
    for path, identity in sorted(found, key=lambda file: in_code_units(file[0])):
        first.setdefault(identity, path)
    return list(first.values())


def in_code_units(path: Path) -> bytes:
    """Give the key that sorts paths as JavaScript sorts text: by the units of UTF-16."""
    return str(path).encode("utf-16-be", "surrogatepass")


def _entries(
    directory: Path, suffix: str, visited: set[_Identity]
) -> tuple[list[tuple[Path, _Identity]], list[Path]]:
    """Give the files in a directory, each with what tells it from others, and the directories."""
    files: list[tuple[Path, _Identity]] = []
    directories: list[Path] = []
    try:
        identity = _identity(directory.stat())
        entries = [] if identity in visited else list(os.scandir(directory))
    except OSError:
        return files, directories
    visited.add(identity)
    for entry in entries:
        # The directory has told already what most entries are: to look at each takes its time.
        try:
            if entry.is_dir():
                directories.append(directory / entry.name)
            elif entry.name.endswith(suffix) and entry.is_file():
                # A link counts as itself here, not as the file it leads to.
                files.append((directory / entry.name, _identity(os.lstat(entry.path))))
        except OSError:
            continue
    return files, directories


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino
