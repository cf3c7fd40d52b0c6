"""The Scheme target: what is emitted means the same, and reads well."""

from __future__ import annotations

import pytest
from hypothesis import given

import cogen
from cogen.backends.scheme.scheme import emit
from cogen.lang import il
from cogen.lang.datum import Datum, from_iterable
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.iltext import check, parse
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from tests.lang.running import output
from tests.randomprograms import RandomProgram, outcome_of, programs

pytestmark = pytest.mark.quick


@given(programs())
def test_emitted_program_means_the_same(program: RandomProgram) -> None:
    original = loads(program.text)
    check(original)
    emitted = loads(emit(original))
    check(emitted)
    for arguments in program.arguments:
        expected = outcome_of(original, program.entry, arguments)
        assert outcome_of(emitted, program.entry, arguments) == expected


def own(text: str) -> str:
    """What is emitted for the program's own definitions, without comments."""
    program = loads(text, "p.scm")
    items = tuple(
        item
        for item in program.items
        if not isinstance(item, il.Define) or item.name in program.own_globals
    )
    shown = emit(il.Program(items, program.assigned, records=program.records))
    return "\n".join(line for line in shown.splitlines() if not line.lstrip().startswith(";"))


@pytest.mark.parametrize(
    "text",
    [
        "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))",
        "(define (f a b)\n  (cond ((< a b) 'less) ((= a b) (display a) 'equal) (else (g a))))\n\n"
        "(define (g a) (and (pair? a) (or (null? (cdr a)) (g (cdr a)))))",
        "(define (f n)\n  (let loop ((i 0) (sum 0)) (if (< i n) (loop (+ i 1) (+ sum i)) sum)))",
        "(define (f x)\n"
        "  (define (even n) (or (= n 0) (odd (- n 1))))\n"
        "  (define (odd n) (if (= n 0) #f (even (- n 1))))\n"
        "  (even x))",
        "(define (f x) (set! x (+ x 1)) (lambda () (set! x (* x 2)) x))",
        "(define (f x) (when (< x 0) (display x) (newline)) (if (> x 9) (display 9)) x)",
        "(define (f x) (let* ((y (g x)) (z (g y))) (cons (cons y z) (cons z y))))\n\n"
        "(define (g x) x)",
        "(define (f a b c) (if (and a (or (not b) c)) (display 1) (display 2)))",
        "(define-record-type point\n  (make-point x y)\n  point?\n"
        "  (x point-x set-point-x!)\n  (y point-y))\n\n"
        "(define (f p) (set-point-x! p (point-y p)) (point? p))",
        "(define counter 0)\n\n(define (f) (set! counter (+ counter 1)) counter)",
        "(define (f p) (call/cc (lambda (k) (p k))))",
        "(define (f x y) (list x (list y) (cons x y)))",
        "(define (f list) (cons list (cons list '())))",
        "(define constant '(1 2))\n\n(define (f) (eq? constant constant))",
    ],
    ids=range(14),
)
def test_source_in_this_style_comes_back(text: str) -> None:
    assert own(text) == text


def test_order_of_effects_keeps_a_let() -> None:
    text = "(define (f x) (let* ((a (g x)) (b (h x))) (k b a)))"
    definitions = "(define (g x) x) (define (h x) x) (define (k x y) x)"
    assert own(f"{text}\n{definitions}").startswith(
        "(define (f x) (let ((a (g x))) (k (h x) a)))\n"
    )


def test_comments_say_where_procedures_and_loops_come_from() -> None:
    text = "(define (f n)\n  (display n)\n  (let loop ((i 0)) (if (< i n) (loop (+ i 1)) i)))"
    assert emit(loads(text, "lib/p.scm"), ["one", "two"]) == (
        "; one\n; two\n\n; from p.scm:1\n(define (f n)\n  (display n)\n"
        "  ; from p.scm:3\n  (let loop ((i 0)) (if (< i n) (loop (+ i 1)) i)))\n"
    )


def test_names_are_not_captured() -> None:
    """Locals called like a primitive or a procedure that is meant inside their scope move."""
    block = il.Block(
        (il.Let("car.1", "car", (il.Var("f.1"),)),),
        il.Call(il.Global("f"), (il.Var("car.1"), il.Var("f.1")), "k"),
    )
    function = il.Function("f", ("f.1", "unused"), None, "k", block)
    program = il.Program((il.Define("f", function),))
    assert emit(program) == "(define (f f-2 unused) (f (car f-2) f-2))\n"


def test_globals_called_like_a_primitive_in_use_move() -> None:
    block = il.Block((il.Let("t", "car", (il.Var("x"),)),), il.Jump("k", (il.Var("t"),)))
    program = il.Program((il.Define("car", il.Function("car", ("x",), None, "k", block)),))
    assert emit(program) == "(define (car-2 x) (car x))\n"


def test_shared_constants_are_defined_once() -> None:
    text = "(define (f) (let ((x '(1 2))) (eq? x x)))"
    assert emit(loads(text)).startswith("(define constant '(1 2))\n")
    emitted = loads(emit(loads(text)))
    assert outcome_of(emitted, "f", ()).value == "#t"


def test_cells_that_escape_and_undefined_variables() -> None:
    text = (
        "(define (f) (define (g) y) (define x (if #f (g) 1)) (define y (+ x 1)) (set! x 5)"
        " (list x (g))) (write (f))"
    )
    assert output(emit(loads(text))) == output(text) == "(5 2)"


def test_constants_without_text_are_refused() -> None:
    block = il.Block((), il.Jump("k", (il.Const(from_iterable([print])),)))
    with pytest.raises(LimitationError, match="cannot be written in a program"):
        emit(il.Program((il.Value("x", "k", block),)))


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "(define (f x) " + "(+ 1 " * 3_000 + "x" + ")" * 3_000 + ")",
        "(define (f x) " + "(if x (f x) " * 3_000 + "x" + ")" * 3_000 + ")",
        "(define (f x) " + "(let ((x (f x))) (f x) " * 1_500 + "x" + ")" * 1_500 + ")",
    ],
    ids=["operations", "conditionals", "lets"],
)
def test_deep_programs(text: str) -> None:
    check(loads(emit(loads(text))))


def test_emitting_again_changes_nothing() -> None:
    text = emit(loads("(define (f n) (let loop ((i n)) (if (> i 9) i (loop (* i (f i))))))"))
    again = emit(loads(text))
    assert [line for line in again.splitlines() if ";" not in line] == [
        line for line in text.splitlines() if ";" not in line
    ]


def test_top_level_runs_in_order() -> None:
    text = '(define a (begin (display 1) 2)) (display "x") (define (f) a) (display (f))'
    assert output(emit(loads(text))) == output(text) == "1x2"


def test_a_wrong_number_of_values_is_called_the_same() -> None:
    text = "(define (f x y) (let-values (((a b) x)) (+ (* a y) b)))"
    program = loads(text)
    residual = cogen.specialize(program, "f", cogen.dynamic(), cogen.dynamic()).scheme
    assert text in residual
    for each in (program, loads(residual)):
        interpreter = Interpreter(each)
        interpreter.run()
        with pytest.raises(CogenError, match="expected 2 values, got 1"):
            interpreter.call("f", [1, 2])


def test_a_program_that_means_something_else_by_list_keeps_its_pairs() -> None:
    text = "(define (f x) (cons x '()))\n\n(define (list) 1)"
    assert own(text) == text


def test_a_cell_that_begins_with_a_constant_of_its_only_jump() -> None:
    text = """
    (program
      (define main (lambda (y) k.0
        ((conts (j.1 (x.1)
           ((let c.1 (make-cell x.1))
            (let u.1 (cell-set! c.1 y))
            (let v.1 (cell-ref c.1))
            (jump k.0 v.1))))
         (jump j.1 '5)))))"""
    program = parse(text)
    assert called(program) == called(loads(emit(program))) == 7


def called(program: il.Program) -> Datum:
    """What `main` gives for 7."""
    interpreter = Interpreter(program)
    interpreter.run()
    return interpreter.call("main", [7])


def test_a_residual_procedure_called_like_one_of_the_prelude_is_defined() -> None:
    """`list` is here what is left of `map`, called after the loop that it stands in."""
    source = loads(
        "(define (main x)"
        " (let list ((i 3)) (if (= i 0) x (let ((rest (list (- i 1)))) (map abs rest)))))"
    )
    residual = cogen.specialize(source, "main", cogen.dynamic())
    assert "(define (list items)" in residual.scheme
    argument = from_iterable([-1, 2])
    expected = outcome_of(source, "main", (argument,))
    assert outcome_of(loads(residual.scheme), "main", (argument,)) == expected


def test_a_residual_procedure_of_one_of_the_prelude_with_a_rest_is_defined() -> None:
    """It takes the rest as a list: the prelude's own means something else.  Found by fuzzing."""
    source = loads("(define (main x) (apply list 1 (append (cons -3 x) x)))")
    residual = cogen.specialize(source, "main", cogen.dynamic())
    argument = from_iterable([4, 5])
    expected = outcome_of(source, "main", (argument,))
    assert outcome_of(loads(residual.scheme), "main", (argument,)) == expected
