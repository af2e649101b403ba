"""All processes that came of one, found by descent, by process group, and by a mark."""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from uuid import uuid4

import psutil

MARK = "SUBSPEC_PROCESS_TREE"
"""The variable by which a process shows whose it is, though its parents have gone."""


def marked(environment: Mapping[str, str]) -> dict[str, str]:
    """Add a mark of its own to the environment that a program is to be started with.

    Marks add up: what a marked program starts in the same way belongs to both.
    """
    outer = environment.get(MARK)
    mark = uuid4().hex
    return {**environment, MARK: f"{outer}:{mark}" if outer else mark}


class ProcessTree:
    """The processes that came of one that was started as the leader of a group, and marked.

    To it belongs what descends from a member, what is in the process group of the first, and what
    inherited the mark. So who leaves the group, and whose parents have ended, is found all the
    same, unless it has emptied its environment too, and did all that before anybody looked.
    """

    def __init__(self, pid: int | None, mark: str) -> None:
        """Begin with the first process.

        Args:
            pid: Its id, which is that of its process group too. None: only the mark is known.
            mark: What its environment has under :data:`MARK`.
        """
        self._group = pid
        self._mark = mark
        self._known = set() if pid is None else set(_processes([pid]))

    def look(self) -> set[psutil.Process]:
        """Look at all processes there are, and give the members that have not ended."""
        processes = [process for process in _processes(psutil.pids()) if _lives(process)]
        found = {process for process in processes if process in self._known or self._owns(process)}
        parents = {process: _parent(process) for process in processes}
        while born := _children(found, parents):
            found |= born
        self._known = found
        return found

    def living(self) -> set[psutil.Process]:
        """Give the members that have not ended. It looks for others when no known one is left."""
        return {process for process in self._known if _lives(process)} or self.look()

    def terminate(self) -> None:
        """Ask all members to end."""
        for process in self.look():
            with suppress(psutil.Error):
                process.terminate()

    def kill(self) -> None:
        """Kill all members."""
        for process in self.look():
            with suppress(psutil.Error):
                process.kill()

    def _owns(self, process: psutil.Process) -> bool:
        with suppress(psutil.Error, OSError):
            leads = self._group is not None and _group(process) == self._group
            return leads or self._mark in process.environ().get(MARK, "")
        return False  # it has ended meanwhile, or is somebody else's


def _processes(pids: Iterable[int]) -> Iterator[psutil.Process]:
    for pid in pids:
        with suppress(psutil.Error):
            yield psutil.Process(pid)


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.Error):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def _parent(process: psutil.Process) -> int | None:
    with suppress(psutil.Error):
        return process.ppid()
    return None


def _group(process: psutil.Process) -> int | None:
    # Windows has no groups.
    return os.getpgid(process.pid) if hasattr(os, "getpgid") else None


def _children(
    found: set[psutil.Process], parents: Mapping[psutil.Process, int | None]
) -> set[psutil.Process]:
    pids = {process.pid for process in found}
    return {process for process, parent in parents.items() if parent in pids} - found
