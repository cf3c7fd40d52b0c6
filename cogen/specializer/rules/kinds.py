"""Kinds of dynamic values: conditionals that they decide, and what tests and operations tell.

A path remembers for each residual variable of what kinds it can be (`Facts.kinds`): what operations
give, what they want of their arguments, and in an arm of a conditional what its test says.
Residual blocks start with the kinds of their parameters at the first arrival; where arms meet, with
what was known before their conditional.  An arrival that does not fit takes them away and starts
the block again (`memo.arrivals`).  They are no part of the states that tell versions apart.

A conditional that is decided is no memo point, so a loop with no others would be unrolled.  It is
not decided in the arms of itself, and on one path MOST_DECIDED times for the same operands.
"""

from __future__ import annotations

from typing import Final

from cogen import kinds
from cogen.kinds import ANYTHING, TRUTH, Kinds
from cogen.lang import il
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Dynamic, Test, Value

MOST_DECIDED: Final = 32
"""How often one conditional is decided by the kinds of the same variables on one path."""


def decide(path: Path, node: il.If, test: Value) -> bool | None:
    """What a conditional is to do at once, as far as the kinds of variables tell."""
    answer = _answer(path, test)
    if answer is None or _is_its_own(path, node, test):
        return None
    operands = (test.op, *map(_name, test.arguments)) if type(test) is Test else _name(test)
    path.facts.told[id(node), operands] += 1
    return answer if path.facts.told[id(node), operands] <= MOST_DECIDED else None


def _is_its_own(path: Path, node: il.If, test: Value) -> bool:
    """Whether the path is in an arm of the same conditional on the same operands."""
    block = path.block
    if block.point != ("if", node):
        return False
    before = block.roots[0][1]
    if type(before) is not Test or type(test) is not Test:
        return type(before) is Dynamic is type(test) and before.name == test.name
    return before.op == test.op and [_name(x) for x in before.arguments] == [
        _name(x) for x in test.arguments
    ]


def _name(value: Value) -> object:
    """What tells operands apart."""
    return value.name if type(value) is Dynamic else id(value)


def _answer(path: Path, test: Value) -> bool | None:
    if type(test) is Dynamic:
        return None if path.kinds_of(test) & TRUTH else True
    if type(test) is not Test or test.fails:
        return None
    if test.op in kinds.PREDICATES:
        return kinds.compare(test.op, path.kinds_of(_subject(test)))
    if test.op in kinds.EQUALITIES:
        a, b = test.arguments
        return None if path.kinds_of(a) & path.kinds_of(b) else False
    return None


def learn(path: Path, test: Value, holds: bool) -> None:
    """Enter what follows for its operands from a test's being true or false."""
    if type(test) is Dynamic and not holds:
        _enter(path, test, TRUTH)
    elif type(test) is Test and test.op in kinds.PREDICATES:
        subject = _subject(test)
        _enter(path, subject, kinds.refine(test.op, path.kinds_of(subject), holds))
    elif type(test) is Test and test.op in kinds.EQUALITIES and holds:
        a, b = test.arguments
        both = path.kinds_of(a) & path.kinds_of(b)
        _enter(path, a, both)
        _enter(path, b, both)


def _subject(test: Test) -> Value:
    """What a predicate is about; the first operand of `record-is?` is the type."""
    return test.arguments[-1]


def _enter(path: Path, value: Value, found: Kinds) -> None:
    known = path.kinds_of(value) & found
    if type(value) is Dynamic and known and known != ANYTHING:
        path.facts.kinds[value.name] = known
