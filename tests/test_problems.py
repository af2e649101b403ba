"""How problems are said, carried by errors and warnings, and kept apart by their codes."""

from __future__ import annotations

import _thread
import copy
import inspect
import pickle
import re
import threading
import unicodedata
import warnings
from pathlib import Path
from typing import Any

import attrs
import cattrs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import subspec
from subspec import problems as problems_module
from subspec.problems import (
    CODES,
    Code,
    Problem,
    Span,
    SpecError,
    SpecWarning,
    below,
    closest,
    did_you_mean,
    dotted,
    errors_in,
    fold,
    has_errors,
    one_of,
    printable,
    quoted,
    warn,
)
from subspec.spec import SubagentSpec

PACKAGE = Path(problems_module.__file__).parent

MISSPELT = Problem(
    "unknown-model",
    "error",
    "'sonet' is not a model alias or id",
    path=("agents", "analyst", "model"),
    file="team.yaml",
    span=Span(12, 12, 12, 17),
    hint="did you mean 'sonnet'?",
    excerpt="    model: sonet",
)
ODD = Problem("unknown-tool", "warning", "odd")

ANY_TEXT = st.text(st.characters(exclude_categories=()))
ONE_LINE = ANY_TEXT.filter(lambda text: len(text.splitlines()) < 2)


# A problem in a line


def test_a_problem_is_one_line_as_editors_list_them():
    assert str(MISSPELT) == (
        "team.yaml:12:12: error: agents.analyst.model: 'sonet' is not a model alias or id;"
        " did you mean 'sonnet'? [unknown-model]"
    )


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({}, "t.yaml:3:5: error: a.model: no such model; say 'haiku' [unknown-model]"),
        ({"span": None}, "t.yaml: error: a.model: no such model; say 'haiku' [unknown-model]"),
        ({"file": None}, "<text>:3:5: error: a.model: no such model; say 'haiku' [unknown-model]"),
        (
            {"file": None, "span": None},
            "error: a.model: no such model; say 'haiku' [unknown-model]",
        ),
        ({"path": ()}, "t.yaml:3:5: error: no such model; say 'haiku' [unknown-model]"),
        ({"hint": None}, "t.yaml:3:5: error: a.model: no such model [unknown-model]"),
        (
            {"file": None, "span": None, "path": (), "hint": None},
            "error: no such model [unknown-model]",
        ),
        (
            {"severity": "info"},
            "t.yaml:3:5: info: a.model: no such model; say 'haiku' [unknown-model]",
        ),
    ],
    ids=["all", "no-span", "no-file", "no-place", "no-path", "no-hint", "bare", "severity"],
)
def test_what_a_problem_does_not_know_is_left_out_of_its_line(change, line):
    whole = Problem(
        "unknown-model",
        "error",
        "no such model",
        path=("a", "model"),
        file="t.yaml",
        span=Span(3, 5, 3, 9),
        hint="say 'haiku'",
    )

    assert str(attrs.evolve(whole, **change)) == line


@given(message=ANY_TEXT, file=ANY_TEXT, hint=ANY_TEXT, key=ANY_TEXT)
def test_nothing_in_a_file_makes_a_problem_more_than_one_harmless_line(message, file, hint, key):
    line = str(Problem("wrong-type", "error", message, (key,), file, Span(1, 2, 1, 3), hint))

    assert len(line.splitlines()) == 1
    assert all(character.isprintable() or character == "\t" for character in line)


def test_the_excerpt_is_kept_out_of_the_repr():
    assert "excerpt" not in repr(MISSPELT)
    assert "span=Span(line=12, column=12, end_line=12, end_column=17)" in repr(MISSPELT)


def test_problems_and_spans_are_frozen_values():
    assert hash(MISSPELT) == hash(copy.deepcopy(MISSPELT))
    assert pickle.loads(pickle.dumps(MISSPELT)) == MISSPELT  # noqa: S301 - our own bytes
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        MISSPELT.code = "other"  # type: ignore[misc]
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        MISSPELT.span.line = 1  # type: ignore[misc]


# A problem under its source line


def marked(excerpt, start, end, end_line=1):
    """A problem in the first line of a text, from one column to another."""
    return Problem("x", "error", "m", span=Span(1, start, end_line, end), excerpt=excerpt)


@pytest.mark.parametrize(
    ("excerpt", "start", "end", "snippet"),
    [
        ("model: sonet", 8, 13, "model: sonet\n       ^^^^^"),
        ("model: sonet", 1, 6, "model: sonet\n^^^^^"),
        ("model:", 7, 7, "model:\n      ^"),
        ("model: x", 8, 8, "model: x\n       ^"),
        ("", 1, 1, "\n^"),
        ("a\tb: c", 6, 7, "a\tb: c\n \t   ^"),
        ("\t\tx", 3, 4, "\t\tx\n\t\t^"),
        ("a\tb", 1, 4, "a\tb\n^^^"),
        ("\x1b[31m: x", 8, 9, "\\x1b[31m: x\n          ^"),
        ("a: \x00\x07b", 4, 6, "a: \\x00\\x07b\n   ^^^^^^^^"),
        ("é: 漢字", 4, 6, "é: 漢字\n   ^^^^"),
        ("\uff21e\u0301: x", 6, 7, "\uff21e\u0301: x\n     ^"),
        ("a: \u202etxt", 5, 8, "a: \\u202etxt\n         ^^^"),
    ],
    ids=[
        *["value", "key", "end-of-line", "empty-span", "empty-line"],
        *["tab-before", "tabs-before", "tab-inside"],
        *["escape-before", "controls-inside", "wide-letters", "wide-and-accent", "bidi-before"],
    ],
)
def test_a_snippet_has_carets_under_the_fault(excerpt, start, end, snippet):
    assert marked(excerpt, start, end).snippet == snippet


def test_a_snippet_of_several_lines_marks_the_first_to_its_end():
    assert marked("tools: [Read,", 8, 2, end_line=3).snippet == "tools: [Read,\n       ^^^^^^"


def test_a_line_of_a_hundred_characters_is_shown_whole():
    line = "k: " + "x" * 97

    assert marked(line, 1, 2).snippet == f"{line}\n^"
    assert marked(line, 100, 101).snippet == f"{line}\n{' ' * 99}^"


@pytest.mark.parametrize(
    ("start", "end", "before", "carets"),
    [(1, 2, 0, 1), (51, 52, 50, 1), (501, 504, 50, 3), (501, 900, 50, 50), (1000, 1001, 50, 1)],
    ids=["begin", "half-a-window", "middle", "longer-than-the-window", "end"],
)
def test_a_wide_line_is_cut_to_a_window_around_the_fault(start, end, before, carets):
    line = "".join(chr(ord("a") + index % 26) for index in range(1000))
    first = start - 1 - before

    shown, caret = marked(line, start, end).snippet.split("\n")

    assert shown == line[first : first + 100]
    assert caret == " " * before + "^" * carets


def test_a_line_of_a_megabyte_is_cut_too():
    shown, caret = marked("x" * 2**20, 2**19, 2**20).snippet.split("\n")

    assert len(shown) == len(caret) == 100


@pytest.mark.parametrize(
    "problem",
    [attrs.evolve(MISSPELT, excerpt=None), attrs.evolve(MISSPELT, span=None)],
    ids=["no-text", "no-place"],
)
def test_there_is_no_snippet_without_a_text_and_a_place(problem):
    assert problem.snippet is None


def columns(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(character) in "FW" for character in text)
    return len(text) + wide - sum(unicodedata.combining(character) > 0 for character in text)


@given(data=st.data(), excerpt=ONE_LINE.filter(bool) | st.text("ab\t\x1b\u202e", min_size=90))
def test_the_first_caret_stands_under_the_first_character_of_the_fault(data, excerpt):
    start = data.draw(st.integers(0, len(excerpt) - 1))
    end = data.draw(st.integers(start + 1, len(excerpt)))

    shown, caret = marked(excerpt, start + 1, end + 1).snippet.split("\n")

    padding = caret[: len(caret) - len(caret.lstrip())]
    before = next(
        shown[:length]
        for length in range(len(shown))
        if columns(shown[:length]) == len(padding)
        and shown[length:].startswith(printable(excerpt[start]))
    )
    assert set(caret[len(padding) :]) == {"^"}
    assert len(caret) <= max(columns(shown), len(padding) + 1)
    # A tab pads a tab, so that the caret stays in place however wide they are shown.
    assert padding.count("\t") == before.count("\t")


# printable, quoted, dotted


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("tab\tstays", "tab\tstays"),
        ("é 漢 😀", "é 漢 😀"),
        ("\x1b]0;title\x07", "\\x1b]0;title\\x07"),
        ("\x9b31m", "\\x9b31m"),
        ("a\nb\r\nc\rd", "a\\nb\\r\\nc\\rd"),
        ("a\x85b\u2028c\u2029d\x0be\x0cf", "a\\x85b\\u2028c\\u2029d\\x0be\\x0cf"),
        ("\u202eevil\u202c", "\\u202eevil\\u202c"),
        ("\u2066a\u2069\u200f", "\\u2066a\\u2069\\u200f"),
        ("zero\u200bwidth\u200d", "zero\\u200bwidth\\u200d"),
        ("\ufeffmark", "\\ufeffmark"),
        ("no-break\xa0space", "no-break\\xa0space"),
        ("\ud800", "\\ud800"),
        ("\U000e0041", "\\U000e0041"),
        ("\x7f\x00", "\\x7f\\x00"),
        ("", ""),
    ],
    ids=[
        *["plain", "tab", "letters", "osc", "csi", "newlines", "line-separators", "override"],
        *["isolates", "zero-width", "bom", "no-break-space", "surrogate", "tag", "del", "empty"],
    ],
)
def test_what_would_play_tricks_on_a_terminal_is_escaped(text, shown):
    assert printable(text) == shown


@given(ANY_TEXT)
def test_printable_text_is_printable_and_stays_as_it_is(text):
    once = printable(text)

    assert all(character.isprintable() or character == "\t" for character in once)
    assert printable(once) == once


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("sonet", "'sonet'"),
        ("", "''"),
        ("two\nlines", "'two\\nlines'"),
        ("\x1b[0m", "'\\x1b[0m'"),
        (12, "12"),
        (None, "None"),
        (["a", 1], "['a', 1]"),
        ("x" * 60, f"'{'x' * 60}'"),
        ("x" * 61, f"'{'x' * 60}…'"),
        ([1] * 100, f"{repr([1] * 100)[:60]}…"),
    ],
    ids=["text", "empty", "lines", "escape", "number", "none", "list", "60", "61", "long-list"],
)
def test_values_are_quoted_on_one_short_line(value, shown):
    assert quoted(value) == shown


def test_the_limit_of_a_quoted_value_can_be_set():
    assert quoted("abcdef", limit=3) == "'abc…'"
    assert quoted("abc", limit=3) == "'abc'"


@pytest.mark.parametrize(
    ("path", "written"),
    [
        ((), ""),
        (("agents",), "agents"),
        (("agents", "writer", "tools", 0), "agents.writer.tools[0]"),
        (("a", 1, 2, "b"), "a[1][2].b"),
        ((3,), "[3]"),
        (("my-agent", "max_turns"), "my-agent.max_turns"),
        (("agents", "my agent", "model"), "agents.'my agent'.model"),
        (("a.b",), "'a.b'"),
        (("a[0]", "x"), "'a[0]'.x"),
        (("", "-", "__"), "''.'-'.'__'"),
        (("12", "été"), "12.été"),
        (("a", "x\ny"), "a.'x\\ny'"),
        (("k" * 60, "k" * 100, " " * 100), f"{'k' * 60}.'{'k' * 60}…'.'{' ' * 60}…'"),
    ],
    ids=[
        *["empty", "key", "usual", "numbers", "number-first", "dashes", "blank", "dot", "bracket"],
        *["no-letters", "digits-and-accents", "newline", "long"],
    ],
)
def test_paths_are_written_with_dots_and_odd_keys_in_quotes(path, written):
    assert dotted(path) == written


# Suggestions


@pytest.mark.parametrize(
    ("name", "match"),
    [
        ("sonet", "sonnet"),
        ("SONNET", "sonnet"),
        ("hiaku", "haiku"),
        ("max-turns", "max_turns"),
        ("maxTurns", "max_turns"),
        ("max_turn", "max_turns"),
        ("maxturns" + "x" * 1000, None),
        ("zebra", None),
        ("", None),
        ("-_-", None),
    ],
    ids=repr,
)
def test_the_name_that_was_meant_is_found(name, match):
    known = ["sonnet", "haiku", "max_turns"]

    assert closest(name, known) == match
    assert did_you_mean(name, iter(known)) == (match and f"did you mean '{match}'?")


def test_a_name_is_suggested_as_it_is_spelt():
    assert closest("webfetch", ["WebFetch", "WebSearch"]) == "WebFetch"
    assert closest("anything", []) is None


def test_a_very_long_name_is_compared_by_its_beginning_only():
    assert closest("a" * 10**6, ["b" * 10**5]) is None
    assert closest("a" * 10**6, ["a" * 100]) == "a" * 100


def test_spellings_of_one_name_fold_into_one():
    assert {fold(name) for name in ("max_turns", "max-turns", "maxTurns", "MaxTurns")} == {
        "maxturns"
    }


@pytest.mark.parametrize(
    ("names", "listed"),
    [(["a"], "'a'"), (["a", "b"], "'a' or 'b'"), (["a", "b", "c"], "'a', 'b' or 'c'")],
    ids=["one", "two", "three"],
)
def test_choices_are_listed_in_words(names, listed):
    assert one_of(iter(names)) == listed


# Sorting problems


def test_below_puts_a_path_before_each_path():
    inner = [attrs.evolve(ODD, path=(0,)), ODD]

    assert [problem.path for problem in below(("agents", "a"), iter(inner))] == [
        ("agents", "a", 0),
        ("agents", "a"),
    ]


def test_errors_are_told_from_warnings_and_remarks():
    remark = attrs.evolve(ODD, severity="info")

    assert has_errors([ODD, MISSPELT])
    assert not has_errors([ODD, remark])
    assert not has_errors([])
    assert errors_in(iter([ODD, MISSPELT, remark])) == [MISSPELT]


# SpecError and SpecWarning


def test_an_error_is_a_value_error_that_says_every_problem_on_its_line():
    error = SpecError(iter([MISSPELT, ODD]))

    assert isinstance(error, ValueError)
    assert error.problems == (MISSPELT, ODD)
    assert str(error) == f"{MISSPELT}\n{ODD}"


def test_an_error_without_problems_says_nothing():
    assert str(SpecError([])) == ""


@pytest.mark.parametrize("code", sorted(CODES))
def test_the_source_is_shown_where_the_text_itself_is_wrong(code):
    problem = attrs.evolve(MISSPELT, code=code)

    lines = str(SpecError([problem, ODD])).split("\n")

    if code in ("yaml-syntax", "json-syntax", "toml-syntax", "bad-character"):
        source = ["        model: sonet", "               ^^^^^"]
        assert lines == [str(problem), *source, str(ODD)]
    else:
        assert lines == [str(problem), str(ODD)]


def test_a_syntax_error_without_a_place_shows_no_source():
    problem = attrs.evolve(MISSPELT, code="yaml-syntax", span=None)

    assert str(SpecError([problem])) == str(problem)


def test_a_problem_of_a_kind_of_ones_own_can_be_said_in_an_error():
    own = Problem("house-rule", "error", "no agent may be called bob")

    assert str(SpecError([own])) == "error: no agent may be called bob [house-rule]"


@pytest.mark.parametrize(
    "again",
    [
        copy.copy,
        copy.deepcopy,
        *(
            lambda error, protocol=protocol: pickle.loads(pickle.dumps(error, protocol))  # noqa: S301 - our own bytes
            for protocol in range(pickle.HIGHEST_PROTOCOL + 1)
        ),
    ],
    ids=["copy", "deepcopy", *(f"pickle-{n}" for n in range(pickle.HIGHEST_PROTOCOL + 1))],
)
def test_errors_and_warnings_reach_another_process_whole(again):
    error = again(SpecError([MISSPELT, ODD]))
    warning = again(SpecWarning(MISSPELT))

    assert type(error) is SpecError
    assert error.problems == (MISSPELT, ODD)
    assert error.problems[0].excerpt == MISSPELT.excerpt
    assert str(error) == f"{MISSPELT}\n{ODD}"
    assert type(warning) is SpecWarning
    assert warning.problem == MISSPELT
    assert str(warning) == str(MISSPELT)


def test_a_warning_is_a_user_warning_that_says_its_problem():
    warning = SpecWarning(ODD)

    assert isinstance(warning, UserWarning)
    assert warning.problem is ODD
    assert str(warning) == "warning: odd [unknown-tool]"


# Where a warning points


@attrs.frozen
class Team:
    """A class of a user's own, with specs inside."""

    lead: SubagentSpec
    members: list[SubagentSpec]


ODD_AGENT = {"description": "d", "prompt": "p", "tools": ["Raed"]}
ODD_TEXT = f"agents: {{a: {ODD_AGENT}}}"


def here(*_):
    """The file and the line of the call."""
    frame = inspect.currentframe()
    assert frame is not None
    assert frame.f_back is not None
    return __file__, frame.f_back.f_lineno


@pytest.mark.parametrize("detailed", [True, False], ids=["detailed", "quick"])
def test_structuring_a_class_of_ones_own_warns_at_the_line_that_asked_for_it(detailed):
    plain_converter = cattrs.Converter(detailed_validation=detailed)
    converter = subspec.configure_converter(plain_converter, None)
    data = {"lead": ODD_AGENT, "members": [ODD_AGENT, ODD_AGENT]}

    with pytest.warns(SpecWarning) as caught:
        place = here(converter.structure(data, Team))

    assert [(each.filename, each.lineno) for each in caught] == [place] * 3


@attrs.frozen
class Loaded:
    """A class of a user's own that loads what it is given."""

    config: Any = attrs.field(converter=subspec.loads)


def test_a_class_of_ones_own_that_loads_warns_at_the_line_that_made_one():
    with pytest.warns(SpecWarning) as caught:
        place = here(Loaded(ODD_TEXT))

    assert [(each.filename, each.lineno) for each in caught] == [place]


def test_loading_text_warns_at_the_line_that_asked_for_it():
    with pytest.warns(SpecWarning) as caught:
        place = here(subspec.loads(ODD_TEXT))

    assert [(each.filename, each.lineno) for each in caught] == [place]


def test_loading_a_file_warns_at_the_line_that_asked_for_it(tmp_path):
    file = tmp_path / "team.yaml"
    file.write_text(ODD_TEXT, encoding="utf-8")

    with pytest.warns(SpecWarning) as caught:
        place = here(subspec.load(file))

    assert [(each.filename, each.lineno) for each in caught] == [place]


def function_in(module, body, **names):
    """Define a function ``f`` whose frames say that they belong to a module of that name."""
    namespace = names if module is None else {"__name__": module, **names}
    exec(compile(f"def f():\n    {body}", f"<{module}>", "exec"), namespace)  # noqa: S102 - our own
    return namespace["f"]


@pytest.mark.parametrize(
    ("module", "outside"),
    [
        ("subspec", False),
        ("subspec.store", False),
        ("cattrs.gen", False),
        ("cattr", False),
        ("subspec_tools", True),
        ("cattrs_extras", True),
        ("their.subspec", True),
        (None, True),
    ],
    ids=str,
)
def test_frames_of_the_package_and_of_cattrs_are_passed_over(module, outside):
    inner = function_in("subspec.any", "warn([odd])", warn=warn, odd=ODD)
    between = function_in(module, "call()", call=inner)

    with pytest.warns(SpecWarning) as caught:
        place = here(between())

    expected = (f"<{module}>", 2) if outside else place
    assert [(each.filename, each.lineno) for each in caught] == [expected]


def test_where_nothing_but_the_package_is_on_the_stack_the_outermost_frame_is_named():
    caught: list[Any] = []
    done = threading.Event()
    inner = function_in("subspec.any", "warn([odd])", warn=warn, odd=ODD)
    outermost = function_in("subspec", "inner(); done.set()", inner=inner, done=done)

    with warnings.catch_warnings():
        warnings.simplefilter("always")
        warnings.showwarning = lambda *warning: caught.append(warning)
        # A thread of threading.Thread would begin with frames of the standard library.
        _thread.start_new_thread(outermost, ())
        assert done.wait(10)

    ((warning, _category, filename, *_rest),) = caught
    assert warning.problem == ODD
    assert filename == "<subspec>"


def test_each_problem_is_a_warning_of_its_own():
    others = [ODD, attrs.evolve(ODD, message="odder")]

    with pytest.warns(SpecWarning) as caught:
        warn(iter(others))

    assert [each.message.problem for each in caught] == others


def test_without_problems_nothing_is_warned_of():
    warn([])
    warn(iter(()))


def test_a_warning_can_be_turned_into_an_error():
    with warnings.catch_warnings():
        warnings.simplefilter("error", SpecWarning)
        with pytest.raises(SpecWarning, match="odd"):
            warn([ODD])


# The catalogue

DECLARED = {name: value for name, value in vars(problems_module).items() if type(value) is Code}


def test_the_catalogue_has_every_code_once():
    assert list(CODES.values()) == list(DECLARED.values())
    assert [code.name for code in CODES.values()] == list(CODES)


@pytest.mark.parametrize("code", DECLARED.values(), ids=DECLARED)
def test_a_code_is_named_in_kebab_case_and_says_what_it_means_in_a_line(code):
    assert re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", code.name)
    assert code.severity in ("error", "warning", "info")
    assert code.at in ("key", "value")
    assert re.fullmatch(r"[A-Z].*\.", code.summary)


def test_no_two_codes_mean_the_same():
    assert len({code.summary for code in CODES.values()}) == len(CODES)


SOURCES = [
    path.read_text(encoding="utf-8")
    for path in PACKAGE.rglob("*.py")
    if path != Path(problems_module.__file__)
]


@pytest.mark.parametrize("name", DECLARED)
def test_a_code_is_used_somewhere(name):
    assert any(re.search(rf"\b{name}\b", source) for source in SOURCES)


def test_a_code_makes_problems_of_its_kind():
    code = Code("odd-thing", "info", "Something is odd.")
    span = Span(1, 2, 3, 4)

    assert code.problem("it is odd") == Problem("odd-thing", "info", "it is odd")
    assert code.problem("m", ("a",), hint="h", file="f", span=span, excerpt="e") == Problem(
        "odd-thing", "info", "m", ("a",), "f", span, "h", "e"
    )
