"""Calls of the library of arrays (`lang/arrays.scm`) -> L0's forms and combinators."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from cogen.array.l0 import tree, types
from cogen.array.l0.storage import FITS, unpacked
from cogen.array.l0.storing import stored
from cogen.array.scheme import symbolicvalues as symbolic
from cogen.array.scheme.arraycall import (
    ArrayCall,
    ArrayTranslator,
    Meaning,
    initial_value,
    like,
)
from cogen.array.scheme.bykey import BY_KEY
from cogen.array.scheme.sizesandviews import OF_FORM
from cogen.array.scheme.typetext import show, type_of_datum
from cogen.lang.datum import Pair, Symbol, from_iterable, iterate
from cogen.lang.errors import CogenError, Span
from cogen.lang.primtable.checks import brief


def array_operation(
    work: ArrayTranslator,
    name: str,
    values: Sequence[symbolic.Value],
    span: Span,
    called: str | None = None,
) -> symbolic.Value:
    """What a call of the library's procedure gives, which the program may have `called` otherwise;
    CogenError where an operand is wrong."""
    op = ArrayCall(work, called or name, span)
    least, most, make = _OPERATIONS[name]
    if len(values) < least or (most is not None and len(values) > most):
        raise op.error(f"expected {least} arguments, got {len(values)}")
    return make(op, values)


def is_operation(name: str) -> bool:
    """Whether the global of the prelude is an operation on arrays."""
    return name in _OPERATIONS


# Combinators


def _zipped(
    op: ArrayCall, values: Sequence[symbolic.Value]
) -> tuple[tree.Expression, list[types.Type]]:
    """Arrays to be walked at once, as one, and the types of their elements."""
    found = [op.array(value) for value in values]
    elements = [types.row_type(t, 1) for _, t in found]
    if len(found) == 1:
        return found[0][0], elements
    return op.form("zip", *[e for e, _ in found]), elements


def _map(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    array, elements = _zipped(op, values[1:])
    function, result = op.work.function(values[0], elements, op.span)
    if types.has_packed(result):
        raise op.error("the function gives an array that is stored: only a result can be one")
    return op.bind(op.soac("map", [function], None, array), types.ArrayType(result))


def _filter(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    array, t = op.array(values[1])
    function, result = op.work.function(values[0], [types.row_type(t, 1)], op.span)
    if result != types.BOOL:
        raise op.error(f"the function must give a bool, but gives {show(result)}")
    return op.bind(op.soac("filter", [function], None, array), t)


def _fold(kind: str) -> Callable[[ArrayCall, Sequence[symbolic.Value]], symbolic.Value]:
    def make(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
        array, t = op.array(values[2])
        element = types.row_type(t, 1)
        initial, found = initial_value(op, values[1], element)
        like(op, found, element, "the initial value")
        function, result = op.work.function(values[0], [element, element], op.span, element)
        like(op, result, element, "what the function gives")
        made = op.soac(kind, [function], initial, array)
        if kind == "scan":
            return op.bind(made, types.ArrayType(element))
        return op.bind(made, element, "total")

    return make


def _redomap(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    array, t = op.array(values[3])
    element = types.row_type(t, 1)
    initial, found = initial_value(op, values[2], element)
    combine, result = op.work.function(values[0], [found, found], op.span, found)
    like(op, result, found, "what the first function gives")
    step, result = op.work.function(values[1], [found, element], op.span, found)
    like(op, result, found, "what the second function gives")
    return op.bind(op.soac("redomap", [combine, step], initial, array), found, "total")


# By key


# Arrays from nothing, elements


def _iota(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    return op.bind(op.form("iota", op.integer(values[0])), types.ArrayType(types.INT), "indices")


def _replicate(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    e, t = op.code.expression(values[1], op.span)
    return op.bind(op.form("replicate", op.integer(values[0]), e), types.ArrayType(t))


def _literal(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    if not values:
        return symbolic.SymbolicConstant([])
    return op.bind(*op.code.elements(list(values), op.span))


def _ref(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    array, t = op.variable(values[0])
    indices = _indices(op, values[1:], t)
    element = types.row_type(t, len(indices))
    return op.bind(tree.IndexExpression(op.span, array, (), indices), element, "e")


def _indices(
    op: ArrayCall, values: Sequence[symbolic.Value], t: types.Type
) -> tuple[tree.Expression, ...]:
    if len(values) > types.rank(t):
        raise op.error(f"{len(values)} indices for a value of type {show(t)}")
    return tuple([op.integer(value) for value in values])


def _with(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    """An update of a copy: what needs no copying is found out later
    (`cogen.array.schedule.copies`)."""
    e, t = op.array(values[0])
    indices = _indices(op, values[1:-1], t)
    element = types.row_type(t, len(indices))
    new, found = op.code.expression(values[-1], op.span, element)
    like(op, found, element, "the new value")
    source = op.bind(op.form("copy", e), t)
    assert isinstance(source, symbolic.SymbolicName)
    target = op.code.names.fresh(op.work.hint or "a")
    names = tree.Name(op.span, target), tree.Name(op.span, source.text)

    def frame(rest: tree.Expression) -> tree.Expression:
        return tree.LetWith(op.span, *names, (), indices, new, rest)

    op.code.frames.append(frame)
    return symbolic.SymbolicName(target, t)


# Whole arrays


def _typed(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    """The value, whose type is now known to be this."""
    wanted = unpacked(type_of_datum(datum_of(values[0]), op.span, op.work.kinds))
    value = values[1]
    if isinstance(value, symbolic.SymbolicConstant):
        return op.bind(*op.code.expression(value, op.span, wanted))
    if isinstance(value, symbolic.Untyped):
        raise CogenError(
            f"the parameter `{value.name}` has a type here only", op.span,
            "declare it at the head of the procedure: (define-array (f (x (array float)) ...) ...)",
        )  # fmt: skip
    found = op.code.type(value, op.span)
    if found != wanted:
        raise op.error(f"expected {show(wanted)}, got a value of type {show(found)}")
    return value


def _store(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    """The array as a layout holds it: a result that is stored packed."""
    layout = datum_of(values[0])
    fit = datum_of(values[2]) if len(values) > 2 else Symbol("check")
    if not isinstance(layout, str):
        raise op.error("the layout must be a constant string", "make it static")
    if not isinstance(fit, Symbol) or fit.name not in FITS:
        raise op.error(f"expected one of {', '.join(FITS)}, got {brief(fit)}")
    array, _ = op.array(values[1])
    return op.bind(stored(array, layout, fit.name), types.packed_array(layout), "stored")


def _node(op: ArrayCall, values: Sequence[symbolic.Value]) -> symbolic.Value:
    """A node of a kind that a module adds: a call that is there until kinds are lowered."""
    kind = datum_of(values[0])
    parts = list(iterate(kind)) if isinstance(kind, Pair) else []
    if len(parts) != 2 or not isinstance(parts[0], Symbol):
        raise op.error("expected a kind and its type, as in '(Mul (array (array float)))")
    t = type_of_datum(parts[1], op.span, op.work.kinds)
    operands = [op.code.expression(value, op.span)[0] for value in values[1:]]
    name = tree.Name(op.span, parts[0].name)
    return op.bind(tree.CallExpression(op.span, name, tuple(operands)), t, "node")


def datum_of(value: symbolic.Value) -> object:
    """The datum of a translated constant."""
    if isinstance(value, symbolic.SymbolicConstant):
        return value.datum
    if isinstance(value, symbolic.SymbolicParts):
        return from_iterable([datum_of(part) for part in value.parts])
    return value.value if isinstance(value, symbolic.SymbolicNumber) else None


_OPERATIONS: Final[Mapping[str, Meaning]] = {
    "array": (0, None, _literal),
    "array-map": (2, None, _map),
    "array-filter": (2, 2, _filter),
    "array-reduce": (3, 3, _fold("reduce")),
    "array-scan": (3, 3, _fold("scan")),
    "array-redomap": (4, 4, _redomap),
    "array-iota": (1, 1, _iota),
    "array-replicate": (2, 2, _replicate),
    "array-ref": (2, None, _ref),
    "array-with": (3, None, _with),
    "array-typed": (2, 2, _typed),
    "array-store": (2, 3, _store),
    "array-node": (1, None, _node),
    **BY_KEY,
    **OF_FORM,
}

VECTORS: Final = {
    "vector": "array",
    "vector-ref": "array-ref",
    "vector-length": "array-size",
    "make-vector": "array-replicate",
    "string-ref": "array-ref",
    "%string-ref": "array-ref",
    "string-length": "array-size",
    "bytevector-u8-ref": "array-ref",
    "bytevector-length": "array-size",
    "string-append": "string-append",
    "string->vector": "array-copy",
    "vector->string": "array-copy",
}
"""Operations on vectors, strings and bytevectors, and what they are called on arrays."""
