"""May two loops be one, and if not, which rule forbids it?

The producer P and the consumer C stand in the same block. P's results that C uses must be arrays of
a Collect, or an unconditional Scan, and C must read them at its own index only: as inputs, or by
Index. If the Collect is conditional, C runs over exactly what it lets through. That all loops which
become one have one size is asked of them together (`cluster`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.fusion.merge import is_count, is_guarded, owner_of, part_key
from cogen.array.fusion.places import Places, User
from cogen.array.node import (
    Block,
    Call,
    Collect,
    Distinct,
    Group,
    Index,
    Multiloop,
    Node,
    Part,
    Scan,
    Trace,
    Yield,
)
from cogen.array.types import Scalar

NEEDS_WHOLE: Final = "needs-whole-result"
INDEXED: Final = "indexed"
INTO_FUNCTION: Final = "into-function"
SIZE: Final = "size"
CONDITIONAL: Final = "conditional"
EFFECTS: Final = "effects"
CONSUMPTION: Final = "crosses-consumption"
DUPLICATES: Final = "duplicates-work"


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why two loops stay apart: the name of a rule, and what is in the way."""

    rule: str
    blocker: Node


def vertical(places: Places, producer: Multiloop, consumer: Multiloop) -> Refusal | None:
    """Why a consumer may not become one loop with a producer, if it may not."""
    for part in places.parts(producer):
        users = [user for user in places.uses[part] if _is_in(places, user, consumer)]
        if not users:
            continue
        y = owner_of(producer, part.index)
        if is_count(y) and part.index == y.first:
            if _uses_otherwise(consumer, part, users):
                return Refusal(NEEDS_WHOLE, consumer)
            continue
        refusal = _elementwise(part, y, users, consumer)
        if refusal is not None:
            return refusal
    return None


def _is_in(places: Places, user: User, consumer: Multiloop) -> bool:
    if user is consumer:
        return True
    block = user if isinstance(user, Block) else places.place[user]
    return any(owner is consumer for owner, _ in places.path(block))


def _uses_otherwise(consumer: Multiloop, size: Part, users: list[User]) -> bool:
    """Whether a loop uses a number for anything else than as its size."""
    return any(user is not consumer for user in users) or size in consumer.operands[1:]


def _elementwise(part: Part, y: Yield, users: list[User], consumer: Multiloop) -> Refusal | None:
    if not isinstance(y.generator, (Collect, Scan)):
        return Refusal(NEEDS_WHOLE, consumer)
    if isinstance(y.generator, Scan) and y.generator.conditional:
        return Refusal(CONDITIONAL, consumer)
    for user in users:
        if user is consumer:
            if part in consumer.operands[1 + len(consumer.inputs) :]:
                return Refusal(NEEDS_WHOLE, consumer)
            continue
        if isinstance(user, Index) and user.indices[0] is consumer.index:
            continue
        if isinstance(user, Block):
            return Refusal(INTO_FUNCTION, consumer)
        return Refusal(INDEXED if isinstance(user, Index) else INTO_FUNCTION, user)
    return None


Context = tuple[Multiloop, int] | None
"""Under whose condition a loop runs when it is part of another: a loop and the first result of the
first of its generators with that condition; None if it runs in every iteration."""


def contexts(places: Places, members: Sequence[Multiloop]) -> dict[Multiloop, Context] | Refusal:
    """Under which conditions the members of a group, ascending, run in one loop.

    A member that runs under a condition must take all its inputs from members that run under the
    same one, and may not use its index, which counts only what was let through. One without inputs
    runs under a condition if it has as many iterations as that lets through.
    """
    found: dict[Multiloop, Context] = {}
    for member in members:
        own: list[Context] = []
        for key in map(part_key, member.inputs):
            if key is None or key[0] not in found:
                continue
            y = owner_of(*key)
            if y.condition is not None:
                own.append(_under(key[0], y))
            elif found[key[0]] is not None and isinstance(y.generator, Scan):
                return Refusal(CONDITIONAL, member)
            else:
                own.append(found[key[0]])
        if not member.inputs:
            own += _counted(member.size, found)
        wanted = [context for context in own if context is not None]
        if not wanted:
            found[member] = None
            continue
        if any(isinstance(generator, (Group, Distinct)) for generator in member.generators):
            return Refusal(CONDITIONAL, member)
        if len(own) < len(member.inputs) or len({*own}) > 1 or places.uses.get(member.index):
            return Refusal(SIZE, member)
        if is_guarded(member) and not all(isinstance(n.type, Scalar) for n in member.body.results):
            return Refusal(CONDITIONAL, member)
        if any(isinstance(y.generator, Scan) and y.generator.running for y in member.yields()):
            return Refusal(CONDITIONAL, member)
        found[member] = wanted[0]
    return found


def _counted(size: Node, found: Mapping[Multiloop, Context]) -> list[Context]:
    """The condition under which a loop runs that has as many iterations as something lets through,
    and looks at nothing."""
    key = part_key(size)
    if key is None or key[0] not in found:
        return []
    y = owner_of(*key)
    return [_under(key[0], y)] if is_count(y) and key[1] == y.first else []


def _under(loop: Multiloop, y: Yield) -> Context:
    """A generator's condition as a context: all that have the same one are one context."""
    return loop, next(other.first for other in loop.yields() if other.condition is y.condition)


def writes(node: Node) -> bool:
    """Whether the blocks of a node write traces, or call what may: two such keep their order."""
    stack: list[Node] = [effect for block in node.blocks for effect in block.effects]
    while stack:
        node = stack.pop()
        if isinstance(node, (Trace, Call)):
            return True
        stack += [effect for block in node.blocks for effect in block.effects]
    return False
