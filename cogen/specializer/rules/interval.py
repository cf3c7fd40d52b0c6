"""Intervals of dynamic integers: tests that they decide, and what tests tell (seed 004, the
example of clipping under "10 < i < 100").

A path remembers an interval for each residual variable of which one is known
(`Facts.intervals`): what loads, masks, arithmetic, `min` and `max` give (`cogen.interval`), and in
an arm of a conditional what its test says.  A cyclic value has that of its quotient, scaled and
moved.  Residual blocks start with the intervals of their parameters at the first arrival; an
arrival that does not fit takes them away and starts the block again (`memo.arrivals`).

Note [Tests decided by intervals]
    A conditional on such a test is no memo point, so it must not be what keeps a loop from being
    unrolled: in `(if (< i (+ 1000 x)) (loop (+ i 1)))` with x from 0 to 255 the first thousand
    answers are known.  So a conditional is decided at once only for fresh operands: on one path,
    not again for the same variables with other offsets, and not more than MOST_DECIDED times.
    Otherwise it is a memo point like any other, behind which the answer is as well known.
"""

from __future__ import annotations

from typing import Final

from cogen import interval
from cogen.interval import Interval
from cogen.lang import il
from cogen.specializer.paths.path import Path
from cogen.specializer.values.domain import Cyclic, Dynamic, Static, Test, Value
from cogen.specializer.values.value_facts import type_of

MOST_DECIDED: Final = 256
"""How often one conditional of the program is decided by intervals on one path."""


def decide(path: Path, op: str, a: Value, b: Value) -> bool | None:
    """What a comparison of integers must give, as far as their intervals tell."""
    return interval.compare(op, path.interval(a), path.interval(b))


def decide_test(path: Path, node: il.If, test: Test) -> bool | None:
    """What a conditional on a delayed test is to do at once; see Note [Tests decided …]."""
    operands = _operands(test)
    if operands is None:
        return None
    op, a, b = operands
    names = tuple([_name(value) for value in (a, b)])
    token = tuple([_token(value) for value in (a, b)])
    decided = path.facts.decided.setdefault(id(node), {})
    if decided.setdefault(names, token) != token or len(decided) > MOST_DECIDED:
        return None
    return decide(path, op, a, b)


def learn(path: Path, test: Value, holds: bool) -> None:
    """Enter what follows for its operands from a test's being true or false."""
    operands = _operands(test)
    if operands is None:
        return
    op, a, b = operands
    if not holds:
        op = interval.NEGATED[op]
    found = interval.refine(op, path.interval(a), path.interval(b))
    if found is not None:
        _enter(path, a, found[0])
        _enter(path, b, found[1])


def _operands(test: Value) -> tuple[str, Value, Value] | None:
    """A test as a comparison of two integers; one with 0 is such a comparison as well."""
    if type(test) is not Test:
        return None
    if test.op not in interval.NEGATED or any(type_of(x) != "int" for x in test.arguments):
        return None
    return test.op, test.arguments[0], test.arguments[1]


def _enter(path: Path, value: Value, found: Interval) -> None:
    """Note the interval of a variable, or of the quotient of a cyclic value."""
    if type(value) is Dynamic:
        path.facts.intervals[value.name] = found
    elif type(value) is Cyclic:
        low = -((value.remainder - found[0]) // value.base)
        high = (found[1] - value.remainder) // value.base
        narrowed = interval.meet((low, high), path.interval(value.quotient))
        if narrowed is not None:
            path.facts.intervals[value.quotient.name] = narrowed


def _name(value: Value) -> object:
    if type(value) is Cyclic:
        return value.quotient.name
    return value.name if type(value) is Dynamic else None


def _token(value: Value) -> object:
    if type(value) is Cyclic:
        return value.base, value.remainder
    return value.datum if type(value) is Static else None
