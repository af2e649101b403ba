"""YAML: the data PyYAML gives where YAML 1.1 and 1.2 agree, with the place of everything.

Where nothing else is said a test runs with both of PyYAML's parsers, the one in C and the one in
Python that has to serve where the other was not built.
"""

from __future__ import annotations

import json
import re
import runpy
import time
from collections.abc import Callable, Iterator
from datetime import date
from itertools import chain
from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st
from real_files import SHARED

from subspec.problems import Span
from subspec.source import Document, read_file, read_yaml
from subspec.source import yaml as reader

with pytest.MonkeyPatch.context() as without_c:
    without_c.delattr(yaml, "CSafeLoader", raising=False)
    PYTHON_PARSER = runpy.run_path(reader.__file__)["_Loader"]
C_PARSER = getattr(yaml, "CSafeLoader", None)

NEEDS_C = pytest.mark.skipif(C_PARSER is None, reason="PyYAML was built without libyaml")
PARSERS = pytest.mark.parametrize(
    "parser",
    [pytest.param(C_PARSER, marks=NEEDS_C, id="C"), pytest.param(PYTHON_PARSER, id="Python")],
)

Read = Callable[[str], Document]


@pytest.fixture(
    params=[pytest.param(C_PARSER, marks=NEEDS_C, id="C"), pytest.param(PYTHON_PARSER, id="Python")]
)
def read(request, monkeypatch) -> Read:
    """Give the reader, on top of each of the two parsers."""
    monkeypatch.setattr(reader, "_Loader", request.param)
    return read_yaml


def read_with(parser: Any, text: str) -> Document:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(reader, "_Loader", parser)
        return read_yaml(text)


def told(document: Document) -> list[str]:
    return [str(problem).removeprefix("<text>:") for problem in document.problems]


def codes(document: Document) -> list[str]:
    return [problem.code for problem in document.problems]


def span(line: int, column: int, end_column: int) -> Span:
    return Span(line, column, line, end_column)


def shown(document: Document, *path: str | int, at: str = "value") -> str:
    """Give the text at the place of a key or a value."""
    return document.text[slice(*document.offsets(path, at))]


def parts(document: Document, value: Any) -> Iterator[tuple[str, Any]]:
    """Give the text and the value of each key and each value below a value."""
    if isinstance(value, dict | list):
        flat = [*chain.from_iterable(value.items())] if isinstance(value, dict) else value
        marks = document.marks[id(value)]
        assert len(marks) == 2 * len(flat)
        for part, start, end in zip(flat, marks[::2], marks[1::2], strict=True):
            yield document.text[start:end], part
            yield from parts(document, part)


def spans(document: Document) -> list[list[int]]:
    """List the places of all that was read, in an order that two readers share."""
    return list(document.marks.values())


# --- what a document says -------------------------------------------------------------------------

# A number to YAML 1.2 and text to YAML 1.1, or the other way round.
DISPUTED = re.compile(r"[-+.0-9].*[.eEoO]", re.DOTALL)
TEXTS = st.text(
    st.characters(exclude_categories=["Cs"], exclude_characters="\x85\u2028\u2029\ufeff"),
    max_size=12,
) | st.sampled_from(
    [
        *"yes No on off y null ~ true 012 1:30 1_000 2026-01-01 = << --- # é漢😀 Bash(x:*)".split(),
        *"' \" \\ {} [a] &a *a !a %a @a ` | > ? - : #a a# a: a:b \x00\x7f".split(),
        *["- a", "a: b", "a #b", " a", "a ", "a\nb", "a\n", "\n a\n\nb\n\n", "a\tb", "\ta", "a\t"],
        *["key words " * 12, "k" * 1100, "a: b\n  c: |\n"],
    ]
)
SCALARS = (
    st.none()
    | st.booleans()
    | st.integers(-(10**30), 10**30)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS.filter(lambda text: not DISPUTED.match(text))
)
KEYS = TEXTS.filter(lambda text: not DISPUTED.match(text))
DATA = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=12,
)
FLOW = {
    "allow_unicode": st.booleans(),
    "default_flow_style": st.booleans() | st.none(),
    "explicit_start": st.booleans(),
    "indent": st.sampled_from([None, 2, 4, 7]),
    "line_break": st.sampled_from(["\n", "\r\n", "\r"]),
    "width": st.sampled_from([20, 80, 10_000]),
    "default_style": st.sampled_from([None, '"', "'"]),
}
STYLES = st.fixed_dictionaries(
    FLOW | {"default_style": st.sampled_from([None, '"', "'", "|", ">"])}
)


def dump(data: Any, style: dict[str, Any]) -> str:
    return yaml.safe_dump(data, sort_keys=False, **style)


@PARSERS
@given(data=DATA, style=STYLES)
def test_what_pyyaml_writes_is_read_as_pyyaml_reads_it(parser, data, style):
    text = dump(data, style)
    document = read_with(parser, text)
    assert (document.problems, document.readable, document.media) == ([], True, "yaml")
    assert repr(document.data) == repr(yaml.safe_load(text))


@PARSERS
@given(data=DATA, style=st.fixed_dictionaries(FLOW))
def test_the_text_of_every_key_and_every_scalar_means_that_value(parser, data, style):
    document = read_with(parser, dump(data, style))
    for text, value in parts(document, document.data):
        if not isinstance(value, dict | list) or text[0] in "{[":
            assert text == text.strip(" \r\n\t")
            assert repr(read_with(parser, text).data) == repr(value)
    whole = document.text[slice(*document.span)]
    assert repr(read_with(parser, whole).data) == repr(document.data)


@NEEDS_C
@given(data=DATA, style=STYLES)
def test_both_parsers_give_the_same_data_at_the_same_places(data, style):
    text = dump(data, style)
    in_c, in_python = read_with(C_PARSER, text), read_with(PYTHON_PARSER, text)
    assert repr(in_c.data) == repr(in_python.data)
    assert (in_c.span, spans(in_c)) == (in_python.span, spans(in_python))


@pytest.mark.parametrize(
    "text",
    "yes on No OFF y = 012 1:30 1_000 0b1 2026-01-01 2026-01-01T10:00:00Z 1.2.3 <<x".split(),
)
def test_what_yaml_11_takes_for_something_else_is_text(read, text):
    document = read(f"{text}: {text}\nlist: [{text}, '{text}']\n")
    assert document.problems == []
    assert document.data == {text: text, "list": [text, text]}


@pytest.mark.parametrize(
    ("text", "value"),
    [("true", True), ("FALSE", False), ("~", None), ("0o7", 7), ("0x1f", 31), ("1e3", 1e3)],
)
def test_scalars_follow_yaml_12(read, text, value):
    document = read(f"a: {text}\nb: [{text}]\nc: '{text}'\nd: \"{text}\"\ne: |-\n  {text}\n")
    assert document.problems == []
    wanted = {"a": value, "b": [value], "c": text, "d": text, "e": text}
    assert repr(document.data) == repr(wanted)


@pytest.mark.parametrize(
    ("text", "data"),
    [
        ("a", "a"),
        ("- - a\n  -\n-\n", [["a", None], None]),
        ("a:\nb: # c\n", {"a": None, "b": None}),
        ("? a\n? b\n: c\n", {"a": None, "b": "c"}),
        ("{a, b: , 'c':d, \"e\":f}", {"a": None, "b": None, "c": "d", "e": "f"}),
        ("[a: b, {c: d}, ]", [{"a": "b"}, {"c": "d"}]),
        ("a: b c\n   d\n\n   e\n", {"a": "b c d\ne"}),
        ("a: 'it''s\n  x'\n", {"a": "it's x"}),
        ('a: "\\x41\\u00e9\\U0001F600\\n\\\n  b"', {"a": "Aé😀\nb"}),
        ("a: |\n  x\n   y\n\nb: >+\n  x\n  y\n\n", {"a": "x\n y\n", "b": "x y\n\n"}),
        ("a: |2-\n    x\n", {"a": "  x"}),
        ("%YAML 1.2\n---\na: b\n...\n# end\n", {"a": "b"}),
        ("--- a", "a"),
        ("---\n", None),
        ("'a b': http://x/y#z\n", {"a b": "http://x/y#z"}),
        ("a: Bash(git:*)", {"a": "Bash(git:*)"}),
        ("a: \ufeffb", {"a": "\ufeffb"}),
        (f"{'k' * 1000}: {'v' * 5000}", {"k" * 1000: "v" * 5000}),
    ],
)
def test_the_ways_to_write_yaml_are_known(read, text, data):
    document = read(text)
    assert (document.problems, document.data) == ([], data)


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_line_ends_of_every_kind_mean_the_same(read, end):
    document = read(end.join(["# é", "a: |", "  x", "  y", "b:", "  - 'p", "    q'", "  - 1", ""]))
    assert document.data == {"a": "x\ny\n", "b": ["p q", 1]}
    assert shown(document, "b", 1) == "1"
    assert document.spell(*document.offsets(("b", 0))) == Span(6, 5, 7, 7)


def test_a_byte_order_mark_that_was_left_in_the_text_does_no_harm(read):
    assert read("\ufeffa: 1").data == {"a": 1}


@pytest.mark.parametrize("character", ["\x85", "\u2028", "\u2029"], ids=ascii)
@pytest.mark.parametrize(
    ("before", "after", "value"),
    [
        ("a: b", "c", "b{}c"),
        ("a: 'b ", " c'", "b {} c"),
        ('a: "b', 'c"', "b{}c"),
        ("a: |-\n  b", "c", "b{}c"),
        ("a: |-\n  b", "  c", "b{}  c"),
        ("a: >-\n  b", "  c", "b{}  c"),
        ("a: b # c", "d: e", "b"),
        ("# c", "d: e\na: b", "b"),
    ],
    ids=["plain", "single", "double", "literal", "literal, indented", "folded", "comment", "first"],
)
def test_what_ends_a_line_in_yaml_11_only_is_a_character_like_others(
    read, character, before, after, value
):
    document = read(before + character + after + "\n")
    assert (document.problems, document.data) == ([], {"a": value.format(character)})


def test_line_ends_of_yaml_11_are_told_from_each_other_and_from_what_stands_in_for_them(read):
    odd = "\x85\u2028\u2029\ue000\ue001\uf8ff"
    document = read(f"k{odd}: [{odd}, '{odd[::-1]}', &a {odd}]\nb: *a\n")
    assert document.problems == []
    assert document.data == {f"k{odd}": [odd, odd[::-1], odd], "b": odd}
    assert shown(document, f"k{odd}", 1) == f"'{odd[::-1]}'"


def test_a_fault_behind_a_line_end_of_yaml_11_has_its_place(read):
    document = read("a: x\u2028\x85y\nb\u2029: [c, @d]\n")
    (problem,) = document.problems
    assert (problem.code, problem.span) == ("yaml-syntax", span(2, 9, 10))
    assert problem.excerpt == "b\u2029: [c, @d]"


# --- places ---------------------------------------------------------------------------------------

PLACES = """\
# comment
plain: some text   # comment
"quoted" : 'it''s'
literal: |
  one

  two


folded: >-
  three
kept: |+
  four

empty:
flow: [ a , {b: "😀", c}, ]
anchored: &x value
alias: *x
tagged: !!str 12
two lines: one
  two
? complex
: 1
list:
- item
-
- - inner
"""


@pytest.mark.parametrize(
    ("path", "text", "place"),
    [
        (("plain",), "some text", Span(2, 8, 2, 17)),
        (("quoted",), "'it''s'", Span(3, 12, 3, 19)),
        (("literal",), "|\n  one\n\n  two", Span(4, 10, 7, 6)),
        (("folded",), ">-\n  three", Span(10, 9, 11, 8)),
        (("kept",), "|+\n  four", Span(12, 7, 13, 7)),
        (("empty",), "", Span(15, 7, 15, 7)),
        (("flow",), '[ a , {b: "😀", c}, ]', Span(16, 7, 16, 27)),
        (("flow", 0), "a", Span(16, 9, 16, 10)),
        (("flow", 1), '{b: "😀", c}', Span(16, 13, 16, 24)),
        (("flow", 1, "b"), '"😀"', Span(16, 17, 16, 20)),
        (("flow", 1, "c"), "", Span(16, 23, 16, 23)),
        (("anchored",), "&x value", Span(17, 11, 17, 19)),
        (("alias",), "*x", Span(18, 8, 18, 10)),
        (("tagged",), "!!str 12", Span(19, 9, 19, 17)),
        (("two lines",), "one\n  two", Span(20, 12, 21, 6)),
        (("complex",), "1", Span(23, 3, 23, 4)),
        (("list",), "- item\n-\n- - inner", Span(25, 1, 27, 10)),
        (("list", 0), "item", Span(25, 3, 25, 7)),
        (("list", 1), "", Span(26, 2, 26, 2)),
        (("list", 2), "- inner", Span(27, 3, 27, 10)),
        (("list", 2, 0), "inner", Span(27, 5, 27, 10)),
    ],
    ids=lambda value: ".".join(map(str, value)) if isinstance(value, tuple) else "",
)
def test_a_value_has_its_exact_place(read, path, text, place):
    document = read(PLACES)
    assert document.problems == []
    assert shown(document, *path).rstrip() == text
    assert document.spell(*document.offsets(path)) == place


@pytest.mark.parametrize(
    ("key", "text", "place"),
    [
        ("plain", "plain", span(2, 1, 6)),
        ("quoted", '"quoted"', span(3, 1, 9)),
        ("two lines", "two lines", span(20, 1, 10)),
        ("complex", "complex", span(22, 3, 10)),
    ],
)
def test_a_key_has_its_exact_place(read, key, text, place):
    document = read(PLACES)
    assert shown(document, key, at="key") == text
    assert document.spell(*document.offsets((key,), "key")) == place


def test_the_span_of_the_whole_leaves_out_what_surrounds_it(read):
    document = read("# comment\n---\na: 1\n...\n# comment\n")
    assert shown(document).rstrip() == "a: 1"
    assert read("  'x'  # y\n").span == (2, 5)


# --- keys -----------------------------------------------------------------------------------------


def test_a_key_given_twice_names_both_lines_and_the_first_one_counts(read):
    document = read("a: 1\nb: {x: 1, 'x': [2]}\n\na: {c: 3}\n\"a\": 4\n")
    assert document.data == {"a": 1, "b": {"x": 1}}
    assert document.readable
    twice = "is given twice, first on line"
    assert told(document) == [
        f"2:11: error: the key 'x' {twice} 2; remove one of the two [duplicate-key]",
        f"4:1: error: the key 'a' {twice} 1; remove one of the two [duplicate-key]",
        f"5:1: error: the key 'a' {twice} 1; remove one of the two [duplicate-key]",
    ]
    assert document.problems[0].span == span(2, 11, 14)
    assert document.problems[2].excerpt == '"a": 4'


def test_what_follows_a_key_given_twice_keeps_its_place(read):
    document = read("a: 1\na: {b: 2}\nc: {d: 3}\nc: 4\ne: 5\n")
    assert document.data == {"a": 1, "c": {"d": 3}, "e": 5}
    assert (shown(document, "c", "d"), shown(document, "e")) == ("3", "5")
    assert shown(document, "e", at="key") == "e"


def test_keys_that_differ_in_case_or_blanks_are_two(read):
    assert read("a: 1\nA: 2\n'a ': 3\n").data == {"a": 1, "A": 2, "a ": 3}


def test_a_number_that_spells_a_key_that_is_there_is_given_twice(read):
    document = read("'1': a\n1: b\n")
    assert codes(document) == ["non-string-key", "duplicate-key"]
    assert document.data == {"1": "a"}


@NEEDS_C
def test_many_keys_given_twice_are_all_named():
    keys = [f"k{i}: 1\n" for i in range(16_000)]
    document = read_with(C_PARSER, "".join(keys * 2))
    assert len(document.problems) == len(keys)
    assert "first on line 16000;" in str(document.problems[-1])


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("1", "the number 1"),
        ("0x1F", "the number 31"),
        ("1.5", "the number 1.5"),
        ("null", "null"),
        ("~", "null"),
        ("true", "true"),
        ("False", "false"),
    ],
)
def test_a_key_that_is_no_text_is_refused_with_a_way_out(read, written, kind):
    document = read(f"a:\n  {written}: b\n")
    assert told(document) == [
        f'2:3: error: a key must be text, not {kind}; quote it: "{written}" [non-string-key]'
    ]
    assert document.problems[0].span == span(2, 3, 3 + len(written))
    assert (document.readable, document.data) == (True, {"a": {written: "b"}})
    assert shown(document, "a", written) == "b"
    assert read(f'a:\n  "{written}": b\n').problems == []


@pytest.mark.parametrize(
    ("text", "data", "kind"),
    [
        ("? [a, b]\n: c\n", {"[a, b]": "c"}, "a list"),
        ("{a: b}: c\n", {"{a: b}": "c"}, "a mapping"),
        ("{[a]: c}", {"[a]": "c"}, "a list"),
        ("x: &x [a]\n*x : c\n", {"x": ["a"], "*x": "c"}, "a list"),
    ],
)
def test_a_key_that_is_no_scalar_is_refused(read, text, data, kind):
    document = read(text)
    assert codes(document) == ["non-string-key"]
    assert document.problems[0].message == f"a key must be text, not {kind}"
    assert document.problems[0].hint is None
    assert document.data == data


def test_a_key_without_text_is_null(read):
    document = read("? # comment\n: a\n")
    assert told(document) == [
        '1:2: error: a key must be text, not null; quote it: "" [non-string-key]'
    ]
    assert document.data == {"": "a"}


def test_keys_may_be_anything_that_is_text(read):
    text = "yes: 1\n2026-01-01: 2\n'': 3\n'<<': 4\n\"1\": 5\n012: 6\n=: 7\n!!str 8: 9\n"
    document = read(text)
    assert document.problems == []
    keys = ["yes", "2026-01-01", "", "<<", "1", "012", "=", "8"]
    assert document.data == dict(zip(keys, [1, 2, 3, 4, 5, 6, 7, 9], strict=True))


# --- anchors, aliases, merge keys -----------------------------------------------------------------


def test_an_alias_is_the_same_value(read):
    document = read("a: &x [1]\nb: *x\nc: &y 'z'\nd: [*y, *x]\n&k e: *k\n")
    assert document.problems == []
    assert document.data == {"a": [1], "b": [1], "c": "z", "d": ["z", [1]], "e": "e"}
    assert document.data["b"] is document.data["a"]
    assert shown(document, "d", 1) == "*x"


def test_an_anchor_given_twice_means_the_one_before(read):
    assert read("[&a 1, *a, &a 2, *a, &a , *a]").data == [1, 1, 2, 2, None, None]


def test_an_anchor_may_stand_on_what_is_read_as_a_number(read):
    assert read("[&a 0x10, *a]").data == [16, 16]


def test_an_alias_without_anchor_is_refused_and_reading_goes_on(read):
    document = read("a: [*x, 1]\nb: &x 2\n")
    message = (
        "'*x' stands for a value named '&x', and there is none before it;"
        " to say that text, quote it"
    )
    assert told(document) == [f"1:5: error: {message} [unknown-alias]"]
    assert document.problems[0].span == span(1, 5, 7)
    assert (document.readable, document.data) == (True, {"a": [None, 1], "b": 2})


@pytest.mark.parametrize(
    ("text", "column", "data"),
    [
        ("&x [*x]", 5, [None]),
        ("&x {a: *x}", 8, {"a": None}),
        ("&x [{a: [*x]}, 1]", 10, [{"a": [None]}, 1]),
        ("&x [&x [*x]]", 9, [[None]]),
    ],
)
def test_an_alias_inside_its_own_anchor_is_refused(read, text, column, data):
    document = read(text)
    message = "the alias '*x' stands inside the value it names; write the value out"
    assert told(document) == [f"1:{column}: error: {message} [recursive-alias]"]
    assert (document.readable, document.data) == (True, data)


@pytest.mark.parametrize(
    ("text", "merged"),
    [
        ("a: &a {x: 1, y: 2}\nm: {<<: *a}", {"x": 1, "y": 2}),
        ("a: &a {x: 1, y: 2}\nm: {<<: *a, y: 3}", {"x": 1, "y": 3}),
        ("a: &a {x: 1, y: 2}\nm: {y: 3, <<: *a}", {"x": 1, "y": 3}),
        ("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nm: {<<: [*a, *b]}", {"x": 1, "y": 2}),
        ("a: &a {x: 1}\nb: &b {x: 2, y: 2}\nm: {<<: [*b, *a]}", {"x": 2, "y": 2}),
        ("a: &a {x: 1, y: 1}\nb: &b {<<: *a, x: 2}\nm:\n  <<: *b\n", {"x": 2, "y": 1}),
        ("a: &a {x: 1}\nm: {<<: {y: {z: 2}}, <<x: *a}", {"y": {"z": 2}, "<<x": {"x": 1}}),
        ("a: &a [{x: 1}, {y: 2}]\nm: {<<: *a}", {"x": 1, "y": 2}),
        ("m: {<<: []}", {}),
        ("m: {<<: {}}", {}),
        ("a: &a {'<<': 1}\nm: {<<: *a}", {"<<": 1}),
        ("m: {<<: &b {x: 1}, y: *b}", {"x": 1, "y": {"x": 1}}),
    ],
)
def test_a_merge_key_adds_what_the_mapping_does_not_have(read, text, merged):
    document = read(text)
    assert (document.problems, document.data["m"]) == ([], merged)


def test_a_merged_mapping_may_be_merged_under_its_anchor(read):
    document = read("a: &a {x: 1}\nb: &b {<<: *a}\nc: *b\n")
    assert document.data["c"] == {"x": 1}


def test_a_merge_does_not_change_what_is_merged(read):
    document = read("a: &a {x: 1}\nm: {<<: *a, y: 2}\n")
    assert document.data == {"a": {"x": 1}, "m": {"x": 1, "y": 2}}


def test_what_is_merged_stands_where_it_is_written(read):
    document = read("a: &a {x: 1, y: [2]}\nm:\n  z: 3\n  <<: *a\n  w: 4\n")
    assert [*document.data["m"]] == ["z", "w", "x", "y"]
    for key in "xy":
        assert document.offsets(("m", key)) == document.offsets(("a", key))
        assert document.offsets(("m", key), "key") == document.offsets(("a", key), "key")
    assert shown(document, "m", "y", 0) == "2"
    assert shown(document, "m", "w") == "4"


@NEEDS_C
@given(
    own=st.dictionaries(st.sampled_from("abc"), st.integers(0, 9)),
    others=st.lists(st.dictionaries(st.sampled_from("abcd"), st.integers(0, 9)), max_size=3),
    first=st.booleans(),
)
def test_merging_gives_what_pyyaml_gives(own, others, first):
    lines = [f"  {key}: {value}" for key, value in own.items()]
    aliases = ", ".join(f"*x{i}" for i in range(len(others)))
    lines.insert(0 if first else len(lines), f"  <<: [{aliases}]")
    anchors = [f"- &x{i} {other}" for i, other in enumerate(others)]
    text = "\n".join(["a:", *anchors, "m:", *lines]) + "\n"
    document = read_yaml(text)
    assert document.data == yaml.safe_load(text)
    for key, value in document.data["m"].items():
        assert shown(document, "m", key, at="key").strip("'") == key
        assert shown(document, "m", key) == str(value)


@pytest.mark.parametrize("text", ["<<", "[<<]", "{a: <<}", "- <<", "a: '<<'"])
def test_a_merge_key_is_text_where_no_key_stands(read, text):
    document = read(text)
    assert document.problems == []
    assert "<<" in repr(document.data)


@pytest.mark.parametrize("key", ["'<<'", '"<<"', "!!str <<"])
def test_a_merge_key_in_quotes_is_a_key(read, key):
    document = read(f"{key}: {{a: 1}}")
    assert (document.problems, document.data) == ([], {"<<": {"a": 1}})


@pytest.mark.parametrize(
    ("value", "kind", "end"),
    [
        ("1", "the number 1", 6),
        ("", "null", 4),
        ("text", "the text 'text'", 9),
        ("[1]", "the number 1", 8),
        ("[[{a: 1}]]", "a list", 15),
    ],
)
def test_a_merge_key_takes_mappings_only(read, value, kind, end):
    document = read(f"<<: {value}\nb: 2\n")
    message = (
        f"'<<' takes a mapping or a list of mappings, not {kind};"
        " to take over the keys of a value '&base', write '<<: *base'"
    )
    assert told(document) == [f"1:{5 if value else 4}: error: {message} [bad-merge]"]
    assert document.problems[0].span.end_column == end
    assert (document.readable, document.data) == (True, {"b": 2})


def test_what_can_be_merged_is_merged_beside_what_cannot(read):
    document = read("<<: [1, {a: 1}]\n")
    assert (codes(document), document.data) == (["bad-merge"], {"a": 1})


def test_a_merge_key_given_twice_is_refused(read):
    document = read("- &a {x: 1}\n- <<: *a\n  <<: {x: 2, y: 2}\n")
    message = "the merge key '<<' is given twice; give one list: '<<: [*a, *b]'"
    assert told(document) == [f"3:3: error: {message} [duplicate-key]"]
    assert document.data == [{"x": 1}, {"x": 1, "y": 2}]


def test_a_mapping_that_merges_itself_is_refused(read):
    document = read("a: &a {x: 1, <<: *a}")
    assert codes(document)[0] == "recursive-alias"
    assert document.data == {"a": {"x": 1}}


# --- limits ---------------------------------------------------------------------------------------


def laughs(levels: int, wide: int, first: str = "ha", again: str = "*a{}") -> str:
    lines = [f"a0: &a0 {first}"]
    for level in range(1, levels):
        items = ", ".join([again.format(level - 1)] * wide)
        lines.append(f"a{level}: &a{level} [{items}]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    "text",
    [
        laughs(10, 10),
        laughs(30, 2),
        laughs(10, 10, "[ha]"),
        laughs(10, 10, "{x: ha}", "{{<<: {{x: *a{0}}}, y: *a{0}}}"),
        "a: &a [" + "1, " * 1000 + "]\nb: [" + "*a, " * 1000 + "]",
        "a: &a [" + "1, " * 1000 + "]\nb: {k: [" + "*a, " * 1000,
        "a: &a {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}\n"
        "b: [" + "{<<: *a}, " * 1000 + "]",
        "a: &a {" + ", ".join(f"k{i}: 1" for i in range(1000)) + "}\n"
        "b: {<<: [" + "*a, " * 1000 + "]}",
    ],
    ids=["lists", "two each", "ends", "mappings", "flat", "then broken", "merges", "merged list"],
)
def test_aliases_that_expand_to_very_much_are_refused_at_once(read, text):
    before = time.process_time()
    document = read(text)
    assert time.process_time() - before < 20  # it would take for ever
    assert (codes(document), document.readable, document.data) == (["alias-limit"], False, None)
    assert document.problems[0].message == "aliases expand to more than 250,000 values"
    assert re.match(r"\*a|\[\*a", shown_at(document, document.problems[0].span))


def shown_at(document: Document, place: Span) -> str:
    return document.excerpt(place.line)[place.column - 1 :]


def test_merging_what_is_merged_again_and_again_counts_each_time(read):
    keys = ", ".join(f"k{i}: 1" for i in range(5_000))
    document = read("{<<: " * 98 + "{" + keys + "}" + "}" * 98)
    assert (codes(document), document.readable) == (["alias-limit"], False)


def test_aliases_may_expand_to_what_a_team_needs(read):
    tools = "tools: &t [" + ", ".join(f"Tool{i}" for i in range(50)) + "]\n"
    document = read(tools + "".join(f"a{i}: {{tools: *t}}\n" for i in range(1000)))
    assert document.problems == []


def test_the_limit_counts_values_and_not_characters(read):
    text = "a: &a " + "x" * 10_000 + "\nb: [" + "*a, " * 5_000 + "]\n"
    assert read(text).problems == []


KINDS = pytest.mark.parametrize(
    ("opening", "inner", "closing"),
    [("[", "", "]"), ("{a: ", "1", "}"), ("- ", "1", ""), ("? ", "1", ""), ("[{a: ", "1", "}]")],
    ids=["flow lists", "flow mappings", "block lists", "complex keys", "both"],
)


@KINDS
def test_a_hundred_levels_are_read_and_no_more(read, opening, inner, closing):
    times = 100 // (1 + ("[{" in opening))
    document = read(opening * times + inner + closing * times)
    assert document.readable
    assert "too-deep" not in codes(document)

    document = read("- " + opening * times + inner + closing * times)
    assert codes(document)[-1] == "too-deep"
    assert document.problems[-1].message == "nested more than 100 levels deep"
    assert (document.readable, document.data) == (False, None)


def test_too_deep_is_shown_at_the_first_level_too_many(read):
    problem = read("\n".join(f"{'  ' * level}k:" for level in range(150))).problems[0]
    assert (problem.code, problem.span) == ("too-deep", span(101, 201, 202))


@pytest.mark.parametrize("opening", ["[", "[\n", "{a: ", "- ", "? ", "[{a: ", "[[], "])
def test_very_deep_text_is_refused_and_does_not_crash(read, opening):
    before = time.process_time()
    document = read(opening * 100_000)
    assert time.process_time() - before < 20  # it would take for ever
    assert (codes(document)[-1], document.readable) == ("too-deep", False)


def test_too_deep_for_the_parser_is_said_in_the_same_words(monkeypatch):
    class Parser(yaml.SafeLoader):
        def get_event(self):
            said = "exceeded maximum nesting depth"
            raise yaml.parser.ParserError(None, None, said, self.get_mark())

    monkeypatch.setattr(reader, "_Loader", Parser)
    document = read_yaml("[[[")
    assert told(document) == ["1:1: error: nested more than 100 levels deep [too-deep]"]
    assert not document.readable


def test_aliases_do_not_lead_below_a_hundred_levels(read):
    def towers(second: int) -> str:
        return f"- &a {'[' * 50}x{']' * 50}\n- {'[' * second}*a{']' * second}\n"

    assert read(towers(49)).problems == []
    document = read(towers(50))
    assert (codes(document), document.readable) == (["too-deep"], False)
    assert document.problems[0].span == span(2, 53, 55)


def test_aliases_of_aliases_do_not_lead_below_a_hundred_levels(read):
    lines = ["a0: &a0 [x]", *(f"a{i}: &a{i} {{k: *a{i - 1}}}" for i in range(1, 120))]
    assert read("\n".join(lines[:99])).problems == []
    assert codes(read("\n".join(lines))) == ["too-deep"]


def test_merging_what_was_merged_leads_no_deeper(read):
    def chain(merge: str) -> str:
        later = (f"a{i}: &a{i} {{<<: {merge.format(i - 1)}}}\n" for i in range(1, 120))
        return "a0: &a0 {k: [x]}\n" + "".join(later)

    for merge in ("*a{}", "[*a{}]"):
        document = read(chain(merge))
        assert (document.problems, document.data["a119"]) == ([], {"k": ["x"]})


def test_siblings_do_not_add_up_to_depth(read):
    text = "a: &a [[x]]\nb: [" + "[[*a]], " * 200 + "{c: *a}]\n"
    assert read(text).problems == []


@pytest.mark.parametrize(
    "number", [".inf", "-.Inf", ".NaN", "1e999", "9" * 401, "0x" + "f" * 399], ids=lambda n: n[:5]
)
def test_a_number_that_cannot_be_kept_is_refused_and_reading_goes_on(read, number):
    document = read(f"a: [{number}, 1]\nb: '{number}'\n")
    (problem,) = document.problems
    assert problem.code == "bad-number"
    assert problem.message.endswith("is no number that can be kept")
    assert problem.span == span(1, 5, 5 + len(number))
    assert (document.readable, document.data) == (True, {"a": [0, 1], "b": number})


# --- tags -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("!!str 12", "12"),
        ("!!str true", "true"),
        ("!!str", ""),
        ("!!str ~", "~"),
        ("!!int 12", 12),
        ('!!int "0x1f"', 31),
        ("!!float 1.5", 1.5),
        ("!!float '1e3'", 1000.0),
        ("!!bool true", True),
        ("!!bool 'False'", False),
        ("!!null ~", None),
        ("!!null ''", None),
        ("!!null", None),
        ("!!map {a: 1}", {"a": 1}),
        ("!!seq [1]", [1]),
        ("!<tag:yaml.org,2002:int> 1", 1),
        ("! {a: 1}", {"a": 1}),
        ("! [1]", [1]),
        ("! text", "text"),
        ("!!str &a 12", "12"),
    ],
)
def test_the_tags_of_the_core_schema_mean_what_they_say(read, text, value):
    document = read(f"a: {text}\n")
    assert (document.problems, repr(document.data)) == ([], repr({"a": value}))


@pytest.mark.parametrize("text", ["! 12", "! '12'", '! "12"', "&a ! 12", "! &a 12", "! |-\n  12"])
def test_a_tag_of_nothing_but_its_mark_makes_text(read, text):
    document = read(f"a: {text}\nb: 12\n")
    assert (document.problems, document.data) == ([], {"a": "12", "b": 12})


def test_a_tag_of_nothing_but_its_mark_makes_empty_text(read):
    assert read("a: !\nb: [! , 1]\n").data == {"a": "", "b": ["", 1]}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("!!int abc", "'abc' is not what its tag !!int says"),
        ("!!int 1.5", "'1.5' is not what its tag !!int says"),
        ("!!int true", "'true' is not what its tag !!int says"),
        ("!!bool yes", "'yes' is not what its tag !!bool says"),
        ("!!bool 1", "'1' is not what its tag !!bool says"),
        ("!!float x", "'x' is not what its tag !!float says"),
        ("!!null x", "'x' is not what its tag !!null says"),
    ],
)
def test_a_value_has_to_be_what_its_tag_says(read, text, said):
    document = read(f"a: {text}\nb: 1\n")
    assert told(document) == [f"1:4: error: {said} [yaml-tag]"]
    assert document.readable


@pytest.mark.parametrize(
    ("tag", "shown_as"),
    [
        ("!!js/function", None),
        ("!!python/object:os.system", None),
        ("!!python/name:os.system", None),
        ("!!binary", None),
        ("!!timestamp", None),
        ("!!set", None),
        ("!!map", None),
        ("!custom", None),
        ("!include", None),
        ("!<tag:example.com,2000:x>", "tag:example.com,2000:x"),
    ],
)
def test_no_other_tag_is_evaluated(read, tag, shown_as):
    document = read(f"a: {tag} x\nb: 1\n")
    hint = "remove it, or quote the whole value to keep it as text"
    assert told(document) == [
        f"1:4: error: the tag '{shown_as or tag}' is not evaluated; {hint} [yaml-tag]"
    ]
    assert document.problems[0].span == span(1, 4, 4 + len(tag) + 2)
    assert (document.readable, document.data) == (True, {"a": "x", "b": 1})


@pytest.mark.parametrize("tag", ["!!python/tuple", "!!set", "!!omap", "!x", "!!str", "!<x:y>"])
@pytest.mark.parametrize(
    ("written", "value"), [("[x]", ["x"]), ("{x: y}", {"x": "y"})], ids=["list", "mapping"]
)
def test_a_tag_of_a_list_or_a_mapping_is_shown_without_what_it_tags(read, tag, written, value):
    for before in ("", "&a "):
        document = read(f"k: {before}{tag} {written}\n")
        (problem,) = document.problems
        assert (problem.code, document.data) == ("yaml-tag", {"k": value})
        start = 4 + len(before)
        assert problem.span == span(1, start, start + len(tag))


def test_a_list_that_is_tagged_as_a_mapping_is_refused(read):
    assert codes(read("- !!map [a]\n- !!seq {a: b}\n- !!int [1]\n")) == ["yaml-tag"] * 3


def test_a_tag_of_a_declared_handle_is_what_it_stands_for(read):
    assert read("%TAG !y! tag:yaml.org,2002:\n---\n!y!int '3'\n").data == 3
    document = read("%TAG !e! tag:example.com,2000:\n---\n!e!x 3\n")
    assert codes(document) == ["yaml-tag"]
    assert "'tag:example.com,2000:x'" in document.problems[0].message


# --- whole documents ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text", ["", " ", "\n\n", "# comment", "\n# a\n  # b\n", "\ufeff", "%YAML 1.2\n", "..."]
)
def test_a_file_without_data_is_refused(text):
    document = read_yaml(text)
    assert (document.readable, document.data) == (False, None)
    if text not in ("%YAML 1.2\n", "..."):
        assert document.problems[0].span == span(1, 1, 1)
        assert told(document) == ["1:1: error: the file holds no data [empty-document]"]


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a: 1\n---\nb: 2\n", 2),
        ("---\na: 1\n---\n", 3),
        ("---\n---\na: 1\n", 2),
        ("a: 1\n...\n---\nb: 2\n", 3),
        ("a: 1\n--- b\n--- ]\n", 2),
    ],
)
def test_a_second_document_is_refused(read, text, line):
    document = read(text)
    message = "a second document begins here; put it into a file of its own"
    assert told(document) == [f"{line}:1: error: {message} [several-documents]"]
    assert document.problems[0].span == span(line, 1, 4)
    assert (document.readable, document.data) == (False, None)


def test_the_ends_of_a_document_are_no_document(read):
    assert read("---\na: 1\n...\n...\n").data == {"a": 1}


@pytest.mark.parametrize(
    ("character", "name"),
    [
        ("\0", "U+0000"),
        ("\x07", "U+0007"),
        ("\x1b", "U+001B"),
        ("\x7f", "U+007F"),
        ("\x9f", "U+009F"),
        ("\ud800", "U+D800"),
        ("\udfff", "U+DFFF"),
        ("\ufffe", "U+FFFE"),
        ("\uffff", "U+FFFF"),
    ],
)
@pytest.mark.parametrize("where", ["a: 1\nb: 😀{}c", '- "\n  x{}y', "\n# 12{}"])
def test_a_character_that_yaml_forbids_is_named_at_its_place(read, character, name, where):
    document = read(where.format(character))
    message = f"the character {name} is not allowed in YAML; write it as an escape in double quotes"
    (problem,) = document.problems
    column = where.rindex("{}") - where.rindex("\n")
    assert str(problem) == f"<text>:2:{column}: error: {message} [bad-character]"
    assert problem.span == span(2, column, column + 1)
    assert (document.readable, document.data) == (False, None)


@pytest.mark.parametrize("text", ["\t\n\r ~\xa0é퟿\ue000\ufffd😀\U0010ffff", "\ufeff"], ids=ascii)
def test_every_other_character_is_allowed(read, text):
    assert read(f"'{text}'").readable


# --- faults ---------------------------------------------------------------------------------------

COLON = (
    "a colon with a blank after it begins a mapping, which cannot stand here;"
    " put the text in quotes"
)
CHARACTER = (
    "a value cannot begin with this character;"
    " put the text in quotes; indent with blanks, never with tabs"
)
NO_COLON = (
    "a key has no colon after it (while scanning a simple key from line {}); write 'key: value'"
)
QUOTE = "a quote is opened and never closed (while scanning a quoted scalar from line {})"
NO_KEY = (
    "neither a key nor the end of the mapping (while parsing a block mapping from line {});"
    " check the indentation and the quotes before this place"
)
NO_ITEM = (
    "neither an item nor the end of the list (while parsing a block collection from line {});"
    " check the indentation"
)
BRACKET = "a list in brackets lacks ',' or ']' here (while parsing a flow sequence from line {})"
BRACE = "a mapping in braces lacks ',' or '}}' here (while parsing a flow mapping from line {})"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("a: b: c", "1:5", COLON),
        ("x: 1\ny: Use when: asked", "2:12", COLON),
        ("a: 1\n  b: 2\n", "2:4", COLON),
        ("a\nb: 1", "2:2", COLON),
        ("a: 😀b: c", "1:6", COLON),
        ("a: @x", "1:4", CHARACTER),
        ("a: `x`", "1:4", CHARACTER),
        ("- 1\n- %x", "2:3", CHARACTER),
        ("\ta: 1", "1:1", CHARACTER),
        ("a:\n\t- b", "2:1", CHARACTER),
        ('"😀": [é, @b]', "1:10", CHARACTER),
        ("- a\nb", "2:2", NO_COLON.format(2)),
        ("a: 1\nb\n", "3:1", NO_COLON.format(2)),
        ("a: 1\n😀\nb: 2\n", "3:1", NO_COLON.format(2)),
        ("é: 'x", "1:6", QUOTE.format(1)),
        ('a: 1\nb: "x\nc: 1', "3:5", QUOTE.format(2)),
        ('😀: [a, "b]', "1:11", QUOTE.format(1)),
        ('a: "b" c', "1:8", NO_KEY.format(1)),
        ('a: "😀" c', "1:8", NO_KEY.format(1)),
        ("a: 1\nb: [😀]c", "2:7", NO_KEY.format(1)),
        ("a:\n  b: 1\n c: 2\n", "3:2", NO_KEY.format(1)),
        ("- 1\n-x: 2", "2:1", NO_ITEM.format(1)),
        ("a:\n  - x\n  y: 1\n", "3:3", NO_ITEM.format(2)),
        ("[a, b", "1:6", BRACKET.format(1)),
        ("a: [1,\n  😀 2\nb: 3", "3:2", BRACKET.format(1)),
        ("[a: b: c]", "1:6", BRACKET.format(1)),
        ('["😀" x]', "1:6", BRACKET.format(1)),
        ("{a: b", "1:6", BRACE.format(1)),
        ("a: {b: 1,\n  c: 2]", "2:7", BRACE.format(1)),
        ('{a: "😀" x}', "1:9", BRACE.format(1)),
    ],
)
def test_a_fault_is_said_in_plain_words_at_its_place(read, text, place, message):
    document = read(text)
    assert told(document) == [f"{place}: error: {message} [yaml-syntax]"]
    assert (document.readable, document.data) == (False, None)


# What is wrong, and where; the two parsers have their own words for it.
BROKEN = {
    "empty alias": ("a: *", "1:5"),
    "empty anchor": ("a: & b", "1:5"),
    "item in a value": ("a: - b", "1:4"),
    "complex key in a value": ("a: ? b", "1:4"),
    "closing brace": ("a: }", "1:4"),
    "closing bracket": ("😀: ]", "1:4"),
    "comma": ("a: , b", "1:4"),
    "wrong bracket": ("\n[}", "2:2"),
    "unclosed bracket": ("[", "1:2"),
    "block scalar header": ("a: |x\n  y", "1:5"),
    "block scalar of level 0": ("a: |0\n  y", "1:5"),
    "document in quotes": ('a: "\n---\n"', "2:1"),
    "undefined tag handle": ("a: !x!y 1", "1:4"),
    "unclosed tag": ("a: !<x", "1:7"),
    "YAML 2": ("%YAML 2.0\n---\na", "1:1"),
    "YAML twice": ("%YAML 1.2\n%YAML 1.2\n---\na", "2:1"),
    "text behind a document": ("a: 1\n...\nb: 2", "3:1"),
    "anchor twice": ("a: &a &b c", "1:7"),
    "anchor on an alias": ("a: &a b\nc: &b *a", "2:7"),
    "value without key": (": a", "1:1"),
}


@pytest.mark.parametrize(("text", "place"), BROKEN.values(), ids=BROKEN)
def test_other_faults_have_their_place_too(read, text, place):
    document = read(text)
    (problem,) = document.problems
    assert problem.code == "yaml-syntax"
    assert f"{problem.span.line}:{problem.span.column}" == place
    assert (document.readable, document.data) == (False, None)


@pytest.mark.parametrize(
    "escape", ["q", "'", "8", "é", "x4", "u123", "ud800", "ud83d\\ude00", "U00110000", "UFFFFFFFF"]
)
def test_an_escape_that_is_none_is_found_on_its_line(read, escape):
    document = read(f'a: 1\nb: "\\{escape}"\nc: 2\n')
    (problem,) = document.problems
    assert (problem.code, problem.span.line) == ("yaml-syntax", 2)
    assert (document.readable, document.data) == (False, None)


@pytest.mark.parametrize("directive", ["%YAML", "%TAG x", "%YAML 1.2 3"])
def test_a_directive_that_is_none_is_found_on_its_line(read, directive):
    (problem,) = read(f"# x\n{directive}\n---\na: 1\n").problems
    assert (problem.code, problem.span.line) == ("yaml-syntax", 2)


def test_a_fault_hides_nothing_before_it(read):
    document = read("a: 1\na: 2\n1: *x\nb: c: d\n")
    assert codes(document) == ["duplicate-key", "non-string-key", "unknown-alias", "yaml-syntax"]


def test_a_fault_names_the_file_and_shows_its_line():
    document = read_yaml("# x\n😀: [a, @b]\n", "team.yaml")
    (problem,) = document.problems
    assert str(problem).startswith("team.yaml:2:8: error: ")
    assert problem.snippet == "😀: [a, @b]\n        ^"  # the first character takes two columns
    assert document.file == "team.yaml"


def test_a_fault_without_place_is_shown_at_the_start(monkeypatch):
    class Parser(yaml.SafeLoader):
        def get_event(self):
            raise yaml.MarkedYAMLError

    monkeypatch.setattr(reader, "_Loader", Parser)
    assert told(read_yaml("a: 1")) == ["1:1: error: not YAML [yaml-syntax]"]


def test_a_line_with_very_many_faults_is_kept_once(read):
    faults = 1_000
    document = read("\n[" + ".nan, " * faults + "]\n")
    assert len(document.problems) == faults
    excerpts = {id(problem.excerpt): problem.excerpt for problem in document.problems}
    assert sum(map(len, excerpts.values())) < 10 * len(document.text)


# --- any text at all ------------------------------------------------------------------------------

SEEDS = [
    PLACES,
    'a: &x\n  b: "q\\n\\u00e9"\n  c: [d, *x]\nf: |-\n  g\n\n  h\n',
    "- a\n- - b\n  - c: d\n    ? e\n    : f\n- >+\n  x\n\n  y\n# c\n",
    "{a: [b, 'c'], d: !e f}",
    "%YAML 1.2\n---\na: b\n...\n",
    "a: b\r\nc:\r\n  - d\r\n",
    "x: &x {y: 1}\nz: {<<: *x}\n",
    "",
]
PIECES = [
    *" \n\t\r:-?,[]{}#&*!|>'\"%@`~<=.\\/é😀\u2028\x85\ufeff\0\ud800",
    *[
        "---\n",
        "...\n",
        "\n- ",
        "\n  ",
        ": ",
        " #",
        "a: a: ",
        "!!int ",
        "%TAG ! x\n",
        "%YAML 1.1\n",
    ],
    *'"\\ \\x4 \\uD800 \\UFFFFFFFF << 0x .inf &a *a *x |2-'.split(),
]


@st.composite
def near_yaml(draw: st.DrawFn) -> str:
    """Draw text that is YAML but for some strokes of the pen."""
    text = draw(st.sampled_from(SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        start = draw(st.integers(0, len(text)))
        end = start + draw(st.integers(0, 3))
        text = text[:start] + draw(st.sampled_from(["", *PIECES])) + text[end:]
    return text


# The problems that stop the reading; the others leave a stand-in.
STOPS = {
    *["alias-limit", "bad-character", "empty-document", "several-documents", "too-deep"],
    *["yaml-syntax"],
}


@PARSERS
@given(text=near_yaml() | st.text())
def test_no_text_makes_the_reader_raise(parser, text):
    document = read_with(parser, text)
    assert document.readable == (not STOPS & {*codes(document)})
    assert document.readable or document.data is None
    for problem in document.problems:
        assert problem.span is not None
        assert problem.excerpt == document.excerpt(problem.span.line)
        assert problem.excerpt is not None
        assert 1 <= problem.span.column <= len(problem.excerpt) + 2
    for text_of_part, _ in parts(document, document.data):
        assert text_of_part in text


@PARSERS
@given(text=near_yaml(), old=st.sampled_from("\x85\u2028\u2029"))
def test_a_line_end_of_yaml_11_is_read_as_a_letter_is(parser, text, old):
    text = text.replace("é", old).replace("b", f"b{old}")
    found = read_with(parser, text)
    letters = str.maketrans("\x85\u2028\u2029", "øøø")
    wanted = read_with(parser, text.translate(letters))
    as_text = json.dumps(found.data, ensure_ascii=False).translate(letters)
    assert as_text == json.dumps(wanted.data, ensure_ascii=False)
    assert (found.span, spans(found)) == (wanted.span, spans(wanted))
    places = [(problem.code, problem.span) for problem in found.problems]
    assert places == [(problem.code, problem.span) for problem in wanted.problems]


@given(text=near_yaml() | st.text())
def test_text_that_is_read_without_a_problem_can_be_written_as_utf8(text):
    document = read_yaml(text)
    if document.readable:
        repr(document.data).encode()


@NEEDS_C
@given(text=near_yaml())
def test_where_the_parser_sees_a_fault_there_is_one(text):
    try:
        # What ends a line in YAML 1.1 only is a letter like any other to us.
        for _ in yaml.parse(re.sub("[\x85\u2028\u2029]", "x", text), C_PARSER):
            pass
    except (yaml.YAMLError, UnicodeEncodeError):
        assert not read_yaml(text).readable


@NEEDS_C
@given(text=near_yaml())
def test_what_is_read_without_a_problem_is_what_pyyaml_reads(text):
    document = read_yaml(text)
    if document.problems or re.search("[\x85\u2028\u2029]", text):
        return
    try:
        data = C_PARSER(text).get_single_data()
    except (yaml.YAMLError, ValueError, LookupError):  # it wants a value where we see text
        return
    assert same(document.data, data)


def same(ours: Any, theirs: Any) -> bool:
    """Tell whether data is the same, but for what one version of YAML takes for text."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        if any(type(key) is not str for key in theirs):
            return len(ours) == len(theirs)
        return ours.keys() == theirs.keys() and all(same(ours[key], theirs[key]) for key in ours)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    if isinstance(ours, str) and isinstance(theirs, bool | int | float | date):
        return True
    if isinstance(ours, int | float) and isinstance(theirs, str):
        return DISPUTED.match(theirs) is not None
    return repr(ours) == repr(theirs)


@pytest.mark.corpus
def test_real_files_are_read_as_pyyaml_reads_them():
    checked = 0
    for path in sorted(SHARED.glob("c*/**/*.y*ml")):
        document = read_file(path)
        assert document.readable == (not STOPS & {*codes(document)}), path
        if not document.problems:
            assert same(document.data, yaml.safe_load(document.text)), path
            checked += 1
    assert checked


@pytest.mark.parametrize(
    ("text", "code"), [("a: &a {<<: *a}", "recursive-alias"), ("a: {<<: *x}", "unknown-alias")]
)
def test_an_alias_that_cannot_be_merged_is_one_fault(read, text, code):
    document = read(text)
    assert (codes(document), document.data) == ([code], {"a": {}})
