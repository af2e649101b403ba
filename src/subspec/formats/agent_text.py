"""The text of files of one agent each: of new ones, and of those that are changed.

What the program would read as something else is never written: that is said, as a problem.
"""

from collections.abc import Callable, Mapping
from typing import Any

from attrs import evolve, frozen

from subspec.formats.agent_files import (
    FILE_PROMPT,
    MAX_FILE,
    SpelledFile,
    read_spelled_text,
    with_plain_ends,
)
from subspec.formats.claude_text import file_name as markdown_name
from subspec.formats.spelling import Context, Lost, Spelling, lost, lost_value
from subspec.formats.tool_names import meaning_of
from subspec.problems import (
    NOT_FAITHFUL,
    NOT_IN_FORMAT,
    WIDENS,
    Problem,
    SpecError,
    below,
    errors_in,
)
from subspec.source.compare import MISSING, merged, same
from subspec.source.edit import NotFaithfulError, rewrite
from subspec.source.emit import Layout, YamlWriter, checked, emit_json
from subspec.source.frontmatter import BLANKS, FENCE
from subspec.source.toml import emit_toml, rewrite_toml
from subspec.spec import SubagentSpec
from subspec.structure import plain


@frozen
class AgentText:
    """The text of a file, and what it cannot say."""

    text: str
    losses: tuple[Lost, ...]
    name: str
    """What the agent is called there."""

    spec: SubagentSpec | None = None
    """The agent, as it reads back."""


class OneLineWriter(YamlWriter):
    """Writes no block of text, which simple readers of YAML do not know."""

    def goes_to_block(self, *_args: Any, **_options: Any) -> bool:
        """Tell that a text stays on its line."""
        return False


def writer_of(spelling: Spelling) -> type[YamlWriter]:
    """Give what writes the front matter of a program."""
    return OneLineWriter if spelling.plain_yaml else YamlWriter


def new_text(
    spelling: Spelling, name: str, spec: SubagentSpec, file: str | None = None
) -> AgentText:
    """Write an agent as the text of a new file.

    Args:
        spelling: The table.
        name: The name that the agent is to have.
        spec: The agent.
        file: The name of the file; None: that which the agent gives it.

    Raises:
        ImportError: The medium needs a package that is not installed.
        SpecError: It cannot be written so that it reads back as what is meant.
    """
    said, losses = _said(spelling, {}, None, spec)
    fitting, of_name = _fitting(spelling, name)
    data: dict[str, Any] = {}
    is_named = _is_file_name(fitting) and file in (None, f"{fitting}{spelling.suffix}")
    if spelling.name_key is not None and not (spelling.names_file and is_named):
        data[spelling.name_key] = fitting
    data |= {key: said[key] for key in spelling.keys if key in said}
    data |= {key: value for key, value in spelling.defaults.items() if key not in said}
    data |= {key: value for key, value in said.items() if key not in data}
    prompt, of_prompt = _prompt(spelling, spec)
    losses = [*of_name, *losses, *of_prompt]
    try:
        text = _emitted(spelling, data, prompt)
    except (TypeError, ValueError) as error:
        raise _unfaithful(spelling, name) from error
    return _seen(spelling, AgentText(text, tuple(losses), fitting), name, spec)


def changed_text(file: SpelledFile, name: str, spec: SubagentSpec) -> AgentText:
    """Write a file so that it says another agent; what is not changed stays as it is.

    Args:
        file: The file, which has an agent that can be used.
        name: The name that the agent is to have.
        spec: The agent.

    Raises:
        ImportError: The medium needs a package that is not installed.
        SpecError: It cannot be written so that it reads back as what is meant.
    """
    spelling, document, old = file.spelling, file.document, file.spec
    if old is None or file.name is None:
        msg = "only a file with an agent can be changed"
        raise ValueError(msg)
    try:
        said, losses = _said(spelling, document.data, old, spec)
    except SpecError as error:
        raise SpecError(below(("agents", name), error.problems)) from None
    data = _merged_data(spelling, document.data, said)
    fitting, of_name = _fitting(spelling, name)
    if fitting != file.name and spelling.name_key is not None:
        data[spelling.name_key] = fitting
    prompt, of_prompt = _prompt(spelling, spec)
    before, _ = _prompt(spelling, old)
    changed = prompt != before
    losses = [*of_name, *losses, *(of_prompt if changed else ())]
    if changed and old.origin is not None and old.origin.prompt_file is not None:
        raise _of_prompt_file(spelling, name)
    if changed and spelling.prompt_key is not None:
        data[spelling.prompt_key] = prompt
    try:
        text = _rewritten(file, data, prompt if changed else None)
    except (NotFaithfulError, TypeError, ValueError) as error:
        raise _unfaithful(spelling, name) from error
    result = AgentText(text, tuple(losses), fitting)
    if text == document.text:
        return evolve(result, spec=old)
    return _seen(spelling, result, name, spec)


def losses_of(spelling: Spelling, spec: SubagentSpec) -> list[Lost]:
    """Say what a new file could not say of an agent, its name aside."""
    return [*_said(spelling, {}, None, spec)[1], *_prompt(spelling, spec)[1]]


def fitting_name(spelling: Spelling, name: str, taken: Callable[[str], bool]) -> str:
    """Choose a name for an agent: its own, if the program takes it.

    Args:
        spelling: The table.
        name: The name of the agent.
        taken: Tells whether another agent has a name.
    """
    first = found = _fitting(spelling, name)[0]
    number = 1
    while taken(found):
        number += 1
        found = f"{first}-{number}"
    return found


def file_name(spelling: Spelling, name: str, taken: Callable[[str], bool]) -> str:
    """Choose a name for the file of a new agent.

    Args:
        spelling: The table.
        name: The name of the agent.
        taken: Tells whether there is a file of a name.
    """
    end = spelling.suffix
    if spelling.hidden is not None:
        name = name.lstrip(f"-.{spelling.hidden}")

    def is_taken(chosen: str) -> bool:
        return taken(chosen.removesuffix(".md") + end)

    return markdown_name(name, is_taken).removesuffix(".md") + end


def problems_of(losses: tuple[Lost, ...], name: str, title: str) -> list[Problem]:
    """Give losses as problems."""
    found = []
    for each in losses:
        path = ("agents", name, *each.field.split(".", 1))
        message = f"{title} cannot say it: {each.reason}"
        if each.widens:
            hint = "the agent could do more than it says"
            found.append(WIDENS.problem(message, path, hint=hint))
        else:
            found.append(NOT_IN_FORMAT.problem(f"{message}; {each.instead}", path))
    return found


def _is_file_name(name: str) -> bool:
    return markdown_name(name, lambda _: False) == f"{name}.md"


def _ours(spelling: Spelling) -> set[str | None]:
    return {spelling.name_key, spelling.prompt_key}


def _merged_data(
    spelling: Spelling, written: Mapping[str, Any], said: Mapping[str, Any]
) -> dict[str, Any]:
    """Give what a file is to hold: its keys in their order, then new ones."""
    kept = _ours(spelling) | {
        key for key, value in spelling.defaults.items() if key in written and written[key] == value
    }
    data = {key: said.get(key, written[key]) for key in written if key in kept or key in said}
    return data | {key: value for key, value in said.items() if key not in data}


def _said(
    spelling: Spelling,
    written: Mapping[str, Any],
    old: SubagentSpec | None,
    new: SubagentSpec,
) -> tuple[dict[str, Any], list[Lost]]:
    """Give the keys that say an agent, but its name and its prompt, and what they cannot say."""
    before, wanted = {} if old is None else plain(old), plain(new)
    is_own = new.origin is not None and new.origin.format == spelling.name
    data: dict[str, Any] = {}
    losses: list[Lost] = []
    covered = {"prompt", "extra"}
    for name, key in spelling.keys.items():
        covered |= set(key.fields)
        some = {field: wanted[field] for field in key.fields if field in wanted}
        now = written.get(name, MISSING)
        if old is not None and same(some, {f: before[f] for f in key.fields if f in before}):
            # What is not changed is not judged anew either.
            if now is not MISSING:
                data[name] = now
            continue
        value, more = key.write(some, Context(spelling.title, now, is_own))
        losses += more
        if value is not MISSING:
            data[name] = value
    losses += [
        lost_value(field, wanted[field], f"{spelling.title} has no key for it")
        for field in wanted
        if field not in covered and not same(wanted[field], before.get(field))
    ]
    own, more = _extra(spelling, written, before.get("extra", {}), wanted.get("extra", {}), is_own)
    return data | own, [*losses, *more]


def _extra(
    spelling: Spelling,
    written: Mapping[str, Any],
    old: Mapping[str, Any],
    new: Mapping[str, Any],
    is_own: bool,  # noqa: FBT001
) -> tuple[dict[str, Any], list[Lost]]:
    """Give the keys that no field models, and say which are lost."""
    data = {key: value for key, value in written.items() if key in old and key in new}
    losses = []
    for key, value in new.items():
        if key in old and same(old[key], value):
            continue
        known = spelling.own.get(key)
        faults = [] if known is None or known.check is None else errors_in(known.check(value))
        if faults and is_own:
            raise SpecError(below((key,), faults))
        fits = known is not None and not faults
        if fits or (is_own and key not in _ours(spelling) and spelling.unknown != "error"):
            data[key] = merged(written.get(key), old.get(key), value)
            continue
        reason = f"{spelling.title} does not know the key {key}"
        if faults:
            reason = f"{spelling.title} does not take {key}: it {faults[0].message}"
        losses.append(lost(f"extra.{key}", reason, widens=holds_back(key, value)))
    return data, losses


def holds_back(key: str, value: Any) -> bool:
    """Tell whether a value holds an agent back that some program has under a key."""
    from subspec.formats import SPELLINGS  # noqa: PLC0415 - the tables of which this is the work

    tables = SPELLINGS.usable()
    return any(key in table.own and table.own[key].holds_back(value) for table in tables)


def _fitting(spelling: Spelling, name: str) -> tuple[str, list[Lost]]:
    if spelling.name_fault(name) is None:
        return name, []
    fitting = spelling.fitting(name)
    reason = f"{spelling.title} takes no such name: {spelling.name_fault(name)}"
    return fitting, [Lost("name", reason, f"it is called {fitting} there")]


def _prompt(spelling: Spelling, spec: SubagentSpec) -> tuple[str, list[Lost]]:
    prompt = with_plain_ends(spec.prompt)
    if not spelling.trims:
        if spelling.prompt_files and prompt.startswith(FILE_PROMPT):
            reason = f"{spelling.title} takes it for the name of a file"
            return f"\n{prompt}", [lost("prompt", reason, "a line end is put before it")]
        return prompt, []
    stripped = prompt.strip(BLANKS)
    losses = []
    if not same(prompt.strip("\r\n"), stripped):
        reason = f"{spelling.title} drops the blanks around a prompt"
        losses.append(lost("prompt", reason, "they are left out"))
    fault = spelling.prompt_fault(stripped)
    if fault is not None and spelling.prompt_severity == "warning":
        reason = f"{spelling.title} may refuse it: {fault}"
        losses.append(lost("prompt", reason, "it is written all the same"))
    return stripped, losses


def _emitted(spelling: Spelling, data: dict[str, Any], prompt: str) -> str:
    if spelling.prompt_key is not None:
        data = {**data, spelling.prompt_key: prompt}
        return emit_toml(data) if spelling.medium == "toml" else emit_json(data)
    layout = Layout(forbidden=FENCE, block_keys=frozenset())
    writer = writer_of(spelling)(layout)
    writer.node("", checked(data), 0)
    return "\n".join([FENCE, *writer.lines, FENCE, "", prompt, ""])


def _rewritten(file: SpelledFile, data: dict[str, Any], prompt: str | None) -> str:
    document, fences = file.document, file.fences
    if file.spelling.medium == "toml":
        return rewrite_toml(document, data)
    front = rewrite(document, data, fences=fences)
    if fences is None or prompt is None:
        return front
    text = document.text
    head = front[: len(front) - len(text) + fences.body_start]
    line_end = "\r\n" if "\r\n" in text else "\n"
    return head + prompt.replace("\n", line_end) + text[fences.body_end :]


def _seen(spelling: Spelling, result: AgentText, name: str, spec: SubagentSpec) -> AgentText:
    """Read a text back, and refuse it if it does not say an agent."""
    if len(result.text.encode("utf-8", "surrogatepass")) > MAX_FILE:
        message = f"the file would be larger than {MAX_FILE // 1024**2} MiB"
        raise SpecError([NOT_FAITHFUL.problem(message, ("agents", name))])
    found = read_spelled_text(spelling, result.text, result.name)
    errors = errors_in(found.problems)
    if found.spec is None or errors:
        # The places are those of a text that is never written.
        faults = [
            evolve(each, span=None, excerpt=None, path=("agents", name, *each.path))
            for each in errors
        ]
        raise SpecError(faults or _unfaithful(spelling, name).problems)
    missing = {each.field.split(".")[0] for each in result.losses}
    for field in [*plain(spec), *plain(found.spec)]:
        if field in missing:
            continue
        if not says_the_same(field, getattr(spec, field), getattr(found.spec, field)):
            raise _unfaithful(spelling, name, field)
    if found.name != result.name:
        raise _unfaithful(spelling, name, "name")
    return evolve(result, spec=found.spec)


def says_the_same(field_name: str, one: Any, other: Any) -> bool:
    """Tell whether two values of a field mean the same to an agent.

    The order of tools says nothing, nor do blank lines around a prompt, or how lines end.
    """
    if field_name in ("tools", "disallowed_tools") and one is not None and other is not None:
        return {*map(meaning_of, one)} == {*map(meaning_of, other)}
    if isinstance(one, str) and isinstance(other, str) and field_name == "prompt":
        return _as_said(one) == _as_said(other)
    return bool(one == other)


def _as_said(prompt: str) -> str:
    return with_plain_ends(prompt).strip("\r\n")


def _unfaithful(spelling: Spelling, name: str, *path: str) -> SpecError:
    message = f"there is no way to write this for {spelling.title} so that it reads back the same"
    return SpecError([NOT_FAITHFUL.problem(message, ("agents", name, *path))])


def _of_prompt_file(spelling: Spelling, name: str) -> SpecError:
    message = f"the prompt is a file of its own, which {spelling.title} reads"
    problem = NOT_FAITHFUL.problem(message, ("agents", name, "prompt"), hint="change that file")
    return SpecError([problem])
