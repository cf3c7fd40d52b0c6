"""Elements of staged arrays: what `a[...]` gives, and what assigning to it does.

a[i], a[i, j]           an element, or a row (a view)
a[1:-1, ::2]            a part (a view)
a[mask], a[indices]     elements that are chosen, as a new array
a[...] = x              the array with other elements; in a run, in its memory
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, INT, array_of
from cogen.array.scheme.symbolicvalues import Name
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import INDEXING, Array, View, as_array, named
from cogen.staging.stagedscalars import (
    Scalar,
    apply,
    as_type,
    bind,
    constant,
    expression,
    is_number,
    join,
    op,
    require,
    scalar,
    text,
)
from cogen.staging.tracer import current
from cogen.staging.wholearrays import converted, elementwise, extension, filtered, mapped

Index = int | Scalar


class Part:
    """A slice of one dimension: where it starts, how many elements, and the step."""

    def __init__(self, start: Index, length: Index, step: int, whole: bool) -> None:
        self.start = start
        self.length = length
        self.step = step
        self.whole = whole


def at(a: Array, index: Any, dimension: int = 0) -> Index:
    """An index of a dimension; a known one below 0 counts from the end."""
    if isinstance(index, Scalar):
        if index.type == INT:
            return index
        if index.type == BOOL:
            cannot("a staged truth value is no index", "use x.astype(int)")
        fail("an index must be an int", "use x.astype(int)")
    if isinstance(index, bool | np.bool_) or not isinstance(index, int | np.integer):
        fail(f"an index must be an int, not {type(index).__name__}")
    n = int(index)
    if n >= 0:
        return n
    size = a.size_of(dimension)
    return size + n  # type: ignore[no-any-return]  # an int or a scalar


def _items(a: Array, index: Any) -> list[Any]:
    """The index for each dimension: an index, a `Part`, an array, or None for a new dimension."""
    given = list(index) if isinstance(index, tuple) else [index]
    taken = sum([_dimensions(x) for x in given])
    if taken > a.ndim:
        fail(f"{taken} indices for an array of {a.ndim} dimensions")
    filling = [slice(None)] * (a.ndim - taken)
    where = [k for k, x in enumerate(given) if x is Ellipsis]
    if len(where) > 1:
        fail("an index has at most one `...`")
    given = given[: where[0]] + filling + given[where[0] + 1 :] if where else given + filling
    found: list[Any] = []
    dimension = 0
    for x in given:
        if x is None:
            found.append(None)
            continue
        if isinstance(x, slice):
            found.append(_part(a, x, dimension))
        elif isinstance(x, Array | np.ndarray | list):
            found.append(as_array(x))
        else:
            found.append(at(a, x, dimension))
        dimension += _dimensions(x)
    return found


def _dimensions(x: Any) -> int:
    if x is None or x is Ellipsis:
        return 0
    if isinstance(x, Array):
        return x.ndim if x.element == BOOL else 1
    if isinstance(x, np.ndarray) and x.dtype == bool:
        return x.ndim
    return 1


def _part(a: Array, s: slice, dimension: int) -> Part:
    """A slice, within the dimension as NumPy has it."""
    step = 1 if s.step is None else s.step
    if isinstance(step, Scalar):
        cannot("the step of a slice must be known", "annotate it with cogen.static")
    step = int(step)
    if step == 0:
        fail("the step of a slice is 0")
    if s.start is None and s.stop is None and step == 1:
        return Part(0, a.size_of(dimension), 1, True)
    size = a.size_of(dimension)
    if step > 0:
        start = 0 if s.start is None else _clipped(s.start, size)
        stop = size if s.stop is None else _clipped(s.stop, size)
        distance = stop - start
    else:
        start = size - 1 if s.start is None else _last(s.start, size)
        stop = -1 if s.stop is None else _last(s.stop, size)
        distance = start - stop
    width = abs(step)
    length = distance if width == 1 else (distance + (width - 1)) // width
    return Part(start, apply("maximum", length, 0), step, False)


def _clipped(bound: Any, size: Any) -> Any:
    if isinstance(bound, Scalar):
        _not_negative(bound)
        return apply("minimum", bound, size)
    if int(bound) < 0:
        return apply("maximum", size + int(bound), 0)
    return apply("minimum", int(bound), size) if int(bound) else 0


def _not_negative(bound: Scalar) -> None:
    """A bound of a slice that a run computes does not count from the end."""
    says = text("a computed bound of a slice is negative:"), expression(bound)
    require(op("<=", constant(0), expression(bound)), *says)


def _last(bound: Any, size: Any) -> Any:
    """A bound of a slice that walks down."""
    if isinstance(bound, Scalar):
        _not_negative(bound)
        return apply("minimum", bound, size - 1)
    if int(bound) < 0:
        return apply("maximum", size + int(bound), -1)
    return apply("minimum", int(bound), size - 1)


# Reading.


def get(a: Array, index: Any) -> Any:
    """What `a[index]` is."""
    if a.known is not None and _is_known(index):
        found = a.known[index]
        if not isinstance(found, np.ndarray):
            return found
        if isinstance(index, np.ndarray | list):
            return as_array(found)
    items = _items(a, index)
    arrays = [x for x in items if isinstance(x, Array)]
    if arrays:
        return _chosen(a, items, arrays)
    if all(isinstance(x, int | Scalar) for x in items):
        return _element(a, items)
    if not any(x is None for x in items) and all(isinstance(x, Part) and x.whole for x in items):
        return View(a, lambda: _now(a), lambda v: assign(a, Ellipsis, v), a.element, a.ndim, a.ones)
    ndim = len([x for x in items if not isinstance(x, int | Scalar)])
    ones = _ones(a, items)
    return View(a, lambda: _taken(a, items), lambda v: _put(a, items, v), a.element, ndim, ones)


def _is_known(index: Any) -> bool:
    if isinstance(index, tuple | list):
        return all(_is_known(x) for x in index)
    if isinstance(index, slice):
        return all(_is_known(x) for x in (index.start, index.stop, index.step))
    return not isinstance(index, Scalar | Array)


def _now(a: Array) -> Array:
    return a.now() if isinstance(a, View) else Array(a.source(), a.element, a.ndim, None, a.ones,
                                                     tuple(a._dims))  # fmt: skip


def _ones(a: Array, items: Sequence[Any]) -> tuple[bool, ...]:
    found: list[bool] = []
    dimension = 0
    for x in items:
        if x is None:
            found.append(True)
            continue
        if isinstance(x, Part):
            found.append(a.ones[dimension] if x.whole else _is_one(x.length))
        dimension += 1
    return tuple(found)


def integer(x: Index) -> tree.Expression:
    """An expression of an index or a size."""
    return as_type(scalar(x), INT)


def _element(a: Array, items: Sequence[Index]) -> Scalar:
    e = _index(a, items)
    return bind(e, a.element, "e")


def _index(a: Array, items: Sequence[Index]) -> tree.Expression:
    place = current().place
    name = tree.Name(place, a.source().text)
    return tree.Index(place, name, (), tuple([integer(x) for x in items]))


def rows(a: Array, items: Sequence[Index]) -> Array:
    """What some indices leave of an array of more dimensions."""
    found = named(_index(a, items), a.element, a.ndim - len(items), "row")
    found.ones = a.ones[len(items) :]
    found._dims = list(a._dims[len(items) :])
    return found


def _taken(a: Array, items: Sequence[Any]) -> Array:
    """A part of an array, dimension by dimension."""
    fixed: list[Index] = []
    for x in items:
        if not isinstance(x, int | Scalar):
            break
        fixed.append(x)
    if fixed:
        inner = rows(a, fixed)
        rest = list(items[len(fixed) :])
        return inner if all(isinstance(x, Part) and x.whole for x in rest) else _taken(inner, rest)
    first, *rest = items
    if first is None:
        inner = _taken(a, rest) if rest else a
        e = tree.Form(current().place, "replicate", (constant(1), inner.expression()))
        found = named(e, a.element, inner.ndim + 1)
        found._dims = [1, *inner._dims]
        found.ones = (True, *inner.ones)
        return found
    assert isinstance(first, Part)
    array = _slice(a, first)
    if all(isinstance(x, Part) and x.whole for x in rest):
        return array

    def step(row: Any) -> Any:
        if isinstance(row, Scalar):
            return _stretched_scalar(row, len(rest))
        if all(isinstance(x, int | Scalar) for x in rest):
            return _element(row, rest)
        return _taken(row, rest)

    found = mapped(step, [array])
    assert isinstance(found, Array)
    return found


def _stretched_scalar(s: Scalar, dimensions: int) -> Array:
    """A number as an array of one element."""
    e = expression(s)
    for _ in range(dimensions):
        e = tree.Array(current().place, (e,))
    found = named(e, s.type, dimensions)
    found._dims = [1] * dimensions
    found.ones = (True,) * dimensions
    return found


def _slice(a: Array, part: Part) -> Array:
    """A part of the first dimension."""
    if part.whole:
        return a
    if part.step == 1:
        found = _rest(a, part.start)
        found = _first(found, part.length)
    else:
        indices = iota(part.length)

        def step(k: Scalar) -> Any:
            i = part.start + k * part.step
            return _element(a, [i]) if a.ndim == 1 else rows(a, [i])

        found = mapped(step, [indices])
    found._dims = [part.length, *a._dims[1:]]
    found.ones = (part.length == 1 if isinstance(part.length, int) else False, *a.ones[1:])
    return found


def _rest(a: Array, start: Index) -> Array:
    if isinstance(start, int) and start == 0:
        return a
    return _split(a, start)[1]


def _first(a: Array, length: Index) -> Array:
    return _split(a, length)[0]


def _split(a: Array, where: Index) -> tuple[Array, Array]:
    tracer = current()
    e = tree.Form(tracer.place, "split", (integer(where), a.expression()))
    names = [tracer.names.fresh("part") for _ in range(2)]
    pattern = tree.TuplePattern(e.span, tuple([tree.Name(e.span, text) for text in names]))
    tracer.code.frames.append(lambda rest: tree.Let(e.span, pattern, e, rest))
    t = array_of(a.element, a.ndim)
    first, second = (Array(Name(text, t), a.element, a.ndim) for text in names)
    return first, second


def iota(length: Any) -> Array:
    """0 and so on, so many."""
    if isinstance(length, int):
        return as_array(np.arange(length))
    e = tree.Form(current().place, "iota", (integer(length),))
    found = named(e, INT, 1, "indices")
    found._dims = [length]
    return found


def _chosen(a: Array, items: Sequence[Any], arrays: Sequence[Array]) -> Array:
    """Elements that arrays choose."""
    if len(arrays) == 1 and arrays[0].element == BOOL and isinstance(items[0], Array):
        return _masked(a, arrays[0], items)
    if any(x.element == BOOL for x in arrays):
        cannot("a mask is not combined with other indices here", "a[mask] first, then the other")
    if any((isinstance(x, Part) and not x.whole) or x is None for x in items):
        cannot("arrays of indices are not combined with slices here", "take the slice first")
    heads = [k for k, x in enumerate(items) if not isinstance(x, Part)]
    if heads != list(range(len(heads))):
        cannot("arrays of indices come before slices here", "transpose the array first")
    fixed = [items[k] for k in heads]

    def step(*indices: Any) -> Any:
        given = [x if isinstance(x, Scalar) else scalar(x) for x in indices]
        if len(given) == a.ndim:
            return _element(a, given)
        return rows(a, given)

    found = elementwise(step, fixed)
    assert isinstance(found, Array)
    return found


def _masked(a: Array, mask: Array, items: Sequence[Any]) -> Array:
    rest = items[1:]
    if any(not (isinstance(x, Part) and x.whole) for x in rest):
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
    found = named(tree.Reshape(current().place, shape, a.expression()), a.element,
                  a.ndim - dimensions + 1)  # fmt: skip
    found._dims = [whole, *sizes[dimensions:]]
    return found


# Assigning.


def assign(a: Array, index: Any, value: Any) -> None:
    """`a[index] = value`."""
    if isinstance(value, list | tuple):
        value = as_array(value)
    if isinstance(value, np.ndarray):
        value = as_array(value) if value.ndim else value[()]
    if a.known is not None and _is_known(index) and not isinstance(value, Scalar | Array):
        new = Array(None, a.element, a.ndim, a.known.copy())
        assert new.known is not None
        new.known[index] = value
        a.write(new)
        return
    _put(a, _items(a, index), value)


def _put(a: Array, items: Sequence[Any], value: Any) -> None:
    new = updated(_now(a), items, _fitting(a, value))
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
    if all(isinstance(x, Part) and x.whole for x in items):
        return broadcast(value, a)
    fixed: list[Index] = []
    for x in items:
        if not isinstance(x, int | Scalar):
            break
        fixed.append(x)
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
    return Array(Name(target, a.type), a.element, a.ndim)


def _scattered(a: Array, items: Sequence[Any], arrays: Sequence[Array], value: Any) -> Array:
    """`a[indices] = value` and `a[mask] = value`."""
    first, *rest = items
    if len(arrays) > 1 or not isinstance(first, Array) or any(
        not (isinstance(x, Part) and x.whole) for x in rest
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
        if mask.ndim != 1 or value.ndim != a.ndim:
            cannot("what is assigned to a mask is one number here", "use np.where(mask, new, a)")
        everywhere = iota(mask.size_of(0))
        indices = filtered(lambda keep, i: keep, [mask, everywhere])[1]
        return _scattered(a, [indices, *_items(a, Ellipsis)[1:]], [indices], value)
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
    assert isinstance(part, Part)
    walked = isinstance(value, Array) and value.ndim == len(
        [x for x in items if isinstance(x, Part)]
    )
    if isinstance(value, Array) and walked and value.ones[0] and not _is_one(part.length):
        value = value[0] if value.ndim > 1 else _element(value, [0])
        walked = False
    if isinstance(value, Array) and walked:
        known = value._dims[0], part.length
        if not (known[0] is known[1] and known[0] is not None):
            _assigned_to(value.size_of(0), part.length)
    if a.ndim == 1:
        indices = elementwise(lambda k: part.start + scalar(k) * part.step, [iota(part.length)])
        return _scattered(a, [indices], [indices], value)

    def step(k: Scalar, now: Array) -> Array:
        i = part.start + k * part.step
        new = value
        if isinstance(value, Array) and walked:
            new = _element(value, [k]) if value.ndim == 1 else rows(value, [k])
        row = rows(now, [i])
        return _with(now, [i], updated_row(row, rest, new))

    return counted(part.length, a, step)


def _is_one(n: Any) -> bool:
    return isinstance(n, int) and n == 1


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
        now = Array(Name(name, a.type), a.element, a.ndim)
        body = code.close(step(Scalar(Name(index, INT), INT), now).expression())
    pattern = tree.Name(place, name)
    limit = integer(length)

    def frame(rest: tree.Expression) -> tree.Expression:
        return tree.Loop(place, pattern, initial, tree.Name(place, index), limit, body, rest)

    tracer.code.frames.append(frame)
    return Array(Name(name, a.type), a.element, a.ndim)


INDEXING["get"] = get
INDEXING["set"] = assign
