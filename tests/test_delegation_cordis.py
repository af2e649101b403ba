"""The delegation tools of a ``cordis.yml``: what is read of it, and that all else stays."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest
from attrs import evolve
from real_files import CORPUS

from subspec import ConflictError, SpecError
from subspec.delegation import ABSENT, DelegationConfig, ToolFilter, cordis
from subspec.delegation.cordis import PLUGIN, Entry, JavaScript, load_entries, save_entries
from subspec.store import update

FIXTURE = Path(__file__).parent.parent / "fixtures" / "cordis" / "cordis.yml"
ONE = f"- name: '{PLUGIN}'\n  config: {{provider: spawn}}\n"


@pytest.fixture
def file(tmp_path):
    return Path(shutil.copy(FIXTURE, tmp_path / "cordis.yml"))


def problems_of(text: str, tmp_path: Path) -> list[str]:
    path = tmp_path / "c.yml"
    path.write_text(text)
    with pytest.raises(SpecError) as caught:
        load_entries(path)
    return [str(problem).removeprefix(f"{path}:") for problem in caught.value.problems]


# Reading


def test_entries_are_found_wherever_they_stand():
    spawn, fork = load_entries(FIXTURE)
    assert spawn == Entry(
        DelegationConfig(
            "spawn",
            tool_name="subagent",
            run_in_background=True,
            background_mode="one-shot",
            persona="You work alone: ask nobody.",
            tool_filter=ToolFilter(deny=["bash"]),
        ),
        id="tool-subagent",
    )
    assert fork == Entry(
        DelegationConfig("fork", tool_name="subagent_fork", max_depth=1),
        id="tool-subagent-fork",
        disabled=JavaScript("process.platform === 'win32'"),
    )


def test_what_is_left_out_is_absent(tmp_path):
    path = tmp_path / "c.yml"
    path.write_text(ONE)
    (entry,) = load_entries(path)
    request = entry.config.request("Do it.")
    assert entry.id is None
    assert request.agent_options is ABSENT
    assert request.tool_filter is ABSENT
    assert request.persona is ABSENT
    (spawn, _) = load_entries(FIXTURE)
    assert spawn.config.request("Do it.").tool_filter.allow is ABSENT


@pytest.mark.parametrize(
    ("extra", "allowed"),
    [
        ("", False),
        ("enableRunInBackground: true", True),
        ("enableRunInBackground: false", False),
        ("backgroundMode: continuable", True),
        ("backgroundMode: one-shot, enableRunInBackground: false", False),
    ],
)
def test_a_mode_for_the_background_allows_it(extra, allowed, tmp_path):
    path = tmp_path / "c.yml"
    path.write_text(ONE.replace("spawn", f"spawn, {extra}"))
    assert load_entries(path)[0].config.run_in_background is allowed


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            ONE.replace("spawn", "!!js process.env.X"),
            "2:22: error: [0].config.provider: this is a program of the harness, and is never run",
        ),
        (
            ONE.replace("spawn", "spawn, toolFilter: {allow: [a, !!js b]}"),
            "2:53: error: [0].config.toolFilter.allow[1]: this is a program of the harness",
        ),
        (
            ONE.replace("spawn", "spawn, maxDepht: 1, persona: "),
            "2:29: error: [0].config.maxDepht: unknown key 'maxDepht'; did you mean 'maxDepth'?",
        ),
        (
            ONE.replace("spawn", f"spawn, maxDepth: {'9' * 5000}"),
            f"2:39: error: '{'9' * 60}…' is no number that can be kept [bad-number]",
        ),
        (
            ONE.replace("spawn", "!!js/function x"),
            "2:22: error: [0].config.provider: this is a program of the harness, and is never run",
        ),
        (
            ONE.replace("spawn", "!!python/name:os.system x"),
            "2:22: error: [0].config.provider: the tag '!!python/name:os.system' is not evaluated",
        ),
        (
            ONE + "  disabled: !!python/name:os.system x\n",
            "3:13: error: [0].disabled: the tag '!!python/name:os.system' is not evaluated",
        ),
        (
            ONE + "  disabled: !!bool x\n",
            "3:13: error: [0].disabled: 'x' is not what its tag !!bool says",
        ),
        (
            ONE.replace("name: ", "name: !!js "),
            "1:9: error: [0].name: this is a program of the harness, and is never run",
        ),
        (f"- name: '{PLUGIN}'\n", "1:3: error: [0].config: a delegation tool requires config"),
        (ONE + "  disabled: maybe\n", "3:13: error: [0].disabled: must be true or false"),
        (ONE + "  id: 1\n", "3:7: error: [0].id: must be text"),
        (ONE + ONE, "3:3: error: [1]: the entry at [0] has the tool 'subagent' already"),
        ("a: 1\n", "1:1: error: must be a list of plugin entries, not a mapping"),
        ("- [\n", "2:1: error: "),
        (ONE + "- {a: 1, a: 2}\n", "3:10: error: the key 'a' is given twice"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text, said, tmp_path):
    found = problems_of(text, tmp_path)
    assert found[0].startswith(said)
    assert len(found) == said.count("error: ") + ("persona: " in text)


def test_everything_is_said_at_once(tmp_path):
    text = ONE.replace("spawn", "1") + ONE.replace("provider: spawn", "toolName: x")
    assert len(problems_of(text, tmp_path)) == 2


def test_a_file_that_is_not_there_is_told(tmp_path):
    with pytest.raises(SpecError, match="no such file"):
        load_entries(tmp_path / "gone.yml")


def test_the_same_names_in_several_lists_are_those_of_several_agents(tmp_path):
    path = tmp_path / "c.yml"
    path.write_text(
        "- config:\n  - name: '@deepseek-ai/dsh-tool-subagent'\n"
        "    config: {provider: spawn}\n" + ONE
    )
    assert len(load_entries(path)) == 2


# Writing


def test_nothing_changes_where_nothing_differs(file):
    before = file.stat()
    assert save_entries(load_entries(file)) == ()
    assert file.read_bytes() == FIXTURE.read_bytes()
    assert file.stat().st_mtime_ns == before.st_mtime_ns


@pytest.mark.parametrize(
    ("change", "old", "new"),
    [
        ({"max_depth": 2}, "maxDepth: 1", "maxDepth: 2"),
        ({"max_depth": 3}, "        maxDepth: 1\n", ""),
        ({"run_in_background": True}, "Background: false", "Background: true"),
        ({"persona": "You."}, "maxDepth: 1\n", "maxDepth: 1\n        persona: You.\n"),
        (
            {"background_mode": "continuable"},
            "maxDepth: 1\n",
            "maxDepth: 1\n        backgroundMode: continuable\n",
        ),
        (
            {"background_mode": "one-shot", "run_in_background": True},
            "Background: false\n        maxDepth: 1\n",
            "Background: true\n        maxDepth: 1\n        backgroundMode: one-shot\n",
        ),
    ],
)
def test_only_what_differs_is_written(file, change, old, new):
    spawn, fork = load_entries(file)
    wanted = [spawn, evolve(fork, config=evolve(fork.config, **change))]
    assert save_entries(wanted) == (file,)
    assert file.read_text() == FIXTURE.read_text().replace(old, new)
    assert list(load_entries(file)) == wanted
    # And back, though what was loaded is older than the file.
    save_entries([spawn, fork])
    assert list(load_entries(file)) == [spawn, fork]


def test_the_background_can_be_denied_to_a_mode_for_it(file):
    spawn, fork = load_entries(file)
    denied = evolve(spawn, config=evolve(spawn.config, run_in_background=False))
    save_entries([denied, fork])
    assert "\n        enableRunInBackground: false\n\n" in file.read_text()
    assert load_entries(file)[0].config.run_in_background is False


def test_an_entry_is_switched_off_and_gets_another_id(file):
    spawn, fork = load_entries(file)
    save_entries([evolve(spawn, disabled=True, id="helper"), fork])
    text = file.read_text()
    assert "    - id: helper\n" in text
    assert "      disabled: true\n" in text
    # The comment above the entry and the one on its line are still its own.
    assert "# A fresh child, for work that stands on its own.\n    - id: helper" in text
    assert "toolName: subagent   # what the model calls" in text
    assert load_entries(file)[1] == fork


def test_entries_come_and_go(file):
    spawn, _ = load_entries(file)
    new = Entry(DelegationConfig("acp", tool_name="subagent_acp"), id="tool-subagent-acp")
    save_entries([spawn, new])
    text = file.read_text()
    assert list(load_entries(file)) == [spawn, new]
    assert "fork" not in text
    assert text.startswith(FIXTURE.read_text().partition("\n    - id: tool-subagent-fork")[0])
    assert text.endswith(FIXTURE.read_text().partition("\n- id: tool-todo")[2])


def test_the_first_entry_of_a_file_stands_at_its_top(tmp_path):
    path = tmp_path / "c.yml"
    path.write_text("- id: x\n  name: other\n")
    new = Entry(DelegationConfig("spawn"))
    save_entries([new], path)
    assert path.read_text() == (
        f'- name: "{PLUGIN}"\n  config:\n    provider: spawn\n- id: x\n  name: other\n'
    )
    save_entries([], path)
    assert path.read_text() == "- id: x\n  name: other\n"


def test_no_program_is_ever_written(file):
    spawn, fork = load_entries(file)
    before = file.read_bytes()
    for wanted in (
        [evolve(spawn, disabled=JavaScript("true")), fork],
        [spawn, evolve(fork, disabled=JavaScript("true"))],
        [spawn, fork, Entry(DelegationConfig("x", tool_name="x"), disabled=JavaScript("1"))],
    ):
        with pytest.raises(SpecError, match="is never written"):
            save_entries(wanted)
    assert file.read_bytes() == before
    save_entries([spawn, evolve(fork, disabled=False)])
    assert "win32" not in file.read_text()
    assert "!!js process.env.OUR_SESSIONS ?? './.sessions'  # ours, or here" in file.read_text()


def test_an_order_that_the_lists_cannot_have_is_refused(file):
    entries = load_entries(file)
    with pytest.raises(SpecError, match="in this order"):
        save_entries(entries[::-1])
    with pytest.raises(SpecError, match="has the id 'tool-subagent' already"):
        save_entries([entries[0], *entries])
    assert file.read_bytes() == FIXTURE.read_bytes()


def test_the_change_of_somebody_else_is_a_conflict(file):
    spawn, fork = load_entries(file)
    file.write_text(file.read_text() + "# More.\n")
    with pytest.raises(ConflictError):
        save_entries([spawn, evolve(fork, disabled=True)])
    assert file.read_text().endswith("# More.\n")


def test_a_path_has_to_be_known():
    with pytest.raises(ValueError, match="needs a path"):
        save_entries([Entry(DelegationConfig("spawn"))])


def test_saves_follow_one_another(file):
    spawn, fork = load_entries(file)
    for depth in (5, 6, 7):
        spawn = evolve(spawn, config=evolve(spawn.config, max_depth=depth))
        save_entries([spawn, fork])
    assert load_entries(file)[0].config.max_depth == 7


@pytest.mark.corpus
def test_real_files_are_read_and_changed_in_place(tmp_path):
    count = 0
    for source in sorted(CORPUS.glob("dsh-yaml/**/*.y*ml")):
        path = tmp_path / "c.yml"
        path.write_bytes(source.read_bytes())
        entries = load_entries(path)
        assert save_entries(entries, path) == ()
        assert path.read_bytes() == source.read_bytes()
        count += len(entries)
        for index, entry in enumerate(entries):
            changed = evolve(entry, config=evolve(entry.config, tool_name=f"tool_{index}"))
            before = path.read_text().splitlines()
            save_entries([*entries[:index], changed, *entries[index + 1 :]])
            after = path.read_text().splitlines()
            assert len(after) - len(before) in (0, 1)
            assert len(set(after) - set(before)) == 1
            entries = load_entries(path)
    assert count == 47


def test_an_entry_that_does_not_know_what_was_saved_is_saved(tmp_path):
    path = tmp_path / "c.yml"
    path.write_text(ONE)
    (entry,) = load_entries(path)
    entry = evolve(entry, config=evolve(entry.config, provider="fork"))
    assert save_entries([evolve(entry, origin=evolve(entry.origin, saved=None))]) == (path,)
    assert load_entries(path) == (entry,)


def test_to_save_more_entries_is_not_to_compare_each_with_each(tmp_path, monkeypatch):
    count = 100
    path = tmp_path / "c.yml"
    path.write_text("".join(ONE.replace("spawn", f"spawn, toolName: t{n}") for n in range(count)))
    first, *others = load_entries(path)
    entries = [evolve(first, config=evolve(first.config, tool_name="new")), *others]
    calls = Counter()

    def counted(module, name):
        function = getattr(module, name)

        def call(*args):
            calls[name] += 1
            return function(*args)

        monkeypatch.setattr(module, name, call)

    counted(cordis, "_name")
    counted(cordis, "identity")
    counted(update, "digest")
    assert save_entries(entries) == (path,)
    assert calls["_name"] <= 10 * count
    assert (calls["identity"] < 10, calls["digest"] < 10) == (True, True)


def test_a_tag_that_nobody_needs_to_know_stays(tmp_path):
    path = tmp_path / "c.yml"
    path.write_text(ONE + "  other: !!python/name:os.system x\n")
    (entry,) = load_entries(path)
    save_entries([evolve(entry, config=evolve(entry.config, provider="fork"))])
    assert path.read_text().endswith("{provider: fork}\n  other: !!python/name:os.system x\n")
