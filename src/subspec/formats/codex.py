"""Codex: TOML files, one agent each; the prompt is ``developer_instructions``.

.. code-block:: toml

    name = "analyst"
    description = "Analyses data and finds outliers."
    model = "gpt-5.4"
    sandbox_mode = "read-only"
    developer_instructions = '''
    You analyse data.'''

A file is a layer of Codex's own configuration: it has no list of tools. What holds an agent back is
``sandbox_mode``, which says something else than a list, and is kept as it is.
"""

from subspec.formats.server_keys import Servers
from subspec.formats.spelling import Own, Spelling, always
from subspec.formats.values import (
    check_map,
    check_names,
    check_text,
    check_words,
    choice,
    model,
    same,
)

EFFORTS = {"low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh"}


def _name_fault(name: str) -> str | None:
    return None if name.strip() else "a name must not be blank"


SPELLING = Spelling(
    name="codex",
    title="Codex",
    source="https://developers.openai.com/codex/subagents",
    seen="2026-08",
    medium="toml",
    directories=((".codex", "agents"),),
    suffix=".toml",
    is_telling=True,
    is_deep=True,
    prompt_key="developer_instructions",
    trims=False,
    name_fault=_name_fault,
    fitting=str.strip,
    keys={
        "description": same("description"),
        "model": model(),
        "model_reasoning_effort": choice("effort", EFFORTS, more=("none", "minimal")),
        "mcp_servers": Servers(headers="http_headers").key(),
    },
    own={
        "nickname_candidates": Own(check=check_names, is_harmless=always),
        "sandbox_mode": Own(
            restricts=lambda value: value != "danger-full-access",
            check=check_words("read-only", "workspace-write", "danger-full-access"),
        ),
        "approval_policy": Own(restricts=True),
        "model_provider": Own(check=check_text),
        "model_verbosity": Own(check=check_text, is_harmless=always),
        "web_search": Own(restricts=lambda value: value in ("disabled", False)),
        "skills": Own(check=check_map),
        "tools": Own(restricts=True, check=check_map),
    },
)
"""Codex's agents."""
