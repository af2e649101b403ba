"""The face of the package: its names, and what importing it costs."""

from __future__ import annotations

import ast
import importlib.metadata
import os
import runpy
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import subspec

ROOT = Path(subspec.__file__).parent
HEAVY = {"attr", "attrs", "cattrs", "claude_agent_sdk", "click", "rich", "yaml"}


def run_python(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run this Python with this package, whether it is installed or not."""
    path = os.pathsep.join(filter(None, [str(ROOT.parent), os.environ.get("PYTHONPATH")]))
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )


def modules_after(code: str) -> set[str]:
    """The modules that a fresh Python has loaded after some code."""
    result = run_python("-c", f"{code}\nimport sys\nprint(*sys.modules)")
    assert result.stderr == ""
    return set(result.stdout.split())


def test_the_names_are_sorted_constants_first_then_classes_then_functions():
    def rank(name: str) -> tuple[int, str]:
        return (0 if name.isupper() else 1 if name[0].isupper() else 2), name

    assert subspec.__all__ == sorted(subspec.__all__, key=rank)
    assert len(subspec.__all__) == len(set(subspec.__all__))


@pytest.mark.parametrize("name", subspec.__all__)
def test_each_name_can_be_imported_and_is_its_modules_own(name):
    value = getattr(subspec, name)

    home = import_module(f"subspec.{subspec._HOME[name]}")
    assert value is getattr(home, name)
    if hasattr(value, "__module__"):
        # Where a thing says it is from is where people look for it.
        assert value.__module__.startswith("subspec.")


def test_a_star_import_gives_every_name():
    result = run_python("-c", "from subspec import *; print(*sorted(globals()))")

    assert result.stderr == ""
    assert set(subspec.__all__) <= set(result.stdout.split())


def test_the_three_lists_of_names_agree():
    tree = ast.parse(Path(subspec.__file__).read_text(encoding="utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    for_checkers = {
        alias.name: node.module.removeprefix("subspec.")
        for node in guarded.body
        if isinstance(node, ast.ImportFrom) and node.module
        for alias in node.names
    }

    assert for_checkers == subspec._HOME
    assert list(subspec._HOME) == subspec.__all__


def test_importing_the_package_loads_nothing_heavy():
    modules = modules_after("import subspec")

    assert not modules & HEAVY
    assert {name for name in modules if name.startswith("subspec")} == {"subspec"}


def test_listing_the_names_loads_nothing_heavy_either():
    assert not modules_after("import subspec; dir(subspec); subspec.__all__") & HEAVY


def test_loading_a_file_needs_no_sdk_and_no_command_line():
    code = "import subspec; subspec.loads('agents: {a: {description: d, prompt: p}}')"

    assert not modules_after(code) & {"claude_agent_sdk", "click", "rich", "mcp", "anyio"}


def test_the_builders_come_without_the_sdk_until_they_build():
    code = "from subspec import build_agents, build_options"

    assert "claude_agent_sdk" not in modules_after(code)


def test_a_name_is_loaded_once():
    code = "import subspec; print('Span' in vars(subspec), subspec.Span, 'Span' in vars(subspec))"

    assert run_python("-c", code).stdout == "False <class 'subspec.problems.Span'> True\n"


def test_dir_lists_every_name_loaded_or_not_in_order():
    result = run_python("-c", "import subspec; print(*dir(subspec))")
    names = result.stdout.split()

    assert set(subspec.__all__) <= set(names) & set(dir(subspec))
    assert names == sorted(set(names))
    assert "__doc__" in names


@pytest.mark.parametrize("name", ["lod", "AgentDefinition", "_private", "__version__"])
def test_an_unknown_name_is_an_attribute_error(name):
    with pytest.raises(AttributeError, match=f"module 'subspec' has no attribute '{name}'"):
        getattr(subspec, name)
    with pytest.raises(ImportError, match=name):
        exec(f"from subspec import {name}")  # noqa: S102 - our own text


def test_the_package_says_that_it_is_typed():
    assert (ROOT / "py.typed").is_file()


def test_the_package_is_a_command(monkeypatch, capsys):
    monkeypatch.setattr(sys, "argv", ["subspec", "--help"])

    with pytest.raises(SystemExit) as exit_:
        runpy.run_module("subspec", run_name="__main__")

    assert exit_.value.code == 0
    assert "Commands:" in capsys.readouterr().out


def test_the_command_tells_its_version():
    try:
        version = importlib.metadata.version("subspec")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("subspec runs from its source here, without being installed")

    result = run_python("-m", "subspec", "--version")

    assert result.returncode == 0
    assert result.stdout.rstrip().endswith(f"version {version}")
    assert result.stderr == ""
