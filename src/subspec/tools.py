"""What a tool name is: the grammar, the catalogue, and what is made of a name."""

import re

from subspec import facts

KNOWN_BUILTIN_TOOLS = frozenset(
    {
        "Bash",
        "Edit",
        "Glob",
        "Grep",
        "NotebookEdit",
        "Read",
        "Task",
        "TodoWrite",
        "WebFetch",
        "WebSearch",
        "Write",
    }
)
"""The eleven built-in tools that the HoloDeck specification names."""

ALIASES = facts.TOOL_ALIASES
NOT_FOR_SUBAGENTS = facts.NOT_FOR_SUBAGENTS
REMOVED = facts.REMOVED_TOOLS

BUILTIN_TOOLS = KNOWN_BUILTIN_TOOLS | facts.TOOLS | facts.CONDITIONAL_TOOLS | frozenset(ALIASES)
"""Every built-in tool that some session can have, aliases among them."""

MCP_PREFIX = "mcp__"
EVERY_TOOL = "*"

_TOOL = re.compile(r"(?:[^ ,(]+|\([^)]*(?:\)|$))+")


def is_mcp(entry: str) -> bool:
    """Tell whether an entry of a list of tools is the name of an MCP tool, and nothing more."""
    return entry.startswith(MCP_PREFIX) and " " not in entry and "," not in entry


def split_entry(entry: str) -> list[str]:
    """Split one entry of a list of tools as Claude Code does: at commas and blanks outside ``()``.

    >>> split_entry("Read, Bash(git log, git diff)")
    ['Read', 'Bash(git log, git diff)']
    """
    return [tool for tool in map(str.strip, _TOOL.findall(entry)) if tool]


def split_rule(tool: str) -> tuple[str, str | None]:
    """Split a tool from its rule in parentheses.

    >>> split_rule("Bash(git:*)")
    ('Bash', 'git:*')
    >>> split_rule("Read")
    ('Read', None)
    """
    name, paren, rest = tool.partition("(")
    return name, rest.removesuffix(")") if paren else None
