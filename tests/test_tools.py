"""What a tool name is: the catalogue, and how an entry of a list is read."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subspec.tools import (
    ALIASES,
    BUILTIN_TOOLS,
    EVERY_TOOL,
    KNOWN_BUILTIN_TOOLS,
    MCP_PREFIX,
    NOT_FOR_SUBAGENTS,
    REMOVED,
    is_mcp,
    split_entry,
    split_rule,
)

# Observed in sessions of Claude Code 2.1.332, of one kind or another.
OBSERVED = """
    Agent AskUserQuestion Bash CronCreate CronDelete CronList Edit EnterPlanMode EnterWorktree
    ExitPlanMode ExitWorktree Glob Grep ListAgents ListMcpResourcesTool Monitor NotebookEdit
    PowerShell Read ReadMcpResourceDirTool ReadMcpResourceTool ReportFindings ScheduleWakeup
    SendMessage Skill StructuredOutput TaskCreate TaskGet TaskList TaskStop TaskUpdate TodoWrite
    ToolSearch WebFetch WebSearch Workflow Write
    """.split()


# In the list of names that it has, and never seen.
LISTED = """
    Artifact ClaudeDesign EndConversation LSP OfferChromeSetup Projects PushNotification
    ReadNotifications RemoteTrigger SendFeedback SendUserFile SendUserMessage SetGoal
    ShareOnboardingGuide ShowOnboardingRolePicker SubagentHandback WaitForMcpServers propose_skills
    """.split()


def test_the_known_tools_are_the_eleven_of_the_specification():
    assert (
        frozenset(
            {
                *("Read", "Write", "Edit", "Bash", "Glob", "Grep", "WebSearch", "WebFetch"),
                *("Task", "TodoWrite", "NotebookEdit"),
            }
        )
        == KNOWN_BUILTIN_TOOLS
    )
    assert type(KNOWN_BUILTIN_TOOLS) is frozenset
    assert len(KNOWN_BUILTIN_TOOLS) == 11


def test_the_catalogue_has_every_tool_that_was_seen_or_listed_and_the_aliases():
    assert {*OBSERVED, *LISTED, *ALIASES} == BUILTIN_TOOLS


def test_the_aliases_are_claude_codes():
    assert ALIASES == {
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


def test_the_removed_tools_are_those_that_it_calls_unrecognized():
    gone = """
        TaskOutput AgentOutputTool BashOutputTool AgentOutput BashOutput Frame FrameRead TeamCreate
        TeamDelete SuggestBackgroundPR AutofixPr MultiEdit LS NotebookRead SlashCommand REPL
        """.split()

    assert set(gone) == REMOVED


def test_every_tool_can_be_asked_for_at_once():
    assert EVERY_TOOL == "*"


@pytest.mark.parametrize(("alias", "target"), ALIASES.items(), ids=ALIASES)
def test_an_alias_and_what_it_stands_for_are_in_the_catalogue(alias, target):
    assert {alias, target} <= BUILTIN_TOOLS
    assert target not in ALIASES


def test_the_catalogue_has_the_tools_of_all_lists_but_the_removed():
    assert KNOWN_BUILTIN_TOOLS < BUILTIN_TOOLS
    assert NOT_FOR_SUBAGENTS < BUILTIN_TOOLS
    assert not REMOVED & BUILTIN_TOOLS
    assert not REMOVED & {*ALIASES, *ALIASES.values()}


def test_no_tool_of_subagents_is_among_those_they_never_get():
    assert not NOT_FOR_SUBAGENTS & (KNOWN_BUILTIN_TOOLS | {*ALIASES, *ALIASES.values()})


def test_every_name_in_the_catalogue_is_one_plain_name():
    for tool in BUILTIN_TOOLS | REMOVED:
        assert split_entry(tool) == [tool]
        assert split_rule(tool) == (tool, None)
        assert not tool.startswith(MCP_PREFIX)
        assert tool != EVERY_TOOL


@pytest.mark.parametrize(
    ("entry", "tools"),
    [
        ("Read", ["Read"]),
        ("Read, Grep", ["Read", "Grep"]),
        ("Read Grep", ["Read", "Grep"]),
        (" ,Read,,  Grep, ", ["Read", "Grep"]),
        ("Bash(git log, git diff), Read", ["Bash(git log, git diff)", "Read"]),
        ("Bash(git:*)Read", ["Bash(git:*)Read"]),
        ("Agent(worker, researcher)", ["Agent(worker, researcher)"]),
        ("Bash(a (b) c)", ["Bash(a (b)", "c)"]),
        ("Bash(git log, Read", ["Bash(git log, Read"]),
        ("(a b)", ["(a b)"]),
        ("a)b, c", ["a)b", "c"]),
        ("Read\nGrep", ["Read\nGrep"]),
        ("\tRead\n, Grep\n", ["Read", "Grep"]),
        ("*", ["*"]),
        ("mcp__db__query, mcp__files", ["mcp__db__query", "mcp__files"]),
        ("", []),
        (" , ,", []),
        ("\n", []),
    ],
    ids=repr,
)
def test_an_entry_is_split_where_claude_code_splits_it(entry, tools):
    assert split_entry(entry) == tools


def split_by_character(entry: str) -> list[str]:
    """Claude Code's own way: parentheses do not nest, and only commas and blanks split."""
    tools, current, inside = [], "", False
    for character in entry:
        if character in "()":
            inside = character == "("
        if character in ", " and not inside:
            tools.append(current)
            current = ""
        else:
            current += character
    return [tool.strip() for tool in [*tools, current] if tool.strip()]


@given(st.text("ab(),  \n\t*") | st.text())
def test_any_entry_is_split_as_if_character_by_character(entry):
    assert split_entry(entry) == split_by_character(entry)


def test_a_long_entry_is_split_in_no_time():
    assert split_entry("(" * 50_000) == ["(" * 50_000]
    assert len(split_entry("a( , )" * 20_000)) == 1


@pytest.mark.parametrize(
    ("tool", "name", "rule"),
    [
        ("Read", "Read", None),
        ("Bash(git:*)", "Bash", "git:*"),
        ("Bash()", "Bash", ""),
        ("Bash(", "Bash", ""),
        ("Bash(git", "Bash", "git"),
        ("Bash(echo (a))", "Bash", "echo (a)"),
        ("Agent(worker, researcher)", "Agent", "worker, researcher"),
        ("(x)", "", "x"),
        ("", "", None),
        ("Read)", "Read)", None),
    ],
    ids=repr,
)
def test_a_tool_is_split_from_its_rule(tool, name, rule):
    assert split_rule(tool) == (name, rule)


@pytest.mark.parametrize("entry", ["mcp__db__query", "mcp__db", "mcp__db__*", "mcp__", "mcp__a(b)"])
def test_the_name_of_an_mcp_tool_begins_with_mcp(entry):
    assert is_mcp(entry)


@pytest.mark.parametrize(
    "entry", ["Read", "mcp_db_query", "MCP__db", " mcp__db", "mcp__a,mcp__b", "mcp__db Read", ""]
)
def test_other_entries_are_not_the_name_of_an_mcp_tool_alone(entry):
    assert not is_mcp(entry)
