"""Between files and configurations: load, check, and text for new files."""

from itertools import chain
from pathlib import Path
from typing import cast

from subspec import formats
from subspec.problems import Problem, SpecError, has_errors, warn
from subspec.source import Media, read_text
from subspec.spec import ClaudeConfig, Origin
from subspec.store.examine import Finding, examine
from subspec.store.reading import check_file, examine_file
from subspec.structure import PromptFiles


def load(
    path: str | Path, *, format: str | None = None, prompt_root: str | Path | None = None
) -> ClaudeConfig:
    """Load a file of subagents, or a directory with Claude Code's Markdown files.

    Args:
        path: A YAML or JSON file, of which one whose name ends in ``.json`` is read as JSON; a
            Markdown file, whose name ends in ``.md``; or a directory, with all Markdown files below
            it. The directory of a project stands for its ``.claude/agents``.
        format: The name of its format. None: it is told from what the file holds.
        prompt_root: The directory that a ``prompt_file`` may not leave, symbolic links resolved.
            None: one that leaves the directory of `path` is warned of.

    Raises:
        SpecError: The file cannot be read, or something is wrong with it: every problem at once.
        ValueError: There is no format of that name.

    Warns:
        SpecWarning: Something is odd and the file loads all the same, such as a tool's name that
            nothing knows. The warning is given at the line that called this function.
    """
    found = examine_file(Path(path), format, prompt_root)
    return found.config_or_error()


def loads(
    text: str, *, format: str | None = "agents", base_dir: str | Path | None = None
) -> ClaudeConfig:
    """Load subagents from text.

    Args:
        text: YAML or JSON, or Markdown where the format is ``claude_code``.
        format: The name of the format. None: it is told from what the text holds.
        base_dir: The directory in which a ``prompt_file`` is looked up. None: naming one is an
            error.

    Raises:
        SpecError: Something is wrong with the text: every problem at once.
        ValueError: There is no format of that name.

    Warns:
        SpecWarning: Something is odd and the text loads all the same.

    >>> config = loads('''
    ... agents:
    ...   writer:
    ...     description: Writes the report.
    ...     prompt: Write in plain words.
    ...     tools: []
    ... ''')
    >>> config.agents["writer"].tools
    ()
    """
    if not isinstance(cast("object", text), str):
        msg = f"loads() takes text, not {type(text).__name__}; load() takes the path of a file"
        raise TypeError(msg)
    if format == formats.CLAUDE_CODE:
        from subspec.formats import claude_code  # noqa: PLC0415 - for Markdown only

        found = Finding(*claude_code.config_of([claude_code.read_agent(text)]))
        return found.config_or_error()
    base = None if base_dir is None else Path(base_dir)
    spelling = None if format is None else formats.spelling_of(Path(), format)
    if spelling is not None:
        from subspec.store.spelled import loads_spelled  # noqa: PLC0415 - for these only

        return loads_spelled(spelling, text, base).config_or_error()
    document = read_text(text)
    if formats.is_toolset(document.data, format):
        from subspec.formats.toolset import loads_config  # noqa: PLC0415 - for this one only

        return loads_config(text)
    found = examine(document, format, PromptFiles(base), Origin())
    return found.config_or_error()


def check(
    *paths: str | Path, format: str | None = None, prompt_root: str | Path | None = None
) -> tuple[Problem, ...]:
    """Say everything that is wrong or odd in files of subagents, and what will come of it.

    Beside what loading finds it says what Claude Code will do that the text does not show: tools
    that are added or never given, values that do nothing, models that are replaced.

    Never raises for what is in the files, nor for a file that cannot be read.

    Args:
        paths: YAML, JSON or Markdown files, or directories with Markdown files.
        format: The name of their format. None: it is told from what each file holds.
        prompt_root: The directory that prompt files may not leave, if any.

    Raises:
        ValueError: There is no format of that name.
    """
    found = (check_file(Path(path), format, prompt_root) for path in paths)
    return tuple(chain.from_iterable(found))


def save(
    config: ClaudeConfig,
    path: str | Path | None = None,
    *,
    format: str | None = None,
    prompt_root: str | Path | None = None,
) -> tuple[Path, ...]:
    """Write a configuration to the files it came from, or to others.

    What the files say already stays as it is, byte for byte: only the text of what differs is
    replaced, in the style it is written in. A prompt that came from a file goes to that file. All
    files are written or none, each of them whole; symbolic links are written through.

    Args:
        config: The configuration.
        path: A YAML, JSON or Markdown file, or a directory for Markdown. One that is there is
            changed, one that is not is made. None: where the configuration was loaded from.
        format: The name of the format. None: that of the file, or of what the configuration was
            loaded from, or the canonical one.
        prompt_root: The directory in which prompt files may be written. None: the directory of
            the file that names them.

    Returns:
        The files that were written or removed; none where nothing differed.

    Raises:
        ConflictError: A file was changed by somebody else since the configuration was loaded.
        SpecError: A file cannot be read or written, or cannot say the configuration; nothing was
            written.
        ValueError: There is no such format, or no path to write to.

    Warns:
        SpecWarning: The format cannot say something, and it is left out.
    """
    from subspec.store.saving import save_config  # noqa: PLC0415 - not needed to load

    target = config.origin.path if path is None and config.origin is not None else path
    if target is None:
        msg = "save() needs a path for a configuration that came from no file"
        raise ValueError(msg)
    root = None if prompt_root is None else Path(prompt_root)
    return save_config(config, Path(target), format, root)


def dumps(
    config: ClaudeConfig,
    *,
    format: str = "agents",
    media: Media = "yaml",
    schema: str | None = None,
) -> str:
    """Write a configuration as the text of a new file.

    Prompts are literal blocks wherever YAML can say them so; what is not set is left out; nothing
    is folded or escaped that need not be. In the canonical format the text says all that the
    configuration does, and loads back as an equal one, if its models are such as load at all. A
    prompt that came from a file is written out.

    Args:
        config: The configuration; of one agent where the format is ``claude_code``.
        format: The name of the format to write.
        media: ``"yaml"`` or ``"json"``; Markdown is Markdown whatever this says.
        schema: Where an editor finds the JSON Schema of the format: YAML then begins with a comment
            that says so.

    Raises:
        SpecError: The format cannot say something without which an agent could do more.
        ValueError: There is no format or medium of that name.

    Warns:
        SpecWarning: The format cannot say something else, and it is left out.
    """
    from subspec.source.emit import emit_json, emit_yaml  # noqa: PLC0415 - not needed to load

    writers = {"yaml": emit_yaml, "json": emit_json}
    if media not in writers:
        msg = f"media must be 'yaml' or 'json', not {media!r}"
        raise ValueError(msg)
    if format == formats.CLAUDE_CODE:
        return _markdown(config)
    if format == formats.PYDANTIC_AI:
        from subspec.store.toolset import only_text  # noqa: PLC0415 - for this one only

        text, problems = only_text(config)
        warn(problems)
        return text
    spelling = formats.spelling_of(Path(), format)
    if spelling is not None:
        from subspec.store import spelled  # noqa: PLC0415 - for these only

        text, problems = spelled.only_text(spelling, config)
        warn(problems)
        return text
    data, problems = formats.find(format).write(config)
    if has_errors(problems):
        raise SpecError(problems)
    warn(problems)
    text = writers[media](data)
    if schema is None or media != "yaml":
        return text
    return f"{SCHEMA_LINE}{' '.join(schema.split())}\n{text}"


SCHEMA_LINE = "# yaml-language-server: $schema="
"""What begins the comment by which editors find the schema of a file."""


def _markdown(config: ClaudeConfig) -> str:
    from subspec.store.markdown import only_text  # noqa: PLC0415 - for Markdown only

    text, problems = only_text(config)
    warn(problems)
    return text
