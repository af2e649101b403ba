"""``subspec fmt``: what it writes, what it leaves alone, and how it says so."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from command import run

from subspec import check, load

FIXTURES = Path(__file__).parent.parent / "fixtures"
UNTIDY = "# Ours\nagents:\n    b: {prompt: p, description: 'd'}  # first\n"
TIDY = "# Ours\nagents:\n  b:  # first\n    description: d\n    prompt: |-\n      p\n"
AGENT = "---\ndescription: d\nname:   a # yes\n---\nBody\n\n\n"
TIDY_AGENT = "---\nname: a  # yes\ndescription: d\n---\n\nBody\n"


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("team.yaml").write_bytes(UNTIDY.encode())
    Path("agents").mkdir()
    Path("agents/a.md").write_bytes(b"\xef\xbb\xbf" + AGENT.encode())
    Path("agents/README.md").write_text("# Nothing\n")


def test_files_are_laid_out_once():
    result = run("fmt", "team.yaml", "agents")

    assert (result.exit_code, result.stderr) == (0, "")
    assert result.stdout == "Wrote team.yaml.\nWrote agents/a.md.\n"
    assert Path("team.yaml").read_text() == TIDY
    assert Path("agents/a.md").read_bytes() == b"\xef\xbb\xbf" + TIDY_AGENT.encode()
    assert run("fmt", "team.yaml", "agents").stdout == "All is laid out in 2 files.\n"
    assert run("fmt", "team.yaml").stdout == "All is laid out in 1 file.\n"


def test_what_would_change_is_told_and_not_done():
    result = run("fmt", "--check", "team.yaml", "agents")
    assert result.exit_code == 1
    assert result.stdout == "Would lay out team.yaml.\nWould lay out agents/a.md.\n"

    result = run("fmt", "--diff", "team.yaml")
    assert result.exit_code == 0
    assert "-    b: {prompt: p, description: 'd'}  # first\n+  b:  # first\n" in result.stdout

    result = run("fmt", "--diff", "--check", "team.yaml")
    assert result.exit_code == 1
    assert result.stdout.startswith("--- team.yaml\n")
    assert result.stderr == "Would lay out team.yaml.\n"

    assert Path("team.yaml").read_text() == UNTIDY
    Path("team.yaml").write_text(TIDY)
    assert run("fmt", "--check", "team.yaml").exit_code == 0


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("bad.yaml", "agents: [", "bad.yaml:1:10: error: "),
        ("bad.md", "# Nothing\n", "bad.md:1:1: error: there is no front matter"),
        ("bad.md", "---\nname: a\ndescription: a --- b\n---\n", "[front-matter-cut]"),
        ("bad.md", "---\nname: a\ndescription: d\n---\ncaf\udce9\n", "[not-utf8]"),
        ("bad.md", "---\nname: a\ndescription: x\n<b>\n---\n", "[yaml-syntax]"),
        ("gone.yaml", None, "cannot read it: no such file"),
        ("docker-compose.yaml", "services:\n    web:   {image: x}\n", "unknown key 'services'"),
        ("package.json", '{"name":"x"}', "unknown key 'name'"),
        ("list.yaml", "-   a\n", "list.yaml:1:1: error: "),
        ("post.md", "---\ntitle:   x\n---\nHello\n", "[not-an-agent]"),
        ("bad.yaml", "agents: {}\n? {a: 1,\n b: 2}\n: c\n", "[not-faithful]"),
    ],
)
def test_what_cannot_be_laid_out_is_left_and_told(name, text, said):
    raw = None if text is None else text.encode("utf-8", "surrogateescape")
    if raw is not None:
        Path(name).write_bytes(raw)

    result = run("fmt", name, "team.yaml")

    assert said in result.stderr
    assert result.exit_code == (2 if raw is None else 1)
    assert raw is None or Path(name).read_bytes() == raw
    # What can be laid out is.
    assert Path("team.yaml").read_text() == TIDY


def test_the_format_can_be_said():
    Path("a.json").write_text('{"agents": {"prompt": "p", "description": "d"}}')
    run("fmt", "--as", "claude_cli", "a.json")
    assert Path("a.json").read_text() == (
        '{\n  "agents": {\n    "description": "d",\n    "prompt": "p"\n  }\n}\n'
    )


@pytest.mark.parametrize(
    "path",
    [
        "research-team/team.yaml",
        "disjoint-mcp/team.yaml",
        "holodeck/agent.yaml",
        "claude-cli/agents.json",
        "claude-code/agents",
    ],
)
def test_the_fixtures_say_the_same_when_they_are_laid_out(path, tmp_path):
    shutil.copytree(FIXTURES, tmp_path / "fixtures")
    copy = tmp_path / "fixtures" / path
    problems = [(each.code, each.message) for each in check(copy)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("warnings.warn", lambda *_, **__: None)
        before = load(copy)
        assert run("fmt", str(copy)).exit_code == 0
        after = load(copy)
    assert after == before
    assert list(after.agents) == list(before.agents)
    assert {*problems} >= {(each.code, each.message) for each in check(copy)}
