"""What people would write instead: a reader that is there already, and pydantic models.

The models check what subspec checks, as far as models go: types without conversion, blank texts,
bounds, unknown keys, tools and models by name. They know no places in the file.
"""

from __future__ import annotations

import json
import re
import warnings
from pathlib import Path
from typing import Annotated, Any, Literal

import frontmatter
import yaml
from frontmatter.default_handlers import YAMLHandler
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, model_validator

from subspec.models import ALIASES
from subspec.tools import BUILTIN_TOOLS

MODEL_ID = re.compile(r".*claude.*|.*[-.:/0-9].*")


def _not_blank(text: str) -> str:
    if not text.strip():
        msg = "must not be blank"
        raise ValueError(msg)
    return text


def _known_model(name: str) -> str:
    if name not in ALIASES and not MODEL_ID.fullmatch(name):
        msg = f"{name!r} is not a model"
        raise ValueError(msg)
    return name


def _known_tools(tools: list[str]) -> list[str]:
    for tool in tools:
        if tool not in BUILTIN_TOOLS and not tool.startswith("mcp__"):
            warnings.warn(f"{tool!r} may be a typo", stacklevel=2)
    return tools


Text = Annotated[str, AfterValidator(_not_blank)]
Tools = Annotated[list[str], AfterValidator(_known_tools)]


class Subagent(BaseModel):
    """One agent of a file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    description: Text
    prompt: Text | None = None
    prompt_file: str | None = None
    tools: Tools | None = None
    disallowed_tools: Tools | None = None
    model: Annotated[str, AfterValidator(_known_model)] | None = None
    skills: list[str] | None = None
    memory: Literal["user", "project", "local"] | None = None
    mcp_servers: list[str | dict[str, Any]] | None = None
    initial_prompt: str | None = None
    max_turns: Annotated[int, Field(ge=1)] | None = None
    background: bool | None = None
    effort: Literal["low", "medium", "high", "xhigh", "max"] | int | None = None
    permission_mode: (
        Literal["default", "acceptEdits", "plan", "bypassPermissions", "dontAsk", "auto"] | None
    ) = None
    color: Text | None = None
    hooks: dict[str, Any] | None = None
    isolation: Literal["worktree", "remote"] | None = None
    omit_claude_md: bool | None = None
    auto_compact_window: Annotated[int, Field(ge=100_000)] | None = None
    observer: str | None = None
    observer_message: str | None = None
    observe_subagents: bool | None = None
    observe_tool_results: bool | None = None

    @model_validator(mode="after")
    def _has_one_prompt(self) -> Subagent:
        if (self.prompt is None) == (self.prompt_file is None):
            msg = "give either prompt or prompt_file"
            raise ValueError(msg)
        return self


class Config(BaseModel):
    """A file."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    agents: dict[Text, Subagent]


def read_yaml(path: Path) -> Any:
    """Read YAML with the fastest loader of PyYAML."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


def read_yaml_into_models(path: Path) -> Config:
    """Read YAML, and check it."""
    return Config.model_validate(read_yaml(path))


def read_json_into_models(path: Path) -> Config:
    """Read JSON, and check it."""
    return Config.model_validate(json.loads(path.read_text(encoding="utf-8")))


def read_markdown(directory: Path) -> dict[str, tuple[Any, str]]:
    """Read Markdown with the fastest loader of PyYAML: the front matter and the body."""
    read = {}
    for path in sorted(directory.glob("*.md")):
        _, matter, body = path.read_bytes().decode("utf-8").split("---\n", 2)
        data = yaml.load(matter, Loader=yaml.CSafeLoader)
        read[data.pop("name")] = data, body.strip()
    return read


def read_markdown_into_models(directory: Path) -> Config:
    """Read Markdown with python-frontmatter, and check it."""
    agents = dict(map(_read_file, sorted(directory.glob("*.md"))))
    return Config.model_validate({"agents": agents})


def _read_file(path: Path) -> tuple[str, dict[str, Any]]:
    post = frontmatter.load(str(path), handler=_HANDLER)
    values = dict(post.metadata)
    tools = values["tools"]
    values["tools"] = tools if isinstance(tools, list) else re.split(r"\s*,\s*", tools)
    values["max_turns"] = values.pop("maxTurns")
    return values.pop("name"), {**values, "prompt": post.content}


_HANDLER = YAMLHandler()
"""Reads with the parser in C, where there is one."""
