"""The floors of the house: a module imports from those below it, and from no other."""

from __future__ import annotations

import ast
import importlib.util
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

import pytest

import subspec

ROOT = Path(subspec.__file__).parent

FLOORS: list[set[str]] = [
    {"facts", "problems"},
    {"explain", "tools", "models", "urls"},
    {"shapes"},
    {"mcp", "hooks"},
    {"spec"},
    {"source"},
    {"structure"},
    {"formats"},
    {"project", "runtimes", "schema", "store"},
    {"conversion", "pydantic_ai"},
    {"", "doctor", "settings"},
    {"delegation"},
    {"cli", "testing"},
    {"__main__"},
]
"""Modules and folders of the package, bottom up; ``""`` is the face. A new one goes in here."""

BELOW_FILES = ["facts", "problems", "tools", "models", "urls", "shapes", "mcp", "hooks", "spec"]
"""What says what a subagent is, and knows of no file that it could be in."""

FLOOR_OF = {name: floor for floor, names in enumerate(FLOORS) for name in names}

ONLY = {"source": {"problems", "shapes", "source"}}
"""What may be imported where that is less than all the floors below."""

ROOMS = {
    "delegation.processes": set(),
    "delegation.in_process": set(),
    "delegation.acp": {"delegation.processes"},
    "delegation.claude_code": {"delegation.processes"},
    "delegation.tool": set(),
}
"""Folders in a folder, with those beside them that they know. Of a room that holds several
implementations of one thing, each stands by itself."""

OUTSIDE = {
    "yaml": {"source"},
    "cattrs": {"structure"},
    "click": {"cli"},
    "rich": {"cli"},
    "tomlkit": {"source"},
    "claude_agent_sdk": {"delegation.claude_code", "delegation.tool", "runtimes"},
    "acp": {"delegation.acp"},
    "psutil": {"delegation.processes"},
    "jsonschema": {"delegation.in_process"},
    "pydantic_ai": {"delegation.in_process", "delegation.tool"},
    "pydantic_core": {"delegation.in_process"},
    "referencing": {"delegation.in_process"},
}
"""Packages that only one part of the house may know, wherever in a module it imports them."""

SDKS = {
    *("claude_agent_sdk", "pydantic_ai", "subagents_pydantic_ai", "acp", "mcp", "anthropic"),
    *("jsonschema", "pydantic_core", "referencing"),
}


def name_of(path: Path) -> str:
    """A module's name below the package; empty for the package itself."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


TREES = {
    name_of(path): ast.parse(path.read_text(encoding="utf-8"))
    for path in sorted(ROOT.rglob("*.py"))
}
modules = pytest.mark.parametrize("module", TREES, ids=lambda name: name or "face")


def part_of(module: str) -> str:
    """The part of the house that a module belongs to."""
    return module.partition(".")[0]


def at_module_level(tree: ast.AST) -> Iterator[ast.stmt]:
    """The statements that run when the module is imported, those for type checkers included."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
            continue
        if isinstance(node, ast.stmt):
            yield node
        yield from at_module_level(node)


def when_imported(tree: ast.AST) -> Iterator[ast.stmt]:
    """The same, those for type checkers left out."""
    guarded = {
        id(inner)
        for node in at_module_level(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING")
        for statement in node.body
        for inner in ast.walk(statement)
    }
    return (node for node in at_module_level(tree) if id(node) not in guarded)


def imported(statements: Iterator[ast.stmt] | Iterator[ast.AST], module: str) -> set[str]:
    """The full names of the modules that statements import."""
    package = "subspec" if not module else f"subspec.{module}"
    if (ROOT / module.replace(".", "/")).is_dir() is False:
        package = package.rpartition(".")[0]
    names: set[str] = set()
    for node in statements:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            source = "." * node.level + (node.module or "")
            source = importlib.util.resolve_name(source, package)
            for alias in node.names:
                inner = f"{source}.{alias.name}"
                is_module = inner.removeprefix("subspec.") in TREES and inner != source
                names.add(inner if is_module else source)
    return names


def inside(names: set[str]) -> set[str]:
    """Those that are of this package, named below it."""
    return {
        name.removeprefix("subspec").removeprefix(".")
        for name in names
        if name.partition(".")[0] == "subspec"
    }


@modules
def test_each_module_has_a_floor(module):
    assert part_of(module) in FLOOR_OF, f"say in FLOORS where {module} belongs"


def test_each_floor_has_its_modules():
    assert set(FLOOR_OF) == {part_of(module) for module in TREES}


@modules
def test_a_module_imports_from_the_floors_below_it_only(module):
    part = part_of(module)
    below = {name for name, floor in FLOOR_OF.items() if floor < FLOOR_OF[part]}
    allowed = ONLY.get(part, below | {part})

    # Those in functions too: an import that waits until it is needed leads upwards all the same.
    for name in inside(imported(ast.walk(TREES[module]), module)):
        assert part_of(name) in allowed, f"{module or 'the face'} imports subspec.{name}"


@modules
def test_a_room_knows_the_rooms_beside_it_only_where_it_has_to(module):
    room = module if module in ROOMS else module.rpartition(".")[0]
    rooms = {
        name if name in ROOMS else name.rpartition(".")[0]
        for name in inside(imported(ast.walk(TREES[module]), module))
        if part_of(name) == part_of(module)
    }
    if room in ROOMS:
        assert rooms & ROOMS.keys() <= ROOMS[room] | {room}
    elif module == "delegation":
        assert rooms & ROOMS.keys() == {"delegation.tool"}
    else:
        assert not rooms & ROOMS.keys()


def test_each_room_is_there():
    rooms = {module for module in TREES if (ROOT / module.replace(".", "/")).is_dir()}
    assert {room for room in rooms if room.startswith("delegation.")} == ROOMS.keys()


def test_no_import_goes_round_in_a_circle():
    graph = {
        module: inside(imported(ast.walk(tree), module)) - {module}
        for module, tree in TREES.items()
    }

    assert list(TopologicalSorter(graph).static_order())


@modules
def test_no_sdk_is_imported_with_the_package(module):
    names = {name.partition(".")[0] for name in imported(when_imported(TREES[module]), module)}

    assert not names & SDKS


@modules
def test_what_only_one_part_should_know_no_other_part_knows(module):
    names = {name.partition(".")[0] for name in imported(ast.walk(TREES[module]), module)}
    inside_of = {module.rpartition(".")[0], part_of(module)}
    foreign = {name for name, parts in OUTSIDE.items() if not inside_of & parts}

    assert not names & foreign


def test_what_a_subagent_is_is_said_in_attrs_alone_and_reads_nothing():
    names = {
        name.partition(".")[0]
        for module in BELOW_FILES
        for name in imported(ast.walk(TREES[module]), module)
    }

    assert names - sys.stdlib_module_names == {"attrs", "immutabledict", "subspec"}
    assert not names & {"io", "json", "logging", "os", "shutil", "socket", "subprocess", "tempfile"}


EXAMPLE = ast.parse(
    """
import a
from b.c import d
if TYPE_CHECKING:
    import e
else:
    import f
try:
    import g
except ImportError:
    import h
class C:
    import i
    def method(self):
        import j
def function():
    import k
from subspec import spec, load
from subspec.source.yaml import read_yaml
from . import nothing
from .yaml import x
"""
)


def test_imports_are_found_where_they_count():
    found = imported(at_module_level(EXAMPLE), "source.json")

    assert found == {
        *("a", "b.c", "e", "f", "g", "h", "i", "subspec.spec", "subspec", "subspec.source"),
        "subspec.source.yaml",
    }
    assert found - imported(when_imported(EXAMPLE), "source.json") == {"e"}
    assert {"j", "k"} < imported(ast.walk(EXAMPLE), "source.json")
    assert inside(found) == {"spec", "", "source", "source.yaml"}
