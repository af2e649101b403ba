"""subagents-pydantic-ai: a list of subagents, in YAML or JSON.

.. code-block:: yaml

    subagents:
      - name: analyst
        description: Analyses data and finds outliers.
        instructions: You analyse data.

The list stands by itself, under ``subagents``, or among the ``capabilities`` of an agent of
Pydantic AI, as what its ``SubAgentCapability`` is given. What an entry holds is said by
:class:`subspec.pydantic_ai.SubAgentSpec`.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from subspec.problems import MISSING_KEY, Path, Problem, below, closest
from subspec.shapes import wrong_type
from subspec.source.compare import MISSING
from subspec.structure.walker import unknown_key

CAPABILITY = "SubAgentCapability"
LIST = "subagents"

_TELLING = {"instructions", "name"}


def recognises(data: Any) -> bool:
    """Tell whether data holds subagents of this kind.

    A list has to look like one of them: many programs have lists of things that have names.
    """
    if isinstance(data, list):
        return any(isinstance(each, Mapping) and each.keys() >= _TELLING for each in data)
    if not isinstance(data, Mapping) or "agents" in data:
        return False
    capabilities = data.get("capabilities")
    has_capability = isinstance(capabilities, list) and any(map(key_of_arguments, capabilities))
    return has_capability or _is_list_of_names(data.get(LIST))


def _is_list_of_names(value: Any) -> bool:
    # The legacy key of that name has a mapping. An empty list is what is left of a file when its
    # last subagent goes.
    is_list = isinstance(value, list)
    return is_list and (
        not value or any(isinstance(each, Mapping) and "name" in each for each in value)
    )


def lists_in(data: Any) -> tuple[list[Path], list[Problem]]:
    """Find where the lists of subagents stand, or may stand."""
    if isinstance(data, list):
        return [()], []
    if not isinstance(data, Mapping):
        return [], [wrong_type("a list of subagents", data)]
    lists: list[Path] = [(LIST,)] if LIST in data else []
    problems: list[Problem] = []
    capabilities = data.get("capabilities")
    for index, item in enumerate(capabilities if isinstance(capabilities, list) else ()):
        key = key_of_arguments(item)
        if key is None:
            continue
        path: Path = ("capabilities", index, key)
        arguments = item.get(key) if isinstance(item, Mapping) else None
        # A list is its first argument by itself.
        lists.append(path if isinstance(arguments, list) else (*path, LIST))
        if isinstance(arguments, Mapping):
            problems += below(path, _misspelt(arguments))
        elif arguments is not None and not isinstance(arguments, list):
            problems += below(path, [wrong_type("a mapping", arguments)])
    if not lists:
        hint = "write them under 'subagents:'"
        nothing = MISSING_KEY.problem("there is no list of subagents in it", hint=hint)
        problems += _misspelt(data) or [nothing]
    return lists, problems


def key_of_arguments(item: Any) -> str | None:
    """Give the key of what the capability is given, if an item is that capability."""
    if item == CAPABILITY or (isinstance(item, Mapping) and CAPABILITY in item):
        return CAPABILITY
    # Pydantic AI's long form.
    is_long = isinstance(item, Mapping) and item.get("name") == CAPABILITY
    return "arguments" if is_long else None


def _misspelt(mapping: Mapping[str, Any]) -> list[Problem]:
    if LIST in mapping:
        return []
    return [unknown_key(key, (LIST,)) for key in mapping if closest(key, (LIST,))]


def entries_in(
    data: Any, lists: Iterable[Path], problems: list[Problem]
) -> Iterator[tuple[Path, Any]]:
    """Give the entries of all lists, and note what is no list."""
    for path in lists:
        value = value_at(data, path)
        if isinstance(value, list):
            yield from (((*path, index), entry) for index, entry in enumerate(value))
        elif value is not MISSING:
            is_map = isinstance(value, Mapping)
            hint = "write '- name: NAME' instead of 'NAME:'" if is_map else None
            problems.append(wrong_type("a list of subagents", value, hint, at=path))


def value_at(data: Any, path: Path) -> Any:
    """Give what stands at a path, also inside of lists; :data:`MISSING` where nothing does."""
    for part in path:
        if isinstance(part, str) and not (isinstance(data, Mapping) and part in data):
            return MISSING
        data = data[part]
    return data
