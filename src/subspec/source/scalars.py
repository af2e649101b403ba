"""What a plain scalar of YAML means: the core schema of YAML 1.2.

``yes``, ``on``, dates, ``012``, ``1:30`` and ``1_000`` are text, whatever the reader underneath
makes of them; only ``true`` and ``false`` are booleans.
"""

import math
import re

from subspec.shapes import MAX_DIGITS

CONSTANTS = {
    "": None,
    "~": None,
    "null": None,
    "Null": None,
    "NULL": None,
    "true": True,
    "True": True,
    "TRUE": True,
    "false": False,
    "False": False,
    "FALSE": False,
}
"""The words, and no word at all, that stand for something else than text."""

_INTEGER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|(?:0|[1-9][0-9]*)(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NOT_FINITE = re.compile(r"[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN)")

MAY_RESOLVE = frozenset(["", *"~nNtTfF+-.0123456789"])
"""First characters of the plain scalars that may be something else than text."""

Scalar = None | bool | int | float | str


class BadNumberError(ValueError):
    """A number is not finite, or longer than :data:`~subspec.shapes.MAX_DIGITS`."""


def resolve(text: str) -> Scalar:
    """Give the value of a plain scalar.

    Raises:
        BadNumberError: It is a number that cannot be kept.
    """
    if text in CONSTANTS:
        return CONSTANTS[text]
    if _FLOAT.fullmatch(text):
        return number(text)
    if _BASED.fullmatch(text):
        return int(_short(text)[2:], 8 if text[1] == "o" else 16)
    if _NOT_FINITE.fullmatch(text):
        raise BadNumberError
    return text


def number(text: str) -> int | float:
    """Give the value of a decimal number.

    Raises:
        BadNumberError: It is too long, or too large to be finite.
    """
    if _INTEGER.fullmatch(_short(text)):
        return int(text)
    value = float(text)
    if math.isinf(value):
        raise BadNumberError
    return value


def _short(text: str) -> str:
    if len(text.lstrip("+-")) > MAX_DIGITS:
        raise BadNumberError
    return text
