"""Children in this process that start fresh."""

from subspec.delegation.in_process.provider import InProcessProvider


class SpawnProvider(InProcessProvider):
    """Starts children that know nothing but their prompt.

    .. code-block:: python

        critic = SubagentSpec("Reads texts.", "You are a critic.", tools=["Read"])
        registry.register(SpawnProvider(critic, model="openai:gpt-4.1", tools={"Read": read}))
    """

    name = "spawn"
