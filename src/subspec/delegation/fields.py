"""Fields that may be absent: their annotations read as checks, like those of a spec."""

from collections.abc import Sequence
from functools import cache, reduce
from operator import or_
from types import UnionType
from typing import Any, Union, get_args, get_origin

from attrs import NOTHING, Attribute, AttrsInstance, evolve, fields, has

from subspec.delegation.absent import ABSENT, Absent
from subspec.problems import Problem, SpecError, below
from subspec.shapes import Check, Shape, check_of, record, shape_of, wrong_type

KEY = "subspec.delegation.key"
"""The metadata of a field whose key in a file is not its own name."""

LIVE = "subspec.delegation.live"
"""The metadata of a field that holds objects of Python, which no check knows; it says what of."""


def verify(instance: AttrsInstance) -> None:
    """Check the fields of an instance by their annotations.

    Raises:
        SpecError: Values are wrong; all of them are named.
    """
    problems: list[Problem] = []
    for name, (optional, check) in _checks(type(instance)).items():
        value = getattr(instance, name)
        if not (optional and value is ABSENT):
            problems += below((name,), check(value))
    if problems:
        raise SpecError(problems)


def shape_of_class(cls: type[AttrsInstance]) -> Shape:
    """Make the shape of the mapping that a class is read from, in camelCase keys."""
    required: dict[str, Shape] = {}
    optional: dict[str, Shape] = {}
    for attribute in fields(cls):
        _, members = _members(attribute.type)
        nested = nested_class(attribute.type)
        shape = shape_of(_union(members)) if nested is None else shape_of_class(nested)
        place = required if attribute.default is NOTHING else optional
        place[key_of(attribute)] = _given(shape)
    return record(required, optional, closed=True)


def nested_class(annotation: Any) -> type[AttrsInstance] | None:
    """Give the attrs class that a field may hold, or None."""
    _, members = _members(annotation)
    return next((member for member in members if has(member)), None)


def key_of(attribute: "Attribute[Any]") -> str:
    """Give the key of a field in a file: its name in camelCase, or what its metadata says."""
    first, *rest = attribute.name.split("_")
    camel = first + "".join(word.capitalize() for word in rest)
    return str(attribute.metadata.get(KEY, camel))


def _given(shape: Shape) -> Shape:
    # A key without a value is how an option gets lost that was meant to be set.
    def check(value: object) -> Sequence[Problem]:
        if value is None:
            return (wrong_type(shape.wanted, None, "give it a value, or leave the key out"),)
        return shape.check(value)

    return evolve(shape, check=check)


@cache
def _checks(cls: type[AttrsInstance]) -> dict[str, tuple[bool, Check]]:
    checks = {}
    for attribute in fields(cls):
        optional, members = _members(attribute.type)
        nested = nested_class(attribute.type)
        if LIVE in attribute.metadata:
            check = _live_check(attribute.metadata[LIVE])
        else:
            check = check_of(_union(members)) if nested is None else _instance_check(nested)
        checks[attribute.name] = optional, check
    return checks


def _live_check(wanted: str) -> Check:
    def check(value: object) -> Sequence[Problem]:
        return (wrong_type(wanted, None),) if value is None else ()

    return check


def _instance_check(cls: type[AttrsInstance]) -> Check:
    def check(value: object) -> Sequence[Problem]:
        if isinstance(value, cls):
            return ()
        return (wrong_type(f"of type {cls.__name__}", value),)

    return check


def _members(annotation: Any) -> tuple[bool, list[Any]]:
    """Tell whether a field may be absent, and what else it may hold."""
    members = [annotation]
    if get_origin(annotation) in (Union, UnionType):
        members = list(get_args(annotation))
    others = [member for member in members if member is not Absent]
    return len(others) < len(members), others


def _union(members: list[Any]) -> Any:
    return reduce(or_, members)
