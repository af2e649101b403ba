"""The configuration of one delegation tool, and how it is read."""

from collections.abc import Mapping
from typing import Any, Literal, TypeVar

from attrs import AttrsInstance, field, fields, frozen

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.fields import KEY, key_of, nested_class, shape_of_class, verify
from subspec.delegation.vocabulary import AgentOptions, Depth, StartRequest, Text, ToolFilter
from subspec.problems import SpecError
from subspec.shapes import thaw

T = TypeVar("T", bound=AttrsInstance)

DEFAULT_MAX_DEPTH = 3
RUN_IN_BACKGROUND = "enableRunInBackground"


@frozen
class DelegationConfig:
    """One delegation tool: the provider behind it, and what its children are started with.

    Raises:
        SpecError: A value is wrong; all faults at once.
    """

    provider: Text
    """The name of the provider."""

    tool_name: Text = field(default="subagent", kw_only=True)
    """The name by which the model calls the tool."""

    run_in_background: bool = field(default=False, kw_only=True, metadata={KEY: RUN_IN_BACKGROUND})
    """Whether the model may ask not to wait for the result."""

    background_mode: Literal["one-shot", "continuable"] | Absent = field(
        default=ABSENT, kw_only=True
    )
    """Whether the harness lets the model go on with a child in the background. Kept for it only.

    A file that says so lets the model not wait, unless it says something else.
    """

    agent_options: AgentOptions | Absent = field(default=ABSENT, kw_only=True)
    """Which model the children run on."""

    persona: Text | Absent = field(default=ABSENT, kw_only=True)
    """Who the children are told to be."""

    tool_filter: ToolFilter | Absent = field(default=ABSENT, kw_only=True)
    """Which tools they keep."""

    max_depth: Depth | Literal["provider-managed"] = field(default=DEFAULT_MAX_DEPTH, kw_only=True)
    """How deep a child may be; 0 forbids delegation, ``provider-managed`` sends no limit."""

    def __attrs_post_init__(self) -> None:
        """Refuse wrong values."""
        verify(self)

    def request(
        self,
        prompt: str,
        *,
        description: str | Absent = ABSENT,
        parent_depth: int = 0,
        conversation: Any | Absent = ABSENT,
    ) -> StartRequest:
        """Make the request for one call of the tool. What is absent here is absent there.

        Args:
            prompt: What the child is to do.
            description: The same in a few words.
            parent_depth: How deep the agent is that calls the tool.
            conversation: What that agent has talked about.

        Raises:
            SpecError: The prompt or the description is blank.
        """
        return StartRequest(
            prompt,
            description=description,
            parent_depth=parent_depth,
            conversation=conversation,
            agent_options=self.agent_options,
            persona=self.persona,
            tool_filter=self.tool_filter,
            max_depth=ABSENT if self.max_depth == "provider-managed" else self.max_depth,
        )


def delegation_config(data: Any) -> DelegationConfig:
    """Read a configuration from plain data: the ``config`` of a plugin entry, in camelCase keys.

    Nothing is converted, and a key that is left out stays absent.

    Raises:
        SpecError: The data is wrong: keys that nothing reads, that are missing, or that hold the
            wrong values. All of that is named, each with its path.

    >>> delegation_config({"provider": "spawn", "toolFilter": {"deny": ["Bash"]}}).tool_filter
    ToolFilter(allow=ABSENT, deny=('Bash',))
    """
    if problems := _SHAPE.check(data):
        raise SpecError(problems)
    if "backgroundMode" in data:
        data = {RUN_IN_BACKGROUND: True, **data}
    return _read(DelegationConfig, data)


def delegation_data(config: DelegationConfig) -> dict[str, Any]:
    """Give what a configuration says beyond what is meant anyway, in camelCase keys.

    >>> delegation_data(DelegationConfig("spawn", tool_filter=ToolFilter(deny=["Bash"])))
    {'provider': 'spawn', 'toolFilter': {'deny': ['Bash']}}
    """
    data = _data(config)
    if config.background_mode is not ABSENT:
        data.pop(RUN_IN_BACKGROUND, None)
        if not config.run_in_background:
            data[RUN_IN_BACKGROUND] = False
    return data


def _data(instance: AttrsInstance) -> dict[str, Any]:
    data = {}
    for attribute in fields(type(instance)):
        value = getattr(instance, attribute.name)
        if value is not ABSENT and value != attribute.default:
            nested = nested_class(attribute.type)
            data[key_of(attribute)] = thaw(value) if nested is None else _data(value)
    return data


_SHAPE = shape_of_class(DelegationConfig)


def _read(cls: type[T], data: Mapping[str, Any]) -> T:
    values = {}
    for attribute in fields(cls):
        # Only what is there is handed on: the classes know what it means to be left out.
        if (key := key_of(attribute)) in data:
            nested = nested_class(attribute.type)
            values[attribute.name] = data[key] if nested is None else _read(nested, data[key])
    return cls(**values)
