"""Addresses are split with --auto, and without where it does no harm: where, into how many cases,
and without changing results."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

import cogen
from cogen.binding_times import parse_bt
from cogen.lang import il
from cogen.lang.errors import CogenError
from cogen.lang.interp import Interpreter
from cogen.lang.load import loads
from cogen.residual import ResidualProgram
from cogen.specializer.specialize import specialize
from cogen.specializer.versions.auto import MOST_UNASKED
from cogen.specializer.versions.effort import size_of_program
from cogen.specializer.versions.options import SpecializerOptions
from tests.cogen.textbook import loop_heads, residual_of, text_of

SOURCE = """
(import (signals))
(define (sum a from to size) (signal-sum (packed-signal a from to size)))
(define (sum-aligned a from to size)
  (signal-sum (signal-align (packed-signal a from to size) (word-size))))
(define (copy! a a-from a-to a-size b b-from b-to b-size)
  (signal-copy! (packed-signal a a-from a-to a-size) (packed-signal b b-from b-to b-size)))
(define (rows a from width pitch rows)
  (let next ((from from) (rows rows) (total (lift 0)))
    (if (> rows 0)
        (next (+ from pitch) (- rows 1)
              (+ total (signal-sum (packed-signal a from (+ from (* 8 width)) 8))))
        total)))
(define (walk a from to step)
  (let loop ((from from) (total (lift 0)))
    (if (< from to)
        (loop (+ from step)
              (+ total (bitwise-and 255 (arithmetic-shift (load-word a (floor-quotient from 32))
                                                          (- (floor-remainder from 32))))))
        total)))
"""
MEMORY, INT, BYTES = "(dynamic memory)", "(dynamic int)", "(cyclic 8 0)"


PROGRAM = loads(SOURCE)


@cache
def auto(entry: str, *times: str, word_size: int = 32, by_hand: bool = False) -> ResidualProgram:
    options = SpecializerOptions(word_size=word_size, auto=not by_hand)
    return specialize(PROGRAM, entry, [parse_bt(t) for t in times], options)


@cache
def running(program: il.Program, word: int) -> Interpreter:
    interpreter = Interpreter(program, word)
    interpreter.run()
    return interpreter


def run(program: il.Program, word: int, entry: str, *arguments: object) -> object:
    return running(program, word).call(entry, list(arguments))


def inside(head: il.Cont) -> Counter[str]:
    """The operations in a loop."""
    work, found = [head.body], Counter[str]()
    while work:
        block = work.pop()
        found.update(b.op for b in block.bindings if isinstance(b, il.Let))
        work += [c.body for b in block.bindings if isinstance(b, il.Conts) for c in b.conts]
        if isinstance(block.tail, il.If):
            work += [block.tail.then, block.tail.otherwise]
    return found


def splits(residual: ResidualProgram) -> dict[str, float]:
    return {k: v for k, v in residual.statistics.items() if k.startswith("set-base")}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("word", [8, 16, 32])
@pytest.mark.parametrize("size", [8, 12, 16])
def test_byte_addresses_give_the_loop_of_the_annotated_program(word: int, size: int) -> None:
    times = [MEMORY, BYTES, BYTES, f"(static {size})"]
    automatic = auto("sum", *times, word_size=word)
    aligned = [MEMORY, f"(cyclic {word} 0)", f"(cyclic {word} 0)", f"(static {size})"]
    (expected,) = loop_heads(auto("sum", *aligned, word_size=word, by_hand=True))
    assert inside(expected) in [inside(head) for head in loop_heads(automatic)]
    if size == 8:
        by_hand = auto("sum-aligned", *times, word_size=word, by_hand=True)
        assert len(loop_heads(automatic)) == len(loop_heads(by_hand))


def test_aligned_addresses_need_no_automatic() -> None:
    times = [MEMORY, "(cyclic 32 0)", "(cyclic 32 0)", "(static 12)"]
    assert text_of(auto("sum", *times)) == text_of(auto("sum", *times, by_hand=True))
    assert splits(auto("sum", *times)) == {}


def test_of_unknown_addresses_the_byte_aligned_have_loops_and_one_serves_the_others() -> None:
    residual = auto("sum", MEMORY, INT, INT, "(static 8)")
    assert len(loop_heads(residual)) == 5
    reasons = splits(residual)
    assert sorted(reasons.values()) == [4, 4]
    assert any("for floor-quotient at" in reason for reason in reasons)
    assert any("set-base from 32 in" in reason for reason in reasons)


@pytest.mark.parametrize("time", [INT, "_"])
def test_samples_need_no_flag(time: str) -> None:
    """Without one the addresses of libraries' samples are split, as with it, if it does no harm."""
    times = [parse_bt(t) for t in (MEMORY, time, time, "(static 8)")]
    unasked = specialize(PROGRAM, "sum", times)
    assert text_of(unasked) == text_of(auto("sum", MEMORY, time, time, "(static 8)"))
    assert sorted(splits(unasked).values()) == [4, 4]
    assert len(loop_heads(unasked)) > len(
        loop_heads(auto("sum", MEMORY, time, time, "(static 8)", by_hand=True))
    )


def test_numbers_that_a_program_divides_need_one() -> None:
    """They are data: a residual program would be as many times as large for nothing."""
    times = [parse_bt(t) for t in (MEMORY, INT, INT, "(static 8)")]
    plain = auto("walk", MEMORY, INT, INT, "(static 8)", by_hand=True)
    assert text_of(specialize(PROGRAM, "walk", times)) == text_of(plain)
    assert splits(auto("walk", MEMORY, INT, INT, "(static 8)")) != {}


def test_what_would_be_much_larger_stays_as_it_is() -> None:
    times = [MEMORY, BYTES, BYTES, "(static 8)"]
    found = specialize(PROGRAM, "sum", [parse_bt(t) for t in times])
    assert text_of(found) == text_of(auto("sum", *times, by_hand=True))
    larger = size_of_program(auto("sum", *times).program)
    assert larger > MOST_UNASKED * size_of_program(found.program)


def test_what_may_be_an_integer_is_split_behind_a_test() -> None:
    residual = auto("sum", MEMORY, "_", "_", "(static 8)")
    assert "(exact-integer? from)" in text_of(residual)
    assert sorted(splits(residual).values()) == [4, 4]
    buffer = bytearray(range(16))
    for start, end in ((0, 128), (8, 64), (24, 24), (2.5, 2.5), (8, 8.0), (0.0, 16)):
        told = [
            outcome(program, buffer, start, end, *size)
            for program, size in ((PROGRAM, (8,)), (residual.program, ()))
        ]
        assert told[0] == told[1]


def outcome(program: il.Program, *arguments: object) -> object:
    """What `sum` gives, or that it fails."""
    try:
        return run(program, 32, "sum", *arguments)
    except CogenError as error:
        return type(error)


def test_several_signals_have_a_version_for_whole_words() -> None:
    residual = auto("copy!", MEMORY, INT, INT, "(static 1)", MEMORY, INT, INT, "(static 1)")
    assert set(splits(residual).values()) == {1}
    assert "(store-word! b fromq-2 (load-word a fromq-3))" in text_of(residual)


def test_what_needs_no_address_is_as_ever() -> None:
    text = "(define (f n) (let loop ((i (lift 0))) (if (< i n) (loop (+ i 7)) (modulo i 10))))"
    assert text_of(residual_of(text, "f", INT, auto=True)) == text_of(residual_of(text, "f", INT))


@pytest.mark.parametrize(
    ("operation", "time", "wanted"),
    [
        ("(floor-quotient i 32)", INT, True),
        ("(floor-remainder i 32)", INT, True),
        ("(modulo i 32)", INT, True),
        ("(if (= i y) 1 2)", INT, True),
        ("(floor-quotient i n)", INT, False),
        ("(floor-remainder i n)", INT, False),
        ("(floor-quotient n i)", INT, False),
        ("(floor-quotient i 32)", "_", True),
        ("(floor-remainder i 32)", "_", True),
    ],
)
def test_what_asks_for_a_remainder(operation: str, time: str, wanted: bool) -> None:
    text = f"""
    (define (f x n y)
      (let loop ((i x) (s (lift 0)))
        (if (< s n) (loop (+ i 8) (+ s {operation})) s)))
    """
    residual = residual_of(text, "f", time, INT, "(cyclic 32 0)", auto=True)
    assert bool(splits(residual)) is wanted


@pytest.mark.one_in(2)
@pytest.mark.parametrize("times", [(INT, INT), (BYTES, BYTES), ("_", "_")])
@given(
    size=st.sampled_from([1, 5, 8, 12, 24]),
    start=st.integers(0, 9),
    count=st.integers(0, 30),
    word=st.sampled_from([8, 16, 32, 64]),
    content=st.binary(min_size=104, max_size=104),
)
def test_sums_are_the_same(
    times: tuple[str, str], size: int, start: int, count: int, word: int, content: bytes
) -> None:
    start *= 8 if times[0] == BYTES else 7
    count *= 8 if times[1] == BYTES else 1
    end = start + size * count
    if end > 8 * len(content):
        end = start
    residual = auto("sum", MEMORY, *times, f"(static {size})", word_size=word)
    arguments = [bytearray(content), start, end]
    expected = run(PROGRAM, word, "sum", *arguments, size)
    assert run(residual.program, word, "sum", *arguments) == expected


@given(
    sizes=st.sampled_from([(1, 1), (8, 8), (12, 16), (16, 12), (8, 1)]),
    starts=st.tuples(st.integers(0, 40), st.integers(0, 40)),
    count=st.integers(0, 40),
    word=st.sampled_from([8, 32]),
)
def test_copies_are_the_same(
    sizes: tuple[int, int], starts: tuple[int, int], count: int, word: int
) -> None:
    ends = [start + size * count for start, size in zip(starts, sizes, strict=True)]
    source = bytes(i * 37 % 251 for i in range(120))
    first, second = (f"(static {size})" for size in sizes)
    residual = auto("copy!", MEMORY, INT, INT, first, MEMORY, INT, INT, second, word_size=word)
    ways = []
    for program, known in ((PROGRAM, sizes), (residual.program, None)):
        a, b = bytearray(source), bytearray(source[::-1])
        arguments: list[object] = [a, starts[0], ends[0], b, starts[1], ends[1]]
        if known is not None:
            arguments[3:3], arguments[7:7] = [known[0]], [known[1]]
        run(program, word, "copy!", *arguments)
        ways.append((a, b))
    assert ways[0] == ways[1]


@given(
    start=st.integers(0, 100), pitch=st.integers(0, 90), width=st.integers(0, 9),
    rows=st.integers(0, 4),
)  # fmt: skip
def test_loops_in_loops_are_split_inside(start: int, pitch: int, width: int, rows: int) -> None:
    residual = auto("rows", MEMORY, INT, INT, INT, INT)
    reasons = splits(residual)
    assert any("in fold" in reason for reason in reasons)  # the rows' addresses, per row
    buffer = bytearray(i * 91 % 256 for i in range(80))
    arguments = [buffer, start, width, pitch, rows]
    expected = run(PROGRAM, 32, "rows", *arguments)
    assert run(residual.program, 32, "rows", *arguments) == expected


@pytest.mark.parametrize("step", ["(static 8)", "(static 24)", INT])
def test_strides_known_and_unknown(step: str) -> None:
    residual = auto("walk", MEMORY, INT, INT, step)
    known = [] if step == INT else [int(step.split()[1][:-1])]
    buffer = bytearray(i * 91 % 256 for i in range(80))
    for start in (0, 8, 13, 32):
        number = known[0] if known else 19
        arguments = [buffer, start, 500] + ([] if known else [number])
        expected = run(PROGRAM, 32, "walk", buffer, start, 500, number)
        assert run(residual.program, 32, "walk", *arguments) == expected


def test_the_python_interface_has_it() -> None:
    program = cogen.loads(SOURCE)
    memory, address, size = cogen.dynamic("memory"), cogen.dynamic("int"), cogen.static(8)
    residual = cogen.specialize(program, "sum", memory, address, address, size, auto=True)
    assert residual.compile()(bytes([1, 2, 3, 4, 5]), 8, 40) == 14


@pytest.mark.parametrize(("second", "versions"), [(32, "1,024"), (16, "512"), (4, None)])
def test_a_warning_of_very_many_versions(second: int, versions: str | None) -> None:
    text = f"""(define (f buf from to)
  (let ((from (set-base from 32))
        (to (set-base to {second})))
    (load-word buf (floor-remainder (+ from to) 4))))"""
    times = [cogen.dynamic("memory"), cogen.dynamic("int"), cogen.dynamic("int")]
    messages = cogen.specialize(cogen.loads(text), "f", *times).warnings.messages
    if versions is None:
        assert messages == []
    else:
        (note,) = messages
        assert note.message.startswith(f"set-base makes {versions} versions of what follows")
        assert str(note.span) == "<string>:3:13"


STREAMS = """
(import (signals))
(define (halves in n out)
  (let loop ((r (make-signal in 0 (* STRIDE n) 8 STRIDE))
             (g (make-signal in 8 (* STRIDE n) 8 STRIDE))
             (o (make-signal out 0 (* 8 n) 8 8)))
    (if (signal-end? r)
        0
        (begin (signal-put! o (quotient (+ (signal-get r) (signal-get g)) 2))
               (loop (signal-next r) (signal-next g) (signal-next o))))))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("kinds", [("memory", "int", "memory"), ("any", "any", "any")])
@pytest.mark.parametrize(("bytes_apart", "told"), [(2, True), (3, False)])
def test_loops_that_start_at_constants_end(
    bytes_apart: int, told: bool, kinds: Sequence[str]
) -> None:
    """Their own addresses are known in part already; where what is split makes loops that never
    end, nothing is split, and that is told."""
    program = cogen.loads(STREAMS.replace("STRIDE", str(8 * bytes_apart)))
    times = [cogen.dynamic() if kind == "any" else cogen.dynamic(kind) for kind in kinds]
    residual = cogen.specialize(program, "halves", *times, auto=True, word_size=16)
    out, data = bytearray(8), bytes(37 * i % 256 for i in range(8 * bytes_apart))
    residual.to_python()(data, 8, out)
    pairs = zip(data[::bytes_apart], data[1::bytes_apart], strict=True)
    assert out == bytes((a + b) // 2 for a, b in pairs)
    messages = [note.message for note in residual.warnings.messages]
    assert any(text.startswith("`set-base` is not placed") for text in messages) == told


def test_what_is_read_is_not_split_unless_somebody_asks() -> None:
    """An index among the data has another remainder each time."""
    source = """
        (import (signals))
        (define (gather in from to indices i-from i-to out out-from out-to)
          (sparse-gather! (packed-signal in from to 16) (packed-signal indices i-from i-to 16)
                          (packed-signal out out-from out-to 16)))
    """
    program, word = cogen.loads(source), cogen.cyclic(32, 0)
    times = [cogen.dynamic("memory"), word, word] * 3
    unasked, off, on = (
        cogen.specialize(program, "gather", *times, auto=auto).scheme
        for auto in (None, False, True)
    )
    assert unasked == off
    assert len(on) > len(off)
