"""Free names: which variables and continuations a piece of IL needs from outside.

Memo points keep exactly what the code after them needs, in a fixed order, so that the residual
procedure has no parameter that its source point could not use.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.ilutil import base_name

Names = tuple[str, ...]


class Liveness:
    """Free names of functions, continuations and conditionals of one program, computed once.

    Results are ordered by first occurrence, so they do not depend on hash seeds.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, dict[str, None]] = {}
        self._found: dict[int, Names] = {}
        self._hinted: dict[int, tuple[tuple[str, str], ...]] = {}
        self._kept: list[object] = []

    def of_function(self, function: il.Function) -> Names:
        found = self._found.get(id(function))
        if found is None:
            names = dict(self._block(function.body))
            bound = (*function.parameters, function.rest, function.cont)
            found = self._remember(function, tuple(n for n in names if n not in bound))
        return found

    def of_cont(self, cont: il.Cont) -> Names:
        found = self._found.get(id(cont))
        if found is None:
            names = self._block(cont.body)
            found = self._remember(cont, tuple(n for n in names if n not in cont.parameters))
        return found

    def hinted(self, node: il.Function | il.Cont) -> tuple[tuple[str, str], ...]:
        """The free names of a function or a continuation, each after what people call it."""
        found = self._hinted.get(id(node))
        if found is None:
            of = self.of_function if isinstance(node, il.Function) else self.of_cont
            names = of(node)  # type: ignore[arg-type]
            found = self._hinted[id(node)] = tuple((base_name(name), name) for name in names)
        return found

    def of_arms(self, node: il.If) -> Names:
        """What the two arms need (the test is not counted)."""
        found = self._found.get(id(node))
        if found is None:
            names = {**self._block(node.then), **self._block(node.otherwise)}
            found = self._remember(node, tuple(names))
        return found

    def of_block(self, block: il.Block) -> Names:
        found = self._found.get(id(block))
        if found is None:
            found = self._remember(block, tuple(self._block(block)))
        return found

    def _remember(self, node: object, names: Names) -> Names:
        self._found[id(node)] = names
        self._kept.append(node)
        return names

    def _block(self, block: il.Block) -> dict[str, None]:
        """Free names of a block (recursive: run on a deep stack)."""
        found = self._blocks.get(id(block))
        if found is not None:
            return found
        names: dict[str, None] = {}
        bound: set[str] = set()
        for binding in block.bindings:
            if type(binding) is il.Let:
                _add_atoms(names, binding.arguments)
                bound.add(binding.name)
            elif type(binding) is il.Fix:
                for function in binding.functions:
                    names.update(dict.fromkeys(self.of_function(function)))
                    bound.add(function.name)
            elif type(binding) is il.Conts:
                for cont in binding.conts:
                    names.update(dict.fromkeys(self.of_cont(cont)))
                    bound.add(cont.name)
        tail = block.tail
        if type(tail) is il.If:
            _add_atoms(names, (tail.test,))
            names.update(dict.fromkeys(self.of_arms(tail)))
        elif type(tail) is il.Jump:
            names[tail.cont] = None
            _add_atoms(names, tail.arguments)
        elif type(tail) is il.Call:
            _add_atoms(names, (tail.function, *tail.arguments))
            names[tail.cont] = None
        free = {name: None for name in names if name not in bound}
        self._blocks[id(block)] = free
        self._kept.append(block)
        return free


def _add_atoms(names: dict[str, None], atoms: tuple[il.Atom, ...]) -> None:
    for atom in atoms:
        if type(atom) is il.Var:
            names[atom.name] = None
