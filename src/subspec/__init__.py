"""Subagent definitions on disk, as frozen Python objects, and back.

.. code-block:: python

    import subspec

    config = subspec.load("team.yaml")
    options = subspec.build_options(config)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from subspec.conversion import Conversion, Loss, Override, convert
    from subspec.problems import ConflictError, Problem, Span, SpecError, SpecWarning
    from subspec.project import Preview, preview
    from subspec.runtimes.claude_sdk import build_agents, build_options
    from subspec.spec import ClaudeConfig, Origin, SubagentSpec
    from subspec.store import check, dumps, load, loads, save
    from subspec.structure import configure_converter, make_converter
    from subspec.tools import KNOWN_BUILTIN_TOOLS

__all__ = [
    "KNOWN_BUILTIN_TOOLS",
    "ClaudeConfig",
    "ConflictError",
    "Conversion",
    "Loss",
    "Origin",
    "Override",
    "Preview",
    "Problem",
    "Span",
    "SpecError",
    "SpecWarning",
    "SubagentSpec",
    "build_agents",
    "build_options",
    "check",
    "configure_converter",
    "convert",
    "dumps",
    "load",
    "loads",
    "make_converter",
    "preview",
    "save",
]

_HOME = {
    "KNOWN_BUILTIN_TOOLS": "tools",
    "ClaudeConfig": "spec",
    "ConflictError": "problems",
    "Conversion": "conversion",
    "Loss": "conversion",
    "Origin": "spec",
    "Override": "conversion",
    "Preview": "project",
    "Problem": "problems",
    "Span": "problems",
    "SpecError": "problems",
    "SpecWarning": "problems",
    "SubagentSpec": "spec",
    "build_agents": "runtimes.claude_sdk",
    "build_options": "runtimes.claude_sdk",
    "check": "store",
    "configure_converter": "structure",
    "convert": "conversion",
    "dumps": "store",
    "load": "store",
    "loads": "store",
    "make_converter": "structure",
    "preview": "project",
    "save": "store",
}
"""The module that each name comes from; it is imported when the name is first used."""


def __getattr__(name: str) -> Any:
    """Import what is asked for."""
    if name not in _HOME:
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    value = getattr(import_module(f"{__name__}.{_HOME[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    """List the public names, loaded or not."""
    return sorted({*globals(), *__all__})
