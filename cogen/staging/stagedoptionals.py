"""None, or a value, as only a run knows: what a variable is that begins as None.

    best = None                         is_there, value
    for x in a:                    ->
        if best is None or x > best:    not is_there || x > value
            best = x

`best is None` is a test of the truth value; anything else is done to the value, which must be there
then, as in Python.  Lists, tuples and results hold both.
"""

from __future__ import annotations

import operator
from collections.abc import Callable
from typing import Any

from cogen.staging.orderedvalues import equal
from cogen.staging.stagedarrays import METHODS, Array
from cogen.staging.stagedexpressions import require, text
from cogen.staging.stagedscalars import Scalar, Staged, apply, expression, scalar


class StagedOptional(Staged):
    """A value, or None."""

    __slots__ = ("is_there", "value")

    def __init__(self, is_there: Any, value: Any) -> None:
        self.is_there = is_there
        self.value = value

    def __repr__(self) -> str:
        return "<staged value or None>"

    def demanded(self) -> Any:
        """The value, which must be there."""
        if not isinstance(self.is_there, Scalar):
            if not self.is_there:
                raise TypeError("None is no number")
            return self.value
        require(expression(self.is_there), text("this is None, and a value is needed"))
        return self.value

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return getattr(ufunc, method)(*map(demanded, inputs), **options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return function(*map(demanded, args), **options)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.demanded(), name)

    def __getitem__(self, index: Any) -> Any:
        return self.demanded()[index]

    def __setitem__(self, index: Any, value: Any) -> None:
        self.demanded()[index] = value


def demanded(x: Any) -> Any:
    """A value, which must be there if it may be None."""
    return x.demanded() if isinstance(x, StagedOptional) else x


def optional(is_there: Any, value: Any) -> Any:
    """A value, or None; of arrays, whose elements must all be there, the array."""
    if not isinstance(is_there, Array):
        return StagedOptional(is_there, value)
    all_there = METHODS["all"](is_there)
    require(expression(scalar(all_there)), text("None would be an element of an array"))
    return value


def is_none(x: Any) -> Any:
    """Whether a value is None."""
    if not isinstance(x, StagedOptional):
        return x is None
    return apply("logical_not", x.is_there)


def same(a: Any, b: Any) -> Any:
    """Whether values of which one may be None are the same."""
    if a is None or b is None:
        return is_none(b if a is None else a)
    x, y = (v if isinstance(v, StagedOptional) else StagedOptional(True, v) for v in (a, b))
    are_there = apply("logical_and", x.is_there, y.is_there)
    none = apply("logical_not", apply("logical_or", x.is_there, y.is_there))
    return apply("logical_or", none, apply("logical_and", are_there, equal(x.value, y.value)))


def _operator(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    plain = getattr(operator, name)

    def apply(self: StagedOptional, other: Any) -> Any:
        a, b = self.demanded(), demanded(other)
        return plain(b, a) if swapped else plain(a, b)

    return apply


def _unary(name: str) -> Callable[[Any], Any]:
    plain = getattr(operator, name)
    return lambda self: plain(self.demanded())


for _word in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and_", "or_", "xor",
              "lshift", "rshift", "matmul"):  # fmt: skip
    _name = _word.rstrip("_")
    setattr(StagedOptional, f"__{_name}__", _operator(_word, False))
    setattr(StagedOptional, f"__r{_name}__", _operator(_word, True))
for _word in ("lt", "le", "gt", "ge"):
    setattr(StagedOptional, f"__{_word}__", _operator(_word, False))
StagedOptional.__eq__ = same  # type: ignore[method-assign]  # of any two
StagedOptional.__ne__ = lambda a, b: apply("logical_not", same(a, b))  # type: ignore[method-assign]  # of any two
StagedOptional.__hash__ = Staged.__hash__  # type: ignore[method-assign]  # comparisons took it away
for _word in ("neg", "pos", "abs", "invert"):
    setattr(StagedOptional, f"__{_word}__", _unary(_word))
