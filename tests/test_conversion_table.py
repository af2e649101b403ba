"""The table of formats and fields in the documentation."""

from __future__ import annotations

from pathlib import Path

import pytest

from subspec.conversion.table import FIELDS, fields_by_formats, keys_of, sources, title_of
from subspec.formats import names

PAGE = Path(__file__).parent.parent / "docs" / "converting.md"


@pytest.mark.parametrize("text", [fields_by_formats(), sources()], ids=["fields", "sources"])
def test_the_page_has_the_tables_that_the_code_makes(text):
    assert text in PAGE.read_text(encoding="utf-8"), f"put this into {PAGE}:\n{text}"


def test_every_format_has_its_keys():
    assert set(keys_of("agents")) == set(FIELDS)
    assert keys_of("claude_cli")["max_turns"] == "maxTurns"
    assert keys_of("claude_code")["prompt"] == "the body"
    assert keys_of("codex")["effort"] == "model_reasoning_effort"
    assert keys_of("pydantic_ai")["prompt"] == "instructions"
    for name in names():
        assert {"description", "prompt"} <= set(keys_of(name))
        assert title_of(name)
        assert f"`{name}`" in PAGE.read_text(encoding="utf-8")
