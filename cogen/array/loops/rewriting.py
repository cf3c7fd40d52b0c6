"""Statements in which expressions stand for others, in their places: what is declared stays."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from cogen.array.loops import tree, treewalk
from cogen.array.loops.tree import Block, Combination, Expr, Statement, Var
from cogen.lang.errors import InternalError

Change = Callable[[Expr], Expr | None]
"""What stands for an expression whose operands have been replaced; None for itself."""


def rewritten(block: Block, change: Change) -> Block:
    """Statements with other expressions; an element that is stored is changed as one that is
    loaded, a variable that is assigned as one that is read. Loops are shared out no more."""
    return tuple([_statement(statement, change) for statement in block])


def expression(e: Expr, change: Change) -> Expr:
    """An expression with others in it."""
    found = treewalk.with_operands(e, [expression(inner, change) for inner in treewalk.operands(e)])
    made = change(found)
    return found if made is None else made


def standing_for(values: Mapping[Var, Expr]) -> Change:
    """Variables stand for others."""
    return lambda e: values.get(e) if isinstance(e, Var) else None


def all_changes(changes: Sequence[Change]) -> Change:
    """What changes one after the other make of an expression."""

    def change(e: Expr) -> Expr | None:
        for own in changes:
            found = own(e)
            if found is not None:
                return found
        return None

    return change


def _variable(variable: Var, change: Change) -> Var:
    found = expression(variable, change)
    if not isinstance(found, Var):
        raise InternalError(f"{variable.name} is assigned, and is no variable any more")
    return found


def _statement(statement: Statement, change: Change) -> Statement:
    made = with_expressions(statement, change)
    inner = [rewritten(block, change) for block in treewalk.blocks(made)]
    return treewalk.with_blocks(made, inner)


def with_expressions(statement: Statement, change: Change) -> Statement:
    """A statement with other expressions directly in it."""

    def new(e: Expr) -> Expr:
        return expression(e, change)

    match statement:
        case tree.Let(_, e) | tree.Assign(_, e):
            made: Statement = replace(statement, value=new(e))
            if isinstance(made, tree.Assign):
                return replace(made, variable=_variable(made.variable, change))
            return made
        case tree.Variable(_, e, around):
            own = None if around is None else _variable(around, change)
            return replace(statement, value=None if e is None else new(e), region=own)
        case tree.Room(_, size):
            return replace(statement, size=new(size))
        case tree.Allocate(_, _, size, _, None):
            return replace(statement, size=new(size))
        case tree.Allocate(_, _, size, _, (region, first)):
            old = (_variable(region, change), _variable(first, change))
            return replace(statement, size=new(size), over=old)
        case tree.Store(base, index, value):
            place = new(tree.Load(base, index))
            if not isinstance(place, tree.Load):
                raise InternalError(f"{place!r} is stored, and is no element any more")
            return replace(statement, base=place.base, index=place.index, value=new(value))
        case tree.Put(_, base, index, value):
            return replace(statement, base=new(base), index=new(index), value=new(value))
        case tree.Do(e):
            found = new(e)
            assert isinstance(found, tree.Invoke)
            return tree.Do(found)
        case tree.IfStatement(e) | tree.While(e):
            return replace(statement, test=new(e))
        case tree.For():
            return _loop(statement, change)
        case tree.Fail(_, details):
            return replace(statement, details=tuple(map(new, details)))
        case tree.CallStatement(_, arguments):
            return replace(statement, arguments=tuple(map(new, arguments)))
        case tree.Break() | tree.Attempt():
            return statement
    raise InternalError(f"{statement!r} is not rewritten")


def _loop(loop: tree.For, change: Change) -> tree.For:
    start, stop, step = (expression(e, change) for e in (loop.start, loop.stop, loop.step))
    mark = _mark(loop.mark, change)
    return replace(loop, start=start, stop=stop, step=step, mark=mark, sharing=None)


def _mark(mark: tree.Mark | None, change: Change) -> tree.Mark | None:
    def all_(pairs: tuple[tuple[Combination, Var], ...]) -> tuple[tuple[Combination, Var], ...]:
        return tuple([(how, _variable(variable, change)) for how, variable in pairs])

    match mark:
        case tree.Lanes(accumulators) | tree.Apart(accumulators):
            return replace(mark, accumulators=all_(accumulators))
        case tree.Running(scans, accumulators, counts):
            own = tuple([_variable(variable, change) for variable in counts])
            return tree.Running(all_(scans), all_(accumulators), own)
        case None:
            return None
    raise InternalError(f"a loop with {mark!r} is not rewritten")
