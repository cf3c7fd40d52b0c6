"""Copies of statements with variables of their own."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from cogen.array.loops import tree, treewalk
from cogen.array.loops.tree import Block, Expr, Kernel, Statement, Type, Var
from cogen.backends.ctree.names import Namer
from cogen.lang.errors import InternalError


def word_of(name: str) -> str:
    """A name without its number."""
    base, _, number = name.rpartition("_")
    return base if number.isdecimal() and base else name


class NewNames(Protocol):
    """Where new names come from."""

    def fresh(self, name: str, t: Type) -> Var:
        """A variable that is called like this, or with a number."""


class NewVariables:
    """New variables, where the names of an emitter's come from."""

    def __init__(self, names: Namer) -> None:
        self.names = names

    def fresh(self, name: str, t: Type) -> Var:
        """A variable that is called like this, or with a number."""
        return Var(self.names.fresh(word_of(name)), t)


class UntakenNames:
    """Names that nothing has in some functions."""

    def __init__(self, functions: Iterable[tree.Function | Kernel]) -> None:
        self.taken: set[str] = set(tree.RESERVED)
        self.counts: dict[str, int] = {}
        for function in functions:
            self.taken.update([function.name, *[p.name for p in function.parameters]])
            if isinstance(function, Kernel):
                self.taken.add(function.part.name)
            self._take(function.body)

    def _take(self, block: Block) -> None:
        """The names that statements declare, and what could share out their loops."""
        for statement in treewalk.all_statements(block):
            found = (*treewalk.declared(statement), *treewalk.bound(statement))
            self.taken.update([variable.name for variable in found])
            match statement:
                case tree.Scan(function=name):
                    self.taken.add(name)
                case tree.For(sharing=tree.Sharing(joins=joins) as sharing):
                    for operator in treewalk.operators(sharing):
                        own = (*operator.left, *operator.right)
                        self.taken.update([variable.name for variable in own])
                        self._take(operator.body)
                    for join in joins:
                        if isinstance(join, tree.Scanned) and join.first is not None:
                            self._take((join.first,))

    def fresh(self, name: str, t: Type) -> Var:
        """A variable that is called like this, or with a number."""
        word = word_of(name)
        made, count = word, self.counts.get(word, 1)
        while made in self.taken:
            count += 1
            made = f"{word}_{count}"
        self.counts[word] = count
        self.taken.add(made)
        return Var(made, t)


def copied(block: Block, values: Mapping[Var, Expr], names: NewNames) -> Block:
    """Statements in which variables stand for others, and all that are declared are new."""
    return _Copy(dict(values), names).block(block)


def copied_with(
    block: Block, values: Mapping[Var, Expr], names: NewNames
) -> tuple[Block, dict[Var, Expr]]:
    """The same, and what the variables that can be used after the statements have become."""
    copy = _Copy(dict(values), names)
    found = tuple([copy.statement(statement) for statement in block])
    return found, copy.values


def replaced(e: Expr, values: Mapping[Var, Expr]) -> Expr:
    """An expression in which variables stand for others."""
    if isinstance(e, Var):
        return values.get(e, e)
    return treewalk.with_operands(e, _all(treewalk.operands(e), values))


def _all(found: Sequence[Expr], values: Mapping[Var, Expr]) -> tuple[Expr, ...]:
    return tuple([replaced(e, values) for e in found])


class _Copy:
    """Copies statements; `values` are what variables stand for."""

    def __init__(self, values: dict[Var, Expr], names: NewNames) -> None:
        self.values = values
        self.names = names
        self.waiting: dict[Var, Var] = {}

    def block(self, block: Block) -> Block:
        outer = dict(self.values)
        found = tuple([self.statement(statement) for statement in block])
        self.values = outer
        return found

    def new(self, variable: Var) -> Var:
        made = self.waiting.pop(variable, None)
        if made is None:
            made = self.names.fresh(variable.name, variable.type)
        self.values[variable] = made
        return made

    def region(self, variable: Var | None) -> Var | None:
        """What the region of an address becomes, which may be declared after that."""
        if variable is None or variable in self.values:
            return None if variable is None else self.variable(variable)
        return self.waiting.setdefault(variable, self.names.fresh(variable.name, variable.type))

    def variable(self, variable: Var) -> Var:
        found = self.values.get(variable, variable)
        assert isinstance(found, Var)
        return found

    def expr(self, e: Expr) -> Expr:
        return replaced(e, self.values)

    def exprs(self, found: Sequence[Expr]) -> tuple[Expr, ...]:
        return _all(found, self.values)

    def statement(self, statement: Statement) -> Statement:
        return replace(self._copied(statement), place=statement.place)

    def _copied(self, statement: Statement) -> Statement:
        match statement:
            case tree.Let(variable, e):
                value = self.expr(e)
                return tree.Let(self.new(variable), value)
            case tree.Variable(variable, e, region):
                start = None if e is None else self.expr(e)
                return tree.Variable(self.new(variable), start, self.region(region))
            case tree.Room(variable, e):
                value = self.expr(e)
                return tree.Room(self.new(variable), value)
            case tree.Allocate(variable, t, e, site, over):
                value = self.expr(e)
                old = None if over is None else (self.variable(over[0]), self.variable(over[1]))
                return tree.Allocate(self.new(variable), t, value, site, old)
            case tree.Assign(variable, e, sign):
                return tree.Assign(self.variable(variable), self.expr(e), sign)
            case tree.Store(a, b, c, sign):
                return tree.Store(self.expr(a), self.expr(b), self.expr(c), sign)
            case tree.Put(samples, a, b, c):
                return tree.Put(samples, self.expr(a), self.expr(b), self.expr(c))
            case tree.Do(tree.Invoke(function, arguments, t)):
                return tree.Do(tree.Invoke(function, self.exprs(arguments), t))
            case tree.Fail(site, details):
                return tree.Fail(site, self.exprs(details))
            case tree.CallStatement(function, arguments):
                return tree.CallStatement(function, self.exprs(arguments))
            case tree.Break():
                return statement
            case tree.IfStatement(test, then, otherwise):
                return tree.IfStatement(self.expr(test), self.block(then), self.block(otherwise))
            case tree.While(test, body):
                return tree.While(self.expr(test), self.block(body))
            case tree.Attempt(body):
                return tree.Attempt(self.block(body))
            case tree.For():
                return self.loop(statement)
            case tree.Scan():
                size, source, to = self.exprs((statement.count, statement.values, statement.out))
                own = self.variable(statement.accumulator)
                return replace(statement, accumulator=own, count=size, values=source, out=to)
        raise InternalError(f"{statement!r} is not copied")

    def loop(self, loop: tree.For) -> tree.For:
        start, stop, step = self.exprs((loop.start, loop.stop, loop.step))
        mark = self.mark(loop.mark)
        outer = dict(self.values)
        index = self.new(loop.index)
        body = self.block(loop.body)
        self.values = outer
        return tree.For(index, start, stop, step, body, mark)

    def accumulators(
        self, found: Sequence[tuple[tree.Combination, Var]]
    ) -> tuple[tuple[tree.Combination, Var], ...]:
        return tuple([(how, self.variable(variable)) for how, variable in found])

    def mark(self, mark: tree.Mark | None) -> tree.Mark | None:
        match mark:
            case tree.Lanes(accumulators) | tree.Apart(accumulators):
                return replace(mark, accumulators=self.accumulators(accumulators))
            case tree.Running(scans, accumulators, counts):
                found = (self.accumulators(scans), self.accumulators(accumulators))
                return tree.Running(*found, tuple(map(self.variable, counts)))
            case tree.Tables(tables):
                own = [(self.variable(base), self.variable(apart)) for base, apart in tables]
                return tree.Tables(tuple(own))
            case tree.Shared(threads, test):
                return tree.Shared(self.expr(threads), self.expr(test))
        return mark
