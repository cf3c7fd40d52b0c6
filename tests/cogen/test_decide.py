"""Tests that earlier tests of the same value decide."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest

import cogen
from cogen import among
from cogen.among import UNKNOWN, Comparison
from cogen.convert import from_datum
from cogen.lang.datum import NIL, Char, Datum, Pair, symbol
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.lang.printer import write_datum
from cogen.specializer.advice.steps import AdviceSteps
from cogen.specializer.specialize import SpecializationTask
from tests.cogen.test_clean_passes import after

pytestmark = pytest.mark.quick


@pytest.mark.parametrize(
    ("source", "left"),
    [
        ("(if (char=? x #\\a) (if (char=? x #\\b) 1 2) 3)", "(if (char=? x #\\a) 2 3)"),
        ('(if (string=? x "a") (if (string=? x "b") 1 2) 3)', '(if (string=? x "a") 2 3)'),
        ('(if (equal? x "a") 1 (if (equal? x "a") 2 3))', '(if (equal? x "a") 1 3)'),
        ('(if (equal? x "a") (if (eq? x \'a) 1 2) 3)', '(if (equal? x "a") 2 3)'),
        ("(case x ((1 2) (if (eqv? x 3) 1 2)) (else 3))", "(if (or (eqv? x 1) (eqv? x 2)) 2 3)"),
        ("(case x ((1 2) 1) (else (if (eqv? x 2) 2 3)))", "(if (or (eqv? x 1) (eqv? x 2)) 1 3)"),
        ("(if (= x 1) (if (> x 2) 1 2) 3)", "(if (= x 1) 2 3)"),
        ("(if (zero? x) (if (= x 1) 1 2) (if (= x 0) 3 4))", "(if (zero? x) 2 4)"),
        ("(if (char<? x #\\a) (if (char=? x #\\b) 1 2) 3)", "(if (char<? x #\\a) 2 3)"),
        ("(if (char<? x #\\a) 1 (if (char<? x #\\0) 2 3))", "(if (char<? x #\\a) 1 3)"),
        ("(if (eq? (> x 1) #f) 1 (if (> x 1) 2 3))", "(if (> x 1) 2 1)"),
        ("(if (eq? #t (null? x)) 1 (if (null? x) 2 3))", "(if (null? x) 1 3)"),
        ("(if (eq? x #f) 1 2)", "(if x 2 1)"),
        ("(if (null? x) (if (pair? x) 1 2) 3)", "(if (null? x) 2 3)"),
        ("(if (boolean? x) (if (null? x) 1 2) (if (eq? x #t) 3 4))", "(if (boolean? x) 2 4)"),
        # a test that only a later one asks for
        ("(if (symbol? x) (if (eq? x 'a) 1 2) 2)", "(if (eq? x 'a) 1 2)"),
        ("(if (null? x) 1 (if (pair? x) 2 1))", "(if (pair? x) 2 1)"),
        ("(if (eq? x 'a) 1 (if (memq x '(a b)) 1 2))", "(if (or (eq? x 'a) (eq? x 'b)) 1 2)"),
    ],
)
def test_what_tests_tell(source: str, left: str) -> None:
    residual = cogen.specialize(cogen.loads(f"(define (f x) {source})"), "f", cogen.dynamic())
    assert f"(define (f x) {left})" in residual.scheme


def test_a_loop_passes_no_constant_that_a_test_has_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is taken from the stack is `S` where it is followed, and so is the first; in the
    program as it is, without the advice that makes the stack's symbols types."""
    monkeypatch.setattr(SpecializationTask, "advice", AdviceSteps())
    program = cogen.loads("""
        (define (parse table start input)
          (let loop ((stack (list start)) (in input) (n 0))
            (cond ((null? stack) (and (null? in) n))
                  ((and (symbol? (car stack)) (assq (car stack) table)) =>
                   (lambda (row)
                     (let* ((token (if (null? in) 'end (car in)))
                            (rule (or (assv token (cdr row)) (assv 'else (cdr row)))))
                       (loop (append (cdr rule) (cdr stack)) in (+ n 1)))))
                  ((or (null? in) (not (eqv? (car stack) (car in)))) #f)
                  (else (loop (cdr stack) (cdr in) n)))))""")
    table = cogen.datum(r"((S (#\( #\( S #\) S) (else)))")
    given = [cogen.static(table), cogen.static(cogen.symbol("S")), cogen.dynamic()]
    residual = cogen.specialize(program, "parse", *given)
    text = " ".join(residual.scheme.split())
    assert "(let loop-1 ((in input) (stack '(S)) (n 0))" in text
    assert "(eq? t 'S) (loop-1 in-1 stack-1 n-1)" in text
    assert "symbol?" not in text
    run = residual.to_python()
    assert [run(cogen.datum(x)) for x in (r"(#\( #\( #\) #\))", r"(#\( #\))", r"(#\()")] == [
        5,
        3,
        False,
    ]


@pytest.mark.parametrize(
    "source",
    [
        "(if (= x 1) (if (eqv? x 1) 1 2) 3)",  # or 1.0
        "(if (< x 1) 1 (if (>= x 1) 2 3))",  # not a number
        '(if (eqv? x "a") 1 (if (equal? x "a") 2 3))',  # another string of these characters
        "(if (= x 1) 1 (if (eqv? x 1.0) 2 3))",
    ],
)
def test_what_they_do_not_tell(source: str) -> None:
    residual = cogen.specialize(cogen.loads(f"(define (f x) {source})"), "f", cogen.dynamic())
    assert residual.scheme.count("(if ") + 2 * residual.scheme.count("(cond ") >= 2


def test_strings_that_are_changed_are_compared_again() -> None:
    source = """(define (f x) (let ((s (string-copy x)))
        (if (equal? s "a") (begin (string-set! s 0 #\\b) (if (equal? s "a") 1 2)) 3)))"""
    residual = cogen.specialize(cogen.loads(source), "f", cogen.dynamic())
    assert [residual.to_python()(x) for x in ("a", "b")] == [2, 3]
    assert residual.scheme.count("(equal? ") == 2


def test_ways_that_meet_know_what_all_of_them_know() -> None:
    code = """((let a (eqv? x.2 '1)) (if a ((jump m.3)) ((let b (eqv? x.2 '2))
        (if b ((jump m.3)) ((jump k.1 '0))))))"""
    more = (
        "(m.3 () ((let c (eqv? x.2 '{})) (let d (eqv? x.2 '5)) (let e (vector c d)) (jump k.1 e)))"
    )
    assert "(vector '#f '#f)" in after("x", code, "decide", "dead", more=more.format(3))
    assert "(vector c '#f)" in after("x", code, "decide", "dead", more=more.format(2))


def test_loops_know_what_is_so_in_all_rounds() -> None:
    code = "((let a (eqv? x.2 '1)) (if a ((jump l.3 '1)) ((jump k.1 '0))))"
    more = """(l.3 (y.3) ((let b (eqv? x.2 '2)) (let c (eqv? y.3 '2)) (let d (eqv? y.3 '9))
        (if d ((jump k.1 b)) ((if c ((jump k.1 c)) ((let n (+ y.3 '1)) (jump l.3 n)))))))"""
    found = after("x", code, "decide", "dead", more=more)
    assert "(eqv? x '2)" not in found
    assert "(eqv? y '2)" in found


# laws

DATA: list[Datum] = [
    *(-1, 0, 1, 2, 3, 1.0, 0.0, -0.0, 0.5, float("nan"), float("inf")),
    *(True, False, NIL, symbol("a"), symbol("b"), "a", "b", ""),
    *(Char("a"), Char("b"), Char("0"), Char("9"), Pair(1, NIL)),
]
CONSTANTS = [datum for datum in DATA if among.is_constant(datum)]
ORDERED = {"number": [-1, 0, 1, 2, 3], "char": [Char(c) for c in "ab09"]}
TYPED = {"string=?": ["a", "b", ""], "symbol=?": [symbol("a"), symbol("b")]}


def random_test(rng: random.Random) -> Comparison:
    op = rng.choice([*sorted(among.COMPARISONS | among.PREDICATES), "eqv?", "equal?", "="])
    if op in among.PREDICATES:
        return Comparison(op)
    if op in among.ORDERS:
        return Comparison(op, rng.choice(ORDERED[among.ORDERS[op][0]]))
    if op == "boolean=?":
        return Comparison(op, rng.random() < 0.5)
    return Comparison(op, rng.choice(TYPED.get(op, CONSTANTS)))


def outcome(test: Comparison, datum: Datum) -> bool | None:
    """What a test says of a value; None if it fails."""
    operands = (datum,) if test.op in among.PREDICATES else (datum, test.constant)
    try:
        return bool(PRIMITIVES[test.op].python(*operands))
    except PrimitiveError:
        return None


@pytest.mark.one_in(4)
@pytest.mark.parametrize("seed", range(300))
def test_what_is_known_is_so(seed: int) -> None:
    """Of every value for which tests gave what was learned, each answer is right; so it is of
    what two ways know together."""
    rng = random.Random(seed)
    ways = []
    for _ in range(2):
        values, known = list(DATA), UNKNOWN
        whole = rng.random() < 0.3
        if whole:
            values = [datum for datum in values if type(datum) is int]
        for _ in range(rng.randint(1, 4)):
            test, holds = random_test(rng)._replace(whole=whole), rng.random() < 0.5
            left = [datum for datum in values if outcome(test, datum) is holds]
            if left:
                values, known = left, among.learn(known, test, holds)
        ways.append((values, known, whole))
    (a, x, first), (b, y, second) = ways
    for values, known, whole in (*ways, (a + b, among.join(x, y), first and second)):
        for _ in range(30):
            test = random_test(rng)._replace(whole=whole)
            said, outcomes = among.answer(known, test), {outcome(test, datum) for datum in values}
            only = among.only(known)
            assert only is None or {(type(datum), datum) for datum in values} <= {only}
            assert said is None or outcomes <= {said, None}
            assert not among.succeeds(known, test) or None not in outcomes


def random_tree(rng: random.Random, depth: int) -> str:
    """An expression that tests x again and again."""
    if depth == 0 or rng.random() < 0.1:
        return "x" if rng.random() < 0.2 else str(rng.randint(0, 5))
    if rng.random() < 0.2:
        numbers = rng.sample([-1, 0, 1, 2, 3], 3)
        arms = f"(({numbers[0]} {numbers[1]}) {random_tree(rng, depth - 1)})"
        return f"(case x {arms} ((a #\\a {numbers[2]}) 7) (else {random_tree(rng, depth - 1)}))"
    test = random_test(rng)
    if test.op in among.PREDICATES:
        text = f"({test.op} x)"
    else:
        operands = ["x", "'" + write_datum(test.constant)]
        rng.shuffle(operands)
        text = f"({test.op} {' '.join(operands)})"
    guards = {"char": "char?", "number": "number?"}
    kind = guards.get(among.ORDERS.get(test.op, ("", ""))[0]) or {
        "string=?": "string?",
        "symbol=?": "symbol?",
        "boolean=?": "boolean?",
    }.get(test.op)
    if kind is not None and rng.random() < 0.7:
        text = f"(and ({kind} x) {text})"
    if rng.random() < 0.2:
        text = f"(eq? {text} {rng.choice(['#f', '#t'])})"
    if rng.random() < 0.15:
        text = f"(or {text} (eqv? x {rng.randint(0, 3)}))"
    return f"(if {text} {random_tree(rng, depth - 1)} {random_tree(rng, depth - 1)})"


def said(call: Callable[[], object]) -> str:
    """The value that a call gives, as text, or what it fails with."""
    try:
        return repr(call())
    except CogenError as error:
        return error.message


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seed", range(40))
def test_residual_tests_decide_as_those_of_the_source(seed: int) -> None:
    rng = random.Random(seed)
    source = f"(define (f x) {random_tree(rng, 5)})"
    program = cogen.loads(source)
    interpreter = Interpreter(program)
    interpreter.run()
    residual = cogen.specialize(program, "f", cogen.dynamic())
    python, c = residual.to_python(), residual.compile() if seed % 8 == 0 else None
    for datum in DATA:
        expected = said(lambda datum=datum: from_datum(interpreter.call("f", [datum])))
        assert said(lambda datum=datum: python(from_datum(datum))) == expected
        if c is not None and type(datum) is int:
            assert said(lambda datum=datum: c(datum)) == expected
