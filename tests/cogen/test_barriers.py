"""Barrier cells: carried unseen, settled before anything observes; early tests and claims."""

from __future__ import annotations

from io import StringIO

import pytest

from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.lang.printer import write_datum
from cogen.residual import ResidualProgram
from cogen.specializer.values.alias import buffers_differ, canonical, claimed, facts
from tests.cogen.textbook import call, operations, residual_of, running, text_of

SIGNALS = "(import (signals signal) (signals layouts))\n"
MEMORY = "(dynamic memory)"


def cached(text: str, *times: str) -> ResidualProgram:
    return residual_of(SIGNALS + text, "f", *times)


def put(k: int, v: object, buffer: str = "b") -> str:
    """Put v in byte k."""
    return f"(signal-put! (make-signal {buffer} {8 * k} {8 * k} 8 8) {v})"


def get(k: int, buffer: str = "b") -> str:
    return f"(signal-get (make-signal {buffer} {8 * k} {8 * k} 8 8))"


@pytest.mark.one_in(4)
@pytest.mark.parametrize(
    ("what", "stores"),
    [
        (f"{put(0, 1)} {put(1, 2)} 0", 1),
        (f"{put(0, 1)} (load-word b 0) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (store-word! b 1 5) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (display x) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (bytevector-copy b) {put(1, 2)} 0", 2),
        (f"{put(0, 1)} (init-cache 4) {put(1, 2)} 0", 1),
        (f"{put(0, 1)} (let ((n (buffer-words b))) {put(1, 2)} n)", 1),
        (f"{put(0, 1)} (let ((n (bytevector-length b))) {put(1, 2)} n)", 1),
        (f"{put(0, 1)} (let ((v {get(4)})) {put(1, 2)} v)", 1),
        (f"{put(0, 1)} (if (odd? x) {put(1, 2)} {put(1, 3)}) {put(2, 4)} 0", 1),
    ],
)
def test_only_what_observes_memory_is_a_barrier(what: str, stores: int) -> None:
    residual = cached(f"(define (f b x) (init-cache 2) {what})", MEMORY, "(dynamic int)")
    assert operations(residual)["store-word!"] == stores


def test_an_unknown_procedure_sees_memory_up_to_date() -> None:
    text = f"(define (f b g) (init-cache 2 'carry) {put(0, 7)} (let ((x (g b))) {put(1, 8)} x))"
    source, residual = loads(SIGNALS + text), cached(text, MEMORY, "_")
    for program in (source, residual.program):
        interpreter = Interpreter(program)
        interpreter.run()
        memory = bytearray(4)
        look = Interpreter(loads("(define (look b) (load-word b 0))"))
        look.run()
        assert interpreter.call("f", [memory, look.machine.globals["look"]]) == 7
        assert memory == bytes([7, 8, 0, 0])


def test_a_procedure_that_escapes_finds_and_leaves_memory_up_to_date() -> None:
    text = f"""
    (define (f b g)
      (init-cache 2 'carry)
      {put(0, 1)}
      (let ((x (g (lambda (v) (let ((old {get(0)})) {put(0, "v")} old)))))
        (+ x {get(0)})))
    """
    residual = cached(text, MEMORY, "_")
    caller = Interpreter(loads("(define (twice k) (+ (* 100 (k 5)) (k 6)))"))
    caller.run()
    interpreter = Interpreter(residual.program)
    interpreter.run()
    memory = bytearray(4)
    assert interpreter.call("f", [memory, caller.machine.globals["twice"]]) == 105 + 6
    assert memory[0] == 6


def test_recursion_starts_and_ends_with_an_empty_cache() -> None:
    text = f"""
    (define (climb b x)
      (if (= x 0)
          {get(0)}
          (begin
            {put(0, "x")}
            (let ((below (climb b (- x 1))))
              {put(1, "below")}
              (+ below {get(0)} {get(1)})))))
    (define (f b x) (init-cache 3 'carry) (climb b x))
    """
    residual = cached(text, MEMORY, "(dynamic int)")
    program = loads(SIGNALS + text)
    for x in (0, 1, 4):
        interpreter = Interpreter(program)
        interpreter.run()
        expected, got = bytearray(4), bytearray(4)
        result = interpreter.call("f", [expected, x])
        assert call(residual, got, x) == result
        assert got == expected


def test_continuations_carry_the_cell() -> None:
    text = f"""
    (define (f b x)
      (init-cache 2 'carry)
      (let ((y (call/cc (lambda (k) {put(0, 1)} (if (odd? x) (k 5)) {put(1, 2)} 6))))
        {put(2, "y")}
        y))
    """
    residual = cached(text, MEMORY, "(dynamic int)")
    assert operations(residual)["load-word"] == 2  # a word for each arm, which byte 3 is kept of
    for x, expected in ((1, [1, 0, 5, 0]), (2, [1, 2, 6, 0])):
        memory = bytearray(4)
        call(residual, memory, x)
        assert list(memory) == expected


def test_programs_that_assign_pairs_may_have_a_cache() -> None:
    text = f"""
    (define (f b x)
      (init-cache 2 'carry)
      (let ((p (list x 2)))
        {put(0, "(car p)")}
        (set-car! p 3)
        {put(1, "(car p)")}
        (if (odd? x) {put(2, 1)})
        (+ {get(0)} {get(1)})))
    """
    residual = cached(text, MEMORY, "(dynamic int)")
    memory = bytearray(4)
    assert call(residual, memory, 7) == 10
    assert list(memory) == [7, 3, 1, 0]


OWN = """
(define cell (make-barrier-cell 0 (lambda () (cell-set! cell 0) {handler})))
(define (f x) (cell-set! cell (+ x 1)) {body})
"""


def test_a_handler_runs_before_output_and_at_the_end_only_if_it_must() -> None:
    handler = "(display 'settled)"
    residual = residual_of(
        OWN.format(handler=handler, body="(cell-ref cell)"), "f", "(dynamic int)"
    )
    assert text_of(residual) == "(define (f x) (display 'settled) (+ x 1))"
    clean = OWN.format(handler=handler, body="(cell-set! cell 0) x")
    assert text_of(residual_of(clean, "f", "(dynamic int)")) == "(define (f x) x)"


def test_what_a_handler_does_is_not_settled_again() -> None:
    """It writes memory, in another file, while its cell is not yet as it was made."""
    handler = f"(let ((b (cell-ref cell))) {put(0, 5)} {put(4, 6)} (cell-set! cell 0))"
    residual = cached(
        f"(define cell (make-barrier-cell 0 (lambda () {handler})))\n"
        f"(define (f b x) (cell-set! cell b) {put(8, 'x')} 0)",
        MEMORY,
        "(dynamic int)",
    )
    assert operations(residual)["store-word!"] == 3
    memory = bytearray(12)
    call(residual, memory, 7)
    assert list(memory) == [5, 0, 0, 0, 6, 0, 0, 0, 7, 0, 0, 0]


FAILING = """
(define cell (make-barrier-cell 0 {procedures}))
(define (f x)
  (let loop ((i x))
    (if (odd? i)
        (begin (cell-set! cell (+ (cell-ref cell) 1)) {then})
        i)))
"""


@pytest.mark.parametrize(
    ("procedures", "then", "shown"),
    [
        ('(lambda () (error "no"))', "(set-car! (list i) (newline)) 5",
         '(define (f x) (cond ((odd? x) (newline) (error "no")) (else x)))'),
        ('(lambda () (error "no"))', "5", '(define (f x) (if (odd? x) (error "no") x))'),
        ('(lambda () (cell-set! cell 0)) (lambda (meeting) (error "no"))', "(if (> i 9) 5 6)",
         '(define (f x) (if (odd? x) (error "no") x))'),
    ],
)  # fmt: skip
def test_a_handler_that_fails_ends_the_path(procedures: str, then: str, shown: str) -> None:
    residual = residual_of(FAILING.format(procedures=procedures, then=then), "f", "(dynamic int)")
    assert text_of(residual) == shown
    assert call(residual, 8) == 8
    with pytest.raises(CogenError, match="no"):
        call(residual, 7)


COUNTING = """
(define cell (make-barrier-cell 0 (lambda () {handler})))
(define other (make-barrier-cell 0 (lambda () (cell-set! other 0))))
(define (next n) (if (= n {most}) 1 (+ n 1)))
(define (f x)
  {first}
  (let loop ((i x))
    (if (> i 0)
        (begin (cell-set! cell (next (cell-ref cell))) (loop (- i 1)))
        i)))
"""


@pytest.mark.parametrize(("first", "lines"), [("", 0), ("(init-cache 3)", 3)])
def test_what_cells_hold_makes_so_many_versions_of_a_loop(first: str, lines: int) -> None:
    """Four with something in the cell and one for each line of the cache, then it is settled and
    the loop is where it began."""
    text = COUNTING.format(handler="(cell-set! cell 0) (newline)", most=1000, first=first)
    residual = residual_of(text, "f", "(dynamic int)")
    most = 4 + lines
    assert residual.statistics["residual blocks"] == most + 2
    assert operations(residual)["if"] == most + 1
    for x in (0, 1, most, most + 1, most + 2, 2 * most + 2, 2 * most + 3):
        output = StringIO()
        interpreter = Interpreter(residual.program, 32, output)
        interpreter.run()
        assert interpreter.call("f", [x]) == 0
        assert output.getvalue() == "\n" * -(-x // (most + 1))


def test_versions_that_there_are_stay_in_use() -> None:
    text = COUNTING.format(handler="(cell-set! cell 0) (newline)", most=4, first="")
    residual = residual_of(text, "f", "(dynamic int)")
    for x in (0, 1, 4, 5, 9, 23):
        output = StringIO()
        interpreter = Interpreter(residual.program, 32, output)
        interpreter.run()
        assert interpreter.call("f", [x]) == 0
        assert output.getvalue() == "\n" * (x > 0)  # at the end only


def test_where_cells_may_hold_no_more_a_handler_may_fail() -> None:
    text = COUNTING.format(handler='(error "full")', most=1000, first="")
    residual = residual_of(text, "f", "(dynamic int)")
    assert text_of(residual) == '(define (f x) (if (> x 0) (error "full") x))'
    assert call(residual, 0) == 0
    for x in (1, 4, 5, 6):
        with pytest.raises(CogenError, match="full"):
            call(residual, x)


def test_before_memo_points_a_cell_is_told_whether_arms_meet_there() -> None:
    text = """
    (define cell (make-barrier-cell 0 (lambda () (cell-set! cell 0)) (lambda (meet) (write meet))))
    (define (f x) (cell-set! cell 1) (+ (if (odd? x) 1 2) (cell-ref cell)))
    """
    residual = residual_of(text, "f", "(dynamic int)")
    assert text_of(residual) == (
        "(define (f x) (write #f) (let ((t-1 (cond ((odd? x) (write #t) (write #t) 1) "
        "(else (write #t) (write #t) 2)))) (+ t-1 1)))"
    )


def test_the_entry_of_a_program_with_a_cache_is_called_by_itself() -> None:
    text = "(init-cache 2) (define (f n) (if (= n 0) 0 (+ 1 (f (- n 1)))))"
    residual = residual_of(text, "f", "(dynamic int)")
    assert text_of(residual) == "(define (f n) (if (= n 0) 0 (+ 1 (f (- n 1)))))"
    assert residual.statistics["residual procedures"] == 1


def test_what_fails_in_a_handler_is_told_at_the_call_that_led_there() -> None:
    text = f"""
    (define cell (make-barrier-cell 0 (lambda () (cell-set! cell 0) (first 5))))
    (define (first n) (car n))
    (define (write-it b x) (cell-set! cell 1) {put(0, 1)} (+ x 1))
    (define (f b x) (+ 1 (write-it b x)))
    """
    with pytest.raises(CogenError) as caught:
        cached(text, MEMORY, "(dynamic int)")
    first, *places = [line.strip() for line in str(caught.value).splitlines()]
    assert first.endswith("error: car: expected a pair, got 5")
    assert places[-2].endswith(f": {put(0, 1)}")
    assert places[-1].endswith(": (write-it b x)")
    assert not any("library" in place for place in places)


def test_a_procedure_made_while_a_cell_holds_something_starts_with_it_settled() -> None:
    text = """
    (define cell (make-barrier-cell 0 (lambda () (cell-set! cell 0))))
    (define (f v)
      (cell-set! cell 1)
      (vector-set! v 0 (lambda (y) (+ y (cell-ref cell))))
      (+ 10 (cell-ref cell)))
    """
    residual = residual_of(text, "f", "_")
    vector: list[object] = [0]
    interpreter = running(residual)
    assert interpreter.call("f", [vector]) == 11
    caller = Interpreter(loads("(define (call p) (p 5))"))
    caller.run()
    assert caller.call("call", vector) == 5


def test_other_objects_of_a_program_with_a_cache_can_escape() -> None:
    text = f"""
    (define (f b g)
      (init-cache 2 'carry)
      (let ((v (vector 1 2))) {put(0, 1)} (g v) (vector-ref v 0)))
    """
    residual = cached(text, MEMORY, "_")
    caller = Interpreter(loads("(define (change v) (vector-set! v 0 7))"))
    caller.run()
    assert call(residual, bytearray(4), caller.machine.globals["change"]) == 7


@pytest.mark.parametrize(
    ("text", "auto", "shown"),
    [
        ("(init-cache 3 'carry)", False, "'((0 #f) 3 #t)"),
        ("(init-cache 3 'carry)", True, "'((0 #f) 3 #t)"),
        ("(init-cache 3)", False, "'((0 #f) 3 #f)"),
        ("", True, "'((8 #f) 8 #f)"),
        ("", False, "'((0 #f) 0 #f)"),
    ],
)
def test_what_the_cache_is_before_and_after_it_is_said(text: str, auto: bool, shown: str) -> None:
    text = f"""
    (define (f x)
      (let ((before (list (cache-lines) (cache-carries?))))
        {text}
        (list before (cache-lines) (cache-carries?))))
    """
    residual = residual_of(text, "f", "_", auto=auto)
    assert text_of(residual) == f"(define (f x) {shown})"


@pytest.mark.parametrize(("words", "most"), [(0, 0), (1, 1), (3, 3), (8, 8), (10, 8)])
def test_the_cache_that_is_chosen_has_as_many_lines_as_are_used(words: int, most: int) -> None:
    puts = " ".join(put(4 * k, k) for k in range(words))
    text = f"{SIGNALS}(define (f b x) {puts} (if (odd? x) (if (> x 9) 1 2) (load-word b 0)))"
    residual = residual_of(text, "f", MEMORY, "(dynamic int)", auto=True)
    found = [v for k, v in residual.statistics.items() if k.startswith("init-cache")]
    assert found == [most] * (most > 0)


def test_cells_of_a_program_are_not_the_cache() -> None:
    text = """
    (define cell (make-barrier-cell '() (lambda () (cell-set! cell '()))))
    (define (f x) (cell-set! cell (list x 1)) (if (odd? x) 1 2))
    """
    residual = residual_of(text, "f", "(dynamic int)")
    assert not any(name.startswith("init-cache") for name in residual.statistics)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (OWN.format(handler="(cell-set! cell 3)", body="x"), "leaves something in its cell"),
        (OWN.format(handler="(if (odd? count) (display 1))", body="(set! count x) x")
         + "(define count 0)", "depends on something that only a run can know"),
        ("(define (f x) (make-barrier-cell x (lambda () 0)))", "for definitions of the top level"),
        ("(define c (make-barrier-cell (list 1 2) 5)) (define (f x) (cell-ref c))",
         "expected a constant and procedures"),
        ("(define c (make-barrier-cell 0 (lambda () 0))) (define (f x) (display c))",
         "cannot become a value of a run"),
    ],
)  # fmt: skip
def test_what_a_barrier_cell_must_not_do(text: str, message: str) -> None:
    with pytest.raises((CogenError, LimitationError), match=message):
        residual_of(text, "f", "(dynamic int)")


@pytest.mark.parametrize(
    ("a", "b", "answer"),
    [
        ("x", "x", False),
        ("x", "(+ x 1)", True),
        ("(+ x 3)", "(- x 1)", True),
        ("x", "y", False),
        ("c", "d", True),
        ("c", "(+ d 1)", False),
        ("c", "(+ (* 2 d) 3)", True),
        ("c", "7", True),
        ("c", "4", False),
        ("3", "4", True),
        ("b", "b", False),
        ("b", "e", True),
        ("'a", "'b", True),
        ("x", "'b", True),
    ],
)
def test_what_is_known_to_be_different(a: str, b: str, answer: bool) -> None:
    text = f"(define (f x y c d b e) (early-different? {a} {b}))"
    integer = "(dynamic int)"
    times = [integer, integer, "(cyclic 4 0)", "(cyclic 4 3)", MEMORY, MEMORY]
    shown = "#t" if answer else "#f"
    assert text_of(residual_of(text, "f", *times)).endswith(f" {shown})")


def test_what_is_known() -> None:
    text = "(define (f x) (list (known? x) (known? 1) (known? (list 1 2)) (known? (= x 1))))"
    assert "'(#f #t #t #f)" in text_of(residual_of(text, "f", "(dynamic int)"))


def test_claims_hold_between_their_two_sides_only() -> None:
    text = """
    (define (f b c x)
      (let*-values (((p q) (assume-disjoint b b))
                    ((r s) (assume-disjoint b q)))
        (let loop ((i x))
          (if (> i 0)
              (loop (- i 1))
              (list (early-different? p q) (early-different? q s) (early-different? r s)
                    (early-different? p s) (early-different? p r) (early-different? b p)
                    (early-different? c r) (eq? b p))))))
    """
    shown = text_of(residual_of(text, "f", MEMORY, MEMORY, "(dynamic int)"))
    assert "#t #f #t #t #f #f #t" in shown


def test_types_of_buffers() -> None:
    assert facts("int") is None
    assert facts("memory:2/7.0/9.1") == ("2", {"7": "0", "9": "1"})
    assert buffers_differ("memory:1", "memory:2")
    known = ["any", "memory", "memory:1", "memory:1/7.0"]
    assert {buffers_differ(a, b) for a in known for b in known} == {False}
    left, right = claimed("memory", 7, 0), claimed("memory:3", 7, 1)
    assert buffers_differ(left, right)
    assert not buffers_differ(left, claimed("memory", 8, 1))
    claims: dict[str, str] = {}
    assert canonical(left, claims) == "memory:/0.0"
    assert canonical(right, claims) == "memory:3/0.1"
    assert canonical("memory:/9.1", claims) == "memory:/1.1"


def test_a_run_has_no_cache() -> None:
    program = loads(f"{SIGNALS}(define (f b) (init-cache 3) {put(0, 1)} (cache-lines))")
    interpreter = Interpreter(program)
    interpreter.run()
    memory = bytearray(1)
    assert interpreter.call("f", [memory]) == 0
    assert memory[0] == 1


@pytest.mark.parametrize("x", [1, 2])
def test_objects_of_the_top_level_live_beyond_conditionals(x: int) -> None:
    text = """
    (define table (vector 10 20))
    (define count (let ((n 0)) (lambda () (set! n (+ n 1)) n)))
    (define (f x)
      (count)
      (if (odd? x) (vector-set! table 0 x) (count))
      (list (vector-ref table 0) (vector-ref table (bitwise-and x 1)) (count)))
    """
    residual = residual_of(text, "f", "(dynamic int)")
    interpreter = Interpreter(loads(text))
    interpreter.run()
    assert write_datum(call(residual, x)) == write_datum(interpreter.call("f", [x]))
