"""The options of a session of Claude Code that runs as a child."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, final

from attrs import evolve

from subspec import facts
from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.claude_code.session import ClaudeSession
from subspec.delegation.errors import DelegationError, ErrorCode
from subspec.delegation.vocabulary import (
    AgentOptions,
    Capabilities,
    Names,
    StartRequest,
    ToolFilter,
)
from subspec.problems import one_of
from subspec.runtimes.claude_sdk import agent_definition, build_options
from subspec.shapes import kind, thaw
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.tools import ALIASES, EVERY_TOOL, split_entry, split_rule

if TYPE_CHECKING:
    from claude_agent_sdk import AgentDefinition, ClaudeAgentOptions

CHILD = "subspec-child"
"""The name by which Claude Code is told the spec. No file that people write has it."""

OURS = frozenset(
    {
        "continue_conversation",
        "fork_session",
        "output_format",
        "resume",
        "resume_drops_turn",
        "resume_session_at",
        "session_id",
    }
)
"""Options that go by the request."""


@final
class ChildOptions:
    """Makes the options for one child after another."""

    def __init__(
        self, spec: SubagentSpec | None, overrides: Mapping[str, Any], *, fork: bool
    ) -> None:
        """Look at what all children have in common.

        Raises:
            ImportError: claude-agent-sdk is not installed.
            SpecError: It lacks something that is needed.
            TypeError: An override is no option, or one that goes by the request.
        """
        if taken := OURS & overrides.keys():
            msg = f"{one_of(sorted(taken))} cannot be set: it goes by the request"
            raise TypeError(msg)
        self._overrides = {"verbatim_prompts": True, **overrides}
        self._definition = None if spec is None else _definition(spec)
        self._tools = None if spec is None else _closed_tools(spec)
        self._config = ClaudeConfig() if spec is None else _session(spec)
        # What the installed release lacks should show now.
        self._build(resume_session_at="" if fork else None)

    @property
    def name(self) -> str | None:
        """How the child's definition is called, or None when it has none."""
        return None if self._definition is None else CHILD

    @property
    def capabilities(self) -> Capabilities:
        """What can be heeded."""
        prompt = self._overrides.get("system_prompt")
        return Capabilities(
            output_schema=True,
            depth_limit=True,
            tool_filter=self._tools is not None,
            # A prompt that Claude Code reads from a file cannot be added to.
            persona=self._definition is not None
            or not (isinstance(prompt, Mapping) and prompt.get("type") == "file"),
        )

    def make(self, request: StartRequest) -> "ClaudeAgentOptions":
        """Make the options for a request.

        Raises:
            DelegationError: ``UNKNOWN_TOOL``. ``UNSUPPORTED_CAPABILITY``: it asks for a provider of
                models, which Claude Code has none of, or its conversation is no session of Claude.
        """
        options = self._build(**_resumed(request.conversation), **_shaped(request))
        _choose_model(options, request.agent_options)
        if request.max_depth is not ABSENT:
            options.disallowed_tools = [*options.disallowed_tools, *sorted(facts.DELEGATING_TOOLS)]
        options.extra_args = {**options.extra_args, "no-session-persistence": None}
        definition = self._defined(request)
        if definition is not None:
            options.agents = {**(options.agents or {}), CHILD: definition}
            options.extra_args["agent"] = CHILD
        elif request.persona is not ABSENT:
            options.system_prompt = _introduced(request.persona, options.system_prompt)
        return options

    def _build(self, **values: Any) -> "ClaudeAgentOptions":
        given = {name: value for name, value in values.items() if value is not None}
        return build_options(self._config, **self._overrides, **given)

    def _defined(self, request: StartRequest) -> "AgentDefinition | None":
        if self._definition is None:
            return None
        prompt, tools = self._definition.prompt, self._definition.tools
        if request.persona is not ABSENT:
            prompt = f"{request.persona}\n\n{prompt}"
        if request.tool_filter is not ABSENT and self._tools is not None:
            kept = _kept(request.tool_filter, self._tools)
            tools = [tool for name in kept for tool in self._tools[name]]
        if request.output_schema is not ABSENT and tools is not None:
            tools = [*tools, facts.ANSWER_TOOL]
        return replace(self._definition, prompt=prompt, tools=tools)


def _definition(spec: SubagentSpec) -> "AgentDefinition":
    # These are for agents that a person talks to, or that their parent need not wait for.
    return agent_definition(evolve(spec, initial_prompt=None, background=None))


def _session(spec: SubagentSpec) -> ClaudeConfig:
    """Say for the whole session what Claude Code reads of no definition that runs as one."""
    mode = "default" if spec.permission_mode == "manual" else spec.permission_mode
    return ClaudeConfig(
        # An effort in numbers is none that is sent.
        effort=spec.effort if isinstance(spec.effort, str) else None,
        max_turns=spec.max_turns,
        # A definition may not let everything pass; whoever starts it may.
        permission_mode=None if mode == "bypassPermissions" else mode,
    )


def _closed_tools(spec: SubagentSpec) -> dict[str, list[str]] | None:
    """Give the tools that a child has, when it is certain that it has no others.

    Each comes by its name, as the spec writes it: a rule such as that of ``Agent(helper)`` counts.
    """
    tools = _by_name(spec.tools or ())
    adds = spec.memory is not None or spec.mcp_servers is not None
    if spec.tools is None or EVERY_TOOL in tools or adds:
        return None
    gone = _by_name(spec.disallowed_tools or ())
    return {name: written for name, written in tools.items() if name not in gone}


def _by_name(entries: Iterable[str]) -> dict[str, list[str]]:
    tools: dict[str, list[str]] = {}
    for entry in entries:
        for tool in split_entry(entry):
            tools.setdefault(_name(split_rule(tool)[0]), []).append(tool)
    return tools


def _name(name: str) -> str:
    return ALIASES.get(name, name)


def _kept(tool_filter: ToolFilter, tools: Iterable[str]) -> Names:
    """Give the tools that a filter leaves; it may call them by their other names too."""
    lists = {"allow": tool_filter.allow, "deny": tool_filter.deny}
    ours = {
        key: names if names is ABSENT else [_name(name) for name in names]
        for key, names in lists.items()
    }
    return ToolFilter(**ours).kept(tools)


def _resumed(conversation: Any) -> dict[str, Any]:
    if conversation is ABSENT:
        return {}
    if not isinstance(conversation, ClaudeSession):
        message = f"the conversation must be a ClaudeSession, not {kind(conversation)}"
        raise DelegationError(ErrorCode.UNSUPPORTED_CAPABILITY, message)
    return {
        "resume": conversation.session_id,
        "fork_session": True,
        "resume_session_at": conversation.until,
    }


def _shaped(request: StartRequest) -> dict[str, Any]:
    if request.output_schema is ABSENT:
        return {}
    return {"output_format": {"type": "json_schema", "schema": thaw(request.output_schema)}}


def _choose_model(options: "ClaudeAgentOptions", wanted: AgentOptions | Absent) -> None:
    if wanted is ABSENT:
        return
    if wanted.provider is not ABSENT:
        message = "Claude Code does not let its provider of models be chosen by agent_options"
        raise DelegationError(ErrorCode.UNSUPPORTED_CAPABILITY, message)
    if wanted.model is not ABSENT:
        options.model = wanted.model
    if wanted.max_tokens is not ABSENT:
        options.env = {**options.env, facts.OUTPUT_LIMIT: str(wanted.max_tokens)}


def _introduced(persona: str, prompt: Any) -> Any:
    """Put a persona before a system prompt; a preset has a place for it after its own."""
    if prompt is None:
        return persona
    if isinstance(prompt, str):
        return f"{persona}\n\n{prompt}"
    key = "append" if prompt["type"] == "preset" else "prompt"
    return {**prompt, key: f"{persona}\n\n{prompt[key]}" if key in prompt else persona}
