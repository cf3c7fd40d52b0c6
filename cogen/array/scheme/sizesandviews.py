"""Sizes of arrays, their parts, and other forms of them -> forms of L0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.types import (
    INT,
    STRING,
    ArrayType,
    TupleType,
    Type,
    rank,
    row_type,
)
from cogen.array.scheme.arraycall import (
    ArrayCall,
    Meaning,
    like,
)
from cogen.array.scheme.symbolicvalues import (
    SymbolicConstant,
    SymbolicName,
    Value,
)
from cogen.array.scheme.typetext import show
from cogen.array.scheme.unions import meeting, widened


def _size(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    dimension = op.literal(values[1], "the dimension") if len(values) > 1 else 0
    if not 0 <= dimension < rank(t):
        raise op.error(f"a value of type {show(t)} has no dimension {dimension}")
    if dimension == 0:
        return op.bind(tree.SizeExpression(op.span, 0, array), INT, "n")
    return op.bind(_row_size(op, _named(op, array, t), dimension), INT, "n")


def _named(op: ArrayCall, array: tree.Expression, t: Type) -> str:
    """The name of an array, which is given one if it has none."""
    if not isinstance(array, tree.VariableExpression):
        bound = op.code.let("a", array, t)
        assert isinstance(bound, SymbolicName)
        return bound.text
    return array.name.text


def _row_size(op: ArrayCall, array: str, dimension: int) -> tree.Expression:
    """A size of an array's rows: 0 if there are none, as vectors have it."""

    def size(k: int) -> tree.Expression:
        return tree.SizeExpression(
            op.span, k, tree.VariableExpression(op.span, tree.Name(op.span, array))
        )

    zero = tree.LiteralExpression(op.span, 0, INT)
    empty: tree.Expression = tree.BinaryExpression(op.span, "=", size(0), zero)
    for k in range(1, dimension):
        empty = tree.BinaryExpression(
            op.span, "||", empty, tree.BinaryExpression(op.span, "=", size(k), zero)
        )
    return tree.IfExpression(op.span, empty, zero, size(dimension))


def _without_hidden_sizes(op: ArrayCall, array: tree.Expression, t: Type) -> tree.Expression:
    """The array; below a dimension of size 0 its sizes are 0, so that none of them comes to light
    when the dimensions change places."""
    if rank(t) < 2:
        return array
    name = _named(op, array, t)
    variable = tree.VariableExpression(op.span, tree.Name(op.span, name))
    sizes: list[tree.Expression] = [tree.SizeExpression(op.span, 0, variable)]
    for k in range(1, rank(t)):
        bound = op.code.let("n", _row_size(op, name, k), INT)
        sizes.append(op.code.expression(bound, op.span)[0])
    again = tree.VariableExpression(op.span, tree.Name(op.span, name))
    return tree.ReshapeExpression(op.span, tuple(sizes), again)


def _copy(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    return op.bind(op.form("copy", array), t)


def _split(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    return op.bind(op.form("split", op.integer(values[1]), array), TupleType((t, t)))


def _concat(op: ArrayCall, values: Sequence[Value]) -> Value:
    first, second = values
    if isinstance(first, SymbolicConstant):
        b, t = op.code.expression(second, op.span)
        a = op.code.expression(first, op.span, t)[0]
    else:
        a, t = op.array(first)
        b, other = op.code.expression(second, op.span, t)
        whole = meeting(t, other)
        if whole not in (None, t):
            first, second = values = [widened(op.code, v, whole, op.span) for v in values]
            a, t = op.array(first)
            b = op.code.expression(second, op.span)[0]
    for value in values:
        found = op.code.expression(value, op.span, t)[1]
        like(op, found, t, "the second array" if value is second else "the first array")
    return op.bind(op.form("concat", a, b), t)


def _texts(op: ArrayCall, values: Sequence[Value]) -> Value:
    """The strings one after the other."""
    whole: tree.Expression = tree.StringLiteral(op.span, "")
    for k, value in enumerate(values):
        e, t = op.code.expression(value, op.span)
        like(op, t, STRING, f"argument {k + 1}")
        whole = op.form("concat", whole, e) if k else e
    return op.bind(whole, STRING, "text")


def _zip(op: ArrayCall, values: Sequence[Value]) -> Value:
    found = [op.array(value) for value in values]
    t = ArrayType(TupleType(tuple([row_type(t, 1) for _, t in found])))
    return op.bind(op.form("zip", *[e for e, _ in found]), t)


def _unzip(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    count = op.literal(values[1], "the number of parts")
    element = t.element
    if not isinstance(element, TupleType) or len(element.parts) != count:
        raise op.error(f"expected an array of tuples of {count} parts, got {show(t)}")
    parts = TupleType(tuple([ArrayType(part) for part in element.parts]))
    return op.bind(op.form("unzip", array), parts)


def _reshape(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    sizes = tuple([op.integer(value) for value in values[1:]])
    made: Type = row_type(t, rank(t))
    for _ in sizes:
        made = ArrayType(made)
    return op.bind(tree.ReshapeExpression(op.span, sizes, array), made)


def _transpose(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    if len(values) == 2:
        raise op.error("expected a dimension and how far it moves")
    k, n = (op.literal(value, "a dimension") for value in values[1:]) if values[1:] else (0, 1)
    if not (0 <= k < rank(t) and 0 <= k + n < rank(t)):
        raise op.error(f"a value of type {show(t)} has no dimensions {k} and {k + n}")
    whole = _without_hidden_sizes(op, array, t)
    return op.bind(tree.Transpose(op.span, k, n, whole), t)


def _rearrange(op: ArrayCall, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    order = tuple([op.literal(value, "a dimension") for value in values[1:]])
    if sorted(order) != list(range(rank(t))):
        raise op.error(f"a value of type {show(t)} has other dimensions than these")
    whole = _without_hidden_sizes(op, array, t)
    return op.bind(tree.RearrangeExpression(op.span, order, whole), t)


OF_FORM: Final[Mapping[str, Meaning]] = {
    "array-size": (1, 2, _size),
    "array-copy": (1, 1, _copy),
    "array-split": (2, 2, _split),
    "array-concat": (2, 2, _concat),
    "string-append": (0, None, _texts),
    "array-zip": (1, None, _zip),
    "array-unzip": (2, 2, _unzip),
    "array-reshape": (2, None, _reshape),
    "array-transpose": (1, 3, _transpose),
    "array-rearrange": (2, None, _rearrange),
}
"""Operations that ask for sizes, or give arrays of other forms."""
