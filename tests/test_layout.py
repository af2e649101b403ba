"""Texts in the canonical layout: how they look, and that they say what they said before."""

import json
import re
from collections import Counter
from pathlib import Path

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from real_files import SHARED

from subspec import check, dumps, load
from subspec.formats import FORMATS, detect
from subspec.formats.claude_code import read_agent
from subspec.formats.layout import laid_out_agent, laid_out_text
from subspec.source import read_json, read_text, read_yaml
from subspec.source.compare import same
from subspec.source.edit import NotFaithfulError
from subspec.source.emit import emit_yaml
from subspec.source.frontmatter import find_fences, read_front_matter
from subspec.source.layout import laid_out

FIXTURES = Path(__file__).parent.parent / "fixtures"


def as_it_stands(_path):
    return None


def by_name(path):
    return ["agents", "description", "prompt", "tools", "a"] if len(path) % 2 == 0 else None


def yaml_of(text, order=as_it_stands, **options):
    return laid_out(read_yaml(text), order, **options)


def agents_of(text):
    return laid_out_text(read_yaml(text), FORMATS["agents"])


# One trait at a time

LONG = "w " * 40 + "w"

PAIRS = {
    "two blanks a level": ("a:\n    b:\n       c: 1\n", "a:\n  b:\n    c: 1\n"),
    "no blanks before a root": ("  a: 1\n  b: 2\n", "a: 1\nb: 2\n"),
    "a list in a mapping is indented": (
        "a:\n- b: 1\n  c: 2\n-   d: 3\n",
        "a:\n  - b: 1\n    c: 2\n  - d: 3\n",
    ),
    "a short list is put in brackets": ("a:\n- b\n- 1\n- ~\n", "a: [b, 1, null]\n"),
    "a long list is not": (
        f"a: [{'b' * 40}, {'c' * 43}]\n",
        f"a:\n  - {'b' * 40}\n  - {'c' * 43}\n",
    ),
    "88 columns are not long": (
        f"a:\n- {'b' * 40}\n- {'c' * 41}\n",
        f"a: [{'b' * 40}, {'c' * 41}]\n",
    ),
    "88 columns under a long key": (
        f"{'k' * 130}: [{'b' * 40}, {'c' * 41}]\n",
        f"? {'k' * 130}\n: [{'b' * 40}, {'c' * 41}]\n",
    ),
    "88 columns at the root": (
        f"- {'b' * 40}\n- {'c' * 44}\n",
        f"[{'b' * 40}, {'c' * 44}]\n",
    ),
    "a list of more than scalars is not put in brackets": (
        "a: [b, [c, d], {e: 1}, {}]\n",
        "a:\n  - b\n  - [c, d]\n  - e: 1\n  - {}\n",
    ),
    "a list with texts of several lines is not": (
        'a: [b, "c\\nd"]\n',
        "a:\n  - b\n  - |-\n    c\n    d\n",
    ),
    "a list with comments is not": (
        "a: [b, # one\n  # two\n  c]\n",
        "a:\n  - b  # one\n  # two\n  - c\n",
    ),
    "lists in lists are compact": ("- [[a: 1], []]\n", "- - - a: 1\n  - []\n"),
    "mappings lose their braces": ("{a: {b: 1, c: {}}, d: }\n", "a:\n  b: 1\n  c: {}\nd: null\n"),
    "a pair in a list is a mapping": ("[a: 1, b]\n", "- a: 1\n- b\n"),
    "texts are plain where they can be": (
        "a: 'b'\n\"c\": \"d e\"\n'f': >-\n  g\n  h\n",
        "a: b\nc: d e\nf: g h\n",
    ),
    "quotes are sparing": (
        "a: 'yes'\nb: \"it's: 1\"\nc: 'say \"so: 1\"'\n'on': no\n",
        'a: "yes"\nb: "it\'s: 1"\nc: \'say "so: 1"\'\n"on": "no"\n',
    ),
    "numbers stay as they are spelt": (
        "- 0x1F\n- 1.50\n- +3\n- 1e3\n- 0o17\n",
        "[0x1F, 1.50, +3, 1e3, 0o17]\n",
    ),
    "nothing and truth are spelt one way": (
        "a:\nb: ~\nc: TRUE\nd: False\ne: Null\n",
        "a: null\nb: null\nc: true\nd: false\ne: null\n",
    ),
    "texts of several lines are literal": (
        'a: "b\\nc\\n"\nd: "e\n\n  f"\n',
        "a: |\n  b\n  c\nd: |-\n  e\n  f\n",
    ),
    "folded text is not": ("a: >\n  b\n  c\n\n  d\n", "a: |\n  b c\n  d\n"),
    "text that no block can hold stays in quotes": ('a: "b\\n\\x07"\n', 'a: "b\\n\\u0007"\n'),
    "blocks that begin with blanks say how far they are indented": (
        "a: |4\n      b\n    c\n",
        "a: |2\n    b\n  c\n",
    ),
    "blank lines that are text stay, and no other follows them": (
        "a: |+\n  b\n\n\n\nc: 1\n",
        "a: |+\n  b\n\n\n\nc: 1\n",
    ),
    "a prompt is a block": ("prompt: One.\n", "prompt: |-\n  One.\n"),
    "a prompt in a list is not": ("prompt: [One.]\n", "prompt: [One.]\n"),
    "a blank prompt cannot be": ('prompt: "  "\n', 'prompt: "  "\n'),
    "one blank line is enough": ("\n\n\na: 1\n\n \n\nb: 2\n\n\n", "a: 1\n\nb: 2\n"),
    "a block begins without one": ("a:\n\n  b: 1\n\n\n  c: 2\n", "a:\n  b: 1\n\n  c: 2\n"),
    "what goes in brackets has none": (
        "a:\n\n  - b\n\n  - c\nd: [e,\n\n\n]\n",
        "a: [b, c]\nd: [e]\n",
    ),
    "a comment is two blanks behind": (
        "a: 1 #one\nb: # two\n  c: 2\n",
        "a: 1  #one\nb:  # two\n  c: 2\n",
    ),
    "a comment is indented as what it is about": (
        "  # top\na:\n# of b\n  b: 1\n    # of c\n  c: 2\n  # of d\nd: 3\n",
        "# top\na:\n  # of b\n  b: 1\n  # of c\n  c: 2\n  # of d\nd: 3\n",
    ),
    "a comment behind the last key stays in its block": (
        "a:\n    b: 1\n    # c: 2\n\n# d\ne:\n- 1\n# f\ng:\n    - 1\n    # h\n",
        "a:\n  b: 1\n  # c: 2\n\n# d\ne: [1]\n# f\ng:\n  - 1\n  # h\n",
    ),
    "a comment further out ends its block": (
        "a:\n  b:\n    c: 1\n  # d\n    # e\nf: 1\n",
        "a:\n  b:\n    c: 1\n  # d\n  # e\nf: 1\n",
    ),
    "comments at the top and the bottom": (
        "\n# one\n\n\n#two\na: 1\n   # three\n\n\n# four",
        "# one\n\n#two\na: 1\n# three\n\n# four\n",
    ),
    "comments around a list in brackets": (
        "a: [ # one\n  b,\n  # two\n] # three\n",
        "# one\na:  # three\n  - b\n  # two\n",
    ),
    "comments around a mapping in braces": (
        "- {b: 1, # one\n  # two\n  } # three\n",
        "# three\n- b: 1  # one\n  # two\n",
    ),
    "comments in what is empty": (
        "a: {\n  # one\n  } # two\nb: [ # three\n  ]\n",
        "# one\na: {}  # two\nb: []  # three\n",
    ),
    "comments where nothing is": (
        "a: # one\n  # two\nb:\n  # three\n",
        "a: null  # one\n# two\nb: null\n# three\n",
    ),
    "comments behind the sign of a block": (
        "a: | # one\n  b\n  # text\n # two\nc: >- # three\n  d\n",
        "a: |  # one\n  b\n  # text\n# two\nc: d  # three\n",
    ),
    "comments between a key and its value": (
        "a: # one\n  # two\n  b # three\nc:\n  # four\n  - d\n",
        "# one\n# two\na: b  # three\nc:\n  # four\n  - d\n",
    ),
    "comments behind a dash": (
        "- # one\n  a: 1\n- # two\n  # three\n  b\n-\n  # four\n  - c\n",
        "# one\n- a: 1\n# two\n# three\n- b\n# four\n- [c]\n",
    ),
    "comments around an anchor": (
        "a: &x # one\n  # two\n  b: 1\nc: !!str # three\n  d\n",
        "a: &x  # one\n  # two\n  b: 1\nc: d  # three\n",
    ),
    "comments around the root": (
        "# one\n[a, b] # two\n# three\n",
        "# one\n[a, b]  # two\n# three\n",
    ),
    "a comment above a list does not open it": ("# one\n- a\n", "# one\n[a]\n"),
    "an explicit key is a plain one": (
        "? a # one\n: b\n? # two\n  c\n: - d\n? e\n",
        "a: b  # one\nc: [d]  # two\ne: null\n",
    ),
    "a key that is long is explicit": (
        f"{'k' * 121}:\n  a: 1\n",
        f"? {'k' * 121}\n:\n  a: 1\n",
    ),
    "anchors and aliases stay": (
        "a: &x  {b: &y 1}\nc: *x\nd: [*y, &z e, *z]\n&k g: &v\n  - h: 1\n*k : &w |\n  i\n",
        "a: &x\n  b: &y 1\nc: *x\nd: [*y, &z e, *z]\n&k g: &v\n  - h: 1\n*k : &w |\n  i\n",
    ),
    "anchors of items": (
        "- &x {a: 1}\n- &y\n  # one\n  - b\n- &z # two\n  c: 2\n",
        "- &x\n  a: 1\n- &y\n  # one\n  - b\n- &z  # two\n  c: 2\n",
    ),
    "an anchor of a key is not its mapping's": ("a: &x\n  &y b: 1\n", "a: &x\n  &y b: 1\n"),
    "anchors of lists": ("a: &x [1]\nb: &y [{c: 1}]\n", "a: &x [1]\nb: &y\n  - c: 1\n"),
    "anchors of nothing": ("a: &x\nb: *x\n", "a: &x null\nb: *x\n"),
    "an anchor of the root": ("&x {a: 1}\n", "&x\na: 1\n"),
    "merge keys stay": (
        "a: &x {b: 1}\nc: {<<: *x, d: 2}\ne:\n- {<<: [*x]}\n",
        "a: &x\n  b: 1\nc:\n  <<: *x\n  d: 2\ne:\n  - <<: [*x]\n",
    ),
    "what is merged may stand where it is": (
        "a: {<<: [{b: on, c: 0x1F, d: !!str 1, e: 'f'}, {g: -}]}\n",
        'a:\n  <<:\n    - b: on\n      c: 0x1F\n      d: !!str 1\n      e: f\n    - g: "-"\n',
    ),
    "tags that say what is seen anyway go": (
        "a: !!str 1\nb: ! 2\nc: !!int 3\nd: !!map {}\ne: !<tag:yaml.org,2002:seq> [f]\n",
        'a: "1"\nb: "2"\nc: 3\nd: {}\ne: [f]\n',
    ),
    "what begins and ends a document stays": (
        "%YAML 1.2 # one\n---   # two\n\n\na: 1\n... # three\n# four\n",
        "%YAML 1.2  # one\n---  # two\na: 1\n...  # three\n# four\n",
    ),
    "a document may begin on its line": ("--- {a: 1}\n", "---\na: 1\n"),
    "a text alone": ("--- >\n a\n b\n", "---\n|\n  a b\n"),
    "line ends are what most are": (
        "a: 1\r\nb: |\r\n  c\r\n  d\nc: 3\r\n",
        "a: 1\r\nb: |\r\n  c\r\n  d\r\nc: 3\r\n",
    ),
    "or LF": ("a: 1\r\nb: 2\nc: 3\n", "a: 1\nb: 2\nc: 3\n"),
    "the last line ends": ("a: 1", "a: 1\n"),
    "beyond ASCII stays": ("a: 'é 😀'\n", "a: é 😀\n"),
}


@pytest.mark.parametrize("trait", PAIRS)
def test_a_trait_of_the_layout(trait):
    before, after = PAIRS[trait]

    assert yaml_of(before) == after
    assert yaml_of(after) == after


ORDERED = {
    "known keys first, the others behind in their order": (
        "z: 1\ntools: [a]\nw: 2\nprompt: p\ndescription: d\n",
        "description: d\nprompt: |-\n  p\ntools: [a]\nz: 1\nw: 2\n",
    ),
    "comments move with their keys": (
        "# title\n\n# b\n# c\ntools: []  # none\n# of a\na: 1\n# of d\ndescription: d\n# end\n",
        "# title\n\n# of d\ndescription: d\n# b\n# c\ntools: []  # none\n# of a\na: 1\n# end\n",
    ),
    "but the title of a file": (
        "# title\ntools: []\ndescription: d\n",
        "# title\ndescription: d\ntools: []\n",
    ),
    "nor the title of a mapping": (
        "x:\n  w:\n    # title\n\n    # of tools\n    tools: []\n    a: 1\n    description: d\n",
        "x:\n  w:\n    # title\n\n    description: d\n    # of tools\n    tools: []\n    a: 1\n",
    ),
    "merge keys stand in front": (
        "x: &x {b: 1}\nc:\n  d: {tools: [], <<: *x, description: d}\n",
        "x: &x\n  b: 1\nc:\n  d:\n    <<: *x\n    description: d\n    tools: []\n",
    ),
    "an alias stays behind its anchor": (
        "tools: &x [a]\ndescription: *x\nb: 1\na: 2\n",
        "tools: &x [a]\ndescription: *x\nb: 1\na: 2\n",
    ),
    "one with an anchor moves where nothing is in its way": (
        "b: 1\ntools: &x [a]\nprompt: p\n",
        "prompt: |-\n  p\ntools: &x [a]\nb: 1\n",
    ),
}


@pytest.mark.parametrize("trait", ORDERED)
def test_keys_stand_in_order(trait):
    before, after = ORDERED[trait]

    assert yaml_of(before, by_name) == after
    assert yaml_of(after, by_name) == after


APART = {
    "agents stand apart": (
        "agents:\n  b: {tools: []}\n  # of a\n  a: {tools: []}\n  c: *x\nz: 1\n",
        "agents:\n  b:\n    tools: []\n\n  # of a\n  a:\n    tools: []\n\n  c: *x\n\nz: 1\n",
    ),
    "unless none is large": ("agents: {b: , a: {}}\nz: 1\n", "agents:\n  b: null\n  a: {}\nz: 1\n"),
    "one is not apart": (
        "agents: {b: {tools: []}}\nz: 1\n",
        "agents:\n  b:\n    tools: []\nz: 1\n",
    ),
    "nor is there one": ("z: {b: {c: 1}, a: {c: 1}}\n", "z:\n  b:\n    c: 1\n  a:\n    c: 1\n"),
    "text that keeps its blank lines is apart already": (
        'agents:\n  a: {b: "c\\n\\n"}\n  d: {e: 1}\n',
        "agents:\n  a:\n    b: |+\n      c\n\n  d:\n    e: 1\n",
    ),
}


@pytest.mark.parametrize("trait", APART)
def test_blank_lines_set_entries_apart(trait):
    before, after = (text.replace("*x", "1") for text in APART[trait])

    assert yaml_of(before, apart=("agents",)) == after
    assert yaml_of(after, apart=("agents",)) == after


def test_blank_lines_go_behind_agents_wherever_they_end():
    before = "a:\n  b:\n    c: {x: 1}\n    d: {x: 1}\ne: 1\n"

    assert yaml_of(before, apart=("a", "b")) == (
        "a:\n  b:\n    c:\n      x: 1\n\n    d:\n      x: 1\n\ne: 1\n"
    )


# Front matter

MARKDOWN = {
    "keys stand in the order of the documentation": (
        "---\nmodel: haiku\nteam: a\ndescription: Reads.\nname: b\n---\n\nBody.\n",
        "---\nname: b\ndescription: Reads.\nmodel: haiku\nteam: a\n---\n\nBody.\n",
    ),
    "one blank line stands before the body": (
        "---\nname: b\n---\nBody.\n",
        "---\nname: b\n---\n\nBody.\n",
    ),
    "not more": ("---\n\n\nname: b\n--- \t\n\n \n\nBody.", "---\nname: b\n---\n\nBody.\n"),
    "the body stays": (
        "---\nname: b\n---\n\t  \n    Code  \n\n\n---\n\n\n- [ ]  x\r\n\t\n\n",
        "---\nname: b\n---\n\n    Code  \n\n\n---\n\n\n- [ ]  x\n",
    ),
    "there may be none": ("---\nname: b\n---", "---\nname: b\n---\n"),
    "line ends are what most are": (
        "---\r\nname:   b\r\n---\r\nBody.\r\n",
        "---\r\nname: b\r\n---\r\n\r\nBody.\r\n",
    ),
    "comments stay": (
        "---\n# one\nname: b   # two\n  # three\n---\n# Body\n",
        "---\n# one\nname: b  # two\n# three\n---\n\n# Body\n",
    ),
    "dashes are escaped": (
        '---\nname: b\ndescription: "a \\x2d-- b\\n"\n---\n\nBody.\n',
        '---\nname: b\ndescription: "a -\\x2d- b\\n"\n---\n\nBody.\n',
    ),
    "a prompt is a key like others": (
        "---\nname: b\nprompt: c\n---\n",
        "---\nname: b\nprompt: c\n---\n",
    ),
    "what is no YAML becomes YAML": (
        '---\nname: b\ndescription: Use it: "now". # really\ntools: [Read]\n---\n\nBody.\n',
        "---\nname: b\ndescription: 'Use it: \"now\". # really'\ntools: [Read]\n---\n\nBody.\n",
    ),
    "keys that are no text stay": (
        "---\nname: b\n012: c\n'3': d\nyes: e\n~: f\n---\n",
        '---\nname: b\n012: c\n"3": d\n"yes": e\n~: f\n---\n',
    ),
    "keys that are given again stay": (
        "---\nname: b\n'012': c\ntools: [a]\n012: d\ntools: [ !x  yes,\n e]\n012: e\n---\n",
        '---\nname: b\ntools: [a]\ntools:\n  - !x "yes"\n  - e\n"012": c\n012: d\n012: e\n---\n',
    ),
    "dashes behind the fence are the body's": (
        "---\nname: b\n------\n",
        "---\nname: b\n---\n\n---\n",
    ),
    "characters that YAML does not know are escaped": (
        "---\nname: b\ndescription: c\x07\x85\u2028d\n---\n",
        '---\nname: b\ndescription: "c\\u0007\\u0085\\u2028d"\n---\n',
    ),
}


@pytest.mark.parametrize("trait", MARKDOWN)
def test_markdown(trait):
    before, after = MARKDOWN[trait]

    assert laid_out_agent(read_agent(before)) == after
    assert laid_out_agent(read_agent(after)) == after


# Formats


def test_the_canonical_format_has_its_agents_first_and_their_fields_in_order():
    text = """\
# Our team
permission_mode: plan
host_key: 1
model: opus
agents:
  b: {max_turns: 3, prompt_file: b.md, odd: 1, tools: [Read], description: B.}
  a:
    model: haiku
    prompt: "One.\\nTwo.\\n"
    # Said to the parent.
    description: A.
"""

    assert (
        agents_of(text)
        == """\
# Our team
agents:
  b:
    description: B.
    prompt_file: b.md
    tools: [Read]
    max_turns: 3
    odd: 1

  a:
    # Said to the parent.
    description: A.
    prompt: |
      One.
      Two.
    model: haiku

model: opus
permission_mode: plan
host_key: 1
"""
    )


def test_holodeck_keeps_the_order_of_its_own_keys():
    text = """\
name: desk
model: {provider: anthropic}
claude:
  bash: {enabled: false}
  effort: low
  working_directory: .
  max_turns: 3
  agents:
    a: {tools: [], prompt_file: a.md, description: A.}
    b: {tools: [], prompt: B, description: B.}
instructions: {inline: Hello.}
"""

    assert (
        laid_out_text(read_yaml(text), FORMATS["holodeck"])
        == """\
name: desk
model:
  provider: anthropic
claude:
  agents:
    a:
      description: A.
      prompt_file: a.md
      tools: []

    b:
      description: B.
      prompt: |-
        B
      tools: []

  working_directory: .
  max_turns: 3
  effort: low
  bash:
    enabled: false
instructions:
  inline: Hello.
"""
    )


def test_the_map_of_agents_of_the_command_line():
    text = '{"b": {"maxTurns": 1, "prompt": "p", "description": "d"}, "a": {"prompt": "\\u00e9é"}}'
    form = FORMATS["claude_cli"]

    assert (
        laid_out_text(read_json(text), form)
        == """\
{
  "b": {
    "description": "d",
    "prompt": "p",
    "maxTurns": 1
  },
  "a": {
    "prompt": "\\u00e9é"
  }
}
"""
    )
    assert (
        laid_out_text(read_yaml(text), form)
        == """\
b:
  description: d
  prompt: |-
    p
  maxTurns: 1

a:
  prompt: |-
    éé
"""
    )


JSON = {
    "empty": ("{}", "{}\n"),
    "a scalar": (' "a"', '"a"\n'),
    "numbers stay as they are spelt": ("[1e3, 1.50,-0]", "[1e3, 1.50, -0]\n"),
    "lists of scalars": (
        '{"b":{"tools":[\n"c",\n"d"],"e":[[],{}]}}',
        '{\n  "b": {\n    "tools": ["c", "d"],\n    "e": [\n      [],\n      {}\n    ]\n  }\n}\n',
    ),
    "88 columns with the comma": (
        f'{{"a": ["{"b" * 77}"], "c": ["{"b" * 77}"]}}',
        f'{{\n  "a": [\n    "{"b" * 77}"\n  ],\n  "c": ["{"b" * 77}"]\n}}\n',
    ),
    "line ends": ('{\r\n"a":1}\r\n', '{\r\n  "a": 1\r\n}\r\n'),
    "keys in order": (
        '{"z": 1, "tools": [], "description": ""}',
        '{\n  "description": "",\n  "tools": [],\n  "z": 1\n}\n',
    ),
}


@pytest.mark.parametrize("trait", JSON)
def test_json(trait):
    before, after = JSON[trait]

    assert laid_out(read_json(before), by_name) == after
    assert laid_out(read_json(after), by_name) == after


# What is refused


@pytest.mark.parametrize(
    "text",
    [
        "a: [",
        "# nothing\n",
        "? [a,\n b]\n: c\n",
    ],
)
def test_what_cannot_be_written_is_refused(text):
    with pytest.raises(NotFaithfulError):
        yaml_of(text)


def test_json_with_a_key_given_again_is_refused():
    with pytest.raises(NotFaithfulError):
        laid_out(read_json('{"a": 1, "a": 2}'), as_it_stands)


@pytest.mark.parametrize(
    "text",
    [
        "No front matter.\n",
        "---\na: [\nb\n---\n",
        "---\nname: b\ndescription: Reads logs --- all.\n---\n",
    ],
)
def test_markdown_without_front_matter_that_ends_as_it_should_is_refused(text):
    with pytest.raises(NotFaithfulError):
        laid_out_agent(read_agent(text))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("a: 1\n", "a: 2\n"),
        ("a: 1\n", "a: 1.0\n"),
        ("a: 1 # b\n", "a: 1\n"),
        ("a: 1 # b\n", "a: 1 # b\n# b\n"),
        ("a: 1\n", "a: [\n"),
        ("a: 1\n", "a: 1\na: 1\n"),
        ("agents: {a: 1, b: 2}\n", "agents: {b: 2, a: 1}\n"),
        ("---\na: 1\n---\nb\n", "---\na: 1\n---\nc\n"),
        ("---\na: 1\n---\nb\n", "a: 1\n"),
        ("{}", "[]"),
    ],
)
def test_a_wrong_text_is_never_given(text, fault, monkeypatch):
    # However it should come about.
    monkeypatch.setattr("subspec.source.layout._written", lambda *_: fault)

    fences = find_fences(text)
    document = read_text(text) if fences is None else read_front_matter(text, fences)

    with pytest.raises(NotFaithfulError):
        laid_out(document, as_it_stands, fences=fences, apart=("agents",))


def test_keys_that_are_collections_stay_as_they_are():
    text = "[a, b]: c\n{d: e}: f\n"

    assert yaml_of(text) == text


def test_tags_of_others_stay():
    text = "a: !x 1\nb: !<tag:y,z> [c]\nd: !!binary aGk=\ne: !z\nf:\n  - !x g\n"

    assert yaml_of(text) == text.replace("1", '"1"')


def test_tags_stay_where_they_may_have_another_meaning():
    text = "%TAG !! tag:example.com,2000:\n---\na: !!str b\n"

    assert yaml_of(text) == text


def test_numbers_that_cannot_be_kept_stay_as_they_are():
    text = "a: .inf\n.nan: b\n"

    assert yaml_of(text) == text


# Whatever style a text is written in


WORDS = [
    *("word", "two words", "a: b", "x#y", "- z", "yes", "null", "1", "0x1F", "1.50", "é", ""),
    *("it's", '"q"', "k, l", "[x]", "~", "True", "1e3", "?", "<<", "w " * 45, "back\\slash"),
]
KEYS = ["a", "b c", "prompt", "description", "'q'", '"1"', "tools", "agents", "k" * 130]
LINES = ["text", "  more", "# text", "", "a: b", "\ttab", "long " * 20, "x  "]


class Author:
    """Writes YAML in all styles at random, with comments and anchors wherever they may stand."""

    def __init__(self, random, *, anchors_of_blocks=True):
        self.random = random
        self.anchors_of_blocks = anchors_of_blocks
        self.comments = []
        self.names = []
        self.mappings = []
        self.anchors = 0

    def perhaps(self, chance):
        # Most often not, so that the smallest example is a small one.
        return self.random.random() > 1 - chance

    def comment(self):
        self.comments.append(f"# c{len(self.comments)}.")
        return self.comments[-1]

    def behind(self):
        """Write a comment behind something, or nothing."""
        return self.random.choice([" ", "   ", "\t"]) + self.comment() if self.perhaps(0.2) else ""

    def between(self):
        """Write lines of their own: comments and blank lines."""
        lines = []
        while self.perhaps(0.2):
            lines.append(" " * self.random.randrange(9) + self.comment())
            lines += [""] * self.random.randrange(3)
        return lines

    def anchor(self, chance=0.15):
        if not self.perhaps(chance):
            return ""
        self.anchors += 1
        return f"&a{self.anchors} "

    def known(self, anchor):
        """Let others refer to a value, now that it is complete."""
        if anchor:
            self.names.append(anchor[1:-1])

    def scalar(self, *, flow=False):
        anchor = "" if self.names and self.perhaps(0.1) else self.anchor()
        word = self.random.choice(WORDS)
        style = self.random.choice(["plain", "plain", "single", "double", "alias", "tag"])
        if style == "alias" and self.names and not anchor:
            return "*" + self.random.choice(self.names)
        self.known(anchor)
        if style == "plain" and re.fullmatch(r"[\w.][\w. ]*\w|~|\w", word):
            return anchor + word
        if style == "single":
            return anchor + "'" + word.replace("'", "''") + "'"
        end = self.random.choice(["", "", "\\n", "\\nx\\n", "\\n\\n"]) if not flow else ""
        tag = "!!str " if style == "tag" else ""
        return anchor + tag + json.dumps(word, ensure_ascii=False)[:-1] + end + '"'

    def keys(self, count):
        return self.random.sample(KEYS, count)

    def flow(self, depth, indent):
        """Write a collection in brackets."""
        is_list = self.perhaps(0.5)
        text = "[" if is_list else "{"
        parts = [""] * self.random.randrange(4) if is_list else self.keys(self.random.randrange(4))
        for number, key in enumerate(parts, 1):
            nested = depth > 0 and self.perhaps(0.3)
            value = self.flow(depth - 1, indent) if nested else self.scalar(flow=True)
            text += self.flow_gap(indent) + (f"{key}: " if key else "") + value
            text += self.flow_gap(indent) + (
                "," if number < len(parts) or self.perhaps(0.2) else ""
            )
        return text + self.flow_gap(indent) + ("]" if is_list else "}")

    def flow_gap(self, indent):
        line = "\n" + " " * (indent + self.random.randrange(1, 4))
        if self.perhaps(0.15):
            return self.random.choice([" ", line]) + self.comment() + line
        return self.random.choice(["", " ", line])

    def text(self, indent):
        """Write a block of text: its sign, and its lines."""
        lines = ["first", *self.random.choices(LINES, k=self.random.randrange(4))]
        pad = " " * (indent + self.random.randrange(1, 4))
        sign = self.random.choice("|>") + self.random.choice(["", "-", "+"])
        return sign, [pad + line if line else "" for line in lines]

    def block(self, depth, indent, *, compact=False):
        """Write a collection without brackets; a compact one begins on a line of others."""
        lines = []
        count = self.random.randrange(1, 4)
        keys = self.keys(count) if depth == 0 or self.perhaps(0.6) else [None] * count
        if None not in keys and self.mappings and self.perhaps(0.5):
            keys.insert(self.random.randrange(count), "<<")
        for key in keys:
            lead = "" if compact else " " * indent
            lines += [] if compact else self.between()
            compact = False
            if key == "<<":
                lines.append(f"{lead}<<: *{self.random.choice(self.mappings)}{self.behind()}")
            elif key is not None and self.perhaps(0.1):
                lines += [f"{lead}? {key}{self.behind()}", *self.between()]
                lines += self.value(" " * indent + ":", depth, indent)
            else:
                lines += self.value(f"{lead}-" if key is None else f"{lead}{key}:", depth, indent)
        return lines

    def value(self, head, depth, indent):
        """Write a value behind its key or its dash."""
        if depth > 0 and self.perhaps(0.4):
            return self.nested(head, depth - 1, indent)
        kind = self.random.choice(["flow", "text", "nothing", "next line", "scalar", "scalar"])
        if kind == "flow":
            return f"{head} {self.flow(2, indent)}{self.behind()}".split("\n")
        if kind == "text":
            anchor = self.anchor()
            self.known(anchor)
            sign, lines = self.text(indent)
            return [f"{head} {anchor}{sign}{self.behind()}", *lines]
        if kind == "nothing":
            return [head + self.behind()]
        if kind == "next line":
            pad = " " * (indent + 2)
            return [head + self.behind(), *self.between(), pad + self.scalar() + self.behind()]
        return [f"{head} {self.scalar()}{self.behind()}"]

    def nested(self, head, depth, indent):
        if head.endswith("-") and self.perhaps(0.6):
            gap = self.random.randrange(1, 4)
            first, *rest = self.block(depth, indent + 1 + gap, compact=True)
            return [head + " " * gap + first, *rest]
        anchor = self.anchor() if self.anchors_of_blocks else ""
        lines = [f"{head} {anchor}".rstrip(" ") + self.behind(), *self.between()]
        block = self.block(depth, indent + self.random.randrange(1, 5))
        self.known(anchor)
        if anchor and ":" in block[-1]:
            self.mappings.append(anchor[1:-1])
        return lines + block

    def document(self):
        lines = [f"%YAML 1.1{self.behind()}"] if self.perhaps(0.1) else self.between()
        if "".join(lines[:1])[:1] == "%" or self.perhaps(0.2):
            lines += [f"---{self.behind()}", *self.between()]
        if self.perhaps(0.1):
            lines += f"{self.flow(2, 0)}{self.behind()}".split("\n")
        else:
            lines += self.block(3, self.random.choice([0, 0, 0, 2]))
        lines += self.between()
        if self.perhaps(0.1):
            lines += [f"...{self.behind()}", *self.between()]
        end = self.random.choice(["\n", "\n", "\r\n"])
        return end.join(lines) + self.random.choice(["", end, end * 3])


RANDOMS = st.randoms(use_true_random=False)


def names_in(text):
    """Give the anchors and the aliases of a text."""
    events = yaml.parse(text.replace("\t#", " #"), Loader=yaml.SafeLoader)
    return Counter((type(event), event.anchor) for event in events if getattr(event, "anchor", ""))


def comments_in(text):
    """Give the comments of a text, as PyYAML's scanner leaves them."""
    # It takes no tabs before them, which the parser takes.
    text = text.replace("\t#", " #")
    comments, position = Counter(), 0
    for token in yaml.scan(text, Loader=yaml.SafeLoader):
        comments.update(re.findall(r"#[^\r\n]*", text[position : token.start_mark.index]))
        position = token.end_mark.index
        if getattr(token, "style", None) in ("|", ">"):
            words = text[token.start_mark.index : position]
            comments.update(re.findall(r"\A[|>][-+0-9]*[ \t]+(#[^\r\n]*)", words))
    return comments


def assert_says_the_same(before, after):
    assert comments_in(after) == comments_in(before)
    assert names_in(after) == names_in(before)


@given(
    RANDOMS,
    st.sampled_from([(as_it_stands, None), (as_it_stands, ()), (by_name, ("agents",))]),
)
def test_any_yaml_says_the_same_and_is_laid_out_once(random, options):
    order, apart = options
    author = Author(random)
    text = author.document()
    document = read_yaml(text)
    assume(document.readable)

    after = laid_out(document, order, apart=apart)

    found = read_yaml(after)
    assert same(found.data, document.data, ordered=order is as_it_stands)
    assert Counter(re.findall(r"# c\d+\.", after)) == Counter(author.comments)
    assert_says_the_same(text, after)
    assert laid_out(found, order, apart=apart) == after


@given(RANDOMS, st.sampled_from(["", "Body.", "  Code\n\n---\n# Text  \n"]))
def test_any_front_matter_says_the_same_and_is_laid_out_once(random, body):
    author = Author(random, anchors_of_blocks=False)
    front = "\n".join([*author.between(), *author.block(2, 0), *author.between()])
    file = read_agent(f"---\n{front}\n---\n{body}")
    assume(file.document.readable)
    assume(not any(problem.code == "front-matter-repaired" for problem in file.problems))

    after = laid_out_agent(file)

    found = read_agent(after)
    assert same(found.document.data, file.document.data, ordered=False)
    assert after[found.fences.body_start :].strip() == body.strip()
    assert_says_the_same(front_of(file), front_of(found))
    assert laid_out_agent(found) == after


def front_of(file):
    return file.document.text[file.fences.start : file.fences.end]


KEY = st.text(max_size=5) | st.just("prompt")
DATA = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=5)
    | st.sampled_from(["prompt", "a\nb\n", " a\n\n", "w " * 30, "#", "&a"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(KEY, inner, max_size=4),
    max_leaves=12,
)


@given(DATA)
def test_what_is_written_anew_is_laid_out_already(data):
    text = emit_yaml(data)

    assert yaml_of(text) == text


@given(DATA, st.sampled_from([None, 0, 1, 3, "\t"]), st.booleans())
def test_any_json_says_the_same_and_is_laid_out_once(data, indent, ascii):
    document = read_json(json.dumps(data, indent=indent, ensure_ascii=ascii))

    after = laid_out(document, by_name)

    found = read_json(after)
    assert same(found.data, data, ordered=False)
    assert laid_out(found, by_name) == after
    assert json.loads(after) == data


# Files


def files_in(root):
    return sorted(
        path
        for path in root.rglob("*")
        if path.suffix in (".yaml", ".yml", ".json", ".md") and path.is_file()
    )


def reads_as(text, like):
    """Read the text of a file, as another file is read; give what is laid out, and how."""
    if like.suffix == ".md":
        file = read_agent(text)
        return file.document, file.fences, lambda: laid_out_agent(file)
    document = read_text(text, media="json" if like.suffix == ".json" else "yaml")
    form = detect(document.data)
    return document, None, lambda: laid_out_text(document, form)


def data_part(document, fences):
    return document.text if fences is None else document.text[fences.start : fences.end]


def is_laid_out_faithfully(path):
    """Tell whether a file can be read, and see that it then says the same when laid out."""
    text = path.read_bytes().decode("utf-8", "replace").removeprefix("\ufeff")
    document, fences, lay_out = reads_as(text, path)
    cut = path.suffix == ".md" and "front-matter-cut" in {
        problem.code for problem in read_agent(text).problems
    }
    if not document.readable or cut:
        return False
    after = lay_out()
    found, found_fences, lay_out_again = reads_as(after, path)
    assert same(found.data, document.data, ordered=False)
    assert lay_out_again() == after
    if fences is not None:
        assert after[found_fences.body_start :].rstrip() == text[fences.body_start :].rstrip()
    repaired = any(problem.code == "front-matter-repaired" for problem in document.problems)
    if path.suffix != ".json" and not repaired:
        assert_says_the_same(data_part(document, fences), data_part(found, found_fences))
    return True


@pytest.mark.corpus
@pytest.mark.parametrize(("root", "readable"), [("cases", 30), ("corpus", 1150)])
def test_the_files_of_others_say_the_same(root, readable):
    assert sum(map(is_laid_out_faithfully, files_in(SHARED / root))) > readable


def own_files():
    return [path for path in files_in(FIXTURES) if path.parent.name != "prompts"]


def is_cut(path):
    problems = read_agent(path.read_text("utf-8")).problems if path.suffix == ".md" else ()
    return any(problem.code == "front-matter-cut" for problem in problems)


@pytest.mark.parametrize("path", own_files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_our_own_files_say_the_same(path):
    document, _, lay_out = reads_as(path.read_text("utf-8"), path)
    if document.readable and not is_cut(path):
        assert is_laid_out_faithfully(path)
    else:
        with pytest.raises(NotFaithfulError):
            lay_out()


@pytest.mark.parametrize("path", own_files(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_is_written_to_new_files_is_laid_out_already(path):
    if check(path) or path.suffix == ".json":
        return
    config = load(path)
    if path.suffix == ".md":
        text = dumps(config, format="claude_code")
        assert laid_out_agent(read_agent(text)) == text
    else:
        text = dumps(config)
        assert without_blank_lines(agents_of(text)) == without_blank_lines(text)


def without_blank_lines(text):
    return re.sub(r"\n+", "\n", text)
