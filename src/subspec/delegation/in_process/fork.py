"""Children in this process that know what the parent has talked about."""

from typing import TYPE_CHECKING, ClassVar

from subspec.delegation.absent import ABSENT
from subspec.delegation.errors import DelegationError, ErrorCode
from subspec.delegation.in_process.history import completed_turns
from subspec.delegation.in_process.provider import InProcessProvider
from subspec.delegation.vocabulary import StartRequest

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage


class ForkProvider(InProcessProvider):
    """Starts children that know the parent's conversation up to its last completed turn.

    The ``conversation`` of a request is the list of the parent's messages, such as
    ``RunContext.messages``, the turn in flight included; a child never sees that. It is the
    conversation alone that children get: neither the parent's instructions nor its tools.
    """

    name = "fork"
    inherits_conversation: ClassVar[bool] = True

    def _history(self, request: StartRequest) -> "list[ModelMessage]":
        from pydantic_ai.messages import ModelRequest, ModelResponse  # noqa: PLC0415 - an extra

        messages = request.conversation
        if messages is ABSENT:
            message = "a fork needs the conversation of its parent: give the request one"
            raise DelegationError(ErrorCode.START_FAILED, message)
        if not isinstance(messages, list | tuple) or not all(
            isinstance(each, ModelRequest | ModelResponse) for each in messages
        ):
            message = "the conversation of a fork's parent must be a list of Pydantic AI's messages"
            raise DelegationError(ErrorCode.START_FAILED, message)
        return completed_turns(messages)
