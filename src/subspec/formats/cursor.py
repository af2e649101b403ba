"""Cursor: Markdown files, one agent each.

.. code-block:: markdown

    ---
    name: analyst
    description: Analyses data and finds outliers.
    model: inherit
    readonly: true
    ---

    You analyse data.

There is no list of tools: an agent has those of its parent, and ``readonly`` takes away all that
write. Its reader of front matter is a simple one, so texts are written on one line.
"""

from subspec.formats.spelling import Own, Spelling, if_true
from subspec.formats.values import check_flag, model, same

SPELLING = Spelling(
    name="cursor",
    title="Cursor",
    source="https://cursor.com/docs/agent/subagents",
    seen="2026-08",
    medium="markdown",
    directories=((".cursor", "agents"),),
    suffix=".md",
    needs_name=False,
    plain_yaml=True,
    keys={
        "description": same("description"),
        "model": model(aliases=("inherit", "fast")),
        "is_background": same("background"),
    },
    own={"readonly": Own(if_true, check_flag, is_harmless=if_true)},
    ignored={
        "tools": "the agent has every tool",
        "disallowedTools": "no tool is taken away",
        "permissionMode": "the agent runs with the permissions of its parent",
        "maxTurns": "nothing ends its run",
    },
)
"""Cursor's agents."""
