"""Loops that only move bits -> where each bit that a round stores comes from.

    while (i < n) { out[4*i] = in[3*i] & 4095; … }

A value is followed as 64 bits, each of which is 0, 1, a bit of a buffer (or its opposite), whether
a byte of it is so great (or not), or unknown; through sums and products too, as far as no two bits
meet (a sign is extended by a sum).
Nothing here knows of formats: what the residual program does tells how samples lie.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.bounds import Access, LinearSum
from cogen.lang import il

WIDTH: Final = 64
MOST_BITS: Final = 1 << 13
"""The bits that a round stores, at most."""


@dataclass(frozen=True, slots=True)
class Reached:
    """Whether the byte at the address of its first bit is at least so great; or the opposite."""

    address: int
    least: int
    inverted: bool = False


Bit = bool | tuple[int, bool] | Reached | None
"""False, True, (address, is it inverted?), a comparison, or None for unknown."""

Bits = tuple[Bit, ...]
"""The bits of an integer, the lowest first."""

UNKNOWN: Final[Bits] = (None,) * WIDTH
ZEROS: Final[Bits] = (False,) * WIDTH


@dataclass(frozen=True, slots=True)
class Through:
    """How a loop goes through two buffers: words are loaded from word `source_index` of `source` on
    up to the `reach`-th, and stored from `target_index` of `target` on.  Indices are those of the
    first round; they grow by `read` and `written` words a round."""

    source: il.Var
    target: il.Var
    source_index: LinearSum
    target_index: LinearSum
    read: int
    written: int
    reach: int


@dataclass(frozen=True, slots=True)
class Moved(Through):
    """What a round of a loop does that only moves bits: `bits[i]` becomes bit i of the words that
    it stores, which are all; addresses in them count from the first word that it loads."""

    bits: Bits


def moved_bits(loop: st.KernelLoop, word_size: int) -> Moved | None:
    """What a counted loop moves, if it does nothing else, and goes forward in both buffers."""
    round_ = round_of(loop, RULES)
    if round_ is None or round_.through.written * word_size > MOST_BITS:
        return None
    values = _followed(round_.operations, round_.loaded, word_size)
    words = {round_.stored[o]: _bits_of(o.arguments[2], values) for o in round_.stored}
    bits = tuple(bit for place in sorted(words) for bit in words[place][:word_size])
    if None in bits:
        return None
    through = round_.through
    return Moved(
        through.source, through.target, through.source_index, through.target_index, through.read,
        through.written, through.reach, bits,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class MovingRound:
    """A round of a loop that goes forward through two buffers: its operations in order, which word,
    counted from the first, each load takes and each store fills, and how it ends."""

    through: Through
    operations: Sequence[st.Op]
    loaded: Mapping[st.Op, int]
    stored: Mapping[st.Op, int]
    moves: Sequence[st.Move]


def round_of(
    loop: st.KernelLoop,
    known: Container[str],
    changing: Collection[str] = (),
    reading: bool = True,
) -> MovingRound | None:
    """The round of a counted loop that loads words of one buffer, does operations that are known,
    and stores each word of another; None if it does anything else.  Parameters move by constant
    steps, but for those that are `changing`.  If not `reading` it may load nothing; the source is
    the target then."""
    counted = loop.counted
    if counted is None:
        return None
    if any(name not in counted.steps and name not in changing for name in loop.parameters):
        return None
    operations = _straight(loop, known)
    if operations is None:
        return None
    accesses = {access.operation: access for access in counted.accesses}
    loads = [o for o in operations if o.op == "load-word"]
    stores = [o for o in operations if o.op == "store-word!"]
    if any(o not in accesses for o in (*loads, *stores)) or not stores:
        return None
    target = _walk([accesses[o] for o in stores])
    if target is None or bool(loads) != reading:
        return None
    source = _walk([accesses[o] for o in loads]) if loads else replace(target, step=0, places=[0])
    if source is None or (loads and source.buffer == target.buffer):
        return None
    stored = {o: target.place(accesses[o]) for o in stores}
    if sorted(stored.values()) != list(range(target.step)):
        return None
    through = Through(
        source.buffer, target.buffer, source.least, target.least, source.step, target.step,
        source.places[-1],
    )  # fmt: skip
    loaded = {o: source.place(accesses[o]) for o in loads}
    moves = [s for s in loop.body if isinstance(s, st.Move)]
    return MovingRound(through, operations, loaded, stored, moves)


def _straight(loop: st.KernelLoop, known: Container[str]) -> list[st.Op] | None:
    """The operations behind the test at the head, if there is nothing else but assignments, and
    none that may fail or has effects of other kinds."""
    head = next((i for i, s in enumerate(loop.body) if isinstance(s, st.Branch)), None)
    if head is None:
        return None
    before, behind = loop.body[:head], loop.body[head + 1 :]
    operations = [s for s in behind if isinstance(s, st.Op)]
    if any(not isinstance(s, st.Op) or s.op in ("load-word", "store-word!") for s in before):
        return None
    if any(not isinstance(s, st.Op | st.Move | st.Again) for s in behind):
        return None
    accesses = ("load-word", "store-word!")
    return operations if all(o.op in known or o.op in accesses for o in operations) else None


@dataclass(frozen=True, slots=True)
class _BufferAccesses:
    """Accesses of one buffer, side by side: the least index, and the others' distances from it."""

    buffer: il.Var
    least: LinearSum
    step: int
    places: list[int]

    def place(self, access: Access) -> int:
        return access.index.constant - self.least.constant


def _walk(accesses: Sequence[Access]) -> _BufferAccesses | None:
    """How accesses walk through one buffer, if they do so together, and forward."""
    first = accesses[0]
    if not isinstance(first.buffer, il.Var) or first.step <= 0:
        return None
    alike = all(
        a.buffer == first.buffer and a.step == first.step and a.index.terms == first.index.terms
        for a in accesses
    )
    if not alike:
        return None
    least = min((a.index for a in accesses), key=lambda index: index.constant)
    places = sorted({a.index.constant - least.constant for a in accesses})
    return _BufferAccesses(first.buffer, least, first.step, places)


# Following values


def _followed(
    operations: Sequence[st.Op], loaded: Mapping[st.Op, int], word_size: int
) -> dict[str, Bits]:
    """The bits of what operations give, from those that load words."""
    values: dict[str, Bits] = {}
    for operation in operations:
        if operation.op == "load-word":
            start = loaded[operation] * word_size
            word: list[Bit] = [(start + i, False) for i in range(word_size)]
            values[operation.name] = (*word, *ZEROS[word_size:])
        elif operation.op != "store-word!":
            arguments = [_bits_of(a, values) for a in operation.arguments]
            values[operation.name] = RULES[operation.op](*arguments)
    return values


def _bits_of(atom: il.Atom, values: Mapping[str, Bits]) -> Bits:
    if isinstance(atom, il.Const) and type(atom.value) is int:
        return tuple(bool(atom.value >> i & 1) for i in range(WIDTH))
    return values.get(atom.name, UNKNOWN) if isinstance(atom, il.Var) else UNKNOWN


def _not(a: Bit) -> Bit:
    if isinstance(a, Reached):
        return replace(a, inverted=not a.inverted)
    if a is None:
        return None
    return not a if isinstance(a, bool) else (a[0], not a[1])


def _and(a: Bit, b: Bit) -> Bit:
    if a is False or b is False or (a is not None and a == _not(b)):
        return False
    return b if a is True else a if b is True or a == b else None


def _or(a: Bit, b: Bit) -> Bit:
    return _not(_and(_not(a), _not(b)))


def _xor(a: Bit, b: Bit) -> Bit:
    for one, other in ((a, b), (b, a)):
        if isinstance(one, bool):
            return _not(other) if one else other
    if isinstance(a, tuple) and isinstance(b, tuple) and a[0] == b[0]:
        return a != b
    return None


def _carry(a: Bit, b: Bit, c: Bit) -> Bit:
    """What two of three bits are at least."""
    for one, other, third in ((a, b, c), (a, c, b), (b, c, a)):
        if one is not None and one == other:
            return one
        if one is not None and one == _not(other):
            return third
    return None


def _each(combine: Callable[[Bit, Bit], Bit]) -> Callable[..., Bits]:
    return lambda a, b: tuple(combine(x, y) for x, y in zip(a, b, strict=True))


def _inverted(a: Bits) -> Bits:
    return tuple(map(_not, a))


def _sum(a: Bits, b: Bits, carry: Bit = False) -> Bits:
    """a + b + carry modulo 2^64; what a byte and a number below 256 carry is a comparison."""
    bits: list[Bit] = []
    added = _byte_and_number(a, b) if carry is False else None
    for x, y in zip(a, b, strict=True):
        bits.append(_xor(_xor(x, y), carry))
        carry = _carry(x, y, carry)
    if added is not None:
        bits[8] = Reached(added[0], 256 - added[1])
    return tuple(bits)


def _difference(a: Bits, b: Bits) -> Bits:
    """a - b; of a byte and a number below 256 the higher bits say which is greater."""
    bits = _sum(a, _inverted(b), True)
    found = _byte_and_number(a, b)
    if found is None:
        return bits
    address, number = found
    is_byte_less = _number(b) == number
    sign = Reached(address, number, True) if is_byte_less else Reached(address, number + 1)
    return (*bits[:8], *((sign,) * (WIDTH - 8))) if sign.least < 256 else bits


def _byte_and_number(a: Bits, b: Bits) -> tuple[int, int] | None:
    """The address of a byte, and a number from 1 to 255, if these are the two."""
    for one, other in ((a, b), (b, a)):
        first, number = one[0], _number(other)
        if isinstance(first, tuple) and number is not None and 0 < number < 256:
            byte = tuple((first[0] + i, False) for i in range(8))
            if first[0] % 8 == 0 and one[:8] == byte and one[8:] == ZEROS[8:]:
                return first[0], number
    return None


def _number(bits: Bits) -> int | None:
    """The integer, if it is known."""
    if not all(isinstance(bit, bool) for bit in bits):
        return None
    value = sum(1 << i for i, bit in enumerate(bits) if bit)
    return value - (1 << WIDTH) if bits[-1] else value


def _product(a: Bits, b: Bits) -> Bits:
    """a * b modulo 2^64, of which one is known."""
    factor, other = (_number(a), b) if _number(a) is not None else (_number(b), a)
    if factor is None:
        return UNKNOWN
    total = ZEROS
    for i in range(WIDTH):
        if factor >> i & 1:
            total = _sum(total, _moved(other, i, False))
    return total


def _moved(a: Bits, places: int, fill: Bit) -> Bits:
    """The bits that many places up; down if it is negative, where `fill` comes in."""
    if abs(places) >= WIDTH:
        return (fill,) * WIDTH if places < 0 else ZEROS
    if places >= 0:
        return (*ZEROS[:places], *a[: WIDTH - places])
    return (*a[-places:], *((fill,) * -places))


def _arithmetic_shift(a: Bits, count: Bits) -> Bits:
    places = _number(count)
    return UNKNOWN if places is None else _moved(a, places, a[-1])


def _word_shift(sign: int) -> Callable[..., Bits]:
    def rule(a: Bits, count: Bits) -> Bits:
        places = _number(count)
        return UNKNOWN if places is None or places < 0 else _moved(a, sign * places, False)

    return rule


RULES: Final[Mapping[str, Callable[..., Bits]]] = {
    "bitwise-and": _each(_and),
    "bitwise-ior": _each(_or),
    "bitwise-xor": _each(_xor),
    "bitwise-not": _inverted,
    "+": _sum,
    "-": lambda a, b=None: _difference(ZEROS, a) if b is None else _difference(a, b),
    "*": _product,
    "word-add": _sum,
    "word-sub": _difference,
    "word-mul": _product,
    "arithmetic-shift": _arithmetic_shift,
    "word-shift-left": _word_shift(1),
    "word-shift-right": _word_shift(-1),
    "lift": lambda a: a,
}
"""What operations do with bits; there are no others in such a loop."""
