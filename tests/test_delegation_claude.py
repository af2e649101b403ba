"""Children in the real Claude Code, and a Claude session that hands work to them."""

import asyncio
import gc
import json
import os
import re
import sys
import tempfile
import threading
import time
from contextlib import asynccontextmanager
from pathlib import Path
from unittest import mock

import pytest
from test_delegation import refused

from subspec.delegation import (
    AgentOptions,
    Caller,
    DelegationConfig,
    DelegationTool,
    Registry,
    RunResult,
    StartRequest,
    ToolFilter,
)
from subspec.problems import SpecWarning
from subspec.spec import SubagentSpec

pytest.importorskip("claude_agent_sdk", minversion="0.2.158", reason="needs subspec[claude]")
pytest.importorskip("psutil", reason="needs subspec[claude]")

import claude_agent_sdk as SDK  # noqa: N812 - it stands for a module's many names
import psutil
from fake_messages_api import FakeMessagesApi, block_texts, tool_names, user_texts
from real_cli import CLI, _environment, _sandbox

from subspec.delegation.claude_code import ClaudeCodeProvider, ClaudeConversation, ClaudeSession
from subspec.delegation.claude_code import provider as claude_code
from subspec.delegation.claude_code.provider import ClaudeChild
from subspec.delegation.claude_code.result import Report
from subspec.delegation.processes import program as processes
from subspec.delegation.processes.tree import MARK
from subspec.delegation.tool import mcp_server

pytestmark = [
    pytest.mark.real_cli,
    pytest.mark.skipif(not CLI.is_file(), reason="this claude-agent-sdk bundles no CLI"),
]

WORK = StartRequest("Find the bug.")
SPEC = SubagentSpec("Finds bugs", "You find bugs.", tools=["Read", "Grep"], model="haiku")


def text(words):
    return {"type": "text", "text": words}


def call(name, number=0, **arguments):
    return {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}


def bash(command):
    return call("Bash", command=command, description="run it")


def turn(body):
    """How many answers a conversation has already."""
    return sum(message["role"] == "assistant" for message in body["messages"])


class Api(FakeMessagesApi):
    """Answers as a function says: with text, or with blocks."""

    def __init__(self):
        super().__init__()
        self.answer = "In line 7."

    def receive(self, body):
        super().receive(body)
        answer = self.answer(body) if callable(self.answer) else self.answer
        return [text(answer)] if isinstance(answer, str) else answer

    def in_turn(self, *answers):
        """Give one answer after the other."""
        self.answer = lambda body: answers[turn(body)]

    @property
    def request(self):
        """The one request there was."""
        (body,) = self.requests
        return body


class Sandbox:
    """A fake API, and a place from which Claude Code can reach nothing else."""

    def __init__(self, root, api):
        self.root, self.api = root, api
        self.home, self.work = root / "home", root / "work"
        self.common = {
            "cli_path": CLI,
            "cwd": self.work,
            "env": _environment(root, api.url),
            "setting_sources": [],
        }

    def provider(self, spec=None, **options):
        return ClaudeCodeProvider(spec, **{**self.common, **options})

    def sessions(self):
        """The sessions that are kept on disk."""
        return list(self.home.rglob("projects/**/*.jsonl"))


@pytest.fixture
def sandbox():
    with _sandbox() as root, Api() as api:
        environment = _environment(root, api.url)
        # A mark of ours besides the provider's own: another test may run at the same time.
        environment[MARK] = root.name
        with (
            mock.patch.dict(os.environ, environment, clear=True),
            mock.patch.object(tempfile, "tempdir", None),
        ):
            yield Sandbox(root, api)
            gc.collect()  # what nobody closed, it complains of at its end
        left = {each.name for each in (root / "tmp").iterdir()}
        assert left <= {f"claude-{os.getuid()}", "cc-socks"}  # Claude Code's own


@asynccontextmanager
async def registry_of(provider):
    async with Registry() as registry:
        registry.register(provider)
        yield registry
    assert ours() == set()


def ours():
    """The living processes that a provider has started, and all that came of them."""
    found = set()
    for process in psutil.process_iter():
        try:
            marked = os.environ[MARK] in process.environ().get(MARK, "").split(":")
            if marked and process.pid != os.getpid() and process.status() != psutil.STATUS_ZOMBIE:
                found.add(process)
        except psutil.Error:
            pass
    return found


def run(provider, request=WORK):
    """Run one child from its start until nothing is left of it."""

    async def alone():
        async with registry_of(provider) as registry:
            return await registry.delegate(provider.name, request)

    return asyncio.run(asyncio.wait_for(alone(), 60))


def system(body):
    """What the model is told that comes from us."""
    return "\n\n".join(block_texts(body["system"][2:]))


async def until(condition):
    """Wait for something that must come."""
    deadline = time.monotonic() + 30
    while not condition():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.02)


# What the child is


def test_a_child_answers_as_its_spec_says(sandbox):
    provider = sandbox.provider(SPEC, name="spawn")
    prompt = "/compact what @/etc/hostname says"

    assert run(provider, StartRequest(prompt)) == RunResult("completed", "In line 7.")
    request = sandbox.api.request
    assert system(request) == "You find bugs."
    assert tool_names(request) == ("Read", "Grep")
    assert request["model"] == "claude-haiku-5-5"
    assert list(user_texts(request)) == [prompt]
    assert sandbox.sessions() == []


def test_a_child_without_a_spec_is_claude_code_as_the_options_make_it(sandbox):
    provider = sandbox.provider(tools=["Read"], system_prompt="You are small.", model="opus")

    assert run(provider).answer() == "In line 7."
    assert system(sandbox.api.request) == "You are small."
    assert tool_names(sandbox.api.request) == ("Read",)
    assert sandbox.api.request["model"] == "claude-opus-5-5"


@pytest.mark.parametrize(
    ("spec", "prompt", "told"),
    [
        (SPEC, None, "A critic.\n\nYou find bugs."),
        (None, None, "A critic."),
        (None, "You are small.", "A critic.\n\nYou are small."),
        (None, {"type": "custom", "prompt": "Small."}, "A critic.\n\nSmall."),
        (None, {"type": "preset", "preset": "claude_code"}, "A critic."),
        (
            None,
            {"type": "preset", "preset": "claude_code", "append": "Be small."},
            "A critic.\n\nBe small.",
        ),
    ],
)
def test_a_child_is_told_who_it_is(sandbox, spec, prompt, told):
    options = {} if prompt is None else {"system_prompt": prompt}
    run(sandbox.provider(spec, **options), StartRequest("Work.", persona="A critic."))

    assert told in system(sandbox.api.request)


@pytest.mark.parametrize(
    ("tool_filter", "left"),
    [
        ({"deny": ["Grep"]}, {"Read", "Agent"}),
        ({"deny": ["Agent"]}, {"Read", "Grep"}),
        ({"allow": ["Task", "Grep"]}, {"Agent", "Grep"}),
        ({"allow": []}, set()),
        ({}, {"Read", "Grep", "Agent"}),
    ],
)
def test_a_child_has_the_tools_that_a_filter_leaves(sandbox, tool_filter, left):
    spec = SubagentSpec("Finds bugs", "You find bugs.", tools=["Read, Grep", "Task(x)"])
    request = StartRequest("Work.", tool_filter=ToolFilter(**tool_filter))
    run(sandbox.provider(spec), request)

    assert set(tool_names(sandbox.api.request)) == left


def test_a_filter_counts_for_the_tools_of_servers_too(sandbox):
    names = ["a", "b", "c"]
    tools = [SDK.tool(name, "Does it.", {})(asyncio.sleep) for name in names]
    spec = SubagentSpec("Does it", "Do it.", tools=["mcp__s__a", "mcp__s__b"])
    servers = {"s": SDK.create_sdk_mcp_server("s", tools=tools)}
    request = StartRequest("Work.", tool_filter=ToolFilter(deny=["mcp__s__a"]))
    run(sandbox.provider(spec, mcp_servers=servers), request)

    assert tool_names(sandbox.api.request) == ("mcp__s__b",)


def test_a_child_that_is_limited_in_depth_has_no_agents_of_its_own(sandbox):
    run(sandbox.provider(), StartRequest("Work.", max_depth=3))
    run(sandbox.provider())
    limited, free = (set(tool_names(body)) for body in sandbox.api.requests)

    assert free - limited == {"Agent", "Skill", "Workflow"}
    assert "Bash" in limited


def test_a_request_chooses_the_model(sandbox):
    wanted = AgentOptions(model="sonnet", max_tokens=77)
    run(sandbox.provider(SPEC), StartRequest("Work.", agent_options=wanted))

    assert sandbox.api.request["model"] == "claude-sonnet-5-5"
    assert sandbox.api.request["max_tokens"] == 77


def test_options_of_the_session_come_from_the_spec(sandbox):
    spec = SubagentSpec("Finds bugs", "Find.", effort="low", max_turns=1, tools=["Read"])
    sandbox.api.in_turn([text("Let me see."), call("Read", file_path="x")], "too late")

    assert run(sandbox.provider(spec)) == RunResult(
        "error", "Let me see.", diagnostic="Reached maximum number of turns (1)"
    )
    assert sandbox.api.request["output_config"]["effort"] == "low"


# How it ends

SCHEMA = {"type": "object", "properties": {"line": {"type": "integer"}}, "required": ["line"]}
DATA = StartRequest("Work.", output_schema=SCHEMA)


@pytest.mark.parametrize("spec", [SPEC, None])
def test_an_answer_follows_a_schema(sandbox, spec):
    sandbox.api.answer = [call("StructuredOutput", line=7)]

    assert run(sandbox.provider(spec), DATA) == RunResult("completed", '{"line": 7}')
    (offered,) = (
        tool for tool in sandbox.api.request["tools"] if tool["name"] == "StructuredOutput"
    )
    assert offered["input_schema"]["properties"] == SCHEMA["properties"]


def test_an_answer_that_does_not_follow_the_schema_is_none(sandbox):
    assert run(sandbox.provider(SPEC), DATA) == RunResult(
        "error",
        "In line 7.\n\nIn line 7.",
        diagnostic="Claude Code succeeded without an answer that follows the schema",
    )


@pytest.mark.parametrize(
    ("reason", "stop", "said"),
    [
        ("max_tokens", "max-tokens", "API Error: Claude's response exceeded the 128000 output"),
        ("refusal", "refusal", "API Error: Haiku 5.5 can't help with this."),
        ("pause_turn", "error", "unknown stop reason 'pause_turn'"),
    ],
)
def test_an_answer_that_was_cut_short_is_a_failure_with_its_text(sandbox, reason, stop, said):
    sandbox.api.answer = "Half an ans"
    sandbox.api.stop_reason = reason
    result = run(sandbox.provider(SPEC))

    assert result.stop_reason == stop
    assert result.text.startswith("Half an ans")
    assert "API Error" not in result.text
    assert result.diagnostic.startswith(said)


def test_a_success_without_text_is_none(sandbox):
    sandbox.api.answer = ""

    assert run(sandbox.provider(SPEC)) == RunResult(
        "error", diagnostic="Claude Code succeeded without an answer"
    )


def test_an_error_of_the_api_is_a_failure(sandbox):
    sandbox.api.error = (400, "no such model")
    result = run(sandbox.provider(SPEC))

    assert (result.stop_reason, result.text) == ("error", "")
    assert "400" in result.diagnostic
    assert "no such model" in result.diagnostic


TOUCH = SubagentSpec("Writes", "Write.", tools=["Bash", "Write"])


@pytest.mark.parametrize(
    ("in_spec", "options", "allowed"),
    [
        (None, {}, False),
        ("bypassPermissions", {}, False),
        ("manual", {}, False),
        ("acceptEdits", {}, True),
        (None, {"permission_mode": "acceptEdits"}, True),
        ("acceptEdits", {"permission_mode": "default"}, False),
        (None, {"allowed_tools": ["Bash"]}, True),
    ],
)
def test_prompts_for_permission_are_denied_unless_the_mode_allows(
    sandbox, in_spec, options, allowed
):
    spec = SubagentSpec("Writes", "Write.", tools=["Bash"], permission_mode=in_spec)
    sandbox.api.in_turn([bash("touch made")], "Done.")

    assert run(sandbox.provider(spec, **options)).answer() == "Done."
    assert (sandbox.work / "made").exists() == allowed


def test_a_child_that_dies_in_its_turn_is_a_failure(sandbox):
    def answer(_):
        for process in ours():
            process.kill()
        return "too late"

    sandbox.api.answer = answer
    result = run(sandbox.provider(SPEC))

    assert result.stop_reason == "error"
    assert result.diagnostic.startswith("ProcessError: ")


# Starting and ending


def test_a_definition_that_claude_code_drops_starts_no_child(sandbox):
    provider = sandbox.provider(SPEC)
    provider._options._definition.description = ""
    said = "Claude Code did not take the definition 'subspec-child'"
    with refused("START_FAILED", said):
        run(provider)

    assert (sandbox.api.requests, ours()) == ([], set())


def test_a_program_that_does_not_exist_starts_no_child(sandbox):
    provider = sandbox.provider(SPEC, cli_path=sandbox.root / "nowhere")
    with refused("START_FAILED", "CLINotFoundError: Claude Code not found at: .*nowhere"):
        run(provider)


def test_what_claude_code_writes_when_it_does_not_start_is_said(sandbox):
    heard = []
    provider = sandbox.provider(SPEC, extra_args={"no-such-option": None}, stderr=heard.append)
    with refused("START_FAILED", r"ProcessError: [^$]*no-such-option[^$]*"):
        run(provider)

    assert any("no-such-option" in line for line in heard)


def test_a_child_that_is_cancelled_leaves_no_process(sandbox):
    """Its shell has children of its own: one detached, one whose parent has gone."""
    sleep = 'python3 -c "import time; time.sleep(600)"'
    orphan = f"(setsid {sleep} >/dev/null 2>&1 & ) ; {sleep} & setsid {sleep} & touch begun ; wait"
    sandbox.api.in_turn([text("I begin."), bash(orphan)], "too late")
    provider = sandbox.provider(TOUCH, allowed_tools=["Bash"])

    async def cancelled():
        async with registry_of(provider) as registry:
            child = await registry.start("claude_code", WORK)
            waiting = asyncio.create_task(child.result())
            await until((sandbox.work / "begun").exists)
            await until(lambda: len(ours()) >= 5)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
            assert ours() == set()
            return child.outcome

    assert asyncio.run(cancelled()) == RunResult("aborted", "I begin.")


@pytest.mark.parametrize("moment", range(0, 400, 80))
def test_a_start_that_is_cancelled_leaves_no_process(sandbox, moment):
    """Whenever it is: before there is a process, during its start, or when it is ready."""
    provider = sandbox.provider(SPEC)

    async def cancelled():
        async with registry_of(provider) as registry:
            starting = asyncio.create_task(registry.start("claude_code", WORK))
            await asyncio.wait({starting}, timeout=moment / 1000)
            starting.cancel()
            await asyncio.wait({starting})
            # On a fast machine there may be a child already, which is at work then.
            if starting.cancelled():
                assert sandbox.api.requests == []
            else:
                await starting.result().dispose()
            assert ours() == set()

    asyncio.run(cancelled())


RUDE = Path(__file__).with_name("rude_claude.py")


def rude(sandbox, manner):
    """A provider whose Claude Code misbehaves."""
    program = sandbox.root / "claude"
    program.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{RUDE}"\n', encoding="utf-8")
    program.chmod(0o755)
    return sandbox.provider(cli_path=program, env={"RUDE": manner})


@pytest.fixture
def impatient(monkeypatch):
    monkeypatch.setattr(claude_code, "INTERRUPTION", 0.2)
    monkeypatch.setattr(claude_code, "GRACE", 0.2)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize(
    ("manner", "said"),
    [
        ("dies", r"ProcessError: .*exit code:? 3.*; it wrote to its stderr:\nout of luck"),
        ("leaves", r"Claude Code left before its result"),
        ("garbles", r"CLIJSONDecodeError: .*"),
        pytest.param(
            "floods",
            r"CLIJSONDecodeError: .*exceeded maximum buffer size of .*",
            # The SDK leaves a pipe that it has not read to the end to the garbage collector.
            marks=[
                pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
                pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
            ],
        ),
    ],
)
def test_a_session_that_breaks_is_a_failure(sandbox, manner, said):
    result = run(rude(sandbox, manner))

    assert (result.stop_reason, result.text) == ("error", "")
    assert re.fullmatch(said, result.diagnostic, re.DOTALL)


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("manner", ["stays at once", "stays"])
def test_a_child_that_does_not_want_to_go_is_killed(sandbox, manner):
    provider = rude(sandbox, manner)

    async def cancelled():
        async with registry_of(provider) as registry:
            working = asyncio.create_task(registry.delegate(provider.name, WORK))
            await until((sandbox.work / "stays").exists)
            working.cancel()
            with pytest.raises(asyncio.CancelledError):
                await working
            assert ours() == set()

    asyncio.run(asyncio.wait_for(cancelled(), 60))


def test_a_child_that_stays_when_it_is_closed_is_killed(sandbox, monkeypatch):
    provider = rude(sandbox, "stays at the end")
    monkeypatch.setattr(claude_code, "GRACE", 2)

    async def disposed():
        async with registry_of(provider) as registry:
            run = await registry.start(provider.name, WORK)
            disposing = asyncio.create_task(run.dispose())
            await until((sandbox.work / "stays").exists)
            await disposing
            assert ours() == set()

    asyncio.run(asyncio.wait_for(disposed(), 60))


@pytest.mark.usefixtures("impatient")
def test_a_start_that_is_cancelled_and_cannot_be_cleaned_up_says_so(sandbox, monkeypatch):
    provider = rude(sandbox, "stays at once")

    async def killed(child):
        await processes.killed(child._tree)
        # As if there were another one, for which nobody should have to wait here.
        msg = "these processes do not end: 7"
        raise OSError(msg)

    monkeypatch.setattr(ClaudeChild, "_kill", killed)

    async def cancelled():
        async with registry_of(provider) as registry:
            starting = asyncio.create_task(registry.start(provider.name, WORK))
            await until((sandbox.work / "stays").exists)
            starting.cancel()
            said = "the start was cancelled; and what it had begun could not be put away: OSError: "
            with refused("DISPOSAL_FAILED", said + "these processes do not end: 7"):
                await starting
            assert ours() == set()

    asyncio.run(asyncio.wait_for(cancelled(), 60))


@pytest.mark.usefixtures("impatient")
def test_a_child_that_cannot_be_killed_is_told_of_and_tried_again(sandbox, monkeypatch):
    provider = rude(sandbox, "stays")
    failures = iter([OSError("these processes do not end: 7")])

    async def killed(child):
        for failure in failures:
            raise failure
        await processes.killed(child._tree)

    monkeypatch.setattr(ClaudeChild, "_kill", killed)

    async def disposed():
        async with registry_of(provider) as registry:
            run = await registry.start(provider.name, WORK)
            await until((sandbox.work / "stays").exists)
            with refused("DISPOSAL_FAILED", ".*OSError: these processes do not end: 7"):
                await run.dispose()
            assert ours() == set()

    asyncio.run(asyncio.wait_for(disposed(), 60))


def test_siblings_run_side_by_side(sandbox):
    together = threading.Barrier(3)

    def answer(_):
        together.wait(30)
        return "together"

    sandbox.api.answer = answer

    async def siblings():
        async with registry_of(sandbox.provider(SPEC)) as registry:
            tool = DelegationTool(registry, DelegationConfig("claude_code"))
            arguments = {"description": "x", "prompt": "y"}
            return await asyncio.gather(*(tool.call(arguments) for _ in range(3)))

    replies = asyncio.run(asyncio.wait_for(siblings(), 60))
    assert [reply.text for reply in replies] == ["together"] * 3


# A parent that is a Claude session


class Parent:
    """A Claude session with delegation tools, that follows its own conversation."""

    def __init__(self, sandbox, *tools, allowed=None):
        self.conversation = ClaudeConversation()
        server = mcp_server(*tools, caller=lambda: Caller(conversation=self.conversation.completed))
        names = [f"mcp__delegation__{each.name}" for tool in tools for each in tool.functions]
        self._client = SDK.ClaudeSDKClient(
            SDK.ClaudeAgentOptions(
                **sandbox.common,
                tools=[],
                mcp_servers={"delegation": server},
                allowed_tools=names if allowed is None else allowed,
            )
        )

    async def __aenter__(self):
        await self._client.connect()
        return self

    async def __aexit__(self, *_):
        await self._client.disconnect()

    async def ask(self, prompt):
        """Give the results of the tools that the session called, and its answer."""
        results = []
        await self._client.query(prompt)
        async for message in self._client.receive_response():
            self.conversation.see(message)
            if isinstance(message, SDK.UserMessage):
                blocks = message.content
                results += [block for block in blocks if isinstance(block, SDK.ToolResultBlock)]
        return results, message.result


def parent_and_child(*answers, child="In line 7."):
    """The parent is the one with the tool; it gives one answer after the other."""

    def answer(body):
        if any(name.startswith("mcp__delegation__") for name in tool_names(body)):
            return answers[turn(body)]
        return child(body) if callable(child) else child

    return answer


def of_children(sandbox):
    """The requests of the children."""
    return [
        body
        for body in sandbox.api.requests
        if not any(name.startswith("mcp__delegation__") for name in tool_names(body))
    ]


def delegates(number=0, prompt="Find the bug in parse.py.", name="subagent", **more):
    return call(
        f"mcp__delegation__{name}", number, description="Find the bug", prompt=prompt, **more
    )


def asked(sandbox, *prompts, spec=SPEC, config=None, allowed=None, **options):
    """What the parent got of its tools for the last of the prompts, and its answer."""

    async def session():
        async with registry_of(sandbox.provider(spec, name="spawn", **options)) as registry:
            config_ = DelegationConfig("spawn") if config is None else config
            async with (
                DelegationTool(registry, config_) as tool,
                Parent(sandbox, tool, allowed=allowed) as parent,
            ):
                for prompt in prompts:
                    said = await parent.ask(prompt)
                return said

    return asyncio.run(asyncio.wait_for(session(), 60))


def result_texts(block):
    return [part["text"] for part in block.content]


def test_a_parent_delegates_to_a_child(sandbox):
    sandbox.api.answer = parent_and_child([delegates()], "The child says: line 7.")
    (result,), answer = asked(sandbox, "Have the bug found.")

    assert answer == "The child says: line 7."
    assert (result_texts(result), bool(result.is_error)) == (["In line 7."], False)
    (child,) = of_children(sandbox)
    assert list(user_texts(child)) == ["Find the bug in parse.py."]
    assert tool_names(child) == ("Read", "Grep")
    assert system(child) == "You find bugs."
    offered = {tool["name"]: tool for tool in sandbox.api.requests[0]["tools"]}
    (tool,) = offered.values()
    assert "a prompt that stands alone" in tool["description"]
    assert set(tool["input_schema"]["properties"]) == {"description", "prompt"}


def test_children_of_a_parent_run_side_by_side(sandbox):
    together = threading.Barrier(2)

    def child(_):
        together.wait(30)
        return "together"

    sandbox.api.answer = parent_and_child([delegates(1), delegates(2)], "Done.", child=child)
    results, _ = asked(sandbox, "Have it done twice.")

    assert [result_texts(result) for result in results] == [["together"]] * 2


def test_a_parent_needs_leave_to_delegate(sandbox):
    sandbox.api.answer = parent_and_child([delegates()], "No.")
    (result,), _ = asked(sandbox, "Have the bug found.", allowed=[])

    assert result.is_error
    assert of_children(sandbox) == []


def test_a_parent_sees_that_a_child_failed_and_what_it_had_said(sandbox):
    cut = SubagentSpec("Finds bugs", "Find.", tools=["Read"], max_turns=1)
    sandbox.api.answer = parent_and_child(
        [delegates()],
        "It failed.",
        child=lambda _: [text("Let me see."), call("Read", file_path="x")],
    )
    (result,), _ = asked(sandbox, "Have the bug found.", spec=cut)

    assert result.is_error
    said = "".join(result_texts(result)) if isinstance(result.content, list) else result.content
    assert "It stopped with 'error'." in said
    assert "Diagnostic: Reached maximum number of turns (1)" in said
    assert said.endswith("Let me see.")


def test_a_parent_that_may_go_deep_enough_is_told_when_it_may_not(sandbox):
    sandbox.api.answer = parent_and_child([delegates()], "No.")
    (result,), _ = asked(sandbox, "Go.", config=DelegationConfig("spawn", max_depth=0))

    assert result.is_error
    assert "the child would be 1 deep, and the limit is 0" in str(result.content)
    assert of_children(sandbox) == []


def test_a_parent_collects_what_runs_in_the_background(sandbox):
    together = threading.Barrier(2)

    def child(_):
        together.wait(30)
        return "together"

    jobs = [
        call("mcp__delegation__subagent_collect", number + 2, job_id=f"spawn-{number}")
        for number in (1, 2)
    ]
    sandbox.api.answer = parent_and_child(
        [delegates(1, run_in_background=True), delegates(2, run_in_background=True)],
        jobs,
        "Both are back.",
        child=child,
    )
    config = DelegationConfig("spawn", run_in_background=True)
    results, answer = asked(sandbox, "Go.", config=config)

    assert answer == "Both are back."
    begun, collected = results[:2], results[2:]
    assert all("has begun" in str(result.content) for result in begun)
    assert [result_texts(result) for result in collected] == [["together"]] * 2


def test_a_forked_child_knows_the_completed_turns_and_no_other(sandbox):
    sandbox.api.answer = parent_and_child(
        "Hello!", "Fine.", [text("I hand it on."), delegates(prompt="Go on.")], "Done."
    )
    config = DelegationConfig("spawn", max_depth="provider-managed")
    prompts = ["Good day.", "How are you?", "Have it done."]
    (result,), _ = asked(sandbox, *prompts, config=config, fork=True)

    assert result_texts(result) == ["In line 7."]
    (child,) = of_children(sandbox)
    said = [
        (message["role"], *block_texts(message["content"]))
        for message in child["messages"]
        if message["role"] != "system"
    ]
    assert said == [
        ("user", "Good day."),
        ("assistant", "Hello!"),
        ("user", "How are you?"),
        ("assistant", "Fine."),
        ("user", "Go on."),
    ]
    assert tool_names(child) == ("Read", "Grep")
    (kept,) = sandbox.sessions()
    typed = [json.loads(line) for line in kept.read_text(encoding="utf-8").splitlines()]
    assert "Go on." not in [entry.get("message", {}).get("content") for entry in typed]


def test_a_child_that_is_forked_in_the_first_turn_starts_fresh(sandbox):
    sandbox.api.answer = parent_and_child([delegates()], "Done.")
    (result,), _ = asked(sandbox, "Have it done.", fork=True)

    assert result_texts(result) == ["In line 7."]
    assert list(user_texts(of_children(sandbox)[0])) == ["Find the bug in parse.py."]


def test_a_session_that_is_not_there_cannot_be_forked(sandbox):
    provider = sandbox.provider(SPEC, fork=True)
    session = ClaudeSession("00000000-0000-4000-8000-000000000000", "nothing")
    with refused("START_FAILED", r"[^$]*00000000-0000-4000-8000-000000000000[^$]*"):
        run(provider, StartRequest("Work.", conversation=session))


def test_a_parent_that_leaves_cancels_its_child(sandbox):
    reached = threading.Event()

    def child(_):
        reached.set()
        return [bash("touch begun; sleep 1; python3 -c 'import time; time.sleep(600)'")]

    sandbox.api.answer = parent_and_child([delegates()], "too late", child=child)

    async def session():
        provider = sandbox.provider(TOUCH, name="spawn", allowed_tools=["Bash"])
        async with registry_of(provider) as registry:
            tool = DelegationTool(registry, DelegationConfig("spawn"))
            async with Parent(sandbox, tool) as parent:
                asking = asyncio.create_task(parent.ask("Go."))
                await until((sandbox.work / "begun").exists)
                asking.cancel()
            await until(lambda: registry.runs == ())
            assert ours() == set()

    asyncio.run(asyncio.wait_for(session(), 60))
    assert reached.is_set()


# What the options are made of


@pytest.mark.parametrize("spec", [SPEC, None])
def test_a_provider_states_what_it_can_heed(sandbox, spec):
    capabilities = sandbox.provider(spec).capabilities

    assert capabilities.output_schema
    assert capabilities.depth_limit
    assert capabilities.persona
    assert capabilities.tool_filter == (spec is SPEC)


@pytest.mark.parametrize(
    "more",
    [
        {"tools": None},
        {"tools": ["*"]},
        {"memory": "project"},
        {"mcp_servers": ["notes"]},
    ],
)
def test_a_filter_needs_to_know_all_tools(sandbox, more):
    spec = SubagentSpec("Finds bugs", "Find.", **{"tools": ["Read"], **more})

    assert not sandbox.provider(spec).capabilities.tool_filter


def test_a_filter_keeps_the_rule_of_a_tool(sandbox):
    spec = SubagentSpec("Finds", "Find.", tools=["Task(helper)", "Read"])
    request = StartRequest("Work.", tool_filter=ToolFilter(deny=["Read"]))

    assert sandbox.provider(spec)._options.make(request).agents["subspec-child"].tools == [
        "Task(helper)"
    ]


def test_tools_that_a_spec_takes_away_are_not_there_to_be_filtered(sandbox):
    spec = SubagentSpec("Finds", "Find.", tools=["Read", "Bash"], disallowed_tools=["Bash(rm *)"])
    provider = sandbox.provider(spec)
    with refused("UNKNOWN_TOOL", "no tool 'Bash'; there is Read"):
        provider.check(StartRequest("Work.", tool_filter=ToolFilter(deny=["Bash"])))


def test_a_prompt_in_a_file_cannot_be_added_to(sandbox):
    prompt = {"type": "file", "path": "prompt.md"}

    assert not sandbox.provider(system_prompt=prompt).capabilities.persona


def test_a_wrong_configuration_shows_when_the_tool_is_made(sandbox):
    registry = Registry()
    registry.register(sandbox.provider(SPEC))
    wrong = DelegationConfig("claude_code", tool_filter=ToolFilter(allow=["Raed"]))
    with refused("UNKNOWN_TOOL", "no tool 'Raed'; did you mean 'Read'\\?"):
        DelegationTool(registry, wrong)
    wrong = DelegationConfig("claude_code", agent_options=AgentOptions(provider="bedrock"))
    with refused("UNSUPPORTED_CAPABILITY", "Claude Code does not let its provider of models .*"):
        DelegationTool(registry, wrong)


def test_a_conversation_is_a_session_of_claude(sandbox):
    said = "the conversation must be a ClaudeSession, not a list"
    with refused("UNSUPPORTED_CAPABILITY", said):
        sandbox.provider(fork=True).check(StartRequest("Work.", conversation=["hello"]))


@pytest.mark.parametrize("name", ["resume", "continue_conversation", "output_format"])
def test_what_goes_by_the_request_cannot_be_set(sandbox, name):
    with pytest.raises(TypeError, match=f"^'{name}' cannot be set: it goes by the request$"):
        sandbox.provider(**{name: "x"})


def test_an_option_that_there_is_not_is_refused(sandbox):
    with pytest.raises(TypeError, match="colour"):
        sandbox.provider(colour="red")


def test_what_cannot_reach_the_child_is_warned_of(sandbox):
    spec = SubagentSpec("Finds bugs", "Find.", color="red", initial_prompt="Hi", background=True)
    with pytest.warns(SpecWarning, match="no field for color") as caught:
        sandbox.provider(spec)

    assert len(caught) == 1


def test_an_effort_in_numbers_is_none(sandbox):
    provider = sandbox.provider(SubagentSpec("Finds bugs", "Find.", effort=3))

    assert provider._options.make(WORK).effort is None


def test_agents_of_the_child_are_its_own(sandbox):
    agent = SDK.AgentDefinition(description="Helps", prompt="Help.")
    provider = sandbox.provider(SPEC, agents={"helper": agent})

    assert set(provider._options.make(WORK).agents) == {"helper", "subspec-child"}


# The tool for a Claude session


def test_two_tools_of_one_name_cannot_be_offered(sandbox):
    registry = Registry()
    registry.register(sandbox.provider(SPEC))
    tools = [DelegationTool(registry, DelegationConfig("claude_code")) for _ in "ab"]
    with refused("BAD_TOOL", "there are two tools 'subagent'"):
        mcp_server(*tools)


@pytest.mark.parametrize("make", [ClaudeCodeProvider, mcp_server])
def test_without_the_sdk_it_is_said_how_to_get_it(monkeypatch, make):
    monkeypatch.setitem(sys.modules, "claude_agent_sdk", None)
    with pytest.raises(ImportError, match=r"pip install 'subspec\[claude\]'$"):
        make()


def test_without_psutil_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setattr(claude_code, "find_spec", {"psutil": None}.get)
    said = (
        r"^children in Claude Code need psutil; install it with: pip install 'subspec\[claude\]'$"
    )
    with pytest.raises(ImportError, match=said):
        ClaudeCodeProvider()


# What a session says


class Talking:
    """A session that says what it is told to, and is gone then."""

    def __init__(self, *messages):
        self._messages = messages

    async def query(self, _):
        pass

    async def receive_messages(self):
        for message in self._messages:
            yield message


def heard(*messages):
    child = ClaudeChild(SDK.ClaudeAgentOptions(), WORK)
    child._client = Talking(*messages)
    return asyncio.run(child.result())


def test_a_session_that_leaves_without_a_result_is_a_failure():
    assert heard(said("a"), SDK.SystemMessage("x", {})) == RunResult(
        "error", "x", diagnostic="Claude Code left before its result"
    )


def test_what_the_agents_of_a_child_say_is_not_its_answer():
    assert heard(said("a"), said("b", parent="toolu_1")).text == "x"


def test_a_turn_that_was_cut_off_is_aborted():
    assert heard(said("a"), over(terminal_reason="aborted_streaming")) == RunResult("aborted", "x")


@pytest.mark.parametrize(
    ("more", "result"),
    [
        ({"stop_reason": None, "result": "x"}, RunResult("completed", "x")),
        ({"stop_reason": "stop_sequence", "result": "x"}, RunResult("completed", "x")),
        ({"stop_reason": "refusal", "result": "x"}, RunResult("refusal", "x")),
        ({"stop_reason": "max_tokens", "result": "x"}, RunResult("max-tokens", "x")),
        (
            {"stop_reason": "end_turn", "result": "API down", "is_error": True},
            RunResult("error", diagnostic="API down"),
        ),
        (
            {"subtype": "error_during_execution"},
            RunResult("error", diagnostic="error_during_execution"),
        ),
        (
            {"subtype": "error_during_execution", "errors": ["one", "two"]},
            RunResult("error", diagnostic="one; two"),
        ),
    ],
)
def test_a_result_of_a_session_is_one_of_a_child(more, result):
    assert heard(over(**more)) == result


def test_the_last_lines_of_stderr_are_kept():
    report = Report(wants_data=False)
    for number in range(100):
        report.hear(f"line {number}")

    assert report.explained("why").splitlines()[::19] == ["why; it wrote to its stderr:", "line 98"]


def test_a_model_may_be_left_as_it_is(sandbox):
    request = StartRequest("Work.", agent_options=AgentOptions())
    options = sandbox.provider(SPEC)._options.make(request)

    assert options.model is None
    assert "CLAUDE_CODE_MAX_OUTPUT_TOKENS" not in options.env


# The conversation


def said(uuid, parent=None):
    return SDK.AssistantMessage([SDK.TextBlock("x")], "m", parent_tool_use_id=parent, uuid=uuid)


def over(subtype="success", session="s", **more):
    return SDK.ResultMessage(
        subtype=subtype,
        duration_ms=1,
        duration_api_ms=1,
        num_turns=1,
        session_id=session,
        **{"is_error": False, **more},
    )


@pytest.mark.parametrize(
    ("messages", "until_"),
    [
        ([], None),
        ([said("a")], None),
        ([over()], None),
        ([said("a"), over()], "a"),
        ([said("a"), over(), said("b")], "a"),
        ([said("a"), over(), said("b"), over()], "b"),
        ([said("a"), said("b", parent="toolu_1"), over()], "a"),
        ([said("a"), over(), said("b"), over(is_error=True)], "a"),
        ([said("a"), over(), said("b"), over("error_max_turns")], "a"),
        ([said("a"), over(), said("b"), over(terminal_reason="aborted_tools")], "a"),
        ([said("a"), SDK.UserMessage("x", uuid="b"), over()], "b"),
        ([said("a"), SDK.UserMessage("x"), SDK.SystemMessage("init", {}), over()], "a"),
    ],
)
def test_a_conversation_is_followed_to_its_last_completed_turn(messages, until_):
    conversation = ClaudeConversation()
    for message in messages:
        conversation.see(message)
    found = conversation.completed

    assert (None if until_ is None else ClaudeSession("s", until_)) == (found if until_ else None)
    assert isinstance(found, ClaudeSession) == (until_ is not None)


@pytest.mark.parametrize("values", [("", "a"), ("s", ""), (None, "a")])
def test_a_session_has_an_id_and_an_end(values):
    with pytest.raises((TypeError, ValueError)):
        ClaudeSession(*values)
