"""Constructor specialization: what grows keeps what is known of each of its pairs and records."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen import binding_times
from cogen.binding_times import parse_bt
from cogen.lang import il
from cogen.lang.datum import Datum
from cogen.lang.interp import Interpreter
from cogen.lang.reader import read_datum
from cogen.specializer.advice.advise import Advice
from tests.corpus.cases import grow, interpreter

MACHINE = """
(define-record-type test (make-test then else env next) test? (then then) (else else) (env env-of)
  (next next-of-test))
(define-record-type operand (make-operand op rest done env next) operand? (op op) (rest rest)
  (done done) (env env-of-operand) (next next))
(define-record-type halt (make-halt) halt?)
(define (value e env k)
  (cond ((number? e) (return k e))
        ((symbol? e) (return k (cdr (assq e env))))
        ((eq? (car e) 'if) (value (cadr e) env (make-test (caddr e) (cadddr e) env k)))
        (else (value (cadr e) env (make-operand (car e) (cddr e) '() env k)))))
(define (return k v)
  (cond ((halt? k) v)
        ((test? k) (value (if v (then k) (else k)) (env-of k) (next-of-test k)))
        ((operand? k)
         (if (null? (rest k))
             (call (op k) (reverse (cons v (done k))) (next k))
             (value (car (rest k)) (env-of-operand k)
                    (make-operand (op k) (cdr (rest k)) (cons v (done k)) (env-of-operand k)
                                  (next k)))))
        (else (error "no continuation" k))))
(define (call f vs k)
  (cond ((eq? f '+) (return k (+ (car vs) (cadr vs))))
        ((eq? f '-) (return k (- (car vs) (cadr vs))))
        ((eq? f '*) (return k (* (car vs) (cadr vs))))
        ((eq? f '<) (return k (< (car vs) (cadr vs))))
        (else (let ((f (assq f program))) (value (caddr f) (map cons (cadr f) vs) k)))))
(define program
  '((fib (n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))
    (power (b n) (if (< n 1) 1 (* b (power b (- n 1)))))))
(define (fib n) (call 'fib (list n) (make-halt)))
(define (power b n) (call 'power (list b n) (make-halt)))
(define (wrong n) (return 'nothing n))
"""
"""A machine with continuations as records."""


def residual(text: str, entry: str, *times: str) -> cogen.Residual:
    return cogen.specialize(cogen.loads(text), entry, *map(parse_bt, times))


def result(program: il.Program, entry: str, *arguments: Datum) -> Datum:
    machine = Interpreter(program)
    machine.run()
    return machine.call(entry, list(arguments))


def left(made: cogen.Residual, *arguments: Datum) -> Datum:
    """What a residual program gives."""
    return result(made.program.program, made.entry, *arguments)


@pytest.mark.one_in(2)
@pytest.mark.slow
@pytest.mark.quick
@pytest.mark.parametrize(("entry", "inputs"), [("fib", (10,)), ("power", (3, 4))])
def test_a_machine_with_continuations_leaves_their_dynamic_parts(
    entry: str, inputs: tuple[int, ...]
) -> None:
    times = ["_"] * len(inputs)
    made = residual(MACHINE, entry, *times)
    assert left(made, *inputs) == result(cogen.loads(MACHINE), entry, *inputs)
    assert "operand-" in made.scheme
    for name in ("quote", "'", "assq", "reverse", "map", "error"):
        assert name not in made.scheme
    division = list(map(parse_bt, times))
    assert cogen.generate(cogen.loads(MACHINE), entry, *division)(*division).scheme == made.scheme


@pytest.mark.quick
def test_fields_that_nothing_reads_are_left_out() -> None:
    """Of the frame for `(* b _)` the environment is not needed any more, nor is the n in it."""
    made = residual(MACHINE, "power", "_", "_").scheme
    assert "(make-operand-2 b next)\n" in made
    assert "operand-3" not in made


@pytest.mark.quick
def test_what_an_error_tells_has_no_boxes() -> None:
    with pytest.raises(cogen.CogenError, match="no continuation nothing"):
        residual(MACHINE, "wrong", "_")
    text = MACHINE.replace(
        "(else (let ((f (assq", '((eq? f \'at) (error "at" k)) (else (let ((f (assq'
    )
    text = text.replace("(* b (power", "(at b (power")
    made = residual(text, "power", "_", "_")
    with pytest.raises(cogen.CogenError) as error:
        left(made, 2, 1)
    with pytest.raises(cogen.CogenError) as wanted:
        result(cogen.loads(text), "power", 2, 1)
    assert error.value.message == wanted.value.message


STACK = """
(define (run code pc stack frames)
  (let ((i (vector-ref code pc)))
    (case (car i)
      ((push) (run code (+ pc 1) (cons (cadr i) stack) frames))
      ((dup) (run code (+ pc 1) (cons (car stack) stack) frames))
      ((add) (run code (+ pc 1) (cons (+ (cadr stack) (car stack)) (cddr stack)) frames))
      ((mul) (run code (+ pc 1) (cons (* (cadr stack) (car stack)) (cddr stack)) frames))
      ((zero) (run code (if (= 0 (car stack)) (cadr i) (+ pc 1)) stack frames))
      ((call) (run code (cadr i) stack (cons (+ pc 1) frames)))
      ((ret) (if (null? frames) (car stack) (run code (car frames) stack (cdr frames)))))))
(define (start code n) (run code 0 (list n) '()))
"""
"""A stack machine with return addresses."""

STEPS = st.sampled_from(
    [["(push {c})", "(add)"], ["(push {c})", "(mul)"], ["(dup)", "(add)"], ["(call {next})"]]
)


@st.composite
def machine_code(draw: st.DrawFn) -> str:
    """Procedures that call themselves with one less, and later ones."""
    count = draw(st.integers(1, 3))
    bodies: list[list[str]] = []
    for number in range(count):
        steps = [
            step.replace("{c}", str(draw(st.integers(-2, 3)))).replace("{next}", f"<{number + 1}>")
            for steps in draw(st.lists(STEPS, max_size=3))
            for step in steps
        ]
        if number == count - 1:
            steps = [step for step in steps if "call" not in step]
        recursion = ["(push -1)", "(add)", f"(call <{number}>)"]
        bodies.append(["(zero <end>)", *recursion, *steps, "(ret)"])
    starts = [sum(map(len, bodies[:number])) for number in range(count + 1)]
    code = [
        step.replace("<end>", str(starts[number + 1] - 1))
        for number, body in enumerate(bodies)
        for step in body
    ]
    for number in range(count):
        code = [step.replace(f"<{number}>", str(starts[number])) for step in code]
    return f"#({' '.join(code)})"


@given(machine_code(), st.integers(0, 4))
@settings(max_examples=max(6, settings().max_examples // 160), deadline=None)
def test_machines_that_return_give_what_they_gave(code: str, n: int) -> None:
    program = cogen.loads(STACK)
    static = read_datum(code)
    made = cogen.specialize(program, "start", binding_times.Static(static), parse_bt("_"))
    assert left(made, n) == result(program, "start", static, n)
    for name in ("vector-ref", "'ret", "cadr"):
        assert name not in made.scheme


MIXED = MACHINE.replace(
    "(cond ((eq? f '+)", "(cond ((eq? f 'here) (return k k)) ((halt? f) 0) ((eq? f '+)"
)


@pytest.mark.quick
def test_continuations_that_are_values_too_are_asked_for_by_their_types() -> None:
    """... and there is an arm for what is none."""
    made = residual(MIXED, "fib", "_")
    assert result(cogen.loads(MIXED), "fib", 8) == left(made, 8) == 21
    assert "halt-1?" in made.scheme
    assert "assq" not in made.scheme


@pytest.mark.quick
def test_advice_names_what_is_put_into_boxes() -> None:
    advice = Advice(cogen.loads(MACHINE), "fib", [parse_bt("_")])
    lifts = [lift for step in advice.steps for lift in step.lifts]
    assert "k" in {lift.name for lift in lifts if "parts that are known" in lift.reason}


def test_programs_with_boxes_mean_the_same() -> None:
    program = cogen.loads(MACHINE)
    for step in Advice(program, "fib", [parse_bt("_")]).steps:
        assert result(step.program, "fib", 9) == 34


@pytest.mark.quick
def test_tags_that_are_assigned_tell_nothing() -> None:
    """... of what a list begins with, after a test: here 'first may have become 'second."""
    text = """
    (define (next k) (if (eq? (car k) 'first) (begin (set-car! k 'second) (again k)) (caddr k)))
    (define (again k) (if (eq? (car k) 'second) (cadr k) 'none))
    (define (f n) (next (list 'first n 1)))
    """
    assert left(residual(text, "f", "_"), 7) == result(cogen.loads(text), "f", 7) == 7


FRAMES = """
(define (run code n) (go code 0 (list n) '()))
(define (go code pc stack frames)
  (let ((i (vector-ref code pc)))
    (case (car i)
      ((const) (go code (+ pc 1) (cons (cadr i) stack) frames))
      ((local) (go code (+ pc 1) (cons (cadr (car frames)) stack) frames))
      ((add) (go code (+ pc 1) (cons (+ (cadr stack) (car stack)) (cddr stack)) frames))
      ((sub) (go code (+ pc 1) (cons (- (cadr stack) (car stack)) (cddr stack)) frames))
      ((jneg) (go code (if (< (car stack) 0) (cadr i) (+ pc 1)) (cdr stack) frames))
      ((call) (go code (cadr i) (cdr stack) (cons (list (+ pc 1) (car stack)) frames)))
      ((ret) (go code (caar frames) stack (cdr frames)))
      ((halt) (car stack)))))
"""
FIB = """#((call 2) (halt) (local) (const 2) (sub) (jneg 17)
           (local) (const 1) (sub) (call 2) (local) (const 2) (sub) (call 2) (add) (ret) (halt)
           (local) (ret))"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("n", [0, 1, 7])
def test_what_is_looked_into_where_it_was_made_holds_records_still(n: int) -> None:
    """A frame is looked into behind the call that makes it; the one before it is not known there
    any more, else more would be known in each round."""
    made = residual(FRAMES, "run", f"(static {FIB})", "(dynamic int)")
    assert left(made, n) == result(cogen.loads(FRAMES), "run", read_datum(FIB), n)
    assert made.to_python()(n) == left(made, n)
    for name in ("quote", "'#", "vector-ref", "code"):
        assert name not in made.scheme
    types = [line for line in made.scheme.splitlines() if line.startswith("(define-record-type")]
    assert len(types) == 3  # of the frames made at the three calls


@pytest.mark.parametrize("case", ["church", "compose"])
def test_what_fields_of_boxes_hold_has_a_type(case: str) -> None:
    """A procedure that closes over procedures calls these without asking whether they are any."""
    (found,) = (one for one in interpreter("closures-record").cases if one.name == case)
    made = cogen.specialize(found.interpreter.loaded, found.interpreter.entry, *found.times)
    assert re.search(r"closure-\d+-\w+ ", made.scheme)  # a field is read
    assert "error" not in made.scheme


def test_boxes_that_come_back_to_a_block_from_itself_have_arms_there() -> None:
    """A block that leads to itself while it runs does not wait for its turn: what comes to it
    afterwards makes it again."""
    machine = interpreter("return-vm")
    parts = read_datum(
        """((%each (call f%) (push 5) (mod)) (halt)
            (%each f% (dup) (jz base%) (push 1) (sub) (call f%) (push %) (add) (ret)
                   base% (pop) (push (%at 2 1)) (ret)))"""
    )
    for count in (5, 8):
        program = grow(parts, count)
        made = cogen.specialize(
            machine.loaded, machine.entry, binding_times.Static(program), parse_bt("_")
        )
        for n in (0, 3):
            assert left(made, n) == result(machine.loaded, machine.entry, program, n)
