"""Kiro's command line: JSON files, one agent each.

.. code-block:: json

    {
      "name": "analyst",
      "description": "Analyses data and finds outliers.",
      "prompt": "You analyse data.",
      "tools": ["fs_read", "@db/query"]
    }

An agent without ``tools`` has none: all of them are ``["*"]``. A prompt that begins with
``file://`` is the name of a file.
"""

import re

from subspec.formats.server_keys import Servers
from subspec.formats.spelling import Own, Spelling, always
from subspec.formats.tool_keys import ToolList
from subspec.formats.tool_names import Server, Tool, ToolNames
from subspec.formats.values import (
    check_flag,
    check_map,
    check_names,
    check_text,
    model,
    same,
)

_MCP = re.compile(r"@(?!builtin(?:/|$)|mcp$)([^/@]+)(?:/(.+))?", re.DOTALL)


def read_server(name: str) -> Server | None:
    """Tell the server and the tool of a name such as ``@db/query``."""
    match = _MCP.fullmatch(name)
    if match is None or "__" in match[1] or match[2] == "*":
        return None
    return match[1], match[2]


def write_server(server: str, tool: str | None) -> str | None:
    """Name a tool of a server, or all of them."""
    name = f"@{server}" if tool is None else f"@{server}/{tool}"
    return name if read_server(name) == (server, tool) else None


TOOLS = ToolNames(
    (
        Tool("fs_read", ("Read",), covers=("LS",), spellings=("read",)),
        Tool(
            "fs_write",
            ("Write", "Edit"),
            covers=("NotebookEdit", "MultiEdit"),
            spellings=("write",),
        ),
        Tool("execute_bash", ("Bash",), spellings=("shell",)),
        Tool("glob", ("Glob",)),
        Tool("grep", ("Grep",)),
        Tool("web_fetch", ("WebFetch",)),
        Tool("web_search", ("WebSearch",)),
        Tool("todo_list", ("TodoWrite",), spellings=("todo",)),
        Tool("use_subagent", ("Agent",), spellings=("subagent",)),
    ),
    own=frozenset(
        """
        @builtin @mcp use_aws aws introspect report_issue report knowledge thinking code delegate
        session web context
        """.split()
    ),
    is_closed=True,
    read_server=read_server,
    write_server=write_server,
)

SPELLING = Spelling(
    name="kiro",
    title="Kiro",
    source="https://kiro.dev/docs/cli/custom-agents/configuration-reference",
    seen="2026-08",
    medium="json",
    directories=((".kiro", "agents"),),
    suffix=".json",
    needs_name=False,
    prompt_key="prompt",
    prompt_files=True,
    unsaid={"tools": ()},
    trims=False,
    keys={
        "description": same("description"),
        "tools": ToolList(TOOLS, writes_all=True).only_key(),
        "model": model(),
        "mcpServers": Servers().key(),
    },
    own={
        "$schema": Own(check=check_text, is_harmless=always),
        "toolAliases": Own(check=check_map),
        "allowedTools": Own(check=check_names, means="Kiro's allowedTools"),
        "toolsSettings": Own(restricts=True, check=check_map),
        "permissions": Own(restricts=True),
        "resources": Own(),
        "hooks": Own(restricts=True, check=check_map),
        "includeMcpJson": Own(check=check_flag, means="Kiro's includeMcpJson"),
        "useLegacyMcpJson": Own(check=check_flag),
        "keyboardShortcut": Own(check=check_text, is_harmless=always),
        "welcomeMessage": Own(check=check_text, is_harmless=always),
    },
)
"""Kiro's agents in JSON."""
