"""HoloDeck's ``agent.yaml``: the configuration lies under ``claude``, the rest is the host's.

HoloDeck's own keys are known. Those that ``ClaudeAgentOptions`` has an equivalent for are mapped to
it; those that only HoloDeck acts on are kept in :attr:`ClaudeConfig.extra`, and its other top-level
keys in :attr:`ClaudeConfig.host`. Source: HoloDeck, ``models/claude_config.py``, 2026-06.
"""

from collections.abc import Callable, Mapping
from typing import Annotated, Any

from subspec.formats.table import Data, Format, Key
from subspec.problems import (
    UNSAFE_MODE,
    Problem,
    SpecError,
    below,
)
from subspec.shapes import AtLeast, choice, record, shape_of

MODELS = ("sonnet", "opus", "haiku", "inherit")
PERMISSION_MODES = {
    "manual": "default",
    "acceptEdits": "acceptEdits",
    "acceptAll": "bypassPermissions",
}
EFFORTS = ("low", "medium", "high", "max")
SOURCES = ("user", "project", "local")
DEFAULT_BUDGET = 10_000
"""Tokens for thinking where ``extended_thinking`` names none."""

_FLAG = shape_of(bool)
_THINKING = record(
    {},
    {"enabled": _FLAG, "budget_tokens": shape_of(Annotated[int, AtLeast(1_000)])},
    closed=True,
)
_ACKNOWLEDGED = "i_understand_this_is_unsafe"

HOST_KEYS = (
    "bash",
    "file_system",
    "max_concurrent_sessions",
    "session_memory_estimate_mib",
    _ACKNOWLEDGED,
    "disable_default_hooks",
    "disable_subprocess_env_scrub",
)
"""Keys under ``claude`` that HoloDeck itself acts on."""


def _choice(choices: Mapping[str, str]) -> tuple[Callable[[Any], Any], Callable[[Any], Any]]:
    """Make the two directions of a table of values."""
    shape = choice(choices)
    back = {canonical: own for own, canonical in choices.items()}

    def read(value: Any) -> Any:
        if problems := shape.check(value):
            raise SpecError(problems)
        return choices[value]

    def write(value: Any) -> Any:
        if value not in back:
            raise ValueError(value)
        return back[value]

    return read, write


def _read_thinking(value: Any) -> Any:
    if not isinstance(value, Mapping):
        return value
    if problems := _THINKING.check(value):
        raise SpecError(problems)
    if not value.get("enabled", False):
        return {"type": "disabled"}
    return {"type": "enabled", "budget_tokens": value.get("budget_tokens", DEFAULT_BUDGET)}


def _write_thinking(value: Any) -> Any:
    if value == {"type": "disabled"}:
        return {"enabled": False}
    said = {"enabled": True, "budget_tokens": value.get("budget_tokens")}
    if value.keys() != {"type", "budget_tokens"} or value["type"] != "enabled":
        raise ValueError(value)
    if _THINKING.check(said):
        raise ValueError(value)
    return said


def _read_sources(value: Any) -> Any:
    return list(SOURCES) if value == ["all"] else value


def _finish(values: Data, raw: Data) -> list[Problem]:
    problems = []
    search = raw.get("web_search")
    if search is not None:
        problems += below(("claude", "web_search"), _FLAG.check(search))
    if search is True:
        allowed = values.get("allowed_tools", [])
        if isinstance(allowed, list) and "WebSearch" not in allowed:
            values["allowed_tools"] = [*allowed, "WebSearch"]
    if raw.get("permission_mode") == "acceptAll" and raw.get(_ACKNOWLEDGED) is not True:
        message = f"HoloDeck refuses permission_mode acceptAll without {_ACKNOWLEDGED}: true"
        problems.append(UNSAFE_MODE.problem(message, ("claude", "permission_mode")))
    return problems


def _recognises(data: Any) -> bool:
    if not isinstance(data, dict) or "agents" in data:
        # Where the agents stand at the top they are what is meant, whatever else stands there.
        return False
    return "claude" in data or ("instructions" in data and isinstance(data.get("model"), dict))


FORMAT = Format(
    name="holodeck",
    title="HoloDeck",
    section=("claude",),
    agent_keys={
        "description": Key("description"),
        "prompt": Key("prompt"),
        "prompt_file": Key("prompt_file"),
        "tools": Key("tools"),
        "model": Key("model", *_choice({name: name for name in MODELS})),
    },
    config_keys={
        "working_directory": Key("cwd"),
        "permission_mode": Key("permission_mode", *_choice(PERMISSION_MODES)),
        "max_turns": Key("max_turns"),
        "extended_thinking": Key("thinking", _read_thinking, _write_thinking),
        "allowed_tools": Key("allowed_tools"),
        "disallowed_tools": Key("disallowed_tools"),
        "effort": Key("effort", *_choice({name: name for name in EFFORTS})),
        "max_budget_usd": Key("max_budget_usd"),
        "fallback_model": Key("fallback_model"),
        "setting_sources": Key("setting_sources", _read_sources),
    },
    kept_keys=HOST_KEYS,
    folded_keys=("web_search",),
    recognises=_recognises,
    finish=_finish,
)
"""HoloDeck's ``agent.yaml``."""
