"""How a text is written: each value with its place, its quotes, its brackets and its anchor."""

from __future__ import annotations

import pytest
from hypothesis import given
from test_edit_properties import RANDOM, Page, times

from subspec.source import read_json, read_yaml
from subspec.source.frontmatter import find_fences, read_front_matter
from subspec.source.tree import Alias, Collection, Scalar, _tree, is_merge, nodes_in, tree_of
from subspec.source.yaml import _events


def told(text: str, nodes) -> list[str]:
    """Say of each node what it is, and what is written there."""
    lines = []
    for node in nodes:
        written = text[node.start : node.end]
        if isinstance(node, Alias):
            lines.append(f"alias {written!r} of {text[node.target.start : node.target.end]!r}")
            continue
        anchor = "" if node.anchor is None else f" &{node.anchor}"
        inner = text[node.inner : node.end]
        if isinstance(node, Collection):
            lines.append(f"{'flow' if node.flow else 'block'} {node.kind}{anchor} {inner!r}")
        else:
            lines.append(f"{node.style or 'plain'}{anchor} {inner!r}")
    return lines


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a", ["plain 'a'"]),
        ("a: 1\n", ["block mapping 'a: 1'", "plain 'a'", "plain '1'"]),
        ("- 'x'\n- \"y\"\n", ["block list '- \\'x\\'\\n- \"y\"'", "' \"'x'\"", "\" '\"y\"'"]),
        ("{a: }\n", ["flow mapping '{a: }'", "plain 'a'", "plain ''"]),
        ("[x: 1]\n", ["flow list '[x: 1]'", "flow mapping 'x: 1'", "plain 'x'", "plain '1'"]),
        (
            "a:\nb:\n",
            ["block mapping 'a:\\nb:'", "plain 'a'", "plain ''", "plain 'b'", "plain ''"],
        ),
        ("? a\n", ["block mapping '? a\\n'", "plain 'a'", "plain ''"]),
        ("a: |\n  x\n\n\n", ["block mapping 'a: |\\n  x'", "plain 'a'", "| '|\\n  x'"]),
        ("a: |  \n  x  \n", ["block mapping 'a: |  \\n  x  '", "plain 'a'", "| '|  \\n  x  '"]),
        ("a: |+\n  x\n\n", ["block mapping 'a: |+\\n  x\\n'", "plain 'a'", "| '|+\\n  x\\n'"]),
        ("a: |+\n  x ", ["block mapping 'a: |+\\n  x '", "plain 'a'", "| '|+\\n  x '"]),
        ("a: >+\n", ["block mapping 'a: >+'", "plain 'a'", "> '>+'"]),
        (
            "a: |\n  x\n     \n",
            ["block mapping 'a: |\\n  x\\n     '", "plain 'a'", "| '|\\n  x\\n     '"],
        ),
        (
            "a: &x 1\nb: *x\n",
            [
                *["block mapping 'a: &x 1\\nb: *x'", "plain 'a'", "plain &x '1'", "plain 'b'"],
                "alias '*x' of '&x 1'",
            ],
        ),
        (
            "a: &x # why\n  # what\n  b: !!str 1\n",
            [
                "block mapping 'a: &x # why\\n  # what\\n  b: !!str 1'",
                *["plain 'a'", "block mapping &x 'b: !!str 1'", "plain 'b'", "plain '1'"],
            ],
        ),
        ("[&a , &b [], !<tag:yaml.org,2002:str> x]", [
            "flow list '[&a , &b [], !<tag:yaml.org,2002:str> x]'",
            *["plain &a ''", "flow list &b '[]'", "plain 'x'"],
        ]),
    ],
)  # fmt: skip
def test_yaml(text, expected):
    assert told(text, nodes_in(tree_of(read_yaml(text)).root)) == expected


def test_json():
    text = '{"a": [1, {}], "b": "x"}'

    assert told(text, nodes_in(tree_of(read_json(text)).root)) == [
        *[f"flow mapping {text!r}", '" \'"a"\'', "flow list '[1, {}]'", "plain '1'"],
        *["flow mapping '{}'", '" \'"b"\'', '" \'"x"\''],
    ]


def test_front_matter_that_is_repaired_has_the_places_and_quotes_that_are_written():
    text = "---\na: b: {\n'c': [d]\ne:\n- &x 1\n- *x\n---\n"
    fences = find_fences(text)

    tree = tree_of(read_front_matter(text, fences), fences)

    assert told(text, nodes_in(tree.root)) == [
        "block mapping \"a: b: {\\n'c': [d]\\ne:\\n- &x 1\\n- *x\"",
        *["plain 'a'", "plain 'b: {'", "' \"'c'\"", "flow list '[d]'", "plain 'd'", "plain 'e'"],
        *["block list '- &x 1\\n- *x'", "plain &x '1'", "alias '*x' of '&x 1'"],
    ]


def test_front_matter_has_its_equal_keys_all_and_its_aliases():
    text = "---\na: &x 1\na: *x\n---\n"
    fences = find_fences(text)

    tree = tree_of(read_front_matter(text, fences), fences)

    assert told(text, nodes_in(tree.root))[1:] == [
        *["plain 'a'", "plain &x '1'", "plain 'a'", "alias '*x' of '&x 1'"],
    ]
    assert told(text, tree.aliases) == ["alias '*x' of '&x 1'"]


def test_a_merge_key_is_one_without_quotes():
    text = "a: &x {}\n<<: *x\n'<<': 1\n*x : 2\n"
    tree = _tree(text, _events(text))

    assert isinstance(tree.root, Collection)
    assert [is_merge(key) for key in tree.root.keys] == [False, True, False, False]


@given(RANDOM)
@times(3)
def test_the_marks_of_a_document_tell_the_same_as_its_parser(random):
    text = Page(random, anchors=False).text()

    by_marks = nodes_in(tree_of(read_yaml(text)).root)
    by_events = nodes_in(_tree(text, _events(text)).root)

    assert told(text, by_marks) == told(text, by_events)


def test_parts_are_looked_for_once():
    text = "a: {b: 1}\n"
    root = tree_of(read_yaml(text)).root

    assert isinstance(root, Collection)
    assert root.keys[0] is root.keys[0]
    assert isinstance(root.keys[0], Scalar)
    assert root.keys[0].value == "a"
