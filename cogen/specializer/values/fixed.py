"""Parts of mutable objects of the residual program that are known, as nothing assigns them.

A store of an interpreter may be a list of pairs (name . value) that are assigned.  Such a pair is
an object of the residual program from when control leaves what the specializer sees, but its name
stays what it is, so a search by name needs no test of a run; likewise the class of an object that
is a vector, or a record.  A path knows the fixed parts of residual variables (`Facts.parts`);
blocks start with those that are the same in all arrivals (`memo.arrivals`).  They are no part
of the states that tell versions apart.

    parts ::= {(kind, index): part}     0 of a pair is its car; of a record, its fields' numbers
    part  ::= a symbol or string, any constant in a record's field, or a record of constants and
              such records

Which elements of vectors the residual program assigns is found on the way (`Slots`).

Law: what a fixed part is said to be, the residual object holds there in any run.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from cogen.lang import il
from cogen.lang.datum import RecordType, Symbol
from cogen.lang.ilutil import blocks
from cogen.specializer.programs.mutation import Mutations
from cogen.specializer.values.domain import ObjectsDiffer, PartialPair, PartialRecord, Static, Value
from cogen.specializer.values.freeze import Token, static_token

MOST_PARTS: Final = 60
"""Constants and records in a part."""


class FixedPart(NamedTuple):
    """A fixed part, and what tells it from others."""

    value: Value
    tokens: tuple[Token, ...]


Parts = Mapping[tuple[Any, int], FixedPart]
"""By the kind of object, and the number of the part."""


class SlotAssigned(ObjectsDiffer):
    """The residual program assigns an element of vectors that was taken for fixed: the one of that
    `index`, or any if it is None."""

    def __init__(self, index: int | None) -> None:
        super().__init__(index)
        self.index = index


class Slots:
    """Which elements of vectors the residual program assigns, by index, as far as is known."""

    def __init__(self) -> None:
        self.assigned: frozenset[int | None] = frozenset()
        self._used: set[int] = set()

    def use(self, index: int) -> bool:
        """Whether an element may be taken for fixed; then it is."""
        if index in self.assigned or None in self.assigned:
            return False
        self._used.add(index)
        return True

    def assign(self, index: int | None) -> None:
        """The residual program assigns that element of a vector, or any."""
        if (index is None and self._used) or index in self._used:
            raise SlotAssigned(index)
        self.assigned |= {index}

    def leave(self, procedures: Iterable[il.Define]) -> None:
        """Procedures of the program become part of the residual one as they stand."""
        for item in procedures:
            for block in blocks(item.function.body):
                if any(type(b) is il.Let and b.op == _SETTER for b in block.bindings):
                    self.assign(None)

    def leave_primitive(self, name: str) -> None:
        """A primitive becomes a value of the residual program."""
        if name == _SETTER:
            self.assign(None)


_SETTER: Final = "vector-set!"


def fixed_parts(mutations: Mutations, kind: Any, items: Sequence[Value]) -> Parts:
    """The fixed parts of an object that becomes one of the residual program."""
    found: dict[tuple[Any, int], FixedPart] = {}
    for index, item in enumerate(items):
        if type(item) in (Static, PartialRecord) and not _is_assigned(mutations, kind, index):
            tokens = _tokens(item, type(kind) is RecordType)
            if tokens:
                found[kind, index] = FixedPart(item, tokens)
    return found


def _tokens(value: Value, of_record: bool) -> tuple[Token, ...]:
    """What tells a part from others; nothing if it may be none."""
    if type(value) is Static:
        is_part = of_record or type(value.datum) in (Symbol, str)
        return (static_token(value.datum),) if is_part else ()
    tokens: list[Token] = []
    work: list[Value] = [value]
    while work and len(tokens) < MOST_PARTS:
        part = work.pop()
        if type(part) is Static:
            tokens.append(static_token(part.datum))
        elif type(part) is PartialPair and part.ground is not None:
            tokens.append(("ground", part.ground))
        elif type(part) is PartialRecord:
            tokens.append(("record", part.type))
            work += part.fields
        else:
            return ()
    return () if work else tuple(tokens)


def _is_assigned(mutations: Mutations, kind: Any, index: int) -> bool:
    """Whether anything in the program assigns that part of objects of a kind; of vectors that is
    not known yet."""
    if type(kind) is RecordType:
        return (id(kind), index) in mutations.fields
    if kind == "pair":
        return mutations.tails if index else mutations.heads
    return bool(kind != "vector")


def part_tokens(parts: Parts) -> Hashable:
    """What tells which parts are fixed, and as what."""
    return tuple([(place, part.tokens) for place, part in parts.items()])


def in_both(known: Parts, others: Parts) -> Parts:
    """The parts that are known to be the same in both."""
    return {
        place: part
        for place, part in known.items()
        if place in others and others[place].tokens == part.tokens
    }
