"""How streams are gone through: which arrays of an iteration need not be made.

    loop { i => k, v <- loop { j => collect key(i, j), collect value(i, j) } ... } bucket by k of v

The inner loop's arrays are there for a generator only, which takes their elements one after the
other. So they are taken where they are made, and not stored:

    Multiloop   in its iterations
    If          in the branch that runs
    Concat      those of one side, then those of the other
    Literal     in order; nothing is done for an empty one

All other arrays are gone through by index.
"""

from __future__ import annotations

from collections.abc import Container, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.codegen.survey import all_statements
from cogen.array.ir.generators import grows
from cogen.array.ir.graphtypes import rank
from cogen.array.ir.graphwalk import dependents, used_by
from cogen.array.ir.memoryroots import generator_of
from cogen.array.ir.node import (
    Block,
    Concat,
    If,
    Index,
    Iota,
    Literal,
    Multiloop,
    Node,
    Parameter,
    Part,
    Replicate,
    shape,
)
from cogen.array.schedule.schedule import Scheduled, Statement
from cogen.lang.eachonce import each_once
from cogen.lang.errors import InternalError

Taken = tuple[tuple[int, tuple[Node, ...]], ...]
"""The arrays, or in an iteration their elements, that generators take, which have numbers."""

COSTLY: Final = 4
"""What costs so much is not computed once for each side of a concat."""

"""What may come before what goes through a stream, though it stood after it."""


@dataclass(frozen=True, slots=True)
class StreamLeaf:
    """A part of a stream that is gone through at one statement, that of `maker`; by index if there
    is none."""

    arrays: Taken
    maker: Node | None = None
    branches: tuple[StreamPlan, ...] = ()
    """Of an If, how the stream of each branch is gone through."""

    @property
    def rows(self) -> Taken:
        """What each generator takes in an iteration of the loop that makes the arrays."""
        assert isinstance(self.maker, Multiloop)
        maker = self.maker
        return tuple([(k, tuple([_row(maker, n) for n in own])) for k, own in self.arrays])

    @property
    def scalars(self) -> list[int]:
        """The results of a conditional that are no arrays."""
        assert isinstance(self.maker, If)
        return [place for place, t in enumerate(self.maker.results) if not rank(t)]


@dataclass(frozen=True, slots=True)
class StreamPlan:
    """How a stream is gone through: its parts in order, and the arrays that are not made."""

    leaves: tuple[StreamLeaf, ...]
    spared: frozenset[Node] = frozenset()

    @property
    def makers(self) -> list[Node]:
        """The nodes whose statements go through parts, each once, in the order of their last."""
        found = [leaf.maker for leaf in self.leaves if leaf.maker is not None]
        return list(dict.fromkeys(reversed(found)))[::-1]

    def within(self) -> Iterator[StreamPlan]:
        """The plan, and those of branches."""
        yield self
        for leaf in self.leaves:
            for branch in leaf.branches:
                yield from branch.within()


def root_of(taken: Sequence[Node]) -> Hashable:
    """What makes the first of some arrays that one thing makes."""
    for array in taken:
        if isinstance(array, Part):
            return array.node
        if isinstance(array, Concat):
            return root_of([array.left]), root_of([array.right])
        if isinstance(array, Literal):
            return len(array.operands)
    return None


def planned(
    loop: Multiloop, body: Scheduled, arrays: Taken
) -> tuple[StreamPlan, frozenset[Node]] | None:
    """How generators of a loop go through what they take, and which nodes of the body need not be
    there then; None if the arrays are needed otherwise, or nothing is gained."""
    if any(y.generator.gives_each and not y.before for y in loop.yields()):
        return None  # an iteration may be computed again
    statements = body.statements
    plan = _plan(arrays, _by_node(statements))
    if not plan.makers:
        return None
    needed = _needed(loop, arrays, plan)
    gone = {node for own in plan.within() for node in (*own.makers, *own.spared)}
    if gone.isdisjoint(needed) and _may_move(plan, statements, needed):
        return plan, frozenset(_standing(plan, statements) - needed - gone)
    return None


def _plan(arrays: Taken, statements: Mapping[Node, Statement]) -> StreamPlan:
    """How arrays can be gone through, of which some are made by the statements of a block."""
    groups: dict[Hashable, list[tuple[int, tuple[Node, ...]]]] = {}
    for number, own in arrays:
        groups.setdefault(root_of(own), []).append((number, own))
    plans = [_alike(tuple(group), statements) for group in groups.values()]
    makers = [maker for plan in plans for maker in plan.makers]
    if len(set(makers)) < len(makers):
        return _by_index(arrays)
    leaves = tuple([leaf for plan in plans for leaf in plan.leaves])
    return StreamPlan(leaves, frozenset().union(*[plan.spared for plan in plans]))


def _by_index(arrays: Taken) -> StreamPlan:
    return StreamPlan(tuple([StreamLeaf((own,)) for own in arrays]))


def _alike(arrays: Taken, statements: Mapping[Node, Statement]) -> StreamPlan:
    """How arrays are gone through that one thing makes."""
    found = list(dict.fromkeys([array for _, own in arrays for array in own]))
    if all(isinstance(array, Literal) and not array.operands for array in found):
        return StreamPlan(())  # empty
    made = [array for array in found if array in statements]
    concats = [array for array in made if isinstance(array, Concat)]
    if len(concats) == len(found):
        return _one_after_the_other(arrays, concats, statements)
    literals = [array for array in made if isinstance(array, Literal)]
    if len(literals) == len(found) and len({len(array.operands) for array in literals}) == 1:
        return StreamPlan((StreamLeaf(arrays, literals[0]),), frozenset(literals[1:]))
    makers = {n.node for n in found if isinstance(n, Part) and n.node in statements}
    if len(makers) != 1:
        return _by_index(arrays)
    (maker,) = makers
    others = [n for n in found if n.maker is not maker]
    if isinstance(maker, If) and not others:
        return StreamPlan((StreamLeaf(arrays, maker, _branches(arrays, statements[maker])),))
    spared = frozenset([n for n in others if n in made and _is_known(maker, n)])
    if isinstance(maker, Multiloop) and _has_rows(maker) and len(spared) == len(others):
        return StreamPlan((StreamLeaf(arrays, maker),), spared)
    return _by_index(arrays)


def _one_after_the_other(
    arrays: Taken, concats: Sequence[Concat], statements: Mapping[Node, Statement]
) -> StreamPlan:
    """How the sides of some concats are gone through."""
    if len({shape(concat.left)[0] for concat in concats}) > 1:
        return _by_index(arrays)
    sides = [tuple([(number, tuple([c.operands[k] for c in own])) for number, own in arrays])
             for k in (0, 1)]  # fmt: skip
    left, right = (_plan(side, statements) for side in sides)
    both = set(left.makers).intersection(right.makers)
    if not (left.makers or right.makers) or not all(_may_run_twice(n, sides) for n in both):
        return _by_index(arrays)
    spared = left.spared | right.spared | frozenset(concats)
    return StreamPlan((*left.leaves, *right.leaves), spared)


def _may_run_twice(maker: Node, sides: Sequence[Taken]) -> bool:
    """Whether a loop may be gone through for each side of a concat, for the values of that side:
    what it computes for both is cheap."""
    if not isinstance(maker, Multiloop) or maker.effectful:
        return False
    if any(not isinstance(a, Part) for side in sides for _, own in side for a in own):
        return False
    bound = maker.body.binds
    left, right = (
        set(dependents([_row(maker, a) for _, own in side for a in own], bound)) for side in sides
    )
    shared = [node for node in left & right if not isinstance(node, (Parameter, Index))]
    return all(n.operation and n.cost < COSTLY for n in shared)


def _branches(arrays: Taken, node: Statement) -> tuple[StreamPlan, ...]:
    """How the branches of a conditional go through what they give for its results."""
    found = []
    for block in node.blocks:
        results = block.block.results
        own = tuple([(number, tuple([results[_index(n)] for n in taken]))
                     for number, taken in arrays])  # fmt: skip
        found.append(_plan(own, _by_node(block.statements)))
    return tuple(found)


def _by_node(statements: Sequence[Statement]) -> dict[Node, Statement]:
    return {statement.node: statement for statement in statements}


def _index(part: Node) -> int:
    assert isinstance(part, Part)
    return part.index


def _has_rows(inner: Multiloop) -> bool:
    """Whether a loop collects values, or streams, side by side, and else combines only."""
    collected = [y for y in inner.yields() if y.generator.gives_all]
    for y in inner.yields():
        combines = y.generator.gives_one or (y.running and not y.gives)
        if y not in collected and not (combines and all(not rank(n.type) for n in y.neutral)):
            return False
    if any(grows(y) for y in collected):
        return len(collected) == 1
    return len({y.condition for y in collected}) == 1


def _is_known(maker: Node, array: Node) -> bool:
    """Whether the elements of an array are known without it where a loop goes through others."""
    if isinstance(array, Iota):
        return isinstance(maker, Multiloop) and all(y.one_each for y in maker.yields())
    return isinstance(array, Replicate) and rank(array.type) == 1


def _needed(loop: Multiloop, arrays: Taken, plan: StreamPlan) -> set[Node]:
    """The nodes that the body of a loop needs beside what is not made."""
    found: set[Node] = set()
    taken = {array for _, own in arrays for array in own}
    makers = set(plan.makers)
    alone = [own for own in plan.within() if len(own.leaves) == 1 and not own.spared]
    once = {maker for own in alone for maker in own.makers} if plan in alone else set()
    others: list[Node] = [effect for effect in loop.body.effects if effect not in makers]
    for y in loop.yields():
        others += [] if y.condition is None else [y.condition]
        own = y.taken
        if not (y.spread and taken.issuperset(own)):
            others += own
    others += _of_plan(plan)
    for node in each_once(others, found):
        if _is_scalar_of(once, node):
            continue  # there when the stream has been gone through
        others += used_by(node)
        for block in node.blocks:
            others += _content(block)
    return found


def _is_scalar_of(makers: Container[Node], node: Node) -> bool:
    """Whether a node is what a loop that is gone through has combined or counted, or what a
    conditional of such chooses."""
    if not isinstance(node, Part) or node.node not in makers or rank(node.type):
        return False
    maker = node.node
    return isinstance(maker, If) or not (
        isinstance(maker, Multiloop) and grows(generator_of(maker, node.index))
    )


def _content(block: Block) -> list[Node]:
    return [*block.effects, *block.results, *block.parameters]


def _of_plan(plan: StreamPlan) -> list[Node]:
    """What is needed to go through a stream."""
    found: list[Node] = []
    for node in plan.spared:
        found += [*node.certs, *(node.operands if isinstance(node, (Literal, Replicate)) else ())]
    for leaf in plan.leaves:
        if leaf.maker is None:
            found += [array for _, own in leaf.arrays for array in own]
            continue
        found += [*leaf.maker.operands, *leaf.maker.certs]
        for block in () if leaf.branches else leaf.maker.blocks:
            found += _content(block)
        for branch, block in zip(leaf.branches, leaf.maker.blocks, strict=False):
            makers = branch.makers
            found += [effect for effect in block.effects if effect not in makers]
            found += [block.results[place] for place in leaf.scalars]
            found += _of_plan(branch)
    return found


def _may_move(plan: StreamPlan, statements: Sequence[Statement], needed: set[Node]) -> bool:
    """Whether what goes through a stream may come last in its block, where it has to."""
    for leaf in plan.leaves:
        if leaf.maker is None:
            continue
        (own,) = [s for s in statements if s.node is leaf.maker]
        for branch, block in zip(leaf.branches, own.blocks, strict=False):
            if not _may_move(branch, block.statements, needed):
                return False
    if len(plan.leaves) == 1 and not plan.spared:
        return True
    makers = plan.makers
    places = [at for at, statement in enumerate(statements) if statement.node in makers]
    for statement in statements[places[0] :] if places else ():
        node = statement.node
        if node in makers:
            if any(s.node.may_write for b in statement.blocks
                   for s in all_statements(b)):  # fmt: skip
                return False
        elif node in needed and not node.is_movable:
            return False
    return True


def _standing(plan: StreamPlan, statements: Sequence[Statement]) -> set[Node]:
    """The nodes of the blocks in which a stream is gone through."""
    found = {statement.node for statement in statements}
    for leaf in plan.leaves:
        for branch, block in zip(leaf.branches, _blocks(leaf, statements), strict=True):
            found |= _standing(branch, block.statements)
    return found


def _blocks(leaf: StreamLeaf, statements: Sequence[Statement]) -> Sequence[Scheduled]:
    if not leaf.branches:
        return ()
    (found,) = [statement for statement in statements if statement.node is leaf.maker]
    return found.blocks


def in_order(statements: Sequence[Statement], plans: Iterable[StreamPlan]) -> Sequence[Statement]:
    """The statements such that what goes through streams of several parts, or with arrays that are
    not made, comes last."""
    moved: list[Node] = []
    for plan in plans:
        if len(plan.leaves) > 1 or plan.spared:
            moved += [*plan.makers, *plan.spared]
    by_node = {statement.node: statement for statement in statements}
    last = [by_node[node] for node in dict.fromkeys(moved) if node in by_node]
    return [*[s for s in statements if s not in last], *last] if last else statements


def _row(inner: Multiloop, array: Node) -> Node:
    """The element of an array in an iteration of the inner loop."""
    found = array.element_at(inner.index)
    if found is not None:
        return found
    assert isinstance(array, Part)
    for y in inner.yields():
        first = y.first + y.leads
        if first <= array.index < first + len(y.values):
            return y.values[array.index - first]
    raise InternalError(f"loop {inner.number} has no array {array.index}")
