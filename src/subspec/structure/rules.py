"""Rules beyond types: what is well formed and still not meant, or not what happens.

A rule looks at one value. Rules run over a whole specification and over what is left of a broken
one alike, so that no fault hides another.
"""

from collections.abc import Callable, Container, Iterator, Mapping
from functools import lru_cache
from typing import Any

from subspec import models, tools
from subspec.hooks import HookTable
from subspec.mcp import ServerReferences
from subspec.problems import (
    FILE_CHOOSES_PROGRAM,
    REMOVED_TOOL,
    TOOL_RULE_IGNORED,
    UNAVAILABLE_TOOL,
    UNKNOWN_MODEL,
    UNKNOWN_TOOL,
    UNUSUAL_MODEL,
    Fix,
    Problem,
    below,
    closest,
    quoted,
)
from subspec.shapes import Constraint, FrozenMap

Rule = Callable[[Any, Container[str]], Iterator[Problem]]
"""Looks at the value of a field; the second argument names the tools of the file's host."""

Values = Callable[[str], Any]
"""Gives the value of a field by its name, None where it is not set."""


def agent_problems(values: Values, bridged: Container[str] = ()) -> list[Problem]:
    """Apply the rules to the fields of one subagent."""
    return _apply(_AGENT_RULES, values, bridged)


def session_problems(values: Values, bridged: Container[str] = ()) -> list[Problem]:
    """Apply the rules to the fields of a configuration, its agents aside."""
    return _apply(_SESSION_RULES, values, bridged)


def bridged_tools(host: object) -> frozenset[str]:
    """Name the tools that the rest of a file gives its agents: HoloDeck's top-level ``tools``."""
    entries = host.get("tools") if isinstance(host, Mapping) else None
    if not isinstance(entries, list | tuple):
        return frozenset()
    names = (entry.get("name") for entry in entries if isinstance(entry, Mapping))
    return frozenset(name for name in names if isinstance(name, str))


def _granted(entries: tuple[str, ...], bridged: Container[str]) -> Iterator[Problem]:
    for index, name, rule in _tools_in(entries, bridged):
        problem = _odd_tool(name)
        if problem is None and name in tools.NOT_FOR_SUBAGENTS:
            message = f"no subagent gets the tool {quoted(name)}; it is ignored"
            problem = UNAVAILABLE_TOOL.problem(message)
        if problem is None and rule is not None and name not in RULES_MEANT:
            problem = _ignored_rule(name, rule, f"the subagent gets all of {name}")
        if problem is not None:
            yield from below((index,), [problem])


def _taken_away(entries: tuple[str, ...], bridged: Container[str]) -> Iterator[Problem]:
    for index, name, rule in _tools_in(entries, bridged):
        problem = _odd_tool(name)
        if problem is None and rule is not None and name not in RULES_MEANT:
            problem = _ignored_rule(name, rule, f"all of {name} is taken away")
        if problem is not None:
            yield from below((index,), [problem])


def _of_session(entries: tuple[str, ...] | FrozenMap, bridged: Container[str]) -> Iterator[Problem]:
    if isinstance(entries, Mapping):  # a preset
        return
    for index, name, _rule in _tools_in(entries, bridged):
        if (problem := _odd_tool(name)) is not None:
            yield from below((index,), [problem])


RULES_MEANT = ("Agent", "Task")
"""Tools whose rules in parentheses Claude Code reads in an agent."""


def _tools_in(
    entries: tuple[str, ...], bridged: Container[str]
) -> Iterator[tuple[int, str, str | None]]:
    """Give each tool that is not plainly right: position, name and rule."""
    for index, entry in enumerate(entries):
        if entry in tools.KNOWN_BUILTIN_TOOLS or entry in bridged or tools.is_mcp(entry):
            continue
        for tool in tools.split_entry(entry) or [entry]:
            name, rule = tools.split_rule(tool)
            if not name.startswith(tools.MCP_PREFIX) and name not in bridged:
                yield index, name, rule


def _odd_tool(name: str) -> Problem | None:
    if name in tools.BUILTIN_TOOLS or name == tools.EVERY_TOOL:
        return None
    if name in tools.REMOVED:
        message = f"Claude Code no longer has the tool {quoted(name)}; it is ignored"
        return REMOVED_TOOL.problem(message)
    message = (
        f"tool {quoted(name)} is neither a known built-in"
        f" ({', '.join(sorted(tools.KNOWN_BUILTIN_TOOLS))}, ...), nor an MCP tool"
        " (mcp__<server>__<tool>), nor a bridged tool of the host"
    )
    match = _nearest_tool(name)
    hint = f"did you mean '{match}'?" if match else "Claude Code ignores a name it does not know"
    fix = Fix("replace", match, safe=False) if match else None
    return UNKNOWN_TOOL.problem(message, hint=hint, fix=fix)


@lru_cache(maxsize=1000)
def _nearest_tool(name: str) -> str | None:
    # The same foreign tools stand in file after file, and to compare names takes its time.
    return closest(name, tools.BUILTIN_TOOLS)


def _ignored_rule(name: str, rule: str, effect: str) -> Problem:
    message = f"the rule {quoted(f'({rule})')} is ignored: {effect}"
    hint = f"write {quoted(name)} if that is meant"
    return TOOL_RULE_IGNORED.problem(message, hint=hint, fix=Fix("replace", name, safe=False))


def _model(model: str, _: Container[str]) -> Iterator[Problem]:
    verdict = models.judge(model)
    if verdict == "unknown":
        match = closest(model, models.ALIASES)
        hint = f"did you mean '{match}'?" if match else f"aliases are {models.choices()}"
        fix = Fix("replace", match, safe=False) if match else None
        message = f"{quoted(model)} is not a model alias or id"
        yield UNKNOWN_MODEL.problem(message, hint=hint, fix=fix)
    elif verdict == "unusual":
        message = f"Claude Code does not know the model {quoted(model)} and sends it as it is"
        yield UNUSUAL_MODEL.problem(message)


def _ignored_keys(check: Constraint) -> Rule:
    """Make the rule that passes on what the check of a field says beside errors."""

    def rule(value: Any, _: Container[str]) -> Iterator[Problem]:
        return (problem for problem in check(value) if problem.severity != "error")

    return rule


def _program(cli_path: str, _: Container[str]) -> Iterator[Problem]:
    message = f"the file chooses the program that is run as Claude Code: {quoted(cli_path)}"
    hint = "give cli_path to build_options instead, if you did not write the file"
    yield FILE_CHOOSES_PROGRAM.problem(message, hint=hint)


_AGENT_RULES: dict[str, Rule] = {
    "tools": _granted,
    "disallowed_tools": _taken_away,
    "model": _model,
    "mcp_servers": _ignored_keys(ServerReferences()),
    "hooks": _ignored_keys(HookTable()),
}
_SESSION_RULES: dict[str, Rule] = {
    "model": _model,
    "fallback_model": _model,
    "tools": _of_session,
    "allowed_tools": _of_session,
    "disallowed_tools": _of_session,
    "cli_path": _program,
}


def _apply(rules: Mapping[str, Rule], values: Values, bridged: Container[str]) -> list[Problem]:
    problems: list[Problem] = []
    for name, rule in rules.items():
        value = values(name)
        if value is not None:
            problems += below((name,), rule(value, bridged))
    return problems
