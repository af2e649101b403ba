"""The formats: which one a document is in, and what each says in which words."""

import json
from pathlib import Path

import pytest
import yaml
from attrs import evolve, fields
from hypothesis import given
from strategies import configs

from subspec import ClaudeConfig, SpecError, SpecWarning, SubagentSpec, check, dumps, load, loads
from subspec.formats import FORMATS, detect, find
from subspec.formats.claude_cli import camel
from subspec.problems import has_errors

AGENT = {"description": "Writes.", "prompt": "Write."}
WRITER = SubagentSpec("Writes.", "Write.")
TEAM = {"writer": WRITER}


def holodeck(section, **host):
    return loads(json.dumps({**host, "claude": section}), format="holodeck")


def claude_cli(**agent):
    return loads(json.dumps({"writer": {**AGENT, **agent}}), format="claude_cli").agents["writer"]


def faults(data, format):
    with pytest.raises(SpecError) as caught:
        loads(json.dumps(data), format=format)
    return [str(problem).partition(" ")[2] for problem in caught.value.problems]


# Which format

DOCUMENTS = [
    ("agents: {writer: {description: Writes., prompt: Write.}}", "agents"),
    ("permission_mode: plan", "agents"),
    ("model: opus", "agents"),
    ("agents: {}", "agents"),
    ("agents:", "agents"),
    ("agnets: {writer: {description: Writes., prompt: Write.}}", "agents"),
    ("{}", "agents"),
    ("[]", "agents"),
    ("text", "agents"),
    ("writer: {}", "agents"),
    ("writer: {description: 1}", "agents"),
    ("writer: {prompt: Write.}\nversion: 1", "agents"),
    ("agents: {prompt: {description: Writes prompts., prompt: Write.}}", "agents"),
    ("agents: {description: Writes., prompt: Write.}", "agents"),
    ("agents: {description: Writes., prompt: Write.}\nenv: {prompt: $}", "agents"),
    ("host: {name: x, description: Helps., instructions: {inline: Help.}}", "agents"),
    ("claude: {agents: {writer: {description: Writes., prompt: Write.}}}", "holodeck"),
    ("claude:", "holodeck"),
    ("claude: {}\nname: x", "holodeck"),
    ("claude: {}\nagents: {writer: {description: Writes., prompt: Write.}}", "agents"),
    ("model: opus\ninstructions: Be brief.", "agents"),
    ("a: {descripton: Writes.}\nb: {description: Writes., prompt: Write.}", "claude_cli"),
    ("name: x\nmodel: {provider: anthropic}\ninstructions: {inline: Help.}", "holodeck"),
    ("writer: {description: Writes., prompt: Write.}", "claude_cli"),
    ("writer: {prompt: Write.}", "claude_cli"),
    ("writer: {description: Writes., maxTurns: 3}", "claude_cli"),
    ("claude: {description: Writes., prompt: Write.}", "claude_cli"),
    (
        (
            "model: {description: Poses., prompt: Pose.}\n"
            "instructions: {description: Instructs., prompt: Instruct.}"
        ),
        "claude_cli",
    ),
]


@pytest.mark.parametrize(("text", "name"), DOCUMENTS, ids=[text for text, _ in DOCUMENTS])
def test_the_format_of_a_document_is_told_from_its_data(text, name):
    assert detect(yaml.safe_load(text)).name == name


def test_no_other_format_than_these():
    assert sorted(FORMATS) == ["agents", "claude_cli", "holodeck"]
    assert all(find(name) is each for name, each in FORMATS.items())
    assert all(name == each.name for name, each in FORMATS.items())


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("holodek", "unknown format 'holodek'; did you mean 'holodeck'?"),
        ("claude-cli", "unknown format 'claude-cli'; did you mean 'claude_cli'?"),
        ("Agents", "unknown format 'Agents'; did you mean 'agents'?"),
        ("gemni", "unknown format 'gemni'; did you mean 'gemini'?"),
        (
            "toml",
            (
                "unknown format 'toml'; there are 'agents', 'claude_cli', 'claude_code', 'codex',"
                " 'copilot', 'cursor', 'factory', 'gemini', 'holodeck', 'kiro', 'kiro_ide',"
                " 'opencode', 'pydantic_ai' or 'qwen'"
            ),
        ),
    ],
)
def test_the_name_of_no_format_is_refused_with_the_nearest_one(name, said):
    calls = [
        lambda: load("no-such-file.yaml", format=name),
        lambda: loads("{}", format=name),
        lambda: loads("- :", format=name),
        lambda: check("no-such-file.yaml", format=name),
        lambda: dumps(ClaudeConfig(), format=name),
    ]
    for call in calls:
        with pytest.raises(ValueError, match="unknown format") as caught:
            call()
        assert not isinstance(caught.value, SpecError)
        assert str(caught.value) == said


# The canonical one


def test_the_canonical_format_spells_every_field_by_its_own_name():
    config = ClaudeConfig(agents=TEAM, max_turns=3, host={"name": "x"}, extra={"y": 1})
    text = dumps(config)
    assert loads(text, format="agents") == config
    assert yaml.safe_load(text) == {
        "agents": {"writer": AGENT},
        "max_turns": 3,
        "extra": {"y": 1},
        "host": {"name": "x"},
    }


# HoloDeck

HOST_KEYS = [
    "bash",
    "file_system",
    "max_concurrent_sessions",
    "session_memory_estimate_mib",
    "i_understand_this_is_unsafe",
    "disable_default_hooks",
    "disable_subprocess_env_scrub",
]
THINKING = {"type": "enabled", "budget_tokens": 8000}
HOLODECK = [
    ("working_directory", "./work", "cwd", "./work"),
    ("permission_mode", "manual", "permission_mode", "default"),
    ("permission_mode", "acceptEdits", "permission_mode", "acceptEdits"),
    ("max_turns", 20, "max_turns", 20),
    ("extended_thinking", {"enabled": True, "budget_tokens": 8000}, "thinking", THINKING),
    ("extended_thinking", {"enabled": False}, "thinking", {"type": "disabled"}),
    ("allowed_tools", ["Read"], "allowed_tools", ("Read",)),
    ("allowed_tools", [], "allowed_tools", ()),
    ("disallowed_tools", ["Bash"], "disallowed_tools", ("Bash",)),
    ("effort", "low", "effort", "low"),
    ("effort", "max", "effort", "max"),
    ("max_budget_usd", 0.5, "max_budget_usd", 0.5),
    ("fallback_model", "sonnet", "fallback_model", "sonnet"),
    ("setting_sources", ["project"], "setting_sources", ("project",)),
    ("setting_sources", [], "setting_sources", ()),
]


@pytest.mark.parametrize(
    ("key", "value", "field", "canonical"),
    HOLODECK,
    ids=[f"{key}={value}" for key, value, _, _ in HOLODECK],
)
def test_each_key_of_holodeck_is_an_option_and_back(key, value, field, canonical):
    config = holodeck({key: value})
    assert config == ClaudeConfig(**{field: canonical})
    assert yaml.safe_load(dumps(config, format="holodeck")) == {"claude": {key: value}}


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"extended_thinking": {}}, {"thinking": {"type": "disabled"}}),
        ({"extended_thinking": {"budget_tokens": 5000}}, {"thinking": {"type": "disabled"}}),
        (
            {"extended_thinking": {"enabled": True}},
            {"thinking": {"type": "enabled", "budget_tokens": 10000}},
        ),
        ({"setting_sources": ["all"]}, {"setting_sources": ("user", "project", "local")}),
        ({"web_search": True}, {"allowed_tools": ("WebSearch",)}),
        ({"web_search": True, "allowed_tools": None}, {"allowed_tools": ("WebSearch",)}),
        (
            {"web_search": True, "allowed_tools": ["Read"]},
            {"allowed_tools": ("Read", "WebSearch")},
        ),
        (
            {"web_search": True, "allowed_tools": ["WebSearch", "Read"]},
            {"allowed_tools": ("WebSearch", "Read")},
        ),
        ({"web_search": False}, {}),
        ({"web_search": None}, {}),
        ({"agents": {}}, {}),
        ({"agents": None}, {}),
        (None, {}),
    ],
    ids=str,
)
def test_what_holodeck_says_in_its_own_way(section, expected):
    config = holodeck(section)
    assert config == ClaudeConfig(**expected)
    assert loads(dumps(config, format="holodeck"), format="holodeck") == config


def test_an_unsafe_mode_that_holodeck_refuses_is_warned_of():
    with pytest.warns(SpecWarning) as caught:
        config = holodeck({"permission_mode": "acceptAll"})
    assert config == ClaudeConfig(permission_mode="bypassPermissions")
    (warning,) = caught
    assert str(warning.message) == (
        "<text>:1:32: warning: claude.permission_mode: HoloDeck refuses permission_mode acceptAll"
        " without i_understand_this_is_unsafe: true [unsafe-mode]"
    )
    section = {"permission_mode": "acceptAll", "i_understand_this_is_unsafe": True}
    config = holodeck(section)
    assert config.extra == {"i_understand_this_is_unsafe": True}
    assert yaml.safe_load(dumps(config, format="holodeck")) == {"claude": section}


def test_an_agent_of_holodeck_has_five_keys(tmp_path):
    (tmp_path / "writer.md").write_text("Write.")
    section = {
        "a": {**AGENT, "tools": ["Read"], "model": "haiku"},
        "b": {"description": "Writes.", "prompt_file": "writer.md", "tools": []},
    }
    text = json.dumps({"claude": {"agents": section}})
    config = loads(text, format="holodeck", base_dir=tmp_path)
    assert config.agents == {
        "a": evolve(WRITER, tools=("Read",), model="haiku"),
        "b": evolve(WRITER, tools=()),
    }
    section["b"] = {**AGENT, "tools": []}
    assert yaml.safe_load(dumps(config, format="holodeck")) == {"claude": {"agents": section}}


def test_agents_outside_of_the_section_are_not_passed_over():
    data = {"claude": {"agents": {"a": AGENT}}, "agents": {"b": AGENT}}
    assert faults(data, "holodeck") == [
        "error: agents: HoloDeck does not read agents here; put it under 'claude:' [unknown-key]"
    ]


def test_what_only_holodeck_acts_on_is_kept():
    kept = {key: {"a": [1, None]} for key in HOST_KEYS}
    config = holodeck({**kept, "max_turns": 1}, name="desk", tools=[{"name": "x"}], other=None)
    assert config.extra == {key: {"a": (1, None)} for key in HOST_KEYS}
    assert config.host == {"name": "desk", "tools": ({"name": "x"},), "other": None}
    assert config.max_turns == 1
    assert yaml.safe_load(dumps(config, format="holodeck")) == {
        "name": "desk",
        "tools": [{"name": "x"}],
        "other": None,
        "claude": {"max_turns": 1, **kept},
    }


@pytest.mark.parametrize("model", ["sonnet", "opus", "haiku", "inherit"])
def test_holodeck_takes_four_models(model):
    assert holodeck({"agents": {"a": {**AGENT, "model": model}}}).agents["a"].model == model


@pytest.mark.parametrize("model", ["fable", "Sonnet", "opus[1m]", "claude-sonnet-4-5", "gpt-4"])
def test_holodeck_takes_no_other_model(model):
    (said,) = faults({"claude": {"agents": {"a": {**AGENT, "model": model}}}}, "holodeck")
    assert "claude.agents.a.model: must be 'sonnet', 'opus', 'haiku' or 'inherit', not" in said
    assert said.endswith("[not-a-choice]")


HOLODECK_FAULTS = [
    ("working_directory", 3, "must be text, not the number 3;"),
    ("permission_mode", "plan", "must be 'manual', 'acceptEdits' or 'acceptAll', not 'plan' ["),
    ("permission_mode", 2, "must be 'manual', 'acceptEdits' or 'acceptAll', not the number 2 ["),
    ("effort", "xhigh", "must be 'low', 'medium', 'high' or 'max', not 'xhigh'; did you mean"),
    ("effort", 1, "must be 'low', 'medium', 'high' or 'max', not the number 1 ["),
    ("extended_thinking", "on", "must be a mapping, not the text 'on' ["),
    ("setting_sources", "all", "must be a list, not the text 'all'; write it as a list: [all] ["),
    ("allowed_tools", "Read", "must be a list of text, not the text 'Read';"),
    ("web_search", "yes", "must be true or false, not the text 'yes'; did you mean true? ["),
    ("agents", [AGENT], "must be a mapping of names to agents, not a list; write 'NAME:'"),
    ("max_turn", 3, "unknown key 'max_turn'; did you mean 'max_turns'? ["),
    ("bahs", {}, "unknown key 'bahs'; did you mean 'bash'? ["),
    ("cwd", ".", "unknown key 'cwd' ["),
    ("host", {}, "unknown key 'host' ["),
    ("extra", {}, "unknown key 'extra' ["),
]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    HOLODECK_FAULTS,
    ids=[f"{key}={value}" for key, value, _ in HOLODECK_FAULTS],
)
def test_a_fault_is_told_in_the_words_of_holodeck(key, value, said):
    (fault,) = faults({"claude": {key: value}}, "holodeck")
    assert fault.startswith(f"error: claude.{key}: {said}")


def test_each_fault_in_thinking_is_told_once():
    section = {"extended_thinking": {"enabled": "yes", "budget_token": 1, "budget_tokens": 500}}
    assert faults({"claude": section}, "holodeck") == [
        (
            "error: claude.extended_thinking.enabled: must be true or false, not the text 'yes';"
            " did you mean true? [wrong-type]"
        ),
        (
            "error: claude.extended_thinking.budget_token: unknown key 'budget_token';"
            " did you mean 'budget_tokens'? [unknown-key]"
        ),
        (
            "error: claude.extended_thinking.budget_tokens: must be at least 1000, not 500"
            " [out-of-range]"
        ),
    ]


def test_keys_that_agents_of_holodeck_do_not_have():
    agent = {**AGENT, "max_turns": 3, "tool": [], "bash": {}}
    assert [
        said.split(": ")[1] for said in faults({"claude": {"agents": {"a": agent}}}, "holodeck")
    ] == [
        "claude.agents.a.max_turns",
        "claude.agents.a.tool",
        "claude.agents.a.bash",
    ]


def test_the_legacy_block_of_holodeck_comes_first_whatever_is_before_it():
    section = {"agent": 1, "subagents": {"enabled": True}}
    assert faults({"claude": section}, "holodeck") == [
        (
            "error: claude.subagents: claude.subagents is no longer supported; remove this block."
            " Subagent forwarding is gated solely by the presence of claude.agents. To cap"
            " HoloDeck-side test concurrency, set execution.parallel_test_cases instead."
            " [legacy-key]"
        ),
        "error: claude.agent: unknown key 'agent'; did you mean 'agents'? [unknown-key]",
    ]


@pytest.mark.parametrize("section", [[], "text", 1], ids=str)
def test_the_section_of_holodeck_must_be_a_mapping(section):
    (said,) = faults({"claude": section}, "holodeck")
    assert said.startswith("error: claude: must be a mapping, not ")


@pytest.mark.parametrize("document", [[], "text", None], ids=str)
def test_the_document_of_holodeck_must_be_a_mapping(document):
    (said,) = faults(document, "holodeck")
    assert "must be a mapping, not " in said


def test_null_in_holodeck_leaves_unset_and_warns_for_tools():
    keys = [key for key, _, _, _ in HOLODECK if key != "disallowed_tools"]
    assert holodeck(dict.fromkeys(keys)) == ClaudeConfig()
    agents = {"a": {**AGENT, "tools": None, "model": None}}
    with pytest.warns(SpecWarning) as caught:
        config = holodeck({"agents": agents, "disallowed_tools": None})
    assert config == ClaudeConfig(agents={"a": WRITER})
    assert [str(warning.message).partition(" ")[2] for warning in caught] == [
        (
            "warning: claude.agents.a.tools: tools is null, which HoloDeck takes as if it were left"
            " out; leave the key out, or write [] to say none [null-tools]"
        ),
        (
            "warning: claude.disallowed_tools: disallowed_tools is null, which HoloDeck takes as if"
            " it were left out; leave the key out, or write [] to say none [null-tools]"
        ),
    ]


# claude --agents


@pytest.mark.parametrize(
    ("name", "spelled"),
    [("prompt", "prompt"), ("max_turns", "maxTurns"), ("omit_claude_md", "omitClaudeMd")],
)
def test_camel_case(name, spelled):
    assert camel(name) == spelled


CLI_AGENT = {
    **AGENT,
    "tools": ["Read"],
    "disallowedTools": [],
    "model": "opus",
    "skills": ["pdf"],
    "memory": "user",
    "mcpServers": ["docs", {"db": {"command": "db"}}],
    "initialPrompt": "Go.",
    "maxTurns": 3,
    "background": True,
    "effort": "high",
    "permissionMode": "plan",
    "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]},
    "isolation": "worktree",
    "omitClaudeMd": False,
    "autoCompactWindow": 100_000,
    "observer": "critic",
    "observerMessage": "Look.",
    "observeSubagents": True,
    "observeToolResults": False,
}


@pytest.mark.parametrize("write", [json.dumps, yaml.safe_dump], ids=["json", "yaml"])
def test_every_key_of_claude_cli_is_a_field_and_back(write, tmp_path):
    path = tmp_path / "agents"
    path.write_text(write({"writer": CLI_AGENT}))
    config = load(path)
    assert config.origin.format == config.agents["writer"].origin.format == "claude_cli"
    spec = config.agents["writer"]
    unset = {field.name for field in fields(SubagentSpec) if not getattr(spec, field.name)}
    assert unset == {"disallowed_tools", "omit_claude_md", "observe_tool_results", "color", "extra"}
    assert (spec.disallowed_tools, spec.omit_claude_md) == ((), False)
    assert spec.mcp_servers == ("docs", {"db": {"command": "db"}})
    assert json.loads(dumps(config, format="claude_cli", media="json")) == {"writer": CLI_AGENT}
    assert loads(dumps(config, format="claude_cli"), format="claude_cli") == config


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("maxTurns", 0, "must be at least 1, not 0 [out-of-range]"),
        (
            "max_turns",
            3,
            "unknown key 'max_turns'; did you mean 'maxTurns'? [unknown-key]",
        ),
        ("prompt_file", "x", "unknown key 'prompt_file'; did you mean 'prompt'? [unknown-key]"),
        ("color", "red", "unknown key 'color' [unknown-key]"),
        ("extra", {}, "unknown key 'extra' [unknown-key]"),
        ("origin", {}, "unknown key 'origin' [unknown-key]"),
        (
            "model",
            "sonet",
            "'sonet' is not a model alias or id; did you mean 'sonnet'? [unknown-model]",
        ),
    ],
)
def test_a_fault_is_told_in_the_words_of_claude_cli(key, value, said):
    assert faults({"writer": {**AGENT, key: value}}, "claude_cli") == [
        f"error: writer.{key}: {said}"
    ]


@pytest.mark.parametrize("key", sorted(CLI_AGENT))
def test_null_is_an_error_for_every_key_of_claude_cli(key):
    said = (
        f"error: writer.{key}: must be a value, not null;"
        " claude --agents takes no null; leave the key out [wrong-type]"
    )
    assert said in faults({"writer": {**CLI_AGENT, key: None}}, "claude_cli")


@pytest.mark.parametrize(
    ("document", "said"),
    [
        ([], "error: must be a mapping of names to agents, not a list;"),
        ("text", "error: must be a mapping of names to agents, not the text 'text' ["),
        (None, "error: must be a mapping, not null;"),
        ({"a": 1}, "error: a: must be a mapping, not the number 1; give it a description and"),
        ({"-a": AGENT}, "error: -a: Claude Code drops an agent named '-a'"),
    ],
    ids=str,
)
def test_a_document_that_is_no_map_of_agents(document, said):
    (fault,) = faults(document, "claude_cli")
    assert fault.startswith(said)


@pytest.mark.parametrize("name", ["agents", "claude", "prompt", "subagents", "tools"])
def test_an_agent_of_claude_cli_may_have_the_name_of_a_key(name):
    config = loads(json.dumps({name: AGENT, "b": AGENT}), format="claude_cli")
    assert config == ClaudeConfig(agents={name: WRITER, "b": WRITER})
    assert loads(dumps(config, format="claude_cli"), format="claude_cli") == config


def test_no_agents_are_an_empty_map():
    assert loads("{}", format="claude_cli") == ClaudeConfig()
    assert dumps(ClaudeConfig(), format="claude_cli") == "{}\n"


# What a format cannot say


def lost(config, format):
    with pytest.warns(SpecWarning) as caught:
        text = dumps(config, format=format)
    return text, [str(warning.message) for warning in caught]


def test_what_holodeck_cannot_say_is_left_out_with_a_warning():
    spec = evolve(WRITER, model="claude-opus-4-7", effort="low", skills=(), extra={"x": 1})
    config = ClaudeConfig(
        agents={"writer": spec},
        permission_mode="auto",
        effort="xhigh",
        thinking={"type": "adaptive"},
        user="me",
        extra={"bash": {}, "y": 1},
        host={"claude": 1, "name": "desk"},
    )
    text, said = lost(config, "holodeck")
    assert yaml.safe_load(text) == {
        "name": "desk",
        "claude": {"bash": {}, "agents": {"writer": AGENT}},
    }
    what, gone = "HoloDeck cannot say", "it is left out [not-in-format]"
    assert said == [
        f"warning: permission_mode: {what} permission_mode 'auto'; {gone}",
        f"warning: thinking: {what} thinking {{'type': 'adaptive'}}; {gone}",
        f"warning: effort: {what} effort 'xhigh'; {gone}",
        f"warning: user: {what} user; {gone}",
        f"warning: y: {what} y; {gone}",
        f"warning: agents.writer.model: {what} model 'claude-opus-4-7'; {gone}",
        f"warning: agents.writer.skills: {what} skills; {gone}",
        f"warning: agents.writer.effort: {what} effort; {gone}",
        f"warning: agents.writer.x: {what} x; {gone}",
        f"warning: host.claude: {what} claude; {gone}",
    ]


@pytest.mark.parametrize(
    "thinking",
    [
        {"type": "enabled"},
        {"type": "enabled", "budget_tokens": 500},
        {"type": "enabled", "budget_tokens": "many"},
        {"type": "enabled", "budget_tokens": 5000, "display": "omitted"},
        {"type": "disabled", "budget_tokens": 5000},
        {"budget_tokens": 5000},
        {},
    ],
    ids=str,
)
def test_thinking_that_holodeck_would_refuse_is_not_written(thinking):
    text, said = lost(ClaudeConfig(thinking=thinking), "holodeck")
    assert yaml.safe_load(text) == {"claude": {}}
    assert len(said) == 1


@pytest.mark.parametrize("name", HOST_KEYS)
def test_what_only_holodeck_acts_on_is_no_key_of_an_agent(name):
    config = ClaudeConfig(agents={"writer": evolve(WRITER, extra={name: True})})
    text, said = lost(config, "holodeck")
    assert yaml.safe_load(text) == {"claude": {"agents": {"writer": AGENT}}}
    assert len(said) == 1


def test_what_claude_cli_cannot_say_is_left_out_with_a_warning():
    config = ClaudeConfig(
        agents={"writer": evolve(WRITER, color="red", extra={"x": 1})},
        model="opus",
        extra={"y": 1},
        host={"name": "desk"},
    )
    text, said = lost(config, "claude_cli")
    assert yaml.safe_load(text) == {"writer": AGENT}
    what = "claude --agents cannot say"
    assert said == [
        f"warning: model: {what} model; it is left out [not-in-format]",
        f"warning: y: {what} y; it is left out [not-in-format]",
        f"warning: agents.writer.color: {what} color; it is left out [not-in-format]",
        f"warning: agents.writer.x: {what} x; it is left out [not-in-format]",
        f"warning: host.name: {what} name; it is left out [not-in-format]",
    ]


def test_a_loss_names_the_file_that_the_configuration_came_from(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text("user: me\nagents: {a: {description: D, prompt: P, max_turns: 3}}\n")
    with pytest.raises(SpecError) as caught:
        dumps(load(path), format="holodeck")
    assert [(problem.file, problem.path) for problem in caught.value.problems] == [
        (str(path), ("user",)),
        (str(path), ("agents", "a", "max_turns")),
    ]


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("disallowed_tools", ("Bash",)),
        ("permission_mode", "plan"),
        ("max_turns", 3),
        ("hooks", {"PreToolUse": ()}),
    ],
)
def test_what_holds_an_agent_back_is_never_left_out(field, value):
    config = ClaudeConfig(agents={"writer": evolve(WRITER, color="red", **{field: value})})
    with pytest.raises(SpecError) as caught:
        dumps(config, format="holodeck")
    assert [str(problem) for problem in caught.value.problems if problem.severity == "error"] == [
        (
            f"error: agents.writer.{field}: HoloDeck cannot say {field}; without it the agent could"
            " do more; take it out of the spec if that is meant [widens]"
        )
    ]


def unreported(before, after, reported, at=()):
    """Give the fields that a format changed without a word."""
    changed = [
        field.name
        for field in fields(type(before))
        if field.eq and getattr(before, field.name) != getattr(after, field.name)
    ]
    paths = {name: {(*at, name)} for name in changed}
    paths |= {"extra": {(*at, key) for key in before.extra}, "agents": set()}
    if not at:
        paths |= {"host": {("host", key) for key in before.host}}
    return [name for name in changed if not paths[name] & reported]


@pytest.mark.filterwarnings("ignore::subspec.SpecWarning")
@pytest.mark.parametrize("format", ["holodeck", "claude_cli"])
@given(config=configs())
def test_what_a_format_writes_it_reads_and_what_it_loses_it_reports(format, config):
    _, problems = find(format).write(config)
    if has_errors(problems):
        assert {problem.code for problem in problems} <= {"widens", "not-in-format"}
        return
    again = loads(dumps(config, format=format), format=format)
    reported = {problem.path for problem in problems}
    assert (again.agents or {}).keys() == (config.agents or {}).keys()
    for name, spec in (config.agents or {}).items():
        assert unreported(spec, again.agents[name], reported, ("agents", name)) == []
    assert set(unreported(config, again, reported)) <= {"agents"}


@pytest.mark.filterwarnings("ignore::subspec.SpecWarning")
def test_the_fixture_of_holodeck_loads_back_equal():
    config = load(Path(__file__).parents[1] / "fixtures" / "holodeck" / "agent.yaml")
    assert loads(dumps(config, format="holodeck"), format="holodeck") == config
    assert loads(dumps(config, format="holodeck", media="json"), format="holodeck") == config
