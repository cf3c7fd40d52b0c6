"""What is followed of a residual machine (`passes.comeback`): numbers, vectors, what labels know.

A number is what it is counted from, a symbol of the label, and an offset.  A store forgets the
elements that are counted from something else; what a label may have written, counted from its
parameters, is forgotten by who has jumped to it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import inf
from typing import Final, NamedTuple

from cogen.lang import il
from cogen.specializer.versions.graph import RawBlock

NEAR: Final = 32
"""Elements so far from a parameter are followed."""

MOST_CHANGES: Final = 3
"""After so many, what may be written is taken to be without a bound where that still changes."""


class Relative(NamedTuple):
    """A symbol, or None for a number that is known, and an offset."""

    base: str | None
    offset: int

    def moved(self, offset: int) -> Relative:
        """The number that is greater by so much."""
        return Relative(self.base, self.offset + offset)


class MadeOnce(NamedTuple):
    """A vector that the program makes when it starts."""

    name: str


class PointTest(NamedTuple):
    """A test that asks whether something is a point."""

    value: Followed
    point: int


Followed = Relative | MadeOnce | PointTest | None
Place = tuple[str, str | None, int]
"""A vector, what the index is counted from, and the rest of it."""
Written = dict[tuple[str, str | None], tuple[float, float]]
"""By vector, and what the index is counted from: the least and greatest offset; ANYWHERE stands
for all."""
ANYWHERE: Final = "*"


@dataclass
class KnownHere:
    """What is known of variables and elements."""

    variables: dict[str, Followed]
    elements: dict[Place, Followed]

    def copy(self) -> KnownHere:
        return KnownHere(dict(self.variables), dict(self.elements))

    def key(self) -> tuple[object, ...]:
        """A stand-in for it."""
        return tuple(sorted(self.variables.items())), frozenset(self.elements.items())


class OpenQuestion(NamedTuple):
    """A question that a label cannot answer, and what is known there."""

    question: il.If
    state: KnownHere


@dataclass
class LabelShape:
    """What is known where a label begins: which parameters are earlier ones and a number (`sums`),
    or `constants`, or vectors, and which elements are something (`near`: the vector, the parameter,
    and how far from it)."""

    sums: dict[str, tuple[str, int]] = field(default_factory=dict)
    constants: dict[str, int] = field(default_factory=dict)
    held: dict[str, MadeOnce] = field(default_factory=dict)
    near: set[tuple[str, str, int]] = field(default_factory=set)

    def with_(self, other: LabelShape) -> LabelShape:
        """What both say."""
        return LabelShape(
            dict(self.sums.items() & other.sums.items()),
            dict(self.constants.items() & other.constants.items()),
            dict(self.held.items() & other.held.items()),
            self.near & other.near,
        )


@dataclass
class FollowedLabel:
    """What is known of a label: its shape, if it is reached, who jumps to it, its ends, and what it
    may write."""

    block: RawBlock
    shape: LabelShape | None = None
    jumping: set[str] = field(default_factory=set)
    ends: dict[tuple[object, ...], OpenQuestion] = field(default_factory=dict)
    written: Written = field(default_factory=dict)
    changes: Counter[tuple[str, str | None, int]] = field(default_factory=Counter)
    """How often a bound of what it may write has changed."""

    def widened(self, key: tuple[str, str | None], now: tuple[float, float]) -> tuple[float, float]:
        """What it may write, without a bound where that has changed often."""
        old = self.written.get(key, now)
        for side in (0, 1):
            self.changes[*key, side] += old[side] != now[side]
        least = -inf if self.changes[*key, 0] > MOST_CHANGES else now[0]
        return least, inf if self.changes[*key, 1] > MOST_CHANGES else now[1]


def symbol_near(vector: str, name: str, offset: int) -> str:
    """What an element is, near to a parameter."""
    return f"{vector}[{name}{offset:+}]"


def moved(known: Followed, offset: int) -> Relative | None:
    """A number that is greater by so much."""
    return known.moved(offset) if type(known) is Relative else None


def meant(known: Followed, meaning: Mapping[str, Followed]) -> Followed:
    """What something is for who has jumped to the label that knows it so."""
    if type(known) is PointTest:
        return PointTest(meant(known.value, meaning), known.point)
    if type(known) is not Relative or known.base is None:
        return known
    base = meaning.get(known.base)
    return base.moved(known.offset) if type(base) is Relative else None


def point_test(values: Sequence[Followed]) -> Followed:
    """Whether something is a point: one of the two operands is a constant."""
    constants = [v.offset for v in values if type(v) is Relative and v.base is None]
    others = [v for v in values if type(v) is not Relative or v.base is not None]
    if len(constants) == 2:
        return PointTest(Relative(None, constants[0]), constants[1])
    return PointTest(others[0], constants[0]) if constants else None


def sum_of(op: str, values: Sequence[Followed]) -> Followed:
    """A sum or difference with a constant."""
    if len(values) != 2:
        return None
    a, b = values
    if type(a) is not Relative or type(b) is not Relative:
        return None
    if b.base is None:
        return a.moved(b.offset if op == "+" else -b.offset)
    return b.moved(a.offset) if op == "+" and a.base is None else None


def near_to(
    indices: Set[str], values: Mapping[str, Followed], elements: Mapping[Place, Followed]
) -> Iterator[tuple[str, str, int]]:
    """The elements that are something, by parameters that are near to them."""
    for name, value in values.items():
        if name in indices and type(value) is Relative:
            for (vector, base, offset), known in elements.items():
                if base == value.base and known is not None and abs(offset - value.offset) <= NEAR:
                    yield vector, name, offset - value.offset


def constants_of(values: Mapping[str, Followed]) -> Iterator[tuple[str, int]]:
    """Parameters that are numbers."""
    for name, value in values.items():
        if type(value) is Relative and value.base is None:
            yield name, value.offset


def sums_of(values: Sequence[tuple[str, Followed]]) -> Iterator[tuple[str, tuple[str, int]]]:
    """Parameters that are an earlier one and a number."""
    first: dict[str | None, tuple[str, int]] = {}
    for name, value in values:
        if type(value) is Relative:
            if value.base in first:
                base, offset = first[value.base]
                yield name, (base, value.offset - offset)
            else:
                first[value.base] = name, value.offset
