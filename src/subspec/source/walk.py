"""The files below a directory, found as Claude Code finds its Markdown."""

import os
import stat
from pathlib import Path

_Identity = tuple[int, int]


def files_below(directory: Path, suffix: str) -> list[Path]:
    """Give the files below a directory whose names end in `suffix`, sorted by their whole path.

    Hidden files and directories count, and symbolic links are followed. A directory is visited
    once, however many links lead to it, and of several hard links to a file the first is given.
    What cannot be looked at is left out.
    """
    found: list[Path] = []
    visited: set[_Identity] = set()
    waiting = [directory]
    while waiting:
        place = waiting.pop()
        below = _entries(place, visited)
        found += [path for path, is_directory in below if not is_directory and _ends(path, suffix)]
        # The last of them is visited next, so that the first name of a directory is the one to be.
        waiting += reversed([path for path, is_directory in below if is_directory])
    return _without_hard_links(sorted(found, key=in_code_units))


def in_code_units(path: Path) -> bytes:
    """Give the key that sorts paths as JavaScript sorts text: by the units of UTF-16."""
    return str(path).encode("utf-16-be", "surrogatepass")


def _ends(path: Path, suffix: str) -> bool:
    return path.name.endswith(suffix)


def _entries(directory: Path, visited: set[_Identity]) -> list[tuple[Path, bool]]:
    """Give the files and directories in a directory, and whether each is a directory."""
    try:
        identity = _identity(directory.stat())
        paths = [] if identity in visited else sorted(directory.iterdir())
    except OSError:
        return []
    visited.add(identity)
    modes = ((path, _mode(path)) for path in paths)
    return [(path, stat.S_ISDIR(mode)) for path, mode in modes if mode]


def _mode(path: Path) -> int:
    """Give the mode of a file or a directory, 0 for anything else."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return 0
    return mode if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else 0


def _without_hard_links(paths: list[Path]) -> list[Path]:
    by_identity: dict[_Identity, Path] = {}
    for path in paths:
        # A link counts as itself here, not as the file it leads to.
        by_identity.setdefault(_identity(path.lstat()), path)
    return list(by_identity.values())


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino
