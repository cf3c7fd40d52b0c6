"""Elements of lists as arrays, and longer lists (`cogen.staging.stagedlists`).

xs.append(x)        concat(xs, [x]); of a list with room, xs with xs[count] = x
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import Type, array_of
from cogen.staging.joinvalues import Selection, leaf_type, link
from cogen.staging.pooledlists import PooledList, PoolError, demand_pool
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedarrays import METHODS, Array, View, named
from cogen.staging.stagedassigning import updated
from cogen.staging.stagedexpressions import choose, constant, op, require, text
from cogen.staging.stagedindices import index_items
from cogen.staging.stagedlists import OPERATIONS, ListRows, StagedList
from cogen.staging.stagedreading import first, iota
from cogen.staging.stagedscalars import DTYPES, Scalar, apply, expression, scalar
from cogen.staging.stagedtexts import StagedCharacter, as_staged, is_single, is_text
from cogen.staging.tracer import current
from cogen.staging.valueparts import flatten, is_dataclass_value, parts_of, rebuild, shape_of
from cogen.staging.wholearrays import concatenated, converted, leaf_of, mapped

ROOM = 8
"""The room that a list in a loop has at first."""

CHARACTER_SHAPE: Final = ((StagedCharacter,), None)
"""The structure of a character (`structure_of`)."""

ALIKE = "the elements of a list of which only a run knows the length must be alike"


# Elements.


def structure_of(x: Any) -> Any:
    """The structure of an element, all the way down: None for a number or an array."""
    found = parts_of(x)
    if isinstance(x, StagedList) and x.rows is not None:
        return shape_of(x)
    return None if found is None else (shape_of(x), *map(structure_of, found[0]))


def as_element(x: Any) -> Any:
    """A value as an element: lists in it, which programs may assign to, as arrays."""
    if isinstance(x, list):
        whole = x if isinstance(x, StagedList) else StagedList(x)
        if not whole.is_known or not whole.elements():
            demand_pool(whole)
        if whole.is_known and not whole.elements():
            cannot("an empty list is an element of a list of which only a run knows the length",
                   "give it its elements before: [0] * n")  # fmt: skip
        return StagedList((), settled(rows_of(whole.content(), None)))
    if is_single(x):
        return as_staged(x)
    if is_text(x):
        cannot("a string is an element of what only a run knows the length of",
               "its characters may be: they are all of one length")  # fmt: skip
    if isinstance(x, tuple) and not hasattr(x, "_fields"):
        return tuple([as_element(part) for part in x])
    return x


def leaves_of(x: Any) -> tuple[list[Any], Callable[..., Any], Any]:
    """The leaves of an element, what builds such a one, and its structure."""
    element = as_element(x)
    leaves, build = flatten(element)
    if not leaves:
        fail("an element of a list of which only a run knows the length has no parts")
    return [leaf_of(leaf) for leaf in leaves], build, structure_of(element)


def changeable_parts(x: Any) -> Iterator[Any]:
    """What programs may change of a value."""
    if isinstance(x, tuple):
        for part in x:
            yield from changeable_parts(part)
    elif isinstance(x, Array | list | dict) or (is_dataclass_value(x) and not _is_frozen(x)):
        yield x


def _is_frozen(x: Any) -> bool:
    return bool(type(x).__dataclass_params__.frozen)


def with_held(rows: ListRows, x: Any) -> ListRows:
    """The elements, of which one is a value that programs may have under another name, too: what is
    assigned to that would have to be seen here."""
    tracer = current()
    owned = rows.owned
    for thing in changeable_parts(x):
        owned = owned and tracer.take(thing) and not isinstance(thing, View)
        if isinstance(thing, Array):
            for a in rows.leaves:
                if a.ndim > 1:
                    link(a, [a, thing])
        else:
            tracer.freeze(thing)
    return ListRows(rows.leaves, rows.build, rows.shape, rows.count, owned)


def single_of(leaf: Any) -> Array:
    """An array of one element."""
    found = METHODS["array"]([leaf])
    assert isinstance(found, Array)
    return found


def rows_of(content: Any, like: ListRows | None) -> ListRows:
    """The elements of a list, which holds this now, as arrays; `like` tells of what kind elements
    are where there are none."""
    elements, rows, _ = content
    if rows is not None:
        found: ListRows = rows
        return found
    if not elements:
        if like is None:
            fail("only a run knows how long this list is, and it never gets an element")
        return like.of(map(_none_like, like.leaves))
    every = [leaves_of(x) for x in elements]
    leaves, build, shape = every[0]
    for _, _, other in every:
        demand_alike(shape, other)
    columns = [METHODS["array"]([own[k] for own, _, _ in every]) for k in range(len(leaves))]
    made = ListRows(tuple(columns), build, shape)
    for x in elements:
        made = with_held(made, x)
    return made


def _none_like(a: Array) -> Array:
    found = METHODS["full"]((0,) * a.ndim, 0, DTYPES[a.element])
    assert isinstance(found, Array)
    return found


def widened_list(xs: Any, like: StagedList) -> StagedList:
    """A list that is known, or a range, as arrays, where another one's elements are in arrays."""
    if isinstance(xs, range):
        xs = StagedList(xs)
    if not isinstance(xs, StagedList):
        return StagedList((), ListRows((mapped(xs.at, [iota(xs.length)]),), next, None))
    if not xs.is_known or like.is_known:
        return xs
    assert like.rows is not None
    return StagedList((), rows_of(xs.content(), like.rows))


OPERATIONS["widened"] = widened_list


def demand_alike(a: Any, b: Any, x: Any = None) -> None:
    """Refuse elements of other structure; a list `x` beside one in a pool is put into it, too."""
    if a != b:
        _meet(a, b)
        if isinstance(x, StagedList) and isinstance(a, tuple) and a[0][:1] == (PooledList,):
            demand_pool(x, current().pools[a[0][1]])
        fail(ALIKE, "make them all numbers, or tuples of as many parts")


def _meet(a: Any, b: Any) -> None:
    """Begin again, with lists in one pool that are elements of one list."""
    if not isinstance(a, tuple) or not isinstance(b, tuple) or len(a) != len(b):
        return
    if a[0][:1] == (PooledList,) == b[0][:1] and a != b:
        raise PoolError((a[0][1], b[0][1]))
    for x, y in zip(a[1:], b[1:], strict=True):
        _meet(x, y)


def holds_pooled(shape: Any) -> bool:
    """Whether elements of a structure are, or have, lists in a pool."""
    if not isinstance(shape, tuple):
        return False
    return shape[0][:1] == (PooledList,) or any(map(holds_pooled, shape[1:]))


def settled(rows: ListRows) -> ListRows:
    """The elements in arrays of just their number."""
    if rows.count is None:
        return rows
    leaves = [first(a, rows.count) for a in rows.leaves]
    for a, old in zip(leaves, rows.leaves, strict=True):
        a._dims = [rows.count, *old._dims[1:]]
    return rows.of(leaves)


def with_room(rows: ListRows) -> ListRows:
    """The elements in arrays that may get more room."""
    if rows.count is not None:
        return rows
    return rows.of(rows.leaves, rows.length())


def change(xs: StagedList, rows: ListRows) -> None:
    """Hold other elements; arrays that are elements are those of before."""
    current().touch(xs, "a list")
    if xs.walked:
        fail(
            "a list grows or shrinks in a loop that goes through it",
            "go through a copy, list(xs), or write a `while` loop with an index",
        )
    if xs.fixed:
        cannot("a list that is an element of another one grows or shrinks", "all have one length")
    old = xs.rows
    for k, a in enumerate(rows.leaves):
        if a.ndim > 1 and old is not None and old.leaves[k] is not a:
            link(a, [a, old.leaves[k]])
    xs.restore(([], rows, xs.sealed))


def element(xs: StagedList, index: Any) -> Any:
    """An element that only a run knows."""
    rows = xs.rows
    assert rows is not None
    at = list_index(rows, index)
    leaves = [leaf[at] for leaf in rows.leaves]
    if not rows.owned:
        leaves = [View(x, x.now, None, x.element, x.ndim) if isinstance(x, View) else x
                  for x in leaves]  # fmt: skip
    found = rebuild(rows.build, leaves)
    for thing in changeable_parts(found):
        if isinstance(thing, StagedList):
            thing.fixed = True
        if not isinstance(thing, Array | StagedList) or not rows.owned:
            current().freeze(thing)
    return found


def list_index(rows: ListRows, index: Any) -> Any:
    """An index, which is checked where the arrays have room for more."""
    if isinstance(index, bool | np.bool_) or not isinstance(index, int | np.integer | Scalar):
        fail(f"an index of a list must be an int, not {type(index).__name__}")
    if rows.count is None:
        return index
    at = index if isinstance(index, Scalar) or index >= 0 else rows.count + int(index)
    inside = op("&&", op("<=", constant(0), expression(scalar(at))),
                op("<", expression(scalar(at)), expression(scalar(rows.count))))  # fmt: skip
    says = text("an index of a list, and its length:")
    require(inside, says, expression(scalar(at)), expression(scalar(rows.count)))
    return at


# Growing.


def append(xs: StagedList, x: Any) -> None:
    """`xs.append(x)`."""
    current().touch(xs, "a list")
    if xs.rows is None:
        list.append(xs, x)
        return
    change(xs, appended(xs.rows, x))


def appended(rows: ListRows, x: Any) -> ListRows:
    """The elements and one more."""
    leaves, _, shape = leaves_of(x)
    demand_alike(rows.shape, shape, x)
    if rows.count is None:
        found = joined(rows, rows.of(map(single_of, leaves)))
    else:
        count = rows.count
        made = [with_element(_roomy(a, count, leaf), count, leaf)
                for a, leaf in zip(rows.leaves, leaves, strict=True)]  # fmt: skip
        found = rows.of(made, count + 1)
    return with_held(found, x)


def with_element(a: Array, index: Any, leaf: Any) -> Array:
    value = leaf
    if isinstance(leaf, Scalar) and leaf.type != a.element:
        value = leaf.astype(DTYPES[a.element])
    return updated(a, index_items(a, index), value)


def _roomy(a: Array, count: Any, leaf: Any) -> Array:
    """The array, of twice the size where it is full."""
    t = leaf_type(a, single_of(leaf))
    if t is None:
        fail(ALIKE, "make them all numbers, or arrays of one shape")
    a, single = converted(a, t), converted(single_of(leaf), t)
    tracer = current()
    full = expression(scalar(apply("equal", count, a.size_of(0))))
    with tracer.block() as code:
        some = expression(scalar(apply("maximum", count, ROOM)))
        value = single[0]
        row = value.expression() if isinstance(value, Array) else expression(scalar(value))
        new = tree.Form(tracer.place, "replicate", (some, row))
        more = code.close(tree.Form(tracer.place, "concat", (a.expression(), new)))
    return named(choose(full, more, a.expression()), a.element, a.ndim, "room")


def joined(a: ListRows, b: ListRows) -> ListRows:
    """Elements one after the other."""
    demand_alike(a.shape, b.shape)
    a, b = settled(a), settled(b)
    leaves: list[Array] = []
    for x, y in zip(a.leaves, b.leaves, strict=True):
        t = leaf_type(x, y)
        if t is None:
            fail(ALIKE, "make them all numbers, or arrays of one shape")
        leaves.append(concatenated([converted(x, t), converted(y, t)], 0))
    return ListRows(tuple(leaves), a.build, a.shape, None, a.owned and b.owned)


# Joining.


def join_contents(
    selection: Selection, contents: Sequence[Any], name: str
) -> Callable[[list[Any]], Any]:
    """What makes the content of a list after two ways of what a conditional gives; the contents
    are rows, or known."""
    (_, a, sealed), (_, b, _) = contents
    assert a is not None
    assert b is not None
    demand_alike(a.shape, b.shape)
    builds = [selection.leaf(x, y, name) for x, y in zip(a.leaves, b.leaves, strict=True)]
    if a.count is not None:
        builds.append(selection.leaf(a.count, b.count, name))

    def made(found: list[Any]) -> Any:
        parts = [build(found) for build in builds]
        if not all(isinstance(x, Array) for x in parts[: len(a.leaves)]):
            fail(ALIKE, "make them all numbers, or arrays of one shape")
        count = parts.pop() if a.count is not None else None
        return [], ListRows(tuple(parts), a.build, a.shape, count, a.owned and b.owned), sealed

    return made


def differ(a: Any, b: Any) -> bool:
    """Whether what a list holds on two ways cannot be joined element by element."""
    return a[1] is not None or b[1] is not None or len(a[0]) != len(b[0])


def element_types(rows: ListRows) -> list[Type]:
    """The types of the arrays."""
    return [array_of(a.element, a.ndim) for a in rows.leaves]
