"""functions -> functions: iterations around sequential loops go through them side by side.

    for j from start to stop, apart         for each block of LANES iterations j
        x = a[j]                                for each lane: xs[lane] = a[j + lane]
        for i from 0 to n                       for i from 0 to n
            x = f(x)                  ->            for each lane: xs[lane] = f(xs[lane])
        y[j] = x                                for each lane: y[j + lane] = xs[lane]
                                            for the iterations that are left: as before

C's compiler vectorises the loops over lanes, whose number it knows, and keeps what the lanes carry
in registers. Even one by one, operations of different lanes need not wait for each other, as those
of one chain `f(f(f(x)))` do. All lanes have one number of rounds; where a loop ends with a test
whether to go on, the lanes leave it when none of them goes on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames, copied, copied_with, replaced
from cogen.array.loops.dividing import has_effect, is_plain
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    choose,
    convert,
    load,
    minus,
    natural,
    over,
    plus,
    same,
    times,
)
from cogen.array.loops.replacing import of_loops

BYTES: Final = 256
"""How much the lanes of the widest numbers are: four vectors, so that four operations advance at
once while one would wait for its own last result."""

SCALAR_ONLY: Final = frozenset({
    "int.div", "int.mod", "int.pow", "int.area", "real.mod", "real.pow", "real.atan2",
    "real.trunc",
    "real.key", "real.key_high", "key.real",
})  # fmt: skip
"""Operations that are not vectors': a lane that has settled would go on with them in vain."""

_WIDE: Final = ("i64", "f64")


@of_loops
def interchange(
    names: UntakenNames, loop: tree.For, before: list[tree.Statement]
) -> list[tree.Statement] | None:
    """The functions with iterations around sequential loops side by side."""
    return LaneBlocks(loop, names).loops() if has_lanes(loop) else None


# Which loops.


def has_lanes(loop: tree.For, stores: bool = False) -> bool:
    """Whether a loop is plain operations on numbers around sequential loops of them, all of a size
    that is known outside; the rounds may store something if `stores`."""
    if not isinstance(loop.mark, tree.Apart) or loop.step != ONE:
        return False
    own = {v for statement in loop.body for v in treewalk.declared(statement)}
    names = frozenset([loop.index.name, *[v.name for v in own]])
    if not all(isinstance(variable.type, tree.Number) for variable in own):
        return False
    within = [s for s in loop.body if isinstance(s, tree.For)]
    plain = [s for s in loop.body if not isinstance(s, tree.For)]
    return (
        bool(within) and all(_fits(s, names, stores) for s in within) and all(map(is_plain, plain))
    )


def _fits(loop: tree.For, names: frozenset[str], stores: bool) -> bool:
    """Whether a sequential loop has the same rounds in all lanes, and is of operations that vectors
    have; the variables of the loop around have `names`."""
    if loop.mark is not None or loop.step != ONE:
        return False
    if (treewalk.names(loop.start) | treewalk.names(loop.stop)) & names:
        return False
    body = loop.body if _going_on(loop) is None else loop.body[:-1]
    kinds = (tree.Store,) if stores else ()
    return (
        any(isinstance(statement, tree.Assign) for statement in body)
        and all(isinstance(s, (tree.Let, tree.Variable, tree.Assign, *kinds)) for s in body)
        and all(_is_vectors(e) for s in body for e in treewalk.expressions(s))
        and all(isinstance(v.type, tree.Number) for s in body for v in treewalk.declared(s))
    )


def _is_vectors(e: tree.Expr) -> bool:
    return not has_effect(e) and not any(
        isinstance(x, tree.Operate) and x.row in SCALAR_ONLY for x in treewalk.within(e)
    )


def _going_on(loop: tree.For) -> tree.Expr | None:
    """The test at the end of a loop whether there are more rounds, if there is one."""
    match loop.body[-1:]:
        case (tree.IfStatement(tree.Not(test), (tree.Break(),), ()),):
            return test
    return None


# The loops over lanes.


@dataclass(slots=True)
class LaneBlocks:
    """A loop in blocks of lanes."""

    loop: tree.For
    names: UntakenNames
    lanes: tree.Const = ZERO
    begin: tree.Var = field(init=False)
    stop: tree.Expr = ZERO
    """How many lanes of a block there are."""
    truth: tree.Number = tree.I64
    """The type of what stands for truth values: as wide as the other lanes."""
    kept: dict[tree.Var, tree.Var] = field(default_factory=dict)
    """What more than one loop over lanes uses: the rooms with a place for each lane."""

    def loops(self) -> list[tree.Statement]:
        loop = self.loop
        body = self.body()
        blocks = times(over(minus(loop.stop, loop.start), self.lanes), self.lanes)
        whole = self.names.fresh("whole", tree.I64)
        rest = self.names.fresh(loop.index.name, tree.I64)
        left = copied(loop.body, {loop.index: rest}, self.names)
        return [
            tree.Let(whole, plus(loop.start, blocks)),
            tree.For(self.begin, loop.start, whole, self.lanes, tuple(body)),
            tree.For(rest, whole, loop.stop, ONE, left, loop.mark),
        ]

    def body(self, lanes: int = 0, stop: tree.Expr | None = None) -> list[tree.Statement]:
        """The statements of a block of so many lanes, of which there are so many; else all that
        vectors have room for."""
        units = _units(self.loop.body)
        crossing = _crossing(units)
        wide = any(isinstance(v.type, tree.Number) and v.type.name in _WIDE for v in crossing)
        self.lanes = natural(lanes or BYTES // (8 if wide else 4))
        self.stop = self.lanes if stop is None else stop
        self.truth = tree.I64 if wide else tree.I32
        self.begin = self.names.fresh("begin", tree.I64)
        rooms: list[tree.Statement] = []
        for variable in crossing:
            room = self.names.fresh("lanes", tree.Pointer(self.as_lane(variable)))
            self.kept[variable] = room
            rooms.append(tree.Room(room, self.lanes))
        made = [s for unit in units for s in self.unit(unit, unit is units[-1])]
        return [*rooms, *made]

    def as_lane(self, variable: tree.Var) -> tree.Number:
        """The type of a variable's places: bools are ints, as wide as the other lanes."""
        assert isinstance(variable.type, tree.Number)
        return self.truth if variable.type == tree.BOOL else variable.type

    def unit(self, unit: tree.Block, last: bool) -> list[tree.Statement]:
        """A sequential loop, or what stands between two."""
        match unit:
            case (tree.For() as loop,):
                return [self.sequential(loop)]
        mark = self.loop.mark
        assert isinstance(mark, tree.Apart)
        accumulators = mark.accumulators if last else ()
        made = self.over_lanes(unit, tree.Lanes(accumulators, few=True))
        return [made] if made.body else []

    def sequential(self, loop: tree.For) -> tree.Statement:
        """A sequential loop, around a loop over lanes."""
        test = _going_on(loop)
        if test is None:
            inner = self.over_lanes(loop.body, tree.Lanes(few=True))
            return replace(loop, body=(inner,))
        none = tree.Const(0, self.truth)
        more = self.names.fresh("more", self.truth)

        def note(values: dict[tree.Var, tree.Expr]) -> tree.Statement:
            goes_on = replaced(test, values)
            return tree.Assign(more, choose(goes_on, tree.Const(1, self.truth), none), "|")

        mark = tree.Lanes(((tree.ANY, more),), few=True)
        inner = self.over_lanes(loop.body[:-1], mark, note)
        leave = tree.IfStatement(same(more, none), (tree.Break(),))
        return replace(loop, body=(tree.Variable(more, none), inner, leave))

    def over_lanes(
        self,
        block: tree.Block,
        mark: tree.Lanes,
        finish: Callable[[dict[tree.Var, tree.Expr]], tree.Statement] | None = None,
    ) -> tree.For:
        """Statements for each lane, with what is kept in variables of their own."""
        lane = self.names.fresh("lane", tree.I64)
        index = self.names.fresh(self.loop.index.name, tree.I64)
        body: list[tree.Statement] = [tree.Let(index, plus(self.begin, lane))]
        values: dict[tree.Var, tree.Expr] = {self.loop.index: index}
        own = {v for statement in block for v in treewalk.declared(statement)}
        used, assigned = treewalk.mentioned(block), _assigned(block)
        for variable, room in self.kept.items():
            if variable in own or variable.name not in used:
                continue
            made = self.names.fresh(variable.name, variable.type)
            value = _from_lane(load(room, lane), variable)
            declare = tree.Variable if variable in assigned else tree.Let
            body.append(declare(made, value))
            values[variable] = made
        made_block, after = copied_with(block, values, self.names)
        body += made_block
        if finish is not None:
            body.append(finish(after))
        for variable, room in self.kept.items():
            if variable in own or variable in assigned:
                stored = convert(self.as_lane(variable), after[variable])
                body.append(tree.Store(room, lane, stored))
        return tree.For(lane, ZERO, self.stop, ONE, tuple(body), mark)


def _units(body: tree.Block) -> list[tree.Block]:
    """The sequential loops of a body, and what stands between them, at the end too."""
    found: list[tree.Block] = []
    now: list[tree.Statement] = []
    for statement in body:
        if isinstance(statement, tree.For):
            found += [tuple(now), (statement,)] if now else [(statement,)]
            now = []
        else:
            now.append(statement)
    return [*found, tuple(now)]


def _crossing(units: Iterable[tree.Block]) -> list[tree.Var]:
    """The variables that a unit declares and another uses."""
    found: list[tree.Var] = []
    for unit in units:
        for variable in (v for statement in unit for v in treewalk.declared(statement)):
            others = [other for other in units if other is not unit]
            if any(variable.name in treewalk.mentioned(other) for other in others):
                found.append(variable)
    return found


def _assigned(block: tree.Block) -> set[tree.Var]:
    return {s.variable for s in treewalk.all_statements(block) if isinstance(s, tree.Assign)}


def _from_lane(place: tree.Expr, variable: tree.Var) -> tree.Expr:
    if variable.type == tree.BOOL:
        return tree.Binary("!=", place, tree.Const(0, place.type))
    return place
