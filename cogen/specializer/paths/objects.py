"""Mutable objects of a store: which values lead to, and how residual ones are made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from cogen.specializer.paths.context import Context
from cogen.specializer.values import domain
from cogen.specializer.values.freeze import Store, static_token

_LEAVES = frozenset(
    {domain.Static, domain.Dynamic, domain.Cyclic, domain.Primitive, domain.Return, domain.Stop}
)
_ALLOCATE: Final = {"cell": "make-cell", "vector": "vector", "pair": "cons"}
MANY: Final = 8
"""Elements of a vector that are the same, so that they are not written one by one."""
RARE: Final = 4
"""One element in so many may be another one, which is then assigned."""


def reachable(
    context: Context, store: Store, values: Iterable[Any], through_procedures: bool
) -> Iterator[domain.Ref | domain.Reified]:
    """All store objects and reified continuations that code given these values could reach; or
    those that it could without calling procedures among them."""
    seen: set[Any] = set()
    work = list(values)
    globals_added = False
    while work:
        value = work.pop()
        kind = type(value)
        if kind is domain.Ref:
            if value.number in seen or context.barriers.holds(value.number):
                continue
            seen.add(value.number)
            yield value
            content = store[value.number]
            if type(content) is domain.Cell:
                work.extend(content.items)
            continue
        if kind in _LEAVES or id(value) in seen:
            continue
        if kind is domain.Closure and not through_procedures:
            continue
        seen.add(id(value))
        if kind is domain.PartialPair:
            if value.ground is None:
                work.extend((value.car, value.cdr))
        elif kind is domain.PartialRecord:
            work.extend(value.fields)
        elif kind is domain.Several:
            work.extend(value.values)
        elif kind is domain.Test:
            work.extend(value.arguments)
        elif kind is domain.Reified:
            yield value
            work.append(value.continuation)
        elif kind is domain.Closure:
            names = context.liveness.of_function(value.function)
            work.extend(value.environment[name] for name in names)
        elif kind is domain.Frame:
            names = context.liveness.of_cont(value.cont)
            work.extend(value.environment[name] for name in names)
        if kind in (domain.Closure, domain.Frame, domain.Reified) and not globals_added:
            globals_added = True
            work.extend(context.globals.roots().values())


def allocation(
    kind: Any, items: Sequence[domain.Value]
) -> tuple[str, Sequence[domain.Value], Sequence[int]]:
    """The operation that makes an object of these parts, and which of them are to be assigned
    then: those of a long vector that are not as most are.

        (vector x 0 0 0 0 0 0 0 0 0 0 0 0)  =>  (make-vector 13 0), and x for the first
    """
    if type(kind) is not str:
        return "make-record", (domain.Static(kind), *items), ()
    if kind == "vector" and len(items) > MANY:
        usual = _most(items)
        if usual is not None:
            value, others = usual
            return "make-vector", (domain.Static(len(items)), value), others
    return _ALLOCATE[kind], items, ()


def _most(items: Sequence[domain.Value]) -> tuple[domain.Value, Sequence[int]] | None:
    """The constant that most of many items are, and the positions of the others; None if these
    are not few."""
    tokens = [static_token(item.datum) if type(item) is domain.Static else None for item in items]
    [(token, times)] = Counter(tokens).most_common(1)
    others = len(items) - times
    if token is None or (others and MANY + RARE * others > len(items)):
        return None
    return items[tokens.index(token)], [i for i, one in enumerate(tokens) if one != token]


def assignment(
    kind: Any, object: domain.Value, index: int, item: domain.Value
) -> tuple[str, Sequence[domain.Value]]:
    """The operation that assigns part `index` of a residual object."""
    if kind == "cell":
        return "cell-set!", (object, item)
    if kind == "vector":
        return "vector-set!", (object, domain.Static(index), item)
    if kind == "pair":
        return "set-cdr!" if index else "set-car!", (object, item)
    return "record-set!", (domain.Static(kind), domain.Static(index), object, item)
