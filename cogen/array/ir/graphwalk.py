"""Walks over the graph, with an explicit stack, in deterministic order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator

from cogen.array.ir.node import (
    Block,
    Node,
    Parameter,
    shape,
)
from cogen.lang.eachonce import each_once


def used_by(node: Node) -> tuple[Node, ...]:
    """What a node depends on directly: operands, certificates, and the sizes in its type."""
    return (*node.operands, *node.certs, *shape(node))


def reachable(roots: Iterable[Node], into_blocks: bool = True) -> set[Node]:
    """The nodes that some nodes depend on, themselves included; with the nodes in their blocks."""
    found: set[Node] = set()
    waiting = list(roots)
    for node in each_once(waiting, found):
        waiting.extend(used_by(node))
        if into_blocks:
            for block in node.blocks:
                waiting.extend((*block.effects, *block.results, *block.parameters))
    return found


def all_nodes(block: Block) -> list[Node]:
    """The nodes in a block and the blocks within, operands before their users."""
    found = reachable((*block.effects, *block.results, *block.parameters))
    return sorted(found, key=lambda node: node.number)


def all_blocks(block: Block) -> Iterator[Block]:
    """A block and the blocks within, each once, outer ones first."""
    waiting = [block]
    for found in each_once(waiting):
        yield found
        inner = [b for node in all_nodes(found) for b in node.blocks]
        waiting.extend(reversed(inner))


def make_in_order(
    root: Node,
    is_made: Callable[[Node], bool],
    needs: Callable[[Node], Iterable[Node]],
    make: Callable[[Node], None],
) -> None:
    """Make something of a node, after it was made of all that the node needs; each once."""
    stack = [root]
    while stack:
        node = stack[-1]
        if is_made(node):
            stack.pop()
            continue
        waiting = [n for n in needs(node) if not is_made(n)]
        if waiting:
            stack.extend(reversed(waiting))
            continue
        stack.pop()
        make(node)


def dependents(values: Iterable[Node], bound: Collection[Parameter]) -> Iterator[Node]:
    """The nodes that some values need to be computed and that depend on what is bound; also those
    in their blocks, which bind more."""
    inside = set(bound)
    seen: set[Node] = set()
    waiting = list(values)
    while waiting:
        node = waiting.pop()
        if node in seen or node.free.isdisjoint(inside):
            continue
        seen.add(node)
        yield node
        for block in node.blocks:
            inside.update(block.binds)
            waiting += block.results
        waiting += [*node.operands, *node.certs]
