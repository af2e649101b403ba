"""What plain scalars mean: YAML 1.2's core schema, whatever a YAML 1.1 reader makes of them."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subspec.shapes import MAX_DIGITS
from subspec.source.scalars import MAY_RESOLVE, BadNumberError, number, resolve

TEXT = """
    yes Yes YES no No NO on On ON off OFF y Y n N
    tRUE truE fALSE nULL nuLL none None ~~ nil true. nulls
    2026-01-01 2026-01-01T00:00:00Z 1:30 190:20:30 12:30:45.6
    012 00 -00 08 01.5 0o8 0O7 0o 0x 0xg 0X1F +0x1F -0o7 0b1
    1_000 1,000 1_0.5 0x1_f 0o1_7
    = << - -- + . .. ... -. +. 1.2.3 1e 1e+ e3 .e3 1e3.5 1e3e 1.e .5. +-1 --1 1- 1+
    .infinity inf -inf nan NaN -.nan +.nan .iNF .Nan .NAn Infinity
    a 1a 5.5.5.5 v1 1.0-rc1 haiku opus[1m] mcp__db__query / * é ٣
""".split()


@pytest.mark.parametrize("text", TEXT)
def test_what_looks_like_a_value_to_other_readers_is_text(text):
    assert resolve(text) == text


@pytest.mark.parametrize("text", [" 1", "1 ", "1\n", "true ", "0x1\n", " ", "1 2", ".inf\n", "~ "])
def test_a_value_with_a_blank_is_text(text):
    assert resolve(text) == text


@pytest.mark.parametrize("text", ["", "~", "null", "Null", "NULL"])
def test_null_is_spelled_in_five_ways(text):
    assert resolve(text) is None


@pytest.mark.parametrize("text", ["true", "True", "TRUE"])
def test_true_is_spelled_in_three_ways(text):
    assert resolve(text) is True


@pytest.mark.parametrize("text", ["false", "False", "FALSE"])
def test_false_is_spelled_in_three_ways(text):
    assert resolve(text) is False


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("0", 0),
        ("-0", 0),
        ("+1", 1),
        ("-17", -17),
        ("1000", 1000),
        ("9007199254740993", 9007199254740993),
        ("0o7", 7),
        ("0o17", 15),
        ("0o012", 10),
        ("0x1f", 31),
        ("0xFF", 255),
        ("0x00", 0),
        ("1e3", 1000.0),
        ("1E3", 1000.0),
        ("1e+3", 1000.0),
        ("1e-3", 0.001),
        ("1e03", 1000.0),
        ("1.5", 1.5),
        ("-1.5", -1.5),
        ("+1.5e2", 150.0),
        ("1.", 1.0),
        ("1.e2", 100.0),
        ("0.5", 0.5),
        (".5", 0.5),
        ("-.5", -0.5),
        ("+.5e1", 5.0),
        ("-0.0", -0.0),
        ("1e-999", 0.0),
    ],
)
def test_numbers_are_spelled_as_in_json_and_a_little_more(text, value):
    assert repr(resolve(text)) == repr(value)


@pytest.mark.parametrize("text", [".inf", ".Inf", ".INF", "-.inf", "+.Inf", ".nan", ".NaN", ".NAN"])
def test_what_is_not_finite_is_no_number_to_keep(text):
    with pytest.raises(BadNumberError):
        resolve(text)


@pytest.mark.parametrize("text", ["1e309", "-1e309", "1e999999999", f"{'9' * 399}.0"])
def test_what_is_too_large_to_be_finite_is_no_number_to_keep(text):
    with pytest.raises(BadNumberError):
        resolve(text)


@pytest.mark.parametrize("before", ["", "0x", "0o", "-", "0."])
def test_a_number_may_have_so_many_characters_and_no_more(before):
    longest = before + "1" * (MAX_DIGITS - len(before.lstrip("-")))
    assert isinstance(resolve(longest), int | float)

    with pytest.raises(BadNumberError):
        resolve(longest + "1")


def test_text_may_be_longer_than_a_number():
    assert resolve("1" * MAX_DIGITS + "x") == "1" * MAX_DIGITS + "x"


@given(st.integers(-(10**398), 10**398) | st.floats(allow_nan=False, allow_infinity=False))
def test_every_number_of_json_is_that_number(value):
    written = json.dumps(value)
    assert repr(number(written)) == repr(resolve(written)) == repr(value)


@given(st.text("+-._:eExXobBTtFfNnaAyYsluULinINF0178~= \n", max_size=8) | st.text(max_size=3))
def test_only_the_listed_first_characters_begin_something_else_than_text(text):
    try:
        value = resolve(text)
    except BadNumberError:
        value = None
    assert value == text or text[:1] in MAY_RESOLVE
