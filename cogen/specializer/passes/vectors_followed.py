"""Which vectors of a residual procedure can be followed (`passes.comeback`), and what indexes them.

They are made once, and get nowhere but into other variables of the procedure.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Set
from typing import Final

from cogen.lang import il
from cogen.lang.components import components
from cogen.lang.ilutil import Free, blocks
from cogen.specializer.versions.graph import RawFunction, body_of


class NotFollowed(Exception):
    """What is asked cannot be shown."""


def bodies(function: RawFunction) -> Iterator[il.Block]:
    """The blocks of a procedure, those of procedures in it too."""
    for block in function.blocks.values():
        yield from blocks(body_of(block))


def vectors_made_once(function: RawFunction) -> Set[str]:
    """The variables that may hold vectors which are made once, if these get nowhere else."""
    found = {
        one.name
        for name in outside_loops(function)
        for block in blocks(body_of(function.blocks[name]))
        for one in block.bindings
        if type(one) is il.Let and one.op in ("make-vector", "vector")
    }
    size = -1
    while len(found) > size:
        size = len(found)
        for block in bodies(function):
            _see_uses(function, block, found)
    return found


def outside_loops(function: RawFunction) -> Iterator[str]:
    """The labels that do not lead to themselves."""
    links = {
        name: [
            block.tail.cont
            for block in blocks(body_of(label))
            if type(block.tail) is il.Jump and block.tail.cont in function.blocks
        ]
        for name, label in function.blocks.items()
    }
    for group in components(links, links.__getitem__):
        if len(group) == 1 and group[0] not in links[group[0]]:
            yield group[0]


def _see_uses(function: RawFunction, block: il.Block, found: set[str]) -> None:
    """Follow vectors through a block."""
    for binding in block.bindings:
        if type(binding) is il.Let:
            used = [n for n, a in enumerate(binding.arguments) if getattr(a, "name", "") in found]
            if used and not (used == [0] and binding.op in _LOOKING):
                raise NotFollowed
        elif type(binding) is il.Fix:
            free = Free()
            if any(not found.isdisjoint(free.of_function(one)) for one in binding.functions):
                raise NotFollowed
    tail = block.tail
    if type(tail) is il.If:
        return
    used = [n for n, a in enumerate(tail.arguments) if getattr(a, "name", "") in found]
    target = function.blocks.get(tail.cont) if type(tail) is il.Jump else None
    if used and target is None:
        raise NotFollowed
    if target is not None:
        if target.label == function.entry:
            raise NotFollowed
        found.update(target.parameters[number] for number in used)


_LOOKING: Final = frozenset({"vector-ref", "vector-set!", "vector-length"})


def indices_of(function: RawFunction, vectors: Set[str]) -> Set[str]:
    """The variables that are indices of such vectors, or that these are computed from."""
    found: set[str] = set()
    size = -1
    while len(found) > size:
        size = len(found)
        for block in bodies(function):
            for binding in block.bindings:
                if type(binding) is il.Let:
                    found.update(_operands_of(binding, vectors, found))
            tail = block.tail
            target = function.blocks.get(tail.cont) if type(tail) is il.Jump else None
            if target is not None:
                passed = zip(target.parameters, tail.arguments, strict=True)  # type: ignore[union-attr]
                found.update(a.name for p, a in passed if p in found and type(a) is il.Var)
    return found


def _operands_of(let: il.Let, vectors: Set[str], found: Set[str]) -> Iterable[str]:
    """The operands of an operation that are indices."""
    names = [atom.name if type(atom) is il.Var else "" for atom in let.arguments]
    if let.op in ("vector-ref", "vector-set!") and names[0] in vectors:
        return [names[1]] if names[1] else []
    if let.name in found and let.op in ("+", "-", "lift"):
        return [name for name in names if name]
    return []
