"""Rules beyond types: odd tools, models that are none, what is ignored."""

import pytest

from subspec import (
    KNOWN_BUILTIN_TOOLS,
    ClaudeConfig,
    SpecError,
    SpecWarning,
    SubagentSpec,
    check,
    loads,
    make_converter,
)
from subspec.structure.rules import agent_problems, bridged_tools, session_problems
from subspec.tools import BUILTIN_TOOLS, NOT_FOR_SUBAGENTS, REMOVED

AGENT = {"description": "Writes.", "prompt": "Write."}
NO_KNOWN_TOOL = (
    "is neither a known built-in (Bash, Edit, Glob, Grep, NotebookEdit, Read, Task, TodoWrite,"
    " WebFetch, WebSearch, Write, ...), nor an MCP tool (mcp__<server>__<tool>), nor a bridged"
    " tool of the host"
)
IGNORED = "Claude Code ignores a name it does not know"
ALIASES = "'sonnet', 'opus', 'haiku', 'fable', 'best', 'opusplan' or 'inherit'"


def of_agent(*, bridged=(), **values):
    return [str(problem) for problem in agent_problems(values.get, bridged)]


def of_session(**values):
    return [str(problem) for problem in session_problems(values.get)]


# Tools


def test_the_tools_that_the_specification_names():
    assert (
        frozenset(
            {
                "Read",
                "Write",
                "Edit",
                "Bash",
                "Glob",
                "Grep",
                "WebSearch",
                "WebFetch",
                "Task",
                "TodoWrite",
                "NotebookEdit",
            }
        )
        == KNOWN_BUILTIN_TOOLS
    )


@pytest.mark.parametrize(
    "tools",
    [
        None,
        [],
        sorted(KNOWN_BUILTIN_TOOLS),
        sorted(BUILTIN_TOOLS - NOT_FOR_SUBAGENTS),
        ["*"],
        ["Agent(writer)", "Task(writer, critic)"],
        ["Read, Grep", "Read Grep"],
        ["mcp__db__query", "mcp__db__describe", "mcp__db", "mcp__db__*", "mcp__db__q(x)"],
        ["mcp__db__query, Read"],
    ],
    ids=repr,
)
@pytest.mark.parametrize("key", ["tools", "disallowed_tools"])
def test_no_word_about_tools_that_exist(key, tools):
    assert of_agent(**{key: tools}) == []
    assert of_session(**{key: tools}) == []


@pytest.mark.parametrize("key", ["tools", "disallowed_tools"])
@pytest.mark.parametrize(
    ("entry", "name", "hint"),
    [
        ("WebSerach", "WebSerach", "did you mean 'WebSearch'?"),
        ("web_search", "web_search", "did you mean 'WebSearch'?"),
        ("read", "read", "did you mean 'Read'?"),
        ("Zebra", "Zebra", IGNORED),
        ("Read, Gerp", "Gerp", "did you mean 'Grep'?"),
        ("Zebra(x, y)", "Zebra", IGNORED),
        ("mcp__db__query please", "please", IGNORED),
        ("mcp_db_query", "mcp_db_query", IGNORED),
        ("", "", IGNORED),
        (",", ",", IGNORED),
        ("\x1b[31m", "\\x1b[31m", IGNORED),
    ],
)
def test_a_tool_that_nothing_knows_is_named_with_the_three_accepted_patterns(
    key, entry, name, hint
):
    expected = f"warning: {key}[1]: tool '{name}' {NO_KNOWN_TOOL}; {hint} [unknown-tool]"
    assert of_agent(**{key: ["Read", entry]}) == [expected]
    assert of_session(**{key: ["Read", entry]}) == [expected]


def test_each_odd_tool_of_an_entry_is_named():
    codes = [
        (problem.path, problem.code)
        for problem in agent_problems({"tools": ["LS, Foo", "Read", "Bar"]}.get)
    ]
    assert codes == [
        (("tools", 0), "removed-tool"),
        (("tools", 0), "unknown-tool"),
        (("tools", 2), "unknown-tool"),
    ]


def test_tools_of_the_host_are_known():
    tools = ["price-list", "price-list(x)", "Read, price-list", "price list"]
    assert of_agent(tools=tools, bridged={"price-list", "price list"}) == []
    assert len(of_agent(tools=tools)) == 5


@pytest.mark.parametrize("name", sorted(REMOVED))
def test_a_tool_that_is_no_more(name):
    said = f"Claude Code no longer has the tool '{name}'; it is ignored [removed-tool]"
    assert of_agent(tools=[name]) == [f"warning: tools[0]: {said}"]
    assert of_agent(disallowed_tools=[name]) == [f"warning: disallowed_tools[0]: {said}"]
    assert of_session(allowed_tools=[name]) == [f"warning: allowed_tools[0]: {said}"]


@pytest.mark.parametrize("name", sorted(NOT_FOR_SUBAGENTS))
def test_a_tool_that_no_subagent_gets(name):
    assert of_agent(tools=[name]) == [
        f"warning: tools[0]: no subagent gets the tool '{name}'; it is ignored [unavailable-tool]"
    ]
    assert of_agent(disallowed_tools=[name]) == []
    assert of_session(tools=[name]) == []


def test_a_rule_in_parentheses_does_not_hold_a_subagent_back():
    entry = "Bash(git log, git diff)"
    assert of_agent(tools=[entry]) == [
        (
            "warning: tools[0]: the rule '(git log, git diff)' is ignored: the subagent gets all of"
            " Bash; write 'Bash' if that is meant [tool-rule-ignored]"
        )
    ]
    assert of_agent(disallowed_tools=[entry]) == [
        (
            "warning: disallowed_tools[0]: the rule '(git log, git diff)' is ignored: all of Bash"
            " is taken away; write 'Bash' if that is meant [tool-rule-ignored]"
        )
    ]


def test_rules_in_parentheses_are_what_a_session_has_them_for():
    assert of_session(allowed_tools=["Bash(git log:*)"], disallowed_tools=["Bash(rm *)"]) == []


def test_a_preset_of_tools_is_not_looked_into():
    assert of_session(tools={"type": "preset", "preset": "claude_code"}) == []


@pytest.mark.parametrize(
    ("host", "names"),
    [
        ({"tools": [{"name": "a"}, {"name": "b", "type": "mcp"}]}, ["a", "b"]),
        ({"tools": ({"name": "a"},)}, ["a"]),
        ({"tools": [{"name": 1}, {"type": "mcp"}, "a", None]}, []),
        ({"tools": {"name": "a"}}, []),
        ({"tools": "name"}, []),
        ({}, []),
        (None, []),
        ([], []),
    ],
    ids=repr,
)
def test_the_tools_that_a_host_bridges(host, names):
    assert bridged_tools(host) == frozenset(names)


# Models


@pytest.mark.parametrize(
    "model",
    [
        "sonnet",
        "opus",
        "haiku",
        "inherit",
        "fable",
        "best",
        "opusplan",
        "Sonnet",
        "opus[1m]",
        "claude-sonnet-4-5",
        "us.anthropic.claude-opus-4-7-v1:0",
        "anthropic/claude-haiku-4.5",
    ],
)
def test_no_word_about_models_that_exist(model):
    assert of_agent(model=model) == []
    assert of_session(model=model, fallback_model=model) == []


@pytest.mark.parametrize(
    ("model", "hint"),
    [
        ("sonet", "did you mean 'sonnet'?"),
        ("Opuss", "did you mean 'opus'?"),
        ("gpt", f"aliases are {ALIASES}"),
        ("claude sonnet", f"aliases are {ALIASES}"),
        ("[1m]", f"aliases are {ALIASES}"),
    ],
)
def test_a_model_that_is_neither_alias_nor_id(model, hint):
    said = f"'{model}' is not a model alias or id; {hint} [unknown-model]"
    assert of_agent(model=model) == [f"error: model: {said}"]
    assert of_session(model=model, fallback_model=model) == [
        f"error: model: {said}",
        f"error: fallback_model: {said}",
    ]


@pytest.mark.parametrize("model", ["gpt-4", "gemini-2.5-pro", "qwen/qwen3"])
def test_a_model_of_somebody_else_is_sent_as_it_is(model):
    said = f"Claude Code does not know the model '{model}' and sends it as it is"
    assert of_agent(model=model) == [f"warning: model: {said} [unusual-model]"]


# The rest


def test_a_file_that_chooses_the_program():
    assert of_session(cli_path="/tmp/claude") == [  # noqa: S108 - never run
        (
            "warning: cli_path: the file chooses the program that is run as Claude Code:"
            " '/tmp/claude'; give cli_path to build_options instead, if you did not write the file"
            " [file-chooses-program]"
        )
    ]


def test_keys_of_servers_and_hooks_that_claude_code_ignores():
    servers = [{"db": {"command": "db", "comand": "x"}}]
    hooks = {"Stop": [{"hooks": [{"type": "command", "command": "x", "timout": 1}]}]}
    assert of_agent(mcp_servers=servers, hooks=hooks) == [
        (
            "warning: mcp_servers[0].db.comand: the key 'comand' is ignored here;"
            " did you mean 'command'? [ignored-key]"
        ),
        (
            "warning: hooks.Stop[0].hooks[0].timout: the key 'timout' is ignored here;"
            " did you mean 'timeout'? [ignored-key]"
        ),
    ]


def test_an_error_in_servers_and_hooks_does_not_hide_ignored_keys():
    servers = [{"db": {"command": 1, "comand": "x"}}]
    hooks = {"Stop": [{"hooks": [{"type": "command", "timout": 1}]}]}
    with pytest.raises(SpecError) as caught:
        make_converter(None).structure(
            {**AGENT, "mcp_servers": servers, "hooks": hooks}, SubagentSpec
        )
    codes = sorted(problem.code for problem in caught.value.problems)
    assert codes == ["ignored-key", "ignored-key", "missing-key", "wrong-type"]


# Warnings of what loads


def test_an_odd_tool_is_a_warning_and_loads():
    text = "agents: {writer: {description: Writes., prompt: Write., tools: [WebSerach]}}"
    with pytest.warns(SpecWarning) as caught:
        config = loads(text)
    assert config.agents["writer"].tools == ("WebSerach",)
    (warning,) = caught
    assert issubclass(warning.category, UserWarning)
    assert warning.message.problem.path == ("agents", "writer", "tools", 0)
    assert str(warning.message) == (
        f"<text>:1:65: warning: agents.writer.tools[0]: tool 'WebSerach' {NO_KNOWN_TOOL};"
        " did you mean 'WebSearch'? [unknown-tool]"
    )


@pytest.mark.parametrize(
    "tools",
    ["[]", "[Read, WebSearch]", "[mcp__db__query, mcp__db__describe]", None, "[price-list]"],
)
def test_no_warning_for_tools_that_are_right(tools):
    line = "" if tools is None else f"      tools: {tools}\n"
    config = loads(
        f"""
tools: [{{name: price-list, type: vectorstore}}]
claude:
  agents:
    writer:
      description: Writes.
      prompt: Write.
{line}""",
        format="holodeck",
    )
    assert (config.agents["writer"].tools is None) == (tools is None)


def test_rules_and_faults_are_found_together(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text(
        "agents: {a: {description: 1, prompt: p, tools: [Foo, Read], model: sonet}}\nmodel: sonet\n"
    )
    assert [problem.code for problem in check(path)] == [
        "wrong-type",
        "unknown-tool",
        "unknown-model",
        "unknown-model",
    ]


def test_rules_hold_for_files_not_for_objects():
    config = ClaudeConfig(agents={"a": SubagentSpec("Writes.", "Write.", tools=("Foo",))})
    assert config.agents["a"].tools == ("Foo",)
