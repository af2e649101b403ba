"""From a configuration to the changes of files that make them say it."""

import difflib
import re
from collections.abc import Iterable, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

from attrs import define, evolve, field, frozen

from subspec.formats import Format
from subspec.problems import (
    CONFLICT,
    NOT_FAITHFUL,
    PROMPT_FILE_OUTSIDE,
    Problem,
    SpecError,
    errors_in,
    has_errors,
    printable,
    quoted,
)
from subspec.problems import Path as DataPath
from subspec.source import Document, read_text
from subspec.source.compare import MISSING, merged, same, value_at, with_value
from subspec.source.edit import NotFaithfulError, rewrite
from subspec.source.files import BOM, read_bytes
from subspec.source.replace import Change
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.store.examine import examine_document
from subspec.structure import plain
from subspec.structure.prompts import MAX_PROMPT_FILE

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$")


@define
class Update:
    """What has to be done, and what is odd about it."""

    changes: list[Change] = field(factory=list)
    problems: list[Problem] = field(factory=list)
    seen: list[tuple[Path, bytes | None]] = field(factory=list)
    """Other files that it goes by, with what they hold now."""


@frozen
class Baseline:
    """What the files held when a configuration was read, as far as that is known."""

    digests: Mapping[str, str | None]

    @classmethod
    def of(cls, config: ClaudeConfig) -> "Baseline":
        """Gather it from where a configuration and its agents come from."""
        known: dict[str, str | None] = {}
        for origin in [config.origin, *(spec.origin for spec in agents_of(config).values())]:
            if origin is None:
                continue
            for path, digest in (
                *origin.files,
                (origin.path, origin.digest),
                (origin.prompt_file, origin.prompt_digest),
            ):
                if path is not None and digest is not None:
                    known.setdefault(identity(path), digest)
        saved = None if config.origin is None else config.origin.saved
        return cls(known | (saved or {}))

    def see(self, path: Path, now: bytes | None) -> list[Problem]:
        """Say whether a file is no longer what was read."""
        found = None if now is None else digest(now)
        if self.digests.get(identity(path), found) == found:
            return []
        what = "is gone" if now is None else "was changed by somebody else"
        message = f"the file {what} since it was loaded, and nothing was written"
        hint = "load it again and make the change there"
        return [CONFLICT.problem(message, file=str(path), hint=hint)]


def agents_of(config: ClaudeConfig) -> Mapping[str, SubagentSpec]:
    """Give the agents of a configuration, be there any or none."""
    return config.agents if config.agents is not None else {}


def identity(path: Path) -> str:
    """Give what tells a file from others, whatever it is called."""
    try:
        return str(path.resolve())
    except (OSError, RuntimeError):
        return str(path.absolute())


def only_agent(config: ClaudeConfig, holder: str, path: Path | None) -> tuple[str, SubagentSpec]:
    """Give the one agent of a configuration, with its name.

    Args:
        config: The configuration.
        holder: What can hold one agent only, in words: ``a Markdown file``.
        path: That file, where it has a name.

    Raises:
        SpecError: There are several, or there is none.
    """
    agents = agents_of(config)
    if len(agents) != 1:
        message = f"{holder} holds one agent, not {len(agents)}"
        hint = "save to a directory, in which each agent has a file"
        file = None if path is None else str(path)
        raise SpecError([NOT_FAITHFUL.problem(message, file=file, hint=hint)])
    ((name, spec),) = agents.items()
    return name, spec


def refuse_to_drop(losses: Iterable[Problem], now: ClaudeConfig | None, new: ClaudeConfig) -> None:
    """Keep what a file says where nothing can be said in its place.

    Args:
        losses: What the file cannot say of the new configuration.
        now: What it says, if it can be read.
        new: What it is to say.

    Raises:
        SpecError: It says something, and is to say something else that it cannot.
    """
    lost = [problem for problem in losses if problem.path]
    if not lost or now is None:
        return
    said, wanted = plain(now), plain(new)
    refused = []
    for problem in lost:
        before = value_at(said, problem.path)
        if before is MISSING or same(before, value_at(wanted, problem.path)):
            continue
        message = problem.message.rpartition("; ")[0]
        hint = f"the file says {quoted(before)}, which stays; unset it to go without"
        new_problem = NOT_FAITHFUL.problem(message, problem.path, file=problem.file, hint=hint)
        refused.append(new_problem)
    if refused:
        raise SpecError(refused)


def digest(data: bytes) -> str:
    """Give SHA-256 of bytes, in hexadecimal."""
    return sha256(data).hexdigest()


def update_document(source: "Source", new: ClaudeConfig) -> Update:
    """Say how a YAML or JSON file, and the prompt files it names, have to change.

    Args:
        source: The file.
        new: The configuration that is to be read from it.

    Raises:
        SpecError: It cannot be said there.
    """
    return _Draft(source, new).update()


@frozen
class Source:
    """A YAML or JSON file of which everything is known."""

    document: Document
    path: Path
    form: Format
    config: ClaudeConfig
    """What is read from it now."""

    prompt_root: Path | None
    """The directory in which prompt files may be written; None: that of the file."""


def renamed(old: Mapping[str, SubagentSpec], new: Mapping[str, SubagentSpec]) -> dict[str, str]:
    """Find the agents that have another name: the new names by the old ones."""
    gone = {name: spec for name, spec in old.items() if name not in new}
    names = {}
    for name, spec in new.items():
        if name in old:
            continue
        source = next((was for was, each in gone.items() if _comes_from(spec, each)), None)
        source = source or next((was for was, each in gone.items() if spec == each), None)
        if source is not None:
            names[source] = name
            del gone[source]
    return names


def _comes_from(spec: SubagentSpec, other: SubagentSpec) -> bool:
    mine, its = spec.origin, other.origin
    if mine is None or its is None or mine.path is None or its.path is None:
        return False
    return mine.span == its.span and identity(mine.path) == identity(its.path)


def rewritten(document: Document, data: Any, renames: Mapping[DataPath, str]) -> str:
    """Give the text of a document with other data in it.

    Raises:
        SpecError: It cannot be said there.
    """
    try:
        return rewrite(document, data, renames=renames)
    except (NotFaithfulError, TypeError, ValueError) as error:
        path = getattr(error, "path", ())
        message = "there is no way to write this so that it reads back as what is meant"
        raise SpecError(document.place([NOT_FAITHFUL.problem(message, path)])) from error


def changed(document: Document, path: Path, text: str) -> Change:
    """Make the change of a file to another text."""
    raw = document.raw if document.raw is not None else b""
    mark = BOM if raw.startswith(BOM.encode()) else ""
    return Change(path, raw, (mark + text).encode())


@define
class _Draft:
    """A file on its way to say something else."""

    source: Source
    new: ClaudeConfig
    prompts: dict[str, tuple[Path, str]] = field(factory=dict)
    """Prompt files with their new texts."""

    def update(self) -> Update:
        """Say what has to be written."""
        said, lost_already = self.source.form.write(self.source.config)
        wanted, lost = self.source.form.write(self.new)
        known = {(problem.path, problem.message) for problem in lost_already}
        problems = [each for each in lost if (each.path, each.message) not in known]
        if has_errors(problems):
            raise SpecError(problems)
        refuse_to_drop(problems, self.source.config, self.new)
        renames = renamed(agents_of(self.source.config), agents_of(self.new))
        data = self.merged(said, wanted, renames)
        where = self.source.form.file_path(("agents",))
        paths = {(*where, old): new for old, new in renames.items()}
        text = rewritten(self.source.document, data, paths)
        update = Update(problems=problems)
        update.changes += self.prompt_changes()
        if text != self.source.document.text:
            update.changes.append(changed(self.source.document, self.source.path, text))
        if update.changes:
            self.see_that_it_says(text, update, exactly=not problems)
        return update

    def merged(
        self, said: dict[str, Any], wanted: dict[str, Any], renames: Mapping[str, str]
    ) -> Any:
        """Give the data that the document is to hold."""
        written, where = self.source.document.data, self.source.form.file_path(("agents",))
        raw, before, after = (value_at(data, where) for data in (written, said, wanted))
        agents = self.agents(_mapping(raw), _mapping(before), _mapping(after), renames)
        if not where:
            return agents
        # The agents are settled. Compared is the rest, in which they keep their place.
        rest = [with_value(data, where, raw) for data in (said, wanted)]
        data = merged(written, *rest)
        return data if raw is MISSING and not agents else with_value(data, where, agents)

    def agents(
        self,
        written: dict[str, Any],
        before: dict[str, Any],
        after: dict[str, Any],
        renames: Mapping[str, str],
    ) -> dict[str, Any]:
        """Give the agents that the document is to hold, in their new order."""
        sources = {new: old for old, new in renames.items()}
        result = {}
        for name, agent in after.items():
            source = sources.get(name, name)
            if source not in written or source not in before:
                result[name] = agent
                continue
            raw, old = written[source], before[source]
            if isinstance(raw, dict) and raw.get("prompt_file") is not None:
                old, agent = dict(old), dict(agent)  # noqa: PLW2901 - without what its file says
                text, now = agent.pop("prompt"), old.pop("prompt")
                if text != now and not self.goes_to_file(source, text, sources):
                    raw = {
                        ("prompt" if key == "prompt_file" else key): value
                        for key, value in raw.items()
                    }
                    raw["prompt"] = text
            result[name] = merged(raw, old, agent)
        return result

    def goes_to_file(self, name: str, text: str, sources: Mapping[str, str]) -> bool:
        """Note a text for the prompt file of an agent, unless others have it as it is."""
        file: Any = self.prompt_file(name)
        if identity(file) == identity(self.source.path):
            message = "the prompt is the file itself, which would be gone"
            path = (*self.source.form.file_path(("agents", name)), "prompt_file")
            raise SpecError(self.source.document.place([NOT_FAITHFUL.problem(message, path)]))
        for user, spec in agents_of(self.new).items():
            other = self.prompt_file(sources.get(user, user))
            if other is not None and identity(other) == identity(file) and spec.prompt != text:
                return False
        self.prompts[identity(file)] = file, text
        return True

    def prompt_file(self, name: str) -> Path | None:
        """Give the file that the prompt of an agent came from."""
        spec = agents_of(self.source.config).get(name)
        return None if spec is None or spec.origin is None else spec.origin.prompt_file

    def prompt_changes(self) -> list[Change]:
        """Make the changes of the prompt files."""
        source = self.source
        root = source.path.parent if source.prompt_root is None else source.prompt_root
        changes = []
        for file, text in self.prompts.values():
            if not _lies_in(file, root):
                message = (
                    f"the prompt file {printable(str(file))} lies outside of"
                    f" {printable(str(root))}, and is not written"
                )
                hint = "name the directory it may lie in with prompt_root="
                outside = PROMPT_FILE_OUTSIDE.problem(message, file=str(source.path), hint=hint)
                raise SpecError([outside])
            now = read_bytes(file, MAX_PROMPT_FILE, inside=root)
            changes.append(Change(file, now, _with_line_ends_of(now, text)))
        return changes

    def see_that_it_says(self, text: str, update: Update, *, exactly: bool) -> None:
        """Read the result as it will be, and refuse it if it does not say what is wanted."""
        source = self.source
        document = read_text(text, media=source.document.media, file=source.document.file)
        instead = {each.path.resolve(): each.after for each in update.changes if each.after}
        found = examine_document(
            document, source.path, source.form.name, source.prompt_root, instead
        )
        if found.config is None or has_errors(found.problems):
            # The places are those of a text that is never written.
            faults = [evolve(each, span=None, excerpt=None) for each in errors_in(found.problems)]
            raise SpecError(faults)
        if exactly:
            right = same(plain(found.config), plain(self.new), ordered=False)
        else:
            said, wanted = source.form.write(found.config)[0], source.form.write(self.new)[0]
            right = same(said, wanted, ordered=False)
        if not right:
            message = "the file would not read back as what is meant"
            raise SpecError([NOT_FAITHFUL.problem(message, file=str(source.path))])


def _mapping(data: Any) -> dict[str, Any]:
    return data if isinstance(data, dict) else {}


def _lies_in(file: Path, directory: Path) -> bool:
    return file.resolve().is_relative_to(directory.resolve())


def _with_line_ends_of(now: bytes, text: str) -> bytes:
    """Give the bytes of a prompt file with a new text, in which each old line ends as it did."""
    old = now.decode()
    mark = BOM if old.startswith(BOM) else ""
    lines = _LINE.findall(old.removeprefix(BOM))
    ends = [line[len(line.rstrip("\r\n")) :] for line in lines]
    usual = "\r\n" if ends.count("\r\n") > ends.count("\n") else "\n"
    if "\r\n" not in ends:
        return (mark + text).encode()
    wanted = text.split("\n")
    written = [line + usual for line in wanted[:-1]] + wanted[-1:]
    if usual == "\r\n" and len(set(ends) - {""}) == 1:
        return (mark + "".join(written)).encode()
    bare = [line.rstrip("\r\n") for line in lines]
    blocks = difflib.SequenceMatcher(None, bare, wanted, autojunk=False).get_matching_blocks()
    for i, j, size in blocks:
        for offset in range(size):
            if j + offset < len(wanted) - 1 and ends[i + offset]:
                written[j + offset] = wanted[j + offset] + ends[i + offset]
    return (mark + "".join(written)).encode()
