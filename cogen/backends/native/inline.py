"""IL -> IL: calls of small procedures become their bodies, and inner procedures that nothing
mentions any more are left out.

What it removes: calls of `cadr`, `list` and their like, and tests that are decided by constant
arguments (the empty rest list of `map`).  It comes before `contify`, since what is inlined may
hold the only call of a loop.  What an inner procedure mentions is in scope wherever that itself is.

Laws: names stay unique; an error is told at the same place with the same calls, because what is
inlined keeps the call whose place it takes (`places.led`).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import count
from typing import Final

from cogen.backends.native.given import operation
from cogen.backends.native.places import led, led_by
from cogen.lang import il
from cogen.lang.chain import Calls, in_library
from cogen.lang.datum import NIL
from cogen.lang.errors import InternalError, Span
from cogen.lang.ilutil import all_blocks, atoms, blocks, functions, item_block, own_blocks

MAX_SIZE: Final = 8
"""Operations, calls and tests in a body that is inlined, at most."""

MAX_REST: Final = 6
"""Items of a rest list that is made in place, at most."""

ROUNDS: Final = 3


def inline(program: il.Program) -> il.Program:
    """The program with calls of small procedures replaced."""
    numbers = count(1)
    for last in (*[False] * ROUNDS, True):
        small = {} if last else dict(_small(program))
        inliner = _Inliner(small, _mentioned(program), numbers)
        program = replace(program, items=tuple(map(inliner.item, program.items)))
    return program


def _small(program: il.Program) -> Iterator[tuple[il.Atom, il.Function]]:
    """The small procedures, by what calls of them mention."""
    for item in program.items:
        if isinstance(item, il.Define) and _is_small(il.Global(item.name), item.function):
            yield il.Global(item.name), item.function
    for block in all_blocks(program):
        for function in functions(block):
            if _is_small(il.Var(function.name), function):
                yield il.Var(function.name), function


def _mentioned(program: il.Program) -> set[str]:
    """The variables that are mentioned by what is evaluated, or by inner procedures that are."""
    found: set[str] = set()
    inner = {
        function.name: function for block in all_blocks(program) for function in functions(block)
    }
    work = list(map(item_block, program.items))
    for root in work:
        for block in own_blocks(root):
            for atom in atoms(block):
                if isinstance(atom, il.Var) and atom.name not in found:
                    found.add(atom.name)
                    if atom.name in inner:
                        work.append(inner[atom.name].body)
    return found


def _is_small(name: il.Atom, function: il.Function) -> bool:
    """Is it a small procedure without inner procedures that does not call itself?"""
    size = 0
    for block in blocks(function.body):
        for binding in block.bindings:
            if isinstance(binding, il.Fix):
                return False
            size += isinstance(binding, il.Let)
        if isinstance(block.tail, il.Call):
            if block.tail.function == name:
                return False
            size += 1
        size += isinstance(block.tail, il.If)
        if size > MAX_SIZE:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Around:
    """What a call stands in: the continuation that leaves it, the procedures it is within."""

    in_library: bool
    exit: str
    within: frozenset[il.Atom] = frozenset()


@dataclass(slots=True)
class _Inliner:
    """Rewrites items; `small` are the procedures to inline, `mentioned` the variables that are."""

    small: dict[il.Atom, il.Function]
    mentioned: set[str]
    numbers: count[int]

    def item(self, item: il.Item) -> il.Item:
        match item:
            case il.Define(name, function):
                return il.Define(name, self.function(function, frozenset([il.Global(name)])))
            case il.Value(name, cont, body, span):
                return il.Value(name, cont, self.block(body, _Around(False, cont)), span)
            case il.Expression(cont, body, span):
                return il.Expression(cont, self.block(body, _Around(False, cont)), span)
        raise InternalError(f"no item: {item!r}")

    def function(self, function: il.Function, within: frozenset[il.Atom]) -> il.Function:
        around = _Around(in_library(function.span), function.cont, within)
        return _with_body(function, self.block(function.body, around))

    def block(self, block: il.Block, around: _Around) -> il.Block:
        def cont(cont: il.Cont) -> il.Cont:
            body = self.block(cont.body, around)
            return il.Cont(cont.name, cont.parameters, body, cont.span, cont.label)

        bindings: list[il.Binding] = []
        for binding in block.bindings:
            match binding:
                case il.Fix(group, span):
                    made = [self.function(f, around.within | {il.Var(f.name)})
                            for f in group if f.name in self.mentioned]  # fmt: skip
                    bindings += [il.Fix(tuple(made), span)] if made else []
                case il.Conts(conts):
                    bindings.append(il.Conts(tuple(map(cont, conts))))
                case _:
                    bindings.append(binding)
        tail = block.tail
        if isinstance(tail, il.If):
            then = self.block(tail.then, around)
            otherwise = self.block(tail.otherwise, around)
            return il.Block(tuple(bindings), il.If(tail.test, then, otherwise, tail.span))
        if isinstance(tail, il.Call):
            inlined = self.call(tail, around)
            if inlined is not None:
                return il.Block((*bindings, *inlined.bindings), inlined.tail)
        return il.Block(tuple(bindings), tail)

    def call(self, call: il.Call, around: _Around) -> il.Block | None:
        """What a call becomes."""
        function = self.small.get(call.function)
        if function is None or call.function in around.within:
            return None
        fixed = len(function.parameters)
        rest = call.arguments[fixed:]
        if len(call.arguments) < fixed or (rest and function.rest is None) or len(rest) > MAX_REST:
            return None
        into_library = in_library(function.span) and not around.in_library
        is_tail = call.cont == around.exit
        copier = _BodyCopier(self.numbers, *led_by(call, is_tail, into_library), function.cont)
        copier.conts[function.cont] = call.cont
        copier.atoms.update(zip(function.parameters, call.arguments, strict=False))
        bindings: list[il.Binding] = []
        if function.rest is not None:
            items: il.Atom = il.Const(NIL)
            for argument in reversed(rest):
                name = copier.fresh(function.rest)
                bindings.append(il.Let(name, "cons", (argument, items), call.span))
                items = il.Var(name)
            copier.atoms[function.rest] = items
        body = copier.block(function.body)
        return il.Block((*bindings, *body.bindings), body.tail)


class _BodyCopier:
    """Copies a body: new names, arguments for parameters, decided tests left out.

    `calls` led to it, `returned` is the place of the call that its value is returned to, None for a
    tail call, and `exit` what leaves it.
    """

    def __init__(self, numbers: count[int], calls: Calls, returned: Span | None, exit: str) -> None:
        self.numbers = numbers
        self.calls = calls
        self.returned = returned
        self.exit = exit
        self.atoms: dict[str, il.Atom] = {}
        self.conts: dict[str, str] = {}

    def fresh(self, name: str) -> str:
        return f"{name}~{next(self.numbers)}"

    def place(self, span: Span | None) -> Span | None:
        return led(span, self.calls)

    def atom(self, atom: il.Atom) -> il.Atom:
        return self.atoms.get(atom.name, atom) if isinstance(atom, il.Var) else atom

    def block(self, block: il.Block) -> il.Block:
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            match binding:
                case il.Let(name, op, arguments, span):
                    copied = tuple(map(self.atom, arguments))
                    decided = _decided(op, copied)
                    if decided is not None:
                        self.atoms[name] = il.Const(decided)
                        continue
                    new = self.fresh(name)
                    self.atoms[name] = il.Var(new)
                    bindings.append(il.Let(new, op, copied, self.place(span)))
                case il.Conts(conts):
                    for cont in conts:
                        self.conts[cont.name] = self.fresh(cont.name)
                    bindings.append(il.Conts(tuple(map(self.cont, conts))))
        tail = block.tail
        match tail:
            case il.If(test, then, otherwise, span):
                test = self.atom(test)
                if isinstance(test, il.Const):
                    chosen = self.block(otherwise if test.value is False else then)
                    return il.Block((*bindings, *chosen.bindings), chosen.tail)
                then, otherwise = self.block(then), self.block(otherwise)
                return il.Block(tuple(bindings), il.If(test, then, otherwise, self.place(span)))
            case il.Jump(target, arguments, span):
                target = self.conts.get(target, target)
                jump = il.Jump(target, tuple(map(self.atom, arguments)), self.place(span))
                return il.Block(tuple(bindings), jump)
            case il.Call(function, arguments, target, span, returned):
                returned = self.returned if target == self.exit else self.place(returned)
                target = self.conts.get(target, target)
                passed = tuple(map(self.atom, arguments))
                call = il.Call(self.atom(function), passed, target, self.place(span), returned)
                made = operation(call, self.fresh("given"))
                if made is not None:
                    return il.Block((*bindings, made[0]), made[1])
                return il.Block(tuple(bindings), call)
        raise InternalError(f"no tail: {tail!r}")

    def cont(self, cont: il.Cont) -> il.Cont:
        parameters = tuple(map(self.fresh, cont.parameters))
        for old, new in zip(cont.parameters, parameters, strict=True):
            self.atoms[old] = il.Var(new)
        body = self.block(cont.body)
        return il.Cont(self.conts[cont.name], parameters, body, cont.span, cont.label)


def _decided(op: str, arguments: tuple[il.Atom, ...]) -> bool | None:
    """The truth value of `null?` and `pair?` of the constant empty list."""
    if op not in ("null?", "pair?") or not isinstance(arguments[0], il.Const):
        return None
    return op == "null?" if arguments[0].value is NIL else None


def _with_body(function: il.Function, body: il.Block) -> il.Function:
    return il.Function(
        function.name, function.parameters, function.rest, function.cont, body, function.span,
        function.label,
    )  # fmt: skip
