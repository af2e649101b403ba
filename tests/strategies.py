"""Specs and configurations of every kind, with texts that make trouble in YAML and in JSON."""

from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from attrs import fields
from hypothesis import strategies as st
from immutabledict import immutabledict

from subspec import ClaudeConfig, SubagentSpec
from subspec.hooks import EVENTS, HookTable
from subspec.mcp import ServerReferences
from subspec.shapes import MAX_INTEGER, AtLeast, MoreThan, NotBlank
from subspec.spec import ToolsPreset

PIECES = [
    *" \t\n\r\0\a\x1b\x7f\x85\xa0\u2028\u2029\ufeff\ufdd0\ufffd\uffff",
    *"-?:,[]{}#&*!|>'\"%@`\\/~=.<éß漢😀\U0010ffff",
    *[": ", " #", "- ", "? ", "---", "...", "\n---\n", "\r\n", "\n\n", "\n  ", "  \n", "\t\n"],
    *["yes", "no", "on", "null", "true", "<<", ".inf", ".nan", "!!str", "&a", "*a", "%YAML 1.2"],
    *["0o7", "012", "0x1F", "1e3", "1_000", "1:30", "+1", ".5", "-0", "2001-01-01", "=", "''"],
    *["word", "two words", "prompt", "tools", "claude", "bash", "w " * 60],
]
TEXTS = st.sampled_from(PIECES) | st.lists(
    st.sampled_from(PIECES) | st.text(max_size=4), max_size=5
).map("".join)
SOME_TEXTS = TEXTS.filter(lambda text: any(not c.isspace() and c != "\ufeff" for c in text))
DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=6,
)
MAPS = st.dictionaries(TEXTS, DATA, max_size=3)

MODELS = st.sampled_from(["sonnet", "OPUS", "haiku[1m]", "inherit", "gpt-4", "claude:'x'#"]) | (
    SOME_TEXTS.map(lambda text: "claude" + "".join(text.split()))
)
"""Models that a file may name; whether others are known is a question of rules, not of text."""

SERVERS = st.lists(
    TEXTS
    | st.dictionaries(
        TEXTS.filter(lambda name: name != "__proto__"),
        st.builds(dict, command=SOME_TEXTS, args=st.lists(TEXTS)),
        min_size=1,
        max_size=1,
    ),
    max_size=3,
)
HOOKS = st.dictionaries(
    st.sampled_from(sorted(EVENTS)),
    st.lists(
        st.fixed_dictionaries(
            {"hooks": st.lists(st.builds(dict, type=st.just("command"), command=TEXTS))},
            optional={"matcher": TEXTS},
        ),
        max_size=2,
    ),
    max_size=2,
)
PRESET = st.just({"type": "preset", "preset": "claude_code"})
NAMES = SOME_TEXTS.filter(lambda name: not name.startswith("-") and name != "__proto__")
"""Names of agents that Claude Code does not drop."""


def values_of(annotation: Any) -> st.SearchStrategy[Any]:
    """Give the values that an annotation of a field admits."""
    arguments = get_args(annotation)
    origin = get_origin(annotation)
    if origin is Annotated:
        return _constrained(*arguments)
    if origin in (Union, UnionType):
        return st.one_of(*(values_of(member) for member in arguments if member is not NoneType))
    if origin is Literal:
        return st.sampled_from(arguments)
    if origin is tuple:
        return st.lists(values_of(arguments[0]), max_size=4)
    if origin is immutabledict:
        return st.dictionaries(TEXTS, values_of(arguments[1]), max_size=3)
    return {
        str: TEXTS,
        int: st.integers(-MAX_INTEGER, MAX_INTEGER),
        bool: st.booleans(),
        Any: DATA,
    }[annotation]


def _constrained(_: Any, constraint: Any) -> st.SearchStrategy[Any]:
    if isinstance(constraint, NotBlank):
        return SOME_TEXTS
    if isinstance(constraint, AtLeast):
        return st.integers(constraint.bound, MAX_INTEGER)
    if isinstance(constraint, MoreThan):
        return st.integers(constraint.bound + 1) | st.floats(
            constraint.bound, exclude_min=True, allow_infinity=False
        )
    return {ServerReferences: SERVERS, HookTable: HOOKS, ToolsPreset: PRESET}[type(constraint)]


def _fields_of(cls: type) -> dict[str, st.SearchStrategy[Any]]:
    return {
        attribute.name: MODELS if "model" in attribute.name else values_of(attribute.type)
        for attribute in fields(cls)
        if attribute.name not in ("agents", "origin")
    }


AGENT_FIELDS = _fields_of(SubagentSpec)
CONFIG_FIELDS = _fields_of(ClaudeConfig)


@st.composite
def specs(draw: st.DrawFn) -> SubagentSpec:
    """Make specs with any of their fields set."""
    optional = sorted(AGENT_FIELDS.keys() - {"description", "prompt"})
    names = draw(st.lists(st.sampled_from(optional), unique=True, max_size=5))
    return SubagentSpec(**{n: draw(AGENT_FIELDS[n]) for n in ("description", "prompt", *names)})


@st.composite
def configs(draw: st.DrawFn) -> ClaudeConfig:
    """Make configurations with any of their fields set."""
    names = draw(st.lists(st.sampled_from(sorted(CONFIG_FIELDS)), unique=True, max_size=5))
    agents = draw(st.none() | st.dictionaries(NAMES, specs(), max_size=3))
    return ClaudeConfig(agents=agents, **{name: draw(CONFIG_FIELDS[name]) for name in names})
