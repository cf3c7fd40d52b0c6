"""`match` -> `if`: so that it can be staged where a run decides which case it is, of which class a
value is (`cogen.staging.stagedunions`) or what its parts are.

    match p:                            v = p
        case Cartesian(re, im): ...     if hooks.match(v, Cartesian):
        case Polar(r, 0) if r > 1: ...      re = hooks.field(v, Cartesian, 0); im = ...; ...
        case _: ...                     elif (hooks.match(v, Polar)
                                              and hooks.field(v, Polar, 1) == 0
                                              and hooks.field(v, Polar, 0) > 1):
                                            r = hooks.field(v, Polar, 0); ...
                                        else: ...

A case with alternatives that bind names is one for each of them. A statement stays as it is, and
takes no objects of several classes, if a name of a pattern is another one's, too, within its guard.
"""

from __future__ import annotations

import ast
import copy
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cogen.staging.sourceplaces import HOOKS

Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True, slots=True)
class _Case:
    """A case of a statement, of one alternative."""

    pattern: ast.pattern
    guard: ast.expr | None
    body: list[ast.stmt]


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
        if not all(map(_is_plain, node.cases)):
            node.subject = _hook("known", node.subject)
            return ast.fix_missing_locations(node)
        self.count += 1
        name = f"{self.prefix}matched_{self.count}"
        subject = ast.Name(name, ast.Load())
        cases = [_Case(pattern, copy.deepcopy(case.guard), copy.deepcopy(case.body))
                 for case in node.cases for pattern in _alternatives(case.pattern)]  # fmt: skip
        rest: list[ast.stmt] = []
        for k, case in reversed(list(enumerate(cases))):
            taken = [c.pattern for c in cases[:k] if c.guard is None]
            before = [cls for pattern in taken for cls in _taken(pattern)]
            tests = [*_tests(case.pattern, subject, before)]
            bound = dict(_bound(case.pattern, subject))
            if case.guard is not None:
                tests.append(_PatternNames(bound).visit(case.guard))
            body = [*[_assigned(n, v) for n, v in bound.items()], *case.body]
            rest = [ast.If(_all(tests), body, rest)] if tests else body
        whole = ast.Assign([ast.Name(name, ast.Store())], node.subject)
        return [ast.fix_missing_locations(ast.copy_location(s, node)) for s in (whole, *rest)]


class _PatternNames(ast.NodeTransformer):
    """Puts what a pattern finds in the place of its names."""

    def __init__(self, values: Mapping[str, ast.expr]) -> None:
        self.values = values

    def visit_Name(self, node: ast.Name) -> ast.expr:
        found = self.values.get(node.id)
        return node if found is None else ast.copy_location(copy.deepcopy(found), node)


def _is_plain(case: ast.match_case) -> bool:
    """Whether the names of a pattern mean the same wherever they stand in the guard."""
    if case.guard is None:
        return True
    inner = [*ast.walk(case.guard)]
    own = {n.id for n in inner if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
    return (own | {n.arg for n in inner if isinstance(n, ast.arg)}).isdisjoint(_names(case.pattern))


def _names(pattern: ast.pattern) -> set[str]:
    """The names that a pattern binds."""
    found: set[str] = set()
    for n in ast.walk(pattern):
        if isinstance(n, (ast.MatchAs, ast.MatchStar)) and n.name is not None:
            found.add(n.name)
        if isinstance(n, ast.MatchMapping) and n.rest is not None:
            found.add(n.rest)
    return found


def _alternatives(pattern: ast.pattern) -> list[ast.pattern]:
    """The patterns that a pattern stands for, in which no alternatives bind names."""
    if not any(isinstance(n, ast.MatchOr) and _names(n) for n in ast.walk(pattern)):
        return [pattern]
    if isinstance(pattern, ast.MatchOr):
        return [found for inner in pattern.patterns for found in _alternatives(inner)]
    places: list[tuple[str, int | None, list[ast.pattern]]] = []
    for field, value in ast.iter_fields(pattern):
        if isinstance(value, ast.pattern):
            places.append((field, None, _alternatives(value)))
        elif isinstance(value, list):
            places += [(field, k, _alternatives(inner)) for k, inner in enumerate(value)
                       if isinstance(inner, ast.pattern)]  # fmt: skip
    made = []
    for chosen in itertools.product(*[found for _, _, found in places]):
        one = copy.deepcopy(pattern)
        for (field, k, _), inner in zip(places, chosen, strict=True):
            if k is None:
                setattr(one, field, inner)
            else:
                getattr(one, field)[k] = inner
        made.append(one)
    return made


def _parts(pattern: ast.MatchClass) -> list[tuple[int | str, ast.pattern]]:
    """The patterns of attributes, by their place or name."""
    keys: list[int | str] = [*range(len(pattern.patterns)), *pattern.kwd_attrs]
    return list(zip(keys, [*pattern.patterns, *pattern.kwd_patterns], strict=True))


def _taken(pattern: ast.pattern) -> list[ast.expr]:
    """The classes of which a pattern takes all objects."""
    match pattern:
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _taken(inner)
        case ast.MatchClass(cls=cls):
            return [] if any(_asks(part) for _, part in _parts(pattern)) else [cls]
        case ast.MatchOr(patterns=patterns):
            return [cls for inner in patterns for cls in _taken(inner)]
    return []


def _asks(pattern: ast.pattern) -> bool:
    """Whether a pattern does not take everything."""
    match pattern:
        case ast.MatchAs(pattern=inner):
            return inner is not None and _asks(inner)
        case ast.MatchStar():
            return False
        case ast.MatchOr(patterns=patterns):
            return all(map(_asks, patterns))
    return True


def _hook(name: str, *arguments: ast.expr) -> ast.expr:
    hooks = ast.Name(HOOKS, ast.Load())
    return ast.Call(
        ast.Attribute(hooks, name, ast.Load()), [copy.deepcopy(a) for a in arguments], []
    )


def _assigned(name: str, value: ast.expr) -> ast.stmt:
    return ast.Assign([ast.Name(name, ast.Store())], copy.deepcopy(value))


def _all(tests: list[ast.expr]) -> ast.expr:
    return tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)


def _tests(pattern: ast.pattern, value: ast.expr, before: list[ast.expr]) -> Iterator[ast.expr]:
    """What must hold of a value that is no object of the classes `before`, one after the other."""
    match pattern:
        case ast.MatchAs(pattern=ast.pattern() as inner):
            yield from _tests(inner, value, before)
        case ast.MatchValue(value=expected):
            yield ast.Compare(copy.deepcopy(value), [ast.Eq()], [expected])
        case ast.MatchSingleton(value=expected):
            yield _hook("is_constant", value, ast.Constant(expected))
        case ast.MatchClass(cls=cls, kwd_attrs=names):
            yield _of_class(value, [cls], before, names)
            for key, part in _parts(pattern):
                yield from _tests(part, _hook("field", value, cls, ast.Constant(key)), [])
        case ast.MatchSequence(patterns=parts):
            rest = any(isinstance(part, ast.MatchStar) for part in parts)
            yield _hook("has_length", value, ast.Constant(len(parts) - rest), ast.Constant(rest))
            for part, found in _elements(parts, value):
                yield from _tests(part, found, [])
        case ast.MatchMapping(keys=keys, patterns=parts):
            yield _hook("has_keys", value, *keys)
            for at, part in zip(keys, parts, strict=True):
                yield from _tests(part, _item(value, at), [])
        case ast.MatchOr(patterns=patterns) if _asks(pattern):
            classes = [p.cls for p in patterns if isinstance(p, ast.MatchClass) and not _parts(p)]
            if len(classes) == len(patterns):
                yield _of_class(value, classes, before, [])
            else:
                ways = [_all([*_tests(p, value, before)]) for p in patterns]
                yield ast.BoolOp(ast.Or(), ways)


def _of_class(
    value: ast.expr, classes: list[ast.expr], before: list[ast.expr], names: list[str]
) -> ast.expr:
    attributes: list[ast.expr] = [ast.Constant(name) for name in names]
    asked = [ast.Tuple(found, ast.Load()) for found in (classes, before, attributes)]
    return _hook("match", value, *asked)


def _item(value: ast.expr, key: ast.expr) -> ast.expr:
    return ast.Subscript(copy.deepcopy(value), copy.deepcopy(key), ast.Load())


def _elements(
    parts: Sequence[ast.pattern], value: ast.expr
) -> Iterator[tuple[ast.pattern, ast.expr]]:
    """The patterns of elements, with what they are to match; those after `*rest` count from the
    end."""
    star = next((k for k, part in enumerate(parts) if isinstance(part, ast.MatchStar)), len(parts))
    for k, part in enumerate(parts):
        after = ast.Constant(len(parts) - k - 1)
        if k == star:
            yield part, _hook("rest", value, ast.Constant(k), after)
        else:
            at = ast.Constant(k if k < star else k - len(parts))
            yield part, _item(value, at)


def _bound(pattern: ast.pattern, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names that a pattern binds, and to what."""
    match pattern:
        case ast.MatchAs(pattern=inner, name=name):
            if name is not None:
                classes = [] if inner is None else _classes(inner)
                known = _hook("instance", value, classes[0]) if len(classes) == 1 else value
                yield name, known
            if inner is not None:
                yield from _bound(inner, value)
        case ast.MatchClass(cls=cls):
            for key, part in _parts(pattern):
                yield from _bound(part, _hook("field", value, cls, ast.Constant(key)))
        case ast.MatchSequence(patterns=parts):
            for part, found in _elements(parts, value):
                yield from _bound(part, found)
        case ast.MatchStar(name=str(name)):
            yield name, value
        case ast.MatchMapping(keys=keys, patterns=parts, rest=name):
            for at, part in zip(keys, parts, strict=True):
                yield from _bound(part, _item(value, at))
            if name is not None:
                yield name, _hook("without", value, *keys)


def _classes(pattern: ast.pattern) -> list[ast.expr]:
    """The classes that a pattern asks for."""
    match pattern:
        case ast.MatchAs(pattern=ast.pattern() as inner):
            return _classes(inner)
        case ast.MatchClass(cls=cls):
            return [cls]
        case ast.MatchOr(patterns=patterns):
            return [cls for inner in patterns for cls in _classes(inner)]
    return []
