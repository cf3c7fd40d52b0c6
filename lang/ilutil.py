"""Walks over the IL that other passes need; none of them recurses.

`blocks` goes through all blocks below a block; `Free` knows the free variables and
continuations of blocks, functions and continuations (cached by identity: IL is immutable).
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator
from dataclasses import replace
from functools import cache

from cogen.lang import il

Names = frozenset[str]
EMPTY: Names = frozenset()

NEVER_RETURN: Names = frozenset({"error", "raise"})
"""Operations after which nothing happens."""


def children(block: il.Block) -> Iterator[il.Block]:
    """The blocks directly inside a block, in textual order."""
    for binding in block.bindings:
        if type(binding) is il.Fix:
            for function in binding.functions:
                yield function.body
        elif type(binding) is il.Conts:
            for cont in binding.conts:
                yield cont.body
    if type(block.tail) is il.If:
        yield block.tail.then
        yield block.tail.otherwise


def blocks(root: il.Block) -> Iterator[il.Block]:
    """A block and all blocks inside it, outer before inner, in textual order."""
    work = [root]
    while work:
        block = work.pop()
        yield block
        work.extend(reversed(list(children(block))))


def own_blocks(root: il.Block) -> Iterator[il.Block]:
    """A block and all blocks inside it, but for those of procedures that are bound there."""
    work = [root]
    while work:
        block = work.pop()
        yield block
        work.extend([cont.body for cont in conts(block)])
        if type(block.tail) is il.If:
            work += [block.tail.otherwise, block.tail.then]


def item_block(item: il.Item) -> il.Block:
    """The block of a top-level item: a procedure's body, or what computes the value."""
    return item.function.body if isinstance(item, il.Define) else item.body


def all_blocks(program: il.Program) -> Iterator[il.Block]:
    """All blocks of a program."""
    for item in program.items:
        yield from blocks(item_block(item))


def functions(block: il.Block) -> Iterator[il.Function]:
    """The procedures that the block itself (not a block inside it) binds."""
    for binding in block.bindings:
        if isinstance(binding, il.Fix):
            yield from binding.functions


def conts(block: il.Block) -> Iterator[il.Cont]:
    """The continuations that the block itself binds."""
    for binding in block.bindings:
        if isinstance(binding, il.Conts):
            yield from binding.conts


def tail_atoms(tail: il.Tail) -> tuple[il.Atom, ...]:
    """The atoms that a tail mentions, the procedure of a call first."""
    if type(tail) is il.If:
        return (tail.test,)
    if type(tail) is il.Jump:
        return tail.arguments
    return (tail.function, *tail.arguments)


def atoms(block: il.Block) -> Iterator[il.Atom]:
    """The atoms that the block itself mentions, in order."""
    for binding in block.bindings:
        if type(binding) is il.Let:
            yield from binding.arguments
    yield from tail_atoms(block.tail)


def with_bodies(
    program: il.Program,
    function: Callable[[il.Function], il.Function],
    block: Callable[[il.Block], il.Block],
) -> il.Program:
    """A program with other definitions and other code of its top level."""
    items = tuple(
        replace(item, function=function(item.function))
        if isinstance(item, il.Define)
        else replace(item, body=block(item.body))
        for item in program.items
    )
    return replace(program, items=items)


def primitives(program: il.Program) -> set[str]:
    """The names of the primitives that a program mentions."""
    found: set[str] = set()
    for block in all_blocks(program):
        found.update([binding.op for binding in block.bindings if type(binding) is il.Let])
        found.update([atom.name for atom in atoms(block) if type(atom) is il.Prim])
    return found


def parameters(function: il.Function) -> tuple[str, ...]:
    """All parameters of a procedure, the rest parameter last."""
    if function.rest is None:
        return function.parameters
    return (*function.parameters, function.rest)


def bound_names(block: il.Block) -> Iterator[str]:
    """The variables and continuations that the block itself binds, with the parameters and
    return continuations of what it binds."""
    for binding in block.bindings:
        if isinstance(binding, il.Let):
            yield binding.name
        elif isinstance(binding, il.Fix):
            for function in binding.functions:
                yield function.name
                yield from parameters(function)
                yield function.cont
        else:
            for cont in binding.conts:
                yield cont.name
                yield from cont.parameters


class Free:
    """Free variables and continuations, computed once for each block."""

    def __init__(self) -> None:
        self._variables: dict[il.Block, Names] = {}
        self._conts: dict[il.Block, Names] = {}

    def variables(self, block: il.Block) -> Names:
        """The variables that a block mentions and does not bind."""
        found = self._variables.get(block)
        return _found(block, self._variables, self._find_variables) if found is None else found

    def conts(self, block: il.Block) -> Names:
        """The continuations that a block jumps or returns to and does not bind."""
        found = self._conts.get(block)
        return _found(block, self._conts, self._find_conts) if found is None else found

    def of_function(self, function: il.Function) -> Names:
        """The variables a procedure needs from outside (its own name is one if it recurs)."""
        return self.variables(function.body).difference(parameters(function))

    def of_cont(self, cont: il.Cont) -> Names:
        """The variables a continuation needs from outside."""
        return self.variables(cont.body).difference(cont.parameters)

    def _find_variables(self, block: il.Block) -> Names:
        """The variables of a block from those of the blocks inside it."""
        names = {atom.name for atom in atoms(block) if type(atom) is il.Var}
        tail = block.tail
        if type(tail) is il.If:
            names |= self._variables[tail.then] | self._variables[tail.otherwise]
        for binding in block.bindings:
            if type(binding) is il.Fix:
                for function in binding.functions:
                    names |= self.of_function(function)
            elif type(binding) is il.Conts:
                for cont in binding.conts:
                    names |= self.of_cont(cont)
        names.difference_update(bound_names(block))
        return frozenset(names) if names else EMPTY

    def _find_conts(self, block: il.Block) -> Names:
        """The continuations of a block from those of the blocks inside it."""
        tail = block.tail
        if type(tail) is il.If:
            names = self._conts[tail.then] | self._conts[tail.otherwise]
        else:
            names = frozenset((tail.cont,))
        for binding in block.bindings:
            if type(binding) is il.Conts:
                names = names.union(*[self._conts[cont.body] for cont in binding.conts])
        bound = [cont.name for cont in conts(block)]
        return names.difference(bound) if bound else names


def _found(
    block: il.Block, known: dict[il.Block, Names], find: Callable[[il.Block], Names]
) -> Names:
    """What is found of a block, after the blocks inside it."""
    for inner in _inside_first(block, known):
        known[inner] = find(inner)
    return known[block]


def _inside_first(root: il.Block, known: Container[il.Block]) -> Iterator[il.Block]:
    """A block and the blocks inside it that are not known yet, inner before outer."""
    work = [(root, False)]
    while work:
        block, ready = work.pop()
        if ready:
            yield block
        elif block not in known:
            work.append((block, True))
            work.extend([(child, False) for child in children(block)])


@cache
def base_name(name: str) -> str:
    """A variable's name without the number that makes it unique."""
    stem, dot, number = name.rpartition(".")
    return stem if dot and number.isdigit() and stem else name


def find_procedure(program: il.Program, name: str) -> il.Function | None:
    """The procedure that the program defines by that name, where the definition shows it."""
    for item in program.items:
        if isinstance(item, il.Define) and item.name == name:
            return item.function
    return None
