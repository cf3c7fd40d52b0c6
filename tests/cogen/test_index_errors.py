"""Errors of buffers say the program's own operation and what the caller calls the buffer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import cogen
from cogen.backends.native import load as native_code
from cogen.lang.interp import Interpreter
from tests.cogen.nativecode.running import agree
from tests.cogen.residualways import WAYS, by_interpreter, fails, native


def by_source(text: str, entry: str) -> Callable[..., Any]:
    interpreter = Interpreter(cogen.loads(text, "t.scm"))
    interpreter.run()
    return lambda *arguments: interpreter.call(entry, arguments)


PUT = "(define (put! out i v)\n  (store-bits! out i {mask} v) 0)"
PUTS = [
    # the mask, the arguments
    ("255", bytearray(8), 2, 1),
    ("255", bytearray(8), -1, 1),
    ("255", bytearray(), 0, 1),
    ("-1", bytearray(8), 9, 1),
    ("(+ i 3)", bytearray(8), 2, 1),
]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("mask", "out", "index", "value"), PUTS)
def test_an_index_that_store_bits_refuses(
    way: Callable[[Any], Any], mask: str, out: bytearray, index: int, value: int
) -> None:
    text = PUT.format(mask=mask)
    bts = cogen.dynamic("memory"), cogen.dynamic("int"), cogen.dynamic("int")
    made = cogen.specialize(cogen.loads(text, "t.scm"), "put!", *bts)
    told = fails(way(made), out, index, value)
    expected = fails(by_source(text, "put!"), out, index, value)
    assert expected.message.startswith(f"store-bits!: word index {index}")
    assert str(told) == str(expected)


@pytest.mark.parametrize("way", WAYS[:3])
@pytest.mark.parametrize(
    ("out", "index", "mask", "value"),
    [(bytearray(8), 9, 2.5, 1), (bytearray(8), 9, 255, "x"), (bytearray(8), 9, 255, 1),
     (5, 0, 255, 1), (bytearray(8), 0.5, 1, 1)],
)  # fmt: skip
def test_whatever_store_bits_refuses_is_told_of_it(
    way: Callable[[Any], Any], out: Any, index: Any, mask: Any, value: Any
) -> None:
    text = "(define (put! out i m v)\n  (store-bits! out i m v) 0)"
    made = cogen.specialize(cogen.loads(text, "t.scm"), "put!", *[cogen.dynamic()] * 4)
    told = fails(way(made), out, index, mask, value)
    assert str(told) == str(fails(by_source(text, "put!"), out, index, mask, value))


@pytest.mark.parametrize("way", WAYS[:3])
def test_a_handler_is_told_the_same(way: Callable[[Any], Any]) -> None:
    text = """(define (put! out i)
      (guard (e (#t (error-object-message e))) (store-bits! out i 255 1) 0))"""
    bts = cogen.dynamic("memory"), cogen.dynamic("int")
    made = cogen.specialize(cogen.loads(text, "t.scm"), "put!", *bts)
    told = way(made)(bytearray(8), 2)
    assert told == by_source(text, "put!")(bytearray(8), 2)
    assert told == "store-bits!: word index 2 is not in 0 to 1"


@pytest.mark.parametrize("way", WAYS[:3])
def test_set_base_is_told_as_itself(way: Callable[[Any], Any]) -> None:
    text = "(define (f a)\n  (set-base a 8))"
    made = cogen.specialize(cogen.loads(text, "t.scm"), "f", cogen.dynamic())
    told = fails(way(made), 2.5)
    assert told.message == "set-base: expected an integer, got 2.5"
    assert str(told) == str(fails(by_source(text, "f"), 2.5))


MEMORY, INT = cogen.dynamic("memory"), cogen.dynamic("int")
COPY = """\
(import (signals signal))
(define (copy! out in)
  (let loop ((d out) (s in))
    (if (signal-end? s) 0
        (begin (signal-put! d (signal-get s)) (loop (signal-next d) (signal-next s))))))"""
SWAPPED = """\
(define (f a b n)
  (let loop ((x a) (y b) (n n))
    (if (= n 0)
        (load-word x 2)
        (loop y x (- n 1)))))"""
SHARED = """\
(define (get buffer i) (if (< i 0) (* 2 (get buffer (+ i 1))) (load-word buffer i)))
(define (f a b i) (+ (get a i) (get b i)))"""
NAMED = [
    # program, entry, binding times, arguments, the end of the message
    ("(define (f out i) (load-word out i))", "f", [MEMORY, INT], (bytes(8), 5),
     "load-word: word index 5 is not in 0 to 1 of out"),
    ("(define (f out i) (store-word! out i 1) 0)", "f", [MEMORY, INT], (bytearray(), 0),
     "store-word!: word index 0 in out, which is empty"),
    ("(define (f a b i) (store-bits! b i 15 (load-word a 0)) 0)", "f", [MEMORY, MEMORY, INT],
     (bytes(8), bytearray(4), 1), "store-bits!: word index 1 is not in 0 to 0 of b"),
    # by way of a procedure that calls it otherwise
    (SHARED, "f", [MEMORY, MEMORY, INT], (bytes(40), bytes(4), 3),
     "load-word: word index 3 is not in 0 to 0 of b"),
    (SHARED, "f", [MEMORY, MEMORY, INT], (bytes(4), bytes(40), 3),
     "load-word: word index 3 is not in 0 to 0 of a"),
    # which one is meant, only the run can tell
    (SWAPPED, "f", [MEMORY, MEMORY, INT], (bytes(4), bytes(8), 4),
     "load-word: word index 2 is not in 0 to 0 of a"),
    (SWAPPED, "f", [MEMORY, MEMORY, INT], (bytes(4), bytes(8), 5),
     "load-word: word index 2 is not in 0 to 1 of b"),
    ("(define (f a b p n) (let ((x (if p a b))) (let loop ((i 0) (s 0))"
     " (if (= i n) s (loop (+ i 1) (+ s (load-word x i)))))))", "f",
     [MEMORY, MEMORY, cogen.dynamic("bool"), INT], (bytes(4), bytes(8), False, 3),
     "load-word: word index 2 is not in 0 to 1 of b"),
]  # fmt: skip


@pytest.mark.one_in(2)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("text", "entry", "bts", "arguments", "message"), NAMED)
def test_a_buffer_is_called_as_its_caller_calls_it(
    way: Callable[[Any], Any],
    text: str,
    entry: str,
    bts: list[Any],
    arguments: tuple[Any, ...],
    message: str,
) -> None:
    made = cogen.specialize(cogen.loads(text, "t.scm"), entry, *bts)
    told = fails(way(made), *arguments)
    assert told.message == message
    assert str(told) == str(fails(by_source(text, entry), *arguments))


@pytest.mark.parametrize("way", WAYS)
def test_the_buffer_of_a_signal(way: Callable[[Any], Any]) -> None:
    signal = cogen.record(
        "vector-signal", cogen.dynamic("memory"), cogen.cyclic(32, 0), cogen.cyclic(32, 0),
        *map(cogen.static, (0, 8, 8, cogen.symbol("unsigned"), cogen.symbol("little"))),
    )  # fmt: skip
    call = way(cogen.specialize(cogen.loads(COPY, "t.scm"), "copy!", signal, signal))
    told = fails(call, bytearray(8), 0, 64, bytes(4), 0, 64)
    assert told.message == "load-word: word index 1 is not in 0 to 0 of in"
    told = fails(call, bytearray(4), 0, 64, bytes(8), 0, 64)
    assert told.message == "store-bits!: word index 1 is not in 0 to 0 of out"
    assert str(told.span).startswith("t.scm:5:")


def test_the_buffer_of_a_signal_in_the_interpreter() -> None:
    text = f"{COPY}\n(define (build b) (make-signal b 0 64 8 8))"
    interpreter = Interpreter(cogen.loads(text, "t.scm"))
    interpreter.run()
    out, source = (interpreter.call("build", [memory]) for memory in (bytearray(4), bytes(8)))
    told = fails(interpreter.call, "copy!", [out, source])
    assert told.message.endswith("word index 1 is not in 0 to 0 of out")


KNOWN = [
    # program, binding times of f, what is left to pass, the end of the message
    ("(define (f b i) (+ 1 (load-word b i)))", [cogen.static(b"12345678"), INT], (50,),
     "load-word: word index 50 is not in 0 to 1 of b"),
    ("(define (f b i) (bytevector-u8-ref b i))", [cogen.static(b""), INT], (0,),
     "bytevector-u8-ref: index 0 in b, which is empty"),
    # by way of a procedure that calls it otherwise, and that has it from elsewhere too
    (SHARED, [cogen.static(bytes(40)), MEMORY, INT], (bytes(4), 3),
     "load-word: word index 3 is not in 0 to 0 of b"),
    (SHARED, [cogen.static(bytes(4)), MEMORY, INT], (bytes(40), 3),
     "load-word: word index 3 is not in 0 to 0 of a"),
    # which one is meant, only the run can tell
    (SWAPPED, [cogen.static(bytes(4)), MEMORY, INT], (bytes(40), 4),
     "load-word: word index 2 is not in 0 to 0 of a"),
    (SWAPPED, [cogen.static(bytes(40)), MEMORY, INT], (bytes(4), 5),
     "load-word: word index 2 is not in 0 to 0 of b"),
    # a global of the program
    ("(define table #u8(1 2 3))\n(define (get b i) (+ 1 (bytevector-u8-ref b i)))\n"
     "(define (f i) (get table i))", [INT], (50,),
     "bytevector-u8-ref: index 50 is not in 0 to 2 of table"),
    ("(define table (make-bytevector 8 1))\n(define (f i) (set! table table) (load-word table i))",
     [INT], (50,), "load-word: word index 50 is not in 0 to 1 of table"),
]  # fmt: skip


WRITES = "\n(define (clear! buffer) (store-word! buffer 0 0) 0)"
PARTS = (
    "(define-record-type parts (make-parts n left right) parts?"
    " (n n-of) (left left-of) (right right-of))\n"
)
KNOWN += [
    # programs that write bytes copy what they know
    (text + WRITES, bts, arguments, message)
    for text, bts, arguments, message in KNOWN
    if text.count("define") == 1 or "#u8" in text
]
KNOWN += [
    (text + writes, [INT], (9,), f"load-word: word index 9 is not in 0 to 0 of {name}")
    for writes in ("", WRITES)
    for text, name in [
        # of a record that is a global
        (f"{PARTS}(define p (make-parts 1 #u8(1 2) 3))\n"
         "(define (f i) (load-word (left-of p) i))", "p"),
        (f"{PARTS}(define p (make-parts 1 #u8(1 2) #u8(3)))\n"
         "(define (f i) (load-word (left-of p) i))", "left"),
        (f"{PARTS}(define p (make-parts 1 #u8(1 2) #u8(3)))\n"
         "(define (f i) (if (< i 0) (set! p p)) (load-word (right-of p) i))", "right"),
    ]
] + [
    ("(import (signals signal))\n(define (f out i) (signal-put! (make-signal out i 64 8 8) 1))",
     [cogen.static(bytes(8)), INT], (64,), "store-bits!: word index 2 is not in 0 to 1 of out"),
    ("(define (f b c i) (store-word! b 0 1) (+ (load-word b i) (load-word c i)))",
     [cogen.static(bytes(8)), cogen.static(bytes(4)), INT], (1,),
     "load-word: word index 1 is not in 0 to 0 of c"),
    # what the program itself copies has no name
    ("(define t #u8(1 2 3))\n"
     "(define (f b i) (store-word! b 0 1) (load-word (bytevector-copy t) i))",
     [cogen.static(bytes(8)), INT], (1,), "load-word: word index 1 is not in 0 to 0"),
]  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize(("text", "bts", "arguments", "message"), KNOWN)
def test_a_buffer_that_is_a_constant_is_called_as_its_caller_calls_it(
    way: Callable[[Any], Any],
    text: str,
    bts: list[Any],
    arguments: tuple[Any, ...],
    message: str,
) -> None:
    program = cogen.loads(text, "t.scm")
    left = iter(arguments)
    values = [bytearray(bt.value) if hasattr(bt, "value") else next(left) for bt in bts]
    expected = fails(by_source(text, "f"), *values)
    assert expected.message == message
    for make in (cogen.specialize, lambda *given: cogen.generate(*given)(*given[2:])):
        assert str(fails(way(make(program, "f", *bts)), *arguments)) == str(expected)


def test_the_text_for_people_tells_no_names_of_copies() -> None:
    text = "(define (f b i) (store-word! b 0 1) (load-word b i))"
    made = cogen.specialize(cogen.loads(text), "f", cogen.static(bytes(4)), INT)
    assert "(let ((b (bytevector-copy #u8(0 0 0 0))))" in made.scheme


@native
def test_executables_call_buffers_as_the_interpreter_does() -> None:
    record = f"{PARTS}(define (get b i) (+ 1 (bytevector-u8-ref b i)))\n"
    one, two = (
        "(make-parts 1 (make-bytevector 4 1) 2)",
        "(make-parts 1 #u8(1) (make-bytevector 4 1))",
    )
    for value, read, name in [(one, "left", "p"), (two, "right", "right")]:
        told = agree(f"{record}(define p {value})\n(display (get ({read}-of p) 9))").err
        assert f"index 9 is not in 0 to 3 of {name}" in told
    table = (
        "(define table (make-bytevector 4 1))\n(define (get b i) (+ 1 (bytevector-u8-ref b i)))\n"
    )
    assert "index 9 is not in 0 to 3 of table" in agree(f"{table}(display (get table 9))").err
    assert (
        "in none, which is empty"
        in agree(
            "(define none (bytevector))\n(define (get b) (+ 1 (bytevector-u8-ref b 0)))\n"
            "(define (f) (guard (e ((string? e) 0)) (get none)))\n(display (f))"
        ).err
    )


def test_a_buffer_that_is_known_ahead() -> None:
    program = cogen.loads("(define (f in i) (load-word in i))", "t.scm")
    for make in (cogen.specialize, lambda *given: cogen.generate(*given)(*given[2:])):
        told = fails(make, program, "f", cogen.static(b"abcd"), cogen.static(1))
        assert told.message == "load-word: word index 1 is not in 0 to 0 of in"


def test_an_error_that_is_raised_again_still_knows_its_buffer() -> None:
    text = "(define (f out)\n  (guard (e (#f 0)) (load-word out 9)))"
    made = cogen.specialize(cogen.loads(text, "t.scm"), "f", cogen.dynamic("memory"))
    expected = fails(by_source(text, "f"), bytes(4))
    assert expected.message == "load-word: word index 9 is not in 0 to 0 of out"
    for way in (by_interpreter, lambda made: native_code.load(made.program)):
        told = fails(way(made), bytes(4))
        assert (told.message, str(told.span)) == (expected.message, str(expected.span))


@native
def test_an_error_that_was_handled_leaves_no_name_behind() -> None:
    text = """(define (f out x)
      (guard (e (#t 0)) (load-word out 9))
      (+ 1 (car x)))"""
    made = cogen.specialize(cogen.loads(text, "t.scm"), "f", MEMORY, cogen.dynamic())
    for way in (by_interpreter, lambda made: native_code.load(made.program)):
        assert fails(way(made), bytes(4), 5).message == "car: expected a pair, got 5"
