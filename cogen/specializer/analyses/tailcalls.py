"""Tail calls of interpreted programs: continuations that only hand their value on are left out.

An interpreter evaluates the last part of a sequence, or a body, as it does all others, and looks
afterwards whether that was the last:

    (let ((value (evaluate (car es) env))) (if (null? (cdr es)) value (loop (cdr es))))

Where `es` is known to have no more parts, the continuation of that call gives `value` to the one
around it.  Taking that one instead makes the call a tail call, so a loop of the interpreted program
that is written as a recursion is a loop, and not a recursion with a continuation that grows.

Only what can be looked at without leaving a trace is carried out: tests and parts of known data.
"""

from __future__ import annotations

from collections.abc import Mapping

from cogen.lang import il
from cogen.specializer.analyses.looking import LOOKING, looked
from cogen.specializer.values.domain import Continuation, Frame, Static, Value, is_true


class TailCalls:
    """Finds the continuation that a call may return to at once."""

    def __init__(self) -> None:
        self._may: dict[int, tuple[il.Cont, bool]] = {}

    def returned(self, k: Continuation) -> Continuation:
        """The continuation that gets the value that is given to this one, as it is."""
        while type(k) is Frame:
            known = self._may.get(id(k.cont))
            if known is None:
                known = self._may[id(k.cont)] = k.cont, _may_return(k.cont)
            if not known[1]:
                return k
            target = _target(k)
            if target is None:
                return k
            k = target
        return k


def _may_return(cont: il.Cont) -> bool:
    """Whether a continuation may hand its value on after nothing but looking."""
    if len(cont.parameters) != 1:
        return False
    work = [cont.body]
    while work:
        block = work.pop()
        if not all(type(b) is il.Let and b.op in LOOKING for b in block.bindings):
            continue
        tail = block.tail
        if type(tail) is il.If:
            work += [tail.then, tail.otherwise]
        elif type(tail) is il.Jump and tail.arguments == (il.Var(cont.parameters[0]),):
            return True
    return False


def _target(frame: Frame) -> Continuation | None:
    """Where a continuation hands its value on to; None if it may do anything else."""
    cont, code = frame.cont, frame.cont.body
    values: dict[str, Value] = {}
    while True:
        for binding in code.bindings:
            if type(binding) is not il.Let or binding.op not in LOOKING:
                return None
            found = looked(binding.op, [_value(a, frame, values) for a in binding.arguments])
            if found is None:
                return None
            values[binding.name] = found
        tail = code.tail
        if type(tail) is il.If:
            test = _value(tail.test, frame, values)
            truth = None if test is None else is_true(test)
            if truth is None:
                return None
            code = tail.then if truth else tail.otherwise
            continue
        if type(tail) is not il.Jump or tail.arguments != (il.Var(cont.parameters[0]),):
            return None
        return frame.environment[tail.cont]  # type: ignore[no-any-return]


def _value(atom: il.Atom, frame: Frame, values: Mapping[str, Value]) -> Value | None:
    if type(atom) is il.Const:
        return Static(atom.value)
    if type(atom) is not il.Var or atom.name in frame.cont.parameters:
        return None
    found = values.get(atom.name)
    return frame.environment[atom.name] if found is None else found
