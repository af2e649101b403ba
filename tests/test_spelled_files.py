"""Files of programs with a file for each agent: loaded, checked, changed and saved."""

from __future__ import annotations

import json
import re
import sys
import warnings

import pytest
from attrs import evolve
from command import run

import subspec
from subspec import (
    ClaudeConfig,
    SpecError,
    SpecWarning,
    SubagentSpec,
    check,
    dumps,
    load,
    loads,
    save,
)
from subspec.formats import SPELLINGS, find, names, spelling_of, unknown
from subspec.problems import errors_in

pytest.importorskip("tomlkit")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def messages(path, **options):
    return [problem.message for problem in check(path, **options)]


def only_problem(path, **options):
    (problem,) = check(path, **options)
    return problem


MARKDOWN = "---\nname: helper\ndescription: Helps.\n{}---\n\nHelp me out.\n"

PLACES = {
    ".codex/agents/helper.toml": "codex",
    ".codex/agents/deep/helper.toml": "codex",
    "anywhere/helper.toml": "codex",
    "helper.agent.md": "copilot",
    ".github/agents/helper.md": "copilot",
    ".copilot/agents/helper.agent.md": "copilot",
    ".cursor/agents/helper.md": "cursor",
    ".factory/droids/helper.md": "factory",
    ".gemini/agents/helper.md": "gemini",
    ".kiro/agents/helper.json": "kiro",
    ".kiro/agents/helper.md": "kiro_ide",
    ".opencode/agent/helper.md": "opencode",
    ".opencode/agents/deep/er/helper.md": "opencode",
    ".qwen/agents/helper.md": "qwen",
    ".claude/agents/helper.md": None,
    ".gemini/agents/deep/helper.md": None,
    ".gemini/settings.json": None,
    "team.yaml": None,
    "helper.md": None,
}


@pytest.mark.parametrize("place", PLACES)
def test_a_file_is_told_by_where_it_lies(tmp_path, place):
    found = spelling_of(tmp_path / place, None)

    assert (None if found is None else found.name) == PLACES[place]


def test_a_directory_is_told_by_its_name_and_by_what_is_in_it(tmp_path):
    write(tmp_path / ".kiro/agents/helper.md", MARKDOWN.format(""))

    assert load(tmp_path / ".kiro/agents").origin.format == "kiro_ide"
    assert load(tmp_path / ".kiro").origin.format == "kiro_ide"
    write(tmp_path / ".kiro/agents/a.json", '{"description": "d", "prompt": "p"}')
    assert load(tmp_path / ".kiro").origin.format == "kiro"
    (tmp_path / ".codex/agents").mkdir(parents=True)
    with pytest.raises(SpecError, match="there is no agent of Codex in it"):
        load(tmp_path / ".codex")


def test_each_format_has_a_name_and_an_unknown_one_is_refused(tmp_path):
    assert {"agents", "claude_code", "pydantic_ai", *SPELLINGS} <= set(names())
    assert len(SPELLINGS) == len(list(SPELLINGS))
    with pytest.raises(ValueError, match="did you mean 'gemini'"):
        load(tmp_path, format="gemeni")
    with pytest.raises(ValueError, match="unknown format"):
        find("codex")
    assert "there are 'agents'" in str(unknown("x"))


FAULTS = {
    "no-front": ("gemini", "Help.", "there is no front matter"),
    "not-closed": ("gemini", "---\nname: a\n", "needs a line of '---' before it"),
    "not-yaml": ("gemini", "---\na: b: c\n---\nx", "Gemini CLI reads YAML only"),
    "twice": ("gemini", MARKDOWN.format("name: b\n"), "the key 'name' is given again"),
    "a-list": ("gemini", "---\n- a\n---\nx", "wants a mapping here, not a list"),
    "no-name": ("gemini", "---\ndescription: d\n---\nx", "Gemini CLI wants a name"),
    "bad-name": ("gemini", "---\nname: A b\ndescription: d\n---\nx", "no agent named 'A b'"),
    "number-name": ("gemini", "---\nname: 1\ndescription: d\n---\nx", "must be text"),
    "odd-name": ("codex", "name = '-a'\ndescription='d'\ndeveloper_instructions='p'", "drops"),
    "blank-name": ("codex", "name = ' '\ndescription='d'\ndeveloper_instructions='p'", "blank"),
    "no-description": ("gemini", "---\nname: a\n---\nx", "requires description"),
    "no-prompt": ("codex", "name = 'a'\ndescription = 'd'\n", "'developer_instructions'"),
    "blank-prompt": ("qwen", "---\nname: helper\ndescription: d\n---\n", "not blank"),
    "short-prompt": ("qwen", "---\nname: helper\ndescription: d\n---\nx", "10 characters"),
    "null-tools": ("gemini", MARKDOWN.format("tools: null\n"), "neither all nor none"),
    "odd-tools": ("gemini", MARKDOWN.format("tools: 1\n"), "must be a list"),
    "odd-model": ("gemini", MARKDOWN.format("model: 1\n"), "must be text"),
    "odd-turns": ("gemini", MARKDOWN.format("max_turns: 0\n"), "must be at least 1"),
    "odd-kind": ("gemini", MARKDOWN.format("kind: remote\n"), "must be 'local'"),
    "odd-number": ("gemini", MARKDOWN.format("temperature: x\n"), "must be a number"),
    "odd-servers": ("gemini", MARKDOWN.format("mcp_servers: [a]\n"), "names to servers"),
    "odd-server": ("gemini", MARKDOWN.format("mcp_servers: {a: b}\n"), "configuration of a server"),
    "odd-word": ("codex", "model_reasoning_effort = 'hihg'", "must be 'low'"),
    "odd-effort": ("codex", "model_reasoning_effort = 3", "must be 'low'"),
    "odd-text": ("kiro", '{"welcomeMessage": 1}', "must be text"),
    "odd-flag": ("kiro", '{"includeMcpJson": 1}', "must be true or false"),
    "odd-map": ("kiro", '{"hooks": 1}', "must be a mapping"),
    "odd-names": ("kiro", '{"allowedTools": 1}', "must be a list"),
    "odd-permission": ("opencode", MARKDOWN.format("permission: no\n"), "'ask', 'allow' or 'deny'"),
    "odd-rule": ("opencode", MARKDOWN.format("permission: {a: {b: c}}\n"), "'allow' or 'deny'"),
    "odd-rules": ("opencode", MARKDOWN.format("permission: 1\n"), "must be a mapping"),
    "listed": ("opencode", MARKDOWN.format("tools: [read]\n"), "a mapping of tools to true and"),
    "odd-switch": ("opencode", MARKDOWN.format("tools: {read: 1}\n"), "must be true or false"),
    "no-json": ("kiro", "{", "the text ends"),
    "no-toml": ("codex", "a = [\n", "not TOML"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_what_a_program_refuses_is_said_with_its_place(tmp_path, case):
    name, text, wanted = FAULTS[case]
    path = write(tmp_path / f"helper{SPELLINGS[name].suffix}", text)
    errors = errors_in(check(path, format=name))

    assert any(wanted in problem.message for problem in errors), errors
    assert all(problem.file == str(path) and problem.span is not None for problem in errors)
    with pytest.raises(SpecError):
        load(path, format=name)


def test_a_file_that_cannot_be_had_is_said(tmp_path):
    assert only_problem(tmp_path / "a.toml").code == "cannot-read"
    assert only_problem(write(tmp_path / "b.toml", b"a = '\xff'")).code == "not-utf8"
    (tmp_path / "empty").mkdir()
    assert only_problem(tmp_path / "empty", format="codex").code == "cannot-read"


def test_what_a_program_passes_over_is_a_warning(tmp_path):
    path = write(tmp_path / ".cursor/agents/helper.md", MARKDOWN.format("modle: x\n"))
    problem = only_problem(path)

    assert (problem.code, problem.severity) == ("ignored-key", "warning")
    assert problem.hint == "did you mean 'model'?"
    with pytest.warns(subspec.SpecWarning):
        config = load(path)
    assert config.agents["helper"].extra == {"modle": "x"}
    ignored = write(path, MARKDOWN.format("# subspec: ignore[ignored-key]\nmodle: x\n"))
    assert "ignored-key" not in [problem.code for problem in check(ignored)]


def test_an_empty_list_that_means_all_is_said(tmp_path):
    path = write(tmp_path / ".qwen/agents/helper.md", MARKDOWN.format("tools: []\n"))

    assert only_problem(path).code == "no-effect"
    with pytest.warns(subspec.SpecWarning):
        assert load(path).agents["helper"].tools is None


def spec_of(name, text):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        (spec,) = loads(text, format=name).agents.values()
    return spec


READ = [
    ("gemini", "tools: [read_file, '*']", {"tools": None}),
    ("gemini", "tools: [mcp_db_q, mcp_db_*, mcp_*]", {"tools": ("mcp__db__q", "mcp__db", "mcp_*")}),
    ("gemini", "tools: [search_file_content]", {"tools": ("Grep",)}),
    ("copilot", "tools: 'read, search'", {"tools": ("Read", "Grep", "Glob")}),
    (
        "copilot",
        "tools: [search/codebase, gh/x, gh/*]",
        {"tools": ("search/codebase", "mcp__gh__x", "mcp__gh")},
    ),
    ("copilot", "model: [a, b]", {"model": None, "extra": {"model": ("a", "b")}}),
    ("factory", "tools: read-only", {"tools": ("Read", "LS", "Grep", "Glob")}),
    ("factory", "reasoningEffort: max", {"effort": None, "extra": {"reasoningEffort": "max"}}),
    ("factory", "mcpServers: [a]", {"mcp_servers": ("a",)}),
    ("qwen", "permissionMode: dontAsk", {"permission_mode": "default"}),
    ("qwen", "approvalMode: yolo", {"permission_mode": "bypassPermissions"}),
    ("qwen", "disallowedTools: edit, mcp__a__b", {"disallowed_tools": ("Edit", "mcp__a__b")}),
    (
        "qwen",
        "mcpServers: {a: {httpUrl: u, headers: {b: c}}}",
        {"mcp_servers": ({"a": {"type": "http", "url": "u", "headers": {"b": "c"}}},)},
    ),
    (
        "qwen",
        "mcpServers: {a: {url: u}}",
        {"mcp_servers": None, "extra": {"mcpServers": {"a": {"url": "u"}}}},
    ),
    ("qwen", "mcpServers: {a: {}}", {"mcp_servers": None, "extra": {"mcpServers": {"a": {}}}}),
    ("qwen", "model:", {"model": None}),
    (
        "opencode",
        "name: a\ntools: {'*': false, read: true, db_*: true, write: false}",
        {"tools": ("Read", "mcp__db"), "disallowed_tools": ("Edit", "Write")},
    ),
    (
        "opencode",
        "name: a\ntools: {read: true, bash: false}",
        {"tools": None, "disallowed_tools": ("Bash",)},
    ),
    ("opencode", "name: a\npermission: deny\nmode: subagent", {"extra": {"permission": "deny"}}),
    (
        "opencode",
        "name: a\npermission: {bash: {'*': ask}, edit: deny}",
        {"extra": {"permission": {"bash": {"*": "ask"}, "edit": "deny"}}},
    ),
    ("opencode", "name: a\nreasoningEffort: high", {"extra": {"reasoningEffort": "high"}}),
    (
        "kiro_ide",
        "tools: [read, '@db/q', '@builtin']",
        {"tools": ("Read", "Grep", "Glob", "mcp__db__q", "@builtin")},
    ),
    (
        "cursor",
        "is_background: true\nreadonly: true",
        {"background": True, "extra": {"readonly": True}},
    ),
]


@pytest.mark.parametrize(
    ("name", "keys", "wanted"), READ, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(READ)]
)
def test_values_are_read_in_the_words_of_the_program(name, keys, wanted):
    head = "" if "name: " in keys else "name: helper\n"
    spec = spec_of(name, f"---\n{head}description: d\n{keys}\n---\nHelp me out.\n")

    assert {field: getattr(spec, field) for field in wanted} == wanted


def test_no_tools_key_means_none_in_kiro_and_all_are_named():
    def text(spec):
        return dumps(ClaudeConfig(agents={"a": spec}), format="kiro")

    assert spec_of("kiro", '{"name": "a", "description": "d", "prompt": "p"}').tools == ()
    assert json.loads(text(SubagentSpec("d", "p")))["tools"] == ["*"]
    assert json.loads(text(SubagentSpec("d", "p", tools=[])))["tools"] == []


def test_a_prompt_of_kiro_can_be_a_file(tmp_path):
    write(tmp_path / "p.md", "Help.\n")
    text = '{"name": "a", "description": "d", "prompt": "file://./p.md"}'
    path = write(tmp_path / ".kiro/agents/a.json", text.replace("./", "../../"))

    with pytest.warns(subspec.SpecWarning, match="outside of the spec's directory"):
        config = load(path)
    assert config.agents["a"].prompt == "Help.\n"
    assert load(path, prompt_root=tmp_path) == config
    with pytest.raises(SpecError, match="not found"):
        load(write(path, text))
    assert loads(text, format="kiro", base_dir=tmp_path) == config
    write(path.parent / "p.md", "Help.\n")
    found = load(path)
    other = evolve(found, agents={"a": evolve(found.agents["a"], prompt="Other.")})
    with pytest.raises(SpecError, match="change that file"):
        save(other)
    inline = ClaudeConfig(agents={"a": SubagentSpec("d", "file://x")})
    with pytest.warns(subspec.SpecWarning, match="takes it for the name of a file"):
        text = dumps(inline, format="kiro")
    assert json.loads(text)["prompt"] == "\nfile://x"


def test_a_change_touches_nothing_else(tmp_path):
    text = (
        '{\n  "name": "a", "description": "d",\n  "prompt": "p",'
        ' "tools": ["*"],\n  "resources": []\n}\n'
    )
    path = write(tmp_path / ".kiro/agents/a.json", text)
    config = load(path)

    assert save(config) == ()
    changed = evolve(config.agents["a"], description="now", prompt="Other.", tools=["Read"])
    assert save(evolve(config, agents={"a": changed})) == (path,)
    assert path.read_text() == text.replace('"d"', '"now"').replace('"p"', '"Other."').replace(
        '["*"]', '["fs_read"]'
    )


def test_names_are_changed_where_they_stand(tmp_path):
    path = write(tmp_path / ".gemini/agents/helper.md", MARKDOWN.format("# mine\ntools: [glob]\n"))
    config = load(path.parent)

    assert save(evolve(config, agents={"other": config.agents["helper"]})) == (path,)
    assert path.read_text() == MARKDOWN.format("# mine\ntools: [glob]\n").replace(
        "name: helper", "name: other"
    )


def test_agents_come_and_go_in_a_directory(tmp_path):
    first = write(tmp_path / ".gemini/agents/helper.md", MARKDOWN.format(""))
    write(tmp_path / ".gemini/agents/_hidden.md", "x")
    write(tmp_path / ".gemini/agents/readme.txt", "x")
    config = load(tmp_path, format="gemini")
    new = first.with_name("other.md")

    assert save(evolve(config, agents={"other": SubagentSpec("d", "p")})) == (new, first)
    assert not first.exists()
    assert load(first.parent).agents.keys() == {"other"}
    assert save(ClaudeConfig(), first.parent) == ()


def test_two_files_of_one_agent_are_said(tmp_path):
    write(tmp_path / ".gemini/agents/a.md", MARKDOWN.format(""))
    write(tmp_path / ".gemini/agents/b.md", MARKDOWN.format(""))

    assert [problem.code for problem in check(tmp_path / ".gemini/agents")] == ["shadowed-agent"]


def test_an_agent_that_is_a_link_is_not_removed(tmp_path):
    real = write(tmp_path / "real.md", MARKDOWN.format(""))
    link = tmp_path / ".gemini/agents/helper.md"
    link.parent.mkdir(parents=True)
    link.symlink_to(real)
    config = load(link.parent)

    with pytest.raises(SpecError, match="is a link, and is not removed"):
        save(evolve(config, agents={"other": SubagentSpec("d", "p")}))


def test_a_single_file_is_written_and_removed(tmp_path):
    path = tmp_path / "helper.toml"
    config = ClaudeConfig(agents={"helper": SubagentSpec("d", "p")})

    assert save(config, path) == (path,)
    loaded = load(path)
    assert loaded == config
    assert save(evolve(loaded, agents=None)) == (path,)
    assert not path.exists()
    with pytest.raises(SpecError, match="holds one agent, not 0"):
        save(ClaudeConfig(), path)
    with pytest.raises(SpecError, match="holds one agent, not 0"):
        dumps(ClaudeConfig(), format="codex")


def test_what_cannot_be_said_stops_a_save_where_it_widens(tmp_path):
    spec = SubagentSpec("d", "p", tools=["Read"], effort="max")
    config = ClaudeConfig(agents={"a": spec}, model="opus")

    with pytest.raises(SpecError, match="Codex cannot say it"):
        save(config, tmp_path / "a.toml")
    with pytest.raises(SpecError, match="Codex cannot say it"):
        dumps(config, format="codex")
    with pytest.warns(subspec.SpecWarning) as caught:
        save(evolve(config, agents={"a": evolve(spec, tools=None)}), tmp_path / "a.toml")
    assert [str(each.message.problem.path[-1]) for each in caught] == ["model", "effort"]


def test_a_broken_file_is_not_changed(tmp_path):
    path = write(tmp_path / "helper.toml", "name = 'helper'\n")

    with pytest.raises(SpecError, match="requires description"):
        save(ClaudeConfig(agents={"helper": SubagentSpec("d", "p")}), path)


def test_a_file_of_a_format_that_its_place_does_not_tell_is_saved_as_it_was_read(tmp_path):
    path = write(tmp_path / "helper.md", MARKDOWN.format("tools: [read_file]\n"))
    config = load(path, format="gemini")
    changed = evolve(config.agents["helper"], tools=["Grep"])

    assert save(evolve(config, agents={"helper": changed})) == (path,)
    assert "tools: [grep_search]" in path.read_text()


def test_the_commands_change_these_files_too(tmp_path):
    path = write(tmp_path / ".gemini/agents/helper.md", MARKDOWN.format("# mine\nmodel: pro\n"))

    assert run("set", str(path), "helper.tools", "Read,Grep").exit_code == 0
    assert run("set", str(path), "helper.max_turns", "3").exit_code == 0
    assert path.read_text() == MARKDOWN.format(
        "# mine\nmodel: pro\ntools: [read_file, grep_search]\nmax_turns: 3\n"
    )
    assert run("check", "--fix", str(path)).exit_code == 0
    done = run("fmt", str(path))
    assert done.exit_code == 1
    assert "there is no canonical layout for the files of Gemini CLI" in done.stderr
    write(path, "---\n---\n")
    assert run("set", str(path), "helper.model", "x").exit_code != 0


def test_subagents_of_pydantic_ai_are_read_and_written(tmp_path):
    text = (
        "- name: a\n  description: d\n  instructions: p\n  model: openai:x\n  max_retries: 2  # c\n"
    )
    path = write(tmp_path / "s.yaml", text)
    config = load(path, format="pydantic_ai")
    spec = config.agents["a"]

    assert (spec.prompt, spec.model, spec.extra) == ("p", "openai:x", {"max_retries": 2})
    assert check(path, format="pydantic_ai") == ()
    assert loads(text, format="pydantic_ai") == config
    assert "max_retries: 2" in dumps(config, format="pydantic_ai")
    assert save(config) == ()
    changed = evolve(spec, prompt="q", model=None)
    assert save(evolve(config, agents={"a": changed})) == (path,)
    assert path.read_text() == text.replace(": p", ": q").replace("  model: openai:x\n", "")
    with pytest.raises(SpecError, match="widens"):
        save(
            ClaudeConfig(agents={"a": SubagentSpec("d", "p", tools=[])}), path, format="pydantic_ai"
        )
    with pytest.raises(SpecError, match="requires description"):
        load(write(path, "- name: a\n"), format="pydantic_ai")
    assert check(path, format="pydantic_ai")[0].code == "blank-description"
    assert run("fmt", "--as", "pydantic_ai", str(path)).exit_code == 1
    assert run("check", "--fix", "--as", "pydantic_ai", str(path)).exit_code == 1


def test_writing_toml_without_tomlkit_says_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    config = ClaudeConfig(agents={"a": SubagentSpec("d", "p")})

    assert spec_of("codex", "name='a'\ndescription='d'\ndeveloper_instructions='p'").prompt == "p"
    with pytest.raises(ImportError, match=r"install subspec\[toml\]"):
        save(config, tmp_path / "a.toml")


# What cannot be said does not take the place of what is said.

HOLODECK = """\
name: a
model: {provider: anthropic, name: c}
instructions: {inline: x}
claude:
  agents:
    r:
      prompt: p
      description: d
      model: haiku # cheap
"""
UNSAYABLE = {
    "holodeck": (
        "agent.yaml",
        HOLODECK,
        "claude-opus-4-5",
        "HoloDeck cannot say model 'claude-opus-4-5'; the file says 'haiku', which stays;",
    ),
    "codex": (
        ".codex/agents/r.toml",
        'name = "r"\ndescription = "d"\ndeveloper_instructions = "p"\nmodel = "gpt-5" # fast\n',
        "haiku",
        "Codex does not know the model 'haiku'; the file says 'gpt-5', which stays;",
    ),
    "pydantic_ai": (
        "team.yaml",
        "- name: r\n  description: d\n  instructions: p\n  model: openai:gpt-5 # fast\n",
        "haiku",
        "does not know the model 'haiku'; the file says 'openai:gpt-5', which stays;",
    ),
}


@pytest.mark.parametrize("name", UNSAYABLE)
def test_a_value_stays_where_what_is_to_take_its_place_cannot_be_said(tmp_path, name):
    file, text, model, message = UNSAYABLE[name]
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    config = load(path, format=name)

    with pytest.raises(SpecError, match=re.escape(message)) as caught:
        save(evolve(config, agents={"r": evolve(config.agents["r"], model=model)}))

    assert [problem.code for problem in caught.value.problems] == ["not-faithful"]
    assert path.read_text() == text


@pytest.mark.parametrize("name", UNSAYABLE)
def test_what_cannot_be_said_is_left_out_where_nothing_is_said(tmp_path, name):
    file, text, model, _ = UNSAYABLE[name]
    path = tmp_path / file
    path.parent.mkdir(parents=True, exist_ok=True)
    text = "".join(line for line in text.splitlines(keepends=True) if "#" not in line)
    path.write_text(text)
    config = load(path, format=name)

    with pytest.warns(SpecWarning, match=re.escape(repr(model))):
        save(evolve(config, agents={"r": evolve(config.agents["r"], model=model)}))

    assert path.read_text() == text


SLIPS = [
    ("opencode", "permision: {bash: deny}", "unknown-key", "error", "'permission'"),
    ("opencode", "tool: {bash: false}", "unknown-key", "error", "'tools'"),
    ("opencode", "step: 3", "unknown-key", "error", "'steps'"),
    ("opencode", "max_turns: 3", "widens", "error", "take it out"),
    ("opencode", "temprature: 1", "ignored-key", "warning", "'temperature'"),
    ("opencode", "steps: 3\nstep: 3", "ignored-key", "warning", "'steps'"),
    ("opencode", "tools: {Bash: false}", "widens", "error", "its name is 'bash'"),
    ("opencode", "tools: {bsh: false}", "widens", "error", "'bash'"),
    ("opencode", "tools: {raed: true}", "unknown-tool", "warning", "'read'"),
    ("opencode", "permission: {bsh: deny}", "widens", "error", "'bash'"),
    ("opencode", "permission: {bsh: {'rm *': ask}}", "widens", "error", "'bash'"),
    ("opencode", "permission: {edti: allow}", "unknown-tool", "warning", "'edit'"),
    ("cursor", "read_only: true", "unknown-key", "error", "'readonly'"),
    ("factory", "tools: [reed]", "unknown-tool", "warning", "'Read'"),
    ("factory", "tools: [Bash]", "unknown-tool", "warning", "its name is 'Execute'"),
    ("factory", "tools: [frob]", "unknown-tool", "warning", None),
    ("copilot", "tools: [reed]", "unknown-tool", "warning", "'read'"),
    ("copilot", "tools: 'reed, search'", "unknown-tool", "warning", "'read'"),
    ("kiro_ide", "tools: [raed, '*']", "unknown-tool", "warning", "'read'"),
    ("qwen", "tools: [read_fil]", "unknown-tool", "warning", "'read_file'"),
    ("qwen", "disallowedTools: [Bsh]", "widens", "error", "'run_shell_command'"),
    ("gemini", "tools: [read_fil]", "unknown-tool", "error", "'read_file'"),
]


@pytest.mark.parametrize("slip", SLIPS, ids=str)
def test_a_slip_is_said_and_one_in_what_holds_back_is_an_error(tmp_path, slip):
    name, line, code, severity, hint = slip
    problem = only_problem(write(tmp_path / "helper.md", MARKDOWN.format(f"{line}\n")), format=name)

    assert (problem.code, problem.severity) == (code, severity)
    assert problem.hint == hint or (hint and hint in problem.hint)
    assert problem.span.line > 3


NO_SLIPS = [
    ("opencode", "top_k: 3\nreasoningEffort: high\nmaxTokens: 3\ntextVerbosity: low"),
    ("opencode", "tools: {'*': false, mytool: true, db_query: false, my*: false}"),
    ("opencode", "permission: {'*': ask, mytool: deny, codesearch: deny}"),
    ("copilot", "tools: [todos, READ, a.b/c, githubRepo, someones_tool]"),
    ("factory", "tools: [Read, mcp__db__query]"),
    ("qwen", "tools: [mytool]\ndisallowedTools: mytool, mcp__db"),
]


@pytest.mark.parametrize(("name", "lines"), NO_SLIPS)
def test_what_a_program_allows_is_no_slip(tmp_path, name, lines):
    path = write(tmp_path / "helper.md", MARKDOWN.format(f"{lines}\n"))

    assert check(path, format=name) == ()


def test_kiro_has_no_tools_but_its_own_and_those_of_servers(tmp_path):
    text = '{"description": "d", "prompt": "p", "tools": ["fs_reed", "@db/st*", "*"]}'
    problem = only_problem(write(tmp_path / "a.json", text), format="kiro")

    assert (problem.code, problem.path) == ("unknown-tool", ("tools", 0))


def test_slips_are_mended_on_request(tmp_path):
    text = MARKDOWN.format("tools: {bsh: false, write: true}\npermision: {edti: deny}\n")
    path = write(tmp_path / ".opencode/agents/helper.md", text)
    run("check", "--fix", str(path))
    assert path.read_text() == text
    assert run("check", "--unsafe-fixes", str(path)).exit_code == 0
    for old, new in {"bsh": "bash", "permision": "permission", "edti": "edit"}.items():
        text = text.replace(old, new)
    assert path.read_text() == text
    path.write_text(MARKDOWN.format("tools: {bsh: false, bash: true}\n"))
    assert only_problem(path).fix is None
    path = write(tmp_path / ".qwen/agents/helper.md", MARKDOWN.format("tools: read_fil, edit\n"))
    assert run("check", "--unsafe-fixes", str(path)).exit_code == 1
