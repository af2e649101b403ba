"""Keys that are no longer supported, and what to do instead."""

from collections.abc import Mapping
from typing import Any

from attrs import frozen

from subspec.problems import LEGACY_KEY, Fix, Problem


@frozen
class LegacyKey:
    """A key that once had a meaning."""

    key: str
    message: str
    since: str
    """The version of the format that dropped it."""

    fix: str
    """How to get rid of it, in one step."""


CONFIG_KEYS = (
    LegacyKey(
        key="subagents",
        message=(
            "claude.subagents is no longer supported; remove this block. Subagent forwarding is"
            " gated solely by the presence of claude.agents. To cap HoloDeck-side test"
            " concurrency, set execution.parallel_test_cases instead."
        ),
        since="HoloDeck 029 (2026-04)",
        fix="remove the block",
    ),
)
"""Keys of a configuration."""


def legacy_problems(data: Mapping[str, Any]) -> list[Problem]:
    """Refuse the legacy keys that a configuration gives."""
    return [
        LEGACY_KEY.problem(legacy.message, (legacy.key,), fix=Fix("remove"))
        for legacy in CONFIG_KEYS
        if legacy.key in data
    ]


def is_legacy(key: str) -> bool:
    """Tell whether a key of a configuration has been refused as legacy."""
    return any(legacy.key == key for legacy in CONFIG_KEYS)
