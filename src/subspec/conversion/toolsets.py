"""The subagents of subagents-pydantic-ai as agents, and agents as those."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, fields, frozen

from subspec import formats
from subspec.conversion.documents import document_path
from subspec.conversion.result import Conversion, Draft, session_losses
from subspec.formats.spelling import Lost, lost_value
from subspec.formats.values import WORDS
from subspec.problems import (
    BLANK_DESCRIPTION,
    BLANK_PROMPT,
    Problem,
    SpecError,
    below,
    quoted,
)
from subspec.problems import Path as DataPath
from subspec.pydantic_ai import (
    Reading,
    SubAgentSpec,
    change_for,
    change_onto,
    load_subagents,
    loads_subagents,
    text_of,
    written,
)
from subspec.source import Document, read_file
from subspec.source.compare import with_value
from subspec.spec import ClaudeConfig, Origin, SubagentSpec
from subspec.store.update import Update, agents_of, refuse_to_drop
from subspec.structure import plain

TITLE = "subagents-pydantic-ai"
FILE = "subagents.yaml"

_OURS = ("name", "description", "instructions", "model", "origin")
_OWN = tuple(each.name for each in fields(SubAgentSpec) if each.name not in _OURS)


def config_of(document: Document, path: Path) -> ClaudeConfig:
    """Read a document, as what was read from a file.

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
    return _config(loads_subagents(text), Origin(format=formats.PYDANTIC_AI))


def problems_of(document: Document, path: Path) -> list[Problem]:
    """Say all that is wrong or odd in a document, as far as its own program goes."""
    try:
        reading = Reading.of(document, path)
    except SpecError as error:
        return list(error.problems)
    odd: list[Problem] = []
    for place, spec in reading.found:
        if not spec.description.strip():
            message = "it has no description, which is what the parent goes by"
            odd.append(evolve(BLANK_DESCRIPTION.problem(message, place), severity="warning"))
        if not spec.instructions.strip():
            message = "it has no instructions: its model is told nothing but the task"
            odd.append(evolve(BLANK_PROMPT.problem(message, place), severity="warning"))
    return [*document.problems, *document.place(odd)]


@frozen
class Toolset:
    """A file of which something is to be changed."""

    path: Path
    document: Document
    specs: tuple[SubAgentSpec, ...]

    @classmethod
    def of(cls, document: Document, path: Path) -> "Toolset":
        """Read a document.

        Raises:
            SpecError: Something is wrong with it.
        """
        return cls(path, document, Reading.of(document, path).specs())

    @property
    def data(self) -> dict[str, Any]:
        """What it says, by the names of the subagents."""
        agents = {spec.name: written(spec) for spec in self.specs}
        for values in agents.values():
            del values["name"]
        return {"agents": agents}

    def update(self, edits: Mapping[DataPath, Any], renames: Mapping[str, str]) -> Update:
        """Say what has to be written so that values and names are others.

        Raises:
            SpecError: No subagent is like that.
        """
        data = self.data
        for path, value in edits.items():
            data = with_value(data, path, value)
        specs: list[SubAgentSpec] = []
        problems: list[Problem] = []
        for name, values in data["agents"].items():
            try:
                specs.append(SubAgentSpec(name=renames.get(name, name), **values))
            except SpecError as error:
                problems += below(("agents", name), error.problems)
        if problems:
            raise SpecError(problems)
        change = change_for(self.path, tuple(specs), self.document)
        return Update([] if change is None else [change])


def to_pydantic_ai(config: ClaudeConfig, directory: Path | None) -> Conversion:
    """Say a configuration in a file of subagents-pydantic-ai."""
    draft = Draft(formats.PYDANTIC_AI)
    draft.lose(None, session_losses(config, TITLE))
    specs, losses = _specs(config)
    for name, each in losses:
        draft.lose(name, [each])
    if directory is None:
        draft.add(FILE, text_of(specs), None)
        return draft.finish()
    path = document_path(directory, FILE)
    change = change_onto(path, specs)
    there = () if change is not None and change.before is None else load_subagents(path)
    draft.leave((spec.name for spec in there), [spec.name for spec in specs])
    if change is None:
        draft.add(path.name, path.read_text(encoding="utf-8"), None)
        return draft.finish()
    draft.add(path.name, (change.after or b"").decode(), change)
    after = agents_of(loads_config(text_of(specs))) if there else {}
    for spec in there:
        if spec.name in after:
            draft.compare_data(spec.name, path.name, _said(spec), plain(after[spec.name]))
    return draft.finish()


def update_for(path: Path, config: ClaudeConfig) -> Update:
    """Say how a file has to change; agents that it holds and the configuration does not, go.

    Raises:
        SpecError: It cannot be said there.
    """
    specs, losses = _specs(config)
    problems = [evolve(each, file=str(path)) for each in losses_as_problems(losses)]
    change = change_onto(path, specs, only=True)
    if problems and change is not None and change.before:
        refuse_to_drop(problems, config_of(read_file(path), path), config)
    return Update([] if change is None else [change], problems)


def only_text(config: ClaudeConfig) -> tuple[str, list[Problem]]:
    """Write a configuration as the text of a new file, and say what it cannot say.

    Raises:
        SpecError: It cannot say what holds an agent back.
    """
    specs, losses = _specs(config)
    return text_of(specs), losses_as_problems(losses)


def losses_as_problems(losses: Iterable[tuple[str, Lost]]) -> list[Problem]:
    """Give losses as problems.

    Raises:
        SpecError: One widens what an agent may do.
    """
    from subspec.formats.agent_text import problems_of  # noqa: PLC0415 - for losses only

    problems = [each for name, lost in losses for each in problems_of((lost,), name, TITLE)]
    if any(each.severity == "error" for each in problems):
        raise SpecError(problems)
    return problems


def _config(specs: Iterable[SubAgentSpec], origin: Origin) -> ClaudeConfig:
    agents: dict[str, SubagentSpec] = {}
    problems: list[Problem] = []
    for spec in specs:
        extra = {name: value for name, value in spec.to_config().items() if name in _OWN}
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


def _said(spec: SubAgentSpec) -> dict[str, Any]:
    """Give what an entry says of the fields of an agent; what only it can say stays as it is."""
    found = {"description": spec.description, "prompt": spec.instructions, "model": spec.model}
    return {name: value for name, value in found.items() if value}


def _specs(config: ClaudeConfig) -> tuple[list[SubAgentSpec], list[tuple[str, Lost]]]:
    specs, losses = [], []
    for name, spec in agents_of(config).items():
        made, lost = _spec(name, spec)
        specs.append(made)
        losses += [(name, each) for each in lost]
    return specs, losses


def _spec(name: str, spec: SubagentSpec) -> tuple[SubAgentSpec, list[Lost]]:
    said = plain(spec)
    losses = [
        lost_value(field, said[field], f"{TITLE} has no key for it")
        for field in said
        if field not in ("description", "prompt", "model", "extra")
    ]
    values: dict[str, Any] = {}
    if spec.model is not None and spec.model.lower() in WORDS:
        reason = f"{TITLE} does not know the model {quoted(spec.model)}"
        losses.append(Lost("model", reason, "the model of the parent is used"))
    elif spec.model is not None:
        values["model"] = spec.model
    own, more = _own(said.get("extra", {}))
    made = SubAgentSpec(
        name=name, description=spec.description, instructions=spec.prompt, **values, **own
    )
    return made, [*losses, *more]


def _own(extra: Mapping[str, Any]) -> tuple[dict[str, Any], list[Lost]]:
    """Give the keys that it knows, and what is lost of the others."""
    from subspec.formats.agent_text import holds_back  # noqa: PLC0415 - for extra keys only

    found: dict[str, Any] = {}
    losses = []
    for key, value in extra.items():
        if key in _OWN and _fits(key, value):
            found[key] = value
            continue
        reason = f"{TITLE} does not know the key {key}"
        losses.append(Lost(f"extra.{key}", reason, "it is left out", holds_back(key)))
    return found, losses


def _fits(key: str, value: Any) -> bool:
    given: dict[str, Any] = {key: value}
    try:
        SubAgentSpec(name="-", **given)
    except SpecError:
        return False
    return True
