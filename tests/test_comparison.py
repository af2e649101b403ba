"""The table in the documentation says what is so."""

from __future__ import annotations

import re
from pathlib import Path

from subspec import check

ROOT = Path(__file__).parent.parent
PROJECT = ROOT / "fixtures" / "broken-project"


def test_the_table_of_the_broken_project_is_what_check_says():
    text = (ROOT / "docs" / "checking.md").read_text(encoding="utf-8")
    said, file = set(), ""
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) < 5 or not re.match(r"\d+:\d+", cells[2]):
            continue
        file = cells[0].strip("`") or file
        severity = cells[2].rpartition(" ")[2]
        said |= {(file, place, severity) for place in re.findall(r"\d+:\d+", cells[2])}

    found = {
        (Path(str(each.file)).name, f"{each.span.line}:{each.span.column}", each.severity)
        for each in check(PROJECT)
        if each.span is not None and each.severity != "info"
    }

    assert said == found
    assert len({name for name, _, _ in found}) == 7
