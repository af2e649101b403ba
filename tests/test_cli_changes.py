"""The commands that change files: what they write, what they say, and what they refuse."""

from __future__ import annotations

import shutil
import stat
from pathlib import Path

import pytest
from command import run

from subspec import load
from subspec.cli import COMMANDS
from subspec.store import saving

FIXTURES = Path(__file__).parent.parent / "fixtures"
TEAM = "team.yaml"


@pytest.fixture(autouse=True)
def _in_a_copy_of_the_fixtures(tmp_path, monkeypatch):
    """Stand in a directory with a team, and with agents of Claude Code."""
    shutil.copytree(FIXTURES / "research-team", tmp_path / "here")
    shutil.copytree(FIXTURES / "claude-code" / "agents", tmp_path / "here" / "agents")
    shutil.copytree(FIXTURES / "broken", tmp_path / "here" / "broken")
    monkeypatch.chdir(tmp_path / "here")


def say(*args: str, **options: str) -> str:
    """Run a command that does its work, and give what it says."""
    result = run(*args, **options)
    assert (result.exit_code, result.stderr) == (0, "")
    return result.stdout


def refused(*args: str, **options: str) -> tuple[int, str]:
    """Run a command that changes nothing, and give how it ends and what it says."""
    before = contents()
    result = run(*args, **options)
    assert result.exit_code
    assert result.stdout == ""
    assert contents() == before
    return result.exit_code, result.stderr


def contents() -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in Path().rglob("*") if path.is_file()}


def changed_lines(*args: str, **options: str) -> list[str]:
    """Run a command on the team, and give the lines that differ."""
    before = Path(TEAM).read_text()
    dry = say(*args, "--dry-run", **options)
    assert Path(TEAM).read_text() == before
    # What is odd is told, and done.
    assert run(*args, **options).exit_code == 0
    lines = [line for line in dry.splitlines()[2:] if line[:1] in ("+", "-")]
    # What was shown is what was done.
    old, new = before.splitlines(), Path(TEAM).read_text().splitlines()
    assert sorted(line[1:] for line in lines if line[0] == "-") == sorted(_without(old, new))
    assert sorted(line[1:] for line in lines if line[0] == "+") == sorted(_without(new, old))
    return lines


def _without(lines: list[str], others: list[str]) -> list[str]:
    rest = list(others)
    return [line for line in lines if line not in rest or rest.remove(line)]


# set


@pytest.mark.parametrize(
    ("args", "lines"),
    [
        (["researcher.model", "opus"], ["-    model: haiku", "+    model: opus"]),
        (["critic.max_turns", "3"], ["+    max_turns: 3"]),
        (["critic.maxTurns", "3"], ["+    max_turns: 3"]),
        (["critic.background", "true"], ["+    background: true"]),
        (["critic.effort", "high"], ["+    effort: high"]),
        (["critic.effort", "7"], ["+    effort: 7"]),
        (["critic.initial_prompt", "7"], ['+    initial_prompt: "7"']),
        (["critic.initial_prompt", "two", "words"], ["+    initial_prompt: two words"]),
        (["critic.skills", "pdf,", "xlsx"], ["+    skills: [pdf, xlsx]"]),
        (["critic.mcp_servers", "[docs]"], ["+    mcp_servers: [docs]"]),
        (
            ["critic.extra.team", "[a, {b: 1}]"],
            ["+    extra:", "+      team:", "+        - a", "+        - b: 1"],
        ),
        (
            ["critic.hooks.Stop", "[{hooks: [{type: command, command: ls}]}]"],
            [
                "+    hooks:",
                "+      Stop:",
                "+        - hooks:",
                "+            - type: command",
                "+              command: ls",
            ],
        ),
        (
            ["critic.tools", "Read,", "mcp__db__query", "Agent(a, b)"],
            [
                "-    tools: []        # pure thought",
                '+    tools: [Read, mcp__db__query, "Agent(a, b)"]        # pure thought',
            ],
        ),
        (
            ["researcher.tools", "-WebFetch", "+Read", "+Read"],
            ["-    tools: [WebSearch, WebFetch]", "+    tools: [WebSearch, Read]"],
        ),
        (["researcher.tools", "[]"], ["-    tools: [WebSearch, WebFetch]", "+    tools: []"]),
        (["critic.disallowed_tools", "+Bash"], ["+    disallowed_tools: [Bash]"]),
        (["permission_mode", "plan"], ["-permission_mode: acceptEdits", "+permission_mode: plan"]),
        (["skills", "all"], ["+skills: all"]),
        (["skills", "pdf"], ["+skills: [pdf]"]),
        (["max_budget_usd", "1.5"], ["+max_budget_usd: 1.5"]),
        (["env.PATH", "/bin"], ["+env:", "+  PATH: /bin"]),
        (
            ["tools", "{type: preset, preset: claude_code}"],
            ["+tools:", "+  type: preset", "+  preset: claude_code"],
        ),
        (
            ["mcp_servers", "{db: {command: psql}}"],
            ["+mcp_servers:", "+  db:", "+    command: psql"],
        ),
        (["mcp_servers", "servers.json"], ["+mcp_servers: servers.json"]),
    ],
    ids=lambda value: " ".join(value) if value and value[0][0] not in "+-" else "",
)
def test_set_changes_one_field_in_its_style(args, lines):
    assert changed_lines("set", TEAM, *args) == lines


def test_set_says_what_it_wrote():
    assert say("set", TEAM, "critic.model", "opus") == "Wrote team.yaml.\n"
    assert say("set", TEAM, "critic.model", "opus") == "Nothing to change in team.yaml.\n"
    assert load(TEAM).agents["critic"].model == "opus"


def test_set_takes_a_value_from_a_file_or_from_standard_input():
    text = "Line one: # no comment\n  two\n"
    Path("prompt.md").write_text(text)
    say("set", TEAM, "critic.prompt", "--from", "prompt.md")
    assert load(TEAM).agents["critic"].prompt == text
    say("set", TEAM, "critic.prompt", "--from", "-", stdin="\ufeffFrom\r\na pipe.\r\n")
    assert load(TEAM).agents["critic"].prompt == "From\na pipe.\n"
    # The prompt of this one lies in a file.
    assert say("set", TEAM, "analyst.prompt", "New.") == "Wrote prompts/analyst.md.\n"
    assert Path("prompts/analyst.md").read_text() == "New."


@pytest.mark.parametrize(
    ("args", "status", "message"),
    [
        (["critic.modle", "opus"], 2, "no field 'modle'; did you mean 'model'?"),
        (["critic.zzz", "1"], 2, "no field 'zzz'; fields are: description, prompt, tools"),
        (["crtic.model", "opus"], 2, "no agent 'crtic' in team.yaml; did you mean 'critic'?"),
        (["zzz.model", "opus"], 2, "there are: researcher, analyst, writer, critic"),
        (["permision_mode", "plan"], 2, "did you mean 'permission_mode'?"),
        (["critic.model", "opsu"], 1, "'opsu' is not a model alias or id; did you mean 'opus'?"),
        (["critic.max_turns", "0"], 1, "agents.critic.max_turns: must be at least 1, not 0"),
        (["critic.max_turns", "many"], 1, "must be a whole number, not the text 'many'"),
        (["critic.background", "yes"], 1, "must be true or false, not the text 'yes'; did you"),
        (["critic.description", " "], 1, "subagent requires description"),
        (["critic.permission_mode", "pln"], 1, "did you mean 'plan'?"),
        (["writer.tools", "+Read"], 2, "tools is not set, which means all tools; give the whole"),
        (["critic.tools", "+Read", "Grep"], 2, "give either a whole list, or only +NAME and -NAME"),
        (["researcher.tools", "-WebFech"], 2, "is not in tools; did you mean 'WebFetch'?"),
        (["critic.tools", "-Bash"], 2, "'Bash' is not in tools; there are: none"),
        (["critic.tools"], 2, "give a VALUE, or --from FILE"),
        (["critic.tools", "null"], 2, "null is no list of names; write [] to say none"),
        (["critic.tools", "+"], 2, "+ is no list of names"),
        (["critic.tools", "[Read"], 2, "[Read is no list of names"),
        (["critic.tools", "a", "--from", "b"], 2, "give a VALUE, or --from FILE"),
        (["critic.prompt", "--from", "large.md"], 2, "cannot read large.md: it is larger than 1"),
        (["critic.prompt", "--from", "nowhere.md"], 2, "cannot read nowhere.md: no such file"),
        (["critic.prompt", "--from", "prompts"], 2, "cannot read prompts: it is a directory"),
        (["critic.prompt", "--from", "broken/prompts/latin-1.md"], 2, "is not UTF-8: byte 0x"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_set_refuses_what_is_not_there_or_not_right(args, status, message):
    Path("large.md").write_bytes(b"x" * (2**20 + 1))
    code, said = refused("set", TEAM, *args)
    assert message in said
    assert code == status


def test_a_value_from_a_pipe_has_an_end():
    code, said = refused("set", TEAM, "critic.prompt", "--from", "-", stdin="x" * (2**20 + 1))
    assert (code, said) == (2, "Error: the value from standard input is larger than 1 MiB\n")


def test_set_tells_of_what_is_odd_now_and_was_not_before():
    result = run("set", TEAM, "critic.tools", "Raed", "Read")
    assert (result.exit_code, result.stdout) == (0, "Wrote team.yaml.\n")
    assert "tool 'Raed' is neither" in result.stderr
    assert "    tools: [Raed, Read]        # pure thought\n" in result.stderr
    # It is known by now.
    assert say("set", TEAM, "critic.model", "opus")


def test_a_change_after_which_an_agent_can_do_nothing_is_done_and_told():
    result = run("set", TEAM, "critic.tools", "Raed")
    assert (result.exit_code, result.stdout) == (1, "Wrote team.yaml.\n")
    assert "[no-usable-tools]" in result.stderr


def test_what_markdown_cannot_say_is_not_done_and_told():
    result = run("set", "agents", "setting_sources", "[user]")
    assert (result.exit_code, result.stdout) == (1, "Nothing to change in agents.\n")
    assert "cannot say setting_sources" in result.stderr
    code, said = refused("set", "agents", "permission_mode", "plan")
    assert code == 2
    assert "'permission_mode' is a field of an agent here; say which: AGENT.perm" in said


def test_set_works_on_markdown():
    result = run("set", "agents", "analyst.tools", "-Read", "+Glob")
    assert (result.exit_code, result.stdout) == (0, "Wrote agents/analyst.md.\n")
    assert "tools: Bash(python:*), mcp__db__query, Glob\n" in Path("agents/analyst.md").read_text()
    path = "agents/review/security.md"
    assert say("set", path, "security-reviewer.prompt", "Look.") == f"Wrote {path}.\n"


def test_set_works_on_a_file_with_faults_elsewhere():
    broken = Path("broken/team.yaml")
    text = broken.read_text()
    assert say("set", str(broken), "wrong.model", "opus") == "Wrote broken/team.yaml.\n"
    assert len(broken.read_text().splitlines()) == len(text.splitlines()) + 1
    # What would be a fault more is refused, and those that are there are not told again.
    code, said = refused("set", str(broken), "wrong.model", "opsu")
    assert (code, said.count("error:")) == (1, 1)
    say("unset", str(broken), "wrong.model")
    assert broken.read_text() == text
    say("rename", str(broken), "typo", "Typo")
    assert broken.read_text() == text.replace("  typo:", "  Typo:")


def test_set_says_where_a_prompt_is_in_a_file_with_faults_elsewhere():
    team = Path(TEAM)
    team.write_text(team.read_text().replace("model: haiku", "model: hiaku"))
    code, said = refused("set", TEAM, "analyst.prompt", "New.")
    assert (code, "the prompt stands in the file 'prompts/analyst.md'" in said) == (1, True)


def test_set_works_on_a_misspelt_markdown_file(tmp_path):
    shutil.copytree(FIXTURES / "claude-code" / "odd", tmp_path / "odd")
    path = tmp_path / "odd" / "misspelt.md"
    text = path.read_text()
    say("set", str(path), "misspelt.model", "opus")
    assert path.read_text() == text.replace("\n---\n", "\nmodel: opus\n---\n", 1)


_PROMPT_TWICE = '{"agents": {"a": {"description": "d", "prompt": "p", "prompt": "q"}}}'
_AGENTS_TWICE = '{"agents": {"a": {"description": "d", "prompt": "p"}}, "agents": {}}'


@pytest.mark.parametrize("name", ["twice.json", "twice.yaml"])
@pytest.mark.parametrize(
    ("text", "args"),
    [
        (_PROMPT_TWICE, ("set", "a.prompt", "r")),
        (_PROMPT_TWICE, ("unset", "a.prompt")),
        (_AGENTS_TWICE, ("set", "a.prompt", "r")),
        (_AGENTS_TWICE, ("add", "b", "--description", "d", "--prompt", "p")),
        (_AGENTS_TWICE, ("rename", "a", "b")),
        (_AGENTS_TWICE, ("remove", "a")),
    ],
)
def test_what_is_given_twice_is_not_changed(name, text, args):
    # Which of the two is meant nobody knows, and other readers take the other.
    Path(name).write_text(text)
    command, *rest = args
    code, said = refused(command, name, *rest)
    assert (code, "is given twice, first on line" in said) == (1, True)


@pytest.mark.parametrize("name", ["twice.json", "twice.yaml"])
@pytest.mark.parametrize(
    ("args", "old", "new"),
    [
        (("set", "a.description", "e"), '"d"', '"e"'),
        (("rename", "a", "b"), '"a"', '"b"'),
        (("remove", "a"), '"a": {"description": "d", "prompt": "p", "prompt": "q"}', ""),
    ],
)
def test_what_is_given_twice_elsewhere_stays(name, args, old, new):
    Path(name).write_text(_PROMPT_TWICE)
    command, *rest = args
    assert say(command, name, *rest) == f"Wrote {name}.\n"
    assert Path(name).read_text() == _PROMPT_TWICE.replace(old, new)


@pytest.mark.parametrize("text", ["agents: [", "", "[1, 2]"])
@pytest.mark.parametrize("command", ["set", "unset", "remove", "rename", "add"])
def test_what_cannot_be_read_is_not_changed(command, text):
    if (command, text) == ("add", ""):
        # An empty file is a beginning.
        return
    Path("bad.yaml").write_text(text)
    args = {
        "set": ["a.model", "opus"],
        "unset": ["a.model"],
        "remove": ["a"],
        "rename": ["a", "b"],
        "add": ["a", "--description", "d", "--prompt", "p"],
    }[command]
    code, said = refused(command, "bad.yaml", *args)
    assert code == 1
    assert said.startswith(("bad.yaml:1:1: error:", "bad.yaml:1:10: error:"))


def test_a_name_with_dots_is_found():
    say("rename", TEAM, "critic", "critic.of.all")
    say("rename", TEAM, "writer", "critic.of")
    say("set", TEAM, "critic.of.all.model", "opus")
    assert load(TEAM).agents["critic.of.all"].model == "opus"


def test_a_format_that_cannot_say_a_value_says_so():
    Path("agent.yaml").write_text(
        "claude:\n  agents:\n    a: {description: d, prompt: p, tols: []}\n  effort: low\n"
    )
    code, said = refused("set", "agent.yaml", "effort", "xhigh")
    assert (code, "HoloDeck cannot say 'xhigh'" in said) == (1, True)
    say("set", "agent.yaml", "effort", "high")
    assert "effort: high" in Path("agent.yaml").read_text()


def test_a_change_that_changes_nothing_in_a_file_with_faults_is_told():
    text = Path("broken/team.yaml").read_text()
    assert say("set", "broken/team.yaml", "wrong.prompt", "You are typed.") == (
        "Nothing to change in broken/team.yaml.\n"
    )
    assert Path("broken/team.yaml").read_text() == text


def test_a_file_of_markdown_without_an_agent_is_not_changed():
    Path("x.md").write_text("---\nname: a\n---\nBody\n")
    code, said = refused("set", "x.md", "a.model", "opus")
    assert (code, "[blank-description]" in said) == (1, True)


@pytest.mark.parametrize(
    ("target", "text", "value"),
    [
        ("critic.tools", "Read\n\n  mcp__db__query\r\n", ["Read", "mcp__db__query"]),
        ("critic.tools", "Read, Grep\nGlob", ["Read", "Grep", "Glob"]),
        ("critic.tools", "", []),
        ("critic.description", "Finds faults.\n", "Finds faults."),
        ("critic.model", "opus\n", "opus"),
        ("critic.prompt", "Look.\n", "Look.\n"),
        ("env.LEVEL", "3\n", "3"),
    ],
)
def test_a_value_from_standard_input_is_what_stands_there(target, text, value):
    say("set", TEAM, target, "--from", "-", stdin=text)
    config = load(TEAM)
    name, field = target.split(".")
    if name == "env":
        assert config.env == {field: value}
    else:
        found = getattr(config.agents[name], field)
        assert (list(found) if isinstance(value, list) else found) == value


def test_several_signs_may_stand_in_one_word():
    say("set", TEAM, "critic.tools", "Read")
    say("set", TEAM, "critic.tools", "+Grep +mcp__db__query -Read")
    assert load(TEAM).agents["critic"].tools == ("Grep", "mcp__db__query")


def test_an_agent_is_no_field():
    code, said = refused("set", TEAM, "critic", "opus")
    assert code == 2
    assert said.endswith("'critic' is an agent; say which of its fields: critic.FIELD\n")


def test_what_others_write_meanwhile_stays(monkeypatch):
    Path("agents/writer.md").write_text("---\nname: writer\ndescription: d\n---\nBody\n")
    analyst, reviewer = Path("agents/analyst.md"), Path("agents/review/security.md")
    before = contents()

    def check_again(_):
        text = before[str(analyst)].decode()
        analyst.write_text(text.replace("\n---\n", "\ncolor: red\n---\n"))
        reviewer.unlink(missing_ok=True)
        return ()

    monkeypatch.setattr("subspec.cli.changing.check_again", check_again)
    assert say("set", "agents", "writer.effort", "low") == "Wrote agents/writer.md.\n"
    assert "color: red" in analyst.read_text()
    assert not reviewer.exists()

    # But what is no longer what it was when it was read is not changed.
    analyst.write_bytes(before[str(analyst)])
    result = run("set", "agents", "analyst.effort", "low")
    assert (result.exit_code, "[conflict]" in result.stderr) == (1, True)
    assert "color: red" in analyst.read_text()


def test_a_prompt_file_that_others_write_meanwhile_is_a_conflict(monkeypatch):
    prompt = Path("prompts/analyst.md")

    def check_again(_):
        prompt.write_text("Somebody else's.\n")
        return ()

    monkeypatch.setattr("subspec.cli.changing.check_again", check_again)
    result = run("set", TEAM, "analyst.prompt", "Mine.")
    assert (result.exit_code, "[conflict]" in result.stderr) == (1, True)
    assert prompt.read_text() == "Somebody else's.\n"


# unset


def test_unset_takes_fields_with_their_comments():
    assert changed_lines("unset", TEAM, "critic.tools", "analyst.max_turns", "permission_mode") == [
        "-    max_turns: 12",
        "-    tools: []        # pure thought",
        "-permission_mode: acceptEdits",
    ]
    result = run("unset", TEAM, "critic.tools")
    assert result.stdout == "Nothing to change in team.yaml.\n"
    assert (result.exit_code, result.stderr) == (0, "critic.tools is not set.\n")


@pytest.mark.parametrize(
    ("field", "message"),
    [
        ("description", "agents.critic.description: subagent requires description"),
        ("prompt", "agents.critic.prompt: subagent requires a prompt that is not blank"),
    ],
)
def test_unset_leaves_what_an_agent_needs(field, message):
    code, said = refused("unset", TEAM, f"critic.{field}")
    assert code == 1
    assert message in said


def test_another_name_is_a_matter_of_rename():
    assert refused("set", TEAM, "critic.name", "x") == (
        2,
        "Error: to give an agent another name: subspec rename team.yaml critic NEW\n",
    )


def test_a_file_with_faults_is_named_where_its_agent_is_meant():
    Path("agents/Big.md").write_text("---\nname: Big Agent\ndescription: a\nb\n---\nBody\n")
    code, said = refused("set", "agents", "Big Agent.description", "d")
    assert code == 2
    first, second = said.splitlines()
    assert first.startswith("Error: no agent 'Big Agent' in agents; there are: ")
    assert second.startswith("agents/Big.md:4:1: error: a line at the margin")


# add, remove and rename


def test_add_puts_an_agent_behind_the_others():
    args = ["--description", "Finds: faults.", "--prompt", "One.\nTwo.", "--tools", "Read, Grep"]
    assert changed_lines("add", TEAM, "editor", *args, "--model", "haiku") == [
        "+  editor:",
        '+    description: "Finds: faults."',
        "+    prompt: |-",
        "+      One.",
        "+      Two.",
        "+    tools: [Read, Grep]",
        "+    model: haiku",
        "+",
    ]


def test_add_makes_files():
    args = ["editor", "--description", "Edits.", "--prompt-from", "-"]
    assert say("add", "new.yaml", *args, stdin="Edit.\n") == "Wrote new.yaml.\n"
    assert Path("new.yaml").read_text() == (
        "agents:\n  editor:\n    description: Edits.\n    prompt: |\n      Edit.\n"
    )
    assert say("add", "agents", *args, stdin="Edit.\n") == "Wrote agents/editor.md.\n"
    assert say("add", ".claude/agents", *args, "--as", "claude_code", stdin="Edit.") == (
        "Wrote .claude/agents/editor.md.\n"
    )
    assert Path(".claude/agents/editor.md").read_text() == (
        "---\nname: editor\ndescription: Edits.\n---\n\nEdit.\n"
    )


def test_add_finds_the_place_where_claude_code_looks():
    Path("project/.git").mkdir(parents=True)
    args = ["editor", "--description", "Edits.", "--prompt", "Edit."]
    assert say("add", "project", *args) == "Wrote project/.claude/agents/editor.md.\n"
    assert say("add", "other/.claude/agents", *args) == "Wrote other/.claude/agents/editor.md.\n"
    Path("project/plain").mkdir()
    assert say("add", "project/plain", *args) == "Wrote project/plain/editor.md.\n"


def test_add_tells_what_is_wrong_with_the_agent():
    args = ["a", "--description", "d", "--prompt", "p", "--tools", "Nope"]
    result = run("add", "new.yaml", *args)
    assert (result.exit_code, result.stdout) == (1, "Wrote new.yaml.\n")
    assert "[unknown-tool]" in result.stderr
    assert "[no-usable-tools]" in result.stderr


@pytest.mark.parametrize(
    ("text", "kept"),
    [("", ""), ("# A\n", "# A\n"), ("# A", "# A\n"), ("# A\r\n", "# A\r\n")],
)
def test_add_to_a_file_that_says_nothing_keeps_its_comments(text, kept):
    Path("new.yaml").write_bytes(text.encode())
    args = ["add", "new.yaml", "critic", "--description", "d", "--prompt", "p"]
    assert say(*args) == "Wrote new.yaml.\n"
    raw = Path("new.yaml").read_bytes()
    assert raw.startswith(kept.encode())
    assert raw.count(b"\r\n") in (0, raw.count(b"\n"))
    assert list(load("new.yaml").agents) == ["critic"]


@pytest.mark.parametrize("before", [None, "# Ours\n"])
def test_add_replaces_no_file_that_others_write_meanwhile(monkeypatch, before):
    new = Path("new.yaml")
    if before is not None:
        new.write_text(before)
    others = "agents:\n  theirs: {description: d, prompt: p}\n"
    changes_for = saving.changes_for

    def late(*args):
        new.write_text(others)
        return changes_for(*args)

    monkeypatch.setattr(saving, "changes_for", late)
    result = run("add", "new.yaml", "critic", "--description", "d", "--prompt", "p")
    assert (result.exit_code, "[conflict]" in result.stderr) == (1, True)
    assert new.read_text() == others


def test_add_names_a_schema_in_a_new_file():
    args = ["a", "--description", "d", "--prompt", "p", "--schema", "agents.schema.json"]
    say("add", "new.yaml", *args)
    assert (
        Path("new.yaml")
        .read_text()
        .startswith("# yaml-language-server: $schema=agents.schema.json\nagents:\n")
    )
    say("add", "new.json", *args)
    assert Path("new.json").read_text().startswith("{")


def test_add_shows_a_new_file():
    dry = say("add", "new.yaml", "a", "--description", "d", "--prompt", "p", "--dry-run")
    assert dry.startswith("--- /dev/null\n+++ new.yaml\n@@ -0,0 +1,5 @@\n+agents:\n")
    assert not Path("new.yaml").exists()


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (
            ["critic", "--description", "d", "--prompt", "p"],
            "there is an agent 'critic' in team.yaml",
        ),
        (["a", "--description", "d"], "give --prompt, or --prompt-from FILE"),
        (["a", "--description", "d", "--prompt", "p", "--prompt-from", "-"], "give --prompt, or"),
        (["a", "--prompt", "p"], "--description"),
        (["a", "--description", " ", "--prompt", "p"], "agents.a.description: subagent requires"),
        (["-a", "--description", "d", "--prompt", "p"], "No such option"),
        (["__proto__", "--description", "d", "--prompt", "p"], "drops an agent named '__proto__'"),
    ],
)
def test_add_refuses(args, message):
    _, said = refused("add", TEAM, *args)
    assert message in said


def test_remove_takes_an_agent_with_its_comments():
    assert changed_lines("remove", TEAM, "writer", "critic")[0] == "-  writer:"
    assert list(load(TEAM).agents) == ["researcher", "analyst"]
    code, said = refused("remove", TEAM, "analyst", "wrtier")
    assert (code, said) == (
        2,
        "Error: no agent 'wrtier' in team.yaml; there are: researcher, analyst\n",
    )


def test_remove_deletes_the_file_of_a_markdown_agent_and_no_other():
    before = set(contents())
    dry = say("remove", "agents", "analyst", "--dry-run")
    assert dry.startswith("--- agents/analyst.md\n+++ /dev/null\n")
    assert say("remove", "agents", "analyst") == "Removed agents/analyst.md.\n"
    assert set(contents()) == before - {"agents/analyst.md"}


def test_rename_changes_the_name_alone():
    assert changed_lines("rename", TEAM, "critic", "reviewer") == ["-  critic:", "+  reviewer:"]
    assert say("rename", "agents/analyst.md", "analyst", "boss") == "Wrote agents/analyst.md.\n"
    assert refused("rename", TEAM, "zzz", "a")[0] == 2
    assert "already" in refused("rename", TEAM, "reviewer", "writer")[1]


# All of them


def test_a_file_that_may_not_be_written_stays():
    Path(TEAM).chmod(stat.S_IRUSR)
    code, said = refused("set", TEAM, "critic.model", "opus")
    assert code == 2
    assert "read-only" in said


def test_a_diff_shows_a_missing_line_end():
    Path("a.yaml").write_text("agents: {a: {description: d, prompt: p}}")
    assert say("set", "a.yaml", "a.model", "opus", "--dry-run") == (
        "--- a.yaml\n+++ a.yaml\n@@ -1 +1 @@\n"
        "-agents: {a: {description: d, prompt: p}}\n\\ No newline at end of file\n"
        "+agents: {a: {description: d, prompt: p, model: opus}}\n\\ No newline at end of file\n"
    )


def test_the_commands_are_listed():
    assert {"set", "unset", "add", "remove", "rename"} < COMMANDS.keys()
