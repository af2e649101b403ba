"""What of an agent goes along to another program: only what means the same there.

A file may hold keys and names that its own program passes over. In the file of another program they
could be live: a permission, a program that is run. So they never go along by likeness.
"""

from collections.abc import Mapping

from attrs import evolve

from subspec.formats.agent_text import holds_back
from subspec.formats.registry import SPELLINGS
from subspec.formats.spelling import Lost, Own, Spelling, always
from subspec.formats.tool_keys import one_of_all
from subspec.formats.tool_names import is_claude_codes
from subspec.spec import SubagentSpec
from subspec.structure import plain

CANONICAL = "agents"
_TOOLSET = "pydantic_ai"

_TITLES = {
    CANONICAL: "the canonical format",
    "claude_cli": "Claude Code",
    "claude_code": "Claude Code",
    "holodeck": "HoloDeck",
    _TOOLSET: "subagents-pydantic-ai",
}
_TOOLSET_KEYS = """
    can_ask_questions contain_errors max_questions max_retries on_failure preferred_mode
    retry_backoff_multiplier retry_initial_delay retry_jitter retry_max_delay typical_complexity
    typically_needs_context
""".split()
_TOOLSET_OWN = {
    **dict.fromkeys(_TOOLSET_KEYS, Own(is_harmless=always)),
    **dict.fromkeys(("agent_kwargs", "context_files", "extra"), Own()),
}


def carried(spec: SubagentSpec, source: str | None, to: str) -> tuple[SubagentSpec, list[Lost]]:
    """Leave out what would mean something else, or nothing that was meant, in another format.

    Args:
        spec: An agent.
        source: The name of the format that it was read from; None: it was made in Python, and all
            that it says is meant.
        to: The name of the format that it is to be said in.
    """
    if source is None:
        return spec, []
    losses = [] if to in (source, CANONICAL) else _lost_keys(spec, source, to)
    gone = {each.field.removeprefix("extra.") for each in losses}
    extra = {key: spec.extra[key] for key in spec.extra if key not in gone}
    tools = [name for name in spec.tools or () if _goes_along(name, spec, source, to)]
    foreign = [name for name in spec.tools or () if name not in tools]
    if source == _TOOLSET and to != source and spec.tools is None:
        reason = "its tools are given in code, which no file says"
        losses = [Lost("tools", reason, "the agent gets every tool", widens=True), *losses]
    if not foreign:
        return (evolve(spec, extra=extra) if gone else spec), losses
    reason = f"{_title(source)} has no {one_of_all(foreign)}"
    lost_tools = Lost("tools", reason, "it is left out")
    return evolve(spec, extra=extra, tools=tools), [lost_tools, *losses]


def _lost_keys(spec: SubagentSpec, source: str, to: str) -> list[Lost]:
    own, there = _own_keys(source), _own_keys(to)
    losses = []
    for key, value in plain(spec).get("extra", {}).items():
        known = there.get(key)
        if source == CANONICAL:
            is_same = known is not None and known.is_harmless(value)
        else:
            meaning = None if known is None or key not in own else known.means
            is_same = meaning is not None and own[key].means == meaning
        if not is_same:
            reason, instead = _why(key, source, to)
            losses.append(Lost(f"extra.{key}", reason, instead, holds_back(key, value)))
    return losses


def _why(key: str, source: str, to: str) -> tuple[str, str]:
    left_out = "it is left out"
    if source == CANONICAL:
        if key not in _own_keys(to):
            return f"{_title(to)} does not know the key {key}", left_out
        reason = f"{key} can allow or run something in {_title(to)}, so only its own file says it"
        return reason, f"{left_out}; write it there by hand"
    spelling = _spelling(source)
    is_known = key in _own_keys(source) or (spelling is not None and key in spelling.keys)
    return f"{'only' if is_known else 'nothing in'} {_title(source)} reads {key}", left_out


def _goes_along(name: str, spec: SubagentSpec, source: str, to: str) -> bool:
    """Tell whether a tool is one that the agent had, or one that is nothing there either."""
    is_unknown = spec.origin is not None and name in spec.origin.unknown_tools
    if is_claude_codes(name):
        return not is_unknown
    return name not in _own_tools(to) or (not is_unknown and name in _own_tools(source))


def _spelling(name: str) -> Spelling | None:
    return next(SPELLINGS.usable([name]), None) if name in SPELLINGS else None


def _title(name: str) -> str:
    spelling = _spelling(name)
    return _TITLES.get(name, name) if spelling is None else spelling.title


def _own_keys(name: str) -> Mapping[str, Own]:
    if name == _TOOLSET:
        return _TOOLSET_OWN
    spelling = _spelling(name)
    return {} if spelling is None else spelling.own


def _own_tools(name: str) -> frozenset[str]:
    spelling = _spelling(name)
    keys = () if spelling is None else spelling.keys.values()
    return frozenset().union(*(key.names.own for key in keys if key.names is not None))
