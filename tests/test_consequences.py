"""What Claude Code makes of what is right by itself: what it adds, ignores and refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from subspec import check, load
from subspec.facts import CONDITIONAL_TOOLS
from subspec.tools import KNOWN_BUILTIN_TOOLS

NEVER_STARTS = (
    "none of these is a tool that a subagent can get: Claude Code never starts it;"
    " name a tool, write [] to say none, or leave the key out to say all"
)


def said(tmp_path: Path, **values: Any) -> list[str]:
    """Check an agent in a canonical file, and say what is found of its fields."""
    path = tmp_path / "team.json"
    agent = {"description": "Writes.", "prompt": "Write.", **values}
    path.write_text(json.dumps({"agents": {"a": agent}}))
    return [
        f"{problem.severity}: {str(problem).partition('agents.a.')[2]}" for problem in check(path)
    ]


def found_in_markdown(tmp_path: Path, *lines: str, name: str = "a.md") -> list[str]:
    """Check a Markdown file, and say what is found with its place."""
    path = tmp_path / name
    matter = "\n".join(["name: a", "description: d", *lines])
    path.write_text(f"---\n{matter}\n---\nBody\n")
    return [str(problem).removeprefix(f"{path}:") for problem in check(path)]


RIGHT: list[dict[str, Any]] = [
    {},
    {"tools": []},
    {"tools": ["*"]},
    {"tools": ["Read", "Grep", "Glob"]},
    {"tools": ["Bash"]},
    {"tools": ["Read", "Grep", "Bash"], "disallowed_tools": ["Bash"]},
    {"tools": sorted(KNOWN_BUILTIN_TOOLS - CONDITIONAL_TOOLS - {"Grep", "Glob"})},
    {"tools": ["mcp__db__query", "mcp__db", "mcp__db__*"]},
    {"tools": ["Read", "Write", "Edit"], "memory": "project"},
    {"tools": ["Read"], "disallowed_tools": ["Write", "Edit"], "memory": "user"},
    {"tools": ["*"], "memory": "project"},
    {"memory": "project"},
    {"mcp_servers": [{"db": {"command": "x"}}]},
    {"tools": ["mcp__db"], "mcp_servers": [{"db": {"command": "x"}}]},
    {"tools": ["mcp__db__*"], "mcp_servers": [{"db": {"command": "x"}}]},
    {"tools": ["Read"], "mcp_servers": ["db"]},
    {"effort": "high"},
    {"background": True},
    {"permission_mode": "plan"},
    {"model": "claude-opus-4-5"},
    {"model": "opus"},
    {"description": "x" * 1024},
]


@pytest.mark.parametrize("values", RIGHT, ids=repr)
def test_nothing_is_said_of_what_happens_as_it_is_written(tmp_path, values):
    assert said(tmp_path, **values) == []


@pytest.mark.parametrize(
    ("values", "wanted"),
    [
        (
            {"tools": ["Read", "mcp__a*", "mcp__*", "mcp__*__x", "mcp__a__b*"]},
            [
                f"warning: tools[{index}]: '{name}' matches no tool: '*' can only stand for a"
                " server as a whole; write 'mcp__<server>__*', or name each tool [tool-pattern]"
                for index, name in enumerate(
                    ["mcp__a*", "mcp__*", "mcp__*__x", "mcp__a__b*"], start=1
                )
            ],
        ),
        (
            {"tools": ["Read", "LSP"]},
            [
                (
                    "info: tools[1]: only some sessions have the tool 'LSP'; in others it is"
                    " ignored [conditional-tool]"
                )
            ],
        ),
        ({"tools": ["mcp__*"]}, [f"error: tools: {NEVER_STARTS} [no-usable-tools]", ...]),
        (
            {"tools": ["AskUserQuestion", "LS"]},
            [f"error: tools: {NEVER_STARTS} [no-usable-tools]", ..., ...],
        ),
        (
            {"tools": ["Bash", "Grep", "Glob"]},
            [
                f"warning: tools[{index}]: an agent with Bash does not get {name}: it searches with"
                " Bash; leave one of them out [hidden-tool]"
                for index, name in ((1, "Grep"), (2, "Glob"))
            ],
        ),
        (
            {"tools": ["Read"], "memory": "project"},
            [
                (
                    "error: memory: memory gives the agent Write and Edit too, which its tools"
                    " do not list; list them, take them away, or leave memory out"
                    " [memory-adds-tools]"
                )
            ],
        ),
        (
            {"tools": [], "memory": "project"},
            [
                (
                    "error: memory: memory gives the agent Write, Edit and Read too, which its"
                    " tools do not list; list them, take them away, or leave memory out"
                    " [memory-adds-tools]"
                )
            ],
        ),
        (
            {"tools": ["mcp__db__q"], "mcp_servers": ["docs", {"db": {"command": "x"}}]},
            [
                (
                    "error: mcp_servers[1]: the agent gets every tool of 'db', which its tools"
                    " do not list; write 'mcp__db' into tools if that is meant [server-adds-tools]"
                )
            ],
        ),
        (
            {"effort": 7},
            [
                (
                    "warning: effort: Claude Code sends no effort at all for a number; write low,"
                    " medium, high, xhigh or max [no-effect]"
                )
            ],
        ),
        (
            {"background": False},
            [
                (
                    "warning: background: false does nothing: whoever calls the agent decides;"
                    " leave it out [no-effect]"
                )
            ],
        ),
        (
            {"initial_prompt": "Go."},
            [
                (
                    "warning: initial_prompt: a subagent gets no first message: only the agent of a"
                    " whole session does; put it into the prompt, or leave it out [no-effect]"
                )
            ],
        ),
        (
            {"permission_mode": "bypassPermissions"},
            [
                (
                    "warning: permission_mode: bypassPermissions is not honoured for a subagent,"
                    " which asks as in the default mode; set the mode of the session [no-effect]"
                )
            ],
        ),
        (
            {"model": "claude-opus-4-1-20250805"},
            [
                (
                    "warning: model: Claude Code takes 'claude-opus-5-5' in place of the retired"
                    " model 'claude-opus-4-1-20250805'; write 'claude-opus-5-5', or an alias"
                    " such as 'opus' [retired-model]"
                )
            ],
        ),
        (
            {"description": "x" * 1025},
            [
                (
                    "info: description: a description of 1,025 characters is read with every"
                    " request; keep it below 1,024; what is long belongs into the prompt"
                    " [long-description]"
                )
            ],
        ),
        (
            {"tools": ["Read", "Bash(git:*)"], "disallowed_tools": ["Bash(rm:*)"]},
            [
                (
                    "error: tools[1]: the rule '(git:*)' is ignored: the subagent gets all of Bash;"
                    " write 'Bash' if that is meant [tool-rule-ignored]"
                ),
                (
                    "error: disallowed_tools[0]: the rule '(rm:*)' is ignored: all of Bash is taken"
                    " away; write 'Bash' if that is meant [tool-rule-ignored]"
                ),
            ],
        ),
    ],
    ids=lambda value: repr(value)[:60] if isinstance(value, dict) else "",
)
def test_what_claude_code_does_otherwise_is_said(tmp_path, values, wanted):
    found = said(tmp_path, **values)
    assert len(found) == len(wanted)
    assert all(text in (..., line) for text, line in zip(wanted, found, strict=True)), found


def test_loading_says_none_of_it(tmp_path):
    path = tmp_path / "team.json"
    values = {"tools": ["Bash", "Grep"], "memory": "user", "effort": 3, "background": False}
    agent = {"description": "x" * 2000, "prompt": "p", "initial_prompt": "Go.", **values}
    path.write_text(json.dumps({"agents": {"a": agent}}))
    # A warning would be an error here.
    assert load(path).agents["a"].effort == 3


def test_no_fault_hides_what_comes_of_the_rest(tmp_path):
    assert [line.split(":")[1] for line in said(tmp_path, prompt=1, effort=7)] == [
        " prompt",
        " effort",
    ]


def test_in_markdown_each_has_its_place(tmp_path):
    assert found_in_markdown(
        tmp_path, "tools: Read, Bash(git:*), Grep", "memory: user", "background: false"
    ) == [
        (
            "4:14: error: tools[1]: the rule '(git:*)' is ignored: the subagent gets all of"
            " Bash; write 'Bash' if that is meant [tool-rule-ignored]"
        ),
        (
            "4:27: warning: tools[2]: an agent with Bash does not get Grep: it searches with"
            " Bash; leave one of them out [hidden-tool]"
        ),
        (
            "5:9: error: memory: memory gives the agent Write and Edit too, which its tools do"
            " not list; list them, take them away, or leave memory out [memory-adds-tools]"
        ),
        (
            "6:13: warning: background: false does nothing: whoever calls the agent decides;"
            " leave it out [no-effect]"
        ),
    ]


def test_hooks_and_names_of_markdown(tmp_path):
    hooks = "hooks: {Stop: [{hooks: [{type: command, command: ls}]}]}"
    assert found_in_markdown(tmp_path, hooks, name="other.md") == [
        (
            "2:7: info: name: Claude Code calls the agent 'a', whatever its file is called"
            " [unlike-file]"
        ),
        (
            "4:8: warning: hooks: Claude Code runs the hooks of an agent only in a folder that"
            " its user trusts [untrusted-hooks]"
        ),
    ]
    (tmp_path / "README.md").write_text("# Not an agent\n")
    assert len(check(tmp_path)) == 2
