"""`fib`: the speed of the interpreter and of the Python back end, against Python itself."""

from __future__ import annotations

from collections.abc import Callable

import cogen
from cogen.lang.interp import Interpreter
from cogen.measure.report import Column, Report
from cogen.measure.turns import interleaved

SOURCE = """
(define (fib n)
  (if (< n 2)
      n
      (+ (fib (- n 1)) (fib (- n 2)))))
"""

N = 25


def bench() -> Report:
    """(fib 25) by the interpreter, as residual Python, as residual C, and in plain Python."""
    program = cogen.loads(SOURCE, "fib.scm")
    interpreter = Interpreter(program)
    interpreter.run()
    residual = cogen.specialize(program, "fib", cogen.dynamic("int"))
    python, native = residual.to_python(), residual.compile()
    ways: dict[str, Callable[[], object]] = {
        "interpreter": lambda: interpreter.call("fib", [N]),
        "Python back end": lambda: python(N),
        "C": lambda: native(N),
        "plain Python": lambda: plain(N),
    }
    report = Report(
        "fib",
        f"(fib {N})",
        (
            Column("way", "run by"),
            Column("seconds", "seconds", ".4f"),
            Column("over_python", "time over plain Python", ".2fx"),
        ),
    )
    expected = plain(N)
    report.failures.extend(
        f"fib by {name} gives another result than {expected}"
        for name, way in ways.items()
        if way() != expected
    )
    times = interleaved(ways, repetitions=5, seconds=8)
    for name in ways:
        ratio = times.ratio(name, "plain Python")
        report.rows.append({"way": name, "seconds": times.seconds(name), "over_python": ratio})
    return report


def plain(n: int) -> int:
    """The same algorithm in Python."""
    return n if n < 2 else plain(n - 1) + plain(n - 2)
