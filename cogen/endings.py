"""How a process ends early: what it was about to make is removed first."""

from __future__ import annotations

import os
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
