"""Schemas of the files of Claude's formats: YAML and JSON, and the front matter of Markdown."""

# What is declared for the checks is read here, also where no other module has a use for it.
# ruff: noqa: SLF001

from collections.abc import Mapping
from typing import get_args

from attrs import NOTHING, AttrsInstance, fields

from subspec import tools
from subspec.formats import claude_keys, holodeck
from subspec.formats.claude_code import MAX_NAME
from subspec.formats.table import Format, Key
from subspec.schema.texts import ABOUT, ABOUT_THINKING, PROMPT_FILE, about_keys
from subspec.schema.values import (
    INTEGER,
    NEVER,
    SOME_TEXT,
    Schema,
    any_case,
    fields_of,
    held_by,
    of_field,
    of_shape,
    or_null,
    ref,
)
from subspec.shapes import shape_of
from subspec.spec import ClaudeConfig, EffortLevel, SubagentSpec
from subspec.structure.converter import _LISTS_OF_TOOLS
from subspec.structure.legacy import CONFIG_KEYS

_AGENT_NAME: Schema = {
    "pattern": r"\S",
    "not": {"anyOf": [{"pattern": "^-"}, {"const": "__proto__"}]},
}
# JavaScript has fewer blanks than Python, and its own are meant wherever a schema is read.
_SOME_TEXT_IN_JAVASCRIPT: Schema = {"type": "string", "pattern": r"[\S\u001c-\u001f\u0085]"}

_OF_THE_HOST = "Read by HoloDeck alone; kept as it is."
_NOT_HERE = "Hooks stand under `hooks`: Claude Code drops an agent that has them here."


def document(fmt: Format) -> Schema:
    """Make the body of the schema of a format in YAML or JSON."""
    agents = {
        "type": "object",
        "propertyNames": _AGENT_NAME,
        "additionalProperties": _agent(fmt),
    }
    if fmt.agents_key is None:
        return agents
    config = _config(fmt, agents)
    if not fmt.section:
        return config
    (section,) = fmt.section
    elsewhere = f"Put it under `{section}`: {fmt.title} does not read it here."
    return {
        "type": "object",
        "properties": {
            section: {"description": ABOUT[section], **or_null(config)},
            fmt.agents_key: {"description": elsewhere, **NEVER},
        },
    }


def _agent(fmt: Format) -> Schema:
    keys = fmt.agent_keys
    if keys is None:
        keys = {**_own_keys(SubagentSpec), PROMPT_FILE: Key(PROMPT_FILE)}
    required = [name for name, key in keys.items() if _is_required(key.field)]
    one = {}
    if PROMPT_FILE in keys:
        required.remove("prompt")
        # Null says of either that it is not given.
        one["oneOf"] = [
            {"properties": {name: {"type": "string"}}, "required": [name]}
            for name in ("prompt", PROMPT_FILE)
        ]
    properties = _properties(fmt, SubagentSpec, keys)
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        **one,
        "additionalProperties": False,
    }


def _config(fmt: Format, agents: Schema) -> Schema:
    keys = fmt.config_keys
    if keys is None:
        keys = _own_keys(ClaudeConfig)
    properties = _properties(fmt, ClaudeConfig, {str(fmt.agents_key): Key("agents"), **keys})
    properties[str(fmt.agents_key)] |= or_null(agents)
    for key in fmt.folded_keys:
        properties[key] = {"description": ABOUT[key], **or_null(of_shape(shape_of(bool)))}
    for key in fmt.kept_keys:
        properties[key] = {"description": _OF_THE_HOST}
    for legacy in CONFIG_KEYS:
        properties[legacy.key] = {"description": legacy.message, "deprecated": True, **NEVER}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _own_keys(cls: type[AttrsInstance]) -> dict[str, Key]:
    return {each.name: Key(each.name) for each in fields(cls) if each.name != "origin"}


def _is_required(name: str) -> bool:
    attribute = fields_of(SubagentSpec).get(name)
    return attribute is not None and attribute.default is NOTHING


def _properties(fmt: Format, cls: type[AttrsInstance], keys: Mapping[str, Key]) -> Schema:
    about = about_keys(cls, {key.field: name for name, key in keys.items()})
    properties = {}
    for name, key in keys.items():
        value = _value(cls, key)
        if fmt.null == "unset" and key.field not in _NOT_NULL:
            value = or_null(value)
        properties[name] = {"description": about[name], **value}
    return properties


_NOT_NULL = ("description", *_LISTS_OF_TOOLS)
"""Fields for which null is refused or warned of even where it leaves others unset."""


def _value(cls: type[AttrsInstance], key: Key) -> Schema:
    if key.field == "agents":
        return {}
    if key.field == PROMPT_FILE:
        return SOME_TEXT
    said = of_field(cls, key.field)
    if key.read is None:
        return said
    if key.read is holodeck._read_thinking:
        return of_shape(holodeck._THINKING, ABOUT_THINKING)
    if key.read is holodeck._read_sources:
        return {"anyOf": [said, {"const": ["all"]}]}
    return of_shape(held_by(key.read)["shape"])


# The front matter of Markdown.


def front_matter() -> Schema:
    """Make the body of the schema of what stands above the prompt in Markdown."""
    keys = claude_keys.KEYS
    about = about_keys(SubagentSpec, {key.field: name for name, key in keys.items()})
    properties: Schema = {}
    for name, key in keys.items():
        said = _of_front_matter(name, key)
        if name not in _NOT_NULL_IN_FRONT_MATTER and not key.reads_null:
            said = or_null(said)
        properties[name] = {"description": about[name], **said}
    for name in _MISSPELT:
        properties[name] = {"description": _why_not(name), **NEVER}
    for name in sorted(claude_keys.GUARDS):
        properties[name] = {"description": _NOT_HERE, **NEVER}
    return {"type": "object", "properties": properties, "required": ["name", "description"]}


_NOT_NULL_IN_FRONT_MATTER = ("name", "description")

_MISSPELT = (
    *("allowed-tools", "allowed_tools", "allowedTools"),
    *("disallowed-tools", "disallowed_tools", "permission-mode", "permission_mode"),
)
"""Keys that Claude Code ignores, of which each was meant to hold an agent back."""


def _why_not(name: str) -> str:
    (problem,) = claude_keys.read_keys({name: ""})[1]
    return f"{problem.message}; {problem.hint}"


def _of_front_matter(name: str, key: claude_keys.Key) -> Schema:
    """Say what Claude Code takes without a word: more than it does of JSON."""
    if name == "name":
        return _NAME
    if name == "description":
        return SOME_TEXT
    held = held_by(key.read)
    if "choices" in held:
        return {"enum": list(dict.fromkeys([*held["choices"], *(held["aliases"] or ())]))}
    if "smallest" in held:
        number = {**INTEGER, "minimum": held["smallest"]}
        return {"anyOf": [number, {"type": "string", "pattern": r"^\s*\+?[0-9]*[1-9]"}]}
    return _READ_BY[key.read]


_NAME: Schema = {
    "type": "string",
    "maxLength": MAX_NAME,
    "pattern": r"\S",
    "not": {"anyOf": [{"pattern": "^-|:"}, {"const": "__proto__"}]},
}

_LIST_OR_TEXT: Schema = {"type": ["array", "string"], "items": ref("tool")}
_LEVELS: tuple[str, ...] = get_args(EffortLevel)
_READ_BY: Mapping[object, Schema] = {
    claude_keys._text: _SOME_TEXT_IN_JAVASCRIPT,
    claude_keys._name: _SOME_TEXT_IN_JAVASCRIPT,
    claude_keys._tools: _LIST_OR_TEXT,
    claude_keys._disallowed_tools: {
        **_LIST_OR_TEXT,
        "items": {**ref("tool"), "not": {"const": tools.EVERY_TOOL}},
    },
    claude_keys._skills: {"type": ["array", "string"], "items": {"type": "string"}},
    claude_keys._model: ref("model"),
    claude_keys._flag: {"enum": [True, False, "true", "false"]},
    claude_keys._effort: {
        "anyOf": [
            {"enum": [*_LEVELS]},
            INTEGER,
            {"type": "string", "pattern": any_case([*_LEVELS, *claude_keys._LEVELS, "[0-9]+"])},
        ]
    },
    claude_keys._servers: {"type": "array", "items": ref("server")},
    claude_keys._hooks: ref("hooks"),
    claude_keys._sees_results: {
        "anyOf": [
            {"enum": [True, False, 1, 0]},
            {"type": "string", "pattern": any_case([*claude_keys._YES, *claude_keys._NO])},
        ]
    },
}
"""What each reader of a key takes."""
