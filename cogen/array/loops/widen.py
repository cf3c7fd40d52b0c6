"""loop -> statements: several iterations at a time, as vectors of lanes, for OpenCL devices.

    for i from start to stop            first = start
        x = a[i]                        while first + 8 <= stop
        y[i] = log(x)             ->        w = vload8(a + first), vstore8(log(w), y + first)
                                            first = first + 8
                                        for i from first to stop: as before

Compilers for devices that are processors do not vectorise calls of `exp`, `log` and `pow` (PoCL's
`log` of one double takes some twenty times as long as each of eight), nor sums of reals. A value is
the same in all lanes, a scalar, or a vector. A bool that differs is a vector of ints, -1 where it
holds. Loops within have one number of rounds for all lanes, so these go through them together; a
conditional has both branches evaluated, and chooses.

There are no lanes where a loop can fail, stores under a condition, looks up elements at places that
are no neighbours, or has operations that vectors do not (`/`, `%` or `pow` of ints).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from cogen.array.ir.operations import TABLE
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import NewNames, replaced
from cogen.array.loops.expressions import (
    ONE,
    at_most,
    choose,
    convert,
    minus,
    natural,
    number_type,
    plus,
)
from cogen.array.loops.printopencl import VECTOR_ROWS
from cogen.array.loops.tree import (
    BOOL,
    F32,
    F64,
    I32,
    I64,
    U8,
    Binary,
    Block,
    Combination,
    Const,
    Convert,
    Expr,
    Invoke,
    Operate,
    Statement,
    Type,
    Var,
    Vector,
)

MOST_CHOSEN: Final = 40
"""How many operations the branches of a conditional have at most."""

BITS: Final = 512
"""The bits of a vector."""

Accumulators = Sequence[tuple[Combination, Var, Expr]]
"""How accumulators are combined, and what they are before the loop."""


class _NoLanes(Exception):
    """The loop is not of the kind that lanes are for."""


def widened(
    loop: tree.For, accumulators: Accumulators, arithmetic: Arithmetic, names: NewNames
) -> Block | None:
    """Statements for a loop; None if it is none for lanes."""
    if arithmetic.int_bits != arithmetic.real_bits or loop.step != ONE:
        return None
    try:
        return _Wide(loop, accumulators, arithmetic, names).statements()
    except _NoLanes:
        return None


@dataclass(frozen=True, slots=True)
class _Lane:
    """A scalar of the loop, and whether it differs between lanes: then it is a vector. `first` is
    the first lane's value where the others follow it by 1 each."""

    value: Expr
    varies: bool = False
    first: Expr | None = None


class _Wide:
    """A loop for several iterations at a time."""

    def __init__(
        self, loop: tree.For, accumulators: Accumulators, a: Arithmetic, names: NewNames
    ) -> None:
        self.loop = loop
        self.accumulators = accumulators
        self.names = names
        self.width = BITS // a.int_bits
        ints, reals = (number_type(kind, a) for kind in ("int", "real"))
        self.types = {
            "int": Vector(ints, self.width),
            "real": Vector(reals, self.width),
            "bool": Vector(ints, self.width),
        }
        self.lanes: dict[Var, _Lane] = {}
        """What stands for the variables of the loop."""
        self.out: list[Statement] = []
        self.chosen: dict[Var, _Lane] | None = None
        """What is assigned in the branch of a conditional."""

    def statements(self) -> Block:
        first = self.names.fresh(self.loop.index.name, I64)
        start: list[Statement] = [tree.Variable(first, self.loop.start)]
        vectors: list[Var] = []
        for how, variable, neutral in self.accumulators:
            vector = self.names.fresh("lanes", self.type(variable.type))
            identity = self.spread(_Lane(how.start(neutral)), variable.type)
            start.append(tree.Variable(vector, identity))
            self.lanes[variable] = _Lane(vector, True)
            vectors.append(vector)
        width = natural(self.width)
        body = (*self.iteration(first), tree.Assign(first, width, "+"))
        test = at_most(plus(first, width), self.loop.stop)
        return (
            *start,
            tree.While(test, body),
            *[made for at, vector in enumerate(vectors) for made in self.together(at, vector)],
            replace(self.loop, start=first),
        )

    def together(self, number: int, vector: Var) -> list[Statement]:
        """Combine the lanes' accumulators with the scalar one."""
        how, total, _ = self.accumulators[number]
        assert isinstance(vector.type, Vector)
        found: list[Statement] = []
        for lane in range(self.width):
            own: Expr = Invoke("lane", (vector, natural(lane)), vector.type.element)
            if total.type == BOOL:
                own = Binary("!=", own, Const(0, vector.type.element))
            found.append(tree.Assign(total, how.combine(total, own)))
        return found

    def iteration(self, first: Var) -> list[Statement]:
        ints = self.types["int"]
        at = self.names.fresh("at", ints)
        counted = plus(Convert(ints, first), Invoke("counting", (), ints))
        self.lanes[self.loop.index] = _Lane(at, True, first)
        return [tree.Let(at, counted), *self.gathered(self.loop.body)]

    # Values.

    def type(self, t: Type) -> Vector:
        """The vectors of scalars."""
        found = self.types.get(_kind(t))
        if found is None:
            raise _NoLanes
        return found

    def spread(self, lane: _Lane, t: Type) -> Expr:
        """A value, of a type where it is a scalar, as a vector."""
        if lane.varies:
            return lane.value
        vector = self.type(t)
        if t == BOOL:
            truth = choose(lane.value, Const(-1, vector.element), Const(0, vector.element))
            return Convert(vector, truth)
        return Convert(vector, lane.value)

    def vector(self, e: Expr) -> Expr:
        """An expression as a vector."""
        return self.spread(self.lane(e), e.type)

    def lane(self, e: Expr) -> _Lane:
        """What an expression is."""
        scalars = self.scalars(e)
        if scalars is not None:
            return _Lane(scalars)
        match e:
            case Var():
                return self.lanes[e]
            case Operate(row, operands):
                return self.operation(row, operands)
            case tree.Choose(test, a, b):
                tested = self.spread(self.lane(test), BOOL)
                return _Lane(choose(tested, self.vector(a), self.vector(b)), True)
            case tree.Not(a):
                return _Lane(Operate("bool.not", (self.vector(a),), self.types["bool"]), True)
            case Binary("!=", tree.Load() as place, Const()) if place.type == U8:
                ints = self.types["bool"]
                truth = Convert(ints, self.neighbours(place))
                return _Lane(Binary("!=", truth, Const(0, ints.element)), True)
            case tree.Load() if _kind(e.type):
                return _Lane(self.neighbours(e), True)
            case Binary("+" | "-" | "*" as sign, a, b):
                return self.index(sign, a, b)
            case Convert(t, a) if _kind(t) == _kind(a.type) == "int":
                lane = self.lane(a)
                return replace(lane, first=None if lane.first is None else convert(t, lane.first))
        raise _NoLanes

    def scalars(self, e: Expr) -> Expr | None:
        """An expression that is the same in all lanes; None if it is not."""
        used = [x for x in treewalk.within(e) if isinstance(x, Var) and x in self.lanes]
        if any(self.lanes[x].varies for x in used):
            return None
        return replaced(e, {x: self.lanes[x].value for x in used})

    def operation(self, row: str, operands: Sequence[Expr]) -> _Lane:
        if row not in VECTOR_ROWS:
            raise _NoLanes
        made = Operate(row, tuple(map(self.vector, operands)), self.of(TABLE[row].result.kind))
        sign = {"int.add": "+", "int.sub": "-"}.get(row)
        return _Lane(made, True, None if sign is None else self.first(sign, *operands))

    def of(self, kind: str) -> Vector:
        if kind not in self.types:
            raise _NoLanes
        return self.types[kind]

    def index(self, sign: str, a: Expr, b: Expr) -> _Lane:
        """An index, or a place."""
        if not _kind(a.type) == _kind(b.type) == "int":
            raise _NoLanes
        value = Binary(sign, self.vector(a), self.vector(b))
        return _Lane(value, True, self.first(sign, a, b))

    def first(self, sign: str, a: Expr, b: Expr) -> Expr | None:
        """The first lane's value where the others still follow it by 1 each."""
        left, right = self.lane(a), self.lane(b)
        if sign in ("+", "-") and left.first is not None and not right.varies:
            return plus(left.first, right.value) if sign == "+" else minus(left.first, right.value)
        if sign == "+" and right.first is not None and not left.varies:
            return plus(left.value, right.first)
        return None

    def place(self, base: Expr, index: Expr) -> Expr:
        """Where neighbours are, one for each lane."""
        found = self.lane(index)
        address = self.scalars(base)
        if found.first is None or address is None:
            raise _NoLanes
        return plus(address, found.first)

    def neighbours(self, e: tree.Load) -> Expr:
        if self.chosen is not None or not isinstance(e.type, tree.Number):
            raise _NoLanes
        return Invoke("vload", (self.place(e.base, e.index),), Vector(e.type, self.width))

    # Statements.

    def gathered(self, block: Block) -> list[Statement]:
        """Statements for all lanes."""
        outer, self.out = self.out, []
        for statement in block:
            self.statement(statement)
        found, self.out = self.out, outer
        return found

    def statement(self, statement: Statement) -> None:
        match statement:
            case tree.Let(variable, e):
                self.lanes[variable] = self.let(variable, self.lane(e))
            case tree.Variable(variable, e):
                own = self.names.fresh("r", self.type(variable.type))
                self.out.append(tree.Variable(own, None if e is None else self.vector(e)))
                self.lanes[variable] = _Lane(own, True)
            case tree.Assign(variable, e, "") if variable in self.lanes:
                self.assign(variable, self.vector(e))
            case tree.Store(base, index, value, ""):
                self.store(base, index, value)
            case tree.IfStatement(test, then, otherwise):
                self.choose(test, then, otherwise)
            case tree.For(index, start, stop, step, body) if self.chosen is None:
                bounds = [self.scalars(e) for e in (start, stop, step)]
                first, last, by = bounds
                if first is None or last is None or by is None:
                    raise _NoLanes
                own_index = self.names.fresh("j", index.type)
                self.lanes[index] = _Lane(own_index)
                inner = tuple(self.gathered(body))
                self.out.append(tree.For(own_index, first, last, by, inner))
            case _:
                raise _NoLanes

    def let(self, variable: Var, lane: _Lane) -> _Lane:
        """A value in a variable of its own."""
        if isinstance(lane.value, Var):
            return lane
        t: Type = self.type(variable.type) if lane.varies else variable.type
        own = self.names.fresh("w" if lane.varies else variable.name, t)
        self.out.append(tree.Let(own, lane.value))
        return replace(lane, value=own)

    def assign(self, variable: Var, value: Expr) -> None:
        if self.chosen is None:
            own = self.lanes[variable].value
            assert isinstance(own, Var)
            self.out.append(tree.Assign(own, value))
            return
        made = self.let(variable, _Lane(value, True))
        self.lanes[variable] = self.chosen[variable] = made

    def store(self, base: Expr, index: Expr, value: Expr) -> None:
        if self.chosen is not None:
            raise _NoLanes
        made = self.vector(value)
        if tree.target(base) == U8:
            bits = Binary("&", made, Const(1, self.types["bool"].element))
            made = Convert(Vector(U8, self.width), bits)
        stored = Invoke("vstore", (made, self.place(base, index)), BOOL)
        self.out.append(tree.Do(stored))

    def choose(self, test: Expr, then: Block, otherwise: Block) -> None:
        """Evaluate both branches, and choose."""
        if sum([1 for _ in treewalk.all_statements(then + otherwise)]) > MOST_CHOSEN:
            raise _NoLanes
        mask = self.spread(self.lane(test), BOOL)
        arms = [self.branch(block) for block in (then, otherwise)]
        for variable in dict.fromkeys([*arms[0], *arms[1]]):
            a, b = (arm.get(variable, self.lanes[variable]).value for arm in arms)
            self.assign(variable, choose(mask, a, b))

    def branch(self, block: Block) -> dict[Var, _Lane]:
        """What a branch assigns to variables from outside of it."""
        outer, before, self.chosen = self.chosen, dict(self.lanes), {}
        for statement in block:
            self.statement(statement)
        found = {v: lane for v, lane in self.chosen.items() if v in before}
        self.chosen, self.lanes = outer, before
        return found


def _kind(t: Type) -> str:
    """The kind of the scalars of a type; none of others."""
    if t in (I64, I32):
        return "int"
    return "bool" if t == BOOL else "real" if t in (F64, F32) else ""
