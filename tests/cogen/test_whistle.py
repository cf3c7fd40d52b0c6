"""--generalize: what grows is made dynamic wherever it is, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang.datum import Datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.mix.cases import load_case, path_of
from cogen.specializer.specialization import Specializer
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from tests.cogen.textbook import call, operations, residual_of, text_of

BRAINFUCK = r"""
(define (find-close s i depth)
  (let ((c (string-ref s i)))
    (cond ((char=? c #\[) (find-close s (+ i 1) (+ depth 1)))
          ((char=? c #\]) (if (= depth 1) i (find-close s (+ i 1) (- depth 1))))
          (else (find-close s (+ i 1) depth)))))
(define (run s input)
  (define tape (make-vector 9 0))
  (define out '())
  (define (add! p n) (vector-set! tape p (modulo (+ (vector-ref tape p) n) 256)))
  (define (exec i end p)
    (if (= i end)
        p
        (let ((next (+ i 1)))
          (case (string-ref s i)
            ((#\>) (exec next end (+ p 1)))
            ((#\<) (exec next end (- p 1)))
            ((#\+) (add! p 1) (exec next end p))
            ((#\-) (add! p -1) (exec next end p))
            ((#\.) (set! out (cons (vector-ref tape p) out)) (exec next end p))
            ((#\,) (if (null? input)
                       (vector-set! tape p 0)
                       (begin (vector-set! tape p (car input)) (set! input (cdr input))))
                   (exec next end p))
            (else
             (let ((close (find-close s i 0)))
               (let loop ((p p))
                 (if (= 0 (vector-ref tape p))
                     (exec (+ close 1) end p)
                     (loop (exec next close p))))))))))
  (exec 0 (string-length s) 0)
  (reverse out))
"""

WHILE = """
(define (look x env) (if (eq? x (caar env)) (cdar env) (look x (cdr env))))
(define (update x v env)
  (cond ((null? env) (list (cons x v)))
        ((eq? x (caar env)) (cons (cons x v) (cdr env)))
        (else (cons (car env) (update x v (cdr env))))))
(define (value e env)
  (cond ((symbol? e) (look e env))
        ((number? e) e)
        (else (let ((a (value (cadr e) env)) (b (value (caddr e) env)))
                (case (car e)
                  ((+) (+ a b)) ((-) (- a b)) ((*) (* a b)) ((<) (< a b)) (else (= a b)))))))
(define (do-all ss env) (if (null? ss) env (do-all (cdr ss) (do-one (car ss) env))))
(define (do-one s env)
  (case (car s)
    ((:=) (update (cadr s) (value (caddr s) env) env))
    ((begin) (do-all (cdr s) env))
    ((if) (do-one (if (value (cadr s) env) (caddr s) (cadddr s)) env))
    (else (let loop ((env env))
            (if (value (cadr s) env) (loop (do-one (caddr s) env)) env)))))
(define (run program n) (look 'r (do-one program (list (cons 'n n)))))
"""

LAMBDA = """
(define (empty x) (error "unbound" x))
(define (extend env x v) (lambda (y) (if (eq? x y) v (env y))))
(define (value e env)
  (cond ((symbol? e) (env e))
        ((number? e) e)
        (else
         (case (car e)
           ((lambda) (lambda (v) (value (caddr e) (extend env (cadr e) v))))
           ((if) (value (if (= 0 (value (cadr e) env)) (caddr e) (cadddr e)) env))
           ((fix) (letrec ((f (lambda (v)
                                (value (cadddr e)
                                       (extend (extend env (cadr e) f) (caddr e) v)))))
                    f))
           ((+) (+ (value (cadr e) env) (value (caddr e) env)))
           ((-) (- (value (cadr e) env) (value (caddr e) env)))
           (else ((value (car e) env) (value (cadr e) env)))))))
(define (run e n) ((value e empty) n))
"""

LISTS = """
(define (f env x) (if (= x 0) (length env) (+ 1 (f (cons x env) (- x 1)))))
(define (from n x) (if (= n x) '() (cons n (from (+ n 1) x))))
(define (tree d x) (if (= d x) 1 (+ (tree (+ d 1) x) (tree (+ d 1) x))))
(define (power x n) (if (= n 0) 1 (if (= x 0) 0 (* x (power x (- n 1))))))
(define (cells x)
  (let ((v (make-vector 2 0)) (l '()))
    (let loop ((i x))
      (if (= i 0)
          (list l (vector-ref v 0) (vector-ref v 1))
          (begin (vector-set! v 0 (cons i (vector-ref v 0)))
                 (set! l (cons 1 l))
                 (vector-set! v 1 (+ 1 (vector-ref v 1)))
                 (loop (- i 1)))))))
(define (store x)
  (let loop ((i x) (env (list (cons 'a 0) (cons 'b 10))))
    (if (= i 0)
        env
        (loop (- i 1) (list (cons 'a (+ 1 (cdar env))) (cons 'b (cdadr env)))))))
(define-record-type point (make-point x y) point? (x point-x) (y point-y))
(define (points x)
  (let loop ((i x) (p (make-point '() 7)))
    (if (= i 0)
        (list (point-x p) (point-y p))
        (loop (- i 1) (make-point (cons i (point-x p)) (point-y p))))))
(define (text n s x) (if (= n x) s (text (+ n 1) (string-append s "a") x)))
(define (k x acc) (if (= x 0) (acc 0) (k (- x 1) (lambda (r) (acc (+ r x))))))
(define (start x) (k x (lambda (r) r)))
(define (same x)
  (let loop ((i x) (l (list 0)) (m (list 0)))
    (if (= i 0) (eq? l m) (let ((n (cons i l))) (loop (- i 1) n n)))))
"""

SUM = "(begin (:= i 0) (:= r 0) (while (< i n) (begin (:= r (+ r (* i i))) (:= i (+ i 1)))))"

NESTED = """
(begin (:= i 0) (:= r 0)
       (while (< i n)
              (begin (:= j 0)
                     (while (< j i) (begin (:= r (+ r (* i j))) (:= j (+ j 1))))
                     (:= i (+ i 1)))))
"""

CONTINUATIONS = """
(lambda n (((fix f g (lambda x (if x (g 0) ((f (lambda y (g (+ y x)))) (- x 1)))))
            (lambda z z))
           n))
"""


class Case(NamedTuple):
    """A program, its entry with binding times of which one is unknown, and values for that."""

    program: str
    entry: str
    times: tuple[str, ...]
    inputs: tuple[str, ...]


TAPES = ("()", "(3)", "(1 2 3 0 4)")
NUMBERS = ("0", "1", "2", "9")

CASES = (
    Case(BRAINFUCK, "run", ('(static ",[.,]")', "_"), TAPES),
    Case(BRAINFUCK, "run", ('(static ",[->+.<]")', "_"), TAPES),
    Case(BRAINFUCK, "run", ('(static ",>,[<[.-]>,.]")', "_"), ("(0 1)", "(3 1)", "(2 2 2 1)")),
    Case(WHILE, "run", (f"(static {SUM})", "(dynamic int)"), NUMBERS),
    Case(WHILE, "run", (f"(static {NESTED})", "(dynamic int)"), NUMBERS),
    Case(LAMBDA, "run", (f"(static {CONTINUATIONS})", "(dynamic int)"), NUMBERS),
    Case(LISTS, "f", ("(static ())", "(dynamic int)"), NUMBERS),
    Case(LISTS, "from", ("(static 0)", "(dynamic int)"), (*NUMBERS, "30")),
    Case(LISTS, "tree", ("(static 0)", "(dynamic int)"), ("0", "1", "6")),
    Case(LISTS, "power", ("(dynamic int)", "(static 5)"), NUMBERS),
    Case(LISTS, "text", ("(static 0)", '(static "")', "(dynamic int)"), NUMBERS),
    Case(LISTS, "cells", ("(dynamic int)",), NUMBERS),
    Case(LISTS, "store", ("(dynamic int)",), NUMBERS),
    Case(LISTS, "points", ("(dynamic int)",), NUMBERS),
    Case(LISTS, "start", ("(dynamic int)",), NUMBERS),
    Case(LISTS, "same", ("(dynamic int)",), NUMBERS),
)


def rows(case: Case) -> Iterator[tuple[Datum, list[Datum]]]:
    """For each input, it and all arguments of the source program."""
    times = [parse_bt(time) for time in case.times]
    for text in case.inputs:
        value = read_datum(text)
        yield (
            value,
            [time.value if isinstance(time, binding_times.Static) else value for time in times],
        )


@pytest.mark.one_in(3)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.entry} {case.times[0][8:24]}")
def test_what_is_generalized_means_the_same(case: Case) -> None:
    residual = residual_of(case.program, case.entry, *case.times, generalize=True)
    source = Interpreter(loads(case.program))
    source.run()
    for value, arguments in rows(case):
        wanted = write_datum(source.call(case.entry, arguments))
        assert write_datum(call(residual, value)) == wanted


def test_the_values_of_an_environment_become_variables_and_its_names_go() -> None:
    residual = residual_of(WHILE, "run", f"(static {SUM})", "(dynamic int)", generalize=True)
    assert text_of(residual) == (
        "(define (run n) (let loop-1 ((x 0) (x-1 0)) "
        "(if (< x n) (let ((t-1 (+ x-1 (* x x)))) (loop-1 (+ x 1) t-1)) x-1)))"
    )


def test_what_a_captured_variable_collects_is_dynamic() -> None:
    residual = residual_of(BRAINFUCK, "run", '(static ",[.,]")', "_", generalize=True)
    left = set(operations(residual))
    assert left & {"eqv?", "string-ref", "vector-ref", "vector-set!"} == set()


def test_continuations_in_environments_become_procedures() -> None:
    times = f"(static {CONTINUATIONS})", "(dynamic int)"
    residual = residual_of(LAMBDA, "run", *times, generalize=True)
    assert dict(operations(residual)) == {"=": 1, "-": 1, "+": 1, "if": 1, "call": 2}


def test_parts_of_lists_that_do_not_change_stay_known() -> None:
    residual = residual_of(LISTS, "store", "(dynamic int)", generalize=True)
    assert text_of(residual) == (
        "(define (store x) (let loop-1 ((i x) (x-1 0)) "
        "(if (= i 0) (cons (cons 'a x-1) '((b . 10))) (loop-1 (- i 1) (+ x-1 1)))))"
    )


def test_a_recursion_that_grows_is_not_unrolled_before() -> None:
    residual = residual_of(LISTS, "from", "(static 0)", "(dynamic int)", generalize=True)
    assert operations(residual)["cons"] == 2


def test_what_counts_down_to_a_known_end_stays_unfolded() -> None:
    residual = residual_of(LISTS, "power", "(dynamic int)", "(static 5)", generalize=True)
    assert operations(residual)["*"] >= 4
    assert "power-1" not in text_of(residual)


@pytest.mark.sources
def test_where_it_leads_nowhere_whole_variables_are_made_dynamic(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen: list[bool] = []
    run = Specializer.run

    def watched(self: Specializer, *arguments: object) -> object:
        seen.append(self.parts.sites.enabled)
        return run(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Specializer, "run", watched)
    monkeypatch.setattr("cogen.specializer.specialization.MOST_RESTARTS", 0)
    bts = [parse_bt("(static 0)"), parse_bt("(dynamic int)")]
    residual = specialize(loads(LISTS), "from", bts, SpecializerOptions(generalize=True))
    assert seen == [True, False]
    assert write_datum(call(residual, 3)) == "(0 1 2)"


def test_what_a_captured_variable_collects_needs_no_flag() -> None:
    residual = residual_of(BRAINFUCK, "run", '(static ",[.,]")', "_")
    assert write_datum(call(residual, read_datum("(3 1 0)"))) == "(3 1)"


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("name", "what"), [("mp", "env grows"), ("turing", "right grows")])
def test_what_grows_is_named(name: str, what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """... where making it dynamic leads nowhere: it is to be lifted where it was before."""
    for attempt in ("advised", "_shared", "_with_more_effort", "generalized"):
        monkeypatch.setattr(
            f"cogen.specializer.specialize.SpecializationTask.{attempt}", lambda *_: None
        )
    program = path_of(name).read_text().replace("(lift (", "(begin (")
    known = [binding_times.Static(load_case(name).source), parse_bt("_")]
    with pytest.raises(CogenError, match=f"does not seem to end: {what} from version") as caught:
        specialize(loads(program, f"{name}.scm"), "run", known[: len(load_case(name).data) + 1])
    error = caught.value
    assert error.span is not None
    assert program[: error.span.start].endswith("(begin ")
    assert (error.hint or "").startswith("write (lift ")


def test_the_hint_names_what_has_not_been_tried() -> None:
    text = "(define (f x keys) (if (pair? keys) (or (eq? x (car keys)) (f x (cdr keys))) #f))"
    for generalize in (False, True):
        with pytest.raises(CogenError, match="does not seem to end") as caught:
            residual_of(text, "f", "_", "(static (a b c))", generalize=generalize, max_variants=2)
        assert "write (lift …) around it" in (caught.value.hint or "")
        assert "--max-variants" in (caught.value.hint or "")
        assert "--generalize" not in (caught.value.hint or "")
