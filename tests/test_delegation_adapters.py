"""An adapter that others publish runs the bundled Claude Code, with no account and no network."""

import os
import shutil
from unittest import mock

import pytest

pytest.importorskip("acp", reason="needs the extras subspec[acp,claude]")
pytest.importorskip("claude_agent_sdk", reason="needs the extras subspec[acp,claude]")
pytest.importorskip("psutil", reason="needs the extras subspec[acp,claude]")

from fake_messages_api import FakeMessagesApi, user_texts
from leftovers import in_loop, nothing_left
from real_cli import _environment, _sandbox

from subspec.delegation import Registry, RunResult, StartRequest
from subspec.delegation.acp import AcpProvider
from subspec.delegation.processes.tree import MARK

pytestmark = pytest.mark.real_cli

ADAPTER = "claude-code-acp"


@pytest.fixture
def adapter(monkeypatch, tmp_path_factory):
    found = shutil.which(ADAPTER)
    if found is None:
        pytest.skip(f"{ADAPTER} is not on the PATH")
    with nothing_left(monkeypatch, tmp_path_factory.mktemp("tmp")):
        yield found


@in_loop
async def test_an_adapter_of_claude_code_is_a_child(adapter):
    with _sandbox() as root, FakeMessagesApi() as api:
        environment = _environment(root, api.url)
        # Whoever tests as root has to say that there is nothing to lose.
        environment |= {"IS_SANDBOX": "1", MARK: os.environ[MARK]}
        with mock.patch.dict(os.environ, environment, clear=True):
            provider = AcpProvider([adapter], cwd=root / "work", env=environment)
            async with Registry() as registry:
                registry.register(provider)
                result = await registry.delegate("acp", StartRequest("Find the bug."))

    assert result == RunResult("completed", "ok")
    assert any("Find the bug." in user_texts(body) for body in api.requests)
