"""The calls that a diagnostic tells: where a run came from when it failed."""

from __future__ import annotations

import pytest

from cogen.lang import interp
from cogen.lang.chain import KEPT, LAST, Calls, Chain, called, form
from cogen.lang.errors import CogenError, Source, Span
from cogen.lang.load import loads
from tests.lang.running import failure

SIGNALS = "(import (signals signal))\n"


def told(text: str) -> list[str]:
    """What the diagnostic of a program says below the carets."""
    return failure(text).render().split("\n")[3:]


CALLS = [
    # the program, the lines below the carets
    ("(car 5)", []),
    ("(display (car 5))", []),
    ("(define (f x) (+ 1 (car x)))\n(f 5)", ["called from test.scm:2:1: (f 5)"]),
    ("(define (f x) (+ 1 (car x)))\n(define v (f 5))",
     ["called from test.scm:2:1: (define v (f 5))"]),
    ("(define (f x) (car x))\n(define (g x) (* 2 (f x)))\n(display (list (g 5)))",
     ["called from test.scm:2:20: (f x)", "called from test.scm:3:16: (g 5)"]),
    # a tail call leaves no trace of its caller
    ("(define (f x) (car x))\n(define (g x) (f x))\n(display (g 5))",
     ["called from test.scm:3:10: (g 5)"]),
    ("(define (loop n) (if (= n 0) (car n) (loop (- n 1))))\n(display (loop 1000))",
     ["called from test.scm:2:10: (loop 1000)"]),
    # the language's own text is passed over
    ("(define (f x) (+ 1 (car x)))\n(define (g l) (map f l))\n(display (g '(5)))",
     ["called from test.scm:2:15: (map f l)", "called from test.scm:3:10: (g '(5))"]),
    ("(define (g l) (list (map car l)))\n(display (g '(5)))",
     ["called from test.scm:2:10: (g '(5))"]),
    ("(define (k l) (map k l))\n(k '(((1))))",
     ["called from test.scm:1:15: (map k l), 3 times", "called from test.scm:2:1: (k '(((1))))"]),
    # a form is one call, whatever it was expanded to
    ("(define (f) (guard (e ((string? e) 1)) (+ 1 (g))))\n(define (g) (vector-ref '#() 0))\n(f)",
     ["called from test.scm:1:45: (g)",
      "called from test.scm:1:13: (guard (e ((string? e) 1)) (+ 1 (g)))",
      "called from test.scm:3:1: (f)"]),
    # an error object tells where it was made, not where it was raised again
    ("(define (f x) (+ 1 (car x)))\n(define held #f)\n"
     "(call/cc (lambda (k) (with-exception-handler (lambda (e) (set! held e) (k 1))\n"
     "  (lambda () (+ 1 (f 5))))))\n(+ 1 (raise held))",
     ["called from test.scm:4:19: (f 5)",
      "called from test.scm:3:22: (with-exception-handler (lambda (e) (set! held e) (k 1)) (l…"]),
    # a handler that returned: the calls are those of the exception
    ("(define (f x) (+ 1 (car x)))\n(with-exception-handler (lambda (e) 1) (lambda () (- (f 5))))",
     ["called from test.scm:2:54: (f 5)",
      "called from test.scm:2:1: (with-exception-handler (lambda (e) 1) (lambda () (- (f 5))…"]),
    # a continuation brings its own calls along
    ("(define k #f)\n(define (f) (+ 1 (call/cc (lambda (c) (set! k c) 1))))\n"
     "(define (g) (* 1 (f)))\n(define (start) (list (g)))\n(start)\n(k 'a)",
     ["called from test.scm:3:18: (f)", "called from test.scm:4:23: (g)",
      "called from test.scm:5:1: (start)",
      "hint: a name with a quote is a symbol; without it, what the name stands for"]),
    # libraries of the product: the head is the call that led there
    (SIGNALS + "(define (f s) (+ 1 (signal-get s)))\n(f (make-signal (bytevector) 0 8 8 8))",
     ["in the library (signals): signals/cache.scm:79:11: (load-word buffer index)",
      "called from test.scm:3:1: (f (make-signal (bytevector) 0 8 8 8))"]),
    (SIGNALS + "(define (f s) (signal-get s))\n(display (f (make-signal (bytevector) 0 8 8 8)))",
     ["in the library (signals): signals/cache.scm:79:11: (load-word buffer index)",
      "called from test.scm:3:10: (f (make-signal (bytevector) 0 8 8 8))"]),
    ("(import (signals))\n(define (add a) (lambda (x) (+ (car x) a)))\n"
     "(define (run s) (signal-fold (lambda (a x) (+ a ((add 1) x))) 0 s))\n"
     "(display (run (make-signal (bytevector 1 2) 0 16 8 8)))",
     ["called from test.scm:3:49: ((add 1) x)", "… in the library (signals)",
      "called from test.scm:3:17: (signal-fold (lambda (a x) (+ a ((add 1) x))) 0 s)",
      "called from test.scm:4:10: (run (make-signal (bytevector 1 2) 0 16 8 8))"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "lines"), CALLS)
def test_the_calls_of_a_run(text: str, lines: list[str]) -> None:
    assert told(text) == [line if line.startswith("hint: ") else f"  {line}" for line in lines]


def test_what_fails_in_a_library_is_told_at_the_call() -> None:
    error = failure(SIGNALS + "(define (f s)\n  (signal-get s))\n(f (make-signal 'x 0 8 8 8))")
    assert str(error.span) == "test.scm:3:3"
    assert str(error.inner) == "signals/cache.scm:79:11"
    assert [str(span) for span in error.chain] == ["test.scm:4:1"]


def test_what_fails_in_a_library_goes_to_handlers_with_the_place_of_the_call() -> None:
    text = (
        f"{SIGNALS}(define (f s) (guard (e ((string? e) e)) (+ 1 (signal-get s))))\n"
        "(f (make-signal 'x 0 8 8 8))"
    )
    error = failure(text)
    assert str(error.span) == "test.scm:2:47"
    assert str(error.inner) == "signals/cache.scm:79:11"


def test_a_million_calls_are_told_in_a_few_lines() -> None:
    deep = "(define (deep n) (if (= n 0) (car n) (+ 1 (deep (- n 1)))))\n(display (deep 1000000))"
    assert told(deep) == [
        "  called from test.scm:1:43: (deep (- n 1)), 1,000,000 times",
        "  called from test.scm:2:10: (deep 1000000)",
    ]


def test_calls_in_turn_are_told_from_both_ends() -> None:
    text = (
        "(define (even n) (if (= n 0) (car n) (+ 1 (odd (- n 1)))))\n"
        "(define (odd n) (+ 1 (even (- n 1))))\n(display (even 100000))"
    )
    assert told(text) == [
        *[
            "  called from test.scm:2:22: (even (- n 1))",
            "  called from test.scm:1:43: (odd (- n 1))",
        ]
        * 3,
        "  … 99,993 more calls",
        "  called from test.scm:1:43: (odd (- n 1))",
        "  called from test.scm:3:10: (even 100000)",
    ]


def test_of_very_many_frames_those_between_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "(define (even n) (if (= n 0) (car n) (+ 1 (odd (- n 1)))))\n"
        "(define (odd n) (+ 1 (even (- n 1))))\n"
        "(define (down n) (if (= n 0) (even 1000) (+ 1 (down (- n 1)))))\n"
        "(display (map (lambda (n) (* 2 (down n))) '(500)))"
    )
    whole = told(text)
    for most in (10, 100, 501, 1001, 1003, 2000):
        monkeypatch.setattr(interp, "MOST_FRAMES", most)
        assert told(text) == whole, most


def test_calls_that_the_specializer_notes_stay_few() -> None:
    source = Source("f.scm", "".join(f"(f {n})\n" for n in range(100)))
    calls: Calls = ()
    for line in range(1, 100):
        start = source.line_starts[line]
        calls = called(Span(source, start, start + 3), calls)
    assert len(calls) == KEPT
    assert calls[-LAST - 1] == (None, 99 - (KEPT - 1))
    assert Chain(calls).lines()[-LAST - 1] == f"  … {99 - 6 - LAST} more calls"
    assert Chain(calls).lines()[0].startswith("  called from f.scm:100:1: ")
    assert Chain(calls).lines()[-1].startswith("  called from f.scm:2:1: ")


def test_calls_of_one_place_in_a_row_are_counted() -> None:
    source = Source("f.scm", "(f 1)\n(g 2)\n")
    first, second = Span(source, 0, 5), Span(source, 6, 11)
    calls: Calls = ()
    for _ in range(4213):
        calls = called(first, calls)
    calls = called(second, calls)
    assert calls == ((second, 1), (first, 4213))
    assert Chain(calls).lines() == [
        "  called from f.scm:2:1: (g 2)",
        "  called from f.scm:1:1: (f 1), 4,213 times",
    ]


def test_what_is_left_out_is_counted_through_what_is_left_out_before() -> None:
    source = Source("f.scm", "(f 1)\n(g 2)\n(h 3)\n")
    f, g, h = (Span(source, start, start + 5) for start in (0, 6, 12))
    calls: Calls = ()
    for _ in range(1000):
        calls = called(g, called(f, calls))
    lines = Chain([(h, 2), (None, 7), (g, 3), *calls]).lines()
    assert lines == [
        "  called from f.scm:3:1: (h 3), 2 times",
        "  … 2,008 more calls",
        "  called from f.scm:2:1: (g 2)",
        "  called from f.scm:1:1: (f 1)",
    ]


def test_the_first_of_several_calls_into_a_library_is_the_head() -> None:
    inner = Span(Source("lib.scm", "(car x)", library="(lib)"), 0, 7)
    site = Span(Source("f.scm", "(f 1)"), 0, 5)
    error = CogenError("no", inner, calls=[(site, 3)])
    assert error.span == site
    assert error.inner == inner
    assert error.chain.lines() == ["  called from f.scm:1:1: (f 1), 2 times"]


def test_a_long_call_is_cut() -> None:
    text = "(f " + "(quite-long argument) " * 30 + ")"
    shown = form(Span(Source("f.scm", text), 0, len(text)))
    assert len(shown) == 60
    assert shown.endswith("…")


def test_a_call_over_several_lines_is_shown_on_one() -> None:
    text = "(f 1\n   2)"
    assert form(Span(Source("f.scm", text), 0, len(text))) == "(f 1 2)"


def test_a_mistake_found_when_loading_has_no_calls() -> None:
    with pytest.raises(CogenError) as caught:
        loads("(f 1)", "test.scm")
    assert [*caught.value.chain] == []
