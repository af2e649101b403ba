"""What the documentation says of three agents, converted by subspec and by another converter."""

from __future__ import annotations

from pathlib import Path

import pytest
from side_by_side import PROGRAMS, agents, by_subspec

from subspec.formats import SPELLINGS

pytest.importorskip("tomlkit")

PAGE = Path(__file__).parents[1] / "docs" / "converting.md"


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_arrives_is_what_the_documentation_says(name, tmp_path):
    (line,) = [
        line
        for line in PAGE.read_text(encoding="utf-8").splitlines()
        if line.startswith(f"| {SPELLINGS[name].title} | ")
    ]

    assert line.endswith(f" | {by_subspec(name, tmp_path)} |")


def test_the_agents_say_much():
    _, wanted = agents()

    assert sum(wanted.values()) == 17
    assert {"tools", "disallowed_tools", "model", "permission_mode", "max_turns"} < set(wanted)
