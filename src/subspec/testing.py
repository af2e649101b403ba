"""What helps others to test what they build on this.

For tables of formats there are tests that each has to pass:

.. code-block:: python

    import pytest
    from my_format import SPELLING
    from subspec.testing import CONFORMANCE

    @pytest.mark.parametrize("check", CONFORMANCE)
    def test_conformance(check):
        check(SPELLING)

Each check takes the table, and raises AssertionError with what is wrong.

For what delegates, there is a provider whose children do as they are told, and which records what
it was asked for:

.. code-block:: python

    from subspec.testing import Answer, ScriptedProvider

    provider = ScriptedProvider(["The bug is in line 7.", Answer("Half an ans", "max-tokens")])
    registry.register(provider)
    ...
    assert [request.prompt for request in provider.requests] == ["Find the bug.", "Again."]

Nothing here needs pytest, nor any extra.
"""

from collections.abc import Callable, Iterable

from attrs import evolve

from subspec.conversion import convert
from subspec.delegation.scripted import (
    EVERYTHING,
    FOREVER,
    Answer,
    Script,
    ScriptedProvider,
    ScriptedRun,
    Step,
)
from subspec.formats import Spelling
from subspec.formats.agent_files import SpelledFile, read_spelled_text
from subspec.formats.agent_text import changed_text, file_name, losses_of, new_text, says_the_same
from subspec.problems import errors_in
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.structure import plain

__all__ = [
    "CONFORMANCE",
    "EVERYTHING",
    "FOREVER",
    "Answer",
    "Check",
    "Script",
    "ScriptedProvider",
    "ScriptedRun",
    "Step",
]

PROMPTS = (
    "You look at what is there, and say what is odd.",
    "## Headings\n\n- lists\n\nand more than one paragraph",
    'quotes: """ and \'\'\' and "x"',
    "a pattern: \\d+ and C:\\new\\table",
    "---\nname: somebody-else\n---\n\na block that looks like front matter",
    "naïve, 漢字, 😀 and \ttabs",
    "a line with blanks at its end   \nand another",
)
"""Prompts that other writers have broken."""

SPECS = (
    SubagentSpec("Looks at things.", PROMPTS[0]),
    SubagentSpec("Has: a colon, # a hash and 'quotes'.", PROMPTS[0]),
    SubagentSpec("Two\nlines.", PROMPTS[0]),
    *(SubagentSpec("Looks at things.", prompt) for prompt in PROMPTS[1:]),
    SubagentSpec("Uses nothing.", PROMPTS[0], tools=[]),
    SubagentSpec("Reads.", PROMPTS[0], tools=["Read", "Grep", "Glob", "mcp__db__query", "mcp__db"]),
    SubagentSpec("Does much.", PROMPTS[0], disallowed_tools=["Bash"], max_turns=3),
    *(SubagentSpec("Thinks.", PROMPTS[0], model=model) for model in ("sonnet", "inherit", "a/b-1")),
    *(SubagentSpec("Tries.", PROMPTS[0], effort=effort) for effort in ("low", "max", 3)),
    *(SubagentSpec("Asks.", PROMPTS[0], permission_mode=mode) for mode in ("plan", "acceptEdits")),
    SubagentSpec(
        "Serves.", PROMPTS[0], background=True, mcp_servers=[{"db": {"command": "db", "args": []}}]
    ),
    SubagentSpec("Has more.", PROMPTS[0], extra={"made-up": 1}),
)
"""Agents of many kinds."""

NAME = "an-agent"

Check = Callable[[Spelling], None]


def check_table(spelling: Spelling) -> None:
    """See that the table is complete, and that no field has two keys that are written."""
    assert spelling.name.isidentifier(), f"{spelling.name!r} is no identifier"
    assert spelling.title, "there is no title"
    assert spelling.source, "it says nowhere where its rules are written"
    assert spelling.seen, "it does not say when they were looked at"
    assert spelling.directories, "it does not say where the files lie"
    assert spelling.suffix.startswith("."), "the ending of files begins with no dot"
    overlap = set(spelling.keys) & set(spelling.own)
    assert not overlap, f"both a field's and the program's own: {sorted(overlap)}"
    described = spelling.key_of("description")
    assert described is not None, "the description has no key"
    has_place = spelling.medium == "markdown" or spelling.prompt_key is not None
    assert has_place, "the prompt has no key"


def check_names(spelling: Spelling) -> None:
    """See that every name can be made to fit, and that no file name leads elsewhere."""
    for name in ("Code Reviewer", "../../etc/passwd", "a/b", "naïve", "CON", "x", "..", "漢字"):
        fitting = spelling.fitting(name) if spelling.name_fault(name) else name
        fault = spelling.name_fault(fitting)
        assert fault is None, f"{name!r} becomes {fitting!r}, which does not fit: {fault}"
        file = file_name(spelling, name, lambda _: False)
        assert "/" not in file, f"{name!r} goes to the file {file!r}"
        assert "\\" not in file, f"{name!r} goes to the file {file!r}"
        assert file.endswith(spelling.suffix), f"{name!r} goes to the file {file!r}"
        assert not file.startswith("."), f"{name!r} goes to the file {file!r}"


def check_round_trip(spelling: Spelling) -> None:
    """See that what is not said to be lost comes back from a new file."""
    for spec in SPECS:
        made = new_text(spelling, NAME, spec)
        found = read_back(spelling, made.text)
        lost = {each.field.split(".")[0] for each in made.losses}
        differing = _differing(spec, found) - lost
        assert not differing, f"{spec!r} comes back with another {sorted(differing)}"


def check_losses(spelling: Spelling) -> None:
    """See that what is said to be lost is, and that lost guards are said to widen."""
    for spec in SPECS:
        made = new_text(spelling, NAME, spec)
        found = read_back(spelling, made.text)
        assert {each.field for each in losses_of(spelling, spec)} <= {
            each.field for each in made.losses
        }
        for each in made.losses:
            assert each.reason, f"{each.field} is lost without a reason"
            assert each.instead, f"{each.field} is lost, and nothing says what happens instead"
        if found.tools is None and spec.tools is not None:
            widening = {each.field for each in made.losses if each.widens}
            assert "tools" in widening, f"{spec!r} gets every tool, and nothing says so"
        if found.max_turns is None and spec.max_turns is not None:
            widening = {each.field for each in made.losses if each.widens}
            assert "max_turns" in widening, f"{spec!r} runs without an end, and nothing says so"


def check_no_change(spelling: Spelling) -> None:
    """See that a file that says an agent already stays as it is, byte for byte."""
    for spec in SPECS:
        text = new_text(spelling, NAME, spec).text
        file = read_spelled_text(spelling, text, NAME)
        again = changed_text(file, NAME, _spec_of(file))
        assert again.text == text, "a file was changed although nothing was"


def check_small_change(spelling: Spelling) -> None:
    """See that a change of the description changes nothing else."""
    for spec in SPECS:
        text = new_text(spelling, NAME, spec).text
        file = read_spelled_text(spelling, text, NAME)
        other = evolve(_spec_of(file), description="Something else.")
        changed = changed_text(file, NAME, other).text
        found = read_back(spelling, changed)
        assert found == other, f"{other!r} comes back as {found!r}"
        back = changed_text(read_spelled_text(spelling, changed, NAME), NAME, _spec_of(file)).text
        assert read_back(spelling, back) == _spec_of(file), "a change cannot be taken back"


def check_conversion(spelling: Spelling) -> None:
    """See that agents of names that do not fit are converted all the same, each to its file."""
    names = ["an-agent", "An Agent", "an agent", "../an-agent"]
    agents = dict.fromkeys(names, SPECS[0])
    conversion = convert(ClaudeConfig(agents=agents), to=spelling.name)
    assert len(conversion.files) == len(names), f"only {sorted(conversion.files)} are written"
    called = [read_spelled_text(spelling, text, "x").name for text in conversion.files.values()]
    if spelling.name_key is not None and not spelling.names_file:
        assert len(set(called)) == len(names), f"two agents are called the same: {called}"
    for file in conversion.files:
        assert ".." not in file, f"{file} leads elsewhere"


CONFORMANCE: tuple[Check, ...] = (
    check_table,
    check_names,
    check_round_trip,
    check_losses,
    check_no_change,
    check_small_change,
    check_conversion,
)
"""All checks."""


def read_back(spelling: Spelling, text: str) -> SubagentSpec:
    """Read a text that was written, and see that nothing is wrong with it."""
    file = read_spelled_text(spelling, text, NAME)
    faults = [str(problem) for problem in errors_in(file.problems)]
    assert not faults, f"what was written cannot be read: {faults}\n{text}"
    assert file.name == NAME, f"the agent is called {file.name!r}"
    return _spec_of(file)


def _spec_of(file: SpelledFile) -> SubagentSpec:
    assert file.spec is not None, "there is no agent in the file"
    return file.spec


def _differing(one: SubagentSpec, other: SubagentSpec) -> set[str]:
    names: Iterable[str] = {**plain(one), **plain(other)}
    return {
        name for name in names if not says_the_same(name, getattr(one, name), getattr(other, name))
    }
