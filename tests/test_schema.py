"""The schemas that editors are given: they say what the checks do, as far as a schema can."""

from __future__ import annotations

import copy
import json
import operator
import os
import re
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
from attrs import evolve
from click.testing import CliRunner
from command import environ
from hypothesis import assume, given
from hypothesis import strategies as st
from json_paths import json_path
from jsonschema import Draft202012Validator
from strategies import NAMES, configs, specs

import subspec
from subspec import ClaudeConfig, SpecError, SpecWarning, SubagentSpec, check, dumps, loads
from subspec.cli import schema as cli
from subspec.formats import CLAUDE_CODE, FORMATS, PYDANTIC_AI, detect, is_toolset
from subspec.formats.registry import OURS
from subspec.problems import errors_in, has_errors
from subspec.schema import schema, texts
from subspec.source import read_text
from subspec.source.frontmatter import find_fences, read_front_matter
from subspec.tools import KNOWN_BUILTIN_TOOLS

FIXTURES = Path(__file__).parents[1] / "fixtures"
SCHEMAS = Path(subspec.__file__).parent / "schemas"
MADE = {name: schema(name) for name in sorted([*FORMATS, CLAUDE_CODE])}
VALIDATORS = {name: Draft202012Validator(made) for name, made in MADE.items()}
AGENT = {"description": "Writes.", "prompt": "Write."}

each_format = pytest.mark.parametrize("format", MADE)


def places_refused(data, format):
    """Say where a schema refuses data."""
    return sorted({json_path(error) for error in VALIDATORS[format].iter_errors(data)})


def parts_of(value):
    """Give all that a schema is made of."""
    yield value
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from parts_of(part)


def properties_of(made):
    """Give each property of a schema: its name and what is said of it."""
    for part in parts_of(made):
        # Without a type it is one of several cases, and tells them apart.
        if isinstance(part, dict) and "type" in part and isinstance(part.get("properties"), dict):
            yield from part["properties"].items()


def front_matter(text):
    return read_front_matter(text, find_fences(text)).data


def data_in(path):
    text = path.read_text(encoding="utf-8")
    return front_matter(text) if path.suffix == ".md" else read_text(text).data


# The files


@each_format
def test_the_committed_schemas_are_current(format):
    path = SCHEMAS / f"{format}.schema.json"
    text = json.dumps(MADE[format], indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("SUBSPEC_UPDATE_SCHEMAS"):  # pragma: no cover - for those who change them
        path.write_text(text, encoding="utf-8", newline="\n")

    hint = "write them anew: SUBSPEC_UPDATE_SCHEMAS=1 pytest tests/test_schema.py"
    assert path.read_bytes() == text.encode(), hint


def test_each_format_has_a_schema_and_nothing_else_does():
    assert sorted(path.name for path in SCHEMAS.iterdir()) == [
        f"{name}.schema.json" for name in sorted([*MADE, PYDANTIC_AI, *OURS])
    ]


@each_format
def test_a_schema_is_one(format):
    made = MADE[format]
    assert made["$schema"] == Draft202012Validator.META_SCHEMA["$id"]
    assert made["$id"] == f"urn:subspec:{format}"
    assert made["title"].startswith("Subagents: ")
    Draft202012Validator.check_schema(made)
    refs = {part["$ref"] for part in parts_of(made) if isinstance(part, dict) and "$ref" in part}
    assert refs == {f"#/$defs/{name}" for name in made["$defs"]}


@each_format
def test_every_property_has_a_description_in_plain_words(format):
    found = list(properties_of(MADE[format]))
    assert len(found) > 20
    for name, said in found:
        assert re.search(r"\w", said["description"]), name
        assert not re.search(r"``|:\w+:`|None\b|\n", said["description"]), name


def test_nothing_is_described_that_is_not_there():
    said = {said.get("description") for made in MADE.values() for _, said in properties_of(made)}
    tables = [getattr(texts, name) for name in vars(texts) if name.startswith("ABOUT")]
    assert len(tables) == 5
    assert [text for table in tables for text in table.values() if text not in said] == []


def test_a_schema_may_be_changed_by_whoever_gets_it():
    mine = schema("claude_code")
    for part in list(parts_of(mine)):
        part.clear()
    assert schema("claude_code") == MADE["claude_code"]


def test_what_a_description_names_is_called_what_the_format_calls_it():
    said = {
        name: dict(properties_of(made))["memory"]["description"]
        for name, made in MADE.items()
        if name != "holodeck"
    }
    assert set(said.values()) == {
        "Where it keeps notes between runs. Setting it adds Read, Write and Edit to `tools`."
    }
    thinking = dict(properties_of(MADE["agents"]))["max_thinking_tokens"]["description"]
    assert thinking == "Tokens for thinking; `thinking` is the newer way to say it."
    assert MADE["claude_code"]["properties"]["disallowedTools"]["description"] == (
        "Tools that are taken away, from the inherited ones or from `tools`."
    )


def test_there_is_no_schema_of_an_unknown_format():
    with pytest.raises(ValueError, match=r"unknown format 'agent'; did you mean 'agents'\?"):
        schema("agent")


def test_the_canonical_format_is_meant_where_none_is_named():
    assert schema() == MADE["agents"]


# What they are for

READABLE = (".json", ".md", ".yaml")
BROKEN = {
    ("agents", "broken/team.yaml"): [
        # The unknown key, and the name of an agent that nobody can call.
        *("$", "$.agents"),
        *(f"$.agents.{name}" for name in ("headless", "nobody")),
        *(f"$.agents.silent.{key}" for key in ("description", "disallowed_tools", "prompt")),
        *("$.agents.torn", "$.agents.typo", "$.agents.typo.model"),
        *(f"$.agents.wrong.{key}" for key in ("background", "description", "effort", "hooks")),
        *(f"$.agents.wrong.{key}" for key in ("max_turns", "mcp_servers[0]", "memory")),
        *(f"$.agents.wrong.{key}" for key in ("permission_mode", "skills[1]", "tools")),
        *("$.max_budget_usd", "$.subagents"),
    ],
    ("claude_code", "claude-code/odd/misspelt.md"): [
        *("$.allowed-tools", "$.disallowed_tools", "$.permission-mode"),
    ],
    ("claude_code", "claude-code/odd/ignored.md"): [
        *("$.background", "$.color", "$.effort", "$.isolation", "$.maxTurns", "$.memory"),
        "$.model",
    ],
}


def test_what_is_sound_among_the_fixtures_is_taken():
    taken = set()
    for path in sorted(FIXTURES.rglob("*")):
        if path.suffix not in READABLE or "prompts" in path.parts:
            continue
        problems = check(path)
        # Any text may be the name of a tool, with whatever behind it.
        faults = {problem.code for problem in errors_in(problems)} - {"tool-rule-ignored"}
        if not faults and "ignored-value" not in {problem.code for problem in problems}:
            data = data_in(path)
            if is_toolset(data, None):
                continue
            name = CLAUDE_CODE if path.suffix == ".md" else detect(data).name
            assert places_refused(data, name) == [], path
            taken.add((name, path.stem))
    assert taken >= {
        *(("agents", "team"), ("holodeck", "agent"), ("claude_cli", "agents")),
        *(("claude_code", "analyst"), ("claude_code", "security")),
    }


@pytest.mark.parametrize(("format", "name"), BROKEN, ids=[name for _, name in BROKEN])
def test_a_broken_fixture_is_refused_at_each_fault_that_its_data_shows(format, name):
    assert places_refused(data_in(FIXTURES / name), format) == BROKEN[format, name]


def agent(format, **keys):
    """Give the data of a file with one agent, with some keys more or, where `...`, less."""
    given = {"name": "a", **AGENT} if format == CLAUDE_CODE else AGENT
    entry = {key: value for key, value in (given | keys).items() if value is not ...}
    if format == CLAUDE_CODE:
        del entry["prompt"]
        return entry
    agents = {"a": entry}
    return {"claude_cli": agents, "holodeck": {"claude": {"agents": agents}}}.get(
        format, {"agents": agents}
    )


PROMPTS = [
    ({}, True),
    ({"prompt": ...}, False),
    ({"prompt": ..., "prompt_file": "writer.md"}, True),
    ({"prompt_file": "writer.md"}, False),
    ({"prompt_file": None}, True),
    ({"prompt": None, "prompt_file": "writer.md"}, True),
    ({"prompt": None}, False),
    ({"prompt": None, "prompt_file": None}, False),
    ({"prompt": " "}, False),
    ({"prompt": ..., "prompt_file": " "}, False),
]


@pytest.mark.parametrize("format", ["agents", "holodeck"])
@pytest.mark.parametrize(("keys", "right"), PROMPTS, ids=[str(keys) for keys, _ in PROMPTS])
def test_an_agent_has_either_a_prompt_or_a_file_with_one(format, keys, right, tmp_path):
    (tmp_path / "writer.md").write_text("Write.")
    data = agent(format, **keys)
    assert VALIDATORS[format].is_valid(data) is right
    if right:
        loads(json.dumps(data), format=format, base_dir=tmp_path)
    else:
        with pytest.raises(SpecError):
            loads(json.dumps(data), format=format, base_dir=tmp_path)


@pytest.mark.parametrize("format", ["agents", "holodeck"])
def test_a_legacy_key_is_refused_in_the_words_of_its_problem(format):
    made = MADE[format] if format == "agents" else MADE[format]["properties"]["claude"]
    said = made["properties"]["subagents"]
    assert said["description"].startswith("claude.subagents is no longer supported; remove this")
    assert (said["deprecated"], said["not"]) == (True, {})


@pytest.mark.parametrize(
    "value",
    [
        *("Read, Bash(git log, git diff)", ["Read", "my_tool", "mcp__db__query"], []),
        *({"type": "preset", "preset": "claude_code"}, {"type": "preset"}),
    ],
    ids=str,
)
def test_where_tools_can_be_a_text_or_a_preset(value):
    taken = {name: VALIDATORS[name].is_valid(agent(name, tools=value)) for name in MADE}
    is_list = isinstance(value, list)
    assert taken == dict.fromkeys(MADE, is_list) | {
        "claude_code": is_list or isinstance(value, str)
    }
    assert VALIDATORS["agents"].is_valid({"tools": value}) is (is_list or value == TEAM.tools)


@pytest.mark.parametrize("model", ["sonnet", " OPUS[1m] ", "claude", "a/b", "gpt-4", "inherit"])
def test_a_model_is_an_alias_or_an_id(model):
    assert all(VALIDATORS[name].is_valid(agent(name, model=model)) for name in MIRRORS)
    assert VALIDATORS["agents"].is_valid({"fallback_model": model})


@pytest.mark.parametrize("model", ["sonet", "claude 4", "", " ", "a b", 4])
def test_what_is_no_model(model):
    assert not any(VALIDATORS[name].is_valid(agent(name, model=model)) for name in MIRRORS)
    assert not VALIDATORS["agents"].is_valid({"fallback_model": model})


@pytest.mark.parametrize("name", ["a", "ä-b", "7", "a:b", "-a", "", " ", "__proto__", "x" * 257])
@each_format
def test_a_name_is_one_that_can_be_called(format, name):
    refused = (format == CLAUDE_CODE and (":" in name or len(name) > 256)) or (
        name.startswith("-") or name.strip() in ("", "__proto__")
    )
    data = {"name": name, "description": "Writes."}
    if format != CLAUDE_CODE:
        data = json.loads(json.dumps(agent(format)).replace('"a"', json.dumps(name)))
    assert VALIDATORS[format].is_valid(data) is not refused
    compare(data, format)


MIRRORS = ("agents", "claude_cli", "claude_code")


@each_format
def test_editors_are_offered_the_tools(format):
    offered = MADE[format]["$defs"]["tool"]["anyOf"][0]["enum"]
    assert set(offered) >= KNOWN_BUILTIN_TOOLS
    assert "AskUserQuestion" not in offered


# Both say the same

SERVERS = [
    "docs",
    {"db": {"command": "db", "args": ["-v"], "env": {"A": "b"}, "timeout": 5, "role": 1}},
    {"a": {"type": "stdio", "command": "x", "alwaysLoad": True}},
    {
        "b": {
            "type": "http",
            "url": "http://127.0.0.1/mcp",
            "headers": {"A": "b"},
            "oauth": {
                "callbackPort": 80,
                "scopes": "a b",
                "xaa": True,
                "authServerMetadataUrl": "https://127.0.0.1/x",
            },
            "tools": [{"name": "x", "permission_policy": "always_ask"}],
            "toolPermissions": {"x": "ask"},
        }
    },
    {"c": {"type": "ws", "url": "x", "headersHelper": "y"}},
]
TWO = {"a": {"command": "x"}, "b": {"command": "y"}}
KINDS = [
    {"type": "command", "command": "x", "timeout": 0.5, "shell": "bash", "if": "Bash(git *)"},
    {"type": "command", "command": "x", "args": ["y"], "rewakeMessage": "z"},
    {"type": "prompt", "prompt": "x", "model": "haiku", "continueOnBlock": True},
    {"type": "agent", "prompt": "x", "once": True},
    {
        "type": "http",
        "url": "http://127.0.0.1/",
        "headers": {"a": "b"},
        "allowedEnvVars": ["A"],
        "onFailure": "block",
    },
    {"type": "mcp_tool", "server": "x", "tool": "y", "input": {"a": [1, None]}},
]
HOOKS = [{"PreToolUse": [{"matcher": "Bash", "hooks": KINDS[:1]}]}] + [
    {"Stop": [{"hooks": [hook]}]} for hook in KINDS[1:]
]
FULL = SubagentSpec(
    "Writes.",
    "Write.",
    tools=["Read", "mcp__db__query"],
    disallowed_tools=["Bash"],
    model="haiku",
    skills=["pdf"],
    memory="project",
    mcp_servers=SERVERS,
    initial_prompt="Go.",
    max_turns=3,
    background=True,
    effort="low",
    permission_mode="plan",
    color="red",
    hooks=HOOKS[0],
    isolation="worktree",
    omit_claude_md=True,
    auto_compact_window=100_000,
    observer="critic",
    observer_message="Look.",
    observe_subagents=True,
    observe_tool_results=False,
)
PLAIN = SubagentSpec("Writes.", "Write.", tools=(), model="opus")
TEAM = ClaudeConfig(
    agents={"writer": PLAIN, "full": FULL},
    tools={"type": "preset", "preset": "claude_code"},
    model="opus",
    permission_mode="acceptEdits",
    effort="high",
    thinking={"type": "enabled", "budget_tokens": 2000},
    setting_sources=["user"],
    max_turns=3,
    max_budget_usd=0.5,
    env={"A": "b"},
    extra_args={"a": "b", "c": None},
    skills="all",
    plugins=[{"type": "local"}],
)


def teams(format):
    """Make configurations that a format can say, mostly."""
    if format == CLAUDE_CODE:
        pairs = st.tuples(NAMES, specs()) | st.just(("writer", FULL))
        return pairs.map(lambda pair: ClaudeConfig(agents=dict([pair])))
    if format == "holodeck":
        return (st.just(TEAM) | configs()).map(for_holodeck)
    return st.just(TEAM) | configs()


def for_holodeck(config):
    """Take out of agents what HoloDeck cannot say."""
    agents = {
        name: SubagentSpec(spec.description, spec.prompt, tools=spec.tools)
        for name, spec in (config.agents or {}).items()
    }
    return evolve(config, agents=agents)


def written(config, format, media="json"):
    """Give the data of the text that a configuration is written as; pass over one that is not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        try:
            text = dumps(config, format=format, media=media)
        except SpecError:
            assume(False)  # noqa: FBT003 - it takes nothing else
    if format == CLAUDE_CODE:
        return front_matter(text)
    return json.loads(text) if media == "json" else read_text(text).data


@each_format
@given(data=st.data())
def test_what_is_written_is_taken(format, data):
    config = data.draw(teams(format))
    media = data.draw(st.sampled_from(["json", "yaml"]))
    assert places_refused(written(config, format, media), format) == []


def text_of(data, format):
    """Write data as a file of a format."""
    return f"---\n{flow(data)}\n---\nWrite.\n" if format == CLAUDE_CODE else json.dumps(data)


def flow(value):
    """Write YAML in which nothing can be taken for the end of the front matter."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"? {flow(key)} : {flow(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return f"[{', '.join(map(flow, value))}]"
    if isinstance(value, str):
        escaped = (c if c.isascii() and c.isalnum() else f"\\U{ord(c):08x}" for c in value)
        return f'"{"".join(escaped)}"'
    return json.dumps(value)


def problems_in(data, format):
    """Say what loading a file with some data finds."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", SpecWarning)
        try:
            loads(text_of(data, format), format=format)
        except SpecError as error:
            return error.problems
    return [each.message.problem for each in caught]


FORGIVEN = {
    ("holodeck", "tools"): "null is warned of, for it says neither all nor none",
    ("holodeck", "disallowed_tools"): "null is warned of, for it says neither all nor none",
    ("claude_code", "hooks"): "what counts as false in JavaScript is no hooks",
    ("claude_code", "effort"): "a number is taken from what it begins with",
}
"""Keys that may hold what a schema refuses and the loader takes, and why."""

UNSAID = {
    "unknown-model": "a word in capitals may be an alias, or none",
    "prompt-file-unusable": "files are not looked at",
    "not-an-agent": "hooks that guard an agent can stand anywhere in keys that nothing reads",
    "lone-surrogate": "half of a surrogate pair is no text in JSON Schema either",
}
"""Problems that a schema cannot see, by code, and why."""


def is_seen(problem):
    """Tell whether a schema has to refuse what a problem is about; 2.0 is a whole number there."""
    point = "whole number, not the number 2.0" in problem.message
    return problem.severity == "error" and problem.code not in UNSAID and not point


def compare(data, format):
    """Compare what a schema says of data with what loading says."""
    problems = problems_in(data, format)
    if VALIDATORS[format].is_valid(data):
        assert not any(map(is_seen, problems)), (data, problems)
    elif not has_errors(problems) and not (format == CLAUDE_CODE and problems):
        # Of Markdown a value that is ignored is only warned of.
        for error in VALIDATORS[format].iter_errors(data):
            assert (format, error.absolute_path[-1]) in FORGIVEN, (data, error.message)


ODD = [
    *(None, True, False, 0, -1, 1, 1.5, 2.0, 99_999, 10**16, "", " ", "3", "x", "LOW", "true"),
    *([], [None], ["x", 1], ["*"], {}, {"x": 1}, {"x": "y"}, {"type": "x"}, {"x": [{}]}),
]
"""Values that are right somewhere and wrong almost everywhere else."""

KEYS = [
    *("unknown", "-a", "__proto__", "subagents", "prompt_file", "origin", "max_turns", "maxTurns"),
    *("allowed-tools", "PreToolUse", "type", "url", "command", "Description"),
]
NESTED = {
    "mcp_servers": [[server] for server in [*SERVERS, TWO]],
    "mcpServers": [[server] for server in [*SERVERS, TWO]],
    "hooks": HOOKS,
    "tools": [["Read"], {"type": "preset", "preset": "claude_code"}],
    "extended_thinking": [{"enabled": True, "budget_tokens": 1000}],
    "env": [{"A": "b"}],
    "extra_args": [{"A": "b"}],
    "setting_sources": [["user"], ["all"]],
}


def homes(format):
    """Give the keys that there are, with a way to put one of them into a file."""
    made = MADE[format]
    if format == CLAUDE_CODE:
        yield made["properties"], lambda one: agent(format, **one)
        return
    config = made["properties"]["claude"] if format == "holodeck" else made
    agents = config if format == "claude_cli" else config["properties"]["agents"]
    yield agents["additionalProperties"]["properties"], lambda one: agent(format, **one)
    if format == "holodeck":
        yield config["properties"], lambda one: {"claude": one}
        yield made["properties"], lambda one: one
    elif format == "agents":
        yield config["properties"], lambda one: one


def ways_into(data, way=()):
    """Give the ways to all that is in data."""
    if way:
        yield way
    if isinstance(data, dict | list):
        for key, item in list(data.items() if isinstance(data, dict) else enumerate(data)):
            yield from ways_into(item, (*way, key))


def changed(data, way, change, *value):
    """Give data in which one thing is changed."""
    data = copy.deepcopy(data)
    *above, last = way
    parent = data
    for key in above:
        parent = parent[key]
    change(parent, last, *value)
    return data


def changes(data):
    """Change one thing in data, in every way."""
    for way in ways_into(data):
        yield changed(data, way, operator.delitem)
        for value in ODD:
            yield changed(data, way, operator.setitem, value)
        for key in KEYS:
            yield changed(data, way, rename, key)


def rename(parent, key, new):
    value = parent.pop(key)
    parent.insert(key, new) if isinstance(parent, list) else parent.update({new: value})


@pytest.mark.exhaustive
@each_format
def test_each_value_of_each_key_is_taken_by_both_or_by_neither(format):
    compared = 0
    for keys, put in homes(format):
        for key in [*keys, *KEYS]:
            nested = [each for value in NESTED.get(key, ()) for each in [value, *changes(value)]]
            for value in [*ODD, *nested]:
                compare(put({key: value}), format)
                compared += 1
    assert compared > 500


@st.composite
def mutants(draw, format):
    """Make what a format can say, and change one thing in it."""
    data = written(draw(teams(format)), format)
    ways = list(ways_into(data))
    change, values = draw(
        st.sampled_from(
            [(operator.setitem, ODD), (operator.delitem, None), (rename, KEYS), (add, KEYS)]
        )
    )
    value = () if values is None else (draw(st.sampled_from(values)),)
    if not ways:
        return draw(st.sampled_from(ODD))
    return changed(data, draw(st.sampled_from(ways)), change, *value)


def add(parent, _, key):
    parent.append(key) if isinstance(parent, list) else parent.update({key: 1})


@each_format
@given(data=st.data())
def test_what_is_changed_is_taken_by_both_or_by_neither(format, data):
    compare(data.draw(mutants(format)), format)


# The command


def test_the_command_prints_a_schema_as_it_is_committed():
    for name in MADE:
        result = CliRunner().invoke(cli.schema, [name])
        assert result.exit_code == 0
        assert result.stdout == (SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8")


def test_the_command_prints_the_canonical_schema_where_none_is_named():
    result = CliRunner().invoke(cli.schema, [])
    assert json.loads(result.stdout) == MADE["agents"]


def test_the_command_knows_what_schemas_there_are():
    result = CliRunner().invoke(cli.schema, ["agent"])
    assert result.exit_code == 2
    assert "'agent' is not one of 'agents', 'claude_cli', 'claude_code', 'codex', " in result.output


def test_the_command_reads_nothing_but_the_file():
    code = "import sys; from subspec.cli.schema import schema; print(*sys.modules)"
    result = subprocess.run(
        [sys.executable, "-c", code], env=environ(), capture_output=True, text=True, check=True
    )
    assert not {"cattrs", "yaml", "subspec.schema", "subspec.formats"} & set(result.stdout.split())
