"""How Sphinx builds the documentation."""

from importlib import metadata
from typing import TYPE_CHECKING, Any, get_type_hints

import subspec

if TYPE_CHECKING:
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
    ("py:class", r"(collections\.abc|os|pathlib|typing)\..*"),
    ("py:class", r"subspec\..*\.[A-Z]"),  # type variables
]

# What a field is checked for is said in words, not shown in its type.
for specification in (subspec.SubagentSpec, subspec.ClaudeConfig):
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


def setup(app: "Sphinx") -> None:
    """Have these asked, in time."""
    app.connect("autodoc-process-signature", hide_signature)
    app.connect("autodoc-process-docstring", keep_colons, priority=400)
    app.connect("missing-reference", find_public)
