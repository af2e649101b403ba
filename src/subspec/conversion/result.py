"""What a conversion is: files in another format, and what is lost on the way."""

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, TypeVar

from attrs import Factory, evolve, field, fields, frozen
from immutabledict import immutabledict

from subspec import formats
from subspec.formats.agent_text import holds_back, says_the_same
from subspec.formats.spelling import Lost
from subspec.formats.table import RESTRICTING
from subspec.formats.tool_keys import one_of_all
from subspec.formats.tool_names import is_claude_codes
from subspec.models import judge
from subspec.problems import WIDENS, Problem, SpecError, quoted
from subspec.source.compare import same
from subspec.source.replace import Change
from subspec.spec import ClaudeConfig, SubagentSpec
from subspec.structure import plain
from subspec.structure.rules import RULES_MEANT
from subspec.tools import MCP_PREFIX, split_rule

SESSION_GUARDS = frozenset(
    """
    disallowed_tools max_budget_usd max_turns permission_mode sandbox setting_sources
    strict_mcp_config tools
    """.split()
)


@frozen
class Loss:
    """Something that the other format cannot say, or says otherwise."""

    agent: str | None
    """The name of the agent; None for what the session as a whole says."""

    field: str
    """The field of the agent or of the session; ``extra.KEY`` for a key that no field models."""

    reason: str
    """Why it cannot be said."""

    instead: str
    """What happens in its place."""

    widens: bool = False
    """Whether the agent may do more than its text says."""


@frozen
class Override:
    """Something that a file said before, and that the source says otherwise."""

    agent: str | None
    """The name of the agent; None for the session as a whole."""

    field: str
    file: str
    """The file, relative to the directory."""

    found: Any
    """What the file says; None where it says nothing."""

    written: Any
    """What it is to say."""


@frozen
class Conversion:
    """What comes of a configuration in another format."""

    to: str
    """The name of the format."""

    files: immutabledict[str, str]
    """The texts of the files, by their paths relative to the directory, with ``/`` in them."""

    losses: tuple[Loss, ...]
    """What is lost, agent by agent."""

    overrides: tuple[Override, ...] = ()
    """What files said otherwise that were there; edits made by hand are among them."""

    others: tuple[str, ...] = ()
    """The names of agents that are there and that the source does not have; they stay."""

    changes: tuple[Change, ...] = field(default=(), repr=False)
    """What would have to be written so that the files are there."""

    @property
    def widens(self) -> tuple[Loss, ...]:
        """The losses through which an agent may do more than its text says."""
        return tuple(loss for loss in self.losses if loss.widens)


@frozen
class Draft:
    """A conversion on its way."""

    to: str
    files: dict[str, str] = Factory(dict)
    losses: list[Loss] = Factory(list)
    overrides: list[Override] = Factory(list)
    others: list[str] = Factory(list)
    changes: list[Change] = Factory(list)

    def add(self, path: str, text: str, change: Change | None) -> None:
        """Add a file, and what has to be written for it."""
        self.files[path] = text
        if change is not None and change.before != change.after:
            self.changes.append(change)

    def lose(self, agent: str | None, losses: Iterable[Lost]) -> None:
        """Note what is lost, one entry for a field and a reason."""
        for each in losses:
            loss = Loss(agent, each.field, each.reason, each.instead, each.widens)
            if loss not in self.losses:
                self.losses.append(loss)

    def leave(self, there: Iterable[str | None], made: Collection[str]) -> None:
        """Note which agents are there and stay as they are."""
        self.others.extend(sorted({name for name in there if name is not None} - {*made}))

    def keep(self, agent: str, kept: Mapping[str, Any]) -> None:
        """Note that a file keeps what the source could not say there."""
        for index, loss in enumerate(self.losses):
            if loss.agent == agent and loss.field in kept:
                stays = f"the file's own stays: {quoted(kept[loss.field])}"
                self.losses[index] = evolve(loss, instead=stays)

    def compare(
        self,
        agent: str | None,
        file: str,
        old: SubagentSpec | ClaudeConfig,
        new: SubagentSpec | ClaudeConfig,
    ) -> None:
        """Note what a file said otherwise."""
        self.compare_data(agent, file, plain(old), plain(new))

    def compare_data(
        self, agent: str | None, file: str, before: Mapping[str, Any], after: Mapping[str, Any]
    ) -> None:
        """Note the same of plain data."""
        for name in {**before, **after}:
            found, written = before.get(name), after.get(name)
            if not same(found, written, ordered=False):
                self.overrides.append(Override(agent, name, file, found, written))

    def finish(self) -> Conversion:
        """Give the conversion."""
        return Conversion(
            self.to,
            immutabledict(self.files),
            tuple(self.losses),
            tuple(self.overrides),
            tuple(self.others),
            tuple(self.changes),
        )


def session_losses(config: ClaudeConfig, title: str) -> list[Lost]:
    """Say what is lost of a session where only agents can be said."""
    reason = f"{title} has files for agents only"
    return [
        Lost(key, reason, "it is left out", key in SESSION_GUARDS)
        for key in plain(config)
        if key != "agents"
    ]


def source_of(config: ClaudeConfig, spec: SubagentSpec) -> str | None:
    """Name the format that an agent was read from; None for one made in Python."""
    origin = config.origin if spec.origin is None else spec.origin
    return None if origin is None else origin.format


def for_claude(
    spec: SubagentSpec, title: str, source: str | None, *, keeps_extra: bool = True
) -> tuple[SubagentSpec, list[Lost]]:
    """Leave out what only other programs understand.

    Args:
        spec: An agent.
        title: What the format is called in sentences.
        source: The name of the format that it was read from.
        keeps_extra: Whether it can hold keys that no field models.
    """
    losses: list[Lost] = []
    changes: dict[str, Any] = {}
    for name in ("tools", "disallowed_tools"):
        names = getattr(spec, name)
        if names is None:
            continue
        foreign = [each for each in names if not is_claude_codes(each)]
        if foreign:
            changes[name] = tuple(each for each in names if each not in foreign)
            reason = f"{title} has no {one_of_all(foreign)}"
            losses.append(Lost(name, reason, "it is left out", name == "disallowed_tools"))
            names = changes[name]
        left, ruled = _without_rules(name, names, title)
        if source in CLAUDES:
            # Nor did they hold anything back where they come from.
            losses += [evolve(each, instead=AS_IT_IS, widens=False) for each in ruled]
        elif ruled:
            changes[name] = left
            losses += ruled
    others = [key for key in spec.extra if not keeps_extra or _is_of_others(key)]
    if others:
        changes["extra"] = {key: spec.extra[key] for key in spec.extra if key not in others}
        losses += [
            Lost(
                f"extra.{key}",
                f"{title} does not read {key}",
                "it is left out",
                holds_back(key, spec.extra[key]),
            )
            for key in others
        ]
    model = model_for_claude(spec, title)
    if model:
        changes["model"] = None
    return evolve(spec, **changes), [*losses, *model]


AS_IT_IS = "it is written all the same"
CLAUDES = ("claude_cli", "claude_code")
"""The formats that only Claude Code reads."""


def _without_rules(
    field_name: str, names: Iterable[str], title: str
) -> tuple[tuple[str, ...], list[Lost]]:
    """Leave out rules in parentheses, which hold nothing back in an agent."""
    left = tuple(dict.fromkeys(map(_without_rule, names)))
    ruled = next((each for each in names if each not in left), None)
    if ruled is None:
        return tuple(names), []
    reason = f"{title} ignores rules such as {quoted(ruled)} in an agent"
    if field_name == "tools":
        return left, [Lost(field_name, reason, "the whole tool is written", widens=True)]
    return left, [Lost(field_name, reason, "the whole tool is taken away")]


def _without_rule(name: str) -> str:
    tool, rule = split_rule(name)
    is_read = rule is None or tool in RULES_MEANT or tool.startswith(MCP_PREFIX)
    return name if is_read else tool


def model_for_claude(spec: SubagentSpec, title: str) -> list[Lost]:
    """Say that a model is lost which Claude Code would refuse."""
    if spec.model is None or judge(spec.model) != "unknown":
        return []
    reason = f"{title} does not know the model {quoted(spec.model)}"
    return [Lost("model", reason, "the model of the caller is used")]


def _is_of_others(key: str) -> bool:
    from subspec.formats.subagent_config import SubAgentSpec  # noqa: PLC0415 - for extra keys only

    return hasattr(fields(SubAgentSpec), key) or any(
        key in table.own or key in table.keys for table in formats.SPELLINGS.values()
    )


def lost_by(problems: Iterable[Problem], extra: Mapping[str, Any]) -> list[Lost]:
    """Turn problems of writing an agent, with such keys that no field models, into losses."""
    return [
        Lost(
            field_of(problem.path),
            said_of(problem),
            "it is left out",
            problem.code == WIDENS.name or _holds_back(str(problem.path[-1]), extra),
        )
        for problem in problems
    ]


def _holds_back(key: str, extra: Mapping[str, Any]) -> bool:
    return key in extra and holds_back(key, extra[key])


def said_of(problem: Problem) -> str:
    """Give why something cannot be said, without what happens instead."""
    return problem.message.removesuffix("; it is left out")


def field_of(path: tuple[str | int, ...]) -> str:
    """Give the field that a path of a configuration leads to."""
    return ".".join(map(str, path[2:] if path[0] == "agents" else path))


def refused(name: str, spec: SubagentSpec, error: SpecError) -> list[Problem]:
    """Say why an agent cannot be said, by the name and the file that it has in the source."""
    path = None if spec.origin is None else spec.origin.path
    file = None if path is None else str(path)
    return [
        each
        if each.file is not None
        else evolve(
            each,
            path=("agents", name, *(each.path[2:] if each.path[:1] == ("agents",) else each.path)),
            file=file,
        )
        for each in error.problems
    ]


T = TypeVar("T")


def said_as_far_as_possible(
    make: Callable[[SubagentSpec], T], spec: SubagentSpec, key_of: Callable[[str], str | None]
) -> tuple[T, SubagentSpec, list[Lost]]:
    """Write an agent; leave out what would not read back as what it is.

    Args:
        make: Writes it; raises SpecError with the path of what cannot be written.
        spec: The agent.
        key_of: Gives the field that a key of the file stands for.

    Returns:
        What was written, the agent that it says, and what was left out.

    Raises:
        SpecError: It cannot be written at all.
    """
    losses: list[Lost] = []
    while True:
        try:
            return make(spec), spec, losses
        except SpecError as error:
            found = [_lost_with(each, key_of) for each in error.problems]
            more = [each for each in found if each is not None]
            after = without(spec, more)
            if len(more) < len(found) or after == spec:
                raise
            spec = after
            losses += more


def _lost_with(problem: Problem, key_of: Callable[[str], str | None]) -> Lost | None:
    """Give the loss with which a problem would go, if there is one."""
    path = problem.path[2:] if problem.path[:1] == ("agents",) else problem.path
    if not path:
        return None
    first = str(path[0])
    name = first if hasattr(fields(SubagentSpec), first) else key_of(first)
    if name in (*_NEVER_OUT[:2], "name", None):
        return None
    return Lost(str(name), problem.message, "it is left out", name in RESTRICTING)


KEPT = ("color", "effort", "model")
"""Fields that a file keeps where the source says nothing that can be said there."""


def kept_of(old: SubagentSpec, new: SubagentSpec, unsayable: Collection[str]) -> dict[str, Any]:
    """Give the values that a file keeps."""
    return {
        name: getattr(old, name)
        for name in KEPT
        if getattr(old, name) is not None and (getattr(new, name) is None or name in unsayable)
    }


def settled(old: SubagentSpec, new: SubagentSpec) -> SubagentSpec:
    """Leave what means the same as it is written."""
    same_still = {
        name: getattr(old, name)
        for name in plain(old)
        if name != "extra" and says_the_same(name, getattr(old, name), getattr(new, name))
    }
    return evolve(new, **same_still)


def without(spec: SubagentSpec, losses: Iterable[Lost]) -> SubagentSpec:
    """Take out of a spec what is lost."""
    names = {each.field for each in losses}
    gone: dict[str, Any] = dict.fromkeys(
        name for name in plain(spec) if name in names and name not in _NEVER_OUT
    )
    extra = {key: spec.extra[key] for key in spec.extra if not {"extra", f"extra.{key}"} & names}
    return evolve(spec, **{**gone, "extra": extra})


_NEVER_OUT = ("description", "prompt", "extra")
