"""YAML text to plain data with places.

PyYAML parses; its events are built into data here. That is faster than PyYAML's own way from
events to data, and it is the only way to keep the place of everything, to refuse a key that is
given twice, and to evaluate no tag. Where PyYAML has no C parser its Python one gives the same, but
for odd corners such as tabs behind a value, which it refuses.
"""

import re
from collections.abc import Callable, Iterator
from types import NoneType
from typing import Any, NoReturn

import yaml
from attrs import define
from yaml.reader import Reader

from subspec.problems import (
    ALIAS_LIMIT,
    BAD_CHARACTER,
    BAD_MERGE,
    BAD_NUMBER,
    DUPLICATE_KEY,
    EMPTY,
    NOT_A_STRING_KEY,
    RECURSIVE_ALIAS,
    SEVERAL_DOCUMENTS,
    TAG,
    TOO_DEEP,
    UNKNOWN_ALIAS,
    YAML_SYNTAX,
    Code,
    quoted,
)
from subspec.shapes import MAX_DEPTH, kind
from subspec.source.document import Document
from subspec.source.scalars import MAY_RESOLVE, BadNumberError, resolve

try:
    from yaml import CSafeLoader as _Loader
except ImportError:  # a PyYAML that was built without libyaml
    from yaml import SafeLoader as _Loader  # type: ignore[assignment]

MAX_EXPANSION = 250_000
"""How many values aliases and merge keys may add to those that are written."""

_UNPRINTABLE = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_PRINTABLE_ASCII = bytes([*b"\t\n\r", *range(0x20, 0x7F)])
_OLD_LINE_ENDS = "\x85\u2028\u2029"
_OLD_LINE_END = re.compile(f"[{_OLD_LINE_ENDS}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_BAD_ESCAPE = "found invalid Unicode character escape code"
_WRITTEN_TAG = re.compile(r"!(?:<[^>\s]*>|[^\s,\[\]{}]*)")
_CORE_TAG = "tag:yaml.org,2002:"
_SCALAR_TAGS = {"int": int, "float": float, "bool": bool, "null": NoneType}


class _Stop(Exception):  # noqa: N818 - control flow: the problem is already noted
    """Reading cannot go on."""


@define(eq=False)
class _Frame:
    """A mapping or a list that is being filled."""

    container: dict[str, Any] | list[Any]
    marks: list[int]
    start: int
    anchor: str | None
    opened_at: int
    key: Any = None
    """The key whose value comes next: text, or one of the stand-ins below; None before a key."""

    key_start: int = 0
    key_end: int = 0
    merges: list[tuple[Any, int, int]] | None = None
    height: int = 0
    """How many levels there are in it."""

    positions: dict[str, int] | None = None
    """The place of each key in the order of keys, once a key was given twice."""


_MERGE = object()
_DROP = object()
_OPEN = object()
_UNKNOWN = (object(), 0, 0)


def read_yaml(text: str, file: str | None = None) -> Document:
    """Read one YAML document.

    What is wrong is listed in :attr:`Document.problems`, never raised.

    Args:
        text: The text, without a byte order mark.
        file: The name of the file for messages.
    """
    document = Document(text, file=file, media="yaml")
    if bad := _first_unprintable(text):
        message = f"the character {_name(bad[0])} is not allowed in YAML"
        hint = "write it as an escape in double quotes"
        problem = document.at(BAD_CHARACTER.problem(message, hint=hint), bad.start(), bad.end())
        document.problems.append(problem)
        document.readable = False
        return document
    fill(document, text, _Builder)
    return document


def _first_unprintable(text: str) -> re.Match[str] | None:
    # Most texts are ASCII, and printable: to delete what may be in them and find nothing left is
    # several times as fast as to search.
    if text.isascii() and not text.encode("ascii").translate(None, _PRINTABLE_ASCII):
        return None
    return _UNPRINTABLE.search(text)


def fill(document: Document, text: str, builder: "Callable[[Document], _Builder]") -> None:
    """Read YAML into a document.

    Args:
        document: Takes what is read, and what is wrong.
        text: The YAML, in which everything stands where it stands in the text of the document.
        builder: Makes what builds data of the parser's events.
    """
    try:
        builder(document).build(_events(text))
    except _Stop:
        document.readable = False
    except yaml.MarkedYAMLError as error:
        _note_syntax_error(document, error)
        document.readable = False


def _events(text: str) -> Iterator[Any]:
    if not text.isascii() and _OLD_LINE_END.search(text):
        return _without_old_line_ends(text)
    return _parsed(text)


def _parsed(text: str) -> Iterator[Any]:
    loader = _Loader(text)
    events = iter(loader.get_event, None)
    try:
        yield from _checked(events, loader) if isinstance(loader, Reader) else events
    finally:
        loader.dispose()


def _without_old_line_ends(text: str) -> Iterator[Any]:
    """Parse a text with characters that end a line in YAML 1.1, as YAML 1.2 has it: they do not.

    Others stand in for them while PyYAML parses. Each is one character, so no place changes.
    """
    unused = (chr(code) for code in range(0xE000, 0xF8FF) if chr(code) not in text)
    stand_ins = dict(zip(_OLD_LINE_ENDS, unused, strict=False))
    back = {ord(stand_in): character for character, stand_in in stand_ins.items()}
    for event in _parsed(text.translate({ord(key): value for key, value in stand_ins.items()})):
        if type(event) is yaml.ScalarEvent:
            event.value = event.value.translate(back)
        yield event


def _checked(events: Iterator[Any], loader: Any) -> Iterator[Any]:
    """Refuse the escapes that PyYAML's own parser takes or trips over, and the C parser refuses."""
    try:
        for event in events:
            if type(event) is yaml.ScalarEvent and _SURROGATE.search(event.value):
                mark: Any = event.start_mark
                raise yaml.MarkedYAMLError(problem=_BAD_ESCAPE, problem_mark=mark)
            yield event
    except (ValueError, OverflowError):
        mark = loader.get_mark()
        raise yaml.MarkedYAMLError(problem=_BAD_ESCAPE, problem_mark=mark) from None


class _Builder:
    """Builds data from events.

    This is the hottest code there is: a file has some twenty events for each agent. Hence the
    repeated attribute look-ups that are saved here, and the few calls for each scalar.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        # The top is a list too, of one item, so that no value needs to ask whether it is the top.
        self.frame = _Frame([], [], 0, None, 0)
        self.outer: list[_Frame] = []
        self.anchors: dict[str, tuple[Any, int, int]] = {}
        self.events = 0
        self.expanded = 0

    def build(self, events: Iterator[Any]) -> None:
        handlers = {
            yaml.MappingStartEvent: self.open_mapping,
            yaml.SequenceStartEvent: self.open_list,
            yaml.MappingEndEvent: self.close,
            yaml.SequenceEndEvent: self.close,
            yaml.AliasEvent: self.alias,
            yaml.DocumentStartEvent: self.document_start,
            yaml.DocumentEndEvent: _ignore,
            yaml.StreamStartEvent: _ignore,
            yaml.StreamEndEvent: _ignore,
        }
        scalar, scalar_event = self.scalar, yaml.ScalarEvent
        for self.events, event in enumerate(events):
            if type(event) is scalar_event:
                scalar(event)
            else:
                handlers[type(event)](event)
        if not self.frame.container:
            self.stop(EMPTY, "the file holds no data", 0, 0)
        (self.document.data,) = self.frame.container
        self.document.span = (self.frame.marks[0], self.frame.marks[1])

    def scalar(self, event: Any) -> None:
        value = event.value
        start, end = event.start_mark.index, event.end_mark.index
        frame = self.frame
        if event.implicit[0] and event.tag is None:
            if value[:1] in MAY_RESOLVE:
                value = self.resolved(value, None, start, end)
            elif value == "<<" and frame.key is None and type(frame.container) is dict:
                self.merge_key(start, end)
                return
        elif event.tag is not None:
            value = self.resolved(value, event.tag, start, end)
        if event.anchor is not None:
            self.anchors[event.anchor] = (value, 1, 0)
        self.add(frame, value, start, end)

    def resolved(self, text: str, tag: str | None, start: int, end: int) -> Any:
        core = None if tag is None else tag.removeprefix(_CORE_TAG)
        if core in ("!", "str"):
            return text
        if tag is not None and core not in _SCALAR_TAGS:
            self.refuse_tag(tag, start, end)
            return text
        try:
            value = resolve(text)
        except BadNumberError:
            self.note(BAD_NUMBER, f"{quoted(text)} is no number that can be kept", start, end)
            return 0
        if core is not None and type(value) is not _SCALAR_TAGS[core]:
            self.note(TAG, f"{quoted(text)} is not what its tag !!{core} says", start, end)
        return value

    def open_mapping(self, event: Any) -> None:
        self.open({}, "map", event)

    def open_list(self, event: Any) -> None:
        self.open([], "seq", event)

    def open(self, container: dict[str, Any] | list[Any], own_tag: str, event: Any) -> None:
        start = event.start_mark.index
        if len(self.outer) == MAX_DEPTH:
            self.stop(TOO_DEEP, f"nested more than {MAX_DEPTH} levels deep", start, start + 1)
        if event.tag not in (None, "!", _CORE_TAG + own_tag):
            written = _WRITTEN_TAG.search(self.document.text, start)
            self.refuse_tag(event.tag, *(written.span() if written else (start, start)))
        marks = self.document.marks[id(container)] = []
        self.outer.append(self.frame)
        self.frame = _Frame(container, marks, start, event.anchor, self.events + self.expanded)
        if event.anchor is not None:
            self.anchors[event.anchor] = (_OPEN, 0, 0)

    def close(self, event: Any) -> None:
        frame = self.frame
        self.frame = self.outer.pop()
        for source, start, end in frame.merges or ():
            self.merge(frame, source, start, end)
        if frame.anchor is not None:
            size = self.events + self.expanded - frame.opened_at
            self.anchors[frame.anchor] = (frame.container, size, frame.height + 1)
        height = frame.height + 1
        if self.frame.key is _MERGE:
            # What is merged stands in the mapping itself, not in the mappings it came from.
            height -= 1 + (type(frame.container) is list)
        self.frame.height = max(self.frame.height, height)
        self.add(self.frame, frame.container, frame.start, event.end_mark.index)

    def alias(self, event: Any) -> None:
        start, end = event.start_mark.index, event.end_mark.index
        value, size, height = self.anchors.get(event.anchor, _UNKNOWN)
        if value is _UNKNOWN[0]:
            name = event.anchor
            message = f"'*{name}' stands for a value named '&{name}', and there is none before it"
            self.note(UNKNOWN_ALIAS, message, start, end, "to say that text, quote it")
            value = None
        elif value is _OPEN:
            message = f"the alias '*{event.anchor}' stands inside the value it names"
            self.note(RECURSIVE_ALIAS, message, start, end, "write the value out")
            value = None
        if value is None and size == 0 and self.frame.key is _MERGE:
            value = []  # nothing to merge: what is wrong has been said
        self.expand(size, start, end)
        if len(self.outer) + height > MAX_DEPTH:
            self.stop(TOO_DEEP, f"nested more than {MAX_DEPTH} levels deep", start, end)
        self.frame.height = max(self.frame.height, height - (self.frame.key is _MERGE))
        self.add(self.frame, value, start, end)

    def document_start(self, event: Any) -> None:
        if self.frame.container:
            start = event.start_mark.index
            hint = "put it into a file of its own"
            self.stop(SEVERAL_DOCUMENTS, "a second document begins here", start, start + 3, hint)

    def add(self, frame: _Frame, value: Any, start: int, end: int) -> None:
        container, key = frame.container, frame.key
        if type(container) is list:
            container.append(value)
            frame.marks += (start, end)
        elif key is None:
            if type(value) is not str or value in container:
                value = self.odd_key(frame, value, start, end)
            frame.key, frame.key_start, frame.key_end = value, start, end
        else:
            frame.key = None
            if key is _MERGE:
                frame.merges = [*(frame.merges or ()), (value, start, end)]
            elif key is not _DROP:
                container[key] = value
                frame.marks += (frame.key_start, frame.key_end, start, end)
                if frame.positions is not None:
                    frame.positions[key] = len(frame.positions)

    def odd_key(self, frame: _Frame, key: Any, start: int, end: int) -> Any:
        """Note a key that is not text or is there already; give what stands in for it."""
        if type(key) is not str:
            written = self.document.text[start:end]
            hint = None if isinstance(key, list | dict) else f'quote it: "{written}"'
            self.note(NOT_A_STRING_KEY, f"a key must be text, not {kind(key)}", start, end, hint)
            key = written
        if key not in frame.container:
            return key
        self.note_duplicate(frame, key, start, end)
        return _DROP

    def note_duplicate(self, frame: _Frame, key: str, start: int, end: int) -> None:
        if frame.positions is None:
            frame.positions = {key: position for position, key in enumerate(frame.container)}
        position = frame.positions[key] * 4
        first = self.document.spell(frame.marks[position], frame.marks[position + 1]).line
        message = f"the key {quoted(key)} is given twice, first on line {first}"
        self.note(DUPLICATE_KEY, message, start, end, "remove one of the two")
        self.document.repeats[id(frame.container), key] = self.document.problems[-1]

    def merge_key(self, start: int, end: int) -> None:
        frame = self.frame
        frame.key, frame.key_start, frame.key_end = _MERGE, start, end
        if frame.merges:
            hint = "give one list: '<<: [*a, *b]'"
            self.note(DUPLICATE_KEY, "the merge key '<<' is given twice", start, end, hint)

    def merge(self, frame: _Frame, source: Any, start: int, end: int) -> None:
        """Add the keys of another mapping, or of several, that the mapping does not have."""
        for mapping in source if isinstance(source, list) else [source]:
            if not isinstance(mapping, dict):
                message = f"'<<' takes a mapping or a list of mappings, not {kind(mapping)}"
                hint = "to take over the keys of a value '&base', write '<<: *base'"
                self.note(BAD_MERGE, message, start, end, hint)
                continue
            self.expand(len(mapping), start, end)
            marks = self.document.marks[id(mapping)]
            for index, (key, value) in enumerate(mapping.items()):
                if key not in frame.container:
                    frame.container[key] = value
                    frame.marks += marks[index * 4 : index * 4 + 4]

    def expand(self, size: int, start: int, end: int) -> None:
        self.expanded += size
        if self.expanded > MAX_EXPANSION:
            message = f"aliases expand to more than {MAX_EXPANSION:,} values"
            self.stop(ALIAS_LIMIT, message, start, end)

    def refuse_tag(self, tag: str, start: int, end: int) -> None:
        written = tag.replace(_CORE_TAG, "!!")
        hint = "remove it, or quote the whole value to keep it as text"
        self.note(TAG, f"the tag {quoted(written)} is not evaluated", start, end, hint)

    def note(self, code: Code, message: str, start: int, end: int, hint: str | None = None) -> None:
        problem = self.document.at(code.problem(message, hint=hint), start, end)
        self.document.problems.append(problem)

    def stop(
        self, code: Code, message: str, start: int, end: int, hint: str | None = None
    ) -> NoReturn:
        self.note(code, message, start, end, hint)
        raise _Stop


def _ignore(event: Any) -> None:
    """Take an event that says nothing."""


_NO_ITEM = "did not find expected '-' indicator"
_SAID = {
    "mapping values are not allowed": (
        "a colon with a blank after it begins a mapping, which cannot stand here",
        "put the text in quotes",
    ),
    "found character": (
        "a value cannot begin with this character",
        "put the text in quotes; indent with blanks, never with tabs",
    ),
    "could not find expected ':'": ("a key has no colon after it", "write 'key: value'"),
    "found unexpected end of stream": ("a quote is opened and never closed", None),
    "did not find expected key": (
        "neither a key nor the end of the mapping",
        "check the indentation and the quotes before this place",
    ),
    "expected <block end>": (
        "neither a key nor the end of the mapping",
        "check the indentation and the quotes before this place",
    ),
    _NO_ITEM: (
        "neither an item nor the end of the list",
        "check the indentation",
    ),
    "did not find expected ',' or ']'": ("a list in brackets lacks ',' or ']' here", None),
    "expected ',' or ']'": ("a list in brackets lacks ',' or ']' here", None),
    "did not find expected ',' or '}'": ("a mapping in braces lacks ',' or '}' here", None),
    "expected ',' or '}'": ("a mapping in braces lacks ',' or '}' here", None),
}
"""What the two parsers call the same fault, said once and in plain words, with a way out."""


_TOO_DEEP_SAID = "exceeded maximum nesting depth"


def _note_syntax_error(document: Document, error: yaml.MarkedYAMLError) -> None:
    mark = error.problem_mark or error.context_mark
    index = min(mark.index, len(document.text)) if mark is not None else 0
    said = str(error.problem or error.context or "not YAML")
    if said.startswith("expected <block end>") and "collection" in str(error.context):
        said = _NO_ITEM
    message, hint = next(
        (words for start, words in _SAID.items() if said.startswith(start)), (said, None)
    )
    if error.context and error.context_mark is not None and error.context_mark.index < index:
        line = document.spell(error.context_mark.index, error.context_mark.index).line
        message += f" ({error.context} from line {line})"
    if said == _TOO_DEEP_SAID:
        problem = TOO_DEEP.problem(f"nested more than {MAX_DEPTH} levels deep")
    else:
        problem = YAML_SYNTAX.problem(message, hint=hint)
    document.problems.append(document.at(problem, index, index + 1))


def _name(character: str) -> str:
    return f"U+{ord(character):04X}"
