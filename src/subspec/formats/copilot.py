"""GitHub Copilot and VS Code: ``NAME.agent.md``, Markdown with front matter.

.. code-block:: markdown

    ---
    name: analyst
    description: Analyses data and finds outliers.
    tools: [read, search, db/query]
    ---

    You analyse data.

No ``tools`` are all tools, ``[]`` none. Its names stand for groups: ``edit`` writes files too, and
``search`` finds text and files. Names that an environment does not know it passes over.
"""

import re

from subspec.formats.spelling import Own, Spelling, always, if_true
from subspec.formats.tool_keys import ToolList
from subspec.formats.tool_names import Server, Tool, ToolNames
from subspec.formats.values import (
    check_flag,
    check_text,
    check_words,
    model,
    same,
)

LONGEST_PROMPT = 30_000
"""How long a prompt may be, in characters."""

_SETS = frozenset("agent browser edit execute read search todo vscode web".split())
_MCP = re.compile(r"([A-Za-z0-9_-]+)/(.+)", re.DOTALL)


def _read_server(name: str) -> Server | None:
    match = _MCP.fullmatch(name)
    # Before the slash may stand a set of tools of its own as well.
    if match is None or match[1] in _SETS or "__" in match[1]:
        return None
    return match[1], None if match[2] == "*" else match[2]


def _write_server(server: str, tool: str | None) -> str | None:
    name = f"{server}/{tool or '*'}"
    return name if _read_server(name) == (server, tool) else None


def _prompt_fault(prompt: str) -> str | None:
    if len(prompt) <= LONGEST_PROMPT:
        return None
    return f"a prompt has {LONGEST_PROMPT:,} characters at most"


TOOLS = ToolNames(
    (
        Tool("execute", ("Bash",), ("PowerShell",), ("shell", "Bash", "bash", "powershell")),
        Tool("read", ("Read",), ("NotebookRead",), ("Read", "NotebookRead")),
        Tool(
            "edit",
            ("Edit", "Write"),
            ("MultiEdit", "NotebookEdit"),
            ("Edit", "MultiEdit", "Write", "NotebookEdit"),
        ),
        Tool("search", ("Grep", "Glob"), (), ("Grep", "Glob")),
        Tool("agent", ("Agent",), (), ("custom-agent", "Task")),
        Tool("web", ("WebFetch", "WebSearch"), (), ("WebFetch", "WebSearch")),
        Tool("todo", ("TodoWrite",), (), ("TodoWrite",)),
    ),
    own=frozenset(
        """
        browser changes codebase editFiles extensions fetch findTestFiles githubRepo memory new
        openSimpleBrowser problems runCommands runNotebooks runSubagent runTasks runTests
        searchResults terminalLastCommand terminalSelection testFailure think todos usages vscode
        vscodeAPI
        """.split()
    ),
    any_case=True,
    read_server=_read_server,
    write_server=_write_server,
)

SPELLING = Spelling(
    name="copilot",
    title="Copilot",
    source="https://docs.github.com/en/copilot/reference/custom-agents-configuration",
    seen="2026-08",
    medium="markdown",
    directories=((".github", "agents"), (".copilot", "agents")),
    suffix=".agent.md",
    more_suffixes=(".md",),
    is_telling=True,
    needs_name=False,
    prompt_fault=_prompt_fault,
    # The editor takes longer ones.
    prompt_severity="warning",
    keys={
        "description": same("description"),
        "tools": ToolList(TOOLS, commas=True).only_key(),
        "model": model(),
    },
    own={
        "target": Own(check=check_words("vscode", "github-copilot"), is_harmless=always),
        "mcp-servers": Own(),
        "handoffs": Own(),
        "agents": Own(restricts=True),
        "argument-hint": Own(check=check_text, is_harmless=always),
        "user-invocable": Own(check=check_flag, is_harmless=always),
        "user-invokable": Own(check=check_flag, is_harmless=always),
        "disable-model-invocation": Own(if_true, check_flag, is_harmless=if_true),
        "infer": Own(restricts=lambda value: value is False),
        "metadata": Own(is_harmless=always),
        "hooks": Own(restricts=True),
        "skills": Own(),
    },
)
"""Copilot's agents."""
