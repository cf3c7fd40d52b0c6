"""Signal loops over several streams, written without a thought for alignment: one loop is left.

Addresses start at constants and move by different steps; each keeps its remainder, whatever the
others are where the loop begins, and no first round is left in front of the loop.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import lcm

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen

Stream = tuple[int, int, int]
"""Where its samples begin, their size and stride, in bits."""

GREY = [(0, 8, 24), (8, 8, 24), (16, 8, 24)]
PAIRS = [(0, 8, 16), (8, 8, 16)]


def program(streams: Sequence[Stream], out: int) -> str:
    """A program that writes the sums of samples of streams in one buffer, in `out` bits each."""
    names = [f"s{i}" for i in range(len(streams))]
    made = "".join(
        f"({name} (make-signal in {start} (+ {start} (* {stride} n)) {size} {stride}))\n"
        for name, (start, size, stride) in zip(names, streams, strict=True)
    )
    gets = " ".join(f"(signal-get {name})" for name in names)
    nexts = " ".join(f"(signal-next {name})" for name in names)
    return f"""(import (signals))
    (define (sums in n out)
      (let loop ({made} (o (make-signal out 0 (* {out} n) {out} {out})))
        (if (signal-end? o) 0
            (begin (signal-put! o (+ {gets})) (loop {nexts} (signal-next o))))))"""


def sums(data: bytes, streams: Sequence[Stream], count: int, out: int) -> int:
    """What that program writes, as an integer of little-endian bits."""
    bits, written = int.from_bytes(data, "little"), 0
    for i in range(count):
        total = sum(
            (bits >> start + i * stride) & ((1 << size) - 1) for start, size, stride in streams
        )
        written |= (total & ((1 << out) - 1)) << i * out
    return written


@pytest.mark.one_in(2)
@pytest.mark.parametrize("word", [8, 32])
@pytest.mark.parametrize("streams", [GREY, PAIRS], ids=["three", "two"])
def test_no_first_round_is_left(streams: list[Stream], word: int) -> None:
    """Each sample is written once in the text, as often as there are in a period."""
    times = cogen.dynamic("memory"), cogen.cyclic(64, 0), cogen.dynamic("memory")
    residual = cogen.specialize(cogen.loads(program(streams, 8)), "sums", *times, word_size=word)
    stride = streams[0][2]
    period = lcm(word, stride) // stride
    samples = lcm(period, word // 8)
    text = residual.scheme
    assert text.count("(let loop") == 1
    assert text.count("store-word!") <= lcm(samples * 8, word) // word
    assert text.count("(if ") <= 2
    buffer, out = bytes(range(256)) * (64 * stride // 2048 + 1), bytearray(64)
    residual.compile()(buffer, 64, out)
    assert int.from_bytes(out, "little") == sums(buffer, streams, 64, 8)


streams_drawn = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from([4, 8, 12]), st.integers(1, 3)).map(
        lambda drawn: (8 * drawn[0], drawn[1], 16 * drawn[2])
    ),
    min_size=1,
    max_size=3,
)


@given(
    streams_drawn,
    st.sampled_from([8, 16, 32]),
    st.integers(0, 9),
    st.binary(min_size=64, max_size=64),
)
def test_streams_of_any_steps(streams: list[Stream], out: int, count: int, data: bytes) -> None:
    """The residual program writes what the program does."""
    times = cogen.dynamic("memory"), cogen.dynamic("int"), cogen.dynamic("memory")
    residual = cogen.specialize(cogen.loads(program(streams, out)), "sums", *times)
    written = bytearray(40)
    residual.to_python()(data, count, written)
    assert int.from_bytes(written, "little") == sums(data, streams, count, out)
