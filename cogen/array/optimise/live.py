"""Which results of loops are needed: blocks -> the parts that something uses.

A result of an If is needed where it is used. A generator of a Multiloop is needed if one of its
results is, or its running values are; what a Loop carries, if its last value is used, or what is
needed in its body depends on it. Effects are always needed.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Sequence

from cogen.array.ir import node as ir
from cogen.array.ir.generators import (
    Generator,
    Scan,
)
from cogen.array.ir.graphtypes import Own, Type
from cogen.array.ir.graphtypes import shape as type_shape
from cogen.array.ir.node import shape


class Live:
    """What is needed for the effects and results of some blocks, and for the sizes of `types`.

    With `everything`, all results of loops count as needed.
    """

    def __init__(
        self, blocks: Iterable[ir.Block], everything: bool = False, types: Iterable[Type] = ()
    ) -> None:
        self.everything = everything
        self.parts: set[tuple[ir.Region, int]] = set()
        self.nodes: set[ir.Node] = set()
        self._waiting: list[ir.Node] = []
        self._owners: dict[ir.Parameter, ir.Loop | ir.Multiloop] = {}
        """The loops that parameters belong to, of those visited."""
        self._changed: dict[ir.If | ir.Loop | ir.Multiloop, None] = {}
        """The nodes of which more is needed than when they were last followed."""
        for block in blocks:
            self._waiting.extend((*block.effects, *block.results))
        self._waiting.extend(ir.sizes_in(*types))
        self._run()

    def carried(self, node: ir.Loop) -> list[bool]:
        """For each value that a loop carries, whether it is needed."""
        return [
            self._needs(node, i) or parameter in self.nodes
            for i, parameter in enumerate(node.carried)
        ]

    def chosen(self, node: ir.If) -> list[int]:
        """The results of a conditional that are needed."""
        return [i for i in range(len(node.results)) if self._needs(node, i)]

    def generators(self, node: ir.Multiloop) -> list[bool]:
        """For each generator, whether it is needed."""
        return [self._generator(node, y) for y in node.yields()]

    def generator(self, node: ir.Multiloop, y: ir.Yield) -> Generator:
        """A needed generator; a running scan need not store what nothing reads."""
        generator = y.generator
        if isinstance(generator, Scan) and generator.running and not self.everything:
            stored = any(self._needs(node, y.first + i) for i in range(y.gives))
            return dataclasses.replace(generator, stored=stored)
        return generator

    def inputs(self, node: ir.Multiloop) -> list[bool]:
        """For each input, whether its elements are needed."""
        return [self.everything or p in self.nodes for p in node.elements]

    def operands(self, node: ir.Loop | ir.Multiloop) -> list[ir.Node]:
        """The operands that are needed."""
        if isinstance(node, ir.Loop):
            kept = self.carried(node)
            return [node.bound, *[n for n, keep in zip(node.initial, kept, strict=True) if keep]]
        found = [node.size]
        found += [n for n, keep in zip(node.inputs, self.inputs(node), strict=True) if keep]
        for y, keep in zip(node.yields(), self.generators(node), strict=True):
            if keep:
                found += y.extras
        return found

    def _needs(self, node: ir.Region, index: int) -> bool:
        return self.everything or (node, index) in self.parts

    def _generator(self, node: ir.Multiloop, y: ir.Yield) -> bool:
        """Something of it is used, or its operator checks something."""
        if y.operator is not None and y.operator.effects:
            return True
        return any(self._needs(node, y.first + i) for i in range(y.gives)) or any(
            parameter in self.nodes for parameter in y.running
        )

    def _run(self) -> None:
        """Follow what is needed until nothing new is found."""
        while self._waiting or self._changed:
            while self._waiting:
                self._visit(self._waiting.pop())
            changed, self._changed = self._changed, {}
            for node in changed:
                self._follow(node)

    def _visit(self, node: ir.Node) -> None:
        if isinstance(node, ir.Part):
            self._part(node.node, node.index)
        if node in self.nodes:
            return
        self.nodes.add(node)
        if node in self._owners:
            self._changed[self._owners[node]] = None
        self._waiting.extend((*node.certs, *shape(node)))
        if isinstance(node, (ir.Loop, ir.Multiloop)):
            self._changed[node] = None
            self._owners.update(dict.fromkeys(node.body.parameters, node))
            self._waiting.append(node.operands[0])
            self._waiting.extend(node.body.effects)
            for block in node.blocks:
                for parameter in block.parameters:
                    self._waiting.extend([n for n in shape(parameter) if n not in block.parameters])
            return
        self._waiting.extend(node.operands)
        if isinstance(node, ir.If):
            self._changed[node] = None
            for block in node.blocks:
                self._waiting.extend(block.effects)

    def _part(self, node: ir.Region, index: int) -> None:
        """A result is needed, and with it the sizes of its type, and what comes with it."""
        waiting = [index]
        while waiting:
            i = waiting.pop()
            if (node, i) in self.parts:
                continue
            self.parts.add((node, i))
            if isinstance(node, (ir.If, ir.Loop, ir.Multiloop)):
                self._changed[node] = None
            t = node.results[i]
            for size in type_shape(t):
                if isinstance(size, Own):
                    waiting.append(size.index)
                elif isinstance(size, ir.Node):
                    self._waiting.append(size)

    def _follow(self, node: ir.If | ir.Loop | ir.Multiloop) -> None:
        """What the needed results of a node need in turn."""
        new: list[ir.Node] = []
        if isinstance(node, ir.If):
            for i in self.chosen(node):
                new += node.ways_to(i)
        elif isinstance(node, ir.Loop):
            kept = self.carried(node)
            for i, keep in enumerate(kept):
                if keep:
                    new += (node.carried[i], node.initial[i], node.body.results[i])
        else:
            for y, keep in zip(node.yields(), self.generators(node), strict=True):
                if keep:
                    new += _of_generator(y)
            for element, array in zip(node.elements, node.inputs, strict=True):
                if element in self.nodes or self.everything:
                    new += (element, array)
        self._waiting.extend([n for n in new if n not in self.nodes])


def _of_generator(y: ir.Yield) -> Sequence[ir.Node]:
    """What a needed generator needs; its operator's content too."""
    found = [*y.taken, *y.extras, *y.running]
    found += [] if y.condition is None else [y.condition]
    if y.operator is not None:
        found += (*y.operator.effects, *y.operator.results, *y.operator.parameters)
    return found
