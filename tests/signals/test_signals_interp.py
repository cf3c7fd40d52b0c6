"""The signal library, run by the interpreter, against single bits of a Python integer."""

from __future__ import annotations

import math
import struct
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cogen.lang.datum import NIL, from_iterable, iterate, symbol
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from tests.signals.layouts import Layout, contents, layouts

pytestmark = pytest.mark.quick

ROOT = Path(__file__).resolve().parents[2]

PROGRAM = """
(import (signals))

(define (build buffer from to size stride kind order)
  (signal-with-order (signal-with-kind (make-signal buffer from to size stride) kind) order))

(define (samples buffer from to size stride kind order)
  (let loop ((s (build buffer from to size stride kind order)))
    (if (signal-end? s)
        '()
        (cons (signal-get s) (loop (signal-next s))))))

(define (put-all! buffer from to size stride kind order values)
  (let loop ((s (build buffer from to size stride kind order)) (values values))
    (if (not (signal-end? s))
        (begin
          (signal-put! s (car values))
          (loop (signal-next s) (cdr values))))))

(define (one processor . layout)
  (let ((s (apply build layout)))
    (case processor
      ((sum) (signal-sum s))
      ((min) (signal-min s))
      ((max) (signal-max s))
      ((peak) (signal-peak s))
      ((mean) (signal-mean s))
      ((energy) (signal-energy s)))))

(define (constant-plus value buffer from to size stride)
  (let loop ((c (make-constant-signal value)) (s (make-signal buffer from to size stride)) (r 0))
    (if (and (signal-end? c) (signal-end? s))
        r
        (loop (signal-next c) (signal-next s) (+ r (* (signal-get c) (signal-get s)))))))

(define (put-constant) (signal-put! (make-constant-signal 1) 2))

(define (reversed buffer from to size stride)
  (let loop ((s (signal-reverse (make-signal buffer from to size stride))))
    (if (signal-end? s) '() (cons (signal-get s) (loop (signal-next s))))))

(define (gain buffer from to size out out-from out-to out-size numerator shift)
  (signal-gain! (signed-signal (packed-signal buffer from to size))
                (signed-signal (packed-signal out out-from out-to out-size)) numerator shift))

(define (mix a a-to b b-to out out-to size)
  (signal-mix! (signed-signal (packed-signal a 0 a-to size))
               (signed-signal (packed-signal b 0 b-to size))
               (signed-signal (packed-signal out 0 out-to size))))

(define (grey colours to greys grey-to)
  (let ((all (packed-signal colours 0 to 8)))
    (signal-grey! (signal-channel all 0 3) (signal-channel all 1 3) (signal-channel all 2 3)
                  (packed-signal greys 0 grey-to 8))))

(define (threshold buffer from to size out out-from out-to level)
  (signal-threshold! (packed-signal buffer from to size) (packed-signal out out-from out-to 1)
                     level))

(define (convert in in-to in-size in-kind out out-to out-size out-kind)
  (signal-convert! (signal-with-kind (packed-signal in 0 in-to in-size) in-kind)
                   (signal-with-kind (packed-signal out 0 out-to out-size) out-kind)))

(define (copy in in-to in-size in-kind out out-to out-size out-kind)
  (signal-copy! (signal-with-kind (packed-signal in 0 in-to in-size) in-kind)
                (signal-with-kind (packed-signal out 0 out-to out-size) out-kind)))

(define (ramp out from to size stride v step)
  (signal-ramp! (make-signal out from to size stride) v step))

(define (fill out from to size stride v)
  (signal-fill! (make-signal out from to size stride) v))

(define (planes buffer bits size plane)
  (signal-sum (signal-plane (packed-signal buffer 0 bits size) plane bits)))

(define (range kind size)
  (let ((s (build #u8() 0 0 size size kind 'little)))
    (list (signal-least s) (signal-greatest s) (signal-zero s))))
"""


@cache
def machine(word_size: int) -> Interpreter:
    """An interpreter with the program above loaded, one for each word size."""
    program = loads(PROGRAM, "signals-test.scm", (ROOT,))
    interpreter = Interpreter(program, word_size=word_size)
    interpreter.run()
    return interpreter


def same(a: object, b: object) -> bool:
    """Equal, and of one type; NaNs are alike."""
    if isinstance(a, float) and isinstance(b, float):
        return (a == b and math.copysign(1, a) == math.copysign(1, b)) or (a != a and b != b)
    return type(a) is type(b) and a == b


@given(data=st.data(), layout=layouts())
def test_get_reads_the_bits_of_each_sample(data: st.DataObject, layout: Layout) -> None:
    buffer = data.draw(contents(layout))
    got = machine(layout.word_size).call("samples", layout.arguments(bytearray(buffer)))
    expected = [layout.get(buffer, k) for k in range(layout.count)]
    assert all(map(same, iterate(got), expected)), (list(iterate(got)), expected)
    assert len(list(iterate(got))) == layout.count


@given(data=st.data(), layout=layouts(kinds=("unsigned", "signed")))
def test_put_changes_the_bits_of_the_sample_and_no_other(
    data: st.DataObject, layout: Layout
) -> None:
    buffer = bytearray(data.draw(contents(layout)))
    low, high = -(1 << 63), (1 << 63) - 1
    values = data.draw(
        st.lists(st.integers(low, high), min_size=layout.count, max_size=layout.count)
    )
    expected = bytearray(buffer)
    for k, value in enumerate(values):
        layout.put(expected, k, value)
    machine(layout.word_size).call("put-all!", [*layout.arguments(buffer), from_iterable(values)])
    assert buffer == expected


@given(data=st.data(), layout=layouts(kinds=("float",)))
def test_floats_put_come_back(data: st.DataObject, layout: Layout) -> None:
    buffer = bytearray(data.draw(contents(layout)))
    values = data.draw(
        st.lists(st.floats(width=layout.size), min_size=layout.count, max_size=layout.count)
    )
    machine(layout.word_size).call("put-all!", [*layout.arguments(buffer), from_iterable(values)])
    assert all(same(layout.get(buffer, k), value) for k, value in enumerate(values))


@given(data=st.data(), layout=layouts(kinds=("unsigned", "signed")))
def test_reductions(data: st.DataObject, layout: Layout) -> None:
    buffer = data.draw(contents(layout))
    values = [layout.get(buffer, k) for k in range(layout.count)]

    def run(name: str) -> object:
        return machine(layout.word_size).call(
            "one", [symbol(name), *layout.arguments(bytearray(buffer))]
        )

    if layout.size <= 28:  # no sum leaves the range of integers
        assert run("sum") == sum(values)
        assert run("energy") == sum(v * v for v in values)
        assert run("peak") == max(map(abs, values), default=0)
    if not values:
        for name in ("min", "max", "mean"):
            with pytest.raises(CogenError, match=f"signal-{name}: the signal is empty"):
                run(name)
        return
    assert run("min") == min(values)
    assert run("max") == max(values)
    if layout.size <= 28:
        assert run("mean") == sum(values) / len(values)


@given(values=st.lists(st.floats(-1e3, 1e3, width=32), min_size=1, max_size=9))
def test_reductions_of_floats(values: list[float]) -> None:
    buffer = bytearray(struct.pack(f"<{len(values)}f", *values))
    layout = [buffer, 0, 32 * len(values), 32, 32, symbol("float"), symbol("little")]
    run = machine(32).call
    total = 0.0
    for v in values:
        total += v
    assert same(run("one", [symbol("sum"), *layout]), total)
    assert run("one", [symbol("min"), *layout]) == min(values)
    assert run("one", [symbol("peak"), *layout]) == max(map(abs, values))


def test_a_constant_signal_needs_no_memory_and_ends_with_the_others() -> None:
    assert machine(32).call("constant-plus", [3, bytearray([1, 2, 3]), 0, 24, 8, 8]) == 18


def test_a_constant_signal_cannot_be_written() -> None:
    with pytest.raises(CogenError, match="signal-put!: a constant signal cannot be written"):
        machine(32).call("put-constant", [])


def test_reverse() -> None:
    got = machine(32).call("reversed", [bytearray([1, 2, 3, 4]), 8, 32, 8, 8])
    assert list(iterate(got)) == [4, 3, 2]


def test_gain_clips() -> None:
    source = bytearray(struct.pack("<4h", 1000, -1000, 30000, -30000))
    out = bytearray(8)
    machine(32).call("gain", [source, 0, 64, 16, out, 0, 64, 16, 3, 1])
    assert struct.unpack("<4h", out) == (1500, -1500, 32767, -32768)


def test_gain_to_another_size() -> None:
    source = bytearray(struct.pack("<4h", 1000, -1000, 30000, -30000))
    out = bytearray(12)
    machine(32).call("gain", [source, 0, 64, 16, out, 0, 96, 24, 256, 0])
    assert [int.from_bytes(out[i : i + 3], "little", signed=True) for i in range(0, 12, 3)] == [
        256000, -256000, 7680000, -7680000]  # fmt: skip


@given(pairs=st.lists(st.tuples(*[st.integers(-32768, 32767)] * 2), max_size=9))
def test_mix(pairs: list[tuple[int, int]]) -> None:
    n = len(pairs)
    a = bytearray(struct.pack(f"<{n}h", *[x for x, _ in pairs]))
    b = bytearray(struct.pack(f"<{n}h", *[y for _, y in pairs]))
    out = bytearray(2 * n)
    machine(32).call("mix", [a, 16 * n, b, 16 * n, out, 16 * n, 16])
    assert list(struct.unpack(f"<{n}h", out)) == [(x + y) >> 1 for x, y in pairs]


def test_signals_of_different_lengths_are_refused() -> None:
    with pytest.raises(CogenError, match="signal-mix!: the signals have different numbers of"):
        machine(32).call("mix", [bytearray(8), 64, bytearray(8), 48, bytearray(8), 64, 16])


@given(pixels=st.binary(max_size=30).map(lambda b: b[: len(b) // 3 * 3]))
def test_grey(pixels: bytes) -> None:
    n = len(pixels) // 3
    out = bytearray(n)
    machine(32).call("grey", [bytearray(pixels), 24 * n, out, 8 * n])
    expected = [(77 * pixels[i] + 150 * pixels[i + 1] + 29 * pixels[i + 2]) >> 8
                for i in range(0, 3 * n, 3)]  # fmt: skip
    assert list(out) == expected


def test_threshold_packs_bits() -> None:
    out = bytearray([255, 255, 255])
    machine(32).call(
        "threshold", [bytearray([0, 99, 100, 101, 255, 100, 7, 8, 200]), 0, 72, 8, out, 3, 12, 100]
    )
    assert int.from_bytes(out, "little") == 0b1111_1111_1111_1001_1110_0111


@pytest.mark.parametrize(
    ("values", "source", "target", "expected"),
    [
        ([1 << 22, -(1 << 22)], ("i", 32, "signed"), ("h", 16, "signed"), [64, -64]),
        ([64, -64], ("h", 16, "signed"), ("i", 32, "signed"), [1 << 22, -(1 << 22)]),
        ([64, -32768], ("h", 16, "signed"), ("f", 32, "float"), [1 / 512, -1.0]),
        ([0.5, -1.0, 1.0], ("f", 32, "float"), ("h", 16, "signed"), [16384, -32768, 32767]),
        ([0.25, 7.0], ("f", 32, "float"), ("d", 64, "float"), [0.25, 7.0]),
    ],
)
def test_convert_scales(
    values: list[float],
    source: tuple[str, int, str],
    target: tuple[str, int, str],
    expected: list[float],
) -> None:
    n = len(values)
    buffer, out = (
        bytearray(struct.pack(f"<{n}{source[0]}", *values)),
        bytearray(n * target[1] // 8),
    )
    machine(32).call(
        "convert",
        [buffer, n * source[1], source[1], symbol(source[2]),
         out, n * target[1], target[1], symbol(target[2])],
    )  # fmt: skip
    assert list(struct.unpack(f"<{n}{target[0]}", out)) == expected


def test_copy_rounds_floats_and_widens() -> None:
    out = bytearray(4)
    source = bytearray(struct.pack("<4f", 1.5, 2.5, -1.2, 256.0))
    machine(32).call("copy", [source, 128, 32, symbol("float"), out, 32, 8, symbol("signed")])
    assert list(out) == [2, 2, 255, 0]
    wide = bytearray(8)
    machine(32).call("copy", [out, 32, 8, symbol("unsigned"), wide, 64, 16, symbol("unsigned")])
    assert list(struct.unpack("<4H", wide)) == [2, 2, 255, 0]


def test_ramp_and_fill() -> None:
    out = bytearray([0xFF] * 5)
    machine(32).call("ramp", [out, 0, 32, 8, 16, 5, 3])
    assert out == bytearray([5, 0xFF, 8, 0xFF, 0xFF])
    machine(8).call("fill", [out, 8, 32, 8, 8, 258])
    assert out == bytearray([5, 2, 2, 2, 0xFF])


def test_planes() -> None:
    assert machine(32).call("planes", [bytearray(range(9)), 24, 8, 2]) == 6 + 7 + 8


@pytest.mark.parametrize("size", [1, 8, 31, 32, 63, 64])
def test_ranges(size: int) -> None:
    half = 1 << (size - 1)
    signed = list(iterate(machine(32).call("range", [symbol("signed"), size])))
    unsigned = list(iterate(machine(32).call("range", [symbol("unsigned"), size])))
    assert signed == [-half, half - 1, 0]
    assert unsigned == (signed if size == 64 else [0, 2 * half - 1, 0])
    assert NIL is not signed
