"""Mistakes met by the specializer: each ends in a diagnostic at its place."""

from __future__ import annotations

import pytest

import cogen
from cogen.binding_times import BT, parse_bt
from cogen.lang.errors import CogenError, Warnings
from cogen.lang.load import loads
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from tests.randomprograms import outcome_of

pytestmark = pytest.mark.quick

KEYS = "(define (f x keys)\n  (if (pair? keys) (if (eq? x (car keys)) #t (f x (cdr keys))) #f))"

CASES = [
    # program, entry, binding times, options, line, column, text
    ("(define (f x) (set-base x x))", "f", "(dynamic int)", {}, 1, 15, "set-base: the base must"),
    ("(define (f x) (set-base x 0))", "f", "(dynamic int)", {}, 1, 15, "set-base: the base must"),
    ("(define (f x)\n  (car x))", "f", "(static 5)", {}, 2, 3, "car: expected a pair, got 5"),
    ("(define (f x)\n  (cdr (list x)))\n(define (g) (cdr (f 1)))", "g", "", {}, 3, 13, "cdr: exp"),
    ("(define (f x) (+ x 1))", "f", "(static 9223372036854775807)", {}, 1, 15, "does not fit"),
    ("(define (f x) (quotient 1 x))", "f", "(static 0)", {}, 1, 15, "division by zero"),
    ("(define (f x) (vector-ref (vector 1) x))", "f", "(static 1)", {}, 1, 15, "index 1 is not in"),
    ("(define (f x)\n (vector-ref '#(1) x))", "f", "(static -1)", {}, 2, 2, "index -1 is not in"),
    ("(define (f x) (error \"no good:\" x))", "f", "(static 3)", {}, 1, 15, "no good: 3"),
    ("(define (f x) (raise x))", "f", "(static boom)", {}, 1, 15, "uncaught exception: boom"),
    ("(define (f x) (x 1))", "f", "(static 3)", {}, 1, 15, "expected a procedure to call"),
    ("(define (f g) ((lambda (h) (h 1 2)) (lambda (x) g)))", "f", "_", {}, 1, 28, "expected 1 arg"),
    ("(define (f x) (string-length x))", "f", "(static 3)", {}, 1, 15, "string-length: expected"),
    ("(define (f x) (symbol->string x))", "f", '(static "a")', {}, 1, 15, "symbol->string: expec"),
    ("(define (f x) (exact x))", "f", "(static 1.5)", {}, 1, 15, "exact:"),
    ("(define (f x) (arithmetic-shift x 70))", "f", "(static 1)", {}, 1, 15, "does not fit"),
    ("(define (h) (car 1))\n(define g (h))\n(define (f) g)", "f", "", {}, 1, 13, "car: expected"),
    ("(define g (g2 1))\n(define (g2 x) x)\n(define (f) g)", "f", "", {}, 1, 11, "g2 is used"),
    (KEYS, "f", "_ (static (a b c d))", {"max_variants": 3}, 2, 20, "more than 3 versions of f"),
    (KEYS, "f", "_ (static (a b c d))", {"max_size": 3}, 2, 24, "more than 3 operations"),
    ("(define (f x)\n  (f (+ x 1)))", "f", "(static 0)", {"max_unfoldings": 99}, 2, 6, "x grows"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("program", "entry", "times", "options", "line", "column", "text"),
    CASES,
)
def test_a_mistake_is_told_at_its_place(
    program: str,
    entry: str,
    times: str,
    options: dict[str, float],
    line: int,
    column: int,
    text: str,
) -> None:
    with pytest.raises(CogenError) as caught:
        specialize(
            loads(program), entry, _times(times), SpecializerOptions(**options)  # type: ignore[arg-type]
        )  # fmt: skip
    assert text in caught.value.message
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (line, column)


@pytest.mark.parametrize(
    ("call", "hint"),
    [
        ("(f 'a)", "a name with a quote is a symbol; without it, what the name stands for"),
        ('(list x (f "a"))', "(string-append a b) joins texts, (string->number s) reads a number"),
        ("(1 + x)", "an operator stands first: (+ 1 x)"),
        ("(f #\\a)", None),
    ],
)
def test_what_was_meant_is_told_as_by_a_run(call: str, hint: str | None) -> None:
    program = loads(f"(define (f x) (+ x 1))\n(define (g x) {call})")
    with pytest.raises(CogenError) as caught:
        specialize(program, "g", _times("_"))
    assert caught.value.hint == hint


def test_time_is_told_where_it_was_used_up() -> None:
    """At the call that grows, or where the procedure is begun again, whichever it is in then."""
    program = loads("(define (f x)\n  (+ 1 (f (+ x 1))))")
    with pytest.raises(CogenError, match=r"specialization took more than 0\.1 seconds") as caught:
        specialize(program, "f", _times("(static 0)"), SpecializerOptions(max_time=0.1))
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) in {(1, 1), (2, 8)}


@pytest.mark.parametrize(
    ("program", "entry", "times", "text"),
    [
        ("(define (f x) x)", "g", "_", "no procedure g"),
        ("(define f 5)", "f", "", "f is not a procedure"),
        ("(define (f x) x)", "f", "_ _", "f has 1 parameter, but 2 binding times"),
        ("(define (f x . xs) x)", "f", "", "f has at least 1 parameter, but 0 binding times"),
        ("(define (f x) x)", "f", "(record point _ _)", "no record type point"),
        (
            "(define-record-type point (make x y) point? (x px) (y py)) (define (f x) (px x))",
            "f",
            "(record point _)",
            "the record point has 2 fields, its binding time 1",
        ),
    ],
)
def test_an_entry_that_does_not_fit(program: str, entry: str, times: str, text: str) -> None:
    with pytest.raises(CogenError) as caught:
        specialize(loads(program), entry, _times(times))
    assert text in caught.value.message


def test_a_definition_that_only_a_run_can_evaluate() -> None:
    program = loads("(define table (open-output-string))\n(define (f x) (write x table))")
    with pytest.raises(CogenError) as caught:
        specialize(program, "f", _times("(dynamic int)"))
    assert caught.value.family == "limitation"
    assert "the definition of table does something that only a run can do" in caught.value.message


def test_a_top_level_expression_is_left_out_with_a_warning() -> None:
    warnings = Warnings()
    program = loads("(define (f x) x)\n(display (f 1))")
    residual = specialize(program, "f", _times("_"), warnings=warnings)
    assert len(residual.program.items) == 1
    (warning,) = warnings.messages
    assert "this top-level expression is left out" in warning.message
    assert warning.span is not None
    assert (warning.span.line, warning.span.column) == (2, 1)


def test_one_warning_tells_of_all_expressions_that_are_left_out() -> None:
    warnings = Warnings()
    program = loads("(define (f x) x)\n(display (f 1))\n(f 2)\n(define (g x) x)\n(g 3)")
    specialize(program, "f", _times("_"), warnings=warnings)
    (warning,) = warnings.messages
    assert warning.message == "this top-level expression is left out, and 2 more behind it"


def _times(text: str) -> list[BT]:
    """The binding times in a text, at most one in each pair of outer parentheses."""
    found: list[str] = []
    depth = 0
    for word in text.split():
        if depth:
            found[-1] += " " + word
        else:
            found.append(word)
        depth += word.count("(") - word.count(")")
    return [parse_bt(one) for one in found]


@pytest.mark.parametrize(
    "call", ["(apply list z '(2))", "(apply car (cons z '(2)))", "(apply (lambda (a . b) a) '())"]
)
def test_a_wrong_number_of_arguments_by_apply_is_an_error_of_the_run(call: str) -> None:
    """A call that the text could not have: it was there, and the residual text did not load."""
    source = cogen.loads(
        f"(define (main z) (let list ((i 3)) (if (< z 3) {call} (if (= i 0) z (list (- i 1))))))"
    )
    residual = cogen.loads(cogen.specialize(source, "main", cogen.dynamic("int")).scheme)
    for z in (1, 7):
        assert outcome_of(residual, "main", (z,)) == outcome_of(source, "main", (z,))
