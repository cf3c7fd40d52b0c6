"""The interpreter: control flow, deep recursion, continuations, the Python interface."""

from __future__ import annotations

import io

import pytest

from cogen.lang import il
from cogen.lang.datum import from_iterable, symbol
from cogen.lang.errors import CogenError, LimitationError
from cogen.lang.iltext import parse
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from tests.lang.running import call, output, value

pytestmark = pytest.mark.quick

FIB = "(define (fib n) (if (< n 2) n (+ (fib (- n 1)) (fib (- n 2)))))"


def run_il(text: str, name: str, *arguments: object, **options: int) -> object:
    interpreter = Interpreter(parse(text), output=io.StringIO(), **options)
    interpreter.run()
    return interpreter.call(name, arguments)


# Calls, loops, closures


def test_recursion() -> None:
    assert call(FIB, "fib", [15]) == 610


@pytest.mark.slow
def test_deep_recursion_does_not_use_pythons_stack() -> None:
    text = "(define (count n) (if (= n 0) 0 (+ 1 (count (- n 1)))))"
    assert call(text, "count", [1_000_000]) == 1_000_000


def test_long_loops_take_constant_space() -> None:
    text = """
    (define (even n) (if (= n 0) #t (odd (- n 1))))
    (define (odd n) (if (= n 0) #f (even (- n 1))))
    """
    assert call(text, "even", [300_000]) is True


def test_tail_calls_through_the_prelude_take_constant_space() -> None:
    text = """
    (define (loop n)
      (if (= n 0)
          (call/cc (lambda (k) k))
          (call-with-values (lambda () (values n 1)) (lambda (a b) (loop (- a b))))))
    """
    frame = call(text, "loop", [1000]).frame
    depth = 0
    while frame is not None:
        frame, depth = frame[1], depth + 1
    assert depth < 5


def test_loops_capture_the_variables_of_each_turn() -> None:
    text = """
      (map (lambda (f) (f))
           (let loop ((i 0) (made '()))
             (if (= i 4) made (loop (+ i 1) (cons (lambda () (* i i)) made)))))
    """
    assert value(text) == "(9 4 1 0)"


def test_arguments_of_a_loop_are_assigned_at_once() -> None:
    assert value("(let loop ((a 1) (b 2) (n 3)) (if (= n 0) (list a b) (loop b a (- n 1))))") == (
        "(2 1)"
    )


def test_mutual_recursion_of_local_procedures() -> None:
    text = """
      (define x 10)
      (define (even n) (if (= n 0) (list 'even x) (odd (- n 1))))
      (define (odd n) (if (= n 0) (list 'odd x) (even (- n 1))))
      (even 1001)
    """
    assert value(text) == "(odd 10)"


def test_rest_arguments() -> None:
    text = "(define (f a . b) (list a b)) (list (f 1) (f 1 2 3) (apply f '(1 2)))"
    assert value(text) == "((1 ()) (1 (2 3)) (1 (2)))"


def test_assigned_variables() -> None:
    text = """
      (define (counter) (let ((n 0)) (lambda () (set! n (+ n 1)) n)))
      (define a (counter))
      (define b (counter))
      (a) (a) (b)
      (list (a) (b))
    """
    assert value(text) == "(3 2)"


def test_primitives_are_values() -> None:
    assert value("(map + '(1 2) '(10 20) '(100 200))") == "(111 222)"
    assert value("(apply < '(1 2 3))") == "#t"
    assert value("(let ((f car)) (f '(1)))") == "1"
    assert value("(eq? car car)") == "#t"
    assert value("(apply apply (list + '(1 2)))") == "3"


def test_operands_are_evaluated_from_left_to_right() -> None:
    text = """
    (define (say x) (display x) x)
    (list (say 1) (say 2) ((begin (say 3) list) (say 4) (say 5)))
    """
    assert output(text) == "12345"


def test_conditionals_nested_deeper_than_python_allows() -> None:
    depth = 300
    text = "0"
    for i in range(depth):
        text = f"(if (> n {i}) {text} {i})"
    program = f"(define (f n) {text})"
    assert call(program, "f", [depth]) == 0
    assert call(program, "f", [7]) == depth - 1


@pytest.mark.slow
def test_deeply_nested_expressions() -> None:
    depth = 5000
    sums = "(+ 1 " * depth + "0" + ")" * depth
    calls = "(f " * depth + "0" + ")" * depth
    assert call(f"(define (f n) (+ n 1)) (define (g) {sums})", "g", []) == depth
    assert call(f"(define (f n) (+ n 1)) (define (g) {calls})", "g", []) == depth


def test_literal_operands_make_no_python_warnings(recwarn: pytest.WarningsRecorder) -> None:
    text = """
    (define (f) (list (eq? 1 1) (pair? 5) (null? 5) (not 5) (if 5 1 2) (eq? #t 1) (cons 1 2)))
    (write (f))
    (write (let ((x 5)) (cond (x) (else 2))))
    (define (g) (vector-ref 5 0))
    (define (h) (car 5))
    (define (i) (5))
    """
    assert output(text) == "(#t #f #f #f 1 #f (1 . 2))5"
    interpreter = Interpreter(loads(text), output=io.StringIO())
    interpreter.run()
    for name in "ghi":
        with pytest.raises(CogenError):
            interpreter.call(name, [])
    assert not recwarn.list


# Continuations


def test_escapes() -> None:
    text = """
    (call/cc (lambda (k) (for-each (lambda (x) (if (negative? x) (k x))) '(54 0 37 -3 245)) #t))
    """
    assert value(text) == "-3"


def test_continuations_are_entered_again() -> None:
    text = """
    (define k #f)
    (define (f)
      (let loop ((i 0) (seen '()))
        (if (< i 3)
            (loop (+ i 1) (cons (call/cc (lambda (c) (if (= i 1) (set! k c)) i)) seen))
            (reverse seen))))
    (define count 0)
    (define results '())
    (set! results (cons (f) results))
    (set! count (+ count 1))
    (if (< count 3) (k (* count 100)))
    (write results)
    """
    assert output(text) == "((0 200 2) (0 100 2) (0 1 2))"


def test_a_continuation_at_top_level_includes_the_rest_of_the_program() -> None:
    text = """
    (define k #f)
    (define n 0)
    (display (call/cc (lambda (c) (set! k c) 'start)))
    (newline)
    (set! n (+ n 1))
    (if (< n 3) (k n))
    (display "end")
    """
    assert output(text) == "start\n1\n2\nend"


def test_a_continuation_outlives_its_call() -> None:
    text = """
    (define k #f)
    (define (f x) (+ x (call/cc (lambda (c) (set! k c) 1))))
    (define (again x) (k x))
    """
    interpreter = Interpreter(loads(text))
    interpreter.run()
    assert interpreter.call("f", [10]) == 11
    assert interpreter.call("again", [5]) == 15
    assert interpreter.call("again", [6]) == 16


def test_generators() -> None:
    text = """
    (define (tree->generator tree)
      (define return #f)
      (define (resume)
        (let walk ((tree tree))
          (cond ((null? tree) 'skip)
                ((pair? tree) (walk (car tree)) (walk (cdr tree)))
                (else (call/cc (lambda (here)
                        (set! resume (lambda () (here 'go)))
                        (return tree))))))
        (return 'done))
      (lambda () (call/cc (lambda (r) (set! return r) (resume)))))
    (define next (tree->generator '((1 2) (3 (4)))))
    (write (let* ((a (next)) (b (next)) (c (next)) (d (next)) (e (next))) (list a b c d e)))
    """
    assert output(text) == "(1 2 3 4 done)"


def test_continuations_take_several_values() -> None:
    text = "(call-with-values (lambda () (call/cc (lambda (k) (k 1 2 3)))) list)"
    assert value(text) == "(1 2 3)"


# The IL that other passes make


def test_recursive_continuations_are_loops() -> None:
    text = """
    (program
      (define sum (lambda (n) k (
        (conts (loop (i s) ((let done (= i n)) (if done ((jump k s)) (
                  (let s2 (+ s i)) (let i2 (+ i '1)) (jump loop i2 s2))))))
        (jump loop '0 '0)))))
    """
    assert run_il(text, "sum", 1000) == 499500
    assert run_il(text, "sum", 10, max_steps=100) == 45


def test_continuations_that_jump_to_each_other() -> None:
    text = """
    (program
      (define collatz (lambda (n) k (
        (conts
          (test (x c) ((let one (= x '1)) (if one ((jump k c)) (
                  (let odd (odd? x)) (if odd ((jump up x c)) ((jump down x c)))))))
          (up (y d) ((let a (* y '3)) (let b (+ a '1)) (let e (+ d '1)) (jump test b e)))
          (down (z f) ((let g (quotient z '2)) (let h (+ f '1)) (jump test g h))))
        (jump test n '0)))))
    """
    assert run_il(text, "collatz", 27) == 111


def test_a_continuation_is_jumped_to_and_returned_to() -> None:
    text = """
    (program
      (define id (lambda (x) r ((jump r x))))
      (define f (lambda (n) k (
        (let m (* n '2))
        (conts (join (v) ((let w (+ v m)) (jump k w))))
        (let big (> n '10))
        (if big ((call (global id) (n) join)) ((jump join '0)))))))
    """
    assert run_il(text, "f", 20) == 60
    assert run_il(text, "f", 5) == 10


def test_loops_around_calls_keep_their_variables() -> None:
    text = """
    (program
      (define double (lambda (x) r ((let y (* x '2)) (jump r y))))
      (define f (lambda (n) k (
        (conts (loop (i s) (
          (let more (< i n))
          (conts (got (v) ((let t (+ s v)) (let j (+ i '1)) (jump loop j t))))
          (if more ((call (global double) (i) got)) ((jump k s))))))
        (jump loop '0 '0)))))
    """
    assert run_il(text, "f", 5) == 20


def test_primitives_that_are_called() -> None:
    text = """
    (program
      (define f (lambda (x) k ((call (prim +) (x '1 '2) k))))
      (define g (lambda (x) k ((call (prim dcall) ((prim -) x) k)))))
    """
    assert run_il(text, "f", 4) == 7
    assert run_il(text, "g", 4) == -4


# The Python interface


def test_calls_take_and_give_data() -> None:
    text = "(define (f x y) (list y x))"
    result = call(text, "f", [symbol("a"), from_iterable([1, 2])])
    assert result.car.cdr.car == 2
    assert result.cdr.car is symbol("a")


def test_word_size() -> None:
    text = "(define (f b) (store-word! b 0 -1) (list (word-size) (load-word b 1)))"
    buffer = bytearray(b"\0\0\0\1\2")
    result = call(text, "f", [buffer], word_size=16)
    assert (result.car, result.cdr.car) == (16, 256)
    assert buffer == b"\xff\xff\0\1\2"


def test_output_goes_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    Interpreter(loads('(display "hello")')).run()
    assert capsys.readouterr().out == "hello"


def test_output_before_an_error_is_written(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(CogenError):
        Interpreter(loads('(display "before") (car 1)')).run()
    assert capsys.readouterr().out == "before"


def test_globals_keep_their_values_between_calls() -> None:
    interpreter = Interpreter(loads("(define n 0) (define (next) (set! n (+ n 1)) n)"))
    interpreter.run()
    assert [interpreter.call("next", []) for _ in range(3)] == [1, 2, 3]


def test_an_error_leaves_the_interpreter_usable() -> None:
    interpreter = Interpreter(
        loads("(define (f x) (with-exception-handler (lambda (e) (car e)) (lambda () (car x))))")
    )
    interpreter.run()
    for _ in range(2):
        with pytest.raises(CogenError, match="car: expected a pair, got #<error"):
            interpreter.call("f", [5])
        assert interpreter.call("f", [from_iterable([1])]) == 1


def test_call_checks_its_arguments() -> None:
    interpreter = Interpreter(loads("(define (f x) x) (define v 5) (define (g x . y) y)"))
    interpreter.run()
    for name, arguments, message in (
        ("f", [], "f: expected 1 argument, got 0"),
        ("g", [], "g: expected at least 1 argument, got 0"),
        ("h", [], "there is no procedure h"),
        ("v", [], "v is not a procedure"),
    ):
        with pytest.raises(CogenError) as caught:
            interpreter.call(name, arguments)
        assert caught.value.message == message


@pytest.mark.parametrize(
    "body", ["(f)", "(+ 1 (f))", "(let loop () (loop))", "(begin (g) (f))", "(call/cc f)"]
)
def test_steps_are_limited(body: str) -> None:
    text = f"(define (g) 1) (define (f . k) {body})"
    interpreter = Interpreter(loads(text), max_steps=10_000)
    interpreter.run()
    with pytest.raises(LimitationError, match="the program takes more than 10000 steps"):
        interpreter.call("f", [])


def test_values_are_defined_in_order() -> None:
    program = loads("(define a 1) (define b (+ a 1)) (write (list a b))")
    assert any(isinstance(item, il.Value) for item in program.items)
    assert output("(define a 1) (define b (+ a 1)) (write (list a b))") == "(1 2)"


def test_errors_in_procedures_that_are_written_alike_have_their_own_places() -> None:
    """The code of units is kept for others of the same text: of the same program, and of others."""
    text = "(define (f x) (g x))\n(define (first l) (vector-ref l 9))\n{}(define (g x) (first x))"
    for lines in (0, 2):
        program = loads(text.format("\n" * lines))
        for _ in range(2):
            machine = Interpreter(program)
            machine.run()
            with pytest.raises(CogenError) as found:
                machine.call("f", [[1]])
            assert found.value.span is not None
            assert found.value.span.line == 2
    alike = loads("(define (f l)\n (vector-ref l 7))\n(define (g l)\n (vector-ref l 7))")
    machine = Interpreter(alike)
    machine.run()
    for name, line in (("f", 2), ("g", 4)):
        with pytest.raises(CogenError) as found:
            machine.call(name, [[1]])
        assert found.value.span is not None
        assert found.value.span.line == line
