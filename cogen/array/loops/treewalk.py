"""What passes on loops ask of trees: the parts of expressions and statements, and all in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from operator import attrgetter
from typing import Any, Final

from cogen.array.loops import tree
from cogen.array.loops.tree import (
    Address,
    Allocate,
    Apart,
    Assign,
    Attempt,
    Binary,
    Block,
    Break,
    CallStatement,
    Choose,
    Const,
    Convert,
    Data,
    Do,
    Expr,
    Fail,
    For,
    Get,
    Grown,
    Hashed,
    IfStatement,
    Invoke,
    Kept,
    Keyed,
    Lanes,
    Let,
    Load,
    Mark,
    Not,
    Operate,
    Operator,
    Parallel,
    Placed,
    Put,
    Reduced,
    Room,
    Running,
    Scanned,
    Shared,
    Sharing,
    SizeOf,
    Statement,
    Store,
    Tables,
    Tallied,
    Var,
    Variable,
    While,
)
from cogen.lang.errors import InternalError

_OPERANDS: Final[dict[type[Any], Callable[[Any], tuple[Expr, ...]]]] = {
    **dict.fromkeys((Var, Const, SizeOf), lambda e: ()),
    Binary: attrgetter("left", "right"),
    Load: attrgetter("base", "index"),
    Not: lambda e: (e.operand,),
    Convert: lambda e: (e.operand,),
    Address: lambda e: (e.operand,),
    Data: lambda e: (e.region,),
    Choose: attrgetter("test", "then", "otherwise"),
    Get: attrgetter("base", "last", "index"),
    Operate: attrgetter("operands"),
    Invoke: attrgetter("arguments"),
}
"""What is directly within the expressions of each class; passes ask this of each expression."""


def operands(e: Expr) -> tuple[Expr, ...]:
    """The expressions directly within one."""
    found = _OPERANDS.get(type(e))
    if found is None:
        raise InternalError(f"no expression: {e!r}")
    return found(e)


def with_operands(e: Expr, found: Sequence[Expr]) -> Expr:
    """An expression with others directly within it, in the order of `operands`."""
    match e:
        case Binary(sign):
            return Binary(sign, *found)
        case Load():
            return Load(*found)
        case Get():
            base, last, index = found
            return Get(e.samples, base, last, index, e.type)
        case Choose():
            return Choose(*found)
        case Not():
            return Not(*found)
        case Convert(t):
            return Convert(t, *found)
        case Data(_, t):
            (region,) = found
            return Data(region, t)
        case Address():
            (place,) = found
            if isinstance(place, (Var, Load)):
                return Address(place)
            raise InternalError(f"{place!r} has no address")
        case Operate(row, _, t):
            return Operate(row, tuple(found), t)
        case Invoke(function, _, t):
            return Invoke(function, tuple(found), t)
    return e


def expressions(statement: Statement) -> tuple[Expr, ...]:
    """The expressions directly in a statement that are evaluated; not what is assigned."""
    match statement:
        case Let(_, e) | Assign(_, e) | Do(e) | Room(_, e) | IfStatement(e) | While(e):
            return (e,)
        case Variable(_, e):
            return () if e is None else (e,)
        case Allocate(_, _, e, _, over):
            return (e, *(over or ()))
        case Store(a, b, c) | Put(_, a, b, c):
            return (a, b, c)
        case For(_, a, b, c, _, mark):
            return (a, b, c, mark.threads, mark.test) if isinstance(mark, Shared) else (a, b, c)
        case Fail(_, found) | CallStatement(_, found):
            return found
        case Parallel(team=team, size=size):
            return (team, size)
        case tree.Scan(accumulator, _, count, values, out):
            return (accumulator, count, values, out)
        case Break() | Attempt():
            return ()
    raise InternalError(f"no statement: {statement!r}")


_WITH_BLOCKS: Final = (IfStatement, For, While, Attempt, Parallel)


def blocks(statement: Statement) -> tuple[Block, ...]:
    """The statements directly within one, in lists."""
    if not isinstance(statement, _WITH_BLOCKS):
        return ()
    match statement:
        case IfStatement(_, then, otherwise):
            return (then, otherwise)
        case For(body=body) | While(body=body) | Attempt(body) | Parallel(body=body):
            return (body,)


def declared(statement: Statement) -> tuple[Var, ...]:
    """The variables that can be used after a statement."""
    match statement:
        case Let(variable) | Variable(variable) | Room(variable) | Allocate(variable):
            return (variable,)
    return ()


def bound(statement: Statement) -> tuple[Var, ...]:
    """The variables that can be used in the statements within one."""
    match statement:
        case For(index):
            return (index,)
        case Parallel(_, _, thread, parts, _, start, stop):
            return (thread, parts, start, stop)
    return ()


def accumulators(mark: Mark | None) -> tuple[Var, ...]:
    """The variables that a mark names."""
    match mark:
        case Lanes(found) | Apart(found):
            return tuple([variable for _, variable in found])
        case Running(scans, found, counts):
            return (*[variable for _, variable in (*scans, *found)], *counts)
        case Tables(tables):
            return tuple([variable for pair in tables for variable in pair])
    return ()


def operators(sharing: Sharing | None) -> tuple[Operator, ...]:
    """The operators that join what parts of the iterations have found."""
    found: list[Operator] = []
    for join in () if sharing is None else sharing.joins:
        match join:
            case Reduced(_, _, operator) | Scanned(_, _, operator):
                found.append(operator)
            case Keyed(_, tables):
                found += [table.operator for table in tables]
            case Hashed(operator=operator):
                found.append(operator)
    return tuple(found)


def with_joined(sharing: Sharing, change: Callable[[Block], Block]) -> Sharing:
    """How a loop may be shared out, with other statements in what joins its parts."""

    def operator(found: Operator) -> Operator:
        return replace(found, body=change(found.body))

    joins: list[tree.Join] = []
    for join in sharing.joins:
        match join:
            case Scanned(first=For() as first):
                (changed,) = change((first,))
                assert isinstance(changed, For)
                joins.append(replace(join, operator=operator(join.operator), first=changed))
            case Reduced() | Scanned() | Hashed():
                joins.append(replace(join, operator=operator(join.operator)))
            case Keyed(_, tables):
                own = [replace(table, operator=operator(table.operator)) for table in tables]
                joins.append(replace(join, tables=tuple(own)))
            case _:
                joins.append(join)
    return replace(sharing, joins=tuple(joins))


def shared_expressions(sharing: Sharing) -> tuple[Expr, ...]:
    """What a loop must know to be shared out; not what is in operators."""
    found: list[Expr] = [sharing.work]
    for join in sharing.joins:
        match join:
            case Reduced(accumulators, neutral):
                found += [*accumulators, *neutral]
            case Scanned(accumulators, neutral, _, outs):
                found += [*accumulators, *neutral, *outs]
            case Kept(count, pairs):
                found += [count, *[e for pair in pairs for e in pair]]
            case Placed(pairs):
                found += [e for pair in pairs for e in pair]
            case Keyed(size, tables):
                found += [size, *[e for t in tables for e in (*t.bases, *t.neutral)]]
            case Grown(count, regions):
                found += [count, *[region for region, _ in regions]]
            case Tallied(a, b):
                found += [a, b]
            case Hashed(table, _, count, rows, neutral, _, numbers, stored):
                found += [table, count, *neutral]
                found += [] if rows is None else [rows.region, rows.first]
                found += [e for e in (numbers, stored) if e is not None]
    return tuple(found)


def within(e: Expr) -> Iterator[Expr]:
    """An expression and all within it."""
    waiting = [e]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(operands(found))


def all_statements(block: Block) -> Iterator[Statement]:
    """The statements of a block and all within them, in order."""
    waiting = [*reversed(block)]
    while waiting:
        statement = waiting.pop()
        yield statement
        for inner in reversed(blocks(statement)):
            waiting += reversed(inner)


def can_fail(block: Block) -> bool:
    """Whether statements may leave what they stand in by a failure."""
    for statement in block:
        if isinstance(statement, (Fail, CallStatement, Allocate)):
            return True
        if not isinstance(statement, Attempt) and any(map(can_fail, blocks(statement))):
            return True
    return False


def names(e: Expr) -> frozenset[str]:
    """The names of the variables in an expression."""
    found: set[str] = set()
    waiting = [e]
    while waiting:
        part = waiting.pop()
        if type(part) is Var:
            found.add(part.name)
        else:
            waiting += operands(part)
    return frozenset(found)


def mentioned(block: Block) -> frozenset[str]:
    """The names of the variables that statements read or assign."""
    found: set[str] = set()
    for statement in all_statements(block):
        for e in expressions(statement):
            found |= names(e)
        if isinstance(statement, Assign):
            found.add(statement.variable.name)
        if isinstance(statement, Parallel) and statement.got is not None:
            found.add(statement.got.name)
    return frozenset(found)


def with_blocks(statement: Statement, inner: Sequence[Block]) -> Statement:
    """A statement with others within it, in the order of `blocks`."""
    match statement:
        case IfStatement():
            then, otherwise = inner
            return replace(statement, then=then, otherwise=otherwise)
        case For() | While() | Attempt() | Parallel():
            (body,) = inner
            return replace(statement, body=body)
    return statement
