"""What a tool name is: the grammar, the catalogue, and what is made of a name.

The catalogue was read off Claude Code 2.1.332.
"""

import re

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

ALIASES = {
    "Task": "Agent",
    "KillShell": "TaskStop",
    "KillBash": "TaskStop",
    "ListPeers": "ListAgents",
    "Brief": "SendUserMessage",
    "ListMcpResources": "ListMcpResourcesTool",
    "ReadMcpResource": "ReadMcpResourceTool",
    "ReadMcpResourceDir": "ReadMcpResourceDirTool",
    "ProposeGoal": "SetGoal",
}
"""Other names of a tool, each with the name it stands for."""

NOT_FOR_SUBAGENTS = frozenset(
    {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "Workflow"}
)
"""Tools of the main session that no subagent gets (``ExitPlanMode`` only in plan mode)."""

REMOVED = frozenset(
    """
    AgentOutput AgentOutputTool AutofixPr BashOutput BashOutputTool Frame FrameRead LS MultiEdit
    NotebookRead REPL SlashCommand SuggestBackgroundPR TaskOutput TeamCreate TeamDelete
    """.split()
)
"""Tools that earlier versions had."""

BUILTIN_TOOLS = (
    KNOWN_BUILTIN_TOOLS
    | NOT_FOR_SUBAGENTS
    | frozenset(ALIASES)
    | frozenset(
        """
        Agent Artifact ClaudeDesign CronCreate CronDelete CronList EndConversation EnterWorktree
        ExitWorktree LSP ListAgents ListMcpResourcesTool Monitor OfferChromeSetup PowerShell
        Projects PushNotification ReadMcpResourceDirTool ReadMcpResourceTool ReadNotifications
        RemoteTrigger ReportFindings SendFeedback SendMessage SendUserFile SendUserMessage SetGoal
        ShareOnboardingGuide ShowOnboardingRolePicker Skill StructuredOutput SubagentHandback
        TaskCreate TaskGet TaskList TaskStop TaskUpdate ToolSearch WaitForMcpServers
        propose_skills
        """.split()
    )
)
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
