"""Claude Code's own agents: Markdown files with front matter, whose body is the prompt.

.. code-block:: markdown

    ---
    name: analyst
    description: Analyses data and finds outliers.
    tools: Read, mcp__db__query
    model: haiku
    ---

    You analyse data.

One file is one agent, named by its front matter; the name of the file says nothing. A directory is
read with all that lies below it, and what is no agent there is left alone, as Claude Code leaves
it alone. Each key is read leniently too (see :mod:`subspec.formats.claude_keys`).
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from attrs import evolve, field, frozen

from subspec import facts
from subspec.formats import CLAUDE_CODE, is_directory
from subspec.formats.claude_keys import KEYS, field_path, read_keys
from subspec.problems import (
    BAD_AGENT_NAME,
    BLANK_DESCRIPTION,
    CANNOT_READ,
    FRONT_MATTER_CUT,
    NOT_AN_AGENT,
    NOT_UTF8,
    SHADOWED_AGENT,
    UNLIKE_FILE,
    UNTRUSTED_HOOKS,
    YAML_SYNTAX,
    Fix,
    Problem,
    SpecError,
    below,
    quoted,
)
from subspec.shapes import kind, shape_of
from subspec.source.comments import without_ignored
from subspec.source.document import Document
from subspec.source.files import BOM, UnreadableError, read_bytes
from subspec.source.frontmatter import (
    BLANKS,
    FENCE,
    OUR_BOUNDS,
    Fences,
    find_fences,
    read_front_matter,
)
from subspec.source.walk import files_below
from subspec.spec import ClaudeConfig, Origin, SubagentSpec, name_problems
from subspec.structure import rules
from subspec.structure.consequences import consequences
from subspec.tools import split_entry

SUFFIX = ".md"

MAX_FILE = facts.MAX_MARKDOWN
MAX_NAME = facts.MAX_NAME

LOOKED_AT = 4096
"""How much of a text without front matter is looked at for one that was meant."""

AGENTS = Path(*facts.AGENTS_DIRECTORY)
"""Where the agents of a project lie."""

LISTS = ("tools", "disallowedTools", "skills")
"""Keys whose value is a list, or a text that is split into one."""

_TEXT = shape_of(str)
_NAME_LINE = re.compile(r"[ \t]*name[ \t]*:")
_OPENED = re.compile(rf"{FENCE}[{BLANKS}]*\n")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_LATER_FENCE = re.compile(rf"^{FENCE}[ \t]*\r?$", re.MULTILINE)
_KEY_LINE = re.compile(rf"^(?:{'|'.join(KEYS)})[ \t]*:", re.MULTILINE)


@frozen
class AgentFile:
    """A Markdown file, and the agent that Claude Code makes of it, if it makes one."""

    document: Document = field(repr=False)
    """The front matter; its text is that of the whole file."""

    path: Path | None = None
    """The file, as it was named; None for text that came from no file."""

    fences: Fences | None = None
    """Where the front matter and the body stand; None for a file without front matter."""

    name: str | None = None
    """The name of the agent; None where Claude Code loads none."""

    values: dict[str, Any] = field(factory=dict)
    """The fields of the agent, as Claude Code reads them, the prompt among them."""

    problems: tuple[Problem, ...] = ()
    """What is wrong with the file or odd about it, in its order and with places."""

    spec: SubagentSpec | None = None
    """The agent; None where there is none, or none that can be used."""


def read_config(path: Path) -> tuple[ClaudeConfig, tuple[Problem, ...]]:
    """Read a Markdown file, or the agents below a directory.

    Returns:
        The agents that can be used, and all that is wrong or odd.
    """
    return config_at(path, _files_at(path))


def config_at(path: Path, files: Iterable[AgentFile]) -> tuple[ClaudeConfig, tuple[Problem, ...]]:
    """Make a configuration of what was read from a file, or of what is below a directory."""
    origin = Origin(path, format=CLAUDE_CODE, saved={})
    if not is_directory(path):
        files = list(files)
        origin = evolve(origin, digest=_digest(files[0].document))
    return config_of(files, origin)


def _files_at(path: Path) -> Iterator[AgentFile]:
    paths = _paths_in(path) if is_directory(path) else []
    # A directory without Markdown is refused as what it is.
    return map(_read_found, paths) if paths else map(read_agent_file, [path])


def read_files(path: Path) -> list[AgentFile]:
    """Read a Markdown file, or those below a directory, of which there may be none."""
    return read_agents(path) if is_directory(path) else [read_agent_file(path)]


def examine(path: Path, seen: Callable[[Path], None]) -> tuple[Problem, ...]:
    """Say all that is wrong or odd in a file or below a directory, and what comes of it.

    Args:
        path: The file, or the directory.
        seen: Is called with each file before it is read.
    """
    paths = _paths_in(path) if is_directory(path) else []
    files = list(_examined(paths or [path], seen, lies_around=bool(paths)))
    if any(file.name or file.problems for file in files):
        return config_of(files)[1]
    # Who names a directory and hears nothing believes that what is in it is right.
    message = "no Markdown file below it is an agent, and nothing else is looked at"
    hint = "name YAML and JSON files by themselves"
    problem = NOT_AN_AGENT.problem(message, file=str(path), hint=hint)
    return (evolve(problem, severity="warning"),)


def _examined(
    paths: Iterable[Path], seen: Callable[[Path], None], *, lies_around: bool
) -> Iterator[AgentFile]:
    for path in paths:
        seen(path)
        yield with_consequences(read_agent_file(path, lies_around=lies_around))


def with_consequences(file: AgentFile) -> AgentFile:
    """Add to the problems of a file what Claude Code makes of its agent."""
    if file.name is None or file.fences is None:
        return file
    faults = consequences(file.values.get)
    if file.values.get("hooks"):
        message = "Claude Code runs the hooks of an agent only in a folder that its user trusts"
        faults.append(UNTRUSTED_HOOKS.problem(message, ("hooks",)))
    if file.path is not None and file.path.stem != file.name:
        message = f"Claude Code calls the agent {quoted(file.name)}, whatever its file is called"
        faults.append(UNLIKE_FILE.problem(message, ("name",)))
    placed = _Source(file.path, file.document, file.fences).placed(faults)
    problems = without_ignored([*file.problems, *placed], file.document, file.fences)
    return evolve(file, problems=_in_order(problems))


def config_of(
    files: Iterable[AgentFile], origin: Origin | None = None
) -> tuple[ClaudeConfig, tuple[Problem, ...]]:
    """Make a configuration of files, of which the last wins where several give the same name."""
    found = list(map(_found_in, files))
    winners = {each.name: each for each in found if each.name is not None}
    problems: list[Problem] = []
    for each in found:
        problems += each.problems
        if each.name is not None and winners[each.name] is not each:
            problems.append(_shadowed(each, winners[each.name]))
    agents = {name: each.spec for name, each in winners.items() if each.spec is not None}
    if origin is None:
        origin = Origin(format=CLAUDE_CODE)
    elif origin.digest is None:
        # A directory: what was read of it is what its files are.
        origin = evolve(origin, files=tuple(map(_file_of, agents.values())))
    return ClaudeConfig(agents=agents, origin=origin), tuple(problems)


def _file_of(spec: SubagentSpec) -> tuple[Path, str]:
    origin: Any = spec.origin
    return origin.path, origin.digest


def read_agents(directory: Path) -> list[AgentFile]:
    """Read the Markdown files below a directory, in the order in which Claude Code does.

    The directory of a project, or its ``.claude``, stands for the agents in it.
    """
    return list(map(_read_found, _paths_in(directory)))


def _paths_in(directory: Path) -> list[Path]:
    return markdown_below(agents_directory(directory))


def markdown_below(directory: Path) -> list[Path]:
    """Give the Markdown files below a directory, in the order in which Claude Code reads them.

    Raises:
        SpecError: There are too many directories to look at.
    """
    try:
        return files_below(directory, SUFFIX)
    except UnreadableError as error:
        problem = CANNOT_READ.problem(f"cannot read it: {error}", file=str(directory))
        raise SpecError([problem]) from None


def _read_found(path: Path) -> AgentFile:
    return read_agent_file(path, lies_around=True)


def agents_directory(directory: Path) -> Path:
    """Give the directory in which the agents lie, of a project, its ``.claude`` or itself."""
    parts = directory.absolute().parts
    inside = directory / (AGENTS.name if parts[-1:] == AGENTS.parts[:1] else AGENTS)
    # Below a directory for agents every directory is nothing but one with more of them.
    is_project = AGENTS.parts[0] not in parts[:-1]
    return inside if is_project and inside.is_dir() else directory


def read_agent_file(path: Path, *, lies_around: bool = False) -> AgentFile:
    """Read a file.

    Args:
        path: The file.
        lies_around: Nobody said that it is an agent, and it may well be something else.
    """
    try:
        raw = read_bytes(path, MAX_FILE)
    except UnreadableError as error:
        document = Document("", file=str(path), readable=False)
        problem = CANNOT_READ.problem(f"cannot read it: {error}", file=str(path))
        if lies_around:
            problem = evolve(problem, severity="warning")
        return AgentFile(document, path, problems=(problem,))
    # Claude Code puts the replacement character for what is not UTF-8.
    text = raw.decode("utf-8", "replace").removeprefix(BOM)
    return _read(text, path, raw, lies_around=lies_around)


def read_agent(text: str) -> AgentFile:
    """Read the text of a file."""
    return read_agent_text(text, None)


def read_agent_text(text: str, path: Path | None) -> AgentFile:
    """Read what a file holds, or will hold."""
    return _read(text.removeprefix(BOM), path, None)


def _read(
    text: str, path: Path | None, raw: bytes | None, *, lies_around: bool = False
) -> AgentFile:
    file = None if path is None else str(path)
    fences = find_fences(text)
    if fences is None:
        document = Document(text, file=file, readable=False, raw=raw)
        problems = () if lies_around and not _was_meant(text) else (_no_front_matter(document),)
        return AgentFile(document, path, problems=problems)
    document = read_front_matter(text, fences, file)
    document.raw = raw
    if lies_around and document.readable and not _is_agent(document.data):
        return AgentFile(document, path, fences)
    return _Source(path, document, fences).agent_file()


@frozen
class _Source:
    """A file with front matter that is an agent, or was meant to be one."""

    path: Path | None
    document: Document
    fences: Fences

    def agent_file(self) -> AgentFile:
        """Read it."""
        document, data = self.document, self.document.data
        problems = [*_undecodable(document), *_cut(document, self.fences)]
        if not document.readable:
            problems += map(_as_fatal, document.problems)
            return self.without_agent([*problems, *self.in_what_can_be_read()])
        problems += document.problems
        if not isinstance(data, dict):
            message = f"the front matter must be a mapping, not {kind(data)}"
            place = self.fences.start, self.fences.end
            return self.without_agent(
                [*problems, document.at(NOT_AN_AGENT.problem(message), *place)]
            )
        fatal = [_at_name(fault, document) for fault in _name_faults(data)]
        fatal += document.place(_description_faults(data))
        values, odd = read_keys(data)
        problems += [*fatal, *document.place(odd)]
        if fatal or any(problem.code == NOT_AN_AGENT.name for problem in odd):
            # No agent comes of it, but that is no reason to hide what else is wrong.
            return self.without_agent([*problems, *self.placed(rules.agent_problems(values.get))])
        values["prompt"] = document.text[self.fences.body_start : self.fences.body_end]
        spec, faults = self.spec(data["name"], values)
        problems += faults
        return AgentFile(
            document, self.path, self.fences, data["name"], values, _in_order(problems), spec
        )

    def in_what_can_be_read(self) -> list[Problem]:
        """Say what else is wrong with front matter of which some part is no YAML."""
        from subspec.formats.claude_repair import readable_part  # noqa: PLC0415 - for few files

        part = readable_part(self.document, self.fences)
        if part is None:
            return []
        values, odd = read_keys(part.data)
        rest = _Source(self.path, part, self.fences)
        return [*part.place(odd), *rest.placed(rules.agent_problems(values.get))]

    def without_agent(self, problems: Iterable[Problem]) -> AgentFile:
        """Make a file of which Claude Code makes no agent."""
        return AgentFile(self.document, self.path, self.fences, problems=_in_order(problems))

    def spec(
        self, name: str, values: dict[str, Any]
    ) -> tuple[SubagentSpec | None, Iterable[Problem]]:
        """Make the agent, and say what is wrong with it."""
        span = self.document.spell_once(self.fences.start, self.fences.end)
        origin = Origin(self.path, span, format=CLAUDE_CODE, digest=_digest(self.document))
        faults = [*below(("name",), name_problems(name)), *rules.agent_problems(values.get)]
        try:
            spec = SubagentSpec(**values, origin=origin)
        except SpecError as error:
            return None, self.placed([*faults, *error.problems])
        return spec, self.placed(faults) if faults else ()

    def placed(self, faults: Iterable[Problem]) -> Iterator[Problem]:
        """Give problems of an agent's fields their places in the file."""
        document, fences = self.document, self.fences
        places: dict[Any, list[tuple[int, int]]] = {}
        for fault in faults:
            problem = evolve(fault, path=field_path(fault.path))
            key, *rest = problem.path
            if key == "prompt":
                # Nothing but blanks can be wrong with it, and those do not show.
                yield document.at(problem, fences.end, fences.end + len(FENCE))
            elif key == "name":
                yield _at_name(problem, document)
            elif key in LISTS and rest:
                if key not in places:
                    places[key] = list(_entry_places(document, str(key)))
                yield document.at(problem, *places[key][int(rest[0])])
            else:
                yield from document.place([problem])


def _as_fatal(problem: Problem) -> Problem:
    if problem.severity != "error" or problem.code in OUR_BOUNDS:
        return problem
    fix = Fix("mend") if problem.code == YAML_SYNTAX.name else problem.fix
    return evolve(problem, message=f"{problem.message}; Claude Code drops the agent", fix=fix)


def _name_faults(data: dict[str, Any]) -> list[Problem]:
    """Say why Claude Code does not take the name of an agent, if it does not."""
    name = data.get("name")
    if name is None or name == "":
        message = "Claude Code passes over a file whose front matter has no name"
        return [NOT_AN_AGENT.problem(message, ("name",), hint="give it one: 'name: NAME'")]
    if not isinstance(name, str):
        return below(("name",), _TEXT.check(name))
    if ":" in unicodedata.normalize("NFKC", name):
        message = f"Claude Code drops an agent named {quoted(name)}: no name may hold a colon"
    elif name.startswith("-"):
        message = f"Claude Code drops an agent named {quoted(name)}: no name may begin with '-'"
    elif len(name.encode("utf-16-le", "surrogatepass")) > 2 * MAX_NAME:
        message = f"Claude Code drops an agent whose name is longer than {MAX_NAME} characters"
    else:
        return []
    return [BAD_AGENT_NAME.problem(message, ("name",), hint="give it another name")]


def _description_faults(data: dict[str, Any]) -> list[Problem]:
    """Say why Claude Code drops an agent for its description, if it does."""
    description = data.get("description")
    if description is None or description == "":
        message = "subagent requires description; Claude Code drops one without"
        return [BLANK_DESCRIPTION.problem(message, ("description",))]
    return below(("description",), _TEXT.check(description))


def _at_name(problem: Problem, document: Document) -> Problem:
    # In other formats the name is a key, and marked as one.
    return document.at(problem, *document.offsets(problem.path))


def _entry_places(document: Document, key: str) -> Iterator[tuple[int, int]]:
    """Give the place of each name in a list, whether it is written as a list or as a text."""
    value = document.data[key]
    entries = enumerate(value) if isinstance(value, list) else [(None, value)]
    for index, entry in entries:
        if not isinstance(entry, str):
            continue
        start, end = document.offsets((key,) if index is None else (key, index))
        position = start
        for name in split_entry(entry):
            # Where a name does not stand as it is, because of an escape, nor do those behind it.
            first = -1 if position < 0 else document.text.find(name, position, end)
            yield (first, first + len(name)) if first >= 0 else (start, end)
            position = first + len(name) if first >= 0 else -1


def _is_agent(data: Any) -> bool:
    """Tell whether front matter was meant for an agent, be it a broken one."""
    return isinstance(data, dict) and bool(data.get("name") or "description" in data)


def _was_meant(text: str) -> bool:
    """Tell whether a text without front matter was meant to have some, with an agent in it."""
    lines = text.lstrip(BLANKS)[:LOOKED_AT].splitlines()
    return bool(lines) and lines[0].startswith(FENCE) and any(map(_NAME_LINE.match, lines))


def _no_front_matter(document: Document) -> Problem:
    """Say why a file has no front matter."""
    text = document.text
    if _OPENED.match(text):
        message = f"the front matter is never closed by a line of '{FENCE}'"
    elif text.lstrip(BLANKS).startswith(FENCE):
        message = f"the first line must be '{FENCE}' and nothing else"
    else:
        message = "there is no front matter, and Claude Code passes over the file"
    hint = f"begin with '{FENCE}', name, description and '{FENCE}', each on a line of its own"
    first = text.find("\n")
    return document.at(NOT_AN_AGENT.problem(message, hint=hint), 0, max(first, 0))


def _undecodable(document: Document) -> Iterator[Problem]:
    """Warn of what is not UTF-8."""
    if document.raw is None or "\ufffd" not in document.text:
        return
    try:
        document.raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raw = error.object[: error.start].decode("utf-8").removeprefix(BOM)
        message = f"not UTF-8: byte 0x{error.object[error.start]:02X}, which Claude Code replaces"
        problem = NOT_UTF8.problem(message, hint="save the file as UTF-8")
        yield document.at(evolve(problem, severity="warning"), len(raw), len(raw) + 1)


def _cut(document: Document, fences: Fences) -> Iterator[Problem]:
    """Find dashes that end the front matter where nobody meant it to end."""
    text, end = document.text, fences.end
    if text[end - 1] == "\n" and text[end + len(FENCE) : end + len(FENCE) + 1] in ("", "\n"):
        return
    line_start = max(text.rfind(line_end, 0, end) for line_end in "\r\n") + 1
    rest = _REST_OF_LINE.match(text, end)
    after = end if rest is None else rest.end()
    is_meant = not text[end + len(FENCE) : after].strip(BLANKS)
    stands_alone = not text[line_start:end].strip(BLANKS)
    later = _LATER_FENCE.search(text, after)
    if stands_alone and not is_meant:
        is_meant = later is None or not _KEY_LINE.search(text, after, later.start())
    elif line_start < end and later is not None:
        # Dashes that are indented end it too, in a block of text for instance.
        is_meant = False
    if not stands_alone or not is_meant:
        message = (
            f"'{FENCE}' ends the front matter, also here; what follows is read as the prompt,"
            " keys and all"
        )
        hint = f"write it without '{FENCE}', also in quotes and comments"
        yield document.at(FRONT_MATTER_CUT.problem(message, hint=hint), end, end + len(FENCE))


@frozen(eq=False)
class _Found:
    """What is kept of a file of many, until it is known which of them count."""

    name: str | None
    spec: SubagentSpec | None
    problems: tuple[Problem, ...]
    path: Path | None
    head: str
    """The text without its body, which is most of it."""


def _found_in(file: AgentFile) -> _Found:
    text = ""
    if file.fences is not None:
        # An excerpt may show the whole line on which the closing fence stands.
        line_end = file.document.text.find("\n", file.fences.end)
        text = file.document.text[: line_end if line_end >= 0 else None]
    return _Found(file.name, file.spec, file.problems, file.path, text)


def _shadowed(found: _Found, winner: _Found) -> Problem:
    message = f"{winner.path} gives an agent of the same name, and takes its place"
    problem = SHADOWED_AGENT.problem(message, ("name",), hint="give one of them another name")
    # That is seldom enough to read it once more.
    return _at_name(problem, _read(found.head, found.path, None).document)


def _digest(document: Document) -> str | None:
    import hashlib  # noqa: PLC0415 - slow to import, and of no use for text without a file

    return None if document.raw is None else hashlib.sha256(document.raw).hexdigest()


def _in_order(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    return tuple(sorted(problems, key=_position))


def _position(problem: Problem) -> tuple[int, int]:
    return (0, 0) if problem.span is None else (problem.span.line, problem.span.column)
