"""How a process ends early: what it was about to make is removed first, and what it waits for is
waited for no longer."""

from __future__ import annotations

import os
import select
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a process at once unless it says otherwise."""


class _Ended(BaseException):
    """A signal has come."""

    def __init__(self, number: int) -> None:
        self.number = number


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let a signal that would end the process leave the block first, as an interrupt does; then it
    ends the process.

    Signals that the program handles or ignores are left alone, and those of other threads than
    the first."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    ours = [number for number in ENDINGS if signal.getsignal(number) is signal.SIG_DFL]
    try:
        for number in ours:
            signal.signal(number, _end)
        yield
    except _Ended as ended:
        signal.signal(ended.number, signal.SIG_DFL)
        os.kill(os.getpid(), ended.number)
        raise
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _end(number: int, frame: object) -> NoReturn:
    for other in ENDINGS:  # a second one is not to disturb the leaving
        if signal.getsignal(other) is _end:
            signal.signal(other, signal.SIG_IGN)
    raise _Ended(number)


def wait_for_bytes(number: int) -> None:
    """Wait until a descriptor of a pipe, a socket or a terminal has bytes, or its end.

    A signal is only noted until Python looks.  If it comes when Python has just looked and `read`
    is about to begin, that waits, perhaps for ever; but not `select`, if the note itself is bytes
    that it waits for.  In other threads than the first, and where somebody else (asyncio) takes
    the notes, nothing is done."""
    if os.name != "posix" or threading.current_thread() is not threading.main_thread():
        return
    if select.select([number], [], [], 0)[0]:
        return
    noted, note = os.pipe()
    try:
        os.set_blocking(noted, False)
        os.set_blocking(note, False)
        before = signal.set_wakeup_fd(note, warn_on_full_buffer=False)
        try:
            if before == -1:
                _select(number, noted)
        finally:
            signal.set_wakeup_fd(before)
    finally:
        os.close(noted)
        os.close(note)


def _select(number: int, noted: int) -> None:
    """The same; signals that raise nothing are waited through."""
    while number not in (ready := select.select([number, noted], [], [])[0]):
        if noted in ready:
            os.read(noted, 1 << 10)
