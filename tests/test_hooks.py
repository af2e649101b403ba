"""Which hooks a subagent may have: those that Claude Code takes, and no others.

The verdicts of the tables were Claude Code's own; `test_spec.py` asks it again.
"""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import strategies as st
from test_mcp import FLAG, JUNK, TEXT, TEXT_MAP, TEXTS, URLS, mostly, record_of

from subspec.hooks import EVENTS, KINDS, HookTable
from subspec.problems import IGNORED_KEY, Problem, SpecError
from subspec.spec import SubagentSpec

COMMAND = {"type": "command", "command": "date"}
PROMPT = {"type": "prompt", "prompt": "p"}
AGENT = {"type": "agent", "prompt": "p"}
HTTP = {"type": "http", "url": "https://x.example/hook"}
MCP_TOOL = {"type": "mcp_tool", "server": "s", "tool": "t"}
LEAST = {"command": COMMAND, "prompt": PROMPT, "agent": AGENT, "http": HTTP, "mcp_tool": MCP_TOOL}


def hook(value: Any) -> dict[str, Any]:
    """A table with one hook."""
    return {"Stop": [{"hooks": [value]}]}


GOOD_URLS = [
    *["http://x", "https://a.b.example/c?d#e", "http://localhost:8080/", "HTTP://X", " http://x "],
    *["http://127.0.0.1", "http://[::1]:80/", "http://u:p@h", "http://a_b", "http://x/${P}"],
    *["http://a:", "https://xn--mnchen-3ya.example", "http://x/ y", "https://x.example.:443/"],
    *["http://a:00080", "http://a:65535", "http://@x", "http://u:@x", "http://x?y@z"],
]
BAD_URLS = [
    *["", "x", "/x", "//x", "${URL}", "http://", "http:", "1a:b", "+a:b", "http://?", "http://#x"],
    *[
        "http://a b",
        "http://a:65536",
        "http://a:99999",
        "http://a:x",
        "http://a:-1",
        "http://[x]",
        "http://[::1",
    ],
    *[
        "http://[::1]x",
        "http://[1::2::3]",
        "http://[v1.a]",
        "http://[::1%25eth0]",
        "http://@",
        "http://u@",
    ],
    *[
        "http://1.2.3.4.5",
        "http://1.2.3.4.5.",
        "http://256.1.1.1",
        "http://1.2.3.08",
        "http://a.0",
        "http://a.0x1",
    ],
    *["http://a%", "http://a%20b", "http://a<b", "http://a|b", "http://a^b", "http://\x00"],
    *["http://a\x7fb", "http://xn--a", "http://\xad", "\x85http://a", "http://a]b"],
    *["http://a:b\\@c", "http://\\", "http\u017f://x"],
    *["http://XN--a", "http://XN--", "http://x.xn--", "http://xn--1ch.xn--localhost"],
    *["http://xn--fiqs8sxn--fiqs8s", f"http://a:{'1' * 5000}"],
    *["x://a b", "x://a:99999", "x://@", "x://:80", "file://a:80/", "file://a b/", "x://a^b"],
]

ACCEPTED: dict[str, Any] = {
    "none": {},
    "no-matchers": {"Stop": []},
    "no-hooks": {"Stop": [{"hooks": []}]},
    "matchers": {
        "PreToolUse": [{"matcher": text, "hooks": [COMMAND]} for text in ("", "*", "[(", "a\x00")]
    },
    "several": {"Stop": [{"hooks": [COMMAND, PROMPT]}, {"hooks": [AGENT]}], "Setup": []},
    "matcher-ignores-others": {"Stop": [{"hooks": [], "timeout": "x", "zz": None}]},
    "events": {event: [] for event in EVENTS},
    **{f"{kind}-least": hook(value) for kind, value in LEAST.items()},
    **{
        f"{kind}-options": hook(
            {**value, "if": "Bash(git *)", "timeout": 0.5, "statusMessage": "", "once": True}
        )
        for kind, value in LEAST.items()
    },
    **{f"{kind}-ignores-others": hook({**value, "zz": [None]}) for kind, value in LEAST.items()},
    "command-everything": hook(
        {
            **COMMAND,
            "command": "",
            "args": ["a", ""],
            "shell": "bash",
            "onFailure": "block",
            "async": True,
            "asyncRewake": False,
            "holdsTools": True,
            "rewakeMessage": "m",
            "rewakeSummary": "s",
        }
    ),
    "prompt-everything": hook({**PROMPT, "prompt": "", "model": "", "continueOnBlock": True}),
    "agent-everything": hook({**AGENT, "prompt": "", "model": "inherit"}),
    "http-everything": hook(
        {
            **HTTP,
            "onFailure": "continue",
            "headers": {"A": "b", "": ""},
            "allowedEnvVars": ["A"],
        }
    ),
    "mcp-everything": hook({**MCP_TOOL, "server": "", "tool": "", "input": {"a": [None, {}]}}),
    "mcp-ignores-failure": hook({**MCP_TOOL, "onFailure": 5}),
    "prompt-ignores-shell": hook({**PROMPT, "shell": "zsh", "args": 5}),
    "agent-ignores-continue": hook({**AGENT, "continueOnBlock": "x"}),
    "timeouts": hook({**COMMAND, "timeout": 5e-324}),
    "powershell": hook({**COMMAND, "shell": "powershell"}),
    "large-timeout": hook({**COMMAND, "timeout": 10**300}),
    **{f"url-{url!r}": hook({**HTTP, "url": url}) for url in GOOD_URLS},
}

STRICTER: dict[str, Any] = {
    "dropped-event": {"__proto__": 5},
    "blank-message": hook({**COMMAND, "rewakeMessage": " "}),
    "surrogate": hook({**COMMAND, "command": "\ud800"}),
}
"""Accepted by Claude Code and without effect there, or not to be written; refused here."""

REFUSED: dict[str, Any] = {
    "list": [],
    "text": "x",
    "unknown-event": {"PreCommit": []},
    "unknown-event-beside": {"PreToolUse": [], "Foo": []},
    "lower-case-event": {"pretooluse": []},
    "padded-event": {" PreToolUse": []},
    "empty-event": {"": []},
    "prototype-event": {"constructor": []},
    **{f"matchers-{value!r}": {"Stop": value} for value in (None, {}, "x", 1, COMMAND)},
    **{f"matcher-{value!r}": {"Stop": [value]} for value in (None, "x", [], {}, COMMAND)},
    **{
        f"matcher-text-{value!r}": {"Stop": [{"hooks": [], "matcher": value}]}
        for value in (None, 1, [], ["x"], {})
    },
    "matcher-alone": {"Stop": [{"matcher": "x"}]},
    **{f"hooks-{value!r}": {"Stop": [{"hooks": value}]} for value in (None, {}, COMMAND)},
    **{f"hook-{value!r}": hook(value) for value in (None, "x", [], {}, {"command": "x"})},
    **{
        f"type-{kind!r}": hook({**COMMAND, "type": kind})
        for kind in ("zzz", None, "COMMAND", "", 1, ["command"], "callback")
    },
    **{
        f"{kind}-without-{key}": hook({name: v for name, v in value.items() if name != key})
        for kind, value in LEAST.items()
        for key in value
        if key != "type"
    },
    **{
        f"{kind}-{key}-{value!r}": hook({**LEAST[kind], key: value})
        for kind in LEAST
        for key, values in {
            "if": [None, 1],
            "timeout": [0, -1, None, "1", True],
            "statusMessage": [None, 1],
            "once": [None, "x"],
        }.items()
        for value in values
    },
    **{
        f"{kind}-{key}-{value!r}": hook({**LEAST[kind], key: value})
        for kind, keys in {
            "command": {
                "command": [None, 1, ["x"]],
                "args": [None, "x", [1]],
                "shell": ["zsh", "", None],
                "onFailure": ["x", None],
                "async": [None, "x"],
                "asyncRewake": [1],
                "holdsTools": [None],
                "rewakeMessage": ["", None],
                "rewakeSummary": ["", 5],
            },
            "prompt": {"prompt": [None, ["x"]], "model": [None, 1], "continueOnBlock": ["x"]},
            "agent": {"prompt": [None], "model": [1]},
            "http": {
                "url": [None, 5],
                "onFailure": ["x", None, 1],
                "headers": [None, [], {"a": 1}],
                "allowedEnvVars": [None, "x", [1]],
            },
            "mcp_tool": {"server": [None], "tool": [5], "input": [None, [], "x"]},
        }.items()
        for key, values in keys.items()
        for value in values
    },
    **{f"url-{url[:40]!r}": hook({**HTTP, "url": url}) for url in BAD_URLS},
    "endless-timeout": hook({**COMMAND, "timeout": 10**309}),
}


def refused(value: Any) -> tuple[Problem, ...]:
    """The problems of a table of hooks."""
    with pytest.raises(SpecError) as caught:
        SubagentSpec("d", "p", hooks=value)
    return caught.value.problems


@pytest.mark.parametrize("value", ACCEPTED.values(), ids=ACCEPTED)
def test_hooks_that_claude_code_takes_are_taken(value):
    assert SubagentSpec("d", "p", hooks=value).hooks is not None


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_hooks_over_which_claude_code_loses_all_agents_are_refused(value):
    assert refused(value)


@pytest.mark.parametrize("value", STRICTER.values(), ids=STRICTER)
def test_hooks_that_claude_code_ignores_are_refused_too(value):
    assert refused(value)


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf], ids=repr)
def test_a_timeout_that_json_cannot_say_is_refused(value):
    assert refused(hook({**COMMAND, "timeout": value}))


KINDS_LISTED = "'command', 'prompt', 'agent', 'http' or 'mcp_tool'"
MANY_FAULTS = {
    "PreToolUse": [{"matcher": 5}, {"hooks": [COMMAND, {**COMMAND, "timeout": 0, "once": []}]}],
    "stop": [{"hooks": [{"type": "prompt"}]}],
}


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        (
            {"preToolUse": []},
            [
                (
                    ".preToolUse: Claude Code has no event 'preToolUse';"
                    " did you mean 'PreToolUse'? [unknown-key]"
                )
            ],
        ),
        (
            {"Stop": "date"},
            [".Stop: must be a list, not the text 'date'; write it as a list: [date] [wrong-type]"],
        ),
        ({"Stop": [[]]}, [".Stop[0]: must be a mapping, not a list [wrong-type]"]),
        ({"Stop": [{}]}, [".Stop[0]: requires hooks [missing-key]"]),
        (hook("date"), [".Stop[0].hooks[0]: must be a mapping, not the text 'date' [wrong-type]"]),
        (hook({"command": "date"}), [".Stop[0].hooks[0]: requires type [missing-key]"]),
        (
            hook({"type": "comand"}),
            [
                (
                    f".Stop[0].hooks[0].type: must be {KINDS_LISTED}, not 'comand';"
                    " did you mean 'command'? [not-a-choice]"
                )
            ],
        ),
        (
            hook({"type": [1]}),
            [f".Stop[0].hooks[0].type: must be {KINDS_LISTED}, not a list [wrong-type]"],
        ),
        (
            hook({"type": "mcp_tool", "tool": "t"}),
            [".Stop[0].hooks[0]: requires server [missing-key]"],
        ),
        (
            hook({**HTTP, "url": "x"}),
            [".Stop[0].hooks[0].url: must be a URL, not 'x' [not-a-choice]"],
        ),
        (
            hook({**HTTP, "url": []}),
            [".Stop[0].hooks[0].url: must be text, not a list [wrong-type]"],
        ),
        (
            MANY_FAULTS,
            [
                ".PreToolUse[0]: requires hooks [missing-key]",
                (
                    ".PreToolUse[0].matcher: must be text, not the number 5;"
                    ' to say that text, quote it: "5" [wrong-type]'
                ),
                ".PreToolUse[1].hooks[1].timeout: must be more than 0, not 0 [out-of-range]",
                ".PreToolUse[1].hooks[1].once: must be true or false, not a list [wrong-type]",
                ".stop: Claude Code has no event 'stop'; did you mean 'Stop'? [unknown-key]",
                ".stop[0].hooks[0]: requires prompt [missing-key]",
            ],
        ),
    ],
    ids=[
        *["event", "matchers", "matcher", "no-hooks", "text", "no-type", "misspelt-type"],
        *["list-type", "no-server", "url", "list-url", "all-at-once"],
    ],
)
def test_what_is_wrong_with_a_hook_is_said_with_its_place(value, lines):
    assert [str(problem) for problem in refused(value)] == [f"error: hooks{line}" for line in lines]


@pytest.mark.parametrize("name", ["several", *(f"{kind}-options" for kind in LEAST)])
def test_no_key_that_claude_code_reads_is_warned_of(name):
    assert list(HookTable()(ACCEPTED[name])) == []


@pytest.mark.parametrize(
    "name", ["command-everything", "prompt-everything", "agent-everything", "http-everything"]
)
def test_nor_is_any_of_a_single_kind(name):
    assert list(HookTable()(ACCEPTED[name])) == []


@pytest.mark.parametrize(
    ("value", "path"),
    [
        (hook({**PROMPT, "shell": "zsh"}), ("Stop", 0, "hooks", 0, "shell")),
        (hook({**MCP_TOOL, "zz": 1}), ("Stop", 0, "hooks", 0, "zz")),
        ({"Stop": [{"hooks": [], "timeout": 5}]}, ("Stop", 0, "timeout")),
    ],
    ids=["of-another-kind", "unknown", "of-a-matcher"],
)
def test_keys_that_claude_code_ignores_are_warned_of(value, path):
    (problem,) = HookTable()(value)

    assert (problem.code, problem.severity) == (IGNORED_KEY.name, "warning")
    assert problem.path == path


def test_the_events_are_claude_codes():
    assert len(EVENTS) == 34
    assert {"PreToolUse", "SubagentStop", "PreSkillShellCommand", "MessageDisplay"} < EVENTS


def test_the_kinds_are_claude_codes():
    assert list(KINDS) == list(LEAST)


# Tables of hooks that Claude Code may take or not, to find out where the two disagree.

COMMON = {
    "if": TEXT,
    "timeout": st.floats(min_value=0, exclude_min=True, allow_infinity=False) | st.integers(1),
    "statusMessage": TEXT,
    "once": FLAG,
    "unknown": JUNK,
    "cloud": JUNK,
    "model": TEXT,
    "shell": st.sampled_from(["bash", "powershell"]),
    "onFailure": st.sampled_from(["continue", "block"]),
}
FOR_COMMAND = {
    **COMMON,
    "args": TEXTS,
    "async": FLAG,
    "asyncRewake": FLAG,
    "holdsTools": FLAG,
    "rewakeMessage": TEXT,
    "rewakeSummary": TEXT,
}
FOR_HTTP = {**COMMON, "headers": TEXT_MAP, "allowedEnvVars": TEXTS}
HOOKS = st.one_of(
    record_of({"type": st.just("command"), "command": TEXT}, FOR_COMMAND),
    record_of({"type": st.just("prompt"), "prompt": TEXT}, {**COMMON, "continueOnBlock": FLAG}),
    record_of({"type": st.just("agent"), "prompt": TEXT}, {**COMMON, "continueOnBlock": JUNK}),
    record_of({"type": st.just("http"), "url": URLS}, FOR_HTTP),
    record_of(
        {"type": st.just("mcp_tool"), "server": TEXT, "tool": TEXT},
        {**COMMON, "input": st.dictionaries(TEXT, JUNK, max_size=2)},
    ),
    record_of({"type": TEXT}, COMMON),
)
MATCHERS = record_of(
    {"hooks": st.lists(mostly(HOOKS), min_size=1, max_size=2)}, {"matcher": TEXT, "zz": JUNK}
)
HOOK_TABLES = st.dictionaries(
    mostly(st.sampled_from(sorted(EVENTS))).map(str),
    mostly(st.lists(mostly(MATCHERS), min_size=1, max_size=2)),
    min_size=1,
    max_size=2,
)
