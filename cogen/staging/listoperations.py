"""What lists of staged functions do: as lists of Python where they are known, and on the arrays of
their elements where they are not (`cogen.staging.stagedlists`).

    [0] * n             replicate(n, 0)
    xs[i], xs[i] = x    an element of each array, as those of arrays
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from cogen.staging.joinvalues import leaf_type
from cogen.staging.listelements import (
    ALIKE,
    CHARACTER_SHAPE,
    append,
    change,
    changeable_parts,
    demand_alike,
    element,
    holds_pooled,
    joined,
    leaves_of,
    list_index,
    rows_of,
    settled,
    single_of,
    with_element,
    with_held,
    with_room,
)
from cogen.staging.orderedvalues import has_staged_parts
from cogen.staging.pooledlists import PooledList
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, as_array
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedlists import OPERATIONS, ListRows, StagedList
from cogen.staging.stagedscalars import FUNCTION_HANDLER, Scalar, Staged, apply, expression, scalar
from cogen.staging.stagedtexts import code_of, is_single
from cogen.staging.tracer import current
from cogen.staging.valueparts import flatten, rebuild
from cogen.staging.wholearrays import converted, mapped


def extend(xs: StagedList, more: Any) -> None:
    """`xs.extend(more)`; `more` is a list, an array, or what Python goes through."""
    other = as_list(more)
    if other.is_known:
        current().touch(xs, "a list")
        for x in other.elements():
            append(xs, x)
        return
    current().touch(xs, "a list")
    assert other.rows is not None
    if xs.rows is not None and xs.rows.count is not None:
        cannot("a list is extended by another one of which only a run knows the length, in a loop "
               "that reads it", "append the elements one by one")  # fmt: skip
    if xs.rows is None and not xs.elements():
        change(xs, _own(settled(other.rows)))
        return
    change(xs, joined(rows_of(xs.content(), other.rows), other.rows))


def _own(rows: ListRows) -> ListRows:
    """The elements in arrays of their own."""
    return rows.of([METHODS["copy"](a) for a in rows.leaves])


def as_list(x: Any) -> StagedList:
    """A list of what one can go through."""
    if isinstance(x, StagedList):
        return x
    if isinstance(x, Array) and x.known is None:
        return StagedList((), ListRows((METHODS["copy"](x),), next, None, None, x.ndim == 1))
    whole = getattr(x, "staged_list", None)
    return StagedList(x) if whole is None else whole()


def _known(name: str, changes: bool = False) -> Callable[..., Any]:
    """What a method does to a list that is known; None for others."""
    plain = getattr(list, name)

    def method(xs: StagedList, *args: Any, **options: Any) -> Any:
        if changes:
            current().touch(xs, "a list")
        return plain(xs, *args, **options)

    return method


def _refused(name: str, hint: str) -> Callable[..., Any]:
    known = _known(name, name in {"sort", "reverse", "__imul__"})

    def method(xs: StagedList, *args: Any, **options: Any) -> Any:
        if xs.is_known:
            return known(xs, *args, **options)
        _not_staged(name, hint)

    return method


def _not_staged(name: str, hint: str) -> NoReturn:
    shown = f"`{name}`" if not name.startswith("__") else "this"
    cannot(f"{shown} of a list of which only a run knows the length is not staged", hint)


def _getitem(xs: StagedList, index: Any) -> Any:
    staged = isinstance(index, Scalar) or (
        isinstance(index, slice)
        and any(isinstance(x, Scalar) for x in (index.start, index.stop, index.step))
    )
    if xs.is_known:
        if not staged:
            found = list.__getitem__(xs, index)
            return StagedList(found) if isinstance(index, slice) else found
        if not isinstance(index, slice):
            if not xs.elements():
                raise IndexError("list index out of range")
            rows = rows_of(xs.content(), None)
            if not any(True for x in xs.elements() for _ in changeable_parts(x)):
                return element(StagedList((), rows), index)
            current().touch(xs, "a list")
            xs.restore(([], rows, xs.sealed))  # so that it is assigned to what is found
    if not isinstance(index, slice):
        return element(xs, index)
    rows = settled(rows_of(xs.content(), None))
    parts = [METHODS["copy"](a[index]) for a in rows.leaves]
    return StagedList((), rows.of(parts))


def _setitem(xs: StagedList, index: Any, value: Any) -> None:
    if xs.is_known and not isinstance(index, Scalar | slice):
        current().touch(xs, "a list")
        list.__setitem__(xs, index, value)
        return
    if isinstance(index, slice):
        if not xs.is_known:
            _not_staged("slices that are assigned to", "assign the elements in a loop")
        current().touch(xs, "a list")
        list.__setitem__(xs, index, list(value))
        return
    current().touch(xs, "a list")
    if xs.is_known and not xs.elements():
        raise IndexError("list assignment index out of range")
    rows = rows_of(xs.content(), None)
    leaves, _, shape = leaves_of(value)
    demand_alike(rows.shape, shape, value)
    at = list_index(rows, index)
    at = at if isinstance(at, Scalar) or at >= 0 else rows.length() + int(at)
    made: list[Array] = []
    for a, leaf in zip(rows.leaves, leaves, strict=True):
        made.append(_assigned(xs, a, at, leaf))
        if a.ndim > 1:
            current().make_stale(a)
    if not xs.fixed:
        xs.restore(([], with_held(rows.of(made, rows.count), value), xs.sealed))


def _assigned(xs: StagedList, a: Array, at: Any, leaf: Any) -> Array:
    """The array with another element; of a list within another it is assigned to."""
    t = leaf_type(a, single_of(leaf))
    if t is None:
        fail(ALIKE, "make them all numbers, or arrays of one shape")
    if xs.fixed:
        if t != a.type:
            fail("a list of ints within a list would hold floats", "start with floats: [0.0] * n")
        a[at] = leaf
        return a
    new = with_element(converted(a, t), at, leaf)
    new._dims = list(a._dims)
    return new


def _delitem(xs: StagedList, index: Any) -> None:
    if xs.is_known and not isinstance(index, Scalar):
        current().touch(xs, "a list")
        list.__delitem__(xs, index)
        return
    if isinstance(index, slice):
        _not_staged("del of a slice", "make a new list: xs[:i] + xs[j:]")
    _pop(xs, index)


def _pop(xs: StagedList, index: Any = -1) -> Any:
    if xs.is_known and not isinstance(index, Scalar):
        current().touch(xs, "a list")
        return list.pop(xs, index)
    rows = rows_of(xs.content(), None)
    count = rows.length()
    if isinstance(index, Scalar) or index not in (0, -1):
        found = element(StagedList((), rows), index)
        at = index if isinstance(index, Scalar) or index >= 0 else count + int(index)
        _without(xs, rows, at)
        return found
    require(op("<", constant(0), expression(scalar(count))), text("pop from an empty list"))
    found = rebuild(rows.build, [_popped(a, 0 if index == 0 else count - 1) for a in rows.leaves])
    if index == 0:
        plain = settled(rows)
        leaves = [METHODS["copy"](a[1:]) for a in plain.leaves]
        _changed_to(xs, rows, rows.of(leaves))
    elif rows.count is None:
        leaves = [METHODS["copy"](a[:-1]) for a in rows.leaves]
        change(xs, rows.of(leaves))
    else:
        change(xs, rows.of(rows.leaves, count - 1))
    return found


def _changed_to(xs: StagedList, before: ListRows, rows: ListRows) -> None:
    """Hold elements that just fill their arrays, where others had room or not."""
    change(xs, rows if before.count is None else with_room(rows))


def _without(xs: StagedList, rows: ListRows, at: Any) -> None:
    """Hold all elements but one."""
    plain = settled(rows)
    _changed_to(xs, rows, joined(_part(plain, slice(None, at)), _part(plain, slice(at + 1, None))))


def _part(rows: ListRows, part: slice) -> ListRows:
    return rows.of([METHODS["copy"](a[part]) for a in rows.leaves])


def _insert(xs: StagedList, index: Any, x: Any) -> None:
    if xs.is_known and not isinstance(index, Scalar):
        current().touch(xs, "a list")
        list.insert(xs, index, x)
        return
    if xs.is_known and not xs.elements():
        append(xs, x)
        return
    rows = rows_of(xs.content(), None)
    count = rows.length()
    from_end = apply("less", index, 0)
    at = _either(from_end, apply("maximum", count + index, 0), apply("minimum", index, count))
    plain = settled(rows)
    one = rows_of(([x], None, None), rows)
    longer = joined(joined(_part(plain, slice(None, at)), one), _part(plain, slice(at, None)))
    _changed_to(xs, rows, longer)


def _either(test: Any, one: Any, other: Any) -> Any:
    if isinstance(test, Scalar):
        return FUNCTION_HANDLER[0](np.where, (test, one, other), {})
    return one if test else other


def _remove(xs: StagedList, x: Any) -> None:
    if not _has_staged(xs, x):
        current().touch(xs, "a list")
        list.remove(xs, x)
        return
    _pop(xs, scalar(_index(xs, x)))


def _popped(a: Array, at: Any) -> Any:
    found = a[at]
    return METHODS["copy"](found) if isinstance(found, Array) else found


def _clear(xs: StagedList) -> None:
    current().touch(xs, "a list")
    if xs.rows is None or xs.rows.count is None:
        xs.restore(([], None, xs.sealed))
    else:
        change(xs, xs.rows.of(xs.rows.leaves, 0))


def _copy(xs: StagedList) -> StagedList:
    if xs.is_known:
        return StagedList(xs.elements())
    assert xs.rows is not None
    return StagedList((), _own(settled(xs.rows)))


def _add(xs: StagedList, other: Any) -> Any:
    if isinstance(other, Array | np.ndarray):
        return METHODS["array"](xs) + other
    if not isinstance(other, list | PooledList):
        return NotImplemented
    found = _copy(xs)
    extend(found, other)
    return found


def _iadd(xs: StagedList, other: Any) -> Any:
    extend(xs, other)
    return xs


def _mul(xs: StagedList, times: Any) -> Any:
    if isinstance(times, Array | np.ndarray):
        return METHODS["array"](xs) * times
    if xs.is_known and not isinstance(times, Scalar):
        found = list.__mul__(xs, times)
        return StagedList(found)
    if xs.is_known and list.__len__(xs) == 1:
        count = apply("maximum", times, 0)
        return StagedList((), _repeated(list.__getitem__(xs, 0), count))
    _not_staged("a product", "[x] * n, of one element, is; or write a comprehension")


def _repeated(x: Any, count: Any) -> ListRows:
    """One element, so many times: all are this one object, so none is assigned to."""
    leaves, build, shape = leaves_of(x)
    if any(isinstance(leaf, Array) for leaf in leaves):
        cannot("a list holds one and the same list, or array, several times",
               "a comprehension makes new ones: [[0] * m for _ in range(n)]")  # fmt: skip
    arrays = [METHODS["full"]((count,), leaf) for leaf in leaves]
    return ListRows(tuple([as_array(a) for a in arrays]), build, shape)


def array_of_list(xs: StagedList) -> Any:
    """The array that NumPy makes of a list of which only a run knows the length."""
    assert xs.rows is not None
    rows = settled(xs.rows)
    shape = rows.shape
    if holds_pooled(shape):
        fail("lists of any lengths make no array", "make one of each: [np.array(x) for x in xs]")
    if shape == CHARACTER_SHAPE:
        fail("array programs have no arrays of strings", "[ord(c) for c in s] is one of codes")
    if shape is None or len(rows.leaves) == 1:
        return METHODS["copy"](rows.leaves[0])
    if shape[0][0] is complex:
        return rebuild(rows.build, list(rows.leaves))
    if shape[0][0] is tuple and all(part is None for part in shape[1:]):
        return FUNCTION_HANDLER[0](np.stack, (list(rows.leaves), 1), {})
    fail("NumPy makes an array of objects of this list", "make an array of each part")


def _compared(name: str) -> Callable[..., Any]:
    plain = getattr(list, name)

    def method(xs: StagedList, other: Any) -> Any:
        if isinstance(other, Array | np.ndarray):
            return getattr(METHODS["array"](xs), name)(other)
        if isinstance(other, PooledList):
            other = other.staged_list()
        known = not isinstance(other, StagedList) or other.is_known
        if xs.is_known and known:
            return plain(xs, other)
        if name not in {"__eq__", "__ne__"} or not isinstance(other, list):
            _not_staged(name, "compare elements in a loop")
        same = _are_equal(xs, other if isinstance(other, StagedList) else StagedList(other))
        return same if name == "__eq__" else apply("logical_not", same)

    return method


def _are_equal(xs: StagedList, ys: StagedList) -> Any:
    a = rows_of(xs.content(), ys.rows)
    a, b = settled(a), settled(rows_of(ys.content(), a))
    if a.shape != b.shape or a.shape not in _PLAIN or a.leaves[0].ndim > 1:
        _not_staged("==", "compare elements in a loop")
    return FUNCTION_HANDLER[0](np.array_equal, (a.leaves[0], b.leaves[0]), {})


def _contains(xs: StagedList, x: Any) -> Any:
    if xs.is_known:
        return list.__contains__(xs, x)
    fail("`in` wants to know its answer now", "call it in a function whose source is there")


def contained(xs: StagedList, x: Any) -> Any:
    """`x in xs`, of a list that is not known."""
    return METHODS["any"](_equal_to(xs, x, "in"))


def _equal_to(xs: StagedList, x: Any, name: str) -> Array:
    """Which elements of numbers are a number."""
    rows = settled(rows_of(xs.content(), None))
    if is_single(x) and rows.shape == CHARACTER_SHAPE:
        return as_array(rows.leaves[0] == code_of(x))
    if rows.shape is not None or rows.leaves[0].ndim > 1:
        _not_staged(name, "compare elements in a loop")
    return as_array(rows.leaves[0] == x)


_PLAIN: Final = None, CHARACTER_SHAPE
"""The structures of elements that are numbers, or characters."""


def _has_staged(xs: StagedList, x: Any) -> bool:
    return not xs.is_known or isinstance(x, Scalar) or any(isinstance(y, Scalar) for y in xs)


def _index(xs: StagedList, x: Any, *bounds: Any) -> Any:
    if not _has_staged(xs, x):
        return list.index(xs, x, *bounds)
    if bounds:
        _not_staged("index", "xs[i:].index(x) begins at i")
    same = _equal_to(xs, x, "index")
    require(expression(scalar(METHODS["any"](same))), text("index() of what is not in the list"))
    return METHODS["argmax"](same)


def _count(xs: StagedList, x: Any) -> Any:
    if not _has_staged(xs, x):
        return list.count(xs, x)
    return METHODS["sum"](_equal_to(xs, x, "count"))


def _sort(xs: StagedList, *, key: Any = None, reverse: Any = False) -> None:
    change_to = sorted_list(xs, key, reverse).content()
    if xs.is_known and change_to[1] is None:
        current().touch(xs, "a list")
        xs.restore(change_to)
        return
    _changed_to(xs, rows_of(xs.content(), None), change_to[1])


def sorted_list(xs: StagedList, key: Any = None, reverse: Any = False) -> StagedList:
    """`sorted(xs)`; `key` is a function of staged code."""
    if not xs.is_known:
        return StagedList((), _sorted(settled(rows_of(xs.content(), None)), key, reverse))
    elements = xs.elements()
    keys = [x if key is None else key(x) for x in elements]
    if not any(isinstance(k, Staged) or has_staged_parts(k) for k in keys):
        order = sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)
        return StagedList([elements[k] for k in order])
    columns = settled(rows_of((keys, None, None), None))
    return StagedList((), _in_order(rows_of(xs.content(), None), columns.leaves, reverse))


def _sorted(rows: ListRows, key: Any, reverse: Any) -> ListRows:
    if key is None and rows.shape is None and rows.leaves[0].ndim == 1:
        found: Array = FUNCTION_HANDLER[0](np.sort, (rows.leaves[0],), {})
        return rows.of([as_array(METHODS["copy"](found[::-1])) if reverse else found])
    if key is None:
        return _in_order(rows, rows.leaves, reverse)
    made = mapped(lambda *leaves: key(rebuild(rows.build, list(leaves))), rows.leaves)
    return _in_order(rows, flatten(made)[0], reverse)


def _in_order(rows: ListRows, keys: Sequence[Any], reverse: Any) -> ListRows:
    """The elements in the order of their keys, of which there is an array for each part; equal ones
    stay in theirs."""
    if any(not isinstance(a, Array) or a.ndim > 1 for a in keys) or (
        keys is rows.leaves and holds_pooled(rows.shape)
    ):
        cannot("the keys of a sorted list are not numbers, or tuples of such",
               "give a key: sorted(xs, key=lambda x: ...)")  # fmt: skip
    columns = [as_array(a).astype(int) if as_array(a).element.name == "bool" else a for a in keys]
    if reverse:
        columns = [a[::-1] for a in columns]
    order = FUNCTION_HANDLER[0](np.lexsort, (columns[::-1],), {})
    if reverse:
        order = rows.length() - 1 - order[::-1]
    return rows.of([METHODS["copy"](a[order]) for a in settled(rows).leaves])


def _reverse(xs: StagedList) -> None:
    if xs.is_known:
        current().touch(xs, "a list")
        list.reverse(xs)
        return
    assert xs.rows is not None
    rows = settled(xs.rows)
    leaves = [METHODS["copy"](a[::-1]) for a in rows.leaves]
    change(xs, rows.of(leaves))


OPERATIONS.update({
    "__getitem__": _getitem, "__setitem__": _setitem, "__delitem__": _delitem, "__add__": _add,
    "__iadd__": _iadd, "__mul__": _mul, "__rmul__": _mul, "__contains__": _contains,
    "append": append, "extend": extend, "pop": _pop, "clear": _clear, "copy": _copy,
    "sort": _sort, "reverse": _reverse,
    "__imul__": _refused("__imul__", "make a new list"),
    "__reversed__": _refused("__reversed__", "write `for x in reversed(xs)`, or xs[::-1]"),
    "insert": _insert, "remove": _remove, "index": _index, "count": _count,
    **{f"__{word}__": _compared(f"__{word}__") for word in ("eq", "ne", "lt", "le", "gt", "ge")},
})  # fmt: skip

OPERATIONS["array"] = array_of_list
