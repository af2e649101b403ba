"""What the commands share that change files: options, targets, values, and how it is told."""

import difflib
import sys
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from subspec.cli.common import (
    COULD_NOT_RUN,
    PROBLEMS_FOUND,
    echo,
    fail,
    print_problems,
    reading_options,
    shown,
    watched,
)
from subspec.problems import did_you_mean, errors_in, has_errors, printable, quoted

if TYPE_CHECKING:
    from subspec.problems import Path as DataPath
    from subspec.problems import Problem
    from subspec.source.replace import Change
    from subspec.store.editing import Subject
    from subspec.store.update import Update

F = TypeVar("F", bound=Callable[..., Any])

_MOST_FAULTS = 3
LONGEST_VALUE = 1024 * 1024
"""How much is read for a value from a file or from standard input, in bytes."""


class CannotRunError(click.ClickException):
    """The command was called with something that is not there."""

    exit_code = COULD_NOT_RUN


dry_run_option = click.option(
    "--dry-run", is_flag=True, help="Print what would change as a unified diff, and stop."
)


def changing_options(function: F) -> F:
    """Add the options of a command that changes files."""
    return reading_options(dry_run_option(function))


def subject_of(path: Path, input_format: str | None, prompt_root: Path | None) -> "Subject":
    """Read what is to be changed, or stop."""
    from subspec.store.editing import Subject  # noqa: PLC0415 - not needed for --help

    return watched(lambda: Subject.read(path, input_format, prompt_root))  # type: ignore[no-any-return]


def target_path(subject: "Subject", target: str) -> "DataPath":
    """Find what ``AGENT.FIELD`` or ``FIELD`` means; keys inside of a field may follow."""
    # Names may hold dots: the longest one that fits is meant.
    names = [name for name in subject.agents if target.startswith(f"{name}.")]
    if names:
        name = max(names, key=len)
        inner = target[len(name) + 1 :].split(".")
        if inner == ["name"]:
            msg = f"to give an agent another name: subspec rename {subject.path} {name} NEW"
            raise CannotRunError(printable(msg))
        return ("agents", name, *field_of_agent(subject, inner[0]), *inner[1:])
    if target in subject.agents:
        msg = f"{quoted(target)} is an agent; say which of its fields: {target}.FIELD"
        raise CannotRunError(printable(msg))
    first, *rest = target.split(".")
    if first in subject.agent_fields and not subject.holds_session:
        hint = f"say which: AGENT.{target}; there are: {', '.join(subject.agents)}"
        raise CannotRunError(printable(f"{quoted(first)} is a field of an agent here; {hint}"))
    if first in subject.session_fields or not rest:
        if not subject.session_fields:
            msg = f"{subject.path} holds agents only; say which: AGENT.{target}"
            raise CannotRunError(printable(f"{msg}; there are: {', '.join(subject.agents)}"))
        return (_field(first, subject.session_fields), *rest)
    name = target.rpartition(".")[0]
    raise CannotRunError(no_such_agent(subject, name))


def no_such_agent(subject: "Subject", name: str) -> str:
    """Say that there is no agent of a name, and which there are."""
    agents = subject.agents
    hint = did_you_mean(name, agents) or f"there are: {', '.join(agents) or 'none'}"
    said = f"no agent {quoted(name)} in {subject.path}; {hint}"
    # It may be that of a file which gives no agent for its faults.
    loaded = {spec.origin.path for spec in subject.specs if spec.origin is not None}
    broken = [each for each in errors_in(subject.known) if each.file is not None]
    faults = [each for each in broken if Path(str(each.file)) not in loaded]
    return "\n".join([printable(said), *map(str, faults[:_MOST_FAULTS])])


def field_of_agent(subject: "Subject", name: str) -> "DataPath":
    """Give the path of a field, which may be named as the program of the file does."""
    # What the program itself calls so is meant, also where a field has the same name.
    if name in subject.own_keys:
        return subject.own_keys[name]
    return (_field(name, subject.agent_fields),)


def _field(name: str, known: tuple[str, ...]) -> str:
    if name in known:
        return name
    from subspec.formats.claude_cli import camel  # noqa: PLC0415 - for another spelling only

    # As the files of Claude Code spell it.
    found = next((each for each in known if camel(each) == name), None)
    if found is None:
        hint = did_you_mean(name, known) or f"fields are: {', '.join(known)}"
        raise CannotRunError(printable(f"no field {quoted(name)}; {hint}"))
    return found


def text_from(file: str) -> str:
    """Read a value from a file, or from standard input for ``-``."""
    from subspec.source.files import (  # noqa: PLC0415 - for this option only
        NotUtf8Error,
        UnreadableError,
        decode,
        read_bytes,
    )

    try:
        if file == "-":
            raw = sys.stdin.buffer.read(LONGEST_VALUE + 1)
        else:
            raw = read_bytes(Path(file), LONGEST_VALUE)
        if len(raw) > LONGEST_VALUE:
            msg = "the value from standard input is larger than 1 MiB"
            raise CannotRunError(msg)
        return decode(raw).replace("\r\n", "\n")
    except UnreadableError as error:
        msg = printable(f"cannot read {file}: {error}")
        raise CannotRunError(msg) from None
    except NotUtf8Error as error:
        msg = printable(f"{file} is {error.reason}")
        raise CannotRunError(msg) from None


def change(
    subject: "Subject",
    edits: "Mapping[DataPath, Any]",
    renames: Mapping[str, str] | None = None,
    *,
    dry_run: bool,
) -> None:
    """Make changes, or show them."""
    from subspec.source.compare import MISSING  # noqa: PLC0415 - not for --help

    known = () if dry_run else check_again(subject)
    update = watched(lambda: subject.apply(edits, renames or {}))
    print_problems(update.problems, err=True)
    finish(update, dry_run=dry_run, nothing=f"Nothing to change in {subject.path}.")
    is_empty = all(edits.get(("agents", name)) is MISSING for name in subject.agents)
    if dry_run or is_empty:
        # That no agent is left is what was wanted.
        return
    new = _new_problems(known, check_again(subject), renames or {}) if update.changes else []
    print_problems(new, err=True)
    # What could not be said at all is not done.
    if has_errors(new) or (update.problems and not update.changes):
        raise click.exceptions.Exit(PROBLEMS_FOUND)


def finish(update: "Update", *, dry_run: bool, nothing: str) -> None:
    """Write an update, or show it, and say what was done."""
    from subspec.problems import SpecError  # noqa: PLC0415
    from subspec.source.replace import replace_files  # noqa: PLC0415 - where files are written

    if dry_run:
        show_diffs(update.changes)
        return
    try:
        written = replace_files(update.changes)
    except SpecError as error:
        fail(error.problems)
    gone = {each.path for each in update.changes if each.after is None}
    for path in written:
        echo(printable(f"{'Removed' if path in gone else 'Wrote'} {path}."))
    if not written:
        echo(printable(nothing))


def check_again(subject: "Subject") -> tuple["Problem", ...]:
    """Check what a subject is."""
    from subspec import check  # noqa: PLC0415 - where files are written

    return check(subject.path, format=subject.format, prompt_root=subject.prompt_root)


def _new_problems(
    before: Iterable["Problem"], after: Iterable["Problem"], renames: Mapping[str, str]
) -> list["Problem"]:
    """Say what is wrong or odd now and was not before: a tool that nobody knows, say."""

    def key(problem: "Problem") -> tuple[Any, ...]:
        # In a list, what stands behind something else now has another place.
        names = [part for part in problem.path if isinstance(part, str)]
        path = tuple(renames.get(name, name) for name in names)
        return problem.file, problem.code, path, problem.message

    known = set(map(key, before))
    return [each for each in after if key(each) not in known and each.severity != "info"]


def write_each(changes: "Iterable[Change]") -> list["Problem"]:
    """Write files of which each stands for itself; say what cannot be written, and go on."""
    from subspec.problems import SpecError  # noqa: PLC0415
    from subspec.source.replace import replace_files  # noqa: PLC0415 - where files are written

    problems: list[Problem] = []
    for change in changes:
        try:
            written = replace_files([change])
        except SpecError as error:
            problems += error.problems
        else:
            for path in written:
                echo(printable(f"Wrote {path}."))
    print_problems(problems, err=True)
    return problems


def show_diffs(changes: "Iterable[Change]") -> None:
    """Print what would change, and write nothing."""
    for each in changes:
        click.echo(shown(diff(each.path, each.before, each.after)), nl=False, color=True)


def diff(path: Path, before: bytes | None, after: bytes | None) -> str:
    """Give the change of a file as a unified diff."""
    name = printable(str(path))
    lines = difflib.unified_diff(
        _lines(before),
        _lines(after),
        "/dev/null" if before is None else name,
        "/dev/null" if after is None else name,
    )
    marked = (
        line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines
    )
    return "".join(marked)


def _lines(data: bytes | None) -> list[str]:
    # Lines end at LF alone here, as they do for every tool that reads a diff.
    text = (data or b"").decode("utf-8", "backslashreplace")
    return [line + "\n" for line in text.split("\n")[:-1]] + [
        line for line in [text.rpartition("\n")[2]] if line
    ]
