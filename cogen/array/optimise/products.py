"""Bounds of products and quotients of sizes: i*w + j < h*w for 0 <= i < h, 0 <= j < w.

    known: area(h, w) <= limit, 0 <= i < h, 0 <= w     then     0 <= i*w <= h*w - w

That there is an array of the sizes h and w says that their product is an int (`int.area` counts
sizes of 0 as 1, and stops at the limit), and so is that of i and w. Without such an array nothing
is known: h*w may wrap around, and i*w + j lie outside of an array of this size though i < h.

A product of several factors is one atom, however it is put together: ints modulo 2^64 associate.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Final

from cogen.array.ir.graph import Graph
from cogen.array.ir.linear import NO_CERTIFICATES, Certificates, Linear, LinearBound
from cogen.array.ir.node import Node

if TYPE_CHECKING:
    from cogen.array.ir.blockscope import BlockScope
    from cogen.array.optimise.indexranges import Ranges

MAX_FACTORS: Final = 5
"""Areas of more sizes are not used."""

DEPTH: Final = 4
"""How many atoms one after the other are replaced to show that a factor is not negative."""


@dataclass(frozen=True, slots=True)
class Area:
    """The product of sizes, those less than 1 counted as 1, is no more than arrays have elements;
    by a certificate."""

    factors: tuple[Node, ...]
    certificate: Node


def area_of(graph: Graph, condition: Node, certificate: Node) -> Area | None:
    """What a condition says of an area, if it is int.le(area, limit)."""
    if condition.operation != "int.le":
        return None
    area, limit = condition.operands
    if not isinstance(limit.known, int):
        return None
    if limit.known > graph.arithmetic.max_elements or not _is(area, "int.area"):
        return None
    factors = tuple(_flat(area, "int.area"))
    return Area(factors, certificate) if len(factors) <= MAX_FACTORS else None


def _is(node: Node, name: str) -> bool:
    return node.operation == name and not node.certs


def _flat(node: Node, name: str) -> Iterator[Node]:
    waiting = [node]
    while waiting:
        found = waiting.pop()
        if _is(found, name):
            waiting.extend(reversed(found.operands))
        else:
            yield found


def factors_of(node: Node) -> list[Node]:
    """The factors of a product; a node that is none is its own."""
    return list(_flat(node, "int.mul"))


def product(graph: Graph, factors: Sequence[Node]) -> Node:
    """The one node for a product of factors that are no constants."""
    first, *rest = sorted(factors, key=_number)
    for factor in rest:
        first = graph.plain("int.mul", first, factor)
    return first


def _number(node: Node) -> int:
    return node.number


def canonical(graph: Graph, node: Node) -> Node:
    """The node that stands for a product, however it is put together."""
    if not _is(node, "int.mul"):
        return node
    factors = factors_of(node)
    if len(factors) > MAX_FACTORS or any(factor.is_known for factor in factors):
        return node
    return product(graph, factors)


def without(factors: Sequence[Node], used: Sequence[Node]) -> list[Node] | None:
    """The factors that are left when some are taken away, which must be there."""
    left = list(factors)
    for factor in used:
        if factor not in left:
            return None
        left.remove(factor)
    return left


def parts(factors: Sequence[Node]) -> Iterator[tuple[Node, ...]]:
    """Some of the factors, at least one: fewer first."""
    plain = [factor for factor in factors if not factor.is_known]
    for count in range(1, len(plain) + 1):
        yield from combinations(plain, count)


class Products:
    """What areas say, in the proofs of a `Ranges`."""

    def __init__(self, ranges: Ranges) -> None:
        self.ranges = ranges
        self.graph = ranges.graph
        self.arithmetic = ranges.arithmetic
        self._open: set[Node] = set()
        """The products and quotients whose operands are being looked at."""
        self.found: dict[tuple[BlockScope, Node], list[LinearBound]] = {}
        """What the present proof found out about products and quotients."""

    def of_area(self, scope: BlockScope, area: Area) -> Iterator[LinearBound]:
        """h <= limit for each size; h*w <= limit * w, so w is not 0 where h*w is not."""
        certs = frozenset([area.certificate])
        limit = self.arithmetic.max_elements
        for factor in area.factors:
            if not factor.is_known:
                yield LinearBound(Linear({factor: -1}, limit), certs)
        for sizes in parts(area.factors):
            proof = None if len(sizes) < 2 else self._positive(scope, *sizes)
            if proof is None:
                continue
            whole = product(self.graph, sizes)
            for factor in dict.fromkeys(sizes):
                yield LinearBound(Linear({factor: limit, whole: -1}, 0), certs | proof)

    def bounds(self, scope: BlockScope, atom: Node) -> list[LinearBound]:
        """What areas say of a product or quotient."""
        if atom in self._open or atom.operands[1].is_known:
            return []
        known = self.found.get((scope, atom))
        if known is not None:
            return known
        look = self._product if atom.operation == "int.mul" else self._quotient
        found: list[LinearBound] = []
        self._open.add(atom)
        for outer in scope.chain():
            for area in self.ranges.read(outer).areas:
                self.ranges.steps_left -= 1
                if self.ranges.steps_left >= 0:
                    found.extend(look(scope, atom, area))
        self._open.remove(atom)
        self.found[scope, atom] = found
        return found

    def _positive(self, scope: BlockScope, *nodes: Node, least: int = 0) -> Certificates | None:
        """The certificates that ints are at least so much."""
        certs = NO_CERTIFICATES
        for node in nodes:
            form = self.ranges.form(scope, node)
            proof = self.ranges.positive(scope, form.form.shifted(-least), DEPTH)
            if proof is None:
                return None
            certs |= proof | form.certs
        return certs

    def _reaches(self, scope: BlockScope, a: Node, limit: Node) -> bool:
        """Whether what is known above an int speaks of another: else it is not shown to be less."""
        seen = set(self.ranges.form(scope, a).form.factors)
        fresh = seen
        for _ in range(3):
            fresh = {
                other
                for atom in fresh
                for bound in self.ranges.bounds(scope, atom, below=False)
                for other, factor in bound.form.factors.items()
                if 0 < factor < self.arithmetic.max_elements
            } - seen
            seen |= fresh
        return limit in seen

    def _less(self, scope: BlockScope, a: Node, b: Node) -> Certificates | None:
        """The certificates that an int is less than another."""
        x, y = self.ranges.form(scope, a), self.ranges.form(scope, b)
        difference = y.form.plus(x.form, -1).shifted(-1)
        proof = self.ranges.positive(scope, difference, DEPTH)
        return None if proof is None else proof | x.certs | y.certs

    def _product(self, scope: BlockScope, atom: Node, area: Area) -> Iterator[LinearBound]:
        """0 <= h*w <= limit for sizes; 0 <= i*w <= h*w - w for 0 <= i < h."""
        factors = factors_of(atom)
        if without(area.factors, factors) is not None:
            proof = self._positive(scope, *factors)
            if proof is not None:
                certs = proof | {area.certificate}
                yield LinearBound(Linear({atom: 1}, 0), certs)
                yield LinearBound(Linear({atom: -1}, self.arithmetic.max_elements), certs)
            return
        for sizes in parts([factor for factor in factors if factor in area.factors]):
            others, rest = without(area.factors, sizes), without(factors, sizes)
            if not others or not rest:
                continue
            index = product(self.graph, rest)
            low = self._positive(scope, index, *sizes)
            if low is None:
                continue
            for limits in parts(others):
                limit = product(self.graph, limits)
                if not self._reaches(scope, index, limit):
                    continue
                sign, high = self._positive(scope, *limits), self._less(scope, index, limit)
                if sign is None or high is None:
                    continue
                certs = low | sign | high | {area.certificate}
                whole = product(self.graph, [*limits, *sizes])
                step = product(self.graph, sizes)
                yield LinearBound(Linear({atom: 1}, 0), certs)
                yield LinearBound(Linear({whole: 1, step: -1, atom: -1}, 0), certs)
                break

    def _quotient(self, scope: BlockScope, atom: Node, area: Area) -> Iterator[LinearBound]:
        """0 <= k/w < h for 0 <= k < h*w and 0 < w."""
        k, divisor = atom.operands
        sizes = factors_of(divisor)
        others = without(area.factors, sizes)
        if not others:
            return
        low = self._positive(scope, k)
        sign = self._positive(scope, *sizes, least=1)
        if low is None or sign is None:
            return
        for limits in parts(others):
            own = self._positive(scope, *limits)
            high = self._less(scope, k, product(self.graph, [*limits, *sizes]))
            if own is None or high is None:
                continue
            certs = low | sign | own | high | {area.certificate}
            yield LinearBound(Linear({atom: 1}, 0), certs)
            yield LinearBound(Linear({product(self.graph, limits): 1, atom: -1}, -1), certs)
            break
