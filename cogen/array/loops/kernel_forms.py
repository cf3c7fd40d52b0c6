"""loop -> kernels, form by form, in a list that is data: what work items may make of one loop.

    cut             totals, before, main, join, finish, merge: items have a part each
    item-lanes      lanes: as main, several iterations at a time
    item-groups     groups: neighbouring iterations, which work groups join
    group-tables    buckets: tables of work groups
    item-nests      nest: an item for each element of maps of maps

Those after the first are other forms of main, of which the host takes one that fits its device.
Each can be switched off by its name (`cogen.array.optimise.optimisations.KERNELS`), and with
`after` whoever wants to is told of each that is done, and what kernels there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from cogen.array.l0.arithmetic import Arithmetic
from cogen.array.loops import tree
from cogen.array.loops.cut import Cut, in_lanes
from cogen.array.loops.flatten import flattened
from cogen.array.loops.group_reductions import GROUP, grouped
from cogen.array.loops.group_tables import in_groups
from cogen.array.loops.printopencl import PART, PARTS
from cogen.array.loops.tree import Block, Expr


@dataclass(frozen=True, slots=True)
class ItemLoop:
    """A loop that work items share out, with what is known of it besides the cut."""

    cut: Cut
    arithmetic: Arithmetic
    is_known: Callable[[Expr], bool]
    """Whether the host knows a size."""
    single: bool = False
    """Iterations need nothing of one another: each can have an item of its own."""
    turns: bool = False
    """Items of single iterations take turns, as each has memory of its own."""
    finished_here: bool = True
    """Nothing is stored for other kernels to go on with."""
    only_buckets: bool = False


@dataclass(frozen=True, slots=True)
class KernelForm:
    """What an item does, and how many items there are; None: as many as the host likes."""

    body: Block
    items: Expr | None
    attribute: str = ""
    columns: tuple[Expr, ...] = ()
    """Of maps of maps, how many iterations the loops within have."""


Forms = Mapping[str, KernelForm]

FormDone = Callable[[str, Forms], None]
"""Is told the name of what is done, and the kernels there are of one loop."""


@dataclass(frozen=True, slots=True)
class FormPass:
    """A pass by the name that switches it off."""

    name: str
    run: Callable[[ItemLoop], Mapping[str, KernelForm | None]]


def _cut(loop: ItemLoop) -> dict[str, KernelForm | None]:
    cut = loop.cut
    totals, before = cut.totals(), cut.before()
    main = _each(loop) if loop.single else cut.main()
    forms = {
        "totals": totals, "before": before, "main": main, "join": cut.join(),
        "finish": cut.finish(),
    }  # fmt: skip
    merge = KernelForm(cut.merge(), cut.most_keys())
    return {**{what: KernelForm(body, PARTS) for what, body in forms.items()}, "merge": merge}


def _each(loop: ItemLoop) -> Block:
    """One iteration for each item."""
    cut = loop.cut
    if loop.turns:
        return (cut.own(PART, cut.loop.stop, PARTS),)
    return (tree.Let(cut.loop.index, PART), *cut.loop.body)


def _lanes(loop: ItemLoop) -> dict[str, KernelForm | None]:
    body = in_lanes(loop.cut, loop.arithmetic) if loop.finished_here else None
    return {"lanes": None if body is None else KernelForm(body, PARTS)}


def _groups(loop: ItemLoop) -> dict[str, KernelForm | None]:
    body = grouped(loop.cut) if loop.finished_here else None
    said = f"reqd_work_group_size({GROUP}, 1, 1)"
    return {"groups": None if body is None else KernelForm(body, None, said)}


def _tables(loop: ItemLoop) -> dict[str, KernelForm | None]:
    body = in_groups(loop.cut) if loop.only_buckets else None
    return {"buckets": None if body is None else KernelForm(body, None)}


def _nests(loop: ItemLoop) -> dict[str, KernelForm | None]:
    if not loop.single or loop.turns:
        return {}
    found = flattened(loop.cut.loop, PART, loop.is_known, loop.cut.items.names)
    return {"nest": None if found is None else KernelForm(found.body, PARTS, "", found.columns)}


FORMS: Final = (
    FormPass("cut", _cut),
    FormPass("item-lanes", _lanes),
    FormPass("item-groups", _groups),
    FormPass("group-tables", _tables),
    FormPass("item-nests", _nests),
)
"""What is made of a loop that is shared out; without the first, one item does all iterations."""

ORDER: Final = (
    "totals", "before", "main", "lanes", "groups", "buckets", "nest", "join", "finish", "merge",
)  # fmt: skip
"""In which order kernels stand in the text."""


def forms(
    loop: ItemLoop, off: frozenset[str], after: FormDone | None = None
) -> dict[str, KernelForm]:
    """The kernels of a loop by what they do, as far as there is something for them to do."""
    found: dict[str, KernelForm] = {}
    for step in FORMS:
        if step.name in off:
            continue
        made = step.run(loop)
        found.update({what: form for what, form in made.items() if form and form.body})
        if after is not None:
            after(step.name, found)
    return {what: found[what] for what in ORDER if what in found}
