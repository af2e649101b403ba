"""Files of one agent each, read by the table of their program."""

import re
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from subspec.formats.spelling import OwnValueError, Spelling
from subspec.formats.tool_keys import names_in_any
from subspec.problems import (
    BAD_AGENT_NAME,
    CANNOT_READ,
    DUPLICATE_KEY,
    FRONT_MATTER_REPAIRED,
    IGNORED_KEY,
    MISSING_KEY,
    NOT_AN_AGENT,
    NOT_UTF8,
    NULL_TOOLS,
    OUT_OF_RANGE,
    UNKNOWN_KEY,
    WIDENS,
    YAML_SYNTAX,
    Fix,
    Problem,
    SpecError,
    below,
    closest,
    did_you_mean,
    errors_in,
    fold,
    quoted,
)
from subspec.shapes import kind, shape_of
from subspec.source import read_json
from subspec.source.document import Document
from subspec.source.files import BOM, NotUtf8Error, UnreadableError, decode, read_bytes
from subspec.source.frontmatter import (
    BLANKS,
    FENCE,
    Fences,
    find_fences,
    guessed_by,
    read_front_matter,
)
from subspec.source.toml import read_toml
from subspec.spec import Origin, SubagentSpec, name_problems
from subspec.structure.prompts import PromptFiles
from subspec.structure.walker import unknown_key

MAX_FILE = 1024 * 1024
"""How large a file of one agent may be, in bytes."""

FILE_PROMPT = "file://"

_TEXT = shape_of(str)
_LINE_END = re.compile(r"\r+\n")
_TOOL_FIELDS = ("tools", "disallowed_tools")


@frozen
class SpelledFile:
    """A file, and the agent that it holds, if it holds one."""

    spelling: Spelling
    document: Document = field(repr=False)
    """Its data; the text is that of the whole file."""

    path: Path | None = None
    """The file, as it was named; None for text that came from no file."""

    fences: Fences | None = None
    """Where the front matter and the body of Markdown stand."""

    name: str | None = None
    problems: tuple[Problem, ...] = ()
    """What is wrong or odd, in its order and with places."""

    spec: SubagentSpec | None = None
    """The agent; None where there is none that can be used."""


def read_spelled_file(
    spelling: Spelling, path: Path, prompt_root: Path | None = None
) -> SpelledFile:
    """Read a file."""
    try:
        raw = read_bytes(path, MAX_FILE)
        text = decode(raw)
    except UnreadableError as error:
        problem = CANNOT_READ.problem(f"cannot read it: {error}", file=str(path))
        document = Document("", file=str(path), readable=False)
        return SpelledFile(spelling, document, path, problems=(problem,))
    except NotUtf8Error as error:
        document = Document(error.before, file=str(path), readable=False)
        problem = NOT_UTF8.problem(f"the file is {error.reason}", hint="save it as UTF-8")
        end = len(error.before)
        return SpelledFile(spelling, document, path, problems=(document.at(problem, end, end),))
    return _read(spelling, text, path, raw, PromptFiles(path.parent, prompt_root))


def read_spelled_text(
    spelling: Spelling, text: str, name: str | None = None, base_dir: Path | None = None
) -> SpelledFile:
    """Read the text of a file.

    Args:
        spelling: The table.
        text: The text.
        name: The name of the agent where only the file would give it.
        base_dir: The directory in which prompt files are looked up.
    """
    path = None if name is None else Path(f"{name}{spelling.suffix}")
    found = _read(spelling, text.removeprefix(BOM), path, None, PromptFiles(base_dir))
    return evolve(found, path=None)


def read_again(
    file: SpelledFile, text: str, path: Path, prompt_root: Path | None = None
) -> SpelledFile:
    """Read what a file would be with another text."""
    prompts = PromptFiles(path.parent, prompt_root)
    return _read(file.spelling, text, path, text.encode("utf-8", "surrogatepass"), prompts)


def known_keys(spelling: Spelling) -> list[str]:
    """Give the keys that a program reads."""
    prompt = [] if spelling.prompt_key is None else [spelling.prompt_key]
    return [*spelling.order, *prompt, *spelling.own]


def with_plain_ends(text: str) -> str:
    r"""Give a text whose lines end in LF.

    >>> with_plain_ends("a\r\nb")
    'a\nb'
    """
    return _LINE_END.sub("\n", text)


def named_by_file(spelling: Spelling, path: Path) -> str:
    """Give the name that a file gives its agent: its own, with those of directories before it."""
    end = next((each for each in spelling.suffixes if path.name.endswith(each)), "")
    stem = path.name.removesuffix(end)
    if not spelling.is_deep:
        return stem
    parts = path.parent.parts
    for directory in spelling.directories:
        for start in range(len(parts) - len(directory), -1, -1):
            if parts[start : start + len(directory)] == directory:
                return "/".join([*parts[start + len(directory) :], stem])
    return stem


def _read(
    spelling: Spelling, text: str, path: Path | None, raw: bytes | None, prompts: PromptFiles
) -> SpelledFile:
    file = None if path is None or raw is None else str(path)
    fences = None
    if spelling.medium == "markdown":
        fences = find_fences(text, whole_lines=True)
        if fences is None:
            document = Document(text, file=file, readable=False, raw=raw)
            return SpelledFile(spelling, document, path, problems=(_no_front(document, spelling),))
        document = read_front_matter(text, fences, file, spelling.title)
    else:
        document = read_json(text, file) if spelling.medium == "json" else read_toml(text, file)
    document.raw = raw
    return _Source(spelling, document, path, fences, prompts).spelled()


@frozen
class _Source:
    """A document on its way to an agent."""

    spelling: Spelling
    document: Document
    path: Path | None
    fences: Fences | None
    prompts: PromptFiles

    def spelled(self) -> SpelledFile:
        """Read it."""
        document, data = self.document, self.document.data
        problems = list(self.of_text())
        if not document.readable:
            return self.made(None, problems)
        if not isinstance(data, dict):
            message = f"{self.spelling.title} wants a mapping here, not {kind(data)}"
            return self.made(None, [*problems, *document.place([NOT_AN_AGENT.problem(message)])])
        name, faults = self.name(data)
        values, odd = self.values(data)
        prompt, of_prompt, of_file = self.prompt(data)
        values.update(prompt)
        faults += [*odd, *of_prompt]
        problems += document.place(faults)
        problems += self.placed(self.of_length(prompt["prompt"]))
        try:
            given: dict[str, Any] = {"description": "", **values}
            spec = SubagentSpec(**given, origin=self.origin(of_file, data))
        except SpecError as error:
            problems += self.placed(error.problems)
            return self.made(name, problems)
        return self.made(name, problems, spec)

    def made(
        self, name: str | None, problems: list[Problem], spec: SubagentSpec | None = None
    ) -> SpelledFile:
        """Make the result; where something is wrong there is no agent that can be used."""
        usable = None if errors_in(problems) else spec
        in_order = tuple(sorted(problems, key=_position))
        return SpelledFile(
            self.spelling, self.document, self.path, self.fences, name, in_order, usable
        )

    def of_text(self) -> Iterator[Problem]:
        """Give the problems of the text, as grave as they are for the program."""
        for problem in self.document.problems:
            if problem.code == FRONT_MATTER_REPAIRED.name and not self.spelling.repairs:
                title = self.spelling.title
                message = f"{title} reads YAML only: {problem.message[len(guessed_by(title)) :]}"
                yield evolve(problem, code=YAML_SYNTAX.name, severity="error", message=message)
            elif problem.code == YAML_SYNTAX.name:
                yield evolve(problem, fix=Fix("mend"))
            elif problem.code == DUPLICATE_KEY.name and not self.spelling.repairs:
                yield evolve(problem, severity="error")
            else:
                yield problem

    def name(self, data: Mapping[str, Any]) -> tuple[str | None, list[Problem]]:
        """Give the name of the agent."""
        key = self.spelling.name_key
        given = None if key is None else data.get(key)
        if given is not None and (problems := _TEXT.check(given)):
            return None, below((str(key),), problems)
        if given is None and not self.spelling.needs_name and self.path is not None:
            given = named_by_file(self.spelling, self.path)
        if given is None:
            message = f"{self.spelling.title} wants a name"
            return None, [MISSING_KEY.problem(message, hint=f"give it one under {quoted(key)}")]
        faults = [BAD_AGENT_NAME.problem(fault) for fault in self.name_faults(given)]
        return given, below((key or "name",), [*faults, *name_problems(given)])

    def name_faults(self, name: str) -> Iterator[str]:
        """Say why the program takes no such name."""
        fault = self.spelling.name_fault(name)
        if fault is not None:
            yield f"{self.spelling.title} takes no agent named {quoted(name)}: {fault}"

    def values(self, data: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
        """Read the keys, but that of the name and of the prompt."""
        spelling = self.spelling
        values: dict[str, Any] = dict(spelling.unsaid)
        extra: dict[str, Any] = {}
        problems: list[Problem] = []
        for name, value in data.items():
            if name in (spelling.name_key, spelling.prompt_key):
                continue
            key = spelling.keys.get(name)
            if name in spelling.defaults and value == spelling.defaults[name]:
                continue
            if key is None:
                extra[name] = value
                problems += self.of_other_key(name, value)
                continue
            if value is None:
                problems += _null_problems(name, key.fields, spelling.title)
                continue
            try:
                found, odd = key.read(value)
            except OwnValueError:
                extra[name] = value
            except SpecError as error:
                problems += below((name,), error.problems)
            else:
                for field_name in key.fields:
                    values.pop(field_name, None)
                values.update(found)
                problems += below((name,), odd)
        return (values | {"extra": extra} if extra else values), problems

    def of_other_key(self, name: str, value: Any) -> list[Problem]:
        """Say what is wrong or odd about a key that no field models."""
        spelling = self.spelling
        if name in spelling.own:
            check = spelling.own[name].check
            return [] if check is None or value is None else below((name,), check(value))
        ignored = next((each for each in spelling.ignored if fold(each) == fold(name)), None)
        if ignored is not None:
            message = f"{spelling.title} does not read {name}: {spelling.ignored[ignored]}"
            return [WIDENS.problem(message, (name,), hint=self.hint_for(name) or "take it out")]
        if spelling.unknown == "error":
            problem = unknown_key(name, known_keys(self.spelling), ())
            return [evolve(problem, message=f"{spelling.title} refuses the key {quoted(name)}")]
        is_kept = spelling.unknown == "kept"
        meant = None if name in spelling.passed else closest(name, known_keys(spelling))
        if is_kept and meant is None:
            return []
        is_free = meant is not None and meant not in self.document.data
        fix = Fix("rename", meant, safe=not is_kept) if is_free else None
        if is_free and spelling.restricts(str(meant)):
            message = f"{spelling.title} does not know the key {quoted(name)}, so it holds no agent"
            hint = self.hint_for(name)
            return [UNKNOWN_KEY.problem(f"{message} back", (name,), hint=hint, fix=fix)]
        message = f"{spelling.title} does not read {quoted(name)}"
        return [IGNORED_KEY.problem(message, (name,), hint=self.hint_for(name), fix=fix)]

    def hint_for(self, name: str) -> str | None:
        """Give the key that was probably meant."""
        return did_you_mean(name, known_keys(self.spelling))

    def prompt(
        self, data: Mapping[str, Any]
    ) -> tuple[dict[str, Any], list[Problem], dict[str, Any]]:
        """Give the prompt, what is wrong with it, and the file it came from."""
        key = self.spelling.prompt_key
        if key is None:
            text = self.document.text
            body = (
                "" if self.fences is None else text[self.fences.body_start : self.fences.body_end]
            )
            return {"prompt": with_plain_ends(body)}, [], {}
        value = data.get(key)
        if self.spelling.prompt_files and isinstance(value, str) and value.startswith(FILE_PROMPT):
            found = self.prompts.read(value.removeprefix(FILE_PROMPT))
            faults = [evolve(each, path=(key,)) for each in found.problems]
            origin = {"prompt_file": found.file, "prompt_digest": found.digest}
            return {"prompt": found.text or "?"}, faults, origin
        if value is None:
            message = f"{self.spelling.title} has the prompt under {quoted(key)}"
            return {"prompt": "?"}, [MISSING_KEY.problem(message, hint="give it one")], {}
        return {"prompt": value}, [], {}

    def of_length(self, prompt: Any) -> list[Problem]:
        """Say why the program takes no such prompt."""
        fault = self.spelling.prompt_fault(prompt) if isinstance(prompt, str) else None
        if fault is None or not prompt.strip():
            return []
        message = f"{self.spelling.title} refuses it: {fault}"
        problem = OUT_OF_RANGE.problem(message, ("prompt",))
        return [evolve(problem, severity=self.spelling.prompt_severity)]

    def unknown_tools(self, data: Mapping[str, Any]) -> tuple[str, ...]:
        """Give the names of tools that the program does not know, and gives nothing for."""
        unknown: dict[str, None] = {}
        for key, value in data.items():
            names = self.spelling.keys[key].names if key in self.spelling.keys else None
            if names is None:
                continue
            found = {*names_in_any(value)}
            known = {each for each in found if names.knows(each)}
            meant = names.read(known)
            unknown.update(dict.fromkeys(sorted(found - known - {*meant})))
        return tuple(unknown)

    def origin(self, of_prompt: Mapping[str, Any], data: Mapping[str, Any]) -> Origin:
        """Say where the agent was read."""
        document = self.document
        start, end = document.span if self.fences is None else (self.fences.start, self.fences.end)
        digest = None if document.raw is None else sha256(document.raw).hexdigest()
        path = None if document.raw is None else self.path
        span = document.spell(start, end) if end > start else None
        odd = self.unknown_tools(data)
        return Origin(
            path, span, format=self.spelling.name, digest=digest, unknown_tools=odd, **of_prompt
        )

    def placed(self, faults: Iterable[Problem]) -> Iterator[Problem]:
        """Give problems of the fields of an agent their places in the file."""
        for fault in faults:
            first, *rest = fault.path
            key = self.spelling.key_of(str(first))
            if first == "extra":
                path: tuple[str | int, ...] = tuple(rest)
            else:
                path = (first if key is None else key, *rest)
            problem = evolve(fault, path=path)
            if first == "prompt" and self.fences is not None:
                end = self.fences.end
                yield self.document.at(problem, end, end + len(FENCE))
            else:
                yield from self.document.place([problem])


def _null_problems(name: str, fields: tuple[str, ...], title: str) -> list[Problem]:
    if not set(fields) & set(_TOOL_FIELDS):
        return []
    message = f"{name} is null, which says neither all nor none to {title}"
    return [NULL_TOOLS.problem(message, (name,), hint="leave the key out, or write a list")]


def _no_front(document: Document, spelling: Spelling) -> Problem:
    message = f"there is no front matter, and {spelling.title} makes no agent of the file"
    if document.text.lstrip(BLANKS).startswith(FENCE):
        message = f"the front matter needs a line of '{FENCE}' before it and one behind it"
    hint = f"begin with '{FENCE}', the keys and '{FENCE}', each on a line of its own"
    first = max(document.text.find("\n"), 0)
    return document.at(NOT_AN_AGENT.problem(message, hint=hint), 0, first)


def _position(problem: Problem) -> tuple[int, int]:
    return (0, 0) if problem.span is None else (problem.span.line, problem.span.column)
