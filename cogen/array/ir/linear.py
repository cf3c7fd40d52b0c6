"""Linear forms of ints, and what is known of them: ints times atoms, and a constant."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import Final

from cogen.array.ir.node import (
    Node,
    Parameter,
)

Certificates = frozenset[Node]
NO_CERTIFICATES: Final[Certificates] = frozenset()


@dataclass(slots=True)
class Linear:
    """A form: the factors of atoms, and a constant; never changed."""

    factors: dict[Node, int]
    constant: int

    def plus(self, other: Linear, by: int = 1, own: int = 1) -> Linear:
        """own * self + by * other."""
        if own == 1:
            factors = self.factors.copy()
        else:
            factors = {atom: own * factor for atom, factor in self.factors.items()}
        for atom, factor in other.factors.items():
            total = factors.get(atom, 0) + by * factor
            if total:
                factors[atom] = total
            else:
                factors.pop(atom, None)
        return Linear(factors, own * self.constant + by * other.constant)

    def divided(self) -> Linear:
        """A form with the least factors that is not negative exactly where this one is not: ints
        that are at least so much are at least the next whole number."""
        divisor = gcd(*self.factors.values())
        if divisor <= 1:
            return self
        factors = {atom: factor // divisor for atom, factor in self.factors.items()}
        return Linear(factors, self.constant // divisor)

    def shifted(self, by: int) -> Linear:
        return Linear(self.factors, self.constant + by)


@dataclass(slots=True)
class LinearBound:
    """A form that is not negative, by certificates; never changed."""

    form: Linear
    certs: Certificates


def plain_bound(factors: dict[Node, int], constant: int) -> LinearBound:
    """A form that is never negative."""
    return LinearBound(Linear(factors, constant), NO_CERTIFICATES)


def slope(node: Node, index: Parameter, bound: frozenset[Parameter]) -> int | None:
    """The factor of an index in an int that is linear in it, and depends on nothing else that is
    bound; None if it is not so."""
    if node is index:
        return 1
    if node.free.isdisjoint(bound):
        return 0
    if node.operation not in ("int.add", "int.sub", "int.mul"):
        return None
    a, b = node.operands
    if node.operation == "int.mul":
        factor, other = (a, b) if a.is_known else (b, a)
        inner = slope(other, index, bound) if factor.is_known else None
        return None if inner is None else int(factor.value) * inner  # type: ignore[attr-defined]
    left, right = slope(a, index, bound), slope(b, index, bound)
    if left is None or right is None:
        return None
    return left + right if node.operation == "int.add" else left - right
