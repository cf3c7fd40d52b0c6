"""A residual program -> its texts in all targets, with marks: what is shown beside the source.

    residual ─ scheme ─ Scheme      with the places of the source that its forms were made of
             ─ c      ─ C           the same; a kernel, or a whole program with its run time
                        C ─ assembly     with the characters of the C text it comes from

Law: each text is what `--emit` prints.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from cogen.backends.objectcode.assembly import Assembly
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.marks import Marked, TextMark
from cogen.residual import ResidualProgram

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CTarget:
    """The C text of a residual program; `compiled` is what the compiler is given, which ends as the
    text does, and `is_kernel` how: as a function that uses C's own types, or as a program."""

    text: str
    marks: tuple[TextMark, ...]
    compiled: str
    is_kernel: bool

    def assembly(self) -> Assembly:
        """What the compiler makes of it; CogenError if there is none."""
        if self.is_kernel:
            from cogen.backends.objectcode.assembly import of_kernel

            return of_kernel(self.compiled)
        from cogen.backends.native.build import assembly

        return assembly(self.compiled)


@dataclass(frozen=True, slots=True)
class Targets:
    """The texts of a residual program; where there is none, the error that says why."""

    scheme: Marked | CogenError
    c: CTarget | CogenError
    asm: Assembly | CogenError


def targets(residual: ResidualProgram) -> Targets:
    """The residual program in all targets."""
    c = _tried(lambda: c_text(residual))
    asm = c if isinstance(c, CogenError) else _tried(c.assembly)
    return Targets(_tried(lambda: scheme_text(residual)), c, asm)


def _tried(make: Callable[[], T]) -> T | CogenError:
    try:
        return make()
    except CogenError as error:
        return error


def scheme_text(residual: ResidualProgram) -> Marked:
    """The program in Scheme."""
    from cogen.backends.scheme.scheme import emit_marked

    return emit_marked(residual.program)


def c_text(residual: ResidualProgram) -> CTarget:
    """The program in C: of a kernel a function that uses C's own types, of any other program a
    whole command with its run time."""
    from cogen.backends.kernel.c import emit

    try:
        module = emit(residual)
    except LimitationError:
        from cogen.backends.native.compile import c_text as native_text
        from cogen.backends.native.single import single_file

        program = native_text(residual.program, residual.entry, residual.word_size)
        text = single_file(program.text)
        moved = len(text) - len(program.text)
        marks = tuple([mark.moved(moved) for mark in program.marks])
        return CTarget(text, marks, program.text, False)
    return CTarget(module.text, module.marks, module.text, True)
