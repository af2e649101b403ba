"""``subspec sync``: the agents of a project, kept up in the formats of several programs."""

from __future__ import annotations

import json
import sys

import pytest
from command import run

from subspec import ClaudeConfig, SpecError, SubagentSpec, load
from subspec.cli import sync as command
from subspec.conversion.several import convert_all

pytest.importorskip("tomlkit")

TEAM = """\
agents:
  reader: {description: Reads., prompt: Read., tools: [Read, Grep, Glob]}
  writer: {description: Writes., prompt: Write.}
"""
TARGETS = 'targets = ["gemini", { to = "copilot", directory = "app" }]'
WIDENING = 'targets = ["gemini", { to = "codex", allow-widening = true }]'


@pytest.fixture
def project(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "team.yaml").write_text(TEAM)
    declare(tmp_path)
    return tmp_path


def declare(project, targets=TARGETS, source="team.yaml", more=""):
    text = f'{more}\n[tool.subspec.sync]\nsource = "{source}"\n{targets}\n'
    (project / "pyproject.toml").write_text(text)


def files_in(project):
    known = {"pyproject.toml", "team.yaml"}
    found = {path.relative_to(project).as_posix() for path in project.rglob("*") if path.is_file()}
    return found - known


ALL = {
    *(".gemini/agents/reader.md", ".gemini/agents/writer.md"),
    *("app/.github/agents/reader.agent.md", "app/.github/agents/writer.agent.md"),
}


def test_all_targets_are_written(project):
    done = run("sync")

    assert done.exit_code == 0
    assert done.stdout.splitlines() == [
        "gemini:",
        "Nothing is lost.",
        "copilot in app:",
        "Nothing is lost.",
        "Wrote .gemini/agents/reader.md.",
        "Wrote .gemini/agents/writer.md.",
        "Wrote app/.github/agents/reader.agent.md.",
        "Wrote app/.github/agents/writer.agent.md.",
    ]
    assert files_in(project) == ALL
    again = run("sync")
    assert again.stdout.splitlines()[-1] == "Every target says what team.yaml does."
    assert "Wrote" not in again.stdout


def test_agents_that_are_gone_from_the_source_stay_and_are_named(project):
    run("sync")
    (project / "team.yaml").write_text(TEAM.replace("  writer:", "  critic:"))
    done = run("sync")

    left = "Left as they are, since the source has no such agents: writer."
    assert done.stdout.splitlines().count(left) == 2
    assert files_in(project) > ALL
    shown = json.loads(run("sync", "--format", "json").stdout)
    assert [each["others"] for each in shown["targets"]] == [["writer"], ["writer"]]
    assert run("sync", "--check").exit_code == 0


def test_it_runs_anywhere_in_the_project(project, monkeypatch):
    (project / "deep").mkdir()
    monkeypatch.chdir(project / "deep")

    assert "Wrote ../.gemini/agents/reader.md." in run("sync").stdout
    assert files_in(project) == ALL


def test_a_check_writes_nothing_and_fails_where_a_target_says_something_else(project):
    fresh = run("sync", "--check")

    assert fresh.exit_code == 1
    assert "+++ .gemini/agents/reader.md" in fresh.stdout
    assert fresh.stderr == "4 files do not say what team.yaml does; 'subspec sync' writes it.\n"
    assert files_in(project) == set()
    run("sync")
    same = run("sync", "--check")
    assert same.exit_code == 0
    assert same.stdout.splitlines()[-1] == "Every target says what team.yaml does."
    file = project / ".gemini/agents/writer.md"
    by_hand = file.read_text().replace("Writes.", "Mine.")
    file.write_text(by_hand)
    other = run("sync", "--check")
    assert other.exit_code == 1
    assert "-description: Mine.\n+description: Writes.\n" in other.stdout
    assert "description said 'Mine.', and now says 'Writes.'." in other.stdout
    assert other.stderr == "1 file does not say what team.yaml does; 'subspec sync' writes it.\n"
    assert file.read_text() == by_hand


def test_a_dry_run_shows_what_would_change(project):
    done = run("sync", "--dry-run")

    assert done.exit_code == 0
    assert "+tools: [read_file, grep_search, glob]" in done.stdout
    assert files_in(project) == set()


def test_a_target_that_widens_keeps_all_of_them_from_being_written(project):
    declare(project, 'targets = ["gemini", "codex"]')
    done = run("sync")

    assert done.exit_code == 1
    assert "reader  tools  Codex has no key for it; it is left out" in done.stdout
    assert done.stderr == (
        "codex: more would be allowed to reader; allow-widening = true allows it.\n"
        "Nothing was written.\n"
    )
    assert files_in(project) == set()
    assert "+++" not in run("sync", "--dry-run").stdout
    assert run("sync", "--check").exit_code == 1
    assert run("sync", "--allow-widening").exit_code == 0
    # What is written already is no reason to allow it.
    assert run("sync", "--check").exit_code == 1


def test_a_target_can_be_allowed_to_widen(project):
    declare(project, WIDENING)

    assert run("sync").exit_code == 0
    assert ".codex/agents/reader.toml" in files_in(project)


def test_a_target_can_be_strict(project):
    declare(project, 'targets = [{ to = "codex", strict = true, allow-widening = true }]')
    done = run("sync")

    assert done.exit_code == 1
    assert done.stderr == "codex: 1 loss.\nNothing was written.\n"


def test_it_can_be_read_by_programs(project):
    done = run("sync", "--check", "--format", "json")

    assert done.exit_code == 1
    first, second = json.loads(done.stdout)["targets"]
    assert (first["to"], first["directory"], first["losses"]) == ("gemini", ".", [])
    assert list(first["files"]) == first["changes"]
    assert second["changes"][0] == "app/.github/agents/reader.agent.md"
    assert json.loads(run("sync", "--format", "json").stdout)["targets"]
    assert files_in(project) == ALL


def test_the_source_can_be_of_any_format(project):
    run("sync")
    declare(
        project,
        'format = "copilot"\ntargets = [{ to = "claude_code", directory = "lib" }]',
        source="app",
        more="[tool.subspec]\nprompt-root = '.'\n",
    )

    assert run("sync").exit_code == 0
    agents = load(project / "lib/.claude/agents").agents
    assert agents == load(project / "team.yaml").agents


@pytest.mark.usefixtures("project")
def test_without_a_declaration_it_says_how_to_write_one(tmp_path):
    (tmp_path / "pyproject.toml").write_text("[tool.subspec]\n")
    done = run("sync")

    assert done.exit_code == 2
    assert 'targets = ["codex", "gemini"]' in done.stderr


def test_a_source_with_faults_is_not_converted(project):
    (project / "team.yaml").write_text("agents: {a: {description: 1, prompt: p}}")
    done = run("sync")

    assert done.exit_code == 1
    assert "team.yaml:1:27: error" in done.stderr
    assert files_in(project) == set()


@pytest.mark.parametrize("directory", ["..", "/", "out", "a/../.."])
def test_nothing_is_written_outside_of_the_project(project, tmp_path_factory, directory):
    (project / "out").symlink_to(tmp_path_factory.mktemp("elsewhere"))
    declare(project, f'targets = ["gemini", {{ to = "qwen", directory = "{directory}" }}]')
    done = run("sync", "--allow-widening")

    assert done.exit_code == 2
    assert "what is made for qwen would lie outside of the project" in done.stderr
    assert files_in(project) == set()


def test_a_link_does_not_lead_out_of_the_project_either(project, tmp_path_factory):
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    (project / ".gemini").mkdir()
    (project / ".gemini/agents").symlink_to(elsewhere)
    done = run("sync")

    assert done.exit_code == 2
    assert done.stderr.count("would lie outside of the project") == 2
    assert list(elsewhere.iterdir()) == []


def test_a_link_that_leads_nowhere_is_no_place(project):
    (project / "app").symlink_to("app")

    assert run("sync").exit_code == 2
    assert files_in(project) == set()


def test_the_source_is_no_target(project):
    declare(project, 'targets = ["claude_code"]', source=".claude/agents")
    file = project / ".claude/agents/a.md"
    file.parent.mkdir(parents=True)
    text = "---\nname: a\ndescription: Does it.\nmodel: gpt-5.4\n---\n\nDo it.\n"
    file.write_text(text.replace("model: gpt-5.4\n", "tools: [Read, read_file]\n"))
    before = file.read_bytes()
    done = run("sync")

    assert done.exit_code == 1
    assert "'a.md' is the source already, and cannot be one of claude_code as well" in done.stderr
    assert file.read_bytes() == before


def test_no_file_is_that_of_two_targets(project):
    declare(
        project,
        'targets = [{ to = "agents", directory = "x.yaml" },'
        ' { to = "holodeck", directory = "x.yaml" }]',
    )
    done = run("sync")

    assert done.exit_code == 1
    assert "'x.yaml' is a file of agents already, and cannot be one of holodeck" in done.stderr


def test_all_that_is_wrong_with_the_targets_is_said_at_once(project):
    run("sync")
    (project / ".gemini/agents/writer.md").write_text("Mine.")
    bad = project / "app/.github/agents/writer.agent.md"
    bad.write_text("---\ndescription: 1\n---\n\nx\n")
    done = run("sync")

    assert done.exit_code == 1
    assert ".gemini/agents/writer.md:1:1: error" in done.stderr
    assert "app/.github/agents/writer.agent.md:2:14: error" in done.stderr


def test_what_cannot_be_said_at_all_names_the_format(tmp_path):
    config = ClaudeConfig(agents={"a": SubagentSpec("Does it.", "It.")})

    with pytest.raises(SpecError) as caught:
        convert_all(config, [("gemini", tmp_path), ("qwen", tmp_path)], tmp_path)
    (problem,) = caught.value.problems
    assert problem.message.startswith("qwen: Qwen Code refuses it: ")


@pytest.mark.usefixtures("project")
def test_a_package_that_is_missing_is_named(monkeypatch, tmp_path):
    declare(tmp_path, WIDENING)
    monkeypatch.setitem(sys.modules, "tomlkit", None)
    done = run("sync")

    assert done.exit_code == 2
    assert "install subspec[toml]" in done.stderr


def test_a_project_on_another_drive_is_named_in_full(monkeypatch, tmp_path):
    def on_another_drive(_path):
        raise ValueError

    monkeypatch.setattr(command.os.path, "relpath", on_another_drive)

    assert command._from_here(tmp_path) == tmp_path


def test_agents_that_cannot_be_said_are_named_with_the_target(project):
    declare(project, 'targets = ["gemini", "qwen"]')
    done = run("sync", "--format", "json")
    found = json.loads(done.stdout)

    assert done.exit_code == 1
    assert found["targets"] == []
    assert [(each["file"], each["path"]) for each in found["problems"]] == [
        ("team.yaml", ["agents", "reader", "prompt"]),
        ("team.yaml", ["agents", "writer", "prompt"]),
    ]
    assert all(each["message"].startswith("qwen: ") for each in found["problems"])
    assert done.stderr.splitlines()[-1] == "Nothing was written."
    assert files_in(project) == set()
