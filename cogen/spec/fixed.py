"""Parts of mutable objects of the residual program that are known: names that nothing assigns.

A store of an interpreter may be a list of pairs (name . value) that are assigned.  Such a pair is
an object of the residual program from when control leaves what the specializer sees, but its name
stays what it is, so a search by name needs no test of a run.  A path knows the fixed parts of
residual variables (`Facts.parts`); blocks start with those that are the same in all arrivals
(`cogen.spec.arrivals`).  They are no part of the states that tell versions apart.

    parts ::= {(kind, index): name}     0 of a pair is its car; of a record, its fields' numbers

Law: what a fixed part is said to be, the residual object holds there in any run.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from cogen.lang.datum import RecordType, Symbol
from cogen.spec.domain import Static, Value
from cogen.spec.mutation import Mutations

Parts = Mapping[tuple[Any, int], Static]
"""By the kind of object, and the number of the part."""


def fixed_parts(mutations: Mutations, kind: Any, items: Sequence[Value]) -> Parts:
    """The fixed parts of an object that becomes one of the residual program."""
    return {
        (kind, index): item
        for index, item in enumerate(items)
        if type(item) is Static
        and type(item.datum) is Symbol
        and not _is_assigned(mutations, kind, index)
    }


def _is_assigned(mutations: Mutations, kind: Any, index: int) -> bool:
    """Whether anything in the program assigns that part of objects of a kind."""
    if type(kind) is RecordType:
        return (id(kind), index) in mutations.fields
    if kind == "pair":
        return mutations.tails if index else mutations.heads
    return True


def part_tokens(parts: Parts) -> Hashable:
    """What tells which parts are fixed, and as what."""
    return tuple([(place, id(part.datum)) for place, part in parts.items()])


def in_both(known: Parts, others: Parts) -> Parts:
    """The parts that are known to be the same in both."""
    return {
        place: part
        for place, part in known.items()
        if place in others and others[place].datum is part.datum
    }
