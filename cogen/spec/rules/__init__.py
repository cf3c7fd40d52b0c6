"""The rules of all primitives: `rule_of(op)` is how the specializer carries out an operation."""

from __future__ import annotations

from typing import Final

from cogen.lang.prims import PRIMITIVES
from cogen.spec.rules import arith, compare, data, early, equality, markers, masked, memory
from cogen.spec.rules.rule import Rule, general

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
