"""Variables that functions share: what one assigns that stands in another (`nonlocal`).

n = 0                       the variable is an object, like a list of one element
def bump():
    nonlocal n              calls of `bump` below conditions and in loops, wherever these stand,
    n += 1                  change it as they would change that list
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from types import CellType, FunctionType
from typing import Any

from cogen.staging.joinvalues import UNSET, Missing
from cogen.staging.sourceplaces import cannot
from cogen.staging.tracer import current


class StagedCell:
    """A variable of a function that functions within it assign."""

    __slots__ = ("cell", "name")

    def __init__(self, cell: CellType, name: str) -> None:
        self.cell = cell
        self.name = name

    def content(self) -> Any:
        """What the variable is."""
        try:
            return self.cell.cell_contents
        except ValueError:
            return Missing(self.name, UNSET)

    def restore(self, content: Any) -> None:
        """Assign it."""
        self.cell.cell_contents = content


def cells_of(f: FunctionType) -> Iterator[StagedCell]:
    """The variables of others that a function mentions."""
    known = current().cells
    for name, cell in zip(f.__code__.co_freevars, f.__closure__ or (), strict=True):
        if id(cell) not in known:
            known[id(cell)] = StagedCell(cell, name)
        yield known[id(cell)]


def _cells(names: Callable[[], Any]) -> Iterator[StagedCell]:
    """The variables that a function names which is made for that."""
    assert isinstance(names, FunctionType)
    yield from cells_of(names)


def owns(names: Callable[[], Any]) -> None:
    """A function begins that has variables which functions within it assign."""
    for cell in _cells(names):
        current().made(cell)


def changes(names: Callable[[], Any]) -> None:
    """A function begins that assigns variables of one around it."""
    for cell in _cells(names):
        current().touch(cell, f"`{cell.name}`")


def assigns_global(name: str) -> None:
    """A function begins that assigns a global variable."""
    cannot(
        f"the global variable `{name}` is assigned in a staged function",
        "return what it is to become, and assign that where the function is called",
    )
