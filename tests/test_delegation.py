import asyncio
import copy
import gc
import pickle
import sys
from contextlib import suppress
from functools import wraps
from importlib.metadata import EntryPoint

import attrs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from immutabledict import immutabledict

from subspec.delegation import (
    ABSENT,
    AgentOptions,
    Capabilities,
    DelegationConfig,
    DelegationError,
    ErrorCode,
    Registry,
    RunResult,
    StartRequest,
    SubagentProvider,
    SubagentRun,
    ToolFilter,
    delegation_config,
    plugins,
    register_installed,
    runs,
)
from subspec.delegation.tasks import put_away
from subspec.problems import SpecError
from subspec.source.yaml import read_yaml
from subspec.testing import EVERYTHING, FOREVER, Answer, ScriptedProvider, ScriptedRun

WORK = StartRequest("Find the bug.")
STILL_THERE = OSError("still there")


def in_loop(test):
    """Run an asynchronous test; nothing that it started may be left at its end."""

    @wraps(test)
    def run(*args, **kwargs):
        async def alone():
            complaints = []
            loop = asyncio.get_running_loop()
            loop.set_exception_handler(lambda _, context: complaints.append(context))
            await asyncio.wait_for(test(*args, **kwargs), 20)
            await settle()
            gc.collect(1)  # what nobody asked a task for, it complains of at its end
            assert complaints == []
            assert asyncio.all_tasks() == {asyncio.current_task()}

        asyncio.run(alone())

    return run


async def settle():
    for _ in range(10):
        await asyncio.sleep(0)


def messages(function, *args, **kwargs):
    with pytest.raises(SpecError) as caught:
        function(*args, **kwargs)
    return str(caught.value).splitlines()


def refused(code, message):
    return pytest.raises(DelegationError, match=rf"^{message} \[{code}\]$")


class Recorder:
    """Hears events, and remembers them as text."""

    def __init__(self, registry):
        self.heard = []
        self.stop = registry.listen(self)

    def __call__(self, event):
        ending = "" if event.result is None else f" {event.result.stop_reason}"
        self.heard.append(f"{event.kind} {event.run.id}{ending}")


class Child:
    """A child whose every step the test decides."""

    def __init__(self, result=None, dispose=None):
        self.over = asyncio.Event()
        self.log = []
        self._result = result
        self._dispose = dispose

    async def result(self):
        self.log.append("result")
        if self._result is not None:
            return await self._result()
        await self.over.wait()
        return RunResult("aborted", "so far")

    async def dispose(self):
        self.log.append("dispose")
        if self._dispose is not None:
            await self._dispose()
        self.over.set()
        self.log.append("quiet")


class Provider:
    """A provider that starts the children it is given, or as a function says."""

    capabilities = Capabilities()

    def __init__(self, *children, name="made", start=None):
        self.name = name
        self.children = list(children)
        self._start = start

    async def start(self, request):
        if self._start is not None:
            return await self._start(request)
        return self.children.pop(0)


def registry_with(*providers):
    registry = Registry()
    for provider in providers:
        registry.register(provider)
    return registry


# What is absent


def test_what_is_absent_is_neither_true_nor_false():
    with pytest.raises(TypeError, match=r"^what is absent is neither true nor false: ask whether"):
        bool(ABSENT)


def pickled(value):
    return pickle.loads(pickle.dumps(value))  # noqa: S301 - our own bytes


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, pickled])
def test_what_is_absent_stays_itself(copied):
    assert copied(ABSENT) is ABSENT
    assert copied(WORK) == WORK
    assert copied(WORK).tool_filter is ABSENT


def test_what_is_absent_is_called_so():
    assert repr(ToolFilter(deny=["Bash"])) == "ToolFilter(allow=ABSENT, deny=('Bash',))"


@pytest.mark.parametrize(
    "field",
    [field.name for field in attrs.fields(StartRequest) if field.default is ABSENT],
)
def test_an_option_of_a_request_is_absent_by_itself_and_never_none(field):
    assert getattr(WORK, field) is ABSENT
    (line,) = messages(StartRequest, "Work.", **{field: None})
    assert line.startswith(f"error: {field}: must be ")
    assert line.endswith(", not null [wrong-type]")


# Vocabulary


def test_all_that_is_wrong_with_a_request_is_said_at_once():
    assert messages(
        StartRequest,
        " ",
        parent_depth=-1,
        agent_options={"model": "x"},
        persona="",
        tool_filter=AgentOptions(),
        output_schema=[],
    ) == [
        "error: prompt: must not be blank [blank-value]",
        "error: parent_depth: must be at least 0, not -1 [out-of-range]",
        "error: agent_options: must be of type AgentOptions, not a mapping [wrong-type]",
        "error: persona: must not be blank [blank-value]",
        "error: tool_filter: must be of type ToolFilter, not an AgentOptions [wrong-type]",
        "error: output_schema: must be a mapping, not a list [wrong-type]",
    ]


def test_what_is_required_cannot_be_absent():
    assert messages(StartRequest, ABSENT) == [
        "error: prompt: must be text, not an Absent [wrong-type]"
    ]
    assert messages(DelegationConfig, "p", max_depth=ABSENT) == [
        "error: max_depth: must be a whole number or 'provider-managed', not an Absent [wrong-type]"
    ]


def test_a_request_is_frozen_all_the_way_down():
    request = StartRequest("Work.", output_schema={"enum": ["a"]}, tool_filter=ToolFilter(allow=[]))

    assert request.output_schema == immutabledict(enum=("a",))
    assert request.tool_filter.allow == ()
    assert hash(request) == hash(attrs.evolve(request))
    with pytest.raises(attrs.exceptions.FrozenInstanceError):
        request.prompt = "Other work."


@pytest.mark.parametrize("tokens", [0, -1, True, 1.0, "1"])
def test_tokens_are_counted_from_one(tokens):
    (line,) = messages(AgentOptions, max_tokens=tokens)

    assert line.startswith("error: max_tokens: must be ")


@pytest.mark.parametrize("names", ["Bash", {"Bash"}, iter(["Bash"]), [1], None])
def test_names_of_tools_are_a_list_of_text(names):
    (line,) = messages(ToolFilter, allow=names)

    assert line.startswith("error: allow")


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({}, ("Read", "Bash", "Edit")),
        ({"allow": []}, ()),
        ({"deny": []}, ("Read", "Bash", "Edit")),
        ({"deny": ["Bash"]}, ("Read", "Edit")),
        ({"allow": ["Edit", "Read"]}, ("Read", "Edit")),
        ({"allow": ["Edit", "Read"], "deny": ["Edit"]}, ("Read",)),
    ],
)
def test_a_filter_keeps_what_it_allows_and_does_not_deny(given, kept):
    assert ToolFilter(**given).kept(["Read", "Bash", "Edit"]) == kept


@given(
    tools=st.lists(st.sampled_from("abcdef"), unique=True),
    data=st.data(),
)
def test_a_filter_without_allow_is_one_that_allows_everything(tools, data):
    deny = data.draw(st.lists(st.sampled_from(tools))) if tools else []

    assert ToolFilter(deny=deny).kept(tools) == ToolFilter(allow=tools, deny=deny).kept(tools)
    assert ToolFilter(allow=[], deny=deny).kept(tools) == ()


@pytest.mark.parametrize("kind", ["allow", "deny"])
def test_a_filter_that_names_an_unknown_tool_is_refused(kind):
    with refused("UNKNOWN_TOOL", "no tool 'Reed'; did you mean 'Read'\\?"):
        ToolFilter(**{kind: ["Reed"]}).kept(["Read", "Bash"])
    with refused("UNKNOWN_TOOL", "no tool 'x'; there is Bash, Read"):
        ToolFilter(**{kind: ["x"]}).kept(["Read", "Bash"])
    with refused("UNKNOWN_TOOL", "no tool 'x'; there is none"):
        ToolFilter(**{kind: ["x"]}).kept([])


ASKING = {
    "output_schema": {"output_schema": {}},
    "depth_limit": {"max_depth": 3},
    "tool_filter": {"tool_filter": ToolFilter()},
    "persona": {"persona": "A critic."},
}


@given(asked=st.sets(st.sampled_from(list(ASKING))), stated=st.sets(st.sampled_from(list(ASKING))))
def test_what_a_request_asks_for_and_a_provider_does_not_state_is_lacking(asked, stated):
    options = {key: value for name in asked for key, value in ASKING[name].items()}
    capabilities = Capabilities(**dict.fromkeys(stated, True))

    assert set(capabilities.lacking(StartRequest("Work.", **options))) == asked - stated


def test_every_capability_can_be_asked_for():
    assert [field.name for field in attrs.fields(Capabilities)] == list(ASKING)
    assert messages(Capabilities, persona=1) == [
        "error: persona: must be true or false, not the number 1; did you mean true? [wrong-type]"
    ]


def test_only_completed_is_a_success():
    reasons = ["completed", "aborted", "error", "max-tokens", "refusal"]
    results = [RunResult(reason, "text") for reason in reasons]

    assert [result.succeeded for result in results] == [True, False, False, False, False]
    assert results[0].answer() == "text"
    for result in results[1:]:
        said = f"the child stopped with '{result.stop_reason}'; until then it said 'text'"
        with refused("RUN_FAILED", said):
            result.answer()


def test_a_diagnostic_is_apart_from_the_text():
    result = RunResult("error", "Half an ans", diagnostic="connection lost")

    assert result.text == "Half an ans"
    said = "the child stopped with 'error': connection lost; until then it said 'Half an ans'"
    with refused("RUN_FAILED", said):
        result.answer()
    with refused("RUN_FAILED", "the child stopped with 'aborted'"):
        RunResult("aborted").answer()


def test_a_stop_reason_that_nobody_knows_is_a_failure():
    assert RunResult.stopped("max-tokens", "Half") == RunResult("max-tokens", "Half")
    assert RunResult.stopped("paused", "Half") == RunResult(
        "error", "Half", diagnostic="unknown stop reason 'paused'"
    )
    (line,) = messages(RunResult, "paused")
    assert line.startswith("error: stop_reason: must be 'completed', 'aborted', ")


def test_an_error_tells_its_code_to_programs():
    error = DelegationError(ErrorCode.CLOSED, "closed")

    assert (error.code, error.message, str(error)) == ("CLOSED", "closed", "closed [CLOSED]")
    assert str(pickled(error)) == str(error)


# Configuration


def read(text):
    document = read_yaml(text)
    assert not document.problems
    return delegation_config(document.data)


def test_what_a_file_leaves_out_is_absent_from_the_request():
    config = read("provider: spawn\n")

    assert config == DelegationConfig("spawn")
    assert (config.tool_name, config.run_in_background, config.max_depth) == ("subagent", False, 3)
    assert config.request("Work.") == StartRequest("Work.", max_depth=3)
    assert config.request("Work.").agent_options is ABSENT
    assert config.request("Work.").tool_filter is ABSENT


def test_a_file_says_everything():
    config = read(
        """
        provider: fork
        toolName: helper
        enableRunInBackground: true
        agentOptions: {provider: here, model: small, maxTokens: 10}
        persona: You are a critic.
        toolFilter: {allow: [Read, Bash], deny: [Bash]}
        maxDepth: 1
        """
    )

    assert config == DelegationConfig(
        "fork",
        tool_name="helper",
        run_in_background=True,
        agent_options=AgentOptions(provider="here", model="small", max_tokens=10),
        persona="You are a critic.",
        tool_filter=ToolFilter(allow=["Read", "Bash"], deny=["Bash"]),
        max_depth=1,
    )
    assert config.request("Work.", description="Work", parent_depth=1) == StartRequest(
        "Work.",
        description="Work",
        parent_depth=1,
        agent_options=config.agent_options,
        persona=config.persona,
        tool_filter=config.tool_filter,
        max_depth=1,
    )


@pytest.mark.parametrize(
    ("written", "allow", "deny"),
    [
        ("{deny: [Bash]}", ABSENT, ("Bash",)),
        ("{allow: [Bash]}", ("Bash",), ABSENT),
        ("{allow: []}", (), ABSENT),
        ("{allow: [], deny: []}", (), ()),
        ("{}", ABSENT, ABSENT),
    ],
)
def test_a_filter_of_a_file_has_what_is_written_and_no_more(written, allow, deny):
    found = read(f"provider: spawn\ntoolFilter: {written}\n").request("Work.").tool_filter

    assert (found.allow, found.deny) == (allow, deny)


def test_options_of_a_file_that_are_there_and_empty_are_there():
    assert read("provider: spawn\nagentOptions: {}\n").request("Work.").agent_options == (
        AgentOptions()
    )


KEYS = {
    "toolName": st.just("helper"),
    "enableRunInBackground": st.booleans(),
    "agentOptions": st.fixed_dictionaries({}, optional={"model": st.just("m")}),
    "persona": st.just("A critic."),
    "toolFilter": st.fixed_dictionaries(
        {}, optional={"allow": st.lists(st.just("A")), "deny": st.lists(st.just("B"))}
    ),
    "maxDepth": st.integers(0, 9) | st.just("provider-managed"),
}


@given(st.fixed_dictionaries({}, optional=KEYS))
def test_a_key_is_absent_exactly_when_it_is_not_written(data):
    request = delegation_config({"provider": "p", **data}).request("Work.")

    present = {
        "agentOptions": request.agent_options is not ABSENT,
        "persona": request.persona is not ABSENT,
        "toolFilter": request.tool_filter is not ABSENT,
    }
    assert present == {key: key in data for key in present}
    for key in ("allow", "deny") if "toolFilter" in data else ():
        assert (getattr(request.tool_filter, key) is not ABSENT) == (key in data["toolFilter"])


@pytest.mark.parametrize(
    ("written", "limit"),
    [("0", 0), ("7", 7), ("provider-managed", ABSENT)],
)
def test_a_depth_is_a_cap_or_left_to_the_provider(written, limit):
    assert read(f"provider: acp\nmaxDepth: {written}\n").request("Work.").max_depth == limit


def test_every_fault_of_a_configuration_is_said_at_once():
    data = {
        "provder": "spawn",
        "tool_name": "x",
        "runInBackground": True,
        "enableRunInBackground": "yes",
        "agentOptions": {"maxTokens": 0, "modell": "m", "model": 1},
        "persona": None,
        "toolFilter": {"alow": [], "deny": "Bash"},
        "maxDepth": "provider_managed",
        7: 7,
    }

    assert messages(delegation_config, data) == [
        "error: requires provider [missing-key]",
        "error: provder: unknown key 'provder'; did you mean 'provider'? [unknown-key]",
        "error: tool_name: unknown key 'tool_name'; did you mean 'toolName'? [unknown-key]",
        (
            "error: runInBackground: unknown key 'runInBackground'; "
            "did you mean 'enableRunInBackground'? [unknown-key]"
        ),
        (
            "error: enableRunInBackground: must be true or false, not the text 'yes'; "
            "did you mean true? [wrong-type]"
        ),
        "error: agentOptions.maxTokens: must be at least 1, not 0 [out-of-range]",
        "error: agentOptions.modell: unknown key 'modell'; did you mean 'model'? [unknown-key]",
        (
            "error: agentOptions.model: must be text, not the number 1; "
            'to say that text, quote it: "1" [wrong-type]'
        ),
        (
            "error: persona: must be text, not null; give it a value, or leave the key out "
            "[wrong-type]"
        ),
        "error: toolFilter.alow: unknown key 'alow'; did you mean 'allow'? [unknown-key]",
        (
            "error: toolFilter.deny: must be a list of text, not the text 'Bash'; "
            "write it as a list: [Bash] [wrong-type]"
        ),
        (
            "error: maxDepth: must be 'provider-managed', not 'provider_managed'; "
            "did you mean 'provider-managed'? [not-a-choice]"
        ),
        "error: 7: unknown key 7 [unknown-key]",
    ]


@pytest.mark.parametrize("depth", [-1, 1.5, True, "3"])
def test_a_depth_that_is_none_is_refused(depth):
    (line,) = messages(delegation_config, {"provider": "p", "maxDepth": depth})

    assert line.startswith("error: maxDepth: must be ")
    assert messages(DelegationConfig, "p", max_depth=depth)


@pytest.mark.parametrize("data", [None, [], "spawn", 1])
def test_a_configuration_is_a_mapping(data):
    (line,) = messages(delegation_config, data)

    assert line.startswith("error: must be a mapping, not ")


def test_a_blank_prompt_makes_no_request():
    assert messages(DelegationConfig("p").request, "\n") == [
        "error: prompt: must not be blank [blank-value]"
    ]


# Registering


def test_providers_live_side_by_side_under_their_names():
    registry = registry_with(Provider(name="b"), Provider(name="a"))

    assert registry.providers == ("b", "a")


def test_a_name_is_given_once():
    registry = registry_with(Provider(name="one"))

    with refused("DUPLICATE_PROVIDER", "a provider named 'one' is registered already"):
        registry.register(Provider(name="one"))


def test_who_unregisters_twice_does_not_take_away_who_came_after():
    registry = Registry()
    unregister = registry.register(Provider(name="one"))
    unregister()
    assert registry.providers == ()
    registry.register(Provider(name="one"))
    unregister()

    assert registry.providers == ("one",)


class Nameless(Provider):
    def __init__(self, name=None, capabilities=None):
        super().__init__(name=name)
        self.capabilities = capabilities


@pytest.mark.parametrize(
    ("provider", "message"),
    [
        (object(), "an object is not a provider"),
        (Nameless(), "the name of a provider must be text that is not blank, not null"),
        (Nameless(" "), "the name of a provider must be text that is not blank, not the text ' '"),
        (Nameless("x", {}), "the capabilities of 'x' must be Capabilities"),
    ],
)
def test_what_is_no_provider_is_refused(provider, message):
    with refused("BAD_PROVIDER", message):
        Registry().register(provider)


def test_protocols_tell_providers_and_children():
    assert isinstance(ScriptedProvider(), SubagentProvider)
    assert isinstance(ScriptedRun(Answer()), SubagentRun)
    assert not isinstance(ScriptedProvider(), SubagentRun)


# Starting


@in_loop
async def test_a_caller_picks_a_provider_by_name():
    one, two = ScriptedProvider(["from one"], name="one"), ScriptedProvider(["two"], name="two")
    async with registry_with(one, two) as registry:
        result = await registry.delegate("one", WORK)

    assert result == RunResult("completed", "from one")
    assert (one.requests, two.requests) == ([WORK], [])
    assert [child.disposals for child in one.children] == [1]


@in_loop
async def test_an_unknown_name_is_refused_with_the_nearest():
    registry = registry_with(Provider(name="spawn"), Provider(name="fork"))

    with refused("UNKNOWN_PROVIDER", "no provider 'spwan'; did you mean 'spawn'\\?"):
        await registry.start("spwan", WORK)


@pytest.mark.parametrize("capability", ASKING)
@in_loop
async def test_what_a_provider_would_ignore_is_refused_before_there_is_a_child(capability):
    others = attrs.evolve(EVERYTHING, **{capability: False})
    provider = ScriptedProvider(["answer"], capabilities=others)
    registry = registry_with(provider)
    events = Recorder(registry)

    said = f"the provider 'scripted' does not support {capability}"
    with refused("UNSUPPORTED_CAPABILITY", said):
        await registry.start("scripted", StartRequest("Work.", **ASKING[capability]))
    assert (provider.requests, events.heard, registry.runs) == ([], [], ())
    assert (await registry.delegate("scripted", WORK)).succeeded


@pytest.mark.parametrize(
    ("limit", "parent", "allowed"),
    [(0, 0, False), (1, 0, True), (1, 1, False), (3, 2, True), (3, 3, False), (ABSENT, 99, True)],
)
@in_loop
async def test_a_child_is_no_deeper_than_the_limit(limit, parent, allowed):
    provider = ScriptedProvider(["answer"])
    registry = registry_with(provider)
    request = StartRequest("Work.", max_depth=limit, parent_depth=parent)

    if allowed:
        assert (await registry.delegate("scripted", request)).succeeded
    else:
        said = f"the child would be {parent + 1} deep, and the limit is {limit}"
        with refused("DEPTH_EXCEEDED", said):
            await registry.start("scripted", request)
        assert provider.requests == []


@pytest.mark.parametrize(
    ("raised", "said"),
    [
        (RuntimeError("no process"), "RuntimeError: no process"),
        (KeyError(), "KeyError"),
        (asyncio.CancelledError(), "the provider cancelled the start"),
    ],
)
@in_loop
async def test_a_start_that_fails_emits_nothing(raised, said):
    async def start(_):
        raise raised

    registry = registry_with(Provider(start=start))
    events = Recorder(registry)

    with refused("START_FAILED", said) as caught:
        await registry.start("made", WORK)
    await settle()
    assert caught.value.__cause__ is (raised if isinstance(raised, Exception) else None)
    assert (events.heard, registry.runs) == ([], ())


@in_loop
async def test_a_start_that_is_refused_by_the_provider_says_what_the_provider_says():
    async def start(_):
        raise DelegationError(ErrorCode.UNKNOWN_TOOL, "no tool 'x'")

    with refused("UNKNOWN_TOOL", "no tool 'x'"):
        await registry_with(Provider(start=start)).start("made", WORK)


@in_loop
async def test_a_provider_that_gives_no_child_has_failed():
    with refused("START_FAILED", "the provider started no child, but gave the number 1"):
        await registry_with(Provider(1)).start("made", WORK)


@in_loop
async def test_a_start_that_is_cancelled_cancels_the_provider_and_waits_for_it():
    log = []

    async def start(_):
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            log.append("cleaned up")

    registry = registry_with(Provider(start=start))
    events = Recorder(registry)
    starting = asyncio.create_task(registry.start("made", WORK))
    await settle()
    starting.cancel()
    await settle()
    starting.cancel()  # who is impatient waits all the same
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert (log, events.heard, registry.runs) == (["cleaned up"], [], ())


@in_loop
async def test_a_start_that_is_cancelled_and_succeeds_all_the_same_leaves_no_child():
    child = Child()

    async def start(_):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return child

    registry = registry_with(Provider(start=start))
    events = Recorder(registry)
    starting = asyncio.create_task(registry.start("made", WORK))
    await settle()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting

    assert (child.log, events.heard, registry.runs) == (["dispose", "quiet"], [], ())


@in_loop
async def test_a_start_that_is_cancelled_and_fails_is_cancelled():
    async def start(_):
        try:
            await asyncio.Event().wait()
        finally:
            raise RuntimeError

    starting = asyncio.create_task(registry_with(Provider(start=start)).start("made", WORK))
    await settle()
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting


# Running


@in_loop
async def test_each_child_is_started_once_and_settled_once():
    provider = ScriptedProvider(["a", Answer("b", "refusal"), Answer(error=OSError("gone"))])
    registry = registry_with(provider)
    events = Recorder(registry)
    for _ in range(3):
        await registry.delegate("scripted", WORK)

    assert events.heard == [
        "started scripted-1",
        "settled scripted-1 completed",
        "started scripted-2",
        "settled scripted-2 refusal",
        "started scripted-3",
        "settled scripted-3 error",
    ]


@in_loop
async def test_a_child_is_listed_until_it_is_quiet():
    gate = asyncio.Event()
    child = Child(result=lambda: asyncio.sleep(0, RunResult("completed")), dispose=gate.wait)
    registry = registry_with(Provider(child))
    run = await registry.start("made", WORK)

    assert registry.runs == (run,)
    assert (run.provider, run.request, run.outcome) == ("made", WORK, None)
    assert repr(run) == f"<Run {run.id}: running>"
    assert await run.result() == run.outcome == RunResult("completed")
    assert repr(run) == f"<Run {run.id}: completed>"
    assert registry.runs == (run,)
    gate.set()
    await run.dispose()
    assert registry.runs == ()


@in_loop
async def test_a_child_that_has_ended_is_put_away_though_nobody_asks():
    child = Child(result=lambda: asyncio.sleep(0, RunResult("completed")))
    registry = registry_with(Provider(child))
    await registry.start("made", WORK)
    await settle()

    assert child.log == ["result", "dispose", "quiet"]
    assert registry.runs == ()


@pytest.mark.parametrize(
    ("raised", "result"),
    [
        (OSError("pipe closed"), RunResult("error", diagnostic="OSError: pipe closed")),
        (ValueError(), RunResult("error", diagnostic="ValueError")),
        (asyncio.CancelledError(), RunResult("aborted")),
    ],
)
@in_loop
async def test_what_goes_wrong_once_there_is_a_child_is_a_result(raised, result):
    async def fail():
        raise raised

    async with registry_with(Provider(Child(result=fail))) as registry:
        assert await registry.delegate("made", WORK) == result


@in_loop
async def test_what_is_no_result_is_an_error():
    async with registry_with(Provider(Child(result=lambda: asyncio.sleep(0, "text")))) as registry:
        result = await registry.delegate("made", WORK)

    assert result == RunResult("error", diagnostic="the provider gave no result, but 'text'")


@in_loop
async def test_a_result_may_be_asked_for_by_several_and_again():
    async with registry_with(ScriptedProvider([Answer("a", delay=0.01)])) as registry:
        run = await registry.start("scripted", WORK)
        first, second = await asyncio.gather(run.result(), run.result())
        assert first is second is await run.result()


@in_loop
async def test_siblings_run_side_by_side():
    together = asyncio.Event()
    running = []

    async def result():
        running.append(1)
        if len(running) == 3:
            together.set()
        await together.wait()
        return RunResult("completed")

    children = [Child(result=result) for _ in range(3)]
    async with registry_with(Provider(*children)) as registry:
        results = await asyncio.gather(*(registry.delegate("made", WORK) for _ in children))

    assert [result.stop_reason for result in results] == ["completed"] * 3


@in_loop
async def test_to_dispose_of_one_child_leaves_its_siblings_alone():
    provider = ScriptedProvider([Answer(delay=FOREVER), Answer("b", delay=0.01)])
    async with registry_with(provider) as registry:
        one, two = [await registry.start("scripted", WORK) for _ in range(2)]
        await one.dispose()
        assert registry.runs == (two,)
        assert (await two.result()).text == "b"


# Cancelling and disposing


@in_loop
async def test_to_cancel_the_caller_is_to_cancel_the_child():
    child = Child()
    registry = registry_with(Provider(child))
    events = Recorder(registry)
    caller = asyncio.create_task(registry.delegate("made", WORK))
    await settle()
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller

    assert child.log == ["result", "dispose", "quiet"]
    assert events.heard == ["started made-1", "settled made-1 aborted"]
    assert registry.runs == ()


@in_loop
async def test_to_cancel_who_waits_for_a_result_is_to_cancel_the_child_for_all_who_wait():
    async with registry_with(Provider(Child())) as registry:
        run = await registry.start("made", WORK)
        other = asyncio.create_task(run.result())
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(run.result(), 0.01)
        assert await other == RunResult("aborted", "so far")


@in_loop
async def test_one_can_stop_waiting_and_let_the_child_go_on():
    async with registry_with(Provider(Child())) as registry:
        run = await registry.start("made", WORK)
        with pytest.raises(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.shield(run.result()), 0.01)
        assert registry.runs == (run,)


@in_loop
async def test_a_block_that_is_left_by_an_error_leaves_no_child():
    child = Child()
    registry = registry_with(Provider(child))
    with pytest.raises(KeyError):
        async with await registry.start("made", WORK) as run:
            raise KeyError

    assert child.log[-1] == "quiet"
    assert run.outcome == RunResult("aborted", "so far")
    assert registry.runs == ()


@in_loop
async def test_to_dispose_twice_disposes_once_and_both_wait():
    gate = asyncio.Event()
    child = Child(dispose=gate.wait)
    run = await registry_with(Provider(child)).start("made", WORK)
    both = [asyncio.create_task(run.dispose()) for _ in range(2)]
    await settle()
    assert not any(each.done() for each in both)
    gate.set()
    await asyncio.gather(*both)
    await run.dispose()

    assert sorted(child.log) == ["dispose", "quiet", "result"]


@in_loop
async def test_who_is_cancelled_while_disposing_waits_until_the_child_is_quiet():
    gate = asyncio.Event()
    child = Child(dispose=gate.wait)
    run = await registry_with(Provider(child)).start("made", WORK)
    disposing = asyncio.create_task(run.dispose())
    await settle()
    disposing.cancel()
    await settle()
    assert not disposing.done()
    gate.set()
    with pytest.raises(asyncio.CancelledError):
        await disposing
    assert child.log[-1] == "quiet"


@in_loop
async def test_a_child_without_an_end_is_given_up(monkeypatch):
    monkeypatch.setattr(runs, "PATIENCE", 0.01)
    registry = registry_with(Provider(Child(result=asyncio.Event().wait)))
    run = await registry.start("made", WORK)
    await run.dispose()

    assert run.outcome == RunResult("aborted")
    assert registry.runs == ()


@in_loop
async def test_a_child_may_take_its_time_to_become_quiet(monkeypatch):
    monkeypatch.setattr(runs, "PATIENCE", 0.2)
    child = Child(dispose=lambda: asyncio.sleep(0.3))
    run = await registry_with(Provider(child)).start("made", WORK)
    await run.dispose()

    assert run.outcome == RunResult("aborted", "so far")


@in_loop
async def test_a_child_that_disposes_of_itself_does_not_wait_for_ever(monkeypatch):
    monkeypatch.setattr(runs, "PATIENCE", 0.01)

    async def result():
        (run,) = registry.runs
        await run.dispose()

    registry = registry_with(Provider(Child(result=result)))
    run = await registry.start("made", WORK)
    assert await run.result() == RunResult("aborted")
    said = f"{run.id} could not be put away: its result does not come to an end"
    with refused("DISPOSAL_FAILED", said):
        await run.dispose()


@in_loop
async def test_a_child_that_cannot_be_put_away_is_an_error():
    async def dispose():
        raise STILL_THERE

    registry = registry_with(
        Provider(Child(lambda: asyncio.sleep(0, RunResult("completed")), dispose))
    )
    run = await registry.start("made", WORK)
    for _ in range(2):
        with refused("DISPOSAL_FAILED", f"{run.id} could not be put away: OSError: still there"):
            await run.dispose()
    assert await run.result() == RunResult("completed")
    assert registry.runs == ()


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        (RunResult("completed", "In line 7."), "the child answered 'In line 7.'"),
        (OSError("gone"), "the child stopped with 'error': OSError: gone"),
    ],
)
@in_loop
async def test_who_delegates_hears_of_both_the_end_and_the_putting_away(ends, told):
    async def result():
        if isinstance(ends, Exception):
            raise ends
        return ends

    async def dispose():
        raise STILL_THERE

    registry = registry_with(Provider(Child(result, dispose)))
    said = f"made-1 could not be put away: OSError: still there; {told}"
    with refused("DISPOSAL_FAILED", said) as caught:
        await registry.delegate("made", WORK)
    assert caught.value.__cause__.__cause__ is STILL_THERE
    assert registry.runs == ()


@in_loop
async def test_who_delegates_to_a_child_without_an_end_hears_that_it_goes_on(monkeypatch):
    monkeypatch.setattr(runs, "PATIENCE", 0.01)
    over = asyncio.Event()

    async def result():
        while not over.is_set():
            with suppress(asyncio.CancelledError):
                await over.wait()
        return RunResult("completed")

    registry = registry_with(Provider(Child(result)))
    caller = asyncio.create_task(registry.delegate("made", WORK))
    await settle()
    caller.cancel()
    said = "made-1 could not be put away: its result does not come to an end"
    with refused("DISPOSAL_FAILED", said):
        await caller
    over.set()
    await settle()
    assert registry.runs == ()


@in_loop
async def test_a_thousand_children_run_at_once():
    provider = ScriptedProvider(lambda request: Answer(request.prompt, delay=FOREVER))
    registry = registry_with(provider)
    events = Recorder(registry)
    starts = (registry.start("scripted", StartRequest(str(n))) for n in range(1000))
    children = await asyncio.gather(*starts)
    assert registry.runs == tuple(children)
    await children[7].dispose()
    assert len(registry.runs) == 999
    waiting = asyncio.gather(*(child.result() for child in children))
    await registry.aclose()

    assert [result.text for result in await waiting] == [str(n) for n in range(1000)]
    assert registry.runs == ()
    assert [child.disposals for child in provider.children] == [1] * 1000
    assert len(set(events.heard)) == len(events.heard) == 2000


@in_loop
async def test_a_child_that_says_it_was_cancelled_has_been_put_away():
    async def dispose():
        raise asyncio.CancelledError

    child = Child(lambda: asyncio.sleep(0, RunResult("completed")), dispose)
    run = await registry_with(Provider(child)).start("made", WORK)
    await run.dispose()


@pytest.mark.parametrize("moments", range(4))
def test_the_end_of_the_loop_is_the_end_of_its_children(moments):
    async def main():
        child.append(Child())
        registry = registry_with(Provider(child[0]))
        heard.append(Recorder(registry).heard)
        await registry.start("made", WORK)
        for _ in range(moments):
            await asyncio.sleep(0)

    child, heard = [], []
    asyncio.run(main())
    assert child[0].log[-2:] == ["dispose", "quiet"]
    assert heard == [["started made-1", "settled made-1 aborted"]]


@in_loop
async def test_to_cancel_a_parent_is_to_cancel_its_children_all_the_way_down():
    class Parent(Child):
        def __init__(self):
            super().__init__()
            work = StartRequest("Part of it.", parent_depth=1)
            self.task = asyncio.create_task(registry.delegate("scripted", work))

        async def result(self):
            return await self.task

        async def dispose(self):
            self.task.cancel()
            await asyncio.wait({self.task})

    async def start(_):
        return Parent()

    inner = ScriptedProvider([Answer(delay=FOREVER)])
    registry = registry_with(Provider(start=start), inner)
    events = Recorder(registry)
    caller = asyncio.create_task(registry.delegate("made", WORK))
    await settle()
    assert len(registry.runs) == 2
    caller.cancel()
    with pytest.raises(asyncio.CancelledError):
        await caller

    assert registry.runs == ()
    assert events.heard == [
        "started made-1",
        "started scripted-2",
        "settled scripted-2 aborted",
        "settled made-1 aborted",
    ]


# Unregistering and closing


@in_loop
async def test_a_start_goes_on_when_its_provider_is_taken_away():
    registry = Registry()
    unregister = registry.register(ScriptedProvider([Answer("a", start_delay=0.01)]))
    starting = asyncio.create_task(registry.delegate("scripted", WORK))
    await settle()
    unregister()

    assert (await starting).text == "a"


@in_loop
async def test_children_go_on_when_their_provider_is_taken_away():
    registry = Registry()
    unregister = registry.register(ScriptedProvider([Answer("a", delay=0.01)]))
    run = await registry.start("scripted", WORK)
    unregister()

    with refused("UNKNOWN_PROVIDER", "no provider 'scripted'; there is none"):
        await registry.start("scripted", WORK)
    assert (await run.result()).text == "a"
    await registry.aclose()


@in_loop
async def test_closing_disposes_of_all_children_at_once():
    together = asyncio.Event()
    waiting = []

    async def dispose():
        waiting.append(1)
        if len(waiting) == 3:
            together.set()
        await together.wait()

    children = [Child(dispose=dispose) for _ in range(3)]
    registry = registry_with(Provider(*children))
    all_runs = [await registry.start("made", WORK) for _ in children]
    await asyncio.gather(registry.aclose(), registry.aclose())
    await registry.aclose()

    assert registry.runs == ()
    assert [run.outcome.stop_reason for run in all_runs] == ["aborted"] * 3
    with refused("CLOSED", "the registry is closed"):
        await registry.start("made", WORK)


@pytest.mark.parametrize("stubborn", [False, True])
@in_loop
async def test_closing_ends_what_is_being_started(stubborn):
    child = Child()

    async def start(_):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            if not stubborn:
                raise
        return child

    registry = registry_with(Provider(start=start))
    events = Recorder(registry)
    starting = asyncio.create_task(registry.start("made", WORK))
    await settle()
    await registry.aclose()

    assert child.log == (["dispose", "quiet"] if stubborn else [])
    with refused("CLOSED", "the registry is closed"):
        await starting
    assert events.heard == []


def late_and_lasting():
    """A provider that starts its child though it is cancelled, and cannot put it away."""

    async def dispose():
        raise STILL_THERE

    async def start(_):
        with suppress(asyncio.CancelledError):
            await asyncio.Event().wait()
        return Child(dispose=dispose)

    return Provider(start=start)


def half_begun():
    """A provider of which the start cannot clean up."""

    async def clean_up():
        raise STILL_THERE

    async def start(_):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError as error:
            await put_away(clean_up(), error)

    return Provider(start=start)


LEFT = {
    late_and_lasting: "made-1 could not be put away: OSError: still there",
    half_begun: (
        "the start was cancelled; and what it had begun could not be put away: OSError: still there"
    ),
}


@pytest.mark.parametrize(("make", "said"), LEFT.items())
@in_loop
async def test_what_a_cancelled_start_leaves_is_said(make, said):
    registry = registry_with(make())
    events = Recorder(registry)
    starting = asyncio.create_task(registry.start("made", WORK))
    await settle()
    starting.cancel()
    with refused("DISPOSAL_FAILED", said):
        await starting
    await registry.aclose()
    assert events.heard == []


@pytest.mark.parametrize(("make", "said"), LEFT.items())
@in_loop
async def test_what_a_start_leaves_that_closing_ends_is_said_to_both(make, said):
    registry = registry_with(make())
    starting = asyncio.create_task(registry.start("made", WORK))
    await settle()
    with refused("DISPOSAL_FAILED", said):
        await registry.aclose()
    with refused("DISPOSAL_FAILED", said):
        await starting


@pytest.mark.parametrize(
    ("reason", "why"),
    [
        (DelegationError(ErrorCode.START_FAILED, "no room"), "no room"),
        (ValueError("odd"), "ValueError: odd"),
    ],
)
@in_loop
async def test_what_a_failed_start_leaves_is_said_with_why_it_failed(reason, why):
    async def clean_up(error):
        raise error

    said = f"{why}; and what it had begun could not be put away: OSError: still there"
    with refused("DISPOSAL_FAILED", said) as caught:
        await put_away(clean_up(STILL_THERE), reason)
    assert caught.value.__cause__ is reason
    await put_away(clean_up(asyncio.CancelledError()), reason)


@in_loop
async def test_a_start_is_cancelled_once_so_that_it_can_clean_up():
    log = []

    async def start(_):
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0.01)
            log.append("cleaned up")

    registry = registry_with(Provider(start=start))
    starting = asyncio.create_task(registry.start("made", WORK))
    await settle()
    starting.cancel()
    await settle()
    await registry.aclose()
    assert log == ["cleaned up"]
    with pytest.raises(asyncio.CancelledError):
        await starting


@in_loop
async def test_closing_puts_away_what_it_can_and_says_what_it_could_not(monkeypatch):
    monkeypatch.setattr(runs, "PATIENCE", 0.01)

    async def dispose():
        raise STILL_THERE

    good, bad = Child(), Child(lambda: asyncio.sleep(9), dispose)
    registry = registry_with(Provider(bad, good))
    bad_run = await registry.start("made", WORK)
    await registry.start("made", WORK)
    said = f"{bad_run.id} could not be put away: OSError: still there"
    with refused("DISPOSAL_FAILED", said):
        await registry.aclose()

    assert good.log[-1] == "quiet"
    assert registry.runs == ()


@in_loop
async def test_who_is_cancelled_while_closing_waits_for_all():
    child = Child(dispose=lambda: asyncio.sleep(0.01))
    registry = registry_with(Provider(child))
    await registry.start("made", WORK)
    closing = asyncio.create_task(registry.aclose())
    await settle()
    closing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await closing

    assert child.log[-1] == "quiet"
    await registry.aclose()


# Listening


# What wants to end the program, which would go through the loop.


EXITED = r"it wanted to end the program \(SystemExit: 3\)"


@in_loop
async def test_a_child_that_wants_to_end_the_program_only_ends_itself():
    async with Registry() as registry:
        registry.register(ScriptedProvider([Answer("x", error=SystemExit(3)), SystemExit(3)]))
        result = await registry.delegate("scripted", WORK)
        said = "ExitError: it wanted to end the program (SystemExit: 3)"
        assert result == RunResult("error", diagnostic=said)
        with refused("START_FAILED", f"ExitError: {EXITED}"):
            await registry.delegate("scripted", WORK)


@in_loop
async def test_a_provider_or_a_listener_that_wants_to_end_the_program_has_failed():
    class Leaving(ScriptedProvider):
        def check(self, _):
            raise SystemExit(3)

    async with Registry() as registry:
        registry.register(Leaving(["x"]))
        with refused("START_FAILED", f"ExitError: {EXITED}"):
            registry.check("scripted", WORK)

    complaints = []
    loop = asyncio.get_running_loop()
    handler = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: complaints.append(str(context["exception"])))
    async with Registry() as registry:
        registry.register(ScriptedProvider(["x"]))
        registry.listen(lambda _: sys.exit(3))
        assert (await registry.delegate("scripted", WORK)).text == "x"
    assert complaints == ["it wanted to end the program (SystemExit: 3)"] * 2
    loop.set_exception_handler(handler)


@in_loop
async def test_a_disposal_that_wants_to_end_the_program_has_failed(monkeypatch):
    async def dispose(_):
        raise SystemExit(3)

    monkeypatch.setattr(ScriptedRun, "dispose", dispose)
    registry = Registry()
    registry.register(ScriptedProvider(["x"]))
    said = f"scripted-1 could not be put away: ExitError: {EXITED}; the child answered 'x'"
    with refused("DISPOSAL_FAILED", said):
        await registry.delegate("scripted", WORK)


@in_loop
async def test_a_listener_that_fails_disturbs_nobody():
    reported = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: reported.append(context))
    registry = registry_with(ScriptedProvider(["a"]))
    error = RuntimeError("deaf")

    def fail(_):
        raise error

    registry.listen(fail)
    events = Recorder(registry)
    result = await registry.delegate("scripted", WORK)

    assert result.text == "a"
    assert len(events.heard) == 2
    assert [context["exception"] for context in reported] == [error, error]
    assert reported[0]["message"] == "a listener failed on 'started' of scripted-1"


@in_loop
async def test_a_listener_hears_until_it_stops():
    registry = registry_with(ScriptedProvider(["a", "b"]))
    events, others = Recorder(registry), Recorder(registry)
    await registry.delegate("scripted", WORK)
    events.stop()
    events.stop()
    await registry.delegate("scripted", WORK)

    assert (len(events.heard), len(others.heard)) == (2, 4)


@in_loop
async def test_a_listener_may_stop_while_it_hears():
    registry = registry_with(ScriptedProvider(["a"]))
    heard = []

    def once(event):
        heard.append(event.kind)
        stop()

    stop = registry.listen(once)
    await registry.delegate("scripted", WORK)

    assert heard == ["started"]


# Whatever happens, and whenever


async def moments(number):
    for _ in range(number):
        await asyncio.sleep(0)


@attrs.frozen
class Job:
    """What becomes of one delegation, counted in turns of the event loop."""

    start = attrs.field()
    result = attrs.field()
    quiet = attrs.field()
    cancelled = attrs.field()
    fails = attrs.field()
    stubborn = attrs.field()


TURNS = st.integers(0, 5)
JOBS = st.builds(
    Job,
    start=TURNS,
    result=TURNS | st.just(1000),
    quiet=TURNS,
    cancelled=st.none() | st.integers(0, 12),
    fails=st.sampled_from(["never", "start", "result"]),
    stubborn=st.booleans(),
)


class Driven:
    """A provider whose children take as many turns as their jobs say."""

    name = "driven"
    capabilities = Capabilities()

    def __init__(self, jobs):
        self.jobs = jobs
        self.alive = set()
        self.disposals = []

    async def start(self, request):
        job = self.jobs[int(request.prompt)]
        try:
            await moments(job.start)
        except asyncio.CancelledError:
            if not job.stubborn:
                raise
        if job.fails == "start":
            raise OSError
        return DrivenChild(self, request.prompt, job)


class DrivenChild:
    def __init__(self, provider, name, job):
        self.provider, self.name, self.job = provider, name, job
        self.over = False
        provider.alive.add(name)

    async def result(self):
        for _ in range(self.job.result):
            if self.over:
                return RunResult("aborted")
            await asyncio.sleep(0)
        if self.job.fails == "result":
            raise OSError
        return RunResult("completed")

    async def dispose(self):
        self.over = True
        self.provider.disposals.append(self.name)
        await moments(self.job.quiet)
        self.provider.alive.remove(self.name)


@given(jobs=st.lists(JOBS, min_size=1, max_size=5), closed=st.none() | st.integers(0, 15))
def test_no_child_outlives_its_caller_or_its_registry(jobs, closed):
    @in_loop
    async def check():
        provider = Driven(jobs)
        registry = registry_with(provider)
        events = []
        registry.listen(lambda event: events.append((event.kind, event.run.request.prompt)))

        async def call(number):
            try:
                return await registry.delegate("driven", StartRequest(str(number)))
            finally:
                assert str(number) not in provider.alive

        async def cancel(caller, job):
            if job.cancelled is not None:
                await moments(job.cancelled)
                caller.cancel()

        callers = [asyncio.create_task(call(number)) for number in range(len(jobs))]
        cancels = [cancel(*each) for each in zip(callers, jobs, strict=True)]
        if closed is not None:
            await asyncio.gather(*cancels, moments(closed))
            await registry.aclose()
            assert provider.alive == set()
        else:
            await asyncio.gather(*cancels)
        outcomes = await asyncio.gather(*callers, return_exceptions=True)

        assert (registry.runs, registry._starting, provider.alive) == ((), set(), set())
        assert len(provider.disposals) == len(set(provider.disposals))
        started = [prompt for kind, prompt in events if kind == "started"]
        settled = [prompt for kind, prompt in events if kind == "settled"]
        assert len(started) == len(set(started))
        assert sorted(started) == sorted(settled)
        for number, outcome in enumerate(outcomes):
            if isinstance(outcome, RunResult):
                assert str(number) in started
            elif isinstance(outcome, DelegationError):
                assert outcome.code in ("START_FAILED", "CLOSED")
                assert str(number) not in started
            else:
                assert isinstance(outcome, asyncio.CancelledError)
                assert jobs[number].cancelled is not None

    check()


# Installed providers


def made(name):
    return lambda: Provider(name=name)


MADE = {"one": made("one"), "two": made("two"), "odd": made("other"), "none": object}


def fail_to_import():
    msg = "no module"
    raise ImportError(msg)


@pytest.fixture
def installed(monkeypatch):
    """Have entry points of these names; each is made by what MADE says."""

    class Point(EntryPoint):
        def load(self):
            loaded.append(self.name)
            return MADE.get(self.name) or fail_to_import()

    def install(*names):
        points = [Point(name, f"{name}_package:make", plugins.GROUP) for name in names]
        monkeypatch.setattr(
            plugins, "entry_points", lambda group: points if group == "subspec.delegation" else []
        )
        return loaded

    loaded = []
    return install


def test_installed_providers_are_registered_until_taken_away(installed):
    installed("one", "two")
    registry = registry_with(Provider(name="own"))
    unregister = register_installed(registry)
    assert registry.providers == ("own", "one", "two")
    unregister()
    unregister()

    assert registry.providers == ("own",)


def test_only_the_code_of_those_that_are_wanted_is_imported(installed):
    loaded = installed("one", "broken", "two")
    registry = Registry()
    register_installed(registry, ["two"])

    assert (registry.providers, loaded) == (("two",), ["two"])


def test_a_name_that_nobody_installed_is_refused(installed):
    loaded = installed("one", "two")
    registry = Registry()

    with refused("UNKNOWN_PROVIDER", "no installed provider 'onne'; did you mean 'one'\\?"):
        register_installed(registry, ["two", "onne"])
    assert (registry.providers, loaded) == ((), [])


@pytest.mark.parametrize(
    ("name", "code", "message"),
    [
        (
            "broken",
            "BAD_PROVIDER",
            r"the provider 'broken' \(broken_package:make\) cannot be made: ImportError: no module",
        ),
        (
            "none",
            "BAD_PROVIDER",
            (
                r"the provider 'none' \(none_package:make\) cannot be made: "
                "AttributeError: 'object' object has no attribute 'name'"
            ),
        ),
        ("odd", "BAD_PROVIDER", r"the provider 'odd' \(odd_package:make\) calls itself 'other'"),
        ("one", "DUPLICATE_PROVIDER", "a provider named 'one' is registered already"),
    ],
)
def test_one_bad_installed_provider_leaves_none_registered(installed, name, code, message):
    installed("one", "two", name)
    registry = Registry()

    with refused(code, message):
        register_installed(registry)
    assert registry.providers == ()


@in_loop
async def test_a_distribution_offers_a_provider(tmp_path, monkeypatch):
    (tmp_path / "far_away.py").write_text(
        "from subspec.testing import ScriptedProvider\n\n\n"
        "def provider():\n    return ScriptedProvider(['Here.'], name='far-away')\n"
    )
    metadata = tmp_path / "far_away-1.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: far-away\nVersion: 1\n")
    (metadata / "entry_points.txt").write_text(
        "[subspec.delegation]\nfar-away = far_away:provider\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    async with Registry() as registry:
        register_installed(registry)
        assert (await registry.delegate("far-away", WORK)).answer() == "Here."


def test_there_are_no_installed_providers_without_others():
    registry = Registry()
    register_installed(registry)

    assert registry.providers == ()


# The scripted provider


@in_loop
async def test_a_script_says_what_each_child_does():
    error = OSError("no process")
    provider = ScriptedProvider(
        ["plain", error, Answer("cut", "max-tokens", "too long"), Answer(error=ValueError("bad"))]
    )
    async with registry_with(provider) as registry:
        assert (await registry.delegate("scripted", WORK)).answer() == "plain"
        with refused("START_FAILED", "OSError: no process") as caught:
            await registry.delegate("scripted", WORK)
        assert caught.value.__cause__ is error
        assert await registry.delegate("scripted", WORK) == RunResult(
            "max-tokens", "cut", diagnostic="too long"
        )
        assert await registry.delegate("scripted", WORK) == RunResult(
            "error", diagnostic="ValueError: bad"
        )
        said = "AssertionError: the script has no step for another child"
        with refused("START_FAILED", said):
            await registry.delegate("scripted", WORK)

    assert provider.requests == [WORK] * 5
    assert [child.disposals for child in provider.children] == [1, 1, 1]


@in_loop
async def test_a_script_may_go_by_the_request():
    provider = ScriptedProvider(lambda request: request.prompt.upper())
    async with registry_with(provider) as registry:
        assert (await registry.delegate("scripted", WORK)).text == "FIND THE BUG."


@in_loop
async def test_a_scripted_child_that_takes_forever_can_be_disposed_of():
    provider = ScriptedProvider([Answer("so far", delay=FOREVER)])
    async with registry_with(provider) as registry:
        run = await registry.start("scripted", WORK)
        await settle()
        assert run.outcome is None

    assert run.outcome == RunResult("aborted", "so far")


@in_loop
async def test_a_scripted_start_that_takes_forever_can_be_cancelled():
    provider = ScriptedProvider([Answer(start_delay=FOREVER)])
    registry = registry_with(provider)
    with pytest.raises(asyncio.TimeoutError):
        await asyncio.wait_for(registry.start("scripted", WORK), 0.01)

    assert (provider.requests, provider.children) == ([WORK], [])


@in_loop
async def test_a_configuration_reaches_the_provider_as_it_was_written():
    provider = ScriptedProvider(["a"], name="spawn")
    config = read("provider: spawn\ntoolFilter: {deny: [Bash]}\n")
    async with registry_with(provider) as registry:
        await registry.delegate(config.provider, config.request("Work."))

    (request,) = provider.requests
    assert request.agent_options is ABSENT
    assert request.tool_filter == ToolFilter(deny=["Bash"])
    assert request.tool_filter.allow is ABSENT
