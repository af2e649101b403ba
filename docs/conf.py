"""How Sphinx builds the documentation."""

import re
from importlib import metadata
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_type_hints

from attrs import has

import subspec
from subspec import delegation
from subspec.delegation.acp import AcpProvider
from subspec.explain import page
from subspec.problems import CODES
from subspec.pydantic_ai import SubAgentSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from docutils.nodes import Element
    from sphinx.application import Sphinx
    from sphinx.environment import BuildEnvironment

project = "subspec"
author = "The subspec authors"
copyright = author
version = release = metadata.version("subspec")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
]
exclude_patterns = ["_build"]

html_theme = "furo"
html_title = "subspec"
# What is copied from a session can be pasted into one: no prompts, no output.
copybutton_exclude = ".linenos, .gp, .go"

myst_enable_extensions = ["deflist"]
myst_heading_anchors = 3

# Docstrings put code into single backticks, as Markdown does.
default_role = "code"
autodoc_member_order = "bysource"
autodoc_typehints = "description"
autodoc_typehints_description_target = "documented"

# Every cross-reference has to lead somewhere. The build needs no network, so those into other
# projects' documentation cannot be looked up.
nitpick_ignore_regex = [
    ("py:.*", r"(attrs?|cattrs|claude_agent_sdk|immutabledict)\..*"),
    # Imported by who needs them only.
    ("py:class", r"(FunctionToolset|McpSdkServerConfig|ModelMessage|pydantic_ai\..*)"),
    ("py:class", r"(collections\.abc|os|pathlib|typing)\..*"),
    ("py:class", r"subspec\..*\.[A-Z]"),  # type variables
]

# What a field is checked for is said in words, not shown in its type.
shown = [
    subspec.SubagentSpec,
    subspec.ClaudeConfig,
    SubAgentSpec,
    AcpProvider,
    *filter(has, vars(delegation).values()),
]
for specification in shown:
    specification.__annotations__ = get_type_hints(specification)


def hide_signature(_app: "Sphinx", what: str, *_: Any) -> tuple[str, str] | None:
    """Leave the signatures of classes out: their fields follow, with more to say."""
    return ("", "") if what == "class" else None


def keep_colons(
    _app: "Sphinx", what: str, _name: str, _obj: Any, _opts: Any, text: list[str]
) -> None:
    """Keep napoleon from taking a field's text before a colon for its type.

    It looks at the first line only, and a backslash at the end of a line is nothing at all.
    """
    if what == "attribute":
        text.insert(0, "\\")


def find_public(
    app: "Sphinx", env: "BuildEnvironment", node: "Element", content: "Element"
) -> "Element | None":
    """Find what every module may call by its bare name: the names that are public."""
    if node["reftarget"] not in subspec.__all__:
        return None
    target = f"subspec.{node['reftarget']}"
    python = env.domains.python_domain
    return python.resolve_xref(
        env, node["refdoc"], app.builder, node["reftype"], target, node, content
    )


FENCED = re.compile(r"^```(\w+)\n(?:<!-- (\S+) -->\n)?(.*?)^```$", re.MULTILINE | re.DOTALL)
CODE = re.compile(rf"`({'|'.join(CODES)})`")


def write_pages(app: "Sphinx") -> None:
    """Write the pages about the codes of problems, which the package holds, and a list of them."""
    pages = {code: "".join(told(code)) for code in CODES}
    names = "\n".join(sorted(CODES))
    table = "\n".join(
        f"| [`{code.name}`]({code.name}.md) | {code.severity} | {code.summary} |"
        for code in CODES.values()
    )
    pages["index"] = f"""\
# Problems

Every message ends with a code in brackets. Each code has a page that says what it means and what to
do, with an example. `subspec explain unknown-key` prints the same page in a terminal.

An **error** keeps a file from being loaded. A **warning** is odd, and the work goes on. What is for
**info** may well be meant.

| code | severity | what it says |
| --- | --- | --- |
{table}

```{{toctree}}
:hidden:

{names}
```
"""
    folder = Path(app.srcdir, "problems")
    folder.mkdir(exist_ok=True)
    for file in folder.glob("*.md"):
        if file.stem not in pages:
            file.unlink()
    for name, text in pages.items():
        file = folder / f"{name}.md"
        # What is written anew is built anew.
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")


def told(code: str) -> "Iterator[str]":
    """Give a page in parts: what names other codes as links, examples with their names."""
    text, *parts = FENCED.split(page(code))
    yield linked(text, code)
    for language, name, example, after in zip(*[iter(parts)] * 4, strict=True):
        caption = f":caption: {name}\n" if name else ""
        # Some examples are wrong on purpose, and highlighted all the same.
        yield f"```{{code-block}} {language}\n:force:\n{caption}\n{example}```"
        yield linked(after, code)


def linked(text: str, own: str) -> str:
    """Make links of the codes in a text, but for the page's own."""
    return CODE.sub(
        lambda match: match[0] if match[1] == own else f"[{match[0]}]({match[1]}.md)", text
    )


def setup(app: "Sphinx") -> None:
    """Have these asked, in time."""
    app.connect("builder-inited", write_pages)
    app.connect("autodoc-process-signature", hide_signature)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
    app.connect("missing-reference", find_public)
