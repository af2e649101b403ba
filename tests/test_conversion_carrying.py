"""What goes along from one program to another, and what only looks as if it could."""

from __future__ import annotations

import warnings

import pytest
from attrs import evolve
from command import run
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from test_conversion import PROMPT, TOOLS, only, usual_specs

from subspec import (
    ClaudeConfig,
    SpecWarning,
    SubagentSpec,
    check,
    convert,
    dumps,
    load,
    loads,
    save,
)
from subspec.formats import SPELLINGS, names
from subspec.problems import errors_in
from subspec.source.replace import replace_files
from subspec.spec import Origin

pytest.importorskip("tomlkit")

FEW = settings(
    max_examples=max(settings().max_examples // 5, 5),
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def markdown(keys, name="helper"):
    return f"---\nname: {name}\ndescription: Helps.\n{keys}\n---\n\nHelp me out of it.\n"


def read(source, keys):
    """Read an agent with some keys; what is odd about them is no matter here."""
    if source == "agents":
        keys = keys.replace("\n", "\n      ")
        text = (
            f"agents:\n  helper:\n    description: Helps.\n    prompt: Help me out of it.\n{keys}"
        )
        return loads(text.replace(keys, f"    extra:\n      {keys}"), format="agents")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        return loads(markdown(keys), format=source)


def lost(conversion):
    return [(loss.field, loss.reason, loss.widens) for loss in conversion.losses]


LIVE = [
    ("claude_code", "codex", "sandbox_mode: danger-full-access", False),
    ("claude_code", "codex", "sandbox_mode: read-only", True),
    ("claude_code", "codex", "approval_policy: never", True),
    ("claude_code", "codex", "web_search: live", False),
    ("copilot", "kiro", "allowedTools: ['*']", False),
    ("copilot", "kiro", "includeMcpJson: true", False),
    ("cursor", "opencode", "permission: {bash: allow}", True),
    ("cursor", "opencode", "mode: primary", False),
    ("cursor", "pydantic_ai", "agent_kwargs: {model: x}", False),
    ("factory", "cursor", "readonly: false", False),
]


@pytest.mark.parametrize(("source", "to", "keys", "widens"), LIVE)
def test_a_key_that_the_source_does_not_read_comes_to_life_nowhere(source, to, keys, widens):
    conversion = convert(read(source, keys), to=to)
    key = keys.partition(":")[0]
    title = {"claude_code": "Claude Code"}.get(source) or SPELLINGS[source].title

    assert (f"extra.{key}", f"nothing in {title} reads {key}", widens) in lost(conversion)
    assert all(keys not in text for text in conversion.files.values())


def test_keys_of_equal_names_are_the_same_only_where_that_is_said():
    hooks = read("copilot", "hooks: {preToolUse: []}")
    conversion = convert(hooks, to="kiro")
    assert lost(conversion) == [("extra.hooks", "only Copilot reads hooks", True)]
    assert "hooks" not in conversion.files[".kiro/agents/helper.json"]

    warm = convert(read("gemini", "temperature: 0.5"), to="opencode")
    assert warm.losses == ()
    assert "temperature: 0.5\n" in warm.files[".opencode/agents/helper.md"]
    kiros = convert(read("kiro_ide", "allowedTools: [read]\ntools: ['@builtin']"), to="kiro")
    assert kiros.losses == ()
    assert '"@builtin"' in kiros.files[".kiro/agents/helper.json"]


def test_a_value_that_only_its_program_understands_is_said_to_be():
    conversion = convert(read("factory", "reasoningEffort: max"), to="opencode")

    assert lost(conversion) == [
        ("extra.reasoningEffort", "only Factory reads reasoningEffort", False)
    ]


CANONICAL = [
    ("codex", "sandbox_mode: read-only", True),
    ("codex", "model_verbosity: low", None),
    ("codex", "approval_policy: never", True),
    ("copilot", "disable-model-invocation: true", None),
    ("copilot", "disable-model-invocation: false", False),
    ("copilot", "hooks: {}", True),
    ("cursor", "readonly: true", None),
    ("cursor", "readonly: false", False),
    ("gemini", "temperature: 0.5", None),
    ("kiro", "allowedTools: ['*']", False),
    ("kiro", "includeMcpJson: true", False),
    ("opencode", "disable: true", None),
    ("opencode", "mode: primary", False),
    ("opencode", "permission: allow", True),
    ("opencode", "made-up: 1", False),
    ("pydantic_ai", "max_retries: 2", None),
    ("pydantic_ai", "agent_kwargs: {a: 1}", False),
    ("claude_code", "made-up: 1", False),
    ("agents", "sandbox_mode: danger-full-access", None),
]


@pytest.mark.parametrize(("to", "keys", "widens"), CANONICAL)
def test_a_canonical_file_grants_nothing_in_the_words_of_a_program(to, keys, widens):
    conversion = convert(read("agents", keys), to=to)
    key = keys.partition(":")[0]
    (text,) = conversion.files.values()

    assert [(loss.field, loss.widens) for loss in conversion.losses] == (
        [] if widens is None else [(f"extra.{key}", widens)]
    )
    is_there = key in text.replace("mode: subagent", "")
    assert is_there == (widens is None)


def test_what_is_made_in_python_is_meant():
    spec = SubagentSpec("Helps.", PROMPT, extra={"sandbox_mode": "read-only"})
    made = ClaudeConfig(agents={"helper": spec})

    assert convert(made, to="codex").losses == ()
    # But a file speaks for all that it holds.
    of_file = evolve(made, origin=Origin(format="claude_code"))
    assert [loss.field for loss in convert(of_file, to="codex").losses] == ["extra.sandbox_mode"]
    unheard_of = evolve(made, origin=Origin(format="cordis"))
    assert lost(convert(unheard_of, to="codex")) == [
        ("extra.sandbox_mode", "nothing in cordis reads sandbox_mode", True)
    ]


def test_a_guard_that_was_written_by_hand_stays(tmp_path):
    there = write(
        tmp_path / ".codex/agents/helper.toml",
        'name = "helper"\ndescription = "Helps."\nsandbox_mode = "read-only"\n'
        'developer_instructions = "Help me out of it."\n',
    )
    before = there.read_text()
    conversion = convert(
        read("claude_code", "sandbox_mode: danger-full-access"), to="codex", into=tmp_path
    )

    assert conversion.changes == conversion.overrides == ()
    assert [loss.field for loss in conversion.losses] == ["extra.sandbox_mode"]
    assert there.read_text() == before


UNKNOWN = [
    ("copilot", "[read, Monitor, 'Bash(git diff)']", "Read", "Monitor and Bash(git diff)"),
    ("copilot", "[read, mcp__db__query, db/query]", "Read, mcp__db__query", None),
    ("copilot", "[read, mcp__db__query]", "Read", "mcp__db__query"),
    ("factory", "[Read, Monitor, 'Bash(git:*)']", "Read", "Monitor and Bash(git:*)"),
    ("kiro_ide", "[shell, Read]", "Bash", "Read"),
    ("qwen", "[read_file, Monitor, 'Bash(git diff)']", "Read", "Monitor and Bash(git diff)"),
]


@pytest.mark.parametrize(("source", "tools", "wanted", "dropped"), UNKNOWN)
def test_a_tool_that_the_source_does_not_know_is_none_of_claude_codes(
    source, tools, wanted, dropped
):
    config = read(source, f"tools: {tools}")
    for to in ("claude_code", "agents"):
        conversion = convert(config, to=to)
        reason = f"{SPELLINGS[source].title} has no {dropped}"
        assert lost(conversion) == ([("tools", reason, False)] if dropped else [])
        (text,) = conversion.files.values()
        found = loads(text, format=to).agents["helper"].tools
        assert found == tuple(wanted.split(", "))
    # There they are no more than they were.
    assert not convert(config, to=source).widens


def test_a_name_of_one_programs_own_is_not_one_of_anothers():
    conversion = convert(read("copilot", "tools: [read, use_aws, githubRepo]"), to="kiro")

    assert '"tools": [\n    "fs_read"\n  ]' in conversion.files[".kiro/agents/helper.json"]
    assert lost(conversion) == [
        ("tools", "Kiro has no githubRepo", False),
        ("tools", "Copilot has no use_aws", False),
    ]


def test_rules_that_claude_code_ignores_are_left_out():
    spec = SubagentSpec(
        "Helps.",
        PROMPT,
        tools=["Bash(git:*)", "Bash(ls)", "Agent(x)"],
        disallowed_tools=["Edit(docs/**)"],
    )
    conversion = convert(only(spec), to="claude_code")

    assert lost(conversion) == [
        ("tools", "Claude Code ignores rules such as 'Bash(git:*)' in an agent", True),
        (
            "disallowed_tools",
            "Claude Code ignores rules such as 'Edit(docs/**)' in an agent",
            False,
        ),
    ]
    assert "tools: Bash, Agent(x)\ndisallowedTools: Edit\n" in str(*conversion.files.values())
    own = evolve(spec, origin=Origin(format="claude_code"))
    same = convert(only(own), to="claude_code")
    assert [(loss.instead, loss.widens) for loss in same.losses] == [
        ("it is written all the same", False)
    ] * 2
    assert "tools: Bash(git:*), Bash(ls), Agent(x)\n" in str(*same.files.values())


def test_servers_give_an_agent_of_claude_code_all_their_tools():
    text = markdown("tools: [read_file]\nmcp_servers: {db: {command: db}}")
    conversion = convert(loads(text, format="gemini"), to="claude_code")

    assert [(loss.field, loss.instead, loss.widens) for loss in conversion.losses] == [
        ("mcp_servers", "it is written all the same", True)
    ]


def errors_of(config, tmp_path):
    """Convert to Claude Code; give what is lost, and what is wrong with what was written."""
    conversion = convert(config, to="claude_code", into=tmp_path)
    replace_files(conversion.changes)
    place = tmp_path / ".claude/agents"
    found = errors_in(check(place)) if conversion.files else []
    for change in conversion.changes:
        change.path.unlink()
    fields = {
        {"mcpServers": "mcp_servers", "disallowedTools": "disallowed_tools"}.get(
            str(problem.path[0]), str(problem.path[0])
        )
        for problem in found
    }
    return {loss.field for loss in conversion.losses}, fields


@given(source=st.none() | st.sampled_from(names()), spec=usual_specs(), tools=st.none() | TOOLS)
@FEW
def test_what_is_written_for_claude_code_is_right_or_a_loss(tmp_path, source, spec, tools):
    origin = None if source is None else Origin(format=source)
    losses, errors = errors_of(only(evolve(spec, tools=tools, origin=origin)), tmp_path)

    assert errors <= losses


RESTRICTING = [
    ("opencode", "disable: true", True),
    ("opencode", "disable: false", False),
    ("copilot", "disable-model-invocation: true", True),
    ("copilot", "infer: false", True),
    ("copilot", "infer: true", False),
    ("cursor", "readonly: true", True),
    ("cursor", "readonly: false", False),
]


@pytest.mark.parametrize(("source", "keys", "widens"), RESTRICTING)
def test_what_holds_an_agent_back_widens_where_it_is_lost(source, keys, widens, tmp_path):
    directory = tmp_path.joinpath(*SPELLINGS[source].directories[0])
    text = markdown(keys).replace(
        "name: helper\n", "" if source == "opencode" else "name: helper\n"
    )
    config = load(write(directory / f"helper{SPELLINGS[source].suffix}", text))
    for to in ("gemini", "claude_code", "claude_cli", "pydantic_ai"):
        (loss,) = convert(config, to=to).losses
        assert (loss.field, loss.widens) == (f"extra.{keys.partition(':')[0]}", widens)


def test_a_search_that_is_switched_off_holds_back():
    text = "name='a'\ndescription='d'\ndeveloper_instructions='Help.'\nweb_search='disabled'"

    assert lost(convert(loads(text, format="codex"), to="gemini")) == [
        ("extra.web_search", "only Codex reads web_search", True)
    ]


def test_a_broken_file_is_not_passed_by_for_a_name_that_is_guessed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "team.yaml", "agents:\n  reader: {description: d, prompt: Read it all.}\n")
    place = write(tmp_path / ".gemini/agents/reader.md", "---\nname: [\n---\nX")
    done = run("convert", "team.yaml", "--to", "gemini")

    assert done.exit_code == 1
    assert "reader.md:2" in done.stderr
    assert [path.name for path in place.parent.iterdir()] == ["reader.md"]


def test_a_byte_order_mark_in_a_prompt_settles(tmp_path):
    config = only(SubagentSpec("Helps.", "\ufeffHelp me out of it."))
    first = convert(config, to="claude_code", into=tmp_path)
    replace_files(first.changes)
    again = convert(config, to="claude_code", into=tmp_path)

    assert again.changes == again.overrides == ()
    assert [loss.field for loss in first.losses] == ["prompt"]


def test_the_tools_of_a_toolset_are_in_no_file():
    text = "subagents:\n  - {name: helper, description: Helps., instructions: Help me out.}\n"
    config = loads(text, format="pydantic_ai")
    for to in ("agents", "gemini", "claude_code"):
        conversion = convert(config, to=to)
        assert lost(conversion) == [
            ("tools", "its tools are given in code, which no file says", True)
        ]
        assert conversion.losses[0].instead == "the agent gets every tool"
    assert convert(config, to="pydantic_ai").losses == ()
    said = evolve(config.agents["helper"], tools=["Read"])
    assert convert(evolve(config, agents={"helper": said}), to="gemini").losses == ()


def test_agents_are_listed_in_the_order_of_the_source():
    extra = {"hooks": {}}
    agents = {
        name: SubagentSpec(
            "d", PROMPT, model="sonnet", extra=extra, origin=Origin(format="copilot")
        )
        for name in ("one", "two")
    }
    config = ClaudeConfig(agents=agents, permission_mode="plan")
    losses = [(loss.agent, loss.field) for loss in convert(config, to="gemini").losses]

    assert losses == [
        (None, "permission_mode"),
        *[(name, field) for name in agents for field in ("model", "extra.hooks")],
    ]


def test_to_save_elsewhere_carries_no_more_than_a_conversion(tmp_path):
    config = read("claude_code", "sandbox_mode: danger-full-access")
    path = tmp_path / ".codex/agents/helper.toml"
    path.parent.mkdir(parents=True)

    with pytest.warns(SpecWarning, match="nothing in Claude Code reads sandbox_mode"):
        save(config, path)
    with pytest.warns(SpecWarning, match="nothing in Claude Code reads sandbox_mode"):
        text = dumps(config, format="codex")

    assert "sandbox_mode" not in path.read_text() + text
