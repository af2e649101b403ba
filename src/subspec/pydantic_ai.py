"""The subagents of subagents-pydantic-ai: a class for one, and the files in which they stand.

.. code-block:: python

    from subagents_pydantic_ai import create_subagent_toolset
    from subspec.pydantic_ai import load_subagents

    specs = load_subagents("subagents.yaml")
    toolset = create_subagent_toolset([spec.to_config() for spec in specs])

A file holds a list of subagents, by itself, under ``subagents``, or as what Pydantic AI gives to
its ``SubAgentCapability``. Nothing here imports either package.
"""

from subspec.formats.subagent_config import SubAgentSpec
from subspec.store.subagents import load_subagents, loads_subagents, save_subagents

__all__ = ["SubAgentSpec", "load_subagents", "loads_subagents", "save_subagents"]
