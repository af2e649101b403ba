"""Files in the canonical layout: what would have to be written."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

from attrs import define, field

from subspec import formats
from subspec.formats.layout import is_ours, laid_out_agent, laid_out_text
from subspec.problems import (
    FRONT_MATTER_CUT,
    NOT_AN_AGENT,
    NOT_FAITHFUL,
    NOT_UTF8,
    Problem,
    errors_in,
)
from subspec.source import Document, read_file
from subspec.source.edit import NotFaithfulError
from subspec.source.replace import Change
from subspec.store.reading import problems_of_document
from subspec.store.update import changed

_NOT_LAID_OUT = {FRONT_MATTER_CUT.name, NOT_AN_AGENT.name, NOT_UTF8.name}
"""What would be hidden or lost in a file that is laid out, and files that are no agents."""


@define
class Layout:
    """What has to be written to lay files out, and what stands in the way."""

    changes: list[Change] = field(factory=list)
    problems: list[Problem] = field(factory=list)
    count: int = 0
    """How many files were looked at."""

    def add(self, path: Path, format: str | None) -> None:
        """Look at a file, or at the Markdown below a directory.

        Raises:
            SpecError: There is too much below a directory.
            ValueError: There is no format of that name.
        """
        spelling = formats.spelling_of(path, format)
        if spelling is not None:
            self._refuse(path, spelling.title)
            return
        if formats.is_markdown(path, format):
            self._add_markdown(path)
            return
        document = read_file(path)
        if formats.is_toolset(document.data, format):
            self._refuse(path, "subagents-pydantic-ai")
            return
        form = None if format is None else formats.find(format)
        if not document.readable:
            self.count += 1
            self.problems += document.problems
            return
        form = form or formats.detect(document.data)
        if not is_ours(document.data, form):
            # The settings of some other program: what a check says of it tells so.
            self.count += 1
            self.problems += errors_in(problems_of_document(document, path, form.name, None))
            return
        self._try(path, document, partial(laid_out_text, document, form))

    def _refuse(self, path: Path, title: str) -> None:
        self.count += 1
        message = f"there is no canonical layout for the files of {title}"
        hint = "it is left as it is"
        self.problems.append(NOT_FAITHFUL.problem(message, file=str(path), hint=hint))

    def _add_markdown(self, path: Path) -> None:
        from subspec.formats import claude_code  # noqa: PLC0415 - for Markdown only

        files = claude_code.read_agents(path) if formats.is_directory(path) else []
        for file in files or [claude_code.read_agent_file(path)]:
            if file.name is None and not file.problems:
                # It merely lies there.
                continue
            grave = [each for each in file.problems if each.code in _NOT_LAID_OUT]
            if grave or file.fences is None or not file.document.readable:
                self.count += 1
                self.problems += grave or errors_in(file.problems) or file.problems
            else:
                self._try(file.path or path, file.document, partial(laid_out_agent, file))

    def _try(self, path: Path, document: Document, lay_out: Callable[[], str]) -> None:
        self.count += 1
        try:
            text = lay_out()
        except NotFaithfulError as error:
            message = "there is no way to lay it out so that it reads back the same"
            problem = NOT_FAITHFUL.problem(message, error.path, file=str(path))
            self.problems += document.place([problem])
            return
        if text != document.text:
            self.changes.append(changed(document, path, text))
