"""What a subagent and a configuration are: frozen, and right or not made at all."""

from __future__ import annotations

import contextlib
import copy
import inspect
import itertools
import json
import math
import os
import pathlib
import pickle
import re
import subprocess
import sys
import types
from collections.abc import Mapping
from typing import Any, get_args, get_origin

import attrs
import pytest
import test_hooks
import test_mcp
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from immutabledict import immutabledict
from test_mcp import mostly

import subspec
from subspec.formats.claude_cli import camel
from subspec.problems import Span, SpecError
from subspec.shapes import MAX_INTEGER, MAX_VALUE_DEPTH
from subspec.spec import ClaudeConfig, Origin, SubagentSpec, agents_problems, name_problems

# One value for each field, as a file gives it. A new field has to be added here.
AGENT: dict[str, Any] = {
    "description": "Analyses data.",
    "prompt": "You analyse data.",
    "tools": ["Read", "mcp__db__query"],
    "disallowed_tools": ["Bash"],
    "model": "haiku",
    "skills": ["charts"],
    "memory": "project",
    "mcp_servers": ["db", {"files": {"command": "serve", "args": ["--all"], "env": {"A": "b"}}}],
    "initial_prompt": "Begin.",
    "max_turns": 8,
    "background": False,
    "effort": "high",
    "permission_mode": "acceptEdits",
    "color": "cyan",
    "hooks": {"Stop": [{"matcher": "*", "hooks": [{"type": "command", "command": "date"}]}]},
    "isolation": "worktree",
    "omit_claude_md": True,
    "auto_compact_window": 100_000,
    "observer": "watcher",
    "observer_message": "Watch.",
    "observe_subagents": True,
    "observe_tool_results": False,
    "extra": {"nickname": {"short": ["an"]}},
    "origin": Origin(pathlib.Path("team.yaml"), Span(2, 3, 9, 1), format="agents"),
}
CONFIG: dict[str, Any] = {
    "agents": {"analyst": SubagentSpec(**AGENT), "writer": SubagentSpec("Writes.", "Write.")},
    "model": "opus",
    "system_prompt": {"type": "preset", "preset": "claude_code", "append": "Be brief."},
    "tools": ["Read", "Agent"],
    "allowed_tools": ["Read"],
    "disallowed_tools": ["Bash"],
    "mcp_servers": {"db": {"type": "http", "url": "https://db.example"}},
    "strict_mcp_config": True,
    "permission_mode": "plan",
    "permission_prompt_tool_name": "mcp__ask__permit",
    "skills": ["charts"],
    "setting_sources": ["user", "project"],
    "settings": "settings.json",
    "plugins": [{"type": "local", "path": "plugin"}],
    "cwd": "work",
    "add_dirs": ["../shared"],
    "env": {"LANG": "C"},
    "cli_path": "bin/claude",
    "extra_args": {"agent": "analyst", "debug": None},
    "max_turns": 20,
    "max_budget_usd": 1.5,
    "max_buffer_size": 4096,
    "max_thinking_tokens": 0,
    "thinking": {"type": "enabled", "budget_tokens": 2000},
    "effort": "low",
    "fallback_model": "sonnet",
    "task_budget": {"total": 100_000},
    "betas": ["context-1m-2025-08-07"],
    "output_format": {"type": "json_schema", "schema": {"type": "object"}},
    "sandbox": {"enabled": True},
    "user": "someone",
    "client_app": "app",
    "continue_conversation": False,
    "resume": "r",
    "resume_session_at": "m",
    "resume_drops_turn": "t",
    "fork_session": True,
    "session_id": "s",
    "session_store_flush": "eager",
    "load_timeout_ms": 0,
    "include_partial_messages": True,
    "include_hook_events": False,
    "forward_subagent_text": True,
    "verbatim_prompts": False,
    "enable_file_checkpointing": True,
    "extra": {"nickname": "team"},
    "host": {"name": "a host's own", "tools": [{"name": "bridged"}]},
    "origin": Origin(pathlib.Path("team.yaml"), format="agents", digest="0" * 64),
}
EXAMPLES: dict[type, dict[str, Any]] = {SubagentSpec: AGENT, ClaudeConfig: CONFIG}
MINIMAL: dict[type, dict[str, Any]] = {
    SubagentSpec: {"description": "d", "prompt": "p"},
    ClaudeConfig: {},
}

both_classes = pytest.mark.parametrize("cls", EXAMPLES, ids=lambda cls: cls.__name__)


def fields_where(condition: Any) -> Any:
    """Parametrize over the fields of both classes whose annotation is so."""
    found = [
        pytest.param(cls, attribute.name, id=f"{cls.__name__}-{attribute.name}")
        for cls in EXAMPLES
        for attribute in attrs.fields(cls)
        if attribute.name not in ("agents", "origin") and condition(attribute)
    ]
    return pytest.mark.parametrize(("cls", "field"), found)


def parts(annotation: Any) -> tuple[Any, ...]:
    """The members of an annotation's union, without what ``Annotated`` adds to them."""
    if hasattr(annotation, "__metadata__"):
        return parts(annotation.__origin__)
    if get_origin(annotation) is types.UnionType or str(annotation).startswith("typing.Union"):
        return tuple(part for member in get_args(annotation) for part in parts(member))
    if str(annotation).startswith("typing.Optional"):
        return tuple(part for member in get_args(annotation) for part in parts(member))
    return (annotation,)


def has_part(*wanted: Any) -> Any:
    return lambda attribute: any(part in wanted for part in parts(attribute.type))


def holds_list(attribute: Any) -> bool:
    return any(get_origin(part) is tuple for part in parts(attribute.type))


def holds_map(attribute: Any) -> bool:
    return any(get_origin(part) is immutabledict for part in parts(attribute.type))


def make(cls: type, **values: Any) -> Any:
    """Make an instance of a class with little more than the values given."""
    return cls(**{**MINIMAL[cls], **values})


def said(cls: type, **values: Any) -> list[str]:
    """What is said when such an instance is refused."""
    with pytest.raises(SpecError) as caught:
        make(cls, **values)
    return str(caught.value).split("\n")


@both_classes
def test_the_examples_set_every_field(cls):
    assert list(EXAMPLES[cls]) == [attribute.name for attribute in attrs.fields(cls)]
    assert all(
        value != attribute.default
        for value, attribute in zip(EXAMPLES[cls].values(), attrs.fields(cls), strict=True)
    )


# The classes


@both_classes
def test_instances_are_frozen(cls):
    instance = cls(**EXAMPLES[cls])

    for name in EXAMPLES[cls]:
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            setattr(instance, name, None)
        with pytest.raises(attrs.exceptions.FrozenInstanceError):
            delattr(instance, name)


@pytest.mark.parametrize("cls", [SubagentSpec, ClaudeConfig, Origin], ids=lambda cls: cls.__name__)
def test_instances_have_slots_and_room_for_nothing_else(cls):
    instance = make(cls) if cls in MINIMAL else cls()

    assert not hasattr(instance, "__dict__")
    with pytest.raises(AttributeError):
        object.__setattr__(instance, "another", 1)


def test_only_description_and_prompt_can_be_given_by_position():
    parameters = list(inspect.signature(SubagentSpec).parameters.values())

    assert [each.name for each in parameters if each.kind is each.POSITIONAL_OR_KEYWORD] == [
        *("description", "prompt"),
    ]
    assert [each.name for each in parameters[2:] if each.kind is not each.KEYWORD_ONLY] == []
    assert SubagentSpec("d", "p") == SubagentSpec(prompt="p", description="d")
    with pytest.raises(TypeError):
        SubagentSpec("d", "p", ["Read"])  # type: ignore[misc]
    with pytest.raises(TypeError):
        SubagentSpec("d")  # type: ignore[call-arg]


def test_everything_of_a_configuration_is_given_by_name():
    parameters = inspect.signature(ClaudeConfig).parameters.values()

    assert {each.kind for each in parameters} == {inspect.Parameter.KEYWORD_ONLY}
    assert all(each.default is not each.empty for each in parameters)


@both_classes
def test_there_is_no_field_for_a_prompt_file_or_for_anything_unknown(cls):
    for name in ("prompt_file", "subagents", "maxTurns", "another"):
        with pytest.raises(TypeError, match=name):
            make(cls, **{name: "x"})


@both_classes
def test_equal_values_make_equal_instances_with_equal_hashes(cls):
    one, other = cls(**EXAMPLES[cls]), cls(**copy.deepcopy(EXAMPLES[cls]))

    assert one == other
    assert hash(one) == hash(other)
    assert {one: 1}[other] == 1


@pytest.mark.parametrize(
    ("cls", "field"),
    [
        pytest.param(cls, field, id=f"{cls.__name__}-{field}")
        for cls, values in EXAMPLES.items()
        for field in values
        if field != "origin"
    ],
)
def test_each_field_takes_part_in_equality(cls, field):
    left_out = {name: value for name, value in EXAMPLES[cls].items() if name != field}

    assert cls(**{**MINIMAL[cls], **left_out}) != cls(**EXAMPLES[cls])


@both_classes
def test_equality_does_not_ask_where_something_was_read(cls):
    here = make(cls, origin=Origin(pathlib.Path("here.yaml"), Span(1, 1, 2, 2)))
    there = make(cls, origin=Origin(pathlib.Path("there.yaml")))

    assert here == there == make(cls)
    assert hash(here) == hash(there) == hash(make(cls))
    assert here.origin != there.origin


def test_a_spec_is_equal_to_no_other_kind_of_thing():
    assert SubagentSpec("d", "p") != ("d", "p")
    assert SubagentSpec("d", "p") != {"description": "d", "prompt": "p"}
    assert ClaudeConfig() != SubagentSpec("d", "p")


@both_classes
@pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
def test_instances_can_be_pickled(cls, protocol):
    instance = cls(**EXAMPLES[cls])

    again = pickle.loads(pickle.dumps(instance, protocol))  # noqa: S301 - our own bytes

    assert again == instance
    assert again.origin == instance.origin
    assert hash(again) == hash(instance)


def test_a_hash_is_not_carried_into_a_process_that_hashes_otherwise():
    spec = SubagentSpec(**AGENT)
    hash(spec)
    code = (
        "import pickle, sys; spec = pickle.loads(sys.stdin.buffer.read());"
        "import attrs; print(spec == attrs.evolve(spec), hash(spec) == hash(attrs.evolve(spec)))"
    )

    result = subprocess.run(
        [sys.executable, "-c", code],
        input=pickle.dumps(spec),
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
    )

    assert (result.stdout.split(), result.stderr) == ([b"True", b"True"], b"")


@both_classes
@pytest.mark.parametrize("duplicate", [copy.copy, copy.deepcopy], ids=["copy", "deepcopy"])
def test_instances_can_be_copied(cls, duplicate):
    instance = cls(**EXAMPLES[cls])

    again = duplicate(instance)

    assert again == instance
    assert again.origin == instance.origin


def test_evolve_changes_one_field_and_keeps_the_rest():
    spec = SubagentSpec(**AGENT)

    changed = attrs.evolve(spec, tools=["Grep"])

    assert changed.tools == ("Grep",)
    assert changed.origin == spec.origin
    assert attrs.evolve(changed, tools=spec.tools) == spec
    assert spec == SubagentSpec(**AGENT)


def test_evolve_checks_what_it_is_given():
    with pytest.raises(SpecError, match="max_turns: must be at least 1"):
        attrs.evolve(SubagentSpec("d", "p"), max_turns=0)
    with pytest.raises(SpecError, match="agents: must map names to subagents"):
        attrs.evolve(ClaudeConfig(), agents=[])


@both_classes
def test_evolve_can_take_back_what_was_set(cls):
    everything = cls(**EXAMPLES[cls])
    optional = [
        attribute for attribute in attrs.fields(cls) if attribute.default is not attrs.NOTHING
    ]

    bare = attrs.evolve(everything, **{field.name: field.default for field in optional})

    if cls is SubagentSpec:
        assert bare == SubagentSpec(everything.description, everything.prompt)
    else:
        assert bare == ClaudeConfig()


def test_the_repr_shows_what_is_set_and_nothing_else():
    spec = SubagentSpec("d", "p", tools=[], background=False, effort=0, origin=Origin())

    assert repr(SubagentSpec("d", "p")) == "SubagentSpec(description='d', prompt='p')"
    assert repr(spec) == (
        "SubagentSpec(description='d', prompt='p', tools=(), background=False, effort=0)"
    )
    assert repr(ClaudeConfig()) == "ClaudeConfig()"
    assert repr(ClaudeConfig(max_turns=1, env={}, host={"a": 1}, origin=Origin())) == (
        "ClaudeConfig(env=immutabledict({}), max_turns=1, host=immutabledict({'a': 1}))"
    )
    assert repr(ClaudeConfig(agents={"a": SubagentSpec("d", "p")})) == (
        "ClaudeConfig(agents=immutabledict({'a': SubagentSpec(description='d', prompt='p')}))"
    )


@both_classes
def test_the_repr_is_python_that_makes_the_same_again(cls):
    instance = cls(**EXAMPLES[cls])

    again = eval(repr(instance))  # noqa: S307 - our own text

    assert again == instance


def test_an_origin_is_a_frozen_value_of_its_own():
    origin = Origin(pathlib.Path("a.yaml"), Span(1, 2, 3, 4), pathlib.Path("p.md"), "agents", "0")

    assert Origin() == Origin(None, None, None, None, None, None, (), None)
    assert Origin(saved={}) == Origin()
    assert hash(origin) == hash(copy.deepcopy(origin))
    assert pickle.loads(pickle.dumps(origin)) == origin  # noqa: S301 - our own bytes
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        origin.path = None  # type: ignore[misc]


# Values, frozen all the way down


def assert_frozen(value: object) -> None:
    if isinstance(value, Mapping):
        assert type(value) is immutabledict
        for item in value.values():
            assert_frozen(item)
    elif isinstance(value, list | tuple):
        assert type(value) is tuple
        for item in value:
            assert_frozen(item)


@both_classes
def test_lists_and_mappings_are_frozen_all_the_way_down(cls):
    instance = cls(**EXAMPLES[cls])

    for name in EXAMPLES[cls]:
        assert_frozen(getattr(instance, name))
    hash(instance)


@both_classes
def test_what_was_given_can_change_afterwards_without_effect(cls):
    given = copy.deepcopy(EXAMPLES[cls])
    instance = cls(**given)

    empty_out(given)

    assert instance == cls(**EXAMPLES[cls])


def empty_out(value: Any) -> None:
    if isinstance(value, dict | list):
        for item in value.values() if isinstance(value, dict) else value:
            empty_out(item)
        value.clear()


def test_values_are_kept_as_they_are_given():
    spec = SubagentSpec(**AGENT)

    assert spec.tools == ("Read", "mcp__db__query")
    assert spec.mcp_servers == (
        "db",
        {"files": {"command": "serve", "args": ("--all",), "env": {"A": "b"}}},
    )
    assert spec.hooks == {
        "Stop": ({"matcher": "*", "hooks": ({"type": "command", "command": "date"},)},)
    }
    assert spec.extra == {"nickname": {"short": ("an",)}}
    for name in ("description", "prompt", "model", "max_turns", "background", "effort", "origin"):
        assert getattr(spec, name) is AGENT[name]


@pytest.mark.parametrize(
    ("cls", "field"),
    [
        *((SubagentSpec, field) for field in ("tools", "disallowed_tools", "skills")),
        *((ClaudeConfig, field) for field in ("tools", "allowed_tools", "skills", "add_dirs")),
        *((SubagentSpec, "mcp_servers"), (ClaudeConfig, "betas")),
    ],
)
@pytest.mark.parametrize(
    "iterable",
    [
        *[list, tuple, iter],
        lambda names: (name for name in names),
        lambda names: dict.fromkeys(names).keys(),
    ],
    ids=["list", "tuple", "iterator", "generator", "keys"],
)
def test_any_iterable_of_text_can_be_given_for_a_list(cls, field, iterable):
    instance = make(cls, **{field: iterable(["a", "b"])})

    assert getattr(instance, field) == ("a", "b")


@fields_where(holds_list)
def test_none_no_names_and_names_never_turn_into_each_other(cls, field):
    values = [None, [], EXAMPLES[cls][field] if field == "plugins" else ["user"]]

    made = [getattr(make(cls, **{field: value}), field) for value in values]

    assert made[0] is None
    assert made[1] == ()
    assert made[2] not in (None, ())
    assert make(cls, **{field: ()}) != make(cls)


NAMES = st.none() | st.lists(st.text(), max_size=4)


@given(tools=NAMES, disallowed=NAMES, skills=NAMES)
def test_lists_of_names_are_kept_exactly(tools, disallowed, skills):
    spec = SubagentSpec("d", "p", tools=tools, disallowed_tools=disallowed, skills=skills)

    for value, kept in [
        (tools, spec.tools),
        (disallowed, spec.disallowed_tools),
        (skills, spec.skills),
    ]:
        assert kept == (None if value is None else tuple(value))


@given(tools=NAMES)
def test_an_evolved_spec_keeps_the_difference_of_all_and_none(tools):
    spec = attrs.evolve(SubagentSpec("d", "p", tools=tools), description="other")

    assert spec.tools == (None if tools is None else tuple(tools))
    assert (spec == SubagentSpec("other", "p")) == (tools is None)


@fields_where(holds_list)
@pytest.mark.parametrize("text", ["Read", "Read, Grep", "R"], ids=repr)
def test_a_text_for_a_list_is_refused_and_never_split_into_its_letters(cls, field, text):
    with pytest.raises(SpecError) as caught:
        make(cls, **{field: text})

    (problem,) = caught.value.problems
    assert problem.path == (field,)
    assert problem.code == "wrong-type"
    assert problem.hint == f"write it as a list: [{text}]"


def test_the_refusal_of_a_text_says_how_to_write_a_list():
    (line,) = said(SubagentSpec, tools="Read, Grep")

    assert line == (
        "error: tools: must be a list of text, not the text 'Read, Grep';"
        " write it as a list: [Read, Grep] [wrong-type]"
    )


@fields_where(holds_list)
@pytest.mark.parametrize("value", [b"ab", 5, True, object()], ids=["bytes", "5", "true", "object"])
def test_what_is_no_list_is_refused_for_one(cls, field, value):
    with pytest.raises(SpecError) as caught:
        make(cls, **{field: value})

    (problem,) = caught.value.problems
    assert (problem.code, problem.path) == ("wrong-type", (field,))


@fields_where(holds_map)
@pytest.mark.parametrize(
    "value", [5, 0, False, object(), b""], ids=["5", "0", "false", "object", "bytes"]
)
def test_what_is_no_mapping_is_refused_for_one(cls, field, value):
    with pytest.raises(SpecError) as caught:
        make(cls, **{field: value})

    (problem,) = caught.value.problems
    assert (problem.code, problem.path) == ("wrong-type", (field,))


@pytest.mark.parametrize(
    ("cls", "field"), [(SubagentSpec, "extra"), (ClaudeConfig, "extra"), (ClaudeConfig, "host")]
)
@pytest.mark.parametrize("value", [[], "", ()], ids=repr)
def test_emptiness_is_no_excuse_for_the_wrong_type(cls, field, value):
    (line,) = said(cls, **{field: value})

    assert line.startswith(f"error: {field}: must be a mapping, not ")


@pytest.mark.parametrize(
    ("cls", "field"), [(SubagentSpec, "extra"), (ClaudeConfig, "extra"), (ClaudeConfig, "host")]
)
@pytest.mark.parametrize("value", [None, {}, immutabledict()], ids=repr)
def test_nothing_extra_is_an_empty_mapping(cls, field, value):
    instance = make(cls, **{field: value})

    assert getattr(instance, field) == immutabledict()
    assert instance == make(cls)


# What is refused

BLANKS = ["", " ", "\n", " \t\r\n", "\u3000\xa0", "\ufeff", "\ufeff \ufeff"]


@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_a_description_is_not_blank(blank):
    assert said(SubagentSpec, description=blank) == [
        "error: description: subagent requires description [blank-description]"
    ]


@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_a_prompt_is_not_blank(blank):
    assert said(SubagentSpec, prompt=blank) == [
        "error: prompt: subagent requires a prompt that is not blank [blank-prompt]"
    ]


NOT_BLANK = {
    SubagentSpec: ["model", "color"],
    ClaudeConfig: [
        *["model", "permission_prompt_tool_name", "settings", "cwd", "cli_path", "fallback_model"],
        *["user", "resume", "resume_session_at", "resume_drops_turn", "session_id"],
    ],
}
MAY_BE_BLANK = {
    SubagentSpec: ["initial_prompt", "observer", "observer_message"],
    ClaudeConfig: ["system_prompt", "mcp_servers", "client_app"],
}


@pytest.mark.parametrize(
    ("cls", "field"), [(cls, field) for cls in NOT_BLANK for field in NOT_BLANK[cls]]
)
@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_names_and_the_like_are_not_blank(cls, field, blank):
    assert said(cls, **{field: blank}) == [f"error: {field}: must not be blank [blank-value]"]


@pytest.mark.parametrize(
    ("cls", "field"), [(cls, field) for cls in MAY_BE_BLANK for field in MAY_BE_BLANK[cls]]
)
@pytest.mark.parametrize("blank", BLANKS, ids=ascii)
def test_other_texts_may_be_blank(cls, field, blank):
    assert getattr(make(cls, **{field: blank}), field) == blank


@fields_where(has_part(str))
def test_it_is_known_of_every_text_whether_it_may_be_blank(cls, field):
    required = ["description", "prompt"] if cls is SubagentSpec else []

    assert field in [*required, *NOT_BLANK[cls], *MAY_BE_BLANK[cls]]


@pytest.mark.parametrize(
    "text", ["x", "\u200b", "\x00", "\x1b[0m", "a\r\nb", " x ", "😀"], ids=ascii
)
def test_any_other_text_is_kept_to_the_letter(text):
    spec = SubagentSpec(text, text, model=text, tools=[text])

    assert (spec.description, spec.prompt, spec.model, spec.tools) == (text, text, text, (text,))


CHOICES = {
    (SubagentSpec, "memory"): "user project local",
    (SubagentSpec, "effort"): "low medium high xhigh max",
    (SubagentSpec, "permission_mode"): (
        "default acceptEdits plan bypassPermissions dontAsk auto manual"
    ),
    (SubagentSpec, "isolation"): "worktree remote",
    (ClaudeConfig, "permission_mode"): "default acceptEdits plan bypassPermissions dontAsk auto",
    (ClaudeConfig, "effort"): "low medium high xhigh max",
    (ClaudeConfig, "session_store_flush"): "batched eager",
    (ClaudeConfig, "skills"): "all",
}


@pytest.mark.parametrize(
    ("cls", "field", "choice"),
    [(cls, field, choice) for (cls, field), text in CHOICES.items() for choice in text.split()],
)
def test_every_choice_is_taken(cls, field, choice):
    assert getattr(make(cls, **{field: choice}), field) == choice


# What is not "all" is a list of skills that somebody forgot to write as one.
NOTHING_BUT_CHOICES = [key for key in CHOICES if key != (ClaudeConfig, "skills")]


@pytest.mark.parametrize(("cls", "field"), NOTHING_BUT_CHOICES)
@pytest.mark.parametrize(
    "change",
    [str.upper, str.title, " {}".format, "{}s".format, lambda _: ""],
    ids=["upper", "title", "blank-before", "more", "empty"],
)
def test_a_choice_is_taken_to_the_letter_only(cls, field, change):
    choice = CHOICES[cls, field].split()[0]

    (line,) = said(cls, **{field: change(choice)})

    assert line.startswith(f"error: {field}: must be '")
    assert line.endswith("[not-a-choice]")


def test_each_setting_source_is_one_of_three():
    sources = ("local", "project", "user")

    assert ClaudeConfig(setting_sources=sources).setting_sources == sources
    assert said(ClaudeConfig, setting_sources=["user", "all"]) == [
        "error: setting_sources[1]: must be 'user', 'project' or 'local', not 'all' [not-a-choice]"
    ]


def test_the_mode_of_a_session_has_no_other_name():
    (line,) = said(ClaudeConfig, permission_mode="manual")

    assert line.endswith("or 'auto', not 'manual' [not-a-choice]")


LOWEST = {
    (SubagentSpec, "max_turns"): 1,
    (SubagentSpec, "auto_compact_window"): 100_000,
    (SubagentSpec, "effort"): -MAX_INTEGER,
    (ClaudeConfig, "max_turns"): 1,
    (ClaudeConfig, "max_buffer_size"): 1,
    (ClaudeConfig, "max_thinking_tokens"): 0,
    (ClaudeConfig, "load_timeout_ms"): 0,
}
whole_numbers = pytest.mark.parametrize(("cls", "field"), LOWEST)


@fields_where(has_part(int))
def test_the_bound_of_every_whole_number_is_known(cls, field):
    assert (cls, field) in LOWEST


@whole_numbers
def test_a_number_may_be_as_small_as_its_bound_and_as_large_as_json_can_say(cls, field):
    for value in (LOWEST[cls, field], MAX_INTEGER):
        assert getattr(make(cls, **{field: value}), field) == value


@whole_numbers
def test_a_number_is_not_below_its_bound(cls, field):
    lowest = LOWEST[cls, field]

    assert said(cls, **{field: lowest - 1}) == [
        f"error: {field}: must be at least {lowest}, not {lowest - 1} [out-of-range]"
    ]


@whole_numbers
def test_a_number_is_one_that_json_can_say(cls, field):
    assert said(cls, **{field: 2**53}) == [
        f"error: {field}: must be at most 9007199254740991, not 9007199254740992 [out-of-range]"
    ]


@whole_numbers
@pytest.mark.parametrize(
    "value", [True, False, 1e6, math.nan, math.inf, "200000", [200_000]], ids=repr
)
def test_what_is_no_whole_number_is_refused_for_one(cls, field, value):
    (line,) = said(cls, **{field: value})

    assert line.startswith(f"error: {field}: must be ")
    assert "[wrong-type]" in line or (field, value) == ("effort", "200000")


@fields_where(has_part(bool))
@pytest.mark.parametrize("value", [0, 1, "true", "yes", "", [], 1.0], ids=repr)
def test_only_true_and_false_are_yes_and_no(cls, field, value):
    (line,) = said(cls, **{field: value})

    assert line.startswith(f"error: {field}: must be true or false, not ")


@pytest.mark.parametrize("value", [0.01, 5e-324, 1, 10**6], ids=repr)
def test_a_budget_is_any_amount(value):
    assert ClaudeConfig(max_budget_usd=value).max_budget_usd == value


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "must be more than 0, not 0 [out-of-range]"),
        (-1, "must be more than 0, not -1 [out-of-range]"),
        (-0.0, "must be more than 0, not -0.0 [out-of-range]"),
        (math.nan, "must be a finite number [bad-number]"),
        (math.inf, "must be a finite number [bad-number]"),
        (10**400, "must be a finite number [bad-number]"),
        (True, "must be a number, not true [wrong-type]"),
        ("1.5", "must be a number, not the text '1.5' [wrong-type]"),
    ],
    ids=str,
)
def test_a_budget_is_not_less_nor_endless(value, message):
    assert said(ClaudeConfig, max_budget_usd=value) == [f"error: max_budget_usd: {message}"]


TEXTS_DEEP_INSIDE: dict[type, dict[str, Any]] = {
    SubagentSpec: {
        "description": "?",
        "prompt": "?",
        "tools": ["a", "?"],
        "disallowed_tools": ["?"],
        "model": "?",
        "skills": ["?"],
        "mcp_servers": ["?"],
        "initial_prompt": "?",
        "color": "?",
        "observer": "?",
        "observer_message": "?",
        "hooks": {"Stop": [{"hooks": [{"type": "command", "command": "?"}]}]},
        "extra": {"a": [{"b": "?"}]},
    },
    ClaudeConfig: {
        "system_prompt": {"append": "?"},
        "mcp_servers": {"a": {"command": "?"}},
        "env": {"a": "?"},
        "extra_args": {"a": "?"},
        "host": {"a": ["?"]},
        "cwd": "?",
    },
}


def replaced(value: Any, old: Any, new: Any) -> Any:
    """A value with another one for each `old` inside of it, keys included."""
    if isinstance(value, dict):
        return {replaced(key, old, new): replaced(item, old, new) for key, item in value.items()}
    if isinstance(value, list):
        return [replaced(item, old, new) for item in value]
    return new if value == old else value


@pytest.mark.parametrize(
    ("cls", "field"),
    [(cls, field) for cls, values in TEXTS_DEEP_INSIDE.items() for field in values],
)
def test_half_a_surrogate_pair_is_refused_wherever_it_is(cls, field):
    value = replaced(TEXTS_DEEP_INSIDE[cls][field], "?", "a\ud83d")

    (line,) = said(cls, **{field: value})

    assert line.startswith(f"error: {field}")
    assert line.endswith(
        "holds half of a surrogate pair (U+D83D), which no file can hold [lone-surrogate]"
    )


@pytest.mark.parametrize(
    ("cls", "field", "value"),
    [
        (SubagentSpec, "extra", {"?": 1}),
        (SubagentSpec, "extra", {"a": [{"?": 1}]}),
        (SubagentSpec, "mcp_servers", [{"?": {"command": "c"}}]),
        (SubagentSpec, "hooks", {"Stop": [{"hooks": [], "?": 1}]}),
        (ClaudeConfig, "env", {"?": "x"}),
        (ClaudeConfig, "extra_args", {"?": None}),
        (ClaudeConfig, "mcp_servers", {"?": {}}),
    ],
    ids=str,
)
def test_half_a_surrogate_pair_is_refused_in_a_key_too(cls, field, value):
    (line,) = said(cls, **{field: replaced(value, "?", "\udfff")})

    assert line.endswith("[lone-surrogate]")


@pytest.mark.parametrize(
    "value",
    [
        {1: "a"},
        {None: "a"},
        {"a": {True: 1}},
        {"a": [{2.5: 1}]},
        {"a": math.nan},
        {"a": [math.inf]},
        {"a": {1}},
        {"a": b"b"},
        {"a": object()},
        {"a": pathlib.Path("b")},
    ],
    ids=lambda value: repr(value).partition(" at ")[0],
)
@fields_where(lambda attribute: attribute.name in ("extra", "host", "sandbox", "output_format"))
def test_what_no_file_can_say_is_refused_inside_of_mappings(cls, field, value):
    (line,) = said(cls, **{field: value})

    assert line.startswith(f"error: {field}")
    assert line.endswith(("[wrong-type]", "[bad-number]", "[non-string-key]"))


def nested(levels: int) -> Any:
    """Lists in each other in a mapping, so many levels with it."""
    value: Any = 1
    for _ in range(levels - 1):
        value = [value]
    return {"a": value}


def test_values_may_be_nested_deeply_and_no_deeper():
    deep = nested(MAX_VALUE_DEPTH)

    spec = SubagentSpec("d", "p", extra=deep)

    assert spec.extra["a"][0][0] is not None
    assert repr(spec).count("(") > MAX_VALUE_DEPTH
    assert pickle.loads(pickle.dumps(spec)) == spec  # noqa: S301 - our own bytes
    for levels in (MAX_VALUE_DEPTH + 1, 1000, 50_000):
        with pytest.raises(SpecError) as caught:
            SubagentSpec("d", "p", extra=nested(levels))
        assert [problem.code for problem in caught.value.problems] == ["too-deep"]


NESTED_IN_LISTS = ("mcp_servers", "plugins")


@fields_where(lambda attribute: holds_map(attribute) or attribute.name in NESTED_IN_LISTS)
def test_nesting_too_deep_is_said_of_its_field_and_hides_nothing_else(cls, field):
    deep = nested(500)
    in_list = holds_list(getattr(attrs.fields(cls), field)) and field in NESTED_IN_LISTS

    with pytest.raises(SpecError) as caught:
        make(cls, **{field: [deep] if in_list else deep, "model": " "})

    assert {(problem.path[:1], problem.code) for problem in caught.value.problems} == {
        ((field,), "too-deep"),
        (("model",), "blank-value"),
    }


def test_what_may_be_nested_can_be_written_and_read_again():
    config = ClaudeConfig(
        agents={"a": SubagentSpec("d", "p", extra=nested(MAX_VALUE_DEPTH))},
        host=nested(MAX_VALUE_DEPTH),
        extra=nested(MAX_VALUE_DEPTH),
    )

    assert subspec.loads(subspec.dumps(config)) == config


@both_classes
def test_all_faults_are_said_at_once_in_the_order_of_the_fields(cls):
    checked = [attribute for attribute in attrs.fields(cls) if attribute.name != "origin"]

    with pytest.raises(SpecError) as caught:
        cls(**{attribute.name: object() for attribute in checked})

    assert [problem.path for problem in caught.value.problems] == [
        (attribute.name,) for attribute in checked
    ]
    assert {problem.code for problem in caught.value.problems} == {"wrong-type"}


def test_all_faults_inside_of_fields_are_said_too():
    with pytest.raises(SpecError) as caught:
        SubagentSpec(
            " ",
            "p",
            tools=["Read", 1, None],  # type: ignore[list-item]
            max_turns=0,
            mcp_servers=["db", {}, {"a": {"type": "ftp"}}],
            hooks={"Stop": [{"hooks": [{"type": "command"}]}], "Halt": []},
            extra={"a": {1: 2}, "b": [math.nan]},
        )

    assert [(problem.path, problem.code) for problem in caught.value.problems] == [
        (("description",), "blank-description"),
        (("tools", 1), "wrong-type"),
        (("tools", 2), "wrong-type"),
        (("mcp_servers", 1), "wrong-type"),
        (("mcp_servers", 2, "a", "type"), "not-a-choice"),
        (("max_turns",), "out-of-range"),
        (("hooks", "Stop", 0, "hooks", 0), "missing-key"),
        (("hooks", "Halt"), "unknown-key"),
        (("extra", "a"), "non-string-key"),
        (("extra", "b", 0), "bad-number"),
    ]


@both_classes
def test_null_leaves_every_optional_field_unset(cls):
    optional = [
        attribute.name for attribute in attrs.fields(cls) if attribute.default is not attrs.NOTHING
    ]

    assert make(cls, **dict.fromkeys(optional)) == make(cls)


def test_description_and_prompt_cannot_be_null():
    assert said(SubagentSpec, description=None, prompt=None) == [
        "error: description: must be text, not null [wrong-type]",
        "error: prompt: must be text, not null [wrong-type]",
    ]


# The agents of a configuration

WRITER = SubagentSpec("Writes.", "Write.")


@pytest.mark.parametrize("agents", [None, {}, immutabledict()], ids=repr)
def test_no_agents_are_none(agents):
    assert ClaudeConfig(agents=agents).agents is None
    assert attrs.evolve(ClaudeConfig(agents={"a": WRITER}), agents=agents).agents is None


@pytest.mark.parametrize(
    "mapping",
    [dict, immutabledict, types.MappingProxyType],
    ids=lambda mapping: mapping.__name__,
)
def test_agents_can_be_given_as_any_mapping(mapping):
    agents = {"b": WRITER, "a": attrs.evolve(WRITER, model="haiku")}

    config = ClaudeConfig(agents=mapping(agents))
    agents.clear()

    assert type(config.agents) is immutabledict
    assert list(config.agents) == ["b", "a"]
    assert config.agents["a"].model == "haiku"


@pytest.mark.parametrize(
    ("agents", "what"),
    [
        ([], "a list"),
        ([WRITER], "a list"),
        ("a", "the text 'a'"),
        ("", "the text ''"),
        (0, "the number 0"),
        (False, "false"),
        (WRITER, "a SubagentSpec"),
        (iter([("a", WRITER)]), "a list_iterator"),
    ],
    ids=["empty-list", "list", "text", "empty-text", "zero", "false", "spec", "pairs"],
)
def test_agents_are_a_mapping(agents, what):
    assert said(ClaudeConfig, agents=agents) == [
        f"error: agents: must map names to subagents, not be {what} [wrong-type]"
    ]


@pytest.mark.parametrize(
    ("spec", "what"),
    [
        (None, "null"),
        ({"description": "d", "prompt": "p"}, "a mapping"),
        ("p", "the text 'p'"),
        (SubagentSpec, "a type"),
    ],
    ids=["none", "dict", "text", "class"],
)
def test_an_agent_is_a_spec(spec, what):
    assert said(ClaudeConfig, agents={"a": WRITER, "b": spec}) == [
        f"error: agents.b: must be a SubagentSpec, not {what} [wrong-type]"
    ]


@pytest.mark.parametrize(
    "name",
    [
        *["a", "my agent", "a:b/c", "1", " -x", "constructor", "toString", "é漢😀", "x" * 300],
        *["a\nb", "__PROTO__", "prototype", "\x00", "general-purpose", "a-b"],
    ],
    ids=lambda name: ascii(name[:20]),
)
def test_a_name_is_nearly_any_text(name):
    assert list(ClaudeConfig(agents={name: WRITER}).agents) == [name]


@pytest.mark.parametrize("name", ["-x", "-", "--agent", "__proto__"])
def test_a_name_that_claude_code_drops_is_refused(name):
    (line,) = said(ClaudeConfig, agents={name: WRITER})

    assert line.endswith(
        f": Claude Code drops an agent named '{name}' without a message;"
        " give it another name [bad-agent-name]"
    )


@pytest.mark.parametrize("name", ["", " ", "\t\n", "\u3000"], ids=ascii)
def test_a_blank_name_is_refused(name):
    (line,) = said(ClaudeConfig, agents={name: WRITER})

    assert line.endswith("the name of an agent is blank [bad-agent-name]")


@pytest.mark.parametrize(
    ("name", "what"),
    [(1, "the number 1"), (None, "null"), (True, "true"), (("a",), "a list"), (b"a", "a bytes")],
    ids=repr,
)
def test_a_name_is_text(name, what):
    (line,) = said(ClaudeConfig, agents={name: WRITER})

    assert line.endswith(f"the name of an agent must be text, not {what} [wrong-type]")


def test_a_name_is_text_that_a_file_can_hold():
    (line,) = said(ClaudeConfig, agents={"a\ud800": WRITER})

    assert line == (
        "error: agents.'a\\ud800': holds half of a surrogate pair (U+D800),"
        " which no file can hold [lone-surrogate]"
    )


def test_agents_and_names_can_be_judged_by_themselves():
    assert agents_problems(None) == agents_problems({}) == agents_problems({"a": WRITER}) == []
    assert [problem.path for problem in agents_problems({"-a": 5})] == [("-a",), ("-a",)]
    assert name_problems("a") == []
    assert [problem.code for problem in name_problems("-a")] == ["bad-agent-name"]


def test_all_that_is_wrong_with_agents_is_said_at_once():
    agents: Any = {"-x": None, "a": WRITER, "": 5, 2: WRITER}

    with pytest.raises(SpecError) as caught:
        ClaudeConfig(agents=agents, model="")

    assert [(problem.path, problem.code) for problem in caught.value.problems] == [
        (("agents", "-x"), "bad-agent-name"),
        (("agents", "-x"), "wrong-type"),
        (("agents", ""), "bad-agent-name"),
        (("agents", ""), "wrong-type"),
        (("agents", "2"), "wrong-type"),
        (("model",), "blank-value"),
    ]


# Whatever a spec admits, Claude Code admits; otherwise it would lose every agent over one.
# The verdicts of the tables were its own, and a test below asks it again.

TEXTS_OF_ANY_KIND = ["x", "\x00", "\x1b[31m", "a\r\nb", "é漢😀", "\u200b", "x" * 10_000]
NO_TEXT = [None, 1, 1.5, True, [], ["x"], {}]
TEXT_FIELDS = ["description", "prompt", "initial_prompt", "observer", "observer_message", "model"]
LIST_FIELDS = ["tools", "disallowed_tools", "skills"]
FLAG_FIELDS = ["background", "omit_claude_md", "observe_subagents", "observe_tool_results"]

ACCEPTED: list[tuple[str, Any]] = [
    *((field, text) for field in TEXT_FIELDS for text in TEXTS_OF_ANY_KIND),
    *((field, "") for field in MAY_BE_BLANK[SubagentSpec]),
    *(("model", text) for text in ("inherit", "INHERIT", " sonnet ", "nonsense-xyz", "\ufeffx")),
    *(
        (field, value)
        for field in LIST_FIELDS
        for value in ([], ["Read"], [""], [" "], ["*"], ["Read, Grep"], ["Read"] * 2, ["a\nb"])
    ),
    *((field, value) for field in FLAG_FIELDS for value in (True, False)),
    *(("max_turns", value) for value in (1, 2, 100_000, 2**53 - 1)),
    *(("auto_compact_window", value) for value in (100_000, 2**53 - 1)),
    *(("effort", value) for value in (0, -1, 50, 2**53 - 1, -(2**53) + 1)),
    *(
        (field, choice)
        for (cls, field), text in CHOICES.items()
        for choice in text.split()
        if cls is SubagentSpec
    ),
]

STRICTER: list[tuple[str, Any]] = [
    *((field, text) for field in ("description", "prompt") for text in (" ", "\n", "\ufeff")),
    ("prompt", ""),
    *((field, "\ud800") for field in TEXT_FIELDS),
    *(("model", text) for text in ("\x1c", "\x85")),
    ("tools", ["\udfff"]),
    *(("max_turns", value) for value in (1.0, 1e5)),
    *(("effort", value) for value in (1.0, -0.0)),
]
"""Accepted by Claude Code and refused here: blanks, what no file holds, and whole floats."""

REFUSED: list[tuple[str, Any]] = [
    *((field, value) for field in TEXT_FIELDS for value in NO_TEXT),
    *((field, "") for field in ("description", "model")),
    *(("model", text) for text in (" ", "\n", "\xa0", "\u3000", "\ufeff", "\ufeff \xa0\ufeff")),
    *(
        (field, value)
        for field in LIST_FIELDS
        for value in (None, "", "Read", 1, True, {}, {"0": "Read"}, [None], [1], [["Read"]], [{}])
    ),
    *(
        (field, value)
        for field in FLAG_FIELDS
        for value in (None, 0, 1, "true", "false", "", [], {})
    ),
    *(
        (field, value)
        for field in ("max_turns", "auto_compact_window", "effort")
        for value in (None, True, 1.5, 2**53, -(2**53), 1e300, "", "1", "50", [], [1], {})
    ),
    *(("max_turns", value) for value in (0, -1)),
    *(("auto_compact_window", value) for value in (0, 1, 99_999)),
    *(("effort", value) for value in ("LOW", " low", "low ", "none", "auto", "minimal", "inherit")),
    *(
        ("permission_mode", value)
        for value in (*NO_TEXT, "", "Manual", "ask", "acceptedits", " plan", "plan ", "delegate")
    ),
    *(("memory", value) for value in (*NO_TEXT, "", "User", "none", "global", " user", "user\n")),
    *(("isolation", value) for value in (*NO_TEXT, "", "Worktree", "none", "container")),
]


def ids_of(table: list[tuple[str, Any]]) -> list[str]:
    return [f"{field}-{ascii(value)[:40]}" for field, value in table]


@pytest.mark.parametrize(("field", "value"), ACCEPTED, ids=ids_of(ACCEPTED))
def test_what_claude_code_takes_is_taken(field, value):
    assert getattr(make(SubagentSpec, **{field: value}), field) is not None


# That a field is None says that it is not set.
NOT_NULL = [(field, value) for field, value in REFUSED if value is not None]


@pytest.mark.parametrize(("field", "value"), NOT_NULL, ids=ids_of(NOT_NULL))
def test_over_what_claude_code_loses_all_agents_is_refused(field, value):
    with pytest.raises(SpecError):
        make(SubagentSpec, **{field: value})


@pytest.mark.parametrize(("field", "value"), STRICTER, ids=ids_of(STRICTER))
def test_some_of_what_claude_code_takes_is_refused_too(field, value):
    with pytest.raises(SpecError):
        make(SubagentSpec, **{field: value})


def definition(field: str, value: Any) -> dict[str, Any]:
    """An agent as Claude Code is given it."""
    return {"description": "d", "prompt": "p", camel(field): value}


def ask_claude_code(definitions: Mapping[str, Any] | str) -> list[str]:
    """What Claude Code says against definitions of agents."""
    pytest.importorskip("claude_agent_sdk", reason="needs the extra subspec[claude]")
    from real_cli import CLI, check_agents_json  # noqa: PLC0415 - needs the extra

    if not CLI.is_file():
        pytest.skip("this claude-agent-sdk bundles no CLI")
    text = definitions if isinstance(definitions, str) else json.dumps(definitions)
    return check_agents_json(text)


@pytest.mark.real_cli
def test_claude_code_takes_what_the_tables_say_it_takes():
    table = [
        *ACCEPTED,
        *STRICTER,
        *(("mcp_servers", value) for value in test_mcp.ACCEPTED.values()),
        *(("mcp_servers", value) for value in test_mcp.STRICTER.values()),
        *(("hooks", value) for value in test_hooks.ACCEPTED.values()),
        *(("hooks", value) for value in test_hooks.STRICTER.values()),
    ]

    assert ask_claude_code({f"a{i}": definition(*entry) for i, entry in enumerate(table)}) == []


@pytest.mark.exhaustive
@pytest.mark.real_cli
def test_claude_code_refuses_what_the_tables_say_it_refuses():
    table = [
        *REFUSED,
        *(("mcp_servers", value) for value in test_mcp.REFUSED.values()),
        *(("hooks", value) for value in test_hooks.REFUSED.values()),
    ]
    pending = {f"a{i}": entry for i, entry in enumerate(table)}

    # It prints no more than twenty errors, so that it has to be asked again and again.
    while pending:
        batch = dict(itertools.islice(pending.items(), 20))
        errors = ask_claude_code({name: definition(*entry) for name, entry in batch.items()})
        blamed = {re.split(r"[.:]", line, maxsplit=1)[0] for line in errors} & batch.keys()
        assert blamed, list(batch.values())
        for name in blamed:
            del pending[name]


AGENTS_OF_EACH = int(os.environ.get("SUBSPEC_AGENTS_OF_EACH", "200"))
"""How many agents of each kind are tried; those that a spec admits are shown to Claude Code."""

ANY_TEXT = st.sampled_from(["", " ", "\ufeff", "\x1c", "\x85", "\u200b", "\ufeff \xa0"]) | st.text()
ANY_TEXTS = st.lists(mostly(ANY_TEXT), max_size=3)
ANY_NUMBER = st.integers() | st.integers(-2, 2) | st.integers(99_998, 100_002) | st.floats()


def any_choice(field: str) -> st.SearchStrategy[str]:
    return st.sampled_from([*CHOICES[SubagentSpec, field].split(), "none", "User", "plan "])


ANY_VALUE = {
    **dict.fromkeys(TEXT_FIELDS, ANY_TEXT),
    **dict.fromkeys(LIST_FIELDS, ANY_TEXTS),
    **dict.fromkeys(FLAG_FIELDS, st.booleans()),
    "max_turns": ANY_NUMBER,
    "auto_compact_window": ANY_NUMBER,
    "effort": any_choice("effort") | ANY_NUMBER,
    "permission_mode": any_choice("permission_mode"),
    "memory": any_choice("memory"),
    "isolation": any_choice("isolation"),
    "mcp_servers": test_mcp.SERVERS,
    "hooks": test_hooks.HOOK_TABLES,
}
"""Values that a spec may admit or not, for each field that Claude Code is told of."""


def test_there_are_values_for_every_field_that_claude_code_is_told_of():
    assert {*ANY_VALUE, "color", "extra", "origin"} == {*AGENT}


SOME_FIELDS = st.lists(st.sampled_from(sorted(ANY_VALUE)), unique=True, min_size=1, max_size=5)
ANY_AGENT = [
    SOME_FIELDS.flatmap(
        lambda names: st.fixed_dictionaries({name: mostly(ANY_VALUE[name]) for name in names})
    ),
    st.fixed_dictionaries({"mcp_servers": ANY_VALUE["mcp_servers"]}),
    st.fixed_dictionaries({"hooks": ANY_VALUE["hooks"]}),
]
"""What agents may be made of; servers and hooks have many fields of their own."""


def admitted_agents(values: st.SearchStrategy[dict[str, Any]]) -> list[tuple[str, SubagentSpec]]:
    """Names and agents, those that specs and configurations admit."""
    agents: list[tuple[str, SubagentSpec]] = []

    @settings(
        max_examples=AGENTS_OF_EACH,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(name=ANY_TEXT, values=values)
    def collect(name, values):
        with contextlib.suppress(SpecError):
            config = ClaudeConfig(agents={f"{name}#": make(SubagentSpec, **values)})
            agents.extend(config.agents.items())

    collect()
    return agents


@pytest.mark.exhaustive
@pytest.mark.real_cli
def test_claude_code_takes_every_agent_that_a_spec_admits():
    found = [agent for values in ANY_AGENT for agent in admitted_agents(values)]
    assert len(found) > AGENTS_OF_EACH, "too few agents to say anything"
    # The numbers keep names apart, and tell which agent an error is about.
    agents = {f"{name}{number}": spec for number, (name, spec) in enumerate(found)}

    errors = ask_claude_code(
        subspec.dumps(ClaudeConfig(agents=agents), format="claude_cli", media="json")
    )

    blamed = {int(number) for line in errors for number in re.findall(r"#([0-9]+)[.:]", line)}
    assert [found[number][1] for number in sorted(blamed)] == []
    assert errors == []
