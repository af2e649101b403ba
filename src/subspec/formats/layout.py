"""Files of each format, laid out in the canonical way."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from attrs import fields

from subspec.formats.claude_code import AgentFile
from subspec.formats.claude_keys import KEYS
from subspec.formats.table import Format, Key
from subspec.problems import FRONT_MATTER_CUT, Path
from subspec.source.compare import MISSING, value_at
from subspec.source.document import Document
from subspec.source.edit import NotFaithfulError
from subspec.source.layout import Order, laid_out
from subspec.spec import ClaudeConfig, SubagentSpec

_AGENT = [attribute.name for attribute in fields(SubagentSpec) if attribute.name != "origin"]
_CONFIG = [attribute.name for attribute in fields(ClaudeConfig) if attribute.name != "origin"]
_CLAUDE_CODE = tuple(KEYS)


def is_ours(data: Any, form: Format) -> bool:
    """Tell whether data has anything of a format in it, so that it may be laid out as such."""
    if not isinstance(data, Mapping):
        return False
    return form.agents_key is None or any(
        value_at(data, form.file_path((key,))) is not MISSING for key in _CONFIG
    )


def laid_out_text(document: Document, form: Format) -> str:
    """Write a YAML or JSON document in the canonical layout.

    Raises:
        NotFaithfulError: It cannot be read, or there is no way found to write it so.
    """
    return laid_out(document, _order_of(form), apart=form.file_path(("agents",)))


def laid_out_agent(file: AgentFile) -> str:
    """Write one of Claude Code's Markdown files in the canonical layout, its body as it is.

    Raises:
        NotFaithfulError: Its front matter cannot be read, or ends where nobody meant it to end, or
            there is no way found to write it so.
    """
    is_cut = any(problem.code == FRONT_MATTER_CUT.name for problem in file.problems)
    if file.fences is None or is_cut:
        raise NotFaithfulError
    return laid_out(file.document, _order_of_claude_code, fences=file.fences)


def _order_of_claude_code(path: Path) -> Sequence[str] | None:
    return None if path else _CLAUDE_CODE


def _order_of(form: Format) -> Order:
    """Make what gives the order of the keys of a format."""
    agents = form.file_path(("agents",))
    agent_keys = _agent_keys(form)
    config_keys = _config_keys(form)

    def order(path: Path) -> Sequence[str] | None:
        if path[:-1] == agents and path:
            return agent_keys
        return config_keys if path == form.section and path != agents else None

    return order


def _agent_keys(form: Format) -> list[str]:
    if form.agent_keys is not None:
        return list(form.agent_keys)
    behind = _AGENT.index("prompt") + 1
    return [*_AGENT[:behind], "prompt_file", *_AGENT[behind:]]


def _config_keys(form: Format) -> list[str]:
    if form.config_keys is None:
        return _CONFIG
    return ["agents", *_by_field(form.config_keys)]


def _by_field(keys: Mapping[str, Key]) -> Iterable[str]:
    """Sort the keys of a table by the order of their fields."""
    return sorted(keys, key=lambda name: _CONFIG.index(keys[name].field))
