"""The files of others that tests are tried with, where they are at hand: beside the checkout."""

from pathlib import Path

SHARED = Path(__file__).parents[2] / "shared"

CORPUS = SHARED / "corpus"
"""Files of public repositories, as their authors wrote them."""

CASES = SHARED / "cases"
"""Files that broke other programs."""

RECORDED = SHARED / "oracle" / "recorded.jsonl"
"""What the real Claude Code did with some definitions."""
