"""core -> core: nests what `cogen.backends.direct.direct` left in a `Let` for each operation.

A variable that is used once is replaced by its value where that keeps the order of effects and
failures; a local procedure that is called once stands at its call; `and`, `or` and `not`
are recovered from conditionals that share an arm; what is not needed goes.

    (let ((a (f))) (let ((b (g))) (h a b)))        (h (f) (g))
    (let ((a (f))) (let ((b (g))) (h b a)))        (let ((a (f))) (h (g) a))
    (if a (if b x (j)) (j))                        (if (and a b) x (j))
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Final

from cogen.backends.direct.effects import Effects, droppable
from cogen.backends.direct.logic import (
    conjunction,
    disjunction,
    either,
    is_boolean,
    is_false,
    is_negated,
    is_nothing,
    is_true,
    mentions,
    negation,
    parts,
    same,
)
from cogen.backends.direct.substitution import BODY, Substitution
from cogen.lang import core
from cogen.lang.errors import Span

LARGE: Final = 1000
"""The size of what is too large to stand in another expression, whatever it is."""

ATOMS: Final = frozenset({core.LocalRef, core.ConstForm, core.GlobalRef, core.PrimRef})

MAX_ROUNDS: Final = 4
"""How often procedures that came to be called once are unfolded."""


def tidy(expr: core.Expr, assigned: frozenset[str], nest_loops: bool = True) -> core.Expr:
    """The tidy form of an expression of a program whose assigned globals are given.

    With `nest_loops`, a small loop may stand as an operand.
    Precondition: every variable is bound once.  To be called on a deep stack.
    """
    for number in range(MAX_ROUNDS + 1):
        everything = parts(expr)
        count = Counter(
            [e.variable for e in everything if type(e) is core.LocalRef or type(e) is core.SetLocal]
        )
        local = _local_procedures(everything)
        unfolded = _called_once(everything, local, count) if local else {}
        if number and (number == MAX_ROUNDS or not unfolded):
            break
        expr = Tidy(count, assigned, unfolded, nest_loops).expr(expr)
        if not local:
            break  # nor will there be any
    return expr


def _local_procedures(
    everything: list[core.Expr],
) -> list[tuple[core.LocalVariable, core.LambdaForm]]:
    """The local procedures that do not call themselves."""
    return [
        (expr.bindings[0][0], value)
        for expr in everything
        if type(expr) is core.LetForm
        and len(expr.bindings) == 1
        and type(value := expr.bindings[0][1]) is core.LambdaForm
    ]


def _called_once(
    everything: list[core.Expr],
    local: list[tuple[core.LocalVariable, core.LambdaForm]],
    count: Counter[core.LocalVariable],
) -> dict[core.LocalVariable, core.LambdaForm]:
    """The local procedures that are mentioned once, to call them."""
    procedures = {
        variable: value
        for variable, value in local
        if value.rest is None and count[variable] == 1 and not variable.assigned
    }
    called: dict[core.LocalVariable, core.LambdaForm] = {}
    for expr in everything:
        if type(expr) is core.CallForm and type(expr.function) is core.LocalRef:
            known = procedures.get(expr.function.variable)
            if known is not None and len(known.parameters) == len(expr.arguments):
                called[expr.function.variable] = known
    return called


class Tidy:
    """One round; `count` says how often each variable is mentioned, and `unfolded` are the
    procedures to put where they are called."""

    def __init__(
        self,
        count: Counter[core.LocalVariable],
        assigned: frozenset[str],
        unfolded: dict[core.LocalVariable, core.LambdaForm],
        nest_loops: bool,
    ) -> None:
        self.nest_loops = nest_loops
        self.unfolded = unfolded
        self.effects = Effects(assigned)
        self.count = count
        self.replaced: dict[core.LocalVariable, core.Expr] = {}
        self.sizes: dict[core.Expr, int] = {}

    def expr(self, expr: core.Expr) -> core.Expr:
        if type(expr) is core.LocalRef:
            return self.reference(expr, expr.variable)
        if type(expr) in ATOMS:
            return expr
        if type(expr) is core.CallForm:
            return self.call(expr)
        if type(expr) is core.LetForm:
            variable, value = expr.bindings[0]
            if variable in self.unfolded:
                return self.expr(expr.body)
            return self.let(variable, self.expr(value), expr.body, expr.span)
        if type(expr) is core.IfForm:
            return self.conditional(expr)
        if type(expr) is core.LambdaForm:
            body = self.expr(expr.body)
            return core.LambdaForm(expr.parameters, expr.rest, body, expr.name, expr.span)
        if type(expr) is core.LetrecForm:
            return self.recursive(expr)
        if type(expr) is core.SequenceForm:
            return self.sequence([self.expr(part) for part in expr.expressions])
        if type(expr) is core.SetLocal:
            return core.SetLocal(expr.variable, self.expr(expr.value), expr.span)
        if type(expr) is core.SetGlobal:
            return core.SetGlobal(expr.name, self.expr(expr.value), expr.span)
        return expr

    def call(self, expr: core.CallForm) -> core.Expr:
        function = expr.function
        if type(function) is core.LocalRef and function.variable in self.unfolded:
            return self.unfold(self.unfolded[function.variable], expr.arguments)
        operands = tuple([self.expr(argument) for argument in expr.arguments])
        return core.CallForm(self.expr(function), operands, expr.span)

    def reference(self, expr: core.LocalRef, variable: core.LocalVariable) -> core.Expr:
        value = self.replaced.get(variable)
        if value is None:
            return expr
        if type(value) is core.LocalRef:
            self.count[value.variable] += 1
        return value

    def unfold(self, procedure: core.LambdaForm, arguments: tuple[core.Expr, ...]) -> core.Expr:
        """((lambda (x ...) body) a ...) -> (let ((x a)) ... body)"""
        body = procedure.body
        bindings = zip(procedure.parameters, arguments, strict=True)
        for variable, argument in reversed(list(bindings)):
            body = core.LetForm(((variable, argument),), body, procedure.span)
        return self.expr(body)

    # Bindings

    def let(
        self, variable: core.LocalVariable, value: core.Expr, body: core.Expr, span: Span
    ) -> core.Expr:
        """A `Let` with a tidy value and a body that is not tidy yet."""
        if not variable.assigned and self.is_atom(value):
            self.replaced[variable] = value
            self.forget(value)
            return self.expr(body)
        return self.bind(variable, value, self.expr(body), span)

    def bind(
        self, variable: core.LocalVariable, value: core.Expr, body: core.Expr, span: Span
    ) -> core.Expr:
        """A `Let` of tidy parts."""
        if type(value) is core.LetForm and either(value) is None:
            # (let ((x (let ((y a)) b))) c) -> (let ((y a)) (let ((x b)) c))
            inner, first = value.bindings[0]
            return self.bind(inner, first, self.bind(variable, value.body, body, span), value.span)
        if type(value) is core.SequenceForm:
            # (let ((x (begin a b))) c) -> (begin a (let ((x b)) c))
            *before, last = value.expressions
            return self.sequence([*before, self.bind(variable, last, body, span)])
        uses = self.count[variable]
        if uses == 0 and not variable.assigned:
            return self.sequence([value, body])
        if uses in (1, 2) and not variable.assigned:
            placed = Substitution(self, variable, value, uses).find(body, BODY)
            if placed is not None and placed is not False:
                return placed
        return core.LetForm(((variable, value),), body, span)

    def recursive(self, expr: core.LetrecForm) -> core.Expr:
        """A `Letrec`, which ends before what follows the loop that it is."""
        bindings, body, span = expr.bindings, expr.body, expr.span
        variable, procedure = bindings[0]
        match body:
            case core.LetForm(
                ((result, core.CallForm(core.LocalRef(called)) as call),), rest, let_span
            ) if called is variable and self.only_in(bindings, variable, procedure, call):
                # (letrec (l) (let ((x (l a))) b)) -> (let ((x (letrec (l) (l a)))) b)
                loop = core.LetrecForm(bindings, call, span)
                return self.expr(core.LetForm(((result, loop),), rest, let_span))
            case core.SequenceForm((core.CallForm(core.LocalRef(called)) as call, *rest)) if (
                called is variable and self.only_in(bindings, variable, procedure, call)
            ):
                # (letrec (l) (begin (l a) b)) -> (begin (letrec (l) (l a)) b)
                loop = core.LetrecForm(bindings, call, span)
                return self.expr(core.SequenceForm((loop, *rest), body.span))
        made = tuple([(variable, self.expr(value)) for variable, value in bindings])
        return core.LetrecForm(made, self.expr(body), span)

    def only_in(
        self,
        bindings: tuple[tuple[core.LocalVariable, core.Expr], ...],
        variable: core.LocalVariable,
        *places: core.Expr,
    ) -> bool:
        """Is the variable the only one that is bound, and mentioned nowhere else?"""
        if len(bindings) > 1:
            return False
        mentioned = sum(mentions(place).count(variable) for place in places)
        return mentioned == self.count[variable]

    def sequence(self, expressions: list[core.Expr]) -> core.Expr:
        """The expressions in order, without those whose value is not needed.

        Of a sequence at the end only the first expressions are new: the others are needed.
        """
        *first, last = expressions
        flat: list[core.Expr] = []
        for expr in first:
            flat.extend(expr.expressions if type(expr) is core.SequenceForm else (expr,))
        rest = last.expressions if type(last) is core.SequenceForm else (last,)
        if is_nothing(rest[-1]) and (flat or len(rest) > 1):
            flat.extend(rest[:-1])
            rest = (flat.pop(),)
        kept: list[core.Expr] = []
        for expr in flat:
            if droppable(self.effects.of(expr)):
                self.forget(expr)
            else:
                kept.append(expr)
        whole = (*kept, *rest)
        return core.SequenceForm(whole, whole[0].span) if len(whole) > 1 else whole[0]

    def is_atom(self, expr: core.Expr) -> bool:
        """May the expression stand at any number of places, evaluated any number of times?"""
        if type(expr) is core.LocalRef:
            return not expr.variable.assigned
        if type(expr) is core.GlobalRef:
            return expr.name not in self.effects.assigned
        return type(expr) is core.ConstForm or type(expr) is core.PrimRef

    def forget(self, expr: core.Expr) -> None:
        """An expression goes away: so do its references."""
        for variable in mentions(expr):
            self.count[variable] -= 1

    def size(self, expr: core.Expr) -> int:
        """How many atoms an expression has; those that bind variables count as large."""
        if type(expr) in ATOMS:
            return 1
        size = self.sizes.get(expr)
        if size is None:
            inside = self.nested(expr)
            size = min(LARGE, sum([self.size(part) for part in inside])) if inside else LARGE
            self.sizes[expr] = size
        return size

    def nested(self, expr: core.Expr) -> Sequence[core.Expr]:
        """The parts that count towards the size of an expression; none if it counts as large."""
        if type(expr) is core.CallForm:
            return (expr.function, *expr.arguments)
        if type(expr) is core.IfForm:
            return expr.test, expr.then, expr.otherwise
        if type(expr) is core.LambdaForm:
            return (expr.body,)
        if type(expr) is core.LetForm:
            rest = either(expr)
            return () if rest is None else (expr.bindings[0][1], rest)
        if type(expr) is core.LetrecForm and self.nest_loops and type(expr.body) is core.CallForm:
            return (expr.bindings[0][1], *expr.body.arguments) if len(expr.bindings) == 1 else ()
        return ()

    # Conditionals

    def conditional(self, expr: core.IfForm) -> core.Expr:
        test = self.test(self.expr(expr.test))
        then, otherwise = self.expr(expr.then), self.expr(expr.otherwise)
        return self.make_if(test, then, otherwise, expr.span)

    def test(self, test: core.Expr) -> core.Expr:
        """An expression of which only the truth counts."""
        match test:
            case core.IfForm(inner, core.ConstForm(True), core.ConstForm(False)):
                return inner  # (if a #t #f) -> a
            case core.IfForm(inner, core.ConstForm(False), core.ConstForm(True)):
                return negation(inner)  # (if a #f #t) -> (not a)
        return test

    def make_if(
        self, test: core.Expr, then: core.Expr, otherwise: core.Expr, span: Span
    ) -> core.Expr:
        """A conditional of tidy parts."""
        if type(test) is core.ConstForm:
            kept, gone = (otherwise, then) if test.value is False else (then, otherwise)
            self.forget(gone)
            return kept
        if type(test) is core.CallForm:
            if is_negated(test) and not (is_true(then) or is_false(otherwise)):
                return self.make_if(test.arguments[0], otherwise, then, span)
        elif type(test) is core.SequenceForm:
            *before, last = test.expressions
            return self.sequence([*before, self.make_if(last, then, otherwise, span)])
        elif type(test) is core.LetForm:
            made = self.make_if(test.body, then, otherwise, span)
            return core.LetForm(test.bindings, made, test.span)
        if same(then, otherwise):
            self.forget(otherwise)
            if is_nothing(then):
                return test
            return self.sequence([test, then])
        shared = self.share(test, then, otherwise, span)
        if shared is not None:
            return shared
        if is_true(then) and is_false(otherwise) and is_boolean(test):
            return test  # (if a #t #f) -> a
        if is_false(then) and is_true(otherwise):
            return negation(test)  # (if a #f #t) -> (not a)
        if is_true(otherwise) and is_boolean(then):
            return disjunction(negation(test), then)  # (if a b #t) -> (or (not a) b)
        return core.IfForm(test, then, otherwise, span)

    def share(
        self, test: core.Expr, then: core.Expr, otherwise: core.Expr, span: Span
    ) -> core.Expr | None:
        """A conditional with an arm that is a conditional with the same arm, as one."""
        if type(then) is core.IfForm:
            inner = then.test
            if same(then.then, otherwise):
                # (if a (if b j x) j) -> (if (and a (not b)) x j)
                self.forget(otherwise)
                both = conjunction(test, negation(inner))
                return self.make_if(both, then.otherwise, then.then, span)
            if same(then.otherwise, otherwise):
                # (if a (if b x j) j) -> (if (and a b) x j)
                self.forget(otherwise)
                return self.make_if(conjunction(test, inner), then.then, then.otherwise, span)
        if type(otherwise) is core.IfForm:
            inner = otherwise.test
            if same(otherwise.then, then):
                # (if a j (if b j x)) -> (if (or a b) j x)
                self.forget(then)
                either_one = disjunction(test, inner)
                return self.make_if(either_one, otherwise.then, otherwise.otherwise, span)
            if same(otherwise.otherwise, then):
                # (if a j (if b x j)) -> (if (or a (not b)) j x)
                self.forget(then)
                either_one = disjunction(test, negation(inner))
                return self.make_if(either_one, otherwise.otherwise, otherwise.then, span)
        return None
