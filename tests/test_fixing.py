"""``subspec check --fix``: what is mended, what is left, and that nothing else changes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import run
from real_files import CORPUS

import subspec
from subspec.problems import CODES, Fix
from subspec.source.edit import NotFaithfulError
from subspec.store import fixing

FIXTURES = Path(__file__).parent.parent / "fixtures"

TEAM = """\
# Ours
agents:
  a:   # the first
    description: d
    prompt: p
"""
AGENT = "---\nname: a\ndescription: d\n---\n\nBody\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def mended(text: str, *options: str, name: str = "team.yaml") -> str:
    """Mend a file, and give its text; what was mended is gone."""
    Path(name).write_bytes(text.encode())
    run("check", "--fix", name, *options)
    return Path(name).read_bytes().decode()


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("descriptoin: d", "description: d"),
        ("description: 1", 'description: "1"'),
        ("description: 1.10   # a version", 'description: "1.10"   # a version'),
        ("description: yes\n    x: &a true\n    color: *a", None),
        ("description: true", 'description: "true"'),
        (
            "description: d\n    tools: Read, Grep # two",
            "description: d\n    tools: [Read, Grep] # two",
        ),
        ("description: d\n    tools: 'Bash(a, b)'", None),
        ("description: d\n    skills: [a, 7]", 'description: d\n    skills: [a, "7"]'),
        ("description: d\n    max-turns: 3", "description: d\n    max_turns: 3"),
        ("description: d\n    allowed_tools: [Read]", "description: d\n    tools: [Read]"),
    ],
)
def test_what_is_said_badly_is_said_well(before, after):
    text = TEAM.replace("description: d", before)
    if after is None:
        # Whatever comes of it, it says no less, and reads.
        assert "# Ours" in mended(text)
    else:
        assert mended(text) == TEAM.replace("description: d", after)
        assert subspec.check("team.yaml") == ()


def test_a_block_that_nothing_reads_any_more_goes():
    text = TEAM + "# Old\nsubagents:\n  enabled: true   # once\n"
    assert mended(text) == TEAM
    agents = "  agents: {a: {description: d, prompt: p}}\n"
    host = f"name: x\nclaude:\n  subagents: {{enabled: true}}\n{agents}"
    assert mended(host, name="agent.yaml") == host.replace("  subagents: {enabled: true}\n", "")


def test_several_things_are_mended_at_once_and_one_after_the_other():
    text = TEAM.replace(
        "description: d", "descriptoin: 5\n    modle: haiku\n    tols: Read"
    ).replace("agents:", "agnets:")
    assert mended(text) == TEAM.replace(
        "description: d", 'description: "5"\n    model: haiku\n    tools: [Read]'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model: opsu", "model: opus"),
        ("tools: [Raed, Read]", "tools: [Read, Read]"),
        ("tools: ['Bash(git:*)']", "tools: ['Bash']"),
        ("permission_mode: pln", "permission_mode: plan"),
    ],
)
def test_what_an_agent_may_do_is_changed_on_request_alone(before, after):
    text = f"{TEAM}    {before}\n"
    assert mended(text) == text
    assert mended(text, "--unsafe-fixes") == f"{TEAM}    {after}\n"


def test_a_key_is_not_renamed_onto_another():
    text = TEAM.replace("description: d", "description: d\n    descriptoin: e")
    assert mended(text) == text


def test_json_is_mended_too():
    text = '{"agents": {"a": {"descriptoin": 1, "prompt": "p", "tools": "Read"}}}'
    assert mended(text, name="team.json") == (
        '{"agents": {"a": {"description": "1", "prompt": "p", "tools": ["Read"]}}}'
    )


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("allowed-tools: Read", "tools: Read"),
        ("max_turns: 5 # few", "maxTurns: 5 # few"),
        ("permission-mode: plan", "permissionMode: plan"),
    ],
)
def test_keys_of_markdown_get_their_names(before, after):
    text = AGENT.replace("---\n\n", f"{before}\n---\n\n")
    assert mended(text, name="a.md") == text.replace(before, after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("description: 5", 'description: "5"'),
        ("description: Use it: now", 'description: "Use it: now"'),
        ("description: a\n<b>\nc: d", "description: |-\n  a\n  <b>\n  c: d"),
    ],
)
def test_front_matter_that_is_no_yaml_becomes_yaml(before, after):
    text = AGENT.replace("description: d", before)
    assert mended(text, name="a.md") == AGENT.replace("description: d", after)
    assert subspec.check("a.md") == ()


OF_PROGRAMS = {
    ".opencode/agents": "opencode guesses",
    ".qwen/agents": "Qwen Code guesses",
    ".cursor/agents": "Cursor reads YAML only: a colon",
    ".copilot/agents": "Copilot reads YAML only: a colon",
    ".gemini/agents": "Gemini CLI reads YAML only: a colon",
    ".kiro/agents": "Kiro's editor reads YAML only: a colon",
    ".factory/droids": "Factory reads YAML only: a colon",
}


@pytest.mark.parametrize("place", OF_PROGRAMS)
def test_front_matter_of_any_program_that_is_no_yaml_becomes_yaml(place):
    text = "---\nname: docx\ndescription: Use: this # here\nmodel: x/y\n---\nYou write.\n"
    after = text.replace("Use: this # here", '"Use: this # here"')
    other = text.replace("docx", "other").replace("Use: this # here", "d")
    Path(place).mkdir(parents=True)
    Path(place, "docx.md").write_text(text)
    Path(place, "other.md").write_text(other.replace("model:", "modle:"))
    (first, *_) = subspec.check(place)
    assert OF_PROGRAMS[place] in first.message
    assert "Claude Code" not in first.message
    assert run("check", "--diff", "--unsafe-fixes", place).exit_code == 1
    assert Path(place, "docx.md").read_text() == text
    run("check", "--fix", place)
    assert Path(place, "docx.md").read_text() == after
    # opencode passes other keys on.
    assert (Path(place, "other.md").read_text() == other) is (place != ".opencode/agents")


def test_text_on_several_lines_becomes_yaml_that_its_program_can_read():
    text = "---\nname: ab\ndescription: a\n<b>\nc: d\n---\nYou write.\n"
    for place, after in {
        ".gemini": "|-\n  a\n  <b>\n  c: d",
        ".cursor": '"a\\n<b>\\nc: d"',
    }.items():
        path = Path(place, "agents", "ab.md")
        path.parent.mkdir(parents=True)
        path.write_text(text)
        assert run("check", "--fix", str(path)).exit_code == 0
        assert path.read_text() == text.replace("a\n<b>\nc: d", after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("tools: Raed, Bash(a:*), Read", "tools: Read, Bash, Read"),
        ("tools: [Raed, Bash]", "tools: [Read, Bash]"),
        ("permissionMode: acceptEdit", "permissionMode: acceptEdits"),
        ("effort: hihg", "effort: high"),
    ],
)
def test_words_of_markdown_are_put_right_on_request(before, after):
    text = AGENT.replace("---\n\n", f"{before}\n---\n\n")
    assert mended(text, name="a.md") == text
    assert mended(text, "--unsafe-fixes", name="a.md") == text.replace(before, after)


def test_only_what_is_selected_is_mended():
    text = TEAM.replace("description: d", "descriptoin: 5\n    modle: haiku")
    assert mended(text, "--select", "wrong-type") == text
    assert mended(text, "--ignore", "unknown-key") == text
    ignored = text.replace("modle: haiku", "modle: haiku # subspec: ignore[unknown-key]")
    assert "modle: haiku # sub" in mended(ignored)


def test_a_diff_shows_what_would_be_mended():
    Path("team.yaml").write_text(TEAM.replace("description", "descriptoin"))
    result = run("check", "--diff", "team.yaml")
    assert result.exit_code == 1
    assert result.stdout.splitlines()[3:] == [
        " # Ours",
        " agents:",
        "   a:   # the first",
        "-    descriptoin: d",
        "+    description: d",
        "     prompt: p",
    ]
    assert Path("team.yaml").read_text() == TEAM.replace("description", "descriptoin")
    Path("team.yaml").write_text(TEAM)
    assert run("check", "--diff", "team.yaml").exit_code == 0


def test_it_is_said_what_was_done_and_what_is_left():
    Path("team.yaml").write_text(TEAM.replace("description: d", "descriptoin: d\n    model: opsu"))
    result = run("check", "--fix", "team.yaml")
    assert result.exit_code == 1
    assert result.stdout.startswith(
        "Wrote team.yaml.\nteam.yaml:5:12: error: agents.a.model: 'opsu'"
    )
    assert result.stderr == "Mended 2 problems.\n"


@pytest.mark.parametrize(
    ("name", "raw"),
    [
        ("team.yaml", b"agents: [\n"),
        ("team.yaml", b"- 1\n"),
        ("team.yaml", b"agents: {a: {description: d, system_prompt: p, system_prompt: q}}\n"),
        ("team.json", b'{"agents": {"a": {"system_prompt": "p", "system_prompt": "q"}}}'),
        ("a.md", b"# Nothing\n"),
        ("a.md", b"---\nname: a\ndescription: d\nmax_turns: 3\n---\ncaf\xe9\n"),
        ("a.md", b"---\n- a: [\n---\n"),
    ],
)
def test_what_cannot_be_mended_is_left(name, raw):
    Path(name).write_bytes(raw)
    assert run("check", "--fix", name).exit_code in (1, 2)
    assert Path(name).read_bytes() == raw


def test_a_file_that_may_not_be_written_is_told():
    Path("a.yaml").write_text(TEAM.replace("description", "descriptoin"))
    Path("b.yaml").write_text(TEAM.replace("description", "descriptoin"))
    Path("a.yaml").chmod(0o400)
    result = run("check", "--fix", "a.yaml", "b.yaml")
    assert result.exit_code == 2
    assert "a.yaml: error: cannot write it" in result.stderr
    assert Path("b.yaml").read_text() == TEAM


def test_the_broken_fixtures_are_mended_as_far_as_they_can_be():
    for name in ("broken", "broken-project"):
        shutil.copytree(FIXTURES / name, name)
    before = len(subspec.check("broken/team.yaml", "broken-project"))
    run("check", "--unsafe-fixes", "broken/team.yaml", "broken-project")
    left = subspec.check("broken/team.yaml", "broken-project")
    assert len(left) < before * 0.75
    assert not [problem for problem in left if problem.fix and problem.fix.action == "mend"]
    loaded = subspec.preview("broken-project").loaded
    assert {agent.name for agent in loaded} == {
        *("bad-yaml", "misspelt-key", "no-description", "unknown-tool", "wrong-mode", "wrong-model")
    }
    assert {agent.name: agent.tools for agent in loaded}["misspelt-key"] == ("Read",)


def test_where_all_cannot_be_mended_at_once_each_is_by_itself(monkeypatch):
    rewrite, calls = fixing.rewrite, []

    def failing_once(*args: object, **options: object) -> str:
        calls.append(args)
        if len(calls) == 1:
            raise NotFaithfulError
        return rewrite(*args, **options)

    monkeypatch.setattr(fixing, "rewrite", failing_once)
    text = TEAM.replace("description: d", "descriptoin: d\n    modle: haiku")
    assert mended(text) == TEAM.replace("description: d", "description: d\n    model: haiku")


def test_mending_comes_to_an_end(monkeypatch):
    monkeypatch.setattr(fixing, "_ROUNDS", 1)
    text = TEAM.replace("description: d", "descriptoin: 5")
    assert mended(text) == TEAM.replace("description: d", "description: 5")


def test_problems_in_each_others_way_are_mended_one_after_the_other():
    fix = Fix("replace", "x")
    outer, inner, beside = (
        CODES["wrong-type"].problem("odd", path, fix=fix) for path in (("a",), ("a", "b"), ("c",))
    )
    assert [problem for problem, _ in fixing._apart([outer, inner, beside])] == [inner, beside]


@pytest.mark.corpus
def test_real_files_are_mended_and_no_worse_for_it():
    shutil.copytree(CORPUS / "claude-md", "corpus", symlinks=True, copy_function=shutil.copyfile)
    before = [each for each in subspec.check("corpus") if each.fix and each.fix.safe]
    run("check", "--fix", "--exit-zero", "corpus")
    after = [each for each in subspec.check("corpus") if each.fix and each.fix.safe]
    assert len(before) > 80
    # What is left would take the place of a key that is there.
    assert len(after) < len(before) / 10
