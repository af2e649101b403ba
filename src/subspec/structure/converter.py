"""The converter: plain data to specs, strictly, and specs back to plain data.

It is an ordinary cattrs converter with hooks for the classes of :mod:`subspec.spec`. Nothing is
coerced, unknown keys are refused, prompt files are read, and what is wrong is collected: the hooks
raise one :class:`SpecError` with every fault of a subagent or a configuration.
"""

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from importlib import import_module
from itertools import repeat
from pathlib import Path
from typing import Any, TypeVar

from attrs import NOTHING, Attribute, AttrsInstance, field, fields, frozen
from cattrs import BaseValidationError, Converter
from cattrs.gen import make_dict_structure_fn, override

from subspec.problems import (
    NULL_TOOLS,
    Problem,
    Span,
    SpecError,
    below,
    has_errors,
    warn,
)
from subspec.shapes import check_of, thaw, wrong_type
from subspec.spec import ClaudeConfig, Origin, SubagentSpec, name_problems
from subspec.structure import rules
from subspec.structure.consequences import consequences
from subspec.structure.legacy import is_legacy, legacy_problems
from subspec.structure.prompts import Prompt, PromptFiles
from subspec.structure.walker import problems_of, unknown_key

C = TypeVar("C", bound=Converter)
T = TypeVar("T")
Hook = Callable[[Any, Any], Any]

FORWARD = {
    "claude_agent_sdk.types.AgentDefinition": ("subspec.runtimes.claude_sdk", "agent_definition"),
}
"""Classes of runtimes that a spec can be unstructured as, each with the function that builds it.

Its module is imported when the class is asked for, since a runtime is slow to import.
"""


@frozen
class Reading:
    """What the hooks know of the file that is being read."""

    prompts: PromptFiles
    origin: Origin | None = None
    """Of the configuration as a whole; the agents' have the same path and format."""

    agent_spans: Iterable[Span | None] = field(factory=lambda: repeat(None))
    """The places of the agents, in their order."""

    bridged: frozenset[str] = frozenset()
    """Tools that the host of the file provides."""

    consequences: bool = False
    """Whether it is also said what Claude Code will make of an agent."""

    report: Callable[[list[Problem]], None] = warn
    """Takes what is odd and no error."""


def make_converter(
    base_dir: str | Path | None, *, prompt_root: str | Path | None = None
) -> Converter:
    """Make a cattrs converter that structures specs, also inside attrs classes of your own.

    What is wrong inside a spec is a :class:`SpecError` among the errors that ``structure`` raises;
    :func:`subspec.structure.problems_of` turns them all into problems. What is merely odd is
    warned of.

    Args:
        base_dir: The directory in which a ``prompt_file`` is looked up. None: none is.
        prompt_root: The directory that prompt files may not leave, if any.

    >>> converter = make_converter(None)
    >>> converter.structure({"description": "Writes.", "prompt": "Write."}, SubagentSpec)
    SubagentSpec(description='Writes.', prompt='Write.')
    """
    return configure_converter(Converter(), base_dir, prompt_root=prompt_root)


def configure_converter(
    converter: C, base_dir: str | Path | None, *, prompt_root: str | Path | None = None
) -> C:
    """Teach a converter of your own to structure specs, and give it back.

    Only specs and configurations are touched: how other classes are structured stays as it is.

    Args:
        converter: Any cattrs converter.
        base_dir: The directory in which a ``prompt_file`` is looked up. None: none is.
        prompt_root: The directory that prompt files may not leave, if any.
    """
    prompts = PromptFiles(
        None if base_dir is None else Path(base_dir),
        None if prompt_root is None else Path(prompt_root),
    )
    register(converter, lambda: Reading(prompts))
    return converter


def register(converter: Converter, reading: Callable[[], Reading]) -> None:
    """Register the hooks; `reading` is asked at each use what is being read."""
    spec_hook = _SpecHook(reading, _StrictClass(SubagentSpec, converter))
    config_hook = _ConfigHook(reading, _StrictClass(ClaudeConfig, converter), spec_hook)
    converter.register_structure_hook(SubagentSpec, spec_hook)
    converter.register_structure_hook(ClaudeConfig, config_hook)
    converter.register_unstructure_hook(SubagentSpec, plain)
    converter.register_unstructure_hook(ClaudeConfig, plain)
    converter.register_unstructure_hook_factory(_is_of_runtime, _forward_hook)


def plain(instance: SubagentSpec | ClaudeConfig) -> dict[str, Any]:
    """Give a spec or a configuration as plain data in canonical keys: what is set, in order."""
    data: dict[str, Any] = {}
    for attribute in fields(type(instance)):
        value = getattr(instance, attribute.name)
        if value is None or attribute.name == "origin":
            continue
        if attribute.name in ("extra", "host") and not value:
            continue
        if attribute.name == "agents":
            data["agents"] = {name: plain(spec) for name, spec in value.items()}
        else:
            data[attribute.name] = thaw(value)
    return data


class _StrictClass:
    """Structures the fields of one class, each by the check that its annotation says.

    The class itself refuses wrong values, so what is right takes the short way: straight into it.
    Only when that fails is each field structured by itself, to say everything that is wrong.
    """

    def __init__(self, cls: type[AttrsInstance], converter: Converter) -> None:
        self.cls = cls
        own = [attribute for attribute in fields(cls) if attribute.name not in _MADE_HERE]
        made = {name: _passed_on for name in _MADE_HERE if hasattr(fields(cls), name)}
        self.hooks = {attribute.name: _field_hook(attribute) for attribute in own} | made
        ambiguous = {name: self.hooks[name] for name in _LISTS_OF_TOOLS}
        self.short = _generated(cls, converter, dict.fromkeys(self.hooks, _passed_on) | ambiguous)
        self.thorough = _generated(cls, converter, self.hooks, detailed=True)

    def __call__(self, values: Mapping[str, Any]) -> tuple[Any, rules.Values, list[Problem]]:
        """Give the instance, or None, with what its fields hold and what is wrong."""
        try:
            instance = self.short(values, self.cls)
        except Exception:  # noqa: BLE001 - whatever it is, the thorough way says it
            return None, self.remains(values).get, self.faults(values)
        return instance, partial(getattr, instance), []

    def faults(self, values: Mapping[str, Any]) -> list[Problem]:
        """Say everything that is wrong, each field by itself."""
        try:
            self.thorough(values, self.cls)
        except BaseValidationError as error:
            return problems_of(error)
        msg = f"{self.cls.__name__} refuses what its fields allow"
        raise AssertionError(msg)

    def remains(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Give the fields that are right by themselves."""
        right = {}
        for name, hook in self.hooks.items():
            try:
                right[name] = hook(values.get(name), None)
            except SpecError:
                continue
        return right


@frozen
class _SpecHook:
    """Structures one subagent."""

    reading: Callable[[], Reading]
    strict: _StrictClass

    def __call__(self, data: Any, _: Any) -> SubagentSpec:
        reading = self.reading()
        return _reported(*self.structure(data, reading, None), reading)

    def structure(
        self, data: Any, reading: Reading, span: Span | None
    ) -> tuple[SubagentSpec | None, list[Problem]]:
        if not isinstance(data, Mapping):
            return None, [wrong_type("a mapping", data, "give it a description and a prompt")]
        values, problems = _with_keys_of_text(data)
        prompt = None
        if "prompt_file" in values or values.get("prompt") is None:
            prompt = reading.prompts.prompt_of(values)
            values.pop("prompt_file", None)
            # A stand-in keeps a prompt that cannot be had from hiding what else is wrong.
            values["prompt"] = "?" if prompt.text is None else prompt.text
            problems += prompt.problems
        values["origin"] = _agent_origin(reading.origin, span, prompt)
        spec, remains, faults = self.strict(values)
        problems += faults
        problems += rules.agent_problems(remains, reading.bridged)
        if reading.consequences:
            problems += consequences(remains, reading.bridged)
        return spec, problems


@frozen
class _ConfigHook:
    """Structures a configuration with its subagents."""

    reading: Callable[[], Reading]
    strict: _StrictClass
    spec_hook: _SpecHook

    def __call__(self, data: Any, _: Any) -> ClaudeConfig:
        reading = self.reading()
        return _reported(*self.structure(data, reading), reading)

    def structure(self, data: Any, reading: Reading) -> tuple[ClaudeConfig | None, list[Problem]]:
        if not isinstance(data, Mapping):
            return None, [wrong_type("a mapping", data, "write the agents under 'agents:'")]
        values, problems = _with_keys_of_text(data)
        if not _misspells_agents(values, reading):
            problems += legacy_problems(values)
            values = {key: value for key, value in values.items() if not is_legacy(key)}
        values["agents"], faults = self.agents(values.get("agents"), reading)
        problems += below(("agents",), faults)
        values["origin"] = reading.origin
        config, remains, faults = self.strict(values)
        problems += faults
        problems += rules.session_problems(remains, reading.bridged)
        return config, problems

    def agents(
        self, data: Any, reading: Reading
    ) -> tuple[dict[str, SubagentSpec] | None, list[Problem]]:
        if data is None:
            return None, []
        if not isinstance(data, Mapping):
            hint = "write 'NAME:' instead of '- name: NAME'" if isinstance(data, list) else None
            return None, [wrong_type("a mapping of names to agents", data, hint)]
        agents, problems = {}, []
        for (name, entry), span in zip(data.items(), reading.agent_spans, strict=False):
            spec, faults = self.spec_hook.structure(entry, reading, span)
            faults += name_problems(name)
            if faults:
                problems += below((str(name),), faults)
            if spec is not None:
                agents[name] = spec
        return (None if has_errors(problems) else agents), problems


def _generated(
    cls: type[AttrsInstance],
    converter: Converter,
    hooks: Mapping[str, Hook],
    *,
    detailed: bool = False,
) -> Hook:
    overrides = {name: override(struct_hook=hook) for name, hook in hooks.items()}
    return make_dict_structure_fn(
        cls,
        converter,
        _cattrs_forbid_extra_keys=True,
        _cattrs_detailed_validation=detailed,
        **overrides,  # type: ignore[arg-type]  # the stubs take the options for overrides
    )


def _misspells_agents(values: Mapping[str, Any], reading: Reading) -> bool:
    # The block of old only switched things on. In a canonical file agents may stand there by
    # mistake, and to have them removed would be the wrong advice.
    if reading.origin is None or reading.origin.format != "agents":
        return False
    block = values.get("subagents")
    entries = block.values() if isinstance(block, Mapping) else block
    return isinstance(entries, Iterable) and any(isinstance(each, Mapping) for each in entries)


_MADE_HERE = ("agents", "origin")
_LISTS_OF_TOOLS = ("tools", "disallowed_tools")


def _field_hook(attribute: "Attribute[Any]") -> Hook:
    annotation: Any = attribute.type
    check = check_of(annotation)
    default = attribute.default
    optional = default is not NOTHING
    ambiguous = attribute.name in _LISTS_OF_TOOLS

    def hook(value: Any, _: Any) -> Any:
        if value is None and optional:
            if ambiguous:
                raise SpecError([_null_tools(attribute.name)])
            return default
        if has_errors(problems := check(value)):
            raise SpecError(problems)
        return value

    return hook


def _passed_on(value: Any, _: Any) -> Any:
    return value


def _null_tools(name: str) -> Problem:
    meaning = "all tools" if name == "tools" else "that nothing is taken away"
    message = f"{name} is null, which says neither all nor none"
    return NULL_TOOLS.problem(message, hint=f"leave the key out to say {meaning}, or write []")


def _with_keys_of_text(data: Mapping[Any, Any]) -> tuple[dict[str, Any], list[Problem]]:
    values = dict(data)
    problems = []
    if {*map(type, values)} - {str}:
        # Old versions of cattrs cannot list these.
        odd = [key for key in values if not isinstance(key, str)]
        problems = [unknown_key(str(key), ()) for key in odd]
        values = {key: value for key, value in values.items() if isinstance(key, str)}
    if "origin" in values:
        # A field of ours, but no key of a file: where something was read is not for it to say.
        del values["origin"]
        problems.append(unknown_key("origin", ()))
    return values, problems


def _agent_origin(whole: Origin | None, span: Span | None, prompt: Prompt | None) -> Origin | None:
    file, digest = (None, None) if prompt is None else (prompt.file, prompt.digest)
    if whole is None:
        return None if file is None else Origin(prompt_file=file, prompt_digest=digest)
    return Origin(whole.path, span, file, whole.format, prompt_digest=digest)


def _reported(instance: T | None, problems: list[Problem], reading: Reading) -> T:
    if instance is None or has_errors(problems):
        raise SpecError(problems)
    reading.report(problems)
    return instance


def _is_of_runtime(cls: Any) -> bool:
    return _qualified_name(cls) in FORWARD


def _forward_hook(cls: Any) -> Callable[[Any], Any]:
    module, function = FORWARD[_qualified_name(cls)]
    build: Callable[[Any], Any] = getattr(import_module(module), function)
    return build


def _qualified_name(cls: Any) -> str:
    return f"{getattr(cls, '__module__', '')}.{getattr(cls, '__qualname__', '')}"
