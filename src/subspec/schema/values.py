"""From what is checked of a value to a schema of it: a part that all formats share."""

# What is declared for the checks is read here, also where no other module has a use for it.
# ruff: noqa: SLF001

from collections.abc import Callable, Iterable, Iterator, Mapping
from types import NoneType
from typing import Any

from attrs import Attribute, AttrsInstance, fields

from subspec import hooks, mcp, models, spec, tools
from subspec.hooks import HookTable
from subspec.mcp import ServerReferences
from subspec.schema.texts import ABOUT_HOOKS, ABOUT_PRESETS, ABOUT_SERVERS
from subspec.shapes import MAX_INTEGER, AtLeast, MoreThan, NotBlank, Shape, shape_of
from subspec.spec import ClaudeConfig, SubagentSpec, ToolsPreset
from subspec.structure import rules

Schema = dict[str, Any]

SOME_TEXT: Schema = {"type": "string", "pattern": r"\S"}
INTEGER: Schema = {"type": "integer", "minimum": -MAX_INTEGER, "maximum": MAX_INTEGER}
_NULL: Schema = {"type": "null"}
NEVER: Schema = {"not": {}}
_WEB = "[hH][tT][tT][pP][sS]?"


def fields_of(cls: type[AttrsInstance]) -> dict[str, "Attribute[Any]"]:
    """Give the fields of a class, by their names."""
    return {attribute.name: attribute for attribute in fields(cls)}


def of_field(cls: type[AttrsInstance], name: str) -> Schema:
    """Say what a field of a class takes, null aside."""
    rule = _RULES[cls].get(name)
    if rule is rules._model:
        return ref("model")
    annotation: Any = fields_of(cls)[name].type
    return of_shape(shape_of(annotation), text=ref("tool") if rule in _RULES_OF_TOOLS else None)


_RULES: dict[type[AttrsInstance], Mapping[str, rules.Rule]] = {
    SubagentSpec: rules._AGENT_RULES,
    ClaudeConfig: rules._SESSION_RULES,
}
_RULES_OF_TOOLS = (rules._granted, rules._taken_away, rules._of_session)


def of_shape(
    shape: Shape, about: Mapping[str, str] = ABOUT_PRESETS, text: Schema | None = None
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
            of_shape(member, about, text) for member in parts["members"] if member is not _NO_VALUE
        ]
        return members[0] if len(members) == 1 else {"anyOf": members}
    if "constraint" in parts:
        return _constrained(of_shape(parts["shape"], about, text), parts["constraint"])
    if "required" in parts:
        return _record(about, **parts)
    item = nullable(parts["item"], about, text)
    if shape.wanted == "a mapping":
        return {"type": "object", "additionalProperties": item}
    return {"type": "array", "items": item}


def nullable(shape: Shape, about: Mapping[str, str], text: Schema | None) -> Schema:
    """Say what a part of a value takes, null if it takes that."""
    said = of_shape(shape, about, text)
    return said if shape.check(None) or not said else or_null(said)


def _record(
    about: Mapping[str, str],
    required: Mapping[str, Shape],
    optional: Mapping[str, Shape],
    *,
    closed: bool,
) -> Schema:
    shapes = {**required, **optional}
    said = {name: of_shape(shape, about) for name, shape in shapes.items()}
    properties = {name: {"description": about[name], **value} for name, value in said.items()}
    record: Schema = {"type": "object", "properties": properties}
    if required:
        record["required"] = list(required)
    if closed:
        record["additionalProperties"] = False
    return record


def _constrained(said: Schema, constraint: object) -> Schema:
    if isinstance(constraint, NotBlank):
        return SOME_TEXT
    if isinstance(constraint, AtLeast):
        return {**said, "minimum": constraint.bound}
    if isinstance(constraint, MoreThan):
        return {**said, "exclusiveMinimum": constraint.bound}
    if isinstance(constraint, ServerReferences):
        return {"type": "array", "items": ref("server")}
    if isinstance(constraint, HookTable):
        return ref("hooks")
    return of_shape(_PRESETS[type(constraint)])


_PRESETS: Mapping[type, Shape] = {ToolsPreset: spec._TOOLS_PRESET}
_ANY: Any = Any
_NONE: Any = NoneType
_NO_VALUE = shape_of(_NONE)
_SAID_BY: Mapping[object, Schema] = {
    shape_of(int).check: INTEGER,
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


def held_by(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Give what a function was made with, by the names it has there."""
    import inspect  # noqa: PLC0415 - slow to import, and for schemas only

    return inspect.getclosurevars(function).nonlocals


def or_null(said: Schema) -> Schema:
    """Say that null is taken too."""
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


def ref(name: str) -> Schema:
    """Refer to one of the definitions."""
    return {"$ref": f"#/$defs/{name}"}


def any_case(words: Iterable[str]) -> str:
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


def with_definitions(body: Schema) -> Schema:
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
        "additionalProperties": ref("server_config"),
    }
    return {"anyOf": [{"type": "string"}, named]}


def _server_config() -> Schema:
    kinds = []
    # Some go by several names.
    for shape in dict.fromkeys(mcp.TRANSPORTS.values()):
        names = [name for name, each in mcp.TRANSPORTS.items() if each is shape]
        kinds.append(_kind(shape, ABOUT_SERVERS, names, given="stdio" not in names))
    return {"anyOf": kinds}


def _hook() -> Schema:
    return {
        "anyOf": [
            _kind(shape, ABOUT_HOOKS, [name], given=True) for name, shape in hooks.KINDS.items()
        ]
    }


def _kind(shape: Shape, about: Mapping[str, str], names: list[str], *, given: bool) -> Schema:
    """Say what one of several kinds takes, told apart by ``type``."""
    said = of_shape(shape, about)
    kind = {"description": about["type"], "enum": names}
    said["properties"] = {"type": kind} | {**said["properties"], "type": kind}
    if given:
        said["required"] = ["type", *said["required"]]
    return said


def _hooks() -> Schema:
    return {
        "type": "object",
        "propertyNames": {"enum": sorted(hooks.EVENTS)},
        "additionalProperties": of_shape(hooks._MATCHERS, ABOUT_HOOKS),
    }
