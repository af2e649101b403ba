"""``subspec run``."""

import asyncio
import json
import shlex
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from attrs import fields, frozen, has

from subspec.cli.changing import CannotRunError, text_from
from subspec.cli.common import (
    CONTEXT,
    COULD_NOT_RUN,
    PATH,
    PROBLEMS_FOUND,
    echo,
    load_for_command,
    print_problems,
    reading_options,
    shown,
    watched,
)
from subspec.cli.signals import ended_by_signals
from subspec.problems import did_you_mean, printable, quoted

if TYPE_CHECKING:
    from collections.abc import Mapping

    from subspec.delegation import RunResult, StartRequest
    from subspec.spec import ClaudeConfig, SubagentSpec

CLAUDE_CODE, SPAWN, ACP = "claude_code", "spawn", "acp"
MODES = ("default", "acceptEdits", "plan", "dontAsk", "bypassPermissions")


@frozen
class Plan:
    """What is to be run, and how."""

    spec: "SubagentSpec"
    config: "ClaudeConfig"
    task: str
    provider: str
    model: str | None
    command: tuple[str, ...] | None
    cwd: Path
    permission_mode: str | None


@click.command(context_settings=CONTEXT)
@click.argument("path", type=PATH)
@click.argument("agent")
@click.argument("task")
@click.option(
    "--provider",
    default=CLAUDE_CODE,
    show_default=True,
    metavar="NAME",
    help="Who runs it: claude_code, spawn (Pydantic AI, in this process), acp, or one installed.",
)
@click.option("--model", help="The model, in place of the agent's own.")
@click.option("--command", metavar="PROGRAM", help="For acp: the program to run, with arguments.")
@click.option(
    "--cwd",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    default=".",
    help="The directory that the agent works in; this one by default.",
)
@click.option(
    "--permission-mode",
    type=click.Choice(MODES),
    help="For claude_code: what it may do without being asked, in place of the agent's own.",
)
@click.option(
    "--dry-run", is_flag=True, help="Print what would be asked of whom, secrets masked, and stop."
)
@reading_options
def run(  # noqa: PLR0917 - one for each argument and option
    path: Path,
    agent: str,
    task: str,
    provider: str,
    model: str | None,
    command: str | None,
    cwd: Path,
    permission_mode: str | None,
    dry_run: bool,
    input_format: str | None,
    prompt_root: Path | None,
) -> None:
    """Have one agent of a file do a TASK, and print its answer.

    What the file says is done: programs that it names as MCP servers and hooks are run. Run agents
    that you trust. Whatever needs a permission is denied, unless the agent or --permission-mode
    says otherwise. A TASK of - is read from standard input.

    The exit status is 0 for an answer, 1 when the agent stopped without one, and 2 when it could
    not be started. What there is of an answer is then printed to standard error. Ctrl-C, SIGTERM
    and SIGHUP end the agent with all its processes, and then this, with 130, 143 or 129.

    \b
    Examples:
      subspec run team.yaml analyst "What is odd about sales.csv?"
      subspec run team.yaml critic - --provider spawn --model openai:gpt-5 < draft.md
      subspec run .claude/agents reviewer "Review the last commit." --dry-run
    """
    _refuse_odd_options(provider, command, permission_mode)
    config = load_for_command(path, input_format, prompt_root)
    plan = Plan(
        _agent(config, agent, path),
        config,
        _task(task),
        provider,
        model,
        None if command is None else _words(command),
        cwd.absolute(),
        permission_mode,
    )
    with _refusing():
        _refuse_unknown_provider(provider)
        request = _request(plan)
        _note_what_is_left_out(plan, path)
        if dry_run:
            click.echo(json.dumps(_described(plan, agent, request), indent=2, ensure_ascii=False))
            return
        result = asyncio.run(ended_by_signals(_result(plan, agent, request)))
    _print(result, agent)


def _refuse_odd_options(provider: str, command: str | None, permission_mode: str | None) -> None:
    if command is not None and provider != ACP:
        msg = f"--command is for --provider {ACP}"
        raise click.UsageError(msg)
    if command is None and provider == ACP:
        msg = "give the program with --command"
        raise click.UsageError(msg)
    if permission_mode is not None and provider != CLAUDE_CODE:
        msg = f"--permission-mode is for --provider {CLAUDE_CODE}"
        raise click.UsageError(msg)


def _task(task: str) -> str:
    text = text_from("-") if task == "-" else task
    if not text.strip():
        where = " on standard input" if task == "-" else ""
        msg = f"the TASK{where} is blank; say what the agent is to do"
        raise click.UsageError(msg)
    return text


def _words(command: str) -> tuple[str, ...]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        msg = f"--command cannot be divided into words: {error}"
        raise click.UsageError(msg) from error
    if not words or not words[0].strip():
        msg = "--command must begin with a program"
        raise click.UsageError(msg)
    return tuple(words)


def _agent(config: "ClaudeConfig", name: str, path: Path) -> "SubagentSpec":
    agents: Mapping[str, SubagentSpec] = config.agents or {}
    if name in agents:
        return agents[name]
    hint = did_you_mean(name, agents) or f"there are: {', '.join(agents) or 'none'}"
    raise CannotRunError(printable(f"no agent {quoted(name)} in {path}; {hint}"))


_AS_AN_OPTION = {
    "give the provider one, as model=": "give it one with --model",
    "say it in models=": "say it with --model",
}
"""What is an argument of a class in Python is an option here."""


@contextmanager
def _refusing() -> Generator[None]:
    """Say in a line why there is no child."""
    from subspec.delegation import DelegationError  # noqa: PLC0415 - not needed for --help
    from subspec.problems import SpecError  # noqa: PLC0415

    try:
        yield
    except DelegationError as error:
        message = error.message
        for argument, option in _AS_AN_OPTION.items():
            message = message.replace(argument, option)
        raise CannotRunError(_readable(message)) from None
    except SpecError as error:
        print_problems(error.problems, err=True)
        raise click.exceptions.Exit(COULD_NOT_RUN) from None
    except (ImportError, TypeError) as error:
        raise CannotRunError(_readable(str(error))) from None


def _readable(message: str) -> str:
    """Make a message safe for a terminal; what it quotes of a program keeps its lines."""
    first, *more = (printable(line.removesuffix("\r")) for line in message.rstrip().split("\n"))
    return "\n".join([first, *(f"    {line}".rstrip() for line in more)])


def _request(plan: Plan) -> "StartRequest":
    """Make the request. What the provider is made from is not said again in it."""
    from subspec.delegation import AgentOptions, StartRequest, ToolFilter  # noqa: PLC0415

    spec = plan.spec
    asked: dict[str, Any] = {}
    if plan.model is not None:
        asked["agent_options"] = AgentOptions(model=plan.model)
    if plan.provider == SPAWN and (tools := [*(spec.tools or ()), *(spec.disallowed_tools or ())]):
        what = f"the provider {quoted(SPAWN)} has no tools here, and the agent names"
        hint = f"run it with --provider {CLAUDE_CODE}"
        raise CannotRunError(printable(f"{what} {', '.join(dict.fromkeys(tools))}; {hint}"))
    if plan.provider in (CLAUDE_CODE, SPAWN):
        return StartRequest(plan.task, **asked)
    _refuse_what_is_not_heeded(plan)
    if plan.provider == ACP:
        # It has no other way to tell an agent who it is.
        return StartRequest(f"{spec.prompt.rstrip()}\n\n{plan.task}", **asked)
    if plan.model is None and spec.model not in (None, "inherit"):
        asked["agent_options"] = AgentOptions(model=spec.model)
    if spec.tools is not None or spec.disallowed_tools is not None:
        lists = {"allow": spec.tools, "deny": spec.disallowed_tools}
        asked["tool_filter"] = ToolFilter(
            **{key: list(names) for key, names in lists.items() if names is not None}
        )
    return StartRequest(plan.task, persona=spec.prompt, **asked)


_OF_THE_SESSION = ("mcp_servers", "setting_sources")
"""What an agent needs of the session it is described in, such as servers that it calls by name."""

_ALWAYS = {"description", "prompt", "extra", "origin", "color"}
_IN_A_REQUEST = {"model", "tools", "disallowed_tools"}


def _refuse_what_is_not_heeded(plan: Plan) -> None:
    """Refuse to run an agent without what it says of itself."""
    heeded = _ALWAYS if plan.provider == ACP else _ALWAYS | _IN_A_REQUEST
    lost = [
        attribute.name
        for attribute in fields(type(plan.spec))
        if attribute.name not in heeded and getattr(plan.spec, attribute.name) is not None
    ]
    if plan.provider == ACP and plan.spec.model == "inherit":
        lost.remove("model")
    if lost:
        what = f"the provider {quoted(plan.provider)} cannot heed {', '.join(lost)} of the agent"
        raise CannotRunError(printable(f"{what}; run it with --provider {CLAUDE_CODE}"))


def _note_what_is_left_out(plan: Plan, path: Path) -> None:
    """Say which settings of the session are not those of the agent's own session."""
    heeded = {"agents", "host", "extra", "origin"}
    if _is_claude(plan):
        heeded.update(_OF_THE_SESSION)
    config = plan.config
    lost = [
        attribute.name
        for attribute in fields(type(config))
        if attribute.name not in heeded and getattr(config, attribute.name) is not None
    ]
    if lost:
        is_one = len(lost) == 1
        said = f"{', '.join(lost)} {'is' if is_one else 'are'} for the session that has the agents"
        echo(printable(f"{path}: {said}, and {'is' if is_one else 'are'} left out"), err=True)


def _is_claude(plan: Plan) -> bool:
    return plan.provider == CLAUDE_CODE


def _provider(plan: Plan) -> Any:
    """Make the provider; None for one that is installed."""
    if plan.command is not None:
        from subspec.delegation.acp import AcpProvider  # noqa: PLC0415 - an extra

        return AcpProvider(list(plan.command), cwd=plan.cwd)
    if plan.provider == SPAWN:
        from subspec.delegation.in_process import SpawnProvider  # noqa: PLC0415 - an extra

        return SpawnProvider(plan.spec)
    if _is_claude(plan):
        from subspec.delegation.claude_code import ClaudeCodeProvider  # noqa: PLC0415 - an extra

        return ClaudeCodeProvider(plan.spec, **_session(plan))
    return None


def _session(plan: Plan) -> dict[str, Any]:
    """Give what the session needs that the agent runs in."""
    from subspec.shapes import thaw  # noqa: PLC0415 - not needed for --help

    session: dict[str, Any] = {"cwd": str(plan.cwd)}
    for name in _OF_THE_SESSION:
        value = getattr(plan.config, name)
        if value is not None:
            session[name] = thaw(value)
    if plan.permission_mode is not None:
        session["permission_mode"] = plan.permission_mode
    return session


async def _result(plan: Plan, name: str, request: "StartRequest") -> "RunResult":
    from subspec.delegation import Registry, register_installed  # noqa: PLC0415

    async with Registry() as registry:
        provider = watched(lambda: _provider(plan))
        if provider is None:
            register_installed(registry, [plan.provider])
        else:
            registry.register(provider)
        with _progress(f"{name} is at work"):
            return await registry.delegate(plan.provider, request)


def _refuse_unknown_provider(name: str) -> None:
    from subspec.delegation.plugins import installed  # noqa: PLC0415 - not needed for --help

    known = (CLAUDE_CODE, SPAWN, ACP, *installed())
    if name not in known:
        hint = did_you_mean(name, known) or f"there are: {', '.join(known)}"
        raise CannotRunError(printable(f"no provider {quoted(name)}; {hint}"))


@contextmanager
def _progress(text: str) -> Generator[None]:
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console  # noqa: PLC0415 - slow to import, for this picture only
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.description}", markup=False), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        progress.add_task(printable(text), total=None)
        yield


def _described(plan: Plan, name: str, request: "StartRequest") -> dict[str, Any]:
    """Say what would be asked of whom, without what is absent, and without secrets."""
    from subspec.cli.masking import masked  # noqa: PLC0415
    from subspec.structure import plain  # noqa: PLC0415 - not needed for --help

    provider: dict[str, Any] = {"name": plan.provider, "cwd": str(plan.cwd)}
    if plan.command is not None:
        provider["command"] = list(plan.command)
    if _is_claude(plan):
        provider |= _session(plan)
    return {
        "provider": masked(provider),
        "agent": masked({"name": name, **plain(plan.spec)}),
        "request": _present(request),
    }


def _present(value: Any) -> Any:
    from subspec.delegation import ABSENT  # noqa: PLC0415
    from subspec.shapes import thaw  # noqa: PLC0415

    if not has(type(value)):
        return thaw(value)
    items = ((each.name, getattr(value, each.name)) for each in fields(type(value)))
    return {name: _present(item) for name, item in items if item is not ABSENT}


def _print(result: "RunResult", name: str) -> None:
    from subspec.delegation import ABSENT  # noqa: PLC0415

    text = result.text if result.text.endswith("\n") or not result.text else f"{result.text}\n"
    if result.succeeded:
        click.echo(shown(text), nl=False, color=True)
        return
    why = "" if result.diagnostic is ABSENT else f": {result.diagnostic}"
    click.echo(shown(text, err=True), nl=False, err=True)
    end = f"{printable(name)} stopped without an answer ({result.stop_reason}){why}"
    echo(_readable(end), err=True)
    raise click.exceptions.Exit(PROBLEMS_FOUND)
