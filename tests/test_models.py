"""What a model name is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subspec.models import ALIASES, LONG_CONTEXT, choices, judge

alias = pytest.mark.parametrize("alias", ALIASES)


def test_the_aliases_are_claude_codes_and_inherit():
    assert set(ALIASES) == {"sonnet", "opus", "haiku", "fable", "best", "opusplan", "inherit"}


@alias
@pytest.mark.parametrize(
    "spell",
    [str, str.upper, str.title, f"{{}}{LONG_CONTEXT}".format, " {} ".format, "{}[1M]".format],
    ids=["plain", "upper", "title", "long-context", "padded", "long-context-upper"],
)
def test_an_alias_is_known_however_it_is_spelt(alias, spell):
    assert judge(spell(alias)) == "known"


@pytest.mark.parametrize(
    "model",
    [
        *["claude-sonnet-4-5", "claude-opus-4-1-20250805", "claude-3-5-haiku-latest", "CLAUDE-x"],
        *["claude-sonnet-4-5[1m]", "us.anthropic.claude-sonnet-4-20250514-v1:0"],
        *["anthropic/claude-sonnet-4", "claude-sonnet-4@20250514", "claude"],
    ],
)
def test_an_id_of_claude_is_known(model):
    assert judge(model) == "known"


@pytest.mark.parametrize(
    "model",
    ["gpt-4", "gpt-4o", "o3", "sonnet-4", "gemini/gemini-pro", "qwen3:8b", "a.b", "4", "x_y", "!"],
)
def test_another_id_is_unusual(model):
    assert judge(model) == "unusual"


@pytest.mark.parametrize(
    "model",
    [
        *["sonet", "haiko", "default", "SONNETT", "é", "fable fable", "claude sonnet", "gpt 4"],
        *["sonnet [1m]", "gpt\n4", "", " ", "\t\n", "[1m]", " [1m] "],
    ],
    ids=repr,
)
def test_a_word_or_several_or_none_is_no_model(model):
    assert judge(model) == "unknown"


@given(st.text())
def test_every_text_gets_a_verdict_that_blanks_around_it_do_not_change(model):
    assert judge(model) in ("known", "unusual", "unknown")
    assert judge(f" {model}\n") == judge(model)


def test_the_choices_are_listed_for_a_message():
    assert choices() == "'sonnet', 'opus', 'haiku', 'fable', 'best', 'opusplan' or 'inherit'"
