"""The specializer in the language: what its residual programs are, and its laws."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path

import pytest
from hypothesis import given, settings

from cogen.lang.datum import Datum, Pair, Symbol, from_iterable, iterate, symbol
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.expand import expand
from cogen.lang.files import read_source
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.primtable.equivalence import equal
from cogen.lang.printer import write_datum
from cogen.lang.reader import read_datum
from cogen.mix import show, subset
from cogen.mix.anonymous import anonymous
from cogen.mix.futamura import compile_with, compile_with_any, generator
from cogen.mix.operations import PRIMITIVES
from cogen.mix.system import HERE, MIX, MixProgram, phase
from tests.cogen.imperativeprograms import imperative_programs
from tests.cogen.smallprograms import SmallProgram, small_programs


def datum(text: str) -> Datum:
    return read_datum(text, "a test")


def residual(text: str, entry: str, division: str, *known: str) -> str:
    annotated = MixProgram.loads(text).annotate(entry, division)
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
    made = MixProgram.loads(text).annotate("ack", "sd").specialize([2])
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
    made = MixProgram.loads(text).annotate("twice", "dds").specialize([2])
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
    made = (
        MixProgram.loads("(define (f x) (let ((y (car x))) 5))").annotate("f", "d").specialize([])
    )
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


GROWING = {
    "a number that a known test looks at": """
        (define (f n x) (if (= n 10) 'ten (if (= x 0) n (f (+ n 2) (- x 1)))))""",
    "a place in known data": """
        (define (f n x)
          (if (= x 0)
              (if (< n 3) (vector-ref '#(a b c) n) 'none)
              (f (+ n 1) (- x 1))))""",
    "a number in a list": """
        (define (f n x) (g (list (cons 'a n) (cons 'b 0)) x))
        (define (g l x)
          (cond ((= (cdr (assq 'a l)) 100) 'hundred)
                ((= x 0) (cdr (assq 'a l)))
                (else (g (list (cons 'a (+ 1 (cdr (assq 'a l)))) (cons 'b 2)) (- x 1)))))""",
    "a list": """
        (define (f n x) (g '() n x))
        (define (g l n x)
          (cond ((= x 0) (if (null? l) 'empty (length l)))
                ((and (pair? l) (= x 5)) (g (cdr l) n (- x 1)))
                (else (g (cons (* x n) l) n (- x 1)))))""",
    "a symbol": """
        (define (f n x) (g 'a n x))
        (define (g s n x)
          (cond ((eq? s 'aaa) (if (= x 0) 'three (g 'b n (- x 1))))
                ((= x 0) s)
                (else (g (string->symbol (string-append (symbol->string s) "a")) n (- x 1)))))""",
    "procedures in procedures": """
        (define (f n x) (g (lambda (y) (+ y n)) x))
        (define (g k x) (if (= x 0) (k 1) (g (lambda (y) (* 2 (k (+ y x)))) (- x 1))))""",
    "procedures in lists in procedures": """
        (define (f n x) (g (list (lambda (y) (+ y n))) x))
        (define (g ks x)
          (if (= x 0) ((car ks) 1) (g (list (lambda (y) (* 2 ((car ks) (+ y x))))) (- x 1))))""",
}
"""Programs of n, known, and of x, not known, by which something grows that is known."""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", GROWING)
def test_what_grows_for_ever_though_it_decides_something_is_code(name: str) -> None:
    original = Interpreter(loads(GROWING[name]))
    original.run()
    annotated = MixProgram.loads(GROWING[name]).annotate("f", "sd")
    made = annotated.specialize([1])
    for x in (0, 1, 2, 6, 9):
        assert equal(made.run("f", [x]), original.call("f", [1, x]))
    compilers = [generator().compiler_by_cogen(level) for level in annotated.levels]
    assert compile_with_any(compilers, annotated, [1]).text == made.text


def test_what_is_bounded_is_known_though_it_might_grow() -> None:
    """A stack that has one height at each place, and a place in the program."""
    text = """(define (run program x) (go program 0 (list x)))
      (define (go program at stack)
        (if (= at (vector-length program))
            (car stack)
            (let ((i (vector-ref program at)))
              (cond ((number? i) (go program (+ at 1) (cons i stack)))
                    ((eq? i 'add)
                     (go program (+ at 1) (cons (+ (car stack) (cadr stack)) (cddr stack))))
                    ((= (car stack) 0) (go program (cadr i) (cdr stack)))
                    (else (go program (+ at 1) (cdr stack)))))))"""
    annotated = MixProgram.loads(text).annotate("run", "sd")
    made = annotated.specialize([datum("#(1 add 7 2 (jump 6) add 3 4 add)")])
    assert not re.search("car|cons|vector", made.text)


def test_no_end_is_reported() -> None:
    """What is known goes on for ever: there are more and more versions, and none of them grows."""
    text = "(define (f n x) (if (= x 0) n (f (modulo (* n 7) 7919) (- x 1))))"
    annotated = MixProgram.loads(text).annotate("f", "sd")
    with pytest.raises(CogenError, match="too many versions of f"):
        annotated.specialize([1], limit=50)


def test_what_grows_for_ever_and_decides_nothing_is_code() -> None:
    """A position and what was seen before it start as constants, and would have a version each."""
    text = """(define (find x text)
      (let loop ((text text) (at 0) (seen '()))
        (cond ((null? text) (reverse seen))
              ((eqv? (car text) x) at)
              (else (loop (cdr text) (+ at 1) (cons at seen))))))"""
    assert residual(text, "find", "sd", "a") == (
        "(define (find text.1) (loop-1 text.1 '() 0))\n\n"
        "(define (loop-1 text.1 seen.2 at.3)\n"
        "  (cond ((null? text.1) (reverse seen.2))\n"
        "        ((eqv? (car text.1) 'a) at.3)\n"
        "        (else (loop-1 (cdr text.1) (cons at.3 seen.2) (+ at.3 1)))))\n"
    )


def test_what_grows_under_known_tests_is_known() -> None:
    text = """(define (sum n x)
      (let loop ((i 0) (made 0)) (if (= i n) (* made x) (loop (+ i 1) (+ made i)))))"""
    assert residual(text, "sum", "sd", "5") == "(define (sum x.1) (* 10 x.1))\n"


def test_what_grows_where_no_known_test_is_becomes_code() -> None:
    """Though something known is decided by `start`, in `run`."""
    text = """(define (search n text)
      (let next ((start 0))
        (if (> start (string-length text))
            #f
            (or (let run ((i start))
                  (if (= (- i start) n) start (and (< i (string-length text)) (run (+ i 1)))))
                (next (+ start 1))))))"""
    target = MixProgram.loads(text).annotate("search", "sd").specialize([2])
    assert [target.run("search", [word]) for word in ("ab", "a", "")] == [0, False, False]


def test_tests_that_turn_out_constant_are_decided() -> None:
    """`and` of something known and something unknown is unknown, but not if the first is #f."""
    text = """(define (f l x)
      (cond ((null? l) x)
            ((and (symbol? (car l)) (= x 0)) (car l))
            (else (f (cdr l) (+ x 1)))))"""
    assert residual(text, "f", "sd", "(1 b 2)") == (
        "(define (f x.1) (let ((x.2 (+ x.1 1))) (if (= x.2 0) 'b (+ (+ x.2 1) 1))))\n"
    )


def test_constants_are_computed_with() -> None:
    """What had to be code for other uses, and is a constant here."""
    text = """(define (f l) (sum l 0))
      (define (sum l at) (if (pair? l) (+ (* at (car l)) (sum (cdr l) (+ at 1))) (use 5 at)))
      (define (use n at) (if (< n 3) at (use (- n 1) (if (= n at) (use 0 at) n))))"""
    made = MixProgram.loads(text).annotate("f", "d").specialize([])
    assert made.run("f", [datum("(4 5 6)")]) == 20
    text = "(define (f x) (if (= x 0) (g 1 x) (g 2 (+ x 1)))) (define (g a x) (+ (* (lift a) 3) 1))"
    assert "(* " not in residual(text, "f", "d")


def test_what_a_decided_test_leaves_out_is_not_kept() -> None:
    """Two places call a procedure, one of them where a constant test forbids it."""
    text = """(define (f x) (if (< (lift 2) 1) (g x) (if (= x 0) (h x) x)))
      (define (g x) (if (= x 5) (g (- x 1)) (g (+ x 1))))
      (define (h x) (if (= x 7) (h (+ x 1)) x))"""
    made = MixProgram.loads(text).annotate("f", "d").specialize([])
    assert [made.run("f", [n]) for n in (0, 3)] == [0, 3]
    assert "g" not in made.text


def test_a_small_procedure_has_binding_times_for_each_call() -> None:
    """What asks something of a known term is known, though it asks the same of unknown ones."""
    text = """(define (variable? t) (and (pair? t) (eq? (car t) '?)))
      (define (vary t n)
        (cond ((variable? t) (list '? (cadr t) n))
              ((pair? t) (cons (vary (car t) n) (vary (cdr t) n)))
              (else t)))
      (define (both a b) (list (variable? a) (variable? b) (map variable? (list a b))))
      (define (f t x) (list (vary t x) (variable? x) (variable? (list '? x)) (both t t)))"""
    made = MixProgram.loads(text).annotate("f", "sd").specialize([datum("(a (? b) c)")])
    assert made.text.count("pair?") == 1
    shown = write_datum(made.run("f", [datum("(? y)")]))
    assert shown == "((a (? b (? y)) c) #t #t (#f #f (#f #f)))"
    program = MixProgram.loads(POWER.replace("(= n 0)", "(zero n)") + "(define (zero n) (= n 0))")
    assert program.annotate("power", "ds").specialize([3]).text == (
        "(define (power x.1) (* x.1 (* x.1 (* x.1 1))))\n"
    )


def test_parameters_that_are_equal_in_all_calls_are_one() -> None:
    text = """(define (f x n) (g x x n n))
      (define (g a b n m)
        (cond ((= a 0) (list b n m))
              ((= n 5) (g (- a 1) (+ a 1) n m))
              (else (let ((c (- a 1))) (g c b m n)))))"""
    made = MixProgram.loads(text).annotate("f", "dd").specialize([])
    heads = re.findall(r"\(define \((\S+ [^)]*)\)", made.text)
    assert heads == ["f x.1 n.2", "g-1 a.1 b.2 n.3"]
    assert [write_datum(made.run("f", [3, n])) for n in (4, 5)] == ["(3 4 4)", "(2 5 5)"]
    other = (
        MixProgram.loads(text.replace("x n n", "x n (+ n 1)")).annotate("f", "dd").specialize([])
    )
    assert "g-1 a.1 b.2 n.3 m.4" in other.text
    assert write_datum(other.run("f", [2, 4])) == "(2 5 4)"


def test_parameters_that_are_only_passed_on_are_dropped() -> None:
    """Unless their value may fail, or writes something."""
    text = """(define (f x n) (g x n (* n n) (begin (display n) n) '(a)))
      (define (g a b c d e)
        (if (= a 0) 'end (if (= n 1) (g (- a 1) (+ b a) c d e) (h a b c d e))))
      (define (h a b c d e) (g (- a 2) a (car c) d e))"""
    text = text.replace("(= n 1)", "(= a 1)")
    made = MixProgram.loads(text).annotate("f", "dd").specialize([])
    assert re.findall(r"\(define \((\S+ [^)]*)\)", made.text) == [
        "f x.1 n.2",
        "g-1 a.1 b.2 c.3",
    ]
    for arguments in ([1, 2], [2, 3], [4, 0]):
        assert outcome(made.text, "f", arguments) == outcome(text, "f", arguments)


def test_an_entry_with_a_rest_parameter() -> None:
    text = """(define (run program . inputs) (loop program inputs))
      (define (loop names values)
        (if (null? values)
            '()
            (cons (cons (car names) (car values)) (loop (cdr names) (cdr values)))))
      (define (again x) (run '(quote call) x (apply run '((a) 1))))"""
    program = MixProgram.loads(text)
    assert program.takes("run", 1)
    assert program.takes("run", 3)
    assert not program.takes("run", 0)
    made = program.annotate("run", "sdd").specialize([datum("(a b)")])
    assert (
        made.text
        == "(define (run run.1 run.2) (cons (cons 'a run.1) (cons (cons 'b run.2) '())))\n"
    )
    assert write_datum(made.run("run", [1, 2])) == "((a . 1) (b . 2))"
    with pytest.raises(CogenError, match="2 parameters"):
        program.annotate("run", "")


@pytest.mark.parametrize("step", ["(modulo (+ n 1) 3)", "(bitwise-and 1 (+ n 1))"])
def test_what_goes_round_is_known(step: str) -> None:
    """A state that has a few values under an unknown test has a version for each."""
    text = f"(define (f n x) (if (= x 0) (list n) (f {step} (- x 1))))"
    made = MixProgram.loads(text).annotate("f", "sd").specialize([0])
    assert "modulo" not in made.text
    assert "bitwise" not in made.text
    assert [write_datum(made.run("f", [x])) for x in (0, 1, 6)] == ["(0)", "(1)", "(0)"]


def test_lift_keeps_data_for_later() -> None:
    text = "(define (f x) (g (lift 0) x)) (define (g n x) (if (= x 0) n (g (+ n 1) (- x 1))))"
    made = MixProgram.loads(text).annotate("f", "d").specialize([])
    assert made.run("f", [7]) == 7


def test_variables_have_names_of_their_own() -> None:
    text = "(define (f list) (let ((car (cdr list))) (cons (+ 1 car) (cons car '()))))"
    made = MixProgram.loads(text).annotate("f", "d").specialize([])
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
    "what has an effect is a result that is used twice": """
        (define (twice v) (+ v v))
        (define (main s x)
          (let ((count 0))
            (+ (* 10 (twice (let ((y (begin (set! count (+ count 1)) x))) y))) count)))""",
    "vectors of which not all is known": """
        (define (main s x)
          (let loop ((n s) (v (vector x s (+ x 1))))
            (if (= n 0)
                (if (< x 5) (list v (vector-length v)) (vector->list v))
                (loop (- n 1)
                      (vector (vector-ref v 2) (vector-ref v 0) (* 2 (vector-ref v 1)))))))""",
    "a known vector where items are not known elsewhere": """
        (define (main s x)
          (let ((v (if (= s 0) '#(1 (2)) (vector x (list s)))))
            (if (= x 3)
                (vector-ref v 0)
                (list v (vector? v) (vector? s) (pair? v) (vector->list v)))))""",
    "procedures in a vector": """
        (define (main s x)
          (let ((v (vector (lambda (y) (+ x y)) (lambda (y) (* s y)))))
            ((vector-ref v (modulo s 2)) ((vector-ref v 1) x))))""",
    "a vector that is filled": """
        (define (main s x)
          (let* ((v (make-vector (+ s 1) (* x x))) (rows (vector v (vector s))))
            (list (vector-ref v 0) (vector-ref v s) (vector-ref (vector-ref rows 1) 0)
                  (vector-ref (vector-ref rows (modulo x 2)) 0))))""",
    "primitives of the program's own": """
        (define (gray x)
          (if (known? x) (bitwise-xor x (arithmetic-shift x -1)) (rcall gray x)))
        (define (power x n)
          (if (and (known? x) (known? n))
              (let loop ((i n)) (if (= i 0) 1 (* x (loop (- i 1)))))
              (rcall power x n)))
        (define (pick l n)
          (if (not (or (known? n) (known? (cdr l))))
              (rcall pick l n)
              (if (known? (car l)) (list-ref l n) (list-ref l (if (known? n) n (+ n 0))))))
        (define (main s x)
          (list (gray s) (gray x) (gray (gray (+ s 1))) (power s 2) (power x s) (power 2 3)
                (pick (list s x) 1) (pick '(1 2) (modulo x 2))))""",
    "constants of all kinds": """
        (define (main s x) (list 'a "text" #\\c 1.5 #t '() '#(1 2) '(1 . 2) (if #f #f) s x))""",
}
"""Programs of s and x, both integers from 0 on, for every division."""


@pytest.mark.one_in(26)
@pytest.mark.parametrize("division", ["ss", "sd", "ds", "dd"])
@pytest.mark.parametrize("name", TRICKY)
def test_tricky_programs(name: str, division: str) -> None:
    original = Interpreter(loads(TRICKY[name]))
    original.run()
    annotated = MixProgram.loads(TRICKY[name]).annotate("main", division)
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
    """mix(p, s)(d) = p(s, d) for random programs and divisions, and it writes the same."""
    annotated = MixProgram.loads(program.text).annotate("main", program.division)
    for arguments in program.arguments:
        pairs = list(zip(program.division, arguments, strict=True))
        made = annotated.specialize([value for letter, value in pairs if letter == "s"])
        unknown = [value for letter, value in pairs if letter == "d"]
        assert outcome(made.text, "main", unknown) == outcome(program.text, "main", arguments)


@settings(max_examples=settings().max_examples // 3)
@given(imperative_programs())
def test_assigned_variables_and_changed_vectors_mean_the_same(program: SmallProgram) -> None:
    """Whether they are threaded through the residual program or left to it."""
    for care in ("none", "procedures"):
        annotated = replace(
            MixProgram.loads(program.text).annotate("main", program.division), care=care
        )
        for arguments in program.arguments:
            pairs = list(zip(program.division, arguments, strict=True))
            made = annotated.specialize([value for letter, value in pairs if letter == "s"])
            unknown = [value for letter, value in pairs if letter == "d"]
            assert outcome(made.text, "main", unknown) == outcome(program.text, "main", arguments)


@settings(max_examples=settings().max_examples // 2)
@given(small_programs())
def test_the_small_language_means_the_same(program: SmallProgram) -> None:
    """The text of a converted program does what the program does."""
    converted = MixProgram.loads(program.text)
    again = MixProgram.loads(converted.text)
    for arguments in program.arguments:
        expected = outcome(program.text, "main", arguments)
        assert outcome(converted.text, "main", arguments) == expected
        assert outcome(again.text, "main", arguments) == expected


@settings(max_examples=max(2, settings().max_examples // 16))
@given(small_programs())
def test_compilers_of_random_programs_make_the_same(program: SmallProgram) -> None:
    """mix(mix, p)(s) = mix(p, s) as text, for random programs and divisions."""
    annotated = MixProgram.loads(program.text).annotate("main", program.division)
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
    program = MixProgram.loads(text)
    assert write_datum(program.run("append", [datum("(1 2)"), datum("(3)")])) == "(1 2 3)"
    assert write_datum(program.run("cons*", [0, datum("(3)")])) == "(0 3 1)"
    made = program.annotate("append", "sd").specialize([datum("(1 2)")])
    assert made.text == "(define (append% b.1) (cons 1 (cons 2 b.1)))\n"
    assert write_datum(made.run("append", [datum("(3)")])) == "(1 2 3)"


EFFECTS = {
    "assignment": """(define (main s x)
      (let ((n s))
        (set! n (+ n x))
        (let ((f (lambda (y) (set! n (+ n y)) n))) (list (f 1) (f x) n))))""",
    "an assigned parameter": "(define (main s x) (set! s (+ s x)) (set! x (* x s)) (list s x))",
    "an assigned local procedure": """(define (main s x)
      (define a 1) (define (g y) (set! a (+ a y)) a)
      (g x) (set! g (lambda (y) (* y a))) (list a (g s)))""",
    "vectors": """(define (main s x)
      (let ((v (make-vector 3 s)))
        (vector-set! v 1 x)
        (let loop ((i 0) (sum 0)) (if (= i 3) sum (loop (+ i 1) (+ sum (vector-ref v i)))))))""",
    "vectors of which some are changed": """
      (define codes (list->vector '(1 2 3)))
      (define (pick v i) (vector-ref v i))
      (define (fill! v) (vector-fill! v (vector-ref codes 0)) v)
      (define (main s x)
        (let* ((known (vector s 2 (list s 3)))
               (rows (list (vector s x) (make-vector 2 s)))
               (alias (cadr rows))
               (text (string->vector "abc"))
               (choose (lambda (i) (pick known i))))
          (vector-set! alias 0 x)
          (let ((either (if (= x 0) alias (vector 7 s))))
            (vector-set! either 1 'new)
            (list rows either (choose 0) (car (choose 2)) (vector-length known) (vector-ref text 1)
                  (fill! (make-vector (vector-ref codes 1) x)) (vector->list known)
                  (eq? alias (cadr rows)) (eq? either alias) codes))))""",
    "vectors that nothing changes": """(define (main s x)
      (let ((v (vector s x 3)))
        (list (vector-ref v 0) (vector-length v) (vector->list v) (vector-ref '#(1 2 3) s))))""",
    "output": """(define (main s x)
      (display "a")
      (let ((y (begin (display s) (write x) (+ x 1))))
        (newline)
        (list y (begin (display "z") s) (begin (write-char #\\c) x))))""",
    "output in arguments that are known in part": """(define (note s x) (display s) (cons s x))
      (define (g a b) (list (car a) (car b) (cdr a)))
      (define (main s x)
        (g (note s (begin (display "1") x)) (note (+ s 1) (begin (display "2") (+ x 1)))))""",
    "output before an argument that is known": """(define (note s) (display s) s)
      (define (h d s) (+ d s))
      (define (main s x) (h (begin (display x) (* x 2)) (note s)))""",
    "records": """(define-record-type point (make-point x y) point? (x point-x) (y point-y))
      (define (add p q)
        (make-point (+ (point-x p) (point-x q)) (+ (point-y p) (point-y q))))
      (define (loop n p) (if (= n 0) p (loop (- n 1) (add p (make-point 1 n)))))
      (define (main s x)
        (let ((p (loop (modulo s 4) (make-point (lift x) (lift s)))))
          (list (point-x p) (point-y p) (point? p) (point? s) (pair? p) (vector? p))))""",
    "an environment of records": """
      (define-record-type env
        (make-env name value next) env? (name env-name) (value env-value) (next env-next))
      (define (look n e)
        (cond ((not (env? e)) 'none)
              ((eq? n (env-name e)) (env-value e))
              (else (look n (env-next e)))))
      (define (main s x)
        (let ((e (make-env 'a s (make-env 'b x #f))))
          (if (< x 5) (list (look 'a e) (look 'b e)) (list (look 'c e) (look 'b e)))))""",
    "records and pairs at a place": """
      (define-record-type box (make-box v) box? (v unbox))
      (define (get b) (cond ((box? b) (unbox b)) ((pair? b) (car b)) (else b)))
      (define (main s x)
        (let ((b (cond ((= s 0) (make-box x)) ((= s 1) (cons x s)) (else s))))
          (if (< x 5) (get b) (list (get b) (if (= x 7) b 'none) (make-box (cons b x))))))""",
    "records of equal names": """
      (define-record-type a-b (make c) first? (c first-c))
      (define (main s x)
        (define-record-type a-b (make c b) second? (c second-c) (b second-b))
        (let ((f (make-first s)) (g (make x s)))
          (list (first? f) (first? g) (second? f) (second-b g) (first-c f))))
      (define (make-first s) (make s))""",
    "records that are changed": """(define-record-type cell (make-cell* v) cell? (v cv set-cv!))
      (define (main s x)
        (let ((c (make-cell* s))) (set-cv! c (+ (cv c) x)) (list (cv c) (cell? c) (cell? x))))""",
    "pairs that are changed": """(define (main s x)
      (let ((p (cons s x)))
        (set-car! p (+ x 1))
        (let ((q (list p p))) (set-cdr! (car q) 7) (list (car p) (cdr (cadr q))))))""",
    "parameters": """
      (define depth (make-parameter 0))
      (define twice (make-parameter 1 (lambda (x) (* 2 x))))
      (define (walk n x)
        (if (= n 0)
            (list (depth) (twice) x)
            (parameterize ((depth (+ 1 (depth))) (twice n)) (walk (- n 1) x))))
      (define (main s x)
        (let ((port (open-output-string)))
          (parameterize ((current-output-port port)) (write (walk s x)))
          (display (walk x s))
          (list (get-output-string port) (depth))))
    """,
    "conditions and winds": """
      (define (f s x)
        (cond ((= s x) (raise (list "bad" s)))
              ((= x 0) (error "zero" s))
              (else (+ x (raise-continuable s)))))
      (define (main s x)
        (guard (e ((pair? e) (list 1 e)) ((error-object? e) (error-object-message e)))
          (dynamic-wind
           (lambda () (display "in"))
           (lambda ()
             (with-exception-handler (lambda (e) (if (number? e) (+ e s) (raise e)))
               (lambda ()
                 (call/cc (lambda (k) (if (= x 7) (k (f s s)) (f s (if (= s 2) s x))))))))
           (lambda () (display "out")))))
    """,
    "what is compared by identity": """
      (define-record-type mark (make-mark name) mark? (name mark-name))
      (define none (list 'none))
      (define other '(none))
      (define empty (vector))
      (define last (make-mark 'last))
      (define (look k l)
        (cond ((null? l) none) ((eqv? k (caar l)) (cdar l)) (else (look k (cdr l)))))
      (define (main s x)
        (let ((found (look s (list (cons x 1))))
              (own (list 'own)))
          (list (eq? found none) (eq? none none) (eq? found other) (memq other (list other))
                (eq? (if (= x 0) empty s) empty) (eq? (if (= x 3) last s) last)
                (eq? (if (= x 7) own found) own)
                (eval (list '+ s x) (environment '(scheme base))))))
    """,
    "strings that are changed": """
      (define (main s x)
        (let* ((text (string-append (number->string s) "bc"))
               (same text)
               (kept (string-upcase "abc"))
               (all (apply string-append (list text "-" kept))))
          (string-set! text 1 (string-ref (number->string x) 0))
          (string-fill! kept (string-ref text 0))
          (write (list (string-ref "def" 1) text))
          (list same kept all (string=? text same) (string-length (string #\\a #\\b)))))
    """,
    "values that are made once": """
      (define counter 0)
      (define table (make-vector 3 'x))
      (define (next!) (set! counter (+ counter 1)) counter)
      (define loaded (begin (display "load") 5))
      (define items (list 1 2 3))
      (define (main s x)
        (vector-set! table 0 x)
        (list (next!) (next!) (vector-ref table 0) (vector-ref table 1) loaded (car items)
              s (length items)))
      (display "top")""",
    "a procedure with a state": """
      (define (count) (let ((n 0)) (lambda () (set! n (+ n 1)) n)))
      (define c (count))
      (define (main s x) (c) (list (c) s x))""",
    "values made by procedures": """(define squares (map (lambda (x) (* x x)) '(1 2 3)))
      (define later (let ((v (vector 1 2))) (lambda (i) (vector-ref v i))))
      (define (main s x) (list (cadr squares) (later (modulo x 2)) (later (modulo s 2)) s))""",
    "two definitions": "(define n 1) (define (f) n) (define n 2) (define (main s x) (+ (f) s x))",
    "rest parameters": """(define (f a . r) (if (null? r) a (cons a r)))
      (define (main s x)
        (list (f s) (f x 1 2) (apply f (list s x))
              (let ((g (lambda args (car args)))) (list (g s x) (apply g (list x s))))))""",
    "procedures that take a list or not": """(define (mk b) (lambda args (+ b (car args))))
      (define (main s x)
        (let ((f (mk s)) (g (mk x)) (h (if (= s 0) (mk 1) (lambda (a b) (- a b)))))
          (list (f x 1) (g 1 2 3) (apply f (list x)) (map (mk 1) (list s x)) (h x 1))))""",
    "operations applied to lists": """
      (define ops (list (cons '+ +) (cons '< <) (cons '- -) (cons 'car car)))
      (define (op name . args) (apply (cdr (assq name ops)) args))
      (define (main s x)
        (list (op '+) (op '+ s) (op '+ s x 1) (op '- x) (op '- x s 1) (op '< s x 9)
              (op 'car (list x)) (op '- s 1)
              (apply append (list (list x) '() (list s) (list x s)))))""",
    "operations that are not known": """(define (main s x)
      (let ((f (if (= x 3) + -)) (g (if (= s 0) max *)))
        (list (f s x 1) (g s x 2) (apply f (list x)))))""",
    "a wrong number of arguments": """(define (main s x)
      (let ((f (if (= s 0) (lambda (a) a) (lambda (a b) b))))
        (if (< x 5) (if (= s 0) (f x) (f s x)) (apply f (list s x)))))""",
    "calls that stay": """(define (f a b) (if (= a 0) b (+ a b)))
      (define (main s x) (list (dcall f s x) (rcall f s x) (f s x)))""",
    "continuations": """(define (main s x)
      (+ 1 (call/cc (lambda (k) (if (= x 3) (k s) (+ x (begin (display "x") 1)))))))""",
    "several values": """(define (main s x)
      (call-with-values (lambda () (values s x)) (lambda (a b) (list a b))))""",
    "handlers": """(define (main s x)
      (with-exception-handler (lambda (e) 42) (lambda () (+ 1 (raise-continuable (list s x))))))""",
    "cases of arguments": """(define f (case-lambda ((a) a) ((a b) (+ a b))))
      (define (main s x) (list (f s) (f s x)))""",
    "procedures of the library over data": """(define (main s x)
      (let ((sum 0))
        (for-each (lambda (y) (set! sum (+ sum y))) (list s x 3))
        (vector-for-each display (vector 1 x))
        (list sum
              (vector-map (lambda (y) (+ y s)) (vector x 1))
              (map + (list s x) (list 1 2)))))""",
    "strings and characters": """(define (main s x)
      (list (string-append "a" (number->string s) "b") (string #\\a #\\b) (string-upcase "abc")
            (number->string x 2) (exact (floor 2.5)) (string-length (number->string x))))""",
    "lists of unknown items": """(define (main s x)
      (let ((l (list (cons 'a x) (cons 'b s))))
        (list (cdr (assq 'b l)) (cdr (assq 'a l)) (assq 'c l) (length l) (cdar (reverse l))
              (cdr (list-ref l 1)) (pair? (memq 'z (list 'z x))) (list? l)
              (car (append (list x) (list s))) (null? (list-tail l 2)))))""",
    "equal data that are read before they change": """(define (main s x)
      (let* ((v (vector s x)) (before (equal? v (vector s x))))
        (vector-set! v 0 'changed)
        (list before (equal? v (vector s x)))))""",
}
"""Programs with effects, data that change, records, and procedures of lists of arguments."""


def outcome(text: str, entry: str, arguments: Sequence[Datum]) -> tuple[str, str]:
    """What a call writes (loading included), and the text of its value or of its error."""
    output = StringIO()
    interpreter = Interpreter(loads(text), output=output)
    try:
        interpreter.run()
        value = write_datum(interpreter.call(entry, arguments))
    except CogenError as error:
        value = type(error).__name__
    return output.getvalue(), value


LARGE = ("parameters", "conditions and winds")
"""Programs that take much of the library with them: one division tells enough."""


@pytest.mark.one_in(48)
@pytest.mark.parametrize(
    ("name", "division"),
    [
        (name, division)
        for name in EFFECTS
        for division in (["sd"] if name in LARGE else ["ss", "sd", "ds", "dd"])
    ],
)
def test_effects_keep_their_order(name: str, division: str) -> None:
    """Output and values are those of the program, and compilers make the same text (also mix's
    own where something is known and something is not)."""
    annotated = MixProgram.loads(EFFECTS[name]).annotate("main", division)
    compiler = generator().compiler_by_cogen(annotated)
    if division in ("sd", "ds"):
        assert compiler.text == generator().compiler_by_mix(annotated).text
    for arguments in [(0, 3), (2, 0), (1, 7)]:
        pairs = list(zip(division, arguments, strict=True))
        known = [value for letter, value in pairs if letter == "s"]
        unknown = [value for letter, value in pairs if letter == "d"]
        expected = outcome(EFFECTS[name], "main", arguments)
        try:
            made = annotated.specialize(known)
        except CogenError:  # what fails in a known part does so early
            assert expected[1] == "CogenError"
            continue
        assert outcome(made.text, "main", unknown) == expected
        assert compile_with(compiler, annotated, known).text == made.text
        assert MixProgram.loads(made.text).text.count("define") == made.text.count("define")


def test_an_environment_of_records_leaves_nothing() -> None:
    assert residual(EFFECTS["an environment of records"], "main", "sd", "2") == (
        "(define (main x.1)\n"
        "  (if (< x.1 5) (cons 2 (cons x.1 '())) (cons 'none (cons x.1 '()))))\n"
    )


def test_records_that_stay_are_defined() -> None:
    text = """(define-record-type point (make-point x y) point? (x point-x) (y point-y set-y!))
      (define (make-point* x) (make-point x 1))
      (define (f x) (let ((p (make-point* x))) (set-y! p 2) p))"""
    assert residual(text, "f", "d") == (
        "(define-record-type point\n"
        "  (make-point x y)\n"
        "  point?\n"
        "  (x point-x)\n"
        "  (y point-y set-point-y!))\n\n"
        "(define (f x.1) (let ((p.2 (make-point x.1 1))) (set-point-y! p.2 2) p.2))\n"
    )


def test_procedures_called_like_operations_of_records() -> None:
    text = """(define-record-type point (new x) point? (x px))
      (define (make-point x) (if (= x 0) (new 1) (make-point (- x 1))))
      (define (f point-x) (px (make-point point-x)))"""
    program = MixProgram.loads(text)
    assert program.run("f", [3]) == 1
    assert write_datum(program.run("make-point", [2])) == "#<point x: 1>"
    made = program.annotate("f", "d").specialize([])
    assert made.run("f", [3]) == 1


def test_a_field_of_another_record_ends_specialization() -> None:
    text = """(define-record-type a (make-a v) a? (v av))
      (define-record-type b (make-b v) b? (v bv))
      (define (g x) (av (make-b x)))"""
    with pytest.raises(CogenError, match="specialising `g`: expected a record of another type: a"):
        residual(text, "g", "d")


def test_a_list_of_known_length_is_gone_through_early() -> None:
    text = "(define (f x y) (let ((l (list (cons 'a x) (cons 'b y)))) (cdr (assq 'b (reverse l)))))"
    assert residual(text, "f", "dd") == "(define (f x.1 y.2) y.2)\n"


def test_known_operations_are_found_in_a_table() -> None:
    text = """(define table (list (cons 'plus +) (cons 'first car)))
      (define (f op x) (apply (cdr (assq op table)) (list x 1 2)))"""
    assert residual(text, "f", "sd", "plus") == "(define (f x.1) (+ (+ x.1 1) 2))\n"


def test_a_pair_that_is_only_taken_apart_is_not_made() -> None:
    text = """(define (f x y)
      (let ((p (lift (cons (* x x) (car y))))) (if (= x 0) (car p) (+ (car p) (cdr p)))))"""
    assert residual(text, "f", "dd") == (
        "(define (f x.1 y.2)\n"
        "  (let* ((p.4 (* x.1 x.1)) (p.5 (car y.2))) (if (= x.1 0) p.4 (+ p.4 p.5))))\n"
    )
    changing = (
        text + "(define (g x) (let ((p (lift (cons x x)))) (set-car! p 1) (+ (car p) (cdr p))))"
    )
    assert "cons" in residual(changing, "g", "d")


def test_a_primitive_of_ones_own_is_done_early_or_called() -> None:
    text = """(define (power x n)
        (if (and (known? x) (known? n))
            (let loop ((i n)) (if (= i 0) 1 (* x (loop (- i 1)))))
            (rcall power x n)))
      (define (f s x) (list (power s 3) (power x s) (power x (power s 2))))"""
    assert residual(text, "f", "sd", "2") == (
        "(define (f x.1) (cons 8 (cons (power-1 x.1 2) (cons (power-1 x.1 4) '()))))\n\n"
        "(define (power-1 x.1 x.2) (loop-2 x.2 x.1))\n\n"
        "(define (loop-2 i.1 x.2) (if (= i.1 0) 1 (* x.2 (loop-2 (- i.1 1) x.2))))\n"
    )


def test_calls_that_stay_are_calls() -> None:
    text = """(define (f a b) (if (= a 0) b (+ a b)))
      (define (g s x) (+ (dcall f s x) (* (f s x) (rcall f s x))))"""
    assert residual(text, "g", "sd", "1") == (
        "(define (g x.1) (+ (g-2 x.1) (* (+ 1 x.1) (f-1 1 x.1))))\n\n"
        "(define (f-1 x.1 x.2) (if (= x.1 0) x.2 (+ x.1 x.2)))\n\n"
        "(define (g-2 x.1) (+ 1 x.1))\n"
    )


SETTLED = """
(define program '())
(define names #f)
(define depth 0)
(define seen 0)
(define (main p x)
  (set! program p)
  (set! depth x)
  (set! names '(none))
  (set! names (append (map car p) names))
  (display "go")
  (list (go 'a x) (map (lambda (n) (go 'b n)) (list x 2)) seen))
(define (go name x)
  (set! seen (+ seen 1))
  (let ((f (assq name program))) (if f (evaluate (cadr f) x) 'none)))
(define (evaluate e x)
  (cond ((number? e) e)
        ((eq? e 'x) x)
        ((memq (car e) names) (go (car e) (evaluate (cadr e) x)))
        ((eq? (car e) '+) (+ (evaluate (cadr e) x) (evaluate (caddr e) x) depth))
        ((= 0 (evaluate (cadr e) x)) (evaluate (caddr e) x))
        (else (evaluate (cadddr e) x))))
"""
"""An interpreter that has its program in a variable that it assigns."""


def test_variables_that_are_assigned_before_their_use_are_known() -> None:
    known = datum("((a (+ x (b x))) (b (if x 1 (+ 2 (c (+ x 1))))) (c (if x 2 x)))")
    annotated = MixProgram.loads(SETTLED).annotate("main", "sd")
    made = annotated.specialize([known])
    assert not re.search("program|names|assq|memq", made.text)
    assert "depth" in made.text
    original = Interpreter(loads(SETTLED), output=StringIO())
    original.run()
    for x in (0, 3, 0):
        assert equal(made.run("main", [x]), original.call("main", [known, x]))
    compiler = generator().compiler_by_cogen(annotated)
    assert compile_with(compiler, annotated, [known]).text == made.text


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("(set! program p)", "(display program) (set! program p)"),
        ("(set! program p)", "(if (= x 1) (set! program p) (set! program (cdr p)))"),
        ("(set! seen (+ seen 1))", "(set! program (cons (car program) program))"),
        ("(define seen 0)", "(define seen 0) (display program)"),
        ("(set! program p)", "(go 'a 1) (set! program p)"),
        ("(set! program p)", "(let ((f (lambda () program))) (set! program p) (display (f)))"),
        ("(define seen 0)", "(define seen 0) (define (again) (main program 5))"),
    ],
)
def test_other_variables_that_are_assigned_stay(old: str, new: str) -> None:
    text = SETTLED.replace(old, new)
    known = datum("((a (+ x (b x) 0)) (b (if x 1 (+ 2 (c (+ x 1)) 0))) (c (if x 2 x)))")
    made = MixProgram.loads(text).annotate("main", "sd").specialize([known])
    for x in (0, 3, 1):
        assert outcome(made.text, "main", [x]) == outcome(text, "main", [known, x])


def test_data_known_from_the_start_are_not_changed() -> None:
    text = "(define (f v x) (vector-set! v 0 x) (+ x (vector-ref v 0)))"
    with pytest.raises(CogenError, match="from the start would be changed by vector-set!"):
        MixProgram.loads(text).annotate("f", "sd")
    assert MixProgram.loads(text).annotate("f", "dd").specialize([]).run("f", [[1], 2]) == 4


def test_pairs_that_are_found_in_lists_may_be_changed() -> None:
    """Of lists that the program makes, though all of them is known until then."""
    text = """(define (run names x)
      (let ((counts (append (map (lambda (name) (cons name 0)) names) (list (cons 'all 1)))))
        (for-each (lambda (name)
                    (let ((entry (assq name (reverse counts))))
                      (set-cdr! entry (+ (cdr entry) x))))
                  names)
        (map cdr counts)))"""
    annotated = MixProgram.loads(text).annotate("run", "sd")
    made = annotated.specialize([datum("(a b a)")])
    original = Interpreter(loads(text))
    original.run()
    assert write_datum(made.run("run", [5])) == "(0 5 10 1)"
    assert equal(made.run("run", [5]), original.call("run", [datum("(a b a)"), 5]))


def test_all_phases_are_in_the_subset() -> None:
    """Converted, each gives what it gives as it is written."""
    program = MixProgram.loads(EFFECTS["values that are made once"])
    kinds = from_iterable([symbol("s"), symbol("d")])
    annotated = program.annotate("main", "sd")
    raw = phase("mix").call("mix", [*annotated.as_known(), 500, annotated.statics([1])])
    for name, entry, arguments in [
        ("bta", "analyse", [program.definitions, symbol("main"), kinds, symbol("procedures")]),
        ("tidy", "tidy", [raw]),
    ]:
        converted = MixProgram.load(HERE / f"{name}.scm").run(entry, arguments)
        assert write_datum(converted) == write_datum(phase(name).call(entry, arguments))


def test_the_converter_converts_itself() -> None:
    """The converter as the small language shows it makes the same of a program as the converter."""
    converter = MixProgram.load(HERE / "convert.scm")
    program = expand(read_source(HERE / "convert.scm"))
    arguments = subset.core_as_data(program)
    assert write_datum(converter.run("convert", arguments).cdr) == write_datum(
        converter.definitions
    )


def test_a_vector_that_nothing_changes_is_known() -> None:
    text = "(define (f x) (let ((v (vector 1 2 3))) (+ x (vector-ref v 1))))"
    assert residual(text, "f", "d") == "(define (f x.1) (+ x.1 2))\n"


def test_frames_that_are_vectors_leave_nothing() -> None:
    text = """(define (find x names) (if (eq? x (car names)) 0 (+ 1 (find x (cdr names)))))
      (define (extend frame x) (list->vector (append (vector->list frame) (list x))))
      (define (evaluate e names frame)
        (cond ((number? e) e)
              ((symbol? e) (vector-ref frame (find e names)))
              ((eq? (car e) 'let)
               (evaluate (cadddr e)
                         (append names (list (cadr e)))
                         (extend frame (evaluate (caddr e) names frame))))
              ((eq? (car e) 'if)
               (if (= 0 (evaluate (cadr e) names frame))
                   (evaluate (caddr e) names frame)
                   (evaluate (cadddr e) names frame)))
              (else (+ (evaluate (cadr e) names frame) (evaluate (caddr e) names frame)))))
      (define (main e x) (evaluate e '(x y) (vector x 5)))"""
    source = "(let z (+ x y) (if x (+ z x) (let y (+ z 1) (+ z y))))"
    assert residual(text, "main", "sd", source) == (
        "(define (main x.1)\n"
        "  (let ((x.2 (+ x.1 5)))\n"
        "    (if (= 0 x.1) (+ x.2 x.1) (let ((x.3 (+ x.2 1))) (+ x.2 5)))))\n"
    )


def test_a_vector_is_known_beside_one_that_is_changed() -> None:
    text = """(define (run program x)
      (let ((code (list->vector program)) (stack (make-vector 2 0)))
        (let loop ((at 0))
          (if (= at (vector-length code))
              (vector-ref stack 0)
              (begin
                (if (eq? (vector-ref code at) 'push)
                    (vector-set! stack 0 x)
                    (vector-set! stack 0 (+ (vector-ref stack 0) (vector-ref code at))))
                (loop (+ at 1)))))))"""
    assert residual(text, "run", "sd", "(push 5)") == ("(define (run x.1) (+ x.1 5))\n")
    kept = text.replace("(vector-ref stack 0)\n", "stack\n")
    kept = kept.replace("(loop (+ at 1))", "(begin (display stack) (loop (+ at 1)))")
    assert residual(kept, "run", "sd", "(push 5)") == (
        "(define (run x.1)\n"
        "  (let ((stack.2 (make-vector 2 0)))\n"
        "    (vector-set! stack.2 0 x.1)\n"
        "    (display stack.2)\n"
        "    (vector-set! stack.2 0 (+ (vector-ref stack.2 0) 5))\n"
        "    (display stack.2)\n"
        "    stack.2))\n"
    )


STATEFUL = {
    "variables of a machine": (
        """
        (define (run program x)
          (let ((pc 0) (acc x) (stack '()))
            (define (next!) (let ((i (list-ref program pc))) (set! pc (+ pc 1)) i))
            (define (push! v) (set! stack (cons v stack)))
            (define (pop!) (let ((v (car stack))) (set! stack (cdr stack)) v))
            (let loop ()
              (let ((i (next!)))
                (case (car i)
                  ((load) (set! acc (cadr i)) (loop))
                  ((add) (set! acc (+ acc (cadr i))) (loop))
                  ((push) (push! acc) (loop))
                  ((pop) (set! acc (- (pop!) acc)) (loop))
                  ((jneg) (if (< acc 0) (set! pc (cadr i))) (loop))
                  (else acc))))))
        """,
        "((push) (load 3) (pop) (jneg 6) (add 100) (push) (add 1) (halt))",
        "(define (run x.1)\n"
        "  (let ((acc.2 (- x.1 3))) (if (< acc.2 0) (+ acc.2 1) (+ (+ acc.2 100) 1))))\n",
    ),
    "variables at the top level": (
        """
        (define pc 0)
        (define regs (make-vector 4 0))
        (define (reg n) (vector-ref regs n))
        (define (set-reg! n v) (vector-set! regs n v))
        (define (step i)
          (set! pc (+ pc 1))
          (case (car i)
            ((mov) (set-reg! (cadr i) (reg (caddr i))))
            ((sub) (set-reg! (cadr i) (- (reg (cadr i)) (caddr i))))
            ((jnz) (if (not (= 0 (reg (cadr i)))) (set! pc (caddr i))))))
        (define (run program x)
          (set-reg! 0 x)
          (let loop ()
            (if (< pc (length program))
                (begin (step (list-ref program pc)) (loop))
                (reg 1))))
        """,
        "((mov 1 0) (sub 1 -2) (sub 0 1) (jnz 0 1))",
        "(define (run x.1) (let ((v.2 (- x.1 -2))) (step-1 (- x.1 1) v.2)))\n\n"
        "(define (step-1 regs.1 regs.2)\n"
        "  (if (not (= 0 regs.1))\n"
        "      (let ((v.3 (- regs.2 -2))) (step-1 (- regs.1 1) v.3))\n"
        "      regs.2))\n",
    ),
    "a store under loops": (
        """
        (define env '())
        (define (look x) (cdr (assq x env)))
        (define (assign! x v)
          (set! env (map (lambda (b) (if (eq? (car b) x) (cons x v) b)) env)))
        (define (value e)
          (cond ((number? e) e)
                ((symbol? e) (look e))
                ((eq? (car e) '+) (+ (value (cadr e)) (value (caddr e))))
                (else (- (value (cadr e)) (value (caddr e))))))
        (define (execute s)
          (case (car s)
            ((set) (assign! (cadr s) (value (caddr s))))
            ((while)
             (let again ()
               (if (> (value (cadr s)) 0) (begin (for-each execute (cddr s)) (again)))))))
        (define (run program x)
          (set! env (list (cons 'n x) (cons 'sum 0)))
          (for-each execute program)
          (look 'sum))
        """,
        "((while n (set sum (+ sum n)) (set n (- n 1))))",
        "(define (run x.1) (again-1 x.1 0))\n\n"
        "(define (again-1 n.1 sum.2)\n"
        "  (if (> n.1 0) (let ((v.3 (+ sum.2 n.1))) (again-1 (- n.1 1) v.3)) sum.2))\n",
    ),
    "a vector that is filled and then read": (
        """
        (define (assemble lines)
          (let ((code (make-vector (length lines) 0)))
            (let loop ((l lines) (i 0))
              (cond ((null? l) code)
                    (else (vector-set! code i (* 2 (car l))) (loop (cdr l) (+ i 1)))))))
        (define (run program x)
          (let ((code (assemble program)))
            (let loop ((i 0) (sum x))
              (if (= i (vector-length code)) sum (loop (+ i 1) (+ sum (vector-ref code i)))))))
        """,
        "(1 2 3)",
        "(define (run x.1) (+ (+ (+ x.1 2) 4) 6))\n",
    ),
}
"""Interpreters that keep what they know in variables and vectors, a program, and the residual."""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", STATEFUL)
def test_what_is_assigned_may_be_known(name: str) -> None:
    text, program, expected = STATEFUL[name]
    annotated = MixProgram.loads(text).annotate("run", "sd")
    made = annotated.specialize([datum(program)])
    assert made.text == expected
    for x in (1, 4):
        assert outcome(made.text, "run", [x]) == outcome(text, "run", [datum(program), x])
    compiler = generator().compiler_by_cogen(annotated)
    assert compile_with(compiler, annotated, [datum(program)]).text == made.text
    assert generator().compiler_by_mix(annotated).text == compiler.text


def test_a_counter_of_which_nothing_is_known_does_not_change_the_recursion() -> None:
    """What follows each call would be an argument of it: the variable stays what it is."""
    text = """
      (define count 0)
      (define (run e n) (let ((r (ev e e n))) (list r count)))
      (define (ev e body x)
        (set! count (+ count 1))
        (cond ((number? e) e)
              ((eq? e 'x) x)
              ((eq? (car e) 'if)
               (if (< (ev (cadr e) body x) 2) (ev (caddr e) body x) (ev (cadddr e) body x)))
              ((eq? (car e) 'again) (ev body body (ev (cadr e) body x)))
              ((eq? (car e) '-) (- (ev (cadr e) body x) (ev (caddr e) body x)))
              (else (+ (ev (cadr e) body x) (ev (caddr e) body x)))))"""
    source = datum("(if x x (+ (again (- x 1)) (again (- x 2))))")
    annotated = MixProgram.loads(text).annotate("run", "sd")
    made = annotated.specialize([source])
    assert "cell-set! count" in made.text
    assert "lambda" not in made.text
    assert len(re.findall(r"\(define \(", made.text)) == 2
    for n in (1, 7):
        assert outcome(made.text, "run", [n]) == outcome(text, "run", [source, n])


KEPT = {
    "by continuations": "(call/cc (lambda (k) (set! n (+ n s)) k))",
    "by procedures that are data": "(set! n (list (lambda () (set! n 1) n) n))",
    "by vectors of vectors": "(vector-set! v 0 v)",
    "by a vector that is used later": "(let ((w (list v))) (vector-set! v 1 s) (display w))",
    "by an unknown place": "(vector-set! v (modulo x 2) s)",
}
"""What is done to a variable n and a vector v of which little is known, so that they stay."""


@pytest.mark.parametrize("name", KEPT)
def test_variables_and_vectors_that_stay(name: str) -> None:
    text = f"""(define (main s x)
      (let ((n 1) (v (vector s x)))
        (let ((done {KEPT[name]})) (set! n (if (number? n) (+ n s) n)))
        (list (vector-length v) (vector-ref v 1) (if (pair? n) (car n) n))))"""
    annotated = MixProgram.loads(text).annotate("main", "sd")
    made = annotated.specialize([1])
    assert re.search("cell-ref|vector-ref", made.text)
    numbers = text.replace("(car n)", "((car n))")
    made = MixProgram.loads(numbers).annotate("main", "sd").specialize([1])
    for x in (0, 3):
        assert outcome(made.text, "main", [x]) == outcome(numbers, "main", [1, x])


def test_programs_of_several_modules(tmp_path: Path) -> None:
    (tmp_path / "shapes.scm").write_text(
        """(define-library (shapes)
             (export area make-square count square?)
             (import (scheme base))
             (begin
               (define-record-type square (make-square side) square? (side square-side))
               (define made 0)
               (define (count) made)
               (define (area s) (set! made (+ made 1)) (double (square-side s)))
               (define (double x) (* x x))))"""
    )
    main = tmp_path / "main.scm"
    main.write_text(
        """(import (shapes))
           (define (double x) (+ x x))
           (define (f s x)
             (list (area (make-square x)) (area (make-square s)) (double x) (count)))"""
    )
    program = MixProgram.load(main)
    assert write_datum(program.run("f", [3, 5])) == "(25 9 10 2)"
    annotated = program.annotate("f", "sd")
    made = annotated.specialize([3])
    assert write_datum(made.run("f", [5])) == "(25 9 10 2)"
    assert write_datum(made.run("f", [5])) == "(25 9 10 2)", "each call is a run of the program"
    assert "square" not in made.text
    compiler = generator().compiler_by_cogen(annotated)
    assert compile_with(compiler, annotated, [3]).text == made.text


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
    made = MixProgram.loads(f"(define (f x) (cons {call} x))").annotate("f", "d").specialize([])
    interpreter = Interpreter(loads(f"(define (f x) (cons {call} x))"))
    interpreter.run()
    assert equal(made.run("f", [5]), interpreter.call("f", [5]))
    assert re.match(r"\(define \(f x\.1\) \(cons (?!\(\w)", made.text)


def test_the_specializer_is_in_its_own_subset() -> None:
    mix = MixProgram.load(MIX)
    assert mix.parameters("mix") == tuple(
        item for item in mix.parameters("mix") or () if isinstance(item, Symbol)
    )
    assert mix.annotate("mix", "ssdd").division == "ssdd"


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
    program = MixProgram.loads(text)
    assert write_datum(program.run("f", [7, 1])) == "(#t #f)"


def test_a_local_procedure_as_a_value() -> None:
    text = "(define (f n l) (define (add x) (if (= x 0) n (+ x n))) (map add l))"
    assert write_datum(MixProgram.loads(text).run("f", [5, datum("(0 1 2)")])) == "(5 6 7)"


def test_operations_of_many_arguments_are_done() -> None:
    text = """(define (f y x)
      (list (lcm y 6) (bitwise-xor y) (bitwise-and y 12 5) (word-add) (string<=? "a" "b" "a") x))"""
    assert residual(text, "f", "sd", "4") == (
        "(define (f x.1) (cons 12 (cons 4 (cons 4 (cons 0 (cons #f (cons x.1 '())))))))\n"
    )


def test_operations_of_many_arguments() -> None:
    text = "(define (f a b c) (list (+ a b c) (+) (+ a) (- a) (< a b c) (append '(1) '(2) '(3))))"
    assert write_datum(MixProgram.loads(text).run("f", [1, 2, 3])) == "(6 0 1 -1 #t (1 2 3))"


def test_libraries_procedures_are_copied_for_each_call() -> None:
    text = "(define (f a b) (cons (map car a) (map cdr b)))"
    names = [item.car.name for item in iterate(subset.loads(text))]
    assert len(names) == 3
    assert len(set(names)) == 3


REFUSED = {
    "what only the specializer knows": ("(define (f x)\n  (early= x x))", 2, 3, "`early=`"),
    "a question as a value": ("(define (f x)\n  (map known? x))", 2, 8, "`known?` as a value"),
    "value": ("(define (f x)\n  (map lift x))", 2, 8, "`lift` as a value"),
    "kept": ("(define (f x)\n  (dcall x 1))", 2, 3, "`dcall`"),
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
        MixProgram.loads(POWER).annotate("power", "s")
    with pytest.raises(CogenError, match="does not define") as caught:
        MixProgram.loads(POWER).annotate("powr", "s")
    assert caught.value.hint == "did you mean `power`?"


def test_deep_programs_are_taken(tmp_path: Path) -> None:
    deep = tmp_path / "deep.scm"
    deep.write_text("(define (f x) " + "(+ 1 " * 3000 + "x" + ")" * 3000 + ")")
    made = MixProgram.load(deep).annotate("f", "d").specialize([])
    assert made.run("f", [1]) == 3001


def test_libraries_of_the_language() -> None:
    text = """
    (import (srfi 1) (srfi 69) (srfi 95))
    (define (main l n)
      (let ((t (make-hash-table)))
        (for-each (lambda (x) (hash-table-set! t x (* x n))) (filter odd? l))
        (list (fold + n l) (sort l >) (hash-table->alist t))))
    """
    made = residual(text, "main", "sd", "(1 2 3)")
    interpreter = Interpreter(loads(made))
    interpreter.run()
    assert write_datum(interpreter.call("main", [10])) == "(16 (3 2 1) ((1 . 10) (3 . 30)))"
