"""Conversion: a configuration in the format of another program, and what is lost on the way.

Nothing is guessed: a value that the other format has no word for is left out, or said otherwise,
and each of these is a :class:`Loss`. A loss *widens* where the agent may do more than its text
says.
"""

from pathlib import Path

from attrs import evolve

from subspec import formats
from subspec.conversion.result import Conversion, Loss, Override, source_of
from subspec.formats import CLAUDE_CODE
from subspec.problems import WIDENS, SpecError
from subspec.spec import ClaudeConfig
from subspec.store.update import agents_of

__all__ = ["Conversion", "Loss", "Override", "convert", "see_that_none_widens"]


def convert(config: ClaudeConfig, to: str, *, into: str | Path | None = None) -> Conversion:
    """Say a configuration in the format of another program.

    Nothing is written. What is in `into` already is changed as little as can be: comments and keys
    of the program's own stay.

    Args:
        config: The configuration.
        to: The name of the format.
        into: The directory of the project that the files are for, or that in which the agents of
            the program lie. None: all files are new.

    Raises:
        ImportError: The format needs a package that is not installed.
        SpecError: An agent cannot be said there at all, or a file that is there cannot be read.
        ValueError: There is no format of that name.

    >>> from subspec import SubagentSpec
    >>> agents = {"writer": SubagentSpec("Writes.", "Write.", tools=["Read"], model="sonnet")}
    >>> conversion = convert(ClaudeConfig(agents=agents), to="gemini")
    >>> list(conversion.files)
    ['.gemini/agents/writer.md']
    >>> [(loss.field, loss.reason) for loss in conversion.losses]
    [('model', "Gemini CLI does not know the model 'sonnet'")]
    """
    directory = None if into is None else Path(into)
    going, left = _going_along(config, to)
    conversion = _said(going, to, directory)
    order = list(agents_of(config))
    losses = sorted(
        [*conversion.losses, *left],
        key=lambda loss: -1 if loss.agent is None else order.index(loss.agent),
    )
    return evolve(conversion, losses=tuple(losses))


def _going_along(config: ClaudeConfig, to: str) -> tuple[ClaudeConfig, list[Loss]]:
    """Leave out what means nothing of the kind elsewhere, and say so."""
    from subspec.formats.carrying import carried  # noqa: PLC0415 - imports what is of no use else

    agents, losses = {}, []
    for name, spec in agents_of(config).items():
        agents[name], lost = carried(spec, source_of(config, spec), to)
        losses += [Loss(name, each.field, each.reason, each.instead, each.widens) for each in lost]
    return (evolve(config, agents=agents) if losses else config), losses


def _said(config: ClaudeConfig, to: str, directory: Path | None) -> Conversion:
    if to in formats.SPELLINGS:
        from subspec.conversion.spelled import SpelledConversion  # noqa: PLC0415 - one of four

        return SpelledConversion(formats.SPELLINGS[to], config, directory).conversion()
    if to == formats.PYDANTIC_AI:
        from subspec.conversion.toolsets import to_pydantic_ai  # noqa: PLC0415

        return to_pydantic_ai(config, directory)
    from subspec.conversion.documents import to_claude_code, to_document  # noqa: PLC0415

    if to == CLAUDE_CODE:
        return to_claude_code(config, directory)
    return to_document(formats.find(to), config, directory)


def see_that_none_widens(conversion: Conversion) -> None:
    """Refuse a conversion after which an agent may do more than its text says.

    Raises:
        SpecError: One may.
    """
    problems = [
        WIDENS.problem(
            f"{each.reason}; {each.instead}",
            ("agents", each.agent, each.field) if each.agent is not None else (each.field,),
            hint="without it the agent could do more",
        )
        for each in conversion.widens
    ]
    if problems:
        raise SpecError(problems)
