"""Expressions of core seen as simpler ones, and where tests leave: what CPS conversion asks.

(not x)                       x with the arms exchanged, in a test
(let ((t a)) (if t t b))      (if a #t b), in a test
((lambda (x ...) b) a ...)    (let ((x a) ...) b)
"""

from __future__ import annotations

from cogen.lang import core
from cogen.lang.fold import is_chain
from cogen.lang.references import References


class Shapes:
    """Remembers what it made, so that an expression is always seen as the same other one."""

    def __init__(self, references: References) -> None:
        self.references = references
        self.exits_known: dict[core.Expr, tuple[int, int]] = {}
        self.rewritten: dict[core.Expr, core.Expr] = {}

    def exits(self, test: core.Expr) -> tuple[int, int]:
        """From how many places a test leaves as true, and as false (2 means two or more)."""
        known = self.exits_known.get(test)
        if known is None:
            known = self.exits_known[test] = self.count_exits(test)
        return known

    def count_exits(self, test: core.Expr) -> tuple[int, int]:
        match test:
            case core.ConstForm(datum):
                return (0, 1) if datum is False else (1, 0)
            case core.SequenceForm(expressions):
                return self.exits(expressions[-1])
            case core.LetrecForm(body=body):
                return self.exits(body)
            case core.LetForm(body=body):
                either = self.disjunction(test)
                return self.exits(body if either is None else either)
            case core.IfForm(inner, then, otherwise):
                first, second = self.exits(inner)
                nothing = (0, 0)
                then_yes, then_no = self.exits(then) if first else nothing
                else_yes, else_no = self.exits(otherwise) if second else nothing
                return min(2, then_yes + else_yes), min(2, then_no + else_no)
            case core.CallForm(function, arguments):
                if (negated := self.negated(test)) is not None:
                    yes, no = self.exits(negated)
                    return no, yes
                if (redex := self.applied_lambda(test)) is not None:
                    return self.exits(redex)
                if is_chain(function, len(arguments)):
                    return 1, 2
        return 1, 1

    def negated(self, call: core.CallForm) -> core.Expr | None:
        """(not x) -> x with the arms exchanged."""
        match call:
            case core.CallForm(core.PrimRef("not"), (argument,)):
                return argument
        return None

    def disjunction(self, let: core.LetForm) -> core.IfForm | None:
        """(let ((t a)) (if t t b)) -> (if a #t b), in a test, when b does not mention t."""
        match let:
            case core.LetForm(
                ((variable, first),),
                core.IfForm(core.LocalRef(tested), core.LocalRef(given), otherwise, span),
            ) if tested is given is variable and not variable.assigned:
                if self.references.count[variable] != 2:
                    return None
                made = self.rewritten.get(let)
                if made is None:
                    made = core.IfForm(first, core.ConstForm(True, span), otherwise, span)
                    self.rewritten[let] = made
                return made if isinstance(made, core.IfForm) else None
        return None

    def applied_lambda(self, call: core.CallForm) -> core.LetForm | None:
        """((lambda (x ...) body) a ...) -> (let ((x a) ...) body)"""
        match call:
            case core.CallForm(core.LambdaForm(parameters, None, body), arguments, span) if len(
                parameters
            ) == len(arguments):
                made = self.rewritten.get(call)
                if made is None:
                    made = core.LetForm(tuple(zip(parameters, arguments, strict=True)), body, span)
                    self.rewritten[call] = made
                return made if isinstance(made, core.LetForm) else None
        return None
