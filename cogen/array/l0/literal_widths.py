"""Whether the literals of a program fit into an arithmetic that is narrower than the usual one.

A literal of 64 bits is checked when the program is parsed; with 32 bits it may still be too large:
`3000000000` is no int32, `1e300` no float32, nor `1e-60`, which would be 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from cogen.array.l0 import tree
from cogen.array.l0.arithmetic import WIDE, Arithmetic, out_of_range
from cogen.array.l0.extensions import stored_as
from cogen.array.l0.facts import CheckedFacts
from cogen.array.l0.storage import Storage, storage_of
from cogen.array.l0.storing import STORE
from cogen.array.l0.types import INT, REAL, ArrayType, PackedElements, TupleType, Type
from cogen.lang.errors import CogenError, Span


def check_fits(facts: CheckedFacts, entry: str, a: Arithmetic) -> None:
    """CogenError at the first literal of a function, or of one it calls, that is out of range."""
    if a == WIDE:
        return
    reached = [entry]
    for name in reached:
        _check_declared(facts.definitions[name], a)
        for node, negated in _leaves(facts.definitions[name]):
            if isinstance(node, tree.LiteralExpression):
                _check(node, negated, a)
            elif isinstance(node, tree.ExtensionExpression):
                _check_storage(stored_as(node)[0], node.operands[0].span, a)
            elif node.text in facts.definitions and node.text not in reached:
                reached.append(node.text)


def _check(literal: tree.LiteralExpression, negated: bool, a: Arithmetic) -> None:
    value = literal.value
    if literal.type not in (INT, REAL) or not isinstance(value, (int, float)):
        return
    least = negated and value == -a.least and literal.type == INT
    if not least and not a.holds(value):
        raise out_of_range(value, literal.span, a)


def _check_declared(function: tree.FunctionDefinition, a: Arithmetic) -> None:
    """CogenError if a function has parameters whose samples are no ints of the arithmetic."""
    for parameter in function.parameters:
        for t in _packed(parameter.declared):
            _check_storage(storage_of(t.layout), parameter.name.span, a)


def _packed(t: Type) -> list[PackedElements]:
    """What is stored packed in a declared type."""
    match t:
        case PackedElements():
            return [t]
        case ArrayType():
            return _packed(t.element)
        case TupleType():
            return [found for part in t.parts for found in _packed(part)]
    return []


def _check_storage(storage: Storage, span: Span, a: Arithmetic) -> None:
    for samples in storage.leaves:
        for place in range(0 if samples.is_real else len(samples.pieces)):
            low, high = samples.limits(place)
            if a.int_bits < 64 and (low < a.least or high > a.greatest):
                raise CogenError(
                    f"int has {a.int_bits} bits, which do not hold {samples.kind} samples of "
                    f"{samples.size(place)} bits",
                    span,
                )


def _leaves(
    root: object,
) -> Iterator[tuple[tree.LiteralExpression | tree.Name | tree.ExtensionExpression, bool]]:
    """The literals of a tree in the order of the text, and whether they are the operand of `-`;
    the names, which may be those of functions; what stores."""
    waiting: list[tuple[object, bool]] = [(root, False)]
    while waiting:
        node, negated = waiting.pop()
        if isinstance(node, (tree.LiteralExpression, tree.Name)):
            yield node, negated
        elif isinstance(node, tuple):
            waiting.extend([(part, False) for part in reversed(node)])
        elif (
            is_dataclass(node) and isinstance(node, tree.ExtensionExpression) and node.name == STORE
        ):
            yield node, False
            waiting.append((node.operands[1], False))
        elif is_dataclass(node) and type(node).__module__ == tree.__name__:
            minus = isinstance(node, tree.UnaryExpression) and node.operator == "-"
            parts = [getattr(node, field.name) for field in fields(node)]
            waiting.extend([(part, minus) for part in reversed(parts)])
