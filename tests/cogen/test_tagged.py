"""Procedures of interpreted programs that are lists or vectors, in boxes
(`advice.tagged`)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang.datum import Datum, from_iterable
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.specializer.advice.advise import Advice
from cogen.specializer.advice.advisedprogram import CODE
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.rules import opening
from cogen.specializer.values.domain import Ref
from cogen.specializer.versions.effort import TooMuch
from tests.cogen.test_families import left, result
from tests.corpus.cases import interpreter

UNTAGGED = ["closures-untagged", "closures-pair", "closures-selectors"]
NAMES = ["closures-list", "closures-vector", "closures-record", *UNTAGGED]
KINDS = pytest.mark.parametrize("name", NAMES)
MAKE = "(define make (lambda (n) (if (= n 0) '() (cons (lambda (x) BODY) (make (- n 1))))))"
GO = "(define go (lambda (fs x) (if (null? fs) x (go (cdr fs) ((car fs) x)))))"


def program(*definitions: str) -> Datum:
    return read_datum(f"({' '.join(definitions)})")


def made(name: str, static: Datum) -> cogen.Residual:
    return cogen.specialize(
        interpreter(name).loaded, "run", binding_times.Static(static), parse_bt("_")
    )


def outcome(run: Callable[[], Datum]) -> str:
    """What a run gives, or tells."""
    try:
        return write_datum(run())
    except cogen.CogenError as error:
        return error.message


def agrees(name: str, static: Datum, *inputs: Datum) -> str:
    """The text of the residual program, which gives what the interpreter gives."""
    found = made(name, static)
    source = interpreter(name).loaded
    for one in inputs:
        wanted = outcome(lambda one=one: result(source, "run", static, one))
        assert outcome(lambda one=one: left(found, one)) == wanted
    return found.scheme


@st.composite
def bodies(draw: st.DrawFn, depth: int = 2) -> str:
    """Expressions over n and x; a procedure that is called at once, or chosen, is among them."""
    if depth == 0:
        return draw(st.sampled_from(["n", "x", "1", "-2"]))
    inner = bodies(depth=depth - 1)
    forms = ["(+ {} {})", "(* {} {})", "(if (< {} {}) {} {})", "((lambda (y) (+ y {})) {})"]
    chosen = "((if (< {} {}) (lambda (x) {}) (lambda (n) {})) {})"
    form = draw(st.sampled_from([*forms, chosen]))
    return form.format(*[draw(inner) for _ in range(form.count("{}"))])


@pytest.mark.one_in(2)
@KINDS
@given(bodies())
@settings(max_examples=max(2, settings().max_examples // 16), deadline=None)
def test_procedures_in_lists_give_what_they_gave(name: str, body: str) -> None:
    main = "(define main (lambda (n) (go (make n) 1)))"
    text = agrees(name, program(MAKE.replace("BODY", body), GO, main), 0, 1, 3)
    assert "assq" not in text


@pytest.mark.parametrize(
    "main",
    [
        "(go (cons n (make 2)) 1)",  # what is called may be given from outside
        "((car n) 3)",
        "(car (car (make 2)))",  # looked at as what it is
        "(eq? (car (make 2)) (car (make 1)))",
        "((lambda (f) (if (eq? f (car (make n))) 1 (f 2))) (car (make 1)))",
        "(make n)",  # given to the caller
        "(car (make n))",
        "((car (cons n '())) n)",
    ],
)
@pytest.mark.one_in(10)
@pytest.mark.parametrize("name", ["closures-list", "closures-vector", *UNTAGGED])
def test_what_looks_at_procedures_sees_lists_and_vectors(name: str, main: str) -> None:
    """Also where the program is given one that was written by hand."""
    static = program(MAKE.replace("BODY", "(+ x n)"), GO, f"(define main (lambda (n) {main}))")
    forged: Datum = read_datum("(closure (x) (* x 7) ())")
    if name == "closures-vector":
        forged = list(cogen.lang.datum.iterate(forged))
    elif name in UNTAGGED:
        forged = read_datum("((lambda (x) (* x 7)))" if name[9] == "p" else "((x) (* x 7) ())")
    agrees(name, static, 2, forged, from_iterable([forged]), read_datum("#f"))


@pytest.mark.parametrize("name", [*NAMES, "scheme-metacircular"])
def test_there_is_advice(name: str) -> None:
    one = interpreter(name)
    steps = Advice(one.loaded, one.entry, one.cases[0].times).steps
    assert [step.of for step in steps][:1] == [CODE]
    assert steps[0].opens


def test_vectors_that_the_program_changes_are_as_they_were() -> None:
    """The body of a procedure is another one after its first call."""
    text = interpreter("closures-vector").path.read_text(encoding="utf-8")
    text = text.replace("(app (ev (car e) env globals)", "(app (change (ev (car e) env globals))")
    text += """(define (change f)
                 (if (eq? (car (vector-ref f 1)) 'x)
                     (vector-set! f 2 (list '+ 1 (vector-ref f 2)))
                     #f)
                 f)"""
    static = program(
        MAKE.replace("BODY", "(+ x n)"), GO, "(define main (lambda (n) (go (make n) 1)))"
    )
    source = cogen.loads(text)
    found = cogen.specialize(source, "run", binding_times.Static(static), parse_bt("_"))
    assert left(found, 3) == result(source, "run", static, 3)


CHANGED = (
    "(define make (lambda (n) (if (= n 0) '() (cons (lambda (x) (+ x k)) (make (- n 1))))))",
    "(define k 5)",
    """(define main (lambda (n) (go (make n) 1)))""",
)
GOING = """(define go (lambda (fs x) (if (null? fs) x
  (begin (define-global k (+ k CHANGE)) (go (cdr fs) ((car fs) x))))))"""
GLOBAL = """
((tagged-list? exp 'define-global)
 (define-variable! (cadr exp) (m-eval (caddr exp) env) (last-frame env)))"""


@pytest.mark.one_in(3)
@pytest.mark.parametrize("change", ["1", "x", "(car (cons 2 (make 2)))"])
def test_frames_that_are_changed_while_the_program_runs_are_as_they_were(change: str) -> None:
    """What was taken for never assigned again, in boxes, is assigned after all."""
    text = interpreter("scheme-metacircular").path.read_text(encoding="utf-8")
    text = text.replace("((tagged-list? exp 'if)", f"{GLOBAL} ((tagged-list? exp 'if)")
    text += "(define (last-frame env) (if (null? (cdr env)) env (last-frame (cdr env))))"
    static = program(*CHANGED, GOING.replace("CHANGE", change))
    source = cogen.loads(text)
    found = cogen.specialize(source, "run", binding_times.Static(static), parse_bt("_"))
    for n in (0, 1, 3):
        assert left(found, n) == result(source, "run", static, n)


SAME = """
((tagged-list? exp 'same-frame?)
 (let ((one (cadddr (evaluate (cadr exp) env))) (other (cadddr (evaluate (caddr exp) env))))
   (if (eq? (car one) (car other)) 1 0)))"""
PICK = "(define (pick) (lambda (x) x)) (define (both f) (cons f (cons f '())))"


RUN = "(define (main n) (+ BODY (go (make n) 0)))"


@pytest.mark.parametrize(
    ("body", "main"),
    [
        ("(same-frame? make go)", RUN),
        pytest.param(
            "(same-frame? go (car (make (+ n 1))))",
            "(define (main n) BODY)",
            marks=pytest.mark.long,
        ),
        ("(same-frame? (pick) (pick))", RUN),  # alike, and two
        ("(same-frame? (car (both (pick))) (car (cdr (both (pick)))))", RUN),
        ("(let ((f (if (< n 1) (pick) go))) (same-frame? f (pick)))", "(define (main n) BODY)"),
    ],
)
def test_frames_are_told_apart(body: str, main: str) -> None:
    """Procedures of one environment, of two that are alike, and of others, in lists or not."""
    text = interpreter("sicp").path.read_text(encoding="utf-8")
    text = text.replace("((tagged-list? exp 'if)", f"{SAME} ((tagged-list? exp 'if)")
    static = program(MAKE.replace("BODY", "(+ x n)"), GO, PICK, main.replace("BODY", body))
    source = cogen.loads(text)
    found = cogen.specialize(source, "run", binding_times.Static(static), parse_bt("_"))
    for n in (0, 2):
        assert left(found, n) == result(source, "run", static, n)


@pytest.mark.parametrize("op", ["eq?", "eqv?", "early="])
@pytest.mark.parametrize("numbers", [(1, 1), (1, 2), (2, 1)])
def test_objects_in_boxes_are_not_compared(op: str, numbers: tuple[int, int]) -> None:
    """One of them stands for all that are like it, so even two of one number may be two."""
    path: Any = SimpleNamespace(context=SimpleNamespace(held={1}))
    first, second = map(Ref, numbers)
    with pytest.raises(TooMuch):
        opening(op)(path, (first, second), OperationSite(None, ""))


@pytest.mark.slow
def test_what_comes_to_nothing_without_boxes_is_told() -> None:
    """No attempt ends, each for another reason; a limit is met by the last one."""
    text = interpreter("sicp").path.read_text(encoding="utf-8")
    text = text.replace("((tagged-list? exp 'if)", f"{SAME} ((tagged-list? exp 'if)")
    body = "(let ((f (pick))) (same-frame? (car (both f)) (car (cdr (both f)))))"
    static = program(MAKE.replace("BODY", "(+ x n)"), GO, PICK, RUN.replace("BODY", body))
    with pytest.raises(cogen.CogenError):
        cogen.specialize(
            cogen.loads(text),
            "run",
            binding_times.Static(static),
            parse_bt("_"),
            max_unfoldings=500,
        )
