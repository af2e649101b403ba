"""The tables of programs that have a file for each agent: what every one of them has to do."""

from __future__ import annotations

import pytest

from subspec.formats import SPELLINGS
from subspec.testing import CONFORMANCE

pytest.importorskip("tomlkit")


@pytest.mark.parametrize("check", CONFORMANCE, ids=lambda check: check.__name__)
@pytest.mark.parametrize("name", SPELLINGS)
def test_conformance(name, check):
    check(SPELLINGS[name])
