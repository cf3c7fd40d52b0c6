"""The benchmarks by name, and the command that runs them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Final

from rich.console import Console

from cogen.bench import fib, futamura, generate, latency, schemes, signals, specialize, start
from cogen.lang.errors import CogenError
from cogen.measure.report import Report, to_json
from cogen.terminal import UsageError


def _later(module: str) -> Callable[[], Report]:
    """The benchmark of a module that needs more than this package, imported when it is run."""

    def bench() -> Report:
        report = import_module(module).bench()
        assert isinstance(report, Report)
        return report

    return bench


BENCHES: Final[dict[str, Callable[[], Report]]] = {
    "fib": fib.bench,
    "futamura": futamura.bench,
    "native": schemes.bench,
    "generate": generate.bench,
    "specialize": specialize.bench,
    "latency": latency.bench,
    "start": start.bench,
    "signals": signals.bench,
    "array": _later("cogen.bench.array"),
    "packed": _later("cogen.signals.bench"),
    "packed-arrays": _later("cogen.bench.packedarrays"),
    "cases": _later("cogen.bench.casestudies"),
}
"""The benchmarks; `signals` and `specialize` take minutes, the others seconds."""


def main(
    names: Sequence[str] = (),
    as_json: bool = False,
    suite: Path | None = None,
    programs: Sequence[str] = (),
) -> None:
    """Run the benchmarks of those names (all if there are none) and print their reports.

    `native` runs the collection in a folder in place of its own programs, or some programs only.
    UsageError for an unknown name; CogenError if opponents disagree on an answer.
    """
    for name in names:
        if name not in BENCHES:
            raise UsageError(
                f"there is no benchmark `{name}`", hint=f"there are {', '.join(BENCHES)}"
            )
    if (suite or programs) and list(names) != ["native"]:
        raise UsageError("only the benchmark `native` has a suite and programs")
    benches: dict[str, Callable[[], Report]] = {
        **BENCHES,
        "native": partial(schemes.bench, suite, programs),
    }
    console = Console()
    progress = Console(stderr=True)
    reports = []
    for name in names or BENCHES:
        if progress.is_terminal:
            with progress.status(f"running {name}"):
                report = benches[name]()
        else:
            report = benches[name]()
        reports.append(report)
        if not as_json:
            report.print(console)
    if as_json:
        sys.stdout.write(to_json(reports) + "\n")
    wrong = [failure for report in reports for failure in report.failures]
    if wrong:
        raise CogenError("; ".join(wrong))
