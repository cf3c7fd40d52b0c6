"""What is known of a symbolic value at a glance: its type, its datum, its token."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cogen.lang import il
from cogen.lang.datum import Datum, Pair
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.values.domain import (
    Closure,
    Cyclic,
    Dynamic,
    PartialPair,
    PartialRecord,
    Primitive,
    Reified,
    Static,
    Test,
    Value,
)
from cogen.specializer.values.freeze import static_token


def type_of(value: Value) -> str:
    """The scalar type that is known of a value, else `any` or a type of the primitive table."""
    kind = type(value)
    if kind is Static:
        return type_of_datum(value.datum)  # type: ignore[union-attr]
    if kind is Dynamic:
        return value.type  # type: ignore[union-attr, return-value]
    if kind is Cyclic:
        return "int"
    if kind is Test:
        return "bool"
    if kind is PartialPair:
        return "pair"
    if kind is Closure or kind is Primitive or kind is Reified:
        return "procedure"
    if kind is PartialRecord:
        return "record"
    return "any"


def type_of_datum(datum: Datum) -> str:
    """The type of the primitive table that a constant has."""
    kind = type(datum)
    return _DATUM_TYPES.get(kind.__name__, "any")


_DATUM_TYPES = {
    "int": "int",
    "float": "float",
    "bool": "bool",
    "str": "string",
    "Char": "char",
    "Symbol": "symbol",
    "Pair": "pair",
    "list": "vector",
    "bytearray": "memory",
    "bytes": "memory",
    "memoryview": "memory",
    "Record": "record",
}


def fits(type: str, wanted: str) -> bool:
    """Whether a value known to be of `type` is surely accepted where the table says `wanted`."""
    if wanted == "any" or type == wanted:
        return True
    if wanted == "number":
        return type in ("int", "float")
    if wanted == "integer":
        return type == "int"
    return wanted in ("bytevector", "memory") and type.partition(":")[0] in (
        "bytevector",
        "memory",
    )


def number_type(types: Sequence[str]) -> str:
    """The type of an arithmetic result: int of ints, float if any argument is one."""
    if all(type == "int" for type in types):
        return "int"
    return "float" if "float" in types and all(t in ("int", "float") for t in types) else "any"


def atom_token(atom: il.Atom) -> Any:
    """A hashable stand-in for an atom."""
    if type(atom) is il.Var:
        return atom.name
    if type(atom) is il.Const:
        return ("const", static_token(atom.value))
    return atom


def datum_of(value: Value) -> Datum | None:
    """The datum of a wholly known value; None if a part is unknown or has an identity."""
    kind = type(value)
    if kind is Static:
        return value.datum  # type: ignore[union-attr]
    if kind is not PartialPair or value.ground is None:  # type: ignore[union-attr]
        return None
    made: dict[int, Datum] = {}
    work: list[Any] = [value]
    while work:  # parts that are shared are made once: written out, there may be very many
        pair = work[-1]
        parts = [pair.car, pair.cdr]
        missing = [p for p in parts if type(p) is PartialPair and id(p) not in made]
        if missing:
            work += missing
            continue
        work.pop()
        car, cdr = [made[id(p)] if type(p) is PartialPair else p.datum for p in parts]
        made[id(pair)] = Pair(car, cdr)
    return made[id(value)]


def can_fail(op: str, types: Sequence[str]) -> bool:
    """Whether an operation on arguments of these types can fail other than by overflow."""
    fails = PRIMITIVES[op].fails
    if not fails or fails == _OVERFLOW:
        return False
    if fails - _TYPE_OVERFLOW:
        return True
    wanted = PRIMITIVES[op].arguments
    last = len(wanted) - 1
    return not all(fits(type, wanted[min(i, last)]) for i, type in enumerate(types))


_OVERFLOW = frozenset({"overflow"})
_TYPE_OVERFLOW = frozenset({"type", "overflow"})
