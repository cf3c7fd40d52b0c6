"""Python expressions for the primitives that programs use most.

`expression(op, arguments, call)` gives an expression that has the value of the operation, or
None where there is no better one than the call of the primitive's Python meaning.  The
expression checks types and range itself and falls back on `call`, so that its meaning, errors
included, is that of the primitive.  Arguments are names or literals, so they may be repeated;
`T` is a local variable that the expression may use.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

from cogen.lang.datum import INT_MAX, INT_MIN, NIL, Pair, Record
from cogen.lang.prims import PRIMITIVES
from cogen.lang.values import VariableCell

_INTEGER: Final = re.compile(r"\(?-?[0-9]+\)?")

_BOOLEANS: Final = ("True", "False")

Maker = Callable[[list[str], str], str | None]
"""Makes an expression of the arguments and the call to fall back on."""

SCOPE: Final[dict[str, Any]] = {"Pair": Pair, "NIL": NIL, "Record": Record, "Cell": VariableCell}
"""What the expressions mention besides their arguments."""


def is_literal(text: str) -> bool:
    """Is the argument an integer literal?"""
    return _INTEGER.fullmatch(text) is not None


def _integers(*arguments: str) -> str | None:
    """A test that the arguments are integers; None if all are literals (to be left alone)."""
    names = [argument for argument in arguments if not is_literal(argument)]
    if not names:
        return None
    return " and ".join(f"type({name}) is int" for name in dict.fromkeys(names))


def _of_integers(template: str, overflows: bool) -> Maker:
    """What a row says of integers; an operation that overflows is carried out by the call where it
    does."""

    def expression(arguments: list[str], call: str) -> str | None:
        test = _integers(*arguments)
        if test is None:
            return None
        made = template.format(*arguments)
        if overflows:
            fits = f"{INT_MIN} <= (T := {made}) <= {INT_MAX}"
            return f"(T if {test} and {fits} else {call})"
        return f"({made} if {test} else {call})"

    return expression


def _field(name: str) -> Maker:
    return lambda a, call: f"({a[0]}.{name} if type({a[0]}) is Pair else {call})"


def _same(arguments: list[str], call: str) -> str:
    a, b = arguments
    return f"({a} is {b} or {call})"


def _vector_ref(arguments: list[str], call: str) -> str:
    vector, index = arguments
    test = _integers(index)
    tests = f"type({vector}) is list" + (f" and {test}" if test else "")
    return f"({vector}[{index}] if {tests} and 0 <= {index} < len({vector}) else {call})"


def _record_ref(arguments: list[str], call: str) -> str | None:
    rtd, index, record = arguments
    if not is_literal(index):
        return None
    test = f"type({record}) is Record and {record}.type is {rtd}"
    test += f" and 0 <= {index} < len({record}.values)"
    return f"({record}.values[{index}] if {test} else {call})"


_OF_INTEGERS: Final[dict[str, Maker]] = {
    name: _of_integers(row.inline, "overflow" in row.fails)
    for name, row in PRIMITIVES.items()
    if row.inline is not None
}
"""What their rows say."""

_OF_OBJECTS: Final[dict[str, tuple[tuple[int, ...], Maker]]] = {
    "car": ((0,), _field("car")),
    "cdr": ((0,), _field("cdr")),
    "cons": ((), lambda a, _: f"Pair({a[0]}, {a[1]})"),
    "pair?": ((0,), lambda a, _: f"(type({a[0]}) is Pair)"),
    "null?": ((0,), lambda a, _: f"({a[0]} is NIL)"),
    "known?": ((), lambda a, _: "True"),
    "known-size?": ((), lambda a, _: "True"),
    "lift": ((), lambda a, _: a[0]),
    "not": ((0,), lambda a, _: f"({a[0]} is False)"),
    "eq?": ((0, 1), _same),
    "eqv?": ((0, 1), _same),
    "cell-ref": ((0,), lambda a, call: f"({a[0]}.value if type({a[0]}) is Cell else {call})"),
    "vector-ref": ((0,), _vector_ref),
    "vector": ((), lambda a, _: f"[{', '.join(a)}]"),
    "record-is?": (
        (0, 1),
        lambda a, _: f"(type({a[1]}) is Record and {a[1]}.type is {a[0]})",
    ),
    "record-ref": ((0, 2), _record_ref),
}
"""With the arguments that must not be literals: Python warns of `1 is x` and of `1[x]`."""


INLINE: Final = frozenset(_OF_INTEGERS) | frozenset(_OF_OBJECTS)
"""The operations that may have an expression."""


def expression(op: str, arguments: list[str], call: str) -> str | None:
    """See the module's docstring."""
    maker = _OF_INTEGERS.get(op)
    if maker is not None:
        return maker(arguments, call)
    if op not in _OF_OBJECTS:
        return None
    objects, maker = _OF_OBJECTS[op]
    if any(is_literal(arguments[i]) or arguments[i] in _BOOLEANS for i in objects):
        return None
    return maker(arguments, call)
