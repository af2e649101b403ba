"""What the writers of other converters have broken is right here."""

from __future__ import annotations

from pathlib import Path

import pytest

from subspec import ClaudeConfig, SpecWarning, SubagentSpec, convert, load, loads
from subspec.formats import SPELLINGS, names
from subspec.source.replace import replace_files

pytest.importorskip("tomlkit")

WITH_A_FILE_EACH = list(SPELLINGS)
BODY = "## Heading\n\nFirst line.\nSecond line."


def text_of(spec: SubagentSpec, to: str) -> str:
    (text,) = convert(ClaudeConfig(agents={"helper": spec}), to=to).files.values()
    return text


def test_a_body_keeps_its_lines_in_toml():
    text = text_of(SubagentSpec("Helps.", BODY), "codex")

    prompt = f'developer_instructions = """\n{BODY}"""\n'
    assert text.endswith(prompt)


@pytest.mark.parametrize(
    "prompt",
    [
        "match \\d+\nin C:\\new",
        "a ''' b \"\"\" c\nand more",
        'ends with a quote"\n"',
        "ends with a backslash\\\n\\",
        "'''\n\\",
        'x"""""""y\n',
        "\n\nbegins with empty lines",
        "a\ttab, a \x07 and a \x7f\n",
        "one line with \\ and \"both\" 'quotes'",
        "a line that ends in \r\nand\r",
    ],
)
def test_every_prompt_survives_in_toml(prompt):
    spec = loads(text_of(SubagentSpec("Helps.", prompt), "codex"), format="codex").agents["helper"]

    assert spec.prompt == prompt.replace("\r\n", "\n")


def test_backslashes_are_written_as_they_are_where_that_can_be():
    text = text_of(SubagentSpec("Helps.", "match \\d+\nthere"), "codex")

    assert "developer_instructions = '''\nmatch \\d+\nthere'''" in text


@pytest.mark.parametrize("to", ["copilot", "gemini", "opencode", "qwen"])
def test_a_body_keeps_its_lines_in_markdown(to):
    assert text_of(SubagentSpec("Helps.", BODY), to).endswith(f"---\n\n{BODY}\n")


def test_tools_of_opencode_are_a_mapping_and_not_a_list():
    text = text_of(SubagentSpec("Helps.", "Help.", tools=["Read", "mcp__db__q"]), "opencode")

    assert 'tools:\n  "*": false\n  read: true\n  db_q: true\n' in text


@pytest.mark.parametrize("to", WITH_A_FILE_EACH)
def test_a_model_that_is_not_known_is_lost_aloud_and_never_expanded(to):
    config = ClaudeConfig(agents={"helper": SubagentSpec("Helps.", "Help me out.", model="opus")})
    conversion = convert(config, to=to)
    (text,) = conversion.files.values()

    assert "opus" not in text
    assert [loss.field for loss in conversion.losses] == ["model"]


def test_a_key_of_the_program_survives_a_change(tmp_path):
    file = tmp_path / ".qwen" / "agents" / "helper.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(
        b"---\r\nname: helper\r\n# mine\r\nfuture-key: 1\r\n"
        b"description: 'd'\r\ntools:\r\n  - read_file\r\n  - edit\r\n---\r\nHelp me out.\r\n"
    )
    config = ClaudeConfig(
        agents={"helper": SubagentSpec("Helps.", "Help me out.", tools=["Read", "Edit"])}
    )
    conversion = convert(config, to="qwen", into=tmp_path)
    ((change,),) = [conversion.changes]

    assert change.after == file.read_bytes().replace(b"description: 'd'", b"description: 'Helps.'")


@pytest.mark.parametrize("to", WITH_A_FILE_EACH)
def test_nothing_of_this_machine_is_written(to, tmp_path):
    prompt = tmp_path / "prompt.md"
    prompt.write_text("Help me out with it.\n")
    spec = tmp_path / "team.yaml"
    spec.write_text("agents:\n  helper: {description: Helps., prompt_file: prompt.md}\n")

    for text in convert(load(spec), to=to).files.values():
        assert "Help me out with it." in text
        assert str(tmp_path) not in text
        assert str(Path.home()) not in text


def test_no_tools_and_all_tools_are_never_the_same():
    none, every = SubagentSpec("d", "p" * 10, tools=[]), SubagentSpec("d", "p" * 10)
    for to in SPELLINGS:
        read = [loads(_named(text_of(spec, to), to), format=to) for spec in (none, every)]
        (first,), (second,) = ([*found.agents.values()] for found in read)
        lost = convert(ClaudeConfig(agents={"helper": none}), to=to).widens
        assert second.tools is None
        assert first.tools == () or [loss.field for loss in lost] == ["tools"]


def _named(text: str, to: str) -> str:
    # Where the file gives the name, a text alone has none.
    return text.replace("---\n", "---\nname: helper\n", 1) if to == "opencode" else text


HOSTILE = [
    *('"', "'", '"""', "'''", "\\", "\\n", "`x`", "---", "...", "#", "%", "&a *a !t", "{}", "[]"),
    *("a: b", "- a", "| a", "> a", "? a", "@a", "$HOME ${X} {{ y }}", "<b>&amp;</b>", "null"),
    *("true", "1", "1e3", "2026-01-01", "=", "~", "\ttab", "a\u2028b\u2029c", "a\x85b", "\ufeffa"),
    *("naïve 漢字 😀", "x" * 5000, "line\n\n\n  indented\n\ttabbed\n", "---\nname: other\n---\n"),
    *("a\n---\nb", "+++\na = 1\n+++", "```\n---\n```", "ends with a blank ", "# subspec: ignore"),
]


@pytest.mark.parametrize("to", names())
@pytest.mark.parametrize("text", HOSTILE, ids=[repr(text)[:20] for text in HOSTILE])
def test_hostile_texts_arrive_as_they_are(to, text):
    spec = SubagentSpec(f"Helps with {text}", f"Help me out with this:\n{text}\nEnd.")
    conversion = convert(ClaudeConfig(agents={"helper": spec}), to=to)
    (made,) = conversion.files.values()
    found = loads(_named(made, to), format=to).agents["helper"]

    assert found.prompt.strip("\n") == spec.prompt
    if to == "claude_code" and "\\n" in text:
        ((loss,), description) = conversion.losses, spec.description.replace("\\n", "\n")
        assert loss.reason == r"Claude Code reads '\n' as the end of a line"
        assert found.description == description
    else:
        assert found.description == spec.description
        assert not conversion.losses


@pytest.mark.parametrize("to", names())
def test_no_text_is_escaped_that_need_not_be(to):
    text = text_of(SubagentSpec("Hilft: 漢字 und 😀.", "Grüße.\nZwei Zeilen."), to)

    assert "漢字 und 😀" in text
    assert "Grüße." in text


@pytest.mark.parametrize("to", [name for name in WITH_A_FILE_EACH if name != "kiro"])
def test_a_blank_at_the_end_of_a_line_collapses_nothing(to):
    text = text_of(SubagentSpec("Helps.", "One line. \nAnd another one.\n"), to)

    assert "One line. \nAnd another one." in text


@pytest.mark.parametrize("to", WITH_A_FILE_EACH)
def test_a_long_list_of_tools_is_one_that_simple_readers_take(to):
    tools = ["Read", "Grep", "Glob", *(f"mcp__server-{n}__a_tool_{n}" for n in range(40))]
    spec = SubagentSpec("Helps.", "Help me out.", tools=tools)
    text = text_of(spec, to)

    if SPELLINGS[to].medium == "markdown" and SPELLINGS[to].plain_yaml:
        lines = [line for line in text.splitlines() if line.startswith("tools:")]
        assert all(line.count("[") == line.count("]") == 1 for line in lines)
        assert lines or to == "cursor"
    found = loads(_named(text, to), format=to).agents["helper"]
    lost = convert(ClaudeConfig(agents={"helper": spec}), to=to).losses
    assert set(found.tools or ()) >= set(tools) or "tools" in {loss.field for loss in lost}


WAYS_TO_LIST = [
    "Read, Grep",
    "[Read, Grep]",
    "\n  - Read\n  - Grep",
    "\n  - Read, Grep",
    '"Read,Grep"',
]


@pytest.mark.parametrize("tools", WAYS_TO_LIST)
def test_each_way_to_list_tools_gives_the_same_tools(tools):
    text = f"---\nname: helper\ndescription: Helps.\ntools: {tools}\n---\n\nHelp me out.\n"
    made = text_of(loads(text, format="claude_code").agents["helper"], "gemini")

    assert "tools: [read_file, grep_search]" in made


def test_no_tools_written_in_words_are_not_all_tools():
    text = "---\nname: helper\ndescription: Helps.\ntools: []\n---\n\nHelp me out.\n"
    spec = loads(text, format="claude_code").agents["helper"]

    assert "tools: []" in text_of(spec, "gemini")
    assert '"*": false' in text_of(spec, "opencode")


def test_keys_that_no_field_models_are_kept_or_said_to_be_lost():
    keys = "name: a\ndescription: d\neffort: high\nisolation: worktree\nfuture-key: 1\n"
    text = f"---\n{keys}---\nBody.\n"
    with pytest.warns(SpecWarning, match="future-key"):
        config = loads(text, format="claude_code")
    kept = convert(config, to="claude_code")
    assert kept.losses == ()
    assert "isolation: worktree\n" in kept.files[".claude/agents/a.md"]
    assert "future-key: 1\n" in kept.files[".claude/agents/a.md"]
    for to in ("codex", "copilot", "cursor", "factory", "gemini", "kiro", "kiro_ide", "opencode"):
        lost = {loss.field for loss in convert(config, to=to).losses}
        assert {"isolation", "extra.future-key"} <= lost


def test_what_is_no_text_is_refused_and_not_replaced(tmp_path):
    file = tmp_path / ".claude" / "agents" / "a.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"---\nname: a\ndescription: d\n---\nx\xff")

    with pytest.warns(SpecWarning, match="UTF-8"):
        config = load(file.parent)
    assert "\ufffd" in config.agents["a"].prompt


def test_modes_line_ends_and_the_lack_of_a_last_one_stay(tmp_path):
    file = tmp_path / ".gemini" / "agents" / "helper.md"
    file.parent.mkdir(parents=True)
    file.write_bytes(b"\xef\xbb\xbf---\r\nname: helper\r\ndescription: d\r\n---\r\nHelp\r\nme.")
    file.chmod(0o755)
    config = ClaudeConfig(agents={"helper": SubagentSpec("Helps.", "Help\nme.")})
    replace_files(convert(config, to="gemini", into=tmp_path).changes)

    assert file.read_bytes() == (
        b"\xef\xbb\xbf---\r\nname: helper\r\ndescription: Helps.\r\n---\r\nHelp\r\nme."
    )
    assert file.stat().st_mode & 0o777 == 0o755
