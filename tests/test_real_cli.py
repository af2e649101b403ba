"""What the real Claude Code CLI makes of the agents that subspec builds."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import yaml

import subspec

pytest.importorskip("claude_agent_sdk", reason="needs the extra subspec[claude]")

from claude_agent_sdk import (
    AgentDefinition,
    ClaudeAgentOptions,
    create_sdk_mcp_server,
    tool,
)
from real_cli import CLI, Session, check_agents_json, run_session

pytestmark = [
    pytest.mark.real_cli,
    pytest.mark.skipif(not CLI.is_file(), reason="this claude-agent-sdk bundles no CLI"),
]

FIXTURES = Path(__file__).parent.parent / "fixtures"
RESEARCH_TEAM = FIXTURES / "research-team" / "team.yaml"
DISJOINT_MCP = FIXTURES / "disjoint-mcp" / "team.yaml"

# The CLI's own agent that has every tool a subagent can have, and the main thread's model.
INHERITS_ALL = "general-purpose"

both_teams = pytest.mark.parametrize(
    "path", [RESEARCH_TEAM, DISJOINT_MCP], ids=lambda path: path.parent.name
)


@cache
def written(path: Path) -> dict[str, dict[str, Any]]:
    """The agents of a file as any YAML reader sees them, so that subspec vouches not for itself."""
    agents: dict[str, dict[str, Any]] = yaml.safe_load(path.read_text(encoding="utf-8"))["agents"]
    return agents


def written_prompt(path: Path, name: str) -> str:
    """The prompt of one agent, wherever the file keeps it."""
    agent = written(path)[name]
    if "prompt_file" in agent:
        return path.parent.joinpath(agent["prompt_file"]).read_text(encoding="utf-8")
    return str(agent["prompt"])


@cache
def session(path: Path) -> Session:
    """One session in which each agent of a file, and `INHERITS_ALL`, gets work once."""
    servers = {"db": database()} if path == DISJOINT_MCP else {}
    options = subspec.build_options(subspec.load(path), mcp_servers=servers)
    return run_session(options, delegate_to=[*written(path), INHERITS_ALL])


def database() -> Any:
    """One in-process MCP server with a tool for each thing the agents are to share out."""

    async def answer(_: dict[str, Any]) -> dict[str, Any]:
        return {"content": [{"type": "text", "text": "nothing"}]}

    names = ("query", "describe", "search_docs", "drop")
    tools = [tool(name, f"{name} the database", {"text": str})(answer) for name in names]
    return create_sdk_mcp_server("db", tools=tools)


def built_json(path: Path) -> str:
    """What ``subspec build`` prints for a file."""
    command = [sys.executable, "-m", "subspec", "build", str(path)]
    return subprocess.run(
        command, capture_output=True, text=True, encoding="utf-8", timeout=30, check=True
    ).stdout


@both_teams
def test_every_agent_arrives_with_its_description(path: Path) -> None:
    listed = session(path).agents

    assert {name: listed.get(name) for name in written(path)} == {
        name: agent["description"] for name, agent in written(path).items()
    }


@both_teams
def test_every_agent_takes_work(path: Path) -> None:
    assert session(path).refused == {}
    assert set(session(path).subagents) == {*written(path), INHERITS_ALL}


@both_teams
def test_each_subagent_has_its_own_prompt_and_no_other(path: Path) -> None:
    prompts = {name: written_prompt(path, name).strip() for name in written(path)}

    for name in prompts:
        system = session(path).subagents[name].system
        assert [other for other, prompt in prompts.items() if prompt in system] == [name]


@pytest.mark.parametrize(
    ("name", "family"), [("researcher", "claude-haiku-"), ("analyst", "claude-sonnet-")]
)
def test_a_model_alias_names_the_model_on_the_wire(name: str, family: str) -> None:
    # Which version of the family is the CLI's business.
    assert session(RESEARCH_TEAM).subagents[name].model.startswith(family)


@pytest.mark.parametrize("name", ["writer", "critic"])
def test_an_absent_model_is_the_main_threads(name: str) -> None:
    run = session(RESEARCH_TEAM)
    others = {run.subagents[other].model for other in ("researcher", "analyst")}

    assert run.main is not None
    assert run.subagents[name].model == run.main.model
    assert run.main.model not in others


@pytest.mark.parametrize(
    ("path", "name", "tools"),
    [
        pytest.param(RESEARCH_TEAM, "researcher", {"WebSearch", "WebFetch"}, id="two"),
        pytest.param(RESEARCH_TEAM, "analyst", {"Read"}, id="one"),
        pytest.param(RESEARCH_TEAM, "critic", set(), id="none"),
        pytest.param(
            DISJOINT_MCP, "db_analyst", {"mcp__db__query", "mcp__db__describe"}, id="mcp-two"
        ),
        pytest.param(DISJOINT_MCP, "researcher", {"mcp__db__search_docs"}, id="mcp-one"),
    ],
)
def test_a_list_of_tools_is_exactly_what_the_subagent_has(
    path: Path, name: str, tools: set[str]
) -> None:
    assert set(session(path).subagents[name].tools) == tools


def test_absent_tools_are_all_tools() -> None:
    run = session(RESEARCH_TEAM)

    assert set(run.subagents["writer"].tools) == set(run.subagents[INHERITS_ALL].tools)
    assert {"Bash", "Read", "WebFetch", "Write"} <= set(run.subagents["writer"].tools)


def test_the_shared_server_has_more_tools_than_the_agents_were_given() -> None:
    # Otherwise the lists above could not tell what was granted from what is inherited.
    tools = set(session(DISJOINT_MCP).subagents[INHERITS_ALL].tools)

    assert {name for name in tools if name.startswith("mcp__")} == {
        "mcp__db__describe",
        "mcp__db__drop",
        "mcp__db__query",
        "mcp__db__search_docs",
    }


@both_teams
def test_the_cli_accepts_what_build_prints(path: Path) -> None:
    text = built_json(path)

    assert json.loads(text).keys() == written(path).keys()
    assert check_agents_json(text) == []


def test_the_cli_refuses_what_build_would_never_print() -> None:
    # The check above would mean nothing if it let everything pass.
    agents = json.loads(built_json(RESEARCH_TEAM))
    agents["analyst"]["maxTurns"] = 0

    (error,) = check_agents_json(json.dumps(agents))

    assert error.startswith("analyst.maxTurns: ")


def test_one_bad_definition_silently_costs_a_session_all_its_agents() -> None:
    # The good one goes with it, without an exception and without a line on stderr.
    good = AgentDefinition(description="d", prompt="p")
    bad = AgentDefinition(description="d", prompt="p", maxTurns=0)

    alone = run_session(ClaudeAgentOptions(agents={"good": good}))
    together = run_session(ClaudeAgentOptions(agents={"good": good, "bad": bad}))

    assert "good" in alone.agents
    assert together.agents.keys() == alone.agents.keys() - {"good"}
    assert together.stderr == ()


def test_subspec_refuses_to_build_such_a_definition() -> None:
    with pytest.raises(subspec.SpecError, match="max_turns"):
        subspec.build_agents(
            subspec.ClaudeConfig(
                agents={
                    "good": subspec.SubagentSpec(description="d", prompt="p"),
                    "bad": subspec.SubagentSpec(description="d", prompt="p", max_turns=0),
                }
            )
        )
