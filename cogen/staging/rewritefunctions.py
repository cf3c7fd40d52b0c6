"""Python functions -> Python functions whose control flow is calls.

    if x > 0:                   def then(): nonlocal y; y = f(x)
        y = f(x)          ->    def otherwise(): nonlocal y; y = 0
    else:                       hooks.if_(hooks.call(...) > 0, then, otherwise, get, set, ("y",))
        y = 0

What the calls do (`cogen.staging.hooks`) is to run the statements as they were where everything is
known, and to stage them where a run decides.  `for` and `while` likewise; `and`, `or`, `not`,
conditional expressions, calls, and what changes objects (`a[i] = x`, `o.f = x`, `x += y`) become
calls in their place.  All nodes keep their places, so that tracebacks and diagnostics tell them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from cogen.staging.earlyexits import (
    PREFIX,
    SCOPES,
    Flags,
    Loop,
    assign,
    binds,
    hook,
    last_calls,
    lower,
    within,
)
from cogen.staging.matchstatements import without_matches
from cogen.staging.operatornames import COMPARISONS, OPERATORS
from cogen.staging.rewritecomprehensions import Comprehension, ComprehensionRewriter, is_staged
from cogen.staging.sourceplaces import HOOKS
from cogen.staging.truthtests import is_test, mark_tests

UNTOUCHED: Final = frozenset({"super", "locals", "globals", "vars", "eval", "exec", "dir"})
"""Functions that ask where they are called."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


def rewrite(function: Function | ast.Lambda, owner: str | None = None) -> ast.stmt | ast.expr:
    """The function with calls for its control flow; `owner` is the class that it stands in."""
    mark_tests(function)
    if isinstance(function, ast.Lambda):
        flags = Flags(last=set(last_calls(function.body)))
        return _FunctionRewriter(flags, owner).visit(function)  # type: ignore[no-any-return]
    return _function(function, owner, True)


def _function(node: Function, owner: str | None, outermost: bool = False) -> Function:
    """A function with a scope of its own."""
    node = without_matches(node, PREFIX)
    rests = any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await)
                for s in node.body for n in within(s))  # fmt: skip
    rests = rests or isinstance(node, ast.AsyncFunctionDef)
    body, flags = (node.body, Flags()) if rests else lower(list(node.body))
    work = _FunctionRewriter(flags, owner, plain=rests)
    for s in node.body:
        for n in within(s):
            if isinstance(n, ast.Global):
                work.globals.update(n.names)
            if isinstance(n, ast.Nonlocal):
                work.nonlocals.update(n.names)
    made = work.statements(body)
    arguments = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    first = [s for s in made if isinstance(s, ast.Global | ast.Nonlocal)]
    rest = [s for s in made if not isinstance(s, ast.Global | ast.Nonlocal)]
    fresh = sorted(work.assigned - arguments - work.globals - work.nonlocals)
    start = node.body[0]
    inits = [_init(name, start) for name in fresh]
    inits += _notes("owns", _shared(node), start) + _notes("changes", work.nonlocals, start)
    assigned = assigned_in(node.body, Flags())
    inits += [_told("assigns_global", ast.Constant(name), start)
              for name in sorted(work.globals & assigned)]  # fmt: skip
    result = type(node)(
        name=node.name, args=_arguments(node.args, owner), body=[*first, *inits, *rest],
        decorator_list=[] if outermost else [work.visit(d) for d in node.decorator_list],
        returns=None, type_comment=None,
    )  # fmt: skip
    return ast.copy_location(result, node)


def _shared(node: Function) -> set[str]:
    """The variables of a function that functions which stand in it assign."""
    inner = [n for s in node.body for n in _with_functions(s) if isinstance(n, ast.FunctionDef)]
    every = [n for f in inner for n in ast.walk(f) if isinstance(n, ast.Nonlocal)]
    return {name for n in every for name in n.names} & _own(node)


def _with_functions(node: ast.AST) -> Iterator[ast.AST]:
    """A node and what is in it, functions too, but nothing that is in these."""
    yield node
    for inner in ast.iter_child_nodes(node) if not isinstance(node, SCOPES) else ():
        yield from _with_functions(inner)


def _own(node: Function) -> set[str]:
    """The variables of a function: its parameters, and what its own statements assign."""
    parameters = {a.arg for a in ast.walk(node.args) if isinstance(a, ast.arg)}
    return parameters | assigned_in(node.body, Flags())


def _arguments(arguments: ast.arguments, owner: str | None) -> ast.arguments:
    """Parameters without annotations; defaults are expressions like others."""
    made = _FunctionRewriter(Flags(), owner).generic_visit(arguments)
    assert isinstance(made, ast.arguments)
    for a in ast.walk(made):
        if isinstance(a, ast.arg):
            a.annotation = None
    return made


def _init(name: str, at: ast.AST) -> ast.stmt:
    return assign(name, ast.Call(hook("unset"), [ast.Constant(name)], []), at)


def _notes(name: str, variables: set[str], at: ast.AST) -> list[ast.stmt]:
    """A call that is told of variables, if there are any."""
    if not variables:
        return []
    whole = ast.Tuple([ast.Name(n, ast.Load()) for n in sorted(variables)], ast.Load())
    told = ast.Lambda(ast.arguments([], [], None, [], [], None, []), whole)
    return [_told(name, told, at)]


def _told(name: str, what: ast.expr, at: ast.AST) -> ast.stmt:
    made = ast.copy_location(ast.Expr(ast.Call(hook(name), [what], [])), at)
    return ast.fix_missing_locations(made)


def assigned_in(statements: Iterable[ast.stmt], flags: Flags) -> set[str]:
    """The variables of the function that statements assign."""
    found: set[str] = set()
    for s in statements:
        found |= _assigned(s, flags)
    return found


def _assigned(node: ast.AST, flags: Flags) -> set[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    if isinstance(node, ast.Lambda):
        return set()
    found: set[str] = set()
    match node:
        case ast.Name(id=name, ctx=ast.Store() | ast.Del()):
            found.add(name)
        case ast.ExceptHandler(name=str(name)) | ast.MatchAs(name=str(name)):
            found.add(name)
        case ast.MatchStar(name=str(name)) | ast.MatchMapping(rest=str(name)):
            found.add(name)
        case ast.Import(names=names) | ast.ImportFrom(names=names):
            found.update((alias.asname or alias.name).split(".")[0] for alias in names)
        case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
            return {n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr)}
    for child in ast.iter_child_nodes(node):
        found |= _assigned(child, flags)
    if isinstance(node, ast.For | ast.While):
        found.discard(flags.skip.get(node, ""))
    return found


class _FunctionRewriter(ast.NodeTransformer):
    """Rewrites the code of one function; `plain`: its statements stay (a generator's)."""

    def __init__(self, flags: Flags, owner: str | None, plain: bool = False) -> None:
        self.flags = flags
        self.owner = owner
        self.plain = plain
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        self.assigned: set[str] = set()
        """What functions assign that statements became."""
        self.count = 0

    # Statements.

    def statements(self, block: Sequence[ast.stmt]) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for s in block:
            found = self.visit(s)
            made += found if isinstance(found, list) else [found]
        return made

    def place(self, made: ast.AST, at: ast.AST) -> ast.AST:
        return ast.fix_missing_locations(ast.copy_location(made, at))

    def closure(
        self, name: str, body: list[ast.stmt], names: set[str], at: ast.AST, parameter: str = ""
    ) -> ast.stmt:
        """A function of statements, which assigns variables of the function around it."""
        head: list[ast.stmt] = []
        outer = sorted(names & self.globals)
        if outer:
            head.append(ast.Global(outer))
        if names - self.globals:
            head.append(ast.Nonlocal(sorted(names - self.globals)))
        taken = [ast.arg(parameter)] if parameter else []
        made = ast.FunctionDef(
            name=name, args=ast.arguments([], taken, None, [], [], None, []),
            body=[*head, *(body or [ast.Pass()])], decorator_list=[], returns=None,
            type_comment=None,
        )  # fmt: skip
        self.place(made, at)
        return made

    def state(self, names: set[str], at: ast.AST) -> tuple[list[ast.stmt], list[ast.expr]]:
        """Functions that get and set variables, and what passes them."""
        self.assigned |= names
        self.count += 1
        get, put = f"{PREFIX}get_{self.count}", f"{PREFIX}set_{self.count}"
        ordered = sorted(names)
        whole = ast.Tuple([ast.Name(n, ast.Load()) for n in ordered], ast.Load())
        getter = self.closure(get, [ast.Return(whole)], set(), at)
        values = ast.Name(f"{PREFIX}values", ast.Load())
        store: list[ast.stmt] = []
        if ordered:
            target = ast.Tuple([ast.Name(n, ast.Store()) for n in ordered], ast.Store())
            store = [ast.Assign([target], values)]
        setter = self.closure(put, store, names, at, f"{PREFIX}values")
        passed: list[ast.expr] = [ast.Name(get, ast.Load()), ast.Name(put, ast.Load())]
        passed.append(ast.Tuple([ast.Constant(n) for n in ordered], ast.Load()))
        return [getter, setter], passed

    def called(self, name: str, arguments: list[ast.expr], at: ast.AST) -> ast.stmt:
        made = ast.Expr(ast.Call(hook(name), arguments, []))
        self.place(made, at)
        return made

    def visit_If(self, node: ast.If) -> list[ast.stmt] | ast.stmt:
        if self.plain:
            return self.generic_visit(node)  # type: ignore[return-value]  # a statement
        names = assigned_in([*node.body, *node.orelse], self.flags)
        self.count += 1
        number = self.count
        state, passed = self.state(names, node)
        arms: list[ast.stmt] = []
        for word, block in (("then", node.body), ("else", node.orelse)):
            body = self.statements(block)
            arms.append(self.closure(f"{PREFIX}{word}_{number}", body, names, node))
        test = self.visit(node.test)
        given = [ast.Name(f"{PREFIX}{word}_{number}", ast.Load()) for word in ("then", "else")]
        return [*state, *arms, self.called("if_", [test, *given, *passed], node.test)]

    def visit_For(self, node: ast.For) -> list[ast.stmt] | ast.stmt:
        if self.plain:
            return self.generic_visit(node)  # type: ignore[return-value]  # a statement
        item = ast.Name(f"{PREFIX}item", ast.Load())
        take = ast.copy_location(ast.Assign([node.target], item), node.target)
        ast.fix_missing_locations(take)
        return self.loop(node, [take, *node.body], self.visit(node.iter), f"{PREFIX}item")

    def visit_While(self, node: ast.While) -> list[ast.stmt] | ast.stmt:
        if self.plain:
            return self.generic_visit(node)  # type: ignore[return-value]  # a statement
        test = self.thunk(self.visit(node.test), node.test)
        return self.loop(node, node.body, test, "")

    def loop(
        self, node: Loop, block: list[ast.stmt], first: ast.expr, parameter: str
    ) -> list[ast.stmt]:
        names = assigned_in([node], self.flags)
        if isinstance(node, ast.For):
            names |= _assigned(node.target, self.flags)
        self.count += 1
        name = f"{PREFIX}body_{self.count}"
        state, passed = self.state(names, node)
        body = self.closure(name, self.statements(block), names, node, parameter)
        stop: ast.expr = ast.Constant(None)
        if node in self.flags.stop:
            stop = self.thunk(ast.Name(self.flags.stop[node], ast.Load()), node)
        word = "for_" if isinstance(node, ast.For) else "while_"
        at = node.iter if isinstance(node, ast.For) else node.test
        given: list[ast.expr] = [first, ast.Name(name, ast.Load()), *passed, stop]
        return [*state, body, self.called(word, given, at)]

    def thunk(self, e: ast.expr, at: ast.AST) -> ast.expr:
        made = ast.Lambda(ast.arguments([], [], None, [], [], None, []), e)
        self.place(made, at)
        return made

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.stmt:
        return _function(node, self.owner)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.stmt:
        return _function(node, self.owner)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.stmt:
        work = _FunctionRewriter(Flags(), node.name, plain=True)
        node.body = work.statements(node.body)
        return node

    def visit_Try(self, node: ast.Try) -> ast.stmt:
        made = self.generic_visit(node)
        assert isinstance(made, ast.Try)
        if made.handlers and not self.plain:
            manager = ast.Call(hook("handling"), [], [])
            made.body = [ast.With([ast.withitem(manager)], made.body)]
            self.place(made.body[0], node)
        return made

    def visit_Raise(self, node: ast.Raise) -> ast.stmt:
        if node.exc is None or self.plain:
            return self.generic_visit(node)  # type: ignore[return-value]  # a statement
        cause = ast.Constant(None) if node.cause is None else self.visit(node.cause)
        return self.called("raise_", [self.visit(node.exc), cause], node)

    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        message = ast.Constant(None) if node.msg is None else self.visit(node.msg)
        return self.called("assert_", [self.visit(node.test), self.thunk(message, node)], node.test)

    # Assignments.

    def visit_Assign(self, node: ast.Assign) -> list[ast.stmt] | ast.stmt:
        value = self.visit(node.value)
        if all(isinstance(t, ast.Name) for t in node.targets):
            made = ast.Assign(node.targets, value)
            return ast.copy_location(made, node)
        if len(node.targets) == 1 and isinstance(node.targets[0], ast.Subscript | ast.Attribute):
            return [self.store(node.targets[0], value, node)]
        self.count += 1
        whole = f"{PREFIX}value_{self.count}"
        found: list[ast.stmt] = [assign(whole, value, node)]
        for target in node.targets:
            found += self.taken(target, ast.Name(whole, ast.Load()), node)
        return found

    def taken(self, target: ast.expr, value: ast.expr, at: ast.stmt) -> list[ast.stmt]:
        """Assign to a target, parts of it one after the other."""
        if isinstance(target, ast.Subscript | ast.Attribute):
            return [self.store(target, value, at)]
        later: list[tuple[ast.expr, str]] = []

        def plain(t: ast.expr) -> ast.expr:
            if isinstance(t, ast.Name):
                return t
            if isinstance(t, ast.Starred):
                return ast.Starred(plain(t.value), ast.Store())
            if isinstance(t, ast.Tuple | ast.List):
                return type(t)([plain(e) for e in t.elts], ast.Store())
            self.count += 1
            name = f"{PREFIX}part_{self.count}"
            later.append((t, name))
            return ast.Name(name, ast.Store())

        if isinstance(target, ast.Tuple | ast.List):
            count = ast.Constant(None if any(isinstance(e, ast.Starred) for e in target.elts)
                                 else len(target.elts))  # fmt: skip
            value = ast.Call(hook("parts"), [value, count], [])
        first = ast.Assign([plain(target)], value)
        self.place(first, at)
        made: list[ast.stmt] = [first]
        for t, name in later:
            assert isinstance(t, ast.Subscript | ast.Attribute)
            made.append(self.store(t, ast.Name(name, ast.Load()), at))
        return made

    def store(
        self, target: ast.Subscript | ast.Attribute, value: ast.expr, at: ast.stmt
    ) -> ast.stmt:
        """`o[i] = value` or `o.f = value`."""
        whole = self.visit(target.value)
        if isinstance(target, ast.Subscript):
            return self.called("setitem", [value, whole, self.index(target.slice)], target)
        name: ast.expr = ast.Constant(self.mangled(target.attr))
        return self.called("setattr_", [value, whole, name], target)

    def mangled(self, name: str) -> str:
        """The name of an attribute that is private to a class."""
        if self.owner and name.startswith("__") and not name.endswith("__"):
            return f"_{self.owner.lstrip('_')}{name}"
        return name

    def visit_AnnAssign(self, node: ast.AnnAssign) -> list[ast.stmt] | ast.stmt:
        if node.value is None:
            return ast.copy_location(ast.Pass(), node)
        return self.visit_Assign(ast.copy_location(ast.Assign([node.target], node.value), node))

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.stmt:
        operator: ast.expr = ast.Constant(OPERATORS[type(node.op)])
        value = self.visit(node.value)
        target = node.target
        if isinstance(target, ast.Name):
            old = ast.Name(target.id, ast.Load())
            made = ast.Assign([target], ast.Call(hook("augment"), [operator, old, value], []))
            return self.place(made, node)  # type: ignore[return-value]  # a statement
        whole = self.visit(target.value)
        if isinstance(target, ast.Subscript):
            arguments = [operator, whole, self.index(target.slice), value]
            return self.called("augment_item", arguments, node)
        name: ast.expr = ast.Constant(self.mangled(target.attr))
        return self.called("augment_attr", [operator, whole, name, value], node)

    def visit_Delete(self, node: ast.Delete) -> list[ast.stmt]:
        made: list[ast.stmt] = []
        for target in node.targets:
            if isinstance(target, ast.Subscript):
                arguments = [self.visit(target.value), self.index(target.slice)]
                made.append(self.called("delitem", arguments, node))
            elif isinstance(target, ast.Name) and not self.plain:
                made.append(_init(target.id, node))
            else:
                made.append(ast.copy_location(ast.Delete([target]), node))
        return made

    # Expressions.

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.expr:
        if binds(node):
            return self.generic_visit(node)  # type: ignore[return-value]  # an expression
        name = ("both" if is_test(node) else "and_") if isinstance(node.op, ast.And) else (
            "either" if is_test(node) else "or_")  # fmt: skip
        thunks = [self.thunk(self.visit(e), e) for e in node.values]
        return self.place(ast.Call(hook(name), thunks, []), node)  # type: ignore[return-value]

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.expr:
        operand = self.visit(node.operand)
        if not isinstance(node.op, ast.Not):
            return ast.copy_location(ast.UnaryOp(node.op, operand), node)
        return self.place(ast.Call(hook("not_"), [operand], []), node)  # type: ignore[return-value]

    def visit_IfExp(self, node: ast.IfExp) -> ast.expr:
        if binds(node):
            return self.generic_visit(node)  # type: ignore[return-value]  # an expression
        arms = [self.thunk(self.visit(e), e) for e in (node.body, node.orelse)]
        made = ast.Call(hook("choice"), [self.visit(node.test), *arms], [])
        return self.place(made, node)  # type: ignore[return-value]  # an expression

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        if binds(node):
            return self.generic_visit(node)  # type: ignore[return-value]  # an expression
        if len(node.ops) == 1:
            name = ast.Constant(COMPARISONS[type(node.ops[0])])
            sides = [self.visit(e) for e in (node.left, *node.comparators)]
            return self.place(ast.Call(hook("compared"), [name, *sides], []), node)  # type: ignore[return-value]
        names = ast.Tuple([ast.Constant(COMPARISONS[type(o)]) for o in node.ops], ast.Load())
        thunks = [self.thunk(self.visit(e), e) for e in (node.left, *node.comparators)]
        return self.place(ast.Call(hook("compare"), [names, *thunks], []), node)  # type: ignore[return-value]

    def visit_Call(self, node: ast.Call) -> ast.expr:
        made = self.generic_visit(node)
        assert isinstance(made, ast.Call)
        if isinstance(made.func, ast.Name) and made.func.id in UNTOUCHED:
            return made
        if isinstance(made.func, ast.Attribute) and _is_hooks(made.func.value):
            return made
        name = "call_last" if node in self.flags.last else "call"
        found = ast.Call(hook(name), [made.func, *made.args], made.keywords)
        return self.place(found, node)  # type: ignore[return-value]  # an expression

    def visit_Subscript(self, node: ast.Subscript) -> ast.expr:
        if not isinstance(node.ctx, ast.Load):
            return self.generic_visit(node)  # type: ignore[return-value]  # an expression
        made = ast.Call(hook("getitem"), [self.visit(node.value), self.index(node.slice)], [])
        return self.place(made, node)  # type: ignore[return-value]  # an expression

    def index(self, node: ast.expr) -> ast.expr:
        """An index as a value."""
        if isinstance(node, ast.Slice):
            parts = [ast.Constant(None) if e is None else self.visit(e)
                     for e in (node.lower, node.upper, node.step)]  # fmt: skip
            return self.place(ast.Call(hook("slice"), parts, []), node)  # type: ignore[return-value]
        if isinstance(node, ast.Tuple):
            found = ast.Tuple([self.index(e) for e in node.elts], ast.Load())
            return ast.copy_location(found, node)
        return self.visit(node)  # type: ignore[no-any-return]  # an expression

    def display(self, node: ast.expr) -> ast.expr:
        made = self.generic_visit(node)
        if isinstance(getattr(node, "ctx", None), ast.Store | ast.Del):
            return made  # type: ignore[return-value]  # an expression
        return self.place(ast.Call(hook("made"), [made], []), node)  # type: ignore[return-value, list-item]

    def comprehension(self, node: Comprehension) -> ast.expr:
        if is_staged(node):
            return ComprehensionRewriter(self).rewritten(node)
        if isinstance(node, ast.GeneratorExp):
            return self.generic_visit(node)  # type: ignore[return-value]  # an expression
        return self.display(node)

    visit_List = visit_Dict = visit_Set = display
    visit_ListComp = visit_DictComp = visit_SetComp = visit_GeneratorExp = comprehension


def _is_hooks(node: ast.expr) -> bool:
    return isinstance(node, ast.Name) and node.id == HOOKS


__all__ = ["SCOPES", "rewrite"]
