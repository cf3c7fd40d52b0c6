"""IL blocks -> Python text that carries them out as the specializer would.

`cogen.spec.machine` walks a block binding by binding.  Its text here has the walk compiled in:
operations on known values are carried out where they stand, all others by the machine's own step;
known conditionals are Python's, unknown ones the machine's memo point.

    (let y (car x))              v2 = v1.car if type(v1) is PartialPair else M.step(...)
    (conts (k (z) ...))    ->    e["y"] = v2
    (call f (y) k)               e["k"] = Frame(k5, e, A, P.block)
                                 return M.tail_call(P, v3, [v2], e["k"], n7, A)

`M` is the machine, `P` the path, `e` the environment, in which everything a memo point may have to
keep is found by name, and `A` the activation.  A function gives the block to go on with, its
environment and activation, or None at the path's end.

Law: what the text does to the path is what `Machine.run` does.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from cogen.genext.image import Image
from cogen.spec.machine import ENDING
from lang import il

MAX_NESTING: Final = 40
"""Arms nested deeper than this get a function of their own: Python bounds indentation."""

_SHORT: Final = {
    "car": "{0}.car if type({0}) is PartialPair else ",
    "cdr": "{0}.cdr if type({0}) is PartialPair else ",
    "null?": "(TRUE if {0}.datum is NIL else FALSE) if type({0}) is Static "
    "else FALSE if type({0}) is PartialPair else ",
    "pair?": "(TRUE if type({0}.datum) is Pair else FALSE) if type({0}) is Static "
    "else TRUE if type({0}) is PartialPair else ",
    "eq?": "(TRUE if eqv({0}.datum, {1}.datum) else FALSE) "
    "if type({0}) is Static and type({1}) is Static else ",
    "eqv?": "(TRUE if eqv({0}.datum, {1}.datum) else FALSE) "
    "if type({0}) is Static and type({1}) is Static else ",
}
"""What an operation gives in the frequent cases; the machine's step follows."""


class Unfold:
    """Writes the functions of blocks; `entries` are the blocks that have one, with its name."""

    def __init__(self, image: Image, mutable_pairs: bool) -> None:
        self.image = image
        self.mutable_pairs = mutable_pairs
        self.entries: dict[il.Block, str] = {}
        self.nodes: dict[str, str] = {}
        """Expressions of nodes that the text refers to, and their names."""

    def text(self, block: il.Block) -> list[str]:
        """The lines of a block's function, and of those that its arms had to become."""
        lines: list[str] = []
        work = [block]
        while work:
            writer = _Writer(self, work.pop())
            lines += writer.lines
            work += writer.left
        return lines

    def node(self, expression: str) -> str:
        """The name of a node of the program."""
        return self.nodes.setdefault(expression, f"n{len(self.nodes)}")


class _Writer:
    """One function being written."""

    def __init__(self, unfold: Unfold, block: il.Block) -> None:
        self.unfold = unfold
        self.image = unfold.image
        self.lines: list[str] = []
        self.left: list[il.Block] = []
        name = unfold.entries[block] = f"u{len(unfold.entries)}"
        self.put(0, f"def {name}(M, P, e, A):")
        self.block(block, 1, {})

    def put(self, depth: int, text: str) -> None:
        self.lines.append("    " * depth + text)

    def block(self, block: il.Block, depth: int, known: dict[str, str]) -> None:
        """The statements of a block; `known` are the names that are Python variables already."""
        if depth > MAX_NESTING:
            self.left.append(block)
            self.put(depth, f"return {self.image.blocks[block]}, e, A")
            return
        while True:
            known = dict(known)
            for index, binding in enumerate(block.bindings):
                if not self.binding(block, index, binding, depth, known):
                    return
            tail = block.tail
            if not isinstance(tail, il.If):
                break
            test = self.atom(tail.test, depth, known)
            node = self.unfold.node(f"{self.image.blocks[block]}.tail")
            truth = f"({test}.datum is not False) if type({test}) is Static else is_true({test})"
            self.put(depth, f"w = {truth}")
            self.put(depth, "if w is None:")
            self.put(depth + 1, f"return M.conditional(P, {node}, e, A)")
            self.put(depth, "if w:")
            self.block(tail.then, depth + 1, known)
            block = tail.otherwise
        node = self.unfold.node(f"{self.image.blocks[block]}.tail")
        arguments = ", ".join([self.atom(atom, depth, known) for atom in tail.arguments])
        if isinstance(tail, il.Jump):
            self.put(depth, f"return M.jump(P, e[{tail.cont!r}], [{arguments}], {node}, A)")
            return
        function = self.atom(tail.function, depth, known)
        self.put(
            depth,
            f"return M.tail_call(P, {function}, [{arguments}], e[{tail.cont!r}], {node}, A)",
        )

    def binding(
        self, block: il.Block, index: int, binding: il.Binding, depth: int, known: dict[str, str]
    ) -> bool:
        """The statements of a binding; False if the rest is the machine's work."""
        if isinstance(binding, il.Fix):
            for function in binding.functions:
                name = known[function.name] = f"v{len(known)}"
                made = f"Closure({self.image.functions[function]}, e)"
                self.put(depth, f"{name} = e[{function.name!r}] = {made}")
            return True
        if isinstance(binding, il.Conts):
            for cont in binding.conts:
                made = f"Frame({self.image.conts[cont]}, e, A, P.block)"
                self.put(depth, f"e[{cont.name!r}] = {made}")
            return True
        if binding.op in ENDING or binding.op == "set-base":
            here = self.image.blocks[block]
            self.put(depth, f"return M.rest(P, {here}, {index}, e, A)")
            return False
        arguments = [self.atom(atom, depth, known) for atom in binding.arguments]
        node = self.unfold.node(f"{self.image.blocks[block]}.bindings[{index}]")
        step = f"M.step(P, {node}, ({_tuple(arguments)}), A)"
        short = _SHORT.get(binding.op, "").format(*arguments)
        if binding.op == "cons" and not self.unfold.mutable_pairs:
            short, step = "", f"M.pair(P, {arguments[0]}, {arguments[1]})"
        name = known[binding.name] = f"v{len(known)}"
        self.put(depth, f"{name} = e[{binding.name!r}] = {short}{step}")
        return True

    def atom(self, atom: il.Atom, depth: int, known: dict[str, str]) -> str:
        """The expression of an atom; a variable is looked up once."""
        if isinstance(atom, il.Var):
            found = known.get(atom.name)
            if found is None:
                found = known[atom.name] = f"v{len(known)}"
                self.put(depth, f"{found} = e[{atom.name!r}]")
            return found
        if isinstance(atom, il.Const):
            return self.unfold.node(f"Static({self.image.constant(atom.value)})")
        if isinstance(atom, il.Global):
            return f"M.global_value({atom.name!r})"
        return self.unfold.node(f"Primitive({atom.name!r})")


def _tuple(items: Sequence[str]) -> str:
    return ", ".join(items) + ("," if len(items) == 1 else "")
