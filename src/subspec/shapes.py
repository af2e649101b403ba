"""What a field may hold: annotations read as strict checks.

A field is declared once, by its annotation. :func:`shape_of` turns the annotation into a check
that converts nothing: ``1`` is not text, ``True`` is not a number, a text is not a list. The same
check serves data that was read from a file (lists and dicts) and the frozen values of a spec
(tuples and :class:`immutabledict`).
"""

import re
import sys
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Protocol, Union, get_args, get_origin

from attrs import evolve, field, frozen
from immutabledict import immutabledict

from subspec.problems import (
    BAD_NUMBER,
    BLANK_VALUE,
    IGNORED_KEY,
    LONE_SURROGATE,
    MISSING_KEY,
    NOT_A_CHOICE,
    NOT_A_STRING_KEY,
    OUT_OF_RANGE,
    TOO_DEEP,
    TOO_LARGE,
    UNKNOWN_KEY,
    WRONG_TYPE,
    Code,
    Fix,
    Path,
    Problem,
    below,
    did_you_mean,
    one_of,
    other_word,
    quoted,
)

MAX_DEPTH = 100
"""How deep data may be nested, counted in mappings and lists."""

MAX_VALUE_DEPTH = MAX_DEPTH - 10
"""How deep the value of a field may be nested: what stands around it takes some levels too."""

MAX_DIGITS = 400
"""How long a number may be. Longer ones are no number that anybody means."""

MAX_VALUES = 250_000
"""How many values there may be in the value of a field, each counted wherever it stands."""

MAX_INTEGER = 2**53 - 1
"""The largest whole number that every reader of JSON keeps exactly."""

Check = Callable[[object], Sequence[Problem]]
"""Takes a value, gives what is wrong with it (nothing, mostly), paths relative to the value."""

FrozenMap = immutabledict[str, Any]
"""A mapping of text to plain data, frozen all the way down."""


# Claude Code counts the byte order mark as a blank too.
_BLANK = "".join(filter(str.isspace, map(chr, range(0x3001)))) + "\ufeff"


_PLAIN_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_.-]*")


class Constraint(Protocol):
    """A bound on a value, written into its annotation by ``Annotated``."""

    def __call__(self, value: Any, /) -> Sequence[Problem]:
        """Check a value that already has the right type."""
        ...


@frozen
class NotBlank:
    """The text holds more than blanks."""

    message: str = "must not be blank"
    code: Code = BLANK_VALUE

    def __call__(self, value: str, /) -> Sequence[Problem]:
        """Check a text."""
        return () if value.strip(_BLANK) else (self.code.problem(self.message),)


@frozen
class AtLeast:
    """The number is not below a bound."""

    bound: int

    def __call__(self, value: float, /) -> Sequence[Problem]:
        """Check a number."""
        if value >= self.bound:
            return ()
        return (OUT_OF_RANGE.problem(f"must be at least {self.bound}, not {value}"),)


@frozen
class MoreThan:
    """The number is above a bound."""

    bound: int

    def __call__(self, value: float, /) -> Sequence[Problem]:
        """Check a number."""
        if value > self.bound:
            return ()
        return (OUT_OF_RANGE.problem(f"must be more than {self.bound}, not {value}"),)


@frozen
class Shape:
    """What a field may hold: in words (``"text"``, ``"a list of text"``), and as a check."""

    wanted: str
    check: Check
    deep: bool = False
    """Whether data of any depth can be in it."""

    made_of: Mapping[str, Any] = field(factory=dict, eq=False, repr=False)
    """What it was made of, for those who say the same in another language."""


@cache
def shape_of(annotation: Any) -> Shape:
    """Turn an annotation into a check.

    Understood are ``str``, ``int``, ``float`` (which takes whole numbers too), ``bool``, ``None``,
    ``Any`` (plain data), ``Literal``, ``tuple[T, ...]``, :data:`FrozenMap`, unions of these, and
    ``Annotated`` with constraints.

    Raises:
        TypeError: The annotation is of another kind.
    """
    origin = get_origin(annotation)
    arguments = get_args(annotation)
    if origin is Annotated:
        return _constrained(shape_of(arguments[0]), arguments[1:])
    if origin in (Union, UnionType):
        return _union([shape_of(member) for member in arguments])
    if origin is Literal:
        return choice(arguments)
    if origin is tuple:
        return list_of(shape_of(arguments[0]))
    if origin is immutabledict:
        return _map_of(shape_of(arguments[1]))
    if annotation in _LEAVES:
        return _LEAVES[annotation]
    msg = f"no shape for {annotation!r}"
    raise TypeError(msg)


def check_of(annotation: Any) -> Check:
    """Turn the annotation of a field into a check that survives whatever it is given."""
    shape = shape_of(annotation)

    def check(value: object) -> Sequence[Problem]:
        return _extent_problems(value) or shape.check(value)

    return check if shape.deep else shape.check


def _extent_problems(value: object) -> Sequence[Problem]:
    levels, values = _extent(value, {})
    if levels > MAX_VALUE_DEPTH:
        return (TOO_DEEP.problem(f"nested more than {MAX_VALUE_DEPTH} levels deep"),)
    if values > MAX_VALUES:
        return (TOO_LARGE.problem(f"holds more than {MAX_VALUES:,} values"),)
    return ()


def _extent(value: object, known: dict[int, tuple[int, int]], level: int = 0) -> tuple[int, int]:
    """Count the levels and the values of data, of which parts may be shared or hold themselves."""
    if not isinstance(value, Mapping | list | tuple):
        return 0, 1
    if id(value) in known:
        return known[id(value)]
    # Until it is counted a part is endless, which is right for one that holds itself.
    known[id(value)] = endless = MAX_VALUE_DEPTH + 1, 0
    if level > MAX_VALUE_DEPTH:
        return endless
    items = value.values() if isinstance(value, Mapping) else value
    levels, values = 0, 1
    for item in items:
        deeper, more = _extent(item, known, level + 1)
        levels, values = max(levels, deeper), values + more
    known[id(value)] = levels + 1, values
    return known[id(value)]


def list_of(item: Shape) -> Shape:
    """Make the shape of a list whose items have a shape."""
    wanted = "a list of text" if item.wanted == "text" else "a list"

    def check(value: object) -> Sequence[Problem]:
        if not isinstance(value, list | tuple):
            return (_not_a_list(wanted, value),)
        if item is _LEAVES[str] and _is_ascii_text(value):
            return ()
        problems: list[Problem] = []
        for index, entry in enumerate(value):
            if wrong := item.check(entry):
                problems += below((index,), wrong)
        return problems

    return Shape(wanted, check, item.deep, {"item": item})


def _is_ascii_text(items: Sequence[object]) -> bool:
    # Joining asks for the type of each at once; most lists of names have nothing more to check.
    try:
        return "".join(items).isascii()  # type: ignore[arg-type]
    except TypeError:
        return False


def record(
    required: Mapping[str, Shape], optional: Mapping[str, Shape], *, closed: bool = False
) -> Shape:
    """Make the shape of a mapping with known keys.

    Args:
        required: Keys that must be there, with the shapes of their values.
        optional: Keys that may be there.
        closed: Whether another key is an error; else it is a warning, since it is ignored.
    """
    known = [*required, *optional]

    def check(value: object) -> Sequence[Problem]:
        if not isinstance(value, Mapping):
            return (wrong_type("a mapping", value),)
        problems = [MISSING_KEY.problem(f"requires {key}") for key in required if key not in value]
        for key, entry in value.items():
            shape = required.get(key) or optional.get(key)
            if shape is None:
                hint = did_you_mean(str(key), known)
                said = f"the key {quoted(key)} is ignored here"
                code, message = (
                    (UNKNOWN_KEY, f"unknown key {quoted(key)}") if closed else (IGNORED_KEY, said)
                )
                problems.append(code.problem(message, (str(key),), hint=hint))
            else:
                problems += below((key,), shape.check(entry))
        return problems

    parts = {"required": required, "optional": optional, "closed": closed}
    return Shape("a mapping", check, made_of=parts)


def freeze(value: Any) -> Any:
    """Make lists tuples and mappings :class:`immutabledict`, all the way down.

    What is nested too deeply or too large is given back as it is, for the check of its field to
    refuse.
    """
    if value is None or isinstance(value, str):
        return value
    return value if _extent_problems(value) else _frozen(value)


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return immutabledict({key: _frozen(item) for key, item in value.items()})
    if isinstance(value, list | tuple):
        return tuple(map(_frozen, value))
    return value


def thaw(value: Any) -> Any:
    """Undo :func:`freeze`: tuples become lists, mappings dicts, all of them new."""
    if isinstance(value, tuple | list):
        return [thaw(item) for item in value]
    if isinstance(value, Mapping):
        return {key: thaw(item) for key, item in value.items()}
    return value


def kind(value: object) -> str:
    """Say what a value is, in the words of somebody who writes YAML: ``the number 1``."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return f"the number {quoted(value)}"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, Mapping):
        return "a mapping"
    if isinstance(value, list | tuple):
        return "a list"
    name = type(value).__name__
    return f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def wrong_type(wanted: str, value: object, hint: str | None = None, *, at: Path = ()) -> Problem:
    """Make the problem of a value that is not what it should be."""
    return WRONG_TYPE.problem(f"must be {wanted}, not {kind(value)}", at, hint=hint)


def _text(value: object) -> Sequence[Problem]:
    if isinstance(value, str):
        return () if value.isascii() else _surrogates(value)
    hint = None
    if isinstance(value, bool | int | float):
        written = str(value).lower() if isinstance(value, bool) else quoted(value)
        hint = f'to say that text, quote it: "{written}"'
    fix = None if hint is None else Fix("quote")
    return (evolve(wrong_type("text", value, hint), fix=fix),)


def _surrogates(value: str) -> Sequence[Problem]:
    try:
        value.encode()
    except UnicodeEncodeError as error:
        half = ord(value[error.start])
        message = f"holds half of a surrogate pair (U+{half:04X}), which no file can hold"
        return (LONE_SURROGATE.problem(message),)
    return ()


def _integer(value: object) -> Sequence[Problem]:
    if isinstance(value, bool) or not isinstance(value, int):
        return (wrong_type("a whole number", value, _unquote(value)),)
    if -MAX_INTEGER <= value <= MAX_INTEGER:
        return ()
    bound = f"at most {MAX_INTEGER}" if value > 0 else f"at least {-MAX_INTEGER}"
    return (OUT_OF_RANGE.problem(f"must be {bound}, not {quoted(value)}"),)


def _number(value: object) -> Sequence[Problem]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return (wrong_type("a number", value, _unquote(value)),)
    finite = -sys.float_info.max <= value <= sys.float_info.max
    return () if finite else (BAD_NUMBER.problem("must be a finite number"),)


def _flag(value: object) -> Sequence[Problem]:
    if isinstance(value, bool):
        return ()
    hint = "did you mean true?" if value in ("yes", "on", "True", "true", 1) else None
    if value in ("no", "off", "False", "false", 0):
        hint = "did you mean false?"
    return (wrong_type("true or false", value, hint),)


def _null(value: object) -> Sequence[Problem]:
    return () if value is None else (wrong_type("null", value),)


def _data(value: object) -> Sequence[Problem]:
    if value is None or isinstance(value, bool):
        return ()
    if isinstance(value, str):
        return _text(value)
    if isinstance(value, int) and abs(value) < 10**MAX_DIGITS:
        return ()
    if isinstance(value, int | float):
        return _number(value)
    if isinstance(value, Mapping):
        return _LEAVES[Mapping].check(value)
    if isinstance(value, list | tuple):
        return _LEAVES[list].check(value)
    return (wrong_type("plain data", value),)


def choice(choices: Collection[str]) -> Shape:
    """Make the shape of a text that is one of several."""
    wanted = one_of(choices)

    def check(value: object) -> Sequence[Problem]:
        if not isinstance(value, str):
            return (wrong_type(wanted, value),)
        if value in choices:
            return ()
        message = f"must be {wanted}, not {quoted(value)}"
        hint, fix = did_you_mean(value, choices), other_word(value, choices)
        return (NOT_A_CHOICE.problem(message, hint=hint, fix=fix),)

    return Shape(wanted, check, made_of={"choices": choices})


def _map_of(item: Shape) -> Shape:
    def check(value: object) -> Sequence[Problem]:
        if not isinstance(value, Mapping):
            return (wrong_type("a mapping", value),)
        problems: list[Problem] = []
        for key, entry in value.items():
            if not isinstance(key, str):
                problems.append(NOT_A_STRING_KEY.problem(f"has a key that is {kind(key)}"))
            else:
                problems += below((key,), [*_text(key), *item.check(entry)])
        return problems

    return Shape("a mapping", check, deep=True, made_of={"item": item})


def _union(members: list[Shape]) -> Shape:
    # None is a member, but nobody is told to write it.
    wanted = " or ".join(member.wanted for member in members if member.wanted != "null")

    def check(value: object) -> Sequence[Problem]:
        found = []
        for member in members:
            problems = member.check(value)
            if not problems:
                return ()
            found.append(list(problems))
        # A member that takes the type, and only misses something in the value, has the most to say.
        telling = [each for each in found if each[0].code != WRONG_TYPE.name or each[0].path]
        others = [problem for each in found if each not in telling for problem in each]
        hint = next((problem.hint for problem in others if problem.hint), None)
        # A choice that does not know what was meant leaves the word to a member that does.
        if telling and (telling[0][0].code != NOT_A_CHOICE.name or telling[0][0].hint or not hint):
            return telling[0]
        fix = next((problem.fix for problem in others if problem.fix), None)
        return (evolve(wrong_type(wanted, value, hint), fix=fix),)

    deep = any(member.deep for member in members)
    return Shape(wanted, check, deep, {"members": members})


def _constrained(shape: Shape, constraints: Iterable[Constraint]) -> Shape:
    (constraint,) = constraints

    def check(value: object) -> Sequence[Problem]:
        return shape.check(value) or constraint(value)

    parts = {"shape": shape, "constraint": constraint}
    return Shape(shape.wanted, check, shape.deep, parts)


def _not_a_list(wanted: str, value: object) -> Problem:
    if not isinstance(value, str) or not value.strip():
        return wrong_type(wanted, value)
    names = [name.strip() for name in value.split(",")]
    written = [name if _PLAIN_NAME.fullmatch(name) else f'"{name}"' for name in names]
    problem = wrong_type(wanted, value, f"write it as a list: [{quoted(', '.join(written))[1:-1]}]")
    return evolve(problem, fix=Fix("replace", [name for name in names if name]))


def _unquote(value: object) -> str | None:
    if isinstance(value, str) and re.fullmatch(r"\s*[-+]?[0-9]+\s*", value):
        return f"write it without quotes: {value.strip()}"
    return None


_DATA = Shape("plain data", _data, deep=True)

_LEAVES: dict[Any, Shape] = {
    str: Shape("text", _text),
    int: Shape("a whole number", _integer),
    float: Shape("a number", _number),
    bool: Shape("true or false", _flag),
    NoneType: Shape("null", _null),
    Any: _DATA,
    list: list_of(_DATA),
    Mapping: _map_of(_DATA),
}
