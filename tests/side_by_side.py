"""Converts the same three agents with rulesync and with subspec, and says what arrives.

.. code-block:: console

    $ npm install rulesync
    $ python tests/side_by_side.py node_modules/.bin/rulesync

It prints the table that stands in ``docs/converting.md``. No test runs it: it needs what npm
installs. Both results are read by subspec, and a value counts as arrived if it means the same.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

from subspec import SubagentSpec, convert, load
from subspec.formats import SPELLINGS
from subspec.formats.agent_files import read_spelled_text
from subspec.formats.agent_text import says_the_same
from subspec.source.replace import replace_files
from subspec.structure import plain

AGENTS = Path(__file__).parents[1] / "fixtures" / "three-agents"
PROGRAMS = {
    "codex": "codexcli",
    "copilot": "copilot",
    "cursor": "cursor",
    "factory": "factorydroid",
    "gemini": "geminicli",
    "kiro": "kiro",
    "opencode": "opencode",
    "qwen": "qwencode",
}
"""Our formats, and what rulesync calls the programs."""

ALWAYS = {"description", "prompt"}


def arrived(root: Path, name: str, source: dict[str, SubagentSpec]) -> Counter[str]:
    """Count the values that came through, by field."""
    table = SPELLINGS[name]
    found: Counter[str] = Counter()
    for path in root.joinpath(*table.directories[0]).glob(f"*{table.suffix}"):
        stem = path.name.removesuffix(table.suffix)
        made = read_spelled_text(table, path.read_text(encoding="utf-8"), stem)
        for field in plain(source[stem]):
            values = getattr(source[stem], field), getattr(made.spec, field, None)
            found[field] += values[1] is not None and says_the_same(field, *values)
    return found


def by_rulesync(command: list[str], root: Path) -> None:
    """Convert by rulesync: what is there is imported, and then generated for each program."""
    shutil.copytree(AGENTS, root / ".claude" / "agents")
    for arguments in (
        ["import", "--targets", "claudecode"],
        ["generate", "--targets", ",".join(PROGRAMS.values())],
    ):
        subprocess.run(
            [*command, *arguments, "--features", "subagents"],
            cwd=root,
            check=True,
            stdout=sys.stderr,
        )


def in_words(found: Counter[str], wanted: Counter[str]) -> str:
    """Say how many values of each field came through."""
    kept = [name for name in wanted if name not in ALWAYS and found[name]]
    if not found["prompt"]:
        return "no subagents"
    words = [f"`{name}` {found[name]}/{wanted[name]}" for name in kept]
    return ", ".join(words) or "none"


def agents() -> tuple[dict[str, SubagentSpec], Counter[str]]:
    """Give the agents, and how often each field is set."""
    source = dict(load(AGENTS, format="claude_code").agents or {})
    return source, Counter(name for spec in source.values() for name in plain(spec))


def by_subspec(name: str, root: Path) -> str:
    """Convert by subspec; give what arrives, and what is said to be lost."""
    source, wanted = agents()
    conversion = convert(load(AGENTS, format="claude_code"), to=name, into=root)
    replace_files(conversion.changes)
    losses = f"{len(conversion.losses)}, of which {len(conversion.widens)} widen"
    return f"{in_words(arrived(root, name, source), wanted)} | {losses}"


def main() -> None:
    """Print the table."""
    command = sys.argv[1:] or ["rulesync"]
    source, wanted = agents()
    with tempfile.TemporaryDirectory() as place, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        theirs, ours = Path(place, "theirs"), Path(place, "ours")
        theirs.mkdir()
        by_rulesync(command, theirs)
        print("| program | rulesync | subspec | losses that subspec lists |")
        print("| --- | --- | --- | --- |")
        for name in PROGRAMS:
            words = in_words(arrived(theirs, name, source), wanted)
            print(f"| {SPELLINGS[name].title} | {words} | {by_subspec(name, ours)} |")


if __name__ == "__main__":
    main()
