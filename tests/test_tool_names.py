"""Names of tools, of models and of modes, from one program's words into another's."""

from __future__ import annotations

import pytest

from subspec import ClaudeConfig, SubagentSpec, convert, loads
from subspec.formats import SPELLINGS
from subspec.formats.tool_names import Tool, ToolNames, is_claude_codes, server_of

pytest.importorskip("tomlkit")


def written(to, **values):
    """Give what is written under the keys of an agent, and what is lost."""
    spec = SubagentSpec("d", "Help me out.", **values)
    conversion = convert(ClaudeConfig(agents={"helper": spec}), to=to)
    (text,) = conversion.files.values()
    spelling = SPELLINGS[to]
    from subspec.source import read_json  # noqa: PLC0415
    from subspec.source.frontmatter import find_fences, read_front_matter  # noqa: PLC0415
    from subspec.source.toml import read_toml  # noqa: PLC0415

    if spelling.medium == "markdown":
        data = read_front_matter(text, find_fences(text, whole_lines=True)).data
    else:
        data = (read_json if spelling.medium == "json" else read_toml)(text).data
    for key in ("name", "description", "mode", spelling.prompt_key):
        data.pop(key, None)
    return data, [(loss.field, loss.reason, loss.widens) for loss in conversion.losses]


TOOLS = {
    "gemini": ["read_file", "replace", "write_file", "run_shell_command", "mcp_db_q", "mcp_db_*"],
    "copilot": ["read", "edit", "execute", "db/q", "db/*"],
    "qwen": ["read_file", "edit", "write_file", "run_shell_command", "mcp__db__q", "mcp__db"],
    "kiro": ["fs_read", "fs_write", "execute_bash", "@db/q", "@db"],
}


@pytest.mark.parametrize("to", TOOLS)
def test_the_usual_tools_have_a_name_everywhere(to):
    tools = ["Read", "Edit", "Write", "Bash", "mcp__db__q", "mcp__db__*"]

    assert written(to, tools=tools) == ({"tools": TOOLS[to]}, [])


def test_a_group_of_tools_is_exact_widens_or_swallows():
    both = written("copilot", tools=["Grep", "Glob"])
    one = written("copilot", tools=["Grep"])
    more = written("copilot", tools=["Edit", "Write", "NotebookEdit"])

    assert both == ({"tools": ["search"]}, [])
    assert one == ({"tools": ["search"]}, [("tools", "search of Copilot is Glob too", True)])
    assert more == (
        {"tools": ["edit"]},
        [("tools", "NotebookEdit is a part of edit of Copilot", False)],
    )


def test_a_tool_without_a_name_is_left_out_and_the_rest_stays():
    data, losses = written("gemini", tools=["Read", "NotebookEdit", "mcp__a_b__c"])

    assert data == {"tools": ["read_file"]}
    assert losses == [("tools", "Gemini CLI has no NotebookEdit and mcp__a_b__c", False)]


def test_a_rule_is_left_out_and_widens():
    data, losses = written("gemini", tools=["Bash(git:*)"])

    assert data == {"tools": ["run_shell_command"]}
    assert losses == [("tools", "Gemini CLI has no rules such as 'Bash(git:*)'", True)]


def test_no_tools_are_no_tools_or_a_loss():
    assert written("gemini", tools=[]) == ({"tools": []}, [])
    assert written("opencode", tools=[]) == ({"tools": {"*": False}}, [])
    assert written("qwen", tools=[]) == (
        {},
        [("tools", "Qwen Code takes the empty list for all tools", True)],
    )
    assert written("qwen", tools=["NotebookEdit"])[1] == [
        ("tools", "Qwen Code has no NotebookEdit", False),
        ("tools", "Qwen Code takes the empty list for all tools", True),
    ]
    assert written("cursor", tools=[]) == ({}, [("tools", "Cursor has no key for it", True)])


def test_what_is_taken_away_goes_out_of_the_list_where_there_is_no_other():
    tools, denied = ["Read", "Bash", "mcp__db__q"], ["Bash", "mcp__db"]
    reason = "there is no list of what is taken away"

    assert written("gemini", tools=tools, disallowed_tools=denied) == (
        {"tools": ["read_file"]},
        [
            ("disallowed_tools", reason, False),
            ("tools", "Bash and mcp__db__q: they are taken away", False),
        ],
    )
    assert written("gemini", tools=tools, disallowed_tools=["Bash(rm:*)"])[1] == [
        ("disallowed_tools", reason, False),
        ("disallowed_tools", "a rule such as 'Bash(rm:*)' cannot be said", True),
    ]
    assert written("gemini", disallowed_tools=denied) == (
        {},
        [("disallowed_tools", "Gemini CLI cannot take tools away", True)],
    )
    assert written("kiro", disallowed_tools=[])[1] == [
        ("disallowed_tools", "Kiro cannot take tools away", False)
    ]


def test_what_is_taken_away_has_a_list_in_some():
    denied = ["Bash(rm:*)", "Edit", "NotebookEdit", "Projects"]

    assert written("qwen", disallowed_tools=denied) == (
        {"disallowedTools": ["run_shell_command", "edit"]},
        [
            ("disallowed_tools", "Qwen Code has no NotebookEdit and Projects", True),
            ("disallowed_tools", "Qwen Code has no rules such as 'Bash(rm:*)'", False),
        ],
    )
    assert written("opencode", tools=["Read"], disallowed_tools=["Edit", "NotebookEdit"]) == (
        {"tools": {"*": False, "read": True, "edit": False}},
        [
            ("disallowed_tools", "edit of opencode is Write too", False),
            ("disallowed_tools", "NotebookEdit is a part of edit of opencode", False),
        ],
    )


MODELS = [
    ("gemini", "inherit", {"model": "inherit"}),
    ("gemini", "flash", {"model": "flash"}),
    ("gemini", "sonnet", {}),
    ("gemini", "gemini-3-pro", {"model": "gemini-3-pro"}),
    ("codex", "inherit", {}),
    ("codex", "flash", {}),
    ("codex", "haiku[1m]", {}),
    ("codex", "gpt-5.4", {"model": "gpt-5.4"}),
    ("opencode", "gpt-5.4", {}),
    ("opencode", "openai/gpt-5.4", {"model": "openai/gpt-5.4"}),
    ("cursor", "FAST", {"model": "FAST"}),
]


@pytest.mark.parametrize(("to", "model", "wanted"), MODELS)
def test_a_model_is_what_it_was_or_nothing(to, model, wanted):
    data, losses = written(to, model=model)

    assert {key: value for key, value in data.items() if key == "model"} == wanted
    assert [field for field, _, _ in losses] == ([] if wanted else ["model"])


MODES = [
    ("qwen", "plan", {"approvalMode": "plan"}, []),
    ("qwen", "acceptEdits", {"approvalMode": "auto-edit"}, []),
    ("qwen", "bypassPermissions", {"approvalMode": "yolo"}, []),
    ("qwen", "dontAsk", {}, [("permission_mode", "Qwen Code has no word for 'dontAsk'", True)]),
    ("cursor", "plan", {}, [("permission_mode", "Cursor has no key for it", True)]),
    ("cursor", "bypassPermissions", {}, [("permission_mode", "Cursor has no key for it", False)]),
]


@pytest.mark.parametrize(("to", "mode", "data", "losses"), MODES)
def test_modes_are_translated_where_there_is_a_word(to, mode, data, losses):
    assert written(to, permission_mode=mode) == (data, losses)


def test_efforts_are_translated_where_there_is_a_word():
    assert written("codex", effort="xhigh") == ({"model_reasoning_effort": "xhigh"}, [])
    assert written("codex", effort=3)[1] == [("effort", "Codex has no word for 3", False)]
    assert written("factory", effort="low") == ({"reasoningEffort": "low"}, [])


REMOTE = {"type": "http", "url": "https://x.test", "headers": {"A": "b"}}


def test_servers_are_translated_where_there_is_a_way():
    local = {"command": "db", "args": ["a"]}
    assert written("codex", mcp_servers=[{"db": local}, {"web": REMOTE}]) == (
        {
            "mcp_servers": {
                "db": local,
                "web": {"url": "https://x.test", "http_headers": {"A": "b"}},
            }
        },
        [],
    )
    typed = {"type": "stdio", **local}
    assert written("kiro", mcp_servers=[{"db": typed}]) == (
        {"tools": ["*"], "mcpServers": {"db": local}},
        [("mcp_servers", "Kiro has no type for the server 'db'", False)],
    )
    assert written("gemini", mcp_servers=["named", {"a": {"type": "sse", "url": "u"}}]) == (
        {},
        [
            ("mcp_servers", "Gemini CLI cannot name the server 'named' of the session", False),
            ("mcp_servers", "Gemini CLI has no such configuration as that of 'a'", False),
        ],
    )
    assert written("factory", mcp_servers=["named"]) == ({"mcpServers": ["named"]}, [])
    assert written("factory", mcp_servers=[{"web": REMOTE}])[0] == {}
    assert written("gemini", mcp_servers=[{"a": {"type": "http", "url": "u"}}])[0] == {
        "mcp_servers": {"a": {"http_url": "u"}}
    }


def test_keys_of_one_program_are_lost_in_another_and_some_widen():
    text = "name='a'\ndescription='d'\ndeveloper_instructions='Help me out.'\n"
    config = loads(f"{text}sandbox_mode='read-only'\nweb_search='live'", format="codex")
    for to in ("gemini", "claude_code", "holodeck", "pydantic_ai"):
        losses = convert(config, to=to).losses
        assert [(loss.field, loss.widens) for loss in losses] == [
            ("extra.sandbox_mode", True),
            ("extra.web_search", False),
        ]
    assert convert(config, to="agents").losses == ()
    assert convert(config, to="codex").losses == ()


def test_names_of_a_program_stay_where_they_came_from():
    config = loads(
        "---\nname: a\ndescription: d\ntools: [githubRepo, read]\n---\nHelp.\n", format="copilot"
    )

    assert "tools: [githubRepo, read]" in str(convert(config, to="copilot").files)
    assert [loss.reason for loss in convert(config, to="gemini").losses] == [
        "Gemini CLI has no githubRepo"
    ]
    assert [loss.reason for loss in convert(config, to="claude_code").losses] == [
        "Claude Code has no githubRepo"
    ]


def test_servers_are_told_from_names():
    assert server_of("mcp__") is None
    assert server_of("mcp__a__") is None
    assert server_of("mcp__a__b__c") == ("a", "b__c")
    assert is_claude_codes("Bash(x)")
    assert not is_claude_codes("shell")
    plain = ToolNames((Tool("a", ("Read",)),))
    assert plain.knows("a")
    assert not plain.knows("b")
    assert plain.write(["mcp__a__b"]).dropped == ("mcp__a__b",)


NAMES = [
    ("gemini", "Content Diversifier", "content-diversifier"),
    ("gemini", "漢字", "agent"),
    ("qwen", "user", "agent-user"),
    ("qwen", "-x" + "y" * 60, "x" + "y" * 48),
    ("qwen", "x", "agent-x"),
    ("codex", " padded ", " padded "),
]


@pytest.mark.parametrize(("to", "name", "wanted"), NAMES)
def test_a_name_is_made_to_fit(to, name, wanted):
    spelling = SPELLINGS[to]
    fitting = name if spelling.name_fault(name) is None else spelling.fitting(name)

    assert fitting == wanted
    assert spelling.name_fault(fitting) is None


def test_a_colon_in_a_name_is_not_for_claude_code():
    agents = dict.fromkeys(["a:b", "a-b", "plain"], SubagentSpec("d", "p"))
    conversion = convert(ClaudeConfig(agents=agents), to="claude_code")

    assert sorted(conversion.files) == [
        ".claude/agents/a-b-2.md",
        ".claude/agents/a-b.md",
        ".claude/agents/plain.md",
    ]
    assert [(loss.agent, loss.instead) for loss in conversion.losses] == [
        ("a:b", "it is called 'a-b-2'")
    ]
