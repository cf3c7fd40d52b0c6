"""Comprehensions and generator expressions -> calls, with a function for each of their parts.

    [f(x) for x in a if p(x)]     ->     hooks.comprehension("list", a, lambda out, x:
                                             hooks.when(lambda: p(x), lambda:
                                                 hooks.emit(out, f(x))))

Those that Python would do otherwise stay as they are: with `:=`, `await`, `yield`, starred targets,
and functions that may be called when a variable of the comprehension is another one already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any, Final, Protocol

from cogen.staging.earlyexits import PREFIX, binds, hook

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp

_KINDS: Final = {
    ast.ListComp: "list", ast.SetComp: "set", ast.DictComp: "dict", ast.GeneratorExp: "generator",
}  # fmt: skip


def is_staged(node: Comprehension) -> bool:
    """Whether functions in the place of its parts do the same."""
    for own in node.generators:
        if own.is_async or not _is_plain(own.target):
            return False
    return not binds(node) and not any(map(_is_kept, _values(node)))


def _values(node: Comprehension) -> list[ast.expr]:
    """What it gives."""
    return [node.key, node.value] if isinstance(node, ast.DictComp) else [node.elt]


def _is_plain(target: ast.expr) -> bool:
    if isinstance(target, ast.Tuple | ast.List):
        return all(map(_is_plain, target.elts))
    return isinstance(target, ast.Name)


def _is_kept(value: ast.expr) -> bool:
    """Whether a value is, or has in it, a function that is called later."""
    if isinstance(value, ast.Lambda | ast.GeneratorExp):
        return True
    return any(map(_is_kept, _parts(value)))


def _parts(value: ast.expr) -> Iterator[ast.expr]:
    """What a value that is put together has in it."""
    if isinstance(value, ast.Tuple | ast.List | ast.Set):
        yield from value.elts
    if isinstance(value, ast.Dict):
        yield from value.values
    if isinstance(value, ast.IfExp):
        yield from (value.body, value.orelse)
    if isinstance(value, ast.BoolOp):
        yield from value.values


class CountingRewriter(Protocol):
    """What rewrites the code of a function."""

    count: int

    def visit(self, node: ast.AST) -> Any:
        """Rewrite a node."""


class ComprehensionRewriter:
    """Rewrites comprehensions with what a function's rewriter does to expressions."""

    def __init__(self, around: CountingRewriter) -> None:
        self.around = around
        self.visit = around.visit

    def fresh(self) -> int:
        """A number that no name of the function has."""
        self.around.count += 1
        return self.around.count

    def rewritten(self, node: Comprehension) -> ast.expr:
        """The call that does what it does."""
        out = f"{PREFIX}out_{self.fresh()}"
        first = node.generators[0]
        values = self.visit(first.iter)
        made = self._round(node, 0, out, [out])
        kind = ast.Constant(_KINDS[type(node)])
        return self._at(ast.Call(hook("comprehension"), [kind, values, made], []), node)

    def _at(self, made: ast.expr, node: ast.AST) -> ast.expr:
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def _round(self, node: Comprehension, level: int, out: str, before: list[str]) -> ast.expr:
        """The function of an item of a level: tests, and what is in it."""
        own = node.generators[level]
        body = self._within(node, level, out)
        for test in reversed(own.ifs):
            thunks = [self._function([], self.visit(test), test), self._function([], body, test)]
            body = self._at(ast.Call(hook("when"), thunks, []), test)
        return self._taking(before, own.target, body)

    def _within(self, node: Comprehension, level: int, out: str) -> ast.expr:
        sink = ast.Name(out, ast.Load())
        if level + 1 < len(node.generators):
            inner = node.generators[level + 1]
            values = self.visit(inner.iter)
            step = self._round(node, level + 1, out, [])
            return self._at(ast.Call(hook("each"), [sink, values, step], []), inner.iter)
        parts = [self.visit(e) for e in _values(node)]
        value = ast.Tuple(parts, ast.Load()) if len(parts) > 1 else parts[0]
        return self._at(ast.Call(hook("emit"), [sink, value], []), _values(node)[-1])

    def _taking(self, before: list[str], target: ast.expr, body: ast.expr) -> ast.expr:
        """A function of an item, which is taken apart."""
        if isinstance(target, ast.Name):
            return self._function([*before, target.id], body, target)
        assert isinstance(target, ast.Tuple | ast.List)
        item = f"{PREFIX}item_{self.fresh()}"
        names: list[str] = []
        for k, part in enumerate(target.elts):
            names.append(part.id if isinstance(part, ast.Name) else f"{item}_{k}")
        for k, part in reversed(list(enumerate(target.elts))):
            if not isinstance(part, ast.Name):
                body = self._apart(f"{item}_{k}", part, body)
        inner = self._function(names, body, target)
        return self._function([*before, item], self._applied(item, inner, len(names), target),
                              target)  # fmt: skip

    def _apart(self, name: str, target: ast.expr, body: ast.expr) -> ast.expr:
        """A value with the parts of a variable at hand."""
        taking = self._taking([], target, body)
        return self._at(ast.Call(taking, [ast.Name(name, ast.Load())], []), target)

    def _applied(self, item: str, inner: ast.expr, count: int, at: ast.AST) -> ast.expr:
        whole = ast.Call(hook("parts"), [ast.Name(item, ast.Load()), ast.Constant(count)], [])
        return self._at(ast.Call(inner, [ast.Starred(whole, ast.Load())], []), at)

    def _function(self, names: list[str], body: ast.expr, at: ast.AST) -> ast.expr:
        arguments = ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])
        return self._at(ast.Lambda(arguments, body), at)
