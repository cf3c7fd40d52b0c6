"""Elements, rows and parts of staged arrays, read: what an index takes of what an array holds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, array_of
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.sourceplaces import cannot
from cogen.staging.stagedarrays import Array, View, as_array, named
from cogen.staging.stagedexpressions import constant
from cogen.staging.stagedindices import Index, IndexSlice, leading_indices
from cogen.staging.stagedscalars import Scalar, as_type, bind, expression, scalar
from cogen.staging.tracer import current
from cogen.staging.wholearrays import elementwise, filtered, mapped


def now_of(a: Array) -> Array:
    return a.now() if isinstance(a, View) else Array(a.source(), a.element, a.ndim, None, a.ones,
                                                     tuple(a._dims))  # fmt: skip


def integer(x: Index) -> tree.Expression:
    """An expression of an index or a size."""
    return as_type(scalar(x), INT)


def element_at(a: Array, items: Sequence[Index]) -> Scalar:
    e = _index(a, items)
    return bind(e, a.element, "e")


def _index(a: Array, items: Sequence[Index]) -> tree.Expression:
    place = current().place
    name = tree.Name(place, a.source().text)
    return tree.IndexExpression(place, name, (), tuple([integer(x) for x in items]))


def rows(a: Array, items: Sequence[Index]) -> Array:
    """What some indices leave of an array of more dimensions."""
    found = named(_index(a, items), a.element, a.ndim - len(items), "row")
    found.ones = a.ones[len(items) :]
    found._dims = list(a._dims[len(items) :])
    return found


def taken_part(a: Array, items: Sequence[Any]) -> Array:
    """A part of an array, dimension by dimension."""
    fixed = leading_indices(items)
    if fixed:
        inner = rows(a, fixed)
        rest = list(items[len(fixed) :])
        return (
            inner
            if all(isinstance(x, IndexSlice) and x.whole for x in rest)
            else taken_part(inner, rest)
        )
    part, *rest = items
    if part is None:
        inner = taken_part(a, rest) if rest else a
        e = tree.Form(current().place, "replicate", (constant(1), inner.expression()))
        found = named(e, a.element, inner.ndim + 1)
        found._dims = [1, *inner._dims]
        found.ones = (True, *inner.ones)
        return found
    assert isinstance(part, IndexSlice)
    array = slice_of(a, part)
    if all(isinstance(x, IndexSlice) and x.whole for x in rest):
        return array

    def step(row: Any) -> Any:
        if isinstance(row, Scalar):
            return _stretched_scalar(row, len(rest))
        if all(isinstance(x, int | Scalar) for x in rest):
            return element_at(row, rest)
        return taken_part(row, rest)

    found = mapped(step, [array])
    assert isinstance(found, Array)
    return found


def _stretched_scalar(s: Scalar, dimensions: int) -> Array:
    """A number as an array of one element."""
    e = expression(s)
    for _ in range(dimensions):
        e = tree.ArrayExpression(current().place, (e,))
    found = named(e, s.type, dimensions)
    found._dims = [1] * dimensions
    found.ones = (True,) * dimensions
    return found


def slice_of(a: Array, part: IndexSlice) -> Array:
    """A part of the first dimension."""
    if part.whole:
        return a
    if isinstance(part.step, int) and part.step == 1:
        found = rest_of(a, part.start)
        found = first(found, part.length)
    else:
        indices = iota(part.length)

        def step(k: Scalar) -> Any:
            i = part.start + k * part.step
            return element_at(a, [i]) if a.ndim == 1 else rows(a, [i])

        found = mapped(step, [indices])
    found._dims = [part.length, *a._dims[1:]]
    found.ones = (part.one, *a.ones[1:])
    return found


def rest_of(a: Array, start: Index) -> Array:
    """What is left behind so many elements."""
    if isinstance(start, int) and start == 0:
        return a
    return _split(a, start)[1]


def first(a: Array, length: Index) -> Array:
    """So many elements from the beginning on."""
    return _split(a, length)[0]


def _split(a: Array, where: Index) -> tuple[Array, Array]:
    tracer = current()
    e = tree.Form(tracer.place, "split", (integer(where), a.expression()))
    names = [tracer.names.fresh("part") for _ in range(2)]
    pattern = tree.TuplePattern(e.span, tuple([tree.Name(e.span, text) for text in names]))
    tracer.code.frames.append(lambda rest: tree.LetExpression(e.span, pattern, e, rest))
    t = array_of(a.element, a.ndim)
    before, behind = (Array(SymbolicName(text, t), a.element, a.ndim) for text in names)
    return before, behind


def iota(length: Any) -> Array:
    """0 and so on, so many."""
    if isinstance(length, int):
        return as_array(np.arange(length))
    e = tree.Form(current().place, "iota", (integer(length),))
    found = named(e, INT, 1, "indices")
    found._dims = [length]
    return found


def chosen_elements(a: Array, items: Sequence[Any], arrays: Sequence[Array]) -> Array:
    """Elements that arrays choose."""
    if len(arrays) == 1 and arrays[0].element == BOOL and isinstance(items[0], Array):
        return _masked(a, arrays[0], items)
    if any(x.element == BOOL for x in arrays):
        cannot("a mask is not combined with other indices here", "a[mask] first, then the other")
    if any((isinstance(x, IndexSlice) and not x.whole) or x is None for x in items):
        cannot("arrays of indices are not combined with slices here", "take the slice first")
    heads = [k for k, x in enumerate(items) if not isinstance(x, IndexSlice)]
    if len(heads) == 1 and heads[0] and isinstance(items[heads[0]], Array):
        return _chosen_along(a, heads[0], items[heads[0]])
    if heads != list(range(len(heads))):
        cannot("arrays of indices come before slices here", "transpose the array first")
    fixed = [items[k] for k in heads]

    def step(*indices: Any) -> Any:
        given = [x if isinstance(x, Scalar) else scalar(x) for x in indices]
        if len(given) == a.ndim:
            return element_at(a, given)
        return rows(a, given)

    found = elementwise(step, fixed)
    assert isinstance(found, Array)
    return found


def _chosen_along(a: Array, axis: int, chosen: Array) -> Array:
    """What indices choose along a dimension, in the place of which theirs stand."""
    if axis == 0:
        return chosen_elements(a, [chosen], [chosen]) if a.ndim == 1 else _rows_of(a, chosen)
    found = mapped(lambda row: _chosen_along(row, axis - 1, chosen), [a])
    assert isinstance(found, Array)
    return found


def _rows_of(a: Array, chosen: Array) -> Array:
    found = elementwise(lambda i: rows(a, [i]), [chosen])
    assert isinstance(found, Array)
    return found


def _masked(a: Array, mask: Array, items: Sequence[Any]) -> Array:
    rest = items[1:]
    if any(not (isinstance(x, IndexSlice) and x.whole) for x in rest):
        cannot("a mask is not combined with other indices here", "a[mask] first, then the other")
    if mask.ndim > 1:
        a, mask = flat(a, mask.ndim), flat(mask, mask.ndim)
    found = filtered(lambda keep, row: keep, [mask, a])
    return found[1]


def flat(a: Array, dimensions: int) -> Array:
    """An array whose first dimensions are one."""
    if dimensions < 2:
        return a
    sizes = a.shape
    whole: Any = 1
    for n in sizes[:dimensions]:
        whole = whole * n
    shape = tuple([integer(n) for n in (whole, *sizes[dimensions:])])
    found = named(tree.ReshapeExpression(current().place, shape, a.expression()), a.element,
                  a.ndim - dimensions + 1)  # fmt: skip
    found._dims = [whole, *sizes[dimensions:]]
    return found
