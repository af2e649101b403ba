"""The completed turns of a conversation of Pydantic AI: what a forked child may know of its parent.

Everything here is said of the plain attributes of messages, so that it holds for all releases.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

OF_THE_PARENT = frozenset(
    {
        "system-prompt",
        "instruction-baseline",
        "instruction-delta",
        "tool-availability-delta",
        "capability-load-delta",
        "model-settings-delta",
    }
)
"""Parts that say how the parent is set up, which is not what was talked about."""

TIES = frozenset(
    {"run_id", "conversation_id", "instructions", "provider_response_id", "workspace_ref"}
)
"""Fields that tie messages to the parent: its runs, its stored conversation, its workspace.

A child that kept them would go on with what is the parent's, where it shall have its own.
"""

FINAL = "Final result processed."
"""What a run of Pydantic AI answers to the call of an output tool that ended it."""

LOCAL, NATIVE = "local", "native"
"""Who runs a tool: this process, or the provider of the model."""

BEGINS = {"tool-call": LOCAL, "builtin-tool-call": NATIVE}
ENDS = {"tool-return": LOCAL, "retry-prompt": LOCAL, "builtin-tool-return": NATIVE}

_RETRIES = {"retry-prompt", "retry-feedback"}
_NO_ANSWER = {"thinking", "compaction"}

Message = Any
"""A message of Pydantic AI, of any release: what one lacks another has."""

Calls = frozenset[tuple[str, str]]
"""Calls that have not returned yet: who runs the tool, and the id of the call."""


class Unbalanced(Exception):  # noqa: N818 - it is no error, but a place where to stop
    """A call is begun twice, or a return has no call."""


def completed_turns(messages: "Sequence[ModelMessage]") -> "list[ModelMessage]":
    """Give the messages up to the end of the last completed turn, as a conversation of its own.

    A turn is complete when the model has answered and every tool that it called has returned. It
    is the longest such beginning in which no call lacks its return and no return its call. What
    only says how the parent is set up is left out.

    Args:
        messages: The conversation, the turn in flight included. It is not changed.
    """
    end, answers = _end_of_last(messages)
    kept: list[Message] = list(messages[:end])
    if answers:
        # The next turn has been merged into the request that ended this one.
        last: Message = messages[end]
        kept.append(replace(last, parts=answers))
    return [message for each in kept for message in _of_conversation(each)]


def _end_of_last(messages: Sequence[Message]) -> tuple[int, list[Any]]:
    """Find where the last completed turn ends: so many messages, and so many parts of the next."""
    end: tuple[int, list[Any]] = (0, [])
    calls: Calls = frozenset()
    with suppress(Unbalanced):
        for index, message in enumerate(messages):
            calls = _open_after(message, calls)
            if calls:
                continue
            answers = [part for part in message.parts if _is_answer_to_call(part)]
            if message.kind == "response":
                if _is_last_word(message, messages[index + 1 : index + 2]):
                    end = index + 1, []
            elif any(part.part_kind == "tool-return" and part.content == FINAL for part in answers):
                whole = len(answers) == len(message.parts)
                end = (index + 1, []) if whole else (index, answers)
    return end


def _open_after(message: Message, calls: Calls) -> Calls:
    """Tell which calls are open after a message.

    Raises:
        Unbalanced: None of the conversation from here on is balanced.
    """
    if message.kind == "response" and any(runner == LOCAL for runner, _ in calls):
        raise Unbalanced
    for part in message.parts:
        if part.part_kind in BEGINS:
            call = BEGINS[part.part_kind], part.tool_call_id
            if call in calls:
                raise Unbalanced
            calls |= {call}
        elif _is_answer_to_call(part):
            call = ENDS[part.part_kind], part.tool_call_id
            if call not in calls:
                raise Unbalanced
            calls -= {call}
    return calls


def _is_answer_to_call(part: Any) -> bool:
    # Up to some release, what a model is told when its answer as a whole was wrong is a retry of
    # no tool.
    return part.part_kind in ENDS and part.tool_name is not None


def _is_last_word(response: Message, following: Sequence[Message]) -> bool:
    """Tell whether a response ends a turn: it is whole, says something, and was not sent back."""
    is_whole = getattr(response, "state", "complete") == "complete"
    says_something = any(part.part_kind not in _NO_ANSWER for part in response.parts)
    sent_back = any(part.part_kind in _RETRIES for each in following for part in each.parts)
    return is_whole and says_something and not sent_back


def _of_conversation(message: Message) -> Iterator[Message]:
    untied: dict[str, Any] = dict.fromkeys(TIES & {field.name for field in fields(message)})
    parts = [part for part in message.parts if part.part_kind not in OF_THE_PARENT]
    if parts or not message.parts:
        yield replace(message, parts=parts, **untied)
