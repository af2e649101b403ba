"""The schemas of the files of other programs: they take what reads without a problem."""

from __future__ import annotations

import json
import os
import re
import warnings
from pathlib import Path

import pytest
from command import run
from json_paths import json_path
from jsonschema import Draft202012Validator
from real_files import CORPUS

import subspec
from subspec import check
from subspec.formats import PYDANTIC_AI, SPELLINGS
from subspec.formats.agent_files import read_spelled_text
from subspec.formats.agent_text import new_text
from subspec.formats.registry import OURS
from subspec.problems import SpecError, errors_in
from subspec.pydantic_ai import SubAgentSpec, loads_subagents
from subspec.schema import schema
from subspec.source import read_file, read_text
from subspec.store.toolset import text_of
from subspec.testing import NAME, SPECS

pytest.importorskip("tomlkit")

SCHEMAS = Path(subspec.__file__).parent / "schemas"
FIXTURE = Path(__file__).parents[1] / "fixtures" / "pydantic-ai" / "subagents.yaml"
FOLDERS = {
    **{name: f"{name}-md" for name in ("copilot", "cursor", "factory", "gemini", "opencode")},
    "codex": "codex-toml",
    "kiro": "kiro-json",
    "kiro_ide": "kiro-md",
    "qwen": "qwen-md",
}
MADE = {name: schema(name) for name in sorted([PYDANTIC_AI, *OURS])}
VALIDATORS = {name: Draft202012Validator(made) for name, made in MADE.items()}

each_format = pytest.mark.parametrize("format", MADE)
each_program = pytest.mark.parametrize("format", OURS)


def places_refused(format, data):
    return sorted({json_path(error) for error in VALIDATORS[format].iter_errors(data)})


def properties_of(value):
    """Give each property of a schema: its name and what is said of it."""
    for part in value.values() if isinstance(value, dict) else value:
        if isinstance(part, dict | list):
            yield from properties_of(part)
    if isinstance(value, dict) and isinstance(value.get("properties"), dict):
        yield from value["properties"].items()


@each_format
def test_the_committed_schemas_are_current(format):
    path = SCHEMAS / f"{format}.schema.json"
    text = json.dumps(MADE[format], indent=2, ensure_ascii=False) + "\n"
    if os.environ.get("SUBSPEC_UPDATE_SCHEMAS"):  # pragma: no cover - for those who change them
        path.write_text(text, encoding="utf-8", newline="\n")

    hint = "write them anew: SUBSPEC_UPDATE_SCHEMAS=1 pytest tests/test_schema_tables.py"
    assert path.read_bytes() == text.encode(), hint


@each_format
def test_a_schema_is_one_and_is_printed(format):
    Draft202012Validator.check_schema(MADE[format])

    assert MADE[format]["$id"] == f"urn:subspec:{format}"
    assert json.loads(run("schema", format).stdout) == MADE[format]


@each_format
def test_every_property_has_a_description_in_plain_words(format):
    found = [(name, said) for name, said in properties_of(MADE[format]) if "const" not in said]

    assert len(found) > 3
    for name, said in found:
        assert re.search(r"\w", said["description"]), name
        assert not re.search(r"``|:\w+:`|None\b|\n", said["description"]), name


@each_program
def test_what_is_written_is_taken(format):
    for spec in SPECS:
        text = new_text(SPELLINGS[format], NAME, spec).text
        data = read_spelled_text(SPELLINGS[format], text, NAME).document.data

        assert places_refused(format, data) == [], text


@pytest.mark.corpus
@each_program
def test_real_files_that_load_are_taken(format):
    paths = [path for path in (CORPUS / FOLDERS[format]).rglob("*") if path.is_file()]
    for path in paths:
        if not errors_in(check(path, format=format)):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                text = path.read_bytes().decode().removeprefix("\ufeff")
            data = read_spelled_text(SPELLINGS[format], text, path.stem).document.data
            assert places_refused(format, data) == [], path


FAULTS = [
    ("codex", {"description": 1}, ["$.description"]),
    ("codex", {"sandbox_mode": "x"}, ["$.sandbox_mode"]),
    ("codex", {"model_reasoning_effort": "hgih"}, ["$.model_reasoning_effort"]),
    ("codex", {"mcp_servers": [1]}, ["$.mcp_servers"]),
    ("codex", {"model": 1}, ["$.model"]),
    ("copilot", {"tools": 1}, ["$.tools"]),
    ("copilot", {"target": "x"}, ["$.target"]),
    ("cursor", {"readonly": "yes"}, ["$.readonly"]),
    ("factory", {"tools": "all"}, ["$.tools"]),
    ("gemini", {"tools": ["a", 1]}, ["$.tools[1]"]),
    ("gemini", {"tool": []}, ["$"]),
    ("gemini", {"max_turns": 0}, ["$.max_turns"]),
    ("gemini", {"temperature": "x"}, ["$.temperature"]),
    ("kiro", {"tools": None}, ["$.tools"]),
    ("kiro", {"allowedTools": "x"}, ["$.allowedTools"]),
    ("kiro_ide", {"name": " "}, ["$.name"]),
    ("opencode", {"tools": ["read"]}, ["$.tools"]),
    ("opencode", {"tools": {"read": 1}}, ["$.tools.read"]),
    ("opencode", {"permission": {"bash": {"*": "x"}}}, ["$.permission"]),
    ("opencode", {"permissions": {}}, ["$.permissions"]),
    ("qwen", {"approvalMode": "x"}, ["$.approvalMode"]),
    ("qwen", {"disallowedTools": 1}, ["$.disallowedTools"]),
]


@pytest.mark.parametrize(("format", "keys", "places"), FAULTS, ids=[str(f[:2]) for f in FAULTS])
def test_what_a_program_refuses_its_schema_refuses(format, keys, places):
    table = SPELLINGS[format]
    data = {"name": "helper", "description": "Helps."}
    if table.prompt_key is not None:
        data[table.prompt_key] = "Help me out."
    assert places_refused(format, data) == []

    assert places_refused(format, data | keys) == places
    text = json.dumps(data | keys)
    if table.medium == "markdown":
        text = f"---\n{text}\n---\n\nHelp me out of it.\n"
    if table.medium != "toml":
        assert errors_in(read_spelled_text(table, text, "helper").problems)


@each_program
def test_what_has_to_be_there_is_required(format):
    assert places_refused(format, {}) == ["$"]
    required = MADE[format]["required"]
    assert "description" in required
    assert ("name" in required) == SPELLINGS[format].needs_name


TOOLSETS = [
    ([], []),
    ([{"name": "a"}, {"name": "b", "model": None, "max_retries": 0, "extra": {"x": [1]}}], []),
    ({"subagents": [{"name": "a"}], "model": "test"}, []),
    ({"capabilities": ["Other", "SubAgentCapability", {"Other": 1}, {"name": "Other"}]}, []),
    ({"capabilities": [{"SubAgentCapability": {"subagents": [{"name": "a"}], "x": 1}}]}, []),
    ({"capabilities": [{"SubAgentCapability": [{"name": "a"}]}]}, []),
    ({"capabilities": [{"SubAgentCapability": None}, {"name": "SubAgentCapability"}]}, []),
    ({"capabilities": [{"name": "SubAgentCapability", "arguments": {"subagents": []}}]}, []),
    ([{"description": "d"}], ["$"]),
    ([{"name": "a", "instruction": "x"}], ["$"]),
    ({"subagents": [{"name": 1}]}, ["$"]),
    ({"subagents": {"a": {}}}, ["$"]),
    ({"subagents": [{"name": "a", "preferred_mode": "x"}]}, ["$"]),
    ({"subagents": [{"name": "a", "max_retries": -1}]}, ["$"]),
    ({"subagents": [{"name": "a", "retry_backoff_multiplier": 0.5}]}, ["$"]),
    ({"capabilities": [{"SubAgentCapability": {"subagents": [{"name": 1}]}}]}, ["$"]),
    ({"capabilities": [{"SubAgentCapability": "x"}]}, ["$"]),
    ({"capabilities": [{"name": "SubAgentCapability", "arguments": [1]}]}, ["$"]),
]


@pytest.mark.parametrize(("data", "places"), TOOLSETS, ids=[str(data) for data, _ in TOOLSETS])
def test_the_schema_of_toolsets_says_what_reading_does(data, places):
    assert places_refused(PYDANTIC_AI, data) == places
    if places:
        with pytest.raises(SpecError):
            loads_subagents(json.dumps(data))
    else:
        loads_subagents(json.dumps(data))


def test_toolsets_that_are_written_are_taken():
    specs = [SubAgentSpec(name="a"), SubAgentSpec(name="b", max_retries=1, retry_max_delay=0.5)]

    assert places_refused(PYDANTIC_AI, read_text(text_of(specs)).data) == []
    assert places_refused(PYDANTIC_AI, read_file(FIXTURE).data) == []


@pytest.mark.corpus
def test_real_toolsets_are_taken():
    for path in (CORPUS / "pydantic-yaml").rglob("*.y*ml"):
        data = read_file(path).data
        try:
            loads_subagents(path.read_text())
        except SpecError:
            continue
        assert places_refused(PYDANTIC_AI, data) == [], path
