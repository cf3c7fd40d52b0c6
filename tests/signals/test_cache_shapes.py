"""What the software cache leaves: how often each word is loaded and stored, and in which form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import pytest

import cogen
from cogen.lang import il
from cogen.lang.ilutil import all_blocks
from cogen.lang.interp import Interpreter
from cogen.lang.prims import PRIMITIVES

MEMORY = cogen.dynamic("memory")
WORD = cogen.cyclic(32, 0)
INT = cogen.dynamic("int")
LIBRARIES = "(import (signals signal) (signals layouts) (signals pointwise) (signals reduce))"
FORMS = ["", "(init-cache 1)", "(init-cache 4)", "(init-cache 1 'carry)", "(init-cache 4 'carry)"]
CARRY = [form for form in FORMS if "carry" in form]
RELOAD = [form for form in FORMS if "carry" not in form]


def residual_of(annotation: str, text: str, *bts: cogen.bt.BT) -> Any:
    """The residual program of an entry `f` that begins with an annotation, put in for `%`."""
    return cogen.specialize(cogen.loads(LIBRARIES + text.replace("%", annotation)), "f", *bts)


@contextmanager
def counted() -> Iterator[Counter[str]]:
    """Counts accesses to words of memory by interpreters made inside."""
    counts: Counter[str] = Counter()
    names = ("load-word", "store-word!")
    rows = {name: PRIMITIVES[name] for name in names}

    def counting(name: str) -> Any:
        def call(*arguments: Any) -> Any:
            counts[name] += 1
            return rows[name].python(*arguments)

        return call

    try:
        for name in names:
            PRIMITIVES[name] = replace(rows[name], python=counting(name))
        yield counts
    finally:
        PRIMITIVES.update(rows)


def accesses(residual: Any, *arguments: Any) -> tuple[int, int]:
    """Loads and stores of words in one run, which must do what is done by the program itself."""
    with counted() as counts:
        program = residual.program.program
        interpreter = Interpreter(program)
        interpreter.run()
        interpreter.call(residual.program.entry, list(arguments))
    return counts["load-word"], counts["store-word!"]


def loops(residual: Any) -> int:
    """How many local loops and procedures a residual program has."""
    count = 0
    for block in all_blocks(residual.program.program):
        for binding in block.bindings:
            if isinstance(binding, il.Conts):
                count += sum(1 for cont in binding.conts if cont.label)
    return count


def words(count: int) -> bytearray:
    return bytearray(4 * count)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("size", "samples"), [(8, 24), (12, 16), (16, 12)])
def test_a_sum_loads_each_word_once(form: str, size: int, samples: int) -> None:
    text = f"(define (f b from to) % (signal-sum (packed-signal b from to {size})))"
    residual = residual_of(form, text, MEMORY, WORD, WORD)
    assert accesses(residual, words(6), 0, size * samples) == (6, 0)


@pytest.mark.parametrize("form", FORMS)
def test_a_ramp_that_fills_words_loads_none(form: str) -> None:
    text = "(define (f b from to i) % (signal-ramp! (packed-signal b from to 8) i 1))"
    residual = residual_of(form, text, MEMORY, WORD, WORD, INT)
    assert accesses(residual, words(6), 0, 6 * 32, 1) == (0, 6)


def test_carrying_a_ramp_has_an_entry_and_a_steady_state() -> None:
    text = "(define (f b from to i) % (signal-ramp! (packed-signal b from to 8) i 1))"
    residual = residual_of("(init-cache 1 'carry)", text, MEMORY, WORD, WORD, INT)
    counts = Counter(
        binding.op
        for block in all_blocks(residual.program.program)
        for binding in block.bindings
        if isinstance(binding, il.Let)
    )
    assert counts["store-word!"] == 2  # in the loop, and of the word that is left at its end
    assert counts["load-word"] == 0
    loop = residual.scheme[residual.scheme.index("(let scan-1") :]
    assert "(bits t" in loop  # what is to be written goes round the loop
    conditionals = [b for b in all_blocks(residual.program.program) if isinstance(b.tail, il.If)]
    assert len(conditionals) == 2  # nothing to write yet, and a word to write


@pytest.mark.parametrize("form", RELOAD)
def test_reloading_leaves_one_loop_with_nothing_to_write(form: str) -> None:
    text = "(define (f b from to i) % (signal-ramp! (packed-signal b from to 8) i 1))"
    residual = residual_of(form, text, MEMORY, WORD, WORD, INT)
    conditionals = [b for b in all_blocks(residual.program.program) if isinstance(b.tail, il.If)]
    assert len(conditionals) == 1


@pytest.mark.parametrize("form", FORMS)
def test_a_ramp_with_gaps_loads_and_stores_each_word_once(form: str) -> None:
    text = "(define (f b from to i) % (signal-ramp! (make-signal b from to 8 16) i 1))"
    residual = residual_of(form, text, MEMORY, WORD, WORD, INT)
    memory = bytearray(b"\xee" * 24)
    assert accesses(residual, memory, 0, 6 * 32, 1) == (6, 6)
    assert memory == bytes(b for i in range(1, 13) for b in (i, 0xEE))


FIR = """
(define (f b from to) %
  (let loop ((s (packed-signal b from to SIZE)) (x (lift 0)))
    (if (signal-end? s)
        x
        (let taps ((k 0) (t s) (x x))
          (if (= k TAPS)
              (loop (signal-next s) x)
              (taps (+ k 1) (signal-next t) (+ x (* (+ k 1) (signal-get t)))))))))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize(("size", "taps"), [(8, 5), (8, 9), (16, 3), (32, 3), (32, 5), (12, 4)])
def test_overlapping_reads_are_carried_round_the_loop(size: int, taps: int) -> None:
    text = FIR.replace("SIZE", str(size)).replace("TAPS", str(taps))
    rounds = 4 * (32 * 3 // size if size == 12 else 32 // size)
    ahead = -(-(rounds + taps - 1) * size // 32)
    residual = residual_of("(init-cache 8 'carry)", text, MEMORY, WORD, WORD)
    assert accesses(residual, words(ahead), 0, rounds * size) == (ahead, 0)


@pytest.mark.parametrize("form", [form for form in RELOAD if form])
def test_overlapping_reads_are_reloaded_at_the_head_of_the_loop(form: str) -> None:
    text = FIR.replace("SIZE", "8").replace("TAPS", "5")
    residual = residual_of(form, text, MEMORY, WORD, WORD)
    assert accesses(residual, words(9), 0, 8 * 32) == (16, 0)  # two words a round


@pytest.mark.parametrize("form", FORMS[1:])
def test_two_streams_of_one_buffer_share_their_words(form: str) -> None:
    text = """
    (define (f b from to) %
      (let loop ((left (make-signal b from to 8 16)) (x (lift 0)))
        (if (signal-end? left)
            x
            (let ((right (signal-with-skip left 8)))
              (signal-put! right (+ (signal-get left) (signal-get right)))
              (loop (signal-next left) (+ x 1))))))
    """
    residual = residual_of(form, text, MEMORY, WORD, WORD)
    assert accesses(residual, words(6), 0, 6 * 32) == (6, 6)


COPY = """
(define (f b from to c at end) %
  (signal-copy! (packed-signal b from to 12) (packed-signal c at end 16)))
"""


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", [*RELOAD, "(init-cache 3 'carry)"])
def test_a_copy_loads_and_stores_each_word_once(form: str) -> None:
    residual = residual_of(form, COPY, MEMORY, WORD, WORD, MEMORY, WORD, WORD)
    source, target = bytearray(range(36)), bytearray(48)
    assert accesses(residual, source, 0, 288, target, 0, 384) == (9, 12)


WITHIN = """
(define (f b from to at end) %
  (signal-copy! (packed-signal b from to 16) (packed-signal b at end 8)))
"""


@pytest.mark.one_in(6)
@pytest.mark.parametrize("form", ["(init-cache 1)", "(init-cache 4)", "(init-cache 4 'carry)"])
@pytest.mark.parametrize(("at", "apart"), [(8, True), (4, True), (2, False), (1, False)])
def test_a_range_test_picks_the_version(form: str, at: int, apart: bool) -> None:
    residual = residual_of(form, WITHIN, MEMORY, *[WORD] * 4)
    memory = bytearray(range(16)) + bytearray(32)
    expected = bytearray(memory)
    for i in range(8):
        expected[4 * at + i] = expected[2 * i]
    _, stores = accesses(residual, memory, 0, 128, 32 * at, 32 * at + 64)
    assert memory == expected
    assert (stores == 2) is apart


def test_the_range_test_is_one_conditional_and_only_where_it_is_needed() -> None:
    def conditionals(annotation: str, text: str, *bts: cogen.bt.BT) -> int:
        program = residual_of(annotation, text, *bts).program.program
        return sum(isinstance(block.tail, il.If) for block in all_blocks(program))

    one_buffer: list[cogen.bt.BT] = [MEMORY, *[WORD] * 4]
    plain = conditionals("", WITHIN, *one_buffer)
    assert plain == 2  # the lengths, and the loop
    assert conditionals("(init-cache 4)", WITHIN, *one_buffer) == plain + 2
    assert conditionals("(init-cache 4)", COPY, MEMORY, WORD, WORD, MEMORY, WORD, WORD) == plain
    in_place = "(define (f b from to) % (signal-gain! (packed-signal b from to 8) " \
        "(packed-signal b from to 8) 3 1))"  # fmt: skip
    assert conditionals("(init-cache 4)", in_place, MEMORY, WORD, WORD) == 1


@pytest.mark.parametrize("form", FORMS[1:])
def test_stores_under_conditionals_still_make_one_word(form: str) -> None:
    text = """
    (define (f b from x) %
      (let put ((i 0) (s (packed-signal b from from 8)))
        (if (< i 4)
            (begin
              (if (odd? (arithmetic-shift x (- i))) (signal-put! s i) (signal-put! s 255))
              (put (+ i 1) (signal-next s))))))
    """
    residual = residual_of(form, text, MEMORY, WORD, INT)
    memory = bytearray(b"\xee" * 8)
    assert accesses(residual, memory, 0, 0b1010) == (0, 1)
    assert memory == b"\xff\x01\xff\x03" + b"\xee" * 4


THRESHOLD = """
(define (f b from to c) %
  (let loop ((in (packed-signal b from to 8)) (out (packed-signal c from to 8)))
    (if (not (signal-end? in))
        (begin
          (if (> (signal-get in) 100) (signal-put! out 1) (signal-put! out 0))
          (loop (signal-next in) (signal-next out))))))
"""


@pytest.mark.parametrize("form", ["(init-cache 1)", "(init-cache 4)", "(init-cache 2 'carry)"])
def test_values_under_conditionals_make_no_versions(form: str) -> None:
    residual = residual_of(form, THRESHOLD, MEMORY, WORD, WORD, MEMORY)
    source, target = bytearray(range(96, 104)), bytearray(8)
    assert accesses(residual, source, 0, 64, target)[1] == 2
    assert target == bytes([0] * 5 + [1] * 3)
    conditionals = [b for b in all_blocks(residual.program.program) if isinstance(b.tail, il.If)]
    rounds = 2 if "carry" in form else 1  # the entry, before a word waits to be written
    assert len(conditionals) <= rounds * (1 + 4)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", ["(init-cache 2)", "(init-cache 1 'carry)"])
def test_bits_put_or_not_do_not_multiply_versions(form: str) -> None:
    text = THRESHOLD.replace("(packed-signal c from to 8)", "(packed-signal c at at 1)")
    text = text.replace("(signal-put! out 0)", "0").replace("c) %", "c at) %")
    residual = residual_of(form, text, MEMORY, WORD, WORD, MEMORY, WORD)
    source, target = bytearray(range(60, 140)), bytearray(b"\xaa" * 12)
    accesses(residual, source, 0, 8 * 64, target, 0)
    bits = [(byte >> k) & 1 for byte in target for k in range(8)]
    kept = [(0xAA >> (k % 8)) & 1 for k in range(96)]
    assert bits == [1 if i < 64 and 60 + i > 100 else kept[i] for i in range(96)]


def test_automatic_choice_of_the_cache() -> None:
    bts: list[cogen.bt.BT] = [MEMORY, WORD, WORD, MEMORY]
    program = cogen.loads(LIBRARIES + THRESHOLD.replace("%", ""))
    automatic = cogen.specialize(program, "f", *bts, auto=True)
    assert accesses(automatic, bytearray(8), 0, 64, bytearray(8))[1] == 2
    assert automatic.scheme == residual_of("(init-cache 8)", THRESHOLD, *bts).scheme
    chosen = [key for key in automatic.statistics if key.startswith("init-cache")]
    assert [automatic.statistics[key] for key in chosen] == [1]
    without = cogen.specialize(program, "f", *bts)
    assert not [key for key in without.statistics if key.startswith("init-cache")]


def test_the_form_and_the_lines_must_be_known() -> None:
    with pytest.raises(cogen.CogenError, match="init-cache: what it is given must be known"):
        residual_of("(init-cache n)", "(define (f n) % n)", INT)
    with pytest.raises(cogen.CogenError, match="expected reload or carry, got often"):
        residual_of("(init-cache 2 'often)", "(define (f n) % n)", INT)
    with pytest.raises(cogen.CogenError, match="-1 is no number of lines"):
        residual_of("(init-cache -1)", "(define (f n) % n)", INT)


def test_an_annotation_of_the_top_level_holds_for_the_entry() -> None:
    text = "% (define (f b from to i) (signal-ramp! (packed-signal b from to 8) i 1))"
    residual = residual_of("(init-cache 1 'carry)", text, MEMORY, WORD, WORD, INT)
    conditionals = [b for b in all_blocks(residual.program.program) if isinstance(b.tail, il.If)]
    assert len(conditionals) == 2
    assert "init-cache" not in residual.scheme
    assert accesses(residual, words(6), 0, 6 * 32, 1) == (0, 6)


def test_a_program_that_handles_errors_has_no_cache() -> None:
    text = """
    (define (f b i) %
      (guard (e (#t (load-word b 0)))
        (let ((s (packed-signal b 0 8 8)))
          (signal-put! s 7)
          (vector-ref (vector 1 2) i)
          (signal-put! s 9)
          0)))
    """
    residual = residual_of("(init-cache 4 'carry)", text, MEMORY, INT)
    interpreter = Interpreter(residual.program.program)
    interpreter.run()
    assert interpreter.call("f", [bytearray(4), 5]) == 7
    assert interpreter.call("f", [bytearray(4), 1]) == 0


@pytest.mark.one_in(4)
@pytest.mark.parametrize("form", FORMS[1:])
def test_a_generating_extension_leaves_the_same(form: str) -> None:
    bts: list[cogen.bt.BT] = [MEMORY, WORD, WORD, MEMORY, WORD, WORD]
    program = cogen.loads(LIBRARIES + COPY.replace("%", form))
    made = cogen.generate(program, "f", *bts)(*bts)
    assert made.scheme == cogen.specialize(program, "f", *bts).scheme
