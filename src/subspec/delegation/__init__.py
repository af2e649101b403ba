"""Handing work to child agents: named providers, requests and results.

Several providers live side by side in a :class:`Registry`, each under its own name, and a caller
picks one by name. A request that a provider would not heed in full is refused before there is a
child, and what a request leaves out is absent from it, never empty.
"""

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.config import DelegationConfig, delegation_config
from subspec.delegation.errors import DelegationError, ErrorCode
from subspec.delegation.place import Place, current_place
from subspec.delegation.plugins import register_installed
from subspec.delegation.registry import Event, Registry
from subspec.delegation.runs import Run
from subspec.delegation.tool import Caller, DelegationTool, Reply, ToolFunction
from subspec.delegation.vocabulary import (
    AgentOptions,
    Capabilities,
    RunResult,
    StartRequest,
    StopReason,
    SubagentProvider,
    SubagentRun,
    ToolFilter,
)

__all__ = [
    "ABSENT",
    "Absent",
    "AgentOptions",
    "Caller",
    "Capabilities",
    "DelegationConfig",
    "DelegationError",
    "DelegationTool",
    "ErrorCode",
    "Event",
    "Place",
    "Registry",
    "Reply",
    "Run",
    "RunResult",
    "StartRequest",
    "StopReason",
    "SubagentProvider",
    "SubagentRun",
    "ToolFilter",
    "ToolFunction",
    "current_place",
    "delegation_config",
    "register_installed",
]
