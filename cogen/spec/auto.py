"""Automatic `set-base`: which addresses are split by their remainder, and where (seed 004, section
"set-base", which leaves its placement to the programmer).

The request comes from the rules of arithmetic: a quotient or remainder by the word size (or by a
divisor of it that is at least a byte, or a multiple) of an integer whose remainder is not known,
or a comparison of such an integer with one whose remainder is.  It is traced back to the
outermost residual block that has the integer (or those it is the sum of) as a parameter, so in
front of the loop that walks through memory.  That block is started again and does nothing but

    (case (floor-remainder x m)  ((0) <the block's state with x = m*q>)
                                 ((1) <the block's state with x = m*q + 1>) ...)

What follows runs into loops with constant shifts.  All remainders get an arm if there are few;
else those at which a byte begins; and if several integers would make too many combinations, only
that in which each is a multiple.  For the others there is one version in which nothing is split.
"""

from __future__ import annotations

from collections.abc import Container
from math import gcd, lcm, prod
from typing import TYPE_CHECKING, Final

from cogen.lang.errors import Span
from cogen.lang.ilutil import base_name
from cogen.spec.domain import Cyclic, Dynamic, Static, Value
from cogen.spec.memo import Block, Restart, identity_names
from cogen.spec.path import Path, Segment

if TYPE_CHECKING:
    from cogen.spec.freeze import Frozen, Names
    from cogen.spec.specializer import Specializer

BYTE: Final = 8

FEW: Final = 8
"""So many remainders of one integer all get an arm."""

MOST_ARMS: Final = 16
"""The most combinations of remainders that get an arm each."""

MOST_STEPS: Final = 8
"""How many sums deep an integer is traced back to parameters."""


class Auto:
    """The choices of one specialization; `origins` tells for each parameter of a residual block
    its block and the variable that it was made for."""

    def __init__(self, spec: Specializer) -> None:
        self.spec = spec
        self.enabled = spec.options.auto
        self.origins: dict[str, tuple[Block, str]] = {}
        self.reasons: dict[tuple[str, str], str] = {}

    def note(self, block: Block, frozen: Frozen) -> None:
        """A new block has parameters for the leaves of a state."""
        if self.enabled:
            for leaf, parameter in zip(frozen.leaves, block.raw.parameters, strict=True):
                self.origins[parameter] = block, leaf.name

    # -- requests --------------------------------------------------------------------------------

    def divide(self, path: Path, x: Value, divisor: int, op: str, span: Span | None) -> None:
        """A rule needs the remainder of x by the divisor: `Restart` if it can be had."""
        self.spec.demand.divide(path, x, divisor)
        word: int = self.spec.options.word_size
        if not self.enabled or divisor < BYTE or (word % divisor and divisor % word):
            return
        self._request(path, x, lcm(word, divisor), op, span)

    def compare(self, path: Path, x: Value, y: Value, span: Span | None) -> None:
        """A rule compares two integers: if one is a multiple of words away from a known address,
        split the other."""
        word = self.spec.options.word_size
        if not self.enabled:
            return
        for one, other in ((x, y), (y, x)):
            if isinstance(one, Cyclic) and one.base % word == 0:
                self._request(path, other, word, "=", span)

    def _request(self, path: Path, x: Value, base: int, op: str, span: Span | None) -> None:
        """Split what x is made of so that its remainder by the base is known."""
        if path.block.whole:
            return
        restarted = None
        for name, factor in summands(path, x, base, self.origins):
            block, parameter = self._outermost(name)
            old = block.splits.get(parameter, (1, 1))
            modulus, step = base // gcd(factor, base), BYTE // gcd(BYTE, factor)
            wanted = lcm(old[0], modulus), lcm(old[1], step)
            if wanted != old:
                block.splits[parameter] = wanted
                self._explain(block, parameter, base, op, span)
                restarted = block
        if restarted is not None:
            raise Restart(restarted)

    def _outermost(self, parameter: str) -> tuple[Block, str]:
        """The first block on the way from the entry that has the integer as a parameter, and
        which one it is there."""
        block, source = self.origins[parameter]
        while source in self.origins:
            parameter = source
            block, source = self.origins[parameter]
        return block, parameter

    def _explain(self, block: Block, parameter: str, base: int, op: str, span: Span | None) -> None:
        where = "" if span is None else f" at {span}"
        name = block.raw.hint
        self.reasons[block.raw.label, parameter] = (
            f"set-base {base_name(parameter)} {base} in {name}: for {op}{where}"
        )

    def statistics(self, blocks: dict[Block, None]) -> dict[str, int]:
        """Why which integer is split, with the number of its remainders that have an arm."""
        chosen: dict[str, int] = {}
        for block in blocks:
            for parameter, cases in zip(block.splits, self._cases(block), strict=True):
                chosen[self.reasons[block.raw.label, parameter]] = len(cases)
        return chosen

    # -- the case analysis -----------------------------------------------------------------------

    def _cases(self, block: Block) -> list[list[int]]:
        """The remainders that get an arm, for each integer to be split."""
        cases = [
            list(range(modulus)) if modulus <= FEW else list(range(0, modulus, step))
            for modulus, step in block.splits.values()
        ]
        return cases if prod(map(len, cases)) <= MOST_ARMS else [[0] for _ in cases]

    def dispatch(self, path: Path, block: Block) -> None:
        """Run a block that is to be split: tests of remainders, then the block's state with what
        they tell."""
        splits = list(zip(block.splits.items(), self._cases(block), strict=True))
        first: dict[tuple[str, int], Dynamic | Cyclic] = {
            **identity_names(self.spec.frozen(block), block.widened)
        }
        work: list[tuple[Path, int, Names]] = [(path, 0, first)]
        while work:
            path, done, names = work.pop()
            if done == len(splits):
                self._arrive(path, block, names, whole=False)
                continue
            (parameter, (modulus, _)), cases = splits[done]
            operands = (Dynamic(parameter, "int"), Static(modulus))
            hint = base_name(parameter)
            remainder = path.emit("floor-remainder", operands, block.raw.span, hint + "r")
            quotient = path.emit("floor-quotient", operands, block.raw.span, hint + "q")
            complete = len(cases) == modulus
            for case in cases[:-1] if complete else cases:
                test = path.atom(path.emit("=", (remainder, Static(case)), block.raw.span))
                then, otherwise = Segment(), Segment()
                path.segment.tail = (test, then, otherwise, block.raw.span)
                split: Names = {**names, (parameter, 0): Cyclic(modulus, case, quotient)}
                work.append((path.fork(then), done + 1, split))
                path = path.fork(otherwise)
            if complete:
                split = {**names, (parameter, 0): Cyclic(modulus, cases[-1], quotient)}
                work.append((path, done + 1, split))
            else:
                self._arrive(path, block, first, whole=True)

    def _arrive(self, path: Path, block: Block, names: Names, whole: bool) -> None:
        """Go on to the block of the state over other names; `whole` is the version in which
        nothing is split."""
        spec = self.spec
        roots, path.store, path.lifted = spec.frozen(block).thaw(names)
        roots = roots[: len(roots) - spec.cell_count()]
        spec.memo_point(
            path, block.point, roots, block.resume, block.activation, block.raw.span, whole
        )


def summands(path: Path, x: Value, base: int, names: Container[str]) -> list[tuple[str, int]]:
    """The variables among `names` of which x is the sum, each with the factor it has in the sum;
    those whose factor is a multiple of the base do not matter."""
    found: list[tuple[str, int]] = []
    work: list[tuple[Value, int, int]] = [(x, 1, 0)]
    while work:
        value, factor, depth = work.pop()
        if isinstance(value, Cyclic):
            factor *= value.base
            value = value.quotient
        if not isinstance(value, Dynamic) or factor % base == 0:
            continue
        if value.name in names:
            found.append((value.name, factor))
        elif depth < MOST_STEPS:
            op, values = path.definitions.get(value.name, ("", ()))
            if op == "*" and type(values[1]) is Static:
                work.append((values[0], factor * values[1].datum, depth + 1))
            elif op in ("+", "-"):
                work.extend((part, factor, depth + 1) for part in reversed(values))
    return found
