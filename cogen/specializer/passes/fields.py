"""Leaves out the fields of boxes that nothing reads (`versions.families`).

The specializer makes the records of boxes itself and looks into them where it knows of which
type they are; they go nowhere else, so what is in a field that is never read is of no use.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.datum import RecordType
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes
from cogen.specializer.passes.flow_graph import ResidualGraph


def drop_fields(graph: ResidualGraph) -> bool:
    """`(make-record T a b)` -> `(make-record T b)` where nothing reads the first field."""
    boxes = {id(box): box for box in graph.boxes}
    if not boxes:
        return False
    operations = [
        (item, box)
        for node in all_nodes(graph)
        for item in node.items
        if type(item) is flow.Operation and (box := boxes.get(_type_of(item))) is not None
    ]
    read: dict[RecordType, set[int]] = {box: set() for box in graph.boxes}
    for item, box in operations:
        if item.op == "record-ref":
            read[box].add(_index(item))
    fewer = {box: sorted(read[box]) for box in graph.boxes if len(read[box]) < len(box.fields)}
    if not fewer:
        return False
    new = {
        box: RecordType(box.name, tuple(box.fields[k] for k in kept)) for box, kept in fewer.items()
    }
    for item, box in operations:
        if box in fewer:
            item.arguments = _with_fewer(item, new[box], fewer[box])
    graph.records = tuple(new.get(record, record) for record in graph.records)
    graph.boxes = tuple(new.get(box, box) for box in graph.boxes)
    graph.changed(flow.ATOMS | flow.LESS)
    return True


def _type_of(operation: flow.Operation) -> int:
    """The identity of the record type that an operation is about; 0 if it is about none."""
    first = operation.arguments[0] if operation.arguments else None
    return id(first.value) if type(first) is il.Const and type(first.value) is RecordType else 0


def _index(operation: flow.Operation) -> int:
    index = operation.arguments[1]
    assert type(index) is il.Const
    assert type(index.value) is int
    return index.value


def _with_fewer(operation: flow.Operation, box: RecordType, kept: list[int]) -> tuple[il.Atom, ...]:
    """The operands of an operation on boxes of which some fields are kept."""
    arguments = operation.arguments
    if operation.op == "make-record":
        return (il.Const(box), *(arguments[1 + k] for k in kept))
    if operation.op == "record-ref":
        return (il.Const(box), il.Const(kept.index(_index(operation))), *arguments[2:])
    return (il.Const(box), *arguments[1:])
