"""What ``subspec check`` prints for programs, and what it is told to leave out."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

import pytest
from command import run, terminal

import subspec
from subspec.cli import progress
from subspec.cli.reports import REPORTS
from subspec.problems import CODES

TEAM = """\
agents:
  a:
    description: d
    prompt: p
    tools: [Raed, Read]
    model: opsu
    x,y: "1%"
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("a team,1.yaml").write_text(TEAM)


def test_sarif_has_a_rule_and_a_place_for_each():
    result = run("check", "--format", "sarif", "a team,1.yaml", "nowhere.yaml")

    log = json.loads(result.stdout)
    assert result.exit_code == 2
    assert log["version"] == "2.1.0"
    (found,) = log["runs"]
    driver = found["tool"]["driver"]
    assert driver["name"] == "subspec"
    assert [rule["id"] for rule in driver["rules"]] == [
        *("cannot-read", "unknown-key", "unknown-model", "unknown-tool"),
    ]
    assert driver["rules"][3] == {
        "id": "unknown-tool",
        "shortDescription": {"text": CODES["unknown-tool"].summary},
        "defaultConfiguration": {"level": "warning"},
    }
    first, second, third, last = found["results"]
    assert first["message"]["text"].startswith("agents.a.tools[0]: tool 'Raed' is neither a known")
    assert first | {"message": None} == {
        "ruleId": "unknown-tool",
        "ruleIndex": 3,
        "level": "warning",
        "message": None,
        "locations": [
            {
                "physicalLocation": {
                    "artifactLocation": {"uri": "a%20team%2C1.yaml"},
                    "region": {"startLine": 5, "startColumn": 13, "endLine": 5, "endColumn": 17},
                }
            }
        ],
    }
    assert [each["level"] for each in (second, third, last)] == ["error"] * 3
    assert last["locations"] == [
        {"physicalLocation": {"artifactLocation": {"uri": "nowhere.yaml"}}}
    ]
    assert found["columnKind"] == "unicodeCodePoints"


def test_sarif_names_files_elsewhere_as_such(tmp_path, tmp_path_factory):
    other = tmp_path_factory.mktemp("other") / "é.yaml"
    other.write_text(TEAM)

    log = json.loads(run("check", "--format=sarif", str(other), str(tmp_path / "x.yaml")).stdout)

    uris = {
        each["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        for each in log["runs"][0]["results"]
    }
    assert uris == {f"file://{other.parent.as_posix()}/%C3%A9.yaml", "x.yaml"}


def test_github_gets_annotations():
    result = run("check", "--format", "github", "a team,1.yaml")

    first, second, third, summary = result.stdout.splitlines()
    assert first.startswith(
        "::warning file=a team%2C1.yaml,line=5,col=13,endLine=5,endColumn=17,title=unknown-tool::"
        "agents.a.tools[0]: tool 'Raed' is neither"
    )
    assert second.startswith("::error file=a team%2C1.yaml,line=6,col=12")
    assert "agents.a.'x,y': unknown key 'x,y'" in third
    assert summary == "2 errors and 1 warning in 1 file."
    assert result.exit_code == 1


def test_github_has_a_level_for_what_is_no_more_than_good_to_know():
    Path("b.md").write_text("---\nname: a\ndescription: d\nhooks:\n  Stop: []\n---\n\nBody\n")
    lines = run("check", "--format", "github", "b.md").stdout.splitlines()
    assert lines[0].startswith("::notice file=b.md,line=2,col=7,endLine=2,endColumn=8,title=unl")
    Path("c.yaml").write_text(
        "agents:\n  a:\n    description: d\n    prompt: p\n    model:\n      - a\n      - b\n"
    )
    assert (
        ",line=6,col=7,endLine=7,title=wrong-type::"
        in run("check", "--format", "github", "c.yaml").stdout
    )


def test_what_has_no_place_is_reported_without_one(capsys):
    problem = CODES["unknown-tool"].problem("odd")
    REPORTS["github"]([problem], 1)
    REPORTS["sarif"]([problem], 1)
    written = capsys.readouterr().out
    assert written.startswith("::warning title=unknown-tool::odd\n1 warning in 1 file.\n{")
    log = json.loads(written[written.index("{") :])
    assert "locations" not in log["runs"][0]["results"][0]


@pytest.mark.parametrize(
    ("options", "codes"),
    [
        (["--select", "unknown-tool"], ["unknown-tool"]),
        (["--select", "unknown-tool,unknown-key"], ["unknown-tool", "unknown-key"]),
        (["--select", "unknown-tool", "--select=unknown-model"], ["unknown-tool", "unknown-model"]),
        (["--ignore", "unknown-tool"], ["unknown-model", "unknown-key"]),
        (["--select", "unknown-tool", "--ignore", "unknown-tool"], []),
    ],
)
def test_codes_are_selected_and_ignored(options, codes):
    result = run("check", "--format", "json", "a team,1.yaml", *options)

    assert [each["code"] for each in json.loads(result.stdout)["problems"]] == codes
    assert result.exit_code == bool(codes)


@pytest.mark.parametrize("option", ["--select", "--ignore"])
def test_a_code_that_there_is_not_is_an_error(option):
    result = run("check", option, "unknown-tol", "a team,1.yaml")

    assert result.exit_code == 2
    assert "there is no code 'unknown-tol'; did you mean 'unknown-tool'?" in result.stderr
    assert "there is no code 'zzz'\n" in run("check", option, "zzz", "x").stderr


def test_the_exit_status_can_be_kept_out_of_it():
    assert run("check", "--exit-zero", "a team,1.yaml").exit_code == 0
    # That a file is not there is nothing to pass over.
    assert run("check", "--exit-zero", "nowhere.yaml").exit_code == 2


# Settings


def test_what_a_project_says_once_holds_for_every_run(tmp_path, monkeypatch):
    Path("pyproject.toml").write_text(
        '[tool.subspec]\npaths = ["a team,1.yaml"]\nignore = ["unknown-key"]\n'
    )
    Path("deeper/still").mkdir(parents=True)
    Path("deeper/pyproject.toml").write_text("[project]\nname = 'another'\n")

    assert run("check").stdout.splitlines()[-1] == "1 error and 1 warning in 1 file."
    monkeypatch.chdir(tmp_path / "deeper" / "still")
    assert "1 error and 1 warning in 1 file." in run("check").stdout
    assert run("check", "--ignore", "unknown-model,unknown-tool").exit_code == 0
    assert run("check", "--select", "unknown-key").exit_code == 0


def test_prompt_files_stay_where_a_project_says():
    Path("prompts").mkdir()
    Path("prompts/a.md").write_text("Count.\n")
    Path("team").mkdir()
    Path("team/team.yaml").write_text("agents: {a: {description: d, prompt_file: ../prompts/a.md}}")
    Path("pyproject.toml").write_text("[tool.subspec]\nselect = ['prompt-file-outside']\n")
    assert run("check", "team/team.yaml").exit_code == 0
    Path("pyproject.toml").write_text("[tool.subspec]\nprompt-root = 'team'\n")
    assert "[prompt-file-outside]" in run("check", "team/team.yaml").stdout
    assert "[prompt-file-outside]" not in run("check", "team/team.yaml", "--prompt-root=.").stdout


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("paths = 1", "tool.subspec.paths: must be a list of text, not the number 1"),
        ("pahts = []", "tool.subspec.pahts: unknown key 'pahts'; did you mean 'paths'?"),
        ("zzz = []", "tool.subspec.zzz: unknown key 'zzz' [unknown-key]"),
        ("ignore = ['a', 'unlik-file']", "tool.subspec.ignore[1]: there is no code 'unlik-file'"),
        ("select = 1", "tool.subspec.select: must be a list of text"),
        ("prompt-root = []", "tool.subspec.prompt-root: must be text"),
        ("directory = 'x'", "tool.subspec.directory: unknown key"),
        ("paths = [", "not TOML: "),
        ("sync = 1", "tool.subspec.sync: must be a table, not the number 1"),
        ("sync = {}", "tool.subspec.sync: it has no 'source' [missing-key]"),
        ("[tool.subspec.sync]\nsource = ''", "sync.source: must not be empty"),
        ("[tool.subspec.sync]\nformat = 'codx'", "unknown format 'codx'; did you mean 'codex'?"),
        ("[tool.subspec.sync]\nformat = 1", "sync.format: must be text"),
        ("[tool.subspec.sync]\nas = 'codex'", "sync.as: unknown key 'as'"),
        ("[tool.subspec.sync]\ntargets = []", "sync.targets: there is no target in it"),
        ("[tool.subspec.sync]\ntargets = 'codex'", "must be a list of formats or tables"),
        ("[tool.subspec.sync]\ntargets = [1]", "targets[0]: must be a format or a table"),
        ("[tool.subspec.sync]\ntargets = ['codx']", "sync.targets[0]: unknown format 'codx'"),
        ("[[tool.subspec.sync.targets]]\ndir = 1", "sync.targets[0].dir: unknown key 'dir'"),
        ("[[tool.subspec.sync.targets]]\nstrict = 1", "targets[0].strict: must be true or false"),
        ("[[tool.subspec.sync.targets]]\ndirectory = '.'", "sync.targets[0]: it has no 'to'"),
        ("sync.targets = ['qwen', {to = 'qwen'}]", "targets[1]: 'qwen' is a target already"),
    ],
)
def test_settings_that_nothing_reads_are_errors(text, said):
    Path("pyproject.toml").write_text(f"[tool.subspec]\n{text}\n")

    result = run("check", "a team,1.yaml")

    assert result.exit_code == 1
    assert said in result.stderr
    assert re.search(r"pyproject.toml:[2-4]:\d+: error: ", result.stderr)


def test_settings_that_cannot_be_read_are_an_error():
    Path("pyproject.toml").write_bytes(b"a = '\xff'\n")

    result = run("check", "a team,1.yaml")

    assert result.exit_code == 1
    assert "cannot read the settings: " in result.stderr


def test_settings_that_are_no_table_say_nothing():
    Path("pyproject.toml").write_text("tool = 1\n")
    assert run("check").exit_code == 2
    Path("pyproject.toml").write_text("[tool]\nsubspec = 1\n")
    assert run("check").exit_code == 2


# Comments


def codes_of(text: str, name: str = "team.yaml") -> list[tuple[str, int]]:
    Path(name).write_text(text)
    return [(each.code, each.span.line if each.span else 0) for each in subspec.check(name)]


def test_a_comment_silences_its_line_or_the_next():
    text = TEAM.replace("Raed, Read]", "Raed, Read]  # subspec: ignore[unknown-tool]").replace(
        "    model",
        "    # subspec: ignored[x]\n    #subspec:ignore[ unknown-model, empty-document]\n    model",
    )
    assert codes_of(text) == [("unknown-key", 9)]
    # Loading is not silenced: what cannot be used cannot be used.
    with pytest.raises(subspec.SpecError, match="unknown-model"):
        subspec.load("team.yaml")


def test_a_comment_speaks_of_no_other_line_and_no_other_code():
    text = TEAM.replace("description: d", "description: d # subspec: ignore[unknown-tool]")
    assert codes_of(text)[0] == ("unknown-tool", 5)
    text = TEAM.replace("Raed, Read]", "Raed, Read]  # subspec: ignore[unknown-key]")
    assert codes_of(text)[0] == ("unknown-tool", 5)


def test_a_comment_with_a_code_that_there_is_not_is_told():
    text = TEAM.replace("Raed, Read]", "Raed, Read]  # subspec: ignore[unknown-tol, zzz]")
    Path("team.yaml").write_text(text)
    found = [str(each) for each in subspec.check("team.yaml")][1:3]
    assert found == [
        (
            "team.yaml:5:44: warning: there is no code 'unknown-tol' to ignore; did you mean"
            " 'unknown-tool'? [unknown-code]"
        ),
        "team.yaml:5:57: warning: there is no code 'zzz' to ignore [unknown-code]",
    ]


@pytest.mark.parametrize("comment", ["# subspec: ignore[unknown-tool]", "x # subspec: ignore[zzz]"])
def test_what_looks_like_a_comment_in_a_text_is_none(comment):
    text = TEAM.replace("prompt: p", f"prompt: |\n      {comment}")
    assert [code for code, _ in codes_of(text)] == ["unknown-tool", "unknown-model", "unknown-key"]


def test_comments_work_in_front_matter_and_not_in_the_body():
    text = "---\nname: a # subspec: ignore[unlike-file]\ndescription: d\n{}---\n{}\n"
    assert codes_of(text.format("", "Body"), "b.md") == []
    odd = "effort: odd\n"
    assert codes_of(text.format(odd, "# subspec: ignore[ignored-value]"), "b.md") == [
        ("ignored-value", 4)
    ]
    comment = "# subspec: ignore[ignored-value]\n"
    assert codes_of(text.format(comment + odd, "Body"), "b.md") == []


def test_a_file_that_cannot_be_read_has_no_comments():
    assert codes_of("a: [ # subspec: ignore[yaml-syntax]\n") == [("yaml-syntax", 2)]
    assert codes_of('{"a": "# subspec: ignore[unknown-key]"}', "a.json") == [("unknown-key", 1)]


# Progress


def test_a_long_run_on_a_terminal_is_counted(monkeypatch):
    monkeypatch.setattr(progress, "PATIENCE", -1.0)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.watching() as counter:
        for number in range(3):
            counter.seen(Path(f"{number}.md"))
        assert counter.count == 3
        assert counter.progress.tasks[0].description == "3 files"
        assert counter.progress.tasks[0].fields["name"] == "2.md"


def test_a_short_run_and_a_pipe_are_not_counted(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)
    with progress.watching() as counter:
        counter.seen(Path("a.md"))
        assert counter.progress is None
    assert "files" not in terminal("check", "a team,1.yaml").splitlines()[0]
