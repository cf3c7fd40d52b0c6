"""Elements, rows and parts of staged arrays, assigned to: the array with other elements."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import Array, as_array, named
from cogen.staging.stagedexpressions import op, require, text
from cogen.staging.stagedindices import (
    Index,
    IndexSlice,
    index_items,
    is_known_index,
    is_one,
    leading_indices,
)
from cogen.staging.stagedreading import (
    element_at,
    first,
    flat,
    integer,
    iota,
    now_of,
    rest_of,
    rows,
    slice_of,
)
from cogen.staging.stagedscalars import Scalar, as_type, expression, is_number, join, scalar
from cogen.staging.tracer import current
from cogen.staging.wholearrays import (
    concatenated,
    converted,
    elementwise,
    extension,
    filtered,
    mapped,
)


def assign(a: Array, index: Any, value: Any) -> None:
    """`a[index] = value`."""
    if isinstance(value, list | tuple):
        value = as_array(value)
    if isinstance(value, np.ndarray):
        value = as_array(value) if value.ndim else value[()]
    if a.known is not None and is_known_index(index) and not isinstance(value, Scalar | Array):
        new = Array(None, a.element, a.ndim, a.known.copy())
        assert new.known is not None
        new.known[index] = value
        a.write(new)
        return
    put_part(a, index_items(a, index), value)


def put_part(a: Array, items: Sequence[Any], value: Any) -> None:
    new = updated(now_of(a), items, _fitting(a, value))
    new._dims, new.ones = list(a._dims), a.ones
    a.write(new)


def _fitting(a: Array, value: Any) -> Any:
    """A value as elements of the array: NumPy converts what is assigned."""
    if isinstance(value, Array):
        if value.element == a.element:
            return value
        if join([value.element, a.element]) == a.element:
            return converted(value, a.element)
        return elementwise(lambda x: scalar(x).astype(a.dtype), [value])
    if not isinstance(value, Scalar) and not is_number(value):
        fail(f"a value of type {type(value).__name__} cannot be an element of an array")
    s = scalar(value)
    if join([s.type, a.element]) == a.element:
        return Scalar(current().bind(as_type(s, a.element), a.element), a.element)
    return s.astype(a.dtype)


def updated(a: Array, items: Sequence[Any], value: Any) -> Array:
    """The array with other elements."""
    arrays = [x for x in items if isinstance(x, Array)]
    if arrays:
        return _scattered(a, items, arrays, value)
    if any(x is None for x in items):
        cannot("an index with None is not assigned to", "reshape what you assign")
    if all(isinstance(x, int | Scalar) for x in items):
        if isinstance(value, Array):
            fail("an array is assigned to one element")
        return _with(a, items, expression(value))
    if all(isinstance(x, IndexSlice) and x.whole for x in items):
        return broadcast(value, a)
    fixed = leading_indices(items)
    if fixed:
        row = updated(rows(a, fixed), items[len(fixed) :], value)
        return _with(a, fixed, row.expression())
    return _parts_updated(a, items, value)


def _with(a: Array, items: Sequence[Index], e: tree.Expression) -> Array:
    """An update of a copy: what needs no copying is found out later
    (`cogen.array.schedule.copies`)."""
    tracer = current()
    place = tracer.place
    indices = tuple([integer(x) for x in items])
    source = tracer.bind(tree.Form(place, "copy", (a.expression(),)), a.type, "a")
    target = tracer.names.fresh("a")
    names = tree.Name(place, target), tree.Name(place, source.text)

    def frame(rest: tree.Expression) -> tree.Expression:
        return tree.LetWith(place, *names, (), indices, e, rest)

    tracer.code.frames.append(frame)
    return Array(SymbolicName(target, a.type), a.element, a.ndim)


def _scattered(a: Array, items: Sequence[Any], arrays: Sequence[Array], value: Any) -> Array:
    """`a[indices] = value` and `a[mask] = value`."""
    first, *rest = items
    if len(arrays) > 1 or not isinstance(first, Array) or any(
        not (isinstance(x, IndexSlice) and x.whole) for x in rest
    ):  # fmt: skip
        cannot("only one array of indices is assigned to at once", "flatten the array: a.ravel()")
    if first.element == BOOL:
        return _where_masked(a, first, value)
    if first.ndim != 1:
        cannot("arrays of indices that are assigned to have one dimension", "flatten them")
    place = current().place
    values = value if isinstance(value, Array) and value.ndim == a.ndim else None
    if values is None:
        row = value.expression() if isinstance(value, Array) else expression(value)
        e = tree.Form(place, "replicate", (integer(first.size_of(0)), row))
        values = named(e, a.element, a.ndim)
    copied = tree.Form(place, "copy", (a.expression(),))
    e2 = extension("scatter", None, [copied, first.expression(), values.expression()])
    return named(e2, a.element, a.ndim)


def _where_masked(a: Array, mask: Array, value: Any) -> Array:
    if isinstance(value, Array):
        if mask.ndim == a.ndim > 1 and value.ndim == 1:
            flattened = _where_masked(flat(a, a.ndim), flat(mask, mask.ndim), value)
            shape = tuple([integer(n) for n in a.shape])
            e = tree.ReshapeExpression(current().place, shape, flattened.expression())
            return named(e, a.element, a.ndim)
        if mask.ndim != 1 or value.ndim != a.ndim:
            cannot("what is assigned to a mask is one number here", "use np.where(mask, new, a)")
        everywhere = iota(mask.size_of(0))
        indices = filtered(lambda keep, i: keep, [mask, everywhere])[1]
        return _scattered(a, [indices, *index_items(a, Ellipsis)[1:]], [indices], value)
    from cogen.staging.scalaroperations import select

    if mask.ndim < a.ndim:
        mask = _stretched(mask, a)
    found = elementwise(lambda keep, old: select(keep, value, old), [mask, a])
    assert isinstance(found, Array)
    return found


def _stretched(mask: Array, a: Array) -> Array:
    """A mask of the first dimensions as one of all."""

    def step(keep: Any, row: Array) -> Any:
        if isinstance(keep, Array):
            return mapped(step, [keep, row])
        return broadcast(keep, row)

    found = mapped(step, [mask, a])
    assert isinstance(found, Array)
    return found


def broadcast(value: Any, like: Array) -> Array:
    """A value as all elements of an array of the shape of another."""
    if isinstance(value, Array) and value.ndim == like.ndim and not any(value.ones):
        require_same(value, like)
        return value
    wanted = value.element if isinstance(value, Array) else value.type
    if isinstance(value, Array):
        found = elementwise(lambda x, y: x, [value, like])
    else:
        e = expression(value)
        for n in reversed(like.shape):
            e = tree.Form(current().place, "replicate", (integer(n), e))
        found = named(e, wanted, like.ndim)
    assert isinstance(found, Array)
    return found


def require_same(a: Array, b: Array) -> None:
    """Fail in a run in which two arrays differ in shape."""
    for k, (m, n) in enumerate(zip(a._dims, b._dims, strict=True)):
        if m is not None and m is n:
            continue
        left, right = a.size_of(k), b.size_of(k)
        if isinstance(left, int) and isinstance(right, int):
            if left != right:
                fail(f"an array of {left} elements is assigned to {right}")
            continue
        _assigned_to(left, right)


def _assigned_to(given: Any, taken: Any) -> None:
    """Fail in a run in which so many elements are assigned to another number of them."""
    says = text("the sizes of what is assigned, and of what it is assigned to:")
    require(op("=", integer(given), integer(taken)), says, integer(given), integer(taken))


def _parts_updated(a: Array, items: Sequence[Any], value: Any) -> Array:
    """`a[start:stop, ...] = value`, row by row."""
    part, *rest = items
    assert isinstance(part, IndexSlice)
    walked = isinstance(value, Array) and value.ndim == len(
        [x for x in items if isinstance(x, IndexSlice)]
    )
    if isinstance(value, Array) and walked and value.ones[0] and not is_one(part.length):
        value = value[0] if value.ndim > 1 else element_at(value, [0])
        walked = False
    if isinstance(value, Array) and walked:
        known = value._dims[0], part.length
        if not (known[0] is known[1] and known[0] is not None):
            _assigned_to(value.size_of(0), part.length)
    if all(isinstance(x, IndexSlice) and (x.whole or x.but_ends) for x in items):
        return _middle_updated(a, items, value, walked)
    if a.ndim == 1:
        indices = elementwise(lambda k: part.start + scalar(k) * part.step, [iota(part.length)])
        return _scattered(a, [indices], [indices], value)

    def step(k: Scalar, now: Array) -> Array:
        i = part.start + k * part.step
        new = value
        if isinstance(value, Array) and walked:
            new = element_at(value, [k]) if value.ndim == 1 else rows(value, [k])
        row = rows(now, [i])
        return _with(now, [i], updated_row(row, rest, new))

    return counted(part.length, a, step)


def _middle_updated(a: Array, items: Sequence[Any], value: Any, walked: bool) -> Array:
    """`a[1:-1, ...] = value`: what stands before, what is assigned, and what stands behind, which
    one loop makes; as almost all is assigned, nothing is lost by it. The value has an element or
    row for each place if it is `walked`."""
    part, *rest = items
    middle = slice_of(a, part)
    if all(x.whole for x in rest):
        new = broadcast(value, middle)
    elif walked:
        new = mapped(lambda row, x: updated(row, rest, x), [middle, value])
    else:
        new = mapped(lambda row: updated(row, rest, value), [middle])
    parts = [new]
    if not (isinstance(part.start, int) and part.start == 0):
        parts.insert(0, first(a, part.start))
    if not part.whole:
        parts.append(rest_of(a, part.start + part.length))
    found = concatenated(parts, 0)
    found._dims = list(a._dims)
    return found


def updated_row(row: Array, rest: Sequence[Any], value: Any) -> tree.Expression:
    """A row with other elements."""
    return updated(row, rest, value).expression()


def counted(length: Any, a: Array, step: Any) -> Array:
    """What a loop makes of an array, which counts from 0."""
    tracer = current()
    place = tracer.place
    index, name = tracer.names.fresh("k"), tracer.names.fresh("a")
    initial = tree.Form(place, "copy", (a.expression(),))
    with tracer.block() as code:
        now = Array(SymbolicName(name, a.type), a.element, a.ndim)
        body = code.close(step(Scalar(SymbolicName(index, INT), INT), now).expression())
    pattern = tree.Name(place, name)
    limit = integer(length)

    def frame(rest: tree.Expression) -> tree.Expression:
        return tree.LoopExpression(
            place, pattern, initial, tree.Name(place, index), limit, body, rest
        )

    tracer.code.frames.append(frame)
    return Array(SymbolicName(name, a.type), a.element, a.ndim)
