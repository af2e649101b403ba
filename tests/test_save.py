"""Saving: what differs is written, and nothing else moves."""

from __future__ import annotations

import difflib
import json
import os
import pickle
import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import pytest
from attrs import evolve

import subspec
from subspec import (
    ClaudeConfig,
    ConflictError,
    SpecError,
    SpecWarning,
    SubagentSpec,
    load,
    save,
)
from subspec.formats import claude_code, claude_text
from subspec.source.edit import NotFaithfulError
from subspec.store import update

FIXTURES = Path(__file__).parent.parent / "fixtures"
NEW = SubagentSpec("Does something new.", "Be new.", tools=["Read"])

TEAM = """\
# The team.

agents:
  # Writes.
  writer:
    description: Writes the report.   # short
    prompt: |
      Write in plain words.
    model: haiku   # for now

  critic:
    description: Names faults.
    prompt_file: prompts/critic.md
    tools: [Read, Grep]

permission_mode: plan
"""


def write(directory: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def contents(directory: Path) -> dict[str, str]:
    return {
        path.relative_to(directory).as_posix(): path.read_bytes().decode()
        for path in sorted(directory.rglob("*"))
        if path.is_file()
    }


def changes(before: dict[str, str], after: dict[str, str]) -> list[str]:
    """The lines that differ, each with the sign of a diff."""
    lines = []
    for name in sorted(before.keys() | after.keys()):
        old, new = (text.get(name, "").splitlines() for text in (before, after))
        lines += [line for line in difflib.ndiff(old, new) if line[0] in "+-"]
    return lines


def with_agent(config: ClaudeConfig, name: str, **values: Any) -> ClaudeConfig:
    agents = dict(config.agents or {})
    return evolve(config, agents={**agents, name: evolve(agents[name], **values)})


@pytest.fixture
def team(tmp_path):
    write(tmp_path, {"team.yaml": TEAM, "prompts/critic.md": "Name faults.\n"})
    return tmp_path / "team.yaml"


FORMATS = {
    "agents": "research-team/team.yaml",
    "disjoint": "disjoint-mcp/team.yaml",
    "holodeck": "holodeck/agent.yaml",
    "claude_cli": "claude-cli/agents.json",
    "claude_code": "claude-code/agents",
    "one file": "claude-code/agents/analyst.md",
}
every_format = pytest.mark.parametrize("fixture", FORMATS.values(), ids=FORMATS)


def loaded(path: Path) -> ClaudeConfig:
    """Load what may have its oddities."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SpecWarning)
        return load(path)


@pytest.fixture
def copy(fixture, tmp_path):
    """A copy of a fixture, in a directory of its own."""
    shutil.copytree(FIXTURES / Path(fixture).parts[0], tmp_path / "copy")
    return tmp_path / "copy" / Path(*Path(fixture).parts[1:])


# Every format.


@every_format
def test_what_does_not_differ_is_not_written(copy):
    target = next(iter(copy.rglob("*.md"))) if copy.is_dir() else copy
    os.utime(target, (1, 1))

    assert save(loaded(copy)) == ()
    assert target.stat().st_mtime == 1


@every_format
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("description", 'Other: "words" # and signs'),
        ("prompt", "Another prompt.\n\n---\n  Indented."),
        ("tools", ()),
        ("tools", ("Read", "mcp__db__*")),
        ("tools", None),
        ("model", "inherit"),
    ],
)
def test_a_field_that_is_changed_is_all_that_changes(copy, field, value):
    config = loaded(copy)
    name = next(iter(config.agents))
    root = copy if copy.is_dir() else copy.parent
    before = contents(root)

    written = save(with_agent(config, name, **{field: value}))

    assert len(written) == (0 if getattr(config.agents[name], field) == value else 1)
    again = loaded(copy)
    assert again == with_agent(config, name, **{field: value})
    # The old text of the field goes, the new one comes, and that is all.
    old, new = (getattr(each.agents[name], field) for each in (config, again))
    lines = changes(before, contents(root))
    assert sum(line[0] == "-" for line in lines) <= _lines_of(old)
    assert sum(line[0] == "+" for line in lines) <= _lines_of(new)


def _lines_of(value: Any) -> int:
    # A literal block has a line of its own for its sign.
    return len(value) + 1 if isinstance(value, tuple) else str(value).count("\n") + 2


@every_format
def test_a_change_that_is_undone_leaves_the_same_bytes(copy):
    root = copy if copy.is_dir() else copy.parent
    config, before = loaded(copy), contents(root)
    name = next(iter(config.agents))

    assert save(
        with_agent(config, name, model="opus" if config.agents[name].model != "opus" else "haiku")
    )
    assert contents(root) != before
    # It is the same reading, so its own change is nobody else's.
    assert save(config)

    assert contents(root) == before


@pytest.mark.parametrize("fixture", [each for each in FORMATS.values() if each[-3:] != ".md"])
def test_agents_come_and_go_and_get_other_names(copy):
    config = loaded(copy)
    names = list(config.agents)
    agents = {"other name" if name == names[-1] else name: config.agents[name] for name in names}

    save(evolve(config, agents={**agents, "new one": NEW}))
    assert loaded(copy) == evolve(config, agents={**agents, "new one": NEW})

    config = loaded(copy)
    del agents[names[0]]
    save(evolve(config, agents=agents))
    assert loaded(copy).agents == agents


# YAML and JSON.


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (
            lambda c: with_agent(c, "writer", model="opus"),
            ["-     model: haiku   # for now", "+     model: opus   # for now"],
        ),
        (lambda c: with_agent(c, "writer", model=None), ["-     model: haiku   # for now"]),
        (lambda c: with_agent(c, "writer", max_turns=3), ["+     max_turns: 3"]),
        (
            lambda c: with_agent(c, "critic", tools=("Grep", "Read", "Glob")),
            ["-     tools: [Read, Grep]", "+     tools: [Grep, Read, Glob]"],
        ),
        (
            lambda c: evolve(c, permission_mode=None, max_turns=9),
            ["- permission_mode: plan", "+ max_turns: 9"],
        ),
    ],
    ids=["changed", "removed", "added", "list", "session"],
)
def test_a_file_of_yaml_is_changed_as_a_person_would(team, change, lines):
    before = contents(team.parent)
    wanted = change(load(team))

    assert save(wanted) == (team,)

    assert changes(before, contents(team.parent)) == lines
    assert load(team) == wanted
    assert list(load(team).agents) == list(wanted.agents)


def test_an_agent_is_moved_and_renamed_with_its_comments(team):
    config = load(team)

    save(evolve(config, agents={name: config.agents[name] for name in ("critic", "writer")}))
    save(
        evolve(
            load(team),
            agents={"critic": config.agents["critic"], "editor": config.agents["writer"]},
        )
    )

    start, writer, critic, end = (
        part.strip("\n") for part in re.split(r"\n(?=  #|  critic|permission)", TEAM)
    )
    writer = writer.replace("writer:", "editor:")
    assert team.read_text() == f"{start}\n{critic}\n\n{writer}\n\n{end}\n"


def test_without_agents_the_key_stays(team):
    save(evolve(load(team), agents=None))

    assert team.read_text() == "# The team.\n\nagents: {}\n\npermission_mode: plan\n"
    assert load(team).agents is None


def test_an_agent_that_is_changed_and_renamed_is_the_same_one(team):
    config = load(team)
    before = contents(team.parent)

    save(
        evolve(
            config,
            agents={
                "author": evolve(config.agents["writer"], model="opus"),
                "critic": config.agents["critic"],
            },
        )
    )

    assert changes(before, contents(team.parent)) == [
        "-   writer:",
        "+   author:",
        "-     model: haiku   # for now",
        "+     model: opus   # for now",
    ]


def test_what_a_file_says_without_meaning_is_left(tmp_path):
    text = '{"agents": {"a": {"description": "d", "prompt": "p", "model": null}}, "cwd": null}\n'
    write(tmp_path, {"team.json": text})

    save(with_agent(load(tmp_path / "team.json"), "a", description="e"))

    assert (tmp_path / "team.json").read_text() == text.replace('"d"', '"e"')


def test_a_byte_order_mark_and_line_ends_stay(tmp_path):
    text = TEAM.replace("prompt_file: prompts/critic.md", "prompt: p").replace("\n", "\r\n")
    write(tmp_path, {"team.yaml": "\ufeff" + text})

    config = load(tmp_path / "team.yaml")
    save(with_agent(config, "writer", prompt="One.\nTwo.\n", max_turns=2))

    assert (tmp_path / "team.yaml").read_bytes().decode() == "\ufeff" + text.replace(
        "      Write in plain words.\r\n    model: haiku   # for now\r\n",
        "      One.\r\n      Two.\r\n    model: haiku   # for now\r\n    max_turns: 2\r\n",
    )


def test_the_keys_of_the_host_stay_as_they_are(tmp_path):
    shutil.copytree(FIXTURES / "holodeck", tmp_path / "h")
    path = tmp_path / "h" / "agent.yaml"
    config = loaded(path)

    save(evolve(config, max_turns=77, host={**config.host, "name": "another"}))

    again = loaded(path)
    assert again.max_turns == 77
    assert again.host["name"] == "another"
    assert {**again.host, "name": None} == {**config.host, "name": None}


def test_a_format_that_cannot_say_a_restriction_refuses_it(tmp_path):
    shutil.copytree(FIXTURES / "holodeck", tmp_path / "h")
    path = tmp_path / "h" / "agent.yaml"
    config, before = loaded(path), contents(tmp_path)
    name = next(iter(config.agents))

    with pytest.raises(SpecError, match="cannot say disallowed_tools") as caught:
        save(with_agent(config, name, disallowed_tools=("Bash",)))
    assert caught.value.problems[0].code == "widens"
    with pytest.warns(SpecWarning, match="cannot say color"):
        save(with_agent(config, name, color="red", model="opus"))

    after = loaded(path).agents[name]
    assert (after.color, after.model) == (None, "opus")
    assert contents(tmp_path) != before


def test_what_would_not_load_is_not_written(team):
    before = contents(team.parent)

    with pytest.raises(SpecError, match=r"agents\.writer\.model: 'opsu' is not a model"):
        save(with_agent(load(team), "writer", model="opsu"))

    assert contents(team.parent) == before


def test_a_file_with_faults_is_not_written_over(team):
    config = load(team)
    team.write_text("agents: {writer: {descriptoin: x}}\n")

    with pytest.raises(SpecError, match="unknown key 'descriptoin'"):
        save(config)

    assert team.read_text() == "agents: {writer: {descriptoin: x}}\n"


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "\n\n"])
def test_a_file_that_says_nothing_is_written_into(tmp_path, text):
    write(tmp_path, {"team.yaml": text})

    save(ClaudeConfig(agents={"a": NEW}), tmp_path / "team.yaml")

    assert (tmp_path / "team.yaml").read_text().startswith(text)
    assert load(tmp_path / "team.yaml").agents == {"a": NEW}


def test_a_file_that_somebody_else_has_emptied_is_a_conflict(team):
    config = load(team)
    team.write_text("")

    with pytest.raises(ConflictError):
        save(config)

    assert team.read_text() == ""


@pytest.mark.parametrize("text", ["[1]\n", "a: [\n"])
def test_a_file_that_holds_no_configuration_is_not_written_over(tmp_path, text):
    write(tmp_path, {"team.yaml": text})

    with pytest.raises(SpecError):
        save(ClaudeConfig(agents={"a": NEW}), tmp_path / "team.yaml")

    assert contents(tmp_path) == {"team.yaml": text}


# Anchors and merge keys.

SHARED_PARTS = """\
agents:
  a: &base
    description: Does things.
    prompt: Do them.
    model: &cheap haiku
    tools: [Read]
  b:
    <<: *base
    description: Does others.
  c:
    description: Third.
    prompt: Do it.
    model: *cheap
"""


@pytest.mark.parametrize(
    ("models", "lines"),
    [
        (
            {"a": "opus", "b": "opus", "c": "opus"},
            ["-     model: &cheap haiku", "+     model: &cheap opus"],
        ),
        ({"c": "opus"}, ["-     model: *cheap", "+     model: opus"]),
        ({"b": "opus"}, ["+     model: opus"]),
        (
            {"a": "opus"},
            [
                "-     model: &cheap haiku",
                "+     model: &cheap opus",
                "+     model: haiku",
                "-     model: *cheap",
                "+     model: haiku",
            ],
        ),
    ],
    ids=["all", "alias", "merged", "owner"],
)
def test_what_is_shared_is_changed_where_all_change_and_written_out_elsewhere(
    tmp_path, models, lines
):
    path = tmp_path / "team.yaml"
    write(tmp_path, {"team.yaml": SHARED_PARTS})
    wanted = load(path)
    for name, model in models.items():
        wanted = with_agent(wanted, name, model=model)

    save(wanted)

    assert changes({"": SHARED_PARTS}, {"": path.read_text()}) == lines
    assert load(path) == wanted


def test_what_was_shared_is_written_out_when_its_owner_goes(tmp_path):
    path = tmp_path / "team.yaml"
    write(tmp_path, {"team.yaml": SHARED_PARTS})
    config = load(path)
    wanted = evolve(config, agents={name: config.agents[name] for name in "cb"})

    save(wanted)

    assert load(path) == wanted
    assert "*" not in path.read_text()


# Prompt files.


def test_a_prompt_goes_to_the_file_it_came_from(team):
    written = save(with_agent(load(team), "critic", prompt="Be kind.\n"))

    assert written == (team.parent / "prompts/critic.md",)
    assert contents(team.parent) == {"team.yaml": TEAM, "prompts/critic.md": "Be kind.\n"}


@pytest.mark.parametrize(
    ("before", "prompt", "after"),
    [
        ("\ufeffA\r\nB\r\n", "A\nC\n", "\ufeffA\r\nC\r\n"),
        ("A\nB\r\nC\n", "A\nB\nD\nC\n", "A\nB\r\nD\nC\n"),
        ("A\r\nB\nC\r\nD", "X\nA\nB\nC\nD", "X\r\nA\r\nB\nC\r\nD"),
        ("A\rB\n", "A\rC\n", "A\rC\n"),
        ("A\r\n", "A", "A"),
        ("A", "A\n", "A\n"),
    ],
)
def test_a_prompt_file_keeps_its_line_ends(team, before, prompt, after):
    file = team.parent / "prompts/critic.md"
    file.write_bytes(before.encode())

    save(with_agent(load(team), "critic", prompt=prompt))

    assert file.read_bytes().decode() == after


def test_a_prompt_file_cannot_hold_what_reads_as_something_else(team):
    with pytest.raises(SpecError, match="not read back"):
        save(with_agent(load(team), "critic", prompt="A\r\nB\n"))
    assert contents(team.parent)["prompts/critic.md"] == "Name faults.\n"


SHARED_PROMPT = TEAM.replace(
    "prompt: |\n      Write in plain words.", "prompt_file: ./prompts/../prompts/critic.md"
)


def test_a_prompt_file_of_several_agents_is_written_when_all_change(team):
    team.write_text(SHARED_PROMPT)
    config = load(team)

    save(with_agent(with_agent(config, "critic", prompt="New.\n"), "writer", prompt="New.\n"))

    assert contents(team.parent) == {"team.yaml": SHARED_PROMPT, "prompts/critic.md": "New.\n"}


def test_a_prompt_file_that_others_need_as_it_is_stays(team):
    team.write_text(SHARED_PROMPT)

    save(with_agent(load(team), "critic", prompt="New.\n"))

    assert contents(team.parent) == {
        "team.yaml": SHARED_PROMPT.replace(
            "prompt_file: prompts/critic.md", "prompt: |\n      New."
        ),
        "prompts/critic.md": "Name faults.\n",
    }


def test_a_prompt_file_elsewhere_is_written_only_where_that_is_said(tmp_path):
    write(
        tmp_path,
        {"a/team.yaml": TEAM.replace("prompts/critic.md", "../b/critic.md"), "b/critic.md": "x\n"},
    )
    path = tmp_path / "a/team.yaml"
    before = contents(tmp_path)
    config = loaded(path)

    with pytest.raises(SpecError, match=r"outside of .*, and is not written; name the directory"):
        save(with_agent(config, "critic", prompt="y\n"))
    assert contents(tmp_path) == before
    # What is not changed may be anywhere.
    save(with_agent(config, "critic", model="opus"))
    save(with_agent(config, "critic", model="opus", prompt="y\n"), prompt_root=tmp_path)

    assert (tmp_path / "b/critic.md").read_text() == "y\n"


def test_a_link_that_leads_elsewhere_is_elsewhere(team, tmp_path_factory):
    secret = tmp_path_factory.mktemp("home") / "authorized_keys"
    secret.write_text("key\n")
    file = team.parent / "prompts/critic.md"
    file.unlink()
    file.symlink_to(secret)

    with pytest.raises(SpecError, match="outside of"):
        save(with_agent(loaded(team), "critic", prompt="mine\n"))

    assert secret.read_text() == "key\n"


def test_a_prompt_file_that_is_the_file_itself_is_not_written(tmp_path):
    text = "agents: {a: {description: d, prompt_file: ./team.yaml}}\n"
    write(tmp_path, {"team.yaml": text})
    with pytest.raises(SpecError, match="the file itself, which would be gone"):
        save(with_agent(load(tmp_path / "team.yaml"), "a", prompt="x"))
    assert contents(tmp_path) == {"team.yaml": text}


def test_the_file_and_its_prompt_file_are_written_both_or_neither(team, monkeypatch):
    before = contents(team.parent)
    wanted = with_agent(load(team), "critic", prompt="New.\n", model="opus")
    replace = Path.replace

    def failing(source, target):
        if str(target).endswith("team.yaml"):
            raise OSError(28, "No space left on device")
        return replace(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(Path, "replace", failing)
        with pytest.raises(SpecError, match=r"(?i)no space left"):
            save(wanted)
    assert contents(team.parent) == before

    assert set(save(wanted)) == {team, team.parent / "prompts/critic.md"}
    assert load(team) == wanted


# Markdown.

AGENT = """\
---
name: analyst
description: Analyses data.
tools: Read, Bash(git log, git diff), Grep   # only these
model: haiku
team: platform
---

You analyse.
"""


@pytest.fixture
def agents(tmp_path):
    write(
        tmp_path,
        {
            "agents/analyst.md": AGENT,
            "agents/b/writer.md": "---\nname: writer\ndescription: Writes.\n---\nWrite.",
            "agents/README.md": "# Agents\n",
        },
    )
    return tmp_path / "agents"


def test_a_list_in_a_text_stays_one(agents):
    before = contents(agents)

    config = loaded(agents)
    tools = config.agents["analyst"].tools
    assert save(with_agent(config, "analyst", tools=(*tools, "Glob"))) == (agents / "analyst.md",)

    assert changes(before, contents(agents)) == [
        "- tools: Read, Bash(git log, git diff), Grep   # only these",
        "+ tools: Read, Bash(git log, git diff), Grep, Glob   # only these",
    ]


@pytest.mark.parametrize(
    ("line", "written"),
    [
        ("tools: Read,Grep", "tools: Read,Grep,Glob"),
        ("tools: Read Grep", "tools: Read Grep Glob"),
        ("tools: 'Read, Grep'", "tools: 'Read, Grep, Glob'"),
        ("tools: [Read, Grep]", "tools: [Read, Grep, Glob]"),
        ("tools:\n- Read\n- Grep", "tools:\n- Read\n- Grep\n- Glob"),
    ],
)
def test_each_way_to_list_tools_is_kept(tmp_path, line, written):
    text = f"---\nname: a\ndescription: d\n{line}\n---\nBody\n"
    write(tmp_path, {"a.md": text})
    config = load(tmp_path / "a.md")

    save(with_agent(config, "a", tools=("Read", "Grep", "Glob")))

    assert (tmp_path / "a.md").read_text() == text.replace(line, written)


def test_the_body_is_changed_between_its_blanks(agents):
    path = agents / "analyst.md"
    path.write_text(AGENT.replace("\nYou analyse.\n", "\n\n \n  You analyse.\n\n\n"))

    config = loaded(agents)
    save(with_agent(config, "analyst", prompt="New.\n---\nmore\n"))

    assert path.read_text() == AGENT.replace("\nYou analyse.\n", "\n\n \n  New.\n---\nmore\n\n\n")


def test_line_ends_around_a_prompt_are_not_told_apart(agents):
    config = loaded(agents)
    assert save(with_agent(config, "analyst", prompt="You analyse.\n\n")) == ()
    with pytest.warns(SpecWarning, match="drops the blanks around a prompt"):
        assert save(with_agent(config, "analyst", prompt="  You analyse.")) == ()


def test_a_new_agent_gets_a_file_and_one_that_goes_takes_its_own(agents):
    config = loaded(agents)
    before = contents(agents)

    written = save(evolve(config, agents={**config.agents, "a/b: c".replace(":", ""): NEW}))
    assert written == (agents / "a-b-c.md",)
    assert contents(agents) == before | {
        "a-b-c.md": (
            "---\nname: a/b c\ndescription: Does something new.\ntools: Read\n---\n\nBe new.\n"
        )
    }
    assert save(config) == (agents / "a-b-c.md",)
    assert contents(agents) == before
    assert save(evolve(config, agents={"writer": config.agents["writer"]})) == (
        agents / "analyst.md",
    )
    assert set(contents(agents)) == {"b/writer.md", "README.md"}


def test_a_file_name_that_is_taken_is_not_taken_again(agents):
    write(agents, {"new.md": "Just text.\n", "NEW-2.md": "More.\n"})
    config = loaded(agents)

    new = {
        "new": NEW,
        "New": NEW,
        "../../new": NEW,
        "con": NEW,
        "...": NEW,
        "ü" * 200: NEW,
        "漢" * 100: NEW,
    }
    written = save(evolve(config, agents={**config.agents, **new}))

    assert all(path.parent == agents for path in written)
    assert len({path.name.lower() for path in written}) == len(new)
    assert {"agent-con.md", "agent.md"} < {path.name for path in written}
    assert (agents / "new.md").read_text() == "Just text.\n"
    assert loaded(agents).agents == {**config.agents, **new}


def test_an_agent_with_another_name_stays_in_its_file(agents):
    config = loaded(agents)

    save(
        evolve(
            config,
            agents={
                "boss": evolve(config.agents["analyst"], model="opus"),
                "writer": config.agents["writer"],
            },
        )
    )

    assert (agents / "analyst.md").read_text() == AGENT.replace(
        "name: analyst", "name: boss"
    ).replace("haiku", "opus")


def test_names_can_be_swapped(agents):
    config = loaded(agents)
    swapped = {"writer": config.agents["analyst"], "analyst": config.agents["writer"]}

    save(evolve(config, agents=swapped))

    assert loaded(agents).agents == swapped


def test_files_that_were_not_loaded_are_left_alone(agents):
    before = contents(agents)

    assert save(ClaudeConfig(agents={"new": NEW}), agents) == (agents / "new.md",)

    assert before.items() <= contents(agents).items()


def test_an_agent_that_comes_to_light_is_warned_of(agents):
    write(agents, {"aaa.md": AGENT.replace("Analyses data.", "Hidden.")})
    config = loaded(agents)

    with pytest.warns(SpecWarning, match="this file gives the agent 'analyst'"):
        save(evolve(config, agents={"writer": config.agents["writer"]}))

    assert loaded(agents).agents["analyst"].description == "Hidden."


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"tools": ("a b",)}, "cannot say it: it would split 'a b'"),
        ({"tools": ("Read", "*")}, "means something else"),
        ({"disallowed_tools": ("x,y",)}, "it would split"),
        ({"skills": ("x y",)}, "it would split"),
        ({"description": r"a\nb"}, "it reads '.n' as the end of a line"),
        ({"extra": {"tools": "x"}}, "it has another meaning there"),
        ({"model": " opus"}, "no way to write this"),
    ],
)
def test_what_claude_code_would_read_as_something_else_is_refused(agents, values, message):
    before = contents(agents)
    config = loaded(agents)

    with pytest.raises(SpecError, match=message):
        save(with_agent(config, "analyst", **values))
    with pytest.raises(SpecError, match=message):
        save(evolve(config, agents={**config.agents, "new": evolve(NEW, **values)}))

    assert contents(agents) == before


def test_options_of_the_session_are_named_as_lost(agents):
    with pytest.warns(SpecWarning, match="cannot say permission_mode"):
        assert save(evolve(loaded(agents), permission_mode="plan")) == ()


def test_keys_that_no_field_models_can_be_changed(agents):
    config = loaded(agents)
    save(with_agent(config, "analyst", extra={"level": {"a": [1]}}))

    assert (agents / "analyst.md").read_text() == AGENT.replace(
        "team: platform\n", "level:\n  a: [1]\n"
    )
    assert loaded(agents).agents["analyst"].extra == {"level": {"a": (1,)}}


def test_a_file_that_is_not_utf8_is_not_changed(agents):
    raw = AGENT.encode() + b"caf\xe9\n"
    (agents / "analyst.md").write_bytes(raw)

    with pytest.raises(SpecError, match="not UTF-8, and what is not would be lost"):
        save(with_agent(loaded(agents), "analyst", model="opus"))
    assert (agents / "analyst.md").read_bytes() == raw


def test_a_file_that_would_be_too_large_for_claude_code_is_refused(agents):
    with pytest.raises(SpecError, match="larger than 1 MiB"):
        save(with_agent(loaded(agents), "analyst", prompt="x" * 2**20))


def test_what_a_link_leads_to_elsewhere_is_changed_and_not_removed(agents, tmp_path_factory):
    shared = tmp_path_factory.mktemp("shared")
    write(shared, {"other.md": AGENT.replace("name: analyst", "name: other")})
    (agents / "linked").symlink_to(shared)
    config = loaded(agents)

    save(with_agent(config, "other", model="opus"))
    assert "model: opus" in (shared / "other.md").read_text()
    rest = {name: spec for name, spec in config.agents.items() if name != "other"}
    with pytest.raises(SpecError, match=r"a link leads to it out of .*; remove it there"):
        save(evolve(config, agents=rest))
    assert (shared / "other.md").exists()


def test_one_file_holds_one_agent(agents):
    path = agents / "analyst.md"
    config = loaded(path)

    with pytest.raises(SpecError, match="a Markdown file holds one agent, not 2"):
        save(evolve(config, agents={**config.agents, "new": NEW}))
    with pytest.raises(SpecError, match="holds one agent, not 0"):
        save(ClaudeConfig(), path)
    assert save(evolve(config, agents=None)) == (path,)
    assert not path.exists()


def test_front_matter_that_is_no_yaml_is_changed_key_by_key(agents):
    text = (
        "---\nname: a\ndescription: Use it: now. Example:\\n\\nuser: x\n"
        "team: x # y\ncolor: blue\n---\nBody\n"
    )
    (agents / "a.md").write_text(text)
    config = loaded(agents / "a.md")

    save(with_agent(config, "a", color="red"))

    assert (agents / "a.md").read_text() == text.replace("color: blue", "color: red")


# New files.


@pytest.mark.parametrize("name", ["team.yaml", "team.yml", "team.json", "new/team.yaml", "team"])
def test_a_new_file_is_made(tmp_path, name):
    config = ClaudeConfig(agents={"new": NEW}, permission_mode="plan")

    assert save(config, tmp_path / name) == (tmp_path / name,)

    assert load(tmp_path / name) == config
    assert (tmp_path / name).read_text().startswith("{") == name.endswith("json")
    assert save(config, str(tmp_path / name)) == ()


@pytest.mark.parametrize("format", ["claude_cli", "holodeck"])
def test_a_new_file_in_another_format(tmp_path, format):
    config = ClaudeConfig(agents={"new": NEW})

    save(config, tmp_path / "team.json", format=format)

    assert load(tmp_path / "team.json") == config
    assert load(tmp_path / "team.json").origin.format == format


def test_a_configuration_can_go_to_markdown_and_back(team, tmp_path):
    config = load(team)
    with pytest.warns(SpecWarning, match="cannot say permission_mode"):
        save(config, tmp_path / "out" / ".claude" / "agents", format="claude_code")
    back = load(tmp_path / "out")
    trimmed = {
        name: evolve(spec, prompt=spec.prompt.strip()) for name, spec in config.agents.items()
    }
    assert back.agents == trimmed

    save(back, tmp_path / "back.yaml")
    assert load(tmp_path / "back.yaml").agents == trimmed
    save(back, tmp_path / "more")
    assert load(tmp_path / "more").agents == trimmed
    one = evolve(config, agents={"writer": config.agents["writer"]})
    with pytest.warns(SpecWarning, match="cannot say"):
        save(one, tmp_path / "writer.md")
    assert load(tmp_path / "writer.md").agents == {"writer": trimmed["writer"]}


def test_a_file_of_another_origin_is_changed_to_say_the_same(team):
    made = ClaudeConfig(
        agents={"writer": SubagentSpec("Writes the report.", "Write.\n"), "new": NEW}
    )

    save(made, team)

    assert load(team) == made
    assert "description: Writes the report.   # short" in team.read_text()


def test_there_has_to_be_a_path():
    with pytest.raises(ValueError, match="needs a path"):
        save(ClaudeConfig())
    with pytest.raises(ValueError, match="unknown format 'agnets'; did you mean 'agents'"):
        save(ClaudeConfig(), "x.yaml", format="agnets")


def test_a_restriction_that_a_new_file_cannot_say_is_refused(tmp_path):
    config = ClaudeConfig(agents={"new": evolve(NEW, max_turns=3)})
    with pytest.raises(SpecError, match="cannot say max_turns"):
        save(config, tmp_path / "agent.yaml", format="holodeck")
    assert contents(tmp_path) == {}


@pytest.mark.parametrize("format", ["agents", "claude_code"])
def test_text_of_one_agent(format):
    config = ClaudeConfig(agents={"new": evolve(NEW, prompt="Be new.")})
    assert (
        subspec.loads(subspec.dumps(config, format=format), format=format).agents == config.agents
    )


def test_text_of_markdown_is_of_one_agent_and_names_what_it_loses():
    agents = {"new": NEW, "other": NEW}
    with pytest.raises(SpecError, match="one agent, not 2; save to a directory"):
        subspec.dumps(ClaudeConfig(agents=agents), format="claude_code")
    with pytest.warns(SpecWarning, match="cannot say max_turns"):
        subspec.dumps(ClaudeConfig(agents={"new": NEW}, max_turns=2), format="claude_code")


def test_what_is_no_agent_is_not_changed():
    nothing = claude_code.read_agent("# Nothing\n")
    with pytest.raises(ValueError, match="only a file with an agent"):
        claude_text.changed_text(nothing, "a", NEW)


def test_a_file_that_is_there_and_is_no_agent_is_not_written_over(agents):
    before = contents(agents)
    with pytest.raises(SpecError, match="no front matter"):
        save(ClaudeConfig(agents={"new": NEW}), agents / "README.md")
    assert contents(agents) == before


def test_what_cannot_be_said_faithfully_is_an_error_and_the_file_stays(agents, team, monkeypatch):
    def fail(*_: Any, **__: Any) -> str:
        raise NotFaithfulError(("agents", "writer"))

    monkeypatch.setattr("subspec.store.update.rewrite", fail)
    monkeypatch.setattr("subspec.formats.claude_text.rewrite", fail)
    for path, name in ((agents, "analyst"), (team, "writer")):
        config, before = loaded(path), contents(path.parent)
        with pytest.raises(SpecError, match="no way to write this so that it reads back") as caught:
            save(with_agent(config, name, model="opus"))
        assert [each.code for each in caught.value.problems] == ["not-faithful"]
        assert contents(path.parent) == before


def test_two_fields_of_one_key_cannot_both_be_said(tmp_path):
    write(tmp_path, {"team.yaml": "? a\n: b\n? [c]\n: d\n"})
    with pytest.raises(SpecError):
        save(ClaudeConfig(agents={"a": NEW}), tmp_path / "team.yaml")


def test_a_name_that_no_file_can_have_is_refused(tmp_path):
    config = ClaudeConfig(agents={"a": NEW})
    with pytest.raises(SpecError):
        save(config, tmp_path / ("x" * 300 + ".yaml"))
    with pytest.raises(ValueError, match="there are 'agents'"):
        save(config, tmp_path / "team.yaml", format="zzz")
    write(tmp_path, {"team.yaml": TEAM})
    with pytest.raises(ValueError, match="there are 'agents'"):
        save(config, tmp_path / "team.yaml", format="zzz")
    write(tmp_path, {"team.yaml": "agents: {a: {description: d, prompt: p}}\n"})
    assert save(config, tmp_path / "team.yaml", format="agents")


def test_a_file_that_cannot_be_resolved_is_known_by_its_name(monkeypatch, tmp_path):
    def fail(_: Path) -> Path:
        raise RuntimeError

    monkeypatch.setattr(Path, "resolve", fail)
    assert update.identity(tmp_path / "a") == str(tmp_path / "a")


# Conflicts.


@every_format
def test_a_file_that_somebody_else_has_changed_is_a_conflict(copy):
    config = loaded(copy)
    name = next(iter(config.agents))
    root = copy if copy.is_dir() else copy.parent
    target = config.agents[name].origin.path
    target.write_text(target.read_text() + "\n")
    before = contents(root)

    with pytest.raises(ConflictError) as caught:
        save(with_agent(config, name, model="inherit", description="Other."))

    (problem,) = caught.value.problems
    assert problem.file == str(target)
    assert str(problem).endswith(
        "error: the file was changed by somebody else since it was loaded, and nothing was"
        " written; load it again and make the change there [conflict]"
    )
    assert contents(root) == before


def test_a_change_that_says_what_is_meant_is_no_conflict(team):
    config = load(team)
    team.write_text(TEAM.replace("haiku", "opus"))

    assert save(with_agent(config, "writer", model="opus")) == ()


def test_the_change_of_somebody_else_is_a_conflict_after_a_save_too(team):
    config = load(team)
    save(with_agent(config, "writer", model="opus"))
    team.write_text(TEAM.replace("haiku", "sonnet"))

    with pytest.raises(ConflictError):
        save(config)
    # Another reading, and a copy that knows nothing of what this one does, are others.
    other, copied = load(team), pickle.loads(pickle.dumps(load(team)))  # noqa: S301 - our own
    save(with_agent(other, "writer", model="opus"))
    with pytest.raises(ConflictError):
        save(with_agent(copied, "writer", model="fable"))


def test_the_change_of_a_prompt_file_is_a_conflict(team):
    config = load(team)
    (team.parent / "prompts/critic.md").write_text("Theirs.\n")
    before = contents(team.parent)

    with pytest.raises(ConflictError, match=r"critic\.md"):
        save(with_agent(config, "critic", prompt="Mine.\n"))
    # Even where it was not changed here: to write the old text would undo theirs.
    with pytest.raises(ConflictError, match=r"critic\.md"):
        save(with_agent(config, "critic", model="opus"))

    assert contents(team.parent) == before


@pytest.mark.parametrize("change", ["gone", "broken", "removed and gone", "removed and changed"])
def test_the_change_of_a_file_of_a_directory_is_a_conflict(agents, change):
    config = loaded(agents)
    path = agents / "analyst.md"
    if "gone" in change:
        path.unlink()
    else:
        path.write_text(
            AGENT.replace("description", "descriptoin" if change == "broken" else "description")
            + "."
        )
    before = contents(agents)
    wanted = config
    if "removed" in change:
        wanted = evolve(config, agents={"writer": config.agents["writer"]})
    wanted = (
        with_agent(wanted, "writer", model="opus") if change == "removed and changed" else wanted
    )

    if change == "removed and gone":
        assert save(wanted) == ()
    else:
        with pytest.raises(ConflictError, match=r"analyst\.md"):
            save(wanted)
    assert contents(agents) == before


@pytest.mark.exhaustive
def test_two_processes_that_save_at_once_lose_nothing(team):
    program = f"""
import sys
from attrs import evolve
import subspec
config = subspec.load({str(team)!r})
print("ready", flush=True)
sys.stdin.readline()
agents = dict(config.agents)
agents["writer"] = evolve(agents["writer"], model=sys.argv[1])
try:
    subspec.save(evolve(config, agents=agents))
except subspec.ConflictError:
    print("conflict")
else:
    print("won")
"""
    for _ in range(5):
        models = ["opus", "sonnet", "fable"]
        processes = [
            subprocess.Popen(
                [sys.executable, "-c", program, model],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for model in models
        ]
        for process in processes:
            assert process.stdout.readline() == "ready\n"
        for process in processes:
            process.stdin.write("go\n")
            process.stdin.flush()
        ends = [process.communicate()[0].strip() for process in processes]
        assert sorted(ends) == ["conflict", "conflict", "won"]
        winner = models[ends.index("won")]
        assert team.read_text() == TEAM.replace("haiku", winner)
        team.write_text(TEAM)


# Disk.


def test_a_file_is_replaced_whole_with_its_mode_and_through_its_link(team, tmp_path_factory):
    link = tmp_path_factory.mktemp("elsewhere") / "linked.yaml"
    link.symlink_to(team)
    write(link.parent, {"prompts/critic.md": "Name faults.\n"})
    team.chmod(0o640)
    inode = team.stat().st_ino

    assert save(with_agent(load(link), "writer", model="opus")) == (link,)

    assert link.is_symlink()
    assert team.read_text() == TEAM.replace("haiku", "opus")
    assert team.stat().st_mode & 0o777 == 0o640
    assert team.stat().st_ino != inode
    assert set(contents(team.parent)) == {"team.yaml", "prompts/critic.md"}


def test_a_file_that_may_not_be_written_stays(team):
    team.chmod(0o444)

    with pytest.raises(SpecError, match="read-only"):
        save(with_agent(load(team), "writer", model="opus"))

    assert team.read_text() == TEAM


def test_a_device_is_no_file_to_write_to():
    with pytest.raises(SpecError):
        save(ClaudeConfig(agents={"a": NEW}), "/dev/null")


# Where configurations come from.


def test_json_is_written_as_it_is(tmp_path):
    config = ClaudeConfig(agents={"a": NEW})
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"agents": {"a": {"description": "d", "prompt": "p"}}}))

    save(config, path)

    assert path.read_text() == (
        '{"agents": {"a": {"description": "Does something new.", "prompt": "Be new.",'
        ' "tools": ["Read"]}}}'
    )


def test_a_description_with_escaped_line_ends_keeps_them(agents):
    text = AGENT.replace("description: ", "description: One.\\nTwo. ", 1)
    (agents / "analyst.md").write_text(text)
    config = loaded(agents)
    description = config.agents["analyst"].description
    assert description.startswith("One.\nTwo. ")

    save(with_agent(config, "analyst", description=description.replace("Two", "Three")))

    assert (agents / "analyst.md").read_text() == text.replace("Two", "Three")


def test_a_key_that_claude_code_passes_over_is_not_written_where_it_should_hold_back(agents):
    before = (agents / "analyst.md").read_bytes()

    config = with_agent(loaded(agents), "analyst", tools=None)
    with pytest.raises(SpecError, match="does not know the key 'allowed-tools'"):
        save(with_agent(config, "analyst", extra={"allowed-tools": "Read"}))
    assert (agents / "analyst.md").read_bytes() == before
