"""The converter: strict, with every fault at once, inside classes of one's own too."""

from dataclasses import dataclass
from typing import Any

import pytest
from attrs import evolve, field, fields, frozen
from cattrs import Converter, override
from cattrs.gen import make_dict_structure_fn
from hypothesis import given
from strategies import configs, specs

from subspec import (
    ClaudeConfig,
    Problem,
    SpecError,
    SubagentSpec,
    configure_converter,
    make_converter,
)
from subspec.structure import problems_of
from subspec.structure.converter import _StrictClass
from subspec.structure.legacy import CONFIG_KEYS

CONVERTER = make_converter(None)
AGENT = {"description": "Writes.", "prompt": "Write."}
WRITER = SubagentSpec("Writes.", "Write.")
LEGACY = (
    "claude.subagents is no longer supported; remove this block. Subagent forwarding is gated"
    " solely by the presence of claude.agents. To cap HoloDeck-side test concurrency, set"
    " execution.parallel_test_cases instead."
)


@frozen
class Team:
    """A class such as users have: specs in every position."""

    name: str
    lead: SubagentSpec
    members: list[SubagentSpec] = field(factory=list)
    by_name: dict[str, SubagentSpec] = field(factory=dict)
    spare: SubagentSpec | None = None
    size: int = 0


def faults(data: Any, cls: type = SubagentSpec) -> list[str]:
    with pytest.raises(SpecError) as caught:
        CONVERTER.structure(data, cls)
    return [str(problem) for problem in caught.value.problems]


def faults_in_own(data: Any, cls: Any, converter: Converter | None = None) -> list[Problem]:
    with pytest.raises(Exception) as caught:  # noqa: PT011 - what it is, problems_of has to say
        (converter or CONVERTER).structure(data, cls)
    return problems_of(caught.value)


def nested(levels: int) -> dict[str, Any]:
    data: dict[str, Any] = {}
    for _ in range(levels):
        data = {"in": data}
    return data


# What is right


def test_a_spec_has_what_the_data_says():
    data = {**AGENT, "tools": ["Read"], "model": "haiku", "max_turns": 3, "background": False}
    expected = evolve(WRITER, tools=("Read",), model="haiku", max_turns=3, background=False)
    assert CONVERTER.structure(data, SubagentSpec) == expected


def test_no_tools_and_all_tools_never_turn_into_each_other():
    none = CONVERTER.structure({**AGENT, "tools": []}, SubagentSpec)
    inherited = CONVERTER.structure(AGENT, SubagentSpec)
    assert (none.tools, inherited.tools) == ((), None)
    assert CONVERTER.unstructure(none) == {**AGENT, "tools": []}
    assert CONVERTER.unstructure(inherited) == AGENT


@pytest.mark.parametrize("data", [{}, {"agents": {}}, {"agents": None}], ids=str)
def test_empty_agents_are_none(data):
    assert CONVERTER.structure(data, ClaudeConfig) == ClaudeConfig(agents=None)


def test_the_data_is_not_changed():
    data = {"agents": {"writer": {**AGENT, "tools": ["Read"]}}, "host": {"a": [1]}}
    CONVERTER.structure(data, ClaudeConfig)
    assert data == {"agents": {"writer": {**AGENT, "tools": ["Read"]}}, "host": {"a": [1]}}


# Strictness

NUMBER_FOR_TEXT = "must be text, not the number 1; to say that text, quote it"
PERMISSION_MODES = "'default', 'acceptEdits', 'plan', 'bypassPermissions', 'dontAsk'"


WRONG_IN_AGENT = [
    ("description", 1, f'description: {NUMBER_FOR_TEXT}: "1" [wrong-type]'),
    (
        "description",
        True,
        'description: must be text, not true; to say that text, quote it: "true" [wrong-type]',
    ),
    ("description", None, "description: must be text, not null [wrong-type]"),
    ("description", "", "description: subagent requires description [blank-description]"),
    ("description", " \n", "description: subagent requires description [blank-description]"),
    ("prompt", [], "prompt: must be text, not a list [wrong-type]"),
    ("prompt", "\t", "prompt: subagent requires a prompt that is not blank [blank-prompt]"),
    (
        "tools",
        "Read, Grep",
        (
            "tools: must be a list of text, not the text 'Read, Grep';"
            " write it as a list: [Read, Grep] [wrong-type]"
        ),
    ),
    ("tools", {"Read": True}, "tools: must be a list of text, not a mapping [wrong-type]"),
    ("tools", [1], f'tools[0]: {NUMBER_FOR_TEXT}: "1" [wrong-type]'),
    ("tools", ["Read", None], "tools[1]: must be text, not null [wrong-type]"),
    (
        "disallowed_tools",
        False,
        "disallowed_tools: must be a list of text, not false [wrong-type]",
    ),
    ("model", 1, f'model: {NUMBER_FOR_TEXT}: "1" [wrong-type]'),
    ("model", "", "model: must not be blank [blank-value]"),
    (
        "max_turns",
        "3",
        (
            "max_turns: must be a whole number, not the text '3';"
            " write it without quotes: 3 [wrong-type]"
        ),
    ),
    ("max_turns", True, "max_turns: must be a whole number, not true [wrong-type]"),
    ("max_turns", 3.0, "max_turns: must be a whole number, not the number 3.0 [wrong-type]"),
    ("max_turns", 0, "max_turns: must be at least 1, not 0 [out-of-range]"),
    (
        "background",
        1,
        "background: must be true or false, not the number 1; did you mean true? [wrong-type]",
    ),
    (
        "background",
        "no",
        ("background: must be true or false, not the text 'no'; did you mean false? [wrong-type]"),
    ),
    (
        "effort",
        "hgih",
        (
            "effort: must be 'low', 'medium', 'high', 'xhigh' or 'max', not 'hgih';"
            " did you mean 'high'? [not-a-choice]"
        ),
    ),
    (
        "permission_mode",
        "acceptedits",
        (
            f"permission_mode: must be {PERMISSION_MODES}, 'auto' or 'manual',"
            " not 'acceptedits'; did you mean 'acceptEdits'? [not-a-choice]"
        ),
    ),
    (
        "mcp_servers",
        [1],
        (
            "mcp_servers[0]: must be text or a mapping, not the number 1;"
            ' to say that text, quote it: "1" [wrong-type]'
        ),
    ),
    ("hooks", [], "hooks: must be a mapping, not a list [wrong-type]"),
    ("extra", [], "extra: must be a mapping, not a list [wrong-type]"),
    ("extra", "x", "extra: must be a mapping, not the text 'x' [wrong-type]"),
]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    WRONG_IN_AGENT,
    ids=[f"{key}={value!r}" for key, value, _ in WRONG_IN_AGENT],
)
def test_nothing_in_an_agent_is_converted(key, value, said):
    assert faults({**AGENT, key: value}) == [f"error: {said}"]


WRONG_IN_CONFIGURATION = [
    (
        "agents",
        [AGENT],
        (
            "agents: must be a mapping of names to agents, not a list;"
            " write 'NAME:' instead of '- name: NAME' [wrong-type]"
        ),
    ),
    (
        "agents",
        "writer",
        "agents: must be a mapping of names to agents, not the text 'writer' [wrong-type]",
    ),
    (
        "agents",
        {"writer": None},
        (
            "agents.writer: must be a mapping, not null;"
            " give it a description and a prompt [wrong-type]"
        ),
    ),
    ("system_prompt", [], "system_prompt: must be text or a mapping, not a list [wrong-type]"),
    (
        "permission_mode",
        "manual",
        f"permission_mode: must be {PERMISSION_MODES} or 'auto', not 'manual' [not-a-choice]",
    ),
    (
        "setting_sources",
        ["all"],
        "setting_sources[0]: must be 'user', 'project' or 'local', not 'all' [not-a-choice]",
    ),
    ("plugins", ["x"], "plugins[0]: must be a mapping, not the text 'x' [wrong-type]"),
    ("env", {"A": 1}, f'env.A: {NUMBER_FOR_TEXT}: "1" [wrong-type]'),
    (
        "max_budget_usd",
        "1",
        (
            "max_budget_usd: must be a number, not the text '1';"
            " write it without quotes: 1 [wrong-type]"
        ),
    ),
    ("max_budget_usd", 0, "max_budget_usd: must be more than 0, not 0 [out-of-range]"),
    ("host", [], "host: must be a mapping, not a list [wrong-type]"),
    ("host", "", "host: must be a mapping, not the text '' [wrong-type]"),
]


@pytest.mark.parametrize(
    ("key", "value", "said"),
    WRONG_IN_CONFIGURATION,
    ids=[f"{key}={value!r}" for key, value, _ in WRONG_IN_CONFIGURATION],
)
def test_nothing_in_a_configuration_is_converted(key, value, said):
    assert faults({key: value}, ClaudeConfig) == [f"error: {said}"]


@pytest.mark.parametrize("data", [None, [], "text", 3, WRITER], ids=repr)
@pytest.mark.parametrize(
    ("cls", "hint"),
    [
        (SubagentSpec, "give it a description and a prompt"),
        (ClaudeConfig, "write the agents under 'agents:'"),
    ],
    ids=["agent", "configuration"],
)
def test_only_a_mapping_will_do(cls, hint, data):
    (said,) = faults(data, cls)
    assert said.startswith("error: must be a mapping, not ")
    assert said.endswith(f"; {hint} [wrong-type]")


def test_a_number_that_no_file_can_hold_is_refused():
    assert faults({**AGENT, "extra": {"n": 10**400}}) == [
        "error: extra.n: must be a finite number [bad-number]"
    ]


def test_what_is_nested_too_deeply_is_refused_and_hides_nothing():
    said = faults({**AGENT, "extra": nested(95), "model": 1})
    assert said == [
        f'error: model: {NUMBER_FOR_TEXT}: "1" [wrong-type]',
        "error: extra: nested more than 90 levels deep [too-deep]",
    ]


def test_data_that_holds_itself_is_refused():
    data: dict[str, Any] = {}
    data["in"] = data
    assert faults({**AGENT, "extra": data}) == [
        "error: extra: nested more than 90 levels deep [too-deep]"
    ]


# Keys


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("tool", "; did you mean 'tools'?"),
        ("descriptoin", "; did you mean 'description'?"),
        ("maxTurns", "; did you mean 'max_turns'?"),
        ("promptFile", "; did you mean 'prompt_file'?"),
        ("disallowedTools", "; did you mean 'disallowed_tools'?"),
        ("allowed-tools", "; did you mean 'tools'?"),
        ("allowed_tools", "; did you mean 'tools'?"),
        ("disabledTools", "; did you mean 'disallowed_tools'?"),
        ("exclude-tools", "; did you mean 'disallowed_tools'?"),
        ("instructions", "; did you mean 'prompt'?"),
        ("systemPrompt", "; did you mean 'prompt'?"),
        ("developer_instructions", "; did you mean 'prompt'?"),
        ("promptPath", "; did you mean 'prompt_file'?"),
        ("maxIterations", "; did you mean 'max_turns'?"),
        ("max_steps", "; did you mean 'max_turns'?"),
        ("reasoning_effort", "; did you mean 'effort'?"),
        ("name", "; the name of an agent is the key that it stands under"),
        ("zzz", ""),
        ("origin", ""),
    ],
)
def test_an_unknown_key_of_an_agent_is_refused_with_the_nearest_known_one(key, hint):
    said = f"error: {key}: unknown key '{key}'{hint} [unknown-key]"
    assert faults({**AGENT, key: "x"}) == [said]


OF_AN_AGENT = "it is of an agent: write it under 'agents:' and the name of the agent"


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("agent", "; did you mean 'agents'?"),
        ("allowedTools", "; did you mean 'allowed_tools'?"),
        ("name", f"; {OF_AN_AGENT}"),
        ("prompt_file", f"; {OF_AN_AGENT}"),
        ("origin", ""),
    ],
)
def test_an_unknown_key_of_a_configuration_is_refused_with_the_nearest_known_one(key, hint):
    said = f"error: {key}: unknown key '{key}'{hint} [unknown-key]"
    assert faults({key: "x"}, ClaudeConfig) == [said]


def test_what_was_read_where_is_not_for_the_file_to_say():
    data = {"agents": {"writer": {**AGENT, "origin": {"path": "/etc/passwd"}}}, "origin": None}
    assert faults(data, ClaudeConfig) == [
        "error: origin: unknown key 'origin' [unknown-key]",
        "error: agents.writer.origin: unknown key 'origin' [unknown-key]",
    ]


@pytest.mark.parametrize(
    ("name", "said"),
    [
        (
            "-x",
            (
                "agents.-x: Claude Code drops an agent named '-x' without a message;"
                " give it another name [bad-agent-name]"
            ),
        ),
        (
            "__proto__",
            (
                "agents.__proto__: Claude Code drops an agent named '__proto__' without a message;"
                " give it another name [bad-agent-name]"
            ),
        ),
        (" ", "agents.' ': the name of an agent is blank [bad-agent-name]"),
        (7, "agents.7: the name of an agent must be text, not the number 7 [wrong-type]"),
    ],
    ids=repr,
)
def test_a_name_that_claude_code_drops_is_refused(name, said):
    assert faults({"agents": {name: AGENT}}, ClaudeConfig) == [f"error: {said}"]


@pytest.mark.parametrize("key", [None, 1.5, ("a", "b")], ids=repr)
def test_a_key_that_is_no_text_is_refused_and_can_be_shown(key):
    (said,) = faults({**AGENT, key: 1})
    assert said.endswith("-key]")
    (said,) = faults({key: 1}, ClaudeConfig)
    assert said.endswith("-key]")
    (said,) = faults({"agents": {key: AGENT}}, ClaudeConfig)
    assert "the name of an agent must be text, not " in said
    (said,) = faults_in_own({key: {"prompt": "Write."}}, dict[Any, SubagentSpec])
    assert "subagent requires description" in str(said)


# Null


@pytest.mark.parametrize(
    "name",
    [
        attribute.name
        for attribute in fields(SubagentSpec)
        if attribute.name not in ("description", "prompt", "tools", "disallowed_tools", "origin")
    ],
)
def test_null_leaves_a_key_of_an_agent_unset(name):
    assert CONVERTER.structure({**AGENT, name: None}, SubagentSpec) == WRITER


@pytest.mark.parametrize(
    "name",
    [
        attribute.name
        for attribute in fields(ClaudeConfig)
        if attribute.name not in ("tools", "disallowed_tools", "origin")
    ],
)
def test_null_leaves_a_key_of_a_configuration_unset(name):
    assert CONVERTER.structure({name: None}, ClaudeConfig) == ClaudeConfig()


@pytest.mark.parametrize(
    ("base", "cls"), [(AGENT, SubagentSpec), ({}, ClaudeConfig)], ids=["agent", "configuration"]
)
@pytest.mark.parametrize(
    ("key", "meaning"),
    [("tools", "all tools"), ("disallowed_tools", "that nothing is taken away")],
)
def test_null_says_neither_all_tools_nor_none(base, cls, key, meaning):
    assert faults({**base, key: None}, cls) == [
        (
            f"error: {key}: {key} is null, which says neither all nor none;"
            f" leave the key out to say {meaning}, or write [] [null-tools]"
        )
    ]


def test_null_beside_a_prompt_is_no_second_prompt():
    data = {**AGENT, "prompt_file": None}
    assert CONVERTER.structure(data, SubagentSpec) == WRITER


# Everything at once


def test_ten_faults_in_one_agent_are_ten_problems():
    data = {
        "description": " ",
        "prompt": "Write.",
        "prompt_file": "prompts/writer.md",
        "tools": ["Read", 1],
        "disallowed_tools": None,
        "model": "sonet",
        "max_turns": 0,
        "background": "yes",
        "hooks": {"PreTolUse": []},
        "memroy": "user",
    }
    with pytest.raises(SpecError) as caught:
        CONVERTER.structure(data, SubagentSpec)
    assert [(problem.path, problem.code) for problem in caught.value.problems] == [
        (("prompt_file",), "prompt-conflict"),
        (("prompt_file",), "prompt-file-unusable"),
        (("description",), "blank-description"),
        (("tools", 1), "wrong-type"),
        (("disallowed_tools",), "null-tools"),
        (("max_turns",), "out-of-range"),
        (("background",), "wrong-type"),
        (("hooks", "PreTolUse"), "unknown-key"),
        (("memroy",), "unknown-key"),
        (("model",), "unknown-model"),
    ]


def test_a_prompt_that_cannot_be_had_hides_nothing():
    assert faults({"tools": "Read"}) == [
        "error: subagent requires either prompt or prompt_file [prompt-missing]",
        "error: subagent requires description [missing-key]",
        (
            "error: tools: must be a list of text, not the text 'Read';"
            " write it as a list: [Read] [wrong-type]"
        ),
    ]


def test_a_broken_agent_hides_neither_others_nor_the_session():
    data = {"agents": {"a": {}, "b": {**AGENT, "model": 1}, "c": AGENT}, "max_turns": 0}
    assert faults(data, ClaudeConfig) == [
        "error: agents.a: subagent requires either prompt or prompt_file [prompt-missing]",
        "error: agents.a: subagent requires description [missing-key]",
        f'error: agents.b.model: {NUMBER_FOR_TEXT}: "1" [wrong-type]',
        "error: max_turns: must be at least 1, not 0 [out-of-range]",
    ]


def test_the_thorough_way_finds_what_the_short_way_refused():
    strict = _StrictClass(SubagentSpec, Converter())
    with pytest.raises(AssertionError, match="SubagentSpec refuses what its fields allow"):
        strict.faults(AGENT)


# Legacy keys


@pytest.mark.parametrize("value", [{"enabled": True, "max_parallel": 4}, None, {}], ids=repr)
def test_the_legacy_block_is_refused_with_what_to_do(value):
    assert faults({"subagents": value}, ClaudeConfig) == [
        f"error: subagents: {LEGACY} [legacy-key]"
    ]


def test_the_legacy_block_comes_first_and_hides_nothing():
    data = {"agents": {"writer": {"prompt": "Write."}}, "subagents": {}, "permision_mode": "plan"}
    assert faults(data, ClaudeConfig) == [
        f"error: subagents: {LEGACY} [legacy-key]",
        "error: agents.writer: subagent requires description [missing-key]",
        (
            "error: permision_mode: unknown key 'permision_mode';"
            " did you mean 'permission_mode'? [unknown-key]"
        ),
    ]


def test_each_legacy_key_says_since_when_and_how_to_fix_it():
    assert [(legacy.key, legacy.message) for legacy in CONFIG_KEYS] == [("subagents", LEGACY)]
    assert all(legacy.since and legacy.fix for legacy in CONFIG_KEYS)


# Inside classes of one's own


def test_specs_are_structured_in_every_position_of_a_class(tmp_path):
    (tmp_path / "writer.md").write_text("Write.")
    data = {
        "name": "press",
        "lead": {"description": "Writes.", "prompt_file": "writer.md"},
        "members": [AGENT, {**AGENT, "tools": []}],
        "by_name": {"writer": AGENT},
        "spare": AGENT,
    }
    expected = Team("press", WRITER, [WRITER, evolve(WRITER, tools=())], {"writer": WRITER}, WRITER)
    team = make_converter(tmp_path).structure(data, Team)
    assert team == expected
    assert team.lead.origin.prompt_file == tmp_path / "writer.md"
    assert team.spare.origin is None
    assert CONVERTER.structure({"name": "press", "lead": AGENT}, Team).spare is None


def test_a_configuration_can_be_a_field_too():
    @frozen
    class Host:
        claude: ClaudeConfig

    data = {"claude": {"agents": {"writer": AGENT}}}
    expected = Host(ClaudeConfig(agents={"writer": WRITER}))
    assert CONVERTER.structure(data, Host) == expected
    assert CONVERTER.unstructure(expected) == data


def test_faults_of_a_class_have_paths_through_it():
    data = {
        "lead": {"description": 1, "prompt": " "},
        "members": [AGENT, {**AGENT, "tool": []}, 3],
        "by_name": {"writer": {**AGENT, "tools": ["Read", 1]}},
        "spare": {"prompt": "Write."},
        "size": "many",
    }
    assert [str(problem) for problem in faults_in_own(data, Team)] == [
        "error: Team requires name [missing-key]",
        f'error: lead.description: {NUMBER_FOR_TEXT}: "1" [wrong-type]',
        "error: lead.prompt: subagent requires a prompt that is not blank [blank-prompt]",
        "error: members[1].tool: unknown key 'tool'; did you mean 'tools'? [unknown-key]",
        (
            "error: members[2]: must be a mapping, not the number 3;"
            " give it a description and a prompt [wrong-type]"
        ),
        f'error: by_name.writer.tools[1]: {NUMBER_FOR_TEXT}: "1" [wrong-type]',
        "error: spare: subagent requires description [missing-key]",
        "error: size: cannot be read: invalid literal for int() with base 10: 'many' [wrong-type]",
    ]


def test_unknown_keys_of_a_class_are_named_with_the_nearest_known_one():
    converter = configure_converter(Converter(forbid_extra_keys=True), None)
    data = {"name": "press", "lead": AGENT, "sise": 1, "member": []}
    assert [str(problem) for problem in faults_in_own(data, Team, converter)] == [
        "error: member: unknown key 'member'; did you mean 'members'? [unknown-key]",
        "error: sise: unknown key 'sise'; did you mean 'size'? [unknown-key]",
    ]


def test_the_path_can_begin_further_up():
    error = SpecError(faults_in_own([{}], list[SubagentSpec])[:1])
    (problem,) = problems_of(error, ("teams", 3))
    assert problem.path == ("teams", 3, 0)


def test_a_converter_that_stops_at_the_first_class_still_lists_all_faults_of_a_spec():
    converter = configure_converter(Converter(detailed_validation=False), None)
    data = {"name": "press", "lead": {"prompt": 1, "tool": []}}
    assert [str(problem) for problem in faults_in_own(data, Team, converter)] == [
        "error: subagent requires description [missing-key]",
        f'error: prompt: {NUMBER_FOR_TEXT}: "1" [wrong-type]',
        "error: tool: unknown key 'tool'; did you mean 'tools'? [unknown-key]",
    ]


@frozen
class Level:
    """A value with a hook of its own."""

    height: int


@frozen
class Building:
    """A class whose field has a hook that fails in its own ways."""

    level: Level
    writer: SubagentSpec


def building_converter(hook: Any) -> Converter:
    converter = make_converter(None)
    converter.register_structure_hook(Level, hook)
    return converter


HEIGHTS = {"ground": 0, "roof": 9}


@pytest.mark.parametrize("level", ["cellar", "level"])
def test_a_look_up_that_fails_in_a_hook_is_not_a_missing_key(level):
    converter = building_converter(lambda value, _: Level(HEIGHTS[value]))
    (problem,) = faults_in_own({"level": level, "writer": AGENT}, Building, converter)
    assert str(problem) == f"error: level: cannot be read: '{level}' [wrong-type]"
    built = converter.structure({"level": "roof", "writer": AGENT}, Building)
    assert built == Building(Level(9), WRITER)


def test_an_error_of_a_hook_is_a_problem_with_its_path_and_text():
    def refuse(*_):
        error = TypeError("levels are out of stock")
        error.__notes__ = ["a note of somebody else's"]
        raise error

    data = {"level": 1, "writer": {"prompt": "Write."}}
    assert [
        str(problem) for problem in faults_in_own(data, Building, building_converter(refuse))
    ] == [
        "error: level: cannot be read: levels are out of stock [wrong-type]",
        "error: writer: subagent requires description [missing-key]",
    ]


def test_a_missing_key_is_named_as_the_file_spells_it():
    @frozen
    class Limits:
        max_turns: int

    converter = make_converter(None)
    hook = make_dict_structure_fn(Limits, converter, max_turns=override(rename="maxTurns"))
    converter.register_structure_hook(Limits, hook)
    (problem,) = faults_in_own([{}], list[Limits], converter)
    assert str(problem) == "error: [0]: Limits requires maxTurns [missing-key]"


def test_a_dataclass_can_hold_specs_too():
    @dataclass
    class Pair:
        first: SubagentSpec
        second: SubagentSpec

    converter = configure_converter(Converter(forbid_extra_keys=True), None)
    data = {"first": {"prompt": "Write."}, "secnod": AGENT}
    assert [str(problem) for problem in faults_in_own(data, Pair, converter)] == [
        "error: first: subagent requires description [missing-key]",
        "error: Pair requires second [missing-key]",
        "error: secnod: unknown key 'secnod' [unknown-key]",
    ]


def test_any_other_error_is_a_problem_too():
    (problem,) = problems_of(ValueError("out of paper"), ("printer",))
    assert str(problem) == "error: printer: cannot be read: out of paper [wrong-type]"


# A converter of one's own


def test_configuring_gives_the_same_converter_back():
    converter = Converter()
    assert configure_converter(converter, None) is converter
    assert converter.structure(AGENT, SubagentSpec) == WRITER


def test_other_classes_are_structured_as_before():
    @frozen
    class Plain:
        number: int
        text: str
        many: tuple[str, ...] = ()

    data = {"number": "3", "text": 1, "many": "ab", "more": None}
    assert CONVERTER.structure(data, Plain) == Converter().structure(data, Plain)
    assert CONVERTER.structure(data, Plain) == Plain(3, "1", ("a", "b"))
    assert CONVERTER.structure("3", int) == 3
    assert CONVERTER.unstructure(Plain(3, "1")) == Converter().unstructure(Plain(3, "1"))


def test_hooks_that_a_converter_has_do_not_reach_into_specs():
    converter = Converter()
    converter.register_structure_hook(str, lambda value, _: str(value).upper())
    converter.register_unstructure_hook(str, str.upper)
    configure_converter(converter, None)
    assert converter.structure(AGENT, SubagentSpec) == WRITER
    assert converter.unstructure(WRITER) == AGENT
    assert converter.structure("x", str) == "X"


def test_the_prompt_root_holds_inside_classes_too(tmp_path):
    (tmp_path / "writer.md").write_text("Write.")
    (tmp_path / "team").mkdir()
    data = {"name": "press", "lead": {"description": "Writes.", "prompt_file": "../writer.md"}}
    converter = configure_converter(Converter(), tmp_path / "team", prompt_root=tmp_path / "team")
    (problem,) = faults_in_own(data, Team, converter)
    assert (problem.code, problem.path) == ("prompt-file-outside", ("lead", "prompt_file"))
    converter = make_converter(str(tmp_path / "team"), prompt_root=str(tmp_path))
    assert converter.structure(data, Team).lead == WRITER


# Back to plain data


def test_unstructured_is_plain_data_in_canonical_keys_and_order():
    spec = SubagentSpec(
        "Writes.",
        "Write.",
        disallowed_tools=(),
        mcp_servers=("docs", {"db": {"command": "db", "args": ("-v",)}}),
        background=False,
        extra={"a": {"b": (1,)}},
        tools=("Read",),
    )
    config = ClaudeConfig(max_turns=3, agents={"writer": spec}, host={"name": "x"})
    data = CONVERTER.unstructure(config)
    agent = {
        "description": "Writes.",
        "prompt": "Write.",
        "tools": ["Read"],
        "disallowed_tools": [],
        "mcp_servers": ["docs", {"db": {"command": "db", "args": ["-v"]}}],
        "background": False,
        "extra": {"a": {"b": [1]}},
    }
    assert data == {"agents": {"writer": agent}, "max_turns": 3, "host": {"name": "x"}}
    assert list(data) == ["agents", "max_turns", "host"]
    assert list(data["agents"]["writer"]) == list(agent)
    assert type(data["agents"]) is type(data["host"]) is dict


def test_specs_are_unstructured_in_every_position_of_a_class():
    team = Team("press", WRITER, [WRITER], {"writer": WRITER})
    assert CONVERTER.unstructure(team) == {
        "name": "press",
        "lead": AGENT,
        "members": [AGENT],
        "by_name": {"writer": AGENT},
        "spare": None,
        "size": 0,
    }


@pytest.mark.filterwarnings("ignore::subspec.SpecWarning")
@given(specs())
def test_a_spec_survives_unstructuring_and_structuring(spec):
    again = CONVERTER.structure(CONVERTER.unstructure(spec), SubagentSpec)
    assert again == spec
    assert repr(again) == repr(spec)


@pytest.mark.filterwarnings("ignore::subspec.SpecWarning")
@given(configs())
def test_a_configuration_survives_unstructuring_and_structuring(config):
    again = CONVERTER.structure(CONVERTER.unstructure(config), ClaudeConfig)
    assert again == config
    assert repr(again) == repr(config)


def test_a_spec_can_be_unstructured_as_an_agent_definition():
    sdk = pytest.importorskip("claude_agent_sdk")
    spec = evolve(WRITER, tools=(), max_turns=3, mcp_servers=("docs",))
    built = CONVERTER.unstructure(spec, unstructure_as=sdk.AgentDefinition)
    assert built == sdk.AgentDefinition(
        description="Writes.", prompt="Write.", tools=[], maxTurns=3, mcpServers=["docs"]
    )
    assert type(built.tools) is type(built.mcpServers) is list
    inherited = CONVERTER.unstructure(WRITER, unstructure_as=sdk.AgentDefinition)
    assert inherited.tools is None
