"""Both parts of a pair are read where the first of them is.

    (let ((head (car clause)))                  (let ((head (car clause)) (rest (cdr clause)))
      (let ((s (unify goal head s)))              (let ((s (unify goal head s)))
        (solve (cdr clause) s)))                    (solve rest s)))

Else the whole of what is known of a pair is kept on the way, where the other part alone is asked
for: a version of what follows for each thing that became of the part that is dead.

Law: the program means the same, if nothing assigns parts of pairs; that something is a pair is
known where one of its parts has been read.
"""

from __future__ import annotations

from dataclasses import replace

from cogen.lang import il
from cogen.lang.ilutil import blocks


def destructured(program: il.Program) -> il.Program:
    """A program in which the other part of a pair is read after the first, if it is read once."""
    items = tuple(
        replace(item, function=_RemadeProcedure(item.function).made)
        if isinstance(item, il.Define)
        else item
        for item in program.items
    )
    return replace(program, items=items)


class _RemadeProcedure:
    """One global procedure, made anew."""

    def __init__(self, function: il.Function) -> None:
        readers: dict[str, dict[str, list[il.Let]]] = {}
        for block in blocks(function.body):
            for let in block.bindings:
                if type(let) is il.Let and let.op in ("car", "cdr"):
                    atom = let.arguments[0]
                    if type(atom) is il.Var:
                        readers.setdefault(atom.name, {}).setdefault(let.op, []).append(let)
        self._readers = readers
        self._moved: set[il.Let] = set()
        body = self._block(function.body)
        self.made = function if body is function.body else replace(function, body=body)

    def _other(self, let: il.Let, block: il.Block, index: int) -> il.Let | None:
        """What reads the other part of the pair that an operation reads a part of, if that is
        further down."""
        if let.op not in ("car", "cdr") or let in self._moved:
            return None
        atom = let.arguments[0]
        if type(atom) is not il.Var:
            return None
        others = self._readers[atom.name].get("cdr" if let.op == "car" else "car", [])
        if len(others) != 1 or others[0] in self._moved:
            return None
        below = [
            b for one in (il.Block(block.bindings[index + 1 :], block.tail),) for b in blocks(one)
        ]
        return others[0] if any(others[0] in b.bindings for b in below) else None

    def _block(self, block: il.Block) -> il.Block:
        bindings: list[il.Binding] = []
        for index, binding in enumerate(block.bindings):
            if type(binding) is il.Let:
                if binding in self._moved:
                    continue
                bindings.append(binding)
                other = self._other(binding, block, index)
                if other is not None:
                    self._moved.add(other)
                    bindings.append(other)
            elif type(binding) is il.Fix:
                functions = tuple(
                    replace(one, body=self._block(one.body)) for one in binding.functions
                )
                bindings.append(replace(binding, functions=functions))
            else:
                conts = tuple(replace(one, body=self._block(one.body)) for one in binding.conts)
                bindings.append(replace(binding, conts=conts))
        tail = block.tail
        if type(tail) is il.If:
            tail = replace(tail, then=self._block(tail.then), otherwise=self._block(tail.otherwise))
        return il.Block(tuple(bindings), tail)
