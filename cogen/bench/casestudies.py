"""`cases`: the case studies, whole programs that people run, against the tools that they would
otherwise use, and against C by hand.

All ways of a case give the same answer, from the same data in memory, with one thread; times are
those of the processor.  Opponents that are not installed are left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module
from statistics import geometric_mean
from time import process_time
from typing import Final

from cogen.bench.studies.study import OURS, Study
from cogen.measure.report import Column, Figure, Report
from cogen.measure.turns import Timings, interleaved

STUDIES: Final[Sequence[str]] = (
    "queries", "pictures", "sound", "algebra", "regex", "templates", "staged", "stagedpython",
)  # fmt: skip
"""The modules of `cogen.bench.studies` whose `CASES` are measured, in order."""

MANY: Final = 10
"""Of how many cases a mean is told."""

COLUMNS: Final = (
    Column("case", ""),
    Column("opponent", "opponent"),
    Column("milliseconds", "ours, ms", ".3f"),
    Column("opponent_milliseconds", "its ms", ".3f"),
    Column("ratio", "its time / ours", ".2fx"),
    Column("bar", "bar", ".2fx"),
)


def bench(studies: Sequence[str] = STUDIES) -> Report:
    """Ratios of times: how many times as long as ours an opponent takes; a bar is the least."""
    report = Report("cases", "cases: ratios of times in one run, one thread", COLUMNS)
    for name in studies:
        module = import_module(f"cogen.bench.studies.{name}")
        for case in module.CASES:
            assert isinstance(case, Study)
            _measure(case, report)
        report.notes += _summary(name, report.rows[-len(module.CASES) :])
    return report


def _summary(name: str, rows: Sequence[dict[str, Figure]]) -> Iterator[str]:
    """Of a study of many cases, the means of the ratios, and the least."""
    ratios: dict[str, list[float]] = {}
    for row in rows:
        ratios.setdefault(str(row["opponent"]), []).append(float(row["ratio"]))
    for opponent, found in ratios.items():
        if len(found) >= MANY:
            mean = geometric_mean(found)
            yield f"{name}, {opponent}: geometric mean {mean:.2f}x, least {min(found):.2f}x"


def _measure(case: Study, report: Report) -> None:
    ways = case.ways()
    expected = ways[OURS]()
    wrong = [name for name, way in ways.items() if not case.same(way(), expected)]
    report.failures += [f"{case.title}: {name} gives something else" for name in wrong]
    right = {name: way for name, way in ways.items() if name not in wrong}
    times = interleaved(right, clock=process_time)
    report.rows += _rows(case, times)


def _rows(case: Study, times: Timings) -> Iterator[dict[str, Figure]]:
    for name in times.rounds:
        if name == OURS:
            continue
        row: dict[str, Figure] = {"case": case.title, "opponent": name}
        row["milliseconds"] = times.seconds(OURS) * 1e3
        row["opponent_milliseconds"] = times.seconds(name) * 1e3
        row["ratio"] = times.ratio(name, OURS)
        if name in case.bars:
            row["bar"] = case.bars[name]
        yield row
