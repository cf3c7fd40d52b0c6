"""Where the value of a variable may be put in place of its only use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, Literal

from cogen.backends.direct.effects import commute, droppable
from cogen.backends.direct.logic import either, is_reference
from cogen.lang import core
from cogen.lang.errors import Span

if TYPE_CHECKING:
    from cogen.backends.direct.tidy import Tidy

MAX_SIZE: Final = 24
"""The most atoms an expression may have that is nested into another."""

MAX_STEPS: Final = 100
"""How many expressions the search for the use of a variable looks at."""

HEAD, OPERAND, TEST, VALUE, BODY = range(5)
"""Where a variable is used: as the procedure of a call, an operand, a test, what a variable is
bound to, a whole body."""

Found = core.Expr | Literal[False] | None
"""What looking for a variable's use gives: the expression with the value put in, None if it is
not there and the value may move past it, False if the value may not."""


class Substitution:
    """Puts the value of a variable that is used once where it is used.

    Of one that is used twice, as in (if x x b), the `Let` is put there, as an `or`.
    The search follows the order of evaluation and stops at what the value may not move past.
    It does not enter procedures: these may be called never or often.
    """

    def __init__(
        self, tidy: Tidy, variable: core.LocalVariable, value: core.Expr, uses: int
    ) -> None:
        self.tidy = tidy
        self.twice = uses == 2
        self.variable = variable
        self.value = value
        self.effects = tidy.effects.of(value)
        self.steps = MAX_STEPS

    def fits(self, position: int) -> bool:
        if isinstance(self.value, core.LambdaForm):
            return position != HEAD
        if position in (BODY, VALUE):
            return True
        limit = MAX_SIZE
        if isinstance(self.value, core.IfForm) and position == OPERAND:
            limit = MAX_SIZE // 3
        return self.tidy.size(self.value) <= limit

    def passes(self, effects: int) -> Found:
        """None if the value may move past these effects."""
        return None if commute(self.effects, effects) else False

    def find(self, expr: core.Expr, position: int) -> Found:
        self.steps -= 1
        if self.steps < 0:
            return False
        if type(expr) is core.LocalRef:
            if expr.variable is self.variable:
                return self.value if self.fits(position) and not self.twice else False
            return self.passes(self.tidy.effects.of(expr))
        if type(expr) is core.CallForm:
            return self.in_call(expr.function, expr.arguments, expr.span)
        if type(expr) is core.IfForm:
            if is_reference(expr.test, self.variable) and is_reference(expr.then, self.variable):
                whole = core.LetForm(((self.variable, self.value),), expr, expr.span)
                return whole if self.fits(position) and either(whole) is not None else False
            return self.in_conditional(expr)
        if type(expr) is core.LetForm:
            return self.in_let(expr)
        if type(expr) is core.LetrecForm:
            found = self.find(expr.body, BODY)
            if found is None or found is False:
                return found
            return core.LetrecForm(expr.bindings, found, expr.span)
        if type(expr) is core.SequenceForm:
            return self.in_sequence(expr.expressions, expr.span)
        if type(expr) is core.SetLocal or type(expr) is core.SetGlobal:
            found = self.find(expr.value, VALUE)
            if found is False:
                return False
            if found is None:
                return self.passes(self.tidy.effects.of(expr))
            if type(expr) is core.SetLocal:
                return core.SetLocal(expr.variable, found, expr.span)
            return core.SetGlobal(expr.name, found, expr.span)
        return self.passes(self.tidy.effects.of(expr))

    def in_let(self, expr: core.LetForm) -> Found:
        """In what the variable is bound to, or in the body."""
        ((variable, value),) = expr.bindings
        found = self.find(value, VALUE)
        if found is False:
            return False
        if found is not None:
            return core.LetForm(((variable, found),), expr.body, expr.span)
        found = self.find(expr.body, BODY)
        if found is None or found is False:
            return found
        return core.LetForm(expr.bindings, found, expr.span)

    def in_call(self, function: core.Expr, arguments: tuple[core.Expr, ...], span: Span) -> Found:
        parts = (function, *arguments)
        for index, part in enumerate(parts):
            found = self.find(part, OPERAND if index else HEAD)
            if found is False:
                return False
            if found is not None:
                operands = [*parts[:index], found, *parts[index + 1 :]]
                return core.CallForm(operands[0], tuple(operands[1:]), span)
        return self.passes(self.tidy.effects.own(function, len(arguments)))

    def in_conditional(self, expr: core.IfForm) -> Found:
        """In the test; in an arm only what need not be evaluated in the other one."""
        found = self.find(expr.test, TEST)
        if found is False:
            return False
        if found is not None:
            return self.tidy.make_if(self.tidy.test(found), expr.then, expr.otherwise, expr.span)
        if not droppable(self.effects):
            arms = self.tidy.effects.of(expr.then) | self.tidy.effects.of(expr.otherwise)
            return self.passes(arms)
        then = self.find(expr.then, BODY)
        if then is False:
            return False
        if then is not None:
            return core.IfForm(expr.test, then, expr.otherwise, expr.span)
        otherwise = self.find(expr.otherwise, BODY)
        if otherwise is None or otherwise is False:
            return otherwise
        return core.IfForm(expr.test, expr.then, otherwise, expr.span)

    def in_sequence(self, expressions: tuple[core.Expr, ...], span: Span) -> Found:
        for index, part in enumerate(expressions):
            found = self.find(part, BODY)
            if found is False:
                return False
            if found is not None:
                return core.SequenceForm(
                    (*expressions[:index], found, *expressions[index + 1 :]), span
                )
        return None
