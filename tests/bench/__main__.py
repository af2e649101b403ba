"""The benchmark: ``python tests/bench``.

It says how long subspec takes beside what people would use instead, and how much memory. Times are
CPU times; what matters are the ratios, which were taken in one run and in turns.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import platform
import sys
import sysconfig
import tempfile
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any

import delegations
import edits
import measure
import rivals
from attrs import frozen
from generate import long_specs, specs, write_json, write_markdown, write_yaml

import subspec
from subspec.runtimes.claude_cli import bundled_cli

HERE = Path(__file__).parent
FILES = 10
"""How many specs there are for each Markdown file."""

FIXTURES = HERE.parent.parent / "fixtures"
FIXTURE = FIXTURES / "research-team" / "team.yaml"
BROKEN = FIXTURES / "broken-project"
MANY = 5
"""How many specs there are for each Markdown file that is checked."""

USED = ("attrs", "cattrs", "click", "pydantic", "pydantic_core", "python-frontmatter", "PyYAML")

TIMES = 20
"""How often a small file is changed in one turn."""

DELEGATIONS = 1000
"""How many children there are at once, and how often one that does nothing is started in a turn."""

AGENTS = 50
"""How often an agent is run in one turn."""

IMPORTS = {
    "bare": ["-c", "pass"],
    "subspec": ["-c", "import subspec"],
    "subspec.load": ["-c", "import subspec; subspec.load"],
    "the three": ["-c", "import attrs, cattrs, yaml"],
}
FROM_HERE = f"import sys; sys.path.insert(0, {str(HERE)!r})"
RIVALS = f"{FROM_HERE}; import rivals"


@frozen
class Result:
    """One line of the table."""

    what: str
    ours: float
    against: str
    theirs: float
    unit: str = "s"
    aim: float | None = None
    """The ratio that is aimed at, at most."""

    def __str__(self) -> str:
        """Write the line."""
        ratio = self.ours / self.theirs if self.theirs > 0 else float("nan")
        aim = verdict = ""
        if self.aim is not None:
            aim, verdict = f"{self.aim:.2f}", "met" if ratio <= self.aim else "missed"
        return (
            f"{self.what:<34} {_figure(self.ours, self.unit):>8}   "
            f"{self.against:<28} {_figure(self.theirs, self.unit):>8} "
            f"{ratio:>7.2f} {aim:>6} {verdict}"
        )


def main() -> None:
    """Measure, and print what came out."""
    parser = argparse.ArgumentParser(prog="python tests/bench", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="see that it works; say nothing true")
    parser.add_argument("--specs", type=int, default=10_000, help="how many specs [%(default)s]")
    parser.add_argument("--rounds", type=int, default=9, help="how many turns [%(default)s]")
    options = parser.parse_args()
    count, rounds = (100, 1) if options.quick else (options.specs, options.rounds)

    print(f"{platform.python_implementation()} {platform.python_version()}", end="")
    print("".join(f", {name} {version(name)}" for name in USED))
    files = count // FILES
    print(f"{count:,} specs, {files:,} Markdown files, medians of {rounds}", end="")
    print(f", load {os.getloadavg()[0]:.1f}\n")
    print(f"{'':<34} {'subspec':>8}   {'against':<37} {'ratio':>7} {'aim':>6}")
    with tempfile.TemporaryDirectory(prefix="subspec-bench-") as directory:
        yaml_file, json_file = Path(directory, "team.yaml"), Path(directory, "team.json")
        agents = specs(count)
        write_yaml(yaml_file, agents)
        write_json(json_file, agents)
        _see_that_all_read_the_same(yaml_file, json_file)
        markdown = Path(directory, "agents")
        write_markdown(markdown, long_specs(files))
        _see_that_all_read_the_same_markdown(markdown)
        del agents
        environment = measure.with_bytecode_in(Path(directory, "bytecode"))
        for result in chain(
            _memory(yaml_file, json_file, rounds, environment),
            _loading(yaml_file, json_file, rounds),
            _loading_markdown(markdown, rounds),
            _editing(yaml_file, markdown, rounds),
            _starting(2 * rounds - 1, environment),
            _checking(Path(directory), count // MANY, rounds, environment),
            _delegating(rounds, environment),
        ):
            print(result, flush=True)
    _print_tallies()


def _loading(yaml_file: Path, json_file: Path, rounds: int) -> Iterator[Result]:
    from_yaml = {
        "subspec": lambda: subspec.load(yaml_file),
        "CSafeLoader": lambda: rivals.read_yaml(yaml_file),
        "CSafeLoader + pydantic": lambda: rivals.read_yaml_into_models(yaml_file),
    }
    from_json = {
        "subspec": lambda: subspec.load(json_file),
        "json.loads + pydantic": lambda: rivals.read_json_into_models(json_file),
    }
    aims = {"CSafeLoader": 0.40, "CSafeLoader + pydantic": 0.35}
    for what, calls in (("YAML", from_yaml), ("JSON", from_json)):
        taken = measure.calls(calls, rounds)
        with measure.without_gc():
            taken_without = measure.calls(calls, rounds)
        for name in list(calls)[1:]:
            ours, theirs = taken["subspec"], taken[name]
            yield Result(f"load {what}", ours, name, theirs, aim=aims.get(name))
        for name in list(calls)[1:]:
            ours, theirs = taken_without["subspec"], taken_without[name]
            yield Result("  the same, gc disabled", ours, name, theirs)


def _loading_markdown(markdown: Path, rounds: int) -> Iterator[Result]:
    calls = {
        "subspec": lambda: subspec.load(markdown),
        "bytes, split, CSafeLoader": lambda: rivals.read_markdown(markdown),
        "python-frontmatter + pydantic": lambda: rivals.read_markdown_into_models(markdown),
    }
    aims = {"bytes, split, CSafeLoader": 1.4, "python-frontmatter + pydantic": 0.8}
    taken = measure.calls(calls, rounds)
    for name in list(calls)[1:]:
        yield Result("load Markdown", taken["subspec"], name, taken[name], aim=aims[name])


def _editing(yaml_file: Path, markdown: Path, rounds: int) -> Iterator[Result]:
    large = yaml_file.read_text(encoding="utf-8")
    small = min(markdown.glob("*.md")).read_text(encoding="utf-8")
    names = list(subspec.load(yaml_file).agents or ())
    path = ("agents", names[len(names) // 2], "model")
    calls = {"subspec": lambda: edits.by_subspec(large, path, "fable")}
    for name, editor in edits.RIVALS.items():
        calls[name] = partial(editor, large, path, "fable")
    # A round trip takes many seconds: three turns tell enough.
    taken = measure.calls(calls, min(rounds, 3))
    for name in edits.RIVALS:
        yield Result("one edit, YAML", taken["subspec"], name, taken[name])
    by_name = {"subspec": edits.of_markdown_by_subspec} | {
        name: edits.of_markdown(editor) for name, editor in edits.RIVALS.items()
    }
    repeated = {
        name: partial(_repeat, partial(edit, small, "fable")) for name, edit in by_name.items()
    }
    taken = measure.calls(repeated, rounds)
    for name in edits.RIVALS:
        ours, theirs = taken["subspec"] / TIMES, taken[name] / TIMES
        yield Result("one edit, Markdown", ours, name, theirs, "ms")


def _repeat(call: Callable[[], Any]) -> None:
    for _ in range(TIMES):
        call()


def _print_tallies() -> None:
    texts = edits.real_texts()
    if not texts:
        return
    print(f"\nThe model changed in each of {len(texts)} real Markdown files:")
    print(f"{'':<34} {'one line':>8} {'more':>8} {'failed':>8} {'lines':>8}")
    tallies = {"subspec": edits.tally(edits.of_markdown_by_subspec, texts)} | {
        name: edits.tally(edits.of_markdown(editor), texts) for name, editor in edits.RIVALS.items()
    }
    for name, each in tallies.items():
        print(f"{name:<34} {each.one_line:>8} {each.more:>8} {each.failed:>8} {each.lines:>8}")


def _memory(
    yaml_file: Path, json_file: Path, rounds: int, environment: dict[str, str]
) -> Iterator[Result]:
    load = "import subspec, pathlib; subspec.load"
    taken = measure.peaks(
        {
            "YAML": (load, f"kept = subspec.load({str(yaml_file)!r})"),
            "CSafeLoader": (
                "import yaml",
                f"kept = yaml.load(open({str(yaml_file)!r}).read(), Loader=yaml.CSafeLoader)",
            ),
            "CSafeLoader + pydantic": (
                f"{RIVALS}, pathlib",
                f"kept = rivals.read_yaml_into_models(pathlib.Path({str(yaml_file)!r}))",
            ),
            "JSON": (load, f"kept = subspec.load({str(json_file)!r})"),
            "json.loads + pydantic": (
                f"{RIVALS}, pathlib",
                f"kept = rivals.read_json_into_models(pathlib.Path({str(json_file)!r}))",
            ),
        },
        max(1, rounds // 3),
        environment,
    )
    for what, name, aim in (
        ("YAML", "CSafeLoader", 1.3),
        ("YAML", "CSafeLoader + pydantic", None),
        ("JSON", "json.loads + pydantic", None),
    ):
        yield Result(f"peak memory, {what}", taken[what], name, taken[name], "MB", aim)


def _starting(rounds: int, environment: dict[str, str]) -> Iterator[Result]:
    taken = measure.processes(IMPORTS, rounds, environment)
    theirs = taken["the three"] - taken["bare"]
    for what in ("subspec", "subspec.load"):
        ours = taken[what] - taken["bare"]
        yield Result(f"import {what}", ours, "attrs, cattrs, yaml", theirs, "ms", 1.3)
    check = ["-m", "subspec", "check", str(FIXTURE)]
    taken = measure.processes({"bare": IMPORTS["bare"], "check": check}, rounds, environment)
    yield Result(
        "subspec check, the whole process", taken["check"], "python -c pass", taken["bare"], "ms"
    )


def _checking(
    directory: Path, count: int, rounds: int, environment: Mapping[str, str]
) -> Iterator[Result]:
    many = directory / "many" / ".claude" / "agents"
    many.parent.mkdir(parents=True)
    write_markdown(many, long_specs(count))
    ours = [sys.executable, "-m", "subspec", "check"]
    agnix = [str(Path(sysconfig.get_path("scripts"), "agnix"))]
    claude = bundled_cli()
    home = {"HOME": str(directory), "CLAUDE_CONFIG_DIR": str(directory / ".claude")}
    few = {"subspec": [*ours, str(BROKEN)], "agnix": [*agnix, str(BROKEN)]}
    if claude is not None:
        few["claude plugin validate"] = [str(claude), "plugin", "validate", str(BROKEN)]
    taken = measure.walls(few, rounds, {**environment, **home})
    aims = {"agnix": 3.0, "claude plugin validate": 1.0}
    for name in list(few)[1:]:
        yield Result("check 7 files", taken["subspec"], name, taken[name], "ms", aims[name])
    project = str(many.parent.parent)
    lots = {"subspec": [*ours, project], "agnix": [*agnix, project]}
    taken = measure.walls(lots, min(rounds, 3), {**environment, **home})
    what = f"check {count:,} Markdown files"
    yield Result(what, taken["subspec"], "agnix", taken["agnix"])


def _delegating(rounds: int, environment: Mapping[str, str]) -> Iterator[Result]:
    loop = asyncio.new_event_loop()
    try:
        for what, make, times, aim, unit in (
            ("a delegation", delegations.of_scripted_children, DELEGATIONS, None, "us"),
            ("a delegation to spawn", delegations.of_agents, AGENTS, 1.2, "ms"),
        ):
            taken = measure.calls(make(loop, times), rounds)
            ours, (name, theirs) = taken.pop("subspec"), *taken.items()
            yield Result(what, ours / times, name, theirs / times, unit, aim)
    finally:
        loop.close()
    load = f"{FROM_HERE}; import delegations"
    taken = measure.peaks(
        {name: (load, f"delegations.hold_{name}({DELEGATIONS})") for name in ("runs", "tasks")},
        max(1, rounds // 3),
        environment,
    )
    what = f"peak memory, {DELEGATIONS:,} live runs"
    yield Result(what, taken["runs"], "as many tasks", taken["tasks"], "MB")


def _see_that_all_read_the_same(yaml_file: Path, json_file: Path) -> None:
    wanted = rivals.read_yaml(yaml_file)["agents"]
    ours = [subspec.load(file).agents for file in (yaml_file, json_file)]
    theirs = [rivals.read_yaml_into_models(yaml_file), rivals.read_json_into_models(json_file)]
    for agents in (*ours, *(config.agents for config in theirs)):
        _see_that_it_is(agents, wanted)


def _see_that_all_read_the_same_markdown(markdown: Path) -> None:
    wanted = {}
    for name, (data, body) in rivals.read_markdown(markdown).items():
        tools = data["tools"] if isinstance(data["tools"], list) else data["tools"].split(", ")
        wanted[name] = {**data, "tools": tools, "max_turns": data["maxTurns"], "prompt": body}
        del wanted[name]["maxTurns"]
    _see_that_it_is(subspec.load(markdown).agents, wanted)
    _see_that_it_is(rivals.read_markdown_into_models(markdown).agents, wanted)


def _see_that_it_is(agents: Mapping[str, Any], wanted: Mapping[str, dict[str, Any]]) -> None:
    read = {
        name: {key: getattr(agent, key) for key in wanted[name]} for name, agent in agents.items()
    }
    for agent in read.values():
        agent["tools"] = list(agent["tools"])
    if read != wanted:
        msg = "not all have read the same"
        raise AssertionError(msg)


def _figure(value: float, unit: str) -> str:
    scale, digits = {"s": (1, 3), "ms": (1e3, 1), "us": (1e6, 1), "MB": (1, 1)}[unit]
    return f"{value * scale:.{digits}f} {unit}"


if __name__ == "__main__":
    main()
