"""What is shown of a configuration: all of it but what looks like a secret."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from subspec.delegation.acp import looks_like_a_credential

MASK = "***"
"""What stands for a value."""

_ALL_SECRET = {"env", "headers", "httpheaders", "requestheaders"}
"""Keys of which all values are masked: nothing tells which of them are no secrets."""

_NAMED_VALUE = {"env", "header", "H"}
"""Options that are followed by a name and its value, such as ``Authorization: Bearer ...``."""

_COMMANDS = {"args", "arguments", "command", "url"}
"""Keys of what a program is started with, or reached by."""

_OPTION = re.compile(r"-{1,2}(?P<name>[\w.-]+)", re.ASCII)
_NAMED = re.compile(r"(?<![\w.-])(?P<name>[\w.-]+)[\"']?\s*[=:]\s*(?=[^\s/])", re.ASCII)
_BEARER = re.compile(r"\b(?P<before>(?:basic|bearer)\s+)[^\s'\"]+", re.IGNORECASE)
_PARAMETER = re.compile(r"(?P<before>[?&#](?P<name>[^=&#\s]+)=)[^&#\s'\"]+")
_PASSWORD = re.compile(r"(?P<before>://[^/\s:@]*:)[^/\s@]+(?=@)")
_WORD = re.compile(r"\s+|(?:'[^']*'|\"[^\"]*\"|[^\s'\"])+|['\"]")


def masked(value: Any, key: str = "") -> Any:
    """Copy data without the values that look like secrets; their names stay.

    Masked are the values of ``env`` and ``headers``, texts whose key has a name that looks like a
    credential, and in what programs are started with the values of such options, variables,
    headers and parameters.

    >>> masked({"command": "serve", "args": ["--api-key", "sk-1"], "env": {"HOME": "/"}})
    {'command': 'serve', 'args': ['--api-key', '***'], 'env': {'HOME': '***'}}
    """
    folded = re.sub("[-_]", "", key).lower()
    if isinstance(value, Mapping):
        hides = folded in _ALL_SECRET
        return {name: MASK if hides else masked(item, str(name)) for name, item in value.items()}
    if isinstance(value, list):
        if folded in _COMMANDS and all(isinstance(item, str) for item in value):
            return list(masked_words(value))
        return [masked(item, key) for item in value]
    if not isinstance(value, str):
        return value
    if folded in _ALL_SECRET or _is_secret(key):
        return MASK
    return "".join(masked_words(_WORD.findall(value))) if folded in _COMMANDS else value


def masked_words(words: Iterable[str]) -> Iterator[str]:
    """Give the words of a command without what looks like a secret; spaces may be words too."""
    option = ""
    for word in words:
        if not word.strip():
            yield word
            continue
        yield MASK if _is_secret(option) else _masked_word(word, option)
        is_option = _OPTION.fullmatch(word)
        option = is_option["name"] if is_option else ""


def _is_secret(name: str) -> bool:
    return looks_like_a_credential(name, "") or "authorization" in name.lower()


def _masked_word(word: str, option: str) -> str:
    word = _PARAMETER.sub(_masked_parameter, word)
    word = _PASSWORD.sub(rf"\g<before>{MASK}", word)
    word = _BEARER.sub(rf"\g<before>{MASK}", word)
    for named in _NAMED.finditer(word):
        is_whole = option in _NAMED_VALUE and named.start() == 0
        if is_whole or _is_secret(named["name"]):
            return word[: named.end()] + MASK
    return word


def _masked_parameter(match: "re.Match[str]") -> str:
    return f"{match['before']}{MASK}" if _is_secret(match["name"]) else match[0]
