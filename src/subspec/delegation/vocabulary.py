"""What a parent says to a provider, and what it hears back.

What was not given is :data:`ABSENT`, never None and never empty: a filter without ``allow`` keeps
every tool, one with an empty ``allow`` keeps none.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Annotated, Any, Literal, Protocol, get_args, runtime_checkable

from attrs import field, frozen

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.errors import DelegationError, ErrorCode, unknown
from subspec.delegation.fields import LIVE, verify
from subspec.problems import quoted
from subspec.shapes import AtLeast, FrozenMap, NotBlank, freeze

StopReason = Literal["completed", "aborted", "error", "max-tokens", "refusal"]
Text = Annotated[str, NotBlank()]
Names = tuple[str, ...]
Count = Annotated[int, AtLeast(1)]
Depth = Annotated[int, AtLeast(0)]

_STOP_REASONS: Collection[str] = get_args(StopReason)


def _names(value: Iterable[str] | Absent) -> Names | Absent:
    # Only a list is one: a text would become its letters, and a set has no order to keep.
    return tuple(value) if isinstance(value, list) else value  # type: ignore[return-value]


def _schema(value: Mapping[str, Any] | Absent) -> FrozenMap | Absent:
    return freeze(value)  # type: ignore[no-any-return]


@frozen(kw_only=True)
class AgentOptions:
    """Which model a child runs on.

    Raises:
        SpecError: A value is wrong; all faults at once.
    """

    provider: Text | Absent = ABSENT
    """The provider of the model."""

    model: Text | Absent = ABSENT
    """The model."""

    max_tokens: Count | Absent = ABSENT
    """How many tokens an answer may have, at least 1."""

    def __attrs_post_init__(self) -> None:
        """Refuse wrong values."""
        verify(self)


@frozen(kw_only=True)
class ToolFilter:
    """Which of the parent's tools a child keeps.

    Raises:
        SpecError: A value is wrong; all faults at once.
    """

    allow: Names | Absent = field(default=ABSENT, converter=_names)
    """The tools it keeps. Absent: all. Empty: none."""

    deny: Names | Absent = field(default=ABSENT, converter=_names)
    """The tools it loses, of those that it would keep."""

    def __attrs_post_init__(self) -> None:
        """Refuse wrong values."""
        verify(self)

    def kept(self, tools: Iterable[str]) -> Names:
        """Give those of the tools that a child keeps, in their order.

        Args:
            tools: The tools there are.

        Raises:
            DelegationError: ``UNKNOWN_TOOL``: the filter names a tool that there is not.
        """
        known = tuple(tools)
        allow = known if self.allow is ABSENT else self.allow
        deny = () if self.deny is ABSENT else self.deny
        for name in (*allow, *deny):
            if name not in known:
                raise DelegationError(ErrorCode.UNKNOWN_TOOL, unknown("tool", name, known))
        return tuple(name for name in known if name in allow and name not in deny)


@frozen
class StartRequest:
    """The work that a child is started with.

    Raises:
        SpecError: A value is wrong; all faults at once.
    """

    prompt: Text
    """What the child is to do."""

    description: Text | Absent = field(default=ABSENT, kw_only=True)
    """The same in a few words, for people to see."""

    parent_depth: Depth = field(default=0, kw_only=True)
    """How deep the agent is that asks: 0 for one that nobody delegated to."""

    agent_options: AgentOptions | Absent = field(default=ABSENT, kw_only=True)
    """Which model the child runs on. Absent: the provider decides."""

    persona: Text | Absent = field(default=ABSENT, kw_only=True)
    """Who the child is told to be."""

    tool_filter: ToolFilter | Absent = field(default=ABSENT, kw_only=True)
    """Which tools it keeps. Absent: the provider decides."""

    max_depth: Depth | Absent = field(default=ABSENT, kw_only=True)
    """How deep a child may be, counted from the top; 0 forbids delegation. Absent: any depth."""

    output_schema: FrozenMap | Absent = field(default=ABSENT, kw_only=True, converter=_schema)
    """The JSON schema of the answer."""

    conversation: Any | Absent = field(
        default=ABSENT,
        kw_only=True,
        eq=False,
        repr=False,
        metadata={LIVE: "the conversation of the parent"},
    )
    """What the parent has talked about, in the form that the provider takes.

    It may be objects of Python, and takes no part in equality.
    """

    def __attrs_post_init__(self) -> None:
        """Refuse wrong values."""
        verify(self)

    @property
    def depth(self) -> int:
        """How deep the child will be."""
        return self.parent_depth + 1


_ASKED_BY = {
    "output_schema": "output_schema",
    "depth_limit": "max_depth",
    "tool_filter": "tool_filter",
    "persona": "persona",
}
"""Each capability, with the field of a request that asks for it."""


@frozen(kw_only=True)
class Capabilities:
    """What a provider heeds when it starts a child. What it does not state it does not have.

    Raises:
        SpecError: A value is wrong; all faults at once.
    """

    output_schema: bool = False
    """The answer follows a JSON schema."""

    depth_limit: bool = False
    """The child's own delegation is held to ``max_depth``."""

    tool_filter: bool = False
    """The child has the tools that a filter leaves, and no other."""

    persona: bool = False
    """The child is told who it is."""

    def __attrs_post_init__(self) -> None:
        """Refuse wrong values."""
        verify(self)

    def lacking(self, request: StartRequest) -> Names:
        """Name the capabilities that a request asks for and that are not here."""
        return tuple(
            name
            for name, asked_by in _ASKED_BY.items()
            if getattr(request, asked_by) is not ABSENT and not getattr(self, name)
        )


@frozen
class RunResult:
    """How a child ended. Only ``completed`` is a success.

    Raises:
        SpecError: A value is wrong; all faults at once.
    """

    stop_reason: StopReason
    """Why it stopped."""

    text: str = ""
    """What it answered; for one that was cut short, what there was until then."""

    diagnostic: Text | Absent = field(default=ABSENT, kw_only=True)
    """What went wrong. It is apart from the text, since the text is the child's own."""

    def __attrs_post_init__(self) -> None:
        """Refuse wrong values."""
        verify(self)

    @classmethod
    def stopped(cls, reason: str, text: str = "") -> "RunResult":
        """Make the result for a stop reason as a child gave it; an unknown one is an error."""
        if reason in _STOP_REASONS:
            return cls(reason, text)  # type: ignore[arg-type]
        return cls("error", text, diagnostic=f"unknown stop reason {quoted(reason)}")

    @property
    def succeeded(self) -> bool:
        """Whether the text is the answer."""
        return self.stop_reason == "completed"

    def answer(self) -> str:
        """Give the answer.

        Raises:
            DelegationError: ``RUN_FAILED``: there is none. The message holds what there is of it.
        """
        if self.succeeded:
            return self.text
        raise DelegationError(ErrorCode.RUN_FAILED, self.told())

    def told(self) -> str:
        """Say in a sentence how the child ended, with all that it said."""
        said = quoted(self.text, limit=len(self.text))
        if self.succeeded:
            return f"the child answered {said}"
        message = f"the child stopped with '{self.stop_reason}'"
        if self.diagnostic is not ABSENT:
            message += f": {self.diagnostic}"
        if self.text:
            message += f"; until then it said {said}"
        return message


@runtime_checkable
class SubagentRun(Protocol):
    """A child that runs, as its provider hands it over."""

    async def result(self) -> RunResult:
        """Wait until the child has ended, and say how. It is called once.

        Every way to end is a result; what is raised counts as an error of the provider.
        """
        ...

    async def dispose(self) -> None:
        """Cancel what still runs, and wait until the child is quiet.

        :meth:`result` comes to an end then. It is called once, after the child has ended or before.
        """
        ...


@runtime_checkable
class SubagentProvider(Protocol):
    """Starts children of one kind.

    It may have two things more. ``inherits_conversation = True`` says that its children know what
    was said in the parent's conversation; without it, a request with a conversation is refused.
    ``check(request)`` raises :class:`DelegationError` for what a start would refuse whatever
    happens, such as a filter that names an unknown tool: it is called before each start, and when
    a tool is made, so that a wrong configuration shows then.
    """

    @property
    def name(self) -> str:
        """The name that callers pick it by."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """What it heeds when it starts a child."""
        ...

    async def start(self, request: StartRequest) -> SubagentRun:
        """Start a child.

        It asks for nothing that the capabilities lack. When this raises or is cancelled, whatever
        was begun has been cleaned up.
        """
        ...
