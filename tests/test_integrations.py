"""What other tools read of this repository: hooks for pre-commit, an action for GitHub."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from command import run

ROOT = Path(__file__).parent.parent


def read(name: str) -> object:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


@pytest.mark.parametrize("hook", read(".pre-commit-hooks.yaml"), ids=lambda hook: hook["id"])
def test_a_hook_runs_a_command_on_the_files_of_agents(hook, tmp_path):
    program, command = hook["entry"].split()
    path = tmp_path / ".claude" / "agents" / "deep" / "a.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: a\ndescription: d\n---\n\nBody\n")

    assert program == "subspec"
    assert hook["language"] == "python"
    assert re.search(hook["files"], ".claude/agents/deep/a.md")
    assert re.search(hook["files"], "packages/x/.claude/agents/a.md")
    assert not re.search(hook["files"], ".claude/commands/a.md")
    # As it is called: with the names of the files that are about to be committed.
    assert run(command, str(path)).exit_code == 0


def script() -> str:
    (step,) = read("action.yml")["runs"]["steps"]
    return step["run"]


def test_the_action_keeps_what_it_is_given_out_of_its_script():
    (step,) = read("action.yml")["runs"]["steps"]
    assert "${{" not in step["run"]
    given = set(re.findall(r"inputs\.(\w+)", str(step["env"])))
    assert given == set(read("action.yml")["inputs"])


@pytest.mark.skipif(sys.platform == "win32", reason="needs a shell")
@pytest.mark.parametrize(
    ("paths", "options", "status", "said"),
    [
        ("good.md", "", 0, "No problems in 1 file."),
        ("good.md bad.md", "--ignore unlike-file", 1, "title=unknown-model::"),
        ("$(touch hacked) *.md", "", 2, "cannot read it"),
    ],
)
def test_the_action_checks_and_annotates(tmp_path, paths, options, status, said):
    for name, model in (("good", "opus"), ("bad", "opsu")):
        text = f"---\nname: {name}\ndescription: d\nmodel: {model}\n---\n\nBody\n"
        (tmp_path / f"{name}.md").write_text(text)
    place = tmp_path / "place" / "bin"
    place.mkdir(parents=True)
    # The environment that it would make is the one in which the tests run.
    (place / "python").symlink_to("/bin/true")
    (place / "subspec").write_text(f'#!/bin/sh\nexec {sys.executable} -m subspec "$@"\n')
    (place / "subspec").chmod(0o755)

    done = subprocess.run(
        ["/bin/bash", "-e", "-c", script()],
        cwd=tmp_path,
        env={
            **os.environ,
            "ACTION": str(ROOT),
            "PYTHON": "true",
            "PATHS": paths,
            "OPTIONS": options,
            "PLACE": str(place.parent),
        },
        capture_output=True,
        text=True,
        check=False,
    )

    assert said in done.stdout
    assert done.returncode == status
    assert not (tmp_path / "hacked").exists()
