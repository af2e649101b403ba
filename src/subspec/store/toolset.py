"""Files of subagents-pydantic-ai: what has to be written so that they say something else."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from subspec.formats.pydantic_ai import LIST
from subspec.formats.spelling import Lost, lost_value
from subspec.formats.subagent_config import SubAgentSpec, values_of, written
from subspec.formats.toolset import OWN_KEYS, TITLE, Reading, config_of, name_faults
from subspec.formats.values import WORDS
from subspec.problems import Path as DataPath
from subspec.problems import Problem, SpecError, below, quoted
from subspec.source import Document, read_file
from subspec.source.compare import with_value
from subspec.source.emit import emit_json, emit_yaml
from subspec.source.files import exists
from subspec.source.replace import Change
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.store.update import Update, agents_of, changed, refuse_to_drop, rewritten
from subspec.structure import plain


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
        there = {spec.name for spec in self.specs}
        for name, values in data["agents"].items():
            called = renames.get(name, name)
            if called not in there:
                problems += below(("agents", name), name_faults(called))
            try:
                specs.append(SubAgentSpec(name=called, **values))
            except SpecError as error:
                problems += below(("agents", name), error.problems)
        if problems:
            raise SpecError(problems)
        change = change_for(self.path, tuple(specs), self.document)
        return Update([] if change is None else [change])


def update_for(path: Path, config: ClaudeConfig) -> Update:
    """Say how a file has to change; agents that it holds and the configuration does not, go.

    Raises:
        SpecError: It cannot be said there.
    """
    specs, losses = specs_of(config)
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
    specs, losses = specs_of(config)
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


def change_for(
    target: Path, specs: tuple[SubAgentSpec, ...], document: Document | None = None
) -> Change | None:
    """Say how a file has to change; None: not at all.

    Args:
        target: The file.
        specs: All subagents that it shall hold.
        document: What was read from it; None: it is read now, if it is there.

    Raises:
        SpecError: The file cannot be read, or cannot say them.
    """
    if document is None and not exists(target):
        data = {LIST: [written(spec) for spec in specs]}
        as_json = target.suffix.lower() == ".json"
        text = emit_json(data) if as_json else emit_yaml(data, block_keys={"instructions"})
        return Change(target, None, text.encode())
    document = document or read_file(target)
    reading = Reading.of(document, target)
    text = rewritten(document, reading.merged(document.data, specs), {})
    return None if text == document.text else changed(document, target, text)


def text_of(specs: Iterable[SubAgentSpec]) -> str:
    """Write subagents as the text of a new YAML file."""
    data = {LIST: [written(spec) for spec in specs]}
    return emit_yaml(data, block_keys={"instructions"})


def change_onto(
    target: Path, specs: Iterable[SubAgentSpec], *, only: bool = False
) -> Change | None:
    """Say how a file has to change so that it holds subagents; None: not at all.

    Args:
        target: The file, be it there or not.
        specs: The subagents.
        only: Whether what else the file says goes: other subagents, and keys of these.

    Raises:
        SpecError: The file cannot be read, or cannot say them.
    """
    specs = tuple(specs)
    if not only and exists(target):
        there = {spec.name: spec for spec in Reading.of(read_file(target), target).specs()}
        made = {spec.name: spec for spec in specs}
        for name in made.keys() & there.keys():
            # What only the file says stays.
            made[name] = SubAgentSpec(**{**values_of(there[name]), **values_of(made[name])})
        specs = tuple((there | made).values())
    return change_for(target, specs)


def specs_of(config: ClaudeConfig) -> tuple[list[SubAgentSpec], list[tuple[str, Lost]]]:
    """Make a subagent of each agent, and say what is lost by that, with the names of the agents."""
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
        if key in OWN_KEYS and _fits(key, value):
            found[key] = value
            continue
        reason = f"{TITLE} does not know the key {key}"
        losses.append(Lost(f"extra.{key}", reason, "it is left out", holds_back(key, value)))
    return found, losses


def _fits(key: str, value: Any) -> bool:
    given: dict[str, Any] = {key: value}
    try:
        SubAgentSpec(name="-", **given)
    except SpecError:
        return False
    return True
