"""Children in this process, on agents of Pydantic AI with models that are functions."""

import asyncio
import contextvars
import json
import re
import sys
from functools import partial

import attrs
import pytest
from test_delegation import in_loop, refused, registry_with, settle

pydantic_ai = pytest.importorskip("pydantic_ai")

from pydantic_ai import (  # noqa: E402 - skipped where it is not installed
    Agent,
    DeferredToolRequests,
    FunctionToolset,
    RunContext,
    Tool,
    UsageLimits,
)
from pydantic_ai.capabilities import NativeTool  # noqa: E402
from pydantic_ai.messages import (  # noqa: E402
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel  # noqa: E402
from pydantic_ai.models.test import TestModel  # noqa: E402
from pydantic_ai.native_tools import CodeExecutionTool, WebSearchTool  # noqa: E402

from subspec import SpecWarning, SubagentSpec, load  # noqa: E402
from subspec.delegation import (  # noqa: E402
    ABSENT,
    AgentOptions,
    Capabilities,
    DelegationConfig,
    DelegationTool,
    RunResult,
    StartRequest,
    ToolFilter,
)
from subspec.delegation.in_process import ForkProvider, SpawnProvider  # noqa: E402
from subspec.delegation.in_process.outline import UNHEEDED  # noqa: E402
from subspec.delegation.place import Place, at_place, current_place  # noqa: E402
from subspec.delegation.tool import delegation_toolset  # noqa: E402
from subspec.pydantic_ai import SubAgentSpec  # noqa: E402

CRITIC = SubagentSpec("Reads texts.", "You are a critic.")
GONE = OSError("gone")
HAIKU = {"haiku": "test"}


def read(path: str) -> str:
    """Read a file."""
    return f"text of {path}"


def write(path: str) -> str:
    """Write a file."""
    return f"wrote {path}"


TOOLS = {"Read": read, "Write": write}


class Heard:
    """A model that hears what children ask it, and answers as it is told."""

    def __init__(self, *answers):
        self.answers = list(answers)
        self.requests = []
        self.model = FunctionModel(self._answer)

    def _answer(self, messages, info):
        self.requests.append((list(messages), info))
        answer = self.answers.pop(0) if self.answers else "Done."
        if callable(answer):
            answer = answer(messages, info)
        if isinstance(answer, Exception):
            raise answer
        return ModelResponse([TextPart(answer)]) if isinstance(answer, str) else answer

    @property
    def info(self):
        """What the last request came with."""
        return self.requests[-1][1]

    @property
    def tools(self):
        """The tools that the last request offered."""
        return [tool.name for tool in self.info.function_tools]

    @property
    def instructions(self):
        return self.info.instructions

    @property
    def said(self):
        """What was said, in the last request, in order."""
        return [
            part.content for each in self.requests[-1][0] for part in each.parts if spoken(part)
        ]


def spoken(part):
    return part.part_kind in ("user-prompt", "text")


def call(name, call_id="a", text=None, **arguments):
    said = [] if text is None else [TextPart(text)]
    return ModelResponse([*said, ToolCallPart(name, arguments, call_id)])


def ended(text, reason):
    return ModelResponse([TextPart(text)] if text else [], finish_reason=reason)


async def run(provider, prompt="Work.", **request):
    async with registry_with(provider) as registry:
        return await registry.delegate(provider.name, StartRequest(prompt, **request))


def spawned(heard, agent=None, **more):
    return SpawnProvider(agent, **{"model": heard.model, **more})


# What a child is made from


@in_loop
async def test_a_child_is_made_from_a_spec():
    heard = Heard("It is good.")
    result = await run(spawned(heard, CRITIC, tools=TOOLS), "Read it.")

    assert result == RunResult("completed", "It is good.")
    assert heard.instructions == "You are a critic."
    assert heard.said == ["Read it."]
    assert heard.tools == ["Read", "Write"]


@in_loop
async def test_a_child_is_made_from_a_spec_of_subagents_pydantic_ai():
    heard = Heard()
    spec = SubAgentSpec(
        name="critic",
        instructions="You are a critic.",
        agent_kwargs={"model_settings": {"temperature": 0.5}},
    )
    assert await run(spawned(heard, spec, tools=[read])) == RunResult("completed", "Done.")

    assert heard.instructions == "You are a critic."
    assert heard.info.model_settings == {"temperature": 0.5}
    assert heard.tools == ["read"]


@in_loop
async def test_a_child_of_which_nothing_is_said_is_told_nothing():
    heard = Heard()
    await run(spawned(heard))
    assert heard.instructions is None

    await run(spawned(heard, SubAgentSpec(name="a")))
    assert heard.instructions is None


@in_loop
async def test_a_child_is_an_agent_that_is_made_already():
    heard = Heard()
    agent = Agent(heard.model, instructions="You are ready.", tools=[read])
    await run(SpawnProvider(agent, tools=[write]))

    assert heard.instructions == "You are ready."
    assert heard.tools == ["read", "write"]


@pytest.mark.parametrize("waits", [False, True])
@in_loop
async def test_a_child_is_an_agent_that_a_function_makes_for_the_request(waits):
    heard = Heard()

    def make(request):
        return Agent(heard.model, instructions=f"You know of: {request.prompt}")

    async def make_later(request):
        return make(request)

    await run(SpawnProvider(make_later if waits else make), "Work.")
    assert heard.instructions == "You know of: Work."


@in_loop
async def test_a_function_that_makes_no_agent_or_fails_starts_nothing():
    with refused("START_FAILED", "the function made no agent, but the text 'an agent'"):
        await run(SpawnProvider(lambda _: "an agent"))
    with refused("START_FAILED", "OSError: gone"):
        await run(SpawnProvider(partial(raising, OSError("gone"))))


def raising(error, *_):
    raise error


def test_a_child_can_be_made_of_nothing_else():
    with pytest.raises(TypeError, match=r"^a child is made from a spec, an agent or a function, "):
        SpawnProvider("critic")
    with pytest.raises(TypeError, match=r"^a tool must be a function, a Tool or a toolset, not th"):
        SpawnProvider(tools=["read"])
    with pytest.raises(TypeError, match="nonsense"):
        SpawnProvider(SubAgentSpec(name="a", agent_kwargs={"nonsense": 1}))


@pytest.mark.parametrize("provider", [SpawnProvider, ForkProvider, delegation_toolset])
def test_without_pydantic_ai_it_says_what_to_install(provider, monkeypatch):
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)

    with pytest.raises(ImportError, match=r"install it with: pip install 'subspec\[pydantic-ai\]'"):
        provider()


def test_what_nothing_in_this_process_heeds_is_said(tmp_path):
    spec = SubagentSpec("d", "p", color="red", skills=["a"], permission_mode="plan", hooks={})
    with pytest.warns(SpecWarning) as caught:
        SpawnProvider(spec, model="test")
    assert [each.message.problem.message for each in caught] == [
        f"a child in this process does not heed {key}" for key in ("permission_mode", "skills")
    ]
    assert caught[0].message.problem.file is None

    file = tmp_path / "critic.md"
    file.write_text("---\nname: critic\ndescription: d\nmemory: user\n---\n\nYou are a critic.\n")
    with pytest.warns(SpecWarning, match=rf"^{re.escape(str(file))}.*: warning: memory: "):
        SpawnProvider(load(file).agents["critic"])
    with pytest.warns(SpecWarning, match="does not heed max_retries"):
        SpawnProvider(SubAgentSpec(name="a", max_retries=2, can_ask_questions=False))


@pytest.mark.parametrize(
    ("spec", "heeded", "for_others"),
    [
        (
            SubagentSpec,
            {"prompt", "tools", "disallowed_tools", "model", "max_turns"},
            # Nothing of Claude Code's own is in the context, and a child is no main thread.
            {"description", "color", "origin", "omit_claude_md", "initial_prompt"},
        ),
        (
            SubAgentSpec,
            {"name", "instructions", "model", "agent_kwargs"},
            {
                *("description", "extra", "origin"),
                *("preferred_mode", "typical_complexity", "typically_needs_context"),
            },
        ),
    ],
)
def test_of_every_field_of_a_spec_it_is_known_whether_it_is_heeded(spec, heeded, for_others):
    known = heeded | for_others | UNHEEDED[spec]

    assert known == {field.name for field in attrs.fields(spec)}
    assert len(known) == len(heeded) + len(for_others) + len(UNHEEDED[spec])


def test_providers_have_names():
    assert SpawnProvider().name == "spawn"
    assert ForkProvider().name == "fork"
    assert SpawnProvider(name="critic").name == "critic"
    assert not SpawnProvider().inherits_conversation
    assert ForkProvider().inherits_conversation


# Persona


@in_loop
async def test_the_persona_of_a_request_takes_the_place_of_the_prompt():
    heard = Heard()
    provider = spawned(heard, CRITIC)
    await run(provider, persona="You are a poet.")
    assert heard.instructions == "You are a poet."

    await run(provider)
    assert heard.instructions == "You are a critic."


@in_loop
async def test_the_persona_takes_the_place_of_what_an_agent_is_told():
    heard = Heard()
    provider = SpawnProvider(Agent(heard.model, instructions="You are ready."))
    await run(provider, persona="You are a poet.")
    assert heard.instructions == "You are a poet."

    await run(provider)
    assert heard.instructions == "You are ready."


@in_loop
async def test_the_persona_of_a_child_is_not_that_of_its_own_children():
    heard = Heard()
    agent = Agent(heard.model, instructions="You are ready.")

    @agent.tool_plain
    async def ask_another() -> str:
        return (await registry.delegate("spawn", StartRequest("Deeper."))).answer()

    heard.answers = [call("ask_another"), "Below.", "Above."]
    async with registry_with(SpawnProvider(agent)) as registry:
        request = StartRequest("Work.", persona="You are a poet.")
        assert (await registry.delegate("spawn", request)).answer() == "Above."
    told = [info.instructions for _, info in heard.requests]
    assert told == ["You are a poet.", "You are ready.", "You are a poet."]


KNOWN = contextvars.ContextVar("known", default="nothing")


@in_loop
async def test_a_child_has_the_context_of_who_started_it():
    heard = Heard(lambda *_: KNOWN.get(), lambda *_: KNOWN.get())
    agent = Agent(heard.model)
    KNOWN.set("something")

    assert (await run(SpawnProvider(agent))).text == "something"
    assert (await run(SpawnProvider(agent), persona="You are.")).text == "something"


# Tools


@pytest.mark.parametrize(
    ("spec", "request_filter", "kept"),
    [
        ({}, {}, ["Read", "Write"]),
        ({}, {"allow": ["Read"]}, ["Read"]),
        ({}, {"allow": []}, []),
        ({}, {"deny": ["Read"]}, ["Write"]),
        ({}, {"allow": ["Read", "Write"], "deny": ["Read"]}, ["Write"]),
        ({"tools": ["Read"]}, {}, ["Read"]),
        ({"tools": []}, {}, []),
        ({"disallowed_tools": ["Read"]}, {}, ["Write"]),
        # No request gives back what the spec takes away.
        ({"tools": ["Read"]}, {"allow": ["Read", "Write"]}, ["Read"]),
        ({"tools": ["Read"]}, {"allow": ["Write"]}, []),
        ({"disallowed_tools": ["Read"]}, {"deny": ["Write"]}, []),
    ],
)
@in_loop
async def test_a_child_keeps_what_the_spec_and_the_request_leave(spec, request_filter, kept):
    heard = Heard()
    provider = spawned(heard, SubagentSpec("d", "p", **spec), tools=TOOLS)
    tool_filter = ToolFilter(**request_filter) if request_filter else ABSENT
    await run(provider, tool_filter=tool_filter)

    assert heard.tools == kept


@in_loop
async def test_a_tool_that_was_taken_away_cannot_be_called():
    called = []

    def dangerous() -> None:
        called.append(True)

    heard = Heard(call("dangerous"))
    provider = spawned(heard, tools=[read, dangerous])
    result = await run(provider, tool_filter=ToolFilter(deny=["dangerous"]))

    assert result.succeeded
    assert called == []


@in_loop
async def test_a_tool_that_there_is_not_is_refused_before_there_is_a_child():
    heard = Heard()
    said = "no tool 'Reed'; did you mean 'Read'\\?"
    for wrong in (ToolFilter(allow=["Reed"]), ToolFilter(deny=["Reed"])):
        with refused("UNKNOWN_TOOL", said):
            await run(spawned(heard, tools=TOOLS), tool_filter=wrong)
        # Not only the registry looks.
        with refused("UNKNOWN_TOOL", said):
            await spawned(heard, tools=TOOLS).start(StartRequest("Work.", tool_filter=wrong))
    for spec in ({"tools": ["Reed"]}, {"disallowed_tools": ["Reed"]}):
        with refused("UNKNOWN_TOOL", said):
            await run(spawned(heard, SubagentSpec("d", "p", **spec), tools=TOOLS))
    assert heard.requests == []


def test_a_wrong_filter_shows_when_a_tool_is_made():
    registry = registry_with(SpawnProvider(model="test", tools=TOOLS))
    config = DelegationConfig("spawn", tool_filter=ToolFilter(deny=["Reed"]))

    with refused("UNKNOWN_TOOL", "no tool 'Reed'; did you mean 'Read'\\?"):
        DelegationTool(registry, config)


@in_loop
async def test_tools_have_the_names_that_the_parent_gives_them():
    heard = Heard(call("Read", path="a"))
    renamed = Tool(write, name="write_it")
    await run(spawned(heard, tools={"Read": read, "Write": renamed}))

    assert heard.tools == ["Read", "Write"]
    assert renamed.name == "write_it"
    (returned,) = heard.requests[-1][0][-1].parts
    assert returned.content == "text of a"


class Remote(FunctionToolset):
    """A toolset whose tools are known only while it is open."""

    entered = 0
    opened = 0

    async def __aenter__(self):
        self.opened += 1
        self.entered += 1
        return self

    async def __aexit__(self, *_):
        self.opened -= 1

    async def get_tools(self, ctx):
        assert self.opened
        return await super().get_tools(ctx)


def dynamic(make):
    from pydantic_ai.toolsets._dynamic import DynamicToolset  # noqa: PLC0415

    return DynamicToolset(make)


@in_loop
async def test_toolsets_are_asked_for_their_tools_before_there_is_a_child():
    heard = Heard()
    remote = Remote([read])
    toolset = remote.prefixed("far")
    provider = spawned(heard, tools=[write, toolset])
    await run(provider, tool_filter=ToolFilter(allow=["far_read"]))
    assert heard.tools == ["far_read"]
    assert (remote.entered, remote.opened) == (2, 0)

    with refused("UNKNOWN_TOOL", "no tool 'read'; there is far_read, write"):
        await run(provider, tool_filter=ToolFilter(deny=["read"]))
    assert (remote.entered, remote.opened) == (3, 0)
    assert len(heard.requests) == 1


@in_loop
async def test_a_toolset_may_stand_for_all_tools():
    heard = Heard()
    provider = spawned(heard, tools=FunctionToolset([read, write]))
    await run(provider, tool_filter=ToolFilter(deny=["read"]))
    assert heard.tools == ["write"]


@in_loop
async def test_tools_that_appear_while_the_child_runs_are_held_to_the_filter():
    heard = Heard("Done.", "Done.")

    def tools(context):
        return FunctionToolset([read, write] if context.run_step else [read])

    provider = spawned(heard, tools=dynamic(tools))
    await run(provider, tool_filter=ToolFilter(allow=["read"]))
    assert heard.tools == ["read"]
    await run(provider, tool_filter=ToolFilter(deny=["read"]))
    assert heard.tools == ["write"]


@in_loop
async def test_a_toolset_that_fails_starts_no_child():
    def broken(_):
        raise GONE

    with refused("START_FAILED", "OSError: gone"):
        await run(spawned(Heard(), tools=dynamic(broken)), tool_filter=ToolFilter(deny=["x"]))


def code_execution(_):
    return CodeExecutionTool()


async def no_tool(_):
    return None


@pytest.mark.parametrize(
    ("tool_filter", "kept"),
    [
        (None, ["code_execution", "web_search"]),
        ({"deny": ["web_search"]}, ["code_execution"]),
        ({"allow": ["web_search"]}, ["web_search"]),
        ({"allow": []}, []),
    ],
)
@in_loop
async def test_tools_that_run_at_the_provider_of_the_model_are_held_to_the_filter(
    tool_filter, kept
):
    seen = []

    class Model(TestModel):
        @classmethod
        def supported_native_tools(cls):
            return frozenset({CodeExecutionTool, WebSearchTool})

        def _request(self, messages, settings, parameters):
            seen.extend(tool.kind for tool in parameters.native_tools)
            return ModelResponse([TextPart("Done.")])

    makers = [WebSearchTool(), code_execution, no_tool]
    agent = Agent(Model(), capabilities=[NativeTool(tool) for tool in makers])
    given = ABSENT if tool_filter is None else ToolFilter(**tool_filter)
    assert (await run(SpawnProvider(agent), tool_filter=given)).succeeded

    assert sorted(seen) == kept


@in_loop
async def test_the_tools_get_what_they_depend_on():
    def who(context: RunContext) -> str:
        return context.deps

    heard = Heard(call("who"), lambda messages, _: messages[-1].parts[0].content)
    assert (await run(spawned(heard, tools=[who], deps="Ada"))).text == "Ada"


# Model


def named(name):
    return FunctionModel(lambda *_: ModelResponse([TextPart(name)]), model_name=name)


@pytest.mark.parametrize(
    ("options", "spec", "model"),
    [
        (None, None, "parent's"),
        (None, "inherit", "parent's"),
        (None, "Inherit", "parent's"),
        (None, "haiku", "small"),
        (None, " Haiku", "small"),
        (None, "mine", "own"),
        ({"max_tokens": 5}, "haiku", "small"),
        ({"model": "mine"}, "haiku", "own"),
        ({"model": "inherit"}, "haiku", "parent's"),
    ],
)
@in_loop
async def test_the_request_chooses_the_model_before_the_spec_and_the_spec_before_the_parent(
    options, spec, model
):
    models = {"haiku": named("small"), "mine": named("own")}
    agent = SubagentSpec("d", "p", model=spec)
    provider = SpawnProvider(agent, model=named("parent's"), models=models)
    options = ABSENT if options is None else AgentOptions(**options)

    assert (await run(provider, agent_options=options)).answer() == model


@in_loop
async def test_an_agent_keeps_its_own_model_until_the_request_says_another():
    provider = SpawnProvider(
        Agent(named("its own")), model=named("parent's"), models={"small": named("small")}
    )

    assert (await run(provider)).answer() == "its own"
    chosen = AgentOptions(model="small")
    assert (await run(provider, agent_options=chosen)).answer() == "small"
    chosen = AgentOptions(model="inherit")
    assert (await run(provider, agent_options=chosen)).answer() == "parent's"
    without = SpawnProvider(Agent(), model=named("parent's"))
    assert (await run(without)).answer() == "parent's"


@in_loop
async def test_the_request_limits_the_tokens_of_an_answer():
    heard = Heard()
    agent = Agent(heard.model, model_settings={"max_tokens": 100, "temperature": 0})
    await run(SpawnProvider(agent), agent_options=AgentOptions(max_tokens=7))

    assert heard.info.model_settings == {"max_tokens": 7, "temperature": 0}


@pytest.mark.parametrize(
    ("options", "spec", "parent", "asked_for"),
    [
        ({"provider": "azure", "model": "gpt-5"}, None, None, "azure:gpt-5"),
        ({"provider": "bedrock", "model": "us.x-v1:0"}, "haiku", None, "bedrock:us.x-v1:0"),
        ({"provider": "azure"}, "openai:gpt-5", None, "azure:gpt-5"),
        ({"provider": "azure"}, "gpt-5", None, "azure:gpt-5"),
        ({"provider": "azure"}, None, "openai:gpt-5", "azure:gpt-5"),
        ({"provider": "azure"}, None, named("gpt-5"), "azure:gpt-5"),
        ({"provider": "bedrock"}, "haiku", None, "bedrock:claude-haiku-4-5"),
        ({"provider": "bedrock", "model": "Haiku"}, None, None, "bedrock:claude-haiku-4-5"),
        ({"model": "haiku"}, None, None, "anthropic:claude-haiku-4-5"),
        (None, "anthropic:x", "openai:y", "anthropic:x"),
        (None, None, "openai:y", "openai:y"),
    ],
)
def test_provider_and_model_are_chosen_each_for_itself(
    options, spec, parent, asked_for, monkeypatch
):
    asked = []

    def infer(name):
        asked.append(name)
        return TestModel()

    monkeypatch.setattr("pydantic_ai.models.infer_model", infer)
    provider = SpawnProvider(
        SubagentSpec("d", "p", model=spec),
        model=parent,
        models={"haiku": "anthropic:claude-haiku-4-5"},
    )
    options = ABSENT if options is None else AgentOptions(**options)
    for _ in range(2):
        provider.check(StartRequest("Work.", agent_options=options))

    # It is made once, not at every start.
    assert asked == [asked_for]


def test_the_provider_of_an_agents_own_model_can_be_another(monkeypatch):
    asked = []
    provider = SpawnProvider(Agent(named("gpt-5")))
    monkeypatch.setattr("pydantic_ai.models.infer_model", asked.append)
    provider.check(StartRequest("Work.", agent_options=AgentOptions(provider="azure")))

    assert asked == ["azure:gpt-5"]


@pytest.mark.parametrize("name", ["sonnet", "Opus", "haiku[1m]", "best"])
@in_loop
async def test_an_alias_of_which_nobody_says_what_it_means_is_refused(name):
    provider = SpawnProvider(SubagentSpec("d", "p", model=name), model="test", models=HAIKU)
    said = f"nobody says which model '{name}' is: say it in models=".replace("[", "\\[")
    with refused("START_FAILED", said):
        await run(provider)
    with refused("START_FAILED", said):
        await run(SpawnProvider(model="test"), agent_options=AgentOptions(model=name))


@in_loop
async def test_a_model_that_there_is_not_is_refused_before_there_is_a_child():
    with refused("START_FAILED", "no model can be made of 'claude-x': UserError: Unknown model.*"):
        await run(SpawnProvider(model="test"), agent_options=AgentOptions(model="claude-x"))
    with refused("START_FAILED", "nobody says which model to run on: give the provider one, .*"):
        await run(SpawnProvider(CRITIC))


# The answer


SCHEMA = {
    "type": "object",
    "properties": {"lines": {"type": "array", "items": {"type": "integer"}}},
    "required": ["lines"],
}


def structured(**answer):
    return lambda _, info: call(info.output_tools[0].name, **answer)


@in_loop
async def test_an_answer_follows_a_schema():
    heard = Heard(structured(lines=[7]))
    result = await run(spawned(heard, CRITIC), output_schema=SCHEMA)

    assert result.succeeded
    assert json.loads(result.text) == {"lines": [7]}
    (tool,) = heard.info.output_tools
    assert tool.parameters_json_schema["properties"] == SCHEMA["properties"]
    assert heard.instructions == "You are a critic."


@in_loop
async def test_an_answer_that_does_not_follow_the_schema_is_sent_back():
    heard = Heard(structured(lines=["seven"]), structured(lines=[7]))
    result = await run(spawned(heard), output_schema=SCHEMA)

    assert json.loads(result.answer()) == {"lines": [7]}
    assert "$.lines[0]: 'seven' is not of type 'integer'" in str(heard.requests[-1][0][-1])


@in_loop
async def test_a_child_that_never_follows_the_schema_fails():
    heard = Heard(*[structured(lines=1)] * 5)
    result = await run(spawned(heard), output_schema=SCHEMA)

    assert result.stop_reason == "error"
    assert "UnexpectedModelBehavior" in result.diagnostic


NOT_FETCHED = "and nothing is fetched"
OF_ITS_PARTS = r"must be '#/\$defs/NAME', and not lead back to itself"


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "objec"}, r"ValueError: \$\.type: 'objec' is not valid under any of .*"),
        ({"type": "array"}, "UserError: Schema must be an object"),
        (
            {"$schema": "http://localhost:1/x"},
            "ValueError: nobody here knows the dialect 'http://localhost:1/x'",
        ),
        *(
            (
                {"properties": {"x": {key: place}}},
                f"ValueError: it refers to '{re.escape(place)}', which is not in it, {NOT_FETCHED}",
            )
            for key in ("$ref", "$dynamicRef")
            for place in (
                "http://localhost:1/schema.json",
                "file:///etc/passwd",
                "../../etc/passwd",
                "#/nowhere",
            )
        ),
        (
            {"$id": "http://localhost:1/a/", "anyOf": [True, {"$ref": "b"}]},
            f"ValueError: it refers to 'b', which is not in it, {NOT_FETCHED}",
        ),
        (
            {"properties": {"x": {"$ref": "#"}}},
            f"ValueError: the reference '#' {OF_ITS_PARTS}",
        ),
        (
            {"$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}, "items": {"$ref": "#/$defs/a"}},
            rf"ValueError: the reference '#/\$defs/a' {OF_ITS_PARTS}",
        ),
        ({"enum": list(range(20_000))}, "ValueError: it holds more than 20,000 values"),
    ],
)
@in_loop
async def test_a_schema_that_cannot_be_used_is_refused_before_there_is_a_child(schema, said):
    heard = Heard()
    with refused("START_FAILED", f"the schema of the answer cannot be used: {said}"):
        await run(spawned(heard), output_schema={"type": "object", **schema})
    assert heard.requests == []


@in_loop
async def test_a_schema_may_refer_to_its_own_parts():
    schema = {"type": "object", "$defs": {"line": {"type": "integer"}}}
    lines = {"type": "array", "items": {"$ref": "#/$defs/line"}}
    schema["properties"] = {"lines": lines, "$ref": {"type": "string"}}
    result = await run(spawned(Heard(structured(lines=[7]))), output_schema=schema)

    assert result.answer() == '{"lines": [7]}'


@in_loop
async def test_a_schema_may_be_of_an_older_dialect():
    dialect = {"$schema": "http://json-schema.org/draft-07/schema#"}
    result = await run(spawned(Heard(structured(lines=[7]))), output_schema={**dialect, **SCHEMA})

    assert result.answer() == '{"lines": [7]}'


@in_loop
async def test_an_answer_that_is_no_text_is_json():
    agent = Agent(Heard(structured(response=[1, 2])).model, output_type=list[int])
    assert (await run(SpawnProvider(agent))).answer() == "[1, 2]"


@pytest.mark.parametrize(
    ("reason", "stop_reason", "diagnostic"),
    [
        ("length", "max-tokens", "the answer reached the limit of tokens"),
        ("content_filter", "refusal", "the model refused, or its provider filtered the answer"),
        ("error", "error", "the model stopped with an error"),
    ],
)
@in_loop
async def test_an_answer_that_was_cut_short_is_no_success(reason, stop_reason, diagnostic):
    result = await run(spawned(Heard(ended("Half an ans", reason))))

    assert result == RunResult(stop_reason, "Half an ans", diagnostic=diagnostic)


@pytest.mark.parametrize("reason", ["stop", None])
@in_loop
async def test_an_answer_that_the_model_finished_is_one(reason):
    assert await run(spawned(Heard(ended("All.", reason)))) == RunResult("completed", "All.")


@pytest.mark.parametrize(
    ("reason", "stop_reason"), [("length", "max-tokens"), ("content_filter", "refusal")]
)
@in_loop
async def test_an_answer_that_was_cut_before_it_began_says_why(reason, stop_reason):
    cut = ended("", reason)
    heard = Heard(call("read", text="Let me look.", path="a"), cut, cut, cut)
    result = await run(spawned(heard, tools=[read]))

    assert (result.stop_reason, result.text) == (stop_reason, "Let me look.")
    # A response as a whole is nothing for people.
    assert len(result.diagnostic) < 400


@in_loop
async def test_a_failure_of_the_model_is_an_error_with_what_was_said_until_then():
    heard = Heard(call("read", text="Let me look.", path="a"), OSError("gone"))
    result = await run(spawned(heard, tools=[read]))

    assert result == RunResult("error", "Let me look.", diagnostic="OSError: gone")


@in_loop
async def test_a_model_that_does_not_behave_is_an_error():
    broken = pydantic_ai.UnexpectedModelBehavior("no JSON", json.dumps(["a whole response"]))
    result = await run(spawned(Heard(broken)))

    assert result == RunResult("error", diagnostic="UnexpectedModelBehavior: no JSON")


@in_loop
async def test_a_failure_of_a_tool_is_an_error():
    heard = Heard(call("broken"))

    def broken() -> None:
        raise GONE

    result = await run(spawned(heard, tools=[broken]))

    assert result == RunResult("error", diagnostic="OSError: gone")


def leave(path: str) -> str:
    sys.exit(3 if path else 4)


async def leave_later(path: str) -> str:
    sys.exit(3 if path else 4)


def leave_at_once(*_, **__):
    sys.exit(3)


@in_loop
@pytest.mark.parametrize(
    "provider",
    [
        lambda heard: spawned(heard, tools={"go": leave}),
        lambda heard: spawned(heard, tools={"go": leave_later}),
        lambda heard: spawned(
            heard, tools={"go": Tool(read, name="go", args_validator=leave_at_once)}
        ),
        lambda heard: SpawnProvider(Agent(heard.model, tools=[Tool(leave, name="go")])),
        lambda heard: SpawnProvider(
            Agent(heard.model, toolsets=[FunctionToolset([Tool(leave_later, name="go")])])
        ),
        lambda _: SpawnProvider(Agent("test", output_type=leave)),
    ],
    ids=[
        *("tool", "async-tool", "validator", "own-tool", "own-toolset"),
        "output",
    ],
)
async def test_what_wants_to_end_the_program_ends_its_child(provider):
    calls = [ToolCallPart("go", {"path": "a"}, "1"), ToolCallPart("go", {"path": "b"}, "2")]
    result = await run(provider(Heard(ModelResponse(calls))))

    said = "ExitError: it wanted to end the program (SystemExit: 3)"
    assert result == RunResult("error", diagnostic=said)


@in_loop
async def test_what_needs_approval_is_an_error():
    heard = Heard(call("write", path="a"))
    asking = [Tool(write, requires_approval=True)]
    result = await run(spawned(heard, tools=asking))
    assert result.stop_reason == "error"

    heard = Heard(call("write", path="a", text="May I?"))
    agent = Agent(heard.model, output_type=[str, DeferredToolRequests])
    said = "the child waits for somebody to approve or answer write, and nobody can"
    result = await run(SpawnProvider(agent, tools=asking))
    assert result == RunResult("error", "May I?", diagnostic=said)


@pytest.mark.parametrize(
    ("max_turns", "limit", "requests"), [(2, None, 2), (None, 3, 3), (2, 3, 2), (3, 2, 2)]
)
@in_loop
async def test_a_child_makes_so_many_requests_and_no_more(max_turns, limit, requests):
    heard = Heard(*[call("read", path="a")] * 9)
    limits = None if limit is None else UsageLimits(request_limit=limit)
    spec = SubagentSpec("d", "p", max_turns=max_turns)
    result = await run(spawned(heard, spec, tools=[read], usage_limits=limits))

    assert result.stop_reason == "error"
    assert result.diagnostic.startswith("UsageLimitExceeded: ")
    assert len(heard.requests) == requests


# The end


class Hanging:
    """A tool that waits for ever, and takes a moment to end."""

    def __init__(self):
        self.called = asyncio.Event()
        self.log = []

    async def hang(self) -> None:
        self.called.set()
        try:
            await asyncio.Event().wait()
        finally:
            self.log.append("ended")


@in_loop
async def test_a_child_that_is_disposed_of_is_aborted_with_its_tools():
    hanging = Hanging()
    heard = Heard(call("hang", text="Let me think."))
    async with registry_with(spawned(heard, tools=[hanging.hang])) as registry:
        before = asyncio.all_tasks()
        started = await registry.start("spawn", StartRequest("Work."))
        await hanging.called.wait()
        await started.dispose()
        assert hanging.log == ["ended"]
        assert asyncio.all_tasks() == before

        assert await started.result() == RunResult("aborted", "Let me think.")


@in_loop
async def test_to_cancel_who_waits_is_to_cancel_the_child():
    hanging = Hanging()
    provider = spawned(Heard(call("hang")), tools=[hanging.hang])
    waiting = asyncio.create_task(run(provider))
    await hanging.called.wait()
    waiting.cancel()
    await asyncio.wait({waiting})

    assert waiting.cancelled()
    assert hanging.log == ["ended"]


@in_loop
async def test_a_child_that_is_disposed_of_before_it_began_is_aborted():
    heard = Heard()
    child = await spawned(heard).start(StartRequest("Work."))
    await child.dispose()
    await child.dispose()

    assert await child.result() == RunResult("aborted")
    assert heard.requests == []


@in_loop
async def test_a_child_that_cancels_itself_is_aborted():
    if not hasattr(RunContext, "cancel"):
        pytest.skip("this release has no way to")

    def stop(context: RunContext) -> None:
        context.cancel()

    result = await run(spawned(Heard(call("stop", text="Enough.")), tools=[stop]))
    said = "the child cancelled itself"
    assert result == RunResult("aborted", "Enough.", diagnostic=said)


@in_loop
async def test_a_start_that_is_cancelled_leaves_nothing():
    toolset = Remote([read])
    reached, entered = asyncio.Event(), Remote.get_tools

    async def get_tools(self, ctx):
        reached.set()
        await asyncio.Event().wait()
        return await entered(self, ctx)

    toolset.get_tools = partial(get_tools, toolset)
    provider = spawned(Heard(), tools=[toolset.prefixed("far")])
    starting = asyncio.create_task(run(provider, tool_filter=ToolFilter(deny=["x"])))
    await reached.wait()
    starting.cancel()
    await asyncio.wait({starting})

    assert toolset.opened == 0


class Meeting:
    """Where two wait for each other."""

    def __init__(self):
        self.came = 0
        self.complete = asyncio.Event()

    async def of_two(self) -> None:
        self.came += 1
        if self.came == 2:
            self.complete.set()
        await self.complete.wait()


@in_loop
async def test_siblings_run_side_by_side():
    meeting = Meeting()

    async def meet(who: str) -> str:
        await meeting.of_two()
        return f"{who} met"

    def model(messages, _):
        prompt = messages[0].parts[0].content
        last = messages[-1].parts[0]
        return call("meet", who=prompt) if last.part_kind == "user-prompt" else text_of(last)

    def text_of(part):
        return ModelResponse([TextPart(str(part.content))])

    provider = SpawnProvider(model=FunctionModel(model), tools=[meet])
    async with registry_with(provider) as registry:
        results = await asyncio.gather(
            *(registry.delegate("spawn", StartRequest(name)) for name in ("Ada", "Bob"))
        )
    assert [result.answer() for result in results] == ["Ada met", "Bob met"]


# Fork


def conversation(*texts):
    messages = []
    for text in texts:
        messages.append(ModelRequest([UserPromptPart(text)], instructions="You are the parent."))
        messages.append(ModelResponse([TextPart(f"{text}!")], run_id="parent"))
    return messages


IN_FLIGHT = [ModelRequest([UserPromptPart("And now?")]), call("subagent")]


def forked(heard, agent=None, **more):
    return ForkProvider(agent, **{"model": heard.model, **more})


@in_loop
async def test_a_fork_knows_exactly_the_completed_turns():
    heard = Heard()
    history = [*conversation("One", "Two"), *IN_FLIGHT]
    await run(forked(heard, CRITIC), "Three", conversation=history)

    assert heard.said == ["One", "One!", "Two", "Two!", "Three"]
    assert heard.instructions == "You are a critic."
    kinds = {part.part_kind for each in heard.requests[-1][0] for part in each.parts}
    assert kinds == {"user-prompt", "text"}


@in_loop
async def test_a_fork_without_a_completed_turn_starts_fresh():
    heard = Heard()
    agent = Agent(heard.model, system_prompt="You are ready.")
    await run(ForkProvider(agent), "Work.", conversation=IN_FLIGHT)

    (request,) = heard.requests[-1][0]
    assert [part.content for part in request.parts] == ["You are ready.", "Work."]


@in_loop
async def test_a_fork_goes_on_where_an_output_tool_ended_the_turn():
    heard = Heard()
    parent = Agent(Heard(structured(response=7)).model, output_type=int)
    history = (await parent.run("How many?")).all_messages()
    await run(forked(heard), "Why?", conversation=[*history, *IN_FLIGHT])

    kinds = [part.part_kind for each in heard.requests[-1][0] for part in each.parts]
    assert kinds == ["user-prompt", "tool-call", "tool-return", "user-prompt"]
    assert heard.said == ["How many?", "Why?"]


@in_loop
async def test_a_fork_has_what_was_said_and_nothing_else_of_the_parent():
    heard = Heard()

    def writes(messages, _):
        is_asked = messages[-1].parts[-1].part_kind == "user-prompt"
        return call("write", path="a") if is_asked else ModelResponse([TextPart("Written.")])

    parent = Agent(
        FunctionModel(writes),
        system_prompt="You are the parent.",
        instructions="You may write.",
        tools=[write],
    )
    history = (await parent.run("Write it.")).all_messages()
    provider = forked(heard, tools=[read])
    await run(provider, "Read it.", conversation=history, tool_filter=ToolFilter(deny=[]))

    messages, info = heard.requests[-1]
    assert "parent" not in str(messages)
    assert info.instructions is None
    assert heard.tools == ["read"]
    assert heard.said == ["Write it.", "Written.", "Read it."]
    assert {message.conversation_id for message in messages} != {history[0].conversation_id}


@in_loop
async def test_what_the_parent_said_is_not_what_a_fork_said():
    hanging = Hanging()
    provider = forked(Heard(call("hang")), tools=[hanging.hang])
    async with registry_with(provider) as registry:
        request = StartRequest("Two", conversation=conversation("One"))
        started = await registry.start("fork", request)
        await hanging.called.wait()
        await started.dispose()
        assert await started.result() == RunResult("aborted")

    result = await run(forked(Heard(OSError("gone"))), conversation=conversation("One"))
    assert result == RunResult("error", diagnostic="OSError: gone")


@pytest.mark.parametrize("wrong", ["hello", ["hello"], [{"kind": "request"}], 7])
@in_loop
async def test_a_fork_needs_the_messages_of_its_parent(wrong):
    with refused(
        "START_FAILED", "a fork needs the conversation of its parent: give the request .*"
    ):
        await run(forked(Heard()))
    with refused(
        "START_FAILED", "the conversation of a fork's parent must be a list of Pydantic .*"
    ):
        await run(forked(Heard()), conversation=wrong)


@in_loop
async def test_a_spawned_child_takes_no_conversation():
    with refused("UNSUPPORTED_CAPABILITY", "the provider 'spawn' does not support conversation"):
        await run(spawned(Heard()), conversation=conversation("One"))


# Depth


@in_loop
async def test_a_child_knows_how_deep_it_is():
    heard = Heard(lambda *_: str(current_place()))
    result = await run(spawned(heard), parent_depth=1, max_depth=4)

    assert result.text == str(Place(2, 4))
    assert current_place() == Place()
    with at_place(Place(1)):
        assert current_place() == Place(1)


# The tool


class Unruly:
    """A provider, or its child, that does not end by itself."""

    capabilities = Capabilities(depth_limit=True)

    def __init__(self, name=None, child=None):
        self.name = name
        self.child = child
        self.over = asyncio.Event()

    async def start(self, _):
        return self.child

    async def result(self):
        await self.over.wait()
        return RunResult("aborted")

    async def dispose(self):
        self.over.set()


DELEGATE = {"description": "Look closely", "prompt": "Look."}


def tool_of(registry, provider, **config):
    return DelegationTool(registry, DelegationConfig(provider, **config))


@pytest.mark.parametrize(
    ("provider", "known"),
    [(SpawnProvider, ["Look."]), (ForkProvider, ["One", "One!", "Look."])],
)
@in_loop
async def test_a_parent_delegates(provider, known):
    heard = Heard("Seen.")
    asks = Heard("One!", call("subagent", **DELEGATE), "It was seen.")
    async with registry_with(provider(CRITIC, model=heard.model, tools=[read])) as registry:
        tool = tool_of(registry, provider.name)
        parent = Agent(asks.model, toolsets=[delegation_toolset(tool)], system_prompt="Parent.")
        first = await parent.run("One")
        second = await parent.run("Two", message_history=first.all_messages())

    assert second.output == "It was seen."
    assert heard.said == known
    assert heard.instructions == "You are a critic."
    assert heard.tools == ["read"]
    (returned,) = asks.requests[-1][0][-1].parts
    assert returned.content == "Seen."
    (offered,) = asks.info.function_tools
    assert (offered.name, offered.description) == ("subagent", tool.description)
    assert offered.parameters_json_schema == tool.input_schema


@in_loop
async def test_a_parent_may_have_several_tools_but_not_two_of_one_name():
    async with registry_with(Unruly("one"), Unruly("two")) as registry:
        one, two = tool_of(registry, "one"), tool_of(registry, "two", tool_name="other")
        assert list(delegation_toolset(one, two).tools) == ["subagent", "other"]
        with refused("BAD_TOOL", "there are two tools 'subagent'"):
            delegation_toolset(one, tool_of(registry, "two"))


@pytest.mark.parametrize("told", [True, False])
@in_loop
async def test_a_parent_hears_of_a_failure(told, monkeypatch):
    if not told:
        monkeypatch.delattr("pydantic_ai.exceptions.ToolFailed", raising=False)
    asks = Heard(call("subagent", **DELEGATE), "It failed.")
    provider = spawned(Heard(ended("Half an ans", "length")))
    async with registry_with(provider) as registry:
        parent = Agent(asks.model, toolsets=[delegation_toolset(tool_of(registry, "spawn"))])
        assert (await parent.run("Work.")).output == "It failed."

    (returned,) = asks.requests[-1][0][-1].parts
    assert "It stopped with 'max-tokens'" in str(returned.content)
    assert str(returned.content).endswith("Half an ans")
    knows = told and hasattr(pydantic_ai.exceptions, "ToolFailed")
    assert getattr(returned, "outcome", "success") == ("failed" if knows else "success")


@in_loop
async def test_children_that_are_called_in_one_turn_work_side_by_side():
    meeting = Meeting()

    def child(messages, _):
        asked = messages[-1].parts[-1].part_kind == "user-prompt"
        return call("meet") if asked else ModelResponse([TextPart("We met.")])

    both = ModelResponse([ToolCallPart("subagent", DELEGATE, each) for each in "ab"])
    asks = Heard(both, "Both.")
    async with registry_with(
        SpawnProvider(model=FunctionModel(child), tools={"meet": meeting.of_two})
    ) as registry:
        parent = Agent(asks.model, toolsets=[delegation_toolset(tool_of(registry, "spawn"))])
        await parent.run("Work.")

    assert [part.content for part in asks.requests[-1][0][-1].parts] == ["We met.", "We met."]


@in_loop
async def test_a_child_works_while_the_parent_goes_on():
    gate = asyncio.Event()

    async def wait() -> str:
        await gate.wait()
        return "open"

    def go_on(*_):
        gate.set()
        return call("subagent_collect", job_id="spawn-1")

    asks = Heard(
        call("subagent", **DELEGATE, run_in_background=True),
        call("subagent_status"),
        go_on,
        "All done.",
    )
    provider = spawned(Heard(call("wait"), "The gate is open."), tools=[wait])
    async with registry_with(provider) as registry:
        tool = tool_of(registry, "spawn", run_in_background=True)
        parent = Agent(asks.model, toolsets=[delegation_toolset(tool)])
        assert (await parent.run("Work.")).output == "All done."
        await tool.aclose()

    replies = [messages[-1].parts[0].content for messages, _ in asks.requests[1:]]
    assert replies == [
        "Job spawn-1 has begun. Its result comes by subagent_collect.",
        "spawn-1 ('Look closely'): running",
        "The gate is open.",
    ]


@in_loop
async def test_a_background_child_does_not_outlive_the_tool():
    hanging = Hanging()
    asks = Heard(call("subagent", **DELEGATE, run_in_background=True), "Begun.")
    provider = spawned(Heard(call("hang")), tools=[hanging.hang])
    async with registry_with(provider) as registry:
        async with tool_of(registry, "spawn", run_in_background=True) as tool:
            parent = Agent(asks.model, toolsets=[delegation_toolset(tool)])
            assert (await parent.run("Work.")).output == "Begun."
            await hanging.called.wait()
        assert hanging.log == ["ended"]


@in_loop
async def test_to_cancel_a_parent_is_to_cancel_its_children():
    hanging = Hanging()
    provider = spawned(Heard(call("hang")), tools=[hanging.hang])
    async with registry_with(provider) as registry:
        parent = Agent(
            Heard(call("subagent", **DELEGATE)).model,
            toolsets=[delegation_toolset(tool_of(registry, "spawn"))],
        )
        working = asyncio.create_task(parent.run("Work."))
        await hanging.called.wait()
        working.cancel()
        await asyncio.wait({working})
        await settle()
        assert hanging.log == ["ended"]
        assert registry.runs == ()


def nesting(heard, registry, **config):
    """Tools for children that are the ones by which they are called."""
    toolset = FunctionToolset()
    registry.register(spawned(heard, tools=[toolset]))
    for each in delegation_toolset(tool_of(registry, "spawn", **config)).tools.values():
        toolset.add_tool(each)
    return toolset


@pytest.mark.parametrize(
    ("max_depth", "deepest"), [(0, 0), (1, 1), (3, 3), ("provider-managed", 5)]
)
@in_loop
async def test_children_delegate_as_deep_as_they_may(max_depth, deepest):
    depths = []

    def model(messages, _):
        if messages[-1].parts[-1].part_kind == "user-prompt":
            depths.append(current_place().depth)
            if current_place().depth < 5:
                return call("subagent", **DELEGATE)
        return ModelResponse([TextPart("Up.")])

    heard = Heard(*[model] * 20)
    async with registry_with() as registry:
        toolset = nesting(heard, registry, max_depth=max_depth)
        await Agent(heard.model, toolsets=[toolset]).run("Work.")

    assert depths == list(range(deepest + 1))


class Family:
    """A model that answers the agents at each depth in their order."""

    def __init__(self, *answers):
        self.answers = [list(each) for each in answers]
        self.replies = [[] for _ in answers]
        self.model = FunctionModel(self._answer)

    async def _answer(self, messages, _):
        depth = current_place().depth
        part = messages[-1].parts[-1]
        if part.part_kind != "user-prompt":
            self.replies[depth].append(str(part.content))
        answer = self.answers[depth].pop(0)
        if asyncio.iscoroutinefunction(answer):
            answer = await answer()
        return ModelResponse([TextPart(answer)]) if isinstance(answer, str) else answer


ASIDE = call("subagent", **DELEGATE, run_in_background=True)
COLLECT = call("subagent_collect", job_id="spawn-1")


@in_loop
async def test_a_child_cannot_wait_for_itself():
    family = Family(
        [ASIDE, COLLECT, "Done."],
        [call("subagent_status"), COLLECT, call("subagent_cancel", job_id="spawn-1"), "I am done."],
    )
    async with registry_with() as registry:
        toolset = nesting(family, registry, run_in_background=True)
        assert (await Agent(family.model, toolsets=[toolset]).run("Work.")).output == "Done."

    assert family.replies[0][1] == "I am done."
    nothing, *unknown = family.replies[1]
    assert nothing == "There is no job that was not collected."
    assert all("no job 'spawn-1'" in reply for reply in unknown)


@in_loop
async def test_the_jobs_of_a_child_end_with_it():
    begun, ended = asyncio.Event(), []

    async def hang():
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    async def leave():
        await begun.wait()
        return "I leave."

    family = Family([call("subagent", **DELEGATE), "Done."], [ASIDE, leave], [hang])
    async with registry_with() as registry:
        toolset = nesting(family, registry, run_in_background=True)
        assert (await Agent(family.model, toolsets=[toolset]).run("Work.")).output == "Done."
        assert family.replies[0] == ["I leave."]
        assert ended == [True]
        assert registry.runs == ()


@in_loop
async def test_a_child_whose_own_jobs_cannot_be_put_away_failed():
    class Stuck(Unruly):
        async def dispose(self):
            await super().dispose()
            raise GONE

    family = Family([], [ASIDE, "I leave."])
    async with registry_with(Unruly("stuck", Stuck())) as registry:
        tool = tool_of(registry, "stuck", run_in_background=True)
        registry.register(spawned(family, tools=[delegation_toolset(tool)]))
        result = await registry.delegate("spawn", StartRequest("Work."))

    assert (result.stop_reason, result.text) == ("error", "I leave.")
    assert "stuck-2 could not be put away: OSError: gone" in result.diagnostic


@in_loop
async def test_a_child_hears_that_nobody_is_left_to_delegate_to():
    family = Family([], [call("subagent", **DELEGATE), "I did it myself."])
    async with registry_with() as registry:
        unregister = registry.register(Unruly("gone"))
        toolset = delegation_toolset(tool_of(registry, "gone"))
        unregister()
        registry.register(spawned(family, tools=[toolset]))
        result = await registry.delegate("spawn", StartRequest("Work."))

    assert result.answer() == "I did it myself."
    assert "no provider 'gone'" in family.replies[1][0]


@in_loop
async def test_a_child_is_held_to_the_depth_that_it_was_started_with():
    heard = Heard(call("subagent", **DELEGATE), "It was refused.")
    async with registry_with() as registry:
        nesting(heard, registry, max_depth="provider-managed")
        await registry.delegate("spawn", StartRequest("Work.", max_depth=1))

        (returned,) = heard.requests[-1][0][-1].parts
        assert "the child would be 2 deep, and the limit is 1" in str(returned.content)
        assert len(heard.requests) == 2
