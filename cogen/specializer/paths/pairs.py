"""Which pairs are mutable objects of the specializer's store: those that are assigned.

All others are immutable values, of which any part may be known in any state.  Which are assigned
is not known ahead.  Each is taken for immutable until an assignment gets it; then everything begins
again, and what the same site makes is mutable (`Assigned`).  The site is the operation that makes
the pair, and the place of the program that led there, if it is in the prelude.

What the specializer assigns it knows.  What a residual program assigns is found in the end, by a
closure analysis of the residual program (`check`): the pairs that became residual ones there, and
that an assignment gets, are mutable as well.  If that was asked too often, it may be any of those
that the analysis of the source allows (`advice.assigned`).
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Final

from cogen.lang import il
from cogen.lang.datum import Pair
from cogen.lang.ilutil import blocks
from cogen.specializer.advice.assigned import Assignable, Key, pairs_assigned
from cogen.specializer.programs.mutation import PAIR_SETTERS
from cogen.specializer.values.domain import Assigned, PartialPair, Ref, Static, Value

MOST_FOUND: Final = 8
"""After so many times that assigned pairs were found all pairs are mutable."""

MOST_CHECKED: Final = 4
"""So many times residual programs are looked at for what they assign."""

PAIR_OPERATIONS: Final = PAIR_SETTERS | {"cons"}


class Pairs:
    """The pairs of one specialization; `may_be_assigned` if anything of the program assigns pairs.

    `mutable` are the sites that make mutable pairs, and the keys of places (`key_of`) all of whose
    pairs are; `all_mutable` if all are."""

    def __init__(self, may_be_assigned: bool, assignable: Callable[[], Assignable]) -> None:
        self.may_be_assigned = may_be_assigned
        self.mutable: frozenset[Hashable] = frozenset()
        self.all_mutable = False
        self._assignable = assignable
        self._defined: dict[int, tuple[Pair, Hashable]] = {}
        """By identity: the constants that definitions make, each with its site."""
        self._is_checked = True
        """Whether the residual program is looked at for what it assigns;"""
        self._assigns = False
        """whether it assigns anything of which that is to be found."""
        self._residual: dict[str, Hashable] = {}
        """By name: residual pairs that immutable ones have become, and the sites of these."""

    def assigned(self, found: Sequence[frozenset[Hashable] | None]) -> None:
        """Note what was found to be assigned before everything began again: all pairs are mutable
        if that is not known, or was found too often."""
        self.all_mutable = None in found or len(found) > MOST_FOUND
        self._is_checked = len(found) < MOST_CHECKED
        self.mutable = frozenset().union(*(sites for sites in found if sites is not None))

    def is_mutable(self, key: Key, start: int | None) -> bool:
        """Whether a site makes mutable pairs: its key, and the place that led there."""
        return self.may_be_assigned and (
            self.all_mutable or key is None or key in self.mutable or (key, start) in self.mutable
        )

    def defined(self, made: Pair, site: Hashable) -> None:
        """Note a constant that a definition makes at a site."""
        self._defined[id(made)] = made, site

    def assign(self, key: Key, pair: Value) -> None:
        """An assignment is to be carried out, or left, at a place: see to it that the pair is
        mutable, and so are all that it may be if it is not known."""
        if self.all_mutable or type(pair) is Ref:
            return
        if type(pair) is PartialPair:
            raise Assigned(None if pair.site is None else frozenset({pair.site}))
        if type(pair) is not Static:
            if self._is_checked:
                self._assigns = True
            else:
                self._require(key)
        elif id(pair.datum) in self._defined:  # other constants have no site
            raise Assigned(frozenset({self._defined[id(pair.datum)][1]}))

    def become_residual(self, name: str, pair: PartialPair) -> il.Var:
        """The variable of that name, which the residual program gives an immutable pair."""
        self._residual[name] = pair.site
        return il.Var(name)

    def check(self, program: il.Program, entry: str) -> None:
        """A residual program, with all procedures of the source that it calls, assigns no pair that
        was taken for immutable."""
        if not self._assigns:
            return
        keys, anything = pairs_assigned(program, entry)
        found = {self._residual[key] for key in keys if key in self._residual}
        if anything:
            found.update(site for _, site in self._defined.values())
        if found:
            raise Assigned(None if None in found else frozenset(found))

    def leave(self, procedures: Iterable[il.Define]) -> None:
        """Procedures of the program become part of the residual one as they stand."""
        if not self.may_be_assigned or self.all_mutable:
            return
        for item in procedures:
            for block in blocks(item.function.body):
                for binding in block.bindings:
                    if type(binding) is il.Let and binding.op in PAIR_SETTERS:
                        self._require(binding.name)

    def leave_primitive(self, name: str) -> None:
        """A primitive becomes a value of the residual program."""
        if name in PAIR_SETTERS and not self.all_mutable:
            raise Assigned(None)

    def _require(self, key: Key) -> None:
        """All pairs that an assignment of the residual program may get are to be mutable."""
        pairs = self._assignable().get(key)
        if pairs is None or not pairs <= self.mutable:
            raise Assigned(pairs)
