"""Structured code -> structured code: loops that look up in a part of a buffer have a version for
buffers that have all of it.

    while (i < n) {                          if (0 <= at && at <= words(b) - 256) {
        … b[at + (x & 255)] …        ->          while (i < n) { … b[at + (x & 255)] … }
    }                                        } else while (i < n) { … }

An index that is a number from outside of the loop and one of known bounds is checked in each round,
and no check before the loop can stand for all, since what is not looked up need not be there.  The
test says that everything is; that the accesses behind it need no check, `within` finds out.  It is
not done for checked code, and last, so that only what is left is there twice.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Final

from cogen.backends.kernel import structured as st
from cogen.backends.kernel.bounds import ACCESSES, MOST, linear
from cogen.backends.kernel.cbody import MOST_BYTES
from cogen.backends.kernel.ranges import intervals
from cogen.backends.kernel.types import BOOL, INT, Types
from cogen.backends.kernel.within import proven
from cogen.interval import Interval
from cogen.interval import linear as scaled
from cogen.lang import il
from cogen.lang.errors import InternalError

MOST_STATEMENTS: Final = 100
"""The statements of a loop that there may be twice."""

MOST_WORDS: Final = 1 << 16
"""The words of a part, at most: of more it is not said that all of them are there."""


@dataclass(frozen=True, slots=True)
class LookedUp:
    """The words `least` to `most` of a buffer, from an index on that the loop does not change."""

    buffer: str
    start: str
    least: int
    most: int


def loop_versions(procedure: st.KernelProcedure, types: Types, word_size: int) -> None:
    """Make two of each loop that has looked-up parts, in place."""
    places = [*_innermost(procedure.body)]
    if not any(_accesses(loop.body) for _, loop in places):
        return
    bounds = intervals(procedure, types, word_size)
    definitions = {s.name: s for s in st.walk(procedure.body) if isinstance(s, st.Op)}
    copies = _Copies(procedure, types)
    inside: set[st.Op] | None = None
    for body, loop in places:
        parts = _parts(loop, definitions, bounds, types, set())
        if parts and inside is None:
            inside = proven(procedure, types, bounds, MOST_BYTES // (word_size // 8))
        if parts and inside:
            parts = _parts(loop, definitions, bounds, types, inside)
        if parts:
            end = 1 + next(i for i, s in enumerate(body) if s is loop)
            start = end - 2 if end > 1 and isinstance(body[end - 2], st.Move) else end - 1
            body[start:end] = copies.tested(parts, body[start:end])


def _innermost(body: st.Body) -> Iterator[tuple[st.Body, st.KernelLoop]]:
    """Small loops without loops and jumps, each with the body that it is in."""
    for statement in body:
        if isinstance(statement, st.KernelLoop):
            inner = [*st.walk(statement.body)]
            plain = not any(isinstance(s, st.KernelLoop | st.Goto | st.Mark) for s in inner)
            if plain and len(inner) <= MOST_STATEMENTS:
                yield body, statement
    for inside in st.inner_bodies(body):
        yield from _innermost(inside)


def _accesses(body: st.Body) -> list[st.Op]:
    return [s for s in st.walk(body) if isinstance(s, st.Op) and s.op in ACCESSES]


def _parts(
    loop: st.KernelLoop,
    definitions: Mapping[str, st.Op],
    bounds: Mapping[str, Interval],
    types: Types,
    proved: set[st.Op],
) -> list[LookedUp]:
    """The parts that the loop looks up in, each once, but for what is proved to be there."""
    inside = {name for s in st.walk(loop.body) for name in st.assigned(s)}
    local = {name: o for name, o in definitions.items() if name in inside}
    found: dict[tuple[str, str], Interval] = {}
    for access in _accesses(loop.body):
        buffer = access.arguments[0]
        if access in proved or not isinstance(buffer, il.Var) or buffer.name in inside:
            continue
        index = linear(access.arguments[1], local)
        starts = [(name, c) for name, c in index.terms if name not in inside]
        others = [(name, c) for name, c in index.terms if name in inside]
        if len(starts) != 1 or starts[0][1] != 1 or not others:
            continue
        if any(name in loop.parameters for name, _ in others):
            continue  # a check before the loop does for what is gone through
        low = high = index.constant
        for name, coefficient in others:
            least, most = scaled(coefficient, bounds.get(name, (-MOST, MOST)), 0)
            low, high = low + least, high + most
        start = starts[0][0]
        if high - low >= MOST_WORDS or abs(low) > MOST or types.variables.get(start) != INT:
            continue
        before = found.get((buffer.name, start), (low, high))
        found[buffer.name, start] = min(before[0], low), max(before[1], high)
    return [LookedUp(*names, *ends) for names, ends in found.items()]


class _Copies:
    """Makes second versions of loops of one procedure, with names of their own."""

    def __init__(self, procedure: st.KernelProcedure, types: Types) -> None:
        self.procedure = procedure
        self.types = types
        statements = [*st.walk(procedure.body)]
        self.taken = {name for s in statements for name in st.assigned(s)}
        self.taken |= {*procedure.parameters, *types.variables}
        self.taken |= {s.label for s in statements if isinstance(s, st.KernelLoop | st.Mark)}

    def fresh(self, name: str, kind: str = "") -> str:
        """A new name like that one, of a variable of a type or of a label."""
        made, number = f"{name}-{len(self.taken)}", len(self.taken)
        while made in self.taken:
            number += 1
            made = f"{name}-{number}"
        self.taken.add(made)
        if kind:
            self.types.variables[made] = kind
        if name in self.types.vectors:
            self.types.vectors[made] = self.types.vectors[name]
        return made

    def tested(self, parts: list[LookedUp], whole: st.Body) -> st.Body:
        """A loop, with the assignments before it, behind tests of its parts, and as it is."""
        *before, loop = whole
        assert isinstance(loop, st.KernelLoop)
        quick: st.Body = [*[st.Move(m.pairs) for m in before if isinstance(m, st.Move)]]
        quick.append(self.copied(loop))
        behind: st.Body = []
        if st.falls(whole):
            end = self.fresh(f"{loop.label}-end")
            self.procedure.jumped |= {end}
            quick.append(st.Goto(end))
            behind.append(st.Mark(end))
        for part in parts:
            quick = self.behind(part, quick, loop)
        return [*quick, *whole, *behind]

    def behind(self, part: LookedUp, body: st.Body, loop: st.KernelLoop) -> st.Body:
        """What is done where the buffer has the whole part."""
        start = il.Var(part.start)
        words, last = self.fresh("words", INT), self.fresh("last", INT)
        low, high = self.fresh("low", BOOL), self.fresh("high", BOOL)
        span = loop.span
        inner: st.Body = [
            st.Op(words, "buffer-words", (il.Var(part.buffer),), span),
            st.Op(last, "-", (il.Var(words), il.Const(part.most + 1)), span),
            st.Op(high, "<=", (start, il.Var(last)), span),
            st.Branch(il.Var(high), body, [], span),
        ]
        return [
            st.Op(low, ">=", (start, il.Const(-part.least)), span),
            st.Branch(il.Var(low), inner, [], span),
        ]

    def copied(self, loop: st.KernelLoop) -> st.KernelLoop:
        """The same loop with other names for what is not its parameter."""
        names = {
            name: self.fresh(name, self.types.variables.get(name, INT))
            for statement in st.walk(loop.body)
            for name in st.assigned(statement)
            if name not in loop.parameters
        }
        label = self.fresh(loop.label)
        body = _renamed(loop.body, names, label)
        return st.KernelLoop(label, loop.parameters, body, loop.head, loop.name, loop.span)


def _renamed(body: st.Body, names: Mapping[str, str], label: str) -> st.Body:
    """A copy of a body, with variables of other names, and of a loop with another label."""

    def atom(a: il.Atom) -> il.Atom:
        return il.Var(names.get(a.name, a.name)) if isinstance(a, il.Var) else a

    def atoms(given: tuple[il.Atom, ...]) -> tuple[il.Atom, ...]:
        return tuple(map(atom, given))

    made: st.Body = []
    for s in body:
        match s:
            case st.Op(name, op, arguments, span):
                made.append(st.Op(names.get(name, name), op, atoms(arguments), span))
            case st.KernelCall(name, function, arguments, span):
                result = None if name is None else names.get(name, name)
                made.append(st.KernelCall(result, function, atoms(arguments), span))
            case st.Move(pairs):
                made.append(st.Move(tuple((names.get(n, n), atom(a)) for n, a in pairs)))
            case st.Branch(test, then, otherwise, span):
                arms = (_renamed(then, names, label), _renamed(otherwise, names, label))
                made.append(st.Branch(atom(test), *arms, span))
            case st.Again() | st.Leave():
                made.append(replace(s, label=label))
            case st.KernelResult(value, span):
                made.append(st.KernelResult(None if value is None else atom(value), span))
            case st.Finish(function, arguments, span):
                made.append(st.Finish(function, atoms(arguments), span))
            case st.KernelFailure(op, arguments, span):
                made.append(st.KernelFailure(op, atoms(arguments), span))
            case _:
                raise InternalError(f"no statement of an innermost loop: {s}")
    return made
