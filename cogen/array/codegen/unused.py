"""Leaves out of C functions what nothing uses: functions -> functions.

    int64_t f(int64_t n, int64_t *a)             int64_t f(int64_t n)
    {                                            {
        const int64_t x = a[0];            ->        return n;
        return n;                                }
    }

A variable that is not read, with what is assigned to it; a parameter that is not mentioned, with
its argument in every call; a conditional without statements. Code is made node by node, for
whatever may come to need it (the block of an array, a thread's memory, the number of threads);
what of it is needed is known at the end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Final

from cogen.target import ctree as ct

_WORD: Final = re.compile(r"(?<!->)(?<!\.)\b[A-Za-z_]\w*")
_CALLED: Final = re.compile(r"\b([A-Za-z_]\w*)\(")
_STORES: Final = re.compile(r"\+\+|--|(?<![=!<>])=(?!=)")
_WITHOUT_EFFECT: Final = re.compile(
    r"(int|real)_\w+|cogen_(real|bits|data|count|team|worker)|omp_get_\w+|sizeof"
    r"|(fabs|sqrt|log|exp|pow)f?"
)
"""The functions whose calls may be left out; a worker's memory is set up for who uses it."""

Positions = frozenset[int]
Words = frozenset[str]


def without_unused(functions: Sequence[ct.Function]) -> list[ct.Function]:
    """The functions of a file without what is unused in them; the last one is called from outside
    and keeps its parameters."""
    found = list(functions)
    while True:
        found = [_without_variables(function) for function in found]
        unused = {f.name: _unused_parameters(f) for f in found[:-1]}
        if not any(unused.values()):
            return found
        found = [_without_parameters(function, unused) for function in found]


# Parameters.


def _unused_parameters(function: ct.Function) -> Positions:
    _, mentioned = _Pruning(None).block(function.body)
    names = [_WORD.findall(parameter)[-1] for parameter in function.parameters]
    return frozenset([i for i, name in enumerate(names) if name not in mentioned])


def _without_parameters(function: ct.Function, unused: Mapping[str, Positions]) -> ct.Function:
    """A function without its unused parameters, and without arguments for those of others."""

    def left(name: str, items: Iterable[str]) -> tuple[str, ...]:
        return tuple([item for i, item in enumerate(items) if i not in unused[name]])

    def called(expr: ct.Expr) -> ct.Expr:
        if not isinstance(expr, ct.Invoke) or expr.function not in unused:
            return expr
        arguments = left(expr.function, map(ct.print_expr, expr.arguments))
        return replace(expr, arguments=tuple(map(ct.Name, arguments)))

    def block(statements: Iterable[ct.Statement]) -> tuple[ct.Statement, ...]:
        return tuple(map(changed, statements))

    def changed(statement: ct.Statement) -> ct.Statement:
        match statement:
            case ct.If(test, then, otherwise):
                return ct.If(called(test), block(then), block(otherwise))
            case ct.For(body=body) | ct.While(body=body) | ct.Scope(body):
                return replace(statement, body=block(body))
        return statement

    parameters = function.parameters
    if function.name in unused:
        parameters = left(function.name, parameters)
    return replace(function, parameters=parameters, body=block(function.body))


# Variables.


def _without_variables(function: ct.Function) -> ct.Function:
    """A function without variables that are not read, and without empty conditionals."""
    before: _Pruning | None = None
    while True:
        pruning = _Pruning(before)
        body, _ = pruning.block(function.body)
        function = replace(function, body=body)
        if before is not None and pruning.read == before.read:
            return function
        before = pruning


class _Pruning:
    """Takes statements out of a function, of which is known what was found `before`, if it was.

    `read` are the words that the statements read which stay: what is assigned, or declared, is not
    read by that. `memory`, say, is the name of several variables, each in a scope of its own: so
    whether a declaration is needed is asked of what follows it in its block.
    """

    def __init__(self, before: _Pruning | None) -> None:
        self.before = before
        self.read: set[str] = set()
        self.variables: set[str] = set()
        """What is declared, arrays too: to store there is no effect of its own."""

    def block(self, statements: Sequence[ct.Statement]) -> tuple[tuple[ct.Statement, ...], Words]:
        """The statements that stay, and the words that they mention but do not declare."""
        kept: list[ct.Statement] = []
        mentioned: Words = frozenset()
        for statement in reversed(statements):
            found = self.statement(statement, mentioned)
            if found is not None:
                kept.append(found[0])
                mentioned = found[1]
        return tuple(reversed(kept)), mentioned

    def statement(self, statement: ct.Statement, after: Words) -> tuple[ct.Statement, Words] | None:
        """A statement as it stays, and what it and those after it mention; None if it goes."""
        match statement:
            case ct.Declare(type_, name, value):
                variable = _WORD.findall(name)[0]
                if variable not in after and _has_no_effect(value):
                    return None
                if not type_.endswith(("*", "*const")):
                    self.variables.add(variable)
                extent = name.removeprefix(variable)
                return statement, (after - {variable}) | self.reading(type_, extent, _text(value))
            case ct.Assign():
                return self.assignment(statement, after)
            case ct.Do(value) | ct.Return(value):
                return statement, after | self.reading(_text(value))
            case ct.Pragma(text):
                return statement, after | self.reading(text)
            case ct.If(test, then, otherwise):
                return self.conditional(test, then, otherwise, after)
            case ct.While(test, body):
                inside, words = self.block(body)
                return ct.While(test, inside), after | words | self.reading(_text(test))
            case ct.For():
                return self.loop(statement, after)
            case ct.Scope(body):
                inside, words = self.block(body)
                return ct.Scope(inside), after | words
        return statement, after

    def assignment(self, it: ct.Assign, after: Words) -> tuple[ct.Statement, Words] | None:
        target = _text(it.target)
        variable = next(iter(_WORD.findall(target)), "")
        rest = target.removeprefix(variable)
        stores = it.operator == "=" and target.startswith(variable) and rest[:1] in ("", "[")
        if not stores:
            return it, after | self.reading(target, _text(it.value))
        if self.is_lost(variable) and _has_no_effect(it.value):
            return None
        return it, after | {variable} | self.reading(rest, _text(it.value))

    def conditional(
        self,
        test: ct.Expr,
        then: Sequence[ct.Statement],
        otherwise: Sequence[ct.Statement],
        after: Words,
    ) -> tuple[ct.Statement, Words] | None:
        first, own = self.block(then)
        second, more = self.block(otherwise)
        if not first and not second and _has_no_effect(test):
            return None
        return ct.If(test, first, second), after | own | more | self.reading(_text(test))

    def loop(self, loop: ct.For, after: Words) -> tuple[ct.Statement, Words]:
        """A loop's variable stays: it counts."""
        body, words = self.block(loop.body)
        parts: list[ct.Expr | None] = [loop.test]
        declared: Words = frozenset()
        for part in (loop.first, loop.step):
            if isinstance(part, ct.Assign):
                parts += [part.target, part.value]
            elif part is not None:
                parts.append(part.value)
                declared = frozenset([part.name])
        words |= self.reading(*map(_text, parts))
        return replace(loop, body=body), after | (words - declared)

    def reading(self, *texts: str) -> Words:
        """The words of texts, which are read."""
        found = frozenset().union(*map(_words, texts))
        self.read |= found
        return found

    def is_lost(self, variable: str) -> bool:
        """Whether what is stored in a variable is read nowhere."""
        before = self.before
        return before is not None and variable in before.variables and variable not in before.read


@lru_cache(maxsize=8192)
def _words(text: str) -> Words:
    """The names in a text; what stands behind `->` or a point is a field."""
    return frozenset(_WORD.findall(text))


def _text(expr: ct.Expr | None) -> str:
    return "" if expr is None else ct.print_expr(expr)


def _has_no_effect(expr: ct.Expr | None) -> bool:
    text = _text(expr)
    if _STORES.search(text):
        return False
    return all(_WITHOUT_EFFECT.fullmatch(name) for name in _CALLED.findall(text))
