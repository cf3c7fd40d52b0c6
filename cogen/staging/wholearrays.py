"""Operations on whole arrays: Python functions of elements -> combinators of L0.

mapped(f, [a, b])            map(fn t (t1 x, t2 y) => f(x, y), zip(a, b))
elementwise(f, [a, x])       the same at all levels, with NumPy's broadcasting
folded("reduce", f, e, a), filtered(p, [a]), extension("groupBy", ...)
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, ArrayType, Basic, TupleType, Type, array_of
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array, demand_one, named, of_type
from cogen.staging.stagedrecords import Records
from cogen.staging.stagedscalars import Scalar, as_type, expression, is_number, join, scalar
from cogen.staging.stagedtexts import StagedCharacter, StagedText
from cogen.staging.tracer import current
from cogen.staging.valueparts import Build, flatten, rebuild

Leaf = Scalar | Array


@dataclass(frozen=True, slots=True, eq=False)
class TracedFunction:
    """A function of L0 that was made of one of Python's: how its result is put together."""

    function: tree.LambdaExpression
    types: tuple[Type, ...]
    build: Build

    @property
    def result(self) -> Type:
        """The type of its result."""
        return self.types[0] if len(self.types) == 1 else TupleType(self.types)


def leaf_of(x: Any) -> Leaf:
    """A leaf as a staged value.  CogenError for what a program cannot hold."""
    if isinstance(x, Scalar | Array):
        return x
    if isinstance(x, np.ndarray):
        return as_array(x) if x.ndim else scalar(x[()])
    if is_number(x) or (isinstance(x, str) and len(x) == 1):
        return scalar(x)
    fail(
        f"this gives {describe(x)}, which an array program cannot hold",
        "give numbers, truth values, arrays, and tuples, dicts and dataclasses of these",
    )


def describe(x: Any) -> str:
    """What a value is, in words."""
    return "no value (None)" if x is None else f"a value of type {type(x).__name__}"


def type_of(leaf: Leaf) -> Type:
    """The type of a leaf in L0."""
    return leaf.type


def expression_of(leaf: Leaf, t: Type | None = None) -> tree.Expression:
    """A new expression of a leaf, as a type that holds its values."""
    if isinstance(leaf, Array):
        return leaf.expression()
    assert t is None or isinstance(t, Basic)
    return expression(leaf) if t is None else as_type(leaf, t)


def together(parts: Sequence[tree.Expression]) -> tree.Expression:
    """One value of several."""
    return parts[0] if len(parts) == 1 else tree.Tuple(current().place, tuple(parts))


def function_of(
    f: Callable[..., Any],
    elements: Sequence[Type],
    hint: str = "x",
    like: Sequence[Type] | None = None,
) -> TracedFunction:
    """A function of L0 that does what one of Python's does to elements of some types.

    `like` are the types that its results must have; numbers are converted to them.
    """
    tracer = current()
    place = tracer.place
    with tracer.region("function"), tracer.block() as code:
        parameters: list[tree.Parameter] = []
        values: list[Any] = []
        for t in elements:
            text = tracer.names.fresh(hint)
            parameters.append(tree.Parameter(tree.Name(place, text), t))
            values.append(of_type(SymbolicName(text, t), t))
        leaves, build = flatten(f(*values))
        found = [leaf_of(leaf) for leaf in leaves]
        if not found:
            fail("the function gives nothing", "return a value")
        types = tuple([leaf.type for leaf in found])
        if like is not None:
            types = checked_types(types, like)
        parts = [expression_of(x, t if isinstance(x, Scalar) else None)
                 for x, t in zip(found, types, strict=True)]  # fmt: skip
        body = code.close(together(parts))
    result = types[0] if len(types) == 1 else TupleType(types)
    return TracedFunction(
        tree.LambdaExpression(place, result, tuple(parameters), body), types, build
    )


def checked_types(found: Sequence[Type], wanted: Sequence[Type]) -> tuple[Type, ...]:
    """The types that are wanted, if numbers of others are theirs too."""
    if len(found) != len(wanted):
        fail(f"the function gives {len(found)} values where {len(wanted)} are expected")
    for a, b in zip(found, wanted, strict=True):
        if a == b or (isinstance(a, Basic) and isinstance(b, Basic) and join([a, b]) == b):
            continue
        fail(
            f"the function gives {_shown(a)} where {_shown(b)} is expected",
            "start with 0.0 for a sum of floats" if isinstance(a, Basic) else None,
        )
    return tuple(wanted)


def _shown(t: Type) -> str:
    if isinstance(t, ArrayType):
        return "an array"
    return {"real": "a float", "int": "an int", "bool": "a truth value"}.get(t.name, t.name) \
        if isinstance(t, Basic) else "a tuple"  # fmt: skip


def bound(e: tree.Expression, types: Sequence[Type], hint: str = "a") -> list[Any]:
    """The parts of a value, bound here."""
    tracer = current()
    if len(types) == 1:
        return [of_type(tracer.bind(e, types[0], hint), types[0])]
    names = [tracer.names.fresh(hint) for _ in types]
    pattern = tree.TuplePattern(e.span, tuple([tree.Name(e.span, text) for text in names]))
    tracer.code.frames.append(lambda rest: tree.LetExpression(e.span, pattern, e, rest))
    return [of_type(SymbolicName(text, t), t) for text, t in zip(names, types, strict=True)]


def zipped(arrays: Sequence[Array]) -> tree.Expression:
    """Several arrays as one."""
    found = [a.expression() for a in arrays]
    return found[0] if len(found) == 1 else tree.Form(current().place, "zip", tuple(found))


def row_types(arrays: Sequence[Array]) -> list[Type]:
    """The types of what arrays have for elements."""
    return [array_of(a.element, a.ndim - 1) for a in arrays]


def unzipped(e: tree.Expression, types: Sequence[Type], hint: str = "a") -> list[Any]:
    """Arrays of an array whose elements have several parts."""
    if len(types) > 1:
        e = tree.Form(e.span, "unzip", (e,))
    return bound(e, [array_of(t, 1) for t in types], hint)


def mapped(f: Callable[..., Any], arrays: Sequence[Array], hint: str = "x") -> Any:
    """What a function gives for the elements (rows) of arrays that are walked at once: an array,
    or what it gives with arrays in place of values."""

    def of_rows(*rows: Any) -> Any:
        for row, a in zip(rows, arrays, strict=True):
            if isinstance(row, Array):
                row.ones = a.ones[1:]
                row._dims = [n if isinstance(n, int) else None for n in known_sizes(a)[1:]]
        return f(*rows)

    made = function_of(of_rows, row_types(arrays), hint)
    e = tree.SoacExpression(
        current().place, "map", False, (made.function,), None, (zipped(arrays),)
    )
    found = unzipped(e, made.types)
    dims = arrays[0]._dims[:1] if arrays[0].known is None else [arrays[0].known.shape[0]]
    ones = arrays[0].ones[0] and all(a.ones[0] for a in arrays)
    for a in found:
        a._dims[0] = dims[0]
        a.ones = (ones, *a.ones[1:])
    return rebuild(made.build, found)


def known_sizes(a: Array) -> list[Any]:
    """The sizes of an array, as far as they were asked for."""
    return list(a.known.shape) if a.known is not None else list(a._dims)


def elementwise(f: Callable[..., Any], operands: Sequence[Any]) -> Any:
    """What a function of scalars gives for all elements, with NumPy's broadcasting."""
    ranks = [x.ndim if isinstance(x, Array) else 0 for x in operands]
    ndim = max(ranks)
    if ndim == 0:
        return f(*operands)
    walked = [k for k, rank in enumerate(ranks) if rank == ndim]
    if any(not operands[k].ones[0] for k in walked):
        operands = list(operands)
        for k in [k for k in walked if operands[k].ones[0] or _size(operands[k]) == 1]:
            if all(_size(operands[other]) == 1 for other in walked):
                break
            demand_one(operands[k])
            operands[k] = operands[k][0]
            walked.remove(k)
        if len(walked) < len([r for r in ranks if r == ndim]):
            return elementwise(f, operands)
    _agree([operands[k] for k in walked])

    def step(*elements: Any) -> Any:
        inner = list(operands)
        for k, element in zip(walked, elements, strict=True):
            inner[k] = element
        return elementwise(f, inner)

    found = mapped(step, [operands[k] for k in walked])
    for part in flatten(found)[0]:
        _note_dims(part, [x for x in operands if isinstance(x, Array)])
    return found


def _size(a: Array) -> Any:
    """The number of rows, if it is known."""
    if a.known is not None:
        return a.known.shape[0]
    return a._dims[0] if isinstance(a._dims[0], int) else None


def _agree(arrays: Sequence[Array]) -> None:
    sizes = {n for n in map(_size, arrays) if n is not None}
    if len(sizes) > 1:
        shown = " and ".join(map(str, sorted(sizes)))
        fail(f"arrays of {shown} elements do not go together")


def _note_dims(found: Any, operands: Sequence[Array]) -> None:
    """Sizes of the result that are known, and which are taken to be 1."""
    if not isinstance(found, Array):
        return
    ones = list(found.ones)
    ndim = max([a.ndim for a in operands])  # there are more where a function gives rows
    for back in range(1, ndim + 1):
        at = ndim - back
        aligned = [a for a in operands if a.ndim >= back]
        for a in aligned:
            size = a.known.shape[-back] if a.known is not None else a._dims[a.ndim - back]
            if isinstance(size, int) and (size != 1 or len(aligned) == 1):
                found._dims[at] = size
        ones[at] = all(a.ones[a.ndim - back] for a in aligned)
    found.ones = tuple(ones)


def folded(kind: str, f: Callable[..., Any], initial: Any, arrays: Sequence[Array]) -> Any:
    """A reduce or scan of arrays that are walked at once, whose elements have the structure of the
    initial value; so does the result."""
    leaves, build = flatten(initial)
    starts = [leaf_of(leaf) for leaf in leaves]
    if len(starts) != len(arrays):
        fail(
            f"the initial value has {len(starts)} parts, and the elements have {len(arrays)}",
            "they must be alike: map the array first",
        )
    elements = row_types(arrays)
    types: list[Type] = []
    for x, t in zip(starts, elements, strict=True):
        mine = type_of(x)
        if isinstance(mine, Basic) and isinstance(t, Basic):
            types.append(join([mine, t]))
        elif mine == t:
            types.append(t)
        else:
            fail(f"the initial value is {_shown(mine)}, and the elements are {_shown(t)}")
    walked = [converted(a, t) for a, t in zip(arrays, types, strict=True)]
    count = len(types)

    def combine(*given: Any) -> Any:
        return f(rebuild(build, list(given[:count])), rebuild(build, list(given[count:])))

    made = _joined(combine, types)
    if made.types != tuple(types):  # the function makes reals of ints
        walked = [converted(a, t) for a, t in zip(walked, made.types, strict=True)]
        types = list(made.types)
        made = function_of(combine, [*types, *types], "x", types)
    parts = [expression_of(x, t if isinstance(t, Basic) else None)
             for x, t in zip(starts, types, strict=True)]  # fmt: skip
    function = _paired(made.function, count)
    place = current().place
    e = tree.SoacExpression(place, kind, False, (function,), together(parts), (zipped(walked),))
    found = unzipped(e, types) if kind == "scan" else bound(e, types, "total")
    return rebuild(build, found)


def _joined(combine: Callable[..., Any], types: Sequence[Type]) -> TracedFunction:
    """The function for what it gives: reals if it gives reals for ints."""
    made = function_of(combine, [*types, *types])
    if len(made.types) != len(types):
        fail("the function must give what it is given: a value like the elements")
    if made.types == tuple(types):
        return made
    wider = [
        join([a, b]) if isinstance(a, Basic) and isinstance(b, Basic) else b
        for a, b in zip(made.types, types, strict=True)
    ]
    return function_of(combine, [*wider, *wider], "x", wider)


def _paired(function: tree.LambdaExpression, count: int) -> tree.LambdaExpression:
    """A function of two values of several parts, as one of two tuples."""
    if count == 1:
        return function
    tracer = current()
    place = function.span
    parameters: list[tree.Parameter] = []
    body = function.body
    for own in (function.parameters[count:], function.parameters[:count]):
        t = TupleType(tuple([p.type for p in own]))
        whole = tracer.names.fresh("x")
        pattern = tree.TuplePattern(place, tuple([p.name for p in own]))
        value = tree.VariableExpression(place, tree.Name(place, whole))
        body = tree.LetExpression(place, pattern, value, body)
        parameters.insert(0, tree.Parameter(tree.Name(place, whole), t))
    return tree.LambdaExpression(place, function.result, tuple(parameters), body)


def converted(a: Array, t: Type) -> Array:
    """An array with elements of a type that holds them."""
    while isinstance(t, ArrayType):
        t = t.element
    assert isinstance(t, Basic)
    if a.element == t:
        return a
    wanted = t

    def convert(x: Any) -> Scalar:
        s = scalar(x)
        return Scalar(current().bind(as_type(s, wanted), wanted), wanted)

    found = elementwise(convert, [a])
    assert isinstance(found, Array)
    return found


def filtered(p: Callable[..., Any], arrays: Sequence[Array]) -> list[Array]:
    """The rows of arrays for which a function of them is true."""
    made = function_of(p, row_types(arrays), "x", [BOOL])
    e = tree.SoacExpression(
        current().place, "filter", False, (made.function,), None, (zipped(arrays),)
    )
    return unzipped(e, row_types(arrays), "kept")


def extension(
    name: str, function: tree.LambdaExpression | None, operands: Sequence[tree.Expression]
) -> tree.ExtensionExpression:
    """An operation that L0 has besides the thesis'."""
    functions = () if function is None else (function,)
    return tree.ExtensionExpression(current().place, name, functions, tuple(operands))


def walked_of(values: Sequence[Any]) -> tuple[list[Array], Callable[[Sequence[Any]], list[Any]]]:
    """The arrays that arrays, arrays of records, and tuples of arrays are, and what puts elements
    of them together as an element of each."""
    arrays: list[Array] = []
    builds: list[tuple[Build, int]] = []
    for value in values:
        leaves, build = flatten(element_structure(value))
        arrays += [as_array(leaf) for leaf in leaves]
        builds.append((build, len(leaves)))

    def elements(given: Sequence[Any]) -> list[Any]:
        found, rest = [], list(given)
        for build, taken in builds:
            found.append(rebuild(build, rest[:taken]))
            rest = rest[taken:]
        return found

    return arrays, elements


def element_structure(value: Any) -> Any:
    """An array of records as a record of arrays, which is how its elements are put together."""
    if isinstance(value, StagedText):
        return StagedCharacter(value.codes())
    if isinstance(value, Records):
        from cogen.staging.stagedrecords import StagedRecord

        fields = {n: element_structure(a) for n, a in value.fields.items()}
        return StagedRecord(fields, value.others)
    if isinstance(value, list):
        return as_array(value)
    return value


def concatenated(parts: Sequence[Array], axis: int) -> Array:
    """Arrays of one type, one after the other along a dimension."""
    if axis > 0:
        inner = mapped(lambda *given: concatenated(given, axis - 1), parts)
        assert isinstance(inner, Array)
        return inner
    found, *others = parts
    for other in others:
        e = tree.Form(current().place, "concat", (found.expression(), other.expression()))
        sizes = found._dims[0], other._dims[0]
        found = named(e, found.element, found.ndim)
        if all(isinstance(n, int) for n in sizes):
            found._dims[0] = sum(sizes)
    return found
