"""From the errors of cattrs to problems with paths."""

from collections.abc import Collection, Iterator
from typing import Any

from attrs import fields, has
from cattrs import (
    AttributeValidationNote,
    BaseValidationError,
    ForbiddenExtraKeysError,
    IterableValidationNote,
)

from subspec.problems import (
    MISSING_KEY,
    UNKNOWN_KEY,
    WRONG_TYPE,
    Fix,
    Path,
    Problem,
    SpecError,
    below,
    closest,
    fold,
    quoted,
)
from subspec.spec import SubagentSpec


def problems_of(error: BaseException, path: Path = ()) -> list[Problem]:
    """Turn an error of structuring into problems, one for each fault.

    Works for classes of your own that hold specs: pass what ``converter.structure`` raised.

    Args:
        error: A validation error of cattrs, a :class:`SpecError`, or any other error.
        path: Where the value that was structured stands in the whole.
    """
    return list(_walk(error, path, None))


def _walk(error: BaseException, path: Path, owner: Any) -> Iterator[Problem]:
    if isinstance(error, SpecError):
        yield from below(path, error.problems)
    elif isinstance(error, ForbiddenExtraKeysError):
        known = _keys(error.cl)
        for key in sorted(error.extra_fields, key=str):
            yield unknown_key(str(key), known, path)
    elif isinstance(error, BaseValidationError):
        for part in error.exceptions:
            yield from _walk(part, path + _step(part), error.cl)
    elif _is_of_missing_key(error):
        yield missing_key(owner, str(error.args[0]), path[:-1])
    else:
        yield WRONG_TYPE.problem(f"cannot be read: {error}", path)


def unknown_key(key: str, known: Collection[str], path: Path = ()) -> Problem:
    """Make the problem of a key that nothing reads, with the nearest one that is read."""
    meant = _meant(key, known)
    hint = _hint_for(key, known) if meant is None else f"did you mean '{meant}'?"
    fix = None if meant is None else Fix("rename", meant)
    return UNKNOWN_KEY.problem(f"unknown key {quoted(key)}", (*path, key), hint=hint, fix=fix)


MEANT = {
    "allowedtools": "tools",
    "disabledtools": "disallowed_tools",
    "excludetools": "disallowed_tools",
    "instructions": "prompt",
    "systemprompt": "prompt",
    "developerinstructions": "prompt",
    "promptpath": "prompt_file",
    "maxiterations": "max_turns",
    "maxsteps": "max_turns",
    "reasoningeffort": "effort",
}
"""Keys of other tools, folded, with the key that says the same here. By spelling alone the nearest
to ``allowed_tools`` would be its opposite."""

_OF_AN_AGENT = {"description", "prompt", "promptfile", "name"}
_NAME_HINT = "the name of an agent is the key that it stands under"


def _hint_for(key: str, known: Collection[str]) -> str | None:
    folded = fold(key)
    if folded == "name" and "prompt" in known:
        return _NAME_HINT
    if folded in _OF_AN_AGENT and "agents" in known:
        return "it is of an agent: write it under 'agents:' and the name of the agent"
    return None


def _meant(key: str, known: Collection[str]) -> str | None:
    if _hint_for(key, known) is not None:
        return None
    folded = fold(key)
    if folded in MEANT and folded not in map(fold, known):
        return closest(MEANT[folded], known)
    return closest(key, known)


def missing_key(owner: Any, key: str, path: Path) -> Problem:
    """Make the problem of a key that must be there and is not."""
    who = "subagent" if owner is SubagentSpec else getattr(owner, "__name__", "this")
    return MISSING_KEY.problem(f"{who} requires {key}", path)


def _is_of_missing_key(error: BaseException) -> bool:
    # The look-up of a key that is missing fails in the function that cattrs made for the class;
    # one that fails in a hook comes from further down.
    place = error.__traceback__
    return isinstance(error, KeyError) and place is not None and place.tb_next is None


def _step(error: BaseException) -> Path:
    for note in getattr(error, "__notes__", ()):
        if isinstance(note, AttributeValidationNote):
            return (note.name,)
        if isinstance(note, IterableValidationNote):
            return (note.index,)
    return ()


def _keys(cls: Any) -> list[str]:
    if not has(cls):
        return []
    names = [attribute.name for attribute in fields(cls) if attribute.name != "origin"]
    return [*names, "prompt_file"] if cls is SubagentSpec else names
