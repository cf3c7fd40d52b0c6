"""Staged arrays: NumPy's arrays of which a run knows the elements.

    Array       an array with content of its own; assignments to elements give it new content
    View        a part or another form of an array, which sees what is assigned to it, and, where
                it can, is assigned to

The content is a name of L0, whose arrays are values; a Python object is what changes.  Content that
is known while staging (`np.zeros(8)`) is kept as NumPy's until a run decides about any of it.
Two objects may be one array in some runs (after a staged conditional or loop); where one of them is
assigned to, the other must not be read any more.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import Any, Final

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.types import INT, ArrayType, Basic, Type, array_of
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.sourceplaces import cannot, fail
from cogen.staging.stagedconstants import KINDS, constant_array
from cogen.staging.stagedexpressions import constant, op, require, text
from cogen.staging.stagedscalars import DTYPES, FUNCTION_HANDLER, Scalar, Staged, apply_ufunc, bind
from cogen.staging.tracer import current

_versions = count(1)

METHODS: Final[dict[str, Any]] = {}
"""NumPy's functions that are methods too, by name; set where they are."""

INDEXING: Final[dict[str, Any]] = {}
"""How elements are got and assigned; set where it is."""


class Array(Staged):
    """An array of numbers, or of truth values."""

    __slots__ = ("_dims", "block", "element", "group", "known", "may", "ndim", "ones", "users",
                 "value", "version")  # fmt: skip

    def __init__(
        self,
        value: SymbolicName | None,
        element: Basic,
        ndim: int,
        known: np.ndarray[Any, Any] | None = None,
        ones: tuple[bool, ...] = (),
        dims: tuple[Any, ...] = (),
    ) -> None:
        tracer = current()
        self.value = value
        self.known = known
        self.element = element
        self.ndim = ndim
        self.block: Code = tracer.code
        self.ones = ones or (False,) * ndim
        self._dims: list[Any] = list(dims) or [None] * ndim
        self.may: dict[int, Array] = {id(self): self}
        """The arrays, each made once, that this may be: itself, if it was not chosen by a run."""
        self.users: list[Array] = []
        """Others that may be this one."""
        self.group: object = None
        """What are of one group are different arrays."""
        self.version = next(_versions)
        tracer.made(self)

    def __repr__(self) -> str:
        return f"<staged array of {self.element.name}, {self.ndim} dimensions>"

    # Content.

    def content(self) -> Any:
        """What it holds now."""
        return self.value, self.known, self.block, self.version

    def restore(self, content: Any) -> None:
        """Hold that again."""
        self.value, self.known, self.block, self.version = content

    def source(self) -> SymbolicName:
        """The name of what it holds, bound by now."""
        self.check()
        if self.known is not None:
            return self._noted(constant_array(self.known))
        assert self.value is not None
        if not current().is_open(self.block):
            fail(
                "this array was computed under a staged condition, or in a staged loop or "
                "function, and is used outside of it",
                "assign it to a variable that has a value before, or return it",
            )
        return self._noted(self.value)

    def _noted(self, name: SymbolicName) -> SymbolicName:
        """A name that is used, of which the program keeps the type."""
        current().types[name.text] = self.type
        return name

    def check(self) -> None:
        """Refuse reading what may have been changed by another name."""
        stale = current().stale_at(self)
        if stale is not None:
            fail(
                "this may be the array that was assigned to under another name "
                f"({stale}): only a run knows",
                "make a copy before: x = y.copy()",
            )

    def write(self, new: Array) -> None:
        """Hold what another array holds."""
        current().touch(self, "an array")
        new = new.settled()
        for root in self.may.values():
            for other in (root, *root.users):
                if other is not self and (self.group is None or other.group is not self.group):
                    current().make_stale(other)
        current().make_fresh(self)
        self.value, self.known, self.block = new.value, new.known, new.block
        if new.known is not None:
            self.known = new.known.copy()
        self.version = next(_versions)

    def settled(self) -> Array:
        """An array with content of its own that holds the same."""
        return self

    def changed(self) -> int:
        """Differs when the content does."""
        return self.version

    @property
    def type(self) -> Type:
        """Its type in L0."""
        return array_of(self.element, self.ndim)

    def expression(self) -> tree.Expression:
        """A new expression of what it holds."""
        return current().expression(self.source())

    def size_of(self, dimension: int) -> Any:
        """A size: an int if it is known, else a scalar."""
        if self.known is not None:
            return self.known.shape[dimension]
        found = self._dims[dimension]
        if isinstance(found, Scalar) and not current().is_open(found.block):
            found = None
        if found is None:
            e = tree.SizeExpression(current().place, dimension, self.expression())
            found = self._dims[dimension] = bind(e, INT, "n")
        return found

    # What NumPy's arrays have.

    @property
    def shape(self) -> tuple[Any, ...]:
        """The sizes."""
        return tuple([self.size_of(k) for k in range(self.ndim)])

    @property
    def size(self) -> Any:
        """How many elements there are."""
        found: Any = 1
        for n in self.shape:
            found = found * n
        return found

    @property
    def dtype(self) -> Any:
        """What NumPy calls the type of the elements."""
        return DTYPES[self.element]

    @property
    def T(self) -> Any:
        """The array with its dimensions in reverse order."""
        return METHODS["transpose"](self)

    @property
    def real(self) -> Any:
        """The array itself."""
        return self

    @property
    def imag(self) -> Any:
        """The imaginary parts: zeros."""
        return METHODS["full"](self.shape, 0, self.dtype)

    @property
    def flat(self) -> Any:
        """The elements."""
        return METHODS["ravel"](self)

    def __len__(self) -> int:
        if self.known is not None:
            return len(self.known)
        fail("only a run knows how long this array is, and len() wants to know it now",
             "use a.shape[0], or call len in a function whose source is there")  # fmt: skip

    def __iter__(self) -> Any:
        if self.known is not None:
            return iter([self[k] for k in range(len(self.known))])
        fail(
            "only a run knows how many elements this array has",
            "write a `for` loop or cogen.map; a comprehension, zip and sum(...) of it are not "
            "staged",
        )

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        if self.known is not None:
            return np.array(self.known, dtype)
        fail("a staged array cannot become one of NumPy's: only a run knows its elements",
             "NumPy's functions that are staged are listed in docs/staging.md")  # fmt: skip

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        return apply_ufunc(ufunc, method, inputs, options)

    def __array_function__(self, function: Any, types: Any, args: Any, options: Any) -> Any:
        return FUNCTION_HANDLER[0](function, args, options)

    def __getitem__(self, index: Any) -> Any:
        return INDEXING["get"](self, index)

    def __setitem__(self, index: Any, value: Any) -> None:
        INDEXING["set"](self, index, value)

    def __getattr__(self, name: str) -> Any:
        method = METHODS.get(name)
        if method is None:
            if name.startswith("__"):
                raise AttributeError(name)
            fail(f"staged arrays have no `{name}`", "docs/staging.md lists what they have")
        return lambda *args, **options: method(self, *args, **options)

    def __copy__(self) -> Any:
        """Another array with the same elements."""
        return METHODS["copy"](self)

    def __contains__(self, value: Any) -> Any:
        fail("`in` wants to know its answer now", "use np.any(a == x)")


class View(Array):
    """A part of an array, or another form of it."""

    __slots__ = ("base", "cache", "get", "put")

    def __init__(
        self,
        base: Array,
        get: Callable[[], Array],
        put: Callable[[Any], None] | None,
        element: Basic,
        ndim: int,
        ones: tuple[bool, ...] = (),
    ) -> None:
        super().__init__(None, element, ndim, None, ones)
        self.base = base
        self.get = get
        self.put = put
        self.cache: tuple[int, Array] | None = None

    def changed(self) -> int:
        """Differs when the content does."""
        return self.base.changed()

    def settled(self) -> Array:
        """An array with content of its own that holds the same."""
        return self.now().settled()

    def now(self) -> Array:
        """What it is now."""
        self.base.check()
        version = self.base.changed()
        if self.cache is None or self.cache[0] != version or not _in_scope(self.cache[1]):
            self.cache = version, self.get()
        return self.cache[1]

    def source(self) -> SymbolicName:
        """The name of what it holds, bound by now."""
        return self.now().source()

    def size_of(self, dimension: int) -> Any:
        """A size: an int if it is known, else a scalar."""
        return self.now().size_of(dimension)

    def write(self, new: Array) -> None:
        """Assign to the part that it is."""
        if self.put is None:
            cannot(
                "this form of an array is not assigned to",
                "assign to the array itself, or make a copy: a.T.copy()",
            )
        self.put(new)


def _in_scope(a: Array) -> bool:
    return a.known is not None or current().is_open(a.block)


def _is_left_to(other: Any) -> bool:
    """Whether operators are left to an object, as NumPy's protocol says it."""
    return getattr(other, "__array_ufunc__", apply_ufunc) is None


def _binary(name: str, swapped: bool) -> Callable[[Any, Any], Any]:
    """An operator of two operands, by the name of NumPy's function."""
    ufunc = getattr(np, name)

    def apply(self: Any, other: Any) -> Any:
        if other is None or isinstance(other, str) or _is_left_to(other):
            return NotImplemented
        inputs = (other, self) if swapped else (self, other)
        return apply_ufunc(ufunc, "__call__", inputs, {})

    return apply


def _in_place(name: str) -> Callable[[Any, Any], Any]:
    ufunc = getattr(np, name)

    def apply(self: Any, other: Any) -> Any:
        return apply_ufunc(ufunc, "__call__", (self, other), {"out": (self,)})

    return apply


def _unary(name: str) -> Callable[[Any], Any]:
    ufunc = getattr(np, name)
    return lambda self: apply_ufunc(ufunc, "__call__", (self,), {})


def give_operators(kind: type, in_place: bool = True) -> None:
    """Give a class Python's operators, which are NumPy's elementwise functions."""

    arithmetic = {
        "add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide",
        "floordiv": "floor_divide", "mod": "remainder", "pow": "power", "and": "bitwise_and",
        "or": "bitwise_or", "xor": "bitwise_xor", "lshift": "left_shift",
        "rshift": "right_shift",
    }  # fmt: skip
    for word, name in arithmetic.items():
        setattr(kind, f"__{word}__", _binary(name, False))
        setattr(kind, f"__r{word}__", _binary(name, True))
        if in_place:
            setattr(kind, f"__i{word}__", _in_place(name))
    comparisons = {
        "lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
        "ne": "not_equal",
    }  # fmt: skip
    for word, name in comparisons.items():
        setattr(kind, f"__{word}__", _binary(name, False))
    signs = {"neg": "negative", "pos": "positive", "abs": "absolute", "invert": "invert"}
    for word, name in signs.items():
        setattr(kind, f"__{word}__", _unary(name))

    def divided(self: Any, other: Any) -> Any:
        return self // other, self % other

    def divided_by(self: Any, other: Any) -> Any:
        return other // self, other % self

    setattr(kind, "__divmod__", divided)  # noqa: B010  # as the others above
    setattr(kind, "__rdivmod__", divided_by)  # noqa: B010

    def product(self: Any, other: Any) -> Any:
        if _is_left_to(other):
            return NotImplemented
        return FUNCTION_HANDLER[0](np.matmul, (self, other), {})

    def product_of(self: Any, other: Any) -> Any:
        if _is_left_to(other):
            return NotImplemented
        return FUNCTION_HANDLER[0](np.matmul, (other, self), {})

    setattr(kind, "__matmul__", product)  # noqa: B010  # as the others above
    setattr(kind, "__rmatmul__", product_of)  # noqa: B010
    setattr(kind, "__hash__", Staged.__hash__)  # noqa: B010  # comparisons took it away


give_operators(Array)


# Arrays that are known.


def known(values: Any) -> Array:
    """A known array with content of its own."""
    array = np.array(values)
    element = KINDS.get(array.dtype.kind)
    if element is None:
        cannot(f"array programs have no arrays of {array.dtype}", "numbers and truth values")
    array = array.astype(DTYPES[element])
    return Array(None, element, array.ndim, array)


def as_array(x: Any) -> Array:
    """A staged or known array as a staged one.  CogenError for what is none."""
    if isinstance(x, Array):
        return x
    if isinstance(x, np.ndarray):
        element = KINDS.get(x.dtype.kind)
        if element is None or x.dtype.names:
            cannot(f"array programs have no arrays of {x.dtype}", "numbers and truth values")
        return Array(None, element, x.ndim, np.asarray(x, DTYPES[element]))
    if isinstance(x, list | tuple):
        return METHODS["array"](x)  # type: ignore[no-any-return]  # an array
    fail(f"this must be an array, not {_kind(x)}")


def _kind(x: Any) -> str:
    return "a staged number" if isinstance(x, Scalar) else type(x).__name__


def of_type(value: SymbolicName, t: Type) -> Any:
    """A scalar or an array of a name of L0."""
    if isinstance(t, Basic):
        return Scalar(value, t)
    ndim = 0
    while isinstance(t, ArrayType):
        ndim, t = ndim + 1, t.element
    assert isinstance(t, Basic)
    return Array(value, t, ndim)


def named(e: tree.Expression, element: Basic, ndim: int, hint: str = "a") -> Array:
    """An array bound here."""
    return Array(current().bind(e, array_of(element, ndim), hint), element, ndim)


def demand_one(a: Array) -> None:
    """Fail in a run in which an array has not one row, which staging took for granted."""
    if a.known is None:
        size = tree.SizeExpression(current().place, 0, a.expression())
        require(op("=", size, constant(1)), text("an array of one row has another number now"))
