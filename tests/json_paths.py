"""Where a JSON Schema refuses data, spelt alike by all versions of jsonschema."""

from jsonschema import ValidationError


def json_path(error: ValidationError) -> str:
    """Name the place of an error: ``$.agents.writer.skills[1]``."""
    parts = (f"[{part}]" if isinstance(part, int) else f".{part}" for part in error.absolute_path)
    return "".join(["$", *parts])
