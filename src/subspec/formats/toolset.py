"""Documents of subagents-pydantic-ai: the subagents that they hold, also as a configuration."""

from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import evolve, fields, frozen

from subspec import formats
from subspec.formats.pydantic_ai import entries_in, lists_in, value_at
from subspec.formats.subagent_config import SubAgentSpec, structured, written
from subspec.problems import (
    BLANK_DESCRIPTION,
    BLANK_PROMPT,
    BLANK_VALUE,
    DUPLICATE_NAME,
    Problem,
    SpecError,
    below,
    dotted,
    errors_in,
    quoted,
)
from subspec.problems import Path as DataPath
from subspec.source import Document, read_text
from subspec.source.compare import MISSING, merged
from subspec.spec import ClaudeConfig, Origin, SubagentSpec
from subspec.structure.placing import placed

TITLE = "subagents-pydantic-ai"

_OURS = ("name", "description", "instructions", "model", "origin")
OWN_KEYS = tuple(each.name for each in fields(SubAgentSpec) if each.name not in _OURS)
"""Keys that no field of an agent says."""


@frozen
class Reading:
    """What a document says of subagents."""

    lists: tuple[DataPath, ...]
    """Where the lists stand, or may stand."""

    found: tuple[tuple[DataPath, SubAgentSpec], ...]

    @classmethod
    def of(cls, document: Document, file: Path | None) -> "Reading":
        """Read a document.

        Raises:
            SpecError: Something is wrong with it.
        """
        if not document.readable:
            raise SpecError(document.problems)
        lists, problems = lists_in(document.data)
        mark = None if document.raw is None else sha256(document.raw).hexdigest()
        whole = Origin(file, format=formats.PYDANTIC_AI, digest=mark, saved={})
        found: list[tuple[DataPath, SubAgentSpec]] = []
        names: dict[str, DataPath] = {}
        for path, entry in entries_in(document.data, lists, problems):
            span = document.spell(*document.offsets(path))
            spec, faults = structured(entry, SubAgentSpec, evolve(whole, span=span))
            problems += below(path, faults)
            if spec is not None:
                found.append((path, spec))
            name = entry.get("name") if isinstance(entry, Mapping) else None
            if isinstance(name, str) and names.setdefault(name, path) != path:
                problems.append(twin(name, (*path, "name"), dotted(names[name])))
        problems = placed(document, problems)
        if errors_in(problems):
            raise SpecError(problems)
        return cls(tuple(lists), tuple(found))

    def specs(self) -> tuple[SubAgentSpec, ...]:
        """Give the subagents, in their order."""
        return tuple(spec for _, spec in self.found)

    def merged(self, data: Any, specs: Iterable[SubAgentSpec]) -> Any:
        """Give what the document is to hold, so that it says other subagents."""
        known = {spec.name: (path, spec) for path, spec in self.found}
        home = self.lists[0]
        entries: dict[DataPath, list[Any]] = {path: [] for path in self.lists}
        for spec in specs:
            entry = written(spec)
            if spec.name in known:
                path, old = known[spec.name]
                home = path[:-1]
                entry = merged(value_at(data, path), written(old), entry)
            entries[home].append(entry)
        for path, items in entries.items():
            if items or value_at(data, path) is not MISSING:
                data = _with_value(data, path, items)
        return data


def name_faults(name: str) -> list[Problem]:
    """Say what is wrong with a name, though subagents-pydantic-ai takes every one."""
    if name.strip():
        return []
    message = "must not be blank: it is what the parent calls the subagent by"
    return [BLANK_VALUE.problem(message, ("name",))]


def twin(name: str, path: DataPath, first: str) -> Problem:
    """Say that a subagent has the name of an earlier one."""
    message = f"there is a subagent named {quoted(name)} already, at {first}"
    return DUPLICATE_NAME.problem(message, path, hint="give it another name")


def _with_value(data: Any, path: DataPath, value: Any) -> Any:
    if not path:
        return value
    first, *rest = path
    if isinstance(first, int):
        return [
            _with_value(item, tuple(rest), value) if index == first else item
            for index, item in enumerate(data)
        ]
    mapping = data if isinstance(data, Mapping) else {}
    return {**mapping, first: _with_value(mapping.get(first), tuple(rest), value)}


def config_of(document: Document, path: Path) -> ClaudeConfig:
    """Make a configuration of a document, as what was read from a file.

    Raises:
        SpecError: Something is wrong with it.
    """
    specs = Reading.of(document, path).specs()
    digest = next((spec.origin.digest for spec in specs if spec.origin is not None), None)
    return _config(specs, Origin(path, format=formats.PYDANTIC_AI, digest=digest, saved={}))


def loads_config(text: str) -> ClaudeConfig:
    """Read the text of a file.

    Raises:
        SpecError: Something is wrong with it.
    """
    return _config(Reading.of(read_text(text), None).specs(), Origin(format=formats.PYDANTIC_AI))


def problems_of(document: Document, path: Path) -> list[Problem]:
    """Say all that is wrong or odd in a document, as far as its own program goes."""
    try:
        reading = Reading.of(document, path)
    except SpecError as error:
        return list(error.problems)
    odd: list[Problem] = []
    for place, spec in reading.found:
        odd += below(place, name_faults(spec.name))
        if not spec.description.strip():
            message = "it has no description, which is what the parent goes by"
            odd.append(evolve(BLANK_DESCRIPTION.problem(message, place), severity="warning"))
        if not spec.instructions.strip():
            message = "it has no instructions: its model is told nothing but the task"
            odd.append(evolve(BLANK_PROMPT.problem(message, place), severity="warning"))
    return [*document.problems, *document.place(odd)]


def _config(specs: Iterable[SubAgentSpec], origin: Origin) -> ClaudeConfig:
    agents: dict[str, SubagentSpec] = {}
    problems: list[Problem] = []
    for spec in specs:
        extra = {name: value for name, value in spec.to_config().items() if name in OWN_KEYS}
        inner = None if spec.origin is None else evolve(spec.origin, format=formats.PYDANTIC_AI)
        try:
            agents[spec.name] = SubagentSpec(
                spec.description, spec.instructions, model=spec.model, extra=extra, origin=inner
            )
        except SpecError as error:
            problems += below((spec.name,), error.problems)
    if problems:
        file = None if origin.path is None else str(origin.path)
        raise SpecError(evolve(each, file=file) for each in problems)
    return ClaudeConfig(agents=agents, origin=origin)
