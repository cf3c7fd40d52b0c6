"""Native programs use memory for what is alive only, and have no stack that overflows."""

from __future__ import annotations

import re
import resource

import pytest

from cogen.api import loads
from cogen.backends.native.compile import compile_program
from tests.cogen.nativecode.running import Run, agree, native, plain, plain_calls

LIMIT = {"COGEN_MEMORY": "24"}
"""Megabytes of heap."""

FLAT = {
    "short lists": "(define (loop n x) (if (= n 0) (length x) (loop (- n 1) (list n n n))))"
    "(display (loop 5000000 '()))",
    "an old vector with young lists": "(define v (make-vector 1000 '()))"
    "(define (loop n) (if (> n 0) (begin (vector-set! v (modulo n 1000) (list n)) (loop (- n 1)))))"
    "(loop 3000000) (display (vector-ref v 5))",
    "one slot, no allocation": "(define c (vector 0))"
    "(define (loop n x) (if (> n 0) (begin (vector-set! c 0 x) (loop (- n 1) x))))"
    "(loop 3000000 (list 1)) (display c)",
    "floats": "(define (loop n s) (if (= n 0) s (loop (- n 1) (+ s 0.5))))"
    "(display (loop 5000000 0.0))",
    "strings": "(define (loop n s) (if (= n 0) (string-length s)"
    ' (loop (- n 1) (string-append "abc" (number->string n)))))(display (loop 500000 ""))',
    "large vectors": "(define (loop n v) (if (= n 0) (vector-length v)"
    " (loop (- n 1) (make-vector 60000 n))))(display (loop 300 #()))",
    "continuations": "(define (loop n k) (if (= n 0) 0 (loop (- n 1) (call/cc (lambda (c) c)))))"
    "(display (loop 300000 0))",
    "tail calls into the library": "(define (loop n)"
    " (if (= n 0) 'done (for-each loop (list (- n 1)))))(display (loop 100000))",
    "handlers": "(define (loop n) (if (> n 0) (begin (guard (e (#t 1)) (raise n)) (loop (- n 1)))))"
    "(loop 20000) (display 'done)",
}


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=plain_calls if name == "floats" else ()) for name in FLAT]
)
def test_a_long_running_loop_stays_flat(name: str) -> None:
    done = native(loads(FLAT[name]), environment=LIMIT)
    assert (done.err, done.status) == ("", 0)
    assert done.out


@plain
def test_the_process_stays_small() -> None:
    import os
    import subprocess

    path = compile_program(loads(FLAT["short lists"]))
    limit = 64 << 20

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))

    done = subprocess.run(
        [path], preexec_fn=limited, capture_output=True, env=dict(os.environ), check=False
    )
    assert (done.returncode, done.stdout) == (0, b"3")


def test_recursion_is_as_deep_as_memory() -> None:
    text = """
    (define (count n) (if (= n 0) 0 (+ 1 (count (- n 1)))))
    (define (build n) (if (= n 0) '() (cons n (build (- n 1)))))
    (define (captured n) (call/cc (lambda (k) (if (= n 0) 0 (+ 1 (captured (- n 1)))))))
    (display (list (count 1000000) (length (build 1000000)) (captured 100000)))
    """
    assert native(loads(text)) == Run("(1000000 1000000 100000)", "", 0)


def test_too_much_memory_is_a_diagnostic() -> None:
    text = "(define (forever l)\n  (forever (cons 1 l)))\n(forever '())"
    done = native(loads(text, "test.scm"), environment=LIMIT)
    assert done.status == 1
    assert "limitation: there is not enough memory\n" in done.err
    assert done.err.endswith(
        "\nhint: does it end? If so, COGEN_MEMORY says how many megabytes it may take\n"
    )


@pytest.mark.parametrize("call", ["(f n)", "(g f n)"])
def test_recursion_without_end_tells_its_calls(call: str) -> None:
    text = f"(define (f n)\n  (+ 1 {call}))\n(define (g h n) (h n))\n(f 1)"
    done = native(loads(text, "test.scm"), environment=LIMIT)
    assert done.status == 1
    assert done.err.startswith("test.scm:2:8: limitation: there is not enough memory\n")
    calls = done.err.splitlines()[3:-1]
    assert re.fullmatch(
        rf"  called from test\.scm:2:8: {re.escape(call)}, [0-9,]{{7,}} times", calls[0]
    )
    assert calls[1:] == ["  called from test.scm:4:1: (f 1)"]


def test_a_large_structure_survives_collections() -> None:
    text = """
    (define (tree depth) (if (= depth 0) '() (cons (tree (- depth 1)) (tree (- depth 1)))))
    (define (size t) (if (null? t) 1 (+ (size (car t)) (size (cdr t)))))
    (define kept (tree 16))
    (define (loop n) (if (> n 0) (begin (tree 12) (loop (- n 1)))))
    (loop 200)
    (display (size kept))
    """
    assert native(loads(text)) == Run("65536", "", 0)


@pytest.mark.parametrize("value", ["", "0", "-5", "many", "12x"])
def test_a_limit_that_is_no_number_is_refused(value: str) -> None:
    done = native(loads("(display 1)"), environment={"COGEN_MEMORY": value})
    wanted = f"error: COGEN_MEMORY must be a number of megabytes, at least 1, not `{value}`\n"
    assert done == Run("", wanted, 2)


def test_a_text_that_is_written_keeps_to_the_memory_too() -> None:
    text = """(define (twice i l) (if (= i 0) l (twice (- i 1) (list l l))))
              (write
               (twice 60 '(1)))"""
    done = native(loads(text, "p.scm"), environment=LIMIT)
    assert done.err.startswith("p.scm:2:15: limitation: there is not enough memory\n")
    assert (done.out, done.status) == ("", 1)


def test_continuations_of_few_and_of_many_frames_are_entered_again() -> None:
    """Those of few words are copied in place, those of many in pieces; with values and winds."""
    text = """
    (define k #f)
    (define (deep n) (if (= n 0) (call/cc (lambda (c) (set! k c) 0)) (+ 1 (deep (- n 1)))))
    (define (again n times)
      (let* ((count 0) (r (deep n)))
        (set! count (+ count 1))
        (if (< r (+ n times)) (k (- (+ r 1) n)) (list r count))))
    (for-each (lambda (n) (write (again n 3))) '(0 1 5 9 10 11 12 31 32 33 100 300 5000))
    (define (leaf k x) (if (odd? x) (k x) (* 2 x)))
    (define (sum n) (if (= n 0) 0 (+ (call/cc (lambda (k) (leaf k n))) (sum (- n 1)))))
    (write (sum 500))
    (write (call-with-values (lambda () (call/cc (lambda (k) (k 1 2 3)))) list))
    (write (call/cc (lambda (k) (dynamic-wind (lambda () (write 'in)) (lambda () (k 'left))
      (lambda () (write 'out))))))
    (write (call/cc procedure?))
    (write (map (lambda (x) (call/cc (lambda (k) (if (even? x) (k (- x)) x)))) '(1 2 3 4)))
    """
    done = agree(text)
    assert done.out.startswith("(3 4)(4 4)(8 4)(12 4)")
    assert done.out.endswith("(5003 4)188000(1 2 3)inoutleft#t(1 -2 3 -4)")
