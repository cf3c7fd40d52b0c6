"""Loops through streams: what generators take, element by element, as `streamplans` says."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from cogen.array.codegen import representations
from cogen.array.codegen.controlloops import Emit
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import MemoryFrame
from cogen.array.codegen.growing import GrowingArrays
from cogen.array.codegen.representations import Rep, ScalarRep
from cogen.array.codegen.streamplans import StreamLeaf, StreamPlan, in_order
from cogen.array.ir.generators import grows
from cogen.array.ir.graphtypes import element
from cogen.array.ir.node import (
    If,
    Literal,
    Multiloop,
    Node,
    Part,
)
from cogen.array.loops.expressions import ZERO, natural
from cogen.array.loops.tree import Expr
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.array.schedule.usage import key

Taker = Callable[[Sequence[Rep]], None]
"""What takes a key, if there is one, and values; a `Growing` wants to know how many come."""

Target = tuple[Sequence[Node], Taker]
"""What is taken, and who takes it."""

Through = Callable[[Emitter, Statement, Emit, Sequence[Target]], None]
"""What goes through the iterations of a loop within an iteration."""


class Streams:
    """The streams that the generators of one loop go through where they are made."""

    def __init__(self, emit: Emit, through: Through) -> None:
        self._emit = emit
        self._through = through
        self._plans: list[StreamPlan] = []
        self._at: dict[Node, tuple[list[StreamLeaf], Sequence[Taker]]] = {}
        self._statements: dict[Node, Statement] = {}
        self._silent: set[Node] = set()
        self._taken: set[Node] = set()

    def add(self, plan: StreamPlan, silent: frozenset[Node], targets: Sequence[Target]) -> None:
        """Go through a stream; what is `silent` is not there."""
        self._silent |= silent
        self._taken.update([array for taken, _ in targets for array in taken])
        self._enter(plan, [taker for _, taker in targets])

    def _enter(self, plan: StreamPlan, takers: Sequence[Taker]) -> None:
        self._plans.append(plan)
        self._silent |= plan.spared
        waiting: list[StreamLeaf] = []
        last: list[StreamLeaf] = []
        for number, leaf in enumerate(plan.leaves, 1):
            waiting.append(leaf)
            later = [other.maker for other in plan.leaves[number:]]
            if leaf.maker is not None and leaf.maker not in later:
                last = waiting
                self._at[leaf.maker] = last, takers
                waiting = []
        last += waiting
        for leaf in plan.leaves:
            for branch in leaf.branches:
                self._enter(branch, takers)

    def takes(self, array: Node) -> bool:
        """Whether an array is gone through where it is made."""
        return array in self._taken

    def ordered(self, statements: Sequence[Statement]) -> Sequence[Statement]:
        """The statements of a block in the order in which they are done."""
        self._statements.update({statement.node: statement for statement in statements})
        return in_order(statements, self._plans)

    def emit(self, e: Emitter, statement: Statement) -> None:
        """The code of a statement."""
        found = self._at.get(statement.node)
        if found is not None:
            leaves, takers = found
            for leaf in leaves:
                self._go(e, leaf, takers)
        elif statement.node not in self._silent:
            self._emit(e, statement)

    def _go(self, e: Emitter, leaf: StreamLeaf, takers: Sequence[Taker]) -> None:
        """Go through a part of a stream."""
        if self._collect(e, leaf, takers):
            return
        if leaf.maker is None:
            by_index(e, [(own, takers[number]) for number, own in leaf.arrays])
        elif isinstance(leaf.maker, Literal):
            begin([takers[number] for number, _ in leaf.arrays], natural(len(leaf.maker.operands)))
            for place in range(len(leaf.maker.operands)):
                for number, own in leaf.arrays:
                    takers[number]([e.rep(array.operands[place]) for array in own])
        elif isinstance(leaf.maker, If):
            branches = []
            blocks = self._statements[leaf.maker].blocks
            results = {
                place: e.variable(e.variable_type(element(leaf.maker.results[place])), "r")
                for place in leaf.scalars
                if e.frames[-1].uses((leaf.maker, place))
            }
            for plan, block in zip(leaf.branches, blocks, strict=True):
                with e.gathered() as made:
                    self._branch(e, plan, takers, block, results)
                branches.append(made)
            e.when(e.scalar_of(leaf.maker.condition), *branches)
            for place, found in results.items():
                e.bind_key((leaf.maker, place), ScalarRep(found))
        else:
            targets = [(own, takers[number]) for number, own in leaf.rows]
            self._through(e, self._statements[leaf.maker], self.emit, targets)

    def _collect(self, e: Emitter, leaf: StreamLeaf, takers: Sequence[Taker]) -> bool:
        """Make a part of a stream that is collected where it is put, if that can be."""
        maker = leaf.maker
        if len(leaf.arrays) != 1:
            return False
        ((number, own),) = leaf.arrays
        taker = takers[number]
        if not isinstance(taker, GrowingArrays) or not taker.directly:
            return False
        if maker is None:
            taker.copy([e.array(array) for array in own])
            return True
        if not isinstance(maker, Multiloop) or any(map(grows, maker.yields())):
            return False
        if len(set(own)) < len(own) or not all(isinstance(array, Part) for array in own):
            return False
        size = e.extent(maker.size)
        taker.reserve(size)
        e.destinations.update(zip(map(key, own), taker.ends(size), strict=True))
        self._emit(e, self._statements[maker])
        taker.added(e.array(own[0]).shape[0])
        return True

    def _branch(
        self,
        e: Emitter,
        plan: StreamPlan,
        takers: Sequence[Taker],
        block: Scheduled,
        results: Mapping[int, Expr],
    ) -> None:
        """A branch, which also gives some results."""
        statements = self.ordered(block.statements)
        e.frames.append(MemoryFrame(statements, block.block.results))
        e.statements(statements, self.emit)
        if not plan.makers:
            for leaf in plan.leaves:
                self._go(e, leaf, takers)
        for place, variable in results.items():
            node = block.block.results[place]
            e.assign(variable, e.narrowed(e.scalar_of(node), element(node.type)))
        e.close()


def begin(takers: Iterable[Taker], size: Expr) -> None:
    """At most so many elements are taken next."""
    for taker in takers:
        if isinstance(taker, GrowingArrays):
            taker.begin(size)


def by_index(e: Emitter, targets: Sequence[Target]) -> None:
    """Let the elements of arrays be taken one after the other."""
    index = e.index("j")
    begin([taker for _, taker in targets], e.array(targets[0][0][0]).shape[0])
    with e.gathered() as made:
        for nodes, taker in targets:
            arrays = [e.array(node) for node in nodes]
            found = [representations.element(array, [index]) for array in arrays]
            pairs = zip(found, arrays, strict=True)
            taker([e.scalar(value, array.element, "x") for value, array in pairs])
    e.count(index, ZERO, e.array(targets[0][0][0]).shape[0], made)
