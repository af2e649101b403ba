"""Delegations, beside the calls that they would be without a registry."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

from subspec import SubagentSpec
from subspec.delegation import Registry, StartRequest
from subspec.testing import FOREVER, Answer, ScriptedProvider

REQUEST = StartRequest("Find the bug.")
PROMPT = "You find bugs."

Calls = dict[str, Callable[[], None]]


def of_scripted_children(loop: asyncio.AbstractEventLoop, times: int) -> Calls:
    """Start a child that answers at once, by a registry and by its own coroutines."""
    provider = ScriptedProvider(lambda _: "In line 7.")
    registry = Registry()
    registry.register(provider)

    async def by_registry() -> str:
        return (await registry.delegate("scripted", REQUEST)).answer()

    async def by_itself() -> str:
        child = await provider.start(REQUEST)
        try:
            return (await child.result()).answer()
        finally:
            await child.dispose()

    def forget() -> None:
        provider.requests.clear()
        provider.children.clear()

    return {
        "subspec": partial(_repeat, loop, by_registry, times, forget),
        "its coroutines, directly": partial(_repeat, loop, by_itself, times, forget),
    }


def of_agents(loop: asyncio.AbstractEventLoop, times: int) -> Calls:
    """Run an agent of Pydantic AI on a model that is a function, as a child and by itself."""
    from pydantic_ai import Agent  # noqa: PLC0415 - slow to import, where memory is measured
    from pydantic_ai.messages import ModelResponse, TextPart  # noqa: PLC0415
    from pydantic_ai.models.function import FunctionModel  # noqa: PLC0415

    from subspec.delegation.in_process import SpawnProvider  # noqa: PLC0415

    model = FunctionModel(lambda _, __: ModelResponse([TextPart("In line 7.")]))
    agent = Agent(model, instructions=PROMPT)
    registry = Registry()
    registry.register(SpawnProvider(SubagentSpec("Finds bugs.", PROMPT), model=model))

    async def as_child() -> str:
        return (await registry.delegate("spawn", REQUEST)).answer()

    async def by_itself() -> str:
        return (await agent.run(REQUEST.prompt)).output

    return {
        "subspec": partial(_repeat, loop, as_child, times),
        "Agent.run": partial(_repeat, loop, by_itself, times),
    }


def hold_runs(count: int) -> None:
    """Have so many children run at once."""

    async def hold() -> None:
        provider = ScriptedProvider(lambda _: Answer(delay=FOREVER))
        async with Registry() as registry:
            registry.register(provider)
            await asyncio.gather(*(registry.start("scripted", REQUEST) for _ in range(count)))

    asyncio.run(hold())


def hold_tasks(count: int) -> None:
    """Have so many tasks wait at once."""

    async def hold() -> None:
        tasks = [asyncio.create_task(asyncio.Event().wait()) for _ in range(count)]
        await asyncio.sleep(0)
        for task in tasks:
            task.cancel()

    asyncio.run(hold())


def _repeat(
    loop: asyncio.AbstractEventLoop,
    call: Callable[[], Awaitable[Any]],
    times: int,
    after: Callable[[], None] = lambda: None,
) -> None:
    async def repeated() -> None:
        for _ in range(times):
            await call()

    loop.run_until_complete(repeated())
    after()
