"""What was not given, as a value of its own: neither None nor empty."""

from enum import Enum
from typing import Final


class Absent(Enum):
    """The type of :data:`ABSENT`, for annotations: ``persona: str | Absent``."""

    ABSENT = "ABSENT"

    def __bool__(self) -> bool:
        """Refuse to be true or false.

        Raises:
            TypeError: Always. Empty values are false too, and a test that takes what is empty for
                what is not there, or the other way round, is the mistake that this class is for.
        """
        msg = "what is absent is neither true nor false: ask whether it `is ABSENT`"
        raise TypeError(msg)

    def __repr__(self) -> str:
        """Say the name."""
        return "ABSENT"


ABSENT: Final = Absent.ABSENT
"""Stands for an option that nobody gave. Compare by identity: ``request.persona is ABSENT``."""
