"""What each kind of problem means, at length: one page for each code."""

from importlib.resources import files

from subspec.problems import CODES, did_you_mean, quoted


def page(code: str) -> str:
    r"""Give the page about a kind of problem, in Markdown.

    Args:
        code: The code of the problem, as messages end with it.

    Raises:
        ValueError: There is no such code.

    >>> page("unknown-key").partition("\n")[0]
    '# unknown-key'
    """
    if code not in CODES:
        hint = did_you_mean(code, CODES) or "'subspec explain' lists them all"
        msg = f"no code {quoted(code)}; {hint}"
        raise ValueError(msg)
    return (files("subspec") / "pages" / f"{code}.md").read_text(encoding="utf-8")
