"""One attempt at a specialization: begun again with each fact that it finds out too late.

That an object is assigned, say, counts from where it was made on, and is seen only later.  Each
time more is known, and there is only so much to know, so this comes to an end.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Final

from cogen import binding_times
from cogen.lang.deep import on_deep_stack
from cogen.residual import ResidualProgram
from cogen.specializer.specialization import Specializer
from cogen.specializer.values.domain import EVERY_TURN, Assigned, Counting, Unsettled
from cogen.specializer.values.fixed import SlotAssigned

MOST_LATE: Final = 12
"""Where so many objects of a site are assigned late, all of the site may be."""


def carried_through(
    begin: Callable[[], Specializer], entry: str, bts: Sequence[binding_times.BT]
) -> tuple[Specializer, ResidualProgram]:
    """The residual program of an attempt, for which `begin` makes a specializer each time, and the
    one that made it; raises what its `run` raises."""
    unsettled: dict[Hashable, frozenset[int]] = {}
    counting: frozenset[Hashable] = frozenset()
    assigned: list[frozenset[Hashable] | None] = []
    slots: frozenset[int | None] = frozenset()
    while True:
        specializer = begin()
        context = specializer.context
        context.unsettled, context.counting = unsettled, counting
        context.pairs.assigned(assigned)
        context.slots.assigned = slots
        try:
            return specializer, on_deep_stack(_run, specializer, entry, bts)
        except Unsettled as found:
            turns = unsettled.get(found.site, frozenset()) | {found.turn}
            turns = turns if len(turns) < MOST_LATE else frozenset({EVERY_TURN})
            unsettled = {**unsettled, found.site: turns}
        except Assigned as changed:
            assigned.append(changed.sites)
        except SlotAssigned as slot:
            slots |= {slot.index}
        except Counting as counter:
            counting |= {counter.site}


def _run(specializer: Specializer, entry: str, bts: Sequence[binding_times.BT]) -> ResidualProgram:
    """One specialization, of which nothing is left if it comes to nothing."""
    try:
        return specializer.run(entry, bts)
    except BaseException:
        specializer.take_apart()
        raise
