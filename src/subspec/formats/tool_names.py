"""Names of tools in the words of one program, and in those of Claude Code.

A spec names tools as Claude Code does. A table says what a program calls each of them: where one
of its tools stands for several of Claude Code's, an agent that had one of them gets the others too,
and that is said. Nothing is translated by likeness.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property

from attrs import field, frozen

from subspec import facts
from subspec.problems import closest
from subspec.tools import BUILTIN_TOOLS, EVERY_TOOL, MCP_PREFIX, split_rule

CLAUDE_CODES = BUILTIN_TOOLS | facts.REMOVED_TOOLS
"""What is a tool of Claude Code's, or was one."""

_WHOLE_SERVER = "__*"
_OF_SERVERS = ("*", "?", "@", "/", "__")
"""Signs in names of tools that a server or an extension has, and in patterns."""

Server = tuple[str, str | None]
"""A tool of an MCP server: the name of the server, and that of the tool; None for all of them."""


def _no_server(_name: str) -> Server | None:
    return None


def _unsayable(_server: str, _tool: str | None) -> str | None:
    return None


@frozen
class Tool:
    """A tool of a program."""

    name: str
    """What it is called there."""

    gives: tuple[str, ...]
    """The tools of Claude Code that are the same."""

    covers: tuple[str, ...] = ()
    """Further ones that it makes superfluous: who has :attr:`gives` gets nothing more by them."""

    spellings: tuple[str, ...] = ()
    """Other names that it is read by."""


@frozen
class Said:
    """A list of tools in the words of a program, and what became of them on the way."""

    names: tuple[str, ...]
    dropped: tuple[str, ...] = ()
    """Tools that the program has no name for."""

    added: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """Tools of Claude Code that come along with a name, by that name."""

    merged: Mapping[str, tuple[str, ...]] = field(factory=dict)
    """Tools that do not come back from a name, as it says them only together with others."""

    rules: tuple[str, ...] = ()
    """Entries with a rule in parentheses, which is left out."""


@frozen
class ToolNames:
    """What a program calls the tools."""

    tools: tuple[Tool, ...]
    own: frozenset[str] = frozenset()
    """Names that it knows and Claude Code does not."""

    read_server: Callable[[str], Server | None] = _no_server
    """Tells the tool of an MCP server from its name."""

    write_server: Callable[[str, str | None], str | None] = _unsayable
    """Names the tool of an MCP server, or all of them; None where there is no way to."""

    is_closed: bool = False
    """Whether no further ones can be there but those of MCP servers."""

    any_case: bool = False
    """Whether upper and lower case do not matter."""

    @cached_property
    def _by_name(self) -> dict[str, Tool]:
        return {name: tool for tool in self.tools for name in (tool.name, *tool.spellings)}

    @cached_property
    def _by_meaning(self) -> dict[str, Tool]:
        found: dict[str, Tool] = {}
        for tool in self.tools:
            for name in (*tool.gives, *tool.covers):
                found.setdefault(name, tool)
        return found

    def knows(self, name: str) -> bool:
        """Tell whether it is a name of a tool there."""
        return name in self._by_name or name in self.own or self.read_server(name) is not None

    def may_be(self, name: str) -> bool:
        """Tell whether a name may be one of a tool: known, of some server, or somebody's own."""
        if self.knows(name) or any(sign in name for sign in _OF_SERVERS):
            return True
        if self.any_case and name.casefold() in {each.casefold() for each in self._by_name}:
            return True
        return not self.is_closed and self.meant_by(name) is None

    def meant_by(self, name: str) -> str | None:
        """Give the name that was probably meant by one that is none, or None."""
        said = self.write([name]).names
        if said:
            return said[0]
        tools = {**self._by_meaning, **self._by_name}
        found = closest(name, tools)
        return None if found is None else tools[found].name

    def read(self, names: Iterable[str]) -> tuple[str, ...]:
        """Give the names that Claude Code has for tools; what it has none for stays as it is."""
        found: dict[str, None] = {}
        for name in names:
            tool = self._by_name.get(name)
            server = None if tool is not None else self.read_server(name)
            if tool is not None:
                found.update(dict.fromkeys(tool.gives))
            elif server is not None:
                found[_mcp_name(*server)] = None
            else:
                found[name] = None
        return tuple(found)

    def write(self, names: Iterable[str], kept: Iterable[str] = ()) -> Said:
        """Give the names that the program has for tools.

        Args:
            names: The tools of a spec.
            kept: Names that may stay as they are, though the table does not have them.
        """
        names = tuple(names)
        wanted = {meaning_of(split_rule(name)[0]) for name in names}
        kept = frozenset(kept)
        said: dict[str, None] = {}
        used: dict[str, Tool] = {}
        dropped = []
        for name in names:
            tool = self._by_meaning.get(meaning_of(split_rule(name)[0]))
            server = server_of(name)
            written: str | None = None
            if tool is not None:
                written, used[tool.name] = tool.name, tool
            elif server is not None:
                written = self.write_server(*server)
            elif name in self.own or name in kept:
                written = name
            if written is None:
                dropped.append(name)
            else:
                said[written] = None
        return Said(
            tuple(said),
            tuple(dict.fromkeys(dropped)),
            _by_name(used, lambda tool: [each for each in tool.gives if each not in wanted]),
            _by_name(used, lambda tool: [each for each in tool.covers if each in wanted]),
            tuple(name for name in names if name not in dropped and split_rule(name)[1]),
        )


def _by_name(
    used: Mapping[str, Tool], which: Callable[[Tool], list[str]]
) -> dict[str, tuple[str, ...]]:
    found = {name: tuple(which(tool)) for name, tool in used.items()}
    return {name: tools for name, tools in found.items() if tools}


def server_of(name: str) -> Server | None:
    """Tell the server and the tool of a name as Claude Code writes it.

    >>> server_of("mcp__db__query"), server_of("mcp__db__*"), server_of("Read")
    (('db', 'query'), ('db', None), None)
    """
    if not name.startswith(MCP_PREFIX):
        return None
    server, between, tool = name[len(MCP_PREFIX) :].partition("__")
    if not server or (between and not tool):
        return None
    return server, None if tool in ("", EVERY_TOOL) else tool


def meaning_of(name: str) -> str:
    """Give the one name of a tool that has several.

    >>> meaning_of("Task"), meaning_of("mcp__db__*")
    ('Agent', 'mcp__db')
    """
    name = facts.TOOL_ALIASES.get(name, name)
    return name.removesuffix(_WHOLE_SERVER) if name.startswith(MCP_PREFIX) else name


def is_claude_codes(name: str) -> bool:
    """Tell whether Claude Code can know a tool: one of its own, or one of an MCP server."""
    return split_rule(name)[0] in CLAUDE_CODES or name.startswith(MCP_PREFIX)


def _mcp_name(server: str, tool: str | None) -> str:
    return f"{MCP_PREFIX}{server}" if tool is None else f"{MCP_PREFIX}{server}__{tool}"
