"""Speaks as much of Claude Code's protocol as it takes to misbehave, in the way its name says."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

MANNER = os.environ["RUDE"]


def write(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def stay() -> None:
    """Let nothing but SIGKILL end it, nor the children it has."""
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    sleep = [sys.executable, "-c", "import time; time.sleep(600)"]
    subprocess.Popen(sleep, start_new_session=True, stdout=subprocess.DEVNULL)
    Path("stays").touch()
    while True:
        time.sleep(60)


def answer() -> None:
    """Do what it should."""
    said = {"role": "assistant", "model": "m", "content": [{"type": "text", "text": "Done."}]}
    write(json.dumps({"type": "assistant", "message": said, "session_id": "s", "uuid": "u"}))
    numbers = {"duration_ms": 1, "duration_api_ms": 1, "num_turns": 1}
    ending = {"subtype": "success", "is_error": False, "result": "Done.", "session_id": "s"}
    write(json.dumps({"type": "result", **ending, **numbers, "stop_reason": "end_turn"}))


def behave(manner: str) -> None:
    if manner == "stays":
        stay()
    elif manner == "dies":
        sys.stderr.write("out of luck\n")
        sys.exit(3)
    elif manner == "garbles":
        write('{"type": "assis')
    elif manner == "floods":
        write('{"type": "' + "x" * 2_000_000)
    elif manner == "answers":
        answer()
    elif manner == "leaves":
        sys.exit(0)


if MANNER == "stays at once":
    stay()
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "user":
        behave(MANNER)
    else:
        response = {"subtype": "success", "request_id": request["request_id"], "response": {}}
        write(json.dumps({"type": "control_response", "response": response}))
if MANNER == "stays at the end":
    stay()
