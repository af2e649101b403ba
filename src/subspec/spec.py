"""What a subagent is: one definition, a configuration with several, and where they were read.

The classes are frozen, with values frozen all the way down. A value of the wrong type, a blank
prompt or a bound that is not kept raises :class:`SpecError` with every fault at once; the names of
tools and models are looked at when a file is loaded. `attrs.evolve` is the way to change one.

Fields are declared here and nowhere else. Their names are the keys of the canonical file; their
annotations are the checks (see :mod:`subspec.shapes`).
"""

import pathlib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from operator import attrgetter
from typing import Annotated, Any, Literal

from attrs import AttrsInstance, field, fields, frozen
from immutabledict import immutabledict

from subspec import facts
from subspec.hooks import HookTable
from subspec.mcp import ServerReferences
from subspec.problems import (
    BAD_AGENT_NAME,
    BLANK_DESCRIPTION,
    BLANK_PROMPT,
    WRONG_TYPE,
    Problem,
    Span,
    SpecError,
    below,
    errors_in,
    quoted,
)
from subspec.shapes import (
    AtLeast,
    Check,
    FrozenMap,
    MoreThan,
    NotBlank,
    check_of,
    freeze,
    kind,
    record,
    shape_of,
)

EffortLevel = Literal["low", "medium", "high", "xhigh", "max"]
PermissionMode = Literal[
    "default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto", "manual"
]
SessionPermissionMode = Literal[
    "default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto"
]
MemoryScope = Literal["user", "project", "local"]
SettingSource = Literal["user", "project", "local"]
Isolation = Literal["worktree", "remote"]

Text = Annotated[str, NotBlank()]
Names = tuple[str, ...]
Count = Annotated[int, AtLeast(1)]

EMPTY: FrozenMap = immutabledict()


class ToolsPreset:
    """The one mapping that stands for tools; the SDK takes any other for it too, and so for all."""

    def __call__(self, value: FrozenMap, /) -> Sequence[Problem]:
        """Check a mapping."""
        return _TOOLS_PRESET.check(value)


_TOOLS_PRESET = record(
    {"type": shape_of(Literal["preset"]), "preset": shape_of(Literal["claude_code"])},
    {},
    closed=True,
)


def _names(value: Iterable[str] | None) -> Names | None:
    if value is None:
        return None
    if isinstance(value, list | tuple):
        return tuple(value)
    # A text is iterable too, and would become a tuple of its letters.
    if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
        return value  # type: ignore[return-value]  # the check refuses it
    return tuple(value)


def _entries(value: Iterable[str | Mapping[str, Any]] | None) -> tuple[Any, ...] | None:
    return freeze(_names(value))  # type: ignore[arg-type,no-any-return]


def _frozen_map(value: Mapping[str, Any] | None) -> FrozenMap | None:
    return freeze(value)  # type: ignore[no-any-return]


def _text_or_map(value: str | Mapping[str, Any] | None) -> str | FrozenMap | None:
    return freeze(value)  # type: ignore[no-any-return]


def _names_or_map(value: Iterable[str] | Mapping[str, Any] | None) -> Names | FrozenMap | None:
    return freeze(value if isinstance(value, Mapping) else _names(value))  # type: ignore[no-any-return]


def _names_or_all(value: Iterable[str] | Literal["all"] | None) -> Names | Literal["all"] | None:
    return _names(value)


def _sources(value: Iterable[SettingSource] | None) -> tuple[SettingSource, ...] | None:
    return _names(value)  # type: ignore[return-value]  # the check looks at each


def _extra(value: Mapping[str, Any]) -> FrozenMap:
    if value is EMPTY or (not value and isinstance(value, Mapping | None)):
        return EMPTY
    return freeze(value)  # type: ignore[no-any-return]


def _agents(
    value: "Mapping[str, SubagentSpec] | None",
) -> "immutabledict[str, SubagentSpec] | None":
    if not isinstance(value, Mapping):
        return value
    return immutabledict(value) or None


@frozen
class Origin:
    """Where a spec or a configuration was read. It takes no part in equality."""

    path: pathlib.Path | None = None
    """The file, as it was named; None for text that came from no file."""

    span: Span | None = None
    """The value's place in the file; None for a whole file."""

    prompt_file: pathlib.Path | None = None
    """The file from which the prompt was read; None for a prompt in the file itself."""

    format: str | None = None
    """The name of the format: ``"agents"``, ``"holodeck"``, ``"claude_cli"``."""

    digest: str | None = None
    """SHA-256 of the bytes that were read, in hexadecimal."""

    prompt_digest: str | None = None
    """The same of the file from which the prompt was read."""

    files: tuple[tuple[pathlib.Path, str], ...] = field(default=(), repr=False)
    """For a directory, the files whose agents were taken, each with such a digest."""

    saved: dict[str, str | None] | None = field(default=None, eq=False, repr=False)
    """What :func:`subspec.save` has made of the files since, for its own use: digests by path.

    It is shared by all that is derived from one reading, and tells its own changes from those of
    others.
    """

    unknown_tools: tuple[str, ...] = field(default=(), repr=False)
    """The tools that the program of the format has no such name for."""


@frozen(repr=False)
class SubagentSpec:
    """One subagent: what a parent agent needs to know to hand it work, and what it may do.

    The first fields map one to one to ``claude_agent_sdk.AgentDefinition``; those from
    :attr:`color` on are known to Claude Code's own files and its ``--agents`` option only.

    Raises:
        SpecError: A value has the wrong type, is blank or out of range; all faults at once.
    """

    description: Annotated[str, NotBlank("subagent requires description", BLANK_DESCRIPTION)]
    """When to hand work to this agent; the parent model reads it."""

    prompt: Annotated[str, NotBlank("subagent requires a prompt that is not blank", BLANK_PROMPT)]
    """The system prompt. A prompt file has been read into it."""

    tools: Names | None = field(default=None, kw_only=True, converter=_names)
    """The tools it may use. None: all that the parent has. Empty: none at all."""

    disallowed_tools: Names | None = field(default=None, kw_only=True, converter=_names)
    """Tools that are taken away, from the inherited ones or from :attr:`tools`."""

    model: Text | None = field(default=None, kw_only=True)
    """An alias (``sonnet``, ``opus``, ``haiku``, ``inherit``, ...) or a model id. None: the
    parent's."""

    skills: Names | None = field(default=None, kw_only=True, converter=_names)
    """Skills whose text is put before the first message."""

    memory: MemoryScope | None = field(default=None, kw_only=True)
    """Where it keeps notes between runs. Setting it adds Read, Write and Edit to :attr:`tools`."""

    mcp_servers: Annotated[tuple[str | FrozenMap, ...], ServerReferences()] | None = field(
        default=None, kw_only=True, converter=_entries
    )
    """MCP servers: names, or mappings of one name to a server's configuration."""

    initial_prompt: str | None = field(default=None, kw_only=True)
    """A first message; used only when the agent runs as the main thread."""

    max_turns: Count | None = field(default=None, kw_only=True)
    """How many requests it may make, at least 1."""

    background: bool | None = field(default=None, kw_only=True)
    """Always run it in the background."""

    effort: EffortLevel | int | None = field(default=None, kw_only=True)
    """How much effort the model puts in."""

    permission_mode: PermissionMode | None = field(default=None, kw_only=True)
    """How calls of its tools are permitted."""

    color: Text | None = field(default=None, kw_only=True)
    """The colour in Claude Code's interface."""

    hooks: Annotated[FrozenMap, HookTable()] | None = field(
        default=None, kw_only=True, converter=_frozen_map
    )
    """Claude Code hooks by event, as its settings write them."""

    isolation: Isolation | None = field(default=None, kw_only=True)
    """Run it in a copy of the repository of its own."""

    omit_claude_md: bool | None = field(default=None, kw_only=True)
    """Leave the project's CLAUDE.md out of its context."""

    auto_compact_window: Annotated[int, AtLeast(facts.SMALLEST_WINDOW)] | None = field(
        default=None, kw_only=True
    )
    """Tokens after which the conversation is summed up, at least 100,000."""

    observer: str | None = field(default=None, kw_only=True)
    """The agent that watches this one."""

    observer_message: str | None = field(default=None, kw_only=True)
    """What the observer is told."""

    observe_subagents: bool | None = field(default=None, kw_only=True)
    """Whether the observer sees this agent's own subagents."""

    observe_tool_results: bool | None = field(default=None, kw_only=True)
    """Whether the observer sees the results of tools."""

    extra: FrozenMap = field(default=EMPTY, kw_only=True, converter=_extra)
    """Keys that no field models, kept where a format allows them."""

    origin: Origin | None = field(default=None, kw_only=True, eq=False, repr=False)
    """Where it was read; None for one made in Python."""

    def __attrs_post_init__(self) -> None:
        """Refuse what no runtime takes."""
        _verify(self)

    def __repr__(self) -> str:
        """Show what is set."""
        return _shown(self)


@frozen(kw_only=True, repr=False)
class ClaudeConfig:
    """A session of Claude with its subagents: every option that text can carry.

    The fields have the names of ``claude_agent_sdk.ClaudeAgentOptions``, whose documentation says
    what each does. None leaves an option at the SDK's default.

    Raises:
        SpecError: A value has the wrong type or is out of range; all faults at once.
    """

    agents: immutabledict[str, SubagentSpec] | None = field(default=None, converter=_agents)
    """The subagents by name. None when there are none, never empty."""

    model: Text | None = None
    """The model of the main thread: an alias or an id."""

    system_prompt: str | FrozenMap | None = field(default=None, converter=_text_or_map)
    """A text, or a preset: ``{type: preset, preset: claude_code, append: ...}``."""

    tools: Names | Annotated[FrozenMap, ToolsPreset()] | None = field(
        default=None, converter=_names_or_map
    )
    """The built-in tools of the session, or a preset. Without ``Agent`` no subagent is reached."""

    allowed_tools: Names | None = field(default=None, converter=_names)
    """Tools that run without asking."""

    disallowed_tools: Names | None = field(default=None, converter=_names)
    """Tools that are taken away from the session and all its subagents."""

    mcp_servers: str | FrozenMap | None = field(default=None, converter=_text_or_map)
    """MCP servers by name, or the path of a file that holds them."""

    strict_mcp_config: bool | None = None
    """Use no MCP servers but :attr:`mcp_servers`."""

    permission_mode: SessionPermissionMode | None = None
    """How calls of tools are permitted."""

    permission_prompt_tool_name: Text | None = None
    """The MCP tool that answers permission prompts."""

    skills: Names | Literal["all"] | None = field(default=None, converter=_names_or_all)
    """The skills of the main thread, or ``all``."""

    setting_sources: tuple[SettingSource, ...] | None = field(default=None, converter=_sources)
    """The settings that are loaded. Empty: none."""

    settings: Text | None = None
    """A settings file, or its JSON."""

    plugins: tuple[FrozenMap, ...] | None = field(default=None, converter=_entries)
    """Plugins: ``{type: local, path: ...}``."""

    cwd: Text | None = None
    """The working directory, relative to that of the process."""

    add_dirs: Names | None = field(default=None, converter=_names)
    """Further directories that may be used."""

    env: immutabledict[str, str] | None = field(default=None, converter=_frozen_map)
    """Environment variables for Claude Code."""

    cli_path: Text | None = None
    """The program to run as Claude Code."""

    extra_args: immutabledict[str, str | None] | None = field(default=None, converter=_frozen_map)
    """Further options of the command line, without ``--``; null for one without a value."""

    max_turns: Count | None = None
    """How many turns a query may take, at least 1."""

    max_budget_usd: Annotated[float, MoreThan(0)] | None = None
    """What a query may cost, in US dollars."""

    max_buffer_size: Count | None = None
    """How long a line from Claude Code may be, in bytes."""

    max_thinking_tokens: Annotated[int, AtLeast(0)] | None = None
    """Tokens for thinking; :attr:`thinking` is the newer way to say it."""

    thinking: FrozenMap | None = field(default=None, converter=_frozen_map)
    """How the model thinks: ``{type: adaptive}``, ``{type: enabled, budget_tokens: ...}``."""

    effort: EffortLevel | None = None
    """How much effort the model puts in."""

    fallback_model: Text | None = None
    """The model to use when the main one is not available."""

    task_budget: FrozenMap | None = field(default=None, converter=_frozen_map)
    """The budget that the model is told: ``{total: ...}``, in tokens."""

    betas: Names | None = field(default=None, converter=_names)
    """Beta features of the API."""

    output_format: FrozenMap | None = field(default=None, converter=_frozen_map)
    """The shape of the answer: ``{type: json_schema, schema: ...}``."""

    sandbox: FrozenMap | None = field(default=None, converter=_frozen_map)
    """Settings of the sandbox for commands."""

    user: Text | None = None
    """An identifier of the user."""

    client_app: str | None = None
    """The name of your program, for the API."""

    continue_conversation: bool | None = None
    """Go on with the last conversation of the directory."""

    resume: Text | None = None
    """The session to go on with."""

    resume_session_at: Text | None = None
    """The message up to which a resumed session is loaded."""

    resume_drops_turn: Text | None = None
    """The prompt whose turn a resume means to discard."""

    fork_session: bool | None = None
    """Resume into a new session."""

    session_id: Text | None = None
    """The id of the new session, a UUID."""

    session_store_flush: Literal["batched", "eager"] | None = None
    """When transcript entries are sent to a session store."""

    load_timeout_ms: Annotated[int, AtLeast(0)] | None = None
    """How long loading from a session store may take, in milliseconds."""

    include_partial_messages: bool | None = None
    """Pass on events of messages that are being written."""

    include_hook_events: bool | None = None
    """Pass on events of hooks."""

    forward_subagent_text: bool | None = None
    """Pass on the text of subagents."""

    verbatim_prompts: bool | None = None
    """Send prompts as they are, without expanding ``@path``."""

    enable_file_checkpointing: bool | None = None
    """Keep copies of changed files, to go back to."""

    extra: FrozenMap = field(default=EMPTY, converter=_extra)
    """Keys that no field models, kept where a format allows them."""

    host: FrozenMap = field(default=EMPTY, converter=_extra)
    """What else the file holds beside this configuration, such as HoloDeck's own keys."""

    origin: Origin | None = field(default=None, eq=False, repr=False)
    """Where it was read; None for one made in Python."""

    def __attrs_post_init__(self) -> None:
        """Refuse what no runtime takes."""
        _verify(self)

    def __repr__(self) -> str:
        """Show what is set."""
        return _shown(self)


def name_problems(name: object) -> list[Problem]:
    """Say why Claude Code would drop an agent of this name, if it would.

    A name with a leading ``-`` is dropped, ``__proto__`` vanishes, and nobody can ask for a blank
    one; all without a message.
    """
    if not isinstance(name, str):
        return [WRONG_TYPE.problem(f"the name of an agent must be text, not {kind(name)}")]
    if name.isascii() and name[:1].isalpha():
        return []
    problems = list(shape_of(str).check(name))
    if not name or name.isspace():
        problems.append(BAD_AGENT_NAME.problem("the name of an agent is blank"))
    elif name.startswith("-") or name == "__proto__":
        message = f"Claude Code drops an agent named {quoted(name)} without a message"
        problems.append(BAD_AGENT_NAME.problem(message, hint="give it another name"))
    return problems


def agents_problems(agents: object) -> list[Problem]:
    """Say what is wrong with a mapping of names to specs, the specs themselves aside."""
    if agents is None:
        return []
    if not isinstance(agents, Mapping):
        return [WRONG_TYPE.problem(f"must map names to subagents, not be {kind(agents)}")]
    problems = []
    for name, spec in agents.items():
        problems += below((str(name),), name_problems(name))
        if not isinstance(spec, SubagentSpec):
            wrong = WRONG_TYPE.problem(f"must be a SubagentSpec, not {kind(spec)}", (str(name),))
            problems.append(wrong)
    return problems


def _shown(instance: AttrsInstance) -> str:
    # Most of the many fields are not set, and a wall of None hides those that are.
    values = [
        f"{attribute.name}={value!r}"
        for attribute in fields(type(instance))
        if attribute.repr and (value := getattr(instance, attribute.name)) != attribute.default
    ]
    return f"{type(instance).__name__}({', '.join(values)})"


_OF_THEIR_OWN = {"agents": agents_problems, "origin": None}


@cache
def _checks(cls: type[AttrsInstance]) -> tuple[Any, list[tuple[str, Check, Any]]]:
    checks = []
    for attribute in fields(cls):
        name = attribute.name
        check = _OF_THEIR_OWN[name] if name in _OF_THEIR_OWN else check_of(attribute.type)
        if check is not None:
            checks.append((name, check, attribute.default))
    return attrgetter(*(name for name, _, _ in checks)), checks


def _verify(instance: AttrsInstance) -> None:
    getter, checks = _checks(type(instance))
    problems: list[Problem] = []
    for value, (name, check, default) in zip(getter(instance), checks, strict=True):
        if value is default or not (wrong := check(value)):
            continue
        problems += below((name,), errors_in(wrong))
    if problems:
        raise SpecError(problems)
