"""Which loops make objects on the way round: those look for room in each round, others need not."""

from __future__ import annotations

from typing import Final

from cogen.backends.native.context import NativeContext
from cogen.backends.native.operations import CONDITIONS, MAKING_NOTHING, TESTS
from cogen.backends.native.regions import CodeNode
from cogen.lang import il

_HARMLESS: Final = frozenset(
    {*CONDITIONS, *TESTS, *MAKING_NOTHING, "eq?", "eqv?", "record-ref", "global-get"}
)
"""Operations that neither make an object nor put one into an older one."""


def makes_objects(loop: CodeNode, context: NativeContext) -> bool:
    """Whether a block of the loop from which it goes round again makes anything."""
    if context.unboxed:
        return True  # floats may be boxed anywhere
    before: dict[int, list[il.Block]] = {id(loop.block): []}
    round_again: list[il.Block] = []
    work = [loop.block]
    while work:
        block = work.pop()
        for following in _following(block, loop, context):
            if following is loop.block:
                round_again.append(block)
            elif id(following) in before:
                before[id(following)].append(block)
            else:
                before[id(following)] = [block]
                work.append(following)
    seen = {id(block) for block in round_again}
    while round_again:
        block = round_again.pop()
        if any(map(_makes, block.bindings)):
            return True
        new = [one for one in before[id(block)] if id(one) not in seen]
        seen.update(map(id, new))
        round_again += new
    return False


def _following(block: il.Block, loop: CodeNode, context: NativeContext) -> list[il.Block]:
    """The blocks of the same C function that a block goes on with."""
    tail = block.tail
    if isinstance(tail, il.If):
        return [tail.then, tail.otherwise]
    if not isinstance(tail, il.Jump) or tail.cont == context.exit:
        return []
    node = context.regions.nodes[tail.cont]
    return [node.block] if node is loop or not node.is_function else []


def _makes(binding: il.Binding) -> bool:
    if isinstance(binding, il.Conts):
        return False
    return not isinstance(binding, il.Let) or binding.op not in _HARMLESS
