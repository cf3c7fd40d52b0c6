"""One governor of time and memory, for all that a program can keep busy without end.

    governed(what, budget, function, ...)   runs a function within a budget
    room(bytes)                             is asked before something large is made
    reached(place)                          the diagnostic, for whoever catches `Exceeded`

The reader, macro expansion, the specializer, generating extensions, the interpreter and residual
Python run under it.  Budgets nest: whatever is used up first ends the work.

Note [How a budget is kept]
    Work that is within its budget costs nothing: a thread looks at the clock and at the memory of
    the process ten times a second and, when a budget is used up, raises `Exceeded` in the thread
    that works, as an interrupt from the keyboard would be.  So every loop ends, in Python code of
    whatever kind, and the traceback tells where.  What Python does in one step, and could be very
    large, asks for `room` first, which is answered at once.  A runner catches `Exceeded`, finds
    the place in the user's program, and raises what `reached` gives it.
    A program's handlers never see it: it is no error of the program that it could go on after.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import sys
import threading
import time
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final, ParamSpec, TypeVar

from cogen.lang.errors import CogenError, LimitationError, Note, Span

P = ParamSpec("P")
R = TypeVar("R")

MEGABYTE: Final = 1 << 20
DEFAULT_MEMORY: Final = 2048
"""Megabytes that work may take if nothing is said, and the machine has them."""

LARGE: Final = 4 * MEGABYTE
"""Objects below this many bytes are made without asking."""

_TICK: Final = 0.1
_AGAIN: Final = 1.0
"""Seconds after which `Exceeded` is raised once more: something has swallowed it, say a callback of
the garbage collector."""
_SOON: Final = 0.01
"""Seconds after which work is looked at again that is on its way to another thread."""
ARRIVED: Final = float("inf")
"""When `Exceeded` was raised that has been caught: never again."""
_IDLE: Final = 10
"""So many looks at no work end the thread that watches."""


class Exceeded(BaseException):
    """A budget is used up; `governed` and the runners below it turn it into a diagnostic."""


class Exhausted(LimitationError):
    """The diagnostic of a budget that is used up."""


class InterruptedRun(KeyboardInterrupt):
    """Somebody has interrupted a run; `told` says where it was."""

    def __init__(self, told: CogenError) -> None:
        super().__init__()
        self.told = told


@dataclass(frozen=True, slots=True)
class Budget:
    """What some work may take: seconds of the clock, and megabytes more than the process had when
    it began; None for no limit.  CogenError for what is no positive number.

    A budget that `yields` is for work of its own; within other work, it takes that one's."""

    seconds: float | None = None
    megabytes: float | None = DEFAULT_MEMORY
    yields: bool = False

    def __post_init__(self) -> None:
        for name, value, unit in (
            ("max_time", self.seconds, "seconds"),
            ("max_memory", self.megabytes, "megabytes"),
        ):
            if value is not None and not (isinstance(value, int | float) and value > 0):
                raise CogenError(f"{name} must be a positive number of {unit}, not {value!r}")


UNLIMITED: Final = Budget(None, None)
READING: Final = Budget(60.0, yields=True)
"""To read and expand a program, if nothing is said."""
RUNNING: Final = Budget(None, 1024, yields=True)
"""To run a program: it may take its time."""


class _WatchedWork:
    """Work that is going on: its budget, and the thread that does it."""

    __slots__ = ("_ceiling", "budget", "deadline", "fired", "outer", "reason", "thread", "what")

    def __init__(self, what: str, budget: Budget, outer: _WatchedWork | None) -> None:
        self.what = what
        self.budget = budget
        self.outer = outer
        self.thread: int | None = threading.get_ident()
        """Where the work is; None while it is on its way to another thread (`move_work`)."""
        seconds = budget.seconds
        self.deadline = None if seconds is None else time.monotonic() + seconds
        self._ceiling: int | None = None
        self.reason: str | None = None
        """Which limit was reached: "time" or "memory"."""
        self.fired: float | None = None
        """When `Exceeded` was last raised in the thread."""

    def over(self, memory: int, more: int = 0) -> bool:
        """Whether that memory, and more, is too much.  What there is when this is first asked,
        soon after the work has begun, is not counted: short work need not ask the system."""
        megabytes = self.budget.megabytes
        if megabytes is None:
            return False
        if self._ceiling is None:
            self._ceiling = memory + min(int(megabytes * MEGABYTE), _machine_memory())
        return memory + more > self._ceiling

    def exceeded(self, now: float, memory: int) -> bool:
        """Whether the budget is used up; which part of it is noted."""
        if self.reason is None:
            if self.late(now):
                self.reason = "time"
            elif self.over(memory):
                self.reason = "memory"
        return self.reason is not None

    def late(self, now: float) -> bool:
        """Whether the time is over."""
        return self.deadline is not None and now > self.deadline


_current: ContextVar[_WatchedWork | None] = ContextVar("governor", default=None)
_lock = threading.Lock()
_active: list[_WatchedWork] = []
_watcher: threading.Thread | None = None


def governed(
    what: str, budget: Budget, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs
) -> R:
    """`function(*args, **kwargs)` within the budget; `what` says in messages what took too much.

    Raises `Exhausted` when the budget, or that of work around this, is used up.
    """
    outer = _current.get()
    if outer is not None and budget.yields:
        budget = UNLIMITED
    if budget == UNLIMITED and outer is None:
        return function(*args, **kwargs)
    watch = _WatchedWork(what, budget, outer)
    token = _current.set(watch)
    try:
        try:
            _begin(watch)
            return function(*args, **kwargs)
        finally:
            _end(watch)
    except Exceeded:
        failure = _settled(watch)
    finally:
        _current.reset(token)
    raise failure


def _settled(watch: _WatchedWork) -> Exhausted:
    """The end of work that was not told where it was stopped."""
    while True:
        try:
            _end(watch)
            return reached()
        except Exceeded:  # the budget of work around this, at the same time
            continue


def _begin(watch: _WatchedWork) -> None:
    global _watcher
    with _lock:
        _active.append(watch)
        if _watcher is None:
            _watcher = threading.Thread(target=_look, name="governor", daemon=True)
            _watcher.start()


def _end(watch: _WatchedWork) -> None:
    """Watch no more.  What was raised but has not arrived is taken back."""
    with _lock:
        if watch in _active:
            _active.remove(watch)
            if watch.fired is not None and watch.thread is not None:
                _take_back(watch.thread)


def _forget() -> None:
    """In a forked process there are neither other threads nor their work."""
    global _watcher, _lock
    _watcher, _lock = None, threading.Lock()
    _active[:] = []


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


def _look() -> None:
    """The thread that looks at the clock and at the memory, as long as there is work."""
    global _watcher
    idle = 0
    while True:
        with _lock:
            idle = 0 if _active else idle + 1
            if idle > _IDLE:
                _watcher = None
                return
            wait = _stop_exceeded(time.monotonic(), resident())
        time.sleep(wait)


def _stop_exceeded(now: float, memory: int) -> float:
    """Stop the work whose budget is used up; seconds to wait until the next look."""
    wait = _TICK
    for watch in _active:
        if watch.exceeded(now, memory):
            if watch.thread is None:
                wait = min(wait, _SOON)
            elif watch.fired is None or now - watch.fired > _AGAIN:
                watch.fired = now
                _raise_in(watch.thread, Exceeded)
        elif watch.deadline is not None:
            wait = min(wait, max(watch.deadline - now, 0.001))
    return wait


def _raise_in(thread: int, kind: type[BaseException] | None) -> None:
    """Raise an exception in a thread, in place of what has not arrived there; None for nothing."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(
        ctypes.c_ulong(thread), None if kind is None else ctypes.py_object(kind)
    )


class _Nothing(BaseException):
    """What is raised and caught at once, see `_take_back`."""


def _take_back(thread: int) -> None:
    """What was raised in the thread and has not arrived does not arrive.

    Up to 3.12, CPython then believes for ever that there is an exception to deliver: everything is
    slower, and with `sys.settrace` it hangs.  Only a delivery ends that, so there is one here.
    Holds for callers with `_lock`: nothing else is raised meanwhile.
    """
    here = threading.get_ident()
    if thread != here:
        _raise_in(thread, None)
    try:
        _raise_in(here, _Nothing)
        while True:
            pass
    except _Nothing:
        return


def move_work(source: int | None, target: int | None) -> None:
    """The work of this context, where it is in the source, goes on in another thread, while the
    first waits for it.  None is for work that is in no thread: one that begins or ends, and one
    that waits, are not to be stopped, or nobody would begin, or wait to the end."""
    with _lock:
        watch = _current.get()
        while watch is not None:
            if watch.thread == source:
                if watch.fired is not None and source is not None:
                    _take_back(source)
                    watch.fired = ARRIVED if watch.fired == ARRIVED else None
                watch.thread = target
            watch = watch.outer


# What is asked while work goes on


def check() -> None:
    """Raise `Exceeded` if the time is over; cheap, for loops that know a better place than the
    traceback's."""
    now = time.monotonic()
    watch = _current.get()
    while watch is not None:
        if watch.late(now):
            watch.reason, watch.fired = watch.reason or "time", now
            raise Exceeded
        watch = watch.outer


def room(size: int) -> None:
    """Ask for that many bytes before they are taken at once; `Exceeded` if there are not so many.

    Without a budget MemoryError, where the machine has not so many.
    """
    if size < LARGE:
        return
    memory = resident()
    watch = _current.get()
    while watch is not None:
        if watch.over(memory, size):
            watch.reason, watch.fired = watch.reason or "memory", time.monotonic()
            raise Exceeded
        watch = watch.outer
    if memory + size > _machine_memory():
        raise MemoryError


def arrived() -> None:
    """`Exceeded` has been caught by who makes a diagnostic of it: it is not raised again."""
    watch = _current.get()
    with _lock:
        while watch is not None:
            if watch.reason is not None:
                watch.fired = ARRIVED
                if watch.thread is not None:
                    _take_back(watch.thread)
            watch = watch.outer


def reached(span: Span | None = None, notes: Iterable[Note] = (), remedy: str = "") -> Exhausted:
    """The diagnostic of the budget that is used up; whoever raises it has caught `Exceeded`, and
    said that it has `arrived` if there was something to find out first.

    `remedy` says what may help, besides a larger budget.
    """
    arrived()
    watch = inner = _current.get()
    while watch is not None and watch.reason is None:
        watch = watch.outer
    if watch is None or inner is None:
        return Exhausted("a limit of time or memory was reached", span, notes=notes)
    if watch.reason == "time":
        seconds = watch.budget.seconds
        message = f"{inner.what} took more than {seconds:g} second{'' if seconds == 1 else 's'}"
        option = "--max-time (max_time=)"
    else:
        message = f"{inner.what} takes more than {watch.budget.megabytes:g} megabytes of memory"
        option = "--max-memory (max_memory=)"
    hint = f"does it end? If so, raise {option}"
    return Exhausted(message, span, f"{remedy}, or raise {option}" if remedy else hint, notes)


# Memory


_PAGE: Final = os.sysconf("SC_PAGE_SIZE") if hasattr(os, "sysconf") else 4096


def resident() -> int:
    """Bytes of memory that the process takes; where the system does not tell, the most that it
    has taken, or 0."""
    try:
        with open("/proc/self/statm", "rb") as file:
            return int(file.read().split()[1]) * _PAGE
    except (OSError, IndexError, ValueError):
        return _peak()


def _peak() -> int:
    try:
        import resource  # no such module on every system
    except ImportError:
        return 0
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return most if sys.platform == "darwin" else most * 1024


def _machine_memory() -> int:
    """Three quarters of the memory of the machine, or of the group that the process belongs to."""
    global _memory
    if _memory is None:
        found = [_number(path) for path in _GROUP_LIMITS]
        with contextlib.suppress(AttributeError, ValueError, OSError):
            found.append(os.sysconf("SC_PHYS_PAGES") * _PAGE)
        _memory = min((n for n in found if n), default=1 << 62) // 4 * 3
    return _memory


_memory: int | None = None
_GROUP_LIMITS: Final = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


def _number(path: str) -> int | None:
    try:
        with open(path, encoding="ascii") as file:
            return int(file.read())
    except (OSError, ValueError):
        return None
