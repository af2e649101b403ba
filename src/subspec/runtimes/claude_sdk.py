"""The objects of the Claude Agent SDK: ``AgentDefinition`` and ``ClaudeAgentOptions``.

The SDK checks nothing, and Claude Code drops every agent over a single bad one without a word. So
what leaves here has passed the checks of :mod:`subspec.spec`, which are Claude Code's own.
"""

import json
from collections.abc import Mapping
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
    has_errors,
    warn,
)
from subspec.shapes import thaw
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.tools import split_entry, split_rule

if TYPE_CHECKING:
    from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

DEFAULT_BUFFER_SIZE = 1024 * 1024
"""How long a line from Claude Code may be where ``max_buffer_size`` is not set, in bytes."""

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
"""The first release with a field of ``ClaudeAgentOptions``, for those that 0.1.54 lacks.

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
    warn(problem for name, spec in (agents or {}).items() for problem in _file_only(name, spec))
    return {name: agent_definition(spec) for name, spec in (agents or {}).items()}


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
    problems = [*_too_old(sdk.ClaudeAgentOptions, values, config), *_traps(values, config)]
    if has_errors(problems):
        raise SpecError(problems)
    warn(problems)
    options: ClaudeAgentOptions = sdk.ClaudeAgentOptions(**values)
    return options


def agent_definition(spec: SubagentSpec) -> "AgentDefinition":
    """Build one ``AgentDefinition``.

    Raises:
        ImportError: claude-agent-sdk is not installed.
        SpecError: The installed claude-agent-sdk lacks a field that is set.
    """
    sdk = _sdk()
    values = {
        camel(attribute.name): thaw(value)
        for attribute in fields(SubagentSpec)
        if attribute.name not in FILE_ONLY
        and attribute.name != "origin"
        and (value := getattr(spec, attribute.name)) is not None
    }
    if problems := _too_old(sdk.AgentDefinition, values, spec):
        raise SpecError(problems)
    definition: AgentDefinition = sdk.AgentDefinition(**values)
    return definition


def _sdk() -> Any:
    try:
        import claude_agent_sdk  # noqa: PLC0415 - half a second, for those who build only
    except ImportError as error:
        install = "pip install 'subspec[claude]'"
        msg = f"building for Claude needs claude-agent-sdk; install it with: {install}"
        raise ImportError(msg) from error
    return claude_agent_sdk


def _session_values(config: ClaudeConfig) -> dict[str, Any]:
    ours = ("agents", "extra", "host", "origin")
    return {
        attribute.name: thaw(value)
        for attribute in fields(ClaudeConfig)
        if attribute.name not in ours and (value := getattr(config, attribute.name)) is not None
    }


def _file_only(name: str, spec: SubagentSpec) -> list[Problem]:
    problems = []
    for field_name in sorted(FILE_ONLY):
        value = getattr(spec, field_name)
        for key in value if field_name == "extra" else [field_name]:
            if value is not None:
                message = f"AgentDefinition has no field for {key}; it does not reach the session"
                problems.append(NOT_IN_RUNTIME.problem(message, ("agents", name, key)))
    if spec.origin is None:
        return problems
    file = None if spec.origin.path is None else str(spec.origin.path)
    return [evolve(problem, file=file, span=spec.origin.span) for problem in problems]


def _too_old(
    cls: Any, values: dict[str, Any], source: SubagentSpec | ClaudeConfig
) -> list[Problem]:
    there = {known.name for known in dataclass_fields(cls)}
    spell = camel if isinstance(source, SubagentSpec) else str
    ours = {spell(attribute.name): attribute.name for attribute in fields(type(source))}
    file = None if source.origin is None or source.origin.path is None else str(source.origin.path)
    problems = []
    for name in sorted(values.keys() - there):
        # Any other name is a mistake in an override, which the SDK's own TypeError tells best.
        if name in ours:
            needed = SINCE.get(name, FIRST_SUPPORTED)
            message = (
                f"claude-agent-sdk {version('claude-agent-sdk')} has no {cls.__name__}.{name};"
                f" it needs {needed} or later"
            )
            hint = f"pip install 'claude-agent-sdk>={needed}'"
            problems.append(SDK_TOO_OLD.problem(message, (ours[name],), hint=hint, file=file))
    return problems


def _traps(values: dict[str, Any], config: ClaudeConfig) -> list[Problem]:
    file = None if config.origin is None or config.origin.path is None else str(config.origin.path)
    problems = [
        NOT_IN_RUNTIME.problem(f"ClaudeAgentOptions has no field for {key}; it is left out", (key,))
        for key in config.extra
    ]
    if values.get("agents"):
        problems += _unreachable(values)
        problems += _too_large(values)
    return [evolve(problem, file=file) for problem in problems]


def _unreachable(values: dict[str, Any]) -> list[Problem]:
    tools = values.get("tools")
    hint = "add 'Agent' to it"
    if isinstance(tools, list) and not _names_agent_tool(tools):
        message = "tools does not name 'Agent', so the session cannot reach its subagents"
        return [NO_AGENT_TOOL.problem(message, ("tools",), hint=hint)]
    if _names_agent_tool(values.get("disallowed_tools") or []):
        message = "disallowed_tools names 'Agent', so the session cannot reach its subagents"
        return [NO_AGENT_TOOL.problem(message, ("disallowed_tools",), hint="take it out")]
    return []


def _names_agent_tool(entries: list[str]) -> bool:
    tools = [split_rule(tool) for entry in entries for tool in split_entry(entry)]
    return any(name in ("Agent", "Task") and rule is None for name, rule in tools)


def _too_large(values: dict[str, Any]) -> list[Problem]:
    # Claude Code answers the first request with all names and descriptions, in one line of JSON.
    size = sum(
        len(json.dumps([name, agent.description], ensure_ascii=False).encode())
        for name, agent in values["agents"].items()
    )
    limit = values.get("max_buffer_size") or DEFAULT_BUFFER_SIZE
    if size <= limit:
        return []
    message = f"the descriptions of the agents take {size:,} bytes, and the SDK reads {limit:,}"
    hint = f"shorten them, or set max_buffer_size to {2 * size} or more"
    return [DESCRIPTIONS_TOO_LARGE.problem(message, ("agents",), hint=hint)]
