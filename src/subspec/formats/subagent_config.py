"""One subagent of subagents-pydantic-ai: the class for an entry of its lists.

What stands where in a file is said by :mod:`subspec.formats.pydantic_ai`.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Annotated, Any, Literal

from attrs import evolve, field, fields, frozen

from subspec.problems import (
    MISSING_KEY,
    NOT_IN_FORMAT,
    OUT_OF_RANGE,
    WRONG_TYPE,
    Fix,
    Path,
    Problem,
    SpecError,
    fold,
    warn,
)
from subspec.shapes import AtLeast, FrozenMap, check_of, freeze, thaw, wrong_type
from subspec.spec import (
    EMPTY,
    Names,
    Origin,
    _frozen_map,
    _names,
    _shown,
    _verify,
)
from subspec.structure.walker import unknown_key

LIVE_KEYS = frozenset({"agent", "agent_factory", "retry_on", "toolsets"})
"""Keys of a ``SubAgentConfig`` whose values are objects of Python, which no text can hold."""

_OF_OTHERS = {"prompt", "systemprompt", "developerinstructions"}
"""What others call the instructions, folded."""

_IS_DATA = check_of(Any)


def _seconds(value: float | None) -> float | None:
    return _as_float(value)  # type: ignore[no-any-return]


def _as_float(value: Any) -> Any:
    if isinstance(value, bool) or not isinstance(value, int):
        return value
    # As the toolset has it, so that configurations are the same, and messages too.
    try:
        return float(value)
    except OverflowError:
        return value


def _extra(value: Mapping[str, Any]) -> FrozenMap:
    return freeze(value)  # type: ignore[no-any-return]


@frozen(kw_only=True, repr=False)
class SubAgentSpec:
    """One subagent: the part of a ``SubAgentConfig`` that text can carry.

    Raises:
        SpecError: A value has the wrong type or is out of range; all faults at once.

    >>> SubAgentSpec(name="coder", instructions="Write code.", max_retries=0).to_config()
    {'name': 'coder', 'description': '', 'instructions': 'Write code.', 'max_retries': 0}
    """

    name: str
    """What the parent calls it; no two of a toolset have the same."""

    description: str = ""
    """When to hand work to it; the parent model reads it."""

    instructions: str = ""
    """The system prompt."""

    model: str | None = None
    """A model with its provider, such as ``openai:gpt-4.1``. None: the parent's default."""

    can_ask_questions: bool | None = None
    """Whether it may ask the parent something."""

    max_questions: int | None = None
    """How many questions it may ask in one task."""

    preferred_mode: Literal["sync", "async", "auto"] | None = None
    """Whether the parent waits for it."""

    typical_complexity: Literal["simple", "moderate", "complex"] | None = None
    """How hard its tasks are, for ``auto`` to choose by."""

    typically_needs_context: bool | None = None
    """Whether its tasks need what the user said, for ``auto`` to choose by."""

    context_files: Names | None = field(default=None, converter=_names)
    """Files whose text is put into the system prompt."""

    agent_kwargs: FrozenMap | None = field(default=None, converter=_frozen_map)
    """Further arguments of Pydantic AI's ``Agent``."""

    max_retries: Annotated[int, AtLeast(0)] | None = None
    """How often it tries again after a failure that may pass, at least 0."""

    retry_initial_delay: Annotated[float, AtLeast(0)] | None = field(
        default=None, converter=_seconds
    )
    """Seconds before it first tries again, at least 0."""

    retry_max_delay: Annotated[float, AtLeast(0)] | None = field(default=None, converter=_seconds)
    """The most seconds between two tries, not less than :attr:`retry_initial_delay`."""

    retry_backoff_multiplier: Annotated[float, AtLeast(1)] | None = field(
        default=None, converter=_seconds
    )
    """By what the delay grows with each try, at least 1."""

    retry_jitter: bool | None = None
    """Whether delays are random, up to what they would be."""

    on_failure: str | None = None
    """What the parent is told when it fails, in place of being asked to try again."""

    contain_errors: bool | None = None
    """Whether a crash is told to the parent, in place of ending the run."""

    extra: FrozenMap = field(default=EMPTY, converter=_extra)
    """What other libraries read."""

    origin: Origin | None = field(default=None, eq=False, repr=False)
    """Where it was read; None for one made in Python."""

    def __attrs_post_init__(self) -> None:
        """Refuse what no toolset takes."""
        problems: list[Problem] = []
        try:
            _verify(self)
        except SpecError as error:
            problems += error.problems
        problems += self._delay_problems({problem.path[0] for problem in problems})
        if problems:
            raise SpecError(problems)

    def _delay_problems(self, faulty: set[str | int]) -> list[Problem]:
        least, most = self.retry_initial_delay, self.retry_max_delay
        if faulty & {"retry_initial_delay", "retry_max_delay"} or least is None or most is None:
            return []
        if most >= least:
            return []
        message = f"retry_max_delay ({most}) must be >= retry_initial_delay ({least})"
        return [OUT_OF_RANGE.problem(message, ("retry_max_delay",))]

    def __repr__(self) -> str:
        """Show what is set."""
        return _shown(self)

    def to_config(self) -> Any:
        """Make the ``SubAgentConfig``: a new dict with what is set, and nothing else.

        ``name``, ``description`` and ``instructions`` are always in it.
        """
        named = (self.name, self.description, self.instructions)
        return dict(zip(_ALWAYS, named, strict=True)) | values_of(self)

    @classmethod
    def from_config(cls, config: Mapping[str, object]) -> "SubAgentSpec":
        """Take over a ``SubAgentConfig``.

        Objects of Python are left out, also from ``agent_kwargs`` and ``extra``. Of a model that
        is one its text is taken.

        Raises:
            SpecError: A key is unknown, or a value is wrong; all faults at once.

        Warns:
            SpecWarning: Something was left out, or only its text is kept.
        """
        lost: list[Problem] = []
        is_map = isinstance(config, Mapping)
        carried = dict(_carried(config, lost)) if is_map else config
        spec, faults = structured(carried, cls, None)
        if spec is None or faults:
            raise SpecError(faults)
        warn(lost)
        return spec


_ALWAYS = ("name", "description", "instructions")
_KEYS = tuple(each.name for each in fields(SubAgentSpec) if each.name != "origin")


def values_of(spec: SubAgentSpec) -> dict[str, Any]:
    """Give what is set, in order, as plain data."""
    return {
        attribute.name: thaw(value)
        for attribute in fields(SubAgentSpec)
        if attribute.name != "origin"
        and (value := getattr(spec, attribute.name)) != attribute.default
    }


def written(spec: SubAgentSpec) -> dict[str, Any]:
    """Give a spec as people write it, in whose files 8 seconds are no 8.0."""
    return {
        name: int(value) if isinstance(value, float) and value.is_integer() else value
        for name, value in values_of(spec).items()
    }


def _carried(config: Mapping[str, object], lost: list[Problem]) -> Iterable[tuple[str, object]]:
    """Give what text can carry, and note what it cannot."""
    for key, value in config.items():
        if key in LIVE_KEYS:
            lost += [] if value is None else [_left_out((key,))]
        elif key == "model" and _is_live(value):
            message = "a spec cannot hold a model that is an object; its text is taken"
            lost.append(NOT_IN_FORMAT.problem(message, ("model",)))
            yield key, str(value)
        elif key in ("agent_kwargs", "extra") and isinstance(value, Mapping):
            lost += [_left_out((key, str(name))) for name in value if _is_live(value[name])]
            yield key, {name: each for name, each in value.items() if not _is_live(each)}
        else:
            yield key, value


def _is_live(value: object) -> bool:
    return any(problem.code == WRONG_TYPE.name for problem in _IS_DATA(value))


def _left_out(path: Path) -> Problem:
    message = f"a spec cannot hold {path[-1]}, an object of Python; it is left out"
    return NOT_IN_FORMAT.problem(message, path)


def structured(
    entry: object, cls: Callable[..., SubAgentSpec], origin: Origin | None
) -> tuple[SubAgentSpec | None, list[Problem]]:
    """Make the spec of an entry, or say all that is wrong with it."""
    if not isinstance(entry, Mapping):
        return None, [wrong_type("a mapping", entry, "give it a name and instructions")]
    values = {key: value for key, value in entry.items() if key in _KEYS}
    problems = [_unknown(str(key)) for key in entry if key not in _KEYS]
    if "name" not in values:
        problems.append(MISSING_KEY.problem("subagent requires name"))
        # A stand-in keeps a name that is missing from hiding what else is wrong.
        values["name"] = "?"
    try:
        spec = cls(**values, origin=origin)
    except SpecError as error:
        return None, [*problems, *error.problems]
    return spec, problems


def _unknown(key: str) -> Problem:
    if key in LIVE_KEYS:
        hint = "it takes an object of Python: add it to what to_config() gives"
        return evolve(unknown_key(key, ()), hint=hint)
    if fold(key) in _OF_OTHERS:
        fix = Fix("rename", "instructions")
        return evolve(unknown_key(key, ()), hint="did you mean 'instructions'?", fix=fix)
    return unknown_key(key, _KEYS)
