"""Procedures that work on pieces of the program as on data of the run: called, where data is met.

    (define (unify a b s)                        (define (unify a b s)
      (let ((a (walk a s)) (b (walk b s)))         (if (and (known-size? a) (known-size? b))
        (cond ...)))                                   (unify-2 a b s)
                                                       (unify-2 (lift a) (lift b) (lift s))))
                                                 (define (unify-2 a b s)
                                                   (let ((a (walk a s)) ...) ...))

An interpreter for logic programs unifies terms: of the interpreted program, where it is known which
clauses may be of use, and of the run.  Unfolded where a term is data, it is copied into each place
of the interpreted program, with what is known of the other term; a person calls one procedure.  So
it is unfolded as long as what it takes apart is known, and else a residual procedure for which all
of its arguments are data: as if it was a procedure of the library (Jones, Gomard and Sestoft 1993,
section 5.4, on operations of an interpreter that belong to its run time).  The same is done where
it goes on with what another procedure has given, as `walk` in the example.

It is a `library` procedure if it is recursive, calls what is known and changes nothing,
and each of its parameters holds data of the run in some cases: no piece of the interpreted program
steers it.

Law: the program means the same; in a run, the size of everything is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import Free, atoms, base_name, blocks
from cogen.lang.prims import PRIMITIVES
from cogen.specializer.advice.flow import Flow
from cogen.specializer.advice.rewriting import Rewriting, Seen, numbered, with_conts
from cogen.specializer.advice.structures import READS
from cogen.specializer.advice.texts import is_user, recursions
from cogen.specializer.advice.values import DATA, TRUTH, UNKNOWN, Made, Token, is_procedure
from cogen.specializer.programs.rounds import Rounds

_HARMLESS: Final = frozenset({"pure", "alloc", "read"})
"""Effects of operations in a library procedure."""


def with_libraries(
    flow: Flow, functions: Sequence[il.Function]
) -> tuple[il.Program, frozenset[str]]:
    """The program with its library procedures called where they meet data of the run, and the
    names of what is to be residual procedures then: none, and the same program, if there are none.
    `functions` are those of the user's that may run."""
    found = _Libraries(flow, functions)
    return found.program if found.made else flow.program, frozenset(found.called)


class _Libraries:
    """Makes the bodies of library procedures, and what follows in them, procedures: `made`."""

    def __init__(self, flow: Flow, functions: Sequence[il.Function]) -> None:
        self._flow = flow
        self._free = Free()
        program = flow.program
        self._globals = {i.name: i.function for i in program.items if isinstance(i, il.Define)}
        self._group = recursions(program)
        loops = Rounds(program).loops
        self._apart = _TakenApart(self._globals, loops)
        self._names = set(program.own_globals) | set(self._globals)
        self._number = 0
        self.made: list[il.Define] = []
        changed = {f.name: self._function(f) for f in functions if f in loops and self._is_one(f)}
        items = [
            replace(item, function=changed[item.name])
            if isinstance(item, il.Define) and item.name in changed
            else item
            for item in program.items
        ]
        self.called = {item.name for item in self.made} | set(changed) if self.made else set()
        own = program.own_globals | {item.name for item in self.made}
        self.program = replace(program, items=(*self.made, *items), own_globals=own)

    # -- which procedures ------------------------------------------------------------------------

    def _is_one(self, function: il.Function) -> bool:
        """Whether a recursive procedure is a library procedure."""
        if self._globals.get(function.name) is not function or function.rest is not None:
            return False
        return self._are_data(function, function.parameters) and self._is_closed(function)

    def _tokens(self, function: il.Function, name: str) -> set[Token]:
        contexts = self._flow.contexts(function)
        return {token for c in contexts for token in self._flow.variable(c, name).tokens}

    def _are_data(self, function: il.Function, names: Iterable[str]) -> bool:
        """Whether all the variables hold data of the run in some cases, or structures with it, and
        never procedures."""
        found = [self._tokens(function, name) for name in names]
        return all(_lead_to_data(own) and not any(map(is_procedure, own)) for own in found)

    def _is_closed(self, root: il.Function) -> bool:
        """Whether a procedure calls known ones only, and nothing is changed."""
        seen = {root.name}
        for name in (work := [root.name]):
            for block in blocks(self._globals[name].body):
                if not all(
                    PRIMITIVES[let.op].effect in _HARMLESS
                    for let in block.bindings
                    if type(let) is il.Let
                ):
                    return False
                if type(block.tail) is il.Call and type(block.tail.function) is not il.Global:
                    return False
                for atom in atoms(block):
                    if type(atom) is not il.Global or atom.name in seen:
                        continue
                    if atom.name in self._globals and is_user(self._globals[atom.name]):
                        seen.add(atom.name)
                        work.append(atom.name)
        return True

    # -- what becomes of them --------------------------------------------------------------------

    def _function(self, function: il.Function) -> il.Function:
        """A library procedure that is called where it meets data."""
        body = self._block(function.body, function)
        asked = self._asked(function, function.body, function.parameters)
        if not asked:
            return function if body is function.body else replace(function, body=body)
        name = self._define(function, function.parameters, body)
        return replace(function, body=self._choice(name, asked, function.parameters, function))

    def _asked(self, function: il.Function, body: il.Block, names: Iterable[str]) -> list[str]:
        """Those of the variables that decide what code does: it takes them apart, and they hold
        data of the run in some cases, and pieces that are known in others."""
        apart = self._apart.inside(body)
        return [
            name
            for name in names
            if name in apart
            and self._are_data(function, [name])
            and self._tokens(function, name) - {DATA, UNKNOWN, TRUTH}
        ]

    def _block(self, block: il.Block, function: il.Function) -> il.Block:
        return with_conts(block, lambda cont, binder: self._cont(cont, function, binder))

    def _cont(self, cont: il.Cont, function: il.Function, binder: il.Block) -> il.Cont:
        """What follows, as a procedure if another procedure gives what decides."""
        asked = self._asked(function, cont.body, cont.parameters)
        body = self._block(cont.body, function)
        cont = cont if body is cont.body else replace(cont, body=body)
        if not asked or not self._follows_another(cont.name, function, binder):
            return cont
        if self._free.conts(body) != {function.cont}:
            return cont
        outside = sorted(self._free.of_cont(cont))
        if not self._are_data(function, outside):
            return cont
        names = (*cont.parameters, *outside)
        name = self._define(function, names, body)
        return replace(cont, body=self._choice(name, asked, names, function))

    def _follows_another(self, cont: str, function: il.Function, binder: il.Block) -> bool:
        """Whether a continuation is given what one call of a procedure gives that does not lead
        back here."""
        entries = [
            block.tail
            for block in blocks(binder)
            if type(block.tail) is not il.If and block.tail.cont == cont
        ]
        if len(entries) != 1 or type(entries[0]) is not il.Call:
            return False
        called = entries[0].function
        own = self._group[function.name]
        return type(called) is il.Global and self._group.get(called.name, own) != own

    def _define(self, function: il.Function, parameters: Sequence[str], body: il.Block) -> str:
        name = numbered(function.name, self._names)
        fresh = {parameter: self._fresh(parameter) for parameter in parameters}
        cont = self._fresh(function.cont)
        body = _Moving(function.cont, cont).block(body, fresh)
        label = function.label or base_name(function.name)
        made = il.Function(name, tuple(fresh.values()), None, cont, body, function.span, label)
        self.made.append(il.Define(name, made))
        return name

    def _choice(
        self, name: str, asked: Sequence[str], passed: Sequence[str], function: il.Function
    ) -> il.Block:
        """A call, of a residual procedure if what decides is not known."""
        span, callee = function.span, il.Global(name)
        found = il.Block((), il.Call(callee, tuple(map(il.Var, passed)), function.cont, span))
        for variable in reversed(asked):
            test = self._fresh("known")
            lets = [il.Let(self._fresh(n), "lift", (il.Var(n),), span) for n in passed]
            lifted = tuple(il.Var(let.name) for let in lets)
            apart = il.Block(tuple(lets), il.Call(callee, lifted, function.cont, span))
            asks = il.Let(test, "known-size?", (il.Var(variable),), span)
            found = il.Block((asks,), il.If(il.Var(test), found, apart, span))
        return found

    def _fresh(self, name: str) -> str:
        self._number += 1
        return f"{base_name(name)}.00000{self._number}"


def _lead_to_data(tokens: Iterable[Token]) -> bool:
    """Whether something is data of the run, or has parts that are."""
    work, seen = list(tokens), set(tokens)
    for token in work:
        if token in (DATA, UNKNOWN):
            return True
        if type(token) is Made:
            fresh = {t for part in token.parts.values() for t in part.tokens} - seen
            seen |= fresh
            work += fresh
    return False


class _Moving(Rewriting):
    """Code with other names for its variables from outside, and for where it returns to."""

    def __init__(self, old: str, new: str) -> None:
        super().__init__()
        self._old, self._new = old, new

    def block(self, block: il.Block, names: dict[str, str]) -> il.Block:
        """The code with other names."""
        return self._block(block, names)

    def _tail(self, tail: il.Tail, seen: Seen, bindings: list[il.Binding]) -> il.Tail:
        found = super()._tail(tail, seen, bindings)
        if type(found) is il.If or found.cont != self._old:
            return found
        return replace(found, cont=self._new)


class _TakenApart:
    """Which variables decide what a program does: parts of them are read, or something is asked
    about them, also by procedures that are not recursive."""

    def __init__(self, functions: dict[str, il.Function], loops: frozenset[il.Function]) -> None:
        self._functions = functions
        self._loops = loops
        self._parameters: dict[str, frozenset[str]] = {}

    def inside(self, body: il.Block) -> frozenset[str]:
        """The variables that are taken apart in a block."""
        return frozenset(self._found(body))

    def _found(self, body: il.Block) -> Iterator[str]:
        for block in blocks(body):
            for let in block.bindings:
                if type(let) is il.Let and (let.op in READS or _asks(let)):
                    yield from _names(let.arguments)
            tail = block.tail
            if type(tail) is il.Call and type(tail.function) is il.Global:
                function = self._functions.get(tail.function.name)
                if function is not None and function not in self._loops:
                    apart = self._of(function)
                    for name, atom in zip(function.parameters, tail.arguments, strict=False):
                        if name in apart:
                            yield from _names([atom])

    def _of(self, function: il.Function) -> frozenset[str]:
        """The parameters that a procedure takes apart that is not recursive."""
        if function.name not in self._parameters:
            self._parameters[function.name] = frozenset()
            self._parameters[function.name] = self.inside(function.body)
        return self._parameters[function.name]


def _asks(let: il.Let) -> bool:
    """Whether an operation gives a truth value."""
    return let.op in PRIMITIVES and PRIMITIVES[let.op].result == "bool"


def _names(atoms_: Iterable[il.Atom]) -> Iterator[str]:
    return (atom.name for atom in atoms_ if type(atom) is il.Var)
