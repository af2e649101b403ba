"""Configurations as the text of new files: equal when read again, and fit to be read by people."""

import json
import re
import typing

import pytest
import yaml
from attrs import evolve, fields
from hypothesis import given
from strategies import SOME_TEXTS, configs

from subspec import ClaudeConfig, SpecError, SubagentSpec, dumps, load, loads
from subspec.source import Media
from subspec.structure import plain


def test_a_schema_is_named_when_that_is_asked():
    config = ClaudeConfig(agents={"writer": WRITER})
    text = dumps(config, schema="agents.schema.json\n# x")
    assert text.startswith("# yaml-language-server: $schema=agents.schema.json # x\nagents:\n")
    assert loads(text) == config
    assert dumps(config, schema="x", media="json") == dumps(config, media="json")


WRITER = SubagentSpec("Writes.", "Write.")
FULL_AGENT = SubagentSpec(
    "Writes.",
    "Write.\n",
    tools=("Read",),
    disallowed_tools=(),
    model="haiku",
    skills=("pdf",),
    memory="project",
    mcp_servers=("docs", {"db": {"type": "http", "url": "http://localhost", "headers": {}}}),
    initial_prompt="",
    max_turns=3,
    background=False,
    effort=7,
    permission_mode="plan",
    color="red",
    hooks={"Stop": [{"matcher": "", "hooks": [{"type": "prompt", "prompt": "Ok?"}]}]},
    isolation="worktree",
    omit_claude_md=True,
    auto_compact_window=100_000,
    observer="critic",
    observer_message="Look.",
    observe_subagents=False,
    observe_tool_results=True,
    extra={"x-team": {"on-call": [1, 2.5, None, True]}},
)
FULL = ClaudeConfig(
    agents={"writer": FULL_AGENT, "écrivain": WRITER},
    model="opus",
    system_prompt={"type": "preset", "preset": "claude_code", "append": "Be brief."},
    tools=("Agent", "Read"),
    allowed_tools=("Read",),
    disallowed_tools=("Bash(rm:*)",),
    mcp_servers={"db": {"command": "db", "env": {"A": "1"}}},
    strict_mcp_config=True,
    permission_mode="acceptEdits",
    permission_prompt_tool_name="mcp__ask__me",
    skills="all",
    setting_sources=(),
    settings='{"a": 1}',
    plugins=({"type": "local", "path": "."},),
    cwd=".",
    add_dirs=("..",),
    env={"A": "yes", "B": "1"},
    cli_path="claude",
    extra_args={"verbose": None, "name": "x"},
    max_turns=20,
    max_budget_usd=0.1,
    max_buffer_size=2**20,
    max_thinking_tokens=0,
    thinking={"type": "adaptive"},
    effort="max",
    fallback_model="claude-haiku-4-5",
    task_budget={"total": 1_000},
    betas=("context-1m-2025-08-07",),
    output_format={"type": "json_schema", "schema": {"type": "object"}},
    sandbox={"enabled": True},
    user="me",
    client_app="",
    continue_conversation=False,
    resume="a",
    resume_session_at="b",
    resume_drops_turn="c",
    fork_session=True,
    session_id="00000000-0000-0000-0000-000000000000",
    session_store_flush="eager",
    load_timeout_ms=0,
    include_partial_messages=True,
    include_hook_events=False,
    forward_subagent_text=True,
    verbatim_prompts=True,
    enable_file_checkpointing=False,
    extra={"web": 1},
    host={"name": "desk", "tools": [{"name": "x"}]},
)
MEDIA = typing.get_args(Media)
QUIET = pytest.mark.filterwarnings("ignore::subspec.SpecWarning")


def set_in(instance):
    return {
        field.name for field in fields(type(instance)) if getattr(instance, field.name) is not None
    }


# Read again


@QUIET
@pytest.mark.parametrize("media", MEDIA)
def test_every_field_comes_back(media):
    assert set_in(FULL) == {field.name for field in fields(ClaudeConfig)} - {"origin"}
    assert set_in(FULL_AGENT) == {field.name for field in fields(SubagentSpec)} - {"origin"}
    again = loads(dumps(FULL, media=media))
    assert again == FULL
    assert repr(again) == repr(FULL)


@QUIET
@pytest.mark.parametrize("media", MEDIA)
@given(config=configs())
def test_every_configuration_comes_back(media, config):
    again = loads(dumps(config, media=media))
    assert again == config
    assert repr(again) == repr(config)  # tells True from 1, and 1 from 1.0


@QUIET
@pytest.mark.parametrize("media", MEDIA)
@given(config=configs())
def test_every_configuration_comes_back_from_a_file(tmp_path_factory, media, config):
    path = tmp_path_factory.getbasetemp() / f"team.{media}"
    path.write_bytes(dumps(config, media=media).encode())
    assert load(path) == config


@QUIET
@given(configs())
def test_other_readers_read_the_same(config):
    assert yaml.safe_load(dumps(config)) == plain(config)
    assert json.loads(dumps(config, media="json")) == plain(config)


@pytest.mark.parametrize("media", MEDIA)
def test_the_longest_number_comes_back(media):
    numbers = (10**400 - 1, 1 - 10**400, 5e-324, -1.7976931348623157e308, -0.0)
    config = ClaudeConfig(extra={"numbers": numbers})
    assert repr(loads(dumps(config, media=media))) == repr(config)


@pytest.mark.parametrize("media", MEDIA)
def test_the_deepest_data_comes_back(media):
    data = {}
    for _ in range(89):
        data = {"in": data}
    config = ClaudeConfig(agents={"writer": evolve(WRITER, extra=data)}, host=data)
    assert loads(dumps(config, media=media)) == config


# For people


def test_nothing_but_what_is_set_is_written():
    assert dumps(ClaudeConfig()) == "{}\n"
    assert dumps(ClaudeConfig(), media="json") == "{}\n"
    config = ClaudeConfig(agents={"writer": evolve(WRITER, tools=())}, setting_sources=())
    assert dumps(config) == (
        "agents:\n"
        "  writer:\n"
        "    description: Writes.\n"
        "    prompt: |-\n"
        "      Write.\n"
        "    tools: []\n"
        "setting_sources: []\n"
    )
    assert dumps(config, media="json") == (
        "{\n"
        '  "agents": {\n'
        '    "writer": {\n'
        '      "description": "Writes.",\n'
        '      "prompt": "Write.",\n'
        '      "tools": []\n'
        "    }\n"
        "  },\n"
        '  "setting_sources": []\n'
        "}\n"
    )


def test_keys_stand_in_the_order_of_the_specification():
    keys = re.findall(r"^(\w+):", dumps(FULL), re.MULTILINE)
    assert keys == [field.name for field in fields(ClaudeConfig)][:-1]
    agent = dumps(FULL).partition("  writer:\n")[2].partition("  écrivain:\n")[0]
    keys = re.findall(r"^    (\w+):", agent, re.MULTILINE)
    assert keys == [field.name for field in fields(SubagentSpec)][:-1]


def test_agents_stay_in_their_order():
    names = ["b", "a", "10", "9", "B"]
    text = dumps(ClaudeConfig(agents=dict.fromkeys(names, WRITER)))
    assert list(loads(text).agents) == names


@pytest.mark.parametrize("media", MEDIA)
def test_text_is_written_as_it_is(media):
    config = ClaudeConfig(agents={"审查": SubagentSpec("代码审查 🔍", "Écris: été\n")})
    text = dumps(config, media=media)
    assert all(part in text for part in ("审查", "代码审查 🔍", "Écris: été"))
    assert "\\" not in text.replace("\\n", "")


def test_a_long_line_stays_one_line():
    line = "word " * 200
    text = dumps(ClaudeConfig(agents={"writer": SubagentSpec(line, line)}))
    assert f'description: "{line}"\n' in text
    assert f"      {line}" in text


PROMPTS = {
    "one-line": "Write.",
    "lines": "One\nTwo\n",
    "no-final-newline": "One\n\nTwo",
    "final-newlines": "One\n\n\n",
    "leading-newline": "\nOne\n",
    "leading-blank": "  One\nTwo\n",
    "trailing-blanks": "One  \nTwo \n",
    "tab": "\tOne\n\tTwo\t\n",
    "document": "---\nOne\n...\n",
    "comment": "# One\n#Two\n",
    "colon": "One: two\n- three: {four}\n",
    "quotes": "'One' \"two\" \\three\n",
    "unicode": "Été 😀 漢\xa0\n",
    "yes": "yes\n",
    "long": "word " * 100 + "\n",
}


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=PROMPTS)
def test_a_prompt_is_a_literal_block(prompt):
    text = dumps(ClaudeConfig(agents={"writer": SubagentSpec("Writes.", prompt)}))
    assert re.search(r"^    prompt: \|2?[-+]?$", text, re.MULTILINE)
    assert all(f"      {line}\n" in text for line in prompt.split("\n") if line)
    assert loads(text).agents["writer"].prompt == prompt


@pytest.mark.parametrize("character", "\0\a\x1b\x7f\x85\u2028\u2029\ufeff\r\uffff", ids=ascii)
def test_a_prompt_that_no_block_can_hold_is_quoted(character):
    prompt = f"One\n{character}Two\n"
    text = dumps(ClaudeConfig(agents={"writer": SubagentSpec("Writes.", prompt)}))
    assert re.search(r'^    prompt: ".*"$', text, re.MULTILINE)
    assert character not in text
    assert loads(text).agents["writer"].prompt == prompt


@given(SOME_TEXTS)
def test_a_prompt_is_a_literal_block_whenever_yaml_can_say_it_so(prompt):
    text = dumps(ClaudeConfig(agents={"writer": SubagentSpec("Writes.", prompt)}))
    try:
        as_block = yaml.safe_load("|2+\n" + re.sub("^", "  ", prompt, flags=re.MULTILINE))
    except yaml.YAMLError:
        as_block = None
    has_block = re.search(r"^    prompt: \|", text, re.MULTILINE) is not None
    assert has_block <= (as_block == prompt)
    if re.fullmatch(r"[\t\n -~\xa0-\ud7ff]*", prompt) and not re.search("[\u2028\u2029]", prompt):
        assert has_block


def test_a_prompt_that_came_from_a_file_is_written_out(tmp_path):
    (tmp_path / "writer.md").write_text("Write.\n")
    config = loads(
        "agents: {writer: {description: Writes., prompt_file: writer.md}}", base_dir=tmp_path
    )
    assert dumps(config) == (
        "agents:\n  writer:\n    description: Writes.\n    prompt: |\n      Write.\n"
    )


def test_dumping_is_stable():
    once = dumps(FULL)
    with pytest.warns(UserWarning, match="file-chooses-program"):
        again = loads(once)
    assert dumps(again) == once


# What is refused


@pytest.mark.parametrize("media", ["toml", "YAML", "", None])
def test_another_medium_is_refused(media):
    with pytest.raises(ValueError, match="media must be 'yaml' or 'json', not") as caught:
        dumps(ClaudeConfig(), media=media)
    assert not isinstance(caught.value, SpecError)
    assert str(caught.value) == f"media must be 'yaml' or 'json', not {media!r}"
