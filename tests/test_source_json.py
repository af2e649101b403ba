"""JSON: what the standard library reads, with the place of everything and every fault told."""

from __future__ import annotations

import json
from itertools import chain
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from real_files import SHARED

from subspec.problems import Span
from subspec.source import Document, read_file, read_json, read_text

SAMPLE = """{
  "agents": {
    "writer": {"description": "Writes \\"it\\" \\u00e9\\ud83d\\ude00", "max_turns": -12.5e+3},
    "reader": {"tools": ["Read", "Grep", []], "background": true, "model": null}
  },
  "0": [{}, {"a": false}]
}
"""

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=10)
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=15,
)
STYLES = st.fixed_dictionaries(
    {
        "indent": st.sampled_from([None, 0, 2, "\t"]),
        "ensure_ascii": st.booleans(),
        "separators": st.sampled_from([None, (",", ":"), (" ,\t", "\r\n:")]),
    }
)
PIECES = [
    *"{}[],:\" \n\t\r\\/u0123456789abcdefE+-._*#'tnlsrufNI\x00\x1f\x7fé😀\ufeff\ud800\udc00",
    *["true", "false", "null", "NaN", "-Infinity", '"a"', '"a":', "\\u", "\\ud83d", "\\ude00"],
    *["//", "/*", "01", "1e400", "1.", "--", '""', "[]", "{}", "None", "undefined"],
]


@st.composite
def near_json(draw: st.DrawFn) -> str:
    """Draw text that is JSON but for some strokes of the pen."""
    text = draw(st.sampled_from([SAMPLE, "[1, 2]", '{"a": {"b": ""}}', '["x\\ny", {}]', "", "1"]))
    for _ in range(draw(st.integers(0, 3))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 2))
        text = text[:start] + draw(st.sampled_from(["", *PIECES])) + text[end:]
    return text


def told(document: Document) -> list[str]:
    return [str(problem).removeprefix("<text>:") for problem in document.problems]


def parts(document: Document, value: Any) -> list[tuple[str, Any]]:
    """List the text and the value of each key and each value below a value."""
    if not isinstance(value, dict | list):
        return []
    marks = document.marks[id(value)]
    flat = [*chain.from_iterable(value.items())] if isinstance(value, dict) else value
    assert len(marks) == 2 * len(flat)
    texts = [document.text[marks[i] : marks[i + 1]] for i in range(0, len(marks), 2)]
    below = [part for item in flat for part in parts(document, item)]
    return [*zip(texts, flat, strict=True), *below]


@given(DATA, STYLES)
def test_json_is_read_as_the_standard_library_reads_it(data, style):
    document = read_json(json.dumps(data, **style))
    assert (document.problems, document.readable, document.media) == ([], True, "json")
    assert repr(document.data) == repr(data)


@given(DATA, STYLES)
def test_every_key_and_every_value_has_its_exact_place(data, style):
    document = read_json(json.dumps(data, **style) + "\n")
    whole = document.text[slice(*document.span)]
    for text, value in [(whole, data), *parts(document, document.data)]:
        assert text == text.strip()
        assert repr(json.loads(text)) == repr(value)


@given(near_json())
def test_broken_is_what_is_broken_for_the_standard_library(text):
    document = read_json(text)
    unreadable = [p for p in document.problems if p.code in ("json-syntax", "empty-document")]
    assert all(problem.span and problem.file is None for problem in document.problems)
    assert document.readable == (not unreadable)
    try:
        data = json.loads(text)
    except json.JSONDecodeError:
        assert len(unreadable) == 1
        assert document.data is None
        return
    assert document.readable
    if not document.problems:
        assert repr(document.data) == repr(data)
    else:
        codes = {problem.code for problem in document.problems}
        assert codes <= {"bad-number", "duplicate-key", "lone-surrogate"}


@pytest.mark.parametrize("end", range(len(SAMPLE.rstrip())))
def test_text_that_is_cut_off_anywhere_has_one_fault(end):
    document = read_json(SAMPLE[:end])
    (problem,) = document.problems
    assert problem.code == ("json-syntax" if end else "empty-document")
    assert (document.readable, document.data) == (False, None)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("1", 1),
        (' "x" ', "x"),
        ("\r\n\ttrue", True),
        ("null", None),
        ("[]", []),
        ("{ }", {}),
        ("[-0, -0.0, 0.50, 1E5, 1e-5, 1e-999]", [0, -0.0, 0.5, 1e5, 1e-5, 0.0]),
        ('"\\u00e9\\ud83d\\ude00\\/\\b\\f\\n\\r\\t\\"\\\\"', 'é😀/\b\f\n\r\t"\\'),
        ('"\x7f\x85\u2028\ufeff"', "\x7f\x85\u2028\ufeff"),
        ('{"": "", "a\\"b": "~", "012": "yes"}', {"": "", 'a"b': "~", "012": "yes"}),
        (f'{{"{"k" * 2000}": 1}}', {"k" * 2000: 1}),
    ],
)
def test_a_value_may_be_of_any_kind(text, data):
    document = read_json(text)
    assert (document.problems, repr(document.data)) == ([], repr(data))
    assert document.text[slice(*document.span)] == text.strip()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "1:1: error: the file holds no data [empty-document]"),
        (" \n ", "1:1: error: the file holds no data [empty-document]"),
        ("{", "1:2: error: the text ends where a key in double quotes should follow"),
        ('{"a"', "1:5: error: the text ends where ':' should follow"),
        ('{"a":\n', "2:1: error: the text ends where a value should follow"),
        ('{"a": 1', "1:8: error: the text ends where ',' or '}' should follow"),
        ('{"a": 1,', "1:9: error: the text ends where a key in double quotes should follow"),
        ("[", "1:2: error: the text ends where a value should follow"),
        ("[1", "1:3: error: the text ends where ',' or ']' should follow"),
        ("[1,\n  2\n  3]", "3:3: error: ',' or ']' should stand here"),
        ("[1}", "1:3: error: ',' or ']' should stand here"),
        ('{"a": 1 "b": 2}', "1:9: error: ',' or '}' should stand here"),
        ('{"a" 1}', "1:6: error: ':' should stand here"),
        ('{"a": }', "1:7: error: a value should stand here"),
        ("[1,,2]", "1:4: error: a value should stand here"),
        ("[01]", "1:3: error: ',' or ']' should stand here"),
        ("[1.]", "1:3: error: ',' or ']' should stand here"),
        ("[.5]", "1:2: error: a value should stand here"),
        ("[+1]", "1:2: error: a value should stand here"),
        ("[-]", "1:2: error: a value should stand here"),
        ("[\x0b1]", "1:2: error: a value should stand here"),
        ("\ufeff[]", "1:1: error: a value should stand here"),
        ("{1: 2}", "1:2: error: a key in double quotes should stand here"),
        ("{a: 2}", "1:2: error: a key in double quotes should stand here"),
        ("{'a': 2}", "1:2: error: a key in double quotes should stand here; use double quotes"),
        ("['a']", "1:2: error: a value should stand here; use double quotes"),
        ("[1,\n]", "1:3: error: a comma stands behind the last item; remove it"),
        ("[1,]\n", "1:3: error: a comma stands behind the last item; remove it"),
        ('{"a": 1 , }', "1:9: error: a comma stands behind the last item; remove it"),
        ("// x\n{}", "1:1: error: a value should stand here; JSON has no comments"),
        ('{"a": 1 /* x */}', "1:9: error: ',' or '}' should stand here; JSON has no comments"),
        ('{"a": # x\n1}', "1:7: error: a value should stand here; JSON has no comments"),
        ('{ // x\n"a": 1}', "1:3: error: a key in double quotes should stand here; JSON has no c"),
        ("[nul]", "1:2: error: 'nul' is not a value; quote it"),
        ("[True]", "1:2: error: 'True' is not a value; quote it"),
        ("[nullé]", "1:2: error: 'nullé' is not a value; quote it"),
        ("[-foo]", "1:2: error: '-foo' is not a value; quote it"),
        ('["😀", x]', "1:7: error: 'x' is not a value; quote it"),
        ('[1, "é', "1:5: error: a quote is opened and never closed"),
        ('["\\', "1:2: error: a quote is opened and never closed"),
        ('["é\n"]', "1:4: error: a control character stands in a string; write it as an escape: "),
        ('["\t"]', "1:3: error: a control character stands in a string; write it as an escape: "),
        ('["a\0"]', "1:4: error: a control character stands in a string; write it as an escape: "),
        ('["é\\q"]', "1:4: error: a backslash begins no valid escape; write '\\\\'"),
        ('["C:\\x"]', "1:5: error: a backslash begins no valid escape; write '\\\\'"),
        ("[1] 2", "1:5: error: the value ends before this text"),
        ('{"a": 1}\n{"b": 2}', "2:1: error: the value ends before this text"),
    ],
)
def test_a_fault_is_said_in_plain_words_at_its_place(text, problem):
    document = read_json(text)
    (line,) = told(document)
    assert line.startswith(problem)
    assert line.endswith(("[json-syntax]", "[empty-document]"))
    assert (document.readable, document.data) == (False, None)


@pytest.mark.parametrize("escape", ["\\u", "\\u12", "\\u12G4", "\\uD8", "\\u\\n", "\\U0001"])
def test_an_escape_that_is_none_is_shown_at_its_backslash(escape):
    problem = "1:7: error: a backslash begins no valid escape; write '\\\\' [json-syntax]"
    assert told(read_json(f'["\\n a{escape}"]')) == [problem]


def test_a_key_given_twice_names_both_lines_and_the_first_one_counts():
    document = read_json('{\n"a": 1,\n"b": [{"x": 1, "x": 2}],\n"a": {"c": [3]},\n"a": 4\n}')
    assert document.data == {"a": 1, "b": [{"x": 1}]}
    assert document.readable
    told_twice = "is given twice, first on line"
    assert told(document) == [
        f"3:16: error: the key 'x' {told_twice} 3; remove one of the two [duplicate-key]",
        f"4:1: error: the key 'a' {told_twice} 2; remove one of the two [duplicate-key]",
        f"5:1: error: the key 'a' {told_twice} 2; remove one of the two [duplicate-key]",
    ]
    assert document.problems[0].span.end_column == 19
    assert document.text[slice(*document.offsets(("b", 0, "x")))] == "1"


def test_keys_are_the_same_however_they_are_escaped():
    document = read_json('{"é": 1, "\\u00e9": 2}')
    assert [problem.code for problem in document.problems] == ["duplicate-key"]


def test_many_keys_given_twice_are_all_named():
    keys = [f'"k{i}": 1' for i in range(16_000)]
    document = read_json("{" + ",\n".join(keys * 2) + "}")
    assert len(document.problems) == len(keys)
    assert "first on line 16000;" in str(document.problems[-1])


@pytest.mark.parametrize("word", ["NaN", "Infinity", "-Infinity"])
def test_what_is_not_finite_is_refused_and_reading_goes_on(word):
    document = read_json(f'{{"a": [{word}, 1], "b": 2}}')
    assert told(document) == [f"1:8: error: JSON has no {word} [bad-number]"]
    assert document.problems[0].span.end_column == 8 + len(word)
    assert (document.readable, document.data) == (True, {"a": [0, 1], "b": 2})


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1" * 401], ids=["1e400", "-1e400", "long"])
def test_a_number_that_cannot_be_kept_is_refused_and_reading_goes_on(number):
    document = read_json(f"[{number}, 1]")
    (problem,) = document.problems
    assert problem.code == "bad-number"
    assert problem.message.endswith("is no number that can be kept")
    assert (problem.span.column, problem.span.end_column) == (2, 2 + len(number))
    assert (document.readable, document.data) == (True, [0, 1])


@pytest.mark.parametrize(
    ("string", "value", "half"),
    [
        ('"\\ud800"', "\ufffd", "D800"),
        ('"a\\udc00b"', "a\ufffdb", "DC00"),
        ('"\\ude00\\ud83d"', "\ufffd\ufffd", "DE00"),
        ('"\ud83d"', "\ufffd", "D83D"),
        ('"é\\ud83dx\\ude00"', "é\ufffdx\ufffd", "D83D"),
    ],
)
def test_half_of_a_surrogate_pair_is_refused_and_replaced(string, value, half):
    document = read_json(f"[{string}]")
    message = f"the string holds half of a surrogate pair (U+{half})"
    assert told(document) == [f"1:2: error: {message} [lone-surrogate]"]
    assert document.problems[0].span.end_column == 2 + len(string)
    assert document.data == [value]
    value.encode()


def test_half_of_a_surrogate_pair_is_refused_in_a_key_too():
    document = read_json('{"\\ud800": 1}')
    assert [problem.code for problem in document.problems] == ["lone-surrogate"]
    assert document.data == {"\ufffd": 1}


@pytest.mark.parametrize("kind", [("[", "", "]"), ('{"a":', "1", "}")], ids=["lists", "mappings"])
def test_a_hundred_levels_are_read_and_no_more(kind):
    opening, inner, closing = kind
    document = read_json(opening * 100 + inner + closing * 100)
    assert (document.problems, document.readable) == ([], True)

    document = read_json(opening * 101 + inner + closing * 101)
    (problem,) = document.problems
    assert (problem.code, document.readable, document.data) == ("too-deep", False, None)
    assert problem.span.column == 100 * len(opening) + 1


def test_siblings_do_not_add_up_to_depth():
    assert read_json("[" + "[[]]," * 200 + "[]]").readable


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 100_000, "[[]," * 100_000])
def test_very_deep_text_is_refused_and_does_not_crash(text):
    assert [problem.code for problem in read_json(text).problems] == ["too-deep"]


def test_a_fault_names_the_file_and_marks_one_character():
    (problem,) = read_json("[\n  [1, 2,]]", "team.json").problems
    assert str(problem).startswith("team.json:2:8: error: ")
    assert problem.span == Span(2, 8, 2, 9)
    assert problem.snippet == "  [1, 2,]]\n       ^"


@given(st.text() | near_json(), st.sampled_from([None, "json", "yaml"]))
def test_no_text_makes_a_reader_raise(text, media):
    document = read_text(text, media=media, file="x")
    assert all(problem.span and problem.file == "x" for problem in document.problems)
    assert document.readable or (document.problems and document.data is None)


@pytest.mark.corpus
def test_real_files_are_read_as_the_standard_library_reads_them():
    checked = 0
    for path in sorted(SHARED.glob("c*/**/*.json")):
        try:
            data = json.loads(path.read_bytes())
        except ValueError:
            continue
        document = read_file(path)
        assert (document.problems, document.data) == ([], data), path
        checked += 1
    assert checked
