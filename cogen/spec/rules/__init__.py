"""The rules of all primitives: `rule_of(op)` is how the specializer carries out an operation."""

from __future__ import annotations

from cogen.spec.rules import arith, compare, data, early, masked, memory
from cogen.spec.rules.rule import Rule, general

_TABLE: dict[str, Rule] = {
    **arith.RULES,
    **compare.RULES,
    **data.RULES,
    **early.RULES,
    **masked.RULES,
    **memory.RULES,
}


_OWN = frozenset(_TABLE)


def has_own_rule(op: str) -> bool:
    """Whether an operation's rule is not the general one."""
    return op in _OWN


def rule_of(op: str) -> Rule:
    """The rule of a primitive; the general one if it has none of its own."""
    rule = _TABLE.get(op)
    if rule is None:
        rule = _TABLE[op] = general(op)
    return rule
