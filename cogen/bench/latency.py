"""`specialize`: how fast the specializer is, and the whole way from source to a callable.

Rows are the cases of `cogen.bench.cases`.  The program is loaded once; what is measured is what
a user waits for after that: specialize, print C, run the C compiler, load the object.  Of the
interpreters of `cogen.mix.cases`, specialized to their programs, the specializer's processor time
is measured.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter, process_time
from unittest import mock

import cogen
from cogen.bench.cases import CASES, Case, program_path
from cogen.bench.measure import interleaved
from cogen.bench.report import Column, Figure, Report
from cogen.bt import BT, Static
from cogen.mix.cases import ENTRY, INTERPRETERS, load_case, path_of
from lang import il
from lang.ilutil import all_blocks

COLUMNS = (
    Column("case", ""),
    Column("operations", "residual operations", ".0f"),
    Column("specialize_ms", "specialize ms", ".1f"),
    Column("operations_per_second", "operations / s", ",.0f"),
    Column("calls_per_second", "unfolded calls / s", ",.0f"),
    Column("print_ms", "print C ms", ".1f"),
    Column("build_ms", "cc + load ms", ".1f"),
    Column("total_ms", "whole ms", ".1f"),
)


def bench() -> Report:
    """Milliseconds of each step; the build cache is not used."""
    report = Report("specialize", "from source to native code", COLUMNS)
    start = perf_counter()
    program = cogen.load(program_path())
    report.notes.append(
        f"loading the program and the signal library: {1000 * (perf_counter() - start):.0f} ms"
    )
    for case in CASES:
        report.rows.append(_row(program, case))
    report.rows += map(of_interpreter, INTERPRETERS)
    return report


def of_interpreter(name: str) -> dict[str, Figure]:
    """An interpreter specialized to its program, its other arguments unknown."""
    case, program = load_case(name), cogen.load(path_of(name))
    bts: list[BT] = [Static(case.source), *[cogen.dynamic()] * len(case.data)]

    def specialize() -> cogen.Residual:
        return cogen.specialize(program, ENTRY, *bts)

    residual = specialize()
    times = interleaved({"specialize": specialize}, 5, 1.0, process_time)
    return {"case": f"interpreter {name}", **_speed(residual, times.seconds("specialize"))}


def _speed(residual: cogen.Residual, seconds: float) -> dict[str, Figure]:
    """How fast a residual program was made."""
    operations = sum(len(block.bindings) + 1 for block in all_blocks(residual.program.program))
    return {
        "operations": operations,
        "specialize_ms": 1000 * seconds,
        "operations_per_second": operations / seconds,
        "calls_per_second": residual.program.statistics["calls unfolded"] / seconds,
    }


def _row(program: il.Program, case: Case) -> dict[str, Figure]:
    bts = case.binding_times()

    def specialize() -> cogen.Residual:
        return cogen.specialize(program, case.entry, *bts, word_size=case.word_size)

    def print_c() -> str:
        return cogen.Residual(residual.program).c

    def build() -> object:
        with without_cache():
            return cogen.Residual(residual.program).compile()

    residual = specialize()
    times = interleaved({"specialize": specialize, "print": print_c, "build": build}, 5, 2.0)
    first, printing, building = (times.seconds(step) for step in ("specialize", "print", "build"))
    return {
        "case": case.title,
        **_speed(residual, first),
        "print_ms": 1000 * printing,
        "build_ms": 1000 * max(building - printing, 0.0),
        "total_ms": 1000 * (first + building),
    }


@contextmanager
def without_cache() -> Iterator[None]:
    """Nothing that was built before is found."""
    with (
        tempfile.TemporaryDirectory() as directory,
        mock.patch.dict(os.environ, {"COGEN_CACHE_DIR": directory}),
    ):
        yield
