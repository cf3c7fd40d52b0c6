"""The reference interpreter: a checked program, and values, to a value.

Each function is translated once into Python functions, one for each expression, that take the
frame (the values of the function's variables, by number). It follows the language to the letter,
left to right, and shares its representation of arrays (`cogen.array.l0.values`) with nothing that
is compiled: arrays are copied where they are updated.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from cogen.array.l0 import tree
from cogen.array.l0.arithmetic import WIDE, Arithmetic
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.functioncode import Code, Frame, FunctionCode, Trace
from cogen.array.l0.interparrays import ARRAYS
from cogen.array.l0.interpscalars import SCALARS
from cogen.array.l0.runerrors import too_deep
from cogen.array.l0.values import Value
from cogen.lang.deep import on_deep_stack


class L0Interpreter:
    """Runs the functions of a program.

    `trace` gets the text of each value that the program traces. Whatever the arithmetic, arrays
    have elements of 64 bits; what they hold are numbers of the arithmetic.
    """

    def __init__(self, facts: CheckedFacts, trace: Trace, arithmetic: Arithmetic = WIDE) -> None:
        self.facts = facts
        self.trace = trace
        self.arithmetic = arithmetic
        self.functions: dict[str, _TranslatedFunction] = {}

    def call(self, name: str, arguments: Sequence[Value]) -> Value:
        """The result of a function.  CogenError where the program fails."""
        return on_deep_stack(self._call, name, arguments)

    def _call(self, name: str, arguments: Sequence[Value]) -> Value:
        function = self.function(name)
        try:
            return function.run(arguments)
        except RecursionError:
            raise too_deep(self.facts.definitions[name].name.span) from None

    def function(self, name: str) -> _TranslatedFunction:
        """A function of the program, translated when it is first needed."""
        found = self.functions.get(name)
        if found is None:
            found = self.functions[name] = _TranslatedFunction(self, self.facts.definitions[name])
            found.translate()
        return found


class _TranslatedFunction:
    """A translated function of the program."""

    def __init__(self, owner: L0Interpreter, definition: tree.FunctionDefinition) -> None:
        self.owner = owner
        self.definition = definition
        self.code: Code = _untranslated
        self.size = 0

    def translate(self) -> None:
        translator = FunctionCode(self.owner, _RULES)
        for parameter in self.definition.parameters:
            translator.slot(parameter.name)
        self.code = translator.expression(self.definition.body)
        self.size = len(translator.slots)

    def run(self, arguments: Sequence[Value]) -> Value:
        frame: Frame = [None] * self.size
        frame[: len(arguments)] = arguments
        return self.code(frame)  # type: ignore[no-any-return]  # code gives values


def _untranslated(frame: Frame) -> Any:
    raise AssertionError("the function is called after it was translated")

    # Bindings.

    # Arrays.

    # Combinators.


_RULES: Final = {**SCALARS, **ARRAYS}
