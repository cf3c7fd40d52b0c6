"""`signals`: residual C against its opponents, on data in cache and in memory.

For each case of `cogen.bench.cases`: the residual C of the generic program for the layout; the
same source compiled with nothing known ahead; generic C with size and stride as inlined
constants; careful hand-written C; NumPy; Numba and Halide, where they are installed; and a copy
of as many bytes, which is the limit of the memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from importlib import import_module
from statistics import median
from typing import Final

import numpy as np

import cogen
from cogen.backends.kernel import load as native
from cogen.backends.kernel.load import NativeFunction
from cogen.bench.cases import CASES, BenchmarkCase, program_path
from cogen.bench.data import CaseData, aligned
from cogen.bench.native import bound, opponent
from cogen.lang import il
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import Timings, interleaved

SIZES: Final = (("L2", 512 * 1024), ("64 MB", 64 * 1024 * 1024))
"""Names and bytes of the data sets: input and output together."""

ROUNDS: Final = {"L2": 100, "64 MB": 15}

COLUMNS: Final = (
    Column("case", ""),
    Column("data", "data"),
    Column("word_size", "word size", "d"),
    Column("residual_gb_s", "residual GB/s", ".1f"),
    Column("residual_over_memcpy", "residual / memcpy", ".2fx"),
    Column("residual_over_hand", "residual / hand", ".2fx"),
    Column("inlined_over_residual", "inlined / residual", ".1fx"),
    Column("unspecialized_over_residual", "unspec. / residual", ".0fx"),
    Column("numpy_over_residual", "NumPy / residual", ".1fx"),
    Column("numba_over_residual", "Numba / residual", ".1fx"),
    Column("halide_over_residual", "Halide / residual", ".1fx"),
)

NOTES: Final = (
    "hand: careful hand-written C for the layout; inlined: generic C with size and stride as",
    "inlined constants; unspec.: C of the same source with nothing known ahead; memcpy: of as many",
    "bytes, read and written.  One compiler, the same flags for all.  GB/s counts what is read and",
    "written.",
)

OTHERS: Final = ("numba", "halide")
"""Packages that the cases are written for in modules of their own."""

Way = Callable[[], object]


def bench() -> Report:
    """Ratios of times: below 1 over hand and memcpy, above 1 in the others, the residual C is
    faster."""
    report = Report("signals", "signals: ratios of times in one run", COLUMNS)
    report.notes += NOTES
    program = cogen.load(program_path())
    missed = []
    for case in CASES:
        compiled = compile_case(program, case)
        for data_name, size in SIZES:
            data = case.data(size)
            ways = all_ways(compiled, case, data)
            wrong = wrong_ways(ways, case, data)
            if wrong:
                report.failures.append(
                    f"{case.name} on {data_name}: {', '.join(wrong)} not as hand-written C"
                )
                continue
            times = interleaved({**ways, "memcpy": copying(data)}, repetitions=ROUNDS[data_name])
            row = _row(case, data_name, data, times)
            report.rows.append(row)
            if times.ratio("residual", "hand") > case.bar:
                missed.append(f"{case.name} ({data_name})")
    report.notes += _summary(report, missed)
    return report


def _summary(report: Report, missed: list[str]) -> list[str]:
    inlined = [
        row["inlined_over_residual"] for row in report.rows if "inlined_over_residual" in row
    ]
    notes = [f"slower than the bar over hand-written C: {', '.join(missed) or 'none'}"]
    if inlined:
        middle = median(float(ratio) for ratio in inlined)
        notes.append(f"median of inlined / residual: {middle:.1f}x")
    missing = [name for name in OTHERS if not _other(name)]
    if missing:
        notes.append(f"not installed: {', '.join(missing)}")
    return notes


Compiled = tuple[NativeFunction, NativeFunction | None]


def compile_case(program: il.Program, case: BenchmarkCase) -> Compiled:
    """The residual program and the unspecialized one, if there is one, as native functions."""
    size = case.word_size
    residual = cogen.specialize(program, case.entry, *case.binding_times(), word_size=size)
    if not case.unspecialized:
        return native.load(residual.program), None
    general = cogen.specialize(program, case.entry, *case.nothing_known(), word_size=size)
    return native.load(residual.program), native.load(general.program)


def all_ways(compiled: Compiled, case: BenchmarkCase, data: CaseData) -> dict[str, Way]:
    """All opponents on the data; "hand" is first, the one that others are compared with."""
    residual, unspecialized = compiled
    known = case.arguments(data, everything=False)
    ways: dict[str, Way] = {
        "hand": opponent("hand", case.name, data),
        "residual": bound(residual, known),
    }
    if case.inlined:
        ways["inlined"] = opponent("inlined", case.name, data)
    if unspecialized is not None:
        ways["unspecialized"] = bound(unspecialized, case.arguments(data, everything=True))
    if case.numpy is not None:
        ways["numpy"] = partial(case.numpy, data)
    for name in OTHERS:
        way = _other(name).get(case.name)
        if way is not None:
            ways[name] = partial(way, data)
    return ways


@cache
def _other(name: str) -> Mapping[str, Callable[[CaseData], object]]:
    """What the cases are in another package; nothing if it is not installed."""
    try:
        module = import_module(f"cogen.bench.{name}ways")
    except ImportError:
        return {}
    ways: Mapping[str, Callable[[CaseData], object]] = module.WAYS
    return ways


def copying(data: CaseData) -> Way:
    """Copies half as many bytes as a case reads and writes."""
    source, target = aligned(data.size // 2), aligned(data.size // 2)
    return lambda: np.copyto(target, source)


def wrong_ways(ways: dict[str, Way], case: BenchmarkCase, data: CaseData) -> list[str]:
    """The ways that give another value, or write other bytes, than hand-written C."""
    outcomes: dict[str, object] = {}
    for name, way in ways.items():
        data.out[:] = 0
        value = way()
        if case.counted:
            assert isinstance(value, int)
            outcomes[name] = data.out[:value].tobytes()
        else:
            outcomes[name] = data.out.tobytes() if len(data.out) else value
    return [name for name, outcome in outcomes.items() if outcome != outcomes["hand"]]


def _row(case: BenchmarkCase, data_name: str, data: CaseData, times: Timings) -> dict[str, Figure]:
    row: dict[str, Figure] = {
        "case": case.title,
        "data": data_name,
        "word_size": case.word_size,
        "residual_gb_s": data.size / times.seconds("residual") / 1e9,
        "residual_over_memcpy": times.ratio("residual", "memcpy"),
        "residual_over_hand": times.ratio("residual", "hand"),
    }
    for other in ("inlined", "unspecialized", "numpy", *OTHERS):
        if other in times.rounds:
            row[f"{other}_over_residual"] = times.ratio(other, "residual")
    return row
