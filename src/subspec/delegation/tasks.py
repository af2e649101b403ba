"""Waiting that a cancellation cannot cut short, for what has to be put away first."""

import asyncio
from collections.abc import Coroutine
from typing import Any

from subspec.delegation.errors import DelegationError, ErrorCode, described


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


async def put_away(work: Coroutine[Any, Any, None], reason: BaseException) -> None:
    """Wait until that is put away which a start has begun that failed or was cancelled.

    Args:
        work: Puts it away.
        reason: Why there is no child.

    Raises:
        asyncio.CancelledError: The caller was cancelled meanwhile; the work is done nevertheless.
        DelegationError: ``DISPOSAL_FAILED``: it could not be put away. The message says both.
    """
    putting = asyncio.create_task(work)
    await finished(putting)
    if putting.cancelled() or (left := putting.exception()) is None:
        return
    why = described(reason)
    if isinstance(reason, DelegationError):
        why = reason.message
    elif isinstance(reason, asyncio.CancelledError):
        why = "the start was cancelled"
    message = f"{why}; and what it had begun could not be put away: {described(left)}"
    raise DelegationError(ErrorCode.DISPOSAL_FAILED, message) from reason
