"""What a session of Claude Code says, read as the result of a child."""

import json
from typing import TYPE_CHECKING, Final, final

from subspec.delegation.errors import described
from subspec.delegation.vocabulary import RunResult, StopReason

if TYPE_CHECKING:
    from claude_agent_sdk import AssistantMessage, ResultMessage

ENDINGS: Final[dict[str | None, StopReason]] = {
    None: "completed",  # from versions that do not say
    "end_turn": "completed",
    "stop_sequence": "completed",
    "max_tokens": "max-tokens",
    "model_context_window_exceeded": "max-tokens",
    "refusal": "refusal",
}
"""What the stop reasons of the Messages API are here; any other is a failure."""

NO_TEXT = "Claude Code succeeded without an answer"

NO_DATA = "Claude Code succeeded without an answer that follows the schema"

LEFT = "Claude Code left before its result"

LINES = 20
"""How many of the last lines that Claude Code wrote to its stderr are kept."""


@final
class Report:
    """What is known of a session so far."""

    def __init__(self, *, wants_data: bool) -> None:
        """Know nothing.

        Args:
            wants_data: Whether only an answer that follows a schema counts.
        """
        self._wants_data = wants_data
        self._texts: list[str] = []
        self._errors: list[str] = []
        self._stderr: list[str] = []

    def hear(self, line: str) -> None:
        """Take a line that Claude Code wrote to its stderr."""
        self._stderr = [*self._stderr, line][-LINES:]

    def see(self, message: "AssistantMessage") -> None:
        """Take a message of the model, or one that Claude Code wrote in its stead."""
        if message.parent_tool_use_id is not None:
            return  # an agent of the child's own said it
        if message.error is not None:
            self._errors.append(message.error)
            return
        texts = (getattr(block, "text", "") for block in message.content)
        self._texts += [text for text in texts if text.strip()]

    @property
    def text(self) -> str:
        """What the model has said, as far as it was whole."""
        return "\n\n".join(self._texts)

    def aborted(self) -> RunResult:
        """Say that the child was put away before its end."""
        return RunResult("aborted", self.text)

    def failed(self, reason: str) -> RunResult:
        """Say that there was no result, and why."""
        return RunResult("error", self.text, diagnostic=self.explained(reason))

    def broken(self, error: Exception) -> RunResult:
        """Say that something broke on the way."""
        return self.failed(described(error))

    def explained(self, reason: str) -> str:
        """Add to a reason what Claude Code wrote to its stderr."""
        said = "\n".join(self._stderr)
        return f"{reason}; it wrote to its stderr:\n{said}" if said else reason

    def result(self, message: "ResultMessage") -> RunResult:
        """Read the result of the session."""
        if (message.terminal_reason or "").startswith("aborted"):
            return self.aborted()
        if message.subtype == "success" and not message.is_error:
            return self._data(message) if self._wants_data else self._answer(message)
        reason = ENDINGS.get(message.stop_reason, "error")
        if "max_output_tokens" in self._errors:
            reason = "max-tokens"
        if reason == "completed":
            reason = "error"
        return RunResult(reason, self.text, diagnostic=_diagnostic(message))

    def _answer(self, message: "ResultMessage") -> RunResult:
        text = message.result or ""
        if message.stop_reason not in ENDINGS:
            return RunResult.stopped(str(message.stop_reason), text)
        reason = ENDINGS[message.stop_reason]
        if reason == "completed" and not text.strip():
            return self.failed(NO_TEXT)
        return RunResult(reason, text)

    def _data(self, message: "ResultMessage") -> RunResult:
        if message.structured_output is None:
            return self.failed(NO_DATA)
        return RunResult("completed", json.dumps(message.structured_output, ensure_ascii=False))


def _diagnostic(message: "ResultMessage") -> str:
    errors = [*(message.errors or ()), message.result or ""]
    return "; ".join(error for error in errors if error.strip()) or message.subtype
