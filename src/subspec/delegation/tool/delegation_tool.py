"""The delegation tool, as every runtime can offer it to a model.

A model that may delegate in the background gets further tools to look after its jobs, rather than
further parameters of the one: each then has an input that is right or wrong by its schema alone,
and a name that says what it does.
"""

import re
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, cast, final

from attrs import evolve, frozen

from subspec.delegation.absent import ABSENT, Absent
from subspec.delegation.config import DelegationConfig
from subspec.delegation.errors import DelegationError, ErrorCode
from subspec.delegation.registry import Registry
from subspec.delegation.tool import wording
from subspec.delegation.tool.jobs import Job, Jobs
from subspec.delegation.tool.replies import Reply, answered, not_put_away, not_started
from subspec.delegation.vocabulary import RunResult, StartRequest, Text
from subspec.problems import quoted
from subspec.shapes import Shape, record, shape_of

PROBE = "Nothing."
"""The prompt of the request by which a configuration is checked. No child gets it."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
_TEXT = shape_of(Text)
_FLAG = shape_of(bool)
_JOB = {"job_id": _TEXT}


@frozen(kw_only=True)
class Caller:
    """The agent that calls, as far as it is not the same at each call."""

    depth: int | Absent = ABSENT
    """How deep it is. Absent: as deep as the tool was made for."""

    max_depth: int | Absent = ABSENT
    """How deep its children may be, whatever the tool is configured with."""

    conversation: Any = ABSENT
    """What it has talked about, in the form that the provider takes, or absent."""


SOMEBODY = Caller()
"""A caller of whom nothing more is known."""

Answer = Callable[[Mapping[str, Any], Caller], Awaitable[Reply]]


@frozen
class ToolFunction:
    """One function that a model can call."""

    name: str
    """How the model calls it."""

    description: str
    """What the model is told of it."""

    input_schema: dict[str, Any]
    """The JSON schema of its input, an object."""

    _shape: Shape
    _answer: Answer

    async def call(self, arguments: object, caller: Caller = SOMEBODY) -> Reply:
        """Answer a call by the model.

        Whatever is wrong with the arguments, or goes wrong with the child, is a reply. To cancel
        this cancels the child.

        Args:
            arguments: What the model wrote, as plain data.
            caller: Whose model it is.

        Raises:
            SpecError: The depth of the caller is below 0.
        """
        if problems := self._shape.check(arguments):
            lines = [f"{self.name} was not called as it has to be:", *map(str, problems)]
            return Reply(["\n".join(lines)], is_error=True)
        try:
            return await self._answer(arguments, caller)  # type: ignore[arg-type]  # it is a mapping
        except DelegationError as error:
            return Reply([str(error)], is_error=True)


@final
class DelegationTool:
    """Lets a model hand work to child agents of one provider.

    It owns the children that it starts: it is an asynchronous context manager that ends its
    background jobs. To close the registry ends them too.
    """

    def __init__(self, registry: Registry, config: DelegationConfig, *, depth: int = 0) -> None:
        """Make one.

        Args:
            registry: Starts the children. The provider is registered there already.
            config: Which provider it is, and what the children are started with.
            depth: How deep the agent is that has the tool: 0 for one that nobody delegated to.

        Raises:
            DelegationError: No call could succeed: ``UNKNOWN_PROVIDER``;
                ``UNSUPPORTED_CAPABILITY``; what the provider itself refuses, such as
                ``UNKNOWN_TOOL``. ``BAD_TOOL``: the name is none that a model could call.
            SpecError: The depth is below 0.
        """
        self.config = config
        self.depth = depth
        self.inherits_conversation = registry.inherits_conversation(config.provider)
        """Whether the children know the conversation of who calls."""

        registry.check(config.provider, config.request(PROBE, parent_depth=depth))
        self._registry = registry
        self._jobs = Jobs(registry, config.provider)
        self.functions = self._functions()
        """What the model can call: to delegate, and then what looks after background jobs."""

        for function in self.functions:
            _refuse_bad_name(function.name)

    async def __aenter__(self) -> "DelegationTool":
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.aclose()

    @property
    def name(self) -> str:
        """How the model calls it."""
        return self.functions[0].name

    @property
    def description(self) -> str:
        """What the model is told of it."""
        return self.functions[0].description

    @property
    def input_schema(self) -> dict[str, Any]:
        """The JSON schema of its input."""
        return self.functions[0].input_schema

    async def call(self, arguments: object, caller: Caller = SOMEBODY) -> Reply:
        """Hand work on as a model asks; see :meth:`ToolFunction.call`."""
        return await self.functions[0].call(arguments, caller)

    def at_depth(self, depth: int) -> "DelegationTool":
        """Make the same tool for another agent, with background jobs of its own.

        Args:
            depth: How deep that agent is.

        Raises:
            DelegationError: No call could succeed any more, for the reasons given above.
        """
        return DelegationTool(self._registry, self.config, depth=depth)

    async def aclose(self) -> None:
        """Cancel what still runs, wait until it is put away, and start nothing any more.

        Raises:
            DelegationError: ``DISPOSAL_FAILED``: some child could not be put away; all others were.
        """
        await self._jobs.aclose()

    def _functions(self) -> tuple[ToolFunction, ...]:
        names = wording.Names(self.config.tool_name)
        how = {"forked": self.inherits_conversation, "background": self.config.run_in_background}
        delegate = ToolFunction(
            names.delegate,
            wording.delegate_description(names, **how),
            wording.delegate_schema(**how),
            record(
                {"description": _TEXT, "prompt": _TEXT},
                {"run_in_background": _FLAG} if self.config.run_in_background else {},
                closed=True,
            ),
            self._delegate,
        )
        if not self.config.run_in_background:
            return (delegate,)
        some_job = wording.job_schema(required=False), record({}, _JOB, closed=True)
        one_job = wording.job_schema(required=True), record(_JOB, {}, closed=True)
        return (
            delegate,
            ToolFunction(names.status, wording.status_description(names), *some_job, self._status),
            ToolFunction(
                names.collect, wording.collect_description(names), *one_job, self._collect
            ),
            ToolFunction(names.cancel, wording.cancel_description(names), *one_job, self._cancel),
        )

    async def _delegate(self, arguments: Mapping[str, Any], caller: Caller) -> Reply:
        request = self.config.request(
            arguments["prompt"],
            description=arguments["description"],
            parent_depth=self.depth if caller.depth is ABSENT else caller.depth,
            conversation=caller.conversation,
        )
        if caller.max_depth is not ABSENT:
            given = caller.max_depth if request.max_depth is ABSENT else request.max_depth
            request = evolve(request, max_depth=min(given, caller.max_depth))
        if arguments.get("run_in_background", False):
            return await self._begin(request)
        try:
            job = await self._jobs.finish(request)
        except DelegationError as error:
            return not_started(error)
        return _ending(job)

    async def _begin(self, request: StartRequest) -> Reply:
        try:
            job_id = await self._jobs.start(request)
        except DelegationError as error:
            return not_started(error)
        collect = wording.Names(self.name).collect
        return Reply([f"Job {job_id} has begun. Its result comes by {collect}."])

    async def _status(self, arguments: Mapping[str, Any], _: Caller) -> Reply:
        jobs = self._jobs.kept
        if "job_id" in arguments:
            wanted = arguments["job_id"]
            jobs = {wanted: self._jobs.find(wanted)}
        else:
            jobs = {job_id: job for job_id, job in jobs.items() if not job.collected}
        lines = [_line(job_id, job) for job_id, job in jobs.items()]
        return Reply(["\n".join(lines) if lines else "There is no job that was not collected."])

    async def _collect(self, arguments: Mapping[str, Any], _: Caller) -> Reply:
        job = self._jobs.find(arguments["job_id"])
        await job.ended()
        job.collected = True
        return _ending(job)

    async def _cancel(self, arguments: Mapping[str, Any], _: Caller) -> Reply:
        job_id = arguments["job_id"]
        job = self._jobs.find(job_id)
        await job.cancel()
        if job.failure is not None:
            return _ending(job)
        # It may have ended before it could be cancelled.
        return Reply([f"Job {job_id} has ended: {job.state}."])


def _ending(job: Job) -> Reply:
    if job.failure is not None:
        return not_put_away(job.outcome, job.failure)
    return answered(cast("RunResult", job.outcome))


def _line(job_id: str, job: Job) -> str:
    description = job.request.description
    what = "" if description is ABSENT else f" ({quoted(description)})"
    return f"{job_id}{what}: {job.state}"


def _refuse_bad_name(name: str) -> None:
    if _NAME.fullmatch(name) is None:
        message = (
            f"no model can call a tool {quoted(name, limit=len(name))}:"
            " its name must be up to 64 letters, digits, '_' and '-'"
        )
        raise DelegationError(ErrorCode.BAD_TOOL, message)
