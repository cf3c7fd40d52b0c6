"""What is known in a round, and what is checked, as a kernel: places -> graph."""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.distributed.building import KernelBuilder
from cogen.array.distributed.partkernels import PartKernel, finished, layout_of
from cogen.array.distributed.roundplaces import KnownPlace, RowPlace
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Parameter,
    Part,
)


class Central(KernelBuilder):
    """What is known in a round, from what is known before and what its pieces found together."""

    def given(self, node: Node) -> Node | None:
        places = self.places
        if isinstance(node, Parameter):
            return self.known(node) if node in places.top else self.bound(node)
        if isinstance(node, Part):
            lift = places.lift_of(node)
            if lift is not None:
                return self.lifted(lift, node)
        if places.is_top(node) and node.free and places.place(node).round < self.round:
            return self.known(node)
        return None

    def checks_here(self, cert: Node) -> bool:
        found = self.places.place(cert).round
        return found == self.round if self.places.is_top(cert) else found <= self.round

    def executes(self, effect: Node) -> bool:
        if isinstance(effect, Multiloop) and effect.index in self.places.rows:
            return False
        found = self.places.checks.get(effect, 0)
        return found == self.round if self.places.is_top(effect) else found <= self.round

    def chosen(self, loop: Multiloop) -> list[int]:
        return self.places.chosen(loop, self._is_here)

    def _is_here(self, place: object, is_top: bool) -> bool:
        if isinstance(place, RowPlace):
            return True
        if not isinstance(place, KnownPlace):
            return False
        return place.round == self.round if is_top else place.round <= self.round

    def kernel(self, exports: Sequence[Node], name: str) -> PartKernel | None:
        """The kernel that computes some values, and checks what is checked in the round; None where
        there is nothing to be done."""
        body = self.places.entry.body
        self.effects(body)
        results = self.all(exports)
        if not self.open[0].effects and not results:
            return None
        return finished(self, results, [layout_of(n) for n in results], exports, name)
