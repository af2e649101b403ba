"""The answer of a child on Pydantic AI: its type, its text, and why there is no more of it."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from subspec.delegation.errors import described
from subspec.delegation.vocabulary import RunResult, StopReason

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage

CUT_SHORT: dict[str, tuple[StopReason, str]] = {
    "length": ("max-tokens", "the answer reached the limit of tokens"),
    "content_filter": ("refusal", "the model refused, or its provider filtered the answer"),
    "error": ("error", "the model stopped with an error"),
}
"""Why a model finished that did not finish by itself, and what to say of it."""


def answer_type(schema: dict[str, Any]) -> Any:
    """Make the output type of an agent whose answer follows a JSON schema.

    An answer that does not is sent back to the model, as often as the agent tries again.

    Raises:
        Exception: Pydantic AI takes no such schema, or it is none.
    """
    from jsonschema import (  # type: ignore[import-untyped]  # noqa: PLC0415 - with the extra
        SchemaError,
        validators,
    )
    from pydantic_ai import StructuredDict  # noqa: PLC0415 - an extra
    from pydantic_core import core_schema  # noqa: PLC0415 - comes with the extra
    from referencing import Registry  # noqa: PLC0415 - comes with jsonschema

    kind = validators.validator_for(schema)
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        # The text of one holds the schema of schemas.
        msg = f"{error.json_path}: {error.message}"
        raise ValueError(msg) from error
    # With a registry of its own it fetches nothing, whatever the schema refers to.
    validator = kind(schema, registry=Registry())

    def checked(value: dict[str, Any]) -> dict[str, Any]:
        faults = [f"{error.json_path}: {error.message}" for error in validator.iter_errors(value)]
        if faults:
            raise ValueError("; ".join(faults))
        return value

    structured: Any = StructuredDict(schema)

    class Answer(structured):  # type: ignore[misc]
        @classmethod
        def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
            made = super().__get_pydantic_core_schema__(source, handler)
            return core_schema.no_info_after_validator_function(checked, made)

    return Answer


def ended(output: object, messages: "Sequence[ModelMessage]") -> RunResult:
    """Give the result of a run that ended by itself."""
    from pydantic_ai import DeferredToolRequests  # noqa: PLC0415 - an extra

    if isinstance(output, DeferredToolRequests):
        calls = [*output.calls, *output.approvals]
        names = ", ".join(sorted({call.tool_name for call in calls}))
        waits = f"the child waits for somebody to approve or answer {names}, and nobody can"
        return RunResult("error", said(messages), diagnostic=waits)
    reason = _finish_reason(messages)
    if reason not in CUT_SHORT:
        return RunResult("completed", _text(output))
    stop_reason, diagnostic = CUT_SHORT[reason]
    return RunResult(stop_reason, _text(output), diagnostic=diagnostic)


def failed(error: Exception, messages: "Sequence[ModelMessage]") -> RunResult:
    """Give the result of a run that raised something."""
    from pydantic_ai import exceptions  # noqa: PLC0415 - an extra

    text = said(messages)
    # Some releases have these.
    cancelled = getattr(exceptions, "RunCancelled", ())
    if isinstance(error, cancelled) and not isinstance(error, TimeoutError):
        return RunResult("aborted", text, diagnostic="the child cancelled itself")
    stop_reason: StopReason = "error"
    if isinstance(error, exceptions.UnexpectedModelBehavior):
        # What was unexpected may just be the consequence of an answer that was cut short.
        stop_reason, _ = CUT_SHORT.get(_finish_reason(messages), ("error", ""))
    diagnostic = described(error)
    if isinstance(error, exceptions.AgentRunError):
        # The text of some holds whole responses.
        diagnostic = f"{type(error).__name__}: {error.message}"
    return RunResult(stop_reason, text, diagnostic=diagnostic)


def said(messages: "Sequence[ModelMessage]") -> str:
    """Give what a child said last, if it said anything.

    What comes from the parent's conversation belongs to no run, see
    :data:`subspec.delegation.in_process.history.TIES`.
    """
    for message in reversed(messages):
        if message.kind == "response" and message.run_id is not None:
            text = "".join(part.content for part in message.parts if part.part_kind == "text")
            if text:
                return text
    return ""


def _finish_reason(messages: "Sequence[ModelMessage]") -> str:
    for message in reversed(messages):
        if message.kind == "response" and message.run_id is not None:
            return message.finish_reason or ""
    return ""


def _text(output: object) -> str:
    if isinstance(output, str):
        return output
    from pydantic_core import to_jsonable_python  # noqa: PLC0415 - comes with the extra

    return json.dumps(to_jsonable_python(output), ensure_ascii=False)
