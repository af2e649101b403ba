"""The canonical format: every field by its own name, in YAML or JSON.

.. code-block:: yaml

    agents:
      analyst:
        description: Analyses data and finds outliers.
        prompt_file: prompts/analyst.md
        tools: [Read, mcp__db__query]
        model: haiku
    permission_mode: acceptEdits
"""

from subspec.formats.table import Format

FORMAT = Format(
    name="agents",
    title="the canonical format",
    # What no other format knows is read as this one, so that its problems say what is wrong.
    recognises=lambda _: True,
)
"""The canonical format."""
