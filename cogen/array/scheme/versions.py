"""The procedures of a program as functions of L0: one for each types of arguments that come."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from cogen.array.l0.types import Type
from cogen.array.scheme.controlflow import Regions
from cogen.array.scheme.l0code import Names
from cogen.array.scheme.typetext import Kinds
from cogen.lang import il
from cogen.lang.errors import Span


@dataclass(slots=True, eq=False)
class Version:
    """A procedure for arguments of certain types; `result` while it is translated is what is known
    of its result's type."""

    name: str
    result: Type | None = None
    done: bool = False
    asked: bool = field(default=False)
    """Whether its result was asked for before it was known."""


class ProcedureVersions(Protocol):
    """What the translation of one procedure asks of the others."""

    names: Names
    regions: Regions

    @property
    def procedures(self) -> Mapping[str, il.Function]:
        """The procedures by name."""

    @property
    def changing(self) -> frozenset[str]:
        """Those that change something, or call others that do."""

    @property
    def kinds(self) -> Kinds:
        """The record types of the program."""

    def version(self, name: str, types: tuple[Type, ...], span: Span) -> Version:
        """The L0 function of a procedure for arguments of these types."""
