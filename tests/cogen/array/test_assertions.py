"""What assertions say, and what `error` says in array programs."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import cogen
from cogen.array import loads
from cogen.array.l0.parse import parse
from cogen.array.l0.show import show
from cogen.lang.errors import CogenError, Source
from cogen.lang.primtable.checks import brief
from tests.cogen.array.targets import need_device

TARGETS = ("interp", "c", "opencl")
SAYS = 'fun int main(int n) = let c = assert(n < 3, "too many {}:", n, n * 2) in <c>(n + 1)'


def failing(text: str, target: str, *values: object) -> CogenError:
    need_device(target)
    program = loads(text)
    run = program.run if target == "interp" else program.compile(target)
    with pytest.raises(CogenError) as caught:
        run(*values)
    return caught.value


@pytest.mark.parametrize("target", TARGETS)
def test_an_assertion_says_what_it_was_told(target: str) -> None:
    error = failing(SAYS.replace(" {}", ""), target, 5)
    assert error.message == "too many: 5 10"
    assert error.span is not None
    assert error.span.line == 1


@pytest.mark.parametrize("target", TARGETS)
def test_in_a_loop_the_first_failure_is_told(target: str) -> None:
    text = (
        "fun [int] main([int] a, [int] b) = "
        'map(fn int (int i) => let c = assert(i < 7, "far {out}", i) in <c>(i + b[0]), a)'
    )
    error = failing(text, target, np.array([1, 9, 2, 8]), np.array([1]))
    assert error.message == "far {out} 9"


@pytest.mark.parametrize("target", TARGETS)
def test_reals_and_further_texts_are_told(target: str) -> None:
    text = (
        "fun [real] main([real] a, int n) = map(fn real (real x) => "
        'let c = assert(x < 3.0, "far {} }", x * 1.5, "of {:f64}", n, x) in <c>sqrt(x), a)'
    )
    for x, told in ((7.25, "10.875"), (np.inf, "+inf.0"), (0.1 + 1e20, "1.5e20")):
        error = failing(text, target, np.array([1.0, x, 9.0]), 4)
        assert error.message == f"far {{}} }} {told} of {{:f64}} 4 {brief(x)}"


@pytest.mark.parametrize("target", TARGETS)
def test_characters_and_truth_values_are_told(target: str) -> None:
    text = (
        "fun [int] main([char] s, [bool] b) = map(fn int (char x, bool y) => "
        'let c = assert(y, "no", x, y) in <c>ord(x), zip(s, b))'
    )
    error = failing(text, target, "a\n\u00e9", [True, False, True])
    assert error.message == "no #\\newline #f"


@pytest.mark.parametrize("target", TARGETS)
def test_reals_of_other_widths_are_told(target: str) -> None:
    need_device(target)
    program = loads('fun real main(real x) = let c = assert(x < 3.0, "far", x) in <c>x')
    for widths, told in (({"real": "float32"}, "3.0999999046325684"), ({"int": "int32"}, "3.1")):
        run = partial(program.run, **widths)
        for found in [run] if target == "interp" else [program.compile(target, **widths)]:
            with pytest.raises(CogenError) as caught:
                found(3.1)
            assert caught.value.message == f"far {told}"


def test_what_is_said_is_text() -> None:
    for operands, wanted in {
        "n < 3, n": "what an assertion says is a string literal",
        'n < 3, "a", [n]': "must be int or real or bool or char, but is [int]",
    }.items():
        with pytest.raises(CogenError) as caught:
            loads(f"fun int main(int n) = let c = assert({operands}) in <c>(n + 1)")
        assert wanted in caught.value.render()


def test_it_is_written_as_it_is_read() -> None:
    program = parse(Source("<string>", SAYS.replace(" {}", "")))
    assert 'assert(n < 3, "too many:", n, n * 2)' in show(program)


IN_SCHEME = """
(define-array (main (a (array float)) (n int))
  (if (< n 3)
      (error "bad size" 'main n (* n 2))
      (array-map (lambda (x) (if (< x 0.0) (error "negative") (* x 2.0))) a)))
"""


def test_errors_of_the_language_are_told() -> None:
    program = cogen.loads(IN_SCHEME)
    floats = cogen.dynamic("(array float)")
    residual = cogen.specialize(program, "main", floats, cogen.dynamic("int"))
    compiled = residual.to_array().compile()
    assert compiled(np.array([1.0]), 3).tolist() == [2.0]
    for values, n, wanted in (([1.0], 2, "bad size main 2 4"), ([-1.0], 4, "negative")):
        with pytest.raises(CogenError) as caught:
            compiled(np.array(values), n)
        assert caught.value.message == wanted


SAID = {
    "(if (< (ref 0) 0) (error \"start\" (ref 0)) (array-map (lambda (x) (+ x 1)) a))": (
        (-7, 2), "start -7",
    ),
    "(if (< (ref 0) 0) (if (= (ref 1) 2) (error \"two\" (* 2 (ref 0))) (error \"other\")) a)": (
        (-7, 2), "two -14",
    ),
    "(array-map (lambda (x) (if (< x 0) (let ((y (* x x))) (error \"square\" y x)) x)) a)": (
        (7, -3), "square 9 -3",
    ),
    "(let ((v (make-vector 3 0))) (vector-set! v 0 (ref 0)) (if (> (vector-ref v 0) 5) "
    "(begin (vector-set! v 1 9) (error \"v\" (vector-ref v 1) (vector-ref v 0))) v))": (
        (7, 0), "v 9 7",
    ),
    "(let ((s (array-reduce + 0 a))) (if (> s 10) (error \"most\" (array-reduce max 0 a)) s))": (
        (5, 30), "most 30",
    ),
    "(if (< (ref 0) 0) (error \"half\" (* 0.5 (ref 0)) 'of (ref 0) \"or {}\") a)": (
        (-7, 2), "half -3.5 of -7 \"or {}\"",
    ),
    "(let ((c (integer->char (+ 100 (ref 0))))) "
    "(if (char<? c #\\d) (error \"letter\" c (even? (ref 1)) \"before\" #\\d) a))": (
        (-3, 2), "letter #\\a #t \"before\" #\\d",
    ),
    "(if (> (ref 0) (ref 1)) (raise 'order) a)": ((2, 1), "uncaught exception: order"),
}  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("body", SAID)
def test_what_is_said_may_be_computed_where_it_fails(body: str) -> None:
    given, wanted = SAID[body]
    source = f"(define-array (main (a (array int))) (define (ref i) (array-ref a i)) {body})"
    program = cogen.array.of_scheme(cogen.loads(source), "main")
    for run in (program.run, program.compile()):
        run(np.array([1, 3]))
        with pytest.raises(CogenError) as caught:
            run(np.array(given))
        assert caught.value.message == wanted
