"""What happens to a file when some of what it says is changed: as little as can be."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from copy import deepcopy
from types import MappingProxyType
from typing import Any, NamedTuple

import pytest

from subspec.source import Document, read_json, read_yaml
from subspec.source.compare import same
from subspec.source.edit import NotFaithfulError, rewrite
from subspec.source.frontmatter import find_fences, read_front_matter

Change = Callable[[Any], Any]


class Case(NamedTuple):
    before: str
    change: Change
    after: str
    renames: Mapping[Any, str]


def case(before: str, change: Change, after: str, *, renames: Any = ()) -> Case:
    return Case(before, change, after, dict(renames))


def at_place(data, path):
    for key in path:
        data = data[key]
    return data


def put(*path_and_value):
    """Set a value."""
    *path, key, value = path_and_value

    def change(data):
        holder = at_place(data, path)
        if isinstance(holder, list) and key == len(holder):
            holder.append(value)
        else:
            holder[key] = value
        return data

    return change


def append(*path_and_item):
    *path, item = path_and_item
    return lambda data: at_place(data, path).append(item) or data


def insert(*path_index_and_item):
    *path, index, item = path_index_and_item
    return lambda data: at_place(data, path).insert(index, item) or data


def drop(*path):
    """Remove a key or an item."""

    def change(data):
        del at_place(data, path[:-1])[path[-1]]
        return data

    return change


def turn(*path):
    """Reverse a list."""
    return lambda data: at_place(data, path).reverse() or data


def clear():
    return lambda data: type(data)()


def to(value):
    """Say something else altogether."""
    return lambda _: value


def several(*changes):
    def change(data):
        for each in changes:
            data = each(data)
        return data

    return change


def inside(path, change):
    """Change a part."""
    if not path:
        return change
    return lambda data: put(*path, change(at_place(data, path)))(data)


def order(*keys, at=()):
    """Put keys into another order, and leave out the others."""
    return inside(at, lambda data: {key: data[key] for key in keys})


def first(key, value, at=()):
    """Put a key before all others."""
    return inside(at, lambda data: {key: value, **data})


def after(known, key, value):
    """Put a key behind another one."""

    def change(data):
        keys = list(data)
        keys.insert(keys.index(known) + 1, key)
        return {name: value if name == key else data[name] for name in keys}

    return change


YAML: dict[str, Case] = {
    "several lines plain": case(
        "a: one\n  two # c\nb: 1\n",
        put("a", "new"),
        "a: new # c\nb: 1\n",
    ),
    "several lines double quotes": case(
        'a: "one\n  two" # c\nb: 1\n',
        put("a", "new"),
        'a: "new" # c\nb: 1\n',
    ),
    "odd colon": case(
        "a : 1\nb:   2  # x\n",
        several(put("a", 3), put("b", 4)),
        "a : 3\nb:   4  # x\n",
    ),
    "null comment": case(
        "a: # why\nb: 1\n",
        put("a", "x"),
        "a: x # why\nb: 1\n",
    ),
    "null to map": case(
        "a: # why\nb: 1\n",
        put("a", {"x": 1}),
        "a: # why\n  x: 1\nb: 1\n",
    ),
    "null to map2": case(
        "a:\nb: 1\nc:\n    d: 1\n",
        put("a", {"x": 1}),
        "a:\n    x: 1\nb: 1\nc:\n    d: 1\n",
    ),
    "scalar to list": case(
        "a: 1 # why\nb:\n- x\n",
        put("a", ["x", "y"]),
        'a: # why\n- x\n- "y"\nb:\n- x\n',
    ),
    "map to scalar": case(
        "a: # why\n  # in\n  x: 1 # xx\n  y: 2\nb: 1\n",
        put("a", 5),
        "a: 5 # why\nb: 1\n",
    ),
    "map to null": case(
        "a: # why\n  x: 1 # xx\nb: 1\n",
        put("a", None),
        "a: null # why\nb: 1\n",
    ),
    "to null": case(
        "a: x # why\nb: 1\n",
        put("a", None),
        "a: null # why\nb: 1\n",
    ),
    "text to number": case(
        "a: '1' # why\nb: 1\n",
        put("a", 2),
        "a: 2 # why\nb: 1\n",
    ),
    "number to text": case(
        "a: 1 # why\nb: 1\n",
        put("a", "2"),
        'a: "2" # why\nb: 1\n',
    ),
    "clear map": case(
        "a: # why\n  x: 1\nb: 1\n",
        put("a", {}),
        "a: {} # why\nb: 1\n",
    ),
    "clear map w/ comments": case(
        "a:\n  # about x\n  x: 1\n  # tail\nb: 1\n",
        put("a", {}),
        "a: {}\nb: 1\n",
    ),
    "clear all": case(
        "# h\n\na: 1\n# end\n",
        clear(),
        "# h\n\n{}\n# end\n",
    ),
    "quoted key rename": case(
        "\"a\": 1\n'b': 2\n",
        to({"c": 1, "d": 2}),
        "\"c\": 1\n'd': 2\n",
        renames={("a",): "c", ("b",): "d"},
    ),
    "literal": case(
        "a: |\n    x\n    y\n\nb: 1\n",
        put("a", "q\n  r\n"),
        "a: |\n    q\n      r\n\nb: 1\n",
    ),
    "literal strip": case(
        "a: |\n    x\n    y\n\nb: 1\n",
        put("a", "q"),
        "a: |-\n    q\n\nb: 1\n",
    ),
    "literal keep": case(
        "a: |+\n    x\n\nb: 1\n",
        put("a", "q\n\n\n"),
        "a: |+\n    q\n\n\nb: 1\n",
    ),
    "literal keep2": case(
        "a: |+\n    x\n\nb: 1\n",
        put("a", "q\n"),
        "a: |\n    q\nb: 1\n",
    ),
    "literal comment": case(
        "a: |  # why\n    x\nb: 1\n",
        put("a", "q\n"),
        "a: |  # why\n    q\nb: 1\n",
    ),
    "literal 2": case(
        "a: |2\n    x\nb: 1\n",
        put("a", "  q\n r\n"),
        "a: |2\n    q\n   r\nb: 1\n",
    ),
    "literal 2b": case(
        "a: |2\n    x\nb: 1\n",
        put("a", "q\n"),
        "a: |\n  q\nb: 1\n",
    ),
    "literal to leading blanks": case(
        "a: |\n  x\nb: 1\n",
        put("a", " q\n"),
        "a: |2\n   q\nb: 1\n",
    ),
    "literal to number": case(
        "a: |\n  x\n\nb: 1\n",
        put("a", 5),
        "a: 5\n\nb: 1\n",
    ),
    "literal to list": case(
        "a: | # why\n  x\n\nb: 1\n",
        put("a", ["u", "v"]),
        "a: [u, v] # why\n\nb: 1\n",
    ),
    "literal last": case(
        "b: 1\na: |\n  x",
        put("a", "q\n"),
        "b: 1\na: |\n  q\n",
    ),
    "literal last2": case(
        "b: 1\na: |-\n  x",
        put("a", "q"),
        "b: 1\na: |-\n  q",
    ),
    "literal last3": case(
        "b: 1\na: |\n  x\n",
        put("a", "q"),
        "b: 1\na: |-\n  q\n",
    ),
    "literal to empty": case(
        "a: |\n  x\nb: 1\n",
        put("a", ""),
        'a: ""\nb: 1\n',
    ),
    "literal to tab": case(
        "a: |\n  x\nb: 1\n",
        put("a", "\x07"),
        'a: "\\u0007"\nb: 1\n',
    ),
    "folded": case(
        "a: >\n  one two\n  three\n\n  four\nb: 1\n",
        put("a", "one two three\nfive\n"),
        "a: >\n  one two\n  three\n\n  five\nb: 1\n",
    ),
    "folded-": case(
        "a: >-\n  one two\n  three\nb: 1\n",
        put("a", "one two three four five six seven eight nine ten eleven twelve thirteen"),
        (
            "a: >-\n"
            "  one two three four five six seven eight\n"
            "  nine ten eleven twelve thirteen\n"
            "b: 1\n"
        ),
    ),
    "folded more": case(
        "a: >\n  one\n    two\n  three\nb: 1\n",
        put("a", "one\n  two\nfour\n"),
        "a: |\n  one\n    two\n  four\nb: 1\n",
    ),
    "folded list": case(
        "a:\n- >\n  one\n  two\n- x\n",
        put("a", 0, "uno\n"),
        "a:\n- >\n  uno\n- x\n",
    ),
    "block in map in list": case(
        "- a: |\n    x\n  b: 1\n",
        put(0, "a", "y\nz\n"),
        "- a: |\n    y\n    z\n  b: 1\n",
    ),
    "plain to many": case(
        "a: x\nb: 1\n",
        put("a", "y\nz\n"),
        "a: |\n  y\n  z\nb: 1\n",
    ),
    "plain to many with comment": case(
        "a: x # why\nb: 1\n",
        put("a", "y\nz\n"),
        "a: | # why\n  y\n  z\nb: 1\n",
    ),
    "single quotes to many": case(
        "a: 'x'\nb: 1\n",
        put("a", "y\nz\n"),
        "a: |\n  y\n  z\nb: 1\n",
    ),
    "double quotes many": case(
        'a: "x\\ny"\nb: 1\n',
        put("a", "y\nz\n"),
        'a: "y\\nz\\n"\nb: 1\n',
    ),
    "tag": case(
        "a: !!str 1\nb: 1\n",
        put("a", "2"),
        'a: "2"\nb: 1\n',
    ),
    "anchor": case(
        "a: &x 1 # why\nb: *x\n",
        several(put("a", 2), put("b", 2)),
        "a: &x 2 # why\nb: *x\n",
    ),
    "anchor one": case(
        "a: &x 1 # why\nb: *x\n",
        put("a", 2),
        "a: &x 2 # why\nb: 1\n",
    ),
    "anchor other": case(
        "a: &x 1 # why\nb: *x\n",
        put("b", 2),
        "a: &x 1 # why\nb: 2\n",
    ),
    "add key nested": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        put("agents", "one", "c", 3),
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "    c: 3\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "add map": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        put("agents", "three", {"a": 1}),
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "\n"
            "  three:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "remove one": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        drop("agents", "one"),
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "remove two": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        drop("agents", "two"),
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "remove agents": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        drop("agents"),
        "name: x\n\n# last\nz: 1\n",
    ),
    "remove name": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        drop("name"),
        (
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "remove z": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        drop("z"),
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
        ),
    ),
    "reorder": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        order("z", "agents", "name"),
        (
            "# last\n"
            "z: 1\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "name: x\n"
        ),
    ),
    "swap agents": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        order("two", "one", at=("agents",)),
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "add first": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        first("q", 1),
        (
            "q: 1\n"
            "\n"
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "add after name": case(
        (
            "name: x\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
        after("name", "q", 1),
        (
            "name: x\n"
            "\n"
            "q: 1\n"
            "\n"
            "# about two\n"
            "agents:\n"
            "  # lead\n"
            "  one:\n"
            "    a: 1 # a1\n"
            "    b: 2\n"
            "\n"
            "  # the second\n"
            "  two:\n"
            "    a: 1\n"
            "  # tail of agents\n"
            "\n"
            "# last\n"
            "z: 1\n"
        ),
    ),
    "list reversed": case(
        "l:\n  # one\n  - a # A\n  - b\n\n  # three\n  - c\n",
        turn("l"),
        "l:\n  # three\n  - c\n  - b\n\n  # one\n  - a # A\n",
    ),
    "list first removed": case(
        "l:\n  # one\n  - a # A\n  - b\n\n  # three\n  - c\n",
        drop("l", 0),
        "l:\n  - b\n\n  # three\n  - c\n",
    ),
    "list last removed": case(
        "l:\n  # one\n  - a # A\n  - b\n\n  # three\n  - c\n",
        drop("l", 2),
        "l:\n  # one\n  - a # A\n  - b\n",
    ),
    "list inserted": case(
        "l:\n  # one\n  - a # A\n  - b\n\n  # three\n  - c\n",
        insert("l", 1, "n"),
        'l:\n  # one\n  - a # A\n  - "n"\n  - b\n\n  # three\n  - c\n',
    ),
    "list appended": case(
        "l:\n  # one\n  - a # A\n  - b\n\n  # three\n  - c\n",
        put("l", 3, "n"),
        'l:\n  # one\n  - a # A\n  - b\n\n  # three\n  - c\n  - "n"\n',
    ),
    "list clear": case(
        "l:\n  # one\n  - a # A\n  - b\n\n  # three\n  - c\n",
        put("l", []),
        "l: []\n",
    ),
    "dash0": case(
        "l:\n- a\n- b\nz: 1\n",
        put("l", 2, "n"),
        'l:\n- a\n- b\n- "n"\nz: 1\n',
    ),
    "dash wide": case(
        "l:\n-   a\n-   b\nz: 1\n",
        put("l", 2, {"x": 1, "y": 2}),
        'l:\n-   a\n-   b\n-   x: 1\n    "y": 2\nz: 1\n',
    ),
    "dash wide maps": case(
        "l:\n-   a: 1\n    b: 2\nz: 1\n",
        put("l", 1, {"x": 1, "y": 2}),
        'l:\n-   a: 1\n    b: 2\n-   x: 1\n    "y": 2\nz: 1\n',
    ),
    "dash wide maps add": case(
        "l:\n-   a: 1\n    b: 2\nz: 1\n",
        put("l", 0, "c", 2),
        "l:\n-   a: 1\n    b: 2\n    c: 2\nz: 1\n",
    ),
    "compact removed first": case(
        "l:\n- a: 1\n  b: 2\n- a: 2\n",
        drop("l", 0, "a"),
        "l:\n- b: 2\n- a: 2\n",
    ),
    "compact removed first comments": case(
        "l:\n# A\n- a: 1 # x\n  # B\n  b: 2\n- a: 2\n",
        drop("l", 0, "a"),
        "l:\n# A\n- # B\n  b: 2\n- a: 2\n",
    ),
    "compact add first": case(
        "l:\n- a: 1\n  b: 2\n- a: 2\n",
        first(
            "z",
            1,
            at=(
                "l",
                0,
            ),
        ),
        "l:\n- z: 1\n  a: 1\n  b: 2\n- a: 2\n",
    ),
    "compact swap": case(
        "l:\n- a: 1 # A\n  b: 2 # B\n- a: 2\n",
        order(
            "b",
            "a",
            at=(
                "l",
                0,
            ),
        ),
        "l:\n- b: 2 # B\n  a: 1 # A\n- a: 2\n",
    ),
    "nested seq": case(
        "- - a\n  - b\n- - c\n",
        put(0, 1, "x"),
        "- - a\n  - x\n- - c\n",
    ),
    "nested seq removed": case(
        "- - a\n  - b\n- - c\n",
        drop(0, 0),
        "- - b\n- - c\n",
    ),
    "item own line": case(
        "-\n  a: 1\n  b: 2\n- c\n",
        put(0, "b", 3),
        "-\n  a: 1\n  b: 3\n- c\n",
    ),
    "null item": case(
        "-\n- a\n",
        put(0, "x"),
        "- x\n- a\n",
    ),
    "null item2": case(
        "- a\n-\n",
        put(1, "x"),
        "- a\n- x\n",
    ),
    "null item2nl": case(
        "- a\n-",
        put(1, "x"),
        "- a\n- x",
    ),
    "null line end": case(
        "a:",
        put("a", "x"),
        "a: x",
    ),
    "list item to map": case(
        "l:\n- a # c\n- b\n",
        put("l", 0, {"x": 1, "y": 2}),
        'l:\n- x: 1 # c\n  "y": 2\n- b\n',
    ),
    "empty list grown": case(
        "a: [] # none\nb:\n- x\n",
        put("a", ["y"]),
        'a: # none\n- "y"\nb:\n- x\n',
    ),
    "empty list grown2": case(
        "a: [] # none\nb: 1\n",
        put("a", ["y", "z"]),
        'a: ["y", z] # none\nb: 1\n',
    ),
    "empty map grown": case(
        "a: {} # none\nb: 1\n",
        put("a", {"y": 1}),
        'a: # none\n  "y": 1\nb: 1\n',
    ),
    "empty map grown nested": case(
        "c:\n    a: {} # none\n    b: 1\n",
        put("c", "a", {"y": 1}),
        'c:\n    a: # none\n        "y": 1\n    b: 1\n',
    ),
    "new list like siblings": case(
        "one:\n  tools:\n    - a\n    - b\ntwo:\n  x: 1\n",
        put("two", "tools", ["c"]),
        "one:\n  tools:\n    - a\n    - b\ntwo:\n  x: 1\n  tools:\n    - c\n",
    ),
    "new list flow": case(
        "one:\n  tools: [a, b]\ntwo:\n  x: 1\n",
        put("two", "tools", ["c"]),
        "one:\n  tools: [a, b]\ntwo:\n  x: 1\n  tools: [c]\n",
    ),
    "mixed": case(
        "one:\n  tools: [a, b]\n  skills:\n  - x\ntwo:\n  x: 1\n",
        several(put("two", "tools", ["c"]), put("two", "skills", ["y"])),
        (
            "one:\n"
            "  tools: [a, b]\n"
            "  skills:\n"
            "  - x\n"
            "two:\n"
            "  x: 1\n"
            "  tools: [c]\n"
            "  skills:\n"
            '  - "y"\n'
        ),
    ),
    "no line end add": case(
        "a: 1",
        put("b", 2),
        "a: 1\nb: 2",
    ),
    "no line end add nested": case(
        "a:\n  b: 1",
        put("a", "c", 2),
        "a:\n  b: 1\n  c: 2",
    ),
    "no line end removed last": case(
        "a: 1\nb: 2",
        drop("b"),
        "a: 1",
    ),
    "crlf": case(
        "a: 1\r\nb:\r\n  c: |\r\n    x\r\n    y\r\n",
        several(put("b", "c", "z\nw\n"), put("n", [1, {"a": 1}])),
        'a: 1\r\nb:\r\n  c: |\r\n    z\r\n    w\r\n"n":\r\n  - 1\r\n  - a: 1\r\n',
    ),
    "cr": case(
        "a: 1\rb: 2\r",
        put("a", 3),
        "a: 3\rb: 2\r",
    ),
    "docstart": case(
        "%YAML 1.2\n--- # s\na: 1\n...\n",
        put("b", 2),
        "%YAML 1.2\n--- # s\na: 1\nb: 2\n...\n",
    ),
    "docstart inline": case(
        "--- {a: 1}\n",
        put("b", 2),
        "--- {a: 1, b: 2}\n",
    ),
    "root scalar": case(
        "x # c\n",
        to("y"),
        '"y" # c\n',
    ),
    "root list to map": case(
        "- a\n",
        to({"x": 1}),
        "x: 1\n",
    ),
    "root flow to empty": case(
        "{a: 1} # c\n",
        to({}),
        "{} # c\n",
    ),
    "root null": case(
        "~\n",
        to({"a": 1, "b": 2}),
        "a: 1\nb: 2\n",
    ),
    "root empty": case(
        "{} # c\n",
        to({"a": 1, "b": 2}),
        "# c\na: 1\nb: 2\n",
    ),
    "explicit": case(
        "? a\n: 1\n? b\n: 2\n",
        put("a", 3),
        "? a\n: 3\n? b\n: 2\n",
    ),
    "explicit removed": case(
        "? a\n: 1\n? b\n: 2\n",
        drop("a"),
        "? b\n: 2\n",
    ),
    "explicit null": case(
        "? a\n? b\n",
        put("a", 1),
        "? a\n: 1\n? b\n",
    ),
    "explicit comment": case(
        "? a # ka\n# x\n: 1 # va\n? b\n: 2\n",
        put("a", 3),
        "? a # ka\n# x\n: 3 # va\n? b\n: 2\n",
    ),
    "long key": case(
        "a: 1\n",
        put("k" * 200, 1),
        f"a: 1\n? {'k' * 200}\n: 1\n",
    ),
    "flow changed": case(
        "a: [x, 'y', \"z\"] # c\n",
        put("a", ["p", "q", "r"]),
        "a: [p, 'q', \"r\"] # c\n",
    ),
    "flow add": case(
        "a: [x, y] # c\n",
        put("a", 2, "z"),
        "a: [x, y, z] # c\n",
    ),
    "flow pad": case(
        "a: [ x, y ] # c\n",
        put("a", 2, "z"),
        "a: [ x, y, z ] # c\n",
    ),
    "flow tight": case(
        "a: [x,y] # c\n",
        put("a", 2, "z"),
        "a: [x,y,z] # c\n",
    ),
    "flow removed first": case(
        "a: [x, y, z] # c\n",
        drop("a", 0),
        "a: [y, z] # c\n",
    ),
    "flow removed last": case(
        "a: [x, y, z] # c\n",
        drop("a", 2),
        "a: [x, y] # c\n",
    ),
    "flow removed middle": case(
        "a: [x, y, z] # c\n",
        drop("a", 1),
        "a: [x, z] # c\n",
    ),
    "flow empty": case(
        "a: [x] # c\n",
        put("a", []),
        "a: [] # c\n",
    ),
    "flow lines": case(
        "a: [\n  x, # X\n  y, # Y\n]\n",
        put("a", 2, "z"),
        "a: [\n  x, # X\n  y, # Y\n  z,\n]\n",
    ),
    "flow lines nocomma": case(
        "a: [\n  x,\n  y # Y\n]\n",
        put("a", 2, "z"),
        "a: [\n  x,\n  y, # Y\n  z\n]\n",
    ),
    "flow lines nocomma2": case(
        "a: [\n  x,\n  y\n]\n",
        put("a", 2, "z"),
        "a: [\n  x,\n  y,\n  z\n]\n",
    ),
    "flow lines removed last": case(
        "a: [\n  x,\n  y\n]\n",
        drop("a", 1),
        "a: [\n  x\n]\n",
    ),
    "flow lines removed first": case(
        "a: [\n  x, # X\n  y # Y\n]\n",
        drop("a", 0),
        "a: [\n  y # Y\n]\n",
    ),
    "flow lines reversed": case(
        "a: [\n  # ax\n  x, # X\n  # ay\n  y # Y\n]\n",
        turn("a"),
        "a: [\n  # ay\n  y, # Y\n  # ax\n  x # X\n]\n",
    ),
    "flow wrapped": case(
        "a: [x, y,\n    z, w]\n",
        put("a", 4, "v"),
        "a: [x, y,\n    z, w, v]\n",
    ),
    "flow wrapped removed": case(
        "a: [x, y,\n    z, w]\n",
        drop("a", 2),
        "a: [x, y, w]\n",
    ),
    "flow wrapped rm1": case(
        "a: [x, y,\n    z, w]\n",
        drop("a", 1),
        "a: [x,\n    z, w]\n",
    ),
    "flow map": case(
        "a: {x: 1, y: 2}\n",
        put("a", "x", 3),
        "a: {x: 3, y: 2}\n",
    ),
    "flow map add": case(
        "a: {x: 1, y: 2}\n",
        put("a", "z", 3),
        "a: {x: 1, y: 2, z: 3}\n",
    ),
    "flow map removed": case(
        "a: {x: 1, y: 2}\n",
        drop("a", "x"),
        "a: {y: 2}\n",
    ),
    "flow map null": case(
        "a: {x, y: }\n",
        several(put("a", "x", 1), put("a", "y", 2)),
        "a: {x: 1, y: 2}\n",
    ),
    "flow map null of two": case(
        "a: {x: , y: 2}\n",
        put("a", "x", 1),
        "a: {x: 1, y: 2}\n",
    ),
    "flow pair in list": case(
        "a: [x: 1, y]\n",
        put("a", 0, {"x": 2}),
        "a: [x: 2, y]\n",
    ),
    "flow pair in list2": case(
        "a: [x: 1, y]\n",
        put("a", 0, {"x": 2, "z": 1}),
        "a: [{x: 2, z: 1}, y]\n",
    ),
    "flow pair in list3": case(
        "a: [x: 1, y]\n",
        put("a", 0, {}),
        "a: [{}, y]\n",
    ),
    "flow json": case(
        'a: {"x":1,"y":[1,2]}\n',
        put("a", "x", 2),
        'a: {"x":2,"y":[1,2]}\n',
    ),
    "flow jsonadd": case(
        '{"x": "1", "y": [1,2]}\n',
        put("z", "w"),
        '{"x": "1", "y": [1,2], "z": "w"}\n',
    ),
    "flow ? key": case(
        "a: {? x : 1, ? y}\n",
        several(put("a", "x", 2), put("a", "y", 3)),
        "a: {? x : 2, ? y: 3}\n",
    ),
    "flow several lines text": case(
        "a: [x y\n   z, w]\n",
        put("a", 1, "q"),
        "a: [x y\n   z, q]\n",
    ),
    "flow newline val": case(
        "a: [x]\n",
        put("a", 1, "q\nr"),
        'a: [x, "q\\nr"]\n',
    ),
    "flow nested": case(
        "a: [[1, 2], [3]]\n",
        put("a", 0, 2, 9),
        "a: [[1, 2, 9], [3]]\n",
    ),
    "flow nested lines": case(
        "a: [\n  [1, 2],\n  [3]\n]\n",
        put("a", 2, [4, {"x": 1}]),
        "a: [\n  [1, 2],\n  [3],\n  [4, {x: 1}]\n]\n",
    ),
    "flow reorder": case(
        "a: {x: 1, y: 2}\n",
        order("y", "x", at=("a",)),
        "a: {y: 2, x: 1}\n",
    ),
    "flow several lines map": case(
        "a: {\n  x: 1, # X\n  y: 2 # Y\n}\n",
        put("a", "z", 3),
        "a: {\n  x: 1, # X\n  y: 2, # Y\n  z: 3\n}\n",
    ),
    "flow several lines map tail": case(
        "a: {\n  x: 1, # X\n  y: 2 # Y\n  # end\n}\n",
        put("a", "z", 3),
        "a: {\n  x: 1, # X\n  y: 2, # Y\n  z: 3\n  # end\n}\n",
    ),
    "flow to block kind": case(
        "a: {x: 1}\n",
        put("a", [1, 2]),
        "a: [1, 2]\n",
    ),
    "flow scalar several lines block": case(
        "a: {x: one}\n",
        put("a", "x", "l1\nl2\n"),
        'a: {x: "l1\\nl2\\n"}\n',
    ),
    "comma first": case(
        "a: [x\n   , y\n   , z]\n",
        put("a", 3, "w"),
        "a: [x\n   , y\n   , z\n   , w]\n",
    ),
    "flow lines add": case(
        "a: [ # list\n  x\n]\n",
        put("a", 1, "z"),
        "a: [ # list\n  x,\n  z\n]\n",
    ),
    "merge own": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        put("one", "x", 9),
        ("base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\n  x: 9\ntwo:\n  <<: *b\n  z: 4\n"),
    ),
    "merge all": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        several(put("base", "x", 9), put("one", "x", 9), put("two", "x", 9)),
        "base: &b # B\n  x: 9\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
    ),
    "merge base only": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        put("base", "x", 9),
        (
            "base: &b # B\n"
            "  x: 9\n"
            "  y: 2\n"
            "one:\n"
            "  <<: *b\n"
            "  z: 3\n"
            "  x: 1\n"
            "two:\n"
            "  <<: *b\n"
            "  z: 4\n"
            "  x: 1\n"
        ),
    ),
    "merge drop in one": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        drop("one", "x"),
        'base: &b # B\n  x: 1\n  y: 2\none:\n  z: 3\n  "y": 2\ntwo:\n  <<: *b\n  z: 4\n',
    ),
    "merge drop in all": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        several(drop("base", "x"), drop("one", "x"), drop("two", "x")),
        "base: &b # B\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
    ),
    "merge add base all": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        several(put("base", "w", 9), put("one", "w", 9), put("two", "w", 9)),
        ("base: &b # B\n  x: 1\n  y: 2\n  w: 9\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n"),
    ),
    "merge drop base": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        drop("base"),
        'one:\n  z: 3\n  x: 1\n  "y": 2\ntwo:\n  z: 4\n  x: 1\n  "y": 2\n',
    ),
    "merge drop one": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        drop("one"),
        "base: &b # B\n  x: 1\n  y: 2\ntwo:\n  <<: *b\n  z: 4\n",
    ),
    "merge add to base only": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        put("base", "w", 9),
        (
            "base: &b # B\n"
            "  x: 1\n"
            "  y: 2\n"
            "  w: 9\n"
            "one:\n"
            "  z: 3\n"
            "  x: 1\n"
            '  "y": 2\n'
            "two:\n"
            "  z: 4\n"
            "  x: 1\n"
            '  "y": 2\n'
        ),
    ),
    "merge drop base others same": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        drop("base"),
        'one:\n  z: 3\n  x: 1\n  "y": 2\ntwo:\n  z: 4\n  x: 1\n  "y": 2\n',
    ),
    "merge override drop": case(
        "b: &b {x: 1}\na: {<<: *b, x: 2}\n",
        put("a", "x", 1),
        "b: &b {x: 1}\na: {<<: *b, x: 1}\n",
    ),
    "merge reorder": case(
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
        order("z", "x", "y", at=("one",)),
        "base: &b # B\n  x: 1\n  y: 2\none:\n  <<: *b\n  z: 3\ntwo:\n  <<: *b\n  z: 4\n",
    ),
    "merge list": case(
        "b: &b {x: 1}\nc: &c {y: 1}\na:\n  <<: [*b, *c]\n  q: 1\n",
        put("a", "y", 2),
        'b: &b {x: 1}\nc: &c {y: 1}\na:\n  <<: [*b, *c]\n  q: 1\n  "y": 2\n',
    ),
    "merge inline": case(
        "a:\n  <<: {x: 1}\n  q: 1\n",
        put("a", "x", 2),
        "a:\n  <<: {x: 1}\n  q: 1\n  x: 2\n",
    ),
    "merge inline removed": case(
        "a:\n  <<: {x: 1}\n  q: 1\n",
        drop("a", "x"),
        "a:\n  q: 1\n",
    ),
    "alias one": case(
        "a: &l [x, y]\nb: *l\nc: *l # C\n",
        put("b", ["z"]),
        "a: &l [x, y]\nb: [z]\nc: *l # C\n",
    ),
    "alias owner": case(
        "a: &l [x, y]\nb: *l\nc: *l # C\n",
        put("a", ["z"]),
        'a: &l [z]\nb: [x, "y"]\nc: [x, "y"] # C\n',
    ),
    "alias all": case(
        "a: &l [x, y]\nb: *l\nc: *l # C\n",
        several(put("a", ["z"]), put("b", ["z"]), put("c", ["z"])),
        "a: &l [z]\nb: *l\nc: *l # C\n",
    ),
    "alias drop owner": case(
        "a: &l [x, y]\nb: *l\nc: *l # C\n",
        drop("a"),
        'b: [x, "y"]\nc: [x, "y"] # C\n',
    ),
    "alias swap": case(
        "a: &l [x, y]\nb: *l\nc: *l # C\n",
        order("b", "a", "c"),
        'b: [x, "y"]\na: &l [x, y]\nc: [x, "y"] # C\n',
    ),
    "alias to anchor in list": case(
        "- &x a\n- *x\n- b\n",
        turn(),
        "- b\n- &x a\n- *x\n",
    ),
    "anchor map": case(
        "a: &m\n  x: 1\nb: *m\n",
        several(put("a", {"x": 2}), put("b", {"x": 2})),
        "a: &m\n  x: 2\nb: *m\n",
    ),
    "anchor map scalar": case(
        "a: &m\n  x: 1\nb: *m\n",
        several(put("a", 5), put("b", 5)),
        "a: &m 5\nb: *m\n",
    ),
    "anchor map scalar 1": case(
        "a: &m\n  x: 1\nb: *m\n",
        put("a", 5),
        "a: &m 5\nb:\n  x: 1\n",
    ),
    "anchor null": case(
        "a: &m\nb: *m\n",
        several(put("a", 5), put("b", 5)),
        "a: &m 5\nb: *m\n",
    ),
    "anchor key": case(
        "&k a: 1\nb: *k\n",
        put("a", 5),
        "&k a: 5\nb: *k\n",
    ),
    "anchor key2": case(
        "&k a: 1\nb: *k\n",
        to({"c": 1, "b": "a"}),
        "&k c: 1\nb: a\n",
        renames={("a",): "c"},
    ),
    "anchor literal": case(
        "a: &m |\n  x\nb: *m\n",
        several(put("a", "y\n"), put("b", "y\n")),
        "a: &m |\n  y\nb: *m\n",
    ),
    "quoted siblings in list": case(
        'tools: ["Read", "Grep"]\n',
        put("tools", 2, "Bash"),
        'tools: ["Read", "Grep", "Bash"]\n',
    ),
    "quoted siblings in block list": case(
        "tools:\n  - 'Read'\n  - 'Grep'\n",
        put("tools", 2, "Bash"),
        "tools:\n  - 'Read'\n  - 'Grep'\n  - 'Bash'\n",
    ),
    "needed quotes don't count": case(
        'a: ["1", x]\n',
        put("a", 2, "y z"),
        'a: ["1", x, y z]\n',
    ),
    "quoted values in map": case(
        'name: "x"\nmodel: "opus"\n',
        put("color", "red"),
        'name: "x"\nmodel: "opus"\ncolor: "red"\n',
    ),
    "quoted keys in block": case(
        '"name": x\n"model": opus\n',
        put("color", "red"),
        '"name": x\n"model": opus\n"color": red\n',
    ),
    "flow maps in block list": case(
        "- {a: 1, b: 2}\n- {a: 2, b: 3}\n",
        put(2, {"a": 3}),
        "- {a: 1, b: 2}\n- {a: 2, b: 3}\n- {a: 3}\n",
    ),
    "flow maps in block map": case(
        "x: {a: 1}\ny: {a: 2}\n",
        put("z", {"a": 3}),
        "x: {a: 1}\ny: {a: 2}\nz: {a: 3}\n",
    ),
    "header apart, first removed": case(
        "# header\n\na: 1\nb: 2\n",
        drop("a"),
        "# header\n\nb: 2\n",
    ),
    "header apart, add first": case(
        "# header\n\na: 1\nb: 2\n",
        first("z", 0),
        "# header\n\nz: 0\na: 1\nb: 2\n",
    ),
    "header apart, swap": case(
        "# header\n\na: 1\nb: 2\n",
        order("b", "a"),
        "# header\n\nb: 2\na: 1\n",
    ),
    "all replaced": case(
        "# header\n\na: 1\n",
        to({"b": 2}),
        "# header\n\nb: 2\n",
    ),
    "moved and removed keeps detached": case(
        "a: 1\n\n# detached\n\nb: 2\nc: 3\n",
        order("c", "a"),
        "c: 3\n\n# detached\n\na: 1\n",
    ),
    "expand only lost": case(
        "a: &x [1]\nb: *x\nc: &y [2]\nd: *y\n",
        order("b", "a", "c", "d"),
        "b: [1]\na: &x [1]\nc: &y [2]\nd: *y\n",
    ),
    "anchor defined twice": case(
        "a: &x 1\nb: *x\nc: &x 2\nd: *x\n",
        drop("c"),
        "a: &x 1\nb: *x\nd: 2\n",
    ),
    "list of maps: one changed among moved": case(
        "- name: a\n  v: 1 # A\n- name: b\n  v: 2 # B\n",
        to([{"name": "b", "v": 3}, {"name": "a", "v": 1}]),
        "- name: b\n  v: 3 # B\n- name: a\n  v: 1 # A\n",
    ),
    "list new in front": case(
        "- name: a # A\n  v: 1\n",
        insert(0, {"name": "n", "v": 1}),
        '- name: "n"\n  v: 1\n- name: a # A\n  v: 1\n',
    ),
    "item changed among equals": case(
        "- a # 1\n- a # 2\n- a # 3\n",
        put(1, "b"),
        "- a # 1\n- b # 2\n- a # 3\n",
    ),
    "prompt null": case(
        "prompt:\nb: 1\n",
        put("prompt", "x"),
        "prompt: |-\n  x\nb: 1\n",
    ),
    "prompt new": case(
        "a: 1\n",
        put("prompt", "x"),
        "a: 1\nprompt: |-\n  x\n",
    ),
    "block to quoted kind": case(
        "a: |\n  x\n",
        put("a", "x\ry\n"),
        'a: "x\\ry\\n"\n',
    ),
    "doc end marker no line end": case(
        "a: 1\n...",
        put("a", 2),
        "a: 2\n...",
    ),
    "comment in literal like": case(
        "a: |\n  x\n  # no comment\nb: 1\n",
        put("b", 2),
        "a: |\n  x\n  # no comment\nb: 2\n",
    ),
    "deep nested flow in block seq": case(
        "a:\n  - [x, {k: v}]\n",
        put("a", 0, 1, "k", "w"),
        "a:\n  - [x, {k: w}]\n",
    ),
    "rename nested": case(
        "a:\n  # own\n  b: # x\n    c: 1\n",
        to({"a": {"z": {"c": 1}}}),
        "a:\n  # own\n  z: # x\n    c: 1\n",
        renames={("a", "b"): "z"},
    ),
    "rename and change": case(
        "a: 1\nb: 2\n",
        to({"z": 5, "b": 2}),
        "z: 5\nb: 2\n",
        renames={("a",): "z"},
    ),
    "rename needing quotes": case(
        "a: 1\n",
        to({"yes: no": 1}),
        '"yes: no": 1\n',
        renames={("a",): "yes: no"},
    ),
    "rename flow": case(
        "{a: 1, b: 2}\n",
        to({"z": 1, "b": 2}),
        "{z: 1, b: 2}\n",
        renames={("a",): "z"},
    ),
    "rename long": case(
        "a: 1\n",
        to({"z" * 130: 1}),
        (f"{'z' * 130}: 1\n"),
        renames={("a",): "z" * 130},
    ),
    "rename to several lines": case(
        "a: 1\n",
        to({"z\ny": 1}),
        '"z\\ny": 1\n',
        renames={("a",): "z\ny"},
    ),
    "rename explicit": case(
        "? a\n: 1\n",
        to({"z": 1}),
        "? z\n: 1\n",
        renames={("a",): "z"},
    ),
    "rename explicit null": case(
        "? a\n? b\n",
        to({"z": None, "b": None}),
        "? z\n? b\n",
        renames={("a",): "z"},
    ),
    "rename alias key": case(
        "x: &k a\n*k : 1\n",
        to({"x": "a", "z": 1}),
        "x: &k a\nz : 1\n",
        renames={("a",): "z"},
    ),
    "tab after colon": case(
        "a:\t1\t# c\n",
        put("a", 2),
        "a:\t2\t# c\n",
    ),
    "value next line": case(
        "a:\n  1 # c\nb: 2\n",
        put("a", 3),
        "a: 3 # c\nb: 2\n",
    ),
    "comment lines between a key and its value": case(
        "a:  # c\n  # why\n  x  # d\nb: 2\n",
        put("a", "other"),
        "a:  # c\n  # why\n  other  # d\nb: 2\n",
    ),
    "comment above the first key stands elsewhere": case(
        "a:\n# b: 1\n    c: 2\n",
        put("a", {"c": 2, "d": 3}),
        "a:\n# b: 1\n    c: 2\n    d: 3\n",
    ),
    "comment then value next line": case(
        "a: # c\n  x\nb: 2\n",
        put("a", 3),
        "a: 3 # c\nb: 2\n",
    ),
    "anchor then next line map": case(
        "a: &m # c\n  x: 1\nb: *m\n",
        put("a", 5),
        "a: &m 5 # c\nb:\n  x: 1\n",
    ),
    "spaced alias": case(
        "a:  &m  x\nb:  *m  # c\n",
        several(put("a", "y"), put("b", "z")),
        'a:  &m "y"\nb:  z  # c\n',
    ),
    "trailing blanks": case(
        "a: 1   \nb: 2\n",
        put("a", 3),
        "a: 3\nb: 2\n",
    ),
    "utf8": case(
        "a: é # ü\nb: 😀\n",
        put("a", "ñ"),
        "a: ñ # ü\nb: 😀\n",
    ),
    "fold chomp keep": case(
        "a: >+\n  x y\n\nb: 1\n",
        put("a", "z\n\n"),
        "a: >+\n  z\n\nb: 1\n",
    ),
    "fold long para kept": case(
        "a: >\n  one two three\n  four five\n\n  six seven\n  eight\nb: 1\n",
        put("a", "one two three four five\nsix CHANGED seven eight\n"),
        "a: >\n  one two three\n  four five\n\n  six CHANGED seven eight\nb: 1\n",
    ),
    "fold indicator": case(
        "a: >2\n  x y\nb: 1\n",
        put("a", "z\n"),
        "a: >\n  z\nb: 1\n",
    ),
    "fold indent 4": case(
        "a: >-\n      x y\nb: 1\n",
        put("a", "z w"),
        "a: >-\n      z w\nb: 1\n",
    ),
    "literal in seq dash0": case(
        "l:\n- |\n  x\n- y\n",
        put("l", 0, "z\n"),
        "l:\n- |\n  z\n- y\n",
    ),
    "literal blank lines leading blanks": case(
        "a: |\n\n\n  x\nb: 1\n",
        put("a", "\n\ny\n"),
        "a: |\n\n\n  y\nb: 1\n",
    ),
    "literal trailing space": case(
        "a: |\n  x  \nb: 1\n",
        put("a", "y  \nz\n"),
        "a: |\n  y  \n  z\nb: 1\n",
    ),
    "literal only line end": case(
        "a: |+\n\n\nb: 1\n",
        put("a", "\n"),
        'a: "\\n"\nb: 1\n',
    ),
    "literal with tab": case(
        "a: |\n  x\nb: 1\n",
        put("a", "\ty\n"),
        "a: |2\n  \ty\nb: 1\n",
    ),
    "null list": case(
        "a:\n  -\n  - x\n",
        put("a", 0, {"k": 1}),
        "a:\n  - k: 1\n  - x\n",
    ),
    "list in list grown": case(
        "a:\n- - x\n  - y\n",
        put("a", 1, ["z", "w"]),
        "a:\n- - x\n  - y\n- - z\n  - w\n",
    ),
    "del nested last key": case(
        "a:\n  b:\n    c: 1\nd: 2\n",
        drop("a", "b", "c"),
        "a:\n  b: {}\nd: 2\n",
    ),
    "comments between seq and key": case(
        "l:\n  - a\n# about z\nz: 1\n",
        put("l", 1, "b"),
        "l:\n  - a\n  - b\n# about z\nz: 1\n",
    ),
    "seq end comment deeper": case(
        "l:\n  - a\n  # end of l\nz: 1\n",
        put("l", 1, "b"),
        "l:\n  - a\n  - b\n  # end of l\nz: 1\n",
    ),
    "map end comment": case(
        "m:\n  a: 1\n  # end of m\n\nz: 1\n",
        put("m", "b", 2),
        "m:\n  a: 1\n  b: 2\n  # end of m\n\nz: 1\n",
    ),
    "map end comment removed": case(
        "m:\n  a: 1\n  # end of m\n\nz: 1\n",
        drop("m"),
        "z: 1\n",
    ),
    "flow comment trailing removed": case(
        "a: [ # all\n  x, # X\n  y\n]\n",
        drop("a", 0),
        "a: [ # all\n  y\n]\n",
    ),
    "flow trailing comment no line end": case(
        "a: [x, # X\n    y]\n",
        drop("a", 1),
        "a: [x # X\n]\n",
    ),
    "flow trailing comment no nl2": case(
        "a: [x, # X\n    y]\n",
        drop("a", 0),
        "a: [y]\n",
    ),
    "flow reversed with comment": case(
        "a: [x, # X\n    y]\n",
        turn("a"),
        "a: [y,\n    x # X\n]\n",
    ),
    "flow lines map of quoted": case(
        "a: {\n  'x': 1,\n  'y': 2\n}\n",
        put("a", "z", 3),
        "a: {\n  'x': 1,\n  'y': 2,\n  'z': 3\n}\n",
    ),
    "flow anchors": case(
        "a: [&x 1, *x, 2]\n",
        put("a", 2, 3),
        "a: [&x 1, *x, 3]\n",
    ),
    "flow anchors changed": case(
        "a: [&x 1, *x, 2]\n",
        put("a", 0, 3),
        "a: [&x 3, 1, 2]\n",
    ),
    "flow key only quoted list pair": case(
        'a: ["x" : 1]\n',
        put("a", 0, {"x": 2}),
        'a: ["x" : 2]\n',
    ),
    "flow map null add": case(
        "a: {x}\n",
        put("a", "y", 1),
        'a: {x, "y": 1}\n',
    ),
    "empty doc flow comment": case(
        "--- {} # c\n",
        to({"a": 1}),
        "--- # c\na: 1\n",
    ),
    "docstart sep": case(
        "---\n# c\n\n- a\n",
        append("b"),
        "---\n# c\n\n- a\n- b\n",
    ),
    "merge force": case(
        "b: &b {x: 1}\na:\n  # m\n  <<: *b # why\n  x: 2\n",
        drop("a", "x"),
        "b: &b {x: 1}\na: {}\n",
    ),
    "merge two keys": case(
        "b: &b {x: 1, y: 2}\na:\n  <<: *b\nc:\n  <<: *b\n",
        several(put("b", "x", 5), put("a", "x", 5)),
        "b: &b {x: 5, y: 2}\na:\n  <<: *b\nc:\n  <<: *b\n  x: 1\n",
    ),
}

YAML |= {
    "blank lines that a text would take in go": case(
        "- |+\n  x\n\n- y\n\n- z\n", drop(1), "- |+\n  x\n\n- z\n"
    ),
    "the same with other line ends": case(
        "- |+\r\n  x\r\n\r\n- y\r\n\r\n- z\r\n", drop(1), "- |+\r\n  x\r\n\r\n- z\r\n"
    ),
    "blank lines stay where none is taken in": case(
        "- |\r\n  x\r\n\r\n- y\r\n\r\n- z\r\n", drop(1), "- |\r\n  x\r\n\r\n- z\r\n"
    ),
    "block of text that was empty": case(
        "a:\n   b: |\n", put("a", "b", "x\n"), "a:\n   b: |\n      x\n"
    ),
    "merge in brackets with a new pair": case(
        "b: &b {x: 1}\na: {<<: *b, y: 2}\n",
        put("a", "z", 3),
        "b: &b {x: 1}\na: {<<: *b, y: 2, z: 3}\n",
    ),
    "flow moved behind a comment": case(
        "a: [x, # X\n  y, z]\n", put("a", ["x", "z", "y"]), "a: [x, # X\n  z, y]\n"
    ),
    "flow moved with its comment": case(
        "a: [x, # X\n  y, z]\n", put("a", ["y", "x", "z"]), "a: [y,\n  x, # X\n  z]\n"
    ),
    "list with an anchor that grows": case(
        "- &x 1\n- *x\n", several(put(0, 2), put(1, 2), put(2, 3)), "- &x 2\n- *x\n- 3\n"
    ),
    "blank line at the top": case("\n# top\n\na: 1\nb: 2\n", drop("a"), "\n# top\n\nb: 2\n"),
    "all replaced, what is set apart stays": case(
        "# header\n\na: 1\n\n# middle\n\nb: 2\n", to({"c": 3}), "# header\n\n# middle\n\nc: 3\n"
    ),
    "several removed, what is set apart stays": case(
        "a: 1\n\n# one\n\nb: 2\n\n# two\n\nc: 3\nd: 4\n",
        order("a", "d"),
        "a: 1\n\n# one\n\n# two\n\nd: 4\n",
    ),
    "what is set apart stays at the end": case(
        "a: 1\n\n# one\n\nb: 2\n", drop("b"), "a: 1\n\n# one\n"
    ),
    "text that cannot stand before a blank line but in quotes": case(
        "a:\n  x: |+\n    t\n\n  y: 1\n\nb: 2\n",
        order("y", "x", at=("a",)),
        'a:\n  y: 1\n  x: "t\\n\\n"\n\nb: 2\n',
    ),
    "one of equal keys of another mapping": case(
        "a: {b: 1}\nc: {b: 1}\n", put("c", "b", 2), "a: {b: 1}\nc: {b: 2}\n"
    ),
    "anchor on an item that becomes a mapping": case(
        "- &x 1\n- *x\n",
        several(put(0, {"a": 1, "b": 2}), put(1, {"a": 1, "b": 2})),
        "- &x\n  a: 1\n  b: 2\n- *x\n",
    ),
    "anchor on an item that becomes a list": case(
        "- &x 1\n- *x\n", several(put(0, ["a"]), put(1, ["a"])), "- &x [a]\n- *x\n"
    ),
    "key that is too long for a line": case(
        "# c\na: 1 # d\n",
        to({"k" * 1100: 1}),
        f"# c\n? {'k' * 1100}\n: 1 # d\n",
        renames={("a",): "k" * 1100},
    ),
    "key that is too long for a line, in brackets": case(
        "{a: 1, b: 2}\n", put("k" * 1100, 3), f"{{a: 1, b: 2, ? {'k' * 1100}: 3}}\n"
    ),
}

JSON: dict[str, Case] = {
    "json": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        put("a", "é\n"),
        (
            "{\n"
            '  "a": "é\\n",\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
    ),
    "json add": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        put("z", {"u": [1, 2], "v": {"k": 1}}),
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {},\n'
            '  "z": {\n'
            '    "u": [1, 2],\n'
            '    "v": {\n'
            '      "k": 1\n'
            "    }\n"
            "  }\n"
            "}\n"
        ),
    ),
    "json to all": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        several(append("b", 3), put("c", "y", 2), append("d", "r"), put("e", "k", 1)),
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2, 3],\n'
            '  "c": {"x": 1, "y": 2},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q",\n'
            '    "r"\n'
            "  ],\n"
            '  "e": {\n'
            '    "k": 1\n'
            "  }\n"
            "}\n"
        ),
    ),
    "json removed": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        drop("a"),
        ('{\n  "b": [1, 2],\n  "c": {"x": 1},\n  "d": [\n    "p",\n    "q"\n  ],\n  "e": {}\n}\n'),
    ),
    "json removed last": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        drop("e"),
        ('{\n  "a": 1,\n  "b": [1, 2],\n  "c": {"x": 1},\n  "d": [\n    "p",\n    "q"\n  ]\n}\n'),
    ),
    "json removed d": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        drop("d", 1),
        ('{\n  "a": 1,\n  "b": [1, 2],\n  "c": {"x": 1},\n  "d": [\n    "p"\n  ],\n  "e": {}\n}\n'),
    ),
    "json removed all": case(
        '{\n  "a": 1\n}\n',
        drop("a"),
        "{}\n",
    ),
    "json min": case(
        '{"a":1,"b":[1,2]}',
        put("c", {"x": [1]}),
        '{"a":1,"b":[1,2],"c":{"x":[1]}}',
    ),
    "json tab": case(
        '{\n\t"a": {\n\t\t"b": 1\n\t}\n}',
        put("a", "c", {"x": [1, 2]}),
        (
            "{\n"
            '\t"a": {\n'
            '\t\t"b": 1,\n'
            '\t\t"c": {\n'
            '\t\t\t"x": [\n'
            "\t\t\t\t1,\n"
            "\t\t\t\t2\n"
            "\t\t\t]\n"
            "\t\t}\n"
            "\t}\n"
            "}"
        ),
    ),
    "json crlf": case(
        '{\r\n  "a": 1\r\n}\r\n',
        put("c", {"x": [1, 2]}),
        (
            "{\r\n"
            '  "a": 1,\r\n'
            '  "c": {\r\n'
            '    "x": [\r\n'
            "      1,\r\n"
            "      2\r\n"
            "    ]\r\n"
            "  }\r\n"
            "}\r\n"
        ),
    ),
    "json 4 empty": case(
        "{}\n",
        put("c", {"x": [1, 2]}),
        '{\n  "c": {\n    "x": [\n      1,\n      2\n    ]\n  }\n}\n',
    ),
    "json reorder": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        order("b", "a", "d", "c", "e"),
        (
            "{\n"
            '  "b": [1, 2],\n'
            '  "a": 1,\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "c": {"x": 1},\n'
            '  "e": {}\n'
            "}\n"
        ),
    ),
    "json rename": case(
        (
            "{\n"
            '  "a": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        (lambda data: {"A" if key == "a" else key: data[key] for key in data}),
        (
            "{\n"
            '  "A": 1,\n'
            '  "b": [1, 2],\n'
            '  "c": {"x": 1},\n'
            '  "d": [\n'
            '    "p",\n'
            '    "q"\n'
            "  ],\n"
            '  "e": {}\n'
            "}\n"
        ),
        renames={("a",): "A"},
    ),
    "json empty several lines": case(
        '{\n  "a": {\n  },\n  "b": [ ]\n}\n',
        several(put("a", "x", 1), append("b", 2)),
        '{\n  "a": {\n    "x": 1\n  },\n  "b": [\n    2\n  ]\n}\n',
    ),
    "json rename+reorder spaces": case(
        '{ "a" : 1 , "b" : 2 }',
        to({"b": 2, "z": 1}),
        '{ "b" : 2 , "z" : 1 }',
        renames={("a",): "z"},
    ),
    "json list of objs": case(
        '[\n  {"a": 1},\n  {"a": 2}\n]\n',
        put(2, {"a": 3}),
        '[\n  {"a": 1},\n  {"a": 2},\n  {"a": 3}\n]\n',
    ),
    "json one item list several lines": case(
        '{\n  "a": [\n    "x"\n  ]\n}\n',
        put("a", 1, "y"),
        '{\n  "a": [\n    "x",\n    "y"\n  ]\n}\n',
    ),
    "json removed to empty list": case(
        '{\n  "a": [\n    "x"\n  ]\n}\n',
        drop("a", 0),
        '{\n  "a": []\n}\n',
    ),
    "json ascii": case(
        '{"a": "\\u00e9"}',
        put("a", "ü"),
        '{"a": "\\u00fc"}',
    ),
    "json scalar root": case(
        "1\n",
        to({"a": 1}),
        '{\n  "a": 1\n}\n',
    ),
    "json root list": case(
        " [1, 2] \n",
        put(2, 3),
        " [1, 2, 3] \n",
    ),
}

FRONT_MATTER: dict[str, Case] = {
    "dash before the fence on its line": case(
        "---\nd: foo---\nBody\n", put("d", "foo-"), '---\nd: "foo-"\n---\nBody\n'
    ),
    "front matter": case(
        "---\nname: x\ntools: [Read, Grep]\ndescription: foo\n---\n\nBody\n",
        put("name", "y"),
        '---\nname: "y"\ntools: [Read, Grep]\ndescription: foo\n---\n\nBody\n',
    ),
    "front matter dashes": case(
        "---\nname: x\ntools: [Read, Grep]\ndescription: foo\n---\n\nBody\n",
        put("description", "a --- b"),
        '---\nname: x\ntools: [Read, Grep]\ndescription: "a -\\x2d- b"\n---\n\nBody\n',
    ),
    "front matter dashes line end": case(
        "---\nname: x\ntools: [Read, Grep]\ndescription: foo\n---\n\nBody\n",
        put("description", "a\n---\nb\n"),
        ('---\nname: x\ntools: [Read, Grep]\ndescription: "a\\n-\\x2d-\\nb\\n"\n---\n\nBody\n'),
    ),
    "front matter add": case(
        "---\nname: x\ntools: [Read, Grep]\ndescription: foo\n---\n\nBody\n",
        put("model", "opus"),
        "---\nname: x\ntools: [Read, Grep]\ndescription: foo\nmodel: opus\n---\n\nBody\n",
    ),
    "front matter tools": case(
        "---\nname: x\ntools: [Read, Grep]\ndescription: foo\n---\n\nBody\n",
        put("tools", 2, "Bash(a:*)"),
        "---\nname: x\ntools: [Read, Grep, Bash(a:*)]\ndescription: foo\n---\n\nBody\n",
    ),
    "front matter repaired": case(
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\n---\nBody\n",
        put("name", "y"),
        '---\nname: "y"\ndescription: foo: bar {x}\nz: 1\n---\nBody\n',
    ),
    "front matter repaired changed": case(
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\n---\nBody\n",
        put("description", "bar: foo"),
        '---\nname: x\ndescription: "bar: foo"\nz: 1\n---\nBody\n',
    ),
    "front matter repaired changed to plain": case(
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\n---\nBody\n",
        put("description", "bar"),
        "---\nname: x\ndescription: bar\nz: 1\n---\nBody\n",
    ),
    "front matter repaired add": case(
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\n---\nBody\n",
        put("k", "a: b"),
        '---\nname: x\ndescription: foo: bar {x}\nz: 1\nk: "a: b"\n---\nBody\n',
    ),
    "front matter repaired add list": case(
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\n---\nBody\n",
        put("k", ["a", "b"]),
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\nk: [a, b]\n---\nBody\n",
    ),
    "front matter repaired removed": case(
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\n---\nBody\n",
        drop("description"),
        "---\nname: x\nz: 1\n---\nBody\n",
    ),
    "front matter repaired z": case(
        "---\nname: x\ndescription: foo: bar {x}\nz: 1\n---\nBody\n",
        drop("z"),
        "---\nname: x\ndescription: foo: bar {x}\n---\nBody\n",
    ),
    "front matter repaired quotes": case(
        '---\nname: x\ndescription: use "a: b" \\ {x}\nz: 1\n---\nBody\n',
        put("z", 3),
        '---\nname: x\ndescription: use "a: b" \\ {x}\nz: 3\n---\nBody\n',
    ),
    "front matter repaired several lines": case(
        "---\nname: x\ndescription: foo: bar {x}\nd: a: b\nz: 1\n---\nBody\n",
        put("d", "new"),
        "---\nname: x\ndescription: foo: bar {x}\nd: new\nz: 1\n---\nBody\n",
    ),
    "front matter same line": case(
        "---\nname: x\nd: foo---\nBody\n",
        put("d", "new"),
        "---\nname: x\nd: new---\nBody\n",
    ),
    "front matter same line 2": case(
        "---\nname: x\nd: foo---\nBody\n",
        put("name", "new"),
        "---\nname: new\nd: foo---\nBody\n",
    ),
    "front matter same line add": case(
        "---\nname: x\nd: foo---\nBody\n",
        put("k", "new"),
        "---\nname: x\nd: foo\nk: new---\nBody\n",
    ),
    "front matter same line block": case(
        "---\nname: x\nd: foo---\nBody\n",
        put("d", "new\nline\n"),
        "---\nname: x\nd: |\n  new\n  line---\nBody\n",
    ),
    "front matter same line drop": case(
        "---\nname: x\nd: foo---\nBody\n",
        drop("d"),
        "---\nname: x---\nBody\n",
    ),
    "front matter given twice": case(
        "---\nname: x\nname: y\nd: 1\n---\nBody\n",
        put("name", "z"),
        "---\nname: x\nname: z\nd: 1\n---\nBody\n",
    ),
    "front matter given twice removed": case(
        "---\nname: x\nname: y\nd: 1\n---\nBody\n",
        drop("name"),
        "---\nd: 1\n---\nBody\n",
    ),
    "front matter crlf": case(
        "---\r\nname: x\r\nd: y\r\n---\r\nBody\r\n",
        several(put("d", "a\nb"), put("q", ["1"])),
        '---\r\nname: x\r\nd: |-\r\n  a\r\n  b\r\nq: ["1"]\r\n---\r\nBody\r\n',
    ),
    "front matter tab repaired": case(
        "---\nname: x\nd:\n\t- a\n---\n",
        put("name", "y"),
        '---\nname: "y"\nd:\n\t- a\n---\n',
    ),
    "front matter tab rep2": case(
        "---\nname: x\nd:\n\t- a\n---\n",
        put("d", 1, "y"),
        '---\nname: x\nd:\n\t- a\n\t- "y"\n---\n',
    ),
    "front matter drop all": case(
        "---\nname: x\n---\nB\n",
        drop("name"),
        "---\n{}\n---\nB\n",
    ),
    "front matter comment first": case(
        "---\n# c\nname: x\n---\nB\n",
        first("z", 1),
        "---\n# c\nz: 1\nname: x\n---\nB\n",
    ),
    "front matter comment first again": case(
        "---\n# c\nname: x\n---\nB\n",
        drop("name"),
        "---\n# c\n{}\n---\nB\n",
    ),
    "repaired unfaithful": case(
        "---\nname: x\nd: a: b\n---\nB\n",
        put("name", "q'\"x: {"),
        "---\nname: 'q''\"x: {'\nd: a: b\n---\nB\n",
    ),
    "repaired literal": case(
        "---\nname: x\nd: a: b\n---\nB\n",
        put("name", "q\nx: y: {\n"),
        '---\nname: "q\\nx: y: {\\n"\nd: a: b\n---\nB\n',
    ),
}


def read(text: str, media: str) -> tuple[Document, Any]:
    if media == "md":
        fences = find_fences(text)
        return read_front_matter(text, fences), fences
    return (read_json if media == "json" else read_yaml)(text), None


def edited(text: str, change: Change, media: str = "yaml", renames: Any = ()) -> str:
    document, fences = read(text, media)
    assert document.readable
    wanted = change(deepcopy(document.data))
    result = rewrite(document, wanted, fences=fences, renames=dict(renames))
    again, _ = read(result, media)
    assert again.readable
    assert same(again.data, wanted, ordered=False)
    return result


@pytest.mark.parametrize("case", YAML.values(), ids=YAML)
def test_yaml(case):
    assert edited(case.before, case.change, "yaml", case.renames) == case.after


@pytest.mark.parametrize("case", JSON.values(), ids=JSON)
def test_json(case):
    assert edited(case.before, case.change, "json", case.renames) == case.after


@pytest.mark.parametrize("case", FRONT_MATTER.values(), ids=FRONT_MATTER)
def test_front_matter(case):
    assert edited(case.before, case.change, "md", case.renames) == case.after


MANY = [f"- item {number} # {number}\n" for number in range(500)]


def test_a_long_list_may_change_altogether():
    def change(data):
        return [f"new {number}" for number in range(200)] + data[300:]

    new = [f"- new {number} # {number}\n" for number in range(200)]

    assert edited("".join(MANY), change) == "".join([*new, *MANY[300:]])


def test_a_long_list_may_be_turned():
    assert edited("".join(MANY), turn()) == "".join(MANY[::-1])


@pytest.mark.parametrize(
    ("text", "wanted", "path"),
    [
        # Which of the two is meant?
        ("a: 1\na: 2\nb: 3\n", {"a": 4, "b": 3}, ("a",)),
        # Readers take no such key in brackets, and here is no other place.
        ("{a: {}}\n", {"a": {"b": {"k" * 1100: 1}}}, ()),
    ],
)
def test_what_cannot_be_said_is_refused(text, wanted, path):
    with pytest.raises(NotFaithfulError) as caught:
        rewrite(read_yaml(text), wanted)

    assert caught.value.path == path


@pytest.mark.parametrize(
    ("wanted", "error"),
    [
        ({"a": object()}, TypeError),
        ({"a": float("nan")}, ValueError),
        ({"a": "\ud800"}, ValueError),
    ],
)
def test_what_no_file_can_hold_is_refused(wanted, error):
    with pytest.raises(error):
        rewrite(read_yaml("a: 1\n"), wanted)


@pytest.mark.parametrize("media", ["yaml", "json"])
def test_tuples_and_other_mappings_are_taken_for_what_they_say(media):
    text = '{"a": [1], "b": 2}'
    document, _ = read(text, media)

    assert rewrite(document, MappingProxyType({"a": (1, 2), "b": 2})) == '{"a": [1, 2], "b": 2}'
    assert rewrite(document, {"a": (1,), "b": 2}) == text
