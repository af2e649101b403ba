import asyncio
from contextlib import suppress

import attrs
import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_delegation import (
    STILL_THERE,
    Child,
    Provider,
    Recorder,
    in_loop,
    messages,
    moments,
    refused,
    registry_with,
    settle,
)

from subspec.delegation import (
    ABSENT,
    Caller,
    Capabilities,
    DelegationConfig,
    DelegationError,
    DelegationTool,
    ErrorCode,
    Reply,
    RunResult,
    StartRequest,
    ToolFilter,
    delegation_config,
    runs,
)
from subspec.testing import FOREVER, Answer, ScriptedProvider

CALL = {"description": "Find the bug", "prompt": "Find the bug in line 7."}
ASIDE = {**CALL, "run_in_background": True}
BEGUN = "Job scripted-1 has begun. Its result comes by subagent_collect."
JOB = {"job_id": "scripted-1"}


def tool_of(script=(), *, depth=0, registry=None, **config):
    """A tool over a scripted provider; what it is configured with is beside it."""
    provider = ScriptedProvider(script)
    registry = registry_with(provider) if registry is None else registry
    return DelegationTool(registry, DelegationConfig("scripted", **config), depth=depth), provider


def tool_over(provider, **config):
    config = {"max_depth": "provider-managed", **config}
    return DelegationTool(registry_with(provider), DelegationConfig(provider.name, **config))


def aside(*script):
    """A tool that may run in the background, with its functions by what they do."""
    tool, provider = tool_of(script, run_in_background=True)
    return tool, provider, *(function.call for function in tool.functions)


def failed(*parts):
    return Reply(parts, is_error=True)


# What the model sees of the tool


def test_a_fresh_child_needs_a_prompt_that_stands_alone():
    tool, _ = tool_of()

    assert not tool.inherits_conversation
    assert "it sees nothing of this conversation" in tool.description
    assert "a prompt that stands alone" in tool.description
    assert "all that the subagent needs" in tool.input_schema["properties"]["prompt"]["description"]


def test_a_forked_child_knows_the_conversation():
    tool = tool_over(ScriptedProvider(inherits_conversation=True))

    assert tool.inherits_conversation
    assert "It knows this conversation up to the end of your last turn" in tool.description
    assert "stands alone" not in tool.description
    assert "the conversation so far" in tool.input_schema["properties"]["prompt"]["description"]


def test_the_model_says_what_is_to_be_done_and_not_by_whom():
    tool, _ = tool_of(tool_name="helper")

    assert tool.name == "helper"
    assert tool.functions == tool.functions[:1]
    assert list(tool.input_schema["properties"]) == ["description", "prompt"]
    assert "background" not in tool.description


def test_a_tool_for_the_background_comes_with_others_that_look_after_jobs():
    tool, _ = tool_of(tool_name="helper", run_in_background=True)
    names = ["helper", "helper_status", "helper_collect", "helper_cancel"]

    assert [function.name for function in tool.functions] == names
    assert all(name in tool.description for name in names[1:])
    assert all("helper" in function.description for function in tool.functions[1:])
    assert list(tool.input_schema["properties"]) == ["description", "prompt", "run_in_background"]


TEXTS = st.sampled_from(["", "x", 1, None, True])
ARGUMENTS = st.one_of(
    st.fixed_dictionaries(
        {},
        optional={
            "description": TEXTS,
            "prompt": TEXTS,
            "run_in_background": st.booleans() | TEXTS,
            "job_id": TEXTS,
            "provider": TEXTS,
        },
    ),
    st.sampled_from([None, [], "text"]),
)


@given(arguments=ARGUMENTS, background=st.booleans())
def test_what_the_schema_forbids_is_refused_and_nothing_else(arguments, background):
    tool, _ = tool_of(run_in_background=background)
    for function in tool.functions:
        jsonschema.Draft202012Validator.check_schema(function.input_schema)
        allowed = jsonschema.Draft202012Validator(function.input_schema).is_valid(arguments)

        assert (not function._shape.check(arguments)) == allowed


@in_loop
async def test_the_model_is_told_all_that_is_wrong_with_a_call():
    tool, provider = tool_of()

    assert await tool.call({"prompt": " ", "run_in_background": True}) == failed(
        "subagent was not called as it has to be:\n"
        "error: requires description [missing-key]\n"
        "error: prompt: must not be blank [blank-value]\n"
        "error: run_in_background: unknown key 'run_in_background' [unknown-key]"
    )
    assert provider.requests == []


def test_a_reply_can_be_one_text():
    assert failed("a", "b").text == "a\n\nb"


# Foreground


@in_loop
async def test_a_call_gives_the_answer_of_a_child_that_was_put_away():
    tool, provider = tool_of(["In line 7."], persona="A critic.", tool_filter=ToolFilter(deny=[]))

    assert await tool.call(CALL) == Reply(["In line 7."])
    assert provider.requests == [
        StartRequest(
            CALL["prompt"],
            description="Find the bug",
            persona="A critic.",
            tool_filter=ToolFilter(deny=[]),
            max_depth=3,
        )
    ]
    assert [child.disposals for child in provider.children] == [1]


STOPPED = "The subagent has not completed the task. It stopped with '{}'."
UNTIL_THEN = "What the subagent said until then; it is not an answer:"


@pytest.mark.parametrize(
    ("answer", "reply"),
    [
        (Answer(" \n"), Reply(["The subagent has completed the task, and said nothing."])),
        (Answer("Half", "max-tokens"), failed(STOPPED.format("max-tokens"), UNTIL_THEN, "Half")),
        (
            Answer("Half", "error", "no connection"),
            failed(STOPPED.format("error"), "Diagnostic: no connection", UNTIL_THEN, "Half"),
        ),
        (
            Answer("", "refusal", "not allowed"),
            failed(STOPPED.format("refusal"), "Diagnostic: not allowed"),
        ),
        (Answer("", "aborted"), failed(STOPPED.format("aborted"))),
        (Answer(error=OSError("x")), failed(STOPPED.format("error"), "Diagnostic: OSError: x")),
        (OSError("gone"), failed("The task was not handed on.", "Diagnostic: OSError: gone")),
    ],
    ids=["silent", "cut", "broken", "refused", "aborted", "raises", "no-start"],
)
@in_loop
async def test_only_a_child_that_completes_is_a_success(answer, reply):
    tool, provider = tool_of([answer])
    said = await tool.call(CALL)

    assert said.is_error == reply.is_error
    assert said.parts == tuple(
        part + " [START_FAILED]" if part.endswith("gone") else part for part in reply.parts
    )
    assert all(child.disposals == 1 for child in provider.children)


@in_loop
async def test_an_answer_counts_for_nothing_when_the_child_cannot_be_put_away():
    async def dispose():
        raise STILL_THERE

    async def result():
        return RunResult("completed", "In line 7.")

    tool = tool_over(Provider(Child(result, dispose)))

    assert await tool.call(CALL) == failed(
        "The subagent has completed the task, but could not be put away.",
        "Diagnostic: made-1 could not be put away: OSError: still there [DISPOSAL_FAILED]",
        "What the subagent said:",
        "In line 7.",
    )
    await tool.aclose()


@in_loop
async def test_a_child_of_which_nothing_is_known_is_an_error(monkeypatch):
    monkeypatch.setattr(runs, "PATIENCE", 0.01)

    class Stuck(Child):
        async def result(self):
            while not self.over.is_set():
                with suppress(asyncio.CancelledError):
                    await self.over.wait()
            return RunResult("aborted")

        async def dispose(self):
            pass

    child = Stuck()
    tool = tool_over(Provider(child))
    calling = asyncio.create_task(tool.call(CALL))
    await settle()
    said = "made-1 could not be put away: its result does not come to an end"
    with refused("DISPOSAL_FAILED", said):
        await tool.aclose()
    assert await calling == failed(
        "Nothing is known of how the subagent ended.", f"Diagnostic: {said} [DISPOSAL_FAILED]"
    )
    child.over.set()


@in_loop
async def test_siblings_run_side_by_side():
    together = asyncio.Event()
    waiting = []

    async def result():
        waiting.append(1)
        if len(waiting) == 3:
            together.set()
        await together.wait()
        return RunResult("completed", "together")

    tool = tool_over(Provider(*(Child(result) for _ in range(3))))
    replies = await asyncio.gather(*(tool.call(CALL) for _ in range(3)))

    assert replies == [Reply(["together"])] * 3


@pytest.mark.parametrize("call", [CALL, ASIDE])
@in_loop
async def test_to_cancel_the_caller_during_the_start_is_to_cancel_it(call):
    tool, _, delegate, status, *_ = aside(Answer(start_delay=FOREVER))
    calling = asyncio.create_task(delegate(call))
    await settle()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling

    assert await status({}) == Reply(["There is no job that was not collected."])
    assert tool._jobs._live == set()


@in_loop
async def test_to_cancel_the_caller_is_to_cancel_the_child():
    child = Child(dispose=lambda: asyncio.sleep(0.01))
    tool = tool_over(Provider(child))
    calling = asyncio.create_task(tool.call(CALL))
    await settle()
    calling.cancel()
    with pytest.raises(asyncio.CancelledError):
        await calling

    assert child.log == ["result", "dispose", "quiet"]


# Depth


@pytest.mark.parametrize(("limit", "deep"), [(0, 0), (1, 1), (3, 3), (3, 7)])
@in_loop
async def test_no_child_goes_deeper_than_the_limit(limit, deep):
    tool, provider = tool_of(max_depth=limit, depth=deep)

    assert await tool.call(CALL) == failed(
        "The task was not handed on.",
        f"Diagnostic: the child would be {deep + 1} deep, and the limit is {limit}"
        " [DEPTH_EXCEEDED]",
    )
    assert provider.requests == []


@pytest.mark.parametrize("limit", [0, 1, 3])
@in_loop
async def test_children_delegate_as_deep_as_the_limit(limit):
    """Each child hands its work on to one of its own, by a tool of its own."""
    depths = []

    async def start(request):
        depths.append(request.depth)
        tool = DelegationTool(registry, config, depth=request.depth)

        async def result():
            reply = await tool.call(CALL)
            return RunResult("completed", reply.parts[-1])

        return Child(result)

    provider = Provider(start=start)
    provider.capabilities = Capabilities(depth_limit=True)
    registry = registry_with(provider)
    config = DelegationConfig("made", max_depth=limit)
    reply = await DelegationTool(registry, config).call(CALL)

    assert depths == list(range(1, limit + 1))
    assert f"the child would be {limit + 1} deep, and the limit is {limit}" in reply.parts[-1]
    assert reply.is_error == (limit == 0)


@in_loop
async def test_the_depth_can_be_left_to_the_provider():
    tool, provider = tool_of(["a"], max_depth="provider-managed", depth=99)

    assert await tool.call(CALL) == Reply(["a"])
    assert provider.requests[0].depth == 100


@in_loop
async def test_a_caller_says_how_deep_it_is_and_what_it_has_talked_about():
    provider = ScriptedProvider("ab", inherits_conversation=True)
    tool = tool_over(provider)
    talk = object()
    await tool.call(CALL)
    await tool.call(CALL, Caller(depth=2, conversation=talk))

    first, second = provider.requests
    assert (first.parent_depth, first.conversation) == (0, ABSENT)
    assert (second.parent_depth, second.conversation) == (2, talk)


@in_loop
async def test_a_fresh_child_gets_no_conversation():
    tool, provider = tool_of("a")

    assert await tool.call(CALL, Caller(conversation=["hello"])) == failed(
        "The task was not handed on.",
        "Diagnostic: the provider 'scripted' does not support conversation"
        " [UNSUPPORTED_CAPABILITY]",
    )
    assert provider.requests == []


def test_a_conversation_may_be_anything_but_nothing():
    assert messages(StartRequest, "Work.", conversation=None) == [
        "error: conversation: must be the conversation of the parent, not null [wrong-type]"
    ]


# Background


@in_loop
async def test_a_job_is_begun_looked_at_and_collected():
    tool, provider, delegate, status, collect, _ = aside(Answer("In line 7.", delay=0.02))
    assert await delegate(ASIDE) == Reply([BEGUN])
    running = Reply(["scripted-1 ('Find the bug'): running"])
    assert (await status({}), await status(JOB)) == (running, running)
    assert await collect(JOB) == Reply(["In line 7."])
    assert await status({}) == Reply(["There is no job that was not collected."])
    assert await status(JOB) == Reply(["scripted-1 ('Find the bug'): completed"])
    assert await collect(JOB) == Reply(["In line 7."])

    assert provider.children[0].disposals == 1
    await tool.aclose()


@in_loop
async def test_a_job_is_put_away_before_anybody_collects_it():
    _, provider, delegate, status, *_ = aside("a", Answer("", "refusal"))
    await delegate(ASIDE)
    await delegate({**ASIDE, "description": "Two\nlines"})
    await settle()

    assert [child.disposals for child in provider.children] == [1, 1]
    assert (await status({})).text == (
        "scripted-1 ('Find the bug'): completed\nscripted-2 ('Two\\nlines'): refusal"
    )


@in_loop
async def test_who_may_use_the_background_need_not():
    _, _, delegate, status, *_ = aside("a")

    assert await delegate({**ASIDE, "run_in_background": False}) == Reply(["a"])
    assert await status({}) == Reply(["There is no job that was not collected."])


@in_loop
async def test_a_failed_start_is_told_at_once():
    _, _, delegate, status, *_ = aside(OSError("gone"))

    assert await delegate(ASIDE) == failed(
        "The task was not handed on.", "Diagnostic: OSError: gone [START_FAILED]"
    )
    assert await status({}) == Reply(["There is no job that was not collected."])


@in_loop
async def test_a_job_that_fails_is_an_error_once_it_is_collected():
    _, _, delegate, _, collect, _ = aside(Answer("Half", "max-tokens", "limit"))

    assert await delegate(ASIDE) == Reply([BEGUN])
    assert await collect(JOB) == failed(
        STOPPED.format("max-tokens"), "Diagnostic: limit", UNTIL_THEN, "Half"
    )


@in_loop
async def test_a_job_can_be_cancelled_and_what_it_said_collected():
    _, provider, delegate, status, collect, cancel = aside(Answer("so far", delay=FOREVER))
    await delegate(ASIDE)
    waiting = asyncio.create_task(collect(JOB))
    await settle()
    assert await cancel(JOB) == Reply(["Job scripted-1 has ended: aborted."])
    assert provider.children[0].disposals == 1
    assert await waiting == failed(STOPPED.format("aborted"), UNTIL_THEN, "so far")

    assert await cancel(JOB) == Reply(["Job scripted-1 has ended: aborted."])
    assert (await status(JOB)).text.endswith(": aborted")


@in_loop
async def test_to_cancel_a_job_that_is_over_changes_nothing():
    _, _, delegate, _, collect, cancel = aside("a")
    await delegate(ASIDE)
    await settle()

    assert await cancel(JOB) == Reply(["Job scripted-1 has ended: completed."])
    assert await collect(JOB) == Reply(["a"])


@in_loop
async def test_who_waits_for_a_job_may_stop_and_the_job_goes_on():
    tool, provider, delegate, status, collect, _ = aside(Answer("a", delay=FOREVER))
    await delegate(ASIDE)
    waiting = asyncio.create_task(collect(JOB))
    await settle()
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert provider.children[0].disposals == 0
    assert (await status({})).text.endswith(": running")
    await tool.aclose()


@in_loop
async def test_a_job_that_cannot_be_put_away_says_so_to_all_who_ask():
    async def dispose():
        raise STILL_THERE

    tool = tool_over(Provider(Child(dispose=dispose)), run_in_background=True)
    delegate, status, collect, cancel = (function.call for function in tool.functions)
    await delegate(ASIDE)
    cancelled = await cancel({"job_id": "made-1"})

    assert cancelled.is_error
    assert "OSError: still there" in cancelled.text
    assert await collect({"job_id": "made-1"}) == cancelled
    assert (await status({"job_id": "made-1"})).text.endswith(": error")
    with refused("DISPOSAL_FAILED", "made-1 could not be put away: OSError: still there"):
        await tool.aclose()


@in_loop
async def test_a_job_that_nobody_began_is_unknown():
    tool, _, delegate, *looking = aside(Answer(delay=FOREVER))
    await delegate(ASIDE)

    for call in looking:
        assert await call({"job_id": "scripted-2"}) == failed(
            "no job 'scripted-2'; did you mean 'scripted-1'? [UNKNOWN_JOB]"
        )
    await tool.aclose()


@in_loop
async def test_a_tool_knows_its_own_jobs_only():
    tool, _, delegate, *_ = aside("a")
    other, _ = tool_of(registry=tool._jobs._registry, run_in_background=True)
    await delegate(ASIDE)

    reply = await other.functions[1].call(JOB)
    assert reply == failed("no job 'scripted-1'; there is none [UNKNOWN_JOB]")


# Closing


@in_loop
async def test_nothing_outlives_the_tool():
    script = [Answer("so far", delay=FOREVER)] * 2 + [Answer(start_delay=FOREVER)] * 2
    tool, provider, delegate, _, collect, _ = aside(*script)
    async with tool:
        calls = [asyncio.create_task(delegate(call)) for call in (ASIDE, CALL, ASIDE, CALL)]
        await settle()
        collecting = asyncio.create_task(collect(JOB))
        await settle()

    no_start = failed(
        "The task was not handed on.", "Diagnostic: the tool was closed during the start [CLOSED]"
    )
    assert [child.disposals for child in provider.children] == [1, 1]
    aborted = failed(STOPPED.format("aborted"), UNTIL_THEN, "so far")
    assert [await call for call in calls] == [Reply([BEGUN]), aborted, no_start, no_start]
    assert await collecting == aborted
    closed = failed("The task was not handed on.", "Diagnostic: the tool is closed [CLOSED]")
    assert (await delegate(CALL), await delegate(ASIDE)) == (closed, closed)
    await tool.aclose()


@in_loop
async def test_nothing_outlives_the_registry():
    tool, provider, delegate, _, collect, _ = aside(Answer(delay=FOREVER), Answer(delay=FOREVER))
    await delegate(ASIDE)
    calling = asyncio.create_task(delegate(CALL))
    await settle()
    await tool._jobs._registry.aclose()

    assert [child.disposals for child in provider.children] == [1, 1]
    assert await calling == await collect(JOB) == failed(STOPPED.format("aborted"))
    assert (await delegate(CALL)).parts[1] == "Diagnostic: the registry is closed [CLOSED]"


@in_loop
async def test_who_is_cancelled_while_closing_waits_for_all():
    child = Child(dispose=lambda: asyncio.sleep(0.01))
    tool = tool_over(Provider(child), run_in_background=True)
    await tool.call(ASIDE)
    closing = asyncio.create_task(tool.aclose())
    await settle()
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing

    assert child.log[-1] == "quiet"


@in_loop
async def test_other_tools_of_the_registry_go_on():
    tool, _, delegate, *_ = aside(Answer(delay=FOREVER), "b")
    other, _ = tool_of(registry=tool._jobs._registry)
    events = Recorder(tool._jobs._registry)
    await delegate(ASIDE)
    await tool.aclose()

    assert await other.call(CALL) == Reply(["b"])
    assert events.heard[-1] == "settled scripted-2 completed"


@attrs.frozen
class Plan:
    """What becomes of one call, counted in turns of the event loop."""

    start = attrs.field()
    result = attrs.field()
    cancelled = attrs.field()
    background = attrs.field()


TURNS = st.integers(0, 5)
PLANS = st.builds(
    Plan,
    start=TURNS,
    result=TURNS | st.just(1000),
    cancelled=st.none() | st.integers(0, 12),
    background=st.booleans(),
)


class Planned:
    """A provider whose children take as many turns as their plans say."""

    name = "planned"
    capabilities = Capabilities()

    def __init__(self, plans):
        self.plans = plans
        self.alive = set()

    async def start(self, request):
        name = request.prompt
        await moments(self.plans[int(name)].start)
        self.alive.add(name)
        over = asyncio.Event()

        async def result():
            for _ in range(self.plans[int(name)].result):
                if over.is_set():
                    return RunResult("aborted")
                await asyncio.sleep(0)
            return RunResult("completed", name)

        async def dispose():
            over.set()
            await moments(2)
            self.alive.remove(name)

        return Child(result, dispose)


async def call_as_planned(tool, provider, number, plan):
    arguments = {"description": "x", "prompt": str(number)}
    reply = await tool.call({**arguments, "run_in_background": plan.background})
    assert plan.background or str(number) not in provider.alive
    return reply


async def cancel_as_planned(caller, plan):
    if plan.cancelled is not None:
        await moments(plan.cancelled)
        caller.cancel()


@given(plans=st.lists(PLANS, min_size=1, max_size=5), closed=st.integers(0, 15))
def test_no_child_outlives_its_tool(plans, closed):
    @in_loop
    async def check():
        provider = Planned(plans)
        tool = tool_over(provider, run_in_background=True)
        callers = [
            asyncio.create_task(call_as_planned(tool, provider, *each)) for each in enumerate(plans)
        ]
        cancels = [cancel_as_planned(*each) for each in zip(callers, plans, strict=True)]
        await asyncio.gather(*cancels, moments(closed))
        await tool.aclose()

        assert (provider.alive, tool._jobs._live) == (set(), set())
        replies = await asyncio.gather(*callers, return_exceptions=True)
        for reply, plan in zip(replies, plans, strict=True):
            cancelled = isinstance(reply, asyncio.CancelledError)
            assert plan.cancelled is not None if cancelled else isinstance(reply, Reply)

    check()


# A wrong configuration


def test_a_tool_over_an_unknown_provider_cannot_be_made():
    with refused("UNKNOWN_PROVIDER", "no provider 'scriptd'; did you mean 'scripted'\\?"):
        DelegationTool(registry_with(ScriptedProvider()), DelegationConfig("scriptd"))


@pytest.mark.parametrize(
    ("written", "lacking"),
    [
        ({}, "depth_limit"),
        ({"maxDepth": "provider-managed", "persona": "A critic."}, "persona"),
        ({"maxDepth": "provider-managed", "toolFilter": {"deny": []}}, "tool_filter"),
        ({"toolFilter": {}, "persona": "A critic."}, "depth_limit, tool_filter, persona"),
    ],
)
def test_a_tool_over_a_provider_that_lacks_something_cannot_be_made(written, lacking):
    config = delegation_config({"provider": "made", **written})
    registry = registry_with(Provider())

    with refused("UNSUPPORTED_CAPABILITY", f"the provider 'made' does not support {lacking}"):
        DelegationTool(registry, config)


def test_a_provider_that_asks_for_nothing_special_needs_no_capability():
    assert tool_over(Provider()).name == "subagent"


class Checking(Provider):
    """A provider that knows one tool."""

    capabilities = Capabilities(tool_filter=True)

    def check(self, request):
        request.tool_filter.kept(["Read"])


def test_a_filter_that_names_an_unknown_tool_is_refused_when_the_tool_is_made():
    with refused("UNKNOWN_TOOL", "no tool 'Reed'; did you mean 'Read'\\?"):
        tool_over(Checking(), tool_filter=ToolFilter(allow=["Reed"]))
    assert tool_over(Checking(), tool_filter=ToolFilter(allow=["Read"])).name == "subagent"


@in_loop
async def test_a_provider_checks_requests_before_each_start():
    registry = registry_with(Checking())
    events = Recorder(registry)
    request = StartRequest("Work.", tool_filter=ToolFilter(deny=["Reed"]))

    with refused("UNKNOWN_TOOL", "no tool 'Reed'; did you mean 'Read'\\?"):
        await registry.start("made", request)
    with refused("START_FAILED", "AttributeError: 'Absent' object has no attribute 'kept'"):
        await registry.start("made", StartRequest("Work."))
    assert events.heard == []


@pytest.mark.parametrize("name", ["sub agent", "agént", "a" * 65, "a\n"])
def test_a_name_that_no_model_can_call_is_refused(name):
    with pytest.raises(DelegationError, match="no model can call a tool '") as caught:
        tool_of(tool_name=name)
    assert caught.value.code is ErrorCode.BAD_TOOL


def test_the_names_of_further_tools_are_names_too():
    name = "a" * 60
    assert tool_of(tool_name=name)[0].name == name
    with pytest.raises(DelegationError, match="a_status"):
        tool_of(tool_name=name, run_in_background=True)


def test_a_depth_is_not_negative():
    assert messages(tool_of, depth=-1) == [
        "error: parent_depth: must be at least 0, not -1 [out-of-range]"
    ]


def test_whether_children_know_the_conversation_is_yes_or_no():
    provider = Provider()
    provider.inherits_conversation = "yes"

    said = "inherits_conversation of 'made' must be a bool, not the text 'yes'"
    with refused("BAD_PROVIDER", said):
        registry_with(provider)
