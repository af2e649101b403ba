"""Who delegates is cancelled at every step there is: nothing is left, whatever the provider is."""

import asyncio
import json
import shlex
import sys
from pathlib import Path

import pytest

pytest.importorskip("acp", reason="needs the extra subspec[acp]")
pytest.importorskip("claude_agent_sdk", minversion="0.2.158", reason="needs subspec[claude]")
pytest.importorskip("pydantic_ai", reason="needs the extra subspec[pydantic-ai]")

from leftovers import in_loop, nothing_left
from pydantic_ai.messages import ModelResponse, TextPart, ToolCallPart
from pydantic_ai.models.function import FunctionModel
from test_delegation import settle

from subspec.delegation import DelegationConfig, DelegationTool, Registry, StartRequest
from subspec.delegation.acp import AcpProvider
from subspec.delegation.claude_code import ClaudeCodeProvider
from subspec.delegation.claude_code import provider as claude_code
from subspec.delegation.in_process import SpawnProvider
from subspec.testing import Answer, ScriptedProvider

HERE = Path(__file__).parent
WORK = StartRequest("Find the bug.")


class Steps:
    """Counts the steps of coroutines, each up to where it waits, and cancels a task at some."""

    def __init__(self, are_to_cancel):
        self.taken = 0
        self.task = None
        self._are_to_cancel = are_to_cancel

    def of(self, coroutine):
        return _Steps(self, coroutine)

    def take(self):
        self.taken += 1
        if self._are_to_cancel(self.taken):
            self.task.cancel()


class _Steps:
    def __init__(self, steps, coroutine):
        self._steps = steps
        self._coroutine = coroutine

    def __await__(self):
        inner = self._coroutine.__await__()
        step, given = inner.send, None
        while True:
            try:
                waits_for = step(given)
            except StopIteration as end:
                return end.value
            self._steps.take()
            try:
                step, given = inner.send, (yield waits_for)
            except BaseException as error:  # noqa: BLE001 - it is for whom it was thrown into
                step, given = inner.throw, error


class Stepped:
    """A provider, of which all steps are counted: those of its start, and those of its children."""

    def __init__(self, provider, steps):
        self.name = provider.name
        self.capabilities = provider.capabilities
        self._provider = provider
        self._steps = steps

    async def start(self, request):
        child = await self._steps.of(self._provider.start(request))
        return SteppedChild(child, self._steps)


class SteppedChild:
    def __init__(self, child, steps):
        self._child = child
        self._steps = steps

    async def result(self):
        return await self._steps.of(self._child.result())

    async def dispose(self):
        await self._steps.of(self._child.dispose())


def scripted(_):
    return ScriptedProvider(lambda _: Answer("Done.", delay=0.001, start_delay=0.001))


def spawn(_):
    def answer(messages, _):
        if len(messages) == 1:
            return ModelResponse([TextPart("I look."), ToolCallPart("look", {})])
        return ModelResponse([TextPart("Done.")])

    async def look() -> str:
        await settle()
        return "seen"

    return SpawnProvider(model=FunctionModel(answer), tools=[look])


def acp(folder):
    text = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "Done."}}
    update = {"method": "session/update", "params": {"sessionId": "s", "update": text}}
    lines = folder / "lines"
    lines.write_text(
        json.dumps(
            {
                "initialize": ['{"id": $id, "result": {"protocolVersion": 1}}'],
                "session/new": ['{"id": $id, "result": {"sessionId": "s"}}'],
                "session/prompt": [
                    json.dumps(update),
                    '{"id": $id, "result": {"stopReason": "end_turn"}}',
                ],
            }
        )
    )
    agent = [sys.executable, HERE / "rude_agent.py", "scripted", lines, folder / "log"]
    return AcpProvider(agent, name="acp", grace=0.1, cwd=folder)


def claude(folder):
    program = folder / "claude"
    if not program.exists():
        agent = shlex.join([sys.executable, str(HERE / "rude_claude.py")])
        program.write_text(f"#!/bin/sh\nexec {agent}\n")
        program.chmod(0o755)
    return ClaudeCodeProvider(cli_path=program, cwd=folder, env={"RUDE": "answers"})


def by_call(registry, name):
    return registry.delegate(name, WORK)


async def by_tool(registry, name):
    async with DelegationTool(
        registry, DelegationConfig(name, max_depth="provider-managed")
    ) as tool:
        return await tool.call({"description": "bug", "prompt": WORK.prompt})


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch, tmp_path, tmp_path_factory):
    monkeypatch.setattr(claude_code, "INTERRUPTION", 0.1)
    monkeypatch.setattr(claude_code, "GRACE", 0.1)
    monkeypatch.chdir(tmp_path)
    with nothing_left(monkeypatch, tmp_path_factory.mktemp("tmp")):
        yield


@pytest.mark.parametrize(
    ("way", "from_then_on"),
    [(by_call, False), (by_tool, True)],
    ids=["once by a call", "from then on by the tool"],
)
@pytest.mark.parametrize("make", [scripted, spawn, acp, claude])
def test_who_is_cancelled_at_any_step_leaves_nothing(make, way, from_then_on, tmp_path):
    @in_loop
    async def is_cancelled_at(step):
        heard = []
        steps = Steps(step.__le__ if from_then_on else step.__eq__)
        async with Registry() as registry:
            registry.listen(lambda event: heard.append(event.kind))
            registry.register(Stepped(make(tmp_path), steps))
            steps.task = caller = asyncio.create_task(way(registry, registry.providers[0]))
            await asyncio.wait({caller})
            assert registry.runs == ()
        assert heard in ([], ["started", "settled"])
        if not caller.cancelled():
            assert caller.result().text == "Done."
            assert steps.taken < step
        return caller.cancelled()

    assert is_cancelled_at(1)
    step = 2
    while is_cancelled_at(step):
        step += 1
