"""Which MCP servers a subagent may have: those that Claude Code takes, and no others.

The verdicts of the tables were Claude Code's own; `test_spec.py` asks it again.
"""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import strategies as st

from subspec.mcp import TRANSPORTS, ServerReferences
from subspec.problems import IGNORED_KEY, Problem, SpecError
from subspec.spec import SubagentSpec

STDIO = {"command": "serve"}
SSE = {"type": "sse", "url": "https://x.example"}
HTTP = {"type": "http", "url": "https://x.example"}
STREAMABLE = {"type": "streamable-http", "url": "https://x.example"}
WS = {"type": "ws", "url": "wss://x.example"}
REMOTE = {"sse": SSE, "http": HTTP, "streamable-http": STREAMABLE}
KINDS = {"stdio": STDIO, **REMOTE, "ws": WS}
LONGEST_URL = "https://" + "x" * 65_528


def server(config: Any) -> list[Any]:
    """A list with one server."""
    return [{"s": config}]


ACCEPTED: dict[str, Any] = {
    "none": [],
    "name": ["db"],
    "empty-name": [""],
    "name-twice": ["db", "db"],
    "names-and-configs": ["db", {"s": STDIO}, {"s": STDIO}],
    "odd-names": [{name: STDIO} for name in ("", " ", "a.b", "a\nb", "constructor", "é", "-x")],
    **{f"{name}-least": server(config) for name, config in KINDS.items()},
    "stdio-by-name": server({"type": "stdio", **STDIO}),
    "stdio-blank-argument": server({**STDIO, "args": ["", "--all"]}),
    "stdio-environment": server({**STDIO, "env": {"A": "b", "": "", "A=B": "\x00"}}),
    "stdio-options": server({**STDIO, "timeout": 1, "alwaysLoad": True, "role": None}),
    "stdio-ignores-others": server({**STDIO, "url": 5, "cwd": None, "unknown": [1]}),
    "http-everything": server(
        {
            **HTTP,
            "headers": {"A": "b", "": ""},
            "headersHelper": "",
            "oauth": {"clientId": "", "callbackPort": 70_000, "scopes": "a b", "xaa": False},
            "tools": [
                {"name": "", "permission_policy": "always_allow"},
                {"name": "x", "permission_policy": "always_ask"},
                {"name": "x", "permission_policy": "always_deny"},
                {"name": "y", "zz": 1},
            ],
            "toolPermissions": {"a": "allow", "b": "ask", "c": "blocked"},
            "timeout": 2**53 - 1,
            "alwaysLoad": False,
            "bareElicitationCapability": True,
            "discoveryCache": True,
            "request_timeout_ms": "x",
            "displayName": 5,
            "orgMaxPermission": [],
            "role": {},
        }
    ),
    "http-metadata": server(
        {**HTTP, "oauth": {"authServerMetadataUrl": "https://x.example/.well-known"}}
    ),
    "http-ignores-others": server({**HTTP, "command": 5, "args": None, "oauth": {"zz": None}}),
    "ws-ignores-oauth": server({**WS, "oauth": 5, "tools": None}),
    "ws-headers": server({**WS, "headers": {"A": "b"}, "headersHelper": "h"}),
    **{
        f"{name}-{which}-url": server({**config, "url": url})
        for name, config in KINDS.items()
        if "url" in config
        for which, url in [("any", "not a url"), ("empty", ""), ("longest", LONGEST_URL)]
    },
}

STRICTER: dict[str, Any] = {
    "no-key": [{}],
    "two-keys": [{"s": STDIO, "t": STDIO}],
    "dropped-name": [{"__proto__": 5}],
    "whole-float": server({**STDIO, "timeout": 1.0}),
    "blank-command": server({"command": " "}),
    "dropped-variable": server({**STDIO, "env": {"__proto__": 5}}),
    "surrogate": server({"command": "\ud800"}),
    "sdk": server({"type": "sdk", "name": "n"}),
    "sse-ide": server({"type": "sse-ide", "url": "u", "ideName": "i"}),
    "ws-ide": server({"type": "ws-ide", "url": "u", "ideName": "i"}),
    "claudeai-proxy": server({"type": "claudeai-proxy", "url": "u", "id": "i"}),
}
"""Accepted by Claude Code and without effect there, or not to be written; refused here."""

REFUSED: dict[str, Any] = {
    "text": "db",
    "mapping": {"s": STDIO},
    "null-name": [None],
    "number-name": [1],
    "list-name": [["db"]],
    "null-config": server(None),
    "text-config": server("serve"),
    "list-config": server([]),
    "empty-config": server({}),
    "one-of-two": ["db", {"s": {}}],
    "unknown-only": server({"x": 1}),
    "url-only": server({"url": "https://x.example"}),
    "transport": server({"transport": "http", "url": "https://x.example"}),
    **{f"type-{kind!r}": server({**STDIO, "type": kind}) for kind in (None, 1, "", "STDIO", "zz")},
    "http-with-command": server({"type": "http", "command": "serve"}),
    **{f"command-{value!r}": server({"command": value}) for value in (None, "", 1, ["c"])},
    **{f"args-{value!r}": server({**STDIO, "args": value}) for value in (None, "a", [None], [1])},
    **{
        f"env-{value!r}": server({**STDIO, "env": value})
        for value in (None, [], "A=b", {"A": None}, {"A": 1})
    },
    **{
        f"{name}-timeout-{value!r}": server({**config, "timeout": value})
        for name, config in KINDS.items()
        for value in (0, 1.5, "1", None, True, 2**53)
    },
    **{
        f"{name}-{key}": server({**config, key: value})
        for name, config in KINDS.items()
        for key, value in [("alwaysLoad", None), ("bareElicitationCapability", 1)]
    },
    **{
        f"{name}-{key}-{value!r}": server({**config, key: value})
        for name, config in KINDS.items()
        if name != "stdio"
        for key, values in {
            "url": [None, 5, []],
            "headers": [None, [], {"A": 1}, {"A": None}],
            "headersHelper": [None, 1],
        }.items()
        for value in values
    },
    **{
        f"{name}-long-url": server({**config, "url": f"{LONGEST_URL}x"})
        for name, config in KINDS.items()
        if name != "stdio"
    },
    "http-astral-url": server({**HTTP, "url": "😀" * 32_769}),
    **{
        f"{name}-{key}-{value!r}": server({**config, key: value})
        for name, config in REMOTE.items()
        for key, values in {
            "oauth": [None, True, "x"],
            "discoveryCache": ["x"],
            "tools": [None, {}, ["x"], [{}], [{"name": 1}], [{"permission_policy": "always_ask"}]],
            "toolPermissions": [None, [], {"a": "deny"}, {"a": None}],
        }.items()
        for value in values
    },
    **{
        f"tool-policy-{value!r}": server(
            {**HTTP, "tools": [{"name": "x", "permission_policy": value}]}
        )
        for value in ("ask", None, 1)
    },
    **{
        f"oauth-{key}-{value!r}": server({**HTTP, "oauth": {key: value}})
        for key, values in {
            "clientId": [None, 5],
            "callbackPort": [0, 1.5, "1"],
            "scopes": ["", ["a"]],
            "xaa": [None],
            "authServerMetadataUrl": [
                *[None, "", "x", "http://x", "HTTPS://x", "https://", "https:x", "https:/x"],
                *["https://a b", "https://\xa0", "https://256.1.1.1"],
            ],
        }.items()
        for value in values
    },
    "oauth-long-metadata-url": server(
        {**HTTP, "oauth": {"authServerMetadataUrl": "https://x/" + "a" * 4087}}
    ),
}


def refused(value: Any) -> tuple[Problem, ...]:
    """The problems of a list of servers."""
    with pytest.raises(SpecError) as caught:
        SubagentSpec("d", "p", mcp_servers=value)
    return caught.value.problems


@pytest.mark.parametrize("value", ACCEPTED.values(), ids=ACCEPTED)
def test_servers_that_claude_code_takes_are_taken(value):
    assert SubagentSpec("d", "p", mcp_servers=value).mcp_servers is not None


@pytest.mark.parametrize("value", REFUSED.values(), ids=REFUSED)
def test_servers_over_which_claude_code_loses_all_agents_are_refused(value):
    assert refused(value)


@pytest.mark.parametrize("value", STRICTER.values(), ids=STRICTER)
def test_servers_that_claude_code_ignores_are_refused_too(value):
    assert refused(value)


CHOICES = "'stdio', 'sse', 'http', 'streamable-http' or 'ws'"
PERMISSIONS = "'allow', 'ask' or 'blocked'"
ONE_EACH = "Claude Code ignores it; give each server a list item of its own [wrong-type]"
NO_CONFIG = "must be the configuration of a server, as a mapping [wrong-type]"


@pytest.mark.parametrize(
    ("value", "lines"),
    [
        ([{}], [f"[0]: must map one name to a server, not 0; {ONE_EACH}"]),
        (
            ["db", {"a": STDIO, "b": STDIO}],
            [f"[1]: must map one name to a server, not 2; {ONE_EACH}"],
        ),
        (server(None), [f"[0].s: {NO_CONFIG}"]),
        (
            server({"type": "htpp", "url": "u"}),
            [f"[0].s.type: must be {CHOICES}, not 'htpp'; did you mean 'http'? [not-a-choice]"],
        ),
        (
            server({"type": 5}),
            [f"[0].s.type: must be {CHOICES}, not the number 5 [wrong-type]"],
        ),
        (
            server({"type": ["sse"], "command": "c"}),
            [f"[0].s.type: must be {CHOICES}, not a list [wrong-type]"],
        ),
        (server({"type": {}}), [f"[0].s.type: must be {CHOICES}, not a mapping [wrong-type]"]),
        (server({}), ["[0].s: requires command [missing-key]"]),
        (server({"type": "ws"}), ["[0].s: requires url [missing-key]"]),
        (server({"command": ""}), ["[0].s.command: must not be blank [blank-value]"]),
        (
            server({**HTTP, "toolPermissions": {"drop": "never"}}),
            [f"[0].s.toolPermissions.drop: must be {PERMISSIONS}, not 'never' [not-a-choice]"],
        ),
        (
            server({**HTTP, "url": f"{LONGEST_URL}x"}),
            ["[0].s.url: must not be longer than 65,536 characters [out-of-range]"],
        ),
        (
            [{"a b": {"args": [5.5], "env": {"A": []}, "timeout": 0}}, {"t": []}],
            [
                "[0].'a b': requires command [missing-key]",
                (
                    "[0].'a b'.args[0]: must be text, not the number 5.5;"
                    ' to say that text, quote it: "5.5" [wrong-type]'
                ),
                "[0].'a b'.env.A: must be text, not a list [wrong-type]",
                "[0].'a b'.timeout: must be at least 1, not 0 [out-of-range]",
                f"[1].t: {NO_CONFIG}",
            ],
        ),
    ],
    ids=[
        *["no-name", "two-names", "null", "misspelt-type", "number-type", "list-type", "map-type"],
        *["no-command", "no-url", "blank-command", "permission", "long-url", "all-at-once"],
    ],
)
def test_what_is_wrong_with_a_server_is_said_with_its_place(value, lines):
    assert [str(problem) for problem in refused(value)] == [
        f"error: mcp_servers{line}" for line in lines
    ]


@pytest.mark.parametrize(
    ("config", "ignored"),
    [
        ({**STDIO, "url": "u"}, ["s.url"]),
        ({**STDIO, "cwd": "/"}, ["s.cwd"]),
        ({**HTTP, "command": "c", "args": []}, ["s.command", "s.args"]),
        ({**WS, "oauth": {}}, ["s.oauth"]),
        ({**HTTP, "oauth": {"client_id": "x"}}, ["s.oauth.client_id"]),
        (STDIO, []),
    ],
    ids=["url-of-stdio", "cwd", "command-of-http", "oauth-of-ws", "inside", "nothing"],
)
def test_keys_that_claude_code_ignores_are_warned_of(config, ignored):
    found = ServerReferences()(server(config))

    assert {problem.code for problem in found} <= {IGNORED_KEY.name}
    assert {problem.severity for problem in found} <= {"warning"}
    assert [".".join(map(str, problem.path[1:])) for problem in found] == ignored


def test_an_ignored_key_that_is_nearly_a_known_one_is_asked_about():
    (problem,) = ServerReferences()([{"s": {**STDIO, "always_load": True}}])

    assert str(problem) == (
        "warning: [0].s.always_load: the key 'always_load' is ignored here;"
        " did you mean 'alwaysLoad'? [ignored-key]"
    )


@pytest.mark.parametrize("name", ["stdio-options", "http-metadata", "ws-headers"])
def test_no_key_that_claude_code_reads_is_warned_of(name):
    assert list(ServerReferences()(ACCEPTED[name])) == []


def test_of_all_the_keys_of_a_remote_server_only_the_unknown_one_is_warned_of():
    (problem,) = ServerReferences()(ACCEPTED["http-everything"])

    assert problem.path == (0, "s", "tools", 3, "zz")


def test_the_kinds_are_those_that_a_file_can_give():
    assert list(TRANSPORTS) == list(KINDS)


# Lists of servers that Claude Code may take or not, to find out where the two disagree.

JUNK = st.sampled_from(
    [None, True, 0, 1, -1, 1.5, 2**53, 1e300, "", " ", "x", [], {}, [None], [""], {"a": 1}]
)


def mostly(strategy: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Values of a strategy, and now and then something else."""
    # Not 0: numbers at the ends of a range are drawn more often than the others.
    return st.integers(0, 40).flatmap(lambda number: JUNK if number == 17 else strategy)


def record_of(
    required: dict[str, st.SearchStrategy[Any]], optional: dict[str, st.SearchStrategy[Any]]
) -> st.SearchStrategy[Any]:
    """Mappings that mostly have what is required, and some of the rest."""
    names = st.lists(st.sampled_from(sorted(optional)), unique=True, max_size=4)
    return names.flatmap(
        lambda chosen: st.fixed_dictionaries(
            {key: mostly(value) for key, value in required.items()}
            | {key: mostly(optional[key]) for key in chosen}
        )
    )


TEXT = (
    st.sampled_from(["", " ", "x", "a b", "\x00", "\ufeff", "é漢😀", "a\r\nb", "${X}"]) | st.text()
)
FLAG = st.booleans()
COUNT = st.integers(1, 2**53 - 1)
TEXTS = st.lists(TEXT, max_size=3)
TEXT_MAP = st.dictionaries(TEXT, mostly(TEXT), max_size=3)
URLS = st.one_of(
    st.sampled_from(["https://x.example/y", "http://localhost:80", "https://[::1]", "https://é.x"]),
    st.builds(
        "".join,
        st.tuples(
            st.sampled_from(["http://", "https://", "HTTPS://", "http:", "ws://", "file://", ""]),
            st.sampled_from(["", "", "u@", "u:p@", "@", "a b@", "\\@"]),
            st.lists(
                st.sampled_from(
                    [
                        *"ab0189.-_~!$&'()*+,;=%^|<>\"`{}[]\\ \t\n\x00\x7f\x85\xad\xa0éß。😀",
                        *["xn--", "xn--mnchen-3ya", "0x", "1.2.3.4", "256", "127.0.0.1", "a.09"],
                        *["[::1]", "[1::2::3]", "[::1.2.3.4]", "%41", "localhost", "\u200d"],
                        "\uff11",
                    ]
                ),
                max_size=4,
            ).map("".join),
            st.sampled_from(["", "", ":", ":80", ":99999", ":x", ":-1", ":\uff11"]),
            st.sampled_from(["", "/", "/p?q#f", "?", "#", "\\", " ", "/\x00 é", "\x85", "\ufeff"]),
        ),
    ),
)
COMMON = {
    "timeout": COUNT,
    "alwaysLoad": FLAG,
    "bareElicitationCapability": FLAG,
    "role": JUNK,
    "unknown": JUNK,
}
HEADERS = {"headers": TEXT_MAP, "headersHelper": TEXT}
OAUTH = record_of(
    {},
    {
        "clientId": TEXT,
        "callbackPort": COUNT,
        "authServerMetadataUrl": URLS,
        "scopes": TEXT,
        "xaa": FLAG,
        "unknown": JUNK,
    },
)
POLICY = st.sampled_from(["always_allow", "always_ask", "always_deny"])
PERMISSION = st.sampled_from(["allow", "ask", "blocked"])
FOR_REMOTE = {
    **COMMON,
    **HEADERS,
    "oauth": OAUTH,
    "tools": st.lists(
        record_of({"name": TEXT}, {"permission_policy": POLICY, "unknown": JUNK}), max_size=2
    ),
    "toolPermissions": st.dictionaries(TEXT, mostly(PERMISSION), max_size=2),
    "discoveryCache": FLAG,
    "request_timeout_ms": JUNK,
    "displayName": JUNK,
    "orgMaxPermission": JUNK,
    "command": JUNK,
}
CONFIGS = st.one_of(
    record_of(
        {"command": TEXT},
        {**COMMON, "type": st.just("stdio"), "args": TEXTS, "env": TEXT_MAP, "url": JUNK},
    ),
    st.sampled_from(["sse", "http", "streamable-http"]).flatmap(
        lambda kind: record_of({"type": st.just(kind), "url": TEXT | URLS}, FOR_REMOTE)
    ),
    record_of({"type": st.just("http"), "url": TEXT, "oauth": OAUTH}, FOR_REMOTE),
    record_of({"type": st.just("ws"), "url": TEXT}, FOR_REMOTE),
    record_of({"type": st.sampled_from(["ws", "sdk", "ws-ide"]), "url": TEXT}, COMMON),
)
SERVERS = st.lists(
    mostly(TEXT | st.dictionaries(TEXT, mostly(CONFIGS), min_size=1, max_size=1)),
    min_size=1,
    max_size=3,
)


def test_a_server_that_claude_code_drops_without_a_message_is_refused():
    (problem,) = ServerReferences()([{"__proto__": STDIO}])

    assert problem.path == (0, "__proto__")
    assert problem.message == "Claude Code drops a server named '__proto__' without a message"
