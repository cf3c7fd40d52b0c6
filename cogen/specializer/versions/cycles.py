"""What one specialization makes that leads to itself.

Values that lead to themselves are not freed when nobody needs them any more: Python's collector has
to find them, and it looks at each several times.  So what closes such cycles is noted while it is
made, and taken apart when the specialization is over; all the rest then goes by itself.
"""

from __future__ import annotations

from cogen.specializer.values.copies import ValueCopier
from cogen.specializer.values.domain import Environment
from cogen.specializer.versions.memo import ResidualBlock


class Cycles:
    """The blocks of a specialization, what has copied their states, and the environments of
    procedures that lead to themselves."""

    def __init__(self) -> None:
        self.blocks: list[ResidualBlock] = []
        self.copiers: list[ValueCopier] = []
        self.environments: list[Environment] = []

    def take_apart(self) -> None:
        """Nothing of the specialization is needed any more."""
        for block in self.blocks:
            block.take_apart()
        for copier in self.copiers:
            copier.take_apart()
        for environment in self.environments:
            environment.clear()
