"""Subagents of subagents-pydantic-ai: the class, its files, and the package itself."""

from __future__ import annotations

import asyncio
import json
import math
import pickle
import warnings
from copy import deepcopy
from pathlib import Path
from typing import Any, get_args

import attrs
import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from immutabledict import immutabledict
from real_files import CORPUS
from strategies import DATA, MAPS, TEXTS

from subspec import ConflictError, Origin, SpecError, SpecWarning
from subspec.formats.subagent_config import LIVE_KEYS
from subspec.pydantic_ai import SubAgentSpec, load_subagents, loads_subagents, save_subagents

FIXTURE = Path(__file__).parent.parent / "fixtures" / "pydantic-ai" / "subagents.yaml"
FLAGS = ("can_ask_questions", "typically_needs_context", "retry_jitter", "contain_errors")
DELAYS = ("retry_initial_delay", "retry_max_delay", "retry_backoff_multiplier")

delays = st.integers(0, 10**6) | st.floats(0, allow_infinity=False)
VALUES = st.fixed_dictionaries(
    {"name": TEXTS},
    optional={
        "description": TEXTS,
        "instructions": TEXTS,
        "model": TEXTS,
        "max_questions": st.integers(-5, 2**53 - 1),
        "preferred_mode": st.sampled_from(["sync", "async", "auto"]),
        "typical_complexity": st.sampled_from(["simple", "moderate", "complex"]),
        "context_files": st.lists(TEXTS, max_size=3),
        "agent_kwargs": MAPS,
        "max_retries": st.integers(0, 2**53 - 1),
        "retry_initial_delay": delays,
        "retry_max_delay": delays,
        "retry_backoff_multiplier": st.integers(1, 9) | st.floats(1, allow_infinity=False),
        "on_failure": TEXTS,
        "extra": MAPS,
    }
    | {name: st.booleans() for name in FLAGS},
)


def in_order(values: dict[str, Any]) -> dict[str, Any]:
    """Values of which the delays can be had together."""
    least, most = values.get("retry_initial_delay"), values.get("retry_max_delay")
    if least is not None and most is not None and float(most) < float(least):
        return values | {"retry_initial_delay": most, "retry_max_delay": least}
    return values


GOOD = VALUES.map(in_order)
SPECS = GOOD.map(lambda values: SubAgentSpec(**values))
TEAMS = st.lists(SPECS, max_size=4, unique_by=lambda spec: spec.name)


def messages(error: pytest.ExceptionInfo[SpecError]) -> list[str]:
    return str(error.value).splitlines()


def refused(text: str) -> list[str]:
    with pytest.raises(SpecError) as error:
        loads_subagents(text)
    return messages(error)


# The class.


def test_only_a_name_is_needed():
    spec = SubAgentSpec(name="coder")

    values = attrs.asdict(spec, recurse=False)
    assert values.pop("name") == "coder"
    assert values.pop("description") == values.pop("instructions") == ""
    assert values.pop("extra") == {}
    assert set(values.values()) == {None}
    with pytest.raises(TypeError, match="name"):
        SubAgentSpec()
    with pytest.raises(TypeError):
        SubAgentSpec("coder")


def test_the_fields_are_those_of_the_specification():
    assert [field.name for field in attrs.fields(SubAgentSpec)] == [
        *("name", "description", "instructions", "model", "can_ask_questions", "max_questions"),
        *("preferred_mode", "typical_complexity", "typically_needs_context", "context_files"),
        *("agent_kwargs", "max_retries", "retry_initial_delay", "retry_max_delay"),
        *("retry_backoff_multiplier", "retry_jitter", "on_failure", "contain_errors", "extra"),
        "origin",
    ]


def test_a_spec_shows_what_is_set():
    assert repr(SubAgentSpec(name="a", max_retries=0)) == "SubAgentSpec(name='a', max_retries=0)"


def test_values_are_frozen_all_the_way_down():
    files, inner = ["a.md"], {"memory": ["x"]}
    spec = SubAgentSpec(name="a", context_files=files, agent_kwargs={"k": inner}, extra=inner)
    files.append("b.md")
    inner["memory"].append("y")

    assert spec.context_files == ("a.md",)
    assert spec.extra == immutabledict({"memory": ("x",)})
    assert hash(spec) == hash(deepcopy(spec)) == hash(pickle.loads(pickle.dumps(spec)))  # noqa: S301
    assert spec == evolve(spec, name="b", max_retries=None).__class__(**spec.to_config())
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        spec.name = "b"


def test_where_a_spec_was_read_does_not_tell_it_from_others():
    (spec,) = loads_subagents("[{name: a}]")

    assert spec.origin is not None
    assert spec == SubAgentSpec(name="a")


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"max_retries": -1}, "max_retries: must be at least 0, not -1"),
        ({"retry_initial_delay": -0.5}, "retry_initial_delay: must be at least 0, not -0.5"),
        ({"retry_max_delay": -1}, "retry_max_delay: must be at least 0, not -1.0"),
        (
            {"retry_backoff_multiplier": 0.99},
            "retry_backoff_multiplier: must be at least 1, not 0.99",
        ),
        ({"retry_max_delay": math.inf}, "retry_max_delay: must be a finite number"),
        ({"retry_initial_delay": 10**400}, "retry_initial_delay: must be a finite number"),
        ({"retry_jitter": 1}, "retry_jitter: must be true or false, not the number 1"),
        ({"retry_max_delay": True}, "retry_max_delay: must be a number, not true"),
        ({"max_retries": True}, "max_retries: must be a whole number, not true"),
        ({"max_questions": "3"}, "max_questions: must be a whole number, not the text '3'"),
        ({"preferred_mode": "asynch"}, "preferred_mode: must be 'sync', 'async' or 'auto'"),
        ({"description": None}, "description: must be text, not null"),
        ({"extra": None}, "extra: must be a mapping, not null"),
        ({"context_files": "a.md"}, "context_files: must be a list of text, not the text 'a.md'"),
        ({"agent_kwargs": {1: 2}}, "agent_kwargs: has a key that is the number 1"),
    ],
    ids=str,
)
def test_a_value_that_is_wrong_is_refused(values, said):
    with pytest.raises(SpecError) as error:
        SubAgentSpec(name="a", **values)

    (message,) = messages(error)
    assert message.startswith(f"error: {said}")


@pytest.mark.parametrize("least", [0, 0.5])
def test_bounds_may_be_reached(least):
    spec = SubAgentSpec(
        name="a",
        max_retries=0,
        retry_initial_delay=least,
        retry_max_delay=least,
        retry_backoff_multiplier=1,
    )

    assert (spec.retry_initial_delay, spec.retry_max_delay) == (least, least)
    assert {type(getattr(spec, name)) for name in DELAYS} == {float}


def test_the_longest_delay_is_not_below_the_first():
    with pytest.raises(SpecError) as error:
        SubAgentSpec(name="a", retry_initial_delay=5, retry_max_delay=1)

    (problem,) = error.value.problems
    assert problem.message == "retry_max_delay (1.0) must be >= retry_initial_delay (5.0)"
    assert problem.path == ("retry_max_delay",)
    assert problem.code == "out-of-range"
    assert SubAgentSpec(name="a", retry_initial_delay=5).retry_max_delay is None


@pytest.mark.parametrize(("least", "most"), [("9", 1), (5, "1"), (-1, -2), (5, -1)])
def test_delays_that_are_wrong_by_themselves_are_not_compared(least, most):
    with pytest.raises(SpecError) as error:
        SubAgentSpec(name="a", retry_initial_delay=least, retry_max_delay=most)

    assert "must be >=" not in str(error.value)


def test_every_fault_is_said_at_once():
    with pytest.raises(SpecError) as error:
        SubAgentSpec(
            name=1, model=2, max_retries=-1, retry_initial_delay=5, retry_max_delay=1, extra=[]
        )

    paths = [problem.path for problem in error.value.problems]
    assert paths == [("name",), ("model",), ("max_retries",), ("extra",), ("retry_max_delay",)]


# Configurations.


def test_a_configuration_has_what_is_set():
    assert SubAgentSpec(name="a").to_config() == {
        "name": "a",
        "description": "",
        "instructions": "",
    }
    spec = SubAgentSpec(
        name="a", can_ask_questions=False, max_retries=0, on_failure="", context_files=[], extra={}
    )
    assert spec.to_config() == {
        "name": "a",
        "description": "",
        "instructions": "",
        "can_ask_questions": False,
        "context_files": [],
        "max_retries": 0,
        "on_failure": "",
    }


def test_a_configuration_shares_nothing_with_its_spec():
    spec = SubAgentSpec(name="a", extra={"team": ["b"]}, agent_kwargs={})
    config = spec.to_config()
    config["extra"]["team"].append("c")

    assert spec.to_config()["extra"] == {"team": ["b"]}
    assert type(config["agent_kwargs"]) is dict


@given(SPECS)
def test_a_configuration_makes_the_same_spec(spec):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        again = SubAgentSpec.from_config(spec.to_config())

    assert again == spec
    assert again.to_config() == spec.to_config()


class Live:
    def __str__(self) -> str:
        return "openai:gpt-4.1"


def test_objects_are_left_out_and_named():
    config = {
        "name": "a",
        "agent": Live(),
        "agent_factory": Live,
        "toolsets": [Live()],
        "retry_on": lambda _: True,
        "agent_kwargs": {"retries": 2, "builtin_tools": [Live()]},
        "extra": {"deps": Live(), "memory": {"kept": [1]}},
    }

    with pytest.warns(SpecWarning) as warned:
        spec = SubAgentSpec.from_config(config)

    assert spec == SubAgentSpec(
        name="a", agent_kwargs={"retries": 2}, extra={"memory": {"kept": [1]}}
    )
    assert [str(each.message) for each in warned] == [
        f"warning: {path}: a spec cannot hold {name}, an object of Python; it is left out"
        " [not-in-format]"
        for path, name in [
            *((key, key) for key in ("agent", "agent_factory", "toolsets", "retry_on")),
            ("agent_kwargs.builtin_tools", "builtin_tools"),
            ("extra.deps", "deps"),
        ]
    ]
    assert warned[0].filename == __file__


def test_of_a_model_that_is_an_object_the_text_is_taken():
    with pytest.warns(SpecWarning, match="model that is an object; its text is taken"):
        spec = SubAgentSpec.from_config({"name": "a", "model": Live()})

    assert spec.model == "openai:gpt-4.1"


def test_nothing_is_lost_where_nothing_is_set():
    config = {"name": "a", "agent": None, "toolsets": None, "model": None, "agent_kwargs": None}

    assert SubAgentSpec.from_config(config) == SubAgentSpec(name="a")


def test_a_configuration_is_read_strictly():
    config = {
        "desciption": "x",
        "instructions": 1,
        "model": 5,
        "agent": Live(),
        "extra": None,
        7: 8,
    }

    with pytest.raises(SpecError) as error:
        SubAgentSpec.from_config(config)

    assert messages(error) == [
        "error: desciption: unknown key 'desciption'; did you mean 'description'? [unknown-key]",
        "error: 7: unknown key '7' [unknown-key]",
        "error: subagent requires name [missing-key]",
        (
            'error: instructions: must be text, not the number 1; to say that text, quote it: "1"'
            " [wrong-type]"
        ),
        (
            'error: model: must be text, not the number 5; to say that text, quote it: "5"'
            " [wrong-type]"
        ),
        "error: extra: must be a mapping, not null [wrong-type]",
    ]
    with pytest.raises(SpecError, match="must be a mapping, not a list"):
        SubAgentSpec.from_config([])


# Reading.

SHAPES = {
    "bare": "- name: a\n- name: b\n",
    "list": "title: x\nsubagents:\n  - name: a\n  - name: b\n",
    "capability": (
        "model: test\ncapabilities:\n  - Thinking\n  - Other: {subagents: 1}\n"
        "  - SubAgentCapability:\n      subagents:\n        - name: a\n        - name: b\n"
    ),
    "argument": "capabilities:\n  - SubAgentCapability: [{name: a}, {name: b}]\n",
    "long": (
        "capabilities:\n  - name: SubAgentCapability\n    arguments:\n"
        "      subagents: [{name: a}, {name: b}]\n"
    ),
    "two": (
        "capabilities:\n  - SubAgentCapability: {subagents: [{name: a}]}\n"
        "  - SubAgentCapability: {subagents: [{name: b}]}\n"
    ),
    "json": '{"subagents": [{"name": "a"}, {"name": "b"}]}',
    "json-bare": '[{"name": "a"}, {"name": "b"}]',
}


@pytest.mark.parametrize("text", SHAPES.values(), ids=SHAPES)
def test_each_shape_is_read(text):
    assert loads_subagents(text) == (SubAgentSpec(name="a"), SubAgentSpec(name="b"))


@pytest.mark.parametrize(
    "text",
    [
        "[]",
        "subagents: []",
        "capabilities: [SubAgentCapability]",
        "capabilities: [SubAgentCapability: ]",
        "capabilities: [{name: SubAgentCapability}]",
        "capabilities: [SubAgentCapability: {include_general_purpose: true}]",
    ],
)
def test_there_may_be_no_subagents(text):
    assert loads_subagents(text) == ()


def test_the_fixture_says_everything_in_its_place():
    researcher, writer = load_subagents(FIXTURE)

    assert researcher.instructions.endswith("quote what it says.\n")
    assert (researcher.retry_initial_delay, researcher.retry_max_delay) == (0.5, 8.0)
    assert writer.agent_kwargs == {"retries": 2}
    assert writer.origin is not None
    assert writer.origin.path == FIXTURE
    assert writer.origin.span is not None
    assert writer.origin.span.line == 15
    assert writer.origin.format == "pydantic_ai"


def test_json_is_read_as_json(tmp_path):
    path = tmp_path / "team.json"
    path.write_text('{"subagents": [{"name": "a", "retry_max_delay": 1}]}')

    assert load_subagents(str(path)) == (SubAgentSpec(name="a", retry_max_delay=1),)


@pytest.mark.corpus
def test_the_files_that_people_wrote_load():
    files = sorted(CORPUS.glob("pydantic-yaml/**/*.yaml"))

    assert len(files) == 5
    assert [[spec.name for spec in load_subagents(file)] for file in files] == [
        ["researcher"],
        ["researcher", "coder"],
        ["researcher"],
        ["researcher", "writer"],
        ["researcher"],
    ]


def test_every_fault_of_a_file_is_said_with_its_place(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_text(
        "subagents:\n"
        "  - name: a\n"
        "    prompt: Be good.\n"
        "    retry_initial_delay: 9\n"
        "    retry_max_delay: 1\n"
        "    toolsets: []\n"
        "  - descripton: x\n"
        "    max_retries: -1\n"
        "    context_files: [1]\n"
        "  - just a text\n"
        "  - name: a\n"
        "    model: null\n"
        "    extra: null\n"
    )

    with pytest.raises(SpecError) as error:
        load_subagents(path)

    assert messages(error) == [
        f"{path}:{said}"
        for said in [
            (
                "3:5: error: subagents[0].prompt: unknown key 'prompt';"
                " did you mean 'instructions'? [unknown-key]"
            ),
            (
                "5:22: error: subagents[0].retry_max_delay: retry_max_delay (1.0) must be >="
                " retry_initial_delay (9.0) [out-of-range]"
            ),
            (
                "6:5: error: subagents[0].toolsets: unknown key 'toolsets';"
                " it takes an object of Python: add it to what to_config() gives [unknown-key]"
            ),
            (
                "7:5: error: subagents[1].descripton: unknown key 'descripton';"
                " did you mean 'description'? [unknown-key]"
            ),
            "7:5: error: subagents[1]: subagent requires name [missing-key]",
            "8:18: error: subagents[1].max_retries: must be at least 0, not -1 [out-of-range]",
            (
                "9:21: error: subagents[1].context_files[0]: must be text, not the number 1;"
                ' to say that text, quote it: "1" [wrong-type]'
            ),
            (
                "10:5: error: subagents[2]: must be a mapping, not the text 'just a text';"
                " give it a name and instructions [wrong-type]"
            ),
            (
                "11:11: error: subagents[3].name: there is a subagent named 'a' already,"
                " at subagents[0]; give it another name [duplicate-name]"
            ),
            "13:12: error: subagents[3].extra: must be a mapping, not null [wrong-type]",
        ]
    ]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1", "1:1: error: must be a list of subagents, not the number 1 [wrong-type]"),
        (
            "model: x",
            (
                "1:1: error: there is no list of subagents in it;"
                " write them under 'subagents:' [missing-key]"
            ),
        ),
        (
            "sub_agents: []",
            (
                "1:1: error: sub_agents: unknown key 'sub_agents'; did you mean 'subagents'?"
                " [unknown-key]"
            ),
        ),
        (
            "subagents: {a: {}}",
            (
                "1:12: error: subagents: must be a list of subagents, not a mapping;"
                " write '- name: NAME' instead of 'NAME:' [wrong-type]"
            ),
        ),
        (
            "subagents:",
            "1:11: error: subagents: must be a list of subagents, not null [wrong-type]",
        ),
        (
            "capabilities: [SubAgentCapability: {subagent: []}]",
            (
                "1:37: error: capabilities[0].SubAgentCapability.subagent: unknown key 'subagent';"
                " did you mean 'subagents'? [unknown-key]"
            ),
        ),
        (
            "capabilities: [SubAgentCapability: 5]",
            (
                "1:36: error: capabilities[0].SubAgentCapability: must be a mapping,"
                " not the number 5 [wrong-type]"
            ),
        ),
        (
            "capabilities: [{name: SubAgentCapabilities}, Thinking]",
            (
                "1:1: error: there is no list of subagents in it;"
                " write them under 'subagents:' [missing-key]"
            ),
        ),
    ],
)
def test_a_file_without_a_list_is_refused(text, said):
    assert refused(text) == [f"<text>:{said}"]


def test_a_fault_of_the_text_is_said_once():
    said = refused("- name: a\n  name: b\n  model: !x 1\n- name: *nobody\n")

    codes = [line.rpartition(" ")[2] for line in said]
    assert codes == ["[duplicate-key]", "[yaml-tag]", "[unknown-alias]"]


def test_what_cannot_be_read_is_refused(tmp_path):
    assert refused("- a: [")[0].startswith("<text>:")
    with pytest.raises(SpecError, match="no such file"):
        load_subagents(tmp_path / "gone.yaml")
    with pytest.raises(TypeError, match="takes text, not PosixPath; load_subagents"):
        loads_subagents(Path("team.yaml"))


# Saving.


@pytest.fixture
def team(tmp_path):
    path = tmp_path / "team.yaml"
    path.write_bytes(FIXTURE.read_bytes())
    return path


def test_what_does_not_differ_is_not_written(team):
    os_time = team.stat().st_mtime_ns

    assert save_subagents(load_subagents(team)) == ()
    assert save_subagents(load_subagents(FIXTURE), team) == ()
    assert team.stat().st_mtime_ns == os_time


def test_only_the_text_of_what_differs_is_replaced(team):
    researcher, writer = load_subagents(team)
    changed = (
        evolve(researcher, retry_max_delay=9, max_questions=1),
        evolve(writer, agent_kwargs={"retries": 3}, preferred_mode=None),
    )

    assert save_subagents(changed) == (team,)

    before = FIXTURE.read_text()
    assert team.read_text() == (
        before.replace("delay: 8\n", "delay: 9\n    max_questions: 1\n")
        .replace("    preferred_mode: sync\n", "")
        .replace("{retries: 2}", "{retries: 3}")
    )
    assert load_subagents(team) == changed


def test_subagents_are_added_moved_and_taken_out(team):
    researcher, writer = load_subagents(team)
    new = SubAgentSpec(name="critic", instructions="Name faults.\nBe kind.\n")

    assert save_subagents([researcher, new, writer], team) == (team,)
    assert team.read_text() == FIXTURE.read_text().replace(
        "    retry_max_delay: 8\n",
        "    retry_max_delay: 8\n\n  - name: critic\n    instructions: |\n"
        "      Name faults.\n      Be kind.\n",
    )
    assert save_subagents([writer, researcher], team) == (team,)
    assert load_subagents(team) == (writer, researcher)
    text = team.read_text()
    assert "  # Never starts before the researcher is done.\n  - name: writer\n" in text
    assert "- name: researcher   # looks things up\n" in text
    assert save_subagents([writer], team) == (team,)
    assert load_subagents(team) == (writer,)
    assert "memory: project   # read by the host\n" in team.read_text()


def test_another_name_leaves_the_comments(team):
    researcher, writer = load_subagents(team)

    save_subagents([researcher, evolve(writer, name="author")])

    assert team.read_text() == FIXTURE.read_text().replace("- name: writer", "- name: author")


@pytest.mark.parametrize("shape", SHAPES)
def test_each_shape_is_changed_in_place(tmp_path, shape):
    path = tmp_path / "team.yaml"
    path.write_text(SHAPES[shape])
    first, second = load_subagents(path)
    changed = (first, SubAgentSpec(name="between"), evolve(second, model="test"))

    assert save_subagents(changed) == (path,)
    assert load_subagents(path) == changed
    assert save_subagents(changed) == ()
    if shape == "two":
        assert path.read_text() == (
            "capabilities:\n"
            "  - SubAgentCapability: {subagents: [{name: a}, {name: between}]}\n"
            "  - SubAgentCapability: {subagents: [{name: b, model: test}]}\n"
        )
    assert save_subagents((), path) == (path,)
    assert load_subagents(path) == ()


@pytest.mark.parametrize(
    "item",
    [
        "SubAgentCapability",
        "SubAgentCapability:",
        "SubAgentCapability: {}",
        "SubAgentCapability: {include_general_purpose: true}",
        "name: SubAgentCapability",
    ],
)
def test_a_capability_is_given_its_first_subagents(tmp_path, item):
    path = tmp_path / "agent.yaml"
    path.write_text(f"# ours\ncapabilities:\n  - {item}\n")

    assert save_subagents((), path) == ()
    assert save_subagents([SubAgentSpec(name="a")], path) == (path,)
    assert load_subagents(path) == (SubAgentSpec(name="a"),)
    assert path.read_text().startswith("# ours\ncapabilities:\n  - ")
    assert ("include_general_purpose: true" in path.read_text()) == ("true" in item)


def test_line_ends_anchors_and_a_mark_at_the_start_stay(tmp_path):
    path = tmp_path / "team.yaml"
    text = (
        "\ufeffbase: &base {max_retries: 3, model: test}\r\nsubagents:\r\n"
        "- name: a # first\r\n  <<: *base\r\n- <<: *base\r\n  name: b\r\n"
    )
    path.write_bytes(text.encode())
    first, second = load_subagents(path)

    save_subagents([evolve(first, max_retries=5), second])

    changed = text.replace("first\r\n", "first\r\n  max_retries: 5\r\n")
    assert path.read_bytes() == changed.encode()


def test_what_a_file_says_to_no_effect_stays(tmp_path):
    path = tmp_path / "team.yaml"
    text = "- {name: a, description: '', model: null, extra: {}, retry_max_delay: 3}\n"
    path.write_text(text)
    (spec,) = load_subagents(path)

    assert save_subagents([spec]) == ()
    save_subagents([evolve(spec, max_retries=1)])
    assert path.read_text() == text.replace("3}", "3, max_retries: 1}")


def test_new_files_are_made(tmp_path):
    spec = SubAgentSpec(name="a", instructions="Be good.", max_retries=0, retry_max_delay=2)
    yaml, as_json = tmp_path / "new.yaml", tmp_path / "new.json"

    assert save_subagents([spec], yaml) == (yaml,)
    assert save_subagents([spec], str(as_json)) == (as_json,)

    assert yaml.read_text() == (
        "subagents:\n  - name: a\n    instructions: |-\n      Be good.\n    max_retries: 0\n"
        "    retry_max_delay: 2\n"
    )
    assert json.loads(as_json.read_text()) == {
        "subagents": [
            {
                "name": "a",
                "instructions": "Be good.",
                "max_retries": 0,
                "retry_max_delay": 2,
            }
        ]
    }
    assert load_subagents(yaml) == load_subagents(as_json) == (spec,)


def test_the_change_of_another_is_not_overwritten(team):
    researcher, writer = load_subagents(team)
    theirs = team.read_text().replace("moderate", "complex")
    team.write_text(theirs)

    with pytest.raises(ConflictError, match=r"was changed by somebody else"):
        save_subagents([evolve(researcher, max_retries=1), writer])
    assert team.read_text() == theirs
    team.unlink()
    with pytest.raises(ConflictError, match="is gone"):
        save_subagents([researcher, writer])


def test_what_was_saved_can_be_changed_again(team):
    researcher, writer = load_subagents(team)

    for count in (1, 4, 5):
        assert save_subagents([evolve(researcher, max_retries=count), writer]) == (team,)


def test_subagents_of_several_files_can_be_put_together(team, tmp_path):
    other = tmp_path / "other.yaml"
    other.write_text("- name: critic\n")
    (critic,) = load_subagents(other)
    named = SubAgentSpec(name="reader", origin=Origin(team))

    both = (*load_subagents(team), critic, named)
    with pytest.raises(ValueError, match="needs a path"):
        save_subagents(both)
    assert save_subagents(both, team) == (team,)
    assert load_subagents(team) == both
    assert other.read_text() == "- name: critic\n"


def test_two_of_a_name_are_not_written(team):
    with pytest.raises(SpecError) as error:
        save_subagents([SubAgentSpec(name="a"), SubAgentSpec(name="a")], team)

    assert messages(error) == [
        (
            "error: [1].name: there is a subagent named 'a' already, at [0]; give it another name"
            " [duplicate-name]"
        )
    ]


def test_a_file_with_faults_is_not_changed(team):
    team.write_text("- nam: a\n")

    with pytest.raises(SpecError, match="unknown key 'nam'"):
        save_subagents([SubAgentSpec(name="a")], team)
    assert team.read_text() == "- nam: a\n"


def test_a_path_has_to_be_known():
    for specs in [(), [SubAgentSpec(name="a")], loads_subagents("[name: a]")]:
        with pytest.raises(ValueError, match="needs a path"):
            save_subagents(specs)


@given(TEAMS, TEAMS, st.sampled_from(["yaml", "json"]))
def test_what_is_written_is_what_is_read(tmp_path_factory, old, new, ending):
    path = tmp_path_factory.mktemp("team") / f"team.{ending}"
    save_subagents(old, path)
    assert load_subagents(path) == tuple(old)

    save_subagents(new, path)

    assert load_subagents(path) == tuple(new)
    assert save_subagents(load_subagents(path), path) == ()


# The package itself.


@pytest.fixture(scope="module")
def theirs():
    return pytest.importorskip("subagents_pydantic_ai", reason="needs subagents-pydantic-ai")


def ours() -> set[str]:
    return {field.name for field in attrs.fields(SubAgentSpec)} - {"origin"}


def test_each_key_of_a_configuration_is_mirrored_or_no_text(theirs):
    keys = set(theirs.SubAgentConfig.__annotations__)

    assert keys - ours() == LIVE_KEYS
    assert ours() - keys == set()


def test_the_fields_and_defaults_are_theirs(theirs):
    fields = theirs.SubAgentSpec.model_fields
    assert list(fields) == [f.name for f in attrs.fields(SubAgentSpec) if f.name != "origin"]
    for field in attrs.fields(SubAgentSpec):
        if field.name not in ("name", "origin"):
            assert field.default == fields[field.name].get_default(call_default_factory=True)
    for name in ("preferred_mode", "typical_complexity"):
        assert (
            get_args(fields[name].annotation)[0]
            == get_args(getattr(attrs.fields(SubAgentSpec), name).type)[0]
        )


ODD = DATA | st.sampled_from(["sync", "complex", -1, 0, 0.5, 1, True, math.nan, math.inf, "1"])
MIXED = st.tuples(VALUES, st.dictionaries(st.sampled_from(sorted(ours())), ODD, max_size=3)).map(
    lambda pair: pair[0] | pair[1]
)


def with_types(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: with_types(each) for key, each in value.items()}
    if isinstance(value, list):
        return [with_types(each) for each in value]
    return type(value), value


@given(GOOD)
def test_our_configurations_are_theirs(theirs, values):
    config = SubAgentSpec(**values).to_config()

    expected = theirs.SubAgentSpec(**values).to_config()
    assert with_types(config) == with_types(expected)
    assert list(config) == list(expected)
    again = theirs.SubAgentSpec.from_config(config).to_config()
    assert SubAgentSpec.from_config(expected).to_config() == again


@given(MIXED)
def test_what_they_refuse_we_refuse(theirs, values):
    faults: list[Any] = []
    expected = spec = None
    try:
        expected = theirs.SubAgentSpec(**values)
    except ValueError as error:
        faults = error.errors()
    places: set[Any] = set()
    try:
        spec = SubAgentSpec(**values)
    except SpecError as error:
        places = {problem.path[0] for problem in error.problems}

    assert places or not faults
    # What is said of the delays together has no place. They may be none at all to us.
    assert {fault["loc"][0] for fault in faults if fault["loc"]} <= places
    if spec is not None:
        assert with_types(spec.to_config()) == with_types(expected.to_config())


def test_the_message_about_delays_is_theirs(theirs):
    values = {"name": "a", "retry_initial_delay": 5, "retry_max_delay": 1}
    with pytest.raises(ValueError, match="retry_max_delay") as error:
        theirs.SubAgentSpec(**values)
    with pytest.raises(SpecError) as refusal:
        SubAgentSpec(**values)

    assert error.value.errors()[0]["msg"] == f"Value error, {refusal.value.problems[0].message}"


def test_a_child_is_asked_with_the_instructions_of_the_file(theirs):
    from pydantic_ai import Agent  # noqa: PLC0415 - of the optional package
    from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart  # noqa: PLC0415
    from pydantic_ai.models.function import FunctionModel  # noqa: PLC0415

    def parent(messages: Any, _: Any) -> Any:
        if len(messages) > 1:
            return ModelResponse([TextPart(str(messages[-1].parts[0].content))])
        arguments = {"description": "Write it.", "subagent_type": "writer"}
        return ModelResponse([ToolCallPart("task", arguments)])

    asked = []

    def child(messages: Any, _: Any) -> Any:
        asked.append(messages)
        return ModelResponse([TextPart("It is written.")])

    specs = [evolve(spec, model=None) for spec in load_subagents(FIXTURE)]
    toolset = theirs.create_subagent_toolset(
        [spec.to_config() for spec in specs], default_model=FunctionModel(child)
    )
    agent = Agent(FunctionModel(parent), toolsets=[toolset], deps_type=theirs.SubAgentDepsProtocol)

    class Deps:
        subagents: Any = {}  # noqa: RUF012

        def clone_for_subagent(self, max_depth: int = 0) -> Deps:
            return self

    # run_sync() leaves an event loop behind.
    result = asyncio.run(agent.run("Write the article.", deps=Deps()))

    assert "It is written." in result.output
    (request,) = asked[0]
    texts = {part.part_kind: part.content for part in request.parts}
    assert texts["system-prompt"] == "You write in plain words."
    assert "Write it." in texts["user-prompt"]
