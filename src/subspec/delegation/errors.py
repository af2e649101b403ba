"""What can go wrong with a delegation before there is a child, or while it is put away."""

from collections.abc import Generator, Iterable
from contextlib import contextmanager
from enum import Enum

from subspec.problems import did_you_mean, quoted


class ErrorCode(str, Enum):
    """The kinds of failure; each is equal to its name as a text."""

    BAD_PROVIDER = "BAD_PROVIDER"
    """Something is not a provider, or cannot be made one."""

    BAD_TOOL = "BAD_TOOL"
    """A tool cannot have this name, or there is one of it already."""

    CLOSED = "CLOSED"
    """The registry, or the tool, starts no more children."""

    DEPTH_EXCEEDED = "DEPTH_EXCEEDED"
    """The child would be deeper than the request allows."""

    DISPOSAL_FAILED = "DISPOSAL_FAILED"
    """A provider failed to put its child away."""

    DUPLICATE_PROVIDER = "DUPLICATE_PROVIDER"
    """There is a provider of this name already."""

    RUN_FAILED = "RUN_FAILED"
    """A child ended without an answer."""

    START_FAILED = "START_FAILED"
    """A provider failed to start a child."""

    UNKNOWN_JOB = "UNKNOWN_JOB"
    """There is no background job of this id."""

    UNKNOWN_PROVIDER = "UNKNOWN_PROVIDER"
    """There is no provider of this name."""

    UNKNOWN_TOOL = "UNKNOWN_TOOL"
    """A filter names a tool that there is not."""

    UNSUPPORTED_CAPABILITY = "UNSUPPORTED_CAPABILITY"
    """The provider would ignore a part of the request."""


class DelegationError(Exception):
    """Work cannot be handed on; :attr:`code` says why to programs, the message to people.

    What a provider itself raised is the ``__cause__``.
    """

    code: ErrorCode
    """The kind of failure."""

    def __init__(self, code: ErrorCode, message: str) -> None:
        self.code = code
        super().__init__(code, message)

    @property
    def message(self) -> str:
        """What went wrong, without the code."""
        return str(self.args[1])

    def __str__(self) -> str:
        """Say the message, with the code behind it."""
        return f"{self.message} [{self.code.value}]"


class ExitError(Exception):
    """What was called wanted to end the program, which is not its business."""


@contextmanager
def no_exit() -> Generator[None]:
    """Make an error like any other of a SystemExit.

    In a task it would go through the event loop, and end all that runs there.

    Raises:
        ExitError: There was one.
    """
    try:
        yield
    except SystemExit as error:
        msg = f"it wanted to end the program ({described(error)})"
        raise ExitError(msg) from error


def described(error: BaseException) -> str:
    """Say what an error is, in one text."""
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def unknown(what: str, name: str, known: Iterable[str]) -> str:
    """Say that there is no such name, and which one was probably meant."""
    known = sorted(known)
    choices = f"there is {', '.join(known)}" if known else "there is none"
    return f"no {what} {quoted(name)}; {did_you_mean(name, known) or choices}"
