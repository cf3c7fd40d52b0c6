"""Results of staged functions: what a program gives, and how it is put together for Python.

A function's result is gone through once, when it is staged: `Results` has the leaves that become
the program's, and a `Giver` that makes Python's value of what a run gives for them.
"""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any, NoReturn

import numpy as np

from cogen.array.l0 import tree
from cogen.array.l0.storage import storage_of
from cogen.array.l0.storing import STORE
from cogen.array.l0.types import (
    CHAR,
    ArrayType,
    Basic,
    TupleType,
    Type,
    array_of,
    packed_array,
)
from cogen.array.scheme.symbolicvalues import SymbolicName
from cogen.staging.joinvalues import Missing
from cogen.staging.library import StagedDeque
from cogen.staging.listelements import settled
from cogen.staging.packvalues import PackedResult, layout_text
from cogen.staging.pooledlists import ListPool, PooledList
from cogen.staging.sourceplaces import fail
from cogen.staging.stagedarrays import Array, as_array, of_type
from cogen.staging.stagedcomplex import is_complex, parts_of_number
from cogen.staging.stagedlists import StagedList
from cogen.staging.stagedoptionals import StagedOptional
from cogen.staging.stagedrecords import Records, StagedRecord
from cogen.staging.stagedscalars import DTYPES, Scalar, is_number, scalar
from cogen.staging.stagedtables import StagedTable
from cogen.staging.stagedtexts import StagedCharacter, StagedText, codes_of
from cogen.staging.stagedunions import UnionCase, giver
from cogen.staging.tracer import current
from cogen.staging.valueparts import is_dataclass_value, pools_of, rebuild, with_fields
from cogen.staging.wholearrays import converted, expression_of, row_types

Giver = Callable[[Iterator[Any]], Any]


class Results:
    """The leaves of a result."""

    def __init__(self, value: Any) -> None:
        self.expressions: list[tree.Expression] = []
        self.types: list[Type] = []
        self.declared: list[Type] = []
        self.pools: list[ListPool] = []
        """The pools whose lists are given just now."""
        self.give = self.giver(value)

    def leaf(self, e: tree.Expression, t: Type, declared: Type | None = None) -> None:
        """Note a leaf."""
        self.expressions.append(e)
        self.types.append(t)
        self.declared.append(declared or t)

    def giver(self, value: Any) -> Giver:
        """Note the leaves of a value, and what puts it together of them."""
        if isinstance(value, Missing):
            value.refuse()
        if isinstance(value, PackedResult):
            return self.stored(value)
        if isinstance(value, Scalar) or is_number(value):
            found = scalar(value)
            self.leaf(expression_of(found, found.type), found.type)
            kind = DTYPES.get(found.type)
            return next if found.type == CHAR or kind is None else lambda it: kind.type(next(it))
        if is_complex(value):
            return self.complex_numbers(value)
        if isinstance(value, Array | np.ndarray) and not _is_structured(value):
            whole = as_array(value)
            self.leaf(whole.expression(), whole.type)
            return next
        if isinstance(value, StagedCharacter):
            code = self.giver(value.code)
            return lambda it: chr(code(it))
        if isinstance(value, StagedText):
            codes = self.giver(codes_of(value))
            return lambda it: _string(codes(it))
        if isinstance(value, Records):
            return self.records(value.fields)
        if isinstance(value, StagedRecord):
            return self.record(value.fields)
        if isinstance(value, StagedOptional):
            there, inner = self.giver(value.is_there), self.giver(value.value)
            return lambda it: _if_there(there(it), inner(it))
        if isinstance(value, UnionCase):
            give = giver(value)
            number, *bodies = map(self.giver, (value.case, *value.bodies))
            return lambda it: give(number(it), [body(it) for body in bodies])
        return self.whole(value)

    def whole(self, value: Any) -> Giver:
        """Values of several parts, and known ones."""
        if isinstance(value, StagedList) and not value.is_known:
            return self.elements(value)
        if isinstance(value, PooledList):
            return self.giver(value.staged_list())
        if isinstance(value, StagedDeque):
            elements = self.giver(value.rest())
            return lambda it: deque(elements(it))
        if isinstance(value, StagedTable):
            make, lists = value.kind.make, [self.giver(xs) for xs in value.staged_result()]
            return lambda it: make(*[give(it) for give in lists])
        if isinstance(value, tuple | list):
            givers = [self.giver(x) for x in value]
            if hasattr(value, "_fields"):
                kind: Any = type(value)
                return lambda it: kind(*[give(it) for give in givers])
            if isinstance(value, list):
                return lambda it: [give(it) for give in givers]
            return lambda it: tuple([give(it) for give in givers])
        if type(value) is dict:
            keys = list(value)
            inner = [self.giver(x) for x in value.values()]
            return lambda it: dict(zip(keys, [give(it) for give in inner], strict=True))
        if is_dataclass_value(value):
            names = [f.name for f in dataclasses.fields(value)]
            own = [self.giver(getattr(value, name)) for name in names]
            return lambda it: with_fields(value, names, [give(it) for give in own])
        staged = getattr(value, "staged_parts", None)
        if staged is not None:
            return self.giver(staged())
        return lambda it: value

    def elements(self, value: StagedList) -> Giver:
        """A list of which only a run knows the length."""
        assert value.rows is not None
        rows = settled(value.rows)
        givers = [self.giver(a) for a in rows.leaves]
        if rows.shape is None and rows.leaves[0].ndim == 1:
            (only,) = givers
            return lambda it: only(it).tolist()
        parts = [of_type(SymbolicName("x", t), t) for t in row_types(rows.leaves)]
        element = rebuild(rows.build, parts)
        make = _ElementResults(element).give
        readers = [None if pool is None else self.pooled(pool) for pool in pools_of(element)]

        def give(it: Iterator[Any]) -> Any:
            columns = [np.asarray(own(it)) for own in givers]
            lists = [a.tolist() if a.ndim == 1 else list(a) for a in columns]
            for k, reader in enumerate(readers):
                if reader is not None:
                    lists[k] = list(map(reader(it), lists[k]))
            return [make(iter(row)) for row in zip(*lists, strict=True)]

        return give

    def pooled(self, pool: ListPool) -> Callable[[Iterator[Any]], Callable[[int], list[Any]]]:
        """What gives the lists of a pool, by number: one number is one list."""
        if pool in self.pools:
            fail("a list of lists that hold each other is no result")
        self.pools.append(pool)
        givers = [self.giver(xs) for xs in (pool.starts, pool.sizes, pool.data)]
        self.pools.pop()

        def read(it: Iterator[Any]) -> Callable[[int], list[Any]]:
            starts, sizes, data = [give(it) for give in givers]
            made: dict[int, list[Any]] = {}
            return lambda k: made.setdefault(k, data[starts[k] : starts[k] + sizes[k]])

        return read

    def complex_numbers(self, value: Any) -> Giver:
        """A complex number, or an array of such; a known number is none of the program's."""
        if isinstance(value, complex):
            return lambda it: value
        real, imag = map(self.giver, parts_of_number(value))

        def give(it: Iterator[Any]) -> Any:
            first = np.asarray(real(it))
            found = np.empty(first.shape, np.complex128)
            found.real, found.imag = first, imag(it)
            return found if found.ndim else found[()]

        return give

    def records(self, fields: dict[str, Any]) -> Giver:
        """An array of records: structured."""
        givers = {name: self.giver(x) for name, x in fields.items()}

        def give(it: Iterator[Any]) -> Any:
            found = {name: own(it) for name, own in givers.items()}
            return structured(found)

        return give

    def record(self, fields: dict[str, Any]) -> Giver:
        """One record."""
        givers = {name: self.giver(x) for name, x in fields.items()}

        def give(it: Iterator[Any]) -> Any:
            found = {name: np.asarray(own(it)) for name, own in givers.items()}
            return structured({n: a[None] for n, a in found.items()})[0]

        return give

    def stored(self, value: PackedResult) -> Giver:
        """What is stored packed: bytes."""
        text = layout_text(value.layout)
        storage = storage_of(text)
        arrays = [as_array(a) for a in value.arrays(storage)]
        wanted = storage.element
        parts = wanted.parts if isinstance(wanted, TupleType) else (wanted,)
        if len(parts) != len(arrays):
            fail(f"the layout {text!r} stores {len(parts)} fields, and there are {len(arrays)}")
        exprs = []
        for a, t in zip(arrays, parts, strict=True):
            assert isinstance(t, Basic)
            if a.ndim != 1:
                fail("packed samples have one dimension", "a.ravel()")
            if t.name == "int" and a.element.name == "real":
                fail(f"the layout {text!r} stores ints, not floats",
                     "x.astype(int), or np.rint(x).astype(int)")  # fmt: skip
            exprs.append(converted(a, t).expression())
        place = current().place
        whole = exprs[0]
        if isinstance(wanted, TupleType):
            whole = tree.Form(place, "zip", tuple(exprs))
        words = tree.StringLiteral(place, text), tree.StringLiteral(place, value.fit)
        e = tree.ExtensionExpression(place, STORE, (), (words[0], whole, words[1]))
        self.leaf(e, ArrayType(wanted), packed_array(text))
        return next

    @property
    def type(self) -> Type:
        """The type of the program's result."""
        return self.types[0] if len(self.types) == 1 else TupleType(tuple(self.types))

    @property
    def stored_type(self) -> Type:
        """The type as it is declared."""
        return self.declared[0] if len(self.types) == 1 else TupleType(tuple(self.declared))


def _string(codes: Any) -> str:
    """The string of the codes of its characters."""
    return bytes(np.asarray(codes, "<u4")).decode("utf-32-le", "surrogatepass")


def _if_there(is_there: Any, value: Any) -> Any:
    return value if is_there else None


class _ElementResults(Results):
    """How elements of lists are put together: numbers are Python's."""

    def giver(self, value: Any) -> Giver:
        """What puts a value together of its leaves."""
        return next if isinstance(value, Scalar | PooledList) else super().giver(value)

    def pooled(self, pool: ListPool) -> NoReturn:
        """Lists of any lengths in lists that are elements."""
        fail("lists of any lengths in lists of one length are no result", "make a list for each")


def _is_structured(value: Any) -> bool:
    return isinstance(value, np.ndarray) and value.dtype.names is not None


def structured(fields: dict[str, Any]) -> Any:
    """An array of records of arrays of fields."""
    arrays = {name: np.asarray(a) for name, a in fields.items()}
    shape = min([a.shape for a in arrays.values()], key=len)
    types = [
        (name, a.dtype, a.shape[len(shape) :]) if a.ndim > len(shape) else (name, a.dtype)
        for name, a in arrays.items()
    ]
    found = np.empty(shape, types)
    for name, a in arrays.items():
        found[name] = a
    return found


__all__ = ["Giver", "Results", "array_of", "structured"]
