"""The types that C code gives to what nothing is said of, and the failures it may not hide."""

from __future__ import annotations

import re

import pytest

import cogen
from cogen.lang.errors import CogenError
from tests.cogen.native import agree, native, residual

pytestmark = pytest.mark.quick


def dynamic(text: str, entry: str, count: int) -> cogen.Residual:
    """The procedure specialized to nothing, not even to types."""
    return cogen.specialize(cogen.loads(text), entry, *[cogen.dynamic()] * count)


@pytest.mark.parametrize(
    ("text", "arguments", "signature"),
    [
        ("(define (f x) x)", [5], "f(x: int) -> int"),
        ("(define (f x) (lift x))", [5], "f(x: int) -> int"),
        ("(define (f c a b) (if c a b))", [False, 1, 2], "f(c: bool, a: int, b: int) -> int"),
        ("(define (f a b) (and a b))", [True, False], "f(a: bool, b: bool) -> bool"),
        ("(define (f a b) (or a b))", [False, True], "f(a: bool, b: bool) -> bool"),
        ("(define (f a b) (if a (+ a 1) b))", [3, 4], "f(a: int, b: int) -> int"),
        ("(define (f c a) (if c a 1.5))", [True, 2.5], "f(c: bool, a: float) -> float"),
        ("(define (f n x) (if (= n 0) x (f (- n 1) x)))", [3, 7], "f(n: int, x: int) -> int"),
        ("(define (f x) (begin x (if #f #f)))", [5], "f(x: int) -> unspecified"),
    ],
)
def test_what_nothing_decides_is_an_int_or_if_tested_a_bool(text, arguments, signature):
    function = agree(dynamic(text, "f", len(arguments)).program, arguments)
    assert function.module.signature == signature


@pytest.mark.parametrize(
    ("text", "arguments"),
    [
        ('(define (f x) (error "bad" x))', [3]),
        ("(define (f x) (raise x))", [3]),
        ('(define (f a b) (error "bad" a (+ b 1)))', [1, 2]),
        ("(define (f s a) (error s a))", [1, 2]),
        ('(define (f a b) (if (= a 0) (error "bad:" b) b))', [0, 1]),
        ('(define (g n) (if (= n 0) (error "none" n) (g (- n 1))))\n(define (f x) (g (g x)))', [2]),
    ],
)
def test_what_only_an_error_shows_is_an_int(text, arguments):
    agree(dynamic(text, "f", len(arguments)).program, arguments)


def test_of_many_irritants_three_are_reported():
    residual = dynamic('(define (f a b c d) (error "bad" a b c d))', "f", 4)
    with pytest.raises(CogenError) as caught:
        residual.compile()(1, 2, 3, 4)
    assert caught.value.message == "bad 1 2 3 ..."


@pytest.mark.parametrize(
    ("operation", "name"),
    [("(car x)", "car"), ("(symbol->string x)", "symbol->string"),
     ("(vector-length x)", "vector-length"), ("(+ 1 (string-length x))", "string-length")],
)  # fmt: skip
def test_an_unused_operation_that_can_fail_does_not_vanish(operation, name):
    residual = dynamic(f"(define (f x) (let ((u {operation})) 5))", "f", 1)
    for function in (residual.to_python(), residual.compile()):
        with pytest.raises(CogenError, match=f"{re.escape(name)}: expected a ") as failed:
            function(3)
        assert failed.value.message.endswith(", got 3")


def test_an_unused_operation_still_says_what_its_operands_are():
    function = dynamic("(define (f x) (let ((u (- x 1.5)) (v (cons x x))) 5))", "f", 1).compile()
    assert function.module.signature == "f(x: float) -> int"
    assert "1.5" not in function.source
    assert function(2.0) == 5
    with pytest.raises(CogenError, match="must be a float, not a str"):
        function("2")


ACKERMANN = """
(define (ack m n)
  (cond ((= m 0) (+ n 1))
        ((= n 0) (ack (- m 1) 1))
        (else (ack (- m 1) (ack m (- n 1))))))
"""


def test_an_entry_that_another_version_of_it_calls():
    program = cogen.loads(ACKERMANN)
    for bts, arguments in (
        ([cogen.dynamic(), cogen.dynamic()], [2, 3]),
        ([cogen.dynamic("int"), cogen.static(1)], [2]),
        ([cogen.static(2), cogen.dynamic()], [3]),
    ):
        residual = cogen.specialize(program, "ack", *bts)
        assert residual.compile()(*arguments) == residual.to_python()(*arguments)


def test_procedures_that_nothing_calls_have_no_types() -> None:
    made = residual(
        """
        (define other (lambda (f) k ((let a (+ '0 f)) (let b (store-word! f '0 a))
                                     (let c (+ '0.5 f)) (jump k c))))
        (define main (lambda (n) k ((jump k n))))
        """,
        "main",
        "int",
    )
    assert native(made)(3) == 3


def test_loops_that_make_bytes_of_bytes_have_bytes():
    """What fits is a byte, whatever goes beyond 255 or below 0 meanwhile is none."""
    text = """
    (define (f a b n)
      (let loop ((i 0))
        (if (< i n)
            (let* ((x (load-word a i))
                   (low (bitwise-and x 63))
                   (less (- x 100))
                   (more (* x 3)))
              (store-word! b i (bitwise-xor (max 0 less) (quotient (+ more low) 4)))
              (loop (+ i 1))))))
    """
    types = [cogen.dynamic(kind) for kind in ("memory", "memory", "int")]
    made = cogen.specialize(cogen.loads(text), "f", *types, word_size=8)
    declared = dict(re.findall(r"const (\w+) (\w+) =(?=[^;]*;)", made.c)[::-1])
    assert "uint8_t" in declared
    assert all(
        kind != "uint8_t" for kind, _ in re.findall(r"const (\w+) \w+ = (\w+) - 100", made.c)
    )
    given, result = bytes(range(256)), bytearray(256)
    made.compile()(given, result, 256)
    expected = [(max(0, x - 100) ^ (3 * x + (x & 63)) // 4) & 255 for x in given]
    assert list(result) == expected
    again = bytearray(256)
    made.to_python()(given, again, 256)
    assert again == result
