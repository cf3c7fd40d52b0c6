"""Procedures, made ready for being called many times: what of a call does not depend on it."""

from __future__ import annotations

from cogen.lang import il
from cogen.specializer.analyses.library import Library
from cogen.specializer.programs.naming import Naming, name_of
from cogen.specializer.programs.rounds import Rounds


class Callee:
    """A procedure: the `count` of its arguments, or of those before the rest; whether calls of it
    may stay as they are (`analyses.library`), or go round (`execution.shared`); the `hint` what
    people call it, None if it is called after its caller."""

    __slots__ = ("count", "goes_round", "hint", "may_stay", "rest")

    def __init__(
        self, function: il.Function, library: Library, rounds: Rounds, naming: Naming
    ) -> None:
        self.count = len(function.parameters)
        self.rest = function.rest
        self.may_stay = library.may_stay(function)
        self.goes_round = function in rounds.procedures
        self.hint = None if naming.is_aside(function) else name_of(function)
