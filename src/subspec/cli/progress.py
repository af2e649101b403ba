"""A counter of files, for what takes longer than people wait without one."""

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from subspec.problems import printable

PATIENCE = 1.0
"""How long nothing is shown, in seconds."""


@contextmanager
def watching() -> Generator["Counter", None, None]:
    """Count files, on a terminal for all to see once it takes longer than :data:`PATIENCE`."""
    counter = Counter(draws=sys.stderr.isatty())
    try:
        yield counter
    finally:
        counter.stop()


class Counter:
    """Counts files, and draws only when there is something to wait for."""

    def __init__(self, *, draws: bool) -> None:
        self.count = 0
        self.draws = draws
        self.started = time.monotonic()
        self.progress: Any = None

    def seen(self, path: Path) -> None:
        """Count a file that is about to be read."""
        self.count += 1
        if self.progress is None and self.draws and time.monotonic() - self.started > PATIENCE:
            self.start()
        if self.progress is not None:
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
