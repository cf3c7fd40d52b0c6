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

from cogen.array.codegen import reps
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import Frame, inner, key
from cogen.array.codegen.operators import all_known
from cogen.array.codegen.regions import is_choice
from cogen.array.codegen.reps import Rep, Scalar
from cogen.array.codegen.settling import moving, settles
from cogen.array.codegen.survey import is_flat_statement
from cogen.array.node import Collect, If, Loop, Node, Operation, Reduce, Region
from cogen.array.schedule import Statement
from cogen.array.types import CERT, INT, element, rank
from cogen.array.types import Scalar as ScalarType
from cogen.target import ctree as ct

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode

BYTES: Final = 256
"""How much the lanes of the widest numbers are: four vectors, so that four operations advance at
once while one would wait for its own last result."""

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
        self.lanes = str(BYTES // (max(arithmetic.int_bits, arithmetic.real_bits) // 8))
        self.kept: dict[Hashable, tuple[str, ScalarType]] = {}
        """What a loop over lanes leaves for later ones: arrays, and the types of the values."""

    def loop(self, start: str, stop: str) -> str:
        """The code for most of the iterations; the index where the rest starts."""
        e = self.e
        size = stop if start == "0" else f"{reps.atom(stop)} - {reps.atom(start)}"
        blocks = f"{reps.atom(size)} / {self.lanes} * {self.lanes}"
        whole = e.define("int64_t", "whole", reps.plus(start, blocks))
        begin = e.fresh("begin")
        with e.gathered() as made:
            self._block(begin)
        step = ct.Assign(ct.Name(begin), ct.Name(self.lanes), "+=")
        test = ct.Binary("<", ct.Name(begin), ct.Name(whole))
        e.add(ct.For(ct.Declare("int64_t", begin, ct.Name(start)), test, step, tuple(made)))
        return whole

    def _block(self, begin: str) -> None:
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
        self, begin: str, statements: Sequence[Statement], rest: Sequence[Statement], first: bool
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

        def body(lane: str, index: str) -> None:
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

    def _sequential(self, begin: str, statement: Statement) -> None:
        """A sequential loop, around a loop over lanes."""
        e, node, (scheduled,) = self.e, statement.node, statement.blocks
        assert isinstance(node, Loop)
        carried = [self.kept[value] for value, _ in _results(node)]
        round_ = e.fresh(node.index.name)
        more = e.fresh("more") if settles(e, node) else None

        def body(lane: str, index: str) -> None:
            e.bind(node.index, Scalar(round_))
            for parameter, (name, t) in zip(node.carried, carried, strict=True):
                e.bind(parameter, self._load(name, t, lane))
            e.statements(scheduled.statements, self.code.emit)
            for (name, _), result in zip(carried, scheduled.block.results, strict=True):
                self._store(name, lane, e.rep(result))
            if more is not None:
                e.assign(more, f"{reps.atom(moving(e, node))} ? 1 : 0", "|=")

        clause = "" if more is None else f" reduction(|:{more})"
        with e.gathered() as made:
            if more is not None:
                e.add(ct.Declare(e.element_type(INT), more, ct.Name("0")))
            self._lanes(begin, scheduled.statements, _needed([statement]), body, clause)
            if more is not None:
                e.add(ct.If(ct.Name(f"{more} == 0"), (ct.Break(),)))
        e.add(e.counting(round_, "0", e.text(node.bound), made))

    def _last(self, begin: str, statements: Sequence[Statement]) -> None:
        """What comes after the last sequential loop, and what the generators take."""
        code = self.code

        def body(lane: str, index: str) -> None:
            self.e.statements(statements, code.emit)
            for output in code.outputs:
                code.take(output, index)

        used = _needed(statements)
        used |= {key(value) for output in code.outputs for value in output.y.values}
        self._lanes(begin, statements, used, body, code.reductions(code.outputs))

    # Loops over lanes.

    def _lanes(
        self,
        begin: str,
        statements: Sequence[Statement],
        used: set[Hashable],
        body: Callable[[str, str], None],
        clauses: str = "",
    ) -> None:
        """A loop over lanes: `body` gets the lane, and the index of its iteration."""
        e = self.e
        lane = e.fresh("lane")
        with e.gathered() as made:
            e.frames.append(Frame(statements))
            index = e.define("int64_t", self.code.node.index.name, f"{begin} + {lane}")
            e.bind(self.code.node.index, Scalar(index))
            for value, (name, t) in self.kept.items():
                if value in used:
                    e.bind_key(value, self._load(name, t, lane))
            body(lane, index)
            e.close()
        e.add(ct.Pragma("omp simd" + clauses), e.counting(lane, "0", self.lanes, made))

    def _array(self, t: ScalarType) -> tuple[str, ScalarType]:
        """An array with a number for each lane; bools are ints, as wide as the other lanes."""
        name = self.e.fresh("lanes")
        kind = INT if t.kind == "bool" else t
        self.e.add(ct.Declare(self.e.element_type(kind), f"{name}[{self.lanes}]"))
        return name, t

    def _load(self, name: str, t: ScalarType, lane: str) -> Scalar:
        text = f"{name}[{lane}]"
        return self.e.scalar(f"({text} != 0)" if t.kind == "bool" else text, t, "kept")

    def _store(self, name: str, lane: str, rep: Rep) -> None:
        assert isinstance(rep, Scalar)
        self.e.assign(f"{name}[{lane}]", rep.text)


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
