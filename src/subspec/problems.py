"""What can be wrong with a file, and how it is said.

A :class:`Problem` is one finding with its place and a way out. :class:`SpecError` carries all of
them at once; :class:`SpecWarning` carries one that did not stop the work. Each kind of problem is
one :class:`Code` in the catalogue below, declared here and nowhere else.
"""

import sys
import unicodedata
import warnings
from collections.abc import Iterable
from functools import lru_cache
from types import FrameType
from typing import Literal

from attrs import evolve, field, frozen

Severity = Literal["error", "warning", "info"]
Path = tuple[str | int, ...]
"""The way from the top of a file to a value: keys as text, list positions as numbers from 0."""

_EXCERPT_WIDTH = 100
_LONGEST_SHOWN = 60


@frozen
class Span:
    """A stretch of text, counted from 1 in characters; the end lies behind the last character.

    A tab and a character outside the Basic Multilingual Plane count as one. Line ends are LF,
    CR LF and CR.
    """

    line: int
    column: int
    end_line: int
    end_column: int


@frozen
class Fix:
    """What a program can do about a problem, at the place that its path names."""

    action: Literal["rename", "replace", "remove", "quote", "mend"]
    """Give the key another name, put another value, take the key out, make a text of the value as
    it is written, or write all of the front matter as YAML."""

    value: object = None
    """The other name, or the other value."""

    safe: bool = True
    """Whether it only says better what is said: no agent may do anything else for it."""


@frozen
class Problem:
    """One finding: what is wrong, where, and what to write instead.

    ``str()`` of it is one line, fit for an editor's list of locations:
    ``FILE:LINE:COLUMN: SEVERITY: PATH: MESSAGE; HINT [CODE]``.
    """

    code: str
    """The kind of problem, in kebab-case."""

    severity: Severity
    """``"error"``, ``"warning"`` or ``"info"``."""

    message: str
    """What is wrong, in one sentence without a full stop."""

    path: Path = ()
    """Where it is in the data, in the file's own keys: ``("agents", "writer", "tools", 0)``."""

    file: str | None = None
    """The file as it was named, or None for text that came from no file."""

    span: Span | None = None
    """Where it is in the text."""

    hint: str | None = None
    """What to do about it."""

    excerpt: str | None = field(default=None, repr=False)
    """The source line on which the span starts."""

    fix: Fix | None = field(default=None, eq=False, repr=False)
    """What ``subspec check --fix`` does about it, if it knows something."""

    def __str__(self) -> str:
        """Say it in one line."""
        place = "" if self.file is None and self.span is None else f"{self.file or '<text>'}:"
        if self.span is not None:
            place += f"{self.span.line}:{self.span.column}:"
        parts = [place] if place else []
        parts.append(f"{self.severity}:")
        if self.path:
            parts.append(f"{dotted(self.path)}:")
        parts.append(self.message if self.hint is None else f"{self.message}; {self.hint}")
        parts.append(f"[{self.code}]")
        return printable(" ".join(parts))

    @property
    def snippet(self) -> str | None:
        """The source line with a caret under the fault, in two lines, or None without a place."""
        if self.excerpt is None or self.span is None:
            return None
        start = self.span.column - 1
        same_line = self.span.end_line == self.span.line
        end = self.span.end_column - 1 if same_line else len(self.excerpt)
        # A window keeps a fault in a line of a megabyte readable.
        first = max(0, start - _EXCERPT_WIDTH // 2) if len(self.excerpt) > _EXCERPT_WIDTH else 0
        shown = self.excerpt[first : first + _EXCERPT_WIDTH]
        before = self.excerpt[first:start]
        marked = shown[start - first : max(end, start + 1) - first]
        pad = "".join("\t" if c == "\t" else " " * _columns(printable(c)) for c in before)
        return f"{printable(shown)}\n{pad}{'^' * max(1, _columns(printable(marked)))}"


@frozen
class Code:
    """A kind of problem: its name, how grave it is, and what it means in one line."""

    name: str
    severity: Severity
    summary: str
    at: Literal["key", "value"] = "value"
    """Whether the key or the value is marked in the file."""

    shows_source: bool = False
    """Whether the text of an error shows the source line too."""

    def problem(
        self,
        message: str,
        path: Path = (),
        *,
        hint: str | None = None,
        file: str | None = None,
        span: Span | None = None,
        excerpt: str | None = None,
        fix: Fix | None = None,
    ) -> Problem:
        """Make a problem of this kind."""
        return Problem(self.name, self.severity, message, path, file, span, hint, excerpt, fix)


class SpecError(ValueError):
    """Something cannot be read, checked or built; all that is wrong is in :attr:`problems`.

    ``str()`` of it has one line for each problem. For a syntax error the source line follows,
    with a caret under the fault.
    """

    problems: tuple[Problem, ...]

    def __init__(self, problems: Iterable[Problem]) -> None:
        self.problems = tuple(problems)
        super().__init__(self.problems)

    def __str__(self) -> str:
        """Say all of them."""
        return "\n".join(_with_source(problem) for problem in self.problems)


class ConflictError(SpecError):
    """A file is no longer what was read, so nothing was written; ``problems`` names it."""


class SpecWarning(UserWarning):
    """Something is odd, ignored or lost, and the work went on; :attr:`problem` says what."""

    problem: Problem

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        super().__init__(problem)

    def __str__(self) -> str:
        """Say it in one line."""
        return str(self.problem)


def below(path: Path, problems: Iterable[Problem]) -> list[Problem]:
    """Give the problems of a part the path of that part in the whole."""
    return [evolve(problem, path=path + problem.path) for problem in problems]


def errors_in(problems: Iterable[Problem]) -> list[Problem]:
    """Give those of the problems that are errors."""
    return [problem for problem in problems if problem.severity == "error"]


def has_errors(problems: Iterable[Problem]) -> bool:
    """Tell whether one of the problems is an error."""
    return any(problem.severity == "error" for problem in problems)


def warn(problems: Iterable[Problem]) -> None:
    """Warn of each problem, at the line outside this package that led here.

    What is for information only is left to :func:`subspec.check`.
    """
    problems = [problem for problem in problems if problem.severity != "info"]
    if problems:
        level = _caller_level()
        for problem in problems:
            warnings.warn(SpecWarning(problem), stacklevel=level)


def dotted(path: Path) -> str:
    """Write a path as people do: ``agents.writer.tools[0]``; odd keys in quotes."""
    text = ""
    for part in path:
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            name = str(part)
            plain = name.replace("-", "").replace("_", "").isalnum()
            short = len(name) <= _LONGEST_SHOWN
            text += ("." if text else "") + (name if plain and short else quoted(name))
    return text


def quoted(value: object, limit: int = _LONGEST_SHOWN) -> str:
    """Show a value from a file inside a message: in quotes, on one line, cut when long."""
    text = value if isinstance(value, str) else _written(value)
    cut = text if len(text) <= limit else f"{text[:limit]}…"
    return printable(f"'{cut}'" if isinstance(value, str) else cut)


def printable(text: str) -> str:
    """Replace what would move the cursor, hide text or fake lines on a terminal by escapes."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(c if c.isprintable() or c == "\t" else _escape(c) for c in text)


def one_of(names: Iterable[str]) -> str:
    """List the choices: ``'a', 'b' or 'c'``."""
    *first, last = (f"'{name}'" for name in names)
    return f"{', '.join(first)} or {last}" if first else last


def closest(name: str, known: Iterable[str]) -> str | None:
    """Find the known name that was probably meant, or None."""
    import difflib  # noqa: PLC0415 - needed for a fault only

    spellings = _spellings(tuple(known))
    wanted = fold(name[:100])
    if wanted in spellings:
        return spellings[wanted][0]
    letters = set(wanted)
    near = [
        spelling
        for spelling, (_, others) in spellings.items()
        # What two texts have in common is not more than the letters that are in both. Most names
        # are ruled out by this, and a file may hold thousands that are like none.
        if min(len(wanted) - len(letters - others), len(spelling) - len(others - letters))
        >= _ALIKE * (len(wanted) + len(spelling)) / 2
    ]
    found = difflib.get_close_matches(wanted, near, n=1, cutoff=_ALIKE)
    return spellings[found[0]][0] if found else None


_ALIKE = 0.75
"""From which likeness on one name may be meant by another; 1 is the same."""


@lru_cache(maxsize=64)
def _spellings(known: tuple[str, ...]) -> dict[str, tuple[str, frozenset[str]]]:
    """Give names and their letters by their folded spellings."""
    return {fold(name): (name, frozenset(fold(name))) for name in known}


def fold(name: str) -> str:
    """Spell a name without what people spell differently: ``max-turns``, ``maxTurns``."""
    return name.casefold().replace("-", "").replace("_", "")


def did_you_mean(name: str, known: Iterable[str]) -> str | None:
    """Say the known name that was probably meant as a hint, or None."""
    match = closest(name, known)
    return None if match is None else f"did you mean '{match}'?"


def other_word(name: str, known: Iterable[str]) -> Fix | None:
    """Give the fix that puts the known name that was probably meant, or None.

    A guess at a value is not safe: the agent will do something else than before.
    """
    match = closest(name, known)
    return None if match is None else Fix("replace", match, safe=False)


def _with_source(problem: Problem) -> str:
    snippet = problem.snippet
    if snippet is None or problem.code not in CODES or not CODES[problem.code].shows_source:
        return str(problem)
    return "\n".join([str(problem), *(f"    {line}" for line in snippet.splitlines())])


def _columns(text: str) -> int:
    """Count the columns that a text takes on a terminal."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(c) else 1 + (unicodedata.east_asian_width(c) in "FW")
        for c in text
    )


def _written(value: object) -> str:
    try:
        return repr(value)
    except ValueError:  # a number of more digits than Python writes out
        return "one of thousands of digits"


def _escape(character: str) -> str:
    return character.encode("unicode_escape", "surrogatepass").decode("ascii")


def _caller_level() -> int:
    # warnings.warn counts from the function that calls it, which is our caller's frame 1.
    level = 2
    frame = sys._getframe(2)  # noqa: SLF001 - the documented way to find a caller
    while frame.f_back is not None and _is_inner(frame):
        frame = frame.f_back
        level += 1
    return level


def _is_inner(frame: FrameType) -> bool:
    module = frame.f_globals.get("__name__", "").partition(".")[0]
    file = frame.f_code.co_filename
    # Functions that cattrs and attrs make have no module, and no file but a name in brackets.
    generated = not file or file.startswith(("<cattrs generated", "<attrs generated"))
    return generated or module in {"subspec", "cattrs", "cattr"}


def _catalogue(*codes: Code) -> dict[str, Code]:
    return {code.name: code for code in codes}


# Reading bytes and text.
CANNOT_READ = Code("cannot-read", "error", "A file is missing, not a regular file or too large.")
NOT_UTF8 = Code("not-utf8", "error", "A file is not UTF-8 text.")
EMPTY = Code("empty-document", "error", "A file holds no data.")
BAD_CHARACTER = Code(
    "bad-character", "error", "The text holds a character that YAML forbids.", shows_source=True
)
YAML_SYNTAX = Code("yaml-syntax", "error", "The text is not YAML.", shows_source=True)
JSON_SYNTAX = Code("json-syntax", "error", "The text is not JSON.", shows_source=True)
TOML_SYNTAX = Code("toml-syntax", "error", "The text is not TOML.", shows_source=True)
SEVERAL_DOCUMENTS = Code("several-documents", "error", "A YAML file holds a second document.")
DUPLICATE_KEY = Code("duplicate-key", "error", "A mapping gives a key twice.", at="key")
DUPLICATE_NAME = Code(
    "duplicate-name", "error", "Two things have the name by which they are told apart."
)
NOT_A_STRING_KEY = Code("non-string-key", "error", "A key is not text.", at="key")
TAG = Code("yaml-tag", "error", "A value has a YAML tag; tags are never evaluated.")
UNKNOWN_ALIAS = Code("unknown-alias", "error", "A YAML alias names no anchor before it.")
RECURSIVE_ALIAS = Code("recursive-alias", "error", "A YAML alias stands inside its own anchor.")
ALIAS_LIMIT = Code("alias-limit", "error", "YAML aliases expand to too much data.")
BAD_MERGE = Code("bad-merge", "error", "A YAML merge key has a value that cannot be merged.")
TOO_DEEP = Code("too-deep", "error", "The data is nested too deeply.")
TOO_LARGE = Code("too-large", "error", "The data holds too many values.")
BAD_NUMBER = Code("bad-number", "error", "A number is not finite or too long.")
LONE_SURROGATE = Code("lone-surrogate", "error", "Text holds half of a surrogate pair.")

# The shape of the data.
WRONG_TYPE = Code("wrong-type", "error", "A value has the wrong type; nothing is converted.")
NOT_A_CHOICE = Code("not-a-choice", "error", "A value is not one of those that are allowed.")
OUT_OF_RANGE = Code("out-of-range", "error", "A number is too small or too large.")
UNKNOWN_KEY = Code("unknown-key", "error", "A key that nothing reads.", at="key")
IGNORED_KEY = Code("ignored-key", "warning", "A key that is read and then ignored.", at="key")
MISSING_KEY = Code("missing-key", "error", "A required key is not there.", at="key")
LEGACY_KEY = Code("legacy-key", "error", "A key that is no longer supported.", at="key")
NULL_TOOLS = Code(
    "null-tools", "error", "A list of tools is null, which says neither all nor none."
)

UNKNOWN_CODE = Code("unknown-code", "warning", "A comment ignores a code that there is not.")

# What a subagent says.
BLANK_DESCRIPTION = Code("blank-description", "error", "A description is blank.")
BLANK_PROMPT = Code("blank-prompt", "error", "A prompt is blank.")
BLANK_VALUE = Code("blank-value", "error", "A value is blank.")
PROMPT_CONFLICT = Code(
    "prompt-conflict", "error", "Both prompt and prompt_file are given.", at="key"
)
PROMPT_MISSING = Code(
    "prompt-missing", "error", "Neither prompt nor prompt_file is given.", at="key"
)
PROMPT_FILE_NOT_FOUND = Code("prompt-file-not-found", "error", "A prompt file does not exist.")
PROMPT_FILE_UNUSABLE = Code(
    "prompt-file-unusable", "error", "A prompt file cannot be read as UTF-8 text of at most 1 MiB."
)
PROMPT_FILE_OUTSIDE = Code(
    "prompt-file-outside", "error", "A prompt file lies outside of the prompt root."
)
PROMPT_FILE_LEAVES = Code(
    "prompt-file-leaves", "warning", "A prompt file lies outside of the directory of its spec."
)
BAD_AGENT_NAME = Code(
    "bad-agent-name", "error", "Claude Code drops an agent of this name.", at="key"
)
UNKNOWN_MODEL = Code("unknown-model", "error", "A model is neither an alias nor an id.")
UNUSUAL_MODEL = Code("unusual-model", "warning", "A model id that Claude Code does not know.")
UNKNOWN_TOOL = Code("unknown-tool", "warning", "A tool name that matches no known pattern.")
REMOVED_TOOL = Code("removed-tool", "warning", "A tool that Claude Code no longer has.")
UNAVAILABLE_TOOL = Code("unavailable-tool", "warning", "A tool that subagents never get.")
TOOL_RULE_IGNORED = Code(
    "tool-rule-ignored", "warning", "A rule in parentheses does not restrict a subagent."
)
TOOL_PATTERN = Code("tool-pattern", "warning", "A pattern that matches no tool.")
CONDITIONAL_TOOL = Code("conditional-tool", "info", "A tool that only some sessions have.")
HIDDEN_TOOL = Code("hidden-tool", "warning", "A tool that an agent with Bash does not get.")
NO_USABLE_TOOLS = Code(
    "no-usable-tools", "error", "None of the tools is one: Claude Code refuses to start the agent."
)
MEMORY_ADDS_TOOLS = Code(
    "memory-adds-tools", "error", "Memory gives an agent tools that it does not list."
)
SERVER_ADDS_TOOLS = Code(
    "server-adds-tools", "error", "An MCP server gives an agent tools that it does not list."
)
NO_EFFECT = Code("no-effect", "warning", "A value that does nothing.")
RETIRED_MODEL = Code("retired-model", "warning", "A model that Claude Code replaces by another.")
UNTRUSTED_HOOKS = Code(
    "untrusted-hooks", "warning", "Hooks that run in a folder only that the user trusts."
)
LONG_DESCRIPTION = Code("long-description", "info", "A description that may be too long.")
UNLIKE_FILE = Code("unlike-file", "info", "An agent with another name than its file.")
FILE_CHOOSES_PROGRAM = Code(
    "file-chooses-program", "warning", "A file names the program that is run as Claude Code."
)
UNSAFE_MODE = Code("unsafe-mode", "warning", "A permission mode that its host refuses as unsafe.")

# What Claude Code makes of a Markdown file.
NOT_AN_AGENT = Code("not-an-agent", "error", "Claude Code loads no agent from a Markdown file.")
FRONT_MATTER_CUT = Code(
    "front-matter-cut", "error", "Three dashes end the front matter before its end."
)
FRONT_MATTER_REPAIRED = Code(
    "front-matter-repaired",
    "warning",
    "The front matter is not YAML, and its reader guesses what is meant.",
)
IGNORED_VALUE = Code("ignored-value", "warning", "A value that Claude Code ignores.")
SHADOWED_AGENT = Code(
    "shadowed-agent", "warning", "An agent that gives way to another one of the same name."
)

# Building and writing.
NOT_IN_RUNTIME = Code("not-in-runtime", "warning", "A key that the runtime's object cannot carry.")
SDK_TOO_OLD = Code("sdk-too-old", "error", "The installed SDK lacks a field that is set.")
NO_AGENT_TOOL = Code("no-agent-tool", "warning", "The session's tools leave subagents out.")
DESCRIPTIONS_TOO_LARGE = Code(
    "descriptions-too-large", "error", "The descriptions do not fit into the SDK's buffer."
)
NOT_IN_FORMAT = Code("not-in-format", "warning", "A value that the format written cannot say.")
CANNOT_WRITE = Code("cannot-write", "error", "A file cannot be written; it is as it was.")
CONFLICT = Code("conflict", "error", "A file was changed by somebody else since it was read.")
NOT_FAITHFUL = Code(
    "not-faithful", "error", "An edit would not read back as what was meant; nothing was written."
)
WIDENS = Code("widens", "error", "Leaving a value out would let an agent do more than it says.")

CODES = _catalogue(*(value for value in list(vars().values()) if isinstance(value, Code)))
"""Every kind of problem by its name."""
