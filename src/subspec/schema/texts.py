"""What a schema says of each key, for people: made from what stands below the fields of classes."""

import re
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from itertools import pairwise

from attrs import AttrsInstance

from subspec import spec

PROMPT_FILE = "prompt_file"

ABOUT = {
    PROMPT_FILE: "The file that holds the prompt, relative to this one. Instead of `prompt`.",
    "agents": "The subagents, by name.",
    "prompt": "The system prompt.",
    "claude": "The configuration of Claude and its subagents.",
    "extended_thinking": "How the model thinks.",
    "web_search": "Add `WebSearch` to the allowed tools.",
    "name": "What the agent is called, whatever the name of its file.",
}
"""What is said of keys that are no field, or of which a file has something else to say."""

_PASSED_ON = "Read by Claude Code, which takes any value."

ABOUT_PRESETS = {"type": "Says that this is a preset.", "preset": "The name of the preset."}
ABOUT_THINKING = {
    "enabled": "Whether the model thinks before it answers.",
    "budget_tokens": "How much it may think, in tokens.",
}
ABOUT_SERVERS = {
    "type": "How the server is reached. One without is started as a program: `stdio`.",
    "timeout": "How long a call may take, in milliseconds.",
    "alwaysLoad": "Load its tools at once, not when they are searched for.",
    "bareElicitationCapability": "Announce elicitation without saying of which kind.",
    "role": _PASSED_ON,
    "command": "The program to run.",
    "args": "Its arguments.",
    "env": "Its environment variables.",
    "url": "Where the server is.",
    "headers": "Headers of each request.",
    "headersHelper": "A command that prints further headers, as JSON.",
    "oauth": "How to sign in.",
    "clientId": "The id of a client that is registered already.",
    "callbackPort": "The port on which the answer is awaited.",
    "scopes": "What to ask permission for, with blanks between.",
    "xaa": "Sign in by cross-app access.",
    "authServerMetadataUrl": "Where the server for signing in describes itself.",
    "discoveryCache": "Whether what the server offers is kept for later.",
    "tools": "How calls of single tools are permitted.",
    "name": "The name of the tool.",
    "permission_policy": "Whether to ask before a call of it.",
    "request_timeout_ms": _PASSED_ON,
    "displayName": _PASSED_ON,
    "orgMaxPermission": _PASSED_ON,
    "toolPermissions": "Whether calls of a tool are permitted, by its name.",
}
ABOUT_HOOKS = {
    "matcher": "What the hooks are for, mostly a pattern for names of tools. Without: all.",
    "hooks": "What is done, all at the same time.",
    "type": "What kind of hook it is.",
    "if": "A rule like `Bash(git *)`: only calls that match it run the hook.",
    "timeout": "How long it may take, in seconds.",
    "statusMessage": "What is shown while it runs.",
    "once": "Run it at the first event only.",
    "command": "The command to run; it reads the event as JSON.",
    "args": "Its arguments, which no shell looks at.",
    "shell": "The shell that runs it.",
    "onFailure": "What happens when the hook itself fails.",
    "async": "Do not wait for it.",
    "asyncRewake": "Do not wait for it, and wake the model when it fails.",
    "holdsTools": "Hold tools back until it has ended.",
    "rewakeMessage": "What the model is told when it is woken.",
    "rewakeSummary": "What is shown when it is woken.",
    "prompt": "What a model is asked. `$ARGUMENTS` stands for the event, as JSON.",
    "model": "The model that is asked.",
    "continueOnBlock": "Go on when it says no, with its reason.",
    "url": "Where the event is sent, as JSON.",
    "headers": "Headers of the request.",
    "allowedEnvVars": "Environment variables that headers may name.",
    "server": "The MCP server that is called.",
    "tool": "The tool of it.",
    "input": "What the tool is given.",
}


def about_keys(cls: type[AttrsInstance], names: Mapping[str, str]) -> dict[str, str]:
    """Give what is said of keys; `names` are those that the fields of a class have."""
    docs = docs_in(spec.__name__)[cls.__name__]
    return {
        name: prose(docs[field], names) for field, name in names.items() if field in docs
    } | ABOUT


@cache
def docs_in(module: str) -> dict[str, dict[str, str]]:
    """Read what stands below each field: Python itself keeps no text of a field."""
    import ast  # noqa: PLC0415 - slow to import, and for schemas only
    import inspect  # noqa: PLC0415

    classes = (
        node
        for node in ast.parse(inspect.getsource(import_module(module))).body
        if isinstance(node, ast.ClassDef)
    )
    return {
        each.name: {
            field.target.id: inspect.cleandoc(text.value.value)
            for field, text in pairwise(each.body)
            if isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(text, ast.Expr)
            and isinstance(text.value, ast.Constant)
            and isinstance(text.value.value, str)
        }
        for each in classes
    }


def prose(text: str, names: Mapping[str, str]) -> str:
    """Turn what is written for Sphinx into what is written for people."""
    text = " ".join(text.split()).replace("``", "`").replace("None:", "Left out:")
    return re.sub(r":\w+:`([^`]*)`", lambda match: f"`{names.get(match[1], match[1])}`", text)
