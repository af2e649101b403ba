"""New JSON that looks like the JSON around it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from strategies import DATA

from subspec.source.jsonstyle import JsonWriter

VALUE = {"a": [1, 2], "b": {"c": [{}, []]}, "é": "ü\n"}


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("{}", '{\n  "a": [\n    1\n  ]\n}'),
        ("null", '{\n  "a": [\n    1\n  ]\n}'),
        ('{"b": 1}', '{"a": [1]}'),
        ('{"b":1,"c":[1,2]}', '{"a":[1]}'),
        ('{"b" : 1}', '{"a" : [1]}'),
        ("[1]", '{"a": [1]}'),
        ('{\n    "b": 1\n}', '{\n    "a": [\n        1\n    ]\n}'),
        ('{\n\t"b": [1]\n}', '{\n\t"a": [1]\n}'),
        ('{\r\n  "b": [\r\n    1\r\n  ]\r\n}', '{\r\n  "a": [\r\n    1\r\n  ]\r\n}'),
        ('{\n  "b": [1], "c": [\n    1\n  ], "d": [\n    1\n  ]\n}', '{\n  "a": [\n    1\n  ]\n}'),
    ],
)
def test_it_is_laid_out_like_the_document(text, written):
    assert JsonWriter.of(text).value({"a": [1]}, "") == written


def test_lists_of_scalars_alone_stand_on_one_line():
    writer = JsonWriter.of('{\n  "x": [1, 2]\n}')

    assert writer.value({"a": [1, "b"], "c": [[1], 2]}, "  ") == (
        '{\n    "a": [1, "b"],\n    "c": [\n      [1],\n      2\n    ]\n  }'
    )
    assert writer.in_line().value({"a": [[1], 2]}, "  ") == '{"a": [[1], 2]}'


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('{"a": "x"}', '"é"'),
        ('{"a": "\\u00fc"}', '"\\u00e9"'),
        ('{"a": "ü", "b": "\\u00fc"}', '"é"'),
    ],
)
def test_what_is_not_ascii_is_escaped_where_others_are(text, written):
    writer = JsonWriter.of(text)

    assert writer.scalar("é") == written
    assert writer.key("é") == written


@pytest.mark.parametrize(
    ("value", "written"), [(None, "null"), (True, "true"), (1.5, "1.5"), ({}, "{}"), ([], "[]")]
)
def test_other_values(value, written):
    assert JsonWriter.of('{"a": 1}').value(value, "") == written


def test_there_is_one_kind_of_quotes():
    writer = JsonWriter.of("{}")

    assert writer.quote_among([]) == ""
    assert writer.scalar("x", "'", flow=False) == '"x"'


@pytest.mark.parametrize("text", ["{}", '{"a":1}', '{\n\t"a": [1, 2]\n}', '[\r\n "\\u00e9"\r\n]'])
@given(data=DATA)
def test_what_is_written_reads_back(text, data):
    assert json.loads(JsonWriter.of(text).value(data, "")) == data


def test_of_a_long_document_the_beginning_is_looked_at():
    rows = ",\n".join(['{"a":1}'] * 20_000)

    assert JsonWriter.of(f"[\n  {rows}\n]").value({"a": 1}, "") == '{\n  "a":1\n}'
