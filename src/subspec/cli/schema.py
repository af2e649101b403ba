"""``subspec schema``."""

from importlib.resources import files

import click

from subspec.cli.common import CONTEXT

SCHEMAS = files("subspec") / "schemas"
SUFFIX = ".schema.json"
NAMES = sorted(each.name.removesuffix(SUFFIX) for each in SCHEMAS.iterdir())


@click.command(context_settings=CONTEXT, epilog=f"Formats: {', '.join(NAMES)}.")
@click.argument(
    "format",
    default="agents",
    type=click.Choice(NAMES),
    # Said here, since each version of click spells it in its own way.
    metavar="[FORMAT]",
)
def schema(format: str) -> None:
    """Print the JSON Schema of a format, with which editors complete and check a file.

    For formats in Markdown, such as claude_code, it describes the front matter.

    \b
    Example:
      subspec schema agents > agents.schema.json

    An editor that knows the YAML language server takes it from the first line of team.yaml:

    \b
      # yaml-language-server: $schema=agents.schema.json
    """
    text = (SCHEMAS / f"{format}{SUFFIX}").read_text(encoding="utf-8")
    click.echo(text, nl=False)
