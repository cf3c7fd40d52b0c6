"""Which globals may be used before their definition has been evaluated.

A global is safe if no earlier item of the top level, nor a procedure or value that such an item
can reach, mentions it.  Uses of the others are checked when the program runs.
"""

from __future__ import annotations

from cogen.lang import il
from cogen.lang.ilutil import atoms, blocks, item_block


def undefined_at_use(program: il.Program) -> frozenset[str]:
    """The globals that are not safe; assigned ones are not considered."""
    position: dict[str, int] = {}
    mentions: dict[str, set[str]] = {}
    for index, item in enumerate(program.items):
        if isinstance(item, il.Define | il.Value):
            position.setdefault(item.name, index)
            mentions[item.name] = _mentioned(item)
    unsafe: set[str] = set()
    reached: set[str] = set()
    for index, item in enumerate(program.items):
        if isinstance(item, il.Define):
            continue
        work = list(_mentioned(item))
        while work:
            name = work.pop()
            if name in reached or name not in position:
                continue
            if position[name] >= index:
                unsafe.add(name)
            if isinstance(program.items[position[name]], il.Define):
                reached.add(name)
                work.extend(mentions[name])
            elif position[name] < index:
                reached.add(name)
    return frozenset(unsafe)


def _mentioned(item: il.Item) -> set[str]:
    return {
        atom.name
        for block in blocks(item_block(item))
        for atom in atoms(block)
        if isinstance(atom, il.Global)
    }
