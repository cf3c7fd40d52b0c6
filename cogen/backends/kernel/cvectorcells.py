"""C of the vectors that are arrays (`kernel.localvectors`): to make one, look at it, and change it.

An array is declared at the top of its function, and filled wherever the vector is made.  There is
none of a vector that nothing looks at.
"""

from __future__ import annotations

from cogen.backends.ctree import tree
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.literals import small
from cogen.backends.ctree.types import I64, CPointer
from cogen.backends.ctree.values import CValue
from cogen.backends.kernel import structured as st
from cogen.backends.kernel.cbody import MACHINE_TYPES, FunctionBody, index_outside
from cogen.backends.kernel.localvectors import MAKERS, LocalVector, vector_used
from cogen.backends.kernel.types import BOOL, FLOAT
from cogen.lang.datum import Datum

ELEMENTS: dict[str, Datum] = {FLOAT: 0.0, BOOL: False}
"""An element of each type, for messages, which only tell lengths; of integers 0."""


def declare_arrays(p: FunctionBody) -> None:
    """Declare the arrays of a function's vectors."""
    for statement in st.walk(p.procedure.body):
        vector = p.types.vectors.get(statement.name) if isinstance(statement, st.Op) else None
        if vector is None or not isinstance(statement, st.Op) or statement.op not in MAKERS:
            continue
        if _is_read(p, statement.name):
            name, length = p.c_name(statement.name), small(vector.length)
            p.out.append(tree.CDeclare(MACHINE_TYPES[vector.kind], name, None, length))


def _is_read(p: FunctionBody, name: str) -> bool:
    """Whether something looks at a vector."""
    return any(
        vector_used(operation) == name and operation.op == "vector-ref" and p.scopes.uses[made]
        for made, operation in p.definitions.items()
    )


def print_vector(p: FunctionBody, operation: st.Op) -> bool:
    """Print an operation that makes, looks at or changes a vector; False if it is none."""
    used = vector_used(operation)
    if operation.op in MAKERS and operation.name in p.types.vectors:
        if _is_read(p, operation.name):
            _make(p, operation, p.types.vectors[operation.name])
    elif used is None or used not in p.types.vectors:
        return False
    elif operation.op == "vector-length":
        length = ct.integer(p.types.vectors[used].length)
        p.define(operation.name, p.told(length, operation.span))
    elif operation.op == "vector-ref":
        _look(p, operation, used)
    else:
        _change(p, operation, used)
    return True


def _cell(p: FunctionBody, name: str, index: tree.Expr) -> tree.CIndex:
    kind = MACHINE_TYPES[p.types.vectors[name].kind]
    return tree.CIndex(tree.CVariable(p.c_name(name), CPointer(kind)), index)


def _make(p: FunctionBody, operation: st.Op, vector: LocalVector) -> None:
    """Fill the array, by a loop, or element by element."""
    if operation.op == "make-vector":
        filled = [p.settled(operation.arguments[1])]
        i = tree.CVariable(p.namer.fresh("i"), I64)
        fill = tree.CAssign(_cell(p, operation.name, i), filled[0].expr)
        first = tree.CDeclare(I64, i.name, small(0))
        test = tree.CBinary("<", i, small(vector.length))
        p.write_reads()
        p.out.append(tree.CFor(first, test, tree.CAssign(i, small(1), "+="), (fill,)))
        return
    filled = [p.settled(atom) for atom in operation.arguments]
    p.write_reads()
    for number, value in enumerate(filled):
        p.out.append(tree.CAssign(_cell(p, operation.name, small(number)), value.expr))


def _look(p: FunctionBody, operation: st.Op, name: str) -> None:
    index = _checked_index(p, operation, name, ())
    if not p.scopes.uses[operation.name]:
        return
    kind = MACHINE_TYPES[p.types.vectors[name].kind]
    weight = index.weight + 2
    cell = _cell(p, name, index.expr)
    if kind == MACHINE_TYPES[BOOL]:
        value = CValue(cell, kind, 0, 1, weight, reads=True)
    else:
        bounds = p.types.vectors[name].bounds
        value = CValue(cell, kind, *bounds, weight, reads=True)
    p.define(operation.name, p.told(value, operation.span))


def _change(p: FunctionBody, operation: st.Op, name: str) -> None:
    value = p.settled(operation.arguments[2])
    index = _checked_index(p, operation, name, (value,))
    if _is_read(p, name):
        p.write_reads()
        p.out.append(tree.CAssign(_cell(p, name, index.expr), value.expr))


def _checked_index(
    p: FunctionBody, operation: st.Op, name: str, more: tuple[CValue, ...]
) -> CValue:
    """The index, behind a test that there is such an element."""
    vector = p.types.vectors[name]
    index = p.settled(operation.arguments[1])
    outside = index_outside(index, ct.integer(vector.length))
    if outside.constant != 0:
        like: Datum = [ELEMENTS.get(vector.kind, 0)] * vector.length
        site, details = p.site(operation.op, [like, index, *more], operation.span)
        p.out.append(tree.CIf(outside.expr, tuple(p.failure(site, details))))
    return index
