"""Kiro's editor: Markdown files, one agent each.

.. code-block:: markdown

    ---
    name: analyst
    description: Analyses data and finds outliers.
    tools: [read, "@db/query"]
    ---

    You analyse data.

Its tools are groups: ``read`` lists directories and searches too.
"""

from subspec.formats.kiro import read_server, write_server
from subspec.formats.server_keys import Servers
from subspec.formats.spelling import Own, Spelling
from subspec.formats.tool_keys import ToolList
from subspec.formats.tool_names import Tool, ToolNames
from subspec.formats.values import (
    check_flag,
    check_names,
    model,
    same,
)

TOOLS = ToolNames(
    (
        Tool("read", ("Read", "Grep", "Glob"), ("LS", "NotebookRead")),
        Tool("write", ("Write", "Edit"), ("MultiEdit", "NotebookEdit")),
        Tool("shell", ("Bash",)),
        Tool("web", ("WebFetch",), ("WebSearch",)),
        Tool("subagent", ("Agent",)),
    ),
    own=frozenset({"context", "glob", "grep", "@builtin", "@mcp"}),
    read_server=read_server,
    write_server=write_server,
)

SPELLING = Spelling(
    name="kiro_ide",
    title="Kiro's editor",
    source="https://kiro.dev/docs/custom-agents/",
    seen="2026-08",
    medium="markdown",
    directories=((".kiro", "agents"),),
    suffix=".md",
    is_deep=True,
    needs_name=False,
    keys={
        "description": same("description"),
        "tools": ToolList(TOOLS, commas=True, writes_all=True).only_key(),
        "model": model(),
        "mcpServers": Servers().key(),
    },
    own={
        "permissions": Own(restricts=True),
        "allowedTools": Own(check=check_names, means="Kiro's allowedTools"),
        "includeMcpJson": Own(check=check_flag, means="Kiro's includeMcpJson"),
        "includePowers": Own(check=check_flag),
    },
)
"""The agents of Kiro's editor."""
