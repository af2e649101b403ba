"""JSON Schemas of the formats, for editors: made from the classes, their checks and the tables.

They are committed in ``schemas/`` and shipped with the package. After a change they are written
anew by ``SUBSPEC_UPDATE_SCHEMAS=1 pytest tests/test_schema.py``.

A schema takes whatever gives no problem. Some things it cannot say, and takes more: which words
are a tool or a model, whether a prompt file is there, how deep and how large data may be.
"""

# What is declared for the checks is read here, also where no other module has a use for it.
# ruff: noqa: SLF001

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from functools import cache
from importlib import import_module
from itertools import pairwise
from types import NoneType
from typing import Any, get_args

from attrs import NOTHING, Attribute, AttrsInstance, fields

from subspec import hooks, mcp, models, spec, tools
from subspec.formats import CLAUDE_CODE, PYDANTIC_AI, claude_keys, find, holodeck
from subspec.formats.claude_code import MAX_NAME
from subspec.formats.registry import OURS
from subspec.formats.table import Format, Key
from subspec.hooks import HookTable
from subspec.mcp import ServerReferences
from subspec.shapes import MAX_INTEGER, AtLeast, MoreThan, NotBlank, Shape, shape_of
from subspec.spec import ClaudeConfig, EffortLevel, SubagentSpec, ToolsPreset
from subspec.structure import rules
from subspec.structure.converter import _LISTS_OF_TOOLS
from subspec.structure.legacy import CONFIG_KEYS

Schema = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_PROMPT_FILE = "prompt_file"

_SOME_TEXT: Schema = {"type": "string", "pattern": r"\S"}
# JavaScript has fewer blanks than Python, and its own are meant wherever a schema is read.
_SOME_TEXT_IN_JAVASCRIPT: Schema = {"type": "string", "pattern": r"[\S\u001c-\u001f\u0085]"}
_INTEGER: Schema = {"type": "integer", "minimum": -MAX_INTEGER, "maximum": MAX_INTEGER}
_NULL: Schema = {"type": "null"}
_NEVER: Schema = {"not": {}}
_AGENT_NAME: Schema = {
    "pattern": r"\S",
    "not": {"anyOf": [{"pattern": "^-"}, {"const": "__proto__"}]},
}
_WEB = "[hH][tT][tT][pP][sS]?"

_ABOUT = {
    _PROMPT_FILE: "The file that holds the prompt, relative to this one. Instead of `prompt`.",
    "agents": "The subagents, by name.",
    "prompt": "The system prompt.",
    "claude": "The configuration of Claude and its subagents.",
    "extended_thinking": "How the model thinks.",
    "web_search": "Add `WebSearch` to the allowed tools.",
    "name": "What the agent is called, whatever the name of its file.",
}
"""What is said of keys that are no field, or of which a file has something else to say."""

_OF_THE_HOST = "Read by HoloDeck alone; kept as it is."
_NOT_HERE = "Hooks stand under `hooks`: Claude Code drops an agent that has them here."
_PASSED_ON = "Read by Claude Code, which takes any value."

_ABOUT_PRESETS = {"type": "Says that this is a preset.", "preset": "The name of the preset."}
_ABOUT_THINKING = {
    "enabled": "Whether the model thinks before it answers.",
    "budget_tokens": "How much it may think, in tokens.",
}
_ABOUT_SERVERS = {
    "type": "How the server is reached. One without is started as a program: `stdio`.",
    "timeout": "How long a call may take, in milliseconds.",
    "alwaysLoad": "Load its tools at once, not when they are searched for.",
    "bareElicitationCapability": "Announce elicitation without saying of which kind.",
    "role": _PASSED_ON,
    "command": "The program to run.",
    "args": "Its arguments.",
    "env": "Its environment variables.",
    "url": "Where the server is.",
    "headers": "Headers of each request.",
    "headersHelper": "A command that prints further headers, as JSON.",
    "oauth": "How to sign in.",
    "clientId": "The id of a client that is registered already.",
    "callbackPort": "The port on which the answer is awaited.",
    "scopes": "What to ask permission for, with blanks between.",
    "xaa": "Sign in by cross-app access.",
    "authServerMetadataUrl": "Where the server for signing in describes itself.",
    "discoveryCache": "Whether what the server offers is kept for later.",
    "tools": "How calls of single tools are permitted.",
    "name": "The name of the tool.",
    "permission_policy": "Whether to ask before a call of it.",
    "request_timeout_ms": _PASSED_ON,
    "displayName": _PASSED_ON,
    "orgMaxPermission": _PASSED_ON,
    "toolPermissions": "Whether calls of a tool are permitted, by its name.",
}
_ABOUT_HOOKS = {
    "matcher": "What the hooks are for, mostly a pattern for names of tools. Without: all.",
    "hooks": "What is done, all at the same time.",
    "type": "What kind of hook it is.",
    "if": "A rule like `Bash(git *)`: only calls that match it run the hook.",
    "timeout": "How long it may take, in seconds.",
    "statusMessage": "What is shown while it runs.",
    "once": "Run it at the first event only.",
    "command": "The command to run; it reads the event as JSON.",
    "args": "Its arguments, which no shell looks at.",
    "shell": "The shell that runs it.",
    "onFailure": "What happens when the hook itself fails.",
    "async": "Do not wait for it.",
    "asyncRewake": "Do not wait for it, and wake the model when it fails.",
    "holdsTools": "Hold tools back until it has ended.",
    "rewakeMessage": "What the model is told when it is woken.",
    "rewakeSummary": "What is shown when it is woken.",
    "prompt": "What a model is asked. `$ARGUMENTS` stands for the event, as JSON.",
    "model": "The model that is asked.",
    "continueOnBlock": "Go on when it says no, with its reason.",
    "url": "Where the event is sent, as JSON.",
    "headers": "Headers of the request.",
    "allowedEnvVars": "Environment variables that headers may name.",
    "server": "The MCP server that is called.",
    "tool": "The tool of it.",
    "input": "What the tool is given.",
}


def schema(format: str = "agents") -> Schema:
    """Make the JSON Schema for the data of a file in a format.

    Args:
        format: The name of the format, one of ours; for Markdown the front matter is described.

    Raises:
        ValueError: There is no format of that name.
    """
    if format == CLAUDE_CODE:
        title, body = "Claude Code", _front_matter()
    elif format == PYDANTIC_AI or format in OURS:
        from subspec import schema_tables  # noqa: PLC0415 - which is made of what is here

        title, body = schema_tables.of(format)
    else:
        found = find(format)
        title, body = found.title, _document(found)
    about = (import_module(f"subspec.formats.{format}").__doc__ or "").partition("\n\n")[0]
    made = {
        "$schema": DIALECT,
        "$id": f"urn:subspec:{format}",
        "title": f"Subagents: {title}",
        "description": _prose(about, {}),
        **body,
        "$defs": _with_definitions(body),
    }
    # Its parts are shared with other schemas, and whoever gets it may change it.
    return deepcopy(made)


def _document(fmt: Format) -> Schema:
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
            section: {"description": _ABOUT[section], **_or_null(config)},
            fmt.agents_key: {"description": elsewhere, **_NEVER},
        },
    }


def _agent(fmt: Format) -> Schema:
    keys = fmt.agent_keys
    if keys is None:
        keys = {**_own_keys(SubagentSpec), _PROMPT_FILE: Key(_PROMPT_FILE)}
    required = [name for name, key in keys.items() if _is_required(key.field)]
    one = {}
    if _PROMPT_FILE in keys:
        required.remove("prompt")
        # Null says of either that it is not given.
        one["oneOf"] = [
            {"properties": {name: {"type": "string"}}, "required": [name]}
            for name in ("prompt", _PROMPT_FILE)
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
    properties[str(fmt.agents_key)] |= _or_null(agents)
    for key in fmt.folded_keys:
        properties[key] = {"description": _ABOUT[key], **_or_null(_of_shape(shape_of(bool)))}
    for key in fmt.kept_keys:
        properties[key] = {"description": _OF_THE_HOST}
    for legacy in CONFIG_KEYS:
        properties[legacy.key] = {"description": legacy.message, "deprecated": True, **_NEVER}
    return {"type": "object", "properties": properties, "additionalProperties": False}


def _own_keys(cls: type[AttrsInstance]) -> dict[str, Key]:
    return {each.name: Key(each.name) for each in fields(cls) if each.name != "origin"}


def _is_required(name: str) -> bool:
    attribute = _fields(SubagentSpec).get(name)
    return attribute is not None and attribute.default is NOTHING


def _fields(cls: type[AttrsInstance]) -> dict[str, "Attribute[Any]"]:
    return {attribute.name: attribute for attribute in fields(cls)}


def _properties(fmt: Format, cls: type[AttrsInstance], keys: Mapping[str, Key]) -> Schema:
    about = _about(cls, {key.field: name for name, key in keys.items()})
    properties = {}
    for name, key in keys.items():
        value = _value(cls, key)
        if fmt.null == "unset" and key.field not in _NOT_NULL:
            value = _or_null(value)
        properties[name] = {"description": about[name], **value}
    return properties


_NOT_NULL = ("description", *_LISTS_OF_TOOLS)
"""Fields for which null is refused or warned of even where it leaves others unset."""


def _value(cls: type[AttrsInstance], key: Key) -> Schema:
    if key.field == "agents":
        return {}
    if key.field == _PROMPT_FILE:
        return _SOME_TEXT
    said = _of_field(cls, key.field)
    if key.read is None:
        return said
    if key.read is holodeck._read_thinking:
        return _of_shape(holodeck._THINKING, _ABOUT_THINKING)
    if key.read is holodeck._read_sources:
        return {"anyOf": [said, {"const": ["all"]}]}
    return _of_shape(_held(key.read)["shape"])


def _of_field(cls: type[AttrsInstance], name: str) -> Schema:
    rule = _RULES[cls].get(name)
    if rule is rules._model:
        return _ref("model")
    annotation: Any = _fields(cls)[name].type
    return _of_shape(shape_of(annotation), text=_ref("tool") if rule in _RULES_OF_TOOLS else None)


_RULES: dict[type[AttrsInstance], Mapping[str, rules.Rule]] = {
    SubagentSpec: rules._AGENT_RULES,
    ClaudeConfig: rules._SESSION_RULES,
}
_RULES_OF_TOOLS = (rules._granted, rules._taken_away, rules._of_session)


# From shapes to schemas.


def _of_shape(
    shape: Shape, about: Mapping[str, str] = _ABOUT_PRESETS, text: Schema | None = None
) -> Schema:
    """Say in a schema what a shape takes, null aside.

    Args:
        shape: The shape.
        about: What to say of the keys of mappings in it.
        text: What to say for text in it.
    """
    if shape.check in _SAID_BY:
        return _SAID_BY[shape.check]
    if shape is shape_of(str):
        return text or {"type": "string"}
    parts = shape.made_of
    if "choices" in parts:
        return {"enum": list(parts["choices"])}
    if "members" in parts:
        members = [
            _of_shape(member, about, text) for member in parts["members"] if member is not _NO_VALUE
        ]
        return members[0] if len(members) == 1 else {"anyOf": members}
    if "constraint" in parts:
        return _constrained(_of_shape(parts["shape"], about, text), parts["constraint"])
    if "required" in parts:
        return _record(about, **parts)
    item = _nullable(parts["item"], about, text)
    if shape.wanted == "a mapping":
        return {"type": "object", "additionalProperties": item}
    return {"type": "array", "items": item}


def _nullable(shape: Shape, about: Mapping[str, str], text: Schema | None) -> Schema:
    """Say what a part of a value takes, null if it takes that."""
    said = _of_shape(shape, about, text)
    return said if shape.check(None) or not said else _or_null(said)


def _record(
    about: Mapping[str, str],
    required: Mapping[str, Shape],
    optional: Mapping[str, Shape],
    *,
    closed: bool,
) -> Schema:
    shapes = {**required, **optional}
    said = {name: _of_shape(shape, about) for name, shape in shapes.items()}
    properties = {name: {"description": about[name], **value} for name, value in said.items()}
    record: Schema = {"type": "object", "properties": properties}
    if required:
        record["required"] = list(required)
    if closed:
        record["additionalProperties"] = False
    return record


def _constrained(said: Schema, constraint: object) -> Schema:
    if isinstance(constraint, NotBlank):
        return _SOME_TEXT
    if isinstance(constraint, AtLeast):
        return {**said, "minimum": constraint.bound}
    if isinstance(constraint, MoreThan):
        return {**said, "exclusiveMinimum": constraint.bound}
    if isinstance(constraint, ServerReferences):
        return {"type": "array", "items": _ref("server")}
    if isinstance(constraint, HookTable):
        return _ref("hooks")
    return _of_shape(_PRESETS[type(constraint)])


_PRESETS: Mapping[type, Shape] = {ToolsPreset: spec._TOOLS_PRESET}
_ANY: Any = Any
_NONE: Any = NoneType
_NO_VALUE = shape_of(_NONE)
_SAID_BY: Mapping[object, Schema] = {
    shape_of(int).check: _INTEGER,
    shape_of(float).check: {"type": "number"},
    shape_of(bool).check: {"type": "boolean"},
    shape_of(_ANY).check: {},
    mcp._url: {"type": "string", "maxLength": mcp._MAX_URL},
    mcp._metadata_url: {
        "type": "string",
        "maxLength": mcp._MAX_METADATA_URL,
        "pattern": r"^\s*https://\S",
    },
    hooks._url: {"type": "string", "pattern": rf"^\s*{_WEB}://\S"},
    hooks._hook: {"$ref": "#/$defs/hook"},
}
"""What checks that are made of no others take."""


def _held(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Give what a function was made with, by the names it has there."""
    import inspect  # noqa: PLC0415 - slow to import, and for schemas only

    return inspect.getclosurevars(function).nonlocals


def _or_null(said: Schema) -> Schema:
    if not said:
        return said
    if "enum" in said:
        return {"enum": [*said["enum"], None]}
    if "anyOf" in said:
        return {"anyOf": [*said["anyOf"], _NULL]}
    if isinstance(said.get("type"), str):
        # What else is said of a type says nothing of others.
        return {**said, "type": [said["type"], "null"]}
    return {"anyOf": [said, _NULL]}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/$defs/{name}"}


def _any_case(words: Iterable[str]) -> str:
    """Make a pattern for words in upper or lower case, in which each dialect can say it."""
    spelt = ("".join(f"[{c.upper()}{c}]" if c.isalpha() else c for c in word) for word in words)
    return f"^(?:{'|'.join(spelt)})$"


# What several formats share.


def _definitions() -> dict[str, Callable[[], Schema]]:
    return {
        "hook": _hook,
        "hooks": _hooks,
        "model": _model_name,
        "server": _server,
        "server_config": _server_config,
        "tool": _tool,
    }


def _with_definitions(body: Schema) -> Schema:
    """Make the definitions that a schema refers to, and those that these refer to."""
    made: Schema = {}
    wanted = set(_refs(body))
    while missing := sorted(wanted - made.keys()):
        made[missing[0]] = _definitions()[missing[0]]()
        wanted |= set(_refs(made[missing[0]]))
    return dict(sorted(made.items()))


def _refs(said: Any) -> Iterator[str]:
    if isinstance(said, dict):
        if "$ref" in said:
            yield said["$ref"].rpartition("/")[2]
        said = list(said.values())
    if isinstance(said, list):
        for part in said:
            yield from _refs(part)


def _model_name() -> Schema:
    # A single word in lower case is an alias, or misspelt.
    known = "|".join(models.ALIASES)
    pattern = rf"^\s*(?:{known}|\S*(?:[^a-z\s]|claude)\S*)\s*$"
    # Editors offer what stands in an enum.
    names = {"enum": list(models.ALIASES)}
    return {"anyOf": [names, {"type": "string", "pattern": pattern}]}


def _tool() -> Schema:
    offered = sorted(tools.BUILTIN_TOOLS - tools.NOT_FOR_SUBAGENTS, key=str.lower)
    return {"anyOf": [{"enum": offered}, {"type": "string"}]}


def _server() -> Schema:
    named = {
        "type": "object",
        "minProperties": 1,
        "maxProperties": 1,
        "propertyNames": {"not": {"const": "__proto__"}},
        "additionalProperties": _ref("server_config"),
    }
    return {"anyOf": [{"type": "string"}, named]}


def _server_config() -> Schema:
    kinds = []
    # Some go by several names.
    for shape in dict.fromkeys(mcp.TRANSPORTS.values()):
        names = [name for name, each in mcp.TRANSPORTS.items() if each is shape]
        kinds.append(_kind(shape, _ABOUT_SERVERS, names, given="stdio" not in names))
    return {"anyOf": kinds}


def _hook() -> Schema:
    return {
        "anyOf": [
            _kind(shape, _ABOUT_HOOKS, [name], given=True) for name, shape in hooks.KINDS.items()
        ]
    }


def _kind(shape: Shape, about: Mapping[str, str], names: list[str], *, given: bool) -> Schema:
    """Say what one of several kinds takes, told apart by ``type``."""
    said = _of_shape(shape, about)
    kind = {"description": about["type"], "enum": names}
    said["properties"] = {"type": kind} | {**said["properties"], "type": kind}
    if given:
        said["required"] = ["type", *said["required"]]
    return said


def _hooks() -> Schema:
    return {
        "type": "object",
        "propertyNames": {"enum": sorted(hooks.EVENTS)},
        "additionalProperties": _of_shape(hooks._MATCHERS, _ABOUT_HOOKS),
    }


# The front matter of Markdown.


def _front_matter() -> Schema:
    keys = claude_keys.KEYS
    about = _about(SubagentSpec, {key.field: name for name, key in keys.items()})
    properties: Schema = {}
    for name, key in keys.items():
        said = _of_front_matter(name, key)
        if name not in _NOT_NULL_IN_FRONT_MATTER and not key.reads_null:
            said = _or_null(said)
        properties[name] = {"description": about[name], **said}
    for name in _MISSPELT:
        properties[name] = {"description": _why_not(name), **_NEVER}
    for name in sorted(claude_keys.GUARDS):
        properties[name] = {"description": _NOT_HERE, **_NEVER}
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
        return _SOME_TEXT
    held = _held(key.read)
    if "choices" in held:
        return {"enum": list(dict.fromkeys([*held["choices"], *(held["aliases"] or ())]))}
    if "smallest" in held:
        number = {**_INTEGER, "minimum": held["smallest"]}
        return {"anyOf": [number, {"type": "string", "pattern": r"^\s*\+?[0-9]*[1-9]"}]}
    return _READ_BY[key.read]


_NAME: Schema = {
    "type": "string",
    "maxLength": MAX_NAME,
    "pattern": r"\S",
    "not": {"anyOf": [{"pattern": "^-|:"}, {"const": "__proto__"}]},
}

_LIST_OR_TEXT: Schema = {"type": ["array", "string"], "items": _ref("tool")}
_LEVELS: tuple[str, ...] = get_args(EffortLevel)
_READ_BY: Mapping[object, Schema] = {
    claude_keys._text: _SOME_TEXT_IN_JAVASCRIPT,
    claude_keys._name: _SOME_TEXT_IN_JAVASCRIPT,
    claude_keys._tools: _LIST_OR_TEXT,
    claude_keys._disallowed_tools: {
        **_LIST_OR_TEXT,
        "items": {**_ref("tool"), "not": {"const": tools.EVERY_TOOL}},
    },
    claude_keys._skills: {"type": ["array", "string"], "items": {"type": "string"}},
    claude_keys._model: _ref("model"),
    claude_keys._flag: {"enum": [True, False, "true", "false"]},
    claude_keys._effort: {
        "anyOf": [
            {"enum": [*_LEVELS]},
            _INTEGER,
            {"type": "string", "pattern": _any_case([*_LEVELS, *claude_keys._LEVELS, "[0-9]+"])},
        ]
    },
    claude_keys._servers: {"type": "array", "items": _ref("server")},
    claude_keys._hooks: _ref("hooks"),
    claude_keys._sees_results: {
        "anyOf": [
            {"enum": [True, False, 1, 0]},
            {"type": "string", "pattern": _any_case([*claude_keys._YES, *claude_keys._NO])},
        ]
    },
}
"""What each reader of a key takes."""


# What is said of each key.


def _about(cls: type[AttrsInstance], names: Mapping[str, str]) -> dict[str, str]:
    """Give what is said of keys; `names` are those that the fields of a class have."""
    docs = _docs_in(spec.__name__)[cls.__name__]
    return {
        name: _prose(docs[field], names) for field, name in names.items() if field in docs
    } | _ABOUT


@cache
def _docs_in(module: str) -> dict[str, dict[str, str]]:
    """Read what stands below each field: Python itself keeps no text of a field."""
    import ast  # noqa: PLC0415 - slow to import, and for schemas only
    import inspect  # noqa: PLC0415

    classes = (
        node
        for node in ast.parse(inspect.getsource(import_module(module))).body
        if isinstance(node, ast.ClassDef)
    )
    return {
        each.name: {
            field.target.id: inspect.cleandoc(text.value.value)
            for field, text in pairwise(each.body)
            if isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        }
        for each in classes
    }


def _prose(text: str, names: Mapping[str, str]) -> str:
    """Turn what is written for Sphinx into what is written for people."""
    text = " ".join(text.split()).replace("``", "`").replace("None:", "Left out:")
    return re.sub(r":\w+:`([^`]*)`", lambda match: f"`{names.get(match[1], match[1])}`", text)
