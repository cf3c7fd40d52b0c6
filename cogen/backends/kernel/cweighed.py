"""Sums of products of samples -> a C function that stores them in vectors.

    int64_t NAME(const uint8_t *from, uint8_t *to, int64_t rounds);

does the first rounds of a loop (`cogen.backends.kernel.weighed`), says how many, and leaves the
others to the loop itself.  The two products of each word of a vector, and their sum, are one
operation of x86 processors; for others the function does nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Final

from cogen.backends.ctree.literals import small
from cogen.backends.ctree.template import template
from cogen.backends.ctree.tree import (
    CAssign,
    CBinary,
    CBraces,
    CCast,
    CDeclare,
    CNumber,
    CVariable,
    CWhile,
    Expr,
    Item,
    Statement,
)
from cogen.backends.ctree.types import INT, CBasic, CConst
from cogen.backends.kernel.cturns import DONE, ROUNDS, TO, first_rounds
from cogen.backends.kernel.cvectortypes import FROM, converted, shuffled, vector_at
from cogen.backends.kernel.weighed import Followed, Lane, Sum, Weighed, WeighedWord, pairs_of
from cogen.lang.prims import CHOOSING


@dataclass(frozen=True, slots=True)
class PairMachine:
    """A kind of processor: what the C compiler calls it, the words of a vector, and templates of
    the operation on pairs and of the lesser and the greater of two vectors."""

    test: str
    words: int
    pairs: str
    least: str
    greatest: str


MACHINES: Final = (
    PairMachine(
        "defined __GNUC__ && !defined __clang__ && defined __AVX512BW__", 16,
        "__builtin_ia32_pmaddwd512_mask({0}, {1}, {2}, 65535)",
        "__builtin_ia32_pminsd512_mask({0}, {1}, {2}, 65535)",
        "__builtin_ia32_pmaxsd512_mask({0}, {1}, {2}, 65535)",
    ),
    PairMachine(
        "defined __GNUC__ && !defined __clang__ && defined __AVX2__", 8,
        "__builtin_ia32_pmaddwd256({0}, {1})",
        "__builtin_ia32_pminsd256({0}, {1})", "__builtin_ia32_pmaxsd256({0}, {1})",
    ),
    PairMachine(
        "defined __clang__ && defined __AVX512BW__", 16, "__builtin_ia32_pmaddwd512({0}, {1})",
        "__builtin_elementwise_min({0}, {1})", "__builtin_elementwise_max({0}, {1})",
    ),
    PairMachine(
        "defined __clang__ && defined __AVX2__", 8, "__builtin_ia32_pmaddwd256({0}, {1})",
        "__builtin_elementwise_min({0}, {1})", "__builtin_elementwise_max({0}, {1})",
    ),
)  # fmt: skip


OCTETS: Final = (
    "defined __AVX512VBMI__ && defined __AVX512BW__ && (defined __clang__ || __GNUC__ >= 12)"
)
"""Processors that take bytes of two vectors in any order."""


def weighing(name: str, weighed: Weighed) -> list[Item]:
    """The function, with the types that it needs."""
    types: set[str] = set()
    forms = []
    if weighed.lane == 16:
        octets = _OctetLoop(weighed, types)
        forms.append((OCTETS, tuple(octets.body())))
    for machine in MACHINES if weighed.lane == 32 else ():
        loop = _WeighedLoop(machine, types)
        forms.append((machine.test, tuple(loop.body(weighed.value))))
    taken = (FROM, TO, ROUNDS)
    comment = (
        "The first rounds of a loop that adds products of samples, in vectors; the value is how\n"
        "many."
    )
    return first_rounds(name, taken, forms, comment, types)


@dataclass(slots=True)
class _WeighedLoop:
    """The loop for one kind of processor."""

    machine: PairMachine
    types: set[str]
    out: list[Statement] = field(default_factory=list)
    named: dict[Followed | tuple[int, bool], CVariable] = field(default_factory=dict)

    def body(self, value: Followed) -> Iterator[Statement]:
        """A loop whose turns store a vector of words each."""
        words, lanes = self.machine.words, self._type("i", 32)
        stored = self._value(value)
        turn = (
            *self.out,
            CAssign(vector_at(TO, lanes, 0), stored),
            CAssign(FROM, small(4 * words), "+="),
            CAssign(TO, small(4 * words), "+="),
            CAssign(DONE, small(words), "+="),
        )
        more = CBinary("<=", CBinary("+", DONE, small(words)), ROUNDS)
        yield CWhile(more, turn)

    def _value(self, value: Followed) -> Expr:
        """A vector of what is followed."""
        if isinstance(value, Sum) and not value.terms:
            return _number(value.constant)
        if value not in self.named:
            if isinstance(value, WeighedWord):
                self.named[value] = self._word(value.place, True)
            else:
                made = self._total(value) if isinstance(value, Sum) else self._lane(value)
                self.named[value] = self._name(made)
        return self.named[value]

    def _word(self, place: int, signed: bool) -> CVariable:
        """A vector of words; those whose halves have no sign with the highest bits of these turned,
        by which they are 2^15 less, with a sign."""
        if (place, signed) not in self.named:
            if signed:
                made: Expr = vector_at(FROM, self._type("i", 32), 4 * place)
            else:
                made = CBinary("^", self._word(place, True), _number(0x80008000))
            self.named[place, signed] = self._name(made)
        return self.named[place, signed]

    def _total(self, total: Sum) -> Expr:
        """The sum of a constant and products, two of them at a time."""
        constant = total.constant
        parts: list[Expr] = []
        halves = self._type("i", 16)
        for (place, signed), (low, high) in pairs_of(total).items():
            if not signed:
                constant += (low + high) << 15
            factors = self._same((high & 0xFFFF) << 16 | (low & 0xFFFF))
            words = CCast(halves, self._word(place, signed))
            parts.append(self._made(self.machine.pairs, words, CCast(halves, factors)))
        found = reduce(lambda a, b: CBinary("+", a, b), parts)
        return CBinary("+", found, _number(constant)) if constant else found

    def _lane(self, lane: Lane) -> Expr:
        """An operation on lanes; one of constants alone has none."""
        a, b = (self._value(operand) for operand in lane.operands)
        order = CHOOSING.get(lane.op)
        if order is not None:
            form = self.machine.least if order == "<=" else self.machine.greatest
            return self._made(form, *[self._same_of(x) for x in (a, b)])
        if lane.op == ">>" and not lane.signed:
            return CCast(self._type("i", 32), CBinary(">>", CCast(self._type("u", 32), a), b))
        return CBinary(lane.op, a, b)

    def _made(self, form: str, *operands: Expr) -> Expr:
        return CCast(self._type("i", 32), template(form)([*operands, self._same(0)]))

    def _same_of(self, value: Expr) -> Expr:
        """A vector; of a number, one of it alone."""
        return CBinary("+", self._same(0), value) if isinstance(value, CNumber) else value

    def _same(self, number: int) -> Expr:
        """A vector of one number."""
        none = CCast(self._type("i", 32), CBraces((("", small(0)),)))
        return CBinary("+", none, _number(number)) if number else none

    def _name(self, value: Expr) -> CVariable:
        variable = CVariable(f"v{len(self.out) + 1}", self._type("i", 32))
        self.out.append(CDeclare(CConst(variable.type), variable.name, value))
        return variable

    def _type(self, kind: str, size: int) -> CBasic:
        name = f"cogen_{kind}{size}x{32 * self.machine.words // size}"
        self.types.add(name)
        return CBasic(name)


@dataclass(slots=True)
class _OctetLoop:
    """The loop with lanes of 16 bits, of words of 8."""

    weighed: Weighed
    types: set[str]
    out: list[Statement] = field(default_factory=list)
    named: dict[Followed | int, CVariable] = field(default_factory=dict)

    def body(self) -> Iterator[Statement]:
        """A loop whose turns store 32 words each."""
        weighed, octets = self.weighed, self._type("u", 8, 32)
        span = 31 * weighed.read + weighed.reach + 1
        bytes_ = self._type("u", 8, 64)
        far = max(span - 64, 0)
        for name, start in (("low", 0), ("high", far)):
            value = vector_at(FROM, bytes_, start)
            self.out.append(CDeclare(CConst(bytes_), name, value))
        stored = converted(self._value(weighed.value), octets)
        spare = max(32, 1 - (weighed.reach - 63) // weighed.read)  # they have 64 bytes to load
        turn = (
            *self.out,
            CAssign(vector_at(TO, octets, 0), stored),
            CAssign(FROM, small(32 * weighed.read), "+="),
            CAssign(TO, small(32), "+="),
            CAssign(DONE, small(32), "+="),
        )
        yield CWhile(CBinary("<=", CBinary("+", DONE, small(spare)), ROUNDS), turn)

    def _value(self, value: Followed) -> Expr:
        """A vector of what is followed."""
        lanes = self._type("u", 16, 32)
        if isinstance(value, Sum) and not value.terms:
            return _short(value.constant)
        if value not in self.named:
            if isinstance(value, Sum):
                made = self._total(value)
            else:
                assert isinstance(value, Lane)
                a, b = (self._value(operand) for operand in value.operands)
                if value.op == ">>" and value.signed:
                    a = CCast(self._type("i", 16, 32), a)
                made = CCast(lanes, CBinary(value.op, a, b))
            self.named[value] = self._name(made)
        return self.named[value]

    def _total(self, total: Sum) -> Expr:
        parts: list[Expr] = []
        for octet, coefficient in total.terms:
            lane = self._octets(octet.place)
            parts.append(CBinary("*", lane, _short(coefficient)) if coefficient != 1 else lane)
        if total.constant:
            parts.append(_short(total.constant))
        return reduce(lambda a, b: CBinary("+", a, b), parts)

    def _octets(self, place: int) -> CVariable:
        """A vector of the words at a place of each round."""
        if place not in self.named:
            span = 31 * self.weighed.read + self.weighed.reach + 1
            low, high = (CVariable(name, self._type("u", 8, 64)) for name in ("low", "high"))
            places: list[int] = []
            for k in range(32):
                at = self.weighed.read * k + place
                places += [at if at < 64 else 64 + at - (span - 64), -1]
            lanes = CCast(self._type("u", 16, 32), shuffled(low, high, places))
            self.named[place] = self._name(CBinary("&", lanes, small(255)))
        return self.named[place]

    def _name(self, value: Expr) -> CVariable:
        variable = CVariable(f"v{len(self.out) + 1}", self._type("u", 16, 32))
        self.out.append(CDeclare(CConst(variable.type), variable.name, value))
        return variable

    def _type(self, kind: str, size: int, lanes: int) -> CBasic:
        name = f"cogen_{kind}{size}x{lanes}"
        self.types.add(name)
        return CBasic(name)


def _short(number: int) -> CNumber:
    """A number of 16 bits, without a sign."""
    return CNumber(number % (1 << 16), INT)


def _number(number: int) -> CNumber:
    """A number of 32 bits, as one with a sign."""
    return CNumber((number + (1 << 31)) % (1 << 32) - (1 << 31), INT)
