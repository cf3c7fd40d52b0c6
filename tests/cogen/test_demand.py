"""Demand: versions for what the program asks for, one piece of code for what it does not."""

from __future__ import annotations

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.convert import to_datum
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.printer import write_datum

pytestmark = pytest.mark.quick


def residual(text: str, entry: str, *times: str, **options: int) -> cogen.Residual:
    return cogen.specialize(cogen.loads(text), entry, *map(parse_bt, times), **options)


def code(text: str, entry: str, *times: str) -> str:
    """The residual program on one line, without comments."""
    made = residual(text, entry, *times).scheme
    return " ".join(" ".join(line for line in made.splitlines() if line.strip()[:1] != ";").split())


RESULTS = [
    # what follows a conditional, what is left
    ("(cons y r)", "(define (f c x y) (cons y (if c '() (list x))))"),
    ("(null? r)", "(define (f c x y) (and c #t))"),
    ("(if (pair? r) (car r) y)", "(define (f c x y) (if c y x))"),
]


@pytest.mark.parametrize(("rest", "left"), RESULTS)
def test_arms_meet_unless_their_results_are_asked_for(rest: str, left: str) -> None:
    text = f"(define (f c x y) (let ((r (if c '() (list x)))) {rest}))"
    assert code(text, "f", "_", "_", "_") == left


@pytest.mark.parametrize("arms", ["(* b 2) 0", "0 (* b 2)", "0 b", "b 0"])
def test_a_number_of_one_arm_meets_what_is_unknown_in_the_other(arms: str) -> None:
    """... whichever comes first, and whether the unknown value is another variable's or not."""
    text = f"(define (f a b) (let ((r (if (= a 1) {arms}))) (cons b (cons r (* r a)))))"
    assert code(text, "f", "_", "_") == text
    asked = text.replace("(* r a)", "(= r 0)")
    assert code(asked, "f", "_", "_").count("(if ") == 1
    assert "(= 0 0)" not in code(asked, "f", "_", "_")


def test_gates_are_one_after_the_other() -> None:
    """What is lifted where it is used is not asked for: each gate's results meet."""
    text = """
    (define (xor a b) (if (= (lift a) (lift b)) 0 1))
    (define (f a b c d) (xor (xor (xor a b) c) d))
    """
    assert code(text, "f", "_", "_", "_", "_").count("(= ") == 3


def test_numbers_that_are_only_counted_make_one_loop() -> None:
    text = """
(define (f n) (let loop ((i 0) (s 0)) (if (< i n) (loop (+ i 1) (+ s i)) s)))
"""
    made = code(text, "f", "_")
    assert made.count("(if ") == 1
    assert "((i 0) (s 0))" in made


def test_a_recursion_that_only_counts_is_one_procedure() -> None:
    text = """
(define (f n) (iota 0 n))
(define (iota a b) (if (< a b) (cons a (iota (+ a 1) b)) '()))
"""
    assert code(text, "f", "_") == (
        "(define (f n) (iota 0 n)) (define (iota a b) (if (< a b) (cons a (iota (+ a 1) b)) '()))"
    )


def test_a_number_that_ends_the_loop_is_known() -> None:
    text = """
(define (f p) (let loop ((i 0) (acc '()))
  (if (= i 3) acc (loop (+ i 1) (if (p i) (cons i acc) acc)))))
(define (g k) (f (lambda (i) (> i k))))
"""
    assert "(= " not in residual(text, "f", "_").scheme
    made = residual(text, "g", "(dynamic int)")
    assert [made.to_python()(k) for k in (0, 2)] == [[2, 1], []]


def test_what_is_asked_after_a_loop_does_not_unroll_it() -> None:
    text = """
(define (f n)
  (let loop ((i 0) (b 1))
    (if (< i n) (loop (+ i 1) (+ b b)) (if (> b 100) (- b 100) b))))
"""
    made = residual(text, "f", "_")
    assert made.scheme.count("(loop-1 ") == 1
    assert [made.to_python()(n) for n in (0, 6, 7)] == [1, 64, 28]


SIGNAL = """
(import (signals))
(define (clip x low high) (max low (min x high)))
(define (total b n)
  (let loop ((s (make-signal b 0 (* 8 n) 8 8)) (acc 0))
    (if (signal-end? s) acc (loop (signal-next s) (+ acc (clip (signal-get s) 0 255))))))
"""


def test_an_address_that_starts_at_0_is_known_modulo_the_word() -> None:
    """Four versions of the loop for bytes in words of 32 bits, one load for each word."""
    made = residual(SIGNAL, "total", "(dynamic memory)", "(cyclic 4 0)")
    assert made.scheme.count("(load-word ") == made.scheme.count("(loop-1 ") == 1
    assert made.scheme.count("255)") == 3  # of four bytes, the last is what remains
    assert not {"max", "min", "floor-quotient"} & set(made.scheme.replace("(", " ").split())
    assert made.compile()(bytes(range(200)), 200) == sum(range(200))


THIRDS = """
(define (thirds n)
  (let loop ((i 0) (c 0))
    (if (< i n) (loop (+ i 1) (if (= (modulo i 3) 0) (+ c i) (+ c 1))) c)))
"""


def test_only_what_is_divided_keeps_its_remainder() -> None:
    """Three rounds make the loop, though what is added up is a multiple of 3 at first."""
    made = residual(THIRDS, "thirds", "(dynamic int)")
    assert made.scheme.count("(if ") == 3
    assert made.scheme.count("(loop-1 ") == 1
    call = made.to_python()
    for n in range(12):
        assert call(n) == sum(i if i % 3 == 0 else 1 for i in range(n))


def test_a_remainder_that_is_needed_behind_a_loop_makes_no_versions_of_it() -> None:
    """... and one that is needed in it does: after a conditional in it, too."""
    loop = "(define (f n) (let loop ((i 0) (a 0) (b 1)) (if (< i n) (loop (+ i 1) b (+ a b)) {})))"
    behind = residual(
        loop.format("(let g ((x a) (y 12)) (if (= y 0) x (g y (modulo x y))))"), "f", "_"
    )
    assert behind.scheme.count("(if ") <= 5
    assert [behind.to_python()(n) for n in range(13)] == [12, 1, 1, 2, 3, 1, 4, 1, 3, 2, 1, 1, 12]
    inside = """
    (define (f n)
      (let loop ((i 0) (s 0))
        (cond ((>= i n) s)
              ((= (quotient n 2) s) (loop (+ i 1) (if (= (floor-remainder i 4) 3) (+ s 1) s)))
              (else (loop (+ i 1) (+ s (* 2 (floor-remainder i 4))))))))
    """
    made = residual(inside, "f", "(dynamic int)")
    assert "remainder" not in made.scheme
    machine = Interpreter(cogen.loads(inside))
    machine.run()
    assert [made.to_python()(n) for n in range(12)] == [machine.call("f", [n]) for n in range(12)]


COLLECTED = """
(define (f n)
  (let loop ((i 0) (out '()))
    (cond ((= i n) {})
          ((= 0 (remainder n (+ i 1))) (loop (+ i 1) (cons i out)))
          (else (loop (+ i 1) out)))))
"""


@pytest.mark.parametrize("rest", ["(reverse out)", "(append out (list n))", "(length out)"])
def test_a_procedure_of_the_library_does_not_ask_what_a_list_is(rest: str) -> None:
    """Lists that are empty or not meet in one loop, though what is done with them at its end could
    be done at once for the empty one."""
    text = COLLECTED.format(rest)
    made, machine = residual(text, "f", "(dynamic int)"), Interpreter(cogen.loads(text))
    machine.run()
    assert made.scheme.count("(remainder ") == 1
    for n in (0, 1, 6, 12):
        assert write_datum(to_datum(made.to_python()(n))) == write_datum(machine.call("f", [n]))


def test_what_a_procedure_of_the_library_gives_may_be_asked_for() -> None:
    text = "(define (f c x) (let ((l (reverse (if c '() (list x))))) (if (null? l) x (list c x))))"
    assert code(text, "f", "_", "_") == "(define (f c x) (if c x (list c x)))"


def test_procedures_are_not_on_trial() -> None:
    text = """
(define (f c x) (let ((g (if c (lambda (y) (+ x y)) #f))) (if g (g 1) x)))
"""
    assert "lambda" not in residual(text, "f", "_", "_").scheme


def test_an_index_into_what_is_known_is_asked_for() -> None:
    text = """
(define (f p)
  (let ((steps (vector (lambda (x) (+ x 1)) (lambda (x) (* x 2)))))
    (let loop ((i 0) (x 5)) (if (p x) x (loop (remainder (+ i 1) 2) ((vector-ref steps i) x))))))
"""
    made = residual(text, "f", "_")
    assert "vector" not in made.scheme
    assert "lambda" not in made.scheme


INTERPRETER = """
(define (run program x) (ev program (list (cons 'x x))))
(define (ev e env)
  (cond ((symbol? e) (cdr (assq e env)))
        ((not (pair? e)) e)
        ((eq? (car e) 'if) (if (ev (cadr e) env) (ev (caddr e) env) (ev (cadddr e) env)))
        ((eq? (car e) 'begin)
         (let loop ((es (cdr e)))
           (let ((value (ev (car es) env)))
             (if (null? (cdr es)) value (loop (cdr es))))))
        ((eq? (car e) 'down) (down e env))
        (else ((if (eq? (car e) '+) + -) (ev (cadr e) env) (ev (caddr e) env)))))
(define (down e env)
  (if (< (ev 'x env) 1)
      (ev (cadr e) env)
      (ev (list 'begin 0 e) (list (cons 'x (ev '(- x 1) env))))))
"""


def test_the_last_part_of_a_sequence_is_a_tail_call() -> None:
    """`down` is called from within a sequence, which has nothing left to do."""
    made = residual(INTERPRETER, "run", "(static (down 7))", "(dynamic int)")
    assert made.to_python()(5) == 7
    assert "symbol?" not in made.scheme
    assert made.to_python()(100_000) == 7


def test_compilers_make_the_same_of_it() -> None:
    program = cogen.loads(INTERPRETER)
    later, known = cogen.static(), cogen.static(cogen.datum("(down (if x 1 2))"))
    made = cogen.generate(program, "run", later, cogen.dynamic("int"))
    expected = cogen.specialize(program, "run", known, cogen.dynamic("int")).scheme
    assert made(known, cogen.dynamic("int")).scheme == expected


def test_what_cannot_be_less_known_reaches_the_limit() -> None:
    text = "(define (f x keys) (if (pair? keys) (or (eq? x (car keys)) (f x (cdr keys))) #f))"
    with pytest.raises(CogenError, match="more than 2 versions of f"):
        residual(text, "f", "_", "(static (a b c d e))", max_variants=2)


def test_arms_meet_only_with_types_that_hold_in_both() -> None:
    text = """
(define (kind x) (if (pair? x) (cons 'pair (car x)) x))
(define (f c p)
  (let ((x (if c p 1)))
    (if (pair? p) (write p))
    (list (kind x) (kind p))))
"""
    made = residual(text, "f", "_", "_").to_python()
    assert [made(True, [5]), made(False, [5]), made(True, 2)] == [
        [cogen.datum("(pair . 5)"), cogen.datum("(pair . 5)")],
        [1, cogen.datum("(pair . 5)")],
        [2, 2],
    ]


LIBRARY_LOOPS = [
    (
        "(define (f l) (let ((seen '())) "
        "(for-each (lambda (c) (set! seen (cons c seen))) l) seen))",
        "(define (f l) (let f-1 ((items l) (seen '())) (cond ((pair? items) "
        "(let ((t (car items))) (f-1 (cdr items) (cons t seen)))) ((null? items) seen) "
        '(else (error "for-each: expected a list, got" items)))))',
    ),
    (
        "(define count 0) (define (f l) (for-each (lambda (x) (set! count (+ count x))) l) count)",
        "(define (f l) (let f-1 ((items l) (count 0)) (cond ((pair? items) "
        "(let ((count-1 (+ count (car items)))) (f-1 (cdr items) count-1))) ((null? items) count) "
        '(else (error "for-each: expected a list, got" items)))))',
    ),
]


@pytest.mark.parametrize(("text", "left"), LIBRARY_LOOPS)
def test_what_a_loop_of_the_library_collects_for_its_caller(text: str, left: str) -> None:
    assert code(text, "f", "_") == left


def test_an_object_that_a_loop_hands_out_is_one_of_the_residual_program_before_it() -> None:
    text = (
        "(define (f n i) (let ((v (make-vector 3 0))) (let loop ((n n) (i i)) (if (= n 0) v "
        "(begin (vector-set! v i (+ n (vector-ref v 0))) (loop (- n 1) (modulo (+ i 1) 3)))))))"
    )
    assert code(text, "f", "_", "_") == (
        "(define (f n i) (let ((vector-1 (vector 0 0 0))) (let loop-1 ((n-1 n) (i-1 i)) "
        "(cond ((= n-1 0) vector-1) "
        "(else (vector-set! vector-1 i-1 (+ n-1 (vector-ref vector-1 0))) "
        "(loop-1 (- n-1 1) (modulo (+ i-1 1) 3)))))))"
    )


DEEP = "(define (deep v) (if (pair? v) (cons (deep (car v)) (deep (cdr v))) v))"
KINDS = [
    # what is known of the kind of a value, and what is left of a recursion over lists
    ("(define (f a) (deep (* a a)))", "(define (f a) (* a a))"),
    ("(define (f a) (if (symbol? a) (deep a) 0))", "(define (f a) (if (symbol? a) a 0))"),
    ("(define (f a) (if (pair? a) 0 (deep (vector-ref a 0))))", "(deep (vector-ref a 0))"),
    (
        "(define (f a b) (deep (if (= a 0) (* b b) (- a b))))",
        "(define (f a b) (if (= a 0) (* b b) (- a b)))",
    ),
    (
        "(define (f a) (if (eq? a 'x) (deep a) (if (string? a) (if (null? a) 1 (deep a)) 2)))",
        "(define (f a) (if (or (eq? a 'x) (string? a)) a 2))",
    ),
]


@pytest.mark.parametrize(("text", "left"), KINDS)
def test_the_kind_of_a_value_decides_what_is_done_with_it(text: str, left: str) -> None:
    found = code(text + DEEP, "f", *["_"] * (text.count("b") > 2), "_")
    assert left in found
    assert ("(define (deep v)" in found) == ("(deep " in left)


def test_a_loop_that_only_the_kind_of_a_variable_ends_is_a_loop() -> None:
    text = '(define (f a) (let loop () (if (number? a) (begin (display "x") (loop)) a)))'
    assert code(text, "f", "_") == (
        '(define (f a) (let loop-1 () (cond ((number? a) (display "x") (loop-1)) (else a))))'
    )


CARRIED_OUT = [
    # operations on what might be assigned, but is not
    ("(bytevector-u8-ref #u8(1 2 3) 1)", "2"),
    ("(list->string (list #\\a #\\b))", '"ab"'),
    ("(utf8->string #u8(97 98))", '"ab"'),
    ("(equal? (list 'go x) '(go 0))", "(eqv? x 0)"),
    ("(equal? (list 'go x) '(stay 0))", "#f"),
    ("(if (car x) (if (car x) 1 2) 3)", "(if (car x) 1 3)"),
]


@pytest.mark.parametrize(("body", "left"), CARRIED_OUT)
def test_what_nothing_assigns_is_as_it_was(body: str, left: str) -> None:
    assert code(f"(define (f x) {body})", "f", "_") == f"(define (f x) {left})"


ASSIGNED = [
    ("(define (g b) (bytevector-u8-set! b 0 1))", "(bytevector-u8-ref #u8(1 2 3) 1)"),
    ("(define (g l) (set-car! l 1))", "(if (car x) (if (car x) 1 2) 3)"),
]


@pytest.mark.parametrize(("setter", "body"), ASSIGNED)
def test_where_something_may_be_assigned_it_is_looked_at_again(setter: str, body: str) -> None:
    found = code(f"(define (f x) {body}) {setter}", "f", "_")
    assert found == f"(define (f x) {body})"


@pytest.mark.parametrize("setter", ["", "set-a!"])
def test_fields_of_records_that_are_never_assigned_are_read_once(setter: str) -> None:
    """A setter that nothing calls makes no difference."""
    text = f"(define-record-type r (make a) r? (a r-a {setter}))"
    assert "(if (r-a x) 1 3)" in code(
        text + "(define (f x) (if (r-a x) (if (r-a x) 1 2) 3))", "f", "_"
    )


def test_fields_of_records_that_are_assigned_are_read_again() -> None:
    text = """(define-record-type r (make a) r? (a r-a set-a!))
        (define (f x y) (if (r-a x) (begin (set-a! y #f) (if (r-a x) 1 2)) 3))"""
    assert code(text, "f", "_", "_").count("(r-a x)") == 2


def test_a_procedure_that_comes_from_outside_may_assign_pairs() -> None:
    kept = "(define (f x g) (if (car x) (begin (g x) (if (car x) 1 2)) 3))"
    assert code(kept, "f", "_", "_").count("(car x)") == 2


def test_counters_of_loops_of_the_library_are_given_up_at_once() -> None:
    """... as a length of 0 is that of no list with items."""
    text = """
(define (f l) (if (null? l) 0 (halves (length l))))
(define (halves n) (if (= n 1) 1 (+ (halves (quotient n 2)) (halves (- n (quotient n 2))))))
"""
    assert residual(text, "f", "_").scheme.count("(define ") == 2


def test_lists_that_are_collected_under_tests_are_made_once() -> None:
    """... not a copy of all that follows for each of the lists that there may be."""
    text = """
(define (flags names b)
  (let loop ((names names) (b b) (on '()))
    (if (null? names)
        (reverse on)
        (loop (cdr names) (quotient b 2) (if (odd? b) (cons (car names) on) on)))))
(define (f a b) (list (flags '(read write run own) a) (flags '(read write run own) b) a))
"""
    made = residual(text, "f", "(dynamic int)", "(dynamic int)")
    assert made.statistics["residual blocks"] < 40
    program = Interpreter(made.program.program)
    program.run()
    assert write_datum(program.call("f", [5, 10])) == "((read run) (write own) 5)"


def test_a_list_of_names_that_is_searched_is_known() -> None:
    text = """
(define (f c x y)
  (let ((names (if c (cons 'a (cons 'b '())) (cons 'b '()))))
    (let find ((l names))
      (cond ((null? l) 0) ((eq? (car l) 'a) x) (else (+ y (find (cdr l))))))))
"""
    assert code(text, "f", "_", "_", "_") == "(define (f c x y) (if c x (+ y 0)))"
