"""IL -> IL: global procedures that nothing mentions any more are left out.

The library's procedures that `inline` has replaced need no code.  What is evaluated, and the
entry, stay.
"""

from __future__ import annotations

from dataclasses import replace

from cogen.lang import il
from cogen.lang.ilutil import atoms, blocks, item_block


def prune(program: il.Program, entry: str | None) -> il.Program:
    """The program without the procedures that cannot be reached."""
    defined = {item.name: item for item in program.items if isinstance(item, il.Define)}
    work: list[il.Item] = [item for item in program.items if not isinstance(item, il.Define)]
    if entry in defined:
        work.append(defined[entry])
    reached: set[str] = {entry or ""}
    while work:
        for block in blocks(item_block(work.pop())):
            for atom in atoms(block):
                if isinstance(atom, il.Global) and atom.name not in reached:
                    reached.add(atom.name)
                    if atom.name in defined:
                        work.append(defined[atom.name])
    items = tuple(
        item for item in program.items if not isinstance(item, il.Define) or item.name in reached
    )
    return replace(program, items=items)
