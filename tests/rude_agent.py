"""An agent that knows ACP only as far as it breaks it: ``python rude_agent.py BEHAVIOUR ...``."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

SLEEP = "import time; time.sleep(600)"


def detached(*, in_group: bool) -> int:
    """Start a daemon that nobody is the parent of, and that ignores SIGTERM; give its id.

    In the group of its ancestor it has an empty environment; outside it has kept that.
    """
    code = (
        "import os, signal, sys, time\n"
        "signal.signal(signal.SIGTERM, signal.SIG_IGN)\n"
        "if os.fork(): os._exit(0)\n"
        "print(os.getpid(), flush=True)\n"
        "os.dup2(2, 1)\n"
        "time.sleep(600)\n"
    )
    started = subprocess.run(
        [sys.executable, "-c", code],
        env={} if in_group else None,
        start_new_session=not in_group,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
        text=True,
    )
    return int(started.stdout)


def descendants() -> list[int]:
    """Start a child and the two kinds of daemon; give their ids."""
    child = subprocess.Popen([sys.executable, "-c", SLEEP], stdout=subprocess.DEVNULL)
    return [child.pid, detached(in_group=True), detached(in_group=False)]


def ignore_everything() -> None:
    """Wait, whatever happens to stdin and whoever says please."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        time.sleep(600)


def scripted() -> None:
    """Answer each method with the lines that a file has for it, and note what was asked in another.

    Answers to what it asked itself are of the method ``reply``.

    ``$id`` in a line becomes the id that was asked with. The line ``$exit`` ends the agent, and
    ``$close`` its stdout.
    """
    lines, log = json.loads(Path(sys.argv[2]).read_text()), Path(sys.argv[3])
    for line in sys.stdin:
        message = json.loads(line)
        with log.open("a") as notes:
            notes.write(line)
        for reply in lines.get(message.get("method", "reply"), ()):
            if reply == "$exit":
                sys.exit(0)
            if reply == "$close":
                close_stdout()
            sys.stdout.write(reply.replace("$id", json.dumps(message.get("id"))) + "\n")
            sys.stdout.flush()


def exit_early() -> None:
    """End at once, with a word about it."""
    sys.stderr.write("first line\nno key: \x1b[31mset ONE\n")
    sys.exit(3)


def kill_itself() -> None:
    """End by a signal."""
    os.kill(os.getpid(), signal.SIGKILL)


def close_stdout() -> None:
    """Say nothing any more, and live on."""
    os.close(1)
    ignore_everything()


def leave_stdout_open() -> None:
    """End, and leave a child behind that keeps the pipes."""
    subprocess.Popen([sys.executable, "-c", SLEEP])
    sys.exit(4)


def flood() -> None:
    """Write a line that never ends."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    while True:
        with contextlib.suppress(OSError):
            os.write(1, b"x" * 65536)


def flood_stderr() -> None:
    """Write so much to stderr that it would block if nobody read it; then go on as scripted."""
    for number in range(20000):
        sys.stderr.write(f"noise {number}\n")
    scripted()


def ask_for_ever() -> None:
    """Ask for permission again and again, and read no answer."""
    ask = {"jsonrpc": "2.0", "id": 1, "method": "session/request_permission", "params": {}}
    while True:
        os.write(1, (json.dumps(ask) + "\n").encode())


def note_pid() -> None:
    """Say in a file who it is, and answer nothing until its stdin is closed."""
    Path(sys.argv[2]).write_text(str(os.getpid()))
    sys.stdin.read()


def note_descendants() -> None:
    """Say in a file who it is and whom it has started, and end when its stdin is closed."""
    child = subprocess.Popen([sys.executable, "-c", SLEEP])
    apart = subprocess.Popen([sys.executable, "-c", SLEEP], start_new_session=True)
    notes = Path(sys.argv[2])
    notes.with_suffix(".new").write_text(f"{os.getpid()} {child.pid} {apart.pid}")
    notes.with_suffix(".new").rename(notes)
    sys.stdin.read()


BEHAVIOURS = {
    "note-descendants": note_descendants,
    "note-pid": note_pid,
    "scripted": scripted,
    "exit": exit_early,
    "kill": kill_itself,
    "close": close_stdout,
    "leave": leave_stdout_open,
    "hang": ignore_everything,
    "flood": flood,
    "flood-stderr": flood_stderr,
    "ask": ask_for_ever,
}


if __name__ == "__main__":
    BEHAVIOURS[sys.argv[1]]()
