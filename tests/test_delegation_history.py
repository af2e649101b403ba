"""What of a parent's conversation a forked child may know."""

import asyncio
import copy
from dataclasses import fields

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

messages = pytest.importorskip("pydantic_ai.messages")

from pydantic_ai import Agent, RunContext  # noqa: E402 - skipped where it is not installed
from pydantic_ai.messages import (  # noqa: E402
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models.function import FunctionModel  # noqa: E402

from subspec.delegation.in_process.history import FINAL, TIES, completed_turns  # noqa: E402

SKIPPED = "Tool not executed - a final result was already processed."


def asks(text="What?"):
    return ModelRequest([UserPromptPart(text)])


def says(text="That.", **more):
    return ModelResponse([TextPart(text)], **more)


def calls(*ids):
    return ModelResponse([ThinkingPart("Hm."), *(ToolCallPart("read", {}, each) for each in ids)])


def returns(*ids, content="text"):
    return ModelRequest([ToolReturnPart("read", content, each) for each in ids])


def again(text="Try again."):
    """What the model is told when its answer as a whole was wrong, in this release's words."""
    if hasattr(messages, "RetryFeedbackPart"):
        retry = messages.RetryInfo(cause="validation")
        return ModelRequest([messages.RetryFeedbackPart(text, retry=retry)])
    return ModelRequest([messages.RetryPromptPart(text)])


def native(call_id, *, returned):
    call = messages.NativeToolCallPart("web_search", {}, call_id)
    back = messages.NativeToolReturnPart("web_search", "found", call_id)
    return ModelResponse([call, *([back] if returned else []), TextPart("Found.")])


DONE = [asks(), says()]
OUTPUT = [asks(), calls("f"), returns("f", content=FINAL)]


def prefix(*history):
    """How many messages are kept of a history that holds nothing of the parent's own."""
    history = list(history)
    before = copy.deepcopy(history)
    kept = completed_turns(history)
    assert history == before
    assert [message.parts for message in kept] == [each.parts for each in history[: len(kept)]]
    return len(kept)


@pytest.mark.parametrize(
    ("history", "kept"),
    [
        ([], 0),
        ([asks()], 0),
        (DONE, 2),
        ([*DONE, asks()], 2),
        ([*DONE, asks(), calls("a")], 2),
        ([*DONE, asks(), calls("a"), returns("a")], 2),
        ([*DONE, asks(), calls("a"), returns("a"), calls("b")], 2),
        ([*DONE, asks(), calls("a"), returns("a"), says()], 6),
        ([asks(), calls("a", "b"), returns("a", "b"), says(), asks(), calls("c")], 4),
        ([asks(), calls("a", "b"), returns("a"), returns("b"), says()], 5),
        # An output tool ended the turn, another did not.
        (OUTPUT, 3),
        ([*OUTPUT, asks(), calls("a")], 3),
        ([*OUTPUT, *DONE], 5),
        # The same id in two turns are two calls.
        ([asks(), calls("a"), returns("a"), says(), asks(), calls("a"), returns("a"), says()], 8),
        # A run without a prompt.
        ([ModelRequest([]), says(), ModelRequest([]), says()], 4),
    ],
)
def test_the_turns_that_are_complete_are_kept(history, kept):
    assert prefix(*history) == kept


@pytest.mark.parametrize(
    "turn",
    [
        [asks(), calls("a"), says()],
        [asks(), calls("a", "b"), returns("a"), says()],
        [asks(), calls("a"), returns("b"), says()],
        [asks(), calls("a"), returns("a", "a"), says()],
        [asks(), calls("a", "a"), returns("a"), says()],
        [returns("a"), says()],
        [asks(), native("n", returned=False)],
        [asks(), ModelResponse([messages.NativeToolReturnPart("s", "x", "n"), TextPart("Yes.")])],
    ],
)
def test_from_where_it_is_not_balanced_nothing_is_kept(turn):
    assert prefix(*DONE, *turn) == 2
    assert prefix(*DONE, *turn, *DONE) == 2


@pytest.mark.parametrize(
    "turn",
    [
        [asks(), ModelResponse([ThinkingPart("Hm.")])],
        [asks(), ModelResponse([])],
        [asks(), says(), again()],
        [asks(), says(), again(), calls("a")],
    ],
)
def test_what_is_no_answer_completes_no_turn(turn):
    assert prefix(*DONE, *turn) == 2
    assert prefix(*DONE, *turn[:2], *turn[2:3], says()) == 2 + len(turn[:3]) + 1


@pytest.mark.parametrize("state", ["interrupted", "suspended", "incomplete"])
def test_an_answer_that_is_not_whole_completes_no_turn(state):
    if "state" not in {field.name for field in fields(ModelResponse)}:
        pytest.skip("this release does not know of it")

    assert prefix(*DONE, asks(), says(state=state)) == 2


def test_what_ran_at_the_provider_of_the_model_may_return_later():
    returned = ModelResponse([messages.NativeToolReturnPart("web_search", "found", "n")])

    assert prefix(*DONE, asks(), native("n", returned=True)) == 4
    assert prefix(asks(), native("n", returned=False), returned, says()) == 4


@pytest.mark.filterwarnings("ignore:.RetryPromptPart. is deprecated")
def test_a_retry_answers_a_call_but_completes_no_turn():
    retry = ModelRequest([messages.RetryPromptPart("Wrong.", tool_name="read", tool_call_id="a")])

    assert prefix(*DONE, asks(), calls("a"), retry) == 2
    assert prefix(*DONE, asks(), calls("a"), retry, says()) == 6
    toolless = ModelRequest([messages.RetryPromptPart("Wrong.")])
    assert prefix(*DONE, asks(), says(), toolless) == 2


def test_a_turn_that_was_merged_into_the_end_of_another_is_parted_from_it():
    merged = ModelRequest([*returns("f", content=FINAL).parts, *asks("And?").parts])
    history = [*OUTPUT[:2], merged, calls("a")]

    *first, last = completed_turns(history)
    assert [message.parts for message in first] == [each.parts for each in OUTPUT[:2]]
    assert last.parts == merged.parts[:1]
    assert prefix(*history[:3], says()) == 4


def test_what_an_output_tool_leaves_undone_is_part_of_its_turn():
    ending = ModelRequest([*returns("f", content=FINAL).parts, ToolReturnPart("r", SKIPPED, "a")])

    assert prefix(asks(), calls("f", "a"), ending, asks(), calls("b")) == 3


def test_how_the_parent_is_set_up_is_no_conversation():
    history = [
        ModelRequest([SystemPromptPart("You are the parent.")], instructions="Be brief."),
        ModelRequest([SystemPromptPart("You are."), UserPromptPart("Hi.")], instructions="Brief."),
        says(run_id="run", conversation_id="talk", provider_response_id="r", model_name="m"),
    ]
    if hasattr(messages, "ToolAvailabilityDeltaPart"):
        history[1].parts.append(messages.ToolAvailabilityDeltaPart(tools_added=["secret"]))

    first, second = completed_turns(history)
    assert [part.content for part in first.parts] == ["Hi."]
    assert second.parts == history[2].parts
    assert second.model_name == "m"
    for message in (first, second):
        assert {getattr(message, name, None) for name in TIES} == {None}
    assert history[1].instructions == "Brief."


STEPS = st.lists(st.sampled_from(["call", "two calls", "think and call", "retry"]), max_size=3)
ENDS = st.sampled_from(["answer", "output tool"])
INTERRUPTED = st.sampled_from(["asked", "called", "half returned", "returned", "thinking"])


@st.composite
def turns(draw):
    """A completed turn, with ids of its own."""
    numbers = iter(range(100))
    turn = [ModelRequest([UserPromptPart(draw(st.text(max_size=5)))])]
    for step in draw(STEPS):
        if step == "retry":
            turn += [says("Wrong."), again()]
            continue
        ids = [f"c{next(numbers)}" for _ in range(2 if step == "two calls" else 1)]
        turn += [calls(*ids), returns(*draw(st.permutations(ids)))]
    if draw(ENDS) == "answer":
        return [*turn, says(draw(st.text(max_size=5)))]
    return [*turn, calls("f"), returns("f", content=FINAL)]


@st.composite
def in_flight(draw):
    """A turn that has begun, and that nothing has completed yet."""
    turn = [asks("Now?")]
    for step in draw(STEPS):
        turn += [says("Wrong."), again()] if step == "retry" else [calls(step), returns(step)]
    return (
        turn
        + {
            "asked": [],
            "called": [calls("x")],
            "half returned": [calls("x", "y"), returns("y")],
            "returned": [calls("x"), returns("x")],
            "thinking": [ModelResponse([ThinkingPart("Hm.")])],
        }[draw(INTERRUPTED)]
    )


def balance(history):
    called = [part.tool_call_id for each in history for part in each.parts if is_a(part, "call")]
    returned = [
        part.tool_call_id for each in history for part in each.parts if is_a(part, "return")
    ]
    return sorted(called) == sorted(returned)


def is_a(part, what):
    return part.part_kind == f"tool-{what}"


@given(done=st.lists(turns(), max_size=4), now=in_flight() | st.just([]))
def test_exactly_the_completed_turns_are_kept_whatever_is_in_flight(done, now):
    done = [message for turn in done for message in turn]

    assert prefix(*done, *now) == len(done)


@given(st.lists(turns() | in_flight(), max_size=5), st.integers(0, 40), st.integers(0, 40))
def test_whatever_it_is_cut_out_of_it_is_a_beginning_and_balanced(history, start, stop):
    history = [message for turn in history for message in turn][start:stop]

    kept = history[: prefix(*history)]
    assert balance(kept)
    assert not kept or not is_a(kept[-1].parts[-1], "call")
    # What is complete stays complete, and is all of what it gives.
    assert prefix(*kept) == len(kept)


@pytest.mark.parametrize("output", [str, int])
def test_the_history_of_a_real_run_is_complete(output):
    def model(_, info):
        if info.output_tools:
            name = info.output_tools[0].name
            return ModelResponse([ToolCallPart(name, {"response": 1})])
        return ModelResponse([TextPart("Yes.")])

    agent = Agent(FunctionModel(model), output_type=output, system_prompt="Be brief.")
    history = asyncio.run(agent.run("Is it?")).all_messages()
    more = asyncio.run(agent.run("Really?", message_history=history)).all_messages()

    assert len(completed_turns(history)) == len(history)
    assert len(completed_turns(more)) == len(more)
    assert completed_turns([*more, asks("So?"), calls("a")]) == completed_turns(more)


TURN = st.tuples(st.sampled_from([str, int]), st.lists(st.integers(1, 3), max_size=3))


@settings(max_examples=30)
@given(st.lists(TURN, max_size=4), st.lists(st.integers(1, 2), max_size=2))
def test_a_tool_of_a_real_agent_sees_exactly_the_turns_that_are_complete(done, before):
    """Each turn has an output type, and how many tools are called at once, step by step."""
    plan = []

    def read() -> str:
        return "text"

    def look(ctx: RunContext) -> None:
        seen.append(completed_turns(ctx.messages))

    def model(_, info):
        tools = plan.pop(0) if plan else []
        if tools:
            return ModelResponse([ToolCallPart(tool, {}) for tool in tools])
        if info.output_tools:
            return ModelResponse([ToolCallPart(info.output_tools[0].name, {"response": 1})])
        return ModelResponse([TextPart("Yes.")])

    async def talk():
        history = []
        for output, steps in done:
            plan[:] = [["read"] * count for count in steps]
            run = await agent.run("Go.", message_history=history, output_type=output)
            history = run.all_messages()
        plan[:] = [*(["read"] * count for count in before), ["look", "read"]]
        await agent.run("Look.", message_history=history)
        return history

    seen = []
    agent = Agent(FunctionModel(model), tools=[read, look], instructions="Be brief.")
    history = asyncio.run(talk())

    assert parts_of(*seen) == parts_of(history)


def parts_of(history):
    """What is said in a history, however it is divided into requests."""
    return [part for message in history for part in message.parts]
