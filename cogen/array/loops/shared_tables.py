"""Tables of accumulators by keys: each thread has its own, which are merged in order.

A table holds the accumulators of a key side by side (`cogen.array.loops.slots`). Where the
operators are known, which means that they commute, and there are few keys, a thread has `COPIES`
tables, which iterations use in turn: else additions to one key, one after the other, would wait for
each other's store. Tables of known operators start with identities, since what the result had
before the loop is there already; others start with that, which is neutral.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.expressions import (
    NULL,
    ONE,
    ZERO,
    at_most,
    both,
    choose,
    is_null,
    is_number,
    load,
    minus,
    more,
    natural,
    over,
    plus,
    times,
    value_of,
)
from cogen.array.loops.joining import at, combined, seen, stored
from cogen.array.loops.rewriting import Change
from cogen.array.loops.slots import SLOT, row_stride, slot_in, slots_for
from cogen.array.loops.take_turns import COPIES
from cogen.array.loops.team import Team, TeamPart, Workers, declare_rooms
from cogen.array.loops.tree import (
    BLOCK,
    F32,
    F64,
    I32,
    I64,
    Binary,
    Block,
    Data,
    Expr,
    Number,
    Pointer,
    Statement,
    Table,
    Var,
)

MOST_BYTES: Final = 1 << 17
"""The most bytes that the tables of a thread have if there are several."""

ALWAYS_SEVERAL: Final = 64
"""If no more keys than this are known to be there, there are several tables for any iterations."""

MOST_SHARED: Final = 4
"""Threads share the work if there are so many times more iterations than keys."""

LONG: Final = 64
"""A loop of so many iterations, within those that are shared out, is worth several tables."""

PARALLEL_MERGE: Final = 1 << 16
"""So many keys are worth while to be merged by all threads."""


def few_keys(team: Workers, size: Expr) -> Expr:
    """Whether joining what threads have for keys takes less time than what is shared."""
    return at_most(size, over(team.size, natural(MOST_SHARED)))


class KeyedPart(TeamPart[Team]):
    """The tables that take the same keys."""

    def __init__(self, team: Team, join: tree.Keyed) -> None:
        super().__init__(team)
        self.size = join.size
        self.tables = join.tables
        self.count = self.names.fresh("keys", I64)
        self.blocks = team.room(BLOCK, "tables")
        self.bases = [base for table in join.tables for base in table.bases]
        self.own = {base: self.names.fresh("own", base.type) for base in self.bases}
        self.known = all(table.operator.all_known for table in join.tables)
        self.turns = self.known and self._may_take_turns()
        self.copies = self._copies()
        self.direct = len(self.bases) == 1 and tree.target(self.bases[0]) in (I64, F64, I32, F32)
        """Whether the result may be the first thread's table: it looks the same."""
        self.apart: list[Var] = []

    def _may_take_turns(self) -> bool:
        """Whether iterations, or those of loops in them, may use several tables in turn."""
        body, bases = self.team.loop.body, frozenset([base.name for base in self.bases])
        return is_cheap(body) or any(
            isinstance(s, tree.For) and takes_turns(s, bases) for s in treewalk.all_statements(body)
        )

    def _copies(self) -> Expr:
        """How many tables a thread has: known where there are so few keys that more tables cost
        nothing, so that they are a known distance apart."""
        if not self.turns:
            return ONE
        if is_number(self.size) and value_of(self.size) <= ALWAYS_SEVERAL:
            return natural(COPIES)
        return self.names.fresh("copies", I64)

    def few(self) -> Expr:
        return few_keys(self.team, self.size)

    def rooms(self) -> list[Statement]:
        found: list[Statement] = [tree.Let(self.count, self.size)]
        if isinstance(self.copies, Var):
            most = natural(MOST_BYTES // (COPIES * slots_for(len(self.bases)) * SLOT))
            enough = at_most(self.count, over(self.team.size, natural(8)))
            test = both(at_most(self.count, most), enough)
            found.append(tree.Let(self.copies, choose(test, natural(COPIES), ONE)))
        return [*found, *declare_rooms(self.blocks)]

    # In a thread.

    def begin(self) -> list[Statement]:
        place = load(self.blocks, self.team.thread)
        fresh, made = self._fresh_table()
        made.append(tree.Store(self.blocks, self.team.thread, fresh))
        if self.direct:
            alone = tree.Store(self.blocks, self.team.thread, NULL)
            several = Binary("||", self.team.is_other, more(self.copies, ONE))
            made = [alone, tree.IfStatement(several, tuple(made))]
        for slot, base in enumerate(self.bases):
            data = self._slot(base, place, slot)
            if self.direct:
                data = choose(is_null(place), base, data)
            made.append(tree.Let(self.own[base], data))
        if self.turns:
            made += self._distances()
        return made

    def _fresh_table(self) -> tuple[Var, list[Statement]]:
        """A region with tables in which nothing is yet."""
        size = times(self.copies, self.count)
        slots = natural(slots_for(len(self.bases)))
        block, allocated = self.team.allocate("table", I64, times(size, slots))
        index = self.names.fresh("k", I64)
        made: list[Statement] = [allocated]
        filling: list[Statement] = []
        values = [value for table in self.tables for value in self._initial(table)]
        for slot, (base, value) in enumerate(zip(self.bases, values, strict=True)):
            data = self.names.fresh("fresh", base.type)
            made.append(tree.Let(data, self._slot(base, block, slot)))
            filling.append(tree.Store(data, times(index, self._stride(base)), value))
        return block, [*made, tree.For(index, ZERO, size, ONE, tuple(filling))]

    def _initial(self, table: Table) -> list[Expr]:
        """What the accumulators of a fresh table start with."""
        return [
            how.start(value) if self.known and how is not None else value
            for how, value in zip(table.operator.known, table.neutral, strict=True)
        ]

    def _distances(self) -> list[Statement]:
        """How far the tables of a thread are apart."""
        self.apart = [self.names.fresh("apart", I64) for _ in self.bases]
        found: list[Statement] = []
        for apart, base in zip(self.apart, self.bases, strict=True):
            distance = times(self.count, self._stride(base))
            if isinstance(self.copies, Var):
                distance = choose(more(self.copies, ONE), distance, ZERO)
            found.append(tree.Let(apart, distance))
        return found

    def _slot(self, base: Var, block: Expr, slot: int) -> Expr:
        """The address of the first accumulator of a kind in a region with tables."""
        return slot_in(Data(block, Pointer(I64)), number_at(base), slot)

    def _stride(self, base: Var) -> Expr:
        """How far the accumulators of one kind are apart."""
        return row_stride(number_at(base), len(self.bases))

    def change(self) -> Change:
        def own(e: Expr) -> Expr | None:
            match e:
                case tree.Load(Var() as base, index) if base in self.own:
                    return load(self.own[base], times(index, self._stride(base)))
            return None

        return own

    def marked(self, loop: tree.For) -> tree.For:
        if not self.turns:
            return loop
        if not is_cheap(loop.body):
            return replace(loop, body=self._within(loop.body))
        pairs = tuple(zip(self.own.values(), self.apart, strict=True))
        if isinstance(loop.mark, tree.Tables):
            pairs = (*loop.mark.tables, *pairs)
        return replace(loop, mark=tree.Tables(pairs))

    def _within(self, block: Block) -> Block:
        """Statements, with what is said of loops in them whose iterations use tables in turn."""
        bases = frozenset([own.name for own in self.own.values()])
        found: list[Statement] = []
        for statement in block:
            if isinstance(statement, tree.For) and takes_turns(statement, bases):
                found.append(self.marked(statement))
                continue
            inner = [self._within(own) for own in treewalk.blocks(statement)]
            found.append(treewalk.with_blocks(statement, inner))
        return tuple(found)

    # After the threads.

    def join(self) -> list[Statement]:
        """The results are what all tables have, combined in order."""
        key, thread, copy = (self.names.fresh(name, I64) for name in ("k", "t", "copy"))
        body: list[Statement] = []
        inner: list[Statement] = []
        end: list[Statement] = []
        for table in self.tables:
            totals = [self.names.fresh("total", v.type) for v in table.operator.left]
            start = at(table.bases, key, table.operator)
            if not (self.known or self.direct):
                start = self._entries(table, ZERO, key)
            body += [tree.Variable(v, e) for v, e in zip(totals, start, strict=True)]
            inner += self._taken(table, totals, thread, plus(times(copy, self.count), key))
            end += stored(table.bases, key, totals)
        first: Expr = ZERO if self.known else ONE
        if self.known and self.direct:
            first = choose(is_null(load(self.blocks, ZERO)), ONE, ZERO)
        each: Statement = tree.For(copy, ZERO, self.copies, ONE, tuple(inner))
        body.append(tree.For(thread, first, self.team.got, ONE, (each,)))
        merged = tree.For(key, ZERO, self.count, ONE, (*body, *end), self._merging())
        return [merged, self.team.drop_others(self.blocks, ZERO)]

    def _merging(self) -> tree.Mark | None:
        """Whether keys are shared out again; operators that are not known may need memory."""
        if not self.known:
            return None
        many = Binary(">=", self.count, natural(PARALLEL_MERGE))
        return tree.Shared(self.team.got, both(many, more(self.team.got, ONE)))

    def _taken(self, table: Table, totals: list[Var], thread: Expr, place: Expr) -> Block:
        """The totals combined with what a thread's table has."""
        own = [self.names.fresh("x", total.type) for total in totals]
        entries = self._entries(table, thread, place)
        lets = [tree.Let(v, e) for v, e in zip(own, entries, strict=True)]
        return (*lets, *combined(table.operator, totals, own, self.names))

    def _entries(self, table: Table, thread: Expr, place: Expr) -> list[Expr]:
        """What a thread's table has at a place."""
        return [
            seen(
                self._slot(base, load(self.blocks, thread), self.bases.index(base)),
                times(place, self._stride(base)),
                v.type,
            )
            for base, v in zip(table.bases, table.operator.left, strict=True)
        ]


def number_at(base: Var) -> Number:
    """What is at an address."""
    found = tree.target(base)
    assert isinstance(found, Number)
    return found


def takes_turns(loop: tree.For, bases: frozenset[str]) -> bool:
    """Whether a loop within iterations, as tiles have it, is a long one of cheap iterations that
    combine accumulators of tables."""
    size = minus(loop.stop, loop.start)
    if not isinstance(loop.mark, tree.Tables | None) or loop.step != ONE or not is_cheap(loop.body):
        return False
    stores = [s for s in treewalk.all_statements(loop.body) if isinstance(s, tree.Store)]
    is_long = is_number(size) and value_of(size) >= LONG
    return is_long and any(treewalk.names(s.base) & bases for s in stores)


def is_cheap(body: Block) -> bool:
    """Whether an iteration is done so fast that it may wait for the one before."""
    slow = (tree.For, tree.While, tree.CallStatement)
    return not any(isinstance(statement, slow) for statement in treewalk.all_statements(body))
