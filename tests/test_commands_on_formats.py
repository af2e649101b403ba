"""The commands on files of other programs: they change them in place, or say why they do not."""

from __future__ import annotations

import warnings
from pathlib import Path

import pytest
from attrs import evolve
from command import run

from subspec import ClaudeConfig, SpecError, SubagentSpec, check, convert, load, loads, save
from subspec.formats import SPELLINGS, is_toolset
from subspec.source.replace import replace_files

pytest.importorskip("tomlkit")

FIXTURE = Path(__file__).parents[1] / "fixtures" / "pydantic-ai" / "subagents.yaml"
TOOLSETS = {
    "subagents.yaml": "subagents:\n  # ours\n  - name: coder\n    description: Writes code.\n"
    "    instructions: |\n      You write code.\n    max_retries: 2  # enough\n",
    "list.yaml": "# ours\n- {name: coder, description: Writes code.,"
    " instructions: You write code.}\n",
    "capability.yaml": "model: test\ncapabilities:\n  - Other\n  - SubAgentCapability:\n"
    "      subagents:\n        - name: coder\n          description: Writes code.\n"
    "          instructions: You write code.\n",
    "subagents.json": '{"subagents": [{"name": "coder", "description": "Writes code.",'
    ' "instructions": "You write code."}]}\n',
    "list.json": '[\n  {\n    "name": "coder",\n    "description": "Writes code.",\n'
    '    "instructions": "You write code."\n  }\n]\n',
    "capability.json": '{"capabilities": [{"SubAgentCapability": {"subagents": [{"name": "coder",'
    ' "description": "Writes code.", "instructions": "You write code."}]}}]}\n',
}


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture(params=TOOLSETS)
def toolset(request, here):
    path = here / request.param
    path.write_text(TOOLSETS[request.param])
    return path


def done(*args, **options):
    result = run(*map(str, args), **options)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def test_a_toolset_is_told_by_what_is_in_it(toolset):
    config = load(toolset)

    assert config.origin.format == "pydantic_ai"
    assert list(config.agents) == ["coder"]
    assert loads(toolset.read_text(), format=None).agents.keys() == {"coder"}
    assert "coder" in done("show", toolset)
    assert "You write code." in done("show", toolset, "coder")
    assert done("check", toolset) == "No problems in 1 file.\n"


@pytest.mark.parametrize(
    "data",
    [
        *({}, [], None, [1], [{"name": "a"}], {"subagents": {}}, {"subagents": None}),
        *({"subagents": [1]}, {"agents": {}, "subagents": [{"name": "a"}]}),
        *({"capabilities": 1}, {"capabilities": ["Other", {"Other": {}}]}),
    ],
    ids=str,
)
def test_other_data_is_not_taken_for_one(data):
    assert not is_toolset(data, None)
    assert is_toolset(data, "pydantic_ai")
    assert not is_toolset([{"name": "a", "instructions": "b"}], "agents")


def test_values_of_a_toolset_are_changed_in_place(toolset):
    before = toolset.read_text()
    done("set", toolset, "coder.instructions", "You write code!")
    after = toolset.read_text()

    assert load(toolset).agents["coder"].prompt == "You write code!"
    assert after != before
    done("set", toolset, "coder.prompt", "--from", "-", stdin="You write code.\n")
    assert load(toolset).agents["coder"].prompt == "You write code.\n"
    done("set", toolset, "coder.max_retries", "3")
    done("set", toolset, "coder.context_files", "/a.md", "/b.md")
    done("set", toolset, "coder.context_files", "-/a.md")
    done("set", toolset, "coder.agent_kwargs.retries", "4")
    done("set", toolset, "coder.extra.team", "docs")
    assert load(toolset).agents["coder"].extra == {
        "max_retries": 3,
        "context_files": ("/b.md",),
        "agent_kwargs": {"retries": 4},
        "extra": {"team": "docs"},
    }
    done("unset", toolset, "coder.context_files", "coder.agent_kwargs", "coder.extra")
    assert load(toolset).agents["coder"].extra == {"max_retries": 3}


def test_subagents_of_a_toolset_come_go_and_get_other_names(toolset):
    done("add", toolset, "tester", "--description", "Tests.", "--prompt", "You test.")
    assert list(load(toolset).agents) == ["coder", "tester"]
    done("rename", toolset, "coder", "author")
    assert list(load(toolset).agents) == ["author", "tester"]
    done("remove", toolset, "tester")
    assert list(load(toolset).agents) == ["author"]
    assert "author" in toolset.read_text()


def test_a_name_is_changed_where_it_stands():
    path = Path("team.yaml")
    path.write_text(FIXTURE.read_text())
    done("rename", path, "writer", "author")

    assert path.read_text() == FIXTURE.read_text().replace("name: writer", "name: author")


REFUSED = [
    (("set", "coder.tools", "Read"), 2, "no field 'tools'; fields are: description, instructions"),
    (("set", "coder.max_retires", "1"), 2, "no field 'max_retires'; did you mean 'max_retries'?"),
    (("set", "coder.name", "x"), 2, "subspec rename "),
    (("set", "model", "x"), 2, "holds agents only; say which: AGENT.model; there are: coder"),
    (("set", "codr.model", "x"), 2, "no agent 'codr'"),
    (("set", "coder.max_retries", "-1"), 1, "agents.coder.max_retries: must be at least 0"),
    (("set", "coder.preferred_mode", "snyc"), 1, "did you mean 'sync'?"),
    (("remove", "codr"), 2, "did you mean 'coder'?"),
    (("rename", "coder", "coder"), 2, "there is an agent 'coder'"),
    (("add", "x", "--description=d", "--prompt=p", "--tools=Read"), 2, "no field 'tools'"),
]


@pytest.mark.parametrize(
    ("args", "status", "said"), REFUSED, ids=[" ".join(a) for a, *_ in REFUSED]
)
def test_what_a_toolset_cannot_say_is_refused(toolset, args, status, said):
    command, *rest = args
    result = run(command, str(toolset), *rest)

    assert (result.exit_code, said in result.stderr) == (status, True), result.stderr
    assert toolset.read_text() == TOOLSETS[toolset.name]


def test_a_new_file_can_be_a_toolset(here):
    done("add", "new.yaml", "a", "--description=d", "--prompt=p", "--as=pydantic_ai")
    done("add", "new.json", "a", "--description=d", "--prompt=p", "--as=pydantic_ai")

    assert load(here / "new.yaml") == load(here / "new.json")
    assert load(here / "new.yaml").origin.format == "pydantic_ai"


def test_there_is_no_canonical_layout_of_a_toolset(toolset):
    result = run("fmt", str(toolset))

    assert result.exit_code == 1
    assert "no canonical layout for the files of subagents-pydantic-ai" in result.stderr
    assert toolset.read_text() == TOOLSETS[toolset.name]


BAD = """\
subagents:
  - name: a
    instruction: Do.
    max_retires: 2  # twice
    preferred_mode: snyc
  - name: b
    description: d
    unknwn: 1  # subspec: ignore[unknown-key]
"""


def test_what_is_wrong_with_a_toolset_is_said_by_its_own_rules(here):
    path = here / "bad.yaml"
    path.write_text(BAD)

    assert [(each.code, each.span.line) for each in check(path)] == [
        ("unknown-key", 3),
        ("unknown-key", 4),
        ("not-a-choice", 5),
    ]
    assert run("check", "--fix", "--unsafe-fixes", "bad.yaml").exit_code == 0
    assert path.read_text() == (
        BAD.replace("instruction:", "instructions:")
        .replace("max_retires", "max_retries")
        .replace("snyc", "sync")
    )


def test_what_is_odd_in_a_toolset_is_said(here):
    path = here / "odd.yaml"
    path.write_text("- {name: a, description: d, instructions: p}\n- name: b\n")

    assert [(each.code, each.severity, each.span.line) for each in check(path)] == [
        ("blank-description", "warning", 2),
        ("blank-prompt", "warning", 2),
    ]
    path.write_text("subagents: [\n")
    assert check(path, format="pydantic_ai")[0].code == "yaml-syntax"


def test_a_configuration_is_saved_onto_a_toolset(here):
    path = here / "subagents.yaml"
    path.write_text(TOOLSETS["subagents.yaml"])
    config = ClaudeConfig(agents={"coder": SubagentSpec("Writes code.", "You write code!\n")})
    save(config, path)

    assert "  # ours\n" in path.read_text()
    assert load(path).agents["coder"].prompt == "You write code!\n"


def test_an_emptied_toolset_stays_one(here):
    (here / "t.yaml").write_text("subagents:\n  - name: a\n    instructions: p\n")
    done("remove", "t.yaml", "a")
    assert (here / "t.yaml").read_text() == "subagents: []\n"
    assert run("check", "t.yaml").exit_code == 0
    done("add", "t.yaml", "b", "--description=d", "--prompt=p")
    text = "subagents:\n  - name: b\n    description: d\n    instructions: p\n"
    assert (here / "t.yaml").read_text() == text


def test_a_subagent_has_a_name_that_is_not_blank(here):
    text = "subagents:\n  - name: a\n    description: d\n    instructions: p\n"
    (here / "t.yaml").write_text(text)
    for args in (["rename", "t.yaml", "a", ""], ["add", "t.yaml", " ", *ADDED]):
        result = run(*args)
        assert result.exit_code == 1
        assert "name: must not be blank" in result.stderr
    assert (here / "t.yaml").read_text() == text
    (here / "t.yaml").write_text(text.replace("a\n", "' '\n", 1))
    (problem,) = check(here / "t.yaml")
    assert (problem.code, problem.severity, problem.span.line) == ("blank-value", "error", 2)


ADDED = ("--description=d", "--prompt=p")


# Programs with a file for each agent

AGENTS = {
    "reader": SubagentSpec("Looks things up.", "You look for it.\nThen say it.\n", tools=["Read"]),
    "writer": SubagentSpec("Writes.", "You write short sentences."),
}


@pytest.fixture(params=SPELLINGS)
def spelled(request, here):
    config = ClaudeConfig(agents=AGENTS)
    conversion = convert(config, to=request.param, into=here)
    replace_files(conversion.changes)
    return SPELLINGS[request.param], (here / next(iter(conversion.files))).parent


def lines_changed(before, after):
    old, new = before.splitlines(), after.splitlines()
    return len(set(old) ^ set(new))


def text_of(directory, name):
    (path,) = [path for path in directory.iterdir() if path.name.split(".")[0] == name]
    return path.read_text()


def test_each_command_works_on_the_files_of_each_program(spelled):
    _, place = spelled
    before = text_of(place, "writer")
    assert "reader" in done("show", place)
    assert "You look for it.\nThen say it.\n" in done("show", place, "reader")
    done("set", place, "writer.description", 'Now: "it\'s" # so\\')
    assert load(place).agents["writer"].description == 'Now: "it\'s" # so\\'
    assert lines_changed(before, text_of(place, "writer")) == 2
    done("set", place, "writer.description", "Writes.")
    done("set", place, "writer.prompt", "You write.\nIn \"\"\" and ''' and \\d.")
    assert load(place).agents["writer"].prompt.strip() == "You write.\nIn \"\"\" and ''' and \\d."
    done("rename", place, "writer", "author")
    assert list(load(place).agents) == ["reader", "author"]
    done("remove", place, "author")
    done("add", place, "critic", "--description", "Finds faults.", "--prompt", "You find faults.")
    assert set(load(place).agents) == {"reader", "critic"}
    assert done("check", place) == "No problems in 2 files.\n"
    assert done("check", "--fix", place) == "No problems in 2 files.\n"
    done("remove", place, "critic", "reader")
    done("add", place, "first", "--description", "Is there.", "--prompt", "You are there.", "--as",
         spelled[0].name)  # fmt: skip
    assert list(load(place, format=spelled[0].name).agents) == ["first"]


def test_there_is_no_canonical_layout_of_the_files_of_a_program(spelled):
    table, place = spelled
    result = run("fmt", str(place))

    assert result.exit_code == 1
    assert f"no canonical layout for the files of {table.title}; it is left" in result.stderr


def test_the_session_cannot_be_said_there(spelled):
    _, place = spelled
    result = run("set", str(place), "setting_sources", "[user]")

    assert result.exit_code == 1
    assert "cannot say setting_sources here; it is left out" in result.stderr
    result = run("set", str(place), "tools", "Read")
    assert result.exit_code == 2
    assert "say which: AGENT.tools; there are: reader, writer" in result.stderr


def test_another_name_than_was_asked_for_is_said(here):
    (here / ".gemini/agents").mkdir(parents=True)
    for name in ("a/b", "c/d"):
        result = run("add", ".gemini/agents", name, *ADDED)
        assert result.exit_code == 0
        assert f"it is called {name.replace('/', '-')} there" in result.stderr


def test_keys_of_the_program_can_be_set_by_their_names(here):
    replace_files(convert(ClaudeConfig(agents=AGENTS), to="codex", into=here).changes)
    place = ".codex/agents"
    done("set", place, "writer.sandbox_mode", "read-only")
    done("set", place, "writer.developer_instructions", "You write.")

    assert text_of(here / place, "writer") == (
        'name = "writer"\ndescription = "Writes."\ndeveloper_instructions = "You write."\n'
        'sandbox_mode = "read-only"\n'
    )
    result = run("set", place, "writer.disallowed_tools", "Read")
    assert result.exit_code == 1
    assert "Codex cannot say it: Codex has no key for it; the agent could do more" in result.stderr
    result = run("set", place, "writer.sandbox_mode", "raed-only")
    assert result.exit_code == 1


OWN = {
    ".kiro/agents/a.json": (
        '{"description": "d", "prompt": "p", "tools": ["fs_read"]HOOKS}',
        ', "hooks": {"x": [{"command": "y"}]}',
        "hooks",
    ),
    ".codex/agents/a.toml": (
        'name = "a"\ndescription = "d"\ndeveloper_instructions = "p"\nHOOKS',
        "[tools]\nweb_search = true\n",
        "tools",
    ),
}


@pytest.mark.parametrize("place", OWN)
def test_a_key_of_the_program_is_meant_where_a_field_has_its_name(here, place):
    text, inner, key = OWN[place]
    path = here / place
    path.parent.mkdir(parents=True)
    path.write_text(text.replace("HOOKS", inner))
    assert run("unset", place, f"a.{key}").stderr == ""
    assert path.read_text() == text.replace("HOOKS", "")
    result = run("unset", place, f"a.{key}", "a.model")
    assert result.stderr == f"a.{key} is not set.\na.model is not set.\n"
    assert (result.exit_code, result.stdout) == (0, f"Nothing to change in {place}.\n")
    result = run("set", place, f"a.{key}", "Read")
    assert result.exit_code == 1
    assert f"agents.a.{key}: must be a mapping, not the text 'Read'" in result.stderr
    result = run("add", str(path.parent), "b", "--description=d", "--prompt=p", "--tools=Read")
    assert result.exit_code == (1 if key == "tools" else 0)


def test_what_the_program_would_refuse_is_not_written(here):
    replace_files(convert(ClaudeConfig(agents=AGENTS), to="qwen", into=here).changes)
    before = text_of(here / ".qwen/agents", "writer")
    result = run("set", ".qwen/agents", "writer.prompt", "Short.")

    assert result.exit_code == 1
    assert "agents.writer" in result.stderr
    assert "10 characters at least" in result.stderr
    assert text_of(here / ".qwen/agents", "writer") == before


def test_lists_of_the_program_are_written_as_all_lists(here):
    replace_files(convert(ClaudeConfig(agents=AGENTS), to="codex", into=here).changes)
    place = ".codex/agents"
    done("set", place, "writer.nickname_candidates", "x", "y,z")
    done("set", place, "writer.nickname_candidates", "+w", "-x")
    assert load(place).agents["writer"].extra == {"nickname_candidates": ("y", "z", "w")}


def test_a_value_that_the_program_does_not_take_is_refused(here):
    replace_files(convert(ClaudeConfig(agents=AGENTS), to="gemini", into=here).changes)
    result = run("set", ".gemini/agents", "writer.temperature", "hot")

    assert result.exit_code == 1
    assert "agents.writer.temperature: must be a number, not the text 'hot'" in result.stderr
    agents = {"a": SubagentSpec("d", "p", extra={"temperature": "hot"})}
    (loss,) = convert(ClaudeConfig(agents=agents), to="gemini").losses
    assert (
        loss.reason
        == "Gemini CLI does not take temperature: it must be a number, not the text 'hot'"
    )


MENDED = {
    ".codex/agents/a.toml": (
        """\
# c
name = "a"
descrption = "d" # keep
model_reasoning_effort = "hgih"
developer_instructions = "p"
sandbx_mode = "read-onl"
[mcp_server.x]
command = "y"
""",
        {"descrption": "description", "hgih": "high", "sandbx": "sandbox", "onl": "only"}
        | {"mcp_server.x": "mcp_servers.x"},
    ),
    ".gemini/agents/a.md": (
        "---\nname: a\ndescription: d\ntools: [Read, Grep] # few\nmax_turn: 3\n---\nbody\n",
        {"Read": "read_file", "Grep": "grep_search", "max_turn": "max_turns"},
    ),
    ".github/agents/a.agent.md": (
        "---\nname: a\r\ndescription: d\r\ntool: read, search\r\n---\r\nbody\r\n",
        {"tool:": "tools:"},
    ),
    ".kiro/agents/a.json": (
        '{"name": "a", "description": "d", "promptt": "p", "tools": "fs_read"}',
        {"promptt": "prompt", '"fs_read"': '["fs_read"]'},
    ),
    ".qwen/agents/ab.md": (
        "---\nname: ab\ndescription: d\napprovalMode: auto-eidt\nmodle: x\n---\nbody is long\n",
        {"eidt": "edit", "modle": "model"},
    ),
}


@pytest.mark.parametrize("place", MENDED)
@pytest.mark.parametrize("is_directory", [True, False], ids=["directory", "file"])
def test_what_can_be_mended_is_and_nothing_else_moves(here, place, is_directory):
    text, changes = MENDED[place]
    path = here / place
    path.parent.mkdir(parents=True)
    path.write_bytes(text.encode())
    result = run("check", "--fix", "--unsafe-fixes", str(path.parent if is_directory else path))
    for old, new in changes.items():
        text = text.replace(old, new)

    assert result.exit_code == 0, result.stdout
    assert path.read_bytes() == text.encode()
    assert run("check", "--fix", str(path)).stderr == "Mended 0 problems.\n"


def test_what_is_there_already_is_not_made_by_mending(here):
    path = here / ".cursor/agents/a.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nname: a\ndescription: d\nmodel: x\nmodle: y\n---\nbody\n")
    before = path.read_text()

    assert run("check", "--fix", "--unsafe-fixes", str(path)).exit_code == 1
    assert path.read_text() == before
    path.write_bytes(b"\xff")
    assert run("check", "--fix", str(path)).exit_code == 1


def test_keys_of_subagents_pydantic_ai_are_a_loss_elsewhere():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        conversion = convert(load(FIXTURE), to="claude_code")

    assert "extra.max_retries" in {loss.field for loss in conversion.losses}
    assert all("max_retries" not in text for text in conversion.files.values())


def test_a_file_with_an_agent_that_cannot_be_said_stays(here):
    path = here / "subagents.yaml"
    path.write_text(TOOLSETS["subagents.yaml"])
    config = load(path)
    agents = {"coder": evolve(config.agents["coder"], tools=["Read"])}

    with pytest.raises(SpecError, match="has no key for it"):
        save(evolve(config, agents=agents))
    assert path.read_text() == TOOLSETS["subagents.yaml"]
