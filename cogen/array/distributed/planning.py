"""What runs in each round, for which pieces: places -> plan.

    plan  ::= central 0, round 1, central 1, round 2, ...
    round ::= for pieces of each origin: a kernel, and how what two pieces found is combined

The plan is made backwards: the results ask for what the last round must give, its kernels for
what the rounds before must.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from cogen.array.distributed.central import Central
from cogen.array.distributed.chunk import ChunkKernel
from cogen.array.distributed.combiner import Combiner
from cogen.array.distributed.partkernels import PartKernel
from cogen.array.distributed.pieceplaces import PiecePlaces
from cogen.array.distributed.roundplaces import KnownPlace, Pieces, RoundLift
from cogen.array.ir.generators import is_hashed
from cogen.array.ir.node import (
    Multiloop,
    Node,
    Parameter,
    Part,
)
from cogen.array.ir.packedboundary import sinks


@dataclass(frozen=True, slots=True, eq=False)
class Work:
    """What is done with the pieces of one origin in a round.

    What lifts ask for is combined in trees (`tree`); where prefixes are wanted, from the first
    piece, which begins with `start`, to the last (`fold`).
    """

    round: int
    origin: Node
    kernel: PartKernel
    trees: tuple[RoundLift, ...]
    folds: tuple[RoundLift, ...]
    tree: PartKernel | None
    fold: PartKernel | None
    start: PartKernel | None
    pieces: tuple[Node, ...]
    stored: tuple[tuple[str, tuple[Node, ...]], ...]


@dataclass(slots=True, eq=False)
class DistributionPlan:
    """The kernels of all rounds, and where the program's results come from."""

    places: PiecePlaces
    centrals: dict[int, PartKernel] = field(default_factory=dict)
    works: dict[int, list[Work]] = field(default_factory=dict)

    @property
    def kernels(self) -> list[PartKernel]:
        """All of them, in the order in which they run."""
        found: list[PartKernel | None] = []
        for n in range(self.places.rounds + 1):
            for work in self.works.get(n, []):
                found += [work.kernel, work.tree, work.start, work.fold]
            found.append(self.centrals.get(n))
        return [kernel for kernel in found if kernel is not None]


def plan(places: PiecePlaces, packs: bool) -> DistributionPlan:
    """The plan of a program.  `packs`: kernels store packed what is a result that is packed."""
    found = places.plans.get(packs)
    if not isinstance(found, DistributionPlan):
        found = places.plans[packs] = _Planner(places, packs).plan()
    return found


class _Planner:
    def __init__(self, places: PiecePlaces, packs: bool) -> None:
        self.places = places
        self.made = DistributionPlan(places)
        self.wanted: dict[Node, None] = {}
        """What must be known, or lie in pieces, in the order in which it was asked for."""
        entry = places.entry
        results = entry.body.results[entry.result_sizes :]
        self.stored = stored_results(places) if packs else []
        packed = {leaf for _, leaves in self.stored for leaf in leaves}
        for node in results:
            if node not in packed:
                self.wanted[node] = None

    def plan(self) -> DistributionPlan:
        for n in range(self.places.rounds, -1, -1):
            self.central(n)
            if n:
                self.round(n)
        return self.made

    def central(self, n: int) -> None:
        places = self.places
        exports = [node for node in self.wanted if self._is_known(node, n)]
        made = Central(places, n).kernel(exports, f"{places.entry.name}_{n}")
        if made is not None:
            self.made.centrals[n] = made
            self.want(made)

    def _is_known(self, node: Node, n: int) -> bool:
        """Whether a central kernel computes something in a round."""
        place = self.places.place(node)
        if not isinstance(place, KnownPlace) or place.round != n or isinstance(node, Parameter):
            return False
        return not isinstance(node, Part) or self.places.lift_of(node) is None

    def want(self, kernel: PartKernel) -> None:
        for wanted in kernel.imports:
            if wanted.node is not None and wanted.kind in ("known", "pieces"):
                self.wanted[wanted.node] = None

    def round(self, n: int) -> None:
        places = self.places
        lifts = [lift for lift in places.lifts.values() if lift.round == n]
        forced = [(loop, path) for loop, at, path in places.forced if at == n]
        pieces = [
            node for node in self.wanted
            if isinstance(place := places.place(node), Pieces) and place.round == n
        ]  # fmt: skip
        stored = [(text, own) for text, own in self.stored if places.place(own[0]).round == n]
        origins: dict[Node, None] = {}
        for loop in [*[lift.loop for lift in lifts], *[loop for loop, _ in forced]]:
            origins[self.of_loop(loop)] = None
        for node in [*pieces, *[own[0] for _, own in stored]]:
            origins[self.of_node(node)] = None
        self.made.works[n] = [
            self.work(
                n, origin,
                [lift for lift in lifts if self.of_loop(lift.loop) is origin],
                [(loop, path) for loop, path in forced if self.of_loop(loop) is origin],
                [node for node in pieces if self.of_node(node) is origin],
                [(text, own) for text, own in stored if self.of_node(own[0]) is origin],
            )
            for origin in origins
        ]  # fmt: skip

    def of_loop(self, loop: Multiloop) -> Node:
        return self.places.origin(self.places.cut_size(loop))

    def of_node(self, node: Node) -> Node:
        place = self.places.place(node)
        assert isinstance(place, Pieces)
        return self.places.origin(place.size)

    def work(
        self, n: int, origin: Node, lifts: Sequence[RoundLift],
        forced: Sequence[tuple[Multiloop, tuple[Multiloop, ...]]], pieces: Sequence[Node],
        stored: Sequence[tuple[str, tuple[Node, ...]]],
    ) -> Work:  # fmt: skip
        places, name = self.places, self.places.entry.name
        trees = tuple([lift for lift in lifts if not lift.is_prefix])
        folds = tuple([lift for lift in lifts if lift.is_prefix])
        kernel = ChunkKernel(places, n, origin).kernel(
            [*trees, *folds], forced, pieces, stored, f"{name}_{n}_piece"
        )
        for wanted in kernel.imports:
            is_counted = wanted.kind == "length" and wanted.node in places.counted
            if is_counted and measured(places, kernel, wanted.node) is None:
                assert wanted.node is not None
                places.begins(wanted.node)
        tree = Combiner(places, n).kernel(trees, f"{name}_{n}_both") if trees else None
        fold = Combiner(places, n).kernel(folds, f"{name}_{n}_both") if folds else None
        start = Combiner(places, n).beginning(folds, f"{name}_{n}_start") if folds else None
        for made in (kernel, tree, fold, start):
            if made is not None:
                self.want(made)
        return Work(
            n, origin, kernel, trees, folds, tree, fold, start, tuple(pieces), tuple(stored)
        )


def measured(places: PiecePlaces, kernel: PartKernel, root: Node | None) -> tuple[int, int] | None:
    """Which parameter of a kernel is an array that is cut as a size says, and along which axis."""
    for k, other in enumerate(kernel.imports):
        node: Node | None = other.node if other.kind == "pieces" else None
        if other.kind == "source":
            node = places.entry.parameters[other.index]
        place = None if node is None else places.place(node)
        if isinstance(place, Pieces) and places.root(place.size) is root:
            return k, place.axis
    return None


def stored_results(places: PiecePlaces) -> list[tuple[str, tuple[Node, ...]]]:
    """The results that are stored packed by the kernels that make them: layouts and leaves."""
    entry = places.entry
    results = entry.body.results[entry.result_sizes :]
    found: list[tuple[str, tuple[Node, ...]]] = []
    for at, own in enumerate(sinks(entry)):
        if own is None or own.number:
            continue
        leaves = results[at : at + len(own.storage.leaves)]
        of = [places.place(leaf) for leaf in leaves]
        alike = {
            (place.round, places.root(place.size)) for place in of if isinstance(place, Pieces)
        }
        if len(alike) != 1 or not all(isinstance(place, Pieces) and not place.axis for place in of):
            continue
        ((n, root),) = alike
        plain = own.storage.offset == 0 and own.storage.step > 0 and own.storage.low >= 0
        if plain and root is not None and root not in places.counted and n:
            found.append((own.storage.text, leaves))
    return found


def values_of(lift: RoundLift, leaves: Sequence[object]) -> list[tuple[int, object]]:
    """Which results of a lift's loop are known by what was combined, and what they are."""
    y = lift.taken
    if lift.what == "count":
        return [(y.first, leaves[0])]
    if is_hashed(y.generator):
        column: object = leaves[0]
        count = len(column)  # type: ignore[arg-type]  # an array
        return [(y.first, count), *[(y.first + 1 + k, leaf) for k, leaf in enumerate(leaves)]]
    return [(y.first + k, leaf) for k, leaf in enumerate(leaves)]
