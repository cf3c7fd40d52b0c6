"""Kernels: residual programs of signals/convert.scm, one for each pair of patterns.

A kernel is made when it is first asked for and kept for the life of the process; the build cache
on disk keeps the machine code.  One is made at a time; calls need no lock.

Without a C compiler a kernel is residual Python: slow, but right, and a warning says what to
install.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import cogen
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.warning import CogenWarning
from cogen.signals.pattern import Pattern, choose_word_size, common_period, is_disjoint
from cogen.target.toolchain import find_compiler

PROGRAM: Final = """
(import (scheme base) (signals convert))
(define (convert in in-at source out out-at target rounds period fit keep?)
  (convert-samples! in in-at source out out-at target rounds period fit keep?))
"""
ENTRY: Final = "convert"


@dataclass(frozen=True, slots=True)
class Kernel:
    """Moves `period` samples a round: `run(in, in_at, out, out_at, rounds)`, addresses in bits."""

    run: Callable[..., Any]
    period: int
    word_size: int
    source: Pattern
    target: Pattern


@dataclass(frozen=True, slots=True)
class Task:
    """What a kernel is for.

    `offsets` are the bit addresses of the first groups; `saturate`, whether values out of range
    are clamped (else their low bits are kept); `keep`, whether bits between the samples of the
    target keep their values (else the kernel may make them 0).
    """

    source: Pattern
    target: Pattern
    offsets: tuple[int, int]
    saturate: bool
    keep: bool


_Key = tuple[Pattern, Pattern, int, int, int, bool, bool]
_kernels: dict[_Key, Kernel] = {}
_making = threading.Lock()


def kernel_for(task: Task) -> Kernel:
    """The kernel for a task, made now if need be; CogenError if it cannot be."""
    source, target = task.source, task.target
    word_size = choose_word_size(source, target)
    places = (
        source.remainder(task.offsets[0], word_size),
        target.remainder(task.offsets[1], word_size),
    )
    key = (source, target, word_size, *places, task.saturate, task.keep)
    found = _kernels.get(key)
    if found is None:
        with _making:
            found = _kernels.get(key)
            if found is None:
                found = _kernels[key] = _make(key)
    return found


def _make(key: _Key) -> Kernel:
    source, target, word_size, in_at, out_at, saturate, keep = key
    period = common_period(source, target, word_size)
    whole = not keep and is_disjoint(target, out_at, target.groups(period), word_size)
    with progress("compiling a kernel for this layout"):
        residual = cogen.specialize(
            _program(),
            ENTRY,
            cogen.dynamic("memory"),
            cogen.cyclic(word_size, in_at),
            cogen.static(source.datum()),
            cogen.dynamic("memory"),
            cogen.cyclic(word_size, out_at),
            cogen.static(target.datum()),
            cogen.dynamic("int"),
            cogen.static(period),
            cogen.static(cogen.symbol("saturate" if saturate else "wrap")),
            cogen.static(not whole),
            word_size=word_size,
        )
        return Kernel(executable(residual), period, word_size, source, target)


@cache
def _program() -> il.Program:
    return cogen.loads(PROGRAM, "<signals>")


def executable(residual: cogen.Residual) -> Callable[..., Any]:
    """The residual program as native code, or as Python if there is no C compiler."""
    try:
        find_compiler()
    except CogenError as error:
        _warn_once(error.message, error.hint or "")
        return residual.to_python()
    return residual.compile()


@cache
def _warn_once(problem: str, hint: str) -> None:
    warnings.warn(
        f"{problem}: packed samples are converted by Python code, which is slow; {hint}",
        CogenWarning,
        stacklevel=2,
    )


quiet: ContextVar[bool] = ContextVar("quiet", default=False)
"""Is something else shown on the terminal already?"""


@contextmanager
def progress(what: str) -> Iterator[None]:
    """Show on a terminal that something is being made; elsewhere nothing."""
    if quiet.get() or not (sys.stderr and sys.stderr.isatty()):
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(f"{what} ..."):
        yield
