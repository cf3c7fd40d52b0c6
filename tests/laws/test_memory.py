"""Combining loads and stores keeps what memory holds, also when indices coincide."""

from __future__ import annotations

import pytest
from hypothesis import given, note
from hypothesis import strategies as st

from cogen import binding_times as bt
from cogen.backends.kernel.load import load as load_native
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.options import SpecializerOptions
from tests.cogen.textbook import operations

INDICES = ["i", "(+ i 1)", "(+ i 2)", "j", "(+ j 1)", "0", "1", "(+ (- i 1) 1)"]
SIZES = [8, 16, 32, 64]


@st.composite
def bodies(draw: st.DrawFn) -> str:
    """Statements on buffers a and b, with an accumulator x."""
    lines = []
    for _ in range(draw(st.integers(2, 9))):
        buffer, index = draw(st.sampled_from("ab")), draw(st.sampled_from(INDICES))
        mask = draw(st.sampled_from([0xF, 0xF0, 0xFF, 0xFF00, 0xFFFF, -256]))
        lines.append(
            draw(
                st.sampled_from(
                    [
                        f"(set! x (bitwise-xor x (load-word {buffer} {index})))",
                        f"(store-word! {buffer} {index} x)",
                        f"(store-word! {buffer} {index} (bitwise-ior (bitwise-and x {mask})"
                        f" (bitwise-and (load-word {buffer} {index}) (bitwise-not {mask}))))",
                        f"(store-bits! {buffer} {index} {mask} x)",
                        f"(store-bits! {buffer} {index} {mask} (load-word a i))",
                        f"(store-word! {buffer} {index}"
                        " (arithmetic-shift (bitwise-and 65535 (load-word a i)) 4))",
                        f"(if (odd? x) (store-word! {buffer} {index} (+ i j)))",
                        "(set! x (+ (bitwise-and x 4095) 1))",
                    ]
                )
            )
        )
    return "\n  ".join(lines)


@pytest.mark.parametrize("compiled", [False, True])
@given(
    body=bodies(),
    word_size=st.sampled_from(SIZES),
    i=st.integers(1, 4),
    j=st.integers(0, 5),
    content=st.binary(min_size=128, max_size=128),
    ragged=st.integers(0, 7),
)
def test_memory_ends_up_the_same(
    compiled: bool, body: str, word_size: int, i: int, j: int, content: bytes, ragged: int
) -> None:
    def buffers() -> tuple[bytearray, bytearray]:
        return bytearray(content[: 64 - ragged]), bytearray(content[64:])

    program = loads(f"(define (f a b i j)\n  (define x 5)\n  {body}\n  x)")
    note(body)
    division = [bt.Dynamic("memory"), bt.Dynamic("memory"), bt.Dynamic("int"), bt.Dynamic("int")]
    residual = specialize(program, "f", division, SpecializerOptions(word_size=word_size))
    outcomes = []
    runs = [program, residual.program] if not compiled else [program]
    for run in runs:
        a, b = buffers()
        interpreter = Interpreter(run, word_size)
        interpreter.run()
        outcomes.append((interpreter.call("f", [a, b, i, j]), a, b))
    if compiled:
        a, b = buffers()
        outcomes.append((load_native(residual)(a, b, i, j), a, b))
    assert outcomes[0] == outcomes[1]


def test_one_buffer_under_two_names_is_not_taken_for_two() -> None:
    program = loads("""
    (define (g p q i)
      (store-word! p i 1)
      (store-word! q i 2)
      (load-word p i))
    (define (f a b i c) (g a (if c a b) i))
    """)
    division = [
        bt.Dynamic("memory"), bt.Dynamic("memory"), bt.Dynamic("int"), bt.Dynamic("bool")
    ]  # fmt: skip
    residual = specialize(program, "f", division)
    interpreter = Interpreter(residual.program)
    interpreter.run()
    for same, expected in ((True, 2), (False, 1)):
        a, b = bytearray(8), bytearray(8)
        assert interpreter.call("f", [a, b, 0, same]) == expected


def test_stores_into_one_word_become_one_and_need_no_load() -> None:
    program = loads("""
    (define (f a i x y)
      (store-bits! a i #xffff x)
      (store-bits! a i #xffff0000 (arithmetic-shift y 16)))
    """)
    division = [bt.Dynamic("memory"), *[bt.Dynamic("int")] * 3]
    left = operations(specialize(program, "f", division))
    assert left["store-word!"] == 1
    assert left["load-word"] == 0


def test_of_a_partial_last_word_only_what_exists_is_read_back() -> None:
    program = loads("(define (f a) (store-word! a 1 -1) (load-word a 1))")
    residual = specialize(program, "f", [bt.Dynamic("memory")])
    interpreter = Interpreter(residual.program)
    interpreter.run()
    assert interpreter.call("f", [bytearray(5)]) == 255


def test_a_handler_sees_the_stores_before_the_error() -> None:
    program = loads("""
    (define (f b v i)
      (guard (e (#t (load-word b 0)))
        (store-word! b 0 1)
        (vector-ref v i)
        (store-word! b i 3)
        (store-word! b 0 2)
        (load-word b 0)))
    """)
    residual = specialize(program, "f", [bt.Dynamic("memory"), bt.Dynamic(), bt.Dynamic("int")])
    interpreter = Interpreter(residual.program)
    interpreter.run()
    for i, expected in ((0, 2), (1, 1), (5, 1)):  # neither fails, the store does, the index does
        assert interpreter.call("f", [bytearray(4), [7, 7], i]) == expected


def test_equal_looks_into_memory() -> None:
    program = loads("""
    (define (f b c)
      (store-word! b 0 1)
      (let ((same (equal? b c)))
        (store-word! b 0 2)
        same))
    """)
    residual = specialize(program, "f", [bt.Dynamic("memory"), bt.Dynamic("memory")])
    interpreter = Interpreter(residual.program)
    interpreter.run()
    assert interpreter.call("f", [bytearray(4), bytearray([1, 0, 0, 0])]) is True


def test_one_buffer_given_twice_to_be_read_is_eq_to_itself() -> None:
    program = loads("(define (f b c) (eq? b c))")
    residual = specialize(program, "f", [bt.Dynamic("memory"), bt.Dynamic("memory")])
    interpreter = Interpreter(residual.program)
    interpreter.run()
    buffer = bytearray(4)
    assert interpreter.call("f", [buffer, buffer]) is True
    assert interpreter.call("f", [buffer, bytearray(4)]) is False
