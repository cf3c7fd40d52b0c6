"""`signals`: residual C against its opponents, on data in cache and in memory.

For each case of `cogen.bench.cases`: the residual C of the generic program for the layout; the
same source compiled with nothing known ahead; generic C with size and stride as inlined
constants; careful hand-written C; NumPy.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import cogen
from cogen.bench import opponents
from cogen.bench.cases import CASES, Case, Data, program_path
from cogen.bench.measure import interleaved
from cogen.bench.report import Column, Report
from lang import il

SIZES: Final = (("L2", 512 * 1024), ("64 MB", 64 * 1024 * 1024))
"""Names and bytes of the data sets: input and output together."""

COLUMNS: Final = (
    Column("case", ""),
    Column("data", "data"),
    Column("residual_gb_s", "residual GB/s", ".1f"),
    Column("residual_over_hand", "residual / hand-written", ".2fx"),
    Column("inlined_over_residual", "inlined generic C / residual", ".1fx"),
    Column("unspecialized_over_residual", "unspecialized / residual", ".0fx"),
    Column("numpy_over_residual", "NumPy / residual", ".1fx"),
)

Way = Callable[[], object]


def bench() -> Report:
    """Ratios of times: below 1 in the first, above 1 in the others, the residual C is faster."""
    report = Report("signals", "signals: ratios of times in one run", COLUMNS)
    report.notes.append(
        "GB/s counts what is read and written.  All C is compiled with the same flags."
    )
    program = cogen.load(program_path())
    for case in CASES:
        compiled = _compile(program, case)
        for data_name, size in SIZES:
            data = case.make(size)
            ways = _ways(compiled, case, data)
            wrong = _wrong(ways, data)
            if wrong:
                report.failures.append(
                    f"{case.name} on {data_name}: {', '.join(wrong)} not as hand-written C"
                )
                continue
            times = interleaved(ways)
            report.rows.append(_row(case, data_name, data, times))
    return report


def _compile(program: il.Program, case: Case) -> tuple[Callable[..., object], ...]:
    """The residual program and the unspecialized one, as native functions."""
    residual = cogen.specialize(program, case.entry, *case.binding_times())
    unspecialized = cogen.specialize(program, case.entry, *case.nothing_known())
    return residual.compile(), unspecialized.compile()


def _ways(compiled: tuple[Callable[..., object], ...], case: Case, data: Data) -> dict[str, Way]:
    """All opponents on the data; "hand" is first, the one that others are compared with."""
    residual, unspecialized = compiled
    known, everything = case.arguments(data, False), case.arguments(data, True)
    return {
        "hand": opponents.function("hand", case.name, data),
        "inlined": opponents.function("inlined", case.name, data),
        "residual": lambda: residual(*known),
        "unspecialized": lambda: unspecialized(*everything),
        "numpy": lambda: case.numpy(data),
    }


def _wrong(ways: dict[str, Way], data: Data) -> list[str]:
    """The ways that give another value, or write other bytes, than hand-written C."""
    outcomes = {}
    for name, way in ways.items():
        data.out[:] = 0
        value = way()
        outcomes[name] = data.out.tobytes() if len(data.out) else value
    return [name for name, outcome in outcomes.items() if outcome != outcomes["hand"]]


def _row(case: Case, data_name: str, data: Data, times: dict[str, float]) -> dict[str, float | str]:
    residual = times["residual"]
    return {
        "case": case.title,
        "data": data_name,
        "residual_gb_s": case.bytes_per_sample() * data.count / residual / 1e9,
        "residual_over_hand": residual / times["hand"],
        "inlined_over_residual": times["inlined"] / residual,
        "unspecialized_over_residual": times["unspecialized"] / residual,
        "numpy_over_residual": times["numpy"] / residual,
    }
