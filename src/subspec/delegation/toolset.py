"""The delegation tool for parents on Pydantic AI."""

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Any

from subspec.delegation.absent import ABSENT
from subspec.delegation.place import current_place
from subspec.delegation.tool import Caller, DelegationTool, ToolFunction

if TYPE_CHECKING:
    from pydantic_ai import RunContext
    from pydantic_ai.toolsets import FunctionToolset


def delegation_toolset(tool: DelegationTool) -> "FunctionToolset[Any]":
    """Make a toolset that gives a delegation tool to agents of Pydantic AI.

    Children may be given it too, among the parent's tools: each call is one by the agent that
    makes it, at its own depth, and with its own conversation where the provider takes one.

    Args:
        tool: The tool. Who makes it closes it, when the agents have come to their ends.

    Raises:
        ImportError: pydantic-ai-slim is not installed.
    """
    from pydantic_ai import Tool  # noqa: PLC0415 - an extra
    from pydantic_ai.toolsets import FunctionToolset  # noqa: PLC0415 - an extra

    return FunctionToolset(
        [
            Tool.from_schema(
                _called(tool, function),
                name=function.name,
                description=function.description,
                json_schema=function.input_schema,
                takes_ctx=True,
            )
            for function in tool.functions
        ]
    )


def _called(tool: DelegationTool, function: ToolFunction) -> Callable[..., Awaitable[str]]:
    from pydantic_ai import exceptions  # noqa: PLC0415 - an extra

    async def call(context: "RunContext[Any]", **arguments: Any) -> str:
        reply = await function.call(arguments, _caller(tool, context))
        # Older releases have no word for it; the text says it too.
        failed = getattr(exceptions, "ToolFailed", None)
        if reply.is_error and failed is not None:
            raise failed(reply.text)
        return reply.text

    return call


def _caller(tool: DelegationTool, context: "RunContext[Any]") -> Caller:
    place = current_place()
    return Caller(
        depth=max(tool.depth, place.depth),
        max_depth=place.max_depth,
        conversation=list(context.messages) if tool.inherits_conversation else ABSENT,
    )
