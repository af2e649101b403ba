"""The tables of programs that have a file for each agent: what every one of them has to do."""

from __future__ import annotations

import pytest

from subspec.formats import SPELLINGS
from subspec.formats.registry import OURS
from subspec.testing import CONFORMANCE

pytest.importorskip("tomlkit")


@pytest.mark.parametrize("check", CONFORMANCE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", SPELLINGS)
def test_conformance(name, check):
    check(SPELLINGS[name])


@pytest.mark.parametrize(("name", "signs"), OURS.items())
def test_each_path_that_a_table_tells_has_one_of_its_signs(name, signs):
    table = SPELLINGS[name]
    endings = table.suffixes[:1] if table.is_telling else ()

    assert set(signs) == {directory[0] for directory in table.directories} | set(endings)
