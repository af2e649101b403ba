"""opencode: Markdown files, one agent each; the name of the file is that of the agent.

.. code-block:: markdown

    ---
    description: Analyses data and finds outliers.
    mode: subagent
    tools:
      "*": false
      read: true
      db_query: true
    ---

    You analyse data.

``tools`` maps names to true and false: what is not named stays as it is, so a list of what an agent
may use begins with ``"*": false``. Other keys go to the provider of the model as its options.
"""

import re
from collections.abc import Mapping
from typing import Any

from attrs import evolve

from subspec.formats.spelling import (
    Context,
    Key,
    Own,
    Reading,
    Said,
    Spelling,
    Written,
    always,
    if_true,
    lost,
)
from subspec.formats.tool_keys import (
    kept_names,
    losses_of_denials,
    losses_of_tools,
    no_tool,
    one_of_all,
)
from subspec.formats.tool_names import Server, Tool, ToolNames
from subspec.formats.values import (
    check_flag,
    check_map,
    check_number,
    check_text,
    check_words,
    model,
    same,
)
from subspec.problems import NOT_A_CHOICE, Fix, Problem, SpecError, below, quoted
from subspec.shapes import shape_of, wrong_type
from subspec.source.compare import MISSING
from subspec.tools import EVERY_TOOL

_MCP = re.compile(r"([A-Za-z0-9-]+)_(.+)", re.DOTALL)
_FLAG = shape_of(bool)
_ACTIONS = ("ask", "allow", "deny")


def _read_server(name: str) -> Server | None:
    match = _MCP.fullmatch(name)
    if match is None:
        return None
    return match[1], None if match[2] == "*" else match[2]


def _write_server(server: str, tool: str | None) -> str | None:
    name = f"{server}_{tool or '*'}"
    return name if _read_server(name) == (server, tool) else None


TOOLS = ToolNames(
    (
        Tool("read", ("Read",)),
        Tool("edit", ("Edit", "Write"), ("MultiEdit", "NotebookEdit"), ("write", "patch")),
        Tool("bash", ("Bash",)),
        Tool("glob", ("Glob",)),
        Tool("grep", ("Grep",)),
        Tool("list", ("LS",)),
        Tool("webfetch", ("WebFetch",)),
        Tool("websearch", ("WebSearch",)),
        Tool("todowrite", ("TodoWrite",)),
        Tool("task", ("Agent",)),
        Tool("skill", ("Skill",)),
        Tool("lsp", ("LSP",)),
        Tool("question", ("AskUserQuestion",)),
    ),
    own=frozenset(
        """
        todoread external_directory doom_loop codesearch batch apply_patch multiedit invalid
        plan_enter plan_exit
        """.split()
    ),
    read_server=_read_server,
    write_server=_write_server,
)


def _read_tools(value: Any) -> Reading:
    if not isinstance(value, Mapping):
        hint = "write 'NAME: true' or 'NAME: false' for each, and '\"*\": false' before them"
        raise SpecError([wrong_type("a mapping of tools to true and false", value, hint)])
    problems = [each for name in value for each in below((name,), _FLAG.check(value[name]))]
    if problems:
        raise SpecError(problems)
    is_list = False
    allowed: dict[str, bool] = {}
    for name, flag in value.items():
        if name == EVERY_TOOL:
            # The last rule that fits wins, so it overrides what stands before it.
            is_list, allowed = not flag, {}
            continue
        for each in TOOLS.read([name]):
            allowed[each] = flag
    found: dict[str, Any] = {}
    if is_list:
        found["tools"] = tuple(name for name, flag in allowed.items() if flag)
    denied = tuple(name for name, flag in allowed.items() if not flag)
    if denied:
        found["disallowed_tools"] = denied
    return found, [each for name in value for each in _odd(name, value, denied=not value[name])]


def _odd(name: str, rules: Mapping[str, Any], *, denied: bool) -> list[Problem]:
    """Say that a name among rules is no tool, if it looks like a slip: tools may have any name."""
    if TOOLS.may_be(name):
        return []
    problem = no_tool(TOOLS, name, (name,), denied=denied)
    meant = TOOLS.meant_by(name)
    return [evolve(problem, fix=None if meant in rules else Fix("rename", meant, safe=False))]


def _write_tools(said: Said, context: Context) -> Written:
    wanted, denied = said.get("tools"), said.get("disallowed_tools")
    written: dict[str, bool] = {}
    losses = []
    if wanted is not None:
        found = TOOLS.write(wanted, kept_names(wanted, context))
        written = {EVERY_TOOL: False, **dict.fromkeys(found.names, True)}
        losses += losses_of_tools("tools", found, context.title)
    elif isinstance(context.written, Mapping) and EVERY_TOOL not in context.written:
        written = {name: True for name, flag in context.written.items() if flag is True}
    if denied is not None:
        found = TOOLS.write(denied, kept_names(denied, context))
        losses += losses_of_denials(found, context.title)
        if not denied:
            reason = "to take nothing away goes without saying"
            losses.append(lost("disallowed_tools", reason, widens=False))
        both = [name for name in found.names if written.get(name)]
        if both and wanted is not None:
            reason, instead = f"{one_of_all(both)} is taken away as well", "it is taken away"
            losses.append(lost("tools", reason, instead, widens=False))
        written |= dict.fromkeys(found.names, False)
    return written or MISSING, losses


def _check_permission(value: Any) -> list[Problem]:
    if isinstance(value, str):
        return check_words(*_ACTIONS)(value)
    problems = check_map(value)
    for name, rule in value.items() if not problems else ():
        rules = rule.values() if isinstance(rule, Mapping) else [rule]
        problems += _odd(name, value, denied=any(each in ("ask", "deny") for each in rules))
        for each in rules:
            if each not in _ACTIONS:
                message = f"must be 'ask', 'allow' or 'deny', not {quoted(each)}"
                problems.append(NOT_A_CHOICE.problem(message, (name,)))
    return problems


_MAYS = "what it denies is allowed"

SPELLING = Spelling(
    name="opencode",
    title="opencode",
    source="https://github.com/anomalyco/opencode, packages/core/src/v1/config/agent.ts",
    seen="2026-08",
    medium="markdown",
    directories=((".opencode", "agents"), (".opencode", "agent")),
    suffix=".md",
    is_deep=True,
    needs_name=False,
    names_file=True,
    repairs=True,
    unknown="kept",
    passed=frozenset({"top_k", "topK"}),
    defaults={"mode": "subagent"},
    keys={
        "description": same("description"),
        "model": model(ids=r"[^\s/]+/\S+"),
        "tools": Key(("tools", "disallowed_tools"), _read_tools, _write_tools, TOOLS),
        "steps": same("max_turns"),
    },
    own={
        "mode": Own(check=check_words("subagent", "primary", "all")),
        "permission": Own(restricts=True, check=_check_permission),
        "temperature": Own(check=check_number, is_harmless=always, means="temperature"),
        "top_p": Own(check=check_number, is_harmless=always),
        "variant": Own(check=check_text, is_harmless=always),
        "color": Own(check=check_text, is_harmless=always),
        "maxSteps": Own(restricts=True, check=check_number),
        "disable": Own(if_true, check_flag, is_harmless=if_true),
        "hidden": Own(check=check_flag, is_harmless=always),
        "options": Own(check=check_map),
    },
    ignored={
        "permissions": _MAYS,
        "disallowedTools": "no tool is taken away",
        "allowed-tools": "the agent gets every tool",
        "permissionMode": "the agent runs with the permissions of the session",
        "maxTurns": "nothing ends its run",
    },
)
"""opencode's agents."""
