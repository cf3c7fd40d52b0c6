"""Code of one function for the interpreter: expressions -> Python functions of a frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Protocol

from cogen.array.l0 import tree
from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.l0.facts import Binding, CheckedFacts
from cogen.array.l0.operators import Fault
from cogen.array.l0.runerrors import out_of_memory
from cogen.array.l0.types import ArrayType, Type
from cogen.array.l0.values import Value
from cogen.array.l0.valuetext import show_value
from cogen.lang.errors import CogenError, Span

Frame = list[Any]
"""The values of the variables of a function that runs, by number."""

Code = Callable[[Frame], Any]
Trace = Callable[[str], None]


class Runs(Protocol):
    """A translated function of the program."""

    def run(self, arguments: Sequence[Value]) -> Value:
        """Its result."""


class Owner(Protocol):
    """The interpreter of the program."""

    facts: CheckedFacts
    trace: Trace
    """What gets the text of each value that is traced."""
    arithmetic: Arithmetic

    def function(self, name: str) -> Runs:
        """A function of the program, translated when it is first needed."""


Rules = Mapping[type, Callable[..., Code]]
"""What makes the code of an expression, by its class."""


class FunctionCode:
    """Translates the body of one function: by a rule for each class of expression."""

    def __init__(self, owner: Owner, rules: Rules) -> None:
        self.owner = owner
        self.rules = rules
        self.facts = owner.facts
        self.arithmetic = owner.arithmetic
        self.slots: dict[Binding, int] = {}

    def slot(self, name: tree.Name) -> int:
        return self.slots.setdefault(self.facts.bindings[name], len(self.slots))

    def expression(self, e: tree.Expression) -> Code:
        return self.rules[type(e)](self, e)

    def expressions(self, parts: Sequence[tree.Expression]) -> Callable[[Frame], list[Any]]:
        codes = [self.expression(part) for part in parts]

        def evaluate(frame: Frame) -> list[Any]:
            return [code(frame) for code in codes]

        return evaluate

    def operation(
        self, operands: Sequence[tree.Expression], meaning: Callable[..., Any], span: Span
    ) -> Code:
        """Evaluate operands, and give them to what may fault."""
        evaluate = self.expressions(operands)

        def run(frame: Frame) -> Any:
            values = evaluate(frame)
            try:
                return meaning(*values)
            except Fault as fault:
                raise CogenError(str(fault), span) from None
            except MemoryError:
                raise out_of_memory(span) from None

        return run

    def pattern(self, pattern: tree.Pattern) -> Callable[[Frame, Any], None]:
        match pattern:
            case tree.Name():
                slot = self.slot(pattern)

                def store(frame: Frame, value: Any) -> None:
                    frame[slot] = value

                return store
            case tree.Wildcard():
                return _ignore
            case tree.TuplePattern(_, parts):
                stores = [self.pattern(part) for part in parts]

                def spread(frame: Frame, value: Any) -> None:
                    for part, element in zip(stores, value, strict=True):
                        part(frame, element)

                return spread

    def builtin(self, name: str, t: Type) -> Callable[..., Any]:
        if name != "trace":
            return self.arithmetic.builtin[name, t]
        trace = self.owner.trace

        def traced(value: Value) -> Value:
            trace(show_value(value, t))
            return value

        return traced


def _ignore(frame: Frame, value: Any) -> None:
    """Bind nothing."""


def element_type(t: Type) -> Type:
    """The type of an array's elements; a type that is no array's stays."""
    return t.element if isinstance(t, ArrayType) else t
