"""What is seldom converted: values that cannot be written, places that cannot be read."""

from __future__ import annotations

import pytest
from attrs import evolve
from command import run

from subspec import ClaudeConfig, SpecError, SubagentSpec, check, convert, load, loads, save
from subspec.conversion import documents, spelled
from subspec.formats import SPELLINGS, gemini
from subspec.formats.agent_files import read_spelled_text
from subspec.formats.agent_text import changed_text, new_text
from subspec.problems import OUT_OF_RANGE
from subspec.source.files import UnreadableError
from subspec.source.replace import replace_files

pytest.importorskip("tomlkit")


def config(**changes):
    values = {"description": "Helps.", "prompt": "Help me out of it."} | changes
    return ClaudeConfig(agents={"helper": SubagentSpec(**values)})


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def lost(conversion):
    return [loss.field for loss in conversion.losses]


NOTHING = {"web_search": {"region": None}}


def test_what_toml_has_no_word_for_is_not_written(tmp_path):
    with pytest.raises(SpecError, match="no way to write this for Codex"):
        convert(config(extra=NOTHING), to="codex")
    path = write(
        tmp_path / "helper.toml",
        'name = "helper"\ndescription = "d"\ndeveloper_instructions = "p"\n',
    )
    with pytest.raises(SpecError, match="no way to write this for Codex"):
        save(config(extra=NOTHING), path)


def test_an_agent_that_is_too_large_is_not_written():
    with pytest.raises(SpecError, match="would be larger than 1 MiB"):
        convert(config(prompt="x" * 1024**2), to="gemini")


def test_what_reads_back_as_something_else_is_left_out():
    conversion = convert(config(extra={"mode": "subagent", "hidden": True}), to="opencode")

    assert lost(conversion) == ["extra"]
    assert "no way to write this for opencode" in conversion.losses[0].reason


def test_a_name_that_reads_back_as_another_is_refused():
    table = evolve(gemini.SPELLING, name_key=None, needs_name=False, name_fault=lambda _: None)

    with pytest.raises(SpecError, match="no way to write this"):
        new_text(table, "a/b", SubagentSpec("d", "p"))


def test_only_a_file_with_an_agent_can_be_changed():
    file = read_spelled_text(gemini.SPELLING, "---\n---\n")

    with pytest.raises(ValueError, match="only a file with an agent"):
        changed_text(file, "a", SubagentSpec("d", "p"))


@pytest.mark.parametrize(("to", "key"), [("opencode", "steps"), ("claude_code", "maxTurns")])
def test_a_key_that_does_not_read_back_is_a_loss_of_its_field(monkeypatch, to, key):
    place = documents.claude_text if to == "claude_code" else spelled
    real = place.new_text

    def new(*args, **options):
        if args[-1].max_turns is not None:
            raise SpecError([OUT_OF_RANGE.problem("too much", ("agents", "helper", key))])
        return real(*args, **options)

    monkeypatch.setattr(place, "new_text", new)
    conversion = convert(config(max_turns=3), to=to)

    assert [(loss.field, loss.reason, loss.widens) for loss in conversion.losses] == [
        ("max_turns", "too much", True)
    ]


@pytest.mark.parametrize("to", ["opencode", "claude_code"])
def test_a_fault_that_is_no_fields_stops_a_conversion(monkeypatch, to):
    def new(*_args, **_options):
        raise SpecError([OUT_OF_RANGE.problem("too much", ("agents", "helper", "nothing"))])

    monkeypatch.setattr(documents.claude_text if to == "claude_code" else spelled, "new_text", new)
    with pytest.raises(SpecError, match="too much"):
        convert(config(), to=to)


def test_faults_of_claude_codes_files_stop_a_conversion(tmp_path):
    write(
        tmp_path / ".claude/agents/a.md",
        "---\nname: a\ndescription: d\nallowed-tools: Read\n---\nx\n",
    )

    with pytest.raises(SpecError):
        convert(config(), to="claude_code", into=tmp_path)


def test_an_agent_is_added_to_a_document(tmp_path):
    write(tmp_path / "agents.yaml", "agents:\n  other: {description: d, prompt: p}\n")
    conversion = convert(config(), to="agents", into=tmp_path)

    assert conversion.overrides == ()
    assert "other: {description: d, prompt: p}" in conversion.files["agents.yaml"]


def test_claude_codes_file_keeps_a_model_that_the_source_cannot_say(tmp_path):
    text = "---\nname: helper\ndescription: Helps.\nmodel: opus\n---\n\nHelp me out of it.\n"
    write(tmp_path / ".claude/agents/helper.md", text)
    conversion = convert(config(model="flash"), to="claude_code", into=tmp_path)

    assert conversion.changes == ()
    assert [loss.instead for loss in conversion.losses] == ["the file's own stays: 'opus'"]


def test_a_value_that_a_toolset_refuses_is_a_loss():
    conversion = convert(config(extra={"max_retries": -1, "max_questions": 1}), to="pydantic_ai")

    assert lost(conversion) == ["extra.max_retries"]
    assert "max_questions: 1" in conversion.files["subagents.yaml"]


def test_a_value_that_no_data_can_be_has_its_place():
    text = 'name = "a"\ndescription = "d"\ndeveloper_instructions = "p"\nweb_search = inf\n'
    file = read_spelled_text(SPELLINGS["codex"], text)

    assert [problem.path for problem in file.problems] == [("web_search",)]


def test_flags_of_opencode_stay_where_tools_are_taken_away(tmp_path):
    path = write(
        tmp_path / ".opencode/agents/helper.md",
        "---\ndescription: Helps.\ntools:\n  read: true\n---\n\nHelp me out of it.\n",
    )
    replace_files(convert(config(disallowed_tools=["Bash"]), "opencode", into=tmp_path).changes)

    assert "tools:\n  read: true\n  bash: false\n" in path.read_text()
    both = convert(config(tools=["Read", "Bash"], disallowed_tools=["Bash"]), to="opencode")
    assert ("tools", "it is taken away") in [(each.field, each.instead) for each in both.losses]
    assert "  read: true\n  bash: false\n" in both.files[".opencode/agents/helper.md"]


def test_tools_written_as_a_text_stay_one(tmp_path):
    path = write(
        tmp_path / ".github/agents/helper.agent.md",
        "---\ndescription: Helps.\ntools: 'read, githubRepo'\n---\n\nHelp me out of it.\n",
    )
    tools = ["Read", "githubRepo", "WebFetch", "WebSearch"]
    replace_files(convert(config(tools=tools), to="copilot", into=tmp_path).changes)

    assert "tools: 'read, githubRepo, web'\n" in path.read_text()


def test_a_word_that_is_no_text_is_refused():
    text = "---\nname: a\ndescription: d\ntarget: 1\n---\nx\n"

    with pytest.raises(SpecError, match="must be 'vscode' or 'github-copilot', not"):
        loads(text, format="copilot")


def test_a_program_that_takes_every_name_changes_none():
    assert SPELLINGS["copilot"].fitting("A b/c") == "A b/c"


def test_a_key_is_not_renamed_to_one_that_is_there(tmp_path):
    text = "---\nname: a\ndescription: d\nmax_turn: 3\nmax_turns: 4\n---\nx\n"
    path = write(tmp_path / ".gemini/agents/a.md", text)

    assert run("check", "--fix", str(path)).exit_code == 1
    assert path.read_text() == text


def test_a_directory_that_cannot_be_read_is_said(tmp_path, monkeypatch):
    place = tmp_path / ".opencode/agents"
    place.mkdir(parents=True)

    def unreadable(*_):
        msg = "there is too much below it"
        raise UnreadableError(msg)

    monkeypatch.setattr("subspec.store.spelled.files_below", unreadable)
    (problem,) = check(place)
    assert problem.message == "cannot read it: there is too much below it"
    with pytest.raises(SpecError, match="too much below it"):
        load(place)


def test_blanks_around_a_prompt_are_lost():
    conversion = convert(config(prompt="  Help me out of it.\t\n"), to="gemini")

    assert lost(conversion) == ["prompt"]
    assert "drops the blanks around a prompt" in conversion.losses[0].reason


def test_a_prompt_that_is_too_long_may_be_refused():
    conversion = convert(config(prompt="x" * 30_001), to="copilot")

    assert lost(conversion) == ["prompt"]
    assert "has 30,000 characters at most" in conversion.losses[0].reason


def test_an_agent_is_named_by_each_directory_that_a_program_looks_in(tmp_path):
    path = write(tmp_path / ".opencode/agent/deep/helper.md", "---\ndescription: d\n---\nHelp.\n")

    assert list(load(path).agents) == ["deep/helper"]


def test_a_server_that_no_name_can_say_is_a_loss():
    conversion = convert(config(tools=["mcp__docs.v2__find"]), to="opencode")

    assert lost(conversion) == ["tools"]


def test_tools_that_are_allowed_stay_where_others_are_taken_away(tmp_path):
    text = "---\ndescription: d\ntools:\n  bash: false\n  read: true\n---\nHelp.\n"
    path = write(tmp_path / ".opencode/agents/helper.md", text)
    loaded = load(path)
    spec = loaded.agents["helper"]
    assert (spec.tools, spec.disallowed_tools) == (None, ("Bash",))

    save(evolve(loaded, agents={"helper": evolve(spec, disallowed_tools=["Grep"])}))

    assert path.read_text() == text.replace(
        "bash: false\n  read: true", "read: true\n  grep: false"
    )


def test_dashes_inside_a_line_end_no_front_matter():
    text = "---\nname: a\ndescription: 'one --- two'\n---\nHelp.\n"

    assert loads(text, format="gemini").agents["a"].description == "one --- two"


def test_a_key_named_like_a_field_that_is_lost_stays():
    conversion = convert(config(prompt=" Help me out. ", extra={"prompt": 1}), to="claude_code")

    assert lost(conversion) == ["prompt"]
    assert "prompt: 1\n" in conversion.files[".claude/agents/helper.md"]
