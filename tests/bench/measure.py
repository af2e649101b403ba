"""How long things take, and how much memory: one against the other, in turns."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

PEAK = "import resource; print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)"

# Linux counts what the parent has into the peak of a process it starts, up to the moment that the
# new program takes over. A shell in between has next to nothing.
AFTER_A_SHELL = ("/bin/sh", "-c", '"$@"; exit', "sh")


def calls(rivals: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Give the CPU time of a call of each, in seconds: the median of what was taken in turns."""
    for call in rivals.values():
        call()
    return _medians(rivals, rounds, _time_of)


def processes(
    rivals: Mapping[str, list[str]], rounds: int, environment: Mapping[str, str]
) -> dict[str, float]:
    """Give the CPU time of a process for each command line of Python, start and end included."""
    for arguments in rivals.values():
        _cpu_time_of(arguments, environment)
    return _medians(rivals, rounds, lambda arguments: _cpu_time_of(arguments, environment))


def walls(
    rivals: Mapping[str, list[str]], rounds: int, environment: Mapping[str, str]
) -> dict[str, float]:
    """Give the wall time of a process for each command line, start and end included."""
    for command in rivals.values():
        _wall_time_of(command, environment)
    return _medians(rivals, rounds, lambda command: _wall_time_of(command, environment))


def peaks(
    rivals: Mapping[str, tuple[str, str]], rounds: int, environment: Mapping[str, str]
) -> dict[str, float]:
    """Give the memory that the second of two pieces of code takes on top of the first, in MB."""

    def taken(code: tuple[str, str]) -> float:
        return _peak("\n".join(code), environment) - _peak(code[0], environment)

    for code in rivals.values():
        taken(code)
    return _medians(rivals, rounds, taken)


def with_bytecode_in(directory: Path) -> dict[str, str]:
    """Make the environment of processes that find compiled what they import, as users' do."""
    inherited = {key: os.environ[key] for key in os.environ if key != "PYTHONDONTWRITEBYTECODE"}
    return {**inherited, "PYTHONPYCACHEPREFIX": str(directory)}


@contextmanager
def without_gc() -> Iterator[None]:
    """Switch the garbage collector off for a while."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


def _medians(
    rivals: Mapping[str, Any], rounds: int, measure: Callable[[Any], float]
) -> dict[str, float]:
    taken: dict[str, list[float]] = {name: [] for name in rivals}
    for _ in range(rounds):
        for name, rival in rivals.items():
            taken[name].append(measure(rival))
    return {name: median(values) for name, values in taken.items()}


def _time_of(call: Callable[[], Any]) -> float:
    gc.collect()
    start = time.process_time()
    result = call()
    taken = time.process_time() - start
    del result
    return taken


def _wall_time_of(command: list[str], environment: Mapping[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run(
        command,
        env=environment,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return time.perf_counter() - start


def _cpu_time_of(arguments: Iterable[str], environment: Mapping[str, str]) -> float:
    command = [sys.executable, *arguments]
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, process.args)
    return usage.ru_utime + usage.ru_stime


def _peak(code: str, environment: Mapping[str, str]) -> float:
    command = [*AFTER_A_SHELL, sys.executable, "-c", f"{code}\n{PEAK}"]
    process = subprocess.run(
        command, env=environment, check=True, stdout=subprocess.PIPE, text=True
    )
    # In KiB, but on macOS in bytes.
    return int(process.stdout) * (1 if sys.platform == "darwin" else 1024) / 1e6
