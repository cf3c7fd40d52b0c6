"""Diagnostics of residual programs and of the specializer tell the calls that led there."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import cogen
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from tests.cogen.nativecode import running
from tests.cogen.residualways import WAYS, fails, native

CALLS = """\
(define (first p) (* 2 (vector-ref p 0)))
(define (sum f p q) (+ (f p) (f q)))
(define (main n)
  (+ n (car (map (lambda (i) (+ i (sum first (vector n) n))) (list n)))))
"""

SIGNALS = """\
(import (signals signal))
(define (sum buf n)
  (let loop ((s (make-signal buf 0 (* n 8) 8 8)) (a 0))
    (if (signal-end? s)
        a
        (loop (signal-next s) (add a s)))))
(define (add a s)
  (+ a (signal-get s)))
"""

ENDS = {
    "CALLS": [
        "called from t.scm:2:30: (f q)",
        "called from t.scm:4:35: (sum first (vector n) n)",
        "called from t.scm:4:13: (map (lambda (i) (+ i (sum first (vector n) n))) (list n))",
    ],
    "SIGNALS": [
        "in the library (signals): signals/cache.scm:79:11: (load-word buffer index)",
        "called from t.scm:6:31: (add a s)",
    ],
}


def residual(text: str, entry: str, *bts: Any, **options: Any) -> Any:
    return cogen.specialize(cogen.loads(text, "t.scm"), entry, *bts, **options)


def below(error: CogenError) -> list[str]:
    return [line.strip() for line in error.render().split("\n")[3:]]


@pytest.mark.parametrize("way", WAYS)
def test_unfolded_calls_are_told_by_a_residual_program(way: Callable[[Any], Any]) -> None:
    made = residual(CALLS, "main", cogen.dynamic("int"))
    error = fails(way(made), 5)
    assert str(error.span) == "t.scm:1:24"
    assert below(error) == ENDS["CALLS"]


@pytest.mark.parametrize("way", WAYS)
def test_what_fails_in_a_library_is_told_at_the_call(way: Callable[[Any], Any]) -> None:
    made = residual(SIGNALS, "sum", cogen.dynamic("memory"), cogen.dynamic("int"), generalize=True)
    error = fails(way(made), bytearray(3), 9)
    assert str(error.span) == "t.scm:8:8"
    assert str(error.inner) == "signals/cache.scm:79:11"
    assert below(error) == ENDS["SIGNALS"]
    source = Interpreter(cogen.loads(SIGNALS, "t.scm"))
    source.run()
    told = fails(source.call, "sum", [bytearray(3), 9])
    assert (told.message, str(told.span), below(told)) == (
        error.message, str(error.span), below(error)
    )  # fmt: skip


RECURSIVE = """\
(define (down n l) (if (= n 0) (car l) (+ 1 (down (- n 1) l))))
(define (main n) (* 2 (down n '())))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", WAYS[:3])
def test_calls_of_residual_procedures_and_unfolded_ones_are_one_chain(
    way: Callable[[Any], Any],
) -> None:
    error = fails(way(residual(RECURSIVE, "main", cogen.dynamic("int"))), 100000)
    assert str(error.span) == "t.scm:1:32"
    assert below(error) == [
        "called from t.scm:1:45: (down (- n 1) l), 100,000 times",
        "called from t.scm:2:23: (down n '())",
    ]


KERNELS = [
    # program, argument, lines below the carets
    ("(define (down n) (if (< n 0) (quotient 1 (+ n 1)) (+ 1 (down (- n 1)))))\n"
     "(define (main n) (* 2 (down n)))", 10000, [
        "called from t.scm:1:56: (down (- n 1)), 10,001 times",
        "called from t.scm:2:23: (down n)",
    ]),
    ("(define (f n) (if (= n 0) (quotient 1 n) (+ 1 (g (- n 1)))))\n"
     "(define (g n) (* 3 (if (= n 0) (quotient 5 n) (f (- n 1)))))\n(define (main n) (+ 1 (f n)))",
     9001, [
        "called from t.scm:1:47: (g (- n 1))", "called from t.scm:2:47: (f (- n 1))",
        "called from t.scm:1:47: (g (- n 1))", "called from t.scm:2:47: (f (- n 1))",
        "called from t.scm:1:47: (g (- n 1))", "called from t.scm:2:47: (f (- n 1))",
        "… 8,994 more calls",
        "called from t.scm:1:47: (g (- n 1))", "called from t.scm:3:23: (f n)",
    ]),
    # with calls that were unfolded between those that were not
    ("(define (add n) (+ 1 (down (- n 1))))\n"
     "(define (twice f n) (* 2 (f n)))\n"
     "(define (down n) (if (= n 0) (quotient 1 n) (- (twice add n))))\n"
     "(define (main n) (- (down n)))", 1000, [
        "called from t.scm:1:22: (down (- n 1))", "called from t.scm:2:26: (f n)",
        "called from t.scm:3:48: (twice add n)",
        "called from t.scm:1:22: (down (- n 1))", "called from t.scm:2:26: (f n)",
        "called from t.scm:3:48: (twice add n)",
        "… 2,993 more calls",
        "called from t.scm:3:48: (twice add n)", "called from t.scm:4:21: (down n)",
    ]),
    ("(define (inner n) (if (= n 0) (quotient 1 n) (+ 1 (inner (- n 1)))))\n"
     "(define (outer n m) (if (= n 0) (- (inner m)) (+ 1 (outer (- n 1) m))))\n"
     "(define (main n) (* 2 (outer n n)))", 20, [
        "called from t.scm:1:51: (inner (- n 1)), 20 times", "called from t.scm:2:36: (inner m)",
        "called from t.scm:2:52: (outer (- n 1) m), 20 times",
        "called from t.scm:3:23: (outer n n)",
    ]),
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("text", "argument", "lines"), KERNELS)
def test_calls_between_procedures_of_kernels(
    way: Callable[[Any], Any], text: str, argument: int, lines: list[str]
) -> None:
    error = fails(way(residual(text, "main", cogen.dynamic("int"))), argument)
    assert below(error) == lines


UNFOLDED = """\
(define (f k x) (if (= k 0) (car x) (+ 1 (g (- k 1) x))))
(define (g k x) (* 2 (f k x)))
(define (main n) (- (f {} n)))
"""


@pytest.mark.parametrize("way", WAYS[:3])
@pytest.mark.parametrize("generated", [False, True])
@pytest.mark.parametrize(("depth", "left_out"), [(4, 1), (5, 3), (100, 193)])
def test_of_many_calls_that_were_unfolded_it_is_told_how_many(
    way: Callable[[Any], Any], generated: bool, depth: int, left_out: int
) -> None:
    text = UNFOLDED.format(depth)
    program = cogen.loads(text, "t.scm")
    make = cogen.generate(program, "main", cogen.dynamic()) if generated else None
    made = residual(text, "main", cogen.dynamic()) if make is None else make(cogen.dynamic())
    g, f = "called from t.scm:1:42: (g (- k 1) x)", "called from t.scm:2:22: (f k x)"
    told = below(fails(way(made), 5))
    assert told == [
        *[f, g] * 3,
        f"… {left_out} more call{'' if left_out == 1 else 's'}",
        g,
        f"called from t.scm:3:21: (f {depth} n)",
    ]
    source = Interpreter(program)
    source.run()
    assert below(fails(source.call, "main", [5])) == told


@native
def test_calls_that_lead_to_the_end_of_the_stack_are_told() -> None:
    text = "(define (f n) (if (< n 0) n (+ 1 (f (+ n 1)))))\n(define (main n) (* 2 (f n)))"
    error = fails(residual(text, "main", cogen.dynamic("int")).compile(), 1)
    assert error.message.startswith("the recursion is too deep")
    first, second = below(error)[:2]
    assert first.startswith("called from t.scm:1:34: (f (+ n 1)), ")
    assert second == "called from t.scm:2:23: (f n)"


def test_residual_scheme_tells_its_own_calls() -> None:
    text = residual(RECURSIVE, "main", cogen.dynamic("int")).scheme
    interpreter = Interpreter(cogen.loads(text, "r.scm"))
    interpreter.run()
    error = fails(interpreter.call, "main", [10])
    assert [line.partition(": ")[2] for line in below(error)] == [
        "(down (- n-1 1)), 10 times",
        "(down n)",
    ]


DEEP = """\
(import (signals signal))
(define (sum buf n k)
  (let loop ((s (make-signal buf 0 (* n 8) 8 8)) (a 0))
    (if (signal-end? s)
        a
        (loop (signal-next s) (add k a s)))))
(define (add k a s)
  (if (= k 0) (+ a (get s)) (* 1 (add (- k 1) a s))))
(define (get s)
  (signal-get s))
"""


# what an interpreter does with the last part of a sequence looks at its value afterwards
SEQUENCE = """\
(define (h x) (car x))
(define (run es)
  (let ((v (h (car es))))
    (if (null? (cdr es)) v (run (cdr es)))))
(define (main x)
  (list (run (list '(1) x))))
"""

# a tail call by way of a control primitive, which begins a block of its own or does not
CONTROL = """\
(define (h x) (* 2 (car x)))
(define (walk n x) (if (= n 0) (h x) ({})))
(define (main x)
  (list (walk 3 x)))
"""


@pytest.mark.parametrize(
    ("text", "entry", "bts", "arguments", "lines"),
    [
        (SEQUENCE, "main", [cogen.dynamic()], [5], [
            "called from t.scm:3:12: (h (car es))", "called from t.scm:6:9: (run (list '(1) x))",
        ]),
        (CONTROL.format("dcall walk (- n 1) x"), "main", [cogen.dynamic()], [5], [
            "called from t.scm:2:38: (dcall walk (- n 1) x)", "called from t.scm:4:9: (walk 3 x)",
        ]),
        (CONTROL.format("apply walk (list (- n 1) x)"), "main", [cogen.dynamic()], [5], [
            "called from t.scm:2:38: (apply walk (list (- n 1) x))",
            "called from t.scm:4:9: (walk 3 x)",
        ]),
        (CALLS, "main", [cogen.dynamic("int")], [5], ENDS["CALLS"]),
        (DEEP, "sum", [cogen.dynamic("memory"), cogen.static(2), cogen.static(3)], [b""], [
            "in the library (signals): signals/cache.scm:79:11: (load-word buffer index)",
            "called from t.scm:8:20: (get s)",
            "called from t.scm:8:34: (add (- k 1) a s), 3 times",
            "called from t.scm:6:31: (add k a s)",
        ]),
    ],
)  # fmt: skip
def test_generating_extensions_tell_the_same_calls(
    text: str, entry: str, bts: list[Any], arguments: list[Any], lines: list[str]
) -> None:
    program = cogen.loads(text, "t.scm")
    made = cogen.generate(program, entry, *bts)(*bts)
    assert made.scheme == cogen.specialize(program, entry, *bts).scheme
    assert below(fails(made.to_python(), *arguments)) == lines
    assert below(fails(residual(text, entry, *bts).to_python(), *arguments)) == lines
    source = Interpreter(program)
    source.run()
    values = [*arguments, *(bt.value for bt in bts if not isinstance(bt, type(cogen.dynamic())))]
    told = below(fails(source.call, entry, values))
    assert told == lines


MISTAKES = [
    # program, entry, binding times, place, lines below the carets
    ("(define (f x) (+ 1 (car x)))\n(define (g x) (* 2 (f x)))", "g", [cogen.static(5)],
     "t.scm:1:20", ["called from t.scm:2:20: (f x)"]),
    ("(define (f x) (+ 1 (car x)))\n(define table (vector (f 5)))\n(define (g x) table)", "g",
     [cogen.static(5)], "t.scm:1:20", ["called from t.scm:2:23: (f 5)"]),
    ("(define (f x) (map car x))\n(define (g x) (list (f x)))", "g", [cogen.static([1])],
     "t.scm:1:15", ["called from t.scm:2:21: (f x)"]),
    ("(define (f x) (x 1))\n(define (g x) (list (f x)))", "g", [cogen.static(1)], "t.scm:1:15",
     ["called from t.scm:2:21: (f x)"]),
    ("(define (f h) (h))\n(define (g) (list (f (lambda (x) x))))", "g", [], "t.scm:1:15",
     ["called from t.scm:2:19: (f (lambda (x) x))"]),
    ("(define (f n) (if (= n 0) (car n) (+ 1 (f (- n 1)))))\n(define (g) (list (f 1000)))", "g", [],
     "t.scm:1:27", ["called from t.scm:1:40: (f (- n 1))", "called from t.scm:2:19: (f 1000)"]),
    ("(define (f n) (if (= n 0) (car n) (f (- n 1))))\n(define (g) (list (f 1000)))", "g", [],
     "t.scm:1:27", ["called from t.scm:2:19: (f 1000)"]),
    ("(import (signals))\n(define (f s) (signal-put! s 1))\n"
     "(define (g) (list (f (make-constant-signal 1))))", "g", [], "t.scm:2:15",
     ["in the library (signals): signals/signal.scm",
      "called from t.scm:3:19: (f (make-constant-signal 1))"]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "entry", "bts", "place", "lines"), MISTAKES)
def test_a_mistake_that_the_specializer_meets(
    text: str, entry: str, bts: list[Any], place: str, lines: list[str]
) -> None:
    error = fails(lambda: residual(text, entry, *bts))
    assert str(error.span) == place
    assert len(below(error)) == len(lines)
    assert all(told.startswith(line) for told, line in zip(below(error), lines, strict=True)), (
        below(error)
    )


LIMITS = [
    # program, binding times of g, options, place, lines below the carets
    ("(define (f x) (+ 1 (f (+ x 1))))\n(define (g) (* 2 (f 0)))", [], {"max_unfoldings": 99},
     "t.scm:1:20", [
        "called from t.scm:1:20: (f (+ x 1)), 97 times",
        "called from t.scm:2:18: (f 0)",
        *(f"note: in the call of f (x = {n})" for n in (98, 97, 96, 95)),
    ]),
    # what the language's own text calls, and what it is called with, is the program's
    ("(define (f x) (car (map f (list (+ x 1)))))\n(define (g) (- (f 0)))", [],
     {"max_unfoldings": 99}, "t.scm:1:20", [
        "called from t.scm:1:20: (map f (list (+ x 1))), 24 times",
        "called from t.scm:2:16: (f 0)",
        *(f"note: in the call of f (x = {n})" for n in (24, 23, 22, 21)),
    ]),
    ("(define (f l x) (if (null? l) 0 (+ (display x) (f (cdr l) x))))\n"
     "(define (g x) (* 2 (f (make-list 1000 0) x)))", [cogen.dynamic()], {"max_size": 300},
     "t.scm:1:36",
     ["called from t.scm:1:48: (f (cdr l) x), 300 times",
      "called from t.scm:2:20: (f (make-list 1000 0) x)"]),
    ("(define (f x keys) (if (pair? keys) (or (eq? x (car keys)) (f x (cdr keys))) #f))\n"
     "(define (g x) (list (f x '(a b c))))", [cogen.dynamic()], {"max_variants": 2},
     "t.scm:1:37", [
        "called from t.scm:2:21: (f x '(a b c))",
        *(f"note: a version with keys = {keys}" for keys in ("(c)", "(b c)", "(a b c)")),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "bts", "options", "place", "lines"), LIMITS)
def test_a_limit_tells_the_calls_and_what_is_known_of_them(
    text: str, bts: list[Any], options: dict[str, Any], place: str, lines: list[str]
) -> None:
    program = cogen.loads(text, "t.scm")
    extension = cogen.generate(program, "g", *bts)
    for make in (
        lambda: cogen.specialize(program, "g", *bts, **options),
        lambda: extension(*bts, **options),
    ):
        error = fails(make)
        assert str(error.span) == place
        assert below(error)[:-1] == lines
        assert below(error)[-1].startswith("hint: make the growing argument dynamic")


@native
def test_a_buffer_is_called_as_the_caller_calls_it() -> None:
    text = """(import (signals signal))
    (define (copy! out in)
      (let loop ((d out) (s in))
        (if (signal-end? s) 0
            (begin (signal-put! d (signal-get s)) (loop (signal-next d) (signal-next s))))))"""
    signal = cogen.record(
        "vector-signal", cogen.dynamic("memory"), cogen.cyclic(32, 0), cogen.cyclic(32, 0),
        *map(cogen.static, (0, 8, 8, cogen.symbol("unsigned"), cogen.symbol("little"))),
    )  # fmt: skip
    made = residual(text, "copy!", signal, signal)
    names = [parameter.name for parameter in made.program.parameters]
    assert names == ["out", "from", "to", "in", "from-1", "to-1"]
    for compiled in (made.compile(), made.to_python()):
        error = fails(compiled, 1, 0, 32, bytes(4), 0, 32)
        assert error.message.startswith("copy!: the argument for out must be a buffer")
    assert "(load-word in " in made.scheme
    assert "(store-word! out " in made.scheme


EXECUTABLES = [
    # the text, how the lines below the carets start
    # more calls than are told, in a stack that is moved to the heap
    ("(define (f n) (if (= n 0) (car n) (+ 1 (g (- n 1)))))\n(define (g n) (* 2 (f n)))\n"
     "(display (f 9000))", [
        "called from test.scm:2:20: (f n)", "called from test.scm:1:40: (g (- n 1))",
        "called from test.scm:2:20: (f n)", "called from test.scm:1:40: (g (- n 1))",
        "called from test.scm:2:20: (f n)", "called from test.scm:1:40: (g (- n 1))",
        "… 17,993 more calls",
        "called from test.scm:1:40: (g (- n 1))", "called from test.scm:3:10: (f 9000)",
    ]),
    # what is inlined, and a loop that is no procedure any more
    ("(define (h x) (car x))\n(define (g x) (* 2 (h x)))\n(define (f n)\n"
     "  (+ 1 (let loop ((i 0)) (if (= i n) (* 3 (g i)) (loop (+ i 1))))))\n(display (f 3))", [
        "called from test.scm:2:20: (h x)",
        "called from test.scm:4:43: (g i)",
        "called from test.scm:4:8: (let loop ((i 0)) (if",
        "called from test.scm:5:10: (f 3)",
    ]),
    # tail calls leave no trace, inlined and not
    ("(define (h x) (+ 1 (car x)))\n(define (g x) (h x))\n(define (f n)\n"
     "  (+ 1 (let loop ((i 0)) (if (= i n) (g i) (loop (+ i 1))))))\n(display (f 3))", [
        "called from test.scm:4:8: (let loop ((i 0)) (if",
        "called from test.scm:5:10: (f 3)",
    ]),
    # by way of the language's own procedures
    ("(define (f l) (map (lambda (x) (+ 1 (car x))) l))\n(display (length (f '((1) 2))))", [
        "called from test.scm:1:15: (map (lambda (x) (+ 1 (car x))) l)",
        "called from test.scm:2:18: (f '((1) 2))",
    ]),
    # within a library of the product
    (SIGNALS + "(display (+ 1 (sum (bytevector 1 2 3 4) 9)))", [
        "in the library (signals): signals/cache.scm:79:11: (load-word buffer index)",
        "called from test.scm:6:31: (add a s)",
        "called from test.scm:9:15: (sum (bytevector 1 2 3 4) 9)",
    ]),
    # raised again where the calls that led to it have been left
    ("(define (g n) (if (= n 0) (car n) (+ 1 (g (- n 1)))))\n"
     "(define kept (call/cc (lambda (k) (with-exception-handler k (lambda () (+ 1 (g 3)))))))\n"
     "(define (f x) (+ 1 (raise x)))\n(display (f kept))", [
        "called from test.scm:1:40: (g (- n 1)), 3 times",
        "called from test.scm:2:77: (g 3)",
        "called from test.scm:2:35: (with-exception-handler k",
    ]),
    ("(define (g n) (if (= n 0) (car n) (+ 1 (g (- n 1)))))\n"
     "(define (f n) (+ 1 (with-exception-handler (lambda (e) 5) (lambda () (* 2 (g n))))))\n"
     "(display (f 2))", [
        "called from test.scm:1:40: (g (- n 1)), 2 times",
        "called from test.scm:2:75: (g n)",
        "called from test.scm:2:20: (with-exception-handler",
        "called from test.scm:3:10: (f 2)",
    ]),
]  # fmt: skip


DEEP_ONES = [
    ("(define (f n) (if (= n 0) (car n) (+ 1 (f (- n 1)))))\n(display (f 1000000))", [
        "  called from test.scm:1:40: (f (- n 1)), 1,000,000 times",
        "  called from test.scm:2:10: (f 1000000)",
    ]),
    # a tail call takes the place of the one before, though the stack is moved to the heap
    ("(define (f n) (if (= n 0) (car n) (call/cc (lambda (k) (f (- n 1))))))\n"
     "(display (+ 1 (f 99999)))", [
        "  called from test.scm:1:35: (call/cc (lambda (k) (f (- n 1))))",
        "  called from test.scm:2:15: (f 99999)",
    ]),
]  # fmt: skip


@native
@pytest.mark.parametrize(("text", "lines"), DEEP_ONES)
def test_very_many_calls(text: str, lines: list[str]) -> None:
    program = cogen.loads(text, "test.scm")
    done = running.native(program)
    assert done == running.interpreted(program)
    assert done.err.splitlines()[3:] == lines


@pytest.mark.one_in(3)
@native
@pytest.mark.parametrize(("text", "lines"), EXECUTABLES)
def test_executables_tell_the_calls_that_the_interpreter_tells(text: str, lines: list[str]) -> None:
    told = [line.strip() for line in running.agree(text).err.splitlines()[3:]]
    for line, start in zip(told, lines, strict=True):
        assert line.startswith(start)


LOOPS = {
    "do": "(do ((i 0 (+ i 1)) (a x (vector-ref y i))) ((= i 9) a))",
    "named let": "(let loop ((i 0) (a x)) (if (= i 9) a (loop (+ i 1) (vector-ref y i))))",
}


@pytest.mark.parametrize("loop", LOOPS.values(), ids=LOOPS)
def test_a_failing_specialization_tells_where_a_loop_was_entered(loop: str) -> None:
    """As a run does, and the generating extension."""
    text = f"(define (main x y)\n (cons 1\n  {loop}))"
    entered = f"called from t.scm:3:3: {loop}"[:50]
    program, known = cogen.loads(text, "t.scm"), cogen.static(np.array([4, 5]))
    made = cogen.generate(program, "main", cogen.dynamic(), cogen.static())
    for run in (
        lambda: cogen.specialize(program, "main", cogen.dynamic(), known),
        lambda: made(cogen.dynamic(), known),
    ):
        with pytest.raises(CogenError) as caught:
            run()
        assert "index 2 is not in 0 to 1" in caught.value.message
        assert [line.strip()[:50] for line in caught.value.render().splitlines()[3:]] == [entered]
