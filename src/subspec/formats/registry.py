"""The tables of programs that spell each agent in a file of its own, ours and those of others."""

from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from subspec.problems import one_of, quoted

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from subspec.formats.spelling import Spelling

GROUP = "subspec.formats"
"""The group of entry points. Each is named like its format, and leads to its table."""

OURS: Mapping[str, tuple[str, ...]] = {
    "codex": (".codex", ".toml"),
    "copilot": (".github", ".copilot", ".agent.md"),
    "cursor": (".cursor",),
    "factory": (".factory",),
    "gemini": (".gemini",),
    "kiro": (".kiro",),
    "kiro_ide": (".kiro",),
    "opencode": (".opencode",),
    "qwen": (".qwen",),
}
"""Our own formats; each is a module here, which is imported when a path has one of these in it: a
directory of that name, or a name that ends so."""

_RESERVED = frozenset({*OURS, "agents", "claude_cli", "claude_code", "holodeck", "pydantic_ai"})
"""Names that nobody else's format can have."""


class Spellings(Mapping[str, "Spelling"]):
    """All tables by name; each is imported when it is asked for."""

    def __init__(self) -> None:
        self.loaded: dict[str, Spelling] = {}
        self.broken: dict[str, str] = {}
        """What is wrong with those that cannot be used."""

    @cached_property
    def points(self) -> "dict[str, list[EntryPoint]]":
        """The entry points of other distributions; several of one name are too many."""
        from importlib.metadata import entry_points  # noqa: PLC0415 - slow, and seldom needed

        found: dict[str, list[EntryPoint]] = {}
        for point in sorted(entry_points(group=GROUP), key=lambda each: (each.name, each.value)):
            # A distribution that is found twice says the same twice.
            if point.name not in _RESERVED and point not in found.get(point.name, ()):
                found.setdefault(point.name, []).append(point)
        return found

    def __getitem__(self, name: str) -> "Spelling":
        """Give the table of a format.

        Raises:
            KeyError: There is none.
            ValueError: What another distribution offers is none.
        """
        if name in self.broken:
            raise ValueError(self.broken[name])
        if name in OURS and name not in self.loaded:
            self.loaded[name] = import_module(f"subspec.formats.{name}").SPELLING
        if name not in self.loaded:
            try:
                self.loaded[name] = _loaded(self.points[name])
            except ValueError as error:
                self.broken[name] = str(error)
                raise
        return self.loaded[name]

    def usable(self, names: Iterable[str] | None = None) -> "Iterator[Spelling]":
        """Give some tables, or all, without those of others that cannot be used."""
        for name in self if names is None else names:
            with suppress(ValueError):
                yield self[name]

    def __iter__(self) -> Iterator[str]:
        """Give the names, ours first."""
        yield from OURS
        yield from self.points

    def __len__(self) -> int:
        """Count them."""
        return len(OURS) + len(self.points)

    def at(self, path: Path) -> "Spelling | None":
        """Tell from where a file or a directory lies which program reads it; None if that is open.

        A file is told by its directory, or by an ending that only one program has.
        """
        parts = path.absolute().parts
        known = [
            name
            for name, signs in OURS.items()
            if path.name.endswith(signs) or not set(signs).isdisjoint(parts)
        ]
        if any(part.startswith(".") for part in parts[-_LOOKED_AT:]):
            # Those of others are imported only where they can matter.
            known += self.points
        found = list(self.usable(known))
        lies = [table for table in found if lies_there(table, path)]
        if len(lies) > 1 and path.suffix:
            lies = [table for table in lies if path.name.endswith(table.suffixes)]
        if lies:
            return _most_likely(lies, path)
        telling = (table for table in found if table.is_telling)
        return next((table for table in telling if path.name.endswith(table.suffix)), None)


_LOOKED_AT = 8
"""How many parts at the end of a path are looked at for the directory of a program."""


def lies_there(spelling: "Spelling", path: Path) -> bool:
    """Tell whether a file or a directory lies where a program looks for agents."""
    parts = path.absolute().parts
    for directory in spelling.directories:
        size = len(directory)
        if parts[-size:] == directory:
            return True
        if parts[1 - size :] == directory[:-1] and (path / directory[-1]).is_dir():
            return True
        ends = range(len(parts) - size - 1, -1 if spelling.is_deep else len(parts) - size - 2, -1)
        if path.name.endswith(spelling.suffixes) and any(
            start >= 0 and parts[start : start + size] == directory for start in ends
        ):
            return True
    return False


def _most_likely(tables: "list[Spelling]", path: Path) -> "Spelling":
    """Choose among programs that share a directory the one that has files in it."""
    for table in tables:
        for inside in ("", *(directory[-1] for directory in table.directories)):
            if any((path / inside).glob(f"*{table.suffix}")):
                return table
    return tables[0]


def _loaded(points: "list[EntryPoint]") -> "Spelling":
    point, *others = points
    if others:
        values = one_of(each.value for each in points)
        msg = f"there are several formats {quoted(point.name)}, of {values}; uninstall all but one"
        raise ValueError(msg)
    place = f"the format {quoted(point.name)} ({point.value})"
    try:
        found = point.load()
    except (Exception, SystemExit) as error:
        msg = f"{place} cannot be imported: {type(error).__name__}: {error}"
        raise ValueError(msg) from error
    from subspec.formats.spelling import Spelling  # noqa: PLC0415 - for those of others only

    if not isinstance(found, Spelling) or found.name != point.name:
        msg = f"{place} is not the table of a format of that name"
        raise ValueError(msg)
    return found


SPELLINGS = Spellings()
"""All tables by name."""
