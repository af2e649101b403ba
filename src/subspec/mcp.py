"""What a subagent's MCP server is: a name, or a name with a configuration.

The bounds are those of Claude Code, which loses every agent over one bad server.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from immutabledict import immutabledict

from subspec.problems import (
    NOT_A_CHOICE,
    OUT_OF_RANGE,
    WRONG_TYPE,
    Problem,
    below,
    quoted,
)
from subspec.shapes import (
    AtLeast,
    FrozenMap,
    NotBlank,
    Shape,
    choice,
    list_of,
    record,
    shape_of,
)
from subspec.urls import is_url

_TEXT = shape_of(str)
_FLAG = shape_of(bool)
_COUNT = shape_of(Annotated[int, AtLeast(1)])
_MAX_URL = 65_536
_MAX_METADATA_URL = 4_096
"""How long they may be, in units of UTF-16, in which JavaScript counts."""


def _url(value: object) -> Sequence[Problem]:
    # Any text will do here, as it does for Claude Code, which finds out when it connects.
    return _TEXT.check(value) or _length_problems(value, _MAX_URL)


def _metadata_url(value: object) -> Sequence[Problem]:
    if problems := _url(value):
        return problems
    if not (str(value).strip().startswith("https://") and is_url(str(value))):
        message = f"must be a URL that begins with https://, not {quoted(value)}"
        return [NOT_A_CHOICE.problem(message)]
    return _length_problems(value, _MAX_METADATA_URL)


def _length_problems(value: object, limit: int) -> Sequence[Problem]:
    if len(str(value).encode("utf-16-le")) // 2 <= limit:
        return ()
    return [OUT_OF_RANGE.problem(f"must not be longer than {limit:,} characters")]


_URL = Shape("a URL", _url)
_TEXTS = shape_of(tuple[str, ...])
_TEXT_MAP = shape_of(immutabledict[str, str])

_ANYTHING = shape_of(Any)
_COMMON = {
    "type": _TEXT,
    "timeout": _COUNT,
    "alwaysLoad": _FLAG,
    "bareElicitationCapability": _FLAG,
    "role": _ANYTHING,
}
_HEADERS = {"headers": _TEXT_MAP, "headersHelper": _TEXT}
_OAUTH = record(
    {},
    {
        "clientId": _TEXT,
        "callbackPort": _COUNT,
        "scopes": shape_of(Annotated[str, NotBlank()]),
        "xaa": _FLAG,
        "authServerMetadataUrl": Shape("a URL", _metadata_url),
    },
)
_POLICY = shape_of(Literal["always_allow", "always_ask", "always_deny"])
_REMOTE = record(
    {"url": _URL},
    {
        **_COMMON,
        **_HEADERS,
        "oauth": _OAUTH,
        "discoveryCache": _FLAG,
        "tools": list_of(
            record(
                {"name": _TEXT},
                {"permission_policy": _POLICY},
            )
        ),
        "request_timeout_ms": _ANYTHING,
        "displayName": _ANYTHING,
        "orgMaxPermission": _ANYTHING,
        "toolPermissions": shape_of(immutabledict[str, Literal["allow", "ask", "blocked"]]),
    },
)
TRANSPORTS = {
    "stdio": record(
        {"command": shape_of(Annotated[str, NotBlank()])},
        {**_COMMON, "args": _TEXTS, "env": _TEXT_MAP},
    ),
    "sse": _REMOTE,
    "http": _REMOTE,
    "streamable-http": _REMOTE,
    "ws": record({"url": _URL}, {**_COMMON, **_HEADERS}),
}
"""The configurations that a file can give, by their ``type``; ``stdio`` is meant where none is."""


_TRANSPORT = choice(TRANSPORTS)


class ServerReferences:
    """Each server is a name, or a mapping of one name to a configuration that Claude Code takes."""

    def __call__(self, value: Sequence[str | FrozenMap], /) -> Sequence[Problem]:
        """Check the list of an agent's servers."""
        problems: list[Problem] = []
        for index, entry in enumerate(value):
            if isinstance(entry, Mapping):
                problems += below((index,), _reference_problems(entry))
        return problems


def _reference_problems(entry: Mapping[str, Any]) -> list[Problem]:
    if len(entry) != 1:
        message = f"must map one name to a server, not {len(entry)}; Claude Code ignores it"
        return [WRONG_TYPE.problem(message, hint="give each server a list item of its own")]
    ((name, config),) = entry.items()
    if name == "__proto__":
        message = f"Claude Code drops a server named {quoted(name)} without a message"
        return [NOT_A_CHOICE.problem(message, (name,), hint="give it another name")]
    return below((name,), _config_problems(config))


def _config_problems(config: object) -> Sequence[Problem]:
    if not isinstance(config, Mapping):
        return [WRONG_TYPE.problem("must be the configuration of a server, as a mapping")]
    transport = config.get("type", "stdio")
    if problems := _TRANSPORT.check(transport):
        return below(("type",), problems)
    return TRANSPORTS[transport].check(config)
