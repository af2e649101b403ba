"""Plain data to specs: strict hooks for cattrs, prompt files, legacy keys and rules."""

from contextvars import ContextVar
from functools import cache
from typing import Any

from attrs import evolve
from cattrs import Converter

from subspec.problems import Problem, SpecError
from subspec.spec import ClaudeConfig
from subspec.structure.converter import (
    Reading,
    configure_converter,
    make_converter,
    plain,
    register,
)
from subspec.structure.prompts import PromptFiles
from subspec.structure.walker import problems_of

__all__ = [
    "PromptFiles",
    "Reading",
    "configure_converter",
    "make_converter",
    "plain",
    "problems_of",
    "structure_config",
]

_READING: ContextVar[Reading] = ContextVar("_READING")


def structure_config(data: Any, reading: Reading) -> tuple[ClaudeConfig | None, list[Problem]]:
    """Structure a configuration; give it, or None, with all that is wrong or odd.

    Args:
        data: Plain data in canonical keys.
        reading: What is being read; its `report` is not used.
    """
    problems: list[Problem] = []
    token = _READING.set(evolve(reading, report=problems.extend))
    try:
        config = _shared_converter().structure(data, ClaudeConfig)
    except SpecError as error:
        return None, list(error.problems)
    finally:
        _READING.reset(token)
    return config, problems


@cache
def _shared_converter() -> Converter:
    # Hooks are generated code: made once, they serve every file.
    converter = Converter()
    register(converter, _READING.get)
    return converter
