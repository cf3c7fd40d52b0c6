"""`generate`: generating extensions against the specializer, on the interpreters of `futamura` and,
in a copy of the repository, some of the corpus.

Each interpreter is specialized to its program, with the inputs unknown: by `specialize` (with
the interpreter loaded, and from its text), and by the compiler that `generate` makes of it.  All
give the same residual text.  Cleaning and printing the residual program, which both ways have in
common, are shown as parts of the compiler's time, and the ratio is given for the whole and for what
comes before these.  What a perfect compiler could reach, which carries out the interpreter in no
time, is the specializer's time over what it spends on states at memo points, on operations that it
leaves, on cleaning and on printing, of all that is tried: the text needs these.  Making a compiler
is writing its text; loading it is measured apart, with byte code that is made anew, not found in
the build cache.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from statistics import median
from time import process_time
from typing import Any, Final, NoReturn
from unittest import mock

import cogen
import cogen.specializer.specialization as driver
from cogen.backends.scheme.scheme import emit
from cogen.bench.latency import without_cache, without_kept
from cogen.bench.specializing import case_of, division, growing
from cogen.compiled import is_compiled
from cogen.generating.extension import Extension
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import interleaved
from cogen.mix.cases import INTERPRETERS
from cogen.specializer.execution.memopoints import MemoPoints
from cogen.specializer.paths.path import Path
from cogen.specializer.versions.graph import RawProgram

COLUMNS = (
    Column("case", ""),
    Column("specialize_ms", "specialize ms", ".1f"),
    Column("compiler_ms", "compiler ms", ".1f"),
    Column("clean_ms", "of it cleaning ms", ".1f"),
    Column("print_ms", "of it printing ms", ".1f"),
    Column("speedup", "specialize / compiler", ".1fx"),
    Column("speedup_before", "before cleaning", ".1fx"),
    Column("speedup_loading", "load and specialize / compiler", ".1fx"),
    Column("generate_ms", "generate ms", ".1f"),
    Column("load_ms", "load ms", ".1f"),
    Column("generate_over_specialize", "generate / specialize", ".1fx"),
    Column("perfect", "specialize / a perfect compiler", ".1fx"),
)

OF_CORPUS: Final = (
    "mp/reverse", "sql/total", "objects/counter", "stack-vm/primes", "regex-derivatives/ab",
    "imperative-vector/power-of-two", "closures-list/accounts", "lambda-need/sum",
    "cek/factorial", "typed/fib", "mixwell/append", "scheme-alist/factorial",
)  # fmt: skip
"""Interpreters as people write them, with programs: one of each kind."""

NEEDED: Final[tuple[tuple[Any, str], ...]] = (
    (MemoPoints, "memo_point"),
    *((Path, name) for name in ("emit", "let", "emit_test", "escape", "dynamic")),
    (driver, "clean"),
)
"""What the residual text needs, whoever carries out the interpreter."""


def bench() -> Report:
    """Times to the residual text."""
    report = Report("generate", "compilers made by `generate`, against `specialize`", COLUMNS)
    names = [f"futamura/{name}" for name in INTERPRETERS]
    for name in (*names, *(OF_CORPUS if growing() else ())):
        with without_kept():
            row, same = _row(name)
        report.rows.append({"case": name, **row})
        if not same:
            report.failures.append(f"{name}: the compiler makes another text than specialize")
    for key, what in (
        ("speedup", "specialize / compiler"),
        ("speedup_before", "specialize / compiler, before cleaning and printing"),
        ("speedup_loading", "load and specialize / compiler"),
        ("generate_over_specialize", "generate / specialize"),
        ("perfect", "specialize / a perfect compiler"),
    ):
        found = [float(row[key]) for row in report.rows if key in row]
        if found:
            report.notes.append(f"median of {what}: {median(found):.1f}x")
    return report


def _row(name: str) -> tuple[dict[str, Figure], bool]:
    case = case_of(name)
    program, entry, bts = case.program, case.entry, case.bts

    def generate() -> Extension:
        return cogen.generate(program, entry, *division(bts))

    def load_and_specialize() -> str:
        fresh = case_of(name)
        return cogen.specialize(fresh.program, entry, *fresh.bts).scheme

    def load() -> object:
        with without_cache():
            return generate().load()

    compiler = generate()
    residual = compiler(*bts).program.program
    cleaning: list[float] = []

    def compile_program() -> str:
        compiled = compiler(*bts)
        cleaning.append(compiled.statistics["seconds cleaning"])
        return compiled.scheme

    ways: dict[str, Callable[[], object]] = {
        "specialize": lambda: cogen.specialize(program, entry, *bts).scheme,
        "load and specialize": load_and_specialize,
        "compiler": compile_program,
        "print": lambda: emit(residual),
        "generate": generate,
        "generate and load": load,
    }
    times = interleaved(ways, 15, 5.0, process_time)
    with mock.patch.object(driver, "clean", _stop):
        before = interleaved(
            {
                "specialize": lambda: _raw(lambda: cogen.specialize(program, entry, *bts)),
                "compiler": lambda: _raw(lambda: compiler(*bts)),
            },
            15,
            2.0,
            process_time,
        )
    same = ways["specialize"]() == ways["compiler"]()
    row: dict[str, Figure] = {
        "specialize_ms": 1000 * times.seconds("specialize"),
        "compiler_ms": 1000 * times.seconds("compiler"),
        "clean_ms": 1000 * median(cleaning),
        "print_ms": 1000 * times.seconds("print"),
        "speedup": times.ratio("specialize", "compiler"),
        "speedup_before": before.ratio("specialize", "compiler"),
        "speedup_loading": times.ratio("load and specialize", "compiler"),
        "generate_ms": 1000 * times.seconds("generate"),
        "load_ms": 1000 * (times.seconds("generate and load") - times.seconds("generate")),
        "generate_over_specialize": times.ratio("generate", "specialize"),
    }
    if not is_compiled():  # whose methods cannot be watched
        row["perfect"] = _perfect(ways["specialize"], ways["print"])
    return row, same


def _perfect(specialize: Callable[[], object], show: Callable[[], object]) -> float:
    """How many times as long specializing takes as what of it the residual text needs."""
    ratios: list[float] = []
    for _ in range(3):
        with _needed() as spent:
            start = process_time()
            specialize()
            whole = process_time() - start
        start = process_time()
        show()
        ratios.append(whole / (sum(spent) + process_time() - start))
    return median(ratios)


@contextlib.contextmanager
def _needed() -> Iterator[list[float]]:
    """Seconds of what is `NEEDED`, each by itself; what it calls of it counts once."""
    spent: list[float] = []
    within = False

    def timed(function: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            nonlocal within
            if within:
                return function(*args, **named)
            within, start = True, process_time()
            try:
                return function(*args, **named)
            finally:
                spent.append(process_time() - start)
                within = False

        return call

    with contextlib.ExitStack() as patched:
        for owner, name in NEEDED:
            watched = timed(getattr(owner, name))
            patched.enter_context(mock.patch.object(owner, name, watched))
        yield spent


class _Raw(Exception):
    """The residual program is there, before it is cleaned."""


def _stop(raw: RawProgram) -> NoReturn:
    raise _Raw


def _raw(make: Callable[[], object]) -> None:
    """Make a residual program, up to the cleaning, which is `_stop`."""
    with contextlib.suppress(_Raw):
        make()
