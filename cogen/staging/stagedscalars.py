"""Staged numbers: what Python's operators and NumPy's functions on them become.

    Scalar      a number, truth value or character that a run knows
    apply(name, a, ...)       an operation by NumPy's name, on staged and known numbers

Types are L0's. An int that meets a real becomes one, a truth value that meets a number an int, as
in NumPy; division and the functions of reals make reals of all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final, NoReturn

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import BOOL, CHAR, INT, REAL, Basic
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import SymbolicName, SymbolicNumber, Value
from cogen.staging.dtypes import type_of_dtype
from cogen.staging.sourceplaces import cannot, fail, lacks, refuses
from cogen.staging.stagedexpressions import Expression, builtin, choose, constant, op
from cogen.staging.tracer import current

_ORDER: Final = (BOOL, INT, REAL)
DTYPES: Final = {INT: np.dtype(np.int64), REAL: np.dtype(np.float64), BOOL: np.dtype(np.bool_)}
"""What NumPy calls the types."""


class Staged:
    """A value that a run of the program knows."""

    __slots__ = ()

    __array_priority__ = 1000.0
    __hash__ = refuses(
        "a key of a dictionary or an element of a set",
        "use an array and cogen.bucket_reduce, cogen.group_by or cogen.distinct",
    )
    __bool__ = refuses(
        "tested here",
        "tests are staged in functions whose source is there: `if`, `while`, `and`, `not`; "
        "else use np.where or cogen.static",
    )
    __int__ = refuses("given to int()", "use x.astype(int), or np.floor(x).astype(int)")
    __float__ = refuses("given to float()", "use x.astype(float), or x * 1.0")
    __complex__ = refuses("given to complex()", "1j * y + x is the number")
    __index__ = refuses(
        "an index or a size of what is known",
        "make the list an array (np.array), or annotate the parameter with cogen.static",
    )
    __call__ = lacks("value is no function", "is an operator missing, as in a * (b + c)?")
    __str__ = refuses("printed or made text", "return it, and print the result")
    __format__ = refuses("made text", "return it")

    def __copy__(self) -> Any:
        """What `copy.copy` gives: a number is a value, so itself."""
        return self

    def __deepcopy__(self, memo: Any) -> Any:
        """What `copy.deepcopy` gives, and `dataclasses.astuple`."""
        return self.__copy__()


class Scalar(Staged):
    """A staged number, truth value or character."""

    __slots__ = ("beyond", "block", "negates", "type", "value")

    def __init__(self, value: Value, t: Basic, block: Code | None = None) -> None:
        self.beyond: tuple[Value, int] | None = None
        """What it is a known distance beyond, and the distance: of `i + 1`, i and 1."""
        self.negates = False
        """Whether the program wrote a minus before it."""
        self.value = value
        self.type = t
        self.block = current().code if block is None else block

    def __repr__(self) -> str:
        return f"<staged {self.type.name}>"

    ndim = 0
    shape: tuple[Any, ...] = ()

    @property
    def dtype(self) -> Any:
        """What NumPy calls its type."""
        return DTYPES[self.type]

    @property
    def T(self) -> Scalar:
        """Itself."""
        return self

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return FUNCTION_HANDLER[0](function, args, options)

    def astype(self, dtype: Any) -> Any:
        """The number as another type."""
        return convert(self, dtype)

    @property
    def real(self) -> Scalar:
        """The number itself."""
        return self

    @property
    def imag(self) -> Any:
        """The imaginary part: 0."""
        return DTYPES[self.type].type(0).item()

    def item(self) -> Scalar:
        """The number itself."""
        return self

    def conjugate(self) -> Scalar:
        """The number itself."""
        return self

    conj = conjugate

    def __add__(self, other: Any) -> Any:
        return _binary("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _binary("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _binary("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _binary("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return _binary("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return _binary("multiply", other, self)

    def __truediv__(self, other: Any) -> Any:
        return _binary("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _binary("divide", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return _binary("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _binary("floor_divide", other, self)

    def __mod__(self, other: Any) -> Any:
        return _binary("remainder", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _binary("remainder", other, self)

    def __divmod__(self, other: Any) -> Any:
        return _binary("floor_divide", self, other), _binary("remainder", self, other)

    def __rdivmod__(self, other: Any) -> Any:
        return _binary("floor_divide", other, self), _binary("remainder", other, self)

    def __pow__(self, other: Any) -> Any:
        return _binary("power", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _binary("power", other, self)

    def __and__(self, other: Any) -> Any:
        return _binary("bitwise_and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _binary("bitwise_and", other, self)

    def __or__(self, other: Any) -> Any:
        return _binary("bitwise_or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _binary("bitwise_or", other, self)

    def __xor__(self, other: Any) -> Any:
        return _binary("bitwise_xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _binary("bitwise_xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return _binary("left_shift", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return _binary("left_shift", other, self)

    def __rshift__(self, other: Any) -> Any:
        return _binary("right_shift", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _binary("right_shift", other, self)

    def __neg__(self) -> Any:
        found = apply("negative", self)
        if isinstance(found, Scalar):
            found.negates = True
        return found

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return apply("absolute", self)

    def __invert__(self) -> Any:
        return apply("invert", self)

    def __lt__(self, other: Any) -> Any:
        return _binary("less", self, other)

    def __le__(self, other: Any) -> Any:
        return _binary("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return _binary("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return _binary("greater_equal", self, other)

    def __eq__(self, other: Any) -> Any:
        return _binary("equal", self, other)

    def __ne__(self, other: Any) -> Any:
        return _binary("not_equal", self, other)

    __hash__ = Staged.__hash__  # type: ignore[assignment]  # it never returns

    def __round__(self, digits: Any = None) -> Any:
        if digits:
            cannot_round()
        found = apply("rint", self) if self.type == REAL else self
        return convert(found, int) if digits is None else found

    def __floor__(self) -> Any:
        return convert(apply("floor", self), int)

    def __ceil__(self) -> Any:
        return convert(apply("ceil", self), int)

    def __trunc__(self) -> Any:
        return convert(self, int)

    __iter__ = lacks("number cannot be iterated over", "range(n) counts up to it")
    __getitem__ = __setitem__ = lacks(
        "number has no elements", "an array is given as one: f(np.array([1, 2]))"
    )

    def __getattr__(self, name: str) -> NoReturn:
        text = f"a staged number has no `{name}`; functions of NumPy take it, as in np.abs(x)"
        raise AttributeError(text, name=name, obj=self)


def cannot_round() -> NoReturn:
    """Rounding to digits is not there."""
    cannot("a staged value is only rounded to whole numbers", "np.rint(x * 100) / 100")


FUNCTION_HANDLER: list[Any] = [None]
"""What does NumPy's functions of staged values; set where they are."""

UFUNC_HANDLER: list[Any] = [None]
"""What does NumPy's elementwise functions where arrays are among the operands."""


COMPLEX_HANDLER: list[Any] = [None]
"""What makes a number complex; set where complex numbers are."""


def apply_ufunc(ufunc: Any, method: str, inputs: Any, options: Any) -> Any:
    """An elementwise function of NumPy's that got a staged value."""
    return UFUNC_HANDLER[0](ufunc, method, inputs, options)


_COMPARISONS: Final = frozenset({
    "less", "less_equal", "greater", "greater_equal", "equal", "not_equal",
})  # fmt: skip


def is_number(x: Any) -> bool:
    """Whether a value is a known number or truth value."""
    return isinstance(x, bool | int | float | np.bool_ | np.integer | np.floating)


def _binary(name: str, a: Any, b: Any) -> Any:
    for x in (a, b):
        if not isinstance(x, Scalar) and not is_number(x):
            if isinstance(x, str) and len(x) == 1 and name in _COMPARISONS:
                continue
            if x is None or isinstance(x, str):
                return name == "not_equal" if name in ("equal", "not_equal") else NotImplemented
            if isinstance(x, complex):
                return apply_ufunc(getattr(np, name), "__call__", (a, b), {})
            return NotImplemented
    found = apply(name, a, b)
    if name in ("add", "subtract"):
        _note_distance(found, a, b if name == "add" else -b if isinstance(b, int) else None)
    return found


def _note_distance(found: Any, a: Any, b: Any) -> None:
    """Note that a number is another one and a known int."""
    if isinstance(b, Scalar):
        a, b = b, a
    if isinstance(a, Scalar) and isinstance(found, Scalar) and type(b) is int and a.type == INT:
        base, distance = a.beyond or (a.value, 0)
        found.beyond = base, distance + b
        found.negates = a.negates


# Numbers as scalars.


def scalar(x: Any) -> Scalar:
    """A staged or known number as a scalar.  CogenError for what is none."""
    if isinstance(x, Scalar):
        return x
    if isinstance(x, bool | np.bool_):
        return Scalar(SymbolicNumber(bool(x), BOOL), BOOL)
    if isinstance(x, int | np.integer):
        n = int(x)
        if not -(1 << 63) <= n < 1 << 63:
            fail(f"{n} is not in the range of int64", "array programs compute with 64 bits")
        return Scalar(SymbolicNumber(n, INT), INT)
    if isinstance(x, float | np.floating):
        return Scalar(SymbolicNumber(float(x), REAL), REAL)
    if isinstance(x, str) and len(x) == 1:
        return Scalar(SymbolicNumber(ord(x), INT), INT)
    fail(f"this must be a number, not {type(x).__name__}")


def expression(s: Scalar) -> Expression:
    """A new expression of a scalar.  CogenError where it is not in scope."""
    tracer = current()
    if isinstance(s.value, SymbolicName) and not tracer.is_open(s.block):
        fail(
            "this value was computed under a staged condition, or in a staged loop or function, "
            "and is used outside of it",
            "assign it to a variable that has a value before, or return it",
        )
    if isinstance(s.value, SymbolicName):
        tracer.types[s.value.text] = s.type
    return tracer.expression(s.value)


def bind(e: Expression, t: Basic, hint: str = "t") -> Scalar:
    """A scalar bound here."""
    return Scalar(current().bind(e, t, hint), t)


def join(types: Sequence[Basic], least: Basic = BOOL) -> Basic:
    """The type that numbers of several types have together."""
    if CHAR in types:
        if all(t == CHAR for t in types):
            return CHAR
        fail("a character and a number do not mix", "ord(c) is its code")
    return _ORDER[max(_ORDER.index(least), *(_ORDER.index(t) for t in types))]


def as_type(s: Scalar, t: Basic) -> Expression:
    """An expression of a scalar as a type that holds its values."""
    if isinstance(s.value, SymbolicNumber) and t in (INT, REAL):
        number = s.value.value
        assert not isinstance(number, str)
        return current().expression(SymbolicNumber(float(number) if t == REAL else int(number), t))
    e = expression(s)
    place = e.span
    if s.type == t:
        return e
    if s.type == BOOL:
        one, zero = (SymbolicNumber(float(n) if t == REAL else n, t) for n in (1, 0))
        tracer = current()
        return tree.IfExpression(place, e, tracer.expression(one), tracer.expression(zero))
    assert (s.type, t) == (INT, REAL), (s.type, t)
    return tree.CallExpression(place, tree.Name(place, "toReal"), (e,))


def cast(s: Scalar, t: Basic) -> Scalar:
    """A scalar as a type that holds its values."""
    return s if s.type == t else bind(as_type(s, t), t)


def convert(x: Scalar, dtype: Any) -> Any:
    """A number as `astype` makes it."""
    if dtype in (complex, np.complex128, np.complex64):
        return COMPLEX_HANDLER[0](x)
    t, wrapped = type_of_dtype(dtype)
    if t == BOOL:
        found: Scalar = x if x.type == BOOL else apply("not_equal", x, 0)
        return found
    if t == REAL:
        return cast(x, REAL)
    if x.type == REAL:
        if wrapped is not None and (wrapped[0] < 32 or wrapped == (32, True)):
            x = _within_int32(x)
        x = bind(builtin("trunc", expression(x)), INT)
    x = cast(x, INT)
    if wrapped is None:
        return x
    bits, signed = wrapped
    if not signed:
        return x & ((1 << bits) - 1)
    return (x << (64 - bits)) >> (64 - bits)


def _within_int32(x: Scalar) -> Scalar:
    """A real, or in the place of what no int of 32 bits is near, the least of these: the processors
    that most people have give that, so NumPy does."""
    x = bind(expression(x), REAL)
    above = op("<", constant(-(2.0**31) - 1), expression(x))
    inside = op("&&", above, op("<", expression(x), constant(2.0**31)))
    return bind(choose(inside, expression(x), constant(-(2.0**31))), REAL)


Maker = Callable[[list[Scalar], bool], Scalar]
"""Makes an operation of scalars; whether they are elements of arrays, where `True + True` is."""

OPERATIONS: Final[dict[str, Maker]] = {}
"""The operations by the names of NumPy's functions."""


def operation(*names: str) -> Callable[[Maker], Maker]:
    """Decorates what makes the operations of these names."""

    def note(make: Maker) -> Maker:
        OPERATIONS.update(dict.fromkeys(names, make))
        return make

    return note


def apply(name: str, *operands: Any, elements: bool = False) -> Any:
    """An operation by the name of NumPy's function; of known numbers as NumPy does it."""
    if not any(isinstance(x, Scalar) for x in operands):
        return getattr(np, name)(*operands)
    make = OPERATIONS.get(name)
    if make is None:
        cannot(f"np.{name} is not there in array programs", HINTS.get(name))
    return make([scalar(x) for x in operands], elements)


HINTS: Final[dict[str, str]] = {
    "matmul": "use a @ b with two arrays",
}
