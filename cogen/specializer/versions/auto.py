"""Automatic `set-base`: which addresses are split by their remainder, and where (seed 004, section
"set-base", which leaves its placement to the programmer).

The request comes from the rules of arithmetic: a quotient or remainder by the word size (or by a
divisor of it that is at least a byte, or a multiple) of an integer whose remainder is not known,
or a comparison of such an integer with one whose remainder is.  It is traced back to the
outermost residual block that has the integer (or those it is the sum of) as a parameter, so in
front of the loop that walks through memory.  That block is started again and does nothing but

    (case (floor-remainder x m)  ((0) <the block's state with x = m*q>)
                                 ((1) <the block's state with x = m*q + 1>) ...)

behind a test whether x is an integer, where that is not known.

What follows runs into loops with constant shifts.  All remainders get an arm if there are few;
else those at which a byte begins; and if several integers would make too many combinations, only
that in which each is a multiple.  For the others there is one version in which nothing is split.

Where nobody has said whether to split (`auto` is None), only libraries that people import may ask,
as for the addresses of samples: a number that a program itself divides is data.  A first attempt
that splits nothing notes whether they have (`is_wanted`); a second one splits then, and is taken if
no version is larger on average than what it stands for.  What is read from memory is not split
then, nor what is computed of it: an index among the data has another remainder each time, and a
test of it would be foretold wrong (a sparse product of vectors took four times as long).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd, lcm, prod
from typing import Final

from cogen.lang.chain import LANGUAGE
from cogen.lang.errors import Span
from cogen.lang.ilutil import base_name
from cogen.specializer.values.domain import Cyclic, Dynamic, Value
from cogen.specializer.values.freeze import Frozen
from cogen.specializer.versions.demand import Demand
from cogen.specializer.versions.memo import ResidualBlock, Restart, Way, Wider
from cogen.specializer.versions.options import SpecializerOptions
from cogen.specializer.versions.summands import summands

BYTE: Final = 8

FEW: Final = 8
"""So many remainders of one integer all get an arm."""

MOST_ARMS: Final = 16
"""The most combinations of remainders that get an arm each."""


MOST_UNASKED: Final = 8
"""So many times as large a residual program may become for it where nobody has asked."""

MOST_CALLS: Final = 5000
"""Where more calls are unfolded, nothing is split unless somebody has asked."""


class Auto:
    """The choices of one specialization; `origins` tells for each parameter of a residual block
    its block and the variable that it was made for."""

    def __init__(self, options: SpecializerOptions, demand: Demand) -> None:
        self.enabled = options.auto is True
        self.is_wanted = False
        """Whether anything would be split that is not."""
        self._is_asked = options.auto is not None
        self.demand = demand
        self._word: int = options.word_size
        self.origins: dict[str, tuple[ResidualBlock, str]] = {}
        self.reasons: dict[tuple[str, str], str] = {}
        self._sums: dict[str, tuple[str, tuple[Value, ...]]] = {}
        self._read: set[str] = set()
        """The variables that are read from memory, or computed of such."""

    def note(self, block: ResidualBlock, frozen: Frozen) -> None:
        """A new block has parameters for the leaves of a state."""
        if self.enabled:
            for leaf, parameter in zip(frozen.leaves, block.raw.parameters, strict=True):
                self.origins[parameter] = block, leaf.name
                if leaf.name in self._read:
                    self._read.add(parameter)

    def note_sum(self, name: str, op: str, values: Sequence[Value]) -> None:
        """What a variable is the sum of that may be an integer or not."""
        if self.enabled:
            self._sums[name] = op, tuple(values)

    def note_integer(self, name: str, op: str, values: Sequence[Value]) -> None:
        """What an integer is computed of."""
        if not self.enabled:
            return
        if op == "load-word" or any(_variable(value) in self._read for value in values):
            self._read.add(name)

    # -- requests --------------------------------------------------------------------------------

    def divide(self, way: Way, x: Value, divisor: int, op: str, span: Span | None) -> None:
        """A rule needs the remainder of x by the divisor: `Restart` if it can be had."""
        self.demand.divide(way, x, divisor)
        self.divide_unknown(way, x, divisor, op, span)

    def divide_unknown(self, way: Way, x: Value, divisor: int, op: str, span: Span | None) -> None:
        """The same of what may be an integer or not: its integers are split, behind a test."""
        word = self._word
        if not self._may_ask(span) or divisor < BYTE or (word % divisor and divisor % word):
            return
        self._request(way, x, lcm(word, divisor), op, span)

    def compare(self, way: Way, x: Value, y: Value, span: Span | None) -> None:
        """A rule compares two integers: if one is a multiple of words away from a known address,
        split the other."""
        if not self._may_ask(span):
            return
        for one, other in ((x, y), (y, x)):
            if isinstance(one, Cyclic) and one.base % self._word == 0:
                self._request(way, other, self._word, "=", span)

    def _request(self, way: Way, x: Value, base: int, op: str, span: Span | None) -> None:
        """Split what x is made of so that its remainder by the base is known."""
        if not self.enabled:
            self.is_wanted = True
            return
        if way.block.whole:
            return
        restarted = None
        for name, factor in summands(way, x, base, self.origins, self._sums):
            block, parameter = self._outermost(name)
            if self.demand.stands_for_known(name) or self.demand.stands_for_known(parameter):
                continue  # a loop's own address, which has its remainder from there
            if not self._is_asked and parameter in self._read:
                continue
            splits = block.widening().splits
            old = splits.get(parameter, (1, 1))
            modulus, step = base // gcd(factor, base), BYTE // gcd(BYTE, factor)
            wanted = lcm(old[0], modulus), lcm(old[1], step)
            if wanted != old:
                splits[parameter] = wanted
                self._explain(block, parameter, base, op, span)
                restarted = block
        if restarted is not None:
            raise Restart(restarted)

    def _may_ask(self, span: Span | None) -> bool:
        """Whether what stands at a place may ask for something to be split."""
        if self._is_asked:
            return self.enabled
        return span is not None and span.source.library not in ("", LANGUAGE)

    def _outermost(self, parameter: str) -> tuple[ResidualBlock, str]:
        """The first block on the way from the entry that has the integer as a parameter, and
        which one it is there."""
        block, source = self.origins[parameter]
        while source in self.origins:
            parameter = source
            block, source = self.origins[parameter]
        return block, parameter

    def _explain(
        self, block: ResidualBlock, parameter: str, base: int, op: str, span: Span | None
    ) -> None:
        where = "" if span is None else f" at {span}"
        name = block.raw.hint
        self.reasons[block.raw.label, parameter] = (
            f"set-base {base_name(parameter)} {base} in {name}: for {op}{where}"
        )

    def arms(self, blocks: Iterable[ResidualBlock]) -> int:
        """How many versions blocks with split integers have: an arm for each combination of
        remainders, and one for all others; as many as may be where nobody has asked for them."""
        split = [block.wider for block in blocks if block.wider is not None]
        return min(sum(prod(map(len, remainders(wider))) + 1 for wider in split), MOST_UNASKED)

    def statistics(self, blocks: dict[ResidualBlock, None]) -> dict[str, int]:
        """Why which integer is split, with the number of its remainders that have an arm."""
        chosen: dict[str, int] = {}
        for block in blocks:
            if block.wider is None:
                continue
            for parameter, cases in zip(block.wider.splits, remainders(block.wider), strict=True):
                chosen[self.reasons[block.raw.label, parameter]] = len(cases)
        return chosen


def _variable(value: Value) -> str:
    """The variable that a value stands for, or is a sum of with a number."""
    if isinstance(value, Cyclic):
        value = value.quotient
    return value.name if isinstance(value, Dynamic) else ""


def remainders(wider: Wider) -> list[list[int]]:
    """The remainders that get an arm, for each integer to be split."""
    cases = [
        list(range(modulus)) if modulus <= FEW else list(range(0, modulus, step))
        for modulus, step in wider.splits.values()
    ]
    return cases if prod(map(len, cases)) <= MOST_ARMS else [[0] for _ in cases]
