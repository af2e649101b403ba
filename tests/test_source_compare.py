"""Plain data compared: what is the same, where it is not, and what two changes make together."""

from __future__ import annotations

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import DATA

from subspec.source.compare import (
    MISSING,
    Comparison,
    differing,
    merged,
    same,
    value_at,
    with_value,
)

ONE = {"a": 1, "b": [1, {"c": None}]}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (1, 1.0),
        (1, True),
        (0, False),
        (None, False),
        ("1", 1),
        ([], {}),
        ([], None),
        ([1], [1, 2]),
        ([1, 2], [2, 1]),
        ({"a": 1}, {"a": 1.0}),
        ({"a": 1}, {"b": 1}),
        ({"a": 1}, {"a": 1, "b": 1}),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
        ([{"a": [1]}], [{"a": [True]}]),
        (MISSING, None),
    ],
)
def test_what_is_not_the_same(one, other):
    assert not same(one, other)
    assert not same(other, one)
    assert not Comparison()(one, other)
    assert not Comparison()(other, one)


@given(DATA)
def test_a_copy_is_the_same(data):
    copy = deepcopy(data)
    compare = Comparison()

    assert same(data, copy)
    assert compare(data, copy)
    assert compare(data, copy), "the second time, too"
    assert list(differing(data, copy)) == []


def test_the_order_of_keys_may_count_or_not():
    one, other = [{"a": 1, "b": {"c": 2, "d": 3}}], [{"b": {"d": 3, "c": 2}, "a": 1}]

    assert not same(one, other)
    assert same(one, other, ordered=False)
    assert list(differing(one, other)) == []


def test_two_values_are_compared_once():
    compare = Comparison()
    one, other = deepcopy(ONE), deepcopy(ONE)
    assert compare(one, other)

    other["a"] = 2

    assert compare(one, other), "for a comparison lives no longer than the data stays as it is"


@pytest.mark.parametrize(
    ("one", "other", "paths"),
    [
        (1, 2, [()]),
        (ONE, {"a": 1, "b": [1, {"c": 0}]}, [("b", 1, "c")]),
        (ONE, {"a": 1.0, "b": [2, {"c": None}]}, [("a",), ("b", 0)]),
        (ONE, {"a": 1, "b": [1]}, [("b",)]),
        (ONE, {"a": 1}, [()]),
        (ONE, [1], [()]),
        ([[1], [2]], [[1], [3]], [(1, 0)]),
    ],
)
def test_where_values_differ(one, other, paths):
    assert list(differing(one, other)) == paths


@pytest.mark.parametrize(
    ("written", "old", "new", "expected"),
    [
        ({"a": 1}, {"a": 1}, {"a": 2}, {"a": 2}),
        ({"a": None, "b": 1}, {"b": 1}, {"b": 2}, {"a": None, "b": 2}),
        ({"x": "1", "y": 2}, {"x": 1, "y": 2}, {"x": 1, "y": 3}, {"x": "1", "y": 3}),
        ({"a": 1, "b": 2}, {"a": 1, "b": 2}, {"b": 2}, {"b": 2}),
        ({"a": 1, "x": 0}, {"a": 1}, {}, {"x": 0}),
        ({"b": 1}, {"b": 1}, {"a": 0, "b": 1}, {"b": 1, "a": 0}),
        ({"a": {"x": 0, "y": 1}}, {"a": {"y": 1}}, {"a": {"y": 2}}, {"a": {"x": 0, "y": 2}}),
        ({"a": None}, {}, {"a": 1}, {"a": 1}),
        ([1], [1], [2], [2]),
        ({"a": [1]}, {"a": [1]}, {"a": {"b": 1}}, {"a": {"b": 1}}),
    ],
)
def test_changes_are_made_in_what_a_file_says(written, old, new, expected):
    assert same(merged(written, old, new), expected)


@given(st.dictionaries(st.text(), DATA), DATA)
def test_without_a_change_what_a_file_says_is_given_as_it_is(written, data):
    assert merged(written, data, deepcopy(data)) is written


def test_parts_that_are_not_changed_are_the_same_objects():
    written = {"a": {"b": [1]}, "c": 1}

    result = merged(written, {"a": {"b": [1]}, "c": 1}, {"a": {"b": [1]}, "c": 2})

    assert result == {"a": {"b": [1]}, "c": 2}
    assert result["a"] is written["a"]


@pytest.mark.parametrize(
    ("path", "value"),
    [((), ONE), (("a",), 1), (("x",), MISSING), (("a", "x"), MISSING), (("b", "x"), MISSING)],
)
def test_what_stands_at_a_path(path, value):
    assert value_at(ONE, path) is value


@pytest.mark.parametrize(
    ("path", "value", "expected"),
    [
        ((), 1, 1),
        (("a",), 2, {"a": 2, "b": {"c": 1}}),
        (("b", "c"), 2, {"a": 1, "b": {"c": 2}}),
        (("b", "d"), 2, {"a": 1, "b": {"c": 1, "d": 2}}),
        (("a", "x"), 2, {"a": {"x": 2}, "b": {"c": 1}}),
        (("x", "y"), 2, {"a": 1, "b": {"c": 1}, "x": {"y": 2}}),
        (("a",), MISSING, {"b": {"c": 1}}),
        (("b", "c"), MISSING, {"a": 1, "b": {}}),
        (("x",), MISSING, {"a": 1, "b": {"c": 1}}),
        (("x", "y"), MISSING, {"a": 1, "b": {"c": 1}}),
    ],
)
def test_another_value_at_a_path(path, value, expected):
    data = {"a": 1, "b": {"c": 1}}

    assert same(with_value(data, path, value), expected)
    assert data == {"a": 1, "b": {"c": 1}}, "it is not changed itself"
