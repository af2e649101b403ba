"""Factory: droids, which are Markdown files, one each.

.. code-block:: markdown

    ---
    name: analyst
    description: Analyses data and finds outliers.
    model: inherit
    tools: [Read, Grep]
    ---

    You analyse data.

No ``tools`` are all tools; a word such as ``read-only`` stands for a list of them.
"""

from subspec.formats.gemini import SPELLING as GEMINI
from subspec.formats.gemini import slug
from subspec.formats.server_keys import Servers
from subspec.formats.spelling import Spelling
from subspec.formats.tool_keys import ToolList
from subspec.formats.tool_names import Tool, ToolNames
from subspec.formats.values import choice, model, same

TOOLS = ToolNames(
    (
        Tool("Read", ("Read",)),
        Tool("LS", ("LS",)),
        Tool("Grep", ("Grep",)),
        Tool("Glob", ("Glob",)),
        Tool("Create", ("Write",)),
        Tool("Edit", ("Edit",), ("MultiEdit",)),
        Tool("Execute", ("Bash",)),
        Tool("WebSearch", ("WebSearch",)),
        Tool("FetchUrl", ("WebFetch",)),
        Tool("TodoWrite", ("TodoWrite",)),
    ),
    own=frozenset({"ApplyPatch", "AskUser", "ExitSpecMode", "Skill", "Task"}),
    is_closed=True,
)

GROUPS = {
    "read-only": ("Read", "LS", "Grep", "Glob"),
    "edit": ("Create", "Edit", "ApplyPatch"),
    "execute": ("Execute",),
    "web": ("WebSearch", "FetchUrl"),
}

EFFORTS = {"low": "low", "medium": "medium", "high": "high"}

SPELLING = Spelling(
    name="factory",
    title="Factory",
    source="https://docs.factory.ai/cli/configuration/custom-droids",
    seen="2026-08",
    medium="markdown",
    directories=((".factory", "droids"),),
    suffix=".md",
    name_fault=GEMINI.name_fault,
    fitting=slug,
    keys={
        "description": same("description"),
        "model": model(aliases=("inherit",)),
        "reasoningEffort": choice(
            "effort", EFFORTS, more=("off", "none", "minimal", "xhigh", "max")
        ),
        "tools": ToolList(TOOLS, everything=None, groups=GROUPS).only_key(),
        "mcpServers": Servers(http=None, lists_names=True).key(),
    },
)
"""Factory's droids."""
