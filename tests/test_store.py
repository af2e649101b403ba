"""From files to configurations: what loads, what is said of the rest, and where it was."""

import hashlib
import json
import time
from inspect import currentframe
from pathlib import Path

import pytest
import yaml
from attrs import evolve, field, frozen

from subspec import (
    ClaudeConfig,
    Origin,
    Span,
    SpecError,
    SpecWarning,
    SubagentSpec,
    check,
    configure_converter,
    dumps,
    load,
    loads,
    make_converter,
)

ROOT = Path(__file__).parents[1]
FIXTURES = {
    "research-team": "fixtures/research-team/team.yaml",
    "disjoint-mcp": "fixtures/disjoint-mcp/team.yaml",
    "holodeck": "fixtures/holodeck/agent.yaml",
    "claude-cli": "fixtures/claude-cli/agents.json",
}
AGENT = {"description": "Writes.", "prompt": "Write."}
ODD = {**AGENT, "tools": ["WebSerach"]}


@pytest.fixture
def at_root(monkeypatch):
    """Run at the root of the repository, so that paths in messages are short and the same."""
    monkeypatch.chdir(ROOT)


def write(path: Path, text: str) -> Path:
    path.write_bytes(text.encode())
    return path


# Fixtures


@pytest.mark.usefixtures("at_root")
@pytest.mark.parametrize("path", FIXTURES.values(), ids=FIXTURES)
def test_a_fixture_loads_without_a_word(path, snapshot):
    assert dumps(load(path)) == snapshot
    assert check(path) == ()


@pytest.mark.usefixtures("at_root")
def test_the_whole_report_of_the_broken_fixture(snapshot):
    problems = check("fixtures/broken/team.yaml")
    assert "\n".join(map(str, problems)) == snapshot
    assert len({problem.code for problem in problems}) >= 15
    with pytest.raises(SpecError) as caught:
        load("fixtures/broken/team.yaml")
    # Loading says the same, but for what Claude Code would make of it.
    said = {(problem.code, problem.path, problem.span) for problem in problems}
    loading = {(problem.code, problem.path, problem.span) for problem in caught.value.problems}
    assert {code for code, _, _ in said - loading} == {"no-usable-tools"}
    assert loading <= said


@pytest.mark.usefixtures("at_root")
def test_each_problem_of_the_broken_fixture_has_its_line():
    lines = Path("fixtures/broken/team.yaml").read_text().splitlines()
    for problem in check("fixtures/broken/team.yaml"):
        assert problem.file == "fixtures/broken/team.yaml"
        assert problem.excerpt == lines[problem.span.line - 1]


# Many faults

TEN_FAULTS = """\
agents:
  typo:
    descriptoin: Writes.
    prompt: Write.
    model: sonet
  wrong:
    description: 1
    prompt: " "
    max_turns: 0
    effort: hgih
  -dash: {description: Writes., prompt: Write., disallowed_tools: null}
subagents: {enabled: true}
"""


def test_ten_faults_in_one_file_are_ten_problems(tmp_path):
    path = write(tmp_path / "team.yaml", TEN_FAULTS)
    assert [(p.span.line, p.span.column, p.code) for p in check(path)] == [
        (12, 1, "legacy-key"),
        (2, 3, "missing-key"),
        (3, 5, "unknown-key"),
        (5, 12, "unknown-model"),
        (7, 18, "wrong-type"),
        (8, 13, "blank-prompt"),
        (9, 16, "out-of-range"),
        (10, 13, "not-a-choice"),
        (11, 3, "bad-agent-name"),
        (11, 67, "null-tools"),
    ]


def test_the_same_faults_in_json_are_in_the_right_places(tmp_path):
    data = yaml.safe_load(TEN_FAULTS)
    text = json.dumps(data, indent=1)
    path = write(tmp_path / "team.json", text)
    problems = check(path)
    in_yaml = check(write(tmp_path / "team.yaml", TEN_FAULTS))
    assert {(p.path, p.message, p.code) for p in problems} == {
        (p.path, p.message, p.code) for p in in_yaml
    }
    lines = text.splitlines()
    marked = {
        p.path: lines[p.span.line - 1][p.span.column - 1 : p.span.end_column - 1]
        for p in problems
        if p.span.line == p.span.end_line
    }
    assert marked == {
        ("agents", "typo"): '"typo"',
        ("agents", "typo", "descriptoin"): '"descriptoin"',
        ("agents", "typo", "model"): '"sonet"',
        ("agents", "wrong", "description"): "1",
        ("agents", "wrong", "prompt"): '" "',
        ("agents", "wrong", "max_turns"): "0",
        ("agents", "wrong", "effort"): '"hgih"',
        ("agents", "-dash"): '"-dash"',
        ("agents", "-dash", "disallowed_tools"): "null",
        ("subagents",): '"subagents"',
    }


def test_a_thousand_faults_are_a_thousand_problems_and_soon(tmp_path):
    agents = "".join(
        f"  a{number}:\n    description: Writes.\n    prompt: Write.\n    modle: opus\n"
        for number in range(1000)
    )
    path = write(tmp_path / "team.yaml", f"agents:\n{agents}")
    start = time.process_time()
    problems = check(path)
    assert time.process_time() - start < 60
    assert [(p.code, p.span.line) for p in problems] == [
        ("unknown-key", 5 + 4 * number) for number in range(1000)
    ]


def test_problems_come_in_the_order_of_the_file_and_the_legacy_block_first(tmp_path):
    text = "mdoel: x\nagents:\n  a: {prompt: Write.}\ntools: *no\nsubagents: {}\n"
    path = write(tmp_path / "team.yaml", text)
    assert [(p.span.line, p.code) for p in check(path)] == [
        (5, "legacy-key"),
        (1, "unknown-key"),
        (3, "missing-key"),
        (4, "unknown-alias"),
    ]


def test_a_stand_in_for_text_that_is_wrong_has_no_faults_of_its_own(tmp_path):
    text = (
        "agents:\n  a: {description: *no, prompt: Write., max_turns: .inf, memory: !!x user,\n"
        "    tools: *no, 1: x}\n"
    )
    path = write(tmp_path / "team.yaml", text)
    assert [(p.span.line, p.code) for p in check(path)] == [
        (2, "unknown-alias"),
        (2, "bad-number"),
        (2, "yaml-tag"),
        (3, "unknown-alias"),
        (3, "non-string-key"),
    ]


@pytest.mark.parametrize(
    ("entry", "code"),
    [("prompt: Write.", "missing-key"), ("description: Writes.", "prompt-missing")],
)
def test_a_key_that_is_no_text_does_not_hide_what_its_value_lacks(tmp_path, entry, code):
    path = write(tmp_path / "team.yaml", f"agents:\n  7: {{{entry}}}\n")
    assert [p.code for p in check(path)] == ["non-string-key", code]


def test_several_files_are_checked_in_one_go(tmp_path):
    first = write(tmp_path / "first.yaml", "modle: x")
    second = write(tmp_path / "second.json", '{"agents": 1}')
    third = write(tmp_path / "third.yaml", "model: opus")
    problems = check(first, str(second), third, tmp_path / "fourth.yaml")
    assert [(p.file, p.code) for p in problems] == [
        (str(first), "unknown-key"),
        (str(second), "wrong-type"),
        (str(tmp_path / "fourth.yaml"), "cannot-read"),
    ]
    assert check() == ()


# Load


def test_the_name_tells_json_from_yaml(tmp_path):
    text = json.dumps({"agents": {"writer": AGENT}})
    expected = loads(text)
    for name in ("a.json", "a.JSON", "a.yaml", "a.yml", "a.txt", "a"):
        assert load(write(tmp_path / name, text)) == expected
        assert load(str(tmp_path / name)) == expected
    commented = write(tmp_path / "b.json", f"# no\n{text}")
    assert [p.code for p in check(commented)] == ["json-syntax"]
    assert load(write(tmp_path / "b.yaml", f"# yes\n{text}")) == expected


@pytest.mark.parametrize("mark", ["", "\ufeff"], ids=["plain", "bom"])
@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["lf", "crlf"])
@pytest.mark.parametrize("name", ["team.yaml", "team.json"])
def test_bom_and_line_ends_change_nothing(tmp_path, mark, end, name):
    config = ClaudeConfig(agents={"écrivain": SubagentSpec("Écrit.", "Un\n\nDeux\n", tools=())})
    text = dumps(config, media=name[5:])
    assert load(write(tmp_path / name, mark + text.replace("\n", end))) == config
    assert loads(mark + text.replace("\n", end)) == config


def test_the_format_can_be_said(tmp_path):
    text = "claude: {agents: {writer: {description: Writes., prompt: Write.}}}"
    path = write(tmp_path / "agent.yaml", text)
    assert load(path) == load(path, format="holodeck") == loads(text, format="holodeck")
    assert loads(text, format=None) == loads(text, format="holodeck")
    for call in (lambda: load(path, format="agents"), lambda: loads(text)):
        with pytest.raises(SpecError, match="unknown key 'claude'"):
            call()
    assert [p.code for p in check(path, format="agents")] == ["unknown-key"]
    assert check(path, format="holodeck") == ()


def test_text_that_came_from_no_file_says_so():
    with pytest.raises(SpecError) as caught:
        loads("agents:\n  writer: 1\n")
    assert str(caught.value) == (
        "<text>:2:11: error: agents.writer: must be a mapping, not the number 1;"
        " give it a description and a prompt [wrong-type]"
    )


def test_an_error_lists_the_warnings_too(tmp_path):
    path = write(tmp_path / "team.yaml", json.dumps({"agents": {"a": {**ODD, "model": 1}}}))
    with pytest.raises(SpecError) as caught:
        load(path)
    assert [p.severity for p in caught.value.problems] == ["warning", "error"]


def test_a_configuration_of_a_file_with_wrong_text_is_not_given():
    with pytest.raises(SpecError, match="given twice"):
        loads("model: opus\nmodel: opus\n")


def test_tools_of_the_host_are_known_in_every_format():
    text = dumps(
        ClaudeConfig(
            agents={"a": SubagentSpec("Writes.", "Write.", tools=("price-list",))},
            host={"tools": [{"name": "price-list"}]},
        )
    )
    assert loads(text).agents["a"].tools == ("price-list",)
    with pytest.warns(SpecWarning, match="price-list"):
        loads(text.replace("name:", "nome:"))


# Warnings


@frozen
class Team:
    """A class such as users have."""

    lead: SubagentSpec
    members: list[SubagentSpec] = field(factory=list)
    by_name: dict[str, SubagentSpec] = field(factory=dict)
    spare: SubagentSpec | None = None
    claude: ClaudeConfig | None = None


def load_at_a_line(path):
    load(path)
    return currentframe().f_lineno - 1


def loads_at_a_line(path):
    loads(path.read_text())
    return currentframe().f_lineno - 1


def structure_spec_at_a_line(_):
    make_converter(None).structure(ODD, SubagentSpec)
    return currentframe().f_lineno - 1


def structure_config_at_a_line(_):
    make_converter(None).structure({"agents": {"writer": ODD}}, ClaudeConfig)
    return currentframe().f_lineno - 1


def structure_list_at_a_line(_):
    make_converter(None).structure([AGENT, ODD], list[SubagentSpec])
    return currentframe().f_lineno - 1


def structure_class_at_a_line(_):
    make_converter(None).structure({"lead": ODD}, Team)
    return currentframe().f_lineno - 1


def structure_class_in_a_class_at_a_line(_):
    make_converter(None).structure({"a": [{"lead": ODD}]}, dict[str, list[Team]])
    return currentframe().f_lineno - 1


def structure_members_at_a_line(_):
    make_converter(None).structure({"lead": AGENT, "members": [ODD]}, Team)
    return currentframe().f_lineno - 1


def structure_mapping_at_a_line(_):
    make_converter(None).structure({"lead": AGENT, "by_name": {"a": ODD}}, Team)
    return currentframe().f_lineno - 1


def structure_optional_at_a_line(_):
    converter = configure_converter(make_converter(None), None)
    converter.structure({"lead": AGENT, "spare": ODD}, Team)
    return currentframe().f_lineno - 1


def structure_config_in_a_class_at_a_line(_):
    data = {"lead": AGENT, "claude": {"agents": {"writer": ODD}}}
    make_converter(None).structure(data, Team)
    return currentframe().f_lineno - 1


def structure_undetailed_at_a_line(_):
    converter = configure_converter(make_converter(None).copy(detailed_validation=False), None)
    converter.structure({"lead": ODD}, Team)
    return currentframe().f_lineno - 1


def dumps_at_a_line(_):
    dumps(ClaudeConfig(user="me"), format="holodeck")
    return currentframe().f_lineno - 1


@pytest.mark.parametrize(
    "call",
    [value for name, value in list(vars().items()) if name.endswith("_at_a_line")],
    ids=lambda call: call.__name__.removesuffix("_at_a_line"),
)
def test_a_warning_is_given_at_the_callers_line(tmp_path, call):
    path = write(tmp_path / "team.yaml", json.dumps({"agents": {"writer": ODD}}))
    with pytest.warns(SpecWarning) as caught:
        line = call(path)
    (warning,) = caught
    assert issubclass(warning.category, UserWarning)
    assert (warning.filename, warning.lineno) == (__file__, line)


def test_each_odd_thing_is_one_warning_in_the_order_of_the_file(tmp_path):
    path = write(
        tmp_path / "team.yaml",
        "model: gpt-4\nagents:\n  a: {description: D, prompt: P, tools: [LS, Raed, Read]}\n",
    )
    with pytest.warns(SpecWarning) as caught:
        load(path)
    assert [warning.message.problem for warning in caught] == list(check(path))
    assert [p.code for p in check(path)] == ["unusual-model", "removed-tool", "unknown-tool"]


# Origin


def test_a_configuration_knows_its_file(tmp_path, monkeypatch):
    text = json.dumps({"agents": {"writer": AGENT}})
    write(tmp_path / "team.yaml", text)
    monkeypatch.chdir(tmp_path)
    config = load("team.yaml")
    digest = hashlib.sha256(text.encode()).hexdigest()
    assert config.origin == Origin(Path("team.yaml"), format="agents", digest=digest)
    assert config.agents["writer"].origin == Origin(
        Path("team.yaml"), Span(1, 23, 1, 69), format="agents"
    )


def test_the_digest_is_of_the_bytes_that_were_read(tmp_path):
    raw = "\ufeffmodel: opus\r\n".encode()
    (tmp_path / "team.yaml").write_bytes(raw)
    assert load(tmp_path / "team.yaml").origin.digest == hashlib.sha256(raw).hexdigest()


def test_text_of_no_file_has_an_origin_too():
    config = loads("agents: {writer: {description: Writes., prompt: Write.}}")
    assert config.origin == Origin(format="agents")
    assert config.agents["writer"].origin == Origin(span=Span(1, 18, 1, 56), format="agents")


@pytest.mark.usefixtures("at_root")
@pytest.mark.parametrize("path", FIXTURES.values(), ids=FIXTURES)
def test_the_span_of_an_agent_shows_it(path):
    lines = Path(path).read_text().splitlines()
    config = load(path)
    for spec in config.agents.values():
        assert (spec.origin.path, spec.origin.format) == (Path(path), config.origin.format)
        span = spec.origin.span
        shown = lines[span.line - 1 : span.end_line]
        shown[-1] = shown[-1][: span.end_column - 1]
        shown[0] = " " * (span.column - 1) + shown[0][span.column - 1 :]
        entry = yaml.safe_load("\n".join(shown) + "\n")
        assert entry["description"] == spec.description
        assert entry.get("prompt", spec.prompt) == spec.prompt
        assert ("prompt_file" in entry) == (spec.origin.prompt_file is not None)


def test_an_agent_by_alias_or_merge_has_the_place_where_it_is_named():
    text = (
        "agents:\n  a: &a\n    description: Writes.\n    prompt: Write.\n  b: *a\n"
        "  c:\n    <<: *a\n    tools: []\n"
    )
    agents = loads(text).agents
    assert agents["b"] == agents["a"]
    assert agents["c"] == evolve(agents["a"], tools=())
    assert [(spec.origin.span.line, spec.origin.span.column) for spec in agents.values()] == [
        (2, 6),
        (5, 6),
        (7, 5),
    ]


def test_origin_takes_no_part_in_equality(tmp_path):
    text = json.dumps({"agents": {"writer": AGENT}})
    made = ClaudeConfig(agents={"writer": SubagentSpec("Writes.", "Write.")})
    assert load(write(tmp_path / "team.yaml", text)) == loads(f"\n{text}") == made
    assert hash(loads(text)) == hash(made)
    assert made.origin is None
    assert "origin" not in repr(loads(text))


# What a newcomer writes


def problems_of_text(text):
    with pytest.raises(SpecError) as caught:
        loads(text)
    return caught.value.problems


@pytest.mark.parametrize(
    "block", ["{writer: {description: Writes., prompt: Write.}}", "[{name: writer}]"]
)
def test_agents_under_the_legacy_key_are_not_told_to_be_removed(block):
    (problem,) = problems_of_text(f"subagents: {block}")
    assert str(problem).endswith("unknown key 'subagents'; did you mean 'agents'? [unknown-key]")


def test_an_agent_at_the_top_is_told_where_it_belongs():
    hint = "it is of an agent: write it under 'agents:' and the name of the agent"
    problems = problems_of_text("name: writer\ndescription: Writes.\nprompt: Write.")
    assert [problem.hint for problem in problems] == [hint] * 3


@pytest.mark.parametrize(
    ("tools", "hint"),
    [
        ("Read, Grep", "write it as a list: [Read, Grep]"),
        ("'*'", 'write it as a list: ["*"]'),
        ("'Bash(git: *), Read'", 'write it as a list: ["Bash(git: *)", Read]'),
        ("' '", None),
    ],
)
def test_the_list_that_was_meant_can_be_pasted(tools, hint):
    agent = f"{{description: Writes., prompt: Write., tools: {tools}}}"
    if "," in tools and "'" not in tools:
        agent = agent.replace(tools, f"'{tools}'")
    (problem,) = problems_of_text(f"agents: {{a: {agent}}}")
    assert problem.hint == hint


@pytest.mark.parametrize("tools", ["{}", "{Read: true}", "{type: preset, preset: all}"])
def test_a_mapping_for_the_tools_of_a_session_is_the_preset_or_an_error(tools):
    # The SDK takes any mapping for the preset, which is all tools.
    assert {problem.path[0] for problem in problems_of_text(f"tools: {tools}")} == {"tools"}


def test_loads_takes_text():
    with pytest.raises(TypeError, match="takes text, not bytes"):
        loads(b"agents: {}")
