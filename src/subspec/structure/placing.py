"""Problems at their places in a document."""

from subspec.problems import (
    BAD_NUMBER,
    LEGACY_KEY,
    LONE_SURROGATE,
    MISSING_KEY,
    NOT_A_STRING_KEY,
    PROMPT_MISSING,
    RECURSIVE_ALIAS,
    TAG,
    UNKNOWN_ALIAS,
    UNKNOWN_KEY,
    Problem,
)
from subspec.source import Document


def placed(document: Document, faults: list[Problem]) -> list[Problem]:
    """Give what is wrong with a text and with what it says, in the order of reading."""
    own = _of_their_own(document.place(faults), document.problems)
    return sorted([*document.problems, *own], key=in_reading_order)


_STAND_INS = {
    code.name for code in (BAD_NUMBER, LONE_SURROGATE, RECURSIVE_ALIAS, TAG, UNKNOWN_ALIAS)
}


# Faults that are shown at the key of an agent, and are not of that key.
_ABOUT_OTHERS = {MISSING_KEY.name, PROMPT_MISSING.name}


def _of_their_own(faults: list[Problem], in_text: list[Problem]) -> list[Problem]:
    # Where the text itself is wrong a stand-in is read, whose faults are not the user's.
    noted = {(_start(problem), problem.code) for problem in in_text}
    stand_ins = {start for start, code in noted if code in _STAND_INS}
    odd_keys = {start for start, code in noted if code == NOT_A_STRING_KEY.name}
    return [
        fault
        for fault in faults
        if (_start(fault) not in stand_ins or fault.code in _ABOUT_OTHERS)
        and not (fault.code == UNKNOWN_KEY.name and _start(fault) in odd_keys)
    ]


def _start(problem: Problem) -> tuple[int, int]:
    return (0, 0) if problem.span is None else (problem.span.line, problem.span.column)


def in_reading_order(problem: Problem) -> tuple[bool, tuple[int, int]]:
    """Give what problems of one file are sorted by."""
    # A legacy block comes first: whoever has one has the old version of the whole file.
    return problem.code != LEGACY_KEY.name, _start(problem)
