"""Lists that grow in staged loops: streams where a round only makes them longer, and else arrays
with room, which the loop carries.

    for x in a:                   xs = flatMap(fn [real] (int i) =>
        if x > 0:           ->              if 0 < a[i] then [f(a[i])] else [], iota(n))
            xs.append(f(x))

A round that gives one element is a map's.  Where anything else is carried from round to round, or
the list is read in the loop, the loop carries an array of twice the size each time it is full, and
the number of elements.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from cogen.array.l0 import tree
from cogen.array.l0.types import INT, ArrayType, TupleType, Type
from cogen.array.scheme.l0code import Code
from cogen.staging.listelements import joined, leaves_of, rows_of, with_held
from cogen.staging.stagedarrays import Array
from cogen.staging.stagedlists import ListRows, StagedList
from cogen.staging.stagedreading import iota
from cogen.staging.tracer import AgainError, current
from cogen.staging.wholearrays import (
    expression_of,
    extension,
    row_types,
    together,
    type_of,
    unzipped,
    zipped,
)


@dataclass(slots=True, eq=False)
class ListGrowth:
    """What is guessed of a list that a loop changes: elements of what kind it has, and whether
    rounds only make it longer."""

    like: ListRows
    is_stream: bool = True

    def seal(self) -> Callable[[], Any]:
        """What is called where the loop that has begun asks what stands in the list before."""
        region = current().regions[-1]

        def read() -> Any:
            self.is_stream = False
            raise AgainError(region)

        return read


@dataclass(frozen=True, slots=True, eq=False)
class ListRound:
    """What a round puts behind a list: the parts of an element (`single`), or an array of
    elements."""

    xs: StagedList
    parts: list[tree.Expression]
    types: list[Type]
    like: ListRows
    single: bool


def list_rounds(streams: Sequence[tuple[StagedList, Any]]) -> list[ListRound] | None:
    """What a round does to lists, which hold this at its end; None where one loop over streams
    does not say it."""
    found: list[ListRound] = []
    for xs, content in streams:
        elements, rows, _ = content
        single = rows is None and len(elements) == 1
        if not single and len(streams) > 1:
            return None
        if single:
            leaves, build, shape = leaves_of(elements[0])
            types = [type_of(leaf) for leaf in leaves]
            parts = [expression_of(leaf) for leaf in leaves]
            like = with_held(ListRows((), build, shape), elements[0])
        else:
            like = rows_of(content, None)
            if any(a.ndim > 1 for a in like.leaves):
                return None
            types, parts = row_types(like.leaves), [zipped(like.leaves)]
        found.append(ListRound(xs, parts, types, like, single))
    return found


def emit_streams(
    rounds: Sequence[ListRound], code: Code, outer: Code, count: Any, index: str
) -> None:
    """Put what all rounds give behind the lists: one element of each, or any number of one's."""
    place = current().place
    indices = iota(count).expression()
    types = [t for own in rounds for t in own.types]
    row = types[0] if len(types) == 1 else TupleType(tuple(types))
    number = tree.Parameter(tree.Name(place, index), INT)
    single = rounds[0].single
    body = outer.close(code.close(together([e for own in rounds for e in own.parts])))
    result = row if single else ArrayType(row)
    function = tree.LambdaExpression(place, result, (number,), body)
    e: tree.Expression = extension("flatMap", function, [indices])
    if single:
        e = tree.SoacExpression(place, "map", False, (function,), None, (indices,))
    leaves: list[Array] = unzipped(e, types)
    for a in leaves if single else ():
        a._dims[0] = count
    for own in rounds:
        put_behind(own.xs, own.like.of(leaves[: len(own.types)]))
        leaves = leaves[len(own.types) :]


def put_behind(xs: StagedList, more: ListRows) -> None:
    """Make a list longer."""
    current().touch(xs, "a list")
    elements, rows, sealed = xs.content()
    before = None if rows is None and not elements else rows_of(xs.content(), more)
    xs.restore(([], more if before is None else joined(before, more), sealed))
