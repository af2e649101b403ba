"""Conversion onto files that are there, and what becomes of edits made by hand."""

from __future__ import annotations

import pytest
from attrs import evolve

from subspec import ClaudeConfig, SpecError, SubagentSpec, convert, load, save
from subspec.conversion import see_that_none_widens
from subspec.conversion.result import Loss, Override
from subspec.formats import SPELLINGS, names
from subspec.source.replace import replace_files

pytest.importorskip("tomlkit")

SPEC = SubagentSpec("Helps.", "Help me out.", tools=["Read"], model="sonnet")


def config(**changes):
    values = {"description": "Helps.", "prompt": "Help me out."} | changes
    return ClaudeConfig(agents={"helper": SubagentSpec(**values)})


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


CODEX = """\
# ours
name = "helper"   # the name
description = 'Helps.'
model = "gpt-5.4" # by hand
sandbox_mode = "read-only"
developer_instructions = '''
Help me out.
'''

[mcp_servers.docs]
command = "docs" # local
"""


def test_toml_is_changed_in_place(tmp_path):
    file = write(tmp_path / ".codex/agents/helper.toml", CODEX)
    conversion = convert(config(description="Now.", model="sonnet"), to="codex", into=tmp_path)
    replace_files(conversion.changes)

    assert file.read_text() == CODEX.replace("'Helps.'", "'Now.'").replace(
        '\n[mcp_servers.docs]\ncommand = "docs" # local\n', ""
    )


def test_what_the_source_cannot_say_stays_as_it_was_set_by_hand(tmp_path):
    write(tmp_path / ".codex/agents/helper.toml", CODEX)
    servers = [{"docs": {"command": "docs"}}]
    conversion = convert(
        config(model="sonnet", mcp_servers=servers), to="codex", into=tmp_path / ".codex/agents"
    )

    assert list(conversion.files) == ["helper.toml"]
    assert conversion.changes == ()
    assert conversion.losses == (
        Loss(
            "helper",
            "model",
            "Codex does not know the model 'sonnet'",
            "the file's own stays: 'gpt-5.4'",
        ),
    )


def test_what_the_source_says_otherwise_is_said(tmp_path):
    write(
        tmp_path / ".gemini/agents/helper.md",
        "---\nname: helper\ndescription: Mine.\n---\nHelp me out.",
    )
    conversion = convert(config(max_turns=3), to="gemini", into=tmp_path)

    assert conversion.overrides == (
        Override("helper", "description", ".gemini/agents/helper.md", "Mine.", "Helps."),
        Override("helper", "max_turns", ".gemini/agents/helper.md", None, 3),
    )


def test_converting_again_changes_nothing(tmp_path):
    for to in ("codex", "gemini", "kiro", "claude_code", "agents", "claude_cli", "pydantic_ai"):
        replace_files(convert(config(), to=to, into=tmp_path).changes)
        again = convert(config(), to=to, into=tmp_path)

        assert again.changes == ()
        assert again.overrides == ()
        assert len(again.files) == 1


def test_a_file_that_cannot_be_read_is_not_overwritten(tmp_path):
    write(tmp_path / ".codex/agents/helper.toml", 'name = "helper"\ndescription = 1\n')

    with pytest.raises(SpecError, match="description"):
        convert(config(), to="codex", into=tmp_path)


def test_a_broken_file_of_that_name_is_not_passed_by(tmp_path):
    write(tmp_path / ".gemini/agents/other.md", "Notes.")
    file = write(tmp_path / ".gemini/agents/Helper.md", "<<<<<<< HEAD\n---\nname: helper\n---\n")

    with pytest.raises(SpecError, match="there is no front matter"):
        convert(config(), to="gemini", into=tmp_path)
    with pytest.raises(SpecError, match="there is no front matter"):
        save(config(), file.parent)
    file.unlink()
    assert convert(config(), to="gemini", into=tmp_path).changes[0].before is None


def test_a_file_of_the_same_name_with_another_agent_stays(tmp_path):
    file = write(
        tmp_path / ".kiro/agents/helper.json",
        '{"name": "other", "description": "d", "prompt": "p"}',
    )
    conversion = convert(config(), to="kiro", into=tmp_path)

    assert list(conversion.files) == [".kiro/agents/helper-2.json"]
    assert [change.path for change in conversion.changes] == [file.with_name("helper-2.json")]


def test_a_document_keeps_its_other_agents_and_its_comments(tmp_path):
    file = write(
        tmp_path / "agents.yaml",
        "# ours\nagents:\n  other: {description: d, prompt: p}  # kept\n"
        "  helper: {description: Mine., prompt: Help me out., model: opus}\nmodel: haiku\n",
    )
    conversion = convert(
        ClaudeConfig(agents=config().agents, permission_mode="plan"), to="agents", into=tmp_path
    )
    replace_files(conversion.changes)

    assert file.read_text() == (
        "# ours\nagents:\n  other: {description: d, prompt: p}  # kept\n"
        "  helper: {description: Helps., prompt: Help me out., model: opus}\n"
        "model: haiku\npermission_mode: plan\n"
    )
    assert conversion.overrides == (
        Override("helper", "description", "agents.yaml", "Mine.", "Helps."),
        Override(None, "permission_mode", "agents.yaml", None, "plan"),
    )


def test_a_document_with_faults_is_not_overwritten(tmp_path):
    write(tmp_path / "agents.yaml", "agents: {helper: {description: 1, prompt: p}}\n")

    with pytest.raises(SpecError, match="must be text"):
        convert(config(), to="agents", into=tmp_path)


def test_a_file_can_be_named_for_a_document(tmp_path):
    conversion = convert(config(), to="agents", into=tmp_path / "team.json")

    assert list(conversion.files) == ["team.json"]
    assert conversion.files["team.json"].startswith("{")


def test_claude_code_keeps_what_means_the_same(tmp_path):
    head = "---\nname: helper\ndescription: Helps.\ntools: Grep, Read\nmodel: opus\n---\n"
    text = f"{head}\nHelp me out.\n"
    file = write(tmp_path / ".claude/agents/mine.md", text)
    conversion = convert(config(tools=["Read", "Grep"]), to="claude_code", into=tmp_path)

    assert conversion.changes == ()
    assert conversion.files == {".claude/agents/mine.md": text}
    changed = convert(config(tools=["Read"]), to="claude_code", into=file.parent)
    assert changed.files == {"mine.md": text.replace("Grep, Read", "Read")}


def test_subagents_of_pydantic_ai_keep_what_only_they_say(tmp_path):
    file = write(
        tmp_path / "subagents.yaml",
        "subagents:\n  - name: helper\n    description: Mine.\n    instructions: Help me out.\n"
        "    max_retries: 2  # by hand\n  - name: other\n",
    )
    conversion = convert(config(), to="pydantic_ai", into=file)

    assert "max_retries: 2  # by hand" in conversion.files["subagents.yaml"]
    assert "- name: other" in conversion.files["subagents.yaml"]
    assert [each.found for each in conversion.overrides] == ["Mine."]


def test_a_conversion_that_widens_can_be_refused():
    see_that_none_widens(convert(config(), to="codex"))

    with pytest.raises(SpecError) as caught:
        see_that_none_widens(convert(config(tools=["Read"]), to="codex"))
    (problem,) = caught.value.problems
    assert problem.path == ("agents", "helper", "tools")
    session = ClaudeConfig(disallowed_tools=["Bash"])
    with pytest.raises(SpecError) as caught:
        see_that_none_widens(convert(session, to="codex"))
    assert caught.value.problems[0].path == ("disallowed_tools",)


OTHERS = {
    "docs/helper.md": "---\nname: helper\ndescription: Notes.\n---\n\nNotes about the helper.\n",
    "helper.md": "---\nname: helper\ndescription: Notes.\n---\n\nNotes about the helper.\n",
    "package.json": '{"name": "helper", "description": "A package.", "prompt": "x"}',
    "helper.toml": 'name = "helper"\ndescription = "d"\ndeveloper_instructions = "p"\n',
    ".other/agents/helper.md": "---\nname: helper\ndescription: d\n---\n\nOf others.\n",
}


@pytest.mark.parametrize("to", SPELLINGS)
def test_other_files_of_a_project_are_left_alone(tmp_path, to):
    for name, text in OTHERS.items():
        write(tmp_path / name, text)
    conversion = convert(config(), to=to, into=tmp_path)
    (change,) = conversion.changes
    place = tmp_path.joinpath(*SPELLINGS[to].directories[0])

    assert (change.path.parent, change.before) == (place, None)
    assert conversion.overrides == ()
    replace_files(conversion.changes)
    assert convert(config(), to=to, into=tmp_path).changes == ()
    assert all((tmp_path / name).read_text() == text for name, text in OTHERS.items())


@pytest.mark.parametrize("to", SPELLINGS)
def test_paths_are_relative_to_the_directory_that_was_named(tmp_path, to):
    inner = SPELLINGS[to].directories[0]
    (tmp_path.joinpath(*inner)).mkdir(parents=True)
    for count in range(len(inner) + 1):
        directory = tmp_path.joinpath(*inner[:count])
        conversion = convert(config(), to=to, into=directory)
        (path,) = conversion.files
        assert directory / path == conversion.changes[0].path
        assert path.count("/") == len(inner) - count


ODD_NAMES = [
    *("../../etc/passwd", "a/b", "..", ".", "/abs", "C:\\x", "con", "CON.md", "a\0b", "a\nb"),
    *("é", "e\u0301", "a.", "A", "a", "a b", "a:b", "~", "$HOME", "a\u202eb", "_hidden", ".hidden"),
    *("agent.md", "ß", "SS", "İ", "x" * 250, "\u2028", "漢" * 80),
]
"""Names of agents that are no names of files, or those of others on some systems."""


def said(name):
    """Make an agent of a name, if there can be one."""
    try:
        return ClaudeConfig(agents={name: SPEC}).agents
    except SpecError:
        return {}


@pytest.mark.parametrize("to", names())
def test_no_name_leads_out_of_its_directory(tmp_path, to):
    agents = {name: spec for each in ODD_NAMES for name, spec in said(each).items()}
    project = tmp_path / "a" / "b"
    project.mkdir(parents=True)
    conversion = convert(ClaudeConfig(agents=agents), to=to, into=project)
    replace_files(conversion.changes)
    there = [path for path in tmp_path.rglob("*") if path.is_file()]

    assert {change.path for change in conversion.changes} == set(there)
    assert len({path.name.lower() for path in there}) == len(there)
    place = project.joinpath(*SPELLINGS[to].directories[0]) if to in SPELLINGS else project
    assert all(path.is_relative_to(place) for path in there)
    assert all(len(path.name.encode()) < 256 and path.name.isprintable() for path in there)
    # All are found again, each by its name.
    again = convert(ClaudeConfig(agents=agents), to=to, into=project)
    assert again.changes == ()
    if to in SPELLINGS:
        assert len(load(place, format=to).agents) == len(agents) == len(there)


def test_agents_whose_names_differ_in_case_only_have_files_of_their_own(tmp_path):
    agents = dict.fromkeys(["helper", "Helper"], SubagentSpec("Helps.", "Help me out."))
    conversion = convert(ClaudeConfig(agents=agents), to="opencode", into=tmp_path)

    assert list(conversion.files) == [
        ".opencode/agents/helper.md",
        ".opencode/agents/Helper-2.md",
    ]
    save(ClaudeConfig(agents=agents), tmp_path / "saved/.opencode/agents", format="opencode")
    for place in (tmp_path / "saved", tmp_path):
        replace_files(conversion.changes if place is tmp_path else ())
        assert load(place / ".opencode/agents").agents.keys() == agents.keys()


def test_whatever_has_the_name_of_a_file_keeps_it(tmp_path):
    place = tmp_path / ".gemini/agents"
    (place / "Helper.md").mkdir(parents=True)
    (place / "helper-2.md").symlink_to("nowhere.md")
    conversion = convert(config(), to="gemini", into=tmp_path)

    assert list(conversion.files) == [".gemini/agents/helper-3.md"]
    assert save(config(), place) == (place / "helper-3.md",)
    assert not (place / "nowhere.md").exists()


def test_what_lies_in_the_way_of_a_directory_is_said(tmp_path):
    write(tmp_path / ".gemini/agents", "a file")

    with pytest.raises(SpecError, match="Not a directory"):
        convert(config(), to="gemini", into=tmp_path)


def test_files_of_others_that_cannot_be_read_are_no_hindrance(tmp_path):
    write(tmp_path / ".codex/agents/broken.toml", "name = [")
    (tmp_path / ".codex/agents/odd.toml").write_bytes(b"\xff\xfe")
    conversion = convert(config(), to="codex", into=tmp_path)

    assert [change.path.name for change in conversion.changes] == ["helper.toml"]


def test_directories_of_a_project_and_of_agents_say_the_same(tmp_path):
    replace_files(convert(config(), to="opencode", into=tmp_path).changes)
    agents = tmp_path / ".opencode" / "agents"

    assert load(tmp_path, format="opencode") == load(agents) == load(tmp_path / ".opencode")
    assert load(agents / "helper.md").agents["helper"].prompt == "Help me out."


@pytest.mark.parametrize("to", names())
def test_agents_that_the_source_does_not_have_stay_and_are_named(tmp_path, to):
    first = ClaudeConfig(agents=dict.fromkeys(["one", "two"], evolve(SPEC, tools=None)))
    replace_files(convert(first, to, into=tmp_path).changes)
    before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}

    conversion = convert(evolve(first, agents={"one": first.agents["one"]}), to, into=tmp_path)

    assert conversion.others == ("two",)
    assert conversion.changes == ()
    assert convert(first, to, into=tmp_path).others == ()
    assert {path: path.read_bytes() for path in before} == before
