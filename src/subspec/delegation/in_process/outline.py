"""What a spec says to an agent of Pydantic AI that is made from it, and what it says to nobody."""

from typing import Any

from attrs import field, frozen
from immutabledict import immutabledict

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.vocabulary import ToolFilter
from subspec.problems import NOT_IN_RUNTIME, Problem
from subspec.pydantic_ai import SubAgentSpec
from subspec.spec import Origin, SubagentSpec

UNHEEDED = {
    SubagentSpec: frozenset(
        """
        auto_compact_window background effort extra hooks isolation mcp_servers memory
        observe_subagents observe_tool_results observer observer_message permission_mode skills
        """.split()
    ),
    SubAgentSpec: frozenset(
        """
        can_ask_questions contain_errors context_files max_questions max_retries on_failure
        retry_backoff_multiplier retry_initial_delay retry_jitter retry_max_delay
        """.split()
    ),
}
"""Fields that would change how an agent works, and that nothing in this process heeds.

Those that are in neither place are for others: how to show the agent, when to choose it.
"""


@frozen(kw_only=True)
class Outline:
    """What an agent is made with, whichever kind of spec says it."""

    name: str | None = None
    """What the agent is called, in traces."""

    instructions: str | None = None
    """Its system prompt."""

    model: str | None = None
    """The name of its model; None for the parent's."""

    tool_filter: ToolFilter | Absent = ABSENT
    """Which of the parent's tools it keeps."""

    max_turns: int | None = None
    """How many requests it may make."""

    arguments: immutabledict[str, Any] = field(default=immutabledict())
    """Further arguments of Pydantic AI's ``Agent``."""


def outline_of(spec: SubagentSpec | SubAgentSpec | None) -> Outline:
    """Give what an agent is made with; None stands for an agent of which nothing is said."""
    if spec is None:
        return Outline()
    if isinstance(spec, SubAgentSpec):
        return Outline(
            name=spec.name,
            instructions=spec.instructions or None,
            model=spec.model,
            arguments=spec.agent_kwargs or immutabledict(),
        )
    allow, deny = (
        ABSENT if names is None else list(names) for names in (spec.tools, spec.disallowed_tools)
    )
    return Outline(
        instructions=spec.prompt,
        model=spec.model,
        tool_filter=ABSENT if allow is deny is ABSENT else ToolFilter(allow=allow, deny=deny),
        max_turns=spec.max_turns,
    )


def unheeded(spec: SubagentSpec | SubAgentSpec | None) -> list[Problem]:
    """Name what a spec sets that is not heeded in this process."""
    if spec is None:
        return []
    keys = [
        key
        for key in sorted(UNHEEDED[type(spec)])
        if (value := getattr(spec, key)) is not None and value is not False and value != {}
    ]
    origin = spec.origin or Origin()
    file = None if origin.path is None else str(origin.path)
    return [
        NOT_IN_RUNTIME.problem(
            f"a child in this process does not heed {key}", (key,), file=file, span=origin.span
        )
        for key in keys
    ]
