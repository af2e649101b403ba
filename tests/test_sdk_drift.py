"""Our fields beside those of the installed claude-agent-sdk: who has what the other lacks.

When a test here fails, the SDK has changed. Give the field that it names a place: a field of its
own in :mod:`subspec.spec`, or one of the lists in :mod:`subspec.runtimes.claude_sdk`.
"""

from __future__ import annotations

import dataclasses
from types import UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import attrs
import pytest

pytest.importorskip("claude_agent_sdk", reason="needs the extra subspec[claude]")

import claude_agent_sdk

from subspec.formats.claude_cli import camel
from subspec.runtimes.claude_sdk import FILE_ONLY, FIRST_SUPPORTED, NOT_TEXT, SINCE
from subspec.spec import ClaudeConfig, SubagentSpec

OURS_ALONE = {SubagentSpec: {"origin"}, ClaudeConfig: {"extra", "host", "origin"}}
"""Fields that say where something was read, and what else was read with it."""


def numbers_of(release: str) -> tuple[int, ...]:
    """A release as numbers, to be compared."""
    return tuple(int(part) for part in release.split(".")[:3])


INSTALLED = numbers_of(claude_agent_sdk.__version__)
NEWEST_KNOWN = (0, 2, 189)

since_newest = pytest.mark.skipif(
    NEWEST_KNOWN > INSTALLED, reason="an older SDK lacks fields that are ours"
)


def field_names(cls: Any) -> list[str]:
    return [field.name for field in dataclasses.fields(cls)]


def our_names(cls: Any) -> list[str]:
    return [attribute.name for attribute in attrs.fields(cls)]


@pytest.mark.parametrize("name", field_names(claude_agent_sdk.AgentDefinition))
def test_each_field_of_an_agent_definition_is_mirrored(name):
    ours = {camel(own) for own in set(our_names(SubagentSpec)) - FILE_ONLY - {"origin"}}

    assert name in ours, f"AgentDefinition.{name} is new: SubagentSpec has no field for it"


@pytest.mark.parametrize("name", field_names(claude_agent_sdk.ClaudeAgentOptions))
def test_each_field_of_the_options_is_mirrored_or_no_text(name):
    ours = set(our_names(ClaudeConfig)) - OURS_ALONE[ClaudeConfig]

    assert name in ours | NOT_TEXT, (
        f"ClaudeAgentOptions.{name} is new: ClaudeConfig has no field for it, nor does NOT_TEXT"
        " say that no file can hold it"
    )
    assert not (name in ours and name in NOT_TEXT), f"{name} is mirrored and called no text"


@since_newest
@pytest.mark.parametrize("name", our_names(SubagentSpec))
def test_each_field_of_a_spec_reaches_agent_definition_or_is_for_files_only(name):
    theirs = camel(name) in field_names(claude_agent_sdk.AgentDefinition)
    listed = name in FILE_ONLY | OURS_ALONE[SubagentSpec]

    assert theirs or listed, f"SubagentSpec.{name}: AgentDefinition has no such field any more"
    assert not (theirs and listed), f"AgentDefinition.{camel(name)} is new: {name} is in FILE_ONLY"


@since_newest
@pytest.mark.parametrize("name", our_names(ClaudeConfig))
def test_each_field_of_a_configuration_reaches_the_options(name):
    theirs = name in field_names(claude_agent_sdk.ClaudeAgentOptions)
    listed = name in OURS_ALONE[ClaudeConfig]

    assert theirs or listed, f"ClaudeConfig.{name}: ClaudeAgentOptions has no such field any more"
    assert not (theirs and listed), f"ClaudeAgentOptions.{name} is new, and ours means another"


@since_newest
@pytest.mark.parametrize("name", sorted(NOT_TEXT))
def test_each_field_that_is_no_text_is_still_there(name):
    assert name in field_names(claude_agent_sdk.ClaudeAgentOptions), f"{name} is gone"


@pytest.mark.parametrize("name", sorted(FILE_ONLY))
def test_each_field_for_files_only_is_one_of_ours(name):
    assert name in our_names(SubagentSpec)


@pytest.mark.parametrize(("name", "release"), SINCE.items(), ids=SINCE)
def test_a_field_is_in_the_sdk_from_the_release_that_is_named(name, release):
    assert name in our_names(ClaudeConfig)
    is_there = name in field_names(claude_agent_sdk.ClaudeAgentOptions)
    assert is_there == (numbers_of(release) <= INSTALLED)


def test_the_oldest_supported_sdk_has_every_field_that_no_release_is_named_for():
    if numbers_of(FIRST_SUPPORTED) > INSTALLED:
        pytest.skip(f"nothing is promised before {FIRST_SUPPORTED}")
    theirs = {
        *field_names(claude_agent_sdk.ClaudeAgentOptions),
        *field_names(claude_agent_sdk.AgentDefinition),
    }

    missing = (
        {camel(name) for name in our_names(SubagentSpec) if name not in FILE_ONLY}
        | set(our_names(ClaudeConfig)) - SINCE.keys()
    ) - theirs
    assert missing <= OURS_ALONE[ClaudeConfig], f"add to SINCE: {missing}"


def choices_in(annotation: Any) -> set[Any]:
    """The literal values in an annotation, lists and unions looked through."""
    if get_origin(annotation) is Literal:
        return set(get_args(annotation))
    return {choice for argument in get_args(annotation) for choice in choices_in(argument)}


def takes_any_text(annotation: Any) -> bool:
    """Whether an annotation takes any text, or lists of it."""
    if get_origin(annotation) in (Union, UnionType, tuple, list):
        return any(takes_any_text(argument) for argument in get_args(annotation))
    return annotation is str


def choice_fields() -> list[Any]:
    """Each field of theirs that is a choice, with our annotation of it, as parameters."""
    found = []
    for theirs, ours, spell in (
        (claude_agent_sdk.AgentDefinition, SubagentSpec, camel),
        (claude_agent_sdk.ClaudeAgentOptions, ClaudeConfig, str),
    ):
        hints = get_type_hints(theirs)
        for attribute in attrs.fields(ours):
            choices = choices_in(hints.get(spell(attribute.name)))
            if choices:
                name = f"{theirs.__name__}.{spell(attribute.name)}"
                found.append(pytest.param(name, choices, attribute.type, id=name))
    return found


@pytest.mark.parametrize(("name", "choices", "annotation"), choice_fields())
def test_each_choice_of_theirs_is_one_of_ours(name, choices, annotation):
    if takes_any_text(annotation) and not choices_in(annotation):
        return
    new = choices - choices_in(annotation)

    assert not new, f"{name} takes {new} too"


def test_the_choices_are_found_in_the_sdk():
    assert len(choice_fields()) >= 5
    names = {parameter.values[0] for parameter in choice_fields()}
    assert {
        "AgentDefinition.effort",
        "AgentDefinition.memory",
        "AgentDefinition.permissionMode",
        "ClaudeAgentOptions.permission_mode",
        "ClaudeAgentOptions.setting_sources",
    } <= names
