"""core -> core: nests what `cogen.target.direct` left in a `Let` for each operation.

A variable that is used once is replaced by its value where that keeps the order of effects and
failures; a local procedure that is called once stands at its call; `and`, `or` and `not`
are recovered from conditionals that share an arm; what is not needed goes.

    (let ((a (f))) (let ((b (g))) (h a b)))        (h (f) (g))
    (let ((a (f))) (let ((b (g))) (h b a)))        (let ((a (f))) (h (g) a))
    (if a (if b x (j)) (j))                        (if (and a b) x (j))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Final

from cogen.target.effects import Effects, droppable
from cogen.target.logic import (
    conjunction,
    disjunction,
    either,
    is_boolean,
    is_false,
    is_nothing,
    is_true,
    mentions,
    negation,
    parts,
    same,
)
from cogen.target.place import BODY, Place
from lang import core
from lang.errors import Span

MAX_ROUNDS: Final = 4
"""How often procedures that came to be called once are unfolded."""


def tidy(expr: core.Expr, assigned: frozenset[str], nest_loops: bool = True) -> core.Expr:
    """The tidy form of an expression of a program whose assigned globals are given.

    With `nest_loops`, a small loop may stand as an operand.
    Precondition: every variable is bound once.  To be called on a deep stack.
    """
    unfolded = _called_once(expr)
    for _ in range(MAX_ROUNDS):
        expr = Tidy(expr, assigned, unfolded, nest_loops).expr(expr)
        unfolded = _called_once(expr)
        if not unfolded:
            break
    return expr


def _called_once(root: core.Expr) -> dict[core.Variable, core.Lambda]:
    """The local procedures that are mentioned once, to call them."""
    count = Counter(mentions(root))
    procedures: dict[core.Variable, core.Lambda] = {}
    called: set[core.Variable] = set()
    for expr in parts(root):
        match expr:
            case core.Let(((variable, core.Lambda(rest=None) as value),)):
                if count[variable] == 1 and not variable.assigned:
                    procedures[variable] = value
            case core.Call(core.LocalRef(variable), arguments):
                known = procedures.get(variable)
                if known is not None and len(known.parameters) == len(arguments):
                    called.add(variable)
    return {variable: procedures[variable] for variable in called}


class Tidy:
    """One round; `unfolded` are the procedures to put where they are called."""

    def __init__(
        self,
        root: core.Expr,
        assigned: frozenset[str],
        unfolded: dict[core.Variable, core.Lambda],
        nest_loops: bool,
    ) -> None:
        self.nest_loops = nest_loops
        self.unfolded = unfolded
        self.effects = Effects(assigned)
        self.count: Counter[core.Variable] = Counter(mentions(root))
        self.replaced: dict[core.Variable, core.Expr] = {}
        self.sizes: dict[core.Expr, int] = {}

    def expr(self, expr: core.Expr) -> core.Expr:
        match expr:
            case core.LocalRef(variable):
                return self.reference(expr, variable)
            case core.Lambda(parameters, rest, body, name, span):
                return core.Lambda(parameters, rest, self.expr(body), name, span)
            case core.If():
                return self.conditional(expr)
            case core.SetLocal(variable, value, span):
                return core.SetLocal(variable, self.expr(value), span)
            case core.SetGlobal(name, value, span):
                return core.SetGlobal(name, self.expr(value), span)
            case core.Let(((variable, value),), body, span):
                if variable in self.unfolded:
                    return self.expr(body)
                return self.let(variable, self.expr(value), body, span)
            case core.Letrec():
                return self.recursive(expr)
            case core.Seq(expressions):
                return self.sequence([self.expr(part) for part in expressions])
            case core.Call(core.LocalRef(variable), arguments) if variable in self.unfolded:
                return self.unfold(self.unfolded[variable], arguments)
            case core.Call(function, arguments, span):
                operands = tuple([self.expr(argument) for argument in arguments])
                return core.Call(self.expr(function), operands, span)
        return expr

    def reference(self, expr: core.LocalRef, variable: core.Variable) -> core.Expr:
        value = self.replaced.get(variable)
        if value is None:
            return expr
        if isinstance(value, core.LocalRef):
            self.count[value.variable] += 1
        return value

    def unfold(self, procedure: core.Lambda, arguments: tuple[core.Expr, ...]) -> core.Expr:
        """((lambda (x ...) body) a ...) -> (let ((x a)) ... body)"""
        body = procedure.body
        bindings = zip(procedure.parameters, arguments, strict=True)
        for variable, argument in reversed(list(bindings)):
            body = core.Let(((variable, argument),), body, procedure.span)
        return self.expr(body)

    # Bindings

    def let(
        self, variable: core.Variable, value: core.Expr, body: core.Expr, span: Span
    ) -> core.Expr:
        """A `Let` with a tidy value and a body that is not tidy yet."""
        if not variable.assigned and self.is_atom(value):
            self.replaced[variable] = value
            self.forget(value)
            return self.expr(body)
        return self.bind(variable, value, self.expr(body), span)

    def bind(
        self, variable: core.Variable, value: core.Expr, body: core.Expr, span: Span
    ) -> core.Expr:
        """A `Let` of tidy parts."""
        match value:
            case core.Let(((inner, first),), second, inner_span) if either(value) is None:
                # (let ((x (let ((y a)) b))) c) -> (let ((y a)) (let ((x b)) c))
                return self.bind(inner, first, self.bind(variable, second, body, span), inner_span)
            case core.Seq(expressions):
                # (let ((x (begin a b))) c) -> (begin a (let ((x b)) c))
                return self.sequence(
                    [*expressions[:-1], self.bind(variable, expressions[-1], body, span)]
                )
        uses = self.count[variable]
        if uses == 0 and not variable.assigned:
            return self.sequence([value, body])
        if uses in (1, 2) and not variable.assigned:
            placed = Place(self, variable, value, uses).find(body, BODY)
            if placed is not None and placed is not False:
                return placed
        return core.Let(((variable, value),), body, span)

    def recursive(self, expr: core.Letrec) -> core.Expr:
        """A `Letrec`, which ends before what follows the loop that it is."""
        bindings, body, span = expr.bindings, expr.body, expr.span
        variable, procedure = bindings[0]
        match body:
            case core.Let(
                ((result, core.Call(core.LocalRef(called)) as call),), rest, let_span
            ) if called is variable and self.only_in(bindings, variable, procedure, call):
                # (letrec (l) (let ((x (l a))) b)) -> (let ((x (letrec (l) (l a)))) b)
                loop = core.Letrec(bindings, call, span)
                return self.expr(core.Let(((result, loop),), rest, let_span))
            case core.Seq((core.Call(core.LocalRef(called)) as call, *rest)) if (
                called is variable and self.only_in(bindings, variable, procedure, call)
            ):
                # (letrec (l) (begin (l a) b)) -> (begin (letrec (l) (l a)) b)
                loop = core.Letrec(bindings, call, span)
                return self.expr(core.Seq((loop, *rest), body.span))
        made = tuple([(variable, self.expr(value)) for variable, value in bindings])
        return core.Letrec(made, self.expr(body), span)

    def only_in(
        self,
        bindings: tuple[tuple[core.Variable, core.Expr], ...],
        variable: core.Variable,
        *places: core.Expr,
    ) -> bool:
        """Is the variable the only one that is bound, and mentioned nowhere else?"""
        if len(bindings) > 1:
            return False
        mentioned = sum(mentions(place).count(variable) for place in places)
        return mentioned == self.count[variable]

    def sequence(self, expressions: Iterable[core.Expr]) -> core.Expr:
        """The expressions in order, without those whose value is not needed."""
        flat: list[core.Expr] = []
        for expr in expressions:
            flat.extend(expr.expressions if isinstance(expr, core.Seq) else (expr,))
        if len(flat) > 1 and is_nothing(flat[-1]):
            flat.pop()
        kept: list[core.Expr] = []
        for expr in flat[:-1]:
            if droppable(self.effects.of(expr)):
                self.forget(expr)
            else:
                kept.append(expr)
        if not kept:
            return flat[-1]
        return core.Seq((*kept, flat[-1]), kept[0].span)

    def is_atom(self, expr: core.Expr) -> bool:
        """May the expression stand at any number of places, evaluated any number of times?"""
        match expr:
            case core.LocalRef(variable):
                return not variable.assigned
            case core.GlobalRef(name):
                return name not in self.effects.assigned
        return isinstance(expr, core.Const | core.PrimRef)

    def forget(self, expr: core.Expr) -> None:
        """An expression goes away: so do its references."""
        self.count.subtract(mentions(expr))

    def size(self, expr: core.Expr) -> int:
        """How many atoms an expression has; those that bind variables count as large."""
        match expr:
            case core.Let() if (rest := either(expr)) is not None:
                parts: tuple[core.Expr, ...] = (expr.bindings[0][1], rest)
            case core.Call(function, arguments):
                parts = (function, *arguments)
            case core.If(test, then, otherwise):
                parts = (test, then, otherwise)
            case core.Lambda(body=body):
                parts = (body,)
            case core.Letrec(((_, procedure),), core.Call(_, arguments)) if self.nest_loops:
                parts = (procedure, *arguments)
            case core.Let() | core.Letrec() | core.Seq() | core.SetLocal() | core.SetGlobal():
                return 1000
            case _:
                return 1
        size = self.sizes.get(expr)
        if size is None:
            size = self.sizes[expr] = min(1000, sum([self.size(part) for part in parts]))
        return size

    # Conditionals

    def conditional(self, expr: core.If) -> core.Expr:
        test = self.test(self.expr(expr.test))
        then, otherwise = self.expr(expr.then), self.expr(expr.otherwise)
        return self.make_if(test, then, otherwise, expr.span)

    def test(self, test: core.Expr) -> core.Expr:
        """An expression of which only the truth counts."""
        match test:
            case core.If(inner, core.Const(True), core.Const(False)):
                return inner  # (if a #t #f) -> a
            case core.If(inner, core.Const(False), core.Const(True)):
                return negation(inner)  # (if a #f #t) -> (not a)
        return test

    def make_if(
        self, test: core.Expr, then: core.Expr, otherwise: core.Expr, span: Span
    ) -> core.Expr:
        """A conditional of tidy parts."""
        match test:
            case core.Const(datum):
                kept, gone = (otherwise, then) if datum is False else (then, otherwise)
                self.forget(gone)
                return kept
            case core.Call(core.PrimRef("not"), (inner,)) if not (
                is_true(then) or is_false(otherwise)
            ):
                return self.make_if(inner, otherwise, then, span)
            case core.Seq(expressions):
                made = self.make_if(expressions[-1], then, otherwise, span)
                return self.sequence([*expressions[:-1], made])
            case core.Let(((variable, value),), body, let_span):
                made = self.make_if(body, then, otherwise, span)
                return core.Let(((variable, value),), made, let_span)
        if same(then, otherwise):
            self.forget(otherwise)
            if is_nothing(then):
                return test
            return self.sequence([test, then])
        match then, otherwise:
            case core.If(inner, shared, other), _ if same(shared, otherwise):
                # (if a (if b j x) j) -> (if (and a (not b)) x j)
                self.forget(otherwise)
                return self.make_if(conjunction(test, negation(inner)), other, shared, span)
            case core.If(inner, other, shared), _ if same(shared, otherwise):
                # (if a (if b x j) j) -> (if (and a b) x j)
                self.forget(otherwise)
                return self.make_if(conjunction(test, inner), other, shared, span)
            case _, core.If(inner, shared, other) if same(shared, then):
                # (if a j (if b j x)) -> (if (or a b) j x)
                self.forget(then)
                return self.make_if(disjunction(test, inner), shared, other, span)
            case _, core.If(inner, other, shared) if same(shared, then):
                # (if a j (if b x j)) -> (if (or a (not b)) j x)
                self.forget(then)
                return self.make_if(disjunction(test, negation(inner)), shared, other, span)
            case core.Const(True), core.Const(False) if is_boolean(test):
                return test  # (if a #t #f) -> a
            case core.Const(False), core.Const(True):
                return negation(test)  # (if a #f #t) -> (not a)
            case _, core.Const(True) if is_boolean(then):
                return disjunction(negation(test), then)  # (if a b #t) -> (or (not a) b)
        return core.If(test, then, otherwise, span)
