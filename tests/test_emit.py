"""The emitter's exact text, and that readers get back the very data it was given."""

from __future__ import annotations

import enum
import json
import math
import re
from collections.abc import Mapping
from datetime import date
from types import MappingProxyType
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st

from subspec.source.emit import emit_json, emit_yaml

LOADERS: list[Any] = [yaml.SafeLoader, *([yaml.CSafeLoader] if yaml.__with_libyaml__ else [])]

# What a YAML 1.2 core reader takes for null, a boolean or a number.
CORE_12 = re.compile(
    r"""
    | ~ | null | Null | NULL | true | True | TRUE | false | False | FALSE
    | [-+]?[0-9]+ | 0o[0-7]+ | 0x[0-9a-fA-F]+
    | [-+]? (?: \.[0-9]+ | [0-9]+ (?: \.[0-9]* )? ) (?: [eE][-+]?[0-9]+ )?
    | [-+]? \. (?: inf | Inf | INF ) | \. (?: nan | NaN | NAN )
    """,
    re.VERBOSE,
)

PIECES = [
    *" \t\n\r\0\a\b\f\v\x1b\x7f\x80\x85\x9f\xa0\u2028\u2029\ufeff\ufdd0\ufffd\ufffe\uffff",
    *"-?:,[]{}#&*!|>'\"%@`\\/~=.+$(<_^aynAYN0189é漢😀\U0001fffe\U0010ffff",
    *[": ", " #", ":\t", "\t#", "- ", "? ", "---", "...", "\n---\n", "\n...\n", "%YAML 1.2"],
    *["\r\n", "\n\n", "\n ", " \n", "\n\t", "\t\n", "\n\n  ", "  \n\n", "\n# x", "''", '""'],
    *["yes", "No", "ON", "off", "y", "null", "True", "<<", ".inf", "-.INF", ".NaN", "!!str"],
    *["0o7", "012", "0x1F", "0b1", "1e3", "1_000", "1:30", "1:30.5", "+1", ".5", "1.", "-0"],
    *["2001-01-01", "2001-1-1t2:3:4z", "2001-01-01 02:03:04", "x" * 90, "w " * 600, "k" * 1100],
    *["word", "two words", "prompt", "http://x/y", "Bash(git:*)"],
]
HOSTILE = st.lists(st.sampled_from(PIECES) | st.text(max_size=4), max_size=7).map("".join)
TEXTS = st.sampled_from(PIECES) | HOSTILE
NUMBER_LIKE = st.text("0178+-._:eExXobBTtZz ainfINF", min_size=1, max_size=9)
KEYS = st.sampled_from(["prompt", "name", "tools", "=", "<<", "yes", "1", ""]) | TEXTS
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS
    | TEXTS
)
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)


def typed(data: Any) -> Any:
    """Return a form of data that tells True from 1, 1 from 1.0, and one order from another."""
    if isinstance(data, dict):
        return [(typed(key), typed(value)) for key, value in data.items()], "mapping"
    if isinstance(data, list):
        return [typed(item) for item in data], "sequence"
    return repr(data), type(data).__name__


def assert_reads_back(text: str, data: Any) -> None:
    for loader in LOADERS:
        assert typed(yaml.load(text, loader)) == typed(data)  # noqa: S506


def fits_block(text: str) -> bool:
    printable = re.compile(r"[\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]*")
    unsafe = re.compile(r"[\u2028\u2029\ufeff\ufdd0-\ufdef]")
    return (
        text.strip() != ""
        and printable.fullmatch(text) is not None
        and unsafe.search(text) is None
        and all(ord(character) & 0xFFFE != 0xFFFE for character in text)
    )


def nest(levels: int) -> Any:
    data: Any = {"prompt": " lead\n\ttab\n\n"}
    for level in range(1, levels):
        data = [data, "x\ny"] if level % 3 == 0 else {"k": data, "z": "a\n"}
    return data


# Collections


def test_mapping_keeps_the_order_of_the_data() -> None:
    assert emit_yaml({"b": 1, "a": {"d": 2, "c": 3}}) == "b: 1\na:\n  d: 2\n  c: 3\n"


def test_scalars_of_every_type() -> None:
    data = {"a": None, "b": True, "c": False, "d": -12, "e": 1.5, "f": 1e16, "g": -1e-07}
    text = "a: null\nb: true\nc: false\nd: -12\ne: 1.5\nf: 1.0e+16\ng: -1.0e-07\n"
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


def test_empty_collections_are_on_the_line_of_their_key() -> None:
    assert emit_yaml({"a": {}, "b": [], "c": [[], {}]}) == "a: {}\nb: []\nc:\n  - []\n  - {}\n"


def test_short_list_of_scalars_is_a_flow_sequence() -> None:
    data = {"tools": ["Read", "Bash(git:*)", 1, None, "a, b", "[x]", "b?", "yes", 'a"\\,']}
    text = """tools: [Read, Bash(git:*), 1, null, "a, b", "[x]", "b?", "yes", 'a"\\,']\n"""
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


def test_flow_sequence_must_fit_88_columns() -> None:
    word = "x" * (88 - len("  b: [c, ]"))
    assert emit_yaml({"a": {"b": ["c", word]}}) == f"a:\n  b: [c, {word}]\n"
    text = f"a:\n  b:\n    - c\n    - {word}x\n"
    assert emit_yaml({"a": {"b": ["c", f"{word}x"]}}) == text


def test_list_of_mappings_is_compact() -> None:
    data = {"hooks": [{"a": 1, "b": {"c": 2}}, {"d": [{"e": 3}]}]}
    text = "hooks:\n  - a: 1\n    b:\n      c: 2\n  - d:\n      - e: 3\n"
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


def test_list_of_lists_is_compact() -> None:
    data = {"a": [[1, 2], [[3], {"b": 4}], ["c\nd"]]}
    text = "a:\n  - [1, 2]\n  - - [3]\n    - b: 4\n  - - |-\n      c\n      d\n"
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("a", "a\n"),
        (None, "null\n"),
        ({}, "{}\n"),
        ([1, "a"], "[1, a]\n"),
        ([{"a": 1, "b": 2}, 3], "- a: 1\n  b: 2\n- 3\n"),
        ("a\n---\n", "|\n  a\n  ---\n"),
        (" a\nb", '" a\\nb"\n'),
    ],
)
def test_document_may_be_something_other_than_a_mapping(data: Any, text: str) -> None:
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


def test_tuples_and_mappings_of_any_class_are_collections() -> None:
    data = MappingProxyType({"a": (1, MappingProxyType({"b": ()}))})
    assert emit_yaml(data) == "a:\n  - 1\n  - b: []\n"
    assert json.loads(emit_json(data)) == {"a": [1, {"b": []}]}


def test_subclasses_of_scalars_are_written_by_value() -> None:
    class Text(str):
        __slots__ = ()

        def __str__(self) -> str:
            return "wrong"

        def __format__(self, spec: str) -> str:
            return "wrong"

    class Level(enum.IntEnum):
        HIGH = 3

    class Ratio(float):
        def __repr__(self) -> str:
            return "wrong"

    data = {Text("a"): Text("b"), "c": Level.HIGH, "d": Ratio(0.5)}
    assert emit_yaml(data) == "a: b\nc: 3\nd: 0.5\n"
    assert emit_json(data) == '{\n  "a": "b",\n  "c": 3,\n  "d": 0.5\n}\n'


def test_deep_nesting_reads_back() -> None:
    for levels in (60, 100):
        assert_reads_back(emit_yaml(nest(levels)), nest(levels))
        assert json.loads(emit_json(nest(levels))) == nest(levels)


# Strings on one line


@pytest.mark.parametrize(
    "text",
    [
        *["word", "two words", "a:b", "a#b", "http://x/y?z#w", "it's", "C:\\x", "a - b"],
        *[
            'say "hi"',
            "x, y",
            "x]",
            "1.2.3",
            "v1",
            "1st",
            "..",
            ".a",
            "~/x",
            "/x",
            "$x",
            "(x)",
            "<x>",
            "=x",
        ],
        *["yes!", "nullable", "é漢😀", "a\u00a0b", "2001-01-01x", "0xg", "1:x", "_1", "x" * 2000],
    ],
)
def test_safe_string_is_plain(text: str) -> None:
    assert emit_yaml({"a": text}) == f"a: {text}\n"
    assert_reads_back(f"a: {text}\n", {"a": text})


@pytest.mark.parametrize(
    "text",
    [
        *["", "yes", "No", "oN", "OFF", "y", "N", "null", "NULL", "~", "True", "false", "=", "<<"],
        *[
            "0",
            "12",
            "-1",
            "+1",
            "+a",
            "012",
            "0o7",
            "0x1f",
            "0b1",
            "1_000",
            "1e3",
            "1E+3",
            "1.",
            ".5",
        ],
        *["1:30", "1:30:15.5", ".inf", "-.Inf", ".nan", ".NaN", "2001-01-01", "2001-1-1T1:2:3Z"],
        *["2001-01-01 01:02:03 +1", "- a", "-a", "-", "? a", "?a", ":a", "a:", "a: b", "a #b"],
        *["#a", "&a", "*a", "!a", "|", ">", "%a", "@a", "`a", "[a", "]", "{a", "}", ",a", "'a"],
        *["---", "--- a", "...", "... a", " a", "a ", "\u00a0a", "a\u00a0"],
    ],
)
def test_unsafe_string_is_double_quoted(text: str) -> None:
    assert emit_yaml({"a": text}) == f'a: "{text}"\n'
    assert_reads_back(f'a: "{text}"\n', {"a": text})


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ('"a": b', "'\"a\": b'"),
        ("it's \\ # b", "'it''s \\ # b'"),
        ('"a\tb\\', '"\\"a\\tb\\\\"'),
    ],
)
def test_string_of_quotes_and_backslashes_is_single_quoted(text: str, written: str) -> None:
    assert emit_yaml({"a": text}) == f"a: {written}\n"
    assert_reads_back(f"a: {written}\n", {"a": text})


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\0\a\b\t\f\r\x1b", r"\u0000\u0007\b\t\f\r\u001b"),
        ("\x7f\x80\x85\x9f", r"\u007f\u0080\u0085\u009f"),
        ("\u2028\u2029\ufeff", r"\u2028\u2029\ufeff"),
        ("\ufdd0\ufffe\uffff\U0001fffe\U0010ffff", r"\ufdd0\ufffe\uffff\U0001fffe\U0010ffff"),
        ("\té漢😀\ufffd", r"\té漢😀" + "\ufffd"),
    ],
)
def test_only_what_readers_mistreat_is_escaped(text: str, written: str) -> None:
    assert emit_yaml({"a": text}) == f'a: "{written}"\n'
    assert_reads_back(f'a: "{written}"\n', {"a": text})


def test_long_line_is_not_folded() -> None:
    text = "word " * 500 + "end"
    assert emit_yaml({"a": text, "b": f"# {text}"}) == f'a: {text}\nb: "# {text}"\n'


# Literal blocks


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\nb", "|-\n    a\n    b"),
        ("a\nb\n", "|\n    a\n    b"),
        ("a\nb\n\n\n", "|+\n    a\n    b\n\n"),
        ("\n\na\n", "|\n\n\n    a"),
        ("  a\nb", "|2-\n      a\n    b"),
        ("\ta\n", "|2\n    \ta"),
        ("\n \na\n\n", "|2+\n\n     \n    a\n"),
        ("a \n\tb\t\n \n", "|\n    a \n    \tb\t\n     "),
        ("---\n...\n# a\n%b\n", "|\n    ---\n    ...\n    # a\n    %b"),
    ],
)
def test_multi_line_string_is_a_literal_block(text: str, written: str) -> None:
    data = {"a": {"b": text, "c": [text, 1]}}
    item = written.replace("\n    ", "\n      ")
    document = f"a:\n  b: {written}\n  c:\n    - {item}\n    - 1\n"
    assert emit_yaml(data) == document
    assert_reads_back(document, data)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a\r\nb", r"a\r\nb"),
        ("a\x85\n", r"a\u0085\n"),
        ("a\u2028\n", r"a\u2028\n"),
        ("\ufeffa\n", r"\ufeffa\n"),
        ("a\n\x00", r"a\n\u0000"),
        ("\n", r"\n"),
        (" \n\t\n", r" \n\t\n"),
    ],
)
def test_multi_line_string_no_block_can_hold_is_double_quoted(text: str, written: str) -> None:
    assert emit_yaml({"prompt": text, "a": [text]}) == f'prompt: "{written}"\na: ["{written}"]\n'
    assert_reads_back(f'prompt: "{written}"\n', {"prompt": text})


def test_block_key_makes_one_line_a_block() -> None:
    data = {"prompt": "yes", "a": {"prompt": " b", "c": "d"}, "e": [{"prompt": "f"}]}
    text = "prompt: |-\n  yes\na:\n  prompt: |2-\n     b\n  c: d\ne:\n  - prompt: |-\n      f\n"
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


def test_block_keys_are_the_callers_choice() -> None:
    data = {"prompt": "a", "body": "b", "empty": ""}
    text = 'prompt: a\nbody: |-\n  b\nempty: ""\n'
    assert emit_yaml(data, block_keys={"body", "empty"}) == text


def test_block_key_does_not_reach_into_lists() -> None:
    assert emit_yaml({"prompt": ["a", "b"]}) == "prompt: [a, b]\n"


# Keys


def test_keys_are_quoted_as_values_are() -> None:
    data = {"yes": 1, "<<": 2, "a b": 3, "a: b": 4, '"c"': 5, "d\ne": 6, "": 7, "---": 8, "=": 9}
    text = '"yes": 1\n"<<": 2\na b: 3\n"a: b": 4\n\'"c"\': 5\n"d\\ne": 6\n"": 7\n"---": 8\n"=": 9\n'
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


def test_key_over_120_characters_is_explicit() -> None:
    longest, long = "k" * 120, "k" * 121
    data = {longest: 1, long: 2, "a": [{long: {"b": 3}}, {long: [{"c": 4}], "prompt": "d"}]}
    text = (
        f"{longest}: 1\n? {long}\n: 2\na:\n  - ? {long}\n    :\n      b: 3\n"
        f"  - ? {long}\n    :\n      - c: 4\n    prompt: |-\n      d\n"
    )
    assert emit_yaml(data) == text
    assert_reads_back(text, data)


@pytest.mark.parametrize("key", ["k" * 5000, "\0" * 1030, "\U0001ffff" * 110, "# " * 600])
@pytest.mark.parametrize("value", ["a", " b\nc\n\n", {"d": 1}, [1], [{"e": 2}], {}, None])
def test_key_too_long_for_a_simple_key_reads_back(key: str, value: Any) -> None:
    data = {key: value, "z": [{key: value}]}
    text = emit_yaml(data)
    assert text.startswith("? ")
    assert_reads_back(text, data)


# JSON


def test_json_is_indented_with_unicode_as_it_is() -> None:
    assert emit_json({"é": ["😀", 1, None]}) == '{\n  "é": [\n    "😀",\n    1,\n    null\n  ]\n}\n'


# Errors


@pytest.mark.parametrize("emit", [emit_yaml, emit_json])
@pytest.mark.parametrize(
    ("data", "error", "message"),
    [
        ({"a": [1, date.min]}, TypeError, "data['a'][1]: cannot write a value of type date"),
        (b"a", TypeError, "data: cannot write a value of type bytes"),
        ({"a": {1}}, TypeError, "data['a']: cannot write a value of type set"),
        ({"a": {1: 2}}, TypeError, "data['a']: key 1 is not a string"),
        ({"a": math.nan}, ValueError, "data['a']: nan is not a finite number"),
        ([-math.inf], ValueError, "data[0]: -inf is not a finite number"),
        ({"a": "b\ud800"}, ValueError, "data['a']: text with a lone surrogate"),
        ({"\udfff": 1}, ValueError, "data['\\udfff']: text with a lone surrogate"),
        ({"a": 10**5000}, ValueError, "data['a']: "),
    ],
)
def test_what_cannot_be_written_is_refused_by_path(
    emit: Any, data: Any, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=re.escape(message)):
        emit(data)


@pytest.mark.parametrize("emit", [emit_yaml, emit_json])
@pytest.mark.parametrize("levels", [101, 901, 5000])
def test_too_deep_nesting_is_refused(emit: Any, levels: int) -> None:
    with pytest.raises(ValueError, match="nested more than 100 levels deep"):
        emit(nest(levels))


def test_cycle_is_refused() -> None:
    data: dict[str, Any] = {}
    data["a"] = [data]
    with pytest.raises(ValueError, match=re.escape("data['a'][0]['a'][0]...: nested more")):
        emit_yaml(data)


# Properties


@given(DATA)
def test_any_data_reads_back(data: Any) -> None:
    text = emit_yaml(data)
    assert text.endswith("\n")
    assert_reads_back(text, data)


@given(TEXTS | NUMBER_LIKE)
def test_any_string_reads_back_wherever_it_stands(text: str) -> None:
    data = {
        "value": text,
        "prompt": text,
        "items": [text, text],
        "mixed": [{"a": text, text: text}, [text, [text]], text, {}],
        text: {text: [{text: text}]},
    }
    assert_reads_back(emit_yaml(data), data)
    assert_reads_back(emit_yaml(text), text)


@given(NUMBER_LIKE | TEXTS)
def test_plain_string_is_a_string_to_a_core_reader(text: str) -> None:
    written = emit_yaml([text]).removeprefix("[").removesuffix("]\n")
    assume(written == text)
    assert not CORE_12.fullmatch(text)


@given(TEXTS, TEXTS)
def test_prompt_is_a_block_when_a_block_can_hold_it(prompt: str, other: str) -> None:
    for data in ({"prompt": prompt}, {"a": [{"prompt": prompt, "z": other}]}):
        header = re.search(r"^(?:  - )?prompt: (.)", emit_yaml(data), re.MULTILINE)
        assert header is not None
        assert (header[1] == "|") == fits_block(prompt)


@given(st.dictionaries(KEYS, TEXTS, max_size=3))
def test_no_line_is_broken_or_folded(data: Mapping[str, str]) -> None:
    text = emit_yaml(data, block_keys=())
    lines = sum(
        (value.count("\n") + 1 + (not value.endswith("\n")) if is_block(value) else 1)
        + (len(emit_yaml(key)) > 121)
        for key, value in data.items()
    )
    assert text.count("\n") == max(lines, 1)


def is_block(text: str) -> bool:
    return "\n" in text and fits_block(text)


@given(DATA)
def test_any_data_reads_back_from_json(data: Any) -> None:
    assert typed(json.loads(emit_json(data))) == typed(data)
