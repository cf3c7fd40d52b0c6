"""Loop -> a loop, and another one for the case that numbers from outside are small.

    for j from 0 to 256                      if -32768 <= level && level <= 32767
        x = a[j]                                 for j from 0 to 256: with ints of 32 bits
        q[j] = max(x - level, 0)     ->      else
                                                 for j from 0 to 256: with ints of 64 bits

Nothing is known of a number from outside but that it has 64 bits, so what is computed with it has
64 bits, too; yet it hardly ever needs them. Vectors of halves do twice as much.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import reduce
from typing import Final

from cogen.array.loops import tree, treewalk
from cogen.array.loops.copying import UntakenNames
from cogen.array.loops.expressions import at_most, both, less, natural
from cogen.array.loops.narrow import Narrowing, Small
from cogen.array.loops.tree import I32, I64, Convert, Expr, Operate, Statement, Var

LIMITS: Final = (1 << 15, 1 << 18, 1 << 22, 1 << 26, 1 << 30)
"""Numbers from outside that are small are less than one of these, and no less than its negative:
the greatest with which nothing is wider than with the least."""

MOST_OUTSIDE: Final = 4
"""Of more numbers from outside nothing is asked."""


def versions(
    outside: frozenset[Var], make: Callable[[Narrowing], tree.For], names: UntakenNames
) -> Statement:
    """The loop that `make` makes with what is known of variables, which declares other names each
    time; in two versions if numbers from `outside` make it wide."""

    def with_limits(limits: Mapping[Var, int]) -> tuple[tree.For, dict[Var, None]]:
        narrowing = Narrowing(outside)
        for variable, limit in limits.items():
            narrowing.known[variable] = Small(own[variable], -limit, limit - 1)
        return make(narrowing), narrowing.missed

    own: dict[Var, Var] = {}
    wide, missed = with_limits({})
    narrow = wide
    while len(own) < len(own | missed) <= MOST_OUTSIDE:
        own |= {v: names.fresh(v.name, I32) for v in missed if v not in own}
        narrow, missed = with_limits(dict.fromkeys(own, LIMITS[0]))
    least = wide_operations(narrow)
    if least >= wide_operations(wide):
        return wide
    limits = dict.fromkeys(own, LIMITS[0])
    for variable in own:
        for limit in reversed(LIMITS[1:]):
            other, _ = with_limits(limits | {variable: limit})
            if wide_operations(other) == least:
                limits[variable], narrow = limit, other
                break
    lets = [tree.Let(small, Convert(I32, variable)) for variable, small in own.items()]
    tests = [_is_within(variable, limit) for variable, limit in limits.items()]
    return tree.IfStatement(reduce(both, tests), (*lets, narrow), (wide,))


def _is_within(variable: Var, limit: int) -> Expr:
    return both(at_most(natural(-limit), variable), less(variable, natural(limit)))


def wide_operations(loop: tree.For) -> int:
    """How many operations have ints of 64 bits."""
    return sum([
        isinstance(e, Operate) and e.operands[0].type == I64
        for s in treewalk.all_statements(loop.body)
        for whole in treewalk.expressions(s)
        for e in treewalk.within(whole)
    ])  # fmt: skip


def outside_of(loop: tree.For) -> frozenset[Var]:
    """The ints from outside that a loop computes with, or compares with others."""
    statements = list(treewalk.all_statements(loop.body))
    own = {v for s in statements for v in treewalk.declared(s)} | {loop.index}
    own |= {s.variable for s in statements if isinstance(s, tree.Assign)}
    return frozenset(
        a
        for s in statements
        for whole in treewalk.expressions(s)
        for e in treewalk.within(whole)
        if isinstance(e, Operate)
        for a in e.operands
        if isinstance(a, Var) and a.type == I64 and a not in own
    )
