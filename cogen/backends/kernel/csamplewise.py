"""Sums of samples -> a C function that stores them in vectors of samples.

    int64_t NAME(const uint8_t *from, uint8_t *to, int64_t rounds);
    int64_t NAME(const uint8_t *from, uint8_t *to, int64_t rounds, int64_t state);

does the first rounds of a loop (`cogen.backends.kernel.samplewise`), says how many, and leaves the
others to the loop itself.  What a vector's samples are sums of is in as many vectors, each so many
samples further on.  Sums over all samples before are made in a vector by steps that are twice as
long each time (Hillis and Steele 1986, "Data parallel algorithms"); then the state is added:

    x += x moved by 1 sample;  x += x moved by 2;  x += x moved by 4 ...  out = x + state
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CBraces,
    CCast,
    CDeclare,
    CVariable,
    CWhile,
    Expr,
    Item,
    Statement,
)
from cogen.backends.ctree.types import I64, CBasic, CConst
from cogen.backends.kernel.cturns import (
    DONE,
    ROUNDS,
    TO,
    TURN,
    first_rounds,
    prefetched,
    short_turn,
)
from cogen.backends.kernel.cvectormachines import COMPILERS, MACHINES, VectorMachine
from cogen.backends.kernel.cvectortypes import (
    FROM,
    lane_number,
    shuffled,
    vector_at,
)
from cogen.backends.kernel.samplewise import Samplewise

STATE_GIVEN: Final = CVariable("state", I64)


def last_sample(samplewise: Samplewise) -> CBasic:
    """The type of a sample at any address."""
    return CBasic(f"cogen_u{samplewise.size}x1_at")


def adding(name: str, samplewise: Samplewise, word_size: int) -> list[Item]:
    """The function, with the types that it needs."""
    types = {last_sample(samplewise).name.removesuffix("_at")} if samplewise.state else set()
    machines = [m for m in MACHINES if not samplewise.state or m.granule == m.vector]
    loops = []
    for machine in machines:
        loop = _SampleLoop(samplewise, word_size, machine, types)
        loops.append((f"{COMPILERS} && {machine.test}", tuple(loop.body())))
    taken = (FROM, TO, ROUNDS, *([STATE_GIVEN] if samplewise.state else []))
    comment = "The first rounds of a loop that adds samples, in vectors; the value is how many."
    return first_rounds(name, taken, loops, comment, types)


@dataclass(slots=True)
class _SampleLoop:
    """The loop for one kind of processor."""

    samplewise: Samplewise
    word_size: int
    machine: VectorMachine
    types: set[str]
    out: list[Statement] = field(default_factory=list)

    def body(self) -> Iterator[Statement]:
        """A loop whose turns store as many vectors as rounds need whole ones."""
        size, made = self.machine.vector, self.samplewise
        each = made.written * self.word_size // 8
        vectors = each // size if each > size else 1
        kind = self._kind()
        total = CVariable("sum", kind)
        if made.state:
            yield CDeclare(kind, total.name, CBinary("+", no_samples(kind), self._low(STATE_GIVEN)))
        for number in range(vectors):
            self._store(number * size, total)
        rounds = vectors * size // each
        turn: Expr = small(rounds)
        if not made.state:  # samples may be stored twice
            yield from short_turn(rounds, each, size)
            turn = TURN
        goes_on = (
            *self.out,
            *prefetched(TO, vectors * size, small(1)),
            *prefetched(FROM, vectors * size),
            CAssign(FROM, CBinary("*", turn, small(each)), "+="),
            CAssign(TO, CBinary("*", turn, small(each)), "+="),
            CAssign(DONE, turn, "+="),
            *([] if made.state else [CAssign(TURN, small(rounds))]),
        )
        yield CWhile(CBinary("<=", CBinary("+", DONE, small(rounds)), ROUNDS), goes_on)

    def _store(self, at: int, state: CVariable) -> None:
        """Store a vector, so many bytes behind the first."""
        kind, lanes = self._kind(), 8 * self.machine.vector // self.samplewise.size
        value: Expr = self._named(self._total(at))
        if self.samplewise.state:
            none, step = no_samples(kind), 1
            while step < lanes:
                places = [i - step if i >= step else lanes for i in range(lanes)]
                value = self._named(CBinary("+", value, shuffled(value, none, places)))
                step *= 2
            self.out.append(CAssign(vector_at(TO, kind, at), CBinary("+", value, state)))
            last = shuffled(value, value, [lanes - 1] * lanes)
            self.out.append(CAssign(state, last, "+="))
        else:
            self.out.append(CAssign(vector_at(TO, kind, at), value))

    def _total(self, at: int) -> Expr:
        """The sum that samples are, those of a vector; what is added comes first."""
        total, size = self.samplewise.total, self.samplewise.size
        made: Expr = self._number(total.constant) if total.constant else no_samples(self._kind())
        for number, coefficient in sorted(total.terms, key=lambda term: -term[1]):
            part = vector_at(FROM, self._kind(), at + number * size // 8)
            if abs(coefficient) != 1:
                part = CBinary("*", part, self._number(abs(coefficient)))
            made = CBinary("+" if coefficient > 0 else "-", made, part)
        return made

    def _number(self, number: int) -> Expr:
        size = self.samplewise.size
        return CBinary("+", no_samples(self._kind()), lane_number(number % (1 << size), size))

    def _low(self, number: Expr) -> Expr:
        """The low bits of an integer."""
        return CCast(CBasic(f"uint{self.samplewise.size}_t"), number)

    def _named(self, value: Expr) -> CVariable:
        variable = CVariable(f"v{len(self.out) + 1}", self._kind())
        self.out.append(CDeclare(CConst(variable.type), variable.name, value))
        return variable

    def _kind(self) -> CBasic:
        size = self.samplewise.size
        name = f"cogen_u{size}x{8 * self.machine.vector // size}"
        self.types.add(name)
        return CBasic(name)


def no_samples(kind: CBasic) -> Expr:
    """A vector of zeros."""
    return CCast(kind, CBraces((("", small(0)),)))
