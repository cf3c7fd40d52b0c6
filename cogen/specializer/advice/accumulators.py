"""Advice: what an assigned variable collects while the program runs.

    (set! trace (cons (cons x y) trace))
    (set! out (string-append out (number->string n)))

An interpreter may collect what its program prints, or draws, in a variable that it assigns, or in
a field or an element of something.  What is assigned there is built around what was assigned
before, so there would be a version of everything that follows for each time: it grows in no
variable that calls pass on, which `advice.bounds` looks at.  It is made dynamic where it is
assigned.

Left as they are: what something is taken off again, as off a stack; what is searched by names, as
a global environment; and what holds procedures, or nothing but pieces of what is static, which may
steer the program.

Law: advice only; the specializer means the same with any of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import own_blocks
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.searches import find_searches
from cogen.specializer.advice.values import (
    DATA,
    DATA_KINDS,
    UNKNOWN,
    Made,
    Slot,
    is_pair,
    is_procedure,
)

_ASSIGNED_BY: Final = {
    "global-get": "global-set!",
    "cell-ref": "cell-set!",
    "cell-ref/check": "cell-set!",
    "record-ref": "record-set!",
    "vector-ref": "vector-set!",
}
"""By operation that reads a place: the one that assigns it, of the same operands and a value."""
_AROUND: Final = frozenset({"cons", "append", "string-append", "list", "cons*"})
_TAKING_OFF: Final = frozenset({"car", "cdr", "list-tail", "substring"})
_ASSIGNING: Final = frozenset(_ASSIGNED_BY.values())

DEPTH: Final = 4
"""So many structures within each other are looked into."""

Defined = dict[str, il.Let | il.Call]
"""By variable: the operation or call that gives it."""
Assigned = tuple[str, tuple[object, ...]]
"""A place that is assigned: by which operation, and its operands but for the value."""


def collecting(flow: Flow, functions: Sequence[il.Function]) -> Iterator[tuple[il.Let, str]]:
    """The assignments of these procedures that put something around what was there, each with the
    variable that holds the new value."""
    found: list[tuple[Assigned, il.Let, str, set[Made]]] = []
    taken: list[Assigned] = []
    for function in functions:
        defined = _defined(function)
        for let in list(defined.values()):
            if type(let) is il.Let and let.op in _ASSIGNING and type(let.arguments[-1]) is il.Var:
                place = _place(let.op, let.arguments[:-1])
                name = let.arguments[-1].name
                how = _built(name, place, defined)
                spine = _collects(flow, function, name, defined) if how == {"around"} else None
                if spine is not None:
                    found.append((place, let, name, spine))
                elif "off" in how:
                    taken.append(place)
    lists = searched(flow, functions) if found else ()
    known = {token for node in lists for token in node.tokens}
    for place, let, name, spine in found:
        if place not in taken and known.isdisjoint(spine):
            yield let, name


def _defined(function: il.Function) -> Defined:
    """What gives the variables of a procedure, but for those within it."""
    found: Defined = {}
    calls: dict[str, il.Call] = {}
    conts: list[il.Cont] = []
    for block in own_blocks(function.body):
        for binding in block.bindings:
            if type(binding) is il.Let:
                found[binding.name] = binding
            elif type(binding) is il.Conts:
                conts += binding.conts
        if type(block.tail) is il.Call:
            calls[block.tail.cont] = block.tail
    for cont in conts:
        if cont.name in calls and len(cont.parameters) == 1:
            found[cont.parameters[0]] = calls[cont.name]
    return found


def _place(op: str, operands: Iterable[il.Atom]) -> Assigned:
    """What an operation assigns, or one that reads as much."""
    return op, tuple(a.value if type(a) is il.Const else getattr(a, "name", a) for a in operands)


def _operation(place: il.Let | il.Call) -> str:
    """The operation or procedure of the library that is carried out."""
    if type(place) is il.Let:
        return place.op
    return getattr(place.function, "name", "")


def _built(name: str, place: Assigned, defined: Defined) -> set[str]:
    """How a value is built from what is in a place: `around` it, taken `off` it, or the `same`."""
    made = defined.get(name)
    if made is None:
        return set()
    op, operands = _operation(made), made.arguments
    if op in _ASSIGNED_BY and _place(_ASSIGNED_BY[op], operands) == place:
        return {"same"}
    inside: set[str] = set()
    if op in _AROUND | _TAKING_OFF:
        for atom in operands:
            inside |= _built(getattr(atom, "name", ""), place, defined)
    if not inside or "off" in inside:
        return inside
    return {"around"} if op in _AROUND else {"off"}


def _collects(flow: Flow, function: il.Function, name: str, defined: Defined) -> set[Made] | None:
    """The pairs that what is built consists of, if it is of values, some of which only a run knows;
    none for a string; None if there is more in it."""
    if _operation(defined[name]) == "string-append":
        return set()
    level = [flow.variable(context, name) for context in flow.contexts(function)]
    leaves: set[object] = set()
    spine = {t for node in level for t in node.tokens if is_pair(t)}
    for _ in range(DEPTH):
        made = {t for node in level for t in node.tokens if type(t) is Made}
        leaves |= {t for node in level for t in node.tokens if type(t) is not Made}
        if any(map(is_procedure, made)):
            return None
        level = [part for one in made if one.kind in DATA_KINDS for part in one.parts.values()]
    return spine if leaves & {DATA, UNKNOWN} else None


def searched(flow: Flow, functions: Sequence[il.Function]) -> set[Slot]:
    """What is searched for an entry with a key, and the keys."""
    searches = find_searches(flow.program)
    found: set[Slot] = set()
    for function in functions:
        for block in own_blocks(function.body):
            for place in (*block.bindings, block.tail):
                if type(place) in (il.Let, il.Call) and place in searches:
                    for atom in place.arguments:
                        name = getattr(atom, "name", "")
                        found |= {flow.variable(c, name) for c in flow.contexts(function)}
    return found
