"""The names of a piece of Python text that is made from IL.

IL variables become the locals `v1 v2 ...`; what the text needs from outside (constants,
primitives) gets names in `namespace`, in which the text is to be executed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from cogen.lang import il
from cogen.lang.datum import NIL, Datum
from cogen.lang.errors import InternalError
from cogen.lang.runtime import primitive_procedure


class PythonNames:
    """Names given so far; `namespace` must already hold `GL`, the globals, and `NIL`."""

    def __init__(self, namespace: dict[str, Any]) -> None:
        self.namespace = namespace
        self.names: dict[str, str] = {}
        self.constants: dict[int, str] = {}
        self.primitives: dict[str, str] = {}
        self.counter = 0

    def fresh(self, letter: str) -> str:
        """A new name that begins with the letter."""
        self.counter += 1
        return f"{letter}{self.counter}"

    def local(self, variable: str) -> str:
        """The Python name of an IL variable."""
        name = self.names.get(variable)
        if name is None:
            name = self.names[variable] = self.fresh("v")
        return name

    def locals(self, variables: Sequence[str]) -> list[str]:
        """The Python names of IL variables."""
        return [self.local(variable) for variable in variables]

    def atom(self, atom: il.Atom) -> str:
        """The Python expression of an atom."""
        match atom:
            case il.Var(name):
                return self.local(name)
            case il.Const(value):
                return self.constant(value)
            case il.Global(name):
                return f"GL[{name!r}]"
            case il.Prim(name):
                return self.constant(primitive_procedure(name))
        raise InternalError(f"no atom: {atom!r}")

    def constant(self, value: Datum) -> str:
        """The Python expression of a constant."""
        if type(value) is int:
            return str(value) if value >= 0 else f"({value})"
        if type(value) is bool:
            return str(value)
        if value is NIL:
            return "NIL"
        name = self.constants.get(id(value))
        if name is None:
            name = self.constants[id(value)] = self.fresh("c")
            self.namespace[name] = value
        return name

    def primitive(self, name: str, python: Callable[..., Any]) -> str:
        """The Python name of the function that a primitive is."""
        known = self.primitives.get(name)
        if known is None:
            known = self.primitives[name] = self.fresh("p")
            self.namespace[known] = python
        return known
