"""Run a recursive pass on a deep stack.

Passes over trees are written as plain recursion, because that reads best.  Input nested
thousands of levels deep would exhaust Python's stack, so a pass is entered through
`on_deep_stack`, which runs it in a thread that has a stack of its own.

Note [Deep stacks]
    CPython keeps frames of Python functions on the heap, but recursion that passes through C
    (sorting keys, constructors, `map`, generators consumed by `tuple`) takes machine stack,
    up to about two kilobytes a level, and in Python 3.12 and 3.13 the interpreter bounds it
    at some thousand levels whatever the stack. Passes therefore recurse from Python function
    to Python function, comprehensions included. `STACK_SIZE` is reserved address space, not
    memory: only what is touched is paid for. The recursion limit belongs to the whole
    interpreter; it is raised while any deep stack is in use and put back afterwards. Where so
    much address space cannot be had, a smaller stack with a proportionally smaller limit
    serves.
"""

from __future__ import annotations

import contextvars
import ctypes
import sys
import threading
from collections.abc import Callable
from typing import Final, ParamSpec, TypeVar

from cogen.lang.errors import LimitationError
from cogen.lang.governor import move_work

STACK_SIZE: Final = 512 << 20
"""Bytes of address space for a deep stack."""

BYTES_PER_LEVEL: Final = 2048
"""Machine stack that one level of recursion may take."""

P = ParamSpec("P")
R = TypeVar("R")

_here = threading.local()
_lock = threading.Lock()
_in_use = 0
_usual_limit = 0


PATIENCE: Final = 1.0
"""Seconds in which work that is interrupted may tell where it was."""


def on_deep_stack(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """`function(*args, **kwargs)` with room for some 250,000 levels of recursion.

    Returns and raises as the call would, but RecursionError becomes a `LimitationError`.
    Within a deep stack it is a plain call.
    """
    if getattr(_here, "deep", False):
        return function(*args, **kwargs)
    results: list[R] = []
    failures: list[BaseException] = []
    context = contextvars.copy_context()
    waiting = threading.get_ident()

    def work() -> R:
        here = threading.get_ident()
        move_work(None, here)
        try:
            return function(*args, **kwargs)
        finally:
            move_work(here, None)

    def body() -> None:
        _here.deep = True
        try:
            results.append(context.run(work))
        except RecursionError:
            failures.append(_too_deep())
        except BaseException as error:  # handed to the caller, whatever it is
            failures.append(error)

    move_work(waiting, None)
    try:
        _finish(_start(body), failures)
    finally:
        move_work(None, waiting)
    if failures:
        try:
            raise failures[0]
        finally:
            failures.clear()  # breaks the cycle of the traceback with this frame
    return results[0]


def _finish(thread: threading.Thread, failures: list[BaseException]) -> None:
    """Wait for a thread; if that is interrupted, so is the thread."""
    try:
        thread.join()
    except BaseException:
        _interrupt(thread)
        thread.join(PATIENCE)
        if failures and isinstance(failures[0], KeyboardInterrupt):
            raise failures[0] from None  # it says where it was
        raise
    finally:
        _restore_limit()


def _too_deep() -> LimitationError:
    return LimitationError(
        "the program is nested too deeply",
        hint="split deeply nested expressions into definitions",
    )


def _start(body: Callable[[], None]) -> threading.Thread:
    """Start a thread on the largest stack that can be had, and raise the recursion limit."""
    size = STACK_SIZE
    while True:
        with _lock:
            usual = threading.stack_size(size)
            try:
                thread = threading.Thread(target=body, name="deep stack", daemon=True)
                _raise_limit(size // BYTES_PER_LEVEL)
                thread.start()
                return thread
            except (RuntimeError, MemoryError):
                _drop_limit()
                if size < 1 << 20:
                    raise
                size //= 4
            finally:
                threading.stack_size(usual)


def _raise_limit(limit: int) -> None:
    global _in_use, _usual_limit
    if _in_use == 0:
        _usual_limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, _usual_limit))
    _in_use += 1


def _drop_limit() -> None:
    global _in_use
    _in_use -= 1
    if _in_use == 0:
        sys.setrecursionlimit(_usual_limit)


def _restore_limit() -> None:
    with _lock:
        _drop_limit()


def _interrupt(thread: threading.Thread) -> None:
    """Ask a thread whose result nobody waits for any more to stop."""
    if thread.ident is not None and thread.is_alive():
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(thread.ident), ctypes.py_object(KeyboardInterrupt)
        )
