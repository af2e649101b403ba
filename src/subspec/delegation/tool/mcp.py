"""The delegation tool for a parent that is a Claude session: an in-process MCP server."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from subspec.delegation.errors import DelegationError, ErrorCode
from subspec.delegation.tool.delegation_tool import SOMEBODY, Caller, DelegationTool, ToolFunction
from subspec.delegation.tool.replies import Reply
from subspec.problems import quoted

if TYPE_CHECKING:
    from claude_agent_sdk import McpSdkServerConfig, SdkMcpTool

SERVER = "delegation"


def mcp_server(
    *tools: DelegationTool,
    name: str = SERVER,
    caller: Callable[[], Caller] = lambda: SOMEBODY,
) -> "McpSdkServerConfig":
    """Offer delegation tools to a Claude session.

    The session calls a tool ``mcp__SERVER__TOOL``, and needs it in ``allowed_tools``. Whoever made
    the tools closes them: a session that ends cancels the calls it waits for, but no background
    job.

    .. code-block:: python

        server = mcp_server(tool)
        ClaudeAgentOptions(
            mcp_servers={"delegation": server}, allowed_tools=["mcp__delegation__subagent"]
        )

    Args:
        tools: What the session can call.
        name: The name of the server.
        caller: Asked at each call who calls: for children that are to know the conversation,
            ``lambda: Caller(conversation=conversation.completed)``.

    Returns:
        What ``ClaudeAgentOptions(mcp_servers={name: ...})`` takes.

    Raises:
        DelegationError: ``BAD_TOOL``: two tools have one name.
        ImportError: claude-agent-sdk is not installed.
    """
    functions: dict[str, ToolFunction] = {}
    for function in (function for tool in tools for function in tool.functions):
        if function.name in functions:
            message = f"there are two tools {quoted(function.name)}"
            raise DelegationError(ErrorCode.BAD_TOOL, message)
        functions[function.name] = function
    try:
        from claude_agent_sdk import create_sdk_mcp_server  # noqa: PLC0415
    except ImportError as error:
        install = "pip install 'subspec[claude]'"
        msg = f"a tool for Claude needs claude-agent-sdk; install it with: {install}"
        raise ImportError(msg) from error
    offered = [_offered(function, caller) for function in functions.values()]
    return create_sdk_mcp_server(name, tools=offered)


def _offered(function: ToolFunction, caller: Callable[[], Caller]) -> "SdkMcpTool[Any]":
    from claude_agent_sdk import ToolAnnotations, tool  # noqa: PLC0415

    # Claude Code makes calls one after the other, but for those of tools that only read. So does
    # this one: what changes things is the tools of the child, whose session asks for permission.
    hints = ToolAnnotations(readOnlyHint=True)

    async def call(arguments: dict[str, Any]) -> dict[str, Any]:
        return _content(await function.call(arguments, caller()))

    return tool(function.name, function.description, function.input_schema, hints)(call)


def _content(reply: Reply) -> dict[str, Any]:
    blocks = [{"type": "text", "text": part} for part in reply.parts]
    return {"content": blocks, "is_error": reply.is_error}
