"""Shows a function of the graph as text, in the order of its schedule.

    fn main(x_size1: int, x2: int[x_size1]) =
      c7 = assert(int.lt(0, x_size1)) "..."
      m9 = multiloop x_size1 (x2) collect
        (i3, x4) =>
          v5 = int.mul x4 2
          -> v5
      -> m9.0

Every value has a name of its own, numbered in the order of appearance, so the text does not depend
on how the graph came about.
"""

from __future__ import annotations

from collections.abc import Sequence

from cogen.array.ir.generators import Bucket
from cogen.array.ir.graphtypes import Dimension, GraphArray, Own, Type
from cogen.array.ir.node import (
    Assert,
    Conjoin,
    Function,
    If,
    Module,
    Multiloop,
    Node,
    Parameter,
    Part,
    Yield,
)
from cogen.array.schedule.passes import in_order
from cogen.array.schedule.schedule import Scheduled, Statement


def show(module: Module, off: frozenset[str] = frozenset()) -> str:
    """A module: the entry, and then the functions that are called; without decisions of
    `cogen.array.schedule.passes` that are `off`."""
    functions = [module.entry, *module.functions.values()]
    return "\n".join([_ScheduleShower(module, off).function(function) for function in functions])


def show_function(function: Function, module: Module) -> str:
    """One function of a module."""
    return _ScheduleShower(module).function(function)


class _ScheduleShower:
    def __init__(self, module: Module, off: frozenset[str] = frozenset()) -> None:
        self.module = module
        self.off = off
        self.names: dict[Node, str] = {}
        self.lines: list[str] = []

    def function(self, function: Function) -> str:
        scheduled = in_order(function, self.module.functions, self.off)
        parameters = ", ".join([self.binding(p) for p in function.body.parameters])
        self.lines.append(f"fn {function.name}({parameters}) =")
        self.block(scheduled, 1)
        return "\n".join(self.lines) + "\n"

    def block(self, scheduled: Scheduled, depth: int) -> None:
        for statement in scheduled.statements:
            self.statement(statement, depth)
        for guarded in scheduled.guarded:
            self.line(depth, f"where {self.atom(guarded.condition)}:")
            for statement in guarded.statements:
                self.statement(statement, depth + 1)
        results = [
            ("copy " if i in scheduled.copies else "") + self.atom(node)
            for i, node in enumerate(scheduled.block.results)
        ]
        self.line(depth, "-> " + ", ".join(results))

    def statement(self, statement: Statement, depth: int) -> None:
        node = statement.node
        operands = [
            ("copy " if i in statement.copies else "turned " if statement.turned else "")
            + self.atom(operand)
            for i, operand in enumerate(node.operands)
        ]
        text = f"{node.word} {self.operands(node, operands)}".rstrip()
        certs = [self.atom(cert) for cert in node.certs if not cert.is_bound]
        if certs:
            text = f"<{', '.join(certs)}> {text}"
        self.line(depth, f"{self.name(node)}{self.type(node)} = {text}")
        for inner in statement.blocks:
            bound = ", ".join([self.binding(p) for p in inner.block.parameters])
            self.line(depth + 1, f"({bound}) =>")
            self.block(inner, depth + 2)

    def operands(self, node: Node, operands: Sequence[str]) -> str:
        if isinstance(node, Multiloop):
            inputs = operands[1 : 1 + len(node.inputs)]
            extras = operands[1 + len(node.inputs) :]
            parts = [operands[0], f"({', '.join(inputs)})"]
            parts += [f"({', '.join(extras)})"] if extras else []
            return " ".join([*parts, *map(_generator, node.yields())])
        return ", ".join(operands)

    def type(self, node: Node) -> str:
        return f": {self.show_type(node.type)}" if isinstance(node.type, GraphArray) else ""

    def binding(self, parameter: Parameter) -> str:
        star = "*" if parameter.unique else ""
        return f"{self.name(parameter)}: {star}{self.show_type(parameter.type)}"

    def show_type(self, t: Type) -> str:
        if not isinstance(t, GraphArray):
            return t.kind
        return f"{t.element.kind}[{', '.join([self.size(n) for n in t.shape])}]"

    def size(self, n: Dimension) -> str:
        if isinstance(n, Own):
            return f"own({n.index})" + (f" + {n.more}" if n.more else "")
        assert isinstance(n, Node)
        return self.atom(n)

    def atom(self, node: Node) -> str:
        if node.is_known:
            return repr(node.known) if node.type.kind != "cert" else "checked"  # type: ignore[union-attr]  # a scalar
        if isinstance(node, Part):
            return f"{self.name(node.node)}.{node.index}"
        if isinstance(node, Conjoin):
            return " & ".join([self.atom(c) for c in node.certs if not c.is_bound])
        return self.name(node)

    def name(self, node: Node) -> str:
        found = self.names.get(node)
        if found is None:
            letter = node.name if isinstance(node, Parameter) else _letter(node)
            found = self.names[node] = f"{letter}{len(self.names) + 1}"
        return found

    def line(self, depth: int, text: str) -> None:
        self.lines.append("  " * depth + text)


def _letter(node: Node) -> str:
    if isinstance(node, Assert):
        return "c"
    if isinstance(node, If):
        return "if"
    return "m" if node.blocks else "v"


def _generator(y: Yield) -> str:
    generator = y.generator
    name = type(generator).__name__.lower()
    if isinstance(generator, Bucket):
        name = f"{'hashed ' * generator.hashed}{name}{' collect' * generator.collects}"
        name += f" by {generator.keys}" if generator.keys != 1 else ""
    count = f" {generator.values}" if generator.values != 1 else ""
    return name + count + (" where" if y.conditional else "")
