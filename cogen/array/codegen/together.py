"""Reductions that advance together, so that none of them waits for its own last addition.

streams     one reduction goes through four parts of its iterations at once, with accumulators for
            each:  for i < n: s += f(i)   ->   for i < n/4: s0 += f(i), s1 += f(i + n/4), ...
jam         four iterations around a reduction become one, with a single inner loop:
            for j < m: (for k < n: s += f(j, k)), use s   ->
            for j < m, j += 4: (for k < n: s0 += f(j, k), s1 += f(j + 1, k), ...), use s0, s1, ...
            What the iterations read alike is read once. Likewise around two loops, so that what
            the inner ones read of arrays alike is read from memory once.

C's compiler vectorises a reduction, but with one vector of accumulators, whose additions wait for
each other: 3 or 4 cycles each, where a processor begins two of them in a cycle.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Final

from cogen.array.codegen.aiming import aim
from cogen.array.codegen.frames import Frame
from cogen.array.codegen.looplanes import LoopLanes, has_lanes
from cogen.array.codegen.operators import all_known, known_operators
from cogen.array.codegen.regions import Variables
from cogen.array.codegen.reps import Rep, Scalar
from cogen.array.codegen.survey import is_flat, is_flat_statement, statements_of
from cogen.array.loops import tree
from cogen.array.loops.build import ZERO, choose, less, minus, natural, over, plus, times
from cogen.array.loops.tree import I64, Expr, Var
from cogen.array.node import Collect, Index, Multiloop, Node, Operation, Part, Reduce
from cogen.array.operations import TABLE
from cogen.array.schedule import Scheduled, Statement
from cogen.array.types import rank

if TYPE_CHECKING:
    from cogen.array.codegen.multiloop import LoopCode

TOGETHER: Final = 4
"""How many parts, or iterations, advance together."""

LEAST: Final = 4096
"""Fewer iterations are not divided: the loops' beginnings and ends would cost more."""

MOST_WORK: Final = 24
"""What costs more, in additions, keeps a processor busy as it is."""


def together(code: LoopCode, start: Expr, stop: Expr) -> Expr:
    """Code for most of the iterations, where they can advance together; the index where the rest
    starts, for which a plain loop is to be made."""
    e = code.e
    if not e.parallel and e.optimises("jam") and jams(code):
        return jam(code, start, stop)
    if e.optimises("lanes") and has_lanes(code):
        return LoopLanes(code).loop(start, stop)
    if e.optimises("streams") and has_streams(code):
        return streams(code, start, stop)
    return start


def has_streams(code: LoopCode) -> bool:
    """Whether a loop is nothing but cheap reductions that the compiler knows."""
    return (
        code.flat
        and all(isinstance(o.y.generator, Reduce) for o in code.outputs)
        and _work(code.body) <= MOST_WORK
    )


def streams(code: LoopCode, start: Expr, stop: Expr) -> Expr:
    """The loop over most of the iterations, in four parts; the index where the rest starts."""
    e = code.e
    size = minus(stop, start)
    few = less(size, natural(LEAST))
    part = e.define(I64, "part", choose(few, ZERO, over(size, natural(TOGETHER))))
    own = [output.variables for output in code.outputs]
    copies = [own, *[_more_accumulators(code) for _ in range(TOGETHER - 1)]]
    index = e.index(code.node.index.name)
    accumulators: list[tuple[str, Var]] = []
    with e.gathered() as made:
        for number, variables in enumerate(copies):
            _use(code, variables)
            accumulators += code.lanes(code.outputs).accumulators
            at = index
            if number > 0:
                ahead = times(natural(number), part)
                at = e.define(I64, code.node.index.name, plus(index, ahead))
            code.iteration(at)
    _use(code, own)
    mark = tree.Lanes(tuple(accumulators))
    e.count(index, start, plus(start, part), made, mark=mark)
    for variables in copies[1:]:
        _combine(code, variables)
    return e.define(I64, "rest", plus(start, times(natural(TOGETHER), part)))


def _more_accumulators(code: LoopCode) -> list[Variables | None]:
    """Further accumulators, which add nothing to a result: the identity or, of a minimum, what
    the first ones start with."""
    found: list[Variables | None] = []
    for output in code.outputs:
        assert output.variables is not None
        initial: list[Rep] = [
            Scalar(name if known is None else known.start(name))
            for known, name in zip(output.known, output.variables.names, strict=True)
        ]
        types = [node.type for node in output.y.neutral]
        found.append(Variables.declare(code.e, types, "sum", initial))
    return found


def _use(code: LoopCode, variables: Sequence[Variables | None]) -> None:
    for output, own in zip(code.outputs, variables, strict=True):
        output.variables = own


def _combine(code: LoopCode, others: Sequence[Variables | None]) -> None:
    """Combine the accumulators with others."""
    for output, other in zip(code.outputs, others, strict=True):
        assert output.variables is not None
        assert other is not None
        code.accumulate(output, [Scalar(name) for name in other.names])


# Jam.


def jams(code: LoopCode) -> bool:
    """Whether the iterations of a loop are one cheap reduction each, all of the same size, and
    plain operations, which give scalars; or one such loop each, all of the same size, which gives
    rows."""
    return _jams(code.node, code.body, frozenset())


def _jams(node: Multiloop, body: Scheduled, bound: frozenset[Node]) -> bool:
    """`bound` is what differs between the iterations that become one."""
    if body.guarded or body.block.effects:
        return False
    if any(not isinstance(g, Collect) or g.conditional for g in node.generators):
        return False
    around = [s for s in body.statements if not isinstance(s.node, Multiloop)]
    if len(around) != len(body.statements) - 1 or not all(map(_is_plain, around)):
        return False
    inner = _inner(body)
    assert isinstance(inner.node, Multiloop)
    bound = bound or frozenset(body.block.binds)
    if not inner.node.size.free.isdisjoint(bound | frozenset(body.block.binds)):
        return False
    values = [value for y in node.yields() for value in y.values]
    if not any(rank(value.type) for value in values):
        return _is_cheap_reduction(inner)
    rows = all(isinstance(value, Part) and value.node is inner.node for value in values)
    return rows and rank(values[0].type) == 1 and _jams(inner.node, inner.blocks[0], bound)


def _inner(body: Scheduled) -> Statement:
    return next(s for s in body.statements if isinstance(s.node, Multiloop))


def _is_plain(statement: Statement) -> bool:
    return isinstance(statement.node, Index) or is_flat_statement(statement)


def _is_cheap_reduction(statement: Statement) -> bool:
    node = statement.node
    assert isinstance(node, Multiloop)
    known = [known_operators(y.operator) if y.operator is not None else [] for y in node.yields()]
    return (
        all(isinstance(generator, Reduce) for generator in node.generators)
        and all(map(all_known, known))
        and is_flat(statement, known)
        and _work(statement.blocks[0]) <= MOST_WORK
    )


def _work(body: Scheduled) -> int:
    """What an iteration costs, in additions."""
    return sum([_cost(statement.node) for statement in statements_of(body)])


def _cost(node: Node) -> int:
    return TABLE[node.name].cost if isinstance(node, Operation) else 1


def jam(code: LoopCode, start: Expr, stop: Expr) -> Expr:
    """The loop over most of the iterations, four at a time; the index where the rest starts."""
    e, body = code.e, code.body
    at_once = natural(TOGETHER)
    whole = times(over(minus(stop, start), at_once), at_once)
    rest = e.define(I64, "rest", plus(start, whole))
    inner = _inner(body)
    at = body.statements.index(inner)
    index = e.index(code.node.index.name)
    outside = e.values
    with e.gathered() as made:
        e.frames.append(Frame(body.statements, body.block.results))
        copies = []
        for number in range(TOGETHER):
            e.values = dict(outside)
            own = index
            if number > 0:
                own = e.define(I64, code.node.index.name, plus(index, natural(number)))
            code.bind_elements(own)
            aim(code, body.statements, code.outputs, own)
            e.statements(body.statements[:at], code.emit)
            loop = type(code)(e, inner, code.emit)
            loop.prepare()
            copies.append((own, loop, e.values, [output.aimed for output in code.outputs]))
        _joint([(loop, values) for _, loop, values, _ in copies])
        for own, loop, values, aimed in copies:
            e.values = values
            loop.bind()
            e.statements(body.statements[at + 1 :], code.emit)
            for output, rows in zip(code.outputs, aimed, strict=True):
                output.aimed = rows
                code.take(output, own)
        e.values = outside
        e.close()
    e.count(index, start, rest, made, at_once)
    return rest


Copies = Sequence[tuple["LoopCode", dict[Hashable, Rep]]]
"""Codes of one loop for several iterations around it, with the values that each has."""


def _joint(copies: Copies) -> None:
    """One loop for the loops of several iterations."""
    first = copies[0][0]
    if all(isinstance(generator, Reduce) for generator in first.node.generators):
        _reductions(copies)
        return
    e, body = first.e, first.body
    inner = _inner(body)
    at = body.statements.index(inner)
    index = e.index(first.node.index.name)
    with e.gathered() as made:
        e.frames.append(Frame(body.statements, body.block.results))
        within = []
        for code, values in copies:
            e.values = dict(values)
            code.bind_elements(index)
            e.statements(body.statements[:at], code.emit)
            within.append((type(code)(e, inner, code.emit), e.values))
        _reductions(within)
        for (code, _), (loop, values) in zip(copies, within, strict=True):
            e.values = values
            loop.bind()
            e.statements(body.statements[at + 1 :], code.emit)
            for output in code.outputs:
                code.take(output, index)
        e.close()
    e.count(index, ZERO, first.size, made)


def _reductions(copies: Copies) -> None:
    """One loop for the reductions of several iterations."""
    first = copies[0][0]
    e = first.e
    accumulators: list[tuple[str, Var]] = []
    for loop, values in copies:
        e.values = values
        for output in loop.outputs:
            loop.accumulators(output)
        accumulators += loop.lanes(loop.outputs).accumulators
    index = e.index(first.node.index.name)
    with e.gathered() as made:
        for loop, values in copies:
            e.values = values
            loop.iteration(index)
    e.count(index, ZERO, first.size, made, mark=tree.Lanes(tuple(accumulators)))
