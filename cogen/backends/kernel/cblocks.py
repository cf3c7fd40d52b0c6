"""Sums in blocks: a loop's narrow additions are first added up in 32 bits.

    for (int64_t q = from; q < to; q++) { … total += narrow; }

becomes, where `narrow` is so small that some hundred rounds or more cannot overflow 32 bits,

    for (int64_t q = from; q < to;) {
        const int64_t q_end = to - q > 32768 ? q + 32768 : to;
        uint32_t total_part = 0;
        for (; q < q_end; q++) { … total_part += narrow; }
        total += total_part;
    }

Twice as many lanes of a vector register add at once: measured with gcc 12 on sums of 16-bit
samples in the second-level cache, 1.6 times as fast; 1.1 times from main memory.

What needs 64 bits is added up in blocks as well, where the total may leave them: that is asked
once a block (`csums`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from cogen.backends.ctree import arithmetic as cv
from cogen.backends.ctree import values as ct
from cogen.backends.ctree.names import Namer
from cogen.backends.ctree.tree import (
    CAssign,
    CDeclare,
    CFor,
    CNumber,
    CVariable,
    CWhile,
    Statement,
    names_of,
)
from cogen.backends.ctree.types import I64, INT, U32, CConst
from cogen.backends.ctree.values import RANGES, CValue
from cogen.lang.datum import INT_MAX, INT_MIN

LEAST_ROUNDS = 512
MOST_ROUNDS = 1 << 15
"""A block has so many rounds; what cannot have the least number is not worth it."""


@dataclass(frozen=True, slots=True)
class LoopCounter:
    """`name` goes from `first` (None if it has its value) by `step` while it is before `end`."""

    name: str
    first: CDeclare | None
    end: CValue
    step: int


def in_blocks(
    counter: LoopCounter,
    body: Sequence[Statement],
    sums: Mapping[str, CValue],
    namer: Namer,
    added: Callable[[str, CVariable], Sequence[Statement]],
) -> Statement | None:
    """The loop in blocks, or None if none of its sums is narrow enough.

    `sums` are the variables that the body adds to, with what it adds; `added` adds what a block's
    sum is in 64 bits to a variable.
    """
    if any(isinstance(statement, CFor | CWhile) for statement in body):
        return None
    parts: dict[str, CVariable] = {}
    rounds = MOST_ROUNDS
    for name, value in sums.items():
        if may_be_in_blocks(name, value, body):
            parts[name] = CVariable(namer.fresh(f"{name}_part"), value.type)
            rounds = min(rounds, _rounds(value))
    if not parts:
        return None
    inner = tuple(_retargeted(statement, parts) for statement in body)
    up = counter.step > 0
    here, size = ct.variable(counter.name, I64), ct.integer(rounds * abs(counter.step))
    left = cv.subtract(counter.end, here) if up else cv.subtract(here, counter.end)
    end = namer.fresh(f"{counter.name}_end")
    far = cv.add(here, size) if up else cv.subtract(here, size)
    last = ct.choice(ct.compare(">", left, size), far, counter.end, INT_MIN, INT_MAX)
    test = "<" if up else ">"
    within = ct.compare(test, here, ct.variable(end, I64)).expr
    step = ct.integer(abs(counter.step)).expr
    block: list[Statement] = [CDeclare(CConst(I64), end, last.expr)]
    for part in parts.values():
        block.append(CDeclare(part.type, part.name, CNumber(0, INT)))
    counted = CAssign(CVariable(counter.name, I64), step, "+=" if up else "-=")
    block.append(CFor(None, within, counted, inner))
    for name, part in parts.items():
        if part.type == I64:
            block += added(name, part)
        else:
            block.append(CAssign(CVariable(name, I64), part, "+="))
    return CFor(counter.first, ct.compare(test, here, counter.end).expr, None, tuple(block))


def may_be_in_blocks(name: str, value: CValue, body: Sequence[Statement]) -> bool:
    """Whether a block could have a part of the sum."""
    return _rounds(value) >= LEAST_ROUNDS and _only_added_to(name, body)


def _rounds(value: CValue) -> int:
    """How often the value can be added up in its type, whatever it is each time."""
    low, high = RANGES[value.type]
    most = [high // value.high] if value.high > 0 else []
    most += [low // value.low] if value.low < 0 else []
    return min(most, default=MOST_ROUNDS) if value.type != U32 or value.low >= 0 else 0


def _only_added_to(name: str, body: Sequence[Statement]) -> bool:
    """Whether the variable's one occurrence is in `name += ...` of the body itself."""
    additions = [s for s in body if isinstance(s, CAssign) and s.target == CVariable(name, I64)]
    return len(additions) == 1 and names_of(*body).count(name) == 1


def _retargeted(statement: Statement, parts: Mapping[str, CVariable]) -> Statement:
    if isinstance(statement, CAssign) and isinstance(statement.target, CVariable):
        part = parts.get(statement.target.name)
        if part is not None:
            value, operator = statement.value, statement.operator
            return CAssign(part, value, operator, places=statement.places)
    return statement
