"""The types of the built-in forms, and the regularity of array literals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.types import (
    BOOL,
    CERT,
    CHAR,
    INT,
    REAL,
    ArrayType,
    TupleType,
    Type,
    show_type,
)
from cogen.lang.errors import CogenError, Note

Operands = Sequence[Type]


def form_type(e: tree.Form, operands: Operands) -> Type:
    """The type of a form on operands of these types; their number is right already."""
    return _FORMS[e.name](e, operands)


def _require(e: tree.Form, operands: Operands, index: int, *expected: Type) -> None:
    if operands[index] not in expected:
        raise CogenError(
            f"operand {index + 1} of `{e.name}` must be {' or '.join(map(show_type, expected))}, "
            f"but is {show_type(operands[index])}",
            e.operands[index].span,
        )


def _array(e: tree.Form, operands: Operands, index: int) -> ArrayType:
    found = operands[index]
    if not isinstance(found, ArrayType):
        which = "the operand" if len(operands) == 1 else f"operand {index + 1}"
        raise CogenError(
            f"{which} of `{e.name}` must be an array, but is {show_type(found)}",
            e.operands[index].span,
        )
    return found


def _zip(e: tree.Form, operands: Operands) -> Type:
    return ArrayType(
        TupleType(tuple([_array(e, operands, i).element for i in range(len(operands))]))
    )


def _unzip(e: tree.Form, operands: Operands) -> Type:
    array = operands[0]
    if not isinstance(array, ArrayType) or not isinstance(array.element, TupleType):
        raise CogenError(
            f"the operand of `unzip` must be an array of tuples, but is {show_type(array)}",
            e.operands[0].span,
        )
    return TupleType(tuple([ArrayType(part) for part in array.element.parts]))


def _iota(e: tree.Form, operands: Operands) -> Type:
    _require(e, operands, 0, INT)
    return ArrayType(INT)


def _replicate(e: tree.Form, operands: Operands) -> Type:
    _require(e, operands, 0, INT)
    return ArrayType(operands[1])


def _split(e: tree.Form, operands: Operands) -> Type:
    _require(e, operands, 0, INT)
    array = _array(e, operands, 1)
    return TupleType((array, array))


def _concat(e: tree.Form, operands: Operands) -> Type:
    array = _array(e, operands, 0)
    _array(e, operands, 1)
    _require(e, operands, 1, array)
    return array


def _copy(e: tree.Form, operands: Operands) -> Type:
    return operands[0]


def _assert(e: tree.Form, operands: Operands) -> Type:
    _require(e, operands, 0, BOOL)
    if len(operands) > 1 and not isinstance(e.operands[1], tree.StringLiteral):
        hint = 'assert(n < 3, "too many:", n)'
        raise CogenError("what an assertion says is a string literal", e.operands[1].span, hint)
    for index in range(2, len(operands)):
        if not isinstance(e.operands[index], tree.StringLiteral):
            _require(e, operands, index, INT, REAL, BOOL, CHAR)
    return CERT


def _conjoin(e: tree.Form, operands: Operands) -> Type:
    for index in range(len(operands)):
        _require(e, operands, index, CERT)
    return CERT


_FORMS: Final[dict[str, Callable[[tree.Form, Operands], Type]]] = {
    "zip": _zip,
    "unzip": _unzip,
    "iota": _iota,
    "replicate": _replicate,
    "split": _split,
    "concat": _concat,
    "copy": _copy,
    "assert": _assert,
    "conjoin": _conjoin,
}


# What is known of a literal's shape: None, or the sizes that the text shows. A tuple has those of
# its parts, an array its length and what its elements have in common.

_Shape = tuple["int | None", tuple["_Shape", ...]] | None


def check_regular(e: tree.ArrayExpression) -> None:
    """Refuse an array literal whose rows visibly differ in length, also inside tuples."""
    first = e.elements[0]
    expected = _shape(first)
    for other in e.elements[1:]:
        found = _shape(other)
        difference = _difference(expected, found)
        if difference is not None:
            raise CogenError(
                f"the array is not regular: this element has a row of {difference[1]}, "
                f"the first one a row of {difference[0]}",
                other.span,
                notes=[Note("the first element", first.span)],
            )


def _shape(e: tree.Expression) -> _Shape:
    match e:
        case tree.ArrayExpression():
            return len(e.elements), (_shape(e.elements[0]),)
        case tree.StringLiteral():
            return len(e.value), ()
        case tree.Empty():
            return 0, ()
        case tree.Tuple():
            return None, tuple([_shape(part) for part in e.parts])
    return None


def _difference(a: _Shape, b: _Shape) -> tuple[int, int] | None:
    """The first two sizes that differ."""
    if a is None or b is None:
        return None
    if a[0] is not None and b[0] is not None and a[0] != b[0]:
        return a[0], b[0]
    for part, other in zip(a[1], b[1], strict=False):
        found = _difference(part, other)
        if found is not None:
            return found
    return None
