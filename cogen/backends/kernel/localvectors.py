"""Vectors that a procedure makes, of a known length, and keeps to itself: arrays of C.

    (let ((v (make-vector 16 0))) … (vector-set! v i (+ 1 (vector-ref v i))) …)
        ->  int64_t v[16]; …  v[i] = v[i] + 1

Nothing but `vector-ref`, `vector-set!` and `vector-length` may have such a vector: then no other
name leads to it, and nobody has it when the procedure ends.  All elements are of one type.  They
lie on the stack, so they are few, and there are none where procedures are recursive: those are left
to whole programs, whose stack grows.

The entry's parameters must have types that C has: a whole program takes any.  A program with such
vectors reports integers that leave 64 bits, as the whole program does that it would be otherwise.

Note [Counters]: of a vector that begins with small constants, and into which nothing is put but
those and elements of its own plus or minus a few, no element leaves 62 bits: each change moves the
greatest by a few, and 2^57 changes take years.  So counts need no check.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.interval import EVERYTHING, Interval
from cogen.lang import il
from cogen.lang.components import components

MAKERS: Final = frozenset(["make-vector", "vector"])
WRITERS: Final = frozenset([*MAKERS, "vector-set!"])
"""Operations that change the elements of a vector."""

USERS: Final = frozenset(["vector-ref", "vector-set!", "vector-length"])
"""Operations on a vector, their first operand, of which it is no part afterwards."""

MOST: Final = 1 << 13
"""Elements of all vectors of a program together: 64 KB of the stack."""


FEW: Final = 16
"""What counters change by, at most.  See Note [Counters]."""

COUNTED: Final[Interval] = (-(1 << 62), 1 << 62)
"""The bounds of counters."""


@dataclass(frozen=True, slots=True)
class LocalVector:
    """How many elements a vector has, their type, as `cogen.backends.kernel.types` calls it, and,
    of integers, their bounds."""

    length: int
    kind: str
    bounds: Interval = EVERYTHING


def lengths_of(procedures: Sequence[st.KernelProcedure]) -> dict[str, int]:
    """The vectors that can be arrays, by the variables that they are made for, with their
    lengths."""
    lengths = {
        statement.name: length
        for statement in _operations(procedures)
        if (length := _length_made(statement)) is not None
    }
    if not lengths or _recursive(procedures):
        return {}
    for procedure in procedures:
        for statement in st.walk(procedure.body):
            for name in _leaving(statement):
                lengths.pop(name, None)
    return lengths if sum(lengths.values()) <= MOST else {}


def vector_used(operation: st.Op) -> str | None:
    """The variable of the vector that an operation looks at or changes; None if it does not."""
    if operation.op not in USERS or not isinstance(operation.arguments[0], il.Var):
        return None
    return operation.arguments[0].name


def counters_of(procedures: Sequence[st.KernelProcedure]) -> set[str]:
    """The vectors that count, by the variables that they are made for.  See Note [Counters]."""
    definitions = {operation.name: operation for operation in _operations(procedures)}
    others: set[str] = set()
    for operation in definitions.values():
        put: tuple[il.Atom, ...] = ()
        vector: str | None = operation.name
        if operation.op in MAKERS:
            put = operation.arguments[operation.op == "make-vector" :]
        elif operation.op == "vector-set!":
            vector, put = vector_used(operation), operation.arguments[2:]
        if vector is not None and not all(_counts(atom, vector, definitions) for atom in put):
            others.add(vector)
    made = {name for name, operation in definitions.items() if operation.op in MAKERS}
    return made - others


def _counts(atom: il.Atom, vector: str, definitions: Mapping[str, st.Op]) -> bool:
    """Whether a value is a small constant, or an element of the vector, give or take a few."""
    if isinstance(atom, il.Const):
        return type(atom.value) is int and abs(atom.value) <= 1 << 32
    made = definitions.get(atom.name) if isinstance(atom, il.Var) else None
    if made is None or made.op not in ("+", "-"):
        return made is not None and made.op == "vector-ref" and vector_used(made) == vector
    one, *more = made.arguments
    if made.op == "+" and isinstance(one, il.Const):
        one, *more = reversed(made.arguments)
    steps = [a.value if isinstance(a, il.Const) else None for a in more]
    element = definitions.get(one.name) if isinstance(one, il.Var) else None
    return (
        element is not None
        and element.op == "vector-ref"
        and vector_used(element) == vector
        and len(steps) == 1
        and type(steps[0]) is int
        and abs(steps[0]) <= FEW
    )


def _operations(procedures: Sequence[st.KernelProcedure]) -> Iterator[st.Op]:
    for procedure in procedures:
        for statement in st.walk(procedure.body):
            if isinstance(statement, st.Op):
                yield statement


def _length_made(operation: st.Op) -> int | None:
    """The length of the vector that an operation makes; None if it is not known, or is 0."""
    arguments = operation.arguments
    if operation.op == "vector":
        return len(arguments) or None
    if operation.op != "make-vector" or len(arguments) != 2:
        return None
    length = arguments[0].value if isinstance(arguments[0], il.Const) else None
    return length if type(length) is int and 0 < length <= MOST else None


def _leaving(statement: st.Statement) -> Iterator[str]:
    """The variables that a statement does more with than to look at, or change, an element."""
    atoms = st.used(statement)
    if isinstance(statement, st.Op) and statement.op in USERS:
        atoms = atoms[1:]
    yield from (atom.name for atom in atoms if isinstance(atom, il.Var))


def _recursive(procedures: Sequence[st.KernelProcedure]) -> bool:
    """Whether procedures call each other in circles."""
    callees = {
        procedure.name: [
            s.function for s in st.walk(procedure.body) if isinstance(s, st.KernelCall | st.Finish)
        ]
        for procedure in procedures
    }
    groups = components(callees, callees.__getitem__)
    return any(len(group) > 1 or group[0] in callees[group[0]] for group in groups)
