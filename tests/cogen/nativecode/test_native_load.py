"""Residual programs with pairs, closures, strings and output as Python callables."""

from __future__ import annotations

import numpy as np
import pytest

import cogen
from cogen.backends.native.load import CompiledFunction
from cogen.convert import Datum
from cogen.lang.errors import LimitationError
from cogen.lang.values import Procedure

PROGRAM = cogen.loads(
    """
    (define (f x l) (if (null? l) (list x "s" 'a 1.5) (cons (car l) (f x (cdr l)))))
    (define (g b n) (bytevector-u8-set! b 0 n) (vector b (string-append "n" (number->string n))))
    (define (h x)
      (car x))
    (define (several x) (values x (list x)))
    (define (nothing x) (set-car! x 1))
    (define (closure x) (lambda (y) (+ x y)))
    (define (twice b l) (cons (bytevector-append b b) l))
    (define (both a b)
      (bytevector-u8-set! a 0 9)
      (list->vector (list (bytevector-u8-ref b 0) (bytevector-length b))))
    (define (late b l)
      (bytevector-u8-set! b 0 5)
      (bytevector-copy (car l)))
    (define (escape x) (+ 1 (call/cc (lambda (k) (if (pair? x) (k (car x)) 0)))))
    """,
    "f.scm",
)


def compiled(name: str, *bts: cogen.bt.BT) -> CompiledFunction:
    function = cogen.specialize(PROGRAM, name, *bts).compile()
    assert isinstance(function, CompiledFunction)
    return function


def test_data_cross() -> None:
    f = compiled("f", cogen.dynamic("int"), cogen.dynamic())
    assert f(3, [1, "λ", (2.5, True)]) == [1, "λ", (2.5, True), 3, "s", cogen.symbol("a"), 1.5]
    assert "inline.h" in f.source
    assert repr(f) == "<native f(x, l)>"
    assert compiled("several", cogen.dynamic())([]) == ([], [[]])
    assert compiled("nothing", cogen.dynamic())([0]) is None
    assert compiled("escape", cogen.dynamic())([41]) == 42


def test_stores_to_buffers_are_seen() -> None:
    g = compiled("g", cogen.dynamic("memory"), cogen.dynamic("int"))
    buffer = bytearray(3)
    assert g(buffer, 7) == (b"\7\0\0", "n7")
    assert buffer == b"\7\0\0"


def test_buffers_are_lent() -> None:
    memory, any_value = cogen.dynamic("memory"), cogen.dynamic()
    twice = compiled("twice", memory, any_value)
    every = bytes(range(256)) + b'"\\)'
    assert twice(every, []) == [every * 2]
    assert twice(b"", [b"x"]) == [b"", b"x"]
    assert twice(np.zeros((0, 3), np.uint8), []) == [b""]
    both = compiled("both", memory, memory)
    grid = np.arange(6, dtype=np.uint8).reshape(2, 3)
    assert both(grid, grid) == (9, 6), "one buffer under two names"
    assert grid[0, 0] == 9
    assert both(grid, bytes([4])) == (4, 1)
    late = compiled("late", memory, any_value)
    first, second = bytearray(2), bytes(range(200))
    assert late(first, [second]) == second, "a result that is a bytevector"
    assert first == b"\5\0"
    first[0] = 0
    with pytest.raises(cogen.CogenError, match="bytevector-copy"):
        late(first, [1])
    assert first == b"\5\0", "what was stored before a failure is there, as in the source"


def test_what_is_read_only_is_not_stored_to() -> None:
    g = compiled("g", cogen.dynamic("memory"), cogen.dynamic("int"))
    both = compiled("both", cogen.dynamic("memory"), cogen.dynamic("memory"))
    for call in (lambda: g(bytes(3), 7), lambda: both(memoryview(bytes(3)), bytearray(1))):
        with pytest.raises(cogen.CogenError, match="is read-only, but the program stores to it"):
            call()
    assert g(bytes(3), 0) == (bytes(3), "n0"), "what was there is stored"


def test_errors_have_their_place_and_calls_go_on() -> None:
    h = compiled("h", cogen.dynamic())
    for argument, shown in ((5, "5"), ([], "()")):
        with pytest.raises(cogen.CogenError) as caught:
            h(argument)
        assert caught.value.message == f"car: expected a pair, got {shown}"
        assert str(caught.value.span) == "f.scm:5:7"
        assert h([1]) == 1


def test_arguments_are_checked() -> None:
    f = compiled("f", cogen.dynamic("int"), cogen.dynamic())
    with pytest.raises(cogen.CogenError, match="f: expected 2 arguments"):
        f(1)
    with pytest.raises(cogen.CogenError, match="must be an int"):
        f("1", [])
    with pytest.raises(LimitationError, match="the result of closure is no datum"):
        compiled("closure", cogen.dynamic())(1)
    with pytest.raises(LimitationError, match="cannot be passed to native code"):
        f(1, Datum(Procedure("p")))
