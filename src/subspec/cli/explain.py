"""``subspec explain``."""

import re
import shutil
import sys
import textwrap
from collections.abc import Iterator

import click

from subspec.cli.common import CONTEXT, COULD_NOT_RUN, echo

WIDEST = 100
"""How wide text is where there is no terminal, and at most on one, in columns."""

_FENCED = re.compile(r"^```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE_NAME = re.compile(r"<!-- (.+) -->\n")
_ITEM = re.compile(r"\n(?=- )")
_COLOURS = {"error": "red", "warning": "yellow", "info": "cyan"}


@click.command(context_settings=CONTEXT)
@click.argument("codes", nargs=-1, metavar="[CODE]...")
def explain(codes: tuple[str, ...]) -> None:
    """Say what a kind of problem means and how to mend it, or list all kinds.

    CODE is what stands in brackets at the end of a message.

    \b
    Examples:
      subspec explain
      subspec explain unknown-key
    """
    if codes:
        # All of them are looked up before the first is printed.
        pages = [_page(code.strip("[]")) for code in codes]
        echo("\n\n\n".join("\n\n".join(_blocks(page)) for page in pages))
    else:
        echo("\n".join(_list()))


class _NoSuchCode(click.ClickException):
    exit_code = COULD_NOT_RUN


def _page(code: str) -> str:
    from subspec.explain import page  # noqa: PLC0415 - not needed for --help

    try:
        return page(code)
    except ValueError as error:
        raise _NoSuchCode(str(error)) from None


def _blocks(page: str) -> Iterator[str]:
    """Lay out a page: headings in bold, text as wide as the terminal, examples indented."""
    for index, part in enumerate(_FENCED.split(page)):
        if index % 2:
            yield textwrap.indent(_FILE_NAME.sub(r"\1:\n\n", part.rstrip("\n"), count=1), " " * 4)
            continue
        for block in part.strip().split("\n\n"):
            if block.startswith("#"):
                yield click.style(block.lstrip("# "), bold=True)
            elif block:
                yield "\n".join(_filled(item) for item in _ITEM.split(block))


def _filled(text: str, before: str = "") -> str:
    width = min(WIDEST, shutil.get_terminal_size().columns) if sys.stdout.isatty() else WIDEST
    hanging = " " * (len(before) or 2 * text.startswith("- "))
    return textwrap.fill(
        " ".join(text.split()),
        width,
        initial_indent=before,
        subsequent_indent=hanging,
        break_long_words=False,
        break_on_hyphens=False,
    )


def _list() -> Iterator[str]:
    from subspec.problems import CODES  # noqa: PLC0415 - not needed for --help

    longest = max(map(len, CODES))
    for code in CODES.values():
        before = f"{code.name:{longest}}  {code.severity:7}  "
        # Elsewhere than on a terminal each is one line, for `grep` and the like.
        line = _filled(code.summary, before) if sys.stdout.isatty() else before + code.summary
        severity = click.style(code.severity, fg=_COLOURS[code.severity], bold=True)
        yield line.replace(f" {code.severity} ", f" {severity} ", 1)
