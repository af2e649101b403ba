"""Signals that ask a command to end: what it has begun is put away first, as after Ctrl-C."""

import asyncio
import signal
from collections.abc import Coroutine
from contextlib import suppress
from typing import Any, TypeVar

import click

T = TypeVar("T")

NAMES = ("SIGTERM", "SIGHUP")
"""The signals. Ctrl-C is the matter of asyncio."""


async def ended_by_signals(work: Coroutine[Any, Any, T]) -> T:
    """Do what is to be cancelled when a signal asks for the end.

    A signal that is ignored, as ``nohup`` has it, or that somebody else handles, stays so; and so
    does each where the event loop knows no signals, as on Windows.

    Raises:
        click.exceptions.Exit: There was such a signal; the status is that of shells, 128 more than
            its number.
    """
    loop, task = asyncio.get_running_loop(), asyncio.ensure_future(work)
    received: list[signal.Signals] = []

    def end(number: signal.Signals) -> None:
        received.append(number)
        task.cancel()

    for number in (getattr(signal, name) for name in NAMES if hasattr(signal, name)):
        if signal.getsignal(number) is signal.SIG_DFL:
            # NotImplementedError is one, too.
            with suppress(RuntimeError):
                loop.add_signal_handler(number, end, number)
    try:
        return await task
    except asyncio.CancelledError:
        if not received:
            raise
        click.echo(f"\nEnded by {received[0].name}.", err=True)
        raise click.exceptions.Exit(128 + received[0]) from None
