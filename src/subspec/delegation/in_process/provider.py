"""The driver of children in this process, on agents of Pydantic AI. It registers nothing.

:class:`~subspec.delegation.in_process.SpawnProvider` and
:class:`~subspec.delegation.in_process.ForkProvider` differ in what their children know at the
start.
"""

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Coroutine, Mapping, Sequence
from contextlib import ExitStack, suppress
from contextvars import Context, ContextVar, copy_context
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, TypeGuard, Union

from immutabledict import immutabledict

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.errors import DelegationError, ErrorCode, described
from subspec.delegation.extra import require_pydantic_ai
from subspec.delegation.in_process.answers import answer_type, ended, failed, said
from subspec.delegation.in_process.models import Models
from subspec.delegation.in_process.outline import Outline, outline_of, unheeded
from subspec.delegation.in_process.toolbox import (
    Filters,
    Toolbox,
    Tools,
    names_at_hand,
    names_in,
    native_names,
    tools_that_stay,
)
from subspec.delegation.place import Place, at_place
from subspec.delegation.tasks import finished
from subspec.delegation.vocabulary import Capabilities, RunResult, StartRequest, ToolFilter
from subspec.problems import warn
from subspec.pydantic_ai import SubAgentSpec
from subspec.shapes import kind, thaw
from subspec.spec import SubagentSpec

if TYPE_CHECKING:
    from pydantic_ai import UsageLimits
    from pydantic_ai.agent import AbstractAgent
    from pydantic_ai.messages import ModelMessage
    from pydantic_ai.models import Model

    AnyAgent = AbstractAgent[Any, Any]

Factory = Callable[[StartRequest], Union["AnyAgent", Awaitable["AnyAgent"]]]
Source = Union[SubagentSpec, SubAgentSpec, "AnyAgent", Factory, None]
"""What children are made from: a spec, an agent, what makes one for a request, or nothing said."""

_OUTSIDE: ContextVar[Context | None] = ContextVar("subspec.delegation.outside", default=None)
"""The context of a child as it was before its agent was overridden.

What overrides an agent is for one child, and not for those that it starts of the same agent.
"""

_NONE_NAMED: "Mapping[str, Model | str]" = immutabledict()


class InProcessProvider:
    """Starts children that are agents of Pydantic AI in this process.

    It heeds a request in full: the persona takes the place of the spec's prompt, a filter leaves
    what the spec and the request both leave, ``agent_options`` go before the spec's model, and
    that before the parent's. All children share the parent's tools and nothing else.
    """

    name: str = "in-process"
    """The name that callers pick it by."""

    capabilities: Capabilities = Capabilities(
        output_schema=True, depth_limit=True, tool_filter=True, persona=True
    )
    """All there are."""

    inherits_conversation: ClassVar[bool] = False
    """Whether the children know the parent's conversation."""

    def __init__(
        self,
        agent: Source = None,
        *,
        name: str | None = None,
        model: "Model | str | None" = None,
        models: "Mapping[str, Model | str]" = _NONE_NAMED,
        tools: Tools = (),
        deps: Any = None,
        usage_limits: "UsageLimits | None" = None,
    ) -> None:
        """Make one.

        Args:
            agent: What the children are made from: a spec; an agent of Pydantic AI, or a function
                that makes one for a request; None for an agent that is told nothing but the
                request's persona.
            name: The name of the provider, if it is not to be the usual one.
            model: The parent's model, for children of which nobody says another.
            models: What the names of models stand for that Pydantic AI does not know: Claude
                Code's aliases, such as ``{"haiku": "anthropic:claude-haiku-4-5"}``, and others.
            tools: The parent's tools, of which children keep what filters leave. A mapping gives
                them the names that specs know them by.
            deps: What the tools get as ``RunContext.deps``.
            usage_limits: The limits of one child. Requests are also limited by a spec's
                ``max_turns``.

        Raises:
            ImportError: pydantic-ai-slim is not installed.
            TypeError: An agent or a tool is something else; or ``agent_kwargs`` of a spec hold
                what Pydantic AI's ``Agent`` does not take.

        Warns:
            SpecWarning: The spec sets what nothing in this process heeds.
        """
        require_pydantic_ai()
        if name is not None:
            self.name = name
        self._outline = _outline(agent)
        self._models = Models(model, models)
        self._deps = deps
        self._usage_limits = usage_limits
        toolbox = Toolbox.of(tools)
        self._source: AnyAgent | Factory
        if agent is None or isinstance(agent, SubagentSpec | SubAgentSpec):
            # An agent that has its tools is faster than one that is given them for each run.
            self._source, self._toolsets = _made(self._outline, toolbox), []
        else:
            self._source, self._toolsets = _checked(agent), toolbox.as_toolsets()

    def check(self, request: StartRequest) -> None:
        """Refuse what a start would refuse whatever happens, as far as that is known by now.

        Raises:
            DelegationError: ``UNKNOWN_TOOL``, or ``START_FAILED``: nobody says which model it is.
        """
        agent = self._source
        if _is_agent(agent):
            self._model(agent, request)
            filters = self._filters(request)
            names = names_at_hand([*agent.toolsets, *self._toolsets])
            if filters and names is not None:
                filters.check([*names, *native_names(agent.root_capability.get_native_tools())])

    async def start(self, request: StartRequest) -> "InProcessRun":
        """Start a child.

        Raises:
            DelegationError: ``UNKNOWN_TOOL``: a filter names a tool that there is not.
                ``START_FAILED``: there is no such model, or no such conversation; or a tool or the
                function that makes agents failed.
        """
        arguments: dict[str, Any] = {"deps": self._deps, "infer_name": False}
        arguments["toolsets"] = self._toolsets
        arguments["message_history"] = self._history(request)
        agent = await self._agent(request)
        arguments["model"] = model = self._model(agent, request)
        arguments["usage_limits"] = self._limits()
        arguments |= _settings(request)
        arguments["capabilities"] = [tools_that_stay()]
        overrides: dict[str, Any] = {}
        if request.persona is not ABSENT:
            overrides["instructions"] = request.persona
        if filters := self._filters(request):
            await self._check_names(filters, agent, model)
            arguments["capabilities"] += [filters.capability()]
            natives = list(agent.root_capability.get_native_tools())
            if (left := filters.natives(natives)) != natives:
                overrides["native_tools"] = left
        return InProcessRun(_lived(agent, request, arguments, overrides))

    def _history(self, request: StartRequest) -> "Sequence[ModelMessage] | None":
        """Give what the child knows at the start."""
        return None

    async def _agent(self, request: StartRequest) -> "AnyAgent":
        source = self._source
        if _is_agent(source):
            return source
        made: object = source(request)  # type: ignore[operator]  # what is no agent can be called
        agent = await made if inspect.isawaitable(made) else made
        if not _is_agent(agent):
            message = f"the function made no agent, but {kind(agent)}"
            raise DelegationError(ErrorCode.START_FAILED, message)
        return agent

    def _model(self, agent: "AnyAgent", request: StartRequest) -> "Model | str | None":
        return self._models.choose(request.agent_options, self._outline.model, agent.model)

    def _limits(self) -> "UsageLimits | None":
        from pydantic_ai import UsageLimits  # noqa: PLC0415 - an extra

        most = self._outline.max_turns
        if most is None:
            return self._usage_limits
        limits = self._usage_limits or UsageLimits(request_limit=None)
        given = limits.request_limit
        return replace(limits, request_limit=most if given is None else min(most, given))

    def _filters(self, request: StartRequest) -> Filters:
        filters: list[ToolFilter | Absent] = [self._outline.tool_filter, request.tool_filter]
        return Filters([each for each in filters if each is not ABSENT])

    async def _check_names(
        self, filters: Filters, agent: "AnyAgent", model: "Model | str | None"
    ) -> None:
        from pydantic_ai import RunContext, RunUsage  # noqa: PLC0415 - an extra
        from pydantic_ai.models import infer_model  # noqa: PLC0415 - an extra

        # Where no model was chosen, it is the agent's own.
        ready = infer_model(model or agent.model or "")
        context = RunContext(deps=self._deps, model=ready, usage=RunUsage())
        names = await names_in([*agent.toolsets, *self._toolsets], context)
        filters.check([*names, *native_names(agent.root_capability.get_native_tools())])


class InProcessRun:
    """A child in this process."""

    def __init__(self, life: Coroutine[Any, Any, RunResult]) -> None:
        outside = _OUTSIDE.get() or copy_context()
        self._life: asyncio.Task[RunResult] = outside.copy().run(asyncio.create_task, life)

    async def result(self) -> RunResult:
        """Wait until the child has ended, and say how."""
        await asyncio.wait({self._life})
        # It may have been cancelled before it began.
        return RunResult("aborted") if self._life.cancelled() else self._life.result()

    async def dispose(self) -> None:
        """Cancel the child, and wait until it is quiet, the tools it called included."""
        self._life.cancel()
        await finished(self._life)


async def _lived(
    agent: "AnyAgent",
    request: StartRequest,
    arguments: Mapping[str, Any],
    overrides: Mapping[str, Any],
) -> RunResult:
    place = Place(request.depth, request.max_depth)
    with at_place(place):
        result = await _ran(agent, request.prompt, arguments, overrides)
    closing = asyncio.create_task(place.aclose())
    with suppress(asyncio.CancelledError):
        await finished(closing)
    if (error := closing.exception()) is None:
        return result
    return RunResult("error", result.text, diagnostic=str(error))


async def _ran(
    agent: "AnyAgent", prompt: str, arguments: Mapping[str, Any], overrides: Mapping[str, Any]
) -> RunResult:
    from pydantic_ai import capture_run_messages  # noqa: PLC0415 - an extra

    with ExitStack() as stack:
        messages = stack.enter_context(capture_run_messages())
        try:
            if overrides:
                _OUTSIDE.set(copy_context())
                stack.enter_context(agent.override(**overrides))
            run = await agent.run(prompt, **arguments)
            return ended(run.output, messages)
        except asyncio.CancelledError:
            return RunResult("aborted", said(messages))
        except Exception as error:  # noqa: BLE001 - whatever it is, it is how the child ended
            return failed(error, messages)


def _outline(agent: Source) -> Outline:
    if agent is None or isinstance(agent, SubagentSpec | SubAgentSpec):
        warn(unheeded(agent))
        return outline_of(agent)
    return Outline()


def _made(outline: Outline, toolbox: Toolbox) -> "AnyAgent":
    from pydantic_ai import Agent  # noqa: PLC0415 - an extra

    return Agent(
        name=outline.name,
        instructions=outline.instructions,
        tools=toolbox.functions,
        toolsets=toolbox.toolsets,
        **thaw(outline.arguments),
    )


def _checked(agent: "AnyAgent | Factory") -> "AnyAgent | Factory":
    if _is_agent(agent) or callable(agent):
        return agent
    msg = f"a child is made from a spec, an agent or a function, not from {kind(agent)}"
    raise TypeError(msg)


def _settings(request: StartRequest) -> dict[str, Any]:
    settings: dict[str, Any] = {}
    options = request.agent_options
    if options is not ABSENT and options.max_tokens is not ABSENT:
        settings["model_settings"] = {"max_tokens": options.max_tokens}
    if request.output_schema is not ABSENT:
        try:
            settings["output_type"] = answer_type(thaw(request.output_schema))
        except Exception as error:
            message = f"the schema of the answer cannot be used: {described(error)}"
            raise DelegationError(ErrorCode.START_FAILED, message) from error
    return settings


def _is_agent(value: object) -> "TypeGuard[AnyAgent]":
    from pydantic_ai.agent import AbstractAgent  # noqa: PLC0415 - an extra

    return isinstance(value, AbstractAgent)
