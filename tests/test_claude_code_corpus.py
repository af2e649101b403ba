"""Markdown agents, as the real Claude Code loads them: recorded cases, real files and odd ones."""

from __future__ import annotations

import base64
import json
import os
import random
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("claude_agent_sdk", reason="needs the extra subspec[claude]")

from real_files import CORPUS, RECORDED
from real_project import BUILT_IN, Listed, listed_by_the_cli, needs_cli, write

from subspec.formats.claude_code import AgentFile, read_agents

FIXTURES = Path(__file__).parent.parent / "fixtures" / "claude-code"


def listed_by_us(files: dict[str, bytes], directory: Path) -> Listed:
    return {
        name: (found.values["description"], found.values.get("model"))
        for name, found in loaded(write(directory / ".claude" / "agents", files)).items()
    }


def loaded(directory: Path) -> dict[str, AgentFile]:
    """Give the files that we find to be agents, of those with equal names the last."""
    files = {found.name: found for found in read_agents(directory) if found.name is not None}
    return {name: found for name, found in files.items() if name not in BUILT_IN}


def recorded() -> dict[str, dict[str, Any]]:
    if not RECORDED.is_file():
        return {}
    cases = map(json.loads, RECORDED.read_text(encoding="utf-8").splitlines())
    return {case["case"]: case for case in cases}


def lay_out(files: dict[str, dict[str, Any]], directory: Path) -> None:
    """Write the files of a recorded case, links and all."""
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if "link" not in content:
            text = content.get("text", "").encode("utf-8", "surrogatepass")
            path.write_bytes(text or base64.b64decode(content.get("base64", "")))
            continue
        kind, *target = content["link"]
        if kind == "dir":
            path.mkdir()
        elif kind == "symlink":
            path.symlink_to(directory / target[0])
        else:
            os.link(directory / target[0], path)


def as_listed(found: AgentFile) -> str:
    """Say the tools of an agent as Claude Code tells them to the main model."""
    tools = found.values.get("tools")
    taken = found.values.get("disallowed_tools") or ()
    if tools and found.values.get("memory"):
        tools = dict.fromkeys([*tools, "Write", "Edit", "Read"])
    if tools:
        return ", ".join(tool for tool in tools if tool not in taken)
    return f"All tools except {', '.join(taken)}" if taken else "All tools"


@pytest.mark.corpus
@pytest.mark.parametrize("case", recorded() or [""])
def test_recorded_cases_load_as_recorded(case, tmp_path):
    record = recorded()[case]
    lay_out(record["files"], tmp_path)

    agents = loaded(tmp_path)

    assert set(agents) == {agent["name"] for agent in record["loaded"]}
    for agent in record["loaded"]:
        found = agents[agent["name"]]
        assert found.values["description"] == agent["description"]
        assert found.values.get("model") == agent["model"]
        # A long list is recorded up to some place.
        assert as_listed(found)[: len(agent["listed_tools"])] == agent["listed_tools"]
        prompt, starts = found.values["prompt"], agent["prompt_starts"] or ""
        assert prompt[: len(starts)] == starts[: len(prompt)]


@needs_cli
@pytest.mark.corpus
@pytest.mark.parametrize("repository", sorted(map(str, CORPUS.glob("claude-md/*"))) or [""])
def test_the_corpus_loads_as_claude_code_loads_it(repository, tmp_path):
    files = {
        path.relative_to(repository).as_posix(): path.read_bytes()
        for path in Path(repository).rglob("*")
        if path.is_file()
    }
    listed = listed_by_the_cli(files)
    assert listed
    assert listed_by_us(files, tmp_path) == listed


@needs_cli
class TestOurOwnFiles:
    def test_the_fixtures_load_as_claude_code_loads_them(self, tmp_path):
        files = {
            path.relative_to(FIXTURES).as_posix(): path.read_bytes()
            for path in FIXTURES.rglob("*.md")
        }
        listed = listed_by_the_cli(files)
        assert listed_by_us(files, tmp_path) == listed
        assert "security-reviewer" in listed
        assert "several-lines" not in listed

    @pytest.mark.parametrize("seed", [None, 1, 2])
    def test_odd_front_matter_is_read_as_claude_code_reads_it(self, seed, tmp_path):
        matters = ODD if seed is None else Odd(seed).matters(1_000)
        files = {
            f"{number:03}.md": f"---\nname: n{number}\n{matter}---\nBody\n".encode()
            for number, matter in enumerate(matters)
        }
        ours, theirs = listed_by_us(files, tmp_path), listed_by_the_cli(files)
        differing = {
            matter: (ours.get(f"n{number}"), theirs.get(f"n{number}"))
            for number, matter in enumerate(matters)
            if ours.get(f"n{number}") != theirs.get(f"n{number}")
        }
        assert differing == {}
        assert len(theirs) > len(matters) / 3

    def test_names_and_whole_files_are_read_as_claude_code_reads_them(self, tmp_path):
        files = {f"{number:03}.md": text for number, text in enumerate(WHOLE)}
        assert listed_by_us(files, tmp_path) == listed_by_the_cli(files)


ODD = [
    "description: a\r\r\nmodel: x\n",
    "description: a # x\ry\nmodel: x\n",
    "# x\ry\ndescription: a\n",
    'description: "a"\r\nmodel: x\n',
    "\rdescription: a\n",
    "description: a\r\n\r\nmodel: m\n",
    "description: !foo 5\n",
    "description: !foo x\n",
    "description: !!str 5\n",
    "description: !!str\n",
    "description: !\n",
    "x: &a\n  description: hi\n<<: *a\n",
    "x: &a\n  description: hi\n<<: *a\ndescription: own\n",
    "x: &a\n  description: hi\ndescription: own\n<<: *a\n",
    'x: &a\n  description: hi\n"<<": *a\n',
    "x: &a {description: hi}\ny: &b {description: ho}\n<<: [*a, *b]\n",
    "<<: foo\ndescription: d\n",
    "<<: [1]\ndescription: d\n",
    "<<: {description: d}\n",
    "<<: {description: d}\n<<: {model: m}\n",
    "description: d\ndescription: e\n",
    "description: *nope\n",
    "description: d\nfoo: *nope\n",
    "description: *nope # c\n",
    "description: &a d\nmodel: *a\n",
    "description: &a\n",
    "description: d\nfoo: &a x\nmodel: *a\n",
    "description: d\nmodel: *a\nfoo: &a x\n",
    "...\ndescription: d\n",
    "description: d\n...\n",
    "description: d\n...\nmodel: x\n",
    "description: d\n... # foo\n",
    "%YAML 1.2\ndescription: d\n",
    "description: d\n%foo\n",
    "%foo: x\ndescription: d\n",
    "- a\n",
    "description: d\n- a\n",
    "description:\n- a\n",
    "? description\n: d\n",
    "? [a]\n: d\ndescription: d\n",
    '"description": d\n',
    "'description': d\n",
    "description : d\n",
    "description:d\n",
    "description:\td\n",
    "  description: d\n",
    "\tdescription: d\n",
    "description: d\n  model: m\n",
    "description: d\n model: m\n",
    "description: d\n\tmodel: m\n",
    "description: |\n  a\n b\n",
    "description: |2\n   a\n",
    "description: >\n  a\n  b\n\n  c\n",
    "description: |-\n  a\n\n\n",
    "description: |+\n  a\n\n\n",
    "description: |\n\n  a\n",
    "description: |\n    \n  a\n",
    "description: > # c\n  a\n",
    "description: >#c\n  a\n",
    "description: |10\n  a\n",
    "description: |0\n  a\n",
    "description: |-+\n  a\n",
    "description: |2-\n  a\n",
    "description: |-2\n  a\n",
    "description: |\na\n",
    "description: >-\n\nmodel: m\n",
    'description: "a\nb"\n',
    'description: "a\n  b\n\n  c"\n',
    'description: "a\\\n  b"\n',
    "description: 'a\n  b'\n",
    "description: 'a\nmodel: b'\n",
    'description: "a\n\tb"\n',
    "description: a\n  b\n",
    "description: a\n\n  b\n",
    "description: a\n  # c\n  b\n",
    "description: a\n  b # c\n",
    "description: a\n  b: c\n",
    "description:\n  a: b\n",
    "description:\n  a\n",
    "description:\n  a\n  b\n",
    "description:\n\n  a\n",
    "description:\na\n",
    "description: a\nb\n",
    "description: a\n-b\n",
    "description: [a\n",
    "description: {a\n",
    "description: [a,\n  b]\n",
    "description: d\nfoo: [a,\nb]\n",
    "description: d\nfoo: {a: 1,\nb: 2}\n",
    "description: d\nfoo: [a,\n\tb]\n",
    "description: d\nfoo: [\n]\n",
    "description: d\nfoo: [\n  a\n]\n",
    "description: d\nfoo: [\n  a,\n]\n",
    "description: d\nfoo: {\n  a: 1\n}\n",
    "description: d\nfoo: {\n  a: 1,\n}\n",
    "description: d\nfoo: [\n  [\n]\n]\n",
    "description: d\nfoo: [a\n]\nmodel: m\n",
    "description: d\nfoo: [a\n, b]\nmodel: m\n",
    "description: d\nfoo:\n[a]\n",
    "description: d\nfoo:\n  [a]\n",
    'description: d\nfoo:\n"a"\n',
    "description: d\nfoo: [\n\n  a\n\n]\n",
    "description: d\nfoo: [\n# c\n  a\n]\n",
    "description: d\nfoo: [ # c\n  a]\n",
    "description: d\nfoo: [a # c\n  ]\n",
    "description: d\nfoo: [a b\n  c]\n",
    "description: d\nfoo:\n  bar: [\n  a\n  ]\n",
    "description: d\nfoo:\n  bar: [\n    a\n]\n",
    "description: d\nfoo:\n  bar: [\n    a\n ]\n",
    "description: d\nfoo:\n- [a,\n b]\n",
    "description: d\nfoo:\n- [a,\nb]\n",
    "description: d\nfoo:\n  - [a,\n  b]\n",
    'description: d\nfoo: ["a",\n  "b"]\n',
    'description: d\nfoo: "a\n\n b"\n',
    'description: d\nfoo: "a\n\n"\n',
    'description: d\nfoo: "a\n"\n',
    'description: d\nfoo: "a\n  "\n',
    "description: d\nfoo: 'a\n'\n",
    'description: d\nfoo:\n  bar: "x\n  y"\n',
    'description: d\nfoo:\n  bar: "x\n y"\n',
    'description: d\nfoo:\n  bar: "x\n   y"\n',
    "description: d\nfoo: [a]  \n",
    "description: d\nfoo: [a] # c\n",
    "description: d\nfoo: [a]: b\n",
    "description: d\n[a]: b\n",
    "description: d\n[a, b]: c\n",
    "description: d\n{a: b}: c\n",
    'description: d\n"a": c\n',
    'description: d\n"a" : c\n',
    'description: d\n"a"x: c\n',
    "description: d\n&a foo: *a\n",
    "description: d\n&a foo: b\n*a : c\n",
    "description: d\n*a: c\n",
    "description: d\n!x foo: b\n",
    "description: d\nfoo: &a\n  bar: x\n",
    "description: d\nfoo: !!map\n  bar: x\n",
    "description: d\nfoo: &a !!str x\n",
    "description: d\nfoo: !!str &a x\n",
    "description: d\nfoo: &a &b x\n",
    "description: d\nfoo: &a *a\n",
    "description: d\nfoo: |\n  x\n  ---x\n",
    "description: d\nfoo: - x\n",
    "description: d\nfoo: x: y\n",
    'description: d\nfoo: "x": y\n',
    "description: d\nfoo: {x: y}: z\n",
    "description: d\nfoo:\n- a\n- b\nmodel: m\n",
    "description: d\nfoo:\n- a\n - b\nmodel: m\n",
    "description: d\nfoo:\n  - a\n - b\nmodel: m\n",
    "description: d\nfoo:\n  - a\n    - b\nmodel: m\n",
    "description: d\nfoo:\n  - a: 1\n    b: 2\n  - c\n",
    "description: d\nfoo:\n  - a: 1\n   b: 2\n",
    "description: d\nfoo:\n  -\n    a: 1\n",
    "description: d\nfoo:\n  - - a\n    - b\n",
    "description: d\nfoo:\n  -a\n",
    "description: d\nfoo:\n  -   a\n",
    "description: d\nfoo:\n  - a\n\n  - b\n",
    "description: d\n\n\nmodel: m\n",
    "description: d\n   \nmodel: m\n",
    "description: d\n\t\nmodel: m\n",
    "description: d # c\n  # c2\nmodel: m\n",
    "# c\n\n# d\ndescription: d\n",
    "description: d\n# c\n",
    "description: d\n  # c\n",
    "description: d\n#c\nmodel: m\n",
    "description: d#c\n",
    "description: # c\n  d\n",
    "description:# c\n",
    "description: \n",
    "description:\n\n\nmodel: m\n",
    "? a\ndescription: d\n",
    "description: d\n? a\n",
    "description: d\n:a\n",
    "description: d\n-: a\n",
    "description: d\n-a: b\n",
    "description: d\n?a: b\n",
    "description: d\na b: c\n",
    "description: d\na: b: c\n",
    "description: d\na::b: c\n",
    "description: d\na:: c\n",
    "description: d\n123: c\n",
    "description: d\n~: c\n",
    "description: d\ntrue: c\n",
    "description: d\n1.0: c\n",
    "description: d\nfoo: bar\n   baz\n  qux\n",
    "description: foo\n  bar\n\tbaz\n",
    "description: foo\n\tbar\n",
    "description: foo\t\n",
    "description: foo\t# bar\n",
    "description:\t\tfoo\n",
    "description: d\nfoo: >\n  a\n   b\n  c\n",
    "description: >\n  a\n   b\n  c\n",
    "description: >\n  a\n\n   b\n\n  c\n",
    "description: >\n   a\n  b\n",
    "description: |\n  a\n # c\nmodel: m\n",
    "description: |\n  a\n# c\n",
    "description: |\n  a  \n  b\t\n",
    "description: |\n \n  a\n",
    "description: |\n\t\n  a\n",
    'description: "a  \n  b"\n',
    'description: "a\\  \n  b"\n',
    'description: "a \\\n   \\ b"\n',
    "description: |+\n\n",
    "description: |+\n\n\nmodel: m\n",
    "description: >+\n  a\n\n\nmodel: m\n",
    "description: |\n  a\n\n",
    "description: |\n  a",
    "description: >\n  a\n  \n",
    "description: |\n  a\n   \n  b\n",
    "description: |\n  a\n \n  b\n",
    "description: >2\n  a\n",
    "description: | \n  a\n",
    "description: |\t\n  a\n",
    "description: |  # c\n  a\n",
    "description: > a\n",
    "description: | a\n  b\n",
]

WHOLE = [
    *(
        f"---\nname: {name}\ndescription: name {number}\n---\nBody\n".encode()
        for number, name in enumerate(
            [
                *("a b", "Ab", "aB", "'  pad '", "a/b", "é", "日本", "🙂", "a.b", "a,b", "(a)"),
                *("yes", "no", "on", "1.0.0", "1st", "010", "0o7", "0x10", "1e3", ".5", "-1"),
                *(
                    "-a",
                    "'-b'",
                    "a:b",
                    "a\uff1ab",
                    "a::",
                    "true",
                    "null",
                    "~",
                    "''",
                    "' '",
                    "'\\n'",
                ),
                *('"x\\ny"', '"\\t"', "[a]", "{a: b}", "|\n  block", "*a", "&a b", "!x c", "@d"),
                *("x" * 256, "y" * 257, "🙂" * 128, "🙃" * 129, "a # b", "a#c", "a:", "a: b"),
                *("constructor", "toString", "__proto__", "a\u200bb", "a\x00b", "a\x7fc"),
            ]
        )
    ),
    b"",
    b"---\n",
    b"---\n---\n",
    b"\xef\xbb\xbf---\nname: bom\ndescription: d\n---\n",
    b"\xef\xbb\xbf\xef\xbb\xbf---\nname: boms\ndescription: d\n---\n",
    b"---\nname: latin\ndescription: caf\xe9\n---\nb\xff\n",
    b"---\nname: cut-utf8\ndescription: \xf0\x9f\x98\n---\n",
    b"---\r\nname: crlf\r\ndescription: d\r\n---\r\n",
    b"---\rname: cr\rdescription: d\r---\r",
    b"---\nname: mixed\r\ndescription: d\n---\r\n",
    b"\n---\nname: late\ndescription: d\n---\n",
    b"--- \t\nname: blanks\ndescription: d\n---\n",
    b"---\xc2\xa0\nname: nbsp\ndescription: d\n---\n",
    b"---\x0b\x0c\nname: feeds\ndescription: d\n---\n",
    b"---\x1c\nname: separator\ndescription: d\n---\n",
    b"---\xc2\x85\nname: nel\ndescription: d\n---\n",
    b"---\n\n\nname: lines\ndescription: d\n---\n",
    b"----\nname: four\ndescription: d\n---\n",
    b"---\nname: four-end\ndescription: d\n----\n",
    b"---\nname: dots\ndescription: d\n...\n",
    b"---\nname: open\ndescription: d\n",
    b"---\nname: end\ndescription: d\n---",
    b"---\nname: same-line\ndescription: d ---\n",
    b"---\nname: indented\ndescription: d\n  ---\nBody",
    b"---\n  name: all-indented\n  description: d\n---\n",
    b"---\nname: no-body\ndescription: |\n  d---",
    b"---\nname: kept\ndescription: |+\n  d ---",
    b"---\nname: folded\ndescription: >\n  d\n  e---",
    b"---\n{name: flow, description: d}\n---\n",
    b"---\n{name: flow-lines,\ndescription: d}\n---\n",
    b"---\n- name: a\n---\n",
    b"---\nname\n---\n",
    b"---\nname: dashes\ndescription: a -- b - c\n---\n",
    b"---\nname: cut\ndescription: a --- b\ntools: Read\n---\n",
    b"---\nname: cut-quote\ndescription: 'a --- b'\n---\n",
    b"---\nname: table\ndescription: d\n---\n| a |\n|---|\n",
    b"---\nname: nul\ndescription: a\x00b\n---\n",
    b"---\nName: upper\nDescription: d\n---\n",
    b"---\nname: one\nname: two\ndescription: d\n---\n",
    b"---\nname: long\ndescription: " + b"x" * 100_000 + b"\n---\n",
    b"---\nname: size\ndescription: d\n---\n" + b"x" * (1024 * 1024 - 36),
    b"---\nname: sized\ndescription: d\n---\n" + b"x" * (1024 * 1024 - 36),
]
"""Whole files, whose names are their own."""


WORDS = (
    "Use this agent when you need to review code, e.g. for bugs. Proactively: yes Examples:"
    " <example> Context: user: \"hi\" assistant: 'I will' (see docs) [opt] {x} #1 - \u2013 & * !"
    " % @ ` | > ~ $5 50% a/b C:\\dir http://x.y:80/z key=value it's don't \"quoted\" \\n\\n \\t"
    " \u2026 \u00e9 \u65e5\u672c \U0001f642 true null 5 1.0"
).split()
LISTS = [
    *("Read, Grep", "[Read, Grep]", "[Read,\n  Grep]", "[Read,\nGrep]", "\n  - Read", "\n- a\n- *"),
    *("*", '"*"', "sonnet # fast", "#ff0000", '"#ff0000"', "{a: b}", "[a", "~", '"', "'x", "- a"),
    *("|\n  a", ">-\n  b", "<M: x | y>", "a: b", "[a] # c", '"a" # c', '"a" b', "", "Bash(a:*)"),
]


class Odd:
    """Makes front matter as people write it who do not know YAML; the same each time."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)  # noqa: S311 - nothing is kept secret

    def words(self, most: int) -> str:
        return " ".join(self.random.choices(WORDS, k=self.random.randint(1, most)))

    def description(self) -> str:
        quote = self.random.choice(["", "", '"', "'"])
        indent = self.random.choice(["  ", "  ", " ", "", "\t"])
        block = self.random.choice(["|", ">", "|-", ">+", "| # c", "|2"])
        return self.random.choice(
            [
                f"description: {self.words(14)}",
                f"description: {quote}{self.words(8)}{quote}",
                f"description: {block}\n  {self.words(5)}\n\n{indent}{self.words(5)}",
                f"description: {self.words(3)}\n{indent}{self.words(5)}",
                f"description:\n{indent}{self.words(4)}",
                f"description  :\t{self.words(3)}",
            ]
        )

    def other(self) -> str:
        key = self.random.choice(["tools", "model", "skills", "mcpServers", "x-y", "a.b", "tags"])
        return f"{key}: {self.random.choice(LISTS)}".replace(": \n", ":\n")

    def matters(self, count: int) -> list[str]:
        return [self.matter() for _ in range(count)]

    def matter(self) -> str:
        lines = [self.description(), *(self.other() for _ in range(self.random.randint(0, 3)))]
        lines += self.random.choices(["", "# c", "  # c", "   ", "\t"], k=self.random.randint(0, 1))
        self.random.shuffle(lines)
        end = self.random.choice(["\n"] * 9 + ["\r\n"])
        return "".join(f"{line}\n" for line in lines).replace("---", "-").replace("\n", end)
