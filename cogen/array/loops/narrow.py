"""Expressions on ints of 64 bits -> on ints of 32, where bounds tell that nothing is lost.

    Convert(i64, x) - 64  with x in 0 ... 4095      Convert(i64, x - 64), with bounds -64 ... 4031

Samples are small, so is most of what is computed with them; vectors of halves do twice as much.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import choose, convert
from cogen.array.loops.tree import I32, I64, Const, Convert, Expr, Operate, Var

LIMIT: Final = 1 << 31

COMPARISONS: Final = frozenset(["int.lt", "int.le", "int.eq"])


@dataclass(frozen=True, slots=True)
class Small:
    """An expression of 32 bits, and its least and greatest value."""

    value: Expr
    least: int
    greatest: int


class Narrowing:
    """What is known of variables."""

    def __init__(self, outside: frozenset[Var] = frozenset()) -> None:
        self.known: dict[Var, Small] = {}
        self.outside = outside
        """Ints that stay the same: what compares with them is computed before the loop."""
        self.missed: dict[Var, None] = {}
        """Those that operations on what fits into 32 bits have as their other operand."""

    def learn(self, variable: Var, least: int, greatest: int) -> None:
        """The bounds of a variable of 32 bits."""
        self.known[variable] = Small(variable, least, greatest)

    def small(self, e: Expr) -> Small | None:
        """An int with 32 bits; None where it may need more."""
        match e:
            case Const(value=int(value)) if e.type == I64 and abs(value) < LIMIT >> 1:
                return Small(Const(value, I32), value, value)
            case Var():
                return self.known.get(e)
            case Convert(t, a) if t == I64:
                return self.small(a)
            case Operate(row, (a, b), t) if t == I64:
                left, right = self.small(a), self.small(b)
                if left is not None and right is not None:
                    return _combined(row, left, right)
                self._miss([operand for operand, own in ((a, right), (b, left)) if own is not None])
            case tree.Choose(test, a, b) if e.type == I64:
                left, right = self.small(a), self.small(b)
                if left is not None and right is not None:
                    least = min(left.least, right.least)
                    made = choose(self.narrowed(test), left.value, right.value)
                    return Small(made, least, max(left.greatest, right.greatest))
        return None

    def _miss(self, operands: Sequence[Expr]) -> None:
        self.missed |= {e: None for e in operands if isinstance(e, Var) and e in self.outside}

    def narrowed(self, e: Expr) -> Expr:
        """An expression whose ints are as narrow as they can be."""
        found = self.small(e)
        if found is not None:
            return convert(e.type, found.value)
        match e:
            case Operate(row, operands, t) if row in COMPARISONS or row == "int.to_real":
                parts = [self.small(a) for a in operands]
                values = tuple([part.value for part in parts if part is not None])
                if len(values) == len(parts):
                    return Operate(row, values, t)
                if len(values) == 1 and len(parts) == 2:
                    sides = [self._comparable(a, part, *[p for p in parts if p is not None])
                             for a, part in zip(operands, parts, strict=True)]  # fmt: skip
                    both = tuple([side for side in sides if side is not None])
                    if len(both) == 2:
                        return Operate(row, both, t)
        return treewalk.with_operands(e, [self.narrowed(a) for a in treewalk.operands(e)])

    def _comparable(self, e: Expr, own: Small | None, other: Small) -> Expr | None:
        """One side of a comparison, of 32 bits: what comes from outside is made no farther away
        than it takes to be beyond the other side."""
        if own is not None:
            return own.value
        if e not in self.outside or other.least <= -LIMIT or other.greatest >= LIMIT - 1:
            return None
        least, greatest = Const(other.least - 1, I64), Const(other.greatest + 1, I64)
        low = choose(Operate("int.lt", (e, least), tree.BOOL), least, e)
        return convert(I32, choose(Operate("int.lt", (greatest, low), tree.BOOL), greatest, low))


def _combined(row: str, a: Small, b: Small) -> Small | None:
    """The result of an operation, if it fits, too."""
    value: Expr = Operate(row, (a.value, b.value), I32)
    match row:
        case "int.add":
            bounds = [a.least + b.least, a.greatest + b.greatest]
        case "int.sub":
            bounds = [a.least - b.greatest, a.greatest - b.least]
        case "int.mul":
            bounds = [x * y for x in (a.least, a.greatest) for y in (b.least, b.greatest)]
        case "int.shr" if b.least == b.greatest and 0 <= b.least < 32:
            bounds = [a.least >> b.least, a.greatest >> b.least]
        case "int.and" if b.least >= 0 or a.least >= 0:
            tops = [x.greatest for x in (a, b) if x.least >= 0]
            bounds = [0, min(tops)]
        case "int.min":
            bounds = [min(a.least, b.least), min(a.greatest, b.greatest)]
            value = choose(Operate("int.lt", (b.value, a.value), tree.BOOL), b.value, a.value)
        case "int.max":
            bounds = [max(a.least, b.least), max(a.greatest, b.greatest)]
            value = choose(Operate("int.lt", (a.value, b.value), tree.BOOL), b.value, a.value)
        case _:
            return None
    if min(bounds) < -LIMIT or max(bounds) >= LIMIT:
        return None
    return Small(value, min(bounds), max(bounds))
