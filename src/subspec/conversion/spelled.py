"""Conversion to programs that have a file for each agent."""

from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

from attrs import evolve, frozen

from subspec.conversion.result import (
    Conversion,
    Draft,
    kept_of,
    refused,
    said_as_far_as_possible,
    session_losses,
    settled,
)
from subspec.formats import Spelling, is_directory
from subspec.formats.agent_files import SpelledFile
from subspec.formats.agent_text import (
    AgentText,
    changed_text,
    file_name,
    fitting_name,
    losses_of,
    new_text,
)
from subspec.formats.spelling import Lost
from subspec.problems import Problem, SpecError, quoted
from subspec.source.replace import Change
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.store.spelled import (
    agents_directory,
    changed_file,
    files_in,
    homes_of,
    names_in,
    refuse_to_pass_by,
)
from subspec.store.update import agents_of


@frozen
class SpelledConversion:
    """A conversion to a format with a file for each agent."""

    spelling: Spelling
    config: ClaudeConfig
    directory: Path | None

    def conversion(self) -> Conversion:
        """Make it."""
        spelling, draft = self.spelling, Draft(self.spelling.name)
        draft.lose(None, session_losses(self.config, spelling.title))
        agents = self.named()
        place, _ = self.place()
        # What lies elsewhere in a project is none of it, whatever it looks like.
        files = [] if place is None or not is_directory(place) else files_in(spelling, place)
        homes = homes_of(files, {each: spec for each, (_, spec) in agents.items()})
        draft.leave((file.name for file in files), agents)
        taken = set() if place is None else names_in(place)
        faults: list[Problem] = []
        for called, (name, spec) in agents.items():
            if called != name:
                draft.lose(name, [_renamed(spelling, name, called)])
            home = homes.get(called)
            try:
                if home is None or home.path is None:
                    refuse_to_pass_by(files, file_name(spelling, called, lambda _: False))
                    chosen = file_name(spelling, called, lambda each: each.lower() in taken)
                    taken.add(chosen.lower())
                    self.add_new(draft, (called, name), spec, chosen)
                else:
                    self.add_onto(draft, (called, name), spec, home)
            except SpecError as error:
                faults += refused(name, spec, error)
        if faults:
            raise SpecError(faults)
        return draft.finish()

    def add_new(self, draft: Draft, names: tuple[str, str], spec: SubagentSpec, file: str) -> None:
        """Add a new file for an agent, whose name there and own name are given."""
        called, name = names
        place, prefix = self.place()
        made, _, left = said_as_far_as_possible(
            partial(new_text, self.spelling, called, file=file), spec, self.field_of
        )
        draft.lose(name, left)
        change = Change(place / file, None, made.text.encode()) if place else None
        draft.add(f"{prefix}{file}", made.text, change)
        draft.lose(name, made.losses)

    def add_onto(
        self, draft: Draft, names: tuple[str, str], spec: SubagentSpec, home: SpelledFile
    ) -> None:
        """Add the file that an agent has already."""
        called, name = names
        place, prefix = self.place()
        if home.spec is None or home.path is None:
            raise SpecError(home.problems)
        made, kept = self.onto(home, called, spec)
        path = f"{prefix}{home.path.relative_to(place or Path()).as_posix()}"
        draft.add(path, made.text, changed_file(home, home.path, made.text))
        draft.lose(name, [*kept, *made.losses])
        draft.compare(name, path, home.spec, made.spec or spec)

    def field_of(self, key: str) -> str | None:
        """Give the field that a key stands for."""
        found = self.spelling.keys.get(key)
        return None if found is None else found.fields[0]

    def named(self) -> dict[str, tuple[str, SubagentSpec]]:
        """Give the agents by the names that they have there, each with its own."""
        found: dict[str, tuple[str, SubagentSpec]] = {}
        own = set(agents_of(self.config))
        for name, spec in agents_of(self.config).items():
            fits = self.spelling.name_fault(name) is None
            called = (
                name
                if fits
                else fitting_name(self.spelling, name, lambda each: each in found or each in own)
            )
            found[called] = name, spec
        return found

    def place(self) -> tuple[Path | None, str]:
        """Give the directory of the files, and what their relative paths begin with."""
        inner = PurePosixPath(*self.spelling.directories[0])
        if self.directory is None:
            return None, f"{inner}/"
        there = agents_directory(self.spelling, self.directory)
        parts = there.absolute().parts
        if not any(parts[-len(each) :] == each for each in self.spelling.directories):
            return self.directory / inner, f"{inner}/"
        relative = there.relative_to(self.directory).as_posix()
        return there, "" if relative == "." else f"{relative}/"

    def onto(
        self, home: SpelledFile, name: str, spec: SubagentSpec
    ) -> tuple[AgentText, list[Lost]]:
        """Say an agent in a file that is there; what only the file can say stays."""
        old: Any = home.spec
        found = losses_of(self.spelling, spec)
        unsayable = {each.field for each in found}
        kept = kept_of(old, spec, unsayable)
        own = {
            key: value
            for key, value in spec.extra.items()
            if key in old.extra or f"extra.{key}" not in unsayable
        }
        lost_here = [
            evolve(each, instead=f"the file's own stays: {quoted(kept[each.field])}")
            for each in found
            if each.field in kept
        ]
        lost_here += [each for each in found if each.field.startswith("extra.")]
        wanted = settled(old, evolve(spec, extra={**old.extra, **own}, **kept))
        return changed_text(home, name, wanted), lost_here


def _renamed(spelling: Spelling, name: str, called: str) -> Lost:
    fault = spelling.name_fault(name) or "it is taken"
    return Lost("name", f"{spelling.title}: {fault}", f"it is called {quoted(called)}")
