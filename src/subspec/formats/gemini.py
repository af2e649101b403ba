"""Gemini CLI: Markdown files, one agent each, checked strictly.

.. code-block:: markdown

    ---
    name: analyst
    description: Analyses data and finds outliers.
    tools: [read_file, mcp_db_query]
    max_turns: 8
    ---

    You analyse data.

A key or a tool that Gemini CLI does not know makes it drop the file. Remote agents, which have an
address in place of a prompt, are no subagents here.
"""

import re

from subspec.formats.server_keys import Servers
from subspec.formats.spelling import Own, Spelling, always
from subspec.formats.tool_keys import ToolList
from subspec.formats.tool_names import Server, Tool, ToolNames
from subspec.formats.values import (
    check_number,
    check_text,
    check_words,
    model,
    same,
)

_MCP = re.compile(r"mcp_([a-z0-9.:-]+)_([a-z0-9_.:-]+|\*)", re.IGNORECASE)
_NAME = re.compile(r"[a-z0-9_-]+")
_NOT_IN_NAME = re.compile(r"[^a-z0-9_-]+")


def _read_server(name: str) -> Server | None:
    match = _MCP.fullmatch(name)
    if match is None or not match[2].strip("_"):
        return None
    return match[1], None if match[2] == "*" else match[2]


def _write_server(server: str, tool: str | None) -> str | None:
    name = f"mcp_{server}_{tool or '*'}"
    return name if _read_server(name) == (server, tool) else None


def _name_fault(name: str) -> str | None:
    if _NAME.fullmatch(name):
        return None
    return "a name has lowercase letters, digits, '-' and '_' only"


def slug(name: str) -> str:
    """Make a name of lowercase letters, digits and dashes.

    >>> slug("Content Diversifier")
    'content-diversifier'
    """
    return _NOT_IN_NAME.sub("-", name.lower()).strip("-") or "agent"


TOOLS = ToolNames(
    (
        Tool("read_file", ("Read",)),
        Tool("replace", ("Edit",)),
        Tool("write_file", ("Write",)),
        Tool("run_shell_command", ("Bash",)),
        Tool("glob", ("Glob",)),
        Tool("grep_search", ("Grep",), spellings=("search_file_content",)),
        Tool("list_directory", ("LS",)),
        Tool("web_fetch", ("WebFetch",)),
        Tool("google_web_search", ("WebSearch",)),
        Tool("write_todos", ("TodoWrite",)),
        Tool("activate_skill", ("Skill",)),
        Tool("ask_user", ("AskUserQuestion",)),
        Tool("enter_plan_mode", ("EnterPlanMode",)),
        Tool("exit_plan_mode", ("ExitPlanMode",)),
        Tool("list_mcp_resources", ("ListMcpResourcesTool",)),
        Tool("read_mcp_resource", ("ReadMcpResourceTool",)),
        Tool("invoke_agent", ("Agent",)),
    ),
    own=frozenset(
        """
        read_many_files get_internal_docs update_topic complete_task tracker_create_task
        tracker_update_task tracker_get_task tracker_list_tasks tracker_add_dependency
        tracker_visualize mcp_*
        """.split()
    ),
    read_server=_read_server,
    write_server=_write_server,
)

SPELLING = Spelling(
    name="gemini",
    title="Gemini CLI",
    source="https://github.com/google-gemini/gemini-cli, packages/core/src/agents/agentLoader.ts",
    seen="2026-08",
    medium="markdown",
    directories=((".gemini", "agents"),),
    suffix=".md",
    hidden="_",
    unknown="error",
    name_fault=_name_fault,
    fitting=slug,
    keys={
        "description": same("description"),
        "tools": ToolList(TOOLS, strict=True).only_key(),
        "model": model(aliases=("inherit", "auto", "pro", "flash", "flash-lite")),
        "max_turns": same("max_turns"),
        "mcp_servers": Servers(http="http_url").key(),
    },
    own={
        "kind": Own(check=check_words("local"), is_harmless=always),
        "display_name": Own(check=check_text, is_harmless=always),
        "temperature": Own(check=check_number, is_harmless=always, means="temperature"),
        "timeout_mins": Own(restricts=True, check=check_number),
    },
)
"""Gemini CLI's agents."""
