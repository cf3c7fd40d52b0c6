"""Bit readers: fields of widths known and not known, in both bit orders, and codes made of bits."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.signals.ways import Signal, run, run_source, signal

PROGRAM = """
;; A digest of the fields of the widths in turn, until less than `limit` bits are left.
(define (fields s widths limit)
  (let next ((reader (signal-bits s)) (left widths) (digest (lift 1)))
    (cond ((< (bits-left reader) limit) digest)
          ((null? left) (next reader widths digest))
          (else
           (let-values (((x reader) (read-bits reader (car left))))
             (next reader (cdr left) (word-add (word-mul digest 31) x)))))))
(define (three s) (fields s '(3 10 7) 10))
(define (bytes s) (fields s '(8) 8))

;; Each field tells in four bits how many bits the next one has.
(define (chained s)
  (let next ((reader (signal-bits s)) (digest (lift 1)))
    (if (< (bits-left reader) 4)
        digest
        (let-values (((n reader) (read-bits reader 4)))
          (if (< (bits-left reader) n)
              digest
              (let-values (((x reader) (read-bits reader n)))
                (dcall next reader (word-add (word-mul digest 31) x))))))))

(define (digest-codes s count read)
  (let next ((reader (signal-bits s)) (count count) (digest (lift 1)))
    (if (= count 0)
        digest
        (let-values (((x reader) (read reader)))
          (dcall next reader (- count 1) (word-add (word-mul digest 31) x))))))
(define (golomb s count) (digest-codes s count read-exp-golomb))
(define (signed-golomb s count) (digest-codes s count read-signed-exp-golomb))
(define (varints s count) (digest-codes s count read-varint))
(define (unary s count) (digest-codes s count read-unary))
(define (signed s count) (digest-codes s count (lambda (r) (read-signed-bits r 5))))
(define (beyond s) (let-values (((x reader) (read-bits (signal-bits s) 9))) x))
"""


def wrap(x: int) -> int:
    return (x + (1 << 63)) % (1 << 64) - (1 << 63)


def digest(values: list[int]) -> int:
    r = 1
    for x in values:
        r = wrap(31 * r + x)
    return r


def stream(fields: list[tuple[int, int]], order: str) -> Signal:
    """A signal of bytes that begins with fields of (bits, value)."""
    whole, at = 0, 0
    total = -(-sum(bits for bits, _ in fields) // 8) * 8
    for bits, value in fields:
        whole |= value << (at if order == "little" else total - at - bits)
        at += bits
    memory = whole.to_bytes(total // 8, "little" if order == "little" else "big")
    return signal(list(memory), 8, order=order)


def cut(data: bytes, widths: list[int], order: str) -> list[int]:
    """The fields of the widths that the bytes begin with."""
    whole, at, result = int.from_bytes(data, "little" if order == "little" else "big"), 0, []
    for width in widths:
        shift = at if order == "little" else 8 * len(data) - at - width
        result.append(whole >> shift & ((1 << width) - 1))
        at += width
    return result


@pytest.mark.one_in(4)
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("n", [0, 5, 20])
def test_widths_that_are_known(order: str, n: int) -> None:
    data = random.Random(n).randbytes(n)
    widths: list[int] = []
    while 8 * n - sum(widths) >= 10:
        widths.append((3, 10, 7)[len(widths) % 3])
    s = signal(list(data), 8, order=order)
    assert run(PROGRAM, "three", s).value == digest(cut(data, widths, order))
    assert run(PROGRAM, "bytes", s, native=False).value == digest(list(data))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("order", ["little", "big"])
@pytest.mark.parametrize("word", [8, 32, 64])
def test_widths_that_are_not_known(order: str, word: int) -> None:
    rng = random.Random(word)
    values = [(n, rng.randrange(1 << n)) for n in [0, 5, 15, 1, 0, 8, 12, 3, 7, 15, 2]]
    fields = [field for n, x in values for field in ((4, n), (n, x))]
    padding = -sum(n for n, _ in fields) % 8
    expected = [x for _, x in values] + [0] * (padding // 4)
    got = run(PROGRAM, "chained", stream(fields, order), word_size=word, native=word != 8)
    assert got.value == digest(expected)


def exp_golomb(x: int) -> list[tuple[int, int]]:
    n = (x + 1).bit_length() - 1
    return [(n, 0), (1, 1), (n, x + 1 - (1 << n))]


NUMBERS = st.lists(st.integers(0, 6) | st.integers(0, 1 << 20), max_size=8)


@settings(max_examples=max(12, settings().max_examples // 80))
@given(numbers=NUMBERS, order=st.sampled_from(["little", "big"]))
def test_exp_golomb_codes(numbers: list[int], order: str) -> None:
    s = stream([field for x in numbers for field in exp_golomb(x)], order)
    assert run_source(PROGRAM, "golomb", s, len(numbers)).value == digest(numbers)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("order", ["little", "big"])
def test_codes_in_all_ways(order: str) -> None:
    numbers = [0, 1, 2, 3, 9, 100, 65535, 7]
    golomb = stream([field for x in numbers for field in exp_golomb(x)], order)
    assert run(PROGRAM, "golomb", golomb, len(numbers)).value == digest(numbers)
    signs = [-(x // 2) if x % 2 == 0 else (x + 1) // 2 for x in numbers]
    assert run(PROGRAM, "signed-golomb", golomb, len(numbers), native=False).value == digest(signs)
    unary = stream([field for n in (0, 3, 11, 1) for field in ((n, 0), (1, 1))], order)
    assert run(PROGRAM, "unary", unary, 4, native=False).value == digest([0, 3, 11, 1])
    five = stream([(5, x % 32) for x in (-16, 15, -1, 0)], order)
    assert run(PROGRAM, "signed", five, 4, native=False).value == digest([-16, 15, -1, 0])


def test_varints() -> None:
    numbers = [0, 1, 127, 128, 300, 1 << 40, (1 << 62) + 5]
    data: list[int] = []
    for x in numbers:
        while x >= 128:
            data.append(x % 128 | 128)
            x //= 128
        data.append(x)
    assert run(PROGRAM, "varints", signal(data, 8), len(numbers)).value == digest(numbers)


def test_what_is_not_there() -> None:
    short = run(PROGRAM, "beyond", signal([1], 8), native=False)
    assert short.error == "read-bits: there are not that many bits"
    long = run_source(PROGRAM, "varints", signal([255] * 12, 8), 1)
    assert long.error == "read-varint: the number is too great"
    zeros = run_source(PROGRAM, "golomb", signal([0] * 8 + [255] * 8, 8), 1)
    assert zeros.error == "read-exp-golomb: the number is too great"
    empty = run_source(PROGRAM, "golomb", signal([0] * 4, 8), 1)
    assert empty.error == "read-bits: there are not that many bits"
