"""Qwen Code: Markdown files, one agent each.

.. code-block:: markdown

    ---
    name: analyst
    description: Analyses data and finds outliers.
    tools: [read_file, mcp__db__query]
    approvalMode: plan
    ---

    You analyse data, and say what is odd.

An empty list of tools means all of them there, so no tools at all cannot be said.
"""

import re

from subspec import facts
from subspec.formats.server_keys import Servers
from subspec.formats.spelling import Key, Own, Spelling
from subspec.formats.tool_keys import ToolList, denied_tools
from subspec.formats.tool_names import Tool, ToolNames, server_of
from subspec.formats.values import (
    check_map,
    choice,
    model,
    same,
)
from subspec.source.compare import MISSING

SHORTEST_PROMPT = 10
"""How long a prompt has to be, in characters."""

_NAME = re.compile(r"[^\W_](?:[\w-]{0,48}[^\W_])")
_NOT_IN_NAME = re.compile(r"[^\w-]+")
_RESERVED = frozenset("config default model self system tool user".split())
_LONGEST_NAME = 50


def _name_fault(name: str) -> str | None:
    if name.lower() in _RESERVED:
        return "that name is reserved"
    if _NAME.fullmatch(name) is None:
        return "a name has 2 to 50 letters, digits, '-' and '_', and begins and ends with no dash"
    return None


def _fitting(name: str) -> str:
    found = _NOT_IN_NAME.sub("-", name)[:_LONGEST_NAME].strip("-_")
    return found if _name_fault(found) is None else f"agent-{found}".strip("-_")[:_LONGEST_NAME]


def _prompt_fault(prompt: str) -> str | None:
    if len(prompt.strip()) >= SHORTEST_PROMPT:
        return None
    return f"a prompt has {SHORTEST_PROMPT} characters at least"


def _write_server(server: str, tool: str | None) -> str:
    return f"mcp__{server}__{tool}" if tool is not None else f"mcp__{server}"


TOOLS = ToolNames(
    (
        Tool("read_file", ("Read",), (), ("ReadFile",)),
        Tool("edit", ("Edit",), (), ("Edit", "replace")),
        Tool("write_file", ("Write",), (), ("WriteFile",)),
        Tool("run_shell_command", ("Bash",), (), ("Shell",)),
        Tool("glob", ("Glob",), (), ("Glob", "FindFiles")),
        Tool("grep_search", ("Grep",), (), ("Grep", "SearchFiles", "search_file_content")),
        Tool("list_directory", ("LS",), (), ("ListFiles", "ReadFolder")),
        Tool("web_fetch", ("WebFetch",), (), ("WebFetch",)),
        Tool("web_search", ("WebSearch",), (), ("WebSearch",)),
        Tool("todo_write", ("TodoWrite",), (), ("TodoWrite",)),
        Tool("agent", ("Agent",), (), ("Agent", "task", "Task")),
        Tool("skill", ("Skill",), (), ("Skill",)),
        Tool("lsp", ("LSP",), (), ("Lsp",)),
        Tool("exit_plan_mode", ("ExitPlanMode",), (), ("ExitPlanMode",)),
        Tool("ask_user_question", ("AskUserQuestion",), (), ("AskUserQuestion",)),
        Tool("task_create", ("TaskCreate",), (), ("TaskCreate",)),
        Tool("task_get", ("TaskGet",), (), ("TaskGet",)),
        Tool("task_list", ("TaskList",), (), ("TaskList",)),
        Tool("task_update", ("TaskUpdate",), (), ("TaskUpdate",)),
        Tool("task_stop", ("TaskStop",), (), ("TaskStop",)),
    ),
    own=frozenset({"read_many_files", "save_memory", "task_output"}),
    read_server=server_of,
    write_server=_write_server,
)

_MODES = {
    "default": "default",
    "plan": "plan",
    "auto-edit": "acceptEdits",
    "yolo": "bypassPermissions",
}
# Qwen Code takes Claude Code's word for it as well.
_CLAUDE_CODES_MODES = {
    "default": "default",
    "plan": "plan",
    "acceptEdits": "acceptEdits",
    "auto": "acceptEdits",
    "bypassPermissions": "bypassPermissions",
    "dontAsk": "default",
}
_BRIDGE = choice("permission_mode", _CLAUDE_CODES_MODES)

SPELLING = Spelling(
    name="qwen",
    title="Qwen Code",
    source="https://github.com/QwenLM/qwen-code, packages/core/src/subagents/subagent-manager.ts",
    seen="2026-08",
    medium="markdown",
    directories=((".qwen", "agents"),),
    suffix=".md",
    repairs=True,
    name_fault=_name_fault,
    fitting=_fitting,
    prompt_fault=_prompt_fault,
    keys={
        "description": same("description"),
        "tools": ToolList(TOOLS, commas=True, none_is_all=True).key(),
        "disallowedTools": denied_tools(TOOLS),
        "model": model(aliases=("inherit", "fast")),
        "approvalMode": choice("permission_mode", _MODES, more=("bubble", "auto")),
        # It is read where it stands, and only the other one is written.
        "permissionMode": Key(_BRIDGE.fields, _BRIDGE.read, lambda _said, _context: (MISSING, [])),
        "maxTurns": same("max_turns"),
        "background": same("background"),
        "color": choice("color", {color: color for color in facts.COLORS}, more=("auto",)),
        "mcpServers": Servers(http="httpUrl").key(),
    },
    own={
        "hooks": Own(restricts=True, check=check_map),
        "runConfig": Own(restricts=True, check=check_map),
        "modelConfig": Own(check=check_map),
        "executor": Own(check=check_map),
    },
)
"""Qwen Code's agents."""
