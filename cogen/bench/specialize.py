"""`specialize`: how fast the specializer is, on interpreters and programs for them.

The interpreters of `cogen futamura` and, in a copy of the repository, those of its corpus are
specialized to their programs; the corpus's also to programs of 1, 2, 4 and 8 times the size, three
of them to programs of 5,000 lines.  The compilers that `generate` makes are measured beside them.
What is computed outright is measured against the same unfolded, and how soon it is told that a
specialization comes to no end.  If
there are compiled modules (`cogen.compiled`), the sources are measured in turns with them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from math import log2
from statistics import median
from typing import Final

from cogen.bench.specializing import GENERATED, GROWING, LARGE, LINES, ROUNDS, growing, names
from cogen.compiled import PURE, is_compiled
from cogen.kept_programs import KEEP
from cogen.measure.report import Column, Figure, Report

COLUMNS = (
    Column("case", ""),
    Column("operations", "residual operations", ".0f"),
    Column("milliseconds", "ms", ".1f"),
    Column("operations_per_second", "operations / s", ",.0f"),
    Column("calls_per_second", "unfolded calls / s", ",.0f"),
    Column("restarts", "restarts", ".0f"),
    Column("megabytes", "MB", ".0f"),
    Column("compiled", "sources / compiled", ".1fx"),
    Column("generated", "specialize / generated compiler", ".1fx"),
    Column("outright", "unfolded / outright", ".0fx"),
    Column("lines", "lines", ".0f"),
    Column("line", "µs a line", ".0f"),
    *(Column(f"grown_{factor}", f"ms at {factor}", ".0f") for factor in GROWING),
    Column("exponent", "grows as size to the", ".1f"),
    Column("failure", "no end"),
)

Measured = dict[str, Figure]

MOST_SHOWN: Final = 40
"""Characters of why a case came to no end."""


class Worker:
    """A process that measures cases, each so many times (`cogen.bench.specializing`)."""

    def __init__(self, pure: bool, rounds: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "cogen.bench.specializing", str(rounds)],
            env={**os.environ, PURE: "1" if pure else "0", KEEP: "0"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, name: str, generated: bool = False) -> Measured:
        """The figures of a case, or of the compiler that `generate` makes for it."""
        stdin, stdout = self._process.stdin, self._process.stdout
        assert stdin is not None
        assert stdout is not None
        stdin.write(f"{GENERATED if generated else ''}{name}\n")
        stdin.flush()
        found: Measured = json.loads(stdout.readline())
        return found

    def close(self) -> None:
        """End the process."""
        self._process.communicate()


@contextmanager
def workers(rounds: int) -> Iterator[list[Worker]]:
    """The specializer as it is, and its sources if it is compiled."""
    found = [Worker(not is_compiled(), rounds)]
    if is_compiled():
        found.append(Worker(True, rounds))
    try:
        yield found
    finally:
        for worker in found:
            worker.close()


def bench(
    cases: Sequence[str] | None = None,
    grown: Sequence[str] | None = None,
    rounds: int = ROUNDS,
    large: Sequence[str] | None = None,
) -> Report:
    """A row for each case (None: all there are), then one for each program that grows, and for each
    that is large; each is measured so many times."""
    report = Report("specialize", "specializing interpreters to their programs", COLUMNS)
    with workers(rounds) as measuring:
        for name in names() if cases is None else cases:
            row = _row(name, [worker.measure(name) for worker in measuring])
            if name.startswith("outright/") and "milliseconds" in row:
                unfolded = measuring[0].measure(f"{name}/unfolded")
                row["outright"] = 1000 * float(unfolded["seconds"]) / float(row["milliseconds"])
            elif "milliseconds" in row and not name.startswith("diverging/"):
                compiler = measuring[0].measure(name, generated=True)
                if "seconds" in compiler:
                    seconds = 1000 * float(compiler["seconds"])
                    row["generated"] = float(row["milliseconds"]) / seconds
            report.rows.append(row)
        for name in growing() if grown is None else grown:
            report.rows.append(_growth(name, measuring[0]))
        usual = LARGE if growing() else ()
        for name in usual if large is None else large:
            report.rows.append(_large(name, measuring[0]))
    _summarize(report)
    return report


def _row(name: str, found: Sequence[Measured]) -> dict[str, Figure]:
    own = found[0]
    if "failure" in own:
        row: dict[str, Figure] = {"case": name, "failure": str(own["failure"])[:MOST_SHOWN]}
        if "seconds" in own:
            row["milliseconds"] = 1000 * float(own["seconds"])
        return row
    seconds = float(own["seconds"])
    row = {
        "case": name,
        "operations": own["operations"],
        "milliseconds": 1000 * seconds,
        "operations_per_second": float(own["operations"]) / seconds,
        "calls_per_second": float(own["calls"]) / seconds,
        "restarts": own["restarts"],
        "megabytes": own["megabytes"],
    }
    if len(found) > 1 and "failure" not in found[1]:
        row["compiled"] = float(found[1]["seconds"]) / seconds
    return row


def _times(row: Measured, cases: Mapping[int, str], worker: Worker) -> list[float]:
    """The seconds of cases by their sizes, with the memory of the last in the row; none, and why,
    if one comes to no end."""
    times: list[float] = []
    for size, case in cases.items():
        found = worker.measure(case)
        if "failure" in found:
            row["failure"] = f"at {size}: {found['failure']}"[:MOST_SHOWN]
            return []
        times.append(float(found["seconds"]))
        row["megabytes"] = found["megabytes"]
    return times


def _growth(name: str, worker: Worker) -> dict[str, Figure]:
    """Times for a program of several sizes, and the power of the size that they grow with."""
    row: dict[str, Figure] = {"case": f"{name}, growing"}
    times = _times(row, {factor: f"{name}/grow-{factor}" for factor in GROWING}, worker)
    if not times:
        return row
    for factor, seconds in zip(GROWING, times, strict=True):
        row[f"grown_{factor}"] = 1000 * seconds
    row["exponent"] = log2(times[-1] / times[0]) / log2(GROWING[-1] / GROWING[0])
    return row


def _large(name: str, worker: Worker) -> dict[str, Figure]:
    """Time and memory for a program of thousands of lines, and the power of the size that the time
    grows with from a shorter one."""
    row: dict[str, Figure] = {"case": f"large/{name}", "lines": LINES[-1]}
    times = _times(row, {lines: f"large/{name}/{lines}" for lines in LINES}, worker)
    if not times:
        return row
    row["milliseconds"] = 1000 * times[-1]
    row["line"] = 1e6 * times[-1] / LINES[-1]
    row["exponent"] = log2(times[-1] / times[0]) / log2(LINES[-1] / LINES[0])
    return row


def _summarize(report: Report) -> None:
    for key, what in (
        ("operations_per_second", "residual operations a second"),
        ("calls_per_second", "unfolded calls a second"),
    ):
        figures = [float(row[key]) for row in report.rows if key in row]
        if figures:
            report.notes.append(f"{what}, median: {median(figures):,.0f}")
    ratios = [float(row["generated"]) for row in report.rows if "generated" in row]
    if ratios:
        middle = median(ratios)
        report.notes.append(f"specialize / generated compiler, median: {middle:.1f}x (bar: 3)")
    ratios = [float(row["compiled"]) for row in report.rows if "compiled" in row]
    if ratios:
        report.notes.append(f"sources / compiled, median: {median(ratios):.1f}x")
    else:
        report.notes.append("the specializer is not compiled (docs/performance.md says how)")
    if not growing():
        report.notes.append("the corpus is not at hand: it is among the tests")
