"""The delegation tool for parents on Pydantic AI."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from subspec.delegation.absent import ABSENT
from subspec.delegation.errors import DelegationError, ErrorCode
from subspec.delegation.extra import require_pydantic_ai
from subspec.delegation.place import Place, current_place
from subspec.delegation.tool.delegation_tool import Caller, DelegationTool
from subspec.delegation.tool.replies import not_started
from subspec.problems import quoted

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.toolsets import FunctionToolset


def delegation_toolset(*tools: DelegationTool) -> "FunctionToolset[Any]":
    """Offer delegation tools to agents of Pydantic AI.

    Children may be given it too, among the parent's tools. Each call is one by the agent that
    makes it: at its depth, with its conversation where the provider takes one, and with its own
    background jobs, which end when it does.

    Args:
        tools: What the agents can call. Whoever made the tools closes them: a run that ends
            cancels the calls it waits for, but no background job.

    Returns:
        What ``Agent(toolsets=[...])`` takes.

    Raises:
        DelegationError: ``BAD_TOOL``: two tools have one name.
        ImportError: pydantic-ai-slim is not installed.
    """
    require_pydantic_ai()
    from pydantic_ai import Tool  # noqa: PLC0415 - an extra
    from pydantic_ai.toolsets import FunctionToolset  # noqa: PLC0415 - an extra

    offered = FunctionToolset[Any]()
    for tool in tools:
        for index, function in enumerate(tool.functions):
            if function.name in offered.tools:
                message = f"there are two tools {quoted(function.name)}"
                raise DelegationError(ErrorCode.BAD_TOOL, message)
            offered.add_tool(
                Tool.from_schema(
                    _called(tool, index),
                    name=function.name,
                    description=function.description,
                    json_schema=function.input_schema,
                    takes_ctx=True,
                )
            )
    return offered


def _called(tool: DelegationTool, index: int) -> Callable[..., Awaitable[str]]:
    from pydantic_ai import exceptions  # noqa: PLC0415 - an extra

    async def call(context: "RunContext[Any]", **arguments: Any) -> str:
        place = current_place()
        try:
            own = _of_caller(tool, place)
        except DelegationError as error:
            reply = not_started(error)
        else:
            reply = await own.functions[index].call(arguments, _caller(own, place, context))
        # Older releases have no word for it; the text says it too.
        failed = getattr(exceptions, "ToolFailed", None)
        if reply.is_error and failed is not None:
            raise failed(reply.text)
        return reply.text

    return call


def _of_caller(tool: DelegationTool, place: Place) -> DelegationTool:
    if not place.depth:
        return tool
    # Who could see the jobs of others could wait for itself, and would never stop.
    return place.own(tool, lambda: tool.at_depth(max(tool.depth, place.depth)))


def _caller(tool: DelegationTool, place: Place, context: "RunContext[Any]") -> Caller:
    return Caller(
        max_depth=place.max_depth,
        conversation=list(context.messages) if tool.inherits_conversation else ABSENT,
    )
