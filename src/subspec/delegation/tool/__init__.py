"""The tool by which a model hands work to children, for whichever runtime the model is in.

:func:`delegation_toolset` offers it to agents of Pydantic AI, :func:`mcp_server` to a session of
Claude.
"""

from subspec.delegation.tool.delegation_tool import Caller, DelegationTool, ToolFunction
from subspec.delegation.tool.mcp import mcp_server
from subspec.delegation.tool.replies import Reply
from subspec.delegation.tool.toolset import delegation_toolset

__all__ = [
    "Caller",
    "DelegationTool",
    "Reply",
    "ToolFunction",
    "delegation_toolset",
    "mcp_server",
]
