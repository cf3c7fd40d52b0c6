"""A function's statements -> the same without early exits: `return`, `break` and `continue` in
control flow become flags, and what comes after them becomes conditional.

    for x in a:                 stop = False
        if x > 3:               for x in a:                (left when `stop` holds)
            break         ->        if x > 3:
        f(x)                            stop = True
    else:                           else:
        g()                             f(x)
                                if not stop:
                                    g()

Where an arm always leaves, what follows becomes part of the other, and no flag is tested.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from cogen.staging.sourceplaces import HOOKS

PREFIX: Final = "_cogen_"
"""What names begin with that programs do not have."""

DONE: Final = "_cogen_done"
RESULT: Final = "_cogen_result"

Loop = ast.For | ast.While
SCOPES: Final = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)


@dataclass(slots=True, eq=False)
class Flags:
    """The flags of loops of a function: by which each is left, and the rest of a round skipped."""

    stop: dict[Loop, str] = field(default_factory=dict)
    skip: dict[Loop, str] = field(default_factory=dict)
    lowered: bool = False
    """Whether `return` is a flag."""
    last: set[ast.Call] = field(default_factory=set)
    """The calls whose results are those of the function, after which it does nothing."""


@dataclass(frozen=True, slots=True)
class _Context:
    """What an exit leaves: the loops around it, the innermost last."""

    loops: tuple[tuple[str, str], ...] = ()

    @property
    def guard(self) -> str:
        """What says that the rest of a block is skipped."""
        return self.loops[-1][1] if self.loops else DONE


def within(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, functions and classes in it left out."""
    yield node
    for inner in ast.iter_child_nodes(node):
        if not isinstance(inner, SCOPES):
            yield from within(inner)


def binds(node: ast.expr) -> bool:
    """Whether an expression does what a function in its place could not."""
    return any(
        isinstance(n, ast.NamedExpr | ast.Yield | ast.YieldFrom | ast.Await) for n in within(node)
    )


def lower(body: list[ast.stmt]) -> tuple[list[ast.stmt], Flags]:
    """The statements of a function without early exits, and their flags."""
    work = _Lowering()
    for statement in body:
        if isinstance(statement, SCOPES):
            continue
        for node in within(statement):
            if isinstance(node, ast.If | ast.For | ast.While):
                work.flags.lowered |= any(
                    isinstance(inner, ast.Return)
                    for part in ast.iter_child_nodes(node)
                    if not isinstance(part, SCOPES)
                    for inner in within(part)
                )
    work.flags.last = {call for value in _returned(body) for call in last_calls(value)}
    made = work.block(body, _Context())
    if work.flags.lowered:
        start = body[0] if body else ast.Pass()
        given: list[ast.expr] = [ast.Name(name, ast.Load()) for name in (RESULT, DONE)]
        given.append(ast.Constant(_falls(body)))
        result = ast.Call(hook("returned"), given, [])
        made = [
            assign(DONE, ast.Constant(False), start),
            assign(RESULT, ast.Call(hook("unreturned"), [], []), start),
            *made,
            ast.fix_missing_locations(ast.copy_location(ast.Return(result), body[-1])),
        ]
    return _pruned(made, work.flags), work.flags


def _falls(body: Sequence[ast.stmt]) -> bool:
    """Whether a run may come to the end of statements."""
    match body[-1] if body else None:
        case ast.Return() | ast.Raise():
            return False
        case ast.If(_, then, otherwise):
            return _falls(then) or _falls(otherwise)
        case ast.While(ast.Constant(value)) as loop if value:
            return any(isinstance(n, ast.Break) for n in within(loop))
        case ast.With(_, inner):
            return _falls(inner)
    return True


def _returned(body: Sequence[ast.stmt]) -> Iterator[ast.expr]:
    """What a function gives; what is within `try` and `with`, of which something follows, is left
    out."""
    for statement in body:
        match statement:
            case ast.Return(value) if value is not None:
                yield value
            case ast.If() | ast.For() | ast.While():
                yield from _returned([*statement.body, *statement.orelse])
            case ast.Match(_, cases):
                yield from (value for case in cases for value in _returned(case.body))


def last_calls(value: ast.expr) -> Iterator[ast.Call]:
    """The calls that give what an expression gives."""
    if isinstance(value, ast.Call):
        yield value
    if isinstance(value, ast.IfExp):
        yield from last_calls(value.body)
        yield from last_calls(value.orelse)


def hook(name: str) -> ast.expr:
    """What a call of rewritten code calls."""
    return ast.Attribute(ast.Name(HOOKS, ast.Load()), name, ast.Load())


def assign(name: str, value: ast.expr, at: ast.AST) -> ast.stmt:
    """The assignment of a variable, with the place of something."""
    made = ast.Assign([ast.Name(name, ast.Store())], value)
    return ast.fix_missing_locations(ast.copy_location(made, at))


class _Lowering:
    def __init__(self) -> None:
        self.flags = Flags()
        self.count = 0

    def block(self, statements: Sequence[ast.stmt], context: _Context) -> list[ast.stmt]:
        """Statements one after the other."""
        made: list[ast.stmt] = []
        waiting = list(statements)
        while waiting:
            statement = waiting.pop(0)
            exits = self._exit(statement, context)
            if exits is not None:
                return made + exits
            if waiting and isinstance(statement, ast.If) and self.may_leave(statement):
                statement, waiting = self._absorbed(statement, waiting)
            made += self.statement(statement, context)
            if waiting and self.may_leave(statement):
                test = ast.UnaryOp(ast.Not(), ast.Name(context.guard, ast.Load()))
                rest = self.block(waiting, context)
                guarded = ast.copy_location(ast.If(test, rest, []), statement)
                made.append(ast.fix_missing_locations(guarded))
                return made
        return made

    def _absorbed(self, statement: ast.If, rest: list[ast.stmt]) -> tuple[ast.If, list[ast.stmt]]:
        """A conditional of which an arm always leaves, with what follows in the other one."""
        if self.always_leaves(statement.body):
            arms = statement.body, [*statement.orelse, *rest]
        elif self.always_leaves(statement.orelse):
            arms = [*statement.body, *rest], statement.orelse
        else:
            return statement, rest
        return ast.copy_location(ast.If(statement.test, *arms), statement), []

    def _exit(self, statement: ast.stmt, context: _Context) -> list[ast.stmt] | None:
        if isinstance(statement, ast.Return) and self.flags.lowered:
            value = statement.value or ast.copy_location(ast.Constant(None), statement)
            made = [assign(RESULT, value, statement), self._set(DONE, statement)]
            for stop, skip in context.loops:
                made += [self._set(stop, statement), self._set(skip, statement)]
            return made
        if isinstance(statement, ast.Break):
            return [self._set(name, statement) for name in context.loops[-1]]
        if isinstance(statement, ast.Continue):
            return [self._set(context.loops[-1][1], statement)]
        return None

    def _set(self, name: str, at: ast.AST) -> ast.stmt:
        return assign(name, ast.Constant(True), at)

    def statement(self, s: ast.stmt, context: _Context) -> list[ast.stmt]:
        """A statement that is no exit."""
        match s:
            case ast.If(test, body, orelse):
                made: ast.stmt = ast.If(
                    test, self.block(body, context), self.block(orelse, context)
                )
            case ast.For() | ast.While():
                return self.loop(s, context)
            case ast.Try():
                handlers = [
                    ast.copy_location(
                        ast.ExceptHandler(h.type, h.name, self.block(h.body, context)), h
                    )
                    for h in s.handlers
                ]
                made = ast.Try(
                    self.block(s.body, context), handlers, self.block(s.orelse, context),
                    self.block(s.finalbody, context),
                )  # fmt: skip
            case ast.With(items, body):
                made = ast.With(items, self.block(body, context))
            case ast.Match(subject, cases):
                own = [ast.match_case(c.pattern, c.guard, self.block(c.body, context))
                       for c in cases]  # fmt: skip
                made = ast.Match(subject, own)
            case _:
                return [s]
        return [ast.copy_location(made, s)]

    def loop(self, s: Loop, context: _Context) -> list[ast.stmt]:
        self.count += 1
        stop, skip = f"{PREFIX}stop_{self.count}", f"{PREFIX}skip_{self.count}"
        leaves = self.may_leave(ast.If(ast.Constant(True), s.body, []))
        inner = _Context((*context.loops, (stop, skip)))
        body = self.block(s.body, inner)
        made: Loop
        if isinstance(s, ast.For):
            made = ast.For(s.target, s.iter, body, [])
        else:
            made = ast.While(s.test, body, [])
        ast.copy_location(made, s)
        found: list[ast.stmt] = [made]
        if leaves:
            made.body.insert(0, assign(skip, ast.Constant(False), s))
            self.flags.stop[made], self.flags.skip[made] = stop, skip
            found.insert(0, assign(stop, ast.Constant(False), s))
        if s.orelse:
            rest = self.block(s.orelse, context)
            if leaves:
                test = ast.UnaryOp(ast.Not(), ast.Name(stop, ast.Load()))
                guarded = ast.copy_location(ast.If(test, rest, []), s)
                found.append(ast.fix_missing_locations(guarded))
            else:
                found += rest
        return found

    def may_leave(self, s: ast.stmt) -> bool:
        """Whether a statement may leave the block that it is in."""
        return any(self._leaves(s, False))

    def _leaves(self, node: ast.AST, in_loop: bool) -> Iterator[bool]:
        if isinstance(node, ast.Return):
            yield self.flags.lowered
        if isinstance(node, ast.Break | ast.Continue) and not in_loop:
            yield True
        inner = in_loop or isinstance(node, ast.For | ast.While)
        for child in ast.iter_child_nodes(node):
            if not isinstance(child, SCOPES):
                yield from self._leaves(child, inner)

    def always_leaves(self, block: Sequence[ast.stmt]) -> bool:
        """Whether statements never come to their end."""
        for s in block:
            if isinstance(s, ast.Return) and self.flags.lowered:
                return True
            if isinstance(s, ast.Break | ast.Continue | ast.Raise):
                return True
            arms = (s.body, s.orelse) if isinstance(s, ast.If) else ()
            if arms and all(map(self.always_leaves, arms)):
                return True
        return False


def _pruned(body: list[ast.stmt], flags: Flags) -> list[ast.stmt]:
    """The statements without flags that nothing tests."""
    read = {
        node.id
        for s in body
        for node in ast.walk(s)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
    }
    stops = set(flags.stop.values())
    names = {DONE, *flags.skip.values()} - read - stops
    if not names:
        return body

    class Prune(ast.NodeTransformer):
        def visit_Assign(self, node: ast.Assign) -> ast.stmt | None:
            target = node.targets[0]
            if isinstance(target, ast.Name) and target.id in names:
                return None
            return node

    made = [Prune().visit(s) for s in body]
    for node in [n for s in made if s is not None for n in ast.walk(s)]:
        if isinstance(node, ast.If | ast.For | ast.While | ast.With | ast.Try) and not node.body:
            node.body.append(ast.copy_location(ast.Pass(), node))
        if isinstance(node, ast.ExceptHandler | ast.match_case) and not node.body:
            node.body.append(ast.Pass(lineno=1, col_offset=0, end_lineno=1, end_col_offset=0))
    for loop, name in list(flags.skip.items()):
        if name in names:
            del flags.skip[loop]
    return [s for s in made if s is not None]
