"""functions -> functions: iterations whose condition holds are found first, block by block.

    for i from start to stop                    for each block of the iterations
        x = a[i]                                    for each i: held[kept] = a[i],
        if x < 0.5                                      kept += a[i] < 0.5
            s = s + x                     ->        for each k of those kept: x = held[k]
            y[count] = s                                s = s + x
            count += 1                                  y[count + k] = s
                                                    count += kept

The first inner loop has no jumps, of which a processor would foretell half wrong where half of the
iterations pass. The second does only what is to be done, and scans and stores in it go in vectors
(`cogen.array.loops.block_scans`), as those of an array without the others would.

Which conditions these are, and what is done before and after: `cogen.array.loops.filter_parts`. The
failure that is told is the same.

Where nearly all iterations of a block pass, or hardly any, or they do so in runs, a processor
foretells the jumps right, and holding costs more than they do. So if the second loop is none of
vectors, and the test is cheap, those that pass are counted first among a quarter, in vectors, and
those whose neighbour does not do as they do, and a block is done as costs less:

    for each block of the iterations
        for each i of its first quarter: passing += a[i] < 0.5
                                         turning += (a[i] < 0.5) != (a[i + 1] < 0.5)
        if what is held for these costs less than as many jumps that are foretold wrong: as above
        else: for each i: as before

A jump is foretold wrong no more often than iterations pass, or do not, or turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied, copied_with
from cogen.array.loops.dividing import is_total
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    choose,
    convert,
    less,
    load,
    minus,
    natural,
    over,
    plus,
    times,
)
from cogen.array.loops.filter_parts import ADD, FilterParts, divide, one_more
from cogen.array.loops.look_ahead import LOOKUPS
from cogen.array.loops.rewriting import expression, rewritten, standing_for
from cogen.array.loops.stream import work
from cogen.array.loops.tree import (
    BOOL,
    I64,
    Binary,
    Block,
    Combination,
    Expr,
    Operate,
    Pointer,
    Statement,
    Var,
)

BLOCK: Final = natural(1024)
"""Iterations of a block: what is held of them stays in the first cache."""

JUMP: Final = 140
"""What a jump that is foretold wrong costs. Measured, as what follows, in loops that add up by few
keys what passes: 7 ns where an addition takes a quarter; a fifth of an addition is 1."""

HOLDING: Final = 2
"""What it costs to hold a value of an iteration that may not pass."""

USING: Final = 11
"""What it costs to go on with a value that is held."""

GATHERING: Final = 13
"""What it costs to read an element at an index that is held."""

MOST_COUNTED: Final = 12
"""A test that costs more, in additions, is not computed for counting alone."""

COUNTED: Final = 4
"""One in so many iterations of a block is looked at for that."""

COUNTING: Final = Combination("+", 0, ADD)
"""How many iterations pass."""


def block_filters(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with their conditional iterations in blocks."""
    names = UntakenNames(functions)
    return tuple([replace(f, body=_block(f.body, names)) for f in functions])


def _block(block: Block, names: UntakenNames) -> Block:
    found: list[Statement] = []
    for statement in block:
        inner = [_block(own, names) for own in treewalk.blocks(statement)]
        made = treewalk.with_blocks(statement, inner)
        parts = divide(made) if isinstance(made, tree.For) else None
        if parts is None:
            found.append(made)
        else:
            assert isinstance(made, tree.For)
            found += _FilterBlocks(made, parts, names).statements()
    return tuple(found)


@dataclass(slots=True)
class _FilterBlocks:
    """A loop in blocks."""

    loop: tree.For
    parts: FilterParts
    names: UntakenNames

    def statements(self) -> list[Statement]:
        loop, fresh = self.loop, self.names.fresh
        begin, size, kept = fresh("begin", I64), fresh("size", I64), fresh("kept", I64)
        held = {v: fresh("held", Pointer(v.type)) for v in self.parts.crossing}
        left = minus(loop.stop, begin)
        apart: Block = (
            *[tree.Room(room, BLOCK) for room in held.values()],
            tree.Variable(kept, ZERO),
            self.keeping(begin, size, kept, held),
            self.doing(kept, held),
            *[self.grown(v, kept) for v in self.parts.counters],
        )
        if self.is_counted():
            apart = self.chosen(begin, size, apart)
        body = (tree.Let(size, choose(less(left, BLOCK), left, BLOCK)), *apart)
        return [tree.For(begin, loop.start, loop.stop, BLOCK, body)]

    def is_counted(self) -> bool:
        """Whether how many iterations pass is worth while to know before."""
        early, index = self.parts.early, self.loop.index
        return (
            isinstance(self.loop.mark, tree.Tables | None)
            and not self.parts.counters
            and work(early) <= MOST_COUNTED
            and all(is_total(e, index) for s in early for e in treewalk.expressions(s))
        )

    def chosen(self, begin: Var, size: Var, apart: Block) -> Block:
        """A block of iterations as it was, or apart if that costs less."""
        passing, turning = (self.names.fresh(name, I64) for name in ("passing", "turning"))
        looked_at = self.names.fresh("looked_at", I64)
        apart_is_better, missed = self.compared(passing, turning, looked_at)
        for table in self.looked_up():
            large = tree.Invoke("numbers_large", (table,), BOOL)
            apart_is_better = Binary("||", apart_is_better, large)
        own = self.names.fresh(self.loop.index.name, I64)
        as_it_was = copied(self.loop.body, {self.loop.index: own}, self.names)
        whole = tree.For(own, begin, plus(begin, size), ONE, as_it_was, self.loop.mark)
        return (
            tree.Variable(passing, ZERO),
            tree.Variable(turning, ZERO),
            tree.Let(looked_at, over(size, natural(COUNTED))),
            self.counting(begin, looked_at, passing, turning),
            *missed,
            tree.IfStatement(apart_is_better, apart, (whole,)),
        )

    def counting(self, begin: Var, looked_at: Var, passing: Var, turning: Var) -> Statement:
        """The loop that counts the iterations that pass, and those whose next one does not do as
        they do."""
        index = self.names.fresh(self.loop.index.name, I64)
        test, made = self.tested(index)
        after, made_after = self.tested(plus(index, ONE))
        differ = Binary("!=", convert(I64, test), convert(I64, after))
        body = (
            *made,
            *made_after,
            tree.Assign(passing, Operate(ADD, (passing, convert(I64, test)), I64)),
            tree.Assign(turning, Operate(ADD, (turning, convert(I64, differ)), I64)),
        )
        how = tree.Lanes(((COUNTING, passing), (COUNTING, turning)), few=True)
        return tree.For(index, begin, plus(begin, looked_at), ONE, body, how)

    def compared(self, passing: Var, turning: Var, looked_at: Var) -> tuple[Expr, Block]:
        """Whether to hold what passes costs less than jumps that are foretold wrong."""
        held = len(self.parts.crossing)
        elsewhere = self.elements_elsewhere()
        costs = plus(
            times(looked_at, natural(HOLDING * held)),
            times(passing, natural(USING * held + GATHERING * elsewhere)),
        )
        failing, fewer, missed = (self.names.fresh(n, I64) for n in ("failing", "fewer", "missed"))
        made: Block = (
            tree.Let(failing, minus(looked_at, passing)),
            tree.Let(fewer, choose(less(passing, failing), passing, failing)),
            tree.Let(missed, choose(less(turning, fewer), turning, fewer)),
        )
        return less(costs, times(missed, natural(JUMP))), made

    def elements_elsewhere(self) -> int:
        """How many elements an iteration that passes reads at its index, which is held."""
        return len({
            e
            for s in treewalk.all_statements(self.parts.late)
            for whole in treewalk.expressions(s)
            for e in treewalk.within(whole)
            if isinstance(e, tree.Load | tree.Get) and e.index == self.loop.index
        })  # fmt: skip

    def looked_up(self) -> tuple[Var, ...]:
        """The tables of outside in which iterations that pass look keys up: large ones are asked
        for them before, where nothing else but those is done (`cogen.array.loops.look_ahead`)."""
        found = [
            s.value.arguments[0]
            for s in self.parts.late
            if isinstance(s, tree.Let)
            and isinstance(s.value, tree.Invoke)
            and s.value.function in LOOKUPS
        ]
        return tuple(dict.fromkeys([table for table in found if isinstance(table, Var)]))

    def tested(self, index: Expr) -> tuple[Expr, Block]:
        """The test of the iteration with an index, and what it is made of."""
        early, values = copied_with(self.needed(), {self.loop.index: index}, self.names)
        return expression(self.parts.test, standing_for(values)), early

    def needed(self) -> Block:
        """Of what is computed of all iterations, what the test is made of."""
        wanted = treewalk.names(self.parts.test)
        found: list[Statement] = []
        for s in reversed(self.parts.early):
            if any(v.name in wanted for v in treewalk.declared(s)):
                found.insert(0, s)
                wanted |= treewalk.mentioned((s,))
        return tuple(found)

    def keeping(self, begin: Var, size: Var, kept: Var, held: Mapping[Var, Var]) -> Statement:
        """The loop that holds what iterations that pass go on with."""
        index = self.names.fresh(self.loop.index.name, I64)
        early, values = copied_with(self.parts.early, {self.loop.index: index}, self.names)
        test = expression(self.parts.test, standing_for(values))
        stores = [tree.Store(room, kept, values[v]) for v, room in held.items()]
        body = (*early, *stores, tree.Assign(kept, convert(I64, test), "+"))
        return tree.For(index, begin, plus(begin, size), ONE, body)

    def doing(self, kept: Var, held: Mapping[Var, Var]) -> Statement:
        """The loop over the iterations that pass."""
        number = self.names.fresh("k", I64)
        loads: list[Statement] = []
        values: dict[Var, Expr] = {}
        for variable, room in held.items():
            own = self.names.fresh(variable.name, variable.type)
            loads.append(tree.Let(own, load(room, number)))
            values[variable] = own
        late, _ = copied_with(self.counted(number), values, self.names)
        return tree.For(number, ZERO, kept, ONE, (*loads, *late), self.mark())

    def counted(self, number: Var) -> Block:
        """What is done where the test holds, with the number of the iteration in the place of
        variables that it would count."""
        counters = self.parts.counters
        found: list[Statement] = []
        for at, statement in enumerate(self.parts.late):
            if at in counters.values():
                continue
            now: dict[Var, Expr] = {}
            for variable, place in counters.items():
                much = number if at < place else plus(number, ONE)
                now[variable] = self.more(variable, much)
            found += rewritten((statement,), standing_for(now))
        return tuple(found)

    def more(self, variable: Var, much: Expr) -> Expr:
        """What a counter is after it has grown by so much."""
        place = self.parts.late[self.parts.counters[variable]]
        assert isinstance(place, tree.Assign)
        return plus(variable, much) if place.sign else one_more(variable, much)

    def grown(self, variable: Var, kept: Var) -> Statement:
        return tree.Assign(variable, self.more(variable, kept))

    def mark(self) -> tree.Mark | None:
        """What the iterations that pass need of one another."""
        mark, counters = self.loop.mark, self.parts.counters
        if not isinstance(mark, tree.Running):
            return mark
        if any(variable not in counters for variable in mark.counts):
            return None
        scans = tuple([own for own in mark.scans if own[1] not in counters])
        rest = tuple([own for own in mark.accumulators if own[1] not in counters])
        return tree.Running(scans, rest) if scans else tree.Apart(rest)
