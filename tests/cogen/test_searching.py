"""Calls that find what they give in what is known: what comes out is what unfolding gives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.lang.load import loads
from cogen.specializer.analyses.searching import Search
from cogen.specializer.versions.limits import Limits

pytestmark = pytest.mark.quick

LOOKUP = """
(define (lookup name env)
  (if (eq? (caar env) name) (cdar env) (lookup name (cdr env))))
(define (update name value env)
  (if (eq? (caar env) name)
      (cons (cons name value) (cdr env))
      (cons (car env) (update name value (cdr env)))))
"""


def both(text: str) -> tuple[cogen.Residual, cogen.Residual]:
    """The residual programs of f with calls that search, and with none."""
    searched = cogen.specialize(loads(text), "f", cogen.dynamic())
    with patch.object(Search, "value", lambda *_: None):
        unfolded = cogen.specialize(loads(text), "f", cogen.dynamic())
    return searched, unfolded


def searches(text: str) -> int:
    """How many calls of a program for f were carried out at once."""
    found = 0
    value = Search.value

    def counted(search: Search, *rest: Any) -> Any:
        nonlocal found
        result = value(search, *rest)
        found += 0 if result is None else search.count
        return result

    with patch.object(Search, "value", counted):
        cogen.specialize(loads(text), "f", cogen.dynamic())
    return found


PROGRAMS = {
    "a variable": LOOKUP
    + "(define (f x) (* 2 (lookup 'c (list '(a . 1) (cons 'b x) (cons 'c x)))))",
    "a changed list": LOOKUP
    + """(define (f x) (let ((env (update 'b (* x 2) (list (cons 'a x) (cons 'b 1) '(c . 3)))))
           (+ (lookup 'a env) (lookup 'b env) (lookup 'c env))))""",
    "the end is unknown": LOOKUP + "(define (f x) (lookup 'c (cons '(a . 1) (cons '(b . 2) x))))",
    "a name is unknown": LOOKUP + "(define (f x) (lookup x (list '(a . 1) '(b . 2))))",
    "numbers": """
        (define (at l i) (if (= i 0) (car l) (at (cdr l) (- i 1))))
        (define (f x) (let ((l (list 1 x (* x x) 4))) (- (at l 2) (at l 1) (at l 3))))""",
    "numbers that fail": """
        (define (at l i) (if (< i 'a) (car l) (at (cdr l) (- i 1))))
        (define (f x) (if (= x 0) (at (list x) 3) x))""",
    "a loop in a procedure": """
        (define (place name names)
          (let loop ((names names) (i 0))
            (cond ((null? names) #f)
                  ((eq? (caar names) name) (cons i (cdar names)))
                  (else (loop (cdr names) (+ i 1))))))
        (define (f x) (car (place 'b (list (cons 'a 1) (cons 'b x)))))""",
    "pairs that are assigned": LOOKUP
    + """(define (f x) (let ((env (list (cons 'a x) (cons 'b 2))))
           (set-cdr! (cadr env) 5) (list (lookup 'a env) (lookup 'b env))))""",
    "procedures": """
        (define (find p l) (cond ((null? l) #f) ((p (car l)) (car l)) (else (find p (cdr l)))))
        (define (f x) (find (lambda (e) (eq? (car e) 'b)) (list (cons 'a x) (cons 'b x))))""",
    "arms in between": """
        (define (count l x) (cond ((null? l) 0) ((= (car l) x) (+ 1 (count (cdr l) x)))
                                  (else (count (cdr l) x))))
        (define (f x) (count '(1 2 1) x))""",
    "a part of a constant": """
        (define (find l) (if (eq? (caar l) (car '(b c))) (cdar l) (find (cdr l))))
        (define (f x) (* 2 (find (list (cons 'a 1) (cons 'b x)))))""",
    "kinds": """
        (define (names l)
          (cond ((null? l) '()) ((symbol? (car l)) (cons (car l) (names (cdr l))))
                ((pair? (car l)) (names (cdr l))) (else (cons 'other (names (cdr l))))))
        (define (f x) (names (list 'a (cons x x) 3 'b)))""",
    "a rest argument": """
        (define (last . l) (if (null? (cdr l)) (car l) (apply last (cdr l))))
        (define (f x) (last 1 2 (list x)))""",
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_residual_program_is_the_same(name: str) -> None:
    text = PROGRAMS[name]
    searched, unfolded = both(text)
    assert searched.scheme == unfolded.scheme
    assert cogen.generate(loads(text), "f", cogen.dynamic())().scheme == searched.scheme


def test_what_fails_is_told_as_ever() -> None:
    text = LOOKUP + "(define (f x) (* x (lookup 'd (list '(a . 1) (cons 'b x)))))"
    told = []
    for value in (Search.value, lambda *_: None):
        with patch.object(Search, "value", value), pytest.raises(cogen.CogenError) as failure:
            cogen.specialize(loads(text), "f", cogen.dynamic())
        told.append(str(failure.value))
    assert told[0] == told[1]
    assert "expected a pair" in told[0]


@pytest.mark.parametrize(
    ("name", "count"),
    [("a variable", 7), ("a changed list", 17), ("numbers", 9), ("a loop in a procedure", 6)],
)
def test_each_call_counts(name: str, count: int) -> None:
    """Effort is the same whoever carries calls out."""
    assert searches(PROGRAMS[name]) == count
    searched, unfolded = both(PROGRAMS[name])
    calls = [found.program.statistics["calls unfolded"] for found in (searched, unfolded)]
    assert calls[0] == calls[1]


def test_what_is_not_found_is_tried_a_few_times_only() -> None:
    tries = 0
    enter: Callable[..., Any] = Search._entered

    def counted(search: Search, *rest: Any) -> Any:
        nonlocal tries
        tries += 1
        return enter(search, *rest)

    calls = " ".join(f"(part {i} x)" for i in range(24))
    text = f"(define (part n x) (if (< n x) n (* n 2))) (define (f x) (list {calls}))"
    with patch.object(Search, "_entered", counted):
        cogen.specialize(loads(text), "f", cogen.dynamic())
    assert 0 < tries < 12


def test_limits_hold() -> None:
    """A search that would be too many calls is for the machine, which tells."""
    text = """
        (define (walk l n) (if (eq? (car l) 'b) n (walk (cdr l) n)))
        (define (f x) (* 2 (walk (list {} 'b) x)))""".format(" ".join(["'a"] * 60))
    with pytest.raises(cogen.CogenError, match="more than 50 calls were unfolded"):
        cogen.specialize(loads(text), "f", cogen.dynamic(), max_unfoldings=50)
    looks = Limits.count_look
    counts: list[int] = []

    def counted(limits: Limits, calls: int) -> bool:
        counts.append(calls)
        return looks(limits, calls)

    with patch.object(Limits, "count_look", counted):
        assert cogen.specialize(loads(text), "f", cogen.dynamic(), max_unfoldings=99)
    assert counts == [61]


@given(
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=6),
    st.lists(st.sampled_from("abcde"), min_size=1, max_size=4),
)
def test_environments(names: list[str], asked: list[str]) -> None:
    """Of environments with values of a run, and names that are there or not."""
    env = " ".join(f"(cons '{name} (+ x {i}))" for i, name in enumerate(names))
    calls = " ".join(
        f"(let ((e (update '{name} (* x {i}) env))) (list (lookup '{name} env) (lookup '{name} e)))"
        for i, name in enumerate(asked)
        if name in names
    )
    text = LOOKUP + f"(define (f x) (let ((env (list {env}))) (append {calls})))"
    searched, unfolded = both(text)
    assert searched.scheme == unfolded.scheme
    before: dict[str, int] = {}
    for i, name in enumerate(names):
        before.setdefault(name, 7 + i)
    known = [(i, name) for i, name in enumerate(asked) if name in names]
    assert searched.to_python()(7) == [n for i, name in known for n in (before[name], 7 * i)]
