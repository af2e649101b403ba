"""The command ``subspec`` as tests run it: in this process, in one of its own, on a terminal."""

from __future__ import annotations

import inspect
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
from click.testing import CliRunner

from subspec.cli import main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from click.testing import Result

# Whoever runs the tests may have set what would change the output.
ENVIRONMENT: dict[str, str | None] = {
    "COLUMNS": "80",
    "FORCE_COLOR": None,
    "NO_COLOR": None,
    "TTY_COMPATIBLE": None,
}

# Before 8.2, click mixed what was printed to stderr into stdout unless it was told not to.
_RUNNER_OPTIONS: dict[str, Any] = (
    {"mix_stderr": False} if "mix_stderr" in inspect.signature(CliRunner).parameters else {}
)


def run(*args: str, stdin: str | bytes | None = None, **environment: str) -> Result:
    """Run a command in this process."""
    runner = CliRunner(env={**ENVIRONMENT, **environment}, **_RUNNER_OPTIONS)
    return runner.invoke(main, args, stdin, prog_name="subspec", catch_exceptions=False)


def environ(**changes: str) -> dict[str, str]:
    """Give the environment of a command of its own."""
    kept = {name: value for name, value in os.environ.items() if name not in ENVIRONMENT}
    return {**kept, **changes}


def pipe(*args: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    """Run a command in a process of its own, its output in pipes."""
    return subprocess.run(
        [sys.executable, "-m", "subspec", *args],
        env=environ(**environment),
        capture_output=True,
        timeout=60,
        check=False,
    )


def terminal(*args: str, columns: int = 80, **environment: str) -> str:
    """Run a command on a terminal; give all that it wrote there."""
    fcntl = pytest.importorskip("fcntl", reason="pseudo-terminals are a thing of Unix")
    pty = pytest.importorskip("pty")
    termios = pytest.importorskip("termios")
    ours, theirs = pty.openpty()
    fcntl.ioctl(
        theirs,
        termios.TIOCSWINSZ,
        b"".join(n.to_bytes(2, sys.byteorder) for n in (24, columns, 0, 0)),
    )
    process = subprocess.Popen(
        [sys.executable, "-m", "subspec", *args],
        env=environ(TERM="xterm-256color", **environment),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    written = b"".join(_chunks(ours))
    os.close(ours)
    process.wait(timeout=60)
    return written.decode().replace("\r\n", "\n")


def _chunks(descriptor: int) -> Iterator[bytes]:
    while True:
        try:
            chunk = os.read(descriptor, 65536)
        except OSError:  # how Linux says that the other side is closed
            return
        if not chunk:
            return
        yield chunk
