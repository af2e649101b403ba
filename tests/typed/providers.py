"""What the type checkers have to accept. They read it; nothing runs it."""

from subspec import SubagentSpec
from subspec.delegation import (
    Capabilities,
    Registry,
    RunResult,
    StartRequest,
    SubagentProvider,
    SubagentRun,
)
from subspec.delegation.acp import AcpProvider
from subspec.delegation.claude_code import ClaudeCodeProvider
from subspec.delegation.in_process import ForkProvider, SpawnProvider
from subspec.testing import ScriptedProvider


class OwnRun:
    """A child as others may write it."""

    async def result(self) -> RunResult:
        """Answer."""
        return RunResult("completed", "Done.")

    async def dispose(self) -> None:
        """Do nothing."""


class OwnProvider:
    """A provider as others may write it, with plain attributes."""

    name = "own"
    capabilities = Capabilities(persona=True)

    async def start(self, request: StartRequest) -> OwnRun:
        """Start a child."""
        del request
        return OwnRun()


def providers(spec: SubagentSpec) -> list[SubagentProvider]:
    """Make one of each kind."""
    acp: SubagentProvider = AcpProvider(["my-agent"])
    claude_code: SubagentProvider = ClaudeCodeProvider(spec)
    spawn: SubagentProvider = SpawnProvider(spec)
    fork: SubagentProvider = ForkProvider(spec)
    scripted: SubagentProvider = ScriptedProvider(["Done."])
    own: SubagentProvider = OwnProvider()
    return [acp, claude_code, spawn, fork, scripted, own]


async def children(spec: SubagentSpec, request: StartRequest) -> list[SubagentRun]:
    """Start a child of each kind."""
    return [
        await AcpProvider(["my-agent"]).start(request),
        await ClaudeCodeProvider(spec).start(request),
        await SpawnProvider(spec).start(request),
        await ForkProvider(spec).start(request),
        await ScriptedProvider(["Done."]).start(request),
    ]


def registry(spec: SubagentSpec) -> Registry:
    """Register all."""
    made = Registry()
    for provider in providers(spec):
        made.register(provider)
    return made
