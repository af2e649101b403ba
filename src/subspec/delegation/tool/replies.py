"""What a model reads of a delegation."""

from collections.abc import Iterable

from attrs import field, frozen

from subspec.delegation.absent import ABSENT
from subspec.delegation.errors import DelegationError
from subspec.delegation.vocabulary import RunResult

NO_TEXT = "The subagent has completed the task, and said nothing."

COMPLETE = "What the subagent said:"

PARTIAL = "What the subagent said until then; it is not an answer:"


def _parts(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(texts)


@frozen
class Reply:
    """The result of one call of a tool, for a model to read."""

    parts: tuple[str, ...] = field(converter=_parts)
    """Texts, of which none is blank. What the child said is a part of its own, and the last."""

    is_error: bool = field(default=False, kw_only=True)
    """Whether the call failed: for a delegation, whether it did anything but complete."""

    @property
    def text(self) -> str:
        """All parts, for those who can hand on one text only."""
        return "\n\n".join(self.parts)


def answered(result: RunResult) -> Reply:
    """Say how a child ended that was put away."""
    if result.succeeded:
        return Reply([result.text if result.text.strip() else NO_TEXT])
    headline = f"The subagent has not completed the task. It stopped with '{result.stop_reason}'."
    return _failed(headline, result, PARTIAL)


def not_started(failure: DelegationError) -> Reply:
    """Say why there was no child."""
    return Reply(["The task was not handed on.", f"Diagnostic: {failure}"], is_error=True)


def not_put_away(result: RunResult | None, failure: DelegationError) -> Reply:
    """Say that something of a child may be left, and how it ended as far as that is known."""
    if result is None:
        headline = "Nothing is known of how the subagent ended."
        return Reply([headline, f"Diagnostic: {failure}"], is_error=True)
    if result.succeeded:
        headline = "The subagent has completed the task, but could not be put away."
        return _failed(headline, result, COMPLETE, failure)
    headline = f"The subagent stopped with '{result.stop_reason}', and could not be put away."
    return _failed(headline, result, PARTIAL, failure)


def _failed(
    headline: str, result: RunResult, introduction: str, failure: DelegationError | None = None
) -> Reply:
    reasons = [] if result.diagnostic is ABSENT else [result.diagnostic]
    reasons += [] if failure is None else [str(failure)]
    parts = [headline, *(f"Diagnostic: {reason}" for reason in reasons)]
    if result.text.strip():
        # Last, since nothing that a child says can then pass for ours.
        parts += [introduction, result.text]
    return Reply(parts, is_error=True)
