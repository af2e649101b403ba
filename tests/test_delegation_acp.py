"""Children that speak the Agent Client Protocol: real processes, driven through a registry."""

import asyncio
import json
import os
import sys
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from signal import strsignal

import pytest
import rude_agent

pytest.importorskip("acp", reason="needs the extra subspec[acp]")
pytest.importorskip("psutil", reason="needs the extra subspec[acp]")

from leftovers import ended, in_loop, nothing_left, until

from subspec.delegation import (
    AgentOptions,
    Capabilities,
    DelegationConfig,
    DelegationError,
    DelegationTool,
    Registry,
    RunResult,
    StartRequest,
    SubagentProvider,
    SubagentRun,
    ToolFilter,
)
from subspec.delegation.acp import AcpProvider
from subspec.delegation.acp import session as acp_session
from subspec.delegation.acp.provider import AcpRun
from subspec.delegation.processes import program as processes
from subspec.delegation.processes.tree import MARK, ProcessTree
from subspec.problems import SpecError

POLITE = str(Path(__file__).with_name("acp_agent.py"))
RUDE = str(Path(__file__).with_name("rude_agent.py"))
WORK = StartRequest("Find the bug.")
END = '{"id": $id, "result": {"stopReason": "end_turn"}}'
OPEN = {
    "initialize": ['{"id": $id, "result": {"protocolVersion": 1}}'],
    "session/new": ['{"id": $id, "result": {"sessionId": "s"}}'],
}


@pytest.fixture(autouse=True)
def _nothing_left(monkeypatch, tmp_path_factory):
    with nothing_left(monkeypatch, tmp_path_factory.mktemp("tmp")):
        yield


def provider(behaviour, *arguments, **settings):
    agent = RUDE if behaviour in rude_agent.BEHAVIOURS else POLITE
    command = [sys.executable, agent, behaviour, *map(str, arguments)]
    return AcpProvider(command, **{"grace": 0.3, **settings})


def registry_with(*providers):
    registry = Registry()
    for each in providers:
        registry.register(each)
    return registry


async def outcome(*args, request=WORK, **settings):
    async with registry_with(provider(*args, **settings)) as registry:
        return await registry.delegate("acp", request)


async def report(*args, **settings):
    return json.loads((await outcome(*args, **settings)).answer())


async def failure(*args, code="START_FAILED", **settings):
    """Give the message of a start that fails; nobody must hear of such a child."""
    return await failure_of(provider(*args, **settings), code)


async def failure_of(each, code="START_FAILED"):
    heard = []
    async with registry_with(each) as registry:
        registry.listen(heard.append)
        with pytest.raises(DelegationError) as caught:
            await registry.start(each.name, WORK)
    assert heard == []
    assert caught.value.code == code
    return caught.value.message


def result(value):
    return ['{"id": $id, "result": ' + json.dumps(value) + "}"]


class Script:
    """An agent that answers with given lines, and what it was sent."""

    def __init__(self, folder, **lines):
        self.log = folder / "log"
        self.lines = folder / "lines"
        methods = {name.replace("_", "/", 1): value for name, value in lines.items()}
        self.lines.write_text(json.dumps({**OPEN, **methods}))
        self.arguments = (str(self.lines), str(self.log))

    def heard(self):
        return [json.loads(line) for line in self.log.read_text().splitlines()]


# Settings


def faults(*args, **kwargs):
    with pytest.raises(SpecError) as caught:
        AcpProvider(*args, **kwargs)
    return str(caught.value).splitlines()


def test_all_that_is_wrong_with_the_settings_is_said_at_once():
    settings = {"name": " ", "cwd": 1, "env": {"A": 1}, "permissions": "alow"}
    as_text = 'must be text, not the number 1; to say that text, quote it: "1" [wrong-type]'
    assert faults("my-agent", **settings, start_timeout=0, grace=-1) == [
        (
            "error: command: must be a list of text, not the text 'my-agent'; "
            "write it as a list: [my-agent] [wrong-type]"
        ),
        "error: name: must not be blank [blank-value]",
        f"error: cwd: {as_text}",
        f"error: env.A: {as_text}",
        (
            "error: permissions: must be 'reject' or 'allow', not 'alow'; "
            "did you mean 'allow'? [not-a-choice]"
        ),
        "error: start_timeout: must be more than 0, not 0 [out-of-range]",
        "error: grace: must be more than 0, not -1 [out-of-range]",
    ]


@pytest.mark.parametrize("command", [[], [" ", "--acp"]])
def test_a_command_begins_with_a_program(command):
    assert faults(command) == ["error: command: must begin with a program [blank-value]"]


def test_settings_are_frozen_and_keep_what_is_secret():
    agent = AcpProvider([Path("/bin/agent"), "--acp"], env={"API_KEY": "sesame"}, cwd=Path("/x"))

    assert (agent.command, agent.cwd) == (("/bin/agent", "--acp"), "/x")
    assert hash(agent) == hash(AcpProvider(["/bin/agent", "--acp"], env=agent.env, cwd="/x"))
    assert "sesame" not in repr(agent)
    assert isinstance(agent, SubagentProvider)
    assert issubclass(AcpRun, SubagentRun)


@in_loop
async def test_it_can_run_from_where_nobody_has_installed_it(monkeypatch, tmp_path):
    def version(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(acp_session, "version", version)
    script = Script(tmp_path, session_prompt=[END])
    assert (await outcome("scripted", *script.arguments)).succeeded
    assert script.heard()[0]["params"]["clientInfo"]["version"] == "unknown"


@pytest.mark.parametrize("package", ["acp", "psutil"])
@in_loop
async def test_without_the_extra_it_is_named(package):
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(sys.modules, package, None)
        assert await failure("echo") == (
            "ACP agents need agent-client-protocol and psutil; "
            "install them with: pip install 'subspec[acp]'"
        )


# What a child gets


@in_loop
async def test_a_child_answers():
    result = await outcome("echo")

    assert result == RunResult("completed", "You said: Find the bug.")


@in_loop
async def test_a_child_is_known_once_it_has_a_session_and_then_gets_the_prompt(tmp_path):
    script = Script(tmp_path, session_prompt=[END])
    known = []
    async with registry_with(provider("scripted", *script.arguments, cwd=tmp_path)) as registry:
        registry.listen(lambda event: known.append((event.kind, len(script.heard()))))
        await registry.delegate("acp", WORK)

    assert known == [("started", 2), ("settled", 3)]
    initialize, opening, prompt = script.heard()
    info = initialize["params"].pop("clientInfo")
    assert info["name"] == "subspec"
    assert initialize["params"] == {
        "protocolVersion": 1,
        "clientCapabilities": {
            "fs": {"readTextFile": False, "writeTextFile": False},
            "terminal": False,
        },
    }
    assert opening["params"] == {"cwd": str(tmp_path), "mcpServers": []}
    blocks = [{"type": "text", "text": "Find the bug."}]
    assert prompt["params"] == {"sessionId": "s", "prompt": blocks}
    methods = [message["method"] for message in (initialize, opening, prompt)]
    assert methods == ["initialize", "session/new", "session/prompt"]


@in_loop
async def test_process_and_session_are_in_the_same_directory(tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        here = await report("report")
    there = await report("report", cwd=tmp_path.parent)

    assert here["cwd"] == here["session"] == str(tmp_path)
    assert there["cwd"] == there["session"] == str(tmp_path.parent)


@pytest.mark.parametrize(
    ("cwd", "said"),
    [
        ("work", "cwd must be an absolute path, not 'work'"),
        ("/nowhere/at/all", "cwd must be a directory that can be entered: '/nowhere/at/all'"),
        (RUDE, f"cwd must be a directory that can be entered: '{RUDE}'"),
    ],
)
@in_loop
async def test_a_directory_that_cannot_be_entered_is_refused_before_anything_runs(
    cwd, said, tmp_path
):
    script = Script(tmp_path)

    assert await failure("scripted", *script.arguments, cwd=cwd) == said
    assert not script.log.exists()


@in_loop
async def test_a_directory_of_its_own_that_is_gone_is_an_error(tmp_path):
    gone = tmp_path / "gone"
    gone.mkdir()
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(gone)
        gone.rmdir()
        assert await failure("echo") == "the working directory of this process is gone; set cwd"


@in_loop
async def test_a_child_does_not_see_credentials_but_what_it_is_given():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_API_KEY", "secret")
        patch.setenv("OTHER_TOKEN", "secret")
        patch.setenv("DATABASE_URL", "postgres://me:secret@host/db")
        patch.setenv("GREETING", "hello")
        patch.setenv("NAME", "outer")
        env = (await report("report", env={"OTHER_TOKEN": "given", "NAME": "inner"}))["env"]

    assert "secret" not in str(env)
    assert (env["OTHER_TOKEN"], env["GREETING"], env["NAME"]) == ("given", "hello", "inner")
    outer, inner = env[MARK].split(":")
    assert outer == os.environ[MARK] != inner


@in_loop
async def test_the_client_side_offers_neither_files_nor_terminals():
    assert await report("reach_out") == [-32601] * 4
    capabilities = (await report("report"))["capabilities"]
    assert capabilities["terminal"] is False
    assert capabilities["fs"] == {"read_text_file": False, "write_text_file": False}


KINDS = ["reject_always", "allow_always", "allow_once", "reject_once"]


@pytest.mark.parametrize(
    ("permissions", "offered", "chosen"),
    [
        ("reject", [], "the reject_always"),
        ("allow", [], "the allow_always"),
        ("allow", ["allow_once", "reject_once"], "the allow_once"),
        ("allow", ["reject_once"], "the reject_once"),
        ("reject", ["allow_once"], None),
    ],
)
@in_loop
async def test_permission_is_given_as_configured(permissions, offered, chosen, tmp_path):
    options = [{"kind": kind, "optionId": f"the {kind}"} for kind in offered or KINDS]
    params = json.dumps({"sessionId": "s", "options": options})
    ask = '{"id": $id, "method": "session/request_permission", "params": ' + params + "}"
    script = Script(tmp_path, session_prompt=[ask], reply=[END])
    result = await outcome("scripted", *script.arguments, permissions=permissions)

    assert result.succeeded
    expected = {"outcome": "selected", "optionId": chosen} if chosen else {"outcome": "cancelled"}
    assert script.heard()[3]["result"] == {"outcome": expected}


@in_loop
async def test_permission_can_be_asked_for_by_the_package():
    answer = await report("permission", permissions="allow")

    assert (answer["outcome"], answer["optionId"]) == ("selected", "the allow_always")


@in_loop
async def test_what_it_would_ignore_is_refused(tmp_path):
    assert AcpProvider(["x"]).capabilities == Capabilities()
    refused = [
        (StartRequest("Work.", agent_options=AgentOptions(model="m")), "agent_options"),
        (StartRequest("Work.", tool_filter=ToolFilter()), "tool_filter"),
        (DelegationConfig("acp").request("Work."), "depth_limit"),
    ]
    wrong = DelegationConfig(
        "acp", max_depth="provider-managed", agent_options=AgentOptions(model="m")
    )
    async with registry_with(AcpProvider(["no-such-program"])) as registry:
        with pytest.raises(DelegationError, match="does not support agent_options"):
            DelegationTool(registry, wrong)
        for request, name in refused:
            said = rf"^the provider 'acp' does not support {name} \[UNSUPPORTED_CAPABILITY\]$"
            with pytest.raises(DelegationError, match=said):
                await registry.start("acp", request)
    request = DelegationConfig("acp", max_depth="provider-managed").request("Work.")
    script = Script(tmp_path, session_prompt=[END])
    assert (await outcome("scripted", *script.arguments, request=request)).succeeded


# What a child says


@in_loop
async def test_messages_of_one_turn_stay_apart():
    assert (await outcome("work")).text == "I look at the file.\n\nThe bug is in line 7."


@in_loop
async def test_what_is_no_text_is_not_lost_in_silence():
    assert await outcome("draw") == RunResult(
        "completed", "See: ", diagnostic="the answer had parts that are no text: 'image'"
    )


def update(**fields):
    params = {"sessionId": "s", "update": fields}
    return json.dumps({"method": "session/update", "params": params})


def chunk(text, **fields):
    content = {"type": "text", "text": text}
    return update(sessionUpdate="agent_message_chunk", content=content, **fields)


async def stopped(folder, reason):
    script = Script(folder, session_prompt=[chunk("Half an ans"), *result({"stopReason": reason})])
    return await outcome("scripted", *script.arguments)


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ("end_turn", "completed"),
        ("max_tokens", "max-tokens"),
        ("refusal", "refusal"),
        ("cancelled", "aborted"),
    ],
)
@in_loop
async def test_each_way_to_stop_has_its_name(given, reason, tmp_path):
    assert await stopped(tmp_path, given) == RunResult(reason, "Half an ans")


@pytest.mark.parametrize("given", ["max_turn_requests", "tired"])
@in_loop
async def test_any_other_way_to_stop_is_an_error(given, tmp_path):
    assert await stopped(tmp_path, given) == RunResult(
        "error", "Half an ans", diagnostic=f"the agent stopped with '{given}'"
    )


@in_loop
async def test_messages_are_told_apart_by_their_ids(tmp_path):
    lines = [chunk("a", messageId="1"), chunk("b", messageId="1"), chunk("c", messageId="2"), END]
    script = Script(tmp_path, session_prompt=lines)

    assert (await outcome("scripted", *script.arguments)).text == "ab\n\nc"


@in_loop
async def test_what_is_said_before_or_after_the_turn_is_no_answer(tmp_path):
    opened = '{"id": $id, "result": {"sessionId": "s"}}\n' + chunk("Welcome!")
    # In one piece, so that all of it is there when the end of the turn is read.
    turn = "\n".join([chunk("fine"), '{"id": 0, "result": {}}', END, chunk("Bye!")])
    script = Script(tmp_path, session_new=[opened], session_prompt=[turn])

    assert (await outcome("scripted", *script.arguments)).text == "fine"


@in_loop
async def test_a_character_that_was_cut_in_two_is_whole_again(tmp_path):
    lines = [chunk("a\ud83d"), chunk("\ude00b\ud83d"), END]
    script = Script(tmp_path, session_prompt=lines)

    assert (await outcome("scripted", *script.arguments)).text == "a\U0001f600b\ufffd"


@in_loop
async def test_what_a_later_version_may_add_is_no_fault(tmp_path):
    lines = [
        update(sessionUpdate="of_the_future", more=[1]),
        '{"method": "session/update"}',
        '{"method": "session/update", "params": {"sessionId": "s"}}',
        '{"method": "notice/of_the_future", "params": []}',
        '{"id": 9, "result": null}',
        "",
        "  ",
        chunk("fine"),
        END,
    ]
    script = Script(tmp_path, session_prompt=lines)

    assert await outcome("scripted", *script.arguments) == RunResult("completed", "fine")


@in_loop
async def test_siblings_do_not_hear_each_other():
    async with registry_with(provider("echo")) as registry:
        prompts = ["one", "two", "three"]
        results = await asyncio.gather(
            *(registry.delegate("acp", StartRequest(prompt)) for prompt in prompts)
        )

    assert [result.text for result in results] == [f"You said: {prompt}" for prompt in prompts]


@in_loop
async def test_a_long_prompt_and_a_noisy_stderr_do_not_block(tmp_path):
    script = Script(tmp_path, session_prompt=[chunk("done"), END])
    request = StartRequest("word " * 200_000)

    assert (await outcome("flood-stderr", *script.arguments, request=request)).text == "done"
    assert script.heard()[2]["params"]["prompt"][0]["text"] == request.prompt


# A start that fails


@in_loop
async def test_a_program_that_is_not_there_is_an_error(tmp_path):
    assert await failure_of(AcpProvider(["no-such-agent"])) == (
        "there is no program 'no-such-agent' on the PATH of the child"
    )
    text = await failure_of(AcpProvider(["bin/agent"], cwd=tmp_path))
    assert text.startswith("cannot start 'bin/agent': FileNotFoundError: ")
    text = await failure_of(AcpProvider([sys.executable, "a\0b"]))
    assert text == f"cannot start '{sys.executable}': ValueError: embedded null byte"


@in_loop
async def test_a_program_is_looked_for_where_the_child_is(tmp_path):
    agent = tmp_path / "agent"
    agent.write_text("#!/bin/sh\nexit 7\n")
    agent.chmod(0o755)
    path = f"{tmp_path}{os.pathsep}{os.environ['PATH']}"
    for each in (
        AcpProvider(["agent"], env={"PATH": path}),
        AcpProvider(["./agent"], cwd=tmp_path),
        AcpProvider([agent]),
    ):
        assert (await failure_of(each)).endswith("agent' exited with status 7 during initialize")


@pytest.mark.parametrize(
    ("behaviour", "said"),
    [
        ("exit", "exited with status 3 during initialize; its stderr ends with:\nfirst line\n"),
        ("kill", f"was ended by signal 9 ({strsignal(9)}) during initialize"),
        ("close", "closed its stdout during initialize"),
        ("leave", "exited with status 4 during initialize"),
    ],
)
@in_loop
async def test_an_agent_that_ends_early_is_an_error(behaviour, said):
    text = await failure(behaviour)

    assert text.startswith(f"'{sys.executable}' {said}")
    assert "\x1b" not in text
    assert text.endswith((said, "no key: \\x1b[31mset ONE"))


@in_loop
async def test_an_agent_that_hangs_is_given_up():
    text = await failure("hang", start_timeout=0.3)

    assert text == f"'{sys.executable}' has no session after 0.3 seconds"


def error(**fields):
    return ['{"id": $id, "error": ' + json.dumps(fields) + "}"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (
            {"initialize": result({"protocolVersion": 0})},
            "speaks version 0 of the protocol, not 1",
        ),
        ({"initialize": result({})}, "does not say which version of the protocol it speaks"),
        ({"initialize": result([1])}, "answered initialize with a list"),
        ({"initialize": result(None)}, "answered initialize with null"),
        (
            {"initialize": error(code=-32603, message="Internal\nerror", data={"details": "x"})},
            "answered initialize with an error: Internal\\nerror ({'details': 'x'}) [-32603]",
        ),
        (
            {"session_new": error(code=-32000, message="Authentication required")},
            (
                "answered session/new with an error: Authentication required [-32000]; "
                "log in with the agent's own program, or give a key in env"
            ),
        ),
        ({"session_new": result({})}, "opened a session without an id"),
        ({"session_new": ["$exit"]}, "exited with status 0 during session/new"),
    ],
)
@in_loop
async def test_an_answer_that_is_of_no_use_is_an_error(lines, said, tmp_path):
    script = Script(tmp_path, **lines)

    assert await failure("scripted", *script.arguments) == f"'{sys.executable}' {said}"


GARBAGE = ["Welcome to \x07agent!", "[1]", "null", '{"id": {}}', '{"id": $id, "error": "x"}', "["]


@pytest.mark.parametrize("line", [*GARBAGE, "[" * 100_000, "1" * 5000, "\udcff"])
@in_loop
async def test_what_is_no_message_ends_the_start(line, tmp_path):
    script = Script(tmp_path, initialize=[line])
    text = await failure(
        "scripted", *script.arguments, env={"PYTHONIOENCODING": ":surrogateescape"}
    )

    assert text.startswith(f"'{sys.executable}' wrote what is no message: '")
    assert text.endswith("' during initialize")
    assert len(text) < 400
    assert "\x07" not in text


@in_loop
async def test_a_line_without_an_end_is_not_kept_for_ever(monkeypatch):
    monkeypatch.setattr(processes, "LINE_LIMIT", 100_000)
    text = await failure("flood")

    assert text == f"'{sys.executable}' wrote a line of more than 100000 bytes during initialize"


@in_loop
async def test_a_start_can_be_cancelled():
    async with registry_with(provider("hang")) as registry:
        starting = asyncio.create_task(registry.start("acp", WORK))
        await until(lambda: ProcessTree(2**22, os.environ[MARK]).look())
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert registry.runs == ()


@in_loop
async def test_a_start_that_is_cancelled_at_once_leaves_nothing():
    for turns in range(6):
        async with registry_with(provider("hang")) as registry:
            starting = asyncio.create_task(registry.start("acp", WORK))
            for _ in range(turns):
                await asyncio.sleep(0)
            starting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await starting


@pytest.fixture
def immortal(monkeypatch):
    """Have no signal hit a process until the test is over."""
    kill, trees = ProcessTree.kill, set()

    # A function, of which a class makes a method, as it does not of what is built in.
    def keep(tree):
        trees.add(tree)

    monkeypatch.setattr(ProcessTree, "kill", keep)
    monkeypatch.setattr(ProcessTree, "terminate", keep)
    monkeypatch.setattr(processes, "KILL_PATIENCE", 0.1)
    yield
    (tree,) = trees
    kill(tree)


@pytest.mark.usefixtures("immortal")
@in_loop
async def test_a_start_that_fails_and_cannot_be_cleaned_up_says_both():
    text = await failure("hang", code="DISPOSAL_FAILED", start_timeout=0.2, grace=0.1)

    assert text.startswith(f"'{sys.executable}' has no session after 0.2 seconds; and what it had ")
    assert "begun could not be put away: OSError: these processes do not end: " in text


# A turn that fails


@in_loop
async def test_an_agent_that_dies_leaves_what_it_said():
    assert await outcome("die") == RunResult(
        "error",
        "so far",
        diagnostic=(
            "the agent exited with status 5 during session/prompt; its stderr ends with:\n"
            "out of memory"
        ),
    )


@in_loop
async def test_an_agent_that_gives_up_says_why():
    result = await outcome("refuse")

    assert (result.stop_reason, result.text) == ("error", "so far")
    assert result.diagnostic.startswith(
        "the agent answered session/prompt with an error: no more credit ({'left': 0}) [-32603]"
    )


@pytest.mark.parametrize("line", [*GARBAGE, '{"id": $id, "result": []}'])
@in_loop
async def test_what_is_no_message_ends_the_turn(line, tmp_path):
    script = Script(tmp_path, session_prompt=[chunk("so far"), line, chunk("more"), END])
    result = await outcome("scripted", *script.arguments)

    assert (result.stop_reason, result.text) == ("error", "so far")
    assert result.diagnostic.startswith("the agent ")
    assert result.diagnostic.endswith((" during session/prompt", "session/prompt with a list"))


@pytest.mark.parametrize("at_once", [True, False])
@in_loop
async def test_an_answer_without_an_end_is_cut(at_once, monkeypatch, tmp_path):
    monkeypatch.setattr(acp_session, "TEXT_LIMIT", 100)
    lines = [*[chunk("word " * 10)] * 5, END]
    script = Script(tmp_path, session_prompt=["\n".join(lines)] if at_once else lines)
    result = await outcome("scripted", *script.arguments)

    assert (result.stop_reason, result.text) == ("error", "word " * 30)
    assert result.diagnostic == (
        "the agent answered with more than 100 characters during session/prompt"
    )


@in_loop
async def test_an_agent_that_does_not_listen_is_given_up(monkeypatch):
    monkeypatch.setattr(processes, "LINE_LIMIT", 100_000)
    text = await failure("ask")

    assert text == f"'{sys.executable}' does not read what it is sent during initialize"


# Putting away


async def started(registry, path):
    run = await registry.start("acp", WORK)
    await until(path.exists)
    return run


@in_loop
async def test_a_turn_is_cancelled_before_the_agent_is_ended(tmp_path):
    note = tmp_path / "note"
    async with registry_with(provider("wait", note, permissions="allow", grace=9)) as registry:
        run = await started(registry, note)
        await run.dispose()
        await run.dispose()
        assert registry.runs == ()

    assert await run.result() == RunResult("aborted", "so far, and no further")
    assert note.read_text() == "cancelled"  # and no permission is given any more


@in_loop
async def test_to_cancel_who_waits_is_to_cancel_the_turn(tmp_path):
    note = tmp_path / "note"
    async with registry_with(provider("wait", note, grace=9)) as registry:
        caller = asyncio.create_task(registry.delegate("acp", WORK))
        await until(note.exists)
        caller.cancel()
        with pytest.raises(asyncio.CancelledError):
            await caller
        assert registry.runs == ()

    assert note.read_text() == "cancelled"


@in_loop
async def test_an_agent_that_fails_when_it_is_cancelled_was_cancelled(tmp_path):
    note = tmp_path / "note"
    async with registry_with(provider("fail_when_cancelled", note, grace=9)) as registry:
        run = await started(registry, note)
        await run.dispose()

    assert run.outcome == RunResult("aborted", "so far")


@in_loop
async def test_an_agent_that_ignores_everything_is_killed(tmp_path):
    note = tmp_path / "note"
    async with registry_with(provider("ignore", note)) as registry:
        run = await started(registry, note)

    assert run.outcome == RunResult("aborted", "so far")


@in_loop
async def test_an_agent_that_cannot_be_told_to_cancel_is_ended(tmp_path):
    script = Script(tmp_path, session_prompt=["$close"])
    each = provider("scripted", *script.arguments)
    child = await each.start(WORK)
    turn = asyncio.create_task(child.result())
    await until(lambda: child._session._connection._disconnected)
    await child.dispose()

    assert (await turn).stop_reason == "aborted"


@in_loop
async def test_a_child_that_is_put_away_before_its_turn_gets_no_prompt(tmp_path):
    script = Script(tmp_path)
    child = await provider("scripted", *script.arguments).start(WORK)
    await child.dispose()

    assert await child.result() == RunResult("aborted")
    assert [message["method"] for message in script.heard()] == ["initialize", "session/new"]


@pytest.mark.parametrize("ending", [[], ["die"]])
@in_loop
async def test_nothing_that_an_agent_started_outlives_it(ending, tmp_path):
    note = tmp_path / "note"
    result = await outcome("breed", note, *ending)

    assert result.stop_reason == ("error" if ending else "completed")
    assert [ended(pid) for pid in json.loads(note.read_text())] == [True] * 3


@pytest.mark.usefixtures("immortal")
@in_loop
async def test_what_does_not_end_is_said(tmp_path):
    registry = registry_with(provider("ignore", tmp_path / "note"))
    run = await started(registry, tmp_path / "note")
    said = rf"^{run.id} could not be put away: OSError: these processes do not end: \d+ "
    with pytest.raises(DelegationError, match=said):
        await run.dispose()

    assert run.outcome == RunResult("aborted", "so far")
