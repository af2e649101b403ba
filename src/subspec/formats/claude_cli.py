"""The JSON map of agents that ``claude --agents`` takes, in camelCase.

.. code-block:: json

    {"analyst": {"description": "Analyses data.", "prompt": "You analyse.", "maxTurns": 8}}

Null is refused for every key, as Claude Code refuses it. ``prompt_file`` is no key of it.
"""

from typing import Any

from attrs import fields

from subspec.formats.table import Format, Key
from subspec.spec import ClaudeConfig, SubagentSpec

NOT_SPOKEN = frozenset({"color", "extra", "origin"})
"""Fields that Claude Code strips from the map without a word."""


def camel(name: str) -> str:
    """Spell a field in camelCase.

    >>> camel("max_turns")
    'maxTurns'
    """
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def _recognises(data: Any) -> bool:
    if not isinstance(data, dict) or not data or "agents" in data:
        return False
    if not all(isinstance(entry, dict) for entry in data.values()):
        return False
    # What has the name of an option is one, unless it says nothing that an agent does not say.
    if any(name in _OPTIONS and not data[name].keys() <= _KEYS.keys() for name in data):
        return False
    return any(map(_is_agent, data.values()))


def _is_agent(entry: dict[str, Any]) -> bool:
    return isinstance(entry.get("description"), str) or isinstance(entry.get("prompt"), str)


_OPTIONS = {attribute.name for attribute in fields(ClaudeConfig)}
_KEYS = {
    camel(attribute.name): Key(attribute.name)
    for attribute in fields(SubagentSpec)
    if attribute.name not in NOT_SPOKEN
}

FORMAT = Format(
    name="claude_cli",
    title="claude --agents",
    agents_key=None,
    agent_keys=_KEYS,
    null="error",
    recognises=_recognises,
)
"""The map that ``claude --agents`` takes."""
