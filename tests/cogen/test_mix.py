"""The specializer in the language: what its residual programs are, and its laws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given, settings

from cogen.mix import show, subset
from cogen.mix.anonymous import anonymous
from cogen.mix.futamura import compile_with, generator
from cogen.mix.operations import PRIMITIVES
from cogen.mix.system import HERE, MIX, Program
from lang.datum import Datum, Pair, Symbol, iterate
from lang.errors import CogenError, LimitationError
from lang.interp import Interpreter
from lang.load import loads
from lang.primtable.data import equal
from lang.printer import write_datum
from lang.reader import read_datum
from tests.cogen.smallprograms import SmallProgram, small_programs


def datum(text: str) -> Datum:
    return read_datum(text, "a test")


def residual(text: str, entry: str, division: str, *known: str) -> str:
    annotated = Program.loads(text).annotate(entry, division)
    return annotated.specialize([datum(item) for item in known]).text


def small(text: str) -> str:
    """A program in the small language, as text."""
    return write_datum(subset.loads(text))


POWER = "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"


def test_a_known_exponent_is_unfolded() -> None:
    assert residual(POWER, "power", "ds", "3") == (
        "(define (power x.1) (* x.1 (* x.1 (* x.1 1))))\n"
    )


def test_an_unknown_exponent_leaves_a_loop_for_a_known_base() -> None:
    assert residual(POWER, "power", "sd", "2") == (
        "(define (power n.1) (power-1 n.1))\n\n"
        "(define (power-1 n.1) (if (= n.1 0) 1 (* 2 (power-1 (- n.1 1)))))\n"
    )


def test_ackermann_has_a_version_for_each_known_argument() -> None:
    text = """(define (ack m n)
      (cond ((= m 0) (+ n 1)) ((= n 0) (ack (- m 1) 1)) (else (ack (- m 1) (ack m (- n 1))))))"""
    made = Program.loads(text).annotate("ack", "sd").specialize([2])
    assert sum(1 for _ in iterate(made.definitions)) == 3
    assert [made.run("ack", [n]) for n in range(4)] == [3, 5, 7, 9]


def test_a_list_with_known_length_is_taken_apart() -> None:
    text = """(define (scale factors x) (sum (products factors x)))
      (define (products factors x)
        (if (null? factors) '() (cons (* (car factors) x) (products (cdr factors) x))))
      (define (sum items) (if (null? items) 0 (+ (car items) (sum (cdr items)))))"""
    assert residual(text, "scale", "sd", "(2 3)") == (
        "(define (scale x.1) (+ (* 2 x.1) (+ (* 3 x.1) 0)))\n"
    )


def test_known_procedures_leave_nothing() -> None:
    text = """(define (adders ns x) ((compose ns) x))
      (define (compose ns)
        (if (null? ns) (lambda (y) y)
            (let ((f (compose (cdr ns))) (n (car ns))) (lambda (y) (+ n (f y))))))"""
    assert residual(text, "adders", "sd", "(1 2)") == "(define (adders x.1) (+ 1 (+ 2 x.1)))\n"


def test_a_procedure_that_is_not_known_is_called() -> None:
    text = "(define (twice f x n) (if (= n 0) x (f (twice f x (- n 1)))))"
    made = Program.loads(text).annotate("twice", "dds").specialize([2])
    assert made.text == "(define (twice f.1 x.2) (f.1 (f.1 x.2)))\n"


def test_a_lambda_that_becomes_data_stays() -> None:
    assert residual("(define (adder n) (list (lambda (x) (+ x n))))", "adder", "s", "5") == (
        "(define (adder) (cons (lambda (x.1) (+ x.1 5)) '()))\n"
    )


def test_code_is_not_duplicated() -> None:
    text = "(define (f x) (g (* x x))) (define (g y) (+ y (+ y y)))"
    assert residual(text, "f", "d") == (
        "(define (f x.1) (let ((y.2 (* x.1 x.1))) (+ y.2 (+ y.2 y.2))))\n"
    )


def test_what_may_fail_is_not_dropped() -> None:
    made = Program.loads("(define (f x) (let ((y (car x))) 5))").annotate("f", "d").specialize([])
    assert made.text == "(define (f x.1) (let ((y.2 (car x.1))) 5))\n"


def test_what_cannot_fail_is_dropped_when_unused() -> None:
    assert residual("(define (f x) (let ((y (cons x x))) 5))", "f", "d") == "(define (f x.1) 5)\n"


def test_an_error_under_an_unknown_conditional_stays() -> None:
    text = '(define (f x n) (if (= x n) (error "equal:" x) (+ x 1)))'
    assert residual(text, "f", "ds", "3") == (
        '(define (f x.1) (if (= x.1 3) (error "equal:" x.1) (+ x.1 1)))\n'
    )


def test_an_error_in_a_known_part_ends_specialization() -> None:
    with pytest.raises(CogenError, match="specialising `f`: car: expected a pair") as caught:
        residual("(define (f x y) (+ (car x) y))", "f", "sd", "()")
    assert caught.value.hint is not None


def test_data_that_grow_for_ever_are_reported() -> None:
    text = "(define (f n x) (if (= x 0) n (f (+ n 1) (- x 1))))"
    annotated = Program.loads(text).annotate("f", "sd")
    with pytest.raises(CogenError, match="too many versions of f"):
        annotated.specialize([0], limit=50)


def test_lift_keeps_data_for_later() -> None:
    text = "(define (f x) (g (lift 0) x)) (define (g n x) (if (= x 0) n (g (+ n 1) (- x 1))))"
    made = Program.loads(text).annotate("f", "d").specialize([])
    assert made.run("f", [7]) == 7


def test_variables_have_names_of_their_own() -> None:
    text = "(define (f list) (let ((car (cdr list))) (cons (+ 1 car) (cons car '()))))"
    made = Program.loads(text).annotate("f", "d").specialize([])
    assert write_datum(made.run("f", [Pair(1, 2)])) == "(3 2)"


TRICKY = {
    "a procedure or nothing": """
        (define (main s x)
          (let ((k (if (= s 0) #f (lambda (y) (+ y x))))) (if k (k 1) (procedure? k))))""",
    "known data where parts are not known elsewhere": """
        (define (main s x)
          (let ((l (if (= s 0) '(1 2) (list x s)))) (list (car l) (cadr l) (pair? (cddr l)))))""",
    "bindings around a known procedure": """
        (define (make s x) (if (= s 0) (lambda (y) y) (let ((z (* x x))) (lambda (y) (+ y z)))))
        (define (main s x) (+ ((make s x) 1) ((make (- s 1) (+ x 1)) 2)))""",
    "a procedure that makes known procedures, called in one": """
        (define (main s x)
          (let ((twice (lambda (f) (lambda (y) (f (f y))))))
            (((twice twice) (lambda (y) (+ y (* x s)))) s)))""",
    "a pair made after a computation, taken apart": """
        (define (halves x) (let ((q (quotient x 2))) (cons q (- x q))))
        (define (main s x) (let ((h (halves (+ s x)))) (- (car h) (* 2 (cdr h)))))""",
    "nested calls with bindings": """
        (define (wrap x) (let ((y (+ x 1))) (list y y)))
        (define (both a b) (list (car a) (cadr b)))
        (define (main s x) (cadr (both (wrap (* x 2)) (wrap (car (both (wrap s) (wrap x)))))))""",
    "environment": """
        (define (bind ns s x)
          (if (null? ns) '() (cons (cons (car ns) (+ x s)) (bind (cdr ns) s (* x 2)))))
        (define (main s x) (cdr (assq 'b (bind '(a b c) s x))))""",
    "a closure in a pair": """
        (define (main s x)
          (let ((object (cons (lambda (y) (+ x y)) (lambda () s))))
            ((car object) (+ ((cdr object)) ((car object) 1)))))""",
    "different numbers of parameters": """
        (define (main s x)
          (let ((f (if (= s 0) (lambda (a) a) (lambda (a b) (+ a b)))))
            (if (= s 0) (f x) (f x 1))))""",
    "an unknown test between closures with free variables": """
        (define (main s x)
          (let ((f (if (< x 5) (lambda (a) (+ a s)) (lambda (a) (* a x))))) (list (f 1) (f s))))""",
    "a loop over a closure": """
        (define (main s x)
          (let loop ((n s) (k (lambda (v) v)))
            (if (= n 0) (k x) (loop (- n 1) (lift (lambda (v) (k (+ v n))))))))""",
    "known lists of unknown things in a loop": """
        (define (main s x)
          (let loop ((n x) (pair (cons s x)))
            (if (= n 0) (+ (car pair) (cdr pair)) (loop (- n 1) (cons (cdr pair) (car pair))))))""",
    "constants of all kinds": """
        (define (main s x) (list 'a "text" #\\c 1.5 #t '() '#(1 2) '(1 . 2) (if #f #f) s x))""",
}
"""Programs of s and x, both integers from 0 on, for every division."""


@pytest.mark.parametrize("division", ["ss", "sd", "ds", "dd"])
@pytest.mark.parametrize("name", TRICKY)
def test_tricky_programs(name: str, division: str) -> None:
    original = Interpreter(loads(TRICKY[name]))
    original.run()
    annotated = Program.loads(TRICKY[name]).annotate("main", division)
    compiler = generator().compiler_by_cogen(annotated)
    for arguments in [(0, 3), (2, 0), (3, 7)]:
        pairs = list(zip(division, arguments, strict=True))
        known = [value for letter, value in pairs if letter == "s"]
        made = annotated.specialize(known)
        answer = made.run("main", [value for letter, value in pairs if letter == "d"])
        assert equal(answer, original.call("main", arguments))
        assert compile_with(compiler, annotated, known).text == made.text


@given(small_programs())
def test_residual_programs_mean_the_same(program: SmallProgram) -> None:
    """mix(p, s)(d) = p(s, d) for random programs and divisions."""
    original = Interpreter(loads(program.text))
    original.run()
    annotated = Program.loads(program.text).annotate("main", program.division)
    for arguments in program.arguments:
        pairs = list(zip(program.division, arguments, strict=True))
        made = annotated.specialize([value for letter, value in pairs if letter == "s"])
        answer = made.run("main", [value for letter, value in pairs if letter == "d"])
        assert equal(answer, original.call("main", arguments))


@given(small_programs())
def test_the_small_language_means_the_same(program: SmallProgram) -> None:
    """The text of a converted program does what the program does."""
    original = Interpreter(loads(program.text))
    original.run()
    converted = Program.loads(program.text)
    again = Program.loads(converted.text)
    for arguments in program.arguments:
        answer = original.call("main", arguments)
        assert equal(converted.run("main", arguments), answer)
        assert equal(again.run("main", arguments), answer)


@settings(max_examples=max(3, settings().max_examples // 16))
@given(small_programs())
def test_compilers_of_random_programs_make_the_same(program: SmallProgram) -> None:
    """mix(mix, p)(s) = mix(p, s) as text, for random programs and divisions."""
    annotated = Program.loads(program.text).annotate("main", program.division)
    compiler = generator().compiler_by_mix(annotated)
    for arguments in program.arguments:
        pairs = zip(program.division, arguments, strict=True)
        known = [value for letter, value in pairs if letter == "s"]
        made = compile_with(compiler, annotated, known)
        assert made.text == annotated.specialize(known).text
    assert generator().compiler_by_cogen(annotated).text == compiler.text


def test_programs_may_define_names_of_operations() -> None:
    text = """(define (append a b) (if (null? a) b (cons (car a) (append (cdr a) b))))
      (define (cons* car cdr) (cons car (append cdr '(1))))"""
    program = Program.loads(text)
    assert write_datum(program.run("append", [datum("(1 2)"), datum("(3)")])) == "(1 2 3)"
    assert write_datum(program.run("cons*", [0, datum("(3)")])) == "(0 3 1)"
    made = program.annotate("append", "sd").specialize([datum("(1 2)")])
    assert made.text == "(define (append% b.1) (cons 1 (cons 2 b.1)))\n"
    assert write_datum(made.run("append", [datum("(3)")])) == "(1 2 3)"


def test_every_operation_is_known_to_the_specializer() -> None:
    source = (HERE / "operations.scm").read_text(encoding="utf-8")
    known = re.findall(r"\(eq\? op '([^)]*)\)", source)
    assert sorted(known) == sorted(PRIMITIVES)


@pytest.mark.parametrize(
    "call",
    [
        *("(append '(1) '(2))", "(list-tail '(1 2 3) 1)", '(substring "abcd" 1 3)', "(/ 6 3)"),
        *('(string->number "12")', "(integer->char 65)", '(assoc "b" \'(("b" . 1)))'),
        *("(expt 2 10)", "(procedure? car)", "(modulo -7 3)", '(string<? "a" "b")'),
    ],
)
def test_known_operations_are_done(call: str) -> None:
    made = Program.loads(f"(define (f x) (cons {call} x))").annotate("f", "d").specialize([])
    interpreter = Interpreter(loads(f"(define (f x) (cons {call} x))"))
    interpreter.run()
    assert equal(made.run("f", [5]), interpreter.call("f", [5]))
    assert re.match(r"\(define \(f x\.1\) \(cons (?!\(\w)", made.text)


def test_the_specializer_is_in_its_own_subset() -> None:
    mix = Program.load(MIX)
    assert mix.parameters("mix") == tuple(
        item for item in mix.parameters("mix") or () if isinstance(item, Symbol)
    )
    assert mix.annotate("mix", "sssd").division == "sssd"


# The subset


def test_a_named_let_becomes_a_procedure() -> None:
    assert small("(define (f n k) (let loop ((i n)) (if (= i k) i (loop (- i 1)))))") == (
        "((f (n k) (call loop (var k) (var n))) "
        "(loop (k%2 i) (if (prim = (var i) (var k%2)) (var i) "
        "(call loop (var k%2) (prim - (var i) '1)))))"
    )


def test_mutual_recursion_shares_free_variables() -> None:
    text = """(define (f n k)
      (define (even n) (if (= n k) #t (odd (- n 1))))
      (define (odd n) (if (= n k) #f (even (- n 1))))
      (list (even n) (odd n)))"""
    program = Program.loads(text)
    assert write_datum(program.run("f", [7, 1])) == "(#t #f)"


def test_a_local_procedure_as_a_value() -> None:
    text = "(define (f n l) (define (add x) (if (= x 0) n (+ x n))) (map add l))"
    assert write_datum(Program.loads(text).run("f", [5, datum("(0 1 2)")])) == "(5 6 7)"


def test_operations_of_many_arguments() -> None:
    text = "(define (f a b c) (list (+ a b c) (+) (+ a) (- a) (< a b c) (append '(1) '(2) '(3))))"
    assert write_datum(Program.loads(text).run("f", [1, 2, 3])) == "(6 0 1 -1 #t (1 2 3))"


def test_libraries_procedures_are_copied_for_each_call() -> None:
    text = "(define (f a b) (cons (map car a) (map cdr b)))"
    names = [item.car.name for item in iterate(subset.loads(text))]
    assert len(names) == 3
    assert len(set(names)) == 3


REFUSED = {
    "assignment": ("(define (f x)\n  (set! x 1) x)", 2, 3, "assignment"),
    "continuation": ("(define (f x)\n  (call/cc x))", 2, 3, "`call/cc`"),
    "output": ("(define (f x)\n  (+ 1 (display x)))", 2, 8, "`display`"),
    "vectors": ("(define (f x)\n  (vector-ref x 0))", 2, 3, "`vector-ref`"),
    "rest": ("(define (f x)\n  (lambda y y))", 2, 3, "a rest parameter"),
    "top level": ("(define (f x) x)\n (f 1)", 2, 2, "an expression at the top level"),
    "twice": ("(define (f x) x)\n(define (f y) y)", 1, 1, "assignment, or a second definition,"),
    "library": ("(define (f x)\n  (vector-map car x))", 2, 3, "`vector-map`"),
    "value": ("(define (f x)\n  (map display x))", 2, 8, "`display` as a value"),
    "early": (
        "(define (f x)\n  (define a (g 1))\n  (define b 2)\n  (define (g y) (+ b y))\n  a)",
        2,
        13,
        "the use of `b` before its definition",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_outside_the_subset_is_refused_at_its_place(name: str) -> None:
    text, line, column, what = REFUSED[name]
    with pytest.raises(LimitationError) as caught:
        subset.loads(text)
    span = caught.value.span
    assert span is not None
    assert (span.line, span.column) == (line, column)
    assert (
        caught.value.message == f"{what} is outside the subset of the specializer in the language"
    )


def test_show_writes_what_can_be_loaded_again() -> None:
    text = """(define (f x)
      (let ((a (car x)) (b "two\\n"))
        (if (if #f #f) (cond ((null? a) 'sym) ((pair? a) '(1 . 2)) (else #\\a)) (lift b))))"""
    program = subset.loads(text)
    assert show.show(subset.loads(show.show(program))) == show.show(program)


def test_anonymous_forgets_names_and_what_is_not_called() -> None:
    one = subset.loads("(define (f x) (g x 1)) (define (g y z) (+ y z)) (define (h) 1)")
    two = subset.loads("(define (a b) (d b 1)) (define (c) 2) (define (d e f) (+ e f))")
    assert write_datum(anonymous(one)) == write_datum(anonymous(two))
    assert write_datum(anonymous(one)) == (
        "((f0 (x0) (call f1 (var x0) '1)) (f1 (x0 x1) (prim + (var x0) (var x1))))"
    )


def test_a_division_must_fit() -> None:
    with pytest.raises(CogenError, match="has 2 parameters"):
        Program.loads(POWER).annotate("power", "s")
    with pytest.raises(CogenError, match="does not define"):
        Program.loads(POWER).annotate("powr", "s")


def test_deep_programs_are_taken(tmp_path: Path) -> None:
    deep = tmp_path / "deep.scm"
    deep.write_text("(define (f x) " + "(+ 1 " * 3000 + "x" + ")" * 3000 + ")")
    made = Program.load(deep).annotate("f", "d").specialize([])
    assert made.run("f", [1]) == 3001
