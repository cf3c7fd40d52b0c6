"""Scopes: which binding a name means, and the words that errors of the check share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from difflib import get_close_matches

from cogen.array.l0 import tree
from cogen.array.l0.facts import Binding, CheckedFacts
from cogen.array.l0.signatures import BUILTIN_TYPES
from cogen.array.l0.types import (
    ArrayType,
    TupleType,
    Type,
    same_type,
    show_type,
    without_uniqueness,
)
from cogen.lang.errors import CogenError, Note, Span


def one_of(types: Sequence[Type]) -> str:
    """The types, as an error offers them."""
    return " or ".join([show_type(t) for t in types])


def plural(count: int, noun: str) -> str:
    """The number of things."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def conversion(*types: Type) -> str | None:
    """What to do where an int met a real."""
    names = {show_type(t) for t in types}
    if names == {"int", "real"}:
        return "an int becomes a real with toReal, a real an int with trunc"
    return None


class TypeScopes(ABC):
    """The variables in scope at a place of one function."""

    def __init__(self, facts: CheckedFacts) -> None:
        self.facts = facts
        self.scope: dict[str, Binding] = {}

    @abstractmethod
    def expression(self, e: tree.Expression) -> Type:
        """The type of an expression here, which it notes."""

    def expect(self, e: tree.Expression, expected: Type, what: str) -> None:
        found = self.expression(e)
        if not same_type(found, expected):
            raise CogenError(f"{what} must be {show_type(expected)}, but is {show_type(found)}",
                             tree.last(e).span, conversion(expected, found))  # fmt: skip

    def array_operand(self, e: tree.Expression, what: str) -> Type:
        found = self.expression(e)
        if not isinstance(found, ArrayType):
            raise CogenError(
                f"{what} must be an array, but is {show_type(found)}", tree.last(e).span
            )
        return found

    def bind_parameters(self, parameters: Sequence[tree.Parameter]) -> list[Binding | None]:
        bound = [(parameter.name, parameter.type) for parameter in parameters]
        return self.bind(bound)

    def bind(self, names: Sequence[tuple[tree.Name, Type]]) -> list[Binding | None]:
        """Bind names; what they hid is for `unbind`."""
        seen: dict[str, tree.Name] = {}
        hidden = []
        for name, t in names:
            earlier = seen.setdefault(name.text, name)
            if earlier is not name:
                raise CogenError(
                    f"`{name.text}` is bound twice here",
                    name.span,
                    notes=[Note("the first one", earlier.span)],
                )
            binding = Binding(name.text, t, name.span)
            self.facts.bindings[name] = binding
            hidden.append(self.scope.get(name.text))
            self.scope[name.text] = binding
        return hidden

    def unbind(self, names: Sequence[tree.Name], hidden: Sequence[Binding | None]) -> None:
        for name, binding in zip(names, hidden, strict=True):
            if binding is None:
                del self.scope[name.text]
            else:
                self.scope[name.text] = binding

    def under(self, names: Sequence[tuple[tree.Name, Type]], body: tree.Expression) -> Type:
        """The type of an expression in the scope of names."""
        hidden = self.bind(names)
        found = self.expression(body)
        self.unbind([name for name, _ in names], hidden)
        return found

    def variable(self, name: tree.Name) -> Type:
        binding = self.scope.get(name.text)
        if binding is None:
            near = get_close_matches(name.text, list(self.scope), n=1)
            hint = f"did you mean `{near[0]}`?" if near else None
            if name.text in self.facts.definitions or name.text in BUILTIN_TYPES:
                hint = f"`{name.text}` is a function: functions are called, or given to map, ..."
            if name.text in self.facts.constructors:
                case = self.facts.constructors[name.text].case
                hint = f"a value of `{case.name}` is made by {case.name}({', '.join(case.fields)})"
            raise CogenError(f"there is no variable `{name.text}` here", name.span, hint)
        self.facts.bindings[name] = binding
        return without_uniqueness(binding.type)

    def matched(self, pattern: tree.Pattern, t: Type, value: Span) -> list[tuple[tree.Name, Type]]:
        """The names that a pattern binds in a value of a type, which stands at `value`."""
        match pattern:
            case tree.Name():
                return [(pattern, t)]
            case tree.Wildcard():
                return []
            case tree.TuplePattern(span, parts):
                if not isinstance(t, TupleType) or len(t.parts) != len(parts):
                    raise CogenError(
                        f"a pattern of {plural(len(parts), 'part')} does not match {show_type(t)}",
                        span,
                        notes=[Note(f"the value is {show_type(t)}", value)],
                    )
                found = []
                for part, part_type in zip(parts, t.parts, strict=True):
                    found.extend(self.matched(part, part_type, value))
                return found
