"""Types of C.

    type ::= CBasic(name) | CVector(element, lanes) | CConst(type) | CSpace(name, type)
           | CPointer(type, restrict?) | CCallable(type, types)

`CBasic` is any name of a type: of C, of its library, or defined by a program.  `CVector` is one of
OpenCL C, `CSpace` what lies in one of its address spaces, `CCallable` the address of a function.
"""

from __future__ import annotations

from functools import cache
from typing import Final

from cogen.lang.errors import InternalError
from cogen.lang.node import leaf


@leaf
class CBasic:
    """A type by its name."""

    name: str


@leaf
class CVector:
    """So many elements side by side, `long4`."""

    element: str
    lanes: int


@leaf
class CConst:
    """What is not assigned."""

    of: Type


@leaf
class CSpace:
    """What is in an address space, `__global long`."""

    name: str
    of: Type


@leaf
class CPointer:
    """An address; `restrict`: nothing else leads to what is there."""

    target: Type
    restrict: bool = False


@leaf
class CCallable:
    """The address of a function."""

    result: Type
    parameters: tuple[Type, ...]


Type = CBasic | CVector | CConst | CSpace | CPointer | CCallable

VOID: Final = CBasic("void")
BOOL: Final = CBasic("bool")
CHAR: Final = CBasic("char")
INT: Final = CBasic("int")
UNSIGNED: Final = CBasic("unsigned")
LONG: Final = CBasic("long")
LONG_LONG: Final = CBasic("long long")
SIZE: Final = CBasic("size_t")
ADDRESS: Final = CBasic("uintptr_t")
U8: Final = CBasic("uint8_t")
I32: Final = CBasic("int32_t")
U32: Final = CBasic("uint32_t")
I64: Final = CBasic("int64_t")
U64: Final = CBasic("uint64_t")
WIDE: Final = CBasic("cogen_wide")
FLOAT: Final = CBasic("float")
DOUBLE: Final = CBasic("double")

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
        case CBasic(name):
            return name
        case CVector(element, lanes):
            return f"{element}{lanes}"
        case CConst(of):
            inner = text(of)
            return f"{inner}const" if inner.endswith("*") else f"const {inner}"
        case CSpace(name, of):
            return f"__{name} {text(of)}"
        case CPointer(target, restrict):
            inner = text(target)
            gap = "" if inner.endswith("*") else " "
            return f"{inner}{gap}*{'restrict' if restrict else ''}"
        case CCallable(result, parameters):
            return f"{text(result)} (*)({', '.join(map(text, parameters)) or 'void'})"
    raise InternalError(f"no type of C: {t!r}")


def declared(t: Type, name: str) -> str:
    """A name declared with a type."""
    if isinstance(t, CCallable):
        return text(t).replace("(*)", f"(*{name})", 1)
    made = text(t)
    return f"{made}{name}" if made.endswith("*") else f"{made} {name}"


def plain(t: Type) -> Type:
    """The type of a value that was read: without qualifiers."""
    while isinstance(t, CConst | CSpace):
        t = t.of
    return t


def bits_of(t: Type) -> tuple[bool, int] | None:
    """Whether an integer type is signed, and how many bits it has; None for any other type."""
    t = plain(t)
    return _INTEGERS.get(t.name) if isinstance(t, CBasic) else None


def is_number(t: Type) -> bool:
    """An integer or a float?"""
    return plain(t) in (FLOAT, DOUBLE) or bits_of(t) is not None


def is_address(t: Type) -> bool:
    return isinstance(plain(t), CPointer | CCallable)


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
    return CVector(_LANES.get(t.element, t.element), t.lanes) if isinstance(t, CVector) else I32


def _bits(t: Type) -> tuple[bool, int]:
    found = bits_of(t)
    if found is None:
        raise InternalError(f"no integer type: {t!r}")
    return found
