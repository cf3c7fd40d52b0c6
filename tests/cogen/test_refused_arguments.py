"""Arguments that are refused are told where their parameters stand in the source."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cogen
import cogen.array
from cogen import signals
from cogen.backends.native import load as native_code
from tests.cogen.residualways import fails, native

pytestmark = pytest.mark.quick

TEXT = """\
(define (copy! out in
               n)
  (store-word! out n (load-word in n)) 0)
(define (weigh p w) (+ (car p) (* w (cadr p))))
(define (pair a b) (cons a b))
"""

INT, MEMORY, ANY = cogen.dynamic("int"), cogen.dynamic("memory"), cogen.dynamic()

WAYS = [
    lambda made: made.to_python(),
    pytest.param(lambda made: native_code.load(made.program), marks=native),
    pytest.param(lambda made: made.compile(), marks=native),
]

REFUSED = [
    # entry, binding times, arguments, the place, the message
    ("copy!", [MEMORY, MEMORY, INT], (bytearray(4), bytes(4), "1"), "2:16",
     "copy!: the argument for n must be an int, not a str"),
    ("copy!", [MEMORY, MEMORY, INT], (bytearray(4), 7, 1), "1:20",
     "copy!: the argument for in must be a buffer, not an int"),
    ("copy!", [MEMORY, MEMORY, cogen.cyclic(4, 1)], (bytearray(4), bytes(4), 3), "2:16",
     "copy!: the argument for n is 3, which is not congruent to 1 modulo 4"),
    ("copy!", [MEMORY, MEMORY, INT], (bytearray(4), bytes(4)), "1:1",
     "copy!: expected 3 arguments (out, in, n), got 2"),
    # a part of an argument is told where that stands
    ("weigh", [cogen.list_(INT, cogen.dynamic("float")), cogen.static(2)], (1, "x"), "4:16",
     "weigh: the argument for p-1 must be a float, not a str"),
    ("weigh", [cogen.list_(cogen.static(1), INT), INT], (1, None), "4:18",
     "weigh: the argument for w must be an int, not a NoneType"),
    ("pair", [ANY, ANY], (1, {1}), "5:17",
     "pair: the argument for b cannot be passed: a Python set is no datum"),
]  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("generated", [False, True])
@pytest.mark.parametrize(("entry", "bts", "arguments", "place", "message"), REFUSED)
def test_a_refused_argument_is_told_at_its_parameter(
    way: Callable[[Any], Any],
    generated: bool,
    entry: str,
    bts: list[Any],
    arguments: tuple[Any, ...],
    place: str,
    message: str,
) -> None:
    program = cogen.loads(TEXT, "t.scm")
    if generated:
        made = cogen.generate(program, entry, *bts)(*bts)
    else:
        made = cogen.specialize(program, entry, *bts)
    error = fails(way(made), *arguments)
    assert error.message == message
    assert str(error.span) == f"t.scm:{place}"
    line, carets = error.render().splitlines()[1:3]
    assert line == f" {place.partition(':')[0]} | {TEXT.splitlines()[int(place[0]) - 1]}"
    assert "^" in carets


@native
def test_buffers_that_overlap_are_told_at_both_parameters() -> None:
    made = cogen.specialize(cogen.loads(TEXT, "t.scm"), "copy!", MEMORY, MEMORY, INT)
    memory = bytearray(8)
    error = fails(made.compile(), memory, memory, 0)
    assert error.render().splitlines() == [
        "t.scm:1:20: error: copy!: the arguments for in and out overlap, and one of them is "
        "stored to",
        " 1 | (define (copy! out in",
        "   |                    ^^",
        "t.scm:1:16: note: the other one is that for this parameter",
        " 1 | (define (copy! out in",
        "   |                ^^^",
        "hint: pass separate buffers, for instance a copy",
    ]


@native
def test_what_native_code_cannot_take_is_told_at_the_parameter() -> None:
    made = cogen.specialize(cogen.loads(TEXT, "t.scm"), "pair", ANY, ANY)
    point = cogen.loads("(define-record-type point (at x) point? (x x))\n(define (f) (at 1))")
    record = cogen.specialize(point, "f").to_python()()
    error = fails(made.compile(), record, 1)
    assert str(error.span) == "t.scm:5:15"
    assert error.message.endswith("cannot be passed to native code")


ARRAYS = "fun real main([real] xs,\n  int n) = reduce(op +, 0.0, xs)"


@pytest.mark.parametrize("compiled", [False, pytest.param(True, marks=native)])
@pytest.mark.parametrize(
    ("arguments", "place", "message"),
    [
        ((np.zeros(3, np.int32), 1), "1:22",
         "`xs` must be [real], not a NumPy array of int32 with 1 dimension"),
        ((np.zeros(3), 1.5), "2:7", "`n` must be int, not float"),
        ((np.zeros(3), 1 << 70), "2:7",
         "`n` is 1180591620717411303424, which is not in the range of int"),
        ((np.zeros(3),), "1:10", "`main` takes 2 values ([real], int), but 1 was given"),
    ],
)  # fmt: skip
def test_array_programs_tell_their_parameters(
    compiled: bool, arguments: tuple[Any, ...], place: str, message: str
) -> None:
    program = cogen.array.loads(ARRAYS, "t.l0")
    error = fails(program.compile() if compiled else program.run, *arguments)
    assert (error.message, str(error.span)) == (message, f"t.l0:{place}")


def test_array_programs_in_the_language_tell_the_parameters_of_the_source() -> None:
    text = "(define (total xs\n   k) (* k (array-reduce + 0.0 xs)))"
    made = cogen.specialize(
        cogen.loads(text, "t.scm"), "total", cogen.dynamic("(array float)"), cogen.dynamic("float")
    )
    error = fails(made.to_array().run, np.zeros(3, np.int32), 1.0)
    assert str(error.span) == "t.scm:1:16"
    error = fails(made.to_array().run, np.zeros(3), 1)
    assert str(error.span) == "t.scm:2:4"
    error = fails(made.to_python(), [1.0, "x"], 1.0)
    assert str(error.span) == "t.scm:1:16"


@native
def test_processors_of_signals_tell_the_parameters_of_the_program() -> None:
    text = "(import (signals))\n(define (first s\n n) (+ n (signal-get s)))"
    call = signals.compile(cogen.loads(text, "t.scm"), "first", "u12", INT)
    assert str(fails(call, "abc", 1).span) == "t.scm:2:16"
    assert str(fails(call, b"abc", 1.5).span) == "t.scm:3:2"
    assert str(fails(call, b"abc").span) == "t.scm:2:1"
    assert str(fails(lambda: call(b"abc", 1, count=9)).span) == "t.scm:2:16"
