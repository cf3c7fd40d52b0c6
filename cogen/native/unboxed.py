"""Floats in C: which variables are `double`, and how C computes with what is known as a float.

A float variable is a C `double` if one C function has all of it: it is in no frame, and no
argument of a C function.  Where it is needed as a word it is boxed, once: `x_box` holds the box
or 0.  A collection forgets the boxes, so none has to be kept alive.  Any other float variable is
a word that is known to be a box.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from cogen.lang import il
from cogen.native.regions import Regions, returned_to

ORDER: Final = {"=": "==", "<": "<", ">": ">", "<=": "<=", ">=": ">="}

SIGNS: Final = {"zero?": "==", "positive?": ">", "negative?": "<"}

EXACT: Final = 1 << 53
"""Integers below it are floats exactly, so that C compares them as the language does."""


def unboxed_variables(regions: Regions, floats: frozenset[str]) -> frozenset[str]:
    """The float variables of a context that are `double` in C."""
    if not floats:
        return frozenset()
    bound: set[str] = set()
    outside: set[str] = set()
    returned = set(map(returned_to, regions.returns))
    for name, node in regions.nodes.items():
        bound |= node.bound
        if node.is_function or name in returned:
            outside |= node.live
        if node.is_function:
            outside.update(node.parameters)
    return frozenset((bound & floats) - outside)


def literal(value: object) -> str | None:
    """The C constant of a float, or of an integer that is one exactly."""
    if type(value) is float:
        if math.isnan(value):
            return '__builtin_nan("")'
        if math.isinf(value):
            return "(-__builtin_inf())" if value < 0 else "__builtin_inf()"
        return f"({value.hex()})"
    if type(value) is int and -EXACT < value < EXACT:
        return f"({float(value).hex()})"
    return None


def float_value(op: str, operands: list[str], atoms: Iterable[il.Atom]) -> str | None:
    """The C expression of an operation on floats; None if it is not done in line.

    An exact 0 is no float: (+ 0 x) is x, and (- 0 x) is -x, for -0.0 too.
    """
    zeros = [isinstance(atom, il.Const) and type(atom.value) is int and atom.value == 0
             for atom in atoms]  # fmt: skip
    match op:
        case "+":
            if any(zeros):
                return operands[zeros.index(False)]
            return f"{operands[0]} + {operands[1]}"
        case "-":
            return f"-{operands[1]}" if zeros[0] else f"{operands[0]} - {operands[1]}"
        case "*":
            return f"{operands[0]} * {operands[1]}"
        case "/":
            return f"float_quotient({operands[0]}, {operands[1]})"
        case "sqrt":
            return f"float_root({operands[0]})"
        case "abs":
            return f"__builtin_fabs({operands[0]})"
        case "lift":
            return operands[0]
    return None
