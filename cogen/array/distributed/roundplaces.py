"""Where the values of a program are when some of its arrays lie in pieces.

    place ::= Known(round)              one value, which every machine may be told
        | Pieces(round, axis, size)     an array that is cut along `axis`, whose size is `size`
        | Row(round)                    within a loop over pieces: what belongs to one row

Work goes in *rounds*. In a round a kernel runs for each piece, and then what the kernels found is
combined; round 0 is what depends on no pieces. `Known(r)` is there when round r is combined, so
kernels of the rounds after r can use it; `Pieces(r)` and `Row(r)` are made by the kernels of round
r, and all from there on. Generators of one loop may be of different rounds:

    Collect               pieces, in the round of what they take
    Reduce, Bucket        a `RoundLift`: what pieces found is combined by the operator; of a hashed
                          one after putting the keys of the pieces side by side
    filters, flatMap      pieces of other sizes; how many there are together is a sum
    Scan                  one round for what each piece comes to, which gives where each begins, and
                          the next for the scan
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cogen.array.ir.node import (
    Multiloop,
    Node,
    Yield,
)


@dataclass(frozen=True, slots=True)
class KnownPlace:
    """One value, there when round `round` is combined."""

    round: int

    @property
    def usable(self) -> int:
        """The first round whose kernels can use it."""
        return self.round + 1


@dataclass(frozen=True, slots=True)
class Pieces:
    """An array whose dimension `axis`, of size `size`, is cut; kernels of round `round` have it."""

    round: int
    axis: int
    size: Node

    @property
    def usable(self) -> int:
        return max(self.round, 1)


@dataclass(frozen=True, slots=True)
class RowPlace:
    """What belongs to one row of pieces, within a loop over them."""

    round: int

    @property
    def usable(self) -> int:
        return self.round


Place = KnownPlace | Pieces | RowPlace


@dataclass(frozen=True, slots=True, eq=False)
class RoundLift:
    """What the pieces of a loop find with one generator, to be combined: in round `round`, for each
    iteration of the loops of `path`.  `what` is "value", "carry" (of a scan: what a whole piece
    comes to) or "count" (of elements).  `is_prefix`: with what each piece begins is wanted."""

    loop: Multiloop
    generator: int
    what: str
    path: tuple[Multiloop, ...]
    round: int
    is_prefix: bool

    @property
    def taken(self) -> Yield:
        return self.loop.yields()[self.generator]


@dataclass(frozen=True, slots=True, eq=False)
class Count:
    """A size that is how many elements a generator lets through: in which round that is known,
    and the root of the arguments from whose pieces they come."""

    loop: Multiloop
    generator: int
    round: int
    origin: Node


ADVICE: Final = "pass that argument whole, or distribute the part of the program before it"


SEQUENTIAL: Final = "distribute one round of the loop, and repeat that in Python"
