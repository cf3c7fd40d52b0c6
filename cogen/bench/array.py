"""`array`: programs in L0 as C and OpenCL against hand-fused C, NumPy, Numba, JAX and numexpr.

All compute the same from the same arrays, and give new arrays; C and OpenMP have the same compiler,
flags and number of threads. Opponents that are not installed are left out. On one processor the
time of the process counts, so that others on the machine disturb little.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Final

import numpy as np

import cogen
from cogen.array.c.nativeprogram import default_threads
from cogen.array.opencl.deviceprogram import DeviceProgram
from cogen.array.optimise.optimisations import Options
from cogen.array.programs.compiledprogram import Compiled
from cogen.bench.arraycases import CASES, ArrayCase, Arrays, Way, others
from cogen.bench.arrayothers import jax_way, numba_way
from cogen.lang.errors import CogenError
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import Timings, interleaved

COLUMNS: Final = (
    Column("case", ""),
    Column("milliseconds", "C ms", ".2f"),
    Column("c_over_hand", "C / hand", ".2fx"),
    Column("apart_over_c", "apart / C", ".2fx"),
    Column("opencl_over_c", "OpenCL / C", ".1fx"),
    Column("kernels_over_c", "its kernels / C", ".1fx"),
    Column("numpy_over_c", "NumPy / C", ".1fx"),
    Column("numba_over_c", "Numba / C", ".1fx"),
    Column("jax_over_c", "JAX / C", ".1fx"),
    Column("numexpr_over_c", "numexpr / C", ".1fx"),
)

KERNEL_RUNS: Final = 15

PROGRAM: Final = Path(__file__).with_name("arrays.l0")


def bench() -> Report:
    """Ratios of times: below 1 in the first, above 1 in the others, our C is faster."""
    threads = default_threads()
    report = Report("array", f"array: ratios of times in one run, {threads} threads", COLUMNS)
    report.notes.append(
        "hand: hand-fused C, the same compiler, flags and threads; every way makes new arrays."
    )
    report.notes.append("apart: our C with the loops that the case is about left apart.")
    program = cogen.array.load(PROGRAM)
    for case in CASES:
        arguments = case.arguments(case.size)
        ways = all_ways(program, case, arguments, threads)
        wrong = wrong_ways(ways)
        report.failures += [f"{case.title}: {name} differs from hand-written C" for name in wrong]
        clock = process_time if threads == 1 else perf_counter
        times = interleaved({n: w for n, w in ways.items() if n not in wrong}, clock=clock)
        report.rows.append(_row(case, times))
        if "opencl" in times.rounds:
            seconds = kernel_seconds(program.compile("opencl", case.name), arguments)
            report.rows[-1]["kernels_over_c"] = seconds / times.seconds("c")
    missing = [c.title for c in COLUMNS[4:] if all(c.key not in row for row in report.rows)]
    if missing:
        report.notes.append(f"not measured, because not installed: {', '.join(missing)}")
    return report


def all_ways(
    program: cogen.array.Program, case: ArrayCase, arguments: Arrays, threads: int
) -> Mapping[str, Way]:
    """All ways; "hand" is first, the one that others are compared with."""
    compiled = program.compile("c", case.name, threads)
    ways: dict[str, Way] = {
        "hand": lambda: case.hand(threads, *arguments),
        "c": lambda: compiled(*arguments),
    }
    if case.apart:
        apart = program.compile("c", case.name, threads, Options(off=case.apart))
        ways["apart"] = lambda: apart(*arguments)
    try:
        device = program.compile("opencl", case.name)
        ways["opencl"] = lambda: device(*arguments)
    except CogenError:  # there is no device
        pass
    ways.update(others(case, arguments, threads))
    for name, make in (("numba", numba_way), ("jax", jax_way)):
        way = make(case.name, arguments, threads)
        if way is not None:
            ways[name] = way
    return ways


def kernel_seconds(function: Compiled, arguments: Arrays) -> float:
    """How long a device is busy with the kernels of a call, in the median of some calls, as all
    times are; the rest is the host's."""
    native = function.native
    assert isinstance(native, DeviceProgram)
    runs = [native.kernel_seconds(lambda: function(*arguments)) for _ in range(KERNEL_RUNS)]
    return median(runs)


def wrong_ways(ways: Mapping[str, Way]) -> list[str]:
    """The ways that give something else than hand-written C, but for rounding."""
    expected = _flat(ways["hand"]())
    return [name for name, way in ways.items() if not _close(_flat(way()), expected)]


def _flat(value: Any) -> list[Any]:
    return [np.asarray(v) for v in (value if isinstance(value, tuple) else (value,))]


def _close(found: list[Any], expected: list[Any]) -> bool:
    return len(found) == len(expected) and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-7, atol=1e-9)
        for a, b in zip(found, expected, strict=True)
    )


def _row(case: ArrayCase, times: Timings) -> dict[str, Figure]:
    row: dict[str, Figure] = {"case": case.title}
    if "c" not in times.rounds:
        return row
    row["milliseconds"] = times.seconds("c") * 1e3
    row["c_over_hand"] = times.ratio("c", "hand")
    for name in ("apart", "opencl", "numpy", "numba", "jax", "numexpr"):
        if name in times.rounds:
            row[f"{name}_over_c"] = times.ratio(name, "c")
    return row
