"""What the built-in forms and the combinators compute, from values to values."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from cogen.array.l0 import values as v
from cogen.array.l0.messages import Told, say
from cogen.array.l0.operators import Fault
from cogen.array.l0.types import Type
from cogen.array.l0.values import ArrayValue, Value

Applied = Callable[..., Any]
"""A function operand with its curried arguments, applied to as many values as it is passed."""


def replicate(most: int, t: Type, count: int, value: Value) -> ArrayValue:
    """Copies of a value of a type; arrays have `most` elements at most."""
    return v.replicate(count, value, t, most)


def reshape(most: int, *operands: Any) -> ArrayValue:
    """The last operand in the shape that the others say; arrays have `most` elements at most."""
    *shape, array = operands
    return v.reshape(tuple(shape), array, most)


def assertion(message: str, condition: bool, *values: Told) -> bool:
    """Fail unless a condition holds, with what a template says of values."""
    if not condition:
        raise Fault(say(message, values))
    return True


def _conjoin(*certificates: bool) -> bool:
    return True


def _zip(*arrays: ArrayValue) -> ArrayValue:
    return v.zip_arrays(arrays)


def _copy(value: Value) -> Value:
    return value


FORMS: Final[dict[str, Callable[..., Any]]] = {
    "zip": _zip,
    "unzip": v.unzip,
    "split": v.split,
    "concat": v.concat,
    "copy": _copy,
    "conjoin": _conjoin,
}
"""Those that need nothing else than their operands."""


# The combinators: functions, initial value, array, type of the result's elements, tupleless.


def _result(values: list[Any], element: Type, tupleless: bool) -> Any:
    array = v.build(values, element)
    return v.unzip(array) if tupleless else array


def _rows(array: ArrayValue) -> Iterator[Any]:
    return v.rows(array)


def _map(
    functions: list[Applied], start: Any, array: ArrayValue, element: Type, tupleless: bool
) -> Any:
    f = functions[0]
    if tupleless:
        return _result([f(*row) for row in _rows(array)], element, tupleless)
    return _result([f(row) for row in _rows(array)], element, tupleless)


def _filter(
    functions: list[Applied], start: Any, array: ArrayValue, element: Type, tupleless: bool
) -> Any:
    f = functions[0]
    if tupleless:
        return v.unzip(v.select(array, [f(*row) for row in _rows(array)]))
    return v.select(array, [f(row) for row in _rows(array)])


def _fold(
    functions: list[Applied], start: Any, array: ArrayValue, element: Type, tupleless: bool
) -> Any:
    f = functions[-1]
    for row in _rows(array):
        start = f(*start, *row) if tupleless else f(start, row)
    return start


def _scan(
    functions: list[Applied], start: Any, array: ArrayValue, element: Type, tupleless: bool
) -> Any:
    f = functions[0]
    found = []
    for row in _rows(array):
        start = f(*start, *row) if tupleless else f(start, row)
        found.append(start)
    if found:
        return _result(found, element, tupleless)
    array = v.build([start], element)
    none = v.select(array, [False])
    return v.unzip(none) if tupleless else none


SOACS: Final[dict[str, Callable[..., Any]]] = {
    "map": _map,
    "filter": _filter,
    "reduce": _fold,
    "redomap": _fold,
    "scan": _scan,
}
