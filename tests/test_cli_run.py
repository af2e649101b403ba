"""``subspec run``: what it asks of whom, what it prints, and how it ends."""

from __future__ import annotations

import asyncio
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from importlib.metadata import EntryPoint
from pathlib import Path
from unittest import mock

import pytest
from command import run, terminal

from subspec.delegation import plugins
from subspec.delegation.vocabulary import Capabilities
from subspec.testing import FOREVER, Answer, ScriptedProvider

FIXTURES = Path(__file__).parent.parent / "fixtures"
ACP_AGENT = shlex.join([sys.executable, str(Path(__file__).parent / "acp_agent.py")])
TEAM = """\
agents:
  plain: {description: d, prompt: "You are plain.\\n"}
  alias: {description: d, prompt: p, model: haiku}
  inherit: {description: d, prompt: p, model: inherit}
  reader: {description: d, prompt: You read., tools: [Read, Grep], disallowed_tools: [Grep]}
  slow: {description: d, prompt: p, max_turns: 2, tools: []}
"""


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("team.yaml").write_text(TEAM)
    shutil.copy(FIXTURES / "research-team" / "team.yaml", "research.yaml")
    shutil.copytree(FIXTURES / "research-team" / "prompts", "prompts")


@pytest.fixture
def scripted(monkeypatch):
    """Have a provider that a distribution offers."""
    provider = ScriptedProvider(["The answer."])
    monkeypatch.setattr(sys.modules[__name__], "made", lambda: provider, raising=False)
    point = EntryPoint("scripted", f"{__name__}:made", plugins.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda **_: [point])
    return provider


# What is asked of whom.


def test_what_would_be_asked_is_shown():
    result = run("run", "research.yaml", "analyst", "What is odd?", "--dry-run", "--model", "opus")
    assert result.exit_code == 0
    shown = json.loads(result.stdout)
    assert shown["provider"] == {
        "name": "claude_code",
        "cwd": str(Path.cwd()),
        "setting_sources": [],
    }
    assert shown["agent"]["name"] == "analyst"
    assert shown["agent"]["prompt"] == Path("prompts/analyst.md").read_text()
    assert shown["request"] == {
        "prompt": "What is odd?",
        "parent_depth": 0,
        "agent_options": {"model": "opus"},
    }
    assert result.stderr == (
        "research.yaml: permission_mode is for the session that has the agents, and is left out\n"
    )


def test_an_installed_provider_is_asked_for_what_the_agent_says(scripted):
    result = run("run", "team.yaml", "reader", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout, result.stderr) == (0, "The answer.\n", "")
    (request,) = scripted.requests
    assert (request.prompt, request.persona) == ("Look.", "You read.")
    assert (request.tool_filter.allow, request.tool_filter.deny) == (("Read", "Grep"), ("Grep",))

    shown = json.loads(
        run("run", "team.yaml", "reader", "Look.", "--provider", "scripted", "--dry-run").stdout
    )
    assert shown["provider"] == {"name": "scripted", "cwd": str(Path.cwd())}
    assert shown["request"] == {
        "prompt": "Look.",
        "parent_depth": 0,
        "persona": "You read.",
        "tool_filter": {"allow": ["Read", "Grep"], "deny": ["Grep"]},
    }


@pytest.mark.parametrize(
    ("agent", "args", "model"),
    [
        ("alias", (), "haiku"),
        ("alias", ("--model", "opus"), "opus"),
        ("inherit", (), None),
        ("plain", (), None),
    ],
)
def test_the_model_is_that_of_the_agent_unless_another_is_given(scripted, agent, args, model):
    run("run", "team.yaml", agent, "Look.", "--provider", "scripted", *args)
    (request,) = scripted.requests
    options = request.agent_options
    assert (options.model if model else repr(options)) == (model or "ABSENT")


def test_a_task_can_come_from_standard_input(scripted):
    run("run", "team.yaml", "plain", "-", "--provider", "scripted", stdin="Look at\nthis.\n")
    assert scripted.requests[0].prompt == "Look at\nthis.\n"


def test_what_a_provider_does_not_heed_is_refused(scripted):
    scripted.capabilities = Capabilities(persona=True)
    result = run("run", "team.yaml", "reader", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: the provider 'scripted' does not support tool_filter\n"

    result = run("run", "team.yaml", "slow", "Look.", "--provider", "scripted")
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: the provider 'scripted' cannot heed max_turns of the agent;"
        " run it with --provider claude_code\n"
    )
    assert scripted.requests == []


# How it ends.


def test_what_there_is_of_an_answer_is_no_answer(scripted):
    scripted._step = lambda _: Answer("Half an ans", "max-tokens", "the limit is 10")
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout) == (1, "")
    assert result.stderr == (
        "Half an ans\nplain stopped without an answer (max-tokens): the limit is 10\n"
    )

    scripted._step = lambda _: Answer("", "refusal")
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert result.stderr == "plain stopped without an answer (refusal)\n"


def test_a_start_that_fails_is_told(scripted):
    scripted._step = lambda _: RuntimeError("no more room")
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: RuntimeError: no more room\n"


def test_what_a_program_wrote_keeps_its_lines_and_nothing_else(scripted):
    said = "it left; its stderr ends with:\r\nno key\x1b[31m\n\nError: set ONE\rgone\n"
    told = ["its stderr ends with:", "    no key\\x1b[31m", "", "    Error: set ONE\\rgone"]

    scripted._step = lambda _: Answer("", "error", said)
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    lines = result.stderr.splitlines()
    assert lines[0] == f"plain stopped without an answer (error): it left; {told[0]}"
    assert (lines[1:4], result.exit_code) == (told[1:], 1)

    scripted._step = lambda _: RuntimeError(said)
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    lines = result.stderr.splitlines()
    assert lines[0] == f"Error: RuntimeError: it left; {told[0]}"
    assert (lines[1:4], result.exit_code) == (told[1:], 2)


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("plian", "t"), "no agent 'plian' in team.yaml; did you mean 'plain'?"),
        (("x y", "t"), "no agent 'x y' in team.yaml; there are: plain, alias, inherit, "),
        (
            ("plain", "t", "--provider", "claude-code"),
            "no provider 'claude-code'; did you mean 'claude_code'?",
        ),
        (
            ("plain", "t", "--provider", "nobody", "--dry-run"),
            "no provider 'nobody'; there are: claude_code, spawn, acp",
        ),
        (
            ("plain", "t", "--provider", "acp", "--command", "agent 'x"),
            "--command cannot be divided into words: No closing quotation",
        ),
        (
            ("plain", "t", "--provider", "acp", "--command", "' ' x"),
            "--command must begin with a program",
        ),
        (("plain", "t", "--provider", "acp", "--command", ""), "must begin with a program"),
        (("plain", "t", "--provider", "acp"), "give the program with --command"),
        (("plain", "t", "--command", "x"), "--command is for --provider acp"),
        (
            ("plain", "t", "--provider", "spawn", "--permission-mode", "plan"),
            "--permission-mode is for --provider claude_code",
        ),
        (("plain", ""), "the TASK is blank; say what the agent is to do"),
        (("plain", " ", "--dry-run"), "the TASK is blank"),
        (("plain", "\n", "--provider", "acp", "--command", "x"), "the TASK is blank"),
        (("plain", "t", "--model", " "), "model: must not be blank"),
        (("plain", "-"), "the TASK on standard input is blank"),
    ],
)
def test_what_cannot_be_done_is_said(args, said):
    result = run("run", "team.yaml", *args)
    assert (result.exit_code, result.stdout) == (2, "")
    assert said in result.stderr


def test_a_provider_that_cannot_be_made_is_told(monkeypatch):
    point = EntryPoint("broken", "nowhere_at_all:made", plugins.GROUP)
    monkeypatch.setattr(plugins, "entry_points", lambda **_: [point])
    result = run("run", "team.yaml", "plain", "t", "--provider", "broken")
    assert (result.exit_code, "cannot be made" in result.stderr) == (2, True)


def test_an_extra_that_is_not_installed_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    result = run("run", "team.yaml", "plain", "t", "--provider", "spawn")
    assert (result.exit_code, "pip install 'subspec[pydantic-ai]'" in result.stderr) == (2, True)


def test_a_file_with_faults_is_not_run():
    Path("bad.yaml").write_text("agents: {a: {description: d}}\n")
    result = run("run", "bad.yaml", "a", "t")
    assert (result.exit_code, result.stdout) == (1, "")
    assert "subagent requires either prompt or prompt_file" in result.stderr


def test_a_terminal_shows_that_something_is_going_on():
    pytest.importorskip("pydantic_ai")
    args = ("team.yaml", "plain", "Look.", "--provider", "spawn", "--model", "test")
    written = terminal("run", *args)
    assert "plain is at work" in written
    assert "success (no tool calls)" in written


# The providers that come with it.


def test_pydantic_ai_runs_an_agent():
    pytest.importorskip("pydantic_ai")
    args = ("--provider", "spawn", "--model", "test")
    result = run("run", "team.yaml", "plain", "Look.", *args)
    assert (result.exit_code, result.stdout) == (0, "success (no tool calls)\n")

    result = run("run", "team.yaml", "plain", "Look.", *args[:2])
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: nobody says which model to run on: give it one with --model\n",
    )
    result = run("run", "team.yaml", "alias", "Look.", *args[:2])
    assert (result.exit_code, result.stderr) == (
        2,
        "Error: nobody says which model 'haiku' is: say it with --model\n",
    )
    result = run("run", "team.yaml", "reader", "Look.", *args)
    assert (result.exit_code, result.stderr) == (
        2,
        (
            "Error: the provider 'spawn' has no tools here, and the agent names Read, Grep;"
            " run it with --provider claude_code\n"
        ),
    )


def test_an_agent_of_acp_runs_one():
    pytest.importorskip("acp")
    pytest.importorskip("psutil")
    command = f"{ACP_AGENT} echo"
    args = ("--provider", "acp", "--command", command)
    result = run("run", "team.yaml", "plain", "Look.", *args)
    assert (result.exit_code, result.stdout) == (0, "You said: You are plain.\n\nLook.\n")

    result = run("run", "team.yaml", "inherit", "Look.", *args)
    assert result.exit_code == 0
    result = run("run", "team.yaml", "reader", "Look.", *args)
    assert result.exit_code == 2
    assert result.stderr == (
        "Error: the provider 'acp' cannot heed tools, disallowed_tools of the agent;"
        " run it with --provider claude_code\n"
    )
    shown = json.loads(run("run", "team.yaml", "plain", "Look.", *args, "--dry-run").stdout)
    assert shown["provider"]["command"] == shlex.split(command)


@pytest.mark.real_cli
def test_claude_code_runs_an_agent():
    pytest.importorskip("claude_agent_sdk", minversion="0.2.158", reason="needs subspec[claude]")
    pytest.importorskip("psutil", reason="needs subspec[claude]")
    from fake_messages_api import FakeMessagesApi, block_texts  # noqa: PLC0415
    from real_cli import CLI, _environment, _sandbox  # noqa: PLC0415 - they need the package

    if not CLI.is_file():
        pytest.skip("this claude-agent-sdk bundles no CLI")
    with _sandbox() as root, FakeMessagesApi() as api:
        with mock.patch.dict(os.environ, _environment(root, api.url), clear=True):
            args = ("--cwd", str(root / "work"), "--permission-mode", "plan")
            result = run("run", "team.yaml", "slow", "Look.", *args)
        assert (result.exit_code, result.stdout, result.stderr) == (0, "ok\n", "")
        (body,) = api.requests
        assert "p" in block_texts(body["system"])
        assert body.get("tools", []) == []


def test_control_c_ends_a_child_in_a_process_of_its_own():
    pytest.importorskip("acp")
    psutil = pytest.importorskip("psutil")
    agent = shlex.join([sys.executable, str(Path(__file__).parent / "rude_agent.py"), "note-pid"])
    args = ["team.yaml", "plain", "Look.", "--provider", "acp", "--command", f"{agent} pid"]
    # Whoever runs the tests in the background has interruptions ignored, here and below.
    heed = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    command = [sys.executable, "-c", f"{heed}; from subspec.cli import main; main()", "run", *args]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while not Path("pid").exists() or not Path("pid").read_text():
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, stderr = process.communicate(timeout=60)

    assert (process.returncode, stderr.decode().strip()) == (130, "Interrupted.")
    assert not psutil.pid_exists(int(Path("pid").read_text()))


def test_an_interruption_ends_the_child(scripted, monkeypatch):
    def interrupted(_):
        # As Ctrl-C does it in asyncio.run(), from Python 3.11 on.
        asyncio.get_running_loop().call_soon(task_of_the_command[0].cancel)
        return Answer("never", delay=FOREVER)

    scripted._step = interrupted
    task_of_the_command = []
    start = asyncio.run

    def run_until_cancelled(main):
        async def noted():
            task_of_the_command.append(asyncio.current_task())
            return await main

        try:
            return start(noted())
        except asyncio.CancelledError:
            raise KeyboardInterrupt from None

    monkeypatch.setattr(asyncio, "run", run_until_cancelled)
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout) == (130, "")
    assert scripted.children[0].disposals == 1


# Signals that ask for the end.


@pytest.fixture
def _signals():
    """Have the signals as they are in a shell, wherever the tests run."""
    numbers = (signal.SIGTERM, signal.SIGHUP)
    before = [signal.signal(number, signal.SIG_DFL) for number in numbers]
    yield
    for number, handler in zip(numbers, before, strict=True):
        signal.signal(number, handler)


def raising(number):
    """Have a child get its parent a signal, and answer nothing."""

    def step(_):
        signal.raise_signal(number)
        return Answer("never", delay=FOREVER)

    return step


@pytest.mark.usefixtures("_signals")
@pytest.mark.parametrize(("name", "status"), [("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_signal_puts_the_child_away_before_the_end(scripted, name, status):
    number = getattr(signal, name)
    scripted._step = raising(number)
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout) == (status, "")
    assert result.stderr == f"\nEnded by {name}.\n"
    # Whether there was a child already or only its start, nothing of it goes on.
    assert [child.disposals for child in scripted.children] in ([], [1])
    assert signal.getsignal(number) is signal.SIG_DFL


@pytest.mark.usefixtures("_signals")
def test_a_second_signal_does_not_disturb_the_putting_away(scripted):
    def step(_):
        loop = asyncio.get_running_loop()
        loop.call_later(0, signal.raise_signal, signal.SIGTERM)
        loop.call_later(0, signal.raise_signal, signal.SIGHUP)
        return Answer("never", delay=FOREVER)

    scripted._step = step
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stderr) == (143, "\nEnded by SIGTERM.\n")


@pytest.mark.usefixtures("_signals")
def test_a_signal_that_is_ignored_or_handled_stays_so(scripted):
    heard = []
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: heard.append(number))

    def step(_):
        signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGTERM)
        return "The answer."

    scripted._step = step
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout) == (0, "The answer.\n")
    assert heard == [signal.SIGTERM]


@pytest.mark.usefixtures("_signals", "scripted")
def test_a_loop_that_knows_no_signals_runs_agents_all_the_same(monkeypatch):
    def add_signal_handler(*_):
        raise NotImplementedError

    loop = asyncio.new_event_loop()
    monkeypatch.setattr(type(loop), "add_signal_handler", add_signal_handler)
    loop.close()
    result = run("run", "team.yaml", "plain", "Look.", "--provider", "scripted")
    assert (result.exit_code, result.stdout) == (0, "The answer.\n")


def test_a_signal_ends_all_processes_of_the_child():
    pytest.importorskip("acp")
    psutil = pytest.importorskip("psutil")
    rude = str(Path(__file__).parent / "rude_agent.py")
    agent = shlex.join([sys.executable, rude, "note-descendants", "pids"])
    args = ["team.yaml", "plain", "Look.", "--provider", "acp", "--command", agent]
    heed = "import signal; signal.signal(signal.SIGTERM, signal.SIG_DFL)"
    command = [sys.executable, "-c", f"{heed}; from subspec.cli import main; main()", "run", *args]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    while not Path("pids").exists():
        assert process.poll() is None
        time.sleep(0.01)
    process.terminate()
    _, stderr = process.communicate(timeout=60)

    assert (process.returncode, stderr.decode().strip()) == (143, "Ended by SIGTERM.")
    left = [pid for pid in map(int, Path("pids").read_text().split()) if psutil.pid_exists(pid)]
    assert [pid for pid in left if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE] == []
