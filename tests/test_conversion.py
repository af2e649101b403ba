"""Conversion from each format to each, and what is lost on the way."""

from __future__ import annotations

import warnings

import pytest
from attrs import evolve
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from strategies import specs

from subspec import ClaudeConfig, SubagentSpec, convert, loads
from subspec.formats import SPELLINGS, names
from subspec.formats.agent_files import read_spelled_text
from subspec.formats.agent_text import says_the_same
from subspec.problems import errors_in
from subspec.structure import plain

pytest.importorskip("tomlkit")

PROMPT = "You look at what is there.\n"
ALL = names()
# Of each format a share of what the profile says.
SHARE = max(settings().max_examples // 5, 5)
FEW = settings(max_examples=SHARE, suppress_health_check=[HealthCheck.too_slow])


TOOLS = st.lists(
    st.sampled_from(
        """
        Read Write Edit MultiEdit NotebookEdit Bash Glob Grep LS WebFetch WebSearch TodoWrite Task
        Agent Skill AskUserQuestion mcp__db__query mcp__db mcp__db__* mcp__a_b__c_d mcp__x__y__z
        Bash(git:*) Edit(docs/**) read_file list_directory @builtin githubRepo web * mcp__ mcp__a__
        mcp__db__a/b mcp___a__b
        """.split()
    ),
    max_size=5,
)
SERVERS = st.lists(
    st.sampled_from(
        [
            "named",
            {"db": {"command": "db"}},
            {"db": {"type": "stdio", "command": "db", "args": ["a"], "env": {"B": "c"}}},
            {"web": {"type": "http", "url": "https://x.test", "headers": {"A": "b"}}},
            {"old": {"type": "sse", "url": "https://x.test"}},
            {"slow": {"command": "db", "timeout": 3}},
        ]
    ),
    max_size=3,
)
USUAL = {
    "tools": TOOLS,
    "disallowed_tools": TOOLS,
    "model": st.sampled_from(
        "sonnet OPUS haiku[1m] inherit flash pro auto fast gpt-5.4 a/b-1 claude-sonnet-4-5".split()
    ),
    "effort": st.sampled_from(["low", "medium", "high", "xhigh", "max", 3]),
    "permission_mode": st.sampled_from(
        ["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto", "manual"]
    ),
    "color": st.sampled_from(["red", "#ff0000", "auto"]),
    "background": st.booleans(),
    "max_turns": st.integers(1, 50),
    "mcp_servers": SERVERS,
    "extra": st.sampled_from(
        [
            {"temperature": 0.5},
            {"sandbox_mode": "read-only", "model": ["a"]},
            {"readonly": True, "kind": "local", "made-up": 1},
            {"permission": {"bash": "ask"}, "mode": "primary"},
            {"reasoningEffort": "max", "name": "x", "prompt": "y", "max_retries": 2},
        ]
    ),
}


@st.composite
def usual_specs(draw: st.DrawFn) -> SubagentSpec:
    """Make agents as people write them."""
    chosen = draw(st.lists(st.sampled_from(sorted(USUAL)), unique=True))
    return SubagentSpec("Helps.", PROMPT, **{name: draw(USUAL[name]) for name in chosen})


def only(spec: SubagentSpec, name: str = "helper") -> ClaudeConfig:
    return ClaudeConfig(agents={name: spec})


def read(conversion) -> dict[str, SubagentSpec]:
    """Read the agents of what a conversion has made."""
    if conversion.to in SPELLINGS:
        spelling = SPELLINGS[conversion.to]
        found = {}
        for path, text in conversion.files.items():
            stem = path.rpartition("/")[2].removesuffix(spelling.suffix)
            file = read_spelled_text(spelling, text, stem)
            assert not errors_in(file.problems), text
            found[file.name] = file.spec
        return found
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        texts = conversion.files.values()
        return {
            name: spec
            for text in texts
            for name, spec in (loads(text, format=conversion.to).agents or {}).items()
        }


def step(spec: SubagentSpec, to: str) -> tuple[SubagentSpec, set[str]]:
    """Give what comes of an agent, and which of its fields are said to be lost."""
    conversion = convert(only(spec), to)
    (found,) = read(conversion).values()
    return found, {loss.field.split(".")[0] for loss in conversion.losses}


def changed_fields(one: SubagentSpec, other: SubagentSpec) -> set[str]:
    return {
        name
        for name in {**plain(one), **plain(other)}
        if not says_the_same(name, getattr(one, name), getattr(other, name))
    }


@pytest.mark.parametrize("to", ALL)
@given(spec=specs() | usual_specs())
@FEW
def test_what_is_not_said_to_be_lost_comes_back_equal(to, spec):
    spec = evolve(spec, prompt=f"{PROMPT}{spec.prompt}")
    found, lost = step(spec, to)

    assert changed_fields(spec, found) <= lost


GUARDS = ("tools", "disallowed_tools", "max_turns", "permission_mode")


@pytest.mark.parametrize("to", ALL)
@given(spec=usual_specs())
@FEW
def test_an_agent_that_may_do_more_is_said_to(to, spec):
    conversion = convert(only(spec), to)
    (found,) = read(conversion).values()
    widened = {loss.field for loss in conversion.widens}
    if to in SPELLINGS:
        # What a table says of its own losses is all that is lost.
        assert not [loss for loss in conversion.losses if "reads back" in loss.reason]

    for name in GUARDS:
        if getattr(spec, name) and getattr(found, name) is None:
            is_said = name in widened or spec.permission_mode == "bypassPermissions"
            assert is_said or (name == "disallowed_tools" and spec.tools is not None)
    if spec.tools == ():
        assert found.tools == () or "tools" in widened
    if spec.tools is None:
        assert found.tools is None


@pytest.mark.parametrize("to", ALL)
@given(first=st.sampled_from(ALL), spec=specs() | usual_specs())
@FEW
def test_there_and_back_nothing_is_lost_that_is_not_said(to, first, spec):
    start, _ = step(evolve(spec, prompt=f"{PROMPT}{spec.prompt}"), first)
    there, lost = step(start, to)
    back, more = step(there, first)

    assert changed_fields(start, back) <= lost | more
