"""What leaves for the Claude Agent SDK: exactly what was said, or a word about the rest."""

from __future__ import annotations

import dataclasses
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve, fields
from hypothesis import given
from hypothesis import strategies as st

import subspec
from subspec import ClaudeConfig, SpecError, SpecWarning, SubagentSpec
from subspec.runtimes import claude_sdk

FIXTURES = Path(__file__).parent.parent / "fixtures"
RESEARCH_TEAM = "research-team/team.yaml"
SOUND = (
    RESEARCH_TEAM,
    "disjoint-mcp/team.yaml",
    "holodeck/agent.yaml",
    "claude-cli/agents.json",
)
MIB = 1024 * 1024

# The attributes of AgentDefinition, each with the field that it is built from.
OF_DEFINITION = {
    "description": "description",
    "prompt": "prompt",
    "tools": "tools",
    "disallowedTools": "disallowed_tools",
    "model": "model",
    "skills": "skills",
    "memory": "memory",
    "mcpServers": "mcp_servers",
    "initialPrompt": "initial_prompt",
    "maxTurns": "max_turns",
    "background": "background",
    "effort": "effort",
    "permissionMode": "permission_mode",
}


@pytest.fixture(scope="session")
def sdk():
    return pytest.importorskip("claude_agent_sdk", reason="needs the extra subspec[claude]")


@pytest.fixture
def missing_sdk(monkeypatch):
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)


@pytest.fixture(autouse=True)
def _with_the_sdk_unless_it_has_to_be_missing(request):
    if "missing_sdk" not in request.fixturenames:
        request.getfixturevalue("sdk")


def spec(**values: Any) -> SubagentSpec:
    return SubagentSpec(**{"description": "Counts.", "prompt": "Count.", **values})


def config(_agents: Mapping[str, SubagentSpec] | None = None, **values: Any) -> ClaudeConfig:
    return ClaudeConfig(agents={"counter": spec()} if _agents is None else _agents, **values)


def built(made: SubagentSpec) -> Any:
    return subspec.build_agents({"counter": made})["counter"]


def thawed(value: Any) -> Any:
    """Make lists and dicts of what is frozen, in the shortest way there is."""
    if isinstance(value, tuple):
        return [thawed(item) for item in value]
    if isinstance(value, Mapping):
        return {key: thawed(item) for key, item in value.items()}
    return value


def plain_types(value: Any) -> set[type]:
    """Name the types of all that a value holds."""
    items = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return {type(value)}.union(*map(plain_types, items))


# One to one.

TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
WORDS = TEXT.filter(lambda text: text.strip().strip("\ufeff"))
NAMES = st.lists(TEXT, max_size=3)
FLAG = st.booleans()
COUNT = st.integers(1, 10**6)
DATA = st.recursive(
    st.none() | FLAG | st.integers(-99, 99) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=6,
)
MAP = st.dictionaries(TEXT, DATA, max_size=3)
SERVER = st.fixed_dictionaries(
    {"command": WORDS},
    optional={"args": NAMES, "env": st.dictionaries(TEXT, TEXT, max_size=2)},
)
SERVER_NAMES = TEXT.filter(lambda name: name != "__proto__")
LEVEL = st.sampled_from(["low", "medium", "high", "xhigh", "max"])
MODE = st.sampled_from(["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto"])

REQUIRED = {"description": WORDS, "prompt": WORDS}
OF_SPEC: dict[str, st.SearchStrategy[Any]] = {
    "tools": NAMES,
    "disallowed_tools": NAMES,
    "model": WORDS,
    "skills": NAMES,
    "memory": st.sampled_from(["user", "project", "local"]),
    "mcp_servers": st.lists(TEXT | st.dictionaries(SERVER_NAMES, SERVER, min_size=1, max_size=1)),
    "initial_prompt": TEXT,
    "max_turns": COUNT,
    "background": FLAG,
    "effort": LEVEL | st.integers(-5, 99),
    "permission_mode": MODE | st.just("manual"),
}
SPECS = st.fixed_dictionaries(REQUIRED, optional=OF_SPEC)
OF_CONFIG: dict[str, st.SearchStrategy[Any]] = {
    "model": WORDS,
    "system_prompt": TEXT | MAP,
    "tools": NAMES | st.just({"type": "preset", "preset": "claude_code"}),
    "allowed_tools": NAMES,
    "disallowed_tools": NAMES,
    "mcp_servers": TEXT | MAP,
    "strict_mcp_config": FLAG,
    "permission_mode": MODE,
    "permission_prompt_tool_name": WORDS,
    "skills": NAMES | st.just("all"),
    "setting_sources": st.lists(st.sampled_from(["user", "project", "local"]), max_size=3),
    "settings": WORDS,
    "plugins": st.lists(MAP, max_size=2),
    "cwd": WORDS,
    "add_dirs": NAMES,
    "env": st.dictionaries(TEXT, TEXT, max_size=3),
    "cli_path": WORDS,
    "extra_args": st.dictionaries(TEXT, st.none() | TEXT, max_size=3),
    "max_turns": COUNT,
    "max_budget_usd": st.floats(0.01, 99) | COUNT,
    "max_buffer_size": COUNT,
    "max_thinking_tokens": st.integers(0, 99),
    "thinking": MAP,
    "effort": LEVEL,
    "fallback_model": WORDS,
    "task_budget": MAP,
    "betas": NAMES,
    "output_format": MAP,
    "sandbox": MAP,
    "user": WORDS,
    "client_app": TEXT,
    "continue_conversation": FLAG,
    "resume": WORDS,
    "resume_session_at": WORDS,
    "resume_drops_turn": WORDS,
    "fork_session": FLAG,
    "session_id": WORDS,
    "session_store_flush": st.sampled_from(["batched", "eager"]),
    "load_timeout_ms": st.integers(0, 99),
    "include_partial_messages": FLAG,
    "include_hook_events": FLAG,
    "forward_subagent_text": FLAG,
    "verbatim_prompts": FLAG,
    "enable_file_checkpointing": FLAG,
}
CONFIGS = st.fixed_dictionaries({}, optional=OF_CONFIG)


@given(st.dictionaries(st.sampled_from(["a", "b", "研"]), SPECS, max_size=3))
def test_every_field_arrives_as_it_is(sdk, agents):
    made = subspec.build_agents({name: spec(**values) for name, values in agents.items()})

    assert list(made) == list(agents)
    for name, values in agents.items():
        assert type(made[name]) is sdk.AgentDefinition
        for attribute, field in OF_DEFINITION.items():
            value = getattr(made[name], attribute)
            assert value == values.get(field)
            assert plain_types(value) <= {dict, list, str, int, bool, type(None)}


@given(CONFIGS)
def test_every_option_arrives_as_it_is(sdk, values):
    known = {field.name for field in dataclasses.fields(sdk.ClaudeAgentOptions)}
    values = {name: value for name, value in values.items() if name in known}

    options = subspec.build_options(ClaudeConfig(**values))

    assert type(options) is sdk.ClaudeAgentOptions
    unset = sdk.ClaudeAgentOptions()
    for name in known:
        value = getattr(options, name)
        assert value == values.get(name, getattr(unset, name))
        if name in values:
            assert plain_types(value) <= {dict, list, str, int, float, bool, type(None)}


def test_the_tables_above_name_every_field():
    assert REQUIRED.keys() | OF_SPEC.keys() == set(OF_DEFINITION.values())
    of_spec = {attribute.name for attribute in fields(SubagentSpec)} - {"origin"}
    assert set(OF_DEFINITION.values()) == of_spec - claude_sdk.FILE_ONLY
    of_config = {attribute.name for attribute in fields(ClaudeConfig)}
    assert set(OF_CONFIG) == of_config - {"agents", "extra", "host", "origin"}


@pytest.mark.parametrize(
    ("tools", "arrives"),
    [
        pytest.param(None, None, id="inherit"),
        pytest.param([], [], id="none"),
        pytest.param(["Read", "mcp__db__query"], ["Read", "mcp__db__query"], id="list"),
    ],
)
@pytest.mark.parametrize("field", ["tools", "disallowed_tools", "skills", "mcp_servers"])
def test_left_out_none_and_some_stay_apart(field, tools, arrives):
    attribute = {ours: theirs for theirs, ours in OF_DEFINITION.items()}[field]

    value = getattr(built(spec(**{field: tools})), attribute)

    assert value == arrives
    assert type(value) is type(arrives)


def test_the_three_states_of_the_tools_of_a_session(sdk):
    default = sdk.ClaudeAgentOptions().tools

    def tools(**values: Any) -> Any:
        return subspec.build_options(ClaudeConfig(**values)).tools

    assert tools() == default
    assert tools(tools=[]) == []
    assert tools(tools=["Read", "Agent"]) == ["Read", "Agent"]
    assert tools(tools={"type": "preset", "preset": "claude_code"}) == {
        "type": "preset",
        "preset": "claude_code",
    }


def test_an_allow_list_of_one_servers_tools_arrives_letter_for_letter():
    text = """
    agents:
      db_analyst:
        description: Answers from the database.
        prompt: Use SQL.
        tools: [mcp__db__query, mcp__db__describe]
    mcp_servers: {db: {command: db-server}}
    """

    tools = subspec.build_options(subspec.loads(text)).agents["db_analyst"].tools

    assert type(tools) is list
    assert tools == ["mcp__db__query", "mcp__db__describe"]


def test_agents_of_one_session_share_no_tools_they_were_not_given():
    text = """
    agents:
      db_analyst: {description: Asks the database., prompt: Use SQL., tools: [mcp__db__query]}
      researcher: {description: Searches., prompt: Search., tools: [WebSearch, WebFetch]}
      critic: {description: Thinks., prompt: Think., tools: []}
      writer: {description: Writes., prompt: Write.}
    mcp_servers: {db: {command: db-server}}
    """

    options = subspec.build_options(subspec.loads(text))

    assert {name: agent.tools for name, agent in options.agents.items()} == {
        "db_analyst": ["mcp__db__query"],
        "researcher": ["WebSearch", "WebFetch"],
        "critic": [],
        "writer": None,
    }
    assert options.mcp_servers == {"db": {"command": "db-server"}}


@pytest.mark.parametrize("path", SOUND)
def test_the_agents_of_a_fixture(path, snapshot):
    agents = subspec.build_agents(subspec.load(FIXTURES / path))

    assert {name: dataclasses.asdict(agent) for name, agent in agents.items()} == snapshot


@pytest.mark.filterwarnings("ignore:.*ClaudeAgentOptions has no field for bash")
@pytest.mark.parametrize("path", SOUND)
def test_the_options_of_a_fixture(path, sdk, snapshot):
    options = subspec.build_options(subspec.load(FIXTURES / path))

    unset = sdk.ClaudeAgentOptions()
    said = {
        name: value
        for name, value in vars(options).items()
        if name != "agents" and value != getattr(unset, name)
    }
    assert options.agents == subspec.build_agents(subspec.load(FIXTURES / path))
    assert said == snapshot


def test_a_mapping_of_specs_will_do():
    agents = {"counter": spec(tools=["Read"])}

    assert subspec.build_agents(agents) == subspec.build_agents(ClaudeConfig(agents=agents))


@pytest.mark.parametrize("nothing", [ClaudeConfig(), {}], ids=["config", "mapping"])
def test_no_agents_are_none(nothing):
    assert subspec.build_agents(nothing) == {}


def test_options_without_agents_have_none():
    assert subspec.build_options(ClaudeConfig()).agents is None


def test_a_name_that_claude_code_drops_is_refused():
    with pytest.raises(SpecError, match="'-dash'"):
        subspec.build_agents({"-dash": spec()})


def test_a_spec_is_unstructured_as_a_definition(sdk):
    made = spec(tools=["Read"], max_turns=3)

    converter = subspec.make_converter(None)

    assert converter.unstructure(made, unstructure_as=sdk.AgentDefinition) == built(made)


# New objects each time.


def test_what_was_built_can_be_changed_without_an_effect_on_the_spec():
    server = {"db": {"command": "psql", "args": ["-q"], "env": {"PG_USER": "me"}}}
    made = spec(tools=["Read"], skills=[], mcp_servers=[server])
    untouched = evolve(made)

    first, second = built(made), built(made)
    first.tools.append("Bash")
    first.skills.append("pdf")
    first.mcpServers[0]["db"]["args"].append("-x")
    first.mcpServers[0]["db"]["env"].clear()

    assert second.tools == ["Read"]
    assert second.skills == []
    assert second.mcpServers == [server]
    assert made == untouched
    assert built(made) == second


def test_the_options_can_be_changed_without_an_effect_on_the_configuration():
    made = config(env={"A": "1"}, add_dirs=["docs"], sandbox={"network": {"ports": [1]}})
    untouched = evolve(made)

    first, second = subspec.build_options(made), subspec.build_options(made)
    first.env.clear()
    first.add_dirs.append("src")
    first.sandbox["network"]["ports"].append(2)
    first.agents["counter"].description = "Something else."

    assert (second.env, second.add_dirs) == ({"A": "1"}, ["docs"])
    assert second.sandbox == {"network": {"ports": [1]}}
    assert second.agents["counter"].description == "Counts."
    assert made == untouched


# Overrides.


def test_an_override_takes_the_place_of_what_the_configuration_says():
    made = config(model="haiku", max_turns=3, permission_mode="plan", env={"A": "1"})

    options = subspec.build_options(made, model="opus", max_turns=None, env={"B": "2"})

    assert (options.model, options.max_turns, options.env) == ("opus", None, {"B": "2"})
    assert options.permission_mode == "plan"


def test_agents_can_be_overridden_as_well(sdk):
    agents = {"other": sdk.AgentDefinition(description="d", prompt="p")}
    made = config({"counter": spec(color="red")})

    # And nobody is warned of what agents lose that are not used.
    assert subspec.build_options(made, agents=agents).agents is agents
    assert subspec.build_options(made, agents=None).agents is None


def test_live_objects_pass_through(sdk):
    async def can_use_tool(*_: object) -> None:
        raise NotImplementedError

    def stderr(line: str) -> None:
        raise NotImplementedError

    live = {
        "can_use_tool": can_use_tool,
        "hooks": {"PreToolUse": [sdk.HookMatcher(matcher="Bash")]},
        "mcp_servers": {"db": sdk.create_sdk_mcp_server("db")},
        "stderr": stderr,
    }

    options = subspec.build_options(config(mcp_servers={"other": {"command": "x"}}), **live)

    assert {name: getattr(options, name) is value for name, value in live.items()} == dict.fromkeys(
        live, True
    )


@pytest.mark.parametrize(
    "name", ["max_turn", "maxTurns", "extra", "host", "origin", "prompt", "disallowedTools"]
)
def test_an_override_that_is_no_option_is_refused(name):
    with pytest.raises(TypeError, match=f"unexpected keyword argument '{name}'"):
        subspec.build_options(config(), **{name: None})


# What cannot reach the session.

FILE_ONLY_VALUES = {
    "color": "red",
    "hooks": {"Stop": []},
    "isolation": "worktree",
    "omit_claude_md": False,
    "auto_compact_window": 100_000,
    "observer": "watcher",
    "observer_message": "",
    "observe_subagents": True,
    "observe_tool_results": False,
    "extra": {"team": None},
}


def problems_of(caught: Any) -> list[subspec.Problem]:
    assert {type(each.message) for each in caught} <= {SpecWarning}
    return [each.message.problem for each in caught]


def test_every_field_that_only_files_have_is_tried_below():
    assert set(FILE_ONLY_VALUES) == claude_sdk.FILE_ONLY


@pytest.mark.parametrize("field", sorted(FILE_ONLY_VALUES))
def test_a_key_that_only_files_have_is_warned_of_by_name(field):
    key = "team" if field == "extra" else field
    agents = {"plain": spec(), "counter": spec(**{field: FILE_ONLY_VALUES[field]})}

    with pytest.warns(SpecWarning) as caught:
        made = subspec.build_agents(agents)

    (problem,) = problems_of(caught)
    assert str(problem) == (
        f"warning: agents.counter.{key}: AgentDefinition has no field for {key};"
        " it does not reach the session [not-in-runtime]"
    )
    assert made["counter"] == made["plain"]


def test_several_keys_are_named_one_by_one_with_file_and_line(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text(
        """\
agents:
  plain: {description: d, prompt: p}
  counter:
    description: Counts.
    prompt: Count.
    color: red
    omit_claude_md: true
    extra: {team: sums, floor: 3}
""",
        encoding="utf-8",
    )
    loaded = subspec.load(path)

    with pytest.warns(SpecWarning) as caught:
        subspec.build_agents(loaded)

    problems = problems_of(caught)
    assert [problem.path[2] for problem in problems] == ["color", "team", "floor", "omit_claude_md"]
    for problem in problems:
        assert (problem.file, problem.span) == (str(path), loaded.agents["counter"].origin.span)
        assert str(problem).startswith(f"{path}:4:5: warning: agents.counter.")


def test_keys_from_text_have_a_line_and_no_file():
    loaded = subspec.loads("agents:\n  a:\n    {description: d, prompt: p, color: red}\n")

    with pytest.warns(SpecWarning, match=r"^<text>:3:5: warning: agents\.a\.color: ") as caught:
        subspec.build_agents(loaded)

    (problem,) = problems_of(caught)
    assert problem.file is None


def test_unstructuring_a_spec_names_what_is_lost_too(sdk):
    converter = subspec.make_converter(None)

    with pytest.warns(SpecWarning, match="has no field for color"):
        converter.unstructure(spec(color="red"), unstructure_as=sdk.AgentDefinition)


@pytest.mark.parametrize("build", [subspec.build_agents, subspec.build_options])
def test_a_warning_stands_at_the_line_of_the_caller(build):
    made = config({"counter": spec(color="red"), "other": spec(color="blue")}, extra={"x": 1})

    with pytest.warns(SpecWarning) as caught:
        build(made)  # this line

    assert {each.filename for each in caught} == {__file__}
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    assert {lines[each.lineno - 1].strip() for each in caught} == {"build(made)  # this line"}
    assert len(caught) == (2 if build is subspec.build_agents else 3)


def test_a_key_of_the_configuration_that_no_option_takes_is_named(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text("extra: {team: sums, floor: 3}\nmax_turns: 3\n", encoding="utf-8")

    with pytest.warns(SpecWarning) as caught:
        options = subspec.build_options(subspec.load(path))

    assert [str(problem) for problem in problems_of(caught)] == [
        f"{path}: warning: {key}: ClaudeAgentOptions has no field for {key}; it is left out"
        " [not-in-runtime]"
        for key in ("team", "floor")
    ]
    assert options.max_turns == 3


def test_keys_of_the_host_are_not_the_sessions_and_go_unmentioned():
    assert subspec.build_options(config(host={"name": "desk"})).agents.keys() == {"counter"}


def test_keys_that_holodeck_acts_on_are_named():
    loaded = subspec.load(FIXTURES / "holodeck" / "agent.yaml")

    with pytest.warns(SpecWarning) as caught:
        subspec.build_options(loaded)

    assert [problem.path for problem in problems_of(caught)] == [("bash",)]


# What keeps a session from its subagents.


@pytest.mark.parametrize(
    "values",
    [
        pytest.param({}, id="left-out"),
        pytest.param({"tools": ["Read", "Agent"]}, id="agent"),
        pytest.param({"tools": ["Task"]}, id="alias"),
        pytest.param({"tools": ["Read, Agent"]}, id="with-a-comma"),
        pytest.param({"tools": ["Read Task Grep"]}, id="with-blanks"),
        pytest.param({"tools": ["default"]}, id="default"),
        pytest.param({"tools": {"type": "preset", "preset": "claude_code"}}, id="preset"),
        pytest.param({"disallowed_tools": []}, id="nothing-taken"),
        pytest.param({"disallowed_tools": ["Bash", "Agents"]}, id="other-taken"),
        pytest.param({"disallowed_tools": ["Agent(counter)"]}, id="one-agent-taken"),
        pytest.param({"allowed_tools": ["Read"]}, id="allowed-is-not-a-limit"),
    ],
)
def test_a_session_that_reaches_its_subagents_is_not_warned_of(values):
    assert subspec.build_options(config(**values)).agents.keys() == {"counter"}


@pytest.mark.parametrize(
    "tools",
    [
        pytest.param([], id="none"),
        pytest.param(["Read"], id="other"),
        pytest.param(["agent", "Agents"], id="nearly"),
        # With a rule it is no tool of the session, as Claude Code sees it.
        pytest.param(["Read", "Agent(counter)"], id="rule"),
        pytest.param(["*"], id="star"),
    ],
)
def test_tools_that_do_not_name_agent_are_warned_of(tools):
    with pytest.warns(SpecWarning) as caught:
        options = subspec.build_options(config(tools=tools))

    (problem,) = problems_of(caught)
    assert str(problem) == (
        "warning: tools: tools does not name 'Agent', so the session cannot reach its subagents;"
        " add 'Agent' to it [no-agent-tool]"
    )
    assert options.tools == tools


@pytest.mark.parametrize(
    "tools",
    [
        pytest.param(["Agent"], id="agent"),
        pytest.param(["Task"], id="alias"),
        pytest.param(["Bash, Agent"], id="with-a-comma"),
        pytest.param(["Agent(*)"], id="every-agent"),
    ],
)
def test_disallowed_tools_that_name_agent_are_warned_of(tools):
    with pytest.warns(SpecWarning) as caught:
        subspec.build_options(config(disallowed_tools=tools))

    (problem,) = problems_of(caught)
    assert str(problem) == (
        "warning: disallowed_tools: disallowed_tools names 'Agent', so the session cannot reach its"
        " subagents; take it out [no-agent-tool]"
    )


def test_the_warning_names_the_file(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text("agents: {a: {description: d, prompt: p}}\ntools: [Read]\n", encoding="utf-8")

    with pytest.warns(SpecWarning, match=r"team\.yaml: warning: tools: tools does not name"):
        subspec.build_options(subspec.load(path))


def test_without_agents_the_tools_are_nobodys_business():
    assert subspec.build_options(ClaudeConfig(tools=["Read"])).tools == ["Read"]
    assert subspec.build_options(config(tools=["Read"]), agents={}).agents == {}


def test_the_warning_goes_by_the_overrides():
    assert subspec.build_options(config(tools=["Read"]), tools=["Agent"]).tools == ["Agent"]
    with pytest.warns(SpecWarning, match="does not name 'Agent'"):
        subspec.build_options(config(tools=["Agent"]), tools=["Read"])


# Too much for the SDK's buffer.


def long_descriptions(length: int, character: str = "x") -> ClaudeConfig:
    half = spec(description=character * (length // 2))
    return config({"one": half, "two": half})


def test_descriptions_that_do_not_fit_into_the_buffer_are_refused():
    with pytest.raises(SpecError) as caught:
        subspec.build_options(long_descriptions(MIB + 2))

    (problem,) = caught.value.problems
    assert (problem.code, problem.severity) == ("descriptions-too-large", "error")
    assert problem.path == ("agents",)
    assert re.fullmatch(
        r"the descriptions of the agents take 1,048,6\d\d \w+, and the SDK reads 1,048,576",
        problem.message,
    )


def test_the_hint_names_a_buffer_that_is_large_enough():
    made = long_descriptions(MIB + 2)
    with pytest.raises(SpecError) as caught:
        subspec.build_options(made)
    wanted = int(caught.value.problems[0].hint.partition("max_buffer_size to ")[2].split()[0])

    assert wanted > 2 * MIB
    assert subspec.build_options(made, max_buffer_size=wanted).max_buffer_size == wanted
    assert subspec.build_options(evolve(made, max_buffer_size=wanted)).agents is not None


def test_an_override_of_the_buffer_is_what_counts():
    made = evolve(long_descriptions(1000), max_buffer_size=500)

    assert subspec.build_options(made, max_buffer_size=None).max_buffer_size is None
    with pytest.raises(SpecError, match="and the SDK reads 1,000;"):
        subspec.build_options(evolve(made, max_buffer_size=10**9), max_buffer_size=1000)


def test_descriptions_below_the_limit_are_fine():
    assert len(subspec.build_options(long_descriptions(MIB - 1000)).agents) == 2


@pytest.mark.parametrize(
    "character", ["\n", '"', "\\", "\x01"], ids=["newline", "quote", "backslash", "control"]
)
def test_what_json_escapes_counts_as_it_is_sent(character):
    half = spec(description=f"d{character * (MIB // 3)}")

    with pytest.raises(SpecError, match="descriptions-too-large"):
        subspec.build_options(config({"one": half, "two": half}))


@pytest.mark.parametrize("character", ["é", "研", "🙂"])
def test_the_sdk_counts_characters_and_not_bytes(character):
    # Its limit says "bytes", but what it measures is decoded text.
    made = long_descriptions(MIB - 1000, character)

    assert len(subspec.build_options(made).agents) == 2


# SDKs that are missing or old.


@pytest.mark.parametrize(
    "build",
    [
        pytest.param(lambda: subspec.build_agents({"counter": spec()}), id="agents"),
        pytest.param(lambda: subspec.build_options(ClaudeConfig()), id="options"),
        pytest.param(lambda: claude_sdk.agent_definition(spec()), id="definition"),
    ],
)
@pytest.mark.usefixtures("missing_sdk")
def test_a_missing_sdk_is_asked_for_by_its_extra(build):
    with pytest.raises(ImportError) as caught:
        build()

    assert str(caught.value) == (
        "building for Claude needs claude-agent-sdk; install it with: pip install 'subspec[claude]'"
    )
    assert isinstance(caught.value.__cause__, ImportError)


@pytest.fixture
def old_sdk(sdk, monkeypatch):
    """Put an SDK in place whose classes lack fields."""

    def install(cls: str, *missing: str) -> None:
        new = getattr(sdk, cls)
        kept = [
            (field.name, field.type, dataclasses.field(default=None))
            for field in dataclasses.fields(new)
            if field.name not in missing
        ]
        monkeypatch.setattr(sdk, cls, dataclasses.make_dataclass(cls, kept))
        monkeypatch.setattr(claude_sdk, "version", {"claude-agent-sdk": "0.1.30"}.__getitem__)

    return install


def test_an_old_sdk_that_lacks_a_field_of_an_agent_is_named_with_the_one_needed(old_sdk):
    old_sdk("AgentDefinition", "maxTurns", "effort", "background")

    with pytest.raises(SpecError) as caught:
        subspec.build_agents({"writer": spec(), "counter": spec(max_turns=3, effort="low")})

    assert [str(problem) for problem in caught.value.problems] == [
        f"error: agents.counter.{field}: claude-agent-sdk 0.1.30 has no AgentDefinition."
        f"{attribute}; it needs 0.1.54 or later; pip install 'claude-agent-sdk>=0.1.54'"
        " [sdk-too-old]"
        for attribute, field in (("effort", "effort"), ("maxTurns", "max_turns"))
    ]


def test_an_old_sdk_is_named_for_every_agent_at_once(old_sdk, tmp_path):
    old_sdk("AgentDefinition", "maxTurns")
    path = tmp_path / "team.yaml"
    agent = "{description: d, prompt: p, max_turns: 3}"
    path.write_text(f"agents:\n  a: {agent}\n  b: {agent}\n", encoding="utf-8")

    with pytest.raises(SpecError) as caught:
        subspec.build_agents(subspec.load(path))

    problems = caught.value.problems
    assert [(problem.file, problem.path) for problem in problems] == [
        (str(path), ("agents", name, "max_turns")) for name in ("a", "b")
    ]


def test_an_old_sdk_will_do_for_what_it_has(old_sdk):
    old_sdk("AgentDefinition", "maxTurns", "effort")

    assert built(spec(model="haiku")).model == "haiku"


def test_an_old_sdk_that_lacks_an_option_is_named_with_the_one_needed(old_sdk, tmp_path):
    old_sdk("ClaudeAgentOptions", "skills", "client_app", "max_turns")
    path = tmp_path / "team.yaml"
    path.write_text("skills: all\nclient_app: x\nmodel: haiku\n", encoding="utf-8")

    with pytest.raises(SpecError) as caught:
        subspec.build_options(subspec.load(path), max_turns=3)

    assert [str(problem) for problem in caught.value.problems] == [
        f"{path}: error: {name}: claude-agent-sdk 0.1.30 has no ClaudeAgentOptions.{name};"
        f" it needs {needed} or later; pip install 'claude-agent-sdk>={needed}' [sdk-too-old]"
        for name, needed in (
            ("client_app", "0.2.181"),
            ("max_turns", "0.1.54"),
            ("skills", "0.1.62"),
        )
    ]


def test_all_that_keeps_options_from_being_built_is_said_at_once(old_sdk):
    old_sdk("ClaudeAgentOptions", "skills")

    with pytest.raises(SpecError) as caught:
        subspec.build_options(evolve(long_descriptions(2 * MIB), skills=["pdf"], tools=["Read"]))

    codes = [problem.code for problem in caught.value.problems]
    assert codes == ["sdk-too-old", "no-agent-tool", "descriptions-too-large"]


# Nobody waits for the SDK who does not build.


@pytest.mark.parametrize(
    ("statement", "imported"),
    [
        (f"subspec.load({RESEARCH_TEAM!r})", False),
        (f"subspec.check({RESEARCH_TEAM!r})", False),
        (f"subspec.dumps(subspec.load({RESEARCH_TEAM!r}))", False),
        ("subspec.build_agents, subspec.make_converter(None)", False),
        (f"subspec.build_agents(subspec.load({RESEARCH_TEAM!r}))", True),
    ],
    ids=["load", "check", "dumps", "names", "build"],
)
def test_the_sdk_is_imported_to_build_and_for_nothing_else(statement, imported):
    code = f"import sys, subspec; {statement}; print('claude_agent_sdk' in sys.modules)"

    process = subprocess.run(
        [sys.executable, "-c", code],
        cwd=FIXTURES,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )

    assert process.stdout == f"{imported}\n"
