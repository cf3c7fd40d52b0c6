"""Tests, clamps and loops that bounds decide give what the source program gives."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, note
from hypothesis import strategies as st

from cogen import binding_times as bt
from cogen.backends.kernel.load import load as load_native
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions

MEMORY, INT = bt.Dynamic("memory"), bt.Dynamic("int")
NUMBERS = [-300, -1, 0, 1, 7, 10, 100, 128, 255, 256]
ATOMS = ["x", "y", "i", "(load-word a 0)", "(load-word a 1)"]


@st.composite
def integers(draw: st.DrawFn, depth: int = 3) -> str:
    """Integer expressions with clamps and comparisons."""
    if depth == 0 or draw(st.integers(0, 6)) == 0:
        return draw(st.sampled_from(ATOMS + [str(n) for n in NUMBERS]))
    a = draw(integers(depth - 1))
    b = draw(integers(depth - 1)) if draw(st.booleans()) else str(draw(st.sampled_from(NUMBERS)))
    kind = draw(st.integers(0, 9))
    if kind <= 2:
        return f"({draw(st.sampled_from(['+', '-', 'min', 'max', 'bitwise-and']))} {a} {b})"
    if kind == 3:
        return f"(clip {a})"
    if kind == 4:
        return f"(abs {a})"
    if kind == 5:
        op = draw(st.sampled_from(["quotient", "remainder", "floor-quotient", "floor-remainder"]))
        return f"({op} {a} {draw(st.sampled_from([2, 10, 256]))})"
    if kind == 6:
        count = draw(st.sampled_from([-8, -1, 2]))
        return f"(arithmetic-shift (bitwise-and {a} 1023) {count})"
    return f"(if {draw(conditions(depth - 1))} {a} {b})"


@st.composite
def conditions(draw: st.DrawFn, depth: int = 2) -> str:
    """Comparisons, between two bounds too."""
    a = draw(integers(depth)) if depth > 0 else draw(st.sampled_from(ATOMS))
    low, high = draw(st.sampled_from(NUMBERS)), draw(st.sampled_from(NUMBERS))
    return draw(
        st.sampled_from(
            [f"(< {low} {a} {high})", f"(<= {a} {high})", f"(= {a} {low})", f"(> {a} i)",
             f"(not (< {a} {low}))", f"(zero? {a})", f"(negative? (- {a} {low}))",
             f"(and (>= {a} {low}) (< {a} 1000))", f"(or (< {a} 0) (> {a} {high}))"]
        )
    )  # fmt: skip


PROGRAM = """
(define (clip i) (if (< i 0) 0 (if (> i 255) 255 i)))
(define (f a x y n)
  (let loop ((i (lift 0)) (s x))
    (if (and {goes} (< i n))
        (let* ((x (if {test} {then} s)) (y {other}))
          (loop (+ i 1) (bitwise-and (- (+ s {step}) y) 65535)))
        (+ s (if {last} 1 i)))))
"""


def outcome(program: il.Program, word_size: int, arguments: list[object]) -> object:
    interpreter = Interpreter(program, word_size)
    interpreter.run()
    return interpreter.call("f", arguments)


@pytest.mark.parametrize("compiled", [False, True])
@given(
    parts=st.tuples(conditions(), conditions(), integers(), integers(), integers(), conditions()),
    word_size=st.sampled_from([8, 32, 64]),
    x=st.integers(-1000, 1000),
    y=st.integers(-300, 300),
    n=st.integers(0, 6),
    content=st.binary(min_size=16, max_size=16),
)
def test_programs_with_bounds_keep_their_value(
    compiled: bool, parts: tuple[str, ...], word_size: int, x: int, y: int, n: int, content: bytes
) -> None:
    names = ["goes", "test", "then", "other", "step", "last"]
    text = PROGRAM.format(**dict(zip(names, parts, strict=True)))
    note(text)
    program = loads(text)
    arguments = [bytearray(content), x, y, n]
    try:
        expected = outcome(program, word_size, arguments)
    except CogenError:
        assume(False)  # an overflow, which may be left out
    options = SpecializerOptions(word_size=word_size, max_size=5_000)
    try:
        residual = specialize(program, "f", [MEMORY, INT, INT, INT], options)
    except CogenError as error:
        assert "does not seem to end" in error.message  # noqa: PT017
        assume(False)  # too many versions, bounds or not
    if compiled:
        assert load_native(residual)(*arguments) == expected
    else:
        assert outcome(residual.program, word_size, arguments) == expected
