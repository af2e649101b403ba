"""Places: from offsets to lines and columns, and from paths in the data to offsets."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subspec.problems import MISSING_KEY, UNKNOWN_KEY, WRONG_TYPE, Problem, Span
from subspec.source import Document, read_json, read_yaml

TEXT = """\
agents:
  writer:
    description: Writes.
    tools: [Read, {name: x}]
  empty:
host: 1
"""


@pytest.fixture(params=["yaml", "json"])
def document(request) -> Document:
    """Give the same data read from YAML and from JSON."""
    if request.param == "yaml":
        return read_yaml(TEXT, "team.yaml")
    text = (
        '{"agents": {"writer": {"description": "Writes.",'
        ' "tools": ["Read", {"name": "x"}]}, "empty": null}, "host": 1}'
    )
    return read_json(text, "team.json")


def said(document: Document, *path: str | int, at: str = "value") -> str:
    start, end = document.offsets(path, at)
    return document.text[start:end].strip('"')


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_every_kind_of_line_end_ends_a_line(end):
    document = Document(end.join(["ab", "", "cd", "é😀f", ""]))
    at = document.text.index
    assert document.spell(0, 2) == Span(1, 1, 1, 3)
    assert document.spell(at("d"), at("d") + 1) == Span(3, 2, 3, 3)
    assert document.spell(at("f"), at("f") + 1) == Span(4, 3, 4, 4)
    assert document.spell(at("b"), at("d")) == Span(1, 2, 3, 2)
    assert document.spell(len(document.text), len(document.text)) == Span(5, 1, 5, 1)


def test_line_ends_may_be_mixed():
    document = Document("a\nb\r\nc\rd\n\re\r\r\nf")
    lines = {text: document.spell(i, i + 1).line for i, text in enumerate(document.text)}
    assert {c: lines[c] for c in "abcdef"} == {"a": 1, "b": 2, "c": 3, "d": 4, "e": 6, "f": 8}
    assert [document.excerpt(line) for line in range(1, 9)] == [*"abcd", "", "e", "", "f"]


def test_what_only_python_takes_for_a_line_end_ends_no_line():
    document = Document("a\x0bb\x0cc\x1cd\x85e\u2028f\u2029g")
    assert document.spell(12, 13) == Span(1, 13, 1, 14)
    assert document.excerpt(1) == document.text


def test_a_tab_and_a_wide_character_are_one_column_each():
    assert Document("\t漢😀x").spell(3, 4) == Span(1, 4, 1, 5)


@pytest.mark.parametrize(
    ("text", "start", "end", "span"),
    [
        ("|\n x\n\n\nb", 0, 6, Span(1, 1, 2, 3)),
        ("|\r\n x\r\n\r\nb", 0, 9, Span(1, 1, 2, 3)),
        ("x  \t\n", 0, 5, Span(1, 1, 1, 2)),
        ("a\n\nb", 1, 3, Span(1, 2, 1, 2)),
        ("a b", 1, 2, Span(1, 2, 1, 2)),
        ("a\u2028", 0, 2, Span(1, 1, 1, 3)),
        ("", 0, 0, Span(1, 1, 1, 1)),
        ("ab", 2, 3, Span(1, 3, 1, 3)),
        ("ab\n", 3, 4, Span(2, 1, 2, 1)),
    ],
)
def test_a_span_ends_before_the_blanks_at_its_end(text, start, end, span):
    assert Document(text).spell(start, end) == span
    assert Document(text).spell_once(start, end) == span


@given(st.text("ab\r\n\t é😀"), st.data())
def test_lines_and_columns_lead_back_to_the_text(text, data):
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    document = Document(text)
    span = document.spell(start, end)
    assert document.spell_once(start, end) == span
    starts = [0, *(match.end() for match in re.finditer("\r\n|\r|\n", text))]
    begin = starts[span.line - 1] + span.column - 1
    stop = starts[span.end_line - 1] + span.end_column - 1
    assert begin == start
    assert text[begin:stop] == text[start:end].rstrip("\r\n\t ")
    excerpts = [document.excerpt(line) for line in range(1, len(starts) + 1)]
    assert excerpts == re.split("\r\n|\r|\n", text)


def test_the_line_of_many_faults_is_kept_once():
    width, faults = 20_000, 1_000
    document = Document("\n" + "x" * width)
    problem = WRONG_TYPE.problem("wrong")
    placed = [document.at(problem, start, start + 1) for start in range(1, faults)]
    excerpts = {id(problem.excerpt): problem.excerpt for problem in placed}
    assert sum(map(len, excerpts.values())) < 10 * width


def test_keys_and_values_are_found(document):
    assert said(document, "agents", "writer", "description") == "Writes."
    assert said(document, "agents", "writer", "description", at="key") == "description"
    assert said(document, "agents", at="key") == "agents"
    assert said(document, "host") == "1"
    assert said(document, "agents", "writer", "tools", 0) == "Read"
    assert said(document, "agents", "writer", "tools", 1, "name") == "x"
    assert said(document, "agents", "writer", "tools", 1, "name", at="key") == "name"


def test_an_item_has_no_key_and_is_shown_itself(document):
    assert said(document, "agents", "writer", "tools", 0, at="key") == "Read"
    assert "name" in said(document, "agents", "writer", "tools", 1, at="key")


def test_the_empty_path_is_the_whole(document):
    assert document.offsets(()) == document.span
    assert document.text[slice(*document.span)].strip() == document.text.strip()


@pytest.mark.parametrize("at", ["key", "value"])
@pytest.mark.parametrize(
    ("path", "shown"),
    [
        (("agents", "writer", "prompt"), "writer"),
        (("agents", "writer", "prompt", "deeper", 3), "writer"),
        (("agents", "nobody"), "agents"),
        (("agents", 0), "agents"),
        (("agents", "writer", "tools", 2), "tools"),
        (("agents", "writer", "tools", "x"), "tools"),
        (("agents", "writer", "description", "x"), "description"),
        (("agents", "writer", "description", 0), "description"),
        (("agents", "empty", "description"), "empty"),
        (("agents", "writer", "tools", 0, "x"), "Read"),
        (("host", 0), "host"),
    ],
)
def test_what_is_missing_is_shown_by_the_last_key_that_is_there(document, path, shown, at):
    assert said(document, *path, at=at) == shown


def test_a_name_that_comes_again_below_is_not_mixed_up():
    document = read_json('{"a": {"b": {"a": 1}}}')
    assert said(document, "a", "b", "x") == "b"
    assert said(document, "a", "a", "b") == "a"


def test_a_path_that_is_missing_from_the_start_is_the_whole(document):
    assert document.offsets(("nothing",)) == document.offsets((0,)) == document.span


def test_an_empty_value_stands_behind_its_colon():
    document = read_yaml(TEXT)
    start, end = document.offsets(("agents", "empty"))
    assert start == end
    assert document.text[:start].endswith("  empty:")


def test_a_part_behind_an_alias_stands_where_it_is_written():
    document = read_yaml("a: &x {k: v}\nb: *x\nc:\n  <<: *x\n")
    assert said(document, "b") == "*x"
    written = document.offsets(("a", "k"))
    assert document.offsets(("b", "k")) == document.offsets(("c", "k")) == written


def test_the_values_of_a_mapping_have_spans_in_its_order(document):
    spans = list(document.value_spans(document.data["agents"]))
    found = [
        document.spell(*document.offsets(("agents", "writer"))),
        document.spell(*document.offsets(("agents", "empty"))),
    ]
    assert spans == found


@pytest.mark.parametrize("other", [None, {}, [], "text"], ids=repr)
def test_what_was_not_read_has_no_spans(document, other):
    assert list(document.value_spans(other)) == []


def test_a_problem_is_placed_at_its_value():
    document = read_yaml(TEXT, "team.yaml")
    (placed,) = document.place([WRONG_TYPE.problem("wrong", ("agents", "writer", "description"))])
    assert str(placed) == "team.yaml:3:18: error: agents.writer.description: wrong [wrong-type]"
    assert placed.excerpt == "    description: Writes."
    assert placed.snippet == "    description: Writes.\n                 ^^^^^^^"


def test_a_problem_of_a_key_is_placed_at_its_key():
    document = read_yaml(TEXT, "team.yaml")
    (placed,) = document.place([UNKNOWN_KEY.problem("odd", ("agents", "writer"))])
    assert (placed.file, placed.span) == ("team.yaml", Span(2, 3, 2, 9))


def test_a_missing_key_is_placed_at_the_key_that_lacks_it():
    document = read_yaml(TEXT)
    (placed,) = document.place([MISSING_KEY.problem("lacks", ("agents", "writer", "prompt"))])
    assert placed.span == Span(2, 3, 2, 9)


def test_many_problems_keep_their_order():
    document = read_yaml(TEXT)
    problems = [WRONG_TYPE.problem("wrong", path) for path in [("host",), (), ("agents",)]]
    assert [problem.path for problem in document.place(problems)] == [("host",), (), ("agents",)]


def test_a_problem_that_has_a_place_keeps_it():
    span = Span(9, 9, 9, 10)
    problem = WRONG_TYPE.problem("wrong", ("host",), span=span, file="other.md", excerpt="x")
    assert read_yaml(TEXT, "team.yaml").place([problem]) == [problem]


def test_a_problem_that_has_a_span_only_gets_the_file():
    problem = WRONG_TYPE.problem("wrong", span=Span(9, 9, 9, 10))
    (placed,) = read_yaml(TEXT, "team.yaml").place([problem])
    assert (placed.file, placed.span, placed.excerpt) == ("team.yaml", problem.span, None)


def test_without_text_there_is_a_file_and_no_span():
    problem = Problem("wrong-type", "error", "wrong", ("a",))
    (placed,) = Document("", file="team.yaml").place([problem])
    assert (placed.file, placed.span) == ("team.yaml", None)
