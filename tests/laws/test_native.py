"""Source interpreted = residual interpreted = residual compiled to C = residual as Python, on
random first-order programs over integers and on random divisions."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, note, settings
from hypothesis import strategies as st

from cogen import binding_times as bt
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.specialized import Residual
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions

pytestmark = pytest.mark.quick

LIMITS = SpecializerOptions(max_variants=50, max_size=2000, max_unfoldings=2000, checked=True)

UNARY = ["(- {0})", "(bitwise-and {0} 12)", "(arithmetic-shift {0} -1)", "(* {0} 3)", "(abs {0})"]
BINARY = [
    "(+ {0} {1})",
    "(- {0} {1})",
    "(* {0} {1})",
    "(min {0} {1})",
    "(bitwise-xor {0} {1})",
    "(floor-quotient {0} {1})",
    "(floor-remainder {0} {1})",
    "(quotient {0} 3)",
    "(modulo {0} 4)",
]
TESTS = ["(= {0} {1})", "(< {0} {1})", "(>= {0} {1})", "(even? {0})", "(not (= {0} {1}))"]


@st.composite
def expressions(draw: st.DrawFn, names: tuple[str, ...], depth: int) -> str:
    """An expression over integer variables; it may divide by zero or overflow."""
    if depth == 0 or draw(st.integers(0, 5)) == 0:
        return draw(st.sampled_from([*names, *names, "0", "1", "2", "-3", "7"]))
    part = expressions(names, depth - 1)
    kind = draw(st.sampled_from(["unary", "binary", "binary", "if", "let", "loop", "call"]))
    if kind == "unary":
        return draw(st.sampled_from(UNARY)).format(draw(part))
    if kind == "binary":
        return draw(st.sampled_from(BINARY)).format(draw(part), draw(part))
    if kind == "if":
        test = draw(st.sampled_from(TESTS)).format(draw(part), draw(part))
        return f"(if {test} {draw(part)} {draw(part)})"
    if kind == "call":
        return f"(helper {draw(part)} {draw(part)})"
    name = f"v{depth}"
    inner = expressions((*names, name), depth - 1)
    if kind == "let":
        return f"(let (({name} {draw(part)})) {draw(inner)})"
    count, start = draw(st.integers(0, 3)), draw(part)
    return (
        f"(let loop{depth} ((i{depth} (lift {count})) ({name} {start}))"
        f" (if (= i{depth} 0) {name} (loop{depth} (- i{depth} 1) {draw(inner)})))"
    )


@st.composite
def cases(draw: st.DrawFn) -> tuple[str, list[bt.BT], list[tuple[tuple[int, ...], list[int]]]]:
    """A program, a division of (f x y z), and rows of all arguments and the dynamic ones."""
    helper = draw(expressions(("a", "b"), 2)).replace("(helper", "(+")
    body = draw(expressions(("x", "y", "z"), 4))
    text = f"(define (helper a b) {helper})\n(define (f x y z) {body})\n"
    known = [draw(st.integers(-20, 20)) for _ in range(3)]
    division: list[bt.BT] = []
    for value in known:
        kind = draw(st.sampled_from(["dynamic", "dynamic", "static", "cyclic"]))
        base = draw(st.integers(1, 8))
        division.append(
            bt.Static(value)
            if kind == "static"
            else bt.Cyclic(base, value % base)
            if kind == "cyclic"
            else bt.Dynamic("int")
        )
    rows = []
    for _ in range(3):
        row: list[int] = []
        for time, value in zip(division, known, strict=True):
            if isinstance(time, bt.Static):
                row.append(value)
            elif isinstance(time, bt.Cyclic):
                row.append(time.base * draw(st.integers(-9, 9)) + time.rem)
            else:
                row.append(draw(st.integers(-20, 20)))
        dynamic = [v for t, v in zip(division, row, strict=True) if not isinstance(t, bt.Static)]
        rows.append((tuple(row), dynamic))
    return text, division, rows


def outcome(run: Any, *arguments: int) -> Any:
    """The value of a call, or the message of its error."""
    try:
        return run(*arguments)
    except CogenError as error:
        return error.message


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.too_slow], deadline=None)
@given(cases())
def test_four_ways_agree(
    case: tuple[str, list[bt.BT], list[tuple[tuple[int, ...], list[int]]]],
) -> None:
    text, division, rows = case
    source = loads(text)
    note(text)
    interpreter = Interpreter(source)
    interpreter.run()
    failure = None
    try:
        residual = Residual(specialize(source, "f", division, LIMITS))
    except CogenError as error:
        failure = error.message
    if failure is not None:
        assume("does not seem to end" not in failure)
        found = {outcome(lambda *a: interpreter.call("f", a), *row) for row, _ in rows}
        assert found == {failure}
        return
    note(residual.scheme)
    again = Interpreter(residual.program.program)
    again.run()
    native, python = residual.compile(), residual.to_python()
    for row, dynamic in rows:
        expected = outcome(lambda *a: interpreter.call("f", a), *row)
        note(f"{row} -> {expected}")
        if isinstance(expected, str) and "fit in 64 bits" in expected:
            continue  # an unused operation that overflows may be dropped
        assert outcome(lambda *a: again.call("f", a), *dynamic) == expected
        assert outcome(python, *dynamic) == expected
        assert outcome(native, *dynamic) == expected
