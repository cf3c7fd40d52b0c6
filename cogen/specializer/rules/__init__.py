"""The rules of all primitives: `rule_of(op)` is how the specializer carries out an operation."""

from __future__ import annotations

from typing import Final

from cogen.kinds import LIST, RECORD, VECTOR
from cogen.lang.prims import PRIMITIVES, PrimitiveError
from cogen.specializer.paths.operation_site import OperationSite
from cogen.specializer.paths.path import Path
from cogen.specializer.rules import arith, compare, data, early, equality, markers, masked, memory
from cogen.specializer.rules.rule import Rule, general
from cogen.specializer.values.domain import Dynamic, PartialPair, PartialRecord, Ref, Static, Value
from cogen.specializer.versions.effort import TooMuch
from cogen.specializer.versions.families import Family, items_of

_TABLE: dict[str, Rule] = {
    **arith.RULES,
    **compare.RULES,
    **data.RULES,
    **early.RULES,
    **equality.RULES,
    **markers.RULES,
    **masked.RULES,
    **memory.RULES,
}


WITH_RULES: Final = frozenset(_TABLE)
"""The primitives that have a rule of their own."""

_OTHER = frozenset(_TABLE).difference(arith.RULES, compare.RULES, equality.KINDS)


def folds(op: str) -> bool:
    """Whether the rule of an operation gives, of constants, what the operation gives."""
    row = PRIMITIVES[op]
    return row.effect == "pure" and not row.context and op not in _OTHER


def rule_of(op: str) -> Rule:
    """The rule of a primitive; the general one if it has none of its own."""
    rule = _TABLE.get(op)
    if rule is None:
        rule = _TABLE[op] = general(op)
    return rule


_KEEPING: Final = frozenset(
    {"cons", "vector", "make-vector", "make-cell", "make-barrier-cell", "make-record", "values"}
    | {"cell-set!", "global-set!", "record-set!", "record-ref", "record-is?", "cell-ref"}
    | {"%boxed", "%unboxed", "lift", "%lift-any", "%lift-value", "%lift-data", "%lift-made"}
    | {"%lift-numbers", "%lift-code", "not", "global-get", "%finite"}
)
"""Operations that take boxes for what they are."""

NEVER_LISTS: Final = frozenset({"int", "float", "number", "string", "char"})
"""Types of which neither lists nor vectors are: operations on these fail on boxes, too."""

_NEVER_VECTORS: Final = frozenset(
    {"null?", "pair?", "list?", "symbol?", "number?", "integer?", "string?", "char?", "boolean?"}
    | {"procedure?"}
)
"""Tests that no vector passes."""

_ASKING: Final = frozenset({"pair?", "list?", "vector?"})
"""Tests of what the records that boxes become stand for."""

_WANTED: Final = {
    **dict.fromkeys(("car", "cdr", "set-car!", "set-cdr!"), LIST),
    **dict.fromkeys(("vector-ref", "vector-set!", "vector-length"), VECTOR),
}
"""Operations that fail on what is of no such kind."""

_ASSIGNING: Final = frozenset({"vector-set!", "vector-fill!", "set-car!", "set-cdr!"})

_SAME: Final = frozenset({"eq?", "eqv?", "early="})

_OPENING: Final[dict[str, Rule]] = {}


def opening(op: str) -> Rule:
    """The rule of a primitive in a program with boxes that open, or hold code
    (`versions.families`): it is given what is in those that open.  `TooMuch`: a box is assigned
    something, or one that has become a record is asked whether it is a list or vector."""
    rule = rule_of(op)
    if op in _KEEPING or NEVER_LISTS.issuperset(PRIMITIVES[op].arguments):
        return rule
    if op not in _OPENING:
        _OPENING[op] = _telling_apart(rule) if op in _SAME else _opened(op, rule)
    return _OPENING[op]


def _telling_apart(rule: Rule) -> Rule:
    """The rule, but for two boxes that are not known to be one: they may be all the same; and for
    two objects of which one is in boxes: it stands for all that are like it
    (`paths.heldobjects`)."""

    def told(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        first, second = values
        are_boxes = first is not second and _opens(first) and _opens(second)
        if are_boxes or _are_held(path, first, second):
            raise TooMuch
        return rule(path, values, site)

    return told


def _opened(op: str, rule: Rule) -> Rule:
    """The rule, of what is in boxes."""
    count = 1 if op in _ASSIGNING else None

    def opened(path: Path, values: tuple[Value, ...], site: OperationSite) -> Value:
        if values and _front(values[0]):
            return _of_fields(path, op, rule, values, site)
        if op in _ASKING and type(values[0]) is Dynamic and path.kinds_of(values[0]) == RECORD:
            raise TooMuch  # it may be one of those that boxes have become
        known = [_content(path, value) for value in values[:count]]
        if count is not None:
            if known[0] is not values[0]:
                raise TooMuch
            known += values[count:]
        if op in _WANTED and not path.kinds_of(known[0]) & _WANTED[op]:
            raise PrimitiveError("type", f"{op}: expected something else")
        return rule(path, tuple(known), site)

    return opened


def _front(value: Value) -> int:
    """How much is in front of the fields in a box (`advice.classedobjects`)."""
    return value.type.front if _opens(value) else 0  # type: ignore[union-attr]


def _of_fields(
    path: Path, op: str, rule: Rule, values: tuple[Value, ...], site: OperationSite
) -> Value:
    """The rule, of the vector that a box stands for: of what is in front, or of the fields.
    `TooMuch`: what is in front is assigned, or that is not known."""
    box, *operands = values
    front, fields = [], box.fields[0]  # type: ignore[union-attr]
    while type(fields) is PartialPair:
        front.append(fields.car)
        fields = fields.cdr
    if op == "vector-length":
        return rule(path, (fields,), site)
    if op == "vector?" or op in _NEVER_VECTORS:
        return Static(op == "vector?")
    index = operands[0].datum if operands and type(operands[0]) is Static else None
    if op not in ("vector-ref", "vector-set!") or type(index) is not int:
        raise TooMuch
    if index >= len(front) or index < 0:
        return rule(path, (fields, *operands), site)
    if op == "vector-set!":
        raise TooMuch
    return front[index]


def _opens(value: Value) -> bool:
    return type(value) is PartialRecord and type(value.type) is Family and value.type.opens


def _are_held(path: Path, first: Value, second: Value) -> bool:
    """Whether two values are objects, and one of them is in boxes."""
    return (
        type(first) is Ref
        and type(second) is Ref
        and (first.number in path.context.held or second.number in path.context.held)
    )


def _content(path: Path, value: Value) -> Value:
    """What is in a box that opens, else the value."""
    if not _opens(value):
        return value
    assert type(value) is PartialRecord
    assert type(value.type) is Family
    content = value.fields[0]
    return path.allocate("vector", items_of(content)) if value.type.is_vector else content
