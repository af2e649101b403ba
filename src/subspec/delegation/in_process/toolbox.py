"""The tools of a parent on Pydantic AI, and those of them that a child keeps."""

import copy
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Union

from attrs import frozen

from subspec.delegation.absent import ABSENT
from subspec.delegation.errors import no_exit
from subspec.delegation.vocabulary import ToolFilter
from subspec.shapes import kind

if TYPE_CHECKING:
    from pydantic_ai import RunContext, Tool
    from pydantic_ai.tools import ToolDefinition
    from pydantic_ai.toolsets import AbstractToolset

ToolLike = Union[Callable[..., Any], "Tool[Any]"]
Tools = Union[
    "AbstractToolset[Any]",
    Mapping[str, ToolLike],
    Iterable[Union[ToolLike, "AbstractToolset[Any]"]],
]
"""Tools: a toolset, tools by the names that children know them by, or a list of both kinds."""

OF_THE_FRAMEWORK = {"tool_search"}
"""Kinds of tools that Pydantic AI gives to every agent, to find others of its tools with."""


@frozen
class Toolbox:
    """Tools, sorted by what they are."""

    functions: "list[Any]"
    """Functions and tools."""

    toolsets: "list[AbstractToolset[Any]]"
    """What has tools in it."""

    @classmethod
    def of(cls, tools: Tools) -> "Toolbox":
        """Sort tools.

        Raises:
            TypeError: Something is neither a function nor a tool nor a toolset.
        """
        from pydantic_ai.toolsets import AbstractToolset  # noqa: PLC0415 - an extra

        if isinstance(tools, AbstractToolset):
            return cls([], [tools])
        if isinstance(tools, Mapping):
            return cls([_named(str(name), tool) for name, tool in tools.items()], [])
        each = list(tools)
        functions = [_checked(tool) for tool in each if not isinstance(tool, AbstractToolset)]
        return cls(functions, [tool for tool in each if isinstance(tool, AbstractToolset)])

    def as_toolsets(self) -> "list[AbstractToolset[Any]]":
        """Give toolsets in which all tools are."""
        from pydantic_ai.toolsets import FunctionToolset  # noqa: PLC0415 - an extra

        if not self.functions:
            return self.toolsets
        return [FunctionToolset(self.functions), *self.toolsets]


def _named(name: str, tool: Any) -> "Tool[Any]":
    from pydantic_ai import Tool  # noqa: PLC0415 - an extra

    if not isinstance(_checked(tool), Tool):
        return Tool(tool, name=name)
    renamed: Tool[Any] = copy.copy(tool)
    renamed.name = name
    return renamed


def _checked(tool: Any) -> Any:
    from pydantic_ai import Tool  # noqa: PLC0415 - an extra

    if isinstance(tool, Tool) or callable(tool):
        return tool
    msg = f"a tool must be a function, a Tool or a toolset, not {kind(tool)}"
    raise TypeError(msg)


def native_names(tools: Iterable[Any]) -> list[str]:
    """Give the names of the tools that run at the model's provider, as far as they are known."""
    return [
        tool.unique_id for tool in tools if not callable(tool) and tool.kind not in OF_THE_FRAMEWORK
    ]


def names_at_hand(toolsets: "Iterable[AbstractToolset[Any]]") -> list[str] | None:
    """Give the names of all tools, or None where only a run could tell them."""
    from pydantic_ai.toolsets import FunctionToolset  # noqa: PLC0415 - an extra

    names: list[str] = []
    for toolset in toolsets:
        if not isinstance(toolset, FunctionToolset):
            return None
        names += toolset.tools
    return names


async def names_in(
    toolsets: "Iterable[AbstractToolset[Any]]", context: "RunContext[Any]"
) -> list[str]:
    """Give the names of all tools. Toolsets that connect to something do so for a moment."""
    names: list[str] = []
    for toolset in toolsets:
        at_hand = names_at_hand([toolset])
        names += await _listed(toolset, context) if at_hand is None else at_hand
    return names


async def _listed(toolset: "AbstractToolset[Any]", context: "RunContext[Any]") -> list[str]:
    async with await toolset.for_run(context) as running:
        step = await running.for_run_step(context)
        return list(await step.get_tools(context))


class Filters:
    """What several filters leave together, also of tools that appear while a child runs."""

    def __init__(self, filters: Sequence[ToolFilter]) -> None:
        self._filters = filters

    def __bool__(self) -> bool:
        """Tell whether there is any."""
        return bool(self._filters)

    def check(self, names: Iterable[str]) -> None:
        """Look whether the filters name tools that there are.

        Raises:
            DelegationError: ``UNKNOWN_TOOL``.
        """
        known = tuple(names)
        for each in self._filters:
            each.kept(known)

    def leave(self, name: str) -> bool:
        """Tell whether a tool is kept."""
        return all(
            (each.allow is ABSENT or name in each.allow)
            and (each.deny is ABSENT or name not in each.deny)
            for each in self._filters
        )

    def capability(self) -> Any:
        """Make what holds a run of Pydantic AI to the filters, whatever toolset a tool is in."""
        from pydantic_ai.capabilities import PrepareTools  # noqa: PLC0415 - an extra

        async def prepare(
            _: "RunContext[Any]", definitions: "list[ToolDefinition]"
        ) -> "list[ToolDefinition]":
            return [each for each in definitions if self.leave(each.name)]

        return PrepareTools(prepare)

    def natives(self, tools: Iterable[Any]) -> list[Any]:
        """Keep those tools that run at the model's provider which the filters leave."""
        return [
            self._native_maker(tool) if callable(tool) else tool
            for tool in tools
            if callable(tool) or tool.kind in OF_THE_FRAMEWORK or self.leave(tool.unique_id)
        ]

    def _native_maker(self, make: Callable[..., Any]) -> Callable[..., Any]:
        async def made(context: "RunContext[Any]") -> Any:
            tool = make(context)
            if inspect.isawaitable(tool):
                tool = await tool
            return tool if tool is not None and self.leave(tool.unique_id) else None

        return made


@cache
def tools_that_stay() -> Any:
    """Make what lets no tool and no function for the output end the program, wherever it is from.

    Pydantic AI calls them in tasks of their own, so it has to be there that it is stopped.
    """
    from pydantic_ai.capabilities import AbstractCapability  # noqa: PLC0415 - an extra

    class ToolsThatStay(AbstractCapability[Any]):
        async def wrap_tool_validate(self, ctx: Any, *, args: Any, handler: Any, **_: Any) -> Any:
            with no_exit():
                return await handler(args)

        async def wrap_tool_execute(self, ctx: Any, *, args: Any, handler: Any, **_: Any) -> Any:
            with no_exit():
                return await handler(args)

        async def wrap_output_process(
            self, ctx: Any, *, output: Any, handler: Any, **_: Any
        ) -> Any:
            with no_exit():
                return await handler(output)

    return ToolsThatStay()
