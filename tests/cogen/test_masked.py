"""Bits that programs take apart and put together are moved in whole fields."""

from __future__ import annotations

from collections import Counter

import pytest

import cogen
from cogen.lang.interp import Interpreter
from cogen.residual import ResidualProgram
from tests.cogen.textbook import call, loop_heads, operations, residual_of, text_of

BITCOPY = """
(import (signals))
(define (bitcopy! a from to size b out out-to out-size)
  (let copy ((s (packed-signal a from to size)) (d (packed-signal b out out-to out-size)))
    (if (not (and (signal-end? d) (signal-may-end? s)))
        (begin
          (signal-put! d (signal-get s))
          (copy (signal-next s) (signal-next d))))))
"""


def loop_operations(
    word: int, start: int, out: int, sizes: tuple[int, int] = (1, 1)
) -> Counter[str]:
    """What one round of the copy does, without moving on and testing."""
    residual = copy_of(word, start, out, sizes)
    (head,) = loop_heads(residual)
    found = operations(residual)
    assert found["if"] == 1
    for op in ("cyclic-quotient", "=", "+", "-", "*"):
        del found[op]
    assert head.parameters
    return found


def copy_of(word: int, start: int, out: int, sizes: tuple[int, int] = (1, 1)) -> ResidualProgram:
    first, second = f"(cyclic {word} {start})", f"(cyclic {word} {out})"
    size, out_size = (f"(static {n})" for n in sizes)
    memory = "(dynamic memory)"
    times = [memory, first, first, size, memory, second, second, out_size]
    return residual_of(BITCOPY, "bitcopy!", *times, word_size=word)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("word", [8, 16, 32, 64])
def test_a_bit_serial_copy_of_aligned_bits_is_a_word_copy(word: int) -> None:
    assert loop_operations(word, 0, 0) == {"load-word": 1, "store-word!": 1, "if": 1}


@pytest.mark.one_in(6)
@pytest.mark.parametrize("word", [8, 16, 32])
@pytest.mark.parametrize("start", [1, 5, 7])
def test_a_bit_serial_copy_of_misaligned_bits_is_a_shift_and_or_of_two_words(
    word: int, start: int
) -> None:
    found = loop_operations(word, start, 0)
    shifts = found.pop("arithmetic-shift")
    assert shifts == 2
    assert found == {
        "load-word": 2, "store-word!": 1, "bitwise-ior": 1, "bitwise-and": 1, "if": 1
    }  # fmt: skip


@pytest.mark.one_in(6)
@pytest.mark.parametrize(
    ("word", "start", "out", "sizes"),
    [(8, 3, 0, (1, 1)), (32, 9, 0, (1, 1)), (32, 0, 7, (1, 1)), (32, 0, 0, (12, 16)),
     (32, 0, 0, (16, 12)), (16, 0, 0, (4, 8)), (64, 0, 0, (1, 1)), (64, 11, 0, (1, 1))],
)  # fmt: skip
def test_the_copy_copies(word: int, start: int, out: int, sizes: tuple[int, int]) -> None:
    residual = copy_of(word, start, out, sizes)
    rounds = 3 * word
    source = bytearray(range(7, 7 + (start + rounds * sizes[0]) // 8 + 9))
    number = int.from_bytes(source, "little") >> start
    target = bytearray((out + rounds * sizes[1]) // 8 + 9)
    interpreter = Interpreter(residual.program, word)
    interpreter.run()
    ends = start + rounds * sizes[0], out + rounds * sizes[1]
    interpreter.call("bitcopy!", [source, start, ends[0], target, out, ends[1]])
    mask = (1 << sizes[0]) - 1
    expected = sum(
        (number >> i * sizes[0] & mask & (1 << sizes[1]) - 1) << (out + i * sizes[1])
        for i in range(rounds)
    )
    assert int.from_bytes(target, "little") == expected


def test_from_12_to_16_bits_words_are_put_together_from_whole_fields() -> None:
    found = loop_operations(32, 0, 0, (12, 16))
    assert found["store-word!"] == 4
    fields = 10  # 8 samples, two of them in two words
    assert found["bitwise-ior"] == fields - 4
    assert found["bitwise-and"] <= fields
    assert found["arithmetic-shift"] <= fields


def test_bytes_of_one_word_in_order_are_the_word() -> None:
    residual = residual_of(
        """
        (define (f a)
          (let ((v (load-word a 0)))
            (+ (bitwise-and v 255)
               (* 256 (floor-remainder (floor-quotient v 256) 256))
               (bitwise-and v #xffff0000))))
        """,
        "f", "(dynamic memory)",
    )  # fmt: skip
    assert text_of(residual) == "(define (f a) (load-word a 0))"
    assert call(residual, bytes([1, 2, 3, 4])) == 0x04030201


@pytest.mark.parametrize(
    ("body", "left"),
    [
        ("(bitwise-ior (bitwise-and v 15) (bitwise-and v 240))", "(bitwise-and v 255)"),
        ("(bitwise-xor (bitwise-and v 255) (bitwise-and v 255))", "0"),
        ("(word-shift-right (word-shift-left v 8) 8)", "(bitwise-and v 72057594037927935)"),
        ("(arithmetic-shift (arithmetic-shift v -3) -4)", "(arithmetic-shift v -7)"),
        ("(bitwise-and (arithmetic-shift v -60) -1)", "(arithmetic-shift v -60)"),
        ("(bitwise-ior (bitwise-and v -256) (bitwise-and v 255))", "v"),
        ("(bitwise-and (bitwise-ior v (bitwise-and (* v v) 255)) 3840)", "(bitwise-and v 3840)"),
    ],
)
def test_what_is_left_of_bits_of_any_integer(body: str, left: str) -> None:
    residual = residual_of(f"(define (f v) {body})", "f", "(dynamic int)")
    assert text_of(residual) == f"(define (f v) {left})"


def test_an_overflow_is_still_one() -> None:
    residual = residual_of(
        "(define (f v) (bitwise-ior (arithmetic-shift v 60) 1))", "f", "(dynamic int)"
    )
    with pytest.raises(cogen.CogenError):
        call(residual, "100")


def test_a_value_that_may_be_no_integer_keeps_its_checks() -> None:
    residual = residual_of("(define (f v) (bitwise-and (bitwise-and v 3) 4))", "f", "_")
    with pytest.raises(cogen.CogenError):
        call(residual, "1.5")
    assert call(residual, "7") == 0
