"""The conversation of a Claude session, for children that are to know it."""

from typing import TYPE_CHECKING, final

from attrs import field, frozen, validators

from subspec.delegation.absent import ABSENT, Absent

if TYPE_CHECKING:
    from claude_agent_sdk import Message, ResultMessage

_text = validators.and_(validators.instance_of(str), validators.min_len(1))


@frozen
class ClaudeSession:
    """A session of Claude Code up to a message."""

    session_id: str = field(validator=_text)
    """The id of the session. It must be kept on disk, and of the child's ``cwd``."""

    until: str = field(validator=_text)
    """The id of the last message that counts."""


def succeeded(message: "ResultMessage") -> bool:
    """Tell whether a turn has come to its own end."""
    cut = (message.terminal_reason or "").startswith("aborted")
    return message.subtype == "success" and not message.is_error and not cut


@final
class ClaudeConversation:
    """Follows a session by its messages, to know where its last completed turn has ended.

    .. code-block:: python

        async for message in client.receive_response():
            conversation.see(message)
    """

    def __init__(self) -> None:
        self._last: str | None = None
        self._completed: ClaudeSession | Absent = ABSENT

    @property
    def completed(self) -> ClaudeSession | Absent:
        """The session up to the end of its last completed turn, or absent when there was none.

        The turn that is under way is not in it, since the call that asks has no result yet.
        """
        return self._completed

    def see(self, message: "Message") -> None:
        """Take a message of the session."""
        from claude_agent_sdk import AssistantMessage, ResultMessage, UserMessage  # noqa: PLC0415

        if isinstance(message, AssistantMessage | UserMessage):
            # What the session's own subagents say is not in its conversation.
            if message.parent_tool_use_id is None:
                self._last = message.uuid or self._last
        elif isinstance(message, ResultMessage) and succeeded(message) and self._last is not None:
            self._completed = ClaudeSession(message.session_id, self._last)
