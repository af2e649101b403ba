"""Annotations read as checks that convert nothing, and values frozen all the way down."""

from __future__ import annotations

import math
from collections import OrderedDict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Annotated, Any, Literal

import pytest
from attrs import evolve
from hypothesis import given
from hypothesis import strategies as st
from immutabledict import immutabledict

from subspec.problems import BLANK_DESCRIPTION, IGNORED_KEY, MISSING_KEY, Problem
from subspec.shapes import (
    MAX_DEPTH,
    MAX_INTEGER,
    MAX_VALUE_DEPTH,
    AtLeast,
    FrozenMap,
    MoreThan,
    NotBlank,
    Shape,
    check_of,
    freeze,
    kind,
    list_of,
    record,
    shape_of,
    thaw,
    wrong_type,
)

Size = Literal["small", "medium", "large"]
Texts = tuple[str, ...]

ANNOTATIONS: dict[str, Any] = {
    "str": str,
    "int": int,
    "float": float,
    "bool": bool,
    "None": type(None),
    "Any": Any,
    "Size": Size,
    "Text": Annotated[str, NotBlank()],
    "Count": Annotated[int, AtLeast(1)],
    "Cost": Annotated[float, MoreThan(0)],
    "Texts": Texts,
    "Counts": tuple[Annotated[int, AtLeast(1)], ...],
    "FrozenMap": FrozenMap,
    "TextMap": immutabledict[str, str],
    # A union is of one class with a Literal in it, and of another without.
    "Texts | None": Texts | None,
    "str | FrozenMap": str | FrozenMap,
    "Size | int": Size | int,
    "Texts | 'all'": Texts | Literal["all"],
    "Texts | FrozenMap": Texts | FrozenMap,
    "TextMap | None": immutabledict[str, str | None],
    "Servers": tuple[str | FrozenMap, ...] | None,
}


def problems(annotation: str, value: object) -> list[Problem]:
    """What the check of an annotation says of a value."""
    return list(shape_of(ANNOTATIONS[annotation]).check(value))


def said(annotation: str, value: object) -> list[str]:
    """The same in words, without what is the same in all of them."""
    return [str(problem).removeprefix("error: ") for problem in problems(annotation, value)]


SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-MAX_INTEGER, MAX_INTEGER)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text()
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


# What an annotation takes


@pytest.mark.parametrize(
    ("annotation", "value"),
    [
        ("str", ""),
        ("str", "é漢😀\x00\ufeff"),
        ("int", 0),
        ("int", -MAX_INTEGER),
        ("int", MAX_INTEGER),
        ("float", 0.5),
        ("float", -3),
        ("float", 10**300),
        ("bool", True),
        ("bool", False),
        ("None", None),
        ("Size", "medium"),
        ("Text", "x"),
        ("Text", " x"),
        ("Text", "\ufeffx"),
        ("Text", "\u200b"),
        ("Count", 1),
        ("Cost", 5e-324),
        ("Texts", ()),
        ("Texts", []),
        ("Texts", ("a", "b")),
        ("Texts", ["a", ""]),
        ("FrozenMap", {}),
        ("FrozenMap", immutabledict(a=(1, None), b=immutabledict(c=1.5))),
        ("FrozenMap", MappingProxyType({"a": [True, {"b": None}]})),
        ("TextMap", {"a": "b"}),
        ("TextMap | None", {"a": "b", "c": None}),
        ("Any", None),
        ("Any", [1, {"a": ("x", 0.5, False)}]),
        ("Texts | None", None),
        ("Texts | None", ["a"]),
        ("str | FrozenMap", "a"),
        ("str | FrozenMap", {"a": 1}),
        ("Size | int", "small"),
        ("Size | int", 7),
        ("Texts | 'all'", "all"),
        ("Texts | 'all'", []),
        ("Servers", ["a", {"b": {}}]),
        ("Servers", None),
    ],
    ids=repr,
)
def test_what_an_annotation_allows_has_no_problems(annotation, value):
    assert problems(annotation, value) == []


SIZES = "'small', 'medium' or 'large'"
SURROGATE = "holds half of a surrogate pair (U+DFFF), which no file can hold"


@pytest.mark.parametrize(
    ("annotation", "value", "code", "message"),
    [
        ("str", None, "wrong-type", "must be text, not null"),
        ("str", 1, "wrong-type", "must be text, not the number 1"),
        ("str", 1.5, "wrong-type", "must be text, not the number 1.5"),
        ("str", True, "wrong-type", "must be text, not true"),
        ("str", ["a"], "wrong-type", "must be text, not a list"),
        ("str", {}, "wrong-type", "must be text, not a mapping"),
        ("str", b"a", "wrong-type", "must be text, not a bytes"),
        ("str", "a\udfff", "lone-surrogate", SURROGATE),
        ("int", True, "wrong-type", "must be a whole number, not true"),
        ("int", 1.0, "wrong-type", "must be a whole number, not the number 1.0"),
        ("int", " 8 ", "wrong-type", "must be a whole number, not the text ' 8 '"),
        ("int", "-8", "wrong-type", "must be a whole number, not the text '-8'"),
        ("int", "eight", "wrong-type", "must be a whole number, not the text 'eight'"),
        ("int", "", "wrong-type", "must be a whole number, not the text ''"),
        ("int", 2**53, "out-of-range", "must be at most 9007199254740991, not 9007199254740992"),
        (
            "int",
            -(2**53),
            "out-of-range",
            "must be at least -9007199254740991, not -9007199254740992",
        ),
        ("float", False, "wrong-type", "must be a number, not false"),
        ("float", "1", "wrong-type", "must be a number, not the text '1'"),
        ("float", math.nan, "bad-number", "must be a finite number"),
        ("float", -math.inf, "bad-number", "must be a finite number"),
        ("bool", None, "wrong-type", "must be true or false, not null"),
        ("bool", [], "wrong-type", "must be true or false, not a list"),
        ("None", 0, "wrong-type", "must be null, not the number 0"),
        ("Size", 1, "wrong-type", f"must be {SIZES}, not the number 1"),
        ("Size", "Small", "not-a-choice", f"must be {SIZES}, not 'Small'"),
        ("Size", "x", "not-a-choice", f"must be {SIZES}, not 'x'"),
        ("Text", "", "blank-value", "must not be blank"),
        ("Text", " \t\n\u3000", "blank-value", "must not be blank"),
        ("Text", "\ufeff", "blank-value", "must not be blank"),
        ("Text", "\ufeff \ufeff", "blank-value", "must not be blank"),
        ("Text", None, "wrong-type", "must be text, not null"),
        ("Count", 0, "out-of-range", "must be at least 1, not 0"),
        ("Count", True, "wrong-type", "must be a whole number, not true"),
        ("Cost", 0, "out-of-range", "must be more than 0, not 0"),
        ("Cost", -0.5, "out-of-range", "must be more than 0, not -0.5"),
        ("Cost", math.nan, "bad-number", "must be a finite number"),
        ("Texts", None, "wrong-type", "must be a list of text, not null"),
        ("Texts", "a, b", "wrong-type", "must be a list of text, not the text 'a, b'"),
        ("Texts", {"a": 1}, "wrong-type", "must be a list of text, not a mapping"),
        ("Texts", {"a"}, "wrong-type", "must be a list of text, not a set"),
        ("Counts", 1, "wrong-type", "must be a list, not the number 1"),
        ("FrozenMap", None, "wrong-type", "must be a mapping, not null"),
        ("FrozenMap", "a", "wrong-type", "must be a mapping, not the text 'a'"),
        ("FrozenMap", {1: 2}, "non-string-key", "has a key that is the number 1"),
        ("Any", {1}, "wrong-type", "must be plain data, not a set"),
        ("Any", math.inf, "bad-number", "must be a finite number"),
        ("Texts | None", 5, "wrong-type", "must be a list of text, not the number 5"),
        ("str | FrozenMap", 5, "wrong-type", "must be text or a mapping, not the number 5"),
        ("Size | int", 1.5, "wrong-type", f"must be {SIZES} or a whole number, not the number 1.5"),
        ("Size | int", "smal", "not-a-choice", f"must be {SIZES}, not 'smal'"),
        ("Size | int", 2**60, "out-of-range", f"must be at most 9007199254740991, not {2**60}"),
        (
            "Texts | 'all'",
            "pdf",
            "wrong-type",
            "must be a list of text or 'all', not the text 'pdf'",
        ),
        ("Size | int", "8", "wrong-type", f"must be {SIZES} or a whole number, not the text '8'"),
        (
            "Texts | FrozenMap",
            "a",
            "wrong-type",
            "must be a list of text or a mapping, not the text 'a'",
        ),
    ],
    ids=repr,
)
def test_what_it_does_not_allow_is_said(annotation, value, code, message):
    (problem,) = problems(annotation, value)

    assert evolve(problem, hint=None) == Problem(code, "error", message)


@pytest.mark.parametrize(
    ("annotation", "value", "hint"),
    [
        ("str", 1, 'to say that text, quote it: "1"'),
        ("str", 1.5, 'to say that text, quote it: "1.5"'),
        ("str", True, 'to say that text, quote it: "true"'),
        ("str", False, 'to say that text, quote it: "false"'),
        ("str", None, None),
        ("str", ["a"], None),
        ("str | FrozenMap", 5, 'to say that text, quote it: "5"'),
        ("int", " 8 ", "write it without quotes: 8"),
        ("int", "-8", "write it without quotes: -8"),
        ("int", "+8", "write it without quotes: +8"),
        ("int", "eight", None),
        ("int", "", None),
        ("int", "-", None),
        ("int", "+-8", None),
        ("int", "\u0668", None),
        ("int", 1.0, None),
        ("float", "1", "write it without quotes: 1"),
        ("float", False, None),
        ("Size", "Small", "did you mean 'small'?"),
        ("Size", "x", None),
        ("Size | int", "smal", "did you mean 'small'?"),
        ("Texts", "a, b", "write it as a list: [a, b]"),
        ("Texts", {"a": 1}, None),
        ("Texts | FrozenMap", "a", "write it as a list: [a]"),
        ("Texts | 'all'", "pdf", "write it as a list: [pdf]"),
        ("Size | int", "8", "write it without quotes: 8"),
    ],
    ids=repr,
)
def test_a_hint_says_how_to_write_what_was_meant(annotation, value, hint):
    (problem,) = problems(annotation, value)

    assert problem.hint == hint


def test_a_key_that_no_file_can_hold_is_refused():
    (problem,) = problems("FrozenMap", {"a": 1, "b\ud800": 2})

    assert problem.code == "lone-surrogate"


@pytest.mark.parametrize("value", ["yes", "on", "true", "True", 1], ids=repr)
def test_who_writes_yes_is_asked_for_true(value):
    (problem,) = problems("bool", value)

    assert problem.hint == "did you mean true?"


@pytest.mark.parametrize("value", ["no", "off", "false", "False", 0], ids=repr)
def test_who_writes_no_is_asked_for_false(value):
    (problem,) = problems("bool", value)

    assert problem.hint == "did you mean false?"


@pytest.mark.parametrize("value", ["maybe", 2, None, [], "YES!"], ids=repr)
def test_who_writes_something_else_is_asked_for_nothing(value):
    (problem,) = problems("bool", value)

    assert problem.hint is None


ENORMOUS = 10**5000
"""More digits than Python writes out."""


@pytest.mark.parametrize("sign", [1, -1], ids=["plus", "minus"])
@pytest.mark.parametrize(
    ("annotation", "code"),
    [
        ("str", "wrong-type"),
        ("bool", "wrong-type"),
        ("Size", "wrong-type"),
        ("Texts", "wrong-type"),
        ("FrozenMap", "wrong-type"),
        ("int", "out-of-range"),
        ("Count", "out-of-range"),
        ("float", "bad-number"),
        ("Cost", "bad-number"),
        ("Any", "bad-number"),
    ],
)
def test_a_number_too_large_to_be_written_is_refused_like_others(annotation, code, sign):
    (problem,) = problems(annotation, sign * ENORMOUS)

    assert problem.code == code
    assert len(str(problem)) < 300


def test_a_number_beyond_what_floats_reach_is_no_finite_number():
    assert said("float", 10**309) == ["must be a finite number [bad-number]"]
    assert said("FrozenMap", {"a": [-(10**400)]}) == ["a[0]: must be a finite number [bad-number]"]


def test_every_fault_in_a_list_is_said_with_its_place():
    assert said("Texts", ["a", [], None]) == [
        "[1]: must be text, not a list [wrong-type]",
        "[2]: must be text, not null [wrong-type]",
    ]


def test_every_fault_in_a_mapping_is_said_with_its_place():
    value = {"a": {"b": [1, math.nan]}, 2: None, "c": {None: 1}, "d": b""}

    assert said("FrozenMap", value) == [
        "a.b[1]: must be a finite number [bad-number]",
        "has a key that is the number 2 [non-string-key]",
        "c: has a key that is null [non-string-key]",
        "d: must be plain data, not a bytes [wrong-type]",
    ]


def test_a_union_speaks_for_the_member_that_was_meant():
    assert said("Servers", ["a", {"b": math.inf}, []]) == [
        "[1].b: must be a finite number [bad-number]",
        "[2]: must be text or a mapping, not a list [wrong-type]",
    ]


def test_a_constraint_is_asked_only_about_values_of_the_right_type():
    class Never:
        def __call__(self, value: Any, /):
            pytest.fail("asked about a value of the wrong type")

    assert len(shape_of(Annotated[str, Never()]).check(5)) == 1


def test_a_constraint_says_what_its_field_means():
    constraint = NotBlank("describe it", BLANK_DESCRIPTION)

    assert shape_of(Annotated[str, constraint]).check(" ") == (
        BLANK_DESCRIPTION.problem("describe it"),
    )


@pytest.mark.parametrize(
    ("annotation", "wanted"),
    [
        ("str", "text"),
        ("int", "a whole number"),
        ("float", "a number"),
        ("bool", "true or false"),
        ("Any", "plain data"),
        ("Text", "text"),
        ("Count", "a whole number"),
        ("Texts", "a list of text"),
        ("Counts", "a list"),
        ("FrozenMap", "a mapping"),
        ("Size", SIZES),
        ("Texts | None", "a list of text"),
        ("str | FrozenMap", "text or a mapping"),
    ],
)
def test_a_shape_says_what_it_wants_in_words(annotation, wanted):
    assert shape_of(ANNOTATIONS[annotation]).wanted == wanted


@pytest.mark.parametrize(
    "annotation", [bytes, set[str], dict[str, str], list[str], "str", str | bytes], ids=str
)
def test_an_annotation_without_a_shape_is_a_mistake_of_the_programmer(annotation):
    with pytest.raises(TypeError, match="no shape for"):
        shape_of(annotation)


def test_a_shape_is_made_once():
    assert shape_of(Texts | None) is shape_of(Texts | None)


@given(DATA)
def test_all_plain_data_is_data_whether_frozen_or_not(value):
    assert problems("Any", value) == []
    assert problems("Any", freeze(value)) == []


@given(st.sampled_from(sorted(ANNOTATIONS)), DATA)
def test_frozen_and_plain_values_are_judged_alike(annotation, value):
    assert problems(annotation, value) == problems(annotation, freeze(value))


# Lists and records of one's own


def test_a_list_has_items_of_one_shape():
    pairs = list_of(Shape("a pair", lambda value: () if value == 2 else [wrong_type("2", value)]))

    assert pairs.wanted == "a list"
    assert pairs.check([2, 2]) == []
    assert [str(problem) for problem in pairs.check((2, 3))] == [
        "error: [1]: must be 2, not the number 3 [wrong-type]"
    ]


POINT = record({"x": shape_of(int), "y": shape_of(int)}, {"label": shape_of(str)})


def test_a_record_with_all_it_requires_has_no_problems():
    assert POINT.wanted == "a mapping"
    assert POINT.check({"x": 1, "y": 2}) == []
    assert POINT.check(immutabledict(x=1, y=2, label="here")) == []


def test_a_record_is_a_mapping():
    assert [str(problem) for problem in POINT.check([1, 2])] == [
        "error: must be a mapping, not a list [wrong-type]"
    ]


def test_every_fault_in_a_record_is_said():
    assert [str(problem) for problem in POINT.check({"y": [], "label": None})] == [
        "error: requires x [missing-key]",
        "error: y: must be a whole number, not a list [wrong-type]",
        "error: label: must be text, not null [wrong-type]",
    ]


def test_keys_that_a_record_does_not_know_are_warned_of():
    hint = "did you mean 'label'?"

    assert POINT.check({"x": 1, "y": 2, "lable": 5, 7: None}) == [
        IGNORED_KEY.problem("the key 'lable' is ignored here", ("lable",), hint=hint),
        IGNORED_KEY.problem("the key 7 is ignored here", ("7",)),
    ]


def test_a_closed_record_refuses_keys_that_it_does_not_know():
    closed = record({"x": shape_of(int)}, {"label": shape_of(str)}, closed=True)

    assert closed.check({"x": 1, "label": "a"}) == []
    assert [str(problem) for problem in closed.check({"x": 1, "lable": 5})] == [
        "error: lable: unknown key 'lable'; did you mean 'label'? [unknown-key]"
    ]


def test_a_record_may_require_nothing():
    assert record({}, {}).check({}) == []
    assert record({"a": shape_of(int)}, {}).check({}) == [MISSING_KEY.problem("requires a")]


# Freezing


def deep_types(value: object):
    """The types in a value, all the way down."""
    yield type(value)
    if isinstance(value, Mapping):
        for item in value.values():
            yield from deep_types(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from deep_types(item)


@given(DATA)
def test_frozen_data_is_hashable_and_thaws_to_an_equal_copy(value):
    frozen = freeze(value)

    hash(frozen)
    assert not {list, dict} & set(deep_types(frozen))
    assert thaw(frozen) == value
    assert list(deep_types(thaw(frozen))) == list(deep_types(value))
    assert freeze(frozen) == frozen


def test_every_kind_of_mapping_and_list_is_frozen():
    value = OrderedDict(a=[(1, [2])], b=MappingProxyType({"c": immutabledict(d=[])}))

    frozen = freeze(value)

    assert frozen == immutabledict(a=((1, (2,)),), b=immutabledict(c=immutabledict(d=())))
    assert set(deep_types(frozen)) == {immutabledict, tuple, int}
    assert list(frozen) == ["a", "b"]


def test_what_is_thawed_is_new_all_the_way_down():
    inner = [1]
    frozen = freeze({"a": inner})

    thawed = thaw(frozen)
    thawed["a"].append(2)
    inner.append(3)

    assert frozen == immutabledict(a=(1,))
    assert thaw(inner) is not inner


@pytest.mark.parametrize("value", [None, "a", 1, True, 1.5, b"a", {1}], ids=repr)
def test_what_is_neither_list_nor_mapping_stays_as_it_is(value):
    assert freeze(value) is value
    assert thaw(value) is value


LEAVES = [1, "x", None, True, 1.5, b"x"]


def nested(levels: int, leaf: object, wrap: Any = lambda value: [value]) -> Any:
    """Put a value into so many lists or mappings."""
    value = leaf
    for _ in range(levels):
        value = wrap(value)
    return value


wraps = pytest.mark.parametrize(
    "wrap",
    [lambda value: [value], lambda value: (value,), lambda value: {"a": value}],
    ids=["list", "tuple", "mapping"],
)


@wraps
@pytest.mark.parametrize("leaf", LEAVES, ids=repr)
def test_data_may_be_nested_so_deep(leaf, wrap):
    value = nested(MAX_VALUE_DEPTH, leaf, wrap)

    assert freeze(value) == freeze(thaw(value))


@wraps
@pytest.mark.parametrize("leaf", LEAVES, ids=repr)
def test_and_no_deeper_whatever_lies_at_the_bottom(leaf, wrap):
    value = nested(MAX_VALUE_DEPTH + 1, leaf, wrap)

    assert freeze(value) is value
    message = f"nested more than {MAX_VALUE_DEPTH} levels deep"
    assert check_of(Any)(value) == (Problem("too-deep", "error", message),)


@pytest.mark.parametrize(
    "annotation", ["FrozenMap", "str | FrozenMap", "Texts | FrozenMap", "Servers"]
)
def test_whatever_holds_data_is_asked_how_deep_it_is(annotation):
    value = nested(MAX_VALUE_DEPTH, 1)

    (problem,) = check_of(ANNOTATIONS[annotation])([{"a": value}])

    assert (problem.code, problem.path) == ("too-deep", ())


@pytest.mark.parametrize("annotation", ["str", "int", "bool", "Size", "Text", "Count", "Texts"])
def test_what_holds_no_data_is_of_the_wrong_type_however_deep_it_is(annotation):
    problems_found = check_of(ANNOTATIONS[annotation])(nested(5000, 1))

    assert [problem.code for problem in problems_found] == ["wrong-type"]


@pytest.mark.parametrize("levels", [1000, 100_000], ids=str)
def test_very_deep_data_is_refused_before_the_stack_is_full(levels):
    (problem,) = check_of(Any)(nested(levels, 1))

    assert problem.code == "too-deep"


def test_a_list_inside_itself_is_refused():
    endless: list[Any] = []
    endless.append(endless)

    assert freeze(endless) is endless
    (problem,) = check_of(Any)(endless)
    assert problem.code == "too-deep"


@pytest.mark.parametrize(
    "wrap", [lambda x: [x, x], lambda x: {"a": x, "b": x}], ids=["lists", "mappings"]
)
def test_shared_data_that_is_endless_when_written_out_is_refused_at_once(wrap):
    value: Any = "x"
    for _ in range(60):
        value = wrap(value)

    assert freeze(value) is value
    (problem,) = check_of(Any)(value)
    assert str(problem) == "error: holds more than 250,000 values [too-large]"


def test_shared_data_of_a_modest_size_is_data_like_any_other():
    shared = {"a": [1, 2]}

    assert not check_of(Any)([shared, shared])
    assert thaw(freeze([shared, shared])) == [shared, shared]


def test_a_value_that_may_be_frozen_may_be_written_into_a_file():
    # A file has its own levels around the value of a field: agents, the agent, its key.
    assert MAX_VALUE_DEPTH + 3 <= MAX_DEPTH


# Words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (1, "the number 1"),
        (0.5, "the number 0.5"),
        ("a", "the text 'a'"),
        ("a\n", "the text 'a\\n'"),
        ({}, "a mapping"),
        (immutabledict(), "a mapping"),
        ([], "a list"),
        ((), "a list"),
        (b"", "a bytes"),
        (set(), "a set"),
        (1j, "a complex"),
        (range(1), "a range"),
        (bytearray(), "a bytearray"),
        (ArithmeticError(), "an ArithmeticError"),
    ],
    ids=repr,
)
def test_values_are_named_as_people_who_write_yaml_name_them(value, words):
    assert kind(value) == words


def test_the_place_of_a_wrong_type_can_be_given():
    assert str(wrong_type("a path", 5, "name a file", at=("prompt_file",))) == (
        "error: prompt_file: must be a path, not the number 5; name a file [wrong-type]"
    )
