"""Calls of the library of arrays (`lang/arrays.scm`) -> L0's forms and combinators."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Protocol

from cogen.array.l0 import tree
from cogen.array.l0.storage import FITS, unpacked
from cogen.array.l0.storing import stored
from cogen.array.l0.types import (
    BOOL,
    CHAR,
    INT,
    REAL,
    ArrayType,
    TupleType,
    Type,
    has_packed,
    packed_array,
    packed_layout,
    rank,
    row_type,
)
from cogen.array.scheme.l0code import Code
from cogen.array.scheme.symbolicvalues import (
    Constant,
    Known,
    Name,
    Number,
    Parts,
    Procedure,
    Untyped,
    Value,
)
from cogen.array.scheme.typetext import Kinds, show, type_of_datum
from cogen.lang.datum import Symbol, from_iterable
from cogen.lang.errors import CogenError, Span
from cogen.lang.primtable.row import brief


class Applying(Protocol):
    """What translates procedures."""

    code: Code
    hint: str
    """What the program calls the result of the call, if it calls it anything."""

    @property
    def kinds(self) -> Kinds:
        """The record types of the program."""

    def function(
        self, value: Value, types: Sequence[Type], span: Span
    ) -> tuple[tree.Function, Type]:
        """A procedure as the function of a combinator, applied to such types; its result's type."""


class Operation:
    """One call: where it is, what it is given, and what it makes."""

    def __init__(self, work: Applying, name: str, span: Span) -> None:
        self.work = work
        self.code = work.code
        self.name = name
        self.span = span

    def error(self, message: str, hint: str | None = None) -> CogenError:
        return CogenError(f"{self.name}: {message}", self.span, hint)

    def array(self, value: Value) -> tuple[tree.Expression, ArrayType]:
        """An array operand."""
        if isinstance(value, Procedure | Known):
            raise self.error("expected an array, got a procedure")
        e, t = self.code.expression(value, self.span)
        if not isinstance(t, ArrayType):
            raise self.error(f"expected an array, got a value of type {show(t)}")
        if packed_layout(t) is not None:
            raise self.error(
                "expected an array, got one that is stored",
                "what array-store gives is a result of the program",
            )
        return e, t

    def variable(self, value: Value) -> tuple[tree.Name, ArrayType]:
        """An array operand that must be a variable."""
        e, t = self.array(value)
        if not isinstance(e, tree.Variable):
            bound = self.code.let("a", e, t)
            e = self.code.expression(bound, self.span)[0]
            assert isinstance(e, tree.Variable)
        return e.name, t

    def integer(self, value: Value) -> tree.Expression:
        e, t = self.code.expression(value, self.span)
        if t != INT:
            raise self.error(f"expected an integer, got a value of type {show(t)}")
        return e

    def literal(self, value: Value, what: str) -> int:
        """An operand that must be a constant."""
        if isinstance(value, Number) and value.type == INT:
            return int(value.value)
        raise self.error(f"{what} must be a constant", "make it static")

    def bind(self, e: tree.Expression, t: Type, hint: str = "a") -> Value:
        return self.code.let(self.work.hint or hint, e, t)

    def form(self, name: str, *operands: tree.Expression) -> tree.Form:
        return tree.Form(self.span, name, operands)

    def soac(
        self,
        kind: str,
        functions: Sequence[tree.Function],
        initial: tree.Expression | None,
        array: tree.Expression,
    ) -> tree.Soac:
        return tree.Soac(self.span, kind, False, tuple(functions), initial, (array,))


def array_operation(
    work: Applying, name: str, values: Sequence[Value], span: Span, called: str | None = None
) -> Value:
    """What a call of the library's procedure gives, which the program may have `called` otherwise;
    CogenError where an operand is wrong."""
    op = Operation(work, called or name, span)
    least, most, make = _OPERATIONS[name]
    if len(values) < least or (most is not None and len(values) > most):
        raise op.error(f"expected {least} arguments, got {len(values)}")
    return make(op, values)


def is_operation(name: str) -> bool:
    """Whether the global of the prelude is an operation on arrays."""
    return name in _OPERATIONS


# Combinators


def _zipped(op: Operation, values: Sequence[Value]) -> tuple[tree.Expression, list[Type]]:
    """Arrays to be walked at once, as one, and the types of their elements."""
    found = [op.array(value) for value in values]
    elements = [row_type(t, 1) for _, t in found]
    if len(found) == 1:
        return found[0][0], elements
    return op.form("zip", *[e for e, _ in found]), elements


def _map(op: Operation, values: Sequence[Value]) -> Value:
    array, elements = _zipped(op, values[1:])
    function, result = op.work.function(values[0], elements, op.span)
    if has_packed(result):
        raise op.error("the function gives an array that is stored: only a result can be one")
    return op.bind(op.soac("map", [function], None, array), ArrayType(result))


def _filter(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[1])
    function, result = op.work.function(values[0], [row_type(t, 1)], op.span)
    if result != BOOL:
        raise op.error(f"the function must give a bool, but gives {show(result)}")
    return op.bind(op.soac("filter", [function], None, array), t)


def _initial(op: Operation, value: Value, element: Type) -> tuple[tree.Expression, Type]:
    return op.code.expression(value, op.span, element)


def _like(op: Operation, found: Type, wanted: Type, what: str) -> None:
    if found != wanted:
        numbers = {show(found), show(wanted)} == {"int", "float"}
        raise op.error(
            f"{what} must be {show(wanted)}, but is {show(found)}",
            "write 0.0 for a float, 0 for an int" if numbers else None,
        )


def _fold(kind: str) -> Callable[[Operation, Sequence[Value]], Value]:
    def make(op: Operation, values: Sequence[Value]) -> Value:
        array, t = op.array(values[2])
        element = row_type(t, 1)
        initial, found = _initial(op, values[1], element)
        _like(op, found, element, "the initial value")
        function, result = op.work.function(values[0], [element, element], op.span)
        _like(op, result, element, "what the function gives")
        made = op.soac(kind, [function], initial, array)
        if kind == "scan":
            return op.bind(made, ArrayType(element))
        return op.bind(made, element, "total")

    return make


def _redomap(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[3])
    element = row_type(t, 1)
    initial, found = _initial(op, values[2], element)
    combine, result = op.work.function(values[0], [found, found], op.span)
    _like(op, result, found, "what the first function gives")
    step, result = op.work.function(values[1], [found, element], op.span)
    _like(op, result, found, "what the second function gives")
    return op.bind(op.soac("redomap", [combine, step], initial, array), found, "total")


# By key


def _extension(
    op: Operation, name: str, function: tree.Function | None, *operands: tree.Expression
) -> tree.Extension:
    functions = () if function is None else (function,)
    return tree.Extension(op.span, name, functions, operands)


def _ints(op: Operation, value: Value, what: str) -> tree.Expression:
    """An operand that is an array of ints."""
    e, t = _expected(op, value, ArrayType(INT))
    _like(op, t, ArrayType(INT), what)
    return e


def _expected(op: Operation, value: Value, wanted: Type) -> tuple[tree.Expression, Type]:
    """An array operand; one without elements is taken to be of the type that is wanted."""
    if isinstance(value, Constant):
        return op.code.expression(value, op.span, wanted)
    return op.array(value)


def _combined(
    op: Operation, function: Value, start: Value, element: Type
) -> tuple[tree.Function, tree.Expression]:
    """The function and the initial value of a reduction of such elements."""
    initial, found = _initial(op, start, element)
    _like(op, found, element, "the initial value")
    combine, result = op.work.function(function, [element, element], op.span)
    _like(op, result, element, "what the function gives")
    return combine, initial


def _key(op: Operation, t: Type, what: str) -> None:
    parts = t.parts if isinstance(t, TupleType) else (t,)
    for part in parts:
        if isinstance(part, TupleType):
            _key(op, part, what)
        elif part not in (INT, BOOL, CHAR):
            raise op.error(
                f"{what} must be int, bool, char or tuples of these, but are {show(t)}",
                "(exact (floor x)) makes an int of a float" if part == REAL else None,
            )


def _bucket_reduce(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[4])
    element = row_type(t, 1)
    combine, initial = _combined(op, values[0], values[1], element)
    count, keys = op.integer(values[2]), _ints(op, values[3], "the array of keys")
    made = _extension(op, "bucketReduce", combine, initial, count, keys, array)
    return op.bind(made, ArrayType(element), "buckets")


def _bucket_collect(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[2])
    count, keys = op.integer(values[0]), _ints(op, values[1], "the array of keys")
    made = _extension(op, "bucketCollect", None, count, keys, array)
    return op.bind(made, TupleType((ArrayType(INT), t)), "groups")


def _group_by(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[1])
    function, key = op.work.function(values[0], [row_type(t, 1)], op.span)
    _key(op, key, "the keys")
    made = _extension(op, "groupBy", function, array)
    return op.bind(made, TupleType((ArrayType(key), ArrayType(INT), t)), "groups")


def _distinct(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    _key(op, row_type(t, 1), "the elements")
    return op.bind(_extension(op, "distinct", None, array), t)


def _reduce_segments(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[3])
    element = row_type(t, 1)
    combine, initial = _combined(op, values[0], values[1], element)
    offsets = _ints(op, values[2], "the array of offsets")
    made = _extension(op, "reduceSegments", combine, initial, offsets, array)
    return op.bind(made, ArrayType(element), "totals")


def _flat_map(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[1])
    function, result = op.work.function(values[0], [row_type(t, 1)], op.span)
    if not isinstance(result, ArrayType):
        raise op.error(f"the function must give an array, but gives {show(result)}", "(array x)")
    if not _is_flat(result.element):
        raise op.error(f"the arrays must have no arrays in them, but are {show(result)}")
    return op.bind(_extension(op, "flatMap", function, array), result)


def _is_flat(t: Type) -> bool:
    if isinstance(t, TupleType):
        return all(_is_flat(part) for part in t.parts)
    return not isinstance(t, ArrayType)


def _scatter(op: Operation, values: Sequence[Value]) -> Value:
    """Into a copy, as in `_with`."""
    array, t = op.array(values[0])
    indices = _ints(op, values[1], "the array of indices")
    new, found = _expected(op, values[2], t)
    _like(op, found, t, "the array of new values")
    return op.bind(_extension(op, "scatter", None, op.form("copy", array), indices, new), t)


# Arrays from nothing, elements


def _iota(op: Operation, values: Sequence[Value]) -> Value:
    return op.bind(op.form("iota", op.integer(values[0])), ArrayType(INT), "indices")


def _replicate(op: Operation, values: Sequence[Value]) -> Value:
    e, t = op.code.expression(values[1], op.span)
    return op.bind(op.form("replicate", op.integer(values[0]), e), ArrayType(t))


def _literal(op: Operation, values: Sequence[Value]) -> Value:
    if not values:
        return Constant([])
    return op.bind(*op.code.elements(list(values), op.span))


def _ref(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.variable(values[0])
    indices = _indices(op, values[1:], t)
    element = row_type(t, len(indices))
    return op.bind(tree.Index(op.span, array, (), indices), element, "e")


def _indices(op: Operation, values: Sequence[Value], t: Type) -> tuple[tree.Expression, ...]:
    if len(values) > rank(t):
        raise op.error(f"{len(values)} indices for a value of type {show(t)}")
    return tuple([op.integer(value) for value in values])


def _with(op: Operation, values: Sequence[Value]) -> Value:
    """An update of a copy: what needs no copying is found out later
    (`cogen.array.schedule.copies`)."""
    e, t = op.array(values[0])
    indices = _indices(op, values[1:-1], t)
    element = row_type(t, len(indices))
    new, found = op.code.expression(values[-1], op.span, element)
    _like(op, found, element, "the new value")
    source = op.bind(op.form("copy", e), t)
    assert isinstance(source, Name)
    target = op.code.names.fresh(op.work.hint or "a")
    names = tree.Name(op.span, target), tree.Name(op.span, source.text)

    def frame(rest: tree.Expression) -> tree.Expression:
        return tree.LetWith(op.span, *names, (), indices, new, rest)

    op.code.frames.append(frame)
    return Name(target, t)


def _size(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    dimension = op.literal(values[1], "the dimension") if len(values) > 1 else 0
    if not 0 <= dimension < rank(t):
        raise op.error(f"a value of type {show(t)} has no dimension {dimension}")
    if dimension == 0:
        return op.bind(tree.Size(op.span, 0, array), INT, "n")
    return op.bind(_row_size(op, _named(op, array, t), dimension), INT, "n")


def _named(op: Operation, array: tree.Expression, t: Type) -> str:
    """The name of an array, which is given one if it has none."""
    if not isinstance(array, tree.Variable):
        bound = op.code.let("a", array, t)
        assert isinstance(bound, Name)
        return bound.text
    return array.name.text


def _row_size(op: Operation, array: str, dimension: int) -> tree.Expression:
    """A size of an array's rows: 0 if there are none, as vectors have it."""

    def size(k: int) -> tree.Expression:
        return tree.Size(op.span, k, tree.Variable(op.span, tree.Name(op.span, array)))

    zero = tree.Literal(op.span, 0, INT)
    empty: tree.Expression = tree.Binary(op.span, "=", size(0), zero)
    for k in range(1, dimension):
        empty = tree.Binary(op.span, "||", empty, tree.Binary(op.span, "=", size(k), zero))
    return tree.If(op.span, empty, zero, size(dimension))


def _without_hidden_sizes(op: Operation, array: tree.Expression, t: Type) -> tree.Expression:
    """The array; below a dimension of size 0 its sizes are 0, so that none of them comes to light
    when the dimensions change places."""
    if rank(t) < 2:
        return array
    name = _named(op, array, t)
    variable = tree.Variable(op.span, tree.Name(op.span, name))
    sizes: list[tree.Expression] = [tree.Size(op.span, 0, variable)]
    for k in range(1, rank(t)):
        bound = op.code.let("n", _row_size(op, name, k), INT)
        sizes.append(op.code.expression(bound, op.span)[0])
    again = tree.Variable(op.span, tree.Name(op.span, name))
    return tree.Reshape(op.span, tuple(sizes), again)


# Whole arrays


def _copy(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    return op.bind(op.form("copy", array), t)


def _split(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    return op.bind(op.form("split", op.integer(values[1]), array), TupleType((t, t)))


def _concat(op: Operation, values: Sequence[Value]) -> Value:
    first, second = values
    if isinstance(first, Constant):
        b, t = op.code.expression(second, op.span)
        a = op.code.expression(first, op.span, t)[0]
    else:
        a, t = op.array(first)
        b = op.code.expression(second, op.span, t)[0]
    for value in values:
        found = op.code.expression(value, op.span, t)[1]
        _like(op, found, t, "the second array" if value is second else "the first array")
    return op.bind(op.form("concat", a, b), t)


def _zip(op: Operation, values: Sequence[Value]) -> Value:
    found = [op.array(value) for value in values]
    t = ArrayType(TupleType(tuple([row_type(t, 1) for _, t in found])))
    return op.bind(op.form("zip", *[e for e, _ in found]), t)


def _unzip(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    count = op.literal(values[1], "the number of parts")
    element = t.element
    if not isinstance(element, TupleType) or len(element.parts) != count:
        raise op.error(f"expected an array of tuples of {count} parts, got {show(t)}")
    parts = TupleType(tuple([ArrayType(part) for part in element.parts]))
    return op.bind(op.form("unzip", array), parts)


def _reshape(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    sizes = tuple([op.integer(value) for value in values[1:]])
    made: Type = row_type(t, rank(t))
    for _ in sizes:
        made = ArrayType(made)
    return op.bind(tree.Reshape(op.span, sizes, array), made)


def _transpose(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    if len(values) == 2:
        raise op.error("expected a dimension and how far it moves")
    k, n = (op.literal(value, "a dimension") for value in values[1:]) if values[1:] else (0, 1)
    if not (0 <= k < rank(t) and 0 <= k + n < rank(t)):
        raise op.error(f"a value of type {show(t)} has no dimensions {k} and {k + n}")
    whole = _without_hidden_sizes(op, array, t)
    return op.bind(tree.Transpose(op.span, k, n, whole), t)


def _rearrange(op: Operation, values: Sequence[Value]) -> Value:
    array, t = op.array(values[0])
    order = tuple([op.literal(value, "a dimension") for value in values[1:]])
    if sorted(order) != list(range(rank(t))):
        raise op.error(f"a value of type {show(t)} has other dimensions than these")
    whole = _without_hidden_sizes(op, array, t)
    return op.bind(tree.Rearrange(op.span, order, whole), t)


def _typed(op: Operation, values: Sequence[Value]) -> Value:
    """The value, whose type is now known to be this."""
    wanted = unpacked(type_of_datum(datum_of(values[0]), op.span, op.work.kinds))
    value = values[1]
    if isinstance(value, Constant):
        return op.bind(*op.code.expression(value, op.span, wanted))
    if isinstance(value, Untyped):
        raise CogenError(
            f"the parameter `{value.name}` has a type here only", op.span,
            "declare it at the head of the procedure: (define-array (f (x (array float)) ...) ...)",
        )  # fmt: skip
    found = op.code.type(value, op.span)
    if found != wanted:
        raise op.error(f"expected {show(wanted)}, got a value of type {show(found)}")
    return value


def _store(op: Operation, values: Sequence[Value]) -> Value:
    """The array as a layout holds it: a result that is stored packed."""
    layout = datum_of(values[0])
    fit = datum_of(values[2]) if len(values) > 2 else Symbol("check")
    if not isinstance(layout, str):
        raise op.error("the layout must be a constant string", "make it static")
    if not isinstance(fit, Symbol) or fit.name not in FITS:
        raise op.error(f"expected one of {', '.join(FITS)}, got {brief(fit)}")
    array, _ = op.array(values[1])
    return op.bind(stored(array, layout, fit.name), packed_array(layout), "stored")


def datum_of(value: Value) -> object:
    """The datum of a translated constant."""
    if isinstance(value, Constant):
        return value.datum
    if isinstance(value, Parts):
        return from_iterable([datum_of(part) for part in value.parts])
    return value.value if isinstance(value, Number) else None


_OPERATIONS: Final[
    dict[str, tuple[int, int | None, Callable[[Operation, Sequence[Value]], Value]]]
] = {
    "array": (0, None, _literal),
    "array-map": (2, None, _map),
    "array-filter": (2, 2, _filter),
    "array-reduce": (3, 3, _fold("reduce")),
    "array-scan": (3, 3, _fold("scan")),
    "array-redomap": (4, 4, _redomap),
    "array-bucket-reduce": (5, 5, _bucket_reduce),
    "array-bucket-collect": (3, 3, _bucket_collect),
    "array-group-by": (2, 2, _group_by),
    "array-reduce-segments": (4, 4, _reduce_segments),
    "array-flat-map": (2, 2, _flat_map),
    "array-distinct": (1, 1, _distinct),
    "array-scatter": (3, 3, _scatter),
    "array-iota": (1, 1, _iota),
    "array-replicate": (2, 2, _replicate),
    "array-ref": (2, None, _ref),
    "array-with": (3, None, _with),
    "array-size": (1, 2, _size),
    "array-copy": (1, 1, _copy),
    "array-split": (2, 2, _split),
    "array-concat": (2, 2, _concat),
    "array-zip": (1, None, _zip),
    "array-unzip": (2, 2, _unzip),
    "array-reshape": (2, None, _reshape),
    "array-transpose": (1, 3, _transpose),
    "array-rearrange": (2, None, _rearrange),
    "array-typed": (2, 2, _typed),
    "array-store": (2, 3, _store),
}

VECTORS: Final = {
    "vector": "array",
    "vector-ref": "array-ref",
    "vector-length": "array-size",
    "make-vector": "array-replicate",
}
"""Operations on vectors, and what they are called on arrays."""
