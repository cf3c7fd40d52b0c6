"""`specialize`: how fast the specializer is, and the whole way from source to a callable.

Rows are the cases of `cogen.bench.cases`.  The program is loaded once; what is measured is what
a user waits for after that: specialize, print C, run the C compiler, load the object.
"""

from __future__ import annotations

from time import perf_counter

import cogen
from cogen.bench.cases import CASES, Case, program_path
from cogen.bench.measure import interleaved
from cogen.bench.rebuild import without_cache
from cogen.bench.report import Column, Report
from lang import il
from lang.ilutil import all_blocks

COLUMNS = (
    Column("case", ""),
    Column("operations", "residual operations", ".0f"),
    Column("specialize_ms", "specialize ms", ".1f"),
    Column("operations_per_second", "operations / s", ",.0f"),
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
    return report


def _row(program: il.Program, case: Case) -> dict[str, float | str]:
    def specialize() -> cogen.Residual:
        return cogen.specialize(program, case.entry, *case.binding_times())

    def print_c() -> str:
        return cogen.Residual(residual.program).c

    def build() -> object:
        with without_cache():
            return cogen.Residual(residual.program).compile()

    residual = specialize()
    times = interleaved({"specialize": specialize, "print": print_c, "build": build}, 5, 2.0)
    operations = sum(len(block.bindings) + 1 for block in all_blocks(residual.program.program))
    build_ms = 1000 * max(times["build"] - times["print"], 0.0)
    return {
        "case": case.title,
        "operations": operations,
        "specialize_ms": 1000 * times["specialize"],
        "operations_per_second": operations / times["specialize"],
        "print_ms": 1000 * times["print"],
        "build_ms": build_ms,
        "total_ms": 1000 * (times["specialize"] + times["build"]),
    }
