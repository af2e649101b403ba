"""Front matter: the values that Claude Code reads, with the place of everything as it was written.

What is claimed here of Claude Code was asked of it; `test_claude_code_corpus.py` asks again.
"""

from __future__ import annotations

import time
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from subspec.source import Document
from subspec.source import yaml as reader
from subspec.source.frontmatter import Fences, find_fences, read_front_matter, text_of
from subspec.source.tree import tree_of

PARSERS = [name for name in ("CSafeLoader", "SafeLoader") if hasattr(reader.yaml, name)]
"""PyYAML's parsers: the one in C may not have been built."""


def read(matter: str, *, before: str = "---\n", after: str = "---\nBody.\n") -> Document:
    """Read a text with that front matter."""
    text = before + matter + after
    fences = find_fences(text)
    assert fences is not None
    return read_front_matter(text, fences, "a.md")


def data_of(matter: str) -> Any:
    """Give what front matter says, which must be read without a word."""
    document = read(matter)
    assert document.problems == []
    return document.data


def repaired(matter: str) -> Any:
    """Give what front matter says at the second chance."""
    document = read(matter)
    assert document.problems[0].code == "front-matter-repaired"
    return document.data


def refused(matter: str) -> list[str]:
    document = read(matter)
    assert (document.readable, document.data) == (False, None)
    return [str(problem).removeprefix("a.md:") for problem in document.problems]


def written(document: Document, *path: str | int, at: Any = "value") -> str:
    start, end = document.offsets(path, at)
    return document.text[start:end]


def parts(text: str) -> tuple[str, str] | None:
    fences = find_fences(text)
    if fences is None:
        return None
    return text[fences.start : fences.end], text[fences.body_start : fences.body_end]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("---\na: 1\n---\nBody\n", ("a: 1\n", "Body")),
        ("---\na: 1\n---", ("a: 1\n", "")),
        ("---\n---\n", ("", "")),
        ("---\r\na: 1\r\n---\r\n\r\n Body \r\n", ("a: 1\r\n", "Body")),
        ("---  \n\n \na: 1\n---\n", ("a: 1\n", "")),
        ("---\u00a0\ufeff\na: 1\n---\u2028Body\u3000", ("a: 1\n", "Body")),
        ("---\n  a: 1\n  ---\nBody", ("  a: 1\n  ", "Body")),
        ("---\na: 1\n---Body\n---\nmore", ("a: 1\n", "Body\n---\nmore")),
        ("---\na: b --- c\nd: e\n---\n", ("a: b ", "c\nd: e\n---")),
        ("---\na: '---'\n---\n", ("a: '", "'\n---")),
        ("---\na: 1\n----\n", ("a: 1\n", "-")),
        ("---\n# ---- x\n---\n", ("# ", "- x\n---")),
        ("---\na: 1\n---\n\x1c\x85Body\x1c", ("a: 1\n", "\x1c\x85Body\x1c")),
        ("", None),
        ("Text", None),
        ("---", None),
        ("---\n", None),
        ("---\na: 1\n", None),
        ("---\na: 1\n--\n", None),
        ("--- # x\na: 1\n---\n", None),
        ("----\na: 1\n---\n", None),
        ("\n---\na: 1\n---\n", None),
        (" ---\na: 1\n---\n", None),
        ("---\ra: 1\r---\r", None),
        ("---\x1c\na: 1\n---\n", None),
    ],
)
def test_front_matter_ends_at_the_first_three_dashes(text, expected):
    assert parts(text) == expected


@given(st.text(st.sampled_from("-\n\r \ta:\u00a0\ufeff"), max_size=30))
@example("---\n \n---")
def test_fences_lie_in_the_text_in_their_order(rest):
    text = "---" + rest
    fences = find_fences(text)
    if fences is not None:
        order = [3, fences.start, fences.end, fences.end + 3, fences.body_start, fences.body_end]
        assert sorted([*order, len(text)]) == [*order, len(text)]
        assert text[fences.start - 1] == "\n"
        assert "---" not in text[fences.start : fences.end]


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    ("written_as", "value"),
    [
        ("text", "text"),
        ("yes", "yes"),
        ("2024-01-01", "2024-01-01"),
        ("1_000", "1_000"),
        ("1:30", "1:30"),
        ("=", "="),
        ("true", True),
        ("FALSE", False),
        ("~", None),
        ("", None),
        ("10", 10),
        ("010", 10),
        ("-007.50", -7.5),
        ("00", 0),
        ("00e1", 0.0),
        ("0x1F", 31),
        ("-0x10", -16),
        ("+0o17", 15),
        ("0xffffffffffffffff", 2**64 - 1),
        ("0x10000000000000000", "0x10000000000000000"),
        ("0o8", "0o8"),
        ("0b1", "0b1"),
        (".5", 0.5),
        ("1e3", 1000.0),
        ("1.2.3", "1.2.3"),
        ('"5"', "5"),
        ("! 5", "5"),
        ("!!str 5", "5"),
        ("!!str", ""),
        ("!!int 5", 5),
        ("!!int '5'", "5"),
        ("!own 5", "5"),
        ("!own", None),
        (", a", ", a"),
        (",", ","),
        ("a\u2028b\x85c", "a\u2028b\x85c"),
        ("a\x08\x07\x7f\ufeffb", "a\x08\x07\x7f\ufeffb"),
        ('"a\x0b\u2029b"', "a\x0b\u2029b"),
        ("\U0001f600", "\U0001f600"),
        ("\U000f0000\x01\U000f0001,", "\U000f0000\x01\U000f0001,"),
        ("[a, 'b', 3]", ["a", "b", 3]),
        ("[\n  a,\n  b\n]", ["a", "b"]),
        ("[a,\n # ]\n  b, {c: d\n }]", ["a", "b", {"c": "d"}]),
        ("{a: 1, b}", {"a": 1, "b": None}),
        ("\n- a\n- b", ["a", "b"]),
        ("|\n  a\n  b", "a\nb\n"),
        ("&x >- # c\n  a\n  b", "a b"),
        ('"a\n  b"', "a b"),
        ("a\n  b", "a b"),
    ],
)
def test_values_are_those_of_yaml_1_2(written_as, value, parser, monkeypatch):
    monkeypatch.setattr(reader, "_Loader", getattr(reader.yaml, parser))

    data = data_of(f"key: {written_as}\nlast: 1\n")

    assert data == {"key": value, "last": 1}
    assert type(data["key"]) is type(value)


@pytest.mark.parametrize("line", ["\t", "  \t ", "\t\r", "\t\n\n\t", "\t# c"])
@pytest.mark.parametrize(
    "matter",
    [
        "a: b\n{}\nc: d\n",
        "a: b\n{}\n",
        "c: d\na:\n- b\n{}\n",
        "a: |-\n    b\n{}\nc: d\n",
    ],
)
def test_tabs_on_a_line_without_content_may_follow_text(matter, line):
    assert data_of(matter.format(line))["a"] in ("b", ["b"])


@pytest.mark.parametrize(
    "matter",
    [
        "a: [b,\n\t\n  c]\nd: e # f\n",
        "a: [\n\t\n  'b', c]\nd: e # f\n",
        "a: 'b\n\t\n  c'\nd: e # f\n",
        "a: b\n\t\n  c\nd: e # f\n",
    ],
)
def test_tabs_on_a_line_without_content_may_stand_in_a_value(matter):
    assert data_of(matter)["d"] == "e"


@pytest.mark.parametrize(
    "before",
    ["a: 'b'\n", "a: [b]\n", "a: {b: c}\n", "a:\n", "a: b # c\n", "a: b\n# c\n", "# c\n"],
)
def test_elsewhere_they_need_a_second_chance(before):
    document = read(f"{before}\t\nd: e # f\n")

    assert document.data["d"] == "e # f"
    (problem,) = document.problems
    assert (problem.code, problem.span and problem.span.line) == (
        "front-matter-repaired",
        before.count("\n") + 2,
    )


def test_a_block_of_text_ends_in_a_line_end_though_the_fence_stands_on_its_line():
    document = read("a: |\n  b ")

    assert document.data == {"a": "b \n"}
    assert written(document, "a") == "|\n  b "
    assert document.span == (4, 13)


@pytest.mark.parametrize(
    "matter",
    [
        "base: &b {a: 1}\n<<: *b\nc: 2\n",
        "base: &b {a: 1}\n'<<': *b\nc: 2\n",
    ],
)
def test_mappings_are_merged(matter):
    assert data_of(matter) == {"base": {"a": 1}, "a": 1, "c": 2}


def test_what_cannot_be_merged_is_left_out():
    document = read("<<: text\na: 1\n")

    assert document.data == {"a": 1}
    assert [str(problem) for problem in document.problems] == [
        (
            "a.md:2:5: warning: '<<' takes a mapping or a list of mappings, not the text 'text';"
            " to take over the keys of a value '&base', write '<<: *base'"
            " [bad-merge]"
        )
    ]


def test_the_last_of_equal_keys_counts_at_the_place_of_the_last():
    document = read("a: 1\nb: {c: 1, c: 2, d: 3, c: 4}\na: 2\n")

    assert document.data == {"a": 2, "b": {"c": 4, "d": 3}}
    assert list(document.data) == ["a", "b"]
    assert document.offsets(("a",)) == (document.text.index("2\n---"),) * 1 + (
        document.text.index("\n---", 5),
    )
    assert written(document, "b", "c") == "4"
    assert written(document, "b", "d") == "3"
    assert [str(problem) for problem in document.problems] == [
        (
            "a.md:3:11: warning: the key 'c' is given again; remove the others; the last one counts"
            " [duplicate-key]"
        ),
        (
            "a.md:3:23: warning: the key 'c' is given again; remove the others; the last one counts"
            " [duplicate-key]"
        ),
        (
            "a.md:4:1: warning: the key 'a' is given again; remove the others; the last one counts"
            " [duplicate-key]"
        ),
    ]


def test_keys_are_text_as_javascript_writes_them():
    matter = "1: a\n1.0: b\ntrue: c\n~: d\n[x, [y, 2]]: e\n{f: g}: h\n"

    assert read(matter).data == {
        "1": "b",
        "true": "c",
        "null": "d",
        "x,y,2": "e",
        "[object Object]": "h",
    }


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("a", "a"),
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (2.5, "2.5"),
        (2.0, "2"),
        ([None, ["a"], 1.0], ",a,1"),
        ({"a": 1}, "[object Object]"),
    ],
)
def test_values_as_text(value, text):
    assert text_of(value) == text


def test_a_tag_of_a_mapping_or_a_list_says_nothing():
    document = read("a: !own [b]\n")

    assert document.data == {"a": ["b"]}
    assert [(p.code, p.severity) for p in document.problems] == [("yaml-tag", "warning")]


@pytest.mark.parametrize(
    ("matter", "expected"),
    [
        ("a: Use when: x\n", {"a": "Use when: x"}),
        ("a: Use: x # y\nb: c # d\n", {"a": "Use: x # y", "b": "c # d"}),
        ("a: *bold* x\n", {"a": "*bold* x"}),
        ("a: [b\n", {"a": "[b"}),
        ('a: @x `y` \\n "z": q\\\n', {"a": '@x `y` \\n "z": q\\'}),
        ("a: *x\nb: ['c', d]\n", {"a": "*x", "b": ["c", "d"]}),
        ("a: *x\nb: [c.d, e-f,g ]\n", {"a": "*x", "b": ["c.d", "e-f", "g"]}),
        ("a: *x\nb: [c] [d]\n", {"a": "*x", "b": "[c] [d]"}),
        ("a: *x\nb: [c]: [d]\n", {"a": "*x", "b": "[c]: [d]"}),
        ("a: *x\nb: '# c'\nd: \"e: f\"\n", {"a": "*x", "b": "# c", "d": "e: f"}),
        ("a: *x\nb: plain\nc:\n- d\n", {"a": "*x", "b": "plain", "c": ["d"]}),
        ("a: *x\nb: {c: d}\n", {"a": "*x", "b": "{c: d}"}),
        ("a: *x  \n", {"a": "*x  "}),
        ("a: *x", {"a": "*x"}),
        ("a:   *x\n", {"a": "*x"}),
        ("a:\n\t- b\n", {"a": ["b"]}),
        ("a: *x\nb: c\u2028\n", {"a": "*x", "b": "c\u2028"}),
        ("a: {b,\nc: d}\n", {"a": "{b,", "c": "d}"}),
    ],
)
def test_the_second_chance_quotes_what_looks_like_the_fault(matter, expected):
    assert repaired(matter) == expected


@pytest.mark.parametrize(
    "matter",
    [
        "a: Use when: x\r\n",  # lines with CR LF get no second chance
        "a: Use this:\n",
        'a: "b\n',
        "a: 'b' c\n",
        "a.b: c: d\n",  # nor have keys with other characters than letters, '-' and '_'
        "a:\n  b: c: d\n",
        "a: b\n  c: d\n",
        "a: *x\u2028\n",
        "a: |\nb\n",
        "a: &b *b\nc: 'd\n",
        "a: |\n\t\n  b\n",
        "a: |\n  b\n\t\n  c\n",
        "a: b\n# \0\n",
    ],
)
def test_what_cannot_be_repaired_is_refused(matter):
    assert refused(matter)


@pytest.mark.parametrize(
    ("matter", "said"),
    [
        (
            "a: 'x\ny'\n",
            (
                "3:1: error: a line that goes on with a value is indented no more than its key;"
                " indent it by two blanks [yaml-syntax]"
            ),
        ),
        (
            "b:\n  a: [x,\n  y]\n",
            (
                "4:3: error: a line that goes on with a value is indented no more than its key;"
                " indent it by two blanks [yaml-syntax]"
            ),
        ),
        (
            "b:\n- 'x\ny'\n",
            (
                "4:1: error: a line that goes on with a value is indented no more than its key;"
                " indent it by two blanks [yaml-syntax]"
            ),
        ),
        (
            "b.c:\n|\n  x\n",
            (
                "3:1: error: a line that goes on with a value is indented no more than its key;"
                " indent it by two blanks [yaml-syntax]"
            ),
        ),
        ("a.b: 'x'#y\n", "2:9: error: a comment needs a blank before it [yaml-syntax]"),
        ("a.b: &c |-#y\n  x\n", "2:11: error: a comment needs a blank before it [yaml-syntax]"),
    ],
)
def test_what_only_pyyaml_takes_is_refused(matter, said):
    first, *_ = refused(matter)

    # Lines at the margin that are no keys are all told of alike.
    if "\ny" in matter or "\n|" in matter:
        line = said.partition(":")[0]
        said = (
            f"{line}:1: error: a line at the margin is neither a key with a colon nor the end of a"
            " list; to write text in several lines, put '|' behind its key and indent them all"
            " [yaml-syntax]"
        )
    assert first == said


def test_text_at_the_margin_is_told_of_where_it_begins():
    matter = "name: a\ndescription: Use this.\n# c\n\n<example>\nuser says hi\n</example>\n"

    assert refused(matter) == [
        (
            "6:1: error: a line at the margin is neither a key with a colon nor the end of a list;"
            " to write text in several lines, put '|' behind its key and indent them all"
            " [yaml-syntax]"
        )
    ]
    assert read(matter).problems[0].excerpt == "<example>"


def test_a_repair_is_told_of_where_the_text_is_no_yaml():
    document = read("a: b\nc: Use when: x\n")

    assert [str(problem) for problem in document.problems] == [
        (
            "a.md:3:12: warning: this is not YAML, and Claude Code guesses: a colon with a blank"
            " after it begins a mapping, which cannot stand here; put the text in quotes"
            " [front-matter-repaired]"
        )
    ]
    assert document.problems[0].excerpt == "c: Use when: x"


def test_a_fault_that_is_left_has_its_place_as_written():
    assert refused("x: *a\ny: 'd' e\nz: *b\n") == [
        (
            "3:8: error: neither a key nor the end of the mapping (while parsing a block mapping"
            " from line 2); check the indentation and the quotes before this place [yaml-syntax]"
        )
    ]
    assert refused("x: *a\ny:\n\t\tz: *b\n") == [
        (
            "4:6: error: '*b' stands for a value named '&b', and there is none before it;"
            " to say that text, quote it [unknown-alias]"
        )
    ]


@pytest.mark.parametrize("before", ["---\n", "---  \n\n", "---\u00a0\r\n", "---\n\t\n"])
def test_all_has_its_place_in_the_whole_text(before):
    matter = "name: alpha\ntools: [Read, 'Bash(x)']\n# c\nmore:\n  - k: |\n      text\n"
    document = read(matter, before=before)

    assert document.text.startswith(before)
    assert written(document, "name") == "alpha"
    assert written(document, "tools", at="key") == "tools"
    assert written(document, "tools") == "[Read, 'Bash(x)']"
    assert written(document, "tools", 1) == "'Bash(x)'"
    assert written(document, "more", 0, "k", at="key") == "k"
    assert written(document, "more", 0, "k") == "|\n      text\n"


def test_all_has_its_place_as_written_at_the_second_chance():
    matter = 'a: Say "x": y\\z\nb:\n\t- c\nd: e\nf:   *g*\n'
    document = read(matter)

    assert document.data == {"a": 'Say "x": y\\z', "b": ["c"], "d": "e", "f": "*g*"}
    assert written(document, "a", at="key") == "a"
    assert written(document, "a") == 'Say "x": y\\z'
    assert written(document, "b", 0) == "c"
    assert written(document, "d", at="key") == "d"
    assert written(document, "d") == "e"
    assert written(document, "f") == "*g*"


@given(
    st.lists(
        st.text(st.sampled_from("abc :#'\"[]{}*&|>-,\\\t\u2028"), min_size=1, max_size=12),
        max_size=5,
    )
)
def test_places_are_right_whatever_the_values(values):
    matter = "".join(f"k{'x' * i}: {value}\n" for i, value in enumerate(values))
    if "---" in matter:
        return
    document = read("first: x\n" + matter)
    if document.readable and isinstance(document.data, dict):
        for key, value in document.data.items():
            assert text_of(key) in (written(document, key, at="key") or key)
            if isinstance(value, str) and value == value.strip() and value.isalpha():
                assert value in written(document, key)


HOSTILE = {
    "equal keys": "a: &x 1\n" * 12_000,
    "keys given twice": "".join(f"k{i}: 1\n" for i in range(6_000)) * 2,
    "lines to repair": "a: *x: \n" * 12_000,
    "lists": "a: " + "[" * 100_000,
    "mappings": "a: " + "{a: " * 25_000,
    "an open quote": "a: " + "'" * 100_001,
    "escapes": "a: " + '\\"' * 50_000 + ": x",
    "tabs": "\t" * 100_000 + "a: *b",
    "a list before a fault": "a: [" + "'x'," * 25_000 + "]\nb: *c\n",
    "lists before a fault": "a: [b]\n" * 14_000 + "b: *c\n",
    "odd lists before a fault": "a: ['']\n" * 10_000 + "b: *c\n",
    "a quoted text in lines": "a: '" + "\n x" * 33_000,
    "a list in lines": "a: [" + "\nx," * 33_000 + "]\n",
    "blanks": "a:" + " " * 100_000 + "*b",
    "anchors": "a: " + "&x " * 33_000,
    "tags": "a: " + "!x " * 33_000,
    "a block of text": "a: |\n" + "  x\n" * 25_000 + "b: *c\n",
    "items in a line": "- " * 50_000,
    "keys in a line": "? " * 50_000,
    "lines without a key": "x\n" * 50_000,
    "special characters": "a: " + "\x01" * 100_000,
    "commas": "a: ,\n" * 20_000,
    "line ends": "\n" * 100_000,
    "lines with tabs": "a: b\n" + "\t\n" * 50_000 + "b: c # d\n",
    "lines with tabs in a block": "a: |\n  b\n" + "\t\n" * 50_000,
    "lines with tabs in a list": "a: [b,\n" + "\t\n" * 50_000 + "  c]\nb: c # d\n",
    "aliases": "a: &a [x]\n" + "".join(f"b{i}: &b{i} [*a, *a]\n" for i in range(5_000)),
}


@pytest.mark.exhaustive
@pytest.mark.parametrize("what", HOSTILE)
def test_a_hundred_kilobytes_of_anything_are_read_in_no_time(what):
    start = time.process_time()
    read(HOSTILE[what])
    assert time.process_time() - start < 60  # it would take for ever


@pytest.mark.parametrize(
    "text", ["---" + "\n" * 500_000, "---\n" + " " * 500_000 + "-- -"], ids=["lines", "blanks"]
)
def test_the_end_of_front_matter_is_looked_for_once(text):
    start = time.process_time()
    assert find_fences(text) is None
    assert time.process_time() - start < 20  # it would take for ever


def test_fences_are_equal_by_what_they_say():
    assert find_fences("---\n---\n") == Fences(4, 4, 8, 8)


@pytest.mark.parametrize(
    "matter",
    [
        "name: a\nx: ,y\n",
        "name: a\n\t\nx: y\n",
        "name: a\nx: b: c\n  --- d\n",
        "name: a\nx: b\u2028c\n",
    ],
)
def test_how_front_matter_is_written_can_be_found_out_where_it_can_be_read(matter):
    text = f"---\n{matter}---\n"
    fences = find_fences(text)
    assert fences is not None
    document = read_front_matter(text, fences)
    assert document.readable
    root = tree_of(document, fences).root
    written = [text[key.start : key.end] for key in root.keys]
    assert written == list(document.data)
