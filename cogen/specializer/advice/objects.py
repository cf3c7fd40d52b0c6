"""Which types of records are to be in boxes (`advice.recordboxes`): of those that grow,
of objects of the interpreted program, and of those that hold code of it.

With a type go those whose records may be where its own are: what looks at one asks for the others
as well.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.specializer.advice.bounds import Stop
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.values import GROUND, KNOWN, Made, Slot, record_type
from cogen.specializer.programs.mutation import find_mutations

DEPTH: Final = 4
"""How deep in a record the fields of an object are looked for: a list of pairs of names and
cells, for instance."""


def growing_types(flow: Flow, stops: Iterable[Stop]) -> Sequence[RecordType]:
    """The types of records that grow."""
    return _types_with(flow, (place for stop in stops for place in _at(flow, stop)))


def object_types(flow: Flow, values: Collection[Slot]) -> Sequence[RecordType]:
    """The types of records that are among `values`, and lead to what is assigned values."""
    known = {token for node in values for token in node.tokens if type(token) is Made}
    assigned = {"vector", "pair"} if find_mutations(flow.program).pairs else {"vector"}
    objects = (
        made.place
        for made in flow.solution.made.values()
        if made in known and made.kind == "record" and _leads_to(made, values, assigned)
    )
    return _types_with(flow, objects)


def code_types(flow: Flow, values: Collection[Slot]) -> Sequence[RecordType]:
    """The types of records that are among `values`, and have a part that is a piece of what is
    static: procedures of the interpreted program."""
    known = {token for node in values for token in node.tokens if type(token) is Made}
    return _types_with(flow, (m.place for m in known if m.kind == "record" and holds_code(m)))


def holds_code(made: Made) -> bool:
    """Whether a part of what is made is a piece of what is static, and nothing else."""
    return any(GROUND in part.tokens and part.tokens <= KNOWN for part in made.parts.values())


def _types_with(flow: Flow, places: Iterable[il.Let]) -> Sequence[RecordType]:
    """The types of the records that places make, and of those that are where they are."""
    found = _types(places)
    together = {
        types
        for node in flow.solution.all_nodes()
        if len(types := frozenset(_types(_places(node)))) > 1
    }
    while more := {types for types in together if found & types}:
        found |= frozenset().union(*more)
        together -= more
    return sorted(found, key=lambda type: type.name)


def _types(places: Iterable[il.Let]) -> set[RecordType]:
    return {type for let in places if (type := record_type(let)) is not None}


def _places(node: Slot) -> Iterator[il.Let]:
    """Where the records are made that a node holds."""
    for token in node.tokens:
        if type(token) is Made and token.kind == "record" and type(token.place) is il.Let:
            yield token.place


def _at(flow: Flow, stop: Stop) -> Iterator[il.Let]:
    """Where the records are made that grow at a stop."""
    arc, name = stop
    for context in flow.contexts(arc.target):
        yield from _places(flow.variable(context, name))


def _leads_to(made: Made, values: Collection[Slot], assigned: Collection[str]) -> bool:
    """Whether among a record's parts, and theirs, there is what may be assigned, and holds
    values."""
    level, seen = [made], {made}
    for _ in range(DEPTH):
        parts = [part for one in level for part in one.parts.values()]
        level = [t for part in parts for t in part.tokens if type(t) is Made and t not in seen]
        seen.update(level)
        for one in level:
            if one.kind in assigned and any(part in values for part in one.parts.values()):
                return True
    return False
