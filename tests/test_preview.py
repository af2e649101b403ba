"""What Claude Code loads from a directory: as recorded, as it is asked here, and as it is shown."""

from __future__ import annotations

import base64
import json
import os
import random
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from attrs import field, frozen
from click.testing import CliRunner, Result
from command import _RUNNER_OPTIONS, ENVIRONMENT
from hypothesis import given
from hypothesis import strategies as st
from real_files import CORPUS, RECORDED

from subspec.cli.preview import preview as command
from subspec.project import Preview, preview

FIXTURES = Path(__file__).parent.parent / "fixtures" / "claude-code"
AGENTS = ".claude/agents"

unix = pytest.mark.skipif(os.name == "nt", reason="links and FIFOs are things of Unix")


@pytest.fixture
def oracle() -> ModuleType:
    """What asks the CLI."""
    pytest.importorskip("claude_agent_sdk", reason="needs the extra subspec[claude]")
    import oracle as module  # noqa: PLC0415 - it imports the SDK

    if not module.CLI.is_file():
        pytest.skip("this claude-agent-sdk bundles no CLI")
    return module


@pytest.fixture(autouse=True)
def _no_home(tmp_path, monkeypatch):
    """Keep the agents of whoever runs the tests away."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUDE_CONFIG_DIR", raising=False)


@frozen
class Link:
    """A symbolic link, to a path below the directory of the test or an absolute one."""

    target: str


@frozen
class Hard:
    """A hard link."""

    target: str


def agent(name: str, description: str = "d", **keys: str) -> str:
    matter = {"name": name, "description": description, **keys}
    return "".join(["---\n", *(f"{key}: {value}\n" for key, value in matter.items()), "---\nB\n"])


def lay_out(files: dict[str, Any], root: Path) -> Path:
    """Write files: agents of these names, other bytes, links; a directory where a path ends in /.

    The description of an agent says where it lies.
    """
    for path, content in files.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        if path.endswith("/"):
            place.mkdir(parents=True)
        elif isinstance(content, Link):
            place.symlink_to(root / content.target)
        elif isinstance(content, Hard):
            os.link(root / content.target, place)
        elif isinstance(content, bytes):
            place.write_bytes(content.replace(b"{root}", os.fsencode(root)))
        else:
            place.write_text(agent(content, path), encoding="utf-8")
    return root


def loaded_in(found: Preview, root: Path) -> dict[str, str]:
    """Give the names of agents with the files that they come from, of those below a directory."""
    return {
        agent.name: agent.path.relative_to(root).as_posix()
        for agent in found.loaded
        if agent.path.is_relative_to(root)
    }


# What was recorded.


def recorded() -> dict[str, dict[str, Any]]:
    if not RECORDED.is_file():
        return {}
    cases = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    return {case["case"]: case for case in cases}


def content_of(written: dict[str, Any]) -> Any:
    """Turn the content of a recorded file into one that `lay_out` takes."""
    if "link" not in written:
        text = written.get("text", "").encode("utf-8", "surrogatepass")
        return text or base64.b64decode(written.get("base64", ""))
    kind, *target = written["link"]
    return {"symlink": Link, "hardlink": Hard, "dir": lambda: None}[kind](*target)


@pytest.mark.corpus
@pytest.mark.parametrize("case", recorded() or [""])
def test_recorded_cases_load_as_recorded(case, tmp_path):
    record = recorded()[case]
    files = {
        f"{path}/" if content.get("link") == ["dir"] else path: content_of(content)
        for path, content in record["files"].items()
    }
    # What takes the place of a built-in agent was not recorded.
    found = {
        agent.name: agent
        for agent in preview(lay_out(files, tmp_path)).loaded
        if not agent.replaces_built_in
    }

    assert set(found) == {agent["name"] for agent in record["loaded"]}
    for expected in record["loaded"]:
        agent = found[expected["name"]]
        assert agent.description == expected["description"]
        assert agent.model == expected["model"]
        # A long list is recorded up to some place.
        told = expected["listed_tools"]
        assert agent.listed_tools[: len(told)] == told
        assert agent.tools is None or told in ("All tools", ", ".join(agent.tools)[: len(told)])
        # Claude Code goes on with words of its own.
        starts = expected["prompt_starts"] or ""
        assert agent.prompt[: len(starts)] == starts[: len(agent.prompt)]


# Where agents come from, and which of several wins. Each case is also put to the CLI.


def worktree(main: str, tree: str, **instead: bytes) -> dict[str, bytes]:
    """Give the files by which git ties a worktree to its repository."""
    own = f"{main}/worktrees/tree"
    files = {
        f"{own}/commondir": instead.get("commondir", b"../..\n"),
        f"{own}/gitdir": instead.get("gitdir", f"{{root}}/{tree}/.git\n".encode()),
        f"{tree}/.git": instead.get("git", f"gitdir: {{root}}/{own}\n".encode()),
    }
    return {path: text for path, text in files.items() if text}


@frozen
class Case:
    files: dict[str, Any]
    loaded: dict[str, str]
    start: str = "p"
    home: str = "home"
    user: bool = False
    shadowed: dict[str, str] = field(factory=dict)
    """Who gives way to whom."""


NEAR, FAR, TOP = f"p/{AGENTS}/a.md", f"{AGENTS}/a.md", f"{AGENTS}/top.md"
USERS = f"home/{AGENTS}/a.md"
IN_TREE = "a/b/c/main/.git/"

PLACES = {
    "nothing": Case({"p/.git/": None}, {}),
    "the directory itself": Case({"p/.git/": None, NEAR: "a"}, {"a": NEAR}),
    "never downwards": Case({"p/.git/": None, f"p/q/{AGENTS}/a.md": "a"}, {}),
    "all above, the nearest wins": Case(
        {NEAR: "a", FAR: "a", TOP: "top"}, {"a": NEAR, "top": TOP}, shadowed={FAR: NEAR}
    ),
    "three deep": Case(
        {f"p/q/{AGENTS}/z.md": "a", NEAR: "a", FAR: "a", ".git/": None},
        {"a": f"p/q/{AGENTS}/z.md"},
        start="p/q",
        shadowed={NEAR: f"p/q/{AGENTS}/z.md", FAR: f"p/q/{AGENTS}/z.md"},
    ),
    "not above the root of a repository": Case(
        {"p/.git/": None, f"p/q/{AGENTS}/b.md": "b", NEAR: "a", TOP: "top"},
        {"a": NEAR, "b": f"p/q/{AGENTS}/b.md"},
        start="p/q",
    ),
    "a repository inside another": Case(
        {".git/": None, "p/q/.git/": None, f"p/q/{AGENTS}/b.md": "b", NEAR: "a"},
        {"b": f"p/q/{AGENTS}/b.md"},
        start="p/q",
    ),
    "any file called .git": Case({"p/.git": b"", NEAR: "a", TOP: "top"}, {"a": NEAR}),
    ".git that leads to a directory": Case({"g/": None, "p/.git": Link("g"), TOP: "top"}, {}),
    ".git that leads nowhere": Case({"p/.git": Link("g"), TOP: "top"}, {"top": TOP}),
    ".git that is a device": Case({"p/.git": Link("/dev/null"), TOP: "top"}, {"top": TOP}),
    "up to the home directory, not into it": Case(
        {f"home/p/{AGENTS}/b.md": "b", USERS: "a", TOP: "top"},
        {"b": f"home/p/{AGENTS}/b.md"},
        start="home/p",
    ),
    "the home directory, of a repository above it": Case(
        {".git/": None, f"home/p/{AGENTS}/b.md": "b", TOP: "top"},
        {"b": f"home/p/{AGENTS}/b.md"},
        start="home/p",
    ),
    "started in the home directory": Case({USERS: "a", TOP: "top"}, {}, start="home"),
    "a home directory by the name of a link": Case(
        {"real/p/": None, "home": Link("real"), f"real/{AGENTS}/a.md": "a", TOP: "top"},
        {"a": f"real/{AGENTS}/a.md", "top": TOP},
        start="real/p",
    ),
    "a home directory with dots": Case({NEAR: "a", TOP: "top"}, {"a": NEAR}, home="p/.."),
    "the user's": Case({"p/.git/": None, USERS: "a"}, {"a": USERS}, user=True),
    "the user's in the home directory": Case({USERS: "a"}, {"a": USERS}, user=True, start="home"),
    "the project before the user": Case(
        {USERS: "a", f"home/{AGENTS}/u.md": "u", FAR: "a", ".git/": None},
        {"a": FAR, "u": f"home/{AGENTS}/u.md"},
        user=True,
        start=".",
        shadowed={USERS: FAR},
    ),
    "the last path in a directory": Case(
        {
            ".git/": None,
            f"{AGENTS}/a-b.md": "n",
            f"{AGENTS}/a.md": "n",
            f"{AGENTS}/a/x.md": "n",
            f"{AGENTS}/B.md": "n",
        },
        {"n": f"{AGENTS}/a/x.md"},
        start=".",
        shadowed={f"{AGENTS}/{each}.md": f"{AGENTS}/a/x.md" for each in ("B", "a-b", "a")},
    ),
    "small letters and capitals": Case(
        {".git/": None, FAR: "n", TOP: "N"}, {"n": FAR, "N": TOP}, start="."
    ),
    "instead of a built-in agent": Case({".git/": None, FAR: "Explore"}, {"Explore": FAR}, "."),
    "files of all names but the right one": Case(
        {f"{AGENTS}/{name}": "n" for name in ("x.MD", "x.markdown", "x.md.txt", "x.yaml")}
        | {".git/": None},
        {},
        start=".",
    ),
    "hidden files and directories": Case(
        {
            ".git/": None,
            f"{AGENTS}/.md": "a",
            f"{AGENTS}/.git/x.md": "b",
            f"{AGENTS}/x.md/y.md": "c",
        },
        {"a": f"{AGENTS}/.md", "b": f"{AGENTS}/.git/x.md", "c": f"{AGENTS}/x.md/y.md"},
        start=".",
    ),
    "a file for the directory": Case({".git/": None, AGENTS: "a"}, {}, start="."),
    "a link for the directory": Case(
        {".git/": None, AGENTS: Link("x"), "x/a.md": "a"}, {"a": FAR}, start="."
    ),
    "a link for .claude": Case(
        {".git/": None, ".claude": Link("x"), "x/agents/a.md": "a"}, {"a": FAR}, start="."
    ),
    "links to files and directories outside": Case(
        {
            ".git/": None,
            f"{AGENTS}/a.md": Link("x/1"),
            f"{AGENTS}/d": Link("x"),
            "x/1": "a",
            "x/b.md": "b",
        },
        {"a": FAR, "b": f"{AGENTS}/d/b.md"},
        start=".",
    ),
    "links in circles": Case(
        {
            ".git/": None,
            FAR: "a",
            f"{AGENTS}/self": Link(AGENTS),
            f"{AGENTS}/x.md": Link(f"{AGENTS}/x.md"),
        },
        {"a": FAR},
        start=".",
    ),
    "a file under two names": Case(
        {".git/": None, f"{AGENTS}/1.md": "a", f"{AGENTS}/2.md": "a"}
        | {f"{AGENTS}/3.md": Hard(f"{AGENTS}/1.md")},
        {"a": f"{AGENTS}/2.md"},
        start=".",
        shadowed={f"{AGENTS}/1.md": f"{AGENTS}/2.md"},
    ),
    "a file near and far": Case(
        {".git/": None, FAR: "a", NEAR: Hard(FAR), f"p/{AGENTS}/z.md": "a"},
        {"a": f"p/{AGENTS}/z.md"},
        shadowed={NEAR: f"p/{AGENTS}/z.md"},
    ),
    "a file of the user and the project": Case(
        {".git/": None, USERS: "a", FAR: Hard(USERS), f"{AGENTS}/0.md": "a"},
        {"a": f"{AGENTS}/0.md"},
        start=".",
        user=True,
        shadowed={USERS: f"{AGENTS}/0.md"},
    ),
    "the user's directory for the project's": Case(
        {".git/": None, f"p/{AGENTS}": Link(f"home/{AGENTS}"), USERS: "a", FAR: "a"},
        {"a": FAR},
        user=True,
        shadowed={USERS: FAR},
    ),
    "a worktree has its repository's": Case(
        {**worktree("main/.git", "p"), f"main/{AGENTS}/a.md": "a"}, {"a": f"main/{AGENTS}/a.md"}
    ),
    "a worktree inside its repository": Case({**worktree(".git", "p"), FAR: "a"}, {"a": FAR}),
    "a worktree with its own": Case(
        {**worktree("main/.git", "p"), f"main/{AGENTS}/m.md": "m", NEAR: "a"}, {"a": NEAR}
    ),
    "a worktree with none of its own": Case(
        {**worktree("main/.git", "p"), f"main/{AGENTS}/m.md": "m", f"p/{AGENTS}/": None}, {}
    ),
    "below a worktree": Case(
        {
            **worktree("main/.git", "p"),
            f"main/{AGENTS}/a.md": "a",
            f"main/{AGENTS}/m.md": "m",
            f"p/q/{AGENTS}/a.md": "a",
        },
        {"a": f"p/q/{AGENTS}/a.md", "m": f"main/{AGENTS}/m.md"},
        start="p/q",
        shadowed={f"main/{AGENTS}/a.md": f"p/q/{AGENTS}/a.md"},
    ),
    "a repository deeper than its worktree": Case(
        {
            **worktree("x/y/main/.git", "p"),
            f"x/y/main/{AGENTS}/a.md": "a",
            f"p/q/{AGENTS}/a.md": "a",
        },
        {"a": f"x/y/main/{AGENTS}/a.md"},
        start="p/q",
        shadowed={f"p/q/{AGENTS}/a.md": f"x/y/main/{AGENTS}/a.md"},
    ),
    "a repository as deep as below its worktree": Case(
        {**worktree("x/m/.git", "p"), f"x/m/{AGENTS}/a.md": "a", f"p/q/{AGENTS}/a.md": "a"},
        {"a": f"x/m/{AGENTS}/a.md"},
        start="p/q",
        shadowed={f"p/q/{AGENTS}/a.md": f"x/m/{AGENTS}/a.md"},
    ),
    "a worktree of a bare repository": Case(
        {**worktree("bare", "p"), f"bare/{AGENTS}/a.md": "a"}, {"a": f"bare/{AGENTS}/a.md"}
    ),
    "a worktree of a repository in a repository": Case(
        {**worktree("bare", "p"), f"bare/{AGENTS}/a.md": "a", "bare/.git/": None}, {}
    ),
    "a worktree by relative paths": Case(
        {
            **worktree(
                "main/.git",
                "p",
                git=b"gitdir: ../main/.git/worktrees/tree",
                gitdir=b"../../../../p/.git",
            ),
            f"main/{AGENTS}/a.md": "a",
        },
        {"a": f"main/{AGENTS}/a.md"},
    ),
    "a directory that poses as a worktree": Case(
        {
            **worktree("main/.git", "tree"),
            "p/.git": b"gitdir: {root}/main/.git/worktrees/tree\n",
            f"main/{AGENTS}/a.md": "a",
        },
        {},
    ),
    "a file called .git that is no worktree's": Case(
        {"p/.git": b"x: {root}/main/.git\n", f"main/{AGENTS}/a.md": "a"}, {}
    ),
    "a worktree whose way back is a circle": Case(
        {
            **worktree("main/.git", "p", gitdir=b"{root}/loop\n"),
            "loop": Link("loop"),
            f"main/{AGENTS}/a.md": "a",
        },
        {},
    ),
    "a worktree whose way back is no path": Case(
        {**worktree("main/.git", "p", gitdir=b"{root}/a\0b\n"), f"main/{AGENTS}/a.md": "a"}, {}
    ),
    "a circle for the directory": Case({".git/": None, AGENTS: Link(AGENTS)}, {}, start="."),
    "a circle for .git": Case({"p/.git": Link("p/.git"), TOP: "top"}, {"top": TOP}),
    "a worktree of nothing": Case({"p/.git": b"gitdir: {root}/none\n", TOP: "top"}, {}),
    "a worktree without the way back": Case(
        {**worktree("main/.git", "p", gitdir=b""), f"main/{AGENTS}/a.md": "a"}, {}
    ),
    "a worktree whose way back is a link": Case(
        {
            **worktree("main/.git", "p", gitdir=b""),
            "back": b"{root}/p/.git\n",
            "main/.git/worktrees/tree/gitdir": Link("back"),
            f"main/{AGENTS}/a.md": "a",
        },
        {},
    ),
    "a worktree of which git has another idea": Case(
        {**worktree("main/.git", "p", commondir=b".."), f"main/{AGENTS}/a.md": "a"}, {}
    ),
    "a pointer of more than it takes": Case(
        {
            **worktree("main/.git", "p", commondir=b"../.." + b"\n" * 100_000),
            f"main/{AGENTS}/a.md": "a",
        },
        {},
    ),
    "where files from elsewhere are put": Case(
        {".git/": None, f"Connector-Downloads ./{AGENTS}/a.md": "a", TOP: "top"},
        {"top": TOP},
        start="Connector-Downloads .",
    ),
    "a link to where files from elsewhere are put": Case(
        {".git/": None, f"connector-downloads/{AGENTS}/a.md": "a"}
        | {"p/.claude": Link("connector-downloads/.claude"), TOP: "top"},
        {"top": TOP},
    ),
}


@unix
@pytest.mark.parametrize("case", PLACES)
class TestPlaces:
    def test_agents_come_from_where_claude_code_looks(self, case, tmp_path, monkeypatch):
        expected = PLACES[case]
        root = lay_out(expected.files, tmp_path)
        monkeypatch.setenv("HOME", str(root / expected.home))

        found = preview(root / expected.start, user=expected.user)

        assert loaded_in(found, root) == expected.loaded
        assert {
            file.path.relative_to(root).as_posix(): file.by.relative_to(root).as_posix()
            for file in found.shadowed
        } == expected.shadowed
        assert found.dropped == ()

    @pytest.mark.real_cli
    def test_claude_code_looks_there(self, case, oracle, tmp_path):
        expected = PLACES[case]
        root = lay_out(expected.files, tmp_path)
        home = root / expected.home
        home.mkdir(exist_ok=True)

        start = root / expected.start
        assert oracle.differences(start, home=home, user=expected.user, tools=False) == []


# What is made of each file.


class TestTools:
    @pytest.mark.parametrize(
        ("keys", "tools", "listed"),
        [
            ({}, None, "All tools"),
            ({"tools": '"*"'}, None, "All tools"),
            ({"tools": "[]"}, (), "All tools"),
            ({"tools": ""}, (), "All tools"),
            ({"tools": "5"}, (), "All tools"),
            ({"tools": "Read, Read"}, ("Read", "Read"), "Read, Read"),
            ({"tools": "Bash(git:*), Task"}, ("Bash(git:*)", "Task"), "Bash(git:*), Task"),
            ({"disallowedTools": "Bash, X(y z)"}, None, "All tools except Bash, X(y z)"),
            ({"disallowedTools": '"*"'}, None, "All tools"),
            ({"tools": "[]", "disallowedTools": "Bash"}, (), "All tools except Bash"),
            ({"tools": "Read, Bash", "disallowedTools": "Bash"}, ("Read",), "Read"),
            ({"tools": "Bash", "disallowedTools": "Bash"}, (), "None"),
            ({"tools": "Task", "disallowedTools": "Agent"}, ("Task",), "Task"),
            ({"memory": "user"}, None, "All tools"),
            (
                {"tools": "Bash, Edit", "memory": "user"},
                ("Bash", "Edit", "Write", "Read"),
                "Bash, Edit, Write, Read",
            ),
            ({"tools": "[]", "memory": "local"}, ("Write", "Edit", "Read"), "Write, Edit, Read"),
            ({"tools": "Bash", "memory": "none"}, ("Bash",), "Bash"),
            ({"tools": "[]", "memory": "user", "disallowedTools": "Edit, Read, Write"}, (), "None"),
        ],
    )
    def test_tools_are_listed_as_claude_code_lists_them(self, keys, tools, listed, tmp_path):
        lay_out({".git/": None, f"{AGENTS}/a.md": agent("a", **keys).encode()}, tmp_path)

        (found,) = preview(tmp_path).loaded

        assert (found.tools, found.listed_tools) == (tools, listed)

    def test_what_is_disallowed_is_said(self, tmp_path):
        text = agent("a", tools="Read, Bash", disallowedTools="Bash").encode()
        lay_out({".git/": None, f"{AGENTS}/a.md": text}, tmp_path)

        (found,) = preview(tmp_path).loaded

        assert found.disallowed_tools == ("Bash",)


class TestDropped:
    @pytest.mark.parametrize(
        ("text", "code", "line", "message"),
        [
            (agent("5"), "wrong-type", 2, "must be text, not the number 5"),
            (agent("-x"), "bad-agent-name", 2, "Claude Code drops an agent named '-x'"),
            (agent("a", "[x]"), "wrong-type", 3, "must be text, not a list"),
            ("---\nname: a\n---\n", "blank-description", None, "subagent requires description"),
            ("---\ndescription: d\n---\n", "not-an-agent", None, "passes over a file"),
            ("---\nname: a\ndescription: use:\n---\n", "yaml-syntax", 3, "drops the agent"),
            (
                agent("a", **{"allowed-tools": "x", "hooks": "y"}),
                "not-an-agent",
                5,
                "hooks must map",
            ),
            ("---\nname: a\ndescription: d\n", "not-an-agent", 1, "never closed"),
            ("---\nname: a\n- b\n---\n", "yaml-syntax", 3, "drops the agent"),
        ],
    )
    def test_a_file_is_dropped_for_what_claude_code_drops_it_for(
        self, text, code, line, message, tmp_path
    ):
        lay_out({".git/": None, f"{AGENTS}/a.md": text.encode()}, tmp_path)

        found = preview(tmp_path)

        assert found.loaded == found.shadowed == ()
        (dropped,) = found.dropped
        assert dropped.path == tmp_path / AGENTS / "a.md"
        assert dropped.problem.file == str(dropped.path)
        assert (dropped.problem.code, dropped.problem.severity) == (code, "error")
        assert message in dropped.problem.message
        assert line is None or (dropped.problem.span and dropped.problem.span.line == line)

    def test_dashes_that_cut_the_front_matter_are_named(self, tmp_path):
        text = b"---\nname: a\n# ---- tools ----\ndescription: d\n---\n"
        lay_out({".git/": None, f"{AGENTS}/a.md": text}, tmp_path)

        ((problem,),) = [[file.problem for file in preview(tmp_path).dropped]]

        assert problem.code == "blank-description"
        assert problem.hint == "'---' ends the front matter in line 3, also inside a value"

    def test_what_is_no_agent_is_left_alone(self, tmp_path):
        files = {
            "a.md": b"# Notes\n",
            "b.md": b"---\ntitle: x\n---\n",
            "c.md": b"",
            "d.md": b"---\n",
        }
        lay_out(
            {f"{AGENTS}/{name}": text for name, text in files.items()} | {".git/": None}, tmp_path
        )

        assert preview(tmp_path) == Preview((), (), ())

    def test_a_file_that_is_dropped_hides_no_other(self, tmp_path):
        lay_out({".git/": None, FAR: "a", NEAR: agent("a", "5").encode()}, tmp_path)

        found = preview(tmp_path / "p")

        assert loaded_in(found, tmp_path) == {"a": FAR}
        assert [file.path for file in found.dropped] == [tmp_path / NEAR]

    def test_what_only_load_refuses_is_loaded(self, tmp_path):
        text = b'---\nname: a\ndescription: "  "\nmodel: no-such\n---\n'
        lay_out({".git/": None, f"{AGENTS}/a.md": text}, tmp_path)

        (found,) = preview(tmp_path).loaded

        assert (found.description, found.model, found.prompt) == ("  ", "no-such", "")


class TestShadowed:
    def test_the_place_of_the_name_is_said(self, tmp_path):
        lay_out({".git/": None, FAR: "a", NEAR: "a"}, tmp_path)

        (file,) = preview(tmp_path / "p").shadowed

        assert (file.path, file.name, file.by) == (tmp_path / FAR, "a", tmp_path / NEAR)
        assert (file.problem.code, file.problem.severity) == ("shadowed-agent", "warning")
        assert file.problem.file == str(tmp_path / FAR)
        assert file.problem.snippet == "name: a\n      ^"


def test_a_built_in_agent_can_be_replaced(tmp_path):
    lay_out({".git/": None, FAR: "Plan", TOP: "plan"}, tmp_path)

    assert [(each.name, each.replaces_built_in) for each in preview(tmp_path).loaded] == [
        ("plan", False),
        ("Plan", True),
    ]


def test_names_are_sorted_as_claude_code_sorts_them(tmp_path):
    names = ["_x", '"q"', "(x)", "~t", "$", "1", "10", "2", "a", "A", "a\tb", "a b", "a_b", "a-b"]
    names += ["a.b", "a'b", "a/b", "a1", "ab", "aB", "Ab", "AB", "ab1", "b", "B", "\x7fc", "x@"]
    names += ["Zz", "\u00c9", "\u00e9", "\u65e5"]
    files = {
        f"{AGENTS}/{number}.md": agent(json.dumps(name)).encode()
        for number, name in enumerate(sorted(names))
    }
    lay_out({".git/": None, **files}, tmp_path)

    assert [each.name for each in preview(tmp_path).loaded] == names


# Where to look.


class TestArguments:
    def test_a_relative_directory_names_its_files_so(self, tmp_path, monkeypatch):
        lay_out({".git/": None, NEAR: "a", FAR: "b"}, tmp_path)
        monkeypatch.chdir(tmp_path)

        assert [each.path for each in preview("p").loaded] == [Path(NEAR), tmp_path / FAR]

    @unix
    def test_a_link_to_a_directory_is_resolved_for_what_lies_above(self, tmp_path):
        lay_out({"x/.git/": None, f"x/{AGENTS}/b.md": "b", f"x/p/{AGENTS}/a.md": "a"}, tmp_path)
        (tmp_path / "link").symlink_to(tmp_path / "x" / "p")

        found = preview(tmp_path / "link")

        assert loaded_in(found, tmp_path) == {"a": f"link/{AGENTS}/a.md", "b": f"x/{AGENTS}/b.md"}

    @pytest.mark.parametrize("name", ["none", "file", "a\0b"])
    def test_what_is_no_directory_is_an_error(self, name, tmp_path):
        (tmp_path / "file").touch()
        said = "it is not a directory" if name == "file" else "there is no such directory"

        with pytest.raises(NotADirectoryError, match=said) as caught:
            preview(tmp_path / name)
        assert str(caught.value).isprintable()

    def test_the_users_directory_may_be_another(self, tmp_path):
        lay_out({".git/": None, FAR: "a", "mine/agents/u.md": "u"}, tmp_path)
        expected = {"a": FAR, "u": "mine/agents/u.md"}

        assert loaded_in(preview(tmp_path, user=tmp_path / "mine"), tmp_path) == expected
        assert loaded_in(preview(tmp_path, user=str(tmp_path / "mine")), tmp_path) == expected

    @pytest.mark.parametrize("said", ["{root}/mine", "mine", ""])
    def test_the_users_directory_may_be_said_by_the_environment(self, said, tmp_path, monkeypatch):
        directory = "mine/agents" if said else "agents"
        lay_out({".git/": None, f"{directory}/u.md": "u", USERS: "a"}, tmp_path)
        monkeypatch.setenv("CLAUDE_CONFIG_DIR", said.format(root=tmp_path))

        assert loaded_in(preview(tmp_path, user=True), tmp_path) == {"u": f"{directory}/u.md"}
        assert preview(tmp_path).loaded == ()


# What strangers may have laid out.


@unix
class TestStrangers:
    def found(self, tmp_path: Path, **files: Any) -> Preview:
        (tmp_path / AGENTS).mkdir(parents=True)
        lay_out({".git/": None, f"{AGENTS}/ok.md": "ok"}, tmp_path)
        lay_out({f"{AGENTS}/{name}.md": content for name, content in files.items()}, tmp_path)
        found = preview(tmp_path)
        assert loaded_in(found, tmp_path) == {"ok": f"{AGENTS}/ok.md"}
        return found

    @pytest.mark.parametrize("target", ["/proc/self/environ", "/proc/self/mounts"])
    def test_files_of_the_system_are_not_read(self, target, tmp_path):
        if not Path(target).exists():
            pytest.skip("there is no /proc")
        (dropped,) = self.found(tmp_path, a=Link(target)).dropped

        assert dropped.problem.code == "cannot-read"
        assert "Claude Code does not follow" in dropped.problem.message

    def test_a_way_through_the_files_of_the_system_is_no_obstacle(self, tmp_path):
        if not Path("/proc/self/root").exists():
            pytest.skip("there is no /proc")
        lay_out({".git/": None, "x.md": "x"}, tmp_path)
        (tmp_path / AGENTS).mkdir(parents=True)
        (tmp_path / AGENTS / "a.md").symlink_to(f"/proc/self/root{tmp_path}/x.md")

        assert loaded_in(preview(tmp_path), tmp_path) == {"x": f"{AGENTS}/a.md"}

    def test_what_is_no_file_is_passed_over(self, tmp_path):
        (tmp_path / AGENTS).mkdir(parents=True)
        os.mkfifo(tmp_path / AGENTS / "fifo.md")
        lay_out({f"{AGENTS}/null.md": Link("/dev/null")}, tmp_path)
        lay_out({".git/": None, f"{AGENTS}/ok.md": "ok"}, tmp_path)

        assert loaded_in(preview(tmp_path), tmp_path) == {"ok": f"{AGENTS}/ok.md"}

    def test_a_file_that_is_too_large_is_not_read(self, tmp_path):
        (dropped,) = self.found(tmp_path, a=agent("a").encode() + b"x" * 1024 * 1024).dropped

        assert dropped.problem.message == "cannot read it: it is larger than 1 MiB"
        assert dropped.problem.severity == "error"

    def test_a_name_that_is_not_utf_8_is_not_opened(self, tmp_path):
        name = os.fsdecode(b"\xff.md")
        try:
            (tmp_path / name).touch()
        except OSError:
            pytest.skip("the file system takes no such name")
        (dropped,) = self.found(tmp_path, **{name.removesuffix(".md"): agent("a").encode()}).dropped

        assert "not UTF-8" in dropped.problem.message
        assert json.loads(run("--format", "json", str(tmp_path)).output)["loaded"]

    def test_a_file_that_may_not_be_read_is_dropped(self, tmp_path):
        (tmp_path / AGENTS).mkdir(parents=True)
        path = tmp_path / AGENTS / "a.md"
        lay_out({".git/": None, f"{AGENTS}/a.md": "a"}, tmp_path)
        path.chmod(0)
        if os.access(path, os.R_OK):
            pytest.skip("whoever runs this may read everything")

        (dropped,) = preview(tmp_path).dropped
        assert dropped.problem.code == "cannot-read"

    def test_a_file_that_goes_while_it_is_looked_at_is_no_file(self, tmp_path, monkeypatch):
        lay_out({".git/": None, FAR: "a"}, tmp_path)
        monkeypatch.setattr("subspec.project.markdown_below", lambda *_: [tmp_path / "gone.md"])

        assert preview(tmp_path) == Preview((), (), ())

    def test_what_would_move_the_cursor_is_not_shown(self, tmp_path):
        name = "x\x1b[31m"
        lay_out(
            {".git/": None, f"{AGENTS}/{name}.md": agent('"a\\e[1m"', '"\\e]0;t"').encode()},
            tmp_path,
        )
        lay_out({f"{AGENTS}/{name}2.md": agent("5").encode()}, tmp_path)

        assert "\x1b" not in run(str(tmp_path)).output


# Projects of all sorts.


NAMES = st.sampled_from(["a", "b", "A", "a b", "\u00e9", "Plan"])
PLACED = st.tuples(
    st.sampled_from(["home/.claude/agents", AGENTS, f"p/{AGENTS}", f"p/q/{AGENTS}"]),
    st.sampled_from(["x", "y", "d/x", "d/d/x", "x-y"]),
)


@given(st.dictionaries(PLACED, st.tuples(NAMES, st.booleans()), max_size=12), st.booleans())
def test_every_agent_is_somewhere_once(tmp_path_factory, files, user):
    root = tmp_path_factory.mktemp("project")
    texts = {
        f"{place}/{stem}.md": agent(name, "d" if is_right else "5").encode()
        for (place, stem), (name, is_right) in files.items()
    }
    lay_out({".git/": None, "p/q/": None, **texts}, root)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOME", str(root / "home"))
        found = preview(root / "p" / "q", user=user)

    where = [file.path for group in (found.loaded, found.dropped, found.shadowed) for file in group]
    seen = [root / path for path in texts if user or not path.startswith("home")]
    assert sorted(where) == sorted(seen)
    winners = {agent.name: agent.path for agent in found.loaded}
    assert len(winners) == len(found.loaded)
    assert all(winners[file.name] == file.by for file in found.shadowed)


WORDS = (
    "Use this agent: when, \\n #1 [x] {y} \"q\" 'r' it's e.g. \u2013 \u65e5\u672c & * ! % @ ` | > 5"
).split()
LISTS = [
    *("Read, Grep", "[Read, Bash]", '"*"', "[]", "", "Bash(git:*), Task", "Read Write", "5"),
    *("mcp__a__b, Read", "[Read, 5]", "Nope"),
]


class Projects:
    """Makes projects as no one has them; the same each time."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - nothing is kept secret

    def name(self) -> str:
        word = "".join(
            self.random.choices("abcXYZ019_-. /\u00e9\u65e5", k=self.random.randint(1, 4))
        )
        return self.random.choice([word, word.upper(), f"{word} {word}", "Explore"])

    def agent(self) -> bytes:
        words = " ".join(self.random.choices(WORDS, k=self.random.randint(1, 8)))
        quoted = json.dumps(words, ensure_ascii=False)
        keys = {"name": json.dumps(self.name(), ensure_ascii=False)}
        keys["description"] = self.random.choice([words, quoted, quoted, quoted])
        for key in ("tools", "disallowedTools"):
            if self.random.random() < 0.4:
                keys[key] = self.random.choice(LISTS)
        if self.random.random() < 0.2:
            keys["memory"] = self.random.choice(["user", "local", "nope"])
        if self.random.random() < 0.3:
            keys["model"] = self.random.choice(["haiku", "INHERIT", "' x '", "5", "''"])
        return "\n".join(
            ["---", *(f"{key}: {value}" for key, value in keys.items()), "---\n"]
        ).encode()

    def files(self, count: int) -> dict[str, bytes]:
        return {f"{self.directory()}/{number}.md": self.agent() for number in range(count)}

    def directory(self) -> str:
        place = self.random.choice([f"home/{AGENTS}", AGENTS, f"p/{AGENTS}", f"p/q/{AGENTS}"])
        return self.random.choice([place, f"{place}/d", f"{place}/d-e", f"{place}/.h"])


@pytest.mark.real_cli
class TestTheRealOne:
    @pytest.mark.parametrize("seed", [1, 2, 3])
    def test_generated_projects_load_as_claude_code_loads_them(self, seed, oracle, tmp_path):
        files = Projects(seed).files(400)
        lay_out({".git/": None, "p/q/": None, **files}, tmp_path)

        assert oracle.differences(tmp_path / "p/q", home=tmp_path / "home", user=True) == []

    @pytest.mark.corpus
    @pytest.mark.parametrize("repository", sorted(map(str, CORPUS.glob("claude-md/*"))) or [""])
    def test_the_corpus_loads_as_claude_code_loads_it(self, repository, oracle, tmp_path):
        lay_out({".git/": None, ".claude/": None, "home/": None}, tmp_path)
        (tmp_path / AGENTS).symlink_to(repository)

        assert oracle.differences(tmp_path, home=tmp_path / "home") == []
        assert preview(tmp_path).loaded

    def test_our_own_files_load_as_claude_code_loads_them(self, oracle, tmp_path):
        lay_out({".git/": None, ".claude/": None, "home/": None}, tmp_path)
        (tmp_path / AGENTS).symlink_to(FIXTURES)

        assert oracle.differences(tmp_path, home=tmp_path / "home") == []

    def test_differences_are_found(self, oracle, tmp_path, monkeypatch, capsys):
        lay_out({"p/.git/": None, NEAR: "a", "q/.git/": None, "r/.git/": None}, tmp_path)
        lay_out({f"r/{AGENTS}/{name}.md": name for name in ("a", "b")}, tmp_path)
        answers = {
            "p": Preview((), (), ()),
            "q": preview(tmp_path / "p"),
            "r": Preview(preview(tmp_path / "r").loaded[::-1], (), ()),
        }
        monkeypatch.setattr(oracle, "preview", lambda path, **_: answers[path.name])
        monkeypatch.setattr("sys.argv", ["oracle.py", *(str(tmp_path / each) for each in answers)])

        assert oracle.main() == 1
        said = capsys.readouterr().out
        assert "p: 'a': loaded by Claude Code only" in said
        assert "q: 'a': loaded by preview only" in said
        assert "r: the order is ['a', 'b'], not ['b', 'a']" in said


# The command.


def run(*args: str, **environment: str) -> Result:
    runner = CliRunner(env={**ENVIRONMENT, **environment}, **_RUNNER_OPTIONS)
    return runner.invoke(command, args, prog_name="subspec preview", catch_exceptions=False)


@pytest.fixture
def team(tmp_path, monkeypatch):
    """A directory with everything in it."""
    files = {
        "analyst": agent(
            "analyst", "Analyses data.\\nThen more.", tools="Read, Grep", model="haiku"
        ),
        "broken": "---\nname: broken\ndescription: Use this:\ntools: Read\n---\n",
        "again": agent("writer", "Gives way."),
        "explore": agent("Explore", "Instead of theirs.", disallowedTools="Bash"),
        "writer": agent(
            "writer", "Writes [the] report, at length and with great care.", tools="[]"
        ),
    }
    lay_out({".git/": None, "p/": None, USERS: "mine"}, tmp_path)
    lay_out({f"{AGENTS}/{name}.md": text.encode() for name, text in files.items()}, tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path


class TestCommand:
    def test_text_shows_all_of_it(self, team, snapshot):
        result = run()

        assert result.exit_code == 1
        assert result.stdout == snapshot
        assert result.stderr == ""

    def test_json_says_all_of_it(self, team):
        result = run("--format", "json")
        report = json.loads(result.stdout)

        assert result.exit_code == 1
        assert [agent["name"] for agent in report["loaded"]] == ["analyst", "Explore", "writer"]
        assert report["loaded"][1] == {
            "name": "Explore",
            "description": "Instead of theirs.",
            "model": None,
            "tools": None,
            "disallowed_tools": ["Bash"],
            "listed_tools": "All tools except Bash",
            "prompt": "B",
            "path": str(Path(AGENTS, "explore.md")),
            "replaces_built_in": True,
        }
        (dropped,) = report["dropped"]
        assert dropped["path"] == dropped["problem"]["file"] == str(Path(AGENTS, "broken.md"))
        assert (dropped["problem"]["code"], dropped["problem"]["line"]) == ("yaml-syntax", 3)
        (shadowed,) = report["shadowed"]
        assert shadowed["by"] == str(Path(AGENTS, "writer.md"))
        assert (shadowed["name"], shadowed["problem"]["code"]) == ("writer", "shadowed-agent")
        assert report["loaded"][2]["tools"] == []

    def test_the_users_agents_count_when_asked_for(self, team):
        names = [
            agent["name"]
            for agent in json.loads(run("--format", "json", "--user").stdout)["loaded"]
        ]

        assert "mine" in names

    def test_nothing_dropped_is_a_success(self, tmp_path):
        lay_out({".git/": None, FAR: "a"}, tmp_path)

        assert run(str(tmp_path)).exit_code == 0
        assert run("--format", "json", str(tmp_path)).exit_code == 0

    def test_no_agents_are_a_success(self, tmp_path, monkeypatch):
        lay_out({".git/": None}, tmp_path)
        monkeypatch.chdir(tmp_path)

        result = run(".")

        assert result.exit_code == 0
        assert (
            result.stdout
            == "Claude Code loads no agents in '.'.\n0 loaded, 0 dropped, 0 shadowed.\n"
        )

    @pytest.mark.parametrize("name", ["none", "file"])
    def test_what_is_no_directory_cannot_be_looked_at(self, name, tmp_path):
        (tmp_path / "file").touch()

        result = run(str(tmp_path / name))

        assert result.exit_code == 2
        assert result.stderr.startswith(f"Error: {tmp_path / name}: ")
