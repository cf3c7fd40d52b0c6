"""Whether the literals of a program fit into an arithmetic that is narrower than the usual one.

A literal of 64 bits is checked when the program is parsed; with 32 bits it may still be too large:
`3000000000` is no int32, `1e300` no float32, nor `1e-60`, which would be 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from cogen.array.l0 import tree
from cogen.array.l0.arithmetic import WIDE, Arithmetic, out_of_range
from cogen.array.l0.facts import Facts
from cogen.array.l0.types import INT, REAL


def check_fits(facts: Facts, entry: str, a: Arithmetic) -> None:
    """CogenError at the first literal of a function, or of one it calls, that is out of range."""
    if a == WIDE:
        return
    reached = [entry]
    for name in reached:
        for node, negated in _leaves(facts.definitions[name]):
            if isinstance(node, tree.Literal):
                _check(node, negated, a)
            elif node.text in facts.definitions and node.text not in reached:
                reached.append(node.text)


def _check(literal: tree.Literal, negated: bool, a: Arithmetic) -> None:
    value = literal.value
    if literal.type not in (INT, REAL) or not isinstance(value, (int, float)):
        return
    least = negated and value == -a.least and literal.type == INT
    if not least and not a.holds(value):
        raise out_of_range(value, literal.span, a)


def _leaves(root: object) -> Iterator[tuple[tree.Literal | tree.Name, bool]]:
    """The literals of a tree in the order of the text, and whether they are the operand of `-`;
    and the names, which may be those of functions."""
    waiting: list[tuple[object, bool]] = [(root, False)]
    while waiting:
        node, negated = waiting.pop()
        if isinstance(node, (tree.Literal, tree.Name)):
            yield node, negated
        elif isinstance(node, tuple):
            waiting.extend([(part, False) for part in reversed(node)])
        elif is_dataclass(node) and type(node).__module__ == tree.__name__:
            minus = isinstance(node, tree.Unary) and node.operator == "-"
            parts = [getattr(node, field.name) for field in fields(node)]
            waiting.extend([(part, minus) for part in reversed(parts)])
