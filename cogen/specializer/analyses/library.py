"""Calls of the library that stay: a procedure's loops, and what of its arguments could steer them.

A library procedure that goes through data is worth unfolding if something that is known decides
how: a list, an index, the procedure that is applied.  If nothing does, unfolding leaves a copy of
the library's text where people would write the call; so the call is left as it is (`kept`).

A dependence analysis of the library finds out which: for each conditional within a loop, and each
pair taken apart there, the parameters of the procedure that it is computed from.  A call stays if
of none of these sets all parameters are known.  A list of which only the beginning is known does
not steer alone: the first rounds would be left over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import atoms, blocks, conts, functions, parameters
from cogen.lang.prelude import in_arrays, in_prelude
from cogen.lang.prims import CONTROL
from cogen.specializer.programs.rounds import Rounds
from cogen.specializer.values.domain import (
    Closure,
    Dynamic,
    PartialPair,
    Primitive,
    Ref,
    Reified,
    Value,
)

Sets = frozenset[frozenset[int]]
"""Sets of parameters, by position."""

INTERNAL: Final = "%"
"""What names begin with that are not for users."""
ANYWHERE: Final = ""

PUBLIC: Final = {"%append": "append"}
"""Procedures that are not for users, and those for users that mean the same with as many
arguments."""

_PROCEDURES: Final = frozenset({Closure, Primitive, Reified, Ref})
"""Values that are worth unfolding for, wherever they are: procedures, and what may be changed."""


class Library:
    """The procedures of the prelude that go through data."""

    def __init__(self, program: il.Program, rounds: Rounds) -> None:
        self._program = program
        self._rounds = rounds

    def stays(self, function: il.Function, values: Sequence[Value]) -> bool:
        """Whether a call of a global procedure, with these arguments, is to be left."""
        sets = self._steering.get(function)
        if not sets:
            return False
        last = len(function.parameters)
        known = {last} if len(values) <= last else set()  # no more arguments
        ends = set(known)
        for position, value in enumerate(values):
            if type(value) in _PROCEDURES:
                return False
            if type(value) is not Dynamic:
                known.add(min(position, last))
                if not _is_open(value):
                    ends.add(min(position, last))
        return not any(needed <= (known if len(needed) > 1 else ends) for needed in sets)

    def may_stay(self, function: il.Function) -> bool:
        """Whether some calls of a procedure are left."""
        return bool(self._steering.get(function))

    @cached_property
    def _steering(self) -> dict[il.Function, Sets]:
        """By procedure that users may call: what steers its loops."""
        own = {
            item.name: item.function
            for item in self._program.items
            if isinstance(item, il.Define) and in_prelude(item.function.span)
        }
        found: dict[il.Function, Sets] = {}
        for name, function in own.items():
            if (name.startswith(INTERNAL) and name not in PUBLIC) or in_arrays(function.span):
                continue
            text = _reached(own, function)
            if text is not None:
                found[function] = _Dependence(text, self._rounds).sets()
        return found


def _reached(own: dict[str, il.Function], function: il.Function) -> list[il.Function] | None:
    """The procedures that one needs, itself first; None if it needs anything else: a variable, or
    continuations."""
    found = {function: None}
    work = [function]
    while work:
        for block in blocks(work.pop().body):
            for atom in atoms(block):
                if type(atom) is il.Prim and atom.name in CONTROL and atom.name != "apply":
                    return None
                if type(atom) is il.Global:
                    other = own.get(atom.name)
                    if other is None:
                        return None
                    if other not in found:
                        found[other] = None
                        work.append(other)
    return list(found)


def _asked(block: il.Block) -> Iterator[str]:
    """The variables that a block tests, or takes apart."""
    for binding in block.bindings:
        if type(binding) is il.Let and binding.op in _TAKING:
            yield from (atom.name for atom in binding.arguments if type(atom) is il.Var)
    if type(block.tail) is il.If and type(block.tail.test) is il.Var:
        yield block.tail.test.name


_TAKING: Final = frozenset({"car", "cdr"})


def _is_open(value: Value) -> bool:
    """Whether a value is a list of which the end is not known."""
    while type(value) is PartialPair:
        if value.ground is not None:
            return False
        value = value.cdr
    return type(value) is Dynamic


class _Dependence:
    """What is computed from which parameters of the first of some procedures.

    The nodes are variables, continuations of procedures (what these give), and `ANYWHERE`: what
    calls pass and get of which the procedure is not known.
    """

    def __init__(self, text: list[il.Function], rounds: Rounds) -> None:
        self._parameters = parameters(text[0])
        self._next: dict[str, list[str]] = {}
        self._tests: dict[str, None] = {}
        everything = [block for function in text for block in blocks(function.body)]
        inner = [function for block in everything for function in functions(block)]
        self._functions = {function.name: function for function in (*text, *inner)}
        self._takes: dict[str, tuple[str, ...]] = {
            f.cont: (f.cont,) for f in self._functions.values()
        }
        for block in everything:
            self._takes.update((cont.name, cont.parameters) for cont in conts(block))
        for block in everything:
            self._block(block)
        for function in self._functions.values():
            if function in rounds.loops:
                for block in blocks(function.body):
                    self._tests.update((n, None) for n in _asked(block))

    def sets(self) -> Sets:
        """For each test within a loop the parameters that it is computed from."""
        found: dict[str, set[int]] = {test: set() for test in self._tests}
        for position, name in enumerate(self._parameters):
            seen, work = {name}, [name]
            while work:
                fresh = [n for n in self._next.get(work.pop(), ()) if n not in seen]
                seen.update(fresh)
                work += fresh
            for test in found:
                if test in seen:
                    found[test].add(position)
        return frozenset([frozenset(positions) for positions in found.values() if positions])

    def _block(self, block: il.Block) -> None:
        for binding in block.bindings:
            if type(binding) is il.Let:
                self._flow(binding.arguments, binding.name)
        tail = block.tail
        if type(tail) is il.Jump:
            for atom, name in zip(tail.arguments, self._takes[tail.cont], strict=False):
                self._flow((atom,), name)
        elif type(tail) is il.Call:
            self._call(tail)

    def _call(self, call: il.Call) -> None:
        results = self._takes[call.cont]
        function = None
        if type(call.function) is not il.Prim:
            function = self._functions.get(call.function.name)  # type: ignore[union-attr]
        if function is not None:
            taken = [*function.parameters, *[function.rest] * len(call.arguments)]
            for atom, name in zip(call.arguments, taken, strict=False):
                if name is not None:
                    self._flow((atom,), name)
            source = function.cont
        else:
            self._flow((call.function, *call.arguments), ANYWHERE)
            source = ANYWHERE
        self._next.setdefault(source, []).extend(results)

    def _flow(self, atoms: Iterable[il.Atom], target: str) -> None:
        """What is computed from the atoms gets to a node."""
        for atom in atoms:
            if type(atom) is not il.Var:
                continue
            self._next.setdefault(atom.name, []).append(target)
            function = self._functions.get(atom.name)
            if function is not None:  # it may be called from anywhere
                self._next.setdefault(ANYWHERE, []).extend(parameters(function))
                self._next.setdefault(function.cont, []).append(ANYWHERE)
