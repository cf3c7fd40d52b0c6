"""A program in L0, parsed and checked, and ways to run it."""

from __future__ import annotations

import sys
from collections.abc import Callable
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from cogen.array.convert import from_python, to_python
from cogen.array.l0 import tree
from cogen.array.l0.check import check
from cogen.array.l0.facts import Facts
from cogen.array.l0.interp import Interpreter
from cogen.array.l0.parse import parse
from cogen.array.l0.types import Type, show_type, without_uniqueness
from cogen.array.l0.uniqueness import check_uniqueness
from cogen.array.l0.values import Value
from cogen.array.l0.valuetext import read_values, show_value
from lang.errors import CogenError, Source
from lang.files import read_source


def _trace_to_standard_error(text: str) -> None:
    print(text, file=sys.stderr)


class Program:
    """A checked program.

    Making one raises CogenError at the program's first mistake.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.facts: Facts = check(parse(source))
        """The tree, and what the check found out about it."""
        check_uniqueness(self.facts)

    @property
    def entries(self) -> tuple[str, ...]:
        """The names of the program's functions, in the order of the text."""
        return tuple(self.facts.definitions)

    def function(self, entry: str) -> tree.FunctionDefinition:
        """A function of the program.  CogenError if there is none of that name."""
        found = self.facts.definitions.get(entry)
        if found is not None:
            return found
        near = get_close_matches(entry, self.entries, n=1)
        hint = f"did you mean `{near[0]}`?" if near else "name another with --entry or entry="
        raise CogenError(f"{self.source.name} does not define the function `{entry}`", hint=hint)

    def parameters(self, entry: str = "main") -> tuple[Type, ...]:
        """The types of a function's parameters, without uniqueness."""
        return tuple([without_uniqueness(p.type) for p in self.function(entry).parameters])

    def result(self, entry: str = "main") -> Type:
        """The type of a function's result, without uniqueness."""
        return without_uniqueness(self.function(entry).result)

    def run(
        self,
        *values: object,
        entry: str = "main",
        trace: Callable[[str], None] = _trace_to_standard_error,
    ) -> Any:
        """The result of a function in the reference interpreter.

        Takes and gives int, float, bool, str (a char or a string), tuples, and NumPy arrays (also
        takes lists); an array of tuples is a tuple of arrays.  `trace` gets the text of traced
        values.  CogenError where a value does not have its parameter's type, or the program fails.
        """
        types = self.parameters(entry)
        if len(values) != len(types):
            shown = ", ".join([show_type(t) for t in types])
            raise CogenError(
                f"`{entry}` takes {len(types)} value{'' if len(types) == 1 else 's'} "
                f"({shown}), but {len(values)} {'was' if len(values) == 1 else 'were'} given"
            )
        names = [parameter.name.text for parameter in self.function(entry).parameters]
        arguments = [
            from_python(value, t, f"`{name}`")
            for value, t, name in zip(values, types, names, strict=True)
        ]
        return to_python(self._call(entry, arguments, trace), self.result(entry))

    def run_text(
        self,
        text: str,
        entry: str = "main",
        name: str = "<values>",
        trace: Callable[[str], None] = _trace_to_standard_error,
    ) -> str:
        """The same with values as text, and the result as text; `name` is what diagnostics call
        the text."""
        names = [parameter.name.text for parameter in self.function(entry).parameters]
        arguments = read_values(Source(name, text), self.parameters(entry), names)
        return show_value(self._call(entry, arguments, trace), self.result(entry))

    def _call(self, entry: str, arguments: list[Value], trace: Callable[[str], None]) -> Value:
        return Interpreter(self.facts, trace).call(entry, arguments)


def load(path: str | Path) -> Program:
    """The program of a file.  CogenError for whatever is wrong with it."""
    return Program(read_source(Path(path)))


def loads(text: str, name: str = "<string>") -> Program:
    """The program that a text writes; `name` is what diagnostics call it."""
    return Program(Source(name, text))
