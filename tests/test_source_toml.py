"""TOML: what is read with places, and what a change leaves alone."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import TEXTS

from subspec.source.edit import NotFaithfulError
from subspec.source.toml import emit_toml, read_toml, rewrite_toml, toml_text

pytest.importorskip("tomlkit")

TEXT = '''\
# top
name = "a"  # its name
"odd key" = [1, # ] "
  "]", 2]
text = """
one \\\\ "two"
"""
raw = \'\'\'
x\'\'\'
a.b = 1
when = 2026-01-01
[table] # a table
inner = { c = "d" }
"q.r" = 'e'
[[more.list]]
x = 1.5
[[more.list]]
x = 2
[more.list.deep]
y = 3
'''


def place(document, *path, at="value"):
    start, end = document.offsets(path, at)
    return document.text[start:end]


def test_keys_and_their_values_have_places():
    document = read_toml(TEXT, "a.toml")

    assert document.data["when"] == "2026-01-01"
    assert place(document, "name") == '"a"'
    assert place(document, "name", at="key") == "name"
    assert place(document, "odd key") == '[1, # ] "\n  "]", 2]'
    assert place(document, "text") == '"""\none \\\\ "two"\n"""'
    assert place(document, "raw") == "'''\nx'''"
    assert place(document, "a") == "1"
    assert place(document, "a", "b", at="key") == "b"
    assert place(document, "table") == "table"
    assert place(document, "table", "inner") == '{ c = "d" }'
    assert place(document, "table", "inner", "c") == "inner"
    assert place(document, "table", "q.r") == "'e'"
    assert place(document, "more", "list", 0, "x") == "1.5"
    assert place(document, "more", "list", 1) == "list"
    assert place(document, "more", "list", 1, "x") == "2"
    assert place(document, "more", "list", 1, "deep", "y", at="key") == "y"
    assert place(document, "more", "list", 1, "none") == "list"
    assert place(document, "missing") == TEXT
    assert place(document) == TEXT


def test_what_the_writer_would_lay_out_anew_is_not_written():
    text = "a = 1\n[[b.c]]\nx = 1\n[['b'.c]]\nx = 2\n"

    assert place(read_toml(text), "b", "c", 1, "x") == "2"
    with pytest.raises(NotFaithfulError):
        rewrite_toml(read_toml(text), {"a": 2, "b": {"c": [{"x": 1}, {"x": 2}]}})


@pytest.mark.parametrize(
    ("text", "line", "column"),
    [("a = \n", 1, 5), ("a = 1\nb = 'x\n", 3, 1), ("a = [", 1, 6), ("a = 1\na = 2\n", 2, 6)],
)
def test_what_is_no_toml_is_said_with_its_place(text, line, column):
    document = read_toml(text, "a.toml")
    (problem,) = document.problems

    assert not document.readable
    assert problem.code == "toml-syntax"
    assert problem.message.startswith("not TOML: ")
    assert (problem.span.line, problem.span.column) == (line, column)


@pytest.mark.parametrize("text", ["a = " + "[" * 5000 + "]" * 5000, "a = " + "[" * 150 + "]" * 150])
def test_what_is_too_deep_is_refused(text):
    document = read_toml(text)

    assert [problem.code for problem in document.problems] == ["too-deep"]


def test_what_is_too_deep_has_its_place():
    (problem,) = read_toml(f"b = [{{}}]\na = {'[' * 5000}{']' * 5000}").problems

    assert (problem.span.line, problem.span.column) == (2, 105)
    (problem,) = read_toml(f"b = 1\n[{'.'.join('a' * 150)}]\nc = [1]\n").problems
    assert problem.code == "too-deep"


def test_a_number_of_thousands_of_digits_is_refused():
    document = read_toml(f"b = 1\na = {'9' * 5000} # many\n")
    (problem,) = document.problems

    assert not document.readable
    assert problem.code == "bad-number"
    assert problem.message.endswith("…' is no number that can be kept")
    span = problem.span
    assert (span.line, span.column, span.end_line, span.end_column) == (2, 5, 2, 5005)


def changed(text, /, **values):
    document = read_toml(text)
    wanted = {**document.data, **values}
    return rewrite_toml(document, {key: value for key, value in wanted.items() if value is not ...})


def test_only_what_differs_is_changed():
    assert changed(TEXT) == TEXT
    assert changed(TEXT, name="b") == TEXT.replace('name = "a"', 'name = "b"')
    assert changed(TEXT, raw="y\nz") == TEXT.replace("\nx'''", "\ny\nz'''")
    assert changed(TEXT, text="it's \\ it") == TEXT.replace(
        '\none \\\\ "two"\n"""', '\nit\'s \\\\ it"""'
    )
    assert changed(TEXT, name=...) == TEXT.replace('name = "a"  # its name\n', "")
    table = {"inner": {"c": "z"}, "q.r": "e"}
    assert changed(TEXT, table=table) == TEXT.replace('c = "d"', 'c = "z"')


LINES = """\
x = 1
args = [
  "a", # first
  "b", # second
]
"""


@pytest.mark.parametrize(
    ("items", "after"),
    [
        (["a", "b", "c"], LINES.replace("]", '  "c",\n]')),
        (["z", "a", "b"], LINES.replace('  "a"', '  "z",\n  "a"')),
        (["a"], LINES.replace('  "b", # second\n', "")),
        (["b"], LINES.replace('  "a", # first\n', "")),
        (["a", "c"], LINES.replace('"b"', '"c"')),
        (["a", "b"], LINES),
        ([["a"], "b"], 'x = 1\nargs = [["a"], "b"]\n'),
    ],
)
def test_items_of_a_list_keep_their_lines_and_comments(items, after):
    assert changed(LINES, args=items, x=1) == after


def test_a_list_that_cannot_be_changed_in_place_is_written_anew():
    text = 'args = [\n # c\n "c"\n# end\n]\n'

    assert changed(text, args=["a", "f", "d"]) == 'args = ["a", "f", "d"]\n'
    assert changed("a = [1, 2] # two\n", a=[1]) == "a = [1] # two\n"


def test_what_is_new_stands_before_the_tables():
    text = "a = 1\r\n\r\n[t]\r\nb = 2\r\n"
    found = changed(text, new="x\ny")

    assert read_toml(found).data == {"a": 1, "t": {"b": 2}, "new": "x\ny"}
    assert '"""\r\nx\r\ny"""' in found


def test_a_table_that_goes_leaves_no_empty_line_at_the_end():
    assert changed("a = 1\n\n[t]\nb = 2\n", t=...) == "a = 1\n"
    assert changed("a = 1\n\n[t]\nb = 2\n\n", t=...) == "a = 1\n\n"


@pytest.mark.parametrize("value", [None, [None], {"a": None}])
def test_there_is_no_null(value):
    with pytest.raises(ValueError, match="no null"):
        emit_toml({"a": value})


def test_half_of_a_surrogate_pair_cannot_be_written():
    for text in ("\ud800", "a\n\ud800"):
        with pytest.raises(ValueError, match="surrogate"):
            toml_text(text)


def test_a_quote_at_the_end_of_several_lines_is_escaped():
    assert toml_text('a\n"') == '"""\na\n\\""""'


def test_what_cannot_be_changed_is_not():
    document = read_toml("a.b = 1\n")
    document.data = {"missing": 1}

    with pytest.raises(NotFaithfulError):
        rewrite_toml(document, {})
    document = read_toml("a = 1\n")
    document.text = "b = 1\n"
    with pytest.raises(NotFaithfulError):
        rewrite_toml(document, {"a": 2})


VALUES = st.recursive(
    st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS.map(lambda text: text.replace("\r\n", "\n")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(TEXTS, VALUES, max_size=4))
def test_all_data_is_written_so_that_it_reads_back(data):
    assert read_toml(emit_toml(data)).data == data


@given(st.dictionaries(TEXTS, VALUES, max_size=3), st.dictionaries(TEXTS, VALUES, max_size=3))
def test_every_change_can_be_made_or_is_refused(old, new):
    document = read_toml(emit_toml(old))
    try:
        text = rewrite_toml(document, new)
    except NotFaithfulError:
        return
    assert read_toml(text).data == new


@given(TEXTS, st.sampled_from(["", "'a'", '"a"', '"""a"""', "'''a'''"]))
def test_every_text_survives(text, like):
    text = text.replace("\r\n", "\n")

    assert read_toml(f"a = {toml_text(text, like)}\n").data == {"a": text}
