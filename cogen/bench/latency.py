"""`latency`: the whole way from source to a callable.

Rows are the cases of `cogen.bench.cases`.  The program is loaded once; what is measured is what
a user waits for after that: specialize, print C, run the C compiler, load the object.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from unittest import mock

import cogen
from cogen.bench.cases import CASES, BenchmarkCase, program_path
from cogen.bench.specializing import operations
from cogen.kept_programs import KEEP
from cogen.lang import il
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import interleaved

COLUMNS = (
    Column("case", ""),
    Column("operations", "residual operations", ".0f"),
    Column("specialize_ms", "specialize ms", ".1f"),
    Column("print_ms", "print C ms", ".1f"),
    Column("build_ms", "cc + load ms", ".1f"),
    Column("total_ms", "whole ms", ".1f"),
)


def bench() -> Report:
    """Milliseconds of each step; the build cache is not used."""
    report = Report("latency", "from source to native code", COLUMNS)
    start = perf_counter()
    program = cogen.load(program_path())
    report.notes.append(
        f"loading the program and the signal library: {1000 * (perf_counter() - start):.0f} ms"
    )
    for case in CASES:
        with without_kept():
            report.rows.append(_row(program, case))
    return report


def _row(program: il.Program, case: BenchmarkCase) -> dict[str, Figure]:
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
        "operations": operations(residual),
        "specialize_ms": 1000 * first,
        "print_ms": 1000 * printing,
        "build_ms": 1000 * max(building - printing, 0.0),
        "total_ms": 1000 * (first + building),
    }


@contextmanager
def without_kept() -> Iterator[None]:
    """No residual program that was made before is found."""
    with mock.patch.dict(os.environ, {KEEP: "0"}):
        yield


@contextmanager
def without_cache() -> Iterator[None]:
    """Nothing that was built before is found."""
    with (
        tempfile.TemporaryDirectory() as directory,
        mock.patch.dict(os.environ, {"COGEN_CACHE_DIR": directory}),
    ):
        yield
