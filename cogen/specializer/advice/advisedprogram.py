"""A program with advice put in, as `advice.advise` gives it and specialization tries it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from cogen.lang import il
from cogen.specializer.advice.lifts import Lift

NUMBERS: Final = "numbers"
OBJECTS: Final = "objects"
CODE: Final = "code"
ARMS: Final = "arms"
LIBRARY: Final = "library"
RETURNS: Final = "returns"


@dataclass(frozen=True, slots=True)
class AdvisedProgram:
    """A program with lifts put in."""

    program: il.Program
    lifts: tuple[Lift, ...]
    calls: int = 1
    """So many times as many unfolded calls, and values in states, are usual."""
    of: str | None = None
    """What it is about that the others are not: NUMBERS in structures are lifted
    (`advice.counters`); OBJECTS are records in boxes (`…recordboxes`); CODE is in
    records, lists or vectors in boxes (`…tagged`); ARMS give data (`…arms`), which is tried when
    there is more effort; what works on data of the run as on known pieces is as in a LIBRARY
    (`…libraries`), and arms give data; RETURNS are points that a machine goes back to
    (`…returns`)."""
    is_bare: bool = False
    """Whether nothing is lifted, so that what grows in the program as it is grows in it, too."""
    opens: bool = False
    """Whether there are boxes that open, or hold code (`versions.families`)."""
    called: frozenset[str] = frozenset()
    """Procedures of which calls are residual where nothing is known (`advice.libraries`)."""
