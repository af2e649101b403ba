"""Files of every style, changed in every way: they say what was meant, and all else stays."""

from __future__ import annotations

import json
import re
from copy import deepcopy
from random import Random
from typing import Any

import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from subspec.source import Document, read_json, read_yaml
from subspec.source.compare import same
from subspec.source.edit import rewrite
from subspec.source.frontmatter import find_fences, read_front_matter
from subspec.source.tree import Scalar, nodes_in, tree_of

LOADER: Any = yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader
RANDOM = st.integers(0, 2**32).map(Random)


def times(count: int) -> Any:
    """Try a property so many times as often as others."""
    return settings(
        max_examples=settings().max_examples * count,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    )


# Texts that make trouble, put everywhere.

PIECES = [
    *[": ", ":", " #", "#", "---", "...", "\n---\n", "\n...\n", "-", "- ", "? ", "%", "@", "`"],
    *["'", '"', "''", '""', "\\", "\\n", "{", "}", "[", "]", ",", ", ", "&a", "*a", "!", "!!str"],
    *["|", ">", "|-", "~", "=", "<<", "yes", "No", "on", "null", "true", "1", "0o7", "012", "1e3"],
    *["1_000", "1:30", ".5", ".inf", "0x1F", "2001-01-01", "2001-01-01 02:03:04", "+1", "-0"],
    *[" ", "  ", "\t", "\n", "\n\n", "\n ", " \n", "\n\t", "\t\n", "\r", "\r\n", "\x85"],
    *["\u2028", "\u2029", "\ufeff", "\xa0", "\u3000", "\x01", "\a", "\x1b", "\x7f", "\x9f"],
    *["\ufdd0", "\ufffe", "\U0001ffff", "é", "漢", "😀", "\U0010ffff", "w " * 100, "x" * 1100],
    *["word", "two words", "a: b", "a #b", "$HOME", "%YAML 1.2", "name: x\nkey: y", "<tag>", ""],
]
HOSTILE = st.one_of(
    st.sampled_from(PIECES),
    st.lists(st.sampled_from(PIECES), min_size=2, max_size=5).map("".join),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=8),
)

YAML = """\
# top
plain: word # p
single: 'word' # s
double: "word" # d
literal: |
  word
strip: |-  # st
  word
keep: |+
  word

indicated: |2
  word
folded: >
  word word
folded_strip: >-
  word
flow_list: [one, word, 'two'] # fl
flow_map: {a: one, b: word, c: "two"} # fm
block_list:
  - one # b1
  # about two
  - word
  - 'two'
block_map:
    a: one
    b: word # bm
rows:
- name: x
  text: word
  more: [u, v]
key: value # k
last: word
"""
FRONT = (
    f"---\n{YAML.replace('word word', 'word').replace('last: word', 'last: word')}---\n\nBody.\n"
)
REPAIRED = "---\nname: x\ndescription: Use when: [a] {b}\nlist:\n  - one\n---\n\nBody.\n"
JSON = """\
{
  "plain": "word",
  "list": ["one", "word"],
  "lines": [
    "one",
    "word"
  ],
  "map": {"a": "word", "b": 1},
  "key": "value"
}
"""
SCALARS = [
    *["plain", "single", "double", "literal", "strip", "keep", "indicated", "folded"],
    *["folded_strip", "last"],
]
PLACES = [
    *[(name,) for name in SCALARS],
    *[("flow_list", 1), ("flow_map", "b"), ("block_list", 1), ("block_map", "b")],
    *[("rows", 0, "text"), ("rows", 0, "more", 1)],
]
JSON_PLACES = [("plain",), ("list", 1), ("lines", 1), ("map", "a")]
FRONT_PLACES = [("name",), ("description",), ("list", 0)]


def read(text: str, media: str) -> tuple[Document, Any]:
    if media == "md":
        fences = find_fences(text)
        return read_front_matter(text, fences), fences
    return (read_json if media == "json" else read_yaml)(text), None


def with_value(data: Any, path: Any, value: Any) -> Any:
    """Set one value in a copy of data."""
    if not path:
        return value
    data = data.copy()
    data[path[0]] = with_value(data[path[0]], path[1:], value)
    return data


def lines_around(document: Document, path: Any) -> tuple[str, str]:
    """Give the text before the lines of a value, and behind them."""
    text = document.text
    start, _ = document.offsets(path, "key")
    start = text.rfind("\n", 0, start) + 1
    behind = document.offsets(path)[1]
    if text[behind - 1] != "\n":
        behind = text.index("\n", behind) + 1
    return text[:start], text[behind:]


def put_everywhere(text: str, media: str, places: list[Any], value: str) -> None:
    document, fences = read(text, media)
    for path in places:
        wanted = with_value(document.data, path, value)
        result = rewrite(document, wanted, fences=fences)
        again, _ = read(result, media)
        assert same(again.data, wanted)
        before, behind = lines_around(document, path)
        assert result.startswith(before)
        assert result.endswith(behind)
        if media == "yaml":
            assert yaml.load(result, LOADER) == wanted  # noqa: S506 - a safe one
    renames = {("key",): value}
    wanted = {(value if key == "key" else key): item for key, item in document.data.items()}
    if value not in document.data and "key" in document.data and value != "<<":
        result = rewrite(document, wanted, fences=fences, renames=renames)
        again, _ = read(result, media)
        assert same(again.data, wanted)
        before, behind = lines_around(document, ("key",))
        assert result.startswith(before)
        assert result.endswith(behind)


@given(HOSTILE)
@times(5)
def test_any_text_can_stand_anywhere_in_yaml(value):
    put_everywhere(YAML, "yaml", PLACES, value)


@given(HOSTILE)
@times(1)
def test_any_text_can_stand_anywhere_in_front_matter(value):
    put_everywhere(FRONT, "md", PLACES, value)


@given(HOSTILE)
@times(2)
def test_any_text_can_stand_anywhere_in_front_matter_that_is_not_yaml(value):
    put_everywhere(REPAIRED, "md", FRONT_PLACES, value)


@given(HOSTILE)
@times(2)
def test_any_text_can_stand_anywhere_in_json(value):
    put_everywhere(JSON, "json", JSON_PLACES, value)


# Whole files in random styles.

WORDS = ["a", "b", "word", "two words", "it's", "é"]
ODD_WORDS = ['say "x"', "yes", "1", "null", "#no", "a: b", "- x", "", "tail ", "x,y", "[z]", "*s"]
BLOCK_TEXTS = [
    "l1\nl2\n",
    "l1\n\n  l2\n",
    "l1\nl2",
    "\nl1\n",
    "l1\n\n\n",
    "  lead\nx\n",
    "p one\np\n",
]
PLAIN = ["1", "-2", "1.5", "true", "null", "~", "0x1F"]


class Page:
    """Writes a YAML file of which only the way it is written matters.

    Its keys and its comments are all different.
    """

    def __init__(self, random: Random, *, anchors: bool) -> None:
        self.random = random
        self.step = random.randint(1, 4)
        self.dash = random.randint(0, 4)
        self.behind_dash = random.choice([1, 1, 1, 3])
        self.commented = random.choice([0, 0.2, 0.5])
        self.spaced = random.choice([0, 0.2, 0.5])
        self.anchored = 0.15 if anchors else 0
        self.anchors: dict[str, str] = {}
        self.count = 0

    def text(self) -> str:
        lines = self.list(3, 0) if self.chance(0.15) else self.mapping(3, 0)
        if self.chance(0.2):
            lines = ["---" + self.trail(), *lines]
        text = "\n".join(lines) + "\n" * self.chance(0.7)
        if self.chance(0.1):
            text = text.removesuffix("\n") + "\n...\n"
        return text.replace("\n", "\r\n") if self.chance(0.2) else text

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def next(self) -> int:
        self.count += 1
        return self.count

    def comment(self) -> str:
        return f"# c{self.next()}."

    def trail(self) -> str:
        return f"{' ' * self.random.randint(1, 2)}{self.comment()}" * self.chance(self.commented)

    def lead(self, pad: str) -> list[str]:
        lines = [""] * self.chance(self.spaced / 2)
        if self.chance(self.commented / 3):
            lines += [pad + self.comment(), ""]
        return lines + [pad + self.comment()] * self.chance(self.commented)

    def key(self) -> str:
        return self.random.choice(["k{}", "k{}", '"k{}"', "'k{}'", "k {}"]).format(self.next())

    def scalar(self) -> str:
        if self.chance(0.25):
            return self.random.choice(PLAIN)
        if self.chance(0.4):
            return self.random.choice(WORDS)
        word = self.random.choice([*WORDS, *ODD_WORDS])
        if self.chance(0.5):
            return "'" + word.replace("'", "''") + "'"
        return json.dumps(word, ensure_ascii=False)

    def flow(self, depth: int, pad: str, *, lines: bool = False) -> str:
        if not depth or self.chance(0.5):
            return self.scalar()
        items = [self.flow(depth - 1, pad) for _ in range(self.random.randint(0, 3))]
        first, last = self.random.choice(["{}", "[]"])
        if first == "{":
            items = [self.key() + f": {item}" * self.chance(0.9) for item in items]
        if lines and items and self.chance(0.5):
            inner = f"\n{pad}  "
            rows = []
            for index, item in enumerate(items):
                above = (inner + self.comment()) * self.chance(self.commented / 2)
                comma = "," * (index < len(items) - 1 or self.chance(0.5))
                rows.append(above + inner + item + comma + self.trail())
            return f"{first}{''.join(rows)}\n{pad}{last}"
        blank = " " * (bool(items) and self.chance(0.2))
        return first + blank + self.random.choice([", ", ",", ",  "]).join(items) + blank + last

    def value(self, depth: int, indent: int, head: str) -> list[str]:
        """Write what follows a head, which ends in a colon or a dash."""
        if self.anchors and self.chance(self.anchored):
            return [f"{head} *{self.random.choice(list(self.anchors))}{self.trail()}"]
        name = f"n{self.next()}" * self.chance(self.anchored)
        head, bare = head + f" &{name}" * bool(name), head
        kinds = ["scalar"] * 5 + ["null", "text", "text", "flow", "flow"]
        kind = self.random.choice(kinds + ["mapping", "mapping", "list", "list"] * bool(depth))
        lines = getattr(self, f"{kind}_lines")(depth, indent, head, is_item=bare.endswith("-"))
        if name:
            self.anchors[name] = kind
        return lines

    def scalar_lines(self, _depth: int, _indent: int, head: str, *, is_item: bool) -> list[str]:
        return [head + " " * self.random.choice([1, 1, 2]) + self.scalar() + self.trail()]

    def null_lines(self, _depth: int, _indent: int, head: str, *, is_item: bool) -> list[str]:
        return [head + self.trail()]

    def flow_lines(self, _depth: int, indent: int, head: str, *, is_item: bool) -> list[str]:
        return f"{head} {self.flow(2, ' ' * indent, lines=True)}{self.trail()}".split("\n")

    def text_lines(self, _depth: int, indent: int, head: str, *, is_item: bool) -> list[str]:
        body = self.random.choice(BLOCK_TEXTS).removesuffix("\n").split("\n")
        step = self.random.randint(1, 4)
        digit = str(step) * (body[0][:1] == " " or self.chance(0.2))
        chomp = self.random.choice(["", "-", "+"])
        sign = self.random.choice("||>") + self.random.choice([digit + chomp, chomp + digit])
        lines = [" " * (indent + step) + line if line else "" for line in body]
        return [f"{head} {sign}{self.trail()}", *lines, *[""] * self.chance(0.2)]

    def mapping_lines(self, depth: int, indent: int, head: str, *, is_item: bool) -> list[str]:
        if head.endswith("-") and self.chance(0.8):
            head += " " * self.behind_dash
            return self.mapping(depth - 1, indent + 1 + self.behind_dash, head)
        inner = indent + (2 if is_item else self.step)
        return [head + self.trail(), *self.mapping(depth - 1, inner)]

    def list_lines(self, depth: int, indent: int, head: str, *, is_item: bool) -> list[str]:
        if head.endswith("-") and self.chance(0.6):
            return self.list(depth - 1, indent + 2, f"{head} ")
        return [head + self.trail(), *self.list(depth - 1, indent + (2 if is_item else self.dash))]

    def mapping(self, depth: int, indent: int, first: str | None = None) -> list[str]:
        pad, lines = " " * indent, []
        merged = False
        for index in range(self.random.randint(1, 4)):
            start = first if first is not None and not index else pad
            lines += self.lead(pad) if start is pad else []
            known = [name for name, kind in self.anchors.items() if kind == "mapping"]
            if known and not merged and self.chance(self.anchored):
                merged = True
                names = self.random.sample(known, min(2, len(known)))
                several = f"[{', '.join('*' + name for name in names)}]"
                source = several if self.chance(0.3) else f"*{names[0]}"
                lines.append(f"{start}<<: {source}{self.trail()}")
            elif self.chance(0.05):
                lines.append(f"{start}? {self.key()}{self.trail()}")
                lines += self.value(0, indent, pad + ":")
            else:
                lines += self.value(depth, indent, f"{start}{self.key()}:")
        return lines + [pad + " " * self.chance(0.5) + self.comment()] * self.chance(
            self.commented / 2
        )

    def list(self, depth: int, indent: int, first: str | None = None) -> list[str]:
        pad, lines = " " * indent, []
        for index in range(self.random.randint(1, 4)):
            start = first if first is not None and not index else pad
            lines += self.lead(pad) if start is pad else []
            lines += self.value(depth, indent, f"{start}-")
        return lines


def json_text(random: Random, depth: int = 3) -> str:
    """Write JSON with blanks wherever they may stand."""
    blanks = random.choice([["", " "], ["\n  ", "\n\t", " "], ["", "\r\n  ", "  "]])

    def blank() -> str:
        return random.choice(blanks)

    def value(depth: int) -> str:
        if not depth or random.random() < 0.4:
            return random.choice(["1", "-2.5", "true", "null", *map(json.dumps, ODD_WORDS)])
        items = [value(depth - 1) for _ in range(random.randint(0, 3))]
        first, last = random.choice(["{}", "[]"])
        if first == "{":
            items = [f'"k{n}"{blank()}:{blank()}{item}' for n, item in enumerate(items)]
        inner = ",".join(f"{blank()}{item}{blank()}" for item in items)
        return first + (inner or blank()) + last

    return blank() + value(depth) + blank()


def plain_copy(data: Any) -> Any:
    """Copy data so that no part of it is the same object twice."""
    if isinstance(data, dict):
        return {key: plain_copy(value) for key, value in data.items()}
    return [plain_copy(item) for item in data] if isinstance(data, list) else data


def containers(data: Any) -> list[Any]:
    inner = data.values() if isinstance(data, dict) else data
    found = [data] if isinstance(data, dict | list) else []
    return found + [
        each for value in inner if isinstance(value, dict | list) for each in containers(value)
    ]


NEW_SCALARS = [
    "new",
    "new text",
    "1",
    2,
    True,
    None,
    "x: y",
    "m1\nm2\n",
    "m1\nm2",
    "",
    "- d",
    "a #b",
]
NEW = [*NEW_SCALARS, [1, "b"], {"n": 1, "m": [2]}, [], {}, ["x"], [["n"]], [{"q": 1}]]


def keys_of(holder: Any) -> list[Any]:
    return list(holder) if isinstance(holder, dict) else list(range(len(holder)))


def put_items(holder: dict[str, Any], order: Any = None, insert: Any = None) -> None:
    """Put the items of a mapping into another order, or a new one between them."""
    items = [(key, holder[key]) for key in (holder if order is None else order)]
    if insert is not None:
        place, key, value = insert
        items.insert(place, (key, value))
    holder.clear()
    holder.update(items)


def change_at_random(random: Random, data: Any) -> None:
    holder = random.choice(containers(data))
    keys = keys_of(holder)
    place, new = random.randint(0, len(keys)), deepcopy(random.choice(NEW))
    kind = random.choice(["set", "set", "add", "drop", "move"]) if keys else "add"
    if kind == "set":
        holder[random.choice(keys)] = new
    elif kind == "drop":
        del holder[random.choice(keys)]
    elif kind == "move":
        if isinstance(holder, list):
            random.shuffle(holder)
        else:
            put_items(holder, order=random.sample(keys, len(keys)))
    elif isinstance(holder, list):
        holder.insert(place, new)
    else:
        put_items(holder, insert=(place, f"new{len(keys)}", new))


@given(RANDOM, st.booleans(), st.booleans(), st.integers(1, 5))
@times(10)
def test_any_change_can_be_made_in_any_yaml(random, anchors, shared, count):
    document = read_yaml(Page(random, anchors=anchors).text())
    assert document.readable
    assert not document.problems
    wanted = deepcopy(document.data) if shared else plain_copy(document.data)
    for _ in range(count):
        change_at_random(random, wanted)
    wanted = plain_copy(wanted)

    text = rewrite(document, wanted)  # which is never refused

    assert same(read_yaml(text).data, wanted, ordered=False)
    assert rewrite(read_yaml(text), read_yaml(text).data) == text
    assert "\r\n" not in document.text or "\n" not in text.replace("\r\n", "")


@given(RANDOM, st.integers(1, 5))
@times(5)
def test_any_change_can_be_made_in_any_json(random, count):
    document = read_json(json_text(random))
    wanted = plain_copy(document.data)
    assume(containers(wanted) if isinstance(wanted, dict | list) else False)
    for _ in range(count):
        change_at_random(random, wanted)

    assert same(read_json(rewrite(document, wanted)).data, wanted)


def comments_in(text: str) -> set[str]:
    return set(re.findall(r"# c\d+\.", text))


def some_path(random: Random, data: Any) -> Any:
    """Choose the path of a value that is no container; None where that has led to none."""
    path: tuple[Any, ...] = ()
    while isinstance(data, dict | list):
        if not data:
            return None
        path = (*path, random.choice(keys_of(data)))
        data = data[path[-1]]
    return path


def lines_of(document: Document, path: Any) -> tuple[int, int]:
    """Give the numbers of the first line of an entry and of the last one, from 0."""
    start, end = document.offsets(path, "key")[0], document.offsets(path)[1]
    text = document.text
    # An item of a list may stand on the line below its dash.
    below_dash = (
        isinstance(path[-1], int) and not text[text.rfind("\n", 0, start) + 1 : start].strip()
    )
    return text.count("\n", 0, start) - below_dash, text.count("\n", 0, end)


@given(RANDOM, st.sampled_from(NEW_SCALARS))
@times(10)
def test_where_a_value_changes_its_lines_do_and_no_others(random, new):
    document = read_yaml(Page(random, anchors=False).text())
    path = some_path(random, document.data)
    assume(path is not None)

    result = rewrite(document, with_value(document.data, path, new))

    lines, changed = document.text.splitlines(), result.splitlines()
    first, last = lines_of(document, path)
    behind = lines[last + 1 :]
    assert changed[:first] == lines[:first]
    assert changed[len(changed) - len(behind) :] == behind
    in_texts = comments_in(json.dumps(document.data))
    assert comments_in(result) >= comments_in(document.text) - in_texts


@given(RANDOM)
@times(10)
def test_a_value_that_goes_takes_along_only_the_comments_about_it(random):
    document = read_yaml(Page(random, anchors=False).text())
    path = some_path(random, document.data)
    assume(path is not None)
    wanted = plain_copy(document.data)
    holder = wanted
    for part in path[:-1]:
        holder = holder[part]
    value = holder.pop(path[-1])
    assume(holder)  # or all of it has gone
    assume(isinstance(holder, dict) or value not in holder)  # or which of them has gone?

    result = rewrite(document, wanted)

    lines = document.text.splitlines()
    first, last = lines_of(document, path)
    column = len(lines[first]) - len(lines[first].lstrip())
    while first and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    while last + 1 < len(lines) and re.match(rf" {{{column + 1},}}#|\s*$", lines[last + 1]):
        last += 1
    about = comments_in("\n".join(lines[first : last + 1])) | comments_in(json.dumps(document.data))
    assert comments_in(document.text) - comments_in(result) <= about


# A file that is changed again and again.


class Editing(RuleBasedStateMachine):
    """Holds what a file says beside the file itself."""

    @initialize(random=RANDOM)
    def open(self, random: Random) -> None:
        self.text = Page(random, anchors=False).text()
        self.model = plain_copy(read_yaml(self.text).data)
        self.comments = comments_in(self.text)

    @invariant()
    def it_says_what_is_meant_and_has_its_comments(self) -> None:
        data = read_yaml(self.text).data
        assert same(data, self.model)
        in_texts = comments_in(json.dumps(data))
        assert comments_in(self.text) >= self.comments - in_texts

    def save(self, renames: Any = ()) -> None:
        self.text = rewrite(read_yaml(self.text), plain_copy(self.model), renames=dict(renames))

    def some(self, random: Random, *kinds: type) -> tuple[Any, Any]:
        """Choose a container and one of its keys; nothing where there is none."""
        found = [each for each in containers(self.model) if type(each) in kinds and each]
        if not found:
            return {}, None
        holder = random.choice(found)
        return holder, random.choice(keys_of(holder))

    def forget(self) -> None:
        """Take it that comments may have gone with what they are about."""
        self.comments &= comments_in(self.text)

    @rule(random=RANDOM, new=st.sampled_from(NEW_SCALARS))
    def set_value(self, random, new):
        holder, key = self.some(random, dict, list)
        if not holder:
            return
        was_scalar = not isinstance(holder[key], dict | list)
        holder[key] = new
        self.save()
        if not was_scalar:
            self.forget()

    @rule(random=RANDOM, new=st.sampled_from(NEW))
    def add(self, random, new):
        holder = random.choice(containers(self.model))
        place = random.randint(0, len(holder))
        if isinstance(holder, list):
            holder.insert(place, plain_copy(new))
        elif f"new{len(holder)}" not in holder:
            put_items(holder, insert=(place, f"new{len(holder)}", plain_copy(new)))
        self.save()

    @rule(random=RANDOM)
    def remove(self, random):
        holder, key = self.some(random, dict, list)
        if holder:
            del holder[key]
            self.save()
            self.forget()

    @rule(random=RANDOM)
    def move(self, random):
        holder, _ = self.some(random, dict, list)
        if isinstance(holder, list):
            random.shuffle(holder)
        else:
            put_items(holder, order=random.sample(list(holder), len(holder)))
        self.save()

    @rule(random=RANDOM)
    def rename(self, random):
        holder, old = self.some(random, dict)
        if not holder or f"renamed {len(old)}" in holder:
            return
        path, new = self.path_of(holder), f"renamed {len(old)}"
        items = [(new if key == old else key, value) for key, value in holder.items()]
        holder.clear()
        holder.update(items)
        self.save({(*path, old): new})

    @rule(random=RANDOM)
    def change_and_undo(self, random):
        document = read_yaml(self.text)
        nodes = [node for node in nodes_in(tree_of(document).root) if isinstance(node, Scalar)]
        on_one_line = ("", "'", '"')
        known = {each.start for each in nodes if each.value in WORDS and each.style in on_one_line}
        for holder in containers(self.model):
            path = self.path_of(holder)
            for key in keys_of(holder):
                if document.offsets((*path, key))[0] in known:
                    before, value = self.text, holder[key]
                    holder[key] = "another text"
                    self.save()
                    assert self.text != before
                    holder[key] = value
                    self.save()
                    assert self.text == before
                    return

    def path_of(self, wanted: Any) -> tuple[Any, ...]:
        waiting: list[tuple[tuple[Any, ...], Any]] = [((), self.model)]
        while waiting:
            path, data = waiting.pop()
            if data is wanted:
                return path
            inner = data.items() if isinstance(data, dict) else enumerate(data)
            waiting += [
                ((*path, key), each) for key, each in inner if isinstance(each, dict | list)
            ]
        raise AssertionError


TestEditing = Editing.TestCase
TestEditing.settings = settings(max_examples=settings().max_examples, stateful_step_count=20)
