"""The answer of a child on Pydantic AI: its type, its text, and why there is no more of it."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from subspec.delegation.errors import described
from subspec.delegation.vocabulary import RunResult, StopReason
from subspec.problems import quoted

if TYPE_CHECKING:
    from pydantic_ai.messages import ModelMessage
    from referencing import Resource

SIZE_LIMIT = 20_000
"""How many values a schema may hold; to look through more would keep everything else waiting."""

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
    from pydantic_ai import StructuredDict  # noqa: PLC0415 - an extra
    from pydantic_core import core_schema  # noqa: PLC0415 - comes with the extra

    validator = _validator(schema)

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

    _try(Answer)
    return Answer


def _validator(schema: dict[str, Any]) -> Any:
    from jsonschema import (  # type: ignore[import-untyped]  # noqa: PLC0415 - with the extra
        Draft202012Validator,
        SchemaError,
        validators,
    )
    from referencing import Registry, Resource  # noqa: PLC0415 - comes with jsonschema
    from referencing.jsonschema import DRAFT202012  # noqa: PLC0415 - comes with jsonschema

    if _size(schema) > SIZE_LIMIT:
        msg = f"it holds more than {SIZE_LIMIT:,} values"
        raise ValueError(msg)
    validator_for: Any = validators.validator_for  # its types admit no None
    kind = validator_for(schema, default=None)
    if kind is None:
        if "$schema" in schema:
            msg = f"nobody here knows the dialect {quoted(schema['$schema'])}"
            raise ValueError(msg)
        kind = Draft202012Validator
    try:
        kind.check_schema(schema)
    except SchemaError as error:
        # The text of one holds the schema of schemas.
        msg = f"{error.json_path}: {error.message}"
        raise ValueError(msg) from error
    # With a registry of its own it fetches nothing, whatever the schema refers to.
    registry: Registry[Any] = Registry()
    resource = Resource.from_contents(schema, default_specification=DRAFT202012)
    _refuse_open_references(resource, registry.resolver_with_root(resource))
    return kind(schema, registry=registry)


def _size(value: object) -> int:
    if isinstance(value, dict):
        return 1 + sum(map(_size, value.values()))
    return 1 + sum(map(_size, value)) if isinstance(value, list) else 1


def _refuse_open_references(resource: "Resource[Any]", resolver: Any) -> None:
    """Look whether all that a schema refers to is in it.

    Raises:
        ValueError: It is not.
    """
    from referencing.exceptions import Unresolvable  # noqa: PLC0415 - comes with jsonschema

    contents = resource.contents if isinstance(resource.contents, dict) else {}
    for key in ("$ref", "$dynamicRef", "$recursiveRef"):
        try:
            _ = key in contents and resolver.lookup(contents[key])
        except Unresolvable as error:
            reference = quoted(contents[key])
            msg = f"it refers to {reference}, which is not in it, and nothing is fetched"
            raise ValueError(msg) from error
    for inner in resource.subresources():
        _refuse_open_references(inner, resolver.in_subresource(inner))


def _try(answer: Any) -> None:
    """Make the schema that the model gets, since some references cannot be followed for it.

    Raises:
        ValueError: There is one.
    """
    from pydantic import TypeAdapter  # noqa: PLC0415 - comes with the extra

    try:
        TypeAdapter(answer).json_schema()
    except KeyError as error:
        reference = quoted(error.args[0])
        msg = f"the reference {reference} must be '#/$defs/NAME', and not lead back to itself"
        raise ValueError(msg) from error


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
