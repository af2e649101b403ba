"""Real files of others, where they are at hand: none raises, and what fails is known and right."""

import shutil

import pytest
from real_files import CASES, CORPUS

from subspec import check, dumps, load, loads
from subspec.problems import has_errors

HOLODECK = CORPUS / "holodeck-yaml" / "justinbarias__holodeck"

pytestmark = pytest.mark.corpus

FAILING = {
    # Files of another kind: experiments that name agent.yaml files in a list.
    "docblocks/VISION.md-29.yaml": {"unknown-key", "wrong-type"},
    "docblocks/VISION.md-30.yaml": {"unknown-key", "wrong-type"},
    "docblocks/VISION.md-32.yaml": {"unknown-key"},
    "docblocks/VISION.md-33.yaml": {"unknown-key"},
    # The prompt files are not there.
    "docblocks/specs__029-subagent-orchestration__quickstart.md-0.yaml": {"prompt-file-not-found"},
    "docblocks/specs__029-subagent-orchestration__quickstart.md-5.yaml": {"prompt-file-not-found"},
    # A description with a colon in it, not quoted: no YAML reader takes it.
    "docblocks/specs__029-subagent-orchestration__quickstart.md-4.yaml": {"yaml-syntax"},
    # Without a model it is no agent.yaml, so its keys are nobody's.
    "tests/fixtures/agents/invalid_agent.yaml": {"unknown-key"},
}
"""What does not load of HoloDeck's files, and why."""

FAILING_CASES = {
    # Not about agents at all.
    "67-pyyaml-669.yaml": {"unknown-key"},
    "69-yamlpath-170.yaml": {"unknown-key"},
    # `other` stands beside `agents`.
    "71-ansible-role-yedit-76.yaml": {"unknown-key"},
}
"""What does not load of the small inputs that broke other tools."""


def files_in(root):
    return sorted(
        path
        for path in root.rglob("*")
        if path.suffix in (".yaml", ".yml", ".json") and path.is_file()
    )


def failing_in(root):
    codes = {}
    for path in files_in(root):
        problems = check(path)
        assert all(problem.span is not None for problem in problems)
        if has_errors(problems):
            errors = {problem.code for problem in problems if problem.severity == "error"}
            codes[path.relative_to(root).as_posix()] = errors
    return codes


def test_what_does_not_load_of_holodeck_is_known():
    assert len(files_in(HOLODECK)) == 22
    assert failing_in(HOLODECK) == FAILING


def test_what_does_not_load_of_the_cases_is_known():
    assert len(files_in(CASES)) == 5
    assert failing_in(CASES) == FAILING_CASES


@pytest.mark.filterwarnings("ignore::subspec.SpecWarning")
def test_what_loads_can_be_written_and_loads_again_equal():
    loaded = 0
    for root, failing in ((HOLODECK, FAILING), (CASES, FAILING_CASES)):
        for path in files_in(root):
            if path.relative_to(root).as_posix() in failing:
                continue
            config = load(path)
            assert config.origin.path == path
            for name in {config.origin.format, "agents"}:
                for media in ("yaml", "json"):
                    text = dumps(config, format=name, media=media)
                    assert loads(text, format=name) == config
            loaded += 1
    assert loaded == 16


@pytest.mark.filterwarnings("ignore::subspec.SpecWarning")
@pytest.mark.parametrize(
    ("name", "agents"),
    [
        ("docs__guides__claude-backend.md-18.yaml", ["researcher", "analyst", "writer"]),
        ("docs__guides__claude-backend.md-23.yaml", ["researcher"]),
        (
            "specs__029-subagent-orchestration__quickstart.md-0.yaml",
            ["researcher", "analyst", "writer"],
        ),
        ("specs__029-subagent-orchestration__quickstart.md-1.yaml", ["db_analyst", "researcher"]),
        ("specs__029-subagent-orchestration__quickstart.md-5.yaml", ["legal_reviewer"]),
        ("specs__029-subagent-orchestration__quickstart.md-6.yaml", ["reflector"]),
    ],
)
def test_the_agents_in_the_documentation_of_holodeck_load(tmp_path, name, agents):
    path = tmp_path / "agent.yaml"
    shutil.copy(HOLODECK / "docblocks" / name, path)
    (tmp_path / "prompts").mkdir()
    for prompt in ("analyst.md", "legal-reviewer.md"):
        (tmp_path / "prompts" / prompt).write_text("Look closely.\n")
    config = load(path, prompt_root=tmp_path)
    assert config.origin.format == "holodeck"
    assert list(config.agents) == agents


def test_the_disjoint_tools_of_the_documentation_stay_disjoint():
    name = "specs__029-subagent-orchestration__quickstart.md-1.yaml"
    agents = load(HOLODECK / "docblocks" / name).agents
    assert agents["db_analyst"].tools == ("mcp__db__query", "mcp__db__describe")
    assert agents["researcher"].tools == ("WebSearch", "WebFetch")


def test_no_file_of_anybody_raises():
    paths = files_in(CORPUS)
    assert len(paths) > 150
    for path in paths:
        for problem in check(path):
            assert problem.span is not None
            assert str(problem).isprintable()
