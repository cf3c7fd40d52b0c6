"""Lists that are only searched: new entries take the place of those that they shadow."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.lang import il
from cogen.lang.iltext import show
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.specializer.advice.rebinding import REBOUND, rebinding
from cogen.specializer.advice.searches import find_searches

LOOKUP: Final = """
(define (lookup x env)
  (cond ((null? env) (error "unbound" x))
        ((eq? x (caar env)) (cdar env))
        (else (lookup x (cdr env)))))
"""
EXTENDED: Final = "(define (run n) (lookup 'a (extend 'a n (list (cons 'b 1) (cons 'a 2)))))"
EXTEND: Final = "(define (extend k v l) (cons (cons k v) l))"


def rebound(text: str) -> int:
    """How many operations put entries in the place of others."""
    return len(rebinding(loads(text), "run")[1])


@pytest.mark.parametrize(
    "search",
    [
        LOOKUP,
        "(define (lookup x env) (cdr (assq x env)))",
        "(define (lookup x env) (let ((b (assoc x env))) (if b (cdr b) #f)))",
        """(define (lookup x env)
             (let loop ((l env))
               (if (pair? l) (if (eqv? (car (car l)) x) (cdr (car l)) (loop (cdr l))) 'none)))""",
        """(define (lookup x env)
             (if (null? env) 'none
               (let ((entry (car env)))
                 (if (equal? (car entry) x)
                     (begin (set-cdr! entry (+ 1 (cdr entry))) (cdr entry))
                     (lookup x (cdr env))))))""",
        """(define (find env x) (cond ((eq? x (caar env)) (car env)) (else (find (cdr env) x))))
           (define (lookup x env) (cdr (find env x)))""",
    ],
)
def test_lists_that_are_only_searched(search: str) -> None:
    assert rebound(search + EXTEND + EXTENDED) == 1


@pytest.mark.parametrize(
    "program",
    [
        LOOKUP + EXTEND + "(define (run n) (extend 'a n (list (cons 'b 1))))",
        LOOKUP + EXTEND + "(define (run n) (length (extend 'a n (list (cons 'a 1)))))",
        LOOKUP + EXTEND + "(define (run n) (cdr (extend 'a n (list (cons 'a 1)))))",
        LOOKUP + EXTEND + "(define (run n) (let ((l '())) (eq? l (extend 'a n l))))",
        LOOKUP + EXTEND + "(define (run n) (equal? (list (extend 'a n '())) n))",
        LOOKUP + EXTEND + "(define (run n) (error \"no\" (vector (extend 'a n '()))))",
        LOOKUP + EXTEND + "(define (run n) (display (extend 'a n '())))",
        LOOKUP + EXTEND + "(define (run n) (map car (extend 'a n '())))",
        LOOKUP + EXTEND + "(define (run n) (apply list (extend 'a n '())))",
        LOOKUP + EXTEND + "(define (run n) (n (extend 'a n '())))",
        LOOKUP + EXTEND + "(define (run n) (set-cdr! (extend 'a n '()) 1))",
        LOOKUP + EXTEND + "(define (run n) (assoc 'a (extend 'a n '()) <))",
        LOOKUP + EXTEND + EXTENDED + "(define (other p) (set-car! p 'c))",
        # how many there are before it, what is behind it, and more than one of them
        """(define (lookup x env i)
             (if (eq? x (caar env)) i (lookup x (cdr env) (+ i 1))))"""
        + EXTEND
        + "(define (run n) (lookup 'a (extend 'a n (list (cons 'b 1))) 0))",
        """(define (lookup x env) (if (eq? x (caar env)) (cdr env) (lookup x (cdr env))))"""
        + EXTEND
        + EXTENDED,
        """(define (lookup x env) (if (eq? x (caar env)) (cdar env) (lookup x (cddr env))))"""
        + EXTEND
        + EXTENDED,
        """(define (lookup x env) (if (eq? (caar env) (cdar env)) 1 (lookup x (cdr env))))"""
        + EXTEND
        + EXTENDED,
        """(define (lookup x env)
             (display x)
             (if (eq? x (caar env)) (cdar env) (lookup x (cdr env))))"""
        + EXTEND
        + EXTENDED,
        """(define (lookup x env)
             (if (eq? x (caar env)) (cdar env) (+ 1 (lookup x (cdr env)))))"""
        + EXTEND
        + EXTENDED,
    ],
)
def test_lists_that_are_looked_at_otherwise(program: str) -> None:
    assert rebound(program) == 0


def test_what_searches_look_at() -> None:
    places = find_searches(loads(LOOKUP + "(define (run n) (lookup n '((a . 1))))"))
    found = sorted(
        place.op if type(place) is il.Let else getattr(place.function, "name", "")
        for place in places
    )
    assert found == ["caar", "cdar", "cdr"]


def test_it_is_an_operation_that_gives_its_first_operand() -> None:
    program, entries = rebinding(loads(LOOKUP + EXTEND + EXTENDED), "run")
    assert len(entries) == 1
    machine = Interpreter(program)
    machine.run()
    assert machine.call("run", [7]) == 7
    assert REBOUND in show(program)


MACHINE: Final = """
(define (run program x y)
  (let ((env (all program (list (cons 'x x) (cons 'y y)))))
    (list (lookup 'x env) (lookup 'y env) (lookup 'z (cons (cons 'z 0) env)))))
(define (all ss env) (if (null? ss) env (all (cdr ss) (one (car ss) env))))
(define (one s env)
  (case (car s)
    ((set) (cons (cons (cadr s) (value (caddr s) env)) env))
    ((let) (let ((inner (all (cdddr s) (cons (cons (cadr s) (value (caddr s) env)) env))))
             (cons (cons 'y (lookup (cadr s) inner)) env)))
    ((if) (if (< (value (cadr s) env) 3) (all (caddr s) env) (all (cadddr s) env)))
    ((repeat)
     (let loop ((n (lookup (cadr s) env)) (env env))
       (if (< 0 n) (loop (- n 1) (all (cddr s) env)) env)))))
(define (value e env)
  (cond ((symbol? e) (lookup e env))
        ((pair? e) (modulo (- (value (car e) env) (value (cdr e) env)) 5))
        (else e)))
"""
NAMES = st.sampled_from(["x", "y"])
EXPRESSIONS = st.recursive(
    st.one_of(NAMES, st.integers(0, 5).map(str)),
    lambda inner: st.tuples(inner, inner).map(lambda pair: f"({pair[0]} . {pair[1]})"),
    max_leaves=3,
)


def statements(depth: int) -> st.SearchStrategy[str]:
    """Some statements in brackets."""
    kinds = [st.builds("(set {} {})".format, NAMES, EXPRESSIONS)]
    if depth:
        body = statements(depth - 1)
        inside = body.map(lambda text: text[1:-1])
        kinds += [
            st.builds("(if {} {} {})".format, EXPRESSIONS, body, body),
            st.builds("(let {} {} {})".format, NAMES, EXPRESSIONS, inside),
            st.builds("(repeat {} {})".format, NAMES, inside),
        ]
    return st.lists(st.one_of(kinds), min_size=1, max_size=2).map(
        lambda them: f"({' '.join(them)})"
    )


@settings(max_examples=max(12, settings().max_examples // 80))
@given(statements(2), st.integers(-3, 4), st.integers(-3, 4))
def test_programs_mean_the_same(code: str, x: int, y: int) -> None:
    """Whatever shadows what, and wherever ways meet."""
    program = loads(LOOKUP + MACHINE)
    advised, entries = rebinding(program, "run")
    assert len(entries) == 4
    source = Interpreter(program)
    source.run()
    static = cogen.static(cogen.datum(code))
    expected = write_datum(source.call("run", [read_datum(code), x, y]))
    for one in (program, advised):
        residual = cogen.specialize(one, "run", static, cogen.dynamic("int"), cogen.dynamic("int"))
        assert write_datum(cogen.convert.to_datum(residual.to_python()(x, y))) == expected


def test_a_loop_that_assigns_has_no_environment() -> None:
    code = "((repeat x (set y (y . x)) (set x (x . 1))))"
    static = cogen.static(cogen.datum(code))
    program = loads(LOOKUP + MACHINE)
    residual = cogen.specialize(program, "run", static, cogen.dynamic("int"), cogen.dynamic("int"))
    assert "cdr" not in residual.scheme
    assert "lookup" not in residual.scheme.replace("lookup-", "")
    assert (
        cogen.generate(program, "run", cogen.static(), cogen.dynamic("int"), cogen.dynamic("int"))(
            static, cogen.dynamic("int"), cogen.dynamic("int")
        ).scheme
        == residual.scheme
    )
