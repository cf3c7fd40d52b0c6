"""Mutable objects that are set up at the start and never assigned later stay known."""

from __future__ import annotations

import pytest

import cogen
from cogen.binding_times import parse_bt
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads

pytestmark = pytest.mark.quick

TABLE = """
(define (run n)
  (let ((table (make-vector 2 0)))
    (vector-set! table 0 (lambda (n) (if (= n 0) 1 (* n ((vector-ref table 0) (- n 1))))))
    (vector-set! table 1 (lambda (n) ((vector-ref table 0) (+ n 1))))
    ((vector-ref table 1) n)))
"""
FRAME = """
(define (define! frame name value)
  (set-car! frame (cons name (car frame)))
  (set-cdr! frame (cons value (cdr frame))))
(define (look-up name names values)
  (if (eq? name (car names)) (car values) (look-up name (cdr names) (cdr values))))
(define (evaluate e x frame)
  (cond ((eq? e 'x) x)
        ((not (pair? e)) e)
        ((eq? (car e) 'if)
         (if (= 0 (evaluate (cadr e) x frame))
             (evaluate (caddr e) x frame)
             (evaluate (cadddr e) x frame)))
        ((eq? (car e) '-) (- (evaluate (cadr e) x frame) (evaluate (caddr e) x frame)))
        ((eq? (car e) '+) (+ (evaluate (cadr e) x frame) (evaluate (caddr e) x frame)))
        (else (evaluate (look-up (car e) (car frame) (cdr frame))
                        (evaluate (cadr e) x frame)
                        frame))))
(define (run program x)
  (let ((frame (cons '() '())))
    (for-each (lambda (d) (define! frame (car d) (cadr d))) program)
    (evaluate '(main x) x frame)))
"""
PROGRAM = """(static ((fib (if x 0 (if (- x 1) 1 (+ (fib (- x 1)) (fib (- x 2))))))
                       (main (+ (fib x) 1))))"""


def made(text: str, *times: str, entry: str = "run") -> cogen.Residual:
    return cogen.specialize(loads(text, "p.scm"), entry, *map(parse_bt, times))


def test_a_table_of_procedures_leaves_no_table() -> None:
    residual = made(TABLE, "(dynamic int)")
    assert "vector" not in residual.scheme
    assert residual.to_python()(4) == 120


def test_an_environment_made_by_assignment_leaves_no_environment() -> None:
    residual = made(FRAME, PROGRAM, "(dynamic int)")
    assert not {"car", "cdr", "cons", "look-up"} & set(residual.scheme.replace("(", " ").split())
    assert residual.to_python()(10) == 56


ASSIGNED_LATE = {
    "in what is called": (
        """(define (count! v n) (if (= n 0) (vector-ref v 0)
             (begin (vector-set! v 0 (+ (vector-ref v 0) n)) (+ 0 (count! v (- n 1))))))
           (define (run n)
             (let ((v (vector 1 2))) (let ((a (count! v n))) (list a (vector-ref v 0)))))""",
        [11, 11],
    ),
    "after the call": (
        """(define (sum v n) (if (= n 0) (vector-ref v 0) (+ 1 (sum v (- n 1)))))
           (define (run n)
             (let* ((v (vector 1)) (a (sum v n)))
               (vector-set! v 0 10)
               (list a (sum v n))))""",
        [5, 14],
    ),
    "in a procedure that stays": (
        """(define (run n)
             (let* ((v (vector 0))
                    (step! (lambda (x) (vector-set! v 0 (+ x (vector-ref v 0))) (vector-ref v 0))))
               (for-each (lift step!) (list n n n))
               (list (vector-ref v 0))))""",
        [12],
    ),
    "by who gets it": (
        """(define (f v n) (if (= n 0) v (car (list (f v (- n 1))))))
           (define (run n)
             (let* ((v (vector 1 2)) (w (f v n)))
               (vector-set! w 1 n)
               (list (vector-ref v 1) (eq? v w))))""",
        [4, True],
    ),
    "after an element was read": (
        """(define (run n)
             (let* ((v (vector 1 2 3 4 5)) (a (vector-ref v n)))
               (vector-set! v 4 7)
               (list a (vector-ref v n) (vector-length v))))""",
        [5, 7, 5],
    ),
    "in a loop that reads": (
        """(define (run n)
             (let ((v (vector 1 2 3 4 5)))
               (let loop ((i 0) (sum 0))
                 (if (> i n) sum
                     (let ((x (vector-ref v i)))
                       (vector-set! v n 10)
                       (loop (+ i 1) (+ sum x)))))))""",
        20,
    ),
    "after a procedure with it has left": (
        """(define (run n)
             (let* ((v (vector 1 2 3)) (get (lambda (i) (+ i (vector-ref v 1)))))
               (let ((a (map get (list n n))))
                 (vector-set! v 1 10)
                 (list a ((lift get) n) (vector-ref v 1)))))""",
        [[6, 6], 14, 10],
    ),
    "a variable": (
        """(define (run n)
             (let* ((count 0)
                    (loop #f))
               (set! loop (lambda (n) (if (= n 0) 0 (begin (set! count (+ count 1))
                                                          (+ 1 (loop (- n 1)))))))
               (let ((a (loop n))) (list a count))))""",
        [4, 4],
    ),
}


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", ASSIGNED_LATE)
def test_what_is_assigned_late_is_an_object_of_the_residual_program(name: str) -> None:
    text, expected = ASSIGNED_LATE[name]
    residual = made(text, "(dynamic int)")
    assert residual.to_python()(4) == expected
    assert residual.compile()(4) == expected


def test_a_table_that_is_computed_early_is_a_constant() -> None:
    residual = made(
        """
        (define (make-table)
          (let ((table (make-vector 16 0)))
            (do ((i 0 (+ i 1))) ((= i 16) table)
              (vector-set! table i (remainder (* i i) 16)))))
        (define (run l)
          (let ((table (make-table)))
            (let loop ((l l) (sum 0))
              (if (null? l) sum
                  (loop (cdr l) (+ sum (vector-ref table (remainder (car l) 16))))))))
        """,
        "_",
    )
    assert "'#(0 1 4 9 0 9 4 1 0 1 4 9 0 9 4 1)" in residual.scheme
    assert "make-vector" not in residual.scheme
    assert "(vector " not in residual.scheme
    assert residual.scheme.count("null?") == 1
    assert residual.to_python()([1, 2, 19]) == residual.compile()([1, 2, 19]) == 14


def test_what_a_procedure_that_leaves_has_of_a_vector_is_known() -> None:
    residual = made(
        """
        (define (run n)
          (let ((v (vector 1 2 3)) (call (lift (lambda (f) (f n)))))
            (call (lambda (x) (* x (vector-ref v 2))))))
        """,
        "_",
    )
    assert "vector" not in residual.scheme
    assert residual.to_python()(5) == 15


def test_a_vector_that_leaves_itself_is_made_for_each_call() -> None:
    residual = made(
        """
        (define (spoil! v) (vector-set! v 0 (+ 9 (vector-ref v 0))) (vector-ref v 0))
        (define (run n)
          (let ((v (vector 1 2 3))) (list (vector-ref v n) ((lift spoil!) v))))
        """,
        "_",
    )
    assert residual.scheme.count("(vector 1 2 3)") == 1
    function = residual.to_python()
    assert [function(0), function(1), function(0)] == [[1, 10], [2, 10], [1, 10]]


def test_an_interpreter_and_its_residual_program_agree() -> None:
    whole = Interpreter(loads(FRAME, "p.scm"))
    whole.run()
    residual = made(FRAME, PROGRAM, "(dynamic int)")
    program = parse_bt(PROGRAM).value  # type: ignore[union-attr]
    for x in range(8):
        assert residual.to_python()(x) == whole.call("run", [program, x])


def test_a_generating_extension_gives_the_same() -> None:
    program = loads(FRAME, "p.scm")
    extension = cogen.generate(program, "run", parse_bt("(static)"), parse_bt("(dynamic int)"))
    given = map(parse_bt, (PROGRAM, "(dynamic int)"))
    assert extension(*given).scheme == made(FRAME, PROGRAM, "(dynamic int)").scheme
