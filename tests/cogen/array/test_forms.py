"""Array programs in the Scheme-like language: what is left of them, what they become in L0, what is
refused and where.  That they mean the same is in `tests/laws/test_array_forms.py`."""

from __future__ import annotations

from pathlib import Path
from random import Random

import numpy as np
import pytest

import cogen
from cogen.array import loads as loads_array
from cogen.array.l0.parse import parse
from cogen.array.l0.show import show
from cogen.array.report.fusionreport import report
from cogen.lang.errors import CogenError, LimitationError, Source
from cogen.lang.ilcheck import check
from cogen.lang.interp import Interpreter
from tests.cogen.array.randomarrays import program as random_program

pytestmark = pytest.mark.quick

PROGRAMS = Path(__file__).parents[2] / "programs" / "l0"
FLOATS = "(array float)"
INTS = "(array int)"

DOT = "(import (array)) (define (dot a b) (array-reduce + 0.0 (array-map * a b)))"

FIR = (
    DOT
    + """
(define (fir taps x)
  (let ((m (array-size taps)))
    (array-map
      (lambda (i) (dot taps (array-map (lambda (k) (array-ref x (+ i k))) (array-iota m))))
      (array-iota (- (array-size x) (- m 1))))))"""
)


def residual(text: str, *times: object, entry: str = "f", **options: object) -> cogen.Residual:
    """A residual program; a text is a dynamic type, anything else is known."""
    bts = [cogen.dynamic(t) if isinstance(t, str) else cogen.static(t) for t in times]
    return cogen.specialize(cogen.loads(text, "p.scm"), entry, *bts, **options)


def body(text: str, *times: object, **options: object) -> str:
    """The L0 text of the entry, in one line."""
    found = residual(text, *times, **options).array
    return " ".join(found.split())


# What is left


def test_calls_of_the_library_are_left_with_specialised_functions() -> None:
    text = "(define (f k n x) (array-map (lambda (y) (+ y (* k k) n)) x))"
    left = residual(text, 3, "int", INTS)
    assert "(array-map (lambda (y) (+ y 9 n)) x)" in left.scheme
    check(left.program.program)


@pytest.mark.slow
def test_the_residual_program_runs_in_all_ways() -> None:
    left = residual(FIR, (1.0, 0.5), FLOATS, entry="fir")
    assert "taps" not in left.scheme
    assert "array-reduce" not in left.scheme
    values = [2.0, 4.0, 6.0]
    assert left.to_python()(values) == (4.0, 7.0)
    assert left.compile()(np.array(values)) == (4.0, 7.0)
    assert left.to_array().run(values).tolist() == [4.0, 7.0]
    again = cogen.specialize(cogen.loads(left.scheme), "fir", cogen.static((2.0, 4.0, 6.0)))
    assert again.to_python()() == (4.0, 7.0)


def test_a_residual_program_can_be_specialised_again() -> None:
    first = residual(DOT, FLOATS, FLOATS, entry="dot")
    second = cogen.specialize(
        first.program.program, "dot", cogen.static((1.0, 2.0)), cogen.dynamic(FLOATS)
    )
    assert second.to_array().run([3.0, 4.0]) == 11.0


def test_generating_extensions_give_the_same() -> None:
    program = cogen.loads(FIR)
    extension = cogen.generate(program, "fir", cogen.static(), cogen.dynamic(FLOATS))
    taps = cogen.static((1.0, 0.5))
    left = cogen.specialize(program, "fir", taps, cogen.dynamic(FLOATS))
    assert extension(taps, cogen.dynamic(FLOATS)).scheme == left.scheme
    assert extension(taps, cogen.dynamic(FLOATS)).array == left.array


def test_arrays_that_are_known_unfold() -> None:
    assert residual(
        "(define (f a) (array-reduce + 0 (array-map * a a)))", (1, 2, 3)
    ).scheme.endswith("(define (f) 14)\n")


def test_an_interpreter_of_queries_leaves_the_query() -> None:
    program = cogen.load(Path(__file__).parents[3] / "examples" / "query.scm")
    query = cogen.datum("(sum (map (* x x) (keep (> x 0.5) data)))")
    left = cogen.specialize(program, "query", cogen.static(query), cogen.dynamic(FLOATS))
    array = left.to_array()
    assert array.run([0.25, 2.0, 3.0]) == 13.0
    found = report(array, "main")
    assert [soac.kind for soac in found.soacs] == ["redomap"]


# Translation

TRANSLATED = {
    "(define (f x) (array-map - x (array-iota (array-size x))))": (
        [INTS],
        "fun [int] main([int] x) = map(op -, zip(x, iota(size(0, x))))",
    ),
    "(define (f x) (array-scan + 0 x))": (
        [INTS],
        "fun [int] main([int] x) = scan(op +, 0, x)",
    ),
    "(define (f x) (array-redomap + (lambda (s y) (+ s (* y y))) 0.0 x))": (
        [FLOATS],
        "fun real f(real s, real y) = s + y * y "
        "fun real main([real] x) = redomap(op +, f, 0.0, x)",
    ),
    "(define (f x i) (array-with x i (* 2 (array-ref x i))))": (
        [FLOATS, "int"],
        "fun [real] main([real] x, int i) = let a = copy(x) in "
        "let a_1 = a with [i] <- 2.0 * x[i] in a_1",
    ),
    "(define (f x) (array-transpose (array-reshape x 2 (quotient (array-size x) 2))))": (
        [INTS],
        "fun [[int]] main([int] x) = let n = size(0, x) in let t = n / 2 in let a = reshape("
        "(2, if n < 0 then if t * 2 = n then t else t + 1 else t), x) in "
        "transpose(reshape((size(0, a), if size(0, a) = 0 then 0 else size(1, a)), a))",
    ),
    "(define (f x) (let-tuple (a b) (array-split x 1) (array-concat b a)))": (
        [INTS],
        "fun [int] main([int] x) = let {parts, parts_1} = split(1, x) in concat(parts_1, parts)",
    ),
    "(define (f x n) (array-loop ((s 0.0)) (i n) (+ s (array-ref x i))))": (
        [FLOATS, "int"],
        "fun real main([real] x, int n) = loop (s = 0.0) = for i < n do s + x[i] in s",
    ),
    "(define (f x n) (let loop ((i n) (s 0)) (if (= i 0) s (loop (- i 1) (+ s i)))))": (
        [INTS, "int"],
        "fun int main([int] x, int n) = loop (s = 0) = for i < n do s + (n + i * (-1)) in s",
    ),
    "(define (f n) (if (= n 0) 1 (* n (f (- n 1)))))": (
        ["int"],
        "fun int main(int n) = if n = 0 then 1 else n * main(n - 1)",
    ),
    "(define (f t) (let-tuple (a b) t (tuple b (array-size a))))": (
        ["(tuple (array int) float)"],
        "fun {real, int} main({[int], real} t) = let {t_1, t_2} = t in {t_2, size(0, t_1)}",
    ),
    "(define (f x) (if (= (array-size x) 0) (error \"empty\") (array-ref x 0)))": (
        [INTS],
        'fun int main([int] x) = let checked = assert(not (size(0, x) = 0), "empty") in '
        "<checked>x[0]",
    ),
    "(define (f x) (array-filter (lambda (y) (and (< 0 y) (even? y))) x))": (
        [INTS],
        "fun bool f(int y) = if 0 < y then y % 2 = 0 else False "
        "fun [int] main([int] x) = filter(f, x)",
    ),
}  # fmt: skip


@pytest.mark.parametrize("text", TRANSLATED, ids=lambda text: text[12:40])
def test_translation(text: str) -> None:
    times, expected = TRANSLATED[text]
    assert body(text, *times) == expected


def test_declared_types_need_no_binding_time() -> None:
    text = "(define-array (f (x (array float)) (n int)) (array-map (lambda (y) (* n y)) x))"
    assert body(text, "any", "any") == (
        "fun [real] main([real] x, int n) = map(fn real (real y) => toReal(n) * y, x)"
    )


def test_updates_in_loops_are_in_place() -> None:
    text = """
      (define (f n a)
        (array-loop ((h (array-replicate n 0))) (i (array-size a))
          (let ((k (array-ref a i))) (array-with h k (+ 1 (array-ref h k))))))"""
    program = residual(text, "int", INTS).to_array()
    function = program.compile()
    assert function(3, np.array([0, 2, 2])).tolist() == [1, 0, 2]
    assert "memcpy(copy" not in function.source


def test_a_loop_whose_values_become_one_is_one_counted_loop() -> None:
    """... in one arm: a second loop for that state left, and came into, the middle of the first."""
    text = """
(define (f k xs)
  (array-map
    (lambda (x)
      (let-tuple (p q)
        (array-loop ((a 1) (b x)) (i (modulo k 5)) (tuple (if (odd? b) 8 a) a))
        (- p q)))
    xs))
"""
    left = residual(text, "int", INTS)
    assert left.scheme.count("(let loop") == 1
    assert "for i < k % 5 do" in left.array
    assert [left.to_array().run(k, [1, 2]).tolist() for k in range(4)] == [
        [0, -1], [7, 0], [0, 7], [0, 0],
    ]  # fmt: skip


def test_places_of_fused_operations_are_those_of_the_source() -> None:
    text = "(define (f x)\n  (array-reduce + 0.0\n    (array-map (lambda (y) (* y y)) x)))"
    found = report(residual(text, FLOATS).to_array(), "main")
    assert [(o.operation, o.span.line, o.span.column) for o in found.operations] == [
        ("reduce", 2, 3),
        ("map", 3, 5),
    ]


# What is refused

REFUSED = {
    "(define (f x)\n  (array-reduce + 0 x))": (
        [FLOATS], "p.scm:2:3", "the initial value must be float, but is int", "write 0.0"),
    "(define (f x)\n  (array-ref x 0 1))": (
        [FLOATS], "p.scm:2:3", "array-ref: 2 indices for a value of type (array float)", None),
    "(define (f x)\n  (array-map\n   (lambda (y) (lambda (z) y)) x))": (
        [FLOATS], "p.scm:3:4", "cannot use a procedure as a value", "array-map"),
    "(define (f x)\n  (if (< x 0.0) 1 2.0))": (
        ["float"], "p.scm:2:3", "a conditional gives int in one arm and float", "inexact"),
    "(define (f x)\n  (call/cc (lambda (k) (array-map (lambda (y) (if (< y 0) (k y) y)) x))))": (
        [INTS], "p.scm:2:3", "`call/cc` is not there in array programs", None),
    "(define (f x)\n  (array-map (lambda (a b) a) x))": (
        [INTS], "p.scm:2:14", "the function takes 2 arguments, but is applied to 1", None),
    "(define (f x)\n  (array-map (lambda (a b) (+ a b)) x))": (
        [INTS], "p.scm:2:14", "the function takes 2 arguments, but is applied to 1", None),
    "(define (f x)\n  (array-map g x x))\n(define (g a) (+ a (array-size a)))": (
        [INTS], "p.scm:3:1", "the function takes 1 argument, but is applied to 2", None),
    "(define (f x)\n  (array-map array-size x))": (
        [INTS], "p.scm:2:3", "an array program has no rest arguments", None),
    "(define (f x)\n  (array-map (lambda (y) (array-size y)) x))": (
        [INTS], "p.scm:2:26", "array-size: expected an array, got a value of type int", None),
    "(define (f x)\n  (array-size x 2))": (
        [INTS], "p.scm:2:3", "has no dimension 2", None),
    "(define (f x)\n  (display x) x)": (
        [INTS], "p.scm:2:3", "`display` is not there in array programs", "result"),
    "(define (f x)\n  (error \"always\" x))": (
        [INTS], "p.scm:2:3", "`error` is not there in array programs", "nothing else can"),
    "(define (f x)\n  (array-concat x (array)))": (
        ["int"], "p.scm:2:3", "expected an array, got a value of type int", None),
    "(define (f x) x)": (
        ["any"], "p.scm:1:1", "the type of the parameter `x` of `f` is not known", "define-array"),
    "(define (f x)\n  (array-group-by (lambda (y) (array y)) x))": (
        [FLOATS], "p.scm:2:3", "the keys must be int, float, bool, char or tuples of these", None),
    "(define (f x)\n  (array-distinct (array x x)))": (
        [FLOATS], "p.scm:2:3", "the elements must be int, float, bool, char or tuples of", None),
    "(define (f x)\n  (array-flat-map (lambda (y) y) x))": (
        [FLOATS], "p.scm:2:3", "the function must give an array, but gives float", "(array x)"),
    "(define (f x)\n  (array-flat-map (lambda (y) (array (array y))) x))": (
        [FLOATS], "p.scm:2:3", "the arrays must have no arrays in them", None),
    "(define (f x k)\n  (array-bucket-reduce + 0 4 k x))": (
        [FLOATS, INTS], "p.scm:2:3", "the initial value must be float, but is int", "write 0.0"),
    "(define (f x k)\n  (array-bucket-reduce + 0.0 4 x x))": (
        [FLOATS, INTS], "p.scm:2:3", "the array of keys must be (array int), but is (array float)",
        None),
    "(define (f x k)\n  (array-bucket-reduce < 0.0 4 k x))": (
        [FLOATS, INTS], "p.scm:2:3", "what the function gives must be float, but is bool", None),
    "(define (f x k)\n  (array-bucket-collect 2.0 k x))": (
        [FLOATS, INTS], "p.scm:2:3", "expected an integer, got a value of type float", None),
    "(define (f x k)\n  (array-reduce-segments + 0.0 x x))": (
        [FLOATS, INTS], "p.scm:2:3", "the array of offsets must be (array int)", None),
    "(define (f x k)\n  (array-scatter x k k))": (
        [FLOATS, INTS], "p.scm:2:3",
        "the array of new values must be (array float), but is (array int)", None),
    "(define (f x k)\n  (array-scatter x x x))": (
        [FLOATS, INTS], "p.scm:2:3", "the array of indices must be (array int)", None),
    "(define (f x)\n  (sqrt x))": (
        ["int"], "p.scm:2:3", "sqrt", "(sqrt (inexact x))"),
}  # fmt: skip


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[11:50])
def test_refusals_tell_where_and_what(text: str) -> None:
    times, place, message, hint = REFUSED[text]
    left = residual(text, *times)
    with pytest.raises(CogenError) as caught:
        left.to_array()
    error = caught.value
    assert error.span is not None
    assert f"{error.span.source.name}:{error.span.line}:{error.span.column}" == place
    assert message in error.message
    assert hint is None or (error.hint is not None and hint in error.hint)


def test_binding_times_of_array_types() -> None:
    assert cogen.bt.show_bt(cogen.bt.parse_bt("(dynamic (array (tuple real int)))")) == (
        "(dynamic (array (tuple float int)))"
    )
    assert cogen.dynamic("(array  int)") == cogen.dynamic(INTS)
    for wrong in ("(array)", "(array memory)", "(list int)", "(array int int)"):
        with pytest.raises(CogenError) as caught:
            cogen.dynamic(wrong)
        assert caught.value.message == "unknown type"


def test_arguments_of_array_types_are_checked() -> None:
    run = residual("(define (f x) (array-size x))", INTS).to_python()
    assert run([1, 2, 3]) == 3
    assert run(np.array([1, 2])) == 2
    with pytest.raises(CogenError, match="must have values of type int here, not a float"):
        run([1.5])
    with pytest.raises(CogenError, match="must have a list here, not an int"):
        run(5)


# Errors of runs


@pytest.mark.parametrize(
    ("expression", "message"),
    {
        "(array-map + #(1 2) #(1))": "array-map: the arrays must have one size, but have 2 1",
        "(array-ref #(1 2) 2)": "array-ref: index 2 is not in 0 to 1",
        "(array-ref #() 0)": "array-ref: index 0 in an empty array",
        "(array-iota -1)": "array-iota: expected a size that is not negative, got -1",
        "(array #(1) #(1 2))": "array: the rows of an array must have one size, but these differ: "
        "#(1) #(1 2)",
        "(array-split #(1 2) 3)": "array-split: the array has fewer elements than 3",
        "(array-reshape #(1 2 3) 2 2)": "array-reshape: the array has another number of elements "
        "than 4",
        "(array-bucket-reduce + 0 2 #(0 2) #(1 1))": "array-bucket-reduce: key 2 is not in 0 to 1",
        "(array-bucket-reduce + 0 0 #(0) #(1))": "array-bucket-reduce: key 0, but there are no "
        "buckets",
        "(array-bucket-reduce + 0 -1 #() #())": "array-bucket-reduce: expected a size that is not "
        "negative, got -1",
        "(array-bucket-reduce + 0 2 #(0) #(1 1))": "array-bucket-reduce: the arrays must have one "
        "size, but have 1 2",
        "(array-bucket-collect 2 #(0 #t) #(1 1))": "array-bucket-collect: expected an integer, got "
        "#t",
        "(array-bucket-collect 2 #(0) 5)": "array-bucket-collect: expected an array, got 5",
        "(array-group-by (lambda (x) 'odd) #(1 2))": "array-group-by: expected a key of "
        "numbers, booleans and characters, got odd",
        "(array-distinct #(1 #(2)))": "array-distinct: expected a key of numbers, booleans and "
        "characters, got #(2)",
        "(array-distinct 5)": "array-distinct: expected an array, got 5",
        "(array-reduce-segments + 0 #() #(1))": "array-reduce-segments: expected at least one "
        "offset, got #()",
        "(array-reduce-segments + 0 #(0 3) #(1))": "array-reduce-segments: these are no limits of "
        "a segment: 0 3",
        "(array-flat-map (lambda (x) x) #(1))": "array-flat-map: expected an array, got 1",
        "(array-scatter #(1 2) #(2) #(5))": "array-scatter: index 2 is not in 0 to 1",
        "(array-scatter #(1 2) #(0) #())": "array-scatter: the arrays must have one size, but have "
        "1 0",
        "(array-size 5)": "array-size: expected an array, got 5",
        "(array-transpose #(#(1)) 0 2)": "array-transpose: the array has no such dimensions: 0 2",
        "(array-typed '(array int) #(1.0))": "array-typed: expected the type, got the value: "
        "(array int) #(1.0)",
    }.items(),
)
def test_mistakes_of_a_run_are_told_at_the_call(expression: str, message: str) -> None:
    program = cogen.loads(f"(define (f)\n  {expression})", "p.scm")
    interpreter = Interpreter(program)
    interpreter.run()
    for run in (lambda: interpreter.call("f", []), lambda: cogen.specialize(program, "f")):
        with pytest.raises(CogenError) as caught:
            run()
        assert caught.value.message == message
        assert caught.value.span is not None
        assert (caught.value.span.line, caught.value.span.column) == (2, 3)


# L0 as text


@pytest.mark.one_in(5)
@pytest.mark.parametrize(
    "path", sorted(PROGRAMS.rglob("*.l0")), ids=lambda path: path.relative_to(PROGRAMS).as_posix()
)
def test_what_is_shown_reads_back(path: Path) -> None:
    text = show(parse(Source(path.name, path.read_text(encoding="utf-8"))))
    assert show(parse(Source("again", text))) == text


def test_what_is_shown_means_the_same() -> None:
    random = Random(5)
    for _ in range(20):
        source = loads_array(random_program(random))
        again = loads_array(source.text)
        assert again.text == source.text
        assert [str(again.parameters(e)) for e in again.entries] == [
            str(source.parameters(e)) for e in source.entries
        ]


def test_entries_that_are_no_array_programs() -> None:
    program = cogen.loads("(define (main x) (string-append x x))")
    with pytest.raises(CogenError, match="the type of the parameter `x` of `main` is not known"):
        cogen.array.of_scheme(program)
    with pytest.raises(LimitationError, match="`string-upcase` is not there"):
        residual("(define (f x) (string-upcase x))", "int").to_array()
