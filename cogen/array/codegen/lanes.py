"""Loops of plain operations as vectors of lanes, for OpenCL devices that are processors.

    for (; i + 8 <= stop; i += 8) {             eight iterations at a time; the others follow
        const double8 x = vload8(0, a + i);     one by one in the usual code
        const double8 v = log(x);
        vstore8(v, 0, y + i);
    }

Compilers for such devices do not vectorise calls of `exp`, `log` and `pow` (PoCL's `log` of one
double takes some twenty times as long as each of eight), nor sums of reals. A value is the same in
all lanes, a scalar of the code, or a vector. A bool that differs is a vector of ints, -1 where it
holds. Loops within, sequential ones and reductions, have one number of iterations for all lanes, so
these go through them together; a conditional has both branches evaluated, and chooses.

`NoLanes` says that a loop is not of this kind: it fails, stores under a condition, scans, looks up
elements at places that it computes, calls `/`, `%` or `pow` of ints, or makes rows.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from cogen.array.codegen import reps
from cogen.array.codegen.emitter import Emitter
from cogen.array.codegen.frames import key
from cogen.array.codegen.multiloop import LoopCode
from cogen.array.codegen.outputs import Output
from cogen.array.codegen.reps import Array, Counter, Memory
from cogen.array.loops import tree
from cogen.array.loops.build import (
    ONE,
    ZERO,
    at_most,
    choose,
    minus,
    natural,
    number_type,
    plus,
    times,
)
from cogen.array.loops.opencl import VECTOR_ROWS
from cogen.array.loops.tree import (
    Binary,
    Const,
    Convert,
    Expr,
    Invoke,
    Operate,
    Var,
    Vector,
)
from cogen.array.node import (
    Collect,
    Constant,
    If,
    Index,
    Loop,
    Multiloop,
    Node,
    Operation,
    Reduce,
)
from cogen.array.operations import TABLE
from cogen.array.schedule import Scheduled, Statement
from cogen.array.types import CERT, Type, element, rank
from cogen.array.types import Scalar as ScalarType

MOST_CHOSEN: Final = 40
"""How many operations the branches of a conditional have at most."""


class NoLanes(Exception):
    """The loop is not of the kind that lanes are for."""


@dataclass(frozen=True, slots=True)
class Lane:
    """A scalar of the loop, and whether it differs between lanes: then it is a vector.

    `first` is the first lane's value where the others follow it by 1 each.
    """

    value: Expr
    varies: bool = False
    first: Expr | None = None


class Lanes:
    """The body of a loop for several iterations at a time."""

    def __init__(self, code: LoopCode) -> None:
        self.code = code
        self.e: Emitter = code.e
        a = self.e.program.arithmetic
        if a.int_bits != a.real_bits:
            raise NoLanes
        self.width = 512 // a.int_bits
        ints, reals = (number_type(kind, a) for kind in ("int", "real"))
        self.types = {
            "int": Vector(ints, self.width),
            "real": Vector(reals, self.width),
            "bool": Vector(ints, self.width),
        }
        self.values: dict[Hashable, Lane] = {}
        self.inside: set[Hashable] = _bound(code.statement)

    # The loop.

    def can(self) -> bool:
        """Whether the generators are collections of scalars, and reductions in any order."""
        for output in self.code.outputs:
            y = output.y
            if any(rank(value.type) or value.type == CERT for value in y.values):
                return False
            if isinstance(y.generator, Collect) and y.condition is None:
                continue
            if not isinstance(y.generator, Reduce) or any(k is None for k in output.known):
                return False
        return True

    def loop(self, index: Var, stop: Expr) -> None:
        """All iterations but the last few; `index` is a variable, which is moved on."""
        e = self.e
        accumulators = {
            id(output): self._accumulators(output)
            for output in self.code.outputs
            if isinstance(output.y.generator, Reduce)
        }
        with e.gathered() as made:
            self._iteration(index, accumulators)
        width = natural(self.width)
        made.append(tree.Assign(index, width, "+"))
        e.add(tree.While(at_most(plus(index, width), stop), tuple(made)))
        for output in self.code.outputs:
            for number, name in enumerate(accumulators.get(id(output), ())):
                self._together(output, number, name)

    def _accumulators(self, output: Output) -> list[Var]:
        e = self.e
        found = []
        for node, known in zip(output.y.neutral, output.known, strict=True):
            assert known is not None
            kind = element(node.type).kind
            start = self.spread(Lane(known.start(e.scalar_of(node))), kind)
            found.append(e.variable(self.types[kind], "lanes", start))
        return found

    def _together(self, output: Output, number: int, vector: Var) -> None:
        """Combine the lanes' accumulators with the scalar one."""
        assert output.variables is not None
        known = output.known[number]
        assert known is not None
        total = output.variables.names[number]
        is_bool = element(output.y.neutral[number].type).kind == "bool"
        t = self._type(element(output.y.neutral[number].type).kind).element
        for lane in range(self.width):
            own: Expr = Invoke("lane", (vector, natural(lane)), t)
            if is_bool:
                own = Binary("!=", own, Const(0, t))
            self.e.assign(total, known.combine(total, own))

    def _iteration(self, index: Var, accumulators: Mapping[int, Sequence[Var]]) -> None:
        code = self.code
        ints = self.types["int"]
        lanes = plus(Convert(ints, index), Invoke("counting", (), ints))
        own = self.e.define(ints, "at", lanes)
        self.values[key(code.node.index)] = Lane(own, True, index)
        for parameter, array in zip(code.node.elements, code.inputs, strict=True):
            if not rank(parameter.type) and parameter.type != CERT:
                self.values[key(parameter)] = self.element(array, [Lane(own, True, index)])
        self.block(code.body)
        for output in code.outputs:
            if isinstance(output.y.generator, Reduce):
                self._accumulate(output, accumulators[id(output)])
                continue
            for array, value in zip(output.arrays, output.y.values, strict=True):
                self._store(array, index, self.lookup(value))

    def block(self, body: Scheduled) -> None:
        """The statements of a block, guarded ones too: these cannot fail, and are not needed where
        their condition does not hold."""
        for statement in body.statements:
            self.statement(statement)
        for guarded in body.guarded:
            _check_chosen(guarded.statements)
            for statement in guarded.statements:
                self.statement(statement)

    def _store(self, array: Memory, index: Expr, value: Lane) -> None:
        kind = array.element.kind
        made = self.spread(value, kind)
        if kind == "bool":
            truth = Binary("&", made, Const(1, self.types["bool"].element))
            made = Convert(Vector(tree.U8, self.width), truth)
        if array.strides != (ONE,):
            raise NoLanes
        self.e.do("vstore", made, plus(array.data, index))

    def _accumulate(self, output: Output, names: Sequence[Var]) -> None:
        y, operator = output.y, output.operator
        assert operator is not None
        values = [self.lookup(value) for value in y.values]
        new = self.combined(operator, [Lane(name, True) for name in names], values)
        if y.condition is not None:
            test = self.lookup(y.condition)
            new = [
                self.chosen(test, lane, Lane(name, True), element(node.type).kind)
                for lane, name, node in zip(new, names, y.neutral, strict=True)
            ]
        self.assign(names, new, [element(node.type).kind for node in y.neutral])

    def combined(
        self, operator: Scheduled, left: Sequence[Lane], right: Sequence[Lane]
    ) -> list[Lane]:
        """What an operator makes of two sets of values."""
        for parameter, lane in zip(operator.block.parameters, [*left, *right], strict=True):
            self.values[key(parameter)] = lane
        self.block(operator)
        return [self.lookup(result) for result in operator.block.results]

    def assign(self, names: Sequence[Var], values: Sequence[Lane], kinds: Sequence[str]) -> None:
        """Assign vectors to variables, all at once."""
        made = [self.spread(lane, kind) for lane, kind in zip(values, kinds, strict=True)]
        if len(made) > 1:
            made = [
                self.e.define(self.types[kind], "next", value)
                for value, kind in zip(made, kinds, strict=True)
            ]
        for name, value in zip(names, made, strict=True):
            self.e.assign(name, value)

    # Values.

    def lookup(self, node: Node) -> Lane:
        """A scalar of the loop, or from outside."""
        found = self.values.get(key(node))
        if found is not None:
            return found
        if isinstance(node, Constant) or node.type == CERT:
            return Lane(self.e.scalar_of(node))
        if self._is_inside(node) or rank(node.type):
            raise NoLanes
        return Lane(self.e.scalar_of(node))

    def _is_inside(self, node: Node) -> bool:
        found = key(node)
        return (found[0] if isinstance(found, tuple) else found) in self.inside

    def spread(self, lane: Lane, kind: str) -> Expr:
        """A value as a vector."""
        t = self._type(kind)
        if lane.varies:
            return lane.value
        if kind == "bool":
            return Convert(t, choose(lane.value, Const(-1, t.element), Const(0, t.element)))
        return Convert(t, lane.value)

    def _type(self, kind: str) -> Vector:
        found = self.types.get(kind)
        if found is None:  # chars
            raise NoLanes
        return found

    def vector(self, kind: str, value: Expr, first: Expr | None = None) -> Lane:
        """A vector in a variable of its own."""
        return Lane(self.e.define(self._type(kind), "w", value), True, first)

    def chosen(self, test: Lane, a: Lane, b: Lane, kind: str) -> Lane:
        """One of two values, by a condition."""
        if not (test.varies or a.varies or b.varies):
            found = choose(test.value, a.value, b.value)
            return Lane(self.e.scalar(found, ScalarType(kind, 0)).value)
        condition = self.spread(test, "bool")
        return self.vector(kind, choose(condition, self.spread(a, kind), self.spread(b, kind)))

    # Statements.

    def statement(self, statement: Statement) -> None:
        """The code of a statement."""
        node = statement.node
        match node:
            case Operation():
                self.values[key(node)] = self.operation(node)
            case Index() if not rank(node.type):
                array = self._array(node.array)
                found = self.element(array, [self.lookup(i) for i in node.indices])
                self.values[key(node)] = found
            case If():
                self.if_(statement, node)
            case Loop():
                self.inner_loop(statement, node)
            case Multiloop():
                self.inner_reduction(statement, node)
            case _:
                raise NoLanes

    def operation(self, node: Operation) -> Lane:
        e, t = self.e, TABLE[node.name]
        lanes = [self.lookup(operand) for operand in node.operands]
        if not any(lane.varies for lane in lanes):
            value = e.operation(node.name, [lane.value for lane in lanes])
            return Lane(e.scalar(value, t.result).value)
        if node.name not in VECTOR_ROWS:
            raise NoLanes
        kinds = [operand.kind for operand in t.operands]
        vectors = [self.spread(lane, kind) for lane, kind in zip(lanes, kinds, strict=True)]
        made = Operate(node.name, tuple(vectors), self._type(t.result.kind))
        return self.vector(t.result.kind, made, _first(node.name, lanes))

    def _array(self, node: Node) -> Array:
        """An array from outside."""
        if self._is_inside(node):
            raise NoLanes
        return self.e.array(node)

    def element(self, array: Array, indices: Sequence[Lane]) -> Lane:
        """An element of an array from outside; neighbours where lanes have neighbouring indices."""
        e, kind = self.e, array.element.kind
        places = [lane.value for lane in indices]
        if not any(lane.varies for lane in indices):
            return Lane(e.scalar(reps.element(array, places), array.element, "x").value)
        if len(indices) != len(array.shape) or any(lane.varies for lane in indices[:-1]):
            raise NoLanes
        last = indices[-1]
        if isinstance(array, Counter):
            start = plus(array.start, reps.offset(array.strides[:-1], places[:-1]))
            ints = self.types["int"]
            scaled = times(Convert(ints, array.strides[-1]), last.value)
            return self.vector("int", plus(Convert(ints, start), scaled))
        if not isinstance(array, Memory):
            return Lane(array.value)
        if array.strides[-1] != ONE or last.first is None:
            raise NoLanes
        place = plus(reps.offset(array.strides[:-1], places[:-1]), last.first)
        neighbours = Vector(e.element_type(array.element), self.width)
        found: Expr = Invoke("vload", (plus(array.data, place),), neighbours)
        if kind == "bool":
            ints = self.types["bool"]
            found = Binary("!=", Convert(ints, found), Const(0, ints.element))
        return self.vector(kind, found)

    def if_(self, statement: Statement, node: If) -> None:
        """Evaluate both branches, and choose."""
        test = self.lookup(node.condition)
        branches = []
        for block in statement.blocks:
            _check_chosen(block.statements)
            for within in block.statements:
                self.statement(within)
            branches.append(block.block.results)
        for number, (t, a, b) in enumerate(zip(node.results, *branches, strict=True)):
            if t == CERT:
                continue
            _check_scalars([t])
            kind = element(t).kind
            found = self.chosen(test, self.lookup(a), self.lookup(b), kind)
            self.values[node, number] = found

    def inner_loop(self, statement: Statement, node: Loop) -> None:
        """A sequential loop that all lanes go through together."""
        bound = self.lookup(node.bound)
        if bound.varies:
            raise NoLanes
        _check_scalars(node.results)
        kinds = [element(t).kind for t in node.results]
        names = [
            self.e.variable(self._type(kind), "r", self.spread(self.lookup(initial), kind))
            for initial, kind in zip(node.initial, kinds, strict=True)
        ]
        (body,) = statement.blocks
        with self.repeated(self.e.wide(bound.value)) as index:
            self.values[key(node.index)] = Lane(index)
            for parameter, name in zip(node.carried, names, strict=True):
                self.values[key(parameter)] = Lane(name, True)
            self.block(body)
            self.assign(names, [self.lookup(r) for r in body.block.results], kinds)
        for number, name in enumerate(names):
            self.values[node, number] = Lane(name, True)

    def inner_reduction(self, statement: Statement, node: Multiloop) -> None:
        """Reductions of arrays from outside, which all lanes go through together."""
        size = self.lookup(node.size)
        yields = node.yields()
        if size.varies or any(
            not isinstance(y.generator, Reduce) or y.condition is not None for y in yields
        ):
            raise NoLanes
        _check_scalars(node.results)
        arrays = [self._array(array) for array in node.inputs]
        body, *operators = statement.blocks
        kinds = [[element(neutral.type).kind for neutral in y.neutral] for y in yields]
        names = [
            [
                self.e.variable(self._type(kind), "r", self.spread(self.lookup(neutral), kind))
                for neutral, kind in zip(y.neutral, own, strict=True)
            ]
            for y, own in zip(yields, kinds, strict=True)
        ]
        with self.repeated(self.e.wide(size.value)) as index:
            self.values[key(node.index)] = Lane(index)
            for parameter, array in zip(node.elements, arrays, strict=True):
                if not rank(parameter.type) and parameter.type != CERT:
                    self.values[key(parameter)] = self.element(array, [Lane(index)])
            self.block(body)
            for y, operator, own, found in zip(yields, operators, kinds, names, strict=True):
                values = [self.lookup(value) for value in y.values]
                lanes = [Lane(name, True) for name in found]
                self.assign(found, self.combined(operator, lanes, values), own)
        for y, found in zip(yields, names, strict=True):
            for number, name in enumerate(found, y.first):
                self.values[node, number] = Lane(name, True)

    @contextmanager
    def repeated(self, bound: Expr) -> Iterator[Expr]:
        """A loop around what is made within; gives its index."""
        index = self.e.index("j")
        with self.e.gathered() as made:
            yield index
        self.e.count(index, ZERO, bound, made)


def _first(name: str, lanes: Sequence[Lane]) -> Expr | None:
    """The first lane's value of a sum where the others still follow it by 1 each."""
    if name not in ("int.add", "int.sub"):
        return None
    a, b = lanes
    if a.first is not None and not b.varies:
        return plus(a.first, b.value) if name == "int.add" else minus(a.first, b.value)
    if name == "int.add" and b.first is not None and not a.varies:
        return plus(b.first, a.value)
    return None


def _check_scalars(types: Sequence[Type]) -> None:
    if any(rank(t) or element(t).kind not in ("int", "real", "bool") for t in types):
        raise NoLanes


def _check_chosen(statements: Sequence[Statement]) -> None:
    """NoLanes unless statements can be evaluated where they are not needed: they read nothing."""
    waiting, count = list(statements), 0
    while waiting:
        statement = waiting.pop()
        count += 1
        if not isinstance(statement.node, (Operation, If)) or count > MOST_CHOSEN:
            raise NoLanes
        for block in statement.blocks:
            waiting.extend(block.statements)


def _bound(statement: Statement) -> set[Hashable]:
    """The keys of what is made or bound within a statement."""
    found: set[Hashable] = set()
    for block in statement.blocks:
        found.update([key(parameter) for parameter in block.block.parameters])
        for within in (*block.statements, *[s for g in block.guarded for s in g.statements]):
            found.add(key(within.node))
            found |= _bound(within)
    return found
