"""The subagents of subagents-pydantic-ai: a class for one, and the files in which they stand.

.. code-block:: python

    from subagents_pydantic_ai import create_subagent_toolset
    from subspec.pydantic_ai import load_subagents

    specs = load_subagents("subagents.yaml")
    toolset = create_subagent_toolset([spec.to_config() for spec in specs])

A file holds a list of subagents, by itself, under ``subagents``, or as what Pydantic AI gives to
its ``SubAgentCapability``. Nothing here imports either package.
"""

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, cast

from attrs import evolve, field, fields, frozen

from subspec.formats.pydantic_ai import LIST, entries_in, lists_in, value_at
from subspec.problems import (
    DUPLICATE_NAME,
    MISSING_KEY,
    NOT_IN_FORMAT,
    OUT_OF_RANGE,
    WRONG_TYPE,
    ConflictError,
    Fix,
    Problem,
    SpecError,
    below,
    dotted,
    errors_in,
    fold,
    quoted,
    warn,
)
from subspec.problems import Path as DataPath
from subspec.shapes import AtLeast, FrozenMap, check_of, freeze, thaw, wrong_type
from subspec.source import Document, read_file, read_text
from subspec.source.compare import MISSING, merged
from subspec.source.emit import emit_json, emit_yaml
from subspec.source.replace import Change, replace_files
from subspec.spec import (
    EMPTY,
    Names,
    Origin,
    _frozen_map,
    _names,
    _shown,
    _verify,
)
from subspec.store.examine import _in_reading_order, _of_their_own
from subspec.store.saving import _exists
from subspec.store.update import Baseline, changed, digest, identity, rewritten
from subspec.structure.walker import unknown_key

__all__ = ["SubAgentSpec", "load_subagents", "loads_subagents", "save_subagents"]

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
        return dict(zip(_ALWAYS, named, strict=True)) | _plain(self)

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
        spec, faults = _structured(carried, cls, None)
        if spec is None or faults:
            raise SpecError(faults)
        warn(lost)
        return spec


_ALWAYS = ("name", "description", "instructions")
_KEYS = tuple(each.name for each in fields(SubAgentSpec) if each.name != "origin")


def load_subagents(path: str | Path) -> tuple[SubAgentSpec, ...]:
    """Load the subagents of a YAML or JSON file.

    Args:
        path: The file. One whose name ends in ``.json`` is read as JSON.

    Raises:
        SpecError: The file cannot be read, or something is wrong with it: every problem at once.
    """
    file = Path(path)
    document = read_file(file)
    return Reading.of(document, file).specs()


def loads_subagents(text: str) -> tuple[SubAgentSpec, ...]:
    """Load subagents from YAML or JSON.

    Raises:
        SpecError: Something is wrong with the text: every problem at once.
        TypeError: It is no text.

    >>> loads_subagents("- {name: coder, instructions: Write code.}")
    (SubAgentSpec(name='coder', instructions='Write code.'),)
    """
    if not isinstance(cast("object", text), str):
        kind = type(text).__name__
        msg = f"loads_subagents() takes text, not {kind}; load_subagents() takes the path of a file"
        raise TypeError(msg)
    return Reading.of(read_text(text), None).specs()


def save_subagents(
    specs: Iterable[SubAgentSpec], path: str | Path | None = None
) -> tuple[Path, ...]:
    """Write subagents to a file, in which only the text of what differs is replaced.

    Subagents are told apart by their names. New ones go into the list of the one before them;
    those that are not among `specs` are taken out.

    Args:
        specs: All subagents that the file shall hold, in their order.
        path: A YAML or JSON file; one that is not there is made. None: where they were loaded from.

    Returns:
        The files that were written; none where nothing differed.

    Raises:
        ConflictError: The file was changed by somebody else since the subagents were loaded.
        SpecError: The file cannot be read or written, or cannot say them; nothing was written.
        ValueError: There is no path to write to.
    """
    specs = tuple(specs)
    target = _target(specs) if path is None else Path(path)
    _refuse_twins(specs)
    change = change_for(target, specs)
    if change is None:
        return ()
    readings = _readings_of(specs, target)
    for baseline, _ in readings:
        if problems := baseline.see(target, change.before):
            raise ConflictError(problems)
    written = replace_files([change])
    for _, saved in readings:
        saved[identity(target)] = digest(change.after or b"")
    return written


def _plain(spec: SubAgentSpec) -> dict[str, Any]:
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
        for name, value in _plain(spec).items()
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


def _left_out(path: DataPath) -> Problem:
    message = f"a spec cannot hold {path[-1]}, an object of Python; it is left out"
    return NOT_IN_FORMAT.problem(message, path)


def _structured(
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


@frozen
class Reading:
    """What a document says of subagents."""

    lists: tuple[DataPath, ...]
    """Where the lists stand, or may stand."""

    found: tuple[tuple[DataPath, SubAgentSpec], ...]

    @classmethod
    def of(cls, document: Document, file: Path | None) -> "Reading":
        """Read a document.

        Raises:
            SpecError: Something is wrong with it.
        """
        if not document.readable:
            raise SpecError(document.problems)
        lists, problems = lists_in(document.data)
        mark = None if document.raw is None else digest(document.raw)
        whole = Origin(file, format="pydantic_ai", digest=mark, saved={})
        found: list[tuple[DataPath, SubAgentSpec]] = []
        names: dict[str, DataPath] = {}
        for path, entry in entries_in(document.data, lists, problems):
            span = document.spell(*document.offsets(path))
            spec, faults = _structured(entry, SubAgentSpec, evolve(whole, span=span))
            problems += below(path, faults)
            if spec is not None:
                found.append((path, spec))
            name = entry.get("name") if isinstance(entry, Mapping) else None
            if isinstance(name, str) and names.setdefault(name, path) != path:
                problems.append(_twin(name, (*path, "name"), dotted(names[name])))
        own = _of_their_own(document.place(problems), document.problems)
        problems = sorted([*document.problems, *own], key=_in_reading_order)
        if errors_in(problems):
            raise SpecError(problems)
        return cls(tuple(lists), tuple(found))

    def specs(self) -> tuple[SubAgentSpec, ...]:
        """Give the subagents, in their order."""
        return tuple(spec for _, spec in self.found)

    def merged(self, data: Any, specs: Iterable[SubAgentSpec]) -> Any:
        """Give what the document is to hold, so that it says other subagents."""
        known = {spec.name: (path, spec) for path, spec in self.found}
        home = self.lists[0]
        entries: dict[DataPath, list[Any]] = {path: [] for path in self.lists}
        for spec in specs:
            entry = written(spec)
            if spec.name in known:
                path, old = known[spec.name]
                home = path[:-1]
                entry = merged(value_at(data, path), written(old), entry)
            entries[home].append(entry)
        for path, items in entries.items():
            if items or value_at(data, path) is not MISSING:
                data = _with_value(data, path, items)
        return data


def _twin(name: str, path: DataPath, first: str) -> Problem:
    message = f"there is a subagent named {quoted(name)} already, at {first}"
    return DUPLICATE_NAME.problem(message, path, hint="give it another name")


def _with_value(data: Any, path: DataPath, value: Any) -> Any:
    if not path:
        return value
    first, *rest = path
    if isinstance(first, int):
        return [
            _with_value(item, tuple(rest), value) if index == first else item
            for index, item in enumerate(data)
        ]
    mapping = data if isinstance(data, Mapping) else {}
    return {**mapping, first: _with_value(mapping.get(first), tuple(rest), value)}


def _target(specs: Iterable[SubAgentSpec]) -> Path:
    paths = {spec.origin.path for spec in specs if spec.origin and spec.origin.path}
    if len(paths) != 1:
        msg = "save_subagents() needs a path for subagents that did not all come from one file"
        raise ValueError(msg)
    return paths.pop()


def _refuse_twins(specs: Iterable[SubAgentSpec]) -> None:
    names: dict[str, int] = {}
    problems = [
        _twin(spec.name, (index, "name"), dotted((names[spec.name],)))
        for index, spec in enumerate(specs)
        if names.setdefault(spec.name, index) != index
    ]
    if problems:
        raise SpecError(problems)


def change_for(
    target: Path, specs: tuple[SubAgentSpec, ...], document: Document | None = None
) -> Change | None:
    """Say how a file has to change; None: not at all.

    Args:
        target: The file.
        specs: All subagents that it shall hold.
        document: What was read from it; None: it is read now, if it is there.

    Raises:
        SpecError: The file cannot be read, or cannot say them.
    """
    if document is None and not _exists(target):
        data = {LIST: [written(spec) for spec in specs]}
        as_json = target.suffix.lower() == ".json"
        text = emit_json(data) if as_json else emit_yaml(data, block_keys={"instructions"})
        return Change(target, None, text.encode())
    document = document or read_file(target)
    reading = Reading.of(document, target)
    text = rewritten(document, reading.merged(document.data, specs), {})
    return None if text == document.text else changed(document, target, text)


def text_of(specs: Iterable[SubAgentSpec]) -> str:
    """Write subagents as the text of a new YAML file."""
    data = {LIST: [written(spec) for spec in specs]}
    return emit_yaml(data, block_keys={"instructions"})


def change_onto(
    target: Path, specs: Iterable[SubAgentSpec], *, only: bool = False
) -> Change | None:
    """Say how a file has to change so that it holds subagents; None: not at all.

    Args:
        target: The file, be it there or not.
        specs: The subagents.
        only: Whether what else the file says goes: other subagents, and keys of these.

    Raises:
        SpecError: The file cannot be read, or cannot say them.
    """
    specs = tuple(specs)
    if not only and _exists(target):
        there = {spec.name: spec for spec in Reading.of(read_file(target), target).specs()}
        made = {spec.name: spec for spec in specs}
        for name in made.keys() & there.keys():
            # What only the file says stays.
            made[name] = SubAgentSpec(**{**_plain(there[name]), **_plain(made[name])})
        specs = tuple((there | made).values())
    return change_for(target, specs)


def _readings_of(
    specs: Iterable[SubAgentSpec], target: Path
) -> list[tuple[Baseline, dict[str, str | None]]]:
    """Give what a file held when subagents were read from it, and the notes of what became of it.

    The notes are shared by all subagents of one reading.
    """
    where = identity(target)
    readings: dict[int, tuple[Baseline, dict[str, str | None]]] = {}
    for spec in specs:
        origin = spec.origin
        if origin is None or origin.path is None or origin.saved is None:
            continue
        if id(origin.saved) not in readings and identity(origin.path) == where:
            baseline = Baseline({where: origin.digest} | origin.saved)
            readings[id(origin.saved)] = baseline, origin.saved
    return list(readings.values())
