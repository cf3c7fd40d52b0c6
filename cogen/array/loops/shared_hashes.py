"""Tables by key, for any keys: each thread has its own, with a region of its own that grows.

They are joined in order: the keys of a thread that the first one does not have get the next
numbers there, so keys are numbered as they first occur, as in one thread; what both have for a key
is combined. Where the numbers of keys were stored, all threads replace theirs by these.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.loops import tree
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    choose,
    convert,
    less,
    load,
    more,
    natural,
    place,
    same,
    times,
)
from cogen.array.loops.joining import applied, looked_up, seen
from cogen.array.loops.rewriting import Change, standing_for
from cogen.array.loops.shared_arrays import LEAST_ROOM
from cogen.array.loops.slots import row_bytes, row_stride, slot_in, slot_type, slots_of
from cogen.array.loops.team import Team, TeamPart, declare_rooms, do


class OwnRows:
    """The accumulators of keys, of which each thread has a region of its own."""

    def __init__(self, team: Team, rows: tree.AccumulatorRows) -> None:
        self.team = team
        self.made = rows
        self.pieces = team.room(tree.BLOCK, "pieces")
        """The regions of all threads."""
        self.region = team.names.fresh("piece", tree.BLOCK)
        self.first = team.names.fresh("own", rows.first.type)

    def begin(self, others: Sequence[tree.Statement]) -> list[tree.Statement]:
        """What a thread does before its iterations; all but the first do more."""
        types = self.made.types
        slots = slots_of(LEAST_ROOM, types)
        fresh, allocated = self.team.allocate("room", slot_type(types), slots)
        others = [*others, allocated, tree.Assign(self.region, fresh)]
        return [
            tree.Variable(self.region, self.made.region),
            tree.IfStatement(self.team.is_other, tuple(others)),
            tree.Variable(self.first, tree.Data(self.region, self.first.type)),
        ]

    def places(self, region: tree.Expr, number: tree.Expr) -> list[tuple[tree.Expr, tree.Expr]]:
        """Where the accumulators of a key with a number are: addresses, and how far behind them."""
        first, count = tree.Data(region, self.first.type), len(self.made.types)
        return [
            (slot_in(first, t, slot), times(number, row_stride(t, count)))
            for slot, t in enumerate(self.made.types)
        ]

    def more(self, count: tree.Expr, neutral: Sequence[tree.Expr]) -> list[tree.Statement]:
        """One more key than so many, with neutral values."""
        region, size = self.made.region, row_bytes(self.made.types)
        room = self.team.fail_unless("room", tree.Address(region), times(count, size), size)
        pairs = zip(self.places(region, count), neutral, strict=True)
        return [room, *[tree.Store(*place, value) for place, value in pairs]]

    def combined(
        self, operator: tree.Operator, thread: tree.Expr, key: tree.Expr, number: tree.Expr
    ) -> list[tree.Statement]:
        """What a thread has for a key is combined with what is there for its number."""
        fresh = self.team.names.fresh
        here = self.places(self.made.region, number)
        there = self.places(load(self.pieces, thread), key)
        left = [fresh("total", v.type) for v in operator.left]
        right = [fresh("x", v.type) for v in operator.right]
        lets: list[tree.Statement] = []
        for names, places in ((left, here), (right, there)):
            for name, (base, index) in zip(names, places, strict=True):
                lets.append(tree.Let(name, seen(base, index, name.type)))
        body, results = applied(operator, left, right, self.team.names)
        pairs = zip(here, results, strict=True)
        return [*lets, *body, *[tree.Store(*place, value) for place, value in pairs]]


class HashedPart(TeamPart[Team]):
    """A table, and what there is for its keys."""

    def __init__(self, team: Team, join: tree.Hashed) -> None:
        super().__init__(team)
        self.made = join
        self.tables = team.room(tree.NUMBERS, "tables")
        self.counts = team.room(tree.I64, "counts")
        self.rows = None if join.rows is None else OwnRows(team, join.rows)
        self.own = self.names.fresh("table", tree.Pointer(tree.NUMBERS))
        self.own_count = self.names.fresh(join.count.name, tree.I64)
        self.joined = [] if join.numbers is None else [team.room(tree.BLOCK, "joined")]
        """What the numbers of each thread's keys became."""
        self.ends = [] if join.stored is None else [team.room(tree.I64, "ends")]
        """Where the numbers of each thread end, if that does not store one in each iteration."""
        grown = isinstance(join.numbers, tree.Data)
        self.bases = [team.room(join.numbers.type, "bases")] if join.numbers and grown else []
        """Where they are, if each thread has a region for them."""

    def rooms(self) -> list[tree.Statement]:
        more = [] if self.rows is None else [self.rows.pieces]
        more += [*self.joined, *self.ends, *self.bases]
        return declare_rooms(self.tables, self.counts, *more)

    def begin(self) -> list[tree.Statement]:
        team = self.team
        table = tree.Address(self.made.table)
        own = choose(team.is_first, table, place(self.tables, team.thread))
        found: list[tree.Statement] = [
            tree.Let(self.own, own), tree.Variable(self.own_count, ZERO),
        ]  # fmt: skip
        others: list[tree.Statement] = [
            team.fail_unless("numbers_begin", self.own, team.size, natural(self.made.width))
        ]
        if self.rows is None:
            return [*found, tree.IfStatement(team.is_other, tuple(others))]
        return [*found, *self.rows.begin(others)]

    def change(self) -> Change:
        instead = {self.made.count: self.own_count}
        if self.rows is not None:
            rows, made = self.rows, self.rows.made
            instead |= {made.region: rows.region, made.first: rows.first}
        named = standing_for(instead)

        def own(e: tree.Expr) -> tree.Expr | None:
            return self.own if e == tree.Address(self.made.table) else named(e)

        return own

    def end(self) -> list[tree.Statement]:
        thread = self.team.thread
        found: list[tree.Statement] = [tree.Store(self.counts, thread, self.own_count)]
        if self.rows is not None:
            found.append(tree.Store(self.rows.pieces, thread, self.rows.region))
        for rooms, own in ((self.ends, self.made.stored), (self.bases, self.made.numbers)):
            found += [tree.Store(room, thread, own) for room in rooms if own is not None]
        return found

    def join(self) -> list[tree.Statement]:
        found: list[tree.Statement] = [tree.Assign(self.made.count, load(self.counts, ZERO))]
        if self.rows is not None:
            found.append(tree.Assign(self.rows.made.region, load(self.rows.pieces, ZERO)))
        return [*found, self.team.for_each(self._joined), *self._renumbered()]

    def _joined(self, thread: tree.Expr) -> list[tree.Statement]:
        """What a thread has for its keys is combined with what is there."""
        rows, own, key = self.rows, place(self.tables, thread), self.names.fresh("k", tree.I64)
        number = self.names.fresh("number", tree.I64)
        allocated: list[tree.Statement] = []
        stored: list[tree.Statement] = []
        for blocks in self.joined:
            block, made = self.team.allocate("numbers", tree.I64, load(self.counts, thread))
            data = self.names.fresh("joined", tree.Pointer(tree.I64))
            taken = tree.Let(data, tree.Data(load(blocks, thread), tree.Pointer(tree.I64)))
            allocated += [made, tree.Store(blocks, thread, block), taken]
            stored.append(tree.Store(data, key, number))
        body: list[tree.Statement] = [
            tree.Let(number, looked_up(self.made.table, own, key, self.made.width)),
            tree.IfStatement(less(number, ZERO), (tree.Fail(self.team.sharing.site, ()),)),
            tree.IfStatement(same(number, self.made.count), tuple(self._more())),
            *([] if rows is None else rows.combined(self.made.operator, thread, key, number)),
            *stored,
        ]
        return [
            *allocated,
            tree.For(key, ZERO, load(self.counts, thread), tree.Const(1, tree.I64), tuple(body)),
            do("numbers_end", own),
            *([] if rows is None else [do("drop", load(rows.pieces, thread))]),
        ]

    def _renumbered(self) -> list[tree.Statement]:
        """The threads' numbers become those that their keys have in the first one's table."""
        team, numbers = self.team, self.made.numbers
        found: list[tree.Statement] = []
        for blocks in self.joined:
            assert numbers is not None
            index, table = (
                self.names.fresh("i", tree.I64),
                self.names.fresh("joined", tree.Pointer(tree.I64)),
            )
            base = load(self.bases[0], team.thread) if self.bases else numbers
            number = load(base, index)
            new = convert(number.type, load(table, number))
            each = (tree.Store(base, index, new),)
            start = ZERO if self.bases else team.start
            stop = load(self.ends[0], team.thread) if self.ends else team.stop
            own = (
                tree.Let(table, tree.Data(load(blocks, team.thread), tree.Pointer(tree.I64))),
                tree.For(index, start, stop, ONE, each),
            )
            region = team.region([tree.IfStatement(team.is_other, own)])
            found += [tree.IfStatement(more(team.got, ONE), (region,)), team.drop_others(blocks)]
        return found

    def _more(self) -> list[tree.Statement]:
        """One more key, with neutral values."""
        rows, count = self.rows, self.made.count
        found = [] if rows is None else rows.more(count, self.made.neutral)
        return [*found, tree.Assign(count, tree.Const(1, tree.I64), "+")]
