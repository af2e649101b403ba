"""A counter of files, for what takes longer than people wait without one."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from subspec.problems import printable

PATIENCE = 1.0
"""How long nothing is shown, in seconds."""


@contextmanager
def watching() -> Iterator[Callable[[Path], None]]:
    """Count files on a terminal, once it takes longer than :data:`PATIENCE`.

    What is given is to be called with each file before it is read.
    """
    counter = _Counter()
    try:
        yield counter.seen if sys.stderr.isatty() else _unseen
    finally:
        counter.stop()


def _unseen(_path: Path) -> None:
    """Count for nobody."""


class _Counter:
    """Counts, and draws only when there is something to wait for."""

    def __init__(self) -> None:
        self.started = time.monotonic()
        self.count = 0
        self.progress: Any = None

    def seen(self, path: Path) -> None:
        """Count a file."""
        self.count += 1
        if self.progress is None:
            if time.monotonic() - self.started < PATIENCE:
                return
            self.start()
        self.progress.update(0, description=f"{self.count:,} files", name=printable(path.name))

    def start(self) -> None:
        """Begin to draw."""
        from rich.console import Console  # noqa: PLC0415 - slow to import, for long runs only
        from rich.progress import Progress, SpinnerColumn, TextColumn  # noqa: PLC0415

        name = TextColumn("{task.fields[name]}", markup=False)
        columns = (SpinnerColumn(), TextColumn("{task.description}"), name)
        self.progress = Progress(*columns, console=Console(stderr=True), transient=True)
        self.progress.add_task("", total=None, name="")
        self.progress.start()

    def stop(self) -> None:
        """Wipe away what was drawn."""
        if self.progress is not None:
            self.progress.stop()
