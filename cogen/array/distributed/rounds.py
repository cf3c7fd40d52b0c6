"""Runs a plan: round after round, each on all pieces, by an engine that does the tasks.

An engine has pieces done somewhere (`Here`: in this process, one after the other; Dask's is in
`cogen.array.distributed.dasking`). What it gives are handles, until they are fetched.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate
from typing import Any, Protocol

import numpy as np

from cogen.array.distributed import tasks
from cogen.array.distributed.building import Import
from cogen.array.distributed.partkernels import PartKernel
from cogen.array.distributed.pieceplaces import PiecePlaces
from cogen.array.distributed.planning import (
    DistributionPlan,
    Work,
    measured,
    plan,
    stored_results,
    values_of,
)
from cogen.array.distributed.roundplaces import Pieces, RoundLift
from cogen.array.distributed.shipping import ShippedSource, source_of
from cogen.array.distributed.tasks import Binding, EachPiece, Job, Taker
from cogen.array.ir.marshal import LeafValue
from cogen.array.ir.node import (
    Node,
    shape,
)
from cogen.array.l0.storage import storage_of
from cogen.array.l0.values import PackedValue
from cogen.lang.errors import CogenError


class DistributionEngine(Protocol):
    """Does tasks; handles stand for what they give."""

    def pieces(
        self, job: Job, values: Sequence[Any], own: EachPiece, given: EachPiece, keep: bool
    ) -> list[Any]:
        """`tasks.piece` for each piece; with `keep` the results stay where they are made."""

    def pick(self, handles: Sequence[Any], positions: Sequence[int]) -> list[Any]:
        """Some of the results of each."""

    def tree(
        self, job: Job, values: Sequence[Any], positions: Sequence[int], parts: Sequence[Any]
    ) -> Any:
        """`tasks.both` for all, in a tree, of what is at some positions in the leaves."""

    def sizes(self, taker: Taker, pieces: Sequence[Any]) -> list[Any]:
        """The sizes of pieces."""

    def hold(self, pieces: Sequence[Any]) -> list[Any]:
        """Pieces that are used again, kept where they are."""

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        """What handles stand for."""


class Here:
    """An engine that does everything in this process."""

    def pieces(
        self, job: Job, values: Sequence[Any], own: EachPiece, given: EachPiece, keep: bool
    ) -> list[Any]:
        pairs = zip(own, given, strict=True)
        return [tasks.piece(job, values, mine, *one) for mine, one in pairs]

    def pick(self, handles: Sequence[Any], positions: Sequence[int]) -> list[Any]:
        return [tasks.pick(found, positions) for found in handles]

    def tree(
        self, job: Job, values: Sequence[Any], positions: Sequence[int], parts: Sequence[Any]
    ) -> Any:
        return tasks.both(job, values, positions, *parts)

    def sizes(self, taker: Taker, pieces: Sequence[Any]) -> list[Any]:
        return [tasks.sizes(taker, one) for one in pieces]

    def hold(self, pieces: Sequence[Any]) -> list[Any]:
        return list(pieces)

    def fetch(self, handles: Sequence[Any]) -> list[Any]:
        return list(handles)


@dataclass(slots=True, eq=False)
class CutArgument:
    """An argument in pieces: the first of the program's leaves and sizes that it is."""

    taker: Taker
    pieces: list[Any]
    leaf: int
    leaves: int
    size: int
    sizes: int
    lengths: list[int] | None = None
    inner: list[int] | None = None
    """The sizes of the program's that are not cut, where they are known."""


@dataclass(slots=True, eq=False)
class RoundsRun:
    """One run of a program: what is known so far, and where pieces are."""

    places: PiecePlaces
    engine: DistributionEngine
    cuts: list[CutArgument]
    leaves: dict[int, LeafValue]
    """The leaves of arguments that are whole."""
    sizes: dict[int, int]
    compiles: bool = True
    known: dict[Node, Any] = field(default_factory=dict)
    handles: dict[Node, tuple[list[Any], int]] = field(default_factory=dict)
    """Where pieces are: the results of kernels, and at which position."""
    packed: dict[Node, tuple[str, list[Any], int]] = field(default_factory=dict)
    begins: dict[tuple[RoundLift, int], list[LeafValue]] = field(default_factory=dict)
    """With what each piece begins."""
    plan: DistributionPlan = field(init=False)

    def run(self) -> list[LeafValue]:
        """The leaves of the program's result."""
        places, entry = self.places, self.places.entry
        self.check()
        self.plan = plan(places, False)
        if stored_results(places) and self.is_aligned():
            self.plan = plan(places, True)
        again = len([n for n, works in self.plan.works.items() if works]) > 1
        for cut in self.cuts if again else ():
            cut.pieces = self.engine.hold(cut.pieces)
        for n in range(places.rounds + 1):
            for work in self.plan.works.get(n, []):
                self.round(work)
            central = self.plan.centrals.get(n)
            if central is not None:
                self.central(central)
        return self.results(entry.body.results[entry.result_sizes :])

    # Sizes.

    def check(self) -> None:
        """Refuse arguments that are used together and have other numbers of pieces."""
        for cut in self.cuts:
            first = self.of_origin(self.origin(cut))[0]
            if len(first.pieces) != len(cut.pieces):
                raise CogenError(
                    f"`{first.taker.names[0]}` has {len(first.pieces)} pieces, "
                    f"`{cut.taker.names[0]}` {len(cut.pieces)}",
                    hint="arrays that are used together must be cut alike: x.rechunk(y.chunks[0])",
                )

    def origin(self, cut: CutArgument) -> Node:
        return self.places.origin(shape(self.places.entry.parameters[cut.leaf])[0])

    def of_origin(self, origin: Node) -> list[CutArgument]:
        return [cut for cut in self.cuts if self.origin(cut) is origin]

    def lengths(self, origin: Node) -> list[int]:
        """The lengths of the pieces of an origin."""
        cuts = self.of_origin(origin)
        for cut in cuts:
            if cut.lengths is not None:
                return cut.lengths
        self.measure(cuts[0])
        assert cuts[0].lengths is not None
        return cuts[0].lengths

    def measure(self, cut: CutArgument) -> None:
        """Find the sizes of the pieces of an argument."""
        cut.pieces = self.engine.hold(cut.pieces)
        found = self.engine.fetch(self.engine.sizes(cut.taker, cut.pieces))
        cut.lengths = [own[0] for own in found]
        cut.inner = found[0]

    def size(self, number: int) -> int:
        """A size of the program's parameters."""
        if number in self.sizes:
            return self.sizes[number]
        for cut in self.cuts:
            if not cut.size <= number < cut.size + cut.sizes:
                continue
            name = self.places.entry.body.parameters[number]
            if self.places.root(name) is not None:
                return sum(self.lengths(self.places.origin(name)))
            if cut.inner is None:
                self.measure(cut)
            assert cut.inner is not None
            return cut.inner[number - cut.size]
        raise AssertionError(number)

    def is_aligned(self) -> bool:
        """Whether packed results can be put together of the bytes that pieces are."""
        for text, leaves in stored_results(self.places):
            place = self.places.place(leaves[0])
            assert isinstance(place, Pieces)
            lengths = self.lengths(self.places.origin(place.size))
            if any(n % storage_of(text).period for n in lengths[:-1]):
                return False
        return True

    # Values.

    def value(self, wanted: Import) -> Any:
        """What is passed for an import that does not depend on the piece."""
        entry = self.places.entry
        if wanted.kind == "source":
            return self.leaves[wanted.index]
        node = wanted.node
        assert node is not None
        if node not in self.known:
            number = next(k for k, p in enumerate(entry.body.parameters) if p is node)
            self.known[node] = self.size(number)
        return self.known[node]

    def source(self, kernel: PartKernel) -> ShippedSource:
        return source_of(kernel, self.compiles)

    def central(self, kernel: PartKernel) -> None:
        values = [self.value(wanted) for wanted in kernel.imports]
        found = self.source(kernel).code()(values)
        for node, value in zip(kernel.exports, found, strict=False):
            assert isinstance(node, Node)
            self.known[node] = value

    # Rounds.

    def round(self, work: Work) -> None:
        bound = _Bound(self, work)
        kernel = work.kernel
        job = Job(
            self.source(kernel), tuple([bound.binding(k) for k in range(len(kernel.imports))]),
            tuple([cut.taker for cut in bound.cuts]),
            tuple([(text, kernel.exports.index(own[0]), len(own)) for text, own in work.stored]),
        )  # fmt: skip
        count = len(self.of_origin(work.origin)[0].pieces)
        columns = [*[cut.pieces for cut in bound.cuts], *bound.made]
        given = [[column[k] for column in columns] for k in range(count)]
        own = [[column[k] for column in bound.own] for k in range(count)]
        keeps = bool(work.pieces or work.stored)
        handles = self.engine.pieces(job, bound.values, own, given, keeps)
        for node in work.pieces:
            self.handles[node] = handles, kernel.exports.index(node)
        for text, leaves in work.stored:
            self.packed[leaves[0]] = text, handles, kernel.exports.index(leaves[0])
        self.combine(work, handles)

    def combine(self, work: Work, handles: list[Any]) -> None:
        """What is found by all pieces together."""
        keeps = bool(work.pieces or work.stored)
        wanted = []
        if work.tree is not None:
            positions = self.positions(work.kernel, work.trees)
            parts = self.engine.pick(handles, positions) if keeps else handles
            job, values = self.combiner(work.tree, work.trees)
            wanted.append(self.engine.tree(job, values, () if keeps else positions, parts))
        if work.fold is not None:
            positions = self.positions(work.kernel, work.folds)
            wanted += self.engine.pick(handles, positions) if keeps else handles
        if not (wanted or keeps):
            wanted += handles  # for what they check
        found = self.engine.fetch(wanted)
        if work.tree is not None:
            self.learn(work.trees, found.pop(0))
        if work.fold is not None and work.start is not None:
            if not keeps:
                found = [tasks.pick(part, positions) for part in found]
            start = self.source(work.start).code()([self.value(w) for w in work.start.imports])
            job, values = self.combiner(work.fold, work.folds)
            before = tasks.prefixes(job, values, start, found)
            self.learn(work.folds, before[-1])
            at = 0
            for lift in work.folds:
                for k in range(_count(work.kernel, lift)):
                    self.begins[lift, k] = [leaves[at] for leaves in before[:-1]]
                    at += 1

    def positions(self, kernel: PartKernel, lifts: Sequence[RoundLift]) -> list[int]:
        """Where a kernel gives what lifts ask for."""
        return [
            at for lift in lifts for at, export in enumerate(kernel.exports)
            if isinstance(export, tuple) and export[0] is lift
        ]  # fmt: skip

    def combiner(self, kernel: PartKernel, lifts: Sequence[RoundLift]) -> tuple[Job, list[Any]]:
        """The task of a kernel that combines, and what it is told."""
        places: dict[Hashable, int] = {export: at for at, export in enumerate(kernel.exports)}
        bindings: list[Binding] = []
        values: list[Any] = []
        for wanted in kernel.imports:
            match wanted.kind:
                case "left" | "right":
                    bindings.append((wanted.kind, places[wanted.lift, wanted.index], 0))
                case "dim":
                    bindings.append(("size", wanted.index, places[wanted.lift, 0]))
                case _:
                    bindings.append(("value", len(values), 0))
                    values.append(self.value(wanted))
        return Job(self.source(kernel), tuple(bindings)), values

    def learn(self, lifts: Sequence[RoundLift], leaves: Sequence[LeafValue]) -> None:
        """Note what was combined."""
        at = 0
        for lift in lifts:
            work = next(w for w in self.plan.works[lift.round] if lift in (*w.trees, *w.folds))
            count = _count(work.kernel, lift)
            if lift.what != "carry":
                for k, value in values_of(lift, leaves[at : at + count]):
                    self.known[self.places.graph.part(lift.loop, k)] = value
            at += count

    # Results.

    def results(self, nodes: Sequence[Node]) -> list[LeafValue]:
        wanted: list[Any] = []
        for node in nodes:
            if node in self.packed:
                _, handles, at = self.packed[node]
                wanted += self.engine.pick(handles, [at])
            elif node in self.handles:
                handles, at = self.handles[node]
                wanted += self.engine.pick(handles, [at])
        fetched = iter(self.engine.fetch(wanted))
        found: list[LeafValue] = []
        for node in nodes:
            if node in self.packed:
                text, handles, _ = self.packed[node]
                place = self.places.place(node)
                assert isinstance(place, Pieces)
                lengths = self.lengths(self.places.origin(place.size))
                found.append(_joined(text, lengths, [next(fetched)[0] for _ in handles]))
            elif node in self.handles:
                place = self.places.place(node)
                assert isinstance(place, Pieces)
                count = len(self.handles[node][0])
                found.append(tasks.together([next(fetched)[0] for _ in range(count)], place.axis))
            else:
                found.append(self.result(node))
        return found

    def result(self, node: Node) -> LeafValue:
        """A result that is known; None for the later leaves of what is packed."""
        place = self.places.place(node)
        if isinstance(place, Pieces):
            if node in self.places.sources:
                return self.whole(node)
            return None
        if node in self.known:
            return self.known[node]
        parameters = self.places.entry.parameters
        if node in parameters:
            return self.leaves[parameters.index(node)]
        return self.value(Import("known", node))

    def whole(self, node: Node) -> LeafValue:
        """An argument that is a result."""
        at = next(k for k, p in enumerate(self.places.entry.parameters) if p is node)
        cut = next(cut for cut in self.cuts if cut.leaf <= at < cut.leaf + cut.leaves)
        found = [cut.taker.take(one)[0][at - cut.leaf] for one in self.engine.fetch(cut.pieces)]
        arrays = [leaf.array() if hasattr(leaf, "array") else leaf for leaf in found]
        return tasks.together(arrays, 0)


def _count(kernel: PartKernel, lift: RoundLift) -> int:
    return sum(isinstance(e, tuple) and e[0] is lift for e in kernel.exports)


def _joined(text: str, lengths: Sequence[int], parts: Sequence[PackedValue]) -> PackedValue:
    """Packed memory of that of pieces, each of which but the last ends with a period."""
    step, group = storage_of(text).step, storage_of(text).group
    last = max([k for k, length in enumerate(lengths) if length], default=0)
    found = []
    for part, length in zip(parts[:last], lengths, strict=False):
        content = np.asarray(part.content)
        whole = np.zeros(length // group * step // 8, np.uint8)
        whole[: len(content)] = content
        found.append(whole)
    found.append(np.asarray(parts[last].content))
    return PackedValue((sum(lengths),), np.concatenate(found), text)


class _Bound:
    """Where the values of a kernel's parameters come from."""

    def __init__(self, run: RoundsRun, work: Work) -> None:
        self.run = run
        self.work = work
        self.imports = work.kernel.imports
        self.values: list[Any] = []
        self.own: list[list[Any]] = []
        self.made: list[list[Any]] = []
        sources = run.places.sources
        leaves = run.places.entry.parameters
        needed = {
            w.index for w in self.imports if w.kind == "source" and leaves[w.index] in sources
        }
        self.cuts = [
            cut for cut in run.cuts if any(cut.leaf <= k < cut.leaf + cut.leaves for k in needed)
        ]

    def binding(self, k: int) -> Binding:
        wanted = self.imports[k]
        match wanted.kind:
            case "source":
                return self.source(wanted)
            case "pieces":
                assert wanted.node is not None
                handles, at = self.run.handles[wanted.node]
                self.made.append(handles)
                return "made", len(self.made) - 1, at
            case "length":
                return self.length(wanted)
            case "offset":
                return self.mine(self.offsets(wanted))
            case "carry":
                assert wanted.lift is not None
                return self.mine(self.run.begins[wanted.lift, wanted.index])
        return self.value(self.run.value(wanted))

    def value(self, value: Any) -> Binding:
        self.values.append(value)
        return "value", len(self.values) - 1, 0

    def mine(self, column: list[Any]) -> Binding:
        self.own.append(column)
        return "own", len(self.own) - 1, 0

    def source(self, wanted: Import) -> Binding:
        for number, cut in enumerate(self.cuts):
            if cut.leaf <= wanted.index < cut.leaf + cut.leaves:
                return "leaf", number, wanted.index - cut.leaf
        return self.value(self.run.leaves[wanted.index])

    def length(self, wanted: Import) -> Binding:
        """How long the piece is: as another parameter says, or as the lengths are known."""
        places, root = self.run.places, wanted.node
        assert root is not None
        found = measured(places, self.work.kernel, root)
        if found is not None:
            return "size", *found
        if root not in places.counted:
            return self.mine(list(self.run.lengths(root)))
        before = self.run.begins[places.begins(root), 0]
        ends = [*before[1:], self.run.known[root]]
        return self.mine([end - start for start, end in zip(before, ends, strict=True)])

    def offsets(self, wanted: Import) -> list[Any]:
        """How many rows come before each piece."""
        places, root = self.run.places, wanted.node
        assert root is not None
        if root in places.counted:
            return self.run.begins[places.begins(root), 0]
        lengths = self.run.lengths(root)
        return list(accumulate(lengths, initial=0))[: len(lengths)]


__all__ = ["CutArgument", "DistributionEngine", "Here", "RoundsRun"]
