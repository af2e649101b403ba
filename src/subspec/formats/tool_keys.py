"""Keys of tools: those that an agent may use, and those that are taken away."""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from attrs import evolve, field, frozen

from subspec.formats.spelling import Context, Key, Lost, Reading, Said, Written, lost
from subspec.formats.tool_names import Said as SaidTools
from subspec.formats.tool_names import ToolNames, is_claude_codes, meaning_of
from subspec.problems import NO_EFFECT, UNKNOWN_TOOL, WIDENS, Fix, Path, Problem, SpecError, quoted
from subspec.shapes import shape_of
from subspec.source.compare import MISSING
from subspec.tools import EVERY_TOOL, MCP_PREFIX, split_entry, split_rule

_TEXTS = shape_of(tuple[str, ...])


def names_in(value: Any, *, commas: bool) -> list[str]:
    """Read a list of names, or where that is done a text with commas between them.

    Raises:
        SpecError: It is something else.
    """
    if commas and isinstance(value, str):
        return split_entry(value)
    problems = _TEXTS.check(value)
    if problems:
        raise SpecError(problems)
    return list(value)


@frozen
class ToolList:
    """How a program writes the tools that an agent may use."""

    names: ToolNames
    """What it calls them."""

    commas: bool = False
    """Whether a text with commas is a list too."""

    strict: bool = False
    """Whether the program refuses names that it does not know."""

    everything: str | None = EVERY_TOOL
    """The name that stands for all of them."""

    writes_all: bool = False
    """Whether all of them have to be named so, as no list at all means none."""

    none_is_all: bool = False
    """Whether the empty list means all."""

    groups: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """Texts that stand for a list."""

    def key(self) -> Key:
        """Make the key, where there is another one for what is taken away."""
        return Key(("tools",), self.read, self.write, self.names)

    def only_key(self) -> Key:
        """Make the key, where nothing can be taken away but by leaving it out of the list."""
        fields = ("tools", "disallowed_tools")
        return Key(fields, self.read, self.write_what_is_left, self.names)

    def read(self, value: Any) -> Reading:
        """Read a list.

        Raises:
            SpecError: The program refuses it.
        """
        if isinstance(value, str) and value in self.groups:
            return {"tools": self.names.read(self.groups[value])}, []
        found = names_in(value, commas=self.commas)
        unknown = [] if self.strict else odd_tools(self.names, found, value)
        if self.everything is not None and self.everything in found:
            return {}, unknown
        if not found and self.none_is_all:
            message = "the empty list means every tool there, as if the key were left out"
            return {}, [NO_EFFECT.problem(message, hint="leave the key out")]
        refused = [index for index, name in enumerate(found) if not self.names.knows(name)]
        if self.strict and refused:
            raise SpecError(
                evolve(no_tool(self.names, found[index], (index,)), severity="error")
                for index in refused
            )
        return {"tools": self.names.read(found)}, unknown

    def write(self, said: Said, context: Context) -> Written:
        """Write a list."""
        wanted = said.get("tools")
        if wanted is None:
            return ([self.everything], []) if self.writes_all else (MISSING, [])
        found = self.names.write(wanted, kept_names(wanted, context))
        losses = losses_of_tools("tools", found, context.title)
        if not found.names and self.none_is_all:
            reason = f"{context.title} takes the empty list for all tools"
            return MISSING, [*losses, lost("tools", reason, "the agent gets every tool")]
        return in_style(list(found.names), context.written), losses

    def write_what_is_left(self, said: Said, context: Context) -> Written:
        """Write a list without what is taken away."""
        wanted, denied = said.get("tools"), said.get("disallowed_tools")
        if denied is None:
            return self.write(said, context)
        if wanted is None:
            value, losses = self.write({}, context)
            reason = f"{context.title} cannot take tools away"
            return value, [*losses, lost("disallowed_tools", reason, widens=bool(denied))]
        left = _left(wanted, denied)
        value, losses = self.write({"tools": left}, context)
        if len(left) < len(wanted):
            reason, instead = "they are taken away", "the list is written without them"
            gone = one_of_all([name for name in wanted if name not in left])
            losses = [lost("tools", f"{gone}: {reason}", instead, widens=False), *losses]
        return value, [*_denied_by_list(denied), *losses]


def _left(wanted: Iterable[str], denied: Iterable[str]) -> list[str]:
    """Take away from a list what is not to be in it."""
    gone = {meaning_of(name) for name in denied}
    servers = tuple(f"{name}__" for name in gone if name.startswith(MCP_PREFIX))
    return [
        name
        for name in wanted
        if meaning_of(split_rule(name)[0]) not in gone and not name.startswith(servers)
    ]


def _denied_by_list(denied: Iterable[str]) -> list[Lost]:
    reason, instead = "there is no list of what is taken away", "they are not in the list of tools"
    losses = [lost("disallowed_tools", reason, instead, widens=False)]
    ruled = [name for name in denied if split_rule(name)[1] is not None]
    if ruled:
        losses.append(lost("disallowed_tools", f"a rule such as {quoted(ruled[0])} cannot be said"))
    return losses


def losses_of_tools(field_name: str, found: SaidTools, title: str) -> list[Lost]:
    """Say what became of the names in a list of tools."""
    losses = []
    for name, more in found.added.items():
        reason = f"{name} of {title} is {one_of_all(more)} too"
        losses.append(lost(field_name, reason, f"{name} is written", widens=True))
    for name, which in found.merged.items():
        reason = f"{one_of_all(which)} is a part of {name} of {title}"
        losses.append(lost(field_name, reason, f"{name} is written", widens=False))
    if found.dropped:
        reason = f"{title} has no {one_of_all(found.dropped)}"
        losses.append(lost(field_name, reason, widens=False))
    if found.rules:
        reason = f"{title} has no rules such as {quoted(found.rules[0])}"
        losses.append(lost(field_name, reason, "the whole tool is written", widens=True))
    return losses


def one_of_all(names: Collection[str]) -> str:
    """List names: ``Edit and Write``."""
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def kept_names(wanted: Collection[str], context: Context) -> Collection[str]:
    """Give the names that are written as they are: those of the program itself."""
    return wanted if context.is_own else names_in_any(context.written)


def names_in_any(value: Any) -> list[str]:
    """Give the names that stand in a value, be it a list, a text or a mapping."""
    if isinstance(value, str):
        return split_entry(value)
    names = value if isinstance(value, list | dict) else []
    return [name for name in names if isinstance(name, str)]


def in_style(names: list[str], written: Any) -> Any:
    """Give names as a list, or as a text where they are written so now."""
    return ", ".join(names) if isinstance(written, str) and names else names


def odd_tools(
    names: ToolNames, found: Iterable[str], written: Any, *, denied: bool = False
) -> list[Problem]:
    """Say which names of a list are none of the program's.

    Args:
        names: What the program calls its tools.
        found: The names.
        written: What stands in the file, which may be a text with commas.
        denied: Whether the tools are taken away.
    """
    in_list = not isinstance(written, str)
    return [
        no_tool(names, name, (index,) if in_list else (), denied=denied)
        for index, name in enumerate(found)
        if not names.may_be(name)
    ]


def no_tool(names: ToolNames, name: str, path: Path, *, denied: bool = False) -> Problem:
    """Say that a program has no tool of a name, and which was probably meant.

    To take away what is not there takes nothing away: the agent may do more than it says.
    """
    meant = names.meant_by(name)
    is_ours = is_claude_codes(name)
    hint = None
    if meant is not None:
        hint = f"its name is {quoted(meant)}" if is_ours else f"did you mean {quoted(meant)}?"
    fix = Fix("replace", meant, safe=False) if meant is not None and path else None
    message = f"there is no tool {quoted(name)} there"
    if denied:
        return WIDENS.problem(f"{message}, so nothing is taken away", path, hint=hint, fix=fix)
    return UNKNOWN_TOOL.problem(message, path, hint=hint, fix=fix)


def denied_tools(names: ToolNames) -> Key:
    """Make the key of a list of tools that are taken away."""

    def read(value: Any) -> Reading:
        found = names_in(value, commas=True)
        return {"disallowed_tools": names.read(found)}, odd_tools(names, found, value, denied=True)

    def write(said: Said, context: Context) -> Written:
        denied = said.get("disallowed_tools")
        if denied is None:
            return MISSING, []
        found = names.write(denied, kept_names(denied, context))
        return in_style(list(found.names), context.written), losses_of_denials(found, context.title)

    return Key(("disallowed_tools",), read, write, names)


def losses_of_denials(found: SaidTools, title: str) -> list[Lost]:
    """Say what became of the names in a list of tools that are taken away."""
    losses = []
    for name, more in found.added.items():
        reason = f"{name} of {title} is {one_of_all(more)} too"
        instead = "all of it is taken away"
        losses.append(lost("disallowed_tools", reason, instead, widens=False))
    for name, which in found.merged.items():
        reason = f"{one_of_all(which)} is a part of {name} of {title}"
        instead = "all of it is taken away"
        losses.append(lost("disallowed_tools", reason, instead, widens=False))
    if found.dropped:
        losses.append(lost("disallowed_tools", f"{title} has no {one_of_all(found.dropped)}"))
    if found.rules:
        reason = f"{title} has no rules such as {quoted(found.rules[0])}"
        losses.append(
            lost("disallowed_tools", reason, "the whole tool is taken away", widens=False)
        )
    return losses
