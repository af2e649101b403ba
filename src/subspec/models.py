"""What a model name is: an alias of Claude Code's, or an id."""

from typing import Literal

from subspec import facts
from subspec.problems import one_of

ALIASES = facts.MODEL_ALIASES

LONG_CONTEXT = "[1m]"
"""Ending that asks for the long context window."""

Verdict = Literal["known", "unusual", "unknown"]


def judge(model: str) -> Verdict:
    """Tell an alias or a Claude id (``known``) from another id (``unusual``) and from neither.

    Other ids are for gateways: they reach the API as they are. A single word without a digit or a
    separator is no id anywhere, so it is a misspelt alias; and an id holds no blanks.

    >>> judge("sonnet"), judge("claude-sonnet-4-5"), judge("gpt-4"), judge("sonet")
    ('known', 'known', 'unusual', 'unknown')
    """
    name = model.strip().lower().removesuffix(LONG_CONTEXT)
    if name in ALIASES:
        return "known"
    if not name or any(character.isspace() for character in name):
        return "unknown"
    if "claude" in name:
        return "known"
    return "unknown" if name.isalpha() else "unusual"


def replaced(model: str) -> str | None:
    """Give the model that Claude Code takes in place of a retired one; None for all others.

    >>> replaced("claude-opus-4-1-20250805")
    'claude-opus-5-5'
    """
    name = model.strip().lower()
    return next((new for old, new in facts.RETIRED_MODELS.items() if name.startswith(old)), None)


def choices() -> str:
    """List the aliases for a message."""
    return one_of(ALIASES)
