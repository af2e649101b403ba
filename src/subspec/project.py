"""What Claude Code loads when it is started in a directory, and what it leaves out in silence.

Its agents lie in ``.claude/agents``: of the directory itself, of those above it up to the root of
the repository, and of the user. Of several of one name the nearest wins. What plugins, command
lines, further directories and an organisation's settings add is not looked at.

Claude Code was asked about every rule here.
"""

# ruff: noqa: PTH110, PTH111, PTH112, PTH113, PTH114 - the methods of Path raise where a link leads in
# circles, a directory may not be looked into, or no file can have a name

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain
from pathlib import Path
from typing import Any

from attrs import evolve, frozen

from subspec.facts import BUILT_IN_AGENTS, MEMORY_TOOLS
from subspec.formats.claude_code import AGENTS, AgentFile, markdown_below, read_agent_file
from subspec.problems import (
    CANNOT_READ,
    FRONT_MATTER_CUT,
    SHADOWED_AGENT,
    UNKNOWN_KEY,
    WIDENS,
    Problem,
    errors_in,
    printable,
)
from subspec.source.files import UnreadableError, read_bytes
from subspec.source.frontmatter import FENCE

_GIT = ".git"
_LONGEST_POINTER = 64 * 1024
_SEPARATOR = re.compile(r"[/\\]")
_DOWNLOADS = re.compile(r"connector-downloads[. ]*(?::.*)?", re.IGNORECASE)
_NOT_TO_FOLLOW = ("/proc/", "/sys/")
_HARMLESS = frozenset(code.name for code in (FRONT_MATTER_CUT, UNKNOWN_KEY, WIDENS))
"""Codes of errors for which Claude Code does not drop an agent."""


@frozen
class LoadedAgent:
    """An agent that Claude Code loads."""

    name: str
    """What it is called by."""

    description: str
    """When to hand work to it, line ends spelt out."""

    model: str | None
    """An alias or an id, as it is written. None: the parent's."""

    tools: tuple[str, ...] | None
    """The tools as Claude Code lists them, those that memory adds among them and those that are
    disallowed not. None: the default set, without :attr:`disallowed_tools`. Empty: none at all."""

    disallowed_tools: tuple[str, ...]
    """The tools that are taken away."""

    listed_tools: str
    """What Claude Code tells the main model of the tools: ``Read, Grep`` or ``All tools``, the
    latter also where `tools` is an empty list."""

    prompt: str
    """The body of the file, without the blanks around it."""

    path: Path
    """The file."""

    @property
    def replaces_built_in(self) -> bool:
        """Whether it takes the place of an agent that Claude Code has by itself."""
        return self.name in BUILT_IN_AGENTS


@frozen
class DroppedFile:
    """A file that was meant to be an agent, and is none to Claude Code."""

    path: Path
    """The file."""

    problem: Problem
    """Why, and where."""


@frozen
class ShadowedFile:
    """A file whose agent gives way to another one of the same name."""

    path: Path
    """The file."""

    name: str
    """The name of both."""

    problem: Problem
    """Which one wins, with the place of the name that they share."""

    by: Path
    """The file that wins."""


@frozen
class Preview:
    """What Claude Code makes of the files that it finds from a directory."""

    loaded: tuple[LoadedAgent, ...]
    """The agents, in the order in which Claude Code lists them. Its own are not among them."""

    dropped: tuple[DroppedFile, ...]
    """What it drops, in the order in which it reads; files that were no agents are left out."""

    shadowed: tuple[ShadowedFile, ...]
    """What it reads and does not use, in that order."""


@frozen
class _Place:
    """A directory in which Claude Code looks for agents."""

    directory: Path
    """The directory, absolute."""

    named: Path
    """The same, as the caller would name it."""

    @property
    def depth(self) -> int:
        """How far down it lies, as Claude Code counts."""
        return len(_SEPARATOR.findall(str(self.directory)))


def preview(project: str | Path, *, user: bool | str | Path = False) -> Preview:
    """Say what Claude Code would load if it were started in a directory.

    Nothing is run, and nothing is warned of. A file that :func:`subspec.load` refuses may well be
    here: a blank prompt does not keep Claude Code from loading an agent.

    Args:
        project: Any directory. Files below it are named as it is, others with their whole path.
        user: Whether the user's own agents count too: those in ``~/.claude/agents``, or where
            ``CLAUDE_CONFIG_DIR`` says. A path: a directory in place of ``~/.claude``.

    Raises:
        NotADirectoryError: `project` is no directory, or is not there.
        SpecError: There are too many directories to look at.
    """
    start = Path(project)
    if not os.path.isdir(start):
        what = "it is not a directory" if os.path.lexists(start) else "there is no such directory"
        msg = printable(f"{start}: {what}")
        raise NotADirectoryError(msg)
    places = _places(start)
    found = [_user_files(start, user=user), *(markdown_below(place.named) for place in places)]
    # A file that is found twice counts as the user's, else as the nearest directory's.
    user_files, *files = _distinct(found)
    # The project's agents beat the user's, and among those the deepest directory's win.
    ranked = sorted(zip(places, files, strict=True), key=lambda each: each[0].depth)
    return _sort_out([*user_files, *chain.from_iterable(files for _, files in ranked)])


def _user_files(start: Path, *, user: bool | str | Path) -> list[Path]:
    if user is False:
        return []
    if user is True:
        # A relative one is relative to where Claude Code is started.
        said = os.environ.get("CLAUDE_CONFIG_DIR")
        directory = _home(start) / AGENTS.parts[0] if said is None else start / said
    else:
        directory = Path(user)
    return markdown_below(directory / AGENTS.name)


def _places(start: Path) -> list[_Place]:
    """Give the directories of agents that are looked at from one, the nearest first."""
    here = start.resolve()
    root = _repository(here)
    found = [each for each in _upwards(here, root) if _is_looked_at(each)]
    if root is not None and root not in found:
        # A worktree without agents of its own has those of its repository, besides those below it.
        main = _main_repository(root)
        if main not in (root, *found) and _is_looked_at(main):
            found.append(main)
    return [_Place(each / AGENTS, (start if each == here else each) / AGENTS) for each in found]


def _upwards(here: Path, root: Path | None) -> Iterator[Path]:
    """Give a directory and those above it, up to the root of its repository.

    The home directory ends it as well, and is not among them. It is compared as it is named, links
    and all, whereas the others are resolved.
    """
    home = _home(here)
    for directory in (here, *here.parents):
        if directory == home:
            return
        yield directory
        if directory == root:
            return


def _home(start: Path) -> Path:
    # Path.home() is not there on every machine.
    return _joined(start.absolute(), os.path.expanduser("~"))


def _is_looked_at(directory: Path) -> bool:
    agents = directory / AGENTS
    # Claude Code does not trust what lies where it puts files from elsewhere.
    return os.path.exists(agents) and not any(
        _DOWNLOADS.fullmatch(part) for part in (*agents.parts, *_resolved(agents).parts)
    )


def _repository(here: Path) -> Path | None:
    """Give the root of the repository in which a directory lies, which may be a worktree."""
    return next((each for each in (here, *here.parents) if _has_git(each)), None)


def _has_git(directory: Path) -> bool:
    # What it holds is not looked at.
    git = directory / _GIT
    return os.path.isdir(git) or os.path.isfile(git)


def _main_repository(root: Path) -> Path:
    """Give the root of the repository that a worktree belongs to; of another root, itself.

    Both have to name each other, or any directory could pose as a worktree.
    """
    try:
        keyword, _, text = _pointer(root / _GIT).partition(":")
        if keyword != "gitdir":
            return root
        own = _joined(root, text.strip())
        common = _joined(own, _own_pointer(own / "commondir"))
        back = _resolved(_joined(own, _own_pointer(own / "gitdir")))
    except (UnreadableError, ValueError):
        return root
    if own.parent != common / "worktrees" or back != root / _GIT:
        return root
    if common.name == _GIT:
        return common.parent
    # A bare repository.
    return root if _has_git(common) else common


def _own_pointer(path: Path) -> str:
    if os.path.islink(path):
        msg = "it leads elsewhere"
        raise UnreadableError(msg)
    return _pointer(path)


def _pointer(path: Path) -> str:
    return read_bytes(path, _LONGEST_POINTER).decode("utf-8").strip()


def _resolved(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _joined(directory: Path, path: str) -> Path:
    # Git's own pointers are full of `..`, which Claude Code takes away without looking for links.
    return Path(os.path.normpath(directory / path))


def _distinct(groups: Iterable[list[Path]]) -> Iterator[list[Path]]:
    """Leave out each file that is, by way of a link, in an earlier group as well."""
    seen: set[tuple[int, int]] = set()
    for group in groups:
        # What cannot be looked at was not found either, unless it was taken away meanwhile.
        known = {path: (found.st_dev, found.st_ino) for path, found in _looked_at(group)}
        yield [path for path, identity in known.items() if identity not in seen]
        seen.update(known.values())


def _looked_at(paths: Iterable[Path]) -> Iterator[tuple[Path, os.stat_result]]:
    for path in paths:
        with suppress(OSError):
            yield path, path.lstat()


def _sort_out(paths: list[Path]) -> Preview:
    """Read files, of which the last wins where several give the same name."""
    loaded: dict[str, LoadedAgent] = {}
    dropped: list[DroppedFile] = []
    shadowed: list[ShadowedFile] = []
    # From the end, where the winners are.
    for path in reversed(paths):
        refusal = _refusal(path)
        if refusal is not None:
            dropped.append(DroppedFile(path, refusal))
            continue
        file = read_agent_file(path, lies_around=True)
        if file.name is None:
            if file.problems:
                dropped.append(DroppedFile(path, _reason(file.problems)))
        elif file.name in loaded:
            shadowed.append(_shadowed(path, file, file.name, loaded[file.name].path))
        else:
            loaded[file.name] = _agent(path, file.name, file.values)
    return Preview(
        tuple(sorted(loaded.values(), key=_as_listed)),
        tuple(reversed(dropped)),
        tuple(reversed(shadowed)),
    )


def _refusal(path: Path) -> Problem | None:
    """Say why Claude Code does not open a file, if it does not."""
    try:
        str(path).encode("utf-8")
    except UnicodeEncodeError:
        message = "its name is not UTF-8, and Claude Code cannot open it"
        return CANNOT_READ.problem(message, file=str(path))
    if os.path.islink(path) and str(_resolved(path)).startswith(_NOT_TO_FOLLOW):
        message = "it leads to the system's own files, where Claude Code does not follow"
        return CANNOT_READ.problem(message, file=str(path))
    return None


def _reason(problems: tuple[Problem, ...]) -> Problem:
    """Choose the problem for which Claude Code drops a file."""
    fatal = [each for each in errors_in(problems) if each.code not in _HARMLESS]
    problem = evolve((fatal or problems)[0], severity="error")
    for each in problems:
        if each.code == FRONT_MATTER_CUT.name and each.span is not None:
            hint = f"'{FENCE}' ends the front matter in line {each.span.line}, also inside a value"
            return evolve(problem, hint=hint)
    return problem


def _shadowed(path: Path, file: AgentFile, name: str, winner: Path) -> ShadowedFile:
    message = f"{winner} gives an agent of the same name, and takes its place"
    problem = SHADOWED_AGENT.problem(message, ("name",), hint="give one of them another name")
    place = file.document.offsets(problem.path)
    return ShadowedFile(path, name, file.document.at(problem, *place), winner)


def _agent(path: Path, name: str, values: Mapping[str, Any]) -> LoadedAgent:
    tools, listed = _tools(values)
    return LoadedAgent(
        name=name,
        description=values["description"],
        model=values.get("model"),
        tools=tools,
        disallowed_tools=values.get("disallowed_tools") or (),
        listed_tools=listed,
        prompt=values["prompt"],
        path=path,
    )


def _tools(values: Mapping[str, Any]) -> tuple[tuple[str, ...] | None, str]:
    """Give the tools of an agent, and what the main model is told of them."""
    tools = values.get("tools")
    taken = values.get("disallowed_tools") or ()
    # Memory needs tools of its own, and adds those that are missing, also to an empty list.
    if tools is not None and values.get("memory"):
        tools = (*tools, *(tool for tool in MEMORY_TOOLS if tool not in tools))
    if tools:
        # Names are compared as they are written: with `Agent` taken away, `Task` is still listed,
        # and so is `Bash(git:*)` without `Bash`. What the agent gets is less than that.
        tools = tuple(tool for tool in tools if tool not in taken)
        return tools, ", ".join(tools) or "None"
    # An empty list is told in the same words as none, and means the opposite.
    return tools, f"All tools except {', '.join(taken)}" if taken else "All tools"


_ASCII = "\t\n\v\f\r _-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$0123456789abcdefghijklmnopqrstuvwxyz"
_RANK = {character: rank for rank, character in enumerate(_ASCII)}


def _as_listed(agent: LoadedAgent) -> tuple[bool, list[int], list[bool]]:
    """Give the key that sorts agents as Claude Code does.

    Names in ASCII come first, as in a dictionary, small letters before capitals where nothing else
    differs; the others follow by the units of UTF-16.
    """
    name = agent.name
    if not name.isascii():
        return True, list(name.encode("utf-16-be", "surrogatepass")), []
    return (
        False,
        [_RANK[letter] for letter in name.lower() if letter in _RANK],
        [letter.isupper() for letter in name if letter.lower() in _RANK],
    )
