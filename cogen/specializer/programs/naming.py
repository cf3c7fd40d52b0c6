"""What people call the procedures of a program.

A procedure of the program has its name.  One that has none there, which is a lambda expression, one
of the prelude, or what `let-values` makes, is called *aside*: unfolded calls of it are named after
their caller, and a procedure value that is left in the residual program after the procedure in
whose text it stands.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property

from cogen.lang import il
from cogen.lang.ilutil import base_name, conts, functions, item_block
from cogen.lang.prelude import in_prelude
from cogen.lang.prims import PRIMITIVES

_ANONYMOUS = frozenset({"", "lambda"})


def name_of(function: il.Function) -> str:
    """The name of a procedure."""
    return function.label.lstrip("%") or base_name(function.name)


class Naming:
    """The names of one program's procedures."""

    def __init__(self, program: il.Program) -> None:
        self.program = program
        self._aside: dict[il.Function, bool] = {}

    def is_aside(self, function: il.Function) -> bool:
        """Whether a procedure has no name in the program."""
        found = self._aside.get(function)
        if found is None:
            found = in_prelude(function.span) or self._is_nameless(function)
            self._aside[function] = found
        return found

    def _is_nameless(self, function: il.Function) -> bool:
        label = function.label
        if label in _ANONYMOUS:
            return True
        return label in PRIMITIVES and function.name not in self.program.own_globals

    def home(self, function: il.Function) -> str:
        """The name of a procedure, or else of the nearest one around it that has one."""
        around: il.Function | None = function
        while around is not None:
            if not self._is_nameless(around):
                return name_of(around)
            around = self._around.get(around)
        return name_of(function)

    @cached_property
    def _around(self) -> Mapping[il.Function, il.Function]:
        """For each procedure the one in whose body it stands."""
        found: dict[il.Function, il.Function] = {}
        work: list[tuple[il.Function | None, il.Block]] = [
            (item.function if isinstance(item, il.Define) else None, item_block(item))
            for item in self.program.items
        ]
        while work:
            around, block = work.pop()
            work += [(around, cont.body) for cont in conts(block)]
            if isinstance(block.tail, il.If):
                work += [(around, block.tail.then), (around, block.tail.otherwise)]
            for function in functions(block):
                if around is not None:
                    found[function] = around
                work.append((function, function.body))
        return found
