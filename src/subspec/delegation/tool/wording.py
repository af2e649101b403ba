"""What a model is told of the tools for delegation."""

from typing import Any

from attrs import frozen

FRESH = """\
Hand a task to a subagent, which works on it by itself and comes back with one answer. It starts \
fresh: it sees nothing of this conversation, neither files that were read nor what was decided. \
So write a prompt that stands alone: the task, all that has to be known for it, and what the \
answer should contain."""

FORKED = """\
Hand a task to a subagent, which works on it by itself and comes back with one answer. It knows \
this conversation up to the end of your last turn; it does not see the turn you are in now. So do \
not repeat what was said before: write what it should do now, and what the answer should contain."""

SIDE_BY_SIDE = "Subagents that are called in the same turn work side by side."

FRESH_PROMPT = "The task, with all that the subagent needs to know."

FORKED_PROMPT = "What the subagent should do, given the conversation so far."

DESCRIPTION = "The task in three to five words, for people to see."

JOB_ID = "The id of the job, as the call that began it gave it."


@frozen
class Names:
    """How the tools are called."""

    delegate: str
    """The one that hands work on."""

    @property
    def status(self) -> str:
        """The one that says how jobs stand."""
        return f"{self.delegate}_status"

    @property
    def collect(self) -> str:
        """The one that gives results."""
        return f"{self.delegate}_collect"

    @property
    def cancel(self) -> str:
        """The one that ends jobs."""
        return f"{self.delegate}_cancel"


def delegate_description(names: Names, *, forked: bool, background: bool) -> str:
    """Describe the tool that hands work on."""
    sentences = [FORKED if forked else FRESH, SIDE_BY_SIDE]
    if background:
        sentences.append(
            "With run_in_background you do not wait, but get the id of a job at once:"
            f" {names.status} says how it stands, {names.collect} gives its result, and"
            f" {names.cancel} ends it."
        )
    return "\n\n".join(sentences)


def delegate_schema(*, forked: bool, background: bool) -> dict[str, Any]:
    """Make the JSON schema of its input."""
    prompt = FORKED_PROMPT if forked else FRESH_PROMPT
    properties = {"description": _text(DESCRIPTION), "prompt": _text(prompt)}
    if background:
        properties["run_in_background"] = {
            "type": "boolean",
            "description": "Whether to go on without waiting for the result.",
            "default": False,
        }
    return _object(properties, ["description", "prompt"])


def status_description(names: Names) -> str:
    """Describe the tool that says how jobs stand."""
    return (
        f"Say how the background jobs of {names.delegate} stand, without waiting for them:"
        " one of them, or, without a job_id, all whose result was not collected yet."
    )


def collect_description(names: Names) -> str:
    """Describe the tool that gives results."""
    return (
        f"Wait until a background job of {names.delegate} has ended, and give its result."
        f" Use {names.status} to look whether it has ended already."
    )


def cancel_description(names: Names) -> str:
    """Describe the tool that ends jobs."""
    return f"End a background job of {names.delegate} whose result is not needed any more."


def job_schema(*, required: bool) -> dict[str, Any]:
    """Make the JSON schema of the input of the tools that look after jobs."""
    return _object({"job_id": _text(JOB_ID)}, ["job_id"] if required else [])


def _text(description: str) -> dict[str, Any]:
    return {"type": "string", "minLength": 1, "description": description}


def _object(properties: dict[str, Any], required: list[str]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }
