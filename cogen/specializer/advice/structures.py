"""Operations on structures, as `advice.flow` sees them: which parts they make, read and
assign; and which others give what they get, or numbers."""

from __future__ import annotations

from typing import Any, Final

from cogen.lang import il
from cogen.specializer.advice.values import GROUND, TRUTH

LIFTS: Final = frozenset(
    {"lift", "%lift-any", "%lift-value", "%lift-data", "%lift-made", "%lift-numbers"}
)
"""Operations that make something dynamic, all but the first as advised."""

RESULTS: Final = {"bool": TRUTH, "symbol": GROUND, "list": GROUND, "vector": GROUND}
"""What operations give that are carried out, by the types of their results; else a number."""

ARITHMETIC: Final = frozenset({"int", "float", "number"})
"""The types of numbers."""

INDEXING: Final = frozenset({"string-ref", "bytevector-u8-ref", "substring"})
"""Operations that read something at an index, and give no part of what is made,"""

INDEXED: Final = frozenset({"list-ref", "list-tail"})
"""and procedures of the library that do."""

PASSING: Final = frozenset({"%finite", "%constant-vector", "assume-disjoint", "%lift-code"})
"""Operations that give their last operand."""

SOME: Final = "some"
"""The part of a vector or record that what is put to an unknown place goes to."""
ANY: Final = "any"
"""The part that holds what any of them holds."""

MAKES: Final = {
    "cons": "pair",
    "vector": "vector",
    "make-vector": "vector",
    "make-cell": "vector",
    "make-record": "record",
    "values": "vector",
    "make-barrier-cell": "vector",
}
"""Operations that make something, and what."""

READS: Final = {
    "car": (0, "car"),
    "cdr": (0, "cdr"),
    "vector-ref": (0, (1, ANY)),
    "cell-ref": (0, 0),
    "cell-ref/check": (0, 0),
    "record-ref": (2, (1, ANY)),
}
WRITES: Final = {
    "set-car!": (0, "car"),
    "set-cdr!": (0, "cdr"),
    "vector-set!": (0, (1, SOME)),
    "cell-set!": (0, 0),
    "record-set!": (2, (1, SOME)),
}
"""Operations that read and write a part: which operand is what it is a part of, and the part, or
which operand is its number, and the part if that is not known."""


def parts_made(op: str, number: int) -> tuple[Any, ...]:
    """The parts of what an operation makes that an operand becomes."""
    if op == "cons":
        return (("car", "cdr")[number],) if number < 2 else ()
    if op == "make-record":
        return (number - 1, ANY) if number else ()
    if op == "make-vector":
        return (SOME, ANY) if number else ()
    return (number, ANY)


def part_at(part: Any, place: Any) -> Any:
    """The part that an operation at a place reads or writes."""
    if type(part) is not tuple:
        return part
    number, otherwise = part
    if type(place) is not il.Let:
        return otherwise  # a call, of which the operands may be in a list
    atom = place.arguments[number]
    if type(atom) is il.Const and type(atom.value) is int:
        return atom.value
    return otherwise
