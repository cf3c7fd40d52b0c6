"""Floats in C: which variables are `double`, and how C computes with what is known as a float.

A float variable is a C `double` if one C function has all of it: it is in no frame, and no
argument of a C function.  Where it is needed as a word it is boxed, once: `x_box` holds the box
or 0.  A collection forgets the boxes, so none has to be kept alive.  Any other float variable is
a word that is known to be a box.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from cogen.backends.ctree.literals import real
from cogen.backends.ctree.tree import CBinary, CInvoke, CUnary, Expr
from cogen.backends.ctree.types import DOUBLE
from cogen.backends.native.regions import CodeRegions, returned_to
from cogen.lang import il

ORDER: Final = {"=": "==", "<": "<", ">": ">", "<=": "<=", ">=": ">="}

SIGNS: Final = {"zero?": "==", "positive?": ">", "negative?": "<"}

EXACT: Final = 1 << 53
"""Integers below it are floats exactly, so that C compares them as the language does."""


def unboxed_variables(regions: CodeRegions, floats: frozenset[str]) -> frozenset[str]:
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


def literal(value: object) -> Expr | None:
    """The C constant of a float, or of an integer that is one exactly."""
    if type(value) is float:
        return real(value)
    return real(float(value)) if type(value) is int and -EXACT < value < EXACT else None


def float_value(op: str, operands: list[Expr], atoms: Iterable[il.Atom]) -> Expr | None:
    """The C expression of an operation on floats; None if it is not done in line.

    An exact 0 is no float: (+ 0 x) is x, and (- 0 x) is -x, for -0.0 too.
    """
    zeros = [isinstance(atom, il.Const) and type(atom.value) is int and atom.value == 0
             for atom in atoms]  # fmt: skip
    match op:
        case "+":
            if any(zeros):
                return operands[zeros.index(False)]
            return CBinary("+", *operands)
        case "-":
            return CUnary("-", operands[1]) if zeros[0] else CBinary("-", *operands)
        case "*":
            return CBinary("*", *operands)
        case "/":
            return CInvoke("float_quotient", tuple(operands), DOUBLE)
        case "sqrt":
            return CInvoke("float_root", tuple(operands), DOUBLE)
        case "abs":
            return CInvoke("__builtin_fabs", tuple(operands), DOUBLE)
        case "lift":
            return operands[0]
    return None
