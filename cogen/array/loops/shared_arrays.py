"""Arrays whose places depend on the iterations before, in loops that are shared out.

            a thread has for its part           then
Kept        its part of the array, from the     the parts move up after the first one's
            first of its iterations on
Grown       regions of its own                  the same
Tallied     the number of each key              from these, where each thread's elements of a key
                                                start; all threads store their elements there

Tables by key for any keys are in `shared_hashes`. What comes first in the iterations comes first in
the results, as in one thread.
"""

from __future__ import annotations

from dataclasses import replace
from itertools import takewhile
from typing import Final

from cogen.array.loops import expressions as ex
from cogen.array.loops import tree
from cogen.array.loops.joining import kept
from cogen.array.loops.regions import is_drop
from cogen.array.loops.rewriting import Change, rewritten, standing_for
from cogen.array.loops.shared_tables import few_keys
from cogen.array.loops.team import Team, TeamPart, W, declare_rooms, do
from cogen.lang.errors import InternalError

LEAST_ROOM: Final = ex.natural(16)
"""The elements that there is room for at first in what grows."""


class Keeping(TeamPart[W]):
    """Rows that are kept or not."""

    def __init__(self, team: W, join: tree.Kept) -> None:
        super().__init__(team)
        self.count = join.count
        self.places = join.places
        self.counts = team.room(tree.I64, "counts")
        self.own = self.names.fresh(join.count.name, tree.I64)

    @property
    def first(self) -> tree.Expr:
        """Where its rows begin: there is room for one of each iteration before."""
        return ex.times(self.team.start, ex.natural(self.team.each))

    def rooms(self) -> list[tree.Statement]:
        return declare_rooms(self.counts)

    def begin(self) -> list[tree.Statement]:
        return [tree.Variable(self.own, self.first)]

    def change(self) -> Change:
        return standing_for({self.count: self.own})

    def end(self) -> list[tree.Statement]:
        found = ex.minus(self.own, self.first)
        return kept([self.counts], self.team.thread, [found])


class KeptPart(Keeping[Team]):
    """The same, of threads."""

    def join(self) -> list[tree.Statement]:
        """Close the gaps."""
        team = self.team

        def move(thread: tree.Expr) -> list[tree.Statement]:
            begin = self.names.fresh("begin", tree.I64)
            iterations = ex.over(ex.times(team.size, thread), team.got)
            made: list[tree.Statement] = [
                tree.Let(begin, ex.times(iterations, ex.natural(team.each)))
            ]
            for base, row in self.places:
                to, start = (ex.plus(base, ex.times(at, row)) for at in (self.count, begin))
                size = ex.bytes_of(ex.times(ex.load(self.counts, thread), row), tree.target(base))
                made.append(do("move", to, start, size))
            return [*made, tree.Assign(self.count, ex.load(self.counts, thread), "+")]

        return [tree.Assign(self.count, ex.load(self.counts, ex.ZERO)), team.for_each(move)]


class GrownPart(TeamPart[Team]):
    """Regions that grow."""

    def __init__(self, team: Team, join: tree.Grown) -> None:
        super().__init__(team)
        self.count = join.count
        self.regions = join.regions
        self.pieces = [team.room(tree.BLOCK, "pieces") for _ in join.regions]
        self.counts = team.room(tree.I64, "counts")
        self.own_count = self.names.fresh(join.count.name, tree.I64)
        self.own = {region: self.names.fresh("piece", tree.BLOCK) for region, _ in join.regions}

    def rooms(self) -> list[tree.Statement]:
        return declare_rooms(*self.pieces, self.counts)

    def begin(self) -> list[tree.Statement]:
        found: list[tree.Statement] = [tree.Variable(self.own_count, ex.ZERO)]
        for region, element in self.regions:
            own = self.own[region]
            fresh, allocated = self.team.allocate("room", element, LEAST_ROOM)
            taken = tree.Assign(own, fresh)
            found.append(tree.Variable(own, region))
            found.append(tree.IfStatement(self.team.is_other, (allocated, taken)))
        return found

    def change(self) -> Change:
        return standing_for({self.count: self.own_count, **self.own})

    def end(self) -> list[tree.Statement]:
        thread = self.team.thread
        pairs = zip(self.pieces, self.own.values(), strict=True)
        found: list[tree.Statement] = [tree.Store(room, thread, own) for room, own in pairs]
        return [*found, tree.Store(self.counts, thread, self.own_count)]

    def join(self) -> list[tree.Statement]:
        def add(thread: tree.Expr) -> list[tree.Statement]:
            return [tree.Assign(self.count, ex.load(self.counts, thread), "+")]

        found = [self.team.for_each(add, ex.ZERO)]
        for pieces, (region, element) in zip(self.pieces, self.regions, strict=True):
            found += self._joined(pieces, region, ex.convert(tree.I64, ex.size_of(element)))
        return found

    def _joined(self, pieces: tree.Var, region: tree.Var, size: tree.Expr) -> list[tree.Statement]:
        """The pieces of one region."""
        used = self.names.fresh("used", tree.I64)

        def copy(thread: tree.Expr) -> list[tree.Statement]:
            own = self.names.fresh("own", tree.I64)
            piece, data = ex.load(pieces, thread), tree.Pointer(tree.U8)
            to = ex.plus(tree.Data(region, data), used)
            return [
                tree.Let(own, ex.times(ex.load(self.counts, thread), size)),
                do("copy", to, tree.Data(piece, data), tree.Convert(tree.SIZE, own)),
                do("drop", piece),
                tree.Assign(used, own, "+"),
            ]

        rest = ex.minus(ex.times(self.count, size), used)
        return [
            tree.Assign(region, ex.load(pieces, ex.ZERO)),
            tree.Variable(used, ex.times(ex.load(self.counts, ex.ZERO), size)),
            self.team.fail_unless("room", tree.Address(region), used, rest),
            self.team.for_each(copy),
        ]


class TalliedPart(TeamPart[Team]):
    """Numbers of keys, by which elements are sorted after the loop."""

    def __init__(self, team: Team, join: tree.Tallied) -> None:
        super().__init__(team)
        self.tally = join.tally
        self.size = join.size
        self.blocks = team.room(tree.BLOCK, "blocks")
        self.tallies = team.room(join.tally.type, "tallies")
        self.own = self.names.fresh("tally", join.tally.type)

    def few(self) -> tree.Expr:
        return few_keys(self.team, self.size)

    def rooms(self) -> list[tree.Statement]:
        return declare_rooms(self.blocks, self.tallies)

    def begin(self) -> list[tree.Statement]:
        thread, element = self.team.thread, tree.target(self.tally)
        assert isinstance(self.tally.type, tree.Pointer)
        block, allocated = self.team.allocate("tally", element, self.size)
        data = ex.load(self.tallies, thread)
        other = (
            allocated,
            tree.Store(self.blocks, thread, block),
            tree.Store(self.tallies, thread, tree.Data(block, self.tally.type)),
            do("clear", data, ex.bytes_of(self.size, element)),
        )
        return [
            tree.Store(self.tallies, thread, self.tally),
            tree.Store(self.blocks, thread, ex.NULL),
            tree.IfStatement(self.team.is_other, other),
            tree.Let(self.own, data),
        ]

    def change(self) -> Change:
        return standing_for({self.tally: self.own})

    def rest(self, rest: tree.Block) -> tree.Block:
        """All threads put their elements in their places."""
        at = next((k for k, s in enumerate(rest) if self._is(s, "starts")), len(rest))
        drops = [*takewhile(is_drop, rest[at + 2 :])]
        match (*rest[at : at + 2], *rest[at + 2 + len(drops) :]):
            case (_, tree.For() as loop, last, *after) if self._is(last, "ends"):
                return (*rest[:at], *self._sorted(loop), *drops, *after)
        raise InternalError(f"nothing is sorted by {self.tally.name}")

    def _is(self, statement: tree.Statement, function: str) -> bool:
        """Whether a function is applied to the tally."""
        match statement:
            case tree.Do(tree.Invoke(name, (base, _))):
                return name == function and base == self.tally
        return False

    def _sorted(self, loop: tree.For) -> list[tree.Statement]:
        team = self.team
        change = standing_for({self.tally: ex.load(self.tallies, team.thread)})
        (own,) = rewritten((loop,), change)
        assert isinstance(own, tree.For)
        last = ex.load(self.tallies, ex.minus(team.got, ex.ONE))
        return [
            do("joint_starts", self.tallies, team.got, self.size),
            team.region([replace(own, start=team.start, stop=team.stop)]),
            do("joint_ends", self.tally, last, self.size),
            team.drop_others(self.blocks),
        ]
