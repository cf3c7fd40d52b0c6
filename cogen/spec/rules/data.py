"""Rules of structured data: pairs, vectors, records, cells, multiple values, equality, memory.

A constructor gives a partially static value; a selector on one gives the part.  Mutable objects
live in the path's store as long as every access is static; the first access that is not makes a
residual object of them (`Path.escape`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from cogen.lang.datum import NIL, UNSPECIFIED, Char, Pair, Record, Symbol, eqv
from cogen.lang.errors import Span
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.lang.values import Cell as RunCell
from cogen.lang.values import MultipleValues
from cogen.spec.alias import MEMORY
from cogen.spec.domain import (
    Cell,
    Closure,
    Cyclic,
    Dynamic,
    PartialPair,
    PartialRecord,
    Primitive,
    Ref,
    Reified,
    Several,
    Static,
    Test,
    Value,
    is_true,
)
from cogen.spec.known import datum_of, fits, type_of
from cogen.spec.path import Path
from cogen.spec.rules.arith import constant, view
from cogen.spec.rules.compare import equal
from cogen.spec.rules.rule import Rule, delayed, fold, general, known, make_list, make_pair

MAX_STATIC_VECTOR = 1 << 16
"""A vector with more elements than this is made at run time."""


def _cons(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    return make_pair(path, values[0], values[1], None, span)


def _half(op: str, index: int) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        value = values[0]
        kind = type(value)
        if kind is PartialPair:
            return value.cdr if index else value.car  # type: ignore[union-attr]
        if kind is Static:
            return Static(PRIMITIVES[op].python(value.datum))  # type: ignore[union-attr]
        cell = _owned(path, value, "pair")
        if cell is not None:
            return cell.items[index]
        if not isinstance(value, Dynamic | Ref):
            raise _refused(op, "a pair", value)
        return path.emit(op, values, span, hint)

    return rule


def _set_half(op: str, index: int) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        pair, value = values
        if _owned(path, pair, "pair") is not None:
            path.assign(pair, index, value)  # type: ignore[arg-type]
            return Static(UNSPECIFIED)
        path.emit(op, values, span, hint)
        return Static(UNSPECIFIED)

    return rule


def _owned(path: Path, value: Value, kind: object) -> Cell | None:
    """The store object of that kind that the value is, while the specializer owns it."""
    if type(value) is not Ref:
        return None
    cell = path.content(value)
    return cell if type(cell) is Cell and cell.kind is kind else None


def _refused(op: str, what: str, value: Value) -> PrimitiveError:
    shown = "a procedure" if isinstance(value, Closure | Primitive | Reified) else "something else"
    if isinstance(value, PartialPair):
        shown = "a pair"
    if isinstance(value, PartialRecord):
        shown = f"a {value.type.name}"
    if isinstance(value, Cyclic):
        shown = "an integer"
    return PrimitiveError("type", f"{op}: expected {what}, got {shown}")


# -- vectors -----------------------------------------------------------------------------------


def _vector(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    return path.allocate("vector", values, span)


def _make_vector(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    size = constant(values[0])
    if size is None or not 0 <= size <= MAX_STATIC_VECTOR:
        return path.emit("make-vector", values, span, hint)
    fill = values[1] if len(values) > 1 else Static(UNSPECIFIED)
    return path.allocate("vector", [fill] * size, span)


def _vector_length(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    cell = _owned(path, values[0], "vector")
    if cell is not None:
        return Static(len(cell.items))
    return _vector_length_general(path, values, span, hint, delay)


def _vector_ref(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    vector, index = values
    k = constant(index)
    if k is not None:
        cell = _owned(path, vector, "vector")
        if cell is not None:
            _check_index("vector-ref", cell, k)
            return cell.items[k]
        if type(vector) is Static:
            return Static(PRIMITIVES["vector-ref"].python(vector.datum, k))
    else:
        path.spec.demand.ask(path, index)
        table = path.table(vector)
        if table is not None:
            vector = Static(table)
    return path.emit("vector-ref", (vector, index), span, hint)


def _vector_set(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    vector, index, value = values
    k = constant(index)
    cell = _owned(path, vector, "vector")
    if cell is not None and k is not None:
        _check_index("vector-set!", cell, k)
        path.assign(vector, k, value)  # type: ignore[arg-type]
        return Static(UNSPECIFIED)
    path.emit("vector-set!", values, span, hint)
    return Static(UNSPECIFIED)


def _constant_vector(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """The vector itself, as a constant if all of its elements are known."""
    vector = values[0]
    cell = _owned(path, vector, "vector")
    if cell is None:
        return vector if type(vector) is Static else path.emit(
            "%constant-vector", values, span, hint
        )  # fmt: skip
    items = [datum_of(item) for item in cell.items]
    if any(item is None for item in items):
        return vector
    return Static(path.spec.constant_vector(items))


def _check_index(op: str, cell: Cell, index: int) -> None:
    """Raise the error of the primitive itself for an index that is out of range."""
    if not 0 <= index < len(cell.items):
        stand_in: list[object] = [UNSPECIFIED] * len(cell.items)
        rest = (UNSPECIFIED,) if op == "vector-set!" else ()
        PRIMITIVES[op].python(stand_in, index, *rest)


# -- records -----------------------------------------------------------------------------------


def _make_record(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    kind = values[0].datum  # type: ignore[union-attr]
    if path.spec.is_mutable(kind):
        return path.allocate(kind, values[1:], span)
    return PartialRecord(kind, values[1:])


def _record_is(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    kind, value = values[0].datum, values[1]  # type: ignore[union-attr]
    if type(value) is PartialRecord:
        return Static(value.type is kind)
    if type(value) is Ref and type(cell := path.content(value)) is Cell:
        return Static(cell.kind is kind)
    if type(value) is Dynamic and value.type == "any":
        return delayed(path, "record-is?", values, span, hint, delay)
    if type(value) is Static:
        return Static(isinstance(value.datum, Record) and value.datum.type is kind)
    if type(value) is Ref:
        return delayed(path, "record-is?", values, span, hint, delay)
    return Static(False)


def _record_ref(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    kind, index, value = values[0].datum, constant(values[1]), values[2]  # type: ignore[union-attr]
    assert index is not None
    if type(value) is PartialRecord and value.type is kind:
        return value.fields[index]
    cell = _owned(path, value, kind)
    if cell is not None:
        return cell.items[index]
    if type(value) is Static:
        return Static(PRIMITIVES["record-ref"].python(kind, index, value.datum))
    if not isinstance(value, Dynamic | Ref):
        raise _refused(f"{kind.name}-{kind.fields[index]}", f"a {kind.name}", value)
    return path.emit("record-ref", values, span, hint)


def _record_set(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    kind, index = values[0].datum, constant(values[1])  # type: ignore[union-attr]
    assert index is not None
    if _owned(path, values[2], kind) is not None:
        path.assign(values[2], index, values[3])  # type: ignore[arg-type]
        return Static(UNSPECIFIED)
    path.emit("record-set!", values, span, hint)
    return Static(UNSPECIFIED)


# -- cells and globals -------------------------------------------------------------------------


def _make_cell(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    return path.allocate("cell", values, span)


def _cell_ref(op: str) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        cell = _owned(path, values[0], "cell")
        if cell is None:
            return path.emit(op, values, span, hint)
        content = cell.items[0]
        if op == "cell-ref/check" and type(content) is Static:
            check = PRIMITIVES[op].python
            return Static(check(RunCell(content.datum), values[1].datum))  # type: ignore[union-attr]
        return content

    return rule


def _cell_set(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if _owned(path, values[0], "cell") is not None:
        path.assign(values[0], 0, values[1])  # type: ignore[arg-type]
    else:
        path.emit("cell-set!", values, span, hint)
    return Static(UNSPECIFIED)


def _global_get(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    name = values[0].datum.name  # type: ignore[union-attr]
    return _cell_ref("cell-ref")(path, (path.spec.top_level.cell(name),), span, name, delay)


def _global_set(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    name = values[0].datum.name  # type: ignore[union-attr]
    return _cell_set(path, (path.spec.top_level.cell(name), values[1]), span, name, delay)


# -- multiple values ---------------------------------------------------------------------------


def _values(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    return values[0] if len(values) == 1 else Several(values)


def _is_values(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    value = values[0]
    if type(value) is Several:
        return Static(True)
    if type(value) is Static:
        return Static(type(value.datum) is MultipleValues)
    if type(value) is Dynamic and value.type == "any":
        return delayed(path, "values?", values, span, hint, delay)
    return Static(False)


def _values_to_list(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if type(values[0]) is Several:
        return make_list(path, values[0].values, "values->list")
    if type(values[0]) is Dynamic:
        return path.emit("values->list", values, span, hint)
    return make_list(path, values, "values->list")


# -- predicates --------------------------------------------------------------------------------


def _not(path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool) -> Value:
    truth = is_true(values[0])
    if truth is not None:
        return Static(not truth)
    value = values[0]
    if not delay and type(value) is Test:
        return path.emit("not", (path.dynamic(value),), span, hint)
    if type(value) is Test and path.pending is value:
        test = Test("not", values, value.fails, span)
        path.pending = test
        return test
    return delayed(path, "not", values, span, hint, delay)


def _kind_predicate(op: str, holds: Callable[[Value, str], bool | None]) -> Rule:
    """A predicate on what kind of thing a value is; `holds` answers None if it cannot tell."""
    otherwise = general(op)

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        value = values[0]
        if type(value) is not Static:
            kind = type_of(value)
            if type(value) is Ref:
                cell = path.content(value)
                kind = cell.kind if type(cell) is Cell and type(cell.kind) is str else "any"
                if type(cell) is Cell and type(cell.kind) is not str:
                    kind = "record"
            if kind != "any":
                answer = holds(value, kind)
                if answer is not None:
                    return Static(answer)
        return otherwise(path, values, span, hint, delay)

    return rule


def _is(*types: str) -> Callable[[Value, str], bool | None]:
    return lambda value, kind: kind in types


def _whole(value: Value, kind: str) -> bool | None:
    return None if kind == "float" else kind == "int"


def _equality(op: str) -> Rule:
    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        a, b = values
        if view(a) is not None or view(b) is not None:
            if fits(type_of(a), "int") and fits(type_of(b), "int"):
                return equal(path, values, span, hint, delay)
            if type_of(a) != "any" and type_of(b) != "any":
                return Static(False)
        unsure = _unsure(path, a, b, deep=op == "equal?")
        if not unsure:
            return Static(unsure is not None)
        if len(unsure) == 1 and unsure[0] != (a, b):
            return rule(path, unsure[0], span, hint, delay)
        if op == "equal?" and (_is_simple(a) or _is_simple(b)):
            return _equal_to_constant(path, values, span, hint, delay)
        return delayed(path, op, values, span, hint, delay and op != "equal?")

    return rule


def _hash(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    datum = datum_of(values[0])
    if datum is None:
        return path.emit("equal-hash", values, span, hint)
    return Static(PRIMITIVES["equal-hash"].python(datum))


def _equal_to_constant(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    constant, other = values if _is_simple(values[0]) else reversed(values)
    datum = constant.datum  # type: ignore[union-attr]
    if datum is NIL:
        return _PREDICATES["null?"](path, (other,), span, hint, delay)
    op = "eq?" if type(datum) in (Symbol, bool) else "eqv?"
    return delayed(path, op, values, span, hint, delay)


def _is_simple(value: Value) -> bool:
    """Whether nothing but the value itself is `equal?` to a constant."""
    if type(value) is not Static:
        return False
    kind = type(value.datum)
    return kind is Symbol or kind is int or kind is bool or kind is Char or value.datum is NIL


def same(path: Path, a: Value, b: Value, deep: bool) -> bool | None:
    """Whether two values are `eqv?` (or `equal?`, if deep), None if only a run can tell."""
    unsure = _unsure(path, a, b, deep)
    return False if unsure is None else None if unsure else True


def _unsure(path: Path, a: Value, b: Value, deep: bool) -> list[tuple[Value, Value]] | None:
    """The parts of two values of which only a run can tell whether they are the same, where all
    others are; None if some are not."""
    work = [(a, b)]
    found: list[tuple[Value, Value]] = []
    met: set[tuple[object, object]] = set()
    while work:
        a, b = work.pop()
        if a is b:
            continue
        if type(a) is Ref and type(b) is Ref and a.number == b.number:
            continue
        if type(a) is Dynamic and type(b) is Dynamic and a.name == b.name:
            continue
        if deep:
            parts = _pair_parts(path, a), _pair_parts(path, b)
            if parts[0] is not None and parts[1] is not None:
                couple = _object(a), _object(b)
                if couple in met:
                    continue  # pairs may be circular: what is compared already is no difference
                met.add(couple)
                work.extend(zip(parts[0], parts[1], strict=True))
                continue
        answer = _same_leaf(path, a, b, deep)
        if answer is False:
            return None
        if answer is None:
            found.append((a, b))
    return found


def _object(pair: Value) -> object:
    """What tells a pair from others."""
    if type(pair) is Ref:
        return pair.number
    return id(pair.datum if type(pair) is Static else pair)


def _pair_parts(path: Path, value: Value) -> tuple[Value, Value] | None:
    if type(value) is PartialPair:
        return value.car, value.cdr
    if type(value) is Static and type(value.datum) is Pair:
        return Static(value.datum.car), Static(value.datum.cdr)
    cell = _owned(path, value, "pair")
    return (cell.items[0], cell.items[1]) if cell is not None else None


def _same_leaf(path: Path, a: Value, b: Value, deep: bool) -> bool | None:
    if type(a) is Static and type(b) is Static:
        if deep:
            return bool(PRIMITIVES["equal?"].python(a.datum, b.datum))
        return eqv(a.datum, b.datum)
    residual = (Dynamic, Cyclic, Test)
    if isinstance(a, residual) or isinstance(b, residual):
        first, second = type_of(a), type_of(b)
        if {first.partition(":")[0], second.partition(":")[0]} == {MEMORY}:
            return None  # the numbers tell buffers of an entry apart, which may be the same
        if "any" not in (first, second) and first != second:
            return False
        return None
    if _is_residual_ref(path, a) or _is_residual_ref(path, b):
        return None
    if deep and type(a) is type(b) and isinstance(a, Ref | PartialRecord | Several):
        return None
    if isinstance(a, Closure) and isinstance(b, Closure) and a.function is b.function:
        return None if path.spec.liveness.of_function(a.function) else True
    if isinstance(a, Primitive) and isinstance(b, Primitive):
        return a.name == b.name
    return False


def _is_residual_ref(path: Path, value: Value) -> bool:
    return type(value) is Ref and type(path.content(value)) is Dynamic


# -- annotations and memory --------------------------------------------------------------------


def _lift(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    value = path.dynamic(values[0])
    return path.spec.demand.unwatched(path, value)


def _lift_of(kinds: frozenset[type]) -> Rule:
    """Advice (`cogen.spec.advice`): numbers, characters, strings and values of these kinds become
    dynamic; what steers (names, lists, truth values) stays what it is."""

    def rule(
        path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
    ) -> Value:
        value = values[0]
        kind = type(value)
        if type(value) is Dynamic and value.type in _PLAIN_TYPES:
            return path.spec.demand.unwatched(path, value)
        if kind in kinds or (kind is Static and type(value.datum) in _PLAIN):  # type: ignore[union-attr]
            return path.dynamic(value)
        return value

    return rule


_PLAIN = frozenset({int, float, str, Char})
_PLAIN_TYPES = frozenset({"int", "float", "string", "char"})


def _early_equal(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """A static test on names (seed 004, early equality): true only if surely equal."""
    a, b = values
    x, y = view(a), view(b)
    if x is not None and y is not None:
        return Static(x[0] == y[0] and x[1] == y[1] and x[2].name == y[2].name)
    return Static(same(path, a, b, deep=False) is True)


def _word_size(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    return Static(path.spec.options.word_size)


_PREDICATES: dict[str, Rule] = {
    "pair?": _kind_predicate("pair?", _is("pair")),
    "null?": _kind_predicate("null?", _is()),
    "vector?": _kind_predicate("vector?", _is("vector")),
    "procedure?": _kind_predicate("procedure?", _is("procedure")),
    "symbol?": _kind_predicate("symbol?", _is("symbol")),
    "string?": _kind_predicate("string?", _is("string")),
    "char?": _kind_predicate("char?", _is("char")),
    "boolean?": _kind_predicate("boolean?", _is("bool")),
    "number?": _kind_predicate("number?", _is("int", "float")),
    "integer?": _kind_predicate("integer?", _whole),
    "exact-integer?": _kind_predicate("exact-integer?", _is("int")),
    "exact?": _kind_predicate("exact?", lambda v, kind: {"int": True, "float": False}.get(kind)),
    "inexact?": _kind_predicate(
        "inexact?", lambda v, kind: {"int": False, "float": True}.get(kind)
    ),
}

KINDS: Final[frozenset[str]] = frozenset(_PREDICATES)
"""The predicates on what kind of thing a value is."""


def _finite(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """A list that only the residual program knows is taken to end, where nothing makes circular
    ones: else each procedure of lists would go through it twice."""
    if known(values):
        return fold("%finite", values)
    if path.spec.circular_lists and type(values[1]) is Dynamic:
        return path.emit("%finite", values, span, hint)
    return values[1]


def _is_circular(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    if known(values):
        return fold("%circular?", values)
    end = values[0]
    while type(end) is PartialPair:
        end = end.cdr
    if type(end) is Static or not path.spec.circular_lists:
        return Static(False)
    return delayed(path, "%circular?", values, span, hint, delay)


def _string_content(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """A string that is known is a constant."""
    value = values[1]
    if type(value) is Static and type(value.datum) is str:
        return value
    return path.emit("%string-content", values, span, hint)


def _fresh_string(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    """Strings that can be changed are the residual program's."""
    return path.emit("%fresh-string", values, span, hint)


def _mutable_ref(
    path: Path, values: tuple[Value, ...], span: Span | None, hint: str, delay: bool
) -> Value:
    value = values[0]
    if type(value) is Static and type(value.datum) is str:
        return _CONSTANT_REF(path, values, span, hint, delay)
    return path.emit("%string-ref", values, span, hint)


_CONSTANT_REF: Final = general("string-ref")

RULES: dict[str, Rule] = {
    "%string-content": _string_content,
    "%string-ref": _mutable_ref,
    "%fresh-string": _fresh_string,
    "cons": _cons,
    "car": _half("car", 0),
    "cdr": _half("cdr", 1),
    "set-car!": _set_half("set-car!", 0),
    "set-cdr!": _set_half("set-cdr!", 1),
    "vector": _vector,
    "make-vector": _make_vector,
    "vector-length": _vector_length,
    "vector-ref": _vector_ref,
    "vector-set!": _vector_set,
    "%constant-vector": _constant_vector,
    "%finite": _finite,
    "%circular?": _is_circular,
    "make-record": _make_record,
    "record-is?": _record_is,
    "record-ref": _record_ref,
    "record-set!": _record_set,
    "make-cell": _make_cell,
    "cell-ref": _cell_ref("cell-ref"),
    "cell-ref/check": _cell_ref("cell-ref/check"),
    "cell-set!": _cell_set,
    "global-get": _global_get,
    "global-set!": _global_set,
    "values": _values,
    "values?": _is_values,
    "values->list": _values_to_list,
    "not": _not,
    "eq?": _equality("eq?"),
    "eqv?": _equality("eqv?"),
    "equal?": _equality("equal?"),
    "equal-hash": _hash,
    "lift": _lift,
    "%lift-value": _lift_of(frozenset({Closure, Primitive})),
    "%lift-data": _lift_of(frozenset()),
    "%lift-made": _lift_of(frozenset({PartialPair, PartialRecord})),
    "early=": _early_equal,
    "word-size": _word_size,
    **_PREDICATES,
}
_vector_length_general = general("vector-length")
