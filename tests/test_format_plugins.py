"""Formats that other distributions bring."""

from __future__ import annotations

from importlib import metadata
from importlib.metadata import EntryPoint

import pytest
from attrs import evolve
from command import run

from subspec import ClaudeConfig, SubagentSpec, convert, load, loads
from subspec.formats import SPELLINGS, codex, gemini, names, registry
from subspec.formats.registry import OURS, Spellings
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
        monkeypatch.setattr(registry.SPELLINGS, "broken", {})
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


@pytest.mark.parametrize("name", ["codex", "agents", "claude_code", "pydantic_ai", "holodeck"])
def test_a_name_of_ours_stays_ours(installed, name):
    installed((name, "no.such.module:X"))

    assert names().count(name) == 1
    assert (loads("agents: {}", format="agents").agents, name in SPELLINGS) == (None, name in OURS)


BROKEN_PLUGINS = [
    [("other", "no.such.module:X")],
    [("other", f"{__name__}:NOTHING")],
    [("other", "plugin_that_exits:X")],
    [("other", f"{__name__}:THEIRS"), ("other", f"{__name__}:OTHER")],
]


@pytest.fixture(params=BROKEN_PLUGINS, ids=["missing", "no-name", "exits", "twice"])
def broken(request, installed, tmp_path, monkeypatch):
    (tmp_path / "plugin_that_exits.py").write_text("raise SystemExit(3)\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.chdir(tmp_path)
    installed(*request.param)
    return tmp_path


@pytest.mark.usefixtures("broken")
def test_a_broken_format_of_others_is_said_where_it_is_asked_for():
    for _ in range(2):
        with pytest.raises(ValueError, match=r"format(s)? 'other'"):
            convert(ClaudeConfig(agents={"a": SubagentSpec("d", "p")}), to="other")
    for args in (["check", "x", "--as", "other"], ["convert", "x", "--to", "other"]):
        done = run(*args)
        assert done.exit_code == 2
        assert "'other'" in done.stderr


def test_a_broken_format_of_others_does_not_touch_what_is_not_its_own(broken):
    place = broken / ".claude/agents"
    place.mkdir(parents=True)
    text = "---\nname: a\ndescription: Does it.\nfuture: 1\n---\n\nDo it.\n"
    (place / "a.md").write_text(text)

    assert run("check", "--exit-zero", ".claude/agents").exit_code == 0
    assert run("show", str(place)).exit_code == 0
    done = run("convert", ".claude/agents", "--to", "gemini")
    assert done.exit_code == 0
    assert "extra.future" in done.stdout
    assert run("set", ".gemini/agents", "a.model", "flash").exit_code == 0
    assert run("--help").exit_code == 0
    (broken / "pyproject.toml").write_text(
        "[tool.subspec.sync]\nsource = '.claude/agents'\ntargets = ['other']\n"
    )
    done = run("sync")
    assert done.exit_code == 1
    assert "'other'" in done.stderr


SHARING = evolve(THEIRS, name="sharing", suffix=".x.md", directories=gemini.SPELLING.directories)


def test_programs_that_share_a_directory_are_told_apart_by_endings(installed, tmp_path):
    installed(("sharing", f"{__name__}:SHARING"))
    place = tmp_path / ".gemini/agents"
    place.mkdir(parents=True)
    (place / "a.md").write_text("")

    assert SPELLINGS.at(place / "a.md").name == "gemini"
    assert SPELLINGS.at(place).name == "gemini"
    (tmp_path / ".gemini/agents.x.md").mkdir()
    assert SPELLINGS.at(place / "b.x.md").name in ("gemini", "sharing")


def test_two_distributions_of_the_same_entry_point_are_one(installed):
    spellings = installed(("theirs", f"{__name__}:THEIRS"), ("theirs", f"{__name__}:THEIRS"))

    assert spellings["theirs"] is THEIRS


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
