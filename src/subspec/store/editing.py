"""Single changes of what files say, also of files that have faults elsewhere."""

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from attrs import AttrsInstance, define, evolve, field, fields, frozen

from subspec import formats
from subspec.formats import Format, Spelling
from subspec.formats.claude_code import AgentFile
from subspec.problems import (
    NOT_FAITHFUL,
    PROMPT_CONFLICT,
    Problem,
    SpecError,
    errors_in,
    has_errors,
    quoted,
)
from subspec.problems import Path as DataPath
from subspec.source import Document, read_file, read_text
from subspec.source.compare import MISSING, value_at, with_value
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.store.examine import examine_document
from subspec.store.markdown import update_markdown
from subspec.store.saving import see_no_conflict
from subspec.store.update import Source, Update, changed, rewritten, update_document
from subspec.structure import plain

SESSION_FIELDS = tuple(
    attribute.name
    for attribute in fields(ClaudeConfig)
    if attribute.name not in ("origin", "agents", "host")
)


@define
class Subject:
    """A file, or a directory of Markdown files, of which something is to be changed."""

    path: Path
    format: str | None
    prompt_root: Path | None
    data: dict[str, Any]
    """What it says, in canonical keys; where it has faults, as far as it can be made out."""

    known: tuple[Problem, ...]
    """What is wrong or odd there before anything is changed."""

    apply: "Callable[[Mapping[DataPath, Any], Mapping[str, str]], Update]"
    """Says what has to be written so that values and names are others."""

    kind: type[AttrsInstance] = SubagentSpec
    """The class of an agent, whose fields are those that can be changed."""

    own_keys: Mapping[str, DataPath] = field(factory=dict)
    """What else can be changed of an agent, by the names that its program has for it."""

    specs: tuple[SubagentSpec, ...] = ()
    """The agents of which each has a file."""

    own_lists: Collection[str] = ()
    """Which of these are lists of texts."""

    @classmethod
    def read(cls, path: Path, format: str | None, prompt_root: Path | None) -> "Subject":
        """Read it.

        Raises:
            SpecError: It cannot be read at all.
            ValueError: There is no format of that name.
        """
        spelling = formats.spelling_of(path, format)
        if spelling is not None:
            return cls._of_spelled(spelling, path, format, prompt_root)
        if formats.is_markdown(path, format):
            from subspec.formats import claude_code  # noqa: PLC0415 - for Markdown only

            files = claude_code.read_files(path)
            config, problems = claude_code.config_at(path, files)
            if path.is_file() and not config.agents:
                raise SpecError(problems)
            markdown = _Markdown(path, files, config)
            return cls(
                path,
                format,
                prompt_root,
                plain(config),
                problems,
                markdown.update,
                specs=_specs(config),
            )
        document = read_file(path)
        if formats.is_toolset(document.data, format):
            return cls._of_toolset(document, path, format)
        found = examine_document(document, path, format, prompt_root)
        if not document.readable:
            raise SpecError(found.problems)
        form = formats.detect(document.data) if format is None else formats.find(format)
        if found.config is not None and not has_errors(found.problems):
            whole = _Whole(Source(document, path, form, found.config, prompt_root))
            data = plain(found.config)
            return cls(path, format, prompt_root, data, found.problems, whole.update)
        faulty = _Faulty(document, path, form, prompt_root, found.problems)
        data = form.read(document.data)[0]
        if not isinstance(data, dict):
            raise SpecError(found.problems)
        return cls(path, format, prompt_root, data, found.problems, faulty.update)

    @classmethod
    def _of_spelled(
        cls, spelling: Spelling, path: Path, format: str | None, prompt_root: Path | None
    ) -> "Subject":
        from subspec.store.spelled import read_spelled, update_spelled  # noqa: PLC0415

        found = read_spelled(spelling, path, prompt_root)
        config = found.config
        if config is None or not config.agents:
            raise SpecError(found.problems)
        whole: ClaudeConfig = config

        def apply(edits: Mapping[DataPath, Any], renames: Mapping[str, str]) -> Update:
            return update_spelled(spelling, path, _edited(whole, edits, renames))

        own_keys: dict[str, DataPath] = {key: ("extra", key) for key in spelling.own}
        own_lists = {key for key, own in spelling.own.items() if own.is_list}
        if spelling.prompt_key is not None:
            own_keys[spelling.prompt_key] = ("prompt",)
        data = plain(whole)
        return cls(
            path,
            format,
            prompt_root,
            data,
            found.problems,
            apply,
            own_keys=own_keys,
            specs=_specs(whole),
            own_lists=own_lists,
        )

    @classmethod
    def _of_toolset(cls, document: Document, path: Path, format: str | None) -> "Subject":
        from subspec.formats.subagent_config import SubAgentSpec  # noqa: PLC0415
        from subspec.store.toolset import Toolset  # noqa: PLC0415 - for this format only

        toolset = Toolset.of(document, path)
        own_keys = {"prompt": ("instructions",)}
        return cls(path, format, None, toolset.data, (), toolset.update, SubAgentSpec, own_keys)

    @property
    def holds_session(self) -> bool:
        """Whether it is one file, which may say more than agents, and not one for each of them."""
        return not self.specs

    @property
    def agent_fields(self) -> tuple[str, ...]:
        """The fields of an agent that can be changed; its name is not among them."""
        names = (attribute.name for attribute in fields(self.kind))
        return tuple(name for name in names if name not in ("name", "origin"))

    @property
    def session_fields(self) -> tuple[str, ...]:
        """The fields of the session, where the file can say any."""
        return SESSION_FIELDS if self.kind is SubagentSpec else ()

    @property
    def agents(self) -> dict[str, Any]:
        """The agents, as plain data."""
        agents = self.data.get("agents")
        return agents if isinstance(agents, dict) else {}

    def value(self, path: DataPath) -> Any:
        """Give what stands at a path of canonical keys, :data:`MISSING` where nothing does."""
        return value_at(self.data, path)


@frozen
class _Markdown:
    """Claude Code's Markdown: a file, or what is below a directory."""

    path: Path
    files: list[AgentFile]
    config: ClaudeConfig

    def update(self, edits: Mapping[DataPath, Any], renames: Mapping[str, str]) -> Update:
        """Say what has to be written so that values and names are others."""
        # The files as they were read: another that has changed since is somebody else's matter.
        return update_markdown(self.path, _edited(self.config, edits, renames), self.files)


@frozen
class _Whole:
    """A YAML or JSON file without faults."""

    source: Source

    def update(self, edits: Mapping[DataPath, Any], renames: Mapping[str, str]) -> Update:
        """Say what has to be written so that values and names are others."""
        new = _edited(self.source.config, edits, renames)
        update = update_document(self.source, new)
        # Prompt files are read once more to be changed.
        see_no_conflict(new, update)
        return update


@frozen
class _Faulty:
    """A YAML or JSON file of which no configuration can be made: its data is changed as it is."""

    document: Document
    path: Path
    form: Format
    prompt_root: Path | None
    known: tuple[Problem, ...]

    def update(self, edits: Mapping[DataPath, Any], renames: Mapping[str, str]) -> Update:
        """Say what has to be written, and see that it makes no new faults."""
        document, form = self.document, self.form
        data, agents = document.data, form.file_path(("agents",))
        # Which of the two is meant, and which of them another program reads, nobody can tell.
        places = [*map(form.file_path, edits), *((*agents, name) for name in renames)]
        repeats = [each for place in places for each in document.repeats_on(place)]
        if repeats:
            raise SpecError(repeats)
        for old, new in renames.items():
            data = with_value(data, agents, _renamed(value_at(data, agents), old, new))
        for path, value in edits.items():
            self.see_that_it_holds_the_prompt(path)
            data = with_value(data, form.file_path(path), _in_words_of(form, path, value))
        paths = {(*agents, old): new for old, new in renames.items()}
        text = rewritten(document, data, paths)
        if text == document.text:
            return Update()
        after = read_text(text, media=document.media, file=document.file)
        found = examine_document(after, self.path, form.name, self.prompt_root)
        self.refuse_new_faults(found.problems, paths)
        return Update([changed(document, self.path, text)])

    def see_that_it_holds_the_prompt(self, path: DataPath) -> None:
        """Refuse to change a prompt that stands in a file of its own."""
        *agent, key = self.form.file_path(path)
        file = value_at(self.document.data, (*agent, "prompt_file"))
        if key == "prompt" and file is not MISSING:
            message = f"the prompt stands in the file {quoted(str(file))}"
            hint = "change it there, or mend the other faults first"
            raise SpecError([PROMPT_CONFLICT.problem(message, path, hint=hint)])

    def refuse_new_faults(
        self, problems: tuple[Problem, ...], renames: Mapping[DataPath, str]
    ) -> None:
        """Refuse errors that were not there before."""
        known = set()
        for problem in self.known:
            path = problem.path
            for old, new in renames.items():
                if path[: len(old)] == old:
                    path = (*old[:-1], new, *path[len(old) :])
            known.add((problem.code, path, problem.message))
        faults = [
            # The places are those of a text that is never written.
            evolve(problem, span=None, excerpt=None)
            for problem in errors_in(problems)
            if (problem.code, problem.path, problem.message) not in known
        ]
        if faults:
            raise SpecError(faults)


def _edited(
    config: ClaudeConfig, edits: Mapping[DataPath, Any], renames: Mapping[str, str]
) -> ClaudeConfig:
    """Make the configuration in which values are others."""
    specs = {renames.get(name, name): spec for name, spec in (config.agents or {}).items()}
    agents = {name: plain(spec) for name, spec in specs.items()}
    session = {key: value for key, value in plain(config).items() if key != "agents"}
    data: Any = {"agents": agents, **session}
    touched = {path[1] for path in edits if path[:1] == ("agents",)}
    for path, value in edits.items():
        data = with_value(data, path, value)
    agents = data.pop("agents")
    made = {}
    for name, values in agents.items():
        if name in specs and name not in touched:
            made[name] = specs[name]
            continue
        origin = specs[name].origin if name in specs else None
        try:
            given: Any = {"description": "", "prompt": "", **values}
            made[name] = SubagentSpec(**given, origin=origin)
        except SpecError as error:
            raise SpecError(
                evolve(each, path=("agents", name, *each.path)) for each in error.problems
            ) from None
    return ClaudeConfig(**data, agents=made, origin=config.origin)


def _specs(config: ClaudeConfig) -> tuple[SubagentSpec, ...]:
    return tuple((config.agents or {}).values())


def _renamed(agents: Any, old: str, new: str) -> dict[str, Any]:
    return {(new if name == old else name): agent for name, agent in agents.items()}


def _in_words_of(form: Format, path: DataPath, value: Any) -> Any:
    """Give a value as a format says it."""
    first, *rest = path
    of_agent = first == "agents" and len(rest) > 1
    keys, name = (form.agent_keys, rest[1]) if of_agent else (form.config_keys, first)
    key = next((key for key in (keys or {}).values() if key.field == name), None)
    if value is MISSING or key is None or key.write is None:
        return value
    try:
        return key.write(value)
    except ValueError:
        message = f"{form.title} cannot say {quoted(value)}"
        raise SpecError([NOT_FAITHFUL.problem(message, path)]) from None
