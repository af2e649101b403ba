"""The objects of the Claude Agent SDK: ``AgentDefinition`` and ``ClaudeAgentOptions``.

The SDK checks nothing, and Claude Code drops every agent over a single bad one without a word. So
what leaves here has passed the checks of :mod:`subspec.spec`, which are Claude Code's own.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import fields as dataclass_fields
from importlib.metadata import version
from typing import TYPE_CHECKING, Any

from attrs import evolve, fields

from subspec.formats.claude_cli import camel
from subspec.problems import (
    DESCRIPTIONS_TOO_LARGE,
    NO_AGENT_TOOL,
    NOT_IN_RUNTIME,
    SDK_TOO_OLD,
    Problem,
    SpecError,
    below,
    has_errors,
    warn,
)
from subspec.shapes import thaw
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.tools import split_entry, split_rule

if TYPE_CHECKING:
    from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

DEFAULT_BUFFER_SIZE = 1024 * 1024
"""How long a line from Claude Code may be where ``max_buffer_size`` is not set."""

FIRST_SUPPORTED = "0.1.54"
"""The first release of claude-agent-sdk that has every field of ``AgentDefinition``."""

FILE_ONLY = frozenset(
    {
        "color",
        "hooks",
        "isolation",
        "omit_claude_md",
        "auto_compact_window",
        "observer",
        "observer_message",
        "observe_subagents",
        "observe_tool_results",
        "extra",
    }
)
"""Fields of a spec that ``AgentDefinition`` has no field for."""

NOT_TEXT = frozenset({"can_use_tool", "debug_stderr", "hooks", "session_store", "stderr"})
"""Fields of ``ClaudeAgentOptions`` that hold live objects: give them to :func:`build_options`."""

SINCE = {
    "session_id": "0.1.52",
    "skills": "0.1.62",
    "load_timeout_ms": "0.1.64",
    "session_store_flush": "0.1.73",
    "strict_mcp_config": "0.1.74",
    "include_hook_events": "0.1.74",
    "resume_session_at": "0.2.137",
    "resume_drops_turn": "0.2.137",
    "forward_subagent_text": "0.2.140",
    "verbatim_prompts": "0.2.158",
    "client_app": "0.2.181",
}
"""The first release with a field of ``ClaudeAgentOptions``, for those that came late.

Source: the SDK's releases. ``AgentDefinition`` has had all of its fields since 0.1.54.
"""


def build_agents(config: ClaudeConfig | Mapping[str, SubagentSpec]) -> "dict[str, AgentDefinition]":
    """Build what ``ClaudeAgentOptions(agents=...)`` takes.

    Fields map one to one: what is None stays None, an empty list stays an empty list.

    Args:
        config: A configuration, or a mapping of names to specs. Without agents the result is empty.

    Raises:
        ImportError: claude-agent-sdk is not installed.
        SpecError: The installed claude-agent-sdk lacks a field that is set, or a name is one that
            Claude Code drops.

    Warns:
        SpecWarning: A spec sets what only Claude Code's own files can say.
    """
    agents = (config if isinstance(config, ClaudeConfig) else ClaudeConfig(agents=config)).agents
    definitions, problems = {}, []
    for name, spec in (agents or {}).items():
        definitions[name], found = _definition(spec)
        problems += below(("agents", name), found)
    _settle(problems)
    return definitions


def build_options(config: ClaudeConfig, **overrides: Any) -> "ClaudeAgentOptions":
    """Build the options of a session, its agents among them.

    Args:
        config: A configuration.
        overrides: Fields of ``ClaudeAgentOptions``, in place of what the configuration says. This
            is the way in for what no file can hold: ``can_use_tool=``, ``hooks=``,
            in-process ``mcp_servers=``.

    Raises:
        ImportError: claude-agent-sdk is not installed.
        SpecError: The installed claude-agent-sdk lacks a field that is set; or the descriptions of
            the agents do not fit into ``max_buffer_size``, so that no session could begin.
        TypeError: An override is no field of ``ClaudeAgentOptions``.

    Warns:
        SpecWarning: Something is set that cannot reach the session, or keeps the subagents from it.
    """
    sdk = _sdk()
    values = _session_values(config)
    if config.agents is not None and "agents" not in overrides:
        values["agents"] = build_agents(config)
    values |= overrides
    ours = {name: name for name in _SESSION_FIELDS}
    problems = [*_too_old(sdk.ClaudeAgentOptions, values, ours), *_traps(values, config)]
    _settle([evolve(problem, file=_file_of(config)) for problem in problems])
    options: ClaudeAgentOptions = sdk.ClaudeAgentOptions(**values)
    return options


def agent_definition(spec: SubagentSpec) -> "AgentDefinition":
    """Build one ``AgentDefinition``.

    Raises:
        ImportError: claude-agent-sdk is not installed.
        SpecError: The installed claude-agent-sdk lacks a field that is set.

    Warns:
        SpecWarning: The spec sets what only Claude Code's own files can say.
    """
    definition, problems = _definition(spec)
    _settle(problems)
    return definition


def _definition(spec: SubagentSpec) -> "tuple[AgentDefinition, list[Problem]]":
    sdk = _sdk()
    values = {
        camel(attribute.name): thaw(value)
        for attribute in fields(SubagentSpec)
        if attribute.name not in FILE_ONLY
        and attribute.name != "origin"
        and (value := getattr(spec, attribute.name)) is not None
    }
    ours = {camel(attribute.name): attribute.name for attribute in fields(SubagentSpec)}
    problems = [*_file_only(spec), *_too_old(sdk.AgentDefinition, values, ours)]
    there = {known.name for known in dataclass_fields(sdk.AgentDefinition)}
    definition = sdk.AgentDefinition(**{key: values[key] for key in values if key in there})
    span = None if spec.origin is None else spec.origin.span
    return definition, [evolve(each, file=_file_of(spec), span=span) for each in problems]


def _settle(problems: list[Problem]) -> None:
    if has_errors(problems):
        raise SpecError(problems)
    warn(problems)


def _sdk() -> Any:
    try:
        import claude_agent_sdk  # noqa: PLC0415 - half a second, for those who build only
    except ImportError as error:
        install = "pip install 'subspec[claude]'"
        msg = f"building for Claude needs claude-agent-sdk; install it with: {install}"
        raise ImportError(msg) from error
    return claude_agent_sdk


_SESSION_FIELDS = [
    attribute.name
    for attribute in fields(ClaudeConfig)
    if attribute.name not in ("agents", "extra", "host", "origin")
]


def _session_values(config: ClaudeConfig) -> dict[str, Any]:
    return {
        name: thaw(value)
        for name in _SESSION_FIELDS
        if (value := getattr(config, name)) is not None
    }


def _file_only(spec: SubagentSpec) -> list[Problem]:
    keys: list[str] = []
    for name in sorted(FILE_ONLY):
        value = getattr(spec, name)
        if value is not None:
            keys += value if name == "extra" else [name]
    return [
        NOT_IN_RUNTIME.problem(
            f"AgentDefinition has no field for {key}; it does not reach the session", (key,)
        )
        for key in keys
    ]


def _file_of(source: SubagentSpec | ClaudeConfig) -> str | None:
    if source.origin is None or source.origin.path is None:
        return None
    return str(source.origin.path)


def _too_old(cls: Any, values: dict[str, Any], ours: Mapping[str, str]) -> list[Problem]:
    """Refuse values that the installed class has no field for; `ours` maps its names to ours."""
    there = {known.name for known in dataclass_fields(cls)}
    problems = []
    # Any other name is a mistake in an override, which the SDK's own TypeError tells best.
    for name in sorted(values.keys() & ours.keys() - there):
        needed = SINCE.get(name, FIRST_SUPPORTED)
        message = (
            f"claude-agent-sdk {version('claude-agent-sdk')} has no {cls.__name__}.{name};"
            f" it needs {needed} or later"
        )
        hint = f"pip install 'claude-agent-sdk>={needed}'"
        problems.append(SDK_TOO_OLD.problem(message, (ours[name],), hint=hint))
    return problems


def _traps(values: dict[str, Any], config: ClaudeConfig) -> list[Problem]:
    problems = [
        NOT_IN_RUNTIME.problem(f"ClaudeAgentOptions has no field for {key}; it is left out", (key,))
        for key in config.extra
    ]
    if values.get("agents"):
        problems += _unreachable(values)
        problems += _too_large(values)
    return problems


def _unreachable(values: dict[str, Any]) -> list[Problem]:
    tools = values.get("tools")
    if isinstance(tools, list) and "default" not in tools and None not in _agent_rules(tools):
        message = "tools does not name 'Agent', so the session cannot reach its subagents"
        return [NO_AGENT_TOOL.problem(message, ("tools",), hint="add 'Agent' to it")]
    if {None, "", "*"} & {*_agent_rules(values.get("disallowed_tools") or [])}:
        message = "disallowed_tools names 'Agent', so the session cannot reach its subagents"
        return [NO_AGENT_TOOL.problem(message, ("disallowed_tools",), hint="take it out")]
    return []


def _agent_rules(entries: list[str]) -> Iterator[str | None]:
    """Give the rules with which a list names the tool for subagents, None where it is bare."""
    for entry in entries:
        for tool in split_entry(entry):
            name, rule = split_rule(tool)
            if name in ("Agent", "Task"):
                yield rule


def _too_large(values: dict[str, Any]) -> list[Problem]:
    # Claude Code answers the first request with all names and descriptions, in one line of JSON,
    # and the SDK counts its characters.
    size = sum(
        len(json.dumps([name, agent.description], ensure_ascii=False))
        for name, agent in values["agents"].items()
    )
    limit = values.get("max_buffer_size") or DEFAULT_BUFFER_SIZE
    if size <= limit:
        return []
    message = (
        f"the descriptions of the agents take {size:,} characters, and the SDK reads {limit:,}"
    )
    hint = f"shorten them, or set max_buffer_size to {2 * size} or more"
    return [DESCRIPTIONS_TOO_LARGE.problem(message, ("agents",), hint=hint)]
