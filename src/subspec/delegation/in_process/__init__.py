"""Children in this process, as agents of Pydantic AI (the extra ``pydantic-ai``)."""

from subspec.delegation.in_process.fork import ForkProvider
from subspec.delegation.in_process.history import completed_turns
from subspec.delegation.in_process.spawn import SpawnProvider

__all__ = ["ForkProvider", "SpawnProvider", "completed_turns"]
