"""Whether what is known of Claude Code still holds; and how that is found out and told."""

from __future__ import annotations

import json
import os
import random
import stat
import sys
from pathlib import Path
from typing import Any

import pytest
from command import run
from real_files import RECORDED

from subspec import doctor
from subspec.facts import BUILT_IN_AGENTS, CLAUDE_CODE
from subspec.runtimes import claude_cli
from subspec.runtimes.claude_cli import CannotAskError

BUNDLED = claude_cli.bundled_cli()

needs_cli = pytest.mark.skipif(BUNDLED is None, reason="no claude-agent-sdk brings a Claude Code")


@pytest.mark.real_cli
@needs_cli
def test_the_facts_hold_for_the_installed_claude_code():
    diagnosis = doctor.diagnose(BUNDLED)

    # What fails here is named: it no longer holds.
    assert diagnosis.differences == ()
    assert diagnosis.version == CLAUDE_CODE


@pytest.mark.exhaustive
@pytest.mark.real_cli
@needs_cli
@pytest.mark.corpus
def test_a_sample_of_what_was_recorded_still_holds():
    records = list(map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines()))
    simple = [
        record
        for record in records
        if len(record["files"]) == 1
        and all(list(file) == ["text"] for file in record["files"].values())
    ]
    sample = random.Random(1).sample(simple, 20)  # noqa: S311 - nothing is kept secret
    gone = []
    for record in sample:
        ((name, file),) = record["files"].items()
        files = {Path(name).name: file["text"].encode()}
        loaded = claude_cli.loaded_from(BUNDLED, files)
        wanted = {each["name"]: (each["description"], each["model"]) for each in record["loaded"]}
        if loaded != wanted:
            gone.append(record["case"])
    assert gone == []


VALUES: list[object] = [
    *(
        None,
        True,
        False,
        0,
        1,
        -1,
        2.5,
        100_000,
        99_999,
        "",
        " ",
        "x",
        "low",
        "LOW",
        "max",
        "inherit",
    ),
    *(
        "default",
        "acceptEdits",
        "manual",
        "yolo",
        "user",
        "project",
        "global",
        "worktree",
        "docker",
    ),
    *([], ["Read"], ["Read", 1], [""], [None], {}, {"a": 1}, [{}], [{"a": {}}], ["a", "b"]),
    *([{"a": {"command": "x"}}], [{"a": {"type": "http", "url": "x"}}], [{"a": {"type": "ftp"}}]),
    *([{"a": {"command": ""}}], [{"a": {"command": "x", "args": "y"}}], [{"a": {}, "b": {}}]),
    *({"Stop": []}, {"Stop": {}}, {"Stop": [{"hooks": []}]}, {"Foo": []}, {"Stop": [{}]}),
    *(
        {"Stop": [{"hooks": [hook]}]}
        for hook in (
            {"type": "command", "command": "x"},
            {"type": "command"},
            {"type": "nothing"},
            {"type": "prompt", "prompt": "x", "timeout": 0},
            {"type": "http", "url": "x"},
        )
    ),
]
KEYS = [
    *("description", "prompt", "tools", "disallowedTools", "model", "effort", "permissionMode"),
    *("maxTurns", "mcpServers", "skills", "memory", "background", "initialPrompt", "hooks"),
    *("isolation", "omitClaudeMd", "autoCompactWindow", "observer", "observerMessage"),
    *("observeSubagents", "observeToolResults"),
]


@pytest.mark.exhaustive
@pytest.mark.real_cli
@needs_cli
def test_two_thousand_definitions_are_judged_as_claude_code_judges_them():
    chosen = random.Random(2)  # noqa: S311 - nothing is kept secret
    agents = {}
    for key in KEYS:
        for value in VALUES:
            agents[f"d{len(agents)}"] = {"description": "d", "prompt": "p", key: value}
    while len(agents) < 2_000:
        some = {key: chosen.choice(VALUES) for key in chosen.sample(KEYS, 2)}
        agents[f"d{len(agents)}"] = {"description": "d", "prompt": "p", **some}

    theirs = claude_cli.refused_by(BUNDLED, agents)
    ours = {name for name, agent in agents.items() if doctor._is_refused({name: agent})}

    # What is stricter here is what loads and can never be used: blank texts, and an entry of
    # servers that names none or several, which Claude Code passes over without a word.
    stricter = {name for name in ours - theirs if not _is_useless(agents[name])}
    assert {name: agents[name] for name in stricter} == {}
    assert {name: agents[name] for name in theirs - ours} == {}
    assert len(theirs) > 500
    # What passes both really loads.
    good = {name: agent for name, agent in agents.items() if name not in ours | theirs}
    assert claude_cli.refused_by(BUNDLED, good) == set()


def _is_useless(agent: dict[str, Any]) -> bool:
    servers = [each for each in agent.get("mcpServers") or [] if isinstance(each, dict)]
    blank = any(isinstance(value, str) and not value.strip() for value in agent.values())
    return blank or any(len(each) != 1 for each in servers)


def program(directory: Path, script: str, name: str = "claude") -> Path:
    """Make a program that stands in for Claude Code."""
    path = directory / name
    path.write_text(f"#!{sys.executable}\nimport json, sys\n{script}\n")
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return path


OTHER = f"""
if "--version" in sys.argv:
    print("9.9.9 (Claude Code)")
elif "--agents" in sys.argv:
    print("{claude_cli._REFUSED}", file=sys.stderr)
    if '"probe-1"' in open(sys.argv[-1]).read():
        print("probe-1.maxTurns: no", file=sys.stderr)
        sys.exit(1)
else:
    agents = [{{"name": "probe-0", "description": "Use it: now"}}]
    agents += [{{"name": "Plan", "description": ""}}]
    answer = {{"response": {{"response": {{"agents": agents}}}}}}
    print(json.dumps({{"type": "system"}}))
    print(json.dumps({{"type": "control_response", **answer}}))
"""


@pytest.fixture
def only(monkeypatch):
    """Let there be no Claude Code but those that a test makes."""

    def found(*programs: Path) -> None:
        monkeypatch.setattr(doctor, "programs", lambda: list(programs))

    found()
    return found


def test_what_differs_is_named(tmp_path):
    diagnosis = doctor.diagnose(program(tmp_path, OTHER))

    assert diagnosis.version == "9.9.9"
    assert "a colon in a description is guessed at" not in diagnosis.differences
    assert "yes is text" in diagnosis.differences
    assert {"no turns", "one turn"} <= set(diagnosis.differences)


def test_the_command_says_what_it_found(tmp_path, only):
    other = program(tmp_path, OTHER)
    silent = program(tmp_path, "print('hello')", "silent")
    missing = tmp_path / "missing"
    only(other, silent, missing)

    result = run("doctor")

    lines = result.stdout.splitlines()
    assert lines[0].endswith(f", with facts of Claude Code {CLAUDE_CODE}")
    assert f"Claude Code 9.9.9 (another version): {other}" in lines
    assert "  no longer so: yes is text" in lines
    assert f"{silent} does not say its version" in lines
    assert lines[-1].startswith(f"{missing} cannot be asked: ")
    assert result.exit_code == 2


@pytest.mark.usefixtures("only")
def test_without_a_claude_code_there_is_nothing_to_ask(monkeypatch):
    monkeypatch.setattr(doctor, "version", _not_installed)
    result = run("doctor")
    assert result.exit_code == 2
    assert result.stdout.splitlines()[1:] == [
        "claude-agent-sdk is not installed",
        "Claude Code is not here: neither with claude-agent-sdk nor as `claude`.",
    ]


def _not_installed(_name: str) -> str:
    raise doctor.PackageNotFoundError


@pytest.mark.real_cli
@needs_cli
def test_the_command_is_content_with_the_installed_one(only):
    only(BUNDLED)
    result = run("doctor")
    assert result.stdout.endswith("  all that was asked is as subspec says\n")
    assert result.exit_code == 0


def test_what_differs_gives_another_status(tmp_path, only):
    only(program(tmp_path, OTHER))
    assert run("doctor").exit_code == 1


def test_programs_are_found_where_they_are(tmp_path, monkeypatch):
    program(tmp_path, "")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    assert claude_cli.installed_cli() == tmp_path / "claude"
    assert doctor.programs()[-1] == tmp_path / "claude"
    monkeypatch.setenv("PATH", str(tmp_path / "nowhere"))
    assert claude_cli.installed_cli() is None
    monkeypatch.setattr(claude_cli, "find_spec", lambda _name: None)
    assert claude_cli.bundled_cli() is None
    assert doctor.programs() == []


@pytest.mark.parametrize("script", ["sys.exit(3)", "print('{}')"])
def test_another_answer_is_no_answer(tmp_path, script):
    other = program(tmp_path, script)
    with pytest.raises(CannotAskError):
        claude_cli.loaded_from(other, {})


def test_another_failure_is_no_refusal(tmp_path):
    with pytest.raises(CannotAskError, match="fails with 3: oh"):
        claude_cli.refused_by(program(tmp_path, "sys.exit(print('oh', file=sys.stderr) or 3)"), {})
    assert claude_cli.refused_by(program(tmp_path, ""), {"a": {}}) == set()


def test_the_agents_of_claude_code_itself_are_left_out(tmp_path):
    assert "Plan" in BUILT_IN_AGENTS
    assert set(claude_cli.loaded_from(program(tmp_path, OTHER), {})) == {"probe-0"}
