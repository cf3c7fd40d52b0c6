"""loop -> kernels: a loop that may be shared out is cut into kernels, one after the other.

    totals, before      where iterations use what was accumulated so far: each item accumulates
                        its part; one item finds what stands before each
    main                each item does a part of the iterations, with accumulators of its own
    join                one item combines what the parts found
    finish              each part is combined with what stands before it, or moved to its place
    merge               an item for each key combines the tables of all parts

What the parts find lies in buffers, which the host makes (`Buffers`): an element, or a table, for
each part. The code of a join is that of threads (`cogen.array.loops.team`) where it is the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import expressions as ex
from cogen.array.loops import tree
from cogen.array.loops.copying import NewNames
from cogen.array.loops.joining import (
    at,
    combined,
    folded,
    kept,
    seen,
    starts,
    summed_before,
    with_before,
)
from cogen.array.loops.printopencl import PART, PARTS
from cogen.array.loops.rewriting import Change, all_changes, rewritten
from cogen.array.loops.shared_accumulators import Accumulating, accumulated, declared
from cogen.array.loops.shared_arrays import Keeping
from cogen.array.loops.team import TeamPart, Workers
from cogen.array.loops.widen import widened
from cogen.lang.errors import InternalError


@dataclass(frozen=True, slots=True)
class Buffers:
    """The parameters for what the parts find by one join: `parts` have an element, or a table, for
    each part; what is kept comes to `moved`."""

    parts: tuple[tree.Var, ...]
    moved: tuple[tree.Var, ...] = ()


@dataclass(frozen=True, slots=True)
class Items(Workers):
    """The items of a kernel; they have rooms in buffers."""

    waiting: list[tree.Var] = field(default_factory=list)

    def room(self, t: tree.Type, name: str) -> tree.Var:
        return self.waiting.pop(0)


class ItemPart(TeamPart[Items]):
    """The code for one join in kernels."""

    def join_parts(self) -> list[tree.Statement]:
        """What one item does when all have done their parts."""
        return []

    def finish(self) -> list[tree.Statement]:
        """What each item does after that."""
        return []


class ReducedItem(Accumulating[Items], ItemPart):
    """Accumulators of a reduction: those of the first part become those of all."""

    def join_parts(self) -> list[tree.Statement]:
        totals = [self.names.fresh("total", v.type) for v in self.operator.left]
        first = at(self.parts, ex.ZERO, self.operator)
        return [
            *[tree.Variable(v, e) for v, e in zip(totals, first, strict=True)],
            folded(self.operator, totals, self.parts, PARTS, self.names),
            *kept(self.parts, ex.ZERO, totals),
        ]


class ScannedItem(Accumulating[Items], ItemPart):
    """Accumulators of a scan: each part is combined with what stands before it."""

    def __init__(self, items: Items, join: tree.Scanned) -> None:
        super().__init__(items, join)
        self.outs = join.outs

    def join_parts(self) -> list[tree.Statement]:
        return summed_before(self.operator, self.parts, self.neutral, PARTS, self.names)

    def finish(self) -> list[tree.Statement]:
        if not self.outs:
            return []
        before = at(self.parts, PART, self.operator)
        bounds = (self.team.start, self.team.stop)
        return with_before(self.operator, before, self.outs, bounds, self.names)


class RunningItem(Accumulating[Items], ItemPart):
    """Accumulators of a scan that the iterations look at; `first` only accumulates."""

    def __init__(self, items: Items, join: tree.Scanned, first: tree.For) -> None:
        super().__init__(items, join)
        self.first = first

    def totals(self) -> list[tree.Statement]:
        """What each item does before all: it accumulates."""
        return accumulated(self, self.first)

    def stand_before(self) -> list[tree.Statement]:
        """What one item does then."""
        return summed_before(self.operator, self.parts, self.neutral, PARTS, self.names)

    def begin(self) -> list[tree.Statement]:
        return declared(self.own, at(self.parts, PART, self.operator))

    def end(self) -> list[tree.Statement]:
        return []


class KeptItem(Keeping[Items], ItemPart):
    """Rows that are kept or not: each item moves its part to its place."""

    def __init__(self, items: Items, join: tree.Kept, moved: Sequence[tree.Var]) -> None:
        super().__init__(items, join)
        self.moved = moved

    def join_parts(self) -> list[tree.Statement]:
        """Where each part goes; behind them, how much there is."""
        total, index = self.names.fresh("total", tree.I64), self.names.fresh("t", tree.I64)
        place = ex.load(self.counts, index)
        own = self.names.fresh("own", place.type)
        body = (
            tree.Let(own, place),
            tree.Store(self.counts, index, ex.convert(place.type, total)),
            tree.Assign(total, own, "+"),
        )
        return [
            tree.Variable(total, ex.ZERO),
            tree.For(index, ex.ZERO, PARTS, ex.ONE, body),
            tree.Store(self.counts, PARTS, ex.convert(place.type, total)),
        ]

    def finish(self) -> list[tree.Statement]:
        first, after = ex.load(self.counts, PART), ex.load(self.counts, ex.plus(PART, ex.ONE))
        found: list[tree.Statement] = []
        for (base, row), moved in zip(self.places, self.moved, strict=True):
            source = self.names.fresh("source", moved.type)
            target = self.names.fresh("target", moved.type)
            index = self.names.fresh("i", tree.I64)
            store = tree.Store(target, index, ex.load(source, index))
            count = ex.times(ex.minus(after, first), row)
            found += [
                tree.Let(source, ex.plus(base, ex.times(self.team.start, row))),
                tree.Let(target, ex.plus(moved, ex.times(first, row))),
                tree.For(index, ex.ZERO, count, ex.ONE, (store,)),
            ]
        return found


class KeyedItem(ItemPart):
    """Tables by keys: each part has its own, which are merged key by key."""

    def __init__(self, items: Items, join: tree.Keyed) -> None:
        super().__init__(items)
        self.size = join.size
        self.tables = join.tables
        self.bases = [base for table in join.tables for base in table.bases]
        self.parts = {base: items.room(tree.I64, "own") for base in self.bases}
        self.own = {base: self.names.fresh("mine", base.type) for base in self.bases}

    def begin(self) -> list[tree.Statement]:
        """Tables with the values before the loop; of known operators only the first part has these,
        the others identities."""
        found: list[tree.Statement] = []
        for table in self.tables:
            values = starts(table.operator.known, table.neutral, ex.same(PART, ex.ZERO))
            for base, value in zip(table.bases, values, strict=True):
                own, index = self.own[base], self.names.fresh("i", tree.I64)
                start = ex.plus(self.parts[base], ex.times(PART, self.size))
                found.append(tree.Let(own, start))
                store = tree.Store(own, index, value)
                found.append(tree.For(index, ex.ZERO, self.size, ex.ONE, (store,)))
        return found

    def change(self) -> Change:
        def own(e: tree.Expr) -> tree.Expr | None:
            match e:
                case tree.Load(tree.Var() as base, index) if base in self.own:
                    return ex.load(self.own[base], index)
            return None

        return own

    def merge(self) -> list[tree.Statement]:
        """What the item does whose number is the key."""
        body: list[tree.Statement] = []
        for table in self.tables:
            index = self.names.fresh("t", tree.I64)
            totals = [self.names.fresh("total", v.type) for v in table.operator.left]
            first = [self._entry(table, base, ex.ZERO) for base in table.bases]
            values = [self._entry(table, base, index) for base in table.bases]
            inner = combined(table.operator, totals, values, self.names)
            body += [tree.Variable(v, e) for v, e in zip(totals, first, strict=True)]
            body.append(tree.For(index, ex.ONE, PARTS, ex.ONE, tuple(inner)))
            body += [tree.Store(b, PART, v) for b, v in zip(table.bases, totals, strict=True)]
        return [tree.IfStatement(ex.less(PART, self.size), tuple(body))]

    def _entry(self, table: tree.Table, base: tree.Var, part: tree.Expr) -> tree.Expr:
        """What the table of a part has for the key."""
        t = table.operator.left[table.bases.index(base)].type
        return seen(self.parts[base], ex.plus(ex.times(part, self.size), PART), t)


class Cut:
    """The kernels of a loop, each as what an item does; an empty one is not needed."""

    def __init__(self, loop: tree.For, buffers: Sequence[Buffers], names: NewNames) -> None:
        assert loop.sharing is not None
        self.loop = loop
        start, stop = names.fresh("start", tree.I64), names.fresh("stop", tree.I64)
        self.items = Items(names, loop.stop, PART, PARTS, start, stop)
        pairs = zip(loop.sharing.joins, buffers, strict=True)
        self.parts = [self._part(join, own) for join, own in pairs]

    def _part(self, join: tree.Join, own: Buffers) -> ItemPart:
        items = replace(self.items, waiting=[*own.parts])
        match join:
            case tree.Reduced():
                return ReducedItem(items, join)
            case tree.Scanned(first=None):
                return ScannedItem(items, join)
            case tree.Scanned(first=tree.For() as first):
                return RunningItem(items, join, first)
            case tree.Kept():
                return KeptItem(items, join, own.moved)
            case tree.Keyed():
                return KeyedItem(items, join)
        raise InternalError(f"a loop with {join!r} is not cut into kernels")

    def bounds(self) -> list[tree.Statement]:
        """Where the part of an item starts and stops."""
        size, items = self.items.size, self.items
        return [
            tree.Let(items.start, ex.over(ex.times(size, PART), PARTS)),
            tree.Let(items.stop, ex.over(ex.times(size, ex.plus(PART, ex.ONE)), PARTS)),
        ]

    def own(self, start: tree.Expr, stop: tree.Expr, step: tree.Expr = ex.ONE) -> tree.For:
        """The loop over some iterations, with what an item has of its own."""
        loop = replace(self.loop, start=start, stop=stop, step=step)
        change = all_changes([part.change() for part in self.parts])
        (found,) = rewritten((loop,), change)
        assert isinstance(found, tree.For)
        return found

    def begin(self) -> list[tree.Statement]:
        return [made for part in self.parts for made in part.begin()]

    def end(self) -> list[tree.Statement]:
        return [made for part in self.parts for made in part.end()]

    def main(self) -> tree.Block:
        loop = self.own(self.items.start, self.items.stop)
        return (*self.bounds(), *self.begin(), loop, *self.end())

    def totals(self) -> tree.Block:
        running = [part for part in self.parts if isinstance(part, RunningItem)]
        made = [s for part in running for s in part.totals()]
        return (*self.bounds(), *made) if made else ()

    def before(self) -> tree.Block:
        running = [part for part in self.parts if isinstance(part, RunningItem)]
        return _by_one([s for part in running for s in part.stand_before()])

    def join(self) -> tree.Block:
        return _by_one([s for part in self.parts for s in part.join_parts()])

    def finish(self) -> tree.Block:
        made = [s for part in self.parts for s in part.finish()]
        return (*self.bounds(), *made) if made else ()

    def merge(self) -> tree.Block:
        keyed = [part for part in self.parts if isinstance(part, KeyedItem)]
        return tuple([s for part in keyed for s in part.merge()])

    def most_keys(self) -> tree.Expr:
        """The largest number of keys."""
        found: tree.Expr | None = None
        for part in self.parts:
            if isinstance(part, KeyedItem) and part.size != found:
                size = part.size
                found = size if found is None else ex.choose(ex.less(found, size), size, found)
        return ex.ZERO if found is None else found


def _by_one(statements: Sequence[tree.Statement]) -> tree.Block:
    """What the first item does alone."""
    return (tree.IfStatement(ex.same(PART, ex.ZERO), tuple(statements)),) if statements else ()


def in_lanes(cut: Cut, arithmetic: Arithmetic) -> tree.Block | None:
    """The kernel main with several iterations at a time; None if there are no lanes for them."""
    accumulators: list[tuple[tree.Combination, tree.Var, tree.Expr]] = []
    for part in cut.parts:
        if not isinstance(part, ReducedItem):
            return None
        for how, own, neutral in zip(
            part.operator.known, part.own.values(), part.neutral, strict=True
        ):
            if how is None:
                return None
            accumulators.append((how, own, neutral))
    loop = cut.own(cut.items.start, cut.items.stop)
    found = widened(loop, accumulators, arithmetic, cut.items.names)
    return None if found is None else (*cut.bounds(), *cut.begin(), *found, *cut.end())
