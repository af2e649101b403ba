"""What Claude Code makes of a subagent that is right by itself: what it ignores, adds and refuses.

Reading a file needs none of this: what the file says is kept as it says it. It is for those who ask
what will happen. A rule looks at one value or at several; like all rules it also looks at what is
left of a broken specification, so that no fault hides another.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from typing import Any

from subspec import facts, models, tools
from subspec.problems import (
    CONDITIONAL_TOOL,
    HIDDEN_TOOL,
    LONG_DESCRIPTION,
    MEMORY_ADDS_TOOLS,
    NO_EFFECT,
    NO_USABLE_TOOLS,
    RETIRED_MODEL,
    SERVER_ADDS_TOOLS,
    TOOL_PATTERN,
    Problem,
    below,
    quoted,
)
from subspec.structure.rules import Values

Rule = Callable[[Values, Container[str]], Iterator[Problem]]
"""Looks at the fields of an agent; the second argument names the tools of the file's host."""


def consequences(values: Values, bridged: Container[str] = ()) -> list[Problem]:
    """Say what Claude Code will do that the fields of a subagent do not show."""
    problems: list[Problem] = []
    for rule in _RULES:
        problems += rule(values, bridged)
    return problems


def _odd_tools(values: Values, bridged: Container[str]) -> Iterator[Problem]:
    for field in ("tools", "disallowed_tools"):
        for index, entry in enumerate(values(field) or ()):
            for name in tools.split_entry(entry):
                problem = None if name in bridged else _odd_tool(name)
                if problem is not None:
                    yield from below((field, index), [problem])


def _odd_tool(name: str) -> Problem | None:
    if name.startswith(tools.MCP_PREFIX) and not _matches_something(name):
        message = f"{quoted(name)} matches no tool: '*' can only stand for a server as a whole"
        return TOOL_PATTERN.problem(message, hint="write 'mcp__<server>__*', or name each tool")
    if name in facts.CONDITIONAL_TOOLS:
        message = f"only some sessions have the tool {quoted(name)}; in others it is ignored"
        return CONDITIONAL_TOOL.problem(message)
    return None


def _matches_something(name: str) -> bool:
    server, _, tool = name.removeprefix(tools.MCP_PREFIX).partition("__")
    return "*" not in name or ("*" not in server and tool == tools.EVERY_TOOL)


def _resolves(tool: str, bridged: Container[str]) -> bool:
    """Tell whether an agent may get something for an entry of its list of tools."""
    name, _ = tools.split_rule(tool)
    if name in bridged:
        return True
    if name.startswith(tools.MCP_PREFIX):
        return _matches_something(name)
    return name in tools.BUILTIN_TOOLS and name not in tools.NOT_FOR_SUBAGENTS


def _no_usable_tools(values: Values, bridged: Container[str]) -> Iterator[Problem]:
    listed = _listed(values)
    if not listed or tools.EVERY_TOOL in listed:
        return
    # What `memory` adds is enough to start with.
    if values("memory") is None and not any(_resolves(tool, bridged) for tool in listed):
        message = "none of these is a tool that a subagent can get: Claude Code never starts it"
        hint = "name a tool, write [] to say none, or leave the key out to say all"
        yield NO_USABLE_TOOLS.problem(message, ("tools",), hint=hint)


def _listed(values: Values) -> list[str] | None:
    """Give the tools that an agent lists, None where it lists none."""
    entries = values("tools")
    if entries is None:
        return None
    return [tool for entry in entries for tool in tools.split_entry(entry)]


def _names_in(entries: tuple[str, ...] | None) -> set[str]:
    return {
        tools.ALIASES.get(name, name)
        for entry in entries or ()
        for name, _ in map(tools.split_rule, tools.split_entry(entry))
    }


def _hidden_tools(values: Values, _: Container[str]) -> Iterator[Problem]:
    if "Bash" not in _names_in(values("tools")) - _names_in(values("disallowed_tools")):
        return
    for index, entry in enumerate(values("tools")):
        for name in facts.GONE_BESIDE_BASH.intersection(tools.split_entry(entry)):
            message = f"an agent with Bash does not get {name}: it searches with Bash"
            yield HIDDEN_TOOL.problem(message, ("tools", index), hint="leave one of them out")


def _memory_adds_tools(values: Values, _: Container[str]) -> Iterator[Problem]:
    listed = _listed(values)
    if values("memory") is None or listed is None or tools.EVERY_TOOL in listed:
        return
    names = _names_in(values("tools")) | _names_in(values("disallowed_tools"))
    added = [name for name in facts.MEMORY_TOOLS if name not in names]
    if added:
        message = f"memory gives the agent {_and(added)} too, which its tools do not list"
        hint = "list them, take them away, or leave memory out"
        yield MEMORY_ADDS_TOOLS.problem(message, ("memory",), hint=hint)


def _servers_add_tools(values: Values, _: Container[str]) -> Iterator[Problem]:
    listed = _listed(values)
    if listed is None or tools.EVERY_TOOL in listed:
        return
    for index, entry in enumerate(values("mcp_servers") or ()):
        for name in entry if isinstance(entry, Mapping) else ():
            whole = f"{tools.MCP_PREFIX}{name}"
            if whole not in listed and f"{whole}__*" not in listed:
                message = (
                    f"the agent gets every tool of {quoted(name)}, which its tools do not list"
                )
                hint = f"write '{whole}' into tools if that is meant"
                yield SERVER_ADDS_TOOLS.problem(message, ("mcp_servers", index), hint=hint)


def _and(names: list[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def _description(values: Values, _: Container[str]) -> Iterator[Problem]:
    length = len(values("description") or "")
    if length > facts.LONG_DESCRIPTION:
        message = f"a description of {length:,} characters is read with every request"
        hint = f"keep it below {facts.LONG_DESCRIPTION:,}; what is long belongs into the prompt"
        yield LONG_DESCRIPTION.problem(message, ("description",), hint=hint)


def _model(values: Values, _: Container[str]) -> Iterator[Problem]:
    model = values("model")
    new = None if model is None else models.replaced(model)
    if new is not None:
        message = f"Claude Code takes '{new}' in place of the retired model {quoted(model)}"
        hint = f"write '{new}', or an alias such as 'opus'"
        yield RETIRED_MODEL.problem(message, ("model",), hint=hint)


def _without_effect(values: Values, _: Container[str]) -> Iterator[Problem]:
    for field, does_nothing, message, hint in _WITHOUT_EFFECT:
        value = values(field)
        if value is not None and does_nothing(value):
            yield NO_EFFECT.problem(message, (field,), hint=hint)


_WITHOUT_EFFECT: tuple[tuple[str, Callable[[Any], bool], str, str], ...] = (
    (
        "effort",
        lambda effort: isinstance(effort, int),
        "Claude Code sends no effort at all for a number",
        "write low, medium, high, xhigh or max",
    ),
    (
        "background",
        lambda background: background is False,
        "false does nothing: whoever calls the agent decides",
        "leave it out",
    ),
    (
        "initial_prompt",
        lambda _: True,
        "a subagent gets no first message: only the agent of a whole session does",
        "put it into the prompt, or leave it out",
    ),
    (
        "permission_mode",
        lambda mode: mode == "bypassPermissions",
        "bypassPermissions is not honoured for a subagent, which asks as in the default mode",
        "set the mode of the session",
    ),
)
"""Fields, the values of them that do nothing, what is said then, and what to do."""

_RULES: tuple[Rule, ...] = (
    _description,
    _odd_tools,
    _no_usable_tools,
    _hidden_tools,
    _memory_adds_tools,
    _servers_add_tools,
    _model,
    _without_effect,
)
