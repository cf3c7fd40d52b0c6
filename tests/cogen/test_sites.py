"""--generalize on interpreters without `lift`: what grows is made dynamic where it is built."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang import il
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.mix.cases import load_case, path_of
from cogen.residual import ResidualProgram
from cogen.specializer.programs.liveness import Liveness
from cogen.specializer.specialize import specialize
from cogen.specializer.values.domain import Dynamic, PartialPair
from cogen.specializer.values.domain import Static as Known
from cogen.specializer.values.freeze import Frozen
from cogen.specializer.values.thaw import Thawed
from cogen.specializer.versions.graph import RawBlock, RawFunction
from cogen.specializer.versions.limits import MOST_SUPERFLUOUS, Endless, Limits
from cogen.specializer.versions.memo import ResidualBlock, VersionedProcedure
from cogen.specializer.versions.options import SpecializerOptions
from tests.cogen.textbook import blocks, call, operations, residual_of, text_of

PROCEDURES = """
(define (run e n) ((value e (lambda (x) (error "unbound" x))) n))
(define (extend env x v) (lambda (y) (if (eq? x y) v (env y))))
(define (value e env)
  (cond ((symbol? e) (env e))
        ((number? e) e)
        (else
         (case (car e)
           ((lambda) (lambda (v) (value (caddr e) (extend env (cadr e) v))))
           ((if) (value (if (= 0 (value (cadr e) env)) (caddr e) (cadddr e)) env))
           ((-) (- (value (cadr e) env) (value (caddr e) env)))
           ((*) (* (value (cadr e) env) (value (caddr e) env)))
           (else ((value (car e) env) (value (cadr e) env)))))))
"""

BY_NAME = """
(define (run e n) ((value e '()) (lambda () n)))
(define (value e env)
  (cond ((symbol? e) ((cdr (assq e env))))
        ((number? e) e)
        (else
         (case (car e)
           ((lambda) (lambda (v) (value (caddr e) (cons (cons (cadr e) v) env))))
           ((if) (value (if (= 0 (value (cadr e) env)) (caddr e) (cadddr e)) env))
           ((-) (- (value (cadr e) env) (value (caddr e) env)))
           ((*) (* (value (cadr e) env) (value (caddr e) env)))
           (else ((value (car e) env) (lambda () (value (cadr e) env))))))))
"""

CONTINUATIONS = """
(define (run e n) (value e '() (lambda (f) (f n (lambda (v) v)))))
(define (value e env k)
  (cond ((symbol? e) (k (cdr (assq e env))))
        ((number? e) (k e))
        (else
         (case (car e)
           ((lambda) (k (lambda (v k) (value (caddr e) (cons (cons (cadr e) v) env) k))))
           ((if) (value (cadr e) env
                        (lambda (c) (value (if (= 0 c) (caddr e) (cadddr e)) env k))))
           ((-) (value (cadr e) env
                       (lambda (a) (value (caddr e) env (lambda (b) (k (- a b)))))))
           ((*) (value (cadr e) env
                       (lambda (a) (value (caddr e) env (lambda (b) (k (* a b)))))))
           (else (value (car e) env
                        (lambda (f) (value (cadr e) env (lambda (a) (f a k))))))))))
"""

RECORDS = """
(define-record-type binding (bind name value) binding? (name name-of) (value value-of))
(define (look x env) (if (eq? x (name-of (car env))) (value-of (car env)) (look x (cdr env))))
(define (put x v env)
  (if (eq? x (name-of (car env))) (cons (bind x v) (cdr env)) (cons (car env) (put x v (cdr env)))))
(define (value e env)
  (cond ((symbol? e) (look e env))
        ((not (pair? e)) e)
        (else (let ((a (value (cadr e) env)) (b (value (caddr e) env)))
                (case (car e) ((-) (- a b)) ((*) (* a b)) (else (cons a b)))))))
(define (run loop n)
  (let go ((env (list (bind 'n n) (bind 'r 1) (bind 'l '()))))
    (if (= 0 (look 'n env))
        (cons (look 'r env) (look 'l env))
        (let all ((cs loop) (env env))
          (if (null? cs)
              (go env)
              (all (cdr cs) (put (caar cs) (value (cadar cs) env) env)))))))
"""

FACTORIAL = """
((lambda f ((lambda x (f (lambda v ((x x) v)))) (lambda x (f (lambda v ((x x) v))))))
 (lambda fact (lambda n (if n 1 (* n (fact (- n 1)))))))
"""

COLLECT = "((r (* r n)) (l (cons r l)) (n (- n 1)))"

FUNCTIONS = """
(define (run program input)
  (value (caddr (car program)) (list (cons (caadar program) input)) program))
(define (value e env program)
  (if (symbol? e)
      (cdr (assq e env))
      (case (car e)
        ((quote) (cadr e))
        ((if) (value (if (value (cadr e) env program) (caddr e) (cadddr e)) env program))
        ((call)
         (let ((f (assq (cadr e) program)))
           (value (caddr f) (map cons (cadr f) (values-of (cddr e) env program)) program)))
        (else
         (let ((vs (values-of (cdr e) env program)))
           (case (car e)
             ((null?) (null? (car vs)))
             ((car) (car (car vs)))
             ((cdr) (cdr (car vs)))
             ((cons) (cons (car vs) (cadr vs)))
             ((+) (+ (car vs) (cadr vs)))
             (else (error "no such operation" (car e)))))))))
(define (values-of es env program)
  (if (null? es)
      '()
      (cons (value (car es) env program) (values-of (cdr es) env program))))
"""

REVERSE = """
((main (l) (cons (call count l '0) (call reverse l '())))
 (count (l n) (if (null? l) n (call count (cdr l) (+ n '1))))
 (reverse (l r) (if (null? l) r (call reverse (cdr l) (cons (car l) r)))))
"""


class Case(NamedTuple):
    """An interpreter, a program for it, and inputs."""

    interpreter: str
    program: str
    inputs: tuple[str, ...]


NUMBERS = ("0", "1", "2", "7")

CASES = {
    "procedures": Case(PROCEDURES, FACTORIAL, NUMBERS),
    "by name": Case(BY_NAME, FACTORIAL, NUMBERS),
    "continuations": Case(CONTINUATIONS, FACTORIAL, NUMBERS),
    "records": Case(RECORDS, COLLECT, NUMBERS),
    "functions": Case(FUNCTIONS, REVERSE, ("()", "(3)", "(1 2 3 0 4)")),
}


def compiled(case: Case) -> ResidualProgram:
    return residual_of(case.interpreter, "run", f"(static {case.program})", "_", generalize=True)


def constants(residual: ResidualProgram) -> Iterator[object]:
    """The constants that are operands in a residual program."""
    for block in blocks(residual):
        for binding in block.bindings:
            if isinstance(binding, il.Let):
                yield from (a.value for a in binding.arguments if isinstance(a, il.Const))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_the_compiled_program_means_the_same(case: Case) -> None:
    residual = compiled(case)
    source = Interpreter(loads(case.interpreter))
    source.run()
    for text in case.inputs:
        arguments = [read_datum(case.program), read_datum(text)]
        assert write_datum(call(residual, text)) == write_datum(source.call("run", arguments))


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_nothing_is_left_of_the_interpretation(case: Case) -> None:
    residual = compiled(case)
    assert not {"eq?", "eqv?", "symbol?", "error"} & set(operations(residual))
    assert all(isinstance(datum, int) or datum == read_datum("()") for datum in constants(residual))


def test_values_become_procedures_and_environments_go() -> None:
    left = operations(compiled(CASES["continuations"]))
    assert dict(left) == {"=": 2, "-": 2, "*": 2, "if": 2, "call": 2}


def test_a_list_that_is_collected_becomes_a_variable_from_its_start_on() -> None:
    assert text_of(compiled(CASES["records"])).count("(cons ") == 2


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", ["by-name", "turing"])
def test_what_grows_is_seen_before_it_has_cost_much(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without `lift` these took half a minute."""
    seen: list[Limits] = []
    start = Limits.__init__

    def watched(self: Limits, options: SpecializerOptions) -> None:
        seen.append(self)
        start(self, options)

    monkeypatch.setattr(Limits, "__init__", watched)
    text = path_of(name).read_text().replace("(lift ", "(begin ")
    program = load_case(name).source
    made = specialize(loads(text), "run", [binding_times.Static(program), parse_bt("_")])
    assert len(made.program.items) < 12
    assert sum(limits.unfoldings for limits in seen) < 400_000


# -- limits ------------------------------------------------------------------------------------


def version(reached: bool) -> ResidualBlock:
    procedure = VersionedProcedure(RawFunction("f", [], "k", "", {}, "f", None))
    raw = RawBlock("b", [], None, "b", None)
    made = ResidualBlock(
        procedure, raw, ("if", 0), ([], {}, {}), lambda path, values: None, None, None, False
    )
    made.reached = reached
    return made


def test_versions_that_restarts_made_superfluous_do_not_count() -> None:
    limits = Limits(SpecializerOptions(max_variants=3))
    for _ in range(2):
        limits.count_variant(version(reached=True))
    for _ in range(3 * MOST_SUPERFLUOUS - 2):
        limits.count_variant(version(reached=False))
    with pytest.raises(Endless, match="more than 3 versions"):
        limits.count_variant(version(reached=False))


def test_versions_that_are_reached_count() -> None:
    limits = Limits(SpecializerOptions(max_variants=3))
    for _ in range(3):
        limits.count_variant(version(reached=True))
    with pytest.raises(Endless, match="more than 3 versions"):
        limits.count_variant(version(reached=True))


# -- what stands for a value -------------------------------------------------------------------


def test_a_variable_that_stands_for_a_value_can_become_another() -> None:
    """A pair and the variable that it has become, generalized to two: an internal error."""
    pair = PartialPair(Dynamic("x"), Known(1))
    lifted = {id(pair): (pair, il.Var("t"))}
    frozen = Frozen([("", Dynamic("t")), ("", pair)], {}, lifted, Liveness())
    (position,) = [n for n, token in enumerate(frozen.tokens) if token == ("=", 0)]
    names = {(leaf.name, leaf.offset): Dynamic(leaf.name) for leaf in frozen.leaves}
    copy = Thawed(frozen, names, {position: Dynamic("u")})
    assert [atom for _, atom in copy.lifted.values()] == [il.Var("u")]
    assert copy.roots[0][1].name == "t"


def test_what_ends_by_itself_is_not_generalized_early() -> None:
    """The derivatives of a regular expression grow for a while."""
    times = "(static (seq (star (or #\\a #\\b)) #\\a #\\b #\\b))", "_"
    plain, generalized = (
        residual_of("regex.scm", "match?", *times, generalize=generalize)
        for generalize in (False, True)
    )
    assert text_of(generalized) == text_of(plain)
