"""Operations that change what variables, arrays and records are, and those that make of objects
others.

    (set! x e)  (vector-set! v i e)  (vector-fill! v e)  (set-point-x! p e)  (set-car! t e)

Each makes a new value, which `objects` has for the object from there on.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from cogen.array.l0 import tree
from cogen.array.l0.types import INT, ArrayType
from cogen.array.scheme.arrayoperations import array_operation, is_operation
from cogen.array.scheme.objects import OWN, RowObject, may_contain
from cogen.array.scheme.recordforms import record_of
from cogen.array.scheme.symbolicvalues import (
    SymbolicCell,
    SymbolicConstant,
    SymbolicName,
    SymbolicNumber,
    SymbolicParts,
    UnionKind,
    Value,
)
from cogen.array.scheme.translation import Translation
from cogen.array.scheme.typetext import show
from cogen.lang import il
from cogen.lang.datum import UNSPECIFIED
from cogen.lang.errors import CogenError, LimitationError, Note, Span
from cogen.lang.ilutil import blocks, tail_atoms

_STORING: Final = frozenset(("vector-set!", "bytevector-u8-set!", "string-set!"))

_FILLING: Final = frozenset(("bytevector-fill!", "string-fill!"))

_COPYING: Final = frozenset(("bytevector-copy!", "string-copy!"))

CHANGING: Final = frozenset(
    ("make-cell", "cell-set!", "record-set!", "set-car!", "set-cdr!",
     *_STORING, *_FILLING, *_COPYING)
)  # fmt: skip
"""Primitives after which something is not what it was; or, of cells, that say so."""

CELLS: Final = frozenset(("make-cell", "cell-ref", "cell-set!"))

_SAME: Final = frozenset(("array-typed", "array-size"))
"""Operations whose results are no new objects, or none."""

_PARTS: Final = frozenset(
    ("array-reduce", "array-redomap", "array-ref", "array-split", "array-unzip")
)
"""Those whose results may be what they are given, or a part of it."""

_MOVING: Final = frozenset(("array-copy", "array-filter", "array-zip"))
"""Those each row of whose results is one of the operands', no two the same."""

_BY_ELEMENT: Final = frozenset(("array-map", "array-flat-map"))
"""Those whose results are what their functions give."""


MOST: Final = 255
"""The largest byte."""


def assigns(op: str) -> bool:
    """Whether a primitive changes an object, or has to do with cells."""
    return op in CHANGING or op in CELLS


def assign(body: Translation, op: str, values: Sequence[Value], span: Span) -> Value:
    """What a primitive on cells, or one that changes an object, gives."""
    if op == "make-cell":
        cell = SymbolicCell()
        body.objects.state.held[cell] = values[0]
        return cell
    known = isinstance(values[0], SymbolicCell) and values[0] in body.objects.state.held
    if op in ("cell-ref", "cell-set!") and not known:
        raise LimitationError(
            "which variable is assigned depends on a run: array programs have no variables as data",
            span,
        )
    if op == "cell-ref":
        return body.objects.state.held[values[0]]
    if op == "cell-set!":
        body.objects.change(values[0], values[1], span)
    elif op in _STORING:
        new = byte(body, op, values[-1], span) if op in _OF_BYTES else values[-1]
        set_element(body, values[0], values[1:-1], new, span)
    elif op in _FILLING:
        _fill_part(body, op, values, span)
    elif op in _COPYING:
        _copy_into(body, values, span)
    elif op == "record-set!":
        _set_field(body, values, span)
    else:
        _set_half(body, op, values, span)
    return SymbolicConstant(UNSPECIFIED)


# Arrays


def set_element(
    body: Translation, array: Value, indices: Sequence[Value], new: Value, span: Span
) -> None:
    """An array gets another element; a row changes the array that it was taken out of."""
    _check_free(body, array, span)
    row = body.objects.state.rows.get(array)
    if row is not None:
        _set_in_row(body, array, row, indices, new, span)
        return
    made = _updated(body, array, indices, new, span)
    body.objects.detach_replaced(array, made, len(indices), span)
    body.objects.change(array, made, span, len(indices))
    if may_contain(made, new):
        body.objects.contain(array, new, span)


def _updated(
    body: Translation, array: Value, indices: Sequence[Value], new: Value, span: Span
) -> Value:
    current = body.current(array, span)
    if isinstance(current, SymbolicConstant):
        raise LimitationError("a constant array does not change", span, OWN)
    body.hint = re.sub(r"_\d+$", "", array.text) if isinstance(array, SymbolicName) else ""
    return array_operation(body, "array-with", [current, *indices, new], span, "vector-set!")


def _set_in_row(
    body: Translation,
    array: Value,
    row: RowObject,
    indices: Sequence[Value],
    new: Value,
    span: Span,
) -> None:
    """A row gets another element, or is filled if there are no indices."""
    objects = body.objects
    body.current(array, span)
    since = objects.state.repeated.get(row.array)
    if since is not None:
        raise LimitationError(
            "this row may be at several places of its array", span, OWN,
            [Note("an array becomes part of it here", since)],
        )  # fmt: skip
    _check_free(body, row.array, span)
    whole = (*row.indices, *indices)
    depth = len(row.indices) + max(len(indices), 1)
    made = _updated(body, row.array, whole, new, span)
    if indices:
        objects.detach_replaced(row.array, made, depth, span)
    objects.change(row.array, made, span, depth)
    objects.touch(array, span)
    if indices and may_contain(made, new):
        objects.contain(row.array, new, span)


def _check_free(body: Translation, value: Value, span: Span) -> None:
    """LimitationError for what belongs to the caller of a function of a combinator."""
    fixed = body.objects.fixed.get(value)
    if fixed is not None:
        raise LimitationError(
            f"the function may not change what {fixed[0]} gives it", span, OWN,
            [Note("the function is applied here", fixed[1])],
        )  # fmt: skip


def fill(body: Translation, values: Sequence[Value], span: Span) -> Value:
    """`(vector-fill! v x)`: the whole array."""
    array, new = values
    size = array_operation(body, "array-size", [array], span)
    made = array_operation(body, "array-replicate", [size, new], span)
    _replace_elements(body, array, made, new, span)
    return SymbolicConstant(UNSPECIFIED)


def _replace_elements(body: Translation, array: Value, made: Value, new: Value, span: Span) -> None:
    """An array gets all elements of another one, in which something is new."""
    _check_free(body, array, span)
    row = body.objects.state.rows.get(array)
    if row is not None:
        _set_in_row(body, array, row, (), made, span)
    else:
        body.objects.detach_replaced(array, made, 1, span)
        body.objects.change(array, made, span)
        if may_contain(made, new):
            body.objects.contain(array, new, span)


_OF_BYTES: Final = frozenset(("bytevector-u8-set!", "bytevector-fill!"))


def byte(body: Translation, op: str, value: Value, span: Span) -> Value:
    """A value that is checked to be a byte."""
    if isinstance(value, SymbolicNumber) and value.type == INT and 0 <= int(value.value) <= MOST:
        return value
    e, t = body.code.expression(value, span)
    if t != INT:
        raise CogenError(f"{op}: expected a byte, got a value of type {show(t)}", span)
    found = body.code.let("byte", e, INT)
    x = body.code.expression(found, span)[0]
    texts = [tree.StringLiteral(span, text) for text in (f"{op}:", "is no byte (0 to 255)")]
    zero, most = (tree.LiteralExpression(span, n, INT) for n in (0, MOST))
    least = tree.BinaryExpression(span, "<=", zero, x)
    fits = tree.BinaryExpression(span, "&&", least, tree.BinaryExpression(span, "<=", x, most))
    body.code.require(fits, [texts[0], x, texts[1]])
    return found


def _fill_part(body: Translation, op: str, values: Sequence[Value], span: Span) -> None:
    """`(bytevector-fill! b x start end)`: the whole, or a part."""
    array, new, *bounds = values
    if op in _OF_BYTES:
        new = byte(body, op, new, span)
    if not bounds:
        fill(body, [array, new], span)
        return
    part = copied(body, array, bounds, span)
    size = operate(body, "array-size", [part], span)
    made = operate(body, "array-replicate", [size, new], span)
    _copy_into(body, [array, bounds[0], made], span)


def _copy_into(body: Translation, values: Sequence[Value], span: Span) -> None:
    """`(bytevector-copy! to at from start end)`: what comes before, the part, what comes after."""
    to, at, source, *bounds = values
    part = copied(body, source, bounds, span)
    before, rest = _split(body, to, at, span)
    after = _split(body, rest, operate(body, "array-size", [part], span), span)[1]
    made = operate(body, "array-concat", [before, part], span)
    made = operate(body, "array-concat", [made, after], span)
    _replace_elements(body, to, made, part, span)


def _split(body: Translation, array: Value, at: Value, span: Span) -> tuple[Value, Value]:
    parts = operate(body, "array-split", [array, at], span)
    assert isinstance(parts, SymbolicParts)
    return parts.parts[0], parts.parts[1]


# Tuples and records


def _set_field(body: Translation, values: Sequence[Value], span: Span) -> None:
    of, index, record, new = values
    held = body.current(record, span)
    if isinstance(held, SymbolicParts) and isinstance(held.record, UnionKind):
        raise LimitationError(
            "a record that may be of several types is changed", span, "make a new one"
        )
    current = record_of(body.code, of, body.current(record, span), span)
    assert isinstance(index, SymbolicNumber)
    _replace(body, record, current, int(index.value), new, span)


def _set_half(body: Translation, op: str, values: Sequence[Value], span: Span) -> None:
    pair, new = values
    current = body.current(pair, span)
    if op == "set-cdr!" or not isinstance(current, SymbolicParts) or not current.parts:
        raise LimitationError(
            f"`{op}` is not there in array programs", span, "tuples do not change: make a new one"
        )
    _replace(body, pair, current, 0, new, span)


def _replace(
    body: Translation, whole: Value, current: SymbolicParts, index: int, new: Value, span: Span
) -> None:
    _check_free(body, whole, span)
    parts = list(current.parts)
    parts[index] = new
    body.objects.change(whole, SymbolicParts(tuple(parts), current.record), span)


# What operations make of objects


def operate(body: Translation, name: str, values: Sequence[Value], span: Span) -> Value:
    """What an operation on arrays gives, which may have for parts what it was given."""
    objects = body.objects
    if not objects.active:
        return _noting_sizes(body, name, values, span)
    outer, body.escaping = body.escaping, []
    before, visible = objects.state.copy(), objects.visible(body.env)
    applied, body.applying = body.applying, (name, span)
    result = _noting_sizes(body, name, values, span)
    body.applying = applied
    taken = {one for value in values for one in objects.objects(value)}
    given, body.escaping = [*values, *body.escaping], outer
    for one in objects.changed(before, visible):
        raise LimitationError(
            f"the function of {name} changes what there was before", span,
            "(array-loop ((x e) ...) (i n) body), or a loop with a counter, goes in order",
            [Note("it is changed here", objects.places[one])],
        )  # fmt: skip
    if name in _SAME:
        return result
    if (
        name == "array-ref"
        and isinstance(result, SymbolicName)
        and isinstance(result.type, ArrayType)
    ):
        array = values[0]
        objects.take_out(result, array, tuple(values[1:]), body.current(array, span))
        return result
    given = [one for value in given for one in objects.reached(value)]
    fixed = any(one in objects.fixed for one in given)
    if name in _BY_ELEMENT and not fixed:
        given = [one for one in given if one not in taken]
    given = [one for one in given if one in visible or one in objects.fixed]
    if name not in _PARTS:
        given = [one for one in given if may_contain(result, one)]
        if given and name not in _MOVING:
            objects.state.repeated.setdefault(result, span)
    objects.derive(result, given, span)
    return result


def _noting_sizes(body: Translation, name: str, values: Sequence[Value], span: Span) -> Value:
    result = array_operation(body, name, values, span)
    if name == "array-size" and len(values) == 1:
        body.sizes.setdefault(values[0], []).append(result)
    return result


# Operations on vectors that are procedures of the prelude


def is_known(name: str) -> bool:
    """Whether calls of a procedure of the prelude are operations here."""
    return is_operation(name) or name in _VECTORS


def vector_operation(
    body: Translation, name: str, values: Sequence[Value], span: Span
) -> Value | None:
    """What a procedure of the prelude gives, if it is an operation here for these operands."""
    if is_operation(name):
        return operate(body, name, values, span)
    if name == "vector-fill!" and len(values) == 2:
        return fill(body, values, span)
    if name == "vector-copy" and 1 <= len(values) <= 3:
        return copied(body, values[0], values[1:], span)
    if name == "vector-map" and len(values) > 1:
        return operate(body, "array-map", values, span)
    if name == "vector-append" and len(values) > 1:
        found = values[0]
        for value in values[1:]:
            found = operate(body, "array-concat", [found, value], span)
        return found
    return None


def copied(body: Translation, array: Value, bounds: Sequence[Value], span: Span) -> Value:
    """`(vector-copy v start end)`: a part, or the whole, as an array of its own."""
    if not bounds:
        return operate(body, "array-copy", [array], span)
    for place, bound in reversed(list(enumerate(bounds))):
        array = _split(body, array, bound, span)[0 if place else 1]
    return operate(body, "array-copy", [array], span)


_VECTORS: Final = frozenset(("vector-fill!", "vector-copy", "vector-map", "vector-append"))


# Which procedures change something


def changing(procedures: Mapping[str, il.Function], entry: str) -> frozenset[str]:
    """The procedures that change something, or call by name others that do, of those that a program
    needs."""
    calls: dict[str, set[str]] = {}
    found = set()
    for name, function in procedures.items():
        used = calls[name] = set()
        for block in blocks(function.body):
            if any(isinstance(b, il.Let) and b.op in CHANGING for b in block.bindings):
                found.add(name)
            atoms = [a for b in block.bindings if isinstance(b, il.Let) for a in b.arguments]
            atoms += tail_atoms(block.tail)
            used.update(a.name for a in atoms if isinstance(a, il.Global) and not is_known(a.name))
    new = found
    while new:
        new = {name for name, used in calls.items() if name not in found and used & new}
        found = found | new
    needed, work = set(), [entry]
    while work:
        name = work.pop()
        if name not in needed:
            needed.add(name)
            work += calls.get(name, ())
    return frozenset(found & needed)
