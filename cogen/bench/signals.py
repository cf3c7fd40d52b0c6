"""`signals`: residual C against its opponents, on data in cache and in memory.

For each case of `cogen.bench.cases`: the residual C of the generic program for the layout; the
same source compiled with nothing known ahead; generic C with size and stride as inlined
constants; careful hand-written C; NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cogen
from cogen.bench.cases import CASES, Case, Data, program_path
from cogen.bench.measure import Timings, interleaved
from cogen.bench.native import bound, opponent
from cogen.bench.report import Column, Figure, Report
from cogen.target import load as native
from cogen.target.load import NativeFunction
from lang import il

SIZES: Final = (("L2", 512 * 1024), ("64 MB", 64 * 1024 * 1024))
"""Names and bytes of the data sets: input and output together."""

ROUNDS: Final = {"L2": 100, "64 MB": 15}

COLUMNS: Final = (
    Column("case", ""),
    Column("data", "data"),
    Column("word_size", "word size", "d"),
    Column("residual_gb_s", "residual GB/s", ".1f"),
    Column("residual_over_hand", "residual / hand", ".2fx"),
    Column("inlined_over_residual", "inlined / residual", ".1fx"),
    Column("unspecialized_over_residual", "unspec. / residual", ".0fx"),
    Column("numpy_over_residual", "NumPy / residual", ".1fx"),
)

NOTES: Final = (
    "hand: careful hand-written C for the layout; inlined: generic C with size and stride as",
    "inlined constants; unspec.: C of the same source with nothing known ahead.  One compiler,",
    "the same flags for all.  GB/s counts what is read and written.",
)

Way = Callable[[], object]


def bench() -> Report:
    """Ratios of times: below 1 in the first, above 1 in the others, the residual C is faster."""
    report = Report("signals", "signals: ratios of times in one run", COLUMNS)
    report.notes += NOTES
    program = cogen.load(program_path())
    for case in CASES:
        compiled = compile_case(program, case)
        for data_name, size in SIZES:
            data = case.make(size)
            ways = all_ways(compiled, case, data)
            wrong = wrong_ways(ways, data)
            if wrong:
                report.failures.append(
                    f"{case.name} on {data_name}: {', '.join(wrong)} not as hand-written C"
                )
                continue
            times = interleaved(ways, repetitions=ROUNDS[data_name])
            report.rows.append(_row(case, data_name, data, times))
    return report


def compile_case(program: il.Program, case: Case) -> tuple[NativeFunction, NativeFunction]:
    """The residual program and the unspecialized one, as native functions."""
    size = case.word_size
    residual = cogen.specialize(program, case.entry, *case.binding_times(), word_size=size)
    unspecialized = cogen.specialize(program, case.entry, *case.nothing_known(), word_size=size)
    return native.load(residual.program), native.load(unspecialized.program)


def all_ways(
    compiled: tuple[NativeFunction, NativeFunction], case: Case, data: Data
) -> dict[str, Way]:
    """All opponents on the data; "hand" is first, the one that others are compared with."""
    residual, unspecialized = compiled
    return {
        "hand": opponent("hand", case.name, data),
        "inlined": opponent("inlined", case.name, data),
        "residual": bound(residual, case.arguments(data, everything=False)),
        "unspecialized": bound(unspecialized, case.arguments(data, everything=True)),
        "numpy": lambda: case.numpy(data),
    }


def wrong_ways(ways: dict[str, Way], data: Data) -> list[str]:
    """The ways that give another value, or write other bytes, than hand-written C."""
    outcomes = {}
    for name, way in ways.items():
        data.out[:] = 0
        value = way()
        outcomes[name] = data.out.tobytes() if len(data.out) else value
    return [name for name, outcome in outcomes.items() if outcome != outcomes["hand"]]


def _row(case: Case, data_name: str, data: Data, times: Timings) -> dict[str, Figure]:
    size = case.bytes_per_sample() * data.count
    return {
        "case": case.title,
        "data": data_name,
        "word_size": case.word_size,
        "residual_gb_s": size / times.seconds("residual") / 1e9,
        "residual_over_hand": times.ratio("residual", "hand"),
        "inlined_over_residual": times.ratio("inlined", "residual"),
        "unspecialized_over_residual": times.ratio("unspecialized", "residual"),
        "numpy_over_residual": times.ratio("numpy", "residual"),
    }
