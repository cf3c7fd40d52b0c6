"""Checks laws: what is on the left is a call of a function on patterns, what is on the right of its
result's type.

    law mul(m, identity(n)) = m

A variable stands for any value of the type of the place where it stands; one that stands in several
places, for one value.
"""

from __future__ import annotations

from cogen.array.l0 import tree
from cogen.array.l0.applying import Applying
from cogen.array.l0.types import Type, has_uniqueness, same_type, show_type
from cogen.lang.errors import CogenError, Note, Span


class LawCheck(Applying):
    """The part of the check that concerns laws."""

    def law(self, law: tree.Law) -> None:
        variables: dict[str, tuple[tree.Name, Type]] = {}
        result = self.pattern_call(law.pattern, variables)
        found = self.under(list(variables.values()), law.body)
        if not same_type(found, result):
            raise CogenError(
                f"the right side of a law of `{law.pattern.function.text}` must be "
                f"{show_type(result)}, but is {show_type(found)}",
                tree.last(law.body).span,
            )

    def pattern_call(
        self, e: tree.CallExpression, variables: dict[str, tuple[tree.Name, Type]]
    ) -> Type:
        """The type of a call in a pattern, whose variables are noted."""
        name = e.function.text
        definition = self.facts.definitions.get(name)
        if definition is None:
            raise CogenError(f"laws are of functions of the program, not of `{name}`", e.span)
        if any(has_uniqueness(p.type) for p in definition.parameters):
            raise CogenError(f"`{name}` consumes arguments, and has no laws", e.span)
        if len(e.arguments) != len(definition.parameters):
            raise CogenError(
                f"`{name}` takes {len(definition.parameters)} arguments, not {len(e.arguments)}",
                e.span,
                notes=[Note("it is defined here", definition.name.span)],
            )
        for argument, parameter in zip(e.arguments, definition.parameters, strict=True):
            self.pattern(argument, parameter.type, variables)
        self.facts.types[e] = definition.result
        return definition.result

    def pattern(
        self, e: tree.Expression, t: Type, variables: dict[str, tuple[tree.Name, Type]]
    ) -> None:
        match e:
            case tree.VariableExpression(name=name):
                before = variables.setdefault(name.text, (name, t))[1]
                self.fits(before, t, e.span)
            case tree.LiteralExpression():
                self.fits(e.type, t, e.span)
            case tree.UnaryExpression(operator="-", operand=tree.LiteralExpression() as literal):
                self.fits(literal.type, t, e.span)
            case tree.CallExpression():
                self.fits(self.pattern_call(e, variables), t, e.span)
            case _:
                raise CogenError(
                    "the left side of a law has variables, constants and calls of functions", e.span
                )
        self.facts.types[e] = t

    def fits(self, found: Type, t: Type, span: Span) -> None:
        if not same_type(found, t):
            raise CogenError(f"this must be {show_type(t)}, but is {show_type(found)}", span)
