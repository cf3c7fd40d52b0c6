"""May two loops be one, and if not, which rule forbids it?

The producer P and the consumer C stand in the same block. P's results that C uses must be arrays of
a Collect or a Scan, and C must read them at its own index only: as inputs, or by Index. If they are
conditional, C runs over exactly what is let through. That all loops which
become one have one size is asked of them together (`cluster`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.fusion.inputs import is_expression
from cogen.array.fusion.mergedgenerators import Key, is_count, may_run, part_key
from cogen.array.fusion.mergeloops import is_guarded, owner_of
from cogen.array.fusion.mirror import captured
from cogen.array.fusion.nodeplaces import Places, User
from cogen.array.ir.generators import is_numbered
from cogen.array.ir.graphtypes import GraphArray, ScalarType
from cogen.array.ir.node import (
    Block,
    Index,
    Multiloop,
    Node,
    Part,
    Yield,
)

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
    if not y.generator.by_iteration or y.spread:
        return Refusal(NEEDS_WHOLE, consumer)
    if y.generator.gives_each and y.conditional and not may_run(y):
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

    A member that runs under a condition must take its inputs from members that run under the same
    one, save those that are expressions of its index, which counts what was let through. One
    without inputs runs under a condition if it has as many iterations as that lets through.
    """
    found: dict[Multiloop, Context] = {}
    for member in members:
        own: list[Context] = []
        for key in map(part_key, member.inputs):
            if key is None or key[0] not in found:
                continue
            y = owner_of(*key)
            if found[key[0]] is not None and y.generator.gives_each and not may_run(y):
                return Refusal(CONDITIONAL, member)
            own.append(_made_under(key, found))
        if not member.inputs:
            own += _counted(member.size, found)
        wanted = [context for context in own if context is not None]
        if wanted:
            refusal = _under_condition(places, member, own, found)
            if refusal is not None:
                return refusal
        context = wanted[0] if wanted else None
        if any(_made_under(key, found) != context for key in _read_by_index(member, found)):
            return Refusal(INDEXED, member)
        found[member] = context
    return found


def _made_under(key: Key, found: Mapping[Multiloop, Context]) -> Context:
    """The condition under which a member gives the elements of an array."""
    y = owner_of(*key)
    return found[key[0]] if y.condition is None else _under(key[0], y)


def _under_condition(
    places: Places, member: Multiloop, own: list[Context], found: Mapping[Multiloop, Context]
) -> Refusal | None:
    """Why a loop may not run under the condition under which its inputs are made."""
    if any(map(is_numbered, member.generators)):
        return Refusal(CONDITIONAL, member)
    expressions = [array for array in member.inputs if is_expression(array)]
    if len(own) < len(member.inputs) - len(expressions) or len({*own}) > 1:
        return Refusal(SIZE, member)
    if places.uses.get(member.index) and not (member.inputs or _read_by_index(member, found)):
        return Refusal(SIZE, member)
    scalars = all(isinstance(node.type, ScalarType) for node in member.body.results)
    if is_guarded(member) and (member.running or not scalars):
        return Refusal(CONDITIONAL, member)
    if any(y.running and not may_run(y) for y in member.yields()):
        return Refusal(CONDITIONAL, member)
    return None


def _read_by_index(member: Multiloop, found: Mapping[Multiloop, Context]) -> list[Key]:
    """The arrays of others, which it is to join, that a loop reads by index."""
    keys = [part_key(node) for node in captured(member) if isinstance(node.type, GraphArray)]
    return [key for key in keys if key is not None and key[0] in found]


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
        if node.may_write:
            return True
        stack += [effect for block in node.blocks for effect in block.effects]
    return False
