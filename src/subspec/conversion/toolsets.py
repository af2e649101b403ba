"""Agents as the subagents of subagents-pydantic-ai."""

from pathlib import Path
from typing import Any

from subspec import formats
from subspec.conversion.documents import document_path
from subspec.conversion.result import Conversion, Draft, session_losses
from subspec.formats.subagent_config import SubAgentSpec
from subspec.formats.toolset import TITLE, loads_config
from subspec.spec import ClaudeConfig
from subspec.store.subagents import load_subagents
from subspec.store.toolset import change_onto, specs_of, text_of
from subspec.store.update import agents_of
from subspec.structure import plain

FILE = "subagents.yaml"


def to_pydantic_ai(config: ClaudeConfig, directory: Path | None) -> Conversion:
    """Say a configuration in a file of subagents-pydantic-ai."""
    draft = Draft(formats.PYDANTIC_AI)
    draft.lose(None, session_losses(config, TITLE))
    specs, losses = specs_of(config)
    for name, each in losses:
        draft.lose(name, [each])
    if directory is None:
        draft.add(FILE, text_of(specs), None)
        return draft.finish()
    path = document_path(directory, FILE)
    change = change_onto(path, specs)
    there = () if change is not None and change.before is None else load_subagents(path)
    draft.leave((spec.name for spec in there), [spec.name for spec in specs])
    if change is None:
        draft.add(path.name, path.read_text(encoding="utf-8"), None)
        return draft.finish()
    draft.add(path.name, (change.after or b"").decode(), change)
    after = agents_of(loads_config(text_of(specs))) if there else {}
    for spec in there:
        if spec.name in after:
            draft.compare_data(spec.name, path.name, _said(spec), plain(after[spec.name]))
    return draft.finish()


def _said(spec: SubAgentSpec) -> dict[str, Any]:
    """Give what an entry says of the fields of an agent; what only it can say stays as it is."""
    found = {"description": spec.description, "prompt": spec.instructions, "model": spec.model}
    return {name: value for name, value in found.items() if value}
