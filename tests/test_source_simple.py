"""Simple front matter: it is read without a parser, and as the parser reads it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from real_files import CASES, CORPUS
from strategies import PIECES, TEXTS

from subspec.source import Document, frontmatter
from subspec.source import yaml as reader
from subspec.source.frontmatter import find_fences, read_front_matter
from subspec.source.simple import fill_simple

PARSERS = [name for name in ("CSafeLoader", "SafeLoader") if hasattr(reader.yaml, name)]
ROOT = Path(__file__).parents[1]
PLACES = [
    ROOT / "fixtures",
    *(pytest.param(each, marks=pytest.mark.corpus) for each in (CORPUS, CASES)),
]


def is_simple(matter: str) -> bool:
    text = f"---\n{matter}---\nBody\n"
    return fill_simple(Document(text), 4, 4 + len(matter))


def said(document: Document) -> Any:
    """All that reading gives, with the types of values."""
    marks = list(document.marks.values())
    return repr((document.data, document.span, marks, document.problems, document.readable))


def is_read_alike(text: str) -> bool:
    """See that a text is read alike in both ways; tell whether it is simple."""
    fences = find_fences(text)
    if fences is None:
        return False
    found = read_front_matter(text, fences, "a.md")
    with mock.patch.object(frontmatter, "fill_simple", return_value=False) as skipped:
        parsed = read_front_matter(text, fences, "a.md")
    skipped.assert_called_once()
    assert said(found) == said(parsed)
    return fill_simple(Document(text), fences.start, fences.end)


@pytest.mark.parametrize("parser", PARSERS)
@pytest.mark.parametrize(
    "matter",
    [
        "name: a\n",
        "name: reviewer\ndescription: Looks at code (all of it), says what's wrong.\nmodel: opus\n",
        "tools: Read, Grep, Bash(git log:*), mcp__db__query\n",
        "a: b:c#d \u2013 \u65e5\u672c \U0001f642 [x] {y} & * ! | > ' \" % @ `\n",
        "\u00e9t\u00e9: \u00e9t\u00e9\nargument-hint: a\n_: b\n",
        "a: true\nb: False\nc: 0\nd: 12\ne: 123456789012345\nf: nullify\ng: truest\nh: yes\n",
        'a: ""\nb: "x"\nc: "x\\ny \\"z\\" \\\\n"\nd: "a: b # c"\ne: " "\nf: "<<"\n',
        'a: "' + "x" * 5_000 + '"\nb: ' + "y" * 5_000 + "\n",
        "a: [b]\nc: [d-e, f_g, mcp__x]\nd: [\u00e9]\n",
    ],
)
def test_simple_front_matter_is_read_as_the_parser_reads_it(matter, parser, monkeypatch):
    monkeypatch.setattr(reader, "_Loader", getattr(reader.yaml, parser))
    assert is_simple(matter)
    for before in ("---\n", "---  \n\n", "---\u00a0\n"):
        for after in ("---\nBody\n", "---", "---x\r\n", "---\n\u2028 \n---\n"):
            assert is_read_alike(before + matter + after)


@pytest.mark.parametrize(
    "matter",
    [
        *("", "\n", "a\n", "a:\n", "a: \n", "a:b\n", "a:  b\n", "a : b\n", " a: b\n", "a: b \n"),
        *("a: b", "a: b\n\n", "a: b\n  c\n", "a: b\n# c\n", "- a: b\n", "? a: b\n", "a: b\nc\n"),
        *("a: b\r\n", "a: b\tc\n", "a: b\rc: d\n", "a: b\0\n", "a: b\x85c\n", "a: b\u2028c\n"),
        *("a: b\ufeff\n", "a: b\u00a0c\n", "a: b\x7f\n", "a: b\ud800\n", "a: b\uffff\n"),
        *("a: b: c\n", "a: b:\n", "a: b # c\n", "a: b\na: c\n", "a: null\n", "a: ~\n", "a: Null\n"),
        *("null: b\n", "true: b\n", "False: b\n", "1: b\n", "<<: b\n", "-: b\n", "-a: b\n"),
        *("a b: c\n", "a.b: c\n", "'a': b\n", "&a b: c\n", "x" * 101 + ": a\n"),
        *("a: &b c\n", "a: *b\n", "a: !b c\n", "a: |\n", "a: > b\n", "a: 'b'\n", "a: {b: c}\n"),
        *("a: -1\n", "a: 012\n", "a: 1.5\n", "a: 1e3\n", "a: 0x1F\n", "a: 1_000\n", "a: \u0663\n"),
        *("a: 1234567890123456\n", "a: 2001-01-01\n", "a: 5 x\n", "a: .inf\n", "a: ,b\n"),
        *('a: "\n', 'a: "b" c\n', 'a: "b"c"\n', 'a: "b\\t"\n', 'a: "b\\"\n', 'a: "b" # c\n'),
        *("a: [\n", "a: []\n", "a: [b\n", "a: [b,c]\n", "a: [b,  c]\n", "a: [b, ]\n", "a: [ b]\n"),
        *("a: [b, null]\n", "a: [b, 1]\n", "a: [-]\n", "a: [-b]\n", "a: [[b]]\n", "a: [b: c]\n"),
        *('a: ["b"]\n', "a: [b] \n", "a: [b] # c\n", "a: [b, *c]\n", "a: [Bash(b)]\n"),
    ],
)
def test_all_else_is_left_to_the_parser(matter):
    document = Document(f"---\n{matter}---\n")
    assert not fill_simple(document, 4, 4 + len(matter))
    assert document == Document(f"---\n{matter}---\n")
    is_read_alike(f"---\n{matter}---\n")


def test_what_is_printable_is_left_alone_by_the_parser():
    printable = "".join(filter(str.isprintable, map(chr, range(sys.maxunicode + 1))))
    assert frontmatter._SPECIAL.search(printable) is None


KEYS = st.sampled_from("a b name tools argument-hint null True <<".split()) | st.sampled_from(
    PIECES
)
VALUES = st.one_of(
    TEXTS,
    TEXTS.map('"{}"'.format),
    st.lists(st.sampled_from("a b-c true - 1".split()) | TEXTS).map(", ".join).map("[{}]".format),
    st.integers().map(str),
    st.lists(st.sampled_from(["word", *PIECES])).map(" ".join).map("x{}".format),
)
LINES = st.builds("{}{}{}".format, KEYS, st.sampled_from([": "] * 9 + [":"]), VALUES)
ENDS = st.sampled_from(["\n"] * 9 + ["\r\n"])


@st.composite
def matters(draw: st.DrawFn) -> str:
    """Make front matter of which some is simple, and some nearly."""
    lines = draw(st.lists(LINES, min_size=1, max_size=4))
    return "".join(line + draw(ENDS) for line in lines)


@given(matters(), st.sampled_from(["---\nBody", " ---", "---", "x---\n"]))
@example('a: "\\\\"\n', "---")
@example('a: "\\\\\\n"\n', "---")
def test_no_front_matter_is_read_otherwise(matter, after):
    is_read_alike(f"---\n{matter}{after}")


@given(st.text(st.sampled_from("ab:# \n\"\\[],-1t'"), max_size=30).map("a: b{}\n".format))
def test_no_short_front_matter_is_read_otherwise(matter):
    is_read_alike(f"---\n{matter}---\n")


@given(st.text(st.sampled_from('ab:# \\n"'), max_size=12).map('a: "{}"\n'.format))
def test_no_short_text_in_quotes_is_read_otherwise(matter):
    is_read_alike(f"---\n{matter}---\n")


def texts_in(place: Path) -> Iterator[str]:
    for path in sorted(place.rglob("*.md")):
        yield path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
def test_real_files_are_read_alike(place):
    if not place.is_dir():
        pytest.skip("these files are not at hand")
    simple = [is_read_alike(text) for text in texts_in(place)]
    assert True in simple
    assert False in simple
