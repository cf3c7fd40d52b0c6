"""Rules of structured data: pairs, vectors, records, cells, multiple values, equality, memory.

A constructor gives a partially static value; a selector on one gives the part.  Mutable objects
live in the path's store as long as every access is static; the first access that is not makes a
residual object of them (`Path.escape`).
"""

from __future__ import annotations

from cogen.lang.datum import NIL, UNSPECIFIED, Pair, Record, from_iterable
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.lang.values import MultipleValues
from cogen.lang.values import VariableCell as RunCell
from cogen.specializer.paths.leaving import table
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules.arith import constant
from cogen.specializer.rules.rule import (
    Rule,
    delayed,
    fold,
    general,
    known,
    make_list,
    make_pair,
)
from cogen.specializer.values import domain
from cogen.specializer.values.elements import RecordField, VectorElement, element
from cogen.specializer.values.value_facts import datum_of

MAX_STATIC_VECTOR = 1 << 16
"""A vector with more elements than this is made at run time."""


def _cons(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    return make_pair(path, values[0], values[1], None, site.span)


def _half(op: str, index: int) -> Rule:
    def rule(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
        value = values[0]
        kind = type(value)
        if kind is domain.PartialPair:
            return value.cdr if index else value.car  # type: ignore[union-attr]
        if kind is domain.Static:
            return domain.Static(PRIMITIVES[op].python(value.datum))  # type: ignore[union-attr]
        cell = owned(path, value, "pair")
        if cell is not None:
            return cell.items[index]
        if not isinstance(value, domain.Dynamic | domain.Ref):
            raise _refused(op, "a pair", value)
        return path.fixed_part(value, "pair", index) or path.emit(op, values, site)

    return rule


def _set_half(op: str, index: int) -> Rule:
    def rule(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
        pair, value = values
        if owned(path, pair, "pair") is not None:
            path.assign(pair, index, value)  # type: ignore[arg-type]
            return domain.Static(UNSPECIFIED)
        path.emit(op, values, site)
        return domain.Static(UNSPECIFIED)

    return rule


def owned(path: Path, value: domain.Value, kind: object) -> domain.Cell | None:
    """The store object of that kind that the value is, while the specializer owns it."""
    if type(value) is not domain.Ref:
        return None
    cell = path.content(value)
    return cell if type(cell) is domain.Cell and cell.kind is kind else None


def _refused(op: str, what: str, value: domain.Value) -> PrimitiveError:
    shown = (
        "a procedure"
        if isinstance(value, domain.Closure | domain.Primitive | domain.Reified)
        else "something else"
    )
    if isinstance(value, domain.PartialPair):
        shown = "a pair"
    if isinstance(value, domain.PartialRecord):
        shown = f"a {value.type.name}"
    if isinstance(value, domain.Cyclic):
        shown = "an integer"
    return PrimitiveError("type", f"{op}: expected {what}, got {shown}")


def spread(path: Path, value: domain.Value) -> list[domain.Value] | None:
    """The items of a list whose spine is known, be it of pairs that are assigned somewhere."""
    items: list[domain.Value] = []
    objects: set[int] = set()
    while True:
        if type(value) is domain.PartialPair:
            items.append(value.car)
            value = value.cdr
        elif type(value) is domain.Static and type(value.datum) is Pair:
            items.append(domain.Static(value.datum.car))
            value = domain.Static(value.datum.cdr)
        elif type(value) is domain.Ref and value.number not in objects:
            objects.add(value.number)  # a circular list is left to fail
            cell = owned(path, value, "pair")
            if cell is None:
                return None
            items.append(cell.items[0])
            value = cell.items[1]
        else:
            break
    return items if type(value) is domain.Static and value.datum is NIL else None


def _list_to_string(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    """A constant if all characters are known, be they in pairs that are assigned somewhere."""
    if known(values):
        return fold("list->string", values)
    items = spread(path, values[0])
    if items is None or not known(items):
        return path.emit("list->string", values, site)
    listed = from_iterable(item.datum for item in items)  # type: ignore[union-attr]
    return fold("list->string", [domain.Static(listed)])


# -- vectors -----------------------------------------------------------------------------------


def _vector(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    return path.allocate("vector", values, site.span)


def _make_vector(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    size = constant(values[0])
    if size is None or not 0 <= size <= MAX_STATIC_VECTOR:
        return path.emit("make-vector", values, site)
    fill = values[1] if len(values) > 1 else domain.Static(UNSPECIFIED)
    return path.allocate("vector", [fill] * size, site.span)


def _vector_length(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    cell = owned(path, values[0], "vector")
    if cell is not None:
        return domain.Static(len(cell.items))
    return _vector_length_general(path, values, site)


def _is_unknown(path: Path, vector: domain.Value) -> bool:
    """Whether nothing is known of any element of a vector, and will not be."""
    if type(vector) is not domain.Dynamic or path.context.mutations.vectors:
        return False
    return all(kind != "vector" for kind, _ in path.facts.parts.get(vector.name, ()))


def _vector_ref(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    vector, index = values
    k = constant(index)
    if k is not None:
        cell = owned(path, vector, "vector")
        if cell is not None:
            _check_index("vector-ref", cell, k)
            return cell.items[k]
        if type(vector) is domain.Static:
            return domain.Static(PRIMITIVES["vector-ref"].python(vector.datum, k))
        fixed = path.fixed_part(vector, "vector", k)
        if fixed is not None:
            return fixed
    else:
        constant_table = table(path, vector)
        if constant_table is not None:
            vector = domain.Static(constant_table)
        if not _is_unknown(path, vector):
            counted = index.quotient if type(index) is domain.Cyclic else index
            path.context.demand.ask(path, counted)
    found = path.words.elements.get(_place(path, vector, index))
    if found is None:
        found = path.emit("vector-ref", (vector, index), site)
        place = path.words.sums.index(_place(path, vector, index))
        path.words.elements = path.words.elements.read(place, found)
    return found


def _place(path: Path, vector: domain.Value, index: domain.Value) -> VectorElement | None:
    """Which element of a residual vector is meant, if the vector is a variable."""
    held = path.content(vector) if type(vector) is domain.Ref else vector
    return element(held.name, index, path.words.sums) if type(held) is domain.Dynamic else None


def _vector_set(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    vector, index, value = values
    k = constant(index)
    cell = owned(path, vector, "vector")
    if cell is not None and k is not None:
        _check_index("vector-set!", cell, k)
        path.assign(vector, k, value)  # type: ignore[arg-type]
        return domain.Static(UNSPECIFIED)
    path.context.slots.assign(k)
    if type(value) is domain.Test:
        values = vector, index, value = vector, index, path.dynamic(value)
    known, fields = path.words.elements, path.words.fields
    path.emit("vector-set!", values, site)
    place = path.words.sums.index(_place(path, vector, index))
    path.words.elements, path.words.fields = known.put(place, value), fields
    return domain.Static(UNSPECIFIED)


def _constant_vector(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    """The vector itself, as a constant if all of its elements are known."""
    vector = values[0]
    cell = owned(path, vector, "vector")
    if cell is None:
        return vector if type(vector) is domain.Static else path.emit(
            "%constant-vector", values, site
        )  # fmt: skip
    items = [datum_of(item) for item in cell.items]
    if any(item is None for item in items):
        return vector
    return domain.Static(path.context.constants.vector(items))


def _check_index(op: str, cell: domain.Cell, index: int) -> None:
    """Raise the error of the primitive itself for an index that is out of range."""
    if not 0 <= index < len(cell.items):
        stand_in: list[object] = [UNSPECIFIED] * len(cell.items)
        rest = (UNSPECIFIED,) if op == "vector-set!" else ()
        PRIMITIVES[op].python(stand_in, index, *rest)


# -- records -----------------------------------------------------------------------------------


def _make_record(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    kind = values[0].datum  # type: ignore[union-attr]
    is_mark = path.context.globals.evaluating and len(values) == 1  # it is known by its identity
    if is_mark or path.context.is_mutable(kind):
        return path.allocate(kind, values[1:], site.span)
    return domain.PartialRecord(kind, values[1:])


def _record_is(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    kind, value = values[0].datum, values[1]  # type: ignore[union-attr]
    if type(value) is domain.PartialRecord:
        return domain.Static(value.type is kind)
    if type(value) is domain.Ref and type(cell := path.content(value)) is domain.Cell:
        return domain.Static(cell.kind is kind)
    if type(value) is domain.Dynamic and value.type == "any":
        return delayed(path, "record-is?", values, site)
    if type(value) is domain.Static:
        return domain.Static(isinstance(value.datum, Record) and value.datum.type is kind)
    if type(value) is domain.Ref:
        return delayed(path, "record-is?", values, site)
    return domain.Static(False)


def _record_ref(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    kind, index, value = values[0].datum, constant(values[1]), values[2]  # type: ignore[union-attr]
    assert index is not None
    if type(value) is domain.PartialRecord and value.type is kind:
        return value.fields[index]
    cell = owned(path, value, kind)
    if cell is not None:
        return cell.items[index]
    if type(value) is domain.Static:
        return domain.Static(PRIMITIVES["record-ref"].python(kind, index, value.datum))
    if not isinstance(value, domain.Dynamic | domain.Ref):
        raise _refused(f"{kind.name}-{kind.fields[index]}", f"a {kind.name}", value)
    found = path.fixed_part(value, kind, index) or path.words.fields.get(_field(path, values))
    if found is None:
        found = path.emit("record-ref", values, site)
        path.words.fields = path.words.fields.read(_field(path, values), found)
    return found


def _field(path: Path, values: tuple[domain.Value, ...]) -> RecordField | None:
    """Which field of a residual record is meant, if the record is a variable."""
    kind, index, record = values[0].datum, constant(values[1]), values[2]  # type: ignore[union-attr]
    held = path.content(record) if type(record) is domain.Ref else record
    return RecordField(held.name, id(kind), index) if type(held) is domain.Dynamic else None  # type: ignore[arg-type]


def _record_set(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    kind, index = values[0].datum, constant(values[1])  # type: ignore[union-attr]
    assert index is not None
    if owned(path, values[2], kind) is not None:
        path.assign(values[2], index, values[3])  # type: ignore[arg-type]
        return domain.Static(UNSPECIFIED)
    elements, known = path.words.elements, path.words.fields
    path.emit("record-set!", values, site)
    fields = known.put(_field(path, values), id(kind), index, values[3])
    path.words.elements, path.words.fields = elements, fields
    return domain.Static(UNSPECIFIED)


# -- cells and globals -------------------------------------------------------------------------


def _make_cell(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    return path.allocate("cell", values, site.span)


def _cell_ref(op: str) -> Rule:
    def rule(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
        cell = owned(path, values[0], "cell")
        if cell is None:
            return path.emit(op, values, site)
        content = cell.items[0]
        if op == "cell-ref/check" and type(content) is domain.Static:
            check = PRIMITIVES[op].python
            return domain.Static(check(RunCell(content.datum), values[1].datum))  # type: ignore[union-attr]
        return content

    return rule


def _cell_set(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    if owned(path, values[0], "cell") is not None:
        path.assign(values[0], 0, values[1])  # type: ignore[arg-type]
    else:
        path.emit("cell-set!", values, site)
    return domain.Static(UNSPECIFIED)


def _global_get(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    name = values[0].datum.name  # type: ignore[union-attr]
    return _cell_ref("cell-ref")(path, (path.context.globals.cell(name),), site.named(name))


def _global_set(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    name = values[0].datum.name  # type: ignore[union-attr]
    return _cell_set(path, (path.context.globals.cell(name), values[1]), site.named(name))


# -- multiple values ---------------------------------------------------------------------------


def _values(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    return values[0] if len(values) == 1 else domain.Several(values)


def _is_values(path: Path, values: tuple[domain.Value, ...], site: OperationSite) -> domain.Value:
    value = values[0]
    if type(value) is domain.Several:
        return domain.Static(True)
    if type(value) is domain.Static:
        return domain.Static(type(value.datum) is MultipleValues)
    if type(value) is domain.Dynamic and value.type == "any":
        return delayed(path, "values?", values, site)
    return domain.Static(False)


def _values_to_list(
    path: Path, values: tuple[domain.Value, ...], site: OperationSite
) -> domain.Value:
    if type(values[0]) is domain.Several:
        return make_list(path, values[0].values, "values->list")
    if type(values[0]) is domain.Dynamic:
        return path.emit("values->list", values, site)
    return make_list(path, values, "values->list")


RULES: dict[str, Rule] = {
    "cons": _cons,
    "car": _half("car", 0),
    "cdr": _half("cdr", 1),
    "set-car!": _set_half("set-car!", 0),
    "set-cdr!": _set_half("set-cdr!", 1),
    "list->string": _list_to_string,
    "vector": _vector,
    "make-vector": _make_vector,
    "vector-length": _vector_length,
    "vector-ref": _vector_ref,
    "vector-set!": _vector_set,
    "%constant-vector": _constant_vector,
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
}
_vector_length_general = general("vector-length")
