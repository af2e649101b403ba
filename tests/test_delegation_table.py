"""The table of providers and what they heed, in the documentation."""

from pathlib import Path

import pytest

from subspec import SubagentSpec
from subspec.delegation import (
    AgentOptions,
    DelegationError,
    Registry,
    StartRequest,
    SubagentProvider,
    ToolFilter,
)
from subspec.delegation.acp import AcpProvider
from subspec.delegation.claude_code import ClaudeCodeProvider, ClaudeSession
from subspec.delegation.in_process import ForkProvider, SpawnProvider

pytest.importorskip("pydantic_ai", reason="needs the extra subspec[pydantic-ai]")
pytest.importorskip("claude_agent_sdk", minversion="0.2.158", reason="needs subspec[claude]")
pytest.importorskip("psutil", reason="needs subspec[claude]")

PAGE = Path(__file__).parent.parent / "docs" / "delegation.md"

ASKING = {
    "`output_schema`": {"output_schema": {"type": "object"}},
    "`max_depth`": {"max_depth": 3},
    "`tool_filter`": {"tool_filter": ToolFilter(allow=[])},
    "`persona`": {"persona": "You are a critic."},
    "`conversation`": {"conversation": ClaudeSession("a", "b")},
    "`agent_options`: `model`": {"agent_options": AgentOptions(model="test")},
    "`agent_options`: `max_tokens`": {"agent_options": AgentOptions(max_tokens=9)},
    "`agent_options`: `provider`": {"agent_options": AgentOptions(provider="p", model="m")},
}

SPEC = SubagentSpec("Reads", "Read.", tools=["Read"])


def providers() -> dict[str, list[SubagentProvider]]:
    """Each provider, made in each way that makes a difference."""
    models = {"p:m": "test"}
    claude = [
        ClaudeCodeProvider(spec, fork=fork) for spec in (None, SPEC) for fork in (False, True)
    ]
    return {
        "spawn": [SpawnProvider(model="test", models=models)],
        "fork": [ForkProvider(model="test", models=models)],
        "claude_code": [*claude],
        "acp": [AcpProvider(["my-agent"])],
    }


def is_heeded(provider: SubagentProvider, request: StartRequest) -> bool:
    registry = Registry()
    registry.register(provider)
    try:
        registry.check(provider.name, request)
    except DelegationError as error:
        return error.code != "UNSUPPORTED_CAPABILITY"
    return True


def table() -> str:
    columns = providers()
    lines = [f"| a request with | {' | '.join(f'`{name}`' for name in columns)} |"]
    lines.append(f"| --- {'| --- ' * len(columns)}|")
    for what, asked in ASKING.items():
        request = StartRequest("Work.", **asked)
        found = [{is_heeded(each, request) for each in ways} for ways in columns.values()]
        cells = ["it depends" if len(way) > 1 else "heeded" if True in way else "" for way in found]
        lines.append(f"| {what} | {' | '.join(cell or 'refused' for cell in cells)} |")
    return "\n".join(lines) + "\n"


def test_the_page_has_the_table_that_the_code_makes():
    assert table() in PAGE.read_text(encoding="utf-8"), f"put this into {PAGE}:\n{table()}"
