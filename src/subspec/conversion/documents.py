"""Conversion to Claude Code's own Markdown, and to documents that hold all agents."""

import unicodedata
from collections.abc import Iterable, Mapping
from functools import partial
from pathlib import Path

from attrs import evolve, fields

from subspec.conversion.result import (
    AS_IT_IS,
    SESSION_GUARDS,
    Conversion,
    Draft,
    field_of,
    for_claude,
    kept_of,
    lost_by,
    model_for_claude,
    refused,
    said_as_far_as_possible,
    said_of,
    session_losses,
    settled,
    source_of,
    without,
)
from subspec.facts import AGENTS_DIRECTORY
from subspec.formats import CLAUDE_CODE, SPELLINGS, Format, claude_text
from subspec.formats.agent_files import with_plain_ends
from subspec.formats.claude_keys import KEYS
from subspec.formats.spelling import Lost
from subspec.problems import (
    CANNOT_READ,
    MEMORY_ADDS_TOOLS,
    SERVER_ADDS_TOOLS,
    Problem,
    SpecError,
    errors_in,
    quoted,
)
from subspec.source.emit import emit_json, emit_yaml
from subspec.source.frontmatter import BLANKS
from subspec.source.replace import Change
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.store.markdown import update_markdown
from subspec.store.reading import examine_file
from subspec.store.saving import changes_for
from subspec.store.update import agents_of
from subspec.structure.consequences import consequences

DOCUMENTS = {
    "agents": "agents.yaml",
    "claude_cli": "agents.json",
    "holodeck": "agent.yaml",
}
"""What the files are called that hold all agents, by format."""


def to_claude_code(config: ClaudeConfig, directory: Path | None) -> Conversion:
    """Say a configuration in Claude Code's own Markdown files."""
    draft = Draft(CLAUDE_CODE)
    draft.lose(None, session_losses(config, claude_text.TITLE))
    specs: dict[str, SubagentSpec] = {}
    faults: list[Problem] = []
    for name, spec in agents_of(config).items():
        called = _without_colon(name, {*specs, *agents_of(config)})
        if called != name:
            reason = f"{claude_text.TITLE} drops an agent with a colon in its name"
            draft.lose(name, [Lost("name", reason, f"it is called {quoted(called)}")])
        try:
            specs[called], losses = _as_far_as_possible(called, spec, source_of(config, spec))
        except SpecError as error:
            faults += refused(name, spec, error)
        else:
            draft.lose(name, losses)
    if faults:
        raise SpecError(faults)
    if directory is not None:
        _onto_markdown(draft, directory, specs)
        return draft.finish()
    taken: set[str] = set()
    for name, spec in specs.items():
        text, _ = claude_text.new_text(name, spec)
        chosen = claude_text.file_name(name, lambda each: each.lower() in taken)
        taken.add(chosen.lower())
        draft.add(f"{_PREFIX}{chosen}", text, None)
    return draft.finish()


def _as_far_as_possible(
    called: str, spec: SubagentSpec, source: str | None
) -> tuple[SubagentSpec, list[Lost]]:
    """Give an agent as Claude Code's own files can say it, and what is lost.

    Raises:
        SpecError: It cannot be said at all.
    """
    own, losses = for_claude(spec, claude_text.TITLE, source)
    own, lines = _without_escapes(own)
    more = lost_by(claude_text.losses_of(called, own), own.extra)
    _, made, left = said_as_far_as_possible(
        partial(claude_text.new_text, called), without(own, more), _claude_codes_field
    )
    return made, [*losses, *lines, *more, *left, *_made_of(made, source)]


def _made_of(spec: SubagentSpec, source: str | None) -> list[Lost]:
    """Say what Claude Code makes of an agent that is not what it says."""
    adds = (MEMORY_ADDS_TOOLS.name, SERVER_ADDS_TOOLS.name)
    return [
        Lost(
            str(each.path[0]),
            each.message,
            AS_IT_IS,
            # Where it is the same in the source, the agent may do nothing more.
            each.code in adds and source in SPELLINGS,
        )
        for each in errors_in(consequences(lambda name: getattr(spec, name)))
    ]


def _without_escapes(spec: SubagentSpec) -> tuple[SubagentSpec, list[Lost]]:
    """Say a description as Claude Code reads it, where a backslash and an n end a line."""
    read = spec.description.replace(claude_text.ESCAPED_LINE_END, "\n")
    if read == spec.description:
        return spec, []
    reason = rf"{claude_text.TITLE} reads '\n' as the end of a line"
    return evolve(spec, description=read), [Lost("description", reason, "a line ends there")]


def _claude_codes_field(key: str) -> str | None:
    return KEYS[key].field if key in KEYS else None


_PREFIX = f"{'/'.join(AGENTS_DIRECTORY)}/"


def _without_colon(name: str, taken: set[str]) -> str:
    called = first = unicodedata.normalize("NFKC", name).replace(":", "-")
    if ":" not in unicodedata.normalize("NFKC", name):
        return name
    number = 1
    while called in taken:
        number += 1
        called = f"{first}-{number}"
    return called


def _onto_markdown(draft: Draft, directory: Path, specs: Mapping[str, SubagentSpec]) -> None:
    is_it = directory.absolute().parts[-2:] == AGENTS_DIRECTORY
    place = directory if is_it else directory.joinpath(*AGENTS_DIRECTORY)
    prefix = "" if is_it else _PREFIX
    there = _there(place, CLAUDE_CODE)
    draft.leave(there, specs)
    wanted = {
        # The blanks around a prompt do not come back, and a byte order mark is one of them.
        name: _settled(draft, name, there.get(name), evolve(spec, prompt=spec.prompt.strip(BLANKS)))
        for name, spec in specs.items()
    }
    update = update_markdown(place, ClaudeConfig(agents=wanted))
    for change in update.changes:
        path = f"{prefix}{change.path.relative_to(place).as_posix()}"
        draft.add(path, (change.after or b"").decode(), change)
    changed = {change.path for change in update.changes}
    for name, spec in wanted.items():
        file = _file_of(there.get(name))
        if name not in there or file is None:
            continue
        path = f"{prefix}{file.relative_to(place).as_posix()}"
        if file not in changed:
            draft.add(path, file.read_bytes().decode(), None)
        draft.compare(name, path, there[name], spec)


def _there(path: Path, name: str) -> Mapping[str, SubagentSpec]:
    """Give the agents that are there already.

    Raises:
        SpecError: What is there cannot be read.
    """
    if not path.exists():
        return {}
    found = examine_file(path, name, None)
    faults = [each for each in errors_in(found.problems) if each.code != CANNOT_READ.name]
    if found.config is None or faults:
        raise SpecError(faults or found.problems)
    return agents_of(found.config)


def _file_of(spec: SubagentSpec | None) -> Path | None:
    return None if spec is None or spec.origin is None else spec.origin.path


def _settled(draft: Draft, name: str, old: SubagentSpec | None, new: SubagentSpec) -> SubagentSpec:
    new = evolve(new, prompt=with_plain_ends(new.prompt), origin=None)
    if old is None:
        return new
    kept = kept_of(old, new, set())
    draft.keep(name, kept)
    return settled(old, evolve(new, **kept))


def to_document(form: Format, config: ClaudeConfig, directory: Path | None) -> Conversion:
    """Say a configuration in a document that holds all agents."""
    draft = Draft(form.name)
    specs: dict[str, SubagentSpec] = {}
    for name, spec in agents_of(config).items():
        if form.agent_keys is None:
            losses = model_for_claude(spec, form.title)
            own = evolve(spec, model=None) if losses else spec
        else:
            own, losses = for_claude(spec, form.title, source_of(config, spec), keeps_extra=False)
        draft.lose(name, losses)
        specs[name] = evolve(own, origin=None)
    wanted = evolve(config, agents=specs, origin=None)
    data, problems = form.write(wanted)
    session = [problem for problem in problems if problem.path[0] != "agents"]
    draft.lose(None, _lost_by_session(session))
    sayable = {}
    for name, spec in specs.items():
        of_agent = (each for each in problems if each.path[:2] == ("agents", name))
        lost = lost_by(of_agent, spec.extra)
        draft.lose(name, lost)
        sayable[name] = without(spec, lost)
    path = None if directory is None else document_path(directory, DOCUMENTS[form.name])
    if path is not None and path.exists():
        unsaid = {str(each.path[0]) for each in session}
        _onto_document(draft, form.name, path, evolve(wanted, agents=sayable), unsaid)
        return draft.finish()
    as_json = form.name == "claude_cli" if path is None else path.suffix.lower() == ".json"
    text = emit_json(data) if as_json else emit_yaml(data)
    change = None if path is None else Change(path, None, text.encode())
    draft.add(DOCUMENTS[form.name] if path is None else path.name, text, change)
    return draft.finish()


def _lost_by_session(problems: Iterable[Problem]) -> list[Lost]:
    return [
        Lost(field_of(each.path), said_of(each), "it is left out", each.path[0] in SESSION_GUARDS)
        for each in problems
    ]


def _onto_document(
    draft: Draft, name: str, path: Path, config: ClaudeConfig, unsaid: set[str]
) -> None:
    """Put agents into a document that is there; what else it says stays."""
    found = examine_file(path, name, None)
    if found.config is None or errors_in(found.problems):
        raise SpecError(found.problems)
    there = agents_of(found.config)
    draft.leave(there, agents_of(config))
    agents = {
        each: _settled(draft, each, there.get(each), spec)
        for each, spec in agents_of(config).items()
    }
    session = {
        each.name: getattr(config, each.name)
        for each in fields(ClaudeConfig)
        if each.name not in ("agents", "extra", "host", "origin", *unsaid)
        and getattr(config, each.name) is not None
    }
    merged = evolve(
        found.config,
        agents={**there, **agents},
        extra={**found.config.extra, **({} if "extra" in unsaid else config.extra)},
        **session,
    )
    update = changes_for(merged, path, name, None)
    draft.changes.extend(update.changes)
    after = {each.path: each.after for each in update.changes}
    draft.files[path.name] = (after.get(path) or path.read_bytes()).decode()
    for each, spec in agents.items():
        if each in there:
            draft.compare(each, path.name, there[each], spec)
    draft.compare(None, path.name, _rest(found.config), _rest(merged))


def _rest(config: ClaudeConfig) -> ClaudeConfig:
    return evolve(config, agents=None)


def document_path(directory: Path, usual: str) -> Path:
    """Give the file that is meant: itself, or the usual one in a directory."""
    is_file = directory.suffix.lower() in (".yaml", ".yml", ".json") and not directory.is_dir()
    return directory if is_file else directory / usual
