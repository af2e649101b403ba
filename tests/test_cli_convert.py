"""``subspec convert``."""

from __future__ import annotations

import json
import sys

import pytest
from command import run

pytest.importorskip("tomlkit")

TEAM = """\
agents:
  writer: {description: Writes., prompt: Write., model: sonnet}
"""
GUARDED = """\
agents:
  reader: {description: Reads., prompt: Read., tools: [Read]}
disallowed_tools: [Bash]
"""


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "team.yaml").write_text(TEAM)
    (tmp_path / "guarded.yaml").write_text(GUARDED)
    return tmp_path


def test_it_writes_the_files_and_says_what_is_lost(project):
    done = run("convert", "team.yaml", "--to", "gemini")

    assert done.exit_code == 0
    assert [line.rstrip() for line in done.stdout.splitlines()] == [
        "AGENT   FIELD  LOST",
        (
            "writer  model  Gemini CLI does not know the model 'sonnet';"
            " the program's own model is used"
        ),
        "Wrote .gemini/agents/writer.md.",
    ]
    assert (project / ".gemini/agents/writer.md").read_text() == (
        "---\nname: writer\ndescription: Writes.\n---\n\nWrite.\n"
    )
    again = run("convert", "team.yaml", "--to", "gemini")
    assert again.stdout.splitlines()[-1] == "Nothing to change."


@pytest.mark.usefixtures("project")
def test_nothing_is_lost_where_all_can_be_said():
    done = run("convert", "team.yaml", "--to", "claude_code", "-o", "there")

    assert done.stdout == "Nothing is lost.\nWrote there/.claude/agents/writer.md.\n"


def test_strict_takes_no_loss(project):
    done = run("convert", "team.yaml", "--to", "gemini", "--strict")

    assert done.exit_code == 1
    assert done.stderr == "Nothing was written: 1 loss.\n"
    assert not (project / ".gemini").exists()
    assert run("convert", "team.yaml", "--to", "claude_code", "--strict").exit_code == 0


def test_a_loss_that_widens_has_to_be_allowed(project):
    done = run("convert", "guarded.yaml", "--to", "codex")

    assert done.exit_code == 1
    assert done.stderr == (
        "Nothing was written: more would be allowed to reader, the session."
        " --allow-widening does it.\n"
    )
    assert "widens" in done.stdout
    assert "(session)" in done.stdout
    assert not (project / ".codex").exists()
    assert run("convert", "guarded.yaml", "--to", "codex", "--allow-widening").exit_code == 0
    assert (project / ".codex/agents/reader.toml").exists()


def test_a_dry_run_shows_what_would_change(project):
    done = run("convert", "team.yaml", "--to", "codex", "--dry-run")

    assert '+developer_instructions = "Write."' in done.stdout
    assert not (project / ".codex").exists()


def test_it_can_be_read_by_programs(project):
    done = run("convert", "team.yaml", "--to", "gemini", "--format", "json")
    found = json.loads(done.stdout)

    assert found["to"] == "gemini"
    assert list(found["files"]) == [".gemini/agents/writer.md"]
    assert found["overrides"] == []
    assert found["losses"] == [
        {
            "agent": "writer",
            "field": "model",
            "reason": "Gemini CLI does not know the model 'sonnet'",
            "instead": "the program's own model is used",
            "widens": False,
        }
    ]
    assert (project / ".gemini/agents/writer.md").exists()
    dry = run("convert", "team.yaml", "--to", "codex", "--format", "json", "--dry-run")
    assert json.loads(dry.stdout)["to"] == "codex"
    assert not (project / ".codex").exists()


def test_what_a_file_said_otherwise_is_told(project):
    run("convert", "team.yaml", "--to", "gemini")
    file = project / ".gemini/agents/writer.md"
    file.write_text(file.read_text().replace("Writes.", "Mine.\nmax_turns: 3"))
    done = run("convert", "team.yaml", "--to", "gemini")

    assert done.stdout.splitlines()[2:4] == [
        ".gemini/agents/writer.md: description said 'Mine.', and now says 'Writes.'.",
        ".gemini/agents/writer.md: max_turns said 3, and now says nothing.",
    ]
    assert file.read_text() == "---\nname: writer\ndescription: Writes.\n---\n\nWrite.\n"


@pytest.mark.usefixtures("project")
def test_an_unknown_format_is_refused_with_the_nearest_one():
    done = run("convert", "team.yaml", "--to", "gemeni")

    assert done.exit_code == 2
    assert "unknown format 'gemeni'; did you mean 'gemini'?" in done.stderr


@pytest.mark.usefixtures("project")
def test_a_package_that_is_missing_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    done = run("convert", "team.yaml", "--to", "codex")

    assert done.exit_code == 2
    assert "install subspec[toml]" in done.stderr


def test_a_file_that_was_changed_meanwhile_is_a_conflict(project, monkeypatch):
    from subspec.cli import convert as command  # noqa: PLC0415 - the module, not the command

    real = command.refusal

    def meanwhile(*args, **options):
        (project / ".gemini/agents").mkdir(parents=True)
        (project / ".gemini/agents/writer.md").write_text("Mine.")
        return real(*args, **options)

    monkeypatch.setattr(command, "refusal", meanwhile)
    done = run("convert", "team.yaml", "--to", "gemini")

    assert done.exit_code == 1
    assert (project / ".gemini/agents/writer.md").read_text() == "Mine."


SHORT = """\
agents:
  User: {description: d, prompt: Too short}
  self: {description: d, prompt: Also}
  right: {description: d, prompt: Long enough for it.}
"""


def test_all_agents_that_cannot_be_said_are_named_at_once(project):
    (project / "short.yaml").write_text(SHORT)
    done = run("convert", "short.yaml", "--to", "qwen")

    assert done.exit_code == 1
    assert done.stdout == ""
    lines = done.stderr.splitlines()
    assert len(lines) == 3
    for line, name in zip(lines, ("User", "self"), strict=False):
        assert line.startswith(f"short.yaml: error: agents.{name}.prompt: Qwen Code refuses it")
    assert lines[-1] == "Nothing was written."
    assert not (project / ".qwen").exists()


def test_agents_of_files_of_their_own_are_named_with_these(project):
    for name in ("one", "two"):
        file = project / f".claude/agents/{name}.md"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"---\nname: {name}\ndescription: d\n---\nShort\n")
    done = run("convert", ".claude/agents", "--to", "qwen", "--format", "json")

    assert done.exit_code == 1
    found = json.loads(done.stdout)
    assert (found["to"], found["files"], found["losses"]) == ("qwen", {}, [])
    assert [problem["file"] for problem in found["problems"]] == [
        ".claude/agents/one.md",
        ".claude/agents/two.md",
    ]
    assert "Nothing was written." in done.stderr
    right = run("convert", "team.yaml", "--to", "gemini", "--format", "json")
    assert json.loads(right.stdout)["problems"] == []


def test_faults_of_claude_codes_agents_are_said_at_once_too(project):
    big = "x" * (10 * 1024 * 1024)
    (project / "big.yaml").write_text(
        f"agents:\n  a: {{description: d, prompt: {big}}}\n  b: {{description: d, prompt: {big}}}\n"
    )
    done = run("convert", "big.yaml", "--to", "claude_code")

    assert done.exit_code == 1
    assert [line.partition(": the file")[0] for line in done.stderr.splitlines()] == [
        "big.yaml: error: agents.a",
        "big.yaml: error: agents.b",
        "Nothing was written.",
    ]


@pytest.mark.parametrize("text", ["agents: {}\n", "agents: {}\npermission_mode: plan\n"])
def test_without_an_agent_there_is_nothing_to_convert(project, text):
    (project / "none.yaml").write_text(text)
    done = run("convert", "none.yaml", "--to", "gemini")

    assert done.exit_code == 1
    assert done.stderr.splitlines() == [
        "none.yaml: error: there is no agent in it, and nothing to convert [not-an-agent]",
        "Nothing was written.",
    ]
    assert done.stdout == ""


def test_a_directory_without_an_agent_is_said(project):
    (project / "docs").mkdir()
    (project / "docs/notes.md").write_text("Notes.")
    done = run("convert", "docs", "--to", "gemini", "--format", "json")

    assert done.exit_code == 1
    (problem,) = json.loads(done.stdout)["problems"]
    assert (problem["code"], problem["file"]) == ("not-an-agent", "docs")


def test_what_holds_for_the_session_can_be_converted_alone(project):
    (project / "none.yaml").write_text("agents: {}\nmax_turns: 3\n")

    assert run("convert", "none.yaml", "--to", "holodeck", "-o", "there").exit_code == 0


@pytest.mark.parametrize("width", [80, 200])
def test_the_names_of_fields_are_not_broken(project, monkeypatch, width):
    monkeypatch.setattr("subspec.cli.conversions.WIDTH_OF_A_PIPE", width)
    place = project / ".github/agents"
    place.mkdir(parents=True)
    (place / "helper.agent.md").write_text(
        "---\nname: helper\ndescription: d\ndisable-model-invocation: true\n---\nHelp.\n"
    )
    done = run("convert", ".github/agents", "--to", "gemini")

    assert done.exit_code == 1
    assert "extra.disable-model-invocation " in done.stdout
    assert max(map(len, done.stdout.splitlines())) <= width


@pytest.mark.usefixtures("project")
def test_a_source_that_cannot_be_read_is_said_to_programs_too():
    done = run("convert", "nowhere.yaml", "--to", "gemini", "--format", "json")

    assert done.exit_code == 2
    assert [each["code"] for each in json.loads(done.stdout)["problems"]] == ["cannot-read"]
