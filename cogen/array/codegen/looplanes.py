"""Iterations around sequential loops go through them side by side, so that the loops are vectors'.

    for j < m: (x = a; for i < n: x = f(x)), use x
    ->
    for each block of LANES iterations j
        for each lane           what comes before the loop; what it starts with
        for i < n
            for each lane       x[lane] = f(x[lane])
        for each lane           what comes after it

C's compiler vectorises the loops over lanes, whose number it knows, and keeps what the lanes carry
in registers. Even one by one, operations of different lanes need not wait for each other, as those
of one chain `f(f(f(x)))` do. All lanes have one number of iterations; where loops settle
(`cogen.array.codegen.settling`) the lanes leave when all of them have.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import Frame, inner, key
from cogen.array.codegen.operators import ANY, all_known
from cogen.array.codegen.regions import is_choice
from cogen.array.codegen.reps import Rep, Scalar
from cogen.array.codegen.settling import moving, settles
from cogen.array.codegen.survey import is_flat_statement
from cogen.array.loops import tree
from cogen.array.loops.build import (
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
from cogen.array.loops.tree import I64, Binary, Const, Expr, Var
from cogen.array.node import Collect, If, Loop, Node, Operation, Reduce, Region
from cogen.array.schedule import Statement
from cogen.array.types import CERT, INT, element, rank
from cogen.array.types import Scalar as ScalarType

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode

BYTES: Final = 256
"""How much the lanes of the widest numbers are: four vectors, so that four operations advance at
once while one would wait for its own last result."""

UNMARKED: Final = tree.Lanes()

SCALAR_ONLY: Final = frozenset({
    "int.div", "int.mod", "int.pow", "int.area", "real.mod", "real.pow", "real.trunc",
})  # fmt: skip
"""Operations that are not vectors': a lane that has settled would go on with them in vain."""


def has_lanes(code: LoopCode) -> bool:
    """Whether a loop is plain operations around sequential loops of them, all of known size."""
    node, body = code.node, code.body
    if body.guarded or body.block.effects or any(rank(p.type) for p in node.elements):
        return False
    for output in code.outputs:
        y = output.y
        if any(rank(value.type) or value.type == CERT for value in y.values):
            return False
        if isinstance(y.generator, Collect) and not y.generator.conditional:
            continue
        if not isinstance(y.generator, Reduce) or not all_known(output.known):
            return False
    loops = [s for s in body.statements if isinstance(s.node, Loop)]
    bound = frozenset(body.block.binds)
    return bool(loops) and all(
        _fits(s, bound) if isinstance(s.node, Loop) else is_flat_statement(s)
        for s in body.statements
    )


def _fits(statement: Statement, bound: frozenset[Node]) -> bool:
    """Whether a sequential loop is one of plain operations, with a size that all lanes share."""
    node, (body,) = statement.node, statement.blocks
    assert isinstance(node, Loop)
    if body.guarded or body.block.effects or not node.bound.free.isdisjoint(bound):
        return False
    if any(rank(p.type) or p.type == CERT for p in node.carried):
        return False
    return bool(node.carried) and all(map(_is_plain, body.statements))


def _is_plain(statement: Statement) -> bool:
    node = statement.node
    if isinstance(node, Operation):
        return node.name not in SCALAR_ONLY
    if isinstance(node, If):
        return is_choice(statement) and all(
            _is_plain(inside) for block in statement.blocks for inside in block.statements
        )
    return is_flat_statement(statement)


class LoopLanes:
    """The code of one such loop."""

    def __init__(self, code: LoopCode) -> None:
        self.code = code
        self.e: Emitter = code.e
        arithmetic = self.e.program.arithmetic
        self.lanes = natural(BYTES // (max(arithmetic.int_bits, arithmetic.real_bits) // 8))
        self.kept: dict[Hashable, tuple[Var, ScalarType]] = {}
        """What a loop over lanes leaves for later ones: arrays, and the types of the values."""

    def loop(self, start: Expr, stop: Expr) -> Expr:
        """The code for most of the iterations; the index where the rest starts."""
        e = self.e
        blocks = times(over(minus(stop, start), self.lanes), self.lanes)
        whole = e.define(I64, "whole", plus(start, blocks))
        begin = e.index("begin")
        with e.gathered() as made:
            self._block(begin)
        e.count(begin, start, whole, made, self.lanes)
        return whole

    def _block(self, begin: Expr) -> None:
        """One block of iterations: loops over lanes, with the sequential loops between them."""
        statements = self.code.body.statements
        places = [n for n, statement in enumerate(statements) if isinstance(statement.node, Loop)]
        for start, place in zip([0, *[n + 1 for n in places]], [*places, None], strict=True):
            if place is None:
                self._last(begin, statements[start:])
                continue
            self._before(begin, statements[start:place], statements[place:], start == 0)
            self._sequential(begin, statements[place])

    def _before(
        self, begin: Expr, statements: Sequence[Statement], rest: Sequence[Statement], first: bool
    ) -> None:
        """What comes before a sequential loop, the first of the rest, and what that starts with."""
        e, code, node = self.e, self.code, rest[0].node
        assert isinstance(node, Loop)
        needed = _needed(rest) | {key(v) for output in code.outputs for v in output.y.values}
        made = [result for statement in statements for result in _results(statement.node)]
        if first:
            made += [(key(p), element(p.type)) for p in code.node.elements if p.type != CERT]
        keeps = {value: self._array(t) for value, t in made if value in needed}
        carried = {value: self._array(t) for value, t in _results(node)}

        def body(lane: Expr, index: Expr) -> None:
            if first:
                code.bind_elements(index)
            e.statements(statements, code.emit)
            for value, (target, _) in keeps.items():
                self._store(target, lane, e.values[value])
            for (target, _), operand in zip(carried.values(), node.initial, strict=True):
                self._store(target, lane, e.rep(operand))

        used = _needed(statements) | {key(operand) for operand in node.initial}
        self._lanes(begin, statements, used, body)
        self.kept |= keeps | carried

    def _sequential(self, begin: Expr, statement: Statement) -> None:
        """A sequential loop, around a loop over lanes."""
        e, node, (scheduled,) = self.e, statement.node, statement.blocks
        assert isinstance(node, Loop)
        carried = [self.kept[value] for value, _ in _results(node)]
        round_ = e.index(node.index.name)
        more = Var(e.fresh("more"), e.element_type(INT)) if settles(e, node) else None
        none = Const(0, e.element_type(INT))

        def body(lane: Expr, index: Expr) -> None:
            e.bind(node.index, Scalar(round_))
            for parameter, (name, t) in zip(node.carried, carried, strict=True):
                e.bind(parameter, self._load(name, t, lane))
            e.statements(scheduled.statements, self.code.emit)
            for (name, _), result in zip(carried, scheduled.block.results, strict=True):
                self._store(name, lane, e.rep(result))
            if more is not None:
                e.assign(more, choose(moving(e, node), Const(1, more.type), none), "|")

        marked = tree.Lanes(() if more is None else ((ANY, more),))
        with e.gathered() as made:
            if more is not None:
                e.add(tree.Variable(more, none))
            self._lanes(begin, scheduled.statements, _needed([statement]), body, marked)
            if more is not None:
                e.when(same(more, none), [tree.Break()])
        e.count(round_, ZERO, e.extent(node.bound), made)

    def _last(self, begin: Expr, statements: Sequence[Statement]) -> None:
        """What comes after the last sequential loop, and what the generators take."""
        code = self.code

        def body(lane: Expr, index: Expr) -> None:
            self.e.statements(statements, code.emit)
            for output in code.outputs:
                code.take(output, index)

        used = _needed(statements)
        used |= {key(value) for output in code.outputs for value in output.y.values}
        self._lanes(begin, statements, used, body, code.lanes(code.outputs))

    # Loops over lanes.

    def _lanes(
        self,
        begin: Expr,
        statements: Sequence[Statement],
        used: set[Hashable],
        body: Callable[[Expr, Expr], None],
        mark: tree.Lanes = UNMARKED,
    ) -> None:
        """A loop over lanes: `body` gets the lane, and the index of its iteration."""
        e = self.e
        lane = e.index("lane")
        with e.gathered() as made:
            e.frames.append(Frame(statements))
            index = e.define(I64, self.code.node.index.name, plus(begin, lane))
            e.bind(self.code.node.index, Scalar(index))
            for value, (name, t) in self.kept.items():
                if value in used:
                    e.bind_key(value, self._load(name, t, lane))
            body(lane, index)
            e.close()
        e.count(lane, ZERO, self.lanes, made, mark=mark)

    def _array(self, t: ScalarType) -> tuple[Var, ScalarType]:
        """An array with a number for each lane; bools are ints, as wide as the other lanes."""
        kind = INT if t.kind == "bool" else t
        return self.e.room(self.e.element_type(kind), "lanes", self.lanes), t

    def _load(self, name: Var, t: ScalarType, lane: Expr) -> Scalar:
        found: Expr = load(name, lane)
        if t.kind == "bool":
            found = Binary("!=", found, Const(0, found.type))
        return self.e.scalar(found, t, "kept")

    def _store(self, name: Var, lane: Expr, rep: Rep) -> None:
        assert isinstance(rep, Scalar)
        place = load(name, lane)
        self.e.assign(place, convert(place.type, rep.value))


def _results(node: Node) -> list[tuple[Hashable, ScalarType]]:
    """What a statement makes, with the types."""
    if isinstance(node, Region):
        return [((node, n), element(t)) for n, t in enumerate(node.results) if t != CERT]
    return [(node, element(node.type))] if node.type != CERT else []


def _needed(statements: Iterable[Statement]) -> set[Hashable]:
    """What statements use."""
    found: set[Hashable] = set()
    for statement in statements:
        found.update(map(key, statement.node.operands))
        found |= inner(statement)
    return found
