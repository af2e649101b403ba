"""Claude Code's Markdown agents: what Claude Code makes of a file, and what is said of the rest."""

from __future__ import annotations

import hashlib
import os
import time
from pathlib import Path
from typing import Any

import pytest
from attrs import fields

import subspec
from subspec import SpecError, SpecWarning
from subspec.formats.claude_cli import camel
from subspec.formats.claude_code import (
    MAX_FILE,
    AgentFile,
    read_agent,
    read_agent_file,
    read_agents,
    read_config,
)
from subspec.formats.claude_keys import KEYS
from subspec.problems import Span
from subspec.spec import SubagentSpec

FIXTURES = Path(__file__).parent.parent / "fixtures" / "claude-code"


def agent(*lines: str, name: str = "alpha", body: str = "Work.\n") -> AgentFile:
    """Read an agent with a description and the lines given."""
    matter = "".join(f"{line}\n" for line in lines)
    return read_agent(f"---\nname: {name}\ndescription: Works.\n{matter}---\n{body}")


def told(found: AgentFile) -> list[str]:
    return [str(problem).removeprefix("<text>:") for problem in found.problems]


def codes(found: AgentFile) -> list[str]:
    return [problem.code for problem in found.problems]


def value_of(line: str, field: str) -> Any:
    """Give a field of an agent that is read without a word."""
    found = agent(line)
    assert found.problems == ()
    assert found.spec is not None
    return getattr(found.spec, field)


def ignored(line: str, field: str) -> str:
    """Give what is said of a value that Claude Code ignores."""
    found = agent(line)
    assert found.name == "alpha"
    assert found.spec is not None
    assert getattr(found.spec, field) is None
    (problem,) = found.problems
    assert (problem.code, problem.severity) == ("ignored-value", "warning")
    assert problem.path[:1] == (line.partition(":")[0],)
    assert problem.span is not None
    assert problem.span.line == 4
    return problem.message if problem.hint is None else f"{problem.message}; {problem.hint}"


def write(directory: Path, files: dict[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return directory


def plain(name: str, description: str = "Works.") -> str:
    return f"---\nname: {name}\ndescription: {description}\n---\nWork.\n"


class TestAFile:
    def test_it_is_one_agent(self):
        path = FIXTURES / "agents" / "analyst.md"
        with pytest.warns(SpecWarning, match="tool-rule-ignored"):
            config = subspec.load(path)

        assert config.agents == {
            "analyst": SubagentSpec(
                "Analyses data and finds outliers. Use it when a table looks odd.",
                "You analyse data.\n\n---\n\nSay how sure you are.",
                tools=("Read", "Bash(python:*)", "mcp__db__query"),
                disallowed_tools=("Write", "Edit"),
                model="haiku",
                color="cyan",
                max_turns=8,
            )
        }

    def test_it_says_where_it_was_read(self):
        path = FIXTURES / "agents" / "review" / "security.md"
        config, _ = read_config(path)

        assert config.origin is not None
        assert (config.origin.path, config.origin.format) == (path, "claude_code")
        assert config.agents is not None
        origin = config.agents["security-reviewer"].origin
        assert origin is not None
        assert (origin.path, origin.format, origin.prompt_file) == (path, "claude_code", None)
        assert origin.span == Span(2, 1, 8, 15)
        assert origin.digest == config.origin.digest is not None

    def test_what_claude_code_makes_of_it_is_what_it_holds(self):
        found = read_agent_file(FIXTURES / "agents" / "review" / "security.md")

        assert found.spec == SubagentSpec(
            'Use when code handles secrets. Examples:\n\n<example>\nuser: "Check the login."\n'
            "</example>",
            "You look for holes.",
            tools=("Read", "Grep"),
            effort="high",
            extra={"team": "platform"},
        )
        assert [(p.code, p.span and p.span.line) for p in found.problems] == [
            ("front-matter-repaired", 3),
            ("ignored-key", 8),
        ]

    @pytest.mark.parametrize("text", ["\ufeff" + plain("a"), plain("a").replace("\n", "\r\n")])
    def test_byte_order_mark_and_line_ends_do_not_matter(self, text, tmp_path):
        path = tmp_path / "a.md"
        path.write_bytes(text.encode())

        assert read_agent_file(path).spec == SubagentSpec("Works.", "Work.")
        assert read_agent(text).spec == SubagentSpec("Works.", "Work.")

    def test_its_body_keeps_its_line_ends(self):
        assert agent(body=" \r\n a\r\nb\t\n\n").values["prompt"] == "a\r\nb"

    def test_what_is_not_utf_8_is_replaced(self, tmp_path):
        path = tmp_path / "a.md"
        path.write_bytes(plain("a", "caf\xe9").encode("latin-1"))
        found = read_agent_file(path)

        assert found.spec == SubagentSpec("caf\ufffd", "Work.")
        (problem,) = found.problems
        assert str(problem) == (
            f"{path}:3:17: warning: not UTF-8: byte 0xE9, which Claude Code replaces;"
            " save the file as UTF-8 [not-utf8]"
        )

    def test_the_replacement_character_itself_is_nothing_odd(self, tmp_path):
        path = tmp_path / "a.md"
        path.write_bytes(plain("a", "caf\ufffd").encode())
        assert read_agent_file(path).problems == ()
        assert read_agent(plain("a", "caf\ufffd")).problems == ()

    @pytest.mark.parametrize(
        ("name", "why"),
        [
            ("gone.md", "no such file"),
            ("large.md", "it is larger than 1 MiB"),
            ("empty", "it is a directory, not a file"),
            ("x" * 300, "file name too long"),
        ],
    )
    def test_one_that_cannot_be_had(self, name, why, tmp_path):
        (tmp_path / "large.md").write_bytes(b" " * (MAX_FILE + 1))
        (tmp_path / "empty").mkdir()
        path = tmp_path / name
        (problem,) = subspec.check(path, format="claude_code")
        assert str(problem) == f"{path}: error: cannot read it: {why} [cannot-read]"

    def test_a_large_one_that_lies_around_is_warned_of(self, tmp_path):
        (tmp_path / "large.md").write_bytes(b" " * (MAX_FILE + 1))
        (problem,) = subspec.check(tmp_path)
        assert (problem.code, problem.severity) == ("cannot-read", "warning")

    def test_one_as_large_as_claude_code_reads(self, tmp_path):
        text = plain("a") + "x" * (MAX_FILE - len(plain("a")))
        path = tmp_path / "a.md"
        path.write_text(text, encoding="utf-8")

        assert read_agent_file(path).name == "a"

    def test_text_is_read_too(self):
        config = subspec.loads(plain("a"), format="claude_code")

        assert config.agents == {"a": SubagentSpec("Works.", "Work.")}
        assert config.agents["a"].origin == subspec.Origin(
            span=Span(2, 1, 3, 20), format="claude_code"
        )

    @pytest.mark.parametrize(
        ("text", "said"),
        [
            (
                "# Notes\n",
                (
                    "1:1: error: there is no front matter, and Claude Code passes over the file;"
                    " begin with '---', name, description and '---', each on a line of its own"
                ),
            ),
            (
                "",
                (
                    "1:1: error: there is no front matter, and Claude Code passes over the file;"
                    " begin with '---', name, description and '---', each on a line of its own"
                ),
            ),
            (
                "---\nname: a\n",
                (
                    "1:1: error: the front matter is never closed by a line of '---';"
                    " begin with '---', name, description and '---', each on a line of its own"
                ),
            ),
            (
                "\n---\nname: a\n---\n",
                (
                    "1:1: error: the first line must be '---' and nothing else;"
                    " begin with '---', name, description and '---', each on a line of its own"
                ),
            ),
            ("---\n- a\n---\n", "2:1: error: the front matter must be a mapping, not a list"),
            ("---\n---\n", "2:1: error: the front matter must be a mapping, not null"),
            (
                "---\ntitle: a\n---\n",
                (
                    "2:1: error: name: Claude Code passes over a file whose front matter has no"
                    " name; give it one: 'name: NAME'"
                ),
            ),
        ],
    )
    def test_one_that_is_no_agent_is_an_error_when_it_is_named(self, text, said):
        found = read_agent(text)

        assert (found.name, found.spec) == (None, None)
        assert told(found)[0].partition(" [not-an-agent]")[0] == said


class TestNames:
    @pytest.mark.parametrize(
        ("written", "name"),
        [
            ("Content Diversifier", "Content Diversifier"),
            ("a/b, (c).d", "a/b, (c).d"),
            ("'  padded '", "  padded "),
            ("yes", "yes"),
            ("1.0.0", "1.0.0"),
            ("é✓", "é✓"),
            ('"two\\nlines"', "two\nlines"),
            ("x" * 256, "x" * 256),
        ],
    )
    def test_almost_anything_is_a_name(self, written, name):
        found = agent(name=written)
        assert (found.name, found.problems) == (name, ())

    @pytest.mark.parametrize(
        ("written", "said"),
        [
            (
                "plugin:a",
                (
                    "2:7: error: name: Claude Code drops an agent named 'plugin:a': no name may"
                    " hold a colon; give it another name [bad-agent-name]"
                ),
            ),
            (
                "a\uff1ab",
                (
                    "2:7: error: name: Claude Code drops an agent named 'a\uff1ab': no name may"
                    " hold a colon; give it another name [bad-agent-name]"
                ),
            ),
            (
                "-a",
                (
                    "2:7: error: name: Claude Code drops an agent named '-a': no name may begin"
                    " with '-'; give it another name [bad-agent-name]"
                ),
            ),
            (
                "x" * 257,
                (
                    "2:7: error: name: Claude Code drops an agent whose name is longer than 256"
                    " characters; give it another name [bad-agent-name]"
                ),
            ),
            (
                "\U0001f600" * 129,
                (
                    "2:7: error: name: Claude Code drops an agent whose name is longer than 256"
                    " characters; give it another name [bad-agent-name]"
                ),
            ),
            (
                "010",
                (
                    "2:7: error: name: must be text, not the number 10; to say that text, quote it:"
                    ' "10" [wrong-type]'
                ),
            ),
            ("[a]", "2:7: error: name: must be text, not a list [wrong-type]"),
        ],
    )
    def test_some_are_dropped(self, written, said):
        found = agent(name=written)
        assert (found.name, told(found)) == (None, [said])

    def test_one_that_loads_and_cannot_be_asked_for_is_an_error(self):
        found = agent(name='" "')
        assert (found.name, codes(found)) == (" ", ["bad-agent-name"])


class TestDescriptionAndPrompt:
    @pytest.mark.parametrize(
        ("written", "description"),
        [
            ("one\\ntwo", "one\ntwo"),
            ("'one\\ntwo'", "one\ntwo"),
            ("one\\ttwo", "one\\ttwo"),
            ("on", "on"),
            ("|\n  a\n  b", "a\nb\n"),
            ("2024-01-01", "2024-01-01"),
        ],
    )
    def test_the_description_is_taken_as_it_is(self, written, description):
        found = read_agent(f"---\nname: a\ndescription: {written}\n---\nWork.")
        assert found.spec == SubagentSpec(description, "Work.")

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            (
                "",
                (
                    "2:1: error: description: subagent requires description; Claude Code drops one"
                    " without [blank-description]"
                ),
            ),
            (
                "description:\n",
                (
                    "3:13: error: description: subagent requires description; Claude Code drops one"
                    " without [blank-description]"
                ),
            ),
            (
                "description: ''\n",
                (
                    "3:14: error: description: subagent requires description; Claude Code drops one"
                    " without [blank-description]"
                ),
            ),
            (
                "description: 12\n",
                (
                    "3:14: error: description: must be text, not the number 12; to say that text,"
                    ' quote it: "12" [wrong-type]'
                ),
            ),
        ],
    )
    def test_an_agent_without_description_is_dropped(self, line, said):
        found = read_agent(f"---\nname: a\n{line}---\nWork.")
        assert (found.name, told(found)) == (None, [said])

    def test_a_blank_description_loads_and_is_an_error(self):
        found = read_agent("---\nname: a\ndescription: '  '\n---\nWork.")
        assert (found.name, found.spec, codes(found)) == ("a", None, ["blank-description"])

    def test_an_empty_body_loads_and_is_an_error_behind_the_fence(self):
        found = agent(body="\n\n")
        assert (found.name, found.values["prompt"], found.spec) == ("alpha", "", None)
        assert told(found) == [
            "4:1: error: prompt: subagent requires a prompt that is not blank [blank-prompt]"
        ]

    def test_all_faults_are_told_at_once(self):
        text = "---\nname: 1\ndescription: 2\nmemory: 3\nallowed-tools: Read\n---\n"
        assert codes(read_agent(text)) == ["wrong-type"] * 2 + ["ignored-value", "unknown-key"]


class TestListsOfTools:
    @pytest.mark.parametrize(
        ("line", "tools"),
        [
            ("tools: Read, Grep", ("Read", "Grep")),
            ("tools: Read Grep,", ("Read", "Grep")),
            ("tools: [Read, Grep]", ("Read", "Grep")),
            ("tools: ['Read, Grep', Glob]", ("Read", "Grep", "Glob")),
            ("tools:\n  - Read\n  - Grep", ("Read", "Grep")),
            ("tools:\n- Agent(a, b)", ("Agent(a, b)",)),
            ("tools: Agent(a, b), Read", ("Agent(a, b)", "Read")),
            ("tools: ''", ()),
            ("tools: []", ()),
            ("tools: '*'", None),
            ("tools: [Read, '*']", None),
            ("model: haiku", None),
        ],
    )
    def test_tools_are_split_as_claude_code_splits_them(self, line, tools):
        assert value_of(line, "tools") == tools

    def test_bare_stars_are_repaired(self):
        found = agent("tools: *")
        assert found.values["tools"] is None
        assert codes(found) == ["front-matter-repaired"]

    @pytest.mark.parametrize(
        ("line", "said"),
        [
            (
                "tools:",
                (
                    "4:7: warning: tools: tools is null, which Claude Code takes as no tools at"
                    " all; leave the key out to say all, or write [] to say none [null-tools]"
                ),
            ),
            (
                "tools: 5",
                (
                    "4:8: warning: tools: must be a list, not the number 5; Claude Code takes it"
                    " as no tools at all; write [] if that is meant [ignored-value]"
                ),
            ),
            (
                "tools: {Read: true}",
                (
                    "4:8: warning: tools: must be a list, not a mapping; Claude Code takes it as no"
                    " tools at all; write [] if that is meant [ignored-value]"
                ),
            ),
            (
                "tools: [5]",
                (
                    "4:9: warning: tools[0]: must be text, not the number 5; Claude Code ignores it"
                    " [ignored-value]"
                ),
            ),
        ],
    )
    def test_what_is_no_list_of_tools_is_no_tools(self, line, said):
        found = agent(line)
        assert found.spec is not None
        assert (found.spec.tools, told(found)) == ((), [said])

    @pytest.mark.parametrize(
        ("line", "tools", "said"),
        [
            ("disallowedTools: Write, Edit", ("Write", "Edit"), []),
            ("disallowedTools: []", (), []),
            (
                "disallowedTools:",
                None,
                [
                    (
                        "4:17: warning: disallowedTools: disallowedTools is null, and Claude Code"
                        " takes no tool away; leave the key out, or write the tools to take away"
                        " [null-tools]"
                    )
                ],
            ),
            (
                "disallowedTools: {Bash: true}",
                None,
                [
                    (
                        "4:18: error: disallowedTools: must be a list, not a mapping; Claude Code"
                        " takes no tool away; write the names of the tools to take away [widens]"
                    )
                ],
            ),
            (
                "disallowedTools: [Bash, '*']",
                None,
                [
                    (
                        "4:18: error: disallowedTools: with '*' among the tools to take away,"
                        " Claude Code takes none away; write the names of the tools to take away"
                        " [widens]"
                    )
                ],
            ),
        ],
    )
    def test_tools_that_are_taken_away(self, line, tools, said):
        found = agent(line)
        assert (found.values["disallowed_tools"], told(found)) == (tools, said)

    @pytest.mark.parametrize(
        ("line", "place"),
        [
            ("tools: Read, Foo, Grep", (4, 14, 17)),
            ("tools: 'Read, Foo'", (4, 15, 18)),
            ("tools: [Read, 'Grep, Foo']", (4, 22, 25)),
            ("tools: [Read, 5, Foo]", (4, 18, 21)),
            ('tools: "\\x52ead, Foo, Bar"', (4, 8, 27)),
            ("tools:\n  - Read\n  - Foo", (6, 5, 8)),
        ],
    )
    def test_a_tool_is_marked_where_it_stands(self, line, place):
        found = agent(line)
        problem = next(p for p in found.problems if "'Foo'" in p.message)
        assert problem.span is not None
        assert (problem.span.line, problem.span.column, problem.span.end_column) == place

    def test_skills(self):
        assert value_of("skills: a, b", "skills") == ("a", "b")
        assert value_of("skills: [a]", "skills") == ("a",)
        assert value_of("skills:", "skills") is None
        assert ignored("skills: {a: b}", "skills") == (
            "must be a list, not a mapping; Claude Code ignores it"
        )


class TestOtherFields:
    @pytest.mark.parametrize(
        ("line", "field", "value"),
        [
            ("model: ' sonnet '", "model", "sonnet"),
            ("model: INHERIT", "model", "inherit"),
            ("model:", "model", None),
            ("memory: project", "memory", "project"),
            ("isolation: worktree", "isolation", "worktree"),
            ("color: pink", "color", "pink"),
            ("permissionMode: plan", "permission_mode", "plan"),
            ("permissionMode: manual", "permission_mode", "default"),
            ("background: true", "background", True),
            ("background: 'false'", "background", False),
            ("omitClaudeMd: 'true'", "omit_claude_md", True),
            ("observeSubagents: false", "observe_subagents", False),
            ("observeToolResults: yes", "observe_tool_results", True),
            ("observeToolResults: 1", "observe_tool_results", True),
            ("observeToolResults: ' OFF '", "observe_tool_results", False),
            ("observer: ' watcher '", "observer", "watcher"),
            ("observerMessage: ' Look. '", "observer_message", " Look. "),
            ("initialPrompt: ' Go. '", "initial_prompt", " Go. "),
            ("effort: low", "effort", "low"),
            ("effort: MED", "effort", "medium"),
            ("effort: [xhigh]", "effort", "xhigh"),
            ("effort: 50", "effort", 50),
            ("effort: '-5 or so'", "effort", -5),
            ("effort: 2.5", "effort", 2),
            ("effort: 2.0", "effort", 2),
            ("maxTurns: 3", "max_turns", 3),
            ("maxTurns: '3'", "max_turns", 3),
            ("maxTurns: 3.0", "max_turns", 3),
            ("maxTurns: ' 3abc'", "max_turns", 3),
            ("maxTurns: '3.9'", "max_turns", 3),
            ("maxTurns: '1e2'", "max_turns", 100),
            ("maxTurns: '1_000'", "max_turns", 1000),
            ("maxTurns: 1,000,000", "max_turns", 1_000_000),
            ("maxTurns: '1,00'", "max_turns", 1),
            ("maxTurns: [4]", "max_turns", 4),
            ("autoCompactWindow: 1e5", "auto_compact_window", 100_000),
            ("autoCompactWindow: '200,000'", "auto_compact_window", 200_000),
            ("mcpServers: [db]", "mcp_servers", ("db",)),
            ("mcpServers: []", "mcp_servers", ()),
            ("hooks: {}", "hooks", None),
            ("hooks:", "hooks", None),
        ],
    )
    def test_values_are_read_leniently(self, line, field, value):
        read = value_of(line, field)
        assert read == value
        assert type(read) is type(value)

    @pytest.mark.parametrize(
        ("line", "field", "said"),
        [
            ("model: 3", "model", "must be a model alias or id, not the number 3;"),
            ("model: ' '", "model", "must be a model alias or id, not the text ' ';"),
            ("memory: global", "memory", "must be 'user', 'project' or 'local', not the text"),
            ("memory: [user]", "memory", "must be 'user', 'project' or 'local', not a list;"),
            ("isolation: docker", "isolation", "must be 'worktree' or 'remote', not the text"),
            ("permissionMode: Plan", "permission_mode", "did you mean 'plan'?"),
            ("color: teal", "color", "'orange', 'pink' or 'cyan', not the text 'teal';"),
            ("background: yes", "background", "must be true or false, not the text 'yes';"),
            ("background: 1", "background", "must be true or false, not the number 1;"),
            ("omitClaudeMd: 0", "omit_claude_md", "must be true or false, not the number 0;"),
            ("initialPrompt: 5", "initial_prompt", "must be text, not the number 5;"),
            ("observer: ' '", "observer", "must be the name of an agent, not the text ' ';"),
            ("effort: ' low'", "effort", "did you mean 'low'?"),
            ("effort: true", "effort", "'xhigh' or 'max', or a whole number, not true;"),
            ("effort: 99999999999999999999", "effort", "not the number 99999999999999999999;"),
            ("maxTurns: 0", "max_turns", "must be a whole number of at least 1, not the number 0;"),
            ("maxTurns: 2.5", "max_turns", "must be a whole number of at least 1, not"),
            ("maxTurns: many", "max_turns", "must be a whole number of at least 1, not the text"),
            ("maxTurns: '1e400'", "max_turns", "must be a whole number of at least 1, not"),
            (f"maxTurns: '{'9' * 500}'", "max_turns", "must be a whole number of at least 1, not"),
            ("maxTurns: true", "max_turns", "must be a whole number of at least 1, not true;"),
            ("autoCompactWindow: 99999", "auto_compact_window", "of at least 100000, not"),
            ("mcpServers: {db: {}}", "mcp_servers", "must be a list of servers, not a mapping;"),
            ("hooks: {Stop: 1}", "hooks", "must be a list of matchers, not the number 1;"),
        ],
    )
    def test_what_claude_code_ignores_is_ignored(self, line, field, said):
        if line == "hooks: {Stop: 1}":
            found = agent(line)
            assert found.spec is not None
            assert found.spec.hooks == {}
            assert [said in problem.message for problem in found.problems] == [True]
            return
        assert said in ignored(line, field)

    @pytest.mark.parametrize("value", ["banana", "", "[true]"])
    def test_tool_results_are_hidden_from_the_observer_when_in_doubt(self, value):
        found = agent(f"observeToolResults: {value}")
        assert found.values["observe_tool_results"] is False
        assert codes(found) == ["ignored-value"]

    def test_servers_that_claude_code_cannot_read_are_left_out(self):
        found = agent(
            "mcpServers:",
            "- db",
            "- 5",
            "- {a: {command: run}}",
            "- {b: {type: bogus}}",
            "- {c: {}}",
        )
        assert found.spec is not None
        assert found.spec.mcp_servers == ("db", {"a": {"command": "run"}})
        assert [(p.code, p.path, p.span and p.span.line) for p in found.problems] == [
            ("ignored-value", ("mcpServers", 1), 6),
            ("ignored-value", ("mcpServers", 3, "b", "type"), 8),
            ("ignored-value", ("mcpServers", 4, "c"), 9),
        ]

    def test_each_field_of_a_subagent_has_its_key(self):
        names = {attribute.name for attribute in fields(SubagentSpec)}
        assert {key.field: name for name, key in KEYS.items()} == {
            field: camel(field) for field in names - {"extra", "origin", "prompt"} | {"name"}
        }


class TestOtherKeys:
    def test_they_are_kept(self):
        found = agent("version: 1.10", "identity: {role: x}", "experimental: {cacheTtl: 1h}")
        assert found.spec is not None
        assert found.spec.extra == {
            "version": 1.1,
            "identity": {"role": "x"},
            "experimental": {"cacheTtl": "1h"},
        }
        assert told(found) == [
            "4:1: warning: version: Claude Code ignores the key 'version' [ignored-key]",
            "5:1: warning: identity: Claude Code ignores the key 'identity' [ignored-key]",
        ]

    @pytest.mark.parametrize(
        ("key", "effect", "meant"),
        [
            ("allowed-tools", "the agent gets every tool", "tools"),
            ("allowedTools", "the agent gets every tool", "tools"),
            ("Tools", "the agent gets every tool", "tools"),
            ("tool", "the agent gets every tool", "tools"),
            ("disallowed_tools", "no tool is taken away from the agent", "disallowedTools"),
            ("disallowed-tools", "no tool is taken away from the agent", "disallowedTools"),
            ("permission_mode", "the agent runs in the mode of whoever calls it", "permissionMode"),
            ("permissionmode", "the agent runs in the mode of whoever calls it", "permissionMode"),
        ],
    )
    def test_one_that_would_have_held_the_agent_back_is_an_error(self, key, effect, meant):
        found = agent(f"{key}: x")
        assert told(found) == [
            (
                f"4:1: error: {key}: Claude Code does not know the key '{key}': {effect};"
                f" write '{meant}' [unknown-key]"
            )
        ]
        assert found.name == "alpha"

    def test_it_is_none_where_the_right_key_is_given_too(self):
        found = agent("allowed-tools: Bash", "tools: Read")
        assert told(found) == [
            (
                "4:1: warning: allowed-tools: Claude Code ignores the key 'allowed-tools';"
                " did you mean 'tools'? [ignored-key]"
            )
        ]

    @pytest.mark.parametrize(
        ("key", "hint"),
        [
            ("max_turns", "did you mean 'maxTurns'?"),
            ("Model", "did you mean 'model'?"),
            ("mode", None),
            ("instructions", None),
            ("category", None),
        ],
    )
    def test_the_key_that_was_meant_is_said(self, key, hint):
        (problem,) = agent(f"{key}: x").problems
        assert (problem.code, problem.hint) == ("ignored-key", hint)


GUARD = "PreToolUse: [{hooks: [{type: command, command: check}]}]"
HOOK = "{type: command, command: run}"


class TestHooks:
    def test_they_are_read(self):
        found = agent("hooks:", f"  Stop: [{{matcher: a, hooks: [{HOOK}]}}]", f"  {GUARD}")
        assert found.problems == ()
        assert found.spec is not None
        assert found.spec.hooks == {
            "Stop": ({"matcher": "a", "hooks": ({"type": "command", "command": "run"},)},),
            "PreToolUse": ({"hooks": ({"type": "command", "command": "check"},)},),
        }

    @pytest.mark.parametrize(
        ("hooks", "path"),
        [
            ("{Bogus: 1}", ("hooks", "Bogus")),
            ("{Bogus: [{hooks: [x]}]}", ("hooks", "Bogus")),
            ("{Stop: 1}", ("hooks", "Stop")),
            ("{Stop: [1]}", ("hooks", "Stop", 0)),
            ("{Stop: [{hooks: 3}]}", ("hooks", "Stop", 0)),
            ("{Stop: [{matcher: 5, hooks: []}]}", ("hooks", "Stop", 0, "matcher")),
            ("{Stop: [{hooks: [{type: bogus}]}]}", ("hooks", "Stop", 0, "hooks", 0, "type")),
        ],
    )
    def test_what_is_wrong_with_them_is_left_out(self, hooks, path):
        found = agent(f"hooks: {hooks}")
        assert found.name == "alpha"
        assert found.spec is not None
        assert not any(matcher["hooks"] for matcher in (found.spec.hooks or {}).get("Stop", ()))
        (problem,) = found.problems
        assert (problem.code, problem.path) == ("ignored-value", path)

    @pytest.mark.parametrize(
        "line",
        [
            "hooks: x",
            "hooks: 5",
            "hooks: [a]",
            f"hooks: [{{hooks: [{HOOK}]}}]",
            "hooks: {matcher: x, hooks: [1]}",
            "hooks: {matcher: x, hooks: {a: b}}",
            "hooks: {hooks: {type: command}}",
            f"hooks: {{Bogus: {{{GUARD}}}}}",
            "hooks: {Bogus: {matcher: x, hooks: [1]}}",
            "hooks: {PreToolUse: 1}",
            "hooks: {PreToolUse: [1]}",
            "hooks: {PermissionRequest: [{hooks: [{type: bogus}]}]}",
            f"hooks: {{Stop: {{{GUARD}}}}}",
            f"hooks: {{Stop: [{{{GUARD}}}]}}",
            GUARD,
            "PermissionRequest: x",
            f"foo: {{{GUARD}}}",
            f"foo: [{{{GUARD}}}]",
            f"foo: {{a: {{b: {{{GUARD}}}}}}}",
            "foo: {matcher: x, hooks: [1]}",
            "foo: {hooks: [1]}",
        ],
    )
    def test_an_agent_is_dropped_over_hooks_that_may_have_been_its_guards(self, line):
        found = agent(line)
        assert (found.name, found.spec) == (None, None)
        problem = next(p for p in found.problems if p.code == "not-an-agent")
        assert "Claude Code drops the agent" in problem.message
        assert problem.span is not None
        assert problem.span.line == 4

    @pytest.mark.parametrize(
        "line",
        [
            "hooks: {PreToolUse: null}",
            "hooks: {PreToolUse: []}",
            "hooks: ''",
            "PreToolUse: []",
            "PreToolUse:",
            f"metadata: {{{GUARD}}}",
            "foo: {a: {b: {c: {d: {PreToolUse: x}}}}}",
            f"foo: {{mcpServers: {{{GUARD}}}}}",
            "foo: {hooks: {type: 1}}",
            "foo: {hooks: []}",
            "foo: {Stop: 1, hooks: [1]}",
            "foo: {Stop: 1, hooks: [{type: command, a: {PreToolUse: x}}]}",
            f"Stop: [{{matcher: x, hooks: [{HOOK}]}}]",
        ],
    )
    def test_it_is_not_dropped_over_what_is_none(self, line):
        assert agent(line).name == "alpha"


class TestBrokenFrontMatter:
    def test_three_dashes_in_a_value_cut_it(self):
        found = read_agent_file(FIXTURES / "odd" / "cut.md")
        assert found.values["description"] == "Reads logs"
        assert found.values["prompt"].startswith("and nothing else.\ntools: Read")
        assert [(p.code, p.span) for p in found.problems] == [
            ("front-matter-cut", Span(3, 25, 3, 28))
        ]

    @pytest.mark.parametrize(
        ("matter", "is_cut"),
        [
            ("x\n---\nBody", False),
            ("x\n  ---\t\nBody", False),
            ("x\r\n---\r\nBody", False),
            ("x\n---Body\n", False),
            ("x\n---Body\n---\nmore\n---\n", False),
            ("x\n-----\nmodel: haiku\n---\nBody", True),
            ("x\n--- #\ntools: Read\nBody", False),
            ("x\n--- #\ntools: Read\n--- \nBody", True),
            ("x ---\nBody", True),
            ("x\n# --- tools\ntools: Read\n---\nBody", True),
        ],
    )
    def test_dashes_that_were_no_fence(self, matter, is_cut):
        found = read_agent(f"---\nname: a\ndescription: {matter}")
        assert (codes(found) == ["front-matter-cut"]) is is_cut

    def test_lines_at_the_margin_drop_the_agent(self):
        found = read_agent_file(FIXTURES / "odd" / "several-lines.md")
        assert found.name is None
        (problem,) = found.problems
        assert (problem.code, problem.span) == ("yaml-syntax", Span(4, 1, 4, 10))
        assert problem.message.endswith("; Claude Code drops the agent")
        assert problem.hint is not None
        assert "put '|' behind its key" in problem.hint

    def test_what_we_do_not_read_is_not_said_to_be_dropped(self):
        found = read_agent("---\nname: a\ndescription: b\nc: " + "[" * 200 + "]" * 200 + "\n---\n")
        (problem,) = found.problems
        assert str(problem).endswith("error: nested more than 100 levels deep [too-deep]")

    def test_equal_keys_before_the_fault_stay_warnings(self):
        found = read_agent("---\nname: a\nname: b\ndescription: 'c\n---\n")
        assert [(p.code, p.severity) for p in found.problems] == [
            ("duplicate-key", "warning"),
            ("yaml-syntax", "error"),
        ]

    def test_loading_raises_all_of_it(self):
        with pytest.raises(SpecError) as caught:
            subspec.load(FIXTURES / "odd" / "misspelt.md")
        assert [problem.code for problem in caught.value.problems] == [
            "unknown-key",
            "unknown-key",
            "unknown-key",
            "ignored-key",
        ]

    def test_ignored_values_are_warned_of(self):
        with pytest.warns(SpecWarning) as caught:
            config = subspec.load(FIXTURES / "odd" / "ignored.md")
        assert config.agents == {
            "ignored": SubagentSpec("Most of its settings do nothing.", "You try.")
        }
        assert len(caught) == 7


@pytest.mark.parametrize(
    ("text", "is_told"),
    [
        ("---\nname: a\ndescription: |\n  a\n  ---\n  b\ntools: Read\n---\nBody\n", True),
        ("---\nname: a\ndescription: |\n  a\n  ---\n  b\n---\nBody\n", True),
        ("---\nname: a\ndescription: d\n  ---\nBody\n", False),
        ("---\nname: a\ndescription: d\n---\nBody\n---\nmore\n", False),
    ],
)
def test_dashes_that_are_indented_end_the_front_matter_too(text, is_told):
    codes = [problem.code for problem in read_agent(text).problems]
    assert codes == (["front-matter-cut"] if is_told else [])


class TestADirectory:
    def test_a_link_to_the_whole_disk_is_not_followed_for_ever(self, tmp_path, monkeypatch):
        monkeypatch.setattr("subspec.source.walk.MAX_DIRECTORIES", 3)
        write(tmp_path, {f"{letter}/{letter}.md": plain(letter) for letter in "abc"})
        (problem,) = subspec.check(tmp_path)
        assert str(problem) == (
            f"{tmp_path}: error: cannot read it: it holds more than 3 directories [cannot-read]"
        )
        with pytest.raises(SpecError, match="more than 3 directories"):
            subspec.load(tmp_path)

    def test_all_markdown_below_it_is_read(self):
        assert [found.name for found in read_agents(FIXTURES / "agents")] == [
            None,
            "analyst",
            "security-reviewer",
        ]

    def test_loading_gives_the_agents(self):
        with pytest.warns(SpecWarning):
            config = subspec.load(FIXTURES / "agents")
        assert config.agents is not None
        assert list(config.agents) == ["analyst", "security-reviewer"]
        files = [FIXTURES / "agents/analyst.md", FIXTURES / "agents/review/security.md"]
        digests = [(path, hashlib.sha256(path.read_bytes()).hexdigest()) for path in files]
        assert config.origin == subspec.Origin(
            FIXTURES / "agents", format="claude_code", files=tuple(digests)
        )

    def test_only_names_that_end_in_small_letters_count(self, tmp_path):
        names = ["a.md", "b.MD", "c.markdown", "d.yaml", ".e.md", ".f/g.md", "h.md/i.md", "j.mdx"]
        write(tmp_path, {name: plain(name) for name in names})
        found = [each.name for each in read_agents(tmp_path)]
        assert found == [".e.md", ".f/g.md", "a.md", "h.md/i.md"]

    def test_the_order_is_that_of_whole_paths_in_utf_16(self, tmp_path):
        names = ["a/x.md", "a.md", "a-b.md", "B.md", "\uff61.md", "\U0001f600.md"]
        write(tmp_path, {name: plain(name) for name in names})
        found = [each.name for each in read_agents(tmp_path)]
        assert found == ["B.md", "a-b.md", "a.md", "a/x.md", "\U0001f600.md", "\uff61.md"]

    def test_links_are_followed_and_files_counted_once(self, tmp_path):
        agents = write(tmp_path / "agents", {"b.md": plain("b"), "sub/c.md": plain("c")})
        elsewhere = write(tmp_path / "elsewhere", {"d.md": plain("d"), "deep/e.md": plain("e")})
        (agents / "dangling.md").symlink_to(agents / "nothing")
        (agents / "loop").symlink_to(agents)
        (agents / "sub" / "up").symlink_to(agents)
        (agents / "z").symlink_to(elsewhere)
        (agents / "zz").symlink_to(elsewhere)
        (agents / "file.md").symlink_to(elsewhere / "d.md")
        os.link(agents / "b.md", agents / "hard.md")
        os.mkfifo(agents / "pipe.md")
        found = [str(each.path and each.path.relative_to(agents)) for each in read_agents(agents)]
        assert found == ["b.md", "file.md", "sub/c.md", "z/d.md", "z/deep/e.md"]

    def test_a_directory_that_cannot_be_listed_is_passed_over(self, tmp_path, monkeypatch):
        write(tmp_path, {"a.md": plain("a"), "locked/b.md": plain("b")})
        listed = os.scandir

        def scandir(path: Path) -> Any:
            if path.name == "locked":
                raise PermissionError(13, "Permission denied")
            return listed(path)

        monkeypatch.setattr(os, "scandir", scandir)
        assert [each.name for each in read_agents(tmp_path)] == ["a"]

    def test_a_file_that_is_gone_when_it_is_looked_at_is_passed_over(self, tmp_path, monkeypatch):
        write(tmp_path, {"a.md": plain("a"), "gone.md": plain("b")})
        looked_at = os.lstat

        def lstat(path: str) -> Any:
            if str(path).endswith("gone.md"):
                raise FileNotFoundError(2, "No such file or directory")
            return looked_at(path)

        monkeypatch.setattr(os, "lstat", lstat)
        assert [each.name for each in read_agents(tmp_path)] == ["a"]

    @pytest.mark.parametrize("start", [".", ".claude", ".claude/agents"])
    def test_a_project_stands_for_its_agents(self, start, tmp_path, monkeypatch):
        write(tmp_path, {"x.md": plain("x"), ".claude/y.md": plain("y")})
        write(
            tmp_path / ".claude" / "agents", {"a.md": plain("a"), ".claude/agents/b.md": plain("b")}
        )
        assert {each.name for each in read_agents(tmp_path / start)} == {"a", "b"}
        monkeypatch.chdir(tmp_path)
        assert {each.name for each in read_agents(Path(start))} == {"a", "b"}

    @pytest.mark.parametrize(
        "text",
        [
            "",
            "# Notes\n",
            "---\n",
            "Text\n\n---\nname: a\n---\n",
            "---\ntitle: Notes\n---\n",
            "---\n- a\n---\n",
            "---\n---\n",
            "---\nname:\n---\n",
            "--- \n\nname of the rose\n",
        ],
    )
    def test_what_merely_lies_in_it_is_no_problem(self, text, tmp_path):
        write(tmp_path, {"a.md": text, "b.md": "---\nname: b\ndescription: d\n---\nB\n"})
        assert subspec.check(tmp_path) == ()
        assert list(subspec.load(tmp_path).agents) == ["b"]

    @pytest.mark.parametrize(
        ("text", "code"),
        [
            ("---\nname: a\ndescription: b\n", "not-an-agent"),
            ("\n---\nname: a\n---\n", "not-an-agent"),
            ("--- # c\nname: a\n---\n", "not-an-agent"),
            ("---\rname: a\r---\r", "not-an-agent"),
            ("---\ndescription: b\n---\n", "not-an-agent"),
            ("---\nname: a\n---\n", "blank-description"),
            ("---\ntitle: 'x\n---\n", "yaml-syntax"),
        ],
    )
    def test_what_was_meant_to_be_an_agent_is_one(self, text, code, tmp_path):
        write(tmp_path, {"a.md": text})
        assert [problem.code for problem in subspec.check(tmp_path)] == [code]

    def test_the_last_of_equal_names_wins(self, tmp_path):
        write(
            tmp_path,
            {"a.md": plain("x", "one"), "b/c.md": plain("x", "two"), "d.md": plain("X", "three")},
        )
        with pytest.warns(SpecWarning) as caught:
            config = subspec.load(tmp_path)
        assert config.agents is not None
        assert {name: spec.description for name, spec in config.agents.items()} == {
            "x": "two",
            "X": "three",
        }
        assert [str(warning.message) for warning in caught] == [
            (
                f"{tmp_path / 'a.md'}:2:7: warning: name: {tmp_path / 'b/c.md'} gives an agent of"
                f" the same name, and takes its place; give one of them another name"
                f" [shadowed-agent]"
            )
        ]

    @pytest.mark.parametrize(
        "end", ["name: x --- z", "name: x --- z\nBody\n", "name: x---\r\nBody"]
    )
    def test_a_name_that_gives_way_is_shown_with_all_of_its_line(self, end, tmp_path):
        write(tmp_path, {"a.md": f"---\ndescription: a\n{end}", "b.md": plain("x")})
        problem = read_config(tmp_path)[1][-1]
        assert (problem.code, problem.excerpt) == ("shadowed-agent", end.splitlines()[0])
        assert problem.span == subspec.Span(3, 7, 3, 8)

    def test_an_agent_that_is_dropped_shadows_none(self, tmp_path):
        write(tmp_path, {"a.md": plain("x"), "b.md": "---\nname: x\ndescription: 5\n---\n"})
        config, problems = read_config(tmp_path)
        assert config.agents is not None
        assert (list(config.agents), [problem.code for problem in problems]) == (
            ["x"],
            ["wrong-type"],
        )


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "line",
    [
        "tools: " + "a, " * 33_000,
        "tools: [" + "a, " * 33_000 + "]",
        'tools: "' + "\\x41, " * 15_000 + '"',
        "tools: " + "(" * 100_000,
        "tools: " + "()" * 50_000,
        "disallowedTools: " + " , " * 33_000,
        "maxTurns: '" + "1_000" * 20_000 + "'",
        "maxTurns: '" + " " * 100_000 + "'",
        "effort: '" + "1" * 100_000 + "'",
        "description: |\n" + "  x\n" * 25_000,
        "description: '" + "\\n" * 50_000 + "'",
        "hooks: {Stop: [" + "{hooks: [x]}, " * 7_000 + "]}",
        "foo: [" + "{hooks: []}, " * 7_000 + "]",
        "\n".join(f"k{i}: x" for i in range(5_000)),
    ],
    ids=lambda line: f"{line[:20].strip()} {len(line)}",
)
def test_no_agent_takes_long(line):
    start = time.process_time()
    agent(line, body="---\n" * 10_000)
    assert time.process_time() - start < 60  # it would take for ever


class TestWhatIsLeftOfABrokenFile:
    """No agent comes of it, and all that is wrong with it is said."""

    def found(self, text: str) -> list[tuple[str, int, int]]:
        return [
            (each.code, each.span.line, each.span.column)
            for each in read_agent(text).problems
            if each.span is not None
        ]

    def test_a_missing_description_hides_nothing(self):
        assert self.found("---\nname: a\ntools: Raed\nmodel: opsu\n---\nBody\n") == [
            ("blank-description", 2, 1),
            ("unknown-tool", 3, 8),
            ("unknown-model", 4, 8),
        ]

    @pytest.mark.parametrize(
        "description",
        [
            "description: Use it:\r",
            "description: one\n<example>\nuser: x\nassistant: y: z\n</example>",
            "description: one\n  two: three",
        ],
    )
    def test_a_part_that_is_no_yaml_hides_nothing_else(self, description):
        lines = description.count("\n")
        found = self.found(f"---\nname: a\n{description}\ntools: Raed\nmodell: x\n---\nBody\n")
        assert found[0][0] == "yaml-syntax"
        assert found[1:] == [
            ("unknown-tool", 4 + lines, 8),
            ("ignored-key", 5 + lines, 1),
        ]

    @pytest.mark.parametrize("matter", ["- a: [", ": ]"])
    def test_where_nothing_can_be_read_nothing_more_is_said(self, matter):
        assert [code for code, _, _ in self.found(f"---\n{matter}\n---\nBody\n")] == ["yaml-syntax"]
