"""function -> schedule, with what is decided where the graph is put in order.

Each decision can be switched off by its name (`cogen.array.optimise.optimisations.SCHEDULE`):

    overwrite    what need not be copied before it is overwritten (`copies`)
    turn         views that are stored in memory (`turn`)
"""

from __future__ import annotations

from collections.abc import Mapping

from cogen.array.ir.node import Function
from cogen.array.schedule.schedule import Scheduled, schedule
from cogen.array.schedule.turn import turn
from cogen.lang.deep import on_deep_stack


def in_order(
    function: Function, functions: Mapping[str, Function], off: frozenset[str] = frozenset()
) -> Scheduled:
    """The body of a function of a module with functions, without the decisions that are `off`."""
    found = schedule(function, functions, "overwrite" not in off)
    return found if "turn" in off else on_deep_stack(turn, found)
