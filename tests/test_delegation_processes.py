"""Programs and all that they start, without any protocol."""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path

import pytest

pytest.importorskip("psutil", reason="needs the extra subspec[acp]")

import psutil
from leftovers import ended, in_loop, nothing_left, until

from subspec.delegation.processes import program as processes
from subspec.delegation.processes import tree as process_tree
from subspec.delegation.processes.program import Program
from subspec.delegation.processes.tree import MARK, ProcessTree, marked

FOLDER = str(Path(__file__).parent)
SLEEP = "import time; time.sleep(600)"


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch, tmp_path_factory):
    with nothing_left(monkeypatch, tmp_path_factory.mktemp("tmp")):
        yield


async def running(code):
    return await Program.start(
        [sys.executable, "-c", code], cwd=str(Path.cwd()), environment=os.environ
    )


def by_signal(number):
    return f"was ended by signal {int(number)} ({signal.strsignal(number)})"


# Marks


def test_marks_add_up_and_differ():
    once = marked({"A": "a"})
    twice = marked(once)

    assert once.keys() == {"A", MARK}
    assert twice[MARK].startswith(f"{once[MARK]}:")
    assert marked(once)[MARK] != twice[MARK]


# Pipes


@in_loop
async def test_a_program_reads_and_writes():
    program = await running("import sys; [print(line[::-1]) for line in sys.stdin]")
    program.write(b"abc\n")
    assert await program.read_line() == b"\n"
    assert await program.read_line() == b"cba\n"
    await program.end(20)

    assert ended(program.pid)
    assert await program.ending() == "exited with status 0"


@in_loop
async def test_what_is_written_to_a_program_that_has_ended_is_dropped():
    program = await running("print('unfinished', end='')")
    assert await program.read_line() is None
    assert await program.ending() == "exited with status 0"
    program.write(b"x" * 100_000)
    await program.end(0)
    program.write(b"x")


@in_loop
async def test_a_program_that_does_not_read_is_told_nothing_more(monkeypatch):
    monkeypatch.setattr(processes, "LINE_LIMIT", 1000)
    program = await running(SLEEP)
    program.write(b"x" * 1_000_000)
    with pytest.raises(BufferError, match=r"^it reads nothing, and more than 1000 bytes wait"):
        program.write(b"x")
    await program.end(0)


@in_loop
async def test_the_end_of_what_a_program_says_is_kept():
    program = await running("import sys; sys.stderr.write('x' * 100_000 + ' the end\\n\\n')")
    await program.ending()
    await program.end(0)

    assert len(program.said) < 2000
    assert program.said.endswith("xxx the end")


@in_loop
async def test_a_line_that_is_too_long_is_an_error(monkeypatch):
    monkeypatch.setattr(processes, "LINE_LIMIT", 1000)
    program = await running("print('x' * 100_000)")
    with pytest.raises(ValueError, match=r"^a line of more than 1000 bytes$"):
        await program.read_line()
    await program.end(0)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("", "exited with status 0"),
        ("raise SystemExit(3)", "exited with status 3"),
        ("import os; os.abort()", by_signal(signal.SIGABRT)),
        (f"import os; os.close(1); {SLEEP}", "closed its stdout"),
    ],
)
@in_loop
async def test_how_a_program_has_ended_is_said(code, said):
    program = await running(code)
    assert await program.read_line() is None
    assert await program.ending() == said
    await program.end(0)


@in_loop
async def test_a_program_that_cannot_be_started_is_an_error():
    with pytest.raises(FileNotFoundError):
        await Program.start(["/no/such/program"], cwd="/", environment={})


# Ending


IGNORE = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; print(flush=True); sys.stdin.read()", "exited with status 0"),
        (f"print(flush=True); {SLEEP}", by_signal(signal.SIGTERM)),
        (f"{IGNORE}; print(flush=True); {SLEEP}", by_signal(signal.SIGKILL)),
    ],
)
@in_loop
async def test_a_program_is_ended_as_gently_as_it_lets_itself(code, said):
    program = await running(code)
    await program.read_line()
    await program.end(20 if "stdin" in code else 0.2)

    assert await program.ending() == said


@in_loop
async def test_a_program_may_write_to_its_end(monkeypatch):
    monkeypatch.setattr(processes, "LINE_LIMIT", 1000)
    code = "import sys; print(flush=True); sys.stdin.read(); print('x' * 10_000_000, flush=True)"
    program = await running(code)
    await program.read_line()
    await program.end(20)

    assert await program.ending() == "exited with status 0"


@in_loop
async def test_a_program_that_is_read_from_by_nobody_is_ended(monkeypatch):
    monkeypatch.setattr(processes, "LINE_LIMIT", 1000)
    program = await running("import sys\nwhile sys.stdin: print('x' * 100, flush=True)")
    await program.read_line()
    await until(lambda: program._pipes.stdout._paused)
    await program.end(0.1)

    assert ended(program.pid)


def family(tmp_path):
    """Say how to start a child and two daemons, and how to learn their ids."""
    notes = tmp_path / "notes"
    code = (
        f"import json, pathlib, sys; sys.path.insert(0, {FOLDER!r}); import rude_agent; "
        f"pathlib.Path({str(notes)!r}).write_text(json.dumps(rude_agent.descendants())); "
        "print(flush=True); "
    )
    return code, lambda: json.loads(notes.read_text())


@pytest.mark.parametrize("then", ["", "sys.stdin.read()", "rude_agent.ignore_everything()"])
@in_loop
async def test_all_that_a_program_has_started_ends_with_it(then, tmp_path):
    code, pids = family(tmp_path)
    program = await running(code + then)
    await program.read_line()
    assert len(pids()) == 3
    await program.end(0.2)

    assert [ended(pid) for pid in [program.pid, *pids()]] == [True] * 4


@in_loop
async def test_a_child_that_hides_ends_with_its_parent():
    code = (
        "import subprocess, sys; "
        f"child = subprocess.Popen([sys.executable, '-c', {SLEEP!r}], env={{}}, stdout=2, "
        "start_new_session=True); print(child.pid, flush=True); sys.stdin.read()"
    )
    program = await running(code)
    pid = int(await program.read_line())
    assert not ended(pid)
    await program.end(0.2)

    assert ended(pid)


@in_loop
async def test_who_hides_from_all_and_keeps_a_pipe_keeps_nobody_waiting():
    hide = f"import os, time; os.fork() and os._exit(0); print(os.getpid(), flush=True); {SLEEP}"
    code = (
        "import subprocess, sys; "
        f"subprocess.run([sys.executable, '-c', {hide!r}], env={{}}, start_new_session=True)"
    )
    program = await running(code)
    pid = int(await program.read_line())
    program.write(b"x" * 1_000_000)
    await program.ending()
    await program.end(0.1)

    assert program._pipes.closed.done()
    assert not ended(pid)
    os.kill(pid, signal.SIGKILL)


@in_loop
async def test_who_is_cancelled_while_ending_kills_at_once(tmp_path):
    code, pids = family(tmp_path)
    program = await running(code + "rude_agent.ignore_everything()")
    await program.read_line()
    ending = asyncio.create_task(program.end(600))
    await until(program._pipes.stdin.is_closing)
    ending.cancel()
    with pytest.raises(asyncio.CancelledError):
        await ending
    await until(lambda: all(ended(pid) for pid in [program.pid, *pids()]))


@in_loop
async def test_what_cannot_be_ended_is_said(monkeypatch):
    monkeypatch.setattr(processes, "KILL_PATIENCE", 0.1)
    program = await running(f"{IGNORE}; print(flush=True); {SLEEP}")
    await program.read_line()
    with monkeypatch.context() as patch:
        patch.setattr(ProcessTree, "kill", lambda _: None)
        with pytest.raises(OSError, match=rf"^these processes do not end: {program.pid}$"):
            await program.end(0.1)
    program._tree.kill()


@in_loop
async def test_a_start_that_is_cancelled_ends_what_it_started():
    for turns in range(6):
        starting = asyncio.create_task(running(SLEEP))
        for _ in range(turns):
            await asyncio.sleep(0)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting


@in_loop
async def test_a_start_that_is_cancelled_may_have_failed():
    starting = asyncio.create_task(Program.start(["/no/such"], cwd="/", environment={}))
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


# Trees


def test_a_process_that_cannot_be_looked_into_is_somebody_elses(monkeypatch):
    def refuse(self):
        raise psutil.AccessDenied(self.pid)

    monkeypatch.setattr(psutil.Process, "environ", refuse)
    assert ProcessTree(2**22, "mark").look() == set()
    for name in ("ppid", "status"):
        monkeypatch.setattr(psutil.Process, name, refuse)
    here = psutil.Process()
    assert process_tree._parent(here) is None
    assert process_tree._lives(here) is False


def test_a_process_that_has_ended_meanwhile_is_not_hit(monkeypatch):
    class Gone(ProcessTree):
        def look(self):
            return {here}

    def refuse():
        raise psutil.NoSuchProcess(here.pid)

    here = psutil.Process()
    monkeypatch.setattr(here, "terminate", refuse)
    monkeypatch.setattr(here, "kill", refuse)
    Gone(2**22, "mark").terminate()
    Gone(2**22, "mark").kill()
