"""JSON Schemas of the files of other programs: made from their tables, and from their classes.

They are committed and shipped like those of Claude's formats, and hold to the same rule: what
gives no problem is taken. Of Markdown they say what the front matter is.
"""

# What is declared for reading is looked at here, also where no other module has a use for it.
# ruff: noqa: SLF001

from collections.abc import Mapping
from typing import Any

from attrs import fields

from subspec import formats
from subspec.formats import opencode, values
from subspec.formats import pydantic_ai as shapes
from subspec.formats.server_keys import Servers
from subspec.formats.spelling import Key, Own, Spelling
from subspec.formats.subagent_config import SubAgentSpec
from subspec.formats.tool_keys import ToolList
from subspec.schema.texts import ABOUT, about_keys, docs_in, prose
from subspec.schema.values import NEVER, SOME_TEXT, Schema, held_by, nullable, of_field, or_null
from subspec.shapes import shape_of
from subspec.spec import SubagentSpec

_TEXT: Schema = {"type": "string"}
_TEXTS: Schema = {"type": "array", "items": _TEXT}
_NUMBER: Schema = {"type": "number"}
_FLAG: Schema = {"type": "boolean"}
_MAP: Schema = {"type": "object"}

_NOT_NULL = frozenset({"description", "tools", "disallowed_tools"})


def of_program(table: Spelling) -> tuple[str, Schema]:
    """Make the title and the body of the schema of one program's files."""
    names = {key.fields[0]: name for name, key in table.keys.items()}
    properties: Schema = {"name": {"description": ABOUT["name"], **SOME_TEXT}}
    required = ["name", "description"] if table.needs_name else ["description"]
    for name, key in table.keys.items():
        said = _of_key(key)
        null = said if _NOT_NULL & {*key.fields} else or_null(said)
        first = key.fields[0]
        about = _ABOUT_KEYS.get(first) or about_keys(SubagentSpec, {**names, first: name})[name]
        properties[name] = {"description": about, **null}
    if table.prompt_key is not None:
        properties[table.prompt_key] = {"description": ABOUT["prompt"], **SOME_TEXT}
        required.append(table.prompt_key)
    for name, own in table.own.items():
        properties[name] = {"description": _of_own(table, own), **or_null(_of_check(own))}
    for name, why in table.ignored.items():
        text = f"{table.title} does not read it: {why}."
        properties[name] = {"description": text, **NEVER}
    body: Schema = {"type": "object", "properties": properties, "required": required}
    if table.unknown == "error":
        body["additionalProperties"] = False
    return table.title, body


_ABOUT_KEYS = {
    "tools": "The tools that it may use, by the names that they have in this program.",
    "disallowed_tools": "The tools that are taken away, by the names that they have there.",
    "model": "The model, by a name that this program knows.",
    "mcp_servers": "Its MCP servers, by name.",
}
"""What is said of keys whose values are not those of Claude Code."""


def _of_own(table: Spelling, own: Own) -> str:
    effect = "it can hold the agent back" if own.restricts is not False else "kept as it is"
    return f"Read by {table.title} alone; {effect}."


def _of_key(key: Key) -> Schema:
    reader = getattr(key.read, "__self__", None)
    if isinstance(reader, ToolList):
        return _of_tools(reader)
    if isinstance(reader, Servers):
        return {"type": ["object", "array"], "items": _TEXT} if reader.lists_names else _MAP
    if key.read is opencode._read_tools:
        names = {name: {"description": _TOOL, **_FLAG} for name in _offered(opencode.TOOLS)}
        return {"type": "object", "properties": names, "additionalProperties": _FLAG}
    held = held_by(key.read)
    if "words" in held:
        return {"enum": [*held["words"], *held["more"]]}
    if "names" in held:
        return _list_of(_offered(held["names"]), commas=True)
    if key.fields == ("model",):
        # Some take a list of models, of which the first that there is counts.
        return {"type": ["string", "array"], "items": _TEXT}
    return of_field(SubagentSpec, key.fields[0])


_TOOL = "Whether the agent has this tool."


def _offered(names: Any) -> list[str]:
    return [tool.name for tool in names.tools]


def _of_tools(tools: ToolList) -> Schema:
    every = [] if tools.everything is None else [tools.everything]
    said = _list_of([*every, *_offered(tools.names)], commas=tools.commas)
    return {"anyOf": [{"enum": [*tools.groups]}, said]} if tools.groups else said


def _list_of(names: list[str], *, commas: bool) -> Schema:
    # Editors offer what stands in an enum.
    item = {"anyOf": [{"enum": names}, _TEXT]}
    return {"type": ["array", "string"] if commas else "array", "items": item}


def _of_check(own: Own) -> Schema:
    if own.check is opencode._check_permission:
        actions: Schema = {"enum": list(opencode._ACTIONS)}
        rules = {"type": "object", "additionalProperties": actions}
        by_tool = {"type": "object", "additionalProperties": {"anyOf": [actions, rules]}}
        return {"anyOf": [*[{"enum": [each]} for each in opencode._ACTIONS], by_tool]}
    if own.check is None:
        return {}
    if own.check in _CHECKS:
        return _CHECKS[own.check]
    return {"enum": list(held_by(own.check)["words"])}


_CHECKS: Mapping[Any, Schema] = {
    values.check_flag: _FLAG,
    values.check_map: _MAP,
    values.check_names: _TEXTS,
    values.check_number: _NUMBER,
    values.check_text: _TEXT,
}


def of_toolset() -> tuple[str, Schema]:
    """Make the title and the body of the schema of subagents-pydantic-ai's files."""
    entries = {"type": "array", "items": _entry()}
    arguments = {
        "type": ["array", "object", "null"],
        "items": _entry(),
        "properties": {shapes.LIST: {"description": ABOUT["agents"], **entries}},
    }
    given = {"description": "What the capability is given.", **arguments}
    named = {"properties": {shapes.CAPABILITY: given}}
    in_full = {"properties": {"arguments": given}}
    name = {"name": {"const": shapes.CAPABILITY}}
    is_in_full = {"type": "object", "properties": name, "required": ["name"]}
    capability = {"if": is_in_full, "then": in_full, "else": named}
    document = {
        "type": "object",
        "properties": {
            shapes.LIST: {"description": "The subagents.", **entries},
            "capabilities": {
                "description": "What an agent of Pydantic AI can do; subagents are one of it.",
                "items": capability,
            },
        },
        "anyOf": [{"required": [shapes.LIST]}, {"required": ["capabilities"]}],
    }
    return "subagents-pydantic-ai", {"anyOf": [entries, document]}


def _entry() -> Schema:
    docs = docs_in(SubAgentSpec.__module__)[SubAgentSpec.__name__]
    properties: Schema = {}
    for each in fields(SubAgentSpec):
        if each.name != "origin":
            annotation: Any = each.type
            said = nullable(shape_of(annotation), {}, None)
            properties[each.name] = {"description": prose(docs[each.name], {}), **said}
    return {
        "type": "object",
        "properties": properties,
        "required": ["name"],
        "additionalProperties": False,
    }


def of(format: str) -> tuple[str, Schema]:
    """Make the title and the body of the schema of a format."""
    if format == formats.PYDANTIC_AI:
        return of_toolset()
    return of_program(formats.SPELLINGS[format])
