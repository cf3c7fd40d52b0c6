"""functions -> functions: what vectors compute is arranged in depth.

    x = a[i], y = b[i]                  x = a[i], y = b[i]
    p = f(x)                            q = g(x, y)
    q = g(x, y)                  ->     s = h(q)
    r = p + 1                           p = f(x)
    s = h(q)                            r = p + 1
    z[i] = s - r                        z[i] = s - r

What a value needs comes just before it, what costs most first: so few values wait for each other,
and vectors stay in registers. Elements are read first, and what is stored stays at the end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from cogen.array.ir.operations import TABLE
from cogen.array.loops import tree, treewalk
from cogen.array.loops.dividing import names_of
from cogen.array.loops.tree import Block, Expr, Statement

LOOK_UP = 2
"""What a statement without operations costs, in additions."""

Unit = tuple[Statement, ...]
"""Statements that make some variables together."""


def arrange(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions with the bodies of their loops for vectors arranged."""
    return tuple([replace(f, body=_block(f.body)) for f in functions])


def _block(block: Block) -> Block:
    return tuple([_statement(statement) for statement in block])


def _statement(statement: Statement) -> Statement:
    match statement:
        case tree.For(mark=tree.Lanes(few=False), body=body):
            return replace(statement, body=arranged(body))
    return treewalk.with_blocks(statement, [_block(own) for own in treewalk.blocks(statement)])


def arranged(body: Block) -> Block:
    """Statements of which all but the last ones only make variables of their own."""
    first = next((at for at, s in enumerate(body) if not _is_element(s)), len(body))
    end = next((at for at in range(len(body), first, -1) if _makes_own(body[first:at])), first)
    rest = body[end:]
    units = _with_choices(_units(body[first:end]), rest)
    return (*body[:first], *[s for unit in _in_depth(units, rest) for s in unit], *rest)


def _is_element(statement: Statement) -> bool:
    """Whether a statement reads an element, or a bool that is one."""
    match statement:
        case tree.Let(_, tree.Load() | tree.Binary("!=", tree.Load(), tree.Const())):
            return True
    return False


def _makes_own(block: Block) -> bool:
    """Whether statements only make variables, and assign no others."""
    own = {v for s in block for v in treewalk.declared(s)}
    return all(
        isinstance(s, (tree.Let, tree.Variable, tree.IfStatement, tree.Assign))
        and (not isinstance(s, tree.Assign) or s.variable in own)
        for outer in block
        for s in treewalk.all_statements((outer,))
    )


def _units(block: Block) -> list[Unit]:
    """Statements with those that assign what they declare, and with all that comes between and
    reads that before it is assigned again."""
    found: list[Unit] = []
    for statement in block:
        assigned = _assigned(statement)
        before = [unit for unit in found if assigned & _made(unit)]
        if not before:
            found.append((statement,))
            continue
        joined: Unit = ()
        for unit in found[found.index(before[0]) :]:
            if unit in before or {n for s in unit for n in names_of(s)} & _made(joined):
                joined = (*joined, *unit)
                before.append(unit)
        joined = (*joined, statement)
        needed = {n for s in joined for n in names_of(s)}
        last = max([k for k, unit in enumerate(found) if needed & _made(unit)])
        found[last : last + 1] = [joined] if found[last] in before else [found[last], joined]
        found = [unit for unit in found if unit is joined or unit not in before]
    return found


def _assigned(statement: Statement) -> frozenset[str]:
    inner = treewalk.all_statements((statement,))
    return frozenset([s.variable.name for s in inner if isinstance(s, tree.Assign)])


def _made(unit: Unit) -> frozenset[str]:
    return frozenset([v.name for s in unit for v in treewalk.declared(s)])


def _with_choices(units: Sequence[Unit], rest: Block) -> list[Unit]:
    """The units, those that make what only a choice uses with it: they stay side by side."""
    uses = Counter(n for unit in units for s in unit for n in names_of(s) - _made(unit))
    uses.update(n for s in rest for n in names_of(s))
    found: list[Unit] = []
    for unit in units:
        made = unit
        if any(isinstance(s, tree.Let) and isinstance(s.value, tree.Choose) for s in unit):
            for other in [*reversed(found)]:
                needed = {n for s in made for n in names_of(s)}
                if _made(other) <= needed and all(uses[n] == 1 for n in _made(other)):
                    found.remove(other)
                    made = (*other, *made)
        found.append(made)
    return found


def _in_depth(units: Sequence[Unit], rest: Block) -> Iterator[Unit]:
    """The units in another order, by what the rest uses first."""
    makers = {name: at for at, unit in enumerate(units) for name in _made(unit)}
    needs = [sorted({makers[n] for s in u for n in names_of(s) if n in makers}) for u in units]
    costs: list[int] = []
    for at, unit in enumerate(units):
        costs.append(cost(unit) + sum([costs[other] for other in needs[at] if other != at]))
    placed: dict[int, None] = {}
    used = [makers[name] for name in _order_of_use(rest) if name in makers]
    waiting = [(at, False) for at in reversed(used)]
    while waiting:
        at, ready = waiting.pop()
        if at in placed:
            continue
        if ready:
            placed[at] = None
            continue
        waiting.append((at, True))
        needed = sorted(needs[at], key=lambda other: (costs[other], other))
        waiting += [(other, False) for other in needed if other != at]
    yield from [units[at] for at in placed]
    yield from [unit for at, unit in enumerate(units) if at not in placed]


def cost(unit: Unit) -> int:
    """What statements cost, in additions."""
    rows = [
        e.row
        for statement in unit
        for inner in treewalk.all_statements((statement,))
        for whole in treewalk.expressions(inner)
        for e in treewalk.within(whole)
        if isinstance(e, tree.Operate)
    ]
    return sum([TABLE[row].cost for row in rows]) if rows else LOOK_UP


def _order_of_use(block: Block) -> Iterator[str]:
    """The names in expressions of statements, in order."""
    for statement in treewalk.all_statements(block):
        for e in treewalk.expressions(statement):
            yield from _names(e)


def _names(e: Expr) -> Iterator[str]:
    if isinstance(e, tree.Var):
        yield e.name
    for inner in treewalk.operands(e):
        yield from _names(inner)
