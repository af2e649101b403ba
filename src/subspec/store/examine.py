"""What a document holds, and everything that is wrong with it."""

from collections.abc import Iterator, Mapping
from itertools import chain, repeat
from pathlib import Path

from attrs import evolve, frozen

from subspec import formats
from subspec.problems import Problem, Span, SpecError, has_errors, warn
from subspec.source import Document
from subspec.spec import ClaudeConfig, Origin
from subspec.structure import PromptFiles, Reading, structure_config
from subspec.structure.placing import placed
from subspec.structure.rules import bridged_tools


@frozen
class Finding:
    """What a file holds, and what is wrong with it."""

    config: ClaudeConfig | None
    problems: tuple[Problem, ...]

    def config_or_error(self) -> ClaudeConfig:
        """Give the configuration, and warn of what is odd.

        Raises:
            SpecError: Something is wrong.
        """
        if self.config is None or has_errors(self.problems):
            raise SpecError(self.problems)
        warn(self.problems)
        return self.config


def examine_document(
    document: Document,
    path: Path,
    format: str | None,
    prompt_root: str | Path | None,
    instead: Mapping[Path, bytes] | None = None,
    *,
    consequences: bool = False,
) -> Finding:
    """Take a document for what was read from a file.

    Args:
        document: The document.
        path: The file.
        format: The name of its format. None: it is told from what the document holds.
        prompt_root: The directory that prompt files may not leave, if any.
        instead: What some prompt files, resolved, are taken to hold.
        consequences: Whether it is also said what Claude Code will make of the agents.
    """
    import hashlib  # noqa: PLC0415 - slow to import, and of no use to loads()

    root = None if prompt_root is None else Path(prompt_root)
    digest = None if document.raw is None else hashlib.sha256(document.raw).hexdigest()
    origin = Origin(path, digest=digest, saved={})
    prompts = PromptFiles(path.parent, root, instead or {})
    return examine(document, format, prompts, origin, consequences=consequences)


def examine(
    document: Document,
    format: str | None,
    prompts: PromptFiles,
    origin: Origin,
    *,
    consequences: bool = False,
) -> Finding:
    """Make a configuration of a document."""
    chosen = None if format is None else formats.find(format)
    if not document.readable:
        return Finding(None, tuple(document.problems))
    form = chosen or formats.detect(document.data)
    data, problems = form.read(document.data)
    spans: Iterator[Span | None] = document.value_spans(form.raw_agents(document.data))
    host = data.get("host") if isinstance(data, dict) else None
    reading = Reading(
        prompts=prompts,
        origin=evolve(origin, format=form.name),
        agent_spans=chain(spans, repeat(None)),
        bridged=bridged_tools(host),
        consequences=consequences,
    )
    config, faults = structure_config(data, reading)
    problems += [evolve(fault, path=form.file_path(fault.path)) for fault in faults]
    return Finding(config, tuple(placed(document, problems)))
