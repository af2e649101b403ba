"""How hard the properties are tried."""

import os

from hypothesis import settings

# A machine that is busy is no fault. Where every run has to come out the same, so do the examples.
common = {"deadline": None, "derandomize": bool(os.environ.get("CI"))}
settings.register_profile("full", max_examples=100, **common)
settings.register_profile("quick", max_examples=10, **common)
settings.load_profile("full")
