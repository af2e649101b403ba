"""The benchmark works; what it measures is for people to judge."""

from __future__ import annotations

import re
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest


@pytest.mark.bench
def test_the_benchmark_runs():
    pytest.importorskip("pydantic", reason="needs the dependency group bench")
    pytest.importorskip("frontmatter", reason="needs the dependency group bench")
    pytest.importorskip("ruamel.yaml", reason="needs the dependency group bench")
    pytest.importorskip("yaml_edit", reason="needs the dependency group bench")
    if not Path(sysconfig.get_path("scripts"), "agnix").exists():
        pytest.skip("needs the dependency group bench")
    pytest.importorskip("pydantic_ai", reason="needs the extra subspec[pydantic-ai]")
    pytest.importorskip("resource", reason="needs Unix")

    process = subprocess.run(
        [sys.executable, Path(__file__).parent, "--quick"],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert (process.returncode, process.stderr) == (0, "")
    figures = re.findall(r"^.+ -?\d+\.\d+ (?:s|ms|us|MB) .+$", process.stdout, re.MULTILINE)
    assert len(figures) in (23, 24)
