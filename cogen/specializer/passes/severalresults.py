"""Raw residual program -> raw residual program in which procedures return one value each.

Procedures whose results have a shape (`execution.results`) return its dynamic parts, so none, one
or several values.  Of these, those remain that somebody uses; several of them are returned as one,
a list without end:

    (jump k a b c)             (jump k p) with p = (cons a (cons b c))
    (conts (k (x y z) …))      (conts (k (p) …)) with x, y, z taken out of p

What is used is found by marking, over all procedures together: a result that is only handed on to
the result that it is, in a recursion, is not used by that.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.lang import il
from cogen.lang.ilutil import atoms, blocks
from cogen.specializer.passes.dead import DROPPABLE
from cogen.specializer.versions.graph import RawFunction, RawProgram

Fresh = Callable[[str], str]
"""Makes a new name that people can recognize."""

UNUSED: Final = il.Const(False)
"""What is passed where nothing looks."""


def with_one_result(program: RawProgram, fresh: Fresh) -> RawProgram:
    """The program, its functions changed in place."""
    if all(function.results == 1 for function in program.functions.values()):
        return program
    uses = _Uses(program)
    for function in program.functions.values():
        rewriter = _Rewriter(program, function, uses, fresh)
        for block in function.blocks.values():
            assert block.body is not None
            block.body = rewriter.block(block.body)
    for function in program.functions.values():
        function.results = 1
    return program


class _Uses:
    """Which variables and results are used.

    Nodes are variables by name, and results by function and position; `_feeds` leads from a node
    to what it is computed from.
    """

    def __init__(self, program: RawProgram) -> None:
        self._program = program
        self._feeds: dict[Hashable, list[Hashable]] = {}
        self._roots: list[Hashable] = []
        for function in program.functions.values():
            self._function(function)
        self.used: set[Hashable] = set()
        work = self._roots
        while work:
            node = work.pop()
            if node not in self.used:
                self.used.add(node)
                work += self._feeds.get(node, ())

    def results(self, function: RawFunction) -> list[int]:
        """The positions of the results that remain."""
        return [i for i in range(function.results) if (function.name, i) in self.used]

    def _function(self, function: RawFunction) -> None:
        root = function.blocks[function.entry]
        for inner, outer in zip(root.parameters, function.parameters, strict=True):
            self._flow(inner, (il.Var(outer),))
        for raw in function.blocks.values():
            assert raw.body is not None
            for block in blocks(raw.body):
                for binding in block.bindings:
                    if type(binding) is il.Let:
                        used_by = binding.name if binding.op in DROPPABLE else None
                        self._flow(used_by, binding.arguments)
                    elif type(binding) is il.Fix:
                        for closure in binding.functions:
                            for inside in blocks(closure.body):
                                self._flow(None, tuple(atoms(inside)))
                self._tail(function, block)

    def _tail(self, function: RawFunction, block: il.Block) -> None:
        tail = block.tail
        if type(tail) is il.If:
            self._flow(None, (tail.test,))
        elif type(tail) is il.Jump:
            self._jump(function, tail)
        else:
            assert type(tail) is il.Call
            self._call(function, block, tail)

    def _jump(self, function: RawFunction, jump: il.Jump) -> None:
        if jump.cont != function.cont:
            self._pass(function.blocks[jump.cont].parameters, jump.arguments)
        elif len(jump.arguments) == function.results != 1:
            for position, atom in enumerate(jump.arguments):
                self._flow((function.name, position), (atom,))
        else:
            self._flow(None, jump.arguments)

    def _call(self, function: RawFunction, block: il.Block, call: il.Call) -> None:
        callee = _callee(self._program, call)
        if callee is None:
            self._flow(None, (call.function, *call.arguments))
            return
        self._pass(callee.parameters, call.arguments)
        if callee.results == 1:
            return
        for position in range(callee.results):
            if call.cont == function.cont:
                user: Hashable = function.name, position
            else:
                user = _cont(block, call).parameters[position]
            self._feeds.setdefault(user, []).append((callee.name, position))

    def _pass(self, parameters: Sequence[str], arguments: Sequence[il.Atom]) -> None:
        for parameter, atom in zip(parameters, arguments, strict=True):
            self._flow(parameter, (atom,))

    def _flow(self, user: Hashable | None, sources: Sequence[il.Atom]) -> None:
        """The variables among the sources are used if the user is; for sure if that is None."""
        names = [atom.name for atom in sources if type(atom) is il.Var]
        if user is None:
            self._roots += names
        else:
            self._feeds.setdefault(user, []).extend(names)


@dataclass(slots=True, eq=False, repr=False)
class _Rewriter:
    """Rewrites the code of one function."""

    _program: RawProgram
    _function: RawFunction
    _uses: _Uses
    _fresh: Fresh

    def block(self, block: il.Block) -> il.Block:
        """A block; blocks are nested as deep as there are calls and conditionals in a path."""
        bindings: list[il.Binding] = []
        for binding in block.bindings:
            if type(binding) is il.Let:
                if binding.name in self._uses.used or binding.op not in DROPPABLE:
                    bindings.append(binding)
            elif type(binding) is il.Conts:
                assert type(block.tail) is il.Call
                bindings.append(il.Conts((self._cont(binding.conts[0], block.tail),)))
            else:
                bindings.append(binding)
        tail = block.tail
        if type(tail) is il.If:
            tail = il.If(tail.test, self.block(tail.then), self.block(tail.otherwise), tail.span)
        elif type(tail) is il.Jump:
            tail = self._jump(tail, bindings)
        else:
            assert type(tail) is il.Call
            passed = tuple(map(self._atom, tail.arguments))
            tail = il.Call(tail.function, passed, tail.cont, tail.span, tail.returned)
        return il.Block(tuple(bindings), tail)

    def _atom(self, atom: il.Atom) -> il.Atom:
        """An argument; one that is not used may not be bound any more."""
        return UNUSED if type(atom) is il.Var and atom.name not in self._uses.used else atom

    def _jump(self, jump: il.Jump, bindings: list[il.Binding]) -> il.Jump:
        function = self._function
        if jump.cont != function.cont or len(jump.arguments) != function.results:
            return il.Jump(jump.cont, tuple(map(self._atom, jump.arguments)), jump.span)
        if function.results == 1:
            return jump
        kept = [jump.arguments[position] for position in self._uses.results(function)]
        result = kept.pop() if kept else UNUSED
        while kept:
            name = self._fresh("results")
            bindings.append(il.Let(name, "cons", (kept.pop(), result), jump.span))
            result = il.Var(name)
        return il.Jump(jump.cont, (result,), jump.span)

    def _cont(self, cont: il.Cont, call: il.Call) -> il.Cont:
        callee = _callee(self._program, call)
        body = self.block(cont.body)
        if callee is None or callee.results == 1:
            return il.Cont(cont.name, cont.parameters, body, cont.span, cont.label)
        names = [cont.parameters[position] for position in self._uses.results(callee)]
        lets: list[il.Binding] = []
        parameter = self._fresh("results") if len(names) != 1 else names[0]
        rest = il.Var(parameter)
        while len(names) > 1:
            name = names.pop(0)
            tail = self._fresh("results") if len(names) > 1 else names[0]
            lets.append(il.Let(name, "car", (rest,), cont.span))
            lets.append(il.Let(tail, "cdr", (rest,), cont.span))
            rest = il.Var(tail)
        body = il.Block((*lets, *body.bindings), body.tail)
        return il.Cont(cont.name, (parameter,), body, cont.span, cont.label)


def _callee(program: RawProgram, call: il.Call) -> RawFunction | None:
    """The residual procedure that is called, if it is one of the program."""
    if type(call.function) is not il.Global:
        return None
    return program.functions.get(call.function.name)


def _cont(block: il.Block, call: il.Call) -> il.Cont:
    """The continuation of the call that ends a block."""
    binding = block.bindings[-1]
    assert type(binding) is il.Conts
    assert binding.conts[0].name == call.cont
    return binding.conts[0]
