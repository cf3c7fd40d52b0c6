"""Where an array program spends its time: runs of its C on one thread, sampled.

    C ─ assembly ─ the same code, sampled (`cogen.view.timing`) ─ parts of the C text
      ─ operations of the source, with their shares

An instruction belongs to the operation in whose text the place stands that it was made of, wherever
fusion has put it; what a loop does for itself, to the operation that the loop is of.  What is spent
in functions of C's library, as in `exp`, is `elsewhere`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from cogen.lang.errors import InternalError, Source, Span
from cogen.lang.marks import TextMark
from cogen.view.notes import Key, key_of, operation_of
from cogen.view.timing import Probe, Times, built, sampled_lines

if TYPE_CHECKING:
    from cogen.array.c.interface import CProgram
    from cogen.array.c.nativeprogram import CNative
    from cogen.array.l0.checked import CheckedProgram
    from cogen.backends.objectcode.assembly import Assembly


T = TypeVar("T")


def measured(
    program: CheckedProgram, entry: str, run: Callable[[CNative], object], seconds: float
) -> Times:
    """Let a function of an array program be `run` on its values, by the code that it is given,
    again and again, for so many seconds of computing.

    CogenError for what the runs fail by, if there is no C compiler, and if the runs took too little
    time in the code to tell anything; LimitationError on systems that cannot measure it.
    """
    from cogen.array.c.nativeprogram import marked_text
    from cogen.array.report.fusionreport import report

    c, marks = marked_text(program, entry)
    asm, options = _assembly(c.text)
    probe = partial(_probe, run, c, options)
    lines, runs, took = sampled_lines(asm, probe, seconds)
    operations = [operation.span for operation in report(program, entry).operations]
    parts, places, loops = _shared_out(c.text, asm, lines, marks, operations)
    total = sum(lines.values())

    def shares(counts: Counter[T]) -> dict[T, float]:
        return {key: count / total for key, count in counts.items()}

    return Times(shares(places), shares(parts), total, runs, took, shares(loops))


def _assembly(text: str) -> tuple[Assembly, tuple[str, ...]]:
    """The assembly of a C text, and the options it was compiled with: the first that work."""
    from cogen.array.c.flags import attempts
    from cogen.backends.objectcode.assembly import of_kernel

    *better, last = attempts()
    for options in better:
        try:
            return of_kernel(text, options), options
        except InternalError:
            continue
    return of_kernel(text, last), last


def _probe(
    run: Callable[[CNative], object], c: CProgram, options: tuple[str, ...], text: str
) -> Probe:
    """The library of an assembly text, and what calls it."""
    from cogen.array.c.nativeprogram import CNative, NativeProgram

    path: Path = built(text, options)
    native = CNative(NativeProgram(c, path=path), 1)
    return path, lambda: run(native)


def _shared_out(
    text: str,
    asm: Assembly,
    lines: dict[int, int],
    marks: Sequence[TextMark],
    operations: Sequence[Span],
) -> tuple[Counter[tuple[int, int]], Counter[Key], Counter[Key]]:
    """The counts of lines of the assembly by the smallest parts of the C text that have a place, by
    the operations of these, and by those of the outermost parts, which are loops."""
    starts = Source("c", text).line_starts
    ordered = sorted(marks, key=lambda mark: mark.end - mark.start)
    inside = sorted(operations, key=lambda span: span.end - span.start)
    parts: Counter[tuple[int, int]] = Counter()
    places: Counter[Key] = Counter()
    loops: Counter[Key] = Counter()
    for number, count in lines.items():
        position = asm.positions[number]
        assert position is not None
        offset = starts[position[0] - 1] + max(position[1], 1) - 1
        around = [mark for mark in ordered if mark.start <= offset < mark.end]
        if around:
            parts[around[0].start, around[0].end] += count
        found = [operation_of(place, inside) for mark in around for place in mark.places]
        known = [key_of(one) for one in found if one is not None]
        if known:
            places[known[0]] += count
            loops[known[-1]] += count
    return parts, places, loops
