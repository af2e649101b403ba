"""What a subagent's MCP server is: a name, or a name with a configuration.

The bounds are those of Claude Code 2.1.332, which loses every agent over one bad server.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from immutabledict import immutabledict

from subspec.problems import NOT_A_CHOICE, WRONG_TYPE, Problem, below, did_you_mean, one_of, quoted
from subspec.shapes import AtLeast, FrozenMap, NotBlank, record, shape_of

_TEXT = shape_of(str)
_FLAG = shape_of(bool)
_COUNT = shape_of(Annotated[int, AtLeast(1)])
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
        "authServerMetadataUrl": _TEXT,
    },
)
_REMOTE = record(
    {"url": _TEXT},
    {
        **_COMMON,
        **_HEADERS,
        "oauth": _OAUTH,
        "discoveryCache": _FLAG,
        "tools": shape_of(tuple[FrozenMap, ...]),
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
    "ws": record({"url": _TEXT}, {**_COMMON, **_HEADERS}),
}
"""The configurations that a file can give, by their ``type``; ``stdio`` is meant where none is."""


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
    return below((name,), _config_problems(config))


def _config_problems(config: object) -> Sequence[Problem]:
    if not isinstance(config, Mapping):
        return [WRONG_TYPE.problem("must be the configuration of a server, as a mapping")]
    transport = config.get("type", "stdio")
    if not isinstance(transport, str) or transport not in TRANSPORTS:
        message = f"must be {one_of(TRANSPORTS)}, not {quoted(transport)}"
        hint = did_you_mean(str(transport), TRANSPORTS)
        return [NOT_A_CHOICE.problem(message, ("type",), hint=hint)]
    return TRANSPORTS[transport].check(config)
