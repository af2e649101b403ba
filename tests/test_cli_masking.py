"""What ``subspec run --dry-run`` does not show."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from command import run

from subspec.cli.masking import masked, masked_words

SECRET = "sk-SECRET123"  # noqa: S105 - it opens nothing


@pytest.mark.parametrize(
    ("words", "shown"),
    [
        ("prog --api-key sk-SECRET123 --port 3", "prog --api-key *** --port 3"),
        ("prog --api-key=sk-SECRET123 x", "prog --api-key=*** x"),
        ("prog -token sk-SECRET123", "prog -token ***"),
        ("prog --no-auth --password sk-SECRET123", "prog --no-auth *** ***"),
        (
            "docker run -e API_TOKEN=sk-SECRET123 -e HOME=/x",
            "docker run -e API_TOKEN=*** -e HOME=/x",
        ),
        ("docker run --env ANY=sk-SECRET123", "docker run --env ANY=***"),
        ("docker -H tcp://host:1 run", "docker -H tcp://host:1 run"),
        ("mcp --header 'X-Any: sk-SECRET123'", "mcp --header 'X-Any: ***'"),
        ("mcp 'Authorization: Basic sk-SECRET123'", "mcp 'Authorization: ***'"),
        ("mcp 'X: bearer sk-SECRET123 y'", "mcp 'X: bearer *** y'"),
        ("get https://me:sk-SECRET123@host/", "get https://me:***@host/"),
        ("get 'https://host/?a=1&key=sk-SECRET123&b=2'", "get 'https://host/?a=1&key=***'"),
        ("set A=1,B_KEY=sk-SECRET123", "set A=1,B_KEY=***"),
        ("prog --model gpt --max 3 monkey", "prog --model gpt --max 3 monkey"),
    ],
)
def test_values_that_look_like_credentials_are_masked_in_commands(words, shown):
    assert list(masked_words(shlex.split(words))) == shlex.split(shown)


def test_a_command_in_one_text_keeps_all_but_secrets():
    text = "curl  -H 'Authorization: Bearer sk-SECRET123' --token sk-SECRET123\n x 'y"
    assert masked({"command": text}) == {
        "command": "curl  -H 'Authorization: *** --token ***\n x 'y"
    }


def test_long_words_are_looked_through_in_a_line():
    # By anything that grew faster than they do this would not end.
    assert list(masked_words(["a" * 1_000_000, "-" * 1_000_000])) != []


def test_names_and_what_is_no_text_stay():
    data = {
        "env": {"A": SECRET, "B": 3},
        "http_headers": [{"name": SECRET}, SECRET],
        "api_keys": [SECRET],
        "oauth": {"clientId": "me", "clientSecret": SECRET},
        "max_tokens": 3,
        "tools": ["Read"],
        "args": ["--key", 3],
        "url": None,
        "prompt": "The token: a",
    }
    assert masked(data) == {
        **data,
        "env": {"A": "***", "B": "***"},
        "http_headers": [{"name": "***"}, "***"],
        "api_keys": ["***"],
        "oauth": {"clientId": "me", "clientSecret": "***"},
    }


FILE = """\
mcp_servers:
  ours: {command: serve, args: [--api-key, sk-SECRET123], env: {API_TOKEN: sk-SECRET123}}
agents:
  plain:
    description: d
    prompt: p
    mcp_servers:
      - theirs: {type: http, url: "https://me:sk-SECRET123@host", headers: {X-Any: sk-SECRET123}}
    hooks:
      Stop: [{hooks: [{type: command, command: "tell --token sk-SECRET123"}]}]
"""


def test_a_dry_run_shows_names_and_no_secrets(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("team.yaml").write_text(FILE)
    result = run("run", "team.yaml", "plain", "Look.", "--dry-run")
    assert (result.exit_code, SECRET in result.output) == (0, False)
    shown = json.loads(result.stdout)
    assert shown["provider"]["mcp_servers"]["ours"]["env"] == {"API_TOKEN": "***"}
    (theirs,) = shown["agent"]["mcp_servers"]
    assert theirs["theirs"]["headers"] == {"X-Any": "***"}

    Path("plain.yaml").write_text("agents: {plain: {description: d, prompt: p}}")
    args = ("--provider", "acp", "--command", f"prog --api-key {SECRET}", "--dry-run")
    result = run("run", "plain.yaml", "plain", "Look.", *args)
    shown = json.loads(result.stdout)
    assert shown["provider"]["command"] == ["prog", "--api-key", "***"]
