"""Kernels: residual programs of signals/convert.scm, one for each pair of patterns, as movers.

A mover moves any number of samples between buffers.  It is C where there is a compiler (the
residual program, and signals/mover.c around it), else NumPy (`cogen.signals.slices`).  One is made
when it is first asked for and kept for the life of the process; one at a time is made, and calls
need no lock.

Note [Kernel index]: the store keeps the machine code by what the kernel is for (layouts, operation,
our own code, compiler, processor), not only by its C text.  So a process that finds it there does
not even import the specializer; which functions a kernel has follows from its task, so nothing has
to be known of it but its file.

Note [Late imports]: what only the making of movers needs is imported then, so that `import
cogen.signals` costs little more than NumPy.
"""

from __future__ import annotations

import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from cogen.lang.errors import CogenError, InternalError
from cogen.lang.warning import CogenWarning
from cogen.signals.pattern import choose_word_size, common_period, is_disjoint
from cogen.signals.prebuilt import prebuilt
from cogen.signals.task import Extent, Task

if TYPE_CHECKING:
    from pathlib import Path

    from cogen import Residual
    from cogen.lang import il

PROGRAM: Final = """
(import (scheme base) (signals convert))
(define (convert in in-at source out out-at target rounds period fit keep?)
  (convert-samples! in in-at source out out-at target rounds period fit keep?))
"""
ENTRY: Final = "convert"


class NativeKernel:
    """A mover that is machine code in a shared object."""

    def __init__(self, path: Path, behind: str = "", fit: bool = False) -> None:
        """`behind` stands behind the names of its functions; `fit`: can it refuse elements that
        are out of range?"""
        from cogen.backends.objectcode import foreign

        self.library = foreign.SharedObject(path)
        number = foreign.INT64
        side = [foreign.POINTER, number, number]
        kinds = [*side, *side, number, foreign.DOUBLE]
        self.call = self.library.function(f"cogen_move{behind}", kinds, number)
        if fit:
            self.pack = self.library.function(f"cogen_pack{behind}", kinds, number)
            ends = [number, number]
            rows = [*side, *ends, *side, *ends, number, number, foreign.DOUBLE]
            self.pack_rows = self.library.function(f"cogen_pack_rows{behind}", rows, number)
            looking = [foreign.POINTER, number, number, number, number]
            self.fits = self.library.function(f"cogen_fits{behind}", looking, number)
        side += [number, number]
        kinds = [*side, *side, number, number, foreign.DOUBLE]
        self.call_rows = self.library.function(f"cogen_move_rows{behind}", kinds, number)
        self.address = foreign.address

    def __call__(self, source: Any, target: Any, span: Extent, scale: float) -> None:
        """Move samples from one array of bytes to another."""
        failed = self.call_rows(
            self._pointer(source), span.in_bytes, span.in_at, span.in_pitch, span.in_less,
            self._pointer(target), span.out_bytes, span.out_at, span.out_pitch, span.out_less,
            span.samples, span.rows, scale,
        )  # fmt: skip
        if failed:
            raise InternalError("the C code of a kernel reports an error")

    def refuses(self, source: Any, span: Extent) -> bool:
        """Whether some elements of an array are out of range."""
        at = self._pointer(source)
        return bool(self.fits(at, span.in_at, span.in_pitch, span.samples, span.rows))

    def packs(self, source: Any, target: Any, span: Extent) -> bool:
        """Move elements of an array that are in range, each of which is looked at before; False
        if some are not."""
        if span.rows > 1:
            failed = self.pack_rows(
                self._pointer(source), span.in_bytes, span.in_at, span.in_pitch, span.in_less,
                self._pointer(target), span.out_bytes, span.out_at, span.out_pitch, span.out_less,
                span.samples, span.rows, 1.0,
            )  # fmt: skip
        else:
            failed = self.pack(
                self._pointer(source), span.in_bytes, span.in_at,
                self._pointer(target), span.out_bytes, span.out_at, span.samples, 1.0,
            )  # fmt: skip
        if failed not in (0, 3):
            raise InternalError("the C code of a kernel reports an error")
        return not failed

    def _pointer(self, array: Any) -> Any:
        return self.address(array.__array_interface__["data"][0])


Mover = Callable[[Any, Any, Extent, float], None]
"""Moves samples between arrays of bytes, of which the first byte is that of the first row."""

_movers: dict[Task, Mover] = {}
_making = threading.Lock()


_numpy_only: ContextVar[bool] = ContextVar("numpy_only", default=False)


@contextmanager
def by_numpy() -> Iterator[None]:
    """Let NumPy move all samples meanwhile, as it does where there is no C compiler; but not small
    buffers whose layout was unpacked before, unless `out` or `threads` is given, or converted."""
    token = _numpy_only.set(True)
    try:
        yield
    finally:
        _numpy_only.reset(token)


def mover_for(task: Task) -> Mover:
    """The mover for a task, made now if need be; CogenError if it cannot be."""
    if _numpy_only.get():
        from cogen.signals.slices import slices

        return slices(task)
    found = _movers.get(task)
    if found is None:
        with _making:
            found = _movers.get(task)
            if found is None:
                found = _movers[task] = _make(task)
    return found


def _make(task: Task) -> Mover:
    brought = prebuilt(task)
    if brought is not None:
        return NativeKernel(*brought, task.fit is not None)
    from cogen import diskstore as store
    from cogen.backends.objectcode.toolchain import identify_compiler
    from cogen.identity import code_identity

    try:
        compiler = identify_compiler()
    except CogenError as error:
        from cogen.signals.slices import slices

        warn_once(error.message, error.hint or "")
        return slices(task)
    parts = ("kernel", repr(task), code_identity(), compiler)
    code = store.get(*parts)
    if code is None:
        code = _build(task)
    path = store.file(*parts, make=lambda made: _write(made, code))
    return NativeKernel(path, "", task.fit is not None)


def _build(task: Task) -> bytes:
    """The shared object of a kernel.  See Note [Kernel index]."""
    from cogen import diskstore as store
    from cogen.backends.objectcode.cache import shared_object

    with progress("compiling a kernel for this layout"):
        return store.contents(shared_object(c_text(task)))


def _write(made: Path, code: bytes) -> None:
    made.write_bytes(code)


def c_text(task: Task, title: str = "Made by cogen: packed samples, moved.") -> str:
    """The C text of the mover for a task."""
    from cogen.backends.kernel.c import emit
    from cogen.signals.driver import gathering, storing, translation_unit

    stage = task.stage if stores_numbers(task) else None
    module = emit(
        residual_for(task).program,
        storing=None if stage is None else storing(stage),
        gathering=gathering(task),
    )
    return translation_unit(module, title, task)


def stores_numbers(task: Task) -> bool:
    """Whether each word that the residual program of a task stores is one sample, an integer, which
    can become the number that is wanted at once.  See Note [Stages]."""
    if task.stage is None or task.stage.sample[0] not in "ui":
        return False
    size = 8 * int(task.stage.sample[1:])
    return choose_word_size(task.source, task.target) == size == task.target.step


# Note [Stages]
#   Where samples become numbers of another type, or are scaled, the residual program stores them
#   as ever, and what a store does is a macro of the C around it: it converts.  So the loop that
#   unpacks is the one that converts, and gcc makes vector code of both together.  That needs a
#   word for each sample.  With other words (10 bits want words of 64) and for floats, samples go
#   through a block in the first cache (signals/mover.c), which costs two fifths more for 12 bits.


def residual_for(task: Task) -> Residual:
    """The residual program for a task: whole rounds of samples between whole words."""
    import cogen

    source, target = task.source, task.target
    word_size = choose_word_size(source, target)
    in_at = source.remainder(task.places[0], word_size)
    out_at = target.remainder(task.places[1], word_size)
    period = common_period(source, target, word_size)
    whole = not task.keep and is_disjoint(target, out_at, target.groups(period), word_size)
    return cogen.specialize(
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
        cogen.static(cogen.symbol("saturate" if task.saturate else "wrap")),
        cogen.static(not whole),
        word_size=word_size,
    )


def period_of(task: Task) -> int:
    """The samples of one round of the task's residual program."""
    word_size = choose_word_size(task.source, task.target)
    return common_period(task.source, task.target, word_size)


def rounds_are_apart(task: Task) -> bool:
    """Whether different rounds store to different words, so that threads may share the work."""
    word_size = choose_word_size(task.source, task.target)
    out_at = task.target.remainder(task.places[1], word_size)
    groups = task.target.groups(common_period(task.source, task.target, word_size))
    return task.target.step > 0 and is_disjoint(task.target, out_at, groups, word_size)


@cache
def _program() -> il.Program:
    import cogen

    return cogen.loads(PROGRAM, "<signals>")


def executable(residual: Residual) -> Callable[..., Any]:
    """The residual program as native code, or as Python if there is no C compiler."""
    from cogen.backends.objectcode.toolchain import find_compiler

    try:
        find_compiler()
    except CogenError as error:
        warn_once(error.message, error.hint or "")
        return residual.to_python()
    return residual.compile()


@cache
def warn_once(problem: str, hint: str) -> None:
    """Tell that there is no native code."""
    warnings.warn(
        f"{problem}: packed samples are converted by NumPy, and programs over signals run as "
        f"Python code, which is slow; {hint}",
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
