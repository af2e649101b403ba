"""What the hooks of a subagent are: commands and the like, by event.

The bounds are those of Claude Code, which loses every agent over one bad hook.
"""

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from immutabledict import immutabledict

from subspec import facts
from subspec.problems import (
    MISSING_KEY,
    NOT_A_CHOICE,
    UNKNOWN_KEY,
    Problem,
    below,
    did_you_mean,
    quoted,
)
from subspec.shapes import MoreThan, NotBlank, Shape, choice, list_of, record, shape_of, wrong_type
from subspec.urls import is_url

EVENTS = facts.HOOK_EVENTS

_TEXT = shape_of(str)
_FLAG = shape_of(bool)
_SOME_TEXT = shape_of(Annotated[str, NotBlank()])
_ON_FAILURE = shape_of(Literal["continue", "block"])
_COMMON = {
    "type": _TEXT,
    "if": _TEXT,
    "timeout": shape_of(Annotated[float, MoreThan(0)]),
    "statusMessage": _TEXT,
    "once": _FLAG,
}


def _url(value: object) -> Sequence[Problem]:
    if problems := _TEXT.check(value):
        return problems
    if is_url(str(value)):
        return ()
    return [NOT_A_CHOICE.problem(f"must be a URL, not {quoted(value)}")]


KINDS: dict[str, Shape] = {
    "command": record(
        {"command": _TEXT},
        {
            **_COMMON,
            "args": shape_of(tuple[str, ...]),
            "shell": shape_of(Literal["bash", "powershell"]),
            "onFailure": _ON_FAILURE,
            "async": _FLAG,
            "asyncRewake": _FLAG,
            "holdsTools": _FLAG,
            "rewakeMessage": _SOME_TEXT,
            "rewakeSummary": _SOME_TEXT,
        },
    ),
    "prompt": record({"prompt": _TEXT}, {**_COMMON, "model": _TEXT, "continueOnBlock": _FLAG}),
    "agent": record({"prompt": _TEXT}, {**_COMMON, "model": _TEXT}),
    "http": record(
        {"url": Shape("a URL", _url)},
        {
            **_COMMON,
            "onFailure": _ON_FAILURE,
            "headers": shape_of(immutabledict[str, str]),
            "allowedEnvVars": shape_of(tuple[str, ...]),
        },
    ),
    "mcp_tool": record(
        {"server": _TEXT, "tool": _TEXT},
        {**_COMMON, "input": shape_of(immutabledict[str, Any])},
    ),
}
"""The kinds of hooks, by their ``type``."""

_KIND = choice(KINDS)


class HookTable:
    """The mapping holds lists of matchers by event, each with hooks that Claude Code takes."""

    def __call__(self, value: Mapping[str, Any], /) -> Sequence[Problem]:
        """Check the hooks of an agent."""
        problems: list[Problem] = []
        for event, matchers in value.items():
            if event not in EVENTS:
                hint = did_you_mean(event, EVENTS)
                message = f"Claude Code has no event {quoted(event)}"
                problems.append(UNKNOWN_KEY.problem(message, (event,), hint=hint))
            problems += below((event,), _MATCHERS.check(matchers))
        return problems


def _hook(value: object) -> Sequence[Problem]:
    if not isinstance(value, Mapping):
        return (wrong_type("a mapping", value),)
    if "type" not in value:
        return (MISSING_KEY.problem("requires type"),)
    chosen = value["type"]
    if problems := _KIND.check(chosen):
        return below(("type",), problems)
    return KINDS[chosen].check(value)


_HOOKS = list_of(Shape("a mapping", _hook))
_MATCHERS = list_of(record({"hooks": _HOOKS}, {"matcher": _TEXT}))
