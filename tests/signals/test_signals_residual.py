"""Specialized signal programs do what the source does: random layouts, word sizes, alignments."""

from __future__ import annotations

import math
from functools import cache

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import cogen
from cogen.lang import il
from cogen.lang.interp import Interpreter
from tests.signals.layouts import Layout, contents, layouts

PROGRAM = """
(import (signals))

(define (build buffer from to size stride kind order)
  (signal-with-order (signal-with-kind (make-signal buffer from to size stride) kind) order))

;; A value that depends on every sample and on their order.
(define (digest buffer from to size stride kind order)
  (let loop ((s (build buffer from to size stride kind order)) (r (lift 1)))
    (if (signal-end? s)
        r
        (loop (signal-next s)
              (if (eq? kind 'float)
                  (+ (* 0.5 r) (signal-get s))
                  (word-add (word-mul r 31) (signal-get s)))))))

(define (aligned-digest buffer from to size)
  (let loop ((s (signal-align (packed-signal buffer from to size) (word-size))) (r (lift 1)))
    (if (signal-end? s)
        r
        (loop (signal-next s) (word-add (word-mul r 31) (signal-get s))))))

(define (ramp! buffer from to size stride kind order first step)
  (signal-ramp! (build buffer from to size stride kind order) first step))

(define (copy! in in-from in-to in-size out out-from out-to out-size)
  (signal-copy! (packed-signal in in-from in-to in-size)
                (packed-signal out out-from out-to out-size)))
"""


@cache
def program() -> il.Program:
    return cogen.loads(PROGRAM, "signals-residual.scm")


def source(word_size: int) -> Interpreter:
    """The program itself in the interpreter."""
    interpreter = Interpreter(program(), word_size)
    interpreter.run()
    return interpreter


_RESIDUALS: dict[str, Interpreter] = {}


def residual(entry: str, word_size: int, bts: list[cogen.bt.BT]) -> Interpreter:
    """The residual program in the interpreter; made once."""
    key = repr((entry, word_size, [*map(cogen.bt.show_bt, bts)]))
    if key not in _RESIDUALS:
        specialized = cogen.specialize(program(), entry, *bts, word_size=word_size)
        _RESIDUALS[key] = Interpreter(specialized.program.program, word_size)
        _RESIDUALS[key].run()
    return _RESIDUALS[key]


def binding_times(layout: Layout, base: int) -> list[cogen.bt.BT]:
    """Everything known of a layout but the buffer and the quotients of its addresses."""
    return [
        cogen.dynamic("memory"),
        cogen.cyclic(base, layout.offset % base),
        cogen.cyclic(base, layout.end % base),
        cogen.static(layout.size),
        cogen.static(layout.stride),
        *map(cogen.static, layout.symbols()),
    ]


def same(a: object, b: object) -> bool:
    if isinstance(a, float) and isinstance(b, float) and math.isnan(a) and math.isnan(b):
        return True
    return type(a) is type(b) and a == b


some = settings(max_examples=settings().max_examples // 2)
"""Each layout is a program that is specialized."""


@some
@given(data=st.data(), layout=layouts(), multiple=st.integers(1, 3))
def test_reading(data: st.DataObject, layout: Layout, multiple: int) -> None:
    buffer = bytearray(data.draw(contents(layout)))
    expected = source(layout.word_size).call("digest", layout.arguments(buffer))
    specialized = residual(
        "digest", layout.word_size, binding_times(layout, multiple * layout.word_size)
    )
    assert same(specialized.call("digest", [buffer, layout.offset, layout.end]), expected)


@some
@given(
    data=st.data(),
    layout=layouts(kinds=("unsigned", "signed")),
    first=st.integers(-(2**62), 2**62),
    step=st.integers(-(2**40), 2**40),
)
def test_writing(data: st.DataObject, layout: Layout, first: int, step: int) -> None:
    content = data.draw(contents(layout))
    expected, buffer = bytearray(content), bytearray(content)
    source(layout.word_size).call("ramp!", [*layout.arguments(expected), first, step])
    bts = [*binding_times(layout, layout.word_size), cogen.dynamic("int"), cogen.static(step)]
    specialized = residual("ramp!", layout.word_size, bts)
    specialized.call("ramp!", [buffer, layout.offset, layout.end, first])
    assert buffer == expected


@given(
    data=st.data(),
    sizes=st.tuples(st.sampled_from([1, 4, 8, 12, 16, 24]), st.sampled_from([1, 8, 10, 12, 16])),
    count=st.integers(0, 40),
    offsets=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    word_size=st.sampled_from([8, 16, 32, 64]),
)
def test_two_signals_of_different_alignments(
    data: st.DataObject,
    sizes: tuple[int, int],
    count: int,
    offsets: tuple[int, int],
    word_size: int,
) -> None:
    lengths = [-(-(o + n * count) // 8) for o, n in zip(offsets, sizes, strict=True)]
    read = bytearray(data.draw(st.binary(min_size=lengths[0], max_size=lengths[0])))
    expected, written = bytearray(lengths[1]), bytearray(lengths[1])
    ranges = [(o, o + n * count) for o, n in zip(offsets, sizes, strict=True)]
    source(word_size).call("copy!", [read, *ranges[0], sizes[0], expected, *ranges[1], sizes[1]])
    bts: list[cogen.bt.BT] = []
    for (start, end), size in zip(ranges, sizes, strict=True):
        bts += [
            cogen.dynamic("memory"),
            cogen.cyclic(word_size, start % word_size),
            cogen.cyclic(word_size, end % word_size),
            cogen.static(size),
        ]
    residual("copy!", word_size, bts).call("copy!", [read, *ranges[0], written, *ranges[1]])
    assert written == expected


@given(data=st.data(), layout=layouts())
def test_nothing_known(data: st.DataObject, layout: Layout) -> None:
    buffer = bytearray(data.draw(contents(layout)))
    arguments = layout.arguments(buffer)
    expected = source(layout.word_size).call("digest", arguments)
    bts = [cogen.dynamic("memory"), *[cogen.dynamic("int")] * 4, *[cogen.dynamic()] * 2]
    assert same(residual("digest", layout.word_size, bts).call("digest", arguments), expected)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("size", [8, 12, 16])
@pytest.mark.parametrize("start", [cogen.dynamic("int"), cogen.cyclic(4, 0)], ids=str)
def test_alignment_by_case_analysis(size: int, start: cogen.bt.BT) -> None:
    bts = [cogen.dynamic("memory"), start, cogen.dynamic("int"), cogen.static(size)]
    specialized = residual("aligned-digest", 32, bts)
    buffer = bytearray((91 * i) % 251 for i in range(40))
    for offset in (0, 4, 8, 20, 24, 32, 36, 60):
        for count in (0, 1, 2, 3, 5, 8, 13):
            end = offset + size * count
            expected = source(32).call("aligned-digest", [buffer, offset, end, size])
            assert specialized.call("aligned-digest", [buffer, offset, end]) == expected
