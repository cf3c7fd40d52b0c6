"""Checks the types of the extensions, `cogen.array.l0.extensions`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.applying import Applying
from cogen.array.l0.scopes import conversion
from cogen.array.l0.types import (
    BOOL,
    CHAR,
    INT,
    ArrayType,
    Basic,
    TupleType,
    Type,
    show_type,
)
from lang.errors import CogenError


class Extending(Applying):
    """The part of the check that concerns extensions."""

    def extension(self, e: tree.Extension) -> Type:
        return _CHECK[e.name](self, e)

    def bucket_reduce(self, e: tree.Extension) -> Type:
        initial, count, keys, array = e.operands
        start = self.expression(initial)
        self.expect(count, INT, "the number of buckets")
        self.expect(keys, ArrayType(INT), "the keys")
        self._combines(e, start, self._element(e, array))
        return ArrayType(start)

    def bucket_collect(self, e: tree.Extension) -> Type:
        count, keys, array = e.operands
        self.expect(count, INT, "the number of buckets")
        self.expect(keys, ArrayType(INT), "the keys")
        return TupleType((ArrayType(INT), ArrayType(self._element(e, array))))

    def group_by(self, e: tree.Extension) -> Type:
        element = self._element(e, e.operands[0])
        key = self.apply(e, e.functions[0], [element])
        if not _is_key(key):
            raise CogenError(
                f"the keys of `groupBy` must be {_KEYS}, but are {show_type(key)}",
                e.functions[0].span,
            )
        return TupleType((ArrayType(key), ArrayType(INT), ArrayType(element)))

    def reduce_segments(self, e: tree.Extension) -> Type:
        initial, offsets, array = e.operands
        start = self.expression(initial)
        self.expect(offsets, ArrayType(INT), "the offsets")
        self._combines(e, start, self._element(e, array))
        return ArrayType(start)

    def flat_map(self, e: tree.Extension) -> Type:
        element = self._element(e, e.operands[0])
        result = self.apply(e, e.functions[0], [element])
        if not isinstance(result, ArrayType) or not _is_scalar(result.element):
            raise CogenError(
                "the function of `flatMap` must give an array of basic values or tuples of such, "
                f"but gives {show_type(result)}",
                e.functions[0].span,
            )
        return result

    def distinct(self, e: tree.Extension) -> Type:
        element = self._element(e, e.operands[0])
        if not _is_key(element):
            raise CogenError(
                f"the elements of `distinct` must be {_KEYS}, but are {show_type(element)}",
                tree.last(e.operands[0]).span,
            )
        return ArrayType(element)

    def scatter(self, e: tree.Extension) -> Type:
        array, indices, values = e.operands
        element = self._element(e, array)
        self.expect(indices, ArrayType(INT), "the indices")
        self.expect(values, ArrayType(element), "the new values")
        return ArrayType(element)

    def _element(self, e: tree.Extension, array: tree.Expression) -> Type:
        found = self.array_operand(array, f"the array of `{e.name}`")
        assert isinstance(found, ArrayType)
        return found.element

    def _combines(self, e: tree.Extension, initial: Type, element: Type) -> None:
        """Check the function of a reduction."""
        if initial != element:
            raise CogenError(
                f"the initial value of `{e.name}` must be like the elements of the array, "
                f"{show_type(element)}, but is {show_type(initial)}",
                tree.last(e.operands[0]).span,
                conversion(initial, element),
            )
        function = e.functions[0]
        self.result_is(e, function, self.apply(e, function, [initial, element]), initial)


_KEYS: Final = "int, bool, char, or tuples of these"


def _is_key(t: Type) -> bool:
    """Whether equality of such values is a matter of course."""
    if isinstance(t, TupleType):
        return bool(t.parts) and all(_is_key(part) for part in t.parts)
    return t in (INT, BOOL, CHAR)


def _is_scalar(t: Type) -> bool:
    """Whether a value has no array in it."""
    return isinstance(t, Basic) or (
        isinstance(t, TupleType) and all(_is_scalar(part) for part in t.parts)
    )


_CHECK: Final[dict[str, Callable[[Extending, tree.Extension], Type]]] = {
    "bucketReduce": Extending.bucket_reduce,
    "bucketCollect": Extending.bucket_collect,
    "groupBy": Extending.group_by,
    "reduceSegments": Extending.reduce_segments,
    "flatMap": Extending.flat_map,
    "distinct": Extending.distinct,
    "scatter": Extending.scatter,
}
