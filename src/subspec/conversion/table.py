"""What each format can say: a table of fields, made from the tables of the formats."""

from collections.abc import Mapping

from attrs import fields

from subspec.formats import CLAUDE_CODE, FORMATS, PYDANTIC_AI, SPELLINGS
from subspec.formats.claude_keys import KEYS
from subspec.formats.registry import OURS
from subspec.formats.toolset import TITLE as TOOLSETS
from subspec.spec import SubagentSpec

FIELDS = tuple(each.name for each in fields(SubagentSpec) if each.name not in ("origin", "extra"))

_TOOLSET_KEYS = {"description": "description", "prompt": "instructions", "model": "model"}
_BODY = "the body"


def keys_of(name: str) -> Mapping[str, str]:
    """Give the keys under which one of our formats says the fields of an agent."""
    if name == PYDANTIC_AI:
        return _TOOLSET_KEYS
    if name == CLAUDE_CODE:
        found = {key.field: name for name, key in KEYS.items() if key.field != "name"}
        return {**found, "prompt": _BODY}
    if name in FORMATS:
        table = FORMATS[name].agent_keys
        if table is None:
            return {field: field for field in FIELDS}
        return {key.field: name for name, key in table.items()}
    spelling = SPELLINGS[name]
    by = {field: f"by {name}" for name, key in spelling.keys.items() for field in key.fields[1:]}
    own = {key.fields[0]: name for name, key in reversed(tuple(spelling.keys.items()))}
    return {**by, **own, "prompt": spelling.prompt_key or _BODY}


def title_of(name: str) -> str:
    """Give what one of our formats is called in sentences."""
    if name == PYDANTIC_AI:
        return TOOLSETS
    if name == CLAUDE_CODE:
        return "Claude Code"
    return FORMATS[name].title if name in FORMATS else SPELLINGS[name].title


def fields_by_formats() -> str:
    """Write the table of fields and formats, in Markdown."""
    said = {name: keys_of(name) for name in sorted([*FORMATS, CLAUDE_CODE, PYDANTIC_AI, *OURS])}
    usual: list[str] = []
    rare: list[str] = []
    for field in FIELDS:
        others = [name for name, keys in said.items() if field in keys and name not in _CLAUDES]
        (usual if others else rare).append(field)
    lines = [f"| field | {' | '.join(f'`{name}`' for name in said)} |"]
    lines.append(f"| --- |{' --- |' * len(said)}")
    for field in usual:
        cells = (_cell(keys.get(field)) for keys in said.values())
        lines.append(f"| `{field}` | {' | '.join(cells)} |")
    names = ", ".join(f"`{field}`" for field in rare)
    lines += ["", f"Only the formats of Claude Code and the canonical one say {names}."]
    return "\n".join(lines)


_CLAUDES = ("agents", "claude_cli", "claude_code")


def _cell(key: str | None) -> str:
    if key is None or key == _BODY:
        return key or ""
    return f"by `{key.removeprefix('by ')}`" if key.startswith("by ") else f"`{key}`"


def sources() -> str:
    """Write where the rules of each program are written, and when that was looked at."""
    tables = [SPELLINGS[name] for name in OURS]
    return "\n".join(
        f"| `{table.name}` | {table.title} | `{'/'.join(table.directories[0])}/NAME{table.suffix}`"
        f" | {table.source} | {table.seen} |"
        for table in tables
    )
