"""How hard the properties are tried, and what is tried only where it can be."""

import os

import pytest
from hypothesis import settings
from real_files import SHARED

# A machine that is busy is no fault. Where every run has to come out the same, so do the examples.
common = {"deadline": None, "derandomize": bool(os.environ.get("CI"))}
settings.register_profile("full", max_examples=100, **common)
settings.register_profile("quick", max_examples=10, **common)
settings.load_profile("full")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip what reads the files of others where there are none."""
    if SHARED.is_dir():
        return
    absent = pytest.mark.skip(reason="the files of others are not at hand")
    for item in items:
        if item.get_closest_marker("corpus"):
            item.add_marker(absent)
