"""Delegation tools in the ``cordis.yml`` of the deepseek harness: its plugin entries.

Such a file is a list of ``{id, name, config}``, in which an entry can hold further lists. Values
with the tag ``!!js`` are programs that the harness runs. Here they are text that stays as it is.

.. code-block:: python

    entries = load_entries("cordis.yml")
    for entry in entries:
        print(entry.config.tool_name, entry.config.provider)
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from subspec.delegation.config import (
    RUN_IN_BACKGROUND,
    DelegationConfig,
    delegation_config,
    delegation_data,
)
from subspec.problems import (
    DUPLICATE_NAME,
    MISSING_KEY,
    NOT_FAITHFUL,
    TAG,
    ConflictError,
    Problem,
    SpecError,
    below,
    dotted,
    errors_in,
    quoted,
)
from subspec.problems import Path as DataPath
from subspec.shapes import wrong_type
from subspec.source import Document, read_file, read_text
from subspec.source.compare import merged
from subspec.source.replace import replace_files
from subspec.spec import Origin
from subspec.store.update import Baseline, changed, digest, identity, rewritten

PLUGIN = "@deepseek-ai/dsh-tool-subagent"
"""The name of the entries that are read; all others are none of our business."""

_PROGRAM = "!!js"
"""What the tags of programs begin with; others mean nothing to the harness."""

_DISABLED = ("disabled",)

_NEVER_RUN = "this is a program of the harness, and is never run here"


@frozen
class JavaScript:
    """A value that only the harness can know."""

    source: str
    """The expression, without its tag."""


@frozen
class Entry:
    """One delegation tool of a file."""

    config: DelegationConfig
    """The tool."""

    id: str | None = field(default=None, kw_only=True)
    """What the entry is called in the file and in patches of it."""

    disabled: bool | JavaScript = field(default=False, kw_only=True)
    """Whether the harness passes over it."""

    origin: Origin | None = field(default=None, kw_only=True, eq=False, repr=False)
    """Where it was read; None for one made in Python."""


def load_entries(path: str | Path) -> tuple[Entry, ...]:
    """Load the delegation tools of a file, wherever in it they stand.

    Args:
        path: A ``cordis.yml``, or a patch of one.

    Raises:
        SpecError: The file cannot be read, or something is wrong with an entry: every problem.
    """
    file = Path(path)
    return tuple(entry for _, entry in _Reading.of(read_file(file), file).found)


def save_entries(entries: Iterable[Entry], path: str | Path | None = None) -> tuple[Path, ...]:
    """Write delegation tools back to their file, in which only the text of what differs changes.

    An entry is the one with its ``id`` or, without one, the one of its tool's name. New ones go
    behind the entry before them; those that are not among `entries` are taken out.

    Args:
        entries: All delegation tools that the file shall hold.
        path: The file, which has to be there. None: where they were loaded from.

    Returns:
        The file, if it was written.

    Raises:
        ConflictError: The file was changed by somebody else since it was loaded.
        SpecError: The file cannot be read or written, or cannot say them; nothing was written.
        ValueError: There is no path to write to.
    """
    entries = tuple(entries)
    target = _target(entries) if path is None else Path(path)
    document = read_file(target)
    reading = _Reading.of(document, target)
    origins = _origins_of(entries)
    for origin in origins:
        baseline = Baseline(_baseline_of(origin))
        if problems := baseline.see(target, document.raw):
            raise ConflictError(problems)
    text = rewritten(document, reading.with_entries(document.data, entries), {})
    _see_that_it_says(text, entries, target)
    if text == document.text:
        return ()
    change = changed(document, target, text)
    written = replace_files([change])
    now = digest(change.after or b"")
    for origin in origins:
        if origin.saved is not None:
            origin.saved[identity(target)] = now
    return written


def _origins_of(entries: Iterable[Entry]) -> list[Origin]:
    """Give where entries come from, once for all that were read together."""
    origins = (entry.origin for entry in entries if entry.origin is not None)
    return list({(each.path, each.digest, id(each.saved)): each for each in origins}.values())


def _baseline_of(origin: Origin) -> dict[str, str | None]:
    known = {} if origin.path is None else {identity(origin.path): origin.digest}
    return known | (origin.saved or {})


@frozen
class _Reading:
    """What a document says of delegation."""

    found: tuple[tuple[DataPath, Entry], ...]

    @classmethod
    def of(cls, document: Document, file: Path) -> "_Reading":
        """Read a document.

        Raises:
            SpecError: Something is wrong with it.
        """
        if not document.readable:
            raise SpecError(document.problems)
        if not isinstance(document.data, list):
            hint = "begin each entry with '- id: ID'"
            wrong = wrong_type("a list of plugin entries", document.data, hint)
            raise SpecError(document.place([wrong]))
        # What a tag means is the harness's matter, but where we have to know the value.
        odd = [each for each in document.problems if each.code != TAG.name]
        tags = {
            (each.span.line, each.span.column): each.message
            for each in document.problems
            if each.span and each.code == TAG.name
        }
        origin = Origin(file, format="cordis", digest=digest(document.raw or b""), saved={})
        problems: list[Problem] = []
        found: list[tuple[DataPath, Entry]] = []
        for path, data in _entries_in(document.data):
            tagged = dict(_tagged_in(document, path, data, tags))
            span = document.spell(*document.offsets(path))
            entry, faults = _entry(data, tagged, evolve(origin, span=span))
            problems += below(path, faults)
            if entry is not None:
                found.append((path, entry))
        problems += _twins(found)
        problems = [*odd, *document.place(problems)]
        if errors_in(problems):
            raise SpecError(problems)
        return cls(tuple(found))

    def with_entries(self, data: Any, entries: tuple[Entry, ...]) -> Any:
        """Give what the document is to hold, so that it says other entries.

        Raises:
            SpecError: It cannot say them.
        """
        kept: dict[DataPath, tuple[Entry, Entry]] = {}
        added: dict[DataPath, list[Any]] = {}
        last: DataPath = ()
        for home, entry in zip(self._homes_of(entries), entries, strict=True):
            old = None if home is None else home[1]
            _refuse_new_program(old, entry)
            if home is None or old is None:
                added.setdefault(last, []).append(_written(entry))
            else:
                last = home[0]
                kept[last] = old, entry
        gone = {path for path, _ in self.found} - kept.keys()
        return _rebuilt(data, (), kept, added, gone)

    def _homes_of(self, entries: tuple[Entry, ...]) -> list[tuple[DataPath, Entry] | None]:
        """Find which of the entries that are there each one is, if any."""
        free = dict(enumerate(self.found))
        homes: list[tuple[DataPath, Entry] | None] = [None] * len(entries)
        files: dict[Path, str] = {}
        # Whoever has the place of one and its name is that one; then its name, then its place.
        keys_of: tuple[Callable[[Entry], object], ...] = (
            lambda entry: (place := _place(entry, files)) and (place, _name(entry)),
            _name,
            lambda entry: _place(entry, files),
        )
        for key_of in keys_of:
            known: dict[object, deque[int]] = {}
            for number, (_, entry) in free.items():
                known.setdefault(key_of(entry), deque()).append(number)
            for index, entry in enumerate(entries):
                key = key_of(entry)
                if homes[index] is None and key is not None and known.get(key):
                    homes[index] = free.pop(known[key].popleft())
        return homes


def _rebuilt(
    value: Any,
    at: DataPath,
    kept: Mapping[DataPath, tuple[Entry, Entry]],
    added: Mapping[DataPath, list[Any]],
    gone: set[DataPath],
) -> Any:
    """Give data with other entries in its lists."""
    if isinstance(value, dict):
        return {key: _rebuilt(item, (*at, key), kept, added, gone) for key, item in value.items()}
    if not isinstance(value, list):
        return value
    # What comes before all entries that are there stands in front, too.
    items = [] if at else list(added.get((), ()))
    for index, item in enumerate(value):
        here = (*at, index)
        if here in kept:
            old, new = kept[here]
            items.append(_changed(item, old, new))
        elif here not in gone:
            items.append(_rebuilt(item, here, kept, added, gone))
        items += added.get(here, ())
    return items


def _changed(item: dict[str, Any], old: Entry, new: Entry) -> Any:
    """Give what a file says of an entry, with what differs changed in it."""
    wanted = _written(new)
    if RUN_IN_BACKGROUND in item["config"]:
        # What it means to leave it out depends on other keys.
        wanted["config"][RUN_IN_BACKGROUND] = new.config.run_in_background
    return merged(item, _written(old), wanted)


def _place(entry: Entry, files: dict[Path, str]) -> object:
    """Give what tells the place of an entry from others, or None when it has none.

    What files are called is looked up once, and kept in `files`.
    """
    origin = entry.origin
    if origin is None or origin.path is None:
        return None
    if origin.path not in files:
        files[origin.path] = identity(origin.path)
    # Behind a save, places are those of the text that was there before.
    return files[origin.path], origin.digest, origin.span


def _refuse_new_program(old: Entry | None, new: Entry) -> None:
    if isinstance(new.disabled, JavaScript) and (old is None or old.disabled != new.disabled):
        message = "a program of the harness can be kept, and is never written"
        hint = "write it into the file yourself"
        raise SpecError([NOT_FAITHFUL.problem(message, ("disabled",), hint=hint)])


def _see_that_it_says(text: str, entries: tuple[Entry, ...], target: Path) -> None:
    """Refuse a text that does not say what is meant.

    Raises:
        SpecError: It does not.
    """
    again = _Reading.of(read_text(text, media="yaml"), target)
    if [entry for _, entry in again.found] != list(entries):
        message = "the file cannot say these entries in this order"
        raise SpecError([NOT_FAITHFUL.problem(message, file=str(target))])


def _entries_in(data: Any, path: DataPath = ()) -> Iterator[tuple[DataPath, dict[str, Any]]]:
    """Find the entries of the plugin, which may stand in those of others."""
    if isinstance(data, dict):
        if data.get("name") == PLUGIN:
            yield path, data
            return
        for key, value in data.items():
            yield from _entries_in(value, (*path, key))
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _entries_in(value, (*path, index))


@frozen
class _Tagged:
    """A value with a tag, which is never evaluated."""

    text: str
    is_program: bool
    message: str
    """What is wrong with it where the value has to be known."""


def _tagged_in(
    document: Document, path: DataPath, data: Any, tags: Mapping[tuple[int, int], str]
) -> Iterator[tuple[DataPath, _Tagged]]:
    """Find the values below a path that have a tag."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(data, dict):
        items = data.items()
    elif isinstance(data, list):
        items = enumerate(data)
    for key, value in items:
        start, end = document.offsets((*path, key))
        span = document.spell(start, end)
        message = tags.get((span.line, span.column))
        if message is not None:
            is_program = document.text.startswith(_PROGRAM, start)
            yield (key,), _Tagged(str(value), is_program, _NEVER_RUN if is_program else message)
            continue
        for inner, found in _tagged_in(document, (*path, key), value, tags):
            yield (key, *inner), found


def _entry(
    data: Mapping[str, Any], tagged: Mapping[DataPath, _Tagged], origin: Origin
) -> tuple[Entry | None, list[Problem]]:
    problems = [
        TAG.problem(found.message, path, hint="write the value itself")
        for path, found in tagged.items()
        if path[0] in ("config", "id", "name") or (path == _DISABLED and not found.is_program)
    ]
    disabled = data.get("disabled", False)
    if _DISABLED in tagged:
        disabled = JavaScript(tagged[_DISABLED].text)
    elif not isinstance(disabled, bool):
        problems.append(wrong_type("true or false", disabled, at=("disabled",)))
    name = data.get("id")
    if name is not None and not isinstance(name, str):
        problems.append(wrong_type("text", name, at=("id",)))
    if "config" not in data:
        problems.append(MISSING_KEY.problem("a delegation tool requires config", ("config",)))
    if problems:
        return None, problems
    try:
        config = delegation_config(data["config"])
    except SpecError as error:
        return None, below(("config",), error.problems)
    return Entry(config, id=name, disabled=disabled, origin=origin), []


def _written(entry: Entry) -> dict[str, Any]:
    """Give an entry as the harness reads it."""
    data: dict[str, Any] = {} if entry.id is None else {"id": entry.id}
    data |= {"name": PLUGIN, "config": delegation_data(entry.config)}
    if isinstance(entry.disabled, JavaScript):
        # As it is read: what a file says of it stays, since it never differs.
        data["disabled"] = entry.disabled.source
    elif entry.disabled:
        data["disabled"] = True
    return data


def _name(entry: Entry) -> tuple[str, str]:
    return ("id", entry.id) if entry.id is not None else ("tool", entry.config.tool_name)


def _twins(found: Iterable[tuple[DataPath, Entry]]) -> list[Problem]:
    """Say which entries could not be told from others of the same list."""
    seen: dict[Any, DataPath] = {}
    problems = []
    for path, entry in found:
        # In another list stands what another agent has.
        first = seen.setdefault((path[:-1], _name(entry)), path)
        if first != path:
            kind, name = _name(entry)
            message = f"the entry at {dotted(first)} has the {kind} {quoted(name)} already"
            problems.append(DUPLICATE_NAME.problem(message, path, hint="give it another one"))
    return problems


def _target(entries: Iterable[Entry]) -> Path:
    paths = {entry.origin.path for entry in entries if entry.origin and entry.origin.path}
    if len(paths) != 1:
        msg = "save_entries() needs a path for entries that did not all come from one file"
        raise ValueError(msg)
    return paths.pop()
