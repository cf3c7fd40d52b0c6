"""Calls of `append` and `list` -> pairs that the program's own procedures make.

    (parse (append (cdr rule) (cdr stack)) tokens)

A machine's stack may be made by the library: a parser puts the right hand side of a rule in front
of what is left.  Its pairs are then made where those of all other lists are, and no box can tell
them apart (`advice.boxes`).  In a program in which each call of `append` has a procedure of its
own, and `list` is so many pairs, they are like those that the program puts on one by one.  So are
the pairs of a quoted list that the stack begins with, where the program calls nobody again who
passes it on: it is made once then, too.

What such a parser looks up is known if its table is gone through to the end, whatever a run decides
in each round.  The library's loops are made dynamic then (`memo.generalize`), those of the program
are not: so the procedures that search are the program's own, too.

Law: the program means the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Final

from cogen.lang import il
from cogen.lang.datum import NIL, Pair
from cogen.lang.errors import Span
from cogen.lang.ilutil import all_blocks, atoms, base_name, conts
from cogen.lang.prelude import in_prelude
from cogen.specializer.advice.bounds import Bounds, Stop
from cogen.specializer.advice.rewriting import Rewriting, Seen, with_field
from cogen.specializer.advice.texts import is_user
from cogen.specializer.advice.values import LIST

APPEND: Final = il.Global("append")

_OWN: Final = "append.0000"
"""How the procedures are called that make lists for calls of `append`."""

_SEARCHES: Final = frozenset({"assq", "assv", "assoc", "%assoc", "memq", "memv", "member"})
"""Procedures of the library that look for something in a list."""

_STEMS: Final = (
    *("append", "items", "tail", "k", "test", "test"),
    *("first", "rest", "k", "rest", "made", "wrong"),
)
"""What is called so in one of them."""

LONGEST: Final = 8
"""Elements of a list that is made pair by pair."""


def with_own_lists(program: il.Program) -> il.Program:
    """The program with procedures of its own for calls of `append`; the same one if there are no
    such calls of a list and a variable."""
    rewriting = _OwnLists(_begun_once(program))
    found = rewriting.rewritten(program)
    if not rewriting.made:
        return program
    here = _PutHere(rewriting.made[0].span)
    items = [
        replace(item, function=here.of(item.function))
        if isinstance(item, il.Define) and item.name in _SEARCHES
        else item
        for item in found.items
    ]
    defined = [il.Define(function.name, function) for function in rewriting.made]
    return replace(found, items=(*defined, *items))


class _PutHere(Rewriting):
    """Has procedures stand at a place of the program."""

    def __init__(self, span: Span | None) -> None:
        super().__init__()
        self._span = span

    def of(self, function: il.Function) -> il.Function:
        """A procedure that stands there."""
        return self._function(function, {})

    def _function(self, function: il.Function, seen: Seen) -> il.Function:
        return replace(super()._function(function, seen), span=self._span)

    def _let(self, let: il.Let, seen: Seen, bindings: list[il.Binding]) -> None:
        bindings.append(replace(let, span=self._span))

    def _tail(self, tail: il.Tail, seen: Seen, bindings: list[il.Binding]) -> il.Tail:
        return replace(super()._tail(tail, seen, bindings), span=self._span)


def stacks_made(program: il.Program, bounds: Bounds) -> list[Stop]:
    """Where what such a procedure has made is passed on, in procedures that call each other in
    turn: parts are put there and taken off, so how they compare in size does not tell of growth."""
    going_round = set(bounds.unbounded())
    results = {
        name
        for block in all_blocks(program)
        for cont in conts(block)
        if _is_own_append(block.tail, cont)
        for name in cont.parameters
    }
    return [
        (arc, name)
        for arc in bounds.arcs
        if arc.call is not None and arc.target in going_round and arc.source in going_round
        for name, atom in zip(arc.target.parameters, arc.call.arguments, strict=False)
        if type(atom) is il.Var and atom.name in results
    ]


def _is_own_append(tail: il.Tail, cont: il.Cont) -> bool:
    """Whether a continuation gets what such a procedure makes."""
    if type(tail) is not il.Call or tail.cont != cont.name:
        return False
    return type(tail.function) is il.Global and tail.function.name.startswith(_OWN)


def _begun_once(program: il.Program) -> set[int]:
    """The procedures, by id, that nothing in the program refers to: those that it begins with."""
    referred = {
        atom.name
        for block in all_blocks(program)
        for atom in atoms(block)
        if type(atom) is il.Global
    }
    return {
        id(item.function)
        for item in program.items
        if isinstance(item, il.Define) and item.name not in referred
    }


class _OwnLists(Rewriting):
    """Makes the calls others; `made` are the new procedures.  Quoted lists are made in procedures
    that are `once` called."""

    def __init__(self, once: set[int]) -> None:
        super().__init__()
        self.made: list[il.Function] = []
        self._once = once
        self._is_user = self._is_once = True

    def _definition(self, function: il.Function) -> il.Function:
        self._is_user, self._is_once = is_user(function), id(function) in self._once
        return super()._definition(function) if self._is_user else function

    def _fresh(self, name: str) -> str:
        self.number += 1
        return f"{base_name(name)}.0000{self.number}"

    def _call(self, call: il.Call, seen: Seen, bindings: list[il.Binding]) -> il.Call | il.Jump:
        arguments = call.arguments
        if in_prelude(call.span):
            return super()._call(call, seen, bindings)
        if call.function == LIST and 0 < len(arguments) <= LONGEST:
            rest = self._listed(arguments, call.span, bindings)
            return il.Jump(call.cont, (rest,), call.span)
        if call.function == APPEND and len(arguments) == 2 and type(arguments[1]) is il.Var:
            items = self._fresh("items")
            said = il.Const("append"), arguments[0]
            bindings.append(il.Let(items, "%finite", said, call.span))
            function = self._append(call.span)
            self.made.append(function)
            return replace(
                call,
                function=il.Global(function.name),
                arguments=(il.Var(items), arguments[1]),
            )
        if self._is_once:
            given = tuple([self._made_here(atom, call.span, bindings) for atom in arguments])
            call = with_field(call, "arguments", given)
        return super()._call(call, seen, bindings)

    def _made_here(self, atom: il.Atom, span: Span | None, bindings: list[il.Binding]) -> il.Atom:
        """A short quoted list as one that is made; other operands as they are."""
        if type(atom) is not il.Const or type(atom.value) is not Pair:
            return atom
        items: list[Any] = []
        rest: Any = atom.value
        while type(rest) is Pair and len(items) <= LONGEST:
            items.append(rest.car)
            rest = rest.cdr
        if rest is not NIL or any(type(item) is Pair for item in items):
            return atom
        return self._listed([il.Const(item) for item in items], span, bindings)

    def _listed(
        self, parts: Sequence[il.Atom], span: Span | None, bindings: list[il.Binding]
    ) -> il.Atom:
        """A list of these, made pair by pair."""
        rest: il.Atom = il.Const(NIL)
        for atom in reversed(parts):
            name = self._fresh("pair")
            bindings.append(il.Let(name, "cons", (atom, rest), span))
            rest = il.Var(name)
        return rest

    def _append(self, span: Span | None) -> il.Function:
        """`append` of two lists, as the library defines it."""
        name, items, tail, k, pair, null, car, cdr, cont, made, result, wrong = map(
            self._fresh, _STEMS
        )
        rest = il.Block(
            (il.Let(result, "cons", (il.Var(car), il.Var(made)), span),),
            il.Jump(k, (il.Var(result),), span),
        )
        go_on = il.Block(
            (
                il.Let(car, "car", (il.Var(items),), span),
                il.Let(cdr, "cdr", (il.Var(items),), span),
                il.Conts((il.Cont(cont, (made,), rest, span),)),
            ),
            il.Call(il.Global(name), (il.Var(cdr), il.Var(tail)), cont, span),
        )
        message = il.Const("append: expected a list, got")
        fails = il.Block(
            (il.Let(wrong, "error", (message, il.Var(items)), span),),
            il.Jump(k, (il.Var(tail),), span),  # nothing comes here
        )
        end = il.Block((), il.Jump(k, (il.Var(tail),), span))
        ends = il.Block(
            (il.Let(null, "null?", (il.Var(items),), span),),
            il.If(il.Var(null), end, fails, span),
        )
        body = il.Block(
            (il.Let(pair, "pair?", (il.Var(items),), span),),
            il.If(il.Var(pair), go_on, ends, span),
        )
        return il.Function(name, (items, tail), None, k, body, span, "append")
