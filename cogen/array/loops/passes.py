"""The passes on loops, in their order: functions -> functions.

Each can be switched off by its name (`cogen.array.optimisations.CODE`); with `verify` the loops
are checked before the first and after each, and an error names the pass.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from cogen.array.loops.block_keys import block_keys
from cogen.array.loops.block_scans import block_scans
from cogen.array.loops.check import check
from cogen.array.loops.interchange import interchange
from cogen.array.loops.jam import jam
from cogen.array.loops.prune import prune
from cogen.array.loops.stream import stream
from cogen.array.loops.take_turns import take_turns
from cogen.array.loops.tree import Function
from lang.errors import InternalError

Functions = Sequence[Function]


@dataclass(frozen=True, slots=True)
class Pass:
    """A pass by the name that switches it off."""

    name: str
    run: Callable[[Functions], Functions]


PASSES: Final = (
    Pass("blocks", block_scans),
    Pass("keys", block_keys),
    Pass("turns", take_turns),
    Pass("lanes", interchange),
    Pass("jam", jam),
    Pass("streams", stream),
    Pass("prune", prune),
)


def transform(
    functions: Functions, off: frozenset[str] = frozenset(), verify: bool = False
) -> Functions:
    """The functions after all passes but those that are `off`."""
    if verify:
        check(functions)
    for step in PASSES:
        if step.name in off:
            continue
        functions = step.run(functions)
        if verify:
            try:
                check(functions)
            except InternalError as error:
                raise InternalError(f"after {step.name}: {error.message}") from None
    return functions
