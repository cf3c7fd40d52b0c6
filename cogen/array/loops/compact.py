"""functions -> functions: scalars that loops keep are stored always, and counted where they are.

    variable n = 0                          variable n = 0
    for i from 0 to m                       for i from 0 to m
        if c then                     ->        y[n] = x
            y[n] = x                            n += c
            n += 1

So the iteration has no jump. What is stored in vain is written over by the next that is kept, or
stands behind the last. That is right where memory has an element for each iteration, as the loop's
`Kept` says, or as is seen where the memory is allocated and the counter is 0 before the loop. It
comes first, as what loops are to others depends on it; kernels are compacted before they are cut.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from cogen.array.loops import tree, treewalk
from cogen.array.loops.choose import is_cheap
from cogen.array.loops.expressions import ONE, ZERO, convert
from cogen.array.loops.tree import I64, Block, Expr, Statement, Var

Slots = frozenset[tuple[Var, Expr]]
"""Counters, and addresses behind which there is an element for each iteration of a loop."""


def compact(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with loops that store what they keep without a jump."""
    return tuple([replace(f, body=compacted(f.body)) for f in functions])


def compacted(block: Block) -> Block:
    """Statements with loops that store what they keep without a jump."""
    found: list[Statement] = []
    before = _Fresh()
    for statement in block:
        inner = [compacted(own) for own in treewalk.blocks(statement)]
        made = treewalk.with_blocks(statement, inner)
        if isinstance(made, tree.For):
            made = _loop(made, before)
            if made.sharing is not None:
                made = replace(made, sharing=treewalk.with_joined(made.sharing, compacted))
        before.step(made)
        found.append(made)
    return tuple(found)


@dataclass(slots=True)
class _Fresh:
    """What the statements of a block before a loop have made, and not changed since."""

    counters: set[Var] = field(default_factory=set)
    """Those that are 0."""
    sizes: dict[Var, Expr] = field(default_factory=dict)
    """How many elements regions have."""
    addresses: dict[Var, Expr] = field(default_factory=dict)
    """How many elements there are behind addresses."""

    def step(self, statement: Statement) -> None:
        """Go on behind a statement."""
        match statement:
            case tree.Variable(counter, value) if value == ZERO:
                self.counters.add(counter)
            case tree.Allocate(region, _, size):
                self.sizes[region] = size
            case tree.Let(address, tree.Data(Var() as region)) if region in self.sizes:
                self.addresses[address] = self.sizes[region]
            case _:
                self.counters -= _assigned(statement)

    def slots(self, loop: tree.For) -> Slots:
        """What has room for all iterations of a loop that begins at 0."""
        if (loop.start, loop.step) != (ZERO, ONE):
            return frozenset()
        bases = [address for address, size in self.addresses.items() if size == loop.stop]
        return frozenset([(counter, base) for counter in self.counters for base in bases])


def _assigned(statement: Statement) -> set[Var]:
    inner = treewalk.all_statements((statement,))
    return {s.variable for s in inner if isinstance(s, tree.Assign)}


def _loop(loop: tree.For, before: _Fresh) -> tree.For:
    """A loop that stores always what it keeps where one of the conditions of its body holds."""
    slots = before.slots(loop) | _kept(() if loop.sharing is None else loop.sharing.joins)
    counters = {counter for counter, _ in slots}
    if not counters:
        return loop
    body: list[Statement] = []
    for at, statement in enumerate(loop.body):
        rest = loop.body[:at] + loop.body[at + 1 :]
        made = _stored(statement, slots, counters.difference(*map(_assigned, rest)))
        body += [statement] if made is None else made
    return replace(loop, body=tuple(body))


def _kept(joins: Iterable[tree.Join]) -> Slots:
    return frozenset([
        (join.count, base)
        for join in joins
        if isinstance(join, tree.Kept)
        for base, row in join.places
        if row == ONE
    ])  # fmt: skip


def _stored(statement: Statement, slots: Slots, counters: set[Var]) -> list[Statement] | None:
    """What a conditional does that only keeps scalars, without its test; None if it does more."""
    match statement:
        case tree.IfStatement(test, (*stores, tree.Assign(counter, value, "+") as counted), ()):
            if not stores or counter not in counters or value != ONE:
                return None
            if not all(_keeps(store, counter, slots) for store in stores):
                return None
            return [*stores, replace(counted, value=convert(I64, test))]
    return None


def _keeps(statement: Statement, counter: Var, slots: Slots) -> bool:
    match statement:
        case tree.Store(base, index, value, ""):
            return index == counter and (counter, base) in slots and is_cheap(value)
    return False
