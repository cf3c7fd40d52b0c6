"""Specialized signal programs as native code: fixed layouts of every kind, against the model."""

from __future__ import annotations

import shutil
import struct

import pytest

import cogen
from cogen.backends.kernel.load import NativeFunction, load
from cogen.lang import il
from tests.signals.layouts import Layout

pytestmark = pytest.mark.skipif(
    not any(map(shutil.which, ("cc", "gcc", "clang"))), reason="there is no C compiler"
)

SOURCE = """
(import (signals))

(define (build buffer from to size stride kind order)
  (signal-with-order (signal-with-kind (make-signal buffer from to size stride) kind) order))

(define (digest buffer from to size stride kind order)
  (let loop ((s (build buffer from to size stride kind order)) (r (lift 1)))
    (if (signal-end? s)
        r
        (loop (signal-next s) (word-add (word-mul r 31) (signal-get s))))))

(define (total buffer from to size stride kind order)
  (signal-sum (build buffer from to size stride kind order)))

(define (ramp! buffer from to size stride kind order first step)
  (signal-ramp! (build buffer from to size stride kind order) first step))
"""

#         word  offset size stride count order   kind
LAYOUTS = [
    (32, 0, 8, 8, 40, "little", "unsigned"),
    (32, 24, 8, 24, 33, "little", "unsigned"),
    (32, 0, 12, 12, 64, "little", "unsigned"),
    (32, 40, 24, 24, 29, "little", "signed"),
    (64, 7, 13, 17, 37, "little", "signed"),
    (8, 3, 10, 10, 31, "big", "unsigned"),
    (32, 0, 24, 24, 28, "big", "signed"),
    (16, 5, 1, 3, 50, "big", "unsigned"),
    (64, 64, 64, 64, 9, "little", "unsigned"),
    (32, 33, 64, 65, 9, "big", "signed"),
    (32, 31 * 20, 20, -20, 31, "little", "unsigned"),
    (24, 6, 33, 40, 17, "little", "signed"),
]


def layout_of(row: tuple[int, int, int, int, int, str, str]) -> Layout:
    """The layout of a row, in a buffer that ends within a word."""
    word, offset, size, stride, count, order, kind = row
    last = max(offset, offset + (count - 1) * stride) + size
    return Layout(word, offset, size, stride, count, order, kind, -(-last // 8) + 1)


def content(layout: Layout) -> bytearray:
    return bytearray((37 * i + i * i // 3) % 256 for i in range(layout.length))


def signed64(x: int) -> int:
    return (x + (1 << 63)) % (1 << 64) - (1 << 63)


@pytest.fixture(scope="module")
def program() -> il.Program:
    return cogen.loads(SOURCE, "signals-compiled.scm")


def compiled(program: il.Program, entry: str, layout: Layout, *more: cogen.bt.BT) -> NativeFunction:
    word = layout.word_size
    residual = cogen.specialize(
        program,
        entry,
        cogen.dynamic("memory"),
        cogen.cyclic(word, layout.offset % word),
        cogen.cyclic(word, layout.end % word),
        cogen.static(layout.size),
        cogen.static(layout.stride),
        *map(cogen.static, layout.symbols()),
        *more,
        word_size=word,
    )
    return load(residual.program)


@pytest.mark.one_in(4)
@pytest.mark.parametrize("row", LAYOUTS, ids=str)
def test_reading(program: il.Program, row: tuple[int, int, int, int, int, str, str]) -> None:
    layout = layout_of(row)
    buffer = content(layout)
    expected = 1
    for k in range(layout.count):
        expected = signed64(31 * expected + int(layout.get(bytes(buffer), k)))
    assert compiled(program, "digest", layout)(buffer, layout.offset, layout.end) == expected


@pytest.mark.one_in(4)
@pytest.mark.parametrize("row", LAYOUTS, ids=str)
def test_writing(program: il.Program, row: tuple[int, int, int, int, int, str, str]) -> None:
    layout = layout_of(row)
    buffer, expected = content(layout), content(layout)
    for k in range(layout.count):
        layout.put(expected, k, 5000 - 123 * k)
    ramp = compiled(program, "ramp!", layout, cogen.dynamic("int"), cogen.static(-123))
    ramp(buffer, layout.offset, layout.end, 5000)
    assert buffer == expected


@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize(("size", "code"), [(32, "f"), (64, "d")])
def test_floats(program: il.Program, order: str, size: int, code: str) -> None:
    values = [1.5, -2.25, 1e10, -0.0, 3.0e-5]
    packed = struct.pack(f"{'<' if order == 'little' else '>'}{len(values)}{code}", *values)
    layout = Layout(32, 0, size, size, len(values), order, "float", len(packed))
    expected = 0.0
    for k in range(layout.count):
        expected += float(layout.get(packed, k))
    assert compiled(program, "total", layout)(packed, 0, layout.end) == expected


def test_an_end_outside_of_the_buffer_is_an_error_not_a_crash(program: il.Program) -> None:
    layout = Layout(32, 0, 8, 8, 64, "little", "unsigned", 64)
    total = compiled(program, "total", layout)
    with pytest.raises(cogen.CogenError, match="load-word: word index 16 is not in 0 to 15"):
        total(bytes(64), 0, 8 * 68)


def test_signals_of_different_lengths_are_refused() -> None:
    residual = cogen.specialize(
        cogen.loads(
            """
            (import (signals))
            (define (f a from to b b-from b-to)
              (signal-copy! (packed-signal a from to 8) (packed-signal b b-from b-to 8)))
            """
        ),
        "f",
        *[cogen.dynamic("memory"), cogen.cyclic(32, 0), cogen.cyclic(32, 0)] * 2,
    )
    copy, target = load(residual.program), bytearray(8)
    copy(bytes(range(8)), 0, 64, target, 0, 64)
    assert target == bytes(range(8))
    with pytest.raises(cogen.CogenError, match="different numbers of samples"):
        copy(bytes(8), 0, 64, target, 0, 32)
