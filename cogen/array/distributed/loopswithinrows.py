"""Loops within loops over pieces: all that they do belongs to one row, generator by generator.

A loop may take part in two rounds: where a scan over pieces goes on within each row (a scan over
what `flatMap` gives), one generator finds what the row comes to, which the round that says with
what each piece begins needs, and another one depends on that. So each generator has a place of its
own, and kernels copy those that they can have (`cogen.array.distributed.chunk`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from cogen.array.distributed.roundplaces import Pieces, Place, RowPlace
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Parameter,
)

if TYPE_CHECKING:
    from cogen.array.distributed.pieceplaces import PiecePlaces


class RowLoops:
    """The loops within loops over pieces of a program, as they are met."""

    def __init__(self, places: PiecePlaces) -> None:
        self.places = places
        self.found: dict[Multiloop, RowLoop] = {}
        self.scans: dict[Parameter, tuple[RowLoop, int]] = {}
        """The parameters for what scans have accumulated, with the number of the generator."""

    def of(self, node: Multiloop) -> RowLoop:
        if node not in self.found:
            made = self.found[node] = RowLoop(self.places, node)
            for number, y in enumerate(node.yields()):
                for parameter in y.running:
                    self.scans[parameter] = made, number
        return self.found[node]

    def running(self, parameter: Parameter) -> RowPlace | None:
        """The place of what a scan has accumulated; None for other parameters."""
        if parameter not in self.scans:
            return None
        loop, number = self.scans[parameter]
        return loop.generator(number)


class RowLoop:
    """A loop within a row, and in which rounds its generators have what they take."""

    def __init__(self, places: PiecePlaces, node: Multiloop) -> None:
        self.places = places
        self.node = node
        self.start = self.usable([node.size, *node.inputs, *node.certs], 1)
        for parameter in (node.index, *node.elements, node.body.token):
            places.found.setdefault(parameter, RowPlace(self.start))
        self.found: dict[int, RowPlace] = {}

    def usable(self, nodes: Iterable[Node], start: int) -> int:
        """The first round whose kernels can use all of some nodes, from one on."""
        return self.after([self.places.place(node) for node in nodes], start)

    def after(self, found: Iterable[Place], start: int) -> int:
        for place in found:
            if isinstance(place, Pieces):
                what = "for each row, all rows of an array in pieces are read"
                self.places.refuse(self.node, what)
            start = max(start, place.usable)
        return start

    def generator(self, number: int) -> RowPlace:
        """The place of what a generator takes, and gives."""
        if number not in self.found:
            y = self.node.yields()[number]
            at = self.usable([*y.stream.leaves, *y.extras], self.start)
            if y.operator is not None:
                at = self.after(self.places.bound(y.operator, RowPlace(self.start)), at)
            self.found[number] = RowPlace(at)
        return self.found[number]

    def all(self) -> tuple[Place, ...]:
        """The places of all results, and the round in which the loop has checked what it checks."""
        found: list[Place] = []
        for number, y in enumerate(self.node.yields()):
            found += [self.generator(number)] * y.gives
        checks = [self.places.check(effect) for effect in self.node.body.effects]
        self.places.checks[self.node] = max([self.start, *checks, *[p.round for p in found]])
        return tuple(found)
