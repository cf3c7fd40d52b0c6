"""Kinds of nodes that programs call by their names: what `kinds` is, wherever a program is loaded.

`cogen.Kinds` are such, and the kinds of a module (`cogen.staging.kindprograms`); programs in L0 and
in the Scheme-like language are given to them as they are, and become array programs without kinds.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from cogen import expected
from cogen.lang.errors import CogenError

if TYPE_CHECKING:
    from cogen.array.l0 import tree
    from cogen.array.programs.arrayprogram import Program
    from cogen.lang.errors import Source


@runtime_checkable
class NodeWords(Protocol):
    """Kinds of nodes as words of programs."""

    def program(self, written: Source | tree.L0Program) -> Program:
        """The array program of a text or tree of L0 that calls them."""

    def definitions(self, text: str) -> str:
        """What makes them words of a text in the Scheme-like language, at its end."""


def node_words(value: object) -> NodeWords:
    """The kinds that are given.  CogenError if they are none."""
    if isinstance(value, NodeWords):
        return value
    hint = "docs/extending-arrays.md"
    raise CogenError(f"the kinds must be a cogen.Kinds, not {expected.shown(value)}", hint=hint)
