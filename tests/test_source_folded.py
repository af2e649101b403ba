"""Folded text, and lines of it that stay where a paragraph does."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subspec.source import read_yaml
from subspec.source.folded import NARROWEST, fold_text

WRITTEN = ">\n  one two\n  three\n\n  four\n"


@pytest.mark.parametrize(
    ("wanted", "lines"),
    [
        ("one two three\nfour\n", [">", "one two", "three", "", "four"]),
        ("one two three\nfive", [">-", "one two", "three", "", "five"]),
        ("four\none two three\n\n\n", [">+", "four", "", "one two", "three", "", ""]),
        ("a\n\nb\n", [">", "a", "", "", "b"]),
        ("w " * 30 + "w", [">-", "w " * 19 + "w", "w " * 10 + "w"]),
        ("w " * 20 + " w w", [">-", "w " * 20 + " w w"]),
        ("x" * 100 + " y", [">-", "x" * 100, "y"]),
        ("wide-" * 20, [">-", "wide-" * 20]),
    ],
)
def test_paragraphs_that_stay_keep_their_lines(wanted, lines):
    assert fold_text(WRITTEN, wanted) == lines


@pytest.mark.parametrize("written", [">", ">\r\n  a b\r\n", ">\r  a b\r", ">-\n"])
def test_lines_end_in_every_way(written):
    assert fold_text(written, "a b c\n") == [">", "a b c"]


def test_lines_are_as_wide_as_those_that_stand_there():
    words = " ".join(["word"] * 40)
    narrow, wide = fold_text(">\n  a\n", words), fold_text(f">\n  {'x' * 99}\n", words)

    assert narrow is not None
    assert wide is not None
    assert max(map(len, narrow)) <= NARROWEST < max(map(len, wide)) <= 99


@pytest.mark.parametrize(
    "wanted", ["", "\n", "\n\n", " a", "\ta", "\na", "a ", "a \nb", "a\n b", "a\n\tb\n", "a\t\n"]
)
def test_what_folding_would_change_is_not_folded(wanted):
    assert fold_text(WRITTEN, wanted) is None


@given(st.text("ab \n", max_size=80))
def test_what_is_folded_reads_back(wanted):
    lines = fold_text(WRITTEN, wanted)

    if lines is not None:
        sign, *rest = lines
        text = "".join(
            f"{line}\n" for line in [f"a: {sign}", *(f"  {line}".rstrip() for line in rest)]
        )
        assert read_yaml(text).data == {"a": wanted}
