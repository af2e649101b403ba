"""Values from a command line: text for what is text, a list for what is a list, else YAML."""

import re
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from subspec.cli.changing import CannotRunError
from subspec.problems import Path as DataPath
from subspec.problems import did_you_mean, errors_in, printable, quoted
from subspec.shapes import shape_of
from subspec.source.compare import MISSING, with_value
from subspec.tools import split_entry

if TYPE_CHECKING:
    from attrs import AttrsInstance

LISTS = (
    *("tools", "disallowed_tools", "skills", "allowed_tools", "add_dirs", "betas"),
    "context_files",
)
_PROMPTS = ("prompt", "instructions")
_TOOLS = ("tools", "disallowed_tools", "allowed_tools")
_NEXT_SIGN = re.compile(r"\s+(?=[+-])")
_SAYS_ALL = {"tools": "all tools", "skills": "what is the default"}


def words_in(path: DataPath, text: str) -> tuple[str, ...]:
    """Take what a file holds for the words of a command line."""
    name = _field(path)
    if name in LISTS and path[-1] == name:
        return tuple(filter(None, map(str.strip, text.splitlines()))) or ("",)
    # The line end behind a word is the file's; that behind a prompt is the prompt's.
    return (text if name in _PROMPTS else text.removesuffix("\n"),)


def value_of(
    path: DataPath,
    words: tuple[str, ...],
    current: Any,
    kind: "type[AttrsInstance] | None" = None,
    own_lists: Collection[str] = (),
) -> Any:
    """Read the value of a field from the words of a command line.

    Args:
        path: The field, in canonical keys.
        words: What was written behind it.
        current: What stands there now.
        kind: The class of an agent; that of the canonical format if it is None.
        own_lists: Keys of the program itself that are lists.
    """
    name = _field(path)
    is_own = path[2:] == ("extra", path[-1]) and path[-1] in own_lists
    is_list = is_own or (path[-1] == name and name in LISTS)
    if is_list and not words[0].startswith("{"):
        return _list(str(path[-1]), words, current)
    return _scalar(path, " ".join(words), kind)


def _field(path: DataPath) -> str:
    return str(path[2] if path[0] == "agents" else path[0])


def _list(name: str, words: tuple[str, ...], current: Any) -> Any:
    if words[0][:1] in ("+", "-"):
        # Several of them in one word, as between quotes.
        words = tuple(part for word in words for part in _NEXT_SIGN.split(word))
    signed = [word[:1] in ("+", "-") and len(word) > 1 for word in words]
    if any(signed):
        if not all(signed):
            msg = "give either a whole list, or only +NAME and -NAME"
            raise CannotRunError(msg)
        return _changed_list(name, words, current)
    whole = _plain(words[0]) if len(words) == 1 else MISSING
    if isinstance(whole, list):
        return whole
    if whole is None or words[0].startswith("[") or set(words) & {"+", "-"}:
        msg = f"{printable(' '.join(words))} is no list of names; write [] to say none"
        raise CannotRunError(msg)
    if words == ("all",) and name == "skills":
        return "all"
    return [entry for word in words for entry in _entries(name, word)]


def _changed_list(name: str, words: tuple[str, ...], current: Any) -> list[Any]:
    if not isinstance(current, list) and name in _SAYS_ALL:
        msg = f"{name} is not set, which means {_SAYS_ALL[name]}; give the whole list instead"
        raise CannotRunError(msg)
    result = list(current) if isinstance(current, list) else []
    for word in words:
        for entry in _entries(name, word[1:]):
            if word[0] == "+":
                result += [entry] if entry not in result else []
            elif entry in result:
                result = [each for each in result if each != entry]
            else:
                hint = did_you_mean(entry, result) or f"there are: {', '.join(result) or 'none'}"
                raise CannotRunError(printable(f"{quoted(entry)} is not in {name}; {hint}"))
    return result


def _entries(name: str, word: str) -> list[str]:
    if name in _TOOLS:
        return split_entry(word)
    return [part for part in map(str.strip, word.split(",")) if part]


def _scalar(path: DataPath, text: str, kind: "type[AttrsInstance] | None") -> Any:
    from attrs import fields  # noqa: PLC0415

    from subspec.spec import ClaudeConfig, SubagentSpec  # noqa: PLC0415

    of_agent = path[0] == "agents"
    known = fields((kind or SubagentSpec) if of_agent else ClaudeConfig)
    annotation: Any = getattr(known, _field(path)).type
    shape, inner = shape_of(annotation), path[3 if of_agent else 1 :]
    plain = _plain(text)
    as_text, as_plain = (
        errors_in(shape.check(with_value({}, inner, value))) for value in (text, plain)
    )
    # What may be anything is what it looks like.
    is_data = isinstance(plain, dict | list | int | float)
    if plain is not MISSING and not as_plain and (as_text or is_data):
        return plain
    # Where neither is right, the message is to show what was written.
    return text if plain is MISSING or isinstance(plain, str) or not as_text else plain


def _plain(text: str) -> Any:
    """Read a value as YAML; :data:`MISSING` for what is none."""
    from subspec.source import read_yaml  # noqa: PLC0415

    document = read_yaml(text)
    return document.data if document.readable and not document.problems else MISSING
