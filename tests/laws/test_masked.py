"""Bits that are moved about and put together again are the bits of the source program."""

from __future__ import annotations

import pytest
from hypothesis import assume, example, given, note
from hypothesis import strategies as st

from cogen import binding_times as bt
from cogen.backends.kernel.load import load as load_native
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from tests.cogen.textbook import operations

WORD_SIZES = [8, 16, 24, 32, 64]
MASKS = [1, 7, 0xFF, 0xF0F0, 0x5555, 0xFFFF, 0xFFFF0000, (1 << 63) - 1, -1, -2, -256, -(1 << 63)]
MEMORY, INT = bt.Dynamic("memory"), bt.Dynamic("int")


@st.composite
def expressions(draw: st.DrawFn, depth: int = 4) -> str:
    """Integer expressions that mostly move bits."""
    if depth == 0 or draw(st.integers(0, 7)) == 0:
        return draw(st.sampled_from(["x", "y", "(load-word a 0)", "(load-word a 1)", "5", "-3"]))
    left = draw(expressions(depth - 1))
    kind = draw(st.integers(0, 9))
    if kind <= 2:
        return f"(bitwise-and {left} {draw(st.sampled_from(MASKS))})"
    if kind <= 5:
        op = draw(st.sampled_from(["arithmetic-shift", "arithmetic-shift", "word-shift-left"]))
        count = draw(st.sampled_from([1, 3, 8, 16, 31, 40, 63]))
        if op == "arithmetic-shift" and draw(st.booleans()):
            return f"(arithmetic-shift (bitwise-and {left} 255) {min(count, 40)})"
        return f"({op} {left} {-count if op == 'arithmetic-shift' else count})"
    if kind == 6:
        op = draw(st.sampled_from(["floor-quotient", "floor-remainder", "modulo"]))
        return f"({op} {left} {draw(st.sampled_from([2, 8, 256]))})"
    if kind == 7:
        return f"(word-shift-right {left} {draw(st.sampled_from([1, 8, 33, 63]))})"
    op = draw(st.sampled_from(["bitwise-ior", "bitwise-xor", "bitwise-and", "+"]))
    return f"({op} {left} {draw(expressions(depth - 1))})"


def outcome(program: il.Program, word_size: int, a: bytearray, x: int, y: int) -> object:
    interpreter = Interpreter(program, word_size)
    interpreter.run()
    return interpreter.call("f", [a, x, y]), a


SIGN_BIT = "(word-shift-right (arithmetic-shift x -1) 63)"


@pytest.mark.parametrize("compiled", [False, True])
@given(
    bodies=st.lists(expressions(), min_size=4, max_size=4),
    word_size=st.sampled_from(WORD_SIZES),
    x=st.integers(-(1 << 62), 1 << 62),
    y=st.integers(-300, 300),
    content=st.binary(min_size=16, max_size=16),
)
@example(bodies=[SIGN_BIT] * 4, word_size=8, x=-1, y=0, content=bytes(16))
def test_expressions_on_bits_keep_their_value(
    compiled: bool, bodies: list[str], word_size: int, x: int, y: int, content: bytes
) -> None:
    kept = " ".join(f"(store-word! a 1 (word-add (load-word a 1) {body}))" for body in bodies)
    text = f"(define (f a x y) {kept} {bodies[0]})"
    note(text)
    program = loads(text)
    try:
        expected = outcome(program, word_size, bytearray(content), x, y)
    except CogenError:
        assume(False)  # an overflow, which may be left out
    residual = specialize(program, "f", [MEMORY, INT, INT], SpecializerOptions(word_size=word_size))
    if compiled:
        a = bytearray(content)
        assert (load_native(residual)(a, x, y), a) == expected
    else:
        assert outcome(residual.program, word_size, bytearray(content), x, y) == expected


@given(order=st.permutations(range(16)), word_size=st.sampled_from([16, 32]), word=st.data())
def test_a_shuffle_of_bits_is_that_shuffle(
    order: list[int], word_size: int, word: st.DataObject
) -> None:
    pieces = [
        f"(arithmetic-shift (bitwise-and (arithmetic-shift v {-bit}) 1) {place})"
        for place, bit in enumerate(order)
    ]
    body = f"(bitwise-ior {' '.join(pieces)})"
    program = loads(f"(define (f a) (let ((v (load-word a 0))) {body}))")
    residual = specialize(program, "f", [MEMORY], SpecializerOptions(word_size=word_size))
    value = word.draw(st.integers(0, (1 << word_size) - 1))
    expected = sum((value >> bit & 1) << place for place, bit in enumerate(order))
    interpreter = Interpreter(residual.program, word_size)
    interpreter.run()
    assert interpreter.call("f", [bytearray(value.to_bytes(word_size // 8, "little"))]) == expected
    distances = {place - bit for place, bit in enumerate(order)}
    left = operations(residual)
    assert sum(left.values()) - left["load-word"] <= 3 * len(distances) - 1
