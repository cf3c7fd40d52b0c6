"""Algebra on operations of known types, and operations on constants.

Only what `prove` has marked is touched.  Floats are never reassociated; the rules that hold for
floats too rest on exact 0 and 1 being identities (`(+ 0 -0.0)` is -0.0).  Where a rule makes an
operation unused, that one may overflow: dropping it is allowed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from cogen.lang import il
from cogen.lang.datum import INT_MAX, INT_MIN, Char, Datum, Symbol
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.specializer.passes import flow_graph as flow
from cogen.specializer.passes.facts import all_nodes, operations, uses
from cogen.specializer.passes.flow_graph import ResidualGraph
from cogen.specializer.passes.number import COMMUTATIVE
from cogen.specializer.passes.rewrite import substitute

SCALAR_KINDS: Final = frozenset({int, bool, Char, Symbol})
"""The kinds of constants that operations are computed on here; not floats, whose functions
differ between machines in the last place."""

MOST_STEPS: Final = 3
"""Adding the greatest integer so often leaves the range of integers from anywhere in it."""


@dataclass(slots=True, eq=False)
class Sight:
    """What a rule sees beside the operation: who made each variable, and how often it is used."""

    made_by: dict[str, flow.Operation]
    uses: dict[str, int]

    def inner(self, atom: il.Atom, once: bool = True) -> flow.Operation | None:
        """The operation that made the atom, if it is the atom's only use."""
        if not isinstance(atom, il.Var) or (once and self.uses.get(atom.name) != 1):
            return None
        return self.made_by.get(atom.name)


Rule = Callable[[flow.Operation, Sight], il.Atom | None]
"""Gives the value of the operation, or changes the operation in place (`_set`) and gives a
variable for it, or None where it does not apply."""


def simplify(graph: ResidualGraph) -> bool:
    """`(let x (+ y 0))` with a number `y` -> `y` for `x`; `(+ (+ y 1) 2)` -> `(+ y 3)`;
    `(< 1 2)` -> `#t`."""
    changed = _represent_offsets(graph)
    sight = Sight({o.name: o for o in operations(graph)}, uses(graph))
    values: dict[str, il.Atom] = {}
    for operation in operations(graph):
        value = _apply(operation, sight)
        if value is None:
            continue
        changed = True
        if not (type(value) is il.Var and value.name == operation.name):
            values[operation.name] = value
    if changed:
        graph.changed(flow.ATOMS)
    substitute(graph, values)
    return changed


def _represent_offsets(graph: ResidualGraph) -> bool:
    """(- x 2^63) -> (+ x -2^63); (+ x 2^63) -> (+ (+ x 2^63-1) 1): a sum of offsets that are
    integers of the language may be none."""
    if all(_unwritable_offset(operation) is None for operation in operations(graph)):
        return False
    for node in all_nodes(graph):
        items: list[flow.Operation | flow.Closures] = []
        for item in node.items:
            if type(item) is flow.Operation and (offset := _unwritable_offset(item)) is not None:
                items += _steps(graph, item, offset)
            items.append(item)
        node.items = items
    graph.changed(flow.ITEMS | flow.ATOMS)
    return True


def _unwritable_offset(operation: flow.Operation) -> int | None:
    """What an operation adds to its first operand, if the constant in it is out of range."""
    if operation.op not in ("+", "-"):
        return None
    number = constant(operation.arguments[1])
    if number is None or INT_MIN <= number <= INT_MAX:
        return None
    return number if operation.op == "+" else -number


def _steps(graph: ResidualGraph, operation: flow.Operation, offset: int) -> list[flow.Operation]:
    """Makes the offset of an operation one that can be written; what goes before it."""
    left = operation.arguments[0]
    before: list[flow.Operation] = []
    while not INT_MIN <= offset <= INT_MAX and len(before) < MOST_STEPS:
        step = INT_MAX if offset > 0 else INT_MIN
        name = graph.fresh(operation.name)
        before.append(
            flow.Operation(name, "+", (left, il.Const(step)), operation.span, type=operation.type)
        )
        left = il.Var(name)
        offset -= step
    operation.op = "+"
    operation.arguments = (left, il.Const(max(INT_MIN, min(INT_MAX, offset))))
    return before


def _apply(operation: flow.Operation, sight: Sight) -> il.Atom | None:
    if sight.uses.get(operation.name, 0) == 0:
        return None
    value = fold(operation)
    if value is not None or not operation.safe:
        return value
    for rule in RULES.get(operation.op, ()):
        value = rule(operation, sight)
        if value is not None:
            return value
    return None


def fold(operation: flow.Operation) -> il.Atom | None:
    """An operation on constants -> its value, unless it fails."""
    values: list[Datum] = []
    for atom in operation.arguments:
        if type(atom) is not il.Const or type(atom.value) not in SCALAR_KINDS:
            return None
        values.append(atom.value)
    row = PRIMITIVES[operation.op]
    if row.effect != "pure" or row.context:
        return None
    try:
        result = row.python(*values)
    except PrimitiveError:
        return None
    return il.Const(result) if type(result) in SCALAR_KINDS else None


def constant(atom: il.Atom) -> int | None:
    """The integer that the atom is."""
    if isinstance(atom, il.Const) and type(atom.value) is int:
        return atom.value
    return None


def _set(operation: flow.Operation, op: str, left: il.Atom, right: int) -> il.Atom | None:
    """Makes the operation `(op left right)` if that constant exists."""
    if not INT_MIN <= right <= INT_MAX:
        return None
    operation.op = op
    operation.arguments = (left, il.Const(right))
    return il.Var(operation.name)


def _right_identity(identity: int) -> Rule:
    """(op x i) -> x"""

    def rule(operation: flow.Operation, _: Sight) -> il.Atom | None:
        left, right = operation.arguments
        return left if constant(right) == identity else None

    return rule


def _left_identity(identity: int) -> Rule:
    """(op i x) -> x"""

    def rule(operation: flow.Operation, _: Sight) -> il.Atom | None:
        left, right = operation.arguments
        return right if constant(left) == identity else None

    return rule


def _zero(operation: flow.Operation, _: Sight) -> il.Atom | None:
    """(op x 0) -> 0, of ints"""
    zero = any(constant(a) == 0 for a in operation.arguments)
    return il.Const(0) if zero and operation.type == "int" else None


def _parts(operation: flow.Operation) -> tuple[il.Atom, int] | None:
    """(op x c) is (x, c), and so is (op c x) if op is not -, shift or the like."""
    left, right = operation.arguments
    if (number := constant(right)) is not None:
        return left, number
    number = constant(left)
    return None if number is None or operation.op not in COMMUTATIVE else (right, number)


def _offset(operation: flow.Operation) -> tuple[il.Atom, int] | None:
    """(+ x c) is (x, c), (- x c) is (x, -c), of ints"""
    if operation.op not in ("+", "-") or operation.type != "int":
        return None
    parts = _parts(operation)
    return parts if parts is None or operation.op == "+" else (parts[0], -parts[1])


def _add_offsets(operation: flow.Operation, sight: Sight) -> il.Atom | None:
    """(x + c1) + c2 -> x + (c1 + c2); the same with -, whose name stays where both have it."""
    outer = _offset(operation)
    if outer is None or (inner := sight.inner(outer[0])) is None:
        return None
    offset = _offset(inner)
    if offset is None:
        return None
    total = offset[1] + outer[1]
    if total == 0:
        return offset[0]
    op = "+" if total > 0 or total == INT_MIN else "-"
    if inner.op == operation.op:
        op = operation.op
    return _set(operation, op, offset[0], total if op == "+" else -total)


def _join_constants(combine: Callable[[int, int], int]) -> Rule:
    """((x op c1) op c2) -> (x op (c1 . c2)), of ints"""

    def rule(operation: flow.Operation, sight: Sight) -> il.Atom | None:
        outer = _parts(operation)
        inner = None if outer is None else sight.inner(outer[0])
        if outer is None or inner is None or inner.op != operation.op:
            return None
        parts = _parts(inner)
        if parts is None or operation.type != "int" or inner.type != "int":
            return None
        return _set(operation, operation.op, parts[0], combine(parts[1], outer[1]))

    return rule


def _join_shifts(operation: flow.Operation, sight: Sight) -> il.Atom | None:
    """(shift (shift x a) b) -> (shift x (a + b)) if both go one way"""
    middle, second = operation.arguments
    inner = sight.inner(middle)
    if inner is None or inner.op != "arithmetic-shift":
        return None
    left, first = inner.arguments
    a, b = constant(first), constant(second)
    if a is None or b is None or (a < 0) != (b < 0):
        return None
    return _set(operation, "arithmetic-shift", left, a + b)


def _needless_mask(operation: flow.Operation, sight: Sight) -> il.Atom | None:
    """(bitwise-and x m) -> x if the bits that x can have are all in m"""
    parts = _parts(operation)
    if parts is None:
        return None
    left, mask = parts
    bits = possible_bits(sight.inner(left, once=False))
    return left if bits is not None and bits & ~mask == 0 else None


def possible_bits(operation: flow.Operation | None) -> int | None:
    """A mask of the bits that the result can have; None if it may be negative or is unknown."""
    if operation is None:
        return None
    if operation.op == "bytevector-u8-ref":
        return 0xFF
    parts = _parts(operation) if len(operation.arguments) == 2 else None
    if parts is None or parts[1] < 0:
        return None
    if operation.op == "bitwise-and":
        return parts[1]
    if operation.op in ("floor-remainder", "modulo") and parts[1] > 0:
        return (1 << (parts[1] - 1).bit_length()) - 1
    return None


def _itself(operation: flow.Operation, _: Sight) -> il.Atom | None:
    """(lift x) -> x"""
    return operation.arguments[0]


def _with_truth(operation: flow.Operation, sight: Sight) -> il.Atom | None:
    """(eq? x #f) -> (not x); (eq? x #t) -> x, of truth values"""
    a, b = operation.arguments
    if type(a) is il.Const:
        a, b = b, a
    if type(a) is not il.Var or type(b) is not il.Const or type(b.value) is not bool:
        return None
    if not b.value:
        operation.op, operation.arguments = "not", (a,)
        return il.Var(operation.name)
    made = sight.inner(a, once=False)
    return a if made is not None and made.type == "bool" else None


RULES: Final[dict[str, tuple[Rule, ...]]] = {
    "+": (_right_identity(0), _left_identity(0), _add_offsets),
    "-": (_right_identity(0), _add_offsets),
    "*": (
        _right_identity(1),
        _left_identity(1),
        _zero,
        _join_constants(lambda a, b: a * b),
    ),
    "arithmetic-shift": (_right_identity(0), _join_shifts),
    "bitwise-and": (
        _right_identity(-1),
        _left_identity(-1),
        _zero,
        _needless_mask,
        _join_constants(lambda a, b: a & b),
    ),
    "bitwise-ior": (
        _right_identity(0),
        _left_identity(0),
        _join_constants(lambda a, b: a | b),
    ),
    "bitwise-xor": (
        _right_identity(0),
        _left_identity(0),
        _join_constants(lambda a, b: a ^ b),
    ),
    "lift": (_itself,),
    "eq?": (_with_truth,),
    "eqv?": (_with_truth,),
    "equal?": (_with_truth,),
}
"""The rules of each operation, in the order in which they are tried."""
