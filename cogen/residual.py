"""What the specializer gives: a residual program and how to call it."""

from __future__ import annotations

from dataclasses import dataclass, field

from lang import il


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter of a residual entry: its name, its declared type (int float bool memory any)
    and, for a cyclic one, its (base, remainder); it is passed as its value in any case.  `shape` is
    the text of an array or tuple type, if one is declared; the type is then any."""

    name: str
    type: str = "any"
    cyclic: tuple[int, int] | None = None
    shape: str | None = None


@dataclass(frozen=True, slots=True, eq=False)
class ResidualProgram:
    """`program` holds only `Define` items; `entry` names the one to call."""

    program: il.Program
    entry: str
    parameters: tuple[Parameter, ...]
    word_size: int = 32
    checked: bool = False
    statistics: dict[str, float] = field(default_factory=dict)
