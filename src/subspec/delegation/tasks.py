"""Waiting that a cancellation cannot cut short, for what has to be put away first."""

import asyncio
from typing import Any


async def finished(work: "asyncio.Task[Any]") -> None:
    """Wait until a task is done, whatever comes of it.

    Raises:
        asyncio.CancelledError: The caller was cancelled meanwhile; the task is done nevertheless.
    """
    cancelled: asyncio.CancelledError | None = None
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None:
        raise cancelled
