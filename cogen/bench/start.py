"""`start`: what it costs to start a command, before and besides its work.

Each row is a command line on a small input, a process of its own.  Figures are seconds of the
processor: of the very first process, whose store is empty, and of one after it.  Byte code of
Python's is there in both, as after an installation.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from time import process_time
from typing import Any, Final

import numpy as np

import cogen
from cogen.bench.schemes import PROGRAMS
from cogen.measure.report import Column, Report
from cogen.measure.turns import interleaved

COLUMNS: Final = (
    Column("command", ""),
    Column("first_ms", "first process ms", ".0f"),
    Column("second_ms", "second process ms", ".0f"),
    Column("over_python", "/ python -c pass", ".1fx"),
)

FILES: Final = {
    "power.scm": "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))\n",
    "sum.scm": "(import (signals))\n(define (sum s) (signal-sum s))\n",
    "mean.l0": "fun real main([real] a) = reduce(op +, 0.0, a) / toReal(size(a))\n",
    "photo.raw": "abcdefghijkl",
    "distance.py": """import numpy as np
import cogen
@cogen.stage
def distance(a, b):
    d = a - b
    return np.sqrt(np.sum(d * d))
distance(np.zeros(2), np.zeros(2))
""",
}
"""The input, by the names of files."""


ROUND: Final = "ROUND"
"""What stands for another number in the standard input of each process."""


@dataclass(frozen=True, slots=True)
class StartCase:
    """A row: its title, the words of Python or of the command, its standard input."""

    title: str
    words: tuple[str, ...]
    input: str = ""
    python: bool = False

    def line(self) -> list[str]:
        """What is run: for a command what the script of that name does."""
        script = () if self.python else ("-c", _SCRIPT)
        return [sys.executable, *script, *self.words]


_SCRIPT: Final = "import sys; from cogen.cli import main; sys.exit(main())"

PYTHON: Final = StartCase("python -c pass", ("-c", "pass"), python=True)

_POWER: Final = ("power.scm", "--entry", "power", "(dynamic int)", "(static 5)")
_SUM: Final = ("sum.scm", "--entry", "sum", "(dynamic memory)")

CASES: Final = (
    PYTHON,
    StartCase("python -c 'import click'", ("-c", "import click"), python=True),
    StartCase("python -c 'import numpy'", ("-c", "import numpy"), python=True),
    StartCase("python -c 'import cogen'", ("-c", "import cogen"), python=True),
    StartCase("cogen --version", ("--version",)),
    StartCase("cogen --help", ("--help",)),
    StartCase("cogen run", ("run", "power.scm", "--entry", "power", "2", "10")),
    StartCase("cogen run, (import (signals))", ("run", "sum.scm")),
    StartCase("cogen specialize", ("specialize", *_POWER)),
    StartCase("cogen specialize --emit c", ("specialize", *_POWER, "--emit", "c")),
    StartCase("cogen generate", ("generate", "power.scm", "--entry", "power", "_", "(static)")),
    StartCase(
        "cogen compile, a new program of 100 lines",
        ("compile", "-", "-o", "made"),
        (PROGRAMS / "paraffins.scm").read_text(encoding="utf-8") + f"(write '{ROUND})\n",
    ),
    StartCase("cogen repl", ("repl",), "(+ 1 2)\n"),
    StartCase("cogen array check", ("array", "check", "mean.l0")),
    StartCase("cogen array compile", ("array", "compile", "mean.l0")),
    StartCase("cogen array run", ("array", "run", "mean.l0", "[1.0, 2.5]")),
    StartCase(
        "cogen array run --target c", ("array", "run", "mean.l0", "--target", "c", "[1.0, 2.5]")
    ),
    StartCase("a call of a staged function", ("distance.py",), python=True),
    StartCase("cogen signal formats", ("signal", "formats")),
    StartCase(
        "cogen signal unpack", ("signal", "unpack", "photo.raw", "--layout", "raw12", "--text")
    ),
    StartCase("cogen signal kernel", ("signal", "kernel", "raw12")),
)


def bench(cases: Sequence[StartCase] = CASES, rounds: int = 7) -> Report:
    """The figures of all cases; the second process is the quickest of some rounds."""
    report = Report("start", "starting a command", COLUMNS)
    with tempfile.TemporaryDirectory(prefix="cogen-start-") as place:
        for name, text in FILES.items():
            (Path(place) / name).write_text(text)
        least: dict[str, tuple[float, float]] = {}
        for case in dict.fromkeys((PYTHON, *cases)):
            _seconds(case, place, _environment(place, f"other-{len(least)}"), report)
            environment = _environment(place, f"store-{len(least)}")
            first = _seconds(case, place, environment, report)
            rest = [_seconds(case, place, environment, report) for _ in range(rounds)]
            least[case.title] = first, min(rest)
    report.notes.append(_calls())
    own = least[PYTHON.title][1]
    for case in cases:
        first, second = least[case.title]
        report.rows.append(
            {
                "command": case.title,
                "first_ms": 1000 * first,
                "second_ms": 1000 * second,
                "over_python": second / own,
            }
        )
    return report


CALLS: Final = 2000
"""So many calls are timed at once."""


def _doubled(x: Any, k: Any) -> Any:
    return x * k + 1.0


def _calls() -> str:
    """What calls take whose code is there, with little work, beside NumPy's."""
    staged, x = cogen.stage(_doubled), np.arange(8.0)

    def microseconds(function: Callable[[Any, Any], Any], value: Any) -> float:
        def calls() -> None:
            for _ in range(CALLS):
                function(value, 2.0)

        return 1e6 * min(interleaved({"": calls}, 7, 1.0, process_time).rounds[""]) / CALLS

    times = [microseconds(f, value) for value in (x, 3.0) for f in (staged, _doubled)]
    arrays, numpys, numbers, pythons = times
    return (
        f"a later call of a staged function takes {arrays:.1f} µs for 8 reals (NumPy: "
        f"{numpys:.1f}), {numbers:.1f} for two numbers (Python: {pythons:.2f})"
    )


def _environment(place: str, store: str) -> dict[str, str]:
    """The environment, with a store of its own and with byte code kept."""
    directory = Path(place) / store
    directory.mkdir(mode=0o700, exist_ok=True)
    path = str(Path(cogen.__file__).parents[1])
    own = {"COGEN_CACHE_DIR": str(directory), "COGEN_KEEP": "1", "PYTHONPATH": path}
    left = {name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return left | own


_rounds = itertools.count()


def _seconds(case: StartCase, place: str, environment: Mapping[str, str], report: Report) -> float:
    """The processor's time of one run; one that fails is told of in the report."""
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as errors:
        given.write(case.input.replace(ROUND, str(next(_rounds))).encode())
        given.seek(0)
        process = subprocess.Popen(
            case.line(),
            cwd=place,
            env=environment,
            stdin=given,
            stdout=subprocess.DEVNULL,
            stderr=errors,
        )
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            errors.seek(0)
            told = f"{case.title}: {errors.read().decode(errors='replace').rstrip()}"
            if told not in report.failures:
                report.failures.append(told)
    return used.ru_utime + used.ru_stime
