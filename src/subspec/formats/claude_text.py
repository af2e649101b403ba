"""The text of Claude Code's agents: of new files, and of files that are changed.

What Claude Code would read as something else is never written: that is said, as a problem.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from attrs import evolve

from subspec.formats.claude_code import MAX_FILE, SUFFIX, AgentFile, read_agent
from subspec.formats.claude_keys import KEYS
from subspec.formats.table import RESTRICTING
from subspec.problems import (
    NOT_FAITHFUL,
    NOT_IN_FORMAT,
    WIDENS,
    Problem,
    SpecError,
    errors_in,
    quoted,
)
from subspec.source.compare import merged, same
from subspec.source.edit import NotFaithfulError, rewrite
from subspec.source.emit import Layout, YamlWriter
from subspec.source.frontmatter import BLANKS, FENCE
from subspec.spec import SubagentSpec
from subspec.structure import plain
from subspec.tools import EVERY_TOOL, split_entry

TITLE = "Claude Code"

_NOT_IN_NAME = re.compile(r"[^\w.-]+")
_RESERVED = re.compile(r"(?:con|prn|aux|nul|com[0-9]|lpt[0-9])(?:\..*)?", re.IGNORECASE)
_LONGEST_STEM = 150
"""How long the name of a file may be without its ending, in bytes."""

ESCAPED_LINE_END = "\\n"
_KEY_OF = {key.field: name for name, key in KEYS.items()}


def new_text(name: str, spec: SubagentSpec) -> tuple[str, list[Problem]]:
    """Write an agent as the text of a new file.

    Returns:
        The text, and what it cannot say.

    Raises:
        SpecError: Claude Code would read something else, or the agent could do more than it says.
    """
    data, problems = _keys({}, name, None, spec)
    _refuse(problems)
    writer = YamlWriter(Layout(forbidden=FENCE, block_keys=frozenset()))
    writer.node("", data, 0)
    body = spec.prompt.strip(BLANKS)
    text = "\n".join([FENCE, *writer.lines, FENCE, "", body, ""])
    _see_that_it_says(text, name, spec, ())
    return text, problems


def losses_of(name: str, spec: SubagentSpec) -> list[Problem]:
    """Say what the file of an agent cannot say, each with the field in its path."""
    return _keys({}, name, None, spec)[1]


def changed_text(file: AgentFile, name: str, spec: SubagentSpec) -> tuple[str, list[Problem]]:
    """Write a file so that it says another agent; what is not changed stays as it is.

    Args:
        file: The file, which has an agent that can be used.
        name: The name that the agent is to have.
        spec: The agent.

    Returns:
        The text, and what it cannot say.

    Raises:
        SpecError: Claude Code would read something else, or the agent could do more than it says.
    """
    document, fences, old = file.document, file.fences, file.spec
    if fences is None or old is None:
        msg = "only a file with an agent can be changed"
        raise ValueError(msg)
    wanted, problems = _keys(document.data, name, (file.name, old), spec)
    _refuse(problems)
    text = document.text
    body = spec.prompt.strip(BLANKS)
    try:
        front = rewrite(document, wanted, fences=fences)
    except (NotFaithfulError, TypeError, ValueError) as error:
        raise _unfaithful(getattr(error, "path", ())) from error
    rest = text[fences.body_start :]
    if body != old.prompt:
        front, rest = front[: len(front) - len(rest)], body + text[fences.body_end :]
        text = front + rest
    else:
        text = front
    if text != document.text:
        _see_that_it_says(text, name, spec, file.problems)
    return text, problems


def file_name(name: str, taken: Callable[[str], bool]) -> str:
    """Choose a name for the file of a new agent.

    Args:
        name: The name of the agent.
        taken: Tells whether there is a file of a name.
    """
    stem = _NOT_IN_NAME.sub("-", name).strip("-.")
    stem = stem.encode()[:_LONGEST_STEM].decode("utf-8", "ignore") or "agent"
    if _RESERVED.fullmatch(stem):
        stem = f"agent-{stem}"
    number, found = 1, stem
    while taken(found + SUFFIX):
        number += 1
        found = f"{stem}-{number}"
    return found + SUFFIX


def _keys(
    written: Mapping[str, Any],
    name: str,
    before: tuple[Any, SubagentSpec] | None,
    new: SubagentSpec,
) -> tuple[dict[str, Any], list[Problem]]:
    """Give the front matter that an agent is to have, and what it cannot say."""
    data = dict(written)
    old_name, old = (None, {}) if before is None else (before[0], plain(before[1]))
    wanted = plain(new)
    problems: list[Problem] = []
    if name != old_name:
        data["name"] = name
    for field, key in _KEY_OF.items():
        if field == "name" or same(old.get(field), wanted.get(field)):
            continue
        if field not in wanted:
            data.pop(key, None)
            continue
        try:
            data[key] = _said(field, wanted[field], written.get(key), old.get(field))
        except ValueError as error:
            problems.append(_lost(name, field, str(error)))
    problems += _set_extra(data, name, old.get("extra", {}), wanted.get("extra", {}))
    stripped = new.prompt.strip(BLANKS)
    if not same(new.prompt.strip("\r\n"), stripped) and (
        before is None or new.prompt != before[1].prompt
    ):
        message = f"{TITLE} drops the blanks around a prompt"
        problems.append(NOT_IN_FORMAT.problem(message, ("agents", name, "prompt")))
    return data, problems


def _set_extra(
    data: dict[str, Any], name: str, old: Mapping[str, Any], new: Mapping[str, Any]
) -> list[Problem]:
    """Set the keys that no field models, and say which cannot be set."""
    problems = []
    for key in {**old, **new}:
        if key in KEYS:
            problems.append(_lost(name, f"extra.{key}", "it has another meaning there"))
        elif key not in new:
            data.pop(key, None)
        elif not same(old.get(key), new[key]) or key not in data:
            data[key] = merged(data.get(key), old.get(key), new[key])
    return problems


def _said(field: str, value: Any, written: Any, old: Any) -> Any:
    """Give what to write for a value, in the way in which the file says it now.

    Raises:
        ValueError: It cannot be said; `str()` of it says why.
    """
    if field in ("tools", "disallowed_tools", "skills"):
        return _names(field, value, written)
    if field == "description":
        return _description(value, written)
    return merged(written, old, value)


def _names(field: str, names: list[str], written: Any) -> Any:
    odd = next((name for name in names if split_entry(name) != [name]), None)
    if odd is not None:
        msg = f"it would split {quoted(odd)}"
        raise ValueError(msg)
    if field != "skills" and EVERY_TOOL in names:
        msg = "'*' means something else there"
        raise ValueError(msg)
    return names_in_style(names, written)


def names_in_style(names: list[str], written: Any) -> Any:
    """Give names as a list or as a text, as they are written now."""
    if isinstance(written, list) or not names:
        return names
    between = ", "
    if isinstance(written, str) and " " not in written:
        between = "," if "," in written else between
    elif isinstance(written, str) and "," not in written.strip(" "):
        between = " "
    return between.join(names)


def _description(text: str, written: Any) -> str:
    if ESCAPED_LINE_END in text:
        msg = r"it reads '\n' as the end of a line"
        raise ValueError(msg)
    if isinstance(written, str) and ESCAPED_LINE_END in written and "\n" not in written:
        return text.replace("\n", ESCAPED_LINE_END)
    return text


def _lost(name: str, field: str, why: str) -> Problem:
    path = ("agents", name, field)
    code = WIDENS if field in RESTRICTING else NOT_FAITHFUL
    return code.problem(f"{TITLE} cannot say it: {why}", path)


def _refuse(problems: list[Problem]) -> None:
    if errors := errors_in(problems):
        raise SpecError(errors)


def _see_that_it_says(text: str, name: str, spec: SubagentSpec, known: Iterable[Problem]) -> None:
    """Read a text back, and refuse it if it does not say an agent."""
    if len(text.encode("utf-8", "surrogatepass")) > MAX_FILE:
        message = f"the file would be larger than {MAX_FILE // 1024**2} MiB, which {TITLE} skips"
        raise SpecError([NOT_FAITHFUL.problem(message, ("agents", name))])
    found = read_agent(text)
    faults = {(problem.code, problem.path) for problem in known}
    errors = [each for each in errors_in(found.problems) if (each.code, each.path) not in faults]
    if found.spec is None or errors:
        # The places are those of a text that is never written.
        raise SpecError(
            [evolve(problem, span=None, excerpt=None) for problem in errors]
            or list(_unfaithful(()).problems)
        )
    wanted = evolve(spec, prompt=spec.prompt.strip(BLANKS))
    if found.name != name or not same(plain(found.spec), plain(wanted), ordered=False):
        fields = [
            key
            for key, value in plain(wanted).items()
            if not same(plain(found.spec).get(key), value, ordered=False)
        ]
        raise _unfaithful(("agents", name, *fields[:1]))


def _unfaithful(path: tuple[str | int, ...]) -> SpecError:
    message = "there is no way to write this so that it reads back as what is meant"
    return SpecError([NOT_FAITHFUL.problem(message, path)])
