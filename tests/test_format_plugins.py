"""Formats that other distributions bring."""

from __future__ import annotations

from importlib import metadata
from importlib.metadata import EntryPoint

import pytest
from attrs import evolve

from subspec import ClaudeConfig, SubagentSpec, convert, load
from subspec.formats import codex, gemini, registry
from subspec.formats.registry import Spellings
from subspec.formats.spelling import Key, Lost
from subspec.source.compare import MISSING
from subspec.testing import CONFORMANCE

THEIRS = evolve(
    gemini.SPELLING, name="theirs", title="Theirs", directories=((".theirs", "agents"),)
)
OTHER = "not a table"


@pytest.fixture
def installed(monkeypatch):
    """Install entry points, and give the tables anew."""

    def install(*points):
        found = [EntryPoint(*point, registry.GROUP) for point in points]
        monkeypatch.setattr(metadata, "entry_points", lambda **_: found)
        spellings = Spellings()
        monkeypatch.setattr(registry.SPELLINGS, "loaded", {})
        monkeypatch.setattr(registry.SPELLINGS, "points", spellings.points, raising=False)
        return spellings

    yield install
    registry.SPELLINGS.__dict__.pop("points", None)


def test_a_format_of_others_is_read_and_written(installed, tmp_path):
    installed(("theirs", f"{__name__}:THEIRS"))
    config = ClaudeConfig(agents={"a": SubagentSpec("d", "p")})
    conversion = convert(config, to="theirs", into=tmp_path)
    (path,) = conversion.files

    assert path == ".theirs/agents/a.md"
    file = tmp_path / path
    file.parent.mkdir(parents=True)
    file.write_text(conversion.files[path])
    assert load(file.parent).origin.format == "theirs"
    assert load(file, format="theirs") == config


@pytest.mark.parametrize("check", CONFORMANCE, ids=lambda check: check.__name__)
def test_the_checks_take_a_table_of_others(installed, check):
    installed(("theirs", f"{__name__}:THEIRS"))

    check(THEIRS)


@pytest.mark.parametrize(
    ("point", "message"),
    [
        (("other", "no.such.module:X"), r"the format 'other' \(no.such.module:X\) cannot be"),
        (("other", f"{__name__}:OTHER"), "is not the table of a format of that name"),
        (("other", f"{__name__}:THEIRS"), "is not the table of a format of that name"),
    ],
)
def test_what_is_no_table_is_refused(installed, point, message):
    spellings = installed(point)

    assert list(spellings) == [*registry.OURS, "other"]
    assert len(spellings) == len(registry.OURS) + 1
    with pytest.raises(ValueError, match=message):
        spellings["other"]
    with pytest.raises(KeyError):
        spellings["none"]


def test_nobody_takes_the_name_of_one_of_ours(installed):
    spellings = installed(("codex", f"{__name__}:THEIRS"))

    assert list(spellings) == list(registry.OURS)
    assert spellings["codex"] is codex.SPELLING


SILENT = Key(
    ("tools", "disallowed_tools"),
    lambda value: ({"tools": value}, []),
    lambda _said, _context: (MISSING, [Lost("tools", "no reason", "nothing")]),
)
BROKEN = {
    "check_table": {"source": ""},
    "check_names": {"fitting": lambda name: name},
    "check_losses": {"keys": {**gemini.SPELLING.keys, "tools": SILENT}},
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_check_fails_where_something_is_wrong(installed, name):
    (check,) = [each for each in CONFORMANCE if each.__name__ == name]

    installed(("theirs", f"{__name__}:THEIRS"))
    with pytest.raises(AssertionError):
        check(evolve(THEIRS, **BROKEN[name]))
