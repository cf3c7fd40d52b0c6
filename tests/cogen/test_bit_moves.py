"""Loops that only move bits: where bits come from, and permutations that bring them there."""

import os
import platform
import random
import shutil
from typing import Any

import numpy as np
import pytest

import cogen
from cogen import signals
from cogen.backends.kernel import provenance, shuffles
from cogen.backends.kernel.provenance import RULES, ZEROS, Bit, Bits, Reached
from cogen.backends.kernel.shuffles import Shuffle, best_merge, best_shuffle, windows
from cogen.lang import il
from cogen.signals import kernels
from cogen.specialized import Residual

MASK = (1 << 64) - 1


def signed(x: int) -> int:
    x &= MASK
    return x - (1 << 64) if x >> 63 else x


MEANINGS = {
    "bitwise-and": lambda a, b: a & b,
    "bitwise-ior": lambda a, b: a | b,
    "bitwise-xor": lambda a, b: a ^ b,
    "bitwise-not": lambda a: ~a,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "word-add": lambda a, b: a + b,
    "word-sub": lambda a, b: a - b,
    "word-mul": lambda a, b: a * b,
    "arithmetic-shift": lambda a, n: signed(a) << n if n >= 0 else signed(a) >> -n,
    "word-shift-left": lambda a, n: a << n,
    "word-shift-right": lambda a, n: (a & MASK) >> n,
    "lift": lambda a: a,
}


def value_of(bits: Bits, memory: int) -> int:
    return signed(sum(known(bit, memory) << i for i, bit in enumerate(bits)))


def known(bit: Bit, memory: int) -> int:
    if isinstance(bit, tuple):
        return (memory >> bit[0] & 1) ^ bit[1]
    if isinstance(bit, Reached):
        return int((memory >> bit.address & 255) >= bit.least) ^ bit.inverted
    return int(bool(bit))


def some_bits(rng: random.Random) -> Bits:
    """A field of a buffer somewhere in a word, or a known number."""
    kind = rng.randrange(4)
    if kind == 0:
        number = rng.choice([1, 255, 0x800, 0x01010101, rng.getrandbits(64)])
        return tuple(bool(number >> i & 1) for i in range(64))
    bits: list[Bit] = list(ZEROS)
    start, length, address = rng.randrange(40), rng.randrange(1, 24), rng.randrange(64)
    for i in range(length):
        bits[start + i] = (address + i, kind == 1)
    return tuple(bits)


def test_every_operation_is_followed():
    assert set(MEANINGS) == set(RULES)


@pytest.mark.parametrize("op", sorted(MEANINGS))
def test_bits_that_are_known_are_those_of_the_result(op: str):
    rng = random.Random(op)
    decided = 0
    for _ in range(60):
        a, b = some_bits(rng), some_bits(rng)
        if "shift" in op:
            count = rng.randrange(-63 if op.startswith("a") else 0, 64)
            b = tuple(bool(count >> i & 1) for i in range(64))
        if op in ("*", "word-mul") and not all(isinstance(bit, bool) for bit in (*b,)):
            a, b = b, tuple(bool(0x8040201 >> i & 1) for i in range(64))
        arguments = [a, b][: 1 if op in ("lift", "bitwise-not") else 2]
        result = RULES[op](*arguments)
        for _ in range(4):
            memory = rng.getrandbits(128)
            expected = MEANINGS[op](*(value_of(x, memory) for x in arguments))
            for i, bit in enumerate(result):
                if bit is not None:
                    decided += 1
                    assert known(bit, memory) == expected >> i & 1, (op, i)
    assert decided > 2000


def test_a_sign_is_extended_by_a_sum():
    field: Bits = tuple((i, False) for i in range(12)) + ZEROS[12:]
    number = provenance._bits_of(il.Const(0x800), {})
    result = RULES["-"](RULES["bitwise-xor"](field, number), number)
    assert result == (*field[:11], *((11, False),) * 53)


@pytest.mark.parametrize("number", [1, 8, 127, 128, 254, 255])
def test_what_a_byte_and_a_number_carry_is_a_comparison(number: int):
    """Of sums, and of differences both ways; all higher bits, and their opposites."""
    byte: Bits = tuple((16 + i, False) for i in range(8)) + ZEROS[8:]
    constant = provenance._bits_of(il.Const(number), {})
    made = {
        "+": (RULES["+"](byte, constant), RULES["word-add"](constant, byte)),
        "-": (RULES["-"](byte, constant), RULES["bitwise-not"](RULES["-"](constant, byte))),
    }
    for op, results in made.items():
        for result in results:
            assert None not in result[8:] or number == 255
            for x in range(256):
                memory = x << 16 | 0xFF0000FF
                ways = {"+": (x + number,) * 2, "-": (x - number, ~(number - x))}[op]
                wanted = ways[results.index(result)]
                for i, bit in enumerate(result):
                    assert bit is None or known(bit, memory) == wanted >> i & 1, (op, x, i)


COMPARED = """
(define (above x least) (arithmetic-shift (+ x (- 256 least)) -8))
(define (below x least) (bitwise-and (arithmetic-shift (- x least) -8) 1))
(define (f in out n)
  (let go ((i 0))
    (if (< i n)
        (let ((k (* 8 i)))
          (let next ((j 0) (bits 0))
            (if (< j 8)
                (let ((x (load-word in (+ k j))))
                  (next (+ j 1)
                        (bitwise-ior bits
                          (arithmetic-shift (if (odd? j) (above x (+ 40 (* 9 j))) {other}) j))))
                (store-word! out i bits)))
          (go (+ i 1))))))
(define (twice in out other n) (f in out n) (f in other n))
"""


def compared(other: str, entry: str) -> Residual:
    """Bytes compared with numbers, as one bit each; with another bit at even places."""
    memory, number = cogen.dynamic("memory"), cogen.dynamic("int")
    program = cogen.loads(COMPARED.format(other=other))
    buffers = 2 if entry == "f" else 3
    return cogen.specialize(program, entry, *[memory] * buffers, number, word_size=8)


@pytest.mark.parametrize("other", ["(below x 77)", "1", "0", "(below x 255)"])
def test_bytes_are_compared_in_vectors(other: str):
    residual = compared(other, "f")
    assert "cogen_reached64(" in residual.c
    native, python = residual.compile(), residual.to_python()
    for count in (0, 1, 7, 8, 9, 31, 100):
        data = random.Random(count).randbytes(8 * count)
        outs = [bytearray(b"M" * (count + 1)) for _ in range(2)]
        for way, out in zip((native, python), outs, strict=True):
            way(data, out, count)
        assert outs[0] == outs[1]
        assert outs[0][-1:] == b"M"


def test_bits_beside_comparisons_are_left_to_the_loop():
    assert "cogen_reached64(" not in compared("(bitwise-and x 1)", "f").c


def test_loops_of_one_kernel_share_what_they_need_of_the_library():
    """C refuses a function that is defined twice."""
    residual = compared("(below x 77)", "twice")
    assert residual.c.count("= cogen_moved_") == 2
    data, outs = random.Random(1).randbytes(800), (bytearray(100), bytearray(100))
    residual.compile()(data, *outs, 100)
    assert outs[0] == outs[1] != bytearray(100)


def carried_out(found: Shuffle, memory: int, lanes: int) -> int:
    """What a shuffle makes of memory, lane by lane."""
    total = 0
    ones = (1 << found.size) - 1
    for lane in range(lanes):
        value = 0
        for term in found.terms:
            part = 0
            for place, byte in enumerate(term.bytes[lane]):
                taken = 0xA5 if byte is None else memory >> (8 * byte) & 255
                part |= taken << (8 * place)
            shift = term.shifts[lane]
            part = (part << shift if shift >= 0 else part >> -shift) & ones
            value |= part if term.masks is None else part & term.masks[lane]
        top = value >> (found.size - 1) & 1
        value = (value >> found.spread) | (ones << (found.size - found.spread) if top else 0)
        value = (value & ones) ^ found.flipped[lane]
        total |= value << (lane * found.size)
    if not found.signs:
        return total
    mask = (1 << found.item) - 1
    items = [total >> (i * found.item) & mask for i in range(len(found.signs))]
    return sum(
        ((x - sign) & mask) << (i * found.item)
        for i, (x, sign) in enumerate(zip(items, found.signs, strict=True))
    )


def samples(size: int, item: int, count: int, has_sign: bool, big: bool) -> Bits:
    """Samples one after the other, as items of an array."""
    bits: list[Bit] = []
    for i in range(count):
        places = [i * size + k for k in range(size)]
        if big:  # bit 7 of a byte is the first
            places = [(p // 8) * 8 + 7 - p % 8 for p in reversed(places)]
        bits += [(p, False) for p in places]
        bits += [(places[-1], False) if has_sign else False] * (item - size)
    return tuple(bits)


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("has_sign", [False, True])
@pytest.mark.parametrize(
    ("size", "item"), [(4, 8), (10, 16), (12, 16), (14, 16), (20, 32), (24, 32)]
)
def test_shuffles_bring_samples_to_items(size: int, item: int, has_sign: bool, big: bool):
    bits = samples(size, item, 512 // item, has_sign, big)
    found = best_shuffle(bits, (16, 32, 64), (16, 32, 64))
    assert found is not None
    assert len(found.terms) <= 4
    rng = random.Random(size)
    for _ in range(5):
        memory = rng.getrandbits(512)
        expected = sum(known(bit, memory) << i for i, bit in enumerate(bits))
        assert carried_out(found, memory, 512 // found.size) == expected


def test_bits_from_everywhere_are_no_shuffle():
    rng = random.Random(0)
    bits: Bits = tuple((rng.randrange(512), False) for _ in range(512))
    assert best_shuffle(bits, (16, 32, 64), (16, 32, 64)) is None


@pytest.mark.parametrize(("size", "step", "kept"), [(6, 11, 5), (5, 7, 3), (9, 11, 4)])
def test_a_search_that_comes_to_nothing_ends_soon(
    size: int, step: int, kept: int, monkeypatch: pytest.MonkeyPatch
):
    addresses = [range(step * i, step * i + size) for i in range(512 // kept)]
    low = [[p // 8 * 8 + 7 - p % 8 for p in reversed(sample)][:kept] for sample in addresses]
    bits: Bits = tuple((place, False) for sample in low for place in sample)
    tried = 0

    def taken(*arguments: Any) -> Any:
        nonlocal tried
        tried += 1
        assert tried < 50_000
        return original(*arguments)

    original = shuffles._taken
    monkeypatch.setattr(shuffles, "_taken", taken)
    best_shuffle.__wrapped__(bits[: len(bits) // 64 * 64], (16, 32, 64), (16, 32, 64))
    assert tried


@pytest.mark.parametrize(("size", "item", "lane"), [(12, 16, 32), (10, 16, 64), (24, 32, 32)])
def test_samples_are_put_side_by_side_in_lanes(size: int, item: int, lane: int):
    """Packing: what is left of lanes is bytes of the packed samples."""
    count = 512 // item
    bits: Bits = tuple((i * item + k, False) for i in range(count) for k in range(size))
    found = best_merge(bits, (16, 32, 64))
    assert found is not None
    assert found.size == lane
    memory = random.Random(size).getrandbits(512)
    ones = (1 << found.size) - 1
    merged = 0
    for start in range(0, 512, found.size):
        x = memory >> start & ones
        kept = 0
        for shift, mask in found.moves:
            kept |= (x << shift if shift >= 0 else x >> -shift) & mask
        merged |= kept << start
    stored = sum((merged >> (8 * p) & 255) << (8 * i) for i, p in enumerate(found.places))
    assert stored == sum(known(bit, memory) << i for i, bit in enumerate(bits))


@pytest.mark.parametrize("big", [False, True])
@pytest.mark.parametrize("size", [9, 10, 12, 14, 15])
def test_windows_put_samples_side_by_side_in_words(size: int, big: bool):
    """Packing, where bytes have bits of two samples: what is left of words is bytes of the packed
    samples."""
    count = 32
    stored = [(i * 16 + k, False) for i in range(count) for k in range(size)]
    if big:  # bit 7 of a byte is the first, the highest of a sample
        first = [(i * 16 + k, False) for i in range(count) for k in reversed(range(size))]
        stored = [first[at // 8 * 8 + 7 - at % 8] for at in range(len(first))]
    found = windows(tuple(stored), 64)
    if size % 2:  # four samples have no whole bytes
        assert found is None
        return
    assert found is not None
    assert len(found.terms) == 2
    memory = random.Random(size).getrandbits(512)
    words = [memory >> start & (1 << 64) - 1 for start in range(0, 512, 64)]
    made = [0] * 64
    for firsts, masks in found.terms:
        for at, (first_bit, mask) in enumerate(zip(firsts, masks, strict=True)):
            twice = words[at // 8] << 64 | words[at // 8]
            made[at] |= twice >> first_bit & mask
    stored_bytes = sum(made[place] << 8 * i for i, place in enumerate(found.places))
    assert stored_bytes == sum(known(bit, memory) << i for i, bit in enumerate(stored))


def test_windows_are_of_one_word():
    assert windows(tuple((60 + k, False) for k in range(8)), 64) is None


def test_a_byte_of_many_windows_is_a_sum() -> None:
    """One in a word: its windows have no bit in common, and what they keep is the byte."""
    high = [(16 * k + 2 + i, False) for k in range(4) for i in range(8)]
    low = [(16 * k + i, False) for k in range(4) for i in range(2)]
    found = windows((*high, *low), 8)
    assert found is not None
    assert found.summed is not None
    assert found.places == (0, 1, 2, 3, 8)
    assert len(found.terms) == 1
    starts, masks = found.summed
    assert sum(masks) == 255
    kept = [
        (s + i) % 64 for s, m in zip(starts, masks, strict=True) for i in range(8) if m >> i & 1
    ]
    assert sorted(kept) == sorted(address for address, _ in low)
    twice = windows((*low, *low), 8)
    assert twice is not None
    assert twice.summed is None
    assert len(twice.terms) == 4


@pytest.mark.skipif(not any(map(shutil.which, ("cc", "gcc"))), reason="there is no C compiler")
@pytest.mark.parametrize("tested", ["__GNUC__", "__clang__"])
def test_bytes_are_tested_with_and_without_the_header_of_intrinsics(
    tested: str, monkeypatch: pytest.MonkeyPatch
):
    """GCC needs none; others are taken to be Clang."""
    flags = os.environ.get("COGEN_CFLAGS", "")
    monkeypatch.setenv("COGEN_CFLAGS", flags if tested == "__GNUC__" else f"{flags} -D{tested}")
    monkeypatch.setattr(kernels, "_movers", {})
    data = random.Random(1).randbytes(1003)
    bits = np.unpackbits(np.frombuffer(data, np.uint8))
    assert np.array_equal(signals.unpack(data, "mask-msb"), bits)
    assert bytes(signals.pack(bits.astype(bool), "mask-msb")) == data
    native, out = compared("(below x 77)", "f").compile(), bytearray(100)
    native(data, out, 100)
    wanted = [[x >= 40 + 9 * i if i % 2 else x < 77 for i, x in enumerate(data[k : k + 8])]
              for k in range(0, 800, 8)]  # fmt: skip
    assert bytes(out) == bytes(np.packbits(wanted, bitorder="little"))
    for name in ("u10", "raw14"):  # bytes are windows there
        samples = signals.unpack(data[:700], name)
        assert bytes(signals.pack(samples, name)) == data[:700]


@pytest.mark.one_in(2)
@pytest.mark.skipif(
    platform.machine() != "x86_64" or not any(map(shutil.which, ("cc", "gcc"))),
    reason="there is no compiler for AVX2",
)
@pytest.mark.parametrize("name", ["u12", "size=10", "size=14,signed"])
def test_vectors_whose_bytes_stay_in_their_half(name: str, monkeypatch: pytest.MonkeyPatch):
    """AVX2: each half is packed and stored for itself; a round may fill several vectors."""
    flags = os.environ.get("COGEN_CFLAGS", "")
    monkeypatch.setenv("COGEN_CFLAGS", f"{flags} -mno-avx512f")
    monkeypatch.setattr(kernels, "_movers", {})
    layout = signals.layout(name)
    assert isinstance(layout, signals.Layout)
    order = layout.order
    low = -(1 << layout.size - 1) if layout.signed else 0
    for count in (8, 40, 1000, 1016):
        samples = np.random.default_rng(count).integers(low, low + (1 << layout.size), count)
        samples = samples.astype(layout.dtype)
        rows = samples[:, None] >> np.arange(layout.size) & 1
        bits = rows if order == "little" else rows[:, ::-1]
        wanted = np.packbits(bits.astype(np.uint8).reshape(-1), bitorder=order)
        assert np.array_equal(signals.pack(samples, layout, wrap=True), wanted)
        out = np.full(len(wanted) + 40, 7, np.uint8)
        signals.pack(samples, layout, out=out)
        assert np.array_equal(out, [*wanted, *[7] * 40])
