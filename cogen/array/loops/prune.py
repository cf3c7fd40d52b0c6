"""functions -> functions: without what nothing uses.

    f(n, a)                                   f(n)
        let x = a[0]                   ->         ...
        ...

A variable that is not read, with what is assigned to it and no effect; a parameter that is not
mentioned, with its argument in every call; a conditional without statements; how loops may be
shared out, where nothing has done that. Loops are made node by node, for whatever may come to need
it (the region of an array, the number of threads); what of it is needed is known at the end.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from cogen.array.loops import tree, treewalk
from cogen.array.loops.dividing import has_effect
from cogen.array.loops.tree import BLOCK, Block, Expr, Kernel, Statement, Var

Positions = frozenset[int]
Names = frozenset[str]


def prune(functions: Sequence[tree.Function]) -> tuple[tree.Function, ...]:
    """The functions of a program without what is unused in them."""
    found = tuple(functions)
    while True:
        found = tuple(map(_without_variables, found))
        unused = {function.name: _unused_parameters(function) for function in found}
        if not any(unused.values()):
            return found
        found = tuple([_without_parameters(function, unused) for function in found])


def prune_kernels(kernels: Sequence[Kernel]) -> tuple[Kernel, ...]:
    """Kernels without what is unused in them, but for parameters: the host gives all of them."""
    return tuple(map(_without_variables, kernels))


# Parameters.


def _unused_parameters(function: tree.Function) -> Positions:
    """Those that nothing mentions, but for an address whose region is, and that stands behind one:
    the region comes after it, and would be taken for that of the address before."""
    mentioned = treewalk.mentioned(function.body)
    parameters = function.parameters
    regions = {p for p in parameters if p.type == BLOCK and p.name in mentioned}
    found: set[int] = set()
    for i, p in enumerate(parameters):
        before = next((parameters[k] for k in reversed(range(i)) if k not in found), None)
        follows = before is not None and isinstance(before.type, tree.Pointer)
        if p.name not in mentioned and not (
            follows and regions.intersection(parameters[i + 1 : i + 2])
        ):
            found.add(i)
    return frozenset(found)


def _without_parameters(function: tree.Function, unused: Mapping[str, Positions]) -> tree.Function:
    """A function without its unused parameters, and without arguments for those of others."""

    def block(statements: Block) -> Block:
        return tuple([changed(statement) for statement in statements])

    def changed(statement: Statement) -> Statement:
        if isinstance(statement, tree.CallStatement):
            gone = unused[statement.function]
            return replace(statement, arguments=_left(statement.arguments, gone))
        return treewalk.with_blocks(
            statement, [block(inner) for inner in treewalk.blocks(statement)]
        )

    parameters = _left(function.parameters, unused[function.name])
    return replace(function, parameters=parameters, body=block(function.body))


_T = TypeVar("_T")


def _left(items: Iterable[_T], gone: Positions) -> tuple[_T, ...]:
    return tuple([item for i, item in enumerate(items) if i not in gone])


# Variables.


_P = TypeVar("_P", tree.Function, Kernel)


def _without_variables(function: _P) -> _P:
    """A function or kernel without variables that are not read, and without empty conditionals."""
    before: Names | None = None
    while True:
        pruning = _Pruning(before)
        function = replace(function, body=pruning.block(function.body))
        found = frozenset(pruning.read | pruning.stored)
        if found == before:
            return function
        before = found


class _Pruning:
    """Takes statements out of a function, of which is known what was needed `before`, if it was.

    `read` are the names that the statements read which stay: what is assigned, or declared, is not
    read by that. What points to elements of its own (`Room`) is like a variable. `stored` are those
    that are assigned by statements which stay for their effects.
    """

    def __init__(self, before: Names | None) -> None:
        self.before = before
        self.read: set[str] = set()
        self.stored: set[str] = set()
        self.own: set[str] = set()

    def block(self, statements: Block) -> Block:
        for statement in statements:
            if isinstance(statement, (tree.Variable, tree.Room)):
                self.own.add(statement.variable.name)
        found = [self.statement(statement) for statement in statements]
        return tuple([statement for statement in found if statement is not None])

    def statement(self, statement: Statement) -> Statement | None:
        """A statement as it stays; None if it goes."""
        match statement:
            case tree.Let(variable, value):
                if self.is_lost(variable) and not has_effect(value):
                    return None
            case tree.Variable(variable, value):
                if self.is_lost(variable) and (value is None or not has_effect(value)):
                    return None
            case tree.Room(variable):
                if self.is_lost(variable):
                    return None
            case tree.Assign(variable, value):
                if self.is_lost(variable) and not has_effect(value):
                    return None
                if has_effect(value):
                    self.stored.add(variable.name)
            case tree.Store(Var() as base, index, value) if base.name in self.own:
                if self.is_lost(base) and not has_effect(value):
                    return None
                if has_effect(value):
                    self.stored.add(base.name)
                self.reading(index, value)
                return statement
            case tree.For(mark=mark):
                self.reading(*treewalk.accumulators(mark))
                statement = replace(statement, sharing=None)
            case tree.Parallel(got=got, body=body) if got is not None:
                if treewalk.can_fail(body):
                    self.reading(got)
                elif self.is_lost(got):
                    statement = replace(statement, got=None)
            case tree.IfStatement(test):
                kept = [self.block(inner) for inner in treewalk.blocks(statement)]
                if not any(kept) and not has_effect(test):
                    return None
                self.reading(test)
                return treewalk.with_blocks(statement, kept)
        self.reading(*treewalk.expressions(statement))
        return treewalk.with_blocks(
            statement, [self.block(inner) for inner in treewalk.blocks(statement)]
        )

    def reading(self, *expressions: Expr) -> None:
        """The names in expressions are read."""
        for e in expressions:
            self.read |= treewalk.names(e)

    def is_lost(self, variable: Var) -> bool:
        """Whether a variable is read nowhere."""
        return self.before is not None and variable.name not in self.before
