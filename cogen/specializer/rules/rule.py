"""What a rule is: how the specializer carries out one primitive on symbolic values.

`rule(path, values, site)` gives the result of the operation at a site; what must happen at run
time it emits to the path.  A failure that is certain is raised as `PrimitiveError`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

from cogen.lang.datum import NIL, Datum, Pair, iterate
from cogen.lang.errors import Span
from cogen.lang.prims import PRIMITIVES, PrimitiveRow
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import PartialPair, Static, Test, Value
from cogen.specializer.values.value_facts import can_fail, datum_of, type_of

Rule = Callable[[Path, tuple[Value, ...], OperationSite], Value]


def known(values: Sequence[Value]) -> bool:
    """Whether all values are constants."""
    return all(type(value) is Static for value in values)


def fold(op: str, values: Sequence[Value]) -> Value:
    """Carry out a primitive on constants."""
    return Static(PRIMITIVES[op].python(*[value.datum for value in values]))  # type: ignore[union-attr]


def delayed(path: Path, op: str, values: tuple[Value, ...], site: OperationSite) -> Value:
    """A predicate that only the residual program can decide: now, or as a `Test` for later."""
    if not site.delay:
        return path.emit(op, values, site)
    fails = can_fail(op, [type_of(value) for value in values])
    span = path.placed(site.span) if fails or path.context.nodes else site.span
    test = Test(op, values, fails, span)
    if fails:
        path.settle()
        path.pending = test
    return test


_MADE_AHEAD = frozenset({"string", "list", "vector"})
"""Types of new objects that known data gives ahead: a run can only tell them by identity."""


def _made(path: Path, row: PrimitiveRow, datum: Datum) -> Value:
    """The value of a primitive carried out ahead; a new vector or list is one of the path's."""
    if row.effect == "pure":
        return Static(datum)
    if type(datum) is list:
        return path.allocate("vector", [Static(item) for item in datum])
    if row.result != "list" or not path.context.pairs.may_be_assigned:
        return Static(datum)
    return make_list(path, [Static(item) for item in iterate(datum)], row.name)


def _bytes_last(path: Path) -> bool:
    return not path.context.mutations.bytes


_LOOKING: dict[str, Callable[[Path], bool]] = {
    "bytevector-u8-ref": _bytes_last,
    "utf8->string": _bytes_last,
}
"""Operations on what might be assigned: whether it is as it was made, wherever it is from."""


def make_pair(
    path: Path, car: Value, cdr: Value, key: Hashable = None, span: Span | None = None
) -> Value:
    """What `(cons car cdr)` gives at a place, of which this is the key (`advice.assigned`).
    Where pairs may be assigned, an immutable one keeps its identity, so it is no constant; one
    that a definition makes is made once, and is a constant that is no other one."""
    context = path.context
    site = (key, None if span is None else span.start)
    if context.pairs.may_be_assigned and context.pairs.is_mutable(*site):
        return path.allocate("pair", (car, cdr), span)
    if context.globals.evaluating and type(car) is Static and type(cdr) is Static:
        made = Pair(car.datum, cdr.datum)
        context.pairs.defined(made, site)
        return Static(made)
    if context.pairs.may_be_assigned:
        return PartialPair(car, cdr, None, site)
    return context.constants.pair(car, cdr)


MOST_CHARACTERS: Final = 1 << 24
"""A longer text is none that a residual program should hold."""


def make_list(
    path: Path, values: Sequence[Value], key: Hashable = None, span: Span | None = None
) -> Value:
    """A list of the values, made at a place."""
    result: Value = Static(NIL)
    for value in reversed(values):
        result = make_pair(path, value, result, key, span)
    return result


def pair_operation(
    path: Path, key: Hashable, op: str, values: tuple[Value, ...], site: OperationSite
) -> Value:
    """What one of the `PAIR_OPERATIONS` gives at the place of the program that has this key."""
    if op == "cons":
        return make_pair(path, values[0], values[1], key, site.span)
    path.context.pairs.assign(key, values[0])
    return path.context.rule(op)(path, values, site)


def general(op: str) -> Rule:
    """The rule of a primitive that has none of its own: carried out if it is a function of known
    data, else emitted."""
    row = PRIMITIVES[op]
    foldable = not row.context and (
        row.effect == "pure" or (row.effect == "alloc" and row.result in _MADE_AHEAD)
    )
    predicate = row.effect == "pure" and row.result == "bool" and not row.context

    def rule(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if foldable or (op in _LOOKING and _LOOKING[op](path)):
            data = [datum_of(value) for value in values]
            if all(datum is not None for datum in data):
                made = row.python(*data)
                if type(made) is str and len(made) > MOST_CHARACTERS:
                    path.context.limits.too_long(len(made), site.span)
                return _made(path, row, made)
        if predicate:
            return delayed(path, op, values, site)
        return path.emit(op, values, site)

    return rule
