"""Loops that store sums of samples -> what each sample is of those around it, or of all before it.

    out[i] = in[i] - in[i - 1]              differences: each sample is a sum of others
    s = s + in[i]; out[i] = s               sums: each sample is the one before and such a sum

A word holds several samples, and a round takes them apart, and puts them together again.  C
compilers make vectors of words; here it is found out what is done with samples, of which a vector
has more.  All is computed modulo 2^size.  A value is followed as

    Whole(place)            the word that is loaded from a place
    Upper(place, down, extended)    what is left of it when it is moved down, perhaps with its sign
    Total(constant, terms)  constant + sum of coefficient * sample; sample STATE is what the
                            round before has left
    SideBySide(samples)     totals side by side, each modulo 2^size, the lowest first, and no other
                            bits
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.provenance import WIDTH, MovingRound, Through, round_of
from cogen.lang import il
from cogen.lang.prims import BITWISE

SIZES: Final = (8, 16, 32)
"""The bits of samples."""

STATE: Final = -1
"""Stands for what the round before has left, among the numbers of samples."""

MOST_TERMS: Final = 8
"""The samples that one is the sum of, at most."""

MOST_BITS: Final = 1 << 11
"""The bits that a round stores, at most; they are a power of two, so that vectors are rounds."""

OPERATIONS: Final = frozenset([
    "+", "-", "word-add", "word-sub", *BITWISE, "arithmetic-shift",
    "word-shift-left", "word-shift-right", "lift",
])  # fmt: skip
"""There are no others in such a loop."""


@dataclass(frozen=True, slots=True)
class Whole:
    """A word that is loaded."""

    place: int


@dataclass(frozen=True, slots=True)
class Upper:
    """A word that is moved down; what comes in at the top may be its sign."""

    place: int
    down: int
    extended: bool


@dataclass(frozen=True, slots=True)
class Total:
    """A constant and samples by their number, with their coefficients, which are not 0."""

    constant: int
    terms: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True, slots=True)
class SideBySide:
    """Totals side by side; None where there is nothing yet."""

    samples: tuple[Total | None, ...]


FollowedSample = Whole | Upper | Total | SideBySide


@dataclass(frozen=True, slots=True)
class Samplewise(Through):
    """What a round of such a loop does: sample i of those that it stores is a total of samples,
    numbered from the i-th that it loads; with a `state`, a parameter of the loop, it is that of all
    samples before, too, and the last is the state of the next round."""

    size: int
    total: Total
    state: str


def sums_of_samples(loop: st.KernelLoop, body: st.Body, word_size: int) -> Samplewise | None:
    """What a counted loop of a body stores, if it gains by vectors of samples."""
    changing = [name for name in loop.parameters if loop.counted and name not in loop.counted.steps]
    if len(changing) > 1 or any(_is_used_outside(name, loop, body) for name in changing):
        return None
    found = round_of(loop, OPERATIONS, changing)
    if found is None or found.through.read != found.through.written:
        return None
    state = changing[0] if changing else ""
    for size in SIZES:
        made = _in_samples(found, state, size, word_size) if size <= word_size else None
        if made is not None:
            return made
    return None


def _is_used_outside(name: str, loop: st.KernelLoop, body: st.Body) -> bool:
    """Whether something but the loop reads a variable."""
    inside = {id(statement) for statement in st.walk(loop.body)}
    return any(
        il.Var(name) in st.used(statement)
        for statement in st.walk(body)
        if id(statement) not in inside
    )


def _in_samples(found: MovingRound, state: str, size: int, word_size: int) -> Samplewise | None:
    """The same with samples of a size."""
    walk = SampleWalk(size, word_size, {state: Total(0, ((STATE, 1),))} if state else {})
    samples = walk.samples(found)
    if samples is None:
        return None
    if state:
        following = [a for move in found.moves for name, a in move.pairs if name == state]
        if [walk.total(atom) for atom in following] != [samples[-1]]:
            return None
        samples = _differences(samples)
    first = samples[0] if samples else Total(0)
    if not first.terms or any(_moved(first, i) != total for i, total in enumerate(samples)):
        return None
    t = found.through
    bits = t.written * word_size
    if bits & bits - 1 or bits > MOST_BITS or not _gains(first, state, size, word_size):
        return None
    return Samplewise(
        t.source, t.target, t.source_index, t.target_index, t.read, t.written, t.reach, size, first,
        state,
    )  # fmt: skip


def _differences(totals: list[Total]) -> list[Total]:
    """How much each sample is more than the one before, the first than the state; none if that is
    not what they are."""
    before = Total(0, ((STATE, 1),))
    found: list[Total] = []
    for total in totals:
        found.append(_plus(total, before, -1))
        before = total
    return [] if any(number == STATE for total in found for number, _ in total.terms) else found


def _gains(total: Total, state: str, size: int, word_size: int) -> bool:
    """Whether vectors of samples are quicker than what C compilers make of words, and have the
    operations: bytes are not multiplied."""
    coefficients = [coefficient for _, coefficient in total.terms]
    if len(coefficients) > MOST_TERMS or (size == 8 and any(abs(c) != 1 for c in coefficients)):
        return False
    return bool(state) or (size < word_size and len(coefficients) > 1)


def _plus(a: Total, b: Total, factor: int = 1) -> Total:
    terms = dict(a.terms)
    for number, coefficient in b.terms:
        terms[number] = terms.get(number, 0) + factor * coefficient
    kept = tuple(sorted((n, c) for n, c in terms.items() if c))
    return Total(a.constant + factor * b.constant, kept)


def _moved(total: Total, count: int) -> Total:
    """The same of samples that are so many further on."""
    return Total(total.constant, tuple((n + count, c) for n, c in total.terms))


class SampleWalk:
    """What operations of a round give, in samples of a size."""

    def __init__(self, size: int, word_size: int, values: dict[str, FollowedSample]) -> None:
        self.size = size
        self.word_size = word_size
        self.each = word_size // size
        self.values = values

    def samples(self, found: MovingRound) -> list[Total] | None:
        """The samples that a round stores, in order."""
        for operation in found.operations:
            self.follow(operation, found.loaded)
        samples: list[Total] = []
        for store in sorted(found.stored, key=lambda operation: found.stored[operation]):
            totals = self.stored(store.arguments[2])
            if totals is None:
                return None
            samples += totals
        return samples

    def follow(self, operation: st.Op, loaded: Mapping[st.Op, int]) -> None:
        """Note what an operation gives, if that is known."""
        if operation.op == "load-word":
            self.values[operation.name] = Whole(loaded[operation])
        elif operation.op != "store-word!":
            made = self._made(operation.op, operation.arguments)
            if made is not None:
                self.values[operation.name] = made

    def total(self, atom: il.Atom) -> Total | None:
        """What an atom is, modulo 2^size."""
        if isinstance(atom, il.Const) and type(atom.value) is int:
            return Total(atom.value)
        value = self._value(atom)
        if isinstance(value, SideBySide):
            return value.samples[0]
        return value if isinstance(value, Total) else None

    def stored(self, atom: il.Atom) -> list[Total] | None:
        """The samples of a word that is stored."""
        if self.each == 1:
            total = self.total(atom)
            return None if total is None else [total]
        value = self._value(atom)
        if not isinstance(value, SideBySide) or len(value.samples) < self.each:
            return None
        found = [sample for sample in value.samples[: self.each] if sample is not None]
        return found if len(found) == self.each else None

    def _value(self, atom: il.Atom) -> FollowedSample | None:
        """What a variable is; a word, or a part, that is one sample, as that."""
        value = self.values.get(atom.name) if isinstance(atom, il.Var) else None
        if isinstance(value, Whole) and self.each == 1:
            return SideBySide((self._sample(value.place, 0),))
        if isinstance(value, Upper) and value.down == self.word_size - self.size:
            sample = self._sample(value.place, value.down)
            return sample if value.extended else SideBySide((sample,))
        return value

    def _sample(self, place: int, down: int) -> Total:
        return Total(0, ((place * self.each + down // self.size, 1),))

    def _made(self, op: str, arguments: tuple[il.Atom, ...]) -> FollowedSample | None:
        if op == "lift":
            return self._value(arguments[0])
        if op == "bitwise-ior":
            return reduce(_beside, map(self._value, arguments))
        if len(arguments) != 2:
            return None
        if op in ("+", "-", "word-add", "word-sub"):
            a, b = map(self.total, arguments)
            if a is None or b is None:
                return None
            return _plus(a, b, 1 if op in ("+", "word-add") else -1)
        one, number = sorted(arguments, key=lambda atom: isinstance(atom, il.Const))
        if not isinstance(number, il.Const) or type(number.value) is not int:
            return None
        if op == "bitwise-and":
            return self._masked(one, number.value)
        if op == "bitwise-xor":
            return self._flipped(one, number.value)
        return None if number is arguments[0] else self._shifted(op, one, number.value)

    def _masked(self, atom: il.Atom, mask: int) -> SideBySide | None:
        """The lowest sample."""
        if mask != (1 << self.size) - 1:
            return None
        value = self._value(atom)
        if isinstance(value, Whole):
            return SideBySide((self._sample(value.place, 0),))
        if isinstance(value, Upper):
            return (
                None
                if value.down % self.size
                else SideBySide((self._sample(value.place, value.down),))
            )
        total = self.total(atom)
        return None if total is None else SideBySide((total,))

    def _flipped(self, atom: il.Atom, mask: int) -> Total | None:
        """With another highest bit, as if that were added."""
        total = self.total(atom) if mask == 1 << self.size - 1 else None
        return None if total is None else _plus(total, Total(mask))

    def _shifted(self, op: str, atom: il.Atom, count: int) -> FollowedSample | None:
        """Moved up by whole samples, or down; a sum that is moved to the top keeps one sample."""
        value, up = self._value(atom), -count if op == "word-shift-right" else count
        if up < 0 and isinstance(value, Whole):
            extended = op == "arithmetic-shift" and self.word_size == WIDTH
            return Upper(value.place, -up, extended)
        if up < 0 or up % self.size or not isinstance(value, SideBySide | Total):
            return None
        samples = value.samples if isinstance(value, SideBySide) else (value,)
        if isinstance(value, Total) and (op != "word-shift-left" or up != WIDTH - self.size):
            return None
        moved = ((None,) * (up // self.size) + samples)[: WIDTH // self.size]
        return SideBySide(moved)


def _beside(a: FollowedSample | None, b: FollowedSample | None) -> SideBySide | None:
    """Samples of two values that are at different places."""
    if not isinstance(a, SideBySide) or not isinstance(b, SideBySide):
        return None
    long, short = sorted((a.samples, b.samples), key=len, reverse=True)
    rest = short + (None,) * (len(long) - len(short))
    if any(x is not None and y is not None for x, y in zip(long, rest, strict=True)):
        return None
    return SideBySide(tuple(x if y is None else y for x, y in zip(long, rest, strict=True)))
