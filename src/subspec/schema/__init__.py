"""JSON Schemas of the formats, for editors: made from the classes, their checks and the tables.

They are committed in ``schemas/`` and shipped with the package. After a change they are written
anew by ``SUBSPEC_UPDATE_SCHEMAS=1 pytest tests/test_schema.py``.

A schema takes whatever gives no problem. Some things it cannot say, and takes more: which words
are a tool or a model, whether a prompt file is there, how deep and how large data may be.
"""

from copy import deepcopy
from importlib import import_module

from subspec.formats import CLAUDE_CODE, PYDANTIC_AI, find
from subspec.formats.registry import OURS
from subspec.schema import programs
from subspec.schema.claude import document, front_matter
from subspec.schema.texts import prose
from subspec.schema.values import Schema, with_definitions

__all__ = ["DIALECT", "Schema", "schema"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def schema(format: str = "agents") -> Schema:
    """Make the JSON Schema for the data of a file in a format.

    Args:
        format: The name of the format, one of ours; for Markdown the front matter is described.

    Raises:
        ValueError: There is no format of that name.
    """
    if format == CLAUDE_CODE:
        title, body = "Claude Code", front_matter()
    elif format == PYDANTIC_AI or format in OURS:
        title, body = programs.of(format)
    else:
        found = find(format)
        title, body = found.title, document(found)
    about = (import_module(f"subspec.formats.{format}").__doc__ or "").partition("\n\n")[0]
    made = {
        "$schema": DIALECT,
        "$id": f"urn:subspec:{format}",
        "title": f"Subagents: {title}",
        "description": prose(about, {}),
        **body,
        "$defs": with_definitions(body),
    }
    # Its parts are shared with other schemas, and whoever gets it may change it.
    return deepcopy(made)
