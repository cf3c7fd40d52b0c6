"""Tables by key, for any keys: each thread has its own, with regions of its own that grow.

They are joined in order: the keys of a thread that the first one does not have get the next
numbers there, so keys are numbered as they first occur, as in one thread; what both have for a key
is combined. Where the numbers of keys were stored, all threads replace theirs by these.
"""

from __future__ import annotations

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
    size_of,
    times,
)
from cogen.array.loops.joining import applied, looked_up, seen
from cogen.array.loops.rewriting import Change, standing_for
from cogen.array.loops.shared_arrays import LEAST_ROOM
from cogen.array.loops.team import Team, TeamPart, declare_rooms, do
from cogen.array.loops.tree import (
    BLOCK,
    I64,
    NUMBERS,
    Address,
    Data,
    Expr,
    Pointer,
    Statement,
)


class HashedPart(TeamPart[Team]):
    """A table, and what there is for its keys."""

    def __init__(self, team: Team, join: tree.Hashed) -> None:
        super().__init__(team)
        self.made = join
        self.tables = team.room(NUMBERS, "tables")
        self.counts = team.room(I64, "counts")
        self.pieces = [team.room(BLOCK, "pieces") for _ in join.regions]
        self.own = self.names.fresh("table", Pointer(NUMBERS))
        self.own_count = self.names.fresh(join.count.name, I64)
        self.own_regions = [self.names.fresh("piece", BLOCK) for _ in join.regions]
        self.own_places = [self.names.fresh(p.name, p.type) for _, p, _ in join.regions]
        self.joined = [] if join.numbers is None else [team.room(BLOCK, "joined")]
        """What the numbers of each thread's keys became."""

    def rooms(self) -> list[Statement]:
        return declare_rooms(self.tables, self.counts, *self.pieces, *self.joined)

    def begin(self) -> list[Statement]:
        team = self.team
        table = Address(self.made.table)
        own = choose(team.is_first, table, place(self.tables, team.thread))
        found: list[Statement] = [
            tree.Let(self.own, own), tree.Variable(self.own_count, ZERO),
        ]  # fmt: skip
        others: list[Statement] = [
            team.fail_unless("numbers_begin", self.own, team.size, natural(self.made.width))
        ]
        for (region, _, element), mine in zip(self.made.regions, self.own_regions, strict=True):
            fresh, allocated = team.allocate("room", element, LEAST_ROOM)
            found.append(tree.Variable(mine, region))
            others += [allocated, tree.Assign(mine, fresh)]
        found.append(tree.IfStatement(team.is_other, tuple(others)))
        for (_, p, _), mine, at in zip(
            self.made.regions, self.own_regions, self.own_places, strict=True
        ):
            found.append(tree.Variable(at, Data(mine, p.type)))
        return found

    def change(self) -> Change:
        regions = self.made.regions
        named = standing_for({
            self.made.count: self.own_count,
            **dict(zip([region for region, _, _ in regions], self.own_regions, strict=True)),
            **dict(zip([p for _, p, _ in regions], self.own_places, strict=True)),
        })  # fmt: skip

        def own(e: Expr) -> Expr | None:
            return self.own if e == Address(self.made.table) else named(e)

        return own

    def end(self) -> list[Statement]:
        thread = self.team.thread
        pairs = zip(self.pieces, self.own_regions, strict=True)
        found: list[Statement] = [tree.Store(room, thread, mine) for room, mine in pairs]
        return [*found, tree.Store(self.counts, thread, self.own_count)]

    def join(self) -> list[Statement]:
        found: list[Statement] = [tree.Assign(self.made.count, load(self.counts, ZERO))]
        for (region, _, _), pieces in zip(self.made.regions, self.pieces, strict=True):
            found.append(tree.Assign(region, load(pieces, ZERO)))
        return [*found, self.team.each(self._joined), *self._renumbered()]

    def _joined(self, thread: Expr) -> list[Statement]:
        """What a thread has for its keys is combined with what is there."""
        own, key = place(self.tables, thread), self.names.fresh("k", I64)
        number = self.names.fresh("number", I64)
        allocated: list[Statement] = []
        stored: list[Statement] = []
        for blocks in self.joined:
            block, made = self.team.allocate("numbers", I64, load(self.counts, thread))
            data = self.names.fresh("joined", Pointer(I64))
            taken = tree.Let(data, Data(load(blocks, thread), Pointer(I64)))
            allocated += [made, tree.Store(blocks, thread, block), taken]
            stored.append(tree.Store(data, key, number))
        body: list[Statement] = [
            tree.Let(number, looked_up(self.made.table, own, key, self.made.width)),
            tree.IfStatement(less(number, ZERO), (tree.Fail(self.team.sharing.site, ()),)),
            tree.IfStatement(same(number, self.made.count), tuple(self._more())),
            *self._combined(thread, key, number),
            *stored,
        ]
        return [
            *allocated,
            tree.For(key, ZERO, load(self.counts, thread), tree.Const(1, I64), tuple(body)),
            do("numbers_end", own),
            *[do("drop", load(pieces, thread)) for pieces in self.pieces],
        ]

    def _renumbered(self) -> list[Statement]:
        """The threads' numbers become those that their keys have in the first one's table."""
        team, numbers = self.team, self.made.numbers
        found: list[Statement] = []
        for blocks in self.joined:
            assert numbers is not None
            index, table = self.names.fresh("i", I64), self.names.fresh("joined", Pointer(I64))
            number = load(numbers, index)
            new = convert(number.type, load(table, number))
            each = (tree.Store(numbers, index, new),)
            own = (
                tree.Let(table, Data(load(blocks, team.thread), Pointer(I64))),
                tree.For(index, team.start, team.stop, ONE, each),
            )
            region = team.region([tree.IfStatement(team.is_other, own)])
            found += [tree.IfStatement(more(team.got, ONE), (region,)), team.drop_others(blocks)]
        return found

    def _more(self) -> list[Statement]:
        """One more key, with neutral values."""
        count, found = self.made.count, []
        for (region, p, element), value in zip(self.made.regions, self.made.neutral, strict=True):
            size = convert(I64, size_of(element))
            found.append(self.team.fail_unless("room", Address(region), times(count, size), size))
            found.append(tree.Store(Data(region, p.type), count, value))
        return [*found, tree.Assign(count, tree.Const(1, I64), "+")]

    def _combined(self, thread: Expr, key: Expr, number: Expr) -> list[Statement]:
        operator, regions = self.made.operator, self.made.regions
        here = [Data(region, p.type) for region, p, _ in regions]
        there = [
            Data(load(pieces, thread), p.type)
            for pieces, (_, p, _) in zip(self.pieces, regions, strict=True)
        ]
        left = [self.names.fresh("total", v.type) for v in operator.left]
        right = [self.names.fresh("x", v.type) for v in operator.right]
        lets: list[Statement] = []
        for names, bases, index in ((left, here, number), (right, there, key)):
            for name, base in zip(names, bases, strict=True):
                lets.append(tree.Let(name, seen(base, index, name.type)))
        body, results = applied(operator, left, right, self.names)
        stores = [tree.Store(b, number, v) for b, v in zip(here, results, strict=True)]
        return [*lets, *body, *stores]
