"""How one program spells agents, each in a file of its own: a declarative table.

A table says where the files lie, what they are written in, and which key stands for which field of
a :class:`SubagentSpec`, with the values in the words of the program. What a program cannot say is
never dropped in silence: reading keeps what no field models, writing says what is lost.
"""

from collections.abc import Callable, Collection, Mapping
from typing import Any, Literal

from attrs import field, frozen

from subspec.formats.table import RESTRICTING
from subspec.formats.tool_names import ToolNames
from subspec.problems import Problem
from subspec.source.compare import MISSING

Medium = Literal["markdown", "toml", "json"]
Reading = tuple[dict[str, Any], list[Problem]]
"""The fields that a value says, and what is odd about it, with paths below its key."""

Said = Mapping[str, Any]
"""Some fields of a spec, as plain data; those that are not set are left out."""


@frozen
class Lost:
    """Something that a format cannot say, or says otherwise."""

    field: str
    """The field of the spec, or ``extra.KEY``."""

    reason: str
    """Why it cannot be said."""

    instead: str
    """What is said in its place."""

    widens: bool = False
    """Whether the agent may do more than its text says."""


@frozen
class Context:
    """What is known of the agent that a value is written for."""

    title: str
    """What the program is called in sentences."""

    written: Any = MISSING
    """What the file says under the key now."""

    is_own: bool = False
    """Whether the spec came from a file of the same format."""


Written = tuple[Any, list[Lost]]
"""A value for a file, :data:`MISSING` for none, and what is lost."""


@frozen
class Key:
    """A key of a file: the fields that it is read into, and how its values are said there."""

    fields: tuple[str, ...]
    read: Callable[[Any], Reading]
    """Raises SpecError for what the program refuses, and :class:`OwnValueError` for a value that
    only the program understands."""

    write: Callable[[Said, Context], Written]

    names: ToolNames | None = None
    """What the program calls the tools, where it is a key of tools."""


class OwnValueError(Exception):
    """A value is one of the program's own, which no field can hold: it is kept as it is."""


Judging = Callable[[Any], bool]
"""Tells something of the value of a key."""


def never(_value: Any) -> bool:
    """Say no to every value."""
    return False


def always(_value: Any) -> bool:
    """Say yes to every value."""
    return True


def if_true(value: Any) -> bool:
    """Say yes to true only."""
    return value is True


@frozen
class Own:
    """A key that only its program reads; it is kept in ``extra``."""

    restricts: bool | Judging = False
    """Whether it holds the agent back: without it the agent may do more."""

    check: Callable[[Any], list[Problem]] | None = None
    """Says what the program refuses."""

    is_harmless: Judging = never
    """Tells whether a value neither allows nor runs anything, nor loosens what is said by hand.
    Only then a canonical file can say it, which has no program of its own."""

    means: str | None = None
    """A name for its meaning. Keys of two programs are the same only if this is."""

    def holds_back(self, value: Any) -> bool:
        """Tell whether a value holds the agent back."""
        return self.restricts if isinstance(self.restricts, bool) else self.restricts(value)

    @property
    def is_list(self) -> bool:
        """Whether only a list of texts is right."""
        return self.check is not None and bool(self.check("a")) and not self.check(["a"])


def _any_name(_name: str) -> str | None:
    return None


def _same_name(name: str) -> str:
    return name


@frozen(kw_only=True)
class Spelling:
    """One program's way to spell agents."""

    name: str
    """What it is called in options: ``format="codex"``."""

    title: str
    """What it is called in sentences."""

    source: str
    """Where its rules are written: the address of a page or of source code."""

    seen: str
    """When that was looked at: ``2026-08``."""

    medium: Medium

    directories: tuple[tuple[str, ...], ...]
    """Where the files of a project lie, as parts of a path; new ones go to the first."""

    suffix: str
    """How the names of the files end."""

    more_suffixes: tuple[str, ...] = ()
    """How they may end as well; new files do not."""

    is_telling: bool = False
    """Whether that ending alone tells the format, wherever a file lies."""

    is_deep: bool = False
    """Whether files in directories below count too."""

    hidden: str | None = None
    """What the name of a file begins with that is passed over."""

    keys: Mapping[str, Key]
    own: Mapping[str, Own] = field(factory=dict)
    """The program's further keys."""

    ignored: Mapping[str, str] = field(factory=dict)
    """Keys that look as if they held an agent back and are not read, with what follows of it."""

    unknown: Literal["error", "warning", "kept"] = "warning"
    """What becomes of any other key: it is refused, or kept with or without a warning."""

    passed: Collection[str] = ()
    """Keys that are kept and no slips, though they look like others."""

    prompt_key: str | None = None
    """The key of the prompt; None where it is the body of Markdown."""

    prompt_files: bool = False
    """Whether a prompt that begins with ``file://`` is the name of a file."""

    unsaid: Mapping[str, Any] = field(factory=dict)
    """What fields are where their key is not given, if that is not the same as not set."""

    plain_yaml: bool = False
    """Whether front matter is to be such as a simple reader takes: each text on one line."""

    trims: bool = True
    """Whether blanks around the prompt say nothing."""

    name_key: str | None = "name"
    """The key of the name; None where the file gives it."""

    needs_name: bool = True
    """Whether the name has to be written; else that of the file stands for it."""

    names_file: bool = False
    """Whether the file is named by the agent, so that no name is written where both are equal."""

    prompt_fault: Callable[[str], str | None] = _any_name
    """Says why no agent can have a prompt, if none can."""

    prompt_severity: Literal["error", "warning"] = "error"
    """How grave that is: with a warning such a prompt is read and written all the same."""

    name_fault: Callable[[str], str | None] = _any_name
    """Says why no agent can have a name, if none can."""

    fitting: Callable[[str], str] = _same_name
    """Makes a name that an agent can have."""

    repairs: bool = False
    """Whether front matter that is no YAML is guessed at, and equal keys are forgiven."""

    defaults: Mapping[str, Any] = field(factory=dict)
    """Keys of new files that no spec says."""

    @property
    def suffixes(self) -> tuple[str, ...]:
        """All endings of the names of files, the longest first."""
        return tuple(sorted((self.suffix, *self.more_suffixes), key=len, reverse=True))

    @property
    def order(self) -> list[str]:
        """The keys in the order in which new files have them."""
        named = [] if self.name_key is None else [self.name_key]
        return [*named, *self.keys]

    def restricts(self, key: str) -> bool:
        """Tell whether a key holds an agent back."""
        if key in self.own:
            return self.own[key].restricts is not False
        return key in self.keys and not RESTRICTING.isdisjoint(self.keys[key].fields)

    def key_of(self, field_name: str) -> str | None:
        """Give the key that stands for a field."""
        if field_name in ("name", "prompt"):
            return self.name_key if field_name == "name" else self.prompt_key
        return next((name for name, key in self.keys.items() if field_name in key.fields), None)


def lost(field_name: str, reason: str, instead: str = "it is left out", **extra: bool) -> Lost:
    """Say that a field is lost; one that holds an agent back widens what it may do."""
    widens = extra.get("widens", field_name in RESTRICTING)
    return Lost(field_name, reason, instead, widens)


def lost_value(field_name: str, value: Any, reason: str) -> Lost:
    """Say that the value of a field is lost."""
    holds_nothing_back = value == "bypassPermissions" or (
        field_name == "disallowed_tools" and not value
    )
    return lost(field_name, reason, widens=field_name in RESTRICTING and not holds_nothing_back)
