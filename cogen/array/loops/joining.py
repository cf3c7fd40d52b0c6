"""Joins what parts of the iterations have found, by their operators (`tree.Operator`).

Each part has a place in a few elements (`parts`) for what its accumulators have at its end, or
start with. So threads are joined (`cogen.array.loops.share`), and the items of a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.loops import tree
from cogen.array.loops.copying import NewNames, copied_with, replaced
from cogen.array.loops.expressions import (
    ONE,
    ZERO,
    choose,
    convert,
    load,
    natural,
    plus,
    same,
    times,
)
from cogen.array.loops.tree import (
    BOOL,
    I64,
    Address,
    Block,
    Combination,
    Const,
    Expr,
    Invoke,
    Operator,
    Statement,
    Type,
    Var,
)


def number_in(table: Expr, key: Sequence[Expr]) -> Expr:
    """The number of a key in a table; less than 0 if there is no memory."""
    return Invoke("number" if len(key) == 1 else f"number_{len(key)}", (table, *key), I64)


def number_of_small(table: Expr, key: Expr) -> Expr:
    """The same of a key of one int that is known to be small."""
    return Invoke("number_small", (table, key), I64)


def key_in(table: Expr, number: Expr, width: int) -> list[Expr]:
    """The ints of the key with a number."""
    first = times(number, natural(width))
    return [Invoke("numbers_value", (table, plus(first, natural(k))), I64) for k in range(width)]


def looked_up(table: Var, other: Expr, number: Expr, width: int) -> Expr:
    """The number in a table of the key that has a number in another."""
    return number_in(Address(table), key_in(other, number, width))


def seen(base: Expr, index: Expr, t: Type) -> Expr:
    """An element as a variable of a type has it: a bool may be a byte."""
    found = load(base, index)
    if t == BOOL and found.type != BOOL:
        return tree.Binary("!=", found, Const(0, found.type))
    return found


def at(bases: Sequence[Expr], index: Expr, operator: Operator) -> list[Expr]:
    """What is at one place behind some addresses, one for each accumulator of an operator."""
    return [seen(base, index, v.type) for base, v in zip(bases, operator.left, strict=True)]


def stored(bases: Sequence[Expr], index: Expr, values: Sequence[Expr]) -> list[Statement]:
    """Values are put at one place behind some addresses."""
    return [tree.Store(base, index, value) for base, value in zip(bases, values, strict=True)]


def kept(parts: Sequence[Expr], index: Expr, values: Sequence[Expr]) -> list[Statement]:
    """The same with what a part has, in its place."""
    pairs = zip(parts, values, strict=True)
    return stored(parts, index, [convert(tree.target(base), value) for base, value in pairs])


def applied(
    operator: Operator, left: Sequence[Expr], right: Sequence[Expr], names: NewNames
) -> tuple[Block, list[Expr]]:
    """Statements that combine two sets of values, and what they make."""
    values: dict[Var, Expr] = dict(zip(operator.left, left, strict=True))
    values |= zip(operator.right, right, strict=True)
    body, values = copied_with(operator.body, values, names)
    return body, [replaced(e, values) for e in operator.results]


def starts(
    known: Sequence[Combination | None], neutral: Sequence[Expr], is_first: Expr
) -> list[Expr]:
    """What the accumulators of a part start with: those of the first part with the values `neutral`
    that one part alone would have, the others with identities where operators have some."""
    found: list[Expr] = []
    for how, value in zip(known, neutral, strict=True):
        identity = value if how is None else how.start(value)
        found.append(value if identity == value else choose(is_first, value, identity))
    return found


def combined(
    operator: Operator, totals: Sequence[Var], values: Sequence[Expr], names: NewNames
) -> list[Statement]:
    """The totals become what they are combined with values."""
    body, results = applied(operator, totals, values, names)
    made: list[Statement] = [*body]
    new = [names.fresh("v", total.type) for total in totals]
    made += [tree.Let(own, e) for own, e in zip(new, results, strict=True)]
    return [*made, *[tree.Assign(total, own) for total, own in zip(totals, new, strict=True)]]


def folded(
    operator: Operator, totals: Sequence[Var], parts: Sequence[Expr], count: Expr, names: NewNames
) -> Statement:
    """The totals, of the first part, become those of all parts."""
    index = names.fresh("t", I64)
    body = combined(operator, totals, at(parts, index, operator), names)
    return tree.For(index, ONE, count, ONE, tuple(body))


def summed_before(
    operator: Operator, parts: Sequence[Expr], neutral: Sequence[Expr], count: Expr, names: NewNames
) -> list[Statement]:
    """Replace what each part has by what all parts before it have, the first one's by `neutral`."""
    totals = [names.fresh("total", v.type) for v in operator.left]
    made: list[Statement] = [
        tree.Variable(total, convert(total.type, value))
        for total, value in zip(totals, neutral, strict=True)
    ]
    index = names.fresh("t", I64)
    own = [names.fresh("own", v.type) for v in operator.left]
    values = at(parts, index, operator)
    body: list[Statement] = [tree.Let(v, e) for v, e in zip(own, values, strict=True)]
    body += kept(parts, index, totals)
    taken = [tree.Assign(total, value) for total, value in zip(totals, own, strict=True)]
    more = combined(operator, totals, own, names)
    body.append(tree.IfStatement(same(index, ZERO), tuple(taken), tuple(more)))
    return [*made, tree.For(index, ZERO, count, ONE, tuple(body))]


def with_before(
    operator: Operator,
    before: Sequence[Expr],
    outs: Sequence[Expr],
    bounds: tuple[Expr, Expr],
    names: NewNames,
) -> list[Statement]:
    """Combine what comes `before` a part with each element that it has accumulated."""
    first = [names.fresh("before", v.type) for v in operator.left]
    made: list[Statement] = [tree.Let(own, e) for own, e in zip(first, before, strict=True)]
    index = names.fresh("i", I64)
    old = [names.fresh("x", v.type) for v in operator.left]
    values = at(outs, index, operator)
    body: list[Statement] = [tree.Let(own, e) for own, e in zip(old, values, strict=True)]
    more, results = applied(operator, first, old, names)
    body += [*more, *stored(outs, index, results)]
    return [*made, tree.For(index, *bounds, ONE, tuple(body))]
