"""What a format is: a table of its keys, and where the agents lie.

A format turns a document's data into canonical keys and back, key by key and value by value. What
it cannot say is never dropped in silence: reading refuses it, writing reports it.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from attrs import evolve, field, frozen

from subspec.problems import (
    NOT_IN_FORMAT,
    NULL_TOOLS,
    UNKNOWN_KEY,
    WIDENS,
    Path,
    Problem,
    SpecError,
    below,
    quoted,
)
from subspec.shapes import wrong_type
from subspec.spec import ClaudeConfig
from subspec.structure import plain
from subspec.structure.legacy import is_legacy
from subspec.structure.walker import unknown_key

RESTRICTING = frozenset({"tools", "disallowed_tools", "permission_mode", "max_turns", "hooks"})
"""Fields of an agent that hold it back: without them it may do more than its text says."""

Data = dict[str, Any]


@frozen
class Key:
    """A key of a format: the field it is read into, and how its values are said there."""

    field: str
    read: Callable[[Any], Any] | None = None
    """Turns a value of the file into a canonical one; raises SpecError for one it does not know.
    Values of other types than it expects are passed on, to be refused as usual."""

    write: Callable[[Any], Any] | None = None
    """Turns a canonical value into one of the file; raises ValueError for one it cannot say."""


@frozen(kw_only=True)
class Format:
    """One way to spell subagents on disk."""

    name: str
    """What it is called in options: ``format="agents"``."""

    title: str
    """What it is called in sentences."""

    section: tuple[str, ...] = ()
    """Where the configuration lies in the document."""

    agents_key: str | None = "agents"
    """The key of the agents; None when the section is nothing but the agents."""

    agent_keys: Mapping[str, Key] | None = None
    """The keys of an agent; None: the canonical ones."""

    config_keys: Mapping[str, Key] | None = None
    """The keys of the configuration beside the agents; None: the canonical ones."""

    kept_keys: Collection[str] = ()
    """Keys of the configuration that only its host reads; they go to ``extra``."""

    folded_keys: Collection[str] = ()
    """Keys of the configuration that :attr:`finish` folds into others."""

    null: Literal["unset", "error"] = "unset"
    """What null means for a key."""

    recognises: Callable[[Any], bool] = field(default=lambda _: False)
    """Tells from the data of a document whether it is written in this format."""

    finish: Callable[[Data, Data], list[Problem]] = field(default=lambda _values, _raw: [])
    """Amends what was read, for what no single key says; takes that and the raw section."""

    def read(self, data: Any) -> tuple[Any, list[Problem]]:
        """Turn the data of a document into canonical keys.

        Returns:
            The data as :func:`subspec.structure.structure_config` takes it, and what the format
            does not know, with the paths of the file.
        """
        if self.section and not isinstance(data, Mapping):
            return {}, [wrong_type("a mapping", data)]
        section, host = self._split(data)
        problems = self._misplaced(host)
        if self.agents_key is None and section is not None and not isinstance(section, Mapping):
            return {"agents": section}, []
        if not isinstance(section, Mapping):
            return section, problems
        if self.agent_keys is None:
            return {**section, "host": host} if host else section, problems
        values, faults = self._read_config(section)
        problems += faults
        raw_agents = section if self.agents_key is None else section.get(self.agents_key)
        values["agents"], faults = self._read_agents(raw_agents)
        problems += self.finish(values, dict(section))
        if host:
            values["host"] = host
        return values, problems + faults

    def write(self, config: ClaudeConfig) -> tuple[Data, list[Problem]]:
        """Turn a configuration into the data of a document.

        Returns:
            The data, and a problem for each value that the format cannot say.
        """
        data, problems = self._written(config)
        origin = config.origin
        file = None if origin is None or origin.path is None else str(origin.path)
        return data, [evolve(problem, file=file) for problem in problems]

    def _written(self, config: ClaudeConfig) -> tuple[Data, list[Problem]]:
        values = plain(config)
        if self.agent_keys is None:
            return values, []
        host, agents = values.pop("host", {}), values.pop("agents", {})
        section, problems = self._write(values, self.config_keys or {}, (), self.kept_keys)
        written = {}
        for name, agent in agents.items():
            written[name], faults = self._write(agent, self.agent_keys, ("agents", name))
            problems += faults
        if self.agents_key is not None and written:
            section[self.agents_key] = written
        elif self.agents_key is None:
            section.update(written)
        # The host's keys stand beside the section, which only a format with a section has.
        lost = [key for key in host if not self.section or key in self.section]
        problems += [self._lost(("host", key)) for key in lost]
        return {**host, self.section[0]: section} if self.section else section, problems

    def file_path(self, path: Path) -> Path:
        """Turn a path in canonical keys into one in the keys of the file."""
        if not path:
            return self.section
        if path[0] != "agents":
            return (*self.section, _key_of(path[0], self.config_keys), *path[1:])
        agents = () if self.agents_key is None else (self.agents_key,)
        inner = path[2:]
        if inner:
            inner = (_key_of(inner[0], self.agent_keys), *inner[1:])
        return (*self.section, *agents, *path[1:2], *inner)

    def raw_agents(self, data: Any) -> Any:
        """Give the mapping of agents as it stands in the document."""
        section, _ = self._split(data)
        if self.agents_key is None or not isinstance(section, Mapping):
            return section
        return section.get(self.agents_key)

    def _misplaced(self, host: Data) -> list[Problem]:
        if self.agents_key not in host:
            return []
        message = f"{self.title} does not read {self.agents_key} here"
        hint = f"put it under '{self.section[0]}:'"
        return [UNKNOWN_KEY.problem(message, (str(self.agents_key),), hint=hint)]

    def _split(self, data: Any) -> tuple[Any, Data]:
        if not self.section or not isinstance(data, Mapping):
            return data, {}
        (key,) = self.section
        host = {name: value for name, value in data.items() if name != key}
        section = data.get(key)
        return {} if section is None else section, host

    def _read_config(self, section: Mapping[str, Any]) -> tuple[Data, list[Problem]]:
        if self.agents_key is None:
            return {}, []
        elsewhere = {self.agents_key, *self.folded_keys}
        ours = {key: value for key, value in section.items() if key not in elsewhere}
        kept = {key: ours.pop(key) for key in self.kept_keys if key in ours}
        legacy = {key: ours.pop(key) for key in list(ours) if is_legacy(key)}
        known = (*self.kept_keys, *self.folded_keys, self.agents_key)
        values, problems = self._read(ours, self.config_keys or {}, self.section, known)
        if kept:
            values["extra"] = kept
        return {**legacy, **values}, problems

    def _read_agents(self, raw: Any) -> tuple[Any, list[Problem]]:
        if not isinstance(raw, Mapping):
            return raw, []
        agents: Data = {}
        problems: list[Problem] = []
        for name, entry in raw.items():
            agents[name] = entry
            if isinstance(entry, Mapping):
                path = self.file_path(("agents", name))
                agents[name], faults = self._read(entry, self.agent_keys or {}, path)
                problems += faults
        return agents, problems

    def _read(
        self,
        raw: Mapping[str, Any],
        keys: Mapping[str, Key],
        path: Path,
        known: Collection[str] = (),
    ) -> tuple[Data, list[Problem]]:
        values: Data = {}
        problems: list[Problem] = []
        for name, value in raw.items():
            key = keys.get(name)
            if key is None:
                problems.append(unknown_key(name, (*keys, *known), path))
            elif value is None:
                problems += self._null_problems(name, key, path)
            elif key.read is None:
                values[key.field] = value
            else:
                try:
                    values[key.field] = key.read(value)
                except SpecError as error:
                    problems += below((*path, name), error.problems)
        return values, problems

    def _null_problems(self, name: str, key: Key, path: Path) -> list[Problem]:
        if self.null == "error":
            hint = f"{self.title} takes no null; leave the key out"
            return below((*path, name), [wrong_type("a value", None, hint)])
        if key.field in ("tools", "disallowed_tools"):
            message = f"{name} is null, which {self.title} takes as if it were left out"
            hint = "leave the key out, or write [] to say none"
            problem = NULL_TOOLS.problem(message, (*path, name), hint=hint)
            return [evolve(problem, severity="warning")]
        return []

    def _write(
        self, values: Data, keys: Mapping[str, Key], path: Path, kept: Collection[str] = ()
    ) -> tuple[Data, list[Problem]]:
        names = {key.field: name for name, key in keys.items()}
        data: Data = {}
        problems: list[Problem] = []
        for field_name, value in values.items():
            if field_name == "extra":
                data |= {name: value[name] for name in value if name in kept}
                lost = [name for name in value if name not in kept]
                problems += [self._lost((*path, name)) for name in lost]
            elif field_name not in names:
                problems.append(self._lost((*path, field_name)))
            else:
                write = keys[names[field_name]].write
                try:
                    data[names[field_name]] = value if write is None else write(value)
                except ValueError:
                    problems.append(self._lost((*path, field_name), value))
        return data, problems

    def _lost(self, path: Path, value: object = None) -> Problem:
        what = path[-1] if value is None else f"{path[-1]} {quoted(value)}"
        message = f"{self.title} cannot say {what}"
        if path[0] == "agents" and path[-1] in RESTRICTING:
            hint = "without it the agent could do more; take it out of the spec if that is meant"
            return WIDENS.problem(message, path, hint=hint)
        return NOT_IN_FORMAT.problem(f"{message}; it is left out", path)


def _key_of(field_name: str | int, keys: Mapping[str, Key] | None) -> str | int:
    for name, key in (keys or {}).items():
        if key.field == field_name:
            return name
    return field_name
