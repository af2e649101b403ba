"""What is run to be sure of a change.

``nox --list`` names it all, ``nox`` runs what a change has to pass.
"""

from __future__ import annotations

import os
import sys
import zipfile
from pathlib import Path

import nox
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

nox.needs_version = ">=2025.2.9"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.download_python = "never"
nox.options.error_on_external_run = True
nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True

PYPROJECT = nox.project.load_toml("pyproject.toml")
PROJECT = PYPROJECT["project"]
PYTHONS = nox.project.python_versions(PYPROJECT)

RUNNING = "{}.{}".format(*sys.version_info)
# The Python that is there for sure. What needs to run only once runs on it. The oldest is for the
# oldest dependencies.
PRIMARY = RUNNING if RUNNING in PYTHONS[1:] else PYTHONS[-1]


# What is tried once, since no Python and no dependency makes a difference to it.
ONCE = "bench or corpus or exhaustive"

# Properties are tried with few examples, but once with many.
QUICK = ["--hypothesis-profile", "quick"]

# How the tests run wherever they do not run in full.
BRIEFLY = ["-m", f"not ({ONCE} or hypothesis or real_cli)"]


def group(name: str) -> list[str]:
    """List the requirements of a dependency group."""
    return list(nox.project.dependency_groups(PYPROJECT, name))


def lower_bounds(requirements: list[str]) -> list[str]:
    """Pin each requirement to the oldest version that it admits."""
    oldest = [Requirement(requirement) for requirement in requirements]
    for requirement in oldest:
        requirement.specifier = SpecifierSet(str(requirement.specifier).replace(">=", "=="))
    return [str(requirement) for requirement in oldest]


def run_tests(session: nox.Session, *options: str) -> None:
    """Run tests in as many processes as there are cores."""
    session.run("pytest", "-n", "auto", *options, *session.posargs)


@nox.session(python=PYTHONS[1:])
def tests(session: nox.Session) -> None:
    """Run the tests with the newest dependencies; once with Claude Code, and noting coverage."""
    session.install("-e", ".[acp,claude,pydantic-ai,toml]", *group("tests"))

    if session.python != PRIMARY:
        run_tests(session, *BRIEFLY)
        return
    # It takes twice as long to note what is covered, so that is done here only.
    covered = ["coverage", "run", "-m", "pytest", "-n", "auto", "-m", f"not ({ONCE})", *QUICK]
    session.run(*covered, *session.posargs)


@nox.session
def tests_exhaustive(session: nox.Session) -> None:
    """Run the tests that try many: real files, examples of a property, all there is of a kind."""
    session.install("-e", ".[acp,claude,pydantic-ai,toml]", *group("tests"))

    run_tests(session, "-m", f"{ONCE} or hypothesis")


@nox.session(python=PYTHONS[0])
def tests_oldest(session: nox.Session) -> None:
    """Run the tests on the oldest Python, with the oldest dependencies that are admitted."""
    extras = PROJECT["optional-dependencies"]
    admitted = [*PROJECT["dependencies"], *extras["acp"], *extras["claude"]]
    admitted += [*extras["pydantic-ai"], *extras["toml"]]
    session.install(
        "-e", ".[acp,claude,pydantic-ai,toml]", *lower_bounds(admitted), *group("tests")
    )

    run_tests(session, *BRIEFLY)


@nox.session
def tests_no_extras(session: nox.Session) -> None:
    """Run the tests without any extra: what needs one has to skip, the rest to pass."""
    session.install("-e", ".", *group("tests"))

    run_tests(session, *BRIEFLY)


@nox.session
def adapters(session: nox.Session) -> None:
    """Have a published ACP adapter of Claude Code do some work, out of a place of its own."""
    session.install("-e", ".[acp,claude]", *group("tests"))

    place = Path(session.create_tmp(), "adapters").resolve()
    session.run("python", "-m", "venv", "--clear", str(place))
    programs = place / ("Scripts" if sys.platform == "win32" else "bin")
    quietly = ["--quiet", "--disable-pip-version-check"]
    session.run(str(programs / "pip"), "install", *quietly, *group("adapters"), external=True)
    path = os.pathsep.join([str(programs), os.environ["PATH"]])
    session.run("pytest", "tests/test_delegation_adapters.py", env={"PATH": path})


@nox.session
def coverage(session: nox.Session) -> None:
    """Add up what the tests have covered, and fail if it is not everything."""
    session.install("coverage[toml]")

    session.run("coverage", "combine")
    session.run("coverage", "report", "--fail-under=100")


@nox.session
def lint(session: nox.Session) -> None:
    """Look for bad habits and uneven spacing."""
    session.install(*group("lint"))

    session.run("ruff", "check")
    session.run("ruff", "format", "--check")


@nox.session
def typing(session: nox.Session) -> None:
    """Check the types with two checkers, which disagree often enough to be worth it."""
    session.install("-e", ".[acp,claude,pydantic-ai]", *group("typing"))

    session.run("mypy")
    session.run("basedpyright", "--pythonpath", str(Path(session.bin, "python")))


@nox.session
def docs(session: nox.Session) -> None:
    """Build the documentation, then run the examples in it, in the README and in docstrings."""
    session.install("-e", ".[acp,claude,pydantic-ai,toml]", *group("docs"))

    html = ["-b", "html", "-d", "docs/_build/doctrees", "docs", "docs/_build/html"]
    session.run("sphinx-build", "-E", "-n", "-q", "-T", "-W", "--keep-going", *html)
    session.run("pytest", "--doctest-modules", "README.md", "docs", "src")


@nox.session
def build_check(session: nox.Session) -> None:
    """Build the wheel by way of the sdist, and use it where nothing else is installed."""
    session.install("build")

    dist = Path(session.create_tmp(), "dist")
    session.run("python", "-m", "build", "--outdir", str(dist))
    (wheel,) = dist.glob(f"subspec-{PROJECT['version']}-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        shipped = {"py.typed", "pages/unknown-key.md", "schemas/agents.schema.json"}
        assert {f"subspec/{name}" for name in shipped} <= {*archive.namelist()}

    clean = Path(session.create_tmp(), "clean")
    session.run("python", "-m", "venv", "--clear", str(clean))
    bin_dir = clean / ("Scripts" if sys.platform == "win32" else "bin")
    quietly = ["--quiet", "--disable-pip-version-check"]
    session.run(str(bin_dir / "pip"), "install", *quietly, str(wheel), external=True)
    session.run(str(bin_dir / "subspec"), "--version", external=True)
    session.run(str(bin_dir / "subspec"), "explain", "unknown-key", external=True)
    session.run(str(bin_dir / "subspec"), "schema", external=True, silent=True)


@nox.session
def oracle(session: nox.Session) -> None:
    """Compare what preview says of directories with what the bundled Claude Code loads there."""
    session.install("-e", ".[claude]", *group("tests"))

    directories = session.posargs or ["fixtures/claude-code", "fixtures/broken-project"]
    session.run("python", "tests/oracle.py", *directories)


@nox.session(default=False)
def bench(session: nox.Session) -> None:
    """Measure how long things take, beside the libraries that people would use instead."""
    session.install("-e", ".[claude,pydantic-ai]", *group("bench"))

    session.run("python", "tests/bench", *session.posargs)


@nox.session(default=False)
def side_by_side(session: nox.Session) -> None:
    """Convert three agents with rulesync, which npm brings, and with subspec."""
    session.install("-e", ".[toml]")

    place = Path(session.create_tmp(), "rulesync")
    session.run("npm", "install", "--prefix", str(place), "rulesync@17.0.0", external=True)
    session.run("python", "tests/side_by_side.py", str(place / "node_modules/.bin/rulesync"))
