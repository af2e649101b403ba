"""Runs the examples in the documentation and in the README.

Each document has a directory of its own, a copy of ``fixtures/``, and its examples run there one
after another:

- ``python`` blocks, with and without prompts,
- ``console`` blocks: the commands are run, and what they print is compared with the block,
- ``yaml`` and ``toml`` blocks that begin with a comment such as ``# team.yaml``: they become that
  file.

What asks Claude for something asks a Messages API on this machine, which has no account and always
the same answer.
"""

import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from sybil import Example, Sybil
from sybil.parsers.myst import CodeBlockParser, PythonCodeBlockParser, SkipParser

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests"))

from fake_messages_api import FakeMessagesApi  # noqa: E402 - only now it is found


def enter(namespace: dict[str, Any]) -> None:
    """Go to a fresh copy of the fixtures, from which nothing leads out."""
    namespace["_home"] = Path.cwd()
    namespace["_stack"] = stack = ExitStack()
    copy = stack.enter_context(tempfile.TemporaryDirectory())
    shutil.copytree(ROOT / "fixtures", copy, dirs_exist_ok=True)
    os.chdir(copy)
    api = stack.enter_context(FakeMessagesApi())
    stack.enter_context(mock.patch.dict(os.environ, offline(api, Path(copy, ".home"))))


def offline(api: FakeMessagesApi, home: Path) -> dict[str, str]:
    """Give the variables by which Claude Code finds that API, and nobody's settings."""
    return {
        "ANTHROPIC_BASE_URL": api.url,
        "ANTHROPIC_API_KEY": "not-a-key",
        "CLAUDE_CONFIG_DIR": str(home),
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }


def leave(namespace: dict[str, Any]) -> None:
    """Go back and clean up."""
    os.chdir(namespace["_home"])
    namespace["_stack"].close()


def save(example: Example) -> None:
    """Write a block to the file that its first line names, if it does."""
    first = example.parsed.partition("\n")[0]
    if first.startswith("# ") and first.endswith((".toml", ".yaml", ".yml")):
        Path(first.removeprefix("# ")).write_text(example.parsed, encoding="utf-8")


def converse(example: Example) -> str | None:
    """Run the lines behind ``$``, and complain unless the session looks like the block."""
    script = ""
    for line in example.parsed.splitlines():
        if line.startswith("$ "):
            script += f"echo {shlex.quote(line)}; (exit $status)\n{line[2:]}\nstatus=$?\n"
    session = subprocess.run(
        ["bash", "-c", f"status=0\n{script}"],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        encoding="utf-8",
        check=False,
    )
    # The empty lines of a diff begin with a blank, which no document keeps.
    printed, wanted = (
        [line.rstrip() for line in text.strip().splitlines()]
        for text in (session.stdout, example.parsed)
    )
    return None if printed == wanted else f"It printed:\n{session.stdout}"


examples = Sybil(
    path=str(ROOT),
    patterns=["README.md", "docs/*.md"],
    parsers=[
        PythonCodeBlockParser(),
        CodeBlockParser("console", converse),
        CodeBlockParser("toml", save),
        CodeBlockParser("yaml", save),
        SkipParser(),
    ],
    setup=enter,
    teardown=leave,
)


class Examples:
    """A plugin, because a conftest is asked about the files of its own directory only."""

    pytest_collect_file = staticmethod(examples.pytest())


def pytest_configure(config: pytest.Config) -> None:
    """Have the examples found wherever they are."""
    config.pluginmanager.register(Examples())
