"""What was measured of Claude Code: one version's tables, in one place.

Everything here was observed with the version named below, by running it offline. The other modules
say what follows from it; nothing else in the package knows a name or a number of Claude Code's.
"""

CLAUDE_CODE = "2.1.332"
"""The version of Claude Code that all of this was observed with."""

TOOL_ALIASES = {
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

TOOLS = frozenset(
    """
    Agent AskUserQuestion Bash CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree
    ExitPlanMode ExitWorktree Glob Grep ListAgents Monitor NotebookEdit Read ReportFindings
    ScheduleWakeup SendMessage Skill TaskStop WebFetch WebSearch Workflow Write
    """.split()
)
"""The tools of a session as it comes."""

CONDITIONAL_TOOLS = frozenset(
    """
    Artifact ClaudeDesign EndConversation LSP ListMcpResourcesTool OfferChromeSetup PowerShell
    Projects PushNotification ReadMcpResourceDirTool ReadMcpResourceTool ReadNotifications
    RemoteTrigger SendFeedback SendUserFile SendUserMessage SetGoal ShareOnboardingGuide
    ShowOnboardingRolePicker StructuredOutput SubagentHandback TaskCreate TaskGet TaskList
    TaskUpdate TodoWrite ToolSearch WaitForMcpServers propose_skills
    """.split()
)
"""Tools that only some sessions have: by their model, their settings or their servers."""

NOT_FOR_SUBAGENTS = frozenset(
    {"AskUserQuestion", "EnterPlanMode", "ExitPlanMode", "ScheduleWakeup", "Workflow"}
)
"""Tools of the main session that no subagent gets (``ExitPlanMode`` only in plan mode)."""

REMOVED_TOOLS = frozenset(
    """
    AgentOutput AgentOutputTool AutofixPr BashOutput BashOutputTool Frame FrameRead LS MultiEdit
    NotebookRead REPL SlashCommand SuggestBackgroundPR TaskOutput TeamCreate TeamDelete
    """.split()
)
"""Tools that earlier versions had."""

GONE_BESIDE_BASH = frozenset({"Glob", "Grep"})
"""Tools that an agent does not get when it has ``Bash``."""

MEMORY_TOOLS = ("Write", "Edit", "Read")
"""Tools that ``memory`` adds to a list of tools, in the order in which they are added."""

MODEL_ALIASES = ("sonnet", "opus", "haiku", "fable", "best", "opusplan", "inherit")
"""Names that Claude Code replaces by an id, in any case; ``inherit`` is the parent's model."""

RETIRED_MODELS = {"claude-opus-4-1": "claude-opus-5-5", "claude-opus-4-20250514": "claude-opus-5-5"}
"""What ids begin with that are replaced without a word, and by what."""

HOOK_EVENTS = frozenset(
    """
    ConfigChange CwdChanged DirectoryAdded Elicitation ElicitationResult FileChanged
    InstructionsLoaded MessageDisplay Notification PermissionDenied PermissionRequest PostCompact
    PostModelSwitch PostToolBatch PostToolUse PostToolUseFailure PreCompact PreModelSwitch
    PreSkillShellCommand PreToolUse SessionEnd SessionStart Setup Stop StopFailure SubagentStart
    SubagentStop TaskCompleted TaskCreated TeammateIdle UserPromptExpansion UserPromptSubmit
    WorktreeCreate WorktreeRemove
    """.split()
)
"""The events that a hook can wait for."""

HOOK_GUARDS = frozenset({"PermissionRequest", "PreSkillShellCommand", "PreToolUse"})
"""Events whose hooks can refuse what an agent is about to do."""

COLORS = ("red", "blue", "green", "yellow", "purple", "orange", "pink", "cyan")
"""The colours of agents."""

AGENTS_DIRECTORY = (".claude", "agents")
"""Where the agents of a project lie, as parts of a path."""

BUILT_IN_AGENTS = frozenset(
    """
    Explore Plan claude claude-code-guide fork general-purpose output-style-setup statusline-setup
    web-fetch
    """.split()
)
"""Agents that Claude Code has by itself; one of the same name takes the place of it."""

MAX_MARKDOWN = 1024 * 1024
"""How large a Markdown file may be, in bytes: larger ones are passed over."""

MAX_NAME = 256
"""How long the name of an agent in Markdown may be, in units of UTF-16."""

SMALLEST_WINDOW = 100_000
"""The smallest window after which a conversation is summed up, in tokens."""

LONG_DESCRIPTION = 1024
"""How long a description may be before some readers of agents cut or refuse it, in characters."""

DELEGATING_TOOLS = frozenset({"Agent", "Skill", "Workflow"})
"""The tools by which a session starts agents of its own: a skill may ask for one too."""

ANSWER_TOOL = "StructuredOutput"
"""The tool by which a session gives an answer that follows a schema."""

OUTPUT_LIMIT = "CLAUDE_CODE_MAX_OUTPUT_TOKENS"
"""The environment variable that says how many tokens an answer may have."""
