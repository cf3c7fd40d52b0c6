"""Accumulators of loops that are shared out: each thread has its own, which are joined in order.

Reduced     the accumulators of all threads are combined
Scanned     each part is combined with what stands before it; where the iterations use what was
            accumulated so far, a pass that only accumulates comes before, and each thread starts
            with what stands before its part
"""

from __future__ import annotations

from dataclasses import replace

from cogen.array.loops import tree
from cogen.array.loops.expressions import ONE, ZERO, load, more
from cogen.array.loops.joining import at, folded, kept, starts, summed_before, with_before
from cogen.array.loops.rewriting import Change, rewritten, standing_for
from cogen.array.loops.team import Team, TeamPart, W, declare_rooms
from cogen.array.loops.tree import Expr, Statement, Var


class Accumulating(TeamPart[W]):
    """What all kinds have."""

    def __init__(self, team: W, join: tree.Reduced | tree.Scanned) -> None:
        super().__init__(team)
        self.operator = join.operator
        self.accumulators = join.accumulators
        self.neutral = join.neutral
        self.parts = [team.room(variable.type, "parts") for variable in join.accumulators]
        self.own = self.new()

    def new(self) -> dict[Var, Var]:
        """Variables of a thread for the accumulators."""
        return {v: self.names.fresh(v.name, v.type) for v in self.accumulators}

    def rooms(self) -> list[Statement]:
        return declare_rooms(*self.parts)

    def begin(self) -> list[Statement]:
        return declared(self.own, starts(self.operator.known, self.neutral, self.team.is_first))

    def change(self) -> Change:
        return standing_for(self.own)

    def end(self) -> list[Statement]:
        return kept(self.parts, self.team.thread, [*self.own.values()])

    def before_each(self) -> list[Statement]:
        """Each part gets what stands before it."""
        got = self.team.got
        return summed_before(self.operator, self.parts, self.neutral, got, self.names)


def accumulated(part: Accumulating[W], first: tree.For) -> list[Statement]:
    """A worker accumulates its part by the loop `first`, and keeps that."""
    own, team = part.new(), part.team
    (loop,) = rewritten((first,), standing_for(own))
    assert isinstance(loop, tree.For)
    return [
        *declared(own, starts(part.operator.known, part.neutral, team.is_first)),
        replace(loop, start=team.start, stop=team.stop),
        *kept(part.parts, team.thread, [*own.values()]),
    ]


def declared(own: dict[Var, Var], values: list[Expr]) -> list[Statement]:
    found: list[Statement] = []
    for variable, value in zip(own.values(), values, strict=True):
        found.append(tree.Variable(variable, value))
    return found


class ReducedPart(Accumulating[Team]):
    """Of a reduction."""

    def join(self) -> list[Statement]:
        first = [
            tree.Assign(variable, load(parts, ZERO))
            for variable, parts in zip(self.accumulators, self.parts, strict=True)
        ]
        got = self.team.got
        return [*first, folded(self.operator, self.accumulators, self.parts, got, self.names)]


class ScannedPart(Accumulating[Team]):
    """Of a scan that nothing uses before the loop is done."""

    def __init__(self, team: Team, join: tree.Scanned) -> None:
        super().__init__(team, join)
        self.outs = join.outs

    def join(self) -> list[Statement]:
        if not self.outs:
            return []
        team = self.team
        before = at(self.parts, team.thread, self.operator)
        bounds = (team.start, team.stop)
        added = with_before(self.operator, before, self.outs, bounds, self.names)
        region = team.region([tree.IfStatement(team.is_other, tuple(added))])
        return [*self.before_each(), tree.IfStatement(more(team.got, ONE), (region,))]


class RunningPart(Accumulating[Team]):
    """Of a scan whose accumulators the iterations look at; `first` is the loop that only
    accumulates."""

    def __init__(self, team: Team, join: tree.Scanned, first: tree.For) -> None:
        super().__init__(team, join)
        self.first = first

    def before(self) -> list[Statement]:
        """One thread starts with the neutral values; of several, each with what stands before."""
        team = self.team
        body = accumulated(self, self.first)
        several = (team.region(body), *self.before_each())
        alone = kept(self.parts, ZERO, self.neutral)
        return [tree.IfStatement(more(team.team, ONE), several, tuple(alone))]

    def begin(self) -> list[Statement]:
        return declared(self.own, at(self.parts, self.team.thread, self.operator))

    def end(self) -> list[Statement]:
        return []


def scanned(team: Team, join: tree.Scanned) -> TeamPart[Team]:
    """The part of a scan."""
    return ScannedPart(team, join) if join.first is None else RunningPart(team, join, join.first)
