"""Rows of the primitive table: cells, globals, multiple values, annotations, control.

Control primitives are called with a continuation.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from cogen.lang.datum import (
    NIL,
    UNDEFINED,
    UNSPECIFIED,
    Datum,
    Pair,
    eqv,
    from_iterable,
)
from cogen.lang.machine import Machine
from cogen.lang.primtable.checks import PrimitiveError, expected
from cogen.lang.primtable.data import (
    finite,
    is_circular,
    need_name,
    need_symbol,
    need_vector,
    walked,
)
from cogen.lang.primtable.row import PrimitiveRow, row
from cogen.lang.values import MultipleValues, Procedure, VariableCell

# Cells and globals


def _need_cell(name: str, x: Datum) -> VariableCell:
    if type(x) is VariableCell:
        return x
    raise expected(name, "a cell", x)


def _cell_ref(cell: Datum) -> Datum:
    return _need_cell("cell-ref", cell).value


def _cell_ref_check(cell: Datum, name: Datum) -> Datum:
    value = _need_cell("cell-ref/check", cell).value
    if value is UNDEFINED:
        variable = need_symbol("cell-ref/check", name).name
        raise PrimitiveError("user", f"{variable} is used before its definition")
    return value


def _cell_set(cell: Datum, value: Datum) -> Datum:
    _need_cell("cell-set!", cell).value = value
    return UNSPECIFIED


def undefined_global(name: str) -> PrimitiveError:
    """The error of a global that is used before its definition was evaluated."""
    return PrimitiveError("user", f"{name} is used before its definition")


def _global_get(machine: Machine, name: Datum) -> Datum:
    variable = need_symbol("global-get", name).name
    if variable not in machine.globals:
        raise undefined_global(variable)
    return machine.globals[variable]


def _global_set(machine: Machine, name: Datum, value: Datum) -> Datum:
    variable = need_symbol("global-set!", name).name
    if variable not in machine.globals:
        raise undefined_global(variable)
    machine.globals[variable] = value
    return UNSPECIFIED


def _barrier_cell(content: Datum, *handlers: Datum) -> VariableCell:
    for handler in handlers:
        if not isinstance(handler, Procedure):
            raise expected("make-barrier-cell", "a procedure", handler)
    return VariableCell(content)


_CELLS = (
    row("make-cell", "any", "any", VariableCell, "A cell: what an assigned variable lives in.",
        effect="alloc", fails=""),
    row("cell-ref", "any", "any", _cell_ref, "The content of a cell.", effect="read", typed=True),
    row("cell-ref/check", "any symbol", "any", _cell_ref_check,
        "The content of a cell, an error if it has none yet; the symbol names the variable.",
        effect="read", fails="type user"),
    row("cell-set!", "any any", "unspecified", _cell_set, "Replace the content of a cell.",
        effect="write", typed=True),
    row("global-get", "symbol", "any", _global_get, "The value of an assigned global.",
        effect="read", fails="type user", context=True),
    row("global-set!", "symbol any", "unspecified", _global_set, "Assign a global.",
        effect="write", fails="type user", context=True),
)  # fmt: skip


# Multiple values, annotations


def values(*items: Datum) -> Datum:
    """`values`: a single value is itself."""
    return items[0] if len(items) == 1 else MultipleValues(items)


def values_to_list(x: Datum) -> Datum:
    """`values->list`"""
    return from_iterable(x.items) if type(x) is MultipleValues else Pair(x, NIL)


def _same(x: Datum) -> Datum:
    return x


_OTHERS = (
    row("values", "any", "any", values, "Several values as one; one value is itself.",
        fails="", arity=(0, None)),
    row("values->list", "any", "list", values_to_list, "The list of the values that x stands for.",
        effect="alloc", fails=""),
    row("values?", "any", "bool", lambda x: type(x) is MultipleValues,
        "Does x stand for no value or several?", fails=""),
    row("lift", "any", "any", _same, "x; tells the specializer to make it dynamic.", fails="",
        interval=lambda a: a),
    row("%lift-any", "any", "any", _same,
        "x; tells the specializer to make it dynamic, and of no type.", fails=""),
    row("%lift-value", "any", "any", _same,
        "x; tells the specializer to make a number, character, string or procedure dynamic.",
        fails=""),
    row("%lift-data", "any", "any", _same,
        "x; tells the specializer to make a number, character or string dynamic.", fails=""),
    row("%lift-made", "any", "any", _same,
        "x; tells the specializer to make a number, character, string, pair or record dynamic.",
        fails=""),
    row("%lift-numbers", "any", "any", _same,
        "x; tells the specializer to make the numbers in it dynamic, not its shape.", fails=""),
    row("%lift-code", "any", "any", _same,
        "x; tells the specializer to make a procedure of an interpreted program dynamic.",
        fails=""),
    row("%rebound", "any any any", "any", lambda x, entry, rest: x,
        "x, which is the entry in front of the rest, a list that is only searched; tells the "
        "specializer that the entry may take the place of one with the same key.", fails=""),
    row("%reveal", "any any", "any", lambda x, family: x,
        "x; tells the specializer that the program looks into a box of the family.", fails=""),
    row("%reveal-among", "any any int", "any", lambda x, family, field: x,
        "x; tells the specializer that the program asks whether it is a box of the family, or "
        "reads a field of what is in one.", fails=""),
    row("%point", "any", "any", _same,
        "x; tells the specializer that it is kept to go on there later.", fails=""),
    row("%one-of", "any", "any", _same,
        "x; tells the specializer that it is one of the points that were kept.", fails=""),
    row("%boxed", "any any", "any", lambda x, family: x,
        "x in a box of the family; in a run there are no boxes.", fails=""),
    row("%unboxed", "any any", "any", lambda x, family: x,
        "What is in x, if that is a box of the family, else x.", fails=""),
    row("early=", "any any", "bool", eqv,
        "Known to be equal; may be #f for equal values, a run answers `eqv?`.", fails=""),
    row("early-different?", "any any", "bool", lambda a, b: not eqv(a, b),
        "Known to be different; may be #f for different values, a run answers (not (eqv? a b)).",
        fails=""),
    row("known?", "any", "bool", lambda x: True,
        "Is the value known when the program is specialized?  In a run it is.", fails=""),
    row("known-size?", "any", "bool", lambda x: True,
        "Is it known, when the program is specialized, which parts the pair, record or vector x "
        "has, and does no residual code share it?  In a run it is.", fails=""),
    row("%constant-vector", "vector", "vector", lambda x: need_vector("%constant-vector", x),
        "The vector, which nothing will change any more: a constant if its elements are known."),
    row("%finite", "string any", "any", lambda name, x: finite(need_name("%finite", name), x),
        "x, if it is no circular list; the string says who asks.", effect="read"),
    row("%circular?", "any", "bool", is_circular, "Is x a circular list?", effect="read",
        fails=""),
    row("%walked", "string any", "unspecified", walked,
        "An error if x, which a search has gone through for long, is a circular list.",
        effect="write"),
    row("make-barrier-cell", "any procedure procedure", "any", _barrier_cell,
        "A cell; before anything could observe what it holds, the specializer calls the handler.",
        effect="alloc", arity=(2, 3)),
    row("%unspecified", "", "unspecified", lambda: UNSPECIFIED, "The unspecified value.",
        fails=""),
    row("%undefined", "", "any", lambda: UNDEFINED,
        "What a cell holds before its variable's definition.", fails=""),
)  # fmt: skip


def _control(name: str) -> Callable[..., Any]:
    def never(*_: Datum) -> Datum:
        raise PrimitiveError("type", f"{name}: a control primitive is called, not applied")

    return never


def _control_row(
    name: str, arguments: str, doc: str, arity: tuple[int, int | None] | None = None
) -> PrimitiveRow:
    return row(
        name, arguments, "any", _control(name), doc, effect="control", fails="type user",
        arity=arity,
    )  # fmt: skip


CONTROL_ROWS: tuple[PrimitiveRow, ...] = (
    _control_row("call/cc", "procedure", "(call/cc f): calls f with the continuation."),
    _control_row(
        "call-with-current-continuation", "procedure", "The same as `call/cc`."
    ),
    _control_row(
        "apply", "procedure any", "(apply f a ... l): calls f with a ... and the items of l.",
        (2, None),
    ),
    _control_row(
        "dcall", "procedure any", "(dcall f a ...): calls f; a memo point of the specializer.",
        (1, None),
    ),
    _control_row(
        "rcall", "procedure any",
        "(rcall f a ...): calls f, a procedure of the top level; the specializer leaves the call "
        "as it is, and f with it.",
        (1, None),
    ),
    _control_row(
        "with-exception-handler", "procedure procedure",
        "(with-exception-handler h f): calls f with no arguments; h is called with what is raised.",
    ),
    _control_row(
        "raise-continuable", "any", "Calls the handler; what it gives is the value.",
    ),
)  # fmt: skip

ROWS: tuple[PrimitiveRow, ...] = (*_CELLS, *_OTHERS)
