"""What a specialization notes of what it decides, by residual block.

A block that is started again begins anew, and in the end only those blocks count that the residual
program has: so nothing is told that was given up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from cogen.lang import il
from cogen.lang.errors import Span
from cogen.lang.printer import write_brief
from cogen.specializer.analyses.analyses import Analyses
from cogen.specializer.explain import decisions as told
from cogen.specializer.explain.decisions import Decision
from cogen.specializer.explain.names import ProgramNames, user_name
from cogen.specializer.values import domain
from cogen.specializer.values.freeze import Store
from cogen.specializer.versions.memo import ResidualBlock

if TYPE_CHECKING:
    from cogen.specializer.advice.lifts import Lift

MOST_VALUES: Final = 5
"""Different values of a place in a block that are told."""

MOST_SHOWN: Final = 30
"""Characters of a value that are told."""

MOST_LOOKED_AT: Final = 200
"""Parts of a value that are looked at to tell what is known of it; more are taken for static."""


class NotedRefusal(NamedTuple):
    """What was made dynamic on trial and had to be known: its places, and where it was
    asked for."""

    places: frozenset[Hashable]
    asked: Span | None


class Notes:
    """What is noted in one specialization: by block, and what was tried in vain; `names` are those
    of the program."""

    def __init__(self, program: il.Program, analyses: Analyses) -> None:
        self.names = ProgramNames(program)
        self._liveness, self._naming = analyses.liveness, analyses.naming
        self.of_block: dict[ResidualBlock, Counter[Decision]] = {}
        self.values: dict[ResidualBlock, dict[Span, dict[str, None]]] = {}
        """What is known to be the value of the places of a block, in the order of its versions."""
        self.refusals: list[NotedRefusal] = []
        self.advised: Sequence[Lift] = ()
        """The lifts that were put into the program."""
        self.lifted: frozenset[Span | None] = frozenset()
        """Where the program itself says `lift`."""
        self.place: Span | None = None
        """The operation being carried out."""

    def begin(self, block: ResidualBlock) -> None:
        """A block is made, for the first time or again."""
        self.of_block[block] = Counter()
        self.values.pop(block, None)

    def value(self, block: ResidualBlock, place: Span, value: Any) -> None:
        """Note the value of a place, if it is a datum."""
        if type(value) is domain.Static:
            known = self.values.setdefault(block, {}).setdefault(place, {})
            if len(known) <= MOST_VALUES:
                known[write_brief(value.datum, MOST_SHOWN)] = None

    def add(self, block: ResidualBlock, fact: Decision) -> None:
        """Note a fact of a block."""
        facts = self.of_block.get(block)
        if facts is None:
            facts = self.of_block[block] = Counter()
        facts[fact] += 1

    def tell(
        self,
        block: ResidualBlock,
        place: Span | None,
        kind: str,
        what: str,
        verdict: str,
        rule: str,
        reason: str = "",
        procedure: str = "",
    ) -> None:
        """Note a fact of a block and a place, if that is one of the program."""
        if place is not None:
            fact = Decision(place, kind, what, verdict, rule, reason, procedure)
            self.add(block, fact)

    def variable(self, block: ResidualBlock, store: Store, name: str, value: domain.Value) -> None:
        """Note what is known of a variable in a block, if the program names it."""
        fact = self.fact_of(store, name, value)
        if fact is not None:
            self.add(block, fact)
            self.value(block, fact.place, value)

    def advised_at(self, let: il.Let) -> Lift | None:
        """The advice that an operation comes from."""
        names = {let.name, *(atom.name for atom in let.arguments if type(atom) is il.Var)}
        at_place = [lift for lift in self.advised if lift.place == let.span]
        named = [lift for lift in self.advised if lift.name in names]
        return next(iter([*named, *at_place]), None)

    def knowledge(self, value: Any, store: Store) -> str:
        """What is known of a value."""
        return knowledge(value, store, self._liveness.of_function)

    def fact_of(self, store: Store, name: str, value: domain.Value) -> Decision | None:
        """What is known of a variable, if the program names it."""
        names = self.names
        place = names.place(name) if names.is_named(name) else None
        if place is None:
            return None
        verdict, what = self.knowledge(value, store), user_name(name)
        return Decision(place, "variable", what, verdict, "values", _shown(value), self.home(name))

    def home(self, name: str) -> str:
        """The procedure of the program that a variable is in."""
        bound = self.names.bound.get(name)
        function = None if bound is None else bound.function
        return "" if function is None else self._naming.home(function)


def knowledge(value: Any, store: Store, names: Callable[[il.Function], Iterable[str]]) -> str:
    """What is known of a value in a store, one of `KNOWLEDGE`; `names` tells which variables of
    its environment a procedure needs."""
    kind = type(value)
    if kind is domain.Cyclic:
        return told.CYCLIC if value.base > 1 else told.DYNAMIC
    if kind is domain.Dynamic or kind is domain.Test:
        return told.DYNAMIC
    if kind is domain.Ref and type(store.get(value.number)) is not domain.Cell:
        return told.DYNAMIC
    work, seen = [value], set()
    for part in work:
        if len(work) > MOST_LOOKED_AT:
            break
        if id(part) in seen:
            continue
        seen.add(id(part))
        match part:
            case domain.Dynamic() | domain.Test() | domain.Cyclic():
                return told.PARTIAL
            case domain.PartialPair():
                work += [part.car, part.cdr] if part.ground is None else []
            case domain.PartialRecord():
                work += part.fields
            case domain.Several():
                work += part.values
            case domain.Closure():
                work += [part.environment[n] for n in names(part.function) if n in part.environment]
            case domain.Ref():
                content = store.get(part.number)
                if type(content) is not domain.Cell:
                    return told.PARTIAL
                work += content.items
    return told.STATIC


def given_up(
    place: Span, name: str, old: domain.Value, base: int | None, home: str, part: bool = False
) -> Decision:
    """What is known of a variable is given up because nothing asks for it, but perhaps for the
    remainder by a base."""
    known = f"a part of it is known{told_value(old)}" if part else f"known{told_value(old)}"
    if base is not None:
        reason = f"{known} on arrival, but only its remainder by {base} is asked for"
        return Decision(place, "variable", name, told.CYCLIC, "cyclic-demand", reason, home)
    reason = f"{known} on arrival, but never asked for"
    return Decision(place, "variable", name, told.GENERALISED, "demand", reason, home)


def told_value(value: Any) -> str:
    """A constant, as it is told behind `known`."""
    return f" to be {write_brief(value.datum, 20)}" if type(value) is domain.Static else ""


def are_not_known(names: Iterable[str]) -> str:
    """That these are not known, in words; nothing of none."""
    shown = list(names)
    if not shown:
        return ""
    if len(shown) == 1:
        return f"{shown[0]} is not known"
    return f"{', '.join(shown[:-1])} and {shown[-1]} are not known"


def _shown(value: domain.Value) -> str:
    """A cyclic value as text; of others the knowledge says enough."""
    if type(value) is domain.Cyclic and value.base > 1:
        return f"{value.base} q + {value.remainder % value.base}"
    return ""
