"""`match` over classes -> `if`: so that it can be staged where a run decides of which class a value
is (`cogen.staging.stagedunions`).

    match p:                            v = p
        case Cartesian(re, im): ...     if hooks.match(v, Cartesian):
        case Polar(): ...                   re = hooks.field(v, Cartesian, 0); im = ...; ...
        case _: ...                     elif hooks.match(v, Polar): ...
                                        else: ...

Patterns of classes whose parts are names, `_`, alternatives of classes, and `as`; other statements
stay as they are, and so do those with guards, which need what their pattern binds.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Iterator

from cogen.staging.sourceplaces import HOOKS

Function = ast.FunctionDef | ast.AsyncFunctionDef


def without_matches(node: Function, prefix: str) -> Function:
    """A function with conditionals for the `match` statements that have such a form; variables
    that it adds begin with `prefix`."""
    if not any(isinstance(n, ast.Match) for n in ast.walk(node)):
        return node
    made = _Matches(prefix).visit(node)
    assert isinstance(made, Function)
    return made


class _Matches(ast.NodeTransformer):
    def __init__(self, prefix: str) -> None:
        self.prefix = prefix
        self.count = 0

    def visit_Match(self, node: ast.Match) -> ast.AST | list[ast.AST]:
        self.generic_visit(node)
        if any(c.guard is not None or not _is_simple(c.pattern) for c in node.cases):
            return node
        self.count += 1
        name = f"{self.prefix}matched_{self.count}"
        rest: list[ast.stmt] = []
        patterns = [case.pattern for case in node.cases]
        for k, case in reversed(list(enumerate(node.cases))):
            body = [*_bound(case.pattern, name), *case.body]
            earlier = [cls for pattern in patterns[:k] for cls in _classes(pattern) or ()]
            before = copy.deepcopy(earlier)
            test = _test(case.pattern, name, before)
            rest = body if test is None else [ast.If(test, body, rest)]
        whole = ast.Assign([ast.Name(name, ast.Store())], node.subject)
        return [ast.fix_missing_locations(ast.copy_location(s, node)) for s in (whole, *rest)]


def _is_simple(pattern: ast.pattern) -> bool:
    match pattern:
        case ast.MatchAs(pattern=None):
            return True
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _is_simple(inner)
        case ast.MatchClass(patterns=parts, kwd_patterns=named):
            return all(isinstance(p, ast.MatchAs) and p.pattern is None for p in (*parts, *named))
        case ast.MatchOr(patterns=patterns):
            return all(
                isinstance(p, ast.MatchClass) and not p.patterns and not p.kwd_patterns
                for p in patterns
            )
    return False


def _classes(pattern: ast.pattern) -> list[ast.expr] | None:
    """The classes that a pattern asks for; None if it takes all."""
    match pattern:
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _classes(inner)
        case ast.MatchClass(cls=cls):
            return [cls]
        case ast.MatchOr(patterns=patterns):
            return [p.cls for p in patterns if isinstance(p, ast.MatchClass)]
    return None


def _hook(name: str, *arguments: ast.expr) -> ast.expr:
    hooks = ast.Name(HOOKS, ast.Load())
    return ast.Call(ast.Attribute(hooks, name, ast.Load()), list(arguments), [])


def _test(pattern: ast.pattern, name: str, before: list[ast.expr]) -> ast.expr | None:
    classes = _classes(pattern)
    if classes is None:
        return None
    names: list[ast.expr] = []
    inner = pattern.pattern if isinstance(pattern, ast.MatchAs) else pattern
    if isinstance(inner, ast.MatchClass):
        names = [ast.Constant(attribute) for attribute in inner.kwd_attrs]
    asked = [ast.Tuple(found, ast.Load()) for found in (classes, before, names)]
    return _hook("match", ast.Name(name, ast.Load()), *asked)


def _bound(pattern: ast.pattern, name: str) -> Iterator[ast.stmt]:
    """The assignments of what a pattern binds."""
    value: ast.expr = ast.Name(name, ast.Load())
    match pattern:
        case ast.MatchAs(pattern=inner, name=str(bound)):
            classes = [] if inner is None else _classes(inner) or []
            if len(classes) == 1:
                value = _hook("instance", value, copy.deepcopy(classes[0]))
            if inner is not None:
                yield from _bound(inner, name)
            yield ast.Assign([ast.Name(bound, ast.Store())], value)
        case ast.MatchClass(cls=cls, patterns=parts, kwd_attrs=names, kwd_patterns=named):
            keys: list[int | str] = [*range(len(parts)), *names]
            for key, part in zip(keys, [*parts, *named], strict=True):
                if isinstance(part, ast.MatchAs) and part.name is not None:
                    asked = [ast.Name(name, ast.Load()), copy.deepcopy(cls), ast.Constant(key)]
                    found = _hook("field", *asked)
                    yield ast.Assign([ast.Name(part.name, ast.Store())], found)
