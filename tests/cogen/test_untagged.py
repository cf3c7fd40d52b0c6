"""Which variables hold code of an interpreted program, by the text (`advice.untagged`)."""

from __future__ import annotations

import pytest

import cogen
from cogen.lang.ilutil import base_name
from cogen.specializer.advice.untagged import Untagged

EVALUATE = """
(define (evaluate e env)
  (cond ((symbol? e) (cdr (assq e env)))
        ((eq? (car e) 'lambda) MAKE)
        ((eq? (car e) 'quote) (cadr e))
        ((eq? (car e) 'cons)
         (let ((first (evaluate (cadr e) env))) (cons first (evaluate (caddr e) env))))
        (else (apply-it (evaluate (car e) env) (evaluate (cadr e) env)))))
(define (apply-it f x) APPLY)
(define (bind name x env) (cons (cons name x) env))
"""

LAYOUTS = [
    ("(cons e env)", "(evaluate (caddr (car f)) (bind (cadr (car f)) x (cdr f)))"),
    ("(cons (cdr e) env)", "(evaluate (cadar f) (bind (caaar f) x (cdr f)))"),
    ("(list (caadr e) (caddr e) env)", "(evaluate (cadr f) (bind (car f) x (caddr f)))"),
    ("(vector (cadr e) (caddr e) env)", "(evaluate (vector-ref f 1) (vector-ref f 2))"),
    ("(list 'closure (cadr e) env)", "(if (eq? (car f) 'closure) (evaluate (cadr f) x) x)"),
    ("(list e env)", "(let ((code (car f))) (evaluate (caddr code) (bind 'x x (cadr f))))"),
]


def found(text: str) -> tuple[set[str], list[str]]:
    """The variables that hold code, and the texts of the places that make something of it."""
    untagged = Untagged(cogen.loads(text))
    places = [place.span for place in untagged.places]
    texts = [span.source.text[span.start : span.end] for span in places if span is not None]
    return {base_name(name) for name in untagged.holders}, texts


@pytest.mark.parametrize(("make", "apply"), LAYOUTS)
def test_procedures_are_told_from_data(make: str, apply: str) -> None:
    """Lists of the interpreted program, and entries of environments, are no procedures."""
    holders, places = found(EVALUATE.replace("MAKE", make).replace("APPLY", apply))
    assert "f" in holders
    assert not holders & {"e", "x", "env", "first"}
    assert places == [make]


def test_procedures_that_select_and_make() -> None:
    """What takes another part of what others take code of holds code as well."""
    text = EVALUATE.replace("MAKE", "(make (cadr e) (caddr e) env)")
    text = text.replace("APPLY", "(evaluate (body f) (bind (name f) x (environment f)))")
    text += """
      (define (make name body env) (list name body env))
      (define (name c) (car c))
      (define (body d) (cadr d))
      (define (environment g) (caddr g))"""
    holders, places = found(text)
    assert holders >= {"c", "d", "g"}
    assert places == ["(list name body env)"]


def test_what_a_procedure_that_goes_round_gives_is_not_followed() -> None:
    """Else all values would be code: one of them is what is quoted."""
    text = EVALUATE.replace("MAKE", "(cons e env)").replace("APPLY", "(evaluate x x)")
    assert found(text) == (set(), [])
