"""The text of a prompt: in the file itself, or in a file of its own."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from subspec.problems import (
    BLANK_PROMPT,
    PROMPT_CONFLICT,
    PROMPT_FILE_LEAVES,
    PROMPT_FILE_NOT_FOUND,
    PROMPT_FILE_OUTSIDE,
    PROMPT_FILE_UNUSABLE,
    PROMPT_MISSING,
    Problem,
    printable,
)
from subspec.shapes import wrong_type
from subspec.source.files import (
    NotFoundError,
    NotUtf8Error,
    UnreadableError,
    decode,
    read_bytes,
)

MAX_PROMPT_FILE = 1024 * 1024
"""How large a prompt file may be, in bytes."""


@frozen
class Prompt:
    """A prompt that was looked up: its text (None when there is none to be had), and the rest."""

    text: str | None
    file: Path | None = None
    problems: tuple[Problem, ...] = ()
    digest: str | None = None
    """SHA-256 of the bytes of the file, in hexadecimal."""


@frozen
class PromptFiles:
    """Where prompt files are looked for."""

    base_dir: Path | None
    """The directory of the file that names them; None when there is no such file."""

    root: Path | None = None
    """The directory they may not leave, if any."""

    instead: Mapping[Path, bytes] = field(factory=dict)
    """What some files, resolved, are taken to hold, whatever they do."""

    def prompt_of(self, agent: Mapping[str, Any]) -> Prompt:
        """Find the prompt of an agent that gives no plain ``prompt``, or both kinds."""
        reference = agent.get("prompt_file")
        inline = agent.get("prompt")
        if reference is None and inline is None:
            message = "subagent requires either prompt or prompt_file"
            return Prompt(None, None, (PROMPT_MISSING.problem(message),))
        if reference is None:
            return Prompt(inline)
        found = self.read(reference)
        if inline is None:
            return found
        message = "prompt and prompt_file are mutually exclusive"
        conflict = PROMPT_CONFLICT.problem(message, ("prompt_file",), hint="remove one of them")
        return Prompt(inline, None, (conflict, *found.problems))

    def read(self, reference: object) -> Prompt:
        """Read the file that a ``prompt_file`` names."""
        from hashlib import sha256  # noqa: PLC0415 - slow to import, and for prompt files only

        path = ("prompt_file",)
        if not isinstance(reference, str):
            return Prompt(None, None, (wrong_type("the path of a file", reference, at=path),))
        if not reference.strip():
            blank = PROMPT_FILE_NOT_FOUND.problem("prompt_file is blank", path)
            return Prompt(None, None, (blank,))
        if self.base_dir is None:
            message = "prompt_file cannot be looked up: the text came from no file"
            hint = "say where with base_dir="
            return Prompt(None, None, (PROMPT_FILE_UNUSABLE.problem(message, path, hint=hint),))
        file = self.base_dir / reference
        named = printable(str(file))
        problems = self._problems_of_place(file)
        if any(problem.severity == "error" for problem in problems):
            return Prompt(None, file, tuple(problems))
        try:
            raw = self._bytes_of(file)
            text = decode(raw).replace("\r\n", "\n")
        except NotFoundError:
            problem = PROMPT_FILE_NOT_FOUND.problem(f"prompt_file not found: {named}", path)
            return Prompt(None, file, (*problems, problem))
        except UnreadableError as error:
            problem = PROMPT_FILE_UNUSABLE.problem(
                f"cannot read the prompt file {named}: {error}", path
            )
            return Prompt(None, file, (*problems, problem))
        except NotUtf8Error as error:
            line = error.before.count("\n") + 1
            message = f"the prompt file {named} is {error.reason}, on line {line}"
            problem = PROMPT_FILE_UNUSABLE.problem(message, path, hint="save it as UTF-8")
            return Prompt(None, file, (*problems, problem))
        if not text or text.isspace():
            problem = BLANK_PROMPT.problem(f"the prompt file {named} is blank", path)
            return Prompt(None, file, (*problems, problem))
        return Prompt(text, file, tuple(problems), sha256(raw).hexdigest())

    def _bytes_of(self, file: Path) -> bytes:
        if self.instead and (raw := self.instead.get(file.resolve())) is not None:
            return raw
        return read_bytes(file, MAX_PROMPT_FILE, inside=self.root)

    def _problems_of_place(self, file: Path) -> list[Problem]:
        # Symbolic links are resolved first: it is the file itself that must lie inside.
        if self.root is not None and not _lies_in(file, self.root):
            message = f"the prompt file {printable(str(file))} lies outside of {self.root}"
            return [PROMPT_FILE_OUTSIDE.problem(message, ("prompt_file",))]
        if self.root is None and self.base_dir is not None and not _lies_in(file, self.base_dir):
            message = f"the prompt file {printable(str(file))} lies outside of the spec's directory"
            hint = "name the directory it may lie in with prompt_root="
            return [PROMPT_FILE_LEAVES.problem(message, ("prompt_file",), hint=hint)]
        return []


def _lies_in(file: Path, directory: Path) -> bool:
    try:
        return file.resolve().is_relative_to(directory.resolve())
    except (OSError, RuntimeError, ValueError):
        # A loop of symbolic links, or a name no file can have: reading it will say so.
        return True
