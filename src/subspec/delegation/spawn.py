"""Children in this process that start fresh."""

from subspec.delegation.in_process import InProcessProvider


class SpawnProvider(InProcessProvider):
    """Starts children that know nothing but their prompt.

    >>> from subspec import SubagentSpec
    >>> critic = SubagentSpec("Reads texts.", "You are a critic.", tools=["Read"])
    >>> SpawnProvider(critic, model="test", tools={"Read": open}).name
    'spawn'
    """

    name = "spawn"
