"""How a process ends early: what it was about to make is removed first, and what it waits for is
waited for no longer."""

from __future__ import annotations

import os
import select
import signal
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NoReturn

ENDINGS: Final = (signal.SIGTERM, signal.SIGHUP)
"""Signals that end a process at once unless it says otherwise."""


AGAIN_AFTER: Final = 0.01
"""Seconds after which a signal comes again whose exception went nowhere."""


class _Ended(BaseException):
    """A signal has come, which ends a block.

    Python swallows what is raised in a callback of a weak reference, in a `__del__`, or where C
    code asks for a yes or no only.  Such an exception is freed before its block is left; so the
    signal comes again, until it takes."""

    def __init__(self, number: int, block: _Block) -> None:
        self.number = number
        self.block = block

    def __del__(self) -> None:
        self.block.again(self.number)


class _Block:
    """What signals leave, by their numbers; `noted` is the one that has come."""

    def __init__(self, numbers: list[signal.Signals]) -> None:
        self.numbers = numbers
        self.noted: int | None = None
        self.is_left = False

    def enter(self) -> None:
        for number in self.numbers:
            signal.signal(number, self._end)

    def leave(self) -> None:
        """Signals do what they did before; one that came does it now."""
        self.is_left = True
        for number in self.numbers:
            signal.signal(number, signal.SIG_DFL)
        if self.noted is not None:
            os.kill(os.getpid(), self.noted)

    def _end(self, number: int, frame: object) -> NoReturn:
        self.noted = number
        for other in self.numbers:  # a second one is not to disturb the leaving
            signal.signal(other, signal.SIG_IGN)
        raise _Ended(number, self)

    def again(self, number: int) -> None:
        """Let a signal come that came to nothing; not before what swallowed it is over."""
        if not self.is_left and threading.current_thread() is threading.main_thread():
            self.enter()
            threading.Thread(target=self._send, args=(number,), daemon=True).start()

    def _send(self, number: int) -> None:
        time.sleep(AGAIN_AFTER)
        if not self.is_left:
            os.kill(os.getpid(), number)


@contextmanager
def ended_by_signals() -> Iterator[None]:
    """Let a signal that would end the process leave the block first, as an interrupt does; then it
    ends the process.

    Signals that the program handles or ignores are left alone, and those of other threads than
    the first; within such a block, it is the outer one that is left."""
    ours: list[signal.Signals] = []
    if threading.current_thread() is threading.main_thread():
        ours = [number for number in ENDINGS if signal.getsignal(number) is signal.SIG_DFL]
    block = _Block(ours)
    try:
        block.enter()
        yield
    finally:
        block.leave()


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
