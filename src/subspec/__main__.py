"""The command, as ``python -m subspec``."""

from subspec.cli import main

main()
