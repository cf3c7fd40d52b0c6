"""Calls of procedures that only look at known data, carried out at once.

    (define (cadr x) (car (cdr x)))
    (define (tagged? e tag) (if (pair? e) (eq? (car e) tag) #f))

An interpreter calls such procedures more often than all others.  Carried out by the machine, each
call would cost an environment, an activation and a continuation, for which nothing asks: they emit
nothing, call nothing, and end in the block in which they began.  So where all that they look at is
known, their value is found here; where anything is not, the machine carries the call out as any
other.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from cogen.lang import il
from cogen.lang.datum import NIL, Pair
from cogen.lang.ilutil import blocks
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.specializer.values.domain import PartialPair, Static, Value, is_true

LOOKING: Final[Mapping[str, Callable[..., Any]]] = {
    op: PRIMITIVES[op].python for op in ("car", "cdr", "null?", "pair?", "not", "eq?", "eqv?", "=")
}
"""What is carried out to see what a value is."""

MOST_OPERATIONS: Final = 16
"""Of a procedure that is carried out so, in all of its branches."""

TRUE: Final = Static(True)
FALSE: Final = Static(False)


def _car(value: Value | None) -> Value | None:
    if type(value) is PartialPair:
        return value.car
    if type(value) is Static and type(value.datum) is Pair:
        return Static(value.datum.car)
    return None


def _cdr(value: Value | None) -> Value | None:
    if type(value) is PartialPair:
        return value.cdr
    if type(value) is Static and type(value.datum) is Pair:
        return Static(value.datum.cdr)
    return None


def _is_null(value: Value | None) -> Value | None:
    if type(value) is PartialPair:
        return FALSE
    if type(value) is Static:
        return TRUE if value.datum is NIL else FALSE
    return None


def _is_pair(value: Value | None) -> Value | None:
    if type(value) is PartialPair:
        return TRUE
    if type(value) is Static:
        return TRUE if type(value.datum) is Pair else FALSE
    return None


def _is_false(value: Value | None) -> Value | None:
    if type(value) is PartialPair:
        return FALSE
    if type(value) is Static:
        return TRUE if value.datum is False else FALSE
    return None


QUICK: Final[Mapping[str, Callable[[Value | None], Value | None]]] = {
    "car": _car,
    "cdr": _cdr,
    "null?": _is_null,
    "pair?": _is_pair,
    "not": _is_false,
}
"""Operations on one value, which are most of them: what they say of a known one, else None."""

Halves = tuple[bool, ...]
"""Which halves of pairs are taken one after the other, True for a cdr."""


class Looking:
    """The procedures that only look."""

    def __init__(self) -> None:
        self._halves: dict[il.Function, Halves | None] = {}
        self._others: set[il.Function] = set()

    def value(self, function: il.Function, values: Sequence[Value]) -> Value | None:
        """What a call gives; None if that is not known, or if it may do more than look."""
        if function not in self._halves:
            self._note(function)
        halves = self._halves[function]
        if halves is not None:
            return _taken(values[0], halves)
        return _found(function, values) if function in self._others else None

    def _note(self, function: il.Function) -> None:
        self._halves[function] = None
        if function.rest is not None or not _only_looks(function):
            return
        halves = _halves(function)
        if halves is None:
            self._others.add(function)
        else:
            self._halves[function] = halves


def _only_looks(function: il.Function) -> bool:
    """Whether a procedure does nothing else, with nothing but its arguments."""
    names = set(function.parameters)
    count = 0
    for block in blocks(function.body):
        for binding in block.bindings:
            if type(binding) is not il.Let or binding.op not in LOOKING:
                return False
            names.add(binding.name)
            if not _are_at_hand(binding.arguments, names):
                return False
            count += 1
        tail = block.tail
        if type(tail) is il.Jump:
            if tail.cont != function.cont or len(tail.arguments) != 1:
                return False
            if not _are_at_hand(tail.arguments, names):
                return False
        elif type(tail) is not il.If or not _are_at_hand((tail.test,), names):
            return False
    return 0 < count <= MOST_OPERATIONS


def _are_at_hand(atoms: Sequence[il.Atom], names: set[str]) -> bool:
    """Whether atoms are constants or some of these names."""
    return all(
        atom.name in names if type(atom) is il.Var else type(atom) is il.Const for atom in atoms
    )


def _halves(function: il.Function) -> Halves | None:
    """What a procedure takes of its only argument, if it does nothing else."""
    if len(function.parameters) != 1:
        return None
    name, halves = function.parameters[0], []
    for binding in function.body.bindings:
        assert type(binding) is il.Let
        if binding.op not in ("car", "cdr") or binding.arguments != (il.Var(name),):
            return None
        halves.append(binding.op == "cdr")
        name = binding.name
    tail = function.body.tail
    if type(tail) is not il.Jump or tail.arguments != (il.Var(name),):
        return None
    return tuple(halves)


def _taken(value: Value, halves: Halves) -> Value | None:
    """A part of a part of a value, None if it is not known to have it."""
    found: Value | None = value
    for is_cdr in halves:
        found = _cdr(found) if is_cdr else _car(found)
        if found is None:
            return None
    return found


def _found(function: il.Function, arguments: Sequence[Value]) -> Value | None:
    """What a procedure that only looks gives, None if something is not known."""
    values: dict[str, Value] = dict(zip(function.parameters, arguments, strict=False))
    code = function.body
    while True:
        for binding in code.bindings:
            assert type(binding) is il.Let
            value = looked(binding.op, [_value(atom, values) for atom in binding.arguments])
            if value is None:
                return None
            values[binding.name] = value
        tail = code.tail
        if type(tail) is il.Jump:
            return _value(tail.arguments[0], values)
        assert type(tail) is il.If
        truth = is_true(_value(tail.test, values))
        if truth is None:
            return None
        code = tail.then if truth else tail.otherwise


def _value(atom: il.Atom, values: Mapping[str, Value]) -> Value:
    if type(atom) is il.Var:
        return values[atom.name]
    assert type(atom) is il.Const
    return Static(atom.value)


def looked(op: str, values: Sequence[Value | None]) -> Value | None:
    """What an operation says of known values; None if they are not, or it fails."""
    quick = QUICK.get(op)
    if quick is not None:
        return quick(values[0])
    data = [value.datum for value in values if type(value) is Static]
    if len(data) != len(values):
        return None
    try:
        return Static(LOOKING[op](*data))
    except PrimitiveError:
        return None
