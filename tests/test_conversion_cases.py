"""What the writers of other converters have broken is right here."""

from __future__ import annotations

from pathlib import Path

import pytest

from subspec import ClaudeConfig, SubagentSpec, convert, load, loads
from subspec.formats import SPELLINGS

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
