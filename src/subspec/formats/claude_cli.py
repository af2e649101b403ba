"""The JSON map of agents that ``claude --agents`` takes, in camelCase.

.. code-block:: json

    {"analyst": {"description": "Analyses data.", "prompt": "You analyse.", "maxTurns": 8}}

Null is refused for every key, as Claude Code refuses it. ``prompt_file`` is no key of it.
"""

from typing import Any

from attrs import fields

from subspec.formats.table import Format, Key
from subspec.spec import SubagentSpec

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
    if not isinstance(data, dict) or not data:
        return False
    return all(
        isinstance(entry, dict) and (type(entry.get("description")) is str or "prompt" in entry)
        for entry in data.values()
    )


_FIELDS = [attribute.name for attribute in fields(SubagentSpec) if attribute.name not in NOT_SPOKEN]

FORMAT = Format(
    name="claude_cli",
    title="claude --agents",
    agents_key=None,
    agent_keys={camel(name): Key(name) for name in _FIELDS},
    null="error",
    recognises=_recognises,
)
"""The map that ``claude --agents`` takes."""
