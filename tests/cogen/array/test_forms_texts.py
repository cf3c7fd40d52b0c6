"""Strings, common divisors and points in array programs of the Scheme-like language."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.array import of_scheme
from cogen.lang.datum import MutableString, Pair, iterate
from cogen.lang.interp import Interpreter
from tests.cogen.array.targets import Ways

TEXTS = {
    "a character": "(char->integer (string-ref s k))",
    "of a constant": '(char->integer (string-ref "constant" k))',
    "length": "(string-length (string-append s s))",
    "one after the other": '(string-append s "-" t "!")',
    "of none": "(string-length (string-append))",
    "letters": "(let loop ((i 0) (n 0)) (if (= i (string-length s)) n (loop (+ i 1) (if (char=? "
    "#\\l (string-ref s i)) (+ n 1) n))))",
    "changed": "(vector->string (array-map (lambda (c) (integer->char (+ 1 (char->integer c)))) "
    "(string->vector s)))",
    "where it is": "(let loop ((i 0)) (cond ((= i (string-length t)) -1) ((char=? (string-ref t i) "
    "(string-ref s k)) i) (else (loop (+ i 1)))))",
    "a hash": "(do ((i 0 (+ i 1)) (h 7 (modulo (+ (* 31 h) (char->integer (string-ref t i))) 997)))"
    " ((= i (string-length t)) h))",
}


def program(body: str, parameters: str) -> str:
    return f"(define-array (main {parameters}) {body})"


def in_the_language(text: str, values: list[Any]) -> Any:
    interpreter = Interpreter(cogen.loads(text))
    interpreter.run()
    found = interpreter.call("main", values)
    return list(iterate(found)) if isinstance(found, Pair) else found


@pytest.mark.one_in(8)
@pytest.mark.parametrize("body", TEXTS.values(), ids=TEXTS.keys())
def test_strings(body: str) -> None:
    text = program(body, "(s string) (t string) (k int)")
    compiled = Ways(of_scheme(cogen.loads(text, "w.scm")))("c-2")
    for s, t, k in (("hello", "a lot of", 2), ("xyz", "", 0)):
        expected = in_the_language(text, [s, t, k])
        assert of_scheme(cogen.loads(text, "w.scm")).run(s, t, k) == expected
        assert compiled(s, t, k) == expected


WRITTEN = {
    "bytes one by one": "(do ((i 0 (+ i 1)) (r (make-bytevector (bytevector-length b) 1))) "
    "((= i (bytevector-length b)) r) (bytevector-u8-set! r i (- 255 (bytevector-u8-ref b i))))",
    "a copy": "(let ((c (bytevector-copy b))) (bytevector-u8-set! c 0 k) (bytevector-append c b))",
    "two names": "(let* ((c (bytevector-copy b)) (d c)) (bytevector-u8-set! d 1 9) c)",
    "parts": "(bytevector-append (bytevector-copy b 1 3) (bytevector k 255) (bytevector))",
    "filled": "(let ((c (bytevector-copy b))) (bytevector-fill! c k 1 3) c)",
    "wholly": "(let ((c (make-bytevector 3))) (bytevector-fill! c k) c)",
    "copied into": "(let ((c (make-bytevector 5 k))) (bytevector-copy! c 1 b 1 3) "
    "(bytevector-copy! c 0 c 1 5) c)",
    "equal": "(list (equal? b (bytevector 3 k 200)) (equal? b (bytevector-copy b)))",
    "letters": "(let ((r (string-copy s))) (string-set! r 1 #\\-) (string-append r s))",
    "moved": "(let ((r (make-string 4 #\\.))) (string-fill! r #\\a 1 2) (string-copy! r 2 s 0 2)"
    " (string-append r (string #\\b (string-ref s 1)) (substring s 1 3)))",
    "under conditions": "(let ((r (string-copy s))) (do ((i 0 (+ i 1))) ((= i 3) r) "
    "(if (char=? (string-ref r i) #\\b) (string-set! r i (string-ref r 0)))))",
    "the same": '(list (string=? s "abc") (string=? s "ab") (string=? (string-append s "d") '
    '"abcd") (equal? s (string-copy s)))',
    "no byte": "(let ((c (bytevector-copy b))) (bytevector-u8-set! c 0 (* 2 k)) c)",
}
"""Bodies that make and change bytevectors and strings."""


def plainly(value: Any) -> Any:
    """A result as numbers, texts and lists."""
    if isinstance(value, (bytearray, bytes)):
        return list(value)
    if isinstance(value, (tuple, list)):
        return [plainly(part) for part in value]
    if isinstance(value, MutableString):
        return "".join(value.characters)
    return value.tolist() if isinstance(value, np.ndarray) else str(value)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("body", WRITTEN.values(), ids=WRITTEN.keys())
def test_bytevectors_and_strings_are_written(body: str) -> None:
    """Each as in the language; errors, too, but for the place."""
    text = program(body, "(b bytevector) (s string) (k int)")
    arrays = of_scheme(cogen.loads(text, "w.scm"))
    values = (b"\x03\xc8\x00", "abc", 200)

    def outcome(run: Any, *given: Any) -> Any:
        try:
            return plainly(run(*given))
        except cogen.CogenError as error:
            return "no byte" in error.message

    expected = outcome(
        lambda *given: in_the_language(text, list(given)), bytearray(values[0]), "abc", 200
    )
    assert outcome(arrays.run, *values) == expected
    assert outcome(arrays.compile(), *values) == expected


BYTES = {
    "(let ((c (bytevector-copy b))) (bytevector-u8-set! c 0 7) c)": b"\x07bc",
    '(array-store "u8" (bytevector-copy b))': b"abc",
    "(let next ((i 0) (all (make-bytevector 0))) "
    "(if (= i 2) all (next (+ i 1) (bytevector-append all b))))": b"abcabc",
    "(let ((c (bytevector 1))) (if (> (bytevector-u8-ref b 0) 90) (set! c (twice b))) c)": (
        b"abcabc"
    ),
    "(array (bytevector-u8-ref (twice b) 4) (bytevector-length (twice b)))": [98, 6],
}
"""Results, and what they are: bytes where the whole is a bytevector."""


@pytest.mark.parametrize("body", BYTES)
def test_a_result_that_is_a_bytevector_comes_as_bytes(body: str) -> None:
    text = "(define (twice b) (bytevector-append b b)) " + program(body, "(b bytevector)")
    arrays = of_scheme(cogen.loads(text))
    expected = BYTES[body]
    for run in (arrays.run, arrays.compile()):
        found = run(b"abc")
        assert (found if isinstance(found, bytes) else found.tolist()) == expected


def test_an_index_past_a_string_is_told() -> None:
    text = program(TEXTS["a character"], "(s string) (t string) (k int)")
    with pytest.raises(cogen.CogenError, match=r"1:67: error: the index \[5\] is out of bounds"):
        of_scheme(cogen.loads(text, "w.scm")).compile()("hello", "", 5)


NUMBERS = st.one_of(st.integers(-60, 60), st.integers(-(1 << 40), 1 << 40))


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=1, max_size=8))
def test_common_divisors(pairs: list[tuple[int, int]]) -> None:
    """The language's, the array program's, staged Python's and NumPy's are the same."""
    a, b = (np.array(part) for part in zip(*pairs, strict=True))
    array = of_scheme(cogen.loads(
        "(define-array (main (a (array int)) (b (array int))) (array-map gcd a b))", "w.scm"
    ))  # fmt: skip
    assert np.array_equal(array.run(a, b), np.gcd(a, b))
    assert np.array_equal(divisors.program(a, b).run(a, b), np.gcd(a, b))


@cogen.stage
def divisors(a: Any, b: Any) -> Any:
    return np.gcd(a, b)


@cogen.stage
def of_points(y: Any, x: Any, a: Any, b: Any) -> Any:
    return np.arctan2(y, x), math.atan2(y[0], x[1]), math.gcd(a[0], b[1]), np.lcm(a, b)


def test_staged_functions_have_them() -> None:
    a, b = np.array([12, -18, 0, 7]), np.array([18, 4, 0, 0])
    y, x = np.array([-1.0, 0.0, -0.0, 3.0]), np.array([1.0, -2.0, 0.0, -0.0])
    angles, angle, divisor, multiples = of_points(y, x, a, b)
    np.testing.assert_allclose(angles, np.arctan2(y, x), rtol=1e-15)
    assert angle == math.atan2(y[0], x[1])
    assert divisor == 4
    assert np.array_equal(multiples, np.lcm(a, b))


def test_numbers_of_the_language() -> None:
    body = "(tuple (gcd a b) (lcm a b) (gcd a 12 b) (lcm a b 4) (atan y x) (atan y))"
    text = program(body, "(a int) (b int) (y float) (x float)")
    compiled = Ways(of_scheme(cogen.loads(text, "w.scm")))
    for values in ([-12, 18, 1.0, -2.0], [0, 0, -0.0, -1.0], [7, 0, 3.0, 0.0]):
        expected = in_the_language(text, values)
        for way in ("c-1", "opencl"):
            assert list(compiled(way)(*values)) == pytest.approx(expected, rel=1e-15)


def test_floats_have_no_common_divisor_there() -> None:
    text = program("(gcd x 2)", "(x float)")
    with pytest.raises(cogen.CogenError, match="`gcd` of floats is not there in array programs"):
        of_scheme(cogen.loads(text, "w.scm"))
