"""What values share, and what an expression uses and consumes: the data of uniqueness.

A `Root` is an array that a name was given to when nothing else referred to it; every array that
may share its memory has it among its `aliases`, so aliasing is transitive and symmetric, and
consuming an array consumes its roots. A `Leaf` describes one leaf of a type (see
`cogen.array.l0.types.flatten`); a value has one for each, so that tuples, and arrays of tuples,
share part by part. Sets are kept as tuples, in order, so that diagnostics do not depend on hashing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final, TypeVar

from cogen.array.l0.facts import Binding
from cogen.lang.errors import CogenError, Note, Span


@dataclass(frozen=True, slots=True, eq=False)
class Root:
    """An array with a name of its own.

    `level` counts the bodies of loops and anonymous functions around the place that bound it.
    """

    name: str
    span: Span
    level: int


@dataclass(frozen=True, slots=True)
class SharedOrigin:
    """Why a value is not unique, and the place that shows it."""

    reason: str
    span: Span


Cause = Root | SharedOrigin


@dataclass(frozen=True, slots=True)
class SharedLeaf:
    """One array of a value: what it may share memory with, and what its uniqueness hangs on.

    It is unique if no cause is an `SharedOrigin`, and every root among aliases and causes may be
    consumed where it is to be unique.
    """

    aliases: tuple[Root, ...] = ()
    causes: tuple[Cause, ...] = ()

    def without(self, consumed: Occurrences) -> SharedLeaf:
        """The leaf after its operands were consumed, which leave its alias set."""
        if not any(root in consumed for root in self.aliases):
            return self
        return SharedLeaf(
            tuple([root for root in self.aliases if root not in consumed]), self.causes
        )

    @property
    def copied(self) -> SharedLeaf:
        """Of a copy that is unique if the original is."""
        return SharedLeaf((), _union([self.aliases, self.causes]))


NOTHING: Final = SharedLeaf()
"""Of a value of basic type, and of an array that nothing else refers to."""

Sharing = tuple[SharedLeaf, ...]


T = TypeVar("T")


def _union(sets: Iterable[tuple[T, ...]]) -> tuple[T, ...]:
    return tuple(dict.fromkeys([element for members in sets for element in members]))


def merge(leaves: Iterable[SharedLeaf]) -> SharedLeaf:
    """What may be any of the leaves."""
    leaves = list(leaves)
    return SharedLeaf(
        _union([leaf.aliases for leaf in leaves]), _union([leaf.causes for leaf in leaves])
    )


@dataclass(frozen=True, slots=True)
class Use:
    """A use of a variable."""

    binding: Binding
    span: Span


@dataclass(frozen=True, slots=True)
class ConsumedAt:
    """A consumption: of what, where, and how."""

    name: str
    span: Span
    how: str


@dataclass(slots=True)
class Occurrences:
    """What happens to roots in a piece of the program: uses, and consumptions.

    A consumption is `direct` in the sequence at hand, or `ordered` by a let, let-with or loop
    within it.
    """

    observed: dict[Root, Use] = field(default_factory=dict)
    direct: dict[Root, ConsumedAt] = field(default_factory=dict)
    ordered: dict[Root, ConsumedAt] = field(default_factory=dict)

    def __contains__(self, root: Root) -> bool:
        """Whether it is consumed."""
        return root in self.direct or root in self.ordered

    def __bool__(self) -> bool:
        return bool(self.observed or self.direct or self.ordered)

    def consumption(self, root: Root) -> ConsumedAt | None:
        return self.direct.get(root) or self.ordered.get(root)

    def observe(self, root: Root, use: Use) -> None:
        """A use in this sequence."""
        consumption = self.consumption(root)
        if consumption is not None:
            raise in_one_sequence(use, root, consumption)
        self.observed.setdefault(root, use)

    def join(self, other: Occurrences) -> None:
        """Add what happens in the same sequence, in no particular order."""
        for consumed in (other.direct, other.ordered):
            for root, consumption in consumed.items():
                earlier = self.consumption(root)
                if earlier is not None:
                    raise consumed_twice(consumption, root, earlier)
                if root in self.observed:
                    raise in_one_sequence(self.observed[root], root, consumption)
        for root, use in other.observed.items():
            self.observe(root, use)
        self.direct.update(other.direct)
        self.ordered.update(other.ordered)

    def followed_by(self, later: Occurrences) -> Occurrences:
        """What happens if these come first, and then, past a sequence point, the later ones.

        Spoils both operands: the result is built from them.
        """
        for consumed in (self.direct, self.ordered):
            for root, consumption in consumed.items():
                if root in later.observed:
                    raise used_after(later.observed[root], root, consumption)
                again = later.consumption(root)
                if again is not None:
                    raise consumed_again(again, root, consumption)
        later.ordered.update(later.direct)
        later.ordered.update(self.direct)
        later.ordered.update(self.ordered)
        later.observed.update(self.observed)
        later.direct = {}
        return later

    def outside(self, level: int) -> Occurrences:
        """Only what concerns roots bound at most so deep."""

        def kept(table: dict[Root, T]) -> dict[Root, T]:
            return {root: what for root, what in table.items() if root.level <= level}

        return Occurrences(kept(self.observed), kept(self.direct), kept(self.ordered))


def branch(condition: Occurrences, branches: Iterable[Occurrences]) -> Occurrences:
    """What happens in a conditional, whose condition and branches are one sequence."""
    result = Occurrences()
    for occurrences in branches:
        for root, use in occurrences.observed.items():
            consumption = condition.consumption(root)
            if consumption is not None:
                raise used_after(use, root, consumption)
            result.observed.setdefault(root, use)
        for root, consumption in {**occurrences.direct, **occurrences.ordered}.items():
            earlier = condition.consumption(root)
            if earlier is not None:
                raise consumed_again(consumption, root, earlier)
        for root, consumption in occurrences.direct.items():
            if root in condition.observed:
                raise in_one_sequence(condition.observed[root], root, consumption)
        result.direct.update(occurrences.direct)
        result.ordered.update(occurrences.ordered)
    result.observed.update(condition.observed)
    result.direct.update(condition.direct)
    result.ordered.update(condition.ordered)
    return result


# Diagnostics.


def _notes(root: Root, consumption: ConsumedAt, use: Use | None) -> list[Note]:
    notes = [Note(f"`{consumption.name}` is consumed here: {consumption.how}", consumption.span)]
    if use is not None and use.binding.name != consumption.name:
        name = use.binding.name
        common = f"`{consumption.name}`" + (
            f" through `{root.name}`" if root.name not in (name, consumption.name) else ""
        )
        notes.append(Note(f"`{name}` may share memory with {common}", use.binding.span))
    return notes


def used_after(use: Use, root: Root, consumption: ConsumedAt) -> CogenError:
    """A use of what has been consumed before."""
    name, other = use.binding.name, consumption.name
    itself = f"`{name}` is used after it was consumed"
    shared = f"`{name}` is used after `{other}`, with which it may share memory, was consumed"
    message = itself if name == other else shared
    return CogenError(message, use.span, notes=_notes(root, consumption, use))


def consumed_again(later: ConsumedAt, root: Root, consumption: ConsumedAt) -> CogenError:
    """A consumption of what has been consumed before."""
    name, other = later.name, consumption.name
    itself = f"`{name}` is consumed after it was consumed"
    shared = f"`{name}` is consumed after `{other}`, with which it may share memory, was consumed"
    message = itself if name == other else shared
    return CogenError(message, later.span, notes=_notes(root, consumption, None))


_HINT: Final = "bind one of them with let first: only let, let-with and loop put things in order"


def in_one_sequence(use: Use, root: Root, consumption: ConsumedAt) -> CogenError:
    """A use and a consumption that nothing orders."""
    name = use.binding.name
    if name == consumption.name:
        message = f"`{name}` is used and consumed in one sequence"
    else:
        message = (
            f"`{name}` is used in the sequence that consumes `{consumption.name}`, "
            "with which it may share memory"
        )
    return CogenError(message, use.span, _HINT, _notes(root, consumption, use))


def consumed_twice(later: ConsumedAt, root: Root, earlier: ConsumedAt) -> CogenError:
    """Two consumptions that nothing orders."""
    if later.name == earlier.name:
        message = f"`{later.name}` is consumed twice in one sequence"
    else:
        message = (
            f"`{later.name}` and `{earlier.name}`, which may share memory, are consumed in one "
            "sequence"
        )
    return CogenError(message, later.span, notes=_notes(root, earlier, None))
