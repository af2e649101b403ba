"""Keys of files: the usual ways to read and to write their values."""

import re
from collections.abc import Callable, Collection, Mapping
from typing import Any

from subspec import facts
from subspec.formats.spelling import (
    Context,
    Key,
    OwnValueError,
    Reading,
    Said,
    Written,
    lost,
    lost_value,
)
from subspec.problems import (
    NOT_A_CHOICE,
    Problem,
    SpecError,
    did_you_mean,
    one_of,
    other_word,
    quoted,
)
from subspec.shapes import kind, shape_of, wrong_type
from subspec.source.compare import MISSING

_TEXTS = shape_of(tuple[str, ...])
_LONG_CONTEXT = "[1m]"

WORDS = frozenset({*facts.MODEL_ALIASES, "auto", "pro", "flash", "flash-lite", "fast"})
"""Names that some program replaces by a model."""


def same(field_name: str) -> Key:
    """Make a key whose values are those of the field."""

    def read(value: Any) -> Reading:
        return {field_name: value}, []

    def write(said: Said, _context: Context) -> Written:
        return said.get(field_name, MISSING), []

    return Key((field_name,), read, write)


def choice(field_name: str, words: Mapping[str, Any], more: Collection[str] = ()) -> Key:
    """Make a key whose values are words, of which some mean what a field can say.

    Args:
        field_name: The field.
        words: The words of the file, with the values of the field.
        more: Further words, which only the program understands.
    """
    back = {words[word]: word for word in reversed(list(words))}

    def read(value: Any) -> Reading:
        if isinstance(value, str) and value in words:
            return {field_name: words[value]}, []
        if isinstance(value, str) and value in more:
            raise OwnValueError
        known = [*words, *more]
        if not isinstance(value, str):
            raise SpecError([wrong_type(one_of(known), value)])
        hint = did_you_mean(value, known)
        message = f"must be {one_of(known)}, not {quoted(value)}"
        raise SpecError([NOT_A_CHOICE.problem(message, hint=hint, fix=other_word(value, known))])

    def write(said: Said, context: Context) -> Written:
        if field_name not in said:
            return MISSING, []
        value = said[field_name]
        if isinstance(value, bool) or value not in back:
            reason = f"{context.title} has no word for {quoted(value)}"
            return MISSING, [lost_value(field_name, value, reason)]
        return back[value], []

    return Key((field_name,), read, write)


def model(aliases: Collection[str] = (), ids: str = r"(?s).+") -> Key:
    """Make the key of the model: words that the program replaces are kept as they are.

    Args:
        aliases: The words that it knows. A word that only others know is lost, never expanded.
        ids: What else it takes, as a regular expression.
    """
    pattern = re.compile(ids)

    def read(value: Any) -> Reading:
        if isinstance(value, list):
            raise OwnValueError
        return {"model": value}, []

    def write(said: Said, context: Context) -> Written:
        if "model" not in said:
            return MISSING, []
        name = said["model"]
        word = name.strip().lower()
        plain = word.removesuffix(_LONG_CONTEXT)
        if word in aliases:
            return name, []
        if plain == "inherit":
            reason = f"{context.title} has no word for the model of the caller"
            return MISSING, [lost("model", reason, "it is left out, which means the same")]
        if plain in WORDS or plain != word:
            reason = f"{context.title} does not know the model {quoted(name)}"
            return MISSING, [lost("model", reason, "the program's own model is used")]
        if not pattern.fullmatch(name):
            reason = f"{context.title} takes no model such as {quoted(name)}"
            return MISSING, [lost("model", reason, "the program's own model is used")]
        return name, []

    return Key(("model",), read, write)


def check_text(value: Any) -> list[Problem]:
    """Refuse what is not text."""
    return list(shape_of(str).check(value))


def check_flag(value: Any) -> list[Problem]:
    """Refuse what is neither true nor false."""
    return list(shape_of(bool).check(value))


def check_map(value: Any) -> list[Problem]:
    """Refuse what is no mapping."""
    return [] if isinstance(value, Mapping) else [wrong_type("a mapping", value)]


def check_names(value: Any) -> list[Problem]:
    """Refuse what is no list of texts."""
    return list(_TEXTS.check(value))


def check_number(value: Any) -> list[Problem]:
    """Refuse what is no number."""
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return [] if is_number else [wrong_type("a number", value)]


def check_words(*words: str) -> Callable[[Any], list[Problem]]:
    """Make a check that refuses all words but these."""

    def check(value: Any) -> list[Problem]:
        if isinstance(value, str) and value in words:
            return []
        message = f"must be {one_of(words)}, not {quoted(value) if value else kind(value)}"
        if not isinstance(value, str):
            return [NOT_A_CHOICE.problem(message)]
        hint, fix = did_you_mean(value, words), other_word(value, words)
        return [NOT_A_CHOICE.problem(message, hint=hint, fix=fix)]

    return check
