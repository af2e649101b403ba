"""Children in the real Claude Code, and conversations for them to know (the extra ``claude``)."""

from subspec.delegation.claude_code.provider import ClaudeCodeProvider
from subspec.delegation.claude_code.session import ClaudeConversation, ClaudeSession

__all__ = ["ClaudeCodeProvider", "ClaudeConversation", "ClaudeSession"]
