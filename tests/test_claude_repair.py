"""Front matter that is no YAML, written so that it says what was meant."""

from __future__ import annotations

import pytest
from real_files import CORPUS

from subspec.formats.claude_code import read_agent
from subspec.formats.claude_repair import repaired_text
from subspec.source.frontmatter import find_fences


def repaired(text: str) -> str | None:
    fences = find_fences(text)
    assert fences is not None
    return repaired_text(text, fences)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("description: Use it: now", 'description: "Use it: now"'),
        ("description: *all* of it", 'description: "*all* of it"'),
        ("description: [a, b", 'description: "[a, b"'),
        (
            "description: one\n<example>\nuser: x\n\nassistant: y: z",
            "description: |-\n  one\n  <example>\n  user: x\n\n  assistant: y: z",
        ),
        ("description: one: two\nemoji: x\nvibe: y", 'description: "one: two"\nemoji: x\nvibe: y'),
        ("description: one\n  two: three", "description: |-\n  one\n  two: three"),
        ("tools: *", 'tools: "*"'),
        ("# first\ndescription: a: b # not a comment\n# last", None),
        ("description: |\n  right\nmodel: opus", "description: |\n  right\nmodel: opus"),
    ],
)
def test_what_was_meant_is_written_as_yaml(before, after):
    text = f"---\nname: a\n{before}\nmodel: opus\n---\n\nBody\n"
    if after is None:
        after = "# first\ndescription: |-\n  a: b # not a comment\n  # last"
    found = repaired(text)
    assert found == text.replace(before, after)
    assert not {"yaml-syntax", "front-matter-repaired"} & {
        problem.code for problem in read_agent(found).problems
    }


def test_lines_end_as_they_do():
    text = "---\r\nname: a\r\ndescription: Use it: now\r\nfor: all\r\n---\r\n"
    assert repaired(text) == text.replace("Use it: now", '"Use it: now"')
    text = "---\r\nname: a\r\ndescription: Use it\r\n<b>\r\n---\r\n"
    assert repaired(text) == text.replace("Use it\r\n<b>", "|-\r\n  Use it\r\n  <b>")


@pytest.mark.parametrize("matter", ["- a: [\n", "oops\nname: a\n", "name: a\nname: b: c\n: x\n"])
def test_what_cannot_be_told_is_left(matter):
    text = f"---\n{matter}---\nBody\n"
    found = repaired(text)
    assert found is None or read_agent(found).document.readable


@pytest.mark.corpus
def test_real_files_that_are_no_yaml_are_mended():
    broken = mended = 0
    for path in sorted(CORPUS.glob("claude-md*/**/*.md")):
        text = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
        codes = {problem.code for problem in read_agent(text).problems}
        if not codes & {"yaml-syntax", "front-matter-repaired"}:
            continue
        broken += 1
        after = repaired(text)
        found = None if after is None else read_agent(after)
        mended += found is not None and found.spec is not None
    assert broken > 80
    assert mended == broken
