"""Sees to it that a test leaves nothing: no process, no temporary file, no task, no complaint."""

from __future__ import annotations

import asyncio
import gc
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import wraps

import psutil

from subspec.delegation.processes.tree import MARK


@contextmanager
def nothing_left(monkeypatch, folder) -> Iterator[None]:
    """Find every process that inherited the environment of this one, whoever its parent is.

    The folder is where temporary files go meanwhile, those of such processes too.
    """
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", None)
    yield
    files = [str(file) for file in folder.iterdir()]
    left = [process for process in psutil.process_iter() if mark in inherited(process)]
    said = [" ".join(process.cmdline()) for process in left]
    for process in left:
        process.kill()
    assert (said, files) == ([], [])


def inherited(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return process.environ().get(MARK, "")
    return ""


def ended(pid: int) -> bool:
    """Tell whether a process has ended, though nobody may have asked how."""
    with suppress(psutil.NoSuchProcess):
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    return True


def in_loop(test):
    """Run an asynchronous test; no task and no pipe that it opened may be left at its end."""

    @wraps(test)
    def run(*args, **kwargs):
        async def alone():
            complaints = []
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context))
            outcome = await asyncio.wait_for(test(*args, **kwargs), 60)
            for _ in range(10):
                await asyncio.sleep(0)
            gc.collect(1)  # what nobody closed, it complains of at its end
            assert complaints == []
            assert asyncio.all_tasks() == {asyncio.current_task()}
            return outcome

        return asyncio.run(alone())

    return run


async def until(condition) -> None:
    """Wait until something holds."""
    while not condition():  # noqa: ASYNC110 - of other processes no event tells
        await asyncio.sleep(0.01)
