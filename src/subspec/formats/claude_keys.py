"""What Claude Code makes of the front matter of an agent: key by key, leniently.

A value that it does not understand does not stop it: it goes on as if the key were not there, and
says so in its debug log at most. The same is done here, with a problem that says it.
"""

import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, get_args

from attrs import evolve, frozen

from subspec import facts
from subspec.formats.claude_cli import camel
from subspec.hooks import EVENTS, HookTable
from subspec.mcp import ServerReferences
from subspec.problems import (
    IGNORED_KEY,
    IGNORED_VALUE,
    NOT_AN_AGENT,
    NULL_TOOLS,
    UNKNOWN_KEY,
    WIDENS,
    Fix,
    Problem,
    below,
    closest,
    did_you_mean,
    errors_in,
    fold,
    one_of,
    other_word,
    quoted,
)
from subspec.shapes import MAX_DIGITS, MAX_INTEGER, kind
from subspec.source.frontmatter import BLANKS, text_of
from subspec.spec import EffortLevel, Isolation, MemoryScope, PermissionMode
from subspec.structure.walker import MEANT
from subspec.tools import EVERY_TOOL, split_entry

IGNORED = "Claude Code ignores it"

GUARDS = facts.HOOK_GUARDS

_NOT_SEARCHED = ("lspServers", "mcpServers", "metadata")
_SILENT = frozenset({"experimental"})
_NOT_MEANT = frozenset({"mode"})
_WITHOUT = {
    "tools": "the agent gets every tool",
    "disallowedTools": "no tool is taken away from the agent",
    "permissionMode": "the agent runs in the mode of whoever calls it",
}
"""Keys that hold an agent back, and what happens without them."""

_SCALARS = (bool, float, int, str)
_YES = ("1", "true", "yes", "on")
_NO = ("0", "false", "no", "off")
_LEVELS = {"med": "medium"}
_EFFORT_WANTED = f"{one_of(get_args(EffortLevel))}, or a whole number"
_LONGEST_SPELT = 32
_EXPONENT = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}([_,\u00a0\u202f ])[0-9]{3}(?:\1[0-9]{3})*")
_SEPARATOR = re.compile(r"[_,\u00a0\u202f ]")
_LEADING_NUMBER = re.compile(rf"[{BLANKS}]*([+-]?[0-9]{{1,{MAX_DIGITS}}})")

Reading = tuple[Any, list[Problem]]
"""The value of a field, None where the key counts as not given, and what is odd about it."""


@frozen
class Key:
    """A key of the front matter: the field it is read into, and how."""

    field: str
    read: Callable[[Any], Reading]
    reads_null: bool = False
    """Whether null says something else than that the key is not given."""


def read_keys(data: Mapping[str, Any]) -> tuple[dict[str, Any], list[Problem]]:
    """Read the front matter of an agent, but its name.

    Returns:
        The fields that are given, and what is wrong or odd, with paths in the front matter. Where
        the code of a problem is that of :data:`NOT_AN_AGENT`, Claude Code drops the agent.
    """
    values: dict[str, Any] = {}
    extra: dict[str, Any] = {}
    problems: list[Problem] = []
    for name, value in data.items():
        key = KEYS.get(name)
        if name == "name":
            continue
        if key is None:
            extra[name] = value
            if name not in _SILENT:
                problems.append(_unknown(name, data))
        elif value is not None or key.reads_null:
            values[key.field], odd = key.read(value)
            if odd:
                problems += below((name,), odd)
    if extra:
        values["extra"] = extra
    problems += _misplaced_guards(data)
    return values, problems


def field_path(path: tuple[str | int, ...]) -> tuple[str | int, ...]:
    """Turn a path in the fields of an agent into one in the keys of the front matter."""
    first, *rest = path
    return tuple(rest) if first == "extra" else (_KEY_OF.get(first, first), *rest)


def _dropped(
    value: object, wanted: str, hint: str | None = None, fix: Fix | None = None
) -> Reading:
    message = f"must be {wanted}, not {kind(value)}; {IGNORED}"
    return None, [IGNORED_VALUE.problem(message, hint=hint, fix=fix)]


def _description(value: Any) -> Reading:
    # Claude Code lets people write line ends as an escape, in whatever quotes.
    return value.replace("\\n", "\n") if isinstance(value, str) else None, []


def _names(value: Any) -> Reading:
    """Read a list of names, or a text with commas or blanks between them; None for all else."""
    if isinstance(value, str):
        return tuple(split_entry(value)), []
    if not isinstance(value, list):
        return None, []
    names = [name for entry in value if isinstance(entry, str) for name in split_entry(entry)]
    odd = [
        IGNORED_VALUE.problem(f"must be text, not {kind(entry)}; {IGNORED}", (index,))
        for index, entry in enumerate(value)
        if not isinstance(entry, str)
    ]
    return tuple(names), odd


def _tools(value: Any) -> Reading:
    if value is None:
        message = "tools is null, which Claude Code takes as no tools at all"
        hint = "leave the key out to say all, or write [] to say none"
        return (), [evolve(NULL_TOOLS.problem(message, hint=hint), severity="warning")]
    names, odd = _names(value)
    if names is None:
        message = f"must be a list, not {kind(value)}; Claude Code takes it as no tools at all"
        return (), [IGNORED_VALUE.problem(message, hint="write [] if that is meant")]
    return (None if EVERY_TOOL in names else names), odd


def _disallowed_tools(value: Any) -> Reading:
    if value is None:
        message = "disallowedTools is null, and Claude Code takes no tool away"
        hint = "leave the key out, or write the tools to take away"
        return None, [evolve(NULL_TOOLS.problem(message, hint=hint), severity="warning")]
    names, odd = _names(value)
    hint = "write the names of the tools to take away"
    if names is None:
        message = f"must be a list, not {kind(value)}; Claude Code takes no tool away"
        return None, [WIDENS.problem(message, hint=hint)]
    if EVERY_TOOL in names:
        message = "with '*' among the tools to take away, Claude Code takes none away"
        return None, [*odd, WIDENS.problem(message, hint=hint)]
    return names, odd


def _skills(value: Any) -> Reading:
    names, odd = _names(value)
    return (names, odd) if names is not None else _dropped(value, "a list")


def _model(value: Any) -> Reading:
    if not isinstance(value, str) or not (name := value.strip(BLANKS)):
        return _dropped(value, "a model alias or id")
    return ("inherit" if name.lower() == "inherit" else name), []


def _text(value: Any) -> Reading:
    return (value, []) if _is_said(value) else _dropped(value, "text")


def _name(value: Any) -> Reading:
    return (value.strip(BLANKS), []) if _is_said(value) else _dropped(value, "the name of an agent")


def _is_said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip(BLANKS))


def _choice(choices: Iterable[str], aliases: Mapping[str, str] | None = None) -> Any:
    choices = tuple(choices)

    def read(value: Any) -> Reading:
        if not isinstance(value, str):
            return _dropped(value, one_of(choices))
        meant = (aliases or {}).get(value, value)
        if meant in choices:
            return meant, []
        hint, fix = did_you_mean(value, choices), other_word(value, choices)
        return _dropped(value, one_of(choices), hint, fix)

    return read


def _flag(value: Any) -> Reading:
    for meant, spellings in ((True, (True, "true")), (False, (False, "false"))):
        # 1 equals True, and is no flag.
        if isinstance(value, bool | str) and value in spellings:
            return meant, []
    return _dropped(value, "true or false")


def _sees_results(value: Any) -> Reading:
    words = text_of(value).strip(BLANKS).lower() if isinstance(value, _SCALARS) else ""
    if words in _YES:
        return True, []
    if words in _NO:
        return False, []
    message = f"must be true or false, not {kind(value)}; Claude Code takes it as false"
    return False, [IGNORED_VALUE.problem(message)]


def _effort(value: Any) -> Reading:
    if _is_number(value) and _is_kept(value):
        return int(value), []
    words = text_of(value).lower()
    level = _LEVELS.get(words, words)
    if level in get_args(EffortLevel):
        return level, []
    number = _leading_number(words)
    if number is not None:
        return number, []
    levels = get_args(EffortLevel)
    hint, fix = did_you_mean(words, levels), other_word(words, levels)
    return _dropped(value, _EFFORT_WANTED, hint, fix)


def _count(smallest: int) -> Callable[[Any], Reading]:
    wanted = f"a whole number of at least {smallest}"

    def read(value: Any) -> Reading:
        number = value if _is_number(value) else _number_in(text_of(value).strip(BLANKS))
        if number is None or not _is_kept(number) or number < smallest:
            return _dropped(value, wanted)
        return int(number), []

    return read


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_kept(number: float) -> bool:
    return abs(number) <= MAX_INTEGER and number == int(number)


def _number_in(text: str) -> float | None:
    """Read a number from text as Claude Code does: ``1e3``, ``1,000``, or what it begins with."""
    if len(text) <= _LONGEST_SPELT:
        if _EXPONENT.fullmatch(text):
            return float(text)
        if _GROUPED.fullmatch(text):
            text = _SEPARATOR.sub("", text)
    return _leading_number(text)


def _leading_number(text: str) -> int | None:
    match = _LEADING_NUMBER.match(text)
    number = None if match is None else int(match[1])
    return None if number is None or abs(number) > MAX_INTEGER else number


def _servers(value: Any) -> Reading:
    if not isinstance(value, list):
        return _dropped(value, "a list of servers")
    kept, odd = [], []
    for index, entry in enumerate(value):
        problems = _server_problems(entry)
        odd += below((index,), problems)
        if not problems:
            kept.append(entry)
    return kept, odd


def _server_problems(entry: Any) -> list[Problem]:
    if not isinstance(entry, str | dict):
        return _dropped(entry, "the name of a server, or one with its configuration")[1]
    entries: Any = [entry]
    return _as_ignored(errors_in(ServerReferences()(entries)), 0)


def _as_ignored(errors: Iterable[Problem], *parents: str | int) -> list[Problem]:
    """Turn errors in a part that Claude Code leaves out into warnings; `parents` lead to it."""
    return [
        evolve(
            IGNORED_VALUE.problem(f"{error.message}; {IGNORED}", hint=error.hint),
            path=error.path[len(parents) :],
        )
        for error in errors
    ]


def _hooks(value: Any) -> Reading:
    if not value:
        return None, []
    if not isinstance(value, Mapping) or _is_matcher(value):
        return None, [
            _unloadable(f"hooks must map events to lists of matchers, not be {kind(value)}")
        ]
    kept, odd = {}, []
    for event, matchers in value.items():
        kept[event], problems = _matchers(event, matchers)
        odd += below((event,), problems)
    return {event: matchers for event, matchers in kept.items() if matchers is not None}, odd


def _matchers(event: str, matchers: Any) -> Reading:
    """Read what an event has for hooks.

    What is wrong with a hook is no reason for Claude Code not to load the agent, unless it may be
    one that guards what the agent does.
    """
    is_list = isinstance(matchers, list)
    if event not in EVENTS:
        if _holds_guard(matchers, matchers_count=not is_list):
            return None, [_unloadable(f"{quoted(event)} is no event, and guards stand in it")]
        message = f"Claude Code has no event {quoted(event)}; {IGNORED}"
        return None, [IGNORED_VALUE.problem(message, hint=did_you_mean(event, EVENTS))]
    if not is_list:
        if (event in GUARDS and matchers is not None) or _holds_guard(matchers):
            return None, [_unloadable(f"must be a list of matchers, not {kind(matchers)}")]
        return _dropped(matchers, "a list of matchers")
    if event in GUARDS:
        errors = errors_in(HookTable()({event: matchers}))
        return matchers, [_unloadable(error.message, error.path[1:]) for error in errors]
    kept, odd = [], []
    for index, matcher in enumerate(matchers):
        read, problems = _matcher(event, matcher)
        odd += below((index,), problems)
        if read is not None:
            kept.append(read)
    return kept, odd


def _matcher(event: str, matcher: Any) -> Reading:
    if _holds_guard(matcher):
        return None, [_unloadable("guards stand where a matcher is expected")]
    if not isinstance(matcher, Mapping) or not isinstance(matcher.get("hooks"), list):
        return _dropped(matcher, "a mapping with a list of hooks")
    kept, odd = [], []
    for index, hook in enumerate(matcher["hooks"]):
        errors = errors_in(HookTable()({event: [{"hooks": [hook]}]}))
        odd += below(("hooks", index), _as_ignored(errors, event, 0, "hooks", 0))
        if not errors:
            kept.append(hook)
    errors = errors_in(HookTable()({event: [{**matcher, "hooks": []}]}))
    if errors:
        return None, _as_ignored(errors, event, 0)
    return {**matcher, "hooks": kept}, odd


def _unloadable(message: str, path: tuple[str | int, ...] = ()) -> Problem:
    message = f"{message}; Claude Code drops the agent, since a hook may be what holds it back"
    return NOT_AN_AGENT.problem(message, path)


def _misplaced_guards(data: Mapping[str, Any]) -> list[Problem]:
    """Find hooks outside of ``hooks`` that Claude Code does not load an agent without."""
    return [
        _unloadable("a hook that guards the agent stands outside of hooks", (key,))
        for key, value in data.items()
        # Most values are texts and numbers, which hold nothing.
        if key in GUARDS or not isinstance(value, _SCALARS)
        if _is_guard(key, value)
        or (
            key not in ("hooks", *_NOT_SEARCHED)
            and _holds_guard(value, matchers_count=key not in EVENTS, passed=_NOT_SEARCHED)
        )
    ]


def _is_guard(key: str, value: Any) -> bool:
    return key in GUARDS and value is not None and value != []


def _is_matcher(value: Any) -> bool:
    """Tell whether a mapping looks like one matcher with its hooks."""
    if not isinstance(value, Mapping) or ("matcher" not in value and not EVENTS.isdisjoint(value)):
        return False
    hooks = value.get("hooks")
    if isinstance(hooks, list):
        return bool(hooks)
    return isinstance(hooks, Mapping) and ("matcher" in value or isinstance(hooks.get("type"), str))


def _holds_guard(
    value: Any,
    depth: int = 3,
    *,
    matchers_count: bool = False,
    passed: Iterable[str] = (),
    in_hooks: bool = False,
) -> bool:
    """Tell whether a value holds hooks that guard an agent, at most `depth` levels down."""
    if isinstance(value, list):
        return depth > 0 and any(
            _holds_guard(
                item, depth - 1, matchers_count=matchers_count, passed=passed, in_hooks=in_hooks
            )
            for item in value
        )
    if not isinstance(value, Mapping):
        return False
    if any(_is_guard(key, item) for key, item in value.items()):
        return True
    if matchers_count and _is_matcher(value):
        return True
    if depth == 0 or (in_hooks and isinstance(value.get("type"), str)):
        return False
    return any(
        _holds_guard(
            item,
            depth - 1,
            matchers_count=matchers_count and key not in EVENTS,
            passed=passed,
            in_hooks=key == "hooks" and isinstance(item, list),
        )
        for key, item in value.items()
        if key not in passed
    )


def _unknown(key: str, given: Mapping[str, Any]) -> Problem:
    meant = _meant(key)
    if meant in _WITHOUT and meant not in given:
        message = f"Claude Code does not know the key {quoted(key)}: {_WITHOUT[meant]}"
        rename = Fix("rename", meant)
        return UNKNOWN_KEY.problem(message, (key,), hint=f"write '{meant}'", fix=rename)
    hint = None if meant is None else f"did you mean '{meant}'?"
    fix = None if meant is None or meant in given else Fix("rename", meant)
    message = f"Claude Code ignores the key {quoted(key)}"
    return IGNORED_KEY.problem(message, (key,), hint=hint, fix=fix)


def _meant(key: str) -> str | None:
    """Find the key that was probably meant."""
    folded = fold(key)
    if folded in MEANT:
        meant = camel(MEANT[folded])
        return meant if meant in KEYS else None
    return None if folded in _NOT_MEANT else closest(key, KEYS)


KEYS = {
    "name": Key("name", _text),
    "description": Key("description", _description),
    "tools": Key("tools", _tools, reads_null=True),
    "disallowedTools": Key("disallowed_tools", _disallowed_tools, reads_null=True),
    "model": Key("model", _model),
    "skills": Key("skills", _skills),
    "memory": Key("memory", _choice(get_args(MemoryScope))),
    "mcpServers": Key("mcp_servers", _servers),
    "initialPrompt": Key("initial_prompt", _text),
    "maxTurns": Key("max_turns", _count(1)),
    "background": Key("background", _flag),
    "effort": Key("effort", _effort),
    "permissionMode": Key(
        "permission_mode", _choice(get_args(PermissionMode), {"manual": "default"})
    ),
    "color": Key("color", _choice(facts.COLORS)),
    "hooks": Key("hooks", _hooks),
    "isolation": Key("isolation", _choice(get_args(Isolation))),
    "omitClaudeMd": Key("omit_claude_md", _flag),
    "autoCompactWindow": Key("auto_compact_window", _count(facts.SMALLEST_WINDOW)),
    "observer": Key("observer", _name),
    "observerMessage": Key("observer_message", _text),
    "observeSubagents": Key("observe_subagents", _flag),
    "observeToolResults": Key("observe_tool_results", _sees_results, reads_null=True),
}
"""The keys of the front matter that Claude Code reads."""

_KEY_OF: dict[Any, str] = {key.field: name for name, key in KEYS.items()}
