"""The command ``subspec``: what it prints, where to, and how it exits."""

from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
import unicodedata
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import click
import pytest
import yaml
from command import environ, pipe, run, terminal

import subspec
from subspec.cli import COMMANDS, main
from subspec.cli.common import exit_status
from subspec.formats import names
from subspec.problems import CANNOT_READ, MISSING_KEY, UNKNOWN_TOOL, Problem

FIXTURES = Path(__file__).parent.parent / "fixtures"
RESEARCH_TEAM = "research-team/team.yaml"
CLAUDE_CLI = "claude-cli/agents.json"
BROKEN = "broken/team.yaml"
WITHOUT_A_PATH = {"doctor", "explain", "preview", "schema", "sync"}
SOUND = (RESEARCH_TEAM, "disjoint-mcp/team.yaml", "holodeck/agent.yaml", CLAUDE_CLI)


@pytest.fixture(autouse=True)
def _among_the_fixtures(monkeypatch):
    """Stand where a path to a fixture is the same on every machine."""
    monkeypatch.chdir(FIXTURES)


@pytest.fixture
def team(tmp_path, monkeypatch):
    """Write ``team.yaml`` into an empty directory, and stand there."""
    monkeypatch.chdir(tmp_path)

    def write(text: str, name: str = "team.yaml") -> str:
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_text(text, encoding="utf-8")
        return name

    return write


def without_styles(text: str) -> str:
    """Take out the colours that are meant: what is left over was not."""
    return re.sub(r"\x1b\[[0-9;]*m", "", text)


def width(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    wide = sum(unicodedata.east_asian_width(character) in "FW" for character in text)
    accents = sum(unicodedata.combining(character) > 0 for character in text)
    return len(text) + wide - accents


def agent(**keys: Any) -> str:
    """Write a file with one agent."""
    spec = {"description": "Counts things.", "prompt": "You count.", **keys}
    return yaml.safe_dump({"agents": {"counter": spec}}, sort_keys=False, allow_unicode=True)


# The command as a whole.


@pytest.mark.parametrize(
    "args", [(), *((name,) for name in sorted(COMMANDS))], ids=lambda args: " ".join(args) or "all"
)
@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_explains_with_an_example(args, option, snapshot):
    result = run(*args, option)

    assert result.exit_code == 0
    assert re.search(r"^  Examples?:\n +.*subspec ", result.stdout, re.MULTILINE)
    assert result.stdout == snapshot(name=" ".join(args) or "all")


def test_without_a_command_the_commands_are_listed():
    result = run()

    # Which of the two it goes to, and the exit status, are for the version of click to say.
    said = result.stdout + result.stderr
    assert "Usage: subspec [OPTIONS] COMMAND [ARGS]..." in said
    for name, summary in COMMANDS.items():
        assert re.search(f"^  {name} +{re.escape(summary)}$", said, re.MULTILINE)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_command_that_is_listed_exists(name):
    with click.Context(main) as context:
        assert main.list_commands(context) == sorted(COMMANDS)
        command = main.get_command(context, name)

    assert isinstance(command, click.Command)
    assert command.name == name


def test_version():
    try:
        installed = version("subspec")
    except PackageNotFoundError:
        pytest.skip("subspec is not installed")

    result = run("--version")

    assert (result.exit_code, result.stdout) == (0, f"subspec, version {installed}\n")


@pytest.mark.parametrize(
    ("mistake", "meant"), [("chek", "check"), ("shwo", "show"), ("Build", "build")]
)
def test_a_misspelt_command_is_corrected(mistake, meant):
    result = run(mistake, RESEARCH_TEAM)

    assert result.exit_code == 2
    assert result.stdout == ""
    assert f"Error: No such command '{mistake}'. Did you mean '{meant}'?\n" in result.stderr
    assert "Usage: subspec [OPTIONS] COMMAND" in result.stderr


def test_a_command_like_no_other_is_refused_without_a_guess():
    result = run("frobnicate")

    assert result.exit_code == 2
    assert result.stderr.endswith("Error: No such command 'frobnicate'.\n")


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - WITHOUT_A_PATH))
def test_a_path_is_required(command):
    result = run(command)

    assert result.exit_code == 2
    assert re.search("Missing argument '(PATH|SRC)|give a PATH", result.stderr)


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - WITHOUT_A_PATH))
def test_an_unknown_format_is_refused_with_those_that_there_are(command):
    result = run(command, "--as", "agent", RESEARCH_TEAM)

    assert result.exit_code == 2
    assert "unknown format 'agent'; did you mean 'agents'?" in result.stderr
    result = run(command, "--as", "xyz", RESEARCH_TEAM)
    assert "there are 'agents', 'claude_cli', 'claude_code', 'codex'" in result.stderr


def test_convert_names_the_formats_in_its_help():
    said = run("convert", "--help").stdout
    listed = said.split("Formats:\n")[1].split("\n\n")[0]

    assert re.split(r"[,\s]+", listed.strip()) == names()


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - WITHOUT_A_PATH - {"fmt"}))
@pytest.mark.parametrize("root", ["nowhere", RESEARCH_TEAM], ids=["missing", "file"])
def test_a_prompt_root_has_to_be_a_directory(command, root):
    result = run(command, "--prompt-root", root, RESEARCH_TEAM)

    assert result.exit_code == 2
    assert f"Invalid value for '--prompt-root': Directory '{root}'" in result.stderr


def test_help_imports_nothing_that_is_slow():
    process = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "subspec", "--help"],
        env=environ(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    imported = {line.rpartition("|")[2].strip() for line in process.stderr.splitlines()}

    assert "subspec.cli" in imported
    assert imported.isdisjoint({"cattrs", "yaml", "immutabledict", "rich", "claude_agent_sdk"})


@pytest.mark.parametrize(
    "args",
    [
        ("check", "many.yaml"),
        ("show", "many.yaml"),
        ("show", "many.yaml", "a0"),
        ("build", "many.yaml"),
    ],
    ids=["check", "show", "show-one", "build"],
)
def test_a_reader_that_leaves_early_gets_no_traceback(args, team):
    # More than fits into a pipe, so that the command is still writing when nobody reads.
    agents = {
        f"a{n}": {"description": "Counts.", "prompt": "Count.\n" * (20_000 if n == 0 else 9)}
        for n in range(900)
    }
    if args[0] == "check":
        agents = {name: {**spec, "tools": ["Raed"]} for name, spec in agents.items()}
    team(json.dumps({"agents": agents}), "many.yaml")

    with subprocess.Popen(
        [sys.executable, "-m", "subspec", *args],
        env=environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        first = process.stdout.readline()
        process.stdout.close()
        complaint = process.stderr.read()

    assert first
    assert complaint == b""


@pytest.mark.parametrize(
    "args",
    [("check", BROKEN), ("show", RESEARCH_TEAM), ("show", RESEARCH_TEAM, "critic"), ("--help",)],
    ids=["check", "show", "show-one", "help"],
)
def test_a_reader_that_never_reads_gets_no_traceback_either(args):
    # Little enough to stay in the buffer until the command ends.
    with subprocess.Popen(
        [sys.executable, "-m", "subspec", *args],
        env=environ(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        process.stdout.close()
        complaint = process.stderr.read()

    assert complaint == b""


# Check.


@pytest.mark.parametrize("path", SOUND)
def test_check_of_a_sound_file(path):
    result = run("check", path)

    assert (result.exit_code, result.stdout) == (0, "No problems in 1 file.\n")
    assert result.stderr == ""


def test_check_says_everything_with_its_place(snapshot):
    result = run("check", BROKEN)

    assert result.exit_code == 1
    assert result.stderr == ""
    assert result.stdout == snapshot


def test_check_prints_the_problems_of_the_library():
    said = run("check", BROKEN).stdout

    for problem in subspec.check(BROKEN):
        assert f"{problem}\n" in said


@pytest.mark.parametrize(
    ("texts", "summary"),
    [
        pytest.param([agent(), agent()], "No problems in 2 files.", id="none"),
        pytest.param([agent(max_turns=0)], "1 error in 1 file.", id="error"),
        pytest.param(
            [agent(max_turns=0), agent(model="sonet")], "2 errors in 2 files.", id="errors"
        ),
        pytest.param([agent(tools=["Raed", "Read"])], "1 warning in 1 file.", id="warning"),
        pytest.param(
            [agent(tools=["Raed", "Grpe", "Read"])], "2 warnings in 1 file.", id="warnings"
        ),
        pytest.param(
            [agent(tools=["Raed", "Read"]), agent(), agent(effort="LOW", background="yes")],
            "2 errors and 1 warning in 3 files.",
            id="both",
        ),
    ],
)
def test_check_counts_what_it_found(texts, summary, team):
    paths = [team(text, f"{index}.yaml") for index, text in enumerate(texts)]

    assert run("check", *paths).stdout.splitlines()[-1] == summary


@pytest.mark.parametrize(
    ("text", "status"),
    [
        pytest.param(agent(), 0, id="sound"),
        pytest.param(agent(tools=["Raed"]), 1, id="odd"),
        pytest.param(agent(effort="LOW"), 1, id="wrong"),
        pytest.param("agents: {", 1, id="not-yaml"),
        pytest.param("", 1, id="empty"),
        pytest.param(agent(prompt=None, prompt_file="gone.md"), 1, id="prompt-file-missing"),
    ],
)
@pytest.mark.parametrize("output", ["text", "json"])
def test_check_exits_by_what_it_found(text, status, output, team):
    assert run("check", "--format", output, team(text)).exit_code == status


@pytest.mark.parametrize(
    ("path", "why"),
    [("nowhere.yaml", "no such file"), ("claude-cli", "it is a directory, not a file")],
    ids=["missing", "directory"],
)
@pytest.mark.parametrize("others", [(), (RESEARCH_TEAM, BROKEN)], ids=["alone", "among-others"])
def test_check_of_a_file_that_cannot_be_read(path, why, others):
    result = run("check", path, *others)

    assert result.exit_code == 2
    assert f"{path}: error: cannot read it: {why} [cannot-read]\n" in result.stdout


@pytest.mark.parametrize(
    ("problems", "status"),
    [
        pytest.param([], 0, id="none"),
        pytest.param([Problem("some-code", "info", "Just so you know")], 0, id="info"),
        pytest.param([UNKNOWN_TOOL.problem("odd")], 1, id="warning"),
        pytest.param([MISSING_KEY.problem("wrong")], 1, id="error"),
        pytest.param([MISSING_KEY.problem("wrong"), CANNOT_READ.problem("gone")], 2, id="no-file"),
    ],
)
def test_exit_status(problems, status):
    assert exit_status(problems) == status


def test_check_takes_files_in_the_order_given():
    said = run("check", "nowhere.yaml", RESEARCH_TEAM, BROKEN, "elsewhere.yaml").stdout

    lines = [line for line in said.splitlines() if re.match(r"\S+:", line)]
    files = [line.partition(":")[0] for line in lines]
    assert list(dict.fromkeys(files)) == ["nowhere.yaml", BROKEN, "elsewhere.yaml"]
    assert said.endswith(" in 4 files.\n")


def test_check_as_json_says_all_there_is_to_a_problem():
    result = run("check", "--format", "json", BROKEN, RESEARCH_TEAM)

    problems = subspec.check(BROKEN)
    report = json.loads(result.stdout)
    assert result.exit_code == 1
    assert result.stderr == ""
    assert report == {
        "files": 2,
        "errors": sum(problem.severity == "error" for problem in problems),
        "warnings": sum(problem.severity == "warning" for problem in problems),
        "problems": [
            {
                "code": problem.code,
                "severity": problem.severity,
                "message": problem.message,
                "hint": problem.hint,
                "path": list(problem.path),
                "file": BROKEN,
                "line": problem.span.line,
                "column": problem.span.column,
                "end_line": problem.span.end_line,
                "end_column": problem.span.end_column,
            }
            for problem in problems
        ],
    }
    # Some have a way out, some lie in a list: what was compared above is not all alike.
    assert {type(problem["hint"]) for problem in report["problems"]} == {str, type(None)}
    assert any(type(step) is int for problem in report["problems"] for step in problem["path"])


def test_check_as_json_of_a_problem_without_a_place():
    (problem,) = json.loads(run("check", "--format=json", "nowhere.yaml").stdout)["problems"]

    assert problem["file"] == "nowhere.yaml"
    places = ("line", "column", "end_line", "end_column")
    assert [problem[place] for place in places] == [None] * 4


def test_check_as_json_of_a_sound_file():
    result = run("check", "--format=json", RESEARCH_TEAM)

    assert result.exit_code == 0
    assert json.loads(result.stdout) == {"files": 1, "errors": 0, "warnings": 0, "problems": []}


def test_check_as_json_is_ascii(team):
    result = run("check", "--format=json", team(agent(tools=["研\u009b", "Read"])))

    assert result.stdout.isascii()
    assert json.loads(result.stdout)["problems"][0]["message"].startswith("tool '研")


@pytest.mark.parametrize(
    ("line", "fault"),
    [
        pytest.param(
            "  counter: {description: d, prompt: p, tools: [Raed, Read]}", "Raed", id="plain"
        ),
        pytest.param(
            "  counter: {description: 'é\u0301', prompt: p, tools: [Raed, Read]}",
            "Raed",
            id="accents",
        ),
        pytest.param(
            "  计数: {description: 计数, prompt: 🙂, tools: [Raed, Read]}", "Raed", id="wide-before"
        ),
        pytest.param(
            "  counter: {description: d, prompt: p, tools: [读取, Read]}", "读取", id="wide"
        ),
        pytest.param(
            f"  counter: {{description: {'d' * 300}, prompt: p, tools: [Raed, Read]}}",
            "Raed",
            id="far-right",
        ),
    ],
)
def test_check_points_at_the_fault(line, fault, team):
    _, shown, caret, _ = run("check", team(f"agents:\n{line}\n")).stdout.splitlines()

    before, _, _ = shown.partition(fault)
    assert before != shown
    assert caret == " " * width(before) + "^" * width(fault)


def test_check_keeps_tabs_before_the_caret(team):
    fields = '"description": "d",\t"prompt": "p", "tools": ["Raed", "Read"]'
    text = f'{{"agents": {{"counter": {{\n\t{fields}}}}}}}\n'

    _, shown, caret, _ = run("check", team(text, "team.json")).stdout.splitlines()

    assert len(caret) - len(caret.lstrip()) == shown.index('"Raed"')
    assert [i for i, c in enumerate(caret) if c == "\t"] == [
        i for i, c in enumerate(shown) if c == "\t"
    ]


def test_check_reads_as_the_format_it_is_told():
    told = run("check", "--as", "agents", CLAUDE_CLI)

    assert run("check", "--as", "claude_cli", CLAUDE_CLI).exit_code == 0
    assert told.exit_code == 1
    assert "error: reviewer: unknown key 'reviewer' [unknown-key]" in told.stdout


def test_check_keeps_prompt_files_inside_of_the_prompt_root(team):
    team("You count.", "prompts/count.md")
    path = team(agent(prompt=None, prompt_file="../prompts/count.md"), "teams/team.yaml")

    assert run("check", "--prompt-root", ".", path).exit_code == 0
    outside = run("check", "--prompt-root", "teams", path)
    assert outside.exit_code == 1
    assert "[prompt-file-outside]" in outside.stdout


def test_check_speaks_of_the_option_and_not_of_the_argument_of_a_function(team):
    team("You count.", "prompts/count.md")
    path = team(agent(prompt=None, prompt_file="../prompts/count.md"), "teams/team.yaml")

    assert "--prompt-root" in run("check", path).stdout


def test_check_names_a_file_whose_name_is_no_utf_8(team):
    if sys.platform in ("darwin", "win32"):
        pytest.skip("there are no such names here")
    path = team(agent(tools=["Raed"]), os.fsdecode(b"caf\xe9.yaml"))

    process = pipe("check", path)

    assert process.returncode == 1
    assert process.stdout.startswith(rb"caf\udce9.yaml:")
    assert process.stderr == b""


# Show.


@pytest.mark.parametrize("path", SOUND)
def test_show_draws_a_table(path, snapshot):
    result = run("show", path)

    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == snapshot


def test_show_draws_the_table_as_wide_as_the_terminal():
    lines = without_styles(terminal("show", RESEARCH_TEAM, columns=66)).splitlines()

    assert {width(line) for line in lines} == {66}


LONG = """
agents:
  database-migration-reviewer-agent:
    description: Reviews a migration of the database before it is merged, and says what it breaks.
    prompt: You review.
    model: claude-sonnet-4-5-20250929
    tools: [mcp__postgres__run_read_only_query, Read, Grep, Glob]
"""


@pytest.mark.parametrize("columns", [70, 80, 100, 120])
def test_show_leaves_room_for_the_description(columns, team):
    said = without_styles(terminal("show", team(LONG), columns=columns))

    assert "Reviews a migration" in said
    assert {width(line) for line in said.splitlines()} == {columns}


def test_show_cuts_a_long_description_and_nothing_else(team):
    said = run("show", team(LONG)).stdout

    head, *rows = said.splitlines()
    columns = [head.index(title) for title in ("NAME", "MODEL", "TOOLS", "DESC")]
    ends = [*columns[1:], None]
    name, model, tools, description = (
        "".join(row[start:end].strip(" ") for row in rows)
        for start, end in zip(columns, ends, strict=True)
    )
    assert name == "database-migration-reviewer-agent"
    assert model == "claude-sonnet-4-5-20250929"
    assert tools.replace(" ", "") == "mcp__postgres__run_read_only_query,Read,Grep,Glob"
    assert description.startswith("Reviews ")
    assert description.endswith("…")


def test_show_keeps_an_ordinary_model_id_on_one_line(team):
    assert " claude-sonnet-4-5 " in run("show", team(agent(model="claude-sonnet-4-5"))).stdout


def test_show_has_one_line_of_a_description(team):
    said = run("show", team(agent(description="\n\nCounts things.\nUse it for sums."))).stdout

    assert "Counts things." in said
    assert "Use it" not in said


def test_show_lines_up_wide_characters(team):
    text = """
    agents:
      研究员: {description: 从网络收集事实。, prompt: 你收集事实。, tools: [Read]}
      count: {description: 🙂 counts, prompt: p}
    """

    lines = run("show", team(text)).stdout.splitlines()

    assert {width(line) for line in lines} == {100}
    columns = [
        width(line.partition(word)[0]) for line, word in zip(lines[1:], ("从", "🙂"), strict=True)
    ]
    assert columns == [lines[0].index("DESCRIPTION")] * 2


def test_show_takes_brackets_for_brackets(team):
    text = agent(
        description="Counts [red]apples[/red] and [link=x]pears[/link].", model="claude-x[1m]"
    )

    said = run("show", team(text)).stdout

    assert "Counts [red]apples[/red] and [link=x]pears[/link]." in said
    assert " claude-x[1m] " in said


@pytest.mark.parametrize(
    ("keys", "tools"),
    [
        pytest.param({}, "all", id="inherited"),
        pytest.param({"tools": []}, "none", id="none"),
        pytest.param({"tools": ["Read", "Grep"]}, "Read, Grep", id="list"),
        pytest.param(
            {"disallowed_tools": ["Bash", "Write"]}, "all, without Bash, Write", id="less"
        ),
        pytest.param({"disallowed_tools": []}, "all", id="nothing-less"),
        pytest.param(
            {"tools": ["Read"], "disallowed_tools": ["Bash"]}, "Read, without Bash", id="both"
        ),
    ],
)
def test_show_says_what_an_agent_may_use(keys, tools, team):
    path = team(agent(**keys))

    _, row = run("show", path).stdout.splitlines()
    assert re.split(r" {2,}", row.rstrip()) == ["counter", "inherit", tools, "Counts things."]
    about = yaml.safe_load(run("show", path, "counter").stdout.partition("\n\n")[0])
    assert about == {"name": "counter", "description": "Counts things.", "tools": tools}


@pytest.mark.parametrize(
    ("path", "name"),
    [(RESEARCH_TEAM, "analyst"), (RESEARCH_TEAM, "writer"), (CLAUDE_CLI, "release-notes")],
)
def test_show_of_one_agent_has_it_in_full(path, name, snapshot):
    result = run("show", path, name)

    assert result.exit_code == 0
    assert result.stderr == ""
    assert result.stdout == snapshot


@pytest.mark.parametrize("prompt", ["You count.", "You count.\n", "You count.\n\n"])
def test_show_ends_with_the_prompt_and_a_line_end(prompt, team):
    said = run("show", team(agent(prompt=prompt)), "counter").stdout

    assert said.partition("\n\n")[2] == (prompt if prompt.endswith("\n") else f"{prompt}\n")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("analist", "did you mean 'analyst'?"),
        ("Writer", "did you mean 'writer'?"),
        ("zzz", "there are: researcher, analyst, writer, critic"),
    ],
)
def test_show_of_an_agent_that_is_not_there(name, hint):
    result = run("show", RESEARCH_TEAM, name)

    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == f"Error: no agent '{name}' in {RESEARCH_TEAM}; {hint}\n"


def test_show_of_a_file_without_agents(team):
    path = team("agents: {}\n")

    assert run("show", path).stdout == "No agents in team.yaml.\n"
    assert run("show", path, "any").stderr == (
        "Error: no agent 'any' in team.yaml; there are: none\n"
    )


@pytest.mark.parametrize("args", [(), ("counter",)], ids=["table", "one"])
def test_show_keeps_warnings_out_of_what_it_shows(args, team):
    result = run("show", team(agent(tools=["Raed"])), *args)

    assert result.exit_code == 0
    assert "Raed" in result.stdout
    assert "warning" not in result.stdout
    assert result.stderr.startswith("team.yaml:6:7: warning: agents.counter.tools[0]: tool 'Raed'")
    assert result.stderr.splitlines()[1:] == ["        - Raed", "          ^^^^"]


@pytest.mark.parametrize("command", ["show", "build"])
@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        (BROKEN, 1, f"{BROKEN}:2:1: error: subagents: claude.subagents is no longer supported"),
        ("nowhere.yaml", 2, "nowhere.yaml: error: cannot read it: no such file [cannot-read]\n"),
    ],
    ids=["broken", "missing"],
)
def test_problems_stop_a_command(command, path, status, said):
    result = run(command, path)

    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr.startswith(said)
    with pytest.raises(subspec.SpecError) as caught:
        subspec.load(path)
    for problem in caught.value.problems:
        assert f"{problem}\n" in result.stderr


def test_show_of_one_agent_in_a_directory_whose_name_is_no_utf_8(team):
    if sys.platform in ("darwin", "win32"):
        pytest.skip("there are no such names here")
    folder = os.fsdecode(b"caf\xe9")
    team("You count.\n", f"{folder}/count.md")
    path = team(agent(prompt=None, prompt_file="count.md"), f"{folder}/team.yaml")

    process = pipe("show", path, "counter")

    assert process.stderr == b""
    assert rb"caf\udce9" in process.stdout.replace(b"\\\\", b"\\")
    assert process.stdout.endswith(b"\n\nYou count.\n")


# Build.


def test_build_prints_the_json_of_claude_agents():
    written = yaml.safe_load(Path(RESEARCH_TEAM).read_text(encoding="utf-8"))["agents"]
    prompt_file = Path(RESEARCH_TEAM).with_name("prompts") / "analyst.md"
    del written["analyst"]["prompt_file"]
    written["analyst"]["prompt"] = prompt_file.read_text(encoding="utf-8")
    written["analyst"]["maxTurns"] = written["analyst"].pop("max_turns")

    result = run("build", RESEARCH_TEAM)

    assert result.exit_code == 0
    assert json.loads(result.stdout) == written
    assert result.stdout.endswith("}\n")


def test_build_says_every_key_as_claude_code_spells_it(team):
    path = team(
        agent(
            tools=["Read"],
            disallowed_tools=["Bash"],
            model="haiku",
            skills=["pdf"],
            memory="project",
            mcp_servers=["docs", {"db": {"command": "psql", "env": {"PG_USER": "me"}}}],
            initial_prompt="Begin.",
            max_turns=3,
            background=False,
            effort=7,
            permission_mode="plan",
            hooks={"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]},
            isolation="worktree",
            omit_claude_md=True,
            auto_compact_window=100_000,
            observer="watcher",
            observer_message="Watch.",
            observe_subagents=True,
            observe_tool_results=False,
        )
    )

    result = run("build", path)

    assert result.stderr == ""
    assert json.loads(result.stdout)["counter"] == {
        "description": "Counts things.",
        "prompt": "You count.",
        "tools": ["Read"],
        "disallowedTools": ["Bash"],
        "model": "haiku",
        "skills": ["pdf"],
        "memory": "project",
        "mcpServers": ["docs", {"db": {"command": "psql", "env": {"PG_USER": "me"}}}],
        "initialPrompt": "Begin.",
        "maxTurns": 3,
        "background": False,
        "effort": 7,
        "permissionMode": "plan",
        "hooks": {"PreToolUse": [{"hooks": [{"type": "command", "command": "true"}]}]},
        "isolation": "worktree",
        "omitClaudeMd": True,
        "autoCompactWindow": 100_000,
        "observer": "watcher",
        "observerMessage": "Watch.",
        "observeSubagents": True,
        "observeToolResults": False,
    }


@pytest.mark.filterwarnings("ignore:.*'price-list'")  # a tool of HoloDeck's
@pytest.mark.parametrize("path", SOUND)
def test_build_prints_what_loads_back_as_the_same_agents(path):
    text = run("build", path).stdout

    assert subspec.loads(text, format="claude_cli").agents == subspec.load(path).agents


def test_build_keeps_the_three_states_of_tools(team):
    text = """
    agents:
      all: {description: d, prompt: p}
      none: {description: d, prompt: p, tools: []}
      some: {description: d, prompt: p, tools: [Read]}
    """

    built = json.loads(run("build", team(text)).stdout)

    assert "tools" not in built["all"]
    assert built["none"]["tools"] == []
    assert built["some"]["tools"] == ["Read"]


def test_build_names_what_is_lost_on_stderr(team):
    path = team(f"{agent(color='red', extra={'team': 'sums'})}permission_mode: plan\n")

    result = run("build", path)

    assert result.exit_code == 0
    assert json.loads(result.stdout) == {
        "counter": {"description": "Counts things.", "prompt": "You count."}
    }
    assert [line.partition("; ")[0] for line in result.stderr.splitlines()] == [
        "team.yaml: warning: permission_mode: claude --agents cannot say permission_mode",
        "team.yaml: warning: agents.counter.color: claude --agents cannot say color",
        "team.yaml: warning: agents.counter.team: claude --agents cannot say team",
    ]


def test_build_of_a_file_without_agents(team):
    assert run("build", team("agents: {}\n")).stdout == "{}\n"


# Terminals, pipes and encodings.

HOSTILE = {
    "na\x1b[31mme": {
        "description": "\x1b[2J\x1b[HAll clear \u202etxt.exe\u202c \x9b31m",
        "prompt": "First \x1b[31mred\x1b[0m\nthen \x9b2J\rback \u2066hidden\u2069",
        "tools": ["Re\x1b]0;title\x07ad"],
    }
}
SPELLINGS = {
    "esc": re.compile(r"\\x1b|\\u001b"),
    "c1": re.compile(r"\\x9b|\\u009b"),
    "bidi": re.compile(r"\\u202e"),
}


@pytest.fixture
def hostile(team):
    return team(json.dumps({"agents": HOSTILE}), "team.json")


@pytest.mark.parametrize(
    "args",
    [("show",), ("show", "na\x1b[31mme"), ("show", "na\x1b[31m"), ("build",), ("check",)],
    ids=["table", "one", "unknown", "build", "check"],
)
def test_nothing_in_a_file_reaches_the_terminal_as_a_command(args, hostile):
    command, *rest = args

    said = without_styles(terminal(command, hostile, *rest, columns=120))

    assert "na" in said
    assert SPELLINGS["esc"].search(said)
    assert {c for c in said if not c.isprintable()} == {"\n"}


@pytest.mark.parametrize("args", [("show",), ("show", "na\x1b[31mme")], ids=["table", "one"])
def test_what_is_dangerous_in_a_file_is_shown_spelt_out(args, hostile):
    command, *rest = args

    said = without_styles(terminal(command, hostile, *rest, columns=160))

    assert [name for name, spelling in SPELLINGS.items() if not spelling.search(said)] == []


def test_a_prompt_goes_into_a_pipe_as_it_is(hostile):
    process = pipe("show", hostile, "na\x1b[31mme", PYTHONIOENCODING="utf-8")

    (spec,) = HOSTILE.values()
    assert process.returncode == 0
    assert process.stdout.decode().partition("\n\n")[2] == f"{spec['prompt']}\n"


def test_build_prints_the_same_data_on_a_terminal(hostile):
    said = without_styles(terminal("build", hostile))

    assert json.loads(said[said.index("{\n") :]) == HOSTILE


COLOURED = re.compile(r"\x1b\[3[0-9]m")


@pytest.mark.parametrize("args", [("check",), ("show",), ("build",)], ids=lambda args: args[0])
def test_problems_are_coloured_on_a_terminal(args):
    said = terminal(*args, BROKEN)

    assert COLOURED.search(said)
    assert "\x1b[31m\x1b[1merror:\x1b[0m" in said
    assert "\x1b[33m\x1b[1mwarning:\x1b[0m" in said


@pytest.mark.parametrize("args", [("check",), ("build",)], ids=lambda args: args[0])
def test_no_color_takes_the_colours_away_and_nothing_else(args):
    plain = terminal(*args, BROKEN, NO_COLOR="1")

    assert "\x1b" not in plain
    assert plain == without_styles(terminal(*args, BROKEN))


def test_no_color_counts_only_when_it_is_not_empty():
    assert COLOURED.search(terminal("check", BROKEN, NO_COLOR=""))


@pytest.mark.parametrize(
    "args",
    [
        ("check", BROKEN),
        ("show", RESEARCH_TEAM),
        ("build", BROKEN),
        ("show", RESEARCH_TEAM, "critic"),
    ],
    ids=["check", "show", "build", "show-one"],
)
def test_there_are_no_colours_in_a_pipe(args):
    process = pipe(*args)

    assert b"\x1b" not in process.stdout + process.stderr


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
@pytest.mark.parametrize(
    "args",
    [("check",), ("show",), ("show", "研究员"), ("build",)],
    ids=["check", "show", "show-one", "build"],
)
def test_an_output_that_lacks_characters_gets_escapes(args, encoding, team):
    spec = {"description": f"从网络 🙂 {'x' * 100}", "prompt": "你收集 🙂", "tools": ["读"]}
    command, *rest = args

    path = team(json.dumps({"agents": {"研究员": spec}}, ensure_ascii=False), "team.json")
    process = pipe(command, path, *rest, PYTHONIOENCODING=encoding)

    assert b"Traceback" not in process.stderr
    if command == "build":
        assert json.loads(process.stdout) == {"研究员": spec}
    else:
        # Where ASCII is all there is, click writes UTF-8 none the less.
        assert re.search(r"读|\\u8bfb", process.stdout.decode())


def test_the_command_is_a_module_too():
    process = pipe("check", RESEARCH_TEAM)

    assert process.returncode == 0
    assert process.stdout.replace(b"\r\n", b"\n") == b"No problems in 1 file.\n"
    assert process.stderr == b""


def test_the_output_of_the_command_can_be_redirected_inside_of_a_process():
    with contextlib.redirect_stdout(io.StringIO()) as said:
        status = main(["check", RESEARCH_TEAM], prog_name="subspec", standalone_mode=False)

    assert (status, said.getvalue()) == (0, "No problems in 1 file.\n")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("command", ["check", "show", "build"])
def test_an_output_that_is_full_is_said_without_a_traceback(command):
    with Path("/dev/full").open("w") as full:
        process = subprocess.run(
            [sys.executable, "-m", "subspec", command, str(FIXTURES / "research-team/team.yaml")],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            check=False,
        )

    assert process.returncode == 2
    assert process.stderr.splitlines()[-1] == "subspec: cannot write: No space left on device"
    assert "Traceback" not in process.stderr


@pytest.mark.parametrize("command", sorted(COMMANDS.keys() - WITHOUT_A_PATH | {"preview"}))
def test_an_empty_path_is_not_the_directory_one_is_in(command):
    rest = {
        "add": ["a", "--description=d", "--prompt=p"],
        "remove": ["a"],
        "rename": ["a", "b"],
        "set": ["a.model", "opus"],
        "unset": ["a.model"],
    }
    result = run(command, "", *rest.get(command, []))
    assert result.exit_code == 2
    assert "it is empty." in result.stderr


def test_an_interruption_is_not_taken_for_a_problem(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("subspec.cli.check._checked", interrupted)
    result = run("check", "team.yaml")
    assert (result.exit_code, result.stderr) == (130, "\nInterrupted.\n")


def test_a_directory_without_agents_is_not_passed_over(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("prompts").mkdir()
    Path("prompts/a.md").write_text("You are a.\n")
    Path("team.yaml").write_text("agents: 1\n")
    result = run("check", ".")
    assert result.exit_code == 1
    assert result.stdout == (
        ".: warning: no Markdown file below it is an agent, and nothing else is looked at;"
        " name YAML and JSON files by themselves [not-an-agent]\n1 warning in 1 file.\n"
    )
