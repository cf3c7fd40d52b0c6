"""Types of C.

    type ::= Basic(name) | Vector(element, lanes) | Const(type) | Space(name, type)
           | Pointer(type, restrict?) | Callable(type, types)

`Basic` is any name of a type: of C, of its library, or defined by a program.  `Vector` is one of
OpenCL C, `Space` what lies in one of its address spaces, `Callable` the address of a function.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Final

from cogen.lang.errors import InternalError


@dataclass(frozen=True, slots=True)
class Basic:
    name: str


@dataclass(frozen=True, slots=True)
class Vector:
    """So many elements side by side, `long4`."""

    element: str
    lanes: int


@dataclass(frozen=True, slots=True)
class Const:
    """What is not assigned."""

    of: Type


@dataclass(frozen=True, slots=True)
class Space:
    """What is in an address space, `__global long`."""

    name: str
    of: Type


@dataclass(frozen=True, slots=True)
class Pointer:
    target: Type
    restrict: bool = False


@dataclass(frozen=True, slots=True)
class Callable:
    """The address of a function."""

    result: Type
    parameters: tuple[Type, ...]


Type = Basic | Vector | Const | Space | Pointer | Callable

VOID: Final = Basic("void")
BOOL: Final = Basic("bool")
CHAR: Final = Basic("char")
INT: Final = Basic("int")
UNSIGNED: Final = Basic("unsigned")
LONG: Final = Basic("long")
LONG_LONG: Final = Basic("long long")
SIZE: Final = Basic("size_t")
ADDRESS: Final = Basic("uintptr_t")
U8: Final = Basic("uint8_t")
I32: Final = Basic("int32_t")
U32: Final = Basic("uint32_t")
I64: Final = Basic("int64_t")
U64: Final = Basic("uint64_t")
WIDE: Final = Basic("cogen_wide")
FLOAT: Final = Basic("float")
DOUBLE: Final = Basic("double")

_INTEGERS: Final = {
    "bool": (False, 8), "char": (True, 8), "int": (True, 32), "unsigned": (False, 32),
    "long": (True, 64), "long long": (True, 64), "size_t": (False, 64), "uintptr_t": (False, 64),
    **{f"{u}int{bits}_t": (not u, bits) for u in ("", "u") for bits in (8, 16, 32, 64)},
    **{f"word{bits}": (bits == 64, bits) for bits in (8, 16, 32, 64)},
    "cogen_wide": (True, 128), "word": (True, 64), "uword": (False, 64),
}  # fmt: skip
"""Integer types by name, with those of generated code: whether they are signed, and their bits."""

_NAMES: Final = {
    (True, 32): I32, (False, 32): U32, (True, 64): I64, (False, 64): U64, (True, 128): WIDE,
}  # fmt: skip

_LANES: Final = {"double": "long", "float": "int", "uchar": "char", "uint": "int", "ulong": "long"}
"""What truth is, lane by lane, where it is not of the elements' own type."""


def text(t: Type) -> str:
    """A type as C writes it, without a name."""
    match t:
        case Basic(name):
            return name
        case Vector(element, lanes):
            return f"{element}{lanes}"
        case Const(of):
            inner = text(of)
            return f"{inner}const" if inner.endswith("*") else f"const {inner}"
        case Space(name, of):
            return f"__{name} {text(of)}"
        case Pointer(target, restrict):
            inner = text(target)
            gap = "" if inner.endswith("*") else " "
            return f"{inner}{gap}*{'restrict' if restrict else ''}"
        case Callable(result, parameters):
            return f"{text(result)} (*)({', '.join(map(text, parameters)) or 'void'})"
    raise InternalError(f"no type of C: {t!r}")


def declared(t: Type, name: str) -> str:
    """A name declared with a type."""
    if isinstance(t, Callable):
        return text(t).replace("(*)", f"(*{name})", 1)
    made = text(t)
    return f"{made}{name}" if made.endswith("*") else f"{made} {name}"


def plain(t: Type) -> Type:
    """The type of a value that was read: without qualifiers."""
    while isinstance(t, Const | Space):
        t = t.of
    return t


def bits_of(t: Type) -> tuple[bool, int] | None:
    """Whether an integer type is signed, and how many bits it has; None for any other type."""
    t = plain(t)
    return _INTEGERS.get(t.name) if isinstance(t, Basic) else None


def is_number(t: Type) -> bool:
    """An integer or a float?"""
    return plain(t) in (FLOAT, DOUBLE) or bits_of(t) is not None


def is_address(t: Type) -> bool:
    return isinstance(plain(t), Pointer | Callable)


@cache
def promoted(t: Type) -> Type:
    """What C makes of an operand alone (C11 6.3.1.1): `int` of what is narrower; each integer type
    by the name that has its bits."""
    found = bits_of(t)
    if found is None:
        return plain(t)
    is_signed, bits = found
    return I32 if bits < 32 else _NAMES[is_signed, bits]


@cache
def together(a: Type, b: Type) -> Type:
    """The type in which C computes with two operands (C11 6.3.1.8); of an address and an integer
    the address, of a vector and anything the vector."""
    a, b = promoted(a), promoted(b)
    for one in (a, b):
        if not is_number(one):
            return one
    for real in (DOUBLE, FLOAT):
        if real in (a, b):
            return real
    (a_signed, a_bits), (b_signed, b_bits) = _bits(a), _bits(b)
    if a_bits != b_bits:
        return a if a_bits > b_bits else b
    return _NAMES[a_signed and b_signed, a_bits]


def truth_of(t: Type) -> Type:
    """What a comparison gives: an int, of vectors a vector."""
    t = plain(t)
    return Vector(_LANES.get(t.element, t.element), t.lanes) if isinstance(t, Vector) else I32


def _bits(t: Type) -> tuple[bool, int]:
    found = bits_of(t)
    if found is None:
        raise InternalError(f"no integer type: {t!r}")
    return found
