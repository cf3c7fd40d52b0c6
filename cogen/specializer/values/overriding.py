"""Procedures that stand for finite maps: a new one takes the place of what it hides.

    (define (update store name value)
      (lambda (other) (if (eq? other name) value (store other))))

An interpreter with such a store makes a procedure around the last one at each assignment, and what
is known of the store would grow with each round of the interpreted program's loops.  But a
procedure behind that asks for the same name is never asked for it.  So where the names are known,
the new procedure stands in the place of the old one, as a new entry does in a list that is only
searched (`advice.rebinding`).  One that asks for another name is put where it is in the order of
names: paths on which the same variables are assigned have the same store where they meet, whatever
was assigned first.

Law: the procedure that is made gives for each argument what the one that the program makes gives.
Which procedures a store consists of, nothing can see.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final, NamedTuple

from cogen.lang import il
from cogen.lang.datum import Symbol
from cogen.lang.ilutil import Free
from cogen.specializer.values.domain import Closure, Static, Value

_EQUALITIES: Final = frozenset({"eq?", "eqv?", "equal?", "="})
_NAMES: Final = frozenset({int, Symbol})
_MOST_KEPT: Final = 4096


class Override(NamedTuple):
    """How a procedure asks whether its argument is a name, the variable that holds the name, and
    the one that holds the procedure which is called if it is not; all that it has from outside."""

    asks: str
    name: str
    rest: str
    outside: tuple[str, ...]


@lru_cache(_MOST_KEPT)
def override_of(function: il.Function) -> Override | None:
    """What a procedure is, if it is `(lambda (x) (if (eq? x name) … (rest x)))`."""
    body = function.body
    bindings = [b for b in body.bindings if type(b) is il.Let]
    if len(function.parameters) != 1 or function.rest is not None or len(bindings) != 1:
        return None
    (asked,), (let,), tail = function.parameters, bindings, body.tail
    if type(tail) is not il.If or tail.test != il.Var(let.name) or let.op not in _EQUALITIES:
        return None
    names = [atom.name for atom in let.arguments if type(atom) is il.Var and atom.name != asked]
    rest = _asked_else(tail.otherwise, function)
    if len(names) != 1 or len(let.arguments) != 2 or il.Var(asked) not in let.arguments:
        return None
    if rest in (None, asked, function.name):
        return None
    if rest in Free().of_cont(il.Cont("", (), tail.then)):
        return None  # what is behind is looked at where the name is found, too
    return Override(let.op, names[0], rest, tuple(sorted(Free().of_function(function))))


def _asked_else(block: il.Block, function: il.Function) -> str | None:
    """The variable that is called with what a procedure was called with, if a block does that."""
    call = block.tail
    if block.bindings or type(call) is not il.Call or call.cont != function.cont:
        return None
    if call.arguments != (il.Var(function.parameters[0]),) or type(call.function) is not il.Var:
        return None
    return call.function.name


@lru_cache(_MOST_KEPT)
def parts_of_map(function: il.Function) -> tuple[str, ...] | None:
    """What a procedure of a map has from outside; None if it is none.  One that has nothing may be
    the last one."""
    override = override_of(function)
    if override is not None:
        return override.outside
    return None if Free().of_function(function) else ()


def is_override(made: il.Fix) -> bool:
    """Whether one procedure is made, and it is such a one."""
    return len(made.functions) == 1 and override_of(made.functions[0]) is not None


def overriding(made: Closure) -> Closure:
    """A procedure that was just made, or what does the same with one procedure less."""
    override = override_of(made.function)
    name = _name(made, override)
    if override is None or name is None:
        return made
    before: list[tuple[Closure, Override]] = []
    for inner, other in _chain(made.environment[override.rest]):
        found = _name(inner, other)
        if found is None or type(found) is not type(name) or other.asks != override.asks:
            return made
        if found == name:
            return _replaced(made, override, inner.environment[other.rest], before)
        before.append((inner, other))
    first = [one for one in before if _in_order(_name(*one)) < _in_order(name)]
    if not first or first != before[: len(first)]:
        return made
    inner, other = first[-1]
    return _replaced(made, override, inner.environment[other.rest], first)


def _in_order(name: Any) -> tuple[str, int]:
    """What tells where a name is in the order of names of its kind."""
    return (name.name, 0) if type(name) is Symbol else ("", name)


def _chain(value: Value) -> Iterator[tuple[Closure, Override]]:
    """The procedures of a map, the first one first."""
    while type(value) is Closure:
        override = override_of(value.function)
        if override is None:
            return
        yield value, override
        value = value.environment[override.rest]


def _name(made: Closure, override: Override | None) -> int | Symbol | None:
    """The name that a procedure asks for, if it is known."""
    value = made.environment[override.name] if override is not None else None
    datum = value.datum if type(value) is Static else None
    return datum if type(datum) in _NAMES else None


def _replaced(
    made: Closure, override: Override, rest: Value, before: list[tuple[Closure, Override]]
) -> Closure:
    """A procedure with others before it, and a rest."""
    found = _with_rest(made, override, rest)
    for closure, other in reversed(before):
        found = _with_rest(closure, other, found)
    return found


def _with_rest(made: Closure, override: Override, rest: Value) -> Closure:
    environment = {name: made.environment[name] for name in override.outside}
    return Closure(made.function, {**environment, override.rest: rest})
